# Components that do not vary along a coordinate, compared with dense algebra in plain R.

zonal_rows <- function(n = 70L) {
  set.seed(7)
  d <- data.frame(x = runif(n), y = runif(n), t = sample(10L, n, TRUE))
  d$z <- sin(4 * d$x) + cos(9 * d$y) + rnorm(n, sd = 0.3)
  d
}

zonal_fit <- function(covariance, method = exact_gp(estimation = "ML"), d = zonal_rows(), ...) {
  suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, covariance = covariance, method = method,
    ...))
}

dense_log_likelihood <- function(S, z) {
  inverse <- solve(S)
  e <- z - sum(inverse %*% z) / sum(inverse)
  -0.5 * (length(z) * log(2 * pi) + as.numeric(determinant(S)$modulus) + drop(e %*% inverse %*% e))
}

test_that("a sum with a zonal component is that of dense algebra, in either order", {
  d <- zonal_rows()
  layers <- cov_matern(range = c(x = Inf, y = NA))
  fits <- lapply(list(cov_exponential() + layers, layers + cov_exponential()), zonal_fit)
  p <- coef(fits[[1L]], what = "covariance")
  expect_equal(coef(fits[[2L]], what = "covariance"), p)
  expect_false("range_x_2" %in% names(p))
  r <- as.matrix(stats::dist(d$y)) / p[["range_y_2"]]
  S <- p[["variance_1"]] * exp(-as.matrix(stats::dist(d[c("x", "y")])) / p[["range_1"]]) +
    p[["variance_2"]] * (1 + r) * exp(-r) + diag(p[["nugget"]], nrow(d))
  expect_equal(c(logLik(fits[[1L]])), dense_log_likelihood(S, d$z), tolerance = 1e-8)
  expect_error(covariance_value(fits[[1L]], 0.3), "range = Inf", class = "neargp_error_argument")
  expect_output(print(fits[[1L]]), "range_y_2")
  expect_s3_class(empirical_variogram(fits[[1L]]), "neargp_variogram")
})

test_that("Inf is the limit of a large range", {
  d <- zonal_rows()
  at <- function(range) {
    zonal_fit(cov_exponential(variance = 0.5, range = 0.3) +
      cov_matern(variance = 0.7, range = range, ard = TRUE), nugget = 0.1)
  }
  expect_equal(c(logLik(at(c(Inf, 0.4)))), c(logLik(at(c(1e7, 0.4)))), tolerance = 1e-8)
  expect_equal(c(logLik(at(c(y = 0.4, x = Inf)))), c(logLik(at(c(Inf, 0.4)))), tolerance = 1e-10)
  new <- data.frame(x = c(0.2, 3), y = 0.5)
  expect_equal(predict(at(c(Inf, 0.4)), new), predict(at(c(1e7, 0.4)), new), tolerance = 1e-6)
})

test_that("depth or time can be left out of one component", {
  d <- zonal_rows()
  fit <- zonal_fit(cov_exponential() + cov_exponential(range = c(NA, Inf)), time = ~ t)
  p <- coef(fit, what = "covariance")
  expect_false("range_time_2" %in% names(p))
  space <- as.matrix(stats::dist(d[c("x", "y")]))
  first <- sqrt((space / p[["range_1"]])^2 + (as.matrix(stats::dist(d$t)) / p[["range_time_1"]])^2)
  S <- p[["variance_1"]] * exp(-first) + p[["variance_2"]] * exp(-space / p[["range_2"]]) +
    diag(p[["nugget"]], nrow(d))
  expect_equal(c(logLik(fit)), dense_log_likelihood(S, d$z), tolerance = 1e-8)
  expect_equal(covariance_value(fit, 0, time = 1e6), p[["variance_2"]], tolerance = 1e-6)
  # spherical is valid in three coordinates: time counts only where the component depends on it
  d$w <- d$x^2
  four <- function(range) suppressMessages(neargp(z ~ 1, d, coords = ~ x + y + w, time = ~ t,
    covariance = cov_spherical(range = range) + cov_exponential(), method = exact_gp()))
  expect_s3_class(four(c(x = 1, y = 1, w = 1, time = Inf)), "neargp")
  expect_error(four(c(1, 1)), class = "neargp_error_covariance")
})

test_extended("methods fit sums with zonal components, and predict", {
  d <- zonal_rows(150L)
  covariance <- cov_exponential() + cov_matern(range = c(x = Inf, y = NA))
  for (method in list(vecchia(10L), loo_k(10L), vnngp(10L), svgp(30L, move = FALSE))) {
    fit <- zonal_fit(covariance, method, d)
    expect_true(all(is.finite(predict(fit, d[1:3, ])$sd)))
  }
  exact <- vecchia(k = 69L, condition = "responses", estimation = "ML")
  expect_equal(c(logLik(zonal_fit(covariance, exact))), c(logLik(zonal_fit(covariance))),
    tolerance = 1e-4)
  alone <- zonal_fit(cov_matern(range = c(x = Inf, y = NA)))
  expect_true(all(diff(predict(alone, data.frame(x = 1:3 / 4, y = 0.5))$mean) == 0))
  folds <- suppressMessages(cross_validate(alone, rep(1:5, 14), refit = TRUE))
  expect_s3_class(folds, "neargp_cv")
})

test_that("zonal models of gstat are those of variogramLine()", {
  skip_if_not_installed("gstat")
  distances <- c(0.01, 0.1, 0.3, 0.7)
  layers <- gstat::vgm(0.7, "Sph", 3e5, anis = c(30, 1e-6))
  model <- gstat::vgm(1, "Exp", 0.3, nugget = 0.1, add.to = layers)
  covariance <- as_covariance(model)
  fit <- zonal_fit(covariance, nugget = attr(covariance, "nugget"))
  for (direction in c(0, 30, 75, 120)) {
    phi <- direction * pi / 180
    theirs <- gstat::variogramLine(model, dist_vector = distances,
      dir = c(sin(phi), cos(phi), 0))$gamma
    ours <- fit$nugget + covariance_value(fit, 0) -
      covariance_value(fit, distances, direction = direction)
    expect_equal(ours, theirs, tolerance = 1e-6)
  }
  started <- as_covariance(model, fixed = FALSE)
  expect_equal(started$components[[1L]]$anisotropy, c(angle = 30, ratio = 1e-6))
  p <- coef(zonal_fit(started), what = "covariance")
  expect_equal(p[["range_1"]], 3e5, tolerance = 1e-8)
})

test_that("what Inf cannot be is refused", {
  refused <- function(..., class = "argument") {
    expect_error(..., class = paste0("neargp_error_", class))
  }
  refused(cov_matern(range = Inf))
  refused(cov_matern(range = c(Inf, NaN)))
  refused(cov_matern(range = c(Inf, -1)))
  refused(cov_matern(range = c(x = Inf, y = NA), anisotropy = TRUE))
  refused(cov_matern(range = c(Inf, NA), ard = TRUE, warp = monotone(~ x)))
  refused(cov_matern(start = list(range = c(Inf, 1))))
  refused(cov_spacetime(cov_matern(range = c(x = Inf, y = NA))))
  refused(zonal_fit(cov_matern(range = c(x = Inf, y = Inf))))
  refused(zonal_fit(cov_matern(range = c(Inf, 1))))
  refused(zonal_fit(cov_matern(range = c(x = Inf, w = 1))))
  refused(zonal_fit(cov_matern(range = c(x = Inf, x = 1))))
  refused(zonal_fit(cov_matern(range = c(x = Inf, y = NA)), vnngp(10L)), class = "covariance")
  refused(neargp(cbind(z, t) ~ 1, zonal_rows(), coords = ~ x + y, method = vecchia(10L),
    covariance = cov_coregionalisation(cov_matern(range = c(x = Inf, y = NA)))),
  class = "covariance")
})

test_that("numbers in `fixed` are those of the order in which components are written", {
  data <- simulated_data(40)
  zonal <- cov_exponential(range = c(x = Inf, y = NA))
  fit <- function(covariance) {
    neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8), covariance = covariance,
      fixed = c(variance_1 = 2))
  }
  expect_error(fit(zonal + cov_exponential()), "Write it last", class = "neargp_error_argument")
  last <- fit(cov_exponential() + zonal)
  expect_equal(last$core_covariance$components[[1L]]$variance, 2)
  expect_error(covariance_value(last, 0.1), "range = Inf", class = "neargp_error_argument")
  expect_error(as_vgm(last), "range = Inf", class = "neargp_error_argument")
})

test_that("Inf without the names of coordinates says how to name them", {
  expect_error(neargp(z ~ 1, simulated_data(40), coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential() + cov_exponential(range = c(Inf, NA))), "Name the coordinates",
    class = "neargp_error_argument")
})
