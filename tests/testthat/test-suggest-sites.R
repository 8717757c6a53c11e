# Sites to measure, against universal kriging from the data with each candidate added.

site_data <- function() {
  data <- area_data(40L)
  list(data = data, fit = neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 0.8, range = 0.3), nugget = 0.1))
}

candidates_of_sites <- function(m = 12L) {
  set.seed(8)
  data.frame(x = stats::runif(m), y = stats::runif(m), height = stats::rnorm(m))
}

# Variances at targets once some locations, rows of `sites`, are measured: what they say is of no
# matter.
variance_with <- function(fit, sites, targets) {
  data <- list(coords = rbind(fit$data$coords, as.matrix(sites[c("x", "y")])),
    X = rbind(fit$data$X, cbind(1, sites$height)), y = c(fit$data$y, 0 * sites$x),
    offset = 0, weights = rep(1, length(fit$data$y) + nrow(sites)))
  dense_krige(data, fit$core_covariance, fit$nugget, as.matrix(targets[c("x", "y")]),
    cbind(1, targets$height))
}

test_extended("each site is the one that leaves the least mean variance", {
  fit <- site_data()$fit
  candidates <- candidates_of_sites()
  targets <- data.frame(x = stats::runif(30), y = stats::runif(30), height = stats::rnorm(30))
  found <- suggest_sites(fit, candidates, n = 3, targets = targets)
  expect_equal(found[c("x", "y", "height")], candidates[found$row, ], ignore_attr = TRUE)
  chosen <- integer(0)
  for (step in 1:3) {
    left <- setdiff(1:12, chosen)
    values <- vapply(left, function(site) {
      mean(variance_with(fit, candidates[c(chosen, site), ], targets)$variance)
    }, 0)
    chosen <- c(chosen, left[which.min(values)])
    expect_identical(found$row[step], chosen[step])
    expect_equal(found$criterion[step], min(values), tolerance = 1e-8)
  }
  before <- mean(predict(fit, targets, type = "link")$sd^2)
  expect_equal(found$reduction, 1 - found$criterion / before, tolerance = 1e-8)
  # of means over areas, and from the sparse posterior
  polygons <- sf::st_sf(height = 0, geometry = unit_squares(2L))
  points <- area_points(sf::st_geometry(polygons), fit, NULL)
  A <- averaging(points$area)
  at <- data.frame(x = points$xy[, 1L], y = points$xy[, 2L], height = 0)
  of_areas <- vapply(1:12, function(site) {
    mean(diag(A %*% variance_with(fit, candidates[site, ], at)$covariance %*% t(A)))
  }, 0)
  measured <- suggest_sites(fit, candidates, targets = polygons)
  expect_identical(measured$row, which.min(of_areas))
  expect_equal(measured$criterion, min(of_areas), tolerance = 1e-8)
  sparse <- suggest_sites(fit, candidates, n = 3, targets = targets, k = 500)
  expect_identical(sparse$row, found$row)
  expect_equal(sparse$criterion, found$criterion, tolerance = 1e-4)
})

test_that("uncertainty of exceedance is its expectation over what may be measured", {
  fit <- site_data()$fit
  candidates <- candidates_of_sites(5L)
  targets <- candidates_of_sites(20L)[-(1:5), ]
  threshold <- 5.5
  now <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(targets[c("x", "y")]),
    cbind(1, targets$height))
  # E p (1 - p), p = pnorm((m + s Z - threshold) / sqrt(v - s^2))
  expected <- vapply(1:5, function(site) {
    after <- variance_with(fit, candidates[site, ], targets)$variance
    mean(mapply(function(m, v, left) {
      stats::integrate(function(Z) {
        p <- stats::pnorm((m + sqrt(v - left) * Z - threshold) / sqrt(left))
        p * (1 - p) * stats::dnorm(Z)
      }, -9, 9, rel.tol = 1e-10)$value
    }, now$mean, now$variance, after))
  }, 0)
  found <- suggest_sites(fit, candidates, targets = targets, criterion = "exceedance",
    threshold = threshold)
  expect_identical(found$row, which.min(expected))
  expect_equal(found$criterion, min(expected), tolerance = 1e-7)
})

test_that("sites that cannot be suggested are classed errors", {
  fit <- site_data()$fit
  candidates <- candidates_of_sites(5L)
  expect_error(suggest_sites(fit), "candidates", class = "neargp_error_argument")
  expect_error(suggest_sites(fit, candidates, n = 6), "`n`", class = "neargp_error_argument")
  expect_error(suggest_sites(fit, candidates, criterion = "exceedance"), "threshold",
    class = "neargp_error_argument")
  expect_error(suggest_sites(fit, transform(candidates, height = NA_real_)), "row",
    class = "neargp_error_missing_values")
  expect_error(suggest_sites(fit, candidates[rep(1:5, 1200), ]), "5,000",
    class = "neargp_error_size")
  counts <- neargp(count ~ 1, area_data(40L), coords = ~ x + y, family = poisson(),
    method = vnngp(k = 10), covariance = cov_exponential(variance = 0.5, range = 0.3))
  expect_error(suggest_sites(counts, candidates), "Gaussian", class = "neargp_error_family")
  points <- sf::st_as_sf(area_data(40L), coords = c("x", "y"), crs = 32633)
  of_sf <- neargp(z ~ 1, points, method = vecchia(k = 10), nugget = 0.1,
    covariance = cov_exponential(variance = 0.8, range = 0.3))
  expect_s3_class(suggest_sites(of_sf, points, n = 2), "sf")
})
