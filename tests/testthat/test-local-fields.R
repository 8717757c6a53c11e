local_covariances <- function() {
  list(
    cov_exponential(range = ~ wet, penalty = 1),
    cov_matern(1.5, sd = ~ wet, range = ~ wet + x, anisotropy = TRUE, penalty = 1),
    cov_matern(2.5, sd = ~ x, ard = TRUE, penalty = 1),
    cov_matern(NULL, range = ~ bumps(2), penalty = 1) + cov_exponential(sd = ~ wet, penalty = 1),
    cov_matern(1.5) + cov_exponential(range = ~ wet, penalty = 1)
  )
}

test_extended("values of all methods are those of dense matrices, and the penalty is taken from them", {
  expect_dense_values(local_covariances())
})

test_extended("gradients are those of differences, by information as by the adjoint", {
  expect_gradients_of_differences(local_covariances())
})

test_extended("the latent field of vnngp() has the local covariance", {
  data <- local_data(40)
  fit <- local_fit(cov_matern(1.5, sd = ~ wet, range = ~ x, penalty = 1),
    vnngp(k = 39L, factor = "exact", jitter = 1e-6), data)
  expect_latent_values(fit, 1e-6 * 0.8, c("log_sd", "log_range"))
})

test_that("with all coefficients at zero everything is that of the stationary covariance", {
  data <- local_data()
  start <- c(variance = 1, range = 0.3, nugget = 0.05)
  still <- neargp_control(max_iterations = 1L)
  fit <- function(covariance) {
    suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 8),
      covariance = covariance, start = start, control = still, threads = 1L))
  }
  stationary <- fit(cov_matern(1.5))
  local <- fit(cov_matern(1.5, sd = ~ wet, range = ~ x + wet))
  problems <- lapply(list(stationary, local), local_problem_of)
  values <- c(0.1, -1, log(1.5), -2)
  working <- list(values, c(values[1:3], 0, 0, 0, values[4L]))
  found <- Map(function(problem, at) {
    sets <- neighbors_before(problem, component_at(problem, at), 8L, "maxmin", 0)
    local_objective(problem, sets)$evaluate(at, information = TRUE)
  }, problems, working)
  expect_equal(found[[2L]]$value, found[[1L]]$value, tolerance = 1e-12)
  expect_equal(found[[2L]]$gradient[c(1:3, 7)], found[[1L]]$gradient, tolerance = 1e-10)
})

test_extended("predictions, leave-one-out and joint predictions are dense kriging", {
  data <- local_data(40)
  new <- local_data(5, seed = 2)
  for (method in list(vecchia(k = 39L), exact_gp(), loo_k(k = 39L), mll_k(k = 39L))) {
    fit <- local_fit(cov_matern(1.5, sd = ~ bumps(2), range = ~ wet), method, data)
    expected <- dense_krige(fit$data, fit$core_covariance, fit$nugget, new_target(fit, new)$coords,
      cbind(1, new$height))
    predicted <- predict(fit, new, type = "link", k = if (is.null(method$k)) NULL else nrow(data),
      parameters = "plug-in")
    expect_equal(predicted$mean, expected$mean, tolerance = 1e-6)
    expect_equal(predicted$sd^2, expected$variance, tolerance = 1e-6)
  }
  fit <- local_fit(cov_matern(1.5, sd = ~ bumps(2), range = ~ wet), exact_gp(), data[1:20, ])
  joint <- predict(fit, new, joint = TRUE, type = "link")
  expected <- dense_krige(fit$data, fit$core_covariance, fit$nugget, new_target(fit, new)$coords,
    cbind(1, new$height))
  expect_equal(unname(attr(joint, "covariance")), expected$covariance, tolerance = 1e-8)
  left <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(loo_predict(fit, parameters = "plug-in")$mean, left$mean, tolerance = 1e-8)
})

test_that("simulated fields have the local covariance", {
  data <- local_data()
  new <- local_data(5, seed = 3)
  fit <- local_fit(cov_exponential(sd = ~ x, range = ~ wet), vecchia(k = 59L), data,
    formula = z ~ 0)
  set.seed(1)
  draws <- as.matrix(simulate(fit, nsim = 4000L, newdata = new, conditional = FALSE, type = "link",
    k = 60L)[paste0("sim_", 1:4000)])
  expected <- dense_covariance(new_target(fit, new)$coords, new_target(fit, new)$coords,
    fit$core_covariance)
  scale <- sqrt(diag(expected))
  expect_lt(max(abs(stats::cov(t(draws)) - expected) / outer(scale, scale)), 0.1)
})

test_extended("a local covariance is never below the stationary one, and finds what there is", {
  data <- local_data(200)
  for (method in list(vecchia(k = 12), loo_k(k = 12), mll_k(k = 12), vnngp(k = 12), exact_gp())) {
    fit <- function(covariance) {
      neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance, threads = 1L)
    }
    stationary <- fit(cov_matern(1.5))
    local <- fit(cov_matern(1.5, sd = ~ wet, range = ~ x))
    coefficients <- coef(local, what = "covariance")[c("log_sd:wet", "log_range:x")]
    expect_gt(c(logLik(local)) - 0.5 * sum(coefficients^2), c(logLik(stationary)) - 1e-3)
    expect_gt(coefficients[["log_range:x"]], 0.1)
  }
})

test_extended("the penalty grows where rows are few", {
  penalty <- function(n) {
    local_fit(cov_exponential(range = ~ wet + x), vecchia(k = 5), local_data(n))$layout$penalty[3:4]
  }
  expect_equal(penalty(50), c(4, 4))
  expect_equal(penalty(400), c(1, 1))
  expect_equal(local_fit(cov_exponential(range = ~ wet, penalty = 7),
    vecchia(k = 5))$layout$penalty, c(0, 0, 7, 0))
})

test_extended("counts, time, the sphere and a factor go with local fields", {
  data <- local_data(150)
  data$count <- stats::rpois(150, exp(data$z / 2))
  data$side <- factor(ifelse(data$x > 0.5, "east", "west"))
  data$day <- seq(0, 1, length.out = 150)
  fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(k = 8), family = poisson(),
    covariance = cov_exponential(sd = ~ side))
  expect_true("log_sd:sidewest" %in% names(coef(fit, what = "covariance")))
  expect_false(anyNA(predict(fit, data[1:3, ])))
  expect_error(predict(fit, transform(data[1:3, ], side = "north")),
    class = "neargp_error_factor_level")
  around <- transform(data, lon = 30 * x, lat = 20 * y)
  fit <- neargp(z ~ 1, around, coords = ~ lon + lat, time = ~ day, distance = "chordal",
    method = vecchia(k = 8), covariance = cov_exponential(range = ~ bumps(2)))
  expect_equal(sum(grepl("log_range:", fit$layout$name)), 4L)
  expect_false(anyNA(predict(fit, around[1:3, ])))
  set.seed(1)
  expect_equal(nrow(simulate(fit, newdata = around[1:5, ])), 5L)
})

test_extended("the number of threads changes nothing", {
  data <- local_data(300)
  fit <- function(threads) {
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
      covariance = cov_matern(sd = ~ x, range = ~ bumps(3)),
      control = neargp_control(max_iterations = 3L), threads = threads))
    list(coef(fit, what = "covariance"), c(logLik(fit)),
      predict(fit, data[1:20, ], threads = threads))
  }
  one <- fit(1L)
  expect_identical(fit(2L), one)
  expect_identical(fit(4L), one)
})

test_extended("a fit goes through all that others do", {
  data <- local_data(150)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(sd = ~ wet, range = ~ bumps(2)))
  expect_true(all(c("log_sd:wet", "log_range:bumps1") %in% names(coef(fit, what = "covariance"))))
  terms <- tidy(fit)
  expect_false(anyNA(terms$std.error[grepl("^log_", terms$term)]))
  expect_output(print(summary(fit)), "log_range:bumps1")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[3:4, ]), predict(fit, data[3:4, ]))
  expect_equal(predict(fit, data)[7:8, ], predict(fit, data[7:8, ]), ignore_attr = TRUE)
  again <- update(fit, start = fit)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-4)
  expect_s3_class(cross_validate(fit, folds = 3L), "neargp_cv")
  stationary <- update(fit, covariance = cov_matern())
  expect_s3_class(anova(stationary, fit), "anova")
  scales <- local_scales(fit)
  expect_equal(dim(scales), c(150L, 4L))
  expect_false(anyNA(scales))
  expect_equal(scales$sd^2,
    diag(dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)), tolerance = 1e-8)
  expect_drawn(plot(fit, "range"))
  expect_drawn(plot(fit, "range", what = "sd"))
  expect_error(plot(fit, "sd"), "wet", class = "neargp_error_local")
  expect_drawn(plot(fit, "sd", newdata = data))
  expect_drawn(plot(fit))
})

test_extended("what cannot be is refused in one way", {
  data <- local_data(40)
  data$flat <- 1
  fit <- function(covariance, method = vecchia(k = 5), ...) {
    neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance, ...)
  }
  local <- cov_exponential(range = ~ wet)
  for (method in list(svgp(10), ppgpr(10), odvgp(10), vecchia(k = 5, inducing = 10), dspp(),
    loo_k(5, optimizer = "adam"), vnngp(5, inducing = 20), swsgp(k = 5, inducing = 20))) {
    expect_error(fit(local, method), class = "neargp_error_local")
  }
  expect_error(neargp(cbind(z, wet) ~ 1, data, coords = ~ x + y,
    covariance = cov_exponential(range = ~ x)), class = "neargp_error_local")
  expect_error(fit(cov_exponential(sd = ~ bumps(5), range = ~ bumps(5))), "for 40 rows",
    class = "neargp_error_local")
  expect_error(cov_exponential(sd = z ~ wet), "`z ~ wet`", fixed = TRUE,
    class = "neargp_error_argument")
  expect_error(cov_exponential(penalty = 1), "penalty", class = "neargp_error_argument")
  scaled <- local_fit(local, vecchia(k = 5), data)
  for (component in list(2L, mean, ~ x, globalenv(), quote(x), NULL, "1")) {
    expect_error(local_scales(scaled, component = component), "must be 1",
      class = "neargp_error_argument")
  }
  expect_error(fit(cov_exponential(range = ~ dry)), "dry", class = "neargp_error_columns")
  expect_error(fit(cov_exponential(range = ~ flat)), "flat", class = "neargp_error_local")
  expect_error(fit(cov_exponential(sd = ~ 1)), "not name covariates", class = "neargp_error_local")
  expect_error(fit(cov_exponential(sd = ~ bumps(8))), "coefficients", class = "neargp_error_local")
  expect_error(cov_exponential(sd = "wet"), class = "neargp_error_argument")
  expect_error(cov_exponential(range = z ~ wet), class = "neargp_error_argument")
  expect_error(cov_exponential(sd = ~ wet, penalty = -1), class = "neargp_error_argument")
  expect_error(fit(cov_exponential(sd = ~ log(wet - 100))), class = "neargp_error")
  data$wet[3] <- NA
  expect_equal(nobs(fit(local)), 39L)
  expect_error(fit(local, na.action = na.fail), class = "neargp_error_missing_values")
  done <- fit(local)
  expect_error(predict(done, data[c("x", "y")]), "wet", class = "neargp_error_newdata")
  expect_identical(is.na(predict(done, data)$mean), seq_len(40) == 3L)
  expect_error(local_scales(fit(cov_exponential())), class = "neargp_error_local")
})

test_that("classes refuse local fields, also where their family and method are chosen", {
  data <- local_data(60)
  data$kind <- factor(rep_len(c("a", "b", "c"), 60))
  for (covariance in list(cov_exponential(sd = ~ wet), cov_exponential(range = ~ wet),
    cov_exponential(warp = expand(1, ~ wet)))) {
    for (method in list(NULL, loo_k(k = 5))) {
      expect_error(suppressMessages(neargp(kind ~ 1, data, coords = ~ x + y, method = method,
        covariance = covariance)), "categorical", class = "neargp_error_local")
    }
    expect_error(suppressMessages(neargp(kind != "a" ~ 1, data, coords = ~ x + y,
      covariance = covariance)), "binomial", class = "neargp_error_local")
  }
})

test_that("the response is no covariate of its own covariance", {
  data <- local_data(60)
  for (covariance in list(cov_exponential(sd = ~ z), cov_exponential(range = ~ wet + exp(z)),
    cov_exponential() + cov_exponential(warp = expand(1, ~ z)),
    cov_exponential(sd = ~ wet) + cov_exponential(sd = ~ z))) {
    expect_error(neargp(log(z + 10) ~ 1, data, coords = ~ x + y, method = vecchia(k = 5),
      covariance = covariance), "`z`", class = "neargp_error_local")
  }
})

test_extended("what a formula makes missing is left out, as it is by the trend", {
  data <- local_data(40)
  data$depth <- replace(stats::runif(40, 1, 2), c(5, 9), -1)
  fit <- local_fit(cov_exponential(range = ~ log(depth)), vecchia(k = 5), data)
  expect_equal(nobs(fit), 38L)
  expect_equal(coef(fit, what = "covariance"),
    coef(local_fit(cov_exponential(range = ~ log(depth)), vecchia(k = 5), data[-c(5, 9), ]),
      what = "covariance"))
  expect_error(local_fit(cov_exponential(range = ~ log(depth)), vecchia(k = 5), data,
    na.action = na.fail), class = "neargp_error_missing_values")
  expect_warning(expect_error(predict(fit, data[4:5, ]), "row 2",
    class = "neargp_error_missing_values"), NA)
  data$depth[7] <- 0
  rownames(data) <- paste0("s", 1:40)
  expect_error(local_fit(cov_exponential(range = ~ log(depth)), vecchia(k = 5), data), "row s7",
    class = "neargp_error_missing_values")
})

test_that("missing rows are missing and no rows are no rows", {
  data <- local_data()
  fit <- local_fit(cov_exponential(sd = ~ bumps(2), range = ~ wet), vecchia(k = 5), data)
  missing <- data.frame(x = c(NA, 0.5), y = 0.2, wet = c(1, NA), height = 0)
  expect_silent(scales <- local_scales(fit, missing))
  expect_true(all(is.na(scales)))
  expect_equal(dim(local_scales(fit, data[0, ])), c(0L, 4L))
  expect_silent(predicted <- predict(fit, missing))
  expect_true(all(is.na(predicted$mean)))
  expect_equal(nrow(predict(fit, data[0, ])), 0L)
  expect_silent(draws <- simulate(fit, 2L, newdata = missing))
  expect_true(all(is.na(draws[c("sim_1", "sim_2")])))
  expect_equal(nrow(simulate(fit, 2L, newdata = data[0, ])), 0L)
})

test_that("beyond the data local fields keep their values at the edge", {
  data <- local_data()
  fit <- local_fit(cov_exponential(sd = ~ bumps(3), range = ~ bumps(2)), vecchia(k = 5), data)
  outside <- data.frame(x = c(-5, 0.5, 40), y = c(0.5, 100, -100))
  edge <- data.frame(x = pmin(pmax(outside$x, min(data$x)), max(data$x)),
    y = pmin(pmax(outside$y, min(data$y)), max(data$y)))
  expect_equal(local_scales(fit, outside), local_scales(fit, edge))
})

test_that("variables of the workspace must go with the rows", {
  data <- local_data(40)
  elsewhere_wet <- data$wet
  factor_of <- 2
  fit <- local_fit(cov_exponential(range = ~ I(elsewhere_wet * factor_of)), vecchia(k = 5), data)
  expect_error(predict(fit, data[1:2, ]), "`elsewhere_wet` .* 40 values, and newdata 2 rows",
    class = "neargp_error_newdata")
  expect_true(has_local_covariates(fit))
  expect_error(local_fit(cov_exponential(range = ~ elsewhere_wet), vecchia(k = 5), data[1:30, ]),
    "40 values", class = "neargp_error_columns")
})

test_that("coefficients of several bases are told apart", {
  names_of <- function(...) local_fit(cov_exponential(...), vecchia(k = 5))$layout$name
  expect_true(all(c("log_range:bumps(x, 2)1", "log_range:bumps(y, 2)2") %in%
    names_of(range = ~ bumps(x, 2) + bumps(y, 2))))
  expect_true("log_range:bumps1" %in% names_of(range = ~ bumps(exp(x), 2)))
})

test_extended("rows whose covariates are far from all are refused, and bases that a row does not have alone", {
  data <- local_data(60)
  far <- local_fit(cov_exponential(sd = ~ wet), exact_gp(), data)
  far_wet <- sd(data$wet) * 1e5 / far$parameters$estimate[far$layout$kind == "log_sd"]
  expect_error(predict(far, transform(data[1:3, ], wet = replace(wet, 2, far_wet))), "row 2",
    class = "neargp_error_newdata")
  expect_error(local_fit(cov_exponential(sd = ~ I(x * bumps(y, 3))), exact_gp(), data),
    "depend on the other rows", class = "neargp_error_local")
  expect_error(local_fit(cov_exponential(range = ~ I(bumps(x, 2)^2)), exact_gp(), data),
    class = "neargp_error_local")
  data[61L, ] <- transform(data[1L, ], wet = wet + 1, z = z + 0.1)
  expect_error(local_fit(cov_exponential(sd = ~ wet), vecchia(k = 5), data, nugget = 0),
    class = "neargp_error_duplicates")
})

test_that("columns whose squares overflow are standardised", {
  data <- local_data(60)
  plain <- local_fit(cov_exponential(sd = ~ wet, penalty = 1), exact_gp(), data)
  huge <- local_fit(cov_exponential(sd = ~ wet, penalty = 1), exact_gp(),
    transform(data, wet = 1e200 * wet))
  expect_equal(logLik(huge), logLik(plain), tolerance = 1e-6)
  expect_false(any(grepl("Inf", capture.output(print(huge)))))
})
