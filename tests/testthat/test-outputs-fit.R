test_extended("with all others as neighbours the score is the dense leave-one-out score, by rows and by places", {
  data <- simulated_outputs(50)
  for (leave_out in c("row", "location")) {
    fit <- neargp(cbind(zinc, lead) ~ 0, data, coords = ~ x + y,
      method = loo_k(k = 40, k_other = 50, leave_out = leave_out),
      covariance = known_outputs(), nugget = c(0.2, 8))
    rows <- seq_along(fit$data$y)
    blocks <- if (leave_out == "row") as.list(rows) else split(rows, fit$data$place)
    wanted <- max(tabulate(fit$data$output)) - 1L
    full <- update(fit, method = loo_k(k = wanted, k_other = 50, leave_out = leave_out))
    expect_equal(full$log_likelihood, dense_block_score(full, blocks, double(0)), tolerance = 1e-10)
  }
})

test_that("the exact and Vecchia's likelihood with all neighbours are the dense one, with a trend",
  {
    data <- simulated_outputs(50)
    for (method in list(exact_gp(), vecchia(k = 40))) {
      fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = method,
        covariance = known_outputs(), nugget = c(0.2, 8), device = device_of(method))
      if (inherits(method, "neargp_vecchia")) {
        most <- max(tabulate(fit$data$output)) - 1L
        problem <- list(data = fit$data, layout = fit$layout, context = test_context(),
          method = list(k = most, k_other = 60L),
          groups = component_groups(fit$covariance, fit$locations))
        table <- neighbors_before(problem, fit$core_covariance$components[[1L]], most, "maxmin", 0)
        found <- with_natural_trend(local_objective(problem,
          table)$evaluate(fit$parameters$working), fit$data)
      } else {
        found <- list(value = fit$log_likelihood, beta = fit$beta, beta_vcov = fit$beta_vcov)
      }
      S <- dense_outputs_noisy(fit)
      X <- fit$data$X
      vcov <- solve(crossprod(X, solve(S, X)))
      beta <- drop(vcov %*% crossprod(X, solve(S, fit$data$y)))
      e <- fit$data$y - drop(X %*% beta)
      value <- -0.5 * (length(e) * log(2 * pi) + as.numeric(determinant(S)$modulus) +
        sum(e * solve(S, e)))
      expect_equal(found$value, value, tolerance = 1e-9)
      expect_equal(unname(found$beta), unname(beta), tolerance = 1e-8)
      expect_equal(unname(found$beta_vcov), unname(vcov), tolerance = 1e-8)
      expect_named(coef(fit), c("zinc:(Intercept)", "zinc:height", "lead:(Intercept)",
        "lead:height"))
    }
  })

test_that("diagonal coregionalisation is separate models", {
  data <- simulated_outputs(80)
  diagonal <- list(diag(c(2, 0)), diag(c(0, 100)))
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 12),
    covariance = cov_coregionalisation(cov_matern(1.5, range = 0.15), cov_exponential(range = 0.5),
      matrices = diagonal), nugget = c(0.2, 8))
  one <- neargp(zinc ~ 1, data, coords = ~ x + y, method = loo_k(k = 12),
    covariance = cov_matern(1.5, variance = 2, range = 0.15), nugget = 0.2)
  two <- neargp(lead ~ 1, data, coords = ~ x + y, method = loo_k(k = 12),
    covariance = cov_exponential(variance = 100, range = 0.5), nugget = 8)
  expect_equal(fit$log_likelihood, one$log_likelihood + two$log_likelihood, tolerance = 1e-9)
  place <- data.frame(x = c(0.2, 0.9), y = c(0.4, 0.1))
  predicted <- predict(fit, place, k = 12)
  # the trend's ordering differs
  expect_equal(predicted$mean_lead, predict(two, place, k = 12, local_mean = FALSE)$mean,
    tolerance = 1e-2)
  expect_equal(predicted$sd_zinc, predict(one, place, k = 12, local_mean = FALSE)$sd,
    tolerance = 1e-2)
})

test_extended("gradients of all objectives are those of finite differences", {
  data <- simulated_outputs(60)
  for (method in list(loo_k(k = 8), loo_k(k = 8, leave_out = "row"), mll_k(k = 8), exact_gp())) {
    problem <- outputs_problem(data, method, cov_coregionalisation(cov_matern(nu = NULL),
      cov_exponential(), rank = c(2, 1)))
    table <- neighbors_of_outputs(problem$data, component_at(problem, problem$start), 8L, 3L,
      method$leave_out %||% "location", plain_context())
    objective <- if (inherits(method, "neargp_exact_gp")) exact_outputs_objective(problem) else
      if (inherits(method, "neargp_mll_k")) joint_objective(problem, table) else
      local_objective(problem, table)
    working <- problem$start + 0.1 * loading_scales(problem) * problem$free
    beta <- objective$evaluate(working)$beta
    gradient <- objective$gradient(working, beta)
    for (a in which(problem$free)) {
      h <- 1e-5 * loading_scales(problem)[a]
      moved <- function(s) objective$evaluate(replace(working, a, working[a] + s))$value
      expect_equal(gradient[a], (moved(h) - moved(-h)) / (2 * h), tolerance = 1e-5,
        label = problem$layout$name[a])
    }
  }
})

test_extended("a fit recovers a known model and its predictions cover", {
  truth <- output_truth()
  truth$components <- truth$components[1L]
  data <- simulated_outputs(700, truth = truth)
  held <- 1:200
  train <- data[-held, ]
  for (method in list(loo_k(k = 20), vecchia(k = 20))) {
    fit <- neargp(cbind(zinc, lead) ~ height, train, coords = ~ x + y, method = method,
      covariance = cov_matern(1.5))
    expect_true(fit$convergence$converged)
    estimate <- coef(fit, what = "covariance")
    expect_equal(estimate[["variance_zinc"]], 2, tolerance = 0.5)
    expect_equal(estimate[["variance_lead"]], 100, tolerance = 0.5)
    expect_gt(stats::cov2cor(fit$coregionalisation[[1L]])[1L, 2L], 0.7) # 0.85
    expect_equal(estimate[["nugget_zinc"]], 0.2, tolerance = 0.5)
    if (inherits(method, "neargp_vecchia")) {
      limits <- confint(fit, what = "covariance", level = 0.999)
      known <- c(variance_zinc = 2, variance_lead = 100, covariance_zinc_lead = 12, range = 0.15,
        nugget_zinc = 0.2, nugget_lead = 8)
      expect_true(all(limits[names(known), 1L] < known & known < limits[names(known), 2L]))
    }
    table <- scores(fit, newdata = data[held, ], na.rm = TRUE)
    expect_true(all(abs(table$coverage[1:2] - 0.95) < 0.045))
    expect_equal(table$output, c("zinc", "lead", "(joint)"))
  }
})

test_extended("the estimates are an optimum: loadings, ranges and nuggets", {
  data <- simulated_outputs(150)
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(1.5), device = "cpu")
  problem <- list(data = fit$data, layout = fit$layout, groups = component_groups(fit$covariance,
    fit$locations), free = !fit$layout$fixed, context = plain_context())
  gradient <- exact_outputs_objective(problem)$gradient(fit$parameters$working,
    core_trend(fit)$beta) * loading_scales(problem)
  expect_lt(max(abs(gradient[problem$free])), 0.05)
  expect_true(all(diag(fit$core_covariance$components[[1L]]$loadings) > 0))
  again <- update(fit, start = fit)
  expect_equal(again$log_likelihood, fit$log_likelihood, tolerance = 1e-6)
  expect_lte(again$convergence$iterations, 5L)
})

test_extended("units of the outputs do not matter", {
  data <- simulated_outputs(150)
  fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = loo_k(k = 10))
  data$lead <- data$lead * 1e4
  scaled <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = loo_k(k = 10))
  expect_equal(coef(scaled, what = "covariance")[["range"]],
    coef(fit, what = "covariance")[["range"]], tolerance = 1e-3)
  expect_equal(scaled$coregionalisation[[1L]][1L, 2L], fit$coregionalisation[[1L]][1L, 2L] * 1e4,
    tolerance = 1e-2)
  expect_equal(scaled$log_likelihood, fit$log_likelihood - sum(!is.na(data$lead)) * log(1e4),
    tolerance = 1e-5)
})

test_extended("methods and settings that several outputs do not have are errors", {
  data <- simulated_outputs(60)
  fit <- function(...) neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, ...)
  expect_error(fit(method = loo_k(k = 5, optimizer = "adam")), "optimizer",
    class = "neargp_error_argument")
  expect_error(fit(method = vnngp(k = 5)), "cannot fit several.*dspp\\(\\) or dgp\\(\\)", class = "neargp_error_method")
  expect_error(fit(method = loo_k(k = 59)), class = "neargp_error_k")
  expect_error(fit(method = exact_gp(max_rows = 50), device = "cpu"), class = "neargp_error_size")
  expect_error(fit(nugget = c(1, 2, 3)), "nugget", class = "neargp_error_argument")
})

test_extended("fits of several outputs do not depend on the units of the outputs, however small or large", {
  results <- function(method, unit) {
    data <- simulated_outputs(60)
    data[c("zinc", "lead")] <- unit * data[c("zinc", "lead")]
    fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = method,
      covariance = cov_exponential())
    estimates <- coef(fit, what = "covariance")
    is_squared <- names(estimates) != "range"
    estimates[is_squared] <- estimates[is_squared] / unit / unit
    c(estimates, coef(fit) / unit, unlist(predict(fit, data[1:3, c("x", "y")])) / unit)
  }
  for (method in list(vecchia(8), exact_gp(), loo_k(8), mll_k(6))) {
    given <- results(method, 1)
    for (unit in 2^c(-330, 10, 330)) expect_equal(results(method, unit), given, tolerance = 1e-5)
  }
})

test_that("with fewer factors than outputs none is taken by an output for itself", {
  data <- withr::with_seed(1002, {
    places <- matrix(runif(120), 60)
    distances <- as.matrix(dist(places))
    field <- function(range) {
      correlation <- (1 + distances / range) * exp(-distances / range)
      drop(t(chol(correlation + diag(1e-8, 60))) %*% rnorm(60))
    }
    f <- field(0.12)
    runif(60)
    rnorm(60)
    sample(10, 60, TRUE)
    rnorm(10)
    z <- 1 + f + 0.1 * rnorm(60)
    other <- field(0.15)
    data.frame(x = places[, 1], y = places[, 2], z = z, z2 = 0.7 * f + 0.6 * other +
      0.3 * rnorm(60), z3 = -0.5 * f + 0.8 * other + 0.5 * rnorm(60))
  })
  value <- function(formula) {
    as.numeric(logLik(neargp(formula, data, coords = ~ x + y, method = exact_gp(),
      covariance = cov_coregionalisation(cov_matern(1.5), rank = 1))))
  }
  # the best of a grid of 40 starts
  expect_gte(value(cbind(z, z2, z3) ~ 1), -179.18)
  expect_gte(value(cbind(z3, z, z2) ~ 1), -179.18)
})

test_that("two structures do not depend on their order", {
  data <- data_of_field(6, 60, function(d) 0.5 * exp(-d / 0.4) + 0.5 * exp(-(d / 0.1)^2), 0.2)
  data$z2 <- 0.7 * data$z + withr::with_seed(7, rnorm(60, sd = 0.4))
  value <- function(...) {
    as.numeric(logLik(suppressWarnings(neargp(cbind(z, z2) ~ 1, data, coords = ~ x + y,
      method = exact_gp(), covariance = cov_coregionalisation(...)))))
  }
  expect_lt(abs(value(cov_matern(2.5), cov_exponential()) -
    value(cov_exponential(), cov_matern(2.5))), 0.05)
})
