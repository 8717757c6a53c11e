# Moments of mixtures over a normal linear predictor, where the family's mean or variance given eta
# lacks a closed expectation. Also starting values of the parameters of families.

# Mean and variance given eta may grow like exp(eta) and exp(2 eta). This moves the mass of their
# product with the normal density by one and by two standard deviations. For precision, the variance
# uses the square of m - c with c = E m, not the difference of E m^2 and c^2.
numeric_moments <- local({
  given <- function(mixture, what, eta) {
    matrix(mixture_family(mixture)[[what]](eta, mixture$parameters, mixture$trials), mixture$n)
  }
  mean <- function(mixture) {
    positive_expectation(mixture, function(part, eta, rows) given(part, "mean", eta), 1)
  }
  list(mean = mean, variance = function(mixture) {
    center <- mean(mixture)
    positive_expectation(mixture, function(part, eta, rows) {
      given(part, "variance", eta) + (given(part, "mean", eta) - center[rows])^2
    }, 2)
  })
})

# E h(eta) for an h that grows at most like exp(power * eta), by the trapezoidal rule. Here h bends
# over distances of 1 in eta, and the normal density over distances of 1 in z. Nodes are at most 0.3
# from each other in both. `h` takes a mixture of some rows, a matrix of eta with as many rows, and
# the numbers of these rows.
positive_expectation <- function(mixture, h, power, rows_at_once = 500L, most = 4000L) {
  value <- as.vector(h(mixture, as.matrix(mixture$mean), seq_len(mixture$n)))
  spread <- which(mixture$sd > 0)
  for (rows in split_rows(spread, rows_at_once)) {
    part <- mixture[rows]
    from <- -(normal_reach + 1.5)
    width <- power * part$sd - 2 * from
    cells <- min(ceiling(max(width / 0.3 * pmax(part$sd, 1))), most)
    z <- from + outer(width, seq(0, 1, length.out = cells + 1L))
    # where h overflows the product with the density does
    log_h <- log(h(part, part$mean + part$sd * z, rows)) + stats::dnorm(z, log = TRUE)
    value[rows] <- rowSums(exp(log_h)) * width / cells
  }
  value
}

# The parameters between `lower` and `upper` that would make the responses likeliest if the means
# were known. They are starting values where moments cannot distinguish parameters.
likeliest_parameters <- function(name, y, mu, weights, trials, start, lower, upper,
                                 at_most = 5000L) {
  family <- response_families[[name]]
  rows <- unique(round(seq(1, length(y), length.out = min(length(y), at_most))))
  trials <- rep_len(trials, length(y))[rows]
  value <- function(working) {
    parameters <- as.list(stats::setNames(exp(working), names(start)))
    eta <- pmin(pmax(family$predictor_of_mean(mu[rows], parameters), -30), 30)
    log_p <- family$density(y[rows], eta, parameters, trials, TRUE)
    -sum(weights[rows] * pmax(log_p, -1e4)) / length(rows)
  }
  found <- stats::nlminb(log(start), value, lower = log(lower), upper = log(upper))
  stats::setNames(exp(found$par), names(start))
}
