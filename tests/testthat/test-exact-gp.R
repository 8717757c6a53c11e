test_that("the exact method refuses more rows than it was told to take", {
  local_device("cpu")
  expect_error(neargp(z ~ 1, simulated_data(60), coords = ~ x + y,
    method = exact_gp(max_rows = 50)), "at most max_rows = 50", class = "neargp_error_size")
  expect_error(exact_gp(max_rows = 0), "`max_rows`", class = "neargp_error_argument")
})

test_extended("its optimum is the optimum of the dense likelihood", {
  local_device("cpu")
  fit <- neargp(z ~ height, simulated_data(80), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(), control = neargp_control(tolerance = 1e-9))
  dense_at <- function(working) {
    values <- exp(working)
    covariance <- fit$core_covariance
    covariance$components[[1L]]$variance <- values[1L]
    covariance$components[[1L]]$range <- values[2L]
    dense_fit(fit$data, covariance, values[3L])$value
  }
  best <- stats::optim(fit$parameters$working, dense_at,
    control = list(fnscale = -1, reltol = 1e-12))
  expect_equal(c(logLik(fit)), best$value, tolerance = 1e-7)
})

test_extended("a fit goes on from an earlier one's estimates, and not from Vecchia's anew", {
  local_device("cpu")
  fit <- function(...) {
    suppressWarnings(neargp(z ~ 1, simulated_data(80), coords = ~ x + y, method = exact_gp(),
      covariance = cov_exponential(), ...))
  }
  done <- fit(control = neargp_control(tolerance = 1e-9))
  expect_identical(fit(start = done)$convergence$iterations, 0L)
  plain <- fit()
  first <- suppressWarnings(neargp(z ~ 1, simulated_data(80), coords = ~ x + y,
    method = vecchia(30), covariance = cov_exponential()))
  last <- suppressWarnings(fit(start = first))
  expect_gt(first$convergence$iterations, 0L)
  expect_identical(plain$convergence$iterations,
    first$convergence$iterations + last$convergence$iterations)
  expect_identical(glance(plain)$iterations, plain$convergence$iterations)
  part <- fit(control = neargp_control(max_iterations = 1L, tolerance = 1e-9))
  further <- fit(start = part, control = neargp_control(max_iterations = 1L, tolerance = 1e-9))
  expect_gt(further$log_likelihood, part$log_likelihood)
})

test_extended("the number of threads does not change a digit", {
  coords <- withr::with_seed(1, matrix(runif(1400), 700))
  columns <- cbind(sin(5 * coords[, 1L]), 1)
  covariance <- given_covariance(1, 0.2)
  covariance$active[] <- TRUE
  covariance <- as_specified(covariance)
  sums <- function(threads) core_exact(coords, columns, rep(1, 700), covariance, 0.1, TRUE,
    test_context(threads))
  expect_identical(sums(2L), sums(1L))
  predicted <- function(threads) {
    core_exact_krige(core_exact_kriging(coords, columns, rep(1, 700), covariance, 0.1,
      test_context(threads)), coords[1:300, ] + 0.01, test_context(threads))
  }
  expect_identical(predicted(2L), predicted(1L))
})
