# cov_linear() against dense algebra and ridge regression.

slopes <- function(n = 60L, d = 3L) {
  set.seed(11)
  x <- matrix(rnorm(n * d, 5), n, dimnames = list(NULL, paste0("x", seq_len(d))))
  rows <- data.frame(x)
  rows$y <- 2 + drop(x %*% c(1, -0.5, 0.3)[seq_len(d)]) + sin(2 * x[, 1L]) + 0.3 * rnorm(n)
  rows
}

places <- function(rows) as.matrix(rows[grep("^x", names(rows))])

# sum_j (x_j - c_j)(x'_j - c_j) of `at` and `among`, c the mean of the rows of the fit.
dense_linear <- function(at, rows, among = rows) {
  center <- colMeans(places(rows))
  tcrossprod(sweep(places(at), 2L, center), sweep(places(among), 2L, center))
}

matern_32 <- function(at, rows, range) {
  a <- places(at)
  b <- places(rows)
  r <- sqrt(pmax(outer(rowSums(a^2), rowSums(b^2), "+") - 2 * tcrossprod(a, b), 0)) / range
  (1 + r) * exp(-r)
}

# The profiled log-likelihood with a constant mean, and kriging with it.
dense_constant <- function(K, y, k = K, variance = diag(K)) {
  inverse <- solve(K)
  one <- rep(1, length(y))
  beta <- sum(inverse %*% y) / sum(inverse)
  e <- y - beta
  rest <- 1 - drop(k %*% inverse %*% one)
  list(value = -0.5 * (length(y) * log(2 * pi) + as.numeric(determinant(K)$modulus) +
    drop(e %*% inverse %*% e)), mean = unname(drop(beta + k %*% inverse %*% e)),
    sd = unname(sqrt(variance - rowSums((k %*% inverse) * k) + rest^2 / sum(inverse))))
}

fit_linear <- function(covariance, rows = slopes(), method = exact_gp(), ...) {
  suppressMessages(neargp(y ~ 1, rows, coords = ~ x1 + x2 + x3, distance = "euclidean",
    covariance = covariance, method = method, ...))
}

test_that("likelihood and predictions of cov_linear() are those of dense algebra", {
  rows <- slopes()
  new <- slopes(70L)[61:70, ]
  fit <- fit_linear(cov_linear())
  p <- coef(fit, what = "covariance")
  expect_named(p, c("variance", "nugget"))
  v <- p[["variance"]]
  noise <- diag(p[["nugget"]], nrow(rows))
  dense <- dense_constant(v * dense_linear(rows, rows) + noise, rows$y, v * dense_linear(new, rows),
    v * diag(dense_linear(new, rows, new)))
  expect_equal(as.numeric(logLik(fit)), dense$value, tolerance = 1e-8)
  predicted <- predict(fit, new, type = "link", parameters = "plug-in")
  expect_equal(predicted$mean, dense$mean, tolerance = 1e-8)
  expect_equal(predicted$sd, dense$sd, tolerance = 1e-8)
})

test_that("cov_linear() alone is ridge regression", {
  rows <- slopes()
  new <- slopes(70L)[61:70, ]
  fit <- fit_linear(cov_linear(variance = 0.2), nugget = 0.5)
  center <- colMeans(places(rows))
  X <- sweep(places(rows), 2L, center)
  slope <- solve(crossprod(X) + diag(0.5 / 0.2, 3L), crossprod(X, rows$y - mean(rows$y)))
  expect_equal(predict(fit, new)$mean,
    drop(mean(rows$y) + sweep(places(new), 2L, center) %*% slope), tolerance = 1e-8,
    ignore_attr = TRUE)
})

test_that("a sum with a Matern covariance is that of dense algebra", {
  rows <- slopes()
  new <- slopes(70L)[61:70, ]
  for (first in c(TRUE, FALSE)) {
    sum <- if (first) cov_linear() + cov_matern() else cov_matern() + cov_linear()
    fit <- fit_linear(sum)
    p <- coef(fit, what = "covariance")
    v <- p[grep("^variance", names(p))]
    range <- p[[grep("^range", names(p))]]
    K <- function(at, among) v[[2L - first]] * dense_linear(at, rows)[, among] +
      v[[1L + first]] * matern_32(at, rows, range)[, among]
    all <- seq_len(nrow(rows))
    dense <- dense_constant(K(rows, all) + diag(p[["nugget"]], nrow(rows)), rows$y, K(new, all),
      v[[2L - first]] * diag(dense_linear(new, rows, new)) + v[[1L + first]])
    expect_equal(as.numeric(logLik(fit)), dense$value, tolerance = 1e-8)
    predicted <- predict(fit, new, type = "link", parameters = "plug-in")
    expect_equal(predicted$mean, dense$mean, tolerance = 1e-8)
    expect_equal(predicted$sd, dense$sd, tolerance = 1e-8)
  }
})

test_that("Vecchia's approximation with all neighbours is the exact process", {
  rows <- slopes(40L)
  covariance <- cov_matern(variance = 0.5, range = 1) + cov_linear(variance = 0.3)
  exact <- fit_linear(covariance, rows, nugget = 0.1)
  near <- fit_linear(covariance, rows, vecchia(k = 39), nugget = 0.1)
  expect_equal(as.numeric(logLik(near)), as.numeric(logLik(exact)), tolerance = 1e-8)
  new <- slopes(70L)[61:70, ]
  expect_equal(predict(near, new, k = 40, local_mean = FALSE)$mean, predict(exact, new)$mean,
    tolerance = 1e-8)
  # neighbours are nearest in the coordinates, alone and in a sum
  few <- fit_linear(cov_linear(variance = 0.3), rows, vecchia(k = 5), nugget = 0.1)
  scaled <- core_scale(few$data$coords, metric_component(few$core_covariance))
  expect_equal(as.matrix(dist(scaled)), as.matrix(dist(places(rows))), tolerance = 1e-10,
    ignore_attr = TRUE)
})

test_that("derivatives of a sum with cov_linear() are those of differences", {
  for (method in list(exact_gp(), vecchia(k = 8))) {
    problem <- problem_of_fit(fit_linear(cov_matern() + cov_linear(), slopes(40L), method))
    objective <- likelihood_objective(problem$method, problem)
    at <- problem$start + 0.1
    found <- objective$evaluate(at, information = TRUE)$gradient
    step <- 1e-5
    expected <- vapply(seq_along(at), function(j) {
      moved <- function(by) objective$evaluate(replace(at, j, at[j] + by))$value
      (moved(step) - moved(-step)) / (2 * step)
    }, 0)
    expect_equal(found[problem$free], expected[problem$free], tolerance = 1e-6)
  }
})

test_that("methods that cannot carry cov_linear() refuse it", {
  rows <- slopes(40L)
  both <- cov_matern() + cov_linear()
  for (method in list(svgp(inducing = 10L), loo_k(), mll_k(),
    vecchia(k = 5, inducing = 5), vnngp(low_rank = 5L),
    vnngp(inducing = 10L), swsgp(inducing = 10L))) {
    expect_error(fit_linear(both, rows, method), class = "neargp_error_covariance")
  }
  expect_error(fit_linear(cov_linear(), rows, vnngp()), "alone", class = "neargp_error_covariance")
  expect_error(neargp(y ~ 1, data.frame(y = rnorm(9), lon = 1:9, lat = 1:9), coords = ~ lon + lat,
    distance = "chordal", covariance = both), "sphere", class = "neargp_error_covariance")
  expect_error(neargp(y ~ features(x2), rows, coords = ~ x1, covariance = both), "features",
    class = "neargp_error_covariance")
  expect_error(neargp(cbind(y, x1) ~ 1, rows, coords = ~ x2 + x3, covariance = both,
    distance = "euclidean"), "several responses", class = "neargp_error_covariance")
  expect_error(fit_linear(cov_matern(warp = monotone(~ x1)) + cov_linear(), rows), "warp",
    class = "neargp_error_covariance")
  expect_error(cov_spacetime(cov_linear()), class = "neargp_error_argument")
  expect_error(covariance_value(both, 1), class = "neargp_error_argument")
})

test_that("latent methods carry a sum with cov_linear()", {
  rows <- slopes(50L)
  new <- slopes(70L)[61:70, ]
  sum <- cov_matern(variance = 0.5, range = 1) + cov_linear(variance = 0.3)
  exact <- fit_linear(sum, rows, nugget = 0.1)
  latent <- fit_linear(sum, rows, vnngp(k = 49L, jitter = 1e-10), nugget = 0.1)
  expect_equal(predict(latent, new, k = 50)$mean, predict(exact, new)$mean, tolerance = 1e-5)
  points <- swsgp(inducing = 50L, k = 40L, move = FALSE, select = "random", epochs = 200L)
  swsgp <- suppressWarnings(fit_linear(sum, rows, points, nugget = 0.1))
  expect_equal(predict(swsgp, new)$mean, predict(exact, new)$mean, tolerance = 0.02)
})

test_extended("fits with cov_linear() refit, update, print and take new rows", {
  rows <- slopes(50L)
  new <- slopes(70L)[61:70, ]
  fit <- fit_linear(cov_matern() + cov_linear(), rows)
  expect_output(print(fit), "Linear")
  expect_output(print(cov_linear()), "Linear covariance")
  expect_output(print(summary(fit)), "per squared unit of the coordinates")
  moved <- fit_linear(cov_matern() + cov_linear(),
    transform(rows, x1 = 10 * x1 - 3, x2 = 10 * x2, x3 = 10 * x3))
  expect_equal(coef(moved, what = "covariance")[["variance_2"]],
    coef(fit, what = "covariance")[["variance_2"]] / 100, tolerance = 1e-3)
  expect_equal(as.numeric(logLik(moved)), as.numeric(logLik(fit)), tolerance = 1e-6)
  left_out <- cross_validate(fit, folds = seq_len(50L), parameters = "plug-in")$predictions
  expect_equal(loo_predict(fit, parameters = "plug-in")$mean, left_out$mean, tolerance = 1e-8)
  refitted <- cross_validate(fit, folds = rep(1:2, 25L), refit = TRUE)$predictions
  expect_true(all(is.finite(refitted$mean)))
  expect_length(simulate(fit, 1, seed = 1)[[1L]], 50L)
  expect_equal(residuals(fit), rows$y - fitted(fit), ignore_attr = TRUE)
  grouped <- transform(rows[rep(1:25, 2L), ], y = rows$y)
  expect_true(is.finite(logLik(fit_linear(cov_matern() + cov_linear(), grouped))))
})
