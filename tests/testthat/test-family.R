every_family <- function() {
  list(gaussian(), student_t(), binomial("logit"), binomial("probit"), binomial("cloglog"),
    poisson(), negative_binomial(), Gamma("log"), beta_response(), truncated_poisson(),
    truncated_nbinom2(), tweedie(), nbinom1(), gengamma(), quantile_regression(), zi_poisson(),
    zi_nbinom2(), betabinomial(), ordinal(), ordinal("probit"), censored_gaussian())
}

test_that("families are like those of stats", {
  for (family in every_family()) {
    expect_s3_class(family, "family")
    eta <- c(-1.3, 0, 0.8)
    mu <- family$linkinv(eta)
    expect_equal(family$linkfun(mu), eta)
    h <- 1e-6
    expect_equal(family$mu.eta(eta), (family$linkinv(eta + h) - family$linkinv(eta - h)) / (2 * h),
      tolerance = 1e-6)
  }
  expect_output(print(student_t()), "student_t.*identity")
  expect_output(print(negative_binomial(size = 2.5)), "size = 2.5")
  expect_false(any(grepl("Fixed", capture.output(print(beta_response())))))
})

test_that("variances are those of the response up to the dispersion", {
  eta <- c(-1, 0.5)
  expect_equal(negative_binomial(size = 3)$variance(exp(eta)),
    response_families$negative_binomial$variance(eta, list(size = 3)))
  expect_equal(negative_binomial()$variance(2, size = 4), 3)
  expect_error(negative_binomial()$variance(2))
  expect_equal(beta_response()$variance(plogis(eta)) / 8,
    response_families$beta$variance(eta, list(precision = 7)))
  expect_equal(student_t()$variance(eta), c(1, 1))
})

test_that("parameters outside their range are classed errors", {
  expect_error(student_t(df = 0.5), "`df`", class = "neargp_error_argument")
  expect_error(student_t(df = Inf), "`df`", class = "neargp_error_argument")
  expect_error(negative_binomial(size = 0), "`size`", class = "neargp_error_argument")
  expect_error(negative_binomial(size = c(1, 2)), "`size`", class = "neargp_error_argument")
  expect_error(beta_response(precision = -1), "`precision`", class = "neargp_error_argument")
  expect_error(beta_response("large"), "`precision`", class = "neargp_error_argument")
  expect_error(tweedie(power = 2), "`power`", class = "neargp_error_argument")
  expect_error(tweedie(dispersion = 0), "`dispersion`", class = "neargp_error_argument")
  expect_error(zi_poisson(zi = 1), "`zi`", class = "neargp_error_argument")
  expect_error(truncated_nbinom2(size = -1), "`size`", class = "neargp_error_argument")
  expect_error(ordinal("cloglog"), "`link`", class = "neargp_error_argument")
  expect_error(censored_gaussian(sd = 0), "`sd`", class = "neargp_error_argument")
  expect_error(betabinomial(precision = 0), "`precision`", class = "neargp_error_argument")
})

test_that("a family has a name in the core with the links that there are, and none with others", {
  expect_identical(vapply(every_family(), family_core_name, ""), names(response_families))
  expect_null(family_core_name(gaussian("log")))
  expect_null(family_core_name(Gamma()))
  expect_null(family_core_name(binomial("cauchit")))
  expect_null(family_core_name(quasipoisson()))
  expect_null(family_core_name(inverse.gaussian()))
  expect_setequal(family_links("binomial"), c("logit", "probit", "cloglog"))
  expect_length(family_links("quasi"), 0L)
  expect_equal(response_link(binomial("probit"))$linkinv(0.3), pnorm(0.3))
})

test_that("parameters have bounds around them, and may be fixed", {
  free <- family_parameters(student_t(), spread = 10)
  expect_identical(free$name, c("scale", "df"))
  expect_equal(free$lower, c(1e-3, 1))
  expect_equal(free$upper, c(100, 1000))
  expect_identical(free$fixed, c(NA_real_, NA_real_))
  expect_identical(family_parameters(student_t(df = 4))$fixed, c(NA, 4))
  expect_identical(family_parameters(beta_response(precision = 9))$fixed, 9)
  expect_equal(family_parameters(gaussian(), spread = 3)$upper, 900)
  expect_identical(nrow(family_parameters(poisson())), 0L)
})

test_that("methods refuse families and links by a classed error that says which there are", {
  expect_identical(check_family(negative_binomial, vnngp())$family, "negative_binomial")
  for (family in every_family()) expect_identical(check_family(family, vnngp()), family)
  expect_error(check_family(poisson(), vecchia()),
    "Vecchia.*poisson\\(\\).*log link.*gaussian\\(\\); without `method`",
    class = "neargp_error_family")
  expect_error(check_family(beta_response(), vecchia()), "beta_response\\(\\)",
    class = "neargp_error_family")
  expect_error(check_family(Gamma(), vnngp()), "inverse link.*Links of Gamma\\(\\): log, as in Gamma\\(link = .log",
    class = "neargp_error_family")
  expect_error(check_family(binomial("cauchit"), vnngp()), "logit, probit and cloglog",
    class = "neargp_error_family")
  expect_error(check_family(1, vnngp()), "`family`", class = "neargp_error_argument")
})

test_that("families are named with their article", {
  expect_identical(with_article("ordinal"), "an ordinal()")
  expect_identical(with_article("poisson"), "a poisson()")
})
