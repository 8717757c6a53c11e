polya_gamma_fit <- function(data, k = 8L, formula = class ~ 0, steps = 30L, ..., start = NULL) {
  withr::local_seed(1)
  neargp(formula, data, coords = ~ x + y,
    family = if (nlevels(data$class) == 2L) stats::binomial() else categorical(), threads = 1L,
    covariance = cov_matern(1.5), method = loo_k(k, "polya-gamma", steps = steps, ...),
    start = start)
}

test_that("the density of the variables is their alternating series, and integrates to one with mean 1/4", {
  density <- function(omega) exp(core_log_polya_gamma(omega)$value)
  n <- 0:6
  series <- function(w) {
    sum((-1)^n * (2 * n + 1) / sqrt(2 * pi * w^3) * exp(-(2 * n + 1)^2 / (8 * w)))
  }
  expect_equal(density(c(0.02, 0.25, 1, 2.4)), vapply(c(0.02, 0.25, 1, 2.4), series, 0),
    tolerance = 1e-10)
  expect_equal(integrate(density, 1e-4, 2.5, rel.tol = 1e-8)$value, 1, tolerance = 1e-4)
  expect_equal(integrate(function(w) w * density(w), 1e-4, 2.5, rel.tol = 1e-8)$value, 0.25,
    tolerance = 1e-3)
  w <- c(0.01, 0.2, 1.5)
  slope <- (core_log_polya_gamma(w * exp(1e-5))$value -
    core_log_polya_gamma(w * exp(-1e-5))$value) / 2e-5
  expect_equal(core_log_polya_gamma(w)$slope, slope, tolerance = 1e-6)
})

# Written once more: dense matrices, integrals by integrate().
dense_polya_gamma <- function(fit) {
  data <- fit$data
  class <- as.integer(observed_classes(fit))
  levels <- fit$classifier$levels
  signs <- polya_gamma_signs(class, length(levels))
  K <- dense_covariance(data$coords, data$coords, fit$core_covariance)
  raw <- vapply(seq_len(ncol(signs)), function(r) {
    vapply(seq_along(class), function(i) {
      others <- setdiff(seq_along(class), i)
      omega <- fit$classifier$omega[others, r]
      weights <- solve(K[others, others] + diag(1 / omega), K[others, i])
      mean <- sum(weights * signs[others, r] / (2 * omega))
      sd <- sqrt(K[i, i] - sum(weights * K[others, i]))
      integrate(function(g) plogis(g) * dnorm(g, mean, sd), mean - 9 * sd, mean + 9 * sd,
        rel.tol = 1e-9)$value
    }, 0)
  }, double(length(class)))
  if (length(levels) == 2L) cbind(1 - raw, raw) else raw / rowSums(raw)
}

test_extended("with k = n - 1 the leave-one-out probabilities are the dense ones", {
  for (classes in list(c("a", "b"), c("a", "b", "c"))) {
    fit <- polya_gamma_fit(class_data(35, classes, repeated = 3L), k = 34L)
    fit$core_covariance$components[[1L]][c("variance", "range")] <- list(2, 0.3)
    predicted <- unname(as.matrix(loo_predict(fit)[paste0("prob_", classes)]))
    expect_equal(predicted, unname(dense_polya_gamma(fit)), tolerance = 1e-5)
  }
})

test_extended("gradients of a draw are those of its value", {
  for (classes in list(c("a", "b"), c("a", "b", "c"))) {
    problem <- example_problem("polya-gamma", classes)
    withr::local_seed(3)
    theta <- replace(label_start(problem, 7L), nrow(problem$layout) + 1L, 0)
    theta <- theta + 0.1 * (seq_along(theta) > nrow(problem$layout) + 1L)
    at <- c(3L, 50L, 71L, 8L)
    batch <- polya_gamma_batch(nearest_rows(problem, at, split_theta(problem, theta)$working, 7L),
      at)
    signs <- polya_gamma_signs(problem$classes$labels$class, length(classes))
    signs <- signs[batch$rows, , drop = FALSE]
    q <- cbind(rnorm(length(signs), log(0.25), 0.3) + 0 * signs, 0 * signs - 1)
    # Some draws lie beyond the limit of the series.
    drawn <- replace(rnorm(200), 5L, 8)
    ascent <- function(theta, q) {
      polya_gamma_gradient(problem, theta, q, signs, batch, 0.7,
        draw = function(n) drawn[seq_len(n)])
    }
    found <- ascent(theta, q)
    h <- 1e-5
    difference <- function(up, down) (up$value - down$value) / (2 * h)
    free <- which(c(problem$free, FALSE, rep(TRUE, length(theta) - nrow(problem$layout) - 1L)))
    slope <- vapply(free, function(i) {
      difference(ascent(replace(theta, i, theta[i] + h), q), ascent(replace(theta, i, theta[i] - h),
        q))
    }, 0)
    expect_equal(found$theta[free], slope, tolerance = 1e-6)
    some <- seq(1, length(q), by = 5)
    slope <- vapply(some, function(i) difference(ascent(theta, replace(q, i, q[i] + h)),
      ascent(theta, replace(q, i, q[i] - h))), 0)
    expect_equal(found$q[some], slope, tolerance = 1e-5)
  }
})

# The objective per observation of two classes with k = n - 1, written once more. At given draws it
# uses fine sums and the inverse of the full matrix, A = (K + 1 / omega)^-1. Then
# z_i - mu_i = [A z]_i / A_ii and f_i + 1 / omega_i = 1 / A_ii.
dense_objective <- function(K, signs, q, kl_weight, draws) {
  location <- q[, 1L]
  log_scale <- q[, 2L]
  nodes <- seq(-6, 6, length.out = 81L)
  values <- apply(draws, 2L, function(draw) {
    omega <- pmin(exp(location + exp(log_scale) * draw), 2.5)
    A <- solve(K + diag(1 / omega))
    z <- signs / (2 * omega)
    mean <- z - drop(A %*% z) / diag(A)
    sd <- sqrt(1 / diag(A) - 1 / omega)
    p <- plogis(signs * (mean + outer(sd, nodes))) %*% (dnorm(nodes) / sum(dnorm(nodes)))
    sum(log(p)) - kl_weight * sum(-location - log_scale - (1 + log(2 * pi)) / 2 -
      core_log_polya_gamma(omega)$value)
  })
  mean(values) / length(signs)
}

test_extended("a long run ends at the optimum of a dense objective, whether all rows are in each batch or few", {
  data <- class_data(8L, c("a", "b"), seed = 5)
  problem <- example_problem("polya-gamma", c("a", "b"), data,
    cov_matern(1.5, variance = 4, range = 0.3), class ~ 0)
  theta <- replace(label_start(problem, 7L), nrow(problem$layout) + 1L, 0)
  K <- dense_covariance(problem$data$coords, problem$data$coords,
    covariance_at(problem, split_theta(problem, theta)$working))
  signs <- drop(polya_gamma_signs(problem$classes$labels$class, 2L))
  withr::local_seed(1)
  draws <- matrix(rnorm(8L * 60L), 8L)
  draws <- cbind(draws, -draws)
  score <- function(q, weight) dense_objective(K, signs, matrix(q, 8L), weight, draws)
  start <- matrix(c(log(0.25), log(0.2)), 8L, 2L, byrow = TRUE)
  for (weight in c(1, 0.05)) {
    best <- optim(start, score, weight = weight, method = "L-BFGS-B", lower = -4, upper = 1,
      control = list(fnscale = -1, factr = 1e10))
    gain <- best$value - score(start, weight)
    for (size in c(8L, 2L)) {
      method <- loo_k(7L, "polya-gamma", "adam", steps = if (size == 8L) 3000L else 6000L,
        batch_size = size, kl_weight = weight)
      expect_gt(score(polya_gamma_adam(method, problem, theta)$q, weight), best$value - 0.1 * gain)
    }
  }
})

test_that("rows without a gradient move as in Adam over all rows", {
  withr::local_seed(2)
  variables <- new_variables(prior_variables(2L, 1L))
  dense <- list(working = variables$value, moments = list(first = variables$first,
    second = variables$second))
  for (step in 1:2000) {
    gradient <- matrix(0, 2L, 2L)
    if (step %% 25 == 0) gradient[2L, ] <- rnorm(2L, 0.5)
    dense <- adam_step(dense$working, gradient, dense$moments, step, 0.03)
    if (step %% 25 > 0) next
    row <- variables_of(variables, 2L, step, 0.03)
    update_variables(variables, 2L, adam_step(row$value, gradient[2L, , drop = FALSE], row$moments,
      step, 0.03), step)
  }
  expect_equal(variables$second, dense$moments$second, tolerance = 1e-10)
  # The correction of bias is throughout that of the step at which a row is read.
  expect_equal(variables$value, dense$working, tolerance = 0.02)
})

test_extended("it learns, follows the seed, and its variables stay below the limit", {
  data <- class_data(300)
  fit <- polya_gamma_fit(data, k = 15L, steps = 300L)
  expect_lt(scores(fit)$log_loss,
    -sum(prop.table(table(data$class)) * log(prop.table(table(data$class)))))
  expect_identical(polya_gamma_fit(data, k = 15L, steps = 300L)$classifier$omega,
    fit$classifier$omega)
  expect_true(all(fit$classifier$omega > 0 & fit$classifier$omega <= 2.5))
  expect_identical(fit$nugget, 1)
  expect_true(fit$parameters$fixed[fit$parameters$name == "nugget"])
  expect_equal(unname(rowSums(predict(fit, data))), rep(1, 300))
})

test_that("the weight of the divergence and impossible settings", {
  expect_identical(loo_k(estimator = "polya-gamma", kl_weight = 0.1)$kl_weight, 0.1)
  expect_error(loo_k(kl_weight = -1), "kl_weight", class = "neargp_error_argument")
  data <- class_data(40)
  expect_error(polya_gamma_fit(data, optimizer = "bfgs"), "stochastic",
    class = "neargp_error_argument")
  expect_error(neargp(class ~ 0, data, coords = ~ x + y, family = categorical(), nugget = 0.5,
    method = loo_k(5L, "polya-gamma")), "nugget", class = "neargp_error_argument")
})

test_extended("a continued fit goes on with its variables, at the rate at which it had ended", {
  data <- class_data(100)
  first <- polya_gamma_fit(data, steps = 100L)
  again <- polya_gamma_fit(data, steps = 100L, start = first)
  # a step of Adam is at most 3.2 times its rate
  expect_lt(max(abs(again$classifier$variables - first$classifier$variables)),
    100 * 3.2 * 0.03 / 125)
  expect_gt(max(abs(again$classifier$variables - first$classifier$variables)), 0)
  expect_equal(again$log_likelihood, first$log_likelihood, tolerance = 0.05)
})
