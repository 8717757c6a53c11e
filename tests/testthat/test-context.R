test_that("a plain context is the CPU, the tree and Eigen, whatever options say", {
  withr::local_options(neargp.device = "cuda", neargp.blas = "blas")
  plain <- plain_context(3L)
  expect_identical(plain$threads, 3L)
  expect_identical(c(plain$device_module, plain$search, plain$faiss_module), c("", "kd-tree", ""))
  expect_false(plain$blas || plain$single_precision)
  expect_error(plain$gpu, "not include the field `gpu`")
})

test_that("contexts of computations have what argument, fit and options say", {
  withr::local_options(neargp.device = NULL, neargp.blas = "eigen")
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5), threads = 1L,
    covariance = cov_exponential(variance = 1, range = 0.2), nugget = 0.1,
    control = neargp_control(neighbor_search = "kd-tree"))
  expect_identical(fit$threads, 1L)
  expect_identical(refit_context(fit, 1:40)$threads, 1L)
  settings <- predict_settings(fit, threads = 2L, device = "cpu")
  expect_identical(settings$context, plain_context(2L))
  for (context in list(prediction_context(fit, 9L, settings), default_context(fit, 9L, 5L, 2L))) {
    expect_identical(context$threads, 2L)
    expect_identical(context$search, "kd-tree")
    expect_false(context$blas)
  }
  withr::local_options(neargp.blas = "mkl")
  expect_error(prediction_context(fit, 9L, settings), "neargp.blas", class = "neargp_error")
})
