test_that("mini-batches come to the bound of all rows, and end with the posterior of all rows", {
  data <- batch_data()
  collapsed <- batch_fit(data, svgp(inducing = 15))
  natural <- batch_fit(data, svgp(inducing = 15, optimizer = "natural", epochs = 240,
    batch_size = 128, learning_rate = 0.03))
  expect_lt(c(natural$log_likelihood), c(collapsed$log_likelihood) + 0.5)
  expect_gt(c(natural$log_likelihood), c(collapsed$log_likelihood) - 6)
  expect_identical(natural$convergence$evaluations, 240L)
  expect_true(is.na(natural$convergence$converged))
  expect_match(natural$convergence$message, "240 epochs")
  at_end <- bound_at(natural$data, as_specified(natural$core_covariance), natural$nugget,
    natural$svgp$positions, natural$method, plain_context())
  expect_equal(natural$svgp$weights, at_end$weights, tolerance = 1e-12)
})

test_extended("responses of other families are fitted in mini-batches, and parameters that are given stay", {
  data <- batch_data()
  collapsed <- batch_fit(data, svgp(inducing = 12, bound = "standard"), count ~ 1,
    family = poisson())
  natural <- batch_fit(data, svgp(inducing = 12, bound = "standard", optimizer = "natural",
    epochs = 40, batch_size = 128, learning_rate = 0.03), count ~ 1, family = poisson())
  expect_gt(c(natural$log_likelihood), c(collapsed$log_likelihood) - 5)
  expect_lt(c(natural$log_likelihood), c(collapsed$log_likelihood) + 0.5)
  held <- withr::with_seed(1, neargp(z ~ 1, data, coords = ~ x + y,
    covariance = cov_matern(variance = 16, range = 0.3, nu = 2.5),
    nugget = 2, method = svgp(inducing = 12, optimizer = "natural", epochs = 3)))
  expect_equal(unname(coef(held, "covariance")[c("variance", "range", "nugget")]), c(16, 0.3, 2))
})

test_that("mini-batches are drawn by R's random numbers, and the number of threads does not matter",
  {
    skip_unless_extended()
    data <- batch_data()
    method <- svgp(inducing = 10, optimizer = "natural", epochs = 3, batch_size = 300,
      std_error = FALSE)
    kept <- c("log_likelihood", "parameters", "inducing", "svgp")
    first <- batch_fit(data, method, threads = 1L)
    expect_identical(batch_fit(data, method, threads = 3L)[kept], first[kept])
    expect_false(identical(batch_fit(data, method, threads = 1L, seed = 4)$log_likelihood,
      first$log_likelihood))
  })

test_extended("many rows for each point begin in mini-batches, and a fit that goes on does not", {
  data <- batch_data()
  problem <- function(...) {
    list(data = list(y = double(900)), family = stats::gaussian(), free = TRUE, ...)
  }
  expect_true(uses_batches(svgp(), problem(), 20L))
  expect_false(uses_batches(svgp(), problem(), 60L))
  expect_false(uses_batches(svgp(), problem(warm_start = list()), 20L))
  expect_false(uses_batches(svgp(optimizer = "collapsed"), problem(), 20L))
  auto <- batch_fit(data, svgp(inducing = 15))
  collapsed <- batch_fit(data, svgp(inducing = 15, optimizer = "collapsed"))
  expect_equal(c(auto$log_likelihood), c(collapsed$log_likelihood), tolerance = 0.01)
  expect_lte(auto$convergence$iterations, 100L)
  expect_gt(auto$convergence$iterations, 30L)
  expect_match(auto$convergence$message, "until thirty gained less than 0.005 a row", fixed = TRUE)
})

test_that("held positions, the sphere and settings of mini-batches are respected", {
  data <- batch_data()
  start <- as.matrix(data[1:10, c("x", "y")])
  held <- batch_fit(data, svgp(inducing = start, move = FALSE, optimizer = "natural", epochs = 2))
  expect_equal(as.matrix(held$inducing), start, ignore_attr = TRUE)
  data$lon <- 10 * data$x
  data$lat <- 40 + 10 * data$y
  earth <- sf::st_as_sf(data, coords = c("lon", "lat"), crs = 4326)
  fit <- withr::with_seed(1,
    neargp(z ~ 1, earth, method = svgp(inducing = 12, optimizer = "natural", epochs = 5)))
  radius <- sqrt(rowSums(fit$svgp$positions^2))
  expect_equal(radius, rep(radius[1L], 12L), tolerance = 1e-10)
  expect_error(svgp(optimizer = "sgd"), class = "neargp_error_argument")
  expect_error(svgp(natural_rate = 0), class = "neargp_error_argument")
  expect_error(svgp(epochs = 0), class = "neargp_error_argument")
  expect_output(print(svgp(optimizer = "natural")), "epochs +100")
})
