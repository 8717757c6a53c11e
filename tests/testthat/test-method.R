test_that("k must be at least 1 and less than the number of rows", {
  data <- simulated_data(20)
  expect_error(vecchia(k = 0), "`k`", class = "neargp_error_argument")
  expect_error(vecchia(k = 2.5), "`k`", class = "neargp_error_argument")
  for (method in list(vecchia(k = 20), loo_k(k = 25), mll_k(k = 20))) {
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method), "at most 19",
      class = "neargp_error_k")
  }
})

test_that("a method says which families it can fit", {
  expect_identical(method_families(vecchia()), "gaussian")
  expect_identical(check_family(gaussian, vecchia())$family, "gaussian")
  expect_error(check_family(poisson(), mll_k()), "MLL-k cannot fit a poisson",
    class = "neargp_error_family")
})

test_that("neighbours are searched again until they no longer matter", {
  metric <- function(range) list(range = c(1, range), anisotropy = double(0))
  expect_equal(halfway_component(metric(1), metric(4))$range, c(1, 2))
  data <- transform(simulated_data(150), x = 20 * x)
  expect_warning(
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
      covariance = cov_exponential(ard = TRUE),
      control = neargp_control(max_refreshes = 1, refresh_tolerance = 1e-12, refresh_gain = 0)),
    "neighbours still changed", class = "neargp_warning_convergence"
  )
})

test_that("a component without variance is at a boundary with all its parameters", {
  layout <- data.frame(kind = c("variance", "range", "variance", "range", "nugget"),
    component = c(1, 1, 2, 2, NA))
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

test_extended("neighbours with which the optimiser cannot start are searched half way, the first ones are an error", {
  fit <- neargp(z ~ 1, transform(simulated_data(150), x = 20 * x), coords = ~ x + y,
    method = vecchia(k = 10), covariance = cov_exponential(ard = TRUE),
    control = neargp_control(coarse_k = 0))
  problem <- list(data = fit$data, layout = fit$layout, groups = component_groups(fit$covariance,
    fit$locations), context = plain_context(), control = neargp_control(),
    report = function(...) invisible())
  optimum <- fit$parameters$working
  ranges <- which(fit$layout$kind == "range")
  start <- list(working = replace(optimum, ranges, optimum[ranges] + c(1, -1)), iterations = 0L,
    evaluations = 0L)
  sought <- list()
  objective_for <- function(component, k) {
    sought <<- c(sought, list(component$range))
    length(sought)
  }
  optimize <- function(objective, working, coarse) {
    if (objective %in% singular) abort_cholesky(3L)
    list(working = optimum, evaluated = list(), iterations = 1L, evaluations = 1L, gain = 1,
      converged = TRUE, message = "converged")
  }
  singular <- 2L
  state <- fit_level(problem, 10L, FALSE, start, objective_for, optimize, 0)
  expect_true(state$converged)
  expect_equal(sought[[3L]], sqrt(sought[[1L]] * sought[[2L]]))
  sought <- list()
  singular <- 2:20
  state <- fit_level(problem, 10L, FALSE, start, objective_for, optimize, 0)
  expect_match(state$message, "max_refreshes")
  sought <- list()
  singular <- 1L
  expect_error(fit_level(problem, 10L, FALSE, start, objective_for, optimize, 0),
    class = "neargp_error_cholesky")
})

test_that("what makes no family is refused", {
  for (family in list(mean, "mean", "", NA_character_, 1, "nothing of this name")) {
    expect_error(check_family(family, vecchia()), "`family` must be",
      class = "neargp_error_argument")
  }
  expect_identical(check_family("gaussian", vecchia())$family, "gaussian")
})

# Ranges that swing for ever, with neighbours that change the value by 2 either way and let the
# optimiser gain `gain`.
swinging_rounds <- function(fit, gain, warm_start = NULL) {
  problem <- list(start = fit$parameters$working, layout = fit$layout,
    groups = component_groups(fit$covariance, fit$locations), control = neargp_control(),
    data = fit$data, warm_start = warm_start, report = function(...) invisible())
  sought <- integer(0)
  objective_for <- function(component, k) sought <<- c(sought, k)
  optimize <- function(objective, working, coarse) {
    swing <- (-1)^length(sought)
    working[fit$layout$kind == "range"] <- c(swing, -swing)
    list(working = working, evaluated = list(value = 100 + swing), gain = gain, iterations = 1L,
      evaluations = 1L, converged = TRUE, message = "converged")
  }
  c(fit_with_neighbors(problem, 30L, objective_for, optimize), list(sought = sought))
}

test_that("neighbours that change more than is gained are settled, and few are not for a fit that goes on", {
  fit <- neargp(z ~ 1, simulated_data(40), coords = ~ x + y, method = vecchia(k = 3),
    covariance = cov_exponential(variance = 1, ard = TRUE), control = neargp_control(coarse_k = 0))
  expect_identical(swinging_rounds(fit, 0.1)$sought, rep(c(10L, 30L), c(2L, 4L)))
  expect_match(swinging_rounds(fit, 0.3)$message, "max_refreshes")
  expect_identical(swinging_rounds(fit, 0.1, fit)$sought, rep(30L, 4L))
})

test_that("a setting that a method lacks is not read from one whose name begins alike", {
  data <- simulated_data(40)
  weighed <- neargp(z ~ 1, data, coords = ~ x + y, method = svgp(5, move = FALSE, kl_weight = 60),
    covariance = cov_exponential(1, 0.3), nugget = 0.1)
  expect_null(weighed$method$k)
  expect_output(print(svgp(5, kl_weight = 60)), "kl_weight +60")
})
