test_that("regression kriging is kriging of the left-out errors", {
  d <- learner_data()
  fit <- learned_fit(d, z ~ 1 + learner(lm, predictors = ~ h + I(h^2), folds = "block",
    combine = "residual"))
  d$error <- d$z
  for (fold in 1:5) {
    held <- which(d$block == fold)
    d$error[held] <- d$z[held] - predict(lm(z ~ h + I(h^2), d[-held, ]), d[held, ])
  }
  process <- neargp(error ~ 1, d, coords = ~ x + y, covariance = cov_exponential(range = 0.3),
    verbose = FALSE)
  new <- learner_data(4, seed = 9)
  kriged <- predict(process, new, interval = "prediction", parameters = "plug-in")
  trend <- unname(predict(lm(z ~ h + I(h^2), d), new))
  given <- predict(fit, new, interval = "prediction")
  expect_equal(given$mean, trend + kriged$mean)
  expect_equal(given$sd, kriged$sd)
  expect_equal(given$upper, trend + kriged$upper)
  held <- cross_validate(process, d$block, verbose = FALSE,
    parameters = "plug-in")$predictions
  expect_equal(loo_predict(fit)$mean, d$z - d$error + held$mean)
  expect_equal(scores(fit, new)$rmse, sqrt(mean((new$z - given$mean)^2)))
  expect_equal(fitted(fit), d$z - d$error + fitted(process))
  expect_output(print(fit), "left-out errors of lm")
  draws <- simulate(fit, 2, seed = 3, newdata = new)
  expect_equal(draws$sim_1 - trend, simulate(process, 2, seed = 3, newdata = new,
    parameters = "plug-in")$sim_1)
  expect_equal(update(fit, . ~ .)$process$beta, fit$process$beta)
})

test_that("folds repeat both steps of regression kriging", {
  d <- learner_data()
  formula <- z ~ 1 + learner(lm, predictors = ~ h + I(h^2), folds = "block", combine = "residual")
  fit <- learned_fit(d, formula)
  given <- cross_validate(fit, rep(1:2, each = 25), verbose = FALSE)$predictions
  again <- predict(learned_fit(d[26:50, ], formula), d[1:25, ])
  expect_equal(given$mean[1:25], again$mean, tolerance = 1e-4)
  expect_equal(given$sd[1:25], again$sd, tolerance = 1e-4)
  expect_equal(given$observed, d$z)
})

test_that("a dot does not stand for the response or its errors", {
  d <- learner_data()
  fit <- learned_fit(d[c("z", "h", "x", "y")], z ~ . + learner(lm, combine = "residual"))
  expect_named(coef(fit, "trend"), c("(Intercept)", "h"))
  by_all <- suppressMessages(neargp(log(z + 9) ~ learner(lm, combine = "residual"),
    d[c("z", "h", "x", "y")], coords = ~ ., verbose = FALSE, distance = "euclidean"))
  expect_identical(by_all$process$locations$raw_names, c("h", "x", "y"))
  expect_identical(attr(terms(by_all$members$lm$model), "term.labels"), c("h", "x", "y"))
  expect_equal(by_all$y, log(d$z + 9))
})

test_that("rows that regression kriging cannot take are refused", {
  d <- learner_data()
  d$block[7] <- NA
  expect_error(learned_fit(d, z ~ learner(lm, folds = "block", combine = "residual")), "row 7",
    class = "neargp_error_folds")
  expect_error(learned_fit(d, z ~ learner(lm, combine = "residual") + learner(glm)),
    "takes one learner", class = "neargp_error_learner")
})

test_extended("errors of many rows are kriged by neighbours", {
  d <- learner_data(2000)
  fit <- suppressMessages(neargp(z ~ 1 + learner(lm, predictors = ~ h + I(h^2),
    combine = "residual"), d, coords = ~ x + y, method = vecchia(k = 10), verbose = FALSE))
  expect_s3_class(fit$process$method, "neargp_vecchia")
  new <- learner_data(500, seed = 5)
  expect_equal(scores(fit, new)$rmse, 0.3, tolerance = 0.1)
  expect_equal(scores(fit, new)$coverage, 0.95, tolerance = 0.03)
})
