test_that("standard errors follow from the information by the delta method", {
  fit <- neargp(z ~ height, simulated_data(400), coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential())
  working_vcov <- solve(fit$information)
  estimate <- coef(fit, "covariance")
  expect_equal(fit$parameters$std_error, unname(estimate * sqrt(diag(working_vcov))),
    tolerance = 1e-8)
  expect_equal(sqrt(diag(vcov(fit, "covariance"))), stats::setNames(fit$parameters$std_error,
    names(estimate)))
})

test_that("fixed parameters, those at a bound and all of a singular information have no standard error", {
  information <- diag(c(4, 1, 2))
  covariance <- working_covariance(information, c(TRUE, FALSE, TRUE))
  expect_equal(diag(covariance), c(1 / 4, NA, 1 / 2))
  expect_true(all(is.na(working_covariance(matrix(1, 2, 2), c(TRUE, TRUE)))))
  expect_true(all(is.na(working_covariance(NULL, c(TRUE, TRUE)))))
  for (lost in c(0, NaN, Inf)) {
    expect_equal(working_covariance(diag(c(4, lost)), c(TRUE, TRUE)),
      matrix(c(1 / 4, NA, NA, NA), 2))
  }
})

test_that("a nugget that cannot be told from zero is at a boundary, and takes no standard errors from the others", {
  data <- simulated_data(150)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15))
  nugget <- which(fit$layout$kind == "nugget")
  for (information in c(0.005, -1e-5)) {
    curvature <- fit$information
    curvature[nugget, ] <- curvature[, nugget] <- 0
    curvature[nugget, nugget] <- information
    problem <- list(layout = fit$layout, free = !fit$layout$fixed,
      bounds = list(lower = rep(-50, nrow(fit$layout)), upper = rep(50, nrow(fit$layout))))
    boundary <- at_bound(fit$parameters$working, problem, curvature)
    expect_identical(which(boundary), nugget)
    table <- parameter_estimates(fit$layout, fit$parameters$working, curvature, boundary)$table
    expect_true(is.na(table$std_error[nugget]))
    expect_false(anyNA(table$std_error[!boundary & !fit$layout$fixed]))
  }
})

test_that("without noise in the response the interval of the nugget is none, and not from nothing to infinity", {
  data <- simulated_data(150)
  data$smooth <- sin(4 * data$x) + cos(3 * data$y)
  fit <- neargp(smooth ~ 1, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_matern(2.5))
  interval <- confint(fit, what = "covariance")["nugget", ]
  expect_true(all(is.na(interval)))
  expect_output(print(fit), "or indistinguishable from 0: .*nugget")
})

test_that("a standard deviation of effects that is reported as 0 has no standard error", {
  layout <- data.frame(name = c("variance", "sd_g"), kind = c("variance", "effect_sd"),
    component = c(1L, NA), group = c(NA, 1L))
  problem <- list(layout = layout, free = c(TRUE, TRUE),
    bounds = list(lower = c(-14, -12), upper = c(9, 5)))
  at <- function(above) at_bound(c(0, -12 + above), problem, diag(2))
  expect_identical(at(4), c(FALSE, TRUE))
  expect_identical(vanished_effects(c(0, -8), problem), c(FALSE, TRUE))
  expect_identical(at(6), c(FALSE, FALSE))
})
