planar <- function(d = 2, time = NULL) {
  describe_embedding(list(metric = "planar", raw_names = c("x", "y", "z")[seq_len(d)], time = time))
}

test_that("the layout has a row for each parameter, in the order of the core", {
  layout <- new_layout(cov_matern(nu = NULL, anisotropy = TRUE), NULL, planar())
  expect_identical(layout$name, c("variance", "range", "anisotropy_ratio", "anisotropy_angle",
    "smoothness", "nugget"))
  expect_identical(new_layout(cov_exponential(ard = TRUE), 0.1, planar(2, "day"))$name,
    c("variance", "range_x", "range_y", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential(), 0, planar(2, "day"))$name,
    c("variance", "range", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$name,
    c("variance_1", "range_1", "variance_2", "range_2", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$fixed,
    c(FALSE, FALSE, FALSE, TRUE, FALSE))
})

test_that("with an anisotropy every coordinate beyond the plane has a range of its own", {
  expect_identical(new_layout(cov_exponential(anisotropy = TRUE), NULL, planar(3))$name,
    c("variance", "range", "range_z", "anisotropy_ratio", "anisotropy_angle", "nugget"))
  expect_identical(new_layout(cov_exponential(anisotropy = TRUE), NULL, planar(3, "day"))$name,
    c("variance", "range", "range_z", "range_time", "anisotropy_ratio", "anisotropy_angle",
      "nugget"))
  expect_identical(new_layout(cov_exponential(), NULL, planar(3))$name,
    c("variance", "range", "nugget"))
  partly <- new_layout(cov_exponential(range = c(NA, 5), anisotropy = TRUE), NULL, planar(3))
  expect_identical(partly$name[partly$fixed], "range_z")
  expect_error(cov_exponential(range = c(2, NA), anisotropy = TRUE), "major axis cannot be fixed",
    class = "neargp_error_argument")
})

test_extended("no two parameters of a fit share a name, whatever covariance and response family", {
  families <- list(stats::Gamma("log"), stats::poisson(), stats::binomial(), negative_binomial(),
    student_t(), beta_response())
  covariances <- list(cov_exponential(), cov_gaussian(), cov_matern(NULL),
    cov_powered_exponential(), cov_cauchy())
  sums <- lapply(covariances, function(covariance) covariance + cov_cauchy(anisotropy = TRUE))
  for (covariance in c(covariances, sums)) for (family in families) for (coordinates in 2:3) {
    layout <- with_family_parameters(new_layout(covariance, NULL, planar(coordinates, "day")),
      family)
    expect_identical(anyDuplicated(layout$name), 0L)
  }
  named_time <- describe_embedding(list(metric = "planar", raw_names = c("time", "y"),
    time = "day"))
  expect_identical(anyDuplicated(new_layout(cov_exponential(ard = TRUE), NULL, named_time)$name),
    0L)
})

test_that("angle and ratio go to u, v and back, with the range along the major axis", {
  layout <- new_layout(cov_exponential(range = 10, anisotropy = c(angle = 150, ratio = 0.25)), NULL,
    planar())
  layout$value[is.na(layout$value)] <- 1
  natural <- natural_values(layout, layout$value)
  expect_equal(natural[["range"]], 10)
  expect_equal(natural[["anisotropy_ratio"]], 0.25)
  expect_equal(natural[["anisotropy_angle"]], 150)
})

test_that("the working scale is inverted exactly", {
  layout <- new_layout(cov_powered_exponential() + cov_matern(NULL, anisotropy = TRUE) +
    cov_cauchy(), NULL, planar())
  values <- c(2, 3, 1.5, 1, 4, 0.3, -0.2, 0.8, 3, 0.1, 2, 0.05)
  expect_equal(to_core(to_working(values, layout$transform), layout$transform), values)
})

test_that("the jacobian of the interval scale is that of finite differences", {
  layout <- new_layout(cov_exponential(anisotropy = TRUE), NULL, planar())
  working <- c(0.3, -1, 0.4, -0.25, -2)
  on_interval_scale <- function(w) {
    to_working(natural_values(layout, to_core(w, layout$transform)), interval_transform(layout))
  }
  difference <- vapply(seq_along(working), function(a) {
    step <- replace(rep(0, 5), a, 1e-6)
    unname(on_interval_scale(working + step) - on_interval_scale(working - step)) / 2e-6
  }, double(5))
  expect_equal(interval_jacobian(layout, working), difference, tolerance = 1e-6)
})

test_that("settings that do not fit the locations are classed errors", {
  data <- simulated_data(50)
  expect_error(neargp(z ~ 1, data, coords = ~ x, covariance = cov_exponential(anisotropy = TRUE),
    method = vecchia(k = 5)), "two planar coordinates", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, distance = "chordal", method = vecchia(k = 5),
    covariance = cov_matern(anisotropy = TRUE, warp = expand(2, ~ bumps(2)))),
    "two planar coordinates", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(range = c(1, 2)),
    method = vecchia(k = 5)), "1 value", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, distance = "chordal",
    covariance = cov_exponential(ard = TRUE),
    method = vecchia(k = 5)), "not available for longitude", class = "neargp_error_argument")
})

test_that("metrics of components with different parameters can be compared", {
  component <- function(range, group, anisotropy = double(0)) {
    list(family = "exponential", variance = 1, range = range, group = group,
      anisotropy = anisotropy, shape = double(0))
  }
  plain <- component(c(3, 7), c(1L, 1L, 2L))
  rotated <- component(c(3, 6), c(1L, 1L, 2L), c(0.1, 0.2))
  several <- component(c(3, 3, 14), 1:3)
  expect_equal(core_metric_shape(several) - core_metric_shape(plain), c(0, 0, log(2), rep(0, 5)))
  expect_equal(core_metric_shape(rotated) - core_metric_shape(plain),
    c(0, 0, log(6 / 7), 0.1, 0.2, 0, 0, 0))
  expect_false(is_isotropic(plain))
  expect_true(is_isotropic(list(range = 3, group = c(1L, 1L), anisotropy = double(0))))
})

test_extended("a third coordinate beside an anisotropy has its share in likelihood and predictions, and in what is reported", {
  withr::local_seed(5)
  data <- data.frame(x = runif(150, 0, 10), y = runif(150, 0, 10), h = runif(150))
  data$z <- sin(data$x) + 3 * data$h + rnorm(150, sd = 0.2)
  covariance <- cov_exponential(variance = 1, range = c(6, 0.5),
    anisotropy = c(angle = 30, ratio = 0.4))
  fit <- neargp(z ~ 1, data, coords = ~ x + y + h, method = exact_gp(), covariance = covariance,
    nugget = 0.05)
  turn <- 30 * pi / 180
  along <- data$x * sin(turn) + data$y * cos(turn)
  across <- data$x * cos(turn) - data$y * sin(turn)
  S <- exp(-as.matrix(dist(cbind(along / 6, across / 2.4, data$h / 0.5)))) + diag(0.05, 150)
  solved <- solve(S, cbind(data$z, 1))
  beta <- sum(solved[, 1]) / sum(solved[, 2])
  e <- data$z - beta
  expect_equal(c(logLik(fit)), -0.5 * (150 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(e * solve(S, e))), tolerance = 1e-9)
  for (method in list(vecchia(15), loo_k(15), vnngp(8))) {
    free <- neargp(z ~ 1, data, coords = ~ x + y + h, method = method,
      covariance = cov_exponential(anisotropy = TRUE))
    estimates <- coef(free, what = "covariance")
    expect_true("range_h" %in% names(estimates))
    expect_gt(estimates[["range"]] / estimates[["range_h"]], 2)
    expect_output(print(free), "range_h")
  }
})

test_extended("summaries of fits have a row for each parameter, also where covariance and family both have a shape", {
  data <- pseudo_observation_data()
  for (method in list(loo_k(8), vnngp(6))) {
    fit <- neargp(amount ~ 1, data, coords = ~ x + y, family = Gamma("log"), method = method,
      covariance = cov_cauchy(range = 0.3))
    expect_setequal(rownames(summary(fit)$covariance), c("variance", "range", "cauchy_shape",
      "nugget", "shape")[
        c("variance", "range", "cauchy_shape", "nugget", "shape") %in%
          names(coef(fit, what = "covariance"))])
    expect_true(all(c("cauchy_shape", "shape") %in% names(coef(fit, what = "covariance"))))
    expect_identical(anyDuplicated(tidy(fit)$term), 0L)
  }
})
