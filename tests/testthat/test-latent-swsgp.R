fit_swsgp <- function(..., data = counts_data(), formula = count ~ h, family = poisson(),
                      covariance = cov_exponential(), threads = 1L) {
  set.seed(3)
  neargp(formula, data, coords = ~ x + y, method = swsgp(...), covariance = covariance,
    family = family, threads = threads)
}

# The paper's objective, equation 11 with w of equation 12, by dense matrices of each row's inducing
# points, the divergence with its weight.
dense_objective <- function(fit) {
  p <- fit$posterior
  kl_weight <- fit$method$kl_weight %||% sqrt(nrow(p$coords) / fit$k)
  covariance <- fit$core_covariance
  variance <- covariance$components[[1]]$variance
  n <- length(fit$data$y)
  trend <- fit$data$offset + drop(fit$data$X %*% fit$beta)
  sum(vapply(seq_len(n), function(i) {
    place <- fit$data$coords[i, , drop = FALSE]
    near <- order((p$coords[, 1] - place[1])^2 + (p$coords[, 2] - place[2])^2)[seq_len(fit$k)]
    K <- dense_covariance(p$coords[near, , drop = FALSE], p$coords[near, , drop = FALSE],
      covariance) + diag(fit$method$jitter * variance, fit$k)
    m <- p$mean[near]
    s <- p$variance[near]
    divergence <- 0.5 * (sum(diag(solve(K)) * s) + sum(m * solve(K, m)) - fit$k +
      as.numeric(determinant(K)$modulus) - sum(log(s)))
    cross <- drop(dense_covariance(p$coords[near, , drop = FALSE], place, covariance))
    b <- solve(K, cross)
    eta <- trend[i] + sum(b * m)
    t <- variance - sum(b * cross) + sum(b^2 * s)
    y <- fit$data$y[i]
    y * eta - exp(eta + t / 2) - lgamma(y + 1) - kl_weight * divergence / n
  }, 0))
}

test_on_devices("the objective is the paper's, from dense matrices", {
  for (k in if (is_extended()) c(1, 5, 20) else 5) {
    fit <- fit_swsgp(20, k = k, epochs = 5)
    expect_equal(c(fit$log_likelihood), dense_objective(fit), tolerance = 1e-8)
  }
  fit <- fit_swsgp(20, k = 5, epochs = 2, kl_weight = 1)
  expect_equal(c(fit$log_likelihood), dense_objective(fit), tolerance = 1e-8)
})

test_extended("with all points in view and the covariance known the fit ends at the optimum of dense matrices, the divergence doubled", {
  known <- cov_exponential(variance = 0.8, range = 0.2)
  fit <- fit_swsgp(12, k = 12, move = FALSE, covariance = known, epochs = 1500, batch_size = 75,
    kl_weight = 2)
  expect_equal(c(fit$log_likelihood), dense_objective(fit), tolerance = 1e-8)
  # the optimum of q(u) = N(m, diag s): stationary in m and s
  objective_with <- function(change) {
    fit$posterior <- change(fit$posterior)
    dense_objective(fit)
  }
  for (j in c(1, 7)) {
    shifted <- vapply(c(-0.02, 0.02), function(step) {
      objective_with(function(p) replace(p, "mean", list(replace(p$mean, j, p$mean[j] + step))))
    }, 0)
    expect_lt(max(shifted), fit$log_likelihood)
    widened <- vapply(c(0.8, 1.25), function(by) {
      objective_with(function(p) replace(p, "variance",
        list(replace(p$variance, j, p$variance[j] * by))))
    }, 0)
    expect_lt(max(widened), fit$log_likelihood)
  }
})

test_that("predictions are those of the k nearest points, and a row's are its own", {
  fit <- fit_swsgp(30, k = 6, epochs = 20)
  p <- fit$posterior
  new <- data.frame(x = c(0.31, 0.8, 0.1), y = c(0.4, 0.1, 0.9), h = c(0, 1, -1))
  got <- predict(fit, new, type = "link")
  response <- p$field_response %*% solve(fit$data$basis$back)
  variance <- fit$core_covariance$components[[1]]$variance
  for (i in 1:3) {
    near <- order((p$coords[, 1] - new$x[i])^2 + (p$coords[, 2] - new$y[i])^2)[1:6]
    K <- dense_covariance(p$coords[near, ], p$coords[near, ], fit$core_covariance) +
      diag(fit$method$jitter * variance, 6)
    cross <- drop(dense_covariance(p$coords[near, ], as.matrix(new[i, c("x", "y")]),
      fit$core_covariance))
    b <- solve(K, cross)
    unseen <- c(1, new$h[i]) - drop(b %*% response[near, ])
    expect_equal(got$mean[i], sum(c(1, new$h[i]) * coef(fit)) + sum(b * p$mean[near]),
      tolerance = 1e-8)
    expect_equal(got$sd[i]^2, variance - sum(b * cross) + sum(b^2 * p$variance[near]) +
      drop(unseen %*% vcov(fit) %*% unseen), tolerance = 1e-8)
  }
  expect_equal(predict(fit, new[2, ], type = "link"), got[2, ], tolerance = 1e-12,
    ignore_attr = TRUE)
  expect_equal(predict(fit, new, type = "link", chunk_size = 1), got, tolerance = 1e-12)
})

test_that("joint predictions condition on the union of all rows' points", {
  fit <- fit_swsgp(30, k = 6, epochs = 20)
  near <- data.frame(x = c(0.31, 0.32), y = c(0.4, 0.42), h = 0)
  alone <- predict(fit, near, type = "link")
  joint <- predict(fit, near, type = "link", joint = TRUE)
  covariance <- attr(joint, "covariance")
  expect_equal(joint$sd^2, diag(covariance), tolerance = 1e-10, ignore_attr = TRUE)
  expect_gt(cov2cor(covariance)[1, 2], 0.5)
  expect_equal(joint$mean, alone$mean, tolerance = 0.2)
  every <- predict(fit, near, type = "link", joint = TRUE, k = 30)
  expect_equal(every$mean, predict(fit, near, type = "link", k = 30)$mean, tolerance = 1e-8)
})

test_extended("every family is fitted, and its generics answer", {
  data <- vnngp_data(250)
  for (name in names(vnngp_models)) {
    model <- vnngp_models[[name]]
    set.seed(1)
    # ten steps end where a row may know more than all of the posterior
    fit <- neargp(model[[1]], data, coords = ~ x + y, covariance = cov_exponential(),
      method = swsgp(30, k = 6, epochs = 20, batch_size = 50), family = model[[2]])
    expect_true(all(is.finite(predict(fit, data[1:5, ])$mean)), info = name)
    expect_true(all(is.finite(residuals(fit))), info = name)
    expect_true(all(is.finite(loo_predict(fit)$mean)), info = name)
  }
  expect_true(is.finite(scores(fit, data)$log_score))
  expect_error(scores(fit), class = "neargp_error_newdata")
  expect_output(print(summary(fit)), "swsgp")
  draws <- simulate(fit, nsim = 2, seed = 1, newdata = data[1:4, ])
  expect_true(all(is.finite(as.matrix(draws))))
  expect_s3_class(generics::glance(fit), "data.frame")
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
})

test_that("fits follow set.seed() and not the number of threads", {
  first <- fit_swsgp(30, k = 6, epochs = 5)
  same <- fit_swsgp(30, k = 6, epochs = 5, threads = 3L)
  expect_identical(first$posterior[c("mean", "variance", "coords")],
    same$posterior[c("mean", "variance", "coords")])
  expect_identical(coef(first, "covariance"), coef(same, "covariance"))
})

test_extended("the unit of the response changes nothing but the unit", {
  data <- counts_data()
  fit_in <- function(unit) {
    data$z <- unit * data$z
    fit_swsgp(25, k = 6, epochs = 10, data = data, formula = z ~ h, family = gaussian())
  }
  fit <- fit_in(1)
  other <- fit_in(1000)
  expect_equal(other$posterior$mean / 1000, fit$posterior$mean, tolerance = 1e-6)
  expect_equal(predict(other, data[1:3, ])$sd / 1000, predict(fit, data[1:3, ])$sd,
    tolerance = 1e-6)
  expect_equal(c(other$log_likelihood) + nrow(data) * log(1000), c(fit$log_likelihood),
    tolerance = 1e-7)
})

test_extended("positions move or are held, and are in the user's coordinates", {
  data <- counts_data()
  given <- data[seq(1, 150, 6), c("x", "y")]
  held <- fit_swsgp(given, k = 6, epochs = 5, move = FALSE, data = data)
  expect_equal(held$inducing, given, ignore_attr = TRUE)
  expect_named(held$inducing, c("x", "y"))
  moved <- fit_swsgp(given, k = 6, epochs = 5, data = data)
  expect_gt(max(abs(as.matrix(moved$inducing) - as.matrix(given))), 0.01)
  expect_drawn(plot(moved, "inducing"))
  degrees <- transform(data, x = 10 + x, y = 45 + y)
  fit <- neargp(count ~ h, degrees, coords = ~ x + y, distance = "chordal",
    method = swsgp(25, k = 6, epochs = 5), family = poisson(), covariance = cov_exponential())
  expect_true(all(fit$inducing$x > 9.5 & fit$inducing$x < 11.5 & fit$inducing$y > 44.5 &
    fit$inducing$y < 46.5))
})

test_that("a fit goes on from where it ended, and is not made worse", {
  data <- counts_data()
  fit <- function(...) {
    neargp(count ~ h, data, coords = ~ x + y, method = swsgp(30, k = 6, epochs = 10),
      family = poisson(), covariance = cov_exponential(), ...)
  }
  first <- fit()
  more <- fit(start = first)
  expect_identical(nrow(more$inducing), 30L)
  expect_gte(more$log_likelihood, first$log_likelihood)
})

test_extended("validation finds the posterior anew without the rows held out", {
  data <- counts_data()
  fit <- fit_swsgp(25, k = 6, epochs = 10, data = data)
  fold <- rep(1:3, 50)
  validated <- cross_validate(fit, folds = fold)
  expect_true(all(is.finite(validated$mean)))
  spoiled <- fit
  spoiled$data$y[fold == 1] <- spoiled$data$y[fold == 1] + 50
  set.seed(5)
  clean <- restrict_rows(fit$method, fit, which(fold != 1), plain_context())
  set.seed(5)
  other <- restrict_rows(spoiled$method, spoiled, which(fold != 1), plain_context())
  expect_identical(other$posterior$mean, clean$posterior$mean)
  expect_identical(clean$posterior$coords, fit$posterior$coords)
})

test_extended("numbers of points and neighbours are adapted to the data, and it is said", {
  data <- counts_data()
  expect_identical(nrow(fit_swsgp(epochs = 1, data = data)$inducing), 15L)
  expect_message(fit <- fit_swsgp(epochs = 1, data = data), class = "neargp_message_k")
  expect_identical(fit$k, 14L)
  expect_warning(fit_swsgp(60, k = 5, epochs = 1, data = data), class = "neargp_warning_inducing")
  expect_message(suppressWarnings(fit <- fit_swsgp(200, k = 5, epochs = 1, data = data)),
    class = "neargp_message_inducing")
  expect_identical(nrow(fit$inducing), 150L)
})

test_that("several learning rates are those of equal shares of the steps", {
  fit_at <- function(rate) {
    fit_swsgp(20, k = 4, epochs = 20, batch_size = 150, data = counts_data(), learning_rate = rate)
  }
  # 0.05 is divided by 10 at 75% and at 90%
  in_twentieths <- 0.05 * rep(c(1, 0.1, 0.01), c(15L, 3L, 2L))
  expect_equal(coef(fit_at(in_twentieths)), coef(fit_at(0.05)), tolerance = 1e-12)
  expect_gt(max(abs(coef(fit_at(0.05 / 5^(0:3))) - coef(fit_at(0.05)))), 1e-4)
  for (rates in list(c(0.03, 0), numeric(0), c(0.03, NA), "0.03")) {
    expect_error(swsgp(20, learning_rate = rates), "learning_rate", class = "neargp_error_argument")
  }
})

test_extended("with a point at each row the noise runs away, and is held at a ten-thousandth of the variance", {
  withr::local_seed(1)
  data <- counts_data()
  data$z <- sin(4 * data$x) + rnorm(150, sd = 0.1)
  expect_warning(fit <- fit_swsgp(as.matrix(data[c("x", "y")]), k = 2, move = FALSE, epochs = 600,
    batch_size = 50, data = data, formula = z ~ 1, family = gaussian(), learning_rate = 0.05,
    kl_weight = 1),
    class = "neargp_warning_inducing")
  expect_equal(coef(fit, "covariance")[["nugget"]], 1e-4 * var(data$z), tolerance = 1e-6)
  expect_match(paste(capture.output(print(fit)), collapse = " "),
    "the least that swsgp() allows", fixed = TRUE)
})

test_extended("what cannot be fitted is refused", {
  data <- counts_data()
  expect_error(fit_swsgp(20, k = 21, data = data), class = "neargp_error_k")
  expect_error(swsgp(kl_weight = 0), class = "neargp_error_argument")
  expect_error(fit_swsgp(1, k = 1, data = data), class = "neargp_error_argument")
  expect_error(fit_swsgp(matrix(1, 5, 3), k = 2, data = data), class = "neargp_error_inducing")
  expect_error(fit_swsgp(data.frame(x = c(0, NA), y = 1), k = 1, data = data),
    class = "neargp_error_inducing")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = swsgp(20), nugget = 0), "swsgp()",
    class = "neargp_error_argument", fixed = TRUE)
  data$three <- factor(rep(1:3, 50))
  expect_error(fit_swsgp(20, data = data, formula = three ~ 1, family = categorical()),
    class = "neargp_error_family")
  expect_error(neargp(cbind(z, h) ~ 1, data, coords = ~ x + y, method = swsgp(20)),
    class = "neargp_error_method")
  fit <- fit_swsgp(20, k = 5, epochs = 1, data = data)
  expect_error(predict(fit, data[1:2, ], local_mean = TRUE), "swsgp()", fixed = TRUE)
  expect_error(predict(fit, data[1:2, ], joint = TRUE, type = "response"), "swsgp()", fixed = TRUE)
})

test_that("the constructor prints what will be fitted", {
  expect_output(print(swsgp()), "a tenth of the rows")
  expect_output(print(swsgp()), "the square root of inducing points over k")
  expect_output(print(swsgp(100, k = 8)), "100")
  expect_output(print(fit_swsgp(20, k = 5, epochs = 1)), "20 points, moved; a row sees 5 of them")
})

# The ELBO of svgp() uses the best normal distribution of the field at the points. Independent
# distributions fall short of it, unless the points are so far from each other that the best
# distribution is independent.
test_extended("with all points in view the objective is a bound of svgp()'s kind, and reaches its where the field at the points is independent", {
  withr::local_seed(4)
  cluster <- function(at, n) data.frame(x = at + rnorm(n, sd = 0.3), y = at + rnorm(n, sd = 0.3))
  data <- rbind(cluster(0, 30), cluster(20, 40), cluster(40, 20))
  data$z <- rnorm(90) + rep(c(1, -1, 0.5), c(30, 40, 20))
  fit_by <- function(method) {
    set.seed(1)
    neargp(z ~ 0, data, coords = ~ x + y, method = method,
      covariance = cov_exponential(variance = 0.7, range = 0.4), nugget = 0.8)
  }
  compare <- function(places) {
    bound <- fit_by(svgp(places, move = FALSE, bound = "standard"))
    c(svgp = c(logLik(bound)),
      swsgp = c(logLik(fit_by(swsgp(places, k = nrow(places), move = FALSE, epochs = 800,
        batch_size = 90)))))
  }
  apart <- compare(cbind(x = c(0, 20, 40), y = c(0, 20, 40)))
  expect_equal(apart[["swsgp"]], apart[["svgp"]], tolerance = 1e-5)
  close <- compare(cbind(x = c(0, 0.03, 20, 20.03, 40, 40.03), y = c(0, 0, 20, 20, 40, 40)))
  expect_lt(close[["swsgp"]], close[["svgp"]] - 0.01)
})

test_that("a joint prediction of one row is that of the row", {
  fit <- fit_swsgp(30, k = 6, epochs = 20)
  new <- data.frame(x = c(0.31, 0.8, 0.1), y = c(0.4, 0.1, 0.9), h = c(0, 1, -1))
  for (row in 1:3) {
    alone <- predict(fit, new[row, ], type = "link")
    joint <- predict(fit, new[row, ], type = "link", joint = TRUE)
    expect_equal(joint$mean, alone$mean, tolerance = 1e-8)
    expect_equal(joint$sd, alone$sd, tolerance = 1e-8)
  }
})
