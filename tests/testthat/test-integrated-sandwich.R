# Draws of the covariance parameters of loo_k() from the sandwich covariance of its estimates.

scored_data <- function(n = 150L, copies = 0L) {
  set.seed(5)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  data <- rbind(data, data[seq_len(copies), ])
  field <- chol(4 * exp(-as.matrix(dist(data[1:2])) / 0.15) + diag(1e-8, nrow(data)))
  data$z <- drop(crossprod(field, rnorm(nrow(data)))) + rnorm(nrow(data))
  data
}

fit_scored <- function(formula = z ~ h, data = scored_data(), covariance = cov_exponential(),
                       method = loo_k(20), ...) {
  suppressMessages(suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method,
    covariance = covariance, threads = 1L, verbose = FALSE, ...)))
}

new_places <- data.frame(x = c(0.1, 0.5, 0.95, 1.2), y = c(0.2, 0.5, 0.9, 1.2), h = 0.3)

# The problem of a fit, its parameters there, and H and J.
sandwich_of <- function(fit) {
  problem <- started_problem(fold_problem(fit, seq_along(fit$data$y), plain_context(1L)))
  working <- fit$parameters$working - unit_shift(problem)
  list(problem = problem, working = working, free = which(problem$free),
    parts = sandwich_parts(problem, working, which(problem$free)))
}

# W of the file's comment by dense algebra: rows of locations and their nearest others, with the
# noise variance of each.
dense_whitening <- function(problem, working) {
  data <- problem$data
  value <- as.list(exp(working))
  distance <- as.matrix(dist(data$coords))
  noise <- value[[3L]] / data$weights
  Q <- value[[1L]] * exp(-distance / value[[2L]]) + diag(noise)
  W <- t(sapply(seq_len(nrow(Q)), function(i) {
    near <- order(distance[i, ])[1L + seq_len(problem$method$k)]
    b <- solve(Q[near, near], Q[near, i])
    row <- replace(double(nrow(Q)), near, -b)
    row[i] <- 1
    row / sqrt(Q[i, i] - sum(b * Q[near, i]))
  }))
  list(Q = Q, W = W)
}

test_that("H and J are those of dense quadratic forms, with repeated locations as well", {
  for (copies in c(0L, 20L)) {
    found <- sandwich_of(fit_scored(z ~ 0, scored_data(40L, copies), method = loo_k(6)))
    problem <- found$problem
    expect_identical(problem$layout$name, c("variance", "range", "nugget"))
    expect_identical(is.null(problem$data$within), copies == 0L)
    dense <- dense_whitening(problem, found$working)
    slopes <- lapply(1:3, function(a) {
      at <- function(h) dense_whitening(problem, replace(found$working, a,
        found$working[a] + h))$W
      (at(1e-4) - at(-1e-4)) / 2e-4
    })
    # w_i and its derivative make the quadratic form of row i
    forms <- lapply(slopes, function(slope) lapply(seq_len(nrow(slope)), function(i) {
      (tcrossprod(dense$W[i, ], slope[i, ]) + tcrossprod(slope[i, ], dense$W[i, ])) / 2
    }))
    covariance <- function(A, B) 2 * sum((A %*% dense$Q) * t(B %*% dense$Q))
    pairs <- expand.grid(a = 1:3, b = 1:3)
    J <- mapply(function(a, b) covariance(Reduce(`+`, forms[[a]]), Reduce(`+`, forms[[b]])),
      pairs$a, pairs$b)
    H <- mapply(function(a, b) sum(mapply(covariance, forms[[a]], forms[[b]])), pairs$a, pairs$b)
    within <- diag(c(0, 0, copies / 2))
    expect_equal(found$parts$J, matrix(J, 3L) + within, tolerance = 1e-5)
    expect_equal(found$parts$H, matrix(H, 3L) + within, tolerance = 1e-5)
    # the gradient of the score is this quadratic form, less its expectation
    y <- response_columns(problem$data)[, 1L]
    gradient <- -vapply(forms, function(form) drop(y %*% Reduce(`+`, form) %*% y) -
      sum(Reduce(`+`, form) * dense$Q), 0)
    squares <- sum(problem$data$within$columns[, 1L]^2) / exp(found$working[3L])
    gradient[3L] <- gradient[3L] + (squares - copies) / 2
    objective <- others_objectives(problem, "others", problem$method$k, NULL)
    score <- objective(component_at(problem, found$working), problem$method$k)
    expect_lt(max(abs(score$evaluate(found$working, information = TRUE)$gradient - gradient) /
      sqrt(diag(found$parts$J))), 1e-4)
  }
})

test_extended("draws have equal weights, the estimates as their mean and the sandwich covariance", {
  fit <- fit_scored()
  found <- sandwich_of(fit)
  design <- integrated_fits(fit, plain_context(1L))
  expect_equal(exp(design$log_weights), rep(1 / 64, 64L))
  points <- t(sapply(design$fits, function(one) one$parameters$working))
  expect_equal(colMeans(points), fit$parameters$working, tolerance = 1e-8)
  inverse <- solve(found$parts$H)
  expect_equal(crossprod(sweep(points, 2L, fit$parameters$working)) / 64,
    inverse %*% found$parts$J %*% inverse, tolerance = 1e-6)
  skip_if_not_installed("posterior")
  set.seed(1)
  drawn <- log(unclass(posterior::as_draws(fit, what = "covariance", nsim = 20000)))
  expect_equal(unname(cov(drawn)), crossprod(sweep(points, 2L, colMeans(points))) / 64,
    tolerance = 0.05, ignore_attr = TRUE)
})

test_that("draws that allow no predictions are left out with a warning", {
  fit <- fit_scored()
  expect_warning(design <- design_of_draws(c(list(NULL, fit, NULL), rep(list(fit), 61L))),
    "2 of 64 draws", class = "neargp_warning_parameters")
  expect_equal(exp(design$log_weights), rep(1 / 62, 62L))
  expect_error(design_of_draws(list(NULL, NULL)), class = "neargp_error_cholesky")
})

test_extended("predictions are the mixture of fits with the parameters fixed at the draws", {
  fit <- fit_scored()
  design <- integrated_fits(fit, plain_context(1L))
  by_hand <- lapply(design$fits, function(one) {
    values <- as.list(coef(one, what = "covariance"))
    again <- fit_scored(covariance = cov_exponential(variance = values$variance,
      range = values$range), nugget = values$nugget)
    predict(again, new_places, interval = "prediction")
  })
  means <- sapply(by_hand, `[[`, "mean")
  sds <- sapply(by_hand, `[[`, "sd")
  found <- predict(fit, new_places, interval = "prediction", parameters = "integrated")
  expect_equal(found$mean, rowMeans(means), tolerance = 1e-7)
  expect_equal(found$sd^2, rowMeans(sds^2 + (means - rowMeans(means))^2), tolerance = 1e-7)
  limits <- pnorm(found$upper, means, sds)
  expect_equal(rowMeans(limits), rep(0.975, 4L), tolerance = 1e-6)
})

test_extended("integrated intervals are wider, and plug-in is the default", {
  fit <- fit_scored()
  grid <- cbind(expand.grid(x = seq(0.05, 0.95, 0.1), y = seq(0.05, 0.95, 0.1)), h = 0)
  plain <- predict(fit, grid, interval = "prediction")
  expect_identical(predict(fit, grid, interval = "prediction", parameters = "plug-in"), plain)
  wide <- predict(fit, grid, interval = "prediction", parameters = "integrated")
  expect_gt(mean(wide$upper - wide$lower), mean(plain$upper - plain$lower))
  few <- fit_scored(data = scored_data(60L))
  expect_identical(predict(few, grid), predict(few, grid, parameters = "plug-in"))
})

test_extended("a direction that the score does not inform is no wider than the prior", {
  set.seed(8)
  data <- scored_data(60L)
  data$z <- 1 + 1e-3 * rnorm(60) + sin(3 * data$x)
  fit <- fit_scored(data = data)
  found <- sandwich_of(fit)
  free <- which(found$problem$free & !fit$parameters$at_boundary)
  axes <- sandwich_axes(found$problem, found$working, free)
  precision <- prior_precision(with_default_priors(found$problem), found$working)[free]
  widest <- max(eigen(tcrossprod(axes) * sqrt(outer(precision, precision)))$values)
  expect_lt(widest, 1 + 1e-8)
  expect_true(all(is.finite(predict(fit, new_places, parameters = "integrated")$sd)))
})

test_extended("rows left out, folds, draws and areas are integrated as well", {
  fit <- fit_scored()
  design <- integrated_fits(fit, plain_context(1L))
  density <- sapply(design$fits, function(one) {
    exp(predictive_log_density(fit$data$y, left_out(one$method, one)$distribution))
  })
  expect_equal(scores(fit, parameters = "integrated")$log_score, -mean(log(rowMeans(density))),
    tolerance = 1e-8)
  folds <- cross_validate(fit, folds = 3L, parameters = "integrated")
  expect_true(all(is.finite(folds$predictions$sd)))
  drawn <- simulate(fit, nsim = 200L, newdata = new_places, seed = 1L, parameters = "integrated")
  expect_equal(unname(rowMeans(as.matrix(drawn[paste0("sim_", 1:200)]))),
    predict(fit, new_places, parameters = "integrated")$mean, tolerance = 0.5)
  square <- sf::st_sf(h = 0, geometry = unit_squares(1L))
  area <- predict(fit, square, spacing = 1 / 10, parameters = "integrated")
  expect_gt(area$sd, predict(fit, square, spacing = 1 / 10)$sd)
  ranges <- fit_scored(z ~ 1, covariance = cov_matern(nu = 1.5, ard = TRUE))
  expect_length(integrated_fits(ranges, plain_context(1L))$fits, 64L)
  by_score <- fit_scored(method = loo_k(20, trend = "score"))
  expect_true(all(is.finite(predict(by_score, new_places, parameters = "integrated")$sd)))
})

test_that("parameters of loo_k() without a sandwich covariance are refused by class", {
  refused <- function(fit, newdata = new_places) {
    expect_error(predict(fit, newdata, parameters = "integrated"),
      class = "neargp_error_parameters")
  }
  data <- scored_data(40L, 10L)
  data$g <- factor(rep(1:5, 10))
  refused(fit_scored(data = data, method = loo_k(10, leave_out = "row")))
  refused(fit_scored(z ~ h + (1 | g), data, method = loo_k(10)), transform(new_places, g = "1"))
  data$count <- rpois(50, exp(data$z / 3))
  refused(fit_scored(count ~ h, data, method = loo_k(10), family = poisson()))
  refused(fit_scored(data = data, covariance = cov_exponential(variance = 1, range = 0.2),
    nugget = 1))
  refused(fit_scored(data = data, method = mll_k(10)))
})
