emmeans_fit <- function(data, formula, ...) {
  skip_if_not_installed("emmeans")
  environment(formula) <- environment()
  neargp(formula, data, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential(), ...)
}

test_that("marginal means are linear functions of the trend", {
  fit <- emmeans_fit(simulated_data(100), z ~ height * group)
  means <- function(...) as.data.frame(suppressMessages(emmeans::emmeans(fit, "group", ...)))
  table <- means()
  grid <- data.frame(height = mean(fit$data$X[, "height"]), group = c("a", "b", "c"))
  X <- model.matrix(~ height * group, grid)
  expect_equal(table$emmean, unname(drop(X %*% coef(fit))))
  expect_equal(table$SE, unname(sqrt(diag(X %*% vcov(fit) %*% t(X)))))
  expect_identical(table$df, rep(Inf, 3L))
  slopes <- as.data.frame(emmeans::emtrends(fit, "group", var = "height"))
  expect_equal(slopes$height.trend, unname(coef(fit)[["height"]] +
    c(0, coef(fit)[c("height:groupb", "height:groupc")])), tolerance = 1e-6)
  pairs <- as.data.frame(suppressMessages(pairs(emmeans::emmeans(fit, "group"), adjust = "none")))
  d <- X[1L, ] - X[2L, ]
  expect_equal(pairs$z.ratio[1L], sum(d * coef(fit)) / sqrt(drop(d %*% vcov(fit) %*% d)))
})

test_extended("offsets of the formula and of the argument are averaged over", {
  data <- transform(simulated_data(100), exposure = 1 + height^2)
  for (fit in list(emmeans_fit(data, z ~ group + offset(exposure)),
    emmeans_fit(data, z ~ group, offset = data$exposure))) {
    table <- as.data.frame(emmeans::emmeans(fit, "group"))
    expect_equal(table$emmean[1L], coef(fit)[[1L]] + mean(fit$data$offset))
  }
})

test_extended("of other families they are on the scale of the link, or of the response", {
  skip_if_not_installed("emmeans")
  data <- transform(simulated_data(100), count = rep(0:4, 20))
  fit <- neargp(count ~ group, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5))
  link <- as.data.frame(emmeans::emmeans(fit, "group"))
  expect_equal(link$emmean, unname(coef(fit)[1L] + c(0, coef(fit)[2:3])))
  response <- as.data.frame(emmeans::emmeans(fit, "group", type = "response"))
  expect_equal(response$rate, exp(link$emmean))
  fit <- neargp(count ~ group, data, coords = ~ x + y, family = negative_binomial(size = 2),
    method = vnngp(k = 5))
  response <- as.data.frame(emmeans::emmeans(fit, "group", type = "response"))
  expect_equal(response$rate, exp(unname(coef(fit)[1L] + c(0, coef(fit)[2:3]))))
})

test_extended("data that are gone can be handed over, and other fits are refused", {
  skip_if_not_installed("emmeans")
  made <- function() {
    gone <- simulated_data(60)
    list(fit = neargp(z ~ group, gone, coords = ~ x + y, method = exact_gp(),
      covariance = cov_exponential()), data = gone)
  }
  made <- made()
  environment(made$fit$formula) <- emptyenv()
  expect_error(emmeans::ref_grid(made$fit), "no longer found")
  expect_equal(as.data.frame(emmeans::emmeans(made$fit, "group", data = made$data))$emmean[1L],
    coef(made$fit)[[1L]])
  classes <- neargp(group ~ 1, made$data, coords = ~ x + y, method = loo_k(k = 5))
  expect_error(emmeans::ref_grid(classes), "emmeans\\(\\)")
})

# Fits of the families whose mean is not the inverse of their link, with a mean of the response
# given eta by its definition, from densities.
mean_link_fits <- function() {
  withr::local_seed(1)
  data <- data.frame(x = runif(120), y = runif(120), a = rnorm(120), b = gl(2, 60))
  data$count <- rpois(120, exp(0.5 + 0.3 * data$a)) * rbinom(120, 1, 0.7)
  data$positive <- pmax(data$count, 1)
  data$level <- cut(data$a + rlogis(120), c(-Inf, -1, 0, 1, Inf), ordered_result = TRUE)
  fitted <- function(formula, family) {
    neargp(formula, data, coords = ~ x + y, family = family, method = vnngp(k = 4),
      covariance = cov_exponential(variance = 0.1, range = 0.2), threads = 1L)
  }
  k <- 0:2000
  of_counts <- function(density) function(eta) sum(k * density(exp(eta))) / sum(density(exp(eta)))
  list(
    list(fit = fitted(count ~ a + b, zi_poisson(zi = 0.3)),
      mean = of_counts(function(m) 0.7 * dpois(k, m) + 0.3 * (k == 0))),
    list(fit = fitted(count ~ a + b, zi_nbinom2(size = 2, zi = 0.2)),
      mean = of_counts(function(m) 0.8 * dnbinom(k, 2, mu = m) + 0.2 * (k == 0))),
    list(fit = fitted(positive ~ a + b, truncated_poisson()),
      mean = of_counts(function(m) dpois(k, m) * (k > 0))),
    list(fit = fit <- fitted(level ~ a + b, ordinal()), mean = function(eta) {
      below <- plogis(cumsum(c(0, coef(fit, what = "covariance")[c("gap_2", "gap_3")])) - eta)
      sum(1:4 * diff(c(0, below, 1)))
    }),
    list(fit = fitted(count ~ a + b, tweedie(power = 1.5, dispersion = 1)), mean = exp))
}

test_extended("the response is the mean of the family, where that is not the inverse of its link", {
  for (package in c("emmeans", "ggeffects")) skip_if_not_installed(package)
  for (case in mean_link_fits()) {
    fit <- case$fit
    X <- cbind(1, c(-1, 1), 0)
    mean <- function(eta) vapply(eta, case$mean, 0)
    eta <- drop(X %*% coef(fit))
    error <- sqrt(diag(X %*% vcov(fit) %*% t(X)))
    expected <- mean(eta)
    slope <- (mean(eta + 1e-4) - mean(eta - 1e-4)) / 2e-4
    at <- list(a = c(-1, 1), b = "1")
    table <- as.data.frame(emmeans::emmeans(fit, "a", at = at, type = "response"))
    expect_equal(table[[2L]], expected, tolerance = 1e-7)
    expect_equal(table$SE, slope * error, tolerance = 1e-6)
    expect_equal(table$asymp.UCL, mean(eta + qnorm(0.975) * error), tolerance = 1e-7)
    expect_equal(as.data.frame(emmeans::emmeans(fit, "a", at = at))$emmean, eta)
    # differences of the linear predictor, without the ratios that a logarithm would have
    contrasts <- as.data.frame(emmeans::contrast(emmeans::emmeans(fit, "a", at = at), "revpairwise",
      ratios = FALSE))
    expect_equal(contrasts$estimate, diff(eta))
    predicted <- as.data.frame(insight::get_predicted(fit, data.frame(a = c(-1, 1), b = "1")))
    expect_equal(predicted$Predicted, expected, tolerance = 1e-7)
    expect_equal(predicted$CI_low, mean(eta - qnorm(0.975) * error), tolerance = 1e-7)
    for (asked in list(ggeffects::ggpredict, ggeffects::ggemmeans)) {
      curve <- asked(fit, c("a [-1, 1]", "b [1]"), verbose = FALSE)
      expect_equal(curve$predicted, expected, tolerance = 1e-7)
      expect_equal(curve$conf.high, mean(eta + qnorm(0.975) * error), tolerance = 1e-7)
    }
    expect_equal(insight::link_function(fit)(expected), eta, tolerance = 1e-6)
  }
})

test_extended("several outputs have marginal means each, by a factor of their names", {
  skip_if_not_installed("emmeans")
  data <- transform(simulated_data(60), lead = z - 2 * height)
  data$lead[2] <- NA
  fit <- neargp(cbind(z, lead) ~ height + group, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(range = 0.3))
  table <- as.data.frame(emmeans::emmeans(fit, ~ group | output))
  expect_identical(as.character(table$output), rep(c("z", "lead"), each = 3L))
  X <- model.matrix(~ height + group, data.frame(height = mean(data$height),
    group = c("a", "b", "c")))
  X <- rbind(cbind(X, 0 * X), cbind(0 * X, X))
  expect_equal(table$emmean, unname(drop(X %*% coef(fit))))
  expect_equal(table$SE, unname(sqrt(diag(X %*% vcov(fit) %*% t(X)))))
})

test_that("the scale of the linear predictor does not need parameters that depend on covariates", {
  skip_if_not_installed("emmeans")
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 60)
  found <- as.data.frame(emmeans::emmeans(fit, ~ h, at = list(h = 0.5)))
  expect_equal(found$emmean, sum(coef(fit) * c(1, 0.5)))
  expect_error(as.data.frame(emmeans::emmeans(fit, ~ h, type = "response")),
    class = "neargp_error_family")
})
