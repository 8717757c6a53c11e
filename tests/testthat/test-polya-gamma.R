polya_gamma_fit <- function(data, k = 8L, formula = class ~ 0, steps = 30L, ...) {
  withr::local_seed(1)
  neargp(formula, data, coords = ~ x + y, family = if (nlevels(data$class) == 2L) stats::binomial() else categorical(), threads = 1L,
    covariance = cov_matern(1.5), method = loo_k(k, "polya-gamma", steps = steps, ...))
}

test_that("the density of the variables is their alternating series, and integrates to one with mean 1/4", {
  density <- function(omega) exp(core_log_polya_gamma(omega)$value)
  n <- 0:6
  series <- function(w) sum((-1)^n * (2 * n + 1) / sqrt(2 * pi * w^3) * exp(-(2 * n + 1)^2 / (8 * w)))
  expect_equal(density(c(0.02, 0.25, 1, 2.4)), vapply(c(0.02, 0.25, 1, 2.4), series, 0), tolerance = 1e-10)
  expect_equal(integrate(density, 1e-4, 2.5, rel.tol = 1e-8)$value, 1, tolerance = 1e-4)
  expect_equal(integrate(function(w) w * density(w), 1e-4, 2.5, rel.tol = 1e-8)$value, 0.25, tolerance = 1e-3)
  w <- c(0.01, 0.2, 1.5)
  slope <- (core_log_polya_gamma(w * exp(1e-5))$value - core_log_polya_gamma(w * exp(-1e-5))$value) / 2e-5
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
      integrate(function(g) plogis(g) * dnorm(g, mean, sd), mean - 9 * sd, mean + 9 * sd, rel.tol = 1e-9)$value
    }, 0)
  }, double(length(class)))
  if (length(levels) == 2L) cbind(1 - raw, raw) else raw / rowSums(raw)
}

test_that("with k = n - 1 the leave-one-out probabilities are the dense ones", {
  for (classes in list(c("a", "b"), c("a", "b", "c"))) {
    fit <- polya_gamma_fit(class_data(35, classes, repeated = 3L), k = 34L)
    fit$core_covariance$components[[1L]][c("variance", "range")] <- list(2, 0.3)
    predicted <- unname(as.matrix(loo_predict(fit)[paste0("prob_", classes)]))
    expect_equal(predicted, unname(dense_polya_gamma(fit)), tolerance = 1e-5)
  }
})

test_that("gradients of a draw are those of its value", {
  for (classes in list(c("a", "b"), c("a", "b", "c"))) {
    data <- class_data(40, classes)
    problem <- example_problem("polya-gamma", classes)
    withr::local_seed(3)
    signs <- polya_gamma_signs(problem$labels$class, length(classes))
    q <- list(location = matrix(rnorm(length(signs), log(0.25), 0.3), nrow(signs)), log_scale = 0 * signs - 1)
    theta <- replace(label_start(problem, 7L), nrow(problem$layout) + 1L, 0)
    theta <- theta + 0.1 * (seq_along(theta) > nrow(problem$layout) + 1L)
    at <- c(3L, 50L, 71L, 8L)
    neighbors <- nearest_rows(problem, at, split_theta(problem, theta)$working, 7L)$neighbors
    # Some draws lie beyond the limit of the series.
    drawn <- replace(rnorm(200), 5L, 8)
    ascent <- function(theta, q) polya_gamma_gradient(problem, theta, q, signs, at, neighbors, 0.7, draw = function(n) drawn[seq_len(n)])
    found <- ascent(theta, q)
    h <- 1e-5
    free <- which(c(problem$free, FALSE, rep(TRUE, length(theta) - nrow(problem$layout) - 1L)))
    slope <- vapply(free, function(i) {
      step <- replace(0 * theta, i, h)
      (ascent(theta + step, q)$value - ascent(theta - step, q)$value) / (2 * h)
    }, 0)
    expect_equal(found$theta[free], slope, tolerance = 1e-6)
    for (part in c("location", "log_scale")) {
      slope <- vapply(seq_along(found$rows), function(i) {
        up <- down <- q
        up[[part]][found$rows[i], 1L] <- q[[part]][found$rows[i], 1L] + h
        down[[part]][found$rows[i], 1L] <- q[[part]][found$rows[i], 1L] - h
        (ascent(theta, up)$value - ascent(theta, down)$value) / (2 * h)
      }, 0)
      expect_equal(as.matrix(found[[part]])[, 1L], slope, tolerance = 1e-5)
    }
  }
})

test_that("it learns, follows the seed, and its variables stay below the limit", {
  data <- class_data(300)
  fit <- polya_gamma_fit(data, k = 15L, steps = 300L)
  expect_lt(scores(fit)$log_loss, -sum(prop.table(table(data$class)) * log(prop.table(table(data$class)))))
  expect_identical(polya_gamma_fit(data, k = 15L, steps = 300L)$classifier$omega, fit$classifier$omega)
  expect_true(all(fit$classifier$omega > 0 & fit$classifier$omega <= 2.5))
  expect_identical(fit$nugget, 1)
  expect_true(fit$parameters$fixed[fit$parameters$name == "nugget"])
  expect_equal(unname(rowSums(predict(fit, data))), rep(1, 300))
})

test_that("the weight of the divergence and impossible settings", {
  expect_identical(loo_k(estimator = "polya-gamma", kl_weight = 0.1)$kl_weight, 0.1)
  expect_error(loo_k(kl_weight = -1), "kl_weight", class = "neargp_error_argument")
  data <- class_data(40)
  expect_error(polya_gamma_fit(data, optimizer = "bfgs"), "stochastic", class = "neargp_error_argument")
  expect_error(neargp(class ~ 0, data, coords = ~ x + y, family = categorical(), nugget = 0.5, method = loo_k(5L, "polya-gamma")),
    "nugget", class = "neargp_error_argument")
})
