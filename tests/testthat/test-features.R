# features(): the coordinates that predictors become against their definitions, fits against dense
# algebra, what they may not depend on, and the term of the formula.

soil <- function(n = 40L) {
  set.seed(7)
  x <- matrix(rnorm(n * 4L), n)
  rows <- data.frame(x = runif(n), y = runif(n), a = x[, 1L], b = exp(x[, 2L] + x[, 1L]),
    c = 100 * x[, 3L]^3, kind = factor(sample(c("clay", "sand", "silt"), n, TRUE)))
  rows$z <- 3 + rows$a + sin(2 * x[, 2L]) + (rows$kind == "sand") + cos(3 * rows$x) + 0.3 * x[, 4L]
  rows
}

standardised <- function(x) (x - mean(x)) / sd(x)
ranked <- function(x) qnorm((rank(x) - 0.5) / length(x))

# The covariance of ?cov_features at rows Z of the fit and `at`, from its parameters by name.
dense_features <- function(p, Z, at, power, coords = NULL, coords_at = NULL) {
  parts <- eigen(tcrossprod(Z), symmetric = TRUE)
  kept <- parts$values > 1e-7 * parts$values[1L]
  K <- matrix(0, nrow(at), nrow(Z))
  squares <- function(a, b) outer(rowSums(a^2), rowSums(b^2), "+") - 2 * tcrossprod(a, b)
  distance <- function(a, b) sqrt(pmax(squares(a, b), 0))
  for (g in power) {
    U <- parts$vectors[, kept, drop = FALSE]
    s <- sqrt(parts$values[kept])
    t <- sweep(U, 2L, s^g, "*")
    t_at <- sweep((at %*% t(Z)) %*% U, 2L, s^(g - 2), "*")
    v <- function(name) p[[sprintf("%s_%.3g", name, g)]]
    r <- distance(t_at, t) / sqrt(mean(as.vector(dist(t))^2)) / v("range_smooth")
    K <- K + v("variance_linear") * tcrossprod(t_at, t) / mean(rowSums(t^2)) +
      v("variance_smooth") * (1 + r) * exp(-r)
  }
  if (is.null(coords)) return(K)
  K + p[["variance_space"]] * exp(-distance(coords_at, coords) / p[["range_space"]])
}

# Universal kriging with a constant mean.
dense_kriging <- function(K, k, nugget, y) {
  inverse <- solve(K + diag(nugget, length(y)))
  mean <- sum(inverse %*% y) / sum(inverse)
  drop(mean + k %*% inverse %*% (y - mean))
}

test_that("linear terms are the inner products of principal scores, and rows of the fit keep theirs", {
  rows <- soil()
  fit <- neargp(z ~ features(a, b, c), rows)
  Z <- sapply(rows[c("a", "b", "c")], ranked)
  coords <- fit$data$coords
  locations <- fit$locations
  for (j in 1:2) {
    size <- coords[, length(locations$embedded_names) + j]
    direction <- coords[, locations$block == feature_block(fit$covariance$components[[2L * j - 1L]],
      locations)]
    linear <- tcrossprod(size * direction) * 2
    parts <- eigen(tcrossprod(Z), symmetric = TRUE)
    vectors <- parts$vectors[, 1:3]
    expected <- vectors %*% diag(parts$values[1:3]^c(1, 0.5)[j]) %*% t(vectors)
    expect_equal(linear, expected / mean(diag(expected)), tolerance = 1e-10)
  }
  expect_equal(embed_coordinates(coords[, 1L, drop = FALSE], locations, data = rows), coords,
    tolerance = 1e-10)
})

test_that("predictions are those of dense kriging", {
  rows <- soil(45L)
  train <- 1:40
  at <- 41:45
  for (power in list(c(1, 0.5), 0.7)) {
    fit <- eval(bquote(neargp(z ~ features(a, b, c, power = .(power)), rows[train, ],
      coords = ~ x + y)))
    p <- coef(fit, what = "covariance")
    scores <- lapply(rows[train, c("a", "b", "c")], ranked)
    Z <- do.call(cbind, scores)
    z_at <- mapply(function(x, s) approx(x[train], s, x[at], rule = 2)$y, rows[c("a", "b", "c")],
      scores)
    coords <- as.matrix(rows[c("x", "y")])
    K <- dense_features(p, Z, Z, power, coords[train, ], coords[train, ])
    k <- dense_features(p, Z, z_at, power, coords[train, ], coords[at, ])
    expect_equal(predict(fit, rows[at, ], parameters = "plug-in")$mean, dense_kriging(K, k,
      p[["nugget"]], rows$z[train]), tolerance = 1e-8)
  }
})

test_that("spectra are standardised, and power 1 with the linear term alone is ridge regression", {
  set.seed(3)
  n <- 20L
  spectrum <- matrix(rnorm(n * 3L), n) %*% matrix(rnorm(3L * 60L), 3L) + 0.01 * rnorm(n * 60L)
  data <- data.frame(y = spectrum[, 1L] + rnorm(n) / 10, w = spectrum)
  fit <- neargp(y ~ features(., power = 1), data)
  expect_false(fit$locations$features$recipe$scores)
  Z <- apply(spectrum, 2L, standardised)
  linear <- fit$data$coords[, fit$locations$block == 3L] * fit$data$coords[, ncol(fit$data$coords)]
  # (Z Z' + l I)^-1 and ridge coefficients (Z'Z + l I)^-1 Z'y
  G <- 2 * tcrossprod(linear) * mean(rowSums(Z^2))
  lambda <- 2
  by_kernel <- drop(G %*% solve(G + diag(lambda, n), data$y))
  by_ridge <- drop(Z %*% solve(crossprod(Z) + diag(lambda, ncol(Z)), crossprod(Z, data$y)))
  expect_equal(by_kernel, by_ridge, tolerance = 1e-10)
})

test_that("units of predictors, coordinates and response do not matter", {
  rows <- soil()
  new <- soil(50L)[41:50, ]
  fit <- neargp(z ~ features(a, b, kind), rows, coords = ~ x + y)
  scaled <- function(rows) transform(rows, a = 1000 * a - 5, b = b / 7, x = 50 * x, y = 50 * y,
    z = 10 * z)
  other <- update(fit, data = scaled(rows))
  expect_equal(as.numeric(logLik(other)), as.numeric(logLik(fit)) - 39 * log(10), tolerance = 1e-8)
  expect_equal(predict(other, scaled(new))$mean, 10 * predict(fit, new)$mean, tolerance = 1e-5)
  monotone <- transform(rows, a = exp(a), b = log(b))
  expect_equal(logLik(update(fit, data = monotone)), logLik(fit), tolerance = 1e-8)
})

test_that("constant columns drop out, and levels of a factor are standardised indicators", {
  rows <- transform(soil(), constant = 4)
  fit <- neargp(z ~ features(a, kind), rows)
  expect_equal(logLik(neargp(z ~ features(a, kind, constant), rows)), logLik(fit))
  Z <- cbind(ranked(rows$a), sapply(levels(rows$kind), function(l) standardised(rows$kind == l)))
  p <- coef(fit, what = "covariance")
  K <- dense_features(p, Z, Z, c(1, 0.5))
  expect_equal(fitted(fit), dense_kriging(K, K, p[["nugget"]], rows$z), tolerance = 1e-8,
    ignore_attr = TRUE)
})

test_that("leaving a row out in closed form is a prediction without it", {
  rows <- soil(25L)
  fit <- neargp(z ~ features(a, b), rows)
  left_out <- cross_validate(fit, folds = seq_len(25L), parameters = "plug-in")$predictions
  expect_equal(loo_predict(fit, parameters = "plug-in")$mean, left_out$mean, tolerance = 1e-8)
})

test_that("families with parameters of their own take features by default", {
  set.seed(5)
  inputs <- as.data.frame(matrix(rnorm(40 * 12), 40))
  names(inputs) <- paste0("s", 1:12)
  data <- cbind(inputs, count = rpois(40, exp(inputs$s1 / 2)))
  for (family in list(negative_binomial(), zi_poisson(), student_t())) {
    fit <- suppressMessages(neargp(count ~ 1, data, coords = names(inputs), family = family))
    expect_s3_class(fit$covariance, "neargp_covariance")
    expect_gt(cor(predict(fit, data, type = "link")$mean, data$s1), 0.3)
  }
})

test_extended("folds learn scores from their own rows", {
  rows <- soil(30L)
  fit <- neargp(z ~ features(a, b, c), rows, coords = ~ x + y)
  folds <- rep(1:3, 10L)
  cv <- cross_validate(fit, folds = folds, refit = TRUE)$predictions
  for (fold in 1:3) {
    held <- folds == fold
    known <- update(fit, data = rows[!held, ], start = fit)
    expect_equal(cv$mean[held], predict(known, rows[held, ])$mean, tolerance = 1e-6)
  }
})

test_that("the term names columns as subset() does, and a dot those that are free", {
  rows <- soil()
  used <- function(formula, ...) neargp(formula, rows, ...)$locations$features$names
  expect_identical(used(z ~ features(a:c)), c("a", "b", "c"))
  expect_identical(used(z ~ features(., -kind), coords = ~ x + y), c("a", "b", "c"))
  expect_identical(used(z ~ b + features(.), coords = ~ x + y), c("a", "c", "kind"))
  expect_identical(used(z ~ (1 | kind) + features(-x, -y)), c("a", "b", "c"))
  expect_identical(used(z ~ 1, coords = ~ a + b + c, covariance = cov_features()),
    c("a", "b", "c"))
})

test_that("importance leaves predictors out of the term, and out of coordinates that are predictors", {
  rows <- soil()
  fits <- list(neargp(z ~ features(a, b, c), rows),
    neargp(z ~ 1, rows, coords = ~ a + b + c, covariance = cov_features()))
  without <- update(fits[[1L]], z ~ features(b, c), start = NULL)
  for (fit in fits) {
    lost <- variable_importance(fit, by = "refit")
    expect_setequal(lost$variable, c("a", "b", "c"))
    by_estimates <- vapply(list(without, fit),
      function(one) scores(one, parameters = "plug-in")$log_score, 0)
    expect_equal(lost$loss[lost$variable == "a"], -diff(by_estimates), tolerance = 1e-6)
  }
})

test_that("update() keeps the term", {
  rows <- soil()
  fit <- neargp(z ~ features(a, b), rows)
  expect_identical(deparse1(formula(update(fit, . ~ . + c))), "z ~ c + features(a, b)")
  expect_identical(names(update(fit, . ~ . + c)$beta), c("(Intercept)", "c"))
})

test_that("sf data give the coordinates", {
  skip_if_not_installed("sf")
  rows <- soil()
  points <- sf::st_as_sf(rows, coords = c("x", "y"), crs = 32633)
  fit <- neargp(z ~ features(.), points)
  expect_identical(fit$locations$features$names, c("a", "b", "c", "kind"))
  expect_equal(predict(fit, points)$mean,
    predict(neargp(z ~ features(.), rows, coords = ~ x + y), rows)$mean, tolerance = 1e-6)
})

test_that("rasters of predictors are predicted, with and without coordinates", {
  skip_if_not_installed("terra")
  rows <- soil()
  raster <- terra::rast(nrows = 2, ncols = 3, xmin = 0, xmax = 1, ymin = 0, ymax = 1, nlyrs = 2,
    names = c("a", "b"), vals = rows$a[1:12]^2, crs = "")
  cells <- terra::as.data.frame(raster, xy = TRUE)
  for (coords in list(NULL, ~ x + y)) {
    fit <- neargp(z ~ features(a, b), rows, coords = coords)
    expect_equal(terra::values(predict(fit, raster))[, "mean"], predict(fit, cells)$mean)
  }
})

test_that("means of areas take the predictors of the points", {
  skip_if_not_installed("sf")
  skip_if_not_installed("terra")
  rows <- soil()
  fit <- neargp(z ~ features(a, b), rows, coords = ~ x + y)
  square <- sf::st_polygon(list(rbind(c(0, 0), c(1, 0), c(1, 1), c(0, 1), c(0, 0))))
  area <- sf::st_sf(a = 0.3, b = 1, geometry = sf::st_sfc(square))
  points <- expand.grid(x = (1:30 - 0.5) / 30, y = (1:30 - 0.5) / 30, a = 0.3, b = 1)
  expect_equal(predict_areas(fit, area)$mean, mean(predict(fit, points)$mean), tolerance = 1e-3)
})

test_that("mistakes are told", {
  rows <- soil()
  expect_error(neargp(z ~ features(a, wrong), rows), class = "neargp_error_columns")
  expect_error(neargp(z ~ features(), rows), class = "neargp_error_formula")
  expect_error(neargp(z ~ features(a) + features(b), rows), class = "neargp_error_formula")
  expect_error(neargp(z ~ log(features(a)), rows), class = "neargp_error_formula")
  expect_error(neargp(z ~ b - features(a), rows), class = "neargp_error_formula")
  expect_error(neargp(z ~ features(a), transform(rows, a = 1)), class = "neargp_error_formula")
  expect_error(neargp(z ~ features(a), transform(rows, a = replace(a, 2, Inf))),
    class = "neargp_error_missing_values")
  expect_error(cov_features(power = 2), class = "neargp_error_argument")
  expect_error(neargp(z ~ features(a), rows, method = vecchia()), class = "neargp_error_formula")
  expect_error(neargp(cbind(z, a) ~ features(b), rows), class = "neargp_error_formula")
  expect_error(neargp(z ~ features(a), transform(rows, day = 1:40), time = ~ day),
    class = "neargp_error_coordinates")
  fit <- neargp(z ~ features(a, kind), rows)
  expect_error(covariance_value(fit, 1), class = "neargp_error_argument")
  expect_error(predict(fit, rows["a"]), class = "neargp_error_newdata")
  expect_error(predict(fit, transform(rows, kind = "peat")), class = "neargp_error_newdata")
  expect_identical(is.na(predict(fit, transform(rows, a = replace(a, 2, NA)))$mean),
    seq_len(40L) == 2L)
  dropped <- neargp(z ~ features(a), transform(rows, a = replace(a, 2, NA)))
  expect_identical(nobs(dropped), 39L)
})
