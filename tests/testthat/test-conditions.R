test_that("every error is of its own class and of the common one", {
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error_thing")
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error")
  expect_warning(warn_neargp("thing", "Odd."), class = "neargp_warning_thing")
})

test_that("rows are named, but never by the thousand", {
  expect_identical(format_rows(3), "row 3")
  expect_identical(format_rows(c(3, 5)), "rows 3 and 5")
  expect_identical(format_rows(1:8), "rows 1, 2, 3, 4, 5 and 3 more")
})

# Texts of the messages in a function's body.
message_texts <- function(body) {
  raise <- c("abort_neargp", "warn_neargp", "inform_neargp", "abort_argument")
  texts_of <- function(e) {
    if (is.character(e)) e else if (is.call(e)) unlist(lapply(present_parts(e), texts_of))
  }
  if (!is.call(body)) return(NULL)
  inner <- unlist(lapply(present_parts(body), message_texts))
  if (is.name(body[[1L]]) && as.character(body[[1L]]) %in% raise) c(texts_of(body), inner) else
    inner
}

present_parts <- function(call) {
  Filter(function(part) !identical(part, quote(expr = )), as.list(call))
}

test_extended("arguments that messages name are arguments that there are", {
  namespace <- asNamespace("neargp")
  functions <- Filter(is.function, mget(ls(namespace), namespace))
  texts <- unique(unlist(lapply(functions, function(f) message_texts(body(f)))))
  expect_gt(length(texts), 300L)
  after_name <- "(?= = ?($|NULL|TRUE|FALSE|[0-9]|~|\\)|\"|c\\(|[a-z_]+\\())"
  named <- unlist(regmatches(texts, gregexpr(paste0("\\b[a-z][a-z_.]*", after_name), texts,
    perl = TRUE)))
  named <- c(named,
    unlist(regmatches(texts, gregexpr("(?<=`)[a-z][a-z_.]*(?= ?=`)", texts, perl = TRUE))))
  users <- functions[intersect(names(functions),
    c(getNamespaceExports("neargp"), getNamespaceInfo("neargp", "S3methods")[, 3L]))]
  # options, an element of `anisotropy`, names in an example of a list, a function of a transform, a
  # parameter that has a prior, arguments of terra, sf, mgcv and data.frame(), names of a window
  others <- c("neargp.device", "neargp.blas", "ratio", "few", "many", "inverse", "range_time", "xy",
    "as_points", "long", "names", "bs", "xmin", "xmax", "ymin", "ymax")
  expect_identical(setdiff(named, c(unlist(lapply(users, function(f) names(formals(f)))), others)),
    character(0))
  expect_gt(length(unique(named)), 25L)
})
