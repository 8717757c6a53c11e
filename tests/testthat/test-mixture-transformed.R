# E f(x) of a normal score by adaptive quadrature between points where f has kinks.
expected_at_scores <- function(f, kinks) {
  ends <- sort(unique(c(-12, pmin(pmax(kinks, -12), 12), 12)))
  sum(mapply(function(a, b) stats::integrate(function(x) f(x) * dnorm(x), a, b, rel.tol = 1e-9,
    subdivisions = 1000L)$value, ends[-length(ends)], ends[-1L]))
}

transformed_family <- function(transform = NULL, recalibration = NULL) {
  family <- gaussian()
  family$transform <- as_transform(transform)
  if (identical(family$transform$name, "functions")) family$transform$step <- 1e-3
  family$recalibration <- recalibration
  family
}

# Functions of their own, written down once more.
transforms <- list(
  log = list(transform = "log", inverse = exp),
  sqrt = list(transform = "sqrt", inverse = function(z) pmax(z, 0)^2, floor = 0),
  third = list(transform = box_cox(1 / 3), inverse = function(z) pmax(1 + z / 3, 0)^3,
    floor = -3),
  square = list(transform = box_cox(2), inverse = function(z) sqrt(pmax(1 + 2 * z, 0)),
    floor = -0.5),
  negative = list(transform = box_cox(-0.25), inverse = function(z) (1 - z / 4)^-4),
  pair = list(transform = list(function(y) log(y + 1), function(z) exp(z) - 1),
    inverse = function(z) exp(z) - 1)
)

# Moments at which the floor of a transform is far, near and above; the pole of `negative` is far.
transformed_cases <- function(name) {
  if (name == "negative") list(c(-1, 0.2), c(0, 0.3)) else
    list(c(2, 0.2), c(1, 0.8), c(-0.4, 0.5), c(-3.2, 0.4))
}

test_extended("mean, variance and CRPS of transformed responses are the expectations that they are", {
  for (name in names(transforms)) for (case in transformed_cases(name)) {
    m <- case[1L]
    s <- case[2L]
    response <- function(x) transforms[[name]]$inverse(m + s * x)
    floor <- ((transforms[[name]]$floor %||% -Inf) - m) / s
    mean <- expected_at_scores(response, floor)
    mixture <- new_mixture(m, sqrt(s^2 / 2), transformed_family(transforms[[name]]$transform),
      c(variance = s^2 / 2))
    label <- paste(name, m, s)
    expect_equal(predictive_mean(mixture), mean, tolerance = 1e-7, label = label)
    expect_equal(predictive_variance(mixture),
      expected_at_scores(function(x) (response(x) - mean)^2,
      floor), tolerance = 1e-6, label = label)
    for (y in c(0.01, 0.9, 4)) {
      at <- qnorm(predictive_cdf(y, mixture))
      expect_equal(predictive_crps(y, mixture), expected_at_scores(function(x) {
        abs(response(x) - y) - response(x) * (2 * pnorm(x) - 1)
      }, c(floor, at)), tolerance = 1e-6, label = paste(label, y))
    }
  }
})

test_extended("the distribution is that of the normal variable, the density its derivative", {
  for (name in names(transforms)) {
    mixture <- new_mixture(rep(0.6, 3), 0.3, transformed_family(transforms[[name]]$transform),
      c(variance = 0.1))
    p <- c(0.2, 0.5, 0.9)
    y <- transforms[[name]]$inverse(qnorm(p, 0.6, sqrt(0.19)))
    expect_equal(predictive_cdf(y, mixture), p)
    expect_equal(predictive_quantile(p, mixture), y)
    slope <- vapply(seq_along(y), function(i) {
      one <- mixture[i]
      h <- 1e-4 * y[i]
      (predictive_cdf(y[i] + h, one) - predictive_cdf(y[i] - h, one)) / (2 * h)
    }, 0)
    expect_equal(exp(predictive_log_density(y, mixture)), slope, tolerance = 1e-6, label = name)
  }
})

test_that("values outside of the domain are below or above all responses", {
  for (name in c("log", "sqrt", "third")) {
    mixture <- new_mixture(0.2, 0.3, transformed_family(transforms[[name]]$transform),
      c(variance = 0.1))
    expect_identical(predictive_cdf(-1, mixture), 0)
    expect_identical(predictive_cdf(Inf, mixture), 1)
  }
  # the atom at 0
  at_zero <- new_mixture(0.2, 0, transformed_family("sqrt"), c(variance = 0.25))
  expect_equal(predictive_cdf(0, at_zero), pnorm(-0.4))
  expect_identical(predictive_quantile(0.1, at_zero), 0)
})

test_that("a field without noise and uncertainty is a point", {
  for (name in names(transforms)) {
    point <- new_mixture(0.3, 0, transformed_family(transforms[[name]]$transform), c(variance = 0))
    y <- transforms[[name]]$inverse(0.3)
    expect_equal(predictive_mean(point), y)
    expect_equal(predictive_variance(point), 0)
    expect_equal(predictive_crps(y + 0.5, point), 0.5)
    expect_identical(predictive_cdf(c(0.999, 1.001) * y, point[c(1L, 1L)]),
      c(0, 1))
  }
})

test_that("a mean is infinite where the pole of a negative power is near", {
  mixture <- new_mixture(c(0, 3), 0.3, transformed_family(box_cox(-0.25)), c(variance = 0))
  expect_identical(is.finite(predictive_mean(mixture)), c(TRUE, FALSE))
  expect_identical(predictive_variance(mixture)[2L], Inf)
  expect_identical(predictive_crps(1, mixture)[2L], Inf)
  expect_equal(predictive_quantile(0.5, mixture), c(1, (1 - 3 / 4)^-4))
})

test_that("the expected response given the field has its limits and exceedances", {
  mixture <- new_mixture(c(0.5, 1), c(0.2, 0.4), transformed_family("log"), c(variance = 0.3))
  settings <- list(level = 0.9, type = "response")
  limits <- confidence_limits(with_field(mixture), settings)
  expect_equal(limits$upper, exp(c(0.5, 1) + qnorm(0.95) * c(0.2, 0.4) + 0.15))
  expect_equal(mean_exceedance(2, mixture), pnorm(log(2) - 0.15, c(0.5, 1), c(0.2, 0.4),
    lower.tail = FALSE))
  expect_identical(mean_exceedance(-1, mixture), c(1, 1))
  expect_identical(mean_exceedance(1e9, mixture), c(0, 0))
  unknown <- new_mixture(c(NA, 1), c(NA, 0.4), transformed_family("sqrt"), c(variance = 0.3))
  expect_identical(is.na(confidence_limits(with_field(unknown), settings)$lower), c(TRUE, FALSE))
  expect_identical(is.na(mean_exceedance(1, unknown)), c(TRUE, FALSE))
  # E max(eta + e, 0)^2 by quadrature
  expected <- function(eta) {
    stats::integrate(function(e) pmax(eta + e, 0)^2 * dnorm(e, 0, 0.5), -6, 6,
      rel.tol = 1e-9)$value
  }
  squares <- new_mixture(0.5, 0.2, transformed_family("sqrt"), c(variance = 0.25))
  expect_equal(confidence_limits(with_field(squares), settings)$lower,
    expected(0.5 - qnorm(0.95) * 0.2), tolerance = 1e-7)
  expect_equal(mean_exceedance(expected(0.6), squares), pnorm(0.6, 0.5, 0.2, lower.tail = FALSE),
    tolerance = 1e-7)
})

test_that("responses beyond the range of numbers are told", {
  wide <- new_mixture(0, 300, transformed_family(list(asinh, sinh)), c(variance = 0))
  expect_warning(mean <- predictive_mean(wide), class = "neargp_warning_overflow")
  expect_identical(mean, .Machine$double.xmax)
  expect_error(predictive_crps(1, wide), class = "neargp_error_overflow")
  expect_error(predictive_crps(1, new_mixture(0, 300, transformed_family("log"), c(variance = 0))),
    class = "neargp_error_overflow")
})
