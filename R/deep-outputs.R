# Several outputs of a deep Gaussian process: the last layer has as many units, output p is the
# mixture A_p'u of them with noise of its own, and a row's predictive distribution is a mixture of
# normal distributions of all outputs together (Jankowiak et al. 2020, section 4.3).

# Rows of the data that are the first of a place, and the trend's columns there.
first_of_places <- function(data) {
  first <- which(!duplicated(data$place))
  first[order(data$place[first])]
}

design_of_places <- function(data) {
  first <- first_of_places(data)
  q <- ncol(data$X) %/% length(data$outputs)
  X <- matrix(0, length(first), q)
  for (column in seq_len(q)) X[, column] <- data$X[cbind(first, (data$output[first] - 1L) * q +
    column)]
  X
}

outputs_deep_response <- function(data) {
  first <- first_of_places(data)
  y <- output_matrix(data, response_columns(data)[, 1L])[data$place[first], , drop = FALSE]
  center <- unname(colMeans(y, na.rm = TRUE))
  scale <- unname(apply(y, 2L, stats::sd, na.rm = TRUE))
  X <- design_of_places(data)
  basis <- trend_basis(X)
  weight <- mean(data$weights[first])
  list(coords = data$coords[first, , drop = FALSE],
    y = unname(sweep(sweep(y, 2L, center), 2L, scale, "/")), weights = data$weights[first] / weight,
    design = trend_design(basis, X), family = list(name = "gaussian", parameters = double(0)),
    known = matrix(0, ncol(X), length(scale)),
    basis = basis, constant_column = constant_in_basis(list(basis = basis, X = X)), center = center,
    scale = scale, unit = 1, weight = weight)
}

# Coefficients in the columns of the problem's basis, given those in the columns of the response's.
trend_of_columns <- function(response, columns, problem) {
  if (!has_outputs(problem)) return(drop(columns))
  solve(problem$data$basis$back, as.vector(response$basis$back %*% columns))
}

# ---- predictions ---------------------------------------------------------------------------------

# Means and variances of the last units in each component, as lists of matrices of rows x
# components.
last_units <- function(object, coords, threads) {
  deep <- object$deep
  state <- deep$prediction
  count <- length(state$log_weights)
  units <- nrow(state$mixing)
  state$mixing <- diag(units)
  found <- core_deep_components(state, standardized_inputs(coords, deep$inputs), threads)
  if (!is.null(found$failure)) abort_singular_unit(found$failure)
  of_unit <- function(x, u) x[, (u - 1L) * count + seq_len(count), drop = FALSE]
  list(mean = lapply(seq_len(units), of_unit, x = found$mean),
    variance = lapply(seq_len(units), of_unit, x = found$variance))
}

weighted_sum <- function(matrices, weights) Reduce(`+`, Map(`*`, matrices, weights))

# The mixtures of the outputs' fields at places, one for each, in the unit of the response.
outputs_mixtures <- function(object, target, units) {
  location <- object$deep$location
  mixing <- object$deep$prediction$mixing
  known <- location_of_outputs(object, target$X)
  lapply(seq_along(object$outputs), function(p) {
    new_normal_mixture(known[, p] + location$scale[p] * weighted_sum(units$mean, mixing[, p]),
      location$scale[p] * sqrt(weighted_sum(units$variance, mixing[, p]^2)),
      object$deep$prediction$log_weights)
  })
}

location_of_outputs <- function(object, X) {
  stacked <- outputs_design(X, rep(seq_along(object$outputs), each = nrow(X)),
    rep(seq_len(nrow(X)), length(object$outputs)), object$outputs)
  location_of_rows(object$deep$location, base_mean(object$data, stacked, 0), X)
}

# Moments as outputs_moments() takes them; `components` has the means of each output's mixture and
# then its standard deviations.
#' @export
moments_of_places.neargp_deep_outputs <- function(object, target, settings) {
  units <- last_units(object, target$coords, settings$threads)
  mixtures <- outputs_mixtures(object, target, units)
  m <- nrow(target$coords)
  columns <- function(what) matrix(vapply(mixtures, what, double(m)), m)
  moments <- list(mean = columns(normal_mixture_mean), variance = columns(normal_mixture_variance),
    components = do.call(cbind,
      lapply(mixtures, function(mixture) cbind(mixture$mean, mixture$sd))))
  if (settings$covariance) {
    moments$covariance <- covariance_of_mixtures(object, units, mixtures, moments)
  }
  moments
}

# Within components, A'diag(v_s)A, and between them.
covariance_of_mixtures <- function(object, units, mixtures, moments) {
  weights <- exp(object$deep$prediction$log_weights)
  mixing <- object$deep$prediction$mixing
  scale <- object$deep$location$scale
  P <- length(mixtures)
  covariance <- array(0, c(nrow(moments$mean), P, P))
  for (p in seq_len(P)) for (q in seq_len(P)) {
    within <- scale[p] * scale[q] * weighted_sum(units$variance, mixing[, p] * mixing[, q])
    between <- (mixtures[[p]]$mean - moments$mean[, p]) * (mixtures[[q]]$mean - moments$mean[, q])
    covariance[, p, q] <- drop((within + between) %*% weights)
  }
  covariance
}

# The mixture of output p of moments.
output_mixture <- function(object, moments, p) {
  log_weights <- object$deep$prediction$log_weights
  count <- length(log_weights)
  columns <- 2L * (p - 1L) * count + seq_len(count)
  components <- moments$components %||% matrix(NA_real_, nrow(moments$mean),
    2L * count * ncol(moments$mean))
  new_normal_mixture(components[, columns, drop = FALSE],
    components[, count + columns, drop = FALSE], log_weights)
}

#' @export
outputs_columns.neargp_deep_outputs <- function(object, moments, settings) {
  parts <- lapply(seq_along(object$outputs), function(p) {
    latent <- output_mixture(object, moments, p)
    normal_prediction_columns(latent, observed_mixture(latent, object$nugget[[p]]), settings)
  })
  names <- names(parts[[1L]])
  output_columns(stats::setNames(lapply(names,
    function(name) do.call(cbind, lapply(parts, `[[`, name))), names), object$outputs)
}

# The log density of all outputs that are known at a place; y: a row for each, NA where nothing is
# known.
outputs_log_density <- function(object, target, y, weights, threads) {
  deep <- object$deep
  state <- deep$prediction
  state["trend"] <- list(NULL)
  scale <- deep$location$scale
  standard <- sweep(y - location_of_outputs(object, target$X), 2L, scale, "/")
  found <- core_deep_density(state, standardized_inputs(target$coords, deep$inputs),
    unname(standard), list(weights = weights / deep$weight), threads)
  if (!is.null(found$failure)) abort_singular_unit(found$failure)
  known <- !is.na(y)
  ifelse(rowSums(known) > 0, found$value - drop(known %*% log(scale)), NA_real_)
}

# Draws of new observations: places x draws x outputs, all outputs of a place from one component.
#' @export
outputs_draws.neargp_deep_outputs <- function(object, target, nsim, settings) {
  if (!settings$conditional) refuse_joint(object$method, "field to draw from without the data")
  if (!settings$noise) refuse_joint(object$method, "joint distribution of its field to draw from")
  units <- last_units(object, target$coords, settings$threads)
  mixing <- object$deep$prediction$mixing
  m <- nrow(target$coords)
  component <- sample.int(length(object$deep$prediction$log_weights), m * nsim, replace = TRUE,
    prob = exp(object$deep$prediction$log_weights))
  at <- cbind(rep(seq_len(m), nsim), component)
  drawn <- Map(function(mean, variance) stats::rnorm(m * nsim, mean[at], sqrt(variance[at])),
    units$mean, units$variance)
  known <- location_of_outputs(object, target$X)
  draws <- vapply(seq_along(object$outputs), function(p) {
    noise <- stats::rnorm(m * nsim) * sqrt(object$nugget[[p]] / (target$weights %||% 1))
    known[at[, 1L], p] + object$deep$location$scale[p] * weighted_sum(drawn, mixing[, p]) + noise
  }, double(m * nsim))
  array(draws, c(m, nsim, length(object$outputs)))
}

# ---- rows ----------------------------------------------------------------------------------------

# Mixtures of new observations at the places of the fit, one for each output, with the rows of the
# data in it.
training_mixtures <- function(object, threads) {
  data <- object$data
  target <- places_of_fit(object)
  mixtures <- outputs_mixtures(object, target,
    last_units(object, target$coords, resolve_threads(threads)))
  lapply(seq_along(mixtures), function(p) {
    own <- which(data$output == p)
    list(rows = own, mixture = observed_mixture(take_normal_mixture(mixtures[[p]], data$place[own]),
      object$nugget[[p]] / data$weights[own]))
  })
}

# As deep_residuals(), a row for each row of the data.
deep_outputs_residuals <- function(object, threads = NULL) {
  table <- data.frame(fitted = double(length(object$data$y)), response = 0, pearson = 0,
    quantile = 0)
  for (part in training_mixtures(object, threads)) {
    y <- object$data$y[part$rows]
    mean <- normal_mixture_mean(part$mixture)
    table[part$rows, ] <- cbind(mean, y - mean, (y - mean) / observed_sd(part$mixture),
      observed_residuals(y, part$mixture))
  }
  table
}

#' @rdname residuals.neargp
#' @export
residuals.neargp_deep_outputs <- function(object, type = c("response", "pearson", "quantile"),
                                          threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  if (identical(type, "loo") || identical(type, "standardized")) {
    weights_of_others(object$method, object, NULL)
  }
  type <- check_choice(type, "type", c("response", "pearson", "quantile"))
  stats::naresid(object$na_action,
    output_matrix(object$data, deep_outputs_residuals(object, threads)[[type]]))
}

#' @export
augment.neargp_deep_outputs <- function(x, data = NULL, ...) {
  check_fit(x)
  check_no_more_arguments()
  given <- deep_outputs_residuals(x)
  columns <- output_columns(lapply(stats::setNames(given[c("fitted", "response", "quantile")],
    c(".fitted", ".resid", ".std_resid")), function(values) stats::naresid(x$na_action,
      output_matrix(x$data, values))), x$outputs)
  beside_outputs(x, data, columns)
}

#' @export
scores.neargp_deep_outputs <- function(object, newdata = NULL, observed = NULL, weights = NULL,
                                       level = 0.95, na.rm = FALSE, threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_level(level)
  if (is.null(newdata)) weights_of_others(object$method, object, NULL)
  observed <- check_observed_outputs(object, newdata, observed %||% newdata_outputs(object,
    newdata))
  weights <- rep_len(new_weights(object, newdata, weights), NROW(newdata))
  target <- new_target(object, newdata)
  settings <- outputs_predict_settings(object, threads = threads)
  moments <- outputs_moments(object, target, settings)
  parts <- lapply(seq_along(object$outputs), function(p) {
    complete <- complete_predictions(observed[, p],
      list(mean = moments$mean[, p], weights = weights), na.rm)
    mixture <- take_normal_mixture(observed_mixture(output_mixture(object, moments, p),
      object$nugget[[p]] / weights), complete)
    summarize_scores(observed[complete, p], normal_mixture_scores(observed[complete, p], mixture,
      level), level, sum(!complete))
  })
  joint <- rep(NA_real_, nrow(observed))
  joint[target$complete] <- -outputs_log_density(object, target,
    observed[target$complete, , drop = FALSE], weights[target$complete], settings$threads)
  with_joint_row(bind_output_scores(parts, object$outputs), joint)
}

# Predictions of the held-out rows `own` of the data, with their scores; `at`: place and output in
# the moments.
#' @export
outputs_fold_scores.neargp_deep_outputs <- function(kept, moments, data, own, at, fold, level) {
  parts <- lapply(unique(at[, 2L]), function(p) {
    of_output <- at[, 2L] == p
    rows <- own[of_output]
    mixture <- take_normal_mixture(output_mixture(kept, moments, p), at[of_output, 1L])
    cbind(data.frame(setting = kept$outputs[p], row = data$place[rows], fold = fold,
      observed = data$y[rows]),
      normal_mixture_scores(data$y[rows],
        observed_mixture(mixture, kept$nugget[[p]] / data$weights[rows]), level))
  })
  do.call(rbind, parts)
}

# ---- plot ----------------------------------------------------------------------------------------

#' @export
plot.neargp_deep_outputs <- function(x, which = NULL, ...) {
  check_fit(x)
  possible <- c("trace", "residuals", "qq", if (length(x$deep$validation$rows)) "pit")
  plot.neargp_deep_fit(x, check_choices(which %||% setdiff(possible, "residuals"), "which",
    possible), ...)
}

#' @export
leave_one_out.neargp_deep_outputs <- function(object, k, threads) {
  weights_of_others(object$method, object, NULL)
}

#' @export
check_outputs_conditioning.neargp_deep <- function(method, k, k_other, observed) {
  check_no_neighbors(method, k, k_other = k_other)
  if (!check_flag(observed, "observed")) return(invisible())
  abort_argument("observed",
    sprintf("FALSE for a fit by %s; vecchia(), loo_k() and svgp() condition on outputs that are known at a place",
      method_call(method)), observed)
}
