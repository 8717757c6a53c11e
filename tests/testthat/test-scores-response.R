test_extended("scores of a family are averages over the mixture", {
  set.seed(3)
  mean <- rnorm(60, 1, 0.5)
  y <- rpois(60, exp(mean))
  result <- scores(y, mean, 0.4, family = poisson(), level = 0.8)
  mixture <- new_mixture(mean, 0.4, poisson())
  limits <- predictive_limits(mixture, 0.8)
  expect_s3_class(result, c("neargp_scores", "data.frame"), exact = TRUE)
  expect_equal(result$bias, mean(exp(mean + 0.08) - y))
  expect_equal(result$mae, mean(abs(exp(mean + 0.08) - y)))
  expect_equal(result$crps, mean(crps_mixture(y, mean, 0.4, poisson())))
  expect_equal(result$log_score, mean(log_score_mixture(y, mean, 0.4, poisson())))
  expect_equal(result$coverage, mean(y >= limits$lower & y <= limits$upper))
  expect_equal(result$interval_score, mean(interval_score(y, limits$lower, limits$upper, 0.8)))
  expect_equal(result$level, 0.8)
  expect_null(result$brier)
})

test_that("gaussian families score as gaussian predictions of the observation", {
  set.seed(3)
  y <- rnorm(40)
  expect_equal(scores(y, 0.2, 0.6, family = gaussian(), parameters = c(variance = 0.5)),
    scores(y, 0.2, sqrt(0.36 + 0.5)))
})

test_that("binary responses have the Brier score, which is their CRPS, and the area under the ROC curve", {
  y <- c(0, 1, 1, 0, 1)
  mean <- c(-1, 0, 2, 1, 0.3)
  probability <- predictive_mean(new_mixture(mean, 1, binomial()))
  result <- scores(y, mean, 1, family = binomial())
  expect_equal(result$brier, mean((probability - y)^2))
  expect_equal(result$crps, result$brier)
  expect_equal(result$log_score, -mean(log(ifelse(y == 1, probability, 1 - probability))))
  expect_null(scores(y, mean, 1, family = binomial(), trials = 3)$brier)
  expect_null(scores(y, mean, 1, family = binomial(), trials = 3)$auc)
  expect_equal(result$auc, mean(outer(mean[y == 1], mean[y == 0], ">")))
  expect_identical(scores(c(1, 1), mean[1:2], 1, family = binomial())$auc, NA_real_)
})

test_that("intervals of 0/1 responses are not scored", {
  y <- c(0, 1, 1, 0, 1)
  intervals <- c("interval_score", "coverage", "level")
  expect_false(any(intervals %in% names(scores(y, 0, 1, family = binomial()))))
  expect_true(all(intervals %in% names(scores(y, 0, 1, family = binomial(), trials = 3))))
  data <- simulated_data(60)
  data$high <- as.numeric(data$z > stats::median(data$z))
  fit <- neargp(high ~ 1, data, coords = ~ x + y, family = binomial(), method = vnngp(k = 5),
    covariance = cov_exponential(variance = 1, range = 0.2))
  found <- cross_validate(list(short = fit, long = update(fit, method = vnngp(k = 8))), folds = 3)
  expect_false(any(intervals %in% names(found$scores)))
  expect_false(any(intervals %in% names(found$fold_scores)))
  expect_match(paste(capture.output(found), collapse = " "), "auc .*higher")
  expect_false(any(grepl("interval|coverage", capture.output(print(scores(fit))))))
  skip_if_not_installed("ggplot2")
  expect_match(ggplot2::autoplot(fit, "loo")$labels$subtitle, "^RMSE [0-9.]+, CRPS [0-9.]+$")
})

test_extended("true predictions have the least scores and calibrated PITs", {
  set.seed(21)
  cases <- list(poisson = NULL, gamma = c(shape = 2), beta = c(precision = 5))
  for (name in names(cases)) {
    family <- mixture_cases[[name]]$family
    mean <- rnorm(200, 0, 0.7)
    y <- mixture_random(1L, new_mixture(mean, 0.7, family, cases[[name]]))[, 1]
    score <- function(mean, sd) scores(y, mean, sd, family = family, parameters = cases[[name]])
    true <- score(mean, 0.7)
    # The 1% point of the Kolmogorov statistic; of counts the deviation is smaller still.
    expect_lt(true$pit_deviation, 1.63 / sqrt(200))
    expect_lt(abs(true$coverage - 0.95) - (name == "poisson") * 0.03, 0.035)
    for (other in list(score(mean + 0.4, 0.7), score(mean, 0.2), score(mean, 1.6))) {
      expect_lt(true$crps, other$crps)
      expect_lt(true$log_score, other$log_score)
      expect_lt(true$interval_score, other$interval_score)
      expect_lt(true$pit_deviation, other$pit_deviation)
    }
  }
})

test_extended("the PIT deviation is Kolmogorov's distance, and that of the mean of ramps for counts", {
  set.seed(2)
  pit <- rbeta(50, 2, 1)
  expect_equal(pit_deviation(pit, pit), unname(ks.test(pit, "punif")$statistic))
  lower <- runif(30, 0, 0.8)
  upper <- lower + runif(30, 0, 0.2)
  upper[4] <- lower[4]
  u <- sort(c(seq(0, 1, length.out = 5001), lower, upper, lower[4] - 1e-12))
  expect_equal(pit_deviation(lower, upper), max(abs(pit_distribution(u, lower, upper) - u)),
    tolerance = 1e-8)
  expect_equal(pit_deviation(c(0, 0.5), c(0.5, 1)), 0)
  expect_equal(pit_deviation(c(0, 0), c(0.5, 0.5)), 0.5)
  expect_equal(pit_deviation(0, 0), 1)
})

test_extended("PITs of counts are uniform over their interval, and reproducible", {
  set.seed(6)
  pit <- pit_mixture(rep(2, 5000), 0.5, 0.5, poisson())
  ends <- predictive_cdf(c(1, 2), new_mixture(c(0.5, 0.5), 0.5, poisson()))
  expect_true(all(pit >= ends[1] & pit <= ends[2]))
  expect_gt(ks.test(pit, "punif", ends[1], ends[2])$p.value, 0.001)
  set.seed(6)
  expect_identical(pit_mixture(rep(2, 5000), 0.5, 0.5, poisson()), pit)
  expect_equal(pit_mixture(1.3, 0, 1, gaussian(), c(variance = 3)), pnorm(1.3 / 2))
})

test_that("missing values, wrong values and mixed arguments are refused with their reason", {
  expect_error(scores(c(1, NA, 2), 0, 1, family = poisson()), "row 2",
    class = "neargp_error_missing")
  expect_equal(scores(c(1, NA, 2), 0, 1, family = poisson(), na.rm = TRUE)$n_missing, 1)
  expect_error(scores(c(1, -1, 2.5, NA), 0, 1, family = poisson(), na.rm = TRUE),
    "rows 2 and 3.*poisson\\(\\)", class = "neargp_error_response")
  expect_error(scores(c(1, 4), 0, 1, family = binomial(), trials = 3), "row 2.*successes",
    class = "neargp_error_response")
  expect_error(crps_mixture(c(0.2, 1), 0, 1, beta_response(), c(precision = 2)),
    "row 2.*beta_response", class = "neargp_error_response")
  expect_error(scores(1:3, 0, 1, lower = 0, upper = 1, family = poisson()), "`lower`, `upper`",
    class = "neargp_error_argument")
  expect_error(scores(1:3, 0, family = poisson()), "`sd`", class = "neargp_error_argument")
  expect_error(scores(1:3, 0, 1, family = "poisson"), "`family`", class = "neargp_error_argument")
  expect_error(scores(1:3, 0, 1, family = negative_binomial()), "parameter size",
    class = "neargp_error_argument")
})

# ---- of fits -------------------------------------------------------------------------------------

test_extended("fits are scored on new rows, gaussian ones as their predictions are", {
  fit <- example_fit(100)
  new <- data.frame(x = runif(20), y = runif(20), elevation = rnorm(20))
  new$z <- 3 + new$elevation + rnorm(20)
  predicted <- predict(fit, new)
  expect_equal(scores(fit, newdata = new, level = 0.8), scores(new$z, predicted$mean, predicted$sd,
    level = 0.8))
  expect_equal(scores(fit, newdata = new, observed = "z"), scores(fit, newdata = new))
  expect_equal(scores(fit, newdata = new, observed = new$z, k = 5),
    scores(new$z, predict(fit, new, k = 5)$mean, predict(fit, new, k = 5)$sd))
  expect_error(scores(fit, newdata = new, observed = 1:3), "3 observed values for the 20 rows",
    class = "neargp_error_length")
  expect_error(scores(fit, newdata = new, observed = "q"), "Column q",
    class = "neargp_error_columns")
  expect_error(scores(fit, new[setdiff(names(new), "z")]), "Column z",
    class = "neargp_error_columns")
})

test_extended("fits of counts, classes and successes are scored by their family", {
  data <- latent_data(200)
  new <- data[151:200, ]
  fit <- latent_fit(count ~ height, poisson(), data[1:150, ])
  link <- predict(fit, new, type = "link")
  expect_equal(scores(fit, newdata = new), scores(new$count, link$mean, link$sd,
    family = poisson()))
  # Without new rows: near leave-one-out, which is tried for every tenth row.
  some <- seq(1, 150, by = 10)
  cv <- cross_validate(fit, folds = replace(rep(NA, 150), some, seq_along(some)))
  rows <- score_rows(fit$data$y[some], left_out(fit$method, fit)$distribution[some], 0.95)
  expect_equal(rows$mean, cv$predictions$mean, tolerance = 0.05)
  expect_equal(mean(rows$crps), cv$scores$crps, tolerance = 0.02)
  expect_equal(scores(fit)$mae, mean(abs(data$count[1:150] - loo_predict(fit)$mean)))
  narrow <- fit
  narrow$method$posterior <- "mean-field"
  expect_error(scores(narrow), "cross_validate", class = "neargp_error_newdata")
  classes <- latent_fit(class ~ height, binomial(), data[1:150, ])
  link <- predict(classes, new, type = "link")
  expected <- scores(as.numeric(new$class == "yes"), link$mean, link$sd, family = binomial())
  expect_equal(scores(classes, newdata = new), expected)
  new$class <- factor("perhaps")
  expect_error(scores(classes, newdata = new), "perhaps", class = "neargp_error_factor_level")
  successes <- latent_fit(cbind(count, 20 - count) ~ height, binomial(),
    subset(data[1:150, ], count <= 20))
  new <- subset(new, count <= 20)
  link <- predict(successes, new, type = "link")
  expect_equal(scores(successes, newdata = new), scores(new$count, link$mean, link$sd,
    family = binomial(), trials = 20))
})

test_that("rows that are to be scored are a data frame, and na.rm is a flag", {
  fit <- example_fit(60)
  for (newdata in list(~x, mean, 3, new.env())) expect_error(scores(fit, newdata = newdata),
    "`newdata` must be", class = "neargp_error_newdata")
  expect_error(scores(fit, na.rm = NA), "`na.rm` must be TRUE or FALSE",
    class = "neargp_error_argument")
  expect_error(scores(fit, newdata = data.frame(x = 1, y = 1, elevation = 0), observed = list(1)),
    "`observed` must be", class = "neargp_error_argument")
})

test_extended("new proportions have the numbers of trials that are the weights of the fit", {
  data <- withr::with_seed(3, data.frame(x = runif(60), y = runif(60), tried = rpois(60, 5) + 1L))
  data$share <- withr::with_seed(4, rbinom(60, data$tried, plogis(2 * data$x))) / data$tried
  fit <- neargp(share ~ 1, data[1:40, ], coords = ~ x + y, family = binomial(), weights = tried,
    method = vnngp(10))
  new <- data[41:60, ]
  link <- predict(fit, new, type = "link")
  expect_equal(unlist(scores(fit, new)), unlist(scores(new$share * new$tried, link$mean, link$sd,
    family = binomial(), trials = new$tried)))
  expect_error(scores(fit, new[c("x", "y", "share")]), "`trials`.*weights = tried",
    class = "neargp_error_argument")
  expect_error(scores(fit, transform(new, share = replace(share, 3, 0.123))), "whole.*row 3",
    class = "neargp_error_response")
  expect_error(scores(fit, new, trials = new$tried + 0.5), "whole", class = "neargp_error_response")
})
