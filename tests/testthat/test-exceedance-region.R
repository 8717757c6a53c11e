# Joint exceedance against probabilities of dense multivariate normal distributions.

region_cells <- function(side = 4L) {
  at <- (seq_len(side) - 0.5) / side
  transform(expand.grid(x = at, y = at), height = sin(seq_len(side^2)))
}

# The excursion function by its definition: P(all cells up to this one are on their side).
dense_excursions <- function(mean, covariance, limit, above) {
  side <- ifelse(above, 1, -1)
  own <- pnorm(side * (mean - limit) / sqrt(diag(covariance)))
  order <- order(own, decreasing = TRUE)
  joint <- vapply(seq_along(order), function(j) {
    first <- order[seq_len(j)]
    flipped <- outer(side[first], side[first]) * covariance[first, first, drop = FALSE]
    set.seed(1)
    as.double(mvtnorm::pmvnorm(lower = rep(0, j), upper = rep(Inf, j),
      mean = side[first] * (mean[first] - limit), sigma = flipped))
  }, 0)
  replace(double(length(mean)), order, joint)
}

test_that("regions of a Gaussian response are those of the multivariate normal distribution", {
  skip_if_not_installed("mvtnorm")
  fit <- neargp(z ~ height, area_data(60L), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 0.8, range = 0.3), nugget = 0.1)
  cells <- region_cells()
  dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(cells[c("x", "y")]),
    cbind(1, cells$height))
  limit <- stats::median(dense$mean)
  for (type in c("above", "below", "contour")) {
    found <- exceedance_region(fit, cells, limit, type = type, level = 0.8, draws = 10000, seed = 1,
      parameters = "plug-in")
    expect_named(found, c("p_exceed", "joint", "region"))
    own <- pnorm((dense$mean - limit) / sqrt(diag(dense$covariance)))
    expect_equal(found$p_exceed, drop(own), tolerance = 1e-6, ignore_attr = TRUE)
    above <- switch(type, above = rep(TRUE, 16), below = rep(FALSE, 16), contour = own > 0.5)
    joint <- dense_excursions(drop(dense$mean), dense$covariance, limit, above)
    # four standard errors of 10,000 draws
    expect_lt(max(abs(found$joint - joint)), 0.02)
    expect_identical(as.character(found$region),
      ifelse(found$joint >= 0.8, ifelse(above, "above", "below"), "uncertain"))
  }
})

test_that("a limit of counts is that of their linear predictor", {
  skip_if_not_installed("mvtnorm")
  fit <- neargp(count ~ height, area_data(60L), coords = ~ x + y, family = poisson(),
    method = vnngp(k = 20), covariance = cov_exponential(variance = 0.7, range = 0.3))
  cells <- region_cells()
  precision <- fit$posterior$pseudo_precision
  observed <- fit$posterior$linear_predictor + fit$posterior$slope / precision
  eta <- dense_field_at(fit, as.matrix(cells[c("x", "y")]), cbind(1, cells$height), precision,
    observed, jitter = 0.7e-6)
  limit <- exp(stats::median(eta$mean))
  found <- exceedance_region(fit, cells, limit, draws = 10000, seed = 1, k = 500,
    parameters = "plug-in")
  joint <- dense_excursions(drop(eta$mean), eta$covariance, log(limit), rep(TRUE, 16))
  expect_lt(max(abs(found$joint - joint)), 0.02)
  # the same fit and limit through draws of simulate()
  draws <- as.matrix(simulate(fit, 4000, seed = 2, newdata = cells, type = "link"))
  expect_lt(max(abs(found$p_exceed - rowMeans(draws > log(limit)))), 0.05)
})

test_extended("limits beyond all values, missing cells, integrated parameters and sf points are handled", {
  data <- area_data(40L)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp())
  cells <- region_cells()
  for (parameters in c("plug-in", "integrated")) {
    region <- function(limit, ...) {
      exceedance_region(fit, cells, limit, draws = 200, seed = 1, parameters = parameters, ...)
    }
    expect_true(all(region(-1e6)$region == "above"))
    expect_true(all(region(1e6)$joint == 0))
    expect_true(all(region(1e6, type = "below")$region == "below"))
    expect_true(all(region(0)$joint <= region(0)$p_exceed + 0.15))
  }
  found <- exceedance_region(fit, replace(cells, cbind(2, 3), NA), 0, draws = 50)
  expect_identical(which(is.na(found$joint)), 2L)
  expect_identical(which(is.na(found$region)), 2L)
  expect_identical(nrow(exceedance_region(fit, cells[0, ], 0)), 0L)
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  expect_equal(exceedance_region(counts, cells, -1, draws = 50)$p_exceed, rep(1, nrow(cells)),
    tolerance = 1e-12)
  expect_error(exceedance_region(fit, cells, "high"), class = "neargp_error_argument")
  expect_error(exceedance_region(fit, cells, 0, type = "near"), class = "neargp_error_argument")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data, coords = c("x", "y"))
  spatial <- neargp(z ~ 1, points, method = vecchia(k = 8), distance = "euclidean")
  expect_s3_class(exceedance_region(spatial, points[1:3, ], 0, draws = 50), "sf")
})
