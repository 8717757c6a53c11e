#' Linear covariance
#'
#' @description
#' `cov_linear()` is the covariance of a random linear function of the coordinates, as in ridge
#' regression. Add it to another [covariance] for a smooth process about a linear trend.
#' Experimental.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ elevation + lat,
#'   distance = "euclidean", covariance = cov_matern() + cov_linear(), method = exact_gp())
#' ```
#'
#' @details
#' The covariance of two locations is `variance * sum((x1 - center) * (x2 - center))`, summed over
#' the numeric coordinates. `center` is the mean of the fitted rows. Each slope is normal with mean
#' 0 and this variance, so standardise coordinates with different units. Alone, it is ridge
#' regression with the penalty `nugget / variance`. For a few coordinates, use a trend instead: `y ~
#' x1 + x2`.
#'
#' Methods: [exact_gp()], [vecchia()], [vnngp()] without `inducing` and `low_rank`, and [swsgp()]
#' with `select = "random", move = FALSE`. The last two need another component as well.
#'
#' A few neighbours contain little information about slopes, so `vecchia()` is less accurate if the
#' nugget is large.
#'
#' Not supported: [features()][cov_features], several responses, areas, warps, the sphere, data read
#' in chunks, and GPUs.
#'
#' @param variance the variance of the slopes, a positive number in squared units of the response
#'   per squared unit of the coordinates. Default `NULL`: estimated.
#' @param start a list with a starting value, `list(variance = )`. Default: from the data.
#' @return A `neargp_covariance` for the argument `covariance` of [neargp()].
#' @seealso [covariance], [cov_features()] for linear and smooth terms of many predictors,
#'   [varying_coefficients] for slopes that change in space.
#' @examples
#' # Ridge regression: four predictors and their shrunken slopes
#' cars <- data.frame(mpg = mtcars$mpg, scale(mtcars[c("disp", "hp", "wt", "qsec")]))
#' fit <- neargp(mpg ~ 1, cars, coords = ~ disp + hp + wt + qsec, distance = "euclidean",
#'   covariance = cov_linear(), method = exact_gp())
#' fit
#' predict(fit, data.frame(disp = 0, hp = 0, wt = 0:1, qsec = 0))
#'
#' # A smooth process about the linear function
#' update(fit, covariance = cov_matern() + cov_linear())
#' @export
cov_linear <- function(variance = NULL, start = list()) {
  made <- new_covariance("cosine", NULL, variance, NULL, FALSE, FALSE, start)
  made$components[[1L]]$linear <- TRUE
  made
}

check_linear_possible <- function(settings, rows) {
  covariance <- settings$covariance
  if (is.null(covariance) || !has_linear(covariance)) return(invisible())
  if (!is.null(rows$features) || has_features(covariance)) {
    refuse_linear("with features()", "features() contains linear terms of its predictors.")
  }
  if (!is.null(rows$areal)) refuse_linear("for areas")
  if (!is.null(rows$source)) refuse_linear("for data that are read in pieces")
  if (!is.null(dim(stats::model.response(rows$frame)))) refuse_linear("for several responses")
  if (settings$device == "cuda") refuse_linear("on a GPU", "Use device = \"cpu\" or \"auto\".")
  check_linear_locations(covariance, rows$locations)
  if (!has_ability(settings$method, "linear", settings$family)) {
    refuse_linear(sprintf("by %s", method_call(settings$method)))
  }
  alone <- all(vapply(covariance$components, is_linear, NA))
  if (alone && !has_ability(settings$method, "singular_field", settings$family)) {
    refuse_linear(sprintf("alone by %s", method_call(settings$method)),
      "Add another covariance: cov_matern() + cov_linear().")
  }
}

check_linear_locations <- function(covariance, locations) {
  if (locations$metric == "longlat") {
    refuse_linear("on the sphere", "Use distance = \"euclidean\", or project the locations.")
  }
  if (!any(locations$kind == "number")) refuse_linear("without numeric coordinates")
  warped <- vapply(covariance$components,
    function(component) any(warp_kinds %in% names(component$local)), NA)
  if (any(warped)) refuse_linear("with `warp`", "Leave `warp` out.")
}

refuse_linear <- function(what, hint = NULL) {
  hint <- hint %||% sprintf("It is available for one response of rows in memory, by %s.",
    able_methods("linear"))
  abort_neargp("covariance", c(sprintf("cov_linear() is not supported %s.", what), i = hint))
}

# ---- print() -------------------------------------------------------------------------------------

linear_remark <- function(fit) {
  rows <- which(fit$layout$kind == "variance")
  own <- rows[vapply(fit$covariance$components, is_linear, NA)]
  if (!length(own)) return(NULL)
  sprintf("%s is the variance of slopes, per squared unit of the coordinates.",
    paste(fit$layout$name[own], collapse = " and "))
}
