test_that("threads come from the argument, then the option, then a modest default", {
  withr::local_options(neargp.threads = NULL)
  expect_lte(resolve_threads(NULL), 2L)
  withr::local_options(neargp.threads = 3)
  expect_identical(resolve_threads(NULL), 3L)
  expect_identical(resolve_threads(5), 5L)
  expect_error(resolve_threads(1.5), "`threads`", class = "neargp_error_argument")
  withr::local_options(neargp.threads = "many")
  expect_error(resolve_threads(NULL), "neargp.threads", class = "neargp_error_argument")
})

test_that("threads are those that a scheduler or R CMD check gave", {
  skip_if_not_installed("callr")
  skip_if(available_cores() < 2L, "this machine has one core")
  # parallelly reads the variables of a scheduler once in a session
  found <- callr::r(function() {
    c(neargp:::available_cores(), neargp:::resolve_threads(NULL), neargp:::greeting()$cores,
      neargp:::resolve_threads(3))
  }, env = c(callr::rcmd_safe_env(), SLURM_CPUS_PER_TASK = "1"))
  expect_identical(found, c(1L, 1L, 1L, 3L))
  withr::local_envvar("_R_CHECK_LIMIT_CORES_" = "TRUE")
  expect_lte(available_cores(), 2L)
})

test_that("forks of a process that has used threads can use threads", {
  skip_on_os("windows")
  skip_if_not_installed("callr")
  coefficients <- callr::r(function() {
    fit <- function(...) {
      stats::coef(neargp::neargp(precipitation ~ 1, neargp::colorado_precipitation(),
        coords = ~ lon + lat, distance = "chordal",
        method = neargp::vecchia(10), threads = 2, device = "cpu", verbose = FALSE),
        what = "covariance")
    }
    c(list(fit()), parallel::mclapply(1:2, fit, mc.cores = 2L))
  }, timeout = 120, cleanup_tree = TRUE)
  expect_identical(coefficients[[2]], coefficients[[1]])
  expect_identical(coefficients[[3]], coefficients[[1]])
})

test_extended("any number of threads finds the same order and the same neighbours", {
  set.seed(1)
  lattice <- as.matrix(expand.grid(1:200, 1:150))
  sets <- list(matrix(stats::runif(6e4), ncol = 2), matrix(stats::runif(9e4), ncol = 3), lattice)
  for (coords in sets) {
    found <- lapply(c(1L, 2L, 5L), function(threads) {
      context <- plain_context(threads)
      ranked <- core_maxmin(coords, context)
      table <- core_neighbors_before(coords, ranked$order, 10L, context)
      c(ranked, list(neighbors = core_neighbor_matrix(table)))
    })
    expect_identical(sort(found[[1]]$order), seq_len(nrow(coords)))
    for (other in found[-1]) expect_identical(other, found[[1]])
  }
})
