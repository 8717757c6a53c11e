# A dense reference: copies of a process for each year have covariance 0 between years.
survey <- function(n = 90, years = 3, seed = 71) {
  set.seed(seed)
  data <- data.frame(x = runif(n), y = runif(n),
    year = factor(sample(2000 + seq_len(years), n, TRUE)))
  data$z <- sin(4 * data$x) + cos(5 * data$y + as.integer(data$year)) + rnorm(n, sd = 0.1)
  data
}

distances <- function(a, b) sqrt(outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2)
same_year <- function(a, b) outer(as.character(a$year), as.character(b$year), `==`)
matern32 <- function(r) (1 + r) * exp(-r)

dense_normal <- function(y, S) {
  ones <- rep(1, length(y))
  beta <- sum(solve(S, y)) / sum(solve(S, ones))
  list(beta = beta, value = -0.5 * (length(y) * log(2 * pi) + c(determinant(S)$modulus) +
    sum((y - beta) * solve(S, y - beta))))
}

test_that("copies by a factor have the dense likelihood and predictions", {
  data <- survey()
  seen <- data[1:80, ]
  new <- data[81:90, ]
  fit <- neargp(z ~ 1, seen, coords = ~ x + y, method = exact_gp(), nugget = 0.02,
    covariance = cov_matern(variance = 1.5, range = 0.3, by = ~ year))
  covariance <- function(a, b) 1.5 * matern32(distances(a, b) / 0.3) * same_year(a, b)
  S <- covariance(seen, seen) + diag(0.02, 80)
  dense <- dense_normal(seen$z, S)
  expect_equal(c(logLik(fit)), dense$value)
  weights <- solve(S, covariance(seen, new))
  predicted <- predict(fit, new)
  expect_equal(predicted$mean, dense$beta + drop(crossprod(weights, seen$z - dense$beta)))
  expect_equal(predicted$sd^2, 0.02 + 1.5 - colSums(covariance(seen, new) * weights) +
    (1 - colSums(weights))^2 / sum(solve(S, rep(1, 80))))
})

test_that("a process of all years is added to copies of another", {
  data <- survey()
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.02,
    covariance = cov_exponential(variance = 0.7, range = 0.5) +
      cov_matern(variance = 1.5, range = 0.3, by = ~ year))
  S <- 0.7 * exp(-distances(data, data) / 0.5) +
    1.5 * matern32(distances(data, data) / 0.3) * same_year(data, data) + diag(0.02, 90)
  expect_equal(c(logLik(fit)), dense_normal(data$z, S)$value)
})

test_that("estimates are those of a likelihood that is a product over years", {
  data <- survey()
  fit <- neargp(z ~ 0, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(by = ~ year))
  objective <- function(p) {
    S <- exp(p[1]) * matern32(distances(data, data) / exp(p[2])) * same_year(data, data) +
      diag(exp(p[3]), 90)
    0.5 * (90 * log(2 * pi) + c(determinant(S)$modulus) + sum(data$z * solve(S, data$z)))
  }
  best <- optim(c(1, -0.6, -5.4), objective, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(c(logLik(fit)), -best$value, tolerance = 1e-4)
  expect_equal(unname(log(coef(fit, "covariance")[c("variance", "range", "nugget")])), best$par,
    tolerance = 1e-2)
  expect_equal(coef(fit, "covariance")[["range_year"]], replicate_range)
})

test_that("neighbours are of the same year, and more than fifty levels are taken", {
  data <- survey(600, 60)
  covariance <- cov_matern(variance = 1, range = 0.5, by = ~ year)
  near <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 0.05,
    covariance = covariance)
  S <- matern32(distances(data, data) / 0.5) * same_year(data, data) + diag(0.05, 600)
  expect_equal(c(logLik(near)), dense_normal(data$z, S)$value, tolerance = 1e-8)
})

test_that("vnngp() and start values find copies too", {
  data <- survey(300, 4)
  set.seed(72)
  data$count <- rpois(300, exp(1 + data$z))
  separate <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 15),
    covariance = cov_matern(by = ~ year))
  shared <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 15),
    covariance = cov_matern())
  expect_gt(separate$log_likelihood, shared$log_likelihood + 10)
  expect_equal(nrow(predict(separate, data[1:3, ])), 3L)
  expect_named(as.data.frame(raw_positions(separate$data$coords, separate$locations)),
    c("x", "y", "year"))
})

test_that("calls by text, expressions and other components work alike", {
  data <- survey()
  data$when <- as.integer(as.character(data$year))
  covariance <- function(by) cov_exponential(variance = 1, range = 0.4) +
    cov_matern(variance = 1, range = 0.2, by = by)
  fit_by <- function(by, coords = ~ x + y) neargp(z ~ 1, data, coords = coords, method = exact_gp(),
    nugget = 0.1, covariance = covariance(by))
  expect_equal(logLik(fit_by(~ year)), logLik(fit_by(~ factor(when), c("x", "y"))))
  expect_equal(predict(fit_by(~ factor(when)), data[1:5, ]), predict(fit_by(~ year), data[1:5, ]))
})

test_that("copies that cannot be are refused", {
  data <- survey()
  refused <- function(covariance, coords = ~ x + y, ...) {
    expect_error(neargp(z ~ 1, data, coords = coords, covariance = covariance, ...),
      class = "neargp_error")
  }
  refused(cov_cauchy(by = ~ year))
  refused(cov_matern(by = ~ year), ~ x + y + year)
  refused(cov_matern(by = ~ year + x))
  refused(cov_matern(by = ~ year, range = c(1, 2)))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_matern(by = ~ year))
  expect_error(predict(fit, transform(data[1:2, ], year = "1999")), class = "neargp_error_levels")
})

test_that("inducing points move in units of their own coordinates", {
  component <- list(range = c(0.5, 3), group = c(1L, 0L, 2L))
  coords <- cbind(1:5, 2 * (1:5), 1:5)
  expect_equal(position_units(component, coords), c(0.5, 2 * sd(1:5), 3))
  data <- survey(120)
  expect_no_warning(neargp(z ~ 1, data, coords = ~ x + y, method = svgp(15),
    covariance = cov_matern() + cov_matern(by = ~ year)))
})
