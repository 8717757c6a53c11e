test_extended("a pseudo-observation is the normal observation that leads from the prior to the posterior", {
  withr::local_seed(4)
  data <- list(y = c(0, 1, 7), offset = c(0, 0.5, -0.3), weights = rep(1, 3), trials = c(9, 9, 9))
  X <- cbind(1, c(-1, 0, 1))
  prior <- list(beta = c(0.2, 0.4), variance = 0.8)
  for (family in list(stats::poisson(), negative_binomial(), stats::binomial("logit"),
      stats::binomial("cloglog"))) {
    parameters <- if (family$family == "negative_binomial") 2
    pseudo_observations <- response_pseudo_observations(data, X, family, parameters, prior,
      plain_context())
    mean <- data$offset + drop(X %*% prior$beta)
    entry <- response_family(family)
    for (i in 1:3) {
      eta <- seq(mean[i] - 9, mean[i] + 9, length.out = 20001)
      weight <- entry$density(rep(data$y[i], length(eta)), eta, list(size = 2), 9) * dnorm(eta,
        mean[i], sqrt(prior$variance))
      moment <- c(sum(weight * eta), sum(weight * eta^2)) / sum(weight)
      precision <- 1 / (moment[2L] - moment[1L]^2)
      expect_equal(pseudo_observations$precision[i], precision - 1 / prior$variance,
        tolerance = 1e-6)
      expect_equal(pseudo_observations$mean[i],
        (precision * moment[1L] - mean[i] / prior$variance) / pseudo_observations$precision[i],
        tolerance = 1e-6)
    }
  }
})

test_extended("the marginal density agrees with the mixture of predictions, derivatives with differences", {
  withr::local_seed(9)
  for (name in names(pseudo_observation_families())) {
    family <- pseudo_observation_families()[[name]]$family
    entry <- response_family(family)
    n <- 60
    parameters <- c(scale = 0.4, df = 2.5, size = 1.7, shape = 2.3, precision = 5)[entry$parameters]
    trials <- if (family$family == "binomial") rep(c(1, 8, 60), 20) else rep(1, n)
    mean <- rnorm(n, sd = 1.5)
    variance <- exp(rnorm(n, -1))
    y <- entry$random(n, rnorm(n, mean, sqrt(variance)), as.list(parameters), trials)
    if (name == "beta") y <- pmin(pmax(y, 1e-4), 1 - 1e-4)
    data <- list(y = y, trials = trials, weights = rep(1:2, 30))
    density <- function(mean, variance, parameters) {
      marginal_density(data, family, parameters, mean, variance, TRUE, plain_context())
    }
    at <- density(mean, variance, parameters)
    weights <- if (entry$scaled) data$weights
    mixture <- new_mixture(mean, sqrt(variance), family, parameters, trials, weights)
    # the quadrature of the mixture is the less exact one
    expect_equal(at$value, predictive_log_density(y, mixture),
      tolerance = if (name == "beta") 1e-5 else 1e-9, info = name)
    h <- 1e-5
    slope <- function(up, down) (up$value - down$value) / (2 * h)
    expect_equal(at$d_mean, slope(density(mean + h, variance, parameters),
      density(mean - h, variance, parameters)), tolerance = 1e-6)
    expect_equal(at$d_variance * variance,
      slope(density(mean, variance * exp(h), parameters),
        density(mean, variance * exp(-h), parameters)), tolerance = 1e-5)
    count <- if (entry$scaled) 1 else data$weights
    for (j in seq_along(parameters)) {
      up <- density(mean, variance, replace(parameters, j, parameters[j] * exp(h)))
      down <- density(mean, variance, replace(parameters, j, parameters[j] * exp(-h)))
      expect_equal(at$d_log_parameters[j], sum(count * slope(up, down)), tolerance = 1e-6)
    }
  }
})

test_that("the prior is the likeliest", {
  data <- pseudo_observation_data(200)
  problem <- list(y = data$count, offset = rep(0, 200), weights = rep(1, 200),
    coords = cbind(data$x, data$y), X = cbind(1, data$h))
  prior <- marginal_prior(problem, problem$X, stats::poisson(), double(0), plain_context())
  value <- function(beta, variance) {
    sum(predictive_log_density(problem$y, new_mixture(drop(problem$X %*% beta), sqrt(variance),
      stats::poisson())))
  }
  best <- value(prior$beta, prior$variance)
  for (shift in list(c(0.02, 0), c(-0.02, 0), c(0, 0.02), c(0, -0.02)))
    expect_lt(value(prior$beta + shift, prior$variance), best)
  for (factor in c(0.95, 1.05)) expect_lt(value(prior$beta, prior$variance * factor), best)
})

test_that("pseudo-observations at one location add up to one", {
  data <- list(y = 1:3, offset = c(0, 1, 2), coords = cbind(c(0, 1, 0), 0))
  locations <- aggregate_by_location(data, cbind(c(1, 2, 3)),
    list(mean = c(5, 6, 9), precision = c(1, 2, 3)), c(1L, 2L, 1L), c(1, 1, 2))
  expect_equal(locations$content, rbind(c(7, 1 * 5 + 2 * 3 * 7, 1 + 2 * 9), c(2, 10, 4)))
  expect_equal(locations$total, c(3, 1))
  expect_equal(locations_as_data(locations)$y, c(47 / 7, 5))
})

test_that("responses whose density cannot be integrated are named", {
  data <- pseudo_observation_data(60)
  data$amount[11:13] <- 1e-300
  expect_error(pseudo_observation_fit("gamma", data), "rows 11, 12 and 13",
    class = "neargp_error_quadrature")
})

test_extended("a variance that no linear predictor has is one classed error, at once", {
  data <- latent_data(60)
  data$half <- data$amount / 2
  for (variance in c(1e12, 1e200)) {
    for (case in list(list(count ~ 1, poisson()), list(count ~ 1, negative_binomial()),
        list(half ~ 1, Gamma("log")))) {
      fit <- tryCatch(neargp(case[[1L]], data, coords = ~ x + y, method = loo_k(k = 8),
        family = case[[2L]], covariance = cov_exponential(variance = variance, range = 0.2)),
        error = identity)
      expect_s3_class(fit, if (inherits(fit, "condition")) "neargp_error_quadrature" else "neargp")
      if (inherits(fit, "neargp")) expect_true(is.finite(fit$log_likelihood))
    }
  }
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, method = loo_k(k = 8), family = poisson(),
    covariance = cov_exponential(variance = 1e12, range = 0.2)), "1e5 or more",
    class = "neargp_error_quadrature")
})
