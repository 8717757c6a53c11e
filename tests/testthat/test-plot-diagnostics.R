test_that("three coordinates have diagnostics but no map", {
  withr::local_pdf(NULL)
  set.seed(54)
  data <- data.frame(a = runif(100), b = runif(100), c = runif(100))
  data$z <- sin(5 * data$a) + rnorm(100, sd = 0.2)
  fit <- neargp(z ~ 1, data, coords = ~ ., method = vecchia(k = 8))
  expect_invisible(plot(fit))
  expect_error(plot(fit, which = "map"), "this fit has 3", class = "neargp_error_plot")
  expect_error(plot(fit, which = "residual_map"), "there are 3", class = "neargp_error_plot")
  expect_error(plot(cross_validate(fit, folds = 3), which = "map"), "there are 3", class = "neargp_error_plot")
  expect_error(plot(fit, which = "maps"), "`which`", class = "neargp_error_argument")
})

test_that("of many rows evenly spaced ones are drawn, and the plot says so", {
  expect_identical(shown_rows(7), 1:7)
  shown <- shown_rows(1e5, 1000L)
  expect_length(shown, 1000L)
  expect_equal(range(shown), c(1, 1e5))
  expect_lte(diff(range(diff(shown))), 1)
})

test_that("the table of leave-one-out predictions is that of loo_predict()", {
  fit <- plotted_fit()
  table <- loo_table(fit)
  expect_equal(table[c("mean", "sd")], loo_predict(fit))
  expect_equal(table$z, residuals(fit, "standardized"))
})
