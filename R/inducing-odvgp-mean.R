# The mean of odvgp(), given the covariance of svgp(). W contains the precisions of
# pseudo-observations, one for each row. K is the covariance matrix of the rows, or its
# approximation by the points of the mean. The coefficients of a column C of the data are
# a = (I + W K)^-1 C, and the mean of the field at x is k(x, X) a. The objective here is the part of
# the ELBO that contains the mean:
#   `sum E log p(y_i | eta_i) - a'K a / 2`,    `eta_i ~ N(offset_i + x_i'beta + (K a)_i, s_i)`,
#
# with the variances s_i of svgp(). The objective is concave where the log-likelihood is.

# Up to this many rows, the n^2 covariances of some ten iterations take no longer than the
# evaluations of svgp() before them. With 100,000 rows, an iteration takes about a minute of one
# core. An evaluation with 512 points takes 10 seconds, and there are 100 or more.
most_mean_rows <- 100000L

# Inducing points of the mean: NULL for all rows, else those of the covariance, and rows that these
# do not explain already.
mean_points <- function(method, fit, context, otherwise = 2048L) {
  wanted <- method$mean_inducing
  n <- length(fit$data$y)
  if (is.null(wanted) && n <= most_mean_rows / sqrt(count_fields(fit))) return(NULL)
  if (is.null(wanted)) {
    wanted <- otherwise
    inform_neargp("inducing",
      c(sprintf("The mean uses %s inducing points in addition to those of the covariance, since there are %s rows.",
        format_count(wanted), format_count(n)),
        i = sprintf("mean_inducing = %d uses all rows. An iteration then computes %.2g covariances.",
          n, n^2)))
  }
  places <- distinct_locations(fit$data$coords)
  if (wanted >= nrow(places)) return(NULL)
  chosen <- places[core_order(places, "random", 4, context)[seq_len(wanted)], , drop = FALSE]
  rbind(fit$svgp$positions, without_explained(fit, chosen, context))
}

count_fields <- function(fit) max(1L, length(fit$svgp$fields))

# At a row on an inducing point, the points leave no more than the jitter unexplained.
without_explained <- function(fit, chosen, context) {
  explained <- inducing_moments(fit, chosen, context)$unexplained <=
    fit$method$jitter * field_variance(fit)
  if (any(explained)) {
    inform_neargp("inducing",
      sprintf("%s of %s inducing points of the mean are left out: those of the covariance explain the process there.",
        format_count(sum(explained)), format_count(nrow(chosen))))
  }
  chosen[!explained, , drop = FALSE]
}

# A function that solves for columns: `natural` ones, then precision * values. Both as matrices with
# a row for each of the data.
mean_solver <- function(fit, points, context, most = 200L) {
  coords <- fit$data$coords
  method <- fit$method
  function(precision, natural, values, tolerance = method$tolerance) {
    checked_bound(if (is.null(points)) {
      core_exact_mean(coords, precision, natural, values, fit$svgp$positions,
        as_specified(fit$core_covariance), method$jitter, tolerance, most, context)
    } else {
      core_decoupled_mean(coords, precision, natural, values, points,
        as_specified(fit$core_covariance), method$jitter, context)
    })
  }
}

# Coefficients of the trend, for which the design's products with the coefficients of the field are
# zero: `solved` of the response, and of the columns of the design.
mean_trend <- function(X, response, design) {
  if (!ncol(X)) return(list(beta = double(0), beta_vcov = matrix(0, 0L, 0L)))
  information <- crossprod(X, design)
  beta_vcov <- chol2inv(tryCatch(chol((information + t(information)) / 2),
    error = function(e) abort_bound("trend")))
  list(beta = drop(beta_vcov %*% crossprod(X, response)), beta_vcov = beta_vcov)
}

# ---- gaussian responses --------------------------------------------------------------------------

# `gain`: the gain of the ELBO over that with the mean of svgp(). `into(fit, found)`: returns the
# fit with what is found.
best_mean <- function(method, fit, solve, context) {
  UseMethod("best_mean")
}

#' @export
best_mean.default <- function(method, fit, solve, context) {
  columns <- response_columns(fit$data)
  precision <- fit$data$weights / fit$nugget
  base <- core_trend(fit)$beta
  found <- solve(precision, columns[, 0L, drop = FALSE], columns)
  trend <- mean_trend(columns[, -1L, drop = FALSE], found$solved[, 1L],
    found$solved[, -1L, drop = FALSE])
  fit_of <- function(contrast, field, norm) {
    -0.5 * (sum(precision * drop(columns %*% contrast - field)^2) + norm)
  }
  contrast <- c(1, -trend$beta)
  field <- found$field %*% contrast
  before <- c(1, -base)
  known <- inducing_moments(fit, fit$data$coords, context)$weighted %*% before
  gain <- fit_of(contrast, field, sum((found$solved %*% contrast) * field)) - fit_of(before, known,
    sum((fit$svgp$weights %*% before)^2))
  c(found[c("solved", "field", "iterations", "residual")], list(trend = trend, gain = gain,
    into = function(fit, found) with_trend_of_mean(fit, found$trend)))
}
