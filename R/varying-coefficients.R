#' Spatially varying coefficients
#'
#' @description
#' `by = ~ x` of a [covariance] component lets the coefficient of `x` vary in space.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326, covariance = cov_matern() + cov_matern(by = ~ elevation))
#' plot(fit, "coefficients")
#' ```
#'
#' @details
#' `cov_matern() + cov_matern(by = ~ x)` is the model `y = X beta + w0(s) + x w1(s) + noise` with
#' independent processes `w0` and `w1` (Gelfand et al. 2003). The covariance of the component with
#' `by` is `x[i] x[j] C(s[i], s[j])`. If `x` is in the trend, its coefficient at `s` is `beta +
#' w1(s)`. Use one component for each column or level: `by = ~ I(habitat == "forest")`.
#'
#' `variance` is that of `w1`, in squared units of the response per squared unit of `x`. `x` is not
#' centred, and `w0` is the process where `x = 0`. If that is far from the data, use `by = ~
#' scale(x)`. Starting values, [covariance_value()] and variograms use the root mean square of `x`,
#' which `print()` reports. Use `factor(year)` for [replicates].
#'
#' If `x` itself is smooth in space, `w0` and `w1` are difficult to separate, and 95% intervals of
#' the coefficient typically cover 87%. A process whose range is below the spacing of the data is
#' noise, see [noise].
#'
#' Methods, missing values and `newdata` are as for [nonstationary_covariance], whose formulas you
#' can combine with `by`.
#' @references Gelfand, A. E., Kim, H.-J., Sirmans, C. F. and Banerjee, S. (2003). Spatial modeling
#'   with spatially varying coefficient processes. *Journal of the American Statistical Association*
#'   98, 387–396.
#' @seealso [predict.neargp()] with `type = "coefficients"`, [plot.neargp()].
#' @examples
#' # The effect of nitrogen on the yield increases and decreases towards the east
#' set.seed(1)
#' plots <- data.frame(east = runif(200), north = runif(200), nitrogen = rnorm(200, 5))
#' plots$yield <- 20 + (1 + sin(3 * plots$east)) * plots$nitrogen + rnorm(200, sd = 0.3)
#' fit <- neargp(yield ~ nitrogen, plots, coords = ~ east + north, method = vecchia(k = 15),
#'   covariance = cov_matern() + cov_matern(by = ~ nitrogen))
#' fit
#' predict(fit, data.frame(east = c(0.1, 0.5), north = 0.5), type = "coefficients")
#' plot(fit, "coefficients")
#' @name varying_coefficients
NULL

# Surfaces of coefficients: for the column x, the field w(s) of the components that it multiplies,
# plus beta where the trend contains x as well. With r_c(s0, s_i) the covariance of component c,
# that of datum i with w(s0) is x_i r_c(s0, s_i). The part of the trend is the unit vector of beta.
# This is kriging of a target at which the column is 1 and all others are 0. The others include
# those of components without a column, which are 1 at data. A fit is therefore made in which each
# component uses a column, and its ordinary predictor returns the surfaces.

# The columns of the surfaces: their names, the columns of coordinates that are 1 at the target, and
# the unit of these columns in the core. `trend`: the column of the trend that is the same.
surfaces_of <- function(fit) {
  recipes <- by_recipes(fit$locations)
  names <- vapply(recipes, `[[`, "", "names")
  lapply(split(recipes, factor(names, unique(names))), function(own) {
    columns <- vapply(own, `[[`, 0L, "columns")
    list(name = own[[1L]]$names, columns = columns, unit = vapply(own, `[[`, 0, "scale"),
      trend = same_trend_column(fit, fit$data$coords[, columns[1L]] * own[[1L]]$scale))
  })
}

# NA if the trend lacks such a column. Rounding of its unit may have changed its last digits.
same_trend_column <- function(fit, column) {
  X <- fit$data$X
  if (!ncol(X)) return(NA_integer_)
  largest <- max(abs(column))
  same <- colSums(abs(X - column) > 1e-12 * largest) == 0
  if (any(same)) which(same)[[1L]] else NA_integer_
}

# The fit in which each component uses a column that new rows need not have.
with_all_columns <- function(fit) {
  without <- which(vapply(fit$core_covariance$components, function(x) is.null(x$by), NA))
  if (length(without)) {
    column <- ncol(fit$data$coords) + 1L
    fit$data$coords <- cbind(fit$data$coords, 1)
    if (!is.null(fit$posterior$coords)) fit$posterior$coords <- cbind(fit$posterior$coords, 1)
    for (component in without) fit$core_covariance$components[[component]]$by <- column
    fit$locations$local <- c(fit$locations$local, list(list(kind = "by", component = without[1L],
      columns = column, names = "(Intercept)", scale = 1)))
  }
  is_column <- vapply(fit$locations$local, function(recipe) recipe$kind == "by", NA)
  fit$locations$local[is_column] <- lapply(fit$locations$local[is_column], replace, "left_out",
    TRUE)
  fit$covariance$components <- lapply(fit$covariance$components, function(component) {
    component$local["by"] <- list(NULL)
    component
  })
  without_trend(with_own_cache(fit))
}

cached_all_columns <- function(object, context) {
  cached(object, "all_columns", context, with_all_columns(object))
}

check_varying_coefficients <- function(fit) {
  if (has_varying_coefficients(fit)) return(invisible())
  abort_neargp("local", c("No component of the fit's covariance is multiplied by a column.",
    i = "`by` of a covariance makes coefficients that vary: cov_matern() + cov_matern(by = ~ x).",
    i = "Coefficients of the trend are coef(fit)."))
}

# Columns of the result: of each surface its mean, sd and limits.
predicted_coefficients <- function(object, newdata, settings) {
  check_varying_coefficients(object)
  if (reads_shards(object)) refuse_on_workers("type = \"coefficients\"", "Fit rows in memory.")
  if (settings$integrated) {
    abort_argument("parameters", "\"plug-in\" with type = \"coefficients\"", "integrated")
  }
  settings$context <- prediction_context(object, target_size(newdata), settings)
  fit <- cached_all_columns(object, settings$context)
  surfaces <- surfaces_of(fit)
  columns_at <- function(target) surface_columns(surface_moments(fit, target, surfaces, settings),
    surfaces, settings)
  if (!is_raster(newdata)) {
    target <- new_target(fit, newdata, "process")
    return(target$restore(columns_at(target)))
  }
  require_package("terra", "for SpatRaster objects")
  check_raster(fit, newdata)
  raster_by_blocks(newdata, settings, function(cells) {
    columns_at(raster_target(fit, newdata, cells, "process"))
  })
}

surface_moments <- function(fit, target, surfaces, settings) {
  lapply(surfaces, function(surface) {
    target$coords[, surface$columns] <- rep(1 / surface$unit, each = nrow(target$coords))
    if (!is.na(surface$trend)) target$X[, surface$trend] <- 1
    chunked_moments(fit, target, settings)
  })
}

surface_columns <- function(moments, surfaces, settings) {
  columns <- list()
  for (i in seq_along(surfaces)) {
    name <- surfaces[[i]]$name
    sd <- sqrt(moments[[i]]$variance)
    columns[c(name, paste0(name, "_sd"))] <- list(moments[[i]]$mean, sd)
    if (settings$interval == "none") next
    columns[paste0(name, c("_lower", "_upper"))] <- normal_limits(moments[[i]]$mean, sd,
      settings$level)
  }
  structure(columns, class = "data.frame", row.names = .set_row_names(length(columns[[1L]])))
}

# ---- what print() says ---------------------------------------------------------------------------

# "variance_2 is per squared unit of x, whose root mean square is 1.2; ..."
varying_lines <- function(fit) {
  several <- length(fit$covariance$components) > 1L
  lines <- vapply(by_recipes(fit$locations), function(recipe) {
    sprintf("variance%s is per squared unit of %s, whose root mean square over the rows is %s.",
      if (several) paste0("_", recipe$component) else "", recipe$names,
      format_three_digits(recipe$scale))
  }, "")
  surfaces <- surfaces_of(fit)
  absent <- vapply(Filter(function(surface) is.na(surface$trend), surfaces), `[[`, "", "name")
  c(lines, if (length(absent))
    sprintf("The trend does not include %s: %s vary around 0.", format_some(unname(absent)),
      if (length(absent) == 1L) "its coefficients" else "their coefficients"),
    "See predict(type = \"coefficients\"), plot(fit, \"coefficients\").")
}
