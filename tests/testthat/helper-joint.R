# Three responses at 60 locations, whose fits were computed by a dense program of its own.
three_responses_data <- function() {
  i <- 1:60
  x <- round((i * 0.7548776662) %% 1, 3)
  y <- round((i * 0.5698402910) %% 1, 3)
  z <- round(sin(3 * i), 3)
  w <- sin(6 * x) + cos(5 * y)
  v <- cos(7 * x - 2 * y)
  d <- data.frame(x, y, z, y1 = round(exp(0.5 + 0.3 * z + 0.6 * w + 0.4 * sin(11 * i))),
    y2 = as.integer(0.5 * w + v + sin(7 * i) > 0),
    y3 = round(exp(1 - 0.4 * z - 0.5 * w + 0.3 * v + 0.5 * cos(13 * i)), 3))
  d$y2[51:60] <- NA
  d$y3[1:20] <- NA
  d
}

# Universal cokriging of a ~ z and b ~ 1 by dense algebra: means, and the covariance matrix of the
# linear predictors at each location. `total` is that of all of them, a's first.
dense_cokriging <- function(d, at, B, nuggets, range) {
  rows <- rbind(data.frame(d[c("x", "y", "z")], m = 1L, value = d$a),
    data.frame(d[c("x", "y", "z")], m = 2L, value = d$b))
  rows <- rows[!is.na(rows$value), ]
  new <- rbind(data.frame(at[c("x", "y", "z")], m = 1L), data.frame(at[c("x", "y", "z")], m = 2L))
  covariance <- function(p, q) {
    h <- sqrt(outer(p$x, q$x, "-")^2 + outer(p$y, q$y, "-")^2)
    B[cbind(rep(p$m, nrow(q)), rep(q$m, each = nrow(p)))] * exp(-h / range)
  }
  design <- function(p) cbind(p$m == 1L, (p$m == 1L) * p$z, p$m == 2L)
  V <- matrix(covariance(rows, rows), nrow(rows)) + diag(nuggets[rows$m])
  C <- matrix(covariance(rows, new), nrow(rows))
  X <- design(rows)
  precision <- solve(V)
  trend <- solve(t(X) %*% precision %*% X)
  beta <- trend %*% t(X) %*% precision %*% rows$value
  left <- design(new) - t(C) %*% precision %*% X
  mean <- design(new) %*% beta + t(C) %*% precision %*% (rows$value - X %*% beta)
  total <- matrix(covariance(new, new), nrow(new)) - t(C) %*% precision %*% C +
    left %*% trend %*% t(left)
  count <- nrow(at)
  list(mean = matrix(mean, count), covariance = lapply(seq_len(count), function(i) {
    total[c(i, count + i), c(i, count + i)]
  }), total = total)
}
