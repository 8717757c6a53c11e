map_data <- function(n = 150L) {
  set.seed(4)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- sin(8 * (d$x - d$y)) + rnorm(n, sd = 0.3)
  d
}

test_that("a variogram map is that of gstat", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("sp")
  d <- map_data()
  places <- d
  sp::coordinates(places) <- ~ x + y
  for (robust in c(FALSE, TRUE)) {
    theirs <- gstat::variogram(z ~ 1, places, cutoff = 0.45, width = 0.09, map = TRUE,
      cressie = robust)$map
    theirs <- cbind(as.data.frame(sp::coordinates(theirs)), theirs@data)
    ours <- variogram_map(d$z, d[c("x", "y")], width = 0.09, cutoff = 0.45,
      estimator = if (robust) "robust" else "classical")
    at <- match(paste(round(ours$dx / 0.09), round(ours$dy / 0.09)),
      paste(round(theirs$dx / 0.09), round(theirs$dy / 0.09)))
    expect_false(anyNA(at))
    expect_equal(ours$n_pairs, theirs$np.var1[at])
    expect_equal(ours$gamma, theirs$var1[at], tolerance = 1e-10)
  }
})

test_that("a map is symmetric, of residuals for a fit, and drawn", {
  d <- map_data(80L)
  map <- variogram_map(d$z, as.matrix(d[c("x", "y")]), cutoff = 0.5)
  opposite <- match(paste(-map$dx, -map$dy), paste(map$dx, map$dy))
  expect_equal(map$gamma, map$gamma[opposite])
  fit <- neargp(z ~ x, d, coords = ~ x + y, method = vecchia(k = 8), threads = 1L)
  of_fit <- variogram_map(fit, cutoff = 0.5)
  residual <- d$z - drop(cbind(1, d$x) %*% coef(fit))
  expect_equal(of_fit$gamma, variogram_map(residual, d[c("x", "y")], cutoff = 0.5)$gamma)
  expect_drawn(plot(map))
})

test_that("what has no map is refused", {
  d <- map_data(40L)
  refused <- function(class, ...) expect_error(variogram_map(...), class = class)
  refused("neargp_error_argument", d$z)
  refused("neargp_error_argument", "z", d[c("x", "y")])
  refused("neargp_error_length", d$z[-1], d[c("x", "y")])
  refused("neargp_error_coordinates", d$z, cbind(d$x, d$y, d$z))
  refused("neargp_error_argument", d$z, d[c("x", "y")], cutoff = -1)
})
