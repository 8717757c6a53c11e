exact_inducing <- function(bound = "tight") {
  svgp(inducing = 1000, bound = bound, move = FALSE, jitter = 1e-12)
}

on_all_places <- function(...) {
  suppressMessages(outputs_fit(exact_inducing(...)), classes = "neargp_message_inducing")
}

# Two outputs on 15 points, of which nothing is estimated but the trend.
few_inducing <- function(method = svgp(inducing = 15), ...) {
  neargp(cbind(zinc, lead) ~ height, simulated_outputs(60), coords = ~ x + y, method = method,
    covariance = known_outputs(), nugget = c(0.2, 8), ...)
}

test_extended("with an inducing point at each place the fit of several outputs is the exact one, in all that it says", {
  exact <- outputs_fit(exact_gp())
  new <- transform(new_places(), zinc = c(3, NA, 4), lead = c(NA, -18, -20))
  for (bound in c("tight", "standard")) {
    fit <- on_all_places(bound)
    expect_equal(c(fit$log_likelihood), c(exact$log_likelihood), tolerance = 1e-8)
    expect_equal(coef(fit), coef(exact), tolerance = 1e-8)
    expect_equal(vcov(fit), vcov(exact), tolerance = 1e-8)
    expect_equal(predict(fit, new, interval = "prediction"),
      predict(exact, new, interval = "prediction"), tolerance = 1e-8)
    expect_equal(predict(fit, new, covariance = TRUE), predict(exact, new, covariance = TRUE),
      tolerance = 1e-7)
    expect_equal(predict(fit, new, use_observed = TRUE), predict(exact, new, use_observed = TRUE),
      tolerance = 1e-7)
    for (type in c("response", "pearson", "loo", "standardized", "trend")) {
      expect_equal(residuals(fit, type), residuals(exact, type), tolerance = 1e-7, label = type)
    }
    expect_equal(scores(fit), scores(exact), tolerance = 1e-7)
    expect_equal(scores(fit, newdata = new, na.rm = TRUE),
      scores(exact, newdata = new, na.rm = TRUE), tolerance = 1e-7)
  }
})

test_extended("weights and a trend of several columns leave it exact", {
  data <- transform(simulated_outputs(40), w = rep(c(1, 2, 0.5, 4), 10))
  fit <- function(method) {
    suppressMessages(neargp(cbind(zinc, lead) ~ height + x, data, coords = ~ x + y, method = method,
      covariance = known_outputs(), nugget = c(0.2, 8), weights = w),
      classes = "neargp_message_inducing")
  }
  exact <- fit(exact_gp())
  own <- fit(exact_inducing())
  expect_equal(c(own$log_likelihood), c(exact$log_likelihood), tolerance = 1e-8)
  expect_equal(vcov(own), vcov(exact), tolerance = 1e-7)
  expect_equal(predict(own, new_places()), predict(exact, new_places()), tolerance = 1e-7)
  expect_equal(residuals(own, "standardized"), residuals(exact, "standardized"), tolerance = 1e-7)
})

test_extended("the gradient in all working parameters and positions is that of differences, with weights and outputs that are missing", {
  data <- transform(simulated_outputs(40), w = rep(c(1, 2, 0.5, 4), 10))
  covariance <- cov_coregionalisation(cov_matern(nu = NULL, ard = TRUE),
    cov_exponential(anisotropy = TRUE), rank = c(2, 1))
  for (bound in c("tight", "standard")) {
    method <- svgp(inducing = 6, bound = bound)
    problem <- outputs_problem(data, method, covariance)
    positions <- as.matrix(data[1:6, c("x", "y")]) + 0.01
    objective <- bound_objective(problem, problem$method)
    working <- problem$start + 0.1 * loading_scales(problem) * problem$free
    at <- objective(working, unname(positions))
    for (a in which(problem$free)) {
      h <- 1e-4 * loading_scales(problem)[a]
      moved <- function(s) objective(replace(working, a, working[a] + s), unname(positions))$value
      expect_equal(at$gradient[a], (8 * (moved(h) - moved(-h)) - moved(2 * h) + moved(-2 * h)) /
        (12 * h), tolerance = 1e-6, label = problem$layout$name[a])
    }
    for (a in c(1, 4, 9, 12)) {
      moved <- function(s) objective(working, replace(unname(positions), a, positions[a] + s))$value
      expect_equal(at$d_inducing[a],
        (8 * (moved(1e-4) - moved(-1e-4)) - moved(2e-4) + moved(-2e-4)) / (12e-4), tolerance = 1e-6)
    }
  }
})

test_extended("the bound is below the likelihood, and rises when points are added and moved", {
  exact <- c(outputs_fit(exact_gp())$log_likelihood)
  value <- function(...) c(outputs_fit(svgp(...))$log_likelihood)
  expect_lt(value(inducing = 10, bound = "standard", move = FALSE),
    value(inducing = 10, move = FALSE))
  expect_lt(value(inducing = 10, move = FALSE), value(inducing = 10))
  expect_lt(value(inducing = 10), exact)
})

test_that("predictions and what is left out are those of dense matrices of the covariance that the points know of", {
  fit <- few_inducing()
  data <- fit$data
  given <- dense_inducing_outputs(fit)
  noise <- fit$nugget[data$output] / data$weights
  S <- given$known + diag(noise)
  trend <- solve(crossprod(data$X, solve(S, data$X)), crossprod(data$X, solve(S, data$y)))
  expect_equal(unname(coef(fit)), unname(drop(trend)), tolerance = 1e-7)
  out <- which(data$place == 7)
  X <- data$X[-out, ]
  vcov <- solve(crossprod(X, solve(S[-out, -out], X)))
  beta <- vcov %*% crossprod(X, solve(S[-out, -out], data$y[-out]))
  b <- solve(S[-out, -out], S[-out, out])
  unseen <- data$X[out, ] - crossprod(b, X)
  mean <- drop(unseen %*% beta + crossprod(b, data$y[-out]))
  variance <- diag(S)[out] - colSums(b * S[-out, out]) + rowSums((unseen %*% vcov) * unseen) +
    given$rest[out]
  loo <- leave_one_out(fit, NULL, NULL)
  expect_equal(loo$mean[out], mean, tolerance = 1e-7)
  expect_equal(loo$sd[out], unname(sqrt(variance)), tolerance = 1e-7)
})

test_extended("estimates with many points come near those of the exact method, whatever the units of the outputs", {
  truth <- output_truth()
  truth$components <- list(replace(truth$components[[1L]], "range", 0.4))
  data <- simulated_outputs(130, truth = truth)
  fit <- function(data, method) {
    neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = method,
      covariance = cov_matern(1.5))
  }
  near <- fit(data, svgp(inducing = 80))
  exact <- fit(data, exact_gp())
  expect_true(near$convergence$converged)
  error <- function(fit) sqrt(diag(vcov(fit, "covariance")))
  expect_lt(max(abs(coef(near, "covariance") - coef(exact, "covariance")) / error(exact),
    na.rm = TRUE), 0.5)
  expect_equal(error(near), error(exact), tolerance = 0.3)
  scaled <- fit(transform(data, lead = 2^20 * lead), svgp(inducing = 80))
  expect_equal(scaled$coregionalisation[[1L]], near$coregionalisation[[1L]] * outer(c(1, 2^20),
    c(1, 2^20)), tolerance = 1e-5)
  expect_equal(predict(scaled, new_places())$sd_lead, 2^20 * predict(near, new_places())$sd_lead,
    tolerance = 1e-5)
})

test_extended("draws have the mean and the covariance of the predictions, at a place and between places", {
  fit <- few_inducing()
  new <- new_places()
  draws <- simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link")
  predicted <- predict(fit, new, type = "link", covariance = TRUE)
  of <- function(output) t(as.matrix(draws[grep(output, names(draws))]))
  zinc <- of("zinc")
  lead <- of("lead")
  expect_lt(max(abs(colMeans(zinc) - predicted$mean_zinc) / predicted$sd_zinc), 0.08)
  expect_lt(max(abs(colMeans(lead) - predicted$mean_lead) / predicted$sd_lead), 0.08)
  expect_equal(unname(apply(lead, 2L, stats::sd)), predicted$sd_lead, tolerance = 0.05)
  covariance <- attr(predicted, "covariance")
  for (i in 1:3)
    expect_lt(abs(stats::cor(zinc[, i], lead[, i]) - stats::cov2cor(covariance[i, , ])[1L, 2L]),
      0.05)
  expect_identical(simulate(fit, nsim = 2, seed = 1), simulate(fit, nsim = 2, seed = 1))
  prior <- simulate(fit, nsim = 4000, seed = 2, newdata = new, type = "link", conditional = FALSE)
  expect_equal(stats::sd(unlist(prior[1L, grep("lead", names(prior))])), sqrt(140), tolerance = 0.1)
  expect_error(simulate(fit, newdata = data.frame(x = runif(5001), y = runif(5001), height = 0)),
    class = "neargp_error_size")
})

test_extended("the number of threads does not change a digit of several outputs", {
  data <- withr::with_seed(6, data.frame(x = runif(2500), y = runif(2500), height = rnorm(2500)))
  data$zinc <- with(data, sin(5 * x) + height) + sin(seq_len(2500))
  data$lead <- replace(with(data, cos(5 * y)) + sin(7 * seq_len(2500)), 1:900, NA)
  fit <- function(threads) {
    suppressWarnings(neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y,
      method = svgp(inducing = 20, std_error = FALSE),
      covariance = cov_matern(1.5), threads = threads,
      control = neargp_control(max_iterations = 2L)))
  }
  kept <- c("log_likelihood", "parameters", "beta", "beta_vcov", "inducing", "svgp")
  one <- fit(1L)
  expect_identical(fit(2L)[kept], one[kept])
  expect_identical(fit(4L)[kept], one[kept])
  expect_identical(predict(one, data[1:300, ], threads = 2L),
    predict(one, data[1:300, ], threads = 1L))
  expect_identical(predict(one, data[300, ])$sd_lead, predict(one, data[1:300, ])$sd_lead[300L])
})

test_extended("what other methods' fits to several outputs can do a fit on inducing points can", {
  fit <- few_inducing()
  expect_output(print(fit), "15 points, moved")
  expect_output(print(summary(fit)), "unexplained share")
  expect_true(all(is.finite(tidy(fit, conf.int = TRUE)$estimate)))
  expect_identical(glance(fit)$method, "svgp")
  expect_identical(nrow(augment(fit)), 60L)
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new_places()), predict(fit, new_places()))
  again <- few_inducing(start = fit)
  expect_gte(again$log_likelihood, fit$log_likelihood - 1e-6)
  validated <- cross_validate(fit, folds = rep(1:4, 15))
  expect_equal(validated$scores$crps, scores(fit)$crps, tolerance = 0.3)
  refitted <- cross_validate(fit, folds = rep(1:2, 30), refit = TRUE)
  expect_true(all(is.finite(refitted$predictions$mean)))
  for (which in c("loo", "residual_map", "covariance", "variogram", "inducing"))
    expect_drawn(plot(fit, which))
})

test_extended("time, the sphere, several structures and few factors can be fitted", {
  data <- simulated_outputs(60)
  data$day <- rep(1:6, 10)
  data$sum <- data$zinc + data$lead / 5 + data$height
  fit <- function(covariance, formula = cbind(zinc, lead) ~ 1, ...) {
    suppressWarnings(neargp(formula, data, coords = ~ x + y, method = svgp(inducing = 8),
      covariance = covariance, control = neargp_control(max_iterations = 8L), ...),
      classes = "neargp_warning_convergence")
  }
  factors <- fit(cov_coregionalisation(cov_matern(nu = 1.5), rank = 1), cbind(zinc, lead, sum) ~ 1)
  expect_true(all(is.finite(predict(factors, new_places())$sd_sum)))
  expect_true(all(is.finite(unlist(simulate(factors, seed = 1)))))
  for (one in list(fit(cov_exponential(anisotropy = TRUE)), fit(cov_exponential() + cov_gaussian(),
    time = ~day), fit(cov_matern(nu = NULL), distance = "chordal"))) {
    expect_true(is.finite(one$log_likelihood))
    expect_identical(names(one$inducing), c("x", "y", one$locations$time))
  }
})

test_extended("held folds are predicted as by a fit to the other rows with the same parameters and points", {
  fit <- few_inducing(svgp(inducing = as.matrix(simulated_outputs(60)[1:15, c("x", "y")]),
    move = FALSE))
  folds <- rep(1:3, 20)
  fold <- cross_validate(fit, folds = folds)$predictions
  data <- simulated_outputs(60)
  other <- neargp(cbind(zinc, lead) ~ height, data[folds != 2, ], coords = ~ x + y,
    method = fit$method, covariance = known_outputs(), nugget = c(0.2, 8))
  expected <- predict(other, data[folds == 2, ])
  own <- fold[fold$fold == 2 & fold$setting == "zinc", ]
  expect_equal(own$mean, expected$mean_zinc[match(own$row, which(folds == 2))], tolerance = 1e-8)
  expect_equal(own$sd, expected$sd_zinc[match(own$row, which(folds == 2))], tolerance = 1e-8)
})

test_extended("what several outputs cannot be fitted by is refused by name, as are neighbours and no noise", {
  data <- simulated_outputs(40)
  fit <- function(method, ...) {
    neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = method, ...)
  }
  for (method in list(odvgp(), ppgpr(), swsgp())) {
    expect_error(fit(method), "vecchia\\(\\).*svgp\\(\\)", class = "neargp_error_method")
  }
  expect_error(fit(svgp(), nugget = 0), class = "neargp_error_nugget")
  expect_error(fit(svgp(), nugget = c(1, 0)), "vecchia\\(\\)", class = "neargp_error_nugget")
  one <- few_inducing()
  expect_error(predict(one, new_places(), k = 5), class = "neargp_error_argument")
  expect_error(predict(one, new_places(), k_other = 5), class = "neargp_error_argument")
  expect_error(predict(one, new_places(), device = "cuda"), class = "neargp_error_device")
})
