test_that("effective distances are where the correlation is 0.05", {
  for (family in setdiff(names(covariance_families), "periodic")) {
    shape <- covariance_families[[family]]$shape$start
    expect_equal(dense_correlation(family, effective_distance(family, shape), shape), 0.05,
      tolerance = 1e-6)
  }
  expect_identical(effective_distance("periodic", 1), Inf)
  expect_equal(dense_correlation("wendland", effective_distance("wendland", 0, 0.3), 0), 0.3)
})

test_that("correlations are those of their formulas", {
  r <- c(0, 1e-8, 0.1, 0.7, 0.999, 1, 1.4, 2, 5, 40)
  for (family in c("spherical", "wave", "wendland", "periodic")) {
    shapes <- if (family == "wendland") 0:2 else if (family == "periodic") c(0.1, 1) else 0
    for (shape in shapes) {
      made <- switch(family, spherical = cov_spherical(2, 3), wave = cov_wave(2, 3),
        wendland = cov_wendland(shape, 2, 3), periodic = cov_periodic(3, NULL, shape, 2))
      expect_equal(covariance_value(made, 3 * r), 2 * dense_correlation(family, r, shape),
        tolerance = 1e-13)
    }
  }
})

test_that("spherical and wave covariances are those of gstat", {
  skip_if_not_installed("gstat")
  h <- c(1e-6, 0.5, 2, 3, 3.5, 20)
  of_gstat <- function(model, range) {
    gstat::variogramLine(gstat::vgm(2, model, range), dist_vector = h, covariance = TRUE)$gamma
  }
  expect_equal(covariance_value(cov_spherical(2, 3), h), of_gstat("Sph", 3))
  expect_equal(covariance_value(cov_wave(2, 3), h), of_gstat("Hol", 3))
  expect_equal(covariance_value(cov_wave(2, 3 / pi), h), of_gstat("Wav", 3))
})

test_that("likelihoods and predictions are those of dense algebra", {
  set.seed(7)
  rows <- data.frame(x = runif(70), y = runif(70))
  rows$z <- sin(5 * rows$x) + rows$y + rnorm(70, sd = 0.2)
  new <- data.frame(x = c(0.2, 0.5, 3), y = c(0.3, 0.9, 3))
  for (covariance in list(cov_spherical(), cov_spherical(anisotropy = TRUE), cov_wave(),
    cov_wendland(0), cov_wendland(1, ard = TRUE), cov_wendland(2),
    cov_spherical() + cov_exponential())) {
    fit <- suppressMessages(neargp(z ~ 1, rows, coords = ~ x + y, covariance = covariance,
      method = exact_gp(estimation = "ML")))
    dense <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
    expect_equal(as.numeric(logLik(fit)), dense$value, tolerance = 1e-8)
    kriged <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(new[1:2]),
      matrix(1, 3L, 1L))
    predicted <- suppressMessages(predict(fit, new, type = "link", parameters = "plug-in"))
    expect_equal(predicted$mean, kriged$mean, tolerance = 1e-7)
    expect_equal(predicted$sd^2, kriged$variance, tolerance = 1e-6)
  }
})

# A search from the default start alone ends 1.6 below the maximum of these rows.
test_extended("a likelihood with several maxima is searched from several ranges", {
  gap <- vapply(1:4, function(seed) {
    set.seed(seed)
    x <- cbind(runif(60), runif(60))
    K <- dense_correlation("spherical", as.matrix(dist(x)) / 0.3)
    d <- data.frame(x, z = drop(crossprod(chol(K + diag(0.02, 60)), rnorm(60))))
    value <- function(...) as.numeric(logLik(suppressMessages(neargp(z ~ 1, d, coords = ~ X1 + X2,
      covariance = cov_spherical(...), method = exact_gp(estimation = "ML")))))
    given <- vapply(c(0.1, 0.2, 0.4, 0.8), function(range) value(start = list(range = range)), 0)
    max(given) - value()
  }, 0)
  expect_lt(max(gap), 0.02)
})

test_that("shapes out of their domain are refused", {
  for (bad in list(3, 0.5, -1, NULL, NA, "a")) {
    expect_error(cov_wendland(bad), "`smoothness`", class = "neargp_error_argument")
  }
  expect_error(cov_wendland(start = list(smoothness = 1)), "`start`",
    class = "neargp_error_argument")
  expect_error(cov_periodic(1, lengthscale = 0), "`lengthscale`", class = "neargp_error_argument")
})
