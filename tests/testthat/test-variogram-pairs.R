test_extended("sampled pairs are distinct, close enough and reproducible", {
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

test_extended("a sample of the pairs estimates the variogram of all", {
  field <- small_field(2500)
  all <- empirical_variogram(field$values, field$coords, cutoff = 3, max_pairs = 1e7)
  set.seed(2)
  some <- empirical_variogram(field$values, field$coords, cutoff = 3, max_pairs = 2e5)
  expect_lt(sum(some$n_pairs), 3e5)
  # The relative standard error of a class of N nearly independent pairs is sqrt(2 / N).
  expect_true(all(abs(some$gamma / all$gamma - 1) < 0.12))
})

# Neighbours of rows in sparse areas are far, and beyond those of the other rows they had been all
# pairs of their distances.
test_that("sampled pairs of a distance are those of dense and sparse areas alike", {
  n <- 1500
  withr::local_seed(3)
  is_dense <- seq_len(n) <= 2 * n / 3
  coords <- matrix(runif(2 * n), n) * ifelse(is_dense, 0.5, 1)
  coords[!is_dense, 1] <- coords[!is_dense, 1] + 0.5
  values <- rnorm(n) * ifelse(is_dense, 1, 3)
  of <- function(max_pairs) {
    table <- empirical_variogram(values, coords, cutoff = 0.3, max_pairs = max_pairs)
    table$gamma[table$distance < 0.2]
  }
  all <- of(1e7)
  some <- rowMeans(replicate(12, of(4e4)))
  expect_lt(max(abs(some / all - 1)), 0.2)
})
