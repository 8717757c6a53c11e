# All code for effects, which codes the data of the call again by stats::glm() and puts in
# the trend's coefficients and their covariance matrix.

#' @exportS3Method effects::effSources
effSources.neargp <- function(mod) {
  check_whole_trend(mod, "Effect()")
  call <- mod$call
  data <- needed_data(mod, "Effect()")
  call$data <- drop_geometry(data)
  trend <- without_offsets(effect_terms(mod$formula)$trend, mod$terms)
  call$offset <- sum_of_offsets(c(offset_calls(mod$terms), list(call$offset)))
  sources <- list(call = call, formula = trend)
  if (inherits(mod$family, "neargp_family")) sources$family <- coding_family(mod)
  if (!has_effects(mod$data)) return(sources)
  # those of the formula's columns: smooths, centred, are at their mean of 0
  own <- seq_len(length(mod$beta) - count_smooth_columns(mod))
  c(sources, list(coefficients = mod$beta[own], vcov = mod$beta_vcov[own, own, drop = FALSE]))
}

# ---- offsets -------------------------------------------------------------------------------------

# effects takes columns of the formula's offset for covariates, but not those of the argument.
offset_calls <- function(terms) {
  lapply(as.list(attr(terms, "variables"))[-1L][attr(terms, "offset")], `[[`, 2L)
}

sum_of_offsets <- function(offsets) {
  Reduce(function(a, b) call("+", a, b), Filter(Negate(is.null), offsets))
}

without_offsets <- function(formula, terms) {
  if (is.null(attr(terms, "offset"))) return(formula)
  labels <- attr(terms, "term.labels")
  intercept <- attr(terms, "intercept") == 1L
  stats::reformulate(if (length(labels)) labels else if (intercept) "1" else "0", formula[[2L]],
    intercept, environment(formula))
}

# ---- families that stats::glm() has not ----------------------------------------------------------

# One by which glm() codes the data, whose coefficients are put in afterwards: any response is taken
# for the mean at the linear predictor 0. The scales of what is shown are those of the family.
coding_family <- function(object) {
  link <- mean_link(object) %||% object$family
  center <- link$linkinv(0)
  structure(list(family = object$family$family, link = object$family$link, linkfun = link$linkfun,
    linkinv = link$linkinv, mu.eta = link$mu.eta, valideta = link$valideta,
    variance = function(mu) rep.int(1, length(mu)), validmu = function(mu) TRUE,
    dev.resids = function(y, mu, wt) double(length(mu)),
    initialize = as.expression(bquote({
      y <- mustart <- rep.int(.(center), nobs)
      n <- rep.int(1, nobs)
    }))), class = "family")
}
