log_data <- function(n = 90, seed = 3) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), w = runif(n, 0.5, 2))
  d$g <- 1.5 + 0.3 * d$h + sin(5 * d$x) + rnorm(n, sd = 0.3)
  d$z <- exp(d$g)
  d
}

# A fit of the logarithm, and one of the response with the transform at the same parameters.
log_fits <- function(d = log_data(), method = exact_gp()) {
  fit <- function(formula, transform) {
    neargp(formula, d, coords = ~ x + y, method = method, weights = w, nugget = 0.1,
      covariance = cov_exponential(variance = 1, range = 0.4), transform = transform)
  }
  list(plain = fit(g ~ h, NULL), log = fit(z ~ h, "log"))
}

lognormal <- function(mean, sd) {
  list(mean = exp(mean + sd^2 / 2), sd = exp(mean + sd^2 / 2) * sqrt(exp(sd^2) - 1))
}

test_extended("leave-one-out predictions and residuals are those of the lognormal distribution", {
  d <- log_data()
  for (method in list(exact_gp(), vecchia(8), vnngp(8))) {
    fits <- log_fits(d, method)
    left <- loo_predict(fits$plain)
    expected <- lognormal(left$mean, left$sd)
    expect_equal(loo_predict(fits$log), as.data.frame(expected), ignore_attr = TRUE)
    expect_equal(unname(residuals(fits$log, "loo")), d$z - expected$mean)
    expect_equal(unname(residuals(fits$log, "standardized")), (d$g - left$mean) / left$sd,
      tolerance = 1e-6)
    expect_equal(residuals(fits$log, "trend"), residuals(fits$plain, "trend"))
  }
})

test_that("fitted values are expected responses, and Pearson residuals are theirs", {
  d <- log_data()
  fits <- log_fits(d)
  noise <- 0.1 / d$w
  field <- predict(fits$plain, d, type = "link", k = NULL)
  expected <- lognormal(field$mean, sqrt(field$sd^2 + noise))$mean
  expect_equal(unname(fitted(fits$log)), expected)
  expect_equal(unname(residuals(fits$log)), d$z - expected)
  expect_equal(unname(residuals(fits$log, "pearson")),
    (d$z - expected) / lognormal(field$mean, sqrt(noise))$sd)
})

test_that("scores are of the responses, with the Jacobian", {
  d <- log_data()
  fits <- log_fits(d)
  new <- log_data(20, seed = 9)
  plain <- scores(fits$plain, new)
  log <- scores(fits$log, new)
  expect_equal(log$log_score, plain$log_score + mean(new$g))
  expect_equal(log$coverage, plain$coverage)
  expect_equal(log$pit_deviation, plain$pit_deviation)
  moments <- predict(fits$plain, new, type = "link")
  expect_equal(log$rmse, sqrt(mean((new$z - lognormal(moments$mean,
    sqrt(moments$sd^2 + 0.1 / new$w))$mean)^2)))
  expect_equal(scores(fits$log)$log_score, scores(fits$plain)$log_score + mean(d$g))
  expect_error(scores(fits$log, transform(new, z = -z)), class = "neargp_error_response")
})

test_extended("transforms are compared by cross-validation, AIC and anova()", {
  d <- log_data()
  d$w <- 1
  fit <- function(transform, formula = z ~ h) {
    neargp(formula, d, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential(),
      transform = transform)
  }
  fits <- list(none = fit(NULL), log = fit("log"), sqrt = fit("sqrt"))
  table <- cross_validate(fits, folds = rep(1:3, 30))$scores
  logarithm <- cross_validate(fit(NULL, g ~ h), folds = rep(1:3, 30),
    parameters = "plug-in")$scores
  expect_equal(table$log_score[table$setting == "log"], logarithm$log_score + mean(d$g),
    tolerance = 1e-6)
  expect_lt(table$log_score[table$setting == "log"], table$log_score[table$setting == "none"])
  expect_silent(criteria <- AIC(fits$none, fits$log, fits$sqrt))
  expect_lt(criteria$AIC[2L], criteria$AIC[1L])
  expect_silent(anova(fit("log", z ~ 1), fits$log))
  refitted <- cross_validate(fits$log, folds = rep(1:3, 30), refit = TRUE)$scores
  expect_true(is.finite(refitted$crps))
})

test_that("draws are the transformed draws, and maps and tables are of responses", {
  d <- log_data(60)
  fits <- log_fits(d)
  new <- data.frame(x = c(0.2, 0.7), y = 0.5, h = 0)
  expect_equal(simulate(fits$log, 3, seed = 1, newdata = new),
    exp(simulate(fits$plain, 3, seed = 1, newdata = new)), ignore_attr = TRUE)
  expect_equal(simulate(fits$log, 1, seed = 1, newdata = new, type = "link"),
    simulate(fits$plain, 1, seed = 1, newdata = new, type = "link"))
  expect_equal(as.matrix(simulate(fits$log, 2, seed = 1)),
    exp(as.matrix(simulate(fits$plain, 2, seed = 1))), ignore_attr = TRUE)
  augmented <- generics::augment(fits$log)
  expect_equal(augmented$.resid + augmented$.fitted, d$z)
  expect_gt(min(map_predictions(neargp(z ~ 1, d, coords = ~ x + y, transform = "log",
    method = vecchia(8)), NULL, 100, NULL)$predictions$mean), 0)
})

test_that("a new observation has limits and probabilities on its own scale only", {
  fits <- log_fits()
  new <- data.frame(x = 0.2, y = 0.5, h = 0)
  refused <- function(...) expect_error(predict(fits$log, new, ...),
    class = "neargp_error_argument")
  refused(type = "link", interval = "prediction")
  refused(type = "link", threshold = 2)
  refused(joint = TRUE)
  expect_error(predict(fits$log, new, parameters = "integrated"),
    class = "neargp_error_parameters")
  confidence <- predict(fits$log, new, interval = "confidence", level = 0.9)
  field <- predict(fits$plain, new, type = "link")
  expect_equal(confidence$upper, exp(field$mean + qnorm(0.95) * field$sd + 0.05))
  joint <- predict(fits$log, rbind(new, new + 0.1), type = "link", joint = TRUE)
  expect_equal(attr(joint, "covariance"),
    attr(predict(fits$plain, rbind(new, new + 0.1), type = "link", joint = TRUE), "covariance"))
})

test_that("without a nugget the data are fitted values, and have no Pearson residuals", {
  d <- log_data(30)
  fit <- neargp(z ~ 1, d, coords = ~ x + y, method = exact_gp(), nugget = 0, transform = "sqrt",
    covariance = cov_exponential())
  expect_equal(unname(fitted(fit)), d$z)
  expect_error(residuals(fit, "pearson"), class = "neargp_error_argument")
})

test_extended("other packages have densities, draws and means on the scale of the response", {
  d <- log_data()
  fits <- log_fits(d)
  moments <- loo_predict(fits$plain)
  densities <- loo_log_densities(fits$log)
  expect_equal(densities, dlnorm(d$z, moments$mean, moments$sd, log = TRUE))
  at <- predicted_by_trend(fits$log, data.frame(h = c(0, 1)), "expectation", 0.9)
  trend <- trend_at(fits$plain, data.frame(h = c(0, 1)))
  expect_equal(at$Predicted, exp(trend$mean + 0.05))
  expect_equal(at$CI_high, exp(trend$mean + qnorm(0.95) * sqrt(trend$variance) + 0.05))
  expect_null(at$SE)
  scale <- emmeans_scale(fits$log)$tran
  expect_equal(scale$linkinv(1.3), exp(1.3))
  expect_equal(scale$mu.eta(1.3), exp(1.3))
  skip_if_not_installed("emmeans")
  fit <- neargp(z ~ h, d, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential(),
    transform = "log")
  table <- as.data.frame(emmeans::emmeans(fit, "h", type = "response"))
  expect_equal(table$response, exp(sum(coef(fit) * c(1, mean(d$h)))))
})

test_that("draws beyond the range of numbers are the largest numbers of their sign", {
  set.seed(1)
  d <- data.frame(x = runif(30), y = runif(30))
  d$z <- sinh(rnorm(30))
  fit <- suppressWarnings(neargp(z ~ 1, d, coords = ~ x + y, method = exact_gp(), nugget = 1e12,
    transform = list(asinh, sinh), verbose = FALSE))
  expect_warning(draws <- simulate(fit, nsim = 20, seed = 1), class = "neargp_warning_overflow")
  expect_setequal(sign(unlist(draws)), c(-1, 1))
  expect_true(all(is.finite(unlist(draws))))
})
