# The probability that several responses all exceed their thresholds at a location. The linear
# predictors eta are jointly normal. Given them, the responses are independent:
#
#   P = E prod_m P(y_m > t_m | eta_m).
#
# The expectation is the mean over points of a lattice, Richtmyer's rule with random shifts: Genz,
# A. and Bretz, F. (2009), Computation of Multivariate Normal and t Probabilities, section 4.2. The
# scatter between shifts is its standard error. For means each factor is 0 or 1, and a mean over
# points would be coarse. P is then the normal probability that all predictors exceed limits, whose
# transform is smooth (section 4.1.1 there).

shifts_of_exceedance <- 12L
points_of_exceedance <- 128L

# Columns for the rows of newdata: the probability and its standard error.
joint_exceedance <- function(object, newdata, outputs, wanted) {
  at <- joint_predictors(object, newdata, outputs, wanted$threads)
  uniform <- shifted_lattices(length(outputs), shifts_of_exceedance, points_of_exceedance)
  of_mean <- wanted$threshold_of == "mean"
  at_points <- if (of_mean) exceedances_of_means(object, outputs, wanted, uniform) else
    exceedances_of_observations(object, outputs, wanted, stats::qnorm(uniform))
  found <- vapply(seq_len(nrow(at$mean)), function(i) {
    own <- lapply(at$parameter_columns, lapply, function(x) x[i, , drop = FALSE])
    if (anyNA(unlist(own))) return(c(NA_real_, NA_real_))
    each <- at_points(at$mean[i, ], matrix(at$covariance[i, , ], length(outputs)), own)
    means <- rowMeans(matrix(each, shifts_of_exceedance))
    c(mean(means), stats::sd(means) / sqrt(length(means)))
  }, double(2L))
  name <- if (of_mean) "mean_exceed_all" else "exceed_all"
  spread_over_rows(stats::setNames(list(found[1L, ], found[2L, ]), paste0(c("p_", "se_"), name)),
    at$complete)
}

# Functions of mean and covariance matrix of the linear predictors at a location, and of the
# covariates of family parameters there, by response. They return a value for each point of the
# lattice. The expectation of these values is the probability.
exceedances_of_observations <- function(object, outputs, wanted, points) {
  given <- exceedances_given_predictors(object, outputs, wanted)
  function(mean, covariance, columns) {
    given(mean + crossprod(covariance_root(covariance), points), columns)
  }
}

exceedances_of_means <- function(object, outputs, wanted, uniform) {
  parts <- lapply(outputs, part_of, object = object)
  settings <- lapply(parts, exceedance_settings, wanted = wanted)
  limits_at <- function(columns) vapply(seq_along(parts), function(m) {
    given <- given_distributions(parts[[m]], list(mean = 0, variance = 0,
      parameter_columns = columns[[m]]), settings[[m]])
    as.double(field_of_mean(wanted$threshold[m], given$observation))
  }, 0)
  everywhere <- if (!has_parameter_models(parts)) limits_at(NULL)
  function(mean, covariance, columns) {
    beyond_limits(mean, covariance, everywhere %||% limits_at(columns), uniform)
  }
}

has_parameter_models <- function(parts) {
  any(vapply(parts, function(part) !is.null(part$data$parameter_models), NA))
}

# Predictors are drawn one after the other, each beyond its limit given those before. The product of
# the probabilities of these limits is smooth in the uniform points, dimensions x points. The
# probability varies least if the predictor that is least likely beyond its limit comes first.
beyond_limits <- function(mean, covariance, limits, uniform, farthest = 40) {
  order <- order((mean - limits) / sqrt(pmax(diag(covariance), 1e-300)))
  mean <- mean[order]
  covariance <- covariance[order, order, drop = FALSE]
  limits <- limits[order]
  ridge <- 1e-10 * max(diag(covariance)) + 1e-300  # fields may be the same
  root <- t(chol(covariance + diag(ridge, length(mean))))
  drawn <- 0 * uniform
  probability <- 1
  for (m in seq_along(mean)) {
    before <- seq_len(m - 1L)
    center <- mean[m] + drop(root[m, before, drop = FALSE] %*% drawn[before, , drop = FALSE])
    beyond <- stats::pnorm((limits[m] - center) / root[m, m], lower.tail = FALSE)
    drawn[m, ] <- clip(stats::qnorm(uniform[m, ] * beyond, lower.tail = FALSE), farthest)
    probability <- probability * beyond
  }
  probability
}

clip <- function(x, farthest) pmin(pmax(x, -farthest), farthest)

# A function of linear predictors, responses x points: the probability given each of these points.
exceedances_given_predictors <- function(object, outputs, wanted) {
  parts <- lapply(outputs, part_of, object = object)
  settings <- lapply(parts, exceedance_settings, wanted = wanted)
  function(eta, columns) {
    rows <- rep(1L, ncol(eta))
    each <- lapply(seq_along(parts), function(m) {
      given <- given_distributions(parts[[m]], list(mean = eta[m, ], variance = double(ncol(eta)),
        parameter_columns = lapply(columns[[m]], function(x) x[rows, , drop = FALSE])),
        settings[[m]])
      exceedance_columns(given, wanted$threshold[m])[[1L]]
    })
    Reduce(`*`, each)
  }
}

exceedance_settings <- function(part, wanted) {
  settings <- predict_settings(part, threads = wanted$threads)
  settings$trials <- 1
  settings
}

# Points in the unit cube, dimensions x points: those of all shifts of the first lattice point come
# first. The shifts are the same in each call.
shifted_lattices <- function(dimensions, shifts, count) {
  state <- seed_generator(1L)
  on.exit(state$restore())
  shift <- matrix(stats::runif(dimensions * shifts), dimensions)
  generators <- sqrt(first_primes(dimensions))
  at <- outer(generators, rep(seq_len(count), each = shifts)) +
    shift[, rep(seq_len(shifts), count), drop = FALSE]
  # the tent function |2u - 1| makes the integrand periodic
  pmin(pmax(abs(2 * (at %% 1) - 1), 1e-15), 1 - 1e-15)
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
