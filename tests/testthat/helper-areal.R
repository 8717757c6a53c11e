# Responses on areas, and dense references of their fits.

# Squares over the unit square, and points after them.
areal_example <- function(across = 5L, places = 10L, seed = 5L, nugget = 0.05) {
  set.seed(seed)
  squares <- unit_squares(across, crs = 32633)
  at <- data.frame(x = stats::runif(places), y = stats::runif(places))
  geometry <- squares
  points <- square_points(across)
  if (places > 0L) {
    geometry <- c(squares, sf::st_geometry(sf::st_as_sf(at, coords = 1:2, crs = 32633)))
    points <- rbind(points, data.frame(area = across^2 + seq_len(places), at))
  }
  A <- averaging(points$area)
  field <- sin(6 * points$x) + cos(5 * points$y) + 0.5 * sin(20 * points$x * points$y)
  data <- sf::st_sf(height = stats::rnorm(nrow(A)), people = stats::runif(nrow(A), 0.5, 2),
    geometry = geometry)
  data$z <- 3 + data$height + drop(A %*% field) + stats::rnorm(nrow(A), sd = sqrt(nugget))
  list(data = data, points = points, A = A, coords = as.matrix(points[c("x", "y")]))
}

# The posterior of the field at locations and its likelihood, given means over areas, in plain R.
dense_areal <- function(fit, example, coords = NULL, X = NULL, A = example$A) {
  C <- function(a, b) dense_covariance(a, b, fit$core_covariance["components"])
  S <- A %*% C(example$coords, example$coords) %*% t(A) + diag(unname(fit$nugget) /
    fit$data$weights)
  vcov <- solve(crossprod(fit$data$X, solve(S, fit$data$X)))
  beta <- drop(vcov %*% crossprod(fit$data$X, solve(S, fit$data$y)))
  residual <- fit$data$y - drop(fit$data$X %*% beta)
  log_det <- as.double(determinant(S)$modulus)
  result <- list(S = S, beta = beta, vcov = vcov, log_likelihood = -0.5 * (length(residual) *
    log(2 * pi) + log_det + sum(residual * solve(S, residual))))
  if (is.null(coords)) return(result)
  cross <- A %*% C(example$coords, coords)
  weights <- solve(S, cross)
  unseen <- X - crossprod(weights, fit$data$X)
  c(result, list(mean = drop(X %*% beta + crossprod(weights, residual)),
    covariance = C(coords, coords) - crossprod(cross, weights) + unseen %*% vcov %*% t(unseen)))
}

# Cells of the side 0.05 over the unit square, with one layer.
fine_raster <- function(...) {
  layer <- list(...)
  fine <- terra::rast(nrows = 20, ncols = 20, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "EPSG:32633", vals = layer[[1L]])
  stats::setNames(fine, names(layer))
}
