test_extended("three coordinates have diagnostics but no map", {
  set.seed(54)
  data <- data.frame(a = runif(100), b = runif(100), c = runif(100))
  data$z <- sin(5 * data$a) + rnorm(100, sd = 0.2)
  fit <- neargp(z ~ 1, data, coords = ~ ., method = vecchia(k = 8))
  expect_drawn(plot(fit), c("residuals", "qq", "variogram"))
  expect_error(plot(fit, which = "map"), "this fit has 3", class = "neargp_error_plot")
  expect_error(plot(fit, which = "residual_map"), "there are 3", class = "neargp_error_plot")
  expect_error(plot(cross_validate(fit, folds = 3), which = "map"), "there are 3",
    class = "neargp_error_plot")
  expect_error(plot(fit, which = "maps"), "`which`", class = "neargp_error_argument")
})

test_that("of many rows evenly spaced ones are drawn, and the plot says so", {
  expect_identical(shown_rows(7), 1:7)
  shown <- shown_rows(1e5, 1000L)
  expect_length(shown, 1000L)
  expect_equal(range(shown), c(1, 1e5))
  expect_lte(diff(range(diff(shown))), 1)
})

test_extended("of many rows only those that are drawn are predicted, and the plots say so", {
  skip_if_not(has_ggplot2())
  n <- 20100L
  data <- withr::with_seed(3, data.frame(x = runif(n), y = runif(n)))
  data$z <- sin(5 * data$x) + withr::with_seed(4, rnorm(n, sd = 0.3))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, nugget = 0.09, method = vecchia(k = 5),
    covariance = cov_exponential(variance = 0.5, range = 0.5))
  plots <- ggplot2::autoplot(fit, c("residuals", "qq"))
  rows <- shown_rows(n)
  shown <- plots$residuals$data
  expect_equal(shown$z, unname(residuals(fit, "standardized"))[rows], tolerance = 1e-10)
  expect_equal(shown$observed, data$z[rows])
  for (plot in plots) expect_match(plot$labels$subtitle, "20,000 of 20,100 rows shown")
  expect_equal(max(plots$qq$data$z), max(shown$z))
  expect_equal(nrow(ggplot2::autoplot(fit, "residual_map")$data), n)
})

test_that("the table of leave-one-out predictions is that of loo_predict()", {
  fit <- plotted_fit()
  table <- loo_table(fit)
  expect_equal(table[c("mean", "sd")], as.data.frame(loo_predict(fit)), ignore_attr = "left_out")
  expect_equal(table$z, unname(residuals(fit, "standardized")))
})

test_extended("standardized residuals of counts and classes are standard normal under the model", {
  data <- latent_data(800)
  for (fit in list(latent_fit(count ~ height, poisson(), data),
    latent_fit(class ~ height, binomial(), data),
    latent_fit(amount ~ height, Gamma("log"), data))) {
    withr::local_seed(1)
    expect_gt(stats::ks.test(residuals(fit, "standardized"), "pnorm")$p.value, 0.01)
  }
  expect_equal(normal_residuals(c(0, 1e6), new_mixture(c(0, 0), 0.1, poisson()))[2], 6,
    tolerance = 0.01)
})

test_extended("fits without a mean of the response are drawn about its centre", {
  data <- latent_data(60)
  data$heavy <- data$height + rt(60, 1)
  for (method in list(vnngp(k = 5), loo_k(k = 5))) {
    fit <- suppressWarnings(neargp(heavy ~ 1, data, coords = ~ x + y, family = student_t(df = 1),
      method = method))
    expect_true(all(is.finite(loo_table(fit)$mean)))
    expect_drawn(plot(fit, which = c("residuals", "qq", "loo")))
  }
})

test_that("residuals of a fit of which no row can be predicted are not drawn", {
  loo <- data.frame(observed = 1:3, mean = NA_real_, sd = NA_real_, z = NA_real_)
  expect_error(ggplot_qq(loo), "No row can be predicted from the others",
    class = "neargp_error_loo")
})

test_extended("residuals of counts and of a logarithm are against the logarithm of predictions", {
  data <- transform(simulated_data(80), count = rep(0:3, 20), positive = exp(z))
  fit <- neargp(count ~ height, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5),
    covariance = cov_exponential(variance = 0.5, range = 0.2))
  loo <- data.frame(mean = c(0.1, 0.2, 1, 5, 40), z = c(-1, 1, 0.5, 0, 2))
  expected <- stats::lowess(log(loo$mean), loo$z)
  expect_equal(smoothed_residuals(loo, TRUE), list(x = exp(expected$x), y = expected$y))
  expect_identical(map_predictions(fit, NULL, 30, NULL)$title,
    "Spatial effect on count (log scale)")
  gaussian <- neargp(positive ~ 1, data, coords = ~ x + y, method = exact_gp())
  expect_identical(predictor_scale(recalibrate(gaussian)$family), "identity")
  skip_if_not_installed("ggplot2")
  scale_of <- function(fit) {
    built(ggplot2::autoplot(fit, "residuals"))$layout$panel_params[[1L]]$x$scale$trans$name
  }
  expect_identical(scale_of(fit), "log-10")
  expect_identical(scale_of(gaussian), "identity")
  expect_identical(scale_of(update(gaussian, transform = "log")), "log-10")
})

test_that("observations and predictions have one range on both axes", {
  skip_if_not_installed("ggplot2")
  loo <- data.frame(observed = c(-3, 1, 2), mean = c(0, 0.5, 9), sd = 1, z = 0)
  plot <- ggplot_predictions(loo, "z", "A title", data.frame(rmse = 1, crps = 0.5, level = 0.95,
    coverage = 0.9))
  ranges <- built(plot)$layout$panel_params[[1]][c("x.range", "y.range")]
  expect_identical(ranges$x.range, ranges$y.range)
  expect_true(ranges$x.range[1] < -3 && ranges$x.range[2] > 9)
  expect_identical(plot$labels$subtitle, "RMSE 1, CRPS 0.5, 95% coverage 90.0%")
})
