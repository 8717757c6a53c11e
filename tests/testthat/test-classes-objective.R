test_extended("gradients of the score are right for both estimators, two classes and three", {
  for (estimator in c("label", "own-class")) {
    for (classes in list(c("a", "b"), c("a", "b", "c"))) {
      problem <- example_problem(estimator, classes)
      withr::local_seed(5)
      theta <- label_start(problem, 7L)
      theta <- theta + rnorm(length(theta), sd = 0.2)
      plan <- label_plan(problem, problem$loo$observations,
        component_at(problem, split_theta(problem, theta)$working), 7L)
      objective <- label_objective(problem, plan)
      slope <- vapply(seq_along(theta), function(i) {
        step <- replace(0 * theta, i, 1e-5)
        (objective$evaluate(theta + step)$value - objective$evaluate(theta - step)$value) / 2e-5
      }, 0)
      expect_equal(objective$gradient(theta), slope, tolerance = 1e-6)
    }
  }
})

test_that("a span of a plan is those observations alone", {
  problem <- example_problem("own-class", c("a", "b", "c"))
  theta <- label_start(problem, 7L)
  at <- problem$loo$observations
  plan <- label_plan(problem, at, component_at(problem, split_theta(problem, theta)$working), 7L)
  parts <- list(1:20, 21:length(at$row))
  values <- vapply(parts, function(span) label_objective(problem, plan, span)$evaluate(theta)$score,
    0)
  expect_equal(sum(values), label_objective(problem, plan)$evaluate(theta)$score)
})

test_that("the trend is made orthogonal and written back", {
  withr::local_seed(1)
  X <- cbind(`(Intercept)` = 1, a = rnorm(20, 5, 3), b = rnorm(20))
  design <- scaled_design(X)
  expect_equal(unname(crossprod(design$X)) / 20, diag(3))
  expect_equal(design$X[, 1L], rep(1, 20))
  trend <- matrix(c(1, 2, 3), 3L)
  expect_equal(unname(design$X %*% trend), unname(X %*% unscaled_trend(design, trend)))
  expect_equal(scaled_trend(design, unscaled_trend(design, trend)), trend)
  without <- scaled_design(X[, 2:3])
  expect_equal(unname(without$X %*% c(2, 3)),
    unname(X[, 2:3] %*% unscaled_trend(without, matrix(c(2, 3)))))
  none <- scaled_design(X[, 0L])
  expect_equal(dim(unscaled_trend(none, matrix(0, 0L, 2L))), c(0L, 2L))
})

test_extended("a fit does not depend on how its trend is written", {
  data <- class_data(150, c("a", "b"))
  data$depth <- 5 + data$x
  fits <- lapply(c(class ~ depth + I(depth^2), class ~ poly(depth, 2)), neargp, data,
    coords = ~ x + y, family = binomial(), method = loo_k(k = 10),
    covariance = cov_exponential(range = 0.2), threads = 1L)
  expect_equal(as.numeric(logLik(fits[[1L]])), as.numeric(logLik(fits[[2L]])), tolerance = 1e-5)
  trends <- lapply(fits, function(fit) drop(model.matrix(fit) %*% coef(fit)))
  expect_equal(trends[[1L]], trends[[2L]], tolerance = 1e-2)
  expect_equal(loo_predict(fits[[1L]])$prob_b, loo_predict(fits[[2L]])$prob_b, tolerance = 1e-2)
})
