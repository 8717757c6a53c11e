# Columns of predict() from distributions.

# `given`: the distributions of the `field` and of a new `observation`. `settings`: `type`
# ("response", "link" or "quantile"), `interval` and `level`, and where wanted `probs` and
# `threshold`, with `threshold_of`. `interval` is "none", "confidence" or "prediction". Prediction
# intervals are quantiles of a new observation. Confidence intervals contain the field, or where the
# type is not "link", the mean of the response given the field. `given$expected`: these confidence
# limits, if they are known otherwise.
predictive_columns <- function(given, settings) {
  columns <- switch(settings$type,
    link = predictive_moments(given$field),
    response = c(predictive_moments(given$observation), category_columns(given$observation)),
    quantile = quantile_columns(settings$probs, given$observation)
  )
  limits <- switch(settings$interval %||% "none",
    confidence = given$expected %||% confidence_limits(given, settings),
    prediction = predictive_limits(given$observation, settings$level)
  )
  c(columns, limits, exceedance_columns(given, settings$threshold, settings$threshold_of))
}

confidence_limits <- function(given, settings) {
  limits <- predictive_limits(given$field, settings$level)
  if (settings$type == "link") return(limits)
  lapply(limits, mean_given_field, given$observation)
}

quantile_columns <- function(probs, distribution) {
  stats::setNames(lapply(probs, predictive_quantile, distribution),
    paste0("q", format_numbers(probs)))
}

# The probability that a new observation, or its mean given the field, exceeds thresholds. The mean
# rises with the field. NULL without a threshold. `of`: "observation" or "mean".
exceedance_columns <- function(given, threshold, of = NULL) {
  if (is.null(threshold)) return(NULL)
  of_mean <- identical(of, "mean")
  exceedance <- function(value) {
    if (of_mean) {
      predictive_cdf(field_of_mean(value, given$observation), given$field, lower = FALSE)
    } else predictive_cdf(value, given$observation, lower = FALSE)
  }
  name <- if (of_mean) "p_mean_exceed" else "p_exceed"
  stats::setNames(lapply(threshold, exceedance),
    if (length(threshold) == 1L) name else paste0(name, "_", format_numbers(threshold)))
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
