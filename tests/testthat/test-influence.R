influence_fit <- function(data = simulated_data(60), method = exact_gp(), ...) {
  neargp(z ~ height + group, data, coords = ~ x + y, method = method,
    covariance = cov_exponential(), ...)
}

# The smoother H of trend and field, and the coefficients without each row.
dense_influence <- function(fit) {
  data <- fit$data
  S <- dense_noisy(data, fit$core_covariance, fit$nugget)
  Q <- solve(S)
  A <- solve(t(data$X) %*% Q %*% data$X)
  P <- Q - Q %*% data$X %*% A %*% t(data$X) %*% Q
  without <- t(vapply(seq_along(data$y), function(i) {
    X <- data$X[-i, ]
    solved <- solve(S[-i, -i], cbind(X, data$y[-i] - data$offset[-i]))
    drop(solve(t(X) %*% solved[, 1:ncol(X)], t(X) %*% solved[, ncol(X) + 1L]))
  }, fit$beta))
  list(H = diag(length(data$y)) - diag(fit$nugget / data$weights) %*% P, vcov = A,
    change = rep(fit$beta, each = nrow(without)) - without)
}

test_extended("hat values and deletions are those of dense matrices", {
  data <- transform(simulated_data(60), w = rep(c(1, 4), 30))
  fit <- influence_fit(data, weights = w)
  dense <- dense_influence(fit)
  expect_equal(hatvalues(fit), setNames(diag(dense$H), 1:60), tolerance = 1e-8)
  # the same smoother makes the fitted values
  expect_equal(fitted(fit), drop(dense$H %*% fit$data$y), tolerance = 1e-8)
  expect_equal(dfbeta(fit), `dimnames<-`(dense$change, list(1:60, names(coef(fit)))),
    tolerance = 1e-6)
  expect_equal(dfbetas(fit)[, "height"], dfbeta(fit)[, "height"] / sqrt(vcov(fit)[2L, 2L]))
  cook <- rowSums((dense$change %*% solve(dense$vcov)) * dense$change) / 4
  expect_equal(unname(cooks.distance(fit)), cook, tolerance = 1e-6)
  all <- influence(fit)
  expect_identical(all$hat, hatvalues(fit))
  expect_identical(all$coefficients, dfbeta(fit))
  expect_identical(all$loo, loo_predict(fit))
  expect_identical(rstandard(fit), residuals(fit, "standardized"))
})

test_that("with all others as neighbours vecchia() has the same", {
  fit <- influence_fit(method = vecchia(k = 59))
  dense <- dense_influence(fit)
  expect_equal(unname(hatvalues(fit)), diag(dense$H), tolerance = 1e-7)
  expect_equal(unname(dfbeta(fit)), unname(dense$change), tolerance = 1e-6)
})

test_that("without a field they are those of lm()", {
  data <- simulated_data(50)
  fit <- influence_fit(data, nugget = 0.5, method = exact_gp())
  fit <- neargp(z ~ height + group, data, coords = ~ x + y, method = exact_gp(), nugget = 0.5,
    covariance = cov_exponential(variance = 1e-10, range = 0.01))
  reference <- lm(z ~ height + group, data)
  expect_equal(hatvalues(fit), hatvalues(reference), tolerance = 1e-6)
  expect_equal(dfbeta(fit), dfbeta(reference), tolerance = 1e-6)
  scale <- sigma(reference) / sqrt(0.5)
  expect_equal(cooks.distance(fit), cooks.distance(reference) * scale^2, tolerance = 1e-6)
  expect_equal(rstandard(fit), rstandard(reference) * scale, tolerance = 1e-6)
})

test_that("rows that na.exclude left out keep their place", {
  data <- simulated_data(40)
  data$z[c(3, 20)] <- NA
  fit <- influence_fit(data, na.action = na.exclude)
  expect_identical(names(hatvalues(fit)), names(residuals(fit)))
  expect_identical(unname(which(is.na(hatvalues(fit)))), c(3L, 20L))
  expect_identical(unname(which(is.na(dfbeta(fit)[, 1L]))), c(3L, 20L))
})

test_that("a row that alone determines a coefficient fits itself", {
  data <- transform(simulated_data(40), group = factor(c("rare", rep("a", 39))))
  fit <- neargp(z ~ group, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  expect_identical(hatvalues(fit)[["1"]], 1)
  expect_true(all(is.na(dfbeta(fit)[1L, ])))
  expect_false(anyNA(dfbeta(fit)[-1L, ]))
  expect_true(is.na(cooks.distance(fit)[[1L]]))
})

test_that("rows of high leverage are deleted by an estimate without them", {
  data <- simulated_data(40)
  data$height[3L] <- 60
  fit <- influence_fit(data)
  dense <- dense_influence(fit)
  expect_equal(unname(dfbeta(fit)), unname(dense$change), tolerance = 1e-5)
  expect_equal(unname(hatvalues(fit)), diag(dense$H), tolerance = 1e-7)
})

test_extended("fits that are no linear smoother of one response are refused", {
  data <- transform(simulated_data(60), count = rep(0:3, 15), two = factor(height > 0))
  latent <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5))
  classes <- neargp(two ~ 1, data, coords = ~ x + y, method = loo_k(k = 5), family = binomial())
  inducing <- neargp(z ~ 1, data, coords = ~ x + y, method = svgp(inducing = 10))
  for (statistic in list(hatvalues, influence, dfbeta, cooks.distance)) {
    expect_error(statistic(latent), "Gaussian responses", class = "neargp_error_family")
    expect_error(statistic(classes), class = "neargp_error_family")
    expect_error(statistic(inducing), class = "neargp_error_method")
  }
  none <- neargp(z ~ 0, data, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential())
  expect_error(cooks.distance(none), "trend is empty", class = "neargp_error_formula")
  expect_length(hatvalues(none), 60L)
})

test_that("studentised residuals are refused", {
  expect_error(rstudent(influence_fit()), "rstandard", class = "neargp_error_method")
})

test_that("Cook's distance does not depend on the units of covariates", {
  set.seed(1)
  d <- data.frame(x = runif(40), y = runif(40), h = rnorm(40))
  d$z <- d$h + rnorm(40)
  fit <- function(data) neargp(z ~ h, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(range = 0.2), verbose = FALSE)
  expect_equal(cooks.distance(fit(transform(d, h = h * 1e12))), cooks.distance(fit(d)),
    tolerance = 1e-6)
})
