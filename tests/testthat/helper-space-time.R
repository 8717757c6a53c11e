# Stations at common times.
space_time_data <- function(places = 12, times = 6, seed = 1) {
  set.seed(seed)
  xy <- data.frame(x = runif(places), y = runif(places), height = rnorm(places))
  data <- data.frame(xy[rep(seq_len(places), times), ], day = rep(seq_len(times), each = places))
  data$z <- 2 + data$height + sin(5 * data$x + data$day) + cos(4 * data$y) +
    rnorm(nrow(data), sd = 0.3)
  data[sample.int(nrow(data)), ]
}
