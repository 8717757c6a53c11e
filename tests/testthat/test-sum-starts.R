test_extended("a sum does not depend on the order of its terms, and ends at no less than one of them", {
  rough_and_smooth <- function(d) 0.5 * exp(-d / 0.4) + 0.5 * exp(-(d / 0.1)^2)
  for (seed in c(1, 3, 7)) {
    data <- data_of_field(seed, 120, rough_and_smooth, sqrt(0.05))
    for (method in list(exact_gp(), vecchia(), loo_k(), mll_k(), vnngp())) {
      value <- function(covariance) {
        as.numeric(logLik(suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y,
          covariance = covariance, method = method))))
      }
      one <- value(cov_matern(2.5) + cov_exponential())
      other <- value(cov_exponential() + cov_matern(2.5))
      expect_lt(abs(one - other), 0.01)
      expect_gte(one, max(value(cov_matern(2.5)), value(cov_exponential())) - 0.05)
    }
  }
})

test_that("the reaches of components do not depend on the order of the terms", {
  data <- data_of_field(2, 60, function(d) exp(-d / 0.2), 0.3)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(1.5) + cov_exponential() + cov_matern(0.5)))
  problem <- list(layout = fit$layout, locations = fit$locations, free = !fit$layout$fixed,
    groups = component_groups(fit$covariance, fit$locations), start = double(nrow(fit$layout)))
  expect_identical(place_among_alike(problem), c(-1, 1, 0))
  ranges <- fit$layout$kind == "range"
  expect_identical(reversed_ranges(problem)[ranges], c(2, -2, 0) * log(3))
  expect_identical(reversed_ranges(problem)[!ranges], double(sum(!ranges)))
})
