# The numbered equations of vignettes/model-and-methods.Rmd, in dense algebra of base R.

equation_data <- function(n = 80L) {
  set.seed(1)
  data <- data.frame(x = runif(n), y = runif(n))
  distance <- as.matrix(dist(data))
  process <- exp(-distance / 0.3)
  data$z <- drop(crossprod(chol(process + diag(0.1, n)), rnorm(n)))
  list(data = data, distance = distance, process = process, sigma = process + diag(0.1, n))
}

equation_fit <- function(known, method, formula = z ~ 0, ...) {
  neargp(formula, known$data, coords = ~ x + y, method = method, ...,
    covariance = cov_exponential(variance = 1, range = 0.3))
}

gaussian_fit <- function(known, method) equation_fit(known, method, nugget = 0.1)

# The sets n(i): nearest before i, or nearest of all others.
sets_before <- function(distance, k) {
  lapply(seq_len(nrow(distance)), function(i) {
    before <- seq_len(i - 1L)
    head(before[order(distance[i, before])], k)
  })
}

# The precision of the prior that conditions each point on those of its set.
neighbor_precision <- function(process, sets) {
  whitening <- diag(nrow(process))
  for (i in seq_along(sets)) {
    near <- sets[[i]]
    b <- conditional_weights(process, near, i)
    whitening[i, near] <- -b
    whitening[i, ] <- whitening[i, ] / sqrt(process[i, i] - sum(b * process[near, i]))
  }
  crossprod(whitening)
}

sets_of_others <- function(distance, k) {
  lapply(seq_len(nrow(distance)), function(i) order(distance[i, ])[1L + seq_len(k)])
}

conditional_weights <- function(sigma, near, i) {
  if (length(near)) solve(sigma[near, near], sigma[near, i]) else numeric()
}

conditional_log_densities <- function(sigma, z, sets) {
  vapply(seq_along(z), function(i) {
    near <- sets[[i]]
    b <- conditional_weights(sigma, near, i)
    dnorm(z[i], sum(b * z[near]), sqrt(sigma[i, i] - sum(b * sigma[near, i])), log = TRUE)
  }, 0)
}

log_normal_density <- function(z, sigma) {
  root <- chol(sigma)
  -0.5 * (length(z) * log(2 * pi) + 2 * sum(log(diag(root))) +
    sum(backsolve(root, z, transpose = TRUE)^2))
}

test_that("equations (5), (7), (15) and (16): likelihood, Vecchia, LOO-k and MLL-k", {
  known <- equation_data()
  z <- known$data$z
  objective <- function(method) c(logLik(gaussian_fit(known, method)))
  expect_equal(objective(exact_gp()), log_normal_density(z, known$sigma), tolerance = 1e-10)
  before <- sets_before(known$distance, 6L)
  expect_equal(objective(vecchia(k = 6, ordering = "given", condition = "responses")),
    sum(conditional_log_densities(known$sigma, z, before)), tolerance = 1e-10)
  others <- sets_of_others(known$distance, 6L)
  expect_equal(objective(loo_k(k = 6)),
    sum(conditional_log_densities(known$sigma, z, others)), tolerance = 1e-10)
  joint <- vapply(seq_along(z), function(i) {
    rows <- c(i, others[[i]])
    log_normal_density(z[rows], known$sigma[rows, rows]) / 7
  }, 0)
  expect_equal(objective(mll_k(k = 6)), sum(joint), tolerance = 1e-10)
})

test_that("equation (10): kriging with a local mean", {
  known <- equation_data()
  fit <- equation_fit(known, vecchia(k = 6), z ~ 1, nugget = 0.1)
  to_new <- sqrt((known$data$x - 0.4)^2 + (known$data$y - 0.6)^2)
  near <- order(to_new)[1:10]
  sigma <- known$sigma[near, near]
  cross <- exp(-to_new[near] / 0.3)
  b <- solve(sigma, cross)
  precision <- sum(solve(sigma, rep(1, 10)))
  m <- sum(solve(sigma, known$data$z[near])) / precision
  p <- predict(fit, data.frame(x = 0.4, y = 0.6), k = 10, sectors = 0, local_mean = TRUE,
    type = "link")
  expect_equal(p$mean, m + sum(b * (known$data$z[near] - m)), tolerance = 1e-10)
  expect_equal(p$sd^2, 1 - sum(b * cross) + (1 - sum(b))^2 / precision, tolerance = 1e-10)
})

test_that("equations (12) and (13): the bound of counts", {
  known <- equation_data()
  set.seed(2)
  known$data$z <- rpois(80L, exp(0.5 + known$data$z))
  fit <- equation_fit(known, vnngp(k = 6, ordering = "given", factor = "exact", jitter = 1e-8),
    z ~ 1, family = poisson())
  process <- known$process + diag(1e-8, 80L)
  precision <- neighbor_precision(process, sets_before(known$distance, 6L))
  m <- fit$posterior$mean
  posterior <- precision + diag(fit$posterior$pseudo_precision)
  covariance <- solve(posterior)
  log_det <- function(a) c(determinant(a)$modulus)
  divergence <- 0.5 * (sum(precision * covariance) - 80 + sum(m * (precision %*% m)) +
    log_det(posterior) - log_det(precision))
  eta <- coef(fit)[["(Intercept)"]] + m
  count <- known$data$z
  expected <- count * eta - exp(eta + diag(covariance) / 2) - lgamma(count + 1)
  expect_equal(c(logLik(fit)), sum(expected) - divergence, tolerance = 1e-6)
})

test_that("equations (17) and (18): bounds on inducing points", {
  known <- equation_data()
  z <- known$data$z
  points <- 1:15
  settings <- list(inducing = as.matrix(known$data[points, c("x", "y")]), move = FALSE,
    jitter = 1e-9)
  low_rank <- crossprod(solve(t(chol(known$process[points, points])), known$process[points, ]))
  unexplained <- 1 - diag(low_rank)
  likelihood <- log_normal_density(z, low_rank + diag(0.1, 80L))
  objective <- function(method, ...) {
    c(logLik(gaussian_fit(known, do.call(method, c(settings, list(...))))))
  }
  expect_equal(objective(svgp, bound = "standard"), likelihood - sum(unexplained) / 0.2,
    tolerance = 1e-6)
  expect_equal(objective(svgp, bound = "tight"), likelihood - sum(log1p(unexplained / 0.1)) / 2,
    tolerance = 1e-6)
  a <- solve(known$sigma, z)
  features <- solve(t(chol(known$process[points, points])), known$process[points, ])
  s <- solve(diag(15L) + tcrossprod(features) / 0.1)
  variances <- unexplained + colSums(features * (s %*% features))
  divergence <- 0.5 * (sum(diag(s)) - 15 - c(determinant(s)$modulus) +
    sum(a * (known$process %*% a)))
  expected <- dnorm(z, known$process %*% a, sqrt(0.1), log = TRUE) - variances / 0.2
  expect_equal(objective(odvgp, bound = "standard", tolerance = 1e-10),
    sum(expected) - divergence, tolerance = 1e-6)
})

# A trend and weights, for fits with all parameters of the process fixed.
weighted_data <- function() {
  known <- equation_data()
  known$data$g <- rep(c(1, 2, 4, 0.5), 20L)
  known$design <- cbind(1, known$data$x)
  known$noise <- 0.1 / known$data$g
  known
}

weighted_objective <- function(known, method) {
  c(logLik(equation_fit(known, method, z ~ x, nugget = 0.1, weights = g)))
}

least_squares_residual <- function(known, sigma) {
  X <- known$design
  inverse <- solve(sigma)
  drop(known$data$z - X %*% solve(t(X) %*% inverse %*% X, t(X) %*% inverse %*% known$data$z))
}

test_that("equation (6): the restricted likelihood", {
  known <- weighted_data()
  sigma <- known$process + diag(known$noise)
  information <- t(known$design) %*% solve(sigma, known$design)
  expect_equal(weighted_objective(known, exact_gp(estimation = "REML")),
    log_normal_density(least_squares_residual(known, sigma), sigma) + log(2 * pi) -
      0.5 * c(determinant(information)$modulus), tolerance = 1e-10)
})

test_that("equation (7a): the likelihood on the process", {
  known <- weighted_data()
  process <- known$process + diag(1e-6, 80L)
  sigma <- solve(neighbor_precision(process, sets_before(known$distance, 6L))) + diag(known$noise)
  expected <- log_normal_density(least_squares_residual(known, sigma), sigma)
  expect_equal(weighted_objective(known, vnngp(k = 6, ordering = "given", factor = "exact")),
    expected, tolerance = 1e-9)
  # the factor of vecchia() is incomplete
  field <- vecchia(k = 6, ordering = "given", condition = "field")
  expect_equal(weighted_objective(known, field), expected, tolerance = 1e-6)
})

test_that("equations (17), (18) and (18a) with weights and a trend", {
  known <- weighted_data()
  z <- known$data$z
  points <- 1:15
  settings <- list(inducing = as.matrix(known$data[points, c("x", "y")]), move = FALSE,
    jitter = 1e-9)
  objective <- function(method, ...) {
    weighted_objective(known, do.call(method, c(settings, list(...))))
  }
  features <- solve(t(chol(known$process[points, points])), known$process[points, ])
  unexplained <- 1 - colSums(features^2)
  sigma <- crossprod(features) + diag(known$noise)
  likelihood <- log_normal_density(least_squares_residual(known, sigma), sigma)
  expect_equal(objective(svgp, bound = "standard"),
    likelihood - sum(unexplained / known$noise) / 2, tolerance = 1e-6)
  expect_equal(objective(svgp, bound = "tight"),
    likelihood - sum(log1p(unexplained / known$noise)) / 2, tolerance = 1e-6)
  exact <- known$process + diag(known$noise)
  residual <- least_squares_residual(known, exact)
  a <- solve(exact, residual)
  s <- solve(diag(15L) + features %*% (t(features) / known$noise))
  explained <- colSums(features * (s %*% features))
  divergence <- 0.5 * (sum(diag(s)) - 15 - c(determinant(s)$modulus) +
    sum(a * (known$process %*% a)))
  standard <- sum(dnorm(residual, known$process %*% a, sqrt(known$noise), log = TRUE) -
    (unexplained + explained) / (2 * known$noise)) - divergence
  expect_equal(objective(odvgp, bound = "standard", tolerance = 1e-10), standard,
    tolerance = 1e-6)
  ratio <- unexplained / known$noise
  expect_equal(objective(odvgp, tolerance = 1e-10), standard + sum(ratio - log1p(ratio)) / 2,
    tolerance = 1e-6)
})
