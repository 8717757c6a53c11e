fitted_value <- function(data, covariance, method, ...) {
  as.numeric(logLik(suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, covariance = covariance,
    method = method, ...))))
}

test_extended("a fit with several ranges ends at no less than the isotropic one", {
  for (seed in c(1, 4, 8)) {
    data <- data_of_field(seed, 150, function(d) 0.5 * exp(-d / 0.1), 1)
    for (method in list(vecchia(), mll_k(), loo_k(), vnngp(), exact_gp())) {
      isotropic <- fitted_value(data, cov_exponential(), method)
      for (larger in list(cov_exponential(anisotropy = TRUE), cov_exponential(ard = TRUE))) {
        expect_gte(fitted_value(data, larger, method), isotropic - 0.05)
      }
    }
  }
})

test_that("where neighbours along lines mislead an anisotropy, the fit is the isotropic one", {
  withr::local_seed(12)
  x <- runif(20)
  data <- data.frame(x = x[sample(20, 400, TRUE)], y = runif(400, 0, 0.02))
  places <- as.matrix(data)
  correlation <- exp(-as.matrix(dist(places)) / 0.1)
  data$z <- 0.5 * drop(t(chol(correlation + diag(1e-10, 400))) %*% rnorm(400)) + rnorm(400)
  isotropic <- fitted_value(data, cov_exponential(), vecchia())
  expect_gte(fitted_value(data, cov_exponential(anisotropy = TRUE), vecchia()), isotropic - 0.05)
})

test_that("the likelihood is that of the neighbours in the estimated metric", {
  data <- transform(data_of_field(3, 150, function(d) exp(-d / 0.2), 0.3), x = 4 * x)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(ard = TRUE),
    method = vecchia(k = 10))
  found <- coef(fit, what = "covariance")
  known <- cov_exponential(ard = TRUE, variance = found[["variance"]],
    range = unname(found[c("range_x", "range_y")]))
  expect_equal(as.numeric(logLik(fit)),
    fitted_value(data, known, vecchia(k = 10), nugget = found[["nugget"]]), tolerance = 1e-9)
})

test_that("ranges are tied as the isotropic covariance has them", {
  data <- data.frame(x1 = runif(60), x2 = runif(60), x3 = runif(60), z = rnorm(60))
  problem_of <- function(covariance) {
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x1 + x2 + x3, covariance = covariance,
      method = vecchia(k = 5)))
    fit$layout$start <- NA_real_
    list(layout = fit$layout, groups = component_groups(fit$covariance, fit$locations),
      covariance = fit$covariance, locations = fit$locations, start = fit$parameters$working,
      free = !fit$layout$fixed, bounds = fit$bounds)
  }
  problem <- problem_of(cov_matern(NULL, ard = TRUE))
  nested <- isotropic_models(problem)[[1L]]
  expect_identical(nested$problem$layout$kind, c("variance", "range", "shape", "nugget"))
  expect_identical(nested$problem$groups[[1L]]$group, c(1L, 1L, 1L))
  expect_identical(nested$expand(c(1, 2, 3, 4)), c(1, 2, 2, 2, 3, 4))
  turned <- isotropic_models(problem_of(cov_exponential(anisotropy = TRUE)))[[1L]]
  expect_identical(turned$expand(c(1, 2, 3)), c(1, 2, 2, 0, 0, 3))
  expect_identical(isotropic_models(problem_of(cov_exponential())), list())
  expect_identical(isotropic_models(problem_of(cov_exponential(ard = TRUE, range = c(NA, 1, NA)))),
    list())
})

test_extended("with five ranges a free smoothness ends at no less than a fixed one", {
  data <- withr::with_seed(1001, {
    places <- matrix(runif(1000), 200, dimnames = list(NULL, paste0("x", 1:5)))
    correlation <- exp(-as.matrix(dist(sweep(places, 2L, c(3, 1.5, 0.15, 0.15, 0.15), "*"))) / 0.2)
    field <- drop(t(chol(correlation + diag(1e-8, 200))) %*% rnorm(200))
    runif(200)
    rnorm(200)
    sample(10, 200, TRUE)
    rnorm(10)
    data.frame(places, z = 1 + field + 0.4 * rnorm(200))
  })
  value <- function(nu) {
    as.numeric(logLik(suppressWarnings(neargp(z ~ 1, data, coords = ~ x1 + x2 + x3 + x4 + x5,
      method = loo_k(), covariance = cov_matern(nu, ard = TRUE)))))
  }
  expect_gte(value(NULL), value(1.5) - 0.05)
  expect_gte(value(NULL), -235.25)
})
