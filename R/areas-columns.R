# The columns of predict_areas() from the support of the areas: normal ones where the response is
# the field, else from joint draws at the points of each area.

# A list of `columns`, a data frame with a row for each area, and with joint = TRUE `covariance`.
area_columns <- function(object, support, settings) {
  known <- unique(support$area)
  found <- if (!length(known)) NULL else if (settings$part == "trend") {
    normal_areas(trend_of_areas(object, support), support, settings)
  } else {
    posterior <- area_posterior(object$method, object, support, settings)
    if (settings$linear) normal_areas(moments_of_areas(posterior, support, settings), support,
      settings) else response_areas(object, posterior, support, settings)
  }
  spread_over_areas(found, known, support, settings)
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
  mean <- scale * moments$mean
  sd <- scale * sqrt(moments$variance)
  of_areas <- new_normal(mean, sd)
  list(columns = predictive_columns(list(field = of_areas, observation = of_areas), settings),
    covariance = if (settings$joint) moments$covariance * outer(scale, scale))
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
