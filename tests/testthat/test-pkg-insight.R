# Packages on top of insight read a fit: ggeffects, parameters, performance; and car and effects,
# which need no methods but those of stats.

insight_fit <- function(package, ...) {
  skip_if_not_installed(package)
  neargp(z ~ height + group, simulated_data(80), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(), ...)
}

test_extended("parameters has the tests and intervals of summary() and confint()", {
  fit <- insight_fit("parameters")
  table <- parameters::model_parameters(fit, ci = 0.9)
  expected <- summary(fit)$coefficients
  expect_equal(table$Parameter, rownames(expected))
  expect_equal(unname(as.matrix(as.data.frame(table)[c("Coefficient", "SE", "z", "p")])),
    unname(expected))
  expect_equal(unname(as.matrix(as.data.frame(table)[c("CI_low", "CI_high")])),
    unname(confint(fit, level = 0.9)))
  expect_identical(table$df_error, rep(Inf, 4L))
  expect_error(parameters::standard_error(fit, vcov = "HC3"), class = "neargp_error_argument")
  both <- parameters::ci(fit, ci = c(0.5, 0.9))
  expect_identical(both$CI, rep(c(0.5, 0.9), each = 4L))
})

test_that("insight knows statistic, degrees of freedom, likelihood and convergence", {
  fit <- insight_fit("insight")
  expect_equal(insight::get_statistic(fit)$Statistic,
    unname(summary(fit)$coefficients[, "z value"]))
  expect_identical(insight::get_df(fit), df.residual(fit))
  expect_identical(insight::get_df(fit, type = "wald"), Inf)
  expect_identical(insight::get_df(fit, type = "model"), attr(logLik(fit), "df"))
  expect_equal(c(insight::get_loglikelihood(fit)), c(logLik(fit)))
  expect_true(insight::is_converged(fit))
})

test_that("insight predicts by the trend at covariates and by everything at places", {
  fit <- insight_fit("insight")
  grid <- data.frame(height = c(-1, 2), group = c("a", "c"))
  X <- cbind(1, grid$height, 0, c(0, 1))
  trend <- as.data.frame(insight::get_predicted(fit, grid, ci = 0.9))
  error <- sqrt(diag(X %*% vcov(fit) %*% t(X)))
  expect_equal(trend$Predicted, drop(X %*% coef(fit)))
  expect_equal(trend$CI_high - trend$Predicted, qnorm(0.95) * error)
  places <- cbind(grid, x = c(0.2, 0.7), y = 0.5)
  at <- as.data.frame(insight::get_predicted(fit, places))
  expected <- predict(fit, places, interval = "confidence")
  expect_equal(at[c("Predicted", "CI_low", "CI_high")], expected[c("mean", "lower", "upper")],
    ignore_attr = TRUE)
  expect_equal(c(insight::get_predicted(fit, places, include_random = FALSE)),
    c(insight::get_predicted(fit, grid)), ignore_attr = TRUE)
  expect_equal(as.vector(insight::get_predicted(fit)), fitted(fit))
  expect_error(insight::get_predicted(fit, grid, predict = "prediction"), "Add the columns x and y",
    class = "neargp_error_newdata")
  expect_error(insight::get_predicted(fit, grid["height"]), "group", class = "neargp_error_newdata")
})

test_extended("ggeffects has the trend's predictions, and those of emmeans", {
  skip_if_not_installed("emmeans")
  fit <- insight_fit("ggeffects")
  predicted <- ggeffects::ggpredict(fit, "height [-1, 1]", verbose = FALSE)
  X <- cbind(1, c(-1, 1), 0, 0)
  expect_equal(predicted$predicted, drop(X %*% coef(fit)))
  expect_equal(predicted$conf.low, drop(X %*% coef(fit)) -
    qnorm(0.975) * sqrt(diag(X %*% vcov(fit) %*% t(X))))
  means <- ggeffects::ggemmeans(fit, "group", verbose = FALSE)
  expect_equal(means$predicted, as.data.frame(emmeans::emmeans(fit, "group"))$emmean)
})

test_extended("a negative binomial response is a count, and smooths have the columns of the data", {
  skip_if_not_installed("ggeffects")
  skip_if_not_installed("mgcv")
  data <- transform(simulated_data(80), count = rep(0:3, 20))
  fit <- neargp(count ~ s(height, k = 4), data, coords = ~ x + y, method = vnngp(k = 5),
    family = negative_binomial(size = 2), covariance = cov_exponential(variance = 0.1, range = 0.2))
  info <- insight::model_info(fit)
  expect_true(info$is_count && info$is_negbin)
  expect_false(info$is_binomial || info$is_logit)
  expect_no_warning(columns <- insight::get_data(fit, source = "mf"))
  expect_equal(columns$height, data$height)
  expect_no_warning(predicted <- ggeffects::ggpredict(fit, "height [0.5]", verbose = FALSE))
  expect_match(attr(predicted, "title"), "counts")
  parts <- predict(fit, data.frame(height = 0.5, x = 9, y = 9), type = "terms")
  expect_equal(predicted$predicted, exp(parts$trend + parts$`s(height)`))
})

test_extended("performance has leave-one-out figures, and no test that ignores the field", {
  fit <- insight_fit("performance")
  table <- performance::model_performance(fit)
  expect_equal(table$AIC, AIC(fit))
  expect_equal(table$RMSE_loo, sqrt(mean(residuals(fit, "loo")^2)))
  expect_equal(table$R2_loo, 1 - sum(residuals(fit, "loo")^2) / sum((fit$data$y -
    mean(fit$data$y))^2))
  expect_true(performance::check_convergence(fit))
  expect_equal(performance::performance_aicc(fit), AIC(fit) + 2 * 7 * 8 / (80 - 7 - 1))
  expect_identical(performance::performance_aic(fit), AIC(fit))
  expect_identical(insight::get_deviance(fit), -2 * as.numeric(logLik(fit)))
  counts <- suppressMessages(neargp(rep(0:3, 5) ~ 1, data.frame(x = 1:20), coords = ~x,
    family = poisson(), covariance = cov_exponential(1, 2)))
  for (f in list(performance::performance_aic, performance::performance_aicc,
      insight::get_deviance)) {
    expect_error(f(counts), class = "neargp_error_not_likelihood")
  }
  expect_error(performance::check_heteroscedasticity(fit), "leave-one-out",
    class = "neargp_error_method")
  expect_error(performance::check_autocorrelation(fit), "residual_map",
    class = "neargp_error_method")
  set.seed(1)
  drawn <- performance::check_predictions(fit, iterations = 3)
  set.seed(1)
  expect_equal(drawn$sim_2, simulate(fit, 3)$sim_2)
  expect_equal(drawn$y, fit$data$y)
})

test_that("car tests terms by Wald statistics from vcov(), and has inflation factors", {
  fit <- insight_fit("car")
  table <- car::Anova(fit)
  statistic <- function(columns) {
    b <- coef(fit)[columns]
    drop(b %*% solve(vcov(fit)[columns, columns], b))
  }
  expect_equal(table$Chisq, c(statistic(2L), statistic(3:4)))
  expect_identical(table$Df, c(1, 2))
  expect_equal(car::Anova(fit, type = "III")[c("height", "group"), "Chisq"], table$Chisq)
  R <- cov2cor(vcov(fit)[-1L, -1L])
  expect_equal(car::vif(fit)["group", "GVIF"], det(R[2:3, 2:3]) / det(R))
  expect_equal(car::linearHypothesis(fit, c("groupb = 0", "groupc = 0"))$Chisq[2L], statistic(3:4))
})

test_extended("effects are those of the trend with the fit's coefficients and covariance matrix", {
  fit <- insight_fit("effects")
  effect <- effects::Effect("group", fit)
  X <- cbind(1, mean(fit$data$X[, "height"]), c(0, 1, 0), c(0, 0, 1))
  expect_equal(as.vector(effect$fit), drop(X %*% coef(fit)))
  expect_equal(as.vector(effect$se), sqrt(diag(X %*% vcov(fit) %*% t(X))))
})

test_extended("effects have the mean of all offsets, and the mean of any family", {
  skip_if_not_installed("effects")
  data <- transform(simulated_data(80), count = rep(0:3, 20),
    level = factor(rep(1:4, 20), ordered = TRUE))
  fitted <- function(formula, ...) neargp(formula, data, coords = ~ x + y, ...,
    covariance = cov_exponential(variance = 0.1, range = 0.2))
  at <- c(-1, 0, 2)
  effect_of <- function(fit) effects::Effect("height", fit, xlevels = list(height = at))
  several <- effect_of(fit <- fitted(z ~ height + offset(x) + offset(2 * y), method = exact_gp(),
    offset = height^2))
  expected <- coef(fit)[[1L]] + coef(fit)[[2L]] * at + mean(fit$data$offset)
  expect_equal(as.vector(several$fit), expected)
  none <- effect_of(fit <- fitted(z ~ 0 + height + offset(x), method = exact_gp()))
  expect_equal(as.vector(none$fit), coef(fit)[[1L]] * at + mean(data$x))
  means <- list(list(zi_poisson(zi = 0.3), function(eta) 0.7 * exp(eta)),
    list(negative_binomial(size = 2), exp), list(tweedie(power = 1.5, dispersion = 1), exp),
    list(student_t(df = 4), identity))
  for (case in means) {
    fit <- fitted(count ~ height + offset(x), method = vnngp(k = 4), family = case[[1L]])
    effect <- effect_of(fit)
    eta <- coef(fit)[[1L]] + coef(fit)[[2L]] * at + mean(data$x)
    expect_equal(as.vector(effect$fit), eta)
    expect_equal(as.data.frame(effect)$fit, case[[2L]](eta))
    X <- cbind(1, at)
    expect_equal(as.vector(effect$se), sqrt(diag(X %*% vcov(fit) %*% t(X))))
  }
  ordered <- fitted(level ~ height, method = vnngp(k = 4), family = ordinal())
  expect_equal(as.data.frame(effect_of(ordered))$fit,
    as.vector(insight::get_predicted(ordered, data.frame(height = at), ci = NULL)))
})

test_extended("without a field they are what they are for lm()", {
  for (package in c("car", "emmeans", "effects")) skip_if_not_installed(package)
  data <- simulated_data(60)
  reference <- lm(z ~ height + group, data)
  fit <- neargp(z ~ height + group, data, coords = ~ x + y, method = exact_gp(),
    nugget = sigma(reference)^2, covariance = cov_exponential(variance = 1e-10, range = 0.01))
  tested <- car::Anova(reference)[1:2, ]
  expect_equal(car::Anova(fit)$Chisq, tested$Df * tested[["F value"]], tolerance = 1e-6)
  expect_equal(car::vif(fit), car::vif(reference), tolerance = 1e-6)
  columns <- c("emmean", "SE")
  expect_equal(as.data.frame(emmeans::emmeans(fit, "group"))[columns],
    as.data.frame(emmeans::emmeans(reference, "group"))[columns], tolerance = 1e-6,
    ignore_attr = TRUE)
  parts <- c("fit", "se", "lower", "upper")
  expect_equal(unclass(effects::Effect("group", fit))[parts],
    unclass(effects::Effect("group", reference))[parts], tolerance = 1e-6, ignore_attr = TRUE)
})

test_extended("trends of several outputs and of classes are refused, and not tested as one", {
  for (package in c("car", "insight", "performance")) skip_if_not_installed(package)
  data <- transform(simulated_data(60), high = z > median(z))
  several <- neargp(cbind(z, height) ~ group, data, coords = ~ x + y, method = vecchia(k = 5))
  classes <- lapply(list(group ~ height, high ~ height + group), neargp, data, coords = ~ x + y,
    method = loo_k(k = 8), family = categorical())
  for (fit in c(list(several), classes)) {
    for (asked in list(car::Anova, car::vif, function(fit) car::linearHypothesis(fit, "height = 0"),
        insight::get_predicted, performance::check_collinearity, performance::check_predictions)) {
      expect_error(asked(fit), if (is.null(fit$outputs)) "fit to categories" else "several",
        class = if (is.null(fit$outputs)) "neargp_error_family" else "neargp_error_method")
    }
  }
})

test_extended("means are those without recalibration, and limits are made where they are asked for", {
  skip_if_not_installed("insight")
  data <- transform(simulated_data(80), z = exp(z / 2))
  at <- data.frame(height = c(-1, 2), x = c(0.2, 0.7), y = 0.5)
  for (transform in list(NULL, "log")) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(), transform = transform,
      covariance = cov_exponential())
    better <- recalibrate(fit)
    for (rows in list(NULL, at, at["height"])) {
      expect_equal(insight::get_predicted(better, rows), insight::get_predicted(fit, rows))
      means <- insight::get_predicted(better, rows, ci = NULL)
      expect_equal(as.vector(means), as.vector(insight::get_predicted(fit, rows)))
      expect_null(attr(means, "ci_data"))
    }
  }
})

test_extended("zeros are those of draws, and no zero-inflated fit is taken for a Poisson one", {
  skip_if_not_installed("performance")
  data <- withr::with_seed(1, transform(simulated_data(120),
    count = rpois(120, 3) * rbinom(120, 1, 0.5)))
  fitted <- function(formula, family) neargp(formula, data, coords = ~ x + y, family = family,
    method = vnngp(k = 4), covariance = cov_exponential(variance = 1e-6, range = 0.2))
  inflated <- fitted(count ~ 1, zi_poisson())
  # next to no field: zeros are those of zi and of the counts
  zi <- inflated$family_parameters[["zi"]]
  expected <- 120 * (zi + (1 - zi) * exp(-exp(coef(inflated)[[1L]])))
  set.seed(1)
  checked <- check_zeroinflation.neargp(inflated, nsim = 400)
  expect_identical(checked$observed.zeros, sum(data$count == 0))
  # four standard errors of the mean of 400 draws, and the uncertainty of the trend
  expect_equal(checked$ratio * checked$observed.zeros, expected, tolerance = 0.05)
  expect_lt(abs(checked$predicted.zeros - checked$ratio * checked$observed.zeros), 0.5 + 1e-9)
  expect_error(check_zeroinflation.neargp(fitted(pmax(count, 1) ~ 1, truncated_poisson())),
    "no zeros", class = "neargp_error_family")
  expect_error(check_zeroinflation.neargp(insight_fit("insight")), "counts",
    class = "neargp_error_family")
  # versions without the generic, which see fitted() alone
  skip_if(any(grepl("UseMethod", deparse(performance::check_zeroinflation))))
  expect_error(performance::check_zeroinflation(inflated), "Poisson")
  plain <- fitted(count ~ 1, poisson())
  rm(data)
  expect_error(performance::check_zeroinflation(plain), class = "neargp_error_newdata")
})
