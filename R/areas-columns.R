# The columns of predict_areas() from the support of the areas: normal ones where the response is
# the field, else from joint draws at the points of each area. With parameters = "integrated" they
# are those of the mixture of the areas by the fits at the points of the design.

# A list of `columns`, a data frame with a row for each area, and with joint = TRUE `covariance`.
area_columns <- function(object, support, settings) {
  known <- unique(support$area)
  found <- if (!length(known)) NULL else if (settings$linear)
    linear_areas(object, support, settings) else response_areas(object, support, settings)
  spread_over_areas(found, known, support, settings)
}

linear_areas <- function(object, support, settings) {
  moments_by <- function(fit) {
    if (settings$part == "trend") return(trend_of_areas(fit, support))
    moments_of_areas(area_posterior(fit$method, fit, support, settings), support, settings)
  }
  if (!settings$integrated) return(normal_areas(moments_by(object), support, settings))
  distribution <- integrated_distribution(object, settings$context, function(fit) {
    distribution_of_areas(moments_by(fit), support)
  })
  list(columns = columns_of_areas(distribution, settings))
}

# Mean and variance of the weighted mean over each area with points, and the covariance matrix of
# these where it is wanted.
moments_of_areas <- function(posterior, support, settings) {
  unseen <- area_means(posterior$unseen, support)
  moments <- list(mean = drop(area_means(posterior$mean, support)))
  if (settings$joint) {
    moments$covariance <- posterior$covariance() + unseen %*% posterior$vcov %*% t(unseen)
    moments$variance <- diag(moments$covariance)
  } else {
    moments$variance <- posterior$variances() + row_forms(unseen, posterior$vcov)
  }
  moments$variance <- pmax(moments$variance, 0)
  moments
}

trend_of_areas <- function(object, support) {
  X <- area_means(support$target$X, support)
  moments <- moments_of_trend(object, X, drop(area_means(support$target$offset, support)))
  columns <- design_columns(object$data, X)
  moments$covariance <- columns %*% uncertain_trend(object)$beta_vcov %*% t(columns)
  moments
}

# The total of each area with points, 1 for means.
scale_of_areas <- function(support) {
  known <- unique(support$area)
  if (is.null(support$total)) rep(1, length(known)) else support$total[known]
}

normal_areas <- function(moments, support, settings) {
  scale <- scale_of_areas(support)
  list(columns = columns_of_areas(distribution_of_areas(moments, support), settings),
    covariance = if (settings$joint) moments$covariance * outer(scale, scale))
}

distribution_of_areas <- function(moments, support) {
  scale <- scale_of_areas(support)
  new_normal(scale * moments$mean, scale * sqrt(moments$variance))
}

columns_of_areas <- function(distribution, settings) {
  predictive_columns(list(field = distribution, observation = distribution), settings)
}

# Areas without points are NA; the total over one without any weight is 0.
spread_over_areas <- function(found, known, support, settings) {
  count <- length(support$points)
  columns <- found$columns %||% normal_areas(list(mean = double(0), variance = double(0),
    covariance = matrix(0, 0L, 0L)), support, settings)$columns
  spread <- lapply(columns, function(x) replace(rep(NA_real_, count), known, x))
  empty <- if (!is.null(support$total)) which(support$points == 0L & support$total %in% 0)
  for (name in setdiff(names(spread), grep("^p_exceed", names(spread), value = TRUE))) {
    spread[[name]][empty] <- 0
  }
  covariance <- NULL
  if (settings$joint) {
    covariance <- matrix(NA_real_, count, count)
    if (length(known)) covariance[known, known] <- found$covariance
    covariance[empty, ] <- covariance[, empty] <- 0
  }
  columns <- as.data.frame(spread, optional = TRUE)
  columns$points <- support$points
  list(columns = columns, covariance = covariance)
}
