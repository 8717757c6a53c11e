# As package bit64 stores them: the bits of 64-bit integers in doubles.
as_integer64 <- function(x) {
  low <- x %% 2^32
  halves <- rbind(ifelse(low >= 2^31, low - 2^32, low), floor(x / 2^32))
  halves[, is.na(x)] <- c(0L, NA)
  halves[halves == -2^31] <- NA # its bits are those of a missing integer
  if (.Platform$endian == "big") halves <- halves[2:1, ]
  bits <- writeBin(as.integer(halves), raw())
  structure(readBin(bits, "double", length(x)), class = "integer64")
}

test_that("64-bit integers are numbers", {
  x <- c(0, 1, -1, 2^31, -2^31, 2^32 + 5, -2^40 - 3, 2^53 - 1, NA)
  expect_identical(plain_column(as_integer64(x)), x)
  matrix <- structure(as_integer64(1:6), dim = 3:2)
  expect_identical(plain_column(matrix), matrix(as.double(1:6), 3L))
  beyond <- as_integer64(c(1, 2^53))
  expect_identical(plain_column(beyond), beyond)
  skip_if_not_installed("bit64")
  expect_identical(plain_column(bit64::as.integer64(x)), x)
})

test_extended("64-bit integers are read as numbers wherever the model has them", {
  data <- simulated_data(40)
  data$count <- rep(1:4, 10)
  data[c("x", "y", "z", "height")] <- round(1000 * data[c("x", "y", "z", "height")])
  wide <- data
  for (name in c("x", "y", "z", "height", "count")) wide[[name]] <- as_integer64(data[[name]])
  new <- data[1:3, ]
  new_wide <- new
  for (name in names(wide)) if (inherits(wide[[name]], "integer64")) {
    new_wide[[name]] <- as_integer64(new[[name]])
  }
  fit <- function(formula, data, ..., covariance = cov_exponential(1e6, 300)) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(5), covariance = covariance,
      nugget = 1e5, ...)
  }
  ask <- list(trend = function(data, new) predict(fit(z ~ height, data), new),
    effects = function(data, new) predict(fit(z ~ height + (1 | count), data), new),
    weights = function(data, new) scores(fit(z ~ 1, data, weights = count), new),
    offset = function(data, new) predict(fit(z ~ 1, data, offset = height), new),
    by = function(data, new) predict(fit(z ~ 1, data, covariance = cov_exponential(1e6, 300) +
      cov_exponential(1, 300, by = ~ height)), new),
    time = function(data, new) predict(fit(z ~ 1, data, time = ~ count,
      covariance = cov_exponential(1e6, c(300, 2))), new),
    source = function(data, new) predict(neargp(z ~ height, row_source(function(number) {
      if (number == 1L) data
    }), coords = ~ x + y, method = svgp(5, move = FALSE), covariance = cov_exponential(1e6, 300),
      nugget = 1e5), new))
  for (name in names(ask)) {
    expected <- ask[[name]](data, new)
    expect_equal(ask[[name]](wide, new_wide), expected, info = name)
    expect_equal(ask[[name]](data, new_wide), expected, info = name)
  }
})

test_that("codes of missing values in labelled columns are missing, and POSIXlt is POSIXct", {
  labelled <- structure(c(1, 2, -9, 99, 5), na_values = -9, na_range = c(90, Inf),
    labels = c(refused = -9), class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr",
      "double"))
  expect_identical(plain_column(labelled), c(1, 2, NA, NA, 5))
  data <- simulated_data(40)
  data$when <- as.POSIXct("2020-01-01", tz = "UTC") + 3600 * rep(1:4, 10)
  listed <- data
  listed$when <- as.POSIXlt(listed$when)
  fit <- function(data) {
    neargp(z ~ (1 | when), data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(1, 0.3), nugget = 0.1)
  }
  expect_equal(predict(fit(listed), listed[1:3, ]), predict(fit(data), data[1:3, ]))
})

test_that("columns without numbers or levels are refused by name where the model needs them", {
  data <- simulated_data(40)
  data$odd <- as_integer64(rep(c(2^60, 2^61), 20))
  expect_no_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(1, 0.3), nugget = 0.1))
  odd <- list(list = as.list(1:40), raw = as.raw(1:40), complex = 1i * 1:40,
    integer64 = data$odd)
  for (kind in names(odd)) {
    data$odd <- odd[[kind]]
    for (formula in list(z ~ odd, z ~ (1 | odd))) {
      expect_error(neargp(formula, data, coords = ~ x + y, method = vecchia(5)),
        "Column odd of `data` is", class = "neargp_error_columns", info = kind)
    }
    expect_error(neargp(z ~ 1, data, coords = ~ x + odd, method = vecchia(5)),
      "Column odd of `data` is", class = "neargp_error_columns", info = kind)
  }
})

test_that("a column without a name is refused", {
  data <- simulated_data(20)
  for (name in c("", NA)) {
    names(data)[3L] <- name
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5)),
      "Column 3 of `data` has no name", class = "neargp_error_columns")
  }
})

test_that("weights, offsets and measurement variances are numbers without a unit", {
  data <- simulated_data(20)
  data$lag <- as.difftime(rep(1, 20), units = "hours")
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, method = vecchia(5), ...)
  expect_error(fit(z ~ 1, weights = lag), "of class difftime", class = "neargp_error_weights")
  expect_error(fit(z ~ offset(lag)), "of class difftime", class = "neargp_error_offset")
  expect_error(fit(z ~ 1, measurement_variance = lag), "of class difftime",
    class = "neargp_error_noise")
  package <- "units" # which no file of the package needs
  skip_if_not_installed(package)
  data$lag <- getExportedValue(package, "as_units")(rep(1, 20), "kg")
  expect_error(fit(z ~ 1, weights = lag), "of class units", class = "neargp_error_weights")
  expect_error(fit(z ~ offset(lag)), "of class units", class = "neargp_error_offset")
  expect_error(fit(z ~ 1, measurement_variance = lag), "of class units",
    class = "neargp_error_noise")
})

test_that("64-bit integers that are observed, weights, places of folds or of maps are numbers", {
  data <- simulated_data(40)
  data[c("x", "y", "z")] <- round(1000 * data[c("x", "y", "z")])
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(1e6, 300), nugget = 1e5)
  new <- data[1:5, ]
  expect_equal(scores(fit, new, observed = as_integer64(new$z), weights = as_integer64(1:5)),
    scores(fit, new, weights = 1:5))
  wide <- data[c("x", "y")]  # data.frame() takes them where bit64 is loaded alone
  for (name in names(wide)) wide[[name]] <- as_integer64(data[[name]])
  folds <- function(locations) withr::with_seed(1, block_folds(locations, size = 300))
  expect_equal(folds(wide), folds(data[c("x", "y")]))
  expect_equal(map_coords(wide, ~ x + y), map_coords(data, ~ x + y))
})
