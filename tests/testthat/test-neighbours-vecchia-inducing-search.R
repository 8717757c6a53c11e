low_rank_problem <- function(data, method, ...) {
  inducing_problem(z ~ 1, data, ~ ., method, cov_matern(nu = 2.5, ard = TRUE), ...)
}

# Two of six inputs matter.
with_idle_inputs <- function(n = 300L) {
  withr::with_seed(7, {
    data <- as.data.frame(matrix(stats::rnorm(6 * n), n, 6L))
    data$z <- sin(2 * data$V1) + data$V2^2 / 2 + stats::rnorm(n, sd = 0.2)
    data
  })
}

test_that("inverse ranges are those of the working parameters, with their slope and bounds", {
  problem <- low_rank_problem(with_idle_inputs(60L), vecchia(k = 5, inducing = 8))
  chart <- inverse_range_chart(problem)
  working <- problem$start
  inverse <- chart$from_working(working)
  range <- problem$layout$kind == "range"
  expect_equal(inverse[range], 1 / to_core(working, problem$layout$transform)[range])
  expect_equal(chart$to_working(inverse), working)
  step <- 1e-6 * pmax(abs(inverse), 1e-3)
  expect_equal(chart$slope(working),
    (chart$to_working(inverse + step) - chart$to_working(inverse - step)) / (2 * step),
    tolerance = 1e-6)
  free <- problem$free
  expect_equal(chart$to_working(chart$bounds$lower)[free & range],
    problem$bounds$upper[free & range])
  expect_true(all(chart$bounds$lower[free] < chart$bounds$upper[free]))
})

test_extended("a climb that knows the curvature ends at the same optimum in fewer evaluations", {
  data <- with_idle_inputs(200L)
  method <- vecchia(k = 8, inducing = 20)
  problem <- low_rank_problem(data, method)
  start <- low_rank_start(method, problem)
  given <- first_given(method, problem, start)
  information <- start$information_at(given$working)
  first <- climb(problem, given, information, tolerance = 1e-4)
  again <- climb(problem, given, information, tolerance = 1e-4, curvature = first$curvature)
  expect_equal(again$evaluated$value, first$evaluated$value, tolerance = 1e-4)
  expect_lt(again$evaluations, 0.7 * first$evaluations)
  # values and gradients are those of the objective itself
  expect_identical(given$objective$evaluate(again$working)[c("value", "gradient")],
    again$evaluated[c("value", "gradient")])
})

test_extended("inputs that tell nothing do not hold the search up", {
  data <- with_idle_inputs()
  method <- vecchia(k = 10, inducing = 40)
  fit <- neargp(z ~ 1, data, coords = ~ ., method = method,
    covariance = cov_matern(nu = 2.5, ard = TRUE))
  expect_true(fit$convergence$converged)
  expect_lt(fit$convergence$evaluations, 150)
  ranges <- coef(fit, "covariance")[paste0("range_V", 1:6)]
  expect_gt(min(ranges[3:6]), 2 * max(ranges[1:2]))
  problem <- low_rank_problem(data, method, start = fit)
  state <- maximize_residual(method, problem, low_rank_start(method, problem))
  further <- climb(problem, state$given, diag(300, length(state$working)), tolerance = 1e-8)
  expect_lt(further$evaluated$value - state$evaluated$value, 0.2)
})

# Two lines of locations. Where the distance of the lines is 0, the nearest row is at the same
# location and its value leaves no variance.
test_that("neighbours that leave no variance are searched half way to where the last ones were", {
  data <- data.frame(x = c(0:29, -1:28) / 29, y = rep(0:1, each = 30))
  data$z <- sin(4 * data$x) + data$y
  method <- vecchia(k = 1, ordering = "given", inducing = cbind(c(1e6, 1e6 + 1), 0))
  problem <- low_rank_problem(data, method, nugget = 0)
  ranges <- problem$layout$kind == "range"
  at <- function(x, y) replace(problem$start, ranges, log(c(x, y)))
  before <- nearest_given(method, problem, at(60, 0.1), key = 0)
  beside <- at(0.1, 1e9)
  expect_error(given_neighbors(method, problem, before$arrangement,
    correlated_residual(problem, method, before$arrangement, beside), beside),
    class = "neargp_error_cholesky")
  found <- correlated_given(method, problem, before, beside)
  expect_true(is.finite(found$evaluated$value))
  share <- (found$searched_at - before$searched_at)[ranges] / (beside - before$searched_at)[ranges]
  expect_equal(share[1L], share[2L])
  expect_gt(share[1L], 0)
  expect_lt(share[1L], 1)
  expect_identical(found$working, beside)
  expect_identical(names(searched_in(problem, found)), "searched_in")
  expect_null(searched_in(problem, before))
})

test_that("with all neighbours the search ends at the maximum of the exact likelihood", {
  for (seed in c(12, 16)) {
    data <- withr::with_seed(seed, {
      data <- data.frame(x = runif(100), y = runif(100), u = rnorm(100))
      covariance <- exp(-as.matrix(dist(data[1:2])) / 0.2) + diag(1e-8, 100)
      data$z <- drop(t(chol(covariance)) %*% rnorm(100)) + data$u + rnorm(100, sd = 0.3)
      data
    })
    value <- function(method) {
      as.numeric(logLik(neargp(z ~ u, data, coords = ~ x + y, method = method,
        covariance = cov_exponential())))
    }
    expect_equal(value(vecchia(k = 99, inducing = 20)), value(exact_gp()), tolerance = 1e-5)
  }
})

test_extended("the search of a large table begins with some of its rows, and ends as one of all rows does", {
  data <- withr::with_seed(2, {
    rows <- as.data.frame(matrix(stats::runif(3 * 10600), ncol = 3L))
    rows$z <- sin(5 * rows$V1) + rows$V2^2 + stats::rnorm(10600, sd = 0.3)
    rows
  })
  call <- function(...) {
    neargp(z ~ 1, data[1:10000, ], coords = ~ ., method = vecchia(k = 5, inducing = 20),
      covariance = cov_matern(nu = 2.5, ard = TRUE), verbose = FALSE, ...)
  }
  problem <- low_rank_problem(data[1:10000, ], vecchia(k = 5, inducing = 20))
  start <- residual_start(problem$method, problem)
  expect_true(start$continued)
  expect_gt(start$evaluations, 0L)
  set.seed(5)
  before <- .Random.seed
  fit <- call()
  expect_identical(.Random.seed, before)
  reference <- call(control = neargp_control(coarse_k = 0))
  expect_gt(as.numeric(logLik(fit)), as.numeric(logLik(reference)) - 5)
  expect_equal(coef(fit, "covariance")[["nugget"]], coef(reference, "covariance")[["nugget"]],
    tolerance = 0.01)
  new <- data[10001:10600, ]
  expect_equal(scores(fit, newdata = new)$log_score, scores(reference, newdata = new)$log_score,
    tolerance = 0.01)
})

test_that("the order of the rows in memory changes no value", {
  data <- with_idle_inputs(40L)
  problem <- low_rank_problem(data, vecchia(k = 5, inducing = 8))
  given <- first_given(problem$method, problem, low_rank_start(problem$method, problem))
  found <- given$objective$evaluate(given$working)
  layout <- problem$layout
  wanted <- core_residual_vecchia(problem$data$coords, response_columns(problem$data),
    1 / problem$data$weights, given$arrangement$positions, given$neighbors,
    specified_covariance(covariance_specification(layout, problem$groups),
      to_core(given$working, layout$transform)),
    nugget_of(layout, to_core(given$working, layout$transform)), problem$method$jitter, FALSE,
    problem$context)
  expect_equal(found$value, wanted$value, tolerance = 1e-12)
  reversed <- reordered_neighbors(matrix(c(NA, NA, 1L, NA, 2L, 1L), 2), 3:1)
  expect_identical(c(reversed), c(2L, 3L, 3L, NA, NA, NA))
})

# The search begins with 5,000 rows, which lack the two rows of the indicator.
test_extended("an indicator of two rows in ten thousand is fitted", {
  set.seed(1)
  n <- 10000
  d <- data.frame(x = runif(n), y = runif(n), z = runif(n), rare = replace(double(n), c(1, 5), 1))
  d$v <- sin(3 * d$x) + d$y * d$z + rnorm(n, 0, 0.1)
  fit <- neargp(v ~ 1, d, coords = ~ x + y + z + rare, method = vecchia(k = 5, inducing = 10),
    covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1, verbose = FALSE)
  expect_lt(abs(sqrt(coef(fit, what = "covariance")[["nugget"]]) - 0.1), 0.005)
})
