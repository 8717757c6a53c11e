test_that("sf points in, sf points out, in the order and the CRS of newdata", {
  points <- simulated_sf(120)
  fit <- neargp(z ~ height, points, method = vecchia(k = 15), covariance = cov_exponential())
  expect_output(print(fit), "Euclidean distance in m")
  new <- simulated_sf(20, seed = 2)
  prediction <- predict(fit, new, interval = "prediction")
  expect_s3_class(prediction, "sf")
  expect_identical(sf::st_geometry(prediction), sf::st_geometry(new))
  expect_true(all(c("mean", "sd", "lower", "upper") %in% names(prediction)))
  expect_s3_class(simulate(fit, 2, seed = 1, newdata = new), "sf")
})

test_extended("sf and data frame with the same coordinates give the same fit", {
  points <- simulated_sf(100)
  fit <- neargp(z ~ height, points, method = vecchia(k = 15))
  plain <- cbind(sf::st_drop_geometry(points), sf::st_coordinates(points))
  same <- neargp(z ~ height, plain, coords = ~ X + Y, method = vecchia(k = 15))
  expect_equal(coef(fit, "covariance"), coef(same, "covariance"))
  with_crs <- neargp(z ~ height, plain, coords = ~ X + Y, crs = 32633, method = vecchia(k = 15))
  expect_equal(predict(with_crs, points)$mean, predict(fit, points)$mean)
})

test_extended("a geographic CRS means chordal distance in km", {
  points <- simulated_sf(80, crs = 4326, scale = 10)
  fit <- neargp(z ~ 1, points, method = vecchia(k = 10), covariance = cov_exponential())
  expect_identical(fit$locations$metric, "longlat")
  expect_output(print(fit), "km")
  plain <- cbind(sf::st_drop_geometry(points), sf::st_coordinates(points))
  same <- neargp(z ~ 1, plain, coords = ~ X + Y, distance = "chordal", method = vecchia(k = 10),
    covariance = cov_exponential())
  expect_equal(coef(fit, "covariance"), coef(same, "covariance"))
  degrees <- neargp(z ~ 1, points, distance = "euclidean", method = vecchia(k = 10),
    covariance = cov_exponential())
  expect_identical(degrees$locations$unit, "degrees")
})

test_extended("a geometry set without attributes can be predicted when the trend needs none", {
  points <- simulated_sf(60)
  fit <- neargp(z ~ 1, points, method = vecchia(k = 10))
  prediction <- predict(fit, sf::st_geometry(points)[1:3])
  expect_s3_class(prediction, "sf")
  expect_equal(prediction$mean, predict(fit, points)$mean[1:3])
})

test_extended("geometries and CRS that cannot be used are classed errors with a remedy", {
  points <- simulated_sf(40)
  expect_error(neargp(z ~ 1, points, coords = ~ height), "geometry",
    class = "neargp_error_coordinates")
  expect_error(neargp(z ~ 1, sf::st_buffer(points, 1), method = loo_k()), "vecchia",
    class = "neargp_error_support")
  empty <- points
  sf::st_geometry(empty)[4] <- sf::st_point()
  expect_error(neargp(z ~ 1, empty), "row 4", class = "neargp_error_geometry")
  expect_error(neargp(z ~ 1, sf::st_zm(points, drop = FALSE, what = "Z")), "third dimension",
    class = "neargp_error_geometry")
  unknown <- sf::st_set_crs(points, NA)
  expect_error(neargp(z ~ 1, unknown), "lacks a coordinate reference system.*distance =",
    class = "neargp_error_crs")
  expect_error(neargp(z ~ 1, points, distance = "chordal"), "projected", class = "neargp_error_crs")
  expect_error(neargp(z ~ 1, points, crs = 4326), "not the CRS", class = "neargp_error_crs")
  expect_error(neargp(z ~ 1, simulated_data(30), coords = ~ x + y, crs = "nowhere"), "`crs`",
    class = "neargp_error_argument")
  fit <- neargp(z ~ 1, points, method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 100))
  expect_error(predict(fit, sf::st_transform(points, 4326)), "st_transform",
    class = "neargp_error_crs")
  expect_error(predict(fit, unknown), "newdata: none.*Set its own CRS", class = "neargp_error_crs")
  expect_error(predict(fit, empty), "newdata\\[!sf::st_is_empty", class = "neargp_error_geometry")
  expect_error(predict(fit, sf::st_drop_geometry(points)), "st_as_sf",
    class = "neargp_error_newdata")
  expect_error(predict(fit, sf::st_cast(sf::st_buffer(points, 1), "LINESTRING")),
    "`newdata` must have POINT geometries, not LINESTRING .rows 1", class = "neargp_error_geometry")
})

test_extended("without CRS but with a distance sf data work", {
  points <- sf::st_set_crs(simulated_sf(40), NA)
  fit <- neargp(z ~ 1, points, distance = "euclidean", method = vecchia(k = 5))
  expect_s3_class(predict(fit, points), "sf")
  expect_error(predict(fit, sf::st_set_crs(points, 32633)), "Training data: none",
    class = "neargp_error_crs")
})

test_extended("points that are read from a file are fitted and predicted as those that were written", {
  points <- simulated_sf(60)
  file <- withr::local_tempfile(fileext = ".gpkg")
  sf::st_write(points, file, quiet = TRUE)
  read <- sf::st_read(file, quiet = TRUE)
  fit <- function(points) {
    neargp(z ~ height, points, method = vecchia(k = 10), covariance = cov_exponential())
  }
  expect_equal(coef(fit(read), "covariance"), coef(fit(points), "covariance"), tolerance = 1e-6)
  predicted <- predict(fit(read), read[1:3, ])
  expect_true(sf::st_crs(predicted) == sf::st_crs(points))
  expect_equal(predicted$mean, predict(fit(points), points[1:3, ])$mean, tolerance = 1e-6)
})

test_extended("a CRS is told by its name, or by a line where it has none", {
  skip_if_not_installed("sf")
  plane <- "+proj=laea +lon_0=-92 +lat_0=35 +units=km"
  expect_identical(describe_crs(sf::st_crs(4326)), "WGS 84")
  expect_identical(describe_crs(sf::st_crs(plane)), plane)
  described <- describe_crs(sf::st_crs(sf::st_crs(plane)$wkt))
  expect_match(described, "+proj=laea", fixed = TRUE)
  expect_no_match(described, "\n")
})
