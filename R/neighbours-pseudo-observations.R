# Responses that are not Gaussian, as normal pseudo-observations of their linear predictor, which
# LOO-k uses as neighbours.
#
# The pseudo-observation of a response y is its information about eta beyond a prior that is the
# same for all, eta ~ N(offset + x'beta, s^2). Let log Z = log E p(y | eta) under that prior, with
# first and second derivatives g and h in the prior's mean. The moments of the posterior are mean +
# s^2 g and s^2 + s^4 h. The normal observation that leads to them is given by
#
#     precision  -h / (1 + s^2 h),     mean  prior mean - g / h.
#
# This is the first step of expectation propagation (Rasmussen and Williams 2006, section 3.6). The
# pseudo-observation of a count of 0 is therefore finite on the log scale, and large counts are more
# precise. The prior is found by maximum likelihood, as if rows were independent. Except for the few
# numbers of the prior, a pseudo-observation depends on its own response only. Predictions from the
# pseudo-observations of other rows do not use a row's own response.

# The marginal density of the responses in `data` with its derivatives. Weights divide the
# dispersion of families with a dispersion. For other families they are numbers of equal
# observations, which only the derivatives in the parameters need.
marginal_density <- function(data, family, parameters, mean, variance, gradient, context) {
  scaled <- response_family(family)$scaled
  observed <- core_observations(data)
  core_marginal_density(family_core_name(family), as.double(parameters), observed$y,
    observed$trials %||% double(0), if (scaled) data$weights else double(0),
    if (scaled) double(0) else data$weights, mean, rep_len(variance, length(mean)), gradient,
    context)
}

# The noise variance of a pseudo-observation of precision 1: `nugget` multiplies the variances of
# pseudo-observations. The precision of a row of Student's t is relative to that of its normal
# density given its gamma variable. The variance of the row is therefore nugget * scale^2 / (weight
# omega).
pseudo_observation_noise <- function(family, nugget, parameters) {
  if (has_gamma_variables(family)) nugget * parameters[1L]^2 else nugget
}

# The same noise for the information of the rows about the trend: a pseudo-observation contains all
# that its response says, and no more. The nugget that discounts neighbours best is another matter.
# Where there is almost no field, it is anything up to its upper bound.
trend_noise <- function(family, parameters) pseudo_observation_noise(family, 1, parameters)

# d log pseudo_observation_noise / d log parameters
pseudo_observation_noise_powers <- function(family) if (has_gamma_variables(family)) c(2, 0) else 0

observation_counts <- function(data, family) {
  if (response_family(family)$scaled) rep(1, length(data$y)) else data$weights
}

# ---- the prior -----------------------------------------------------------------------------------

# Coefficients and variance that maximise the likelihood of the rows, or of a sample of `at_most`
# rows, given the family's parameters. `X`: columns of unit standard deviation. The search uses the
# unit of the linear predictor.
marginal_prior <- function(data, X, family, parameters, context, at_most = 5000L) {
  n <- length(data$y)
  rows <- evenly_spaced(n, at_most)
  data <- take_data_rows(data, rows)
  X <- X[rows, , drop = FALSE]
  count <- observation_counts(data, family)
  q <- ncol(X)
  guess <- data_linear_predictor(data, family) - data$offset
  beta <- if (q) stats::lm.fit(X, guess)$coefficients else double(0)
  beta[is.na(beta)] <- 0
  spread <- if (q) stats::var(drop(guess - X %*% beta)) else mean(guess^2)
  unit <- predictor_unit(data, family)
  density <- function(theta) {
    mean <- data$offset + drop(X %*% (unit * theta[seq_len(q)]))
    marginal_density(data, family, parameters, mean, exp(theta[q + 1L]) * unit^2, gradient = TRUE,
      context)
  }
  value <- function(theta) -sum(count * density(theta)$value) / length(rows) - log(unit)
  gradient <- function(theta) {
    at <- density(theta)
    -c(unit * crossprod(X, count * at$d_mean),
      unit^2 * exp(theta[q + 1L]) * sum(count * at$d_variance)) / length(rows)
  }
  start <- c(beta / unit, log(spread / unit^2))
  check_integrated(density(start), rows, family)
  limits <- start[q + 1L] + log(c(1e-4, 1e4))
  best <- stats::nlminb(start, value, gradient, lower = c(rep(-Inf, q), limits[1L]),
    upper = c(rep(Inf, q), limits[2L]))
  list(beta = unit * best$par[seq_len(q)], variance = unit^2 * exp(best$par[q + 1L]))
}

# `at`: densities of these rows under the prior, from which start values or pseudo-observations are
# to be made.
check_integrated <- function(at, rows, family) {
  abort_not_integrated(rows_not_integrated(at, rows), family)
}

rows_not_integrated <- function(at, rows) {
  rows[!is.finite(at$value) | !is.finite(at$d_mean) | !is.finite(at$d_variance)]
}

abort_not_integrated <- function(wrong, family) {
  if (!length(wrong)) return(invisible())
  abort_neargp("quadrature",
    c(sprintf("The density of %s response given its linear predictor could not be integrated.",
      with_article(family)), x = paste0("It could not in ", format_rows(wrong),
        " of those that are fitted."),
      i = "Look for responses that differ from the others by many orders of magnitude, or change their unit.",
      i = "A fixed process variance of 1e5 or more is too large for a linear predictor."))
}

# ---- pseudo-observations -------------------------------------------------------------------------

# Mean and precision of each response's pseudo-observation. Where a density is not concave under the
# prior the response says next to nothing. `rows`: their numbers.
response_pseudo_observations <- function(data, X, family, parameters, prior, context,
                                         rows = seq_along(data$y)) {
  mean <- data$offset + drop(X %*% prior$beta)
  at <- marginal_density(data, family, parameters, mean, prior$variance,
    gradient = FALSE, context)
  check_integrated(at, rows, family)
  curvature <- pmin(2 * at$d_variance - at$d_mean^2, -1e-8 / prior$variance)
  list(mean = mean - at$d_mean / curvature,
    precision = -curvature / pmax(1 + prior$variance * curvature, 1e-8))
}

# Rows at one location are aggregated. Let z = mean - offset - x'beta be their pseudo-observations
# of the field, with precisions w. They equal one pseudo-observation of precision sum w and mean sum
# w z / sum w, for any beta. Columns of the content: w, w (mean - offset), w X.
aggregate_by_location <- function(data, X, pseudo_observations, location_index, count) {
  first <- which(!duplicated(location_index))
  rows <- pseudo_observation_content(data, X, pseudo_observations)
  list(location_index = location_index, coords = data$coords[first, , drop = FALSE],
    content = unname(rowsum(count * rows, location_index, reorder = FALSE)),
    total = as.vector(rowsum(count, location_index, reorder = FALSE)), rows = rows)
}

pseudo_observation_content <- function(data, X, pseudo_observations) {
  unname(pseudo_observations$precision * cbind(1, pseudo_observations$mean - data$offset, X))
}

# The distinct locations as data of a Gaussian response, which kriging, simulation and the rest can
# take.
locations_as_data <- function(locations) {
  precision <- locations$content[, 1L]
  list(coords = locations$coords, y = locations$content[, 2L] / precision,
    X = locations$content[, -(1:2), drop = FALSE] / precision,
    offset = rep(0, length(precision)), weights = precision)
}
