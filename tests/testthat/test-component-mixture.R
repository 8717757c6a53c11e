# Three components for each row, the last of little weight; rows differ.
component_case <- function(name, spread = 1) {
  case <- mixture_cases[[name]]
  n <- length(case$y)
  eta <- new_normal_mixture(matrix(c(-0.5, 0.3, 1.2), n, 3L, byrow = TRUE) +
    seq(0, 0.4, length.out = n), spread * matrix(c(0.4, 0.15, 0.8), n, 3L, byrow = TRUE),
    log(c(0.5, 0.4, 0.1)))
  list(case = case, eta = eta, y = case$y,
    mixture = new_component_mixture(eta, family_core_name(case$family), as.list(case$parameters),
      case$trials))
}

# Sums over components of expectations by trapezoids, a number for each row; f(eta, i).
expected_over_components <- function(at, f) {
  drop(vapply(1:3, function(s) trapezoid_expectation(f, at$eta$mean[, s], at$eta$sd[, s]),
    double(length(at$y))) %*%
    exp(at$eta$log_weights))
}

of_family <- function(at, what) {
  family <- response_family(at$case$family)[[what]]
  function(eta, ...) family(..., eta, as.list(at$case$parameters), at$case$trials)
}

small_cases <- c("student_t", "bernoulli", "logit", "probit", "cloglog", "poisson",
  "negative_binomial", "gamma", "beta")

test_extended("distribution, density and moments are those of all components together", {
  for (name in small_cases) {
    at <- component_case(name)
    distribution <- of_family(at, "distribution")
    density <- of_family(at, "density")
    known <- expected_over_components(at, function(eta, i) distribution(eta, at$y[i]))
    if (name == "bernoulli") known[at$y == 1] <- 1
    if (name %in% c("logit", "probit", "cloglog")) known[at$y == at$case$trials] <- 1
    expect_equal(predictive_cdf(at$y, at$mixture), known, tolerance = 1e-7, label = name)
    expect_equal(exp(predictive_log_density(at$y, at$mixture)),
      expected_over_components(at, function(eta, i) density(eta, at$y[i])), tolerance = 1e-7,
      label = name)
    mean <- of_family(at, "mean")
    variance <- of_family(at, "variance")
    first <- expected_over_components(at, function(eta, i) mean(eta))
    second <- expected_over_components(at, function(eta, i) variance(eta) + mean(eta)^2)
    expect_equal(predictive_mean(at$mixture), first, tolerance = 1e-7, label = name)
    expect_equal(predictive_variance(at$mixture), second - first^2, tolerance = 1e-6, label = name)
  }
})

test_extended("quantiles are the least response with that probability", {
  for (name in small_cases) {
    at <- component_case(name)
    for (p in c(0.05, 0.5, 0.95)) {
      q <- predictive_quantile(p, at$mixture)
      if (mixture_family(at$mixture)$discrete) {
        expect_true(all(predictive_cdf(q, at$mixture) >= p - 1e-8))
        expect_true(all(q == 0 | predictive_cdf(q - 1, at$mixture) < p))
      } else {
        expect_equal(predictive_cdf(q, at$mixture), rep(p, length(q)), tolerance = 1e-6,
          label = name)
      }
    }
  }
})

test_extended("the CRPS is the integral of squares, of counts their sum, also where components are far apart", {
  for (name in small_cases) for (spread in c(1, 0.1)) {
    at <- component_case(name, spread)
    distribution <- function(q, i) {
      predictive_cdf(q, at$mixture[rep(i, length(q))])
    }
    known <- vapply(seq_along(at$y), function(i) {
      y <- at$y[i]
      if (mixture_family(at$mixture)$discrete) {
        x <- 0:max(y + 1, 2000)
        if (length(at$mixture$trials) && name %in% c("bernoulli", "logit", "probit", "cloglog")) {
          x <- 0:at$case$trials
        }
        return(sum((distribution(x, i) - (x >= y))^2))
      }
      upper <- switch(name, beta = 1, gamma = 400, 1e4)
      lower <- if (name == "student_t") -1e4 else 0
      part <- function(from, to, square) {
        cuts <- sort(unique(pmin(pmax(c(from, to, -100, -10, -2:8 / 2, 10, 40, 100), from), to)))
        sum(mapply(function(a, b) integrate(function(x) square(distribution(x, i)), a, b,
          rel.tol = 1e-9, subdivisions = 500L)$value, cuts[-length(cuts)], cuts[-1L]))
      }
      part(lower, y, function(p) p^2) + part(y, upper, function(p) (1 - p)^2)
    }, 0)
    expect_equal(predictive_crps(at$y, at$mixture), known, tolerance = 2e-6,
      label = paste(name, spread))
  }
})

test_that("large counts are summed as an integral", {
  eta <- new_normal_mixture(matrix(c(6, 6.6), 1L), matrix(c(0.1, 0.2), 1L), log(c(0.7, 0.3)))
  mixture <- new_component_mixture(eta, "poisson", list())
  x <- 0:5000
  known <- sum((predictive_cdf(x, mixture[rep(1L, length(x))]) - (x >= 480))^2)
  expect_equal(predictive_crps(480, mixture), known, tolerance = 1e-6)
})

test_that("rows that are not known stay so, and one component is as a normal linear predictor", {
  eta <- new_normal_mixture(matrix(c(0.2, NA, 1), 3L), matrix(c(0.5, NA, 0.1), 3L), 0)
  mixture <- new_component_mixture(eta, "poisson", list())
  single <- new_mixture(c(0.2, NA, 1), c(0.5, NA, 0.1), poisson())
  for (f in list(predictive_mean, predictive_variance, function(m) predictive_quantile(0.9, m),
      function(m) predictive_crps(c(1, 2, 3), m))) {
    expect_equal(f(mixture), f(single), tolerance = 1e-7)
  }
})

test_that("the CRPS of Student's t is the same where a component is split into equal parts", {
  at <- component_case("student_t")
  eta <- at$eta
  known <- predictive_crps(at$y, at$mixture)
  # the numbers of nodes and of components share a divisor
  for (parts in c(2L, 4L)) {
    component <- rep(1:3, each = parts)
    split <- new_normal_mixture(eta$mean[, component], eta$sd[, component],
      eta$log_weights[component] - log(parts))
    mixture <- new_component_mixture(split, "student_t", as.list(at$case$parameters))
    expect_equal(predictive_crps(at$y, mixture), known, tolerance = 1e-8)
  }
})

# Two negative binomial responses, each with a size of its own, and their weights in each row.
sized_mixture <- function() {
  parts <- list(new_mixture(c(0.2, 1), c(0.3, 0.5), negative_binomial(), c(size = 0.8)),
    new_mixture(c(0.5, 0.4), c(0.2, 0.1), negative_binomial(), c(size = 40)))
  log_weights <- log(rbind(c(0.25, 0.75), c(0.6, 0.4)))
  list(parts = parts, weights = exp(log_weights), whole = mixture_of(parts, log_weights))
}

test_that("components keep parameters of their own", {
  at <- sized_mixture()
  y <- c(0, 3)
  weighted <- function(value) rowSums(at$weights * sapply(at$parts, value))
  expect_equal(predictive_log_density(y, at$whole),
    log(weighted(function(one) exp(predictive_log_density(y, one)))), tolerance = 1e-10)
  expect_equal(predictive_cdf(y, at$whole), weighted(function(one) predictive_cdf(y, one)),
    tolerance = 1e-10)
  mean <- weighted(predictive_mean)
  expect_equal(predictive_mean(at$whole), mean, tolerance = 1e-10)
  expect_equal(predictive_variance(at$whole), weighted(function(one) predictive_variance(one) +
    predictive_mean(one)^2) - mean^2, tolerance = 1e-8)
  counts <- 0:400
  squares <- vapply(1:2, function(row) {
    below <- predictive_cdf(counts, at$whole[rep(row, length(counts))])
    sum((below - (counts >= y[row]))^2)
  }, 0)
  expect_equal(predictive_crps(y, at$whole), squares, tolerance = 1e-6)
})

test_extended("draws are by the parameters of the component that is drawn", {
  at <- sized_mixture()
  set.seed(4)
  draws <- predictive_draws(2e4L, at$whole)
  expect_identical(dim(predictive_draws(3L, at$whole[1L])), c(1L, 3L))
  expect_equal(rowMeans(draws), predictive_mean(at$whole), tolerance = 0.04)
  expect_equal(apply(draws, 1L, var), predictive_variance(at$whole), tolerance = 0.12)
})
