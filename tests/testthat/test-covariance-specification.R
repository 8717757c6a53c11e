test_that("a specification takes the values of a layout in its order", {
  withr::local_seed(7)
  for (covariance in list(cov_matern(NULL, anisotropy = TRUE),
      cov_powered_exponential(ard = TRUE) + cov_gaussian())) {
    problem <- inducing_problem(z ~ 1, simulated_data(20), ~ x + y, vecchia(5), covariance)
    layout <- problem$layout
    specification <- covariance_specification(layout, problem$groups)
    for (draw in 1:2) {
      values <- to_core(rnorm(nrow(layout), sd = 0.3), layout$transform)
      list_of_fit <- as_core_covariance(layout, problem$groups, values)
      coords <- problem$data$coords
      # the last one is that of a response's family
      found <- core_covariance_matrix(coords, coords, specified_covariance(specification, c(values,
        7)))
      expect_equal(found, dense_covariance(coords, coords, list_of_fit), tolerance = 1e-8)
      expect_identical(found, core_covariance_matrix(coords, coords, as_specified(list_of_fit)))
    }
  }
})

test_that("values are in the core's order, local fields, loadings and nuggets among them", {
  component <- list(family = "cauchy", variance = 1, range = c(2, 3), group = 1:2,
    anisotropy = double(0), shape = 4, log_sd = list(columns = 3L, coefficients = 5),
    log_range = list(columns = 3L, coefficients = 6), warps = list(list(coordinate = 1L,
      monotone = TRUE, columns = 3L, coefficients = 7)))
  expect_identical(as_specified(list(components = list(component)))$values, as.double(c(1:7, 0)))
  component <- list(family = "matern", variance = 1, range = 5, group = c(1L, 1L),
    anisotropy = c(6, 7), shape = 8, loadings = matrix(as.double(1:4), 2L, byrow = TRUE))
  expect_identical(as_specified(list(components = list(component), nuggets = c(9, 10)))$values,
    as.double(1:10))
})

test_that("too few values are refused", {
  at <- as_specified(given_covariance())
  at$values <- at$values[-1L]
  place <- matrix(0, 1L, 2L)
  expect_error(core_covariance_matrix(place, place, at), "one value for each",
    class = "neargp_error_core")
})
