# The columns of predict() on the scale of the response, from the mean and variance of the linear
# predictor.

#' @export
prediction_columns.neargp_method_families <- function(method, object, moments, settings) {
  prediction_columns_by_family(object, moments, settings)
}

prediction_columns_by_family <- function(object, moments, settings) {
  response_prediction_columns(moments$mean, moments$variance, object$family,
    response_parameters(object), settings$trials, settings, moments$weights)
}

# Parameters of the family on the natural scale, by name.
response_parameters <- function(object) object$family_parameters %||% c(variance = object$nugget)

# `settings`: type ("response", "link" or "quantile"), interval ("none", "confidence" or
# "prediction"), level; where wanted probs and threshold. Intervals for predictions are quantiles of
# a new observation; those of confidence hold eta, or the mean of the response given eta where the
# type is not "link". Rows with NA moments stay NA.
response_prediction_columns <- function(mu, s2, family, parameters, trials, settings,
                                        weights = NULL) {
  mixture_prediction_columns(new_mixture(mu, sqrt(s2), family, parameters, trials, weights),
    settings)
}

mixture_prediction_columns <- function(mixture, settings) {
  columns <- switch(settings$type,
    link = list(mean = mixture$mean, sd = mixture$sd),
    response = c(list(mean = mixture_mean(mixture), sd = sqrt(mixture_variance(mixture))),
      category_columns(mixture)),
    quantile = quantile_columns(settings$probs, mixture_quantile, mixture = mixture)
  )
  limits <- switch(settings$interval %||% "none",
    confidence = confidence_limits(mixture, settings$level, settings$type),
    prediction = prediction_limits(mixture, settings$level)
  )
  of <- settings$threshold_of %||% "observation"
  exceeded <- exceedance_columns(settings$threshold, of, if (of == "mean") mean_exceedance else
    mixture_exceedance, mixture = mixture)
  as.data.frame(c(columns, limits, exceeded), optional = TRUE)
}

# P(a <= Y <= b) is at least the level, with at most half of the rest on either side.
prediction_limits <- function(mixture, level) {
  list(lower = mixture_quantile((1 - level) / 2, mixture), upper = mixture_quantile((1 + level) / 2,
    mixture))
}

confidence_limits <- function(mixture, level, type) {
  limits <- if (has_components(mixture)) {
    normal_mixture_limits(mixture$eta, level)
  } else normal_limits(mixture$mean, mixture$sd, level)
  if (type == "link") return(limits)
  if (has_transform(mixture)) return(lapply(limits, expected_given_field, mixture = mixture))
  family <- response_families[[mixture$name]]
  if (family$link == "identity") return(limits)
  lapply(limits, function(eta) family$mean(eta, mixture$parameters, mixture$trials))
}

normal_limits <- function(mean, sd, level) {
  half_width <- stats::qnorm((1 + level) / 2) * sd
  list(lower = mean - half_width, upper = mean + half_width)
}

# `quantile`: a function of a probability, and of what follows.
quantile_columns <- function(probs, quantile, ...) {
  stats::setNames(lapply(probs, quantile, ...), paste0("q", format_numbers(probs)))
}

# NULL without a threshold. `exceedance`: a function of one, and of what follows; `of`:
# "observation" or "mean".
exceedance_columns <- function(threshold, of, exceedance, ...) {
  if (is.null(threshold)) return(NULL)
  name <- if (of == "mean") "p_mean_exceed" else "p_exceed"
  stats::setNames(lapply(threshold, exceedance, ...),
    if (length(threshold) == 1L) name else paste0(name, "_", format_numbers(threshold)))
}

# The mean of the response rises with eta, which is normal. Every mean exceeds a threshold below its
# range, and none one at its upper end.
mean_exceedance <- function(threshold, mixture) {
  if (has_transform(mixture)) return(expected_exceedance(threshold, mixture))
  family <- mixture_family(mixture)
  link <- family$link
  at <- threshold / if (isTRUE(family$has_trials)) mixture$trials else 1
  if (link != "identity") at <- pmax(at, 0)
  if (!link %in% c("identity", "log") && !isTRUE(family$thresholds)) at <- pmin(at, 1)
  # that of make.link() has no ends
  linkfun <- if (link == "logit") stats::qlogis else stats::make.link(link)$linkfun
  predictor_of_mean <- family$predictor_of_mean %||% function(mean, parameters) linkfun(mean)
  eta <- rep_len(predictor_of_mean(rep_len(at, mixture$n), mixture$parameters), mixture$n)
  if (has_components(mixture)) return(normal_mixture_distribution(eta, mixture$eta, lower = FALSE))
  stats::pnorm(eta, mixture$mean, mixture$sd, lower.tail = FALSE)
}

format_numbers <- function(x) vapply(x, format_for_name, "", digits = 6L)

check_probs <- function(probs) {
  if (!is.numeric(probs) || !length(probs) || anyNA(probs) || any(probs <= 0 | probs >= 1)) {
    abort_argument("probs", "probabilities greater than 0 and less than 1", probs)
  }
  check_distinct(as.double(probs), "probs")
}

check_threshold <- function(threshold) {
  if (is.null(threshold)) return(NULL)
  if (!is.numeric(threshold) || !length(threshold) || !all(is.finite(threshold))) {
    abort_argument("threshold", "finite numbers or NULL", threshold)
  }
  check_distinct(as.double(threshold), "threshold")
}

# Refuses repeated values, which name columns.
check_distinct <- function(x, name) {
  if (anyDuplicated(format_numbers(x))) {
    abort_argument(name, "numbers that differ in their first six digits", x)
  }
  x
}
