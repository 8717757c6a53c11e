# How much too narrow are 95% intervals by the lattice of predict(parameters = "integrated")? Their width is compared with that by the
# posterior on a grid of 24^3 points, computed with dense matrices. The grid is one of logarithms of variance, range and nugget. Predictions
# are made at a location among the data, at one near their edge and at one beyond them. The field on the unit square is exponential, with
# range 0.2 and nugget 0.09. The likelihood is restricted, with a prior of each parameter. The lattice of the package is the one in
# R/integrated-parameters.R. Other lattices can be named by spacing and drop.
#
#   Rscript bench/integrated-lattice.R [numbers of rows: 12,30] [spacings: 1.5,1.75] [drops: 7,4]
bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

new <- data.frame(x = c(0.5, 0.1, 2), y = c(0.5, 0.9, 2))
rate <- -log(0.05)

simulated <- function(n) {
  set.seed(n)
  data <- data.frame(x = runif(n), y = runif(n))
  data$z <- drop(crossprod(chol(exp(-as.matrix(dist(data)) / 0.2)), rnorm(n))) + 0.3 * rnorm(n)
  data
}

# At logarithms of variance, range and nugget: log density of the posterior, means and variances of new observations.
at_parameters <- function(log_values, data, distance, distance_new) {
  value <- exp(log_values)
  factor <- chol(value[1L] * exp(-distance / value[2L]) + diag(value[3L], nrow(data)))
  whitened <- backsolve(factor, cbind(1, data$z, value[1L] * exp(-distance_new / value[2L])), transpose = TRUE)
  one <- whitened[, 1L]
  beta <- sum(one * whitened[, 2L]) / sum(one^2)
  rest <- whitened[, 2L] - one * beta
  weights <- whitened[, -(1:2)]
  lacking <- 1 - drop(crossprod(weights, one))
  log_prior <- sum(log_values * c(1, -2, 1) / 2 - rate * c(1 / 3, 0.1, 1) * value^c(0.5, -1, 0.5))
  c(log_prior - sum(log(diag(factor))) - sum(rest^2) / 2 - log(sum(one^2)) / 2, beta + drop(crossprod(weights, rest)),
    value[1L] - colSums(weights^2) + lacking^2 / sum(one^2) + value[3L])
}

reference_widths <- function(data) {
  distance <- as.matrix(dist(data[c("x", "y")]))
  distance_new <- sqrt(outer(data$x, new$x, `-`)^2 + outer(data$y, new$y, `-`)^2)
  grid <- as.matrix(expand.grid(seq(-5, 6, length.out = 24L), seq(-5, 4, length.out = 24L), seq(-12, 2, length.out = 24L)))
  found <- apply(grid, 1L, at_parameters, data, distance, distance_new)
  weight <- exp(found[1L, ] - max(found[1L, ]))
  vapply(1:3, function(i) {
    limit <- function(p) uniroot(function(q) sum(weight * pnorm(q, found[1L + i, ], sqrt(found[4L + i, ]))) / sum(weight) - p, c(-60, 60),
      tol = 1e-9)$root
    limit(0.975) - limit(0.025)
  }, 0)
}

measure <- function(data, reference, spacing, drop) {
  lattice <- list(lattice_spacing = c(0.5, 1, spacing), lattice_drop = c(9, 7, drop))
  for (name in names(lattice)) utils::assignInNamespace(name, lattice[[name]], "neargp")
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(), method = exact_gp(), threads = 1L, verbose = FALSE,
    prior = pc_priors(range = c(0.1, 0.05), sd = c(3, 0.05), nugget_sd = c(1, 0.05)))
  predicting <- timed(predict(fit, new, parameters = "integrated", interval = "prediction", verbose = FALSE, threads = 1L))
  ratio <- (predicting$value$upper - predicting$value$lower) / reference
  points <- length(neargp:::integrated_fits(fit, neargp:::plain_context(1L))$fits)
  data.frame(n = nrow(data), spacing = spacing, drop = drop, points = points, inside = ratio[1L], near_edge = ratio[2L], beyond = ratio[3L],
    seconds = predicting$cpu)
}

spacings <- as.double(argument(2L, c("1.5", "1.75")))
drops <- as.double(argument(3L, c("7", "4")))
rows <- do.call(rbind, lapply(as.integer(argument(1L, c("12", "30"))), function(n) {
  data <- simulated(n)
  reference <- reference_widths(data)
  do.call(rbind, Map(function(spacing, drop) measure(data, reference, spacing, drop), spacings, drops))
}))
save_table(rows, "integrated-lattice", digits = 4L)
