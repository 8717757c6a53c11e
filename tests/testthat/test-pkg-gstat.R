# Models of gstat against variogramLine() on a grid of distances and directions.

distances <- c(1e-6, 0.05, 0.2, 0.31, 0.6, 1.5)

fit_gstat <- function(model, covariance = as_covariance(model), nugget = attr(covariance, "nugget"),
                      ...) {
  set.seed(3)
  d <- data.frame(x = runif(40), y = runif(40), z = rnorm(40))
  suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, covariance = covariance, nugget = nugget,
    method = exact_gp(), ...))
}

# The variogram in a direction, in degrees clockwise from north.
line_of <- function(model, direction = 0) {
  phi <- direction * pi / 180
  gstat::variogramLine(model, dist_vector = distances, dir = c(sin(phi), cos(phi), 0))$gamma
}

test_extended("models of vgm() have the same variogram at all distances and directions", {
  skip_if_not_installed("gstat")
  models <- lapply(names(variogram_models), function(name) {
    gstat::vgm(2, name, 0.3, nugget = 0.1, kappa = 1.2, anis = c(30, 0.4))
  })
  models <- c(models, list(gstat::vgm(1, "Sph", 0.6, add.to = gstat::vgm(2, "Exp", 0.1,
    nugget = 0.3, anis = c(120, 0.5)))))
  for (model in models) {
    fit <- fit_gstat(model)
    back <- as_vgm(fit)
    for (direction in c(0, 30, 75, 120, 160)) {
      theirs <- line_of(model, direction)
      ours <- fit$nugget + covariance_value(fit, 0) -
        covariance_value(fit, distances, direction = direction)
      expect_equal(ours, theirs, tolerance = 1e-8)
      expect_equal(line_of(back, direction), theirs, tolerance = 1e-8)
      expect_equal(line_of(as_vgm(as_covariance(model)), direction), theirs, tolerance = 1e-10)
    }
  }
})

test_that("isotropic models are equal without a fit, and the nugget is printed", {
  skip_if_not_installed("gstat")
  for (name in names(variogram_models)) {
    made <- as_covariance(gstat::vgm(2, name, 0.3, nugget = 0.1, kappa = 0.7))
    theirs <- line_of(gstat::vgm(2, name, 0.3, nugget = 0.1, kappa = 0.7))
    expect_equal(2.1 - covariance_value(made, distances), theirs, tolerance = 1e-9)
  }
  error <- as_covariance(gstat::vgm(1, "Exp", 2, add.to = gstat::vgm(0.2, "Err", 0)))
  expect_identical(attr(error, "nugget"), 0.2)
  expect_output(print(error), "nugget = \\): 0.2")
})

test_that("models give starting values", {
  skip_if_not_installed("gstat")
  model <- gstat::vgm(2, "Mat", 0.3, nugget = 0.1, kappa = 0.9, anis = c(30, 0.4))
  component <- as_covariance(model, fixed = FALSE)$components[[1L]]
  expect_null(component$variance)
  expect_null(component$shape)
  expect_true(component$anisotropy)
  expect_identical(component$start[c("variance", "range", "shape")],
    list(variance = 2, range = 0.3, shape = 0.9))
  fit <- fit_gstat(model, as_covariance(model, fixed = FALSE), nugget = NULL)
  expect_true(all(c("variance", "range") %in% names(coef(fit, what = "covariance"))))
})

test_that("what has no equal is refused", {
  expect_error(as_covariance(1), "a model of gstat's vgm()", class = "neargp_error_argument")
  expect_error(as_vgm(1), "a fit of neargp()", class = "neargp_error_argument")
  skip_if_not_installed("gstat")
  refused <- function(..., what) expect_error(..., what, class = "neargp_error_argument")
  refused(as_covariance(gstat::vgm(1, "Bes", 2)), what = "\"Bes\"")
  refused(as_covariance(gstat::vgm(1, "Nug", 0)), what = "nugget alone")
  refused(as_vgm(cov_matern(range = 1)), what = "not fixed")
  refused(as_vgm(cov_cauchy(1, 1, 1)), what = "cov_cauchy")
  refused(as_vgm(cov_matern(1.5, 1, c(1, 2))), what = "several ranges")
  refused(as_vgm(cov_periodic(1, NULL, 1, 1)), what = "cov_periodic")
  refused(as_vgm(cov_matern(1.5, 1, 1, by = ~ x)), what = "by")
})
