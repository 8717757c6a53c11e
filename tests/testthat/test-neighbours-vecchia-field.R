# Dense references: the exact model with its parameters held.

# A design of locations in the unit square that crowd, or do not.
crowded_places <- function(design, n) {
  switch(design,
    uniform = cbind(x = runif(n), y = runif(n)),
    boreholes = cbind(x = runif(30), y = runif(30))[rep_len(1:30, n), ] + rnorm(2 * n, sd = 1e-3),
    roads = {
      ends <- array(runif(24), c(6, 2, 2))
      road <- sample(6, n, TRUE)
      share <- runif(n)
      places <- ends[road, , 1] * share + ends[road, , 2] * (1 - share) + rnorm(2 * n, sd = 1e-3)
      colnames(places) <- c("x", "y")
      places
    })
}

noisy_field <- function(design, n, ratio) {
  d <- as.data.frame(crowded_places(design, n))
  K <- exp(-as.matrix(dist(d)) / 0.3)
  d$z <- drop(crossprod(chol(K + diag(ratio, n)), rnorm(n)))
  d
}

# Log-likelihood, and predictions of the field, by all rows.
exact_model <- function(d, newdata, ratio) {
  factor <- chol(exp(-as.matrix(dist(d[c("x", "y")])) / 0.3) + diag(ratio, nrow(d)))
  whiten <- function(x) backsolve(factor, x, transpose = TRUE)
  ones <- whiten(rep(1, nrow(d)))
  beta_variance <- 1 / sum(ones^2)
  residual <- whiten(d$z)
  beta <- beta_variance * sum(ones * residual)
  residual <- residual - ones * beta
  cross <- whiten(exp(-sqrt(outer(d$x, newdata$x, "-")^2 + outer(d$y, newdata$y, "-")^2) / 0.3))
  unseen <- 1 - drop(crossprod(cross, ones))
  list(log_likelihood = -0.5 * (nrow(d) * log(2 * pi) + sum(residual^2)) - sum(log(diag(factor))),
    mean = beta + drop(crossprod(cross, residual)),
    sd = sqrt(1 - colSums(cross^2) + unseen^2 * beta_variance))
}

fit_known <- function(d, ratio, ...) {
  suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, nugget = ratio,
    covariance = cov_exponential(variance = 1, range = 0.3), ...))
}

test_extended("the default holds where noise is high and locations crowd", {
  set.seed(1)
  newdata <- data.frame(x = runif(100), y = runif(100))
  for (design in c("uniform", "boreholes", "roads")) for (ratio in c(1, 10, 100)) {
    d <- noisy_field(design, 900, ratio)
    exact <- exact_model(d, newdata, ratio)
    fit <- fit_known(d, ratio)
    predicted <- predict(fit, newdata, type = "link")
    on <- paste(design, ratio)
    error <- (predicted$mean - exact$mean) / exact$sd
    if (on == "uniform 1") {
      expect_identical(fit$conditioning$on, "responses")
    } else {
      expect_identical(fit$conditioning$on, "field", info = on)
      expect_lt(abs(fit$log_likelihood - exact$log_likelihood), 0.2)
      expect_lt(max(abs(predicted$sd / exact$sd - 1)), 0.025)
    }
    expect_lt(sqrt(mean(error^2)), 0.05)
  }
})

test_that("near-duplicates with noise are predicted as by all rows", {
  set.seed(5)
  s <- cbind(runif(30), runif(30))
  places <- s[rep(1:30, 40), ] + rnorm(2400, sd = 1e-3)
  K <- exp(-as.matrix(dist(places)) / 0.3)
  z <- drop(t(chol(K + diag(1e-10, 1200))) %*% rnorm(1200)) + rnorm(1200, sd = 3)
  d <- data.frame(x = places[, 1], y = places[, 2], z = z)
  fit <- fit_known(d, 9)
  expect_equal(fit$log_likelihood, -3050.7253, tolerance = 1e-5)
  targets <- data.frame(x = c(0.5, 0.25, s[1, 1]), y = c(0.5, 0.75, s[1, 2]))
  predicted <- predict(fit, targets, type = "link")
  sd <- c(0.57835479, 0.61148966, 0.38441975)
  expect_lt(max(abs(predicted$mean - c(-1.0803529, -1.5396519, -0.46979962)) / sd), 0.05)
  expect_equal(predicted$sd, sd, tolerance = 0.02)
  joint <- predict(fit, targets, type = "link", joint = TRUE)
  expect_equal(joint$mean, predicted$mean, tolerance = 0.02)
  expect_equal(sqrt(diag(attr(joint, "covariance"))), predicted$sd, tolerance = 0.02,
    ignore_attr = TRUE)
})

test_extended("estimates on the field are near the exact ones, those on responses are not", {
  set.seed(3)
  d <- noisy_field("uniform", 1500, 10)
  fit <- function(method) suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, method = method,
    covariance = cov_exponential()))
  exact <- fit(exact_gp())
  field <- fit(vecchia())
  expect_identical(field$conditioning$on, "field")
  expect_equal(field$log_likelihood, exact$log_likelihood, tolerance = 1e-5)
  expect_equal(log(coef(field, what = "covariance")), log(coef(exact, what = "covariance")),
    tolerance = 0.02)
  expect_equal(confint(field, what = "covariance"), confint(exact, what = "covariance"),
    tolerance = 0.1)
  expect_gt(exact$log_likelihood - fit(vecchia(condition = "responses"))$log_likelihood, 0.5)
  expect_equal(fit(vecchia(condition = "field"))$log_likelihood, field$log_likelihood,
    tolerance = 1e-6)
})

test_that("the sampled loss is that of all rows", {
  set.seed(7)
  ratio <- 10
  d <- noisy_field("roads", 900, ratio)
  fit <- fit_known(d, ratio, method = vecchia(condition = "responses"))
  loss <- neighbor_loss(fit)
  exact <- exp(-as.matrix(dist(d[c("x", "y")])) / 0.3) + diag(ratio, 900)
  context <- new_context(1L)
  scaled <- as.matrix(d[c("x", "y")]) / 0.3
  order <- core_order(scaled, "maxmin", 0, context)
  neighbors <- as.matrix(core_neighbors_before(scaled, order, 30L, context))
  few <- vapply(order[-1], function(i) {
    near <- neighbors[!is.na(neighbors[, i]) & neighbors[, i] > 0, i]
    exact[i, i] - sum(exact[i, near] * solve(exact[near, near], exact[near, i]))
  }, 0)
  all <- diag(chol(exact[order, order]))[-1]^2
  expect_equal(loss$likelihood, sum(log(few / all)) / 2, tolerance = 0.15)
  expect_equal(loss_of_fit(fit, 30L, context)$gain, sum(log((1 + ratio) / few)) / 2,
    tolerance = 0.15)
  expect_identical(loss$k, 30L)
  # of twice the neighbours less, of all rows none
  expect_lt(neighbor_loss(fit, k = 60)$likelihood, loss$likelihood / 2)
  expect_identical(neighbor_loss(fit, k = 899)$likelihood, 0)
  expect_error(neighbor_loss(fit_known(d, ratio, method = exact_gp())),
    class = "neargp_error_method")
})

test_that("a loss counts in units, as a share of what neighbours add, and in predictions", {
  loses <- function(...) loses_too_much(list(...))
  expect_true(loses(likelihood = 0.31, gain = 100, prediction = 0))
  expect_false(loses(likelihood = 0.29, gain = 100, prediction = 0.05))
  expect_false(loses(likelihood = 0.29))
  expect_false(loses(likelihood = 17, gain = 48000, prediction = 0.015))
  expect_true(loses(likelihood = 17, gain = 30000, prediction = 0.015))
  expect_true(loses(likelihood = 17, gain = 48000, prediction = 0.061))
  expect_false(loses_too_much(NULL))
})

test_extended("many rows with little noise condition on responses, with much noise on the field", {
  set.seed(4)
  n <- 6000
  d <- data.frame(x = runif(n), y = runif(n))
  field <- double(n)
  for (wave in 1:400) {
    frequency <- rnorm(2) / abs(rnorm(1)) / 0.1
    field <- field + rnorm(1) * cos(frequency[1] * d$x + frequency[2] * d$y + runif(1, 0, 2 * pi))
  }
  fit_with <- function(noise) {
    d$z <- sqrt(2 / 400) * field + rnorm(n, sd = sqrt(noise))
    neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_exponential(anisotropy = TRUE))
  }
  little <- fit_with(0.1)
  expect_identical(little$conditioning$on, "responses")
  expect_gt(little$conditioning$loss$likelihood, 0.3)
  much <- fit_with(10)
  expect_identical(much$conditioning$on, "field")
  # the isotropic model is compared on a tenth of the rows
  problem <- problem_of_fit(much)
  nested <- isotropic_models(problem)[[1L]]
  expect_true(holds_on_few_rows(problem, nested, problem$start))
  far <- problem$start
  far[problem$layout$kind == "u"] <- 5
  still <- problem
  still$control$max_iterations <- 0L
  still_nested <- nested
  still_nested$problem$control$max_iterations <- 0L
  expect_false(holds_on_few_rows(still, still_nested, far))
})

test_that("a named k and other reasons keep the responses", {
  set.seed(2)
  d <- noisy_field("uniform", 700, 10)
  d$g <- factor(sample(5, 700, TRUE))
  on <- function(...) fit_known(d, 10, ...)$conditioning[c("on", "reason")]
  expect_null(fit_known(d, 10, method = vecchia(k = 30))$conditioning)
  expect_identical(on(method = vecchia(k = 30, condition = "auto"))$on, "field")
  restricted <- on(method = vecchia(estimation = "REML"))
  expect_identical(restricted$on, "responses")
  expect_match(restricted$reason, "restricted")
  expect_message(neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(estimation = "REML"),
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 10),
  class = "neargp_message_loss")
  expect_error(vecchia(condition = "field", estimation = "REML"), class = "neargp_error_argument")
  expect_error(vecchia(condition = "field", inducing = 20), class = "neargp_error_argument")
  expect_error(vecchia(condition = "noise"), class = "neargp_error_argument")
})

test_that("print() says what a fit is conditioned on and what that loses", {
  set.seed(2)
  d <- noisy_field("uniform", 700, 10)
  expect_output(print(fit_known(d, 10)), "on the process; responses would lose .* log-likelihood")
  expect_output(print(fit_known(d, 10, method = vecchia(k = 20))), "on responses, which lose .* sd")
  expect_output(print(summary(fit_known(d, 10))), "on the process")
})

test_that("refits of folds condition on what the fit conditions on", {
  set.seed(9)
  condition_without <- function(ratio) {
    fit <- fit_known(noisy_field("uniform", 600, ratio), ratio)
    method <- fold_problem(fit, seq_len(550), plain_context())$method
    expect_identical(fit$conditioning$on, if (is_on_field(method)) "field" else "responses")
    if (is_on_field(method)) "field" else method$condition
  }
  expect_identical(condition_without(0.1), "responses")
  expect_identical(condition_without(100), "field")
})

test_that("print() samples a loss that the fit did not need", {
  set.seed(9)
  fit <- fit_known(noisy_field("uniform", 600, 10), 10, method = vecchia(k = 20))
  loss <- neighbor_loss(fit)
  expect_output(print(fit), sprintf("on responses, which lose %s log-likelihood, %s sd",
    format(signif(loss$likelihood, 2L)), format(signif(loss$prediction, 2L))), fixed = TRUE)
  expect_null(conditioning_detail(fit, most_rows = 599))
})

test_that("noisy data with a warp are fitted on the field, no worse than without the warp", {
  set.seed(1)
  d <- noisy_field("uniform", 700, 10)
  fit_by <- function(...) neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_exponential(...),
    method = vecchia(), verbose = FALSE)
  warped <- fit_by(warp = monotone(~ x, 3))
  expect_s3_class(warped$method, "neargp_vecchia_field")
  expect_gt(warped$log_likelihood, fit_by()$log_likelihood - 0.05)
})

test_that("a smooth field with almost no noise is as near to the exact likelihood as on the field", {
  d <- simulated_data(600, seed = 2, family = "matern", shape = 2.5, variance = 1, range = 0.6,
    nugget = 0.002)
  fit <- neargp(z ~ height, d, coords = ~ x + y, covariance = cov_matern(nu = 2.5),
    verbose = FALSE)
  expect_lt(coef(fit, "covariance")[["nugget"]],
    0.01 * coef(fit, "covariance")[["variance"]])
  expect_s3_class(fit$method, "neargp_vecchia_field")
  exact <- update(fit, method = exact_gp())
  expect_lt(abs(fit$log_likelihood - exact$log_likelihood), 0.1)
})

# Without noise the jitter of the nodes was more than the nugget, and the estimates made room for
# it.
test_that("without noise the search on the field ends where that on responses does", {
  correlation <- function(d, range) exp(-(as.matrix(dist(d[c("x", "y")])) / range)^2)
  dense_value <- function(fit, d) {
    estimate <- coef(fit, what = "covariance")
    factor <- chol(estimate[["variance"]] * correlation(d, estimate[["range"]]) +
      diag(estimate[["nugget"]] + 1e-11 * estimate[["variance"]], nrow(d)))
    whitened <- backsolve(factor, cbind(d$z, 1), transpose = TRUE)
    residual <- stats::lm.fit(whitened[, 2L, drop = FALSE], whitened[, 1L])$residuals
    -0.5 * (nrow(d) * log(2 * pi) + sum(residual^2)) - sum(log(diag(factor)))
  }
  set.seed(37)
  d <- data.frame(x = runif(300), y = runif(300))
  d$z <- drop(rnorm(300) %*% chol(correlation(d, 0.3) + diag(1e-9, 300)))
  fit <- function(method) suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, method = method,
    covariance = cov_gaussian()))
  field <- fit(vecchia(condition = "field"))
  responses <- fit(vecchia(condition = "responses"))
  expect_gt(dense_value(field, d), dense_value(responses, d) - 1)
  # a fit keeps the jitter that it has come to need
  expect_lt(field$method$jitter, 1e-6)
  again <- suppressMessages(update(field, method = field$method))
  expect_equal(again$log_likelihood, field$log_likelihood, tolerance = 1e-4)
  expect_true(all(is.finite(predict(field, d[1:3, ])$sd)))
})

# A sum of waves is nearly a Matérn field: frequencies are normal over the root of a chi-squared.
field_of_waves <- function(nu, nugget, range, rows = 4500L, count = 500L) {
  d <- data.frame(x = runif(rows), y = runif(rows), z = rnorm(rows, sd = sqrt(nugget)))
  for (wave in seq_len(count)) {
    frequency <- rnorm(2L) / sqrt(rchisq(1L, 2 * nu)) / range
    d$z <- d$z + sqrt(2 / count) * rnorm(1L) *
      cos(frequency[1L] * d$x + frequency[2L] * d$y + runif(1L, 0, 2 * pi))
  }
  d
}

test_extended("more observations with almost no noise are compared in windows", {
  set.seed(4)
  smooth <- field_of_waves(2.5, 1e-3, 0.05)
  fit <- function(d, nu, method = NULL) suppressMessages(neargp(z ~ x, d, coords = ~ x + y,
    covariance = cov_matern(nu = nu), method = method, verbose = FALSE))
  default <- fit(smooth, 2.5)
  responses <- fit(smooth, 2.5, vecchia(condition = "responses"))
  expect_identical(default$conditioning$on, "field")
  near <- smooth[order((smooth$x - 0.5)^2 + (smooth$y - 0.5)^2)[1:800], ]
  dense_value <- function(fit) {
    estimate <- coef(fit, what = "covariance")
    r <- as.matrix(dist(near[c("x", "y")])) / estimate[["range"]]
    factor <- chol(estimate[["variance"]] * (1 + r + r^2 / 3) * exp(-r) +
      diag(estimate[["nugget"]], nrow(near)))
    residual <- backsolve(factor, near$z - drop(cbind(1, near$x) %*% coef(fit)), transpose = TRUE)
    -0.5 * sum(residual^2) - sum(log(diag(factor)))
  }
  expect_gt(dense_value(default), dense_value(responses) - 0.5)
  expect_identical(fit(field_of_waves(0.5, 1e-3, 0.1), 0.5)$conditioning$on, "responses")
})

smooth_waves <- function(n, sd, seed = 5) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n))
  frequency <- matrix(rnorm(400), 200) / 0.3
  phase <- runif(200, 0, 2 * pi)
  field <- rowSums(cos(as.matrix(d) %*% t(frequency) + rep(phase, each = n)))
  d$v <- sqrt(2 / 200) * field + rnorm(n, 0, sd)
  d
}

test_extended("with a nugget of 1e-8 of the variance the higher likelihood decides as well", {
  d <- smooth_waves(600, 3e-4)
  fit <- function(...) neargp(v ~ 1, d, coords = ~ x + y, covariance = cov_gaussian(), threads = 1,
    method = vecchia(...), verbose = FALSE)
  chosen <- suppressMessages(fit())
  on_responses <- suppressMessages(fit(condition = "responses"))
  expect_s3_class(chosen$method, "neargp_vecchia_field")
  expect_gt(as.numeric(logLik(chosen)), as.numeric(logLik(on_responses)) + 1)
})

test_extended("a refit with noisier rows is the fit of all rows, whatever jitter the first fit needed", {
  d <- smooth_waves(300, 1e-3)
  d$v[151:300] <- d$v[151:300] + rnorm(150, 0, 0.5)
  fit <- function(rows) neargp(v ~ 1, rows, coords = ~ x + y, covariance = cov_gaussian(),
    method = vecchia(condition = "field"), threads = 1, verbose = FALSE)
  refitted <- suppressMessages(update(fit(d[1:150, ]), newdata = d[151:300, ], refit = TRUE))
  all_rows <- fit(d)
  expect_equal(as.numeric(logLik(refitted)), as.numeric(logLik(all_rows)), tolerance = 1e-6)
})
