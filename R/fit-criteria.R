# AIC() and BIC() of fits that consist of several: errors unless their objective is a likelihood.

#' @export
AIC.neargp_hurdle <- function(object, ..., k = 2) {
  check_no_more_arguments()
  stats::AIC(stats::logLik(object), k = k)
}

#' @export
BIC.neargp_hurdle <- function(object, ...) {
  check_no_more_arguments()
  stats::BIC(stats::logLik(object))
}

#' @export
AIC.neargp_joint <- AIC.neargp_hurdle

#' @export
BIC.neargp_joint <- BIC.neargp_hurdle
