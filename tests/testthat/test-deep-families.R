family_data <- function(n = 200L) {
  set.seed(6)
  d <- data.frame(x1 = runif(n), x2 = runif(n, 0, 100), a = rnorm(n), e = runif(n, 0.5, 2),
    w = rep(c(1, 3), length.out = n), m = 5)
  eta <- sin(6 * d$x1) + d$x2 / 100 + 0.3 * d$a
  d$count <- rpois(n, exp(eta) * d$e)
  d$clumped <- rnbinom(n, 2, mu = exp(eta))
  d$present <- rbinom(n, 1L, plogis(2 * eta - 2))
  d$successes <- rbinom(n, 5L, pnorm(eta - 0.5))
  d$heavy <- 50 + 20 * (eta + 0.2 * rt(n, 4))
  d$positive <- rgamma(n, 3, scale = exp(eta) / 3)
  d$share <- rbeta(n, plogis(eta) * 10, plogis(-eta) * 10)
  d
}

family_cases <- list(
  list(formula = count ~ a + offset(log(e)), family = poisson()),
  list(formula = clumped ~ 1, family = negative_binomial()),
  list(formula = present ~ a, family = binomial()),
  list(formula = cbind(successes, m - successes) ~ 1, family = binomial("probit")),
  list(formula = heavy ~ a, family = student_t()),
  list(formula = heavy ~ 1, family = student_t(df = 5)),
  list(formula = positive ~ a + e, family = Gamma("log")),
  list(formula = share ~ 1, family = beta_response())
)

fit_family <- function(case, method = short_dspp(sites = 4L), data = family_data(), ...) {
  fit_deep(method, data, formula = case$formula, family = case$family, ...)
}

# Means and variances of the linear predictor in each component by dense matrices, offset and trend
# added with the coefficients of the fit.
dense_predictor <- function(fit, newdata) {
  deep <- fit$deep
  x <- as.matrix(newdata[fit$locations$raw_names])
  x <- unname(sweep(sweep(x, 2L, colMeans(fit$data$coords)), 2L, apply(fit$data$coords, 2L, sd),
    "/"))
  at <- dense_components(deep$prediction, x)
  frame <- model.frame(delete.response(terms(fit)), newdata)
  offset <- model.offset(frame)
  known <- drop(model.matrix(terms(frame), frame) %*% coef(fit)) + if (is.null(offset)) 0 else
    offset
  constant <- constants_of_outputs(deep$prediction)
  scale <- deep$location$scale
  list(mean = known + scale * (vapply(at, function(one) one$mean[, 1L], double(nrow(x))) -
    constant), sd = scale * sqrt(vapply(at, function(one) one$variance[, 1L], double(nrow(x)))),
    weights = exp(deep$prediction$log_weights))
}

# E f(eta, i) over all components by trapezoids.
dense_expectation <- function(predictor, f) {
  drop(vapply(seq_along(predictor$weights),
    function(s) trapezoid_expectation(f, predictor$mean[, s], predictor$sd[, s], 4000L),
    double(nrow(predictor$mean))) %*% predictor$weights)
}

test_extended("predictions of all families are those of dense matrices and trapezoids", {
  new <- family_data()[c(3, 50, 120), ]
  for (case in family_cases) {
    fit <- fit_family(case)
    known <- dense_predictor(fit, new)
    family <- response_family(case$family)
    parameters <- as.list(fit$family_parameters)
    first <- dense_expectation(known, function(eta, i) family$mean(eta, parameters, 1))
    second <- dense_expectation(known, function(eta, i) family$variance(eta, parameters, 1) +
      family$mean(eta, parameters, 1)^2)
    found <- predict(fit, new, interval = "prediction", threshold = 0.7)
    label <- deparse1(case$formula)
    expect_equal(found$mean, first, tolerance = 1e-6, label = label)
    expect_equal(found$sd, sqrt(second - first^2), tolerance = 1e-5, label = label)
    at <- if (family$discrete) 0 else 0.7
    below <- if (at >= 1) 1 else dense_expectation(known, function(eta, i) family$distribution(at,
      eta, parameters, 1))
    expect_equal(found$p_exceed, 1 - below, tolerance = 1e-6, label = label)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean, drop(known$mean %*% known$weights), tolerance = 1e-6, label = label)
    expect_equal(unname(as.matrix(found[c("lower", "upper")])),
      unname(as.matrix(predict(fit, new, type = "quantile", probs = c(0.025, 0.975)))),
      label = label)
    linkfun <- make.link(family$link)$linkfun
    above <- drop(pnorm(linkfun(0.7), known$mean, known$sd, lower.tail = FALSE) %*% known$weights)
    expect_equal(predict(fit, new, threshold = 0.7, threshold_of = "mean")$p_mean_exceed, above,
      tolerance = 1e-6, label = label)
  }
})

test_extended("scores are those of the response's mixture, and logLik() is its log density at the rows",
  {
    skip_unless_extended()
    data <- family_data()
    for (case in family_cases[c(1L, 3L, 5L, 7L)]) {
      fit <- fit_family(case)
      known <- dense_predictor(fit, data)
      family <- response_family(case$family)
      y <- data[[all.vars(case$formula)[1L]]]
      density <- dense_expectation(known, function(eta, i) family$density(y[i], eta,
        as.list(fit$family_parameters), 1))
      expect_equal(c(logLik(fit)), sum(log(density)), tolerance = 1e-6)
      expect_equal(scores(fit, newdata = data)$log_score, -mean(log(density)), tolerance = 1e-6)
      rows <- fit$deep$validation$rows
      expect_equal(fit$deep$validation$nll, -mean(log(density[rows])), tolerance = 1e-6)
    }
  })

test_extended("coverage at the rows held out is that of their intervals", {
  data <- family_data()
  for (case in family_cases[c(1L, 5L)]) {
    fit <- fit_family(case)
    rows <- fit$deep$validation$rows
    found <- predict(fit, data[rows, ], interval = "prediction")
    y <- data[rows, all.vars(case$formula)[1L]]
    expect_equal(fit$deep$validation$coverage, mean(y >= found$lower & y <= found$upper))
  }
  expect_null(fit_family(family_cases[[3L]])$deep$validation$coverage)
})

test_extended("weights are those of the family", {
  data <- family_data()
  fit <- fit_family(family_cases[[6L]], weights = w)
  known <- dense_predictor(fit, data)
  scale <- fit$family_parameters[["scale"]] / sqrt(data$w)
  density <- dense_expectation(known, function(eta, i) dt((data$heavy[i] - eta) / scale[i], 5) /
    scale[i])
  expect_equal(c(logLik(fit)), sum(log(density)), tolerance = 1e-6)
  expect_equal(fit$family_parameters[["df"]], 5)
})

test_that("a row of weight 3 of a count is three rows to the score of a mixture", {
  data <- family_data(60L)
  fit <- fit_family(list(formula = count ~ 1, family = poisson()), data = data, weights = w)
  known <- dense_predictor(fit, data)
  density <- dense_expectation(known, function(eta, i) dpois(data$count[i], exp(eta)))
  expect_equal(c(logLik(fit)), sum(data$w * log(density)), tolerance = 1e-5)
})

test_extended("residuals, draws and tables are of the response's mixture", {
  data <- family_data()
  fit <- fit_family(family_cases[[1L]])
  expect_equal(fitted(fit), predict(fit, data)$mean)
  expect_equal(unname(residuals(fit)), data$count - fitted(fit))
  mixture <- new_component_mixture(latent_mixture(fit, data), "poisson", list())
  set.seed(1)
  found <- unname(residuals(fit, "quantile"))
  set.seed(1)
  lower <- predictive_cdf(data$count - 1, mixture)
  expect_equal(found,
    qnorm(lower + runif(200) * (predictive_cdf(data$count, mixture) - lower)))
  draws <- as.matrix(simulate(fit, 3000, seed = 1, newdata = data[1:3, ]))
  p <- predict(fit, data[1:3, ])
  expect_lt(max(abs(rowMeans(draws) - p$mean) / p$sd), 0.08)
  expect_true(all(draws == round(draws)))
  expect_output(print(fit), "poisson\\(\\) with log link")
  gamma <- fit_family(family_cases[[7L]])
  expect_output(print(gamma), "shape")
  expect_identical(tail(names(coef(gamma, what = "covariance")), 1L), "shape")
  expect_identical(names(coef(gamma)), c("(Intercept)", "a", "e"))
  expect_true(is.na(glance(gamma)$nugget))
  cv <- suppressWarnings(cross_validate(fit, folds = 2, refit = TRUE),
    classes = "neargp_warning_deep")
  expect_true(is.finite(cv$scores$log_score))
})

test_extended("they do not depend on threads, can be saved and continued, and dgp() has them", {
  case <- family_cases[[2L]]
  fit <- fit_family(case)
  for (threads in c(2L, 4L)) expect_identical(fit_family(case, threads = threads)$deep$state,
    fit$deep$state)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), family_data()), predict(fit, family_data()))
  more <- fit_family(case, start = fit)
  expect_lte(more$deep$validation$nll, fit$deep$validation$nll)
  for (method in list(short_dgp(), short_dgp(objective = "predictive"))) {
    deep <- fit_family(case, method)
    expect_true(all(is.finite(predict(deep, family_data())$mean)))
  }
})

test_that("a gaussian trend is that of the formula, whatever the units of its covariates", {
  data <- transform(family_data(), y = heavy, b = 1e6 + 1e3 * a,
    group = factor(rep(c("u", "v"), 100L)))
  fit <- fit_deep(data = data, formula = y ~ a + group + offset(e))
  known <- dense_predictor(fit, data[1:5, ])
  p <- predict(fit, data[1:5, ])
  expect_equal(p$mean, drop(known$mean %*% known$weights), tolerance = 1e-7)
  expect_equal(p$sd^2, drop((known$sd^2 + (known$mean - p$mean)^2) %*% known$weights) + fit$nugget,
    tolerance = 1e-6)
  moved <- fit_deep(data = data, formula = y ~ b + group + offset(e))
  expect_equal(predict(moved, data[1:5, ])$mean, p$mean, tolerance = 1e-6)
  expect_equal(coef(moved)[["b"]] * 1e3, coef(fit)[["a"]], tolerance = 1e-6)
  expect_output(print(fit), "groupv")
  expect_false(identical(coef(fit)[["a"]], unname(coef(lm(y ~ a + group + offset(e), data))["a"])))
})

test_extended("what a family cannot have is refused", {
  data <- family_data()
  expect_error(fit_family(family_cases[[1L]], short_dgp(robustness = 1.05)), "student_t",
    class = "neargp_error_family")
  expect_error(fit_family(family_cases[[1L]], nugget = 1), class = "neargp_error_argument")
  expect_error(fit_deep(data = data, formula = present ~ 0 + a, family = binomial()),
    class = "neargp_error_formula")
  expect_error(fit_deep(data = data, formula = count ~ offset(100 * e), family = poisson()),
    class = "neargp_error_offset")
  fit <- fit_family(family_cases[[3L]])
  expect_error(predict(fit, data[1:2, ], type = "link", interval = "prediction"),
    class = "neargp_error_argument")
  expect_error(scores(fit, newdata = data, observed = rep(3, 200)), class = "neargp_error_response")
})

test_that("responses of other families may share locations", {
  data <- curved_data(60)[rep(1:30, 2), ]
  for (method in list(dspp(inducing = 8, epochs = 2, restarts = 1),
    dgp(inducing = 8, epochs = 2, restarts = 1))) {
    fit <- suppressWarnings(neargp(count ~ 1, data, coords = ~ a + b, method = method,
      family = poisson()))
    expect_identical(nobs(fit), 60L)
    expect_true(all(predict(fit, data[1:2, ])$mean > 0))
  }
})
