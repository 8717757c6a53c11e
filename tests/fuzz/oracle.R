# Oracles compare random problems with dense formulas in plain R. The formulas take a user's arguments and share
# nothing with the package. All parameters are fixed, so that arithmetic is compared and not optimisation.

# Keeps the largest relative difference of each quantity: compare(what, case, found, wanted, scale, tolerance).
new_tally <- function() {
  rows <- list()
  compare <- function(what, case, found, wanted, scale = max(1, abs(wanted)), tolerance = 1e-9) {
    alike <- length(found) == length(wanted) && all(is.finite(found) == is.finite(wanted))
    error <- if (alike) max(0, abs(found - wanted), na.rm = TRUE) / scale else Inf
    before <- rows[[what]]
    worse <- is.null(before) || error > before$error
    rows[[what]] <<- data.frame(quantity = what, comparisons = 1L + (before$comparisons %||% 0L), tolerance = tolerance,
      error = if (worse) error else before$error, case = if (worse) case else before$case)
  }
  list(compare = compare, table = function() do.call(rbind, unname(rows)))
}

`%||%` <- function(a, b) if (is.null(a)) b else a

# Generalised least squares by a Cholesky factor: coefficients, their covariance, log-likelihood.
dense_gls <- function(S, y, X) {
  U <- chol(S)
  Z <- backsolve(U, X, transpose = TRUE)
  z <- backsolve(U, y, transpose = TRUE)
  V <- if (ncol(X)) chol2inv(chol(crossprod(Z))) else matrix(0, 0L, 0L)
  beta <- drop(V %*% crossprod(Z, z))
  e <- z - drop(Z %*% beta)
  list(beta = beta, V = V, U = U, value = -sum(log(diag(U))) - 0.5 * sum(e^2) - 0.5 * length(y) * log(2 * pi))
}

# Universal kriging. S is the covariance matrix of the data, C that between data and new locations, and K0 that of
# the new locations.
universal_kriging <- function(S, y, X, C, K0, X0) {
  fit <- dense_gls(S, y, X)
  W <- backsolve(fit$U, backsolve(fit$U, C, transpose = TRUE))
  unseen <- X0 - crossprod(W, X)
  c(fit, list(mean = drop(X0 %*% fit$beta) + drop(crossprod(W, y - drop(X %*% fit$beta))),
    cov = K0 - crossprod(C, W) + unseen %*% fit$V %*% t(unseen)))
}

# Predicts each row from all others, with a trend estimated from the others. The result is NA for a row without
# which the trend cannot be estimated.
kriging_given_others <- function(S, K, y, X) {
  t(vapply(seq_along(y), function(i) {
    others <- X[-i, , drop = FALSE]
    if (ncol(X) && qr(others)$rank < ncol(X)) return(c(NA, NA))
    found <- universal_kriging(S[-i, -i, drop = FALSE], y[-i], others, K[-i, i, drop = FALSE], K[i, i, drop = FALSE], X[i, , drop = FALSE])
    c(found$mean, found$cov)
  }, c(0, 0)))
}

# Prints one line for each quantity, and writes the lines to a file if one is given. Returns the number of
# quantities beyond their tolerance.
report_tally <- function(tally, file = NA) {
  table <- tally$table()
  table$error <- signif(table$error, 3L)
  print(table, row.names = FALSE)
  if (!is.na(file)) utils::write.csv(table, file, row.names = FALSE, quote = FALSE)
  sum(table$error > table$tolerance)
}
