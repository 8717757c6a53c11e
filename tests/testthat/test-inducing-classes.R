# Classes by svgp(): several fields with one covariance and one set of inducing points.

flowers <- iris[seq(1L, 150L, by = 3L), ]

class_fit <- function(data = flowers, method = svgp(15), formula = Species ~ 1,
                      covariance = cov_matern(nu = 2.5), link = "softmax", ...) {
  neargp(formula, data, coords = ~ Petal.Length + Petal.Width, method = method,
    covariance = covariance, family = categorical(link), verbose = FALSE, ...)
}

held_covariance <- function(variance = 4) cov_matern(nu = 2.5, variance = variance, range = 2)

# The tilted bound on E log sum exp of independent normals, a row for each, by its damped fixed
# point: value and minimum.
reference_tilted <- function(mean, variance) {
  a <- exp(mean) / rowSums(exp(mean))
  for (step in 1:500) {
    tilted <- exp(mean + (1 - 2 * a) * variance / 2)
    a <- (a + tilted / rowSums(tilted)) / 2
  }
  list(value = rowSums(a^2 * variance) / 2 + log(rowSums(exp(mean + (1 - 2 * a) * variance / 2))),
    at = a)
}

test_extended("with an inducing point at each row the bound is that of variational inference with dense matrices", {
  data <- flowers[c(1:5, 18:23, 36:42), ]
  places <- as.matrix(data[c("Petal.Length", "Petal.Width")])
  data <- data[!duplicated(places), ]
  places <- unique(places)
  fit <- class_fit(data, svgp(places, move = FALSE, jitter = 1e-6, bound = "standard"),
    covariance = held_covariance())
  n <- nrow(data)
  prior <- dense_covariance(places, places, fit$core_covariance)
  lower <- t(chol(prior + diag(1e-6 * 4, n)))
  A <- forwardsolve(lower, prior)
  rest <- 4 - colSums(A^2)
  y <- outer(as.integer(data$Species), 1:3, "==") * 1
  triangle <- lower.tri(lower, diag = TRUE)
  # of means, roots of covariance matrices by their lower triangles, and intercepts
  unpack <- function(x) {
    roots <- lapply(1:3, function(c) replace(matrix(0, n, n), triangle,
      x[3 * n + (c - 1) * sum(triangle) + seq_len(sum(triangle))]))
    list(m = matrix(x[seq_len(3 * n)], n), roots = roots, beta = utils::tail(x, 3L))
  }
  at <- function(x) {
    q <- unpack(x)
    mean <- crossprod(A, q$m) + rep(q$beta, each = n)
    variance <- rest + vapply(q$roots, function(root) colSums(crossprod(root, A)^2), double(n))
    tilted <- reference_tilted(mean, variance)
    kl <- sum(vapply(1:3, function(c) sum(q$roots[[c]]^2) + sum(q$m[, c]^2) - n -
      2 * sum(log(abs(diag(q$roots[[c]])))), 0)) / 2
    slope <- y - tilted$at
    curvature <- tilted$at * (1 - tilted$at)
    d_roots <- lapply(1:3, function(c) {
      root <- q$roots[[c]]
      (-A %*% (curvature[, c] * crossprod(A, root)) - root + diag(1 / diag(root)))[triangle]
    })
    list(value = sum(y * mean) - sum(tilted$value) - kl,
      gradient = c(A %*% slope - q$m, unlist(d_roots), colSums(slope)))
  }
  start <- c(double(3 * n), rep(diag(0.5, n)[triangle], 3L), double(3L))
  found <- stats::optim(start, function(x) -at(x)$value, function(x) -at(x)$gradient,
    method = "BFGS", control = list(maxit = 1000, reltol = 1e-14))
  expect_equal(fit$log_likelihood, -found$value, tolerance = 1e-7)
  best <- unpack(found$par)
  linear_predictor <- crossprod(A, best$m) + rep(best$beta, each = n)
  expect_equal(fit$svgp$at_data$linear_predictor,
    unname(linear_predictor - rowMeans(linear_predictor)), tolerance = 1e-3)
})

# In whitened coordinates, the difference of two fields is binomial()'s field, of twice the
# variance. The best distribution of their sum is its prior. A product of distributions of the two
# fields is at best as good as the product of these two, so that the objective is at most
# binomial()'s. Two independent fields with the covariance of binomial()'s q(w) reach at least that
# objective, less the divergence of the sum and the loss by the tilted bound.
test_that("two classes have the bound of binomial() but for what independent fields and the tilted bound lose", {
  data <- flowers[flowers$Species != "setosa", ]
  data$Species <- droplevels(data$Species)
  places <- as.matrix(data[seq(1L, nrow(data), by = 3L), c("Petal.Length", "Petal.Width")])
  method <- svgp(unique(places), move = FALSE, bound = "standard", std_error = FALSE)
  two <- class_fit(data, method, covariance = held_covariance(4))
  one <- neargp(Species ~ 1, data, coords = ~ Petal.Length + Petal.Width, method = method,
    covariance = held_covariance(8), family = binomial())
  B <- tcrossprod(one$svgp$factor)
  divergence <- (sum(diag(solve(B))) - nrow(B) + determinant(B)$modulus) / 2
  mean <- one$posterior$linear_predictor
  known <- inducing_moments(one, one$data$coords, plain_context())
  variance <- known$unexplained + known$posterior
  exact <- mapply(function(m, s) stats::integrate(function(z) stats::dnorm(z) *
    log1p(exp(m + sqrt(s) * z)), -8, 8, rel.tol = 1e-9)$value, mean, variance)
  tilted <- reference_tilted(cbind(-mean, mean) / 2, cbind(variance, variance) / 2)$value + mean / 2
  lost <- as.numeric(divergence + sum(tilted - exact))
  expect_true(all(tilted >= exact))
  expect_lte(two$log_likelihood, one$log_likelihood + 1e-6)
  expect_gte(two$log_likelihood, one$log_likelihood - lost)
  expect_lt(max(abs(predict(two, data)[[2L]] - predict(one, data)$mean)), 0.1)
  expect_equal(unname(diff(two$beta["(Intercept)", ])), unname(one$beta), tolerance = 0.2)
})

test_extended("predictions are probabilities, each of its row alone, on any number of threads and after saveRDS()", {
  fit <- class_fit(threads = 1L)
  prob <- predict(fit, iris)
  expect_named(prob, paste0("prob_", levels(iris$Species)))
  expect_equal(rowSums(prob), rep(1, 150), tolerance = 1e-12, ignore_attr = TRUE)
  expect_identical(predict(fit, iris[77, ]), prob[77, ])
  expect_identical(predict(fit, iris, type = "class")$class,
    factor(levels(iris$Species)[max.col(prob)], levels(iris$Species)))
  expect_gt(scores(fit, iris)$accuracy, 0.94)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), iris[1:5, ]), prob[1:5, ])
  again <- class_fit(threads = 2L)
  same <- c("log_likelihood", "parameters", "beta", "svgp", "classifier")
  expect_identical(again[same], fit[same])
  further <- class_fit(start = fit)
  expect_equal(further$log_likelihood, fit$log_likelihood, tolerance = 1e-3)
  expect_lt(further$convergence$evaluations, fit$convergence$evaluations)
})

test_that("the order of the levels plays no part", {
  data <- flowers
  data$Species <- factor(data$Species, levels = rev(levels(data$Species)))
  fit <- class_fit(covariance = held_covariance(), method = svgp(15, move = FALSE))
  other <- class_fit(data, covariance = held_covariance(), method = svgp(15, move = FALSE))
  expect_equal(other$log_likelihood, fit$log_likelihood, tolerance = 1e-10)
  expect_equal(predict(other, iris)[3:1], predict(fit, iris), tolerance = 1e-6)
})

test_extended("leave-one-out probabilities are near to those of a fit without the row", {
  method <- svgp(as.matrix(flowers[seq(1, 50, by = 4), c("Petal.Length", "Petal.Width")]),
    move = FALSE, std_error = FALSE)
  fit <- class_fit(method = method, covariance = held_covariance())
  loo <- loo_predict(fit)
  expect_equal(scores(fit), scores(flowers$Species, prob = loo[1:3]))
  for (row in c(3, 24, 36, 45)) {
    without <- class_fit(flowers[-row, ], method, covariance = held_covariance())
    expect_lt(max(abs(unlist(loo[row, 1:3]) - unlist(predict(without, flowers[row, ])))), 0.03)
  }
  expect_output(print(summary(fit)), "observed")
})

test_extended("a fold's rows are predicted from the others, parameters and inducing points held", {
  fit <- class_fit()
  folds <- rep(1:5, 10)
  validated <- cross_validate(fit, folds = folds)
  held <- folds == 2
  given <- stats::coef(fit, what = "covariance")
  again <- class_fit(flowers[!held, ], svgp(as.matrix(fit$inducing), move = FALSE),
    covariance = cov_matern(nu = 2.5, variance = given[["variance"]], range = given[["range"]]))
  predictions <- validated$predictions[validated$predictions$fold == 2, ]
  expect_equal(predictions[startsWith(names(predictions), "prob_")],
    predict(again, flowers[held, ]), tolerance = 1e-5, ignore_attr = TRUE)
  expect_s3_class(cross_validate(fit, folds = folds, refit = TRUE), "neargp_class_cv")
  expect_error(cross_validate(fit, folds = as.integer(flowers$Species)), "no row of the category",
    class = "neargp_error_folds")
})

test_that("a trend has coefficients for each class, whatever the scale of its columns, and they sum to zero", {
  data <- flowers
  data$year <- 2000 + data$Sepal.Length
  fit <- class_fit(formula = Species ~ Sepal.Length, method = svgp(15, move = FALSE),
    covariance = held_covariance())
  moved <- class_fit(data, formula = Species ~ year, method = svgp(15, move = FALSE),
    covariance = held_covariance())
  expect_equal(rowSums(fit$beta), c(`(Intercept)` = 0, Sepal.Length = 0), tolerance = 1e-8)
  expect_equal(unname(moved$beta["year", ]), unname(fit$beta["Sepal.Length", ]), tolerance = 1e-5)
  data_at <- transform(iris, year = 2000 + Sepal.Length)
  expect_equal(predict(moved, data_at), predict(fit, iris), tolerance = 1e-5)
  expect_length(stats::coef(fit), 6L)
  expect_true(all(diag(vcov(fit)) > 0))
  expect_identical(nrow(generics::tidy(fit)), 9L)
  expect_output(print(fit), "Trend (linear predictors of the classes, softmax link):", fixed = TRUE)
  printed <- utils::capture.output(print(summary(fit)))
  expect_match(printed, "^setosa:Sepal.Length .*[0-9]", all = FALSE)
  expect_equal(coef(summary(fit))[, "Std. Error"], sqrt(diag(vcov(fit))))
  expect_match(printed, "Leave-one-out predictions of all", fixed = TRUE, all = FALSE)
})

test_extended("robust-max has the variance for its unit, and predictions of its own", {
  fit <- class_fit(link = "robust-max", method = svgp(10, move = FALSE))
  expect_identical(stats::coef(fit, "covariance")[["variance"]], 1)
  prob <- predict(fit, iris)
  expect_equal(rowSums(prob), rep(1, 150), tolerance = 1e-12, ignore_attr = TRUE)
  expect_gte(min(prob), 5e-4)
  expect_gt(scores(fit, iris)$accuracy, 0.94)
})

test_extended("separated classes have finite fits that tell them apart", {
  set.seed(2)
  data <- data.frame(x = c(runif(30), runif(30, 3, 4), runif(30, 6, 7)), y = runif(90),
    class = factor(rep(c("a", "b", "c"), each = 30)))
  fit <- suppressWarnings(neargp(class ~ 1, data, coords = ~ x + y, method = svgp(20),
    family = categorical()))
  expect_true(is.finite(fit$log_likelihood))
  expect_identical(predict(fit, data, type = "class")$class, data$class)
})

test_extended("a factor of two levels is a binomial() response, with what there is for classes", {
  data <- droplevels(flowers[flowers$Species != "setosa", ])
  expect_message(fit <- neargp(Species ~ 1, data, coords = ~ Petal.Length + Petal.Width,
    method = svgp(10, move = FALSE)), "binomial", class = "neargp_message_method")
  expect_identical(fit$family$family, "binomial")
  expect_identical(dim(confusion_table(fit, data)), c(2L, 2L))
  expect_gt(sum(diag(confusion_table(fit, data))), 30)
  expect_s3_class(calibration_curve(fit), "data.frame")
  by_classes <- class_fit(data, svgp(10, move = FALSE))
  expect_lt(abs(scores(by_classes, data)$log_loss - scores(data$Species,
    prob = predict(fit, data)$mean)$log_loss), 0.05)
})

test_extended("what classes by svgp() cannot be is refused", {
  fit <- class_fit(method = svgp(10, move = FALSE), covariance = held_covariance())
  expect_error(predict(fit, iris, k = 3), class = "neargp_error_argument")
  expect_error(loo_predict(fit, k = 3), class = "neargp_error_argument")
  expect_error(simulate(fit), class = "neargp_error_family")
  expect_error(residuals(fit), class = "neargp_error_family")
  for (method in list(ppgpr(), swsgp())) {
    expect_error(class_fit(method = method), "loo_k\\(\\), svgp\\(\\) and odvgp\\(\\)",
      class = "neargp_error_family")
  }
  expect_error(class_fit(method = loo_k(), link = "robust-max"), "softmax",
    class = "neargp_error_family")
  expect_error(categorical("probit"), class = "neargp_error_argument")
  expect_error(class_fit(nugget = 0.1), class = "neargp_error_argument")
  expect_error(class_fit(formula = Species ~ offset(Sepal.Length)), "offset",
    class = "neargp_error_formula")
  expect_error(class_fit(formula = Sepal.Width ~ 1), "factor", class = "neargp_error_response")
  expect_error(class_fit(flowers[flowers$Species == "setosa", ]), "only one class",
    class = "neargp_error_response")
  few <- flowers[c(1:17, 18:34, 35:37), ]
  expect_warning(class_fit(few, svgp(10, move = FALSE), covariance = held_covariance()),
    "virginica \\(3\\)", class = "neargp_warning_classes")
})

test_extended("a posterior that has not settled is told by print()", {
  data <- withr::with_seed(1, data.frame(x = stats::runif(60), y = stats::runif(60)))
  data$class <- cut(data$x, 3, labels = c("a", "b", "c"))
  fit <- neargp(class ~ 1, data, coords = ~ x + y, method = svgp(8), family = categorical(),
    verbose = FALSE)
  expect_true(fit$svgp$settled)
  expect_false(any(grepl("not settled", capture.output(print(fit)))))
  fit$svgp$settled <- FALSE
  expect_output(print(fit), "not settled after 100 steps")
})

test_extended("a class of two rows has no trend by robust-max, and a small probability by softmax", {
  set.seed(1)
  data <- data.frame(Petal.Length = runif(100), Petal.Width = runif(100))
  data$Species <- ifelse(data$Petal.Length + rnorm(100, sd = 0.1) > 0.5, "a", "b")
  data$Species[c(20, 70)] <- "c"
  expect_error(suppressWarnings(class_fit(data, svgp(10, std_error = FALSE),
    link = "robust-max")), class = "neargp_error_classes")
  fit <- suppressWarnings(class_fit(data, svgp(10, std_error = FALSE)))
  expect_lt(mean(predict(fit, data)$prob_c), 0.1)
})

test_extended("by robust-max the unit of a covariate does not matter", {
  fit <- function(unit) {
    data <- transform(flowers, h = unit * Sepal.Width)
    class_fit(data, svgp(8, move = FALSE, std_error = FALSE), Species ~ h, held_covariance(1),
      "robust-max")
  }
  once <- fit(1)
  fine <- fit(1e-4)
  expect_equal(fine$log_likelihood, once$log_likelihood, tolerance = 1e-8)
  expect_equal(fine$classifier$trend[2L, ], 1e4 * once$classifier$trend[2L, ], tolerance = 1e-6)
})
