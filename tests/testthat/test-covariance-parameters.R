planar <- function(d = 2, time = NULL) {
  describe_embedding(list(metric = "planar", raw_names = c("x", "y", "z")[seq_len(d)], time = time))
}

test_that("the layout has a row for each parameter, in the order of the core", {
  layout <- new_layout(cov_matern(nu = NULL, anisotropy = TRUE), NULL, planar())
  expect_identical(layout$name, c("variance", "range", "anisotropy_ratio", "anisotropy_angle", "smoothness", "nugget"))
  expect_identical(new_layout(cov_exponential(ard = TRUE), 0.1, planar(2, "day"))$name,
    c("variance", "range_x", "range_y", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential(), 0, planar(2, "day"))$name, c("variance", "range", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$name,
    c("variance_1", "range_1", "variance_2", "range_2", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$fixed, c(FALSE, FALSE, FALSE, TRUE, FALSE))
})

test_that("angle and ratio go to u, v and back, with the range along the major axis", {
  layout <- new_layout(cov_exponential(range = 10, anisotropy = c(angle = 150, ratio = 0.25)), NULL, planar())
  layout$value[is.na(layout$value)] <- 1
  natural <- natural_values(layout, layout$value)
  expect_equal(natural[["range"]], 10)
  expect_equal(natural[["anisotropy_ratio"]], 0.25)
  expect_equal(natural[["anisotropy_angle"]], 150)
})

test_that("the working scale is inverted exactly", {
  layout <- new_layout(cov_powered_exponential() + cov_matern(NULL, anisotropy = TRUE) + cov_cauchy(), NULL, planar())
  values <- c(2, 3, 1.5, 1, 4, 0.3, -0.2, 0.8, 3, 0.1, 2, 0.05)
  expect_equal(to_core(to_working(values, layout$transform), layout$transform), values)
})

test_that("the jacobian of the interval scale is that of finite differences", {
  layout <- new_layout(cov_exponential(anisotropy = TRUE), NULL, planar())
  working <- c(0.3, -1, 0.4, -0.25, -2)
  on_interval_scale <- function(w) to_working(natural_values(layout, to_core(w, layout$transform)), interval_transform(layout))
  difference <- vapply(seq_along(working), function(a) {
    step <- replace(rep(0, 5), a, 1e-6)
    unname(on_interval_scale(working + step) - on_interval_scale(working - step)) / 2e-6
  }, double(5))
  expect_equal(interval_jacobian(layout, working), difference, tolerance = 1e-6)
})

test_that("settings that do not fit the locations are classed errors", {
  data <- simulated_data(50)
  expect_error(neargp(z ~ 1, data, coords = ~ x, covariance = cov_exponential(anisotropy = TRUE), method = vecchia(k = 5)),
    "two planar coordinates", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(range = c(1, 2)), method = vecchia(k = 5)),
    "1 value", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, distance = "chordal", covariance = cov_exponential(ard = TRUE),
    method = vecchia(k = 5)), "no meaning for longitude", class = "neargp_error_argument")
})

test_that("metrics of components with different parameters can be compared", {
  plain <- list(range = c(3, 7), group = c(1L, 1L, 2L), anisotropy = double(0))
  rotated <- list(range = c(3, 6), group = c(1L, 1L, 2L), anisotropy = c(0.1, 0.2))
  several <- list(range = c(3, 3, 14), group = 1:3, anisotropy = double(0))
  expect_equal(metric_shape(several) - metric_shape(plain), c(0, 0, log(2), 0, 0))
  expect_equal(metric_shape(rotated) - metric_shape(plain), c(0, 0, log(6 / 7), 0.1, 0.2))
  expect_false(is_isotropic(plain))
  expect_true(is_isotropic(list(range = 3, group = c(1L, 1L), anisotropy = double(0))))
})
