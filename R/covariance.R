#' Covariance functions (kernels)
#'
#' @description
#' Settings objects for the covariance between two locations. [neargp()] estimates each parameter
#' that you leave `NULL`.
#'
#' ```r
#' neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' ```
#'
#' @details
#' The covariance at distance `d` is `variance * correlation(d / range)`, without a factor `sqrt(2
#' nu)`. The table calls the ratio `r`. In variogram terms, `variance` is the partial sill (psill),
#' the `nugget` argument of [neargp()] is the nugget, and their sum is the sill. In machine
#' learning, these are hyperparameters. You can convert a lengthscale `l` to the range: `range = l /
#' sqrt(2 nu)` for the Matérn family, and `sqrt(2) * l` for `cov_gaussian()`.
#'
#' | constructor | correlation | shape parameter |
#' |---|---|---|
#' | `cov_exponential()` | `exp(-r)` | |
#' | `cov_matern()` | `2^(1 - nu) / gamma(nu) * r^nu * K_nu(r)` | `nu`, the smoothness |
#' | `cov_gaussian()` | `exp(-r^2)` | |
#' | `cov_powered_exponential()` | `exp(-r^power)` | `power`, above 0 and up to 2 |
#' | `cov_cauchy()` | `(1 + r^2)^(-shape)` | `shape`, above 0 |
#' | `cov_spherical()` | `1 - 1.5 r + 0.5 r^3` for `r` below 1, then 0 | |
#' | `cov_wendland()` | `(1 - r)^2`, `(1 - r)^4 (1 + 4 r)` or `(1 - r)^6 (1 + 6 r + 35 r^2 / 3)` for `r` below 1, then 0 | `smoothness`: 0, 1 or 2 |
#' | `cov_wave()` | `sin(r) / r` | |
#'
#' The last three are valid in up to three coordinates, time and [expand()] included, and on the
#' sphere without time. More coordinates, `range = ~` and the Gneiting model are errors.
#' `cov_spherical()` and `cov_wendland()` are exactly 0 beyond the range. `cov_wave()` is the hole
#' effect of processes with regular crests. Their likelihoods can have several maxima, so
#' [neargp()] compares searches from several ranges.
#'
#' Add covariances with `+`. Each component uses its own variance and range. For example,
#' `cov_exponential() + cov_gaussian()` combines two scales. Multiply them with `*`:
#' `cov_matern() * cov_periodic(period = 1)` is a season whose shape changes. The second factor is
#' of the `time`, or of the only coordinate, as in a separable [cov_spacetime()]. Write the product
#' of a sum as a sum of products. You cannot multiply two covariances of the same coordinates: the
#' data rarely identify both ranges.
#'
#' Name the coordinates in `range` to give each its own: `range = c(x = 10, y = NA)` fixes one range
#' and estimates the other. With `Inf`, the component does not vary along that coordinate (zonal
#' anisotropy). For example, `cov_matern() + cov_matern(range = c(x = Inf, y = NA))` adds layers
#' that depend on `y` alone. `Inf` requires one response of rows in memory.
#'
#' In three dimensions, `anisotropy = "3d"` estimates an ellipsoid of any direction. You can fix it
#' with `anisotropy = c(angle = 30, dip = 10, plunge = 20, ratio = 0.5, ratio_third = 0.2)`. These
#' are azimuth, dip, third angle and both ratios of gstat's `anis = c(30, 10, 20, 0.5, 0.2)` and of
#' GSLIB. The major axis points `angle` degrees clockwise from the second coordinate, and `dip`
#' degrees upwards. `plunge` turns the other axes about it, counter-clockwise as seen along the
#' major axis. `ratio` and `ratio_third` are their ranges divided by the major range. A fit reports
#' ranges that fall from axis to axis, `angle` from 0 to 180 degrees, and the other angles from -90
#' to 90, so equal models print equally. Angles of equal ranges are not determined.
#'
#' With several ranges, `r` is the length of all coordinate differences, each divided by its range,
#' time included. You should use [cov_spacetime()] for space and time. `cov_gaussian()` is the
#' squared exponential (RBF) kernel. The Cauchy family is the rational quadratic kernel `(1 + d^2 /
#' (2 alpha l^2))^(-alpha)`, with `shape = alpha` and `range = l * sqrt(2 alpha)`. For an SPDE mesh
#' model in the plane, use `cov_matern(nu = 1)`, whose `kappa` is `1 / range`.
#'
#' @param variance the variance of the process (psill), a positive number in squared units of the
#'   response. Default `NULL`: estimated.
#' @param range the range, a positive number in the units of the coordinates (km on the sphere), or
#'   a formula, see [nonstationary_covariance]. With `ard`, anisotropy in three coordinates, factors
#'   or a time, give one number each: coordinates, then factors, then time, or by name. `NA`
#'   estimates one, and `Inf` leaves one out. Default `NULL`: estimated.
#' @param ard `TRUE` for one range per coordinate (automatic relevance determination). Times and
#'   factors always use their own. Default: `FALSE`.
#' @param anisotropy `TRUE` to estimate a geometric anisotropy of the first two coordinates, or
#'   `c(angle = , ratio = )` to fix it. `angle` is the direction of the major axis in degrees
#'   clockwise from north, and `ratio` the minor range divided by the major range, as in gstat's
#'   `anis`. It requires planar coordinates. `range` is the range along the major axis, and a third
#'   coordinate uses its own. `"3d"` estimates a rotation of three coordinates, see
#'   Details. Default: `FALSE`.
#' @param start a list of starting values on the natural scale: `variance`, `range`, `anisotropy` or
#'   the shape parameter. Default: from the data.
#' @param sd a one-sided formula for the local standard deviation, see [nonstationary_covariance].
#'   Default `NULL`: constant.
#' @param penalty a non-negative number, the weight of the ridge penalty on the coefficients of
#'   `sd`, `range` and `warp`. `0` disables it. Default `NULL`: 1, increased to `100 * coefficients
#'   / observations` in small samples, and at least 5 for [expand()]. Larger values shrink towards a
#'   stationary covariance.
#' @param warp [expand()] for further, learned coordinates, [monotone()] for increasing functions of
#'   coordinates, a list of both, or [mlp()] for the features of a network. Default `NULL`: none.
#' @param by a one-sided formula of one column. The coefficient of a numeric or logical column
#'   varies in space, see [varying_coefficients]. Each level of a factor gets an independent copy of
#'   the process, see [replicates]. Default `NULL`: none.
#' @param nu the smoothness of the Matérn family, a positive number, or `NULL` to estimate it. 0.5,
#'   1.5, 2.5 and 3.5 are the fastest. Default: 1.5.
#' @param smoothness 0, 1 or 2, the number of derivatives of the process. It is about as smooth as
#'   the Matérn process with `nu = smoothness + 1/2`. Default: 1.
#' @param power,shape the shape parameter of the family, a positive number. Default `NULL`:
#'   estimated.
#' @param ... not used.
#' @return An object of class `neargp_covariance` for the argument `covariance` of [neargp()].
#' @references Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer. Gneiting, T. and
#'   Schlather, M. (2004). Stochastic models that separate fractal dimension and the Hurst effect.
#'   *SIAM Review* 46, 269–282. Wendland, H. (1995). Piecewise polynomial, positive definite and
#'   compactly supported radial functions of minimal degree. *Advances in Computational
#'   Mathematics* 4, 389–396.
#' @seealso [empirical_variogram()] for a variogram with the fitted curve, [covariance_value()],
#'   [cov_linear()], [cov_periodic()], [pc_priors()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Which covariance predicts best? Compare the fits
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' fits <- list(matern = fit, exponential = update(fit, covariance = cov_exponential()),
#'   cauchy = update(fit, covariance = cov_cauchy()))
#' sapply(fits, AIC)
#' set.seed(1)
#' cross_validate(fits, folds = 5)
#'
#' # Fix some parameters: the range of 100 km, and no nugget
#' fixed <- update(fit, covariance = cov_matern(nu = 1.5, range = 100), nugget = 0)
#' coef(fixed, what = "covariance")
#'
#' # Anisotropy, and a sum of a short and a long range, in a plane
#' plane <- transform(stations, east = 85 * (lon + 105), north = 111 * (lat - 39))
#' fit <- neargp(precipitation ~ elevation, plane, coords = ~ east + north,
#'   covariance = cov_matern(nu = 1.5, anisotropy = TRUE))
#' coef(fit, what = "covariance")
#' coef(update(fit, covariance = cov_exponential(range = 20) + cov_exponential(range = 200)),
#'   what = "covariance")
#'
#' # A body of ore that dips: azimuth, dip, third angle and two ratios of ranges
#' set.seed(1)
#' ore <- data.frame(x = runif(200), y = runif(200), depth = runif(200, 0, 0.3))
#' ore$grade <- with(ore, sin(3 * (x + y)) * cos(8 * (x - y)) *
#'   cos(15 * (depth - 0.2 * x))) + rnorm(200, sd = 0.1)
#' body <- neargp(grade ~ 1, ore, coords = ~ x + y + depth,
#'   covariance = cov_exponential(anisotropy = "3d"))
#' coef(body, what = "covariance")
#'
#' # Zonal anisotropy: one component depends on the north coordinate alone
#' zonal <- update(fit, covariance = cov_matern() + cov_matern(range = c(east = Inf, north = NA)))
#' coef(zonal, what = "covariance")
#'
#' # A season whose shape changes slowly
#' months <- data.frame(co2 = c(co2), year = c(time(co2)))
#' neargp(co2 ~ year, months, coords = ~ year, method = exact_gp(),
#'   covariance = cov_matern() * cov_periodic(period = 1))
#'
#' # The covariance (and so the variogram) at distances, without data
#' covariance_value(cov_exponential(variance = 2, range = 5), distance = c(0, 5, 15))
#'
#' # A kernel with a lengthscale for each predictor
#' ozone <- neargp(log(Ozone) ~ 1, na.omit(airquality), coords = ~ Solar.R + Wind + Temp,
#'   covariance = cov_gaussian(ard = TRUE))
#' coef(ozone, what = "covariance")
#' @name covariance
NULL

#' @rdname covariance
#' @export
cov_exponential <- function(variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                            start = list(), sd = NULL,
  penalty = NULL, warp = NULL, by = NULL) {
  new_covariance("exponential", NULL, variance, range, ard, anisotropy, start, sd, penalty, warp,
    by)
}

#' @rdname covariance
#' @export
cov_matern <- function(nu = 1.5, variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                       start = list(), sd = NULL, penalty = NULL, warp = NULL, by = NULL, ...) {
  check_no_more_arguments()
  new_covariance("matern", check_shape(nu, "matern"), variance, range, ard, anisotropy, start, sd,
    penalty, warp, by)
}

#' @rdname covariance
#' @export
cov_gaussian <- function(variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                         start = list(), sd = NULL,
  penalty = NULL, warp = NULL, by = NULL) {
  new_covariance("gaussian", NULL, variance, range, ard, anisotropy, start, sd, penalty, warp, by)
}

#' @rdname covariance
#' @export
cov_powered_exponential <- function(power = NULL, variance = NULL, range = NULL, ard = FALSE,
                                    anisotropy = FALSE, start = list(), sd = NULL, penalty = NULL,
                                    warp = NULL, by = NULL) {
  power <- check_shape(power, "powered_exponential")
  new_covariance("powered_exponential", power, variance, range, ard, anisotropy, start, sd, penalty,
    warp, by)
}

#' @rdname covariance
#' @export
cov_cauchy <- function(shape = NULL, variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                       start = list(), sd = NULL,
  penalty = NULL, warp = NULL, by = NULL) {
  shape <- check_shape(shape, "cauchy")
  new_covariance("cauchy", shape, variance, range, ard, anisotropy, start, sd, penalty, warp, by)
}

#' @rdname covariance
#' @export
cov_spherical <- function(variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                          start = list(), sd = NULL, penalty = NULL, warp = NULL, by = NULL) {
  new_covariance("spherical", NULL, variance, range, ard, anisotropy, start, sd, penalty, warp, by)
}

#' @rdname covariance
#' @export
cov_wendland <- function(smoothness = 1, variance = NULL, range = NULL, ard = FALSE,
                         anisotropy = FALSE, start = list(), sd = NULL, penalty = NULL,
                         warp = NULL, by = NULL) {
  new_covariance("wendland", check_shape(smoothness, "wendland"), variance, range, ard, anisotropy,
    start, sd, penalty, warp, by)
}

#' @rdname covariance
#' @export
cov_wave <- function(variance = NULL, range = NULL, ard = FALSE, anisotropy = FALSE,
                     start = list(), sd = NULL, penalty = NULL, warp = NULL, by = NULL) {
  new_covariance("wave", NULL, variance, range, ard, anisotropy, start, sd, penalty, warp, by)
}

# A formula in the place of the range is its local part: the range itself is then estimated.
new_covariance <- function(family, shape, variance, range, ard, anisotropy, start, sd = NULL,
                           penalty = NULL, warp = NULL, by = NULL) {
  is_local <- rlang::is_formula(range)
  if (is_local) check_local_range(family)
  local <- new_local_settings(sd, if (is_local) range, warp, penalty, by)
  if (is_local) range <- NULL
  component <- list(
    family = family, shape = shape, variance = check_variance(variance, "variance"),
    range = check_ranges(range, "range", zonal = TRUE), ard = check_flag(ard, "ard"),
    anisotropy = check_anisotropy(anisotropy, "anisotropy"), start = check_covariance_start(start,
      family)
  )
  component$local <- local
  if (is_zonal(component) && !is.null(warp)) {
    abort_neargp("argument", c("`range` cannot be Inf with `warp`.",
      i = "Leave one of them out."))
  }
  # coordinates that are named use one range each
  if (names_ranges(component$range) && isFALSE(component$anisotropy) &&
      !"range" %in% names(component$range)) {
    component$ard <- TRUE
  }
  if (component$ard && !isFALSE(component$anisotropy)) {
    abort_neargp("argument", c("`ard` and `anisotropy` cannot both be used.",
      i = "`ard` estimates a range along each coordinate axis, `anisotropy` along a rotated pair of axes."))
  }
  check_start_rotation(component)
  if (estimates_axes(component) && !is.null(component$range) && !is.na(component$range[1L])) {
    abort_neargp("argument",
      c("The range along the major axis cannot be fixed while the anisotropy is estimated.",
        i = sprintf("Fix both (for example `anisotropy = c(%s)`), or give the range as a starting value: `start = list(range = )`.",
          paste(rotation_of(component$anisotropy)$names, "=", collapse = ", ")),
        i = "You can fix the ranges of further coordinates by themselves: `range = c(NA, 5)`."))
  }
  structure(list(components = list(component)), class = "neargp_covariance")
}

check_anisotropy <- function(anisotropy, name) {
  if (is.logical(anisotropy)) return(check_flag(anisotropy, name))
  if (identical(anisotropy, "3d")) return(anisotropy)
  known <- Find(function(rotation) {
    length(anisotropy) == length(rotation$names) && setequal(names(anisotropy), rotation$names)
  }, rotations)
  ratios <- ratio_names(known)
  valid <- is.numeric(anisotropy) && !is.null(known) && all(is.finite(anisotropy)) &&
    all(anisotropy[ratios] > 0 & anisotropy[ratios] <= 1)
  if (!valid) {
    abort_argument(name,
      "TRUE, \"3d\", FALSE, c(angle = degrees, ratio = above 0 and up to 1), or also with dip, plunge and ratio_third",
      anisotropy)
  }
  anisotropy[c(setdiff(known$names, ratios), ratios)]
}

# Starting values are those of the anisotropy that is estimated.
check_start_rotation <- function(component) {
  start <- rotation_of(component$start$anisotropy)
  own <- rotation_of(component$anisotropy)
  if (is.null(start) || is.null(own) || identical(start$kinds, own$kinds)) return(invisible())
  abort_neargp("argument", c(sprintf("`start$anisotropy` must give %s, like `anisotropy`.",
    paste(own$names, collapse = ", ")),
    i = "Use anisotropy = \"3d\" for three coordinates, and TRUE for the first two."))
}

check_covariance_start <- function(start, family) {
  if (!is.list(start)) abort_argument("start", "a list", start)
  shape <- family_shape(family)
  if (isTRUE(shape$whole)) shape <- NULL
  known <- c("variance", "range", "anisotropy", shape$name, shape$argument)
  unknown <- setdiff(names(start), known)
  if (length(start) && (is.null(names(start)) || length(unknown))) {
    abort_neargp("argument", c("`start` has elements that this covariance does not have.",
      x = if (length(unknown)) paste("Unknown:", format_some(unknown)),
      i = paste("Known:", paste(known, collapse = ", "))))
  }
  check_variance(start$variance, "start$variance")
  check_ranges(start$range, "start$range")
  if (!is.null(start$anisotropy)) {
    if (!is.numeric(start$anisotropy)) {
      abort_argument("start$anisotropy", "numbers, such as c(angle = 30, ratio = 0.5)",
        start$anisotropy)
    }
    check_anisotropy(start$anisotropy, "start$anisotropy")
  }
  shape_start <- unlist(start[names(start) %in% c(shape$name, shape$argument)], use.names = FALSE)
  if (!is.null(shape_start)) {
    check_number(shape_start, paste0("start$", shape$argument), shape$lower, shape$upper)
  }
  list(variance = start$variance, range = start$range, anisotropy = start$anisotropy,
    shape = shape_start)
}

#' @rdname covariance
#' @param e1,e2 covariances to be added or multiplied.
#' @export
`+.neargp_covariance` <- function(e1, e2) {
  if (missing(e2) || !inherits(e1, "neargp_covariance") || !inherits(e2, "neargp_covariance")) {
    abort_neargp("argument", c("Only covariances can be added to a covariance.",
      i = "The nugget is an argument of neargp(): neargp(..., nugget = )."))
  }
  if (has_no_process(e1)) return(e2)
  if (has_no_process(e2)) return(e1)
  structure(c(list(components = c(e1$components, e2$components)),
    list(features = e1[["features"]] %||% e2[["features"]])), class = "neargp_covariance")
}
