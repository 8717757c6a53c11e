low_rank_fit <- function(data = simulated_data(120), method = vecchia(k = 8, inducing = 20), ...) {
  inducing_fit(data, method, ...)
}

test_that("with all earlier rows for neighbours the method is the exact one", {
  data <- simulated_data(60)
  data$w <- rep(c(0.5, 1, 2, 1, 4), 12)
  new <- simulated_data(15, seed = 2)
  formula <- z ~ height + offset(x)
  exact <- inducing_fit(data, exact_gp(), weights = w, formula = formula)
  fit <- low_rank_fit(data, vecchia(k = 59, inducing = 10), weights = w, formula = formula)
  expect_equal(c(fit$log_likelihood), c(exact$log_likelihood), tolerance = 1e-10)
  expect_equal(coef(fit), coef(exact), tolerance = 1e-8)
  expect_equal(vcov(fit), vcov(exact), tolerance = 1e-8)
  expect_equal(predict(fit, new, k = 60, interval = "prediction"),
    predict(exact, new, interval = "prediction"), tolerance = 1e-8)
  expect_equal(loo_predict(fit), loo_predict(exact), tolerance = 1e-8)
  expect_equal(residuals(fit, "standardized"), residuals(exact, "standardized"), tolerance = 1e-8)
  joint <- function(fit, ...) attr(predict(fit, new, joint = TRUE, ...), "covariance")
  expect_equal(joint(fit, k = 60), joint(exact), tolerance = 1e-8)
})

test_that("without inducing points the method is vecchia()", {
  expect_identical(vecchia(k = 5, inducing = 0), vecchia(k = 5))
  data <- simulated_data(100)
  far <- cbind(c(1e6, 1e6 + 1), c(0, 0))
  covariance <- cov_exponential(variance = 1.5, range = 0.3)
  fit <- low_rank_fit(data, vecchia(k = 8, inducing = far), covariance = covariance)
  plain <- inducing_fit(data, vecchia(k = 8), covariance = covariance)
  expect_equal(c(fit$log_likelihood), c(plain$log_likelihood), tolerance = 1e-12)
  expect_equal(coef(fit), coef(plain), tolerance = 1e-10)
  new <- simulated_data(10, seed = 2)
  expect_equal(predict(fit, new, k = 12), predict(plain, new, k = 12, local_mean = FALSE,
    sectors = 0), tolerance = 1e-8)
})

test_that("predictions are those of the dense joint distribution", {
  data <- simulated_data(80)
  fit <- low_rank_fit(data, vecchia(k = 6, inducing = 12), formula = z ~ 0)
  new <- simulated_data(6, seed = 3)
  predicted <- predict(fit, new, k = 8, type = "link")
  prior <- dense_covariance(fit$low_rank$positions, fit$low_rank$positions, fit$core_covariance)
  diag(prior) <- diag(prior) + 1e-6 * prior[1L, 1L]
  places <- rbind(fit$data$coords, as.matrix(new[c("x", "y")]))
  features <- forwardsolve(t(chol(prior)), dense_covariance(fit$low_rank$positions, places,
    fit$core_covariance))
  rest <- dense_covariance(places, places, fit$core_covariance) - crossprod(features)
  known <- seq_len(80)
  neighbors <- as.matrix(low_rank_neighbors(fit, fit$data, fit$low_rank$order,
    plain_context()))
  noisy <- rest + diag(c(rep(fit$nugget, 80), rep(0, 6)))
  whitening <- diag(80)
  variance <- double(80)
  for (i in known) {
    set <- neighbors[!is.na(neighbors[, i]), i]
    variance[i] <- noisy[i, i]
    if (!length(set)) next
    b <- solve(noisy[set, set, drop = FALSE], noisy[set, i])
    whitening[i, set] <- -b
    variance[i] <- variance[i] - sum(noisy[set, i] * b)
  }
  inverse <- solve(whitening)
  data_covariance <- crossprod(features[, known]) + inverse %*% (variance * t(inverse))
  w <- solve(data_covariance, data$z)
  mean_w <- drop(features[, known] %*% w)
  cov_w <- diag(12) - features[, known] %*% solve(data_covariance, t(features[, known]))
  for (t in 1:6) {
    at <- 80 + t
    correlation <- abs(rest[known, at]) / sqrt(diag(rest)[known])
    near <- order((data$x - new$x[t])^2 + (data$y - new$y[t])^2)[1:40]
    set <- near[order(-correlation[near])[1:8]]
    b <- solve(noisy[set, set], rest[set, at])
    alpha <- drop(features[, at] - features[, set] %*% b)
    expect_equal(predicted$mean[t], sum(b * data$z[set]) + sum(alpha * mean_w), tolerance = 1e-8)
    expect_equal(predicted$sd[t]^2, rest[at, at] - sum(b * rest[set, at]) +
      sum(alpha * (cov_w %*% alpha)), tolerance = 1e-8)
  }
  loo <- loo_predict(fit)
  precision <- solve(data_covariance)
  expect_equal(loo$mean, drop(data$z - (precision %*% data$z) / diag(precision)), tolerance = 1e-8)
  expect_equal(loo$sd, 1 / sqrt(diag(precision)), tolerance = 1e-8)
})

test_extended("a prediction depends on its own row alone", {
  fit <- low_rank_fit()
  new <- simulated_data(300, seed = 5)
  all <- predict(fit, new)
  expect_identical(predict(fit, new[c(7, 150, 300), ])$mean, all$mean[c(7, 150, 300)])
  expect_identical(predict(fit, new, chunk_size = 37)$sd, all$sd)
  # of few locations, whose candidates are not all rows
  fit <- low_rank_fit(simulated_data(700))
  some <- predict(fit, new[4:6, ])
  expect_identical(some[c("mean", "sd")], predict(fit, new)[4:6, c("mean", "sd")],
    ignore_attr = TRUE)
})

test_extended("estimates come near those of the exact method, in many coordinates and for a smooth field", {
  data <- withr::with_seed(4,
    as.data.frame(matrix(stats::runif(1600), 400, 4, dimnames = list(NULL, paste0("x", 1:4)))))
  r <- as.matrix(stats::dist(data)) / 0.6
  data$z <- withr::with_seed(5,
    drop(crossprod(chol((1 + r + r^2 / 3) * exp(-r)), stats::rnorm(400))) +
    stats::rnorm(400, sd = 0.2))
  covariance <- cov_matern(nu = 2.5)
  fit <- neargp(z ~ 1, data, coords = ~ x1 + x2 + x3 + x4, method = vecchia(k = 10, inducing = 60),
    covariance = covariance)
  exact <- neargp(z ~ 1, data, coords = ~ x1 + x2 + x3 + x4, method = exact_gp(),
    covariance = covariance)
  plain <- neargp(z ~ 1, data, coords = ~ x1 + x2 + x3 + x4, method = vecchia(k = 10),
    covariance = covariance)
  expect_true(fit$convergence$converged)
  expect_lt(abs(fit$log_likelihood - exact$log_likelihood),
    0.1 * abs(plain$log_likelihood - exact$log_likelihood))
  moved <- abs(log(coef(fit, "covariance") / coef(exact, "covariance")))[c("variance", "range",
    "nugget")]
  expect_lt(max(moved), 0.1)
  errors <- function(fit) sqrt(diag(vcov(fit, "covariance")))[c("variance", "range", "nugget")]
  expect_equal(errors(fit), errors(exact), tolerance = 0.2)
  for (k in c(15, 20)) {
    expect_equal(errors(update(fit, method = vecchia(k = k, inducing = 60))), errors(exact),
      tolerance = 0.2)
  }
  expect_s3_class(logLik(fit), "logLik")
  expect_false(inherits(logLik(fit), "neargp_score"))
  expect_equal(AIC(fit), -2 * fit$log_likelihood + 2 * 4)
})

test_extended("the number of threads does not change a digit", {
  data <- withr::with_seed(6, data.frame(x = runif(1500), y = runif(1500), height = rnorm(1500)))
  data$z <- with(data, sin(5 * x) + height) + sin(seq_len(1500))
  fit <- function(threads) {
    neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 5, inducing = 20),
      covariance = cov_matern(nu = 1.5), threads = threads,
      control = neargp_control(max_refreshes = 2L))
  }
  kept <- c("log_likelihood", "parameters", "beta", "beta_vcov", "inducing", "low_rank")
  expect_identical(suppressWarnings(fit(3L))[kept], suppressWarnings(fit(1L))[kept])
})

test_extended("draws have the moments of predictions, with dense matrices and with neighbours", {
  fit <- low_rank_fit(simulated_data(150), vecchia(k = 80, inducing = 20))
  new <- simulated_data(8, seed = 3)
  expected <- predict(fit, new, type = "link", k = 150)
  for (k in list(NULL, 120L)) {
    draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "link", k = k))
    expect_lt(max(abs(rowMeans(draws) - expected$mean) / expected$sd), 0.1)
    expect_equal(unname(apply(draws, 1L, stats::sd)), expected$sd, tolerance = 0.06)
  }
  prior <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "link", k = 120,
    conditional = FALSE))
  expect_equal(mean(apply(prior, 1L, stats::var)), 1.5, tolerance = 0.06)
})

test_extended("what can be asked of other fits can be asked of this one", {
  data <- simulated_data(150)
  fit <- low_rank_fit(data)
  expect_output(print(fit), "20 points")
  expect_output(print(summary(fit)), "8 neighbours")
  expect_output(print(fit$method), "inducing +20")
  expect_identical(glance(fit)$method, "vecchia")
  expect_identical(dim(fit$inducing), c(20L, 2L))
  expect_named(fit$inducing, c("x", "y"))
  expect_drawn(plot(fit, "inducing"))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[1:5, ]), predict(fit, data[1:5, ]))
  folds <- cross_validate(fit, folds = 3)
  expect_equal(scores(folds)$rmse, sqrt(mean(residuals(fit, "loo")^2)), tolerance = 0.2)
  kept <- restrict_rows(fit$method, fit, 1:100, plain_context())
  alone <- low_rank_fit(data[1:100, ], vecchia(k = 8, inducing = as.matrix(fit$inducing)))
  expect_equal(predict(kept, data[101:120, ]), predict(alone, data[101:120, ]), tolerance = 0.02)
  expect_lt(sqrt(mean((fitted(fit) - data$z)^2)), sqrt(mean(residuals(fit, "loo")^2)))
})

test_that("a fit is continued at its estimates, with its inducing points", {
  data <- simulated_data(150)
  first <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 8, inducing = 20),
    covariance = cov_matern(nu = 1.5))
  again <- update(first, start = first)
  expect_identical(again$inducing, first$inducing)
  expect_equal(again$log_likelihood, first$log_likelihood, tolerance = 1e-4)
  expect_lte(again$convergence$evaluations, first$convergence$evaluations)
})

test_that("positions may be given, and are never more than there are places", {
  data <- simulated_data(60)
  given <- expand.grid(x = c(0.2, 0.8), y = c(0.3, 0.7))
  expect_equal(low_rank_fit(data, vecchia(k = 5, inducing = given))$inducing, given,
    ignore_attr = TRUE)
  expect_message(fit <- low_rank_fit(data, vecchia(k = 5, inducing = 100)),
    class = "neargp_message_inducing")
  expect_identical(nrow(fit$inducing), 60L)
})

test_extended("bad input is refused by an error that says what to use", {
  data <- simulated_data(60)
  for (wrong in list(NULL, NA, -1, 2.5, "a", c(1, 2))) expect_error(vecchia(inducing = wrong),
    class = "neargp_error_argument")
  expect_error(low_rank_fit(data, vecchia(k = 5, inducing = data.frame(x = 1))),
    class = "neargp_error")
  expect_error(low_rank_fit(data, vecchia(k = 5, inducing = cbind(c(0.1, NA), 0.2))),
    class = "neargp_error_inducing")
  expect_error(low_rank_fit(transform(data, z = as.integer(z > 3)), vecchia(k = 5, inducing = 5),
    family = binomial()), class = "neargp_error_family")
  expect_error(neargp(cbind(z, height) ~ 1, data, coords = ~ x + y,
    method = vecchia(k = 5, inducing = 5)), class = "neargp_error_method")
  expect_error(low_rank_fit(data, device = "cuda"), class = "neargp_error_device")
  fit <- low_rank_fit(data)
  expect_error(predict(fit, data[1:3, ], sectors = 8), class = "neargp_error_argument")
  expect_error(predict(fit, data[1:3, ], local_mean = TRUE), class = "neargp_error_argument")
  expect_error(loo_predict(fit, k = 5), class = "neargp_error_argument")
  expect_error(predict(fit, data[1:3, ], k = 61), class = "neargp_error_k")
})

test_that("without noise the field is the data where it was observed", {
  data <- simulated_data(60, nugget = 0)
  fit <- low_rank_fit(data, vecchia(k = 8, inducing = 10), nugget = 0,
    covariance = cov_exponential(variance = 1.5, range = 0.3))
  expect_equal(predict(fit, data)$mean, data$z, tolerance = 1e-8)
  expect_lt(max(predict(fit, data)$sd), 1e-4)
})
