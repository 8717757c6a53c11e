# Draws that all files of this folder share.

pick <- function(...) {
  choices <- list(...)
  choices[[sample.int(length(choices), 1L)]]
}

pick_name <- function(weights) sample(names(weights), 1L, prob = weights)

chance <- function(probability) stats::runif(1L) < probability

# A value that no argument expects.
junk <- function() {
  pick(NULL, NA, NaN, Inf, -Inf, -1, 0, 1.5, 1e300, 1e-300, -3L, 0L, 2L^30, "a", "", NA_character_, character(0), numeric(0), integer(0),
    c(1, 2), c("a", "b"), list(), list(1), list(a = 1, b = "x"), TRUE, FALSE, c(TRUE, NA), factor("u"), as.Date("2020-01-01"), Sys.time(),
    1i, ~x, y ~ x, mean, data.frame(), data.frame(a = 1), matrix(1, 2, 2), matrix(numeric(0), 0, 2), new.env(), as.raw(1), globalenv(),
    structure(list(), class = "neargp"), structure(1, class = "neargp_method"))
}

# Sometimes one of the arguments is replaced by junk, or one that no function has is added.
with_junk <- function(arguments, probability = 0.05) {
  if (length(arguments) && chance(probability)) arguments[sample(names(arguments), 1L)] <- list(junk())
  if (chance(probability / 3)) arguments$nonsense <- 1
  arguments
}

one_line <- function(text) substr(gsub("[\t\r\n]+", " / ", paste(text, collapse = " / ")), 1L, 400L)

exported <- function(name) getExportedValue("neargp", name)
