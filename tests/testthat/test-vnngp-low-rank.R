low_rank_cases <- list(
  list(response = "poisson", family = poisson(), posterior = "sparse"), list(response = "poisson", family = poisson(), posterior = "laplace"),
  list(response = "binary", family = binomial(), posterior = "sparse"), list(response = "binary", family = binomial(), posterior = "laplace")
)

# Value, and what a fit at `working` leaves, by dense matrices.
dense_low_rank_at <- function(case, made, working) {
  covariance <- covariance_at(made$problem, working)
  nodes <- made$latent$nodes
  K <- dense_low_rank_covariance(nodes$coords, nodes$low_rank, made$latent$search$neighbors, covariance, made$problem$method$jitter)$field
  data <- made$problem$data
  dense_low_rank_posterior(case$response, data$y, data$X, K[nodes$node, nodes$node], case$posterior)
}

test_that("evidence, posterior and gradient are those of dense matrices", {
  data <- low_rank_data()
  data[c("x", "y")] <- data[c(1:66, 1:4), c("x", "y")]  # some rows share a node
  for (case in low_rank_cases) {
    made <- low_rank_objective(case$response, case$family, data, case$posterior)
    working <- made$problem$start + c(0.2, 0.1)
    fitted <- made$objective$fit_at(working, 1e-11, 500L, derivatives = TRUE)
    expected <- dense_low_rank_at(case, made, working)
    info <- paste(case$response, case$posterior)
    expect_equal(fitted$value, expected$value, tolerance = 1e-8, info = info)
    expect_equal(fitted$beta, unname(expected$beta), tolerance = 1e-6, info = info)
    state <- core_latent_state(made$latent$pointer, 1L)
    expect_equal(state$linear_predictor, expected$eta, tolerance = 1e-6, info = info)
    expect_equal(state$mean[made$latent$nodes$node], expected$mean, tolerance = 1e-5, info = info)
    X <- made$problem$data$X
    unseen <- X - expected$covariance %*% (expected$precision * X)
    with_trend <- diag(expected$covariance) + rowSums((unseen %*% expected$beta_vcov) * unseen)
    expect_equal(state$variance, with_trend, tolerance = 1e-6, info = info)
    expect_equal(state$beta_vcov, unname(expected$beta_vcov), tolerance = 1e-6, info = info)
    free <- which(made$problem$free)
    slope <- vapply(free, function(a) {
      (dense_low_rank_at(case, made, replace(working, a, working[a] + 1e-4))$value -
        dense_low_rank_at(case, made, replace(working, a, working[a] - 1e-4))$value) / 2e-4
    }, 0)
    expect_equal(fitted$gradient[free], slope, tolerance = 1e-6, info = info)
  }
})
