methods_fit <- local({
  kept <- NULL
  function() {
    kept <<- kept %||% neargp(z ~ a + (a || site) + (1 | year), effects_data(), coords = ~ x + y,
      method = vecchia(15), covariance = cov_exponential(), threads = 1L)
  }
})

test_extended("variances are told as lme4 does", {
  fit <- methods_fit()
  V <- VarCorr(fit)
  expect_named(V, c("site", "site.1", "year"))
  table <- as.data.frame(V)
  expect_identical(table$grp, c("site", "site.1", "year", "Residual"))
  expect_equal(table$sdcor, unname(c(coef(fit, "covariance")[4:6], sigma(fit))))
  expect_equal(table$vcov, table$sdcor^2)
  expect_output(print(V), "Groups +Name +Std.Dev.")
  expect_output(print(fit), "Random effects:.*Levels: site, 8; year, 5")
  expect_output(print(summary(fit)), "Random effects:")
})

test_that("nlme's generics are those of lme4", {
  fit <- methods_fit()
  expect_identical(fixef(fit), coef(fit))
  expect_identical(nlme::fixef(fit), coef(fit))
  expect_named(ranef(fit), c("site", "year"))
  expect_named(ranef(fit)$site, c("(Intercept)", "a"))
  expect_named(ranef(fit, se = TRUE)$year, c("(Intercept)", "se_(Intercept)"))
  expect_error(ranef(neargp(z ~ a, effects_data(), coords = ~ x + y, threads = 1L)),
    "no random effects", class = "neargp_error_argument")
})

test_that("tidy() has parameters and effects", {
  fit <- methods_fit()
  table <- tidy(fit, effects = c("fixed", "ran_pars", "ran_vals"), conf.int = TRUE)
  expect_identical(table$term[-(1:8)], names(coef(fit, "random")))
  errors <- unname(sqrt(diag(vcov(fit, "random"))))
  # the standard deviation of some terms is 0, and they come without a standard error
  vanished <- errors < 1e-3 * max(errors)
  expect_equal(table$std.error[-(1:8)], replace(errors, vanished, NA))
  expect_identical(table$conf.low[-(1:8)] <= table$conf.high[-(1:8)], !vanished | NA)
  expect_identical(glance(fit)$df, 2L + 6L)
})

test_extended("REML fits of different trends are not compared", {
  fit <- methods_fit()
  expect_identical(fit$score, "restricted log-likelihood")
  other <- update(fit, . ~ . - a)
  expect_error(anova(fit, other), "different trends", class = "neargp_error_comparison")
  expect_error(AIC(fit, other), "different trends", class = "neargp_error_comparison")
  ml <- update(fit, method = vecchia(15, estimation = "ML"))
  expect_identical(ml$score, "log-likelihood")
})

test_that("residuals of the trend are those of the trend with its effects", {
  fit <- methods_fit()
  data <- effects_data()
  at <- predict(fit, data, type = "trend")$mean
  expect_equal(unname(residuals(fit, "trend")), data$z - at, tolerance = 1e-8)
  expect_equal(fitted(fit), predict(fit, data, type = "link", local_mean = FALSE, sectors = 0)$mean,
    tolerance = 1e-8)
  expect_s3_class(scores(fit), "data.frame")
  expect_equal(dim(dfbeta(fit)), c(80L, 2L))
  expect_length(hatvalues(fit), 80L)
})

test_extended("intervals by profile hold the estimates, and a fit goes on from itself", {
  fit <- methods_fit()
  limits <- confint(fit, "sd_(Intercept)|site", what = "covariance", method = "profile")
  estimate <- coef(fit, "covariance")[["sd_(Intercept)|site"]]
  expect_true(limits[1] < estimate && estimate < limits[2])
  wald <- confint(fit, "sd_(Intercept)|site", what = "covariance")
  expect_equal(unname(log(limits)), unname(log(wald)), tolerance = 0.5)
  again <- update(fit, start = fit)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-6)
})

test_extended("marginal means are those of the trend, with smooths at their mean", {
  skip_if_not_installed("mgcv")
  skip_if_not_installed("emmeans")
  data <- transform(effects_data(), year = factor(year))
  fit <- neargp(z ~ a + year + s(depth, k = 5) + (1 | site), data, coords = ~ x + y,
    method = vecchia(10), covariance = cov_exponential(range = 0.2), threads = 1L)
  expect_lt(max(abs(colMeans(fit$data$X[, "s(depth).1", drop = FALSE]))), 1e-8)
  means <- as.data.frame(emmeans::emmeans(fit, ~ year, at = list(a = 0)))
  expect_equal(means$emmean[1], coef(fit)[["(Intercept)"]])
  expect_equal(means$emmean[3] - means$emmean[1], coef(fit)[["year2003"]])
  skip_if_not_installed("effects")
  effect <- as.data.frame(effects::Effect("year", fit))
  expect_equal(diff(effect$fit[1:2]), coef(fit)[["year2002"]])
})

test_extended("the design says which column is of which term, of smooths none", {
  skip_if_not_installed("mgcv")
  fit <- neargp(z ~ a + s(depth, k = 5), effects_data(), coords = ~ x + y, method = vecchia(10),
    covariance = cov_exponential(range = 0.2), threads = 1L)
  design <- model.matrix(fit)
  expect_identical(attr(design, "assign"), c(0L, 1L, NA))
  expect_identical(colnames(design), names(coef(fit)))
  expect_identical(anova(fit)[["Df"]], anova(update(fit, . ~ . - s(depth, k = 5)))[["Df"]])
})

test_that("effects whose variance is 0 have no standard error, and not one of 0", {
  set.seed(4)
  data <- data.frame(x = stats::runif(40), y = stats::runif(40))
  data$z <- sin(6 * data$x) + stats::rnorm(40, sd = 0.3)
  data$g <- rep(1:8, 5)
  fit <- neargp(z ~ 1 + (1 | g), data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  expect_identical(fit$parameters$estimate[fit$parameters$name == "sd_(Intercept)|g"], 0)
  expect_true(is.na(fit$parameters$std_error[fit$parameters$name == "sd_(Intercept)|g"]))
  expect_true(all(is.na(ranef(fit, se = TRUE)$g[["se_(Intercept)"]])))
  table <- tidy(fit, "ran_vals", conf.int = TRUE)
  expect_true(all(is.na(table$std.error) & is.na(table$conf.low)))
  expect_false(anyNA(table$estimate))
})

test_that("the linear part of a smooth is not tested alone", {
  skip_if_not_installed("mgcv")
  fit <- neargp(z ~ a + s(depth, k = 5), effects_data(), coords = ~ x + y, method = vecchia(8),
    covariance = cov_exponential(variance = 0.5, range = 0.2), threads = 1L)
  table <- summary(fit)$coefficients
  expect_identical(rownames(table), c("(Intercept)", "a", "s(depth).1"))
  expect_identical(is.na(table[, "Pr(>|z|)"]), c(`(Intercept)` = FALSE, a = FALSE,
    `s(depth).1` = TRUE))
  expect_false(anyNA(table[, c("Estimate", "Std. Error")]))
  expect_identical(is.na(tidy(fit)$p.value[1:3]), c(FALSE, FALSE, TRUE))
  expect_output(print(summary(fit)), "s\\(depth\\).1: part of a smooth, not tested alone")
  alone <- update(fit, . ~ 0 + s(depth, k = 5))
  expect_output(print(summary(alone)), "s\\(depth\\).1 ")
})
