test_that("loadings of a covariance matrix reproduce it, as a lower triangle with a positive diagonal", {
  set.seed(1)
  for (P in 2:4) {
    B <- crossprod(matrix(rnorm(P * P), P))
    A <- loadings_of(B, P)
    expect_equal(tcrossprod(A), B)
    expect_equal(A[upper.tri(A)], rep(0, P * (P - 1) / 2))
    expect_true(all(diag(A) > 0))
    one <- tcrossprod(rnorm(P))
    expect_equal(tcrossprod(loadings_of(one, 1L)), one)
    expect_equal(tcrossprod(loadings_of(one, P)), one)
  }
})

test_that("a covariance becomes one structure of full rank for each summand", {
  x <- as_coregionalisation(cov_matern(1.5) + cov_exponential())
  expect_length(x$components, 2L)
  expect_null(x$rank)
  expect_output(print(x), "2 structures")
  expect_output(print(cov_coregionalisation(cov_matern(), rank = 1, matrices = NULL)), "rank 1")
  expect_identical(as_coregionalisation(x), x)
})

test_that("arguments that make no model are errors", {
  expect_error(cov_coregionalisation(cov_matern(variance = 1)), "do not take a `variance`",
    class = "neargp_error_argument")
  expect_error(cov_coregionalisation("matern"), class = "neargp_error_argument")
  expect_error(cov_coregionalisation(cov_matern(), rank = 0), "rank",
    class = "neargp_error_argument")
  expect_error(cov_coregionalisation(cov_matern(), rank = c(1, 2)), "rank",
    class = "neargp_error_argument")
  expect_error(cov_coregionalisation(cov_matern(), matrices = list(matrix(c(1, 2, 2, 1), 2))),
    "covariance matrix", class = "neargp_error_argument")
  expect_error(cov_coregionalisation(cov_matern(), matrices = list(1, 2)), "matrices",
    class = "neargp_error_argument")
  data <- simulated_outputs(40)
  fit <- function(covariance) {
    neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 5),
      covariance = covariance)
  }
  expect_error(fit(cov_coregionalisation(cov_matern(), rank = 3)), "at most 2",
    class = "neargp_error_argument")
  expect_error(fit(cov_coregionalisation(cov_matern(), matrices = list(diag(3)))),
    "3 rows, but there are 2 responses", class = "neargp_error_argument")
})

test_that("the core gets loadings by output and factor", {
  locations <- new_locations(data.frame(x = 0:1, y = 0:1), ~ x + y, NULL, "auto", NULL,
    character(0))
  covariance <- cov_coregionalisation(cov_matern(1.5), cov_exponential(), rank = c(2, 1))
  layout <- coregionalisation_layout(covariance, NULL, c("a", "b", "c"), locations)
  expect_equal(layout$name[1:6], paste0("loading_", rep(c("a", "b", "c"), each = 2L), "_f", 1:2,
    "_1"))
  expect_equal(which(layout$fixed & layout$kind == "loading"), 2L) # above the diagonal
  values <- seq_len(nrow(layout))
  core <- core_coregionalisation(layout, component_groups(covariance, locations), values)
  expect_equal(core$components[[1L]]$loadings, matrix(1:6, 3L, byrow = TRUE))
  expect_equal(core$nuggets, utils::tail(values, 3L))
})

test_that("the structure that chooses neighbours does not depend on the units of the outputs", {
  in_units <- function(unit) {
    list(components = list(list(loadings = unit * rbind(c(2, 0), c(0.6, 0.8))),
      list(loadings = unit * c(1, 1.5) * diag(2))))
  }
  for (unit in list(1, c(1, 100), c(100, 1))) expect_identical(metric_index(in_units(unit)), 1L)
  without_variance <- list(components = list(list(loadings = matrix(c(0, 1))),
    list(loadings = matrix(c(0, 2)))))
  expect_identical(metric_index(without_variance), 2L)
})
