test_extended("a prediction has one scale, and trials only where the response has them", {
  data <- vnngp_data(120)
  fit <- fit_vnngp_model(vnngp_models$poisson, data, k = 5, covariance = fixed_exponential)
  at <- data[1:3, ]
  expect_error(predict(fit, at, type = "link", interval = "prediction"), "another scale",
    class = "neargp_error_argument")
  expect_error(predict(fit, at, type = "link", threshold = 2), "another scale",
    class = "neargp_error_argument")
  expect_named(predict(fit, at, type = "link", interval = "confidence"),
    c("mean", "sd", "lower", "upper"))
  expect_error(predict(fit, at, trials = 3), "poisson.. response does not use",
    class = "neargp_error_argument")
  expect_error(simulate(fit, trials = 3), "poisson.. response does not use",
    class = "neargp_error_argument")
  expect_error(scores(fit, at, trials = 3), "poisson.. response does not use",
    class = "neargp_error_argument")
  counts <- fit_vnngp_model(vnngp_models$counts, data, k = 5, covariance = fixed_exponential)
  expect_error(scores(counts, at, trials = 3), "give the numbers of trials",
    class = "neargp_error_argument")
  expect_s3_class(scores(counts, at, observed = "successes", trials = at$trials), "neargp_scores")
})
