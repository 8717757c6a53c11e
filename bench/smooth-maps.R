# How large are the edges of prediction maps where one neighbour replaces another, and how much does predict(smooth = TRUE) cost? There are
# 600 observations on the unit square, and the parameters are known. Along 5 lines across the square, bisection finds every location where
# the set of neighbours changes. The mean is predicted on both sides, at a distance of 1e-12. `jumps` counts these locations for each unit
# of length. The root mean square and the largest jump are in standard deviations of the predictions there.
#
# At 1,000 new locations, the results are the root mean square difference from the dense mean, in dense standard deviations, and RMSE and
# CRPS of new observations. The coverage of 95% intervals is computed as well. `seconds` are CPU seconds for 2,500 cells on one thread.
#
#   Rscript bench/smooth-maps.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

n <- 600L
covariances <- list(exponential = cov_exponential(variance = 1, range = 0.2), matern_1.5 = cov_matern(nu = 1.5, variance = 1, range = 0.1))
distances <- function(a, b) sqrt(outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2)

# Observations of one field: those that are fitted, then new ones.
field <- function(covariance, nugget) {
  set.seed(5)
  places <- data.frame(x = runif(n + 1000), y = runif(n + 1000))
  factor <- chol(matrix(covariance_value(covariance, distances(places, places)), nrow(places)) + diag(1e-8, nrow(places)))
  places$z <- drop(crossprod(factor, rnorm(nrow(places)))) + rnorm(nrow(places), sd = sqrt(nugget))
  list(data = places[seq_len(n), ], new = places[-seq_len(n), ])
}

settings <- list(
  nearest = list(k = 60, sectors = 0, local_mean = FALSE),
  "nearest, smooth" = list(k = 60, sectors = 0, local_mean = FALSE, smooth = TRUE),
  default = list(),
  "default, smooth" = list(smooth = TRUE)
)

# Finds pairs of locations on lines between which the neighbours of a prediction change.
edges <- function(fit, setting) {
  given <- neargp:::predict_settings(fit, setting$k, setting$local_mean, if (isTRUE(setting$smooth)) 0 else setting$sectors)
  sets <- function(places) apply(as.matrix(neargp:::prediction_neighbors(fit, as.matrix(places), given)), 2L, function(set) paste(sort(set), collapse = " "))
  steps <- seq(0.01, 0.99, length.out = 300L)
  lines <- do.call(rbind, lapply(seq(0.1, 0.9, length.out = 5L), function(y) data.frame(x = steps, y = y + 0.03 * sin(9 * steps))))
  name <- sets(lines)
  i <- which(name[-1L] != name[-length(name)] & diff(lines$x) > 0)
  from <- lines[i, ]
  to <- lines[i + 1L, ]
  before <- name[i]
  for (halving in 1:30) {
    middle <- (from + to) / 2
    same <- sets(middle) == before
    from[same, ] <- middle[same, ]
    to[!same, ] <- middle[!same, ]
  }
  list(from = from, to = to, length = 5 * 0.98)
}

measure <- function(name, nugget) {
  drawn <- field(covariances[[name]], nugget)
  model <- function(method) neargp(z ~ 1, drawn$data, coords = ~ x + y, method = method, covariance = covariances[[name]], nugget = nugget,
    threads = 1)
  fit <- model(vecchia(k = 30))
  dense <- predict(model(exact_gp()), drawn$new, type = "link")
  cells <- expand.grid(x = seq(0, 1, length.out = 50), y = seq(0, 1, length.out = 50))
  do.call(rbind, lapply(names(settings), function(setting) {
    ask <- function(places, ...) do.call(predict, c(list(fit, places, threads = 1, verbose = FALSE, ...), settings[[setting]]))
    at <- edges(fit, settings[[setting]])
    left <- ask(at$from, type = "link")
    jump <- abs(ask(at$to, type = "link")$mean - left$mean) / left$sd
    new <- ask(drawn$new)
    score <- scores(new, observed = drawn$new$z)
    data.frame(covariance = name, nugget = nugget, setting = setting, jumps = length(jump) / at$length, rms_jump = sqrt(mean(jump^2)),
      largest_jump = max(jump), from_dense = sqrt(mean(((new$mean - dense$mean) / dense$sd)^2)), rmse = score$rmse, crps = score$crps,
      coverage = score$coverage, seconds = timed(ask(cells))$cpu)
  }))
}

cases <- expand.grid(nugget = 0.1, name = names(covariances), stringsAsFactors = FALSE)
save_table(do.call(rbind, Map(measure, cases$name, cases$nugget)), "smooth-maps", 3L)
