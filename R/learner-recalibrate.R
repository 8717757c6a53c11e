# Recalibration of a process with learners.

# The map of a process with learners, from the rows that all members leave out.
#' @export
recalibrate.neargp_learned <- function(fit, k = NULL, threads = NULL) {
  check_learned(fit)
  check_default_leave_out(k, NULL)
  with_recalibration(fit)
}

with_recalibration <- function(object) {
  left <- object$left_out
  plain <- if (is.null(object$recalibration)) left$distribution else left$distribution$base
  residual <- predictive_scores(object$y[left$rows], plain)
  check_residuals(residual)
  object$recalibration <- new_recalibration(residual)
  object$left_out$distribution <- new_recalibrated(plain, object$recalibration)
  object
}
