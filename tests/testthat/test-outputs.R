two_outputs <- function(...) {
  neargp(cbind(zinc, lead) ~ height, simulated_outputs(150), coords = ~ x + y,
    covariance = cov_matern(1.5), ...)
}

test_extended("coefficients are the variances and covariances of the outputs, with standard errors by the delta method", {
  fit <- two_outputs(method = exact_gp(), device = "cpu")
  estimate <- coef(fit, what = "covariance")
  expect_named(estimate, c("variance_zinc", "variance_lead", "covariance_zinc_lead", "range",
    "smoothness", "nugget_zinc", "nugget_lead"))
  B <- fit$coregionalisation[[1L]]
  expect_equal(unname(estimate[1:3]), c(B[1L, 1L], B[2L, 2L], B[1L, 2L]))
  expect_equal(estimate[["nugget_lead"]], fit$nugget[["lead"]])
  expect_equal(sigma(fit), sqrt(fit$nugget))
  # the parameters' curvature by differences of the likelihood along the natural parameters
  vcov <- vcov(fit, what = "covariance")
  expect_equal(rownames(vcov), names(estimate))
  expect_true(is.na(vcov["smoothness", "smoothness"]))
  free <- setdiff(names(estimate), "smoothness")
  value_at <- function(natural) {
    core <- fit$core_covariance
    core$components[[1L]]$loadings <- loadings_of(matrix(natural[c(1, 3, 3, 2)], 2L), 2L)
    core$components[[1L]]$range <- natural[[4L]]
    core$nuggets <- unname(natural[5:6])
    parts <- core_exact(fit$data$coords, response_columns(fit$data), 1 / fit$data$weights,
      as_specified(core), 0, FALSE, test_context(), fit$data$output)
    profile_trend(parts, length(fit$data$y))$value
  }
  hessian <- stats::optimHess(estimate[free], value_at,
    control = list(parscale = abs(estimate[free])))
  expect_equal(unname(vcov[free, free]), unname(solve(-hessian)), tolerance = 0.02)
  limits <- confint(fit, what = "covariance")
  expect_true(all(limits[free, 1L] < estimate[free] & estimate[free] < limits[free, 2L]))
  expect_equal(dim(confint(fit)), c(4L, 2L))
  expect_error(confint(fit, what = "covariance", method = "profile"), "for several responses",
    class = "neargp_error_method")
  expect_true(is.finite(AIC(fit)))
  expect_error(AIC(two_outputs(method = loo_k(k = 8))), class = "neargp_error_not_likelihood")
})

test_extended("print and summary show matrices, correlations and what is missing", {
  fit <- two_outputs(method = loo_k(k = 8))
  expect_output(print(fit), "fit of 2 responses: LOO-k, 8 neighbours")
  expect_output(print(fit), "Covariance of the responses \\(correlations")
  expect_output(print(summary(fit)), "covariance_zinc_lead")
  expect_output(print(fit), "nugget_|Nugget")
  fixed <- neargp(cbind(zinc, lead) ~ 1, simulated_outputs(60), coords = ~ x + y,
    method = loo_k(k = 8), covariance = known_outputs())
  expect_output(print(fixed), "Fixed: variance_zinc_1")
})

test_that("covariance curves are those of the structures", {
  fit <- two_outputs(method = loo_k(k = 8))
  r <- c(0, 0.1, 0.3)
  correlation <- dense_correlation("matern", r / fit$core_covariance$components[[1L]]$range, 1.5)
  expect_equal(covariance_value(fit, r, outputs = c("zinc", "lead")),
    fit$coregionalisation[[1L]][1L, 2L] * correlation, tolerance = 1e-8)
  expect_equal(covariance_value(fit, r), fit$coregionalisation[[1L]][1L, 1L] * correlation,
    tolerance = 1e-8)
})

test_extended("leave-one-out predictions do not see the place, or only the row", {
  data <- simulated_outputs(40)
  fit <- function(leave_out) {
    neargp(cbind(zinc, lead) ~ 0, data, coords = ~ x + y,
      method = loo_k(k = 30, k_other = 40, leave_out = leave_out),
      covariance = known_outputs(), nugget = c(0.2, 8))
  }
  for (leave_out in c("row", "location")) {
    at <- fit(leave_out)
    loo <- loo_predict(at, k = max(tabulate(at$data$output)))
    S <- dense_outputs_noisy(at)
    for (row in c(1L, 20L, 45L)) {
      out <- if (leave_out == "row") row else which(at$data$place == at$data$place[row])
      b <- solve(S[-out, -out], S[-out, row])
      output <- at$outputs[at$data$output[row]]
      expect_equal(loo[[paste0("mean_", output)]][at$data$place[row]], sum(b * at$data$y[-out]),
        tolerance = 1e-8)
      expect_equal(loo[[paste0("sd_", output)]][at$data$place[row]]^2,
        S[row, row] - sum(b * S[-out, row]), tolerance = 1e-8)
    }
  }
})

test_extended("residuals, fitted values and tables have a column for each output", {
  data <- simulated_outputs(80)
  fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = loo_k(k = 8))
  known <- !is.na(as.matrix(data[c("zinc", "lead")]))
  for (type in c("response", "pearson", "loo", "standardized", "trend")) {
    expect_equal(!is.na(residuals(fit, type)), known, ignore_attr = TRUE)
  }
  expect_equal(as.matrix(data[c("zinc", "lead")]) - fitted(fit), residuals(fit), ignore_attr = TRUE)
  table <- tidy(fit)
  trend <- table$effect == "trend"
  expect_equal(paste(table$response, table$term, sep = ":")[trend], names(coef(fit)))
  expect_equal(table$term[!trend], names(coef(fit, what = "covariance")))
  own <- startsWith(table$term, "variance") | startsWith(table$term, "nugget")
  expect_identical(table$response[!trend & own], sub(".*_", "", table$term[!trend & own]))
  expect_true(all(is.na(table$response[!trend & !own])))
  expect_true(all(c("conf.low", "conf.high") %in%
    names(tidy(fit, effects = "trend", conf.int = TRUE))))
  expect_equal(glance(fit)$outputs, 2L)
  expect_equal(nrow(augment(fit, data)), 80L)
  expect_true(all(c("height", "x", ".fitted_zinc", ".loo_sd_lead") %in% names(augment(fit))))
  new <- augment(fit, newdata = data[1:3, ], se_fit = TRUE, interval = "prediction")
  said <- predict(fit, data[1:3, ], interval = "prediction")
  expect_equal(new$.upper_lead, said$upper_lead)
  expect_equal(new$.se.fit_zinc, predict(fit, data[1:3, ], type = "link")$sd_zinc)
  expect_equal(new$.resid_lead, data$lead[1:3] - said$mean_lead)
  expect_equal(scores(fit)$output, c("zinc", "lead"))
  loo <- loo_predict(fit)
  expect_equal(scores(fit)$rmse[2L], sqrt(mean((data$lead - loo$mean_lead)^2, na.rm = TRUE)))
})

test_that("the joint score is that of the outputs known at each place", {
  observed <- cbind(c(1, NA, NA), c(2, 3, NA))
  mean <- cbind(c(0, 0, 0), c(1, 1, 1))
  covariance <- aperm(array(matrix(c(2, 1, 1, 3), 2L), c(2, 2, 3)), c(3L, 1L, 2L))
  S <- matrix(c(2, 1, 1, 3), 2L)
  expected <- c(log(2 * pi) + 0.5 * log(det(S)) + 0.5 * drop(c(1, 1) %*% solve(S, c(1, 1))),
    -dnorm(3, 1, sqrt(3), log = TRUE), NA)
  expect_equal(joint_log_scores(observed, mean, covariance), expected)
})

test_extended("folds hold out places, and each output is scored", {
  data <- simulated_outputs(80)
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known_outputs(), nugget = c(0.2, 8))
  set.seed(1)
  folds <- rep(1:4, 20)
  cv <- cross_validate(fit, folds = folds)
  expect_equal(cv$scores$setting, c("zinc", "lead"))
  expect_equal(nrow(cv$predictions), nobs(fit))
  held <- folds == 2
  without <- data
  without[held, c("zinc", "lead")] <- NA
  refitted <- neargp(cbind(zinc, lead) ~ 1, without, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known_outputs(), nugget = c(0.2, 8))
  expected <- predict(refitted, data[held, ])
  own <- cv$predictions[cv$predictions$fold == 2 & cv$predictions$setting == "lead", ]
  expect_equal(own$mean, expected$mean_lead[!is.na(data$lead[held])], tolerance = 1e-8)
  anew <- cross_validate(fit, folds = folds, refit = TRUE)
  own <- anew$predictions[anew$predictions$fold == 2 & anew$predictions$setting == "lead", ]
  again <- neargp(cbind(zinc, lead) ~ 1, without, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known_outputs(), nugget = c(0.2, 8))
  expect_equal(own$mean, predict(again, data[held, ])$mean_lead[!is.na(data$lead[held])],
    tolerance = 1e-6)
  expect_output(print(cv), "zinc")
})

test_extended("refitted folds have the noise that was estimated without them, and need values of each output", {
  local_device("cpu")
  data <- simulated_outputs(80)
  data$lead[41:80] <- data$lead[41:80] + rep(c(-20, 20), 20)
  known <- cov_coregionalisation(cov_matern(nu = 1.5, range = 0.3),
    matrices = known_matrices()[[1L]])
  fitted_to <- function(data) {
    neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = exact_gp(), covariance = known)
  }
  fit <- fitted_to(data)
  cv <- cross_validate(fit, folds = rep(1:2, each = 40), refit = TRUE)
  own <- cv$predictions[cv$predictions$fold == 2 & cv$predictions$setting == "lead", ]
  without <- fitted_to(data[1:40, ])
  expect_gt(fit$nugget[["lead"]], 2 * without$nugget[["lead"]])
  expect_equal(own$sd, predict(without, data[own$row, ])$sd_lead, tolerance = 1e-3)
  data$lead[-(1:3)] <- NA
  scarce <- neargp(cbind(zinc, lead) ~ 0, data, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known, nugget = c(0.2, 8))
  expect_error(cross_validate(scarce, folds = ifelse(seq_len(scarce$data$places) <= 5, 1, 2),
    refit = TRUE), "lead", class = "neargp_error_folds")
})

test_extended("folds are of places, and fits of several outputs are not compared in lists", {
  fit <- neargp(cbind(zinc, lead) ~ height, simulated_outputs(60), coords = ~ x + y,
    method = loo_k(k = 8))
  folds <- block_folds(fit, v = 4, size = 0.3)
  expect_length(folds, 60L)
  expect_length(random_folds(fit, 5), 60L)
  cv <- cross_validate(fit, folds = folds)
  expect_equal(nrow(cv$predictions), nobs(fit))
  expect_error(cross_validate(list(a = fit, b = fit)), "one by one", class = "neargp_error_fits")
})

test_extended("no output at a place within the buffer of a fold is conditioned on", {
  fit <- outputs_fit(n = 50)
  data <- simulated_outputs(50)
  folds <- structure(rep(1:2, c(5L, 45L)), buffer = 0.15)
  folds[6:50] <- NA
  own <- cross_validate(fit, folds = folds)$predictions
  near <- apply(as.matrix(stats::dist(data[c("x", "y")]))[1:5, ], 2L, min) < 0.15
  expect_gt(sum(near), 8L)
  expect_lt(sum(near), 45L)
  without <- neargp(cbind(zinc, lead) ~ height, data[!near, ], coords = ~ x + y,
    method = loo_k(k = 10), covariance = known_outputs(), nugget = c(0.2, 8))
  expected <- predict(without, data[1:5, ])
  for (output in c("zinc", "lead")) {
    held <- own[own$setting == output, ]
    expect_equal(held$mean, expected[[paste0("mean_", output)]][held$row], tolerance = 1e-8)
    expect_equal(held$sd, expected[[paste0("sd_", output)]][held$row], tolerance = 1e-8)
  }
})

test_that("an output's variogram is that of its trend residuals, with its own fitted curve", {
  data <- simulated_outputs(100)
  fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = loo_k(k = 8))
  own <- empirical_variogram(fit, output = "lead")
  known <- data[!is.na(data$lead), ]
  expected <- empirical_variogram(known$lead - coef(fit)[["lead:(Intercept)"]] -
    coef(fit)[["lead:height"]] * known$height, as.matrix(known[c("x", "y")]))
  expect_equal(own$gamma, expected$gamma)
  curve <- attr(own, "curve")
  sill <- fit$coregionalisation[[1L]]["lead", "lead"] + fit$nugget[["lead"]]
  expect_lt(max(curve$gamma), sill)
  expect_error(empirical_variogram(fit, output = "gold"), class = "neargp_error_argument")
})

test_extended("plots of several outputs are drawn", {
  fit <- neargp(cbind(zinc, lead) ~ 1, simulated_outputs(60), coords = ~ x + y,
    method = loo_k(k = 8))
  for (which in c("loo", "residual_map", "variogram")) {
    expect_drawn(plot(fit, which = which), c("zinc", "lead"))
  }
  expect_drawn(plot(fit, which = "covariance"))
  expect_error(plot(fit, which = "map"), "plot_map\\(predict", class = "neargp_error_argument")
  expect_error(plot(fit, which = c("loo", "covariance")), "one at a time",
    class = "neargp_error_argument")
})

test_extended("covariances of several outputs are drawn against distances with their unit", {
  data <- simulated_outputs(40)
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 5))
  expect_identical(attr(covariance_curve(fit, c("zinc", "lead")), "label"), "distance")
  fit$locations$unit <- "m"
  expect_identical(attr(covariance_curve(fit, c("zinc", "lead")), "label"), "distance (m)")
  skip_if_not_installed("ggplot2")
  expect_identical(ggplot2::autoplot(fit, "covariance")$labels$x, "distance (m)")
})
