# The integral that defines the score over fine grids between given ends on either side of the
# observation. The distribution of a response with an atom rises by a fractional power of the
# distance from it. The substitution x = from + (to - from) u^3 makes that smooth, so that a tenth
# of the points is enough.
crps_by_definition <- function(y, mixture, from, to) {
  smooth <- has_atom(mixture_family(mixture))
  power <- if (smooth) 3 else 1
  points <- if (smooth) 401L else 4001L
  square_at <- function(x, term) {
    term(predictive_cdf(x, mixture[rep(1L, length(x))]))
  }
  integral <- function(from, to, term) {
    u <- seq(0, 1, length.out = points)
    simpson <- c(1, rep(c(4, 2), length.out = points - 2L), 1) / 3
    x <- from + (to - from) * u^power
    sum(simpson * square_at(x, term) * power * u^(power - 1)) * (to - from) * (u[2L] - u[1L])
  }
  integral(from, y, function(p) p^2) + integral(y, to, function(p) (1 - p)^2)
}

test_extended("the CRPS of continuous responses is the integral that defines it", {
  ends <- list(student_t = c(-60, 60), gamma = c(0, 150), sharp_gamma = c(0, 60), beta = c(0, 1),
    tweedie = c(0, 250), low_tweedie = c(0, 120))
  for (name in names(ends)) {
    case <- mixture_cases[[name]]
    for (sd in c(0, 0.3, 0.8)) {
      for (y in case$y) {
        mixture <- new_mixture(0.2, sd, case$family, case$parameters)
        expected <- crps_by_definition(y, mixture, ends[[name]][1L], ends[[name]][2L])
        expect_equal(predictive_crps(y, mixture), expected, tolerance = 1e-5,
          label = paste(name, sd, y))
      }
    }
  }
})

test_that("the CRPS has the closed forms that there are", {
  y <- c(-1, 0.3, 5)
  expect_equal(predictive_crps(y, new_mixture(rep(0.5, 3), 1.2, gaussian(), c(variance = 0.7))),
    crps_gaussian(y, 0.5, sqrt(1.44 + 0.7)))
  # Next to normal, and the log-normal (Baran and Lerch 2015, eq. 5).
  nearly <- new_mixture(rep(0.5, 3), 1.2, mixture_cases$student_t$family, c(scale = 0.8, df = 1e7))
  expect_equal(predictive_crps(y, nearly), crps_gaussian(y, 0.5, sqrt(1.44 + 0.64)),
    tolerance = 1e-6)
  y <- c(0.01, 2, 40)
  z <- (log(y) - 0.5) / 1.2
  lognormal <- y * (2 * pnorm(z) - 1) - 2 * exp(0.5 + 1.2^2 / 2) * (pnorm(z - 1.2) +
    pnorm(1.2 / sqrt(2)) - 1)
  expect_equal(predictive_crps(y, new_mixture(rep(0.5, 3), 1.2, Gamma("log"), c(shape = 1e10))),
    lognormal, tolerance = 1e-6)
})

test_extended("the CRPS is the mean distance to draws less half that between them", {
  set.seed(8)
  for (case in mixture_cases[c("poisson", "gamma", "beta", "many_trials", "student_t", "tweedie",
      "betabinomial", "zi_nbinom2", "truncated")]) {
    mixture <- new_mixture(0.4, 0.6, case$family, case$parameters, case$trials)
    y <- predictive_quantile(0.8, mixture)
    draws <- matrix(mixture_random(200000L, mixture), 2000)
    blocks <- crps_sample(rep(y, 2000), draws, fair = TRUE)
    expect_lt(abs(mean(blocks) - predictive_crps(y, mixture)) / (sd(blocks) / sqrt(2000)), 4)
  }
})

test_that("far observations and separated predictions have finite scores", {
  mixture <- new_mixture(c(-40, 40, 3, 3), c(5, 5, 0.1, 0.1), binomial(), trials = c(1, 1, 50, 50))
  expect_equal(predictive_crps(c(1, 0, 0, 50), mixture)[1:2], c(1, 1), tolerance = 1e-6)
  expect_equal(diff(predictive_crps(c(1e6, 1e6 + 1), new_mixture(c(3, 3), 0.1, poisson()))), 1,
    tolerance = 1e-6)
  positive <- new_mixture(rep(0, 2), 1, Gamma("log"), c(shape = 2))
  expect_equal(diff(predictive_crps(c(1e5, 2e5), positive)), 1e5, tolerance = 1e-6)
})

lognormal_crps <- function(y, mean, sd) {
  w <- (log(y) - mean) / sd
  y * (2 * pnorm(w) - 1) - 2 * exp(mean + sd^2 / 2) * (pnorm(w - sd) -
    pnorm(sd / sqrt(2), lower.tail = FALSE))
}

test_that("the CRPS of a log link is right up to a standard deviation of 6, and refused beyond", {
  for (sd in c(0.5, 3, 6)) {
    expect_equal(crps_mixture(3, 0, sd, Gamma("log"), c(shape = 1e8)), lognormal_crps(3, 0, sd),
      tolerance = 1e-5)
  }
  for (sd in c(6.1, 1e6, 1e100)) {
    for (family in list(poisson(), Gamma("log"), negative_binomial())) {
      expect_error(crps_mixture(3, c(0, 0), c(1, sd), family, c(shape = 2, size = 2)), "row 2",
        class = "neargp_error_overflow")
    }
  }
  expect_error(crps_mixture(3, 680, 3, poisson()), class = "neargp_error_overflow")
})
