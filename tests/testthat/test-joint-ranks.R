# The number of shared factors.

five_species <- function(n = 200) {
  set.seed(3)
  d <- data.frame(x = runif(n), y = runif(n))
  distance <- as.matrix(dist(d)) / 0.15
  root <- t(chol((1 + distance) * exp(-distance) + diag(1e-8, n)))
  loadings <- rbind(c(0.9, 0), c(0.7, 0.5), c(-0.6, 0.6), c(0.2, -0.8), c(0.8, 0.3))
  eta <- root %*% matrix(rnorm(2 * n), n) %*% t(loadings)
  d$counts <- matrix(rpois(5 * n, exp(0.5 + eta)), n, dimnames = list(NULL, paste0("s", 1:5)))
  d
}

test_extended("two factors are found in data of two factors", {
  d <- five_species()
  fit <- neargp(counts ~ 1, d, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  ranks <- compare_ranks(fit, 1:3)
  expect_identical(ranks$chosen, "2")
  expect_equal(ranks$best$log_likelihood, fit$log_likelihood, tolerance = 1e-6)
  # five intercepts and a range, with 5, 9 and 12 loadings; else five variances and five ranges
  expect_equal(ranks$table$df, c(15, 11, 15, 18))
  expect_equal(ranks$table$criterion, 2 * ranks$table$df - 2 * ranks$table$score)
  expect_output(print(ranks), "Lowest criterion (2 df - 2 ELBO): 2", fixed = TRUE)
  set.seed(1)
  held_out <- compare_ranks(fit, 1:2, folds = 4, own = cov_exponential())
  expect_identical(rownames(held_out$table), c("separate", "1", "2", "1 + own", "2 + own"))
  expect_lt(held_out$table["2", "log_score"], held_out$table["1", "log_score"])
  # the score is that of cross_validate() with the same folds
  set.seed(1)
  folds <- folds_of_places(fit, 4)[fit$posterior$place]
  expect_equal(held_out$table["2", "log_score"],
    mean(cross_validate(held_out$fits[["2"]], folds)$predictions$log_score))
  for (wrong in list(list(ranks = 0), list(ranks = 6), list(ranks = c(1, 1)), list(own = "all"),
    list(folds = 1), list(covariance = cov_coregionalisation(cov_matern())))) {
    expect_error(do.call(compare_ranks, c(list(fit), wrong)), class = "neargp_error")
  }
  expect_error(compare_ranks(d), class = "neargp_error_argument")
})

test_extended("AIC is the name of a likelihood's criterion, and absent separate fits have no row", {
  set.seed(1)
  d <- data.frame(x = runif(40), y = runif(40))
  d$a <- sin(6 * d$x) + rnorm(40, sd = 0.3)
  d$b <- sin(6 * d$x) + rnorm(40, sd = 0.3)
  d$kind <- sample(c("bog", "heath", "wood"), 40, TRUE)
  pair <- neargp(list(a ~ 1, b ~ 1), d, coords = ~ x + y, method = vnngp(k = 5))
  ranks <- compare_ranks(pair, 1)
  expect_identical(rownames(ranks$table), c("separate", "1"))
  expect_equal(ranks$table["1", "criterion"], AIC(ranks$best))
  expect_output(print(ranks), "Lowest AIC: 1")
  kinds <- neargp(kind ~ 1, d, coords = ~ x + y, family = multinomial(), method = vnngp(k = 5))
  ranks <- compare_ranks(kinds, 1)
  expect_identical(rownames(ranks$table), "1")
  expect_output(print(ranks), "Lowest criterion (2 df - 2 ELBO): 1", fixed = TRUE)
  expect_error(AIC(kinds), class = "neargp_error")
})

test_extended("numbers of factors are compared without the checkpoint of the fit", {
  file <- withr::local_tempfile()
  d <- five_species(60)
  d$counts <- d$counts[, 1:2]
  fit <- neargp(counts ~ 1, d, coords = ~ x + y, family = poisson(),
    method = vnngp(k = 5), control = neargp_control(checkpoint = file))
  expect_identical(rownames(compare_ranks(fit, 1:2)$table), c("separate", "1", "2"))
})

test_that("more factors never lower the score: models are nested", {
  d <- five_species(120)
  d$counts <- d$counts[, 1:2]
  fit <- neargp(counts ~ 1, d, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  ranks <- compare_ranks(fit, 1:2)
  expect_true(ranks$fits[["2"]]$prior)
  expect_gte(ranks$table["2", "score"], ranks$table["1", "score"] - 1e-3)
})

test_extended("a fit continues from an earlier one, and changes of formulas reach all responses", {
  d <- five_species(80)
  d$level <- sin(6 * d$x) + d$counts[, 1L]
  fit <- neargp(list(first = counts[, "s1"] ~ 1, level ~ 1), d, coords = ~ x + y,
    family = list(poisson(), gaussian()), method = vnngp(k = 8))
  again <- update(fit, start = fit)
  expect_equal(again$log_likelihood, fit$log_likelihood, tolerance = 1e-6)
  expect_equal(again$separate, fit$separate, tolerance = 1e-4)
  expect_lt(again$convergence$evaluations, fit$convergence$evaluations / 2)
  expect_warning(stopped <- update(fit, control = neargp_control(max_iterations = 1)),
    "It can be used and continued", class = "neargp_warning_convergence")
  expect_gt(fit$log_likelihood, stopped$log_likelihood)
  expect_equal(update(fit, start = stopped)$log_likelihood, fit$log_likelihood, tolerance = 1e-4)
  expect_named(coef(update(fit, . ~ . + x)), c("first:(Intercept)", "first:x",
    "level:(Intercept)", "level:x"))
  expect_named(coef(update(fit, list(first = counts[, "s1"] ~ 0, level ~ y))),
    c("level:(Intercept)", "level:y"))
  expect_error(update(fit, start = c(range = 1)), class = "neargp_error_argument")
  other <- cov_coregionalisation(cov_matern(nu = 1.5), rank = 1)
  expect_error(update(fit, covariance = other, start = fit), "same fields",
    class = "neargp_error_argument")
  expect_error(update(fit, list(second = counts[, "s2"] ~ 1, level ~ 1), start = fit),
    "same responses", class = "neargp_error_argument")
})
