low_rank_cases <- list(
  list(response = "poisson", family = poisson(), posterior = "sparse"),
  list(response = "poisson", family = poisson(), posterior = "laplace"),
  list(response = "binary", family = binomial(), posterior = "sparse"),
  list(response = "binary", family = binomial(), posterior = "laplace")
)

# Value, and what a fit at `working` leaves, by dense matrices.
dense_low_rank_at <- function(case, made, working) {
  covariance <- covariance_at(made$problem, working)
  nodes <- made$latent$nodes
  K <- dense_low_rank_covariance(nodes$coords, nodes$low_rank,
    as.matrix(made$latent$search$neighbors), covariance, made$problem$method$jitter)$field
  data <- made$problem$data
  dense_low_rank_posterior(case$response, data$y, data$X, K[nodes$node, nodes$node], case$posterior)
}

test_extended("evidence, posterior and gradient are those of dense matrices", {
  data <- low_rank_data()
  data[c("x", "y")] <- data[c(1:66, 1:4), c("x", "y")]  # some rows share a node
  for (case in low_rank_cases) {
    made <- low_rank_objective(case$response, case$family, data, case$posterior)
    working <- made$problem$start + c(0.2, 0.1)
    fitted <- made$objective$fit_at(working, 1e-11, 500L, derivatives = TRUE)
    expected <- dense_low_rank_at(case, made, working)
    info <- paste(case$response, case$posterior)
    expect_equal(fitted$value, expected$value, tolerance = 1e-8, info = info)
    expect_equal(fitted$beta, unname(expected$beta), tolerance = 1e-6, info = info)
    state <- core_latent_state(made$latent$pointer, plain_context())
    expect_equal(state$linear_predictor, expected$eta, tolerance = 1e-6, info = info)
    expect_equal(state$mean[made$latent$nodes$node], expected$mean, tolerance = 1e-5, info = info)
    X <- made$problem$data$X
    unseen <- X - expected$covariance %*% (expected$precision * X)
    with_trend <- diag(expected$covariance) + rowSums((unseen %*% expected$beta_vcov) * unseen)
    # differences of second order, on both sides, where the trend maximises Laplace's approximation
    tolerance <- if (case$posterior == "laplace") 1e-4 else 1e-6
    expect_equal(state$variance, with_trend, tolerance = tolerance, info = info)
    expect_equal(state$beta_vcov, unname(expected$beta_vcov), tolerance = tolerance, info = info)
    free <- which(made$problem$free)
    slope <- vapply(free, function(a) {
      (dense_low_rank_at(case, made, replace(working, a, working[a] + 1e-4))$value -
        dense_low_rank_at(case, made, replace(working, a, working[a] - 1e-4))$value) / 2e-4
    }, 0)
    expect_equal(fitted$gradient[free], slope, tolerance = 1e-6, info = info)
  }
})

low_rank_gp <- function(data, formula = poisson ~ h, family = poisson(), ..., points = 9L, k = 6L,
  covariance = cov_matern(1.5, variance = 1, range = 0.4),
                        method = vnngp(k = k, low_rank = points, jitter = 1e-4, factor = "exact")) {
  neargp(formula, data, coords = ~ x + y, method = method, family = family, covariance = covariance,
    ...)
}

test_that("without a low-rank part the method is vnngp()", {
  expect_identical(vnngp(k = 5, low_rank = 0), vnngp(k = 5))
})

test_that("a gaussian likelihood is that of the dense covariance, with all neighbours the exact one", {
  data <- low_rank_data()
  fit <- low_rank_gp(data, gaussian ~ h, gaussian(), nugget = 0.1)
  at <- fit$posterior
  K <- dense_low_rank_covariance(at$coords, at$low_rank, at$neighbors, fit$core_covariance,
    1e-4)$field
  X <- cbind(1, data$h)
  S <- K + diag(0.1, 70)
  beta <- solve(crossprod(X, solve(S, X)), crossprod(X, solve(S, data$gaussian)))
  e <- data$gaussian - X %*% beta
  expected <- -0.5 * (70 * log(2 * pi) + as.numeric(determinant(S)$modulus) + sum(e * solve(S, e)))
  expect_equal(c(logLik(fit)), expected, tolerance = 1e-8)
  expect_equal(unname(coef(fit)), drop(beta), tolerance = 1e-6)
  expect_false(inherits(logLik(fit), "neargp_score"))

  exact <- neargp(gaussian ~ h, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(1.5, variance = 1, range = 0.4), nugget = 0.1)
  full <- low_rank_gp(data, gaussian ~ h, gaussian(), nugget = 0.1, method = vnngp(k = 69,
    low_rank = 9, jitter = 1e-8, factor = "exact"))
  new <- low_rank_data(8, seed = 5)
  expect_equal(c(logLik(full)), c(logLik(exact)), tolerance = 1e-6)
  expect_equal(coef(full), coef(exact), tolerance = 1e-5)
  expect_equal(vcov(full), vcov(exact), tolerance = 1e-5)
  expect_equal(predict(full, new, k = 70, type = "link"), predict(exact, new, type = "link"),
    tolerance = 1e-5)
  expect_equal(loo_predict(full), loo_predict(exact), tolerance = 1e-4)
})

test_extended("the fit of a gaussian response comes near that of vecchia(inducing = )", {
  data <- simulated_data(200)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vnngp(k = 15, low_rank = 20),
    covariance = cov_matern(1.5))
  vecchia_fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15, inducing = 20),
    covariance = cov_matern(1.5))
  expect_true(fit$convergence$converged)
  expect_equal(c(logLik(fit)), c(logLik(vecchia_fit)), tolerance = 0.005)
  expect_equal(log(coef(fit, "covariance")), log(coef(vecchia_fit, "covariance")), tolerance = 0.1)
})

test_extended("predictions, alone and joint, are those of the dense joint distribution", {
  data <- low_rank_data()
  new <- low_rank_data(5, seed = 6)
  for (posterior in c("sparse", "laplace")) {
    fit <- low_rank_gp(data, method = vnngp(k = 6, posterior = posterior, low_rank = 9,
      jitter = 1e-4, factor = "exact"))
    at <- fit$posterior
    places <- rbind(at$coords, as.matrix(new[c("x", "y")]))
    made <- dense_low_rank_covariance(places, at$low_rank, cbind(at$neighbors, matrix(NA, 6, 5)),
      fit$core_covariance, 1e-4)
    known <- 1:70
    K <- made$field[known, known]
    rest <- made$rest - diag(1e-4, 75)
    S <- K + diag(1 / at$pseudo_precision)
    z <- at$linear_predictor + at$slope / at$pseudo_precision
    X <- cbind(1, data$h)
    V <- solve(S, X)
    vcov <- solve(crossprod(X, V))
    beta <- vcov %*% crossprod(V, z)
    if (posterior == "laplace") {  # that of test-latent-laplace.R
      back <- fit$data$basis$back
      vcov <- back %*% trend_vcov(fit) %*% t(back)
      beta <- coef(fit)
    }
    expected <- function(set, t) {
      inner <- rest[set, set, drop = FALSE] + diag(1e-4, length(set))
      b <- solve(inner, rest[set, t])
      alpha <- made$features[, t] - made$features[, set, drop = FALSE] %*% b
      cross <- K[, set, drop = FALSE] %*% b + crossprod(made$features[, known], alpha)
      prior <- rest[t, t] - crossprod(b, inner %*% b) + crossprod(b, K[set, set] %*% b) +
        crossprod(alpha) +
        2 * crossprod(b, crossprod(made$features[, set, drop = FALSE], alpha))
      unseen <- X0[, t - 70, drop = FALSE] - crossprod(V, cross)
      list(mean = sum(X0[, t - 70] * beta) + crossprod(cross, solve(S, z - X %*% beta)),
        variance = prior - crossprod(cross, solve(S, cross)) + crossprod(unseen, vcov %*% unseen))
    }
    X0 <- t(cbind(1, new$h))
    found <- predict(fit, new, k = 14, type = "link")
    joint <- predict(fit, new, k = 70, type = "link", joint = TRUE)
    nearest <- function(t) order(-abs(rest[known, t]) / sqrt(diag(rest)[known]))[1:14]
    one <- vapply(71:75, function(t) unlist(expected(nearest(t), t)), double(2))
    all <- vapply(71:75, function(t) unlist(expected(known, t)), double(2))
    # the reference takes the pseudo-observations of a step that would have gained less than 1e-8
    expect_equal(found$mean, one["mean", ], tolerance = 1e-5)
    expect_equal(found$sd^2, one["variance", ], tolerance = 1e-6)
    expect_equal(joint$mean, all["mean", ], tolerance = 1e-5)
    expect_equal(diag(attr(joint, "covariance")), all["variance", ], tolerance = 1e-6)
  }
})

test_extended("draws have the moments of joint predictions, at the data and elsewhere", {
  fit <- low_rank_gp(low_rank_data())
  new <- rbind(low_rank_data()[1:4, ], low_rank_data(6, seed = 6))
  expected <- predict(fit, new, type = "link", k = 70, joint = TRUE)
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "link", k = 70))
  expect_lt(max(abs(rowMeans(draws) - expected$mean) / expected$sd), 0.08)
  expect_lt(max(abs(stats::cov(t(draws)) - attr(expected, "covariance")) / outer(expected$sd,
    expected$sd)), 0.1)
  prior <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new, type = "link", k = 9,
    conditional = FALSE))
  truth <- dense_covariance(as.matrix(new[c("x", "y")]), as.matrix(new[c("x", "y")]),
    fit$core_covariance)
  expect_lt(max(abs(stats::cov(t(prior)) - truth)), 0.1)
})

test_extended("every family and covariance is fitted, predicted and simulated", {
  data <- vnngp_data(200, seed = 4)
  new <- vnngp_data(20, seed = 5)
  for (name in names(vnngp_models)) {
    fit <- fit_vnngp_model(vnngp_models[[name]], data, k = 8, low_rank = 15)
    expect_true(fit$convergence$converged, info = name)
    response <- predict(fit, new, interval = "prediction", threshold = 1)
    expect_true(all(response$lower <= response$mean & response$mean <= response$upper), info = name)
    expect_true(all(is.finite(residuals(fit, "loo"))), info = name)
    expect_identical(dim(simulate(fit, 2, seed = 1, newdata = new)), c(20L, 2L), info = name)
    expect_true(all(is.finite(confint(fit, what = "covariance")["range", ])), info = name)
  }
  data$day <- rep(1:20, 10)
  sum_of_two <- neargp(poisson ~ 1, data, coords = ~ x + y, method = vnngp(k = 8, low_rank = 15),
    family = poisson(),
    covariance = cov_exponential(variance = 0.5, range = 0.1) + cov_matern(2.5, variance = 1,
    range = c(1, 2), ard = TRUE))
  spread <- neargp(poisson ~ 1, data, coords = ~ x + y, time = ~ day, method = vnngp(k = 8,
    low_rank = 15), family = poisson(),
    covariance = cov_matern(1.5, variance = 1, range = c(0.5, 10)))
  globe <- neargp(poisson ~ 1, transform(data, lon = 300 * x - 150, lat = 120 * y - 60),
    coords = ~ lon + lat, family = poisson(),
    distance = "chordal", method = vnngp(k = 8, low_rank = 15),
    covariance = cov_exponential(variance = 1, range = 2000))
  expect_named(globe$inducing, c("lon", "lat"))
  for (fit in list(sum_of_two, spread, globe)) expect_lt(mean((data$poisson - fitted(fit))^2),
    var(data$poisson))
})

test_extended("what can be asked of other fits can be asked of this one", {
  data <- low_rank_data(120)
  data$w <- rep(1:2, 60)
  fit <- neargp(poisson ~ h + offset(0.1 * x), data, coords = ~ x + y, weights = w,
    covariance = cov_matern(1.5), family = poisson(),
    method = vnngp(k = 8, low_rank = 20))
  expect_output(print(fit), "20 points, which leave")
  expect_output(print(summary(fit)), "Std. Error")
  expect_output(print(fit$method), "low_rank +20")
  expect_identical(dim(fit$inducing), c(20L, 2L))
  expect_drawn(plot(fit, "inducing"))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[1:5, ]), predict(fit, data[1:5, ]))
  expect_identical(predict(fit, data[7, ], type = "link")$sd, predict(fit, data[5:9, ],
    type = "link")$sd[3L])
  again <- update(fit, start = fit)
  expect_identical(again$inducing, fit$inducing)
  expect_equal(again$log_likelihood, fit$log_likelihood, tolerance = 1e-4)
  folds <- scores(cross_validate(fit, folds = 3))
  expect_equal(folds$rmse, sqrt(mean(residuals(fit, "loo")^2)), tolerance = 0.25)
  parts <- predict(fit, data[1:5, ], type = "link")$mean - predict(fit, data[1:5, ],
    type = "process")$mean
  expect_equal(parts, predict(fit, data[1:5, ], type = "trend")$mean, tolerance = 1e-6)
})

test_extended("the number of threads does not change a digit", {
  data <- low_rank_data(400)
  fit <- function(threads) low_rank_gp(data, binary ~ h, binomial(), threads = threads,
    method = vnngp(k = 8, low_rank = 20))
  kept <- c("log_likelihood", "parameters", "beta", "beta_vcov", "inducing", "posterior")
  expect_identical(fit(3L)[kept], fit(1L)[kept])
  expect_identical(predict(fit(1L), data, threads = 3L), predict(fit(1L), data, threads = 1L))
})

test_extended("exact and incomplete factors agree", {
  data <- low_rank_data(300)
  incomplete <- low_rank_gp(data, method = vnngp(k = 15, low_rank = 20))
  exact <- low_rank_gp(data, method = vnngp(k = 15, low_rank = 20, factor = "exact"))
  expect_lt(abs(incomplete$log_likelihood - exact$log_likelihood), 0.05)
  expect_equal(predict(incomplete, data, type = "link"), predict(exact, data, type = "link"),
    tolerance = 0.02)
})

test_extended("bad input is refused by an error that says what to use", {
  data <- low_rank_data()
  for (wrong in list(NULL, NA, -1, 2.5, "a", c(1, 2))) expect_error(vnngp(low_rank = wrong),
    class = "neargp_error_argument")
  expect_error(vnngp(low_rank = 5, posterior = "mean-field"), "low_rank",
    class = "neargp_error_argument")
  expect_error(vnngp(low_rank = 5, posterior = "mean-field", optimizer = "adam"), "low_rank",
    class = "neargp_error_argument")
  for (posterior in c("sparse", "mean-field")) {
    expect_error(vnngp(low_rank = 5, inducing = 20, posterior = posterior),
      "`low_rank` cannot be combined with `inducing`", class = "neargp_error_argument")
  }
  refused <- expect_error(low_rank_gp(data, points = 71L), "70 distinct locations",
    class = "neargp_error_inducing")
  expect_no_match(conditionMessage(refused), "neargp_last")
  expect_error(low_rank_gp(data, device = "cuda"), class = "neargp_error_device")
  expect_error(low_rank_gp(data, covariance = cov_matern(1.5, sd = ~ h)),
    class = "neargp_error_local")
  fit <- low_rank_gp(data, points = 70L)
  expect_identical(nrow(fit$inducing), 70L)
  expect_error(predict(fit, data[1:3, ], local_mean = TRUE), class = "neargp_error_argument")
})

test_extended("with a range for each of many inputs the optimum is that of the exact likelihood", {
  data <- withr::with_seed(3, as.data.frame(matrix(runif(2250), 250, 9)))
  data$z <- withr::with_seed(4, with(data, 2 * sin(3 * V1) + V2 * V3) + rnorm(250, 0, 0.2))
  fit <- function(method) {
    neargp(z ~ 1, data, coords = ~ V1 + V2 + V3 + V4 + V5 + V6 + V7 + V8 + V9, method = method,
      covariance = cov_matern(2.5, ard = TRUE))
  }
  low_rank <- fit(vnngp(k = 30, low_rank = 40))
  exact <- fit(exact_gp())
  expect_true(low_rank$convergence$converged)
  expect_lt(abs(low_rank$log_likelihood - exact$log_likelihood), 0.1)
})
