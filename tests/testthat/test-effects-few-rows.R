# Thousands of levels take long fits. Here one constant lowers their number, and another one that of
# the terms.
with_few_terms <- function(code, rows = 100L) {
  with_constant("most_exact_work", 0, with_constant("search_rows", rows, code))
}

scattered_levels <- function(n = 400L) {
  withr::with_seed(2, {
    data <- data.frame(x = runif(n), y = runif(n), site = sample(80L, n, TRUE))
    data$z <- rnorm(80L)[data$site] + sin(6 * data$x) * cos(5 * data$y) + rnorm(n, sd = 0.5)
    data
  })
}

fit_of_levels <- function(data = scattered_levels(), ...) {
  neargp(z ~ (1 | site), data, coords = ~ x + y, method = vecchia(20),
    covariance = cov_exponential(), device = "cpu", threads = 1L, verbose = FALSE, ...)
}

test_that("variance and range move to the optimum of the terms, nugget and levels stay", {
  problem <- problem_of_fit(suppressWarnings(fit_of_levels(control = neargp_control(
    max_iterations = 1L))))
  problem <- with_start(problem$method, problem)
  problem$control$max_iterations <- 100L
  effects <- withr::with_seed(1, rnorm(count_coefficients(problem$data), sd = 0.1))
  state <- list(working = problem$start, evaluated = list(beta = c(0, effects)), iterations = 2L,
    evaluations = 3L)
  expect_identical(with_field_of_few_rows(problem, state, 20L), state)
  found <- with_few_terms(with_field_of_few_rows(problem, state, 20L))
  moves <- problem$layout$kind %in% c("variance", "range")
  expect_identical(found$working[!moves], state$working[!moves])
  expect_gt(found$evaluations, state$evaluations)
  # the same terms of a field without effects in what they leave
  plain <- without_effects(problem, effects)
  component <- component_at(plain, problem$start[1:3])
  objective <- with_few_terms(terms_of_few_rows(plain)(component, 20L))
  best <- function(at) optimize(function(nugget) objective$evaluate(c(at, nugget))$value, c(-4, 4),
    maximum = TRUE)$objective
  top <- best(found$working[moves])
  for (a in 1:2) for (h in c(-0.5, 0.5)) {
    expect_lt(best(found$working[moves] + h * (1:2 == a)), top + 0.05)
  }
})

test_extended("the estimates are those of the search from another start", {
  plain <- with_constant("most_exact_work", 0, fit_of_levels())
  found <- with_few_terms(fit_of_levels())
  expect_equal(found$parameters$working, plain$parameters$working, tolerance = 0.01)
  expect_equal(c(logLik(found)), c(logLik(plain)), tolerance = 1e-6)
  expect_false(identical(found$parameters$working, plain$parameters$working))
})

test_extended("a fit that has ended is resumed to the same bits", {
  run <- function(..., seed = 3) {
    set.seed(seed)
    with_few_terms(fit_of_levels(...))
  }
  expect_resumes(run, shares = c(0.3, 0.7))
})
