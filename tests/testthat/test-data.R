test_that("land_temperature() has the documented shape, units and gaps", {
  cells <- land_temperature()
  expect_named(cells, c("lon", "lat", "temperature", "held_out", "east", "north"))
  expect_equal(nrow(cells), 5600)
  expect_equal(sum(cells$held_out), 1213)
  expect_false(anyNA(cells))
  expect_true(all(cells$temperature > 30 & cells$temperature < 60))
})

test_that("land_temperature() lies on a regular grid of 80 by 70 cells", {
  cells <- land_temperature()
  for (coordinate in c("lon", "lat", "east", "north")) {
    steps <- diff(sort(unique(cells[[coordinate]])))
    expect_equal(steps, rep(mean(steps), length(steps)), tolerance = 1e-3)
  }
  expect_equal(length(unique(cells$lon)), 80)
  expect_equal(length(unique(cells$lat)), 70)
  expect_false(anyDuplicated(cells[c("lon", "lat")]) > 0)
})

test_that("colorado_precipitation() has the documented shape and units", {
  stations <- colorado_precipitation()
  expect_named(stations, c(
    "station", "lon", "lat", "elevation", "precipitation", "years", "east", "north"
  ))
  expect_equal(nrow(stations), 281)
  expect_false(anyNA(stations))
  expect_false(anyDuplicated(stations$station) > 0)
  expect_true(all(stations$years >= 10 & stations$years <= 30))
  # Millimetres: Denver has about 250 of its annual 391 mm from April to September.
  denver <- with(stations, abs(lon + 104.88) < 0.01 & abs(lat - 39.77) < 0.01)
  expect_equal(stations$precipitation[denver], 250, tolerance = 0.1)
})

test_that("wet_days() has the documented shape and units", {
  gauges <- wet_days()
  expect_named(gauges, c("station", "lon", "lat", "observed", "wet", "precipitation", "on_21st",
    "east", "north"))
  expect_equal(nrow(gauges), 1944)
  expect_false(anyDuplicated(gauges$station) > 0)
  expect_false(anyDuplicated(gauges[c("lon", "lat")]) > 0)
  expect_true(all(gauges$observed %in% 1:31 & gauges$wet >= 0 & gauges$wet <= gauges$observed))
  expect_equal(sum(is.na(gauges$on_21st)), 181)
  expect_false(anyNA(gauges[names(gauges) != "on_21st"]))
  # Millimetres: a wet day has at least 2.5 of them, and a day is part of the month.
  expect_true(all(gauges$precipitation >= 2.5 * gauges$wet))
  expect_true(all(gauges$on_21st <= gauges$precipitation + 0.1, na.rm = TRUE))
})

# Distances of projections that preserve shape or area differ from those on the sphere by little.
test_that("projected columns are in kilometres", {
  sphere <- function(data) {
    radians <- data[c("lon", "lat")] * pi / 180
    places <- with(radians, cbind(cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)))
    2 * 6371 * asin(as.vector(stats::dist(places)) / 2)
  }
  for (data in list(land_temperature(), colorado_precipitation(), wet_days())) {
    some <- data[round(seq(1, nrow(data), length.out = 60)), ]
    ratio <- as.vector(stats::dist(some[c("east", "north")])) / sphere(some)
    expect_true(all(abs(ratio - 1) < 0.03))
    expect_gt(stats::cor(some$lon, some$east), 0.98)
    expect_gt(stats::cor(some$lat, some$north), 0.9)
  }
})
