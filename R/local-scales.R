#' Local range and standard deviation
#'
#' @description
#' Returns the range and the standard deviation of the process at each location, for a [covariance]
#' with `range = ~` or `sd = ~`.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 10), covariance = cov_matern(range = ~ elevation))
#' local_scales(fit, data.frame(lon = -105, lat = 40, elevation = c(1500, 3500)))
#' ```
#'
#' @param object a fit by [neargp()].
#' @param newdata locations as for [predict()][predict.neargp]. Default `NULL`: the observations.
#' @param component the number of the component in a sum of covariances. Default: 1. Maps show the
#'   first local component.
#' @return A data frame with a row for each row of `newdata`: `range` (the first one, or that of the
#'   major axis), `log_range_error`, `sd` and `log_sd_error`. The errors are standard errors of the
#'   logarithms by the delta method, and `NA` for fits without standard errors, for example by
#'   [loo_k()]. Missing values return `NA`. Beyond the data, [bumps()] keep their value at the edge.
#' @seealso `plot(fit, "range")` and `plot(fit, "sd")` for maps, [nonstationary_covariance].
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300))
#' d$z <- sin(3 / (0.1 + d$x)) + rnorm(300, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10),
#'   covariance = cov_matern(range = ~ x))
#' local_scales(fit, data.frame(x = c(0.1, 0.9), y = 0.5))
#' @export
local_scales <- function(object, newdata = NULL, component = 1L) {
  check_required()
  check_fit(object)
  if (!has_local_scales(object)) {
    abort_neargp("local",
      c("Range and standard deviation of the fit's covariance are the same everywhere.",
        i = "`range = ~` and `sd = ~` of a covariance make it local."))
  }
  check_component(component, length(object$covariance$components))
  if (is.null(newdata)) return(local_scales_at(object, object$data$coords, component))
  target <- new_target(object, newdata, "process")
  as.data.frame(spread_over_rows(local_scales_at(object, target$coords, component),
    target$complete), optional = TRUE)
}

has_local_scales <- function(fit) {
  any(c("log_sd", "log_range") %in% vapply(fit$locations$local, `[[`, "", "kind"))
}

check_component <- function(component, count) {
  if (count > 1L || is.numeric(component) && identical(as.double(component), 1)) {
    return(check_count(component, "component", upper = count))
  }
  abort_neargp("argument",
    c("`component` must be 1: the covariance of the fit is a single component.",
      i = "Leave `component` out."))
}

# Scales at coordinates with their covariates. The logarithms are linear in the parameters on the
# interval scale, of which that of the standard deviation has half of the log variance.
local_scales_at <- function(fit, coords, component) {
  log_range <- local_logarithm(fit, coords, component, "log_range")
  log_sd <- local_logarithm(fit, coords, component, "log_sd")
  data.frame(range = exp(log_range$value), log_range_error = log_range$error,
    sd = exp(log_sd$value), log_sd_error = log_sd$error)
}

local_logarithm <- function(fit, coords, component, kind) {
  layout <- fit$layout
  base <- c(log_range = "range", log_sd = "variance")[[kind]]
  first <- component_rows(layout, component, base)[1L]
  rows <- c(first, component_rows(layout, component, kind))
  design <- cbind(rep(if (base == "variance") 0.5 else 1, nrow(coords)),
    coords[, local_groups(fit$locations, component)[[kind]], drop = FALSE])
  estimate <- c(log(fit$parameters$estimate[first]), fit$parameters$estimate[rows[-1L]])
  known <- layout$fixed[rows]
  vcov <- fit$interval_vcov[rows, rows, drop = FALSE]
  vcov[known, ] <- 0
  vcov[, known] <- 0
  list(value = drop(design %*% estimate), error = sqrt(rowSums((design %*% vcov) * design)))
}
