# Universal kriging of the rows `held` from the rows `kept`, trend included, dense and from its
# textbook formula.
dense_prediction <- function(fit, held, kept) {
  data <- fit$data
  trend <- dense_fit(take_data_rows(data, kept), fit$core_covariance, fit$nugget)
  fit$beta <- trend$beta
  fit$beta_vcov <- trend$vcov
  covariance <- function(i, j) {
    core_covariance_matrix(data$coords[i, , drop = FALSE], data$coords[j, , drop = FALSE],
      as_specified(fit$core_covariance))
  }
  noise <- fit$nugget / data$weights
  weights <- solve(covariance(kept, kept) + diag(noise[kept]), covariance(kept, held))
  residual <- data$y - data$X %*% fit$beta
  unseen <- data$X[held, , drop = FALSE] - crossprod(weights, data$X[kept, , drop = FALSE])
  variance <- sum(vapply(fit$core_covariance$components, `[[`, 0, "variance")) -
    colSums(weights * covariance(kept, held)) +
    rowSums((unseen %*% fit$beta_vcov) * unseen) + noise[held]
  list(mean = drop(data$X[held, , drop = FALSE] %*% fit$beta + crossprod(weights, residual[kept])),
    sd = sqrt(unname(variance)))
}

test_extended("held-out rows are predicted from the other folds alone, as the dense formula says", {
  fit <- example_fit()
  fit$k <- 100L # of the trend's conditioning sets
  fit$data$weights <- 1 + fit$data$X[, 2]^2
  folds <- rep_len(1:4, 250)
  cv <- cross_validate(fit, folds = folds, k = 180)
  for (fold in c(1, 4)) {
    held <- which(folds == fold)
    expected <- dense_prediction(fit, held, setdiff(seq_len(250), held))
    own <- cv$predictions[cv$predictions$fold == fold, ]
    expect_equal(own$row, held)
    expect_equal(own$observed, fit$data$y[held])
    # k = 180 of 187 rows: the rest of the difference is what seven far rows add.
    expect_equal(own$mean, expected$mean, tolerance = 1e-4)
    expect_equal(own$sd, expected$sd, tolerance = 1e-4)
  }
})

test_that("scores are those of the predictions, overall and by fold", {
  fit <- example_fit()
  cv <- cross_validate(fit, folds = rep_len(c("b", "a"), 250), level = 0.8)
  p <- cv$predictions
  expect_equal(as.data.frame(cv$scores)[-1],
    as.data.frame(scores(p, observed = p$observed, level = 0.8)), ignore_attr = TRUE)
  expect_equal(cv$fold_scores$fold, c("a", "b"))
  own <- p[p$fold == "a", ]
  expect_equal(cv$fold_scores$crps[1], scores(own, observed = own$observed)$crps)
  expect_identical(scores(cv), cv$scores)
})

test_extended("settings are compared on the same folds", {
  fit <- example_fit()
  set.seed(1)
  cv <- cross_validate(fit, folds = 5, settings = list(few = list(k = 2), many = list(),
    local = list(local_mean = TRUE)))
  expect_equal(cv$scores$setting, c("few", "many", "local"))
  expect_equal(nrow(cv$fold_scores), 15)
  few <- cv$predictions[cv$predictions$setting == "few", ]
  expect_identical(few$fold, as.integer(cv$folds))
  expect_equal(few$row, 1:250)
  expect_gt(cv$scores$crps[1], cv$scores$crps[2])
})

test_extended("fits are compared on the same folds", {
  fit <- example_fit()
  without <- example_fit()
  without <- neargp(z ~ 1, data.frame(z = fit$data$y, x = fit$data$coords[, 1],
    y = fit$data$coords[, 2]), coords = ~ x + y, method = vecchia(k = 12))
  cv <- cross_validate(list(trend = fit, constant = without), folds = 4)
  expect_equal(cv$scores$setting, c("trend", "constant"))
  expect_lt(cv$scores$rmse[1], 0.7 * cv$scores$rmse[2])
  expect_identical(cv$predictions$fold[1:250], cv$predictions$fold[251:500])
})

test_extended("refitting is a fit to the rows of the other folds", {
  fit <- example_fit()
  folds <- rep_len(1:2, 250)
  cv <- cross_validate(fit, folds = folds, refit = TRUE)
  data <- data.frame(z = fit$data$y, elevation = fit$data$X[, 2], x = fit$data$coords[, 1],
    y = fit$data$coords[, 2])
  other <- neargp(z ~ elevation, data[folds == 2, ], coords = ~ x + y, method = vecchia(k = 12),
    start = fit)
  expected <- predict(other, data[folds == 1, ])
  own <- cv$predictions[cv$predictions$fold == 1, ]
  expect_equal(own$mean, expected$mean, tolerance = 1e-6)
  expect_equal(own$sd, expected$sd, tolerance = 1e-6)
  expect_false(
    isTRUE(all.equal(own$mean, cross_validate(fit, folds = folds)$predictions$mean[folds == 1],
      tolerance = 1e-8)))
})

test_that("refits that stop early say so", {
  fit <- example_fit(100)
  fit$control <- neargp_control(max_iterations = 1, coarse_k = 0)
  fit$parameters$estimate[1:2] <- c(100, 0.01)
  expect_warning(expect_warning(cross_validate(fit, folds = rep_len(1:2, 100), refit = TRUE),
    "without fold 1 did not converge"), "without fold 2 did not converge",
    class = "neargp_warning_convergence")
})

test_extended("folds in parallel give the same numbers", {
  skip_if_not_installed("future.apply")
  skip_on_cran()
  fit <- example_fit(150)
  folds <- rep_len(1:3, 150)
  serial <- cross_validate(fit, folds = folds)
  future::plan("multisession", workers = 2)
  withr::defer(future::plan("sequential"))
  parallel <- tryCatch(cross_validate(fit, folds = folds),
    error = function(e) skip(conditionMessage(e)))
  expect_equal(parallel$predictions, serial$predictions)
})

test_extended("sf fits and blocked folds work", {
  skip_if_not_installed("sf")
  set.seed(32)
  data <- data.frame(x = runif(200, 0, 1e4), y = runif(200, 0, 1e4))
  data$z <- sin(data$x / 2000) + rnorm(200, sd = 0.2)
  fit <- neargp(z ~ 1, sf::st_as_sf(data, coords = c("x", "y"), crs = 32613),
    method = vecchia(k = 10))
  cv <- cross_validate(fit, folds = "blocked")
  expect_equal(nrow(cv$predictions), 200)
  expect_output(print(cv),
    "200 rows in 10 folds \\(square blocks\\)\nParameters: covariance of the full fit, trend estimated again")
})

test_extended("random folds promise smaller errors than gaps have, which blocks tell", {
  data <- simulated_data(250, range = 0.4)
  gap <- data$x > 0.3 & data$x < 0.7 & data$y > 0.3 & data$y < 0.7
  fit <- neargp(z ~ height, data[!gap, ], coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential())
  set.seed(1)
  by_folds <- function(folds) cross_validate(fit, folds = folds)$scores$rmse
  at_random <- by_folds(random_folds(fit, v = 5))
  in_gap <- scores(fit, newdata = data[gap, ])$rmse
  expect_gt(in_gap, 1.2 * at_random)
  expect_gt(by_folds(block_folds(fit, v = 5, size = 0.4)), 1.2 * at_random)
})

test_extended("wrong folds and settings are refused with their reason", {
  fit <- example_fit(60)
  expect_error(cross_validate(fit, folds = 1:5), "each of the 60 rows",
    class = "neargp_error_folds")
  expect_error(cross_validate(fit, folds = rep(NA, 60)), "All its values are missing",
    class = "neargp_error_folds")
  expect_error(cross_validate(fit, folds = rep(1, 60)), "same fold", class = "neargp_error_folds")
  expect_error(cross_validate(fit, folds = 100), "`v` is 100", class = "neargp_error_folds")
  expect_error(cross_validate(fit, settings = list(list(k = 3))), "named list",
    class = "neargp_error_argument")
  expect_error(cross_validate(fit, settings = list(a = 3)), "list of lists",
    class = "neargp_error_argument")
  expect_error(cross_validate(fit, neighbours = 3), "Not neighbours",
    class = "neargp_error_argument")
  expect_error(cross_validate(fit, folds = 2, k = 40), "more than the 30 rows",
    class = "neargp_error_k")
  expect_error(cross_validate(fit, refit = NA), "`refit`", class = "neargp_error_argument")
  expect_error(cross_validate(list(fit)), "named fits", class = "neargp_error_fits")
  expect_error(cross_validate(list(a = fit, b = fixed_class_fit(class_data(60), k = 10L))),
    "Fits to categories: b", class = "neargp_error_fits")
  other <- example_fit(60, seed = 33)
  expect_error(cross_validate(list(a = fit, b = other)), "b differs from a",
    class = "neargp_error_fits")
  folds <- block_folds(fit, v = 2, size = 0.3, buffer = 10)
  expect_error(cross_validate(fit, folds = folds), "smaller `buffer`", class = "neargp_error_folds")
})
