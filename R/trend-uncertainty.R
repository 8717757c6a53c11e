# Standard errors of the trend that include the uncertainty of the other parameters. The objective l
# is maximised over the coefficients b given the working parameters t of covariance and family. The
# best coefficients are b(t), and V is their covariance matrix given t. Let C be the covariance
# matrix of t, and J = db/dt. The block of b in the inverse of minus the joint second derivatives of
# l is
#
#   `V + J C J'`.
#
# Here V is the inverse of the block of b, and J is V d2l/dbdt'. C is the inverse of minus the
# second derivatives of l(b(t), t). V alone would take t for known. For a Gaussian response the
# mixed second derivatives are zero on average, and generalised least squares uses V.

# Adds J C J' to a result; `slope` is J, a row for each coefficient in the core's columns.
# with_natural_trend() makes the covariance matrix of the trend of it. Predictions of the field and
# the trend together keep V, which is the covariance matrix given the parameters at which they
# compute the field.
with_parameter_uncertainty <- function(result, problem, slope) {
  if (is_gaussian(problem$family) || !length(slope) || !all(is.finite(slope))) return(result)
  informed <- problem$free & !at_bound(result$working, problem, result$information)
  spread <- working_covariance(result$information, informed)
  known <- !is.na(diag(spread))
  slope <- slope[, known, drop = FALSE]
  result$trend_spread <- slope %*% spread[known, known, drop = FALSE] %*% t(slope)
  result
}

# core_trend() for statements on the trend alone.
uncertain_trend <- function(object) {
  trend <- core_trend(object)
  if (!is.null(trend$spread)) trend$beta_vcov <- with_spread(trend$beta_vcov, trend$spread)
  trend
}

# ---- tests ---------------------------------------------------------------------------------------

# Wald tests of the trend's coefficients. A coefficient without a finite estimate is not tested
# (Hauck and Donner 1977), nor is the linear part of a smooth, which is not the whole smooth.
wald_tests <- function(object) {
  object <- with_flat_trend(object)
  variance <- diag(object$beta_vcov)
  std_error <- sqrt(ifelse(variance < 0, NA, variance))
  untested <- c(object$convergence$separated, smooth_coefficients(object))
  z <- ifelse(names(object$beta) %in% untested, NA, object$beta / std_error)
  list(estimate = object$beta, std_error = std_error, z = z, p_value = wald_p_value(z))
}

wald_p_value <- function(z) 2 * stats::pnorm(-abs(z))

# The trend as a vector, "class:term", as methods for a single one expect it.
with_flat_trend <- function(object) {
  if (!is.matrix(object$beta)) return(object)
  by_class <- function(term, class) paste0(class, ":", term)
  names <- if (length(object$beta)) as.vector(outer(rownames(object$beta), colnames(object$beta),
    by_class))
  object$beta <- stats::setNames(as.vector(object$beta), names)
  object$beta_vcov <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  blocks <- object$classifier$trend_vcov
  for (class in seq_along(blocks)) {
    own <- (class - 1L) * nrow(blocks[[class]]) + seq_len(nrow(blocks[[class]]))
    object$beta_vcov[own, ] <- 0
    object$beta_vcov[own, own] <- blocks[[class]]
  }
  object$data$X <- matrix(0, 0L, length(names), dimnames = list(NULL, names))
  object
}
