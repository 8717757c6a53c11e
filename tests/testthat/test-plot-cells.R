test_that("regular grids are recognised, with gaps and rounding errors", {
  grid <- expand.grid(x = seq(-3.3, 4.1, 0.1), y = seq(10, 20, 0.25))
  found <- as_grid(grid$x, grid$y)
  expect_equal(found$size, c(75, 41))
  expect_equal(found$step, c(0.1, 0.25), tolerance = 1e-6)
  expect_equal(found$column, rep(1:75, 41))
  set.seed(1)
  some <- grid[sort(sample(nrow(grid), 600)), ]
  some$x <- some$x + runif(600, -1e-9, 1e-9)
  sparse <- as_grid(some$x, some$y)
  expect_equal(sparse$origin + (sparse$size - 1) * sparse$step, c(max(some$x), max(some$y)),
    tolerance = 1e-6)
  expect_equal(sparse$column, round((some$x - min(some$x)) / 0.1) + 1)
})

test_that("scattered, repeated and nearly empty places are no grid", {
  set.seed(2)
  expect_null(as_grid(runif(100), runif(100)))
  expect_null(as_grid(c(1, 2, 1, 2, 1), c(1, 1, 2, 2, 1)))
  expect_null(as_grid(1:100, 1:100))
  expect_null(as_grid(rep(1, 10), 1:10))
})

test_that("a grid that is mostly empty is drawn as points", {
  grid <- expand.grid(x = 1:20, y = 1:10)
  expect_equal(drawn_grid(grid)$size, c(20, 10))
  set.seed(17)
  expect_null(drawn_grid(grid[c(1, 200, sample(2:199, 40)), ]))
  expect_equal(drawn_grid(grid[c(1, 200, sample(2:199, 60)), ])$size, c(20, 10))
})
