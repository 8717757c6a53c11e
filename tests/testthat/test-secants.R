test_that("steps along the axes of a parabola show its curvature", {
  hessian <- matrix(c(4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 0.2), 3)
  axes <- eigen(hessian)$vectors
  record <- secant_record(diag(3))
  points <- cbind(0, axes %*% (outer(1:3, 1:3, "<=") * c(0.3, -2, 5)))
  for (a in 1:4) {
    record$gradient <- -drop(hessian %*% points[, a])
    record$evaluated <- a
    add_secant(record, points[, a], rep(TRUE, 3))
  }
  expect_equal(record$matrix, hessian, tolerance = 1e-10)
  expect_identical(record$point, points[, 4])
  expect_identical(record$reached, 4L)
})

test_that("fixed axes keep their curvature, and so do axes along which it would be negative", {
  record <- secant_record(diag(c(2, 7, 5)))
  free <- c(TRUE, FALSE, TRUE)
  hessian <- diag(c(3, 1, -1))
  for (point in list(c(0, 0, 0), c(1, 0, 0), c(1, 0, 1))) {
    record$gradient <- -drop(hessian %*% point)
    add_secant(record, point, free)
  }
  expect_equal(record$matrix, diag(c(3, 7, 5)))
})
