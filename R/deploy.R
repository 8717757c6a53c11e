#' A small copy of a fit that only predicts
#'
#' @description
#' `deploy()` leaves out everything that predictions do not need. [predict()] returns the same
#' numbers, to the last bit.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' small <- deploy(fit)
#' predict(small, data.frame(lon = -105, lat = 39.7))
#' ```
#'
#' @details
#' Predictions from neighbours condition on the observations, so these stay, packed without loss.
#' The copy typically takes half the memory. Fits by [svgp()], and by [loo_k()] for other families,
#' keep at most 1,000 rows. Data in the environment of the formula are left out, and its functions
#' stay.
#'
#' Save the copy by [saveRDS()]. Everything except predictions needs the fit.
#'
#' @section Format:
#' The copy is a list of plain R objects:
#'
#' * `format` is 1, and `version` the version of neargp.
#' * `class` and `model` are the class and the elements of the fit, with `NA` in place of `rows`.
#' * `rows` is a list of packed vectors and matrices, named by their path in the fit, such as
#'   `data$y`. A vector is a list of its `length` and one `value`, integers `whole`, `values` with
#'   an integer `code`, or the numbers `plain`. A matrix is a list of `columns`, `dim` and
#'   `dimnames`.
#' * `cache` is empty in files.
#' @param fit a fit by [neargp()] with its rows in memory.
#' @param object,x the result of `deploy()`.
#' @param newdata,... see [predict.neargp()].
#' @return A list of class `neargp_deployed`.
#' @examples
#' cells <- land_temperature()
#' fit <- neargp(temperature ~ 1, cells[!cells$held_out, ], coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 20))
#' small <- deploy(fit)
#' c(fit = object.size(fit), small = object.size(small)) / 1000
#' new <- cells[cells$held_out, ]
#' identical(predict(small, new), predict(fit, new))
#' @export
deploy <- function(fit) {
  check_required()
  check_class(fit, "fit", "neargp", "a fit of neargp()")
  check_fit(fit)
  if (is_streamed(fit)) {
    abort_neargp("method", c("A fit whose rows are not in memory cannot be deployed.",
      i = "Save it by saveRDS(): it contains few rows."))
  }
  fit <- with_lean_environments(without_unused_rows(fit))
  fit["cache"] <- list(NULL)
  long <- long_elements(fit)
  rows <- stats::setNames(lapply(long, function(path) pack(fit[[path]])),
    vapply(long, paste, "", collapse = "$"))
  for (path in long) fit[[path]] <- NA
  structure(list(format = deployed_format, version = package_version_text(),
    class = class(fit), model = unclass(fit), rows = rows, cache = core_new_cache()),
    class = "neargp_deployed")
}

deployed_format <- 1L

#' @rdname deploy
#' @export
predict.neargp_deployed <- function(object, newdata, ...) {
  fit <- deployed_fit(object)
  if (!missing(newdata) && is_areas(newdata)) check_areas_of_all_rows(fit)
  stats::predict(fit, newdata, ...)
}

# The points that represent an area are as dense as the data.
check_areas_of_all_rows <- function(fit) {
  if (length(fit$data$y) >= fit$n_given - fit$n_dropped) return(invisible())
  abort_neargp("method", c("This deployed fit does not predict areas, since it keeps few rows.",
    i = "Use the fit itself, or predict points."))
}

#' @rdname deploy
#' @export
print.neargp_deployed <- function(x, ...) {
  check_no_more_arguments()
  cat(sprintf("A fit that only predicts: %s\nFormula: %s\nMade by neargp %s, %s kB\n",
    x$model$method$label, deparse1(stats::formula(x$model$terms)), x$version,
    format_count(round(as.numeric(utils::object.size(x)) / 1000))))
  invisible(x)
}

# The fit that the copy was made of, in as much as predictions need. It is kept for the next call.
deployed_fit <- function(x) {
  if (!identical(x$format, deployed_format)) {
    abort_neargp("version", c("This deployed fit is of another format than this version reads.",
      i = "Make it again by deploy()."))
  }
  made_of <- x[setdiff(names(x), "cache")]
  kept <- core_get_cache(x$cache)
  if (!is.null(kept) && identical(kept$made_of, made_of)) return(kept$fit)
  fit <- x$model
  for (name in names(x$rows)) {
    fit[[strsplit(name, "$", fixed = TRUE)[[1L]]]] <- unpack(x$rows[[name]])
  }
  fit <- with_own_cache(structure(fit, class = x$class))
  core_set_cache(x$cache, list2env(list(made_of = made_of, fit = fit), parent = emptyenv()))
  fit
}

# ---- what predictions need -----------------------------------------------------------------------

# Elements of a posterior that leave-one-out predictions and residuals alone use. The variances of
# inducing points are the posterior of a mean field.
unused_of_posterior <- function(method) {
  c("variance_at_data", "variance_given_nodes", if (!is_mean_field(method)) "variance")
}

pseudo_observations_of_rows <- c("of_rows", "row_weights")

# Up to `few` rows say where the data are, which messages about far locations use. The parameters of
# so few rows may be integrated over, which needs everything.
without_unused_rows <- function(fit, few = 1000L) {
  if (length(fit$data$y) <= few) return(fit)
  fit[c("na_action", "row_names")] <- list(NULL)
  fit$data["untransformed"] <- list(NULL)
  unused <- if (inherits(fit$method, "neargp_vnngp")) unused_of_posterior(fit$method)
  fit$posterior <- fit$posterior[setdiff(names(fit$posterior), unused)]
  pseudo <- names(fit$pseudo_observations)
  fit$pseudo_observations <- fit$pseudo_observations[setdiff(pseudo, pseudo_observations_of_rows)]
  if (!conditions_on_data(fit)) fit$data <- take_data_rows(fit$data, spread_rows(fit$data, few))
  fit
}

# Whether predictions use the rows of `data`, and not inducing points or pseudo-observations.
conditions_on_data <- function(fit) {
  by_points <- identical(method_name(fit$method), "svgp") && is.null(fit$outputs) &&
    is.null(fit$classifier) && is.null(fit$data$noise) && !has_effects(fit$data)
  !by_points && is.null(fit$pseudo_observations)
}

# The outermost rows in each coordinate, and others at equal steps.
spread_rows <- function(data, most) {
  outermost <- apply(data$coords, 2L, function(x) c(which.min(x), which.max(x)))
  steps <- round(seq(1, length(data$y), length.out = most - length(outermost)))
  sort(unique(c(outermost, steps)))
}

# ---- environments of formulas --------------------------------------------------------------------

# The environment of a formula may contain the data. Each is replaced by one with the functions
# and single values that formulas of the fit name.
with_lean_environments <- function(fit) {
  formulas <- list(fit$formula, attr(fit$terms, "predvars"), fit$offset_argument,
    fit$call$measurement_variance, lapply(local_formulas(fit$covariance), identity),
    fit$family$formulas)
  names <- setdiff(unique(unlist(lapply(formulas, all_names_in))), fit$required_columns)
  leaner <- function(x) {
    from <- attr(x, ".Environment")
    if (is.environment(from) && !isNamespace(from)) attr(x, ".Environment") <- lean(from, names)
    if (!is.list(x)) return(x)
    kept <- attributes(x)
    x <- lapply(unclass(x), leaner)
    attributes(x) <- kept
    x
  }
  leaner(fit)
}

all_names_in <- function(x) if (is.list(x)) unlist(lapply(x, all_names_in)) else all.names(x)

lean <- function(from, names) {
  lean <- new.env(parent = globalenv())
  for (name in names) {
    value <- found_below_packages(name, from)
    if (is.function(value) || is.atomic(value) && length(value) == 1L) assign(name, value, lean)
  }
  lean
}

found_below_packages <- function(name, from) {
  while (!identical(from, emptyenv()) && !identical(from, baseenv()) && !isNamespace(from)) {
    if (exists(name, from, inherits = FALSE)) return(get(name, from))
    if (identical(from, globalenv())) return(NULL)
    from <- parent.env(from)
  }
}
