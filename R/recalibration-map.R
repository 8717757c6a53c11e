# Distributions of a response under the map of a recalibration (R/recalibrate.R estimates it).

# The log density of q(x) at z.
recalibrated_log_density <- function(z, map) {
  x <- recalibrated_score(z, map)
  stats::dnorm(x, log = TRUE) - log(recalibrated_residual(x, map, deriv = 1L))
}

# q(x), and its slope. Beyond its ends splinefunH() is a line.
recalibrated_residual <- function(x, map, deriv = 0L) {
  if (is.null(map)) return(x)
  curve <- stats::splinefunH(map$score, map$residual, map$slope)
  x[] <- curve(as.vector(x), deriv)
  x
}

# The x with q(x) = z: bisection within the knots, to the last digit.
recalibrated_score <- function(z, map) {
  if (is.null(map)) return(z)
  last <- length(map$score)
  low <- map$residual[1L]
  high <- map$residual[last]
  x <- ifelse(z < low, map$score[1L] + (z - low) / map$slope[1L],
    map$score[last] + (z - high) / map$slope[last])
  inside <- which(z >= low & z <= high)
  at <- findInterval(z[inside], map$residual, all.inside = TRUE)
  found <- bisect(function(x) recalibrated_residual(x, map) > z[inside], map$score[at],
    map$score[at + 1L], steps = 52L)
  x[inside] <- (found$low + found$high) / 2
  x
}
