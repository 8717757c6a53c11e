test_that("colour scales cover the values, centered ones are symmetric", {
  scale <- color_scale(c(2, 5, NA, Inf), "viridis")
  expect_equal(range(scale$breaks), c(2, 5))
  expect_equal(range(color_scale(c(-1, 3), "Blue-Red 3", centered = TRUE)$breaks), c(-3, 3))
  expect_true(diff(range(color_scale(c(4, 4), "viridis")$breaks)) > 0)
  colors <- scale_colors(scale, c(2, 5, 100, NA))
  expect_equal(colors[c(1, 2)], scale$colors[c(1, 128)])
  expect_equal(colors[3], colors[2])
  expect_true(is.na(colors[4]))
  expect_length(color_scale(1:2, heat.colors)$colors, 128)
  expect_length(color_scale(1:2, c("white", "black"))$colors, 128)
  expect_error(color_scale(1:2, "no such palette"), "hcl.pals", class = "neargp_error_argument")
})

test_that("a long title of the legend ends within the figure", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  graphics::par(mar = c(1, 1, 2, 5))
  graphics::plot.new()
  graphics::plot.window(c(0, 1), c(0, 1))
  title <- "probability of more than 100"
  expect_identical(title_start("sd", 1.02), 1.02)
  expect_lt(title_start(title, 1.02), 1.02)
  expect_lt(title_start(title, 1.02) + graphics::strwidth(title, cex = 0.8),
    graphics::grconvertX(1, "nfc", "user"))
})

test_that("one outlier does not take the scale, whose end is pointed and tells how far it is", {
  set.seed(11)
  values <- rnorm(300)
  expect_equal(range_of_most(values), range(values))
  scale <- color_scale(c(values, 80, NA), "viridis")
  expect_equal(range(scale$breaks), range(values))
  expect_equal(scale$beyond, c(NA, 80))
  expect_equal(scale_colors(scale, 80), scale$colors[128])
  expect_equal(beyond_labels(scale$beyond), "to 80")
  # In the middle of the fences, or as many as one in fifty: no outliers.
  expect_equal(range_of_most(c(values, rep(80, 7)))[2], 80)
  expect_equal(range_of_most(c(rep(0, 99), 1)), c(0, 1))
  expect_equal(range_of_most(c(1:9, 1000)), c(1, 1000))
  expect_equal(range(color_scale(c(values, -50), "viridis", centered = TRUE)$breaks),
    c(-1, 1) * max(abs(values)))
  expect_equal(color_scale(values, "viridis", limits = range(values))$beyond, c(NA_real_, NA_real_))
  expect_equal(log_color_scale(exp(c(values, 30)), "viridis")$beyond, exp(c(NA, 30)))
})

test_that("labels end within the figure", {
  grDevices::pdf(NULL, width = 3, height = 3)
  withr::defer(grDevices::dev.off())
  graphics::plot.new()
  long <- strrep("probability ", 9)
  expect_identical(fitting_size("x", 1L), 1)
  size <- fitting_size(long, 1L)
  middle <- mean(graphics::par("plt")[1:2]) * 3
  expect_lte(middle + size * graphics::strwidth(long, "inches") / 2, 3)
  expect_gte(middle - size * graphics::strwidth(long, "inches") / 2, 0)
})
