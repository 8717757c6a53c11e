#' Warped coordinates of a fit
#'
#' @description
#' Returns the coordinates that [expand()] or [monotone()] learned, with standard errors by the
#' delta method, or the features of the network of [mlp()].
#'
#' ```r
#' set.seed(1)
#' d <- data.frame(x = runif(200), depth = rexp(200))
#' d$z <- sin(5 * d$x + 3 * sqrt(d$depth)) + rnorm(200, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + depth, method = vecchia(k = 10),
#'   covariance = cov_matern(warp = monotone(~ depth), ard = TRUE))
#' head(warped_coordinates(fit), 3)
#' ```
#'
#' @param object a fit by [neargp()] whose [covariance] uses a `warp`.
#' @param newdata locations as for [predict()][predict.neargp]. Default `NULL`: the observations.
#' @param component the number of the component in a sum of covariances. Default `NULL`: the first
#'   one with a warp.
#' @return A data frame with a row for each row of `newdata`. For `monotone(~ depth)` it contains
#'   `depth`, the warped coordinate in its own unit, which equals the coordinate at its minimum.
#'   `depth_error` is the standard error of its distance from there, and `depth_slope` the slope.
#'   For [expand()] it contains `warp1`, `warp1_error` and so on, in units of the coordinates, with
#'   the mean 0 over the observations. Errors are `NA` for fits without standard errors, for example
#'   by [loo_k()]. For [mlp()] it contains the features `warp1`, `warp2` and so on, without errors.
#'   Missing values return `NA`.
#' @seealso `plot(fit, "warp")`, [expand()], [mlp()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(300), depth = rexp(300))
#' d$z <- sin(5 * d$x + 3 * sqrt(d$depth)) + rnorm(300, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + depth, method = vecchia(k = 10),
#'   covariance = cov_matern(warp = monotone(~ depth), ard = TRUE))
#' warped_coordinates(fit, data.frame(x = 0.5, depth = c(0, 0.1, 1, 2)))
#' @export
warped_coordinates <- function(object, newdata = NULL, component = NULL) {
  check_required()
  check_fit(object)
  if (!is.null(object$locations$network)) return(network_features(object, newdata))
  if (!is_warped(object)) {
    abort_neargp("local",
      c("The covariance of the fit does not include a `warp`.", i = "expand() and monotone() make one."))
  }
  component <- if (is.null(component)) warped_component(object) else check_component(component,
    length(object$covariance$components))
  if (!length(object$core_covariance$components[[component]]$warps)) {
    abort_neargp("local", sprintf("Component %d of the covariance does not include a `warp`.", component))
  }
  if (is.null(newdata)) return(warp_table(warped_at(object, object$data$coords, component)))
  target <- new_target(object, newdata, "process")
  as.data.frame(spread_over_rows(warp_table(warped_at(object, target$coords, component)),
    target$complete), optional = TRUE)
}

# The outputs of mlp().
network_features <- function(object, newdata) {
  named <- function(coords) position_frame(coords, object$locations)
  if (is.null(newdata)) return(named(object$data$coords))
  target <- new_target(object, newdata, "process")
  as.data.frame(spread_over_rows(named(target$coords), target$complete), optional = TRUE)
}

warped_component <- function(fit) {
  Filter(function(recipe) recipe$kind %in% warp_kinds, fit$locations$local)[[1L]]$component
}

warp_table <- function(warps) {
  columns <- lapply(warps, function(warp) {
    named <- stats::setNames(list(warp$value, warp$error), paste0(warp$name, c("", "_error")))
    if (warp$kind == "monotone") named[[paste0(warp$name, "_slope")]] <- warp$slope
    named
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}

# Values and errors of a component's warped coordinates at coordinates with their columns: linear
# in w of src/core/covariance/warp.h.
warped_at <- function(fit, coords, component) {
  rows <- list(monotone = component_rows(fit$layout, component, "monotone"),
    expand = component_rows(fit$layout, component, "expand"))
  recipes <- recipes_of(fit$locations, component, warp_kinds)
  unlist(lapply(recipes, function(recipe) {
    columns <- coords[, recipe$columns, drop = FALSE]
    lapply(seq_len(recipe$q %||% 1L), function(q) {
      own <- rows[[recipe$kind]][seq_along(recipe$columns)]
      rows[[recipe$kind]] <<- setdiff(rows[[recipe$kind]], own)
      coefficients <- fit$parameters$estimate[own]
      weights <- if (recipe$kind == "monotone") exp(coefficients) else coefficients
      slopes <- if (recipe$kind == "monotone") weights else rep(1, length(weights))
      weighted <- sweep(columns, 2L, slopes, "*")
      value <- drop(columns %*% weights)
      error <- sqrt(pmax(rowSums((weighted %*% fit$interval_vcov[own, own,
        drop = FALSE]) * weighted), 0))
      if (recipe$kind == "expand") return(list(kind = "expand", name = paste0("warp", q),
        value = value, error = error))
      original <- coords[, recipe$coordinate]
      list(kind = "monotone", name = recipe$coordinate_name, original = original,
        value = (recipe$origin %||% recipe$knots[1L]) + value, error = error,
        slope = drop(hat_values(original, recipe$knots) %*% weights), log_slopes = coefficients)
    })
  }), recursive = FALSE)
}

# Hat functions of knots, constant beyond them.
hat_values <- function(x, knots) {
  values <- lapply(seq_along(knots),
    function(m) stats::approx(knots, as.double(seq_along(knots) == m), x, rule = 2L)$y)
  do.call(cbind, values)
}

first_range <- function(fit, component) fit$core_covariance$components[[component]]$range[1L]
