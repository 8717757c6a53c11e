bowl <- function(center) {
  list(n = 10L, evaluate = function(working, information = FALSE) {
    list(value = -sum((working - center)^2) - sum((working - center)^4), beta = double(0),
      failed = 0L)
  }, gradient = function(working, beta) -2 * (working - center) - 4 * (working - center)^3)
}

test_that("the optimum is found within bounds, fixed parameters stay", {
  bounds <- list(lower = c(-5, -5, -5), upper = c(5, 0.5, 5))
  result <- quasi_newton(bowl(c(1, 2, 3)), c(0, 0, 0), c(TRUE, TRUE, FALSE), bounds,
    neargp_control())
  expect_equal(result$working, c(1, 0.5, 0), tolerance = 1e-5)
  expect_true(result$converged)
})

test_that("a parameter of any size is found in its unit and about its origin, whatever the level of the values", {
  unit <- c(1, 1e-9)
  origin <- c(460, 0)
  scaled <- function(working) (working - origin) / unit
  small <- list(n = 10L, evaluate = function(working, information = FALSE) {
    state <- bowl(c(1, 2))$evaluate(scaled(working))
    replace(state, "value", state$value - 1e6)
  }, gradient = function(working, beta) bowl(c(1, 2))$gradient(scaled(working), beta) / unit)
  bounds <- list(lower = c(455, -5e-9), upper = c(465, 1.5e-9))
  result <- quasi_newton_in_units(small, c(460, 0), unit, c(TRUE, TRUE), bounds, neargp_control(),
    1e-9, origin, level = -1e5)
  expect_equal(scaled(result$working), c(1, 1.5), tolerance = 1e-5)
})

# PORT tries a step, goes back, and asks for the gradient there. An objective whose evaluations
# begin where the last one ended may then fail where it had not.
test_that("a search that does not find its best value again ends there, and says so", {
  plain <- bowl(c(1, 2))
  tried <- list()
  once <- list(n = 10L, evaluate = function(working) {
    if (list(working) %in% tried) return(list(value = -Inf, failed = 0L))
    tried <<- c(tried, list(working))
    c(plain$evaluate(working), list(gradient = plain$gradient(working)))
  })
  state_at <- state_record(once, c(0, 0), c(TRUE, TRUE))
  best <- state_at(c(1, 1))$evaluated
  worse <- state_at(c(3, 3))$evaluated
  expect_lt(worse$value, best$value)
  expect_error(state_at(c(1, 1)), class = "neargp_best_lost")
  expect_identical(state_at(c(1, 1))$evaluated, best)
  state_at(c(2, 2))
  expect_identical(state_at(c(3, 3))$evaluated$value, -Inf)

  forgets <- once
  forgets$evaluate <- function(working) {
    known <- list(working) %in% tried
    tried <<- c(tried, list(working))
    if (known) return(list(value = -Inf, failed = 0L))
    # rises along a ridge that bends: steps overshoot
    value <- -(working[1] - 1)^2 - 100 * (working[2] - working[1]^2)^2
    slope <- c(-2 * (working[1] - 1) + 400 * working[1] * (working[2] - working[1]^2),
      -200 * (working[2] - working[1]^2))
    list(value = value, beta = double(0), failed = 0L, gradient = slope)
  }
  tried <- list()
  bounds <- list(lower = c(-5, -5), upper = c(5, 5))
  result <- quasi_newton(forgets, c(-1.2, 1), c(TRUE, TRUE), bounds, neargp_control())
  expect_false(result$converged)
  expect_match(result$message, "not found again")
  expect_gt(result$gain, 0)
  expect_true(all(is.finite(result$evaluated$slope)))
})

test_that("with nothing to estimate the value is evaluated once", {
  result <- quasi_newton(bowl(1), 0, FALSE, list(lower = -5, upper = 5), neargp_control())
  expect_identical(result$working, 0)
  expect_true(result$converged)
})

test_that("quasi-Newton and Fisher scoring agree on a likelihood", {
  fit <- neargp(z ~ height, simulated_data(200), coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential(), control = neargp_control(tolerance = 1e-9, coarse_k = 0))
  problem <- list(data = fit$data, layout = fit$layout, groups = component_groups(fit$covariance,
    fit$locations), context = plain_context())
  objective <- local_objective(problem,
    neighbors_before(problem, fit$core_covariance$components[[1]], 10L, "maxmin", 0))
  bounds <- list(lower = rep(-20, 3), upper = rep(20, 3))
  result <- quasi_newton(objective, fit$parameters$working + 0.5, rep(TRUE, 3), bounds,
    neargp_control())
  expect_equal(result$evaluated$value, c(logLik(fit)), tolerance = 1e-7)
  expect_equal(result$working, fit$parameters$working, tolerance = 1e-2)
})

test_that("a point that has a value but no gradient is turned back from, and is an error at the start", {
  broken <- bowl(c(1, 2))
  whole <- broken$gradient
  broken$gradient <- function(working, beta) if (working[2L] > 1.5) c(NA, NaN) else
    whole(working, beta)
  bounds <- list(lower = c(-5, -5), upper = c(5, 5))
  result <- quasi_newton(broken, c(0, 0), c(TRUE, TRUE), bounds, neargp_control())
  expect_lte(result$working[2L], 1.5)
  expect_gt(result$evaluated$value, broken$evaluate(c(0.9, 1.4))$value)
  expect_error(quasi_newton(broken, c(0, 2), c(TRUE, TRUE), bounds, neargp_control()),
    class = "neargp_error_cholesky")
})
