#' Many predictors: features()
#'
#' @description
#' A term of the formula for 30 to some thousand observations with many predictors, and coordinates
#' where you know them. Experimental.
#'
#' ```r
#' air <- na.omit(airquality)
#' neargp(Ozone ~ features(.), air)
#' ```
#'
#' @details
#' The model is a sum of Gaussian processes: linear and smooth effects of all predictors together,
#' and a spatial process if you name coordinates. `covariance` is that of the coordinates.
#'
#' Up to `max(40, n / 3)` predictors become normal scores, and more are standardised. Factors become
#' indicators. With `Z = U S V'`, each power `g` contributes a linear and a smooth term of the
#' principal scores `U S^g`. Weak lognormal priors keep all terms, and each fold of
#' [cross_validate()] with `refit = TRUE` learns scores from its own rows. The article "Few
#' observations, many predictors" states the formulas and priors.
#'
#' `features()` takes columns by name, `from:to`, `.` and `-name`. `.` stands for all columns that
#' the call does not use otherwise. Leave other measurements of the same rows out, because they
#' leak: `features(., -pH)`. Keep times and trends in the formula, since scores do not extrapolate.
#'
#' @param power the powers `g`, up to three numbers above 0 and up to 1. Default: 1 and 1/2, which
#'   predict better together.
#' @param scores `TRUE` for normal scores, `FALSE` for standardised predictors. Default `NULL`: by
#'   the number of predictors.
#' @return `cov_features()` returns a `neargp_covariance` for the argument `covariance` of
#'   [neargp()], whose `coords` are then the predictors. `features()` is only a term of a formula.
#' @references Schmidinger, J. et al. (2025). LimeSoDa: a dataset collection for benchmarking of
#'   machine learning regressors in digital soil mapping. *Geoderma* 453.
#' @seealso [covariance], [cross_validate()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Ozone by weather, and the intervals of five days that the fit has not seen
#' air <- na.omit(airquality)
#' fit <- neargp(Ozone ~ features(Solar.R, Wind, Temp), air[-(1:5), ])
#' fit
#' cbind(observed = air$Ozone[1:5], predict(fit, air[1:5, ], interval = "prediction"))
#'
#' # Predictors and space: stations with their elevation
#' neargp(precipitation ~ features(elevation), colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' @export
cov_features <- function(power = c(1, 0.5), scores = NULL) {
  check_powers(power)
  if (!is.null(scores)) check_flag(scores, "scores")
  components <- unlist(lapply(power, function(g) list(feature_component("linear", g),
    feature_component("smooth", g))), recursive = FALSE)
  structure(list(components = components, features = list(power = power, scores = scores)),
    class = "neargp_covariance")
}

check_powers <- function(power) {
  if (is.numeric(power) && length(power) %in% 1:3 && all(is.finite(power)) &&
      all(power > 0 & power <= 1) && !anyDuplicated(power)) {
    return(invisible())
  }
  abort_argument("power", "one to three different numbers above 0 and up to 1", power)
}

check_features_possible <- function(settings, rows) {
  if (is.null(rows$features)) return(invisible())
  if (!is.null(rows$areal)) refuse_features("for areas")
  if (!is.null(rows$source)) refuse_features("for data that are read in pieces")
  if (!is.null(dim(stats::model.response(rows$frame)))) refuse_features("for several responses")
  if (settings$device == "cuda") refuse_features("on a GPU")
  if (has_ability(settings$method, "features", settings$family)) return(invisible())
  refuse_features(sprintf("by %s", method_call(settings$method)))
}

refuse_features <- function(what) {
  abort_neargp("formula", c(sprintf("features() is not supported %s.", what),
    i = sprintf("It is available for one response of rows in memory, by %s.", able_methods("features"))))
}

# `feature`: which of the coordinates that features() makes the component is of.
feature_component <- function(term, power) {
  made <- new_covariance(if (term == "linear") "cosine" else "matern",
    if (term == "smooth") 1.5, NULL, NULL, FALSE, FALSE, list())
  component <- made$components[[1L]]
  component$feature <- list(term = term, power = power)
  component$label <- sprintf("%s_%.3g", term, power)
  component
}
