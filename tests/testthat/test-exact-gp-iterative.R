# exact_gp(solver = "cg") against dense matrices.

roads <- function(n, seed = 1) {
  set.seed(seed)
  rows <- data.frame(x = runif(n), y = runif(n))
  waves <- matrix(rnorm(60L, sd = 8), 30L)
  rows$z <- 1 + rowMeans(cos(as.matrix(rows[c("x", "y")]) %*% t(waves))) * 5 + rnorm(n, sd = 0.2)
  rows
}

fit_roads <- function(rows, method, covariance = cov_matern(nu = 1.5), ...) {
  suppressMessages(neargp(z ~ x, rows, coords = ~ x + y, covariance = covariance, method = method,
    ...))
}

# Dense and iterative objectives of the same problem.
both_objectives <- function(rows, covariance, method = exact_gp(solver = "cg")) {
  problem <- problem_of_fit(fit_roads(rows, vecchia(k = 10), covariance))
  problem$method <- method
  list(problem = problem, dense = exact_objective(problem),
    iterative = likelihood_objective(method, problem))
}

expect_within_errors <- function(found, expected, error, count = 3) {
  expect_lt(max(abs(found - expected) / error), count)
}

test_extended("the log-likelihood is that of the dense matrix within its standard error", {
  given <- both_objectives(roads(2000L), cov_matern(nu = 1.5))
  for (shift in c(0, 0.5)) {
    at <- given$problem$start + shift
    found <- given$iterative$evaluate(at)
    dense <- given$dense$evaluate(at)
    expect_lt(found$value_error, 1)
    expect_within_errors(found$value, dense$value, found$value_error)
    expect_equal(found$beta, dense$beta, tolerance = 1e-8)
    expect_equal(found$beta_vcov, dense$beta_vcov, tolerance = 1e-8)
    expect_equal(found$rss, dense$rss, tolerance = 1e-8)
  }
})

# Log-likelihoods and their standard errors by `sets` of random probes, at the start of the problem.
values_of_sets <- function(given, sets) {
  problem <- given$problem
  method <- problem$method
  at <- problem$start
  covariance <- problem_covariance(problem, to_core(at, problem$layout$transform))
  nugget <- nugget_of(problem$layout, to_core(at, problem$layout$transform))
  component <- metric_component(covariance_at(problem, at))
  system <- iterative_system(problem$data, component, method, problem$context)
  root <- iterative_root(system, covariance, nugget, problem$context)
  probes <- core_random_signs(length(problem$data$y), sets * method$probes)
  found <- iterative_solution(system, root, covariance, nugget, probes, problem$context)
  log_dets <- matrix(found$log_dets, method$probes)
  first <- given$iterative$evaluate(at)
  list(value = first$value - 0.5 * (colMeans(log_dets) - mean(log_dets[, 1L])),
    error = 0.5 * apply(log_dets, 2L, error_of_probes),
    mean_error = 0.5 * stats::sd(log_dets) / sqrt(length(log_dets)))
}

test_extended("a standard error covers two thirds of the errors, and their mean is near 0", {
  for (k in c(5L, 30L)) {
    method <- exact_gp(solver = "cg", neighbors = k)
    given <- both_objectives(roads(600L), cov_matern(nu = 1.5), method)
    found <- values_of_sets(given, 60L)
    errors <- found$value - given$dense$evaluate(given$problem$start)$value
    ratios <- errors / found$error
    expect_lt(abs(sqrt(mean(ratios^2)) - 1), 0.25)
    expect_lt(abs(mean(abs(ratios) < 1) - stats::pnorm(1) + stats::pnorm(-1)), 0.15)
    expect_lt(abs(mean(errors)) / found$mean_error, 3)
  }
})

test_that("with all rows before each as neighbours, value and gradient are exact", {
  for (covariance in list(cov_matern(nu = 1.5), cov_exponential(anisotropy = TRUE),
    cov_matern(nu = NULL) + cov_gaussian())) {
    given <- both_objectives(roads(150L), covariance, exact_gp(solver = "cg", neighbors = 149L))
    at <- given$problem$start + 0.1
    found <- given$iterative$evaluate(at, information = TRUE)
    dense <- given$dense$evaluate(at, information = TRUE)
    expect_equal(found$value, dense$value, tolerance = 1e-8)
    expect_equal(found$gradient, dense$gradient, tolerance = 1e-6)
    expect_equal(found$information, dense$information, tolerance = 1e-6)
  }
})

test_that("the gradient with few neighbours is that of the dense matrix but for the probes", {
  given <- both_objectives(roads(1000L), cov_matern(nu = 1.5),
    exact_gp(solver = "cg", neighbors = 10L, probes = 64L))
  at <- given$problem$start + 0.2
  found <- given$iterative$evaluate(at, information = TRUE)
  dense <- given$dense$evaluate(at, information = TRUE)
  # in units of the standard deviation of a score
  errors <- abs(found$gradient - dense$gradient) / sqrt(diag(dense$information))
  expect_lt(max(errors[given$problem$free]), 0.1)
})

test_extended("many probes come nearer to the dense log-likelihood", {
  given <- both_objectives(roads(500L), cov_matern(nu = 1.5),
    exact_gp(solver = "cg", neighbors = 3L))
  at <- given$problem$start
  dense <- given$dense$evaluate(at)$value
  many <- iterative_objective(given$problem, at, random_probes(given$problem, 512L))$evaluate(at)
  expect_lt(many$value_error, given$iterative$evaluate(at)$value_error)
  expect_within_errors(many$value, dense, many$value_error)
})

test_that("fits and predictions are those of the dense solver", {
  rows <- roads(600L)
  new <- roads(40L, seed = 2)
  iterative <- fit_roads(rows, exact_gp(solver = "cg"))
  dense <- fit_roads(rows, exact_gp())
  expect_true(iterative$convergence$converged)
  error <- attr(logLik(iterative), "std_error")
  expect_within_errors(as.numeric(logLik(iterative)), as.numeric(logLik(dense)), error + 0.01)
  expect_equal(log(coef(iterative, what = "covariance")), log(coef(dense, what = "covariance")),
    tolerance = 0.02)
  expect_output(print(iterative), "standard error")
  # the same parameters: the same predictions
  parameters <- as.list(coef(dense, what = "covariance"))
  fixed <- cov_matern(nu = 1.5, variance = parameters$variance, range = parameters$range)
  fits <- lapply(list(exact_gp(solver = "cg"), exact_gp()), function(method) {
    fit_roads(rows, method, fixed, nugget = parameters$nugget)
  })
  predicted <- lapply(fits, predict, new)
  expect_equal(predicted[[1L]], predicted[[2L]], tolerance = 1e-6)
  expect_equal(coef(fits[[1L]]), coef(fits[[2L]]), tolerance = 1e-8)
  expect_true(all(is.finite(loo_predict(fits[[1L]])$mean)))
  expect_length(simulate(fits[[1L]], 1, seed = 1)[[1L]], 600L)
  folds <- rep(1:2, 300L)
  expect_equal(cross_validate(fits[[1L]], folds = folds)$predictions$mean,
    cross_validate(fits[[2L]], folds = folds)$predictions$mean, tolerance = 1e-6)
})

test_that("repeated locations and weights act as in the dense solver", {
  rows <- roads(300L)
  rows[201:300, c("x", "y")] <- rows[1:100, c("x", "y")]
  rows$w <- rep(c(1, 4), 150L)
  fits <- lapply(list(exact_gp(solver = "cg", neighbors = 100L), exact_gp()), function(method) {
    suppressMessages(neargp(z ~ 1, rows, coords = ~ x + y, weights = w, method = method,
      covariance = cov_matern(variance = 1, range = 0.1), nugget = 0.05))
  })
  error <- attr(logLik(fits[[1L]]), "std_error")
  expect_within_errors(as.numeric(logLik(fits[[1L]])), as.numeric(logLik(fits[[2L]])),
    error + 1e-6)
  new <- roads(20L, seed = 2)
  expect_equal(predict(fits[[1L]], new)$mean, predict(fits[[2L]], new)$mean, tolerance = 1e-6)
})

test_that("results do not depend on the number of threads", {
  rows <- roads(400L)
  fixed <- cov_matern(nu = 1.5, variance = 1, range = 0.1)
  values <- lapply(1:2, function(threads) {
    fit <- fit_roads(rows, exact_gp(solver = "cg"), fixed, nugget = 0.05, threads = threads)
    list(as.numeric(logLik(fit)), predict(fit, roads(5L, seed = 3))$mean)
  })
  expect_identical(values[[1L]], values[[2L]])
})

test_that("what the solver does not carry is refused by class", {
  rows <- roads(60L)
  rows$g <- factor(rep(1:6, 10L))
  cg <- exact_gp(solver = "cg")
  expect_error(exact_gp(solver = "cg", estimation = "REML"), class = "neargp_error_argument")
  expect_error(exact_gp(solver = "lu"), class = "neargp_error_argument")
  expect_error(exact_gp(solver = "cg", probes = 1), class = "neargp_error_argument")
  expect_error(neargp(z ~ (1 | g), rows, coords = ~ x + y, method = cg), class = "neargp_error")
  expect_error(neargp(cbind(z, x) ~ 1, rows, coords = ~ x + y, method = cg),
    class = "neargp_error")
  expect_error(fit_roads(rows, cg, cov_matern(sd = ~ x)), class = "neargp_error_local")
  expect_error(fit_roads(rows, cg, cov_linear() + cov_matern()),
    class = "neargp_error_covariance")
  expect_error(fit_roads(rows, cg, nugget = ~ x), class = "neargp_error")
  expect_error(neargp(g ~ 1, rows, coords = ~ x + y, method = cg), class = "neargp_error")
  expect_error(neargp(z ~ 1, transform(rows, t = 1:60), coords = ~ x + y, time = ~ t, method = cg,
    covariance = cov_spacetime()), class = "neargp_error")
})
