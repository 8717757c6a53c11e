#' Replicates: independent copies of a process
#'
#' @description
#' `by = ~ year` of a [covariance] component, with a factor, gives each year a process of its own.
#' All copies share variance, range and shape.
#'
#' ```r
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300), year = gl(3, 100))
#' d$z <- sin(4 * d$x + as.integer(d$year)) + rnorm(300, sd = 0.1)
#' neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_matern(by = ~ year))
#' ```
#'
#' @details
#' The covariance of two rows is that of the component if they share the level, and 0 otherwise.
#' `cov_matern() + cov_matern(by = ~ year)` is a spatial process plus an independent one for each
#' year, as `spatiotemporal = "iid"` of sdmTMB or `replicate` of INLA. Use [cov_spacetime()] if
#' successive years are alike.
#'
#' Text, `by = ~ factor(year)` and `by = ~ interaction(year, area)` are factors. Logical columns are
#' numbers. Any number of levels is possible.
#'
#' Neighbours are sought within a level if `variance` of this component is the largest, and among
#' all levels otherwise. You should then increase `k`.
#'
#' In the tables of parameters, `range_year` is the range along the numbers of the levels. It is
#' fixed at 0.0001, so that levels are independent. Predictions need the factor and accept levels
#' that no row of the fit contains. Levels that are unknown to the fit are an error.
#'
#' All methods except [dspp()] and [dgp()] support it, also with sf data.
#' [features()][cov_features], `cov_cauchy()` and `cov_wave()` do not. `cov_powered_exponential()`
#' needs a `power` of at least 0.4. [Joint models][joint_models] take one factor.
#' @seealso [varying_coefficients] for numeric columns, [factor_coordinates] for levels that are
#'   alike.
#' @examples
#' # A process of all years and one of each year
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300), year = gl(3, 100, labels = 2021:2023))
#' d$z <- cos(5 * d$y) + 0.5 * sin(4 * d$x + as.integer(d$year)) + rnorm(300, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_matern() + cov_matern(by = ~ year),
#'   method = exact_gp())
#' coef(fit, "covariance")
#' predict(fit, data.frame(x = 0.5, y = 0.5, year = c("2021", "2022", "2023")))
#' @name replicates
NULL

# Independent copies of a component for each level of a factor, `by` of a covariance. The factor
# becomes one more coordinate, the numbers of its levels, also next to the geometry of sf data.
# Other components do not depend on it. Its range is fixed at a ten thousandth of a level. All
# covariances between levels are then 0, and neighbours are sought within a level.

# Covariances that are not 0 at ten thousand ranges. Those of a powered exponential are 0 from a
# power of 0.4: exp(-1e4^0.4) = 5e-18.
slow_families <- c("cauchy", "wave")
least_power_of_copies <- 0.4

# The formulation with each factor among `by` as a coordinate.
with_replicates <- function(given, data) {
  if (is.null(given$covariance)) return(given)
  found <- vapply(given$covariance$components, replicate_of, "", data = data)
  labels <- unique(found[nzchar(found)])
  by_geometry <- is_sf(data) && is.null(given$coords)
  # other values of `coords` are errors of neargp_coordinates
  if (!length(labels) || !(by_geometry || names_coordinates(given$coords))) return(given)
  check_replicates(given, labels)
  given$covariance$components <- Map(as_replicated, given$covariance$components, found)
  if (!by_geometry) given$coords <- with_further_coordinates(given$coords, labels)
  given$replicates <- labels
  given
}

# The label of the factor of a component, "" for none.
replicate_of <- function(component, data) {
  by <- component$local$by
  if (is.null(by)) return("")
  value <- tryCatch(suppressWarnings(eval(by[[2L]], drop_geometry(data), environment(by))),
    error = function(e) NULL)
  if (!is.factor(value) && !is.character(value)) return("")
  expression <- by[[2L]]
  if (is.call(expression) && identical(expression[[1L]], quote(`:`))) {
    abort_neargp("covariance", c(sprintf("`by = ~ %s` of the covariance is an interaction of factors.",
      deparse1(expression)), i = sprintf("Write it as a factor: by = ~ interaction(%s).",
      paste(all.vars(expression), collapse = ", "))))
  }
  deparse1(expression, backtick = TRUE)  # the label that terms() gives the coordinate
}

# The component as its user wrote it.
with_factor_of_replicates <- function(component) {
  if (is.null(component$replicate)) return(component)
  component$local$by <- stats::as.formula(paste("~", component$replicate), globalenv())
  component["replicate"] <- list(NULL)
  component
}

as_replicated <- function(component, label) {
  if (!nzchar(label)) return(component)
  if (component$family %in% slow_families) {
    abort_neargp("covariance", c(
      sprintf("`by` of %s cannot be a factor: its correlation decreases too slowly.",
        covariance_call(component$family)), i = "Use cov_matern() or cov_exponential()."))
  }
  if (is_space_time(component)) {
    abort_neargp("covariance", c("`by` of cov_spacetime() cannot be a factor.",
      i = "Use a numeric or logical column, or cov_matern(by = ) with one distance of space and time."))
  }
  component$local["by"] <- list(NULL)
  if (!any(lengths(component$local[column_kinds]) > 0L)) component["local"] <- list(NULL)
  component$replicate <- label
  component
}

names_coordinates <- function(coords) {
  rlang::is_formula(coords, lhs = FALSE) ||
    (is.character(coords) && length(coords) > 0L && !anyNA(coords) && all(nzchar(coords)))
}

with_further_coordinates <- function(coords, labels) {
  further <- lapply(labels, str2lang)
  if (is.character(coords)) coords <- stats::reformulate(sprintf("`%s`", coords))
  coords[[2L]] <- Reduce(function(sum, term) call("+", sum, term), further, coords[[2L]])
  coords
}

check_replicates <- function(given, labels) {
  refuse <- function(what, hint) {
    abort_neargp("covariance", c(sprintf("`by` of the covariance is the factor `%s`, which is not supported %s.",
      labels[1L], what), i = hint))
  }
  if (!is.null(given$features)) refuse("with features()", "Use the factor as a predictor.")
  if (!is.null(given$support)) refuse("with a support", "Leave `by` out.")
  again <- if (rlang::is_formula(given$coords)) intersect(labels, summands(given$coords[[2L]]))
  if (length(again)) {
    abort_neargp("coordinates", c(sprintf("`%s` is among `coords` and `by` of the covariance.", again[1L]),
      i = "Leave it out of `coords`."))
  }
}

# The least shape that is searched for a component.
least_shape <- function(group) {
  if (is_powered_copy(group)) least_power_of_copies else family_shape(group$family)$lower
}

is_powered_copy <- function(group) {
  isTRUE(group$replicate) && group$family == "powered_exponential"
}

check_independent_copies <- function(problem) {
  copies <- which(vapply(problem$groups, is_powered_copy, NA))
  power <- problem$layout$value[component_rows(problem$layout, copies, "shape")]
  if (!any(power < least_power_of_copies, na.rm = TRUE)) return(invisible())
  abort_neargp("covariance", c(
    sprintf("`power` of cov_powered_exponential() with a factor as `by` must be at least %g, not %g.",
      least_power_of_copies, min(power, na.rm = TRUE)),
    i = "The correlation with a smaller power decreases too slowly for independent levels."))
}
