# Fits of loo_k() to classes, of rows in shards.

test_extended("scores of labels in shards are the sums over all rows, and gradients their derivatives", {
  extended <- is_extended()
  cases <- list(list("label", c("no", "yes"), class ~ h),
    list("own-class", c("a", "b", "c"), class ~ 1),
    list("own-class", c("no", "yes"), class ~ h), list("label", c("a", "b", "c"), class ~ 0))
  for (case in if (extended) cases else cases[1L]) {
    whole <- example_problem(case[[1L]], case[[2L]], formula = case[[3L]])
    problem <- whole
    problem$control <- neargp_control(shards = 4L)
    problem$context <- whole$context <- plain_context(1L)
    problem <- with_labels_in_shards(problem)
    theta <- label_start(whole, 7L) + 0.1
    objective_of <- function(problem) {
      component <- component_at(problem, split_theta(problem, theta)$working)
      scoring <- problem$loo$scoring
      scoring$objective(problem, scoring$plan(problem, problem$loo$observations, component, 7L))
    }
    objective <- objective_of(problem)
    expect_equal(objective$evaluate(theta)$value, objective_of(whole)$evaluate(theta)$value,
      tolerance = 1e-12)
    expect_equal(objective$gradient(theta), objective_of(whole)$gradient(theta),
      tolerance = 1e-10)
    p <- length(theta)
    along <- c(which(problem$free)[1:2], p - 1:0)
    expect_gradient_of_differences(objective, theta, along)
  }
})

test_extended("fits to classes in shards are those of all rows in one, to the last bit on any workers", {
  cluster <- local_workers(2)
  parts <- c("parameters", "classifier", "log_likelihood")
  for (classes in list(c("no", "yes"), c("a", "b", "c"))) {
    data <- class_data(90, classes, repeated = 10L)
    fit_of <- function(shards, cluster = NULL) {
      neargp(class ~ h, data, coords = ~ x + y, method = loo_k(7), covariance = cov_exponential(),
        family = if (length(classes) == 2L) stats::binomial() else categorical(), threads = 1L,
        control = neargp_control(shards = shards), cluster = cluster)
    }
    whole <- fit_of(NULL)
    fit <- fit_of(4L)
    expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-6)
    expect_equal(predict(fit, data[1:5, ]), predict(whole, data[1:5, ]), tolerance = 1e-3)
    expect_identical(unclass(fit_of(4L, cluster))[parts], unclass(fit)[parts])
  }
  folds <- rep(1:3, 30)
  expect_identical(cross_validate(fit, folds, cluster = cluster)$scores,
    cross_validate(fit, folds)$scores)
})

test_that("classes that cannot be in shards are refused", {
  data <- class_data(40, c("no", "yes"))
  refused <- function(error, rows = data, method = loo_k(5), ...) {
    expect_error(neargp(class ~ 1, rows, coords = ~ x + y, method = method,
      control = neargp_control(shards = 2L), ...), class = error)
  }
  refused("neargp_error_cluster", method = loo_k(5, "polya-gamma"), family = stats::binomial())
  refused("neargp_error_cluster", method = svgp(5), family = categorical())
  source <- row_source(function(i) if (i == 1L) data)
  refused("neargp_error_source", source, family = categorical())
  refused("neargp_error_source", source, family = stats::binomial())
})
