test_that("what computes dense products is chosen by the option, then by the environment variable",
  {
    fast <- nzchar(core_fast_blas())
    withr::local_envvar(NEARGP_BLAS = NA)
    withr::local_options(neargp.blas = NULL)
    expect_identical(resolve_blas(), if (fast) "blas" else "eigen")
    withr::local_envvar(NEARGP_BLAS = "eigen")
    expect_identical(resolve_blas(), "eigen")
    withr::local_options(neargp.blas = "auto")
    expect_identical(resolve_blas(), if (fast) "blas" else "eigen")
    withr::local_options(neargp.blas = "mkl")
    expect_error(resolve_blas(), "options\\(neargp.blas\\)", class = "neargp_error")
    withr::local_options(neargp.blas = NULL)
    withr::local_envvar(NEARGP_BLAS = "mkl")
    expect_error(resolve_blas(), "NEARGP_BLAS", class = "neargp_error")
  })

test_that("a BLAS that is not known to be fast is refused, never replaced", {
  withr::local_options(neargp.blas = "blas")
  expect_error(resolve_blas(""), "not OpenBLAS.*neargp_sitrep", class = "neargp_error_blas")
  expect_identical(resolve_blas("OpenBLAS 0.0"), "blas")
  withr::local_options(neargp.blas = "auto")
  expect_identical(resolve_blas(""), "eigen")
})

test_that("the choice holds for a context, and each computation has that of its own", {
  engine <- function(context) {
    core_neighbors_to(matrix(0:1), matrix(0), 1L, context)
    core_product_engine()
  }
  withr::local_options(neargp.blas = "eigen")
  expect_match(engine(new_context(1L)), "Eigen")
  if (nzchar(core_fast_blas())) {
    withr::local_options(neargp.blas = "blas")
    expect_identical(engine(new_context(1L)), "BLAS")
    expect_match(engine(plain_context()), "Eigen")
  }
})

test_that("neargp_sitrep() says what computes dense products, and how to get a faster one", {
  withr::local_envvar(NEARGP_BLAS = NA)
  withr::local_options(neargp.blas = NULL)
  expect_output(report <- neargp_sitrep(), "Dense products:  ")
  expect_identical(report$blas$engine, resolve_blas())
  expect_match(paste(blas_lines(blas_report("")), collapse = "\n"),
    "Dense products:  Eigen.*apt install")
  fast <- blas_lines(blas_report("OpenBLAS 0.0"))
  expect_match(fast, "Dense products:  R's BLAS, OpenBLAS 0.0", fixed = TRUE)
  withr::local_options(neargp.blas = "blas")
  expect_match(blas_lines(blas_report(""))[1L], "none, as R's BLAS was asked for")
})

test_that("with OpenBLAS results agree with Eigen's, and are the same for any number of threads", {
  skip_if(!nzchar(core_fast_blas()), "R's BLAS is not OpenBLAS")
  coords <- withr::with_seed(1, matrix(runif(1400), 700))
  columns <- cbind(sin(5 * coords[, 1L]), 1)
  covariance <- given_covariance(1, 0.2)
  covariance$active[] <- TRUE
  covariance <- as_specified(covariance)
  sums <- function(blas, threads) {
    withr::local_options(neargp.blas = blas)
    core_exact(coords, columns, rep(1, 700), covariance, 0.1, TRUE, new_context(threads))
  }
  expect_identical(sums("blas", 3L), sums("blas", 1L))
  expect_equal(sums("blas", 2L), sums("eigen", 1L), tolerance = 1e-9)
})
