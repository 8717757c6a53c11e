test_extended("mean and trend are those of the exact method, the variance that of the inducing points",
  {
    skip_unless_extended()
    data <- simulated_data(150)
    data$w <- rep(c(0.5, 1, 2, 1, 4), 30)
    new <- simulated_data(15, seed = 2)
    fit_by <- function(method, formula = z ~ height + offset(x)) {
      inducing_fit(data, method, weights = w, formula = formula)
    }
    exact <- fit_by(exact_gp())
    fit <- fit_by(odvgp(inducing = 20, move = FALSE, tolerance = 1e-12))
    expect_equal(coef(fit), coef(exact), tolerance = 1e-8)
    expect_equal(vcov(fit), vcov(exact), tolerance = 1e-8)
    expect_equal(predict(fit, new)$mean, predict(exact, new)$mean, tolerance = 1e-8)
    expect_lt(fit$svgp$mean$residual, 1e-12)
    base <- fit_by(svgp(inducing = 20, move = FALSE), z ~ 0 + offset(x))
    without_trend <- fit_by(odvgp(inducing = 20, move = FALSE), z ~ 0 + offset(x))
    expect_identical(predict(without_trend, new, type = "link")$sd,
      predict(base, new, type = "link")$sd)
    expect_gt(max(abs(predict(without_trend, new)$mean - predict(base, new)$mean)), 0.01)
  })

test_extended("few iterations suffice at the default tolerance", {
  data <- simulated_data(400)
  fit <- inducing_fit(data, odvgp(inducing = 40))
  exact <- inducing_fit(data, exact_gp())
  new <- simulated_data(50, seed = 3)
  expect_lt(fit$svgp$mean$iterations, 15)
  expect_lt(max(abs(predict(fit, new)$mean - predict(exact, new)$mean)), 0.02 * sd(data$z))
})

test_extended("with an inducing point at each row all is exact", {
  data <- simulated_data(70)
  new <- simulated_data(10, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 70, move = FALSE, jitter = 1e-12, tolerance = 1e-12))
  exact <- inducing_fit(data, exact_gp())
  expect_equal(predict(fit, new, interval = "prediction"),
    predict(exact, new, interval = "prediction"), tolerance = 1e-7)
  joint <- function(fit) predict(fit, new, joint = TRUE)
  expect_equal(joint(fit), joint(exact), tolerance = 1e-7)
})

test_extended("joint predictions and draws are about the exact mean", {
  data <- simulated_data(150)
  new <- simulated_data(6, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 20, tolerance = 1e-10))
  expect_equal(predict(fit, new, joint = TRUE), predict(fit, new), tolerance = 1e-8,
    ignore_attr = TRUE)
  draws <- as.matrix(simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link"))
  far <- abs(rowMeans(draws) - predict(fit, new)$mean) / (apply(draws, 1L, sd) / sqrt(4000))
  expect_lt(max(far), 4.5)
  expect_equal(unname(apply(draws, 1L, sd)), predict(fit, new, type = "link")$sd, tolerance = 0.06)
})

test_extended("a row's prediction is its own, and threads and the unit change nothing", {
  data <- simulated_data(150)
  new <- simulated_data(131, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 20), threads = 1)
  got <- predict(fit, new)
  expect_identical(predict(fit, new[77, ]), got[77, ], ignore_attr = TRUE)
  expect_identical(predict(inducing_fit(data, odvgp(inducing = 20), threads = 3), new, threads = 3),
    got)
  scaled <- neargp(z ~ height, transform(data, z = 1024 * z), coords = ~ x + y,
    method = odvgp(inducing = 20), nugget = 0.1 * 1024^2,
    covariance = cov_matern(nu = 1.5, variance = 1.5 * 1024^2, range = 0.3))
  expect_equal(predict(scaled, new)$mean, 1024 * got$mean, tolerance = 1e-8)
})

test_extended("validation solves for the mean without the rows held out", {
  data <- simulated_data(120)
  fit <- inducing_fit(data, odvgp(inducing = 15, tolerance = 1e-10))
  fold <- rep(1:4, 30)
  spoiled <- fit
  spoiled$data$y[fold == 1] <- spoiled$data$y[fold == 1] + 50
  clean <- restrict_rows(fit$method, fit, which(fold != 1), plain_context())
  expect_equal(restrict_rows(spoiled$method, spoiled, which(fold != 1),
    plain_context())$svgp$mean$weights, clean$svgp$mean$weights, tolerance = 1e-6)
  exact <- cross_validate(inducing_fit(data, exact_gp()), folds = fold)
  expect_equal(cross_validate(fit, folds = fold)$mean, exact$mean, tolerance = 1e-6)
})

test_extended("what it cannot do is refused, and what it did not reach is told", {
  data <- simulated_data(120)
  fit <- inducing_fit(data, odvgp(inducing = 15))
  expect_error(loo_predict(fit), class = "neargp_error_method")
  expect_error(odvgp(tolerance = 0), class = "neargp_error_argument")
  expect_error(odvgp(mean_inducing = 0), class = "neargp_error_argument")
  expect_warning(with_exact_mean(inducing_fit(data, odvgp(inducing = 3, tolerance = 1e-14)),
    plain_context(), most = 1L), class = "neargp_warning_convergence")
  expect_output(print(fit), "Mean: +of all rows, by [0-9]+ iterations")
  expect_output(print(odvgp(20)), "mean_inducing +all rows, up to 100,000")
})

# ---- the bound -----------------------------------------------------------------------------------

test_extended("the bound lies between that of svgp() and the log-likelihood, and rises with the points of the mean", {
  for (seed in 1:6) {
    withr::local_seed(seed)
    data <- simulated_data(40, seed = seed)
    data$w <- runif(40, 0.5, 2)
    covariance <- cov_matern(nu = sample(c(0.5, 1.5, 2.5), 1L), variance = exp(rnorm(1L)),
      range = runif(1L, 0.1, 0.5))
    nugget <- exp(rnorm(1L, -2))
    bound <- sample(c("tight", "standard"), 1L)
    value <- function(method) {
      c(logLik(suppressMessages(inducing_fit(data, method, covariance = covariance, nugget = nugget,
        weights = w))))
    }
    of_mean <- function(...) value(odvgp(8, move = FALSE, bound = bound, ...))
    values <- c(value(svgp(8, move = FALSE, bound = bound)), of_mean(mean_inducing = 12),
      of_mean(tolerance = 1e-10), value(exact_gp()))
    expect_true(all(diff(values) > -1e-8), label = sprintf("bounds of seed %d (%s)", seed,
      toString(round(values, 4L))))
    expect_gt(values[3L], values[1L])
  }
})

test_that("the bound is the expectation of the log-likelihood less the divergence, from dense matrices", {
  data <- simulated_data(90)
  data$w <- rep(c(0.5, 1, 2), 30)
  fit <- inducing_fit(data, odvgp(12, move = FALSE, bound = "standard", tolerance = 1e-12),
    weights = w)
  places <- fit$data$coords
  K <- dense_covariance(places, places, fit$core_covariance)
  precision <- fit$data$weights / fit$nugget
  e <- data$z - drop(fit$data$X %*% coef(fit))
  a <- solve(K + diag(1 / precision), e)
  S <- chol2inv(t(fit$svgp$factor))
  known <- inducing_features(fit, places, plain_context())
  variance <- diag(known$unexplained) + colSums(known$features * (S %*% known$features))
  expected <- sum(dnorm(e, drop(K %*% a), 1 / sqrt(precision), log = TRUE) - precision * variance /
    2)
  divergence <- 0.5 * (sum(a * (K %*% a)) + sum(diag(S)) - 12 - as.numeric(determinant(S)$modulus))
  expect_equal(c(logLik(fit)), expected - divergence, tolerance = 1e-9)
})

# ---- points of the mean --------------------------------------------------------------------------

test_extended("a mean on points is that of svgp() with these among its own, at the variance of the fit",
  {
    skip_unless_extended()
    data <- simulated_data(150)
    new <- simulated_data(15, seed = 2)
    fit <- inducing_fit(data, odvgp(15, move = FALSE, mean_inducing = 40))
    points <- fit$svgp$mean$points
    expect_equal(dim(points), c(55L, 2L))
    more <- inducing_fit(data, svgp(points, move = FALSE))
    expect_equal(coef(fit), coef(more), tolerance = 1e-8)
    expect_equal(predict(fit, new)$mean, predict(more, new)$mean, tolerance = 1e-7)
    base <- inducing_fit(data, svgp(15, move = FALSE), z ~ 0)
    expect_identical(predict(inducing_fit(data, odvgp(15, move = FALSE, mean_inducing = 40), z ~ 0),
      new, type = "link")$sd, predict(base, new, type = "link")$sd)
    expect_identical(predict(fit, new[7, ]), predict(fit, new)[7, ], ignore_attr = TRUE)
    expect_equal(predict(fit, new, joint = TRUE), predict(fit, new), tolerance = 1e-8,
      ignore_attr = TRUE)
    expect_output(print(fit), "Mean: +on 55 points")
    every <- inducing_fit(data, odvgp(15, move = FALSE, mean_inducing = 1000, tolerance = 1e-10))
    expect_null(every$svgp$mean$points)
    expect_equal(predict(every, new)$mean, predict(inducing_fit(data, exact_gp()), new)$mean,
      tolerance = 1e-8)
  })

test_extended("rows that the points of the covariance explain are none of the mean", {
  data <- simulated_data(80)
  places <- as.matrix(data[1:60, c("x", "y")])
  expect_message(fit <- inducing_fit(data, odvgp(places, move = FALSE, mean_inducing = 79)),
    "60|59", class = "neargp_message_inducing")
  expect_lte(nrow(fit$svgp$mean$points), 80L)
  expect_gte(nrow(fit$svgp$mean$points), 79L)
})

test_that("of too many rows for n^2 covariances some are points of the mean, with a message", {
  fit <- inducing_fit(simulated_data(50), svgp(10, move = FALSE))
  fit$data$y <- double(most_mean_rows + 1L)
  fit$method$mean_inducing <- NULL
  fit$data$coords <- as.matrix(expand.grid(x = seq(0, 1, length.out = 60),
    y = seq(0, 1, length.out = 60)))
  expect_message(points <- mean_points(fit$method, fit, plain_context()), "2,048 inducing points",
    class = "neargp_message_inducing")
  expect_equal(nrow(points), 2058L)
})

# ---- other families ------------------------------------------------------------------------------

test_extended("of every family the mean is where the bound is largest, from dense matrices", {
  data <- vnngp_data(70, seed = 4)
  new <- data.frame(x = c(0.2, 0.7), y = c(0.3, 0.6), h = c(0, 1))
  for (name in setdiff(names(vnngp_models), "gaussian")) {
    model <- vnngp_models[[name]]
    fit_by <- function(method) {
      neargp(model[[1]], data, coords = ~ x + y, method = method, covariance = fixed_exponential,
        family = model[[2]])
    }
    base <- fit_by(svgp(12, move = FALSE, std_error = FALSE))
    fit <- fit_by(odvgp(12, move = FALSE, std_error = FALSE, tolerance = 1e-8))
    expect_gt(c(logLik(fit)), c(logLik(base)))
    of_core <- core_data(fit$data)
    K <- dense_covariance(of_core$coords, of_core$coords, fit$core_covariance)
    raw <- base$posterior
    unseen <- design_columns(base$data) - inducing_moments(base, base$data$coords,
      plain_context())$weighted[, -1L]
    variance <- raw$variance_at_data - row_forms(unseen, core_trend(base)$beta_vcov) -
      (1 - base$svgp$pseudo_observations$unexplained_share) * raw$variance_given_nodes
    at <- mean_expectations(fit, of_core, variance, plain_context())
    # stationary: a = g, X'a = 0
    a <- at(fit$posterior$linear_predictor)$slope
    expect_equal(fit$posterior$linear_predictor,
      of_core$offset + drop(of_core$X %*% core_trend(fit)$beta) + drop(K %*% a), tolerance = 1e-5,
      label = name)
    expect_lt(max(abs(crossprod(of_core$X, a))), 1e-4 * sum(abs(a)))
    # and the ELBO there is as reported
    m <- base$svgp$weights %*% c(1, -core_trend(base)$beta)
    gain <- at(fit$posterior$linear_predictor)$total - sum(a * (K %*% a)) / 2 -
      at(raw$linear_predictor)$total + sum(m^2) / 2
    expect_equal(c(logLik(fit)) - c(logLik(base)), gain, tolerance = 1e-5, label = name)
    k <- dense_covariance(as.matrix(new[1:2]), of_core$coords, fit$core_covariance)
    expected <- design_columns(fit$data, cbind(1, new$h)) %*% core_trend(fit)$beta + k %*% a
    expect_equal(predict(fit, new, type = "link")$mean, drop(expected), tolerance = 1e-4,
      label = name)
  }
})

test_extended("with an inducing point at each row the mean of other families is that of svgp()", {
  data <- vnngp_data(60, seed = 2)
  new <- data.frame(x = c(0.2, 0.55), y = c(0.3, 0.8), h = 0)
  for (name in c("poisson", "binary", "student_t")) {
    model <- vnngp_models[[name]]
    fit_by <- function(method) {
      neargp(model[[1]], data, coords = ~ x + y, method = method, covariance = fixed_exponential,
        family = model[[2]])
    }
    all <- as.matrix(data[c("x", "y")])
    base <- fit_by(svgp(all, move = FALSE, jitter = 1e-9, bound = "standard", std_error = FALSE))
    fit <- fit_by(odvgp(all, move = FALSE, jitter = 1e-9, bound = "standard", std_error = FALSE,
      tolerance = 1e-8))
    expect_equal(predict(fit, new, type = "link"), predict(base, new, type = "link"),
      tolerance = 1e-3, label = name)
    expect_lt(abs(fit$svgp$gain), 1e-3)
  }
})

test_extended("generics of other families answer from the mean, or say what does", {
  data <- vnngp_data(90, seed = 5)
  fit_by <- function(...) {
    neargp(poisson ~ h, data, coords = ~ x + y, method = odvgp(15, std_error = FALSE, ...),
      covariance = fixed_exponential, family = poisson())
  }
  fit <- fit_by()
  new <- data[1:6, ]
  expect_equal(predict(fit, data)$mean, fitted(fit), tolerance = 1e-3)
  expect_equal(predict(fit, new, type = "link", joint = TRUE), predict(fit, new, type = "link"),
    tolerance = 1e-8, ignore_attr = TRUE)
  draws <- as.matrix(simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link"))
  link <- predict(fit, new, type = "link")
  expect_lt(max(abs(rowMeans(draws) - link$mean) / link$sd), 4.5 / sqrt(4000))
  expect_true(all(is.finite(residuals(fit, type = "pearson"))))
  expect_error(residuals(fit, type = "loo"), class = "neargp_error_method")
  expect_error(loo_predict(fit), class = "neargp_error_method")
  expect_true(is.finite(scores(fit, data)$log_score))
  expect_output(print(fit), "by [0-9]+ steps and [0-9]+ iterations")
  folds <- rep(1:3, 30)
  expect_true(all(is.finite(cross_validate(fit, folds = folds)$mean)))
  spoiled <- fit
  spoiled$data$y[folds == 1] <- spoiled$data$y[folds == 1] + 50
  expect_identical(restrict_rows(spoiled$method, spoiled, which(folds != 1),
    plain_context())$svgp$mean$weights,
    restrict_rows(fit$method, fit, which(folds != 1), plain_context())$svgp$mean$weights)
  on_points <- fit_by(mean_inducing = 40)
  expect_lte(c(logLik(on_points)), c(logLik(fit)) + 1e-6)
  expect_equal(predict(on_points, data)$mean, fitted(on_points), tolerance = 1e-3)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
})

test_extended("the bound rises and the mean is found where svgp() has far too few points for precise counts", {
  withr::local_seed(2)
  data <- data.frame(x = runif(300), y = runif(300))
  data$count <- rpois(300, exp(5 + 2 * sin(12 * data$x) * cos(9 * data$y)))
  fit_by <- function(method) {
    neargp(count ~ 1, data, coords = ~ x + y, method = method,
      covariance = cov_matern(nu = 2.5, variance = 1.5, range = 0.2), family = poisson())
  }
  base <- fit_by(svgp(10, move = FALSE, std_error = FALSE))
  for (mean_inducing in list(60, NULL)) {
    fit <- fit_by(odvgp(10, move = FALSE, std_error = FALSE, mean_inducing = mean_inducing))
    expect_gt(c(logLik(fit)), c(logLik(base)) + 100)
    expect_lt(fit$svgp$mean$residual, 2e-3)
  }
  expect_lt(sqrt(mean(fit$posterior$slope^2 / fit$posterior$pseudo_precision)), 2)
})
