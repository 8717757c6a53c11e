fit_small <- function(...) {
  neargp(..., coords = ~ x + y, method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 0.3))
}

test_that("missing values go by na.action, and print says how many rows", {
  data <- simulated_data(50)
  data$z[4] <- NA
  data$height[5] <- NaN
  data$x[6] <- NA
  fit <- fit_small(z ~ height, data)
  expect_identical(nobs(fit), 47L)
  expect_output(print(fit), "3 dropped for missing values by na.omit")
  expect_length(fitted(fit), 47L)
  excluded <- fit_small(z ~ height, data, na.action = na.exclude)
  expect_identical(which(is.na(fitted(excluded))), c(4L, 5L, 6L), ignore_attr = TRUE)
  expect_error(fit_small(z ~ height, data, na.action = na.fail), "missing values",
    class = "neargp_error_missing_values")
  expect_error(fit_small(z ~ height, data, na.action = na.pass), "response has.*row 4",
    class = "neargp_error_missing_values")
})

test_that("infinite values are never dropped silently", {
  data <- simulated_data(50)
  expect_error(fit_small(z ~ height, transform(data, z = replace(z, c(2, 9), Inf))),
    "response has.*rows 2 and 9", class = "neargp_error_missing_values")
  expect_error(fit_small(z ~ height, transform(data, height = replace(height, 2, -Inf))),
    "trend has.*row 2.*height", class = "neargp_error_missing_values")
  expect_error(fit_small(z ~ log(height + 100), transform(data, height = replace(height, 3, -100))),
    "row 3", class = "neargp_error_missing_values")
  expect_error(fit_small(z ~ 1, transform(data, w = replace(x, 8, Inf)), weights = w),
    "weights have.*row 8", class = "neargp_error_missing_values")
})

test_that("rows are named as in the data, also after subset", {
  data <- simulated_data(50)
  data$z[30] <- Inf
  expect_error(fit_small(z ~ 1, data, subset = 20:50), "row 30",
    class = "neargp_error_missing_values")
})

test_extended("responses and trends that cannot be fitted are classed errors", {
  data <- simulated_data(50)
  expect_error(fit_small(z ~ 1, data[0, ]), "is empty", class = "neargp_error_empty")
  expect_error(fit_small(z ~ 1, data, subset = x > 5), "No rows are left",
    class = "neargp_error_empty")
  expect_error(fit_small(z ~ 1, transform(data, z = NA_real_)), "No rows are left",
    class = "neargp_error_empty")
  expect_error(fit_small(group ~ 1, data), "numeric", class = "neargp_error_response")
  expect_error(fit_small(~ height, data), "two-sided", class = "neargp_error_argument")
  expect_error(fit_small(z ~ 1, transform(data, z = 7)), "constant",
    class = "neargp_error_constant_response")
  expect_error(fit_small(z ~ height, transform(data, z = 2 * height)),
    "exact function of the trend", class = "neargp_error_constant_response")
  expect_error(fit_small(z ~ height + twice, transform(data, twice = 2 * height)), "twice",
    class = "neargp_error_rank")
  large <- transform(data, seconds = 1.7e9 + seq_len(nrow(data)) / 100,
    half = factor(rep_len(1:2, nrow(data))))
  expect_error(fit_small(z ~ 0 + half + seconds, large), "subtract a constant",
    class = "neargp_error_rank")
  expect_error(fit_small(z ~ poly(height, 6), data[1:7, ]), "more rows than",
    class = "neargp_error_rank")
  expect_error(fit_small(z ~ nonsense, data), "Column nonsense", class = "neargp_error_columns")
  expect_error(fit_small(z ~ as.complex(height), data), "complex", class = "neargp_error_formula")
  expect_error(fit_small(z ~ listed, transform(data, listed = I(as.list(height)))), "list",
    class = "neargp_error_columns")
  expect_error(fit_small(z ~ 1, transform(data, w = replace(x, c(5, 6), -1)), weights = w),
    "rows 5 and 6", class = "neargp_error_weights")
  expect_error(fit_small(z ~ 1, transform(data, w = replace(x, 5, 0)), weights = w), "row 5",
    class = "neargp_error_weights")
  expect_error(fit_small(z ~ 1, data, weights = 2), "one weight for each",
    class = "neargp_error_weights")
})

test_extended("settings of a wrong type are classed errors that name them", {
  data <- simulated_data(50)
  wrong <- function(...) neargp(z ~ 1, data, coords = ~ x + y, ...)
  expect_error(neargp(z ~ 1, as.list(data), coords = ~ x + y), "`data`",
    class = "neargp_error_argument")
  expect_error(wrong(method = "vecchia"), "`method`", class = "neargp_error_argument")
  expect_error(wrong(covariance = "matern"), "`covariance`", class = "neargp_error_argument")
  expect_error(wrong(nugget = -1), "`nugget`", class = "neargp_error_argument")
  expect_error(wrong(control = list()), "`control`", class = "neargp_error_argument")
  expect_error(wrong(threads = 0), "`threads`", class = "neargp_error_argument")
  expect_error(wrong(verbose = NA), "`verbose`", class = "neargp_error_argument")
  expect_error(wrong(distance = "manhattan"), "`distance`", class = "neargp_error_argument")
  expect_error(wrong(family = binomial(), method = vecchia()), "binomial",
    class = "neargp_error_family")
  expect_error(wrong(family = gaussian("log")), "log link", class = "neargp_error_family")
  expect_error(wrong(start = c(sill = 1), method = vecchia(k = 5)), "sill",
    class = "neargp_error_argument")
  expect_error(wrong(start = c(range = -1), method = vecchia(k = 5)), "greater than 0",
    class = "neargp_error_argument")
})

test_extended("factors, interactions, polynomials and splines predict as they were fitted", {
  data <- simulated_data(120)
  fit <- neargp(z ~ group * height + splines::ns(x, 3) + poly(y, 2), data, coords = ~ x + y,
    method = vecchia(k = 10))
  whole <- predict(fit, data)
  expect_equal(predict(fit, data[5:8, ])$mean, whole$mean[5:8], tolerance = 1e-10)
  characters <- transform(data[5:8, ], group = as.character(group))
  expect_equal(predict(fit, characters)$mean, whole$mean[5:8], tolerance = 1e-10)
  expect_error(predict(fit, transform(data[1:3, ], group = c("a", "d", "e"))),
    "group.*d and e.*rows 2 and 3", class = "neargp_error_factor_level")
  expect_error(predict(fit, transform(data[1:3, ], x = "a")), class = "neargp_error")
  plain <- fit_small(z ~ height, data)
  expect_error(predict(plain, transform(data[1:3, ], height = "tall")),
    "`height`.*character.*numeric", class = "neargp_error_newdata")
})

test_that("contrasts and dropped levels are kept", {
  data <- simulated_data(60)
  contrasts(data$group) <- contr.sum(3)
  fit <- fit_small(z ~ group, data)
  expect_named(coef(fit), c("(Intercept)", "group1", "group2"))
  expect_equal(predict(fit, data[1:2, ])$mean, predict(fit, data)$mean[1:2])
  data <- simulated_data(60)
  fit <- fit_small(z ~ group, data, subset = group != "c")
  expect_named(coef(fit), c("(Intercept)", "groupb"))
  expect_error(predict(fit, data[data$group == "c", ]), "c", class = "neargp_error_factor_level")
})

test_that("offsets and weights that are no numbers are named", {
  data <- simulated_data(40)
  fit <- function(...) neargp(..., data = data, coords = ~ x + y, method = vecchia(k = 5))
  expect_error(fit(z ~ offset(group)), "`offset\\(group\\)` is of class",
    class = "neargp_error_offset")
  expect_error(fit(z ~ 1, offset = as.character(height)), "`offset` is of class character",
    class = "neargp_error_offset")
  expect_error(fit(cbind(z, height) ~ offset(group)), class = "neargp_error_offset")
  expect_error(fit(z ~ 1, weights = as.character(height)), "numeric vector",
    class = "neargp_error_weights")
  expect_error(fit(z ~ 1, weights = cbind(height^2, 1)), "a matrix", class = "neargp_error_weights")
  data$w <- replace(rep(1, 40), 3, NA)
  expect_error(fit(z ~ 1, weights = w, na.action = na.pass), "row 3",
    class = "neargp_error_missing_values")
  data$count <- rpois(40, 3)
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5),
    weights = w, na.action = na.pass), "row 3", class = "neargp_error_missing_values")
})

test_that("offsets of new rows that are no numbers are named", {
  data <- simulated_data(40)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, offset = height, method = vecchia(k = 5))
  data$height <- as.character(data$height)
  expect_error(predict(fit, data), "`offset` is of class character", class = "neargp_error_offset")
})

test_that("infinite values of the trend of several outputs are named", {
  data <- simulated_data(40)
  expect_error(neargp(cbind(z, height) ~ I(x / 0), data, coords = ~ x + y, method = vecchia(k = 5)),
    "infinite", class = "neargp_error_missing_values")
})

test_extended("what has no value in any row is named", {
  data <- simulated_data(40)
  data$none <- NA_real_
  fit <- function(...) suppressWarnings(fit_small(..., data = data))
  expect_error(fit(z ~ log(-height^2)), "`log(-height^2)` is missing", fixed = TRUE,
    class = "neargp_error_empty")
  expect_error(fit(z ~ height, weights = none), "`weights` is missing",
    class = "neargp_error_empty")
  expect_error(neargp(z ~ 1, data, coords = ~ x + none), "A coordinate",
    class = "neargp_error_empty")
  expect_error(fit(z ~ (1 | none)), "A group", class = "neargp_error_empty")
  expect_error(fit(z ~ height, subset = height > 100), "subset", class = "neargp_error_empty")
})

test_extended("a column that a formula or argument names and data lack is told with those there are", {
  data <- simulated_data(40)
  fit <- function(...) neargp(..., data = data, coords = ~ x + y)
  wrong <- list(quote(fit(none ~ height)), quote(fit(z ~ none)), quote(fit(z ~ c)),
    quote(fit(z ~ offset(none))), quote(fit(z ~ (1 | none))), quote(fit(z ~ (none | group))),
    quote(fit(z ~ 1, weights = none)), quote(fit(z ~ 1, subset = none > 1)),
    if (requireNamespace("mgcv", quietly = TRUE)) quote(fit(z ~ s(none))),
    if (requireNamespace("mgcv", quietly = TRUE)) quote(fit(z ~ s(height, by = none))))
  for (call in Filter(Negate(is.null), wrong)) {
    expect_error(eval(call), "Column (none|c).*columns are x, y", class = "neargp_error_columns")
  }
  none <- data$height # a variable beside the data is as good
  expect_equal(unname(coef(fit_small(z ~ none, data))), unname(coef(fit_small(z ~ height, data))))
})
