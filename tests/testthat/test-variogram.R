small_field <- function(n = 150, seed = 21) {
  set.seed(seed)
  coords <- cbind(x = runif(n, 0, 10), y = runif(n, 0, 6))
  list(coords = coords, values = sin(coords[, 1]) + rnorm(n, sd = 0.3))
}

# The definition, pair by pair.
by_definition <- function(values, coords, cutoff, width, estimator, keep = function(dx, dy) TRUE) {
  sums <- list()
  n <- length(values)
  for (i in seq_len(n - 1)) for (j in (i + 1):n) {
    delta <- coords[i, ] - coords[j, ]
    h <- sqrt(sum(delta^2))
    if (h > cutoff || !keep(delta[1], delta[2])) next
    class <- as.character(max(1, ceiling(h / width)))
    sums[[class]] <- rbind(sums[[class]], c(h, abs(values[i] - values[j])))
  }
  sums <- sums[order(as.numeric(names(sums)))]
  gamma <- vapply(sums, function(s) {
    if (estimator == "classical") mean(s[, 2]^2) / 2 else mean(sqrt(s[, 2]))^4 / (0.457 + 0.494 / nrow(s)) / 2
  }, 0)
  data.frame(distance = vapply(sums, function(s) mean(s[, 1]), 0), gamma = gamma, n_pairs = vapply(sums, nrow, 0L),
             row.names = NULL)
}

test_that("both estimators are those of their definition", {
  field <- small_field()
  for (estimator in c("classical", "robust")) {
    v <- empirical_variogram(field$values, field$coords, cutoff = 3, width = 0.4, estimator = estimator)
    expect_equal(as.data.frame(v)[c("distance", "gamma", "n_pairs")],
                 by_definition(field$values, field$coords, 3, 0.4, estimator), ignore_attr = TRUE)
    expect_true(all(is.na(v$direction)))
  }
})

test_that("directions count clockwise from north", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords, cutoff = 3, width = 1, directions = 30, tolerance = 20)
  keep <- function(dx, dy) {
    angle <- (90 - atan2(dy, dx) * 180 / pi) %% 180
    min(abs(angle - 30), 180 - abs(angle - 30)) <= 20
  }
  expect_equal(as.data.frame(v)[c("distance", "gamma", "n_pairs")],
               by_definition(field$values, field$coords, 3, 1, "classical", keep), ignore_attr = TRUE)
  expect_equal(unique(v$direction), 30)
})

test_that("sampled pairs are distinct, close enough and reproducible", {
  field <- small_field(3000)
  set.seed(1)
  pairs <- close_pairs(field$coords, cutoff = 2, max_pairs = 50000)
  set.seed(1)
  expect_identical(pairs, close_pairs(field$coords, cutoff = 2, max_pairs = 50000))
  expect_false(anyDuplicated(cbind(pmin(pairs$i, pairs$j), pmax(pairs$i, pairs$j))) > 0)
  expect_true(all(pairs$i != pairs$j))
  expect_true(all(pairs$distance <= 2))
  expect_equal(pairs$distance, sqrt(rowSums((field$coords[pairs$i, ] - field$coords[pairs$j, ])^2)))
  # Short distances are well represented: all pairs below 0.1 are a share of 0.0005.
  expect_gt(mean(pairs$distance < 0.1), 0.02)
})

test_that("a sample of the pairs estimates the variogram of all", {
  field <- small_field(2500)
  all <- empirical_variogram(field$values, field$coords, cutoff = 3, max_pairs = 1e7)
  set.seed(2)
  some <- empirical_variogram(field$values, field$coords, cutoff = 3, max_pairs = 2e5)
  expect_lt(sum(some$n_pairs), 3e5)
  # The relative standard error of a class of N nearly independent pairs is sqrt(2 / N).
  expect_true(all(abs(some$gamma / all$gamma - 1) < 0.12))
})

test_that("repeated locations belong to the first class", {
  v <- empirical_variogram(c(1, 3, 2, 5), cbind(c(0, 0, 1, 5), 0), cutoff = 2, width = 2)
  expect_equal(v$n_pairs, 3)
  expect_equal(v$gamma, mean(c(4, 1, 1)) / 2)
})

test_that("longitude and latitude give kilometres", {
  set.seed(3)
  lonlat <- cbind(runif(100, 10, 11), runif(100, 50, 51))
  v <- empirical_variogram(rnorm(100), lonlat, longlat = TRUE)
  expect_equal(attr(v, "unit"), "km")
  expect_gt(max(v$distance), 30)
  expect_error(empirical_variogram(rnorm(100), lonlat, longlat = TRUE, directions = 0), "planar", class = "neargp_error_argument")
})

test_that("wrong input is refused with its reason", {
  field <- small_field(50)
  expect_error(empirical_variogram(field$values[-1], field$coords), "49 values.*50 locations", class = "neargp_error_length")
  expect_error(empirical_variogram(replace(field$values, 7, NA), field$coords), "row 7", class = "neargp_error_missing")
  expect_error(empirical_variogram(field$values, field$coords, cutoff = 1e-9), "closer than `cutoff`", class = "neargp_error_variogram")
  expect_error(empirical_variogram(field$values, field$coords, width = 0), "`width`", class = "neargp_error_argument")
  expect_error(empirical_variogram(field$values, field$coords, directions = "N"), "degrees", class = "neargp_error_argument")
  expect_error(empirical_variogram(field$values, field$coords, cutoff = 1, directions = 0, tolerance = 1e-6), "Increase `tolerance`",
               class = "neargp_error_variogram")
})

test_that("print and plot work", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords)
  expect_output(print(v), "classical estimator")
  expect_output(print(v[c("distance", "gamma")]), "gamma")
  withr::local_pdf(NULL)
  expect_invisible(plot(v))
  expect_invisible(plot(empirical_variogram(field$values, field$coords, directions = c(0, 45, 90, 135))))
})
