station_rows <- function(stations = 12L, each = 6L) {
  set.seed(3)
  at <- data.frame(x = runif(stations), y = runif(stations))
  data <- at[rep(seq_len(stations), each), ]
  data$z <- sin(5 * data$x) + rnorm(nrow(data))
  data$station <- rep(seq_len(stations), each)
  data
}

station_fit <- function(data = station_rows(), ...) {
  neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(variance = 1, range = 0.3),
    nugget = 1, method = exact_gp(), threads = 1L, verbose = FALSE, ...)
}

whole <- function(folds, station) {
  all(vapply(split(as.integer(folds), station), function(fold) length(unique(fold)) == 1L, NA))
}

test_that("cross-validation holds out whole locations", {
  data <- station_rows()
  fit <- station_fit(data)
  set.seed(1)
  expect_no_message(by_location <- cross_validate(fit, folds = "location", verbose = FALSE))
  expect_true(whole(by_location$folds, data$station))
  expect_identical(length(unique(by_location$folds)), 10L)
  expect_output(print(by_location), "whole locations")
  few <- station_fit(data[data$station < 5L, ])
  alone <- cross_validate(few, folds = "location", verbose = FALSE)
  left <- loo_predict(few, leave_out = "location")
  expect_equal(alone$predictions$mean, left$mean, tolerance = 1e-8)
  expect_equal(alone$predictions$sd, left$sd, tolerance = 1e-8)
  expect_error(cross_validate(station_fit(transform(data, x = 0.5 + (station > 1) / 9, y = 0.5)),
    folds = "location", verbose = FALSE), NA)
})

test_that("it is said that held-out rows have copies among those that predict them", {
  data <- station_rows()
  fit <- station_fit(data)
  set.seed(1)
  expect_message(cross_validate(fit, folds = 3, verbose = FALSE),
    "72 of 72 held-out rows share their location", class = "neargp_message_copies")
  expect_message(random_folds(fit, 3), class = "neargp_message_copies")
  expect_no_message(cross_validate(fit, folds = block_folds(fit, 3), verbose = FALSE))
  expect_no_message(cross_validate(fit, folds = random_folds(fit, 4, hold_out = "location"),
    verbose = FALSE))
  # half of them is not more than half
  half <- station_fit(data[data$station %% 2L == 1L, ])
  station <- rep(1:6, 6L)
  parted <- ifelse(station <= 3L, rep(1:2, each = 18L), station %% 2L + 1L)
  expect_no_message(cross_validate(half, folds = parted, verbose = FALSE))
  expect_no_message(cross_validate(station_fit(station_rows(30L, 1L)), folds = 3,
    verbose = FALSE))
})

test_that("folds of whole locations hold as many locations each", {
  data <- station_rows()
  fit <- station_fit(data)
  folds <- random_folds(fit, 4, hold_out = "location")
  expect_true(whole(folds, data$station))
  expect_identical(tabulate(folds), rep(18L, 4L))
  expect_output(print(folds), "whole locations")
  expect_error(random_folds(fit, 13, hold_out = "location"), "locations",
    class = "neargp_error_folds")
  expect_error(random_folds(100, 4, hold_out = "location"), class = "neargp_error_argument")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data, coords = c("x", "y"))
  expect_true(whole(random_folds(points, 4, hold_out = "location"), data$station))
  expect_message(random_folds(points, 4), class = "neargp_message_copies")
})

test_that("blocks keep equal locations together, also where these differ by rounding", {
  # a border between blocks is anywhere: what it cuts must be equal
  at <- cbind(x = c(0, 0.1 + 0.2, 0.3, 1), y = c(0, 0.1, 0.1, 1))
  parts <- fold_locations(at, FALSE)
  expect_identical(parts$flat[2L, ], parts$flat[3L, ])
  expect_identical(parts$coords[2L, ], parts$coords[3L, ])
  # either name of a longitude, and any longitude at a pole
  sphere <- fold_locations(cbind(lon = c(180, -180, 90, -90, 10, 120),
    lat = c(10, 10, 0, 0, 90, 90)), TRUE)
  expect_identical(sphere$flat[c(1L, 5L), ], sphere$flat[c(2L, 6L), ])
  expect_false(identical(sphere$flat[3L, ], sphere$flat[4L, ]))
  data <- transform(station_rows(), t = rep(1:6, each = 12L))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ t, nugget = 1, method = vecchia(5),
    covariance = cov_spacetime(cov_exponential(range = 0.3)), threads = 1L, verbose = FALSE)
  expect_identical(fold_locations(fit, FALSE)$coords[, 3L], as.double(data$t))
  expect_true(whole(block_folds(fit, 3), data$station))
})

test_that("several responses and classes have whole locations as folds", {
  data <- station_rows()
  data$b <- data$z + rnorm(72)
  data$class <- factor(ifelse(data$z > 0, "yes", "no"))
  set.seed(2)
  both <- suppressMessages(neargp(cbind(z, b) ~ 1, data, coords = ~ x + y, method = loo_k(5),
    threads = 1L, verbose = FALSE))
  found <- cross_validate(both, folds = "location", verbose = FALSE)
  expect_true(whole(found$folds, data$station))
  classes <- suppressMessages(neargp(class ~ 1, data, coords = ~ x + y, method = loo_k(5),
    threads = 1L, verbose = FALSE))
  expect_true(whole(cross_validate(classes, folds = "location", verbose = FALSE)$folds,
    data$station))
  expect_message(cross_validate(classes, folds = 3, verbose = FALSE),
    class = "neargp_message_copies")
})
