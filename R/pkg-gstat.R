#' Covariances and variogram models of gstat
#'
#' @description
#' `as_covariance()` converts a model of gstat's `vgm()` or `fit.variogram()` to a [covariance].
#' `as_vgm()` converts a fit or a covariance to a model of gstat.
#'
#' ```r
#' model <- as_covariance(gstat::vgm(2, "Sph", 300, nugget = 0.1))
#' ```
#'
#' @details
#' | gstat | neargp |
#' |---|---|
#' | `"Exp"`, `"Gau"`, `"Sph"` | `cov_exponential()`, `cov_gaussian()`, `cov_spherical()`, same range |
#' | `"Mat"` | `cov_matern(nu = kappa)`, same range |
#' | `"Ste"` | `cov_matern(nu = kappa)` with `range / (2 * sqrt(kappa))` |
#' | `"Exc"` | `cov_powered_exponential(power = kappa)`, same range |
#' | `"Hol"` | `cov_wave()`, same range |
#' | `"Wav"` | `cov_wave()` with `range / pi` |
#' | `"Nug"`, `"Err"` | the argument `nugget` of [neargp()] |
#' | `anis`, two or five numbers | `anisotropy`, see [covariance] |
#'
#' Both sides are equal at all distances and directions. Nested models become sums. Ratios
#' below 0.001, such as `anis = c(0, 1e-6)`, are zonal, and keep axes and ranges. Other models are
#' errors. Pass the nugget to [neargp()]: `nugget = attr(model,
#' "nugget")`.
#'
#' On the sphere, gstat's distances are great circles and those of neargp are chords.
#'
#' @param x a model of gstat's `vgm()`, or for `as_vgm()` a fit by [neargp()] or a covariance whose
#'   parameters are all fixed.
#' @param fixed `TRUE` (default) to fix all parameters at the values of the model. `FALSE` to
#'   estimate them from these as starting values.
#' @param nugget the nugget of a covariance, a number of at least 0. Default: its attribute, or 0.
#' @param ... not used.
#' @return `as_covariance()` returns a `neargp_covariance` with the attribute `"nugget"`, and
#'   `as_vgm()` a `variogramModel` of gstat.
#' @seealso [covariance], [empirical_variogram()], the article "Migration" for the parameters of
#'   other packages.
#' @examplesIf requireNamespace("gstat", quietly = TRUE)
#' variogram <- gstat::vgm(5000, "Sph", 300, nugget = 500, anis = c(45, 0.5))
#' model <- as_covariance(variogram)
#' model
#' attr(model, "nugget")
#' as_vgm(model)
#'
#' # Estimate from these values
#' stations <- transform(colorado_precipitation(), x = 85 * (lon + 105), y = 111 * (lat - 39))
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ x + y,
#'   covariance = as_covariance(variogram, fixed = FALSE))
#' as_vgm(fit)
#' @export
as_covariance <- function(x, ...) {
  check_required()
  UseMethod("as_covariance")
}

#' @export
as_covariance.default <- function(x, ...) {
  abort_argument("x", "a model of gstat's vgm()", x)
}

#' @rdname as_covariance
#' @export
as_covariance.variogramModel <- function(x, fixed = TRUE, ...) {
  check_no_more_arguments()
  check_flag(fixed, "fixed")
  check_variogram_model(x)
  is_nugget <- as.character(x$model) %in% nugget_models
  parts <- x[!is_nugget & x$psill != 0, ]
  if (!nrow(parts)) {
    abort_neargp("argument", c("The model of vgm() contains a nugget alone.",
      i = "Add a process to it, for example gstat::vgm(1, \"Exp\", 300, nugget = 0.1)."))
  }
  components <- lapply(seq_len(nrow(parts)), function(i) {
    as_component(variogram_call(parts[i, ]), fixed)
  })
  structure(Reduce(`+`, components), nugget = sum(x$psill[is_nugget]))
}

# Below this ratio of its ranges a model is zonal: it does not vary along its major axis.
zonal_ratio <- 1e-3

# `call`: of variogram_call(). A zonal model keeps its axes and ranges.
as_component <- function(call, fixed) {
  values <- call$arguments
  if (!fixed) {
    axes <- values$anisotropy
    flat <- any(axes[ratio_names(rotation_of(axes))] < zonal_ratio)
    kept <- if (flat) c("range", "anisotropy")
    values <- c(list(start = values[setdiff(names(values), kept)]), values[kept],
      if (!is.null(axes) && !flat) list(anisotropy = if (length(axes) == 5L) "3d" else TRUE),
      if (call$maker == "cov_matern") list(nu = NULL))
  }
  do.call(utils::getFromNamespace(call$maker, "neargp"), values)
}

check_variogram_model <- function(x) {
  models <- as.character(x$model)
  other <- setdiff(models, c(names(variogram_models), nugget_models))
  if (length(other)) {
    abort_neargp("argument", c(sprintf("The model %s of vgm() is not supported.",
      format_some(paste0("\"", other, "\""))),
      i = sprintf("Supported are %s and %s.", format_some(names(variogram_models), 20L),
        format_some(nugget_models))))
  }
}

# ---- the way back --------------------------------------------------------------------------------

#' @rdname as_covariance
#' @export
as_vgm <- function(x, ...) {
  check_required()
  UseMethod("as_vgm")
}

#' @export
as_vgm.default <- function(x, ...) {
  abort_argument("x", "a fit of neargp() or a covariance such as cov_matern()", x)
}

#' @rdname as_covariance
#' @export
as_vgm.neargp_covariance <- function(x, nugget = attr(x, "nugget"), ...) {
  check_no_more_arguments()
  nugget <- check_number(nugget %||% 0, "nugget", 0)
  components <- lapply(x$components, function(component) {
    open <- is.null(component$variance) || is.null(component$range) || anyNA(component$range) ||
      estimates_axes(component) ||
      (is.null(component$shape) && !is.null(family_shape(component$family)))
    if (open) {
      abort_neargp("argument", c("Some parameters of the covariance are not fixed.",
        i = "Give them as numbers, or use a fit: as_vgm(fit)."))
    }
    if (length(component$range) > 1L) refuse_vgm("several ranges")
    axes <- if (is.numeric(component$anisotropy)) component$anisotropy
    c(component[c("family", "variance", "range", "shape")], list(axes = axes))
  })
  check_vgm_possible(x)
  new_vgm(components, nugget)
}

#' @rdname as_covariance
#' @export
as_vgm.neargp <- function(x, ...) {
  check_fit(x)
  check_no_more_arguments()
  check_vgm_possible(x$covariance)
  components <- lapply(x$core_covariance$components, function(component) {
    if (length(component$range) > 1L) refuse_vgm("several ranges")
    axes <- component$anisotropy
    rotation <- rotation_of_axes(axes)
    list(family = component$family, variance = component$variance,
      range = component$range * if (length(axes)) exp(rotation$longest(axes)) else 1,
      shape = component$shape,
      axes = if (length(axes)) stats::setNames(rotation$to_natural(axes), rotation$names))
  })
  new_vgm(components, x$nugget)
}

check_vgm_possible <- function(covariance) {
  if (has_no_distance(covariance)) refuse_vgm("features() or cov_linear()")
  if (has_zonal(covariance)) refuse_vgm("`range = Inf`")
  if (has_local_fields(covariance)) refuse_vgm("`sd`, `range`, `warp` or `by` formulas")
  if (has_space_time(covariance)) refuse_vgm("cov_spacetime()")
  if (inherits(covariance, "neargp_coregionalisation")) refuse_vgm("several responses")
}

refuse_vgm <- function(what) {
  abort_neargp("argument", sprintf("A covariance with %s is not a model of gstat's vgm().", what))
}

# The numbers of `anis` in the order of gstat, whose angles lie between 0 and 360 degrees.
vgm_axes <- function(axes) {
  angles <- axes[intersect(c("angle", "dip", "plunge"), names(axes))] %% 360
  unname(c(angles, axes[intersect(c("ratio", "ratio_third"), names(axes))]))
}

# The model of each family; `axes` are those of cov_matern(anisotropy = ).
vgm_models <- c(exponential = "Exp", gaussian = "Gau", spherical = "Sph", matern = "Mat",
  powered_exponential = "Exc", wave = "Hol")

new_vgm <- function(components, nugget) {
  require_package("gstat", "for models of vgm()")
  result <- NULL
  for (component in components) {
    model <- vgm_models[component$family]
    if (is.na(model)) refuse_vgm(covariance_call(component$family))
    arguments <- list(psill = component$variance, model = model[[1L]], range = component$range,
      anis = if (length(component$axes)) vgm_axes(component$axes),
      kappa = if (length(component$shape)) component$shape,
      add.to = result)
    result <- do.call(gstat::vgm, Filter(Negate(is.null), arguments))
  }
  if (nugget > 0) result <- gstat::vgm(nugget, "Nug", 0, add.to = result)
  result
}
