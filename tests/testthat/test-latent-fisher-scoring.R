# Six coordinates, two of which matter.
many_ranges <- function(family, n) {
  set.seed(7)
  d <- as.data.frame(matrix(runif(6L * n), n))
  eta <- 2 * sin(5 * d$V1) + 2 * cos(4 * d$V2)
  d$y <- switch(family, gaussian = eta + rnorm(n, sd = 0.3), binomial = rbinom(n, 1L, plogis(eta)),
    ordinal = cut(eta + rlogis(n), c(-Inf, -2, 0, 2, Inf), ordered_result = TRUE))
  d
}

fit_many <- function(family, method = vnngp(20), variance = NULL, n = 500L) {
  neargp(y ~ 1, many_ranges(family, n), coords = ~ V1 + V2 + V3 + V4 + V5 + V6,
    covariance = cov_matern(2.5, variance, ard = TRUE),
    family = match.fun(family)(), method = method, threads = 1L, verbose = FALSE)
}

test_extended("a range for each coordinate is found by the response's information", {
  fit <- fit_many("gaussian")
  ranges <- coef(fit, what = "covariance")[paste0("range_V", 1:6)]
  expect_lt(max(ranges[1:2]), min(ranges[3:6]))
  by_vecchia <- fit_many("gaussian", vecchia(20))
  expect_equal(fit$nugget, by_vecchia$nugget, tolerance = 0.2)
})

# The working response is without parameters of the family, and the model starts from its optimum.
test_extended("so it is with parameters of the family", {
  fit <- fit_many("ordinal", vnngp(20), n = 200L)
  ranges <- coef(fit, what = "covariance")[paste0("range_V", 1:6)]
  expect_lt(max(ranges[1:2]), min(ranges[3:6]))
  expect_equal(fit$family_parameters[["gap_2"]], 2, tolerance = 0.3)
})

# All rows are neighbours, so that nothing but the parameters differs.
test_extended("a fixed variance leads nowhere higher", {
  for (family in c("gaussian", "binomial")) {
    fit <- fit_many(family, vnngp(79), n = 80L)
    variance <- coef(fit, what = "covariance")[["variance"]]
    for (factor in c(0.5, 2)) {
      other <- suppressWarnings(fit_many(family, vnngp(79), factor * variance, n = 80L))
      expect_lt(other$log_likelihood, fit$log_likelihood)
    }
  }
})

test_extended("a model without a trend is predicted by all posteriors", {
  set.seed(1)
  d <- data.frame(x = runif(100))
  d$y <- sin(6 * d$x) + rnorm(100, sd = 0.3)
  for (posterior in c("sparse", "laplace", "mean-field")) {
    fit <- neargp(y ~ 0, d, coords = ~ x, method = vnngp(5, posterior = posterior), threads = 1L,
      verbose = FALSE)
    expect_equal(predict(fit, data.frame(x = 0.25), type = "link")$mean, 1, tolerance = 0.3)
  }
})

# All rows are neighbours, which do not change then.
test_extended("with many ranges a fit of binary responses goes on from the estimates of an earlier one",
  {
    skip_unless_extended()
    set.seed(8)
    d <- as.data.frame(matrix(runif(9L * 150L), 150L))
    d$y <- rbinom(150L, 1L, plogis(3 * sin(5 * d$V1) + 2 * cos(4 * d$V2)))
    fit <- neargp(y ~ 1, d, coords = ~ V1 + V2 + V3 + V4 + V5 + V6 + V7 + V8 + V9,
      covariance = cov_matern(2.5, ard = TRUE),
      family = binomial(), method = vnngp(149), control = neargp_control(tolerance = 0.01),
      threads = 1L, verbose = FALSE)
    continued <- suppressWarnings(update(fit, start = fit,
      control = neargp_control(max_iterations = 1L)))
    expect_gt(continued$log_likelihood, fit$log_likelihood - 0.01)
  })

# Without the noise of the working response the covariance matrices of copies are singular.
test_that("rows that repeat others in many inputs are fitted", {
  set.seed(9)
  d <- as.data.frame(matrix(runif(9L * 80L), 80L))[rep(1:80, 2L), ]
  d$y <- rbinom(160L, 1L, plogis(3 * sin(5 * d$V1)))
  fit <- suppressWarnings(neargp(y ~ 1, d, coords = ~ V1 + V2 + V3 + V4 + V5 + V6 + V7 + V8 + V9,
    family = binomial(), covariance = cov_matern(2.5, ard = TRUE), method = vnngp(20), threads = 1L,
    verbose = FALSE))
  expect_true(is.finite(fit$log_likelihood))
  expect_gt(fit$log_likelihood, 160 * log(0.5))
})

test_that("a search that ends with an exact factor says beforehand what it costs", {
  problem <- list(method = vnngp(5))
  of_nodes <- function(n) list(latent = list(nodes = list(coords = matrix(0, n, 9L))))
  expect_true(took_exact_factor(problem, list(exact = TRUE), of_nodes(1500L)))
  expect_false(took_exact_factor(problem, list(exact = TRUE), of_nodes(300L)))
  expect_false(took_exact_factor(problem, list(exact = FALSE), of_nodes(1500L)))
  expect_message(inform_of_exact_factor(of_nodes(1500L)), "1,500 inducing points.*loo_k\\(\\)",
    class = "neargp_message_factor")
})

# For so smooth a field in so many inputs an incomplete factor has positive pivots and values that
# are wrong by several units.
test_extended("an incomplete factor that has little in common with the precision gives way to an exact one", {
  for (seed in 1:3) {
    set.seed(seed)
    d <- as.data.frame(matrix(rnorm(20L * 400L), 400L))
    d$y <- as.integer(rowSums(d^2) > 20)
    fit <- function(factor) {
      neargp(y ~ 1, d, coords = ~ ., covariance = cov_matern(2.5, variance = 100, range = 10),
        family = binomial(), method = vnngp(16, factor = factor), threads = 1L, verbose = FALSE)
    }
    expect_equal(as.numeric(logLik(fit("incomplete"))), as.numeric(logLik(fit("exact"))),
      tolerance = 1e-3)
  }
})
