#' Formulas for the parameters of a family
#'
#' @description
#' Parameters of a [response_family] can depend on covariates: the probability of an excess zero on
#' depth, or the overdispersion of counts on the gear.
#'
#' ```r
#' neargp(count ~ depth, hauls, coords = ~ x + y, family = zi_nbinom2(size = ~ gear, zi = ~ depth))
#' ```
#'
#' @details
#' Give a one-sided formula in place of a number. For `Gamma()`, whose constructor takes no
#' parameters, use `family_formula(Gamma("log"), shape = ~ depth)`.
#'
#' | parameter | link |
#' |---|---|
#' | `size`, `dispersion`, `shape`, `precision`, `scale`, `sd` | log |
#' | `zi` | logit |
#'
#' * The coefficient `zi:depth` is the change of the log odds per unit of depth. Those of other
#'   parameters are changes of the logarithm.
#' * `zi` itself is the probability at the mean of numbers and at the first level of factors.
#'   [noise] uses the same names.
#' * `fixed = c("zi:depth" = 0)` fixes a coefficient.
#' * [predict()], [scores()] and [predict_index()] need the covariates. `type = "link"` does not.
#' * Formulas accept neither random effects nor smooths. [predict_areas()] and
#'   [exceedance_region()] do not support them.
#'
#' [vnngp()] (data in memory) and [joint_models] support them. Fits with `cov_none()` are those
#' of `glmmTMB(dispformula = , ziformula = )`. Use `nugget = ~ z` for a Gaussian response.
#' @param family a family, such as `Gamma("log")`.
#' @param ... one-sided formulas, named by the parameter, such as `shape = ~ depth`.
#' @return The family with the formulas, an object of class `family`.
#' @seealso [response_family], [noise], [fixed_parameters]
#' @references Rigby, R. A. and Stasinopoulos, D. M. (2005). Generalized additive models for
#'   location, scale and shape. *Journal of the Royal Statistical Society, Series C* 54, 507--554.
#' @examples
#' # Deep hauls miss the species more often. The true coefficient is 0.04
#' set.seed(1)
#' hauls <- data.frame(x = runif(300), y = runif(300), depth = runif(300, 0, 100))
#' present <- rbinom(300, 1, plogis(2 - 0.04 * hauls$depth))
#' hauls$count <- present * rpois(300, exp(1 + sin(5 * hauls$x)))
#' fit <- neargp(count ~ 1, hauls, coords = ~ x + y,
#'   family = family_formula(zi_poisson(), zi = ~ depth))
#' confint(fit, "zi:depth", what = "covariance")
#' predict(fit, data.frame(x = 0.3, y = 0.5, depth = c(10, 90)), interval = "prediction")
#' @export
family_formula <- function(family, ...) {
  check_given(missing(family), "family", "a family such as Gamma(\"log\")")
  family <- as_family(family)
  formulas <- list(...)
  if (!length(formulas) || !all(nzchar(names(formulas) %||% ""))) {
    abort_argument("...", "formulas named by the parameter, such as shape = ~ depth", formulas)
  }
  check_has_formulas(family, names(formulas))
  for (name in names(formulas)) check_row_formula(formulas[[name]], name)
  both <- intersect(names(formulas), names(family$fixed))
  if (length(both)) {
    abort_argument(both[1L], "either a number or a formula", family$fixed[[both[1L]]])
  }
  family$formulas[names(formulas)] <- formulas
  family
}

# Parameters that are one number for all rows. Predictions integrate over Student's t by its degrees
# of freedom, and the power of tweedie() lies between 1 and 2.
parameters_of_all_rows <- c("df", "power")

# The parameters of a family that accept a formula.
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
