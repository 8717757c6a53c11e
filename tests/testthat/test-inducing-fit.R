objective_differences <- function(value, at, step = 1e-5) {
  vapply(seq_along(at), function(i) {
    shift <- replace(double(length(at)), i, step)
    (value(at + shift) - value(at - shift)) / (2 * step)
  }, 0)
}

test_extended("the gradient in working parameters and free positions is that of differences, on a plane and on a sphere", {
  data <- transform(simulated_data(60), lon = 20 * x, lat = 40 + 10 * y, depth = height)
  cases <- list(
    list(coords = ~ x + y, covariance = cov_exponential(anisotropy = TRUE)),
    list(coords = ~ lon + lat, covariance = cov_matern(nu = NULL), distance = "chordal"),
    list(coords = ~ lon + lat + depth, covariance = cov_powered_exponential(ard = TRUE),
      distance = "chordal"))
  for (case in cases) {
    problem <- do.call(inducing_problem, c(list(z ~ height, data, method = svgp(inducing = 6)),
      case))
    method <- problem$method
    component <- component_at(problem, problem$start)
    positions <- start_positions(method, problem, component)
    chart <- position_chart(problem, positions, component)
    objective <- bound_objective(problem, method)
    free <- chart$to_free(positions) * rep(c(1, 1.02, 0.99), length.out = length(positions))
    result <- objective(problem$start, chart$to_positions(free))
    expect_equal(result$gradient[problem$free],
      objective_differences(function(x) objective(x, chart$to_positions(free))$value,
        problem$start)[problem$free], tolerance = 1e-5)
    expect_equal(chart$slope(free, result$d_inducing),
      objective_differences(function(x) objective(problem$start, chart$to_positions(x))$value,
        free), tolerance = 1e-5)
  }
})

test_that("positions on a sphere stay there", {
  data <- transform(simulated_data(80), lon = 100 * x, lat = 60 * y)
  fit <- neargp(z ~ 1, data, coords = ~ lon + lat, distance = "chordal",
    method = svgp(inducing = 8), covariance = cov_matern(nu = 1.5))
  expect_equal(sqrt(rowSums(fit$svgp$positions^2)), rep(core_embed_longlat(cbind(0, 0))[1L], 8),
    tolerance = 1e-12)
  expect_equal(unname(core_embed_longlat(unname(as.matrix(fit$inducing)))), fit$svgp$positions,
    tolerance = 1e-9)
})

test_that("parameters of many rows begin at those of some", {
  problem <- inducing_problem(z ~ 1, simulated_data(300), coords = ~ x + y,
    method = svgp(inducing = 10), covariance = cov_matern(nu = 1.5))
  reached <- subset_start(problem$method, problem, rows = 100L, points = 20L)
  objective <- bound_objective(problem, problem$method)
  value <- function(working) {
    objective(working, start_positions(problem$method, problem,
      component_at(problem, working)))$value
  }
  expect_gt(value(reached), value(problem$start) - 5)
  expect_false(identical(reached, problem$start))
  expect_identical(subset_start(problem$method, problem), problem$start)
})

test_that("derivatives whose squares overflow are refused by name", {
  data <- simulated_data(20)
  for (method in list(svgp(), ppgpr())) {
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method, family = student_t(),
      covariance = cov_exponential(variance = 1e200)),
      "derivatives.*overflow", class = "neargp_error_scale")
  }
})

test_that("a field of next to no variance leaves the trend what it is without a field", {
  data <- vnngp_data(80, seed = 4)
  alone <- stats::glm(poisson ~ h, stats::poisson(), data, epsilon = 1e-14)
  for (variance in c(1e-12, 1e-200)) {
    fit <- neargp(poisson ~ h, data, coords = ~ x + y, method = svgp(10), family = poisson(),
      covariance = cov_exponential(variance = variance, range = 0.2), verbose = FALSE)
    expect_equal(coef(fit), coef(alone), tolerance = 1e-5)
    expect_equal(vcov(fit), vcov(alone), tolerance = 5e-3)
    expect_equal(c(logLik(fit)), c(logLik(alone)), tolerance = 1e-6)
  }
})

test_that("ranges and noise begin where few points know something of the field, but for those that are given", {
  data <- withr::with_seed(9, as.data.frame(matrix(stats::rnorm(800), 100)))
  data$z <- sin(data$V1) + cos(3 * data$V2)
  problem <- inducing_problem(z ~ 1, data, coords = ~ V1 + V2 + V3 + V4 + V5 + V6 + V7 + V8,
    method = svgp(inducing = 10), covariance = cov_matern(nu = 2.5, ard = TRUE))
  layout <- problem$layout
  begun <- function(problem) to_core(start_for_points(problem), layout$transform)
  ranges <- layout$kind == "range"
  expect_true(all(begun(problem)[ranges] >= 0.999 * sqrt(8) / 2 * apply(problem$data$coords, 2L,
    stats::sd)))
  expect_gte(begun(problem)[layout$kind == "nugget"],
    0.0999 * begun(problem)[layout$kind == "variance"])
  first <- which(ranges)[1L]
  problem$layout$start[first] <- 0.3
  problem$start[first] <- log(0.3)
  expect_equal(begun(problem)[first], 0.3)
  problem$start[] <- 10
  expect_equal(start_for_points(problem)[problem$free],
    pmin(10, problem$bounds$upper)[problem$free])
})

test_that("variances begin at no less than that of the response, of each output by itself", {
  problem <- inducing_problem(z ~ height, simulated_data(40), coords = ~ x + y,
    method = svgp(inducing = 10), covariance = cov_exponential() + cov_matern(nu = 1.5))
  layout <- problem$layout
  variance <- layout$kind == "variance"
  problem$start[variance] <- log(c(1, 3)) - 9
  trend <- stats::lm(z ~ height, simulated_data(40))
  begun <- to_core(start_for_points(problem), layout$transform)
  least <- residual_variance(problem$data)
  expect_equal(least, stats::sigma(stats::lm(z ~ height, simulated_data(40)))^2)
  expect_equal(begun[variance], c(0.25, 0.75) * least)
  problem$layout$start[which(variance)[1L]] <- exp(-9)
  expect_equal(to_core(start_for_points(problem), layout$transform)[variance],
    c(exp(-9), 0.75 * least))

  two <- data.frame(kind = c(rep("loading", 4L), "range", "nugget", "nugget"),
    component = c(1, 1, 1, 1, 1, NA, NA))
  values <- c(1, -1, 0.5, 0.2, 3, 0.1, 0.1)
  expect_equal(with_variances(values, two, c(4, 0.01)), c(sqrt(2), -sqrt(2), values[-(1:2)]))
})

test_that("a fit that was stopped early says so and keeps the best that it saw", {
  expect_warning(fit <- neargp(z ~ 1, simulated_data(80), coords = ~ x + y,
    method = svgp(inducing = 10), covariance = cov_matern(nu = 1.5),
    control = neargp_control(max_iterations = 1L)), "max_iterations",
    class = "neargp_warning_convergence")
  expect_false(fit$convergence$converged)
  expect_true(is.finite(fit$log_likelihood))
})

test_that("progress is told where it is asked for", {
  expect_message(neargp(z ~ 1, simulated_data(80), coords = ~ x + y, method = svgp(inducing = 10),
    covariance = cov_matern(nu = 1.5), verbose = TRUE), "10 evaluations: bound")
})

test_that("a singular matrix at the start is an error that tells what to do", {
  error <- expect_error(abort_bound("prior"), "inducing points", class = "neargp_error_cholesky")
  expect_match(conditionMessage(error), "jitter")
  expect_error(abort_bound("trend"), "covariates", class = "neargp_error_cholesky")
})

test_that("moved points end at no less than points that are held, also on observations", {
  data <- data_of_field(11, 150, function(d) exp(-d / 0.2), 0.3)
  for (points in c(40, 125, 150)) {
    bound <- function(move) {
      as.numeric(logLik(neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(),
        method = svgp(inducing = points, move = move))))
    }
    expect_gte(bound(TRUE), bound(FALSE) - 1e-6)
  }
})
