# Fits to the column `lag`, in whatever part of the model it stands.
fits_to_lag <- function(data) {
  data$level <- factor(rep(c("a", "b"), length.out = nrow(data)))
  fit <- function(formula = z ~ 1, covariance = cov_exponential(1, 0.3), nugget = 0.1, ...) {
    suppressMessages(neargp(formula, data, coords = ~ x + y, method = vecchia(5),
      covariance = covariance, nugget = nugget, control = neargp_control(max_iterations = 2), ...))
  }
  quiet <- suppressWarnings
  list(trend = quiet(fit(z ~ lag)), call = quiet(fit(z ~ I(as.numeric(lag)^2))),
    by = quiet(fit(covariance = cov_exponential(1, 0.3) + cov_exponential(1, 0.3, by = ~ lag))),
    sd = quiet(fit(covariance = cov_exponential(sd = ~ lag))),
    range = quiet(fit(covariance = cov_exponential(range = ~ lag))),
    warp = quiet(fit(covariance = cov_exponential(warp = expand(1, ~ lag)))),
    slope = quiet(fit(z ~ 1 + (lag || level))), group = quiet(fit(z ~ 1 + (1 | lag))),
    nugget = quiet(fit(nugget = ~ lag)), offset = quiet(fit(offset = as.numeric(lag))))
}

test_extended("durations of newdata are read in the unit of the fit wherever the model has them", {
  data <- simulated_data(40)
  data$lag <- as.difftime(rep(1:4, 10), units = "hours")
  new <- data[1:3, ]
  new$level <- c("a", "b", "a")
  minutes <- new
  units(minutes$lag) <- "mins"
  fits <- fits_to_lag(data)
  for (name in names(fits)) {
    expect_equal(predict(fits[[name]], minutes), predict(fits[[name]], new), info = name)
  }
  expect_equal(scores(fits$nugget, minutes), scores(fits$nugget, new))
  expect_error(predict(fits$by, transform(new, lag = as.Date("2020-01-01"))),
    "Date, but was difftime", class = "neargp_error_newdata")
})

test_that("a response and a coordinate of package units are read in the unit of the fit", {
  as_units <- as_units_or_skip()
  data <- simulated_data(40)
  with_unit <- function(rows, unit, factor = 1) {
    transform(rows, z = as_units(factor * z, unit), height = as_units(factor * height, unit))
  }
  fit <- neargp(z ~ 1, with_unit(data, "m"), coords = ~ x + y + height, method = vecchia(5),
    covariance = cov_exponential(1, 0.3), nugget = 0.1, distance = "euclidean")
  expect_equal(scores(fit, with_unit(data[1:5, ], "km", 1e-3)),
    scores(fit, with_unit(data[1:5, ], "m")))
})

test_that("differences of times in a formula count in the unit of the fit", {
  data <- simulated_data(40)
  data$from <- as.POSIXct("2020-01-01", tz = "UTC")
  data$to <- data$from + 3600 * seq_len(40)
  new <- data[2:4, ]
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(sd = ~ I(to - from)), nugget = 0.1)
  seconds <- rbind(new, transform(new[1L, ], to = from + 1))
  expect_equal(predict(fit, seconds)$sd[1:3], predict(fit, new)$sd)
})
