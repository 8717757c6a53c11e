#' Coefficients, covariances and intervals of a fit
#'
#' @param object,x,formula a fit of [neargp()].
#' @param what `"trend"` for the trend coefficients, `"covariance"` for the covariance parameters on
#'   their natural scale, `"random"` for [random effects and smooths][random_effects].
#' @param parm names or numbers of the parameters; all by default.
#' @param level confidence level.
#' @param method of intervals of covariance parameters: `"wald"`, from standard errors on the scale
#'   of their logarithms, or `"profile"`, from the likelihood maximised over all other parameters,
#'   which need not be symmetric. For one gaussian response by [exact_gp()] or [vecchia()]; of the
#'   latter with the conditioning sets of the estimates.
#' @param REML whether the restricted log-likelihood is wanted, see [vecchia()]; by default that of
#'   the fit's `estimation`. It is for fits to a likelihood.
#' @param complete has no effect, since no coefficient of a fit is aliased: a trend of dependent
#'   columns is an error of [neargp()]. It is there for functions that work with [stats::lm()].
#' @param ... not used.
#' @return `coef()`: named numbers. Covariance parameters are `variance`, `range` (or
#'   `range_<coordinate>`, `range_time`), `anisotropy_ratio` (range across / range along the major
#'   axis, at most 1) and `anisotropy_angle` (of the major axis, degrees clockwise from north),
#'   `smoothness`, `power` or `shape`, and `nugget`; with several components, suffixed by `_1`,
#'   `_2`, .... With anisotropy `range` is that along the major axis. Responses that are not
#'   gaussian have no nugget, but the parameters of their [response_family], such as `size`; those
#'   of [loo_k()] have both, the nugget in units of what their pseudo-observations have.
#'
#'   `vcov()`: their covariance matrix, by the delta method for covariance parameters; NA for fixed
#'   ones, for those at a boundary, and for all of [loo_k()] and [mll_k()], whose scores are not
#'   likelihoods. For [vnngp()] and [svgp()] it comes from the curvature of the evidence lower
#'   bound, and is NA with `optimizer = "adam"`. For the trend of a response that is not gaussian,
#'   fitted by [vnngp()] or [svgp()], it includes the uncertainty of the covariance parameters and
#'   of those of the family, as `vcov()` of a model without a field does. Where these parameters
#'   have no standard errors, and for gaussian responses and classes, it is the covariance matrix
#'   of the trend given the parameters.
#'
#'   `confint()`: matrix of limits, Wald intervals computed on the logarithmic scale for covariance
#'   parameters. Profile intervals of parameters that ended at a bound, or before which the
#'   likelihood does not fall enough, are open: they end where the parameter's range does, at 0 or
#'   `Inf`, which a message (`neargp_message_profile`) says. Another one tells of finite limits at
#'   which a range or variance is at the upper bound of the search (of a range, some hundred times
#'   the extent of the locations): without it they would lie farther out. There are none, `NA`, of
#'   an estimated anisotropy and its range. A profile takes some 20 to 50 short searches for each
#'   parameter; `parm` saves those of the others. Where one finds a greater likelihood than the fit
#'   the error `neargp_error_convergence` says so. Of a fit with [pc_priors()] or another
#'   penalty it is the penalised likelihood that is profiled.
#'
#'   `logLik()`: of class `logLik`, of a fit by `estimation = "REML"` the restricted one, whose
#'   attribute `nobs` is less by the number of coefficients; for [vecchia()] the approximate (with
#'   a `std_error` of thousands of [random effects][random_effects]), for [exact_gp()] the
#'   exact log-likelihood; for [loo_k()] and [mll_k()] the score that was
#'   maximised, marked as such by its attribute `"score"`, for which `AIC()` and `BIC()` stop with
#'   an error of class `neargp_error_not_likelihood`. For [vnngp()] with a gaussian response and the
#'   sparse posterior it is the log-likelihood of the nearest-neighbour prior; otherwise the
#'   evidence lower bound (or Laplace's approximate log evidence), a score as well. Bounds may be
#'   compared between fits to the same responses by the same posterior.
#'
#'   `deviance()`: minus twice the log-likelihood, with the same error. `sigma()`: the square root
#'   of the nugget, NA where there is none. `nobs()`: the number of rows used, and `case.names()`
#'   their names. `labels()`: those of the terms. `df.residual()`: that number less the trend's
#'   coefficients, as of [stats::lm()]; rows of a field are not independent, so that tests and
#'   intervals of the package do not use it: they are by the normal distribution.
#'
#'   `model.matrix()`: the matrix of the trend, with the attributes `"assign"` and `"contrasts"`.
#' @seealso [summary.neargp()] and [tidiers] for tables, [anova.neargp()] for tests,
#'   [residuals.neargp()], [predict.neargp()].
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' fit <- neargp(z ~ x, d, coords = ~ x + y, method = vecchia(k = 10))
#' coef(fit)
#' coef(fit, what = "covariance")
#' confint(fit, what = "covariance")
#' AIC(fit)
#' @name coef.neargp
#' @export
coef.neargp <- function(object, what = c("trend", "covariance", "random"), complete = TRUE, ...) {
  check_no_more_arguments()
  check_flag(complete, "complete")
  what <- check_choice(what, "what", c("trend", "covariance", "random"))
  if (what == "trend") return(object$beta)
  if (what == "random") return(effect_estimates(object))
  table <- covariance_estimates(object)$table
  stats::setNames(table$estimate, table$name)
}

# Covariance parameters as they are reported: a row each of `table`, and the covariance matrix
# `vcov` of their estimates; `limits`, a function of the level, finds their intervals.
covariance_estimates <- function(object) {
  UseMethod("covariance_estimates")
}

#' @export
covariance_estimates.default <- function(object) {
  list(table = object$parameters, vcov = object$covariance_vcov,
    limits = function(level) working_limits(object, level))
}

#' @rdname coef.neargp
#' @export
vcov.neargp <- function(object, what = c("trend", "covariance", "random"), complete = TRUE, ...) {
  check_no_more_arguments()
  check_flag(complete, "complete")
  what <- check_choice(what, "what", c("trend", "covariance", "random"))
  if (what == "random") return(effect_vcov(object))
  if (what == "trend") with_flat_trend(object)$beta_vcov else covariance_estimates(object)$vcov
}

#' @rdname coef.neargp
#' @export
confint.neargp <- function(object, parm, level = 0.95, what = c("trend", "covariance"),
                           method = c("wald", "profile"), ...) {
  check_no_more_arguments()
  what <- check_choice(what, "what", c("trend", "covariance"))
  check_level(level)
  if (check_choice(method, "method", c("wald", "profile")) == "profile") {
    if (what == "trend") abort_trend_profile()
    return(profile_limits(object, if (!missing(parm)) parm, level))
  }
  limits <- if (what == "trend") trend_limits(with_flat_trend(object), level) else
    covariance_estimates(object)$limits(level)
  if (missing(parm)) return(limits)
  take_limits(limits, parm, if (what == "trend") covariance_estimates(object)$table$name)
}

abort_trend_profile <- function() {
  abort_neargp("argument", c("`method` must be \"wald\" for the trend.",
    i = "Profile intervals are of covariance parameters: what = \"covariance\"."))
}

# `covariance`: names of the parameters that `limits` of the trend are not of.
take_limits <- function(limits, parm, covariance = NULL) {
  if (is.character(parm) && length(found <- setdiff(intersect(parm, covariance),
    rownames(limits)))) {
    abort_neargp("argument", c(sprintf("The trend has no coefficient `%s`: `parm` must name those it has.", found[1L]),
      i = "That is a covariance parameter: what = \"covariance\"."))
  }
  wanted <- paste("among", format_some(rownames(limits), 20L), "or their numbers")
  if (!is.character(parm) && !is.numeric(parm)) abort_argument("parm", wanted, parm)
  known <- if (is.character(parm)) parm %in% rownames(limits) else parm %in%
    c(seq_len(nrow(limits)), -seq_len(nrow(limits)))
  if (!all(known)) abort_argument("parm", wanted, parm[!known][1L])
  limits[parm, , drop = FALSE]
}

limit_matrix <- function(lower, upper, names, level) {
  percent <- paste(format_for_name(100 * c((1 - level) / 2, (1 + level) / 2), digits = 3L), "%")
  matrix(c(lower, upper), ncol = 2L, dimnames = list(names, percent))
}

trend_limits <- function(object, level) {
  limits <- normal_limits(object$beta, sqrt(diag(object$beta_vcov)), level)
  limit_matrix(limits$lower, limits$upper, names(object$beta), level)
}

# Wald intervals on the working scale.
working_limits <- function(object, level) {
  parameters <- object$parameters
  transform <- interval_transform(object$layout)
  center <- to_working(parameters$estimate, transform)
  ends <- normal_limits(center, sqrt(diag(object$interval_vcov)), level)
  limits <- limit_matrix(to_core(ends$lower, transform), to_core(ends$upper, transform),
    parameters$name, level)
  # The ratio is that of the minor to the major range, so its interval ends at 1.
  ratio <- object$layout$kind == "u"
  limits[ratio, ] <- pmin(limits[ratio, ], 1)
  limits
}

#' @rdname coef.neargp
#' @export
sigma.neargp <- function(object, ...) {
  check_fit(object)
  if (is.null(object$pseudo_observations)) sqrt(nugget_estimate(object)) else NA_real_
}

#' @rdname coef.neargp
#' @export
nobs.neargp <- function(object, ...) length(object$data$y)

#' @rdname coef.neargp
#' @export
formula.neargp <- function(x, ...) x$formula

#' @rdname coef.neargp
#' @export
family.neargp <- function(object, ...) object$family

#' @rdname coef.neargp
#' @export
terms.neargp <- function(x, ...) x$terms

#' @rdname coef.neargp
#' @export
weights.neargp <- function(object, ...) given_weights(object$data)

#' @rdname coef.neargp
#' @export
labels.neargp <- function(object, ...) labels(stats::terms(object))

#' @rdname coef.neargp
#' @export
case.names.neargp <- function(object, ...) {
  as.character(object$row_names %||% seq_len(count_places(object$data)))
}

#' @rdname coef.neargp
#' @export
variable.names.neargp <- function(object, ...) colnames(object$data$X)

#' @rdname coef.neargp
#' @export
df.residual.neargp <- function(object, ...) {
  check_fit(object)
  stats::nobs(object) - length(object$beta)
}

#' @rdname coef.neargp
#' @export
model.matrix.neargp <- function(object, ...) {
  coding <- design_coding(object)
  structure(object$data$X, dimnames = list(stats::case.names(object), colnames(object$data$X)),
    assign = c(attr(coding, "assign"), rep(NA_integer_, count_smooth_columns(object))),
    contrasts = attr(coding, "contrasts"))
}

#' @export
model.matrix.neargp_outputs <- function(object, ...) object$data$X

# The design of one row of any values: which column is of which term depends on classes and levels
# of the variables alone.
design_coding <- function(object) {
  terms <- stats::delete.response(object$terms)
  classes <- attr(object$terms, "dataClasses")
  names <- vapply(as.list(attr(terms, "variables"))[-1L], deparse1, "")
  row <- lapply(stats::setNames(nm = names), function(name) {
    levels <- object$xlevels[[name]]
    if (!is.null(levels)) return(factor(levels[1L], levels))
    columns <- regmatches(classes[[name]], regexec("^nmatrix\\.(.*)$", classes[[name]]))[[1L]][2L]
    if (!is.na(columns)) return(matrix(0, 1L, as.integer(columns)))
    if (classes[[name]] == "logical") FALSE else 0
  })
  frame <- structure(row, class = "data.frame", row.names = 1L, terms = terms)
  stats::model.matrix(terms, frame, contrasts.arg = object$contrasts)
}

# The model frame is not kept (it is as large as the data): it is built anew from the call.
#' @rdname coef.neargp
#' @export
model.frame.neargp <- function(formula, ...) {
  model_frame_of(formula, needed_data(formula, "model.frame()"))
}

#' @rdname covariance_value
#' @export
covariance_value.neargp <- function(object, distance, direction = NULL, time = 0, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_lags(time, !is.null(object$locations$time))
  along <- function(component) range_in_direction(component, direction)
  sum_of_covariances(object$core_covariance$components, distance, directional_range = along,
    time = time)
}
