# A smooth mean whose noise grows with x2.
uneven_data <- function(n = 250, seed = 1) {
  withr::with_seed(seed, {
    data <- data.frame(x = runif(n), y = runif(n))
    data$z <- sin(6 * data$x) + rnorm(n, sd = 0.05 + 0.4 * data$y)
  })
  data
}

fit_uneven <- function(method = ppgpr(inducing = 25), data = uneven_data(), formula = z ~ 1, ...) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_matern(nu = 1.5), ...)
}

test_extended("the mean is that of svgp(), and the densities are better where the noise is uneven", {
  new <- uneven_data(1500, seed = 2)
  fit <- fit_uneven()
  base <- fit_uneven(svgp(inducing = 25))
  expect_identical(predict(fit, new)$mean, predict(base, new)$mean)
  expect_identical(coef(fit), coef(base))
  expect_identical(coef(fit, "covariance"), coef(base, "covariance"))
  # a first stage in mini-batches, and another weight of the second as well
  many <- uneven_data(500)
  expect_identical(coef(fit_uneven(ppgpr(inducing = 20, kl_weight = 0.3), many), "covariance"),
    coef(fit_uneven(svgp(inducing = 20), many), "covariance"))
  expect_lt(scores(fit, new)$log_score, scores(base, new)$log_score - 0.05)
  sd <- predict(fit, data.frame(x = 0.5, y = c(0.05, 0.95)), interval = "prediction")$sd
  expect_gt(scores(fit, new)$coverage, 0.9)
  widths <- with(predict(fit, data.frame(x = 0.5, y = c(0.05, 0.95)), interval = "prediction"),
    upper - lower)
  expect_gt(widths[2], 1.8 * widths[1])
})

test_extended("uneven noise is found beside a posterior that is certain", {
  data <- uneven_data(4000)
  new <- uneven_data(1500, seed = 2)
  score <- function(method, data) {
    scores(neargp(z ~ 1, data, coords = ~ x + y, method = method,
      covariance = cov_matern(variance = 1, range = 2, nu = 1.5)), new)$log_score
  }
  expect_lt(score(ppgpr(inducing = 10), data), score(svgp(inducing = 10), data) - 0.08)
})

# The second stage's score by dense matrices, of a fit by ppgpr() whose first stage is `base`.
dense_score <- function(fit, base, factor, ratio, kl_weight = fit$method$kl_weight) {
  positions <- base$svgp$positions
  prior <- dense_covariance(positions, positions, base$core_covariance)
  variance <- prior[1, 1]
  lower <- t(chol(prior + diag(base$method$jitter * variance, nrow(prior))))
  features <- forwardsolve(lower, dense_covariance(positions, base$data$coords,
    base$core_covariance))
  S <- solve(factor %*% t(factor))
  seen <- solve(base$svgp$factor %*% t(base$svgp$factor))
  noise <- base$nugget
  t <- colSums(features * (seen %*% features))
  mean <- fitted(base)
  left <- mean - t / (1 - t / noise) * (base$data$y - mean) / noise
  spread <- variance - colSums(features^2) + colSums(features * (S %*% features)) + noise * ratio
  sum(stats::dnorm(base$data$y, left, sqrt(spread), log = TRUE)) -
    kl_weight / 2 * (sum(diag(S)) - as.numeric(determinant(S)$modulus))
}

test_extended("where the second stage ends does not hang on the last digits of the response", {
  data <- uneven_data(300)
  score <- function(shift) {
    shifted <- transform(data, z = z + shift)
    c(scores(fit_uneven(ppgpr(inducing = 40), shifted), shifted)$log_score,
      scores(fit_uneven(svgp(inducing = 40), shifted), shifted)$log_score)
  }
  scores <- vapply(10^(3:6), score, double(2))
  expect_lt(diff(range(scores[1L, ])), 0.01)
  expect_lt(max(scores[1L, ]), min(scores[2L, ]) - 0.05)
})

test_extended("the second stage is at an optimum of the dense score", {
  for (kl_weight in c(0.2, 1)) {
    fit <- fit_uneven(ppgpr(inducing = 12, kl_weight = kl_weight))
    base <- fit_uneven(svgp(inducing = 12))
    factor <- fit$svgp$factor
    ratio <- fit$predictive$ratio
    best <- dense_score(fit, base, factor, ratio)
    expect_gt(best, dense_score(fit, base, base$svgp$factor, 1))
    # what rules the end: 1e-4 a row in five evaluations
    room <- 1e-3 * nrow(base$data$coords)
    for (by in c(0.9, 1.1)) {
      expect_lt(dense_score(fit, base, by * factor, ratio), best + room)
      expect_lt(dense_score(fit, base, factor, by * ratio), best + room)
      expect_lt(dense_score(fit, base, factor %*% diag(c(by, rep(1, 11))), ratio), best + room)
    }
    known <- predict(fit, uneven_data(5, 9), type = "link")
    expect_true(all(is.finite(known$sd)))
  }
})

test_that("a fixed nugget stays", {
  fit <- fit_uneven(nugget = 0.05)
  expect_equal(fit$nugget, 0.05, tolerance = 1e-12)
  expect_identical(fit$predictive$ratio, 1)
})

test_extended("every family has a second stage that does not lower its predictive score", {
  data <- vnngp_data(500)
  new <- data[251:500, ]
  data <- data[1:250, ]
  for (name in names(vnngp_models)) {
    model <- vnngp_models[[name]]
    fit <- function(method) {
      neargp(model[[1]], data, coords = ~ x + y, method = method, covariance = cov_exponential(),
        family = model[[2]])
    }
    scored <- scores(fit(ppgpr(inducing = 30)), new)$log_score
    expect_lt(scored, scores(fit(svgp(inducing = 30)), new)$log_score + 0.05,
      label = paste("the log score of ppgpr(),", name))
  }
})

test_extended("units, threads and a copy on disk change nothing", {
  fit <- fit_uneven()
  new <- uneven_data(20, seed = 3)
  expect_identical(predict(fit_uneven(threads = 3), new), predict(fit_uneven(threads = 1), new))
  scaled <- fit_uneven(data = transform(uneven_data(), z = 1024 * z))
  expect_equal(predict(scaled, new)$sd, 1024 * predict(fit, new)$sd, tolerance = 1e-6)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
})

test_extended("validation finds both stages without the rows held out", {
  fit <- fit_uneven()
  fold <- rep(1:5, 50)
  validated <- cross_validate(fit, folds = fold)
  expect_true(all(is.finite(validated$sd)))
  spoiled <- fit
  spoiled$data$y[fold == 1] <- spoiled$data$y[fold == 1] + 50
  clean <- restrict_rows(fit$method, fit, which(fold != 1), plain_context())
  other <- restrict_rows(spoiled$method, spoiled, which(fold != 1), plain_context())
  expect_equal(other$svgp$factor, clean$svgp$factor, tolerance = 1e-8)
  expect_equal(other$nugget, clean$nugget, tolerance = 1e-8)
  expect_false(isTRUE(all.equal(clean$svgp$factor, fit$svgp$factor)))
  data <- vnngp_data(150)
  counts <- neargp(poisson ~ h, data, coords = ~ x + y, method = ppgpr(inducing = 20),
    covariance = cov_exponential(), family = poisson())
  expect_true(all(is.finite(cross_validate(counts, folds = rep(1:3, 50))$mean)))
})

test_extended("what is no posterior is refused", {
  fit <- fit_uneven()
  new <- uneven_data(3)
  expect_error(predict(fit, new, joint = TRUE), class = "neargp_error_method")
  expect_error(simulate(fit, newdata = new), class = "neargp_error_method")
  expect_error(loo_predict(fit), class = "neargp_error_method")
  expect_error(scores(fit), class = "neargp_error_method")
  expect_error(residuals(fit, "standardized"), class = "neargp_error_method")
  expect_error(neargp(cbind(z, z2) ~ 1, transform(uneven_data(), z2 = z + 1), coords = ~ x + y,
    method = ppgpr(20)), class = "neargp_error_method")
  expect_error(ppgpr(kl_weight = -1), class = "neargp_error_argument")
  counts <- neargp(poisson ~ h, vnngp_data(100), coords = ~ x + y, method = ppgpr(inducing = 10),
    covariance = cov_exponential(), family = poisson())
  expect_error(loo_predict(counts), class = "neargp_error_method")
  expect_true(all(is.finite(residuals(counts))))
})

test_that("constructor and fit print what they are", {
  expect_output(print(ppgpr(100)), "kl_weight +1")
  expect_output(print(fit_uneven()), "predictive, raised in")
})

# ---- joint training ------------------------------------------------------------------------------

joint_method <- function(epochs = 150, ...) {
  ppgpr(inducing = 25, joint = TRUE, epochs = epochs, batch_size = 100, learning_rate = 0.03, ...)
}

fit_jointly <- function(...) withr::with_seed(5, fit_uneven(...))

test_extended("joint training has the better densities where the noise is uneven", {
  data <- uneven_data(400)
  new <- uneven_data(1500, seed = 2)
  fit <- fit_jointly(joint_method(), data)
  base <- fit_uneven(svgp(inducing = 25), data)
  expect_lt(scores(fit, new)$log_score, scores(base, new)$log_score - 0.05)
  widths <- with(predict(fit, data.frame(x = 0.5, y = c(0.05, 0.95)), interval = "prediction"),
    upper - lower)
  expect_gt(widths[2], 1.8 * widths[1])
  expect_output(print(fit), "trained jointly")
  expect_output(print(fit), "[Pp]redictive score")
})

test_that("the value of joint training is the score of all rows by dense matrices, less the divergence", {
  data <- uneven_data(120)
  fit <- fit_jointly(joint_method(3, kl_weight = 0.4), data, z ~ 0)
  moments <- fit$svgp$moments
  positions <- fit$svgp$positions
  prior <- dense_covariance(positions, positions, fit$core_covariance)
  variance <- prior[1, 1]
  features <- forwardsolve(t(chol(prior + diag(fit$method$jitter * variance, 25))),
    dense_covariance(positions, fit$data$coords, fit$core_covariance))
  S <- tcrossprod(moments$root)
  spread <- variance - colSums(features^2) + colSums(features * (S %*% features)) + fit$nugget
  score <- sum(stats::dnorm(fit$data$y, drop(crossprod(features, moments$mean)), sqrt(spread),
    log = TRUE))
  divergence <- 0.5 * (sum(diag(S)) + sum(moments$mean^2) - 25 - as.numeric(determinant(S)$modulus))
  expect_equal(c(fit$log_likelihood), score - 0.4 * divergence, tolerance = 1e-8)
})

test_extended("families are trained jointly; threads, seeds, held parameters and refusals are as elsewhere", {
  data <- vnngp_data(250)
  counts <- function(...) {
    withr::with_seed(2, neargp(poisson ~ h, data, coords = ~ x + y, method = joint_method(20),
      covariance = cov_exponential(), family = poisson(), ...))
  }
  fit <- counts(threads = 1L)
  kept <- c("log_likelihood", "parameters", "svgp", "posterior", "beta")
  for (threads in c(2L, 4L)) expect_identical(counts(threads = threads)[kept], fit[kept])
  expect_true(all(is.finite(predict(fit, data[1:3, ])$sd)))
  expect_true(all(is.finite(residuals(fit))))
  expect_true(all(is.finite(withr::with_seed(1, cross_validate(fit, folds = rep(1:2, 125)))$mean)))
  expect_error(loo_predict(fit), class = "neargp_error_method")
  expect_error(simulate(fit), class = "neargp_error_method")
  held <- fit_jointly(joint_method(2), nugget = 0.05)
  expect_equal(held$nugget, 0.05, tolerance = 1e-12)
  expect_error(ppgpr(joint = NA), class = "neargp_error_argument")
  expect_error(ppgpr(joint = TRUE, kl_weight = 0), class = "neargp_error_argument")
  expect_error(fit_jointly(joint_method(2), transform(uneven_data(), w = z + 1), cbind(z, w) ~ 1),
    class = "neargp_error_method")
  expect_output(print(joint_method()), "joint +TRUE")
})

test_extended("validation of a joint fit trains its distribution anew without the rows held out", {
  fit <- fit_jointly(joint_method(20))
  fold <- rep(1:5, 50)
  spoiled <- fit
  spoiled$data$y[fold == 1] <- spoiled$data$y[fold == 1] + 50
  kept <- function(fit) withr::with_seed(1, restrict_rows(fit$method, fit, which(fold != 1),
    plain_context()))
  clean <- kept(fit)
  expect_equal(kept(spoiled)$svgp$factor, clean$svgp$factor, tolerance = 1e-8)
  expect_equal(clean$nugget, fit$nugget)
  expect_false(isTRUE(all.equal(clean$svgp$factor, fit$svgp$factor)))
  expect_true(all(is.finite(withr::with_seed(1, cross_validate(fit, folds = fold))$sd)))
})

test_that("a score that overflows where the search begins says so", {
  stage <- predictive_rows(list(coords = cbind(c(0.2, 0.8), 0.5), y = c(1e200, 0), weights = c(1,
    1)), c(0, 0), c(0.1, 0.1), c(0, 0), c(1, 1), matrix(1), matrix(0.5, 1L, 2L))
  covariance <- specified_covariance(core_covariance_specification(given_covariance()),
    c(1.3, 0.4, 0.2))
  expect_error(maximize_predictive_score(stage, ppgpr(1), gaussian(), covariance, 1, TRUE,
    plain_context(1L)), class = "neargp_error_scale")
})

test_that("a weight of 2 of a count is two rows", {
  withr::local_seed(1)
  n <- 60
  data <- data.frame(x = runif(n), y = runif(n), weight = rep(1:2, n / 2))
  data$z <- rpois(n, exp(1 + sin(6 * data$x)))
  twice <- transform(data[c(seq_len(n), which(data$weight == 2)), ], weight = 1)
  points <- as.matrix(expand.grid(x = c(0.1, 0.5, 0.9), y = c(0.1, 0.5, 0.9)))
  new <- data.frame(x = c(0.2, 0.4, 0.7), y = 0.5)
  link_sd <- function(data, method) {
    fit <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, family = poisson(),
      weights = weight, method = method, covariance = cov_matern(1.5, variance = 1, range = 0.3)))
    predict(fit, new, type = "link")$sd
  }
  for (joint in c(FALSE, TRUE)) {
    method <- ppgpr(points, move = FALSE, joint = joint, epochs = if (joint) 300L)
    expect_equal(link_sd(data, method), link_sd(twice, method),
      tolerance = if (joint) 0.03 else 0.005)
  }
})

test_that("the second stage keeps the family's parameters within their bounds", {
  problem <- list(family = zi_nbinom2(), layout = data.frame(kind = c("variance", "family",
    "family")), bounds = list(lower = c(0, log(1e-3), log(1e-6)), upper = c(1, log(1e6),
    log1p(-1e-6))))
  parameters <- c(2, 0.3)
  bounds <- ratio_bounds(problem, parameters)
  expect_equal(exp(bounds$lower), c(5e-4, 1e-5 / 3))
  expect_equal(exp(bounds$upper), c(100, (1 - 1e-6) / 0.3))
  # a score that grows with both parameters as long as it is asked
  score_at <- function(relative, parameters) {
    list(value = sum(log(parameters)) - relative^2, d_factor = -2 * relative^2,
      d_likelihood = c(1, 1))
  }
  found <- search_score(list(factor = matrix(1), n = 1), score_at, parameters, c(TRUE, TRUE),
    function(...) NULL, matrix(1), c(1, 1), bounds)
  expect_equal(found$ratio * parameters, c(200, 1 - 1e-6))
})

test_that("a diagonal covariance matrix is one layer of dspp(), several responses included", {
  data <- uneven_data(120)
  data$w <- data$z^2
  new <- uneven_data(5, seed = 2)
  fit <- function(formula, method) {
    withr::local_seed(3)
    suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, threads = 1L))
  }
  diagonal <- ppgpr(inducing = 8, joint = TRUE, covariance = "diagonal", kl_weight = 0.2,
    epochs = 3, batch_size = 50)
  layer <- dspp(layers = 1, inducing = 8, regularization = 0.2, epochs = 3, batch_size = 50,
    restarts = 1)
  for (formula in list(z ~ 1, cbind(z, w) ~ 1)) {
    by_diagonal <- fit(formula, diagonal)
    by_layer <- fit(formula, layer)
    expect_identical(by_diagonal$deep$state, by_layer$deep$state)
    expect_identical(logLik(by_diagonal)[1], logLik(by_layer)[1])
    expect_identical(predict(by_diagonal, new, interval = "prediction"),
      predict(by_layer, new, interval = "prediction"))
  }
  expect_identical(method_name(by_diagonal$method), "ppgpr")
  expect_output(print(by_diagonal$method), "mean field")
  # without settings those of dspp()
  own <- ppgpr(joint = TRUE, covariance = "diagonal")
  shared <- c("inducing", "epochs", "batch_size", "learning_rate", "regularization", "validation")
  expect_identical(own[shared], dspp(layers = 1)[shared])
})

test_that("a diagonal covariance matrix refuses what it does not use", {
  refused <- function(...) {
    expect_error(ppgpr(covariance = "diagonal", ...), class = "neargp_error_argument")
  }
  refused()
  refused(joint = TRUE, move = FALSE)
  refused(joint = TRUE, bound = "standard")
  refused(joint = TRUE, select = "random")
  refused(joint = TRUE, jitter = 1e-4)
  refused(joint = TRUE, kl_weight = -1)
  refused(joint = TRUE, inducing = data.frame(x = 0:1, y = 1))
})
