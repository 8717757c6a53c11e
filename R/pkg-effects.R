# All that knows about effects, which codes the data of the call anew by stats::glm() and puts in
# the trend's coefficients and their covariance matrix.

#' @exportS3Method effects::effSources
effSources.neargp <- function(mod) {
  check_one_trend(mod, "Effect()")
  call <- mod$call
  data <- data_of_call(mod)
  if (is.null(data)) {
    abort_neargp("newdata",
      "The data of the fit are no longer found, so that effects have no grid.")
  }
  call$data <- drop_geometry(data)
  list(call = call, formula = mod$formula)
}
