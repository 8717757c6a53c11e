table_of_rows <- function(n, seed = 1) {
  withr::local_seed(seed)
  data <- as.data.frame(matrix(runif(5 * n), n, dimnames = list(NULL, paste0("x", 1:5))))
  data$y <- sin(6 * data$x1) + 2 * data$x2 * data$x3 + rnorm(n, sd = 0.3)
  data
}

test_that("the terms are log densities given all earlier rows, in a random order", {
  data <- table_of_rows(60)
  fit <- neargp(y ~ 0, data, coords = ~ ., method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_matern(nu = 1.5, ard = TRUE, variance = 2, range = c(0.4, 0.5, 0.6, 2, 3)))
  problem <- problem_of_fit(fit)
  rows <- 25L
  objective <- terms_of_few_rows(problem, rows)(component_at(problem, problem$start), 59L)
  random <- function(key) core_order(problem$data$coords[, 1L, drop = FALSE], "random", key,
    problem$context)
  order <- random(0)
  targets <- random(1)[seq_len(rows)]
  scaled <- sweep(as.matrix(data[1:5]), 2L, c(0.4, 0.5, 0.6, 2, 3), "/")
  distance <- as.matrix(dist(scaled))
  covariance <- 2 * (1 + distance) * exp(-distance) + diag(0.1, 60L)
  terms <- vapply(targets, function(i) {
    earlier <- order[seq_len(match(i, order) - 1L)]
    weights <- if (length(earlier)) solve(covariance[earlier, earlier], covariance[earlier, i])
    dnorm(data$y[i], sum(weights * data$y[earlier]),
      sqrt(covariance[i, i] - sum(weights * covariance[earlier, i])), log = TRUE)
  }, 0)
  expect_equal(objective$evaluate(problem$start)$value, sum(terms), tolerance = 1e-10)
})

test_that("a table is large by its ranges and its rows", {
  data <- table_of_rows(60)
  problem_in <- function(covariance, coords = ~ .) {
    problem_of_fit(suppressWarnings(neargp(y ~ 1, data, coords = coords, covariance = covariance,
      method = vecchia(k = 5))))
  }
  table <- problem_in(cov_matern(nu = 1.5, ard = TRUE))
  expect_true(is_large_table(table, least = 60L))
  expect_false(is_large_table(table, least = 61L))
  expect_false(is_large_table(problem_in(cov_matern(nu = 1.5)), least = 10L))
  expect_false(is_large_table(problem_in(cov_matern(nu = 1.5, ard = TRUE), ~ x1 + x2), least = 10L))
  sum_of_two <- cov_exponential(ard = TRUE) + cov_matern(nu = 1.5, ard = TRUE)
  expect_false(is_large_table(problem_in(sum_of_two, ~ x1 + x2), least = 10L))
  expect_identical(with_search_tolerance(table)$control$tolerance, default_tolerance)
})

test_that("a tolerance that the call gives is kept in large tables, also if it is the default", {
  tolerance <- function(control) {
    problem <- list(control = control, free = rep(TRUE, 3L), data = list(y = double(10000L)),
      layout = data.frame(component = 1L, kind = rep("range", 3L)))
    with_search_tolerance(problem)$control$tolerance
  }
  expect_identical(tolerance(neargp_control()), 0.2)
  expect_identical(tolerance(neargp_control(tolerance = 1e-4)), 1e-4)
  expect_identical(tolerance(neargp_control(tolerance = 1e-6)), 1e-6)
})

test_that("a range at its bound begins again where its predictor has an effect", {
  problem <- list(free = c(TRUE, TRUE, TRUE, FALSE), bounds = list(upper = c(5, 5, 5, 5)),
    layout = data.frame(kind = c("variance", "range", "range", "range")))
  restarted <- function(slope, working = c(5, 5, 2, 5), loss = 51) {
    without_endless_ranges(problem, working, function(at) {
      list(n = 1000L, evaluate = function(working, ...) list(
        value = if (identical(working, at)) 0 else -loss, gradient = c(0, slope, -9, -9),
        information = diag(4L)))
    })
  }
  expect_equal(restarted(3, loss = 49), c(5, 5 - log(20), 2, 5))
  # a parabola in the inverse square w of the range, with second derivative 1 in its logarithm
  w <- exp(-2 * 5)
  top <- 4e-4
  slope <- 2 * w * (w - top) / (4 * w^2)
  expect_equal(restarted(slope), c(5, -log(top) / 2, 2, 5))
  expect_equal(restarted(-1e3), c(5, 5 - log(20), 2, 5))
  # a gain below half a unit, a gradient outwards, and a range that is not at its bound
  expect_equal(restarted(-0.9), c(5, 5, 2, 5))
  expect_equal(restarted(3), c(5, 5, 2, 5))
  expect_equal(restarted(-3, c(5, 2, 2, 5)), c(5, 2, 2, 5))
})

test_extended("a large table ends at the optimum of the search that begins with all rows", {
  data <- table_of_rows(11000)
  call <- function(...) {
    neargp(y ~ 1, data[1:10500, ], coords = ~ ., method = vecchia(k = 20),
      covariance = cov_matern(nu = 1.5, ard = TRUE), ...)
  }
  fit <- call()
  # another tolerance, and no coarse round: all rows from the first step on
  reference <- call(control = neargp_control(tolerance = 1e-5, coarse_k = 0))
  found <- list(coef(fit, what = "covariance"), coef(reference, what = "covariance"))
  expect_gt(as.numeric(logLik(fit)), as.numeric(logLik(reference)) - 5)
  expect_equal(found[[1L]][["nugget"]], found[[2L]][["nugget"]], tolerance = 0.01)
  expect_equal(scores(fit, newdata = data[10501:11000, ])$log_score,
    scores(reference, newdata = data[10501:11000, ])$log_score, tolerance = 0.01)
  expect_identical(coef(call()), coef(fit))  # no random numbers
})

test_extended("one range for all loses on few rows where ranges differ, and only there", {
  data <- table_of_rows(10000)
  alike <- data
  alike$y <- sin(3 * rowSums(data[1:5])) + rnorm(10000, sd = 0.5)
  loses <- vapply(list(data, alike), function(rows) {
    fit <- neargp(y ~ 1, rows, coords = ~ ., method = vecchia(k = 10),
      covariance = cov_matern(nu = 1.5, ard = TRUE))
    problem <- problem_of_fit(fit)
    loses_on_few_rows(problem, isotropic_models(problem)[[1L]]$problem, problem$start,
      scoring_optimizer)
  }, NA)
  expect_identical(loses, c(TRUE, FALSE))
})

test_extended("a fit of a large table goes on from its checkpoint and uses no random numbers", {
  data <- table_of_rows(10000)
  ends <- expect_resumes(function(..., seed = 3) {
    set.seed(seed)
    neargp(y ~ 1, data, coords = ~ x1 + x2 + x3, covariance = cov_matern(nu = 1.5, ard = TRUE),
      method = vecchia(k = 10), verbose = FALSE, ...)
  }, c(0.1, 0.7))
  expect_gt(length(ends), 4)
  set.seed(5)
  before <- .Random.seed
  neargp(y ~ 1, data, coords = ~ x1 + x2 + x3, covariance = cov_matern(nu = 1.5, ard = TRUE),
    method = vecchia(k = 10))
  expect_identical(.Random.seed, before)
})
