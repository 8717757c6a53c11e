# Rows of several responses predicted from the others, see leave-one-out.R.

# Given the nearest in the rows that are left in.
#' @export
weights_of_others.neargp_method_outputs <- function(method, object, settings) {
  at_means <- at_location_means(object)
  of <- function(leave_out) weights_of_other_outputs(at_means, settings, leave_out)
  if (unit_left_out(object, settings$leave_out) == "row") {
    return(add_own_location(object, at_means$data, of("row")))
  }
  of_left_places(object, at_means$data, of("prediction"), of("location"))
}

weights_of_other_outputs <- function(object, settings, leave_out) {
  data <- object$data
  most <- function(k) if (settings$exact) length(data$y) else k
  settings$context <- prediction_context(object, data$places, settings)
  neighbors <- neighbors_of_outputs(data, metric_component(object$core_covariance),
    most(settings$k), most(settings$k_other), leave_out, settings$context)
  conditional_weights(object, data$coords, settings, neighbors, data$output)
}
