test_that("rows of one place need noise that is known, or a nugget", {
  data <- noisy_data(60)
  data[2, c("x", "y")] <- data[1, c("x", "y")]
  expect_no_error(noisy_fit(data, nugget = 0, measurement_variance = se^2))
  data$se[1:2] <- 0
  expect_error(noisy_fit(data, nugget = 0, measurement_variance = se^2),
    class = "neargp_error_duplicates")
})

test_extended("what cannot be is told", {
  data <- noisy_data(40)
  expect_error(noisy_fit(data, nugget = z ~ depth), "one-sided", class = "neargp_error_argument")
  expect_error(noisy_fit(data, nugget = ~ .), "one-sided", class = "neargp_error_argument")
  expect_error(noisy_fit(data, nugget = ~ nowhere), class = "neargp_error")
  expect_error(noisy_fit(data, nugget = ~ 1), "not name covariates", class = "neargp_error_local")
  expect_error(noisy_fit(transform(data, one = 1), nugget = ~ one), "does not vary",
    class = "neargp_error_local")
  expect_error(noisy_fit(transform(data, twice = 2 * depth), nugget = ~ depth + twice),
    "linearly dependent", class = "neargp_error_noise")
  expect_error(noisy_fit(data, nugget = ~ z), "response", class = "neargp_error_local")
  expect_error(noisy_fit(data, measurement_variance = -se), "negative",
    class = "neargp_error_noise")
  expect_error(noisy_fit(data, measurement_variance = 0), "all rows", class = "neargp_error_noise")
  expect_error(noisy_fit(data, measurement_variance = 1:3), "one for each",
    class = "neargp_error_noise")
  expect_error(noisy_fit(data, measurement_variance = kind), "numbers",
    class = "neargp_error_noise")
  refused <- list(svgp(5, optimizer = "natural"), svgp(5, kl_weight = 2), odvgp(5), ppgpr(5),
    vecchia(k = 5, inducing = 5), vnngp(k = 5), loo_k(k = 5, optimizer = "adam"))
  for (method in refused) expect_error(noisy_fit(data, method), class = "neargp_error_noise")
  expect_error(neargp(cbind(z, height) ~ 1, data, coords = ~ x + y, nugget = ~ depth,
    method = vecchia(k = 5)), "several responses", class = "neargp_error_noise")
  expect_error(neargp(round(exp(z)) ~ 1, data, coords = ~ x + y, nugget = ~ depth,
    family = "poisson"), "poisson", class = "neargp_error_noise")
  fit <- noisy_fit(data)
  expect_error(predict(fit, data, parameters = "integrated"), class = "neargp_error_parameters")
})
