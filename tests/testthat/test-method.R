test_that("k must be at least 1 and less than the number of rows", {
  data <- simulated_data(20)
  expect_error(vecchia(k = 0), "`k`", class = "neargp_error_argument")
  expect_error(vecchia(k = 2.5), "`k`", class = "neargp_error_argument")
  for (method in list(vecchia(k = 20), loo_k(k = 25), mll_k(k = 20))) {
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method), "at most 19", class = "neargp_error_k")
  }
})

test_that("a method says which families it can fit", {
  expect_identical(method_families(vecchia()), "gaussian")
  expect_identical(check_family(gaussian, vecchia())$family, "gaussian")
  expect_error(check_family(poisson(), mll_k()), "MLL-k cannot fit a poisson", class = "neargp_error_family")
})

test_that("neighbours are sought again until they no longer matter", {
  metric <- function(range) list(range = c(1, range), anisotropy = double(0))
  expect_equal(halfway_component(metric(1), metric(4))$range, c(1, 2))
  data <- transform(simulated_data(150), x = 20 * x)
  expect_warning(
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10), covariance = cov_exponential(ard = TRUE),
      control = neargp_control(max_refreshes = 1, refresh_tolerance = 1e-12, refresh_gain = 0)),
    "neighbours still changed", class = "neargp_warning_convergence"
  )
})

test_that("a component without variance is at a boundary with all its parameters", {
  layout <- data.frame(kind = c("variance", "range", "variance", "range", "nugget"), component = c(1, 1, 2, 2, NA))
  problem <- list(layout = layout, free = rep(TRUE, 5),
    bounds = list(lower = c(-10, -5, -10, -5, -15), upper = rep(5, 5)))
  expect_identical(at_bound(c(0, 0, 0, 0, -3), problem), rep(FALSE, 5))
  expect_identical(at_bound(c(0, 0, -8, 0, -3), problem), c(FALSE, FALSE, TRUE, TRUE, FALSE))
  expect_identical(at_bound(c(0, 5, 0, 0, -13), problem), c(FALSE, TRUE, FALSE, FALSE, TRUE))
})

test_that("a family may be given as glm() takes it: object, function or name", {
  expect_identical(check_family("poisson", vnngp())$family, "poisson")
  expect_identical(check_family(poisson, vnngp()), check_family(poisson(), vnngp()))
  expect_error(check_family("no_such_family", vnngp()), class = "neargp_error_argument")
})
