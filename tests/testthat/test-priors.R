prior_data <- function(n = 60, ...) simulated_data(n, ...)

prior_fit <- function(prior, method = exact_gp(), data = prior_data(),
                      covariance = cov_exponential(), ..., coords = ~ x + y) {
  suppressMessages(neargp(z ~ height, data, coords = coords, method = method,
    covariance = covariance,
    control = neargp_control(tolerance = 1e-9), threads = 1L, prior = prior, ...))
}

all_priors <- function() pc_priors(range = c(0.1, 0.05), sd = c(1, 0.1), nugget_sd = c(0.2, 0.01))

# Joint density of range and standard deviation by Fuglstad et al. (2019), theorem 2.6, and the
# exponential density of the noise's. Both include the factors of the change to logarithms:
# d sigma / d log sigma^2 = sigma / 2.
dense_log_prior <- function(range, variance, nugget, d = 2) {
  lambda_1 <- -log(0.05) * 0.1^(d / 2)
  lambda_2 <- -log(0.1) / 1
  lambda_3 <- -log(0.01) / 0.2
  sigma <- sqrt(variance)
  tau <- sqrt(nugget)
  log(d / 2 * lambda_1 * lambda_2 * range^(-d / 2 - 1) *
    exp(-lambda_1 * range^(-d / 2) - lambda_2 * sigma) * range * sigma / 2) +
    log(lambda_3 * exp(-lambda_3 * tau) * tau / 2)
}

test_extended("a fit is at the mode of the dense likelihood times the published density", {
  fit <- prior_fit(all_priors())
  posterior_at <- function(working) {
    covariance <- fit$core_covariance
    covariance$components[[1L]][c("variance", "range")] <- as.list(exp(working[1:2]))
    dense_fit(fit$data, covariance, exp(working[3L]))$value +
      dense_log_prior(exp(working[2L]), exp(working[1L]), exp(working[3L]))
  }
  at <- fit$parameters$working
  best <- stats::optim(at + 0.2, posterior_at, control = list(fnscale = -1, reltol = 1e-14))
  expect_equal(posterior_at(at), best$value, tolerance = 1e-9)
  # logLik() is the likelihood alone.
  expect_equal(c(logLik(fit)), dense_fit(fit$data, fit$core_covariance, fit$nugget)$value)
  expect_lt(c(logLik(fit)), c(logLik(prior_fit(NULL))))
})

test_that("gradient and curvature of the log density are those of differences", {
  layout <- data.frame(prior_power = c(0.5, -1, NA, -1.5), prior_rate = c(2, 0.3, 0, 0.01))
  at <- c(0.3, -1, 2, -0.8)
  value <- function(w) prior_log_density(layout, w)
  slope <- function(w) prior_slope(layout, w)
  step <- 1e-5
  shifted <- function(f) vapply(1:4, function(a) {
    move <- replace(rep(0, 4), a, step)
    ((f(at + move) - f(at - move)) / (2 * step))[min(a, length(f(at)))]
  }, 0)
  expect_equal(slope(at), shifted(value), tolerance = 1e-8)
  expect_equal(prior_curvature(layout, at), -shifted(slope), tolerance = 1e-8)
})

test_extended("the probability beyond the bound is the one that was told, in any dimension", {
  data <- transform(prior_data(), u = rev(x), day = rep(1:6, 10))
  check <- function(fit, name, bound, probability, lower) {
    row <- match(name, fit$layout$name)
    one <- fit$layout[row, ]
    density <- function(x) vapply(x, function(x) exp(prior_log_density(one, x)), 0)
    mass <- if (lower) stats::integrate(density, -30, log(bound), rel.tol = 1e-9) else
      stats::integrate(density, log(bound), 20, rel.tol = 1e-9)
    expect_equal(mass$value, probability, tolerance = 1e-6, label = name)
  }
  quick <- function(...) suppressWarnings(prior_fit(..., data = data, method = vecchia(5)))
  fit <- quick(pc_priors(range = c(0.1, 0.05), sd = c(2, 0.1), nugget_sd = c(0.5, 0.01),
    smoothness = c(0.3, 0.02), range_time = c(3, 0.1)), covariance = cov_matern(NULL), time = ~ day)
  check(fit, "range", 0.1, 0.05, TRUE)
  check(fit, "variance", 4, 0.1, FALSE)
  check(fit, "nugget", 0.25, 0.01, FALSE)
  check(fit, "smoothness", 0.3, 0.02, TRUE)
  check(fit, "range_time", 3, 0.1, TRUE)
  expect_identical(fit$layout$prior_power[match(c("range", "range_time"), fit$layout$name)],
    c(-1, -0.5))
  sum <- quick(pc_priors(range_time = c(3, 0.1), range_time_2 = c(2, 0.2)),
    covariance = cov_exponential() + cov_exponential(), time = ~ day)
  check(sum, "range_time_1", 3, 0.1, TRUE)
  check(sum, "range_time_2", 2, 0.2, TRUE)
  expect_identical(sum$layout$prior_rate > 0, grepl("^range_time", sum$layout$name))
  three <- quick(pc_priors(range = c(0.1, 0.05)), coords = ~ x + y + u)
  expect_identical(three$layout$prior_power[2L], -1.5)
  expect_identical(three$layout$prior_rate[-2L], c(0, 0))
  each <- quick(pc_priors(range = c(0.1, 0.05), range_y = c(0.2, 0.5)),
    covariance = cov_exponential(ard = TRUE))
  check(each, "range_x", 0.1, 0.05, TRUE)
  check(each, "range_y", 0.2, 0.5, TRUE)
})

test_that("the unit of the response moves nothing but the unit", {
  fit <- prior_fit(all_priors())
  other <- prior_fit(pc_priors(range = c(0.1, 0.05), sd = c(1000, 0.1), nugget_sd = c(200, 0.01)),
    data = transform(prior_data(), z = 1000 * z))
  expect_equal(coef(other, "covariance") / coef(fit, "covariance"),
    c(variance = 1e6, range = 1, nugget = 1e6), tolerance = 1e-5)
  expect_equal(c(logLik(other)), c(logLik(fit)) - 60 * log(1000), tolerance = 1e-9)
})

# In the plane the mode of the log range is that of -x - rate exp(-x), log(rate).
test_extended("each method that has priors is drawn towards the mode of a strong one", {
  data <- prior_data(80)
  strong <- pc_priors(range = c(5, 1e-4))
  for (method in list(vecchia(8), loo_k(8), mll_k(8), vnngp(6), exact_gp(estimation = "REML"))) {
    free <- suppressWarnings(prior_fit(NULL, method, data))
    drawn <- suppressWarnings(prior_fit(strong, method, data))
    from_mode <- function(fit) abs(log(coef(fit, "covariance")[["range"]] / (-5 * log(1e-4))))
    expect_lt(from_mode(drawn), 0.8 * from_mode(free))
  }
})

test_that("a fit with priors says so, is refitted with them and has no likelihood-ratio test", {
  fit <- prior_fit(all_priors())
  expect_output(print(fit), "Priors as a penalty.*P\\(range < 0.1\\) = 0.05")
  expect_output(print(summary(fit)), "P\\(sd > 1\\) = 0.1")
  expect_output(print(all_priors()), "P\\(nugget_sd > 0.2\\) = 0.01")
  problem <- fold_problem(fit, 1:50, plain_context())
  expect_equal(problem$layout$prior_power, fit$layout$prior_power)
  table <- anova(fit, prior_fit(all_priors(), covariance = cov_exponential(anisotropy = TRUE)))
  expect_identical(table[["Pr(>Chisq)"]], c(NA_real_, NA_real_))
})

test_extended("what is no prior, or has none, is refused", {
  expect_error(pc_priors(), "prior is empty", class = "neargp_error_argument")
  for (bad in list(0.1, c(0.1, 1), c(-1, 0.5), c(NA, 0.5), "a")) {
    expect_error(pc_priors(range = bad), "`range`", class = "neargp_error_argument")
  }
  expect_error(pc_priors(range = c(0.05, 2)), "probability, the second number, .* is 2\\.",
    class = "neargp_error_argument")
  expect_error(pc_priors(range = c(-3, 0.1)), "bound, the first number, .* is -3\\.",
    class = "neargp_error_argument")
  expect_error(pc_priors(rnge = c(0.05, 0.1)), "Did you mean `range`",
    class = "neargp_error_argument")
  expect_error(pc_priors(NULL, NULL, NULL, NULL, c(1, 0.1)), class = "neargp_error_argument")
  expect_error(prior_fit(list(1)), "`prior`", class = "neargp_error_argument")
  refused <- function(...) expect_error(prior_fit(...), class = "neargp_error_prior")
  refused(pc_priors(smoothness = c(0.3, 0.1)))
  refused(pc_priors(sd = c(1, 0.1)), covariance = cov_exponential(variance = 1))
  refused(pc_priors(anisotropy_ratio = c(0.3, 0.1)),
    covariance = cov_exponential(anisotropy = TRUE))
  refused(all_priors(), svgp(8))
  refused(all_priors(), vecchia(5, inducing = 5))
  refused(all_priors(), loo_k(5, optimizer = "adam"))
  data <- prior_data()
  data$z <- cbind(data$z, data$height)
  expect_error(neargp(cbind(z, height) ~ 1, prior_data(), coords = ~ x + y, method = vecchia(5),
    prior = all_priors()), class = "neargp_error_prior")
  counts <- transform(prior_data(), z = round(abs(z)))
  refused(pc_priors(range = c(0.1, 0.1)), loo_k(5), counts, family = poisson())
})
