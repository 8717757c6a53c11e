in_precision <- function(precision, formula = z ~ height, data = simulated_data(250),
                         method = vecchia(k = 12), device = "cuda") {
  neargp(formula, data, coords = ~ x + y, method = method, device = device,
    control = neargp_control(precision = precision))
}

# Fisher scoring ends within its tolerance, 1e-4 of log-likelihood, by which parameters move by
# about 1% of their standard errors. PORT is less strict with scores: fits in double from other
# starting values differ by up to 3e-4 here.
expect_same_fit <- function(single, double) {
  allowed <- if (is.null(double$information)) 1e-3 else 2e-4
  expect_lt(abs(single$log_likelihood - double$log_likelihood), allowed)
  free <- !double$parameters$fixed
  distance <- abs(log(single$parameters$estimate / double$parameters$estimate))[free]
  deviation <- if (is.null(double$information)) 1 else
    (double$parameters$std_error / double$parameters$estimate)[free]
  expect_lt(max(distance / deviation), 0.03)
  expect_equal(coef(single), coef(double), tolerance = 1e-3)
  expect_equal(vcov(single), vcov(double), tolerance = 1e-2)
}

test_extended("a fit with steps in single precision is the fit in double", {
  local_gpu_or_emulated()
  for (method in list(vecchia(k = 12), loo_k(k = 12), mll_k(k = 12))) {
    double <- in_precision("double", method = method)
    single <- in_precision("single", method = method)
    expect_same_fit(single, double)
    expect_false(single$convergence$single_failed)
    expect_null(double$convergence$single_failed)
    expect_output(print(single), sprintf("on cuda (%s; steps in single precision) with",
      device_name("cuda")), fixed = TRUE)
    expect_output(print(double), sprintf("on cuda (%s) with", device_name("cuda")), fixed = TRUE)
  }
})

test_extended("of several outputs, too", {
  local_gpu_or_emulated()
  data <- transform(simulated_data(150), other = z + withr::with_seed(2, stats::rnorm(150)))
  single <- in_precision("single", cbind(z, other) ~ height, data, loo_k(k = 8))
  double <- in_precision("double", cbind(z, other) ~ height, data, loo_k(k = 8))
  expect_equal(single$log_likelihood, double$log_likelihood, tolerance = 1e-6)
  expect_equal(single$beta, double$beta, tolerance = 1e-2)
})

# Covariates and responses far from zero are what matrices in single precision would not bear: steps
# would lead nowhere near.
test_extended("a trend far from zero makes no difference to steps in single precision", {
  local_gpu_or_emulated()
  near <- in_precision("double")
  far <- in_precision("single", data = transform(simulated_data(250), z = z + 3e5, height = height +
    2e4))
  expect_lt(abs(far$log_likelihood - near$log_likelihood), 1e-4)
  expect_equal(coef(far)[["height"]], coef(near)[["height"]], tolerance = 1e-4)
  expect_equal(vcov(far)[["height", "height"]], vcov(near)[["height", "height"]], tolerance = 1e-3)
  expect_lte(far$convergence$evaluations, near$convergence$evaluations + 2L)
})

test_extended("most steps are made in single precision, and the last ones in double", {
  local_fake_cuda()
  before <- fake_counts()$single
  fit <- in_precision("single")
  sums <- fake_counts()$single - before
  expect_gt(sums, 3L)
  expect_gt(fit$convergence$evaluations, sums)
  before <- fake_counts()$single
  in_precision("double")
  predict(fit, simulated_data(3), device = "cuda")
  residuals(fit, "loo")
  expect_identical(fake_counts()$single, before)
})

test_extended("a matrix that fails in single precision ends its steps, not the fit, and is reported", {
  local_gpu_or_emulated()
  # pairs of rows so near each other that without a nugget only double precision distinguishes them
  data <- simulated_data(200)
  twin <- transform(data[1:20, ], x = x + 2e-5, z = z + 1e-4)
  fit_to <- function(precision) {
    neargp(z ~ 1, rbind(data, twin), coords = ~ x + y, method = vecchia(k = 10),
      covariance = cov_matern(nu = 1.5), nugget = 0,
      device = "cuda", control = neargp_control(precision = precision))
  }
  single <- fit_to("single")
  expect_true(single$convergence$single_failed)
  expect_output(print(single), "steps in single precision where its matrices could be factorised",
    fixed = TRUE)
  expect_same_fit(single, fit_to("double"))
})

test_that("what has no single precision is an error that names the remedy", {
  local_fake_cuda()
  withr::local_options(neargp.device = "auto")
  error <- function(expr, message) expect_error(expr, message, class = "neargp_error_precision")
  error(in_precision("single", device = "cpu"), "single precision is for GPUs")
  data <- transform(simulated_data(60), count = rpois(60, 3), class = x > 0.5)
  refused <- function(formula, method, family = stats::gaussian()) {
    neargp(formula, data, coords = ~ x + y, method = method, family = family,
      control = neargp_control(precision = "single"))
  }
  error(refused(z ~ 1, exact_gp()), "precision = \"double\"")
  error(refused(z ~ 1, vnngp(k = 5)), "precision = \"double\"")
  error(refused(count ~ 1, loo_k(k = 5), poisson()), "Poisson|poisson")
  error(refused(class ~ 1, loo_k(k = 5), binomial()), "precision = \"double\"")
  error(refused(z ~ 1, loo_k(k = 5, optimizer = "adam")), "default optimiser of loo_k\\(\\)")
  expect_error(neargp_control(precision = "half"), class = "neargp_error_argument")
})

test_that("where auto is the CPU, everything is in double precision, and print says so", {
  skip_if(nzchar(Sys.getenv("NEARGP_TEST_DEVICE")), "auto is the GPU here")
  fit <- in_precision("single", device = "auto")
  expect_identical(fit$device, "cpu")
  expect_identical(coef(fit, "covariance"), coef(in_precision("double", device = "auto"),
    "covariance"))
  expect_output(print(fit), "on cpu (double precision) with", fixed = TRUE)
})

test_extended("a fit goes on from one in another precision, and refits keep to theirs", {
  local_gpu_or_emulated()
  withr::local_options(neargp.device = "cuda")
  single <- neargp(z ~ height, simulated_data(250), coords = ~ x + y, method = vecchia(k = 12),
    control = neargp_control(precision = "single"))
  double <- update(single, control = neargp_control(), start = single)
  expect_null(double$convergence$single_failed)
  expect_lt(double$convergence$evaluations, 8L)
  expect_same_fit(single, double)
  folds <- rep(1:2, 125L)
  refitted <- lapply(list(single, double), cross_validate, folds = folds, refit = TRUE)
  expect_equal(refitted[[1L]]$predictions$mean, refitted[[2L]]$predictions$mean, tolerance = 1e-3)
})
