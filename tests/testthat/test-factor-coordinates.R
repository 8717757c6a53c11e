rows_of_factors <- function(n = 80, seed = 61) {
  set.seed(seed)
  data <- data.frame(colour = sample(c("red", "blue", "green", "grey"), n, TRUE), x = runif(n),
    y = runif(n), flag = runif(n) < 0.4,
    size = factor(sample(c("S", "M", "L"), n, TRUE), c("S", "M", "L"), ordered = TRUE))
  data$z <- sin(6 * data$x) + (data$colour == "red") * data$y + as.integer(data$size) / 3 +
    data$flag * cos(4 * data$y) + rnorm(n, sd = 0.1)
  data
}

# exp(-d), every level of a factor 1 from every other, those of ordered ones 1 from the next.
dense_mixed <- function(a, b, variance, range, range_colour, range_size = Inf, range_flag = Inf) {
  apart <- function(name) outer(as.integer(a[[name]]), as.integer(b[[name]]), `-`)
  differ <- function(name) outer(as.character(a[[name]]), as.character(b[[name]]), `!=`)
  variance * exp(-sqrt((outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2) / range^2 +
    differ("colour") / range_colour^2 + differ("flag") / range_flag^2 +
    (apart("size") / range_size)^2))
}

fit_mixed <- function(data, coords = ~ x + y + colour + size + flag, range = c(0.5, 2, 4, 3), ...) {
  neargp(z ~ 1, data, coords = coords, method = exact_gp(), nugget = 0.02,
    covariance = cov_exponential(variance = 1.5, range = range), ...)
}

test_that("any two corners are 1 apart, and two levels are 0 and 1", {
  for (count in 2:9) {
    expect_equal(as.vector(dist(simplex_corners(count))), rep(1, choose(count, 2)))
    expect_identical(dim(simplex_corners(count)), c(count, count - 1L))
  }
  expect_identical(simplex_corners(2L), matrix(c(0, 1)))
})

test_that("likelihood and predictions are those of the dense mixed kernel", {
  data <- rows_of_factors()
  seen <- data[1:70, ]
  new <- data[71:80, ]
  fit <- fit_mixed(seen)
  covariance <- function(a, b) dense_mixed(a, b, 1.5, 0.5, 2, 4, 3)
  S <- covariance(seen, seen) + diag(0.02, 70)
  ones <- rep(1, 70)
  beta <- sum(solve(S, seen$z)) / sum(solve(S, ones))
  e <- seen$z - beta
  expect_equal(c(logLik(fit)), -0.5 * (70 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(e * solve(S, e))))
  weights <- solve(S, covariance(seen, new))
  predicted <- predict(fit, new)
  expect_equal(predicted$mean, beta + drop(crossprod(weights, e)))
  expect_equal(predicted$sd^2, 0.02 + 1.5 - colSums(covariance(seen, new) * weights) +
    (1 - colSums(weights))^2 / sum(solve(S, ones)))
})

test_that("a factor of two levels is a column of 0 and 1", {
  data <- rows_of_factors()
  by_factor <- neargp(z ~ 1, data, coords = ~ flag + x + y, method = vecchia(k = 10),
    covariance = cov_exponential(ard = TRUE))
  numbers <- transform(data, flag = as.double(flag))
  by_number <- neargp(z ~ 1, numbers, coords = ~ x + y + flag, method = vecchia(k = 10),
    covariance = cov_exponential(ard = TRUE))
  expect_identical(coef(by_factor, "covariance"), coef(by_number, "covariance"))
  expect_named(coef(by_factor, "covariance"),
    c("variance", "range_x", "range_y", "range_flag", "nugget"))
  expect_identical(predict(by_factor, data[1:5, ]), predict(by_number, numbers[1:5, ]))
})

test_that("names and order of levels, and the order of coordinates, mean nothing", {
  data <- rows_of_factors()
  known <- c(red = "d", blue = "a", green = "c", grey = "b")
  again <- transform(data, colour = factor(known[colour], c("b", "d", "a", "c")))
  fit <- function(data, coords) neargp(z ~ 1, data, coords = coords, method = vecchia(k = 10),
    covariance = cov_exponential())
  one <- fit(data, ~ x + y + colour)
  other <- fit(again, ~ colour + x + y)
  expect_named(coef(one, "covariance"), c("variance", "range", "range_colour", "nugget"))
  expect_equal(coef(other, "covariance"), coef(one, "covariance"), tolerance = 1e-6)
  expect_equal(predict(other, again), predict(one, data), tolerance = 1e-8)
})

test_that("numbers share a range, each factor has its own, and so all with ard = TRUE", {
  data <- rows_of_factors(40)
  named <- function(coords, ...) {
    locations <- new_locations(data, coords, NULL, "auto", NULL, "z")
    range_groups(cov_exponential(...)$components[[1L]], locations)
  }
  expect_identical(named(~ size + colour + x + flag + y),
    list(group = c(1L, 1L, 2L, 3L, 3L, 3L, 4L),
      names = c("range", "range_size", "range_colour", "range_flag")))
  expect_identical(named(~ x + colour + y, ard = TRUE), list(group = c(1L, 2L, 3L, 3L, 3L),
    names = c("range_x", "range_y", "range_colour")))
  expect_identical(named(~ x + y + flag, anisotropy = TRUE), list(group = c(1L, 1L, 2L),
    names = c("range", "range_flag")))
  for (ard in c(FALSE, TRUE)) {
    expect_identical(named(~ flag + colour, ard = ard), list(group = c(1L, 2L, 2L, 2L),
      names = c("range_flag", "range_colour")))
  }
  expect_error(neargp(z ~ 1, data, coords = ~ x + flag, method = vecchia(k = 5),
    covariance = cov_exponential(anisotropy = TRUE)), "two planar coordinates",
    class = "neargp_error_argument")
})

test_that("factors stand beside longitude and latitude and time, and come back from a fit", {
  data <- transform(rows_of_factors(50), lon = 360 * x - 180, lat = 100 * y - 50, day = 1:50)
  fit <- neargp(z ~ 1, data, coords = ~ colour + lon + size + lat, time = ~ day,
    distance = "chordal", method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = c(3000, 2, 3, 20)))
  expect_identical(fit$locations$embedded_names,
    c(rep("longlat", 3), rep("colour", 3), "size", "day"))
  back <- original_frame(fit)
  expect_equal(back[c("lon", "lat", "day")], data[c("lon", "lat", "day")], tolerance = 1e-9,
    ignore_attr = TRUE)
  expect_identical(as.character(back$colour), data$colour)
  expect_identical(back$size, data$size)
  a <- embed_coordinates(raw_coordinates(data, fit$locations), fit$locations)
  expect_identical(a, unname(fit$data$coords))
})

test_that("levels that the fit does not know are told, those that no row has are as far as others", {
  data <- rows_of_factors(60)
  data$colour <- factor(data$colour, c("red", "blue", "green", "grey", "pink"))
  fit <- fit_mixed(data[-1, ])
  new <- transform(data[1:3, ], colour = "pink")
  S <- dense_mixed(data[-1, ], data[-1, ], 1.5, 0.5, 2, 4, 3) + diag(0.02, 59)
  cross <- dense_mixed(data[-1, ], new, 1.5, 0.5, 2, 4, 3)
  e <- data$z[-1] - coef(fit)
  expect_equal(predict(fit, new)$mean, unname(coef(fit)) + drop(crossprod(cross, solve(S, e))))
  expect_error(predict(fit, transform(new, colour = "mauve")), "colour.*does not know: mauve",
    class = "neargp_error_levels")
  expect_true(is.na(predict(fit, transform(new, colour = factor(c("red", NA, "red"))))$mean[2]))
  expect_identical(nobs(fit_mixed(transform(data, colour = replace(colour, 3, NA)))), 59L)
  expect_error(predict(fit, transform(new, x = "a")), "x is not.*was numeric",
    class = "neargp_error_coordinates")
})

test_that("factors that cannot be coordinates are classed errors", {
  data <- rows_of_factors(60)
  try_with <- function(column) fit_mixed(transform(data, flag = column))
  expect_error(try_with(sprintf("id%d", 1:60)), "60 levels, one for each row",
    class = "neargp_error_levels")
  expect_error(try_with(factor(rep(1:2, 30), 1:70)), "70 levels", class = "neargp_error_levels")
  expect_error(try_with("always"), "flag is constant", class = "neargp_error_coordinates")
  expect_error(try_with(as.Date("2020-01-01") + 1:60), "numeric or factors.*class Date",
    class = "neargp_error_coordinates")
})

test_that("print() tells levels and the correlation between them", {
  fit <- fit_mixed(rows_of_factors(60))
  expect_output(print(fit),
    "factors: colour \\(4 levels\\), size \\(ordered, 3 levels\\) and flag \\(2 levels\\)")
  expect_equal(summary(fit)$level_correlation, exp(-1 / c(range_colour = 2, range_size = 4,
    range_flag = 3)))
  expect_output(print(fit), sprintf("Correlation between levels: %.4f \\(colour\\)", exp(-1 / 2)))
  expect_named(summary(fit)$effective_range, "range")
  expect_identical(level_line(c(range_a = 1 - 2e-7), 4L),
    "Correlation between levels: 0.9999998 (a)")
  alone <- neargp(z ~ 1, rows_of_factors(60), coords = ~ colour + flag, method = exact_gp(),
    nugget = 0.02, covariance = cov_exponential(variance = 1.5, range = c(1, 2)))
  expect_output(print(alone), "Coordinates:  factors: colour")
})

test_extended("a monotone warp learns the spacing of ordered levels", {
  data <- rows_of_factors(80)
  fit <- neargp(z ~ 1, data[1:70, ], coords = ~ x + y + size, method = exact_gp(),
    covariance = cov_exponential(warp = monotone(~ size)))
  levels <- data.frame(x = 0.5, y = 0.5, size = factor(c("S", "M", "L"), c("S", "M", "L"),
    ordered = TRUE))
  warped <- warped_coordinates(fit, levels)
  expect_identical(warped$size[1L], 1)
  expect_identical(warped$size_error[1L], 0)
  expect_true(all(diff(warped$size) > 0))
  # the warped column in the place of the codes, all ranges known
  as_numbers <- transform(data, size = warped$size[as.integer(size)])
  estimates <- coef(fit, "covariance")
  plain <- neargp(z ~ 1, as_numbers[1:70, ], coords = ~ x + y + size, method = exact_gp(),
    nugget = estimates[["nugget"]], covariance = cov_exponential(variance = estimates[["variance"]],
      range = rep(estimates[["range"]], 3), ard = TRUE))
  scaled <- transform(as_numbers, size = size * estimates[["range"]] / estimates[["range_size"]])
  plain <- update(plain, data = scaled[1:70, ])
  expect_equal(predict(fit, data[71:80, ], parameters = "plug-in"),
    predict(plain, scaled[71:80, ]), tolerance = 1e-8)
  expect_error(neargp(z ~ 1, data, coords = ~ x + flag, method = vecchia(k = 5),
    covariance = cov_exponential(warp = monotone(~ flag))), "unordered",
    class = "neargp_error_local")
})

test_extended("classes are told by factors as by columns of 0 and 1, whatever the levels are called", {
  set.seed(62)
  data <- as.data.frame(lapply(c(a = 2, b = 2, c = 3, d = 4),
    function(levels) letters[sample(levels, 300, TRUE)]))
  data$x <- rnorm(300)
  eta <- 1.5 * data$x + 2 * (data$a == data$b) + 3 * (data$c == "b") - 2
  data$y <- factor(ifelse(rlogis(300, eta) > 0, "yes", "no"))
  fit <- function(data) {
    set.seed(63)
    neargp(y ~ 1, data[1:240, ], coords = ~ ., family = binomial(),
      method = loo_k(10, optimizer = "adam", steps = 200), covariance = cov_matern(ard = TRUE))
  }
  by_factors <- fit(data)
  expect_named(coef(by_factors, "covariance"),
    c("variance", paste0("range_", c("x", letters[1:4])), "smoothness", "nugget"))
  new <- data[241:300, ]
  share <- mean(data$y[1:240] == "yes")
  expect_lt(scores(by_factors, newdata = new)$log_loss,
    0.8 * -mean(log(ifelse(new$y == "yes", share, 1 - share))))
  renamed <- transform(data, c = factor(c, c("c", "a", "b")), d = toupper(d),
    a = factor(a, c("b", "a")))
  expect_equal(predict(fit(renamed), renamed[241:300, ]), predict(by_factors, new),
    tolerance = 1e-8)
  two <- data[c("a", "b", "x", "y")]
  numbers <- transform(two, a = as.double(a == "b"), b = as.double(b == "b"))
  expect_identical(predict(fit(two), two[241:300, ]),
    predict(fit(numbers[c("x", "a", "b", "y")]), numbers[241:300, ]))
})

test_extended("every method takes factors", {
  data <- rows_of_factors(120)
  for (method in list(svgp(inducing = 20), odvgp(inducing = 10, mean_inducing = 20),
    ppgpr(inducing = 10), swsgp(inducing = 20, k = 10, epochs = 2), mll_k(k = 5), loo_k(k = 5),
    vecchia(k = 5, inducing = 10), vnngp(k = 5),
    dspp(inducing = 10, epochs = 2, restarts = 1, regularization = 0.5))) {
    fit <- suppressWarnings(neargp(z ~ 1, data[1:100, ], coords = ~ x + y + colour + size,
      method = method, nugget = if (!inherits(method, "neargp_deep")) 0.05,
      covariance = if (!inherits(method, "neargp_deep")) cov_exponential(variance = 1,
        range = c(1, 2, 4))))
    predicted <- predict(fit, data[101:120, ])
    expect_true(all(is.finite(predicted$mean) & predicted$sd > 0), label = method_call(method))
    expect_gt(cor(predicted$mean, data$z[101:120]), if (inherits(method, "neargp_deep")) -1 else
      0.5, label = method_call(method))
  }
  points <- neargp(z ~ 1, data, coords = ~ x + y + colour, nugget = 0.05,
    method = svgp(inducing = data[1:20, ], move = FALSE),
    covariance = cov_exponential(variance = 1, range = c(1, 2)))$inducing
  expect_identical(as.character(points$colour), data$colour[1:20])
})

test_extended("a fit with factors is cross-validated, augmented, updated, kept and drawn", {
  data <- rows_of_factors(90)
  fit <- neargp(z ~ 1, data, coords = ~ x + y + colour, method = vecchia(k = 8),
    covariance = cov_exponential())
  folds <- rep(1:3, 30)
  expect_true(all(is.finite(cross_validate(fit, folds = folds, refit = TRUE)$scores$crps)))
  augmented <- generics::augment(fit)
  expect_identical(as.character(augmented$colour), data$colour)
  expect_named(coef(update(fit, coords = ~ x + y), "covariance"), c("variance", "range", "nugget"))
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[1:3, ]), predict(fit, data[1:3, ]))
  expect_true(all(is.finite(simulate(fit, nsim = 2, seed = 1, newdata = data[1:5, ])[[1]])))
  expect_drawn(plot(fit))
  expect_error(plot(fit, which = "map"), "factors among its coordinates",
    class = "neargp_error_plot")
  expect_identical(attr(empirical_variogram(fit), "unit"), "ranges")
  monthly <- transform(data, month = colour)
  expect_no_warning(neargp(z ~ 1, monthly, coords = ~ x + month, method = vecchia(k = 8),
    nugget = 0.1, covariance = cov_exponential(variance = 1, range = c(1, 2))))
})

test_that("ranges of factors have priors by their own name alone", {
  data <- rows_of_factors(60)
  locations <- new_locations(data, ~ x + y + colour, NULL, "auto", NULL, "z")
  layout <- new_layout(cov_exponential(), 0.1, locations)
  rate <- function(...) {
    with_priors(layout, pc_priors(...), cov_exponential(), locations)
  }
  general <- rate(range = c(0.1, 0.05))
  expect_identical(general$prior_rate > 0, layout$name == "range")
  own <- rate(range_colour = c(0.2, 0.05))
  # P(range < bound) = exp(-rate bound^-a) of the exponential distribution of range^-a
  row <- which(layout$name == "range_colour")
  expect_equal(exp(-own$prior_rate[row] * 0.2^own$prior_power[row]), 0.05)
  expect_identical(own$prior_power[row], -0.5)
})

test_that("a categorical layer of a raster is a factor", {
  skip_if_not_installed("terra")
  data <- rows_of_factors(60)
  fit <- neargp(z ~ 1, data, coords = ~ colour + x + y, method = exact_gp(), nugget = 0.02,
    covariance = cov_exponential(variance = 1.5, range = c(0.5, 2)))
  raster <- terra::rast(nrows = 3, ncols = 4, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "",
    vals = rep(1:2, 6))
  levels(raster) <- data.frame(id = 1:2, colour = c("grey", "red"))
  cells <- terra::as.data.frame(raster, xy = TRUE)
  expect_equal(terra::values(predict(fit, raster))[, "mean"], predict(fit, cells)$mean,
    ignore_attr = TRUE)
})

test_that("text that reads as numbers is no factor among the coordinates unless it is said to be", {
  data <- data.frame(x = as.character(1:4), z = c(1, 3, 2, 5))
  fit <- function(...) neargp(z ~ 1, data, method = exact_gp(), ...)
  expect_error(fit(coords = ~x), "text that reads as numbers: x.*as.numeric",
    class = "neargp_error_coordinates")
  expect_error(fit(coords = ~ x + y), "Column y, which `coords` names, is not in `data`",
    class = "neargp_error_columns")
})

test_that("one word among numbers is no level of a factor among the coordinates", {
  data <- simulated_data(60)
  data$x <- as.character(round(data$x, 1))
  data$x[7L] <- "n/a"
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5)),
    "reads as numbers: x.*Not numbers in x: \"n/a\"", class = "neargp_error_coordinates")
})

test_that("a factor is the only coordinate beside a time", {
  data <- rows_of_factors(40)
  data$day <- as.Date("2024-01-01") + seq_len(40)
  fit <- neargp(z ~ 1, data, coords = ~ colour, time = ~ day, method = exact_gp(), nugget = 0.02,
    covariance = cov_exponential(variance = 1.5, range = c(0.5, 20)))
  differ <- outer(data$colour, data$colour, `!=`)
  K <- 1.5 * exp(-sqrt(differ / 0.5^2 + as.matrix(dist(as.numeric(data$day)))^2 / 20^2)) +
    diag(0.02, 40)
  contrast <- data$z - sum(solve(K, data$z)) / sum(solve(K, rep(1, 40)))
  expect_equal(as.numeric(logLik(fit)), -0.5 * (40 * log(2 * pi) +
    as.numeric(determinant(K)$modulus) + sum(contrast * solve(K, contrast))), tolerance = 1e-8)
})
