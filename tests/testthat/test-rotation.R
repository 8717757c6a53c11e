# Rotations of three coordinates, against an explicit rotation matrix, gstat and differences.

rotated_data <- function(n = 40, seed = 1) {
  withr::local_seed(seed)
  data <- data.frame(x = runif(n), y = runif(n), depth = runif(n, 0, 0.4))
  data$z <- sin(4 * data$x) + cos(9 * data$depth) + rnorm(n, sd = 0.2)
  data
}

# Scaled distances as GSLIB defines them: three plain rotations, one after the other.
ellipsoid_distances <- function(a, b, range, angle, dip, plunge, ratio, ratio_third) {
  radians <- c(angle, dip, plunge) * pi / 180
  about_vertical <- rbind(c(sin(radians[1]), cos(radians[1]), 0),
    c(-cos(radians[1]), sin(radians[1]), 0), c(0, 0, 1))
  upwards <- rbind(c(cos(radians[2]), 0, sin(radians[2])), c(0, 1, 0),
    c(-sin(radians[2]), 0, cos(radians[2])))
  about_major <- rbind(c(1, 0, 0), c(0, cos(radians[3]), sin(radians[3])),
    c(0, -sin(radians[3]), cos(radians[3])))
  R <- about_major %*% upwards %*% about_vertical
  scaled <- function(coords) as.matrix(coords) %*% t(R / (range * c(1, ratio, ratio_third)))
  dense_distance(scaled(a), scaled(b))
}

ellipsoid <- c(angle = 30, dip = -25, plunge = 70, ratio = 0.6, ratio_third = 0.25)

test_that("likelihood and kriging are those of an explicit rotation matrix", {
  data <- rotated_data()
  places <- data[c("x", "y", "depth")]
  new <- rotated_data(5, 2)
  distances <- function(a, b) do.call(ellipsoid_distances, c(list(a, b, 0.8), as.list(ellipsoid)))
  S <- 1.5 * exp(-distances(places, places)) + diag(0.1, 40)
  beta <- sum(solve(S, data$z)) / sum(solve(S, rep(1, 40)))
  e <- data$z - beta
  log_lik <- -0.5 * (40 * log(2 * pi) + c(determinant(S)$modulus) + sum(e * solve(S, e)))
  weights <- solve(S, 1.5 * exp(-distances(places, new[names(places)])))
  for (method in list(exact_gp(), vecchia(k = 39))) {
    fit <- neargp(z ~ 1, data, coords = ~ x + y + depth, nugget = 0.1, method = method,
      covariance = cov_exponential(variance = 1.5, range = 0.8, anisotropy = ellipsoid))
    expect_equal(c(logLik(fit)), log_lik, tolerance = 1e-10)
    expect_equal(predict(fit, new, k = 40)$mean, beta + drop(crossprod(weights, e)),
      tolerance = 1e-8)
  }
})

test_that("all methods compute with the matrix of an ellipsoid", {
  data <- rotated_data(60)
  model <- list(z ~ 1, data, coords = ~ x + y + depth,
    covariance = cov_matern(variance = 1, range = 0.5, anisotropy = ellipsoid), nugget = 0.1)
  expected <- fitted(do.call(neargp, c(model, list(method = exact_gp()))))
  for (method in list(loo_k(59), mll_k(59), vnngp(59), svgp(60, move = FALSE))) {
    fit <- do.call(neargp, c(model, list(method = method)))
    expect_equal(fitted(fit), expected, tolerance = 1e-4, ignore_attr = TRUE)
  }
})

test_on_devices("derivatives in the working parameters are those of finite differences", {
  fit <- suppressWarnings(neargp(z ~ 1, rotated_data(), coords = ~ x + y + depth,
    method = vecchia(k = 39), covariance = cov_matern(nu = NULL, anisotropy = "3d"),
    control = neargp_control(max_iterations = 2)))
  objective <- objective_of_fit(fit, 39L)
  at <- fit$parameters$working + 0.1
  difference <- vapply(seq_along(at), function(a) {
    step <- replace(rep(0, length(at)), a, 1e-4)
    (8 * (objective$evaluate(at + step)$value - objective$evaluate(at - step)$value) -
      (objective$evaluate(at + 2 * step)$value - objective$evaluate(at - 2 * step)$value)) / 12e-4
  }, 0)
  expect_equal(objective$evaluate(at, information = TRUE)$gradient, difference, tolerance = 1e-6)
})

test_extended("models of gstat in three dimensions are converted, and back", {
  skip_if_not_installed("gstat")
  withr::local_seed(3)
  distance <- c(0.1, 0.5, 2)
  for (i in 1:12) {
    anis <- c(runif(3, 0, 360), runif(2, 0.05, 1))
    if (i == 1L) anis[2:3] <- c(90, 0)
    if (i == 2L) anis <- c(20, 0, 0, 1, 0.1)
    model <- suppressWarnings(gstat::vgm(2, "Exp", 3, nugget = 0.1, anis = anis))
    covariance <- as_covariance(model)
    fit <- neargp(z ~ 1, rotated_data(20), coords = ~ x + y + depth, method = exact_gp(),
      covariance = covariance, nugget = 0.1)
    backs <- suppressWarnings(list(as_vgm(covariance), as_vgm(fit)))
    for (direction in asplit(matrix(rnorm(12), 4), 1L)) {
      direction <- direction / sqrt(sum(direction^2))
      line <- function(model) {
        gstat::variogramLine(model, dist_vector = distance, dir = direction)$gamma
      }
      ours <- drop(core_covariance_matrix(matrix(0, 1L, 3L), outer(distance, direction),
        as_specified(fit$core_covariance)))
      expect_equal(2.1 - ours, line(model), tolerance = 1e-10)
      for (back in backs) expect_equal(line(back), line(model), tolerance = 1e-10)
    }
    expect_equal(2.1 - covariance_value(fit, distance, direction = 40),
      gstat::variogramLine(model, dist_vector = distance,
        dir = c(sin(40 * pi / 180), cos(40 * pi / 180), 0))$gamma, tolerance = 1e-10)
  }
  open <- as_covariance(model, fixed = FALSE)$components[[1L]]
  expect_identical(open$anisotropy, "3d")
  expect_equal(unname(open$start$anisotropy), anis)
})

test_that("equal ellipsoids are reported equally, with ranges that fall", {
  natural <- function(...) {
    stats::setNames(space_to_natural(space_to_core(c(...))), rotations$space$names)
  }
  given <- natural(angle = 30, dip = 20, plunge = 50, ratio = 0.5, ratio_third = 0.2)
  expect_equal(given,
    c(ratio = 0.5, ratio_third = 0.2, angle = 30, dip = 20, plunge = 50), tolerance = 1e-12)
  for (same in list(natural(angle = 210, dip = -20, plunge = -50, ratio = 0.5, ratio_third = 0.2),
    natural(angle = 390, dip = 20, plunge = 230, ratio = 0.5, ratio_third = 0.2),
    natural(angle = 30, dip = 20, plunge = 140, ratio = 0.2, ratio_third = 0.5))) {
    expect_equal(same, given, tolerance = 1e-10)
  }
  upright <- natural(angle = 77, dip = 90, plunge = 0, ratio = 0.5, ratio_third = 0.2)
  expect_equal(upright[["angle"]], 0)
  expect_equal(upright[["dip"]], 90)
  # without a unique axis
  expect_equal(natural(angle = 30, dip = 0, plunge = 44, ratio = 0.3, ratio_third = 0.3),
    c(ratio = 0.3, ratio_third = 0.3, angle = 30, dip = 0, plunge = 0), tolerance = 1e-10)
  expect_equal(unname(natural(angle = 30, dip = 0, plunge = 0, ratio = 1, ratio_third = 0.1)),
    c(1, 0.1, 0, 0, 0), tolerance = 1e-10)
  expect_equal(unname(natural(angle = 30, dip = 5, plunge = 9, ratio = 1, ratio_third = 1)),
    c(1, 1, 0, 0, 0), tolerance = 1e-10)
})

test_that("slopes of ratios and angles are those of finite differences", {
  withr::local_seed(4)
  for (i in 1:5) {
    axes <- rnorm(5, sd = 0.5)
    at <- function(axes) {
      natural <- space_to_natural(axes)
      c(rotations$space$longest(axes), log(natural[1:2]), natural[3:5])
    }
    difference <- vapply(1:5, function(a) {
      step <- replace(rep(0, 5), a, 1e-6)
      (at(axes + step) - at(axes - step)) / 2e-6
    }, double(6L))
    expect_equal(space_slopes(axes), difference, tolerance = 1e-6)
  }
  expect_true(all(is.finite(space_slopes(rep(0, 5)))))
})

long_body <- c(angle = 60, dip = 15, plunge = -20, ratio = 0.4, ratio_third = 0.1)

ellipsoid_data <- function(n) {
  withr::local_seed(5)
  data <- data.frame(x = runif(n, 0, 10), y = runif(n, 0, 10), depth = runif(n, 0, 3))
  r <- do.call(ellipsoid_distances, c(list(data, data, 6), as.list(long_body)))
  data$z <- drop(t(chol(exp(-r))) %*% rnorm(n)) + rnorm(n, sd = 0.05)
  data
}

test_extended("an ellipsoid is estimated, reported, fixed and continued", {
  data <- ellipsoid_data(500)
  truth <- long_body
  fit <- function(covariance, ...) {
    neargp(z ~ 1, data, coords = ~ x + y + depth, covariance = covariance, method = vecchia(20),
      ...)
  }
  free <- fit(cov_exponential(anisotropy = "3d"))
  at_truth <- fit(cov_exponential(anisotropy = truth))
  expect_gte(c(logLik(free)), c(logLik(at_truth)) - 0.05)
  expect_identical(attr(logLik(free), "df") - attr(logLik(at_truth), "df"), 5L)
  expect_gt(c(logLik(free)), c(logLik(fit(cov_exponential(anisotropy = TRUE)))))
  found <- coef(free, what = "covariance")
  limits <- confint(free, what = "covariance")
  for (name in names(truth)) {
    own <- paste0("anisotropy_", name)
    expect_gte(truth[[name]], limits[own, 1L] - diff(limits[own, ]))
    expect_lte(truth[[name]], limits[own, 2L] + diff(limits[own, ]))
  }
  expect_output(print(free), "rotated anisotropy in three dimensions")
  kept <- found[c("range", paste0("anisotropy_", names(truth)))]
  expect_equal(c(logLik(fit(cov_exponential(anisotropy = "3d"), fixed = kept))), c(logLik(free)),
    tolerance = 1e-5)
  again <- fit(cov_exponential(anisotropy = "3d"), start = free)
  expect_equal(coef(again, what = "covariance"), found, tolerance = 1e-2)
  curve <- attr(empirical_variogram(free), "curve")
  expect_true(all(is.finite(curve$gamma)))
})

test_extended("the search from the scatter of coordinates ends where that from the truth does", {
  data <- ellipsoid_data(300)
  fit <- function(...) c(logLik(neargp(z ~ 1, data, coords = ~ x + y + depth,
    method = exact_gp(), covariance = cov_exponential(anisotropy = "3d", ...))))
  expect_equal(fit(), fit(start = list(range = 6, anisotropy = long_body)), tolerance = 1e-5)
})

test_that("an ellipsoid stretches coordinates of other units", {
  fit <- function(covariance) neargp(z ~ 1, rotated_data(), coords = ~ x + y + depth,
    covariance = covariance, nugget = 0.1, method = exact_gp())
  expect_warning(fit(cov_exponential(1, 0.5)), class = "neargp_warning_units")
  expect_no_warning(fit(cov_exponential(1, 0.5, anisotropy = ellipsoid)))
})

test_that("an ellipsoid needs three coordinates, all its numbers and scatter", {
  data <- rotated_data()
  refused <- function(what, ..., coords = ~ x + y + depth, class = "neargp_error_argument") {
    expect_error(neargp(z ~ 1, data, coords = coords, covariance = cov_exponential(...)), what,
      class = class)
  }
  refused("three planar coordinates", anisotropy = "3d", coords = ~ x + y)
  refused("three planar coordinates", anisotropy = ellipsoid, coords = ~ x + y)
  refused("`anisotropy`", anisotropy = "4d")
  refused("`anisotropy`", anisotropy = replace(ellipsoid, "ratio_third", 2))
  refused("`anisotropy`", anisotropy = ellipsoid[-1L])
  refused("start\\$anisotropy", anisotropy = TRUE, start = list(anisotropy = ellipsoid))
  refused("start\\$anisotropy", anisotropy = "3d", start = list(anisotropy = "3d"))
  refused("ratio =, ratio_third =, angle =, dip =, plunge =", anisotropy = "3d", range = 1)
  expect_error(neargp(z ~ 1, data, coords = ~ x + y + depth, fixed = c(anisotropy_dip = 3),
    covariance = cov_exponential(anisotropy = "3d")), "together in `fixed`",
  class = "neargp_error_argument")
  data$depth <- 2 * data$x
  refused("one plane of x and y and depth", anisotropy = "3d", class = "neargp_error_coordinates")
})
