small_fit <- function(covariance = cov_exponential(), data = simulated_data(30, seed = 3), ...,
                      method = exact_gp(), nugget = 0.1, prior = small_prior()) {
  suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = method, threads = 1L,
    covariance = covariance, nugget = nugget, prior = prior, ...))
}

small_prior <- function() pc_priors(range = c(0.1, 0.05), sd = c(3, 0.05))

new_places <- function() {
  data.frame(x = c(0.1, 0.5, 0.93, 2), y = c(0.2, 0.45, 0.9, 2), height = 0.3)
}

integrated <- function(fit, ..., newdata = new_places()) {
  predict(fit, newdata, ..., parameters = "integrated", threads = 1L)
}

# Weights of a grid of log variance and log range by the dense density of the contrasts and the
# published density of the prior. Nothing in them comes from the package's core.
dense_posterior <- function(fit, grid) {
  contrasts <- qr.Q(qr(fit$data$X), complete = TRUE)[, -seq_len(ncol(fit$data$X)), drop = FALSE]
  e <- crossprod(contrasts, fit$data$y)
  lambda <- -log(0.05) * c(0.1, 1 / 3)
  log_weights <- vapply(seq_len(nrow(grid)), function(i) {
    S <- crossprod(contrasts, dense_noisy(fit$data, covariance_of(fit, grid[i, ]), fit$nugget) %*%
      contrasts)
    -0.5 * (as.numeric(determinant(S)$modulus) + sum(e * solve(S, e))) - grid$range[i] -
      lambda[1L] * exp(-grid$range[i]) + grid$variance[i] / 2 - lambda[2L] *
      exp(grid$variance[i] / 2)
  }, 0)
  weights <- exp(log_weights - max(log_weights)) * ifelse(grid$range == max(grid$range), 0.5, 1)
  weights / sum(weights)
}

covariance_of <- function(fit, working) {
  covariance <- fit$core_covariance
  covariance$components[[1L]][c("variance", "range")] <- as.list(exp(unlist(working)))
  covariance
}

# Ranges end where those of the fit do. The trapezoidal rule of a smooth density needs no finer
# grid.
dense_grid <- function(fit) {
  expand.grid(variance = seq(-3, 8, 0.4),
    range = seq(-5, fit$bounds$upper[["range"]], length.out = 25L))
}

test_extended("mean, sd and limits are those of the dense posterior on a fine grid", {
  fit <- small_fit()
  new <- new_places()
  grid <- dense_grid(fit)
  weights <- dense_posterior(fit, grid)
  kept <- weights > 1e-7
  weights <- weights[kept]
  at <- lapply(which(kept), function(i) dense_krige(fit$data, covariance_of(fit, grid[i, ]),
    fit$nugget, as.matrix(new[c("x", "y")]), cbind(1, new$height)))
  means <- sapply(at, `[[`, "mean")
  variances <- sapply(at, `[[`, "variance") + fit$nugget
  mean <- drop(means %*% weights)
  sd <- sqrt(drop((variances + (means - mean)^2) %*% weights))
  ends <- function(probability) vapply(seq_along(mean), function(i) stats::uniroot(function(q) {
    sum(weights * stats::pnorm(q, means[i, ], sqrt(variances[i, ]))) - probability
  }, mean[i] + c(-9, 9) * sd[i], tol = 1e-9)$root, 0)
  found <- integrated(fit, interval = "prediction", level = 0.9)
  expect_lt(max(abs(found$mean - mean) / sd), 0.015)
  expect_lt(max(abs(found$sd / sd - 1)), 0.02)
  expect_lt(max(abs(found$lower - ends(0.05)) / sd), 0.03)
  expect_lt(max(abs(found$upper - ends(0.95)) / sd), 0.03)
  # which the estimates alone miss
  expect_gt(max(abs(predict(fit, new, parameters = "plug-in")$sd / sd - 1)), 0.05)
})

test_extended("a finer lattice comes nearer", {
  fit <- small_fit()
  problem <- posterior_problem(fit, plain_context())
  objective <- likelihood_objective(problem$method, problem)
  mean_log_range <- function(...) {
    design <- posterior_design(objective, problem, ...)
    sum(exp(design$log_weights) * vapply(design$states, function(x) x$working[2L], 0))
  }
  grid <- dense_grid(fit)
  truth <- sum(dense_posterior(fit, grid) * grid$range)
  fine <- abs(mean_log_range(c(0, 0.5), c(0, 11)) - truth)
  expect_lt(fine, 0.01)
  expect_lt(fine, abs(mean_log_range(c(0, 2), c(0, 4)) - truth))
})

test_extended("quantiles, probabilities and limits are of one mixture", {
  fit <- small_fit(nugget = NULL)
  limits <- integrated(fit, interval = "prediction", level = 0.8)
  quantiles <- integrated(fit, type = "quantile", probs = c(0.1, 0.9))
  expect_identical(limits[c("lower", "upper")], setNames(quantiles[c("q0.1", "q0.9")],
    c("lower", "upper")), ignore_attr = TRUE)
  exceeded <- integrated(fit, threshold = quantiles$q0.9[1L])
  expect_equal(exceeded$p_exceed[1L], 0.1, tolerance = 1e-8)
  field <- integrated(fit, interval = "confidence", threshold = 1, threshold_of = "mean")
  expect_true(all(field$sd < integrated(fit)$sd))
  expect_equal(integrated(fit, type = "link")$mean, integrated(fit)$mean)
  whole <- integrated(fit, type = "trend")$mean + integrated(fit, type = "process")$mean
  expect_equal(whole, integrated(fit, type = "link")$mean, tolerance = 1e-8)
})

test_extended("it draws no random numbers, repeats itself, and takes chunks, one row and missing ones", {
  fit <- small_fit(nugget = NULL)
  set.seed(1)
  before <- .Random.seed
  first <- integrated(fit)
  expect_identical(.Random.seed, before)
  expect_identical(integrated(unserialize(serialize(fit, NULL))), first)
  # sums over the points of the design are a BLAS's
  rounding <- 1e-13
  expect_equal(integrated(fit, chunk_size = 1L), first, tolerance = rounding)
  expect_equal(integrated(fit, newdata = new_places()[2L, ]), first[2L, ], tolerance = rounding)
  holes <- replace(new_places(), "height", list(c(NA, 0.3, 0.3, 0.3)))
  expect_equal(integrated(fit, newdata = holes)$sd, c(NA, first$sd[-1L]), tolerance = rounding)
  all_missing <- transform(new_places(), height = NA_real_)
  expect_true(all(is.na(integrated(fit, newdata = all_missing, interval = "prediction"))))
  expect_identical(nrow(integrated(fit, newdata = new_places()[0L, ])), 0L)
})

test_extended("Vecchia's with all neighbours integrates as the exact one, whatever was maximised", {
  exact <- integrated(small_fit(nugget = NULL), interval = "prediction")
  for (method in list(vecchia(29), exact_gp(estimation = "REML"))) {
    fit <- small_fit(nugget = NULL, method = method)
    settings <- if (inherits(method, "neargp_vecchia")) list(k = 30, local_mean = FALSE,
      sectors = 0)
    expect_equal(do.call(integrated, c(list(fit, interval = "prediction"), settings)), exact,
      tolerance = 1e-3)
  }
})

test_extended("priors by default are proper, told by the scale of the data, and follow its unit", {
  data <- simulated_data(30, seed = 3)
  fit <- small_fit(cov_matern(NULL), data, nugget = NULL, prior = NULL)
  layout <- posterior_problem(fit, plain_context())$layout
  tail <- function(name, bound) {
    row <- match(name, layout$name)
    exp(-layout$prior_rate[row] * bound^layout$prior_power[row])
  }
  unit <- posterior_problem(fit, plain_context())$data$basis$unit
  scatter <- stats::sd(stats::residuals(stats::lm(z ~ height, data))) * sqrt(29 / 28) / unit
  expect_equal(tail("variance", (3 * scatter)^2), 0.05)
  expect_equal(tail("nugget", scatter^2), 0.05)
  expect_equal(tail("smoothness", 0.2), 0.05)
  expect_equal(tail("range", 1.5 * least_range(posterior_problem(fit, plain_context()), 2L)),
    0.05^(1 / 1.5))
  other <- small_fit(data = transform(data, z = 1000 * z, x = 10 * x, y = 10 * y), nugget = NULL,
    prior = NULL)
  same <- small_fit(data = data, nugget = NULL, prior = NULL)
  expect_equal(integrated(other, newdata = transform(new_places(), x = 10 * x, y = 10 * y))$sd,
    1000 * integrated(same)$sd, tolerance = 1e-3)
})

test_extended("what cannot be integrated is refused", {
  fit <- small_fit()
  expect_error(integrated(fit, joint = TRUE), "`joint`", class = "neargp_error_argument")
  expect_error(predict(fit, new_places(), parameters = "all"), "`parameters`",
    class = "neargp_error_argument")
  positive <- transform(simulated_data(30, seed = 3), z = exp(z / 5))
  logged <- small_fit(data = positive, prior = NULL, transform = "log")
  expect_error(integrated(logged), "transformed", class = "neargp_error_parameters")
  fixed <- small_fit(cov_exponential(variance = 1, range = 0.2), prior = NULL)
  expect_error(integrated(fixed), "no parameter", class = "neargp_error_parameters")
  for (method in list(vecchia(5, inducing = 5), mll_k(5))) {
    other <- small_fit(method = method, prior = NULL)
    expect_error(integrated(other), "cannot be integrated", class = "neargp_error_parameters")
  }
})

test_that("a random ordering has no profile and no posterior", {
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(),
    method = vecchia(k = 5, ordering = "random"))
  expect_error(predict(fit, new_places(), parameters = "integrated"), "random ordering",
    class = "neargp_error_method")
  expect_error(confint(fit, what = "covariance", method = "profile"), "random ordering",
    class = "neargp_error_method")
  expect_error(scores(fit, data, parameters = "integrated"), "random ordering",
    class = "neargp_error_method")
})

test_that("the unit of weights does not matter", {
  data <- simulated_data(30, seed = 3)
  data$w <- rep(c(0.5, 2, 1), 10)
  by_unit <- function(unit) {
    data$w <- unit * data$w
    integrated(small_fit(data = data, nugget = NULL, prior = NULL, weights = w), type = "link")
  }
  expect_equal(by_unit(2^20), by_unit(1), tolerance = 1e-6)
})

test_that("the mode is found from a start that its prior rules out, as of a range in many dimensions", {
  set.seed(2)
  data <- cbind(as.data.frame(matrix(runif(60 * 30), 60)), z = rnorm(60))
  fit <- neargp(z ~ 1, data, coords = names(data)[1:30], method = exact_gp(), verbose = FALSE,
    covariance = cov_exponential(variance = 1e-8, start = list(range = 0.05)), nugget = 1)
  problem <- posterior_problem(fit, plain_context())
  problem$start[2L] <- -4
  limit <- start_within_priors(problem)[2L]
  expect_equal(problem$layout$prior_rate[2L] * exp(problem$layout$prior_power[2L] * limit), 10)
  expect_lte(length(integrated_fits(fit, plain_context())$fits), 60L)
})

test_that("a posterior without end is refused", {
  expect_error(follow_lattice(function(index) list(value = 0), -1, 2L), "more than 600 points",
    class = "neargp_error_parameters")
})
