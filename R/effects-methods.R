#' Random effects and smooths
#'
#' Terms of [neargp()]'s formula beside the field: groups whose effects differ at random, and smooth
#' functions of covariates. They are columns of the trend whose coefficients have a normal
#' distribution of mean zero, and their variances are estimated with the covariance of the field.
#'
#' # What to type
#' * `y ~ x + (1 | site)`: an effect of each site. Rows of a site need not be at one place.
#' * `(x | site)`: intercept and slope of x for each site, correlated; `(x || site)`, without
#'   correlation; `(0 + x | site)`, the slope alone.
#' * `(1 | region/site)`: sites within regions, the same as `(1 | region) + (1 | region:site)`;
#'   `(1 | site) + (1 | year)`: crossed.
#' * `s(depth)`: a smooth function, as mgcv makes it; `s(depth, k = 8)` of a smaller basis,
#'   `s(month, bs = "cc")` cyclic, `s(depth, by = gear)` one for each gear (which wants the term
#'   `gear` besides), `t2(depth, slope)` of two covariates in units of their own. `s(site, bs =
#'   "re")` is `(1 | site)`.
#'
#' Bars are read as lme4 reads them, smooths are made by mgcv, which must be installed for them; its
#' help pages [mgcv::s()] and [mgcv::smooth.terms] have the bases. `te()` and `ti()` are refused:
#' `t2()` has their basis. A group is any factor, also of numbers or strings. Gaussian responses
#' (with `transform`, `weights` and `offset`, too) have them by [vecchia()], [exact_gp()] and
#' [loo_k()], every [response_family] by [svgp()], and by [vnngp()] with a node at each location and
#' `posterior = "sparse"` or `"laplace"`. All other methods, classes and several outputs are an
#' error.
#'
#' A group that is a place, one level for each location, needs no term: differences between places
#' are what the field, or its nugget, is for. Groups that are regions compete with a field of long
#' range; a smooth of the coordinates competes with it at any range, and a warning says so
#' (`neargp_warning_smooth`).
#'
#' # What comes back
#' * `fixef()`: the coefficients of the trend, as `coef()` has them; unpenalised columns of smooths
#'   are among them, such as the linear part `s(depth).1`.
#' * `ranef()`: predictions of the effects of groups (BLUPs). With `se = TRUE` the standard
#'   deviation of each one's error, in which the uncertainty of the trend counts; the parameters are
#'   taken for known. (lme4's `condVar` takes the trend for known, too, and is smaller.)
#' * `VarCorr()`: standard deviations and correlations; `sigma()`: the standard deviation of the
#'   noise.
#' * `coef(fit, what = "random")`: all effects as one vector, those of smooths, too, and `vcov(fit,
#'   what = "random")` the covariance matrix of their errors. Among the parameters of `coef(fit,
#'   what = "covariance")` there is a standard deviation `sd_x|site` of each term, `cor_x.z|site` of
#'   pairs, and `sd_s(depth)` of smooths, with `confint()` and the rest. (With three terms and more
#'   before a bar those of the third one are partial correlations, given the terms before;
#'   `VarCorr()` has the correlations.)
#' * [predict()][predict.neargp], `simulate()`, `loo_predict()`, `cross_validate()`, `scores()`,
#'   `residuals()` and `fitted()` have the effects in the mean and their uncertainty in the
#'   variance. Leave-one-out predictions and cross-validation predict the effects again without the
#'   rows that are left out; of a level that only they had there is its variance.
#' * `predict(fit, newdata, type = "terms")`: the parts, a column for each.
#'
#' An estimated standard deviation of 0 is a valid result, and said to be at the boundary: the data
#' show no such differences. It has no standard error, and neither have its effects: both are `NA`.
#' Predictions of levels that the fit does not know are an error
#' (`neargp_error_levels`) unless `allow.new.levels = TRUE`; `re.form = NA` leaves the effects of
#' groups out.
#'
#' # How it is estimated
#' By default by restricted maximum likelihood, as lme4 and mgcv do for their parameters
#' (`vecchia(estimation = "ML")` is for likelihood ratios of fits with different trends). Without a
#' field the likelihood, the estimates and the predictions are those of `lme4::lmer()`, and of
#' `mgcv::gam(method = "REML")`; as a variance must be greater than 0, that is a field with a
#' variance too small to matter, `covariance = cov_exponential(variance = 1e-10, range = 1)` of a
#' response whose own is about 1. Effects are no part of the conditioning sets of [vecchia()]: their
#' columns are whitened by the field's, so that rows of a group that are far apart inform its
#' effect.
#'
#' There may be up to 1,000 columns, of up to 1e8 numbers together, and by [vecchia()] on the CPU
#' up to 10,000, or more where the rows of a level are near each other. More than 60 columns are
#' integrated out by a factor of their precision matrix, which is exact: a sparse one where levels
#' are small regions, a dense one where they are scattered over the field, since rows then share
#' neighbours with all other levels. Where a factor takes longer than a dense one of 2,500 columns
#' the search for the estimates has conjugate gradients in its place, with a sparse approximate
#' inverse as preconditioner: log determinants and traces, beyond what that knows of them, are means
#' over 16 vectors of random signs, the same at all parameters and in all calls. Estimates move by
#' some hundredths of their standard errors. The log-likelihood is a mean over 128 vectors;
#' `logLik()` has its `std_error` as an attribute, and `print()` shows it. Do not compare such
#' fits by differences of that size. Effects and predictions are those of the factor, which is made
#' once, when they are asked for. Where conjugate gradients do not converge in 200 steps, as with
#' columns that are nearly dependent, the factor takes their place at those parameters: it is right,
#' but an evaluation takes as long as the factor. Terms that say the same are then better left out.
#'
#' With 20,000 rows and `k = 30`, 100 scattered levels took 5 times the time of a fit without
#' groups, 200 levels 6 times and 1,000 levels 16 times (`bench/random-effects.R`). With 100,000
#' rows and 10,000 levels a step of the search took 0.6 seconds where levels are regions and 0.8
#' where they are scattered, and one without groups 0.17; whole fits took 12 and 9 times as long as
#' those without, which need no standard errors by differences. Beyond 1,000 columns, or 1e8
#' numbers, [simulate()][simulate.neargp], `predict(joint = TRUE)`, predictions of areas,
#' [influence()][influence.neargp] and `vcov(what = "random")` are an error, and so are
#' leave-one-out predictions where a row determines its own effects (leverage above 0.9), which
#' [cross_validate()] has.
#'
#' Other methods stop at 1,000 columns (`neargp_error_size`). Of a gaussian response more are what
#' [vecchia()] is for. Of other families the variance of each row's linear predictor is part of what
#' is maximised, and enters it through an exponential or the like: means over random signs would
#' bias it, and exactly it takes the response of the field to each column, as many numbers as rows
#' times columns, at each step. Merge levels there, or leave levels that are places to the field.
#'
#' [vnngp()] has field and effects in one posterior: its bound has the effects integrated out as it
#' has the field, with the trend at its best value, as by maximum likelihood. Without a field
#' `posterior = "laplace"` is `lme4::glmer()`. The bound of [svgp()] has the effects
#' integrated out, too: the inducing points know the field in part, while effects add to the
#' covariance matrix in full, with the trend at its best value. The score of [loo_k()] has the
#' effects integrated out, too, as if it were a likelihood, and predictions are made of Vecchia's
#' approximation at its estimates; with a handful of rows a level the score is optimistic, so judge
#' by [cross_validate()].
#'
#' Standard errors of parameters are from differences of the gradient, two evaluations for each
#' parameter, or one beyond 60 columns. `logLik()` counts coefficients of the trend and parameters
#' as its `df`; the effective degrees of freedom `edf` of a smooth, in `print()`, are the trace of
#' its part of the smoother.
#'
#' @param object,x a fit of [neargp()] with random effects or smooths.
#' @param se whether there are columns of standard errors, `se_<term>`.
#' @param sigma not used: standard deviations are in the unit of the response.
#' @param comp `"Std.Dev."`, `"Variance"`, or both, as columns to print.
#' @param digits number of significant digits.
#' @param row.names,optional not used.
#' @param ... not used.
#' @return `fixef()`: named numbers. `ranef()`: a named list with a data frame for each grouping, a
#'   row for each level and a column for each term. `VarCorr()`: a named list of covariance matrices
#'   with the attributes `stddev` and `correlation`; `as.data.frame()` of it has the columns `grp`,
#'   `var1`, `var2`, `vcov` and `sdcor`, as in lme4.
#' @section Errors: `neargp_error_formula` (a term that cannot be read, groups of one level, or of a
#'   level for each row), `neargp_error_method` (a method without them), `neargp_error_size` (too
#'   many columns, or a result that needs their whole covariance matrix), `neargp_error_levels`
#'   (predictions of unknown levels),
#'   `neargp_error_package` where mgcv is not installed.
#' @references Bates, D., Maechler, M., Bolker, B. and Walker, S. (2015). Fitting linear
#'   mixed-effects models using lme4. *Journal of Statistical Software* 67(1). Wood, S. N. (2017).
#'   *Generalized Additive Models: an Introduction with R*, second edition, sections 5.8 and 6.6.
#'   CRC Press. Henderson, C. R. (1975). Best linear unbiased estimation and prediction under a
#'   selection model. *Biometrics* 31, 423–447.
#' @seealso [neargp()], [predict.neargp()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200), depth = runif(200), site = sample(12, 200, TRUE))
#' d$z <- rnorm(12)[d$site] + sin(6 * d$depth) + cos(4 * d$x) + rnorm(200, sd = 0.3)
#' fit <- neargp(z ~ 1 + (1 | site), d, coords = ~ x + y, method = vecchia(k = 10))
#' VarCorr(fit)
#' head(ranef(fit, se = TRUE)$site)
#' predict(fit, data.frame(x = 0.5, y = 0.5, site = c(1, 99)), allow.new.levels = TRUE)
#'
#' if (requireNamespace("mgcv", quietly = TRUE)) {
#'   update(fit, . ~ . + s(depth, k = 8))
#' }
#' @name random_effects
NULL

#' @importFrom nlme fixef
#' @export
nlme::fixef

#' @importFrom nlme ranef
#' @export
nlme::ranef

#' @importFrom nlme VarCorr
#' @export
nlme::VarCorr

#' @rdname random_effects
#' @export
fixef.neargp <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  object$beta
}

# ---- predictions of the effects ------------------------------------------------------------------

# All effects, by names such as "(Intercept)|site:A" and "s(depth).3"; their covariance matrix.
effect_names <- function(blocks) {
  unlist(lapply(blocks, function(block) {
    if (block$kind == "smooth") return(paste(sub("^sd_", "", block$parameters), block$levels,
      sep = "."))
    sprintf("%s|%s:%s", rep(block$names, length(block$levels)), block$label,
      rep(block$levels, each = block$d))
  }))
}

effect_estimates <- function(object) {
  if (!has_effects(object$data)) abort_no_effects()
  own <- length(object$beta) + seq_len(count_coefficients(object$data))
  stats::setNames(core_trend(object)$beta[own], effect_names(object$data$effects$blocks))
}

effect_vcov <- function(object) {
  if (!has_effects(object$data)) abort_no_effects()
  refuse_compressed(object, "vcov(what = \"random\")")
  own <- length(object$beta) + seq_len(count_coefficients(object$data))
  names <- effect_names(object$data$effects$blocks)
  structure(core_trend(object)$beta_vcov[own, own, drop = FALSE], dimnames = list(names, names))
}

abort_no_effects <- function() {
  abort_neargp("argument", c("The fit has no random effects.",
    i = "They are terms of the formula, such as (1 | site): see ?random_effects."))
}

#' @rdname random_effects
#' @export
ranef.neargp <- function(object, se = FALSE, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_flag(se, "se")
  estimate <- effect_estimates(object)
  if (se) variance <- error_variances(object)
  blocks <- Filter(function(block) block$kind == "group", object$data$effects$blocks)
  tables <- lapply(blocks, function(block) {
    at <- matrix(block$columns, block$d)
    table <- t(matrix(estimate[at], block$d))
    colnames(table) <- block$names
    if (se) {
      errors <- t(matrix(sqrt(pmax(variance[at], 0)), block$d))
      table <- cbind(table, structure(errors, dimnames = list(NULL, paste0("se_", block$names))))
    }
    data.frame(table, row.names = block$levels, check.names = FALSE)
  })
  labels <- vapply(blocks, `[[`, "", "label")
  lapply(split(seq_along(blocks), factor(labels, unique(labels))),
    function(own) do.call(cbind, tables[own]))
}

# ---- variances -----------------------------------------------------------------------------------

#' @rdname random_effects
#' @export
VarCorr.neargp <- function(x, sigma = 1, ...) {
  check_fit(x)
  check_no_more_arguments()
  if (!has_effects(x$data)) abort_no_effects()
  blocks <- x$data$effects$blocks
  values <- x$parameters$estimate
  matrices <- lapply(blocks, function(block) {
    factor <- block_factor(values[match(block$parameters, x$layout$name)], block$d)
    sd <- values[match(block$parameters[seq_len(block$d)], x$layout$name)]
    unit <- block_factor(replace(values[match(block$parameters, x$layout$name)],
      seq_len(block$d), 1), block$d)
    names <- list(block$names, block$names)
    structure(tcrossprod(factor), dimnames = names, stddev = stats::setNames(sd, block$names),
      correlation = structure(tcrossprod(unit), dimnames = names))
  })
  names(matrices) <- make.unique(vapply(blocks, block_name, ""))
  structure(matrices, sc = stats::sigma(x), levels = vapply(blocks, function(block)
    length(block$levels), 0L), kind = vapply(blocks, `[[`, "", "kind"), class = "VarCorr.neargp")
}

block_name <- function(block) {
  if (block$kind == "smooth") sub("^sd_", "", block$parameters) else block$label
}

#' @rdname random_effects
#' @export
as.data.frame.VarCorr.neargp <- function(x, row.names = NULL, optional = FALSE, ...) {
  parts <- lapply(names(x), function(group) {
    V <- unclass(x[[group]])
    names <- rownames(V)
    pairs <- which(upper.tri(V), arr.ind = TRUE)
    data.frame(grp = group, var1 = c(names, names[pairs[, 1L]]),
      var2 = c(rep(NA, length(names)), names[pairs[, 2L]]), vcov = c(diag(V), V[pairs]),
      sdcor = c(attr(V, "stddev"), attr(V, "correlation")[pairs]))
  })
  noise <- attr(x, "sc")
  if (!is.na(noise)) {
    parts <- c(parts, list(data.frame(grp = "Residual", var1 = NA_character_,
      var2 = NA_character_, vcov = noise^2, sdcor = noise)))
  }
  table <- do.call(rbind, parts)
  structure(table, row.names = seq_len(nrow(table)))
}

# Effects whose standard deviation is estimated as 0 are no known zeros: what their errors are is
# not estimated.
error_variances <- function(object) {
  variance <- effect_variances(object)
  estimates <- stats::setNames(object$parameters$estimate, object$parameters$name)
  for (block in object$data$effects$blocks) {
    at <- matrix(block$columns, block$d)
    variance[at[estimates[block$parameters[seq_len(block$d)]] == 0, ]] <- NA_real_
  }
  variance
}

# ---- as tables -----------------------------------------------------------------------------------

tidy_random <- function(fit) {
  estimate <- effect_estimates(fit)
  data.frame(effect = "ran_vals", term = names(estimate), estimate = unname(estimate),
    std.error = unname(sqrt(pmax(error_variances(fit), 0))), statistic = NA_real_,
    p.value = NA_real_)
}

random_limits <- function(fit, level) {
  estimate <- effect_estimates(fit)
  limits <- normal_limits(estimate, sqrt(pmax(unname(error_variances(fit)), 0)), level)
  limit_matrix(limits$lower, limits$upper, names(estimate), level)
}
