# All code for emmeans: marginal means are linear functions of the trend's coefficients.

#' @exportS3Method emmeans::recover_data
recover_data.neargp <- function(object, data = NULL, ...) {
  refused <- tryCatch(check_whole_trend(object, "emmeans()"), neargp_error = conditionMessage)
  if (is.character(refused)) return(refused)  # emmeans stops with the text
  own <- is.null(data)
  if (own) data <- original_columns(object)
  # Offsets of the formula and of the argument, which are averaged over.
  known <- if (own && any(object$data$offset != 0)) list(`(offset)` = object$data$offset)
  recovered_data(object, data, known, ...)
}

recovered_data <- function(object, data, known = NULL, ...) {
  if (is.null(data)) {
    return("The data of the fit are no longer found. Give them: emmeans(fit, data = ).")
  }
  emmeans::recover_data(object$call, stats::delete.response(object$terms), NULL,
    data = drop_geometry(data), frame = structure(known %||% list(), class = "data.frame"), ...)
}

# The basis is on the scale of the link. There are no degrees of freedom: the tests of summary() are
# by the normal distribution as well.
#' @exportS3Method emmeans::emm_basis
emm_basis.neargp <- function(object, trms, xlev, grid, vcov. = stats::vcov, ...) {
  frame <- stats::model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  X <- stats::model.matrix(trms, frame, contrasts.arg = object$contrasts)
  # smooths, centred, are at their mean of 0
  list(X = cbind(X, matrix(0, nrow(X), count_smooth_columns(object))),
    bhat = unname(object$beta), nbasis = matrix(NA),
    V = as.matrix(if (is.function(vcov.)) vcov.(object) else vcov.),
    dffun = function(k, dfargs) Inf, dfargs = list(),
    misc = emmeans_scale(object))
}

# With several responses, a factor `output` distinguishes their means, as in emmeans for a matrix of
# responses. Each response uses its own coefficients of the same terms.
#' @exportS3Method emmeans::recover_data
recover_data.neargp_outputs <- function(object, data = NULL, ...) {
  refused <- tryCatch(if (!is.null(object$deep)) stats::vcov(object),
    neargp_error = conditionMessage)
  if (is.character(refused)) return(refused)
  recovered_data(object, data %||% data_of_call(object), ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.neargp_outputs <- function(object, trms, xlev, grid, vcov. = stats::vcov, ...) {
  basis <- emm_basis.neargp(object, trms, xlev, grid, vcov., ...)
  basis$X <- kronecker(diag(length(object$outputs)), basis$X)
  basis$misc$ylevs <- list(output = object$outputs)
  basis
}

# How estimates go back to the response: by the link, by the mean where that is not its inverse, or
# by the inverse of a transform (a median).
emmeans_scale <- function(object) {
  family <- object$family
  own <- mean_link(object)
  if (!is.null(own)) return(list(tran = own, inv.lbl = "response"))
  # emmeans finds "binomial" in the name of negative_binomial(), and would return probabilities
  if (family$family == "negative_binomial") family$family <- "poisson"
  if (!is_gaussian(family)) return(emmeans::.std.link.labels(family, list()))
  transform <- family$transform
  if (is.null(transform)) return(list())
  inverse <- function(eta) from_normal_scale(eta, transform)
  list(inv.lbl = "response", tran = list(name = transform_call(transform),
    linkfun = function(mu) to_normal_scale(mu, transform), linkinv = inverse,
    mu.eta = function(eta) exp(-transform_log_slope(inverse(eta), transform)),
    valideta = function(eta) TRUE))
}
