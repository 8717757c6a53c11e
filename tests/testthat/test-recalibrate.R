# A dense field whose noise may have heavy tails.
noisy_field <- function(n, noise, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- 3 + sin(6 * d$x) + cos(5 * d$y) + noise(n)
  d
}

pit_of <- function(fit, d) {
  limits <- predict(fit, d, type = "quantile", probs = 0.5)
  mixture <- with(predict(fit, d, type = "link"), new_mixture(mean, sd, fit$family,
    response_parameters(fit)))
  expect_equal(predictive_quantile(0.5, mixture), limits$q0.5)
  predictive_cdf(d$z, mixture)
}

test_extended("PIT values of held-out rows are uniform after the recalibration of heavy tails", {
  d <- noisy_field(900, function(n) 0.2 * rt(n, df = 2))
  held <- 601:900
  fit <- neargp(z ~ 1, d[-held, ], coords = ~ x + y, method = vecchia(10),
    covariance = cov_exponential())
  better <- recalibrate(fit)
  expect_lt(ks.test(pit_of(fit, d[held, ]), "punif")$p.value, 1e-3)
  expect_gt(ks.test(pit_of(better, d[held, ]), "punif")$p.value, 0.05)
  before <- scores(fit, d[held, ], level = 0.5)
  after <- scores(better, d[held, ], level = 0.5)
  expect_gt(abs(before$coverage - 0.5), 0.15)
  expect_lt(abs(after$coverage - 0.5), 0.08)
  expect_lt(after$crps, before$crps)
  expect_lt(after$log_score, before$log_score - 0.1)
})

test_extended("a wrong nugget is mended, and interval ends and moments follow", {
  d <- noisy_field(600, function(n) rnorm(n, sd = 0.3))
  held <- 401:600
  fit <- neargp(z ~ 1, d[-held, ], coords = ~ x + y, method = vecchia(10), nugget = 0.005,
    covariance = cov_exponential(variance = 1, range = 4))
  better <- recalibrate(fit)
  expect_gt(abs(scores(fit, d[held, ])$coverage - 0.95), 0.1)
  expect_lt(abs(scores(better, d[held, ])$coverage - 0.95), 0.04)
  map <- family(better)$recalibration
  expect_gt(min(map$slope), 1.3)
  prediction <- predict(better, d[held[1:5], ], interval = "prediction", level = 0.8)
  plain <- predict(fit, d[held[1:5], ])
  # moments of q(x) by adaptive quadrature
  q <- function(x) recalibrated_residual(x, map)
  moment <- function(power) {
    sum(vapply(seq_len(20L) - 11L, function(a) stats::integrate(function(x) q(x)^power * dnorm(x),
      a, a + 1)$value, 0))
  }
  expect_equal(prediction$mean, plain$mean + plain$sd * moment(1), tolerance = 1e-6)
  expect_equal(prediction$sd, plain$sd * sqrt(moment(2) - moment(1)^2), tolerance = 1e-6)
  expect_equal(prediction$upper, plain$mean + plain$sd * q(qnorm(0.9)))
  expect_equal(predict(better, d[held, ], type = "link"), predict(fit, d[held, ], type = "link"))
  expect_equal(fitted(better), fitted(fit))
  expect_error(predict(better, d[held[1:5], ], parameters = "integrated"),
    "plug-in\", or the fit before recalibrate", class = "neargp_error_parameters")
  expect_output(print(better), sprintf("recalibrated .*%.0f%%", 100 * map$kept))
  none <- better
  none$family$recalibration$kept <- 0
  expect_output(print(none), "found no departure")
  expect_message(again <- update(better), "recalibrate\\(\\)",
    class = "neargp_message_recalibration")
  expect_null(family(again)$recalibration)
  expect_equal(coef(again), coef(fit))
  expect_no_message(update(fit, . ~ x), class = "neargp_message_recalibration")
  expect_output(print(cross_validate(better, folds = 2)), "map of all rows")
  expect_no_match(paste(capture.output(print(cross_validate(fit, folds = 2))), collapse = ""),
    "map of all rows")
})

test_that("predictions that are calibrated are left as they are", {
  # exactly normal residuals, and samples of them
  normal <- new_recalibration(qnorm((1:500 - 0.5) / 500))
  expect_identical(normal$kept, 0)
  expect_equal(normal$residual, normal$score)
  set.seed(4)
  kept <- replicate(40, new_recalibration(rnorm(200))$kept)
  expect_gt(mean(kept == 0), 0.35)
  changed <- replicate(40, max(abs(with(new_recalibration(rnorm(200)), residual - score))))
  expect_lt(mean(changed), 0.1)
  few <- vapply(c(40, 400, 4000), function(n) new_recalibration(1.2 * rnorm(n))$kept, 0)
  expect_gt(few[3L], 0.95)
})

test_that("the map is monotone, goes on as a line, and its inverse undoes it", {
  set.seed(2)
  map <- new_recalibration(rt(400, df = 2) + 0.3)
  x <- seq(-9, 9, by = 0.01)
  z <- recalibrated_residual(x, map)
  expect_gt(min(diff(z)), 0)
  expect_equal(recalibrated_score(z, map), x)
  ends <- recalibrated_residual(c(7, 8, 9), map)
  expect_equal(diff(ends, differences = 2), 0)
  # the density integrates to the distribution
  density <- function(z) exp(recalibrated_log_density(z, map))
  expect_equal(stats::integrate(density, map$residual[2L], map$residual[6L])$value,
    diff(pnorm(map$score[c(2L, 6L)])), tolerance = 1e-5)
})

test_extended("the map of a transformed response is on its scale", {
  d <- noisy_field(300, function(n) 0.2 * rt(n, df = 2))
  d$e <- exp(d$z)
  fit <- function(formula, transform) {
    neargp(formula, d, coords = ~ x + y, method = vecchia(8), nugget = 0.1,
      covariance = cov_exponential(variance = 1, range = 0.4), transform = transform)
  }
  plain <- recalibrate(fit(z ~ 1, NULL))
  log <- recalibrate(fit(e ~ 1, "log"))
  new <- data.frame(x = c(0.2, 0.6), y = 0.4)
  expect_equal(predict(log, new, type = "quantile"), exp(predict(plain, new, type = "quantile")),
    ignore_attr = TRUE)
  expect_equal(scores(log)$log_score, scores(plain)$log_score + mean(d$z), tolerance = 1e-6)
  table <- cross_validate(plain, folds = rep(1:3, 100))$scores
  expect_lt(table$pit_deviation,
    cross_validate(fit(z ~ 1, NULL), folds = rep(1:3, 100))$scores$pit_deviation)
})

test_extended("what cannot be recalibrated is refused", {
  d <- noisy_field(60, rnorm)
  d$count <- rpois(60, exp(d$z / 3))
  refused <- function(...) {
    fit <- suppressWarnings(suppressMessages(neargp(..., data = d, coords = ~ x + y)))
    expect_error(recalibrate(fit), class = "neargp_error_recalibration")
  }
  refused(count ~ 1, family = poisson(), method = vnngp(6), covariance = cov_exponential())
  refused(cbind(z, count) ~ 1, method = vecchia(6), covariance = cov_exponential())
  refused(z ~ 1, method = dspp(inducing = 5, epochs = 1))
  refused(z ~ 1, method = exact_gp(), subset = 1:20)
  expect_error(recalibrate(3), class = "neargp_error_argument")
  better <- recalibrate(neargp(z ~ 1, d, coords = ~ x + y, method = exact_gp()))
  expect_error(simulate(better, 2), class = "neargp_error_recalibration")
  for (wanted in list(list(interval = "confidence"), list(threshold = 1, threshold_of = "mean"))) {
    expect_error(do.call(predict, c(list(better, d), wanted)),
      class = "neargp_error_recalibration")
  }
})

test_that("rows that nothing predicts are not counted among the thirty", {
  set.seed(1)
  data <- data.frame(x = runif(34), y = runif(34), g = factor(c(1:20, rep(0, 14))), z = rnorm(34))
  fit <- suppressWarnings(neargp(z ~ g, data, coords = ~ x + y, nugget = 0.01,
    method = exact_gp(), covariance = cov_exponential(variance = 0.5, range = 0.2)))
  expect_error(suppressWarnings(recalibrate(fit)), "14 rows can be predicted",
    class = "neargp_error_recalibration")
})
