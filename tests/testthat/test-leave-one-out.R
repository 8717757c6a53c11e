leave_out_data <- function(n = 60) {
  data <- simulated_data(n, seed = 5)
  transform(data, w = 0.5 + height^2, o = sin(3 * x), z = z + sin(3 * x))
}

leave_out_fit <- function(data, method, nugget = 0.2, formula = z ~ height + group + offset(o)) {
  neargp(formula, data, coords = ~ x + y, weights = w, method = method, nugget = nugget,
    device = "cpu", covariance = cov_exponential(variance = 2, range = 0.3))
}

expect_left_out <- function(fit, tolerance = 1e-10) {
  dense <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  loo <- loo_predict(fit, all_others(fit))
  testthat::expect_equal(loo$mean, dense$mean, tolerance = tolerance)
  testthat::expect_equal(loo$sd, dense$sd, tolerance = tolerance)
}

all_others <- function(fit) if (!inherits(fit$method, "neargp_exact_gp")) length(fit$data$y) - 1L

test_extended("a row is predicted as if it had been deleted, trend included: weights, offsets, no nugget, repeated locations", {
  data <- leave_out_data()
  repeated <- data
  repeated[1:9, c("x", "y")] <- repeated[c(11:19), c("x", "y")]
  for (method in list(exact_gp(), vecchia(k = 59), loo_k(k = 59))) with_device_of(method, {
    expect_left_out(leave_out_fit(data, method))
    expect_left_out(leave_out_fit(data, method, nugget = 0), 1e-9)
    expect_left_out(leave_out_fit(repeated, method))
    without <- leave_out_fit(data, method, formula = z ~ 0)
    inverse <- solve(dense_noisy(without$data, without$core_covariance, 0.2))
    expect_equal(unname(residuals(without, "loo", all_others(without))),
      drop(inverse %*% data$z) / diag(inverse), tolerance = 1e-10)
  })
})

test_extended("with fewer neighbours it is nearly so", {
  fit <- leave_out_fit(leave_out_data(200), vecchia(k = 20))
  dense <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  error <- residuals(fit, "loo")
  expect_lt(sqrt(mean((error - (fit$data$y - dense$mean))^2)), 0.01 * sqrt(mean(error^2)))
})

test_that("some of the rows can be predicted as if each had been deleted, and the others are left out", {
  data <- leave_out_data()
  for (method in list(vecchia(k = 59), loo_k(k = 59))) {
    fit <- leave_out_fit(data, method)
    dense <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
    left <- left_out(fit$method, fit, 59L, most = 13)
    expect_identical(left$rows, as.integer(round(seq(1, 60, length.out = 13))))
    expect_equal(left$distribution$mean, dense$mean[left$rows], tolerance = 1e-10)
    expect_equal(left$distribution$sd, dense$sd[left$rows], tolerance = 1e-10)
  }
  repeated <- data
  repeated[1:9, c("x", "y")] <- repeated[c(11:19), c("x", "y")]
  fit <- leave_out_fit(repeated, vecchia(k = 50))
  dense <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  left <- left_out(fit$method, fit, 50L, most = 13)
  expect_lt(length(left$rows), 40L)
  expect_equal(left$distribution$mean, dense$mean[left$rows], tolerance = 1e-10)
  expect_equal(left$distribution$sd, dense$sd[left$rows], tolerance = 1e-10)
})

test_that("of white noise it is the leave-one-out residual of least squares", {
  data <- leave_out_data()
  fit <- neargp(z ~ height + group, data, coords = ~ x + y,
    covariance = cov_exponential(variance = 1e-10, range = 1), method = vecchia(k = 20))
  line <- lm(z ~ height + group, data)
  expect_equal(residuals(fit, "loo"), residuals(line) / (1 - hatvalues(line)), tolerance = 1e-6)
})

test_extended("covariates of noise make leave-one-out and cross-validation look worse, as deleting rows and refitting does", {
  data <- simulated_data(150, seed = 8, slope = 0)
  noise <- matrix(withr::with_seed(2, rnorm(150 * 50)), 150,
    dimnames = list(NULL, paste0("n", 1:50)))
  data <- cbind(data, noise)
  for (method in list(vecchia(k = 20), exact_gp(), loo_k(k = 20), mll_k(k = 20)))
    with_device_of(method, {
      one <- neargp(z ~ height, data, coords = ~ x + y, covariance = cov_exponential(),
        method = method)
      many <- update(one, reformulate(c("height", colnames(noise)), "z"))
      expect_gt(scores(many)$rmse, 1.1 * scores(one)$rmse)
      compared <- cross_validate(list(one = one, many = many), folds = rep_len(1:5, 150))$scores
      expect_gt(compared$rmse[2], 1.1 * compared$rmse[1])
      expect_equal(scores(many)$rmse, compared$rmse[2], tolerance = 0.15)
    })
})

test_extended("a row that alone determines a coefficient has no leave-one-out prediction, and a warning says so", {
  data <- leave_out_data(80)
  data$group <- factor(ifelse(seq_len(80) == 7, "alone", as.character(data$group)))
  for (method in list(exact_gp(), vecchia(k = 10), vnngp(k = 10))) with_device_of(method, {
    fit <- leave_out_fit(data, method)
    expect_warning(loo <- loo_predict(fit), "without row 7 of the data",
      class = "neargp_warning_leverage")
    expect_identical(loo$mean[7], NA_real_)
    expect_identical(loo$sd[7], Inf)
    without <- leave_out_fit(data[-7, ], method)
    expect_equal(loo$mean[-7], loo_predict(without)$mean,
      tolerance = if (inherits(method, "neargp_exact_gp")) 1e-8 else 0.01)
    expect_error(suppressWarnings(scores(fit)), "row 7", class = "neargp_error_missing")
    expect_warning(scored <- scores(fit, na.rm = TRUE), class = "neargp_warning_leverage")
    expect_identical(scored[c("n", "n_missing")], data.frame(n = 79L, n_missing = 1L),
      ignore_attr = TRUE)
    expect_true(is.na(suppressWarnings(augment(fit))$.loo_mean[7]))
  })
})

test_that("near that, the trend is estimated without the row", {
  data <- leave_out_data(120)
  data$height[3] <- 60
  fit <- leave_out_fit(data, vecchia(k = 10))
  rows <- setdiff(1:120, 3L)
  kept <- fit
  kept$data <- take_data_rows(fit$data, rows)
  trend <- with_natural_trend(trend_of_rows(fit, kept$data, plain_context()), kept$data)
  kept[names(trend)] <- trend
  at <- list(coords = fit$data$coords[3, , drop = FALSE], X = fit$data$X[3, , drop = FALSE])
  expected <- predict_latent(kept, at$coords, at$X, fit$data$offset[3], k = 60)
  loo <- loo_predict(fit, k = 60)
  expect_equal(loo$mean[3], expected$mean, tolerance = 1e-3)
  expect_equal(loo$sd[3]^2, expected$variance + fit$nugget / fit$data$weights[3], tolerance = 1e-3)
  expect_gt(loo$sd[3]^2, 10 * min(loo$sd)^2)
})

test_extended("plots leave out what has no prediction", {
  data <- leave_out_data(80)
  data$group <- factor(ifelse(seq_len(80) == 7, "alone", as.character(data$group)))
  data$count <- withr::with_seed(1, rpois(80, 3))
  withr::local_pdf(NULL)
  fit <- leave_out_fit(data, vecchia(k = 10))
  counts <- neargp(count ~ group, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  for (one in list(fit, counts)) {
    expect_warning(plot(one, which = c("residuals", "residual_map", "qq", "loo")),
      class = "neargp_warning_leverage")
  }
})

test_extended("a place of several outputs is predicted as if it had been deleted, trend included", {
  data <- simulated_outputs(40)
  for (leave_out in c("location", "row")) {
    fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y,
      method = loo_k(k = 20, k_other = 20, leave_out = leave_out),
      covariance = known_outputs(), nugget = c(0.2, 8), device = "cpu")
    # the trend of all rows, exactly
    dense <- dense_outputs_trend(fit, seq_along(fit$data$y))
    fit <- given_trend(fit, dense$beta, dense$vcov)
    given <- dense_outputs_left_out(fit,
      if (leave_out == "row") seq_along(fit$data$y) else fit$data$place)
    loo <- leave_one_out(fit, max(tabulate(fit$data$output)), 1L)
    expect_equal(loo$mean, given$mean, tolerance = 1e-8)
    expect_equal(loo$sd, given$sd, tolerance = 1e-8)
  }
})

test_extended("scores() names rows without a prediction as the warning does", {
  data <- simulated_data(60)
  data$z[3] <- NA
  data$count <- round(exp(data$z / 3))
  data$kind <- factor(c(rep(c("a", "b"), 10), "only", rep(c("a", "b"), length.out = 39)))
  for (formula in c(z ~ kind, count ~ kind)) {
    counts <- formula[[2L]] == "count"
    fit <- neargp(formula, data, coords = ~ x + y, family = if (counts) poisson() else gaussian(),
      method = if (counts) vnngp(8) else vecchia(8))
    expect_warning(expect_error(scores(fit), "row 21\\.", class = "neargp_error_missing"),
      "row 21 ", class = "neargp_warning_leverage")
    expect_identical(suppressWarnings(scores(fit, na.rm = TRUE))$n, 58L)
  }
})
