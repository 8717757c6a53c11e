fit <- pseudo_observation_fit("successes", pseudo_observation_data(120, repeated = 10L))

test_that("predictions have the columns of other responses", {
  new <- data.frame(x = c(0.2, 0.7), y = 0.4, h = 0)
  columns <- predict(fit, new, interval = "prediction", threshold = 2, trials = 5)
  expect_named(columns, c("mean", "sd", "lower", "upper", "p_exceed"))
  expect_true(all(columns$lower <= columns$mean & columns$mean <= columns$upper & columns$upper <=
    5))
  link <- predict(fit, new, type = "link")
  mixture <- new_mixture(link$mean, link$sd, binomial(), trials = 5)
  expect_equal(columns$mean, mixture_mean(mixture))
  expect_named(predict(fit, new, type = "quantile", probs = 0.5), "q0.5")
})

test_that("far from all data predictions are those of the trend", {
  far <- predict(fit, data.frame(x = 1e4, y = 1e4, h = 2), type = "link")
  expect_equal(far$mean, fit$pseudo_observations$bias + sum(coef(fit) * c(1, 2)), tolerance = 1e-8)
  expect_gt(far$sd^2, coef(fit, "covariance")[["variance"]])
})

test_that("one location is predicted alike alone and jointly", {
  new <- data.frame(x = c(0.2, 0.21), y = 0.4, h = 0)
  joint <- predict(fit, new, type = "link", joint = TRUE, k = 60)
  expect_equal(joint$mean, predict(fit, new, type = "link", k = 60)$mean, tolerance = 0.02)
  expect_gt(attr(joint, "covariance")[1L, 2L], 0)
  expect_error(predict(fit, new, joint = TRUE), "not gaussian\\.\n.*simulate\\(\\) draws responses jointly\\.$",
    class = "neargp_error_argument")
})

test_that("draws have the moments of predictions", {
  new <- data.frame(x = c(0.2, 0.7), y = 0.4, h = 0)
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, trials = 5))
  expected <- predict(fit, new, trials = 5)
  expect_equal(unname(rowMeans(draws)), expected$mean, tolerance = 0.05)
  expect_equal(unname(apply(draws, 1, sd)), expected$sd, tolerance = 0.1)
})

test_that("leave-one-out predictions, residuals and scores go together", {
  loo <- loo_predict(fit)
  expect_equal(unname(residuals(fit, "loo")), fit$data$y - loo$mean)
  own <- scores(fit)
  expect_equal(own$log_score,
    -mean(mixture_density(fit$data$y, cavity_mixture(fit)$mixture, log = TRUE)))
  expect_length(fitted(fit), 120L)
  expect_lt(mean((fit$data$y - fitted(fit))^2), mean((fit$data$y - loo$mean)^2))
  withr::local_seed(1)
  expect_lt(abs(mean(residuals(fit, "standardized"))), 0.4)
  expect_length(residuals(fit, "pearson"), 120L)
})

test_extended("a fold is predicted from the pseudo-observations of the others", {
  folds <- rep(1:4, 30)
  cv <- cross_validate(fit, folds = folds)
  held <- which(folds == 2)
  kept <- restrict_rows(fit$method, fit, setdiff(1:120, held), plain_context())
  expect_equal(sum(kept$pseudo_observations$locations$total), 90)
  expect_equal(cv$predictions$link_mean[cv$predictions$fold == 2],
    predict_latent(kept, fit$data$coords[held, ], fit$data$X[held, ], fit$data$offset[held])$mean)
  refitted <- cross_validate(pseudo_observation_fit("student_t", pseudo_observation_data(60)),
    folds = 3, refit = TRUE)
  expect_equal(refitted$scores$n, 60)
})

test_extended("a fit prints what its neighbours are, and can be saved", {
  expect_output(print(fit), "pseudo-observations")
  expect_output(print(pseudo_observation_fit("student_t", pseudo_observation_data(60))),
    "gamma variables")
  expect_output(print(summary(fit)), "Std. Error")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), pseudo_observation_data(3)),
    predict(fit, pseudo_observation_data(3)))
  expect_s3_class(tidy(fit), "data.frame")
  expect_identical(sigma(fit), NA_real_)
})

test_extended("print() reports the mean of the response far from data where it is not that among the rows", {
  withr::local_seed(2)
  n <- 600
  data <- data.frame(x = runif(n), y = runif(n))
  h <- as.matrix(stats::dist(data)) / 0.1
  field <- drop(crossprod(chol((1 + h) * exp(-h) + diag(1e-8, n)), rnorm(n)))
  data$rare <- rbinom(n, 1, pnorm(-1.5 + field))
  data$successes <- rbinom(n, 3, pnorm(-1.5 + field))
  data$count <- rpois(n, exp(1 + 0.3 * field))
  remote <- data.frame(x = 100, y = 100)
  fit_to <- function(formula, family, ...) {
    neargp(formula, data, coords = ~ x + y, family = family, method = loo_k(20L), threads = 1L, ...)
  }
  wide <- function(variance) cov_matern(1.5, variance = variance, range = 0.1)
  for (fit in list(fit_to(rare ~ 1, binomial("probit"), covariance = wide(100)),
    fit_to(cbind(successes, 3 - successes) ~ 1, binomial("cloglog"), covariance = wide(100)),
    fit_to(count ~ 1, poisson(), covariance = wide(9)))) {
    means <- far_and_observed_means(fit)
    trials <- if (is.null(fit$data$trials)) 1 else 3
    expect_equal(means$far, predict(fit, remote)$mean, tolerance = 1e-6)
    expect_equal(means$observed, mean(fit$data$y) / trials)
    expect_output(print(fit, digits = 4), paste0("far from data the mean of the response is ",
      format(signif(means$far, 4), digits = 4)), fixed = TRUE)
  }
  near <- fit_to(count ~ 1, poisson(), covariance = wide(0.1))
  expect_equal(near$data$y, data$count)
  expect_null(far_mean_note(near, 4L))
  expect_output(print(near), "^(?!.*far from data)", perl = TRUE)
  expect_null(far_mean_note(pseudo_observation_fit("student_t", pseudo_observation_data(60)), 4L))
})
