test_that("separation ends with a finite, flagged answer", {
  data <- vnngp_data(200, seed = 16)
  data$side <- factor(ifelse(data$x > 0.5, "right", "left"))
  fit <- suppressWarnings(neargp(side ~ 1, data, coords = ~ x + y, method = vnngp(10),
    family = binomial()))
  expect_true(all(is.finite(fit$posterior$mean)))
  expect_true(any(fit$parameters$at_boundary) || isFALSE(fit$convergence$converged))
  p <- predict(fit, data.frame(x = c(0.05, 0.95), y = 0.5))$mean
  expect_lt(p[1], 0.1)
  expect_gt(p[2], 0.9)
})

test_extended("gross outliers of a Student-t response move neither starting values nor bounds", {
  data <- vnngp_data(300, seed = 17)
  clean <- neargp(student_t ~ h, data, coords = ~ x + y, method = vnngp(10),
    covariance = cov_exponential(), family = student_t(4))
  data$student_t[c(3, 50)] <- c(1e4, -1e3)
  fit <- neargp(student_t ~ h, data, coords = ~ x + y, method = vnngp(10),
    covariance = cov_exponential(), family = student_t(4))
  expect_false(any(fit$parameters$at_boundary))
  expect_lt(max(abs(coef(fit) - coef(clean)) / sqrt(diag(vcov(clean)))), 0.5)
  expect_lt(max(abs(log(coef(fit, "covariance") / coef(clean, "covariance"))[c("variance",
    "scale")])), 0.2)
})

test_that("counts without any variation have a constant mean", {
  data <- vnngp_data(100, seed = 18)
  data$three <- 3
  data$ten <- 10
  fit <- neargp(three ~ 1, data, coords = ~ x + y, method = vnngp(10), family = poisson())
  expect_equal(coef(fit)[[1L]], log(3), tolerance = 1e-4)
  fit <- neargp(cbind(three, ten - three) ~ 1, data, coords = ~ x + y, method = vnngp(10),
    family = binomial())
  expect_equal(coef(fit)[[1L]], qlogis(0.3), tolerance = 1e-4)
})

test_that("a response that the trend explains entirely is refused, and one over many orders of magnitude fitted", {
  data <- vnngp_data(100, seed = 19)
  data$straight <- 1 + 2 * data$h
  data$grown <- exp(1 + 0.3 * data$h)
  expect_error(neargp(straight ~ h, data, coords = ~ x + y, method = vnngp(10),
    family = student_t()), class = "neargp_error_constant_response")
  expect_error(neargp(grown ~ h, data, coords = ~ x + y, method = vnngp(10), family = Gamma("log")),
    class = "neargp_error_constant_response")
  withr::with_seed(1, data$wild <- pmax(rgamma(100, 0.05), 1e-300))
  fit <- neargp(wild ~ h, data, coords = ~ x + y, method = vnngp(10),
    covariance = fixed_exponential, family = Gamma("log"))
  expect_equal(coef(fit, "covariance")[["shape"]], 0.05, tolerance = 0.3)
})

test_extended("the unit of a lattice's coordinates does not choose its neighbours", {
  data <- expand.grid(x = (1:20) / 20, y = (1:20) / 20)
  withr::with_seed(20, data$count <- rpois(400, exp(sin(7 * data$x) + cos(7 * data$y))))
  fit_in <- function(unit) {
    data[c("x", "y")] <- data[c("x", "y")] * unit
    neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(15),
      covariance = cov_matern(1.5, variance = 1, range = 0.13 * unit), family = poisson())
  }
  here <- fit_in(1)
  for (unit in c(1.1, 1.0001, 0.3048)) {
    there <- fit_in(unit)
    expect_equal(there$log_likelihood, here$log_likelihood, tolerance = 1e-6)
    expect_equal(there$posterior$variance_at_data, here$posterior$variance_at_data,
      tolerance = 1e-3)
  }
})

test_extended("separation by the trend is flagged, also that of one level of a factor", {
  data <- vnngp_data(200, seed = 21)
  data$sign <- as.integer(data$h > 0)
  data$level <- factor(rep(c("a", "b", "c", "d"), 50))
  data$poisson[data$level == "b"] <- 0
  fit <- function(formula, ...) {
    neargp(formula, data, coords = ~ x + y, method = vnngp(10), covariance = fixed_exponential, ...)
  }
  expect_warning(separated <- fit(sign ~ h, family = binomial()), "separates",
    class = "neargp_warning_convergence")
  expect_true(all(is.finite(predict(separated, data)$mean)))
  expect_warning(fit(poisson ~ level, family = poisson()), "levelb may be infinite",
    class = "neargp_warning_convergence")
  data$yes <- as.integer(data$binary == "yes" & data$level != "c")
  expect_warning(fit(yes ~ level, family = binomial()), "and levelc may be infinite",
    class = "neargp_warning_convergence")
  expect_no_warning(fit(poisson ~ h, family = poisson()))
})

test_extended("collinear columns are no separation, and separated ones have no tests", {
  data <- vnngp_data(200, seed = 21)
  data$year <- 2000 + round(20 * data$x)
  data$sign <- as.integer(data$h > 0)
  fit <- function(formula) {
    neargp(formula, data, coords = ~ x + y, method = vnngp(10), covariance = fixed_exponential,
      family = binomial())
  }
  expect_no_warning(raw <- fit(binary ~ year + I(year^2)))
  expect_equal(raw$log_likelihood, fit(binary ~ poly(year, 2))$log_likelihood, tolerance = 1e-6)
  condition <- tryCatch(fit(sign ~ year + I(year^2) + h), neargp_warning_convergence = identity)
  expect_match(conditionMessage(condition), "and h may be infinite")
  expect_no_match(conditionMessage(condition), "start = fit")
  coefficients <- summary(suppressWarnings(fit(sign ~ h)))$coefficients
  expect_identical(unname(is.na(coefficients[, "Pr(>|z|)"])), c(FALSE, TRUE))
})

test_extended("pseudo-observations of a likelihood that is not log-concave are left where the covariance has moved on", {
  for (seed in c(1, 10, 23, 31, 47)) {
    withr::with_seed(seed, {
      data <- data.frame(x = runif(30), y = runif(30))
      data$z <- sin(5 * data$x) + 0.02 * rt(30, 2)
    })
    data$z[c(4, 9, 20)] <- data$z[c(4, 9, 20)] + c(3, -3, 3)
    fit_with <- function(family) {
      suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y,
        method = vnngp(10, posterior = "laplace"), covariance = cov_matern(1.5), family = family))
    }
    known <- fit_with(student_t(df = 3))
    expect_true(known$convergence$converged)
    expect_lt(min(known$posterior$pseudo_precision), 0)
    # Next to one degree of freedom there are many modes, and the fit may say that it did not
    # converge. In two of these data sets rounding decides between modes, one of them far below.
    # With data that are larger by a factor of 1 + 1e-10 the fit ends at the other one.
    fit <- fit_with(student_t())
    expect_true(all(fit$posterior$variance_at_data > 0))
    if (!seed %in% c(31, 47)) expect_gt(fit$log_likelihood, known$log_likelihood)
  }
})

test_extended("a posterior whose steps swing about the optimum settles", {
  data <- vnngp_data(300, seed = 22)
  withr::with_seed(22, data$count <- ifelse(data$x < 0.2, rpois(300, 20), 0))
  expect_no_warning(fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(15),
    family = poisson(), covariance = cov_matern(1.5, variance = 100, range = 0.2)))
  expect_true(fit$convergence$converged)
})

test_extended("variances of smooth fields that an incomplete factor gets wrong are those of an exact one", {
  data <- vnngp_data(400, seed = 24)
  fit_with <- function(factor, covariance) {
    neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 15, factor = factor),
      family = poisson(), covariance = covariance)
  }
  smooth <- cov_gaussian(variance = 1, range = 0.2)
  chosen <- fit_with("incomplete", smooth)
  expect_true(chosen$posterior$exact)
  expect_equal(chosen$posterior$variance, fit_with("exact", smooth)$posterior$variance,
    tolerance = 1e-5)
  expect_output(print(chosen), "Factor: +exact")
  expect_false(fit_with("incomplete", cov_matern(1.5, variance = 1, range = 0.2))$posterior$exact)
})

test_that("steps of the optimiser are limited", {
  data <- vnngp_data(300, seed = 25)
  few <- suppressWarnings(neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10),
    family = poisson(), covariance = cov_exponential(),
    control = neargp_control(max_iterations = 1L)))
  expect_lte(few$convergence$iterations, 6L)
})

test_that("more neighbours than there are inducing points are all of them, with a message", {
  data <- expand.grid(x = 1:3, y = 1:3, replicate = 1:8)
  data$count <- withr::with_seed(1, rpois(nrow(data), 3 + data$x))
  expect_message(fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(12),
    family = poisson(), covariance = cov_exponential(variance = 0.2, range = 2)), "all 8 of them",
    class = "neargp_message_k")
  expect_identical(fit$k, 8L)
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(5), family = poisson(),
    start = c(sigma = 1)), "It has variance, range and smoothness[.]",
    class = "neargp_error_argument")
})

test_that("a pattern that memory cannot hold is a classed error", {
  expect_error(in_memory(10L, 60L, in_core(stop("std::bad_alloc"))), "k = 10 neighbours of 60",
    class = "neargp_error_size")
  expect_error(in_memory(10L, 60L, stop("something else")), "something else")
  expect_identical(in_memory(10L, 60L, "a pattern"), "a pattern")
})

test_extended("a continued fit starts from its pseudo-observations, also where rounding would choose between modes", {
  for (seed in c(31, 47)) {
    withr::with_seed(seed, {
      data <- data.frame(x = runif(30), y = runif(30))
      data$z <- sin(5 * data$x) + 0.02 * rt(30, 2)
    })
    data$z[c(4, 9, 20)] <- data$z[c(4, 9, 20)] + c(3, -3, 3)
    for (posterior in c("sparse", "laplace")) {
      fit_from <- function(start) {
        suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y,
          method = vnngp(10, posterior = posterior), covariance = cov_matern(1.5),
          family = student_t(), start = start))
      }
      first <- fit_from(NULL)
      again <- fit_from(first)
      expect_gt(again$log_likelihood, first$log_likelihood - 1e-3)
    }
  }
  data <- vnngp_data(200, seed = 26)
  fit <- function(start) {
    neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(10), family = poisson(),
      covariance = cov_exponential(), start = start)
  }
  first <- fit(NULL)
  again <- fit(first)
  expect_equal(again$log_likelihood, first$log_likelihood, tolerance = 1e-7)
  expect_lt(again$convergence$iterations, first$convergence$iterations)
})

test_extended("trial values at which the posterior has no mode are turned back from", {
  withr::with_seed(21, {
    data <- data.frame(x = runif(30), y = runif(30))
    data$z <- sin(5 * data$x) + 0.02 * rt(30, 2)
  })
  data$z[c(4, 9, 20)] <- data$z[c(4, 9, 20)] + c(3, -3, 3)
  # with the first of these data conjugate gradients met negative curvature
  for (factor in c(1 - 1e-10, 1, 1 + 1e-10)) {
    data$scaled <- factor * data$z
    fit <- suppressWarnings(neargp(scaled ~ 1, data, coords = ~ x + y,
      method = vnngp(10, posterior = "laplace"),
      covariance = cov_matern(1.5), family = student_t()))
    expect_true(all(fit$posterior$variance_at_data > 0))
  }
})

test_that("points that were tried and left leave no trace in the posterior that is found next", {
  data <- vnngp_data(150, seed = 4)
  data$student_t[c(4, 9, 20)] <- data$student_t[c(4, 9, 20)] + c(3, -3, 3)
  for (posterior in c("sparse", "laplace")) {
    problem <- vnngp_problem("student_t", data, k = 8L, posterior = posterior)
    nodes <- latent_nodes(problem)
    latent <- latent_problem(problem, nodes,
      latent_search(problem, nodes, component_at(problem, problem$start), 8L))
    direct <- latent_objective(problem, latent)
    first <- direct$evaluate(problem$start)
    second <- direct$evaluate(problem$start)
    roundabout <- latent_objective(problem, latent)
    expect_identical(roundabout$evaluate(problem$start), first)
    expect_lt(roundabout$evaluate(problem$start +
      c(2, -2, 0, 0, 1, 0)[seq_along(problem$start)])$value, first$value)
    expect_identical(roundabout$evaluate(problem$start), second)
  }
})

test_extended("variances that are wrong are a warning, and beyond repair an error, with a remedy that helps", {
  fit <- function(nugget, factor_memory) {
    withr::local_seed(1)
    data <- data.frame(x = runif(200), y = runif(200))
    data$z <- sin(3 * data$x) + cos(3 * data$y) + rnorm(200, sd = 0.3)
    neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_gaussian(range = 3, variance = 1),
      nugget = nugget, method = vnngp(15, factor_memory = factor_memory, jitter = 1e-8))
  }
  expect_error(fit(100, 1e-9), "wrong by up to 1[0-9]+%.*`factor_memory`.*exact",
    class = "neargp_error_cholesky")
  expect_true(fit(100, 4)$posterior$exact)
  expect_error(check_variance_error(NaN, TRUE), "not finite", class = "neargp_error_cholesky")
  expect_error(check_variance_error(30, FALSE), "`k` of vnngp", class = "neargp_error_cholesky")
  expect_warning(check_variance_error(0.5, TRUE), "wrong by up to 50%",
    class = "neargp_warning_cholesky")
  expect_silent(check_variance_error(0.05, TRUE))
})

test_that("a trend whose search ended at a saddle is refused, and no variance of it is negative", {
  withr::local_seed(3)
  data <- data.frame(x = runif(8), y = runif(8), a = rnorm(8),
    g = rep(c("u", "v", "w"), length.out = 8))
  data$z <- rnorm(8) + rt(8, 1)
  expect_error(neargp(z ~ a + g, data, coords = ~ x + y, family = student_t(df = 1),
    method = vnngp(), covariance = cov_exponential(variance = 0.02, range = 1e-5)),
    "does not exist",
    class = "neargp_error_posterior")
  expect_silent(check_trend_posterior(diag(2)))
})

# Where the field is centred on the trend, the information on that is a difference of numbers of the
# size of 1 / variance.
test_extended("a field of next to no variance leaves the trend what it is without a field", {
  data <- vnngp_data(80, seed = 4)
  data$place <- round(data$x, 1)
  alone <- stats::glm(poisson ~ h, stats::poisson(), data, epsilon = 1e-14)
  fitted_by <- function(method, variance, coords = ~ x + y, ...) {
    neargp(poisson ~ h, data, coords = coords, method = method, family = poisson(), verbose = FALSE,
      covariance = cov_exponential(variance = variance, range = 0.2), ...)
  }
  methods <- list(vnngp(k = 8), vnngp(k = 8, posterior = "laplace"),
    vnngp(k = 8, posterior = "mean-field"), vnngp(k = 8, inducing = 10))
  for (method in methods) for (variance in c(1e-12, 1e-16, 1e-200)) {
    for (coords in list(~ x + y, ~ place)) {
      fit <- suppressMessages(fitted_by(method, variance, coords))
      expect_equal(coef(fit), coef(alone), tolerance = 1e-5)
      expect_equal(vcov(fit), vcov(alone), tolerance = 5e-3)
      if (method$posterior == "mean-field") {
        # independent normals do not reach the prior: the divergence of the best ones is left
        prior <- exp(-as.matrix(stats::dist(unique(fit$posterior$coords))) / 0.2)
        left <- 0.5 * (c(determinant(prior)$modulus) + sum(log(diag(solve(prior)))))
        expect_equal(c(logLik(fit)), c(logLik(alone)) - left, tolerance = 1e-3)
      } else {
        expect_equal(c(logLik(fit)), c(logLik(alone)), tolerance = 1e-6)
      }
    }
  }
  fit <- fitted_by(vnngp(k = 8), 1e-200, control = neargp_control(shards = 2))
  expect_equal(coef(fit), coef(alone), tolerance = 1e-5)
  expect_equal(predict(fit, data, type = "link")$mean, unname(predict(alone)), tolerance = 1e-5)
})
