example_predictions <- function(n = 300) {
  set.seed(11)
  mean <- rnorm(n)
  sd <- rexp(n) + 0.2
  data.frame(mean = mean, sd = sd, observed = rnorm(n, mean, sd))
}

test_that("scores are averages of the scoring rules", {
  p <- example_predictions()
  result <- scores(p$observed, p$mean, p$sd, level = 0.8)
  half <- qnorm(0.9) * p$sd
  expect_s3_class(result, c("neargp_scores", "data.frame"), exact = TRUE)
  expect_equal(nrow(result), 1)
  expect_equal(result$n, 300)
  expect_equal(result$bias, mean(p$mean - p$observed))
  expect_equal(result$mae, mean(abs(p$mean - p$observed)))
  expect_equal(result$rmse, sqrt(mean((p$mean - p$observed)^2)))
  expect_equal(result$crps, mean(crps_gaussian(p$observed, p$mean, p$sd)))
  expect_equal(result$log_score, -mean(dnorm(p$observed, p$mean, p$sd, log = TRUE)))
  expect_equal(result$interval_score,
    mean(interval_score(p$observed, p$mean - half, p$mean + half, 0.8)))
  expect_equal(result$coverage, mean(abs(p$observed - p$mean) <= half))
  expect_equal(result$level, 0.8)
  expect_gt(result$coverage, 0.72)
  expect_lt(result$coverage, 0.88)
})

test_that("data frames and sf objects of predictions score as their columns", {
  p <- example_predictions()
  expected <- scores(p$observed, p$mean, p$sd)
  expect_equal(scores(p, observed = "observed"), expected)
  expect_equal(scores(p[c("mean", "sd")], observed = p$observed), expected)
  # Interval columns made at another level do not enter where the deviations say it all.
  p$lower <- p$mean - 100
  p$upper <- p$mean + 100
  expect_equal(scores(p, observed = "observed"), expected)
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(cbind(p, x = 1:300, y = 1), coords = c("x", "y"))
  expect_equal(scores(points, observed = p$observed), expected)
})

test_that("what cannot be computed is absent, and given intervals are used", {
  p <- example_predictions()
  expect_named(scores(p$observed, p$mean), c("n", "bias", "mae", "rmse", "n_missing"))
  p$lower <- p$mean - 1
  p$upper <- p$mean + 1
  given <- scores(p[c("mean", "lower", "upper")], observed = p$observed, level = 0.5)
  expect_equal(given$coverage, mean(abs(p$observed - p$mean) <= 1))
  expect_null(given$crps)
  expect_equal(scores(p$observed, p$mean, p$sd, lower = p$lower, upper = p$upper,
    level = 0.5)$coverage,
               given$coverage)
})

test_extended("scores of draws approach those of the distribution they come from", {
  p <- example_predictions()
  set.seed(12)
  draws <- matrix(rnorm(300 * 2000, p$mean, p$sd), 300)
  gaussian <- scores(p$observed, p$mean, p$sd)
  drawn <- scores(p$observed, draws = draws)
  common <- c("rmse", "mae", "crps", "interval_score")
  expect_equal(unlist(drawn[common]), unlist(gaussian[common]), tolerance = 0.03)
  expect_null(drawn$log_score)
})

test_that("a length of one is recycled", {
  p <- example_predictions()
  expect_equal(scores(p$observed, 0, 1), scores(p$observed, rep(0, 300), rep(1, 300)))
})

test_that("missing values are an error, or are counted", {
  p <- example_predictions()
  p$observed[c(3, 8)] <- NA
  p$sd[20] <- NA
  expect_error(scores(p$observed, p$mean, p$sd), "`observed`, `sd`.*rows 3, 8 and 20.*na.rm = TRUE",
    class = "neargp_error_missing")
  left <- scores(p, observed = "observed", na.rm = TRUE)
  expect_equal(left$n, 297)
  expect_equal(left$n_missing, 3)
  expect_equal(left$rmse, scores(p[-c(3, 8, 20), ], observed = "observed")$rmse)
  expect_error(scores(c(NA_real_, NA), 0, 1, na.rm = TRUE), "in any row",
    class = "neargp_error_missing")
  expect_error(scores(double(0), 0, 1), "no observations", class = "neargp_error_missing")
  draws <- matrix(0, 2, 3)
  draws[2, 3] <- NaN
  expect_equal(scores(c(1, 1), draws = draws, na.rm = TRUE)$n, 1)
})

test_that("wrong input is refused with its reason", {
  expect_error(scores("a"), "class character", class = "neargp_error_argument")
  expect_error(scores(1:3), "`mean`", class = "neargp_error_argument")
  expect_error(scores(1:3, 1:2), "`mean`.*2 values", class = "neargp_error_length")
  expect_error(scores(1:3, 0, c(1, -1, -2)), "rows 2 and 3", class = "neargp_error_sd")
  expect_error(scores(1:3, 0, lower = 1), "both ends", class = "neargp_error_argument")
  expect_error(scores(1:3, 0, 1, level = 1.2), "`level`", class = "neargp_error_argument")
  expect_error(scores(data.frame(fit = 1:3), observed = 1:3), "Column mean.*fit",
    class = "neargp_error_columns")
  expect_error(scores(data.frame(mean = 1:3), observed = "y"), "Column y",
    class = "neargp_error_columns")
  expect_error(scores(data.frame(mean = 1:3), observed = 1:2), "3 predictions and 2",
    class = "neargp_error_length")
})

test_that("print names the level and the rows left out", {
  expect_output(print(scores(c(1, NA), 0, 1, na.rm = TRUE)),
    "Scores of 1 predictions \\(intervals at 95%; 1 left out for missing values")
  expect_output(print(scores(c(1, 2), 0, 1)), "rmse")
})

test_that("scores are printed under the names of their columns", {
  withr::local_options(width = 80)
  binary <- scores(rep(0:1, c(30, 17)), mean = seq(-2, 1, length.out = 47), sd = 0.37,
    family = binomial())
  words <- unlist(strsplit(trimws(capture.output(print(binary))[-1L]), " +"))
  expect_setequal(grep("[a-z]", words, value = TRUE),
    setdiff(names(binary), c("n", "level", "n_missing")))
})

test_extended("new rows are scored with the noise of their weights, as training rows are", {
  data <- transform(simulated_data(60), w = rep(c(1, 25), 30))
  new <- transform(simulated_data(30, seed = 5), w = rep(c(4, 100), 15))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 15), nugget = 2, weights = w,
    covariance = cov_exponential(variance = 1, range = 0.3))
  field <- predict(fit, new, type = "link")
  expected <- scores(new$z, field$mean, sqrt(field$sd^2 + 2 / new$w))
  expect_equal(scores(fit, new), expected)
  expect_equal(scores(fit, new, weights = "w"), expected)
  expect_equal(scores(fit, new, weights = new$w), expected)
  expect_message(plain <- scores(fit, new[names(new) != "w"]), "weights = w",
    class = "neargp_message_weights")
  expect_equal(plain, scores(fit, new, weights = 1))
  expect_equal(plain, scores(predict(fit, new), observed = new$z))
  expect_error(scores(fit, new, weights = -new$w), class = "neargp_error_weights")
  handed_on <- function(...) {
    neargp(z ~ 1, data, coords = ~ x + y, nugget = 2, covariance = cov_exponential(variance = 1,
      range = 0.3), ...)
  }
  expect_equal(scores(handed_on(method = vecchia(k = 15), weights = w), new), expected)
  without <- function(given) handed_on(method = vecchia(k = 15), weights = if (given) w)
  given <- FALSE
  expect_equal(scores(without(given), new), scores(update(fit, weights = NULL), new))
})

test_extended("weights of new rows divide the dispersion of other families, and the noise of several outputs", {
  data <- transform(latent_data(80), w = rep(c(1, 9), 40))
  fit <- neargp(amount ~ 1, data, coords = ~ x + y, method = vnngp(k = 10), family = Gamma("log"),
    weights = w, covariance = cov_exponential(variance = 1, range = 0.3))
  new <- transform(latent_data(20, seed = 3), w = rep(c(2, 50), 10))
  link <- predict(fit, new, type = "link")
  expect_equal(scores(fit, new)$log_score,
    mean(log_score_mixture(new$amount, link$mean, link$sd, Gamma("log"),
      list(shape = fit$family_parameters[["shape"]] * new$w))))
  places <- transform(simulated_outputs(40), w = rep(c(1, 4), 20))
  outputs <- neargp(cbind(zinc, lead) ~ 1, places, coords = ~ x + y, method = vecchia(k = 10),
    nugget = c(0.2, 8), weights = w,
    covariance = cov_coregionalisation(cov_matern(1.5, range = 0.3),
      matrices = matrix(c(2, 4, 4, 100), 2L)))
  new <- transform(simulated_outputs(10, missing = 0, seed = 9), w = rep(c(2, 20), 5))
  field <- predict(outputs, new, type = "link")
  scored <- scores(outputs, new)
  expect_equal(scored$log_score[2],
    scores(new$lead, field$mean_lead, sqrt(field$sd_lead^2 + 8 / new$w))$log_score)
})

test_that("two classes have one Brier score, whichever method gave their probabilities", {
  p <- c(0.2, 0.9, 0.6)
  classes <- factor(c("no", "yes", "no"))
  expect_equal(scores(classes, prob = p)$brier, mean((p - c(0, 1, 0))^2))
  expect_equal(scores(classes, prob = p)$brier,
    scores(c(0, 1, 0), qlogis(p), 0, family = binomial())$brier, tolerance = 1e-6)
})

test_extended("a response that was scaled in the formula is scaled alike in new rows", {
  data <- simulated_data(60)
  data$w <- rep(1:3, 20)
  data$other <- data$z + data$height
  new <- simulated_data(12, seed = 5)
  new$other <- new$z + new$height
  own <- function(z, from) (z - mean(from)) / stats::sd(from)
  fitted_to <- function(formula, ...) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(8),
      covariance = cov_exponential(range = 0.3), ...)
  }
  fit <- fitted_to(scale(z) ~ height)
  expect_equal(scores(fit, new), scores(fit, new, observed = own(new$z, data$z)))
  outputs <- fitted_to(cbind(scale(z), other) ~ 1)
  error <- predict(outputs, new)[[1L]] - own(new$z, data$z)
  expect_equal(scores(outputs, new)$rmse[1L], sqrt(mean(error^2)))
  weighted <- fitted_to(z ~ 1, weights = w / mean(w))
  expect_error(scores(weighted, transform(new, w = 1:12)), "depends on the other rows",
    class = "neargp_error_weights")
})
