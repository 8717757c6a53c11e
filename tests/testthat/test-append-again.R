given <- vecchia(8, ordering = "given")

test_that("rows at earlier locations, noise models and varying coefficients equal a fit of all", {
  d <- appendable_rows()
  repeated <- d
  repeated[101:115, c("x", "y")] <- d[1:15, c("x", "y")]
  same <- function(formula, data, ...) {
    expect_same_conditioning(appended_and_whole(formula, data, ..., nugget = 0.09))
  }
  same(z ~ h, repeated, given)
  same(z ~ h, repeated, exact_gp())
  same(z ~ h, d, given, measurement_variance = v)
  same(z ~ h, d, given, covariance = cov_matern(nu = 1.5, range = 0.2, variance = 0.6) +
    cov_matern(nu = 0.5, range = 0.5, variance = 0.1, by = ~ h))
})

test_extended("exact_gp(), loo_k(), mll_k() and vnngp() equal a fit of all rows", {
  d <- appendable_rows()
  same <- function(...) expect_same_conditioning(appended_and_whole(...))
  for (method in list(exact_gp(), exact_gp(estimation = "REML"), loo_k(8),
    loo_k(8, trend = "score"), mll_k(8), vnngp(8), vecchia(8, condition = "field"))) {
    same(z ~ h, d, method, nugget = 0.09)
  }
  same(count ~ offset(log(n)), d, vnngp(8), family = poisson())
  same(count ~ h, d, vnngp(8, posterior = "laplace"), family = poisson())
  same(cbind(successes, n - successes) ~ h, d, vnngp(8), family = binomial())
  same(wet ~ h, d, vnngp(8), family = binomial())
})

test_that("the trend of loo_k() for counts, which a search finds, equals that of all rows", {
  fits <- appended_and_whole(count ~ h, appendable_rows(), loo_k(8), family = poisson(),
    nugget = 0.05)
  expect_same_conditioning(fits, tolerance = 1e-5)
})

test_that("random effects are predicted again from all rows at their standard deviations", {
  d <- appendable_rows()
  d$z <- d$z + c(a = -2, b = -1, c = 0, d = 1, e = 2)[d$g]
  for (method in list(exact_gp(), vecchia(85, ordering = "given"))) {
    fits <- appended_and_whole(z ~ h + (1 | g), d, method, nugget = 0.09)
    fit <- fits$appended
    sd <- fit$parameters$estimate[fit$parameters$name == "sd_(Intercept)|g"]
    X <- cbind(1, d$h)
    coords <- as.matrix(d[c("x", "y")])
    S <- dense_covariance(coords, coords, fit$core_covariance) + 0.09 * diag(120) +
      sd^2 * outer(d$g, d$g, `==`)
    V <- solve(crossprod(X, solve(S, X)))
    tolerance <- if (inherits(method, "neargp_exact_gp")) 1e-8 else 0.02
    expect_equal(unname(coef(fit)), drop(V %*% crossprod(X, solve(S, d$z))),
      tolerance = tolerance)
    expect_equal(unname(vcov(fit)), V, tolerance = tolerance)
  }
})

test_that("the ordering of the fit stays in front of new locations", {
  d <- appendable_rows()
  d[101:115, c("x", "y")] <- d[1:15, c("x", "y")]
  fit <- appended_and_whole(z ~ h, d, vecchia(8), nugget = 0.09)$part
  fit_all <- fit
  fit_all$data <- with_data_rows(fit$data, new_data_rows(fit, d[91:120, ])$data)
  problem <- held_problem(fit$method, fit_all, 1:120, plain_context())
  order <- in_kept_order(fit, problem, 90L)$order
  scaled <- core_scale(fit$data$coords, metric_component(fit$core_covariance))
  kept <- core_order(scaled, "maxmin", 0, plain_context())
  first <- order[!duplicated(location_index(as.matrix(d[order, c("x", "y")])))]
  expect_identical(first, c(kept, setdiff(91:120, 101:115)))
})

test_that("parameters, their standard errors and the uncertainty that they add are kept", {
  d <- appendable_rows()
  fit <- suppressMessages(neargp(count ~ h, d[1:90, ], coords = ~ x + y, family = poisson(),
    method = vnngp(8), threads = 1L))
  more <- suppressMessages(update(fit, newdata = d[91:120, ]))
  expect_identical(more$parameters, fit$parameters)
  expect_identical(vcov(more, what = "covariance"), vcov(fit, what = "covariance"))
  added <- function(fit) {
    back <- fit$data$basis$back
    unname(vcov(fit) - back %*% fit$core_trend$beta_vcov %*% t(back))
  }
  expect_equal(added(more), added(fit), tolerance = 1e-6)
  expect_identical(names(more), names(fit))
})

test_that("a new estimation from all rows is that of a fit to all rows", {
  d <- appendable_rows()
  for (method in list(exact_gp(), vecchia(8))) {
    fit_rows <- function(rows) suppressMessages(neargp(z ~ h, d[rows, ], coords = ~ x + y,
      method = method, covariance = cov_exponential(), threads = 1L))
    again <- update(update(fit_rows(1:90), newdata = d[91:120, ]), refit = TRUE)
    whole <- fit_rows(1:120)
    expect_equal(c(logLik(again)), c(logLik(whole)), tolerance = 1e-4)
    expect_equal(coef(again, what = "covariance"), coef(whole, what = "covariance"),
      tolerance = 0.05)
    expect_equal(vcov(again, what = "covariance"), vcov(whole, what = "covariance"),
      tolerance = 0.1)
    expect_identical(again$appended$rows, 0L)
    expect_false(any(grepl("Appended", capture.output(print(again)))))
  }
  both <- update(fit_rows(1:90), newdata = d[91:120, ], refit = TRUE)
  expect_equal(coef(both), coef(again), tolerance = 1e-6)
  expect_identical(nobs(update(whole, refit = TRUE)), 120L)
})

test_that("a location of a fit without noise cannot be observed again", {
  d <- appendable_rows()
  fit <- appended_and_whole(z ~ h, d, given, nugget = 0)$part
  expect_error(update(fit, newdata = d[4, ]), "rows 4 and 91 share",
    class = "neargp_error_duplicates")
  small <- appended_and_whole(z ~ h, d, exact_gp(max_rows = 120), nugget = 0.09)$appended
  expect_error(update(small, newdata = appendable_rows(10L, seed = 2L)),
    class = "neargp_error_size")
})

test_that("counts are appended at locations of the fit", {
  d <- appendable_rows(60L, seed = 5L)
  d$count <- rep(0:5, 10)
  fit_rows <- function(rows) neargp(count ~ 1, d[rows, ], coords = ~ x + y, family = poisson(),
    method = vnngp(k = 8), covariance = cov_matern(variance = 0.5, range = 0.3))
  again <- c(1:60, 1:3)
  expect_equal(predict(update(fit_rows(1:60), newdata = d[1:3, ]), d[4:6, ], type = "link"),
    predict(fit_rows(again), d[4:6, ], type = "link"), tolerance = 1e-5)
})
