# Estimates, predictions and all else of a fit, the shift of the response taken away: what a shift
# must leave alone.
shifted_results <- function(method, shift, formula = z ~ h, offset = 0, data = simulated_data(150),
                            mean = 0) {
  data$h <- data$height + mean
  data$o <- offset
  data$z <- data$z + shift
  new <- data.frame(x = c(0.2, 0.7), y = c(0.4, 0.1), h = c(0, 1) + mean, o = offset)
  fit <- neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_exponential())
  drawn <- unlist(simulate(fit, nsim = 2, seed = 1, newdata = new)) - shift
  c(logLik = c(fit$log_likelihood), log(coef(fit, what = "covariance")), slope = coef(fit)[["h"]],
    error = sqrt(diag(vcov(fit)))[["h"]], mean = predict(fit, new)$mean - shift,
    sd = predict(fit, new)$sd, global = predict(fit, new, local_mean = FALSE, sectors = 0)$mean -
    shift, joint = predict(fit, new, type = "link", joint = TRUE)$mean - shift,
    loo = residuals(fit, "loo")[1:5], trend = residuals(fit, "trend")[1:5], drawn = drawn)
}

profiled_methods <- function() list(vecchia(12), exact_gp(), loo_k(12), mll_k(12), vnngp(10))

test_extended("a shift of the response changes nothing beyond what rounding of the response itself does", {
  for (method in profiled_methods()) {
    plain <- shifted_results(method, 0)
    for (shift in c(1e6, 1e9, 1e12)) {
      # the response is rounded to 2^-53 of the shift, that is to this share of its own scatter of
      # about 1
      rounding <- shift * .Machine$double.eps
      expect_lt(max(abs(shifted_results(method, shift) - plain)), 1e-6 + 200 * rounding,
        label = method$label)
    }
  }
})

test_extended("a shift may come from an offset as well", {
  for (method in list(vecchia(12), vnngp(10))) {
    plain <- shifted_results(method, 0, z ~ h + offset(o))
    expect_lt(max(abs(shifted_results(method, 1e9, z ~ h + offset(o), offset = 1e9) - plain)), 1e-4)
  }
})

test_extended("a covariate may be large beside its scatter, as years and eastings are", {
  for (method in profiled_methods()) {
    plain <- shifted_results(method, 0)
    expect_lt(max(abs(shifted_results(method, 0, mean = 2000) - plain)), 1e-6)
    expect_lt(max(abs(shifted_results(method, 0, mean = 1e8) - plain)), 1e-4)
  }
})

test_extended("nearly collinear covariates give the fit of their orthogonal combinations", {
  data <- simulated_data(150)
  data$other <- data$height + 1e-5 * sin(20 * data$x)
  data$difference <- sin(20 * data$x)
  new <- data[1:3, ]
  for (method in list(vecchia(12), exact_gp(), vnngp(10))) {
    collinear <- neargp(z ~ height + other, data, coords = ~ x + y, method = method,
      covariance = cov_exponential())
    apart <- neargp(z ~ height + difference, data, coords = ~ x + y, method = method,
      covariance = cov_exponential())
    expect_equal(c(collinear$log_likelihood), c(apart$log_likelihood), tolerance = 1e-8)
    expect_equal(predict(collinear, new), predict(apart, new), tolerance = 1e-6)
    expect_equal(coef(collinear)[["other"]], 1e5 * coef(apart)[["difference"]], tolerance = 1e-5)
  }
})

test_extended("several outputs may lie far from 0, each its own way", {
  data <- simulated_data(80)
  data$w <- data$z + data$height
  results <- function(shift) {
    data$z <- data$z + shift
    data$w <- data$w - shift
    fit <- neargp(cbind(z, w) ~ height, data, coords = ~ x + y, method = vecchia(8),
      covariance = cov_exponential())
    predicted <- predict(fit, data[1:4, ])
    c(fit$log_likelihood, predicted$mean_z - shift, predicted$mean_w + shift, predicted$sd_z,
      unlist(residuals(fit, "loo")[1:4, ]))
  }
  expect_lt(max(abs(results(1e8) - results(0))), 1e-3)
})

test_extended("cross-validation with and without refitting bears a shift", {
  data <- simulated_data(80)
  scores <- function(shift, refit) {
    data$z <- data$z + shift
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(8),
      covariance = cov_exponential())
    unlist(cross_validate(fit, rep_len(1:4, 80), refit = refit)$scores[c("rmse", "crps")])
  }
  for (refit in c(TRUE, FALSE)) expect_equal(scores(1e8, refit), scores(0, refit), tolerance = 1e-4)
})

test_that("the core's columns are orthogonal, and the user's coefficients come back", {
  data <- with_trend_basis(list(y = c(3, 5, 4, 9), offset = rep(0, 4),
    X = cbind(`(Intercept)` = 1, year = 2000 + c(0, 1, 2, 5))))
  columns <- response_columns(data)
  expect_equal(crossprod(columns[, -1L]), diag(4, 2L))
  expect_equal(drop(crossprod(columns)[1L, -1L]), c(0, 0))
  natural <- with_natural_trend(list(beta = c(0.3, -0.2), beta_vcov = diag(2)), data)
  expect_equal(drop(data$X %*% natural$beta), base_mean(data) +
    drop(design_columns(data) %*% c(0.3, -0.2)))
  expect_equal(data$X %*% natural$beta_vcov %*% t(data$X), tcrossprod(design_columns(data)),
    tolerance = 1e-6)
})

test_that("a response that is an exact function of the trend is told from one far from 0", {
  data <- simulated_data(60)
  data$exact <- 2 + 3 * data$height + 1e9
  expect_error(neargp(exact ~ height, data, coords = ~ x + y, method = vecchia(8)),
    "exact function", class = "neargp_error_constant_response")
})

test_extended("a covariate may be large beside its scatter whatever the family, as seconds since 1970 are", {
  data <- simulated_data(75)
  data$group <- factor(rep(c("u", "v", "w"), 25))
  eta <- data$z / 4 - mean(data$z / 4)
  data$count <- stats::qpois(0.5 + 0.4 * sin(seq_len(75)), exp(eta))
  data$amount <- exp(eta)
  data$event <- as.numeric(eta + sin(seq_len(75)) > 0)
  data$kind <- factor(c("a", "b", "c")[1 + (seq_len(75) + data$event) %% 3])
  results <- function(formula, size, method, family) {
    data$second <- size + 0.1 * data$height
    covariance <- cov_exponential(variance = 0.3, range = 0.3)
    fit <- suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method,
      family = family, covariance = covariance))
    predicted <- if (inherits(fit, "neargp_classifier")) as.matrix(predict(fit, data[1:9, ])) else
      as.matrix(predict(fit, data[1:9, ], type = "link"))
    left <- if (inherits(fit, "neargp_classifier")) double(0) else
      c(loo_predict(fit)$mean, sqrt(vcov(fit)["second", "second"]))
    c(fit$log_likelihood, predicted, left)
  }
  expect_no_difference <- function(formula, method, family, tolerance = 1e-4) {
    expect_equal(results(formula, 1.6e9, method, family), results(formula, 0, method, family),
      tolerance = tolerance)
  }
  for (method in list(vnngp(6), loo_k(6))) {
    expect_no_difference(count ~ second + group, method, poisson())
    expect_no_difference(z ~ second + group, method, student_t())
    expect_no_difference(event ~ second + group, method, binomial())
  }
  expect_no_difference(amount ~ second + group, vnngp(6), Gamma("log"))
  # what the optimiser leaves
  expect_no_difference(kind ~ second + group, loo_k(6), categorical(), tolerance = 0.02)
})

test_that("forms of rows of many columns are those of products, wherever a row stands", {
  X <- withr::with_seed(1, matrix(stats::rnorm(300 * 45), 300))
  V <- crossprod(X[1:50, ])
  forms <- row_forms(X, V)
  expect_equal(forms, diag(X %*% V %*% t(X)), tolerance = 1e-12)
  at <- withr::with_seed(2, sample(300, 77))
  expect_identical(row_forms(X[at, ], V), forms[at])
  expect_equal(row_forms(X[, 1:9], V[1:9, 1:9]), diag(X[, 1:9] %*% V[1:9, 1:9] %*% t(X[, 1:9])),
    tolerance = 1e-12)
})

test_that("a covariate so large that its coefficient has no variance is an error that says so", {
  data <- simulated_data(40)
  data$large <- data$height * 1e200
  data$count <- rep(0:3, 10)
  expect_error(neargp(z ~ large, data, coords = ~ x + y, method = vecchia(k = 5)),
    "large is below .*Divide the covariate", class = "neargp_error_scale")
  expect_error(neargp(count ~ large, data, coords = ~ x + y, method = vnngp(k = 5),
    family = poisson()), "Divide the covariate", class = "neargp_error_scale")
})

test_that("a covariate of denormal numbers is an error that says so", {
  data <- simulated_data(40)
  data$tiny <- data$height * 1e-310
  data$one <- replace(double(40), 1L, 1e-320)
  data$count <- rep(0:3, 10)
  for (formula in list(z ~ tiny, z ~ one, z ~ 0 + tiny)) {
    expect_error(neargp(formula, data, coords = ~ x + y, method = vecchia(k = 5)),
      "varies by about .*Multiply the covariate", class = "neargp_error_scale")
  }
  expect_error(neargp(count ~ tiny, data, coords = ~ x + y, method = vnngp(k = 5),
    family = poisson()), "tiny varies", class = "neargp_error_scale")
})
