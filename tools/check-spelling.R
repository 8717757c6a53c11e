# Words of help, articles, README, NEWS and DESCRIPTION that neither British English nor inst/WORDLIST has:
#
#   Rscript tools/check-spelling.R          prints them; exit status 1 where there are any
#   Rscript tools/check-spelling.R accept   makes inst/WORDLIST of those that there are
if (!requireNamespace("spelling", quietly = TRUE) || !"en_GB" %in% hunspell::list_dictionaries()) {
  cat("spelling: skipped, there is no package spelling with a dictionary of British English.\n")
  quit(status = 0L)
}

# The lines of a file that hold a formula.
formula_lines <- function(file) {
  text <- readLines(file)
  marks <- lengths(regmatches(text, gregexpr("$$", text, fixed = TRUE)))
  grepl("$", text, fixed = TRUE) | cumsum(marks) %% 2L == 1L
}

# `places`: "file:line,line".
only_in_formulas <- function(places) {
  all(vapply(places, function(place) {
    file <- list.files("vignettes", sub(":.*", "", place), recursive = TRUE, full.names = TRUE)
    lines <- as.integer(strsplit(sub(".*:", "", place), ",")[[1L]])
    length(file) == 1L && all(formula_lines(file)[lines])
  }, NA))
}

accept <- "accept" %in% commandArgs(TRUE)
found <- spelling::spell_check_package(".", vignettes = TRUE, use_wordlist = !accept)
found <- found[!vapply(found$found, only_in_formulas, NA), ]
if (accept) {
  writeLines(sort(found$word, method = "radix"), "inst/WORDLIST")
} else if (nrow(found)) {
  print(found)
  quit(status = 1L)
}
