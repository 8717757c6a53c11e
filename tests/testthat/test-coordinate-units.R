units_data <- function(n = 60) {
  set.seed(4)
  data.frame(lon = runif(n, 5, 8), lat = runif(n, 45, 48), day = runif(n, 0, 365),
    depth = runif(n, 0, 50), x = runif(n, 3e5, 4e5),
    y = runif(n, 5e6, 5.1e6), w = rnorm(n), z = rnorm(n))
}

fit_units <- function(coords, covariance = cov_exponential(), ...) {
  suppressMessages(neargp(z ~ 1, units_data(), coords = coords, covariance = covariance,
    threads = 1L, ...))
}

test_extended("times and depths that share a range with places get a warning that names the remedy", {
  expect_warning(fit_units(~ lon + lat + day), "day and lon and lat.*time = ~ day.*ard = TRUE",
    class = "neargp_warning_units")
  expect_warning(fit_units(~ x + y + depth), "depth and x and y.*ard = TRUE",
    class = "neargp_warning_units")
  expect_warning(fit_units(~ x + day, cov_matern()), "time = ~ day.*cov_matern[(]ard = TRUE",
    class = "neargp_warning_units")
  expect_warning(fit_units(~ lon + lat + depth, distance = "chordal"),
    "depth and longitude and latitude", class = "neargp_warning_units")
  counts <- transform(units_data(), count = rpois(60, 3))
  of_counts <- function() {
    neargp(count ~ 1, counts, coords = ~ lon + lat + day, family = poisson(),
      covariance = cov_exponential())
  }
  expect_warning(suppressMessages(of_counts()), class = "neargp_warning_units")
})

test_that("three or more coordinates of very different spread get the warning, whatever their names", {
  expect_warning(fit_units(~ x + y + w), "x and w.*factor of", class = "neargp_warning_units")
  expect_no_warning(fit_units(~ lon + lat + w), class = "neargp_warning_units")
})

test_extended("ordinary coordinates, ranges of their own and the user's word give no warning", {
  quiet <- function(...) expect_no_warning(fit_units(...), class = "neargp_warning_units")
  quiet(~ x + y)
  quiet(~ lon + lat)
  quiet(~ lon + lat, distance = "chordal")
  quiet(~ lon + lat, time = ~ day)
  quiet(~ lon + lat + day, cov_exponential(ard = TRUE))
  quiet(~ x + y + depth, cov_exponential(ard = TRUE))
  quiet(~ depth)
  quiet(~ x + y + I(depth * 1000))
  quiet(~ x + y + depth, distance = "euclidean")
})

test_that("columns are known by the words of their names", {
  names <- c("day", "obs_time", "Date", "depth.m", "x", "today", "lon", "I(day / 30)")
  expect_identical(vapply(names, coordinate_kind, "", USE.NAMES = FALSE),
    c("time", "time", "time", "vertical", "space", "space", "space", "space"))
})
