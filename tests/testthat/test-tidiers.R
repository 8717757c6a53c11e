tidied_fit <- function(method = vecchia(k = 10), ...) {
  set.seed(41)
  data <- data.frame(x = runif(150), y = runif(150), elevation = rnorm(150))
  data$z <- 1 + 2 * data$elevation + sin(6 * data$x) + rnorm(150, sd = 0.3)
  neargp(z ~ elevation, data, coords = ~ x + y, method = method, ...)
}

test_extended("tidy() has one row for each parameter and agrees with coef(), vcov() and confint()", {
  fit <- tidied_fit(covariance = cov_matern(nu = 1.5))
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.9)
  trend <- table[table$effect == "trend", ]
  expect_equal(trend$term, c("(Intercept)", "elevation"))
  expect_equal(trend$estimate, unname(coef(fit)))
  expect_equal(trend$std.error, unname(sqrt(diag(vcov(fit)))))
  expect_equal(cbind(trend$conf.low, trend$conf.high), unname(confint(fit, level = 0.9)))
  covariance <- tidy(fit, effects = "covariance", conf.int = TRUE, conf.level = 0.9)
  expect_equal(covariance$term, names(coef(fit, what = "covariance")))
  expect_equal(covariance$estimate, unname(coef(fit, what = "covariance")))
  expect_equal(cbind(covariance$conf.low, covariance$conf.high),
    unname(confint(fit, level = 0.9, what = "covariance")))
  expect_equal(table[table$effect == "covariance", ], covariance, ignore_attr = TRUE)
  expect_true(is.na(covariance$std.error[covariance$term == "smoothness"]))
  expect_named(tidy(fit), c("effect", "term", "estimate", "std.error", "statistic", "p.value"))
  expect_error(tidy(fit, conf.int = TRUE, conf.level = 2), "`conf.level`",
    class = "neargp_error_argument")
})

test_extended("glance() is one row that agrees with the fit", {
  fit <- tidied_fit()
  row <- glance(fit)
  expect_equal(nrow(row), 1)
  expect_equal(row$nobs, 150)
  expect_equal(row$logLik, as.numeric(logLik(fit)))
  expect_equal(row$AIC, AIC(fit))
  expect_equal(row$sigma, sqrt(fit$nugget))
  expect_equal(row$range, coef(fit, what = "covariance")[["range"]])
  expect_equal(row$method, "vecchia")
  expect_equal(row$k, 10)
  sum_of_two <- glance(tidied_fit(covariance = cov_exponential(range = 0.3) +
    cov_gaussian(range = 0.1)))
  expect_equal(sum_of_two$range, 0.3)
})

test_that("scores that are no likelihoods have no AIC", {
  row <- glance(tidied_fit(method = loo_k(k = 10)))
  expect_true(is.na(row$AIC) && is.na(row$BIC))
  expect_equal(row$method, "loo_k")
})

test_that("a fit without trend coefficients has no trend rows", {
  set.seed(42)
  data <- data.frame(x = runif(80), y = runif(80))
  data$z <- sin(6 * data$x) + rnorm(80, sd = 0.3)
  table <- tidy(neargp(z ~ 0, data, coords = ~ x + y, method = vecchia(k = 8)), conf.int = TRUE)
  expect_false("trend" %in% table$effect)
  expect_true(all(c("variance", "range", "nugget") %in% table$term))
})

test_extended("augment() adds fitted values and leave-one-out predictions to the data", {
  fit <- tidied_fit()
  table <- augment(fit)
  expect_equal(table$z, fit$data$y)
  expect_equal(table$elevation, unname(fit$data$X[, 2]))
  expect_equal(table$x, fit$data$coords[, 1])
  expect_equal(table$.fitted, fitted(fit))
  expect_equal(table$.resid, unname(residuals(fit)))
  expect_equal(table$z - table$.loo_mean, unname(residuals(fit, "loo")))
  expect_equal(table$.loo_std_resid, unname(residuals(fit, "standardized")))
  given <- data.frame(id = 1:150)
  expect_named(augment(fit, given), c("id", ".fitted", ".resid", ".loo_mean", ".loo_sd",
    ".loo_std_resid"))
  expect_error(augment(fit, given[-1, , drop = FALSE]), "150 rows that were fitted",
    class = "neargp_error_argument")
  expect_error(augment(fit, newdata = given[1:3, , drop = FALSE]), class = "neargp_error_newdata")
})

test_extended("tidy() knows the names of mixed models, and exponentiates the trend", {
  fit <- tidied_fit()
  expect_identical(tidy(fit, effects = "fixed"), tidy(fit, effects = "trend"))
  expect_error(tidy(fit, "foo"), "\"fixed\", \"ran_pars\"", class = "neargp_error_argument")
  expect_identical(tidy(fit, effects = c("fixed", "ran_pars")), tidy(fit))
  odds <- tidy(fit, conf.int = TRUE, exponentiate = TRUE)
  plain <- tidy(fit, conf.int = TRUE)
  trend <- plain$effect == "trend"
  for (column in c("estimate", "conf.low", "conf.high")) {
    expect_equal(odds[[column]], ifelse(trend, exp(plain[[column]]), plain[[column]]))
  }
  expect_equal(odds$std.error[trend], (exp(plain$estimate) * plain$std.error)[trend])
  expect_identical(odds[!trend, ], plain[!trend, ])
  row <- glance(fit)
  expect_equal(row$deviance, -2 * row$logLik)
  expect_identical(row$df.residual, 148L)
})

test_that("leave-one-out scores of a fit are those of its leave-one-out predictions", {
  fit <- tidied_fit()
  table <- augment(fit)
  expect_equal(scores(fit, level = 0.9), scores(table$z, table$.loo_mean, table$.loo_sd,
    level = 0.9), ignore_attr = "left_out")
})

test_that("augment() has the columns of the data and their row names, residuals these names", {
  set.seed(43)
  data <- data.frame(x = runif(80), y = runif(80), kind = factor(rep_len(c("a", "b"), 80)),
    unused = 1, row.names = paste0("r", 1:80))
  data$z <- rnorm(80) + (data$kind == "a")
  data$z[3] <- NA
  fit <- neargp(z ~ kind, data, coords = ~ x + y, method = vecchia(k = 8), subset = x < 0.9)
  kept <- data$x < 0.9 & !is.na(data$z)
  table <- augment(fit)
  expect_identical(table[c("z", "kind", "x", "y")], data[kept, c("z", "kind", "x", "y")])
  expect_named(residuals(fit), row.names(data)[kept])
  expect_equal(table$.resid, unname(residuals(fit)))
  data$x <- rev(data$x)
  expect_named(augment(fit)[1:4], c("z", "kindb", "x", "y"))
})

test_that("whether Adam converged is not known", {
  expect_identical(
    glance(tidied_fit(method = loo_k(k = 10, optimizer = "adam", steps = 20)))$converged, NA)
})

test_that("p values are those of the summary", {
  fit <- tidied_fit()
  table <- tidy(fit)
  expect_equal(table$p.value[table$effect == "trend"],
    unname(summary(fit)$coefficients[, "Pr(>|z|)"]))
  expect_true(all(is.na(table$p.value[table$effect == "covariance"])))
})

test_extended("augment() takes data with the rows that na.exclude left out", {
  data <- simulated_data(60)
  data$z[c(3, 50)] <- NA
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8), na.action = na.exclude)
  table <- augment(fit, data = data)
  expect_identical(table[names(data)], data)
  expect_identical(which(is.na(table$.fitted)), c(3L, 50L))
  expect_equal(table$.loo_mean, loo_predict(fit, parameters = "plug-in")$mean)
  expect_equal(na.omit(table)$.resid, augment(fit)$.resid)
  expect_error(augment(update(fit, na.action = na.omit), data = data),
    class = "neargp_error_argument")
})

test_that("a joint fit has terms, designs and tables of each response", {
  d <- three_responses_data()
  fit <- neargp(list(y1 ~ z, y2 ~ 1), d, coords = ~ x + y, method = vnngp(k = 5),
    family = list(poisson(), binomial()))
  expect_equal(labels(terms(fit)$y1), "z")
  expect_error(check_consistency(fit), "that share fields", class = "neargp_error_argument")
  expect_equal(unname(model.matrix(fit)$y1[, "z"]), d$z)
  table <- augment(fit)
  expect_equal(as.vector(table(table$response)[c("y1", "y2")]), c(60L, 50L))
  expect_equal(table$.observed, c(d$y1, d$y2[1:50]))
  expect_equal(table$row, c(1:60, 1:50))
  expect_equal(table$.fitted[1:60], unname(fitted(fit)[, "y1"]))
  expect_equal(vapply(model.frame(fit), nrow, 0L), c(y1 = 60L, y2 = 50L))
  new <- d[3:4, c("x", "y", "z")]
  expect_equal(augment(fit, newdata = new)$.fitted_y2, predict(fit, new)$mean_y2)
})

test_that("tidy() of a model without a process has the trend alone", {
  fit <- neargp(y1 ~ z, three_responses_data(), family = poisson(), covariance = cov_none())
  expect_equal(tidy(fit)$estimate, unname(coef(fit)))
})

test_that("augment() of a joint fit to a subset numbers its rows", {
  d <- three_responses_data()
  fit <- neargp(list(y1 ~ z, y3 ~ 1), d, coords = ~ x + y, method = vnngp(k = 5),
    family = list(poisson(), Gamma("log")), subset = x > 0.3)
  expect_equal(sum(augment(fit)$response == "y1"), sum(d$x > 0.3))
})
