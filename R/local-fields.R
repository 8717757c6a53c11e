#' Non-stationary covariance
#'
#' @description
#' `sd = ~ covariates` and `range = ~ covariates` of a [covariance] let the standard deviation and
#' the range of the process vary in space. Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326, covariance = cov_exponential(range = ~ elevation), method = vecchia(k = 15))
#' ```
#'
#' @details
#' The covariates are columns of the data, or a small spatial basis such as `sd = ~ bumps(4)`, see
#' [bumps()]. At location `i`, the variance of the process is `variance * exp(2 * s[i])` and its
#' ranges are `range * exp(l[i])`, where `s` and `l` are linear in the covariates. With `a = exp(2 *
#' l)` and `m = (a[i] + a[j]) / 2`, the covariance of two locations is `variance * exp(s[i] +
#' s[j]) * (exp(l[i] + l[j]) / m)^(D / 2) * correlation(r / sqrt(m))` (Paciorek and Schervish 2006).
#' `D` counts all coordinates: three for the sphere, times, and those of `warp`. All ranges change
#' by the same factor. In [cov_spacetime()], these are the coordinates and ranges of space alone.
#'
#' Covariates are centred and scaled. `variance` and `range` are therefore those at the mean of the
#' covariates. A coefficient `log_sd:<covariate>` or `log_range:<covariate>` is the change of the
#' logarithm per standard deviation of the covariate. Without an intercept, coefficients of 0 mean a
#' stationary covariance.
#'
#' You should check by [cross_validate()] with `refit = TRUE` whether `sd`, `range` or `warp`
#' improve predictions. Without `refit`, the coefficients are learned from all observations, which
#' favours the local covariance. [anova()][anova.neargp] returns no p-value for them, and AIC
#' ignores the penalty.
#'
#' Predictions need the covariates. Beyond the data, [bumps()] keep their value at the edge, and
#' other covariates extrapolate exponentially. Neighbours, [covariance_value()], the fitted
#' variogram and the effective range use the covariates at their mean, and slopes of 1 for
#' [monotone()]. The nugget is constant, see [noise] for models of it.
#'
#' Methods: [vecchia()], [loo_k()] and [mll_k()] with Gaussian responses, [exact_gp()], and
#' [vnngp()] with any family, on the CPU. Inducing points, Adam, several responses and data read in
#' chunks are not supported. In a sum, each component can use its own formulas. `na.action` handles
#' missing covariates.
#' @references Paciorek, C. J. and Schervish, M. J. (2006). Spatial modelling using a new class of
#'   nonstationary covariance functions. *Environmetrics* 17, 483–506.
#' @seealso [local_scales()] for the local range and standard deviation, `plot(fit, "range")` and
#'   `plot(fit, "sd")` for maps, [expand()] and [monotone()] for warps.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Precipitation varies more, or over other distances, in the mountains
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 15), covariance = cov_exponential(sd = ~ elevation, range = ~ elevation))
#' fit
#' local_scales(fit, data.frame(lon = -105, lat = 40, elevation = c(1500, 3500)))
#' plot(fit, "sd", newdata = stations)
#'
#' # Compare with the stationary covariance: every fold estimates all parameters
#' fits <- list(local = fit, stationary = update(fit, covariance = cov_exponential()))
#' set.seed(1)
#' cross_validate(fits, folds = 3, refit = TRUE)
#' @name nonstationary_covariance
NULL

# Fields whose standard deviation and range vary with location. Both are log-linear in covariates of
# the data or in a small basis of location, given by the formulas `sd` and `range` of a covariance.
# A local field is a recipe in the locations of a fit. It describes how to make the columns of
# covariates from a data set, standardised by the mean and standard deviation of the rows of the
# fit. These columns always follow the coordinates of space and time in the same matrix, where the
# core reads a row's covariates next to its coordinates.
#
# The same list of recipes makes the columns of warped coordinates (warp.R). It also makes the
# columns that components are multiplied by, see varying-coefficients.R. These take no coefficients.

local_kinds <- c("log_sd", "log_range", "monotone", "expand")
column_kinds <- c(local_kinds, "by")

has_local_fields <- function(covariance) {
  any(vapply(covariance$components, function(x) any(lengths(x$local[column_kinds]) > 0L), NA))
}

# The settings of a component: formulas whose bumps(4) are of the coordinates of space.
new_local_settings <- function(sd, range, warp, penalty, by) {
  penalty <- check_number(penalty, "penalty", 0, null_ok = TRUE)
  by <- list(by = check_local_formula(by, "by"))
  sd <- check_local_formula(sd, "sd")
  range <- check_local_formula(range, "range")
  warp <- check_warp(warp)
  has_network <- "mlp" %in% names(warp)
  if (!is.null(sd) || !is.null(range) || (length(warp) && !has_network) ||
      (has_network && is.null(penalty))) {
    return(c(list(log_sd = sd, log_range = range, penalty = penalty), warp, by))
  }
  if (is.null(penalty)) return(if (!is.null(by$by)) by)
  abort_neargp("argument",
    c("`penalty` is one of the coefficients of `sd = ~`, `range = ~` and `warp = `, and none is given.",
      i = if (has_network) "Use mlp(decay = ) for the weights of a network." else
        "Leave `penalty` out, or give a local field: range = ~ bumps(4)."))
}

check_local_formula <- function(formula, name) {
  if (is.null(formula)) return(NULL)
  if (!rlang::is_formula(formula) || length(formula) != 2L) {
    wanted <- paste("a one-sided formula such as ~ elevation", if (name != "by") "or ~ bumps(4)")
    wanted <- trimws(wanted)
    if (!rlang::is_formula(formula)) abort_argument(name, wanted, formula)
    abort_neargp("argument", sprintf("`%s` must be %s, not `%s`.", name, wanted, deparse1(formula)))
  }
  if ("." %in% all.vars(formula)) {
    abort_neargp("argument", sprintf("`%s` must name its covariates: a dot is not one.", name))
  }
  formula
}

local_lines <- function(component) {
  shown <- c(log_sd = "sd times exp of  ", log_range = "range times exp of")
  kinds <- intersect(names(shown), names(Filter(Negate(is.null), component$local)))
  c(if (!is.null(component$local$by)) sprintf("  times %s\n", by_label(component)),
    if (length(kinds)) sprintf("  %s %s\n", shown[kinds], vapply(component$local[kinds], deparse1,
    "")), sprintf("  warped by  %s\n",
      vapply(component$local[intersect(names(warp_descriptions), names(component$local))],
        describe_warp, "")))
}

local_formulas <- function(covariance) {
  unlist(lapply(covariance$components, function(x) {
    Filter(Negate(is.null), list(log_sd = x$local$log_sd, log_range = x$local$log_range,
      expand = x$local$expand$formula, by = x$local$by))
  }))
}

local_variables <- function(covariance) unique(unlist(lapply(local_formulas(covariance), all.vars)))

# Embedded coordinates of rows, then the columns that linear terms of features are multiplied by,
# and the covariates of local fields. `data` holds predictors and covariates. `lacking`: what lacks
# them, for an error.
embed_coordinates <- function(raw, locations, argument = "data", data = NULL,
                              lacking = paste0("`", argument, "`")) {
  if (!is.null(locations$network)) {
    inputs <- embed_coordinates(raw, locations$inputs, argument, data, lacking)
    return(network_coordinates(inputs, locations$network))
  }
  places <- with_own_support(embed_places(raw, locations, argument), locations)
  if (!is.null(data)) data <- drop_geometry(data)
  if (!is.null(locations$features)) {
    places <- with_feature_columns(places, locations, data, argument, lacking)
  }
  if (!is.null(locations$linear)) places <- with_linear_columns(places, locations)
  if (is.null(locations$local)) return(places)
  cbind(places, local_columns(locations, data, raw, lacking))
}

# Refuses new rows: squares of local ranges overflow beyond exp(354), and of columns beyond 1e154.
check_local_columns <- function(fit, coords, rows, most = 300, largest = 1e100) {
  for (recipe in fit$locations$local) {
    check_design_finite(stats::setNames(list(coords[, recipe$columns, drop = FALSE]),
      recipe$kind), rows)
  }
  for (recipe in by_recipes(fit$locations)) {
    far <- which(abs(coords[, recipe$columns]) > largest)
    if (length(far)) {
      abort_neargp("newdata", sprintf("`%s` in %s of `newdata` is far larger than any in the fit.",
        recipe$names, format_rows(rows[far])))
    }
  }
  for (recipe in recipes_of(fit$locations, seq_along(fit$covariance$components),
      c("log_sd", "log_range"))) {
    own <- component_rows(fit$layout, recipe$component, recipe$kind)
    values <- drop(coords[, recipe$columns, drop = FALSE] %*% fit$parameters$estimate[own])
    far <- which(abs(values) > most)
    if (length(far)) {
      abort_neargp("newdata",
        c(sprintf("The %s of the covariance is multiplied by exp(%s) in %s of `newdata`.",
          if (recipe$kind == "log_sd") "standard deviation" else "range",
          format(signif(values[far[1L]], 2L)), format_rows(rows[far])),
          i = "The covariates there are far outside the data of the fit."))
    }
  }
}

# ---- what cannot carry them ----------------------------------------------------------------------

refuse_local_fields <- function(what, hint) {
  abort_neargp("local",
    c(sprintf("`sd = ~`, `range = ~`, `warp = ` and `by = ~` of a covariance are not supported %s.",
      what),
      i = hint))
}

check_local_fields <- function(settings, source, data) {
  if (is.null(settings$covariance) || !has_local_fields(settings$covariance)) return(invisible())
  refuse <- refuse_local_fields
  method <- settings$method
  able <- sprintf("They are available for %s.", able_methods("local_fields"))
  if (!has_ability(method, "local_fields", stats::gaussian())) {
    refuse(sprintf("by %s", method$label), able)
  }
  if (has_latent_low_rank(method)) {
    refuse("with a low-rank part", "Leave `low_rank` of vnngp() out.")
  }
  if (identical(method$optimizer, "adam")) {
    refuse("with optimizer = \"adam\"", "The default optimiser of the method finds them.")
  }
  if (!is.null(method$inducing)) {
    refuse("with fewer inducing points than locations", "Leave `inducing` out.")
  }
  check_local_family(settings)
  if (!is.null(source)) {
    refuse("for rows that are read in pieces", "Fit them to a sample of the rows in memory.")
  }
  if (settings$device == "cuda") refuse("on a GPU", "Use device = \"cpu\" or \"auto\".")
  wanted <- setdiff(local_variables(settings$covariance), if (is_sf(data)) c("x", "y"))
  if (length(wanted)) {
    check_columns_present(wanted, data, "data",
      environment(local_formulas(settings$covariance)[[1L]]))
  }
}

# Family and method of classes are known with the response only: asked again then.
check_local_family <- function(settings) {
  if (is.null(settings$covariance) || !has_local_fields(settings$covariance) ||
      has_ability(settings$method, "local_fields", settings$family)) {
    return(invisible())
  }
  refuse_local_fields(
    sprintf("by %s of %s response", method_call(settings$method), with_article(settings$family)),
    if (settings$family$family == "categorical") {
      "vnngp() fits them to two classes: a response of one class against the others, with family = binomial()."
    } else {
      "vnngp() fits them, other families included."
    })
}

# With the response as a covariate, rows of similar responses would be near each other, and the
# response of a row to predict is unknown. `local`: formulas of covariates of rows, by name.
check_response_no_covariate <- function(formula, data, local) {
  response <- intersect(all.vars(formula[[2L]]), names(data))
  argument <- c(log_sd = "sd", log_range = "range", expand = "warp", by = "by", noise = "nugget")
  for (j in seq_along(local)) {
    both <- intersect(all.vars(local[[j]]), response)
    if (length(both)) {
      name <- names(local)[j]
      abort_neargp("local", c(
        sprintf("The response `%s` cannot be a covariate of `%s`.", both[1L],
          if (name %in% names(argument)) argument[[name]] else name),
        i = "Covariates must be known where predictions are wanted."))
    }
  }
}

# ---- parameters ----------------------------------------------------------------------------------

recipes_of <- function(locations, component, kind = local_kinds) {
  Filter(function(recipe) recipe$component %in% component && recipe$kind %in% kind, locations$local)
}

local_layout <- function(locations, component) {
  lapply(recipes_of(locations, component), function(recipe) {
    names <- if (recipe$kind %in% warp_kinds) warp_parameter_names(recipe) else
      paste0(recipe$kind, ":", recipe$names)
    rows <- layout_rows(names, recipe$kind, "identity")
    rows$penalty <- recipe$penalty
    rows
  })
}

# The column numbers of a component's local fields in the matrix of coordinates, and its warped
# coordinates.
local_groups <- function(locations, number, component = NULL) {
  columns <- function(kind) {
    as.integer(unlist(lapply(recipes_of(locations, number, kind), `[[`, "columns")))
  }
  list(log_sd = columns("log_sd"), log_range = columns("log_range"),
    warps = warp_groups(locations, number),
    by = c(columns("by"), feature_column(component, locations),
      if (is_linear(component)) linear_column(locations)))
}

# The core's fields of a component; `take` gives its values of a kind.
core_local_fields <- function(group, take) {
  kinds <- Filter(function(kind) length(group$local[[kind]]) > 0L, c("log_sd", "log_range"))
  fields <- stats::setNames(lapply(kinds, function(kind) list(columns = group$local[[kind]],
    coefficients = take(kind))), kinds)
  c(fields, if (length(group$local$warps)) list(warps = core_warps(group$local$warps, take)),
    if (length(group$local$by)) list(by = group$local$by))
}

# ---- fitting -------------------------------------------------------------------------------------

# The method that fits the stationary covariance.
stationary_method <- function(method, problem) {
  UseMethod("stationary_method")
}

#' @export
stationary_method.default <- function(method, problem) method
