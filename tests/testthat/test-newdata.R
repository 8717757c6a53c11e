test_that("the response is not needed, further columns are ignored, row names and class are kept", {
  fit <- fit_once()
  new <- simulated_data(4, seed = 2)
  rownames(new) <- letters[1:4]
  plain <- predict(fit, new)
  expect_identical(rownames(plain), letters[1:4])
  expect_equal(predict(fit, new[c("y", "x", "group", "height")]), plain)
  skip_if_not_installed("tibble")
  expect_s3_class(predict(fit, tibble::as_tibble(new)), "tbl_df")
})

test_that("rows with missing values keep their place and are NA", {
  fit <- fit_once()
  new <- simulated_data(6, seed = 2)
  whole <- predict(fit, new)
  new$height[2] <- NA
  new$group[3] <- NA
  new$x[5] <- NaN
  partial <- predict(fit, new, interval = "prediction")
  expect_identical(is.na(partial$mean), c(FALSE, TRUE, TRUE, FALSE, TRUE, FALSE))
  expect_equal(partial$mean[c(1, 4, 6)], whole$mean[c(1, 4, 6)])
  expect_true(all(is.na(predict(fit, new[2, ])$sd)))
})

test_extended("columns of newdata that are lists, or twice there, are refused where the model needs them", {
  data <- simulated_data(40)
  data$height <- data$x^2
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(5))
  new <- data.frame(x = 0.5, y = 0.5, height = 0)
  expect_error(predict(fit, cbind(new, height = 1)), "more than one column named height",
    class = "neargp_error_columns")
  expect_equal(predict(fit, cbind(new, other = 1, other = 2)), predict(fit, new))
  for (name in c("x", "height")) {
    listed <- new
    listed[[name]] <- list(0)
    expect_error(predict(fit, listed), paste("Column", name, "of `newdata` is a list"),
      class = "neargp_error_columns")
  }
  expect_error(predict(fit, transform(new, x = 1e31)), "beyond 1e\\+30",
    class = "neargp_error_coordinates")
})

test_extended("newdata without a complete row is NA for every trend, basis functions that need rows among them", {
  data <- simulated_data(60)
  new <- simulated_data(3, seed = 2)
  for (formula in list(z ~ splines::ns(height, 3), z ~ poly(cbind(height, x), 2), z ~ group)) {
    fit <- neargp(formula, data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential())
    expect_identical(nrow(predict(fit, new[0L, ])), 0L)
    unknown <- replace(new, c("height", "group"), NA)
    expect_identical(predict(fit, unknown)$mean, rep(NA_real_, 3L))
    expect_true(all(is.na(simulate(fit, 2, seed = 1, newdata = unknown))))
  }
  data$twice <- 2 * data$z + data$height
  outputs <- neargp(cbind(z, twice) ~ splines::ns(height, 3), data, coords = ~ x + y,
    method = vecchia(5), covariance = cov_exponential())
  expect_true(all(is.na(predict(outputs, replace(new, "height", NA))$mean_twice)))
})

test_extended("dates and durations of newdata are read in the unit of the fit, and logical values as numbers", {
  data <- simulated_data(60)
  data$lag <- as.difftime(3 * data$height, units = "hours")
  data$day <- as.Date("2020-01-01") + seq_len(60)
  data$flag <- data$height > 0
  data$seen <- addNA(factor(ifelse(data$flag, "yes", NA)))
  new <- data[1:5, ]
  fit <- function(formula) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(5), covariance = cov_exponential())
  }
  in_hours <- fit(z ~ lag)
  minutes <- new
  units(minutes$lag) <- "mins"
  expect_equal(predict(in_hours, minutes), predict(in_hours, new))
  by_day <- fit(z ~ day)
  expect_error(predict(by_day, transform(new, day = as.POSIXct(day))), "POSIXct, but was Date",
    class = "neargp_error_newdata")
  by_flag <- fit(z ~ flag)
  expect_equal(predict(by_flag, transform(new, flag = as.numeric(flag))), predict(by_flag, new))
  expect_error(predict(by_flag, transform(new, flag = 2)), "numeric, but was logical",
    class = "neargp_error_newdata")
  by_seen <- fit(z ~ seen)
  expect_equal(predict(by_seen, new)$mean[new$flag], predict(by_seen, new[new$flag, ])$mean)
})

test_that("columns of the package units are read in the unit of the fit", {
  as_units <- as_units_or_skip()
  data <- simulated_data(60)
  with_unit <- function(rows, unit, factor = 1) {
    transform(rows, height = as_units(factor * height, unit))
  }
  fit <- function(data) {
    neargp(z ~ height, data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(1, 0.3), nugget = 0.1)
  }
  plain <- fit(data)
  in_metres <- fit(with_unit(data, "m"))
  expect_equal(coef(in_metres), coef(plain))
  expect_equal(predict(in_metres, with_unit(data[1:5, ], "km", 1e-3)), predict(plain, data[1:5, ]))
  expect_equal(predict(in_metres, data[1:5, ]), predict(plain, data[1:5, ]))
  expect_error(predict(in_metres, with_unit(data[1:5, ], "s")), "`height`.*cannot be converted",
    class = "neargp_error_newdata")
})

test_that("matrices and text in newdata are refused where the fit had vectors, numbers or dates", {
  data <- simulated_data(40)
  data$both <- cbind(data$height, data$x)
  data$day <- as.Date("2020-01-01") + seq_len(40)
  new <- data[1:3, ]
  fit <- function(formula, ...) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(1, 0.3, ...), nugget = 0.1)
  }
  refused <- function(fit, name, values, message) {
    new[[name]] <- values
    expect_error(predict(fit, new), message, class = "neargp_error_newdata")
  }
  for (by_height in list(fit(z ~ height), suppressWarnings(fit(z ~ 1, by = ~ height)),
      fit(z ~ (height || group)))) {
    refused(by_height, "height", new$both, "a matrix of 2 columns, but was numeric")
  }
  refused(fit(z ~ both), "both", new$height, "numeric, but was a matrix of 2 columns")
  refused(fit(z ~ both), "both", cbind(new$both, 1), "a matrix of 3 columns, but was a matrix of 2")
  refused(fit(z ~ day), "day", format(new$day), "`day`.*character, but was Date")
  single <- new
  single$height <- matrix(new$height)
  expect_equal(predict(fit(z ~ height), single), predict(fit(z ~ height), new))
})

# Right values: the same trend from its terms.
test_that("functions of several rows or variables in a formula are predicted, in one row as in more", {
  data <- simulated_data(60)
  new <- simulated_data(3, seed = 2)
  fit <- function(formula) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(1, 0.3), nugget = 0.1)
  }
  double <- function(x) 2 * x
  pairs <- list(list(z ~ poly(x, height, degree = 2), z ~ x + height + I(x^2) + I(height^2) +
    I(x * height)), list(z ~ poly(x, height, degree = 2, raw = TRUE), z ~ x + height + I(x^2) +
    I(height^2) + I(x * height)), list(z ~ scale(cbind(x, height)), z ~ x + height),
    list(z ~ double(x):group, z ~ x:group), list(z ~ cut(x, c(0, 0.5, 1)), z ~ I(x > 0.5)))
  for (pair in pairs) {
    ours <- fit(pair[[1L]])
    right <- predict(fit(pair[[2L]]), new)
    expect_no_warning(found <- predict(ours, new))
    expect_equal(found, right, tolerance = 1e-6, info = deparse1(pair[[1L]]))
    expect_equal(predict(ours, new[2L, ])$mean, right$mean[2L], tolerance = 1e-6,
      info = deparse1(pair[[1L]]))
  }
  local <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(sd = ~ poly(x, height, degree = 2)), nugget = 0.1,
    control = neargp_control(max_iterations = 2)))
  expect_equal(predict(local, new[2L, ])$sd, predict(local, new)$sd[2L])
})

test_that("a function that cannot be evaluated in one row does not end the prediction of several", {
  data <- simulated_data(60)
  several <- function(x) if (length(unique(x)) > 1L) x else stop("one row")
  fit <- neargp(z ~ several(height), data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(1, 0.3), nugget = 0.1)
  plain <- update(fit, formula = z ~ height)
  expect_equal(predict(fit, data[1:3, ]), predict(plain, data[1:3, ]))
})

test_that("codes and scales made from the rows of newdata are reported, though the first row alone has them", {
  data <- simulated_data(60)
  data$year <- rep(c(2004, 2010, 2014), 20)
  for (formula in list(z ~ I(scale(height)), z ~ as.numeric(factor(year)))) {
    fit <- neargp(formula, data, coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(1, 0.3), nugget = 0.1)
    expect_warning(predict(fit, data[c(2, 5, 3, 6), ]), "depends on the other rows",
      class = "neargp_warning_newdata")
  }
})

test_extended("a trend that depends on the other rows of newdata is told", {
  data <- simulated_data(60)
  fit <- neargp(z ~ I(height - mean(height)) + scale(x), data, coords = ~ x + y,
    method = vecchia(5), covariance = cov_exponential())
  expect_warning(predict(fit, data[1:5, ]),
    "I\\(height - mean\\(height\\)\\) depends on the other rows", class = "neargp_warning_newdata")
  by_scale <- neargp(z ~ scale(height), data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(), offset = log(x + 1))
  expect_no_warning(predict(by_scale, data[1:5, ]))
})

test_extended("an offset that is not finite in a row of newdata is refused, as in a row alone", {
  data <- simulated_data(40)
  data$effort <- 2
  data$count <- rpois(40, 3)
  new <- data[1:2, ]
  new$effort[1L] <- 0
  for (family in list(gaussian(), poisson(), zi_poisson())) {
    fit <- neargp(count ~ height + offset(log(effort)), data, coords = ~ x + y, family = family,
      method = if (family$family == "gaussian") vecchia(k = 5) else vnngp(k = 5))
    for (ask in list(predict, function(fit, new) simulate(fit, 1, newdata = new))) {
      expect_error(ask(fit, new), "offset .* row 1 of `newdata`",
        class = "neargp_error_missing_values")
      expect_error(suppressWarnings(ask(fit, transform(new, effort = c(2, -1)))),
        "offset .* row 2 of `newdata`", class = "neargp_error_missing_values")
    }
  }
})

test_extended("a matrix as data or newdata is called one, and made a data frame", {
  data <- simulated_data(40)[c("x", "y", "z")]
  expect_error(neargp(z ~ 1, as.matrix(data), coords = ~ x + y), "matrix.*as.data.frame\\(data\\)",
    class = "neargp_error_argument")
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5))
  expect_error(predict(fit, as.matrix(data)), "matrix.*as.data.frame\\(newdata\\)",
    class = "neargp_error_newdata")
})
