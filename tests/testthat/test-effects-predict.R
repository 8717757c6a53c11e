predicted_fit <- local({
  kept <- NULL
  function() {
    kept <<- kept %||% neargp(z ~ a + (a | site) + (1 | year) + offset(o), effects_data(),
      coords = ~ x + y, method = exact_gp(), weights = w, covariance = cov_exponential(),
      threads = 1L)
  }
})

new_rows <- function() {
  new <- effects_data(8, seed = 21)
  new$site <- c("a", "b", "new", "newer", "new", "c", "new", "d")
  new$year <- c(2001, 2002, 2003, 1950, 1950, 2004, 2001, 1951)
  new
}

# Universal kriging under the field's covariance + Z G Z', with levels that the data do not have.
dense_prediction <- function(fit, new, groups = TRUE) {
  data <- effects_data()
  value <- fit$parameters$estimate
  all <- rbind(data, new[names(data)])
  Z <- cbind(dense_columns(cbind(1, all$a), all$site), dense_columns(rep(1, nrow(all)), all$year))
  sites <- length(unique(all$site))
  r <- value[6]
  G <- diag(value[4:5]) %*% matrix(c(1, r, r, 1), 2) %*% diag(value[4:5])
  prior <- diag(c(rep(0, 2 * sites), rep(value[7]^2, length(unique(all$year)))))
  prior[seq_len(2 * sites), seq_len(2 * sites)] <- kronecker(diag(sites), G)
  field <- value[1] * exp(-as.matrix(dist(all[1:2])) / value[2])
  old <- seq_len(nrow(data))
  Z0 <- if (groups) Z else replace(Z, cbind(rep(seq_len(nrow(all))[-old], ncol(Z)),
    rep(seq_len(ncol(Z)), each = nrow(new))), 0)
  total <- field + Z0 %*% prior %*% t(Z0)
  dense_universal_kriging(data$z - data$o, cbind(1, data$a),
    total[old, old] + diag(value[3] / data$w), cbind(1, new$a),
    total[-old, old], total[-old, -old])
}

test_extended("predictions of known and of new levels are universal kriging", {
  fit <- predicted_fit()
  new <- new_rows()
  dense <- dense_prediction(fit, new)
  found <- predict(fit, new, type = "link", allow.new.levels = TRUE)
  expect_equal(found$mean, new$o + unname(dense$mean), tolerance = 1e-8)
  expect_equal(found$sd, unname(sqrt(diag(dense$covariance))), tolerance = 1e-8)
  joint <- predict(fit, new, type = "link", joint = TRUE, allow.new.levels = TRUE)
  expect_equal(attr(joint, "covariance"), unname(dense$covariance), tolerance = 1e-8)
  expect_equal(joint$mean, found$mean, tolerance = 1e-8)
  observed <- predict(fit, new, interval = "prediction", allow.new.levels = TRUE)
  expect_equal(observed$sd, sqrt(found$sd^2 + fit$nugget), tolerance = 1e-8)
  expect_equal(observed$upper, observed$mean + qnorm(0.975) * observed$sd, tolerance = 1e-8)
})

test_extended("by neighbours they are those of the fit's own universal kriging", {
  fit <- neargp(z ~ a + (a | site) + (1 | year) + offset(o), effects_data(), coords = ~ x + y,
    method = vecchia(79), weights = w, covariance = cov_exponential(), threads = 1L)
  new <- new_rows()
  dense <- dense_prediction(fit, new)
  found <- predict(fit, new, type = "link", k = 80, allow.new.levels = TRUE)
  expect_equal(found$mean, new$o + unname(dense$mean), tolerance = 1e-8)
  expect_equal(found$sd, unname(sqrt(diag(dense$covariance))), tolerance = 1e-8)
})

test_extended("unknown levels are an error that names them; without groups none are needed", {
  fit <- predicted_fit()
  new <- new_rows()
  expect_error(predict(fit, new), "new and newer", class = "neargp_error_levels")
  expect_error(predict(fit, new, re.form = 1), "re.form", class = "neargp_error_argument")
  expect_error(predict(fit, new[setdiff(names(new), "site")]),
    "needs: site.*re.form = NA predicts without", class = "neargp_error_newdata")
  dense <- dense_prediction(fit, new, groups = FALSE)
  found <- predict(fit, new[setdiff(names(new), c("site", "year"))], type = "link", re.form = NA)
  expect_equal(found$mean, new$o + unname(dense$mean), tolerance = 1e-8)
  expect_equal(found$sd, unname(sqrt(diag(dense$covariance))), tolerance = 1e-8)
  new$site[2] <- NA
  expect_identical(is.na(predict(fit, new, allow.new.levels = TRUE)$mean), c(FALSE, TRUE,
    rep(FALSE, 6)))
})

test_extended("terms add up to the linear predictor, and are what they are called", {
  skip_if_not_installed("mgcv")
  data <- effects_data()
  fit <- neargp(z ~ a + s(depth, k = 6) + (a | site), data, coords = ~ x + y, method = exact_gp(),
    offset = o, covariance = cov_exponential(range = 0.2), threads = 1L)
  new <- effects_data(10, seed = 4)
  new$a[3] <- NA
  terms <- predict(fit, new, type = "terms")
  expect_named(terms, c("trend", "site", "s(depth)", "process"))
  expect_equal(rowSums(terms), predict(fit, new, type = "link")$mean, tolerance = 1e-10,
    ignore_attr = TRUE)
  b <- ranef(fit)$site[new$site, ]
  expect_equal(terms$site, b[[1]] + b[[2]] * new$a, tolerance = 1e-10)
  expect_equal(terms$trend, new$o + coef(fit)[["(Intercept)"]] + coef(fit)[["a"]] * new$a,
    tolerance = 1e-10)
  expect_equal(predict(fit, new, type = "trend")$mean + terms$process, rowSums(terms),
    tolerance = 1e-10, ignore_attr = TRUE)
  expect_error(predict(fit, new, type = "terms", interval = "confidence"), "terms",
    class = "neargp_error_argument")
})

test_that("leave-one-out predictions are those of the model without the row", {
  fit <- predicted_fit()
  data <- effects_data()
  loo <- loo_predict(fit)
  for (row in c(1L, 40L, 77L)) {
    kept <- restrict_rows(fit$method, fit, seq_len(80)[-row], plain_context())
    at <- predict(kept, data[row, ])
    expect_equal(loo$mean[row], at$mean, tolerance = 1e-8)
    expect_equal(loo$sd[row], sqrt(predict(kept, data[row, ], type = "link")$sd^2 +
      fit$nugget / data$w[row]), tolerance = 1e-8)
  }
})

test_extended("folds that hold out levels predict them with the variance between levels", {
  fit <- predicted_fit()
  data <- effects_data()
  folds <- ifelse(data$site %in% c("a", "b"), 1L, 2L)
  cv <- cross_validate(fit, folds = folds, verbose = FALSE)
  held <- which(folds == 1L)
  value <- fit$parameters$estimate
  kept <- restrict_rows(fit$method, fit, which(folds == 2L), plain_context())
  expect_lt(max(abs(ranef(kept)$site[c("a", "b"), ])), 1e-12)
  expect_equal(vcov(kept, "random")[1:2, 1:2], VarCorr(fit)$site, tolerance = 1e-8,
    ignore_attr = TRUE)
  shown <- cv$predictions[match(held, cv$predictions$row), ]
  expect_equal(shown$mean, predict(kept, data[held, ])$mean, tolerance = 1e-8)
  anew <- cross_validate(fit, folds = folds, refit = TRUE, verbose = FALSE)
  expect_true(all(is.finite(anew$predictions$sd)))
})

test_extended("draws have the moments of predictions, and without the data those of the model", {
  fit <- predicted_fit()
  new <- new_rows()[3:6, ]
  draws <- simulate(fit, 4000, seed = 1, newdata = new, type = "link", allow.new.levels = TRUE)
  joint <- predict(fit, new, type = "link", joint = TRUE, allow.new.levels = TRUE)
  expect_lt(max(abs(rowMeans(draws) - joint$mean) / joint$sd), 4 / sqrt(4000))
  expect_lt(max(abs(cor(t(draws)) - cov2cor(attr(joint, "covariance")))), 0.06)
  rows <- which(effects_data()$site == "a")[1:2]
  free <- simulate(fit, 4000, seed = 2, conditional = FALSE, type = "link")[rows, ]
  G <- VarCorr(fit)
  a <- effects_data()$a[rows]
  own <- cbind(1, a) %*% G$site %*% rbind(1, a)
  same_year <- outer(effects_data()$year[rows], effects_data()$year[rows], "==")
  value <- coef(fit, "covariance")
  distance <- as.matrix(dist(effects_data()[rows, 1:2]))
  expected <- own + same_year * c(G$year) + value[["variance"]] * exp(-distance / value[["range"]])
  expect_equal(unname(cov(t(free))), unname(expected), tolerance = 0.1)
})

test_extended("a fit from a file predicts the same", {
  skip_if_not_installed("mgcv")
  data <- effects_data()
  fit <- neargp(z ~ s(depth, k = 5) + (1 | site), data, coords = ~ x + y, method = vecchia(10),
    covariance = cov_exponential(range = 0.2), threads = 1L)
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  new <- effects_data(5, seed = 2)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
  again <- update(fit, . ~ . - (1 | site))
  expect_null(again$effects[2][[1]])
  expect_named(coef(again, "covariance"), c("variance", "range", "nugget", "sd_s(depth)"))
})

test_extended("loo_k() estimates variances near those of the likelihood, and predicts with them", {
  data <- effects_data(200)
  fit <- neargp(z ~ a + (1 | site), data, coords = ~ x + y, method = loo_k(20),
    covariance = cov_exponential(range = 0.2), threads = 1L)
  other <- update(fit, method = vecchia(20))
  expect_equal(coef(fit, "covariance")[["sd_(Intercept)|site"]],
    coef(other, "covariance")[["sd_(Intercept)|site"]], tolerance = 0.3)
  at <- as.list(coef(fit, "covariance"))
  held <- restrict_rows(fit$method, fit, seq_len(200), plain_context())
  expect_equal(ranef(held), ranef(fit), tolerance = 1e-6)
  expect_equal(predict(held, data[1:5, ]), predict(fit, data[1:5, ]), tolerance = 1e-6)
  expect_lt(at[["nugget"]], stats::var(data$z))
})

test_that("a row that is the only one of its level is predicted with the variance between levels", {
  data <- effects_data()
  data$site[7] <- "only"
  data$z[7] <- 8
  fit <- neargp(z ~ a + (1 | site), data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 0.1, range = 0.2), nugget = 0.01, threads = 1L)
  loo <- loo_predict(fit)
  kept <- restrict_rows(fit$method, fit, seq_len(80)[-7], plain_context())
  at <- predict(kept, data[7, ])
  expect_equal(loo$mean[7], at$mean, tolerance = 1e-6)
  expect_equal(loo$sd[7], at$sd, tolerance = 1e-6)
  other <- predict(kept, transform(data[7, ], site = "new"), allow.new.levels = TRUE)
  expect_equal(at, other, tolerance = 1e-6)
})

test_extended("effects are predicted without the fold that is held out, also where there is no trend", {
  data <- effects_data(60)
  for (method in list(exact_gp(), vecchia(20), svgp(15, std_error = FALSE))) {
    fit <- neargp(z ~ 0 + (1 | site), data, coords = ~ x + y, method = method, nugget = 0.3,
      covariance = cov_exponential(range = 0.2, variance = 0.5))
    kept <- data$site != "a"
    part <- restrict_rows(fit$method, fit, which(kept), plain_context(1L))
    expect_equal(core_trend(part)$beta[1L], 0)
    expect_gt(abs(core_trend(fit)$beta[1L]), 0.01)
  }
})

test_that("a group that is NA in all rows is an error, and a missing level is a missing prediction", {
  data <- effects_data()
  fit <- neargp(z ~ 1 + (1 | site), data, coords = ~ x + y, method = vecchia(8),
    covariance = cov_exponential(variance = 0.5, range = 0.2), threads = 1L)
  new <- data.frame(x = c(0.2, 0.6), y = 0.5, site = NA)
  refused <- expect_error(predict(fit, new), "`site` is NA in all rows",
    class = "neargp_error_newdata")
  expect_match(conditionMessage(refused), "re.form = NA")
  expect_error(predict(fit, new, allow.new.levels = TRUE), class = "neargp_error_newdata")
  expect_equal(predict(fit, new, re.form = NA), predict(fit, new[1:2], re.form = NA))
  new$site <- c(NA, "a")
  expect_identical(is.na(predict(fit, new)$mean), c(TRUE, FALSE))
})
