fit_small <- function(...) {
  neargp(..., method = vecchia(k = 5), nugget = 0.1, covariance = cov_exponential(variance = 1,
    range = 0.3))
}

test_extended("coords may be a formula, names, expressions or a dot", {
  data <- simulated_data(40)
  reference <- fit_small(z ~ 1, data, coords = ~ x + y)
  expect_equal(c(logLik(fit_small(z ~ 1, data, coords = c("x", "y")))), c(logLik(reference)))
  expect_equal(c(logLik(fit_small(z ~ 1, transform(data, x = 10 * x, y = 10 * y),
    coords = ~ I(x / 10) + I(y / 10)))), c(logLik(reference)))
  dotted <- fit_small(z ~ 1, data[c("x", "y", "z")], coords = ~ .)
  expect_equal(c(logLik(dotted)), c(logLik(reference)))
  expect_identical(dotted$locations$raw_names, c("x", "y"))
  without <- fit_small(z ~ 1, data[c("x", "y", "z", "height")], coords = ~ . - height)
  expect_identical(without$locations$raw_names, c("x", "y"))
  one <- fit_small(z ~ 1, data, coords = ~ x)
  expect_equal(ncol(one$data$coords), 1L)
})

test_that("a dot in the trend leaves the coordinates out", {
  fit <- fit_small(z ~ ., simulated_data(40), coords = ~ x + y)
  expect_named(coef(fit), c("(Intercept)", "height", "groupb", "groupc"))
})

test_extended("time has its own range; dates count in days", {
  data <- simulated_data(60)
  data$day <- as.Date("2020-01-01") + seq_len(60)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 10),
    covariance = cov_exponential())
  expect_named(coef(fit, "covariance"), c("variance", "range", "range_time", "nugget"))
  expect_output(print(fit), "time: day in days")
  clock <- transform(data, day = as.POSIXct(day))
  again <- neargp(z ~ 1, clock, coords = ~ x + y, time = ~ day, method = vecchia(k = 10),
    covariance = cov_exponential())
  expect_equal(coef(again, "covariance"), coef(fit, "covariance"), tolerance = 1e-6)
  place <- data.frame(x = 0.5, y = 0.5, day = data$day[10])
  expect_equal(predict(again, transform(place, day = as.POSIXct(day)))$mean,
    predict(fit, place)$mean, tolerance = 1e-6)
  expect_error(predict(fit, transform(place, day = 10)),
    "held dates or date-times in the fit, but holds numbers", class = "neargp_error_coordinates")
  expect_error(neargp(z ~ 1, transform(data, day = "a"), coords = ~ x + y, time = ~ day),
    "time column", class = "neargp_error_coordinates")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, time = ~ day + x), "`time`",
    class = "neargp_error_argument")
})

test_that("longitude and latitude are embedded: chords through the sphere in km", {
  locations <- describe_embedding(list(metric = "longlat", raw_names = c("lon", "lat"),
    time = NULL))
  embedded <- embed_coordinates(cbind(c(0, 90, 0), c(0, 0, 90)), locations)
  expect_equal(as.vector(dist(embedded)), rep(6371.0088 * sqrt(2), 3), tolerance = 1e-10)
  data <- transform(simulated_data(50), lon = x * 360, lat = y * 90)
  fit <- neargp(z ~ 1, data, coords = ~ lon + lat, distance = "chordal", method = vecchia(k = 5),
    nugget = 0.1, covariance = cov_exponential(variance = 1, range = 1000))
  expect_output(print(fit), "chordal distance in km")
  around <- predict(fit, data.frame(lon = c(10, 370), lat = 10))
  expect_equal(around$mean[1], around$mean[2], tolerance = 1e-10)
  pole <- predict(fit, data.frame(lon = c(10, 190), lat = 90))
  expect_equal(pole$mean[1], pole$mean[2], tolerance = 1e-10)
})

test_extended("longitude and latitude say what a projection of them says, and degrees taken as a plane say less", {
  degree <- 6371.0088 * pi / 180
  found <- vapply(1:4, function(seed) {
    data <- transform(simulated_data(220, seed, range = 0.3, nugget = 0.01), east = 40 * x,
      north = 40 * y)
    data <- transform(data, lon = east / (degree * cos(70.2 * pi / 180)), lat = 70 + north / degree)
    fit <- function(...) {
      neargp(z ~ height, data[1:180, ], ..., method = vecchia(k = 15),
        covariance = cov_exponential())
    }
    fits <- list(projected = fit(coords = ~ east + north),
      chordal = fit(coords = ~ lon + lat, distance = "chordal"),
      degrees = fit(coords = ~ lon + lat, distance = "euclidean"))
    expect_equal(coef(fits$chordal, "covariance")[["range"]],
      coef(fits$projected, "covariance")[["range"]], tolerance = 0.02)
    expect_equal(predict(fits$chordal, data[181:220, ])$mean,
      predict(fits$projected, data[181:220, ])$mean, tolerance = 0.01)
    c(sapply(fits, logLik),
      error = sapply(fits, function(fit) scores(fit, newdata = data[181:220, ])$rmse))
  }, double(6))
  expect_lt(max(abs(found["chordal", ] - found["projected", ])), 0.5)
  expect_gt(min(found["chordal", ] - found["degrees", ]), 2)
  expect_gt(mean(found["error.degrees", ] - found["error.chordal", ]), 0)
})

test_extended("bad coordinates are classed errors that say where", {
  data <- simulated_data(40)
  expect_error(fit_small(z ~ 1, data), "`coords` must name", class = "neargp_error_coordinates")
  expect_error(fit_small(z ~ 1, data, coords = ~ lon + y), "Column lon",
    class = "neargp_error_columns")
  expect_error(fit_small(z ~ 1, data, coords = z ~ x), "`coords`", class = "neargp_error_argument")
  for (twice in list(~ y + (x + x), c("x", "y", "x"))) {
    expect_error(fit_small(z ~ 1, data, coords = twice), "`x` more than once",
      class = "neargp_error_coordinates")
  }
  expect_error(fit_small(z ~ 1, data, coords = ~ x * y), "sum of coordinates",
    class = "neargp_error_coordinates")
  expect_error(fit_small(z ~ 1, transform(data, group = I(as.list(x))), coords = ~ x + group),
    "group", class = "neargp_error")
  expect_error(fit_small(z ~ 1, transform(data, x = 1, y = 2), coords = ~ x + y), "same location",
    class = "neargp_error_coordinates")
  expect_error(neargp(z ~ 1, transform(data, x = 1), coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential(ard = TRUE)), "x is constant", class = "neargp_error_coordinates")
  data$x[3] <- Inf
  expect_error(fit_small(z ~ 1, data, coords = ~ x + y), "coordinates have.*row 3",
    class = "neargp_error_missing_values")
  expect_error(fit_small(z ~ 1, transform(data, x = 1:40, y = 100), coords = ~ x + y,
    distance = "chordal"), "row.* 1, 2", class = "neargp_error_coordinates")
  expect_error(fit_small(z ~ 1, data, coords = ~ x, distance = "chordal"), "longitude and latitude",
    class = "neargp_error_coordinates")
})

test_that("degrees by name alone are Euclidean, and reported", {
  data <- data.frame(lon = runif(40, 5, 15), lat = runif(40, 45, 55), z = rnorm(40))
  fit <- function(data, coords = ~ lon + lat, ...) fit_small(z ~ 1, data, coords = coords, ...)
  expect_message(plain <- fit(data), "distance = \"chordal\"", class = "neargp_message_degrees")
  expect_identical(plain$locations$metric, "planar")
  for (chosen in list(list(distance = "euclidean"), list(distance = "chordal"))) {
    expect_no_message(do.call(fit, c(list(data), chosen)))
  }
  expect_no_message(fit(transform(data, lon = 1000 * lon)))
  expect_no_message(fit(transform(data, x = lon, y = lat), ~ x + y))
})

test_that("the response is no coordinate", {
  data <- simulated_data(40)
  expect_error(fit_small(z ~ 1, data, coords = ~ z + x), "`z` is in both",
    class = "neargp_error_coordinates")
  expect_error(fit_small(log(z + 10) ~ 1, data, coords = ~ x, time = ~ z), "`z` is in both",
    class = "neargp_error_coordinates")
})

test_that("without nugget duplicated locations are named", {
  data <- rbind(simulated_data(40), simulated_data(40)[7, ])
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, nugget = 0, method = vecchia(k = 5)),
    "rows 7 and", class = "neargp_error_duplicates")
  expect_identical(duplicated_locations(cbind(c(1, 2, 1, 3), c(1, 2, 1, 3))), c(1L, 3L))
})

test_that("times as text are told from numbers", {
  data <- transform(simulated_data(40), day = as.Date("2020-01-01") + seq_len(40))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 5),
    covariance = cov_exponential(1, c(0.3, 10)))
  expect_error(predict(fit, transform(data[1:2, ], day = "2020-01-03")), "holds text.*as.Date",
    class = "neargp_error_coordinates")
})

test_extended("coordinates and ranges of extreme size are refused by name", {
  data <- simulated_data(30)
  data$near <- 1e-40 * data$x
  data$far <- 1e29 * data$x
  fit <- function(coords, ...) {
    neargp(z ~ 1, data, coords = coords, covariance = cov_exponential(...), method = vecchia(k = 5))
  }
  expect_error(fit(~ near), "The coordinate near spans .*e-4", class = "neargp_error_coordinates")
  expect_error(fit(~ near + y, ard = TRUE), "The coordinate near",
    class = "neargp_error_coordinates")
  expect_error(fit(~ far + y), "another unit", class = "neargp_error_coordinates")
  expect_s3_class(suppressWarnings(fit(~ near + y)), "neargp")
  for (range in c(1e-200, 1e200)) expect_error(cov_matern(range = range),
    "between 1e-30 and 1e\\+30", class = "neargp_error_argument")
  expect_error(cov_gaussian(start = list(range = 1e40)), "start\\$range",
    class = "neargp_error_argument")
})
