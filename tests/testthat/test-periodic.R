seasons <- function(n = 90L) {
  set.seed(5)
  d <- data.frame(x = runif(n), y = runif(n), month = sort(sample(60L, n, TRUE)))
  d$z <- sin(2 * pi * d$month / 12) + sin(4 * d$x) + rnorm(n, sd = 0.2)
  d
}

fit_seasons <- function(covariance, method = exact_gp(estimation = "ML"), d = seasons(), ...) {
  suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, time = ~ month, covariance = covariance,
    method = method, ...))
}

# The correlation in the month alone.
dense_periodic <- function(a, b, period, lengthscale) {
  dense_correlation("periodic", abs(outer(a, b, `-`)) / period, lengthscale)
}

test_that("a fit with a periodic component is that of dense algebra, in either order", {
  d <- seasons()
  sums <- list(cov_matern() + cov_periodic(12), cov_periodic(12, "month") + cov_matern())
  fits <- lapply(sums, fit_seasons)
  p <- coef(fits[[1L]], what = "covariance")
  expect_equal(coef(fits[[2L]], what = "covariance"), p)
  expect_identical(p[["period_2"]], 12)
  scaled <- cbind(d$x / p[["range_1"]], d$y / p[["range_1"]], d$month / p[["range_time_1"]])
  K <- p[["variance_1"]] * dense_correlation("matern", as.matrix(dist(scaled)), 1.5) +
    p[["variance_2"]] * dense_periodic(d$month, d$month, 12, p[["lengthscale_2"]])
  S <- K + diag(p[["nugget"]], nrow(d))
  inverse <- solve(S)
  beta <- sum(inverse %*% d$z) / sum(inverse)
  e <- d$z - beta
  value <- -0.5 * (nrow(d) * log(2 * pi) + as.numeric(determinant(S)$modulus) +
    drop(e %*% inverse %*% e))
  expect_equal(as.numeric(logLik(fits[[1L]])), value, tolerance = 1e-8)
  expect_equal(unname(fitted(fits[[1L]])), drop(beta + K %*% inverse %*% e), tolerance = 1e-7,
    ignore_attr = TRUE)
})

test_that("a period in time is separable from space", {
  fit <- fit_seasons(cov_spacetime(cov_exponential(), time = cov_periodic(12),
    model = "separable"))
  p <- coef(fit, what = "covariance")
  expect_identical(p[["range_time"]], 12)
  d <- seasons()
  S <- p[["variance"]] * exp(-as.matrix(dist(d[1:2])) / p[["range"]]) *
    dense_periodic(d$month, d$month, 12, p[["lengthscale_time"]]) + diag(p[["nugget"]], nrow(d))
  expect_equal(dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance) +
    diag(p[["nugget"]], nrow(d)), S, tolerance = 1e-10, ignore_attr = TRUE)
  expect_output(print(fit), "Periodic, lengthscale = estimated")
})

test_that("the covariance of a fit is that of the coordinate of the period", {
  fit <- fit_seasons(cov_matern() + cov_periodic(12))
  p <- coef(fit, what = "covariance")
  of_matern <- function(r) p[["variance_1"]] * dense_correlation("matern", r, 1.5)
  expect_equal(covariance_value(fit, 0.2), of_matern(0.2 / p[["range_1"]]) + p[["variance_2"]])
  expect_equal(covariance_value(fit, 0, time = 30), of_matern(30 / p[["range_time_1"]]) +
    p[["variance_2"]] * dense_correlation("periodic", 30 / 12, p[["lengthscale_2"]]))
  expect_s3_class(empirical_variogram(fit), "neargp_variogram")
  expect_s3_class(empirical_variogram(fit, along = "time"), "neargp_variogram")
  expect_output(print(fit), "period = 12")
})

test_extended("methods fit sums, and predict a period ahead", {
  d <- seasons(200L)
  new <- data.frame(x = 0.5, y = 0.5, month = c(63, 69))
  for (method in list(vecchia(20L), loo_k(20L), svgp(40L, move = FALSE), vnngp(15L))) {
    fit <- fit_seasons(cov_matern() + cov_periodic(12), method, d)
    expect_gt(diff(-predict(fit, new)$mean), 1)
  }
})

test_that("what it cannot do is refused", {
  refused <- function(..., what) expect_error(..., what, class = "neargp_error_covariance")
  refused(fit_seasons(cov_periodic(12), vnngp(10L)), what = "alone by vnngp")
  refused(fit_seasons(cov_matern() + cov_periodic(12, "week")), what = "\"week\"")
  refused(neargp(cbind(z, x) ~ 1, seasons(), coords = ~ y, time = ~ month, method = vecchia(10L),
    covariance = cov_coregionalisation(cov_matern(), cov_periodic(12))), what = "several responses")
  refused(neargp(z ~ 1, seasons(), coords = ~ x + y, covariance = cov_matern() + cov_periodic(1)),
    what = "needs the name")
  expect_error(cov_periodic(), "`period` is missing", class = "neargp_error_argument")
  expect_error(cov_periodic(-1), "`period`", class = "neargp_error_argument")
  expect_error(cov_periodic(1, start = list(range = 2)), "cannot contain a range",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(cov_periodic(1)), "`space` cannot be cov_periodic",
    class = "neargp_error_argument")
})

test_that("it fits alone by exact_gp() and vecchia()", {
  d <- seasons(150L)
  fits <- lapply(list(exact_gp(estimation = "ML"), vecchia(149L, condition = "responses")),
    function(method) fit_seasons(cov_periodic(12), method, d))
  expect_equal(as.numeric(logLik(fits[[1L]])), as.numeric(logLik(fits[[2L]])), tolerance = 1e-5)
})
