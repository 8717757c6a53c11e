# Predictions, draws and scores of compositions.

test_that("probabilities are integrals over the logarithms of ratios", {
  mean <- rbind(c(0.5, -1), c(3, 2))
  S <- array(0, c(2L, 2L, 2L))
  S[1, , ] <- rbind(c(1, 0.6), c(0.6, 0.8))
  S[2, , ] <- rbind(c(2, -0.5), c(-0.5, 0.5))
  ratios <- list(mean = mean, covariance = S)
  nodes <- seq(-7, 7, length.out = 281)
  grid <- as.matrix(expand.grid(nodes, nodes))
  weight <- exp(-rowSums(grid^2) / 2)
  weight <- weight / sum(weight)
  for (i in 1:2) {
    z <- sweep(grid %*% chol(S[i, , ]), 2L, mean[i, ], "+")
    p <- exp(cbind(0, z)) / rowSums(exp(cbind(0, z)))
    expect_lt(max(abs(mean_probabilities(ratios)[i, ] - colSums(weight * p))), 1e-3)
    counts <- rbind(c(3, 2, 1), c(40, 300, 60), c(0, 1, 0))
    exact <- log(colSums(weight * exp(apply(counts, 1L, function(y) log_multinomial(rep(1, nrow(z))
      %o% y, cbind(0, z))))))
    rows <- rep(i, 3L)
    found <- composition_log_density(counts, take_ratios(ratios, rows))
    expect_equal(found[c(1, 3)], exact[c(1, 3)], tolerance = 2e-3)
    # a grid is coarse for hundreds of counts
    expect_equal(found[2L], exact[2L], tolerance = 5e-3)
  }
})

test_that("two categories are a binomial response", {
  p <- function(z) 1 / (1 + exp(-z))
  ratios <- list(mean = matrix(0.7), covariance = array(0.9, c(1L, 1L, 1L)))
  exact <- integrate(function(z) p(z) * dnorm(z, 0.7, sqrt(0.9)), -Inf, Inf)$value
  expect_equal(mean_probabilities(ratios)[, 2L], exact, tolerance = 2e-4)
  density <- integrate(function(z) dbinom(7, 10, p(z)) * dnorm(z, 0.7, sqrt(0.9)), -Inf, Inf)$value
  expect_equal(composition_log_density(cbind(3, 7), ratios), log(density), tolerance = 1e-3)
})

test_that("predictions are probabilities, and limits contain them", {
  d <- taxa_data()
  fit <- fit_taxa(d)
  new <- data.frame(x = c(0.2, 0.5, NA), y = 0.5, elevation = c(0, 1, 0))
  found <- predict(fit, new, interval = "confidence", threshold = c(0.3, 0.5, 0.1))
  means <- as.matrix(found[paste0("mean_", fit$outputs)])
  expect_equal(rowSums(means)[1:2], c(1, 1), ignore_attr = TRUE)
  expect_true(all(is.na(found[3L, ])))
  expect_true(all(found$lower_oak < found$mean_oak, found$mean_oak < found$upper_oak, na.rm = TRUE))
  expect_equal(predict(fit, new, interval = "confidence", threshold = c(0.3, 0.5, 0.1)), found)
  expect_named(predict(fit, new, outputs = "beech"), c("mean_beech", "sd_beech"))
  expect_named(predict(fit, new, type = "link"), c("mean_beech", "sd_beech", "mean_other",
    "sd_other"))
  expect_named(predict(fit, new, type = "factor"), c("mean_factor1", "mean_factor2",
    "sd_factor1", "sd_factor2"))
  quantiles <- predict(fit, new, type = "quantile", probs = c(0.025, 0.975))
  expect_equal(quantiles$q0.025_oak, found$lower_oak)
  expect_error(predict(fit, new, type = "link", interval = "prediction"),
    class = "neargp_error_argument")
  expect_error(predict(fit, new, filename = "map.tif"), "`filename` must be left out",
    class = "neargp_error_argument")
  # limits of counts hold as many draws as they should
  drawn <- as.matrix(simulate(fit, 2000, newdata = new[1:2, ], trials = 40, seed = 1))
  limits <- predict(fit, new[1:2, ], interval = "prediction", trials = 40, level = 0.8)
  oak <- drawn[, grep("_oak", colnames(drawn))]
  expect_true(all(rowMeans(oak >= limits$lower_oak & oak <= limits$upper_oak) > 0.77))
  expect_equal(rowMeans(oak), limits$mean_oak, tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(unname(apply(oak, 1L, sd)), limits$sd_oak, tolerance = 0.1)
  expected <- predict(fit, new, interval = "confidence", threshold = 40 * c(0.3, 0.5, 0.1),
    trials = 40)
  scaled <- grep("^(mean|sd|lower|upper)_", names(found))
  expect_equal(expected[scaled], 40 * found[scaled])
  expect_equal(expected[-scaled], found[-scaled])
})

test_that("draws sum to the totals", {
  d <- taxa_data()
  d$taxa[1, ] <- c(1L, 0L, 0L)
  fit <- fit_taxa(d)
  drawn <- simulate(fit, 3, seed = 1)
  expect_equal(Reduce(`+`, lapply(drawn, as.matrix)), matrix(rowSums(d$taxa), 40L, 3L),
    ignore_attr = TRUE)
  expect_identical(simulate(fit, 3, seed = 1), drawn)
  expect_no_match(capture.output(print(drawn)), "seed")
  expect_error(cross_validate(list(a = fit, b = fit)), "one by one: a and b",
    class = "neargp_error_fits")
  new <- as.matrix(simulate(fit, 4, newdata = d[1:5, ], trials = 7, seed = 2))
  expect_equal(new[, 1:4] + new[, 5:8] + new[, 9:12], matrix(7, 5L, 4L), ignore_attr = TRUE)
})

test_extended("a left-out sample is predicted as by a fit without it", {
  d <- taxa_data()
  fit <- fit_taxa(d)
  rows <- left_out_samples(fit)
  many <- fit_taxa(within(d, taxa <- taxa * 100000L))
  expect_error(scores(many), class = "neargp_error_loo")
  folds <- cross_validate(fit, folds = seq_len(40L))$predictions
  expect_equal(rows$mean, folds$mean, tolerance = 0.02)
  expect_equal(scores(fit)$log_score[4L], mean(folds$log_score[1:40]), tolerance = 0.02)
  expect_equal(scores(fit)$brier[4L], sum(scores(fit)$brier[1:3]))
  p <- matrix(rows$mean, 40L)
  expect_equal(rowSums(p), rep(1, 40L))
  one <- d$taxa[, 1L]
  expect_equal(scores(fit)$brier[1L], mean((one * (1 - p[, 1L])^2 + (20 - one) * p[, 1L]^2) / 20))
  new <- scores(fit, d[1:5, ])
  expect_equal(new$n, rep(5L, 4L))
  expect_equal(residuals(fit), d$taxa / 20 - fitted(fit), ignore_attr = TRUE)
  expect_equal(residuals(fit, "pearson"), residuals(fit) / sqrt(fitted(fit) * (1 - fitted(fit)) /
    20))
})
