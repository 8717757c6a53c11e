new_rows <- data.frame(x1 = c(0.1, 0.45, 0.8, 0.99), x2 = c(3, 50, 98, 10))

test_extended("predictions are the mixture of dense matrices, whatever the layers and sites", {
  methods <- list(short_dspp(), short_dspp(layers = 1L), short_dspp(layers = 3L, skip = "both"),
    short_dspp(layers = 3L, skip = "none"), short_dspp(sites = 1L), short_dspp(quadrature = "grid"),
    short_dspp(quadrature = "symmetric", sites = 2L), short_dspp(quadrature = "hermite"))
  for (method in methods) {
    fit <- fit_deep(method)
    known <- dense_deep_mixture(fit, new_rows)
    mean <- drop(known$mean %*% known$weights)
    variance <- drop((known$variance + (known$mean - mean)^2) %*% known$weights)
    latent <- predict(fit, new_rows, type = "link")
    expect_equal(latent$mean, mean, tolerance = 1e-8)
    expect_equal(latent$sd, sqrt(variance), tolerance = 1e-7)
    expect_equal(predict(fit, new_rows)$sd, sqrt(variance + fit$nugget), tolerance = 1e-7)
    above <- rowSums(sweep(pnorm(51, known$mean, sqrt(known$variance + fit$nugget),
      lower.tail = FALSE), 2L, known$weights, "*"))
    expect_equal(predict(fit, new_rows, threshold = 51)$p_exceed, above, tolerance = 1e-8)
  }
})

test_that("the score is the log density of the training rows, each with the noise of its weight", {
  fit <- fit_deep(weights = w)
  known <- dense_deep_mixture(fit, bent_data())
  noise <- fit$nugget / fit$data$weights
  density <- rowSums(sweep(dnorm(fit$data$y, known$mean, sqrt(known$variance + noise)), 2L,
    known$weights, "*"))
  expect_equal(c(logLik(fit)), sum(log(density)), tolerance = 1e-8)
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
  expect_error(BIC(fit), class = "neargp_error_not_likelihood")
})

test_extended("intervals, quantiles and probabilities agree", {
  fit <- fit_deep()
  p <- predict(fit, new_rows, interval = "prediction", level = 0.9)
  q <- predict(fit, new_rows, type = "quantile", probs = c(0.05, 0.95))
  expect_equal(unname(as.matrix(p[c("lower", "upper")])), unname(as.matrix(q)))
  for (row in 1:4) expect_equal(predict(fit, new_rows[row, ], threshold = q$q0.95[row])$p_exceed,
    0.05, tolerance = 1e-8)
  inner <- predict(fit, new_rows, interval = "confidence", level = 0.9)
  expect_true(all(inner$lower > p$lower & inner$upper < p$upper))
  expect_equal(predict(fit, new_rows, threshold = 50, threshold_of = "mean")$p_mean_exceed,
    predictive_cdf(50, latent_mixture(fit, new_rows), lower = FALSE))
})

test_extended("a fit does not depend on threads, nor on units, and a prediction is its row's own", {
  fit <- fit_deep()
  expect_identical(fit_deep(threads = 2L)$deep$state, fit$deep$state)
  data <- bent_data()
  data[c("x1", "x2", "y")] <- list(1000 * data$x1 + 5, data$x2 / 7, 1e6 * data$y - 3)
  other <- fit_deep(data = data)
  moved <- data.frame(x1 = 1000 * new_rows$x1 + 5, x2 = new_rows$x2 / 7)
  expect_equal((predict(other, moved)$mean + 3) / 1e6, predict(fit, new_rows)$mean,
    tolerance = 1e-6)
  expect_equal(predict(other, moved)$sd / 1e6, predict(fit, new_rows)$sd, tolerance = 1e-5)
  many <- predict(fit, bent_data(500L, 9), threads = 2L)
  expect_equal(predict(fit, bent_data(500L, 9)[77, ])$mean, many$mean[77], tolerance = 1e-12)
  expect_equal(predict(fit, bent_data(500L, 9), chunk_size = 33)$sd, many$sd, tolerance = 1e-12)
})

test_extended("R's random numbers decide unless there is a seed, which leaves them alone", {
  method <- short_dspp(seed = NULL)
  runs <- lapply(c(1, 1, 2), function(seed) {
    data <- bent_data()
    set.seed(seed)
    fit_deep(method, data)$beta
  })
  expect_identical(runs[[1L]], runs[[2L]])
  expect_false(identical(runs[[1L]], runs[[3L]]))
  data <- bent_data()
  set.seed(5)
  before <- .Random.seed
  fit_deep(data = data)
  expect_identical(.Random.seed, before)
})

test_extended("scores of new rows are those of the mixture", {
  fit <- fit_deep()
  new <- bent_data(60L, 8)
  found <- scores(fit, newdata = new)
  known <- dense_deep_mixture(fit, new)
  density <- rowSums(sweep(dnorm(new$y, known$mean, sqrt(known$variance + fit$nugget)), 2L,
    known$weights, "*"))
  expect_equal(found$log_score, -mean(log(density)), tolerance = 1e-8)
  p <- predict(fit, new, interval = "prediction")
  expect_equal(found$coverage, mean(new$y >= p$lower & new$y <= p$upper))
  expect_equal(found$rmse, sqrt(mean((p$mean - new$y)^2)))
  new$y[3] <- NA
  expect_error(scores(fit, newdata = new), class = "neargp_error_missing")
  expect_identical(scores(fit, newdata = new, na.rm = TRUE)$n_missing, 1L)
  weighted <- fit_deep(weights = w)
  heavy <- transform(bent_data(60L, 8), w = 1e6)
  expect_equal(scores(weighted, newdata = heavy)$log_score,
    -mean(predictive_log_density(heavy$y,
      with_observation_noise(latent_mixture(weighted, heavy), weighted$nugget / 1e6))))
})

test_extended("residuals and fitted values are of the rows as the fit has seen them", {
  fit <- fit_deep()
  expect_equal(fitted(fit), predict(fit, bent_data())$mean, tolerance = 1e-12)
  expect_equal(unname(residuals(fit)), fit$data$y - fitted(fit), tolerance = 1e-10)
  expect_equal(unname(residuals(fit, "pearson")), (fit$data$y - fitted(fit)) / predict(fit,
    bent_data())$sd, tolerance = 1e-10)
  known <- dense_deep_mixture(fit, bent_data())
  pit <- rowSums(sweep(pnorm(fit$data$y, known$mean, sqrt(known$variance + fit$nugget)), 2L,
    known$weights, "*"))
  expect_equal(unname(residuals(fit, "quantile")), qnorm(pit), tolerance = 1e-6)
  said <- augment(fit)
  expect_identical(said[c(".fitted", ".resid", ".std_resid")],
    data.frame(.fitted = fitted(fit), .resid = unname(residuals(fit)),
      .std_resid = unname(residuals(fit, "quantile"))))
})

test_that("draws are of each row's mixture", {
  fit <- fit_deep()
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new_rows))
  p <- predict(fit, new_rows)
  expect_lt(max(abs(rowMeans(draws) - p$mean) / p$sd), 0.07)
  expect_equal(unname(apply(draws, 1L, sd)), p$sd, tolerance = 0.06)
  expect_identical(simulate(fit, 2, seed = 1), simulate(fit, 2, seed = 1))
})

test_extended("what only a joint distribution, a likelihood or a stationary field has is refused", {
  fit <- fit_deep()
  calls <- list(quote(predict(fit, new_rows, joint = TRUE)),
    quote(predict(fit, new_rows, type = "process")), quote(simulate(fit, type = "link")),
    quote(simulate(fit, conditional = FALSE)), quote(vcov(fit)), quote(confint(fit)),
    quote(loo_predict(fit)), quote(residuals(fit, "loo")),
    quote(scores(fit)), quote(cross_validate(fit, folds = 3)), quote(covariance_value(fit, 1)),
    quote(empirical_variogram(fit)))
  for (call in calls) expect_error(eval(call), class = "neargp_error_method",
    label = deparse1(call))
  expect_error(predict(fit, new_rows, joint = TRUE), "svgp")
  expect_error(predict(fit, new_rows, k = 3), class = "neargp_error_argument")
})

test_extended("cross-validation trains anew", {
  fit <- fit_deep()
  folds <- rep_len(1:3, 240L)
  cv <- suppressWarnings(cross_validate(fit, folds = folds, refit = TRUE),
    classes = "neargp_warning_deep")
  other <- fit_deep(data = bent_data()[folds != 2, ])
  expect_equal(cv$predictions$mean[folds == 2], predict(other, bent_data()[folds == 2, ])$mean,
    tolerance = 1e-10)
  expect_equal(cv$predictions$log_score[folds == 2],
    -log(exp(predictive_log_density(bent_data()$y[folds == 2],
      with_observation_noise(latent_mixture(other, bent_data()[folds == 2, ]), other$nugget)))),
      tolerance = 1e-8)
  expect_identical(cv$scores$n, 240L)
})

test_extended("a fit is continued from where it has ended, and not where it has another shape", {
  fit <- fit_deep()
  more <- fit_deep(fit$method, start = fit)
  expect_gt(more$deep$trace$objective[1L], fit$deep$trace$objective[1L])
  wider <- fit_deep(short_dspp(width = 3L), start = fit)
  expect_identical(wider$deep$state, fit_deep(short_dspp(width = 3L))$deep$state)
})

test_that("a fit that is continued holds the same rows out", {
  fit <- fit_deep()
  further <- fit_deep(short_dspp(seed = NULL), start = fit)
  expect_identical(further$deep$validation$rows, fit$deep$validation$rows)
  expect_lt(further$deep$trace$rate[1L], fit$method$learning_rate / 99)
})

test_that("longitude and latitude alone have one range by default", {
  stations <- colorado_precipitation()
  fit <- suppressWarnings(neargp(precipitation ~ 1, stations, coords = ~ lon + lat,
    distance = "chordal", method = dspp(width = 1, inducing = 5, sites = 2, epochs = 1,
      restarts = 1, regularization = 1, seed = 1)))
  expect_false(anyDuplicated(names(coef(fit, what = "covariance"))) > 0L)
})

test_that("parameters are those of the units, in the coordinates' units", {
  fit <- fit_deep()
  values <- coef(fit, what = "covariance")
  unit <- fit$deep$state$layers[[1L]]$units[[2L]]
  expect_equal(values[["layer1_unit2_range_x2"]], unit$range[2L] * sd(bent_data()$x2))
  last <- fit$deep$state$layers[[2L]]$units[[1L]]
  expect_equal(values[["layer2_unit1_variance"]], last$variance * var(bent_data()$y))
  expect_equal(values[["nugget"]], fit$nugget)
  expect_equal(unname(coef(fit)), mean(bent_data()$y) + sd(bent_data()$y) * last$constant)
  expect_identical(tidy(fit)$term, c("(Intercept)", names(values)))
  expect_identical(glance(fit)$method, "dspp")
  expect_equal(sigma(fit), sqrt(fit$nugget))
})

test_extended("print and summary tell how it was trained", {
  fit <- fit_deep()
  expect_output(print(fit), "8 components, of which .* effective")
  expect_output(print(fit), "Held out: +24 rows: log density .* inside their 95% intervals")
  expect_output(print(fit), "Trained: +8 epochs, kept as after .*; 1 start; divergence weighs 0.5")
  expect_output(print(summary(fit)), "range_hidden1")
  expect_output(print(dspp()), "deep sigma point process")
  three <- fit_deep(short_dspp(restarts = 3L, regularization = NULL))
  expect_output(print(three), "3 starts; divergence weighs")
  none <- fit_deep(short_dspp(validation = 0))
  expect_output(print(none), "overfitting cannot be seen")
})

test_that("the trace is of the response's unit", {
  fit <- fit_deep()
  rows <- fit$deep$validation$rows
  density <- predictive_log_density(fit$data$y[rows],
    training_distribution(fit, 1L)[rows])
  expect_equal(-fit$deep$validation$nll, mean(density), tolerance = 1e-8)
  expect_equal(fit$deep$trace$validation[fit$deep$notes$epoch], mean(density), tolerance = 1e-8)
})

test_that("a fit that is saved predicts the same", {
  fit <- fit_deep()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new_rows), predict(fit, new_rows))
})

test_that("rows of new data that are missing or far are told", {
  fit <- fit_deep()
  holes <- replace(new_rows, "x1", list(c(0.1, NA, 0.8, 0.99)))
  expect_identical(is.na(predict(fit, holes, interval = "prediction")$upper),
    c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(predict(fit, new_rows[0, ])$mean, double(0))
  expect_true(all(is.na(predict(fit, data.frame(x1 = NA_real_, x2 = 1), type = "quantile"))))
  expect_warning(predict(fit, data.frame(x1 = c(0.5, 40), x2 = 50)), class = "neargp_warning_deep")
  expect_no_warning(predict(fit, new_rows))
})

test_extended("inputs that say nothing and too many points are left out, with a message", {
  data <- transform(bent_data(), flat = 3)
  expect_message(fit <- fit_deep(data = data, coords = ~ x1 + x2 + flat), "flat",
    class = "neargp_message_coordinates")
  expect_identical(fit$deep$state, fit_deep()$deep$state)
  few <- bent_data()
  few[c("x1", "x2")] <- few[rep(1:6, 40), c("x1", "x2")]
  expect_message(fit <- fit_deep(data = few), class = "neargp_message_inducing")
  expect_identical(nrow(fit$deep$state$layers[[1L]]$units[[1L]]$positions), 6L)
  same <- transform(bent_data(), x1 = 1, x2 = 2)
  expect_error(suppressMessages(fit_deep(data = same)), class = "neargp_error_coordinates")
})

test_extended("a problem that is not for it is refused, with what is", {
  data <- bent_data()
  fit <- function(formula = y ~ 1, ...) {
    neargp(formula, data, coords = ~ x1 + x2, method = short_dspp(), ...)
  }
  expect_error(fit(y ~ 0), "needs an intercept", class = "neargp_error_formula")
  expect_error(fit(y ~ 0 + w), class = "neargp_error_formula")
  expect_error(fit(nugget = 0.1), class = "neargp_error_nugget")
  expect_error(fit(covariance = cov_matern(nu = 1)), class = "neargp_error_covariance")
  expect_error(fit(covariance = cov_matern(nu = NULL)), class = "neargp_error_covariance")
  expect_error(fit(covariance = cov_cauchy()), class = "neargp_error_covariance")
  expect_error(fit(covariance = cov_exponential(range = 1)), class = "neargp_error_covariance")
  expect_error(fit(covariance = cov_exponential() + cov_gaussian()),
    class = "neargp_error_covariance")
  expect_error(fit(family = poisson()), class = "neargp_error_response")
  expect_error(fit(factor(w) ~ 1, family = categorical()), "svgp", class = "neargp_error_family")
  data$y <- 1
  expect_error(fit(), class = "neargp_error_constant_response")
  data$x1 <- factor(data$x2 > 50)
  expect_error(fit(), class = "neargp_error")
})

test_that("settings that make no model are refused", {
  expect_error(dspp(layers = 4), "width", class = "neargp_error_argument")
  expect_error(dspp(sites = 1, quadrature = "symmetric"), class = "neargp_error_argument")
  expect_error(dspp(width = 17, quadrature = "grid"), "free", class = "neargp_error_size")
  expect_error(dspp(layers = 3, width = 5, quadrature = "hermite"), class = "neargp_error_size")
  expect_error(dspp(validation = 0.6), class = "neargp_error_argument")
  expect_error(dspp(learning_rate = 0), class = "neargp_error_argument")
  expect_error(dspp(regularization = -1), class = "neargp_error_argument")
  expect_error(dspp(inducing = 1), class = "neargp_error_argument")
  expect_no_error(dspp(layers = 1, width = 17, quadrature = "grid"))
})

test_extended("the covariance is that of all units", {
  for (covariance in list(cov_matern(nu = 1.5), cov_exponential(), cov_gaussian())) {
    fit <- fit_deep(covariance = covariance)
    expect_equal(predict(fit, new_rows, type = "link")$mean,
      drop(with(dense_deep_mixture(fit, new_rows), mean %*% weights)), tolerance = 1e-7)
  }
  expect_identical(fit_deep()$deep$state$kernel, list(family = "matern", shape = 2.5))
})
