# The reference of the standard errors is the whole likelihood, family parameters included.

field_off <- cov_matern(1.5, variance = 1e-9, range = 0.3)

uncertain_data <- function(n = 400) {
  withr::local_seed(5)
  data <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  z <- 0.5 + 0.4 * data$a + 0.6 * rnorm(n)
  data$measured <- ifelse(z < 1.2, NA, z)
  u <- 1 + 3 * data$a + rlogis(n)
  data$grade <- cut(u, c(-Inf, 0, 1.2, 2.5, 4, Inf), ordered_result = TRUE)
  size <- 0.5
  mu <- exp(0.5 + 0.4 * data$a)
  data$count <- qnbinom(runif(n, dnbinom(0, mu = mu, size = size), 1), mu = mu, size = size)
  data
}

fit_without_field <- function(formula, data, family, method = vnngp(5)) {
  suppressWarnings(suppressMessages(neargp(formula, data, coords = ~ x + y, family = family,
    covariance = field_off, method = method)))
}

# Standard errors of the first two parameters by the inverse of the whole matrix of second
# derivatives.
joint_errors <- function(minus_log_likelihood, start) {
  found <- optim(start, minus_log_likelihood, method = "BFGS", control = list(reltol = 1e-14))
  sqrt(diag(solve(optimHess(found$par, minus_log_likelihood))))[1:2]
}

errors_of <- function(fit) unname(sqrt(diag(vcov(fit))))

censored_likelihood <- function(data) {
  function(t) {
    eta <- t[1L] + t[2L] * data$a
    -sum(ifelse(is.na(data$measured), pnorm(1.2, eta, exp(t[3L]), log.p = TRUE),
      dnorm(data$measured, eta, exp(t[3L]), log = TRUE)))
  }
}

test_that("errors of a censored response's trend know that its scatter is estimated", {
  data <- uncertain_data()
  expected <- joint_errors(censored_likelihood(data), c(0.5, 0.4, -0.5))
  for (method in list(vnngp(5), svgp(10, move = FALSE))) {
    fit <- fit_without_field(cens(measured, upper = 1.2) ~ a, data, censored_gaussian(), method)
    expect_equal(errors_of(fit), expected, tolerance = 0.04)
    expect_equal(unname(apply(confint(fit), 1L, diff)), 2 * qnorm(0.975) * errors_of(fit))
    expect_equal(unname(coef(summary(fit))[, "Std. Error"]), errors_of(fit))
  }
  known <- fit_without_field(cens(measured, upper = 1.2) ~ a, data,
    censored_gaussian(fit$family_parameters[["sd"]]))
  expect_lt(max(errors_of(known) / expected), 0.9)
})

test_that("errors of an ordinal slope know that the thresholds are estimated", {
  data <- uncertain_data()
  expected <- joint_errors(function(t) {
    thresholds <- c(-Inf, cumsum(c(0, exp(t[3:5]))), Inf)
    level <- as.integer(data$grade)
    eta <- t[1L] + t[2L] * data$a
    -sum(log(plogis(thresholds[level + 1L] - eta) - plogis(thresholds[level] - eta)))
  }, c(0.5, 2, 0, 0, 0))
  expect_equal(errors_of(fit_without_field(grade ~ a, data, ordinal())), expected, tolerance = 0.04)
})

test_that("errors of a truncated count's trend know that its size is estimated", {
  data <- uncertain_data()
  expected <- joint_errors(function(t) {
    mu <- exp(t[1L] + t[2L] * data$a)
    size <- exp(t[3L])
    -sum(dnbinom(data$count, mu = mu, size = size, log = TRUE) -
      log1p(-dnbinom(0, mu = mu, size = size)))
  }, c(0.5, 0.5, 0))
  fit <- fit_without_field(count ~ a, data, truncated_nbinom2())
  expect_equal(errors_of(fit), expected, tolerance = 0.06)
})

test_that("errors of the trend know that the field's variance and range are estimated", {
  withr::local_seed(3)
  n <- 150
  data <- data_with_field(n, 1.5)
  data$z <- rbinom(n, 1, plogis(2 * data$a + data$field))
  fit_at <- function(log_values) {
    covariance <- if (is.null(log_values)) cov_matern(1.5) else
      cov_matern(1.5, variance = exp(log_values[1L]), range = exp(log_values[2L]))
    suppressMessages(neargp(z ~ a, data, coords = ~ x + y, family = binomial(),
      covariance = covariance, method = vnngp(10)))
  }
  fit <- fit_at(NULL)
  estimated <- c("variance", "range")
  values <- coef(fit, "covariance")[estimated]
  slope <- vapply(1:2, function(i) {
    shift <- replace(double(2), i, 0.1)
    (coef(fit_at(log(values) + shift)) - coef(fit_at(log(values) - shift))) / 0.2
  }, double(2))
  spread <- vcov(fit, "covariance")[estimated, estimated] / outer(values, values)
  held <- vcov(fit_at(log(values)))
  expect_equal(vcov(fit), held + slope %*% spread %*% t(slope), tolerance = 0.05)
  expect_gt(vcov(fit)["a", "a"], 1.2 * held["a", "a"])
  # predictions are given the parameters
  places <- data[1:5, c("x", "y", "a")]
  expect_equal(predict(fit, places, type = "link")$sd,
    predict(fit_at(log(values)), places, type = "link")$sd, tolerance = 1e-3)
  # and the variance of the trend alone includes their uncertainty
  X <- cbind(1, places$a)
  expect_equal(trend_at(fit, places)$variance, rowSums((X %*% vcov(fit)) * X))
})
