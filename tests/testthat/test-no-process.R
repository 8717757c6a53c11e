# Models without a process: generalised linear models and mixed models by other packages, and by
# dense algebra, are the same models.

rows_without_process <- function(n = 300L) {
  set.seed(4)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n), site = factor(sample(15, n, TRUE)))
  eta <- 0.4 + 0.5 * d$a
  d$count <- rpois(n, exp(eta))
  d$presence <- runif(n) < stats::plogis(eta)
  d$amount <- rgamma(n, shape = 2, rate = 2 / exp(eta))
  d$z <- eta + rnorm(n, sd = 0.7) + rnorm(15, sd = 0.5)[d$site]
  d
}

fit_alone <- function(...) suppressMessages(neargp(..., covariance = cov_none()))

test_that("families without a process are generalised linear models", {
  d <- rows_without_process()
  exact <- stats::glm.control(epsilon = 1e-14)
  poisson <- fit_alone(count ~ a, d, family = stats::poisson())
  by_glm <- stats::glm(count ~ a, stats::poisson(), d, control = exact)
  expect_equal(coef(poisson), coef(by_glm), tolerance = 1e-6)
  expect_equal(c(logLik(poisson)), c(logLik(by_glm)), tolerance = 1e-9)
  expect_equal(AIC(poisson), AIC(by_glm), tolerance = 1e-9)
  expect_equal(vcov(poisson), vcov(by_glm), tolerance = 1e-4)
  expect_equal(predict(poisson, d[1:3, ])$mean,
    unname(predict(by_glm, d[1:3, ], type = "response")), tolerance = 0.01)
  binomial <- fit_alone(presence ~ a, d)
  by_glm <- stats::glm(presence ~ a, stats::binomial(), d, control = exact)
  expect_equal(coef(binomial), coef(by_glm), tolerance = 1e-5)
  expect_equal(c(logLik(binomial)), c(logLik(by_glm)), tolerance = 1e-9)
  d$trials <- rpois(nrow(d), 5) + 1
  d$successes <- rbinom(nrow(d), d$trials, stats::plogis(0.3 * d$a))
  trials <- fit_alone(cbind(successes, trials - successes) ~ a, d, family = stats::binomial())
  by_glm <- stats::glm(cbind(successes, trials - successes) ~ a, stats::binomial(), d)
  expect_equal(coef(trials), coef(by_glm), tolerance = 1e-5)
  expect_equal(c(logLik(trials)), c(logLik(by_glm)), tolerance = 1e-8)
  gamma <- fit_alone(amount ~ a, d, family = stats::Gamma("log"))
  by_glm <- stats::glm(amount ~ a, stats::Gamma("log"), d, control = exact)
  expect_equal(coef(gamma), coef(by_glm), tolerance = 1e-6)
  # the shape of maximum likelihood: log(shape) - digamma(shape) = deviance / (2 n)
  shape <- stats::uniroot(function(s) log(s) - digamma(s) - by_glm$deviance / (2 * nrow(d)),
    c(0.1, 50), tol = 1e-12)$root
  expect_equal(unname(gamma$family_parameters), shape, tolerance = 1e-4)
  density <- stats::dgamma(d$amount, shape, rate = shape / stats::fitted(by_glm), log = TRUE)
  expect_equal(c(logLik(gamma)), sum(density), tolerance = 1e-7)
})

test_that("a Gaussian response without a process is linear regression, by every method", {
  d <- rows_without_process()
  by_lm <- stats::lm(z ~ a, d)
  for (method in list(exact_gp(), vecchia())) {
    fit <- fit_alone(z ~ a, d, method = method)
    expect_equal(coef(fit), coef(by_lm), tolerance = 1e-10)
    expect_equal(c(logLik(fit)), c(logLik(by_lm)), tolerance = 1e-5)
  }
  located <- fit_alone(z ~ a, d, coords = ~ x + y, method = vecchia())
  expect_equal(c(logLik(located)), c(logLik(by_lm)), tolerance = 1e-5)
  expect_equal(coef(located, what = "covariance"), c(nugget = mean(stats::resid(by_lm)^2)),
    tolerance = 0.01)
  expect_equal(attr(logLik(located), "df"), 3)
  expect_equal(predict(located, d[1:3, ], type = "process")$mean, rep(0, 3))
  expect_equal(nrow(simulate(fit, 2)), nrow(d))
})

test_extended("random effects without a process have the restricted likelihood of dense algebra", {
  d <- rows_without_process()
  fit <- fit_alone(z ~ a + (1 | site), d)
  X <- stats::model.matrix(~ a, d)
  Z <- stats::model.matrix(~ 0 + site, d)
  restricted <- function(theta) {
    V <- exp(theta[1L]) * diag(nrow(d)) + exp(2 * theta[2L]) * tcrossprod(Z)
    precision <- solve(V)
    information <- crossprod(X, precision %*% X)
    beta <- solve(information, crossprod(X, precision %*% d$z))
    residual <- d$z - X %*% beta
    -0.5 * ((nrow(d) - 2) * log(2 * pi) + determinant(V)$modulus +
      determinant(information)$modulus + sum(residual * (precision %*% residual)))
  }
  best <- stats::optim(c(-1, -1), function(theta) -restricted(theta),
    control = list(reltol = 1e-12))
  expect_equal(c(logLik(fit)), -best$value, tolerance = 1e-6)
  expect_equal(unname(coef(fit, what = "covariance")["nugget"]), exp(best$par[1L]),
    tolerance = 0.01)
})

test_that("random effects of counts have the likelihood of glmer() by Laplace's approximation", {
  skip_if_not_installed("lme4")
  d <- rows_without_process()
  fit <- fit_alone(count ~ a + (1 | site), d, family = stats::poisson(),
    method = vnngp(posterior = "laplace"))
  by_lme4 <- suppressMessages(lme4::glmer(count ~ a + (1 | site), d, family = "poisson"))
  expect_equal(c(logLik(fit)), c(logLik(by_lme4)), tolerance = 1e-4)
  expect_equal(coef(fit), lme4::fixef(by_lme4), tolerance = 0.01)
})

test_that("fits with and without a process are compared", {
  d <- rows_without_process(150L)
  d$count <- rpois(150, exp(1 + sin(6 * d$x) + 0.3 * d$a))
  with <- suppressMessages(neargp(count ~ a, d, coords = ~ x + y, family = stats::poisson(),
    covariance = cov_matern(), method = vnngp(k = 8)))
  without <- update(with, covariance = cov_none())
  table <- anova(without, with)
  expect_equal(table$Df, c(NA, 2))
  expect_gt(table$Chisq[2L], 10)
  expect_match(attr(table, "heading")[3L], "evidence lower bound", all = FALSE)
  # the ELBO of a vanishing process is the likelihood without it
  vanishing <- update(with, covariance = cov_matern(variance = 1e-9, range = 0.1))
  expect_equal(vanishing$log_likelihood, without$log_likelihood, tolerance = 1e-7)
  expect_error(AIC(with), class = "neargp_error_not_likelihood")
  set.seed(1)
  scores <- cross_validate(list(without = without, with = with), folds = 3)
  expect_s3_class(scores, "neargp_cv")
  gaussian <- suppressMessages(neargp(z ~ a, d, coords = ~ x + y, covariance = cov_matern(),
    method = vecchia(k = 8)))
  alone <- update(gaussian, covariance = cov_none())
  expect_no_warning(compared <- AIC(alone, gaussian))
  expect_equal(compared$df, c(3, 5))
  expect_equal(anova(alone, gaussian)$npar, c(3, 5))
})

test_that("a call without coords is a model without a process, and says so", {
  d <- rows_without_process(100L)
  plain <- d[setdiff(names(d), c("x", "y"))]
  expect_message(fit <- neargp(z ~ a, plain), class = "neargp_message_process")
  expect_output(print(fit), "none, no Gaussian process")
  # columns that look like coordinates, a covariance or a time ask for them
  expect_error(neargp(z ~ a, d), class = "neargp_error_coordinates")
  expect_error(neargp(z ~ a, plain, covariance = cov_matern()), class = "neargp_error_coordinates")
  expect_error(neargp(z ~ 1, plain, time = ~ a, covariance = cov_none()),
    class = "neargp_error_coordinates")
  expect_output(print(cov_none()), "No Gaussian process")
  expect_identical(cov_none() + cov_matern(), cov_matern())
})

test_that("models without a process are refused where there is none", {
  d <- rows_without_process(100L)
  refused <- function(...) expect_error(fit_alone(..., d), class = "neargp_error_covariance")
  refused(z ~ a, method = svgp())
  refused(site ~ a)
  refused(cbind(z, a) ~ 1)
  refused(z ~ a, control = neargp_control(precision = "single"), method = vecchia())
})
