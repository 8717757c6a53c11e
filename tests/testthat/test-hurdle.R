test_that("without fields a hurdle model is that of pscl", {
  skip_if_not_installed("pscl")
  d <- hurdle_data()
  other <- pscl::hurdle(count ~ h, d)
  fit <- hurdle_fits(d)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(other)), tolerance = 1e-6)
  expect_equal(unname(coef(fit$positive)), unname(coef(other, "count")), tolerance = 1e-3)
  expect_equal(unname(coef(fit$presence)), unname(coef(other, "zero")), tolerance = 1e-3)
})

# The mixture of 0 and a positive response, by many of its quantiles.
expect_mixture_with_nothing <- function(response, family, n = 4000) {
  d <- hurdle_data()
  fit <- hurdle_fits(d, response, family)
  new <- d[c(2, 40, 77), ]
  given <- predict(fit, new, interval = "prediction", threshold = c(0, 3))
  p <- predict(fit$presence, new)$mean
  u <- (seq_len(n) - 0.5) / n
  quantiles <- sapply(1:3, function(i) {
    own <- pmax((u - (1 - p[i])) / p[i], 0)
    value <- double(length(u))
    link <- predict(fit$positive, new[rep(i, sum(own > 0)), ], type = "link")
    value[own > 0] <- predictive_quantile(own[own > 0], new_mixture(link$mean, link$sd, family,
      fit$positive$family_parameters))
    value
  })
  expect_equal(given$presence, p)
  expect_equal(given$mean, colMeans(quantiles), tolerance = 0.01)
  expect_equal(given$sd, apply(quantiles, 2, sd), tolerance = 0.03)
  expect_equal(given$p_exceed_3, colMeans(quantiles > 3), tolerance = 0.01)
  expect_equal(given$p_exceed_0, p)
  expect_equal(given$upper, quantiles[0.975 * n, ], tolerance = 0.02)
  y <- c(0, 2, 7)
  distance <- sapply(1:3, function(i) {
    mean(abs(y[i] - quantiles[, i])) - mean(abs(outer(quantiles[seq(1, n, 5), i],
      quantiles[seq(3, n, 5), i], "-"))) / 2
  })
  rows <- score_rows(y, hurdle_distribution(fit, new), 0.95)
  expect_equal(rows$crps, distance, tolerance = 0.02)
  expect_equal(rows$pit_upper, sapply(1:3, function(i) mean(quantiles[, i] <= y[i] + 1e-9)),
    tolerance = 0.01)
  expect_equal(rows$pit_lower, sapply(1:3, function(i) mean(quantiles[, i] < y[i] - 1e-9)),
    tolerance = 0.01)
  expect_equal(rows$log_score[1], -log1p(-p[1]))
  draws <- simulate(fit, 400, seed = 1, newdata = new)
  expect_identical(names(draws), paste0("sim_", 1:400))
  expect_equal(attr(draws, "seed")[1L], 1)
  expect_lt(max(abs(rowMeans(draws) - given$mean) / (given$sd / 20)), 4)
}

test_extended("predictions and scores are those of the mixture of nothing and a positive amount", {
  expect_mixture_with_nothing("amount", Gamma("log"), n = 1000)
})

test_extended("predictions and scores are those of the mixture of nothing and a positive count", {
  expect_mixture_with_nothing("count", truncated_poisson())
})

test_that("a logarithm's normal response may be the positive one", {
  d <- hurdle_data()
  positive <- neargp(amount ~ h, d[d$there == 1, ], coords = ~ x + y, transform = "log",
    method = vecchia(k = 5), covariance = cov_exponential(variance = 1e-9, range = 0.1),
    verbose = FALSE)
  hurdle <- neargp_hurdle(fit_without_field(there ~ h, d, family = binomial()), positive)
  linear <- lm(log(amount) ~ h, d[d$there == 1, ])
  p <- predict(hurdle, d[1:2, ])
  expect_equal(p$mean, p$presence * predict(positive, d[1:2, ])$mean)
  expect_equal(predict(hurdle, d[1:2, ], threshold = 2)$p_exceed, p$presence *
    pnorm(log(2), unname(predict(linear, d[1:2, ])), sigma(linear), lower.tail = FALSE),
    tolerance = 0.02)
  expect_true(is.finite(scores(hurdle, d, "amount")$crps))
})

test_extended("what is no hurdle model is refused", {
  d <- hurdle_data()
  presence <- fit_without_field(there ~ h, d, family = binomial())
  counts <- fit_without_field(count ~ h, d, family = poisson())
  expect_error(neargp_hurdle(counts, counts), "presence", class = "neargp_error_argument")
  expect_error(neargp_hurdle(presence, counts), "positive", class = "neargp_error_argument")
  expect_error(neargp_hurdle(presence, d), "positive", class = "neargp_error_argument")
  present <- d[d$there == 1, ]
  positive <- fit_without_field(count ~ h, present[-1L, ], family = truncated_poisson())
  expect_message(neargp_hurdle(presence, positive),
    sprintf("%d rows .* %d rows", nrow(present), nrow(present) - 1L), class = "neargp_message_fits")
  fit <- hurdle_fits(d)
  expect_error(predict(fit), "newdata", class = "neargp_error_newdata")
  expect_error(scores(fit, d[1:2, ], c(1, -1)), "negative", class = "neargp_error_response")
  expect_error(scores(fit, d[1:2, ], 1), "observed", class = "neargp_error_argument")
  expect_error(scores(fit, observed = 1), "observed", class = "neargp_error_argument")
  expect_output(print(fit), "Presence.*Positive")
})
