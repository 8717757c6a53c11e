# Generics that fits of several responses do not support, each with a way out.

# The number of fields is at the boundary of that of a larger fit, and an ELBO is no likelihood.
#' @export
anova.neargp_joint <- function(object, ...) {
  abort_neargp("method", c("anova() does not compare fits of several responses that share fields: twice a difference of their objectives is not chi-squared.",
    i = "Compare cross_validate(fit, folds)$scores of the fits with the same `folds`, or numbers of fields by compare_ranks()."))
}

#' @export
ranef.neargp_joint <- function(object, ...) {
  abort_neargp("method", c("ranef() is not available for fits of several responses that share fields.",
    i = "predict() includes the random effects of known levels."))
}

refuse_deletion <- function(what) {
  abort_neargp("method", c(sprintf("%s is not available for fits of several responses that share fields.", what),
    i = "cross_validate(fit)$predictions contains each observation with its prediction without its location."))
}

#' @export
influence.neargp_joint <- function(model, ...) refuse_deletion("influence()")

#' @export
hatvalues.neargp_joint <- function(model, ...) refuse_deletion("hatvalues()")

#' @export
cooks.distance.neargp_joint <- function(model, ...) refuse_deletion("cooks.distance()")

#' @export
dfbeta.neargp_joint <- function(model, ...) refuse_deletion("dfbeta()")
