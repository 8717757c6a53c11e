# The probability that several responses all exceed their thresholds at a location. The linear
# predictors eta are jointly normal. Given them, the responses are independent:
#
#   P = E prod_m P(y_m > t_m | eta_m).
#
# The expectation is the mean over points of a lattice, Richtmyer's rule with random shifts: Genz,
# A. and Bretz, F. (2009), Computation of Multivariate Normal and t Probabilities, section 4.2. The
# scatter between shifts is its standard error.

shifts_of_exceedance <- 12L
points_of_exceedance <- 128L

# Columns for the rows of newdata: the probability and its standard error.
joint_exceedance <- function(object, newdata, outputs, wanted) {
  at <- joint_predictors(object, newdata, outputs, wanted$threads)
  points <- shifted_lattices(length(outputs), shifts_of_exceedance, points_of_exceedance)
  given <- exceedances_given_predictors(object, outputs, wanted)
  found <- vapply(seq_len(nrow(at$mean)), function(i) {
    eta <- at$mean[i, ] +
      crossprod(covariance_root(matrix(at$covariance[i, , ], length(outputs))), points)
    means <- rowMeans(matrix(given(eta), shifts_of_exceedance))
    c(mean(means), stats::sd(means) / sqrt(length(means)))
  }, double(2L))
  name <- if (wanted$threshold_of == "mean") "mean_exceed_all" else "exceed_all"
  spread_over_rows(stats::setNames(list(found[1L, ], found[2L, ]), paste0(c("p_", "se_"), name)),
    at$complete)
}

# A function of linear predictors, responses x points: the probability given each of these points.
exceedances_given_predictors <- function(object, outputs, wanted) {
  parts <- lapply(outputs, part_of, object = object)
  settings <- lapply(parts, function(part) {
    settings <- predict_settings(part, threads = wanted$threads)
    settings$trials <- 1
    settings
  })
  function(eta) {
    each <- lapply(seq_along(parts), function(m) {
      given <- given_distributions(parts[[m]], list(mean = eta[m, ], variance = double(ncol(eta))),
        settings[[m]])
      exceedance_columns(given, wanted$threshold[m], wanted$threshold_of)[[1L]]
    })
    Reduce(`*`, each)
  }
}

# Standard normal points, dimensions x points: those of all shifts of the first lattice point come
# first. The shifts are the same in each call.
shifted_lattices <- function(dimensions, shifts, count) {
  state <- seed_generator(1L)
  on.exit(state$restore())
  shift <- matrix(stats::runif(dimensions * shifts), dimensions)
  generators <- sqrt(first_primes(dimensions))
  at <- outer(generators, rep(seq_len(count), each = shifts)) +
    shift[, rep(seq_len(shifts), count), drop = FALSE]
  # the tent function |2u - 1| makes the integrand periodic
  stats::qnorm(pmin(pmax(abs(2 * (at %% 1) - 1), 1e-15), 1 - 1e-15))
}

first_primes <- function(count) {
  primes <- 2
  while (length(primes) < count) {
    next_one <- primes[length(primes)] + 1
    while (any(next_one %% primes == 0)) next_one <- next_one + 1
    primes <- c(primes, next_one)
  }
  primes
}
