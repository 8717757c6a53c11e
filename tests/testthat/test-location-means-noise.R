# Locations with several rows whose noise follows a model. The reference is the dense model of all
# rows.

crowded_data <- function(counts = c(1, 2, 3, 6), locations = 20L) {
  set.seed(3)
  stations <- data.frame(x = runif(locations), y = runif(locations))
  data <- stations[rep(seq_len(locations), rep(counts, length.out = locations)), ]
  n <- nrow(data)
  other <- noisy_data(n)
  other[c("x", "y")] <- data[sample(n), c("x", "y")]
  other
}

# The problems of all rows and of locations, at other parameters than the fit's.
crowded_problems <- function(case, data = crowded_data(), method = vecchia(k = 10)) {
  fit <- fit_of_case(case, method = method, data = data, control = still)
  rows <- noise_problem(fit)
  rows$method <- method
  list(rows = rows, means = problem_at_locations(rows),
    at = fit$parameters$working + 0.1 * rows$free, free = rows$free,
    component = metric_component(covariance_at(rows, fit$parameters$working)))
}

test_that("values, gradients and information of location means are those of all rows", {
  for (case in noise_cases()) {
    for (estimation in c("ML", "REML")) {
      problems <- crowded_problems(case, method = exact_gp(estimation = estimation))
      expect_lt(length(problems$means$data$y), length(problems$rows$data$y))
      right <- exact_objective(problems$rows)$evaluate(problems$at, information = TRUE)
      problems$means$method <- exact_gp(estimation = estimation)
      exact <- exact_objective(problems$means)$evaluate(problems$at, information = TRUE)
      problems$means$method <- vecchia(k = 19, estimation = estimation)
      before <- neighbors_before(problems$means, problems$component, 19L, "maxmin", 0)
      near <- local_objective(problems$means, before)$evaluate(problems$at, information = TRUE)
      for (found in list(exact, near)) {
        expect_equal(found$value, right$value, tolerance = 1e-11)
        expect_equal(found$beta, right$beta, tolerance = 1e-9)
        expect_equal(found$beta_vcov, right$beta_vcov, tolerance = 1e-9)
        expect_equal(found$gradient[problems$free], right$gradient[problems$free],
          tolerance = 1e-8)
        expect_equal(found$information[problems$free, problems$free],
          right$information[problems$free, problems$free], tolerance = 1e-8)
      }
    }
  }
})

test_that("gradients at given coefficients are those of differences", {
  for (case in noise_cases()) {
    problems <- crowded_problems(case)
    means <- problems$means
    before <- neighbors_before(means, problems$component, 6L, "maxmin", 0)
    others <- neighbors_others(means, problems$component, 6L)
    adjoint <- list(local_objective(means, before), local_objective(means, others),
      joint_objective(means, others))
    for (objective in adjoint) {
      expect_equal(objective$gradient(problems$at,
        objective$evaluate(problems$at)$beta)[problems$free],
        difference(function(w) objective$evaluate(w)$value, problems$at)[problems$free],
        tolerance = 1e-6)
    }
    for (objective in adjoint[1:2]) {
      expect_equal(objective$evaluate(problems$at, information = TRUE)$gradient[problems$free],
        objective$gradient(problems$at, objective$evaluate(problems$at)$beta)[problems$free],
        tolerance = 1e-9)
    }
  }
})

test_that("sums over some locations add up to the sum over all", {
  problems <- crowded_problems(noise_cases()$beside_known)
  means <- problems$means
  others <- without_self(core_neighbors_to(means$data$coords, means$data$coords, 7L,
    means$context), seq_along(means$data$y))
  all <- local_objective(means, others)
  beta <- all$evaluate(problems$at)$beta
  parts <- lapply(split(seq_along(means$data$y), rep(1:3, length.out = 20L)), function(targets) {
    neighbor_objective(means, targets, others[, targets])
  })
  expect_equal(sum(vapply(parts, `[[`, 0, "n")), all$n)
  expect_equal(Reduce(`+`, lapply(parts, function(part) part$gradient(problems$at, beta))),
    all$gradient(problems$at, beta), tolerance = 1e-10)
})

test_that("likelihood and predictions with known variances are those of the dense model", {
  set.seed(2)
  stations <- data.frame(x = runif(60), y = runif(60))
  index <- rep(1:60, rep(c(1, 2, 5, 40), 15))
  data <- stations[index, ]
  n <- nrow(data)
  data$year <- factor(2001 + sample(4, n, TRUE))
  data$w <- sample(c(0.5, 1, 3), n, TRUE)
  data$o <- rnorm(n)
  data$s2 <- runif(n, 0, 2)
  data$z <- rnorm(60)[index] + 0.5 * as.integer(data$year) + data$o + rnorm(n,
    sd = 2 / sqrt(data$w))
  new <- data.frame(rbind(data.frame(x = 0.5, y = 0.5), stations[4L, ]),
    year = factor(c(2002, 2004), levels(data$year)), o = 0)
  fit <- function(method, ...) {
    suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, method = method,
      threads = 1L, verbose = FALSE, ...))
  }
  for (method in list(vecchia(k = 59), exact_gp())) {
    held <- fit(method, weights = w, measurement_variance = s2, nugget = 4,
      covariance = cov_exponential(variance = 1, range = 0.3))
    expect_equal(held$log_likelihood, -1582.4917, tolerance = 4e-8)
    link <- predict(held, new, type = "link")
    expect_equal(link$mean, c(1.0224661, 2.2261922), tolerance = 1e-7)
    expect_equal(link$sd, c(0.63355525, 0.30536283), tolerance = 1e-7)
  }
  errors <- list()
  for (method in list(vecchia(k = 59), exact_gp())) {
    found <- fit(method, nugget = ~ w, covariance = cov_exponential(range = 0.3),
      control = neargp_control(tolerance = 1e-9))
    expect_equal(found$log_likelihood, -1539.1766, tolerance = 1e-7)
    expect_equal(coef(found, what = "covariance")[c("variance", "nugget", "nugget:w")],
      c(variance = 8.5332542, nugget = 3.5500497, "nugget:w" = -0.76442974), tolerance = 1e-5)
    errors <- c(errors, list(sqrt(diag(vcov(found, what = "covariance")))))
  }
  expect_equal(errors[[1L]], errors[[2L]], tolerance = 1e-5)
  # standard errors of the dense model of all rows
  problem <- noise_problem(found)
  right <- exact_objective(problem)$evaluate(found$parameters$working, information = TRUE)
  expect_equal(found$information[problem$free, problem$free],
    right$information[problem$free, problem$free], tolerance = 1e-8)
})

test_that("a fit by leave-one-out scores has means for its locations", {
  data <- crowded_data()
  for (method in list(loo_k(k = 19), mll_k(k = 19))) {
    fit <- suppressWarnings(noisy_fit(data, method, control = still))
    expect_equal(nobs(fit), nrow(data))
    noise <- fit$nugget / fit$data$weights
    dense <- dense_fit(with_noise(fit$data, noise), fit$core_covariance, 1)
    expect_equal(unname(coef(fit)), unname(dense$beta), tolerance = 1e-8)
  }
})

test_that("the loss by few neighbours is that of locations with this noise", {
  data <- crowded_data()
  data$v <- runif(nrow(data))
  fit <- function(...) suppressMessages(neargp(z ~ 1, data, coords = ~ x + y,
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.5, threads = 1L,
    method = vecchia(k = 4, condition = "auto"), verbose = FALSE, ...))
  by_model <- fit(measurement_variance = v)
  by_weight <- fit(weights = 0.5 / (0.5 + v))
  expect_gt(by_weight$conditioning$loss$likelihood, 0.001)
  expect_equal(by_model$conditioning$loss, by_weight$conditioning$loss, tolerance = 1e-8)
  expect_equal(neighbor_loss(by_model), neighbor_loss(by_weight), tolerance = 1e-8)
})
