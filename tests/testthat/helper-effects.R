# Data with groups, a slope and a smooth, and dense references of models with random effects. The
# covariance of y is V = S + Z G Z', where S is that of the field and the noise.

effects_data <- function(n = 80, seed = 5, groups = 8) {
  set.seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), a = stats::rnorm(n),
    depth = stats::runif(n), site = sample(letters[seq_len(groups)], n, TRUE),
    year = sample(2001:2005, n, TRUE), w = stats::runif(n, 0.5, 2), o = stats::rnorm(n))
  b <- matrix(stats::rnorm(2 * groups, sd = 0.8), groups)
  at <- match(data$site, letters)
  field <- drop(crossprod(chol(exp(-as.matrix(stats::dist(data[1:2])) / 0.2)), stats::rnorm(n)))
  data$z <- 1 + data$a + b[at, 1] + 0.5 * b[at, 2] * data$a + sin(6 * data$depth) + data$o +
    0.5 * stats::rnorm(5)[data$year - 2000] + 0.7 * field + stats::rnorm(n, sd = 0.4 / sqrt(data$w))
  data
}

# Levels that are regions, and those of another factor next to them.
many_effects_data <- function(n = 300) {
  set.seed(4)
  data <- data.frame(x = runif(n), y = runif(n), a = rnorm(n), depth = runif(n),
    w = runif(n, 0.5, 2))
  data$region <- 10L * as.integer(cut(data$x, 9)) + as.integer(cut(data$y, 9))
  data$year <- sample(8L, n, TRUE)
  data$z <- rnorm(99)[data$region] + 0.5 * rnorm(8)[data$year] * data$a + sin(6 * data$depth) +
    sin(4 * data$x) + rnorm(n, sd = 0.4)
  data
}

# On the CPU, which alone has compressed effects.
many_effects_fit <- function(formula = z ~ a + (1 | region) + (a | year), method = vecchia(8),
                             data = many_effects_data(), ...) {
  neargp(formula, data, coords = ~ x + y, method = method, weights = w,
    covariance = cov_exponential(), device = "cpu", threads = 1L, verbose = FALSE, ...)
}

# A block for each of the columns of `design`, one or several, by the levels of `group`.
dense_columns <- function(design, group) {
  design <- as.matrix(design)
  do.call(cbind, lapply(sort(unique(group)), function(level) design * (group == level)))
}

dense_effects_likelihood <- function(y, X, V, restricted = FALSE) {
  Q <- solve(V)
  A <- crossprod(X, Q %*% X)
  beta <- solve(A, crossprod(X, Q %*% y))
  e <- y - X %*% beta
  log_det <- function(M) as.numeric(determinant(M)$modulus)
  p <- ncol(X)
  -0.5 * ((length(y) - restricted * p) * log(2 * pi) + log_det(V) + sum(e * (Q %*% e)) +
    restricted * log_det(A))
}

# Universal kriging of y0 = X0 beta + u0, u0 with covariance `cross` with the data and `own` with
# itself: best linear unbiased prediction and the covariance of its error.
# `trend`: NULL for generalised least squares, or coefficients `beta` and their covariance matrix.
dense_universal_kriging <- function(y, X, V, X0, cross, own, trend = NULL) {
  Q <- solve(V)
  A <- trend$vcov %||% solve(crossprod(X, Q %*% X))
  beta <- trend$beta %||% (A %*% crossprod(X, Q %*% y))
  D <- X0 - cross %*% Q %*% X
  list(mean = drop(X0 %*% beta + cross %*% Q %*% (y - X %*% beta)),
    covariance = own - cross %*% Q %*% t(cross) + D %*% A %*% t(D), beta = drop(beta), vcov = A)
}

numeric_gradient <- function(f, at, ..., step = 1e-5) {
  vapply(seq_along(at), function(i) {
    shift <- replace(double(length(at)), i, step)
    (f(at + shift, ...) - f(at - shift, ...)) / (2 * step)
  }, 0)
}

# With another value of a constant of the package.
with_constant <- function(name, value, code) {
  package <- asNamespace("neargp")
  old <- get(name, package)
  unlockBinding(name, package)
  on.exit({
    assign(name, old, package)
    lockBinding(name, package)
  })
  assign(name, value, package)
  force(code)
}
