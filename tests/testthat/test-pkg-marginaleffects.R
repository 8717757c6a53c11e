marginal_data <- function() {
  data <- simulated_data(100)
  transform(data, soil = group, group = NULL, count = rep(0:4, 20), hours = 1 + height^2)
}

marginal_fit <- function(formula, data = marginal_data(), ...) {
  neargp(formula, data, coords = ~ x + y, ...)
}

exact_fit <- function(formula, ...) {
  marginal_fit(formula, ..., method = exact_gp(), covariance = cov_exponential())
}

# Derivatives of the predictions at `rows` by the coefficients, one after the other.
by_coefficients <- function(fit, rows, type, step = 1e-5) {
  at <- get_coef.neargp(fit)
  sapply(seq_along(at), function(j) {
    values <- lapply(c(-step, step), function(by) {
      moved <- set_coef.neargp(fit, replace(at, j, at[[j]] + by))
      get_predict.neargp(moved, rows, type)$estimate
    })
    (values[[2L]] - values[[1L]]) / (2 * step)
  })
}

test_that("derivatives by the coefficients are the columns of the trend", {
  data <- marginal_data()
  fit <- exact_fit(z ~ height * soil + offset(hours), data)
  X <- model.matrix(~ height * soil, data[1:9, ])
  expect_equal(by_coefficients(fit, data[1:9, ], "link"), unname(X), tolerance = 1e-8,
    ignore_attr = TRUE)
  expect_equal(get_predict.neargp(fit, data[1:9, ], "link")$estimate,
    unname(drop(X %*% coef(fit))) + data$hours[1:9])
  expect_identical(get_coef.neargp(fit), coef(fit))
  expect_identical(get_vcov.neargp(fit), vcov(fit))
  expect_null(get_vcov.neargp(fit, FALSE))
  expect_error(get_vcov.neargp(fit, "HC3"), class = "neargp_error_argument")
  expect_error(get_predict.neargp(fit, data, "probs"), class = "neargp_error_argument")
  # other fits of the same call are not touched
  expect_identical(coef(set_coef.neargp(fit, 1 + coef(fit))), 1 + coef(fit))
})

test_that("coefficients of smooths belong to the trend, those of groups do not", {
  data <- transform(marginal_data(), depth = x * y, vessel = factor(rep(1:10, 10)))
  fit <- suppressMessages(exact_fit(z ~ height + s(depth, k = 5) + (1 | vessel), data))
  rows <- data[1:9, ]
  D <- by_coefficients(fit, rows, "link")
  trend <- predict(fit, rows, type = "trend", re.form = NA)
  expect_equal(get_predict.neargp(fit, rows)$estimate, trend$mean)
  V <- get_vcov.neargp(fit)
  expect_equal(sqrt(rowSums(D %*% V * D)), trend$sd, tolerance = 1e-6)
  expect_identical(names(get_coef.neargp(fit))[4:6], paste0("s(depth):", 1:3))
  expect_identical(rownames(V), names(get_coef.neargp(fit)))
})

test_that("the response is the mean of the family, and a median under a transform", {
  data <- marginal_data()
  rows <- data[1:5, ]
  fit <- marginal_fit(count ~ height, data, family = poisson(), method = vnngp(k = 5))
  eta <- predict(fit, rows, type = "trend")$mean
  expect_equal(get_predict.neargp(fit, rows)$estimate, exp(eta))
  logged <- exact_fit(exp(z) ~ height, data, transform = "log")
  expect_equal(get_predict.neargp(logged, rows)$estimate,
    exp(get_predict.neargp(logged, rows, "link")$estimate))
})

test_extended("fits without one trend are refused", {
  classes <- marginal_fit(soil ~ 1, method = loo_k(k = 5))
  expect_error(get_coef.neargp(classes), "marginaleffects", class = "neargp_error")
})

# ---- with the package ----------------------------------------------------------------------------

test_that("marginaleffects finds slopes, comparisons and their standard errors", {
  skip_if_not_installed("marginaleffects")
  data <- marginal_data()
  fit <- exact_fit(z ~ height + soil, data)
  slopes <- as.data.frame(marginaleffects::avg_slopes(fit, newdata = data))
  expect_equal(slopes$estimate, unname(coef(fit)[-1L]), tolerance = 1e-6)
  expect_equal(slopes$std.error, unname(sqrt(diag(vcov(fit))))[-1L], tolerance = 1e-5)
  counts <- marginal_fit(count ~ height + offset(log(hours)), data, family = poisson(),
    method = vnngp(k = 5))
  means <- as.data.frame(marginaleffects::predictions(counts, newdata = data[1:5, ]))
  trend <- predict(counts, data[1:5, ], type = "trend")
  expect_equal(means$estimate, exp(trend$mean))
  expect_equal(means$std.error, exp(trend$mean) * trend$sd, tolerance = 1e-5)
  ratio <- marginaleffects::avg_comparisons(counts, variables = "height", newdata = data,
    comparison = "lnratioavg", type = "response")
  expect_equal(as.data.frame(ratio)$estimate, coef(counts)[["height"]], tolerance = 1e-6)
})

test_that("marginaleffects finds the data of a call, also of sf points", {
  skip_if_not_installed("marginaleffects")
  skip_if_not_installed("sf")
  data <- marginal_data()
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 32633)
  fit <- neargp(z ~ height * soil, points, method = exact_gp(), covariance = cov_exponential())
  table <- as.data.frame(marginaleffects::avg_slopes(fit, variables = "height"))
  X <- model.matrix(~ soil, data)
  own <- c("height", "height:soilb", "height:soilc")
  expect_equal(table$estimate, mean(X %*% coef(fit)[own]), tolerance = 1e-6)
  expect_equal(table$std.error, sqrt(drop(colMeans(X) %*% vcov(fit)[own, own] %*% colMeans(X))),
    tolerance = 1e-5)
})
