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
