# The pass of many effects against the one with their columns in the Gram matrix, which is tested
# against the dense model (test-effects-likelihood.R).

# Both passes of one problem with the same neighbours.
both_passes <- function(fit) {
  problem <- fold_problem(fit, seq_along(fit$data$y), plain_context(1L))
  problem <- with_start(problem$method, problem)
  neighbors <- neighbors_before(problem, component_at(problem, problem$start), 8L, "maxmin", 0)
  list(start = problem$start, pass = effects_pass_objective(problem, neighbors),
    gram = with_constant("fewest_sparse_columns", Inf, local_objective(problem, neighbors)))
}

test_extended("value, gradient, effects and their errors are those of the Gram matrix of all columns", {
  for (estimation in c("ML", "REML")) {
    fit <- suppressWarnings(many_effects_fit(method = vecchia(8, estimation = estimation),
      control = neargp_control(max_iterations = 1L)))
    both <- both_passes(fit)
    found <- both$pass$evaluate(both$start, TRUE)
    wanted <- both$gram$evaluate(both$start, TRUE)
    expect_equal(found$value, wanted$value, tolerance = 1e-10)
    expect_equal(found$gradient, wanted$gradient, tolerance = 1e-9)
    expect_equal(found$beta, wanted$beta, tolerance = 1e-9)
    expect_equal(both$pass$full_vcov(both$start), wanted$beta_vcov, tolerance = 1e-9)
    expect_equal(both$pass$gradient(both$start, NULL), wanted$gradient, tolerance = 1e-9)
  }
})

test_extended("smooths and noise of its own are no exception", {
  skip_if_not_installed("mgcv")
  fit <- suppressWarnings(many_effects_fit(z ~ s(depth, k = 6) + (1 | region), nugget = ~ depth,
    control = neargp_control(max_iterations = 1L)))
  both <- both_passes(fit)
  found <- both$pass$evaluate(both$start, TRUE)
  wanted <- both$gram$evaluate(both$start, TRUE)
  expect_equal(found$value, wanted$value, tolerance = 1e-10)
  expect_equal(found$gradient, wanted$gradient, tolerance = 1e-8)
})

test_extended("a fit that has ended is resumed to the same bits, errors of the effects among them", {
  data <- many_effects_data()
  run <- function(..., seed = 3) {
    set.seed(seed)
    many_effects_fit(z ~ a + (1 | region), vecchia(5), data, ...)
  }
  ends <- expect_resumes(run, shares = c(0.5, 1))
  expect_gt(length(ends), 2)
})

test_extended("results are the same with any number of threads", {
  fits <- lapply(1:2, function(threads) neargp(z ~ (1 | region), many_effects_data(),
    coords = ~ x + y, method = vecchia(5), covariance = cov_exponential(), threads = threads,
    verbose = FALSE))
  expect_identical(fits[[1L]]$parameters, fits[[2L]]$parameters)
  expect_identical(ranef(fits[[1L]]), ranef(fits[[2L]]))
})

test_extended("compressed columns have the estimates, errors and predictions of full ones", {
  data <- many_effects_data()
  full <- many_effects_fit()
  compressed <- with_constant("most_dense_columns", 20L, many_effects_fit())
  expect_false(is_compressed(full$data))
  expect_true(is_compressed(compressed$data))
  expect_lt(ncol(compressed$data$effects$Z), 10)
  expect_equal(compressed$parameters, full$parameters, tolerance = 1e-8)
  expect_equal(compressed$information, full$information, tolerance = 1e-8)
  expect_equal(coef(compressed), coef(full), tolerance = 1e-8)
  expect_equal(ranef(compressed, se = TRUE), ranef(full, se = TRUE), tolerance = 1e-8)
  new <- data.frame(x = c(0.3, 0.8), y = 0.4, a = c(1, -2), region = c(45, 1000), year = c(3, 77))
  for (settings in list(list(), list(local_mean = FALSE, smooth = FALSE), list(re.form = NA),
    list(type = "terms"))) {
    predicted <- function(fit) do.call(predict, c(list(fit, new, allow.new.levels = TRUE,
      verbose = FALSE), settings))
    expect_equal(predicted(compressed), predicted(full), tolerance = 1e-8)
  }
  expect_equal(VarCorr(compressed), VarCorr(full), tolerance = 1e-8)
  expect_equal(residuals(compressed, type = "trend"), residuals(full, type = "trend"),
    tolerance = 1e-8)
  expect_equal(loo_predict(compressed), loo_predict(full), tolerance = 1e-8)
  for (call in expression(vcov(compressed, what = "random"), simulate(compressed),
    predict(compressed, new, allow.new.levels = TRUE, joint = TRUE))) {
    expect_error(eval(call), class = "neargp_error_size")
  }
})

test_extended("estimates with compressed columns are at the maximum by the Gram matrix of all columns", {
  control <- neargp_control(tolerance = 1e-12)
  full <- with_constant("fewest_sparse_columns", Inf, many_effects_fit(control = control))
  compressed <- with_constant("most_dense_columns", 20L, many_effects_fit(control = control))
  expect_equal(c(logLik(compressed)), c(logLik(full)), tolerance = 1e-8)
  # Where the value is a maximum to 1e-12, parameters are to the root of that.
  expect_equal(coef(compressed, what = "covariance"), coef(full, what = "covariance"),
    tolerance = 1e-6)
  # Differences to one side, and of the Gram matrix to both.
  expect_equal(compressed$information, full$information, tolerance = 1e-4)
})

test_extended("compressed columns are predicted without a trend, too", {
  full <- many_effects_fit(z ~ 0 + (1 | region))
  compressed <- with_constant("most_dense_columns", 20L, many_effects_fit(z ~ 0 + (1 | region)))
  expect_true(is_compressed(compressed$data))
  new <- data.frame(x = c(0.3, 0.8), y = 0.4, region = c(45, 1000))
  for (settings in list(list(), list(re.form = NA), list(type = "terms"))) {
    predicted <- function(fit) do.call(predict, c(list(fit, new, allow.new.levels = TRUE,
      verbose = FALSE), settings))
    expect_equal(predicted(compressed), predicted(full), tolerance = 1e-8)
  }
  expect_equal(loo_predict(compressed), loo_predict(full), tolerance = 1e-8)
})

test_extended("rows that determine a coefficient, or nearly their effects, are left out as of full columns", {
  data <- many_effects_data()
  data$kind <- factor(ifelse(seq_len(300) == 7, "only", rep_len(c("a", "b"), 300)))
  full <- many_effects_fit(z ~ kind + (1 | region), data = data)
  compressed <- with_constant("most_dense_columns", 20L,
    many_effects_fit(z ~ kind + (1 | region), data = data))
  left <- lapply(list(full, compressed), function(fit) {
    expect_warning(left <- loo_predict(fit), "without row 7 ", class = "neargp_warning_leverage")
    left
  })
  expect_identical(left[[2L]]$mean[7], NA_real_)
  expect_identical(left[[2L]]$sd[7], Inf)
  expect_equal(left[[2L]], left[[1L]], tolerance = 1e-8)
  expect_error(with_constant("high_leverage", 0.2, loo_predict(compressed)), "their own effects",
    class = "neargp_error_size")
})

test_extended("columns are compressed where they have too many numbers, which errors say", {
  with_numbers <- function(columns, code) with_constant("most_dense_numbers", 300 * columns, code)
  full <- with_numbers(79, many_effects_fit(z ~ a + (1 | region)))
  expect_false(is_compressed(full$data))
  compressed <- with_numbers(78.9, many_effects_fit(z ~ a + (1 | region)))
  expect_true(is_compressed(compressed$data))
  expect_error(with_numbers(78.9, simulate(compressed)), "With 300 rows, the limit is 78",
    class = "neargp_error_size")
})

test_that("levels too many for any factor are an error that names them", {
  expect_error(with_constant("most_effect_work", 1, many_effects_fit()), "region: 79",
    class = "neargp_error_size")
})

test_extended("parameters are integrated, and folds refitted, with effects of either kind", {
  data <- many_effects_data()
  full <- many_effects_fit(z ~ a + (1 | region))
  compressed <- with_constant("most_dense_columns", 20L, many_effects_fit(z ~ a + (1 | region)))
  new <- data[1:4, ]
  integrated <- lapply(list(full, compressed), predict, new, parameters = "integrated",
    device = "cpu", verbose = FALSE)
  expect_equal(integrated[[1L]], integrated[[2L]], tolerance = 1e-8)
  folds <- rep_len(1:3, nrow(data))
  scores <- lapply(list(full, compressed), function(fit) scores(cross_validate(fit, folds = folds,
    verbose = FALSE)))
  expect_equal(scores[[1L]], scores[[2L]], tolerance = 1e-8)
})

test_that("in shards many effects are columns as few are", {
  set.seed(3)
  data <- data.frame(x = stats::runif(150), y = stats::runif(150), g = rep(1:70, length.out = 150))
  data$z <- sin(6 * data$x) + stats::rnorm(70, sd = 0.5)[data$g] + stats::rnorm(150, sd = 0.3)
  fitted_to <- function(...) neargp(z ~ 1 + (1 | g), data, coords = ~ x + y, threads = 1L,
    method = vecchia(k = 20), covariance = cov_exponential(), ...)
  sharded <- fitted_to(control = neargp_control(shards = 2))
  expect_equal(c(logLik(sharded)), c(logLik(fitted_to())), tolerance = 5e-3)
})

test_extended("exact_gp() finds its start by the columns without zeros, also where locations repeat", {
  set.seed(3)
  data <- data.frame(x = stats::runif(150), y = stats::runif(150), a = stats::rnorm(150))
  data$g <- factor(c(1:80, sample(80, 70, TRUE)))
  data$z <- data$a + sin(6 * data$x) + stats::rnorm(80, sd = 0.5)[data$g] +
    stats::rnorm(150, sd = 0.3)
  dense <- 0L
  own <- asNamespace("neargp")
  suppressMessages(trace("profile_effects", function() dense <<- dense + 1L, print = FALSE,
    where = own))
  on.exit(suppressMessages(untrace("profile_effects", where = own)))
  fitted_to <- function(data, method, ...) neargp(z ~ a + (1 | g), data, coords = ~ x + y,
    method = method, covariance = cov_exponential(), threads = 1L, ...)
  fit <- fitted_to(data, exact_gp())
  # some steps, and two for each of four parameters; before, the start took them too
  expect_gt(dense, 8L)
  expect_lt(dense, 25L)
  strict <- neargp_control(tolerance = 1e-8)
  fit <- fitted_to(data, exact_gp(), control = strict)
  all_neighbors <- fitted_to(data, vecchia(k = 149), control = strict)
  expect_equal(c(logLik(fit)), c(logLik(all_neighbors)), tolerance = 1e-6)
  expect_equal(coef(fit), coef(all_neighbors), tolerance = 1e-3)
  expect_equal(vcov(fit), vcov(all_neighbors), tolerance = 1e-2)
  data[101:150, c("x", "y")] <- data[1:50, c("x", "y")]
  expect_equal(c(logLik(fitted_to(data, exact_gp()))), c(logLik(fitted_to(data, vecchia(k = 149)))),
    tolerance = 1e-5)
})
