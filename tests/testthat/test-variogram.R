# The definition, pair by pair.
by_definition <- function(values, coords, cutoff, width, estimator, keep = function(dx, dy) TRUE) {
  sums <- list()
  n <- length(values)
  for (i in seq_len(n - 1)) for (j in (i + 1):n) {
    delta <- coords[i, ] - coords[j, ]
    h <- sqrt(sum(delta^2))
    if (h > cutoff || !keep(delta[1], delta[2])) next
    class <- as.character(max(1, ceiling(h / width)))
    sums[[class]] <- rbind(sums[[class]], c(h, abs(values[i] - values[j])))
  }
  sums <- sums[order(as.numeric(names(sums)))]
  gamma <- vapply(sums, function(s) {
    if (estimator == "classical") mean(s[, 2]^2) / 2 else
      mean(sqrt(s[, 2]))^4 / (0.457 + 0.494 / nrow(s)) / 2
  }, 0)
  data.frame(distance = vapply(sums, function(s) mean(s[, 1]), 0), gamma = gamma,
    n_pairs = vapply(sums, nrow, 0L),
             row.names = NULL)
}

test_extended("both estimators are those of their definition", {
  field <- small_field()
  for (estimator in c("classical", "robust")) {
    v <- empirical_variogram(field$values, field$coords, cutoff = 3, width = 0.4,
      estimator = estimator)
    expect_equal(as.data.frame(v)[c("distance", "gamma", "n_pairs")],
                 by_definition(field$values, field$coords, 3, 0.4, estimator), ignore_attr = TRUE)
    expect_true(all(is.na(v$direction)))
  }
})

test_that("directions count clockwise from north", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords, cutoff = 3, width = 1, directions = 30,
    tolerance = 20)
  keep <- function(dx, dy) {
    angle <- (90 - atan2(dy, dx) * 180 / pi) %% 180
    min(abs(angle - 30), 180 - abs(angle - 30)) <= 20
  }
  expect_equal(as.data.frame(v)[c("distance", "gamma", "n_pairs")],
               by_definition(field$values, field$coords, 3, 1, "classical", keep),
               ignore_attr = TRUE)
  expect_equal(unique(v$direction), 30)
})

test_that("repeated locations belong to the first class", {
  v <- empirical_variogram(c(1, 3, 2, 5), cbind(c(0, 0, 1, 5), 0), cutoff = 2, width = 2)
  expect_equal(v$n_pairs, 3)
  expect_equal(v$gamma, mean(c(4, 1, 1)) / 2)
})

test_that("longitude and latitude give kilometres", {
  set.seed(3)
  lonlat <- cbind(runif(100, 10, 11), runif(100, 50, 51))
  v <- empirical_variogram(rnorm(100), lonlat, longlat = TRUE)
  expect_equal(attr(v, "unit"), "km")
  expect_gt(max(v$distance), 30)
  expect_error(empirical_variogram(rnorm(100), lonlat, longlat = TRUE, directions = 0), "planar",
    class = "neargp_error_argument")
})

test_that("wrong input is refused with its reason", {
  field <- small_field(50)
  expect_error(empirical_variogram(field$values[-1], field$coords), "49 values.*50 locations",
    class = "neargp_error_length")
  expect_error(empirical_variogram(replace(field$values, 7, NA), field$coords), "row 7",
    class = "neargp_error_missing")
  expect_error(empirical_variogram(field$values, field$coords, cutoff = 1e-9),
    "closer than `cutoff`", class = "neargp_error_variogram")
  expect_error(empirical_variogram(field$values, field$coords, width = 0), "`width`",
    class = "neargp_error_argument")
  expect_error(empirical_variogram(field$values, field$coords, directions = "N"), "degrees",
    class = "neargp_error_argument")
  expect_error(empirical_variogram(field$values, field$coords, cutoff = 1, directions = 0,
    tolerance = 1e-6), "Increase `tolerance`",
               class = "neargp_error_variogram")
})

test_that("the fitted variogram curve is nugget + sill - covariance, in each direction", {
  fit <- plotted_fit(covariance = cov_exponential(anisotropy = TRUE))
  v <- empirical_variogram(fit)
  curve <- attr(v, "curve")
  parameters <- coef(fit, what = "covariance")
  axes <- c(parameters[["anisotropy_angle"]], (parameters[["anisotropy_angle"]] + 90) %% 180)
  expect_equal(unique(v$direction), axes)
  ranges <- parameters[["range"]] * c(1, parameters[["anisotropy_ratio"]])
  for (i in 1:2) {
    own <- curve[curve$direction == axes[i], ]
    expect_equal(own$gamma, parameters[["nugget"]] + parameters[["variance"]] *
      (1 - exp(-own$distance / ranges[i])), tolerance = 1e-8)
  }
})

test_extended("the variogram of a fit is that of its residuals from the trend", {
  fit <- plotted_fit(formula = z ~ y)
  expect_equal(as.data.frame(empirical_variogram(fit))$gamma,
    as.data.frame(empirical_variogram(residuals(fit, "trend"), fit$data$coords))$gamma)
})

test_that("with one range for each coordinate, distances are in ranges", {
  fit <- plotted_fit(n = 400, covariance = cov_exponential(ard = TRUE))
  v <- empirical_variogram(fit)
  expect_equal(attr(v, "unit"), "ranges")
  curve <- attr(v, "curve")
  parameters <- coef(fit, what = "covariance")
  expect_equal(curve$gamma, parameters[["nugget"]] + parameters[["variance"]] *
    (1 - exp(-curve$distance)), tolerance = 1e-8)
})

test_that("a formula or a data frame in the place of the values, or no places, are reported", {
  points <- data.frame(x = 1:9, y = 0)
  expect_error(empirical_variogram(z ~ 1, points), "must be values (numeric)", fixed = TRUE,
    class = "neargp_error_argument")
  expect_error(empirical_variogram(1:9), "`coords` is missing", class = "neargp_error_argument")
})

test_that("a variogram without directions or with endless classes is refused", {
  set.seed(1)
  coords <- cbind(runif(30), runif(30))
  expect_error(empirical_variogram(rnorm(30), coords, directions = numeric(0)), "`directions`",
    class = "neargp_error_argument")
  expect_error(empirical_variogram(rnorm(30), coords, width = 1e-300), "`width`",
    class = "neargp_error_argument")
})

test_that("directional variograms are those of gstat", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("sp")
  set.seed(3)
  data <- data.frame(x = runif(200), y = runif(200))
  data$z <- sin(5 * data$x) + rnorm(200, sd = 0.3)
  places <- data
  sp::coordinates(places) <- ~ x + y
  directions <- c(0, 30, 120)
  for (robust in c(FALSE, TRUE)) {
    theirs <- gstat::variogram(z ~ 1, places, alpha = directions, tol.hor = 20, cutoff = 0.4,
      width = 0.05, cressie = robust)
    ours <- empirical_variogram(data$z, data[c("x", "y")], width = 0.05, cutoff = 0.4,
      directions = directions, tolerance = 20, estimator = if (robust) "robust" else "classical")
    expect_equal(ours$direction, theirs$dir.hor)
    expect_equal(ours$n_pairs, theirs$np, ignore_attr = TRUE)
    expect_equal(ours$distance, theirs$dist, tolerance = 1e-10)
    expect_equal(ours$gamma, theirs$gamma, tolerance = 1e-10)
  }
})
