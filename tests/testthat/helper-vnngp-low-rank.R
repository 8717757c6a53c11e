# A latent model with a low-rank part by dense matrices: the covariance matrix of its field, and
# the best Gaussian posterior.

low_rank_data <- function(n = 70, seed = 3) {
  withr::with_seed(seed, {
    data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    field <- sin(5 * data$x) * cos(4 * data$y) + 0.3 * data$h
    data$gaussian <- field + rnorm(n, 0, 0.3)
    data$poisson <- rpois(n, exp(0.5 + field))
    data$binary <- rbinom(n, 1, plogis(2 * field))
  })
  data
}

# A'A + [(I - B)'D^-1(I - B)]^-1 of rows `coords`, in the caller's order; neighbours a column
# for each row.
dense_low_rank_covariance <- function(coords, positions, neighbors, covariance, jitter) {
  variance <- sum(vapply(covariance$components, `[[`, 0, "variance"))
  n <- nrow(coords)
  prior <- dense_covariance(positions, positions, covariance) + diag(jitter * variance,
    nrow(positions))
  features <- forwardsolve(t(chol(prior)), dense_covariance(positions, coords, covariance))
  rest <- dense_covariance(coords, coords, covariance) - crossprod(features) +
    diag(jitter * variance, n)
  whitening <- diag(n)
  scale <- diag(rest)
  for (i in seq_len(n)) {
    set <- neighbors[!is.na(neighbors[, i]), i]
    if (!length(set)) next
    b <- solve(rest[set, set, drop = FALSE], rest[set, i])
    whitening[i, set] <- -b
    scale[i] <- scale[i] - sum(rest[set, i] * b)
  }
  inverse <- solve(whitening)
  list(field = crossprod(features) + inverse %*% (scale * t(inverse)), features = features,
    rest = rest)
}

dense_hermite <- local({
  jacobi <- matrix(0, 40L, 40L)
  jacobi[cbind(1:39, 2:40)] <- jacobi[cbind(2:40, 1:39)] <- sqrt(1:39)
  eigen(jacobi, symmetric = TRUE)
})

# E log p, its slope and minus its curvature under N(eta, s), and at the point where s is 0. The
# rule is Gauss-Hermite quadrature of 40 points, from the eigenvectors of its Jacobi matrix (Golub
# and Welsch 1969).
dense_expectations <- function(family, y, eta, s) {
  rule <- dense_hermite
  at <- eta + outer(sqrt(s), rule$values)
  weight <- rule$vectors[1L, ]^2
  log_density <- switch(family, poisson = y * at - exp(at) - lgamma(y + 1),
    binary = y * at - log1p(exp(at)))
  mean <- switch(family, poisson = exp(at), binary = plogis(at))
  curvature <- switch(family, poisson = mean, binary = mean * (1 - mean))
  lapply(list(value = log_density, slope = y - mean, curvature = curvature),
    function(x) drop(x %*% weight))
}

# Evidence bound ("sparse") or Laplace's approximation with the trend at its best value. Laplace's
# is found from values alone, by Newton's method with differences of fourth order.
dense_low_rank_posterior <- function(family, y, X, K, kind) {
  found <- dense_low_rank_given(family, y, X, K, kind)
  if (kind != "laplace") return(found)
  value_at <- function(beta) dense_low_rank_given(family, y, X, K, kind, beta = beta)$value
  gradient_at <- function(beta) {
    (4 * numeric_gradient(value_at, beta, step = 5e-3) -
      numeric_gradient(value_at, beta, step = 1e-2)) / 3
  }
  beta <- found$beta
  for (step in 1:4) {
    information <- -vapply(seq_along(beta), function(a) {
      shift <- replace(double(length(beta)), a, 0.01)
      (gradient_at(beta + shift) - gradient_at(beta - shift)) / 0.02
    }, beta)
    beta <- beta + solve(information, gradient_at(beta))
  }
  replace(dense_low_rank_given(family, y, X, K, kind, beta = beta), "beta_vcov",
    list(solve(information)))
}

# Damped natural-gradient steps, with the trend profiled out or given.
dense_low_rank_given <- function(family, y, X, K, kind, steps = 200L, beta = NULL) {
  n <- length(y)
  given <- beta
  s <- if (kind == "laplace") rep(0, n) else diag(K)
  natural <- NULL
  eta <- if (family == "poisson") log(y + 0.5) else 0.2 * (2 * y - 1)
  for (step in seq_len(steps)) {
    found <- dense_expectations(family, y, eta, s)
    new <- list(W = found$curvature, t = found$curvature * eta + found$slope)
    natural <- if (is.null(natural)) new else Map(function(a, b) 0.4 * a + 0.6 * b, natural, new)
    W <- natural$W
    M <- solve(diag(n) + W * K)  # (I + W K)^-1
    z <- natural$t / W
    V <- M %*% (W * X)           # (K + W^-1)^-1 X
    beta <- given %||% drop(solve(crossprod(X, V), crossprod(V, z)))
    alpha <- drop(M %*% (W * (z - X %*% beta)))
    m <- drop(K %*% alpha)
    S <- K %*% M
    if (kind != "laplace") s <- diag(S)
    before <- eta
    eta <- drop(X %*% beta) + m
    if (max(abs(eta - before)) < 1e-10) break
  }
  found <- dense_expectations(family, y, eta, s)
  log_det <- as.numeric(determinant(diag(n) + W * K)$modulus)
  value <- sum(found$value) - 0.5 * sum(alpha * m) - 0.5 * log_det +
    if (kind == "laplace") 0 else 0.5 * sum(W * s)
  list(value = value, mean = m, beta = beta, eta = eta, covariance = S, precision = W,
    beta_vcov = solve(crossprod(X, V)))
}

# The problem of a fit with held positions and neighbours, and its objective.
low_rank_objective <- function(response, family, data, posterior, factor = "exact", points = 9L,
  k = 6L, covariance = cov_matern(1.5), jitter = 1e-4) {
  formula <- stats::reformulate("h", response)
  method <- vnngp(k = k, posterior = posterior, low_rank = points, factor = factor, jitter = jitter)
  settings <- check_settings(formula, data, method, covariance, family, NULL, neargp_control(),
    "cpu", 1L, FALSE)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, response)
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL,
    na.action = stats::na.omit), formula, data, locations)
  problem <- with_start(method, new_problem(new_model_data(frame, formula, settings)$data,
    locations, settings, NULL))
  problem$data <- core_data(problem$data)
  problem$low_rank <- latent_positions(problem, component_at(problem, problem$start))
  nodes <- latent_nodes(problem)
  latent <- latent_problem(problem, nodes, latent_search(problem, nodes, component_at(problem,
    problem$start), k))
  list(problem = problem, latent = latent, objective = latent_objective(problem, latent))
}
