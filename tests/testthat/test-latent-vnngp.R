test_on_devices(
  "for a gaussian response with all neighbours the likelihood, trend and predictions are the exact ones", {
    data <- vnngp_data(80)
    new <- vnngp_data(20, seed = 2)
    vnngp_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 79, jitter = 1e-8),
      covariance = fixed_exponential, nugget = 0.16)
    exact_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = exact_gp(),
      covariance = fixed_exponential, nugget = 0.16, device = "cpu")
    expect_equal(c(logLik(vnngp_fit)), c(logLik(exact_fit)), tolerance = 1e-7)
    expect_true(inherits(logLik(vnngp_fit), "logLik") &&
      !inherits(logLik(vnngp_fit), "neargp_score"))
    expect_equal(coef(vnngp_fit), coef(exact_fit), tolerance = 1e-5)
    expect_equal(vcov(vnngp_fit), vcov(exact_fit), tolerance = 1e-5)
    expect_equal(predict(vnngp_fit, new, k = 80)$mean, predict(exact_fit, new, device = "cpu")$mean,
      tolerance = 1e-5)
    expect_equal(predict(vnngp_fit, new, k = 80)$sd, predict(exact_fit, new, device = "cpu")$sd,
      tolerance = 1e-5)
    joint <- predict(vnngp_fit, new, k = 80, type = "link", joint = TRUE)
    exact_joint <- predict(exact_fit, new, type = "link", joint = TRUE, device = "cpu")
    expect_equal(attr(joint, "covariance"), attr(exact_joint, "covariance"), tolerance = 1e-4)
    expect_equal(residuals(vnngp_fit, "pearson"), residuals(exact_fit, "pearson", k = 80),
      tolerance = 1e-4)
  })

test_on_devices(
  "leave-one-out predictions of a gaussian response are those of fits without the row", {
    data <- vnngp_data(60)
    fit_to <- function(rows) {
      neargp(gaussian ~ h, data[rows, ], coords = ~ x + y, method = exact_gp(),
        covariance = fixed_exponential, nugget = 0.16, device = "cpu")
    }
    fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 59, jitter = 1e-8),
      covariance = fixed_exponential, nugget = 0.16)
    given_others <- loo_predict(fit)
    for (row in c(1, 17, 60)) {
      expect_equal(given_others[row, ], predict(fit_to(-row), data[row, ], device = "cpu"),
        tolerance = 1e-4, ignore_attr = TRUE)
    }
  })

test_extended("estimates, curvature and start of a gaussian response agree with the exact likelihood", {
  data <- vnngp_data(150, seed = 3)
  vnngp_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 149, jitter = 1e-8),
    covariance = cov_exponential())
  exact_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(), device = "cpu")
  expect_equal(c(logLik(vnngp_fit)), c(logLik(exact_fit)), tolerance = 1e-6)
  expect_equal(coef(vnngp_fit, "covariance"), coef(exact_fit, "covariance"), tolerance = 0.02)
})

test_on_devices("every family is fitted, predicted and simulated", {
  skip_unless_extended()
  data <- vnngp_data(500, seed = 4)
  new <- data[1:100, ]
  new$x <- new$x + 0.001
  for (name in names(vnngp_models)) {
    fit <- fit_vnngp_model(vnngp_models[[name]], data, k = 10)
    expect_true(fit$convergence$converged, info = name)
    estimates <- coef(fit, "covariance")
    parameters <- response_families[[family_core_name(fit$family)]]$parameters
    expect_named(estimates,
      c("variance", "range", if (name == "gaussian") "nugget" else parameters), info = name)
    expect_true(all(is.finite(confint(fit, what = "covariance")["range", ])), info = name)
    truth <- c(0.3, 0.5)
    expect_true(all(abs(coef(fit) - truth) < 3.5 * sqrt(diag(vcov(fit)))), info = name)

    response <- predict(fit, new, interval = "prediction", threshold = 1)
    expect_named(response, c("mean", "sd", "lower", "upper", "p_exceed"))
    expect_true(all(response$lower <= response$mean & response$mean <= response$upper), info = name)
    expect_true(all(response$p_exceed >= 0 & response$p_exceed <= 1), info = name)
    link <- predict(fit, new, type = "link")
    expect_gt(cor(link$mean, new$eta), 0.5)
    expect_named(predict(fit, new, type = "quantile", probs = c(0.1, 0.9)), c("q0.1", "q0.9"))
    expect_identical(predict(fit, new[3, ], type = "link")$sd, link$sd[3])

    draws <- simulate(fit, 3, seed = 1, newdata = new)
    expect_equal(dim(draws), c(100, 3))
    expect_identical(draws, simulate(fit, 3, seed = 1, newdata = new), ignore_attr = TRUE)
    expect_length(fitted(fit), 500)
    expect_true(all(is.finite(residuals(fit, "loo"))), info = name)
    expect_true(all(is.finite(residuals(fit, "pearson"))), info = name)
    expect_output(print(fit), "Posterior")
    expect_output(print(summary(fit)), "Std. Error")
    expect_s3_class(glance(fit), "data.frame")
  }
})

test_extended("intervals of the field cover at their level, at data and in between", {
  skip_on_cran()
  inside <- held <- NULL
  for (seed in 1:6) {
    data <- vnngp_data(700, seed = 10 + seed)
    train <- data[1:500, ]
    test <- data[501:700, ]
    for (name in c("poisson", "counts", "gamma")) {
      fit <- fit_vnngp_model(vnngp_models[[name]], train, k = 15)
      at <- fit$posterior
      inside <- c(inside,
        mean(abs(train$eta - at$linear_predictor) < 1.96 * predict(fit, train, type = "link")$sd))
      field <- predict(fit, test, type = "link")
      held <- c(held, mean(abs(test$eta - field$mean) < 1.96 * field$sd))
    }
  }
  expect_gt(mean(inside), 0.92)
  expect_lt(mean(inside), 0.98)
  expect_gt(mean(held), 0.92)
  expect_lt(mean(held), 0.98)
})

test_extended("exact and incomplete factors agree", {
  data <- vnngp_data(400, seed = 6)
  incomplete <- fit_vnngp_model(vnngp_models$binary, data, k = 15)
  exact <- fit_vnngp_model(vnngp_models$binary, data, k = 15, factor = "exact")
  expect_lt(abs(incomplete$log_likelihood - exact$log_likelihood), 0.05)
  expect_equal(coef(incomplete, "covariance"), coef(exact, "covariance"), tolerance = 0.02)
  new <- vnngp_data(50, seed = 7)
  expect_equal(predict(incomplete, new, type = "link")$sd, predict(exact, new, type = "link")$sd,
    tolerance = 0.01)

  # The same posterior by both: only the factor differs.
  smooth <- neargp(binary ~ h, data, coords = ~ x + y, method = vnngp(10),
    covariance = cov_matern(2.5, variance = 1, range = 0.3), family = binomial())
  same <- smooth
  same$posterior$exact <- TRUE
  expect_equal(predict(smooth, new, type = "link")$sd, predict(same, new, type = "link")$sd,
    tolerance = 0.002)
})

test_extended("a factor that would take too much memory is restricted to the conditioning sets, and print() says so", {
  data <- vnngp_data(400, seed = 6)
  for (name in c("gaussian", "poisson")) {
    wide <- fit_vnngp_model(vnngp_models[[name]], data, k = 15)
    restricted <- fit_vnngp_model(vnngp_models[[name]], data, k = 15, factor_memory = 1e-4)
    expect_false(wide$posterior$restricted)
    expect_true(restricted$posterior$restricted)
    expect_true(restricted$convergence$converged)
    expect_lt(abs(restricted$log_likelihood - wide$log_likelihood), 0.2)
    expect_equal(coef(restricted, "covariance"), coef(wide, "covariance"), tolerance = 0.05)
    expect_equal(coef(restricted), coef(wide), tolerance = 0.02)
    expect_lt(restricted$posterior$variance_error, 0.25)
    expect_output(print(restricted), fixed = TRUE,
      "restricted to the conditioning sets (the pattern of Q would take over 1e-04 GiB), variances wrong by up to")
    new <- vnngp_data(50, seed = 7)
    expect_equal(predict(restricted, new, type = "link"), predict(wide, new, type = "link"),
      tolerance = 0.02)
  }
  expect_error(vnngp(factor_memory = -1), class = "neargp_error_argument")
  expect_identical(vnngp(factor_memory = Inf)$factor_memory, Inf)
})

test_extended("print() reports by how much the totals of Laplace's posterior are off, which those of the sparse one are not", {
  data <- simulated_data(300, variance = 1, range = 0.1, nugget = 0, slope = 0)
  data$few <- withr::with_seed(8, stats::rpois(300, 0.5 * exp(data$z - 3)))
  fit <- function(posterior, response = few ~ 1, family = poisson()) {
    neargp(response, data, coords = ~ x + y, method = vnngp(posterior = posterior), family = family,
      covariance = cov_exponential(variance = 1, range = 0.1))
  }
  laplace <- fit("laplace")
  share <- sum(fitted(laplace)) / sum(data$few)
  expect_gt(share, 1.02)
  expect_output(print(laplace), sprintf("add up to %.3f of the observed total", share),
    fixed = TRUE)
  sparse <- fit("sparse")
  expect_equal(sum(fitted(sparse)), sum(data$few), tolerance = 1e-3)
  expect_no_match(capture.output(print(sparse)), "observed total")
  expect_no_match(capture.output(print(fit("laplace", z ~ 1, gaussian()))), "observed total")
})

test_extended("Laplace's approximation is near for informative data", {
  data <- vnngp_data(400, seed = 8, intercept = 3)
  sparse <- fit_vnngp_model(vnngp_models$poisson, data, k = 15)
  laplace <- fit_vnngp_model(vnngp_models$poisson, data, k = 15, posterior = "laplace")
  expect_equal(laplace$log_likelihood, sparse$log_likelihood, tolerance = 1e-3)
  expect_equal(coef(laplace, "covariance"), coef(sparse, "covariance"), tolerance = 0.02)
  expect_equal(coef(laplace), coef(sparse), tolerance = 0.02)
})

test_that("rows at one location share the field; equal counts are weights", {
  data <- vnngp_data(150, seed = 9)
  twice <- rbind(data, data)
  doubled <- neargp(poisson ~ h, twice, coords = ~ x + y, method = vnngp(k = 10),
    covariance = fixed_exponential, family = poisson())
  weighted <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10),
    covariance = fixed_exponential, family = poisson(), weights = rep(2, 150))
  expect_equal(nrow(doubled$posterior$coords), 150)
  expect_equal(doubled$log_likelihood, weighted$log_likelihood, tolerance = 1e-8)
  expect_equal(coef(doubled), coef(weighted), tolerance = 1e-6)
  expect_equal(doubled$posterior$mean, weighted$posterior$mean, tolerance = 1e-6)
})

test_that("an exposure in the offset moves the intercept and nothing else", {
  data <- vnngp_data(200, seed = 10)
  data$exposure <- 4
  plain <- fit_vnngp_model(vnngp_models$poisson, data, k = 10, covariance = fixed_exponential)
  exposed <- fit_vnngp_model(list(poisson ~ h + offset(log(exposure)), poisson()), data, k = 10,
    covariance = fixed_exponential)
  expect_equal(coef(exposed)[[1]], coef(plain)[[1]] - log(4), tolerance = 1e-5)
  expect_equal(exposed$log_likelihood, plain$log_likelihood, tolerance = 1e-8)
  expect_equal(predict(exposed, data[1:3, ])$mean, predict(plain, data[1:3, ])$mean,
    tolerance = 1e-5)
})

test_extended("ranges by coordinate and longitude-latitude work", {
  data <- vnngp_data(300, seed = 13)
  fit <- fit_vnngp_model(vnngp_models$poisson, data, k = 10,
    covariance = cov_matern(1.5, ard = TRUE))
  expect_named(coef(fit, "covariance")[2:3], c("range_x", "range_y"))
  fit <- neargp(poisson ~ 1, data, coords = ~ x + y, distance = "chordal", method = vnngp(k = 10),
    family = poisson())
  expect_gt(coef(fit, "covariance")[["range"]], 0.5) # km
})

test_extended("fits are plain data and can be continued", {
  data <- vnngp_data(200, seed = 14)
  fit <- neargp(negative_binomial ~ h, data, coords = ~ x + y, method = vnngp(10),
    covariance = cov_exponential(), family = negative_binomial())
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, data[1:5, ]), predict(fit, data[1:5, ]))
  continued <- update(fit, start = fit)
  expect_equal(coef(continued, "covariance"), coef(fit, "covariance"), tolerance = 0.02)
})

test_extended("settings that make no sense are refused", {
  data <- vnngp_data(60, seed = 15)
  expect_error(fit_vnngp_model(vnngp_models$poisson, data, k = 60), class = "neargp_error_k")
  expect_error(neargp(poisson ~ 1, data, coords = ~ x + y, method = vnngp(10), family = poisson(),
    nugget = 1), class = "neargp_error_argument")
  expect_error(neargp(poisson ~ 1, data, coords = ~ x + y, method = vnngp(10),
    family = poisson("sqrt")), class = "neargp_error_family")
  expect_error(vnngp(jitter = 0), class = "neargp_error_argument")
  fit <- fit_vnngp_model(vnngp_models$poisson, data, k = 10)
  expect_error(predict(fit, data, local_mean = TRUE), class = "neargp_error_argument")
  expect_error(predict(fit, data, joint = TRUE), class = "neargp_error_argument")
  expect_error(residuals(fit, "trend"), class = "neargp_error_argument")
})

test_extended("where weights divide a dispersion their unit does not matter", {
  data <- vnngp_data(80, seed = 8)
  for (name in c("gaussian", "gamma", "beta", "student_t")) {
    for (method in list(vnngp(k = 8), loo_k(k = 8))) {
      fit_in <- function(unit) {
        data$w <- unit * rep(1:2, 40)
        neargp(vnngp_models[[name]][[1L]], data, coords = ~ x + y,
          family = vnngp_models[[name]][[2L]], weights = w, method = method,
          covariance = fixed_exponential, threads = 1L)
      }
      fit <- fit_in(1)
      for (unit in c(1e-8, 1e8)) {
        other <- fit_in(unit)
        expect_equal(c(logLik(other)), c(logLik(fit)), tolerance = 1e-4)
        expect_equal(coef(other), coef(fit), tolerance = 0.01)
      }
    }
  }
})

test_extended("the covariance of the trend is one where the field varies by far more than the noise", {
  set.seed(8)
  data <- data.frame(x = runif(40), y = runif(40))
  data$h <- 160 * data$x
  data$amount <- rgamma(40, 3)
  fit <- function(variance, ...) {
    suppressWarnings(neargp(amount ~ h, data, coords = ~ x + y, family = Gamma("log"),
      method = vnngp(k = 3, posterior = "mean-field", ...),
      covariance = cov_exponential(variance = variance, range = 570)))
  }
  for (variance in c(1e8, 1e10)) {
    started <- vcov(fit(variance, optimizer = "adam", epochs = 5L))
    expect_gt(min(eigen(started)$values), 0)
    expect_equal(started, vcov(fit(variance)), tolerance = 0.3)
  }
})
