test_that("latitude before longitude is refused where distances are on the sphere", {
  data <- simulated_data(30)
  data <- transform(data, lon = 5 + 10 * x, lat = 45 + 10 * y)
  fit <- function(coords, rename = c("lon", "lat"), ...) {
    names(data)[match(c("lon", "lat"), names(data))] <- rename
    neargp(z ~ 1, data, coords = coords, method = vecchia(5), covariance = cov_exponential(1, 300),
      nugget = 0.1, ...)
  }
  refused <- function(coords, ...) {
    expect_error(fit(coords, ...), "Longitude must come first.*Exchange them: ~ ",
      class = "neargp_error_coordinates")
  }
  refused(~ lat + lon, distance = "chordal")
  refused(~ Latitude + Longitude, c("Longitude", "Latitude"), distance = "chordal")
  refused(~ decimalLatitude + decimalLongitude, c("decimalLongitude", "decimalLatitude"),
    distance = "chordal")
  refused(~ site_lat + b, c("b", "site_lat"), distance = "chordal")
  refused(~ y + x, distance = "chordal")
  expect_no_error(fit(~ b + plateau, c("b", "plateau"), distance = "chordal"))
  expect_no_error(fit(~ lat + lon, distance = "euclidean"))
  expect_error(block_folds(data[c("lat", "lon")], longlat = TRUE, size = 100),
    "Longitude must come first", class = "neargp_error_coordinates")
  skip_if_not_installed("sf")
  refused(~ lat + lon, crs = 4326)
})
