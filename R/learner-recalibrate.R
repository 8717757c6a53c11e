# Recalibration of a process with learners.

# The map of a process with learners, from the rows that all members leave out.
#' @export
recalibrate.neargp_learned <- function(fit, k = NULL, threads = NULL) {
  check_learned(fit)
  check_default_leave_out(k, NULL)
  left <- fit$left_out
  plain <- if (is.null(fit$recalibration)) left$distribution else left$distribution$base
  residual <- predictive_scores(fit$y[left$rows], plain)
  check_residuals(residual)
  fit$recalibration <- new_recalibration(residual)
  fit$left_out$distribution <- new_recalibrated(plain, fit$recalibration)
  fit
}

#' @export
update.neargp_learned <- function(object, ..., evaluate = TRUE) {
  if (isTRUE(evaluate)) tell_lost_recalibration(object)
  NextMethod()
}
