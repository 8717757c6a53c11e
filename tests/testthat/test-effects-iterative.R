# Fits whose effects have conjugate gradients in the place of a factor, against those with one.

iterative_fit <- function(..., work = 0) {
  with_constant("most_exact_work", work, many_effects_fit(...))
}

test_extended("estimates, value and errors are those of a factor but for a fraction of their errors", {
  exact <- iterative_fit(z ~ a + (1 | region), work = Inf)
  found <- iterative_fit(z ~ a + (1 | region))
  apart <- (found$parameters$working - exact$parameters$working)
  expect_true(all(abs(apart) < 0.1 / sqrt(diag(exact$information))))
  expect_false(identical(found$parameters$working, exact$parameters$working))
  expect_equal(diag(found$information), diag(exact$information), tolerance = 0.05)
  error <- attr(logLik(found), "std_error")
  expect_gt(error, 0)
  expect_lt(abs(c(logLik(found)) - c(logLik(exact))), 4 * error + 0.01)
  expect_null(attr(logLik(exact), "std_error"))
  expect_output(print(found), "by random signs, standard error ")
  expect_equal(ranef(found)$region, ranef(exact)$region, tolerance = 0.02)
})

test_extended("effects and predictions are those of the estimates exactly", {
  found <- iterative_fit(z ~ a + (1 | region))
  pass <- pass_at(found, found$data, plain_context(1L))
  expect_false(core_effects_iterates(pass$effects))
  expect_equal(core_trend(found)$beta, pass$beta, tolerance = 1e-7)
})

test_extended("values and gradients fit together, with slopes, smooths and crossed groups", {
  skip_if_not_installed("mgcv")
  data <- many_effects_data(1000)
  data$site <- sample(150L, 1000, TRUE)
  fit <- suppressWarnings(many_effects_fit(z ~ s(depth, k = 6) + (a | site) + (1 | region),
    data = data, control = neargp_control(max_iterations = 1L)))
  problem <- fold_problem(fit, seq_along(fit$data$y), plain_context(1L))
  problem <- with_start(problem$method, problem)
  neighbors <- neighbors_before(problem, component_at(problem, problem$start), 8L, "maxmin", 0)
  objective <- function(work) with_constant("most_exact_work", work,
    effects_pass_objective(problem, neighbors))
  iterative <- objective(0)
  exact <- objective(Inf)
  expect_true(iterative$is_iterative)
  expect_false(exact$is_iterative)
  wanted <- exact$evaluate(problem$start, TRUE)
  found <- iterative$evaluate(problem$start, TRUE)
  scale <- sqrt(diag(wanted$information))
  expect_lt(max(abs(found$gradient - wanted$gradient) / scale), 0.1)
  slope <- numeric_gradient(function(at) iterative$evaluate(at)$value, problem$start, step = 1e-3)
  expect_lt(max(abs(found$gradient - slope) / scale), 0.1)
})

test_extended("threads and resuming change no bit", {
  run <- function(..., seed = 3) {
    set.seed(seed)
    iterative_fit(z ~ a + (1 | region), vecchia(5), ...)
  }
  expect_resumes(run, shares = c(0.5, 1))
  fits <- lapply(1:2, function(threads) with_constant("most_exact_work", 0, neargp(z ~ (1 | region),
    many_effects_data(), coords = ~ x + y, method = vecchia(5), covariance = cov_exponential(),
    threads = threads, verbose = FALSE)))
  expect_identical(fits[[1L]]$parameters, fits[[2L]]$parameters)
  expect_identical(ranef(fits[[1L]]), ranef(fits[[2L]]))
})
