fit <- pseudo_observation_fit("successes", pseudo_observation_data(120, repeated = 10L))

test_that("predictions have the columns of other responses", {
  new <- data.frame(x = c(0.2, 0.7), y = 0.4, h = 0)
  columns <- predict(fit, new, interval = "prediction", threshold = 2, trials = 5)
  expect_named(columns, c("mean", "sd", "lower", "upper", "p_exceed"))
  expect_true(all(columns$lower <= columns$mean & columns$mean <= columns$upper & columns$upper <=
    5))
  link <- predict(fit, new, type = "link")
  mixture <- new_mixture(link$mean, link$sd, binomial(), trials = 5)
  expect_equal(columns$mean, predictive_mean(mixture))
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
  expect_error(predict(fit, new, joint = TRUE), "not Gaussian\\.\n.*simulate\\(\\) draws responses jointly\\.$",
    class = "neargp_error_argument")
})

test_that("draws have the moments of predictions", {
  new <- data.frame(x = c(0.2, 0.7), y = 0.4, h = 0)
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, trials = 5))
  expected <- predict(fit, new, trials = 5)
  expect_equal(unname(rowMeans(draws)), expected$mean, tolerance = 0.05)
  expect_equal(unname(apply(draws, 1, sd)), expected$sd, tolerance = 0.1)
})

test_extended("few rows predict new places all together, and draws have their mean and covariance", {
  data <- pseudo_observation_data(14)
  new <- data[1:10, c("x", "y", "h")] + 0.01
  few <- neargp(successes > 2 ~ h, data, coords = ~ x + y, method = loo_k(13),
    family = stats::binomial("probit"), nugget = 1,
    covariance = cov_matern(2.5, variance = 2, range = 0.6))
  made <- few$pseudo_observations$data
  K <- dense_covariance(made$coords, made$coords, few$core_covariance)
  cross <- dense_covariance(made$coords, as.matrix(new[c("x", "y")]), few$core_covariance)
  weights <- solve(K + diag(few$nugget / made$weights), cross)
  X <- cbind(1, new$h)
  unseen <- X - crossprod(weights, made$X)
  mean <- drop(X %*% coef(few)) + few$pseudo_observations$bias +
    drop(crossprod(weights, made$y - drop(made$X %*% coef(few))))
  covariance <- dense_covariance(as.matrix(new[c("x", "y")]), as.matrix(new[c("x", "y")]),
    few$core_covariance) - crossprod(cross, weights) + unseen %*% vcov(few) %*% t(unseen)
  link <- predict(few, new, type = "link")
  expect_equal(link$mean, mean, tolerance = 1e-8)
  expect_equal(link$sd, sqrt(diag(covariance)), tolerance = 1e-8)
  draws <- as.matrix(simulate(few, 20000, seed = 1, newdata = new, type = "link"))
  expect_lt(max(abs(rowMeans(draws) - mean) / link$sd), 0.03)
  expect_equal(unname(stats::cov(t(draws))), unname(covariance), tolerance = 0.03)
})

test_that("leave-one-out predictions, residuals and scores go together", {
  loo <- loo_predict(fit)
  expect_equal(unname(residuals(fit, "loo")), fit$data$y - loo$mean)
  own <- scores(fit)
  expect_equal(own$log_score,
    -mean(predictive_log_density(fit$data$y, left_out(fit$method, fit)$distribution)))
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
    expect_output(print(fit, digits = 4), paste0("Far from data the mean of the response is ",
      format(signif(means$far, 4), digits = 4)), fixed = TRUE)
  }
  near <- fit_to(count ~ 1, poisson(), covariance = wide(0.1))
  expect_equal(near$data$y, data$count)
  expect_null(far_mean_note(near, 4L))
  expect_output(print(near), "^(?!.*[Ff]ar from data)", perl = TRUE)
  expect_null(far_mean_note(pseudo_observation_fit("student_t", pseudo_observation_data(60)), 4L))
})

test_extended("with k = n - 1 leave-one-out moments and score are the dense ones", {
  for (name in names(pseudo_observation_families())) {
    fit <- pseudo_observation_fit(name, pseudo_observation_data(40), k = 39L)
    predicted <- cavity_moments(fit$method, with_known_trend(fit), NULL, 1L)
    dense <- vapply(1:40, function(i) dense_pseudo_observation_moments(fit, i), double(3))
    expect_equal(predicted$mean, dense["mean", ], tolerance = 1e-8)
    expect_equal(predicted$variance, dense["variance", ], tolerance = 1e-8)
    mixture <- response_of_rows(fit, dense["mean", ], dense["variance", ])
    # the gamma variables of the score are those before the last pass, in which parameters moved by
    # 2% at most
    expect_equal(c(logLik(fit)), sum(predictive_log_density(fit$data$y, mixture)),
      tolerance = if (name == "student_t") 1e-2 else 1e-8)
  }
})

test_extended("the trend of a leave-one-out prediction is that of the pseudo-observations of the others, from generalised least squares", {
  for (name in c("poisson", "successes", "student_t")) {
    # with another nugget the trend does not weigh rows as neighbours are weighed
    fit <- pseudo_observation_fit(name, pseudo_observation_data(40), k = 39L, nugget = 1)
    data <- fit$pseudo_observations$data
    nugget <- known_parameters(fit)$nugget
    S <- dense_noisy(data, fit$core_covariance, nugget)
    all <- dense_fit(data, fit$core_covariance, nugget)
    fit <- given_trend(fit, all$beta, all$vcov)
    # gamma variables of a row are not the same in each set
    tolerance <- if (name == "student_t") 0.02 else 1e-8
    predicted <- cavity_moments(fit$method, fit, NULL, 1L)
    for (i in c(2L, 30L)) {
      dense <- dense_pseudo_observation_moments(fit, i)
      kept <- dense_fit(take_data_rows(data, -i), fit$core_covariance, nugget)
      unseen <- data$X[i, ] - drop(crossprod(data$X[-i, ], solve(S[-i, -i], S[-i, i])))
      expect_equal(predicted$mean[i], dense[["mean"]] + sum(unseen * (kept$beta - all$beta)),
        tolerance = tolerance)
      expect_equal(predicted$variance[i], dense[["variance"]] +
        drop(unseen %*% kept$vcov %*% unseen), tolerance = tolerance)
    }
  }
})

test_extended("repeated locations are aggregated, which changes no dense result", {
  for (name in c("poisson", "successes", "gamma")) {
    data <- pseudo_observation_data(50, repeated = 12L)
    fit <- pseudo_observation_fit(name, data, k = 37L)
    expect_identical(nrow(fit$pseudo_observations$locations$coords), 38L)
    predicted <- cavity_moments(fit$method, with_known_trend(fit), NULL, 1L)
    dense <- vapply(1:50, function(i) dense_pseudo_observation_moments(fit, i), double(3))
    expect_equal(predicted$mean, dense["mean", ], tolerance = 1e-8)
    expect_equal(predicted$variance, dense["variance", ], tolerance = 1e-8)
  }
})

test_extended("an observation's own response does not reach its leave-one-out prediction", {
  for (name in c("poisson", "successes", "student_t")) {
    fit <- with_known_trend(pseudo_observation_fit(name, pseudo_observation_data(60, repeated = 8L),
      k = 6L))
    known <- known_parameters(fit)
    problem <- list(data = core_data(fit$data), family = fit$family, method = fit$method,
      loo = list(location_index = fit$pseudo_observations$locations$location_index),
      context = plain_context())
    before <- cavity_moments(fit$method, fit, NULL, 1L)
    for (i in c(1L, 20L, 50L)) {
      pseudo_observations <- fit$pseudo_observations$of_rows
      pseudo_observations$mean[i] <- pseudo_observations$mean[i] + 3
      if (name != "student_t") {
        pseudo_observations$precision[i] <- 2 * pseudo_observations$precision[i]
      }
      changed <- fit
      with_changed <- utils::modifyList(problem,
        list(loo = list(pseudo_observations = pseudo_observations)))
      changed$pseudo_observations <- fitted_pseudo_observations(fit$data, with_changed, known)
      after <- cavity_moments(changed$method, changed, NULL, 1L)
      expect_equal(after$mean[i], before$mean[i], tolerance = 1e-12)
      expect_equal(after$variance[i], before$variance[i], tolerance = 1e-12)
      expect_gt(max(abs(after$mean - before$mean)), 1e-3)
    }
  }
})
