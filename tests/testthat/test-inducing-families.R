# Fits of vnngp()'s families by svgp(): the same model, seen through its values at inducing points.

family_fit <- function(name, data, method, covariance = fixed_exponential, ...) {
  model <- vnngp_models[[name]]
  neargp(model[[1]], data, coords = ~ x + y, method = method, covariance = covariance,
    family = model[[2]], verbose = FALSE, ...)
}

test_extended("with an inducing point at each row bound, posterior and predictions are those of vnngp() with all neighbours", {
  data <- vnngp_data(60, seed = 2)
  places <- data.frame(x = c(0.2, 0.55), y = c(0.3, 0.8), h = 0)
  for (name in setdiff(names(vnngp_models), "gaussian")) {
    all <- family_fit(name, data, svgp(as.matrix(data[c("x", "y")]), move = FALSE, jitter = 1e-8,
      std_error = FALSE))
    exact <- family_fit(name, data, vnngp(59, factor = "exact", jitter = 1e-8),
      start = stats::coef(all, what = "covariance"))
    # the family's parameters are estimated: held where the first fit has them
    expect_equal(all$log_likelihood, exact$log_likelihood, tolerance = 1e-5, label = name)
    expect_equal(stats::coef(all), stats::coef(exact), tolerance = 1e-2, label = name)
    expect_equal(predict(all, places, type = "link"), predict(exact, places, type = "link"),
      tolerance = 1e-2, label = name)
    expect_equal(fitted(all), fitted(exact), tolerance = 1e-2, label = name)
    expect_equal(residuals(all, type = "loo"), residuals(exact, type = "loo"), tolerance = 1e-2,
      label = name)
  }
})

test_extended("bounds of all families rise with the inducing points and with their moves", {
  data <- vnngp_data(150, seed = 3)
  for (name in names(vnngp_models)) {
    bound <- function(...) {
      stats::logLik(suppressWarnings(family_fit(name, data, svgp(..., std_error = FALSE))))
    }
    held <- bound(10, move = FALSE)
    expect_gte(bound(10), held - 1e-6)
    expect_gt(bound(60, move = FALSE), held)
    expect_gt(held, bound(10, move = FALSE, bound = "standard"))
  }
})

test_extended("estimates, standard errors and predictions of a smooth field come near those of vnngp()",
  {
    skip_unless_extended()
    data <- latent_data(500)
    train <- data[1:400, ]
    test <- data[401:500, ]
    models <- list(list(count ~ height, poisson()), list(class ~ height, binomial()),
      list(amount ~ height, Gamma("log")))
    for (model in models) {
      fit_by <- function(method) {
        neargp(model[[1]], train, coords = ~ x + y, method = method,
          covariance = cov_matern(nu = 2.5), family = model[[2]])
      }
      few <- fit_by(svgp(60))
      near <- fit_by(vnngp(30))
      expect_true(few$convergence$converged)
      expect_lt(abs(near$log_likelihood - few$log_likelihood), 2)
      expect_lt(abs(log(stats::coef(few, "covariance")[["range"]] / stats::coef(near,
        "covariance")[["range"]])), 0.1)
      errors <- vapply(list(few, near), function(fit) sqrt(fit$covariance_vcov["range", "range"]),
        0)
      expect_gt(min(errors) / max(errors), 0.8)
      log_score <- function(fit) scores(fit, test)[["log_score"]]
      expect_lt(abs(log_score(few) - log_score(near)), 0.01)
    }
  })

test_extended("leave-one-out predictions are near to those of a fit without the row", {
  data <- vnngp_data(80, seed = 6)
  fit <- family_fit("poisson", data, svgp(as.matrix(data[1:25, c("x", "y")]), move = FALSE,
    std_error = FALSE))
  loo <- loo_predict(fit)
  for (row in c(3, 40, 77)) {
    without <- family_fit("poisson", data[-row, ], svgp(as.matrix(data[1:25, c("x", "y")]),
      move = FALSE, std_error = FALSE))
    expected <- predict(without, data[row, ])
    expect_equal(loo$mean[row], expected$mean, tolerance = 0.03)
    expect_equal(loo$sd[row], expected$sd, tolerance = 0.03)
  }
})

test_extended("a fold's rows are predicted from the others, parameters and inducing points held", {
  data <- vnngp_data(120, seed = 7)
  fit <- family_fit("negative_binomial", data, svgp(20))
  folds <- rep(1:3, 40)
  validated <- cross_validate(fit, folds = folds, refit = FALSE)
  held <- folds == 2
  positions <- as.matrix(fit$inducing)
  colnames(positions) <- c("x", "y")
  given <- stats::coef(fit, what = "covariance")
  again <- neargp(negative_binomial ~ h, data[!held, ], coords = ~ x + y,
    method = svgp(positions, move = FALSE), covariance = fixed_exponential,
    family = negative_binomial(given[["size"]]))
  expected <- predict(again, data[held, ], type = "link")
  predictions <- validated$predictions[validated$predictions$fold == 2, ]
  expect_equal(predictions$link_mean[order(predictions$row)], expected$mean, tolerance = 1e-5)
  expect_equal(predictions$link_sd[order(predictions$row)], expected$sd, tolerance = 1e-5)
})

test_extended("draws have the moments of predictions, as fields and as responses", {
  data <- vnngp_data(100, seed = 8)
  fit <- family_fit("poisson", data, svgp(25, std_error = FALSE))
  places <- data.frame(x = c(0.2, 0.21, 0.8), y = c(0.4, 0.4, 0.6), h = 0.2)
  link <- predict(fit, places, joint = TRUE, type = "link")
  withr::local_seed(1)
  drawn <- as.matrix(simulate(fit, 4000, newdata = places, type = "link"))
  expect_lt(max(abs(rowMeans(drawn) - link$mean) / link$sd), 4.5 / sqrt(4000))
  expect_equal(unname(stats::cov(t(drawn))), unname(attr(link, "covariance")), tolerance = 0.1)
  counts <- as.matrix(simulate(fit, 4000, newdata = places))
  response <- predict(fit, places)
  expect_lt(max(abs(rowMeans(counts) - response$mean) / response$sd), 4.5 / sqrt(4000))
  expect_equal(unname(apply(counts, 1L, stats::sd)), response$sd, tolerance = 0.1)
  expect_error(predict(fit, places, joint = TRUE, type = "response"), "simulate\\(\\)",
    class = "neargp_error_argument")
})

test_extended("a fit of another family goes on from an earlier one, is saved whole, and is the same on any number of threads", {
  data <- vnngp_data(200, seed = 9)
  fit <- family_fit("student_t", data, svgp(30), threads = 1L)
  again <- family_fit("student_t", data, svgp(30), start = fit, threads = 1L)
  expect_lt(again$convergence$evaluations, fit$convergence$evaluations)
  expect_equal(again$log_likelihood, fit$log_likelihood, tolerance = 1e-4)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[1:5, ]), predict(fit, data[1:5, ]))
  two <- family_fit("student_t", data, svgp(30), threads = 2L)
  same <- c("log_likelihood", "parameters", "beta", "svgp", "posterior")
  expect_identical(two[same], fit[same])
})

test_that("a trend that separates the classes is told", {
  data <- vnngp_data(80, seed = 10)
  data$group <- data$binary
  expect_warning(fit <- neargp(binary ~ group, data, coords = ~ x + y, method = svgp(20),
    family = binomial(), covariance = fixed_exponential), "separates",
    class = "neargp_warning_convergence")
  expect_identical(fit$convergence$separated, "groupyes")
})

test_that("the trend's offset, weights and repeated rows have their meaning", {
  data <- vnngp_data(100, seed = 11)
  twice <- data[rep(1:100, each = 2), ]
  data$w <- 2
  method <- svgp(as.matrix(data[1:20, c("x", "y")]), move = FALSE, std_error = FALSE)
  weighted <- family_fit("poisson", data, method, weights = w)
  repeated <- family_fit("poisson", twice, method)
  expect_equal(weighted$beta, repeated$beta, tolerance = 1e-6)
  data$exposure <- exp(data$h)
  moved <- neargp(poisson ~ h + offset(log(exposure)), data, coords = ~ x + y, method = method,
    covariance = fixed_exponential, family = poisson())
  plain <- family_fit("poisson", data, method)
  expect_equal(unname(moved$beta["h"]), unname(plain$beta["h"]) - 1, tolerance = 1e-6)
  expect_equal(moved$log_likelihood, plain$log_likelihood, tolerance = 1e-8)
})

test_extended("counts in clusters reach the optimum of a field that begins long", {
  # a long and a short field in clusters; of another start
  counts <- function(seed, n = 200L) {
    withr::local_seed(seed)
    runif(2L * n)
    centers <- matrix(runif(20), 10L)
    X <- centers[sample(10, n, TRUE), ] + matrix(rnorm(2L * n, sd = 0.04), n)
    D <- as.matrix(dist(X))
    K <- 0.5 * exp(-2 * D) + 0.5 * exp(-(D / 0.05)^2)
    f <- drop(crossprod(chol(K + diag(1e-8, n)), rnorm(n)))
    runif(n)
    w <- rnorm(n)
    sample(10, n, TRUE)
    rnorm(10L + 4L * n)
    data.frame(x = X[, 1L], y = X[, 2L], w = w, c = rpois(n, exp(0.5 + f + 0.3 * w)))
  }
  fit <- neargp(c ~ w, counts(1004), coords = ~ x + y, family = poisson(), threads = 1L,
    method = svgp(40, std_error = FALSE), covariance = cov_matern(1.5))
  expect_gt(c(logLik(fit)), -507.97)
})

test_that("counts begin with a point for two rows, other responses with one for four", {
  points <- function(name) nrow(family_fit(name, vnngp_data(60, seed = 2), svgp(move = FALSE,
    std_error = FALSE))$inducing)
  expect_identical(vapply(c("poisson", "negative_binomial", "gamma", "binary"), points, 0L,
    USE.NAMES = FALSE), c(30L, 30L, 15L, 15L))
})
