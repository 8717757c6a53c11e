fit_counts <- function(..., data = counts_data(), covariance = cov_exponential()) {
  neargp(count ~ h, data, coords = ~ x + y, method = vnngp(posterior = "mean-field", ...),
    covariance = covariance, family = poisson(), threads = 1)
}

# sum E log p - KL[N(m, diag s) || N(0, K)] with dense matrices.
dense_mean_field <- function(fit) {
  p <- fit$posterior
  K <- dense_covariance(p$coords, p$coords, fit$core_covariance)
  K <- K + diag(fit$method$jitter * fit$core_covariance$components[[1]]$variance, nrow(K))
  inverse <- solve(K)
  divergence <- 0.5 * (sum(diag(inverse) * p$variance) + drop(p$mean %*% inverse %*% p$mean) -
    length(p$mean) +
    as.numeric(determinant(K)$modulus) - sum(log(p$variance)))
  eta <- fit$data$offset + drop(fit$data$X %*% fit$beta) + p$mean[p$node]
  y <- fit$data$y
  sum(y * eta - exp(eta + 0.5 * p$variance[p$node]) - lgamma(y + 1)) - divergence
}

test_on_devices("with k = n - 1 both optimisers report the dense mean-field bound", {
  data <- counts_data(60)
  natural <- fit_counts(k = 59, data = data)
  expect_equal(natural$log_likelihood, dense_mean_field(natural), tolerance = 1e-8)
  adam <- fit_counts(k = 59, data = data, optimizer = "adam", epochs = 20)
  expect_equal(adam$log_likelihood, dense_mean_field(adam), tolerance = 1e-8)
})

test_extended("long Adam ends where the closed form does when the covariance is known", {
  known <- cov_exponential(variance = 0.8, range = 0.2)
  natural <- fit_counts(k = 10, covariance = known)
  adam <- fit_counts(k = 10, covariance = known, optimizer = "adam", epochs = 1500, batch_size = 50)
  expect_lt(adam$log_likelihood, natural$log_likelihood + 1e-4)
  expect_gt(adam$log_likelihood, natural$log_likelihood - 0.05)
  expect_equal(coef(adam), coef(natural), tolerance = 0.01)
  expect_equal(adam$posterior$mean, natural$posterior$mean, tolerance = 0.02)
  expect_equal(adam$posterior$variance, natural$posterior$variance, tolerance = 0.02)
  expect_equal(adam$beta_vcov, natural$beta_vcov, tolerance = 0.02)
  expect_equal(adam$posterior$variance_at_data, natural$posterior$variance_at_data,
    tolerance = 0.02)
  new <- data.frame(x = c(0.2, 0.7), y = 0.5, h = 0)
  expect_equal(predict(adam, new, type = "link"), predict(natural, new, type = "link"),
    tolerance = 0.02)
})

test_extended("Adam does not depend on the unit of the response", {
  data <- counts_data()
  data$number <- log(data$count + 0.5)
  for (family in list(gaussian(), student_t(4))) {
    fit_in <- function(unit) {
      data$number <- unit * data$number
      withr::local_seed(1)
      neargp(number ~ h, data, coords = ~ x + y, family = family, covariance = cov_exponential(),
        threads = 1L, method = vnngp(8, posterior = "mean-field", optimizer = "adam", epochs = 20))
    }
    fit <- fit_in(1)
    for (unit in c(1e-9, 1e5)) {
      other <- fit_in(unit)
      expect_equal(c(logLik(other)) + nrow(data) * log(unit), c(logLik(fit)), tolerance = 1e-7)
      expect_equal(other$posterior$mean / unit, fit$posterior$mean, tolerance = 1e-6)
      expect_equal(coef(other) / unit, coef(fit), tolerance = 1e-6)
    }
  }
})

test_that("Adam follows set.seed() and says that it did not test convergence", {
  data <- counts_data()
  set.seed(2)
  first <- fit_counts(k = 8, optimizer = "adam", epochs = 5, batch_size = 50, data = data)
  again <- fit_counts(k = 8, optimizer = "adam", epochs = 5, batch_size = 50, data = data)
  set.seed(2)
  same <- fit_counts(k = 8, optimizer = "adam", epochs = 5, batch_size = 50, data = data)
  expect_identical(first$posterior$mean, same$posterior$mean)
  expect_false(identical(first$posterior$mean, again$posterior$mean))
  expect_length(first$posterior$trace, 5)
  expect_match(first$convergence$message, "5 epochs")
  expect_true(is.na(first$convergence$converged))
})

test_on_devices("predictions are those of independent inducing points", {
  fit <- fit_counts(k = 10, optimizer = "adam", epochs = 10)
  p <- fit$posterior
  new <- data.frame(x = c(0.31, 0.8), y = c(0.4, 0.1), h = c(0, 1))
  got <- predict(fit, new, type = "link", k = 12)
  response <- p$field_response %*% solve(fit$data$basis$back)
  for (i in 1:2) {
    near <- order((p$coords[, 1] - new$x[i])^2 + (p$coords[, 2] - new$y[i])^2)[1:12]
    K <- dense_covariance(p$coords[near, ], p$coords[near, ], fit$core_covariance)
    variance <- fit$core_covariance$components[[1]]$variance
    cross <- drop(dense_covariance(p$coords[near, ], as.matrix(new[i, c("x", "y")]),
      fit$core_covariance))
    b <- solve(K + diag(fit$method$jitter * variance, 12), cross)
    unseen <- c(1, new$h[i]) - drop(b %*% response[near, ])
    expect_equal(got$mean[i], sum(c(1, new$h[i]) * fit$beta) + sum(b * p$mean[near]),
      tolerance = 1e-8)
    expect_equal(got$sd[i]^2, variance - sum(b * cross) + sum(b^2 * p$variance[near]) +
      drop(unseen %*% fit$beta_vcov %*% unseen), tolerance = 1e-8)
  }
})

test_extended("mean-field fits serve residuals, draws and held-out rows", {
  for (optimizer in c("natural", "adam")) {
    fit <- fit_counts(k = 8, optimizer = optimizer, epochs = 20)
    expect_true(all(is.finite(residuals(fit))))
    expect_true(all(is.finite(fitted(fit))))
    new <- data.frame(x = runif(3), y = runif(3), h = 0)
    draws <- simulate(fit, nsim = 400, seed = 1, newdata = new, type = "link")
    at <- predict(fit, new, type = "link")
    draws <- as.matrix(draws)
    expect_equal(rowMeans(draws), at$mean, tolerance = 0.2, ignore_attr = TRUE)
    expect_equal(apply(draws, 1, sd), at$sd, tolerance = 0.2, ignore_attr = TRUE)
    joint <- predict(fit, new, type = "link", joint = TRUE)
    expect_equal(sqrt(diag(attr(joint, "covariance"))), joint$sd, ignore_attr = TRUE)
    held_out <- cross_validate(fit, folds = 2)
    expect_true(all(is.finite(held_out$predictions$mean)))
  }
})

test_extended("gaussian noise, families with parameters and a fixed parameter go through Adam", {
  data <- counts_data()
  set.seed(3)
  gaussian_fit <- neargp(z ~ h, data, coords = ~ x + y, threads = 1,
    covariance = cov_exponential(range = 0.2),
    method = vnngp(10, posterior = "mean-field", optimizer = "adam", epochs = 60, batch_size = 30))
  expect_equal(coef(gaussian_fit, what = "covariance")[["range"]], 0.2)
  expect_gt(gaussian_fit$nugget, 0.01)
  expect_equal(gaussian_fit$family_parameters[["variance"]], gaussian_fit$nugget)
  negative <- neargp(count ~ h, data, coords = ~ x + y, threads = 1, covariance = cov_exponential(),
    family = negative_binomial(), method = vnngp(10, posterior = "mean-field", optimizer = "adam",
      epochs = 30))
  expect_gt(negative$family_parameters[["size"]], 0)
})

test_that("the optimiser is natural gradients, for many neighbours Adam", {
  expect_identical(vnngp(posterior = "mean-field")$optimizer, "natural")
  expect_identical(vnngp(256, posterior = "mean-field")$optimizer, "adam")
  expect_identical(vnngp(256)$optimizer, "natural")
  expect_identical(vnngp(256, posterior = "mean-field", optimizer = "natural")$optimizer, "natural")
})

test_that("settings that do not go together are refused", {
  expect_error(vnngp(optimizer = "adam"), class = "neargp_error_argument")
  expect_error(vnngp(posterior = "mean-field", optimizer = "adam", epochs = 0),
    class = "neargp_error_argument")
  expect_error(vnngp(posterior = "mean-field", optimizer = "adam", learning_rate = -1),
    class = "neargp_error_argument")
  for (posterior in c("sparse", "mean-field", "laplace")) {
    expect_error(neargp(z ~ 1, counts_data(), coords = ~ x + y, nugget = 0,
      method = vnngp(5, posterior = posterior)), "vnngp", class = "neargp_error_argument")
  }
})

test_extended("a continued fit of Adam goes on with its inducing points and moments, and never ends worse", {
  data <- counts_data()
  for (inducing in list(NULL, inducing_points(40, "kmeans", learn = TRUE))) {
    fit <- function(start = NULL) {
      neargp(count ~ h, data, coords = ~ x + y, covariance = cov_exponential(), family = poisson(),
        threads = 1, start = start, method = vnngp(8, inducing, "mean-field", "adam", epochs = 60,
          batch_size = 20))
    }
    set.seed(6)
    first <- fit()
    again <- fit(first)
    expect_gte(again$log_likelihood, first$log_likelihood - 1e-8)
    # 480 steps of at most about 1e-4
    expect_lt(max(abs(again$posterior$mean - first$posterior$mean)), 0.2)
    expect_lt(max(abs(again$posterior$coords - first$posterior$coords)), 0.1)
    expect_gt(mean(abs(again$posterior$trace - again$log_likelihood) < 5), 0.5)
    # other rows, another trend: only the covariance is taken over
    differences <- function(data) {
      start_differences(first, data, within(first$layout, start <- 1), first)
    }
    other <- utils::modifyList(first$data, list(y = rev(first$data$y)))
    expect_identical(differences(other), "response")
    expect_null(warm_start_of(first, differences(other), other))
    expect_identical(warm_start_of(first, differences(first$data), first$data), first)
  }
})

test_that("a mean-field posterior ends at no less than from the estimates of the sparse one", {
  data <- ordinal_field(4)
  fit <- function(posterior, start = NULL) {
    suppressWarnings(neargp(o ~ w, data, coords = ~ x + y, family = ordinal(),
      method = vnngp(posterior = posterior), start = start))
  }
  other <- fit("mean-field", coef(fit("sparse"), what = "covariance"))
  expect_gte(as.numeric(logLik(fit("mean-field"))), as.numeric(logLik(other)) - 1e-3)
})
