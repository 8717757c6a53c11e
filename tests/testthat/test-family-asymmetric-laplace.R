# Quantile regression: closed forms, and integrals on both sides of the kink.

quantile_rows <- function(n = 60L) {
  set.seed(6)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  d$z <- 20 + 3 * d$a + rexp(n) * (1 + d$x)
  d
}

check_loss <- function(u, tau) u * (tau - (u < 0))

quantile_fit <- function(tau, formula = z ~ 1, d = quantile_rows(), ...) {
  suppressMessages(neargp(formula, d, family = quantile_regression(tau), ...))
}

# A process of little variance, which smooths the kink: the response scatters by 3.
almost_none <- function(sd = 0.6) cov_exponential(variance = sd^2, range = 0.1)

test_that("with little of a process the estimate is the sample quantile, the scale its check loss", {
  d <- quantile_rows()
  for (tau in c(0.1, 0.37, 0.5, 0.9)) {
    fit <- quantile_fit(tau, coords = ~ x + y, covariance = almost_none(), method = vnngp(k = 5))
    ends <- sort(d$z)[c(floor(tau * 60), ceiling(tau * 60) + 1L)]
    expect_true(fit$beta >= ends[1L] - 0.3 && fit$beta <= ends[2L] + 0.3)
    loss <- mean(check_loss(d$z - fit$beta, tau))
    expect_equal(fit$family_parameters[["scale"]], loss, tolerance = 0.1)
    expect_equal(fit$family_parameters[["tau"]], tau)
    # tau is not estimated: the intercept and the scale
    expect_equal(attr(stats::logLik(fit), "df"), 2)
  }
})

# The optimum of linear quantile regression with two coefficients passes through two observations.
test_that("the check loss of a trend is nearly the least of all lines through two rows", {
  d <- quantile_rows(30L)
  for (tau in c(0.25, 0.8)) {
    pairs <- utils::combn(nrow(d), 2L)
    losses <- apply(pairs, 2L, function(rows) {
      slope <- diff(d$z[rows]) / diff(d$a[rows])
      sum(check_loss(d$z - d$z[rows[1]] - slope * (d$a - d$a[rows[1]]), tau))
    })
    fit <- quantile_fit(tau, z ~ a, d, coords = ~ x + y, covariance = almost_none(0.2),
      method = vnngp(k = 5))
    found <- sum(check_loss(d$z - drop(cbind(1, d$a) %*% coef(fit)), tau))
    expect_lt(found / min(losses) - 1, 0.02)
  }
})

test_that("expectations are the integrals on both sides of the kink", {
  parameters <- list(scale = 0.8, tau = 0.3)
  entry <- response_families$asymmetric_laplace
  y <- c(-1.2, 0.3, 4)
  mean <- c(-0.8, 0.4, 1.1)
  for (variance in c(1e-4, 0.05, 0.8, 6)) {
    sd <- sqrt(variance)
    of <- function(f) vapply(1:3, function(i) {
      integrand <- function(eta) f(eta, i) * stats::dnorm(eta, mean[i], sd)
      ends <- sort(c(mean[i] + c(-9, 9) * sd, min(max(y[i], mean[i] - 9 * sd), mean[i] + 9 * sd)))
      sum(vapply(1:2, function(side) stats::integrate(integrand, ends[side], ends[side + 1L],
        rel.tol = 1e-11)$value, 0))
    }, 0)
    found <- core_expectations("asymmetric_laplace", unlist(parameters, use.names = FALSE), y,
      rep(1, 3), numeric(0), mean, rep(variance, 3), plain_context())
    expect_equal(found$value, of(function(eta, i) {
      entry$density(y[i], eta, parameters, 1, log = TRUE)
    }), tolerance = 1e-8)
    expect_equal(found$slope, of(function(eta, i) {
      (parameters$tau - (y[i] < eta)) / parameters$scale
    }), tolerance = 1e-8)
    # the slope jumps by -1 / scale at the kink
    expect_equal(found$curvature, stats::dnorm(y, mean, sd) / parameters$scale, tolerance = 1e-8)
  }
})

test_that("the mixture over eta is that of simulation, and of closed forms at its ends", {
  mixture <- new_mixture(c(0, 2), sqrt(c(0.4, 0)), quantile_regression(0.3),
    c(scale = 0.5, tau = 0.3))
  q <- c(-0.3, 2)
  # at eta the distribution function is tau
  expect_equal(predictive_cdf(q, mixture)[2L], 0.3, tolerance = 1e-9)
  expect_equal(predictive_quantile(c(0.3, 0.3), mixture)[2L], 2, tolerance = 1e-6)
  expect_equal(predictive_mean(mixture), c(0, 2) + 0.5 * 0.4 / 0.21)
})

test_that("densities of the mixture are integrals on both sides of the kink", {
  entry <- response_families$asymmetric_laplace
  for (tau in c(0.3, 0.99)) for (y in c(-1.5, 0.2, 3)) {
    parameters <- list(scale = 0.2, tau = tau)
    mixture <- new_mixture(0.4, 0.7, quantile_regression(tau), unlist(parameters))
    at <- function(eta) entry$density(y, eta, parameters, 1) * stats::dnorm(eta, 0.4, 0.7)
    ends <- sort(c(seq(-5.9, 6.7, by = 0.7), y, y + c(-0.05, 0.05)))
    pieces <- vapply(seq_along(ends)[-1L], function(i) {
      stats::integrate(at, ends[i - 1L], ends[i], rel.tol = 1e-11)$value
    }, 0)
    expect_equal(exp(predictive_log_density(y, mixture)), sum(pieces), tolerance = 1e-8)
  }
})

test_that("fitted quantiles of a process are above a share tau of the data", {
  set.seed(9)
  d <- data.frame(x = runif(400), y = runif(400))
  noise <- function(n, x) rexp(n) * (0.3 + x)
  truth <- function(d, tau) sin(6 * d$x) + cos(5 * d$y) - log(1 - tau) * (0.3 + d$x)
  d$z <- sin(6 * d$x) + cos(5 * d$y) + noise(400, d$x)
  new <- data.frame(x = runif(400), y = runif(400))
  for (tau in c(0.2, 0.8)) {
    fit <- quantile_fit(tau, d = d, coords = ~ x + y, method = vnngp(k = 10),
      covariance = cov_matern(nu = 1.5))
    expect_lt(abs(mean(d$z < predict(fit, d, type = "link")$mean) - tau), 0.05)
    expect_gt(cor(predict(fit, new, type = "link")$mean, truth(new, tau)), 0.9)
  }
  sparse <- quantile_fit(0.8, d = d, coords = ~ x + y, method = svgp(40, move = FALSE),
    covariance = cov_matern(nu = 1.5))
  expect_lt(abs(mean(d$z < predict(sparse, d, type = "link")$mean) - 0.8), 0.07)
  expect_output(print(fit), "tau")
  expect_true(all(is.finite(unlist(scores(fit)[c("crps", "log_score")]))))
})

test_that("methods and settings that cannot fit a kink are refused", {
  d <- quantile_rows()
  for (method in list(vnngp(k = 5, posterior = "laplace"), loo_k(k = 5), exact_gp())) {
    expect_error(quantile_fit(0.5, d = d, coords = ~ x + y, method = method),
      class = "neargp_error_family")
  }
  expect_error(quantile_fit(0.5, d = d), class = "neargp_error")
  expect_error(quantile_fit(0.5, d = d, coords = ~ x + y, weights = rep(2, 60)), "their mean",
    class = "neargp_error_weights")
  for (tau in list(0, 1, -1, NA, "a", c(0.1, 0.9), ~ x)) {
    expect_error(quantile_regression(tau), class = "neargp_error_argument")
  }
  expect_error(quantile_regression(scale = 0), class = "neargp_error_argument")
  expect_identical(asymmetric_laplace(0.3), quantile_regression(0.3))
})
