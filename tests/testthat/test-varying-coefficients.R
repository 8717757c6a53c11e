with_slope <- function(...) cov_matern(1.5) + cov_exponential(by = ~ dose, ...)

varying_covariances <- function() {
  list(
    cov_matern(1.5) + cov_exponential(by = ~ wet),
    cov_exponential(by = ~ wet, ard = TRUE) + cov_matern(1.5),
    cov_matern(2.5, by = ~ height, anisotropy = TRUE),
    cov_matern(1.5, sd = ~ x, by = ~ height, penalty = 1) +
      cov_exponential(by = ~ I(x * y), range = ~ wet, penalty = 1)
  )
}

test_extended("values of all methods are those of dense matrices", {
  expect_dense_values(varying_covariances())
})

test_extended("gradients are those of differences", {
  expect_gradients_of_differences(varying_covariances()[if (nzchar(
    Sys.getenv("NEARGP_EXTENDED_TESTS"))) 1:4 else 1L])
})

test_extended("the latent field of vnngp() has the covariance, jitter included", {
  data <- varying_data(40)
  fit <- varying_fit(with_slope(), vnngp(k = 39L, factor = "exact", jitter = 1e-6), data)
  expect_latent_values(fit, 1e-6 * 1.6)
})

test_that("the likelihood is that of parameters per unit of the column", {
  data <- varying_data(40)
  fit <- varying_fit(with_slope(), exact_gp(), data)
  parts <- dense_parts(fit, data, data)
  S <- parts[[1L]] + outer(data$dose, data$dose) * parts[[2L]] +
    diag(coef(fit, what = "covariance")[["nugget"]], nrow(data))
  r <- data$z - drop(cbind(1, data$dose) %*% coef(fit))
  expect_equal(c(logLik(fit)), -0.5 * (40 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(r * solve(S, r))), tolerance = 1e-8)
})

test_extended("predictions of response and coefficients are dense kriging by all methods", {
  data <- varying_data(40)
  new <- varying_data(5, seed = 6)
  for (method in list(vecchia(k = 39L), exact_gp(), loo_k(k = 39L), mll_k(k = 39L))) {
    fit <- varying_fit(with_slope(), method, data)
    k <- if (is.null(method$k)) NULL else nrow(data)
    expected <- dense_krige(fit$data, fit$core_covariance, fit$nugget, new_target(fit, new)$coords,
      cbind(1, new$dose))
    predicted <- predict(fit, new, type = "link", k = k, parameters = "plug-in")
    expect_equal(predicted$mean, expected$mean, tolerance = 1e-8)
    expect_equal(predicted$sd^2, expected$variance, tolerance = 1e-7)
    wanted <- dense_coefficients(fit, data, new, cbind("(Intercept)" = 1, dose = data$dose))
    # neither the column nor the trend is needed
    found <- predict(fit, new[c("x", "y")], type = "coefficients", k = k)
    expect_equal(found$dose, wanted$dose$mean, tolerance = 1e-8)
    expect_equal(found$dose_sd, wanted$dose$sd, tolerance = 1e-8)
    expect_equal(found[["(Intercept)"]], wanted$intercept$mean, tolerance = 1e-8)
    expect_equal(found[["(Intercept)_sd"]], wanted$intercept$sd, tolerance = 1e-8)
  }
  left <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(loo_predict(fit, k = 39L)[c("mean", "sd")], as.data.frame(left), tolerance = 1e-6,
    ignore_attr = TRUE)
})

test_extended("coefficients are means of the trend and deviations, or deviations alone", {
  data <- varying_data(40)
  new <- varying_data(5, seed = 6)[c("x", "y")]
  for (formula in list(z ~ dose, z ~ 1, z ~ 0 + dose)) {
    fit <- varying_fit(with_slope(), exact_gp(), data, formula)
    X <- stats::model.matrix(formula, data)
    wanted <- dense_coefficients(fit, data, new, X)
    found <- predict(fit, new, type = "coefficients", interval = "confidence", level = 0.9)
    expect_equal(found$dose, wanted$dose$mean, tolerance = 1e-8)
    expect_equal(found$dose_sd, wanted$dose$sd, tolerance = 1e-8)
    expect_equal(found[["(Intercept)"]], wanted$intercept$mean, tolerance = 1e-8)
    expect_equal(found$dose_upper, found$dose + qnorm(0.95) * found$dose_sd)
    expect_identical(
      any(grepl("The trend does not include dose", utils::capture.output(print(fit)))),
      !"dose" %in% colnames(X))
  }
})

test_extended("coefficients of vnngp() of counts are those of a dense posterior", {
  data <- varying_data(40)
  data$count <- stats::qpois(0.5, exp(data$z / 3))
  new <- varying_data(5, seed = 6)
  fit <- suppressWarnings(neargp(count ~ dose, data, coords = ~ x + y, family = poisson(),
    method = vnngp(k = 39L, factor = "exact"), covariance = with_slope(), threads = 1L))
  posterior <- fit$posterior
  at <- match(round(data$dose, 8L),
    round(posterior$coords[, 3L] * by_recipes(fit$locations)[[1L]]$scale, 8L))
  parts <- dense_parts(fit, data, data)
  K <- parts[[1L]] + outer(data$dose, data$dose) * parts[[2L]] + diag(jitter_variance(fit), 40)
  X <- cbind(1, data$dose)
  A <- solve(K) + diag(posterior$pseudo_precision)
  H <- solve(A, posterior$pseudo_precision * X)
  c <- data$dose * dense_parts(fit, data, new)[[2L]]
  b <- solve(K, c)
  d <- matrix(0:1, 5, 2, byrow = TRUE) - crossprod(b, H)
  found <- predict(fit, new, type = "coefficients", k = 40L)
  expect_equal(found$dose, drop(coef(fit)[["dose"]] + crossprod(b, posterior$mean[at])),
    tolerance = 1e-6)
  # given the parameters; vcov() adds their uncertainty
  back <- fit$data$basis$back
  vcov <- back %*% trend_vcov(fit) %*% t(back)
  expect_equal(found$dose_sd^2, coef(fit, what = "covariance")[["variance_2"]] - colSums(c * b) +
    colSums(b * solve(A, b)) + rowSums((d %*% vcov) * d), tolerance = 1e-6)
})

test_extended("a column of ones is no column, and one of 0 and 1 makes independent fields", {
  data <- transform(varying_data(40), one = 1, side = x > 0.5)
  value <- function(covariance) {
    fit <- varying_fit(covariance, exact_gp(), data)
    exact_objective(local_problem_of(fit))$evaluate(elsewhere(fit))$value
  }
  expect_equal(value(cov_matern(1.5) + cov_exponential(by = ~ one)),
    value(cov_matern(1.5) + cov_exponential()), tolerance = 1e-12)
  fit <- varying_fit(cov_exponential(by = ~ side) + cov_exponential(by = ~ I(!side)), exact_gp(),
    data)
  coords <- fit$data$coords
  expect_identical(unname(coords[, 3L] > 0), data$side)
  expect_true(all(dense_covariance(coords, coords, fit$core_covariance)[data$side,
    !data$side] == 0))
})

test_extended("another unit of the column is another unit of the parameters, and no other fit", {
  data <- varying_data(60)
  fit <- function(covariance, ...) {
    neargp(z ~ dose, data, coords = ~ x + y, method = vecchia(k = 10), covariance = covariance,
      threads = 1L, ...)
  }
  prior <- pc_priors(variance_2 = c(0.2, 0.05))
  one <- fit(with_slope(), prior = prior)
  data$dose <- 1000 * data$dose
  other <- fit(with_slope(), prior = pc_priors(variance_2 = c(0.0002, 0.05)))
  expect_equal(c(logLik(other)), c(logLik(one)), tolerance = 1e-8)
  expect_equal(coef(other, what = "covariance")[-4L], coef(one, what = "covariance")[-4L],
    tolerance = 1e-4)
  expect_equal(1e6 * coef(other, what = "covariance")[["variance_2"]],
    coef(one, what = "covariance")[["variance_2"]], tolerance = 1e-4)
  expect_equal(tidy(other)$std.error / tidy(other)$estimate, tidy(one)$std.error /
    tidy(one)$estimate, tolerance = 1e-3)
  data$dose <- data$dose / 1000
  given <- fit(with_slope(variance = 0.004, range = 0.5))
  expect_equal(coef(given, what = "covariance")[["variance_2"]], 0.004)
  expect_equal(covariance_value(given, 0), coef(given, what = "covariance")[["variance_1"]] +
    0.004 * mean(data$dose^2))
})

test_that("draws have the covariance, and the prior's standard deviation follows the column", {
  data <- varying_data(40)
  new <- transform(varying_data(4, seed = 3), dose = c(0, 1, 20, -40))
  fit <- varying_fit(with_slope(), exact_gp(), data, z ~ 0)
  set.seed(1)
  draws <- as.matrix(simulate(fit, nsim = 4000L, newdata = new, conditional = FALSE, type = "link",
    k = 40L)[paste0("sim_", 1:4000)])
  parts <- dense_parts(fit, new, new)
  expected <- parts[[1L]] + outer(new$dose, new$dose) * parts[[2L]]
  scale <- sqrt(diag(expected))
  expect_lt(max(abs(stats::cov(t(draws)) - expected) / outer(scale, scale)), 0.1)
  far <- predict(fit, transform(new, x = 1e6), type = "link", parameters = "plug-in")
  expect_equal(far$sd, scale, tolerance = 1e-8)
})

test_that("a row at which the only component is 0 is that of the trend", {
  data <- varying_data(40)
  data$dose[3:5] <- 0
  fit <- varying_fit(cov_exponential(by = ~ dose), vecchia(k = 8), data, z ~ 0)
  at <- predict(fit, data[3, ], type = "link")
  expect_identical(c(at$mean, at$sd), c(0, 0))
  expect_error(varying_fit(cov_exponential(by = ~ dose), vecchia(k = 8), data, nugget = 0),
    "rows 3, 4 and 5", class = "neargp_error_local")
  skip_unless_extended()
  data$count <- stats::rpois(40, 3)
  expect_false(anyNA(predict(neargp(count ~ 1, data, coords = ~ x + y, family = poisson(),
    method = vnngp(k = 8), covariance = cov_exponential(by = ~ dose)), data)$mean))
})

test_extended("a fit goes through all that others do", {
  data <- varying_data(120)
  fit <- neargp(z ~ dose, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = with_slope())
  shown <- utils::capture.output(print(fit))
  expect_true(any(grepl("variance_2 is per squared unit of dose", shown)))
  expect_true(any(grepl("Exponential, times dose", shown)))
  expect_output(print(with_slope()), "times dose")
  expect_output(print(summary(fit)), "variance_2")
  expect_equal(names(predict(fit, data[1:2, ], type = "coefficients")),
    c("dose", "dose_sd", "(Intercept)", "(Intercept)_sd"))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[3:4, ], type = "coefficients"),
    predict(fit, data[3:4, ], type = "coefficients"))
  expect_equal(c(logLik(update(fit, start = fit))), c(logLik(fit)), tolerance = 1e-4)
  plain <- update(fit, covariance = cov_matern(1.5))
  # no coefficients are learned from held-out rows
  expect_message(cv <- cross_validate(list(varying = fit, plain = plain),
    folds = 3L), NA)
  expect_s3_class(cv, "neargp_cv")
  expect_false(anyNA(confint(fit)))
  missing <- predict(fit, data.frame(x = c(NA, 0.5), y = 0.2), type = "coefficients")
  expect_identical(is.na(missing$dose), c(TRUE, FALSE))
  expect_equal(nrow(predict(fit, data[0, ], type = "coefficients")), 0L)
  expect_match(attr(empirical_variogram(fit), "note"), "root mean square")
  expect_drawn(plot(fit, "coefficients"))
  expect_drawn(plot(fit, "coefficients", what = "sd", newdata = data))
  placeless <- rbind(data[1:5, ], transform(data[6, ], x = NA), data[7:9, ])
  maps <- coefficient_maps(fit, FALSE, placeless, NULL, NULL)
  expect_identical(maps$values[[1L]][c(5:7)], c(predict(fit, data[5, ], type = "coefficients")$dose,
    NA, predict(fit, data[7, ], type = "coefficients")$dose))
  expect_drawn(plot(fit))
  skip_if_not_installed("ggplot2")
  map <- ggplot2::autoplot(fit, "coefficients", newdata = data)
  expect_equal(map$data$value, predict(fit, data, type = "coefficients")$dose)
  expect_identical(map$labels$title, "Coefficient of dose")
})

test_extended("sums over one column are one surface, and random effects and noise go along", {
  data <- transform(varying_data(120), g = factor(rep_len(1:8, 120)))
  fit <- neargp(z ~ dose + (1 | g), data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(1.5) + cov_exponential(by = ~ dose) + cov_gaussian(by = ~ dose),
    nugget = ~ height, control = neargp_control(max_iterations = 3L)) |> suppressWarnings()
  found <- predict(fit, data[1:3, c("x", "y")], type = "coefficients")
  expect_equal(names(found)[1:2], c("dose", "dose_sd"))
  expect_false(anyNA(found))
  at <- fit$layout$kind == "noise"
  expect_equal(fit$layout$covariate_scale[at], sd(data$height))
})

test_extended("rasters give maps of coefficients without layers of the column", {
  skip_if_not_installed("terra")
  fit <- varying_fit(with_slope(), vecchia(k = 8))
  raster <- terra::rast(nrows = 4, ncols = 5, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  found <- predict(fit, raster, type = "coefficients", chunk_size = 10L)
  cells <- as.data.frame(terra::xyFromCell(raster, 1:20))
  expect_equal(as.data.frame(terra::values(found)), predict(fit, cells, type = "coefficients"))
})

test_extended("maps at the cells of a grid are those of its cells as rows", {
  skip_if_not_installed("terra")
  fit <- varying_fit(with_slope(), vecchia(k = 8))
  raster <- terra::rast(nrows = 4, ncols = 5, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  cells <- data.frame(terra::xyFromCell(raster, 1:20), dose = 1)
  expect_equal(coefficient_maps(fit, FALSE, raster, 100, NULL), coefficient_maps(fit, FALSE, cells,
    100, NULL))
  terra::values(raster) <- replace(rep(1, 20), c(3, 7), NA)
  shown <- coefficient_maps(fit, TRUE, raster, 100, NULL)
  expect_equal(shown, coefficient_maps(fit, TRUE, cells[-c(3, 7), ], 100, NULL))
  skip_if_not_installed("stars")
  grid <- stars::st_as_stars(sf::st_bbox(c(xmin = 0, xmax = 1, ymin = 0, ymax = 1)), nx = 5, ny = 4)
  grid$values[c(3, 7)] <- NA
  expect_equal(coefficient_maps(fit, TRUE, grid, 100, NULL), shown)
  terra::crs(raster) <- "EPSG:32632"
  expect_error(plot(fit, "coefficients", newdata = raster), class = "neargp_error_crs")
})

test_extended("what cannot be is refused in one way", {
  data <- transform(varying_data(40), g = rep_len(c("a", "b", "c"), 40), none = 0)
  fit <- function(by, method = vecchia(k = 5)) {
    neargp(z ~ 1, data, coords = ~ x + y, method = method,
      covariance = cov_matern() + cov_matern(by = by))
  }
  expect_error(fit(~ g + dose), "by = ~ I(g == \"a\")", fixed = TRUE, class = "neargp_error_local")
  expect_error(fit(~ dose + height), "cov_matern(by = ~ dose) + cov_matern(by = ~ height)",
    fixed = TRUE, class = "neargp_error_local")
  expect_error(fit(~ poly(dose, 2)), "makes 2", class = "neargp_error_local")
  expect_error(fit(~ 1), "makes 0", class = "neargp_error_local")
  expect_error(fit(~ none), "0 in all rows", class = "neargp_error_local")
  expect_error(fit(~ z), "response", class = "neargp_error_local")
  expect_error(fit(~ absent), "absent", class = "neargp_error_columns")
  expect_error(fit(~ dose, svgp(10)), "`by = ~`", class = "neargp_error_local")
  expect_error(cov_matern(by = "dose"), class = "neargp_error_argument")
  expect_error(cov_matern(by = ~ dose, penalty = 1), class = "neargp_error_argument")
  varying <- varying_fit(with_slope(), vecchia(k = 5), data)
  expect_error(predict(varying, data[c("x", "y")]), "dose", class = "neargp_error_newdata")
  expect_error(predict(varying, transform(data, dose = Inf)), class = "neargp_error_missing_values")
  expect_error(predict(varying, data, type = "coefficients", interval = "prediction"),
    class = "neargp_error_argument")
  expect_error(predict(varying, data, type = "coefficients", parameters = "integrated"),
    class = "neargp_error_argument")
  plain <- varying_fit(cov_matern(), vecchia(k = 5), data)
  expect_error(predict(plain, data, type = "coefficients"), "cov_matern(by = ~ x)", fixed = TRUE,
    class = "neargp_error_local")
  expect_error(plot(plain, "coefficients"), class = "neargp_error_local")
})

test_extended("a map without newdata says that its grid has no covariates of the covariance", {
  data <- transform(simulated_data(40), dose = x * y)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_exponential(1, 0.3, by = ~ dose))
  expect_error(plot(fit, "map"), "dose, which the grid of a map does not.*`newdata`",
    class = "neargp_error_local")
})

test_that("a column of few whole numbers is a slope, and a message names the factor", {
  data <- local_data(60)
  data$year <- rep(2001:2004, 15L)
  data$many <- seq_len(60L)
  fit <- function(by) {
    suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
      covariance = cov_exponential(by = by), control = neargp_control(max_iterations = 1L)))
  }
  expect_message(fit(~ year), "by = ~ factor(year)", fixed = TRUE, class = "neargp_message_by")
  for (by in list(~ many, ~ height, ~ I(as.numeric(year > 2002)))) {
    expect_no_message(fit(by), class = "neargp_message_by")
  }
})
