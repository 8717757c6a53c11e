test_extended("predictions are a mixture over strata of the hidden units", {
  new <- data.frame(x1 = c(0.1, 0.45, 0.8), x2 = c(3, 50, 98))
  for (method in list(short_dgp(), short_dgp(robustness = 1.05),
      short_dgp(objective = "predictive"), short_dgp(layers = 3L), short_dgp(layers = 1L))) {
    fit <- fit_deep(method)
    known <- dense_deep_mixture(fit, new)
    p <- predict(fit, new, type = "link")
    expect_equal(p$mean, drop(known$mean %*% known$weights), tolerance = 1e-8)
    expect_equal(p$sd, sqrt(drop((known$variance + (known$mean - p$mean)^2) %*% known$weights)),
      tolerance = 1e-7)
    expect_length(known$weights, if (method$layers == 1L) 1L else 32L)
  }
})

test_that("each unit's draws are one from each stratum", {
  fit <- fit_deep(short_dgp(prediction_samples = 10L))
  sites <- fit$deep$prediction$sites[[1L]]
  expect_identical(dim(sites), c(10L, 2L))
  expect_equal(apply(pnorm(sites), 2L, sort), matrix((seq_len(10L) - 0.5) / 10, 10L, 2L),
    tolerance = 1e-10)
  expect_false(identical(sites[, 1L], sites[, 2L]))
})

test_extended("a fit does not depend on threads, can be continued and cross-validated", {
  fit <- fit_deep(short_dgp())
  expect_identical(fit_deep(short_dgp(), threads = 2L)$deep$state, fit$deep$state)
  more <- fit_deep(fit$method, start = fit)
  expect_gt(more$deep$trace$objective[1L], fit$deep$trace$objective[1L])
  cv <- suppressWarnings(cross_validate(fit, folds = 2, refit = TRUE),
    classes = "neargp_warning_deep")
  expect_true(is.finite(cv$scores$crps))
})

test_that("settings that make no objective are refused", {
  expect_error(dgp(robustness = 1), class = "neargp_error_argument")
  expect_error(dgp(robustness = 1.05, objective = "predictive"), class = "neargp_error_argument")
  expect_error(dgp(samples = 0), class = "neargp_error_argument")
  expect_error(dgp(layers = 4), class = "neargp_error_argument")
  expect_output(print(dgp()), "deep Gaussian process")
})

test_that("its divergence weighs 1 unless another weight is given", {
  expect_identical(fit_deep(short_dgp())$deep$notes$regularization, 1)
  expect_identical(fit_deep(short_dgp(regularization = 0.3))$deep$notes$regularization, 0.3)
})

test_extended("what is said of the rows held out is of the mixture that predicts", {
  for (method in list(short_dgp(), short_dgp(objective = "predictive"))) {
    fit <- fit_deep(method)
    rows <- fit$deep$validation$rows
    known <- dense_deep_mixture(fit, bent_data()[rows, ])
    sd <- sqrt(known$variance + fit$nugget)
    y <- fit$data$y[rows]
    expect_equal(-fit$deep$validation$nll,
      mean(log(drop(dnorm(y, known$mean, sd) %*% known$weights))), tolerance = 1e-8)
    below <- drop(pnorm(y, known$mean, sd) %*% known$weights)
    expect_equal(fit$deep$validation$coverage, mean(below > 0.025 & below < 0.975))
  }
})
