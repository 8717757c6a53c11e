test_that("positions begin at centres of rows or at rows, always the same, and leave random numbers alone", {
  data <- simulated_data(200)
  set.seed(3)
  before <- .Random.seed
  positions <- function(...) {
    unname(as.matrix(inducing_fit(data, svgp(inducing = 9, move = FALSE, ...))$inducing))
  }
  expect_identical(positions(), positions())
  rows <- positions(select = "random")
  expect_identical(.Random.seed, before)
  expect_true(all(paste(rows[, 1L], rows[, 2L]) %in% paste(data$x, data$y)))
  distance <- function(places) {
    mean(apply(dense_distance(as.matrix(data[c("x", "y")]), places), 1L, min))
  }
  expect_lt(distance(positions()), distance(rows))
})

test_extended("positions may be a number, a matrix, a data frame or sf points", {
  data <- simulated_data(60)
  start <- data.frame(y = c(0.2, 0.8, 0.5), x = c(0.1, 0.5, 0.9))
  held <- function(inducing) inducing_fit(data, svgp(inducing = inducing, move = FALSE))$inducing
  expect_identical(held(start), start[c("x", "y")])
  expect_identical(held(as.matrix(start[c("x", "y")])), start[c("x", "y")])
  expect_identical(nrow(held(NULL)), 15L)
  skip_if_not_installed("sf")
  planar <- function(data) sf::st_as_sf(data, coords = c("x", "y"), crs = 3857)
  held <- svgp(inducing = planar(start), move = FALSE)
  fit <- neargp(z ~ 1, planar(data), method = held, covariance = inducing_covariance(),
    nugget = 0.1)
  expect_equal(unname(as.matrix(fit$inducing)), unname(as.matrix(start[c("x", "y")])))
})

test_that("positions of a fit to geometries are points in its CRS, or a matrix", {
  skip_if_not_installed("sf")
  data <- data.frame(x = (1:20 * 0.618) %% 1, y = (1:20 * 0.414) %% 1)
  data$z <- sin(6 * data$x) + data$y
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 3857)
  at <- data[1:4, c("x", "y")]
  fit <- function(data, ...) {
    neargp(z ~ 1, data, ..., nugget = 0.1,
      covariance = cov_exponential(variance = 1, range = 0.3))
  }
  for (method in list(svgp, odvgp, ppgpr, swsgp)) {
    expect_error(fit(points, method = method(at)), "`inducing` is a plain data frame",
      class = "neargp_error_inducing")
    expect_error(fit(points, method = method(sf::st_transform(points[1:4, ], 4326))),
      "`inducing` is not in the coordinate reference system", class = "neargp_error_crs")
  }
  by_points <- fit(points, method = svgp(points[1:4, ], move = FALSE))
  by_matrix <- fit(points, method = svgp(as.matrix(at), move = FALSE))
  by_frame <- fit(data, coords = ~ x + y, method = svgp(at, move = FALSE))
  expect_equal(logLik(by_points), logLik(by_matrix))
  expect_equal(c(logLik(by_points)), c(logLik(by_frame)))
  expect_error(fit(data, coords = ~ x + y, method = svgp(points[1:4, ])),
    class = "neargp_error_crs")
})

test_that("more points than distinct locations are lowered to these, with a message", {
  data <- simulated_data(40)[rep(1:40, 2), ]
  expect_message(fit <- inducing_fit(data, svgp(inducing = 60, move = FALSE, jitter = 1e-12)), "40",
    class = "neargp_message_inducing")
  expect_identical(nrow(fit$inducing), 40L)
  exact <- inducing_fit(data, exact_gp())
  expect_equal(c(fit$log_likelihood), c(exact$log_likelihood), tolerance = 1e-8)
})

test_that("centres are drawn to repeated rows, and a cluster that loses its rows keeps its place", {
  coords <- rbind(cbind(0, c(0, 0.1)), cbind(1, rep(0, 9)), cbind(1, 1))
  component <- list(family = "exponential", variance = 1, range = 1, group = c(1L, 1L),
    anisotropy = double(0), shape = double(0))
  first <- rbind(c(0, 0), c(1, 0))
  centres <- cluster_centers(rbind(first, coords), first, component)
  expect_equal(centres, rbind(c(0, 0.1 / 3), c(1, 1 / 11)))
})

test_that("one point on a line is the centre of its rows, whatever number its place is", {
  data <- data.frame(x = 1:12 + 3)
  data$z <- sin(data$x)
  fit <- neargp(z ~ 1, data, coords = ~ x, method = svgp(inducing = 1, move = FALSE),
    covariance = inducing_covariance(), nugget = 0.1)
  expect_identical(dim(fit$inducing), c(1L, 1L))
  expect_lt(abs(fit$inducing$x - mean(data$x)), 0.5)
})

test_extended("positions that cannot be used are refused with the name of the coordinate", {
  data <- simulated_data(60)
  expect_error(svgp(inducing = 0), class = "neargp_error_argument")
  expect_error(svgp(inducing = 2.5), class = "neargp_error_argument")
  expect_error(svgp(inducing = NA), class = "neargp_error_argument")
  expect_error(svgp(inducing = matrix("a", 2, 2)), class = "neargp_error_inducing")
  expect_error(svgp(inducing = matrix(0, 0, 2)), class = "neargp_error_inducing")
  with_positions <- function(positions) inducing_fit(data, svgp(inducing = positions))
  expect_error(with_positions(matrix(0, 4, 3)), "must have 2 columns",
    class = "neargp_error_inducing")
  expect_error(with_positions(cbind(c(0.1, 0.5), c(0.1, NA))), "values of y",
    class = "neargp_error_inducing")
  expect_error(with_positions(data.frame(x = 0.5)), class = "neargp_error_columns")
})

test_extended("weights of any size begin at the noise that they say", {
  data <- batch_data(120)
  data$w <- rep(c(0.5, 1, 2), 40)
  methods <- list(svgp(inducing = 12),
    svgp(inducing = 12, optimizer = "natural", epochs = 3, batch_size = 32),
    ppgpr(inducing = 12, joint = TRUE, epochs = 3), swsgp(inducing = 12, k = 5, epochs = 3))
  for (method in methods) {
    fit_with <- function(unit) {
      data$w <- data$w * unit
      set.seed(1)
      neargp(z ~ 1, data, coords = ~ x + y, method = method, weights = w, threads = 1L)
    }
    fit <- fit_with(1)
    light <- fit_with(2^-20)
    # logarithms of the unit round, and the search with all rows ends where a step gains 1e-4
    expect_equal(light$nugget * 2^20, fit$nugget, tolerance = 1e-4)
    expect_equal(predict(light, data[1:3, ])$mean, predict(fit, data[1:3, ])$mean, tolerance = 1e-4)
  }
})

test_that("chosen points do not depend on the order of rows and columns", {
  coords <- matrix(withr::with_seed(3, runif(240)), 120)
  component <- list(family = "exponential", variance = 1, range = 0.3, group = c(1L, 1L),
    anisotropy = double(0), shape = double(0))
  chosen <- function(coords, select) {
    found <- chosen_positions(select, coords, distinct_locations(coords), 15L, component,
      plain_context())
    found[order(found[, 1L]), ]
  }
  for (select in c("kmeans", "random")) {
    expected <- chosen(coords, select)
    expect_equal(chosen(coords[120:1, ], select), expected)
    turned <- chosen(coords[, 2:1], select)[, 2:1]
    expect_equal(turned[order(turned[, 1L]), ], expected)
  }
})
