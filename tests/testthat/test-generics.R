generic_fit <- function(method = vecchia(k = 15)) {
  neargp(z ~ height + group, simulated_data(150), coords = ~ x + y, method = method,
    covariance = cov_exponential())
}

test_that("the standard generics answer", {
  fit <- generic_fit()
  expect_named(coef(fit), c("(Intercept)", "height", "groupb", "groupc"))
  expect_named(coef(fit, "covariance"), c("variance", "range", "nugget"))
  expect_identical(dim(vcov(fit)), c(4L, 4L))
  expect_identical(nobs(fit), 150L)
  expect_identical(deparse(formula(fit)), "z ~ height + group")
  expect_identical(family(fit)$family, "gaussian")
  expect_equal(sigma(fit)^2, fit$nugget)
  expect_identical(dim(model.matrix(fit)), c(150L, 4L))
  expect_s3_class(terms(fit), "terms")
  expect_identical(weights(fit), rep(1, 150))
  likelihood <- logLik(fit)
  expect_identical(attr(likelihood, "df"), 7L)
  expect_equal(AIC(fit), -2 * c(likelihood) + 14)
  expect_equal(BIC(fit), -2 * c(likelihood) + 7 * log(150))
  expect_equal(deviance(fit), -2 * c(likelihood))
})

test_that("confint() is Wald, on the logarithmic scale for the covariance", {
  fit <- generic_fit()
  trend <- confint(fit, level = 0.9)
  expect_equal(trend[, 2L] - coef(fit), qnorm(0.95) * sqrt(diag(vcov(fit))))
  covariance <- confint(fit, "range", what = "covariance")
  relative <- sqrt(vcov(fit, "covariance")["range", "range"]) / coef(fit, "covariance")[["range"]]
  expect_equal(as.vector(covariance),
    coef(fit, "covariance")[["range"]] * exp(c(-1, 1) * qnorm(0.975) * relative))
  expect_error(confint(fit, "sill", what = "covariance"), "sill", class = "neargp_error_argument")
  expect_identical(confint(fit, c(1, 3)), confint(fit, c("(Intercept)", "groupb")))
  expect_identical(confint(fit, -1), confint(fit)[-1L, ])
  expect_error(confint(fit, 5), "numbers, not 5", class = "neargp_error_argument")
  expect_error(coef(fit, "nonsense"), "`what`", class = "neargp_error_argument")
})

test_extended("scores that are no likelihoods say so", {
  for (method in list(loo_k(k = 15), mll_k(k = 15))) {
    fit <- generic_fit(method)
    expect_output(print(logLik(fit)), "not a likelihood")
    expect_error(AIC(fit), "needs a likelihood", class = "neargp_error_not_likelihood")
    expect_error(BIC(fit), "needs a likelihood", class = "neargp_error_not_likelihood")
    expect_error(AIC(logLik(fit)), class = "neargp_error_not_likelihood")
    expect_error(deviance(fit), class = "neargp_error_not_likelihood")
    expect_true(all(is.na(vcov(fit, "covariance"))))
    expect_true(all(diag(vcov(fit)) > 0))
    expect_output(print(summary(fit)), "No standard errors")
  }
})

test_that("AIC() advises a method with a likelihood where the family has one", {
  advice <- function(call) {
    conditionMessage(expect_error(call, class = "neargp_error_not_likelihood"))
  }
  fit <- generic_fit(loo_k(k = 5))
  expect_match(advice(AIC(fit)), "fit with method = vecchia()", fixed = TRUE)
  expect_match(advice(AIC(logLik(fit))), "fit with method = vecchia()", fixed = TRUE)
  data <- simulated_data(60)
  data$count <- stats::rpois(60, 3)
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5),
    covariance = cov_exponential(variance = 0.1, range = 0.2))
  for (told in list(advice(AIC(counts)), advice(BIC(logLik(counts))), advice(deviance(counts)))) {
    expect_no_match(told, "vecchia|gaussian")
  }
  expect_match(advice(AIC(counts)), "cross_validate()", fixed = TRUE)
})

test_that("update() and model.frame() go back to the data", {
  data <- simulated_data(100)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential(), weights = x + 1)
  smaller <- update(fit, . ~ 1)
  expect_named(coef(smaller), "(Intercept)")
  expect_identical(smaller$data$weights, data$x + 1)
  expect_identical(nrow(model.frame(fit)), 100L)
  expect_equal(model.frame(fit)[["(weights)"]], data$x + 1)
  warm <- update(fit, start = fit)
  expect_lte(warm$convergence$iterations, 2L)
})

test_that("update() knows the arguments that were handed on by dots", {
  data <- transform(simulated_data(80), w = rep(1:2, 40))
  handed_on <- function(...) neargp(z ~ height, data, ..., covariance = cov_exponential())
  wrapped <- function(...) handed_on(coords = ~ x + y, ...)
  fit <- wrapped(method = vecchia(k = 5), weights = w)
  expect_identical(fit$call$weights, quote(w))
  expect_equal(coef(update(fit, nugget = 0.1)), coef(update(fit, weights = data$w, nugget = 0.1)))
})

test_extended("AIC() warns of fits whose likelihoods are not those of one approximation to the same data", {
  data <- simulated_data(80)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10))
  smaller <- update(fit, z ~ 1)
  expect_no_warning(table <- AIC(fit, smaller))
  expect_identical(nrow(table), 2L)
  expect_warning(AIC(fit, update(fit, method = vecchia(k = 5))), "differ in their method",
    class = "neargp_warning_comparison")
  expect_warning(BIC(fit, update(fit, exp(z / 10) ~ height)), "differ in their response",
    class = "neargp_warning_comparison")
  expect_no_warning(AIC(fit))
})

test_that("parm of confint() and k of AIC() are checked", {
  fit <- example_fit(60)
  for (parm in list(list(1), ~x, mean, "nope", 7)) expect_error(confint(fit, parm),
    "`parm` must be among", class = "neargp_error_argument")
  expect_identical(dim(confint(fit, "elevation")), c(1L, 2L))
  expect_error(AIC(fit, k = "a"), "`k` must be", class = "neargp_error_argument")
})

test_extended("model.matrix() has the attributes and names of that of lm()", {
  data <- transform(simulated_data(60), day = as.Date("2026-01-01") + 1:60, rank = ordered(group),
    high = height > 0, plain = as.character(group))
  formulas <- list(z ~ height * group, z ~ poly(height, 2) + group - 1, z ~ high:height + rank,
    z ~ splines::ns(height, 3) + plain + day, z ~ 1)
  for (formula in formulas) {
    fit <- neargp(formula, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
      covariance = cov_exponential(variance = 1, range = 0.2))
    expect_equal(model.matrix(fit), model.matrix(lm(formula, data)))
  }
  dropped <- neargp(z ~ group, data[-(1:3), ], coords = ~ x + y, method = exact_gp(),
    subset = height < 1, covariance = cov_exponential())
  expect_identical(case.names(dropped), case.names(lm(z ~ group, data[-(1:3), ],
    subset = height < 1)))
  expect_identical(rownames(model.matrix(dropped)), case.names(dropped))
})

test_that("arguments and generics of lm() are there", {
  fit <- generic_fit()
  expect_identical(coef(fit, complete = FALSE), coef(fit))
  expect_identical(vcov(fit, complete = FALSE), vcov(fit))
  expect_error(vcov(fit, complete = "yes"), "`complete`", class = "neargp_error_argument")
  expect_identical(df.residual(fit), 146L)
  expect_identical(variable.names(fit), names(coef(fit)))
})

test_that("labels() are those of the terms", {
  fit <- neargp(z ~ height * group, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5))
  expect_identical(labels(fit), labels(lm(z ~ height * group, simulated_data(60))))
})
