# Neighbours and orders in space and time against all correlations in plain R.

space_time_component <- function(covariance, coords) {
  data <- data.frame(x = coords[, 1L], y = coords[, 2L], day = coords[, 3L], z = coords[, 1L])
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, covariance = covariance, nugget = 0.1,
    method = vecchia(k = 1))
  metric_component(fit$core_covariance)
}

searched_covariances <- list(
  cov_spacetime(cov_matern(1.5, 0.8, c(0.25, 0.4)), cov_exponential(), "separable"),
  cov_spacetime(cov_matern(0.8, 0.8, c(0.4, 2)), alpha = 0.7, beta = 0.5) +
    cov_exponential(0.3, c(0.2, 1)),
  cov_spacetime(cov_exponential(0.8, 0.2, anisotropy = c(ratio = 0.4, angle = 30)),
    cov_matern(1.5, range = 2), "product_sum", shares = c(product = 0.6, space = 0.1, time = 0.3)),
  # correlations of most pairs are zero as numbers
  cov_spacetime(cov_gaussian(1, c(1e-4, 1e-3)), cov_gaussian(), "separable"))

searched_designs <- function() {
  set.seed(1)
  stations <- cbind(runif(20), runif(20))
  list(stations = cbind(stations[rep(1:20, 15), ], rep(1:15, each = 20) / 8),
    scattered = cbind(runif(300), runif(300), runif(300, 0, 2)),
    lattice = as.matrix(expand.grid(1:6, 1:6, 1:8)) / 8)
}

# The rows among `eligible` in the order of their correlation with row i, then of their distance
# where there is none.
expect_nearest <- function(found, correlation, distance, eligible) {
  found <- as.matrix(found)
  k <- nrow(found)
  nearness <- function(i, rows) {
    ifelse(correlation[i, rows] > 1e-200, -correlation[i, rows], distance[i, rows])
  }
  targets <- seq_len(ncol(found))
  expected <- vapply(targets, function(i) sort(nearness(i, eligible(i)))[seq_len(k)], double(k))
  expect_true(all(vapply(targets, function(i) {
    own <- found[!is.na(found[, i]), i]
    all(own %in% eligible(i)) && !anyDuplicated(own)
  }, NA)))
  got <- vapply(targets, function(i) nearness(i, found[!is.na(found[, i]), i])[seq_len(k)],
    double(k))
  expect_equal(got, expected, tolerance = 1e-10)
}

test_extended("neighbours are the rows of the largest correlation, on any number of threads", {
  designs <- searched_designs()
  covariances <- searched_covariances
  if (!is_extended()) designs <- designs[1L]
  for (coords in designs) for (covariance in covariances) {
    n <- nrow(coords)
    component <- space_time_component(covariance, coords)
    lags <- search_lags(component)
    correlation <- dense_covariance(coords, coords, component$field$covariance)
    scaled <- core_scale(coords, component)
    distance <- as.matrix(dist(scaled))
    order <- sample(n)
    rank <- order(order)
    search <- list(
      before = function(threads) core_neighbors_before(scaled, order, 9L, test_context(threads),
        lags),
      others = function(threads) core_neighbors_others(scaled, 9L, test_context(threads), lags),
      to = function(threads) core_index_nearest(core_index(coords, component, lags), coords, 9L,
        test_context(threads)),
      joint = function(threads) core_neighbors_joint(scaled[1:200, ], scaled[201:n, ], 1:(n - 200L),
        9L, test_context(threads), lags))
    eligible <- list(before = function(i) which(rank < rank[i]),
      others = function(i) setdiff(seq_len(n), i), to = function(i) seq_len(n),
      joint = function(i) seq_len(199L + i))
    for (kind in names(search)) {
      found <- search[[kind]](1L)
      expect_identical(as.matrix(search[[kind]](3L)), as.matrix(found))
      rows <- if (kind == "joint") 201:n else seq_len(n)
      expect_nearest(found, correlation[rows, ], distance[rows, ], eligible[[kind]])
    }
  }
})

test_that("equal correlations are ordered by the row", {
  coords <- cbind(rep(c(0, 1, -1, 0, 0), 2), rep(c(0, 0, 0, 1, -1), 2), rep(0:1, each = 5))
  component <- space_time_component(cov_spacetime(cov_exponential(1, c(1, 1)), cov_exponential(),
    "separable"), coords)
  found <- as.matrix(core_neighbors_others(core_scale(coords, component), 5L, test_context(),
    search_lags(component)))
  expect_identical(found[, 1L], c(2L, 3L, 4L, 5L, 6L))
})

# ---- what an approximation loses -----------------------------------------------------------------

# The divergence from the exact density: half of the sum of log conditional variances less the log
# determinant.
divergence <- function(covariance, neighbors) {
  conditional <- vapply(seq_len(ncol(neighbors)), function(i) {
    rows <- neighbors[!is.na(neighbors[, i]), i]
    if (!length(rows)) return(covariance[i, i])
    weights <- solve(covariance[rows, rows, drop = FALSE], covariance[rows, i])
    covariance[i, i] - sum(weights * covariance[rows, i])
  }, 0)
  (sum(log(conditional)) - as.numeric(determinant(covariance)$modulus)) / 2
}

# The first k by `score` among the rows before.
nearest_by <- function(score, order, k) {
  neighbors <- matrix(NA_integer_, k, length(order))
  for (i in seq_along(order)[-1L]) {
    before <- order[seq_len(i - 1L)]
    nearest <- before[order(score[before, order[i]])]
    neighbors[seq_len(min(k, i - 1L)), order[i]] <- nearest[seq_len(min(k, i - 1L))]
  }
  neighbors
}

farthest_first <- function(distance) {
  order <- which.min(colSums(distance))
  reach <- distance[, order]
  while (length(order) < nrow(distance)) {
    reach[order] <- -1
    order <- c(order, which.max(reach))
    reach <- pmin(reach, distance[, order[length(order)]])
  }
  order
}

lossy_design <- function(design) {
  if (design == "scattered") return(cbind(runif(1200), runif(1200), runif(1200, 0, 2)))
  stations <- cbind(runif(60), runif(60))
  coords <- cbind(stations[rep(1:60, 20), ], rep(1:20, each = 60) / 10)
  if (design == "gaps") coords[runif(1200) < 0.6, ] else coords
}

test_extended("the order is within 12% of the best of five at k = 30", {
  cases <- expand.grid(range = c(2, 0.3), noise = c(1e-6, 0.1), nu = c(1.5, 0.5),
    design = c("gaps", "stations", "scattered"))
  if (!is_extended()) cases <- cases[c(1L, 3L), ]
  set.seed(1)
  for (case in split(cases, seq_len(nrow(cases)))) {
    coords <- lossy_design(case$design)
    n <- nrow(coords)
    component <- space_time_component(cov_spacetime(cov_matern(case$nu, 1, c(0.25, case$range)),
      cov_exponential(), "separable"), coords)
    component$field$covariance$nugget <- case$noise
    field <- dense_covariance(coords, coords, component$field$covariance)
    loss <- function(neighbors) divergence(field + diag(case$noise, n), neighbors)
    distance <- as.matrix(dist(sweep(coords, 2L, c(0.25, 0.25, case$range), "/")))
    maxmin <- farthest_first(distance)
    by_time <- order(coords[, 3L], sample(n))
    others <- c(loss(nearest_by(distance, maxmin, 30L)), loss(nearest_by(-field, maxmin, 30L)),
      loss(nearest_by(-field, farthest_first(1 - field), 30L)),
      loss(nearest_by(-field, by_time, 30L)), loss(nearest_by(-field, sample(n), 30L)))
    problem <- list(data = list(coords = coords, weights = rep(1, n)), context = test_context())
    found <- loss(as.matrix(neighbors_before(problem, component, 30L, "auto", 0)))
    expect_lt(found, 1.12 * min(others))
  }
})

test_that("an ordering that is named is taken, and without cov_spacetime() it is maxmin", {
  data <- space_time_data(8, 5)
  value <- function(...) c(logLik(neargp(z ~ height, data, coords = ~ x + y, nugget = 0.1,
    time = ~ day, ...)))
  metric <- cov_matern(1.5, 1, c(0.4, 2))
  expect_identical(value(covariance = metric, method = vecchia(k = 4)),
    value(covariance = metric, method = vecchia(k = 4, ordering = "maxmin")))
  apart <- cov_spacetime(metric, cov_exponential(), "separable")
  values <- vapply(c("auto", "maxmin", "coordinate"), function(ordering) value(covariance = apart,
    method = vecchia(k = 4, ordering = ordering)), 0)
  expect_false(values[["maxmin"]] == values[["coordinate"]])
  expect_true(all(is.finite(values)))
})

test_extended("by default few rows are all conditioned on, and 192 neighbours of more", {
  predictions <- function(places, times) {
    data <- space_time_data(places, times)
    target <- transform(space_time_data(6, 4, seed = 2), day = day + 0.5)
    covariance <- cov_spacetime(cov_matern(1.5, 0.8, c(0.25, 6)), cov_exponential(), "separable")
    fit_by <- function(method) neargp(z ~ height, data, coords = ~ x + y, time = ~ day,
      covariance = covariance, nugget = 0.1, method = method)
    dense <- predict(fit_by(exact_gp()), target, type = "link")
    fit <- fit_by(vecchia())
    found <- predict(fit, target, type = "link")
    list(mean = sqrt(mean(((found$mean - dense$mean) / dense$sd)^2)),
      sd = max(abs(found$sd / dense$sd - 1)), fit = fit, target = target)
  }
  few <- predictions(50, 12)
  expect_lt(few$mean, 0.03)
  expect_lt(few$sd, 0.003)
  more <- predictions(90, 12)
  expect_lt(more$mean, 0.08)
  expect_lt(more$sd, 0.02)
  expect_identical(predict(more$fit, more$target), predict(more$fit, more$target, k = 192L))
})
