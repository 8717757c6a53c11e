four <- function(n = 40L) {
  set.seed(2)
  data.frame(a = runif(n), b = runif(n), c = runif(n), d = runif(n), e = runif(n), z = rnorm(n))
}

fit_limited <- function(covariance, coords = ~ a + b, ...) {
  suppressMessages(neargp(z ~ 1, four(), coords = coords, distance = "euclidean",
    covariance = covariance, method = exact_gp(), ...))
}

limited <- list(cov_spherical = cov_spherical(range = 0.3), cov_wave = cov_wave(range = 0.3),
  cov_wendland = cov_wendland(range = 0.3))

test_that("covariances are refused in coordinates in which they are not positive definite", {
  for (name in names(limited)) {
    expect_error(fit_limited(limited[[name]], ~ a + b + c + d),
      sprintf("%s\\(\\) is not positive definite in 4 coordinates, but in up to 3", name),
      class = "neargp_error_covariance")
    expect_s3_class(fit_limited(limited[[name]], ~ a + b + c), "neargp")
  }
  expect_error(fit_limited(cov_exponential() + cov_spherical(), ~ a + b + c + d),
    class = "neargp_error_covariance")
  expect_error(fit_limited(cov_spherical(), ~ a + b + c, time = ~ d), "Time counts",
    class = "neargp_error_covariance")
})

test_that("further coordinates and features of a warp count, and cov_spacetime() counts space", {
  expect_error(fit_limited(cov_wendland(warp = expand(2, ~ bumps(3)))),
    "in 4 coordinates", class = "neargp_error_covariance")
  apart <- cov_spacetime(cov_spherical(), time = cov_wave(), model = "separable")
  expect_s3_class(fit_limited(apart, ~ a + b + c, time = ~ d), "neargp")
  expect_error(fit_limited(cov_spacetime(cov_spherical(), model = "separable"), ~ a + b + c + e,
    time = ~ d), "in 4 coordinates", class = "neargp_error_covariance")
})

test_that("the sphere counts as three coordinates", {
  skip_if_not_installed("sf")
  set.seed(3)
  d <- data.frame(lon = runif(40, 0, 90), lat = runif(40, -60, 60), t = 1:40, z = rnorm(40))
  fit <- function(...) suppressMessages(neargp(z ~ 1, d, coords = ~ lon + lat, crs = 4326,
    method = exact_gp(), covariance = cov_spherical(), ...))
  expect_s3_class(fit(), "neargp")
  expect_error(fit(time = ~ t), "in 4 coordinates", class = "neargp_error_covariance")
})

test_that("models that need a correlation for any number of coordinates are refused", {
  expect_error(cov_spherical(range = ~ a), "cov_spherical\\(\\) must be a number",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(cov_wave()), "not valid in the Gneiting model",
    class = "neargp_error_argument")
})

test_that("matrices in three coordinates are positive definite", {
  set.seed(4)
  x <- as.matrix(expand.grid(1:6, 1:6, 1:6)) / 6
  r <- as.matrix(dist(x))
  for (covariance in list(cov_spherical(1, 0.9), cov_wave(1, 0.15), cov_wendland(0, 1, 0.9),
    cov_wendland(1, 1, 1.2), cov_wendland(2, 1, 1.4))) {
    K <- matrix(covariance_value(covariance, as.vector(r)), nrow(r))
    expect_gt(min(eigen(K, symmetric = TRUE, only.values = TRUE)$values), -1e-10)
  }
})
