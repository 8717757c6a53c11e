field_data <- function(n = 200, seed = 6) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- sin(6 * d$x) + cos(5 * d$y) + rnorm(n, sd = 0.2)
  d
}

fit_inducing <- function(inducing, ..., data = field_data(), k = 8) {
  neargp(z ~ 1, data, coords = ~ x + y, method = vnngp(k, inducing = inducing, ...),
    covariance = cov_matern(nu = 1.5), threads = 1)
}

test_that("a number of inducing points is the first of the maxmin ordering", {
  data <- field_data()
  fit <- fit_inducing(50)
  coords <- as.matrix(data[c("x", "y")])
  expected <- coords[core_order(unname(coords), "maxmin", 0, plain_context())[1:50], ]
  expect_equal(fit$posterior$coords, unname(expected))
  expect_null(fit$posterior$node)
})

test_extended("with all inducing points as neighbours the gaussian bound is the dense one", {
  fit <- fit_inducing(12, k = 11, jitter = 1e-4)
  p <- fit$posterior
  variance <- fit$core_covariance$components[[1]]$variance
  K <- dense_covariance(p$coords, p$coords, fit$core_covariance) + diag(1e-4 * variance, 12)
  # data see the 11 nearest of the 12 points
  C <- t(vapply(seq_len(nrow(fit$data$coords)), function(i) {
    x <- fit$data$coords[i, , drop = FALSE]
    near <- order(colSums((t(p$coords) - drop(x))^2))[1:11]
    weights <- double(12)
    weights[near] <- solve(K[near, near], dense_covariance(p$coords[near, ], x,
      fit$core_covariance))
    weights
  }, double(12)))
  given <- variance - vapply(seq_len(nrow(C)), function(i) {
    sum(C[i, ] * dense_covariance(p$coords, fit$data$coords[i, , drop = FALSE],
      fit$core_covariance))
  }, 0)
  y <- fit$data$y - fit$beta
  S <- C %*% K %*% t(C) + diag(fit$nugget, length(y))
  dense <- -0.5 * (length(y) * log(2 * pi) + as.numeric(determinant(S)$modulus) +
    drop(y %*% solve(S, y))) -
    0.5 * sum(given) / fit$nugget
  expect_equal(fit$log_likelihood, dense, tolerance = 1e-6)
})

test_extended("k-means centres follow set.seed() and lie where the data are", {
  data <- field_data(400)
  data$x <- data$x^3
  set.seed(1)
  first <- fit_inducing(inducing_points(15, "kmeans"), data = data)
  set.seed(1)
  expect_identical(first$posterior$coords, fit_inducing(inducing_points(15, "kmeans"),
    data = data)$posterior$coords)
  subset <- fit_inducing(15, data = data)
  expect_lt(mean(first$posterior$coords[, 1]), mean(subset$posterior$coords[, 1]))
  spread <- function(centres) {
    sum(apply(dense_distance(as.matrix(data[c("x", "y")]), centres)^2, 1, min))
  }
  expect_lt(spread(first$posterior$coords), spread(subset$posterior$coords))
})

test_extended("a matrix of inducing points is taken as it is", {
  grid <- as.matrix(expand.grid(seq(0.05, 0.95, length.out = 6), seq(0.05, 0.95, length.out = 6)))
  for (posterior in c("sparse", "mean-field")) {
    fit <- fit_inducing(grid, posterior = posterior)
    expect_equal(fit$posterior$coords, unname(grid))
    predicted <- predict(fit, data.frame(x = grid[, 1], y = grid[, 2]), type = "link")
    expect_equal(predicted$mean, sin(6 * grid[, 1]) + cos(5 * grid[, 2]), tolerance = 0.2,
      ignore_attr = TRUE)
  }
})

test_extended("learned inducing points move, and raise the bound", {
  adam <- function(learn) {
    set.seed(5)
    fit_inducing(inducing_points(20, learn = learn), posterior = "mean-field", optimizer = "adam",
      epochs = 150, batch_size = 40, jitter = 1e-4)
  }
  still <- adam(FALSE)
  learned <- adam(TRUE)
  expect_false(isTRUE(all.equal(learned$posterior$coords, still$posterior$coords)))
  expect_gt(learned$log_likelihood, still$log_likelihood)
})

test_extended("held-out rows are predicted from inducing points", {
  fit <- fit_inducing(40)
  scores <- cross_validate(fit, folds = 3)
  expect_true(all(is.finite(unlist(scores$scores[vapply(scores$scores, is.numeric, NA)]))))
})

test_extended("inducing points that cannot be are refused", {
  expect_error(vnngp(inducing = -1), "`inducing` must be", class = "neargp_error_argument")
  expect_error(vnngp(inducing = "many"), class = "neargp_error_argument")
  expect_error(vnngp(inducing = 10, posterior = "laplace"), class = "neargp_error_argument")
  expect_error(vnngp(inducing = inducing_points(10, learn = TRUE)), class = "neargp_error_argument")
  expect_error(inducing_points(matrix(c(1, 1, NA, 2), 2)), "row 1", class = "neargp_error_inducing")
  expect_error(inducing_points(rbind(c(1, 2), c(3, 4), c(1, 2))), "rows 1 and 3",
    class = "neargp_error_inducing")
  expect_error(fit_inducing(matrix(runif(60), 20)), "3", class = "neargp_error_inducing")
  expect_error(fit_inducing(200), class = "neargp_error_inducing")
  expect_error(fit_inducing(8), class = "neargp_error_k")
})

test_that("settings print", {
  expect_output(print(inducing_points(100, "kmeans")), "100 by kmeans")
  expect_output(print(vnngp(inducing = diag(3))), "3 given")
})
