# Two rows at each location: a nugget that the likelihood distinguishes from 0.
noisy_data <- function() {
  places <- simulated_data(30, seed = 2)
  noise <- withr::with_seed(3, stats::rnorm(60, sd = 0.7))
  transform(rbind(places, places), z = z + noise)
}

profiled_fit <- function(data = noisy_data(), covariance = cov_exponential(), ...,
                         method = exact_gp()) {
  suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = method,
    covariance = covariance, threads = 1L, control = neargp_control(tolerance = 1e-9), ...))
}

profile_confint <- function(fit, ...) confint(fit, ..., what = "covariance", method = "profile")

# The dense likelihood with one of (variance, range, nugget) held, maximised over the others.
dense_profile <- function(fit, held, value, log_likelihood = function(data, covariance, nugget) {
  dense_fit(data, covariance, nugget)$value
}) {
  at <- function(open) {
    natural <- append(exp(open), value, held - 1L)
    covariance <- fit$core_covariance
    covariance$components[[1L]][c("variance", "range")] <- as.list(natural[1:2])
    log_likelihood(fit$data, covariance, natural[3L])
  }
  stats::optim(log(fit$parameters$estimate[-held]), at, control = list(fnscale = -1,
    reltol = 1e-12, maxit = 1000))$value
}

test_extended("at its limits the dense profile likelihood is half a quantile of chi-squared lower", {
  fit <- profiled_fit()
  limits <- profile_confint(fit, level = 0.9)
  expect_identical(rownames(limits), c("variance", "range", "nugget"))
  for (j in 1:3) for (limit in limits[j, ]) {
    fall <- c(logLik(fit)) - dense_profile(fit, j, limit)
    expect_equal(sqrt(2 * fall), sqrt(qchisq(0.9, 1)), tolerance = 3e-3)
  }
  estimate <- coef(fit, "covariance")
  expect_true(all(limits[, 1L] < estimate & estimate < limits[, 2L]))
})

test_extended("with many rows the intervals are those of the standard errors", {
  fit <- profiled_fit(simulated_data(800, range = 0.1, nugget = 1), method = vecchia(15))
  wald <- confint(fit, what = "covariance")
  expect_equal(log(profile_confint(fit)), log(wald), tolerance = 0.15)
  one <- profile_confint(fit, "range")
  expect_equal(one, profile_confint(fit)["range", , drop = FALSE])
  expect_identical(profile_confint(fit, 2L), one)
})

test_extended("a parameter at its bound has an interval that is open there, which a message says", {
  data <- noisy_data()
  data$z <- sin(4 * data$x) + cos(3 * data$y)
  fit <- profiled_fit(data)
  expect_true(fit$parameters$at_boundary[3L])
  expect_message(limits <- profile_confint(fit, "nugget"), "bounds of nugget",
    class = "neargp_message_profile")
  expect_identical(limits[[1L]], 0)
  expect_gt(limits[[2L]], coef(fit, "covariance")[["nugget"]])
  fall <- c(logLik(fit)) - dense_profile(fit, 3L, limits[[2L]])
  expect_equal(sqrt(2 * fall), sqrt(qchisq(0.95, 1)), tolerance = 0.01)
})

test_extended("a limit that rests on the bound of another parameter is told as such", {
  set.seed(9)
  data <- data.frame(x = runif(60), y = runif(60), height = rnorm(60))
  data$z <- data$height + 2 * data$x + rnorm(60, sd = 0.3)
  fit <- profiled_fit(data, method = exact_gp(estimation = "REML"))
  limits <- NULL
  expect_message(limits <- profile_confint(fit, "variance"),
    "At a limit of variance, range is at its upper bound", class = "neargp_message_profile")
  # with the variance held there the restricted likelihood still rises with the range at its bound
  log_likelihood <- function(variance, range) {
    fixed <- cov_exponential(variance = variance, range = range)
    c(logLik(profiled_fit(data, fixed, method = exact_gp(estimation = "REML"))))
  }
  bound <- exp(fit$bounds$upper[["range"]])
  expect_gt(log_likelihood(limits[[2L]], bound), log_likelihood(limits[[2L]], bound / 2))
  expect_no_message(profile_confint(profiled_fit(), "variance"), class = "neargp_message_profile")
})

test_extended("restricted and penalised fits are profiled by what they have maximised", {
  data <- noisy_data()
  prior <- pc_priors(range = c(1, 0.01))
  range_of <- function(...) suppressMessages(profile_confint(profiled_fit(data, ...), "range"))
  ml <- range_of()
  reml <- range_of(method = exact_gp(estimation = "REML"))
  drawn <- range_of(prior = prior)
  expect_gt(reml[[2L]], 1.02 * ml[[2L]])
  expect_true(all(drawn > 1.05 * ml))
})

test_extended("neither the unit of the response nor a known anisotropy is in the way", {
  data <- noisy_data()
  limits <- suppressMessages(profile_confint(profiled_fit(data)))
  other <- suppressMessages(profile_confint(profiled_fit(transform(data, z = 1000 * z))))
  expect_equal(other / c(1e6, 1, 1e6), limits, tolerance = 2e-3)
  stretched <- profiled_fit(transform(data, x = 3 * x),
    cov_exponential(anisotropy = c(angle = 90, ratio = 1 / 3)))
  expect_equal(suppressMessages(profile_confint(stretched, "range")),
    3 * limits["range", , drop = FALSE],
    tolerance = 2e-3)
})

test_extended("what has no profile is NA, or refused", {
  data <- noisy_data()
  fit <- profiled_fit(data, cov_exponential(variance = 2, anisotropy = TRUE))
  expect_message(limits <- profile_confint(fit), "anisotropy", class = "neargp_message_profile")
  expect_identical(is.na(limits[, 1L]), c(variance = TRUE, range = TRUE, anisotropy_ratio = TRUE,
    anisotropy_angle = TRUE, nugget = FALSE))
  expect_error(profile_confint(fit, "anisotropy_ratio"), "ties together",
    class = "neargp_error_method")
  expect_equal(unname(profile_confint(fit, "nugget")), unname(limits["nugget", , drop = FALSE]))
  expect_error(confint(fit, method = "profile"), "`method`.*what = \"covariance\"",
    class = "neargp_error_argument")
  expect_error(confint(fit, "range"), "`range`.*what = \"covariance\"",
    class = "neargp_error_argument")
  expect_error(profile_confint(fit, "sill"), "`parm`", class = "neargp_error_argument")
  scored <- expect_error(profile_confint(profiled_fit(method = loo_k(8))),
    class = "neargp_error_not_likelihood")
  expect_no_match(conditionMessage(scored), "Compare")
  expect_error(profile_confint(profiled_fit(method = vecchia(8, inducing = 5))),
    "intervals are not available", class = "neargp_error_method")
})

test_extended("an ellipsoid is refused by name, and NA with a message in a table of all", {
  set.seed(8)
  data <- data.frame(x = runif(60), y = runif(60), depth = runif(60))
  data$z <- sin(5 * data$x + 3 * data$y) + data$depth + rnorm(60, sd = 0.3)
  fit <- suppressMessages(suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y + depth,
    method = exact_gp(), covariance = cov_exponential(variance = 1, anisotropy = "3d"))))
  names <- c("range", paste0("anisotropy_", c("ratio", "ratio_third", "angle", "dip", "plunge")))
  for (name in names) {
    expect_error(profile_confint(fit, name), name, class = "neargp_error_method")
  }
  expect_message(limits <- profile_confint(fit), "ties together", class = "neargp_message_profile")
  expect_true(all(is.na(limits[names, ])))
  expect_false(anyNA(limits["nugget", ]))
})

test_that("false position finds the root of a bent function, and past infinite ends", {
  bent <- function(x) sqrt(2 * max(exp(x) - x - 1, 0)) - 1.96
  root <- root_towards(bent, 0, 1.96, 10, 1.96)
  expect_equal(exp(root) - root - 1, 1.96^2 / 2, tolerance = 2e-3)
  walled <- function(x) if (x > 1.5) Inf else bent(x)
  expect_equal(root_towards(walled, 0, 1.96, 10, 1.96), root, tolerance = 2e-3)
  expect_identical(root_towards(bent, 0, -1.96, -1, 1.96), -Inf)
})
