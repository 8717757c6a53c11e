# Continuous distributions under the map of a recalibration.

some_map <- function() {
  withr::with_seed(3, new_recalibration(stats::rt(400, df = 3) * 0.8 + 0.3))
}

some_mixture <- function() {
  new_normal_mixture(rbind(c(0, 1), c(-2, 5), c(1, 1)), rbind(c(1, 0.3), c(0.5, 2), c(1, 1)),
    log(c(0.6, 0.4)))
}

test_extended("a single normal is the normal distribution under the map", {
  map <- some_map()
  expect_gt(map$kept, 0.5)
  found <- new_recalibrated(new_normal_mixture(cbind(c(1, -3)), cbind(c(2, 0.5)), 0), map)
  family <- gaussian()
  family$recalibration <- map
  expected <- new_mixture(c(1, -3), c(2, 0.5), family, c(variance = 0))
  y <- c(0.4, -2)
  expect_equal(predictive_cdf(y, found), predictive_cdf(y, expected), tolerance = 1e-8)
  expect_equal(predictive_cdf(y, found, FALSE), 1 - predictive_cdf(y, found), tolerance = 1e-12)
  for (p in c(0.01, 0.5, 0.9)) {
    expect_equal(predictive_quantile(p, found), predictive_quantile(p, expected),
      tolerance = 1e-7)
  }
  expect_equal(predictive_log_density(y, found), predictive_log_density(y, expected),
    tolerance = 1e-6)
  expect_equal(predictive_mean(found), predictive_mean(expected), tolerance = 1e-4)
  expect_equal(predictive_variance(found), predictive_variance(expected), tolerance = 1e-3)
  expect_equal(predictive_crps(y, found), predictive_crps(y, expected), tolerance = 1e-4)
})

test_extended("density, moments, scores and draws of a mixture agree with its distribution function", {
  found <- new_recalibrated(some_mixture(), some_map())
  h <- 1e-5
  y <- c(0.7, -1.5, 1.2)
  slope <- (predictive_cdf(y + h, found) - predictive_cdf(y - h, found)) / (2 * h)
  expect_equal(exp(predictive_log_density(y, found)), slope, tolerance = 1e-5)
  for (p in c(1e-4, 0.3, 0.99)) {
    expect_equal(predictive_cdf(predictive_quantile(p, found), found), rep(p, 3L),
      tolerance = 1e-7)
  }
  # each y is an end of two cells
  grid <- seq(-4000L, 4000L) / 100
  step <- 0.01
  for (row in 1:3) {
    one <- found[row]
    below <- predictive_cdf(grid, found[rep(row, length(grid))])
    mass <- diff(below)
    middle <- grid[-1L] - step / 2
    expect_equal(predictive_mean(one), sum(middle * mass), tolerance = 1e-4)
    expect_equal(predictive_variance(one), sum(middle^2 * mass) - sum(middle * mass)^2,
      tolerance = 1e-3)
    at_middle <- below[-1L] - mass / 2
    expect_equal(predictive_crps(y[row], one), sum((at_middle - (middle >= y[row]))^2) * step,
      tolerance = 2e-4)
  }
  drawn <- withr::with_seed(2, predictive_draws(4000L, found))
  expect_lt(max(abs(rowMeans(drawn) - predictive_mean(found)) / predictive_sd(found)), 0.06)
  expect_lt(max(abs(rowMeans(drawn <= y) - predictive_cdf(y, found))), 0.03)
})

test_extended("no departure changes nothing, and rows that are NA stay so", {
  same <- list(score = c(-1, 0, 1), residual = c(-1, 0, 1), slope = c(1, 1, 1), kept = 0)
  plain <- some_mixture()
  found <- new_recalibrated(plain, same)
  expect_identical(new_recalibrated(plain, NULL), plain)
  expect_equal(predictive_mean(found), predictive_mean(plain), tolerance = 1e-8)
  expect_equal(predictive_variance(found), predictive_variance(plain), tolerance = 1e-7)
  expect_equal(predictive_crps(c(0, 0, 0), found), predictive_crps(c(0, 0, 0), plain),
    tolerance = 1e-7)
  unknown <- new_recalibrated(new_normal_mixture(rbind(c(NA, 1), c(0, 1)), rbind(c(1, 1), c(1, 1)),
    log(c(0.5, 0.5))), some_map())
  for (value in list(predictive_mean(unknown), predictive_crps(c(0, 0), unknown),
    predictive_quantile(0.5, unknown), predictive_log_density(c(0, 0), unknown))) {
    expect_identical(is.na(value), c(TRUE, FALSE))
  }
})

# Errors with heavy tails, which neither a process nor a linear model describes.
skewed_data <- function(n) {
  withr::with_seed(7, {
    data <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n))
    data$z <- sin(6 * data$x) + data$h + stats::rexp(n, 1)^1.5
    data
  })
}

test_extended("a process with a learner is recalibrated by its left-out rows", {
  data <- skewed_data(260)
  fit <- suppressMessages(neargp(z ~ 1 + learner(lm, predictors = ~ h), data[1:160, ],
    coords = ~ x + y))
  found <- recalibrate(fit)
  expect_gt(found$recalibration$kept, 0.5)
  expect_identical(recalibrate(found), found)
  left <- fit$left_out
  expect_equal(found$recalibration,
    new_recalibration(predictive_scores(fit$y[left$rows], left$distribution)))
  new <- data[161:260, ]
  predicted <- predict(found, new, interval = "prediction", level = 0.9)
  expect_true(all(predicted$lower < predicted$upper))
  before <- scores(fit, new)
  after <- scores(found, new)
  expect_lt(after$log_score, before$log_score - 0.05)
  expect_lt(mean(scores(found)$log_score), mean(scores(fit)$log_score))
  expect_output(print(found), "recalibrated by leave-one-out residuals")
  expect_s3_class(cross_validate(found, folds = 3), "neargp_cv")
  expect_error(recalibrate(fit, k = 3), class = "neargp_error_learner")
  expect_message(again <- update(found), "without a recalibration",
    class = "neargp_message_recalibration")
  expect_null(again$recalibration)
  few <- suppressMessages(suppressWarnings(neargp(z ~ 1 + learner(lm, predictors = ~ h),
    data[1:20, ], coords = ~ x + y)))
  expect_error(recalibrate(few), "30 are the fewest", class = "neargp_error_recalibration")
})
