# Coefficients that vary in space, of covariates that differ within a location. The reference is the
# dense model of all rows.

varying_rows <- function(stations = 12L, each = 50L) {
  set.seed(9)
  places <- data.frame(x = runif(stations), y = runif(stations))
  index <- rep(seq_len(stations), each)
  data <- places[index, ]
  n <- nrow(data)
  data$u <- rnorm(n)
  data$z <- rnorm(stations)[index] + rnorm(stations)[index] * data$u + rnorm(n, sd = 2)
  data
}

varying_covariance <- cov_exponential(variance = 1, range = 0.3) +
  cov_exponential(by = ~ u, variance = 0.5, range = 0.5)

dense_varying <- function(a, b, columns = "u") {
  distance <- sqrt(outer(a$x, b$x, "-")^2 + outer(a$y, b$y, "-")^2)
  parts <- lapply(columns, function(u) 0.5 * outer(a[[u]], b[[u]]) * exp(-distance / 0.5))
  Reduce(`+`, parts, exp(-distance / 0.3))
}

# Likelihood, coefficients, and field with trend at new rows.
dense_varying_model <- function(data, new, X = cbind(1, data$u), X0 = cbind(1, new$u),
                                columns = "u", w = rep(1, nrow(data)), nugget = 4) {
  S <- dense_varying(data, data, columns) + diag(nugget / w)
  Q <- solve(S)
  V <- solve(t(X) %*% Q %*% X)
  beta <- drop(V %*% t(X) %*% Q %*% data$z)
  r <- data$z - drop(X %*% beta)
  cross <- dense_varying(new, data, columns)
  unseen <- X0 - cross %*% Q %*% X
  covariance <- dense_varying(new, new, columns) - cross %*% Q %*% t(cross) +
    unseen %*% V %*% t(unseen)
  list(value = -0.5 * (nrow(data) * log(2 * pi) + as.double(determinant(S)$modulus) +
    drop(r %*% Q %*% r)), beta = beta, vcov = V, mean = drop(X0 %*% beta + cross %*% Q %*% r),
    covariance = covariance)
}

fit_varying <- function(data, method, formula = z ~ u, covariance = varying_covariance, nugget = 4,
                        ...) {
  suppressMessages(neargp(formula, data, coords = ~ x + y, covariance = covariance,
    nugget = nugget, method = method, threads = 1L, verbose = FALSE, ...))
}

test_that("a coefficient that varies in space has the dense model's values", {
  data <- varying_rows()
  new <- rbind(data.frame(x = 0.5, y = 0.5, u = 1), data.frame(data[1L, c("x", "y")], u = -1))
  for (method in list(vecchia(), vecchia(k = 100), exact_gp(), mll_k(k = 23))) {
    fit <- fit_varying(data, method)
    if (method$label != "MLL-k") expect_equal(fit$log_likelihood, -1276.8807, tolerance = 4e-8)
    expect_equal(unname(coef(fit)), c(0.068070179, 0.30134058), tolerance = 1e-7)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean, c(0.11113502, 0.81833287), tolerance = 1e-7)
    expect_equal(link$sd, c(0.81250655, 0.31736793), tolerance = 1e-7)
  }
  expect_identical(fit_varying(data, vecchia())$k, 23L)
  expect_output(print(fit), "600 at 12 locations")
})

test_that("points stand for rows of any number, weight and covariates", {
  data <- varying_rows(8L, 1L)
  set.seed(3)
  data <- data[rep(1:8, c(1, 2, 3, 4, 5, 6, 7, 8)), ]
  n <- nrow(data)
  data[c("u", "v", "q")] <- matrix(rnorm(3 * n), n)
  data$v[data$x == data$x[4L]] <- 1              # one covariate does not vary
  data$v[data$x == data$x[n]] <- 2 * data$u[data$x == data$x[n]]
  data$w <- runif(n, 0.5, 3)
  data$z <- rnorm(n) + 1e3
  data <- data[sample(n), ]
  new <- data.frame(x = c(0.5, data$x[2L]), y = c(0.5, data$y[2L]), u = c(1, -1), v = c(0, 2),
    q = c(1, 3))
  covariance <- varying_covariance + cov_exponential(by = ~ v, variance = 0.5, range = 0.5)
  model <- function(data, new) dense_varying_model(data, new, cbind(1, data$u, data$q), cbind(1,
    new$u, new$q), c("u", "v"), data$w)
  right <- model(data, new)
  for (method in list(vecchia(k = 30), exact_gp())) {
    fit <- fit_varying(data, method, z ~ u + q, covariance, weights = w)
    reduced <- at_locations(fit$data)
    expect_lt(length(reduced$y), n)
    expect_equal(fit$log_likelihood, right$value, tolerance = 1e-10)
    expect_equal(unname(coef(fit)), right$beta, tolerance = 1e-8)
    expect_equal(unname(vcov(fit)), right$vcov, tolerance = 1e-8)
    joint <- predict(fit, new, type = "link", joint = TRUE)
    expect_equal(joint$mean, right$mean, tolerance = 1e-9)
    expect_equal(attr(joint, "covariance"), right$covariance, tolerance = 1e-8,
      ignore_attr = TRUE)
    left <- loo_predict(fit)
    for (i in c(1L, 5L, 9L, which(data$x == data$x[!duplicated(data$x) & !duplicated(data$x,
      fromLast = TRUE)][1L])[1L])) {
      one <- model(data[-i, ], data[i, ])
      expect_equal(c(left$mean[i], left$sd[i]), c(one$mean, sqrt(one$covariance + 4 / data$w[i])),
        tolerance = 1e-7)
    }
  }
})

test_extended("estimates with points are those of all rows", {
  data <- varying_rows(10L, 8L)
  covariance <- cov_exponential(range = 0.3) + cov_exponential(by = ~ u, range = 0.5)
  fit <- fit_varying(data, exact_gp(), covariance = covariance, nugget = NULL)
  rows <- local_problem_of(fit)
  rows$data["by"] <- NULL
  means <- replace(rows, "data", list(at_locations(fit$data)))
  at <- fit$parameters$working + 0.1 * rows$free
  right <- exact_objective(rows)$evaluate(at, information = TRUE)
  found <- exact_objective(means)$evaluate(at, information = TRUE)
  expect_lt(length(means$data$y), length(rows$data$y))
  expect_equal(found$value, right$value, tolerance = 1e-11)
  expect_equal(found$gradient[rows$free], right$gradient[rows$free], tolerance = 1e-8)
  expect_equal(found$information[rows$free, rows$free], right$information[rows$free, rows$free],
    tolerance = 1e-8)
  # all that predictions are made of
  by_rows <- fit
  by_rows$data["by"] <- NULL
  by_rows <- with_own_cache(by_rows)
  new <- data.frame(x = c(0.5, 0.2), y = c(0.5, 0.9))
  expect_equal(predict(fit, new, type = "coefficients"),
    predict(by_rows, new, type = "coefficients"), tolerance = 1e-9)
  new$u <- c(1, -1)
  expect_equal(fitted(fit), fitted(by_rows), tolerance = 1e-9)
  folds <- rep(1:4, 20)
  scores <- lapply(list(fit, by_rows), function(fit) cross_validate(fit, folds = folds)$predictions)
  expect_gt(nrow(scores[[1L]]), 70L)
  expect_equal(scores[[1L]], scores[[2L]],
    tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(dim(simulate(fit, nsim = 2, newdata = new)), c(2L, 2L))
  # a point is no location
  expect_error(loo_predict(fit, leave_out = "location"), class = "neargp_error_method")
  # scores and noise models keep rows
  expect_silent(suppressMessages(predict(fit_varying(data, loo_k(k = 20)), data[1:3, ])))
  expect_s3_class(fit_varying(data, vecchia(k = 20), nugget = ~ u), "neargp")
})

test_that("a location of many rows takes little memory", {
  n <- 50000L
  x <- cbind(seq_len(n) / n)
  found <- points_of_location(seq_len(n), x, rep(1, n), 1e-9, cbind(x, 1))
  expect_identical(dim(found$share), c(2L, n))
  expect_identical(found$contrasts, n - 2L)
  expect_equal(mean(found$share %*% x), mean(x))
  # the columns are on a line, which the points determine
  expect_lt(max(abs(found$columns)), 1e-9)
})
