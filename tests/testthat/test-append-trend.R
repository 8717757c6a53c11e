given <- vecchia(8, ordering = "given")

test_that("rows at the end of the ordering of vecchia() equal a fit of all rows", {
  d <- appendable_rows()
  fits <- appended_and_whole(z ~ h, d, given, nugget = 0.09)
  expect_same_conditioning(fits)
  one_by_one <- fits$part
  for (row in 91:120) one_by_one <- update(one_by_one, newdata = d[row, ])
  expect_same_conditioning(replace(fits, "appended", list(one_by_one)))
  expect_equal(one_by_one$appended, fits$appended$appended, tolerance = 0.2)
})

test_that("weights, transforms, REML, no trend, ranges by coordinate and time do so as well", {
  d <- appendable_rows()
  same <- function(formula, method = given, ...) {
    expect_same_conditioning(appended_and_whole(formula, d, method, ...))
  }
  same(z ~ h, nugget = 0.09, weights = n)
  same(positive ~ h, nugget = 0.09, transform = "log")
  same(z ~ h, vecchia(8, ordering = "given", estimation = "REML"), nugget = 0.09)
  same(z ~ 0, nugget = 0.09)
  same(z ~ h, nugget = 0.09, covariance = cov_matern(nu = 1.5, range = c(0.2, 0.5), variance = 0.6,
    ard = TRUE))
  same(z ~ h, nugget = 0.09, time = ~ t, covariance = cov_spacetime(cov_matern(nu = 0.5,
    range = 0.3, variance = 0.6), time = cov_exponential(range = 5), model = "separable"))
})

test_that("with all rows as neighbours the trend is that of dense generalised least squares", {
  d <- appendable_rows(60L)
  fit <- neargp(z ~ h, d[1:50, ], coords = ~ x + y, method = vecchia(49), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6))
  fit$k <- fit$method$k <- 49L
  fit <- update(fit, newdata = d[51, ])
  X <- cbind(1, d$h[1:51])
  S <- dense_covariance(as.matrix(d[1:51, 1:2]), as.matrix(d[1:51, 1:2]), fit$core_covariance) +
    0.09 * diag(51)
  # row 51 leaves out the farthest row only, which the 49 nearer ones make needless
  V <- solve(crossprod(X, solve(S, X)))
  expect_equal(unname(vcov(fit)), V, tolerance = 1e-4)
  expect_equal(unname(coef(fit)), drop(V %*% crossprod(X, solve(S, d$z[1:51]))), tolerance = 1e-4)
})

test_that("many rows at once find their neighbours by one search", {
  d <- appendable_rows()
  fit <- appended_and_whole(z ~ h, d, given, nugget = 0.09)$part
  fit$data <- with_data_rows(fit$data, new_data_rows(fit, d[91:120, ])$data)
  context <- plain_context()
  known <- earlier_index(restrict_rows(fit$method, fit, 1:90, context), context)
  few <- neighbors_of_last(fit, known, 90L, context)
  expect_identical(few, neighbors_of_last(fit, known, 90L, context, most = 5L))
})

test_that("a fit from a file, and one without an index, accept rows", {
  d <- appendable_rows()
  fits <- appended_and_whole(z ~ h, d[1:110, ], given, nugget = 0.09)
  file <- withr::local_tempfile()
  saveRDS(fits$appended, file)
  expect_equal(coef(update(readRDS(file), newdata = d[111:120, ])),
    coef(update(fits$appended, newdata = d[111:120, ])), tolerance = 1e-12)
})
