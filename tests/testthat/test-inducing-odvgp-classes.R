class_fields <- function(n = 90, seed = 3) {
  withr::local_seed(seed)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), w = rep(1:3, length.out = n))
  fields <- cbind(3 * sin(6 * data$x), 3 * cos(6 * data$y) + data$h, 3 * sin(5 * data$x - 2))
  data$class <- factor(letters[max.col(fields - log(matrix(rexp(3 * n), n)))])
  data
}

fit_classes <- function(formula = class ~ h, method = odvgp(12, move = FALSE, std_error = FALSE,
    tolerance = 1e-8), link = "softmax", data = class_fields(), ...) {
  neargp(formula, data, coords = ~ x + y, method = method, family = categorical(link),
    covariance = cov_exponential(variance = 4, range = 0.4), ...)
}

test_extended("the means of classes are where the bound is largest, from dense matrices", {
  cases <- list(list(class ~ h, "softmax"), list(class ~ 0, "robust-max"))
  for (case in if (is_extended()) cases else cases[1L]) {
    formula <- case[[1L]]
    link <- case[[2L]]
    base <- fit_classes(formula, svgp(12, move = FALSE, std_error = FALSE), link)
    fit <- fit_classes(formula, link = link)
    X <- class_columns_of(fit, fit$data$X)
    K <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)
    given <- base$svgp$at_data
    at <- class_mean_expectations(fit, given$variance + outer(given$unexplained,
      base$svgp$pseudo_observations$unexplained_share), plain_context())
    # stationary: a = g, X'a = 0 for each class
    a <- at(fit$svgp$at_data$linear_predictor)$slope
    beta <- matrix(vapply(fit$svgp$fields, `[[`, double(ncol(X)), "beta"), ncol(X), 3L)
    expect_equal(fit$svgp$at_data$linear_predictor, X %*% beta + K %*% a, tolerance = 1e-5,
      label = link)
    expect_lt(max(0, abs(crossprod(X, a))), 1e-4 * sum(abs(a)))
    # and the ELBO there is as reported
    norms <- vapply(base$svgp$fields, function(field) sum((field$weights %*% c(1, -field$beta))^2),
      0)
    gain <- at(fit$svgp$at_data$linear_predictor)$total - sum(a * (K %*% a)) / 2 -
      at(given$linear_predictor)$total + sum(norms) / 2
    expect_gt(gain, 0.01)
    expect_equal(c(logLik(fit)) - c(logLik(base)), gain, tolerance = 1e-5, label = link)
    # at new locations with the covariance of svgp()
    new <- data.frame(x = c(0.2, 0.7), y = c(0.3, 0.6), h = c(0, 1))
    k <- dense_covariance(as.matrix(new[1:2]), fit$data$coords, fit$core_covariance)
    columns <- class_columns_of(fit, if (ncol(X)) cbind(1, new$h) else matrix(0, 2L, 0L))
    moments <- class_moments(fit, as.matrix(new[1:2]), if (ncol(X)) cbind(1, new$h) else columns,
      plain_context())
    expect_equal(moments$mean, columns %*% beta + k %*% a, tolerance = 1e-5, label = link)
  }
})

test_extended("with an inducing point at each row the means of classes are those of svgp()", {
  data <- class_fields(60)
  all <- as.matrix(data[c("x", "y")])
  fit_by <- function(method) fit_classes(method = method, data = data, weights = w)
  base <- fit_by(svgp(all, move = FALSE, jitter = 1e-9, bound = "standard", std_error = FALSE))
  fit <- fit_by(odvgp(all, move = FALSE, jitter = 1e-9, bound = "standard", std_error = FALSE,
    tolerance = 1e-8))
  new <- data.frame(x = c(0.2, 0.55), y = c(0.3, 0.8), h = 0)
  expect_equal(predict(fit, new), predict(base, new), tolerance = 1e-3)
  expect_equal(coef(fit), coef(base), tolerance = 1e-2)
  expect_lt(abs(fit$svgp$gain), 1e-3)
})

test_extended("the generics of classes answer from the mean, or say what does", {
  data <- class_fields()
  fit <- fit_classes()
  new <- data[1:6, ]
  expect_identical(predict(fit, new)[3, ], predict(fit, new[3, ]), ignore_attr = TRUE)
  expect_equal(coef(fit), fit$classifier$trend)
  expect_error(loo_predict(fit), class = "neargp_error_method")
  expect_true(is.finite(scores(fit, data)$log_loss))
  expect_output(print(fit), "Mean: +of all rows, by [0-9]+ steps")
  expect_output(print(summary(fit)), "Mean: +of all rows, by [0-9]+ steps")
  expect_identical(predict(fit_classes(threads = 3), new, threads = 3), predict(fit, new))
  folds <- rep(1:3, 30)
  spoiled <- fit
  spoiled$data$y[folds == 1] <- 1
  without <- function(fit) restrict_rows(fit$method, fit, which(folds != 1), plain_context())
  expect_identical(without(spoiled)$svgp$mean$weights, without(fit)$svgp$mean$weights)
  expect_true(is.finite(cross_validate(fit, folds = folds)$scores$log_loss))
  on_points <- fit_classes(method = odvgp(12, move = FALSE, std_error = FALSE,
    mean_inducing = 40))
  expect_equal(nrow(on_points$svgp$mean$points), 52L)
  expect_lte(c(logLik(on_points)), c(logLik(fit)) + 1e-6)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
})

test_that("classes without a trend are fitted by svgp(), and shown", {
  fit <- fit_classes(class ~ 0, svgp(12, move = FALSE, std_error = FALSE))
  expect_identical(dim(coef(fit)), c(0L, 3L))
  expect_equal(sum(predict(fit, class_fields()[1, ])), 1, tolerance = 1e-6)
  expect_output(print(fit), "Categories: +a")
})

test_extended("all plots that are there by default are drawn", {
  expect_drawn(plot(fit_classes(class ~ 1)))
  expect_drawn(plot(inducing_fit(simulated_data(60), odvgp(10, move = FALSE))))
  expect_error(plot(fit_classes(class ~ 1), "confusion"), class = "neargp_error_method")
})

test_that("the size of a step is 0 where all precisions are", {
  expect_identical(relative_size(1:3, 4:6, double(3)), 0)
  expect_equal(relative_size(1:3, 2 * (1:3), c(1, 2, 3)), 0.5)
})
