test_that("maps of further coordinates have one scale, over the values of all of them", {
  fit <- local_fit(cov_exponential(warp = expand(2, ~ bumps(2))), vecchia(k = 5))
  own <- fit$layout$kind == "expand"
  fit$parameters$estimate[own] <- c(1, 0.5, -1, -0.5, 0.1, 0.1, 0, 0)
  values <- warped_coordinates(fit)[c("warp1", "warp2")]
  expect_equal(range(further_scale(values, FALSE)$breaks), range(values))
  expect_equal(range(further_scale(values, FALSE, limits = c(-9, 9))$breaks), c(-9, 9))
  expect_drawn(plot(fit, "warp", newdata = local_data()))
})
