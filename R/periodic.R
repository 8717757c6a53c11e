#' Periodic covariance
#'
#' @description
#' `cov_periodic()` is the covariance of a process that repeats after a fixed period along one
#' coordinate, for example a season or a time of day.
#'
#' ```r
#' neargp(log(co2) ~ year, data.frame(co2 = c(co2), year = c(time(co2))), coords = ~ year,
#'   covariance = cov_matern() + cov_periodic(period = 1))
#' ```
#'
#' @details
#' The covariance at the difference `t` along the coordinate is `variance * exp(-2 * sin(pi * t /
#' period)^2 / lengthscale^2)`, as in scikit-learn and brms. Add it to a [covariance] for all other
#' variation. For a season that differs between locations, use it as `time` of a separable
#' [cov_spacetime()].
#'
#' Alone, it is supported by [exact_gp()] and [vecchia()]. Neighbours are the nearest in time, so
#' use `exact_gp()` or [svgp()] if a period contains many observations. Several responses, areas
#' and rows that are read in pieces are not supported.
#'
#' @param period a positive number, the period in units of the coordinate (days for dates). It is
#'   not estimated.
#' @param coordinate the name of a coordinate. Default `NULL`: the time, or the only coordinate.
#' @param lengthscale a positive number without unit. Above 1, the shape is nearly a sine. Small
#'   values allow sharp peaks. Default `NULL`: estimated.
#' @param variance a positive number, in squared units of the response. Default `NULL`: estimated.
#' @param start a list of starting values, `list(lengthscale = )`. Default: from the data.
#' @return A `neargp_covariance` for the argument `covariance` of [neargp()].
#' @references MacKay, D. J. C. (1998). Introduction to Gaussian processes. *NATO ASI Series F* 168.
#' @seealso [covariance], [cov_spacetime()]
#' @examples
#' # Monthly carbon dioxide: a trend, a season and slow changes
#' months <- data.frame(co2 = c(co2), year = c(time(co2)))
#' fit <- neargp(co2 ~ year, months, coords = ~ year, method = exact_gp(),
#'   covariance = cov_matern() + cov_periodic(period = 1))
#' coef(fit, what = "covariance")
#' predict(fit, data.frame(year = 1998 + 0:3 / 4))
#'
#' # A season whose shape changes slowly in space
#' cov_spacetime(cov_matern(), time = cov_periodic(period = 12), model = "separable")
#' @export
cov_periodic <- function(period, coordinate = NULL, lengthscale = NULL, variance = NULL,
                         start = list()) {
  check_given(missing(period), "period", "a positive number in units of the coordinate")
  period <- check_number(period, "period", 0, open = TRUE)
  if (!is.null(coordinate) && !rlang::is_string(coordinate)) {
    abort_argument("coordinate", "the name of a coordinate or NULL", coordinate)
  }
  if ("range" %in% names(start)) {
    abort_neargp("argument", "`start` of cov_periodic() cannot contain a range: the period is fixed.")
  }
  made <- new_covariance("periodic", check_shape(lengthscale, "periodic"), variance, period, FALSE,
    FALSE, start)
  made$components[[1L]]["coordinate"] <- list(coordinate)
  made
}

# Names the coordinate of each periodic component, and puts these components last: searches and
# starting values read the ranges of the first one.
settle_periodic <- function(settings, rows, data) {
  covariance <- settings$covariance
  if (!has_periodic(covariance)) return(covariance)
  own <- vapply(covariance$components, is_periodic, NA)
  covariance$components[own] <- lapply(covariance$components[own], function(component) {
    component$coordinate <- periodic_coordinate(component$coordinate, rows$locations)
    component
  })
  settle_last(covariance, own, settings, rows, data, "cov_periodic()",
    "Add another covariance: cov_matern() + cov_periodic().")
}

# Zonal components come last as well.
settle_zonal <- function(settings, rows, data) {
  covariance <- settings$covariance
  if (!has_zonal(covariance)) return(covariance)
  own <- vapply(covariance$components, is_zonal, NA)
  settle_last(covariance, own, settings, rows, data, "`range = Inf`",
    "Add another covariance: cov_matern() + cov_matern(range = c(x = Inf, y = NA)).")
}

# The covariance with components that do not depend on some coordinates at its end. Numbers in the
# names of `fixed` are those of the user's order.
settle_last <- function(covariance, own, settings, rows, data, name, alone) {
  check_beside_coordinates(settings, own, rows, data, name, alone)
  if (is.unsorted(own) && any(grepl("_[0-9]+$", names(settings$fixed)))) {
    abort_neargp("argument", c(
      sprintf("`fixed` numbers components, and the one of %s is not the last one.", name),
      i = "Write it last in `covariance`, and number the components in that order."))
  }
  covariance$components <- covariance$components[order(own)]
  covariance
}

# Components that do not depend on some coordinates. `own`: which they are; `name`: what they are
# called; `alone`: the hint where there is no other.
check_beside_coordinates <- function(settings, own, rows, data, name, alone) {
  refuse <- function(what, hint) {
    abort_neargp("covariance", c(sprintf("%s is not supported %s.", name, what), i = hint))
  }
  if (!is.null(rows$stream)) {
    refuse("for rows that are read in pieces", "Give the rows as a data frame.")
  }
  if (!is.null(rows$areal)) refuse("for areas", "Leave it out.")
  if (!is.null(data$output)) refuse("for several responses", "Fit the responses one by one.")
  if (has_network(settings$covariance)) refuse("with `warp = mlp()`", "Leave `warp` out.")
  able <- has_ability(settings$method, "linear", settings$family) &&
    has_ability(settings$method, "singular_field", settings$family)
  if (all(own) && !able) {
    refuse(sprintf("alone by %s", method_call(settings$method)), alone)
  }
}

periodic_coordinate <- function(coordinate, locations) {
  kinds <- locations$kind[locations$block]
  known <- setdiff(unique(locations$embedded_names[kinds %in% c("number", "time")]), "longlat")
  coordinate <- coordinate %||% locations$time %||% (if (length(known) == 1L) known)
  if (!is.null(coordinate) && coordinate %in% known) return(coordinate)
  abort_neargp("covariance", c(
    if (is.null(coordinate)) "cov_periodic() needs the name of its coordinate." else
      sprintf("cov_periodic() names \"%s\", which is not a numeric coordinate.", coordinate),
    i = if (length(known)) sprintf("Use cov_periodic(coordinate = ) with one of %s.",
      format_some(known)) else "Add a time: neargp(time = ~ day)."))
}
