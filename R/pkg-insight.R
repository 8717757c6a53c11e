# All code for insight, on which parameters, performance and ggeffects depend. Most of its defaults
# for any model work. The methods here replace those that are wrong, or that only work for models on
# its list.

#' @exportS3Method insight::get_statistic
get_statistic.neargp <- function(x, ...) {
  check_one_trend(x, "get_statistic()")
  structure(data.frame(Parameter = names(x$beta), Statistic = unname(wald_tests(x)$z)),
    statistic = "z-statistic")
}

# Tests and intervals are by the normal distribution.
#' @exportS3Method insight::get_df
get_df.neargp <- function(x, type = "residual", ...) {
  types <- c("residual", "model", "analytical", "wald", "normal")
  switch(check_choice(tolower(type), "type", types),
    residual = stats::df.residual(x), model = attr(stats::logLik(x), "df"), Inf)
}

#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.neargp <- function(x, estimator = "ML", REML = FALSE, ...) {
  value <- if (REML || estimator == "REML") stats::logLik(x, REML = TRUE) else stats::logLik(x)
  structure(value, per_obs = NA)
}

# The default for a fit by a score is the sum of squared residuals, whatever the family.
#' @exportS3Method insight::get_deviance
get_deviance.neargp <- function(x, ...) stats::deviance(x)

#' @exportS3Method insight::is_converged
is_converged.neargp <- function(x, tolerance = 0.001, ...) as.logical(x$convergence$converged)

# From the name of a family, insight infers zero inflation, which to it means a model with
# coefficients of zero inflation. It also infers ordered categories, which to it means predicted
# probabilities of each. performance::check_zeroinflation() takes counts for Poisson counts, whose
# zeros it computes from fitted(). In versions where it is no generic it therefore refuses counts
# with more zeros.
#' @exportS3Method insight::model_info
model_info.neargp <- function(x, ...) {
  info <- NextMethod()
  if (!is.null(mean_link(x))) {
    info[c("is_zero_inflated", "is_zeroinf", "is_hurdle", "is_ordinal", "is_cumulative")] <- FALSE
    info$is_truncated <- startsWith(x$family$family, "truncated")
    info$is_count <- info$is_count && !startsWith(x$family$family, "zi_")
  }
  # a name in which insight finds "binomial"
  if (x$family$family == "negative_binomial") {
    info[c("is_binomial", "is_logit")] <- FALSE
    info[c("is_count", "is_negbin")] <- TRUE
  }
  info
}

# Data that are found under their name are those that were fitted. The model frame lacks the columns
# of groups and smooths, and insight does not read sf points and grids. `additional_variables` is
# TRUE for all columns of the data, or names some of them.
#' @exportS3Method insight::get_data
get_data.neargp <- function(x, additional_variables = NULL, ...) {
  data <- needed_data(x, "insight::get_data()")
  if (!has_effects(x$data) && !is_sf(data)) return(NextMethod())
  columns <- drop_geometry(fitted_rows(x, data))
  wanted <- if (isTRUE(additional_variables)) names(columns) else
    c(insight::find_variables(x, flatten = TRUE), additional_variables)
  columns[intersect(wanted, names(columns))]
}

#' @exportS3Method insight::link_inverse
link_inverse.neargp <- function(x, ...) mean_at_predictor(x)

#' @exportS3Method insight::link_function
link_function.neargp <- function(x, ...) mean_link(x)$linkfun %||% x$family$linkfun

# Predictions at rows that have locations are those of predict(); at covariates alone those of the
# trend, as for fixed effects of mixed models.
#' @exportS3Method insight::get_predicted
get_predicted.neargp <- function(x, data = NULL, predict = "expectation", ci = 0.95,
                                 include_random = "default", ...) {
  check_one_response(x, "get_predicted()")
  predict <- check_choice(predict, "predict", c("expectation", "link", "prediction"))
  if (!is.null(ci)) check_level(ci, "ci")
  if (predict != "prediction" && !is.null(x$family$recalibration)) x <- without_recalibration(x)
  if (is.null(data)) {
    return(as_insight_predictions(list(Predicted = stats::fitted(x)), predict, NULL, NULL))
  }
  with_field <- if (identical(include_random, "default")) has_places(x, data) else
    check_flag(include_random, "include_random")
  if (!with_field && predict == "prediction") {
    abort_neargp("newdata", c("A new observation needs a location, and `data` does not give one.",
      i = sprintf("Add the columns %s.", format_some(place_columns(x)))))
  }
  moments <- if (with_field) predicted_at_places(x, data, predict, ci) else
    predicted_by_trend(x, data, predict, ci)
  as_insight_predictions(moments, predict, ci, data)
}

place_columns <- function(object) c(all.vars(object$locations$terms), object$locations$time)

has_places <- function(object, data) is_sf(data) || (length(place_columns(object)) &&
  all(place_columns(object) %in% names(data)))

predicted_at_places <- function(object, data, predict, ci) {
  interval <- if (is.null(ci)) "none" else if (predict == "prediction") "prediction" else
    "confidence"
  columns <- drop_geometry(stats::predict(object, data, type = if (predict == "link") "link" else
    "response", interval = interval, level = ci %||% 0.95))
  list(Predicted = columns$mean, SE = if (predict == "link") columns$sd,
    CI_low = columns$lower, CI_high = columns$upper)
}

predicted_by_trend <- function(object, data, predict, ci) {
  check_one_trend(object, "get_predicted() at covariates alone")
  at <- trend_at(object, data)
  has_own_scale <- !is.null(object$family$transform)
  to_scale <- if (predict == "link") identity else if (has_own_scale)
    function(eta) predictive_mean(responses_of(object, eta, stats::sigma(object) + 0 * eta)) else
    mean_at_predictor(object)
  is_linear <- predict == "link" || (is_gaussian(object$family) && !has_own_scale)
  predicted <- list(Predicted = to_scale(at$mean), SE = if (is_linear) sqrt(at$variance))
  if (is.null(ci)) return(predicted)
  limits <- lapply(normal_limits(at$mean, sqrt(at$variance), ci), to_scale)
  c(predicted, list(CI_low = limits$lower, CI_high = limits$upper))
}

# Predictions as the methods of insight return them.
as_insight_predictions <- function(moments, predict, ci, data) {
  limits <- Filter(Negate(is.null), moments[setdiff(names(moments), "Predicted")])
  structure(unname(moments$Predicted), ci_data = if (!is.null(ci)) as.data.frame(limits),
    data = data, ci = ci, predict = predict, class = c("get_predicted", "numeric"))
}
