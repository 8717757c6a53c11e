frame_of <- function(y, weights = NULL) {
  data <- data.frame(x = seq_len(NROW(y)))
  data$z <- y
  stats::model.frame(z ~ x, data, weights = weights, na.action = stats::na.pass)
}

respond <- function(y, family, weights = NULL) {
  frame <- frame_of(y, weights)
  if (is.null(weights)) weights <- rep(1, NROW(y))
  new_response(stats::model.response(frame), family, weights, frame)
}

expect_refused <- function(y, family, message, weights = NULL, class = "neargp_error_response") {
  expect_error(respond(y, family, weights), message, class = class)
}

test_that("binomial responses of every form are successes among trials", {
  wanted <- c(0, 1, 1, 0, 1)
  expect_identical(respond(wanted, binomial())[c("y", "kind")], list(y = wanted, kind = "binary"))
  expect_identical(respond(as.integer(wanted), binomial())$y, wanted)
  expect_null(respond(wanted, binomial())$trials)
  expect_identical(respond(wanted == 1, binomial())$y, wanted)
  labels <- c("no", "yes")[wanted + 1]
  coded <- respond(factor(labels, levels = c("yes", "no", "perhaps")), binomial())
  expect_identical(coded$y, 1 - wanted)
  expect_identical(coded$levels, c("yes", "no"))
  expect_identical(respond(labels, binomial())[c("y", "levels")],
    list(y = wanted, levels = c("no", "yes")))
})

test_that("counts of successes come as two columns, or as proportions with trials", {
  successes <- c(2, 0, 5, 1)
  trials <- c(4, 3, 5, 1)
  columns <- respond(cbind(seen = successes, missed = trials - successes), binomial())
  expect_identical(columns$y, successes)
  expect_identical(columns$trials, trials)
  expect_identical(columns$levels, c("missed", "seen"))
  expect_identical(columns$weights, rep(1, 4))
  weighted <- respond(cbind(successes, trials - successes), binomial(), weights = c(1, 2, 1, 1))
  expect_identical(weighted$weights, c(1, 2, 1, 1))
  shares <- respond(successes / trials, binomial(), weights = trials)
  expect_identical(shares[c("y", "trials", "weights")], columns[c("y", "trials", "weights")])
  expect_identical(respond(round(c(1, 2) / 3, 7), binomial(), weights = c(3, 3))$y, c(1, 2))
  # 0 and 1 with weights: trials that all ended alike, the likelihood of frequencies
  expect_identical(respond(c(0, 1), binomial(), weights = c(3, 2.5))[c("y", "trials", "weights")],
    list(y = c(0, 1), trials = NULL, weights = c(3, 2.5)))
  expect_null(respond(cbind(c(1, 0), c(0, 1)), binomial())$trials)
})

test_extended("binomial responses that are none are refused, with their rows", {
  expect_refused(c(0, 1, 2, 1), binomial(), "row 3.*cbind")
  expect_refused(c(0, -1, 1), binomial(), "row 2")
  expect_refused(c(0.5, 0.2, 1), binomial(), "rows 1 and 2.*beta_response")
  expect_refused(c(0.5, 0.3, 1), binomial(), "row 2", weights = c(2, 3, 1))
  expect_refused(factor(rep("a", 3)), binomial(), "1 level: a")
  expect_refused(factor(c("a", "b", "c")), binomial(), "3 levels: a, b and c")
  expect_refused(rep(TRUE, 3), binomial(), "1 level")
  expect_refused(cbind(c(1, 2), c(-1, 3)), binomial(), "row 1.*trials - successes")
  expect_refused(cbind(c(1, 2.5), c(1, 3)), binomial(), "row 2")
  expect_refused(cbind(c(1, 0), c(1, 0)), binomial(), "neither.*row 2")
  expect_refused(cbind(1:3, 1:3, 1:3), binomial(), "3 columns")
  expect_refused(as.Date("2026-01-01") + 0:2, binomial(), "class Date")
})

test_extended("counts must be whole and at least 0", {
  for (family in list(poisson(), negative_binomial())) {
    expect_identical(respond(c(0L, 3L), family)[c("y", "kind")], list(y = c(0, 3), kind = "count"))
    expect_refused(c(0, -1, 2, -3), family, "rows 2 and 4.*exposure")
    expect_refused(c(0, 1.5), family, "row 2")
    expect_refused(factor(1:3), family, "class factor")
    expect_refused(cbind(1:3, 1:3), family, "matrix")
  }
})

test_that("positive responses and those between 0 and 1", {
  expect_identical(respond(c(0.1, 7), Gamma("log"))$kind, "positive")
  expect_refused(c(1, 0, -2), Gamma("log"), "greater than 0.*rows 2 and 3")
  expect_refused(c(1, 1e-310), Gamma("log"), "row 2")
  expect_identical(respond(c(0.1, 0.7), beta_response())$y, c(0.1, 0.7))
  expect_refused(c(0, 0.5, 1), beta_response(), "beta_response\\(\\).*rows 1 and 3.*binomial")
  expect_identical(respond(c(-3, 7), student_t())$kind, "numeric")
  expect_refused(c("a", "b"), student_t(), "class character")
})

test_that("responses without variation are refused where they leave something unidentified", {
  constant <- "neargp_error_constant_response"
  expect_refused(rep(1, 5), binomial(), "All 5 values are 1", class = constant)
  expect_refused(cbind(1:3, 0), binomial(), "successes only", class = constant)
  expect_refused(rep(0, 4), poisson(), "All 4 values are 0", class = constant)
  expect_refused(rep(2.5, 4), Gamma("log"), "2.5", class = constant)
  expect_refused(rep(2.5, 4), student_t(), "constant", class = constant)
  expect_identical(respond(rep(3, 4), poisson())$y, rep(3, 4))
})

test_that("logical successes and failures count as 0 and 1", {
  success <- c(TRUE, FALSE, NA, TRUE)
  for (family in list(binomial(), betabinomial())) {
    expect_identical(
      respond(cbind(success, !success), family)[c("y", "trials")],
      list(y = c(1, 0, NA, 1), trials = as.double(c(1, 1, NA, 1)))
    )
  }
  expect_error(respond(cbind(success, TRUE, TRUE), binomial()), "3 columns",
    class = "neargp_error_response")
  expect_error(respond(cbind(letters[1:2], "b"), binomial()), "matrix",
    class = "neargp_error_response")
})

test_that("missing values are left to the check of all variables", {
  expect_identical(respond(c(1, NA, 0), binomial())$y, c(1, NA, 0))
  expect_identical(respond(c(3, NA, Inf), poisson())$y, c(3, NA, Inf))
  expect_identical(respond(c(0.3, NA), beta_response())$y, c(0.3, NA))
  expect_identical(respond(cbind(c(1, NA), c(2, 3)), binomial())$y, c(1, NA))
  expect_identical(respond(factor(c("a", NA, "b")), binomial())$y, c(0, NA, 1))
  expect_identical(respond(c(0.5, NA, 1), binomial(), weights = c(2, 2, 2))$y, c(1, NA, 2))
})

test_that("an exposure that is not on the scale of the logarithm is reported", {
  data <- transform(simulated_data(60), exposure = seq(100, 400, length.out = 60),
    count = rpois(60, 3))
  fit <- function(...) neargp(..., data = data, coords = ~ x + y, method = vnngp(k = 5))
  expect_error(fit(count ~ offset(exposure), family = poisson()), "offset(log(exposure))",
    fixed = TRUE, class = "neargp_error_offset")
  expect_no_error(check_exposure(log(data$exposure), poisson()))
  expect_no_error(check_exposure(data$exposure, student_t()))
})

test_that("no advice about a nugget where there is none", {
  expect_error(abort_cholesky(0L), "nugget", class = "neargp_error_cholesky")
  message <- conditionMessage(
    tryCatch(abort_cholesky(0L, has_ability(method_for(vnngp(), poisson(), list()), "nugget")),
      error = identity))
  expect_no_match(message, "nugget")
  expect_true(has_ability(method_for(loo_k(), poisson(), list()), "nugget"))
})

test_that("neargp() names rows as in the data", {
  data <- simulated_data(40)
  data$count <- rpois(40, 3)
  data$count[30] <- -1
  fit <- function(...) neargp(..., coords = ~ x + y, method = vnngp(k = 5))
  expect_error(fit(count ~ 1, data, family = poisson(), subset = 10:40), "`count`.*row 30",
    class = "neargp_error_response")
  data$count[30] <- 2
  expect_error(fit(count ~ offset(log(x - x)), data, family = poisson()), "offset.*rows 1, 2",
    class = "neargp_error_missing_values")
})
