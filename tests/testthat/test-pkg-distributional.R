distribution_data <- function() {
  data <- simulated_data(80)
  transform(data, count = rep(0:3, 20), amount = exp(z), hits = rep(c(1, 3, 4, 2), 20))
}

distributions_of <- function(formula, ..., rows = distribution_data()[1:4, ]) {
  skip_if_not_installed("distributional")
  environment(formula) <- environment()
  fit <- neargp(formula, distribution_data(), coords = ~ x + y, ...)
  rows$x <- rows$x + 0.01
  list(fit = fit, rows = rows, dist = predict(fit, rows, type = "distribution"))
}

test_that("a Gaussian observation is normal, with the moments and limits of predict()", {
  made <- distributions_of(z ~ height, method = exact_gp(), covariance = cov_exponential(),
    nugget = 0.1)
  plain <- predict(made$fit, made$rows, interval = "prediction", parameters = "plug-in")
  dist <- predict(made$fit, made$rows, type = "distribution", parameters = "plug-in")
  expect_s3_class(dist, "distribution")
  expect_identical(family(dist), rep("normal", 4L))
  expect_equal(mean(dist), plain$mean)
  expect_equal(sqrt(distributional::variance(dist)), plain$sd)
  interval <- unclass(distributional::hilo(dist, 95))
  expect_equal(interval$lower, plain$lower)
  # few observations integrate by default, which makes mixtures
  mixed <- predict(made$fit, made$rows, interval = "prediction")
  expect_equal(mean(made$dist), mixed$mean)
  expect_equal(quantile(made$dist, 0.975), mixed$upper)
})

test_that("a logarithm makes log-normal distributions", {
  made <- distributions_of(amount ~ height, transform = "log", method = vecchia(k = 10))
  expect_identical(family(made$dist), rep("lognormal", 4L))
  middle <- predict(made$fit, made$rows, type = "quantile", probs = 0.5)
  expect_equal(median(made$dist), middle[[1L]])
})

test_that("counts have quantiles, probabilities, moments and draws", {
  made <- distributions_of(count ~ height, family = poisson(), method = vnngp(k = 10))
  expected <- predict(made$fit, made$rows, threshold = 1)
  expect_equal(mean(made$dist), expected$mean)
  expect_equal(distributional::variance(made$dist), expected$sd^2)
  expect_equal(1 - distributional::cdf(made$dist, 1), expected$p_exceed)
  expect_equal(quantile(made$dist, 0.9), predict(made$fit, made$rows, type = "quantile",
    probs = 0.9)[[1L]])
  all <- sapply(0:60, function(at) density(made$dist, at))
  expect_equal(rowSums(all), rep(1, 4), tolerance = 1e-6)
  withr::local_seed(1)
  drawn <- distributional::generate(made$dist, 4000L)
  expect_equal(vapply(drawn, mean, 0), expected$mean, tolerance = 0.1)
  expect_identical(quantile(made$dist[1L], c(0, 1))[[1L]], c(0, Inf))
  expect_match(format(made$dist[1L]), "neargp")
})

test_that("trials bound a binomial observation", {
  made <- distributions_of(cbind(hits, 5 - hits) ~ height, family = binomial(),
    method = vnngp(k = 10))
  dist <- predict(made$fit, made$rows, type = "distribution", trials = 5)
  expect_equal(mean(dist), predict(made$fit, made$rows, trials = 5)$mean)
  expect_identical(quantile(dist[1L], 1), 5)
})

test_that("rows with missing covariates are missing, and other arguments are refused", {
  rows <- distribution_data()[1:4, ]
  rows$height[2L] <- NA
  made <- distributions_of(z ~ height, method = vecchia(k = 10), rows = rows)
  expect_identical(is.na(mean(made$dist)), c(FALSE, TRUE, FALSE, FALSE))
  refused <- function(...) {
    expect_error(predict(made$fit, rows, type = "distribution", ...),
      class = "neargp_error_argument")
  }
  refused(interval = "prediction")
  refused(threshold = 1)
  refused(joint = TRUE)
})

test_that("ggdist summarises distributions", {
  skip_if_not_installed("ggdist")
  made <- distributions_of(count ~ height, family = poisson(), method = vnngp(k = 10))
  table <- ggdist::median_qi(made$dist, .width = 0.9)
  expected <- predict(made$fit, made$rows, type = "quantile", probs = c(0.05, 0.95))
  expect_equal(table$.lower, expected$q0.05)
  expect_equal(table$.upper, expected$q0.95)
})
