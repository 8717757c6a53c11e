test_on_devices("with k = n - 1 the leave-one-out probabilities are the dense ones", {
  for (estimator in c("label", "own-class")) {
    for (classes in c(list(c("a", "b", "c")), if (is_extended()) list(c("a", "b")))) {
      fit <- fixed_class_fit(class_data(40, classes), estimator)
      dense <- dense_loo_probability(fit)
      predicted <- loo_predict(fit)
      expect_equal(unname(as.matrix(predicted[paste0("prob_", classes)])), unname(dense),
        tolerance = 1e-10)
      own <- dense[cbind(1:40, as.integer(observed_classes(fit)))]
      expect_equal(c(logLik(fit)), sum(log(own)), tolerance = 1e-10)
    }
  }
})

test_extended("repeated locations are aggregated, which changes no dense result", {
  for (estimator in c("label", "own-class")) {
    for (classes in list(c("a", "b"), c("a", "b", "c"))) {
      data <- class_data(50, classes, repeated = 12L)
      data[1:3, c("x", "y")] <- data[rep(30, 3), c("x", "y")]
      fit <- fixed_class_fit(data, estimator, k = length(unique(paste(data$x, data$y))) - 1L)
      dense <- dense_loo_probability(fit)
      expect_equal(unname(as.matrix(loo_predict(fit)[paste0("prob_", classes)])), unname(dense),
        tolerance = 1e-10)
    }
  }
})

test_extended("an observation's own label does not reach its leave-one-out prediction", {
  for (estimator in c("label", "own-class")) {
    data <- class_data(60, repeated = 15L)
    fit <- fixed_class_fit(data, estimator, k = 8L)
    for (i in c(1L, 20L, 50L)) {
      changed <- fit
      changed$data$y[i] <- fit$data$y[i] %% 3 + 1
      expect_identical(left_out_classes(changed, NULL, 1L)[i],
        left_out_classes(fit, NULL, 1L)[i])
      expect_false(identical(left_out_classes(changed, NULL, 1L),
        left_out_classes(fit, NULL, 1L)))
    }
  }
})

test_that("weights count equal observations", {
  data <- class_data(40)
  weight <- rep(1:2, 20)
  expect_warning(weighted <- fixed_class_fit(data, k = 10L, formula = class ~ 1, weights = weight),
    "67%", class = "neargp_warning_weights")
  expect_no_warning(repeated <- fixed_class_fit(data[rep(1:40, weight), ], k = 10L,
    formula = class ~ 1))
  repeated$classifier[c("slope", "trend", "bias")] <- weighted$classifier[c("slope", "trend",
    "bias")]
  expect_equal(loo_predict(weighted)$prob_a,
    loo_predict(repeated)$prob_a[!duplicated(rep(1:40, weight))])
  expect_error(fixed_class_fit(data, k = 10L, weights = rep(1.5, 40)), "whole",
    class = "neargp_error_weights")
})

test_extended("quasi-Newton converges, and Adam comes near it", {
  data <- class_data(300)
  fit <- function(optimizer, start = NULL) {
    withr::local_seed(1)
    neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
      covariance = cov_exponential(), threads = 1L, start = start,
      method = loo_k(15L, "label", optimizer, steps = 500L))
  }
  best <- fit("bfgs")
  expect_true(best$convergence$converged)
  expect_gt(c(logLik(fit("adam"))), c(logLik(best)) - 2)
  expect_identical(coef(fit("auto"), "covariance"), coef(best, "covariance"))
  again <- fit("bfgs", start = best)
  expect_equal(c(logLik(again)), c(logLik(best)), tolerance = 1e-4)
  expect_lt(again$convergence$evaluations, best$convergence$evaluations)
})

test_extended("auto compares the estimators' scores, and keeps a fit as it is", {
  data <- class_data(150)
  fit <- function(estimator, start = NULL, k = 12L) {
    neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
      covariance = cov_exponential(), threads = 1L, method = loo_k(k, estimator), start = start)
  }
  scores <- vapply(c("label", "own-class"), function(estimator) c(logLik(fit(estimator))), 0)
  auto <- fit("auto")
  expect_equal(auto$classifier$compared, scores)
  expect_equal(c(logLik(auto)), scores[[auto$classifier$estimator]])
  for (estimator in c("label", "own-class")) {
    further <- fit("auto", start = fit(estimator), k = 20L)
    expect_identical(further$classifier$estimator, estimator)
    expect_null(further$classifier$compared)
  }
})

test_extended("probabilities of a simulated field are calibrated and nearly as good as the truth", {
  withr::local_seed(2)
  n <- 1500
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- drop(crossprod(chol(6 * exp(-as.matrix(dist(data[1:2])) / 0.15) + diag(1e-8, n)),
    rnorm(n)))
  truth <- plogis(field + 0.7 * data$h)
  data$class <- rbinom(n, 1, truth)
  fit <- neargp(class ~ h, data, coords = ~ x + y, family = binomial(),
    covariance = cov_exponential(), method = loo_k(30L), threads = 1L)
  expect_gt(coef(fit)[["h"]], 0.3)
  curve <- calibration_curve(fit, bins = 5L)
  expect_lt(max(abs(curve$observed - curve$predicted) /
    sqrt(curve$predicted * (1 - curve$predicted) / curve$n)), 3.5)
  expect_lt(scores(fit)$calibration_error, 0.05)
  oracle <- -mean(dbinom(data$class, 1, truth, log = TRUE))
  trivial <- -mean(dbinom(data$class, 1, mean(data$class), log = TRUE))
  expect_lt(scores(fit)$log_loss, (oracle + trivial) / 2)
})

test_that("an offset is part of the log odds of two classes", {
  data <- class_data(60, c("a", "b"))
  fit <- fixed_class_fit(data, k = 10L, offset = 3 * h)
  odds <- function(h) {
    prob <- predict(fit, data.frame(x = 0.5, y = 0.5, h = h))
    log(prob$prob_b / prob$prob_a)
  }
  expect_equal(odds(1) - odds(0), 3 + coef(fit)[["h"]])
})

test_that("what cannot be fitted is refused", {
  data <- class_data(20)
  expect_error(fixed_class_fit(data[rep(1:4, 5), ], k = 5L), "distinct locations",
    class = "neargp_error_k")
  expect_error(neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
    method = vecchia()), class = "neargp_error_family")
  expect_error(fixed_class_fit(data, k = 5L, offset = h), "offset", class = "neargp_error_formula")
})

test_that("classes may outnumber the neighbours", {
  data <- class_data(80, letters[1:6])
  for (estimator in c("label", "own-class")) {
    fit <- fixed_class_fit(data, estimator, k = 3L)
    prob <- as.matrix(predict(fit, data[1:5, ]))
    expect_equal(unname(rowSums(prob)), rep(1, 5))
    expect_true(all(prob > 0))
  }
})

test_that("very many rows are fitted in stages, each four times the one before", {
  expect_identical(stage_sizes(19999), 19999L)
  expect_identical(stage_sizes(79999), 79999L)
  expect_identical(stage_sizes(436000), c(27250L, 109000L, 436000L))
  expect_equal(stage_steps(1000L, 3L), c(1000, 150, 150))
})

test_that("a stage sees the labels of its rows and no others", {
  problem <- example_problem("label", c("a", "b", "c"))
  rows <- c(2L, 5L, 12L, 15L, 40L, 41L, 42L)
  part <- take_label_rows(problem, rows)
  data <- list(coords = problem$data$coords[rows, ], class = problem$data$class[rows],
    weights = problem$data$weights[rows])
  expect_equal(part$classes$labels, new_labels(data, 3L, location_index(data$coords)))
  expect_equal(part$loo$design$X, problem$loo$design$X[rows, ])
})

test_extended("where scores hardly differ, held-out rows decide", {
  data <- class_data(150)
  fit <- neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
    covariance = cov_exponential(), threads = 1L, method = loo_k(12L))
  values <- fit$classifier$compared
  problem <- list(data = fit$data, free = fit$layout$name != "smoothness")
  expect_true(hardly_differ(problem, values, 12L))
  expect_named(fit$classifier$held_out, c("label", "own-class"))
  expect_identical(fit$classifier$estimator, names(which.max(fit$classifier$held_out)))
  expect_false(hardly_differ(problem, values + c(0, 1000), 12L))
  expect_false(hardly_differ(problem, values, 100L))
  # the same by hand: a fit to the other rows, scored on these
  held <- seq(5, 150, by = 5)
  other <- neargp(class ~ 1, data[-held, ], coords = ~ x + y, family = categorical(),
    covariance = cov_exponential(), threads = 1L, method = loo_k(12L, "label"))
  probability <- as.matrix(predict(other, data[held, ]))[cbind(seq_along(held),
    as.integer(data$class[held]))]
  expect_equal(fit$classifier$held_out[["label"]], sum(log(probability)), tolerance = 1e-6)
})

test_extended("rows that alone determine a coefficient do not decide between the estimators", {
  data <- class_data(150)
  data$kind <- factor(ifelse(seq_len(150) == 10L, "only", ifelse(data$h > 0, "a", "b")))
  fit <- function(formula) {
    neargp(formula, data, coords = ~ x + y, family = categorical(), covariance = cov_exponential(),
      threads = 1L, method = loo_k(12L))
  }
  scores <- fit(class ~ kind)$classifier
  expect_null(scores$held_out)
  expect_identical(scores$estimator, names(which.max(scores$compared)))
  decided <- fit(class ~ 1)
  expect_true(all(is.finite(decided$classifier$held_out)))
  shown <- paste(sprintf("%.1f by %s", decided$classifier$held_out, c("label", "own-class")),
    collapse = ", ")
  expect_output(print(summary(decided)), paste0("(score of held-out rows ", shown, ")"),
    fixed = TRUE)
})

test_that("the estimators of four rows are compared without holding any out", {
  data <- data.frame(x = 1:4, y = c(1, 3, 2, 4), class = factor(c("a", "b", "c", "a")))
  fit <- suppressWarnings(neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
    method = loo_k(1L), threads = 1L))
  expect_null(fit$classifier$held_out)
})

test_that("a constant offset is taken from the intercept, and changes nothing else", {
  withr::local_seed(1)
  n <- 120
  data <- data.frame(x = runif(n), y = runif(n))
  data$z <- rbinom(n, 1, plogis(2 * sin(6 * data$x)))
  fit_with <- function(constant, estimator) {
    data$constant <- constant
    withr::with_seed(2, suppressWarnings(neargp(z ~ x + offset(constant), data,
      coords = ~ x + y, family = binomial(), covariance = cov_matern(1.5),
      method = loo_k(8, estimator = estimator, steps = 20))))
  }
  new <- data.frame(x = c(0.2, 0.5, 0.8), y = 0.5)
  for (estimator in c("label", "polya-gamma", if (is_extended()) "own-class")) {
    plain <- fit_with(0, estimator)
    moved <- fit_with(3, estimator)
    expect_equal(c(logLik(moved)), c(logLik(plain)), tolerance = 1e-6, label = estimator)
    expect_equal(coef(moved), coef(plain) - c(3, 0), tolerance = 1e-5, label = estimator)
    expect_equal(predict(moved, transform(new, constant = 3)),
      predict(plain, transform(new, constant = 0)), tolerance = 1e-5, label = estimator)
  }
})
