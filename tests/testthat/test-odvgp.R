test_that("mean and trend are those of the exact method, the variance that of the inducing points", {
  data <- simulated_data(150)
  data$w <- rep(c(0.5, 1, 2, 1, 4), 30)
  new <- simulated_data(15, seed = 2)
  fit_by <- function(method, formula = z ~ height + offset(x)) inducing_fit(data, method, weights = w, formula = formula)
  exact <- fit_by(exact_gp())
  fit <- fit_by(odvgp(inducing = 20, move = FALSE, tolerance = 1e-12))
  expect_equal(coef(fit), coef(exact), tolerance = 1e-8)
  expect_equal(vcov(fit), vcov(exact), tolerance = 1e-8)
  expect_equal(predict(fit, new)$mean, predict(exact, new)$mean, tolerance = 1e-8)
  expect_lt(fit$svgp$residual, 1e-12)
  base <- fit_by(svgp(inducing = 20, move = FALSE), z ~ 0 + offset(x))
  without_trend <- fit_by(odvgp(inducing = 20, move = FALSE), z ~ 0 + offset(x))
  expect_identical(predict(without_trend, new, type = "link")$sd, predict(base, new, type = "link")$sd)
  expect_gt(max(abs(predict(without_trend, new)$mean - predict(base, new)$mean)), 0.01)
})

test_that("few iterations suffice at the default tolerance", {
  data <- simulated_data(400)
  fit <- inducing_fit(data, odvgp(inducing = 40))
  exact <- inducing_fit(data, exact_gp())
  new <- simulated_data(50, seed = 3)
  expect_lt(fit$svgp$iterations, 15)
  expect_lt(max(abs(predict(fit, new)$mean - predict(exact, new)$mean)), 0.02 * sd(data$z))
})

test_that("with an inducing point at each row all is exact", {
  data <- simulated_data(70)
  new <- simulated_data(10, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 70, move = FALSE, jitter = 1e-12, tolerance = 1e-12))
  exact <- inducing_fit(data, exact_gp())
  expect_equal(predict(fit, new, interval = "prediction"), predict(exact, new, interval = "prediction"), tolerance = 1e-7)
  joint <- function(fit) predict(fit, new, joint = TRUE)
  expect_equal(joint(fit), joint(exact), tolerance = 1e-7)
})

test_that("joint predictions and draws are about the exact mean", {
  data <- simulated_data(150)
  new <- simulated_data(6, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 20, tolerance = 1e-10))
  expect_equal(predict(fit, new, joint = TRUE)$mean, predict(fit, new)$mean, tolerance = 1e-8)
  draws <- as.matrix(simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link"))
  far <- abs(rowMeans(draws) - predict(fit, new)$mean) / (apply(draws, 1L, sd) / sqrt(4000))
  expect_lt(max(far), 4.5)
  expect_equal(unname(apply(draws, 1L, sd)), predict(fit, new, type = "link")$sd, tolerance = 0.06)
})

test_that("a row's prediction is its own, and threads and the unit change nothing", {
  data <- simulated_data(150)
  new <- simulated_data(131, seed = 2)
  fit <- inducing_fit(data, odvgp(inducing = 20), threads = 1)
  got <- predict(fit, new)
  expect_identical(predict(fit, new[77, ]), got[77, ], ignore_attr = TRUE)
  expect_identical(predict(inducing_fit(data, odvgp(inducing = 20), threads = 3), new, threads = 3), got)
  scaled <- neargp(z ~ height, transform(data, z = 1024 * z), coords = ~ x + y, method = odvgp(inducing = 20), nugget = 0.1 * 1024^2,
    covariance = cov_matern(nu = 1.5, variance = 1.5 * 1024^2, range = 0.3))
  expect_equal(predict(scaled, new)$mean, 1024 * got$mean, tolerance = 1e-8)
})

test_that("validation solves for the mean without the rows held out", {
  data <- simulated_data(120)
  fit <- inducing_fit(data, odvgp(inducing = 15, tolerance = 1e-10))
  fold <- rep(1:4, 30)
  spoiled <- fit
  spoiled$data$y[fold == 1] <- spoiled$data$y[fold == 1] + 50
  clean <- restrict_rows(fit$method, fit, which(fold != 1))
  expect_equal(restrict_rows(spoiled$method, spoiled, which(fold != 1))$svgp$solved, clean$svgp$solved, tolerance = 1e-6)
  exact <- cross_validate(inducing_fit(data, exact_gp()), folds = fold)
  expect_equal(cross_validate(fit, folds = fold)$mean, exact$mean, tolerance = 1e-6)
})

test_that("what it cannot do is refused, and what it did not reach is told", {
  data <- simulated_data(120)
  fit <- inducing_fit(data, odvgp(inducing = 15))
  expect_error(loo_predict(fit), class = "neargp_error_method")
  data$count <- rpois(120, 2)
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, method = odvgp(15), family = poisson()), class = "neargp_error_family")
  expect_error(odvgp(tolerance = 0), class = "neargp_error_argument")
  expect_warning(with_exact_mean(inducing_fit(data, odvgp(inducing = 3, tolerance = 1e-14)), most = 1L), class = "neargp_warning_convergence")
  expect_output(print(fit), "Mean: +of all rows, by [0-9]+ iterations")
  expect_output(print(odvgp(20)), "tolerance")
})
