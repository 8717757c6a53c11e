# The searches themselves are compared with brute force in tests/cpp; here, that the bindings pass
# matrices on correctly.

brute_nearest <- function(reference, query, k, eligible = rep(TRUE, nrow(reference))) {
  distance2 <- colSums((t(reference) - query)^2)
  rows <- which(eligible)
  c(rows[order(distance2[rows], rows)], rep(NA_integer_, k))[seq_len(k)]
}

random_coords <- function(n, d, seed = 1) withr::with_seed(seed, matrix(stats::runif(n * d), n))

test_on_devices("neighbours before a row agree with brute force", {
  coords <- random_coords(200, 3)
  order <- core_order(coords, "maxmin", 0, test_context())
  rank <- order(order)
  expected <- vapply(seq_len(200), function(i) brute_nearest(coords, coords[i, ], 5L,
    rank < rank[i]), integer(5))
  expect_identical(as.matrix(core_neighbors_before(coords, order, 5L, test_context())), expected)
})

test_on_devices("neighbours among the others agree with brute force, ties by row", {
  coords <- as.matrix(expand.grid(x = 1:12, y = 1:12))
  expected <- vapply(seq_len(144), function(i) brute_nearest(coords, coords[i, ], 6L,
    seq_len(144) != i), integer(6))
  expect_identical(as.matrix(core_neighbors_others(coords, 6L, test_context(2L))), expected)
})

test_on_devices("neighbours of new locations agree with brute force and are padded with NA", {
  coords <- random_coords(30, 2)
  newcoords <- random_coords(10, 2, seed = 2)
  expected <- vapply(seq_len(10), function(i) brute_nearest(coords, newcoords[i, ], 35L),
    integer(35))
  expect_identical(as.matrix(core_neighbors_to(coords, newcoords, 35L, test_context())), expected)
})

test_on_devices("joint neighbours index the reference first, then the earlier new locations", {
  coords <- random_coords(40, 2)
  newcoords <- random_coords(20, 2, seed = 2)
  order_new <- withr::with_seed(3, sample(20))
  rank <- c(rep(0L, 40), order(order_new))
  both <- rbind(coords, newcoords)
  expected <- vapply(seq_len(20), function(j) brute_nearest(both, newcoords[j, ], 7L,
    rank < rank[40 + j]), integer(7))
  expect_identical(as.matrix(core_neighbors_joint(coords, newcoords, order_new, 7L,
    test_context())), expected)
})

test_that("an index finds the neighbours that a search without one finds, in the metric of its component", {
  coords <- random_coords(300, 2)
  newcoords <- random_coords(20, 2, seed = 4)
  component <- replace(core_unit_metric(2L), c("range", "group"), list(c(0.5, 4), 1:2))
  index <- core_index(coords, component)
  found <- as.matrix(core_neighbors_to(core_scale(coords, component), core_scale(newcoords,
    component), 6L, test_context()))
  nearest <- function(at, threads) as.matrix(core_index_nearest(index, at, 6L,
    test_context(threads)))
  for (again in 1:2) expect_identical(nearest(newcoords, 2L), found)
  expect_identical(nearest(newcoords[5L, , drop = FALSE], 1L), found[, 5L, drop = FALSE])
  expect_error(core_index_nearest(index, coords[, 1L, drop = FALSE], 6L, test_context()), "columns",
    class = "neargp_error_core")
})

test_that("sectors take their share of the neighbours", {
  coords <- random_coords(500, 2)
  newcoords <- matrix(0.5, 1, 2)
  index <- core_index(coords, core_unit_metric(2L))
  found <- as.matrix(core_index_by_sector(index, newcoords, FALSE, 4L, 3L, test_context()))
  delta <- t(coords[found, ]) - 0.5
  sector <- floor((atan2(delta[2, ], delta[1, ]) %% (2 * pi)) / (pi / 2))
  expect_identical(as.integer(table(sector)), rep(3L, 4))
  expect_false(is.unsorted(colSums(delta^2)))
})

test_that("orderings are permutations, reproducible, and do not depend on threads", {
  coords <- random_coords(1000, 2)
  for (method in c("maxmin", "random", "coordinate")) {
    order <- core_order(coords, method, 12, test_context())
    expect_identical(sort(order), seq_len(1000))
    expect_identical(core_order(coords, method, 12, test_context(4L)), order)
  }
  expect_false(identical(core_order(coords, "random", 13, test_context()),
    core_order(coords, "random", 12, test_context())))
  expect_error(core_order(coords, "spiral", 0, test_context()), "no ordering called 'spiral'")
})

test_extended("neighbours do not depend on threads", {
  coords <- random_coords(20000, 2)
  order <- core_order(coords, "random", 1, test_context())
  before <- as.matrix(core_neighbors_before(coords, order, 10L, test_context()))
  others <- as.matrix(core_neighbors_others(coords, 10L, test_context()))
  for (threads in c(2L, 4L)) {
    expect_identical(as.matrix(core_neighbors_before(coords, order, 10L, test_context(threads))),
      before)
    expect_identical(as.matrix(core_neighbors_others(coords, 10L, test_context(threads))), others)
  }
})

test_that("longitude and latitude land on the sphere", {
  embedded <- core_embed_longlat(cbind(c(0, 90, -180), c(0, 0, 90)))
  expect_equal(embedded, 6371.0088 * diag(3), tolerance = 1e-12)
  expect_error(core_embed_longlat(cbind(0, 91)), "latitude in row 1")
})

test_that("one search serves all levels where there is one range, and its table is not kept beyond the last", {
  searched <- integer()
  search <- search_once(function(component, k) {
    searched <<- c(searched, k)
    matrix(seq_len(3L * k), k)
  }, 4L)
  isotropic <- list(range = 1, anisotropy = numeric())
  expect_identical(as.matrix(search(isotropic, 2L)), matrix(1:12, 4L)[1:2, ])
  expect_identical(search(isotropic, 4L), matrix(1:12, 4L))
  expect_identical(searched, 4L)
  expect_null(environment(search)$found)
  search(list(range = c(1, 2), anisotropy = numeric()), 2L)
  search(list(range = c(1, 3), anisotropy = numeric()), 4L)
  expect_identical(searched, c(4L, 2L, 4L))
})

test_that("a table of the core and its matrix are the same neighbours to functions of the core", {
  coords <- random_coords(30, 2)
  columns <- cbind(sin(3 * coords[, 1L]), 1)
  table <- core_neighbors_before(coords, 30:1, 5L, test_context())
  matrix <- as.matrix(table)
  expect_identical(dim(table), c(5L, 30L))
  expect_identical(c(nrow(table), ncol(table)), dim(matrix))
  expect_identical(as.matrix(core_neighbors_first(table, 2L)), matrix[1:2, ])
  expect_error(core_neighbors_first(table, 6L), "not so many", class = "neargp_error_core")
  covariance <- as_specified(given_covariance())
  kriging <- core_kriging(coords, columns, rep(1, 30), covariance, 0.2)
  results <- lapply(list(table, matrix), function(neighbors) {
    problem <- core_problem(coords, columns, rep(1, 30), neighbors, test_context())
    list(core_evaluate(problem, covariance, 0.2, TRUE, test_context()),
      core_krige(kriging, coords + 0.01, neighbors, FALSE, test_context(), keep_weights = TRUE))
  })
  expect_identical(results[[1L]], results[[2L]])
})

test_that("a table that was written to a file is refused", {
  table <- core_neighbors_others(random_coords(5, 2), 3L, test_context())
  read <- unserialize(serialize(table, NULL))
  expect_error(as.matrix(read), "external pointer", class = "neargp_error_core")
})

test_that("tables of neighbours that do not fit the rows are refused", {
  coords <- random_coords(5, 2)
  make <- function(table) core_problem(coords, matrix(0, 5, 1), rep(1, 5), table,
    test_context())
  table <- as.matrix(core_neighbors_others(coords, 3L, test_context()))
  expect_error(make(table[, -1]), "one row for each target")
  for (wrong in c(0L, -1L, 6L)) {
    broken <- table
    broken[2, 3] <- wrong
    expect_error(make(broken), sprintf("Row %d is referred to, but there are 5 rows", wrong))
  }
})

# From 20,000 rows on, a device takes trees of boxes. A lattice whose spacing is no binary fraction
# is full of ties.
test_on_devices("the order and the earlier neighbours of a large lattice are those of one thread", {
  withr::local_seed(4)
  places <- 0.1 * as.matrix(expand.grid(x = 1:150, y = 1:140))[sample(21000L), ]
  order <- core_order(places, "maxmin", 0, test_context(3L))
  expect_identical(order, core_order(places, "maxmin", 0, plain_context()))
  before <- function(context) as.matrix(core_neighbors_before(places, order, 10L, context))
  expect_identical(before(test_context(3L)), before(plain_context()))
})
