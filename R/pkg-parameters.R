# All code for parameters: the Wald tests and intervals of summary() and confint().

#' @exportS3Method bayestestR::ci
ci.neargp <- function(x, ci = 0.95, vcov = NULL, ...) {
  check_own_vcov(vcov)
  tables <- lapply(ci, function(level) {
    limits <- unname(stats::confint(x, level = level))
    data.frame(Parameter = names(x$beta), CI = level, CI_low = limits[, 1L], CI_high = limits[, 2L])
  })
  do.call(rbind, tables)
}

#' @exportS3Method parameters::standard_error
standard_error.neargp <- function(model, vcov = NULL, ...) {
  check_one_trend(model, "standard_error()")
  check_own_vcov(vcov)
  data.frame(Parameter = names(model$beta), SE = unname(wald_tests(model)$std_error))
}

#' @exportS3Method parameters::p_value
p_value.neargp <- function(model, vcov = NULL, ...) {
  check_one_trend(model, "p_value()")
  check_own_vcov(vcov)
  data.frame(Parameter = names(model$beta), p = unname(wald_tests(model)$p_value))
}

#' @exportS3Method parameters::degrees_of_freedom
degrees_of_freedom.neargp <- function(model, method = "wald", ...) {
  if (identical(method, "residual")) stats::df.residual(model) else Inf
}

check_own_vcov <- function(vcov) {
  if (is.null(vcov)) return(invisible())
  abort_neargp("argument", c("`vcov` must be left out: standard errors are those of the fit.",
    i = "They already account for the spatial correlation that robust ones correct for."))
}
