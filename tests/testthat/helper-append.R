# Rows of a smooth surface, and fits of them whose parameters are fixed.
appendable_rows <- function(n = 120L, seed = 1L) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), g = sample(letters[1:5], n, TRUE),
    n = 1 + rpois(n, 4), v = runif(n, 0, 0.1), t = rep(seq_len(n %/% 10L), each = 10L))
  eta <- sin(6 * d$x) + cos(5 * d$y) + 0.5 * d$h
  d$z <- eta + rnorm(n, sd = 0.3)
  d$positive <- exp(d$z)
  d$count <- rpois(n, exp(eta))
  d$successes <- rbinom(n, d$n, plogis(eta))
  d$wet <- factor(ifelse(runif(n) < plogis(eta), "yes", "no"))
  d
}

# A fit of rows 1 to `first` with the others appended, and a fit of all rows, both at the same
# covariance.
appended_and_whole <- function(formula, d, method, ..., first = 90L,
                               covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6)) {
  fit_rows <- function(rows) {
    suppressMessages(neargp(formula, d[rows, ], coords = ~ x + y, method = method,
      covariance = covariance, threads = 1L, ...))
  }
  rows <- seq_len(nrow(d))
  part <- fit_rows(rows <= first)
  list(part = part, appended = suppressMessages(update(part, newdata = d[rows > first, ])),
    whole = fit_rows(rows))
}

# Predictions at other rows, standard errors, coefficients and the log-likelihood agree.
expect_same_conditioning <- function(fits, new = appendable_rows(20L, seed = 9L),
                                     tolerance = 1e-8) {
  at <- function(fit) predict(fit, new, type = "link", parameters = "plug-in")[c("mean", "sd")]
  a <- fits$appended
  b <- fits$whole
  expect_lt(max(abs(at(a)$mean - at(b)$mean)), tolerance)
  expect_lt(max(abs(at(a)$sd - at(b)$sd)), tolerance)
  expect_equal(coef(a), coef(b), tolerance = tolerance)
  expect_equal(vcov(a), vcov(b), tolerance = tolerance)
  expect_equal(a$log_likelihood, b$log_likelihood, tolerance = tolerance)
  expect_identical(nobs(a), nobs(b))
}
