# Leave-one-out predictions of several outputs.

# Mean and sd of each observation, given its nearest in the rows that `leave_out` of the fit leaves in.
#' @export
leave_one_out.neargp_method_outputs <- function(object, k, threads) {
  settings <- outputs_predict_settings(object, k, threads = threads)
  noise <- noise_of_rows(object)
  left <- if (identical(object$method$leave_out, "row")) {
    without_own_trend(object, weights_of_other_outputs(object, settings, "row"), object$data$y, noise)
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
