test_that("integrals of hat functions are those of their sums, and all of them the coordinate", {
  knots <- c(-1, 0.5, 1, 3)
  x <- seq(-2, 4, by = 0.25)
  values <- hat_integrals(x, knots)
  expect_equal(rowSums(values), x + 1)
  expect_equal(rowSums(hat_values(x, knots)), rep(1, length(x)))
  for (m in seq_along(knots)) {
    expected <- vapply(x, function(to) {
      pieces <- sort(c(-1, to, knots[knots > min(-1, to) & knots < max(-1, to)]))
      whole <- sum(vapply(seq_len(length(pieces) - 1L), function(p) {
        stats::integrate(function(t) hat_values(t, knots)[, m], pieces[p], pieces[p + 1L])$value
      }, 0))
      if (to < -1) -whole else whole
    }, 0)
    expect_equal(values[, m], expected, tolerance = 1e-8)
  }
})

test_that("further coordinates have principal axes, and their rotation is not counted", {
  data <- local_data(150)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(warp = expand(2, ~ bumps(2))))
  values <- warped_coordinates(fit)
  expect_equal(stats::cov(values$warp1, values$warp2), 0, tolerance = 1e-8)
  expect_gte(stats::sd(values$warp1), stats::sd(values$warp2))
  expect_gte(stats::cov(values$warp1, data$x), 0)
  expect_equal(attr(logLik(fit), "df"), 1 + 3 + 8 - 1)
  own <- fit$layout$kind == "expand"
  expect_equal(values$warp1, drop(fit$data$coords[, 3:6] %*% fit$parameters$estimate[own][1:4]))
  turn <- c(-fit$parameters$estimate[own][5:8], fit$parameters$estimate[own][1:4])
  expect_lt(sum(turn * (fit$interval_vcov[own, own] %*% turn)) / sum(turn^2),
    1e-4 * min(diag(fit$interval_vcov[own, own])))
  expect_equal(diag(dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)),
    rep(fit$parameters$estimate[1L], 150))
})

test_extended("errors of warped coordinates are those of the delta method", {
  data <- local_data(150)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(warp = list(expand(1, ~ wet), monotone(~ x, 3))))
  found <- warped_coordinates(fit, data[1:4, ])
  expect_named(found, c("x", "x_error", "x_slope", "warp1", "warp1_error"))
  own <- fit$layout$kind %in% c("monotone", "expand")
  value_at <- function(estimate) {
    moved <- fit
    moved$parameters$estimate[own] <- estimate
    c(as.matrix(warped_coordinates(moved, data[1:4, ])[c("x", "warp1")]))
  }
  at <- fit$parameters$estimate[own]
  slopes <- vapply(seq_along(at),
    function(a) (value_at(replace(at, a, at[a] + 1e-5)) - value_at(replace(at, a,
    at[a] - 1e-5))) / 2e-5, double(8L))
  expected <- sqrt(rowSums((slopes %*% fit$interval_vcov[own, own]) * slopes))
  expect_equal(c(found$x_error, found$warp1_error), expected, tolerance = 1e-5)
  step <- 1e-4
  near <- warped_coordinates(fit, transform(data[1:4, ], x = x + step))
  expect_equal((near$x - found$x) / step, found$x_slope, tolerance = 1e-2)
  expect_true(all(found$x_slope > 0))
})
