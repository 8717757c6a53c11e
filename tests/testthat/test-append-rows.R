given <- vecchia(8, ordering = "given")

test_that("rows without a response or covariate are left out, as in a fit of all rows", {
  d <- appendable_rows()
  d$z[c(3, 95, 97)] <- NA
  d$h[99] <- NA
  fits <- appended_and_whole(z ~ h, d, given, nugget = 0.09)
  expect_same_conditioning(fits)
  expect_identical(fits$appended$n_dropped, 4L)
  expect_identical(fits$appended$n_given, 120L)
  expect_identical(row_names_of(fits$appended), row_names_of(fits$whole))
  padded <- appended_and_whole(z ~ h, d, given, nugget = 0.09, na.action = na.exclude)
  expect_identical(length(residuals(padded$appended)), length(residuals(padded$whole)))
  expect_identical(which(is.na(unname(residuals(padded$appended)))),
    which(is.na(unname(residuals(padded$whole)))))
  strict <- appended_and_whole(z ~ h, d[c(1:2, 4:94), ], given, nugget = 0.09, first = 80L,
    na.action = na.fail)$part
  expect_error(update(strict, newdata = d[94:96, ]), "in row 2",
    class = "neargp_error_missing_values")
  none <- update(fits$part, newdata = d[c(95, 97), ])
  expect_identical(none$data, fits$part$data)
  expect_identical(none$n_dropped, 3L)
})

test_that("the condition of `subset` and the levels of factors hold for new rows", {
  d <- appendable_rows()
  expect_same_conditioning(appended_and_whole(z ~ h, d, given, nugget = 0.09, subset = h > -1))
  expect_same_conditioning(appended_and_whole(z ~ h + factor(g), d, given, nugget = 0.09))
  fit <- appended_and_whole(z ~ g, d, given, nugget = 0.09)$part
  expect_error(update(fit, newdata = transform(d[1, ], g = "f")),
    class = "neargp_error_factor_level")
  fit <- appended_and_whole(z ~ (1 | g), d, given, nugget = 0.09)$part
  expect_error(update(fit, newdata = transform(d[1, ], g = "f")), "new estimation",
    class = "neargp_error_levels")
})

test_that("the basis of splines stays that of the fit, and the model is the same", {
  d <- appendable_rows()
  fits <- appended_and_whole(z ~ poly(h, 2), d, given, nugget = 0.09)
  new <- appendable_rows(20L, seed = 9L)
  expect_equal(predict(fits$appended, new), predict(fits$whole, new), tolerance = 1e-8)
  expect_false(isTRUE(all.equal(coef(fits$appended), coef(fits$whole))))
})

test_that("dates, times and units are read as those of the fit", {
  d <- appendable_rows()
  d$day <- as.Date("2024-03-01") + d$t
  covariance <- cov_spacetime(cov_matern(nu = 0.5, range = 0.3, variance = 0.6),
    time = cov_exponential(range = 5), model = "separable")
  fits <- appended_and_whole(z ~ h, d, given, nugget = 0.09, time = ~ day, covariance = covariance)
  new <- transform(appendable_rows(20L, seed = 9L), day = as.Date("2024-03-12"))
  expect_same_conditioning(fits, new)
  by_clock <- transform(d[91:120, ], day = as.POSIXct(day, tz = "UTC"))
  expect_equal(coef(update(fits$part, newdata = by_clock)), coef(fits$appended),
    tolerance = 1e-10)
  skip_if_not_installed("units")
  d$h <- units::set_units(d$h, "m", mode = "standard")
  fits <- appended_and_whole(z ~ h, d, given, nugget = 0.09)
  in_km <- d[91:120, ]
  in_km$h <- units::set_units(in_km$h, "km", mode = "standard")
  expect_equal(coef(update(fits$part, newdata = in_km)), coef(fits$whole), tolerance = 1e-8)
})

test_that("points in another coordinate reference system are refused", {
  skip_if_not_installed("sf")
  d <- sf::st_as_sf(appendable_rows(), coords = c("x", "y"), crs = 32613)
  fit <- neargp(z ~ 1, d[1:90, ], method = given, nugget = 0.09, covariance = cov_matern(nu = 1.5,
    range = 0.3, variance = 0.6))
  more <- update(fit, newdata = d[91:120, ])
  expect_identical(nobs(more), 120L)
  expect_error(update(fit, newdata = sf::st_transform(d[91:120, ], 4326)),
    class = "neargp_error_crs")
})

test_that("responses that the family cannot have are refused", {
  d <- appendable_rows()
  refused <- function(fit, row, class) {
    expect_error(update(fit, newdata = row), class = paste0("neargp_error_", class))
  }
  counts <- appended_and_whole(count ~ 1, d, vnngp(8), family = poisson())$part
  refused(counts, transform(d[1, ], count = -1), "response")
  refused(counts, transform(d[1, ], count = 0.5), "response")
  wet <- appended_and_whole(wet ~ 1, d, vnngp(8), family = binomial())$part
  refused(wet, transform(d[1, ], wet = "perhaps"), "factor_level")
  logs <- appended_and_whole(positive ~ 1, d, given, nugget = 0.09, transform = "log")$part
  refused(logs, transform(d[1, ], positive = -1), "response")
  plain <- appended_and_whole(z ~ 1, d, given, nugget = 0.09)$part
  refused(plain, transform(d[1, ], z = Inf), "missing_values")
  refused(plain, transform(d[1, ], z = "a"), "factor_level")
  refused(plain, d[1, c("x", "y")], "columns")
  refused(plain, d[1, c("x", "z")], "newdata")
  refused(plain, 1, "newdata")
  weighted <- appended_and_whole(z ~ 1, d, given, nugget = 0.09, weights = n)$part
  refused(weighted, d[1, c("x", "y", "z")], "columns")
})

test_that("proportions, limits and trials are read as those of the fit", {
  d <- appendable_rows()
  d$share <- d$successes / d$n
  expect_same_conditioning(appended_and_whole(share ~ 1, d, vnngp(8), family = binomial(),
    weights = n))
  d$low <- pmax(d$z, 0)
  fits <- appended_and_whole(cens(low, ifelse(low > 0, low, -Inf), low) ~ 1, d, vnngp(8),
    family = censored_gaussian(sd = 0.3))
  expect_same_conditioning(fits)
})
