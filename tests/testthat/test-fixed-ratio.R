# The nugget as a fixed multiple of the variance, compared with dense algebra in plain R.

ratio_rows <- function(n = 80L) {
  set.seed(4)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n), w = sample(1:3, n, TRUE))
  d$z <- 100 * (1 + 0.5 * d$a + sin(5 * d$x) + rnorm(n, sd = 0.4))
  d
}

ratio_fit <- function(..., ratio = 0.1, formula = z ~ a) {
  suppressMessages(neargp(formula, ratio_rows(), coords = ~ x + y,
    covariance = cov_exponential(), fixed = c(nugget_ratio = ratio), ...))
}

# The profile over trend and variance: with V = variance (R + ratio W^-1) the best variance is the
# mean square of the whitened residuals.
dense_ratio_optimum <- function(d, ratio, restricted = FALSE, weights = rep(1, nrow(d))) {
  distance <- as.matrix(stats::dist(d[c("x", "y")]))
  X <- cbind(1, d$a)
  n <- nrow(d)
  value <- function(range) {
    V <- exp(-distance / range) + diag(ratio / weights)
    A <- crossprod(X, solve(V, X))
    residual <- d$z - X %*% solve(A, crossprod(X, solve(V, d$z)))
    freedom <- n - if (restricted) ncol(X) else 0
    variance <- sum(residual * solve(V, residual)) / freedom
    log_det <- function(M) c(determinant(M)$modulus)
    structure(-0.5 * (freedom * (log(2 * pi * variance) + 1) + log_det(V) +
      if (restricted) log_det(A) else 0), variance = variance)
  }
  best <- stats::optimize(function(x) value(exp(x)), log(c(0.01, 10)), maximum = TRUE, tol = 1e-9)
  c(range = exp(best$maximum), variance = attr(value(exp(best$maximum)), "variance"),
    value = best$objective)
}

test_that("the maximum at a fixed ratio is that of dense algebra", {
  d <- ratio_rows()
  expected <- dense_ratio_optimum(d, 0.1)
  for (method in list(exact_gp(estimation = "ML"),
    vecchia(k = nrow(d) - 1L, estimation = "ML"))) {
    fit <- ratio_fit(method = method)
    found <- coef(fit, what = "covariance")
    expect_equal(found[["range"]], expected[["range"]], tolerance = 0.01)
    expect_equal(found[["variance"]], expected[["variance"]], tolerance = 0.01)
    expect_equal(found[["nugget"]], 0.1 * found[["variance"]], tolerance = 1e-10)
    expect_equal(c(logLik(fit)), expected[["value"]], tolerance = 1e-6)
    # trend, range and variance
    expect_equal(attr(logLik(fit), "df"), 4)
  }
  restricted <- ratio_fit(method = exact_gp(estimation = "REML"))
  expected <- dense_ratio_optimum(d, 0.1, restricted = TRUE)
  expect_equal(coef(restricted, what = "covariance")[["variance"]], expected[["variance"]],
    tolerance = 0.01)
  weighted <- ratio_fit(method = exact_gp(estimation = "ML"), weights = w, ratio = 3)
  expected <- dense_ratio_optimum(d, 3, weights = d$w)
  expect_equal(c(logLik(weighted)), expected[["value"]], tolerance = 1e-6)
})

test_that("the ratio at its estimate is the same fit with one parameter less", {
  for (method in list(exact_gp(), loo_k(k = 8), mll_k(k = 8), vecchia(k = 8))) {
    free <- suppressMessages(neargp(z ~ a, ratio_rows(), coords = ~ x + y,
      covariance = cov_exponential(), method = method))
    estimate <- coef(free, what = "covariance")
    fit <- ratio_fit(method = method, ratio = estimate[["nugget"]] / estimate[["variance"]])
    expect_equal(fit$log_likelihood, free$log_likelihood, tolerance = 1e-5)
    expect_equal(coef(fit, what = "covariance"), estimate, tolerance = 0.02)
  }
})

test_extended("the ratio stays in refits, and is printed", {
  fit <- ratio_fit(method = exact_gp())
  expect_output(print(fit), "nugget_ratio = 0.1")
  folds <- suppressMessages(cross_validate(fit, rep(1:4, 20), refit = TRUE))
  expect_s3_class(folds, "neargp_cv")
  again <- suppressMessages(neargp(z ~ a, ratio_rows()[1:60, ], coords = ~ x + y,
    covariance = cov_exponential(), method = exact_gp(), fixed = c(nugget_ratio = 0.1)))
  found <- coef(again, what = "covariance")
  expect_equal(found[["nugget"]], 0.1 * found[["variance"]], tolerance = 1e-10)
  # log nugget = log variance + log ratio: their intervals differ by that
  limits <- confint(fit, what = "covariance")
  expect_equal(limits["nugget", ], 0.1 * limits["variance", ], tolerance = 1e-6)
  expect_true(all(is.finite(limits[c("variance", "range"), ])))
  expect_true(all(is.finite(predict(fit, ratio_rows()[1:3, ],
    parameters = "integrated")$sd)))
  profile <- suppressMessages(confint(fit, "variance", what = "covariance", method = "profile"))
  expect_true(profile[1L] < found[["variance"]] * 3 && profile[2L] > profile[1L])
  # a nugget of 0.1 variances has limits of 0.1 times those of the variance
  both <- suppressMessages(confint(fit, c("nugget", "variance"), what = "covariance",
    method = "profile"))
  expect_equal(both["variance", ], profile[1L, ], tolerance = 1e-10)
  expect_equal(both["nugget", ], 0.1 * profile[1L, ], tolerance = 1e-10)
})

test_that("a fixed variance and ratio are a fixed nugget", {
  given <- list(z ~ a, ratio_rows(), coords = ~ x + y, method = exact_gp())
  by_ratio <- do.call(neargp, c(given, list(covariance = cov_exponential(variance = 5000),
    fixed = c(nugget_ratio = 0.2))))
  by_number <- do.call(neargp, c(given, list(covariance = cov_exponential(variance = 5000),
    nugget = 1000)))
  expect_equal(c(logLik(by_ratio)), c(logLik(by_number)), tolerance = 1e-10)
  expect_equal(coef(by_ratio, what = "covariance"), coef(by_number, what = "covariance"),
    tolerance = 1e-8)
})

test_that("a ratio is refused where it is not supported", {
  refused <- function(..., ratio = 0.1, formula = z ~ a) {
    expect_error(suppressMessages(neargp(formula, transform(ratio_rows(), g = rep(1:8, 10)),
      coords = ~ x + y, fixed = c(nugget_ratio = ratio), ...)), class = "neargp_error_argument")
  }
  refused(ratio = -1)
  refused(ratio = 0)
  refused(ratio = Inf)
  refused(nugget = 1)
  refused(covariance = cov_exponential() + cov_gaussian())
  refused(covariance = cov_none())
  refused(formula = z ~ a + (1 | g), method = exact_gp())
  refused(formula = cbind(z, a) ~ 1)
  refused(formula = g ~ 1, family = stats::poisson())
  refused(method = svgp())
  refused(method = vecchia(condition = "field"))
})
