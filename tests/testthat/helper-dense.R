# A dense reference written independently of the core, in plain R, straight from the formulas.

dense_correlation <- function(family, r, shape = NULL) {
  switch(family,
    exponential = exp(-r),
    gaussian = exp(-r^2),
    cosine = 1 - r^2,
    powered_exponential = exp(-r^shape),
    cauchy = (1 + r^2)^(-shape),
    spherical = ifelse(r < 1, 1 - 1.5 * r + 0.5 * r^3, 0),
    wendland = pmax(1 - r, 0)^(2 + 2 * shape) *
      list(1, 1 + 4 * r, 1 + 6 * r + 35 * r^2 / 3)[[shape + 1]],
    wave = ifelse(r > 0, sin(r) / r, 1),
    periodic = exp(-2 * sin(pi * r)^2 / shape^2),
    matern = ifelse(r > 0, 2^(1 - shape) / gamma(shape) * r^shape * besselK(r, shape), 1)
  )
}

# Distances in units of the ranges; the rotation by the eigenvectors of B = [[u, v], [v, -u]], or in
# three coordinates of the matrix that src/core/covariance/rotation.h defines.
dense_scaled <- function(coords, component) {
  scaled <- sweep(coords, 2L, component$range[component$group], "/")
  if (length(component$anisotropy)) {
    b <- component$anisotropy
    t <- b[5L] / sqrt(3)
    B <- if (length(b) == 2L) matrix(c(b[1L], b[2L], b[2L], -b[1L]), 2L) else
      matrix(c(b[1L] + t, b[2L], b[3L], b[2L], t - b[1L], b[4L], b[3L], b[4L], -2 * t), 3L)
    axes <- eigen(B, symmetric = TRUE)
    turned <- seq_len(ncol(B))
    scaled[, turned] <- scaled[, turned] %*% axes$vectors %*% diag(exp(-axes$values)) %*%
      t(axes$vectors)
  }
  scaled
}

dense_distance <- function(a, b) {
  sqrt(Reduce(`+`, lapply(seq_len(ncol(a)), function(j) outer(a[, j], b[, j], `-`)^2)))
}

dense_covariance <- function(a, b, covariance) {
  if (isTRUE(covariance$areal)) return(dense_areal_covariance(a, b, covariance))
  Reduce(`+`, lapply(covariance$components, function(component) {
    if (!is.null(component$by)) {
      column <- component$by
      component$by <- NULL
      return(outer(a[, column], b[, column]) * dense_covariance(a, b,
        list(components = list(component))))
    }
    if (length(component$warps)) {
      a <- dense_warped(a, component)
      b <- dense_warped(b, component)
      component <- dense_unwarped(component)
    }
    if (!is.null(component$space_time)) return(dense_space_time(a, b, component))
    if (!is.null(component$log_sd) || !is.null(component$log_range)) {
      return(dense_local_covariance(a, b, component))
    }
    places <- seq_along(component$group)
    r <- dense_distance(dense_scaled(a[, places, drop = FALSE], component),
      dense_scaled(b[, places, drop = FALSE], component))
    component$variance * matrix(dense_correlation(component$family, r, component$shape), nrow(a))
  }))
}

# Space-time covariances (Gneiting 2002, eq. 14; De Iaco, Myers and Posa 2001). Time is the only
# coordinate of the last range. A local covariance takes the place of the correlation in space, and
# local deviations multiply the whole.
dense_space_time <- function(a, b, component) {
  if (!is.null(component$log_sd)) {
    deviations <- lapply(list(a, b), function(x) dense_local_factor(component$log_sd, x))
    component$log_sd <- NULL
    return(outer(deviations[[1L]], deviations[[2L]]) * dense_space_time(a, b, component))
  }
  settings <- component$space_time
  time <- match(length(component$range), component$group)
  u <- abs(outer(a[, time], b[, time], `-`)) / component$range[length(component$range)]
  space <- dense_space_of(component, time)
  if (settings$model == "gneiting") {
    psi <- 1 + u^(2 * settings$alpha)
    wider <- psi^(settings$beta / 2)
    return(component$variance / psi * dense_in_space(space, a[, -time, drop = FALSE],
      b[, -time, drop = FALSE], wider))
  }
  if (settings$model == "metric") return(dense_local_covariance(a, b, component, time))
  in_space <- dense_in_space(space, a[, -time, drop = FALSE], b[, -time, drop = FALSE], 1)
  in_time <- dense_correlation(settings$time_family, u, settings$time_shape)
  if (settings$model == "separable") return(component$variance * in_space * in_time)
  product <- settings$product
  component$variance * (product * in_space * in_time + (1 - product) * (settings$space * in_space +
    (1 - settings$space) * in_time))
}

# The component of unit variance in the coordinates of space.
dense_space_of <- function(component, time) {
  component$group <- component$group[-time]
  component$range <- component$range[-length(component$range)]
  component$log_range$columns <- component$log_range$columns - 1L
  component$variance <- 1
  component
}

dense_in_space <- function(space, a, b, wider) {
  if (!is.null(space$log_range$coefficients)) {
    stopifnot(all(wider == 1))
    return(dense_local_covariance(a, b, space))
  }
  places <- seq_along(space$group)
  h <- dense_distance(dense_scaled(a[, places, drop = FALSE], space),
    dense_scaled(b[, places, drop = FALSE], space))
  matrix(dense_correlation(space$family, h / wider, space$shape), nrow(a))
}

# Rows that are areas: means over all pairs of points, which are columns after those of a location.
dense_areal_covariance <- function(a, b, covariance) {
  covariance$areal <- NULL
  places <- length(covariance$components[[1L]]$group)
  first <- seq(places, ncol(a) - 1L, by = places + 1L)
  Reduce(`+`, lapply(first, function(i) Reduce(`+`, lapply(first, function(j) {
    of_points <- dense_covariance(a[, i + seq_len(places), drop = FALSE],
      b[, j + seq_len(places), drop = FALSE], covariance)
    outer(a[, i + places + 1L], b[, j + places + 1L]) * of_points
  }))))
}

dense_noisy <- function(data, covariance, nugget) {
  dense_covariance(data$coords, data$coords, covariance) + diag(nugget / data$weights)
}

# log N(y; offset + X beta, S) at the generalised least squares beta.
dense_fit <- function(data, covariance, nugget) {
  S <- dense_noisy(data, covariance, nugget)
  solved <- solve(S, cbind(data$y - data$offset, data$X))
  y <- data$y - data$offset
  vcov <- solve(crossprod(data$X, solved[, -1L, drop = FALSE]))
  beta <- drop(vcov %*% crossprod(data$X, solved[, 1L]))
  e <- y - drop(data$X %*% beta)
  value <- -0.5 * (length(y) * log(2 * pi) + as.numeric(determinant(S)$modulus) +
    drop(crossprod(e, solve(S, e))))
  list(value = value, beta = beta, vcov = vcov)
}

# Universal kriging from all data, as in a textbook: mean and variance of the latent field.
dense_krige <- function(data, covariance, nugget, newcoords, X0, offset0 = 0) {
  S <- dense_noisy(data, covariance, nugget)
  fit <- dense_fit(data, covariance, nugget)
  cross <- dense_covariance(data$coords, newcoords, covariance)
  weights <- solve(S, cross)
  unseen <- X0 - crossprod(weights, data$X)
  mean <- offset0 + drop(X0 %*% fit$beta) +
    drop(crossprod(weights, data$y - data$offset - data$X %*% fit$beta))
  covariance0 <- dense_covariance(newcoords, newcoords, covariance) - crossprod(cross, weights) +
    unseen %*% fit$vcov %*% t(unseen)
  list(mean = mean, variance = diag(covariance0), covariance = covariance0)
}

# Each row, or each group of them, taken away and predicted by universal kriging from what is left.
dense_leave_one_out <- function(data, covariance, nugget, group = seq_along(data$y)) {
  result <- list(mean = double(length(data$y)), sd = double(length(data$y)))
  for (g in unique(group)) {
    out <- which(group == g)
    kriged <- dense_krige(take_data_rows(data, -out), covariance, nugget,
      data$coords[out, , drop = FALSE], data$X[out, , drop = FALSE], data$offset[out])
    result$mean[out] <- kriged$mean
    result$sd[out] <- sqrt(kriged$variance + nugget / data$weights[out])
  }
  result
}

# sum_i log N(y_i; b'y_n(i), f) for any conditioning sets (a list of rows), given the trend.
dense_conditional_score <- function(data, covariance, nugget, beta, sets) {
  S <- dense_noisy(data, covariance, nugget)
  e <- data$y - data$offset - drop(data$X %*% beta)
  sum(vapply(seq_along(e), function(i) {
    set <- sets[[i]]
    if (!length(set)) return(stats::dnorm(e[i], 0, sqrt(S[i, i]), log = TRUE))
    b <- solve(S[set, set, drop = FALSE], S[set, i])
    stats::dnorm(e[i], sum(b * e[set]), sqrt(S[i, i] - sum(b * S[set, i])), log = TRUE)
  }, 0))
}

dense_fit_without_trend <- function(fit) {
  S <- dense_noisy(fit$data, fit$core_covariance, fit$nugget)
  y <- fit$data$y - fit$data$offset
  -0.5 * (length(y) * log(2 * pi) + as.numeric(determinant(S)$modulus) + drop(y %*% solve(S, y)))
}

# The fit with these coefficients of the user's columns and their covariance matrix.
given_trend <- function(fit, beta, vcov) {
  inverse <- solve(fit$data$basis$back)
  fit$beta[] <- beta
  fit$beta_vcov[] <- vcov
  fit$core_trend <- list(beta = drop(inverse %*% beta) - fit$data$basis$at, beta_vcov = inverse %*%
    vcov %*% t(inverse))
  fit
}

# The component of a covariance in whose metric distances are those of the coordinates.
core_unit_metric <- function(dim) {
  list(family = "exponential", variance = 1, range = 1, group = rep(1L, dim),
    anisotropy = double(0), shape = double(0))
}
