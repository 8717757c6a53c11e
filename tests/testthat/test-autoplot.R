built <- function(plot) {
  withr::local_pdf(NULL)
  expect_s3_class(plot, "ggplot")
  ggplot2::ggplot_build(plot)
}

drawn_panels <- function(plot) nrow(built(plot)$layout$layout)

test_extended("ggplot2 draws what plot() draws of a fit", {
  skip_if_not_installed("ggplot2")
  fit <- plotted_fit()
  map <- built(ggplot2::autoplot(fit, cells = 400))
  drawn <- map_predictions(fit, NULL, 400, NULL)
  scale <- color_scale(drawn$predictions$mean, "viridis")
  expect_equal(map$plot$scales$get_scales("fill")$limits, range(scale$breaks))
  expect_equal(map$data[[1]][c("x", "y")], data.frame(x = drawn$place$x, y = drawn$place$y),
    ignore_attr = TRUE)
  expect_identical(map$plot$labels$title, "Prediction of z")
  sd <- built(ggplot2::autoplot(fit, what = "sd", cells = 100))
  expect_length(sd$data, 1)
  expect_match(sd$plot$labels$title, "Standard deviation")
  loo <- loo_table(fit)
  residuals <- built(ggplot2::autoplot(fit, "residuals"))
  expect_equal(residuals$data[[3]][c("x", "y")], loo[c("mean", "z")], ignore_attr = TRUE)
  expect_equal(built(ggplot2::autoplot(fit, "qq"))$data[[3]]$y, sort(loo$z))
  expect_match(ggplot2::autoplot(fit, "loo")$labels$subtitle, "^RMSE .*95% coverage")
  signs <- built(ggplot2::autoplot(fit, "residual_map"))$data[[1]]
  expect_equal(signs$shape, ifelse(loo$z < 0, 25, 24))
  variogram <- ggplot2::autoplot(fit, "variogram", directions = c(0, 90))
  expect_match(variogram$labels$subtitle, "curves: the fit")
  expect_length(unique(built(variogram)$data[[1]]$shape), 2)
  expect_length(unique(built(variogram)$data[[3]]$linetype), 2)
  expect_error(ggplot2::autoplot(fit, "maps"), "`which`", class = "neargp_error_argument")
  expect_error(ggplot2::autoplot(fit, c("map", "qq")), "one plot at a time",
    class = "neargp_error_argument")
  expect_error(ggplot2::autoplot(fit, colour = 9), "`colour`", class = "neargp_error_argument")
})

test_extended("values beyond the colours are told, and missing ones transparent", {
  skip_if_not_installed("ggplot2")
  place <- list(x = runif(100), y = runif(100), longlat = FALSE, unit = "", names = c("x", "y"))
  values <- c(rnorm(98), 70, NA)
  plot <- ggplot_map(place, values, color_scale(values, "viridis"), "v", NULL)
  expect_identical(plot$labels$caption, "colours of the ends include values up to 70")
  expect_identical(beyond_caption(c(31.84, 400)),
    "colours of the ends include values down to 31.8 and up to 400")
  colors <- built(plot)$data[[1]]$fill
  expect_identical(colors[99], colors[which.max(values[1:98])])
  expect_true(is.na(colors[100]))
})

test_that("cells that are mostly unknown are dotted, on every second of 80 columns", {
  skip_if_not_installed("ggplot2")
  grid <- expand.grid(x = 1:80, y = 1:40)
  place <- list(x = grid$x, y = grid$y, longlat = FALSE, unit = "", names = c("x", "y"),
    dotted = grid$x > 40)
  plot <- ggplot_map(place, grid$x, color_scale(grid$x, "viridis"), "x", NULL)
  dots <- built(plot)$data[[2]]
  expect_equal(dots[c("x", "y")], expand.grid(x = seq(42, 80, 2), y = seq(2, 40, 2)),
    ignore_attr = TRUE)
  expect_identical(plot$labels$subtitle, dotted_note)
})

test_that("a curve has the data below it where they are on its scale", {
  skip_if_not_installed("ggplot2")
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 5))
  parts <- built(ggplot2::autoplot(fit))$data
  expect_equal(parts[[2]]$y, data$z)
  expect_true(all(parts[[1]]$ymin < parts[[1]]$ymax))
})

test_extended("folds have a panel each, cross-validations all of their plots", {
  skip_if_not_installed("ggplot2")
  set.seed(16)
  folds <- block_folds(cbind(runif(90), runif(90)), v = 4)
  expect_equal(drawn_panels(ggplot2::autoplot(folds)), 4)
  expect_equal(drawn_panels(ggplot2::autoplot(folds, which = 2)), 1)
  cv <- cross_validate(plotted_fit(), folds = 3)
  for (which in c("scores", "predictions", "pit", "map")) built(ggplot2::autoplot(cv, which))
  pit <- built(ggplot2::autoplot(cv, "pit"))$data[[2]]
  expect_equal(mean(pit$ymax), 1)
  expect_error(ggplot2::autoplot(cv, "maps"), class = "neargp_error_argument")
})

test_extended("fits to classes have map, calibration and confusion", {
  skip_if_not_installed("ggplot2")
  fit <- fixed_class_fit(class_data(80), k = 10L, formula = class ~ 1)
  map <- built(ggplot2::autoplot(fit, cells = 100))
  expect_true(all(map$data[[1]]$fill %in% class_scale(fit$classifier$levels)$colors))
  counts <- confusion_table(fit)
  confusion <- built(ggplot2::autoplot(fit, "confusion"))
  expect_equal(sum(as.numeric(confusion$data[[2]]$label)), sum(counts))
  drawn <- built(ggplot2::autoplot(fit, "calibration"))$data
  curve <- calibration_curve(fit)
  expect_equal(drawn[[5]]$y, curve$observed)
  expect_lt(min(curve$n), 5L)
  expect_equal(drawn[[4]]$y, curve$observed[curve$n >= 5L])
})

test_extended("local fields, warps and inducing points are drawn", {
  skip_if_not_installed("ggplot2")
  data <- simulated_data(150)
  local <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(range = ~ bumps(3)))
  drawn <- local_scale_map(local, "range", "mean", NULL, 100, NULL)
  map <- ggplot2::autoplot(local, "range", cells = 100)
  expect_equal(map$data$value, log(drawn$value))
  expect_error(ggplot2::autoplot(local, "sd"), class = "neargp_error_local")
  warped <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(warp = expand(2, ~ bumps(3))))
  expect_equal(drawn_panels(ggplot2::autoplot(warped, "warp", cells = 100)), 2)
  monotone <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(warp = monotone(~ x)))
  expect_equal(drawn_panels(ggplot2::autoplot(monotone, "warp")), 1)
  sparse <- neargp(z ~ 1, data, coords = ~ x + y, method = svgp(20))
  expect_equal(nrow(built(ggplot2::autoplot(sparse, "inducing"))$data[[2]]), 20)
})

test_extended("deep fits have trace, residuals and PIT", {
  skip_if_not_installed("ggplot2")
  fit <- fit_deep()
  for (which in c("trace", "residuals", "qq", "pit")) built(ggplot2::autoplot(fit, which))
  trace <- built(ggplot2::autoplot(fit))
  expect_length(unique(trace$data[[2]]$linetype), 2)
})

test_extended("several outputs have a panel each, or for each pair", {
  skip_if_not_installed("ggplot2")
  data <- simulated_data(80)
  data$w <- 2 * data$z + rnorm(80)
  fit <- suppressWarnings(neargp(cbind(z, w) ~ 1, data, coords = ~ x + y, method = vecchia(k = 5)))
  for (which in c("loo", "residual_map", "variogram")) {
    expect_equal(drawn_panels(ggplot2::autoplot(fit, which)), 2)
  }
  expect_equal(drawn_panels(ggplot2::autoplot(fit, "covariance")), 3)
  one <- built(ggplot2::autoplot(fit, outputs = "w"))
  loo <- leave_one_out(fit, NULL, NULL)
  expect_equal(one$data[[2]]$x, loo$mean[fit$data$output == 2])
  expect_error(ggplot2::autoplot(fit, "map"), "`which`", class = "neargp_error_argument")
})

test_extended("cells of a map overlap by less than is seen, so that no line is left between them", {
  skip_if_not_installed("ggplot2")
  cells <- expand.grid(x = 0:3, y = 0:2)
  place <- list(x = cells$x, y = cells$y)
  drawn <- ggplot2::ggplot(data.frame(cells, value = 1), ggplot2::aes(x, y)) +
    ggplot_cells(drawn_grid(place))
  built <- ggplot2::layer_data(drawn)
  overlap <- built$xmax[cells$x == 0] - built$xmin[cells$x == 1]
  expect_true(all(overlap > 0 & overlap < 0.05))
  expect_true(all(built$ymax[cells$y == 0] > built$ymin[cells$y == 1]))
})
