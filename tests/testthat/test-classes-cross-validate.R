test_extended("held-out classes are predicted from the labels of the other folds alone, as the dense formula says", {
  data <- class_data(60)
  fit <- fixed_class_fit(data, k = 40L)
  fit$method$optimizer <- "bfgs"
  folds <- rep_len(1:3, 60)
  cv <- cross_validate(fit, folds = folds)
  held <- which(folds == 2)
  others <- refit_trend(fit, which(folds != 2), plain_context())
  expect_identical(others$core_covariance, fit$core_covariance)
  expect_false(isTRUE(all.equal(others$classifier$trend, fit$classifier$trend)))
  covariance <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)
  class <- match(as.character(data$class), levels(data$class))
  known <- utils::modifyList(fit, list(classifier = others$classifier))
  expected <- t(vapply(held, function(i) dense_label_probability(known, covariance, class, i,
    which(folds != 2)), double(3)))
  own <- cv$predictions[cv$predictions$fold == 2, ]
  expect_equal(unname(as.matrix(own[c("prob_a", "prob_b", "prob_c")])), unname(expected),
    tolerance = 1e-8)
  expect_identical(own$observed, data$class[held])
  changed <- fit
  changed$data$y[held] <- 1
  expect_identical(cross_validate(changed, folds = folds)$predictions$prob_a[held], own$prob_a)
})

test_extended("cross-validated classes are scored, compared and drawn", {
  data <- class_data(90, repeated = 10L)
  fit <- fixed_class_fit(data, k = 10L)
  withr::local_seed(3)
  cv <- cross_validate(fit, folds = block_folds(fit, v = 3, size = 0.2),
    settings = list(few = list(k = 3L), more = list()))
  p <- cv$predictions[cv$predictions$setting == "more", ]
  expect_equal(cv$scores$log_loss[2],
    -mean(log(as.matrix(p[c("prob_a", "prob_b", "prob_c")])[cbind(seq_len(90),
      as.integer(p$observed))])))
  expect_equal(nrow(cv$fold_scores), 6)
  expect_equal(sum(confusion_table(cv, setting = "few")), 90)
  expect_equal(sum(calibration_curve(cv, setting = "few")$n), 90)
  expect_output(print(cv), "accuracy")
  expect_drawn(plot(cv))
  expect_drawn(plot(cv, which = c("calibration", "confusion"), setting = "few"))
  expect_error(cross_validate(fit, local_mean = TRUE), "Not local_mean",
    class = "neargp_error_argument")
  both <- cross_validate(list(one = fit, same = fit), folds = 3)
  expect_equal(both$scores$brier[1], both$scores$brier[2])
})

test_extended("classes are refitted without each fold, unless a fold has all rows of one", {
  data <- class_data(80, c("a", "b"))
  fit <- neargp(class ~ 1, data, coords = ~ x + y, family = binomial(), method = loo_k(k = 8L),
    covariance = cov_exponential(), threads = 1L)
  folds <- rep_len(1:2, 80)
  refitted <- cross_validate(fit, folds = folds, refit = TRUE)
  half <- neargp(class ~ 1, data[folds == 2, ], coords = ~ x + y, family = binomial(),
    method = loo_k(k = 8L), covariance = cov_exponential(), threads = 1L, start = fit)
  expect_equal(refitted$predictions$prob_b[folds == 1], predict(half, data[folds == 1, ])$prob_b,
    tolerance = 1e-6)
  expect_error(cross_validate(fit, folds = ifelse(data$class == "a", 1, folds + 1), refit = TRUE),
    "no row of the category a", class = "neargp_error_folds")
})

test_extended("0/1 responses by methods with a mean are compared with classes, by the same scores", {
  data <- class_data(90, c("a", "b"))
  data$event <- as.numeric(data$class == "b")
  fit_by <- function(formula, method, family = binomial()) {
    neargp(formula, data, coords = ~ x + y, family = family, method = method,
      covariance = cov_exponential(), threads = 1L)
  }
  folds <- rep_len(1:3, 90)
  vnngp_fit <- fit_by(event ~ 1, vnngp(k = 8))
  both <- cross_validate(list(vnngp = vnngp_fit, loo_k = fit_by(event ~ 1, loo_k(k = 8)),
    probit = fit_by(event ~ 1, loo_k(k = 8), binomial("probit"))), folds = folds)
  alone <- cross_validate(vnngp_fit, folds = folds)
  own <- both$predictions[both$predictions$setting == "vnngp", ]
  expect_equal(own$prob_1, alone$predictions$mean)
  expect_equal(both$scores$log_loss[1], alone$scores$log_score)
  expect_equal(both$scores$brier[1], alone$scores$brier)
  expect_identical(levels(both$predictions$observed), c("0", "1"))
  named <- cross_validate(list(vnngp = fit_by(class ~ 1, vnngp(k = 8)),
    loo_k = fit_by(class ~ 1, loo_k(k = 8))), folds = folds)
  expect_identical(levels(named$predictions$class), c("a", "b"))
  expect_error(cross_validate(list(loo_k = fit_by(class ~ 1, loo_k(k = 8)), vnngp = vnngp_fit)),
    "vnngp differs", class = "neargp_error_fits")
  expect_drawn(plot(both))
})
