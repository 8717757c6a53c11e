# The probability that all responses of a joint fit exceed their thresholds.

test_that("two Gaussian responses: the bivariate normal probability, by quadrature", {
  set.seed(4)
  d <- data.frame(x = runif(60), y = runif(60))
  d$a <- sin(6 * d$x) + rnorm(60, sd = 0.3)
  d$b <- sin(6 * d$x) + cos(5 * d$y)
  d$b[1:20] <- NA
  B <- matrix(c(1, 0.8, 0.8, 2), 2L)
  fit <- neargp(list(a ~ 1, b ~ 1), d, coords = ~ x + y, nugget = list(0.1, 0.2),
    covariance = cov_coregionalisation(cov_exponential(range = 0.3), matrices = list(B)),
    method = vnngp(k = 20))
  at <- data.frame(x = c(0.5, 2), y = c(0.4, 2))
  limits <- c(a = 0.3, b = 0.1)
  both <- predict(fit, at, threshold = limits, exceedance = "all")
  moments <- predict(fit, at, type = "link", covariance = TRUE)
  normal <- function(i, noise) {
    mean <- c(moments$mean_a[i], moments$mean_b[i])
    V <- attr(moments, "covariance")[i, , ] + diag(noise)
    given_a <- function(a) {
      center <- mean[2L] + V[1L, 2L] / V[1L, 1L] * (a - mean[1L])
      pnorm(limits[2L], center, sqrt(V[2L, 2L] - V[1L, 2L]^2 / V[1L, 1L]), lower.tail = FALSE) *
        dnorm(a, mean[1L], sqrt(V[1L, 1L]))
    }
    integrate(given_a, limits[1L], mean[1L] + 10 * sqrt(V[1L, 1L]), rel.tol = 1e-8)$value
  }
  expected <- vapply(1:2, normal, 0, noise = c(0.1, 0.2))
  expect_true(all(abs(both$p_exceed_all - expected) < 4 * both$se_exceed_all + 1e-6))
  expect_true(all(both$se_exceed_all < 3e-3))
  of_mean <- predict(fit, at, threshold = limits, exceedance = "all", threshold_of = "mean")
  expected <- vapply(1:2, normal, 0, noise = c(0, 0))
  expect_equal(of_mean$p_mean_exceed_all, expected, tolerance = 1e-3)
  expect_true(all(of_mean$se_mean_exceed_all < 5e-4))
  expect_identical(predict(fit, at, threshold = limits, exceedance = "all"), both)
})

test_that("probabilities beyond limits: closed forms of three normal variables", {
  uniform <- shifted_lattices(3L, 12L, 128L)
  # one half of each, with correlations r: 1/8 + the sum of arcsin(r) / (4 pi)
  R <- matrix(c(1, 0.3, -0.2, 0.3, 1, 0.5, -0.2, 0.5, 1), 3L)
  expect_equal(mean(beyond_limits(double(3), R, double(3), uniform)),
    1 / 8 + sum(asin(c(0.3, -0.2, 0.5))) / (4 * pi), tolerance = 5e-3)
  # the same variable three times, and limits without end
  expect_equal(mean(beyond_limits(c(1, 1, 1), matrix(4, 3L, 3L), c(0, 2, 1), uniform)),
    pnorm(2, 1, 2, lower.tail = FALSE), tolerance = 1e-2)
  expect_equal(mean(beyond_limits(double(3), R, c(-Inf, -Inf, 0), uniform)), 0.5, tolerance = 5e-3)
  expect_identical(mean(beyond_limits(double(3), R, c(Inf, 0, 0), uniform)), 0)
})

test_extended("counts and presence: the share of joint draws, and missing rows", {
  set.seed(5)
  d <- data.frame(x = runif(100), y = runif(100))
  d$count <- rpois(100, exp(sin(6 * d$x)))
  d$present <- rbinom(100, 1, plogis(2 * sin(6 * d$x)))
  fit <- neargp(list(count ~ x, present ~ 1), d, coords = ~ x + y,
    family = list(poisson(), binomial()), method = vnngp(k = 10))
  at <- data.frame(x = c(0.2, 0.5, NA), y = 0.5)
  found <- predict(fit, at, threshold = c(1, 0), exceedance = "all")
  drawn <- as.matrix(simulate(fit, 20000, seed = 1, newdata = at[1:2, ]))
  all <- drawn[, grepl("_count$", colnames(drawn))] > 1 &
    drawn[, grepl("_present$", colnames(drawn))] > 0
  expect_equal(found$p_exceed_all[1:2], unname(rowMeans(all)), tolerance = 0.03)
  expect_identical(is.na(found$p_exceed_all), c(FALSE, FALSE, TRUE))
  expect_equal(found$p_exceed_present[1:2], predict(fit, at, outputs = "present")$mean_present[1:2])
  # of one response alone it is its own probability
  one <- predict(fit, at[1:2, ], outputs = "count", threshold = 1, exceedance = "all")
  expect_equal(one$p_exceed_all, one$p_exceed_count, tolerance = 1e-3)
  for (wrong in list(list(exceedance = "all"), list(threshold_of = "mean"),
    list(exceedance = "all", threshold = 1, use_observed = TRUE),
    list(type = "factor", threshold = 1), list(exceedance = "some", threshold = 1))) {
    expect_error(do.call(predict, c(list(fit, at), wrong)), class = "neargp_error_argument")
  }
})

test_that("cells of a raster are predicted and drawn as rows of a data frame are", {
  skip_if_not_installed("terra")
  set.seed(6)
  d <- data.frame(x = runif(60), y = runif(60), z = rnorm(60))
  d$count <- rpois(60, exp(sin(6 * d$x)))
  d$level <- sin(6 * d$x) + d$z + rnorm(60, sd = 0.2)
  fit <- neargp(list(count ~ 1, level ~ z), d, coords = ~ x + y, family = list(poisson(),
    gaussian()), method = vnngp(k = 8))
  cells <- terra::rast(nrows = 3, ncols = 2, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "",
    nlyrs = 2, vals = cbind(c(1, 0, NA, 2, 3, 4), 1), names = c("z", "other"))
  rows <- cbind(as.data.frame(terra::crds(cells, na.rm = FALSE)), terra::values(cells))
  layers <- predict(fit, cells, threshold = c(1, 0), exceedance = "all")
  expect_equal(as.data.frame(terra::values(layers)), predict(fit, rows, threshold = c(1, 0),
    exceedance = "all"), ignore_attr = TRUE)
  expect_equal(as.data.frame(terra::values(predict(fit, cells, type = "factor"))), predict(fit,
    rows, type = "factor"), ignore_attr = TRUE)
  expect_equal(as.data.frame(terra::values(simulate(fit, 2, seed = 1, newdata = cells))),
    simulate(fit, 2, seed = 1, newdata = rows), ignore_attr = TRUE)
})

test_extended("covariates of family parameters count in the probability that all exceed", {
  set.seed(6)
  d <- data.frame(x = runif(120), y = runif(120), depth = rnorm(120))
  d$count <- rpois(120, exp(1 + sin(6 * d$x))) * rbinom(120, 1, plogis(-2 * d$depth))
  d$amount <- rgamma(120, 3, 3 / exp(sin(6 * d$x)))
  fit <- neargp(list(count ~ 1, amount ~ 1), d, coords = ~ x + y, method = vnngp(k = 8),
    family = list(zi_poisson(zi = ~ depth), Gamma("log")))
  at <- data.frame(x = 0.5, y = 0.5, depth = c(-1.5, 1.5, NA))
  found <- predict(fit, at, threshold = c(0, 0.5), exceedance = "all")$p_exceed_all
  drawn <- as.matrix(simulate(fit, 20000, seed = 1, newdata = at[1:2, ]))
  share <- rowMeans(drawn[, 1:20000] > 0 & drawn[, -(1:20000)] > 0.5)
  expect_lt(max(abs(found[1:2] - share)), 4 * sqrt(0.25 / 20000))
  expect_gt(found[1L] - found[2L], 0.2)
  expect_true(is.na(found[3L]))
})

test_that("a probability that all exceed is at most that of each, in any order of responses", {
  R <- matrix(c(1, 0.95, 0.95, 1), 2L)
  uniform <- shifted_lattices(2L, 12L, 128L)
  one <- mean(beyond_limits(c(0, 2), R, c(2.8, 0), uniform))
  expect_equal(one, mean(beyond_limits(c(2, 0), R, c(0, 2.8), uniform)))
  expect_equal(one, pnorm(-2.8), tolerance = 1e-6)
})
