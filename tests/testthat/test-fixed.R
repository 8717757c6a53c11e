# Parameters that are fixed: a refit at the estimates is the same fit, without their degrees of
# freedom.

rows_to_fix <- function(n = 120L) {
  set.seed(2)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n),
    site = factor(rep(1:10, length.out = n)))
  field <- sin(5 * d$x) + rnorm(10, sd = 0.5)[d$site]
  d$z <- 3 + 0.5 * d$a + field + rnorm(n, sd = 0.3)
  d$amount <- rgamma(n, 2, rate = 2 / exp(0.3 * d$a + field / 2))
  d$heavy <- d$z + rt(n, 3) / 5
  d
}

fit_to_fix <- function(formula, ...) {
  suppressMessages(neargp(formula, rows_to_fix(), coords = ~ x + y, ...))
}

# `...`: the fit, and the names of parameters to be fixed, one or several sets of them.
expect_same_refits <- function(sets, ...) {
  fit <- fit_to_fix(...)
  for (names in sets) {
    fixed <- coef(fit, what = "covariance")[names]
    again <- fit_to_fix(..., fixed = fixed)
    expect_lt(abs(again$log_likelihood - fit$log_likelihood), 1e-3)
    expect_equal(coef(again), coef(fit), tolerance = 0.01)
    expect_equal(coef(again, what = "covariance")[names], fixed, tolerance = 1e-10)
    expect_equal(attr(logLik(again), "df"), attr(logLik(fit), "df") - length(names))
    expect_true(all(is.na(summary(again)$covariance[names, "std_error"])))
  }
}

test_extended("a fit with parameters fixed at the estimates is the fit", {
  effect <- "sd_(Intercept)|site"
  sets <- list(effect, c("nugget", "range", effect))
  expect_same_refits(sets, z ~ a + (1 | site), method = exact_gp())
  expect_same_refits(sets, z ~ a + (1 | site), method = vecchia(k = 8))
  expect_same_refits(list("shape", c("shape", effect)), amount ~ a + (1 | site),
    family = stats::Gamma("log"), method = vnngp(k = 8))
  expect_same_refits(list(c("scale", "df")), heavy ~ a, family = student_t(), method = vnngp(k = 8))
  expect_same_refits(list("shape"), amount ~ a, family = stats::Gamma("log"), method = loo_k(k = 8))
  expect_same_refits(list(c("range", "anisotropy_ratio", "anisotropy_angle")), z ~ a,
    covariance = cov_exponential(anisotropy = TRUE), method = exact_gp())
})

test_that("parameters remain fixed in refits", {
  effect <- "sd_(Intercept)|site"
  fixed <- stats::setNames(c(0.2, 0.4), c(effect, "range"))
  fit <- fit_to_fix(z ~ a + (1 | site), fixed = fixed, method = exact_gp())
  layout <- problem_of_fit(fit)$layout
  expect_equal(layout$name[layout$fixed], c("range", "smoothness", effect)[c(TRUE,
    "smoothness" %in% layout$name, TRUE)])
  folds <- suppressMessages(cross_validate(fit, rep(1:3, 40), refit = TRUE))
  expect_s3_class(folds, "neargp_cv")
  expect_equal(nrow(suppressMessages(confint(fit, what = "covariance"))), nrow(fit$parameters))
})

test_that("arguments of families and `fixed` are the same", {
  by_argument <- fit_to_fix(heavy ~ a, family = student_t(df = 4, scale = 0.3))
  by_fixed <- fit_to_fix(heavy ~ a, family = student_t(), fixed = c(df = 4, scale = 0.3))
  expect_equal(by_fixed$log_likelihood, by_argument$log_likelihood, tolerance = 1e-10)
  # the same value twice, as in the estimates of an earlier fit
  both <- fit_to_fix(heavy ~ a, family = student_t(df = 4), fixed = c(df = 4, scale = 0.3))
  expect_equal(both$log_likelihood, by_argument$log_likelihood, tolerance = 1e-10)
})

test_that("simple kriging with a known mean is that of dense algebra", {
  d <- rows_to_fix()
  fit <- fit_to_fix(z ~ 1, covariance = cov_exponential(variance = 1, range = 0.5), nugget = 0.1,
    fixed = c("(Intercept)" = 2.5), method = exact_gp())
  expect_length(coef(fit), 0L)
  places <- as.matrix(d[c("x", "y")])
  new <- data.frame(x = c(0.3, 0.8), y = 0.5)
  K <- exp(-as.matrix(stats::dist(places)) / 0.5) + 0.1 * diag(nrow(d))
  cross <- exp(-sqrt(outer(new$x, d$x, "-")^2 + outer(new$y, d$y, "-")^2) / 0.5)
  expect_equal(predict(fit, new)$mean, drop(2.5 + cross %*% solve(K, d$z - 2.5)),
    tolerance = 1e-8)
  log_density <- -0.5 * (nrow(d) * log(2 * pi) + determinant(K)$modulus +
    sum((d$z - 2.5) * solve(K, d$z - 2.5)))
  expect_equal(c(logLik(fit)), c(log_density), tolerance = 1e-10)
  expect_equal(predict(fit, new, type = "trend")$mean, c(2.5, 2.5))
})

test_that("fixed coefficients of the trend are an offset", {
  fit <- fit_to_fix(z ~ a, fixed = c(a = 0.4), covariance = cov_exponential())
  by_offset <- fit_to_fix(z ~ offset(0.4 * a), covariance = cov_exponential())
  expect_equal(c(logLik(fit)), c(logLik(by_offset)), tolerance = 1e-10)
  new <- rows_to_fix()[1:4, ]
  expect_equal(predict(fit, new), predict(by_offset, new), tolerance = 1e-8)
  expect_equal(stats::residuals(fit), stats::residuals(by_offset), tolerance = 1e-8)
  expect_output(print(fit), "Fixed: a = 0.4")
  expect_error(anova(fit), "no terms")
  free <- fit_to_fix(z ~ a, covariance = cov_exponential())
  expect_equal(anova(fit, free)$Df, c(NA, 1))
  folds <- rep(1:3, 40)
  expect_equal(scores(cross_validate(fit, folds, refit = TRUE)),
    scores(cross_validate(by_offset, folds, refit = TRUE)), tolerance = 1e-6)
  skip_if_not_installed("emmeans")
  expect_error(emmeans::emmeans(fit, ~ 1), "fixed coefficients")
})

test_that("`fixed` refuses what it cannot fix", {
  refused <- function(fixed, ..., formula = z ~ a) {
    expect_error(fit_to_fix(formula, ..., fixed = fixed), class = "neargp_error_argument")
  }
  refused(3)
  refused(c(shape = 1))
  refused(c(range = -1))
  refused(c(variance = 1), covariance = cov_matern(variance = 2))
  refused(c(range = 1), formula = cbind(z, heavy) ~ 1)
  refused(c(anisotropy_ratio = 0.5), covariance = cov_exponential(anisotropy = TRUE))
  refused(c(range = 1), covariance = cov_exponential(anisotropy = TRUE))
})
