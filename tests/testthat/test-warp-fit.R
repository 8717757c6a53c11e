test_extended("a warped covariance is never below the stationary one, and finds what there is", {
  data <- local_data(200)
  for (method in list(vecchia(k = 12), loo_k(k = 12), mll_k(k = 12), vnngp(k = 12), exact_gp())) {
    fit <- function(covariance) neargp(z ~ 1, data, coords = ~ x + y, method = method,
      covariance = covariance, threads = 1L)
    stationary <- fit(cov_matern(1.5))
    for (warp in list(expand(1, ~ bumps(3)), monotone(~ x, 4))) {
      warped <- fit(cov_matern(1.5, warp = warp))
      expect_gt(c(logLik(warped)) - penalty_at(warped$layout, warped$parameters$working),
        c(logLik(stationary)) - 1e-3)
      expect_gt(c(logLik(warped)), c(logLik(stationary)) + 1)
    }
  }
})

test_that("curvature at no further coordinate is that of differences, and the search begins there",
  {
    fit <- local_fit(cov_matern(1.5, warp = expand(2, ~ bumps(2)), penalty = 3), vecchia(k = 5))
    problem <- local_problem_of(fit)
    at <- elsewhere(fit)
    own <- which(fit$layout$kind == "expand")
    at[own] <- 0
    curvature <- further_curvature(problem, at, 1L)
    trial <- trial_objective(problem, at)
    value <- function(c) trial$evaluate(replace(at, own[5:8], c))$value + 1.5 * sum(c^2)
    step <- 1e-3
    for (direction in list(c(1, 0, 0, 0), c(0, 1, -1, 0), c(1, 2, 3, 4))) {
      second <- (value(step * direction) + value(-step * direction) - 2 * value(0 * direction)) /
        step^2
      expect_equal(second, 2 * drop(direction %*% curvature %*% direction), tolerance = 1e-3)
    }
    problem$bounds <- working_bounds(problem, stats::var(problem$data$y))
    begun <- from_saddle(problem, at)
    expect_gt(trial$evaluate(begun)$value, trial$evaluate(at)$value)
  })

test_that("components of a sum may differ in their number of coordinates, and order anew", {
  data <- local_data(80)
  fit <- local_fit(cov_exponential() + cov_matern(1.5, warp = expand(1, ~ wet)), vecchia(k = 5),
    data)
  problem <- local_problem_of(fit)
  components <- fit$core_covariance$components
  search <- vecchia_search(problem, "maxmin")
  for (component in components[c(1L, 2L, 1L)]) {
    expect_silent(found <- as.matrix(search(component, 5L)))
    expect_identical(found, as.matrix(vecchia_search(problem, "maxmin")(component, 5L)))
  }
})

test_extended("where the field is stationary, the optimum is not below the method's own", {
  for (case in list(list(seed = 5, method = exact_gp(), warp = expand(1, ~ bumps(3))),
    list(seed = 10, method = vnngp(k = 8), warp = monotone(~ x, 4)))) {
    set.seed(case$seed)
    data <- data.frame(x = runif(60), y = runif(60))
    data$z <- drop(crossprod(chol(exp(-as.matrix(dist(data)) / 0.3)), rnorm(60))) +
      rnorm(60, sd = 0.3)
    fit <- function(covariance) suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y,
      covariance = covariance, method = case$method, threads = 1L))
    warped <- fit(cov_matern(1.5, warp = case$warp))
    expect_gt(c(logLik(warped)) - penalty_at(warped$layout, warped$parameters$working),
      c(logLik(fit(cov_matern(1.5)))) - 1e-3)
  }
})

test_that("what is below the stationary optimum gives way to it", {
  problem <- list(unwarped = list(value = 2), control = neargp_control())
  expect_identical(not_below_stationary(problem, list(value = 1)), list(value = 2))
  expect_identical(not_below_stationary(problem, list(value = 3)), list(value = 3))
  expect_identical(not_below_stationary(list(), list(value = 1)), list(value = 1))
})
