# Areas and dense references of their predictions.

# Squares of side 1 / `across` over the unit square. The centres of `per_side`^2 cells of each
# square are the points that stand for it, in a data frame with the number of the area.
unit_squares <- function(across = 3L, crs = sf::NA_crs_) {
  testthat::skip_if_not_installed("sf")
  corner <- expand.grid(x = seq_len(across) - 1, y = seq_len(across) - 1) / across
  square <- function(x, y) {
    sf::st_polygon(list(cbind(x + c(0, 1, 1, 0, 0) / across, y + c(0, 0, 1, 1, 0) / across)))
  }
  sf::st_sfc(Map(square, corner$x, corner$y), crs = crs)
}

square_points <- function(across = 3L, per_side = 4L) {
  corner <- expand.grid(x = seq_len(across) - 1, y = seq_len(across) - 1) / across
  inner <- expand.grid(x = seq_len(per_side) - 0.5, y = seq_len(per_side) - 0.5) /
    (across * per_side)
  do.call(rbind, lapply(seq_len(across^2), function(area) {
    data.frame(area = area, x = corner$x[area] + inner$x, y = corner$y[area] + inner$y)
  }))
}

# The matrix that takes values at the points to their (weighted) means over the areas.
averaging <- function(area, weight = rep(1, length(area))) {
  sums <- outer(unique(area), area, "==") * rep(weight, each = length(unique(area)))
  sums / rowSums(sums)
}

# The linear predictor at points given normal observations of precision W of it at the rows of a
# fit, with the trend of the fit: mean and covariance matrix. `jitter` is the variance added to each
# location.
dense_field_at <- function(fit, coords, X, precision, observed, jitter = 0, offset = 0) {
  K <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)
  S <- K + diag(jitter + 1 / precision)
  cross <- dense_covariance(fit$data$coords, coords, fit$core_covariance)
  weights <- solve(S, cross)
  unseen <- X - crossprod(weights, fit$data$X)
  covariance <- dense_covariance(coords, coords, fit$core_covariance) + diag(jitter, nrow(coords)) -
    crossprod(cross, weights) + unseen %*% vcov(fit) %*% t(unseen)
  residual <- observed - fit$data$offset - drop(fit$data$X %*% coef(fit))
  list(mean = offset + drop(X %*% coef(fit)) + drop(crossprod(weights, residual)),
    covariance = covariance)
}

# Responses of a fit with a nugget.
dense_gaussian_at <- function(fit, coords, X = matrix(1, nrow(coords)), ...) {
  dense_field_at(fit, coords, X, fit$data$weights / fit$nugget, fit$data$y, ...)
}

area_data <- function(n = 120L, seed = 3L) {
  set.seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
    precision = stats::runif(n, 0.5, 2))
  field <- sin(5 * data$x) + cos(4 * data$y)
  data$z <- 5 + 0.5 * data$height + field + stats::rnorm(n, sd = 0.3)
  data$count <- stats::rpois(n, exp(0.5 + 0.7 * field))
  data
}
