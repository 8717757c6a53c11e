#' Formulas for the parameters of a family
#'
#' @description
#' The parameters of a [response_family] can depend on covariates: the probability of an excess zero
#' on depth, or the overdispersion of counts on the gear.
#'
#' ```r
#' neargp(count ~ depth, hauls, coords = ~ x + y, family = zi_nbinom2(size = ~ gear, zi = ~ depth))
#' ```
#'
#' @details
#' Give a one-sided formula to the family, in place of a number. `family_formula()` does the same for
#' any family, such as `Gamma()`, whose constructor takes no parameters.
#'
#' | family | parameters that accept a formula | link |
#' |---|---|---|
#' | `negative_binomial()`, `nbinom2()`, `truncated_nbinom2()` | `size` | log |
#' | `nbinom1()`, `tweedie()` | `dispersion` | log |
#' | `zi_poisson()` | `zi` | logit |
#' | `zi_nbinom2()` | `size` (log), `zi` (logit) | |
#' | [`Gamma()`][stats::Gamma], `gengamma()` | `shape` | log |
#' | `beta_response()`, `betabinomial()` | `precision` | log |
#' | `student_t()` | `scale` | log |
#' | `censored_gaussian()` | `sd` | log |
#'
#' With the link g, the parameter of observation `i` is `g^-1(g(zi) + z[i] gamma)`.
#'
#' * The coefficient `zi:depth` is the change of the log odds of `zi`, or of the logarithm of another
#'   parameter, per unit of depth. `zi` itself is the probability at the mean of numbers and at the
#'   first level of factors. [noise] uses the same words for `nugget = ~ z`.
#' * `coef(fit, what = "covariance")`, `confint()`, `tidy()` and `fit$family_parameters` contain the
#'   coefficients. `fixed = c("zi:depth" = 0)` fixes them. Coefficients are limited to 5 per standard
#'   deviation of the covariate.
#' * [predict()], [scores()] and [simulate()] of new observations need the covariates. `type = "link"`
#'   does not.
#' * The formula accepts numbers, factors, interactions and bases such as `poly()`. It accepts neither
#'   random effects nor smooths.
#'
#' Supported by [vnngp()] without `low_rank` and by posteriors `"sparse"` and `"laplace"`, with or
#' without a process (`covariance = cov_none()`), for data in memory. Fits without a process are those
#' of `glmmTMB(dispformula = , ziformula = )`. Note that the coefficients of `shape` and `size` are
#' those of `dispformula` there. Use `nugget = ~ z` for a Gaussian response.
#' @param family a family with a parameter of the table: an object, a function or a name.
#' @param ... formulas without a response, such as `shape = ~ depth`, named by the parameter.
#' @return `family_formula()` returns the family with the formulas.
#' @seealso [response_family], [noise], [fixed_parameters]
#' @references Rigby, R. A. and Stasinopoulos, D. M. (2005). Generalized additive models for location,
#'   scale and shape. *Journal of the Royal Statistical Society, Series C* 54, 507--554.
#'   Lambert, D. (1992). Zero-inflated Poisson regression, with an application to defects in
#'   manufacturing. *Technometrics* 34, 1--14.
#' @examples
#' # Deep hauls miss the species more often
#' set.seed(1)
#' hauls <- data.frame(x = runif(300), y = runif(300), depth = runif(300, 0, 100))
#' present <- rbinom(300, 1, plogis(2 - 0.04 * hauls$depth))
#' hauls$count <- present * rpois(300, exp(1 + sin(5 * hauls$x)))
#' fit <- neargp(count ~ 1, hauls, coords = ~ x + y, family = zi_poisson(zi = ~ depth))
#' confint(fit, "zi:depth", what = "covariance")
#' predict(fit, data.frame(x = 0.3, y = 0.5, depth = c(10, 90)), interval = "prediction")
#'
#' # Any family
#' hauls$weight <- rgamma(300, shape = exp(hauls$depth / 50))
#' neargp(weight ~ 1, hauls, coords = ~ x + y, covariance = cov_none(),
#'   family = family_formula(Gamma("log"), shape = ~ depth))
#' @export
family_formula <- function(family, ...) {
  check_given(missing(family), "family", "a family such as Gamma(\"log\")")
  family <- as_family(family)
  formulas <- list(...)
  if (!length(formulas) || !all(nzchar(names(formulas) %||% ""))) {
    abort_argument("...", "formulas named by the parameter, such as shape = ~ depth", formulas)
  }
  check_has_formulas(family, names(formulas))
  for (name in names(formulas)) check_parameter_formula(formulas[[name]], name)
  both <- intersect(names(formulas), names(family$fixed))
  if (length(both)) {
    abort_argument(both[1L], "either a number or a formula", family$fixed[[both[1L]]])
  }
  family$formulas[names(formulas)] <- formulas
  family
}

# One number for all rows: predictions integrate over Student's t by its degrees of freedom, and
# tweedie()'s power has a range that no common link has.
parameters_of_all_rows <- c("df", "power")

# The parameters of a family that may have a formula.
formula_parameters <- function(family) {
  if (is_gaussian(family) || is.null(family_core_name(family)) || has_thresholds(family)) {
    return(character(0))
  }
  setdiff(response_family(family)$parameters, parameters_of_all_rows)
}

check_has_formulas <- function(family, names) {
  known <- formula_parameters(family)
  unknown <- setdiff(names, known)
  if (!length(unknown)) return(invisible())
  abort_neargp("family", c(sprintf("%s of %s cannot depend on covariates.",
    paste0("`", unknown[1L], "`"), family_call(family)),
    i = if (is_gaussian(family)) "Use the argument `nugget = ~ z` of neargp() for the noise." else
      if (length(known)) sprintf("Its parameters that accept a formula: %s.", format_some(known))))
}

# Whether a value of a constructor is a formula, which it checks.
is_parameter_formula <- function(value, name) {
  if (!rlang::is_formula(value)) return(FALSE)
  check_parameter_formula(value, name)
  TRUE
}

check_parameter_formula <- function(formula, name) {
  wanted <- "NULL, a number, or a one-sided formula of covariates such as ~ depth"
  if (!rlang::is_formula(formula) || length(formula) != 2L || "." %in% all.vars(formula)) {
    abort_argument(name, wanted, formula)
  }
  unsupported <- intersect(all.names(formula[[2L]]), c("|", "||", "s", "t2"))
  if (length(unsupported)) {
    abort_neargp("family", c(
      sprintf("The formula of `%s` supports neither random effects nor smooths.", name),
      i = sprintf("Use covariates, or a basis such as %s = ~ poly(depth, 2).", name)))
  }
}

# The words of print(): "zi_poisson(), zi ~ depth".
formulas_in_words <- function(family) {
  if (is.null(family$formulas)) return("")
  terms <- vapply(family$formulas, function(formula) deparse1(formula[[2L]]), "")
  paste0(", ", paste(names(family$formulas), "~", terms, collapse = ", "))
}

# ---- what supports them --------------------------------------------------------------------------

check_family_formulas <- function(settings, source) {
  if (is.null(settings$family$formulas)) return(invisible())
  if (!has_ability(settings$method, "family_formulas", settings$family)) {
    refuse_family_formulas(sprintf("by %s", method_call(settings$method)),
      sprintf("They are available for %s.", able_methods("family_formulas")))
  }
  if (!is.null(source)) {
    refuse_family_formulas("for rows that are read in pieces",
      "Fit them to a sample of the rows in memory.")
  }
  if (!is.null(settings$cluster) || !is.null(settings$control$shards)) {
    refuse_family_formulas("in shards", "Leave `cluster` and `shards` out.")
  }
}

refuse_family_formulas <- function(what, hint = NULL) {
  abort_neargp("family", c(sprintf("Formulas of family parameters are not supported %s.", what),
    i = hint))
}
