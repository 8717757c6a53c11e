test_extended("with an inducing point at each row the method is the exact one", {
  data <- simulated_data(70)
  data$w <- rep(c(0.5, 1, 2, 1, 4), 14)
  new <- simulated_data(15, seed = 2)
  exact <- inducing_fit(data, exact_gp(), weights = w, formula = z ~ height + offset(x))
  for (bound in c("tight", "standard")) {
    method <- svgp(inducing = 70, bound = bound, move = FALSE, jitter = 1e-12)
    fit <- inducing_fit(data, method, weights = w, formula = z ~ height + offset(x))
    expect_equal(c(fit$log_likelihood), c(exact$log_likelihood), tolerance = 1e-8)
    expect_equal(coef(fit), coef(exact), tolerance = 1e-8)
    expect_equal(vcov(fit), vcov(exact), tolerance = 1e-7)
    expect_equal(predict(fit, new, interval = "prediction"),
      predict(exact, new, interval = "prediction"), tolerance = 1e-7)
    expect_equal(loo_predict(fit), loo_predict(exact), tolerance = 1e-7)
    expect_equal(residuals(fit), residuals(exact), tolerance = 1e-7)
    joint <- function(fit) attr(predict(fit, new, joint = TRUE), "covariance")
    expect_equal(joint(fit), joint(exact), tolerance = 1e-7)
  }
})

test_extended("the bounds are in their order, and rise when positions are moved", {
  data <- simulated_data(120)
  value <- function(...) c(inducing_fit(data, svgp(inducing = 12, ...))$log_likelihood)
  exact <- c(inducing_fit(data, exact_gp())$log_likelihood)
  expect_lt(value(bound = "standard", move = FALSE), value(bound = "tight", move = FALSE))
  expect_lt(value(bound = "tight", move = FALSE), value(bound = "tight"))
  expect_lt(value(bound = "tight"), exact)
})

test_extended("estimates with many inducing points come near those of the exact method", {
  data <- simulated_data(150, seed = 4)
  data$z <- with(data, height + sin(5 * x) * cos(4 * y) + 0.1 * rep(c(1, -1, 0.5, -1, 0.5), 30))
  covariance <- cov_matern(nu = 2.5)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = svgp(inducing = 60),
    covariance = covariance)
  exact <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(), covariance = covariance)
  expect_true(fit$convergence$converged)
  estimated <- c("variance", "range", "nugget")
  moved <- abs(coef(fit, "covariance") - coef(exact, "covariance"))[estimated]
  expect_lt(max(moved / sqrt(diag(vcov(exact, "covariance")))[estimated]), 0.3)
  expect_equal(sqrt(diag(vcov(fit, "covariance")))[estimated],
    sqrt(diag(vcov(exact, "covariance")))[estimated], tolerance = 0.3)
  expect_lt(fit$log_likelihood, exact$log_likelihood)
  expect_gt(fit$log_likelihood, exact$log_likelihood - 0.5)
})

test_extended("the unit of the response, a shift of places and the order of rows change nothing that they should not", {
  data <- simulated_data(100, seed = 5)
  fit <- function(data, ...) {
    neargp(z ~ 1, data, coords = ~ x + y, method = svgp(inducing = 15),
      covariance = cov_matern(nu = 1.5), ...)
  }
  first <- fit(data)
  scaled <- fit(transform(data, z = 1000 * z))
  expect_equal(coef(scaled, "covariance"), coef(first, "covariance") * c(1e6, 1, 1, 1e6),
    tolerance = 1e-6)
  expect_equal(predict(scaled, data)$sd, 1000 * predict(first, data)$sd, tolerance = 1e-6)
  moved <- fit(transform(data, x = x + 2^20))
  expect_equal(coef(moved, "covariance"), coef(first, "covariance"), tolerance = 1e-4)
  start <- as.matrix(data[1:15, c("x", "y")])
  held <- svgp(inducing = start, move = FALSE)
  value <- function(rows) c(inducing_fit(data[rows, ], held)$log_likelihood)
  expect_equal(value(100:1), value(1:100), tolerance = 1e-10)
})

test_extended("the number of threads does not change a digit", {
  data <- withr::with_seed(6, data.frame(x = runif(3000), y = runif(3000), height = rnorm(3000)))
  data$z <- with(data, sin(5 * x) + height) + sin(seq_len(3000))
  fit <- function(threads) {
    suppressWarnings(neargp(z ~ height, data, coords = ~ x + y,
      method = svgp(inducing = 20, std_error = FALSE),
      covariance = cov_matern(nu = 1.5), threads = threads,
      control = neargp_control(max_iterations = 2L)))
  }
  kept <- c("log_likelihood", "parameters", "beta", "beta_vcov", "inducing", "svgp")
  expect_identical(fit(3L)[kept], fit(1L)[kept])
})

test_that("a bound is told to be one, and the inducing points what they leave unexplained", {
  fit <- inducing_fit()
  expect_s3_class(logLik(fit), "neargp_score")
  expect_output(print(logLik(fit)), "evidence lower bound")
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
  expect_output(print(fit), "20 points, moved")
  given <- dense_inducing(fit)
  expect_equal(unexplained_share(fit), mean(given$rest) / 1.5, tolerance = 1e-8)
  few <- inducing_fit(method = svgp(inducing = 3, move = FALSE))
  expect_output(print(few), "more points, or vecchia\\(\\), predict better")
  expect_output(print(svgp(inducing = 7)), "inducing +7")
  expect_output(print(svgp(inducing = matrix(0, 4, 2))), "4 given positions")
})

test_that("standard errors are computed where they are asked for, and told to be missing elsewhere",
  {
    fit <- function(...) {
      neargp(z ~ 1, simulated_data(80), coords = ~ x + y, method = svgp(inducing = 10, ...),
        covariance = cov_matern(nu = 1.5))
    }
    expect_false(anyNA(summary(fit())$covariance[c("variance", "range", "nugget"), "std_error"]))
    without <- fit(std_error = FALSE)
    expect_true(all(is.na(without$parameters$std_error)))
    expect_output(print(summary(without)), "svgp\\(std_error = TRUE\\) computes them")
  })

test_that("a fit goes on from an earlier one, positions included", {
  data <- simulated_data(80)
  fit <- function(...) {
    neargp(z ~ 1, data, coords = ~ x + y, method = svgp(inducing = 10),
      covariance = cov_matern(nu = 1.5), ...)
  }
  done <- fit()
  again <- update(done, start = done)
  expect_lt(again$convergence$iterations, 20L)
  expect_gte(again$log_likelihood, done$log_likelihood)
  expect_lt(again$log_likelihood, done$log_likelihood + 0.01)
})

test_extended("what other methods' fits can do a fit on inducing points can", {
  fit <- inducing_fit()
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  new <- simulated_data(5, seed = 3)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
  expect_identical(nrow(augment(fit)), 120L)
  expect_identical(glance(fit)$method, "svgp")
  expect_lt(scores(fit)$crps, 0.5)
  expect_equal(predict(fit, new, type = "process")$mean + predict(fit, new, type = "trend")$mean,
    predict(fit, new)$mean)
  validated <- cross_validate(fit, folds = rep(1:4, 30))
  expect_lt(abs(validated$scores$crps - scores(fit)$crps), 0.05)
  refitted <- cross_validate(fit, folds = rep(1:2, 60), refit = TRUE)
  expect_true(all(is.finite(refitted$predictions$mean)))
  expect_drawn(plot(fit, which = "inducing"))
  expect_drawn(plot(fit))
  expect_error(plot(fit_once(), which = "inducing"), class = "neargp_error_argument")
})

test_that("several coordinates, sums of covariances, anisotropy, time and the sphere can be fitted",
  {
    skip_unless_extended()
    data <- simulated_data(90, seed = 8)
    data$time <- rep(1:9, 10)
    fit <- function(covariance, ...) {
      neargp(z ~ 1, data, coords = ~ x + y, method = svgp(inducing = 12), covariance = covariance,
        ...)
    }
    for (one in list(fit(cov_exponential(anisotropy = TRUE)),
      fit(cov_matern(nu = NULL, ard = TRUE)), fit(cov_exponential() + cov_gaussian(), time = ~time),
      fit(cov_cauchy(), time = ~time))) {
      expect_true(is.finite(one$log_likelihood))
      expect_true(all(is.finite(unlist(one$inducing))))
      expect_identical(names(one$inducing), c("x", "y", one$locations$time))
    }
  })

test_that("what it cannot fit is refused by name, with what can", {
  data <- simulated_data(60)
  expect_error(inducing_fit(data, nugget = 0), "vecchia\\(\\)", class = "neargp_error_nugget")
  expect_error(neargp(round(exp(z)) ~ 1, data, coords = ~ x + y, method = svgp(),
    family = poisson(), nugget = 1), "family says", class = "neargp_error_argument")
  expect_error(svgp(jitter = 0), class = "neargp_error_argument")
  expect_error(svgp(bound = "loose"), class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = "svgp"), "svgp\\(\\)",
    class = "neargp_error_argument")
})
