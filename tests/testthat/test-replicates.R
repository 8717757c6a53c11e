# A dense reference: copies of a process for each year have covariance 0 between years.
survey <- function(n = 90, years = 3, seed = 71) {
  set.seed(seed)
  data <- data.frame(x = runif(n), y = runif(n),
    year = factor(sample(2000 + seq_len(years), n, TRUE)))
  data$z <- sin(4 * data$x) + cos(5 * data$y + as.integer(data$year)) + rnorm(n, sd = 0.1)
  data
}

distances <- function(a, b) sqrt(outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2)
same_year <- function(a, b) outer(as.character(a$year), as.character(b$year), `==`)
matern32 <- function(r) (1 + r) * exp(-r)

dense_normal <- function(y, S) {
  ones <- rep(1, length(y))
  beta <- sum(solve(S, y)) / sum(solve(S, ones))
  list(beta = beta, value = -0.5 * (length(y) * log(2 * pi) + c(determinant(S)$modulus) +
    sum((y - beta) * solve(S, y - beta))))
}

test_that("copies by a factor have the dense likelihood and predictions", {
  data <- survey()
  seen <- data[1:80, ]
  new <- data[81:90, ]
  fit <- neargp(z ~ 1, seen, coords = ~ x + y, method = exact_gp(), nugget = 0.02,
    covariance = cov_matern(variance = 1.5, range = 0.3, by = ~ year))
  covariance <- function(a, b) 1.5 * matern32(distances(a, b) / 0.3) * same_year(a, b)
  S <- covariance(seen, seen) + diag(0.02, 80)
  dense <- dense_normal(seen$z, S)
  expect_equal(c(logLik(fit)), dense$value)
  weights <- solve(S, covariance(seen, new))
  predicted <- predict(fit, new)
  expect_equal(predicted$mean, dense$beta + drop(crossprod(weights, seen$z - dense$beta)))
  expect_equal(predicted$sd^2, 0.02 + 1.5 - colSums(covariance(seen, new) * weights) +
    (1 - colSums(weights))^2 / sum(solve(S, rep(1, 80))))
})

test_that("a process of all years is added to copies of another", {
  data <- survey()
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.02,
    covariance = cov_exponential(variance = 0.7, range = 0.5) +
      cov_matern(variance = 1.5, range = 0.3, by = ~ year))
  S <- 0.7 * exp(-distances(data, data) / 0.5) +
    1.5 * matern32(distances(data, data) / 0.3) * same_year(data, data) + diag(0.02, 90)
  expect_equal(c(logLik(fit)), dense_normal(data$z, S)$value)
})

test_that("estimates are those of a likelihood that is a product over years", {
  data <- survey()
  fit <- neargp(z ~ 0, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(by = ~ year))
  objective <- function(p) {
    S <- exp(p[1]) * matern32(distances(data, data) / exp(p[2])) * same_year(data, data) +
      diag(exp(p[3]), 90)
    0.5 * (90 * log(2 * pi) + c(determinant(S)$modulus) + sum(data$z * solve(S, data$z)))
  }
  best <- optim(c(1, -0.6, -5.4), objective, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(c(logLik(fit)), -best$value, tolerance = 1e-4)
  expect_equal(unname(log(coef(fit, "covariance")[c("variance", "range", "nugget")])), best$par,
    tolerance = 1e-2)
  expect_equal(coef(fit, "covariance")[["range_year"]], replicate_range)
})

test_that("neighbours are of the same year, and more than fifty levels are taken", {
  data <- survey(600, 60)
  covariance <- cov_matern(variance = 1, range = 0.5, by = ~ year)
  near <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 0.05,
    covariance = covariance)
  S <- matern32(distances(data, data) / 0.5) * same_year(data, data) + diag(0.05, 600)
  expect_equal(c(logLik(near)), dense_normal(data$z, S)$value, tolerance = 1e-8)
})

test_that("vnngp() and start values find copies too", {
  data <- survey(300, 4)
  set.seed(72)
  data$count <- rpois(300, exp(1 + data$z))
  separate <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 15),
    covariance = cov_matern(by = ~ year))
  shared <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 15),
    covariance = cov_matern())
  expect_gt(separate$log_likelihood, shared$log_likelihood + 10)
  expect_equal(nrow(predict(separate, data[1:3, ])), 3L)
  expect_named(as.data.frame(raw_positions(separate$data$coords, separate$locations)),
    c("x", "y", "year"))
})

test_that("copies do not take the place of time in priors and starting values", {
  data <- survey()
  data$t <- runif(90, 0, 10)
  fit_with <- function(prior, covariance = cov_matern(by = ~ year)) {
    problem_of_fit(neargp(z ~ 1, data, coords = ~ x + y, time = ~ t, method = exact_gp(),
      covariance = covariance, prior = prior))
  }
  rates <- function(problem) {
    stats::setNames(problem$layout$prior_rate > 0, problem$layout$name)
  }
  of_space <- fit_with(pc_priors(range = c(0.1, 0.05)))
  expect_identical(names(which(rates(of_space))), "range")
  expect_identical(names(which(rates(fit_with(pc_priors(range_time = c(1, 0.05)))))), "range_time")
  scales <- start_scales(of_space)
  expect_identical(with_time_ratio(of_space, scales, 5) / scales, c(1, 5, 1))
})

test_that("calls by text, expressions and other components work alike", {
  data <- survey()
  data$when <- as.integer(as.character(data$year))
  covariance <- function(by) cov_exponential(variance = 1, range = 0.4) +
    cov_matern(variance = 1, range = 0.2, by = by)
  fit_by <- function(by, coords = ~ x + y) neargp(z ~ 1, data, coords = coords, method = exact_gp(),
    nugget = 0.1, covariance = covariance(by))
  expect_equal(logLik(fit_by(~ year)), logLik(fit_by(~ factor(when), c("x", "y"))))
  expect_equal(predict(fit_by(~ factor(when)), data[1:5, ]), predict(fit_by(~ year), data[1:5, ]))
})

test_that("copies that cannot be are refused", {
  data <- survey()
  refused <- function(covariance, coords = ~ x + y, ...) {
    expect_error(neargp(z ~ 1, data, coords = coords, covariance = covariance, ...),
      class = "neargp_error")
  }
  refused(cov_cauchy(by = ~ year))
  refused(cov_matern(by = ~ year), ~ x + y + year)
  refused(cov_matern(by = ~ year + x))
  refused(cov_matern(by = ~ year, range = c(1, 2)))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_matern(by = ~ year))
  expect_error(predict(fit, transform(data[1:2, ], year = "1999")), class = "neargp_error_levels")
})

test_that("inducing points belong to levels, also in the metric of a process of all years", {
  data <- survey(150)
  covariance <- cov_matern(variance = 1, range = 0.3) +
    cov_matern(variance = 0.5, range = 0.2, by = ~ year)
  dense <- function(a, b) matern32(distances(a, b) / 0.3) +
    0.5 * matern32(distances(a, b) / 0.2) * same_year(a, b)
  fit_by <- function(method) neargp(z ~ 1, data, coords = ~ x + y, covariance = covariance,
    nugget = 0.04, method = method)
  fit <- expect_silent(fit_by(svgp(inducing = 60)))
  levels <- fit$svgp$positions[, 3L]
  expect_lt(max(abs(levels - round(levels))), 1e-10)
  weights <- solve(dense(data, data) + diag(0.04, 150), data$z - fit$beta)
  new <- survey(40, seed = 5)
  expect_gt(cor(predict(fit, new)$mean, drop(dense(new, data) %*% weights)), 0.99)
  for (chosen in list(vnngp(k = 10, low_rank = 20L), vnngp(k = 10, inducing = 30L))) {
    reached <- fit_by(chosen)
    points <- reached$posterior$low_rank %||% reached$posterior$coords
    expect_true(all(points[, 3L] %in% 1:3))
  }
})

test_that("the rarest level gets a point", {
  data <- survey(400, 2)
  data$year <- factor(c(rep("a", 3), rep("b", 397)))
  coords <- cbind(data$x, data$y, as.integer(data$year))
  component <- list(family = "matern", variance = 1, range = 0.3, group = c(1L, 1L, 0L),
    anisotropy = double(0), shape = 1.5)
  found <- chosen_positions("kmeans", coords, coords, 10L, component, plain_context(), 3L)
  expect_setequal(found[, 3L], 1:2)
  alone <- chosen_positions("kmeans", coords, coords, 1L, component, plain_context(), 3L)
  expect_true(alone[, 3L] %in% 1:2)
})

test_that("coordinates that a component does not depend on take no part in its scales", {
  coords <- as.matrix(survey()[c("x", "y")])
  coords <- cbind(coords, 1:90)
  expected <- sqrt(mean(apply(coords[, 1:2], 2L, var)))
  expect_equal(group_scales(coords, c(1L, 1L, 0L)), expected)
  expect_equal(group_scales(coords, c(1L, 1L, NA)), expected)
  component <- list(range = c(2, 5), group = c(1L, 0L, 2L))
  expect_equal(range_of_coordinates(component, coords[, c(1, 1, 2)]), c(2, sd(coords[, 1]), 5),
    ignore_attr = TRUE)
})

test_that("default priors of a process of all years are those without copies", {
  data <- survey()
  rate <- function(covariance) {
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10), covariance = covariance)
    problem <- posterior_problem(fit, plain_context(1L))
    sum(problem$layout$prior_rate[problem$layout$name %in% c("range", "range_1")])
  }
  expect_equal(rate(cov_exponential() + cov_gaussian(variance = 0.1, range = 0.1, by = ~ year)),
    rate(cov_exponential()))
})

test_that("a factor with one level is no factor", {
  data <- transform(survey(), one = "a")
  fit_by <- function(...) neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(...))
  expect_equal(logLik(fit_by(by = ~ one)), logLik(fit_by()), tolerance = 1e-6)
  data$x <- data$y <- 1
  expect_error(fit_by(by = ~ year), class = "neargp_error_coordinates")
})

test_that("text that reads as numbers, and names with spaces, are factors", {
  data <- transform(survey(), text = as.character(year))
  data[["the year"]] <- data$year
  fit_by <- function(by) neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_matern(variance = 1, range = 0.2, by = by))
  expected <- fit_by(~ year)
  for (by in c(~ text, ~ `the year`)) {
    fit <- fit_by(by)
    expect_equal(logLik(fit), logLik(expected))
    expect_equal(predict(fit, data[1:5, ]), predict(expected, data[1:5, ]))
  }
})

test_that("covariances that are not 0 between levels are refused", {
  data <- survey()
  refused <- function(covariance, ...) {
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, covariance = covariance, ...),
      class = "neargp_error_covariance")
  }
  refused(cov_wave(by = ~ year))
  refused(cov_matern(by = ~ year), method = dspp())
  for (coords in list(NULL, character(0), "", 3, z ~ x)) {
    expect_error(neargp(z ~ 1, data, coords = coords, covariance = cov_matern(by = ~ year)),
      "coords", class = "neargp_error")
  }
  refused(cov_powered_exponential(power = 0.2, by = ~ year))
  refused(cov_powered_exponential(by = ~ year), fixed = c(power = 0.2))
  refused(cov_matern(by = ~ year:factor(x > 0.5)))
  data$z <- rnorm(90)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_powered_exponential(by = ~ year, start = list(power = 0.5)))
  expect_gte(coef(fit, "covariance")[["power"]], 0.4)
})

test_that("levels do not count as dimensions", {
  data <- transform(survey(), depth = seq(0, 1, length.out = 90))
  range <- 0.6
  fit <- neargp(z ~ 0, data, coords = ~ x + y + depth, method = exact_gp(), nugget = 0.1,
    distance = "euclidean",
    covariance = cov_spherical(variance = 1, range = range, by = ~ year))
  r <- pmin(as.matrix(dist(data[c("x", "y", "depth")])) / range, 1)
  S <- (1 - 1.5 * r + 0.5 * r^3) * same_year(data, data) + diag(0.1, 90)
  expect_equal(c(logLik(fit)), -0.5 * (90 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(data$z * solve(S, data$z))))
})

test_that("several responses may have copies of one structure", {
  data <- transform(survey(60), second = sin(3 * x) + as.integer(year))
  fit <- neargp(cbind(z, second) ~ 1, data, coords = ~ x + y, method = vecchia(k = 59),
    covariance = cov_exponential(range = 0.5) + cov_matern(range = 0.3, by = ~ year))
  shares <- coregionalisation_matrices(fit$core_covariance, c("z", "second"))
  S <- kronecker(shares[[1]], exp(-distances(data, data) / 0.5)) +
    kronecker(shares[[2]], matern32(distances(data, data) / 0.3) * same_year(data, data)) +
    diag(rep(coef(fit, "covariance")[c("nugget_z", "nugget_second")], each = 60))
  X <- kronecker(diag(2), rep(1, 60))
  y <- c(data$z, data$second)
  r <- y - X %*% solve(t(X) %*% solve(S, X), t(X) %*% solve(S, y))
  expect_equal(c(logLik(fit)), -0.5 * (120 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(r * solve(S, r))), tolerance = 1e-3)
})

test_that("variograms are of pairs of one level", {
  data <- survey()
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(by = ~ year))
  found <- empirical_variogram(fit, cutoff = 0.4, width = 0.1)
  apart <- distances(data, data)
  pair <- upper.tri(apart) & same_year(data, data) & apart <= 0.4
  halves <- 0.5 * outer(data$z, data$z, `-`)[pair]^2
  expect_equal(found$gamma, as.vector(tapply(halves, ceiling(apart[pair] / 0.1), mean)))
  curve <- attr(found, "curve")
  parameter <- coef(fit, "covariance")
  expect_equal(curve$gamma, parameter[["nugget"]] + parameter[["variance"]] *
    (1 - matern32(curve$distance / parameter[["range"]])))
  map <- variogram_map(fit, cutoff = 0.3, width = 0.1)
  both <- upper.tri(apart) & same_year(data, data)
  inside <- function(x) abs(round(outer(x, x, `-`)[both] / 0.1)) <= 3
  expect_equal(sum(map$n_pairs), 2 * sum(inside(data$x) & inside(data$y)))
})

test_that("sanity() compares ranges with the extent in space", {
  data <- transform(survey(), year = factor(as.integer(year), levels = 1:3))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.01,
    covariance = cov_exponential(variance = 1, range = 0.6) + cov_matern(by = ~ year))
  checked <- sanity(fit)
  expect_match(checked$finding[checked$check == "range"], "the extent of the locations, 1\\.[34]")
})

test_that("levels are no axis of an index", {
  data <- survey()
  fit <- neargp(exp(z) ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    transform = "log", covariance = cov_matern(variance = 1, range = 0.3, by = ~ year))
  index <- predict_index(fit, data[1:9, ], group = ~ year, draws = 20, seed = 1)
  expect_setequal(index$axis, c("x", "y", NA))
})

# ---- geometries ----------------------------------------------------------------------------------

estimates_of <- function(fit) coef(fit, what = "covariance")

test_extended("copies at the points of sf data and SpatVectors are those of plain coordinates", {
  skip_if_not_installed("sf")
  data <- survey()
  points <- sf::st_as_sf(data, coords = c("x", "y"))
  new <- data[c(1, 40, 80), ]
  new$x <- new$x + 0.01
  at <- sf::st_as_sf(new, coords = c("x", "y"))
  for (covariance in list(cov_matern(by = ~ year),
    cov_exponential() + cov_matern(by = ~ factor(year)))) {
    plain <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, covariance = covariance,
      method = vecchia(k = 10)))
    fit <- suppressMessages(neargp(z ~ 1, points, distance = "euclidean", covariance = covariance,
      method = vecchia(k = 10)))
    expect_identical(estimates_of(fit), estimates_of(plain))
    expect_identical(c(logLik(fit)), c(logLik(plain)))
    expect_equal(sf::st_drop_geometry(predict(fit, at)), predict(plain, new), ignore_attr = TRUE)
    expect_equal(residuals(fit), residuals(plain))
    expect_equal(augment(fit)$.loo_mean, augment(plain)$.loo_mean)
  }
  expect_error(predict(fit, transform(at, year = factor("1999"))), class = "neargp_error_levels")
  expect_error(predict(fit, at["geometry"]), "year", class = "neargp_error")
  expect_error(predict(fit, new), "geometries", class = "neargp_error_newdata")
  skip_if_not_installed("terra")
  vector <- terra::vect(points)
  vector$year <- as.character(vector$year)
  of_vector <- suppressMessages(neargp(z ~ 1, vector, distance = "euclidean",
    covariance = covariance, method = vecchia(k = 10)))
  expect_identical(estimates_of(of_vector), estimates_of(plain))
  expect_equal(as.data.frame(predict(of_vector, terra::vect(at))), predict(plain, new),
    ignore_attr = TRUE)
})

test_extended("copies on the sphere, and other verbs, are those of plain coordinates", {
  skip_if_not_installed("sf")
  data <- transform(survey(), x = x - 100, y = y + 40)
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 4326)
  covariance <- cov_matern(by = ~ year)
  plain <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, crs = 4326,
    covariance = covariance, method = exact_gp()))
  fit <- suppressMessages(neargp(z ~ 1, points, covariance = covariance, method = exact_gp()))
  expect_identical(estimates_of(fit), estimates_of(plain))
  folds <- rep(1:3, 30)
  expect_equal(scores(cross_validate(fit, folds)), scores(cross_validate(plain, folds)),
    ignore_attr = TRUE)
  expect_equal(as.matrix(sf::st_drop_geometry(simulate(fit, 2, seed = 1, newdata = points[1:3, ]))),
    as.matrix(simulate(plain, 2, seed = 1, newdata = data[1:3, ])), ignore_attr = TRUE)
  expect_identical(estimates_of(suppressMessages(update(fit, . ~ .))), estimates_of(fit))
})
