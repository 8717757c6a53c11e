#' Fix parameters
#'
#' @description
#' The argument `fixed` of [neargp()] fixes parameters of the family, random effects, covariance or
#' trend at known values.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   fixed = c("(Intercept)" = 25))
#' ```
#'
#' @details
#' `fixed` is a vector of numbers, named as `coef(fit)` or `coef(fit, what = "covariance")` names
#' the parameters of a fit without `fixed`:
#'
#' | to fix | for example |
#' |---|---|
#' | coefficients of the trend (simple kriging with a known mean) | `c("(Intercept)" = 25, elevation = 0.01)` |
#' | the standard deviation of a random effect or smooth | `c("sd_(Intercept)|site" = 0.5)` |
#' | parameters of the family | `c(shape = 2)`, `c(scale = 1, df = 4)` |
#' | covariance and nugget | `c(variance = 2, range = 10, nugget = 0.1)` |
#' | nugget / variance of the process | `c(nugget_ratio = 0.1)` |
#'
#' Arguments such as `cov_matern(range = 10)` and `nugget = 0.1` do the same. A fixed parameter uses
#' no degree of freedom. Fixed coefficients of the trend are part of the offset, in predictions as
#' well, and `coef()` leaves them out.
#'
#' `nugget_ratio` needs one Gaussian response, a covariance of one component, and [vecchia()],
#' [exact_gp()], [loo_k()] or [mll_k()]. Random effects do not support it.
#'
#' Fix all ratios and angles of an anisotropy together.
#'
#' Not supported: several responses, categories, classification by [loo_k()], [dspp()] and [dgp()].
#' Coefficients of the trend require rows in memory.
#' @return The values are part of the fit, which [neargp()] returns.
#' @seealso [neargp()], [covariance], [response_family], [random_effects]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Simple kriging: the mean is known
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326)
#' known <- update(fit, fixed = c("(Intercept)" = 5))
#' anova(known, fit)
#' # A nugget ratio
#' coef(update(fit, fixed = c(nugget_ratio = 0.1)), what = "covariance")
#'
#' # The standard deviation of a random effect, and the shape of a gamma response
#' set.seed(1)
#' d <- data.frame(site = factor(rep(1:12, 8)), x = runif(96), y = runif(96))
#' d$amount <- rgamma(96, shape = 2, rate = 2 / exp(rnorm(12, sd = 0.5)[d$site]))
#' neargp(amount ~ (1 | site), d, coords = ~ x + y, family = Gamma("log"),
#'   fixed = c(shape = 2, "sd_(Intercept)|site" = 0.5))
#' @name fixed_parameters
NULL

# Fixed parameters of the family become those of its constructor, fixed coefficients of the trend an
# offset, and all others fixed rows of the layout.

check_fixed <- function(fixed) {
  if (is.null(fixed)) return(NULL)
  names <- names(fixed)
  valid <- is.numeric(fixed) && length(names) && all(nzchar(names)) && !anyDuplicated(names) &&
    all(is.finite(fixed))
  if (!valid) {
    abort_argument("fixed", "named numbers, such as c(shape = 2, nugget = 0.1)", fixed)
  }
  fixed
}

check_can_fix <- function(settings, rows) {
  if (is.null(settings$fixed)) return(invisible())
  if (is_output_response(stats::model.response(rows$frame), settings$family)) {
    refuse_fixed("several responses")
  }
  if (is_categorical(settings$family)) refuse_fixed("categories")
  check_can_fix_ratio(settings)
  able <- has_ability(settings$method, "fixed_parameters", settings$family)
  if (!able) refuse_fixed(sprintf("fits by %s", method_call(settings$method)))
}

refuse_fixed <- function(what) {
  abort_neargp("argument", c(sprintf("`fixed` does not support %s.", what),
    i = "Fix parameters of the covariance in `covariance`, and use an offset for a known trend."))
}

# ---- the family ----------------------------------------------------------------------------------

with_fixed_family <- function(family, fixed) {
  if (is_gaussian(family) || is.null(family_core_name(family))) return(family)
  own <- fixed[names(fixed) %in% family_parameter_names(family)]
  if (!length(own)) return(family)
  both <- intersect(names(own)[!is_fixed_at(own, family$fixed)], names(family$fixed))
  if (length(both)) refuse_fixed_twice(both, sprintf("`family = %s`", family_call(family)))
  check_positive_fixed(own)
  family$fixed <- c(family$fixed, own[!names(own) %in% names(family$fixed)])
  family
}

check_positive_fixed <- function(values) {
  if (all(values > 0)) return(invisible())
  abort_argument(paste0("fixed[\"", names(values)[values <= 0][1L], "\"]"), "greater than 0",
    values[values <= 0][1L])
}

# Arguments may have fixed the same parameters at the same values, as those of an earlier fit.
is_fixed_at <- function(fixed, values) {
  known <- as.double(values)[match(names(fixed), names(values))]
  !is.na(known) & abs(known - fixed) <= 1e-8 * abs(known)
}

refuse_fixed_twice <- function(names, by) {
  abort_neargp("argument", c(sprintf("%s is fixed twice, by `fixed` and by %s.",
    format_some(names), by), i = "Leave one of them out."))
}

# ---- covariance, noise and random effects --------------------------------------------------------

# Those of the family are fixed already. `trend`: the names of coefficients that are estimated.
with_fixed_rows <- function(layout, fixed, family, trend) {
  own <- fixed[!names(fixed) %in% names(family$fixed)]
  own <- with_nugget_of_ratio(own, layout)
  layout <- with_tied_nugget(layout, own)
  own <- own[names(own) != ratio_name]
  check_fixed_names(own, layout, trend)
  natural <- natural_values(layout, layout$value)
  own <- own[!is_fixed_at(own, natural)]
  if (!length(own)) return(layout)
  rows <- match(names(own), layout$name)
  both <- layout$name[rows][layout$fixed[rows]]
  if (length(both)) refuse_fixed_twice(both, "its argument")
  may_be_zero <- layout$kind[rows] == "nugget" & own == 0
  check_positive_fixed(own[!may_be_negative(layout)[rows] & !may_be_zero])
  natural[rows] <- own
  values <- core_values(layout, natural)
  layout$value[rows] <- values[rows]
  layout$fixed[rows] <- TRUE
  check_fixed_axes(layout)
  layout
}

check_fixed_names <- function(fixed, layout, trend) {
  unknown <- setdiff(names(fixed), layout$name)
  if (!length(unknown)) return(invisible())
  abort_neargp("argument", c(
    sprintf("`fixed` names parameters that the model does not include: %s.", format_some(unknown)),
    i = sprintf("It includes %s.", format_some(c(trend, layout$name[!layout$fixed]), 20L))))
}

# The range along the major axis determines that of the core given the ratios.
check_fixed_axes <- function(layout) {
  for (rows in anisotropy_rows(layout)) {
    fixed <- layout$fixed[rows$axes]
    if (all(fixed) || !any(fixed) && !layout$fixed[rows$range]) next
    abort_neargp("argument", c("A range along the major axis, a ratio or an angle cannot be fixed alone.",
      i = sprintf("Give %s together in `fixed`.", paste(layout$name[rows$axes], collapse = ", "))))
  }
}

# ---- the trend -----------------------------------------------------------------------------------

with_fixed_trend <- function(model, settings, streamed) {
  own <- settings$fixed[names(settings$fixed) %in% colnames(model$data$X)]
  if (!length(own)) return(model)
  if (streamed) refuse_fixed("coefficients of the trend for data that are read in pieces")
  if (is_class_data(model$data)) refuse_fixed("the trend of a classification")
  model$data[c("X", "offset")] <- without_fixed_columns(model$data$X, model$data$offset, own)
  model$fixed_trend <- own
  model
}

# The other parameters.
fixed_beyond_trend <- function(fixed, model) fixed[!names(fixed) %in% names(model$fixed_trend)]

# The line of print().
fixed_trend_remark <- function(fit) {
  fixed <- fit$fixed_trend
  if (!length(fixed)) return(NULL)
  sprintf("Fixed: %s.", paste(names(fixed), "=", vapply(fixed, format, "", digits = 4L),
    collapse = ", "))
}
