# The score is zero on average for the exact likelihood, at any parameters.

consistent_fit <- function(n = 60L, ...) {
  set.seed(5)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- sin(5 * d$x) + rnorm(n, sd = 0.4)
  d$count <- rpois(n, exp(1 + sin(5 * d$x)))
  suppressMessages(neargp(data = d, coords = ~ x + y, ...))
}

test_that("the exact likelihood has a score of mean zero", {
  fit <- consistent_fit(formula = z ~ x, method = exact_gp(), covariance = cov_exponential())
  found <- check_consistency(fit, nsim = 60, seed = 1)
  expect_s3_class(found, "neargp_consistency")
  expect_identical(found$parameters$name, fit$parameters$name)
  expect_gt(found$p_value, 0.001)
  expect_identical(found$nsim + found$failed, 60L)
  expect_output(print(found), "simulated data sets")
  # at the fit's own data the score of its objective is zero
  own <- fit
  expect_lt(max(abs(score_of_draw(own, fit$data$y)), na.rm = TRUE), 2)
})

test_that("the score of counts is that of differences of the ELBO", {
  fit <- consistent_fit(formula = count ~ 1, family = poisson(), method = vnngp(k = 8))
  score <- score_of_draw(fit, fit$data$y)
  expect_lt(max(abs(score)), 0.5)
  found <- check_consistency(fit, nsim = 20, seed = 2)
  expect_true(all(is.finite(found$parameters$score)))
})

test_that("what has no score is refused", {
  refused <- function(fit) expect_error(check_consistency(fit), class = "neargp_error_method")
  refused(consistent_fit(formula = z ~ 1, method = svgp(inducing = 10)))
  refused(consistent_fit(formula = exp(z) ~ 1, transform = "log"))
  refused(consistent_fit(formula = cbind(z, count) ~ 1, method = vecchia(k = 5)))
})

test_that("with few simulations the p-value is that of Hotelling's test", {
  set.seed(3)
  scores <- matrix(rnorm(8 * 5), 8) %*% matrix(runif(25), 5)
  found <- summary_of_scores(scores, data.frame(name = letters[1:5]), 8L)
  tested <- anova(lm(scores ~ 1), lm(scores ~ 0), test = "Hotelling-Lawley")
  expect_equal(found$p_value, tested[["Pr(>F)"]][2L])
})
