fit_default <- function(formula, data, ...) neargp(formula, data, method = vecchia(k = 5), ...)

test_extended("a gaussian response has an exponential covariance, with anisotropy in a plane of 1,000 rows", {
  data <- simulated_data(1000)
  few <- fit_default(z ~ height, data[1:999, ], coords = ~ x + y)
  many <- fit_default(z ~ height, data, coords = ~ x + y)
  expect_identical(few$covariance, cov_exponential())
  expect_identical(many$covariance, cov_exponential(anisotropy = TRUE))
  named <- fit_default(z ~ height, data, coords = ~ x + y,
    covariance = cov_exponential(anisotropy = TRUE))
  expect_identical(coef(many, "covariance"), coef(named, "covariance"))
  expect_identical(fit_default(z ~ height, data, coords = ~ x)$covariance, cov_exponential())
  expect_identical(fit_default(z ~ 1, data, coords = ~ x + y, distance = "chordal")$covariance,
    cov_exponential())
})

test_extended("three coordinates have a range each, and a smoothness, where there are rows enough and none is constant", {
  data <- transform(simulated_data(60), level = 1)
  fit <- fit_default(z ~ 1, data, coords = ~ x + y + height)
  expect_identical(fit$covariance, cov_matern(nu = NULL, ard = TRUE))
  expect_identical(fit_default(z ~ 1, data[1:59, ], coords = ~ x + y + height,
    distance = "euclidean")$covariance, cov_exponential())
  expect_identical(fit_default(z ~ 1, data, coords = ~ x + y + level,
    distance = "euclidean")$covariance, cov_exponential())
})

test_extended("locations along a line have no anisotropy", {
  data <- transform(simulated_data(1000), y = 3 + 0.1 * x)
  fit <- fit_default(z ~ height, data, coords = ~ x + y)
  expect_identical(fit$covariance, cov_exponential())
})

test_that("other families and several outputs have a Matern covariance of smoothness 3/2", {
  data <- simulated_data(150)
  data$count <- stats::rpois(150, exp(data$z / 4))
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5))
  expect_identical(counts$covariance, cov_matern(nu = 1.5))
  both <- fit_default(cbind(z, height) ~ 1, data, coords = ~ x + y)
  expect_identical(both$covariance, cov_coregionalisation(cov_matern(nu = 1.5)))
})

test_extended("with three coordinates other families have a range for each, where there are rows enough", {
  data <- simulated_data(150)
  data$count <- stats::rpois(150, exp(data$z / 4))
  data$class <- cut(data$z, c(-Inf, -1, 1, Inf), labels = c("low", "middle", "high"))
  default <- function(formula, rows, ...) suppressWarnings(suppressMessages(neargp(formula,
    data[rows, ], coords = ~ x + y + height, ...)))$covariance
  counts <- list(family = poisson(), method = vnngp(k = 5))
  expect_identical(do.call(default, c(list(count ~ 1, 1:150), counts)),
    cov_matern(nu = 1.5, ard = TRUE))
  expect_identical(do.call(default, c(list(count ~ 1, 1:149), counts)), cov_matern(nu = 1.5))
  expect_identical(default(class ~ 1, 1:150, method = loo_k(5)), cov_matern(nu = 1.5, ard = TRUE))
})

test_that("print and summary tell a covariance by default, and only that", {
  data <- simulated_data(100)
  chosen <- fit_default(z ~ 1, data, coords = ~ x + y)
  named <- fit_default(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential())
  expect_output(print(chosen), "Covariance: Exponential (by default)", fixed = TRUE)
  expect_output(print(summary(chosen)), "Covariance: Exponential (by default)", fixed = TRUE)
  expect_output(print(named), "Covariance: Exponential\n", fixed = TRUE)
})

test_that("a fit that is updated keeps a covariance that was named, and else has that of its rows",
  {
    skip_unless_extended()
    data <- simulated_data(1000)
    chosen <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 5))
    named <- update(chosen, covariance = cov_exponential(anisotropy = TRUE))
    expect_identical(update(chosen, data = data[1:200, ])$covariance, cov_exponential())
    expect_identical(update(named, data = data[1:200, ])$covariance,
      cov_exponential(anisotropy = TRUE))
  })

test_extended("with a time it is Gneiting's, where there are rows enough and the method can have it", {
  data <- transform(simulated_data(200), day = rep(1:20, 10))
  expect_identical(fit_default(z ~ 1, data, coords = ~ x + y, time = ~ day)$covariance,
    cov_spacetime())
  inducing <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = svgp(inducing = 10))
  expect_identical(inducing$covariance, cov_exponential() + cov_matern(nu = NULL))
  expect_identical(fit_default(z ~ 1, data[-1, ], coords = ~ x + y, time = ~ day)$covariance,
    cov_exponential())
})

test_extended("forecasts of separable fields are covered by the default, and better than by one metric of space and time", {
  places <- 40L
  times <- 50L
  scored <- vapply(2:4, function(seed) {
    set.seed(seed)
    xy <- data.frame(x = runif(places), y = runif(places))
    shocks <- t(chol(exp(-as.matrix(dist(xy)) / 0.3))) %*% matrix(rnorm(places * times), places)
    z <- shocks
    for (t in 2:times) z[, t] <- exp(-1 / 10) * z[, t - 1L] + sqrt(1 - exp(-2 / 10)) * shocks[, t]
    data <- data.frame(xy[rep(seq_len(places), times), ], t = rep(seq_len(times), each = places),
      z = as.vector(z))
    late <- data$t > times - 5L
    forecast <- function(...) {
      fit <- neargp(z ~ 1, data[!late, ], coords = ~ x + y, time = ~ t, ...)
      predicted <- predict(fit, data[late, ], interval = "prediction")
      c(mean(predicted$lower <= data$z[late] & data$z[late] <= predicted$upper),
        sqrt(mean((predicted$mean - data$z[late])^2)))
    }
    c(forecast(), forecast(covariance = cov_exponential()))
  }, double(4))
  expect_gte(mean(scored[1L, ]), 0.9)
  expect_gt(mean(scored[1L, ]), mean(scored[3L, ]))
  expect_lt(mean(scored[2L, ]), mean(scored[4L, ]))
})
