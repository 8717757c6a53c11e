# swsgp() with a full covariance matrix of its points, and with points that a batch shares.
sets_data <- function(n = 240) {
  set.seed(7)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- sin(6 * d$x) + cos(5 * d$y) + rnorm(n, sd = 0.2)
  d
}

fit_sets <- function(..., data = sets_data(), start = NULL) {
  set.seed(3)
  neargp(z ~ 1, data, coords = ~ x + y, method = swsgp(...), covariance = cov_matern(nu = 1.5),
    threads = 1L, start = start)
}

posterior_covariance <- function(fit) tcrossprod(fit$posterior$root)

prior_covariance <- function(fit, nodes = fit$posterior$coords) {
  dense_covariance(nodes, nodes, fit$core_covariance) +
    diag(fit$method$jitter * fit$core_covariance$components[[1]]$variance, nrow(nodes))
}

# The objective of Gaussian responses by dense matrices of the points that each row sees, with a
# divergence of weight `kl_weight` / n each.
dense_full_objective <- function(fit, kl_weight) {
  p <- fit$posterior
  n <- length(fit$data$y)
  variance <- fit$core_covariance$components[[1]]$variance
  prior <- prior_covariance(fit)
  posterior <- posterior_covariance(fit)
  log_det <- function(x) as.numeric(determinant(x)$modulus)
  residual <- fit$data$y - drop(fit$data$X %*% fit$beta)
  sum(vapply(seq_len(n), function(i) {
    place <- fit$data$coords[i, , drop = FALSE]
    near <- order((p$coords[, 1] - place[1])^2 + (p$coords[, 2] - place[2])^2)[seq_len(fit$k)]
    K <- prior[near, near, drop = FALSE]
    S <- posterior[near, near, drop = FALSE]
    m <- p$mean[near]
    divergence <- 0.5 * (sum(solve(K) * S) + sum(m * solve(K, m)) - fit$k + log_det(K) - log_det(S))
    cross <- drop(dense_covariance(p$coords[near, , drop = FALSE], place, fit$core_covariance))
    b <- solve(K, cross)
    spread <- variance - sum(b * cross) + sum(b * (S %*% b))
    -0.5 * (log(2 * pi * fit$nugget) + ((residual[i] - sum(b * m))^2 + spread) / fit$nugget) -
      kl_weight * divergence / n
  }, 0))
}

test_that("with a full covariance matrix the objective is the paper's, from dense matrices", {
  fit <- fit_sets(20, k = 6, covariance = "full", epochs = 10, batch_size = 32)
  root <- fit$posterior$root
  expect_gt(max(abs(posterior_covariance(fit) - diag(fit$posterior$variance))), 1e-4)
  expect_equal(fit$posterior$variance, diag(posterior_covariance(fit)))
  expect_equal(c(logLik(fit)), dense_full_objective(fit, sqrt(20 / 6)), tolerance = 1e-9)
})

test_extended("with all points in view it nears the bound of svgp() at the same parameters", {
  data <- sets_data()
  points <- as.matrix(data[seq(1, 240, by = 16), 1:2])
  known <- cov_matern(nu = 1.5, variance = 1, range = 0.3)
  set.seed(1)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = known, nugget = 0.05, threads = 1L,
    method = swsgp(points, k = 15, move = FALSE, covariance = "full", kl_weight = 1, epochs = 1500,
      batch_size = 240, jitter = 1e-6))
  bound <- neargp(z ~ 1, data, coords = ~ x + y, covariance = known, nugget = 0.05, threads = 1L,
    method = svgp(points, move = FALSE, bound = "standard", jitter = 1e-6))
  expect_lt(c(logLik(fit)), c(logLik(bound)) + 1e-6)
  expect_gt(c(logLik(fit)), c(logLik(bound)) - 0.05)
  new <- data.frame(x = c(0.2, 0.7), y = c(0.6, 0.1))
  expect_equal(predict(fit, new, type = "link")$mean, predict(bound, new, type = "link")$mean,
    tolerance = 0.01)
  expect_equal(predict(fit, new, type = "link")$sd, predict(bound, new, type = "link")$sd,
    tolerance = 0.02)
})

test_that("predictions, joint ones and draws have the full covariance matrix", {
  fit <- fit_sets(20, k = 6, covariance = "full", epochs = 10, batch_size = 32)
  p <- fit$posterior
  variance <- fit$core_covariance$components[[1]]$variance
  response <- p$field_response %*% solve(fit$data$basis$back)
  new <- data.frame(x = c(0.31, 0.35), y = c(0.4, 0.42))
  got <- predict(fit, new, type = "link")
  near <- order((p$coords[, 1] - 0.31)^2 + (p$coords[, 2] - 0.4)^2)[1:6]
  b <- solve(prior_covariance(fit)[near, near],
    dense_covariance(p$coords[near, ], as.matrix(new[1, ]), fit$core_covariance))
  cross <- dense_covariance(p$coords[near, ], as.matrix(new[1, ]), fit$core_covariance)
  unseen <- 1 - sum(b * response[near, ])
  expect_equal(got$sd[1]^2, variance - sum(b * cross) +
    drop(t(b) %*% posterior_covariance(fit)[near, near] %*% b) + unseen^2 * c(vcov(fit)),
  tolerance = 1e-8)
  # the union of all points: dense algebra
  joint <- predict(fit, new, type = "link", joint = TRUE, k = 20)
  every <- dense_covariance(p$coords, as.matrix(new), fit$core_covariance)
  b <- solve(prior_covariance(fit), every)
  unseen <- 1 - drop(crossprod(b, response))
  expect_equal(attr(joint, "covariance"),
    dense_covariance(as.matrix(new), as.matrix(new), fit$core_covariance) - crossprod(every, b) +
      t(b) %*% posterior_covariance(fit) %*% b + tcrossprod(unseen) * c(vcov(fit)),
    tolerance = 1e-8, ignore_attr = TRUE)
  draws <- neargp:::mean_field_draws(p, 20000)
  expect_equal(tcrossprod(draws) / 20000, posterior_covariance(fit), tolerance = 0.05)
})

test_that("a fit with a full covariance matrix is continued from where it ended", {
  fit <- fit_sets(20, k = 6, covariance = "full", epochs = 10, batch_size = 32)
  on <- fit_sets(20, k = 6, covariance = "full", epochs = 10, batch_size = 32, start = fit)
  expect_gte(c(logLik(on)), c(logLik(fit)) - 1e-8)
  # other settings of the posterior: a new start
  expect_null(fit_sets(20, k = 6, epochs = 2, batch_size = 32, start = fit)$posterior$root)
})

test_that("points that a batch shares: predictions are those of unions, and help says what is asked", {
  fit <- fit_sets(30, k = 4, active = 20, epochs = 20)
  expect_output(print(fit), "a row sees 4 of them, and a batch at most 20")
  expect_true(all(is.finite(predict(fit, sets_data()[1:5, ])$sd)))
  expect_identical(c(logLik(fit)), c(logLik(fit_sets(30, k = 4, active = 20, epochs = 20))))
  expect_error(fit_sets(30, k = 4, active = 3), class = "neargp_error_argument")
  expect_error(swsgp(active = 0), class = "neargp_error_argument")
  expect_error(swsgp(covariance = "dense"), class = "neargp_error_argument")
  expect_output(print(swsgp(active = 64)), "over active")
  expect_identical(swsgp(active = 64)$batch_size, 64L)
})

test_extended("trained on unions, joint predictions depend little on how many rows are together", {
  data <- sets_data(2000)
  new <- sets_data(200 + 2000)[-(1:2000), ]
  by_size <- function(fit, size) {
    parts <- split(seq_len(200), ceiling(seq_len(200) / size))
    mean <- unlist(lapply(parts, function(rows) {
      predict(fit, new[rows, ], type = "link", joint = TRUE)$mean
    }), use.names = FALSE)
    sqrt(mean((mean - new$z)^2))
  }
  fit <- fit_sets(200, k = 8, active = 100, covariance = "full", epochs = 40, data = data)
  expect_lt(abs(by_size(fit, 200) / by_size(fit, 1) - 1), 0.02)
})

test_that("a full covariance matrix and shared points are for the CPU", {
  withr::local_options(neargp.device = "cuda")
  expect_error(fit_sets(20, k = 6, covariance = "full"), class = "neargp_error_device")
  expect_error(fit_sets(20, k = 6, active = 10), class = "neargp_error_device")
})

test_that("without a trend predictions keep the full covariance matrix", {
  d <- transform(sets_data(), z = z - mean(z))
  set.seed(3)
  fit <- neargp(z ~ 0, d, coords = ~ x + y, covariance = cov_matern(nu = 1.5), threads = 1L,
    method = swsgp(20, k = 6, covariance = "full", epochs = 10, batch_size = 32))
  p <- fit$posterior
  place <- matrix(c(0.31, 0.4), 1L)
  near <- order((p$coords[, 1] - 0.31)^2 + (p$coords[, 2] - 0.4)^2)[1:6]
  cross <- dense_covariance(p$coords[near, ], place, fit$core_covariance)
  b <- solve(prior_covariance(fit)[near, near], cross)
  expect_equal(predict(fit, data.frame(x = 0.31, y = 0.4), type = "link")$sd^2,
    fit$core_covariance$components[[1]]$variance - sum(b * cross) +
      drop(t(b) %*% posterior_covariance(fit)[near, near] %*% b), tolerance = 1e-8)
})
