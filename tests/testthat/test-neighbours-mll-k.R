test_on_devices("the objective is the mean of dense neighbourhood densities", {
  data <- simulated_data(40)
  k <- 6L
  fit <- neargp(z ~ 0, data, coords = ~ x + y, method = mll_k(k = k), nugget = 0.1,
    covariance = cov_matern(1.5, variance = 2, range = 0.1))
  S <- dense_noisy(fit$data, fit$core_covariance, 0.1)
  distance <- as.matrix(dist(data[c("x", "y")]))
  density <- vapply(1:40, function(i) {
    set <- order(distance[i, ])[1:(k + 1)]
    y <- fit$data$y[set]
    -0.5 * (length(set) * log(2 * pi) + as.numeric(determinant(S[set, set])$modulus) +
      drop(y %*% solve(S[set, set], y))) / length(set)
  }, 0)
  expect_equal(c(logLik(fit)), sum(density), tolerance = 1e-10)
})

test_on_devices("with k = n - 1 it is the dense likelihood", {
  fit <- neargp(z ~ 0, simulated_data(40), coords = ~ x + y, method = mll_k(k = 39), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.1))
  expect_equal(c(logLik(fit)), dense_fit_without_trend(fit), tolerance = 1e-10)
})
