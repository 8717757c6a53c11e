# Arguments that predict() refuses.

parts_of_field <- c("process", "trend")

# Types of predictions with a column for each of several parts.
tables_of_parts <- c("terms", "coefficients")

# Limits and probabilities of a new observation next to a mean on the scale of the link would be
# read as limits of that.
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

# A part of the field is not an observation, and does not use the local mean of the neighbours.
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

# Whether the default of predict() may integrate.
may_integrate <- function(type, joint, smooth, cluster) {
  isFALSE(joint) && isFALSE(smooth) && is.null(cluster) && !type %in% tables_of_parts
}

check_integrated_type <- function(type, joint) {
  with_integrated <- "with parameters = \"integrated\""
  if (!isFALSE(joint)) abort_argument("joint", paste("FALSE", with_integrated), joint)
  if (type %in% tables_of_parts) {
    abort_argument("type", paste("that of one column", with_integrated), type)
  }
}

check_has_trials <- function(family) {
  if (has_trials(family)) return(invisible())
  abort_neargp("argument",
    c(sprintf("`trials` are for binomial responses; %s response does not use them.", with_article(family)),
      i = "Leave `trials` out."))
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

# Settings of a prediction, what it is conditioned on and what is wanted of it. Without further
# arguments this is the latent field, row by row. `outputs`: for several responses, see
# outputs_wanted(). `...`: fields that are taken as they are.
predict_settings <- function(object, k = NULL, local_mean = FALSE, sectors = 0L, threads = NULL,
                             device = NULL, type = "link", joint = FALSE, chunk_size = NULL,
                             outputs = outputs_wanted(), ...) {
  is_part <- type %in% c(parts_of_field, tables_of_parts)
  joint <- check_flag(joint, "joint")
  given <- if (is.null(object$outputs)) prediction_conditioning(object$method, object, k,
    local_mean, sectors, joint, is_part) else conditioned_on_outputs(object, k, outputs)
  if (joint && given$local_mean) abort_argument("local_mean", "FALSE with joint = TRUE", local_mean)
  new_prediction_settings(type = if (is_part) "link" else type,
    part = if (type %in% tables_of_parts) "process" else if (is_part) type else "field",
    k = given$k, k_other = given$k_other, exact = given$exact, local_mean = given$local_mean,
    local_times = given$local_times, sectors = given$sectors, joint = joint,
    covariance = outputs$covariance, observed = outputs$observed,
    chunk_size = prediction_chunk(object, chunk_size),
    context = plain_context(threads), device = resolve_device(device,
      predicts_densely(object$method, given$exact) || is_cpu_only(object)), ...)
}

prediction_chunk <- function(object, chunk_size) {
  chunk_size <- check_count(chunk_size, "chunk_size", null_ok = TRUE)
  # of rows that are read in shards, an index is made for each shard and chunk
  rows <- if (reads_shards(object)) min(object$source$rows, 5e6) else length(object$data$y)
  chunk_size %||% as.integer(max(100000, rows %/% 5))
}

# Refuses settings of predict() that transformed or recalibrated responses do not support.
check_columns_wanted <- function(object, settings) {
  if (!has_transform(object$family)) return(invisible())
  if (settings$joint && settings$type != "link") {
    if (!is.null(object$family$transform)) {
      abort_joint_response("where the response is transformed")
    }
    abort_neargp("argument",
      c("`type` must be \"link\" with joint = TRUE where the response is recalibrated.",
        i = "The map is of each response by itself: use the fit before recalibrate()."))
  }
  if (!is.null(object$family$recalibration)) check_observation_wanted(settings)
}

# A recalibration applies to new observations, not to their mean given the field.
check_observation_wanted <- function(settings) {
  of_mean <- settings$interval == "confidence" || identical(settings$threshold_of, "mean")
  if (settings$type == "link" || !of_mean) return(invisible())
  abort_neargp("recalibration",
    c("Recalibrated are new observations, and not the latent field or their mean given it.",
      i = "Use interval = \"prediction\", type = \"link\", or the fit before recalibrate()."))
}
