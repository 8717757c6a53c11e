# neargp beside GpGp, alternating in the same run on one thread; CPU seconds, the least of the repetitions.
# (a) log-likelihood with gradient and information, microseconds a row; (b) maxmin ordering and ordered neighbours; (c) a whole fit.
# Expected from a trial of the kernel alone: about 2 microseconds a row at k = 30 against 34 (Matern 3/2).
#
# Usage: speed-gpgp.R [rows]; 50,000 by default.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
if (!has_gpgp()) quit("no")
Sys.setenv(NEARGP_THREADS = "1", OMP_NUM_THREADS = "1")
given <- commandArgs(TRUE)
n <- if (length(given)) as.integer(given[1L]) else 50000L
k <- 30L

# A field with exponential covariance (variance 1, range 0.1) on the unit square, nugget 0.1.
simulate_field <- function(n) {
  coords <- matrix(stats::runif(2L * n), n)
  order <- neargp:::core_order(coords, "maxmin", 0, 1L)
  coords <- coords[order, ]
  neighbors <- neargp:::core_neighbors_before(coords, seq_len(n), k, 1L)
  known <- data.frame(x = coords[1:500, 1L], y = coords[1:500, 2L])
  covariance <- exp(-as.matrix(stats::dist(known)) / 0.1)
  values <- drop(crossprod(chol(covariance), stats::rnorm(500L)))
  frame <- data.frame(x = coords[, 1L], y = coords[, 2L], z = NA_real_)
  frame$z[1:500] <- values
  list(frame = grow_field(frame, neighbors), neighbors = neighbors)
}

# The rest one by one, each given its nearest 30 before.
grow_field <- function(frame, neighbors) {
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
  frame$z <- z + stats::rnorm(nrow(frame), sd = sqrt(0.1))
  frame
}

least <- function(times, expression) {
  expression <- substitute(expression)
  frame <- parent.frame()
  min(vapply(seq_len(times), function(i) timed(eval(expression, frame))$cpu, 0))
}

evaluation <- function(label, name, family, shape, parameters, rows, times, estimated = length(parameters) == 4L) {
  frame <- field$frame[seq_len(rows), ]
  places <- as.matrix(frame[c("x", "y")])
  neighbors <- field$neighbors[, seq_len(rows)]
  table <- cbind(seq_len(rows), t(neighbors))
  X <- matrix(1, rows, 1L)
  component <- list(family = family, variance = 1, range = 0.1, group = c(1L, 1L), anisotropy = double(0), shape = shape)
  covariance <- list(components = list(component), active = c(TRUE, TRUE, rep(estimated, length(shape)), TRUE))
  problem <- neargp:::core_problem(places, cbind(frame$z, X), rep(1, rows), neighbors)
  calls <- max(1L, 50000L %/% rows) # one call on few rows is too short for the clock
  ours <- least(times * 5L, for (call in seq_len(calls)) neargp:::core_evaluate(problem, covariance, 0.1, TRUE, 1L)) / calls
  theirs <- least(times, GpGp::vecchia_profbeta_loglik_grad_info(parameters, name, frame$z, X, places, table))
  data.frame(task = paste("loglik + gradient + information,", label), n = rows, unit = "microseconds a row", neargp = 1e6 * ours / rows,
    GpGp = 1e6 * theirs / rows, ratio = theirs / ours)
}

value_only <- function() {
  places <- as.matrix(field$frame[c("x", "y")])
  component <- list(family = "matern", variance = 1, range = 0.1, group = c(1L, 1L), anisotropy = double(0), shape = 1.5)
  problem <- neargp:::core_problem(places, matrix(field$frame$z), rep(1, n), field$neighbors)
  ours <- least(15L, neargp:::core_evaluate(problem, list(components = list(component)), 0.1, FALSE, 1L))
  theirs <- least(3L, GpGp::vecchia_meanzero_loglik(c(1, 0.1, 0.1), "matern15_isotropic", field$frame$z, places,
    cbind(seq_len(n), t(field$neighbors))))
  data.frame(task = "loglik alone, Matern 3/2", n = n, unit = "microseconds a row", neargp = 1e6 * ours / n, GpGp = 1e6 * theirs / n,
    ratio = theirs / ours)
}

geometry <- function() {
  places <- as.matrix(field$frame[sample(n), c("x", "y")])
  ours <- least(3L, {
    order <- neargp:::core_order(places, "maxmin", 0, 1L)
    neargp:::core_neighbors_before(places, order, k, 1L)
  })
  theirs <- least(1L, {
    order <- GpGp::order_maxmin(places)
    GpGp::find_ordered_nn(places[order, ], k)
  })
  data.frame(task = "maxmin ordering + ordered neighbours", n = n, unit = "CPU seconds", neargp = ours, GpGp = theirs, ratio = theirs / ours)
}

# Each with its defaults but k = 30; GpGp's default groups observations, which is its faster way.
whole_fit <- function() {
  frame <- field$frame[sample(n), ]
  places <- as.matrix(frame[c("x", "y")])
  ours <- timed(neargp(z ~ 1, frame, coords = ~ x + y, covariance = cov_exponential(), method = vecchia(k), threads = 1L, verbose = FALSE))
  theirs <- timed(GpGp::fit_model(frame$z, places, covfun_name = "exponential_isotropic", silent = TRUE))
  report_fits(ours$value, theirs$value, frame, places)
  data.frame(task = "whole fit, exponential + nugget", n = n, unit = "CPU seconds", neargp = ours$cpu, GpGp = theirs$cpu,
    ratio = theirs$cpu / ours$cpu)
}

# Both estimates in the same likelihood, that of neargp's ordering and neighbours.
report_fits <- function(ours, theirs, frame, places) {
  p <- theirs$covparms
  fixed <- neargp(z ~ 1, frame, coords = ~ x + y, covariance = cov_exponential(variance = p[1L], range = p[2L]), nugget = p[1L] * p[3L],
    method = vecchia(k), threads = 1L, verbose = FALSE)
  cat("neargp:", signif(stats::coef(ours, what = "covariance"), 5L), "log-likelihood", format(ours$log_likelihood, nsmall = 2L), "\n")
  cat("GpGp:  ", signif(c(p[1:2], p[1L] * p[3L]), 5L), "log-likelihood in the same terms", format(fixed$log_likelihood, nsmall = 2L), "\n")
}

set.seed(1)
describe_run()
field <- simulate_field(n)
tenth <- max(1000L, n %/% 25L)
save_table(rbind(
  evaluation("exponential", "exponential_isotropic", "exponential", double(0), c(1, 0.1, 0.1), n, 3L),
  evaluation("Matern 3/2", "matern15_isotropic", "matern", 1.5, c(1, 0.1, 0.1), n, 3L),
  evaluation("Matern, nu estimated", "matern_isotropic", "matern", 0.8, c(1, 0.1, 0.8, 0.1), tenth, 1L),
  value_only(), geometry(), whole_fit()), "speed-gpgp", digits = 4L)
