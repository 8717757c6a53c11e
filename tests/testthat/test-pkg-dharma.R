dharma_data <- function() {
  data <- simulated_data(80)
  transform(data, count = rep(0:3, 20), amount = exp(z))
}

dharma_fits <- function(data = dharma_data()) {
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, ...)
  list(normal = fit(z ~ height, method = exact_gp(), covariance = cov_exponential()),
    counts = fit(count ~ height, family = negative_binomial(size = 2), method = vnngp(k = 5)),
    transformed = fit(amount ~ height, transform = "log", method = vecchia(k = 10)))
}

test_extended("draws have the moments of each row given the other rows", {
  withr::local_seed(1)
  n <- 4000L
  for (fit in dharma_fits()) {
    draws <- getSimulations.neargp(fit, n)
    left <- loo_predict(fit)
    expect_identical(dim(draws), c(80L, n))
    expect_lt(max(abs(rowMeans(draws) - left$mean) / (left$sd / sqrt(n))), 5)
    expect_equal(getFitted.neargp(fit), left$mean)
    expect_equal(getPearsonResiduals.neargp(fit),
      (getObservedResponse.neargp(fit) - left$mean) / left$sd)
  }
})

test_that("draws of a Gaussian fit are those of the dense formula", {
  withr::local_seed(1)
  data <- dharma_data()
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 2, range = 0.2), nugget = 0.1, start = NULL)
  K <- 2 * exp(-as.matrix(dist(data[c("x", "y")])) / 0.2) + diag(0.1, 80)
  row <- 7L
  weights <- solve(K[-row, -row], cbind(data$z[-row], 1, K[-row, row]))
  slope <- 1 - sum(K[row, -row] * weights[, 2L])
  mean <- sum(weights[, 1L]) / sum(weights[, 2L])
  expected <- mean + sum(K[row, -row] * (weights[, 1L] - mean * weights[, 2L]))
  variance <- K[row, row] - sum(K[row, -row] * weights[, 3L]) + slope^2 / sum(weights[, 2L])
  draws <- getSimulations.neargp(fit, 20000L)[row, ]
  expect_equal(mean(draws), expected, tolerance = 5 * sqrt(variance / 20000) / abs(expected))
  expect_equal(var(draws), variance, tolerance = 5 * sqrt(2 / 20000))
})

test_that("the other kinds of draws are those of simulate()", {
  fit <- dharma_fits()$normal
  own <- function(...) unname(as.matrix(simulate(fit, 3, seed = 1, ...)))
  withr::local_seed(1)
  expect_equal(unname(getSimulations.neargp(fit, 3, "unconditional")), own(conditional = FALSE))
  expect_equal(unname(getSimulations.neargp(fit, 3, "user-specified", seed = 1)), own())
  expect_error(getSimulations.neargp(fit, 3, type = "refit"), class = "neargp_error_argument")
})

test_that("counts are known as counts, and classes are refused", {
  fits <- dharma_fits()
  expect_identical(getFamily.neargp(fits$counts)$family, "integer-valued")
  expect_identical(getFamily.neargp(fits$normal)$family, "gaussian")
  classes <- neargp(group ~ 1, simulated_data(60), coords = ~ x + y, method = loo_k(k = 5))
  expect_error(getSimulations.neargp(classes, 2), "DHARMa", class = "neargp_error")
})

test_that("residuals of DHARMa are uniform, and those of LOO-PIT values", {
  skip_if_not_installed("DHARMa")
  withr::local_seed(2)
  data <- simulated_data(300, nugget = 0.01)
  data$count <- rpois(300, exp(data$z / 3))
  counts <- neargp(count ~ height, data, coords = ~ x + y, family = poisson(),
    method = vnngp(k = 10))
  residuals <- suppressWarnings(DHARMa::simulateResiduals(counts))  # that the class is unknown
  expect_true(residuals$integerResponse)
  expect_gt(DHARMa::testUniformity(residuals, plot = FALSE)$p.value, 0.01)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  residuals <- suppressWarnings(DHARMa::simulateResiduals(fit))
  left <- loo_predict(fit)
  expect_lt(max(abs(residuals$scaledResiduals - pnorm(data$z, left$mean, left$sd))), 0.15)
})
