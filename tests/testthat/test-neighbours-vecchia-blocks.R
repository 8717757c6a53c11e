# The definition of blocks in plain R: leaves of a tree of medians in each half of the ranks.
leaves_by_definition <- function(coords, rows, rank, block) {
  if (length(rows) <= block) return(list(rows[order(rank[rows])]))
  widest <- which.max(apply(coords[rows, , drop = FALSE], 2L, function(x) diff(range(x))))
  sorted <- rows[order(coords[rows, widest], rank[rows])]
  left <- ceiling(length(rows) / block) %/% 2 * block
  c(leaves_by_definition(coords, utils::head(sorted, left), rank, block),
    leaves_by_definition(coords, utils::tail(sorted, -left), rank, block))
}

blocks_by_definition <- function(coords, order, block, k) {
  rank <- order(order)
  blocks <- list()
  end <- length(order)
  while (end > max(k, 64)) {
    begin <- end %/% 2
    blocks <- c(blocks, leaves_by_definition(coords, order[(begin + 1):end], rank, block))
    end <- begin
  }
  blocks <- c(as.list(order[seq_len(end)]), blocks)
  blocks[order(vapply(blocks, function(rows) min(rank[rows]), 0))]
}

# The rows of a block take turns to add their nearest row of the blocks before that is not there.
neighbors_by_turns <- function(coords, rows, before, k) {
  sorted <- lapply(rows, function(row) {
    before[order(colSums((t(coords[before, , drop = FALSE]) - coords[row, ])^2), before)]
  })
  taken <- integer()
  while (length(taken) < min(k, length(before))) {
    for (list in sorted) {
      taken <- c(taken, utils::head(setdiff(list, taken), length(taken) < k))
    }
  }
  taken
}

test_extended("blocks and their neighbours follow the definition", {
  withr::local_seed(1)
  for (case in list(list(n = 300L, block = 4L, k = 12L), list(n = 150L, block = 3L, k = 70L),
    list(n = 9L, block = 4L, k = 5L))) {
    coords <- matrix(runif(2 * case$n), case$n)
    order <- core_order(coords, "maxmin", 0, test_context())
    found <- core_block_neighbors(coords, order, case$block, case$k, test_context())
    table <- as.matrix(found$neighbors)
    expected <- blocks_by_definition(coords, order, case$block, case$k)
    expect_identical(found$targets, vapply(expected, function(rows) rows[length(rows)], 0L))
    before <- integer()
    for (b in seq_along(expected)) {
      rows <- expected[[b]]
      others <- c(rows[-length(rows)], rep(NA, case$block - length(rows)))
      expect_identical(table[case$k + seq_len(case$block - 1L), b], as.integer(others))
      own <- table[seq_len(case$k), b]
      expect_identical(own[!is.na(own)],
        if (length(before)) neighbors_by_turns(coords, rows, before, case$k) else integer())
      before <- c(before, rows)
    }
  }
})

test_that("blocks that condition on all earlier rows give the exact likelihood and information", {
  data <- simulated_data(30)
  n <- nrow(data)
  # blocks of four, the last one of two, each with all rows before it
  table <- vapply(seq(1L, n, 4L), function(first) {
    rows <- first:min(first + 3L, n)
    before <- seq_len(first - 1L)
    as.integer(c(before, rep(NA, 28L - length(before)), rows[-length(rows)],
      rep(NA, 4L - length(rows))))
  }, integer(31L))
  targets <- as.integer(pmin(seq(4L, n + 3L, 4L), n))
  coords <- as.matrix(data[c("x", "y")])
  columns <- cbind(data$z, 1, data$height)
  noise <- runif(n, 0.5, 2)
  for (covariance in list(cov_exponential(), cov_matern(NULL), cov_exponential(anisotropy = TRUE),
    cov_matern(1.5, ard = TRUE) + cov_gaussian())) {
    problem <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
      covariance = covariance)
    specification <- as_specified(problem$core_covariance)
    pointer <- core_problem(coords, columns, noise, table, plain_context(), targets, NULL, 4L)
    sums <- core_evaluate(pointer, specification, 0.2, TRUE, plain_context())
    exact <- core_exact(coords, columns, noise, specification, 0.2, TRUE, plain_context(), NULL,
      NULL)
    for (part in c("log_det", "gram", "d_log_det", "d_gram", "information")) {
      expect_equal(sums[[part]], exact[[part]], tolerance = 1e-8, info = part)
    }
  }
})

test_that("a fit in blocks has the likelihood of its conditioning sets", {
  data <- simulated_data(250)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10, block = 4),
    nugget = 0.1, covariance = cov_exponential(variance = 2, range = 0.2))
  coords <- fit$data$coords / 0.2
  blocks <- blocks_by_definition(coords, core_order(coords, "maxmin", 0, test_context()), 4L, 10L)
  sets <- list()
  before <- integer()
  for (rows in blocks) {
    shared <- if (length(before)) neighbors_by_turns(coords, rows, before, 10L)
    for (i in seq_along(rows)) sets[[rows[i]]] <- c(shared, rows[seq_len(i - 1L)])
    before <- c(before, rows)
  }
  expect_equal(c(logLik(fit)), dense_conditional_score(fit$data, fit$core_covariance, 0.1,
    coef(fit), sets), tolerance = 1e-10)
})

test_that("estimates in blocks are near those of the exact likelihood", {
  data <- simulated_data(300)
  by <- function(method, ...) {
    neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = cov_exponential(), ...)
  }
  exact <- by(exact_gp())
  fit <- by(vecchia(block = 4))
  expect_equal(fit$k, 44L)
  expect_equal(coef(fit, what = "covariance"), coef(exact, what = "covariance"), tolerance = 0.02)
  expect_equal(c(logLik(fit)), c(logLik(exact)), tolerance = 0.01)
  expect_equal(predict(fit, data[1:3, ])$mean, predict(exact, data[1:3, ])$mean, tolerance = 1e-3)
  expect_identical(logLik(by(vecchia(block = 4), threads = 2L)), logLik(fit))
  expect_output(print(fit), "blocks of 4")
})

test_that("blocks name the settings that they do not support", {
  refused <- function(code, name = "block") {
    expect_error(code, paste0("`", name, "` must be"), class = "neargp_error_argument")
  }
  refused(vecchia(block = 0))
  refused(vecchia(block = 1.5))
  refused(vecchia(block = 4, inducing = 10))
  refused(vecchia(block = 4, optimizer = "adam"), "optimizer")
  refused(vecchia(block = 4, condition = "field"), "condition")
  data <- simulated_data(40)
  refused(neargp(cbind(z, height) ~ 1, data, coords = ~ x + y, method = vecchia(k = 5, block = 4)))
  refused(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5, block = 4),
    control = neargp_control(shards = 2)))
})

test_that("a sum of covariances is fitted in blocks of few neighbours", {
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10, block = 4),
    covariance = cov_matern(nu = 1.5) + cov_exponential())
  expect_identical(fit$method$block, 4L)
  expect_error(neighbor_loss(fit), "without blocks", class = "neargp_error_method")
})
