# What predict() refuses of its arguments.

parts_of_field <- c("process", "trend")

# What has columns of its own for several parts.
tables_of_parts <- c("terms", "coefficients")

# Limits and probabilities of a new observation beside a mean on the scale of the link would be read
# as limits of that.
check_one_scale <- function(family, type, interval, threshold) {
  if (type != "link" || (family$link == "identity" && !has_transform(family)) ||
      (interval != "prediction" && is.null(threshold))) {
    return(invisible())
  }
  what <- if (interval == "prediction") "interval = \"prediction\" is" else "`threshold` is"
  abort_neargp("argument",
    c(sprintf("%s about a new observation, on another scale than type = \"link\" (%s).", what,
      if (has_transform(family)) describe_scale(family) else family$link),
      i = if (interval == "prediction")
      "Use type = \"response\" with it, or interval = \"confidence\" with type = \"link\"." else
        "Use type = \"response\" with it."))
}

# A part of the field is no observation, and neither has a mean of its own within the neighbours.
check_part_of_field <- function(type, interval, threshold, joint, local_mean) {
  if (!type %in% c(parts_of_field, tables_of_parts)) return(invisible())
  with_part <- sprintf("with type = \"%s\"", type)
  if (type == "terms" && interval != "none") {
    abort_argument("interval", paste("\"none\"", with_part), interval)
  }
  if (interval == "prediction") {
    abort_argument("interval", paste("\"none\" or \"confidence\"", with_part), interval)
  }
  if (!is.null(threshold)) abort_argument("threshold", paste("NULL", with_part), threshold)
  if (!isFALSE(local_mean) && !is.null(local_mean)) {
    abort_argument("local_mean", paste("FALSE", with_part), local_mean)
  }
  if (type %in% c("trend", tables_of_parts) && !isFALSE(joint)) {
    abort_argument("joint", paste("FALSE", with_part), joint)
  }
}

check_has_trials <- function(family) {
  if (has_trials(family)) return(invisible())
  abort_neargp("argument",
    c(sprintf("`trials` are of binomial responses; %s response has none.", with_article(family)),
      i = "Leave it out."))
}

check_trials <- function(trials) {
  if (!is.numeric(trials) || !length(trials) || anyNA(trials) ||
      any(trials < 1 | trials != round(trials))) {
    abort_argument("trials", "whole numbers of at least 1", trials)
  }
  trials
}

check_for_quantiles <- function(probs, type) {
  if (type != "quantile") abort_argument("probs", "left out unless type = \"quantile\"", probs)
}

check_for_threshold <- function(threshold_of, threshold) {
  if (is.null(threshold)) {
    abort_argument("threshold_of", "left out without a `threshold`", threshold_of)
  }
}

check_told_by_workers <- function(type) {
  if (type %in% tables_of_parts) {
    refuse_on_workers(sprintf("type = \"%s\"", type), "Leave out `cluster`.")
  }
}

abort_no_newdata <- function() {
  abort_neargp("newdata",
    c("`newdata` is missing.", i = "For the training rows use fitted() and residuals()."))
}
