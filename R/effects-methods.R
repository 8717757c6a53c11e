#' Random effects and smooths
#'
#' @description
#' Terms of the formula for groups, as in lme4, and for smooth functions of covariates, as in mgcv
#' (GAM).
#'
#' ```r
#' fit <- neargp(precipitation ~ s(elevation), colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326, covariance = cov_matern(nu = 1.5))
#' fit
#' ```
#'
#' @details
#' | term | meaning |
#' |---|---|
#' | `(1 \| site)` | an effect of each site |
#' | `(x \| site)` | correlated intercepts and slopes of `x` |
#' | `(x \|\| site)` | independent intercepts and slopes |
#' | `(0 + x \| site)` | slopes alone |
#' | `(1 \| region/site)` | sites within regions |
#' | `(1 \| site) + (1 \| year)` | crossed effects |
#' | `s(depth)`, `s(depth, k = 8)` | a smooth function, and one with a smaller basis |
#' | `s(month, bs = "cc")` | a cyclic smooth |
#' | `s(depth, by = gear)` | a smooth for each gear; add the term `gear` |
#' | `t2(depth, slope)` | a smooth of two covariates in different units |
#'
#' The coefficients are normal with mean zero, and their variances are estimated together with the
#' covariance. Smooths need mgcv, see [mgcv::s()] and [mgcv::smooth.terms]. Use `t2()` in place of
#' `te()` and `ti()`.
#'
#' Gaussian responses support these terms by [vecchia()], [exact_gp()] and [loo_k()], and every
#' [response_family] by [svgp()] and by [vnngp()] with a node at each location and `posterior =
#' "sparse"` or `"laplace"`. Other methods, categories and several responses do not.
#'
#' You need no term for a group with one level per location, because the process and the nugget
#' describe it. A smooth of the coordinates competes with the process, and a warning says so. An
#' estimated standard deviation of 0 is valid: the data show no differences.
#'
#' @section Results:
#' * `fixef()` returns the trend's coefficients, with the linear part of smooths, such as
#'   `s(depth).1`, which `summary()` does not test alone.
#' * `ranef()` returns the predicted effects (BLUPs). With `se = TRUE` it adds standard deviations
#'   of their errors, which include the uncertainty of the trend (lme4's `condVar` does not).
#' * `VarCorr()` returns standard deviations and correlations, and `sigma()` the noise.
#' * `coef(fit, what = "random")` returns all effects, and `vcov(fit, what = "random")` their
#'   covariance matrix.
#' * `coef(fit, what = "covariance")` includes `sd_x|site`, `cor_x.z|site` and `sd_s(depth)`. With
#'   three terms before a bar, the later correlations are partial.
#' * `predict()` includes the effects in mean and variance. `type = "terms"` returns a column for
#'   each partial effect. `re.form = NA` leaves groups out, and `allow.new.levels = TRUE` allows
#'   unknown levels.
#'
#' Leave-one-out predictions and cross-validation predict the effects without the rows left out.
#'
#' @section Estimation:
#' The default is restricted maximum likelihood (REML), as in lme4 and mgcv. To compare trends, you
#' should use `vecchia(estimation = "ML")`. [vnngp()] and [svgp()] integrate the effects out of the
#' ELBO, and [loo_k()] out of its score, which is optimistic with few observations per level.
#'
#' Up to 1,000 columns are allowed, and 10,000 or more for Gaussian responses by [vecchia()] on the
#' CPU. Fits with more than 60 columns use a factor of their precision matrix, which is exact, or
#' conjugate gradients where the factor is slow. Then estimates move by some hundredths of their
#' standard errors, and the attribute `std_error` of `logLik()` is its accuracy. You should not
#' compare such fits by smaller differences. See the article "Model and methods".
#'
#' Beyond 1,000 columns, `simulate()`, `predict(joint = TRUE)`, areas, `influence()` and `vcov(what
#' = "random")` are errors. Leave-one-out predictions are errors where an observation determines its
#' own effects. A fit with 100 scattered levels typically takes 5 times as long as one without, and
#' with 1,000 levels 16 times.
#'
#' @param object,x a fit by [neargp()] with such terms.
#' @param se `TRUE` adds columns `se_<term>`. Default: `FALSE`.
#' @param sigma not used.
#' @param comp `"Std.Dev."` (default), `"Variance"` or both, the columns to print.
#' @param digits the number of significant digits, an integer.
#' @param row.names,optional not used.
#' @param ... not used.
#' @return `fixef()`: named numbers. `ranef()`: a named list with a data frame for each grouping.
#'   `VarCorr()`: a named list of covariance matrices with the attributes `stddev` and
#'   `correlation`; `as.data.frame()` returns the columns `grp`, `var1`, `var2`, `vcov` and `sdcor`,
#'   as in lme4.
#' @references Bates, D., Maechler, M., Bolker, B. and Walker, S. (2015). Fitting linear
#'   mixed-effects models using lme4. *Journal of Statistical Software* 67(1). Wood, S. N. (2017).
#'   *Generalized Additive Models: an Introduction with R*, second edition, sections 5.8 and 6.6.
#'   CRC Press. Henderson, C. R. (1975). Best linear unbiased estimation and prediction under a
#'   selection model. *Biometrics* 31, 423–447.
#' @seealso [neargp()], [predict.neargp()], [variable_importance()]
#' @examples
#' # Sites and a smooth effect of depth, next to a Gaussian process
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200), depth = runif(200), site = sample(12, 200, TRUE))
#' d$z <- rnorm(12)[d$site] + sin(6 * d$depth) + cos(4 * d$x) + rnorm(200, sd = 0.3)
#' fit <- neargp(z ~ 1 + (1 | site), d, coords = ~ x + y, covariance = cov_matern(nu = 1.5),
#'   method = vecchia(k = 10))
#' VarCorr(fit)
#' head(ranef(fit, se = TRUE)$site, 3)
#'
#' # A known and an unknown site, and the mean over all sites
#' new <- data.frame(x = 0.5, y = 0.5, site = c(1, 99))
#' predict(fit, new, allow.new.levels = TRUE)
#' predict(fit, new[1, ], re.form = NA)
#'
#' if (requireNamespace("mgcv", quietly = TRUE)) {
#'   fit <- update(fit, . ~ . + s(depth, k = 8))
#'   print(fit)
#'   # the partial effect of depth
#'   depths <- data.frame(x = 0.5, y = 0.5, site = 1, depth = seq(0, 1, 0.2))
#'   print(cbind(depth = depths$depth, predict(fit, depths, type = "terms")))
#' }
#'
#' # Counts: differences between years, by a Poisson mixed model
#' d$year <- factor(rep(2001:2008, 25))
#' d$count <- rpois(200, exp(1 + rnorm(8, sd = 0.5)[d$year] + sin(4 * d$x)))
#' counts <- neargp(count ~ 1 + (1 | year), d, coords = ~ x + y, family = poisson())
#' VarCorr(counts)
#' round(ranef(counts, se = TRUE)$year, 2)
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
  abort_neargp("argument", c("The fit contains no random effects.",
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
