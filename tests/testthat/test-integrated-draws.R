# Five parameters: a variance, three ranges and a nugget.
five_fit <- function(n = 30, seed = 2, ...) {
  data <- with_local_seed(seed, {
    data <- data.frame(x = runif(n), y = runif(n), t = runif(n))
    scaled <- as.matrix(dist(sweep(as.matrix(data), 2L, c(0.3, 0.6, 1), "/")))
    data$z <- drop(crossprod(chol(exp(-scaled) + diag(1e-8, n)), rnorm(n))) + 0.3 * rnorm(n)
    data
  })
  suppressMessages(neargp(z ~ 1, data, coords = ~ x + y + t, threads = 1L, verbose = FALSE,
    covariance = cov_exponential(ard = TRUE), ...))
}

with_local_seed <- function(seed, expr) {
  state <- seed_generator(seed)
  on.exit(state$restore())
  expr
}

shuffled <- function(x) x[order(sin(seq_along(x) * 7))]

five_places <- function() {
  data.frame(x = c(0.1, 0.5, 0.93, 2), y = c(0.2, 0.45, 0.9, 2), t = c(0.5, 0.5, 0.1, 0.5))
}

by_posterior <- function(fit, ...) {
  suppressMessages(predict(fit, five_places(), ..., parameters = "integrated", threads = 1L))
}

by_estimates <- function(fit) predict(fit, five_places(), parameters = "plug-in")

test_that("points are opposite pairs with the moments of normal numbers", {
  for (d in c(4L, 9L)) {
    points <- normal_points(64L, d)
    expect_identical(points[33:64, ], -points[1:32, ])
    expect_equal(crossprod(points) / 64, diag(d))
    expect_lt(max(abs(colMeans(points^4) - 3)), 1.2)
  }
})

test_that("quantiles are those of the split normal distribution", {
  scales <- cbind(c(1, 2), c(3, 0.5))
  u <- c(0.1, 0.9)
  found <- split_normal_quantile(u, scales)
  density <- function(x, s) 2 / sum(s) * dnorm(x / s[1L + (x > 0)]) * 1
  for (i in 1:2) {
    below <- integrate(function(x) density(x, scales[i, ]), -Inf, min(0, found$value[i]))$value
    above <- if (found$value[i] > 0) {
      integrate(function(x) density(x, scales[i, ]), 0, found$value[i])$value
    } else 0
    expect_equal(below + above, u[i], tolerance = 1e-4)
    expect_equal(found$unit[i], found$value[i] / scales[i, 1L + (found$value[i] > 0)])
  }
})

test_that("smoothed weights and k are those of package loo", {
  skip_if_not_installed("loo")
  for (df in c(2, 5, 50)) {
    x <- qt(ppoints(64), df)
    log_weights <- shuffled(dt(x, 1, log = TRUE) - dt(x, df, log = TRUE) + x / 3)
    found <- pareto_smoothed(log_weights)
    reference <- suppressWarnings(loo::psis(log_weights, r_eff = 1))
    expect_equal(found$k, reference$diagnostics$pareto_k, tolerance = 1e-8)
    expect_equal(found$log_weights - log(sum(exp(found$log_weights))),
      drop(weights(reference)), tolerance = 1e-8)
  }
  expect_identical(pareto_smoothed(rep(1, 64L)), list(log_weights = rep(0, 64L), k = NA_real_))
  underflowing <- shuffled(-1e4 * (0:63))
  expect_identical(pareto_smoothed(underflowing), list(log_weights = underflowing, k = Inf))
  expect_message(inform_of_pareto_k(Inf), "poorly", class = "neargp_message_parameters")
})

test_that("more than three parameters are drawn, in all directions and inside the bounds", {
  fit <- five_fit(method = exact_gp())
  design <- suppressMessages(integrated_fits(fit, plain_context()))
  expect_equal(sum(exp(design$log_weights)), 1)
  points <- t(vapply(design$fits, function(x) x$parameters$working, double(5L)))
  expect_identical(qr(sweep(points, 2L, colMeans(points)), tol = 1e-7)$rank, 5L)
  expect_true(all(t(points) >= fit$bounds$lower & t(points) <= fit$bounds$upper))
  expect_true(is.finite(design$pareto_k))
  set.seed(1)
  before <- .Random.seed
  first <- by_posterior(fit)
  expect_identical(.Random.seed, before)
  expect_identical(by_posterior(unserialize(serialize(fit, NULL))), first)
  expect_true(all(first$sd[4L] > by_estimates(fit)$sd[4L]))
})

test_that("no direction of the draws is wider than the prior, and a penalty is one", {
  fit <- five_fit(n = 8, method = exact_gp(), nugget = 0.1)
  problem <- posterior_problem(fit, plain_context())
  problem$layout$penalty[2L] <- 400
  penalised <- with_default_priors(problem)
  expect_identical(penalised$penalty[2L], 400)
  problem$layout$prior_rate[2L] <- 0
  expect_identical(with_default_priors(problem)$prior_rate[2L], 0)
  problem$layout <- with_default_priors(problem)
  objective <- likelihood_objective(problem$method, problem)
  mode <- fisher_scoring(objective, problem$start, problem$free, problem$bounds, problem$control)
  axes <- bounded_axes(objective, mode, problem)$columns[problem$free, ]
  precision <- prior_precision(problem$layout, mode$working)[problem$free]
  expect_equal(precision[2L], 400)
  scaled <- tcrossprod(axes) * sqrt(outer(precision, precision))
  expect_lt(max(eigen(scaled, symmetric = TRUE)$values), 1 + 1e-8)
})

test_that("the posterior of normal priors alone is drawn as it is", {
  problem <- list(free = rep(TRUE, 4L), control = neargp_control(),
    bounds = list(lower = rep(-9, 4L), upper = rep(9, 4L)), start = rep(0.5, 4L),
    layout = data.frame(penalty = rep(0.5, 4L), prior_rate = 0))
  information <- crossprod(matrix(c(2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 3), 4L)) + diag(4L)
  objective <- list(n = 10, evaluate = function(working, information_wanted = TRUE, ...) {
    step <- working - 1
    list(value = -0.5 * drop(step %*% information %*% step), failed = 0L,
      gradient = -drop(information %*% step), information = information)
  })
  design <- posterior_design(objective, problem)
  points <- vapply(design$states, `[[`, double(4L), "working")
  weights <- exp(design$log_weights)
  mean <- drop(points %*% weights)
  expect_equal(mean, rep(1, 4L), tolerance = 1e-3)
  covariance <- (points - mean) %*% (weights * t(points - mean))
  expect_lt(max(abs(covariance %*% information - diag(4L))), 0.2)
})

# ---- against a long Markov chain -----------------------------------------------------------------

# Random-walk Metropolis for logarithms of variance, ranges and nugget by dense algebra: restricted
# likelihood with a constant mean, and the published densities of the priors. A row for each state.
metropolis <- function(fit, scale, steps, every) {
  data <- fit$data
  d <- ncol(data$coords)
  squares <- lapply(seq_len(d), function(j) outer(data$coords[, j], data$coords[, j], "-")^2)
  layout <- posterior_layout(fit)
  log_density <- function(working) {
    if (any(working < fit$bounds$lower | working > fit$bounds$upper)) return(-Inf)
    S <- exp(working[1L]) * exp(-sqrt(Reduce(`+`, Map(`/`, squares, exp(2 * working[1L +
      seq_len(d)]))))) + diag(exp(working[d + 2L]), length(data$y))
    factor <- chol(S)
    white <- backsolve(factor, cbind(1, data$y), transpose = TRUE)
    one <- sum(white[, 1L]^2)
    rest <- white[, 2L] - white[, 1L] * sum(white[, 1L] * white[, 2L]) / one
    x <- layout$power * working
    -sum(log(diag(factor))) - log(one) / 2 - sum(rest^2) / 2 + sum(x - layout$rate * exp(x))
  }
  working <- fit$parameters$working
  value <- log_density(working)
  kept <- matrix(0, steps %/% every, length(working))
  for (step in seq_len(steps + steps %/% 10L) - steps %/% 10L) {
    trial <- working + drop(scale %*% rnorm(length(working)))
    trial_value <- log_density(trial)
    if (log(runif(1L)) < trial_value - value) {
      working <- trial
      value <- trial_value
    }
    if (step > 0L && step %% every == 0L) kept[step %/% every, ] <- working
  }
  kept
}

# Rates and powers of the priors in the user's unit.
posterior_layout <- function(fit) {
  problem <- problem_in_data_units(posterior_problem(fit, plain_context()))
  list(rate = problem$layout$prior_rate, power = problem$layout$prior_power)
}

krige_at <- function(fit, working, new) {
  data <- fit$data
  d <- ncol(data$coords)
  scaled <- function(x) sweep(x, 2L, exp(working[1L + seq_len(d)]), "/")
  distances <- function(a, b) sqrt(Reduce(`+`, lapply(seq_len(d), function(j) outer(a[, j], b[, j],
    "-")^2)))
  own <- scaled(data$coords)
  factor <- chol(exp(working[1L] - distances(own, own)) + diag(exp(working[d + 2L]),
    length(data$y)))
  white <- backsolve(factor, cbind(1, data$y, exp(working[1L] - distances(own, scaled(new)))),
    transpose = TRUE)
  one <- sum(white[, 1L]^2)
  beta <- sum(white[, 1L] * white[, 2L]) / one
  toward <- white[, -(1:2), drop = FALSE]
  lacking <- 1 - drop(crossprod(toward, white[, 1L]))
  list(mean = beta + drop(crossprod(toward, white[, 2L] - beta * white[, 1L])),
    variance = exp(working[1L]) - colSums(toward^2) + lacking^2 / one + exp(working[d + 2L]))
}

test_extended("mean and sd are those of a long Markov chain", {
  fit <- five_fit(method = exact_gp())
  found <- by_posterior(fit, interval = "prediction")
  design <- suppressMessages(integrated_fits(fit, plain_context()))
  points <- t(vapply(design$fits, function(x) x$parameters$working, double(5L)))
  scale <- t(chol(cov.wt(points, exp(design$log_weights))$cov)) * 2.38 / sqrt(5)
  chain <- with_local_seed(1, metropolis(fit, scale, 60000L, 20L))
  new <- as.matrix(five_places())
  at <- lapply(seq_len(nrow(chain)), function(i) krige_at(fit, chain[i, ], new))
  means <- sapply(at, `[[`, "mean")
  sd <- sqrt(rowMeans(sapply(at, `[[`, "variance") + (means - rowMeans(means))^2))
  expect_lt(max(abs(found$sd / sd - 1)), 0.03)
  expect_lt(max(abs(found$mean - rowMeans(means)) / sd), 0.06)
  # the estimates alone are further off
  expect_gt(max(abs(by_estimates(fit)$sd / sd - 1)), 0.15)
})
