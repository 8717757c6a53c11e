transformed_data_set <- function(n = 90, seed = 3) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  d$g <- 1.5 + 0.3 * d$h + sin(5 * d$x) + rnorm(n, sd = 0.3)
  d$z <- exp(d$g)
  d
}

transformed_fit <- function(d = transformed_data_set(), transform = "log", method = exact_gp(),
                            formula = z ~ h, ...) {
  neargp(formula, d, coords = ~ x + y, method = method, transform = transform,
    covariance = cov_exponential(), ...)
}

test_extended("a fit of the logarithm is that of the transformed response, with the Jacobian", {
  d <- transformed_data_set()
  for (method in list(exact_gp(), vecchia(8), loo_k(8))) {
    plain <- transformed_fit(d, NULL, method, g ~ h)
    fit <- transformed_fit(d, "log", method)
    expect_equal(coef(fit), coef(plain), tolerance = 1e-6)
    expect_equal(coef(fit, "covariance"), coef(plain, "covariance"), tolerance = 1e-5)
    expect_equal(c(logLik(fit)), c(logLik(plain)) - sum(log(d$z)))
  }
})

test_that("the log-likelihood is the density of the responses", {
  d <- transformed_data_set(40)
  fit <- transformed_fit(d, "sqrt", exact_gp())
  p <- as.list(coef(fit, "covariance"))
  K <- p$variance * exp(-as.matrix(dist(d[c("x", "y")])) / p$range) + diag(p$nugget, nrow(d))
  r <- sqrt(d$z) - drop(cbind(1, d$h) %*% coef(fit))
  half <- -0.5 * (nrow(d) * log(2 * pi) + c(determinant(K)$modulus) + sum(r * solve(K, r)))
  expect_equal(c(logLik(fit)), half + sum(log(0.5 / sqrt(d$z))))
})

test_extended("predictions are on the scale of the response, the link is not", {
  d <- transformed_data_set()
  plain <- transformed_fit(d, NULL, formula = g ~ h)
  fit <- transformed_fit(d)
  new <- data.frame(x = c(0.2, 0.7), y = 0.5, h = 0)
  observation <- predict(plain, new, interval = "prediction", threshold = 1,
    parameters = "plug-in")
  s2 <- observation$sd^2
  response <- predict(fit, new, interval = "prediction", threshold = exp(1))
  expect_equal(response$mean, exp(observation$mean + s2 / 2), tolerance = 1e-6)
  expect_equal(response$sd, response$mean * sqrt(exp(s2) - 1), tolerance = 1e-6)
  expect_equal(response$upper, exp(observation$upper), tolerance = 1e-6)
  expect_equal(response$p_exceed, observation$p_exceed, tolerance = 1e-5)
  expect_equal(predict(fit, new, type = "quantile", probs = 0.5)$q0.5, exp(observation$mean),
    tolerance = 1e-6)
  expect_equal(predict(fit, new, type = "link"), predict(plain, new, type = "link",
    parameters = "plug-in"), tolerance = 1e-6)
})

test_extended("a pair of functions is the transform that it writes out", {
  d <- transformed_data_set()
  fit <- transformed_fit(d)
  pair <- transformed_fit(d, list(forward = log, inverse = exp))
  expect_equal(c(logLik(pair)), c(logLik(fit)), tolerance = 1e-9)
  with_slope <- transformed_fit(d, list(forward = log, inverse = exp,
    derivative = function(y) 1 / y))
  expect_equal(c(logLik(with_slope)), c(logLik(fit)))
  new <- data.frame(x = 0.3, y = 0.5, h = 0)
  expect_equal(predict(pair, new), predict(fit, new), tolerance = 1e-8)
  expect_equal(predict(transformed_fit(d, box_cox(0)), new), predict(fit, new))
})

test_that("a constant response is told as that, with the value that the data have", {
  d <- transform(transformed_data_set(40), z = 7)
  for (transform in list("log", "sqrt", list(log, exp))) {
    expect_error(transformed_fit(d, transform), "All 40 values are 7\\.",
      class = "neargp_error_constant_response")
  }
})

test_extended("transforms refuse what they cannot have", {
  d <- transformed_data_set(40)
  refused <- function(class, ..., data = d) {
    expect_error(transformed_fit(data, ...), class = paste0("neargp_error_", class))
  }
  refused("argument", "cube")
  refused("argument", list(log))
  refused("argument", list(log, 3))
  refused("transform", "log", formula = cbind(z, g) ~ h)
  refused("transform", "log", vnngp(5), family = Gamma(link = "log"))
  refused("transform", "log", dspp(inducing = 5))
  expect_error(neargp(z ~ h, row_source(function(i) if (i == 1L) d), coords = ~ x + y,
    method = svgp(5), transform = "log"), class = "neargp_error_source")
  refused("transform", list(function(y) -y, function(z) -z))
  refused("transform", list(log, function(z) exp(z) + 1))
  refused("transform", list(function(y) 1, exp))
  d$z[c(7, 9)] <- c(0, -1)
  refused("response", "log")
  refused("response", "sqrt")
  expect_error(transformed_fit(d), "rows 7 and 9", class = "neargp_error_response")
  expect_error(box_cox(Inf), class = "neargp_error_argument")
})

test_extended("a transform is printed, and updated", {
  d <- transformed_data_set(40)
  fit <- neargp(z ~ h, d, coords = ~ x + y, method = exact_gp(), transform = "log",
    covariance = cov_exponential())
  expect_output(print(fit), "Transform: +log\\(\\)")
  changed <- update(fit, transform = "sqrt")
  expect_identical(family(changed)$transform$name, "sqrt")
  expect_null(family(update(fit, transform = NULL))$transform)
  expect_output(print(box_cox(0.5)), "box_cox\\(0.5\\)")
})

test_that("an inverse that falls where predictions reach is refused, and one that levels off is not", {
  set.seed(1)
  data <- data.frame(x = runif(60), y = runif(60), z = rexp(60))
  fit <- function(inverse) neargp(z ~ 1, data, coords = ~ x + y,
    transform = list(sqrt, inverse), covariance = cov_exponential(), method = exact_gp())
  expect_error(fit(function(z) z^2), "falls between", class = "neargp_error_transform")
  quantiles <- unlist(predict(fit(function(z) pmax(z, 0)^2), data.frame(x = 0.5, y = 0.5),
    type = "quantile", probs = c(1e-4, 1e-3, 0.01, 0.1, 0.5, 0.99)))
  expect_false(is.unsorted(quantiles))
})

test_that("an inverse that is no number for some z is refused", {
  d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
  expect_error(neargp(z ~ 1, d, coords = ~ x + y, transform = list(exp, log)),
    "is not a number at z", class = "neargp_error_transform")
})

test_that("a pair of functions has its slope where responses vary little about a number", {
  set.seed(1)
  d <- data.frame(x = runif(40), y = 1e10 + rnorm(40))
  likelihood <- function(transform, variance) {
    c(logLik(neargp(y ~ 1, d, coords = ~ x, method = exact_gp(), transform = transform,
      covariance = cov_exponential(variance = variance, range = 0.1), nugget = variance,
      verbose = FALSE)))
  }
  far <- list(forward = asinh, inverse = sinh)
  expect_equal(likelihood(far, 1e-20),
    likelihood(c(far, derivative = function(y) 1 / sqrt(1 + y^2)), 1e-20), tolerance = 1e-5)
  near <- list(forward = function(y) asinh(y - 1e10), inverse = function(z) sinh(z) + 1e10)
  expect_equal(likelihood(near, 0.5),
    likelihood(c(near, derivative = function(y) 1 / sqrt(1 + (y - 1e10)^2)), 0.5),
    tolerance = 1e-5)
})

test_that("transformers of scales are pairs of functions", {
  skip_if_not_installed("scales")
  d <- transformed_data_set(40)
  pair <- transformed_fit(d, list(forward = log1p, inverse = expm1), vecchia(8))
  fit <- transformed_fit(d, scales::log1p_trans(), vecchia(8))
  expect_identical(predict(fit, d[1:3, ]), predict(pair, d[1:3, ]))
  expect_equal(logLik(fit), logLik(pair))
  # the class and the derivative of version 1.3
  later <- structure(list(name = "log-1p", transform = log1p, inverse = expm1,
    d_transform = function(x) 1 / (1 + x)), class = "transform")
  expect_equal(as.numeric(logLik(transformed_fit(d, later, vecchia(8)))),
    as.numeric(logLik(pair)), tolerance = 1e-6)
})
