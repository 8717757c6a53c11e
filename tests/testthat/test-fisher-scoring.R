# A quadratic whose information is known; `factor` makes the expected information differ from the
# observed one.
quadratic_objective <- function(hessian, center, factor = 1) {
  list(n = 1L, evaluate = function(working, information = FALSE) {
    delta <- working - center
    list(value = -0.5 * drop(delta %*% hessian %*% delta), gradient = -drop(hessian %*% delta),
      information = factor * hessian, failed = 0L)
  })
}
wide <- list(lower = c(-100, -100), upper = c(100, 100))
hessian <- matrix(c(4, 1, 1, 2), 2)

test_that("a quadratic is solved, also when expected and observed information differ", {
  for (factor in c(1, 0.55, 3)) {
    result <- fisher_scoring(quadratic_objective(hessian, c(1, -0.5), factor), c(0, 0),
      c(TRUE, TRUE), wide, neargp_control(tolerance = 1e-10))
    expect_true(result$converged)
    expect_equal(result$working, c(1, -0.5), tolerance = 1e-4)
    expect_lt(result$iterations, 12)
  }
})

test_that("steps are capped, bounds are kept, fixed parameters stay", {
  objective <- quadratic_objective(hessian, c(10, 5))
  step <- scoring_step(objective$evaluate(c(0, 0)), c(TRUE, TRUE), 1.25)
  expect_lte(max(abs(step$step)), 1.25)
  bounded <- fisher_scoring(objective, c(0, 0), c(TRUE, TRUE),
    list(lower = c(-1, -1), upper = c(1, 100)), neargp_control(tolerance = 1e-8))
  expect_equal(bounded$working, c(1, 5 + 9 / 2), tolerance = 1e-3)
  expect_true(bounded$converged)
  fixed <- fisher_scoring(objective, c(3, 0), c(FALSE, TRUE), wide,
    neargp_control(tolerance = 1e-8))
  expect_equal(fixed$working[1], 3)
})

test_that("a singular information is no obstacle", {
  flat <- quadratic_objective(matrix(c(1, 1, 1, 1), 2), c(1, 1))
  result <- fisher_scoring(flat, c(0, 0), c(TRUE, TRUE), wide, neargp_control(tolerance = 1e-6))
  expect_true(result$converged)
  expect_equal(sum(result$working), 2, tolerance = 1e-2)
})

test_that("failed evaluations are stepped back from, and at the start are an error that names the row", {
  objective <- quadratic_objective(hessian, c(1, 1))
  guarded <- list(n = 1L, evaluate = function(working, information = FALSE) {
    if (max(working) > 0.6) list(value = -Inf, failed = 3L) else objective$evaluate(working,
      information)
  })
  result <- fisher_scoring(guarded, c(0, 0), c(TRUE, TRUE), wide, neargp_control())
  expect_lte(max(result$working), 0.6)
  expect_error(fisher_scoring(guarded, c(5, 5), c(TRUE, TRUE), wide, neargp_control()),
    "row 3.*nugget", class = "neargp_error_cholesky")
})

test_that("derivatives that overflow are stepped back from, and at the start are an error that says why", {
  objective <- quadratic_objective(hessian, c(1, 1))
  overflowing <- list(n = 1L, evaluate = function(working, information = FALSE) {
    state <- objective$evaluate(working)
    if (max(working) > 0.6) replace(state, "information", list(diag(Inf, 2))) else state
  })
  expect_lte(max(fisher_scoring(overflowing, c(0, 0), c(TRUE, TRUE), wide,
    neargp_control())$working), 0.6)
  expect_error(fisher_scoring(overflowing, c(5, 5), c(TRUE, TRUE), wide, neargp_control()),
    "overflow", class = "neargp_error_scale")
  for (method in list(vecchia(5), exact_gp())) {
    expect_error(neargp(z ~ 1, simulated_data(40), coords = ~ x + y, method = method,
      covariance = cov_exponential(variance = 1e200), device = "cpu"),
      "fixed or given as `start`", class = "neargp_error_scale")
  }
  data <- simulated_data(60)
  data$count <- rep_len(0:3, 60)
  data$half <- rep_len(0:1, 60)
  for (family in list(stats::gaussian(), stats::poisson(), stats::binomial())) {
    formula <- switch(family$family, gaussian = z ~ 1, poisson = count ~ 1, binomial = half ~ 1)
    expect_error(neargp(formula, data, coords = ~ x + y, family = family,
      method = vnngp(5, inducing = inducing_points(20)), covariance = cov_matern(variance = 1e200)),
      "fixed or given as `start`", class = "neargp_error_scale")
  }
})

test_that("a secant that overflows corrects nothing", {
  pair <- list(step = c(1e-3, 2e-3), fall = c(1e200, 1e200))
  expect_identical(secant_correction(diag(2), list(pair), c(TRUE, TRUE)), diag(2))
  pair <- list(step = c(1, 1), fall = c(1e200, NaN))
  expect_identical(secant_correction(diag(1e200, 2), list(pair), c(TRUE, TRUE)), diag(1e200, 2))
})

test_extended("fits to white noise end where the likelihood is flat", {
  for (seed in c(14, 19, 28)) {
    set.seed(seed)
    noise <- data.frame(x = runif(200), y = runif(200), z = rnorm(200))
    fit <- neargp(z ~ 1, noise, coords = ~ x + y, method = vecchia())
    expect_true(fit$convergence$converged)
    expect_match(fit$convergence$message, "likelihood is flat")
    expect_gt(as.numeric(logLik(fit)), as.numeric(logLik(stats::lm(z ~ 1, noise))) - 1e-3)
  }
  expect_warning(stopped <- update(fit, control = neargp_control(max_iterations = 2L)),
    "did not converge", class = "neargp_warning_convergence")
  expect_false(stopped$convergence$converged)
})

test_that("flat is what the last steps do not raise", {
  values <- c(0, 1, 1 + 1:5 * 1e-6)
  expect_true(is_flat(values, 5L, 1e-4))
  expect_false(is_flat(values, 6L, 1e-4))
  expect_false(is_flat(values, 5L, 1e-6))
  expect_false(is_flat(values[1:5], 5L, 1e-4))
})

# Rows that a smooth covariance of this range cannot distinguish.
test_that("a step is found for any information that is finite", {
  for (large in 10^c(0, 8, 14, 20)) {
    information <- diag(c(large, 1, 1e-12))
    step <- ridge_solve(information, c(large, 1, 0))
    expect_true(all(is.finite(step)))
    expect_equal(step[1L], 1, tolerance = 1e-5)
  }
})

test_extended("every method steps back from a start at which covariance matrices are singular", {
  set.seed(3)
  d <- data.frame(x = runif(60), y = runif(60))
  d$z <- sin(5 * d$x) + cos(4 * d$y)
  covariance <- cov_gaussian(start = list(range = 100, variance = 1))
  for (method in list(vecchia(20), loo_k(20), mll_k(20), exact_gp())) {
    fit <- suppressWarnings(neargp(z ~ 1, d, coords = ~ x + y, covariance = covariance, nugget = 0,
      method = method, threads = 1L, verbose = FALSE))
    expect_true(is.finite(fit$log_likelihood))
    expect_lt(coef(fit, "covariance")[["range"]], 100)
  }
  expect_error(neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_gaussian(range = 100),
    nugget = 0, threads = 1L, verbose = FALSE), class = "neargp_error_cholesky")
})

test_that("gains that fall by a constant ratio add up to a geometric series", {
  expect_equal(further_gain(8, 10), sum(8 * 0.8^(1:200)))
  expect_lt(further_gain(1e-5, 1e-4), 2e-6)
  expect_identical(further_gain(1, Inf), 0)
  expect_true(is.finite(further_gain(2, 1)))
})

test_that("on a ridge of the restricted likelihood a strict tolerance moves no standard error", {
  withr::local_seed(10)
  grid <- expand.grid(x = 1:6, y = 1:6)
  distances <- as.matrix(dist(grid))
  grid$z <- 2 + drop(t(chol(0.1 * exp(-distances / 15) + 0.02 * diag(36))) %*% rnorm(36))
  error <- function(tolerance) {
    fit <- neargp(z ~ 1, grid, coords = ~ x + y, covariance = cov_exponential(),
      method = exact_gp(estimation = "REML"), control = neargp_control(tolerance = tolerance))
    sqrt(vcov(fit)[1L])
  }
  # 0.2708 by optim() on the dense restricted likelihood
  expect_equal(error(1e-10), 0.2708, tolerance = 1e-3)
  expect_equal(error(1e-4), 0.2708, tolerance = 0.01)
})
