# Responses on areas against dense matrices of the means over their points.

areal_covariance <- cov_exponential(variance = 0.8, range = 0.3)

places_to_predict <- function() {
  at <- cbind(x = c(0.11, 0.52, 0.9), y = c(0.35, 0.5, 0.97))
  list(coords = at, height = c(-1, 0, 2), newdata = sf::st_as_sf(data.frame(height = c(-1, 0, 2),
    at), coords = c("x", "y"), crs = 32633))
}

test_extended("likelihood, trend and predictions at points are those of dense matrices", {
  example <- areal_example()
  at <- places_to_predict()
  for (method in list(exact_gp(), vecchia(k = 34))) {
    fit <- neargp(z ~ height, example$data, method = method, weights = people, nugget = 0.05,
      covariance = areal_covariance, support = block_support())
    dense <- dense_areal(fit, example, at$coords, cbind(1, at$height))
    expect_equal(as.double(logLik(fit)), dense$log_likelihood, tolerance = 1e-10)
    expect_equal(unname(coef(fit)), unname(dense$beta), tolerance = 1e-8)
    expect_equal(unname(vcov(fit)), unname(dense$vcov), tolerance = 1e-8)
    found <- predict(fit, at$newdata, type = "link", joint = TRUE, k = if (is.null(fit$k)) NULL else
      35L)
    expect_equal(found$mean, dense$mean, tolerance = 1e-8)
    expect_equal(attr(found, "covariance"), dense$covariance, tolerance = 1e-8)
    alone <- predict(fit, at$newdata, type = "link", k = if (is.null(fit$k)) NULL else 35L,
      local_mean = FALSE, sectors = 0L)
    expect_equal(alone$mean, dense$mean, tolerance = 1e-8)
    expect_equal(alone$sd, sqrt(diag(dense$covariance)), tolerance = 1e-8)
  }
})

test_extended("predictions of other areas, and of the rows left out, are those of dense matrices", {
  example <- areal_example()
  points <- square_points(2L, 8L)
  coords <- as.matrix(points[c("x", "y")])
  B <- averaging(points$area)
  polygons <- sf::st_sf(height = c(1, 0, -1, 2), geometry = unit_squares(2L, crs = 32633))
  for (method in list(exact_gp(), vecchia(k = 34))) {
    fit <- neargp(z ~ height, example$data, method = method, nugget = 0.05,
      covariance = areal_covariance, support = block_support())
    dense <- dense_areal(fit, example, coords, cbind(1, polygons$height[points$area]))
    found <- predict(fit, polygons, joint = TRUE, spacing = 1 / 16)
    expect_equal(found$points, rep(64L, 4L))
    expect_equal(found$mean, drop(B %*% dense$mean), tolerance = 1e-8)
    expect_equal(attr(found, "covariance"), B %*% dense$covariance %*% t(B), tolerance = 1e-8)
    expect_equal(predict(fit, polygons, spacing = 1 / 16)$sd, found$sd, tolerance = 1e-8)
    near <- predict(fit, polygons, spacing = 1 / 16, k = 35L)
    expect_equal(near$mean, found$mean, tolerance = 1e-8)
    expect_equal(near$sd, found$sd, tolerance = 1e-8)
    # steps of larger areas than those of the fit are at most as long
    expect_equal(predict(fit, polygons)$points, rep(100L, 4L))
    left <- loo_predict(fit)
    S <- dense$S
    X <- fit$data$X
    P <- solve(S) - solve(S, X) %*% dense$vcov %*% t(solve(S, X))
    expect_equal(left$mean, fit$data$y - drop(P %*% fit$data$y) / diag(P), tolerance = 1e-8)
    expect_equal(left$sd^2, 1 / diag(P), tolerance = 1e-8)
  }
})

test_extended("estimates are those of the dense likelihood, also restricted", {
  example <- areal_example(6L, 15L)
  for (estimation in c("ML", "REML")) {
    fit <- neargp(z ~ height, example$data, method = exact_gp(estimation = estimation),
      covariance = cov_exponential(), support = block_support())
    value_at <- function(parameters) {
      moved <- fit
      moved$core_covariance$components[[1L]][c("variance", "range")] <- as.list(unname(parameters[
        1:2]))
      moved$nugget <- parameters[3L]
      dense <- dense_areal(moved, example)
      dense$log_likelihood + if (estimation == "REML") log(2 * pi) + 0.5 *
        as.double(determinant(dense$vcov)$modulus) else 0
    }
    best <- unname(c(unlist(fit$core_covariance$components[[1L]][c("variance", "range")]),
      fit$nugget))
    expect_equal(as.double(logLik(fit)), value_at(best), tolerance = 1e-9)
    slopes <- vapply(1:3, function(i) {
      step <- replace(rep(1, 3L), i, exp(1e-4))
      (value_at(best * step) - value_at(best / step)) / 2e-4
    }, 0)
    expect_lt(max(abs(slopes)), 0.02)
  }
})

test_extended("predictions and draws are coherent: their means over an area are its value", {
  example <- areal_example(4L, 3L, nugget = 0)
  at <- sf::st_as_sf(cbind(example$points, height = 0), coords = c("x", "y"), crs = 32633)
  fit <- neargp(z ~ 1, example$data, method = exact_gp(), nugget = 0,
    covariance = areal_covariance, support = block_support())
  expect_equal(drop(example$A %*% predict(fit, at)$mean), example$data$z, tolerance = 1e-8)
  set.seed(1)
  drawn <- simulate(fit, nsim = 2L, newdata = at)
  values <- as.matrix(sf::st_drop_geometry(drawn))
  # a share of 1e-10 of the variance is added to the diagonal of the draws
  expect_lt(max(abs(example$A %*% values - example$data$z)), 6 * sqrt(0.8e-10))
  own <- predict(fit, example$data[1:16, ])
  expect_equal(own$mean, example$data$z[1:16], tolerance = 1e-8)
  expect_lt(max(own$sd), 1e-5)
  expect_equal(fitted(fit), example$data$z, tolerance = 1e-8, ignore_attr = TRUE)
})

test_extended("area-to-point kriging is that of gstat", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("sp")
  example <- areal_example(5L, 0L, nugget = 0)
  at <- places_to_predict()
  fit <- neargp(z ~ height, example$data, method = exact_gp(), nugget = 0,
    covariance = areal_covariance, support = block_support())
  model <- gstat::vgm(0.8, "Exp", 0.3)
  theirs <- gstat::krige0(z ~ height, as(example$data, "Spatial"), as(at$newdata, "Spatial"),
    function(x, y = x, ...) gstat::vgmArea(x, y, vgm = model, ndiscr = 16), computeVar = TRUE)
  ours <- predict(fit, at$newdata, type = "link")
  expect_equal(ours$mean, drop(theirs$pred), tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(ours$sd^2, drop(theirs$var), tolerance = 1e-8, ignore_attr = TRUE)
})

test_extended("covariates at points make averaged columns", {
  skip_if_not_installed("terra")
  example <- areal_example(5L, 4L)
  fine <- fine_raster(slope = sin(1:400))
  slope <- terra::extract(fine, example$coords)$slope
  data <- example$data
  fit <- neargp(z ~ poly(slope, 2) + height, data, method = exact_gp(), nugget = 0.05,
    covariance = areal_covariance, support = block_support(covariates = fine))
  basis <- stats::poly(drop(example$A %*% slope), 2)
  columns <- example$A %*% stats::predict(basis, slope)
  expect_equal(unname(fit$data$X), unname(cbind(1, columns, data$height)), tolerance = 1e-10)
})

test_extended("points without covariates are left out, and a raster is downscaled by a finer one", {
  skip_if_not_installed("terra")
  example <- areal_example(5L, 4L)
  fine <- fine_raster(slope = sin(1:400))
  slope <- terra::extract(fine, example$coords)$slope
  terra::values(fine) <- replace(terra::values(fine)[, 1L], terra::cellFromXY(fine,
    example$coords[1:4, ]), NA)
  partly <- neargp(z ~ slope, example$data, method = exact_gp(), nugget = 0.05,
    covariance = areal_covariance, support = block_support(covariates = fine))
  expect_equal(partly$data$X[1L, "slope"], mean(slope[5:16]), tolerance = 1e-10,
    ignore_attr = TRUE)
  coarse <- terra::aggregate(fine, 4, na.rm = TRUE)
  terra::values(coarse) <- 2 * terra::values(coarse)[, 1L] + cos(1:25)
  names(coarse) <- "z"
  down <- neargp(z ~ slope, coarse, method = exact_gp(), covariance = areal_covariance,
    nugget = 0.01, support = block_support(covariates = fine))
  expect_equal(nobs(down), 25L)
  map <- predict(down, fine)
  expect_s4_class(map, "SpatRaster")
  expect_equal(dim(map)[1:2], c(20, 20))
})

test_extended("cells of a raster without CRS are areas, too", {
  skip_if_not_installed("terra")
  withr::local_seed(1)
  coarse <- terra::rast(nrows = 4, ncols = 4, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "",
    vals = rnorm(16), names = "z")
  fine <- terra::disagg(coarse, 4)
  for (crs in c("", "local")) {
    terra::crs(coarse) <- terra::crs(fine) <- crs
    fit <- neargp(z ~ 1, coarse, distance = "euclidean", method = exact_gp(), nugget = 0,
      covariance = cov_matern(variance = 1, range = 0.3), support = block_support(16))
    means <- terra::aggregate(predict(fit, fine)[["mean"]], 4)
    expect_equal(terra::values(means), terra::values(coarse), ignore_attr = TRUE)
  }
})

test_extended("cells of a stars grid are areas where a support is given, and points where none is", {
  skip_if_not_installed("stars")
  grid <- stars::st_as_stars(list(z = outer(sin(1:5), cos(1:5))), dimensions = stars::st_dimensions(
    x = 0:4 / 5, y = 0:4 / 5, .raster = c("x", "y")))
  sf::st_crs(grid) <- 32633
  areas <- neargp(z ~ 1, grid, method = exact_gp(), covariance = areal_covariance, nugget = 0.1,
    support = block_support())
  points <- neargp(z ~ 1, grid, method = exact_gp(), covariance = areal_covariance, nugget = 0.1)
  expect_equal(sort(areas$data$y), sort(points$data$y))
  expect_equal(areas$locations$support$areas, 25L)
  expect_null(points$locations$support)
})

test_extended("weights of a raster make the points of an area unequal", {
  skip_if_not_installed("terra")
  example <- areal_example(5L, 4L)
  people <- fine_raster(people = (1:400) %% 7)
  weight <- terra::extract(people, example$coords)[, 1L]
  weight[example$points$area > 25L] <- 1
  A <- averaging(example$points$area, weight)
  at <- places_to_predict()
  fit <- neargp(z ~ height, example$data, method = exact_gp(), nugget = 0.05,
    covariance = areal_covariance, support = block_support(weights = people))
  dense <- dense_areal(fit, example, at$coords, cbind(1, at$height), A)
  expect_equal(as.double(logLik(fit)), dense$log_likelihood, tolerance = 1e-10)
  expect_equal(predict(fit, at$newdata, type = "link")$mean, dense$mean, tolerance = 1e-8)
  terra::values(people) <- replace((1:400) %% 7, terra::cellFromXY(people, example$coords[1:16, ]),
    0)
  expect_error(neargp(z ~ height, example$data, support = block_support(weights = people)), "row 1",
    class = "neargp_error_support")
})

test_extended("tiny areas are their points, on the sphere, with ranges and an anisotropy", {
  set.seed(7)
  places <- sf::st_as_sf(data.frame(lon = stats::runif(40, 5, 15), lat = stats::runif(40, 45, 52)),
    coords = 1:2, crs = 4326)
  places$z <- stats::rnorm(40)
  tiny <- suppressWarnings(sf::st_buffer(places, 1))
  at <- places[4:6, ]
  for (method in list(exact_gp(), vecchia(k = 10))) {
    fits <- lapply(list(tiny, places), function(data) suppressMessages(neargp(z ~ 1, data,
      method = method, covariance = cov_matern(variance = 1, range = 300, nu = 1.5) +
        cov_exponential(variance = 0.3, range = 50), nugget = 0.1)))
    expect_equal(as.double(logLik(fits[[1L]])), as.double(logLik(fits[[2L]])), tolerance = 1e-4)
    expect_equal(predict(fits[[1L]], at, sectors = 0L)$mean, predict(fits[[2L]], at,
      sectors = 0L)$mean, tolerance = 1e-3)
  }
})

test_that("what areas cannot have is refused, and says why", {
  example <- areal_example(3L, 2L)
  data <- example$data
  data$day <- seq_len(11L)
  fit <- function(...) neargp(z ~ 1, data, ..., support = block_support())
  expect_message(neargp(z ~ 1, data, nugget = 0.1, covariance = areal_covariance),
    "mean of the field", class = "neargp_message_support")
  expect_error(neargp(z ~ 1, data[10:11, ], support = block_support()), "not areas",
    class = "neargp_error_support")
  expect_error(fit(method = loo_k(k = 3)), "loo_k", class = "neargp_error_support")
  expect_error(fit(family = negative_binomial()), class = "neargp_error_support")
  expect_error(fit(method = vecchia(inducing = 4)), class = "neargp_error_support")
  expect_error(fit(transform = "sqrt"), "formula", class = "neargp_error_support")
  expect_error(fit(time = ~ day), "time", class = "neargp_error_support")
  expect_error(fit(covariance = cov_exponential(sd = ~ people)), "local",
    class = "neargp_error_support")
  expect_error(neargp(cbind(z, height) ~ 1, data, support = block_support(),
    method = vecchia(k = 3)), "several responses", class = "neargp_error_support")
  expect_error(neargp(z ~ 1, data, support = 16), class = "neargp_error_argument")
  expect_error(block_support(points = 0), class = "neargp_error_argument")
  expect_error(block_support(weights = 1), class = "neargp_error_argument")
  lines <- sf::st_sf(z = 1:2, geometry = sf::st_sfc(sf::st_linestring(diag(2)),
    unit_squares()[[1L]], crs = 32633))
  expect_error(neargp(z ~ 1, lines), "LINESTRING", class = "neargp_error_geometry")
})

test_that("what is printed tells of areas, and a fit is kept in a file", {
  example <- areal_example(3L, 2L)
  fit <- neargp(z ~ 1, example$data, method = vecchia(k = 5), nugget = 0.1,
    covariance = areal_covariance, support = block_support(points = 9))
  expect_output(print(fit), "9 areas of up to 9 points")
  expect_output(print(block_support(points = 9)), "9 points")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), example$data[1:2, ])$mean, predict(fit,
    example$data[1:2, ])$mean)
})
