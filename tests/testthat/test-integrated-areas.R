# Means over areas with the covariance parameters integrated over their posterior.

normal_of_areas <- function(n = 40L, covariance = cov_exponential(), ...) {
  set.seed(5)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / 0.3)), rnorm(n)))
  data$z <- 2 + 0.4 * data$h + field + rnorm(n, sd = 0.3)
  suppressMessages(neargp(z ~ h, data, coords = ~ x + y, covariance = covariance, threads = 1L,
    verbose = FALSE, ...))
}

counts_of_areas <- function(family = poisson(), method = vnngp(), draw = rpois, n = 40L, ...) {
  set.seed(2)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / 0.3)), rnorm(n)))
  data$z <- draw(n, exp(0.5 + 0.4 * data$h + field))
  formula <- if (family$family == "binomial") cbind(z, 9 - z) ~ h else z ~ h
  suppressMessages(suppressWarnings(neargp(formula, data, coords = ~ x + y, family = family,
    method = method, covariance = cov_exponential(), threads = 1L, verbose = FALSE, ...)))
}

four_squares <- function() sf::st_sf(h = c(-1, 0, 0.5, 1), geometry = unit_squares(2L))

# Mean and sd of the mixture of the areas by each fit of the design, with the moments of each.
mixture_by_fits <- function(fit, ...) {
  design <- suppressMessages(integrated_fits(fit, plain_context(1L)))
  areas <- suppressMessages(lapply(design$fits, function(one) {
    predict_areas(one, four_squares(), ..., parameters = "plug-in")
  }))
  weights <- exp(design$log_weights)
  means <- sapply(areas, `[[`, "mean")
  sds <- sapply(areas, `[[`, "sd")
  mean <- drop(means %*% weights)
  list(mean = mean, sd = sqrt(drop((sds^2 + (means - mean)^2) %*% weights)), means = means,
    sds = sds, weights = weights)
}

test_that("means of areas are those of their points, and integrated by default for few rows", {
  fit <- normal_of_areas(method = exact_gp())
  areas <- predict(fit, four_squares(), spacing = 1 / 8, interval = "confidence")
  points <- square_points(2L, 4L)
  points$h <- four_squares()$h[points$area]
  given <- predict(fit, points, type = "link", local_mean = FALSE, parameters = "integrated")
  means <- tapply(given$mean, points$area, mean)
  expect_lt(max(abs(areas$mean - means) / areas$sd), 1e-6)
  expect_identical(predict(fit, four_squares(), spacing = 1 / 8, interval = "confidence",
    parameters = "integrated"), areas)
  plain <- predict(fit, four_squares(), spacing = 1 / 8, parameters = "plug-in")
  expect_true(all(areas$sd > plain$sd))
  expect_equal(predict(fit, four_squares(), spacing = 1 / 8, joint = TRUE)$sd, plain$sd,
    tolerance = 1e-10)
})

test_extended("means and totals have the mixture of the areas by each fit", {
  fit <- normal_of_areas(method = exact_gp())
  found <- predict(fit, four_squares(), fun = "sum", spacing = 1 / 6, interval = "confidence",
    threshold = 0.5)
  by_fits <- mixture_by_fits(fit, fun = "sum", spacing = 1 / 6)
  expect_equal(found$mean, by_fits$mean, tolerance = 1e-10)
  expect_equal(found$sd, by_fits$sd, tolerance = 1e-10)
  beyond <- pnorm(0.5, by_fits$means, by_fits$sds, lower.tail = FALSE)
  expect_equal(found$p_exceed, drop(beyond %*% by_fits$weights), tolerance = 1e-10)
  below <- pnorm(found$lower, by_fits$means, by_fits$sds)
  expect_equal(drop(below %*% by_fits$weights), rep(0.025, 4L), tolerance = 1e-8)
})

test_extended("parts of the field are integrated, and rows are few below 100", {
  fit <- normal_of_areas(method = exact_gp())
  for (type in c("trend", "process")) {
    found <- predict_areas(fit, four_squares(), spacing = 1 / 4, type = type)
    by_fits <- mixture_by_fits(fit, spacing = 1 / 4, type = type)
    expect_equal(found$mean, by_fits$mean, tolerance = 1e-10)
    expect_equal(found$sd, by_fits$sd, tolerance = 1e-10)
  }
  many <- normal_of_areas(100L)
  expect_identical(predict(many, four_squares()), predict(many, four_squares(),
    parameters = "plug-in"))
  fixed <- normal_of_areas(method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 0.3))
  expect_identical(predict(fixed, four_squares()), predict(fixed, four_squares(),
    parameters = "plug-in"))
})

test_that("the joint covariance of areas is refused, and unknown parameters are", {
  fit <- normal_of_areas(method = exact_gp())
  expect_error(predict(fit, four_squares(), joint = TRUE, parameters = "integrated"), "joint",
    class = "neargp_error_argument")
  expect_error(predict(fit, four_squares(), parameters = "all"), class = "neargp_error_argument")
  expect_error(predict(normal_of_areas(method = mll_k(10)), four_squares(),
    parameters = "integrated"), class = "neargp_error_parameters")
})

test_that("draws are allotted in proportion to the weights", {
  weights <- c(0.5, 0.25, 0.2, 0.0499, 0.0001)
  expect_identical(allotted_draws(weights, 1000L), c(500L, 250L, 200L, 50L, 0L))
  for (count in c(2L, 7L, 1001L)) {
    draws <- allotted_draws(weights, count)
    expect_identical(sum(draws), count)
    expect_lte(max(abs(draws - count * weights)), 1)
  }
})

test_extended("areas of counts have the mean and variance of the mixture", {
  fit <- counts_of_areas()
  found <- predict(fit, four_squares(), spacing = 1 / 8, interval = "confidence", draws = 4000L,
    seed = 1L, parameters = "integrated")
  by_fits <- mixture_by_fits(fit, spacing = 1 / 8, draws = 2L, seed = 1L)
  expect_equal(found$mean, by_fits$mean, tolerance = 1e-10)
  expect_equal(found$sd, by_fits$sd, tolerance = 1e-10)
  plain <- predict(fit, four_squares(), spacing = 1 / 8, interval = "confidence", draws = 4000L,
    seed = 1L, parameters = "plug-in")
  expect_gt(mean(found$upper - found$lower), mean(plain$upper - plain$lower))
  # limits are those of draws with these moments
  drawn <- sqrt((log(found$upper) - log(found$lower))^2 / (2 * qnorm(0.975))^2)
  expect_equal(drawn, sqrt(log1p((found$sd / found$mean)^2)), tolerance = 0.15)
  expect_identical(predict(fit, four_squares(), spacing = 1 / 8, interval = "confidence",
    draws = 4000L, seed = 1L, parameters = "integrated"), found)
  total <- predict(fit, four_squares(), spacing = 1 / 8, fun = "sum", interval = "prediction",
    draws = 4000L, seed = 1L, parameters = "integrated")
  expect_equal(total$mean, found$mean / 4, tolerance = 1e-10)
  expect_true(all(total$upper == round(total$upper)))
})

test_extended("many points are drawn together, with draws for some of the fits only", {
  fit <- counts_of_areas()
  one <- sf::st_sf(h = 0, geometry = unit_squares(1L))
  found <- predict(fit, one, spacing = 1 / 30, draws = 30L, seed = 1L, parameters = "integrated")
  few <- predict(fit, one, spacing = 1 / 10, draws = 3000L, seed = 1L, parameters = "integrated")
  expect_identical(found$points, 900L)
  expect_lt(abs(found$mean - few$mean), 4 * few$sd / sqrt(30))
  expect_gt(found$sd / few$sd, 0.5)
})

test_extended("other families integrate few rows by default, and methods on request", {
  fits <- list(
    counts_of_areas(binomial(), draw = function(n, mean) rbinom(n, 9L, plogis(log(mean)))),
    counts_of_areas(negative_binomial(), draw = function(n, mean) rnbinom(n, 2, mu = mean)),
    counts_of_areas(gaussian(), method = svgp(15)))
  for (fit in fits) {
    by_fits <- mixture_by_fits(fit, spacing = 1 / 4, seed = 1L)
    areas_by <- function(parameters) suppressMessages(predict(fit, four_squares(),
      spacing = 1 / 4, seed = 1L, draws = 2000L, parameters = parameters))
    expect_equal(areas_by("integrated")$mean, by_fits$mean, tolerance = 1e-8)
    expect_equal(areas_by("integrated")$sd, by_fits$sd, tolerance = 0.1)
    by_default <- if (is_gaussian(fit$family)) "plug-in" else "integrated"
    expect_identical(areas_by(NULL), areas_by(by_default))
  }
})

test_that("the default takes parameters as known where areas have very many points", {
  fit <- normal_of_areas(method = exact_gp())
  points <- most_points_of_fits / length(integrated_fits(fit, plain_context())$fits)
  expect_true(integrates_points(fit, floor(points), plain_context()))
  expect_message(expect_false(integrates_points(fit, ceiling(points) + 1, plain_context())),
    "taken as known", class = "neargp_message_parameters")
})
