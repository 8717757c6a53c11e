# The output of print_sections() for sections of each kind.
printed_sections <- function(..., digits = 3L) capture.output(print_sections(list(...), digits))

test_that("a section is an empty line, its title, values and remarks", {
  trend <- new_section("Trend:", c(a = 1, slope = 0.12345), "of two rows")
  expect_identical(printed_sections(trend),
    c("", "Trend:", "  a  slope", "  1  0.123", "  of two rows"))
  expect_identical(printed_sections(new_section("Trend:", c(a = 2), apart = FALSE)),
    c("Trend:", "  a", "  2"))
  expect_identical(printed_sections(new_section(c("one", "two")), NULL), c("", "one", "two"))
  expect_identical(printed_sections(new_section(remarks = c("one", "two"), apart = FALSE)),
    c("  one", "  two"))
  expect_identical(printed_sections(new_section(apart = FALSE), NULL), character(0))
})

test_that("facts are aligned, and a longer name moves its own line alone", {
  expect_identical(printed_sections(new_section("By a method", c(Rows = "12", `Leave out` = "none",
    `An explanation` = "long"), show = show_facts, apart = FALSE)),
    c("By a method", "Rows:         12", "Leave out:    none",
      "An explanation: long"))
})

test_that("tables have numbers by themselves, rounded ones, strings, rows and tests", {
  numbers <- matrix(c(1e-9, 12.3456, NA, 1), 2L, dimnames = list(c("nugget", "b"), c("Est", "SE")))
  expect_identical(printed_sections(new_section("Covariance:", numbers, show = show_numbers)),
    c("", "Covariance:", "         Est SE", "nugget 1e-09 NA", "b       12.3  1"))
  expect_identical(printed_sections(new_section(values = c(0.33333, 0.2), show = show_rounded,
    apart = FALSE)), "[1] 0.333 0.200")
  strings <- cbind(Groups = c("site", "Residual"), sd = c("0.1", "12"))
  expect_identical(printed_sections(new_section(values = strings, show = show_strings,
    apart = FALSE)), c(" Groups   sd ", " site     0.1", " Residual 12 "))
  rows <- data.frame(layer = 1:2, term = c("variance", "range"), estimate = c(1, 0.98765))
  expect_identical(printed_sections(new_section("Units:", rows, show = show_rows)),
    c("", "Units:", " layer     term estimate", "     1 variance    1.000",
      "     2    range    0.988"))
  tests <- cbind(Estimate = c(a = 2), `Std. Error` = 0.5, `z value` = 4, `Pr(>|z|)` = 6.3e-05)
  expect_match(printed_sections(new_section("Trend:", tests, show = show_coefficients))[4L],
    "^a +2.0 +0.5 +4 +6.3e-05 \\*\\*\\*$")
})

test_that("remarks are wrapped to the width of the console", {
  withr::local_options(width = 40)
  remark <- "the field is forgotten between the locations, which is white noise"
  expect_identical(printed_sections(new_section("A:", remarks = remark)), c("", "A:",
    "  the field is forgotten between the", "    locations, which is white noise"))
})

test_that("each kind of fit gives its sections", {
  titles <- function(fit, summary = NULL) {
    shown <- lapply(Filter(length, sections(fit, 3L, summary)), function(section) section$title[1L])
    sub("[ :].*", "", trimws(unlist(shown)))
  }
  short <- function(fit, ...) expect_identical(titles(fit), c("Gaussian", ..., fit_score(fit)))
  long <- function(fit, ...) expect_identical(titles(fit, summary(fit)), c("Gaussian", ...))
  fit_score <- function(fit) sub("[ :].*", "", score_line(fit))

  short(example_fit(60), "Trend", "Covariance")
  mixed <- neargp(z ~ (1 | site) + s(depth), effects_data(), coords = ~ x + y,
    method = vecchia(8), covariance = cov_exponential())
  short(mixed, "Trend", "Random", "Smooth", "Covariance")
  outputs <- outputs_fit()
  structures <- rep(c("Structure", "Covariance"), 2L)
  short(outputs, "Trend", structures, "Nugget")
  long(outputs, "Trend", "Covariance", structures, "Leave-one-out")
  classes <- fixed_class_fit(class_data(50), k = 8L)
  short(classes, "Leave-one-out", "Trend", "Covariance")
  long(classes, "Leave-one-out", "Estimator", "Covariance", "Leave-one-out")
  deep <- fit_deep(formula = y ~ x1)
  short(deep, "Trend", "Covariance")
  long(deep, "Trend", "Covariance", "Predictive", "Units", "Weights")
})
