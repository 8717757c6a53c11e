start_settings <- function(...) {
  utils::modifyList(utils::modifyList(deep_defaults(),
    list(inducing = 12L, width = 3L, sites = 4L)), list(...))
}

start_data <- function(n = 200L, dim = 4L) {
  set.seed(5)
  list(x = matrix(rnorm(n * dim), n) %*% diag(seq_len(dim)), y = rnorm(n))
}

test_that("hidden units have a standard deviation of 1, in every layer", {
  data <- start_data()
  state <- deep_start(data$x, data$y, start_settings(layers = 3L, skip = "both"), 1)
  first <- hidden_means(state$layers[[1L]]$units, data$x)
  second <- hidden_means(state$layers[[2L]]$units, cbind(first, data$x))
  expect_equal(apply(first, 2L, sd), rep(1, 3), tolerance = 1e-12)
  expect_equal(apply(second, 2L, sd), rep(1, 3), tolerance = 1e-12)
  expect_equal(lengths(lapply(state$layers, function(layer) layer$units[[1L]]$range)),
    c(4L, 7L, 3L))
  expect_true(all(vapply(state$layers[[3L]]$units, function(unit) length(unit$weights), 0L) == 0L))
})

test_that("a start depends on its key alone and leaves R's random numbers alone", {
  data <- start_data()
  set.seed(1)
  before <- .Random.seed
  one <- deep_start(data$x, data$y, start_settings(), 1)
  expect_identical(.Random.seed, before)
  set.seed(2)
  expect_identical(deep_start(data$x, data$y, start_settings(), 1), one)
  other <- deep_start(data$x, data$y, start_settings(), 2)
  expect_false(identical(other$layers[[1L]]$units[[1L]]$weights,
    one$layers[[1L]]$units[[1L]]$weights))
  expect_false(identical(other$sites, one$sites))
})

test_that("inducing points are distinct, and no more than there are distinct rows", {
  data <- start_data()
  few <- list(x = data$x[rep(1:7, each = 20), ], y = rnorm(140))
  unit <- deep_start(few$x, few$y, start_settings(), 1)$layers[[1L]]$units[[1L]]
  expect_equal(nrow(unit$positions), 7L)
  many <- deep_start(data$x[c(1:200, rep(1L, 500)), ], rnorm(700), start_settings(), 1)
  for (layer in many$layers) expect_equal(anyDuplicated(layer$units[[1L]]$positions), 0L)
})

test_that("sites are spread and weights equal, or those of Gauss and Hermite", {
  data <- start_data()
  free <- deep_start(data$x, data$y, start_settings(), 1)
  expect_equal(colMeans(free$sites[[1L]]), double(3), tolerance = 1e-12)
  expect_equal(apply(free$sites[[1L]], 2L, function(t) length(unique(t))), rep(4L, 3L))
  expect_equal(exp(free$log_weights), rep(0.25, 4))
  rule <- normal_quadrature(3L)
  expect_equal(rule$nodes, c(-1, 0, 1) * sqrt(3))
  expect_equal(rule$weights, c(1, 4, 1) / 6)
  five <- normal_quadrature(5L)
  for (power in 1:4) expect_equal(sum(five$weights * five$nodes^(2 * power)),
    prod(seq(1, 2 * power - 1, 2)))
  grid <- deep_start(data$x, data$y, start_settings(rule = "hermite", layers = 3L, width = 2L,
    sites = 3L), 1)
  expect_length(grid$log_weights, 3^4)
  expect_equal(sum(exp(grid$log_weights)), 1)
})

test_that("the grid's weights are those of its sites", {
  data <- start_data()
  state <- deep_start(data$x, data$y, start_settings(rule = "hermite", width = 2L, sites = 3L), 1)
  sites <- dense_sites(state)[[1L]]
  density <- log(normal_quadrature(3L)$weights)[match(round(sites, 6),
    round(normal_quadrature(3L)$nodes, 6))]
  expect_equal(state$log_weights, rowSums(matrix(density, 9L)))
})
