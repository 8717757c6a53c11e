# Residuals, fitted values and leave-one-out predictions of several outputs: matrices with a row for each row of the
# data and a column for each output, NA where an output was not observed, as lm() has them for a matrix response.

#' @rdname residuals.neargp
#' @export
residuals.neargp_outputs <- function(object, type = c("response", "pearson", "loo", "standardized", "trend"), k = NULL, threads = NULL,
                                     ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "pearson", "loo", "standardized", "trend"))
  data <- object$data
  values <- switch(type,
    response = data$y - smoothed_outputs(object, k, threads),
    pearson = pearson_of_outputs(object, k, threads),
    loo = data$y - outputs_leave_one_out(object, k, threads)$mean,
    standardized = {
      loo <- outputs_leave_one_out(object, k, threads)
      (data$y - loo$mean) / loo$sd
    },
    trend = gaussian_trend_residuals(object)
  )
  stats::naresid(object$na_action, output_matrix(data, values))
}

pearson_of_outputs <- function(object, k, threads) {
  data <- object$data
  if (any(object$nugget == 0)) {
    abort_argument("type", "another than \"pearson\" for outputs without nugget, whose noise has no standard deviation", "pearson")
  }
  (data$y - smoothed_outputs(object, k, threads)) / sqrt(object$nugget[data$output] / data$weights)
}

#' @rdname residuals.neargp
#' @export
fitted.neargp_outputs <- function(object, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  stats::naresid(object$na_action, output_matrix(object$data, smoothed_outputs(object, k, threads)))
}

# Smooths each observation given all of them, itself included. An output without nugget is its data.
smoothed_outputs <- function(object, k, threads) {
  data <- object$data
  settings <- outputs_predict_settings(object, k, threads = threads)
  moments <- outputs_moments(object, places_of_fit(object), settings)
  mean <- moments$mean[cbind(data$place, data$output)]
  ifelse(object$nugget[data$output] == 0, data$y, mean)
}

# Mean and sd of each observation, given its nearest in the rows that `leave_out` of the fit leaves in.
outputs_leave_one_out <- function(object, k, threads) {
  if (is_deep(object$method)) weights_of_others(object$method, object, NULL)
  data <- object$data
  settings <- outputs_predict_settings(object, k, threads = threads)
  noise <- unname(object$nugget)[data$output] / data$weights
  if (is_svgp(object$method)) {
    known <- inducing_left_out(object, settings)
    left <- without_own_place(object, known$given, known$chain, noise)
    return(list(mean = left$mean, sd = sqrt(left$variance + known$unexplained + noise)))
  }
  left <- if (identical(object$method$leave_out, "row")) {
    without_own_trend(object, weights_of_other_outputs(object, settings, "row"), data$y, noise)
  } else {
    without_own_place(object, weights_of_other_outputs(object, settings, "prediction"), weights_of_other_outputs(object, settings, "location"), noise)
  }
  list(mean = left$mean, sd = sqrt(left$variance + noise))
}

weights_of_other_outputs <- function(object, settings, leave_out) {
  data <- object$data
  n <- length(data$y)
  found <- on_outputs_device(object, data$places, settings, {
    neighbors <- neighbors_of_outputs(data, metric_component(object$core_covariance), if (settings$exact) n else settings$k,
      if (settings$exact) n else settings$k_other, leave_out, settings$threads)
    krige_outputs(object, data, list(coords = data$coords, output = data$output), neighbors, settings)
  })
  if (found$failed > 0L) abort_cholesky(0L)
  found
}

loo_outputs <- function(object, k, threads) {
  predicted <- outputs_leave_one_out(object, k, threads)
  columns <- output_columns(list(mean = output_matrix(object$data, predicted$mean), sd = output_matrix(object$data, predicted$sd)), object$outputs)
  as.data.frame(lapply(columns, function(x) stats::naresid(object$na_action, x)), optional = TRUE)
}
