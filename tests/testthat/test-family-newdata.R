# Fits with formulas of family parameters: what they predict, and how they go on.

# The parameter of zi_nbinom2(zi = ~ z) at z. `fitted_z`: that of the fit.
zi_by_hand <- function(own, z, fitted_z) {
  plogis(qlogis(own[["zi"]]) + own[["zi:z"]] * (z - mean(fitted_z)))
}

test_that("predictions use the parameters of each row", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z))
  new <- data.frame(x = c(0.2, 0.5, 0.8), y = 0.4, h = c(0, 1, -1), z = c(0.5, 5, 9))
  link <- predict(fit, new[c("x", "y", "h")], type = "link", parameters = "plug-in")
  found <- predict(fit, new, interval = "prediction", threshold = 3, parameters = "plug-in")
  zi <- zi_by_hand(fit$family_parameters, new$z, formula_data(200)$z)
  size <- fit$family_parameters[["size"]]
  for (i in 1:3) {
    eta <- link$mean[i] + link$sd[i] * seq(-8, 8, length.out = 4001L)
    weight <- dnorm(eta, link$mean[i], link$sd[i])
    weight <- weight / sum(weight)
    count <- exp(eta)
    mean <- sum(weight * (1 - zi[i]) * count)
    square <- sum(weight * (1 - zi[i]) * (count + count^2 / size + count^2))
    expect_equal(found$mean[i], mean, tolerance = 1e-6)
    expect_equal(found$sd[i], sqrt(square - mean^2), tolerance = 1e-6)
    expect_equal(found$p_exceed[i], sum(weight * (1 - zi[i]) *
      pnbinom(3, size, mu = count, lower.tail = FALSE)), tolerance = 1e-6)
  }
})

test_that("scores, residuals and draws use the parameters of each row", {
  d <- formula_data(200)
  fit <- process_fit(family = zi_nbinom2(size = ~ g, zi = ~ z))
  new <- d[1:20, ]
  new$zi_nbinom <- fit$data$y[1:20]
  link <- predict(fit, new, type = "link", parameters = "plug-in")
  own <- fit$family_parameters
  zi <- zi_by_hand(own, new$z, d$z)
  log_scores <- vapply(1:20, function(i) {
    size <- own[["size"]] * exp(c(0, own[c("size:gb", "size:gc")])[[as.integer(new$g[i])]])
    scores(new$zi_nbinom[i], mean = link$mean[i], sd = link$sd[i], family = zi_nbinom2(),
      parameters = c(size = size, zi = zi[i]))$log_score
  }, 0)
  expect_equal(scores(fit, new, parameters = "plug-in")$log_score, mean(log_scores),
    tolerance = 1e-6)
  expect_true(all(is.finite(residuals(fit, type = "loo"))))
  expect_true(all(is.finite(residuals(fit, type = "pearson"))))
  drawn <- as.matrix(simulate(fit, 400, seed = 1, newdata = new[1:3, ], parameters = "plug-in"))
  predicted <- predict(fit, new[1:3, ], parameters = "plug-in")
  expect_lt(max(abs(rowMeans(drawn) - predicted$mean) / (predicted$sd / 20)), 4)
  zeros <- rowMeans(as.matrix(simulate(fit, 300, seed = 2, parameters = "plug-in")) == 0)
  expect_gt(stats::cor(zeros, d$z), 0.5)
})

test_extended("predictions integrate over parameters with formulas", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 60)
  new <- data.frame(x = 0.3, y = 0.4, h = 0, z = c(1, 9, NA))
  found <- predict(fit, new, parameters = "integrated", interval = "prediction")
  plugged <- predict(fit, new, parameters = "plug-in")
  expect_identical(is.na(found$mean), c(FALSE, FALSE, TRUE))
  expect_gt(found$mean[1L], found$mean[2L])
  expect_equal(found$mean, plugged$mean, tolerance = 0.5)
})

test_that("missing covariates leave out rows, and give NA predictions", {
  d <- formula_data(150)
  d$z[c(3, 7)] <- NA
  fit <- neargp(nbinom ~ h, d, coords = ~ x + y, family = nbinom2(size = ~ z),
    method = vnngp(k = 8), verbose = FALSE)
  expect_identical(nobs(fit), 148L)
  predicted <- predict(fit, d[1:4, ])
  expect_identical(which(is.na(predicted$mean)), 3L)
  expect_false(anyNA(predict(fit, d[1:4, ], type = "link")$mean))
})

# ---- fits go on ----------------------------------------------------------------------------------

test_that("print(), tidy(), confint() and fixed know the coefficients", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z))
  shown <- capture.output(print(fit))
  expect_match(shown, "zi_nbinom2() with log link, zi ~ z", fixed = TRUE, all = FALSE)
  expect_match(shown, "zi where z = ", all = FALSE)
  expect_match(capture.output(print(summary(fit))), "zi:z +[-0-9.]+ +[0-9.]+", all = FALSE)
  limits <- confint(fit, "zi:z", what = "covariance")
  table <- covariance_estimates(fit)$table
  row <- table[table$name == "zi:z", ]
  expect_equal(unname(limits[1L, ]), row$estimate + qnorm(c(0.025, 0.975)) * row$std_error,
    tolerance = 1e-6)
  of_zi <- confint(fit, "zi", what = "covariance")
  expect_true(all(of_zi > 0 & of_zi < 1))
  fixed <- process_fit(family = zi_nbinom2(zi = ~ z), fixed = c("zi:z" = 0))
  plain <- process_fit(family = zi_nbinom2())
  expect_equal(as.numeric(logLik(fixed)), as.numeric(logLik(plain)), tolerance = 1e-6)
  expect_equal(fixed$family_parameters[["zi"]], plain$family_parameters[["zi"]], tolerance = 1e-3)
  negative <- process_fit(family = zi_nbinom2(zi = ~ z), fixed = c("zi:z" = -0.1))
  expect_equal(negative$family_parameters[["zi:z"]], -0.1)
})

test_that("fits are updated, saved, deployed and cross-validated", {
  d <- formula_data(160)
  fit <- neargp(nbinom ~ h, d[1:150, ], coords = ~ x + y, family = nbinom2(size = ~ z + g),
    method = vnngp(k = 8), verbose = FALSE)
  again <- update(fit, start = fit)
  expect_equal(again$family_parameters, fit$family_parameters, tolerance = 1e-2)
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d[151:160, ]), predict(fit, d[151:160, ]))
  expect_identical(predict(deploy(fit), d[151:160, ]), predict(fit, d[151:160, ]))
  folds <- cross_validate(fit, folds = 3, verbose = FALSE)
  expect_true(all(is.finite(scores(folds)$log_score)))
  refitted <- cross_validate(fit, folds = 3, refit = TRUE, verbose = FALSE)
  expect_true(all(is.finite(scores(refitted)$log_score)))
})

test_that("appended rows bring their covariates", {
  d <- formula_data(160)
  fixed <- c(variance = 0.3, range = 0.2, size = 2, "size:z" = 0.1)
  fit_of <- function(rows) neargp(nbinom ~ h, rows, coords = ~ x + y, verbose = FALSE,
    family = nbinom2(size = ~ z), method = vnngp(k = 12), covariance = cov_exponential(),
    fixed = fixed)
  fit <- fit_of(d[1:150, ])
  more <- update(fit, newdata = d[151:160, ])
  # the mean of z is another one among all rows
  shift <- exp(0.1 * (mean(d$z) - mean(d$z[1:150])))
  fixed["size"] <- 2 * shift
  whole <- fit_of(d)
  expect_equal(more$beta, whole$beta, tolerance = 1e-4)
  expect_equal(predict(more, d[1:5, ])$mean, predict(whole, d[1:5, ])$mean, tolerance = 1e-4)
  expect_error(update(fit, newdata = d[151:160, setdiff(names(d), "z")]), "needs the covariate z",
    class = "neargp_error_newdata")
})

test_that("a hurdle model takes the formulas of its positive part", {
  d <- formula_data(200)
  d$there <- d$nbinom > 0
  presence <- neargp(there ~ h, d, coords = ~ x + y, family = binomial(), method = vnngp(k = 8),
    verbose = FALSE)
  positive <- neargp(nbinom ~ h, d[d$there, ], coords = ~ x + y, method = vnngp(k = 8),
    family = truncated_nbinom2(size = ~ z), verbose = FALSE)
  predicted <- predict(neargp_hurdle(presence, positive), d[1:5, ])
  of_parts <- predict(presence, d[1:5, ], parameters = "plug-in")$mean *
    predict(positive, d[1:5, ], parameters = "plug-in")$mean
  expect_equal(predicted$mean, of_parts, tolerance = 1e-6)
})

# ---- several responses ---------------------------------------------------------------------------

joint_formula_data <- function(n = 90) {
  d <- formula_data(n)
  withr::with_seed(4, {
    field <- sin(6 * d$x) + cos(4 * d$y)
    d$count <- rnbinom(n, exp(0.2 + 0.1 * d$z), mu = exp(1 + field))
    d$level <- 0.5 * field + rnorm(n, sd = 0.3)
    d$level[1:20] <- NA
  })
  d
}

joint_formula_fit <- function(d, ...) {
  neargp(list(count ~ h, level ~ 1), d, coords = ~ x + y, method = vnngp(k = 8), verbose = FALSE,
    family = list(nbinom2(size = ~ z), gaussian()), ...)
}

test_that("joint models: gradients are those of differences, and coefficients are per unit", {
  d <- joint_formula_data(60)
  fit <- joint_formula_fit(d)
  shared <- fitted_joint_problem(fit, plain_context())
  at <- shared$start + 0.05 * shared$free
  objective <- fields_objective(shared, joint_latent(shared, joint_search(shared, at),
    exact = TRUE))
  gradient <- objective$fit_at(at, 1e-13, 500L, derivatives = TRUE)$gradient
  value <- function(w) objective$fit_at(w, 1e-13, 500L)$value
  free <- shared$free
  expect_equal(gradient[free], difference(value, at, 1e-4)[free], tolerance = 1e-6)
  # coefficients are per unit of the covariate, as those of the parts
  expect_equal(coef(fit, what = "covariance")[["count:size:z"]],
    fit$parts$count$family_parameters[["size:z"]])
})

test_that("joint models with formulas predict, simulate and are cross-validated", {
  d <- joint_formula_data()
  fit <- joint_formula_fit(d)
  new <- d[1:4, c("x", "y", "h", "z", "level")]
  link <- predict(fit, new, type = "link", outputs = "count")
  size <- fit$parts$count$family_parameters
  size <- size[["size"]] * exp(size[["size:z"]] * (new$z - mean(d$z)))
  mean <- exp(link$mean_count + link$sd_count^2 / 2)
  variance <- mean + mean^2 * (exp(link$sd_count^2) * (1 + 1 / size) - 1)
  found <- predict(fit, new, outputs = "count")
  expect_equal(found$mean_count, mean, tolerance = 1e-8)
  expect_equal(found$sd_count, sqrt(variance), tolerance = 1e-8)
  observed <- predict(fit, d[21:24, ], outputs = "level", use_observed = TRUE)
  expect_true(all(is.finite(observed$sd_level)))
  expect_error(predict(fit, new[c("x", "y", "h")], outputs = "count"), "needs the covariate z",
    class = "neargp_error_newdata")
  drawn <- simulate(fit, 3, seed = 1, newdata = new)
  expect_true(all(is.finite(drawn$sim_1_count)))
  expect_length(simulate(fit, 2, seed = 1), 2L)
  folds <- cross_validate(fit, folds = 3, verbose = FALSE)
  expect_true(all(is.finite(scores(folds)$log_score)))
})

test_that("predictions without the covariates are classed errors, and the link does without", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 100)
  new <- data.frame(x = 0.5, y = 0.5, h = 0)
  expect_error(predict(fit, new), "needs the covariate z", class = "neargp_error_newdata")
  expect_error(scores(fit, transform(new, zi_nbinom = 3)), "needs the covariate z",
    class = "neargp_error_newdata")
  expect_error(simulate(fit, newdata = new), "needs the covariate z",
    class = "neargp_error_newdata")
  expect_silent(predict(fit, new, type = "link"))
  expect_error(mean_at_predictor(fit)(0), "depend on covariates", class = "neargp_error_family")
})

test_that("joint predictions of several locations are refused", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 60)
  new <- data.frame(x = 1:3 / 4, y = 0.4, h = 0, z = 1:3)
  for (refused in list(function() predict_areas(fit, new),
    function() exceedance_region(fit, new, 3))) {
    expect_error(refused(), "joint predictions", class = "neargp_error_family")
  }
})

test_that("draws and scores of rows without the covariates are NA or classed errors", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 60)
  new <- data.frame(x = 0.3, y = 0.4, h = 0, z = c(NA, 1, 2), zi_nbinom = c(1, 0, 2))
  drawn <- expect_silent(simulate(fit, 5, newdata = new, seed = 1))
  expect_identical(is.na(drawn$sim_1), c(TRUE, FALSE, FALSE))
  expect_error(scores(fit, newdata = new), class = "neargp_error_missing")
  kept <- scores(fit, newdata = new, na.rm = TRUE)
  expect_equal(kept$log_score, scores(fit, newdata = new[-1, ])$log_score)
})

test_that("hurdle models give NA without the covariates of the positive part", {
  d <- formula_data(120)
  presence <- neargp((nbinom > 0) ~ 1, d, coords = ~ x + y, family = binomial(),
    method = vnngp(k = 5))
  positive <- neargp(nbinom ~ h, subset(d, nbinom > 0), coords = ~ x + y,
    family = truncated_nbinom2(size = ~ z), method = vnngp(k = 5))
  fit <- neargp_hurdle(presence, positive)
  new <- transform(d[1:3, ], z = c(NA, 1, 2))
  expect_identical(is.na(predict(fit, new)$mean), c(TRUE, FALSE, FALSE))
  expect_error(scores(fit, newdata = new, observed = "nbinom"), class = "neargp_error_missing")
})
