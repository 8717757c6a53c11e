centred_covariances <- function() {
  list(
    cov_exponential(warp = monotone(~ x, 3), ard = TRUE, penalty = 1),
    cov_matern(1.5, warp = monotone(~ x + y, 3), penalty = 2),
    cov_matern(1.5, warp = list(monotone(~ x + y, 3), expand(2, ~ bumps(2))), ard = TRUE,
      range = ~ wet, penalty = 1) + cov_exponential(warp = monotone(~ y, 4), ard = TRUE)
  )
}

directions_of <- function(fit) {
  slope_directions(fit$layout, fit$locations, fit$core_covariance$components)
}

test_extended("likelihood and information at centred slopes are those of the objective there", {
  for (covariance in centred_covariances()) {
    fit <- local_fit(covariance, exact_gp(), local_data(30))
    problem <- local_problem_of(fit)
    problem$bounds <- working_bounds(problem, stats::var(problem$data$y))
    at <- elsewhere(fit)
    objective <- exact_objective(problem)
    before <- objective$evaluate(at, information = TRUE)
    found <- with_centred_slopes(problem, list(working = at, value = before$value,
      information = before$information))
    expect_gt(max(abs(found$working - at)), 0.01)
    there <- objective$evaluate(found$working, information = TRUE)
    expect_equal(there$value + penalty_at(fit$layout, found$working),
      before$value + penalty_at(fit$layout, at), tolerance = 1e-10)
    expect_equal(found$value, there$value, tolerance = 1e-10)
    known <- found$information - there$information
    for (direction in directions_of(fit)) {
      own <- direction$slopes
      expect_equal(sum(found$working[own]), 0, tolerance = 1e-12)
      expect_equal(min(known[own, own]), max(known[own, own]), tolerance = 1e-8)
      expect_gt(min(known[own, own]), 1e5 * max(diag(there$information)[own]))
      known[own, own] <- 0
    }
    expect_lt(max(abs(known)), 1e-8 * max(abs(there$information)))
  }
})

test_extended("a direction is one where a range divides nothing but warped coordinates", {
  count <- function(...) count_slope_directions(local_fit(cov_exponential(...), vecchia(k = 5)))
  expect_identical(count(), 0L)
  expect_identical(count(warp = monotone(~ x, 3)), 0L)
  expect_identical(count(warp = monotone(~ x, 3), ard = TRUE), 1L)
  expect_identical(count(warp = monotone(~ x + y, 3)), 1L)
  expect_identical(count(warp = monotone(~ y + x, 3), ard = TRUE), 2L)
  expect_identical(count(warp = monotone(~ x, 3), ard = TRUE, range = c(0.3, NA)), 0L)
})

test_that("a fit has slopes around 1, finite errors with no penalty, and one parameter less", {
  data <- local_data(150)
  covariance <- cov_matern(1.5, warp = monotone(~ x, 4), ard = TRUE, penalty = 0)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = covariance))
  own <- fit$layout$kind == "monotone"
  expect_equal(sum(fit$parameters$estimate[own]), 0, tolerance = 1e-10)
  expect_equal(attr(logLik(fit), "df"), 1 + 3 + 4 + 1 - 1)
  expect_true(all(is.finite(fit$parameters$std_error[!fit$layout$fixed])))
  expect_lt(sum(fit$interval_vcov[own, own]), 1e-4 * min(diag(fit$interval_vcov[own, own])))
})
