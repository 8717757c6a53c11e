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
  for (palette in list(c("a", "b"), list(1, "a"), c("Viridis", "Mako"))) {
    expect_error(color_scale(1:2, palette), "two colours", class = "neargp_error_argument")
  }
})

test_that("one outlier does not take the scale, whose end has its colour", {
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

test_that("the largest numbers have a scale", {
  for (values in list(c(0, .Machine$double.xmax), c(-1, 1) * .Machine$double.xmax)) {
    scale <- color_scale(values, "Viridis")
    expect_true(all(is.finite(c(scale$breaks, scale$ticks))))
  }
})
