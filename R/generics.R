#' Coefficients, covariance parameters and their intervals
#'
#' @description
#' Extracts estimates (coefficients and hyperparameters), standard errors, confidence intervals and
#' the log-likelihood.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' coef(fit, what = "covariance")
#' confint(fit, what = "covariance")
#' ```
#'
#' @param object,x,formula a fit by [neargp()].
#' @param what `"trend"` (default), `"covariance"` for the covariance parameters on their natural
#'   scale, or `"random"` for [random effects and smooths][random_effects].
#' @param parm names or numbers of parameters. Default: all.
#' @param level the confidence level, a number between 0 and 1. Default: 0.95.
#' @param method intervals of covariance parameters: `"wald"`, on the scale of logarithms, or
#'   `"profile"`, from the profile likelihood of one Gaussian response by [exact_gp()] or
#'   [vecchia()]. A profile takes 20 to 50 short searches per parameter.
#' @param REML `TRUE` or `FALSE`: return the restricted log-likelihood? Default: the `estimation` of
#'   the fit, see [vecchia()].
#' @param complete not used, since no coefficient is aliased.
#' @param ... not used.
#' @return `coef()` returns named numbers. Covariance parameters are `variance` (partial sill),
#'   `range`, `range_<coordinate>` or `range_time`, `smoothness`, `power` or `shape`, and `nugget`.
#'   `anisotropy_ratio` is at most 1, and `anisotropy_angle` is in degrees clockwise from north. In
#'   three dimensions `anisotropy_ratio_third`, `anisotropy_dip` and `anisotropy_plunge` follow, see
#'   [covariance].
#'   Components add the suffixes `_1`, `_2`, and so on. Other families return their own parameters
#'   in place of the nugget, and [loo_k()] returns both.
#'
#' `vcov()` returns the covariance matrix, by the delta method for covariance parameters. Entries
#' are `NA` for fixed parameters, at a boundary, with `optimizer = "adam"`, and for [loo_k()] and
#' [mll_k()]. For other families by [vnngp()] and [svgp()], the matrix of the trend includes the
#' uncertainty of all parameters.
#'
#' `confint()` returns a matrix of limits. A profile interval is open, with the limit 0 or `Inf`, if
#' the likelihood does not fall enough, and a message says so. Estimated anisotropies return `NA`
#' with a message, or an error if `parm` names them. Priors and penalties count.
#'
#' `logLik()` returns an object of class `logLik`: the exact, approximate or restricted
#' log-likelihood. For [loo_k()] and [mll_k()] it is their score, and for other families the ELBO.
#' `AIC()`, `BIC()` and `deviance()` are then errors, and you should compare such fits by
#' [cross_validate()]. ELBOs are comparable between fits to the same responses with the same
#' posterior.
#'
#' `sigma()` returns the standard deviation of the noise, `nobs()` the number of observations,
#' `df.residual()` that number less the coefficients, and `model.matrix()` the matrix of the trend.
#' Tests and intervals use the normal distribution.
#' @seealso [summary.neargp()] and [tidiers] for tables, [anova.neargp()] for tests,
#'   [residuals.neargp()], [predict.neargp()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' coef(fit)
#' confint(fit)
#' coef(fit, what = "covariance")
#' confint(fit, what = "covariance")
#' confint(fit, "nugget", what = "covariance", method = "profile")
#' sqrt(diag(vcov(fit, what = "covariance")))
#'
#' # Does elevation matter? AIC needs maximum likelihood
#' c(with = AIC(fit), without = AIC(update(fit, . ~ 1)))
#' logLik(fit)
#' sigma(fit)
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
  shown <- !is_of_no_process(object)
  list(table = object$parameters[shown, ],
    vcov = object$covariance_vcov[shown, shown, drop = FALSE],
    limits = function(level) working_limits(object, level)[shown, , drop = FALSE])
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
    i = "Profile intervals are available for covariance parameters: what = \"covariance\"."))
}

# `covariance`: names of the parameters that `limits` of the trend are not of.
take_limits <- function(limits, parm, covariance = NULL) {
  if (is.character(parm) && length(found <- setdiff(intersect(parm, covariance),
    rownames(limits)))) {
    abort_neargp("argument", c(sprintf("`%s` is not a coefficient of the trend: `parm` must name coefficients of the trend.", found[1L]),
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
  # A ratio is that of a minor to the major range, so its interval ends at 1.
  ratio <- is_ratio(object$layout)
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
formula.neargp <- function(x, ...) {
  term <- x$locations$features$term
  if (is.null(term)) return(x$formula)
  formula <- x$formula
  formula[[3L]] <- if (identical(formula[[3L]], 1)) term else call("+", formula[[3L]], term)
  formula
}

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

# The model frame is not kept (it is as large as the data): it is built again from the call.
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
  if (has_no_curve(object)) {
    abort_neargp("argument", c(sprintf("With %s the covariance is not a function of distance.",
      if (has_features(object$covariance)) "features()" else
        if (has_linear(object$covariance)) "cov_linear()" else "`range = Inf`"),
      i = "coef(fit, what = \"covariance\") returns its variances and ranges."))
  }
  check_lags(time, !is.null(object$locations$time))
  along <- function(component) range_in_direction(component, direction)
  sum_of_covariances(object$core_covariance$components, distance, directional_range = along,
    time = time)
}
