# The mean of odvgp(), given the covariance of svgp(). With W the precisions of pseudo-observations, one for each row, and K the
# covariance matrix of the rows (or what the points of the mean have of it), a column C of the data has the coefficients
# a = (I + W K)^-1 C, and the mean of the field at x is k(x, X) a. What the bound has of the mean is
#
#   sum E log p(y_i | eta_i) - a'K a / 2,    eta_i ~ N(offset_i + x_i'beta + (K a)_i, s_i),
#
# with the variances s_i of svgp(): the objective here, concave where the log-likelihood is.

# Up to this many rows the n^2 covariances of some ten iterations take no longer than the evaluations of svgp() before (an iteration of 100,000 rows
# takes about a minute of one core, an evaluation with 512 points 10 seconds, of which there are 100 or more).
most_mean_rows <- 100000L

# Inducing points of the mean: NULL for all rows, else those of the covariance and rows that these do not explain already.
mean_points <- function(method, fit, otherwise = 2048L) {
  wanted <- method$mean_inducing
  n <- length(fit$data$y)
  if (is.null(wanted) && n <= most_mean_rows) return(NULL)
  if (is.null(wanted)) {
    wanted <- otherwise
    inform_neargp("inducing", c(sprintf("The mean has %s inducing points besides those of the covariance, since there are %s rows.",
      format_count(wanted), format_count(n)), i = sprintf("mean_inducing = %d takes all rows; an iteration then takes %.2g covariances.", n, n^2)))
  }
  places <- distinct_locations(fit$data$coords)
  if (wanted >= nrow(places)) return(NULL)
  chosen <- places[core_order(places, "random", 4, fit$threads)[seq_len(wanted)], , drop = FALSE]
  rbind(fit$svgp$positions, without_explained(fit, chosen))
}

# A row at an inducing point has no more of its own than the jitter.
without_explained <- function(fit, chosen) {
  explained <- inducing_moments(fit, chosen, fit$threads)$unexplained <= fit$method$jitter * field_variance(fit)
  if (any(explained)) {
    inform_neargp("inducing", sprintf("%s of %s inducing points of the mean are left out: those of the covariance explain the field there.",
      format_count(sum(explained)), format_count(nrow(chosen))))
  }
  chosen[!explained, , drop = FALSE]
}

# A function that solves for columns: `natural` ones, then precision * values. Both as matrices with a row for each of the data.
mean_solver <- function(fit, points, most = 200L) {
  coords <- fit$data$coords
  method <- fit$method
  function(precision, natural, values) {
    found <- if (is.null(points)) {
      core_exact_mean(coords, precision, natural, values, fit$svgp$positions, fit$core_covariance, method$jitter, method$tolerance, most,
        fit$threads)
    } else {
      core_point_mean(coords, precision, natural, values, points, fit$core_covariance, method$jitter, fit$threads)
    }
    if (nzchar(found$failure)) abort_bound(found$failure)
    found
  }
}

# Coefficients of the trend, for which the design's products with the coefficients of the field are zero: `solved` of the response, and
# of the columns of the design.
mean_trend <- function(X, response, design) {
  if (!ncol(X)) return(list(beta = double(0), beta_vcov = matrix(0, 0L, 0L)))
  information <- crossprod(X, design)
  beta_vcov <- chol2inv(chol((information + t(information)) / 2))
  list(beta = drop(beta_vcov %*% crossprod(X, response)), beta_vcov = beta_vcov)
}

# ---- gaussian responses -----------------------------------------------------------------------------------------------------------

# `gain`: what the bound has more than with the mean of svgp().
gaussian_mean <- function(fit, solve) {
  columns <- response_columns(fit$data)
  precision <- fit$data$weights / fit$nugget
  base <- core_trend(fit)$beta
  found <- solve(precision, columns[, 0L, drop = FALSE], columns)
  trend <- mean_trend(columns[, -1L, drop = FALSE], found$solved[, 1L], found$solved[, -1L, drop = FALSE])
  fit_of <- function(contrast, field, norm) -0.5 * (sum(precision * drop(columns %*% contrast - field)^2) + norm)
  contrast <- c(1, -trend$beta)
  field <- found$field %*% contrast
  before <- c(1, -base)
  known <- inducing_moments(fit, fit$data$coords, fit$threads)$weighted %*% before
  gain <- fit_of(contrast, field, sum((found$solved %*% contrast) * field)) - fit_of(before, known, sum((fit$svgp$weights %*% before)^2))
  c(found[c("solved", "field", "iterations", "residual")], list(trend = trend, gain = gain))
}

# ---- other families ---------------------------------------------------------------------------------------------------------------

# Newton's method. Its first step is taken at the linear predictors of svgp(), from the prior's mean: a = 0. A step that does not raise the
# objective is halved. `variance`: s, held. Ends where a whole step has moved the linear predictors by less than the tolerance, relative to
# what they are without their offset, both in the metric of the precisions.
family_mean <- function(fit, solve, variance, most = 50L) {
  data <- core_data(fit$data)
  at_predictor <- mean_expectations(fit, data, variance)
  base <- core_trend(fit)$beta
  start <- at_predictor(fit$posterior$linear_predictor)
  state <- mean_state(data, at_predictor, double(length(data$y)), double(length(data$y)), base)
  lag <- fit$posterior$linear_predictor - state$predictor
  first <- replace(start, "slope", list(start$slope + pmax(start$curvature, 0) * lag))
  climbed <- climb_mean(data, at_predictor, solve, state, first, fit$method$tolerance, most)
  m <- fit$svgp$weights %*% c(1, -base)
  climbed$gain <- climbed$state$objective - (start$total - 0.5 * sum(m^2))
  climbed
}

mean_expectations <- function(fit, data, variance) {
  function(predictor) {
    core_expectations(family_core_name(fit$family), unname(fit$family_parameters), data$y, data$trials %||% double(0), data$weights, predictor,
      variance, fit$threads)
  }
}

mean_state <- function(data, at_predictor, coefficients, field, beta) {
  predictor <- data$offset + drop(data$X %*% beta) + field
  expected <- at_predictor(predictor)
  objective <- expected$total - 0.5 * sum(coefficients * field)
  list(coefficients = coefficients, field = field, beta = beta, predictor = predictor, expected = expected, objective = objective)
}

# `expected`: what the first step takes for the expectations at `state`.
climb_mean <- function(data, at_predictor, solve, state, expected, tolerance, most) {
  iterations <- 0L
  for (step in seq_len(most)) {
    precision <- pmax(expected$curvature, 0)
    found <- solve(precision, cbind(expected$slope - state$coefficients), unname(data$X))
    iterations <- iterations + found$iterations
    design <- found$solved[, -1L, drop = FALSE]
    trend <- mean_trend(data$X, state$coefficients + found$solved[, 1L], design)
    contrast <- c(1, -trend$beta)
    direction <- list(coefficients = drop(found$solved %*% contrast), field = drop(found$field %*% contrast), beta = trend$beta)
    moved <- halved_until_better(state, direction, function(share) {
      mean_state(data, at_predictor, state$coefficients + share * direction$coefficients, state$field + share * direction$field,
        state$beta + share * direction$beta)
    })
    change <- weighted_size(moved$state$predictor - state$predictor, precision) / weighted_size(moved$state$predictor - data$offset, precision)
    state <- moved$state
    expected <- state$expected
    if (moved$share == 0 || moved$share == 1 && change <= tolerance) break
  }
  design_field <- found$field[, -1L, drop = FALSE]
  list(state = state, trend = list(beta = state$beta, beta_vcov = trend$beta_vcov), steps = step, iterations = iterations, residual = change,
    solved = cbind(state$coefficients + design %*% state$beta, design), field = cbind(state$field + design_field %*% state$beta, design_field))
}

halved_until_better <- function(state, direction, state_at) {
  for (share in 2^-(0:15)) {
    tried <- state_at(share)
    if (is.finite(tried$objective) && tried$objective >= state$objective - 1e-12 * abs(state$objective)) return(list(state = tried, share = share))
  }
  list(state = state, share = 0)
}

weighted_size <- function(x, precision) sqrt(sum(precision * x^2))
