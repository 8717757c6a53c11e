# A field on the unit square with exponential covariance (variance 1, range 0.1) and a nugget. Returns its rows in maxmin order, and the
# nearest k before each row.
simulate_field <- function(n, k = 30L, nugget = 0.1) {
  coords <- matrix(stats::runif(2L * n), n)
  order <- neargp:::core_order(coords, "maxmin", 0, neargp:::plain_context())
  coords <- coords[order, ]
  neighbors <- as.matrix(neargp:::core_neighbors_before(coords, seq_len(n), k, neargp:::plain_context()))
  known <- data.frame(x = coords[1:500, 1L], y = coords[1:500, 2L])
  covariance <- exp(-as.matrix(stats::dist(known)) / 0.1)
  values <- drop(crossprod(chol(covariance), stats::rnorm(500L)))
  frame <- data.frame(x = coords[, 1L], y = coords[, 2L], z = NA_real_)
  frame$z[1:500] <- values
  list(frame = grow_field(frame, neighbors, nugget), neighbors = neighbors)
}

# Draws the remaining rows one by one, each given the nearest rows before it.
grow_field <- function(frame, neighbors, nugget) {
  x <- frame$x
  y <- frame$y
  z <- frame$z
  for (i in 501:nrow(frame)) {
    near <- neighbors[, i]
    d <- exp(-sqrt(outer(x[near], x[near], "-")^2 + outer(y[near], y[near], "-")^2) / 0.1)
    cross <- exp(-sqrt((x[near] - x[i])^2 + (y[near] - y[i])^2) / 0.1)
    weights <- solve(d, cross)
    z[i] <- sum(weights * z[near]) + sqrt(max(1 - sum(weights * cross), 0)) * stats::rnorm(1L)
  }
  frame$z <- z + stats::rnorm(nrow(frame), sd = sqrt(nugget))
  frame
}
