counts_at <- function(n = 40L, seed = 1L, draw = rpois) {
  set.seed(seed)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / 0.3)), rnorm(n)))
  data$z <- draw(n, exp(0.5 + 0.4 * data$h + field))
  data
}

places_of_counts <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.2, 0.4, 0.7), h = 0.3)

fit_counts <- function(..., data = counts_at(), family = poisson(), method = vnngp(),
                       covariance = cov_exponential()) {
  suppressMessages(suppressWarnings(neargp(z ~ h, data, coords = ~ x + y, family = family,
    method = method, covariance = covariance, threads = 1L, verbose = FALSE, ...)))
}

test_extended("a Gaussian latent model integrates as the likelihood does", {
  data <- transform(counts_at(), z = log1p(z))
  # one to one: the sparse posterior of all neighbours is exact
  fits <- list(fit_counts(data = data, family = gaussian(), method = vnngp(k = 39)),
    fit_counts(data = data, family = gaussian(), method = exact_gp()))
  found <- lapply(fits, function(fit) {
    predict(fit, places_of_counts, interval = "prediction", parameters = "integrated", k = 39)
  })
  expect_equal(found[[1L]], found[[2L]], tolerance = 0.03)
  plug_in <- predict(fits[[2L]], places_of_counts, parameters = "plug-in")
  expect_gt(max(abs(plug_in$sd / found[[2L]]$sd - 1)), 0.02)
})

test_extended("weights of counts are those of the bound, the trend's integral and the priors", {
  fit <- fit_counts()
  context <- plain_context(1L)
  problem <- posterior_problem(fit, context)
  design <- integrated_fits(fit, context)
  # at each point the model is fitted with these parameters fixed, by the front door
  log_density <- vapply(design$fits, function(one) {
    values <- as.list(coef(one, what = "covariance"))
    again <- fit_counts(covariance = cov_exponential(variance = values$variance,
      range = values$range))
    vcov <- unname(core_trend(again)$beta_vcov)
    rotated <- again$data$basis$rotation
    as.double(logLik(again)) + 0.5 * as.double(determinant(vcov)$modulus) +
      log(abs(det(rotated))) - penalty_at(problem$layout, replace(problem$start, problem$free,
        log(c(values$variance, values$range))))
  }, 0)
  weights <- design$log_weights
  # the cells of the lattice differ by the products of their sides alone, three for each axis
  expect_lte(sum(diff(sort(weights - log_density)) > 0.005) + 1L, 9L)
})

test_extended("integrated counts are wider, and quantiles, scores and folds are of the mixture", {
  fit <- fit_counts()
  plain <- predict(fit, places_of_counts, type = "link", interval = "confidence",
    parameters = "plug-in")
  wide <- predict(fit, places_of_counts, type = "link", interval = "confidence",
    parameters = "integrated")
  expect_gt(mean(wide$upper - wide$lower), mean(plain$upper - plain$lower))
  limits <- predict(fit, places_of_counts, interval = "prediction", level = 0.8,
    parameters = "integrated")
  quantiles <- predict(fit, places_of_counts, type = "quantile", probs = c(0.1, 0.9),
    parameters = "integrated")
  expect_equal(limits$upper, quantiles$q0.9)
  design <- integrated_fits(fit, plain_context(1L))
  density <- exp(-sapply(design$fits, function(one) {
    left <- left_out(one$method, one)
    -predictive_log_density(fit$data$y, left$distribution)
  }))
  weights <- sweep(1 / density, 2L, exp(design$log_weights), "*")
  expect_equal(scores(fit, parameters = "integrated")$log_score,
    -mean(log(rowSums(weights * density) / rowSums(weights))), tolerance = 1e-8)
  folds <- cross_validate(fit, folds = 4L, parameters = "integrated")
  expect_true(all(is.finite(folds$predictions$log_score)))
  drawn <- simulate(fit, nsim = 400L, newdata = places_of_counts, seed = 1L,
    parameters = "integrated")
  expected <- predict(fit, places_of_counts, parameters = "integrated")
  expect_equal(unname(rowMeans(as.matrix(drawn[paste0("sim_", 1:400)]))), expected$mean,
    tolerance = 0.15)
})

test_extended("parameters of families are integrated, and the posterior is cached", {
  fit <- fit_counts(data = counts_at(draw = function(n, mean) rnbinom(n, 2, mu = mean)),
    family = negative_binomial())
  first <- predict(fit, places_of_counts, interval = "prediction", parameters = "integrated")
  expect_gt(length(unique(vapply(integrated_fits(fit, plain_context(1L))$fits,
    function(one) one$family_parameters[["size"]], 0))), 2L)
  expect_identical(predict(fit, places_of_counts, interval = "prediction",
    parameters = "integrated"), first)
})

test_extended("svgp() integrates with its points where they are", {
  fit <- fit_counts(method = svgp(20))
  wide <- predict(fit, places_of_counts, type = "link", parameters = "integrated")
  points <- lapply(integrated_fits(fit, plain_context(1L))$fits, function(one) one$svgp$positions)
  expect_true(all(vapply(points, identical, NA, fit$svgp$positions)))
  expect_identical(integrated_fits(fit, plain_context(1L)), integrated_fits(fit,
    plain_context(1L)))
  expect_true(all(wide$sd > 0.98 * predict(fit, places_of_counts, type = "link",
    parameters = "plug-in")$sd))
})

test_that("methods without a posterior given the parameters are refused by class", {
  expect_error(predict(fit_counts(method = loo_k(10)), places_of_counts,
    parameters = "integrated"), class = "neargp_error_parameters")
  expect_error(predict(fit_counts(method = svgp(10, std_error = FALSE)), places_of_counts,
    parameters = "integrated"), "standard errors", class = "neargp_error_parameters")
  fit <- fit_counts()
  expect_error(predict(fit, places_of_counts, joint = TRUE, type = "link",
    parameters = "integrated"), class = "neargp_error_argument")
})
