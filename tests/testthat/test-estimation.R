# The restricted log-likelihood as the density of n - p contrasts free of the trend. With K an
# orthonormal basis of the complement of X, log N(K'y; 0, K'VK) = l_R + 1/2 log|X'X|.
dense_restricted <- function(data, covariance, nugget) {
  contrasts <- qr.Q(qr(data$X), complete = TRUE)[, -seq_len(ncol(data$X)), drop = FALSE]
  S <- crossprod(contrasts, dense_noisy(data, covariance, nugget) %*% contrasts)
  e <- crossprod(contrasts, data$y - data$offset)
  -0.5 * (length(e) * log(2 * pi) + as.numeric(determinant(S)$modulus) + sum(e * solve(S, e)) +
    as.numeric(determinant(crossprod(data$X))$modulus))
}

restricted_fit <- function(method, data = simulated_data(60), formula = z ~ height + group,
                           covariance = cov_exponential()) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = covariance,
    control = neargp_control(tolerance = 1e-9), threads = 1L)
}

test_extended("REML is at the maximum of the density of contrasts, whose curvature is its information", {
  fit <- restricted_fit(exact_gp(estimation = "REML"))
  dense_at <- function(working) {
    covariance <- fit$core_covariance
    covariance$components[[1L]][c("variance", "range")] <- as.list(exp(working[1:2]))
    dense_restricted(fit$data, covariance, exp(working[3L]))
  }
  at <- fit$parameters$working
  expect_equal(c(logLik(fit)), dense_at(at), tolerance = 1e-9)
  best <- stats::optim(at + 0.1, dense_at, control = list(fnscale = -1, reltol = 1e-13))
  expect_equal(c(logLik(fit)), best$value, tolerance = 1e-8)
  curvature <- -stats::optimHess(at, dense_at, control = list(ndeps = rep(1e-4, 3)))
  expect_equal(unname(fit$information), curvature, tolerance = 1e-4)
})

test_that("Vecchia's with all rows as neighbours has the same estimates", {
  exact <- restricted_fit(exact_gp(estimation = "REML"))
  fit <- restricted_fit(vecchia(59, estimation = "REML"))
  expect_equal(coef(fit, "covariance"), coef(exact, "covariance"), tolerance = 1e-4)
  expect_equal(c(logLik(fit)), c(logLik(exact)), tolerance = 1e-8)
  expect_equal(vcov(fit, "covariance"), vcov(exact, "covariance"), tolerance = 1e-3)
})

test_that("neither the unit of the response nor that of a covariate moves REML's estimates", {
  data <- simulated_data(60)
  fit <- restricted_fit(exact_gp(estimation = "REML"), data)
  other <- restricted_fit(exact_gp(estimation = "REML"),
    transform(data, z = 1000 * z, height = 1e5 + height / 8))
  expect_equal(coef(other, "covariance") / coef(fit, "covariance"),
    c(variance = 1e6, range = 1, nugget = 1e6), tolerance = 1e-5)
  p <- length(coef(fit))
  # log|X'V^-1X| follows both: the response by p numbers of n, the covariate by its unit of 1/8.
  expect_equal(c(logLik(other)), c(logLik(fit)) - (60 - p) * log(1000) + log(8), tolerance = 1e-8)
})

test_extended("logLik(REML = ) gives either likelihood of either fit", {
  ml <- restricted_fit(exact_gp())
  reml <- restricted_fit(exact_gp(estimation = "REML"))
  for (fit in list(ml, reml)) {
    expect_equal(c(logLik(fit, REML = TRUE)), dense_restricted(fit$data, fit$core_covariance,
      fit$nugget), tolerance = 1e-9)
    expect_equal(c(logLik(fit, REML = FALSE)), dense_fit(fit$data, fit$core_covariance,
      fit$nugget)$value, tolerance = 1e-9)
  }
  expect_identical(logLik(ml), logLik(ml, REML = FALSE))
  expect_identical(logLik(reml), logLik(reml, REML = TRUE))
  expect_identical(attr(logLik(reml), "nobs"), 60L - length(coef(reml)))
  expect_identical(attr(logLik(ml), "nobs"), 60L)
  expect_gt(c(logLik(ml)), c(logLik(reml, REML = FALSE)))
  expect_error(logLik(ml, REML = 2), "`REML`", class = "neargp_error_argument")
  near <- suppressWarnings(restricted_fit(loo_k(10)))
  expect_error(logLik(near, REML = TRUE), class = "neargp_error_not_likelihood")
})

test_that("a fit says that it is REML's", {
  fit <- restricted_fit(exact_gp(estimation = "REML"))
  expect_output(print(fit), "fit: exact likelihood, REML")
  expect_output(print(summary(fit)), "Restricted log-likelihood: ")
  expect_output(print(vecchia(estimation = "REML")), "estimation +REML")
})

test_extended("restricted likelihoods of other trends are not compared", {
  fit <- restricted_fit(exact_gp(estimation = "REML"))
  smaller <- restricted_fit(exact_gp(estimation = "REML"), formula = z ~ height)
  for (compared in list(anova, AIC, BIC)) {
    expect_error(compared(smaller, fit), "restricted likelihoods of different trends",
      class = "neargp_error_comparison")
  }
  rotated <- restricted_fit(exact_gp(estimation = "REML"),
    covariance = cov_exponential(anisotropy = TRUE))
  expect_identical(anova(fit, rotated)$Df, c(NA, 2))
})

test_that("REML is refused where there is none", {
  expect_error(vecchia(inducing = 5, estimation = "REML"), "`estimation`",
    class = "neargp_error_argument")
  expect_error(exact_gp(estimation = "MAP"), "`estimation`", class = "neargp_error_argument")
  expect_error(restricted_fit(vecchia(5, estimation = "REML"), formula = cbind(z, height) ~ 1),
    "maximum likelihood only", class = "neargp_error_method")
})

test_that("maximum likelihood from few observations recommends REML, in a message and in print()", {
  fitted_to <- function(n, formula = z ~ 1, method = exact_gp(), ...) {
    neargp(formula, simulated_data(n), coords = ~ x + y, method = method,
      covariance = cov_exponential(...))
  }
  expect_message(few <- fitted_to(40), "exact_gp\\(estimation = \"REML\"\\)",
    class = "neargp_message_estimation")
  expect_output(print(few), "use method = exact_gp\\(estimation")
  expect_message(fitted_to(70, z ~ poly(x, 4) + poly(y, 4), vecchia(k = 5)), "70 .* 9 coefficients",
    class = "neargp_message_estimation")
  expect_no_message(enough <- fitted_to(60), class = "neargp_message_estimation")
  expect_false(any(grepl("REML", utils::capture.output(print(enough)))))
  for (method in list(exact_gp(estimation = "ML"), exact_gp(estimation = "REML"))) {
    expect_no_message(fitted_to(40, method = method), class = "neargp_message_estimation")
  }
  expect_no_message(fitted_to(40, z ~ 0), class = "neargp_message_estimation")
})
