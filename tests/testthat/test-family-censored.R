censored_data <- function(n = 200) {
  withr::with_seed(6, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    d$z <- 1 + 0.5 * d$h + rnorm(n, sd = 0.6)
    kind <- rep(1:4, length.out = n)
    d$measured <- ifelse(kind == 1, d$z, NA)
    d$lower <- ifelse(kind == 2, -Inf, floor(2 * d$z) / 2)
    d$upper <- ifelse(kind == 3, Inf, floor(2 * d$z) / 2 + 0.5)
    d
  })
}

fit_censored <- function(d, formula = cens(measured, lower, upper) ~ h, ...,
                         covariance = cov_exponential(variance = 1e-9, range = 0.1)) {
  neargp(formula, d, coords = ~ x + y, family = censored_gaussian(), covariance = covariance,
    verbose = FALSE, ...)
}

test_extended("without a field it is the model of survival, in either form of the response", {
  skip_if_not_installed("survival")
  d <- censored_data()
  lo <- ifelse(is.na(d$measured), d$lower, d$measured)
  hi <- ifelse(is.na(d$measured), d$upper, d$measured)
  d$s <- survival::Surv(ifelse(is.finite(lo), lo, NA), ifelse(is.finite(hi), hi, NA),
    type = "interval2")
  other <- survival::survreg(s ~ h, d, dist = "gaussian")
  for (formula in list(cens(measured, lower, upper) ~ h, s ~ h)) {
    fit <- fit_censored(d, formula, method = vnngp(k = 3))
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(other)), tolerance = 1e-6)
    expect_equal(coef(fit), coef(other), tolerance = 1e-3)
    expect_equal(fit$family_parameters[["sd"]], other$scale, tolerance = 1e-3)
  }
  right <- survival::Surv(pmin(d$z, 1.5), d$z < 1.5)
  left <- survival::Surv(pmax(d$z, 0.5), d$z > 0.5, type = "left")
  for (s in list(right, left)) {
    d$s <- s
    expect_equal(as.numeric(logLik(fit_censored(d, s ~ h, method = vnngp(k = 3)))),
      as.numeric(logLik(survival::survreg(s ~ h, d, dist = "gaussian"))), tolerance = 1e-6)
  }
})

test_extended("all methods fit it, and measurements alone are those of a gaussian response", {
  d <- censored_data(80)
  for (method in list(loo_k(k = 5), svgp(inducing = 8), dspp(inducing = 4, width = 1, sites = 2,
      epochs = 2))) {
    fit <- suppressWarnings(fit_censored(d, method = method, covariance = NULL))
    predicted <- predict(fit, d[1:3, ], interval = "prediction", threshold = 1)
    link <- predict(fit, d[1:3, ], type = "link")
    noise <- fit$family_parameters[["sd"]]^2
    expect_equal(predicted$sd^2, link$sd^2 + noise, tolerance = 1e-6)
    expect_true(is.finite(scores(fit, d)$crps))
  }
  measured <- fit_censored(d, z ~ h, method = vnngp(k = 5), covariance = cov_exponential())
  gaussian <- neargp(z ~ h, d, coords = ~ x + y, method = vnngp(k = 5),
    covariance = cov_exponential(), verbose = FALSE)
  expect_equal(as.numeric(logLik(measured)), as.numeric(logLik(gaussian)), tolerance = 1e-4)
  expect_output(print(fit_censored(d, method = vnngp(k = 3))), "60 of 80 are censored")
})

test_extended("scores of limits are those of what is known", {
  d <- censored_data(60)
  fit <- fit_censored(d, method = vnngp(k = 5), covariance = cov_exponential(range = 0.2))
  link <- predict(fit, d, type = "link")
  sd <- sqrt(link$sd^2 + fit$family_parameters[["sd"]]^2)
  lower <- ifelse(is.na(d$measured), d$lower, d$measured)
  upper <- ifelse(is.na(d$measured), d$upper, d$measured)
  log_p <- ifelse(lower == upper, dnorm(lower, link$mean, sd, TRUE),
    log(pnorm(upper, link$mean, sd) - pnorm(lower, link$mean, sd)))
  crps <- mapply(function(lower, upper, mean, sd) {
    square <- function(from, to, tail) {
      if (from == to) return(0)
      integrate(function(x) pnorm(x, mean, sd, lower.tail = tail)^2, from, to, rel.tol = 1e-9)$value
    }
    square(-Inf, lower, TRUE) + square(upper, Inf, FALSE)
  }, lower, upper, link$mean, sd)
  scored <- scores(fit, d)
  expect_equal(scored$log_score, -mean(log_p), tolerance = 1e-6)
  expect_equal(scored$crps, mean(crps), tolerance = 1e-5)
  expect_true(is.finite(scores(fit)$log_score))
  expect_true(is.finite(cross_validate(fit, folds = rep(1:3, 20))$scores$crps))
})

test_extended("loo_k() fits limits in any unit", {
  d <- censored_data(100)
  fit_in <- function(unit) {
    for (name in c("measured", "lower", "upper")) d[[name]] <- d[[name]] * unit
    neargp(cens(measured, lower, upper) ~ h, d, coords = ~ x + y, method = loo_k(k = 10),
      family = censored_gaussian(sd = 0.6 * unit), nugget = 1,
      covariance = cov_exponential(variance = 0.3 * unit^2, range = 0.3))
  }
  fit <- fit_in(1)
  for (unit in 2^c(-15, 15)) {
    other <- fit_in(unit)
    expect_equal(predict(other, d[1:4, ])$mean / unit, predict(fit, d[1:4, ])$mean,
      tolerance = 1e-3)
    expect_equal(scores(other)$crps / unit, scores(fit)$crps, tolerance = 1e-3)
  }
})

test_that("limits are kept through subsets, and wrong ones are refused", {
  expect_error(cens(c(1, -Inf, Inf), 0, 2), "infinite in rows 2 and 3\\.\n.*Give NA",
    class = "neargp_error_response")
  y <- cens(c(1, NA, NA, NA), c(0, -Inf, 2, -Inf), c(9, 5, Inf, Inf))
  expect_identical(format(y), c("1", "< 5", "> 2", NA))
  expect_identical(unclass(y[2:3, ])[, "upper"], c(5, Inf))
  expect_identical(unname(is.na(unclass(y))[4, ]), c(TRUE, TRUE))
  d <- censored_data(40)
  expect_equal(nobs(fit_censored(d, subset = h > 0, method = vnngp(k = 3))), sum(d$h > 0))
  d$lower[4] <- -Inf
  d$upper[4] <- Inf
  expect_equal(nobs(fit_censored(d, method = vnngp(k = 3))), 39)
  expect_error(cens(NA, 2, 1), "row 1", class = "neargp_error_response")
  expect_error(cens(1:3, "a"), "lower", class = "neargp_error_argument")
  for (y in list(list(), data.frame(), data.frame(a = NA))) {
    expect_error(cens(y, 0, 1), "`y`", class = "neargp_error_argument")
  }
  expect_error(cens(1:3, 1:2), "lower", class = "neargp_error_argument")
  expect_error(fit_censored(transform(d, z = as.character(z)), z ~ h, method = vnngp(k = 3)),
    "numeric", class = "neargp_error_response")
})

test_that("limits are no observations in errors and coverage", {
  d <- censored_data(60)
  fit <- fit_censored(d, method = vnngp(k = 3))
  given <- scores(fit, d)
  measured <- !is.na(d$measured)
  p <- predict(fit, d, interval = "prediction")
  expect_equal(given$n_censored, sum(!measured))
  expect_equal(given$rmse, sqrt(mean((p$mean - d$z)[measured]^2)))
  expect_equal(given$coverage, mean((d$z >= p$lower & d$z <= p$upper)[measured]))
  expect_equal(given$n, 60L)
  none <- scores(fit, d[!measured, ])
  expect_true(is.na(none$rmse) && is.na(none$coverage) && is.finite(none$log_score))
  expect_output(print(given), "45 censored")
  folds <- cross_validate(fit, rep(1:2, 30), verbose = FALSE)
  held <- folds$predictions[measured, ]
  expect_equal(folds$scores$mae, mean(abs(held$mean - held$observed)))
  expect_equal(folds$scores$n_censored, 45L)
})

# The best normal approximation of the field at 4 locations, of which two are below a limit, by a
# search of its means and precisions in plain R.
test_that("limits that are sharp beside the field have the posterior that a dense search finds", {
  sd <- 0.01
  d <- data.frame(x = c(0, 0.2, 0.5, 0.9), y = c(0.5, NA, NA, 1))
  fit <- neargp(cens(y, upper = -0.3) ~ 0, d, coords = ~ x, method = vnngp(k = 3),
    family = censored_gaussian(sd = sd), verbose = FALSE,
    covariance = cov_matern(nu = 1.5, variance = 1, range = 0.5))
  r <- as.matrix(dist(d$x)) / 0.5
  K <- (1 + r) * exp(-r) + 1e-6 * diag(4)
  known <- !is.na(d$y)
  x <- seq(-9, 9, length.out = 4001)
  weights <- dnorm(x) / sum(dnorm(x))
  bound <- function(p) {
    m <- p[1:4]
    S <- solve(solve(K) + diag(exp(p[5:8])))
    v <- diag(S)
    measured <- sum(dnorm(d$y, m, sd, log = TRUE)[known] - v[known] / (2 * sd^2))
    limits <- sum(vapply(which(!known), function(i) {
      sum(weights * pnorm((-0.3 - m[i] - sqrt(v[i]) * x) / sd, log.p = TRUE))
    }, 0))
    measured + limits - 0.5 * (sum(diag(solve(K, S))) + sum(m * solve(K, m)) - 4 +
      log(det(K)) - log(det(S)))
  }
  start <- c(0.5, -0.5, -0.5, 1, log(c(1e4, 1e2, 1e2, 1e4)))
  for (round in 1:2) {
    start <- optim(start, function(p) -bound(p), method = "BFGS",
      control = list(maxit = 500, reltol = 1e-13, parscale = c(rep(0.01, 4), rep(1, 4))))$par
  }
  expect_true(fit$convergence$converged)
  expect_equal(c(logLik(fit)), bound(start), tolerance = 1e-5)
  expect_equal(predict(fit, d, type = "link")$mean, start[1:4], tolerance = 1e-3)
})

test_that("sharp limits of many responses are fitted, and the sharpest refused", {
  set.seed(3)
  d <- data.frame(x = runif(120), y = runif(120))
  d$z <- sin(5 * d$x) + cos(4 * d$y) + rnorm(120, 0, 0.01)
  d$z[d$z < 0] <- NA
  fitted_with <- function(sd, ...) {
    neargp(cens(z, upper = 0) ~ 1, d, coords = ~ x + y, family = censored_gaussian(sd = sd),
      covariance = cov_matern(nu = 1.5, variance = 1, range = 0.4), verbose = FALSE, ...)
  }
  expect_true(fitted_with(0.003, method = vnngp(k = 10))$convergence$converged)
  for (method in list(vnngp(), vnngp(posterior = "mean-field"))) {
    expect_error(fitted_with(1e-6, method = method), "the noise is too small\\.\n.*at least ",
      class = "neargp_error_family")
  }
})
