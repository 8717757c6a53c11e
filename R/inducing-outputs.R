# Several responses on inducing points: the linear model of coregionalisation with one set of points
# for all of its latent fields. Everything about locations is computed once for all outputs that are
# known there; see src/core/variational/coregionalised_bound.h.

# The search for loadings uses units in which their outputs scatter by about 1. Its result is
# evaluated in the units of the user.
#' @export
fit_method.neargp_svgp_outputs <- function(method, problem) {
  check_bound_noise(problem)
  refuse_kl_weight(method, several_predictors(method))
  units <- response_units(problem)[problem$data$outputs]
  scaled <- problem_in_units(problem, units)
  reached <- fit_inducing(method, scaled)
  information <- wanted_curvature(method, scaled, reached)$information
  factor <- loading_units(problem$layout, units)
  reached$working <- reached$working * factor + log_units(problem$layout, units)
  reached$evaluated <- checked_bound(bound_objective(problem, method)(reached$working,
    reached$positions))
  if (!is.null(information)) information <- information / outer(factor, factor)
  c(method_result(reached, score = "evidence lower bound", information = information),
    list(inducing = reached$positions))
}

# The term that the unit adds to the logarithm of a nugget.
log_units <- function(layout, units) {
  replace(double(nrow(layout)), layout$kind == "nugget", 2 * log(units))
}

problem_in_units <- function(problem, units) {
  layout <- problem$layout
  factor <- loading_units(layout, units)
  shift <- log_units(layout, units)
  for (column in c("value", "start")) problem$layout[[column]] <- layout[[column]] / factor /
    exp(shift)
  for (bound in c("lower", "upper")) problem$bounds[[bound]] <- (problem$bounds[[bound]] - shift) /
    factor
  problem$start <- (problem$start - shift) / factor
  problem$data <- core_data(problem$data)
  problem$data$y <- unname(problem$data$y / units[problem$data$output])
  keep <- problem$keep
  if (!is.null(keep)) {
    problem$keep <- function(working, positions = NULL) keep(working * factor + shift, positions)
  }
  problem
}

# ---- the objective -------------------------------------------------------------------------------

# A function as bound_over_rows() returns it: the covariance contains a nugget for each output.
bound_of_outputs <- function(data, method, context) {
  place <- match(data$place, unique(data$place))
  first <- !duplicated(place)
  coords <- data$coords[first, , drop = FALSE]
  noise_scale <- 1 / data$weights[first]
  columns <- response_columns(data)
  function(covariance, nugget, positions, derivatives, ...) {
    core_coregionalised_bound(coords, noise_scale, columns, data$output, place, positions,
      covariance, method$bound, method$jitter, derivatives, context)
  }
}

# ---- predictions ---------------------------------------------------------------------------------

# The outputs' fields at each location, without the trend. `weighted` is as in inducing_moments(), a
# row for each output and location, output after output. `posterior` and `unexplained` are the parts
# of their covariances given the data, arrays of location x output x output.
inducing_outputs <- function(object, coords, context) {
  known <- checked_bound(core_coregionalised_predict(coords, object$svgp$positions,
    as_specified(object$core_covariance), object$method$jitter, object$svgp$weights,
    object$svgp$factor, context))
  P <- length(object$outputs)
  pairs <- which(lower.tri(diag(P), diag = TRUE), arr.ind = TRUE)
  column <- matrix(0L, P, P)
  column[pairs] <- column[pairs[, 2:1, drop = FALSE]] <- seq_len(nrow(pairs))
  for (part in c("posterior", "unexplained")) known[[part]] <- array(known[[part]][, column],
    c(nrow(coords), P, P))
  known
}

#' @export
predictor.neargp_svgp_outputs <- function(method, object, settings) {
  function(coords, X, offset, observed = NULL) {
    known <- inducing_outputs(object, coords, settings$context)
    covariance <- known$posterior + known$unexplained
    X <- stacked_targets(object, coords, X)$X
    if (!is.null(observed)) {
      return(inducing_outputs_given(object, observed, known$weighted, covariance, X))
    }
    moments <- trend_moments(object, known$weighted, own_variances(covariance), X, 0)
    if (settings$covariance) {
      moments$covariance <- covariance_with_trend(object, known$weighted, covariance, X,
        by_output(object, moments$variance))
    }
    moments
  }
}

# Covariances of the fields with those of the trend.
covariance_with_trend <- function(object, weighted, covariance, X, variance) {
  m <- nrow(variance)
  P <- ncol(variance)
  unseen <- design_columns(object$data, X) - weighted[, -1L, drop = FALSE]
  through_trend <- row_products(unseen, core_trend(object)$beta_vcov)
  of_output <- function(x, p) x[(p - 1L) * m + seq_len(m), , drop = FALSE]
  for (p in seq_len(P)) for (q in seq_len(P)) {
    covariance[, p, q] <- if (p == q) variance[, p] else covariance[, p, q] +
      rowSums(of_output(through_trend, p) * of_output(unseen, q))
  }
  covariance
}

# The same given the trend of the fit and the other outputs that are observed at a location, whose
# errors are informative about that of the output itself.
inducing_outputs_given <- function(object, observed, weighted, covariance, X) {
  m <- nrow(observed)
  P <- length(object$outputs)
  variance <- matrix(0, m, P)
  base <- matrix(base_mean(object$data, X, 0), m, P)
  design <- design_columns(object$data, X)
  for (i in seq_len(m)) {
    row_of <- (seq_len(P) - 1L) * m + i
    prior <- matrix(covariance[i, , ], P)
    errors <- cbind(observed[i, ] - base[i, ], design[row_of, , drop = FALSE]) -
      weighted[row_of, , drop = FALSE]
    known <- weighted[row_of, , drop = FALSE]
    for (p in seq_len(P)) {
      others <- setdiff(which(!is.na(observed[i, ])), p)
      gain <- if (length(others)) solve(prior[others, others, drop = FALSE] +
        diag(object$nugget[others], length(others)), prior[others, p])
      variance[i, p] <- prior[p, p] - sum(gain * prior[others, p])
      if (length(others)) {
        known[p, ] <- known[p, ] + drop(crossprod(gain, errors[others, , drop = FALSE]))
      }
    }
    weighted[row_of, ] <- known
  }
  trend_moments(object, weighted, as.vector(variance), X, 0)
}

# ---- draws ---------------------------------------------------------------------------------------

# Draws are those of other methods, except that the field is drawn differently.
#' @export
simulation_draws.neargp_svgp_outputs <- function(method, object, target, nsim, settings) {
  simulation_draws.neargp_method_outputs(method, object, target, nsim, settings)
}

# Fields of the outputs at distinct locations, output after output, a column for each draw of the
# trend. Each latent field is drawn at the inducing points with all others. The part that the points
# leave unexplained is drawn by itself.
#' @export
outputs_field.neargp_svgp_outputs <- function(method, object, data, coords, betas, settings) {
  check_places(nrow(coords))
  m <- nrow(object$svgp$positions)
  drawn <- draw_whitened(object$svgp, betas, settings$conditional)
  field <- matrix(0, length(object$outputs) * nrow(coords), ncol(betas))
  before <- 0L
  for (component in object$core_covariance$components) {
    given <- structure_features(object, component, coords, settings$context)
    for (f in seq_len(ncol(component$loadings))) {
      latent <- crossprod(given$features, drawn[before + seq_len(m), , drop = FALSE]) +
        draw_rest(given$unexplained, ncol(betas))
      field <- field + kronecker(component$loadings[, f], latent)
      before <- before + m
    }
  }
  field
}

# Features of a structure's correlation, as of one output with the variance 1.
structure_features <- function(object, component, coords, context) {
  component$loadings <- NULL
  prior <- core_inducing_prior(object$svgp$positions,
    as_specified(list(components = list(component))), 0, object$method$jitter, context)
  checked_bound(core_inducing_features(coords, prior, context))
}

# ---- leave one out -------------------------------------------------------------------------------

# Weights as for one output, with locations in place of rows. The rows I of a location contribute
# Q_II = W - W P W, with P the posterior's part of the covariances of their fields. `given` is the
# prediction of a row from the other locations. `chain` adds the outputs before it at its location.
# With C = Q_II^-1 = L L', the independent parts of the errors of `given` are L^-1 error.
#' @export
weights_of_others.neargp_svgp_outputs <- function(method, object, settings) {
  data <- object$data
  columns <- response_columns(data)
  known <- inducing_outputs(object, places_of_fit(object)$coords, settings$context)
  noise <- unname(object$nugget)[data$output] / data$weights
  weighted <- known$weighted[(data$output - 1L) * data$places + data$place, , drop = FALSE]
  given <- list(weighted = columns, variance = double(length(data$y)))
  chain <- given
  for (rows in split(seq_along(data$y), data$place)) {
    precision <- 1 / noise[rows]
    posterior <- matrix(known$posterior[data$place[rows[1L]], data$output[rows], data$output[rows]],
      length(rows))
    Q <- diag(precision, length(rows)) - posterior * outer(precision, precision)
    covariance <- chol2inv(rlang::try_fetch(chol(Q),
      error = function(condition) abort_cholesky(0L)))
    error <- covariance %*% ((columns[rows, , drop = FALSE] - weighted[rows, , drop = FALSE]) *
      precision)
    lower <- t(chol(covariance))
    given$weighted[rows, ] <- columns[rows, ] - error
    given$variance[rows] <- diag(covariance) - noise[rows]
    chain$weighted[rows, ] <- columns[rows, ] - diag(lower) * forwardsolve(lower, error)
    chain$variance[rows] <- diag(lower)^2 - noise[rows]
  }
  given$unexplained <- pmax(known$unexplained[cbind(data$place, data$output, data$output)], 0)
  of_left_places(object, data, given, chain)
}

#' @export
check_outputs_conditioning.neargp_svgp <- function(method, k, k_other, observed) {
  check_no_neighbors(method, k, k_other = k_other)
}
