# A field with exponential covariance (variance 1, range 0.15), a covariate, and responses of every family on the scale of their link.
latent_data <- function(n = 400, seed = 1, intercept = 0.3) {
  withr::with_seed(seed, {
    data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    covariance <- exp(-as.matrix(dist(data[c("x", "y")])) / 0.15) + diag(1e-8, n)
    data$eta <- intercept + 0.5 * data$h + drop(crossprod(chol(covariance), rnorm(n)))
    mean <- exp(data$eta)
    share <- plogis(data$eta)
    data$gaussian <- data$eta + rnorm(n, 0, 0.4)
    data$student_t <- data$eta + 0.3 * rt(n, 4)
    data$poisson <- rpois(n, mean)
    data$negative_binomial <- rnbinom(n, size = 2, mu = mean)
    data$gamma <- rgamma(n, 3, scale = mean / 3)
    data$beta <- rbeta(n, 8 * share, 8 * (1 - share))
    data$binary <- factor(ifelse(runif(n) < share, "yes", "no"))
    data$trials <- 1 + rpois(n, 4)
    data$successes <- rbinom(n, data$trials, share)
  })
  data
}

models <- list(
  gaussian = list(gaussian ~ h, gaussian()), student_t = list(student_t ~ h, student_t()), poisson = list(poisson ~ h, poisson()),
  negative_binomial = list(negative_binomial ~ h, negative_binomial()), gamma = list(gamma ~ h, Gamma("log")),
  beta = list(beta ~ h, beta_response()), binary = list(binary ~ h, binomial()),
  counts = list(cbind(successes, trials - successes) ~ h, binomial())
)

fit_latent_model <- function(model, data, ..., covariance = cov_exponential()) {
  neargp(model[[1]], data, coords = ~ x + y, method = vnngp(...), covariance = covariance, family = model[[2]], verbose = FALSE)
}

fixed_exponential <- cov_exponential(variance = 1, range = 0.15)

test_on_devices("for a gaussian response with all neighbours the likelihood, trend and predictions are the exact ones", {
  data <- latent_data(80)
  new <- latent_data(20, seed = 2)
  vnngp_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 79, jitter = 1e-8), covariance = fixed_exponential,
    nugget = 0.16)
  exact_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = exact_gp(), covariance = fixed_exponential, nugget = 0.16)
  expect_equal(c(logLik(vnngp_fit)), c(logLik(exact_fit)), tolerance = 1e-7)
  expect_true(inherits(logLik(vnngp_fit), "logLik") && !inherits(logLik(vnngp_fit), "neargp_score"))
  expect_equal(coef(vnngp_fit), coef(exact_fit), tolerance = 1e-5)
  expect_equal(vcov(vnngp_fit), vcov(exact_fit), tolerance = 1e-5)
  expect_equal(predict(vnngp_fit, new, k = 80)$mean, predict(exact_fit, new)$mean, tolerance = 1e-5)
  expect_equal(predict(vnngp_fit, new, k = 80)$sd, predict(exact_fit, new)$sd, tolerance = 1e-5)
  joint <- predict(vnngp_fit, new, k = 80, type = "link", joint = TRUE)
  exact_joint <- predict(exact_fit, new, type = "link", joint = TRUE)
  expect_equal(attr(joint, "covariance"), attr(exact_joint, "covariance"), tolerance = 1e-4)
  expect_equal(residuals(vnngp_fit, "pearson"), residuals(exact_fit, "pearson"), tolerance = 1e-4)
})

test_on_devices("leave-one-out predictions of a gaussian response are those of fits without the row", {
  data <- latent_data(60)
  fit_to <- function(rows) {
    neargp(gaussian ~ h, data[rows, ], coords = ~ x + y, method = exact_gp(), covariance = fixed_exponential, nugget = 0.16)
  }
  fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 59, jitter = 1e-8), covariance = fixed_exponential,
    nugget = 0.16)
  given_others <- loo_predict(fit)
  for (row in c(1, 17, 60)) {
    expect_equal(given_others[row, ], predict(fit_to(-row), data[row, ]), tolerance = 1e-4, ignore_attr = TRUE)
  }
})

test_that("estimates, curvature and start of a gaussian response agree with the exact likelihood", {
  data <- latent_data(150, seed = 3)
  vnngp_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = vnngp(k = 149, jitter = 1e-8), covariance = cov_exponential())
  exact_fit <- neargp(gaussian ~ h, data, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential())
  expect_equal(c(logLik(vnngp_fit)), c(logLik(exact_fit)), tolerance = 1e-6)
  expect_equal(coef(vnngp_fit, "covariance"), coef(exact_fit, "covariance"), tolerance = 0.02)
})

test_on_devices("every family is fitted, predicted and simulated", {
  data <- latent_data(500, seed = 4)
  new <- data[1:100, ]
  new$x <- new$x + 0.001
  for (name in names(models)) {
    fit <- fit_latent_model(models[[name]], data, k = 10)
    expect_true(fit$convergence$converged, info = name)
    estimates <- coef(fit, "covariance")
    parameters <- response_families[[family_core_name(fit$family)]]$parameters
    expect_named(estimates, c("variance", "range", if (name == "gaussian") "nugget" else parameters), info = name)
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

test_that("intervals of the field cover at their level, at data and in between", {
  skip_on_cran()
  inside <- held <- NULL
  for (seed in 1:6) {
    data <- latent_data(700, seed = 10 + seed)
    train <- data[1:500, ]
    test <- data[501:700, ]
    for (name in c("poisson", "counts", "gamma")) {
      fit <- fit_latent_model(models[[name]], train, k = 15)
      at <- fit$posterior
      inside <- c(inside, mean(abs(train$eta - at$linear_predictor) < 1.96 * predict(fit, train, type = "link")$sd))
      field <- predict(fit, test, type = "link")
      held <- c(held, mean(abs(test$eta - field$mean) < 1.96 * field$sd))
    }
  }
  expect_gt(mean(inside), 0.92)
  expect_lt(mean(inside), 0.98)
  expect_gt(mean(held), 0.92)
  expect_lt(mean(held), 0.98)
})

test_that("the posterior mean at the data is what predictions there give", {
  data <- latent_data(300, seed = 5)
  fit <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10), covariance = fixed_exponential, family = poisson())
  link <- predict(fit, data, type = "link")
  expect_equal(link$mean, fit$posterior$linear_predictor, tolerance = 1e-4)
  expect_equal(link$sd^2, fit$posterior$variance_at_data, tolerance = 0.02)
})

test_that("exact and incomplete factors agree", {
  data <- latent_data(400, seed = 6)
  incomplete <- fit_latent_model(models$binary, data, k = 15)
  exact <- fit_latent_model(models$binary, data, k = 15, factor = "exact")
  expect_lt(abs(incomplete$log_likelihood - exact$log_likelihood), 0.05)
  expect_equal(coef(incomplete, "covariance"), coef(exact, "covariance"), tolerance = 0.02)
  new <- latent_data(50, seed = 7)
  expect_equal(predict(incomplete, new, type = "link")$sd, predict(exact, new, type = "link")$sd, tolerance = 0.01)

  # The same posterior by both: only the factor differs.
  smooth <- neargp(binary ~ h, data, coords = ~ x + y, method = vnngp(10), covariance = cov_matern(2.5, variance = 1, range = 0.3),
    family = binomial())
  same <- smooth
  same$posterior$exact <- TRUE
  expect_equal(predict(smooth, new, type = "link")$sd, predict(same, new, type = "link")$sd, tolerance = 0.002)
})

test_that("Laplace's approximation is near for informative data", {
  data <- latent_data(400, seed = 8, intercept = 3)
  sparse <- fit_latent_model(models$poisson, data, k = 15)
  laplace <- fit_latent_model(models$poisson, data, k = 15, posterior = "laplace")
  expect_equal(laplace$log_likelihood, sparse$log_likelihood, tolerance = 1e-3)
  expect_equal(coef(laplace, "covariance"), coef(sparse, "covariance"), tolerance = 0.02)
  expect_equal(coef(laplace), coef(sparse), tolerance = 0.02)
})

test_that("rows at one location share the field; equal counts are weights", {
  data <- latent_data(150, seed = 9)
  twice <- rbind(data, data)
  doubled <- neargp(poisson ~ h, twice, coords = ~ x + y, method = vnngp(k = 10), covariance = fixed_exponential, family = poisson())
  weighted <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10), covariance = fixed_exponential, family = poisson(),
    weights = rep(2, 150))
  expect_equal(nrow(doubled$posterior$coords), 150)
  expect_equal(doubled$log_likelihood, weighted$log_likelihood, tolerance = 1e-8)
  expect_equal(coef(doubled), coef(weighted), tolerance = 1e-6)
  expect_equal(doubled$posterior$mean, weighted$posterior$mean, tolerance = 1e-6)
})

test_that("an exposure in the offset moves the intercept and nothing else", {
  data <- latent_data(200, seed = 10)
  data$exposure <- 4
  plain <- fit_latent_model(models$poisson, data, k = 10, covariance = fixed_exponential)
  exposed <- fit_latent_model(list(poisson ~ h + offset(log(exposure)), poisson()), data, k = 10, covariance = fixed_exponential)
  expect_equal(coef(exposed)[[1]], coef(plain)[[1]] - log(4), tolerance = 1e-5)
  expect_equal(exposed$log_likelihood, plain$log_likelihood, tolerance = 1e-8)
  expect_equal(predict(exposed, data[1:3, ])$mean, predict(plain, data[1:3, ])$mean, tolerance = 1e-5)
})

test_that("draws at the data and elsewhere have the posterior's mean and spread", {
  data <- latent_data(200, seed = 11)
  new <- latent_data(4, seed = 12)
  fit <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 15), covariance = fixed_exponential, family = poisson())
  for (places in list(new, data[1:4, ])) {
    draws <- as.matrix(simulate(fit, 3000, seed = 5, newdata = places, type = "link"))
    field <- predict(fit, places, type = "link")
    expect_lt(max(abs(rowMeans(draws) - field$mean) / field$sd), 4 / sqrt(3000))
    expect_lt(max(abs(apply(draws, 1, sd) / field$sd - 1)), 4 / sqrt(2 * 3000) + 0.01)
  }
  prior <- as.matrix(simulate(fit, 2000, seed = 6, newdata = new, type = "link", conditional = FALSE))
  expect_lt(max(abs(apply(prior, 1, var) - 1)), 0.15)
})

test_that("ranges by coordinate and longitude-latitude work", {
  data <- latent_data(300, seed = 13)
  fit <- fit_latent_model(models$poisson, data, k = 10, covariance = cov_matern(1.5, ard = TRUE))
  expect_named(coef(fit, "covariance")[2:3], c("range_x", "range_y"))
  fit <- neargp(poisson ~ 1, data, coords = ~ x + y, distance = "chordal", method = vnngp(k = 10), family = poisson())
  expect_gt(coef(fit, "covariance")[["range"]], 0.5) # km
})

test_that("fits are plain data and can be continued", {
  data <- latent_data(200, seed = 14)
  fit <- neargp(negative_binomial ~ h, data, coords = ~ x + y, method = vnngp(10), covariance = cov_exponential(),
    family = negative_binomial())
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, data[1:5, ]), predict(fit, data[1:5, ]))
  continued <- update(fit, start = fit)
  expect_equal(coef(continued, "covariance"), coef(fit, "covariance"), tolerance = 0.02)
})

test_that("settings that make no sense are refused", {
  data <- latent_data(60, seed = 15)
  expect_error(fit_latent_model(models$poisson, data, k = 60), class = "neargp_error_k")
  expect_error(neargp(poisson ~ 1, data, coords = ~ x + y, method = vnngp(10), family = poisson(), nugget = 1),
    class = "neargp_error_argument")
  expect_error(neargp(poisson ~ 1, data, coords = ~ x + y, method = vnngp(10), family = poisson("sqrt")), class = "neargp_error_family")
  expect_error(vnngp(jitter = 0), class = "neargp_error_argument")
  fit <- fit_latent_model(models$poisson, data, k = 10)
  expect_error(predict(fit, data, local_mean = TRUE), class = "neargp_error_argument")
  expect_error(predict(fit, data, joint = TRUE), class = "neargp_error_argument")
  expect_error(residuals(fit, "trend"), class = "neargp_error_argument")
})

test_that("separation ends with a finite, flagged answer", {
  data <- latent_data(200, seed = 16)
  data$side <- factor(ifelse(data$x > 0.5, "right", "left"))
  fit <- suppressWarnings(neargp(side ~ 1, data, coords = ~ x + y, method = vnngp(10), family = binomial()))
  expect_true(all(is.finite(fit$posterior$mean)))
  expect_true(any(fit$parameters$at_boundary) || isFALSE(fit$convergence$converged))
  p <- predict(fit, data.frame(x = c(0.05, 0.95), y = 0.5))$mean
  expect_lt(p[1], 0.1)
  expect_gt(p[2], 0.9)
})

test_that("gross outliers of a Student-t response move neither starting values nor bounds", {
  data <- latent_data(300, seed = 17)
  clean <- neargp(student_t ~ h, data, coords = ~ x + y, method = vnngp(10), covariance = cov_exponential(), family = student_t(4))
  data$student_t[c(3, 50)] <- c(1e4, -1e3)
  fit <- neargp(student_t ~ h, data, coords = ~ x + y, method = vnngp(10), covariance = cov_exponential(), family = student_t(4))
  expect_false(any(fit$parameters$at_boundary))
  expect_lt(max(abs(coef(fit) - coef(clean)) / sqrt(diag(vcov(clean)))), 0.5)
  expect_lt(max(abs(log(coef(fit, "covariance") / coef(clean, "covariance"))[c("variance", "scale")])), 0.2)
})

test_that("counts without any variation have a constant mean", {
  data <- latent_data(100, seed = 18)
  data$three <- 3
  data$ten <- 10
  fit <- neargp(three ~ 1, data, coords = ~ x + y, method = vnngp(10), family = poisson())
  expect_equal(coef(fit)[[1L]], log(3), tolerance = 1e-4)
  fit <- neargp(cbind(three, ten - three) ~ 1, data, coords = ~ x + y, method = vnngp(10), family = binomial())
  expect_equal(coef(fit)[[1L]], qlogis(0.3), tolerance = 1e-4)
})

test_that("a response that the trend explains entirely is refused, and one over many orders of magnitude fitted", {
  data <- latent_data(100, seed = 19)
  data$straight <- 1 + 2 * data$h
  data$grown <- exp(1 + 0.3 * data$h)
  expect_error(neargp(straight ~ h, data, coords = ~ x + y, method = vnngp(10), family = student_t()),
    class = "neargp_error_constant_response")
  expect_error(neargp(grown ~ h, data, coords = ~ x + y, method = vnngp(10), family = Gamma("log")),
    class = "neargp_error_constant_response")
  withr::with_seed(1, data$wild <- pmax(rgamma(100, 0.05), 1e-300))
  fit <- neargp(wild ~ h, data, coords = ~ x + y, method = vnngp(10), covariance = fixed_exponential, family = Gamma("log"))
  expect_equal(coef(fit, "covariance")[["shape"]], 0.05, tolerance = 0.3)
})

test_that("the unit of a lattice's coordinates does not choose its neighbours", {
  data <- expand.grid(x = (1:20) / 20, y = (1:20) / 20)
  withr::with_seed(20, data$count <- rpois(400, exp(sin(7 * data$x) + cos(7 * data$y))))
  fit_in <- function(unit) {
    data[c("x", "y")] <- data[c("x", "y")] * unit
    neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(15), covariance = cov_matern(1.5, variance = 1, range = 0.13 * unit),
      family = poisson())
  }
  here <- fit_in(1)
  for (unit in c(1.1, 1.0001, 0.3048)) {
    there <- fit_in(unit)
    expect_equal(there$log_likelihood, here$log_likelihood, tolerance = 1e-6)
    expect_equal(there$posterior$variance_at_data, here$posterior$variance_at_data, tolerance = 1e-3)
  }
})

test_that("separation by the trend is flagged, also that of one level of a factor", {
  data <- latent_data(200, seed = 21)
  data$sign <- as.integer(data$h > 0)
  data$level <- factor(rep(c("a", "b", "c", "d"), 50))
  data$poisson[data$level == "b"] <- 0
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, method = vnngp(10), covariance = fixed_exponential, ...)
  expect_warning(separated <- fit(sign ~ h, family = binomial()), "separates", class = "neargp_warning_convergence")
  expect_true(all(is.finite(predict(separated, data)$mean)))
  expect_warning(fit(poisson ~ level, family = poisson()), "levelb may be infinite", class = "neargp_warning_convergence")
  data$yes <- as.integer(data$binary == "yes" & data$level != "c")
  expect_warning(fit(yes ~ level, family = binomial()), "and levelc may be infinite", class = "neargp_warning_convergence")
  expect_no_warning(fit(poisson ~ h, family = poisson()))
})

test_that("collinear columns are no separation, and separated ones have no tests", {
  data <- latent_data(200, seed = 21)
  data$year <- 2000 + round(20 * data$x)
  data$sign <- as.integer(data$h > 0)
  fit <- function(formula) neargp(formula, data, coords = ~ x + y, method = vnngp(10), covariance = fixed_exponential, family = binomial())
  expect_no_warning(raw <- fit(binary ~ year + I(year^2)))
  expect_equal(raw$log_likelihood, fit(binary ~ poly(year, 2))$log_likelihood, tolerance = 1e-6)
  condition <- tryCatch(fit(sign ~ year + I(year^2) + h), neargp_warning_convergence = identity)
  expect_match(conditionMessage(condition), "and h may be infinite")
  expect_no_match(conditionMessage(condition), "start = fit")
  coefficients <- summary(suppressWarnings(fit(sign ~ h)))$coefficients
  expect_identical(unname(is.na(coefficients[, "Pr(>|z|)"])), c(FALSE, TRUE))
})

test_that("a prediction has one scale, and trials only where the response has them", {
  data <- latent_data(120)
  fit <- fit_latent_model(models$poisson, data, k = 5, covariance = fixed_exponential)
  at <- data[1:3, ]
  expect_error(predict(fit, at, type = "link", interval = "prediction"), "another scale", class = "neargp_error_argument")
  expect_error(predict(fit, at, type = "link", threshold = 2), "another scale", class = "neargp_error_argument")
  expect_named(predict(fit, at, type = "link", interval = "confidence"), c("mean", "sd", "lower", "upper"))
  expect_error(predict(fit, at, trials = 3), "poisson.. response has none", class = "neargp_error_argument")
  expect_error(simulate(fit, trials = 3), "poisson.. response has none", class = "neargp_error_argument")
  expect_error(scores(fit, at, trials = 3), "poisson.. response has none", class = "neargp_error_argument")
  counts <- fit_latent_model(models$counts, data, k = 5, covariance = fixed_exponential)
  expect_error(scores(counts, at, trials = 3), "its own numbers of trials", class = "neargp_error_argument")
  expect_s3_class(scores(counts, at, observed = "successes", trials = at$trials), "neargp_scores")
})

test_that("an offset that is not finite is an error in newdata as it is in data", {
  data <- transform(latent_data(120), exposure = 1 + x)
  fit <- fit_latent_model(list(poisson ~ offset(log(exposure)), poisson()), data, k = 5, covariance = fixed_exponential)
  at <- transform(data[1:3, ], exposure = c(1, 0, NA))
  expect_error(predict(fit, at), "offset.*row 2 of", class = "neargp_error_missing_values")
  expect_identical(is.na(predict(fit, at[-2, ])$mean), c(FALSE, TRUE))
})

test_that("sites of a likelihood that is not log-concave are left where the covariance has moved on", {
  for (seed in c(23, 31, 47)) {
    withr::with_seed(seed, {
      data <- data.frame(x = runif(30), y = runif(30))
      data$z <- sin(5 * data$x) + 0.02 * rt(30, 2)
    })
    data$z[c(4, 9, 20)] <- data$z[c(4, 9, 20)] + c(3, -3, 3)
    fit_with <- function(family) {
      suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vnngp(10, posterior = "laplace"), covariance = cov_matern(1.5),
        family = family))
    }
    known <- fit_with(student_t(df = 3))
    expect_true(known$convergence$converged)
    expect_lt(min(known$posterior$site_precision), 0)
    # Next to one degree of freedom there are many modes, and the fit may say that it did not converge.
    fit <- fit_with(student_t())
    expect_true(all(fit$posterior$variance_at_data > 0))
    expect_gt(fit$log_likelihood, known$log_likelihood)
  }
})

test_that("a posterior whose steps swing about the optimum settles", {
  data <- latent_data(300, seed = 22)
  withr::with_seed(22, data$count <- ifelse(data$x < 0.2, rpois(300, 20), 0))
  expect_no_warning(fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(15), family = poisson(),
    covariance = cov_matern(1.5, variance = 100, range = 0.2)))
  expect_true(fit$convergence$converged)
})

test_that("variances of smooth fields that an incomplete factor gets wrong are those of an exact one", {
  data <- latent_data(400, seed = 24)
  fit_with <- function(factor, covariance) {
    neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 15, factor = factor), family = poisson(), covariance = covariance)
  }
  smooth <- cov_gaussian(variance = 1, range = 0.2)
  chosen <- fit_with("incomplete", smooth)
  expect_true(chosen$posterior$exact)
  expect_equal(chosen$posterior$variance, fit_with("exact", smooth)$posterior$variance, tolerance = 1e-5)
  expect_output(print(chosen), "Factor: +exact")
  expect_false(fit_with("incomplete", cov_matern(1.5, variance = 1, range = 0.2))$posterior$exact)
})

test_that("steps of the optimiser are limited", {
  data <- latent_data(300, seed = 25)
  few <- suppressWarnings(neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10), family = poisson(),
    covariance = cov_exponential(), control = neargp_control(max_iterations = 1L)))
  expect_lte(few$convergence$iterations, 6L)
})

test_that("more neighbours than there are inducing points are all of them, with a message", {
  data <- expand.grid(x = 1:3, y = 1:3, replicate = 1:8)
  data$count <- withr::with_seed(1, rpois(nrow(data), 3 + data$x))
  expect_message(fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(12), family = poisson(),
    covariance = cov_exponential(variance = 0.2, range = 2)), "all 8 of them", class = "neargp_message_k")
  expect_identical(fit$k, 8L)
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(5), family = poisson(), start = c(sigma = 1)),
    "It has variance, range and smoothness[.]", class = "neargp_error_argument")
})

test_that("a pattern that memory cannot hold is a classed error", {
  expect_error(in_memory(10L, 60L, stop("std::bad_alloc")), "k = 10 neighbours of 60", class = "neargp_error_size")
  expect_error(in_memory(10L, 60L, stop("something else")), "something else")
  expect_identical(in_memory(10L, 60L, "a pattern"), "a pattern")
})
