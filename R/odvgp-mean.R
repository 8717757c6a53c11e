# The mean of odvgp(), given the covariance of svgp(). With W the precisions of pseudo-observations,
# one for each row, and K the covariance matrix of the rows (or what the points of the mean have of
# it), a column C of the data has the coefficients a = (I + W K)^-1 C, and the mean of the field at
# x is k(x, X) a. What the bound has of the mean is
#
#   sum E log p(y_i | eta_i) - a'K a / 2,    eta_i ~ N(offset_i + x_i'beta + (K a)_i, s_i),
#
# with the variances s_i of svgp(): the objective here, concave where the log-likelihood is.

# Up to this many rows the n^2 covariances of some ten iterations take no longer than the
# evaluations of svgp() before (an iteration of 100,000 rows takes about a minute of one core, an
# evaluation with 512 points 10 seconds, of which there are 100 or more).
most_mean_rows <- 100000L

# Inducing points of the mean: NULL for all rows, else those of the covariance and rows that these
# do not explain already.
mean_points <- function(method, fit, context, otherwise = 2048L) {
  wanted <- method$mean_inducing
  n <- length(fit$data$y)
  if (is.null(wanted) && n <= most_mean_rows) return(NULL)
  if (is.null(wanted)) {
    wanted <- otherwise
    inform_neargp("inducing",
      c(sprintf("The mean has %s inducing points besides those of the covariance, since there are %s rows.",
        format_count(wanted), format_count(n)),
        i = sprintf("mean_inducing = %d takes all rows; an iteration then takes %.2g covariances.",
          n, n^2)))
  }
  places <- distinct_locations(fit$data$coords)
  if (wanted >= nrow(places)) return(NULL)
  chosen <- places[core_order(places, "random", 4, context)[seq_len(wanted)], , drop = FALSE]
  rbind(fit$svgp$positions, without_explained(fit, chosen, context))
}

# A row at an inducing point has no more of its own than the jitter.
without_explained <- function(fit, chosen, context) {
  explained <- inducing_moments(fit, chosen, context)$unexplained <=
    fit$method$jitter * field_variance(fit)
  if (any(explained)) {
    inform_neargp("inducing",
      sprintf("%s of %s inducing points of the mean are left out: those of the covariance explain the field there.",
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
    found <- if (is.null(points)) {
      core_exact_mean(coords, precision, natural, values, fit$svgp$positions,
        as_specified(fit$core_covariance), method$jitter, tolerance, most, context)
    } else {
      core_point_mean(coords, precision, natural, values, points, as_specified(fit$core_covariance),
        method$jitter, context)
    }
    if (nzchar(found$failure)) abort_bound(found$failure)
    found
  }
}

# Coefficients of the trend, for which the design's products with the coefficients of the field are
# zero: `solved` of the response, and of the columns of the design.
mean_trend <- function(X, response, design) {
  if (!ncol(X)) return(list(beta = double(0), beta_vcov = matrix(0, 0L, 0L)))
  information <- crossprod(X, design)
  beta_vcov <- chol2inv(chol((information + t(information)) / 2))
  list(beta = drop(beta_vcov %*% crossprod(X, response)), beta_vcov = beta_vcov)
}

# ---- gaussian responses --------------------------------------------------------------------------

# `gain`: what the bound has more than with the mean of svgp().
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
  c(found[c("solved", "field", "iterations", "residual")], list(trend = trend, gain = gain))
}

# ---- other families ------------------------------------------------------------------------------

# Newton's method from the mean of svgp(), of which a share c is left: the field at the rows is c
# A'm + K a, its squared norm c^2 m'm + 2 c a'A'm + a'K a, and a whole step leaves none. A step that
# does not raise the objective is halved, so that the bound is not below that of svgp(). Where no
# part of it does, conjugate gradients were not exact enough, and the step is found anew.
# `variance`: s, held. Ends where a whole step has moved the linear predictors by less than the
# tolerance, relative to what they are without their offset, both in the metric of the precisions.
#' @export
best_mean.neargp_odvgp_families <- function(method, fit, solve, context,
                                            variance = variance_in_bound(fit), most = 50L) {
  data <- core_data(fit$data)
  base <- core_trend(fit)$beta
  known <- list(field = fit$posterior$linear_predictor - data$offset - drop(data$X %*% base),
    norm = sum((fit$svgp$weights %*% c(1, -base))^2))
  state_at <- mean_state_maker(data, known, mean_expectations(fit, data, variance, context))
  none <- double(length(data$y))
  start <- state_at(list(left = 1, coefficients = none, field = none, beta = base))
  found <- climb_mean(data, known, state_at, solve, start, fit$method$tolerance, most)
  if (found$state$at$left > 0) {
    abort_neargp("convergence",
      c("The mean of all rows is not found: no step from that of svgp() raises the bound.",
        i = "Use svgp(), or more inducing points, which precondition the equations of the mean better."))
  }
  c(found, list(gain = found$state$objective - start$objective))
}

mean_expectations <- function(fit, data, variance, context) {
  observed <- core_observations(data)
  function(predictor) {
    core_expectations(family_core_name(fit$family), unname(fit$family_parameters), observed$y,
      observed$trials %||% double(0), data$weights, predictor, variance, context)
  }
}

# Of c (`left`), a, K a and the trend: linear predictors, expectations there, objective.
mean_state_maker <- function(data, known, expectations) {
  function(at) {
    predictor <- data$offset + drop(data$X %*% at$beta) + at$left * known$field + at$field
    expected <- expectations(predictor)
    norm <- at$left^2 * known$norm + 2 * at$left * sum(at$coefficients * known$field) +
      sum(at$coefficients * at$field)
    list(at = at, predictor = predictor, expected = expected, objective = expected$total -
      0.5 * norm)
  }
}

climb_mean <- function(data, known, state_at, solve, state, tolerance, most) {
  iterations <- 0L
  accuracy <- tolerance
  for (step in seq_len(most)) {
    at <- state$at
    precision <- pmax(state$expected$curvature, 0)
    natural <- state$expected$slope + at$left * precision * known$field - at$coefficients
    found <- solve(precision, cbind(natural), unname(data$X), accuracy)
    iterations <- iterations + found$iterations
    design <- list(solved = found$solved[, -1L, drop = FALSE],
      field = found$field[, -1L, drop = FALSE])
    trend <- mean_trend(data$X, at$coefficients + found$solved[, 1L], design$solved)
    contrast <- c(1, -trend$beta)
    moved <- halved_until_better(state, state_at,
      list(left = -at$left, coefficients = drop(found$solved %*% contrast),
        field = drop(found$field %*% contrast), beta = trend$beta))
    change <- if (moved$share == 1) weighted_size(moved$state$predictor - state$predictor,
      precision) /
      weighted_size(moved$state$predictor - data$offset, precision) else Inf
    state <- moved$state
    if (change <= tolerance || accuracy < 1e-10) break
    if (moved$share < 1) accuracy <- accuracy / 10
  }
  list(state = state, trend = list(beta = state$at$beta, beta_vcov = trend$beta_vcov), steps = step,
    iterations = iterations, residual = change,
    solved = cbind(state$at$coefficients + design$solved %*% state$at$beta, design$solved),
    field = cbind(state$at$field + design$field %*% state$at$beta, design$field))
}

# Equal but for rounding is better: so the last step ends.
halved_until_better <- function(state, state_at, direction) {
  least <- state$objective - 1e-10 * abs(state$objective)
  for (share in 2^-(0:15)) {
    tried <- state_at(Map(function(from, by) from + share * by, state$at, direction))
    if (is.finite(tried$objective) && tried$objective >= least) {
      return(list(state = tried, share = share))
    }
  }
  list(state = state, share = 0)
}

weighted_size <- function(x, precision) sqrt(sum(precision * x^2))
