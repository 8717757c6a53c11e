#' Covariance functions
#'
#' Settings objects that say how the covariance between two locations falls with their distance, and
#' which of its parameters are estimated. A parameter given as a number is fixed; one left `NULL` is
#' estimated by [neargp()]. Sums of covariances are written with `+`; each component has its own
#' variance and range.
#'
#' The covariance at distance `d` is `variance * correlation(r)` with `r` short for `d / range`, the
#' geostatistical parametrisation *without* a factor `sqrt(2 nu)`. With several ranges, of
#' coordinates (`ard = TRUE`) or of space and time, `r` is the length of all coordinate differences,
#' each divided by its own range, as `sqrt((d / range)^2 + (t / range_time)^2)` for points `d` apart
#' in space and `t` in time. That is the metric model of space and time, which is not a product of
#' two covariances: [cov_spacetime()] has others. With anisotropy, differences in the plane are
#' rotated and stretched first; each further coordinate is divided by a range of its own.
#'
#' | constructor | correlation | shape parameter |
#' |---|---|---|
#' | `cov_exponential()` | `exp(-r)` | |
#' | `cov_matern()` | `2^(1 - nu) / gamma(nu) * r^nu * K_nu(r)` | `nu`, the smoothness |
#' | `cov_gaussian()` | `exp(-r^2)` | |
#' | `cov_powered_exponential()` | `exp(-r^power)` | `power`, above 0 and up to 2 |
#' | `cov_cauchy()` | `(1 + r^2)^(-shape)` | `shape`, above 0 |
#'
#' The Cauchy family is the rational quadratic of the machine-learning literature,
#' `(1 + d^2 / (2 alpha l^2))^(-alpha)`, with `shape = alpha` and `range = l * sqrt(2 alpha)`.
#'
#' The nugget, the variance of independent noise, is an argument of [neargp()], not of the
#' covariance.
#'
#' @param variance variance of the process, in squared units of the response, or `NULL` to estimate
#'   it.
#' @param range range in the units of the distances (kilometres for longitude and latitude), or
#'   `NULL` to estimate it. With `ard = TRUE`, anisotropy in more than two coordinates, factors or a
#'   time coordinate, one number for each range, in the order of the coordinates, those of factors
#'   after the others, time last; `NA` for one that is to be estimated. With anisotropy the first is
#'   the range along the major axis, and can be fixed only together with the anisotropy.
#' @param ard `TRUE` for one range per coordinate ("automatic relevance determination"). A time
#'   coordinate, and each factor among the coordinates, always has its own range.
#' @param anisotropy `TRUE` to estimate a rotated, geometric anisotropy of the first two coordinates
#'   (a third one, such as a height or depth, then has a range of its own, `range_<coordinate>`), or
#'   `c(angle = , ratio = )` to fix it: the direction of the major axis in degrees clockwise from
#'   the second axis (from north), and the range across divided by the range along that axis, as
#'   gstat's `anis`. Needs planar coordinates.
#' @param start list of starting values, on the natural scale, for estimated parameters: `variance`,
#'   `range`, `anisotropy` (as above) and the shape parameter by its name. By default starting
#'   values come from the data.
#' @param sd one-sided formula of covariates with which the standard deviation of the process
#'   changes from place to place, or `NULL`: see the section on fields that change with place. A
#'   formula as `range` does the same for all ranges, which are then estimated.
#' @param penalty weight of the ridge on the coefficients of `sd` and `range`: `penalty / 2` times
#'   the sum of their squares is taken from the log-likelihood (or score). It is the precision of a
#'   normal prior: at 1, one standard deviation of a covariate hardly changes a range or a standard
#'   deviation by more than a factor of `e^2`. 0 is no penalty. By default 1, and more where rows
#'   are few: 100 times the number of coefficients divided by that of rows. With 500 rows and 34
#'   coefficients 1 was worse than a stationary covariance by 0.05 in the log score on one of five
#'   sets, and 10 was not; with 5,000 rows 10 had less of the gain than 1
#'   (`bench/non-stationary.R`). The same for the coefficients of `warp`, of [expand()] by default
#'   5: at 1 it was worse than a stationary covariance by 0.014 on one of eight splits of data, at 5
#'   and 20 on none.
#' @param warp [expand()], for further coordinates that are learned, [monotone()], for increasing
#'   functions of single coordinates in their place, or a list of one of each. `NULL` leaves the
#'   coordinates as they are.
#' @param by one-sided formula of the column, of numbers or of `TRUE` and `FALSE`, that the
#'   component is multiplied by, or `NULL` for none: see the section on coefficients that vary.
#' @param ... not used.
#' @param nu smoothness of the Matérn family; `nu = NULL` estimates it. Half-integers (0.5, 1.5,
#'   2.5, 3.5) have closed forms and are fastest.
#' @param power,shape shape parameter of the powered exponential and of the Cauchy family; `NULL`
#'   estimates it.
#' @section Fields that change with place: `warp = ` changes the coordinates that distances are
#' between, see [expand()] and [monotone()]; with a local range, it divides them all, further
#' coordinates included, which `D` below counts. Which of the three a field needs, if any, is told
#' by held-out rows: [cross_validate()] with `refit = TRUE`. Without it the coefficients are those
#' learned from all rows, and a warped or local covariance wins on stationary fields, too;
#' [anova()] has no p-value of them.
#'
#' `sd = ~ covariates` and `range = ~ covariates` make the process at place `i` have the variance
#' `variance * exp(2 * s[i])` and the ranges `range * exp(l[i])`, where `s` and `l` are linear in
#' the covariates: columns of the data, or a small basis of place such as `sd = ~ bumps(4)`, see
#' [bumps()]. With `a = exp(2 * l)` and `m = (a[i] + a[j]) / 2` the covariance of two places is
#' `variance * exp(s[i] + s[j]) * (exp(l[i] + l[j]) / m)^(D / 2) * correlation(r / sqrt(m))`, `D`
#' the number of coordinates, time and the three of the sphere included (Paciorek and Schervish
#' 2006). It is a covariance for every family here. With several ranges, an anisotropy or time, all
#' ranges change by the same factor.
#'
#' Covariates are centred and scaled by the rows of the fit. So `variance` and `range` are those
#' where covariates are at their mean, and a coefficient, named `log_sd:<covariate>` or
#' `log_range:<covariate>`, is the change of the logarithm by one standard deviation of its
#' covariate. There is no intercept. Coefficients start at 0, where the covariance is stationary.
#' [local_scales()] gives range and standard deviation at places, `plot(fit, "range")` and
#' `plot(fit, "sd")` maps of them, both with standard errors where the fit has any.
#'
#' Predictions need the covariates, as they need those of the trend. Beyond the data a local field
#' of [bumps()] keeps its value at the edge; one of covariates changes on exponentially. Neighbours
#' are searched in the ranges where covariates are at their mean, among warped coordinates. The
#' curves of [covariance_value()] and [empirical_variogram()], and the effective range that is
#' printed, are those at that mean, too, and where slopes of [monotone()] are 1; with [expand()]
#' there is no curve beside the empirical variogram. `print()` of the fit tells the span of the
#' local fields over its rows, `summary()` how much one standard deviation of each covariate is. The
#' nugget, and the jitter of [vnngp()], are the same everywhere. AIC counts coefficients without
#' regard to the penalty.
#'
#' They are for [vecchia()], [loo_k()] and [mll_k()] of a gaussian response, [vnngp()] of any, and
#' [exact_gp()], on the CPU; not for inducing points, Adam, several outputs, or rows that are read
#' in pieces. In a sum each component has its own or none.
#' @section Coefficients that vary with place: `cov_matern() + cov_matern(by = ~ x)` is the model `y
#' = X beta + w0(s) + x w1(s) + noise` of independent processes `w0` and `w1`: the component with
#' `by` has the covariance `x[i] x[j] C(s[i], s[j])`, and with `x` in the trend, too, its
#' coefficient at place `s` is `beta + w1(s)` (a spatially varying coefficient; Gelfand and others
#' 2003). By [predict()] with `type = "coefficients"` there are its mean and standard deviation, and
#' maps by `plot(fit, "coefficients")`. `by` is one column: of several each has a component of its
#' own, and so has each level of a factor, `by = ~ I(habitat == "forest")`. Without the component
#' that has no `by` the field is 0 wherever `x` is.
#'
#' Parameters are those of `w1`: `variance`, given or estimated, is in squared units of the response
#' per squared unit of `x`. Nothing is subtracted from `x`, and `w0` is the field where `x` is 0:
#' where that is far from all data, `by = ~ scale(x)` (in the trend, too) has it at the mean.
#' Starting values, bounds, the jitter of [vnngp()], the curve of [covariance_value()] for a fit and
#' the sill of a variogram are those where `x` has its root mean square over the rows, which
#' `print()` tells; the prior standard deviation at a new row is that of its own `x`. Neighbours are
#' the nearest, whatever `x` is. With 600 rows 95% intervals of the coefficient covered 95%, but 87%
#' where `x` itself was smooth in place: both fields are hardly told apart then, the variance of
#' `w1` may be estimated near 0, and intervals take the parameters for known. With the true ones
#' they covered 95% there, too, and with `vecchia(estimation = "REML")` 89%
#' (`bench/varying-coefficients.R`). A field whose range is below the spacing of the data is noise
#' with a standard deviation in proportion to `x`, see [noise]. The formulas of `sd`, `range` and
#' `warp` go along with `by`. What is said of these above, of methods, missing values and what
#' `newdata` must have, is true of `by`.
#' @return An object of class `neargp_covariance`, to be passed to [neargp()]. Printing it shows the
#'   formula and what is fixed.
#' @section Errors: `neargp_error_argument` when a value is of the wrong type or out of its bounds.
#' With `sd = ~`, `range = ~`, `warp = ` or `by = ~` [neargp()] stops with `neargp_error_local`
#' where the method cannot have them, also by the family that a response of classes has by default,
#' covariates do not vary or have the response among them, coefficients are as many as rows, `by` is
#' not one column of numbers or is 0 in all rows, or with `nugget = 0` a row has no variance;
#' `neargp_error_columns` where `data` lacks a covariate. Rows with missing covariates, and those
#' where a formula is undefined, as the logarithm of a negative number is, are treated by
#' `na.action`.
#' @references Stein, M. L. (1999). *Interpolation of Spatial Data*. Springer. Gneiting, T. and
#'   Schlather, M. (2004). Stochastic models that separate fractal dimension and the Hurst effect.
#'   *SIAM Review* 46, 269–282. Paciorek, C. J. and Schervish, M. J. (2006). Spatial modelling using
#'   a new class of nonstationary covariance functions. *Environmetrics* 17, 483–506. Gelfand, A.
#'   E., Kim, H.-J., Sirmans, C. F. and Banerjee, S. (2003). Spatial modeling with spatially varying
#'   coefficient processes. *Journal of the American Statistical Association* 98, 387–396.
#' @examples
#' cov_matern(nu = 1.5)
#' cov_exponential(range = 10) + cov_gaussian()
#' cov_matern(nu = NULL, anisotropy = TRUE)
#' covariance_value(cov_exponential(variance = 2, range = 5), distance = c(0, 5, 15))
#'
#' # shorter ranges where it is higher, and a standard deviation that changes from place to place
#' cov_exponential(range = ~ elevation, sd = ~ bumps(3))
#'
#' # precipitation that varies more, or over other distances, in the mountains
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, distance = "chordal",
#'   method = vecchia(k = 15),
#'   covariance = cov_exponential(sd = ~ elevation, range = ~ elevation))
#' fit
#' local_scales(fit, data.frame(lon = -105, lat = 40, elevation = c(1500, 3500)))
#' plot(fit, "sd", newdata = stations)
#'
#' # a slope that varies with place, and its map
#' set.seed(1)
#' plots <- data.frame(east = runif(200), north = runif(200), nitrogen = rnorm(200, 5))
#' plots$yield <- 20 + (1 + sin(3 * plots$east)) * plots$nitrogen + rnorm(200, sd = 0.3)
#' fit <- neargp(yield ~ nitrogen, plots, coords = ~ east + north, method = vecchia(k = 15),
#'   covariance = cov_matern() + cov_matern(by = ~ nitrogen))
#' predict(fit, data.frame(east = c(0.1, 0.5), north = 0.5), type = "coefficients")
#' plot(fit, "coefficients")
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

# A formula in the place of the range is its local part: the range itself is then estimated.
new_covariance <- function(family, shape, variance, range, ard, anisotropy, start, sd = NULL,
                           penalty = NULL, warp = NULL, by = NULL) {
  is_local <- rlang::is_formula(range)
  local <- new_local_settings(sd, if (is_local) range, warp, penalty, by)
  if (is_local) range <- NULL
  component <- list(
    family = family, shape = shape, variance = check_positive(variance, "variance"),
    range = check_ranges(range, "range"), ard = check_flag(ard, "ard"),
    anisotropy = check_anisotropy(anisotropy, "anisotropy"), start = check_covariance_start(start,
      family)
  )
  component$local <- local
  estimates_anisotropy <- isTRUE(component$anisotropy)
  if (ard && !isFALSE(component$anisotropy)) {
    abort_neargp("argument", c("`ard` and `anisotropy` cannot both be used.",
      i = "`ard` has one range along each coordinate axis; `anisotropy` has a rotated pair of axes."))
  }
  if (estimates_anisotropy && !is.null(component$range) && !is.na(component$range[1L])) {
    abort_neargp("argument",
      c("The range along the major axis cannot be fixed while the anisotropy is estimated.",
        i = "Fix both (`anisotropy = c(angle = , ratio = )`), or give the range as a starting value: `start = list(range = )`.",
        i = "Of further coordinates the ranges can be fixed by themselves: `range = c(NA, 5)`."))
  }
  structure(list(components = list(component)), class = "neargp_covariance")
}

check_anisotropy <- function(anisotropy, name) {
  if (is.logical(anisotropy)) return(check_flag(anisotropy, name))
  valid <- is.numeric(anisotropy) && length(anisotropy) == 2L &&
    setequal(names(anisotropy), c("angle", "ratio")) &&
    all(is.finite(anisotropy)) && anisotropy[["ratio"]] > 0 && anisotropy[["ratio"]] <= 1
  if (!valid) {
    abort_argument(name,
      "TRUE, FALSE or c(angle = degrees, ratio = minor/major range above 0 and up to 1)",
      anisotropy)
  }
  anisotropy[c("angle", "ratio")]
}

check_covariance_start <- function(start, family) {
  if (!is.list(start)) abort_argument("start", "a list", start)
  shape <- family_shape(family)
  known <- c("variance", "range", "anisotropy", shape$name, shape$argument)
  unknown <- setdiff(names(start), known)
  if (length(start) && (is.null(names(start)) || length(unknown))) {
    abort_neargp("argument", c("`start` has elements that this covariance does not have.",
      x = if (length(unknown)) paste("Unknown:", format_some(unknown)),
      i = paste("Known:", paste(known, collapse = ", "))))
  }
  check_positive(start$variance, "start$variance")
  check_ranges(start$range, "start$range")
  if (!is.null(start$anisotropy)) check_anisotropy(start$anisotropy, "start$anisotropy")
  shape_start <- unlist(start[names(start) %in% c(shape$name, shape$argument)], use.names = FALSE)
  if (!is.null(shape_start)) {
    check_number(shape_start, paste0("start$", shape$argument), shape$lower, shape$upper)
  }
  list(variance = start$variance, range = start$range, anisotropy = start$anisotropy,
    shape = shape_start)
}

#' @rdname covariance
#' @param e1,e2 covariances to be added.
#' @export
`+.neargp_covariance` <- function(e1, e2) {
  if (missing(e2) || !inherits(e1, "neargp_covariance") || !inherits(e2, "neargp_covariance")) {
    abort_neargp("argument", c("Only covariances can be added to a covariance.",
      i = "The nugget is an argument of neargp(): neargp(..., nugget = )."))
  }
  structure(list(components = c(e1$components, e2$components)), class = "neargp_covariance")
}
