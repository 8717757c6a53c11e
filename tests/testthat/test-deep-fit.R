deep_settings <- function(beta = 0.3, ...) list(score = "mixture", beta = beta, rows = 0, ...)

deep_data <- function(n = 30L, dim = 3L, outputs = 1L) {
  set.seed(11)
  list(x = matrix(rnorm(n * dim), n), y = matrix(rnorm(n * outputs), n))
}

objective_value <- function(state, data, settings = deep_settings(), threads = 1L) {
  core_deep_objective(state, data$x, data$y, settings, threads)$value
}

test_that("the objective and the components are those of dense matrices", {
  data <- deep_data()
  for (state in list(deep_state(layers = 1L), deep_state(), deep_state(covariance = "full"), deep_state(rule = "grid"),
    deep_state(rule = "symmetric"), deep_state(rule = "hermite"), deep_state(layers = 3L),
    deep_state(layers = 3L, skip = "inputs"), deep_state(layers = 3L, skip = "mean"), deep_state(layers = 3L, skip = "both", rule = "grid", sites = 2L))) {
    expect_equal(objective_value(state, data), dense_mixture(state, data$x, data$y, 0.3), tolerance = 1e-10)
    components <- core_deep_components(state, data$x, 1L)
    dense <- dense_components(state, data$x)
    expect_equal(components$mean, sapply(dense, `[[`, "mean"), tolerance = 1e-9)
    expect_equal(components$variance, sapply(dense, `[[`, "variance"), tolerance = 1e-9)
    expect_equal(core_deep_density(state, data$x, data$y, list(), 1L)$value,
      log(rowSums(exp(sweep(dense_log_densities(state, data$x, data$y), 2L, state$log_weights, "+")))), tolerance = 1e-9)
  }
})

test_that("the gradient is that of differences, in all layers, topologies and rules", {
  data <- deep_data(12L)
  for (state in list(deep_state(layers = 1L), deep_state(), deep_state(covariance = "full"), deep_state(rule = "grid", sites = 2L),
    deep_state(rule = "symmetric"), deep_state(rule = "random"), deep_state(layers = 3L),
    deep_state(layers = 3L, skip = "inputs"), deep_state(layers = 3L, skip = "mean"), deep_state(layers = 3L, skip = "both"))) {
    expect_deep_gradient(state, data$x, data$y, deep_settings())
  }
})
