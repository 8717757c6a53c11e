# A trend separates the responses if all counts of a level are 0 or a covariate separates classes.
# Along such directions the likelihood only levels off. Coefficients are without a finite maximum
# there. Their normal approximation is useless, since it puts as much weight at the other end.

# A result whose message reports this. Predictions fix unbounded directions at their estimates.
# `nugget`: the factor of the noise of pseudo-observations, and thus of the uncertainty of the
# trend.
with_separation <- function(result, problem, nugget = 1) {
  trend <- seq_len(ncol(problem$data$X))
  variance <- sum(exp(result$working[problem$layout$kind == "variance"]))
  limit <- separation_limit(variance) * max(1, nugget)
  separated <- separated_coefficients(problem, limit, result$beta_vcov[trend, trend, drop = FALSE])
  if (!length(separated)) return(result)
  result$held_vcov <- held_trend(problem$data$X, result$beta_vcov, limit)
  with_separation_told(result, separated)
}

with_separation_told <- function(result, separated, named = format_some(separated)) {
  result$convergence[c("converged", "message", "separated")] <- list(FALSE,
    sprintf("the trend separates the responses, and %s may be infinite", named), separated)
  result
}

# A result whose trend is without precision: no response bounds it where the search ended, which may
# occur if log densities are not concave. Predictions fix it, with next to no variance, so that the
# matrix is regular.
with_unknown_trend <- function(result) {
  result$held_vcov <- diag(1e-8, length(result$beta))
  result$beta_vcov[] <- NA_real_
  result$convergence[c("converged", "message")] <- list(FALSE,
    "no response bounds the trend where the search ended")
  result
}

# The limit of the variance in mean square that a direction of the trend adds to the linear
# predictor. A direction that the data determine stays below it. The limit allows for the variance
# of the field, which could replace the direction, and of some observations on a logarithmic scale.
separation_limit <- function(variance) max(4, 2 * variance)

# With R'R the mean squares of the columns, the squared length of R beta is the mean square of the
# trend. The eigenvalues of R V R' are therefore its variances. Directions above the limit are
# fixed. The result is the covariance of the others given these, which keep next to no variance, so
# that the matrix is regular. Columns after those of the trend belong to effects.
held_trend <- function(X, beta_vcov, limit) {
  if (!ncol(X) || !all(is.finite(beta_vcov))) return(beta_vcov)
  trend <- seq_len(ncol(X))
  size <- nrow(beta_vcov)
  factored <- qr(X, tol = 0)
  root <- diag(size)
  root[trend, trend] <- qr.R(factored)[, order(factored$pivot), drop = FALSE] / sqrt(nrow(X))
  scaled <- root %*% beta_vcov %*% t(root)
  parts <- eigen(scaled[trend, trend, drop = FALSE], symmetric = TRUE)
  held <- matrix(0, size, sum(parts$values > limit))
  if (!ncol(held)) return(beta_vcov)
  held[trend, ] <- parts$vectors[, parts$values > limit]
  project <- function(x) x - held %*% crossprod(held, x)
  across <- scaled %*% held
  rest <- scaled - across %*% solve(crossprod(held, across), t(across))
  rest <- project(t(project(rest)))
  back <- solve(root)
  found <- back %*% ((rest + t(rest)) / 2 + 1e-8 * tcrossprod(held)) %*% t(back)
  (found + t(found)) / 2
}

# Directions matter, and not columns: the coefficients of year + year^2 are uncertain together, and
# their sum is not. R is as above, for the columns about their means. The eigenvalues are then
# variances of the mean square of the trend about its mean. Returns the names of the user's
# coefficients that vary along such directions.
separated_coefficients <- function(problem, limit, beta_vcov) {
  X <- problem$data$X
  if (!ncol(X) || response_family(problem$family)$link == "identity") return(character(0))
  if (!all(is.finite(beta_vcov)) || any(diag(as.matrix(beta_vcov)) < 0)) {
    return(setdiff(colnames(X), "(Intercept)"))
  }
  centered <- qr(sweep(X, 2L, colMeans(X)), tol = 0)
  factor <- qr.R(centered)[, order(centered$pivot), drop = FALSE] / sqrt(nrow(X) - 1)
  parts <- eigen(factor %*% beta_vcov %*% t(factor), symmetric = TRUE)
  separated <- which(parts$values > limit)
  natural <- problem$data$natural
  back <- natural$back
  along <- back %*% beta_vcov %*% t(factor) %*% parts$vectors[, separated, drop = FALSE]
  correlation <- sweep(along, 2L, sqrt(parts$values[separated]), "/") /
    sqrt(rowSums((back %*% beta_vcov) * back))
  share <- ifelse(seq_len(ncol(X)) %in% natural$constant, 0, rowSums(correlation^2))
  colnames(X)[length(separated) > 0L & share >= min(0.8, max(share))]
}
