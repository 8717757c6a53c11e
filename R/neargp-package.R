#' neargp: Gaussian processes that condition on nearest neighbours
#'
#' Fits Gaussian-process models to large spatial and tabular data: measurements, counts, presence or
#' absence, and other responses. Each observation is conditioned on its nearest neighbours.
#' Predictions come with their uncertainty, and you can draw them as maps.
#'
#' Start with [neargp()], which fits a model by formula to sf points or to a
#' data frame with coordinates; then `summary()`, `predict()` and `plot()` on
#' its result. `vignette("neargp")` and the article "Presence,
#' counts and abundance" go from data to a map.
#'
#' @section Options:
#' * `neargp.threads`: number of threads used where the argument `threads` is
#'   not given.
#' * `neargp.device`: `"auto"`, `"cpu"` or `"cuda"`, where the argument `device` is not given; see
#'   [neargp_sitrep()].
#'
#' The environment variable `NEARGP_INSTRUCTION_SET` is for diagnosis only: see
#' [neargp_sitrep()].
#'
#' @section Arguments:
#' Write names of choices, such as `distance = "chordal"`, in lower case as help does. An error
#' lists the valid choices. Numbers, counts and flags are of length one unless help says otherwise.
#'
#' @section Units:
#' Distances are in the units of the coordinates, except for longitude and
#' latitude, where they are kilometres along the chord through the sphere.
#'
#' @section Life cycle:
#' Help pages mark functions and arguments as experimental, which can change in any release. The
#' others are stable: from version 0.1.0 on they keep their names, arguments and defaults, or warn
#' for one release before they change. The article "All features" lists both.
#'
#' @name neargp-package
#' @docType package
#' @keywords internal
#' @useDynLib neargp, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom rlang %||% .data
#' @importFrom stats AIC BIC anova case.names coef confint cooks.distance density deviance
#' @importFrom stats df.residual quantile
#'   dfbeta dfbetas extractAIC family fitted formula hatvalues influence logLik model.frame
#'   model.matrix nobs predict residuals rstandard rstudent sigma simulate terms update
#'   variable.names vcov weights
NULL
