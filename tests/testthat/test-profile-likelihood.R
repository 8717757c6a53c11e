# 1/2 tr(S^-1 dS_a S^-1 dS_b), by finite differences of the dense matrix.
dense_information <- function(fit, working) {
  groups <- component_groups(fit$covariance, fit$locations)
  matrix_at <- function(w) {
    values <- to_core(w, fit$layout$transform)
    dense_noisy(fit$data, as_core_covariance(fit$layout, groups, values),
      nugget_of(fit$layout, values))
  }
  inverse <- solve(matrix_at(working))
  slopes <- lapply(seq_along(working), function(a) {
    step <- replace(rep(0, length(working)), a, 1e-5)
    inverse %*% ((matrix_at(working + step) - matrix_at(working - step)) / 2e-5)
  })
  outer(seq_along(working), seq_along(working),
    Vectorize(function(a, b) sum(slopes[[a]] * t(slopes[[b]])) / 2))
}

test_on_devices(
  "gradient and information in the working parameters are those of finite differences", {
    skip_unless_extended()
    data <- simulated_data(40)
    covariances <- list(cov_matern(NULL, anisotropy = TRUE), cov_powered_exponential(),
      cov_cauchy() + cov_exponential(ard = TRUE))
    for (covariance in covariances) {
      fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 39),
        covariance = covariance, control = neargp_control(max_iterations = 2)))
      objective <- objective_of_fit(fit, 39L)
      at <- fit$parameters$working + 0.1
      analytic <- objective$evaluate(at, information = TRUE)
      difference <- vapply(seq_along(at), function(a) {
        step <- replace(rep(0, length(at)), a, 1e-5)
        (objective$evaluate(at + step)$value - objective$evaluate(at - step)$value) / 2e-5
      }, 0)
      expect_equal(analytic$gradient, difference, tolerance = 1e-5)
      expect_equal(objective$gradient(at, analytic$beta), analytic$gradient, tolerance = 1e-8)
      expect_equal(analytic$information, dense_information(fit, at), tolerance = 1e-4)
    }
  })
