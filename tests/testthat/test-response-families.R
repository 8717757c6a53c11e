# Each family with parameters, and values of its response.
family_cases <- list(
  gaussian = list(parameters = list(variance = 0.7), y = c(-1.2, 0.3, 4)),
  student_t = list(parameters = list(scale = 0.8, df = 4.5), y = c(-1.2, 0.3, 9)),
  binomial_logit = list(parameters = list(), y = c(0, 1, 7), trials = c(1, 1, 9)),
  binomial_probit = list(parameters = list(), y = c(0, 1, 7), trials = c(1, 1, 9)),
  binomial_cloglog = list(parameters = list(), y = c(0, 1, 7), trials = c(1, 1, 9)),
  poisson = list(parameters = list(), y = c(0, 3, 40)),
  negative_binomial = list(parameters = list(size = 1.7), y = c(0, 3, 40)),
  gamma = list(parameters = list(shape = 2.3), y = c(0.1, 1, 8)),
  beta = list(parameters = list(precision = 6), y = c(0.02, 0.4, 0.97)),
  truncated_poisson = list(parameters = list(), y = c(1, 3, 40)),
  truncated_nbinom2 = list(parameters = list(size = 1.7), y = c(1, 3, 40)),
  tweedie = list(parameters = list(dispersion = 0.8, power = 1.5), y = c(0, 0.3, 8)),
  asymmetric_laplace = list(parameters = list(scale = 0.8, tau = 0.6), y = c(-1.2, 0.3, 4)),
  zi_poisson = list(parameters = list(zi = 0.3), y = c(0, 3, 40)),
  zi_nbinom2 = list(parameters = list(size = 1.7, zi = 0.3), y = c(0, 3, 40)),
  nbinom1 = list(parameters = list(dispersion = 1.7), y = c(0, 3, 40)),
  gengamma = list(parameters = list(shape = 1.7, power = 0.8), y = c(0.1, 1, 8)),
  betabinomial = list(parameters = list(precision = 6), y = c(0, 1, 7), trials = c(3, 2, 9)),
  ordinal_logit = list(parameters = list(gap_2 = 1.2, gap_3 = 0.8), y = c(1, 2, 4)),
  ordinal_probit = list(parameters = list(gap_2 = 1.2, gap_3 = 0.8), y = c(1, 2, 4)),
  # measurements: the upper limit is the lower one
  censored_gaussian = list(parameters = list(sd = 0.7), y = c(-1.2, 0.3, 4),
    trials = c(-1.2, 0.3, 4))
)

for_each_family <- function(action) {
  for (name in names(family_cases)) {
    case <- family_cases[[name]]
    if (is.null(case$trials)) case$trials <- rep(1, length(case$y))
    action(name, response_families[[name]], case)
  }
}

core_terms <- function(name, case, eta, variance = numeric(0), weights = numeric(0)) {
  core_expectations(name, as.numeric(unlist(case$parameters)), case$y, case$trials, weights, eta,
    variance, plain_context())
}

test_that("the table has a test case for each family", {
  expect_setequal(names(family_cases), names(response_families))
})

test_extended("the core's log densities are those of R", {
  for_each_family(function(name, entry, case) {
    for (eta in list(c(-2, 0.5, 1), c(3, -4, 0), c(0.1, 0.2, 0.3))) {
      expect_equal(core_terms(name, case, eta)$value, entry$density(case$y, eta, case$parameters,
        case$trials, TRUE), tolerance = 1e-11, label = name)
      expect_equal(exp(core_terms(name, case, eta)$value),
        entry$density(case$y, eta, case$parameters, case$trials, FALSE),
        tolerance = 1e-11, label = name)
    }
  })
})

test_extended("the core's expectations are the integrals", {
  mean <- c(-0.8, 0.4, 1.1)
  integral <- function(f, variance) {
    vapply(1:3, function(i) {
      weighted <- function(x) stats::dnorm(x) * f(mean[i] + sqrt(variance) * x)[, i]
      stats::integrate(weighted, -9, 9, rel.tol = 1e-9, subdivisions = 1000L)$value
    }, 0)
  }
  with_each_simd(function(simd) for_each_family(function(name, entry, case) {
    at <- function(what) function(eta) vapply(1:3, function(i) {
      one <- list(parameters = case$parameters, y = rep(case$y[i], length(eta)),
        trials = rep(case$trials[i], length(eta)))
      core_terms(name, one, eta)[[what]]
    }, eta)
    log_p <- function(eta) {
      vapply(1:3, function(i) entry$density(case$y[i], eta, case$parameters, case$trials[i], TRUE),
        eta)
    }
    # test-family-asymmetric-laplace.R integrates on both sides of the kink
    if (isTRUE(entry$kink)) return()
    for (variance in c(0.05, 0.8, 6)) {
      terms <- core_terms(name, case, mean, rep(variance, 3))
      expect_equal(terms$value, integral(log_p, variance), tolerance = 1e-7, label = name)
      expect_equal(terms$slope, integral(at("slope"), variance), tolerance = 1e-6, label = name)
      expect_equal(terms$curvature, integral(at("curvature"), variance), tolerance = 1e-6,
        label = name)
    }
  }))
})

test_that("weights divide the dispersion of scaled families and multiply the log density of others",
  {
    eta <- c(-0.3, 0.5, 1)
    for_each_family(function(name, entry, case) {
      weighted <- core_terms(name, case, eta, weights = c(2, 2, 2))$value
      if (entry$scaled) {
        factor <- c(gaussian = 1 / 2, student_t = 1 / sqrt(2), gamma = 2, beta = 2,
          tweedie = 1 / 2, censored_gaussian = 1 / sqrt(2))[[name]]
        case$parameters[[1]] <- case$parameters[[1]] * factor
        expect_equal(weighted, entry$density(case$y, eta, case$parameters, case$trials, TRUE),
          label = name)
      } else {
        expect_equal(weighted, 2 * entry$density(case$y, eta, case$parameters, case$trials, TRUE),
          label = name)
      }
    })
  })

test_extended("mean and variance, distribution and quantile belong to the density", {
  for_each_family(function(name, entry, case) {
    eta <- c(0.6, -0.4)
    trials <- c(5, 3)
    mean <- entry$mean(eta, case$parameters, trials)
    variance <- entry$variance(eta, case$parameters, trials)
    q <- entry$quantile(c(0.2, 0.9), eta, case$parameters, trials)
    for (i in 1:2) {
      density <- function(y) {
        entry$density(y, rep(eta[i], length(y)), case$parameters, rep(trials[i], length(y)), FALSE)
      }
      most <- if (isTRUE(entry$has_trials)) trials[i] else if (isTRUE(entry$thresholds)) 4 else 5000
      total <- if (entry$discrete) function(f, upper = most) sum(f(0:min(upper, most)) *
        density(0:min(upper, most))) else
        function(f, upper = Inf) {
          support <- switch(name, gamma = , gengamma = , tweedie = c(0, Inf), beta = c(0, 1),
            c(-Inf, Inf))
          atom <- if (has_atom(entry)) f(0) * density(0) else 0
          atom + stats::integrate(function(y) f(y) * density(y), support[1], min(upper, support[2]),
            rel.tol = 1e-9, subdivisions = 2000L)$value
        }
      expect_equal(total(function(y) y), mean[i], tolerance = 1e-6, label = name)
      expect_equal(total(function(y) (y - mean[i])^2), variance[i], tolerance = 1e-5, label = name)
      expect_equal(total(function(y) 1 + 0 * y, q[i]),
        entry$distribution(q[i], eta[i], case$parameters, trials[i]), tolerance = 1e-6,
        label = name)
    }
    below <- entry$distribution(q - if (entry$discrete) 1 else 1e-9, eta, case$parameters, trials)
    expect_true(all(below < c(0.2, 0.9) & entry$distribution(q, eta, case$parameters, trials) >=
      c(0.2, 0.9) - 1e-9), label = name)
  })
})

test_extended("draws have the mean and variance, each at its own eta", {
  withr::local_seed(8)
  n <- 40000
  for_each_family(function(name, entry, case) {
    eta <- rep(c(-0.5, 0.7), n / 2)
    trials <- rep(c(4, 10), n / 2)
    draws <- entry$random(n, eta, case$parameters, trials)
    for (which in 1:2) {
      own <- draws[seq(which, n, 2)]
      mean <- entry$mean(eta[which], case$parameters, trials[which])
      variance <- entry$variance(eta[which], case$parameters, trials[which])
      expect_lt(abs(mean(own) - mean), 5 * sqrt(variance / (n / 2)))
      # heavy tails: the fourth moment of student_t is large
      expect_lt(abs(var(own) / variance - 1), if (name == "student_t") 0.5 else 0.15)
    }
  })
})

test_that("moments of Student's t that do not exist are missing or infinite", {
  entry <- response_families$student_t
  expect_identical(entry$mean(c(1, 2), list(df = 1)), c(NA_real_, NA_real_))
  expect_identical(entry$variance(c(1, 2), list(scale = 1, df = 1.5)), c(Inf, Inf))
})

test_extended("starting values are near the truth and within bounds", {
  withr::local_seed(3)
  n <- 5000
  for_each_family(function(name, entry, case) {
    eta <- rnorm(n, if (name == "zi_nbinom2") 1.5 else 0, 0.5)
    trials <- if (name == "betabinomial") rep(8, n) else rep(1, n)
    y <- entry$random(n, eta, case$parameters, trials)
    start <- entry$start(y, entry$mean(eta, case$parameters, 1), rep(1, n), trials)
    if (!isTRUE(entry$thresholds)) {
      expect_identical(names(start), if (length(start)) entry$parameters)
    }
    expect_true(all(abs(log(start / unlist(case$parameters))) < 0.3), label = name)
    # no scatter at all, or too little
    flat <- if (entry$discrete) c(1, 2, 3) else c(1, 2, 3) / 4
    least <- entry$start(flat, if (isTRUE(entry$has_trials)) flat / 4 else flat, rep(1, 3),
      rep(4, 3))
    if (!name %in% c("gaussian", "student_t", "censored_gaussian") && !isTRUE(entry$thresholds)) {
      expect_true(all(least >= entry$lower & least <= entry$upper), label = name)
    }
  })
})

test_that("log densities of the binomial are exact where probabilities are next to 0 or 1", {
  for (name in paste0("binomial_", c("logit", "probit", "cloglog"))) {
    entry <- response_families[[name]]
    expect_equal(entry$density(c(0, 1), c(-700, 700), list(), 1, TRUE), c(0, 0))
    expect_equal(entry$density(1, -30, list(), 1, TRUE), if (name == "binomial_probit") pnorm(-30,
      log.p = TRUE) else -30)
    expect_identical(entry$density(c(-1, 0.5, 3), 0, list(), 2, FALSE), c(0, 0, 0))
  }
})

test_that("the distribution of a beta-binomial count of many trials is the sum of its probabilities", {
  at <- expand.grid(q = c(1200, 2500, 3700), eta = c(-2, 0, 3),
    precision = c(0.1, 10, 4900, 5100, 1e5))
  by <- function(distribution) do.call(distribution, c(unname(at), list(rep(5000, nrow(at)))))
  # the sum takes differences of logarithms of Gamma functions
  expect_equal(by(betabinomial_integral), by(betabinomial_sum), tolerance = 1e-8)
  expect_equal(betabinomial_distribution(4e5, 0, 5, 1e6), pbeta(0.4, 2.5, 2.5), tolerance = 1e-5)
  expect_equal(betabinomial_distribution(c(-1, 1e6, 0, 1e6 - 1), 0, 2, 1e6),
    c(0, 1, 1 / (1e6 + 1), 1 - 1 / (1e6 + 1)), tolerance = 1e-12)
})
