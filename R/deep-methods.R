# Fits by dspp() and dgp(): what their methods for generics do otherwise than those of other fits.
# A deep fit is of class c("neargp_deep_fit", "neargp"). Its list `deep` contains the result of
# deep_fit() and how inputs and response were standardised.

abort_deep <- function(object, what, why, instead) {
  abort_neargp("method",
    c(sprintf("Fits by %s do not provide %s: %s.", method_call(object$method), what, why),
      i = instead))
}

# ---- print ---------------------------------------------------------------------------------------

#' @export
fit_details.neargp_deep <- function(method, fit) {
  deep <- fit$deep
  starts <- max(1L, nrow(deep$notes$restarts))
  c(Layers = sprintf("%d, %s inducing points a unit", method$layers,
    format_count(deep$notes$inducing[1L])),
    Units = if (method$layers > 1L) sprintf("%d in each hidden layer", method$width),
    Mixture = describe_components(deep$prediction$log_weights),
    Trained = sprintf("%d epochs, kept as after %d; %d %s; divergence weighs %s", nrow(deep$trace),
      deep$notes$epoch, starts, if (starts == 1L) "start" else "starts",
      format(deep$notes$regularization)),
    Objective = sprintf("%s a row%s%s", format(signif(deep$validation$objective, 4L)),
      if (!is.null(method$robustness)) " of the standardised response" else "",
      describe_progress(deep)),
    `Held out` = describe_validation(deep$validation))
}

# Weights that are equal to begin with say nothing.
describe_components <- function(log_weights) {
  count <- length(log_weights)
  if (count == 1L) return("1 component")
  effective <- if (diff(range(log_weights)) > 0) sprintf(", of which %s are effective",
    format(round(1 / sum(exp(2 * log_weights)), 1L)))
  paste0(format_count(count), " components", effective)
}

# An objective that rises when the rows held out no longer gain is no reason to go on.
describe_progress <- function(deep, least = 0.01) {
  gain <- deep$notes$improving
  if (!isTRUE(gain > least) || deep$notes$epoch <= 0.9 * nrow(deep$trace)) return("")
  sprintf("; the last tenth of the epochs gained %s, and more would gain more",
    format(signif(gain, 2L)))
}

describe_validation <- function(validation) {
  if (!length(validation$rows)) return("none, so that overfitting cannot be seen")
  inside <- if (!is.null(validation$coverage)) sprintf(", %s%% inside their 95%% intervals",
    format(round(100 * validation$coverage, 1L)))
  paste0(format_count(length(validation$rows)), " rows: log density ",
    format(signif(-validation$nll, 4L)), " a row", inside)
}

#' @export
sections.neargp_deep_fit <- function(x, digits, summary = NULL) {
  c(list(header_section(x), trend_section(x, summary),
    new_section(covariance_line(x),
      remarks = "A variance and ranges for each unit: see summary()."),
    noise_section(x, digits), ending_section(x)),
  if (!is.null(summary)) unit_sections(summary))
}

noise_section <- function(x, digits) {
  if (length(x$family_parameters)) {
    return(new_section("Family:", x$family_parameters, apart = FALSE))
  }
  if (!is.null(x$family_parameters)) return(NULL)
  deviations <- vapply(sqrt(x$nugget), function(v) format(signif(v, digits), digits = digits), "")
  of_outputs <- if (length(x$outputs)) paste(" of", x$outputs)
  new_section(values = c(Noise = paste0("standard deviation ",
    paste0(deviations, of_outputs, collapse = ", "), if (x$deep$notes$noise_at_floor)
    ", at its lower bound: judge this fit by its errors, not by its log score")),
  show = show_facts, apart = FALSE)
}

unit_sections <- function(summary) {
  weights <- utils::head(sort(summary$weights, decreasing = TRUE), 20L)
  list(new_section("Units:", summary$units, show = show_rows), if (length(weights) > 1L)
    new_section("Weights of components:", weights, show = show_rounded))
}

#' @export
summary.neargp_deep_fit <- function(object, ...) {
  result <- NextMethod()
  state <- object$deep$state
  structure(c(result, list(units = unit_table(object), sites = state$sites,
    weights = exp(state$log_weights))), class = class(result))
}

# ---- parameters ----------------------------------------------------------------------------------

# One row for each parameter: layer, unit, term, estimate. Ranges of coordinates are in the units of
# the coordinates, and ranges of hidden units in those of the hidden values. Variances of hidden
# units are in units of the next layer's inputs. The variance of the last layer is the linear
# predictor's. The last units of several responses are mixed, and carry no units.
unit_table <- function(object) {
  state <- object$deep$state
  last <- length(state$layers)
  tables <- lapply(seq_len(last), function(l) {
    layer <- state$layers[[l]]
    do.call(rbind, lapply(seq_along(layer$units), function(u) {
      unit <- layer$units[[u]]
      scale <- input_units(object, layer$kernel_inputs, length(unit$range))
      data.frame(layer = l, unit = u, term = c("variance", paste0("range_", names(scale))),
        estimate = c(unit$variance * if (l == last &&
          is.null(state$mixing)) object$deep$location$scale^2 else 1, unit$range * unname(scale)))
    }))
  })
  do.call(rbind, tables)
}

# The units of a layer's inputs, hidden ones first, by name.
input_units <- function(object, inputs, count) {
  names <- object$locations$embedded_names
  on_sphere <- names == "longlat"  # the axes of the chord
  names[on_sphere] <- paste0("longlat_", c("x", "y", "z"))[seq_len(sum(on_sphere))]
  several <- duplicated(names) | duplicated(names, fromLast = TRUE)  # the columns of a factor
  number <- stats::ave(seq_along(names), names, FUN = seq_along)
  names[several] <- paste0(names, "_", number)[several]
  observed <- if ("x" %in% inputs) stats::setNames(object$deep$inputs$scale,
    names[object$deep$inputs$kept])
  hidden <- count - length(observed)
  c(stats::setNames(rep(1, hidden), sprintf("hidden%d", seq_len(hidden))), observed)
}

#' @export
covariance_estimates.neargp_deep_fit <- function(object) {
  units <- unit_table(object)
  noise <- object$family_parameters %||% stats::setNames(object$nugget,
    if (length(object$outputs)) paste0("nugget_", object$outputs) else "nugget")
  estimate <- c(stats::setNames(units$estimate, sprintf("layer%d_unit%d_%s", units$layer,
    units$unit, units$term)), noise)
  list(table = data.frame(name = names(estimate), estimate = unname(estimate),
    std_error = NA_real_, fixed = FALSE, at_boundary = FALSE))
}

#' @export
vcov.neargp_deep_fit <- function(object, ...) {
  abort_deep(object, "standard errors",
    "their units are not identified, and other starts lead to other ones",
    "predict() returns the uncertainty of predictions.")
}

#' @export
confint.neargp_deep_fit <- function(object, parm, level = 0.95, ...) stats::vcov(object)

#' @export
logLik.neargp_deep_fit <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  structure(object$log_likelihood, df = NA_integer_, nobs = length(object$data$y),
    score = object$score, class = c("neargp_score", "logLik"))
}

#' @export
glance.neargp_deep_fit <- function(x, ...) {
  validation <- x$deep$validation
  cbind(NextMethod(), validation = if (length(validation$rows)) -validation$nll else NA_real_,
    coverage = validation$coverage %||% NA_real_)
}

# ---- rows ----------------------------------------------------------------------------------------

# The distributions of new observations at the training rows, which the fit has seen.
training_distribution <- function(object, threads) {
  at <- training_target(object)
  field <- deep_mixture(object$method, object, at$coords, at$X, at$offset, plain_context(threads))
  predictive(object$method, object, field[targets_of_rows(object$data)],
    observed_at(object$data))$observation
}

#' @rdname residuals.neargp
#' @export
residuals.neargp_deep_fit <- function(object, type = c("response", "pearson", "quantile"),
                                      threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  if (identical(type, "loo") || identical(type, "standardized")) {
    weights_of_others(object$method, object, NULL)
  }
  type <- check_choice(type, "type", c("response", "pearson", "quantile"))
  residuals_of_rows(object, deep_residuals(object, threads)[[type]])
}

#' @export
fitted.neargp_deep_fit <- function(object, k = NULL, threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_no_neighbors(object$method, k)
  stats::naresid(object$na_action,
    rows_of_data(object, predictive_mean(training_distribution(object, threads))))
}

deep_residuals <- function(object, threads = NULL) {
  observation <- training_distribution(object, threads)
  mean <- predictive_mean(observation)
  error <- object$data$y - mean
  data.frame(fitted = mean, response = error, pearson = error / predictive_sd(observation),
    quantile = normal_residuals(object$data$y, observation))
}

#' @export
augment.neargp_deep_fit <- function(x, data = NULL, newdata = NULL, ...) {
  check_fit(x)
  if (!is.null(newdata)) return(augment.neargp(x, newdata = newdata, ...))
  check_no_more_arguments()
  given <- deep_residuals(x)
  with_training_columns(x, data, data.frame(.fitted = given$fitted, .resid = given$response,
    .std_resid = given$quantile))
}

# ---- scores --------------------------------------------------------------------------------------

#' @export
scores.neargp_deep_fit <- function(object, newdata = NULL, observed = NULL, trials = NULL,
                                   weights = NULL, level = 0.95, na.rm = FALSE, threads = NULL,
                                   ...) {
  check_fit(object)
  check_no_more_arguments()
  check_level(level)
  if (is.null(newdata)) weights_of_others(object$method, object, NULL)
  truth <- new_observations(object, newdata, observed, trials)
  weights <- rep_len(new_weights(object, newdata, weights), length(truth$y))
  target <- if (is_raster(newdata)) raster_target(object, newdata,
    seq_len(terra::ncell(newdata))) else new_target(object, newdata)
  moments <- chunked_moments(object, target, predict_settings(object, threads = threads))
  given <- list(mean = moments$mean, trials = rep_len(truth$trials, length(truth$y)),
    weights = weights)
  at <- c(given[c("trials", "weights")], list(limits = truth$limits))
  scores_of_distribution(truth$y, given, predictive(object$method, object, moments, at)$observation,
    object$family, level, na.rm)
}

# ---- what does not apply -------------------------------------------------------------------------

#' @export
covariance_value.neargp_deep_fit <- function(object, distance, ...) {
  abort_deep(object, "a covariance function of distance",
    "the covariance of two rows depends on their locations", "summary() shows the covariances of the units.")
}

#' @export
empirical_variogram.neargp_deep_fit <- function(object, ...) {
  abort_deep(object, "a variogram", "their process is not stationary",
    "Give a formula and data for the variogram of the response.")
}
