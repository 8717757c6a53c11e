test_that("effective distances are where the correlation is 0.05", {
  for (family in names(covariance_families)) {
    shape <- covariance_families[[family]]$shape$start
    expect_equal(dense_correlation(family, effective_distance(family, shape), shape), 0.05,
      tolerance = 1e-6)
  }
})
