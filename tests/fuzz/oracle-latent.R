# vnngp() for non-Gaussian responses, with all other rows as neighbours. The references are the ELBO and Laplace's
# approximation, found by a general optimiser in plain R. Importance sampling gives the evidence itself. The
# problems are small, since optim() works without derivatives.

# Nodes and weights of Gauss and Hermite for the standard normal distribution, from the eigenvalues of the Jacobi matrix.
gauss_hermite <- local({
  size <- 40L
  jacobi <- matrix(0, size, size)
  i <- seq_len(size - 1L)
  jacobi[cbind(i, i + 1L)] <- jacobi[cbind(i + 1L, i)] <- sqrt(i)
  parts <- eigen(jacobi, symmetric = TRUE)
  list(nodes = parts$values, weights = parts$vectors[1L, ]^2)
})

# Response, family and log density of row i at the linear predictor f, of each kind.
latent_kinds <- list(
  poisson = function(f, n) list(y = stats::rpois(n, exp(f)), family = stats::poisson(),
    log_density = function(y, f, m) stats::dpois(y, exp(f), log = TRUE)),
  binary = function(f, n) list(y = stats::rbinom(n, 1L, stats::plogis(f)), family = stats::binomial(),
    log_density = function(y, f, m) stats::dbinom(y, 1L, stats::plogis(f), log = TRUE)),
  trials = function(f, n) {
    m <- sample(2:6, n, TRUE)
    list(y = stats::rbinom(n, m, stats::plogis(f)), m = m, family = stats::binomial(),
      log_density = function(y, f, m) stats::dbinom(y, m, stats::plogis(f), log = TRUE))
  },
  probit = function(f, n) list(y = stats::rbinom(n, 1L, stats::pnorm(f)), family = stats::binomial("probit"),
    log_density = function(y, f, m) stats::pnorm(f * (2 * y - 1), log.p = TRUE)),
  cloglog = function(f, n) list(y = stats::rbinom(n, 1L, -expm1(-exp(f))), family = stats::binomial("cloglog"),
    log_density = function(y, f, m) if (y) log(-expm1(-exp(f))) else -exp(f)),
  negative_binomial = function(f, n) list(y = stats::rnbinom(n, size = 2, mu = exp(f)), family = neargp::negative_binomial(size = 2),
    log_density = function(y, f, m) stats::dnbinom(y, size = 2, mu = exp(f), log = TRUE)),
  beta = function(f, n) list(y = pmin(pmax(stats::rbeta(n, 10 * stats::plogis(f), 10 * stats::plogis(-f)), 1e-4), 1 - 1e-4),
    family = neargp::beta_response(precision = 10),
    log_density = function(y, f, m) stats::dbeta(y, 10 * stats::plogis(f), 10 * stats::plogis(-f), log = TRUE))
)

latent_problem <- function(case, jitter = 1e-6) {
  set.seed(case)
  n <- sample(4:9, 1L)
  kind <- sample(names(latent_kinds), 1L)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  variance <- stats::runif(1L, 0.3, 2)
  range <- stats::runif(1L, 0.1, 0.6)
  r <- dense_distance(as.matrix(data), as.matrix(data)) / range
  K <- variance * dense_correlation("matern", r, 1.5) + diag(variance * jitter, n)
  data$o <- 0.3 * stats::rnorm(n)
  repeat {
    made <- latent_kinds[[kind]](drop(crossprod(chol(K), stats::rnorm(n))) + data$o + 0.3, n)
    if (length(unique(made$y / (made$m %||% 1))) > 1L) break   # neargp() refuses a constant response
  }
  data$q <- made$y
  data$m <- made$m %||% 1
  log_density <- function(f, i) made$log_density(data$q[i], f + data$o[i], data$m[i])
  list(case = case, n = n, kind = kind, data = data, K = K, inverse = solve(K), family = made$family, jitter = jitter,
    log_density = log_density, formula = if (kind == "trials") cbind(q, m - q) ~ 0 + offset(o) else q ~ 0 + offset(o),
    covariance = neargp::cov_matern(1.5, variance = variance, range = range))
}

fit_latent <- function(problem, posterior) {
  method <- neargp::vnngp(k = problem$n - 1L, factor = "exact", jitter = problem$jitter, posterior = posterior)
  suppressMessages(neargp::neargp(problem$formula, problem$data, coords = ~ x + y, method = method, covariance = problem$covariance,
    family = problem$family, verbose = FALSE))
}

log_determinant <- function(matrix) as.numeric(determinant(matrix)$modulus)

maximize <- function(objective, start) {
  control <- list(maxit = 3000L, reltol = 1e-14)
  reached <- stats::optim(start, function(x) -objective(x), method = "BFGS", control = control)
  stats::optim(reached$par, function(x) -objective(x), method = "BFGS", control = control)
}

# The normal distribution with the largest ELBO is the one with mean K alpha and precision K^-1 + diag(W) (Opper
# and Archambeau 2009). Both alpha and W are optimised.
variational_posterior <- function(problem) {
  own <- seq_len(problem$n)
  moments <- function(x) {
    S <- solve(problem$inverse + diag(exp(x[problem$n + own]), problem$n))
    list(mean = drop(problem$K %*% x[own]), S = (S + t(S)) / 2)
  }
  bound <- function(x) {
    q <- moments(x)
    sds <- sqrt(diag(q$S))
    expected <- vapply(own, function(i) sum(gauss_hermite$weights * problem$log_density(q$mean[i] + sds[i] * gauss_hermite$nodes, i)), 0)
    divergence <- 0.5 * (sum(problem$inverse * q$S) + sum(q$mean * x[own]) - problem$n + log_determinant(problem$K) - log_determinant(q$S))
    sum(expected) - divergence
  }
  reached <- maximize(bound, rep(0, 2L * problem$n))
  c(moments(reached$par), list(value = -reached$value))
}

# Mode, curvature there by differences, and Laplace's approximation of the evidence.
laplace_posterior <- function(problem, step = 1e-3) {
  own <- seq_len(problem$n)
  at <- function(f) vapply(own, function(i) problem$log_density(f[i], i), 0)
  reached <- maximize(function(alpha) sum(at(drop(problem$K %*% alpha))) - 0.5 * sum(alpha * drop(problem$K %*% alpha)), rep(0, problem$n))
  mode <- drop(problem$K %*% reached$par)
  W <- -(at(mode + step) - 2 * at(mode) + at(mode - step)) / step^2
  list(mean = mode, S = solve(problem$inverse + diag(W, problem$n)),
    value = -reached$value - 0.5 * log_determinant(diag(problem$n) + problem$K %*% diag(W, problem$n)))
}

# From Student's t with six degrees of freedom around an approximate posterior; its standard error is about 0.01.
sampled_log_evidence <- function(problem, posterior, size = 20000L) {
  n <- problem$n
  root <- chol(1.3 * posterior$S)
  drawn <- matrix(stats::rnorm(size * n), size) %*% root / sqrt(stats::rchisq(size, 6) / 6)
  log_proposal <- lgamma((6 + n) / 2) - lgamma(3) - n / 2 * log(6 * pi) - sum(log(diag(root))) -
    (6 + n) / 2 * log1p(rowSums((drawn %*% solve(root))^2) / 6)
  f <- sweep(drawn, 2L, posterior$mean, "+")
  log_prior <- -0.5 * (rowSums((f %*% problem$inverse) * f) + n * log(2 * pi) + log_determinant(problem$K))
  log_weights <- rowSums(vapply(seq_len(n), function(i) problem$log_density(f[, i], i), numeric(size))) + log_prior - log_proposal
  max(log_weights) + log(mean(exp(log_weights - max(log_weights))))
}

compare_latent <- function(problem, tally) {
  for (posterior in c("sparse", "laplace")) {
    fit <- fit_latent(problem, posterior)
    truth <- if (posterior == "sparse") variational_posterior(problem) else laplace_posterior(problem)
    found <- stats::predict(fit, problem$data, type = "link")
    compare <- function(what, ...) tally$compare(paste(posterior, what), problem$case, ..., tolerance = 2e-3)
    compare("value", fit$log_likelihood, truth$value)
    compare("mean", found$mean - problem$data$o, truth$mean)
    compare("sd", found$sd, sqrt(diag(truth$S)))
    if (posterior == "laplace") next
    above <- max(0, fit$log_likelihood - sampled_log_evidence(problem, truth))
    tally$compare("bound above the evidence", problem$case, above, 0, scale = 1, tolerance = 0.05)
  }
}

run_latent_oracle <- function(cases, tally) {
  for (case in cases) compare_latent(latent_problem(case), tally)
}
