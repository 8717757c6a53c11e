test_extended("Adam comes near the quasi-Newton optimum and follows R's seed", {
  data <- simulated_data(400, seed = 4)
  method <- loo_k(k = 15, optimizer = "adam", steps = 400)
  fit <- function() {
    neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = cov_exponential())
  }
  withr::local_seed(1)
  adam <- fit()
  best <- neargp(z ~ height, data, coords = ~ x + y, method = loo_k(k = 15),
    covariance = cov_exponential())
  expect_gt(c(logLik(adam)), c(logLik(best)) - 3)
  expect_true(is.na(adam$convergence$converged))
  expect_output(print(adam), "no test of convergence")
  set.seed(1)
  expect_identical(coef(fit(), "covariance"), coef(adam, "covariance"))
})

test_that("the learning rate is cut by 5 at the quarters", {
  method <- loo_k(optimizer = "adam", steps = 100)
  expect_equal(vapply(c(1, 25, 26, 51, 76, 100) / 100, adam_rate, 0, method = method),
    0.03 / 5^c(0, 0, 1, 2, 3, 3))
})

test_that("a step is that of the published algorithm", {
  moments <- list(first = c(0, 0), second = c(0, 0))
  updated <- adam_step(c(1, 1), c(2, -3), moments, 1L, 0.1)
  expect_equal(updated$working, c(1.1, 0.9), tolerance = 1e-6)
})

# Each row is in one of the batches of an epoch. With the trend at its optimum for all rows, the
# mean of their gradients is that of the whole objective, observations of one location included.
test_that("the gradient of a batch is unbiased", {
  data <- simulated_data(48)
  data <- rbind(data, transform(data[1:12, ], z = z + 0.3))
  for (method in list(loo_k(k = 8), mll_k(k = 8), vecchia(k = 8, ordering = "pca"))) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method, threads = 1L,
      covariance = cov_matern(1.5, ard = TRUE))
    problem <- problem_at_locations(problem_of_fit(fit))
    working <- fit$parameters$working + 0.3
    component <- component_at(problem, working)
    others <- neighbors_others(problem, component, 8L)
    case <- switch(method_name(method),
      loo_k = list(terms_of_others(problem), local_objective(problem, others)),
      mll_k = list(terms_of_others(problem, joint_objective), joint_objective(problem, others)),
      vecchia = list(terms_of_earlier(problem, kept_order(problem, "pca")),
        local_objective(problem, neighbors_before(problem, component, 8L, "pca", 0))))
    withr::local_seed(1)
    plan <- adam_plan(problem, working, matrix(sample.int(48), 6L), 8L, case[[1L]])
    gradients <- vapply(1:8, function(j) plan$gradient(working, j), working)
    expect_gt(min(apply(gradients[problem$free, ], 1L, sd)), 1e-3)
    all <- case[[2L]]$gradient(working, case[[2L]]$evaluate(working)$beta)
    expect_equal(rowMeans(gradients), all / 48, tolerance = 1e-9)
  }
})

test_extended("batches of all rows lead mll_k() and vecchia() to the optimum of all rows", {
  withr::local_seed(1)
  data <- simulated_data(80)
  data$z <- data$z + rnorm(80, sd = 0.5)  # the optimum is at no bound
  fit <- function(method) {
    neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = cov_exponential(),
      threads = 1L)
  }
  for (maker in list(mll_k, vecchia)) {
    best <- fit(maker(k = 10))
    adam <- fit(maker(k = 10, optimizer = "adam", batch_size = 80, steps = 500,
      learning_rate = 0.1))
    expect_equal(c(logLik(adam)), c(logLik(best)), tolerance = 1e-6)
    expect_equal(coef(adam, "covariance"), coef(best, "covariance"), tolerance = 0.01)
    expect_equal(coef(adam), coef(best), tolerance = 1e-3)
    expect_equal(vcov(adam), vcov(best), tolerance = 0.01)
    expect_true(is.na(adam$convergence$converged))
  }
  expect_equal(vcov(adam, "covariance"), vcov(best, "covariance"), tolerance = 0.03)
})

test_that("what needs all rows is refused with mini-batches", {
  refused <- function(code) expect_error(code, class = "neargp_error_argument")
  refused(vecchia(optimizer = "adam", inducing = 10))
  refused(vecchia(optimizer = "adam", estimation = "REML"))
  refused(vecchia(optimizer = "adam", condition = "field"))
  refused(vecchia(optimizer = "adam", condition = "auto"))
  refused(mll_k(optimizer = "adam", steps = 0))
  expect_identical(vecchia(optimizer = "adam")$condition, "responses")
  expect_null(mll_k()$batch_size)
  data <- cbind(simulated_data(30), w = rnorm(30))
  for (method in list(vecchia(k = 5, optimizer = "adam"), mll_k(k = 5, optimizer = "adam"))) {
    fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, method = method, ...)
    refused(fit(cbind(z, w) ~ 1))
    expect_error(fit(z ~ 1, control = neargp_control(shards = 2)), class = "neargp_error_cluster")
    expect_error(fit(z ~ 1, nugget = ~ height), class = "neargp_error_noise")
    expect_error(fit(z ~ s(height)), class = "neargp_error_method")
  }
})
