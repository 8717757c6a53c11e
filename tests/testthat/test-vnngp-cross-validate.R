test_extended("held-out rows of latent models are predicted from a posterior that has not seen them", {
  data <- latent_data(160)
  fit <- latent_fit(count ~ height, poisson(), data)
  folds <- rep_len(1:4, 160)
  cv <- cross_validate(fit, folds = folds, level = 0.8)
  expect_identical(cv$predictions$row, 1:160)
  values <- stats::coef(fit, what = "covariance")
  for (fold in c(1, 4)) {
    held <- which(folds == fold)
    # The same parameters, given as fixed ones.
    known <- neargp(count ~ height, data[-held, ], coords = ~ x + y, method = fit$method,
      family = poisson(), covariance = cov_exponential(variance = values[["variance"]],
      range = values[["range"]]))
    link <- predict(known, data[held, ], type = "link")
    own <- cv$predictions[cv$predictions$fold == fold, ]
    expect_equal(own$link_mean, link$mean, tolerance = 1e-5)
    expect_equal(own$link_sd, link$sd, tolerance = 1e-4)
    expect_equal(own$crps, crps_mixture(data$count[held], own$link_mean, own$link_sd, poisson()))
  }
  data$count[folds == 2] <- 40L
  changed <- fit
  changed$data$y <- as.double(data$count)
  expect_identical(cross_validate(changed, folds = folds)$predictions$link_mean[folds == 2],
    cv$predictions$link_mean[folds == 2])
})

test_extended("scores of a cross-validation are averages of those of its rows", {
  data <- latent_data(120)
  fit <- latent_fit(count ~ height, negative_binomial(), data)
  cv <- cross_validate(fit, folds = rep_len(c("b", "a"), 120), level = 0.8,
    settings = list(few = list(k = 3), many = list()))
  p <- cv$predictions
  expect_equal(cv$scores$crps, as.vector(tapply(p$crps, factor(p$setting, c("few", "many")), mean)))
  own <- p[p$setting == "many" & p$fold == "a", ]
  expect_equal(cv$fold_scores$log_score[cv$fold_scores$setting == "many" & cv$fold_scores$fold ==
    "a"], mean(own$log_score))
  again <- scores(own$observed, own$link_mean, own$link_sd, family = fit$family,
    parameters = fit$family_parameters, level = 0.8)
  expect_equal(as.data.frame(cv$fold_scores[cv$fold_scores$setting == "many" &
    cv$fold_scores$fold == "a", names(again)]), as.data.frame(again), ignore_attr = TRUE)
  expect_drawn(plot(cv, which = c("scores", "predictions", "pit", "map"),
    score = "pit_deviation"))
})

test_extended("refitting estimates the family's parameters without the fold", {
  data <- latent_data(120)
  fit <- latent_fit(amount ~ height, Gamma("log"), data)
  folds <- rep_len(1:2, 120)
  cv <- cross_validate(fit, folds = folds, refit = TRUE)
  other <- neargp(amount ~ height, data[folds == 2, ], coords = ~ x + y, method = fit$method,
    family = Gamma("log"), covariance = cov_exponential(), start = fit)
  link <- predict(other, data[folds == 1, ], type = "link")
  own <- cv$predictions[cv$predictions$fold == 1, ]
  expect_equal(own$link_mean, link$mean, tolerance = 1e-4)
  expect_equal(own$log_score, log_score_mixture(own$observed, link$mean, link$sd, Gamma("log"),
    other$family_parameters), tolerance = 1e-4)
  expect_false(isTRUE(all.equal(other$family_parameters, fit$family_parameters, tolerance = 1e-3)))
})

test_that("gaussian latent models are cross-validated as observations with noise", {
  data <- latent_data(120)
  data$z <- data$height + sin(4 * data$x) + withr::with_seed(2, rnorm(120, sd = 0.3))
  folds <- rep_len(1:3, 120)
  latent <- cross_validate(latent_fit(z ~ height, gaussian(), data), folds = folds)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20),
    covariance = cov_exponential())
  expect_named(latent$predictions, c("setting", "row", "fold", "observed", "mean", "sd"))
  expect_equal(latent$scores$crps, cross_validate(fit, folds = folds)$scores$crps, tolerance = 0.02)
})

test_extended("fits by different families to the same response are compared", {
  data <- latent_data(120)
  counts <- latent_fit(count ~ height, poisson(), data)
  normal <- neargp(count ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential())
  folds <- rep_len(1:3, 120)
  cv <- cross_validate(list(counts = counts, normal = normal), folds = folds)
  expect_equal(cv$scores$setting, c("counts", "normal"))
  expect_equal(cv$scores$crps, c(cross_validate(counts, folds = folds)$scores$crps,
    cross_validate(normal, folds = folds)$scores$crps))
  expect_lt(cv$scores$crps[1], cv$scores$crps[2])
  expect_drawn(plot(cv, which = "pit", setting = "normal"))
  data$trials <- max(data$count)
  successes <- latent_fit(cbind(count, trials - count) ~ height, binomial(), data)
  both <- cross_validate(list(counts = counts, successes = successes), folds = folds)
  expect_equal(both$scores$log_score[2], cross_validate(successes, folds = folds)$scores$log_score)
  data$one <- as.numeric(data$class == "yes")
  linear <- neargp(one ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential())
  binary <- latent_fit(one ~ height, binomial(), data)
  expect_identical(is.na(cross_validate(list(linear = linear, binary = binary),
    folds = folds)$scores$brier), c(TRUE, FALSE))
})

test_extended("a fold may leave fewer rows than the fit has neighbours, as with other methods", {
  data <- latent_data(60)
  fit <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 59),
    covariance = cov_exponential(variance = 0.5, range = 0.3))
  folds <- rep_len(1:2, 60)
  p <- cross_validate(fit, folds = folds)$predictions
  half <- neargp(count ~ 1, data[folds == 2, ], coords = ~ x + y, family = poisson(),
    method = vnngp(k = 29), covariance = cov_exponential(variance = 0.5, range = 0.3))
  link <- predict(half, data[folds == 1, ], type = "link")
  expect_equal(p$link_mean[folds == 1], link$mean, tolerance = 1e-5)
  expect_equal(p$link_sd[folds == 1], link$sd, tolerance = 1e-5)
})

test_extended("a row is left out by taking its pseudo-observation away, exactly where the response is gaussian and the inducing points stay", {
  data <- latent_data(120)
  data$z <- data$height + sin(4 * data$x) + withr::with_seed(2, rnorm(120, sd = 0.3))
  some <- seq(5, 120, by = 23)
  folds <- replace(rep(NA, 120), some, seq_along(some))
  left_out <- function(formula, family, inducing = NULL) {
    method <- vnngp(k = 8, inducing = inducing, factor = "exact")
    fit <- neargp(formula, data, coords = ~ x + y, method = method, family = family,
      covariance = cov_exponential())
    cavity <- cavity_moments(fit$method, fit)
    predictions <- cross_validate(fit, folds = folds, k = 8)$predictions
    if (is_gaussian(family)) {
      predictions[c("link_mean", "link_sd")] <- list(predictions$mean,
        sqrt(predictions$sd^2 - fit$nugget))
    }
    list(mean = (cavity$mean[some] - predictions$link_mean) / predictions$link_sd,
      sd = sqrt(cavity$variance[some]) / predictions$link_sd)
  }
  exact <- left_out(z ~ height, gaussian(), 40)
  expect_lt(max(abs(exact$mean)), 1e-8)
  expect_equal(exact$sd, rep(1, 6), tolerance = 1e-8)
  approximate <- left_out(count ~ height, poisson(), 40)
  expect_lt(max(abs(approximate$mean)), 0.1)
  expect_equal(approximate$sd, rep(1, 6), tolerance = 0.05)
})
