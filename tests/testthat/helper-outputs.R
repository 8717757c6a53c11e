# Several responses: data from a known linear model of coregionalisation, and a dense reference for
# it.

output_truth <- function() {
  list(components = list(
    list(family = "matern", shape = 1.5, range = 0.15, B = matrix(c(2, 12, 12, 100), 2L)),
    list(family = "exponential", shape = NULL, range = 0.5, B = matrix(c(0.5, -2, -2, 40), 2L))
  ), nuggets = c(0.2, 8))
}

dense_outputs <- function(truth, a, output_a, b = a, output_b = output_a) {
  Reduce(`+`, lapply(truth$components, function(x) {
    r <- dense_distance(a, b) / x$range
    x$B[output_a, output_b] * matrix(dense_correlation(x$family, r, x$shape), nrow(a))
  }))
}

# zinc and lead at n locations, some of each missing.
simulated_outputs <- function(n = 120, missing = 0.25, seed = 3, truth = output_truth()) {
  withr::local_seed(seed)
  d <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n))
  coords <- as.matrix(d[rep(seq_len(n), 2L), 1:2])
  output <- rep(1:2, each = n)
  S <- dense_outputs(truth, coords, output) + diag(truth$nuggets[output])
  z <- drop(crossprod(chol(S), stats::rnorm(2 * n)))
  d$zinc <- z[1:n] + 3 + 0.5 * d$height
  d$lead <- z[n + 1:n] - 20
  d$zinc[stats::runif(n) < missing] <- NA
  d$lead[stats::runif(n) < missing & !is.na(d$zinc)] <- NA
  d
}

# The estimates of a fit, in the form of the truth.
fitted_truth <- function(fit) {
  list(components = Map(function(x, B) list(family = x$family, shape = x$shape, range = x$range,
    B = unname(B)), fit$core_covariance$components, fit$coregionalisation),
    nuggets = unname(fit$nugget))
}

dense_outputs_noisy <- function(fit) {
  data <- fit$data
  dense_outputs(fitted_truth(fit), data$coords, data$output) +
    diag(fit$nugget[data$output] / data$weights)
}

# Sum of log densities of blocks of rows given all other rows, at trend coefficients beta.
dense_block_score <- function(fit, blocks, beta) {
  S <- dense_outputs_noisy(fit)
  e <- fit$data$y - drop(fit$data$X %*% beta)
  sum(vapply(blocks, function(rows) {
    b <- solve(S[-rows, -rows], S[-rows, rows])
    f <- S[rows, rows] - crossprod(b, S[-rows, rows])
    r <- e[rows] - drop(crossprod(b, e[-rows]))
    -0.5 * (length(rows) * log(2 * pi) + as.numeric(determinant(as.matrix(f))$modulus) +
      sum(r * solve(f, r)))
  }, 0))
}

known_matrices <- function() lapply(output_truth()$components, `[[`, "B")

# All parameters fixed at the truth.
known_outputs <- function() {
  cov_coregionalisation(cov_matern(nu = 1.5, range = 0.15), cov_exponential(range = 0.5),
    matrices = known_matrices())
}

# Its parameters held, so that nothing is estimated but the trend.
outputs_fit <- function(method = loo_k(k = 10), n = 60, formula = cbind(zinc, lead) ~ height) {
  neargp(formula, simulated_outputs(n), coords = ~ x + y, method = method,
    covariance = known_outputs(), nugget = c(0.2, 8), device = device_of(method))
}

new_places <- function() {
  data.frame(x = c(0.2, 0.9, 0.5), y = c(0.4, 0.1, 0.55), height = c(0, 1, -1))
}

# Generalised least squares from these rows.
dense_outputs_trend <- function(fit, rows) {
  S <- dense_outputs_noisy(fit)[rows, rows]
  X <- fit$data$X[rows, , drop = FALSE]
  vcov <- solve(crossprod(X, solve(S, X)))
  list(beta = drop(vcov %*% crossprod(X, solve(S, fit$data$y[rows]))), vcov = vcov)
}

# Each group of rows taken away, and predicted by universal cokriging from what is left.
dense_outputs_left_out <- function(fit, group) {
  data <- fit$data
  S <- dense_outputs_noisy(fit)
  result <- list(mean = double(length(data$y)), sd = double(length(data$y)))
  for (out in split(seq_along(group), group)) {
    trend <- dense_outputs_trend(fit, setdiff(seq_along(group), out))
    b <- solve(S[-out, -out], S[-out, out, drop = FALSE])
    unseen <- data$X[out, , drop = FALSE] - crossprod(b, data$X[-out, , drop = FALSE])
    result$mean[out] <- drop(unseen %*% trend$beta) + drop(crossprod(b, data$y[-out]))
    result$sd[out] <- sqrt(diag(S)[out] - colSums(b * S[-out, out, drop = FALSE]) +
      rowSums((unseen %*% trend$vcov) * unseen))
  }
  result
}

# A problem with its start, as neargp() makes it.
outputs_problem <- function(data, method, covariance, formula = cbind(zinc, lead) ~ height, ...) {
  settings <- new_settings(method, gaussian(), neargp_control(), plain_context(), covariance)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, character(0))
  weights <- if (is.null(data$w)) list() else list(weights = rlang::quo(w))
  model <- new_model_data(new_model_frame(weights, formula, data, locations), formula, settings)
  problem <- new_problem(model$data, locations, settings, NULL)
  with_start(problem$method, problem)
}
