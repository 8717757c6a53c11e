# Rows of a level, of which all counts are 0, and a covariate by which two classes are
# distinguished.
separated_data <- function(n = 120) {
  withr::local_seed(21)
  data <- data.frame(x = runif(n), y = runif(n), level = factor(rep(c("a", "b", "c"), n / 3)))
  data$count <- rpois(n, exp(1 + sin(5 * data$x)))
  data$count[data$level == "b"] <- 0
  data$found <- as.integer(data$count > 2)
  data$side <- as.integer(data$x > 0.4)
  data$class <- factor(cut(data$x, c(0, 0.3, 0.7, 1)), labels = c("l", "m", "r"))
  data
}

separated_fit <- function(formula, method, family, data = separated_data()) {
  suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, family = family,
    covariance = cov_exponential(variance = 0.5, range = 0.2)),
    classes = "neargp_warning_convergence")
}

test_extended("rows that the trend separates are predicted as they are by all methods", {
  methods <- list(vnngp(8), svgp(15, move = FALSE, std_error = FALSE), loo_k(8),
    odvgp(15, move = FALSE, std_error = FALSE), vnngp(8, posterior = "laplace"))
  data <- separated_data()
  for (method in if (is_extended()) methods else methods[1L]) {
    for (response in c("count", if (is_extended()) "found")) {
      family <- if (response == "count") poisson() else binomial("cloglog")
      fit <- separated_fit(stats::reformulate("level", response), method, family)
      label <- paste(class(method)[1L], response)
      expect_identical(fit$convergence$separated, "levelb", label = label)
      own <- predict(fit, data)$mean[data$level == "b"]
      expect_lt(max(own), 0.02, label = label)
      expect_gt(vcov(fit)["levelb", "levelb"], 4)
      expect_true(is.finite(scores(fit, data)$crps))
      if (!inherits(method, "neargp_vnngp")) next
      # the others as by a fit without them
      rest <- data$level != "b"
      apart <- separated_fit(stats::reformulate("level", response), method, family,
        droplevels(data[rest, ]))
      expect_lt(max(abs(predict(fit, data[rest, ])$mean / predict(apart, data[rest, ])$mean - 1)),
        0.15, label = label)
    }
  }
})

test_extended("leave-one-out predictions, draws and folds hold what is not bounded, too", {
  data <- separated_data()
  for (method in list(vnngp(8), svgp(15, move = FALSE, std_error = FALSE), loo_k(8))) {
    fit <- separated_fit(count ~ level, method, poisson())
    b <- data$level == "b"
    expect_lt(max(loo_predict(fit)$mean[b]), 0.02, label = class(method)[1L])
    draws <- as.matrix(simulate(fit, 50, seed = 1, newdata = data[b, ][1:5, ]))
    expect_lt(max(draws), 2)
    validated <- suppressWarnings(cross_validate(fit, folds = rep(1:4, 30)))
    expect_lt(max(validated$predictions$mean[b]), 0.02, label = class(method)[1L])
  }
  fit <- separated_fit(side ~ x, vnngp(8), binomial())
  expect_identical(predict(fit, data)$mean > 0.5, data$side == 1L)
})

test_extended("classes that the trend separates are predicted, and told", {
  data <- separated_data()
  for (method in list(svgp(15, std_error = FALSE), odvgp(15, std_error = FALSE))) {
    expect_warning(fit <- neargp(class ~ x, data, coords = ~ x + y, method = method,
      family = categorical()), "coefficients of l, m and r", class = "neargp_warning_convergence")
    expect_gt(scores(fit, data)$accuracy, 0.99)
    expect_lt(scores(fit, data)$log_loss, 0.05)
  }
})

test_that("held directions are known, and the covariance of the others is given them", {
  withr::local_seed(4)
  X <- cbind(1, matrix(rnorm(80), 40))
  direction <- c(0.3, 1, -0.5)
  V <- crossprod(matrix(rnorm(9), 3)) / 10 + 50 * tcrossprod(direction)
  held <- held_trend(X, V, 4)
  root <- qr.R(qr(X)) / sqrt(40)
  parts <- eigen(root %*% V %*% t(root))
  a <- drop(crossprod(root, parts$vectors[, 1L]))
  expect_equal(held, V - tcrossprod(V %*% a) / sum(a * (V %*% a)), tolerance = 1e-6)
  expect_true(all(eigen(held)$values > 0))
  expect_identical(held_trend(X, V, 1e4), V)
  # next to effects
  both <- crossprod(matrix(rnorm(25), 5)) / 10
  both[1:3, 1:3] <- both[1:3, 1:3] + 50 * tcrossprod(direction)
  held <- held_trend(X, both, 4)
  parts <- eigen(root %*% both[1:3, 1:3] %*% t(root))
  a <- c(crossprod(root, parts$vectors[, 1L]), 0, 0)
  expect_equal(held, both - tcrossprod(both %*% a) / sum(a * (both %*% a)), tolerance = 1e-6)
})

test_extended("a trend that no response bounds has no errors, and is held", {
  withr::local_seed(3)
  data <- data.frame(x = runif(100), y = runif(100), h = rnorm(100))
  data$count <- replace(1 + rpois(100, 0.3), 5, 7)
  expect_warning(fit <- neargp(count ~ h, data, coords = ~ x + y, family = truncated_nbinom2(1e-5),
    method = swsgp(8, inducing = 15, epochs = 1)), "no response bounds the trend",
    class = "neargp_warning_convergence")
  expect_identical(unname(vcov(fit)), matrix(NA_real_, 2, 2))
  expect_true(all(is.finite(as.matrix(predict(fit, data[1:3, ])))))
  expect_true(all(is.finite(as.matrix(simulate(fit, 2, newdata = data[1:3, ])))))
})

test_that("a trend that separates the responses is fitted beside random effects", {
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60), h = rep(0:1, 30), g = gl(6, 10))
  d$wet <- d$h
  fit <- suppressWarnings(neargp(wet ~ h + (1 | g), d, coords = ~ x + y, family = binomial(),
    method = vnngp(k = 5), covariance = cov_exponential(range = 0.3), verbose = FALSE))
  expect_true(length(fit$convergence$separated) > 0L)
  expect_true(all(is.finite(fit$posterior$variance_at_data)))
  expect_equal(round(unname(fitted(fit))), d$wet)
})
