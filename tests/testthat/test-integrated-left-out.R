few_fit <- function(n = 8, ...) {
  set.seed(5)
  data <- data.frame(x = runif(n), y = runif(n))
  data$z <- drop(crossprod(chol(exp(-as.matrix(dist(data)) / 0.3)), rnorm(n))) + 0.3 * rnorm(n)
  suppressWarnings(suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, threads = 1L,
    verbose = FALSE, covariance = cov_exponential(), nugget = 0.1, method = exact_gp(), ...,
    prior = pc_priors(range = c(0.1, 0.05), sd = c(3, 0.05)))))
}

few_rows <- function(fit) data.frame(fit$data$coords, z = fit$data$y)

names_of_rows <- function(data) stats::setNames(data, c("x", "y", "z"))

# The fit of the same model to the other rows; the priors are given and do not follow from the data.
fit_without <- function(fit, row) {
  data <- names_of_rows(few_rows(fit))
  suppressWarnings(suppressMessages(update(fit, data = data[-row, ])))
}

test_extended("weights without a row are those of the posterior without it", {
  fit <- few_fit()
  data <- names_of_rows(few_rows(fit))
  found <- loo_predict(fit, parameters = "integrated")
  plug_in <- loo_predict(fit, parameters = "plug-in")
  expected <- t(vapply(seq_len(8L), function(row) unlist(predict(fit_without(fit, row), data[row, ],
    parameters = "integrated", threads = 1L)), double(2L)))
  expect_lt(max(abs(found$mean - expected[, "mean"]) / expected[, "sd"]), 0.05)
  expect_lt(max(abs(found$sd / expected[, "sd"] - 1)), 0.02)
  # which weights of all rows miss
  weights <- exp(integrated_fits(fit, plain_context(1L))$log_weights)
  by_points <- lapply(integrated_fits(fit, plain_context(1L))$fits, loo_predict,
    parameters = "plug-in")
  means <- sapply(by_points, `[[`, "mean")
  sds <- sapply(by_points, `[[`, "sd")
  mean <- drop(means %*% weights)
  sd <- sqrt(drop((sds^2 + (means - mean)^2) %*% weights))
  expect_gt(max(abs(sd / expected[, "sd"] - 1)), 0.06)
  expect_gt(max(abs(plug_in$sd / expected[, "sd"] - 1)), 0.06)
})

test_extended("leave-one-out scores are those of the mixture with weights of each row", {
  fit <- few_fit()
  design <- integrated_fits(fit, plain_context(1L))
  moments <- lapply(design$fits, loo_predict, parameters = "plug-in")
  y <- fit$data$y
  density <- vapply(moments, function(x) dnorm(y, x$mean, x$sd), double(8L))
  weights <- sweep(1 / density, 2L, exp(design$log_weights), "*")
  weights <- weights / rowSums(weights)
  found <- scores(fit, parameters = "integrated")
  expect_equal(found$log_score, -mean(log(rowSums(weights * density))))
  means <- sapply(moments, `[[`, "mean")
  sds <- sapply(moments, `[[`, "sd")
  expect_equal(found$rmse, sqrt(mean((rowSums(weights * means) - y)^2)))
  distribution <- left_out_integrated(fit, threads = 1L)$distribution
  grid <- seq(-15, 15, length.out = 20001L)
  crps <- vapply(1:8, function(i) {
    cdf <- vapply(grid, function(q) sum(weights[i, ] * pnorm(q, means[i, ], sds[i, ])), 0)
    sum((cdf - (grid >= y[i]))^2) * diff(grid[1:2])
  }, 0)
  expect_equal(found$crps, mean(crps), tolerance = 1e-3)
  median <- predictive_quantile(0.5, distribution)
  expect_equal(predictive_cdf(median, distribution), rep(0.5, 8L))
  expect_equal(predictive_cdf(median[3L], distribution[3L]), 0.5)
  set.seed(1)
  drawn <- predictive_draws(4000L, distribution)
  expect_lt(max(abs(rowMeans(drawn) - predictive_mean(distribution)) /
    sqrt(predictive_variance(distribution))), 0.06)
})

test_extended("scores of new rows and of folds are those of predictions", {
  fit <- few_fit(30)
  data <- names_of_rows(few_rows(fit))
  new <- transform(data, x = x + 0.05)
  found <- scores(fit, new, parameters = "integrated")
  predicted <- predict(fit, new, parameters = "integrated", interval = "prediction", threads = 1L)
  expect_equal(found$rmse, sqrt(mean((predicted$mean - new$z)^2)))
  expect_equal(found$coverage, mean(new$z >= predicted$lower & new$z <= predicted$upper))
  folds <- rep(1:3, 10)
  cv <- cross_validate(fit, folds = folds, parameters = "integrated", threads = 1L)
  held <- which(folds == 2)
  known <- suppressMessages(update(fit, data = data[-held, ]))
  expected <- predict(known, data[held, ], parameters = "integrated", threads = 1L)
  own <- cv$predictions[cv$predictions$fold == 2, ]
  expect_equal(own$mean, expected$mean, tolerance = 2e-3)
  expect_equal(own$sd, expected$sd, tolerance = 5e-3)
  both <- cross_validate(fit, folds = folds, threads = 1L, settings = list(plug_in = list(),
    integrated = list(parameters = "integrated")))
  expect_identical(both$scores$setting, c("plug_in", "integrated"))
  expect_equal(both$scores$crps[2L], cv$scores$crps)
  expect_error(cross_validate(fit, folds = folds, parameters = "all"), "`parameters`",
    class = "neargp_error_argument")
})

test_that("draws have the moments of integrated predictions", {
  fit <- few_fit()
  new <- data.frame(x = c(0.5, 3), y = c(0.5, 3))
  predicted <- predict(fit, new, parameters = "integrated", threads = 1L)
  drawn <- as.matrix(simulate(fit, 6000, seed = 1, newdata = new, parameters = "integrated"))
  expect_lt(max(abs(rowMeans(drawn) - predicted$mean) / predicted$sd), 0.05)
  expect_equal(unname(apply(drawn, 1L, sd)), predicted$sd, tolerance = 0.05)
  expect_gt(predicted$sd[2L] / predict(fit, new, parameters = "plug-in")$sd[2L], 1.1)
  again <- as.matrix(simulate(fit, 6000, seed = 1, newdata = new, parameters = "integrated"))
  expect_identical(drawn, again)
})

test_that("draws of the covariance parameters are points of the design", {
  skip_if_not_installed("posterior")
  fit <- few_fit()
  set.seed(1)
  draws <- posterior::as_draws(fit, nsim = 4000, what = "covariance")
  design <- integrated_fits(fit, plain_context(1L))
  values <- t(vapply(design$fits, coef, double(3L), what = "covariance"))
  expect_identical(posterior::variables(draws), names(coef(fit, what = "covariance")))
  expect_true(all(unclass(draws)[, "range"] %in% values[, "range"]))
  logs <- log(values[, c("variance", "range")])
  expect_equal(colMeans(log(unclass(draws)[, c("variance", "range")])),
    drop(crossprod(logs, exp(design$log_weights))), tolerance = 0.05)
})

test_that("what has no posterior is refused", {
  fit <- few_fit(20)
  data <- names_of_rows(few_rows(fit))
  other <- suppressMessages(update(fit, data = data, method = mll_k(5), prior = NULL))
  for (verb in list(loo_predict, scores, simulate)) {
    expect_error(verb(other, parameters = "integrated"), "cannot be integrated",
      class = "neargp_error_parameters")
  }
  expect_error(cross_validate(other, folds = 2, parameters = "integrated"),
    "cannot be integrated", class = "neargp_error_parameters")
  repeated <- suppressMessages(update(fit, data = rbind(data, data[1:2, ])))
  expect_error(loo_predict(repeated, leave_out = "location", parameters = "integrated"),
    "`leave_out`", class = "neargp_error_argument")
})
