test_that("the intercept of the class prevalence is that of a regression with the other coefficients given", {
  withr::local_seed(2)
  h <- rnorm(200)
  y <- rbinom(200, 1, plogis(-2 + h))
  base <- list(X = cbind(1, h), offset = 0.3 * h, weight = rep(1:2, 100),
    share = c(sum((1 - y) * 1:2), sum(y * 1:2)) / 300)
  slope <- 0.8
  expected <- suppressWarnings(glm(y ~ 1, binomial(), weights = base$weight, offset = 1.1 * h))
  expect_equal(prevalence_intercept(base, matrix(c(0, slope))), coef(expected)[[1L]],
    tolerance = 1e-8)

  slopes <- rbind(0, c(1, -0.5, 2))
  base$share <- c(0.7, 0.05, 0.25)
  intercept <- prevalence_intercept(base, slopes)
  odds <- exp(sweep(base$X %*% slopes, 2L, intercept, "+"))
  expect_equal(colSums(base$weight * odds / rowSums(odds)) / sum(base$weight), base$share,
    tolerance = 1e-8)
  expect_equal(sum(intercept), 0)
})

noise_data <- function(n = 500, share = 0.06) {
  withr::local_seed(8)
  data.frame(x = runif(n), y = runif(n), h = rnorm(n), b = rbinom(n, 1, share))
}

fit_rare <- function(formula, data, estimator = "label", family = binomial(), ...) {
  neargp(formula, data, coords = ~ x + y, family = family, covariance = cov_exponential(),
    threads = 1L, method = loo_k(15L, estimator), ...)
}

# A rare class that is found in patches.
patchy_data <- function(n = 700) {
  withr::local_seed(5)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / 0.1) + diag(1e-8, n)), rnorm(n)))
  data$b <- rbinom(n, 1, plogis(-4 + 2 * field + data$h))
  data$class <- cut(field, c(-Inf, -0.5, 1.7, Inf), labels = c("a", "b", "c"))
  data
}

test_extended("of labels that are noise the probability is their share, near data and far from them", {
  data <- noise_data()
  place <- data.frame(x = c(0.5, 1.05, 1.5, 100), y = 0.5)
  for (estimator in c("label", "own-class")) {
    p <- predict(fit_rare(b ~ 1, data, estimator), place)$prob_1
    expect_lt(max(abs(p - mean(data$b))), 0.015)
  }
})

test_extended("far from data a rare class is as rare as among the rows, and so are several", {
  data <- patchy_data()
  far <- data.frame(x = 1e4, y = 1e4)
  for (estimator in c("label", "own-class")) {
    fit <- fit_rare(b ~ 1, data, estimator)
    expect_gt(diff(range(loo_predict(fit)$prob_1)), 0.2)
    expect_lt(abs(log(predict(fit, far)$prob_1 / mean(data$b))), 0.1)
    fit <- fit_rare(class ~ 1, data, estimator, categorical())
    shares <- table(data$class) / nrow(data)
    expect_lt(max(abs(log(unlist(predict(fit, far)) / shares))), 0.2)
  }
})

test_extended("in held-out blocks a rare class is not predicted worse than by its share", {
  data <- patchy_data(1500)
  share <- mean(data$b)
  constant <- -share * log(share) - (1 - share) * log(1 - share)
  withr::local_seed(1)
  for (estimator in c("label", "own-class")) {
    cv <- cross_validate(fit_rare(b ~ 1, data, estimator), folds = block_folds(data[c("x", "y")],
      v = 5, size = 0.25))
    expect_lt(cv$scores$log_loss, constant)
  }
})

test_extended("with covariates probabilities far from data average to the shares", {
  data <- patchy_data()
  far <- data.frame(x = 1e4, y = 1e4, h = data$h)
  for (formula in c(b ~ h, b ~ 0 + cut(h, c(-Inf, 0, Inf)))) {
    fit <- fit_rare(formula, data)
    p <- predict(fit, far)$prob_1
    expect_lt(abs(log(mean(p) / mean(data$b))), 0.2)
    expect_gt(cor(p, data$h), 0.5)
  }
})

test_that("without an intercept nothing is known far from data", {
  data <- patchy_data(200)
  expect_equal(predict(fit_rare(b ~ 0, data), data.frame(x = 1e4, y = 1e4))$prob_1, 0.5)
})

test_extended("names and order of the classes, and how labels are written, do not matter", {
  data <- patchy_data(400)
  place <- data.frame(x = c(0.2, 0.5, 0.9, 1.2, 5), y = 0.5)
  data$logical <- data$b == 1
  data$reversed <- factor(1 - data$b)
  data$turned <- factor(data$class, levels = c("c", "a", "b"))
  for (estimator in c("label", "own-class")) {
    number <- predict(fit_rare(b ~ 1, data, estimator), place)$prob_1
    expect_identical(predict(fit_rare(logical ~ 1, data, estimator), place)$prob_TRUE, number)
    expect_identical(predict(fit_rare(factor(b) ~ 1, data, estimator, categorical()), place)$prob_1,
      number)
    expect_equal(predict(fit_rare(reversed ~ 1, data, estimator), place)$prob_0, number,
      tolerance = 1e-3)
    classes <- predict(fit_rare(class ~ 1, data, estimator, categorical()), place)
    expect_equal(predict(fit_rare(turned ~ 1, data, estimator, categorical()),
      place)[names(classes)], classes, tolerance = 5e-3)
  }
})
