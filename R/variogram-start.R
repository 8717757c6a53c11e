# start = "variogram": starting values by least squares from the empirical variogram of residuals of
# the trend, as gstat's fit.variogram() finds them.

# The most rows whose variogram is computed. All their pairs are a million, and no random numbers
# choose them.
variogram_rows <- 1400L

variogram_start <- function(start, data, locations, settings) {
  if (!is.character(start)) return(start)
  if (!identical(start, "variogram")) {
    abort_argument("start", "a fit of neargp(), named numbers or \"variogram\"", start)
  }
  check_variogram_start(data, locations, settings)
  component <- settings$covariance$components[[1L]]
  n <- length(data$y)
  rows <- unique(round(seq(1, n, length.out = min(n, variogram_rows))))
  coords <- data$coords[rows, seq_along(locations$embedded_names), drop = FALSE]
  table <- variogram_of(trend_left(data)[rows], new_variogram_space(coords, locations$unit),
    cutoff = NULL, width = NULL, estimator = "classical", directions = NULL, tolerance = 90,
    max_pairs = variogram_rows^2)
  nugget <- settings$nugget
  fitted <- least_squares_variogram(table, component$family,
    component$shape %||% component$start$shape %||% family_shape(component$family)$start,
    if (is.numeric(nugget)) nugget * mean(1 / data$weights))
  fitted[["nugget"]] <- fitted[["nugget"]] / mean(1 / data$weights)
  fitted
}

# Residuals of the trend by ordinary least squares.
trend_left <- function(data) {
  y <- data$y - data$offset
  if (!ncol(data$X)) return(y)
  stats::lm.fit(data$X, y)$residuals
}

# Variance, range and nugget by weighted least squares. A class of n pairs at the mean distance h
# weighs n / h^2, as by default in gstat. Given the range the problem is linear, and the range is
# searched. Parts that would be negative are 0. A search cannot leave a variance of 0, so that each
# part starts with at least a hundredth of the whole.
least_squares_variogram <- function(table, family, shape, nugget = NULL) {
  table <- table[table$distance > 0, ]
  weights <- table$n_pairs / table$distance^2
  component <- list(family = family, shape = shape %||% double(0))
  at <- function(log_range) {
    basis <- 1 - correlation_at(component, table$distance / exp(log_range))
    split <- split_variance(basis, table$gamma, weights, nugget)
    c(split, rest = sum(weights * (table$gamma - split[["nugget"]] - split[["variance"]] *
      basis)^2))
  }
  limits <- log(range(table$distance) * c(0.5, 3) / effective_distance(family, shape, 0.05))
  grid <- seq(limits[1L], limits[2L], length.out = 41L)
  best <- which.min(vapply(grid, function(x) at(x)[["rest"]], 0))
  found <- stats::optimize(function(x) at(x)[["rest"]], grid[pmin(pmax(best + c(-1, 1), 1), 41)],
    tol = 1e-8)$minimum
  split <- at(found)
  least <- 0.01 * (split[["nugget"]] + split[["variance"]])
  c(variance = max(split[["variance"]], least), range = exp(found),
    nugget = nugget %||% max(split[["nugget"]], least))
}

# The nugget and the variance that multiplies `basis`, neither negative.
split_variance <- function(basis, gamma, weights, nugget) {
  alone <- function(of) max(sum(weights * basis * of) / sum(weights * basis^2), 0)
  if (!is.null(nugget)) return(c(nugget = nugget, variance = alone(gamma - nugget)))
  mean_basis <- stats::weighted.mean(basis, weights)
  mean_gamma <- stats::weighted.mean(gamma, weights)
  apart <- sum(weights * (basis - mean_basis)^2)
  slope <- if (apart > 0) sum(weights * (basis - mean_basis) * gamma) / apart else 0
  nugget <- mean_gamma - slope * mean_basis
  if (slope < 0) return(c(nugget = mean_gamma, variance = 0))
  if (nugget < 0) return(c(nugget = 0, variance = alone(gamma)))
  c(nugget = nugget, variance = slope)
}

check_variogram_start <- function(data, locations, settings) {
  refuse <- function(what, hint = NULL) {
    abort_neargp("argument", c(sprintf("`start = \"variogram\"` is not available for %s.", what),
      i = hint %||% "Leave `start` out: starting values are then found from the data."))
  }
  covariance <- settings$covariance
  if (!is_gaussian(settings$family) || !is.null(data$output)) {
    refuse("responses other than a single Gaussian one")
  }
  if (!is.null(data$stream)) refuse("rows that are read in pieces")
  if (!is.null(locations$support)) refuse("areas")
  if (length(covariance$components) > 1L) refuse("a sum of covariances")
  if (has_local_fields(covariance) || has_no_distance(covariance) ||
    has_periodic(covariance) || has_zonal(covariance)) {
    refuse("this covariance", "It is for a stationary function of distance.")
  }
  groups <- range_groups(covariance$components[[1L]], locations)
  if (length(groups$names) > 1L) refuse("several ranges")
}
