# New rows of each class for fits of several responses: results come back in that class, with the
# values of the same locations as sf points.

two_joint_responses <- function() {
  skip_if_not_installed("sf")
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60))
  field <- sin(6 * d$x) + d$y
  d$present <- rbinom(60, 1, plogis(2 * field))
  d$amount <- ifelse(d$present == 1, rgamma(60, 3, 3 / exp(field)), NA)
  d$kind <- ifelse(d$x < 0.4, "wood", sample(c("bog", "heath"), 60, TRUE))
  sf::st_as_sf(d, coords = c("x", "y"), crs = 32633)
}

fit_presence_and_amount <- function(d = two_joint_responses()) {
  neargp(list(present ~ 1, amount ~ 1), d, family = list(binomial(), Gamma("log")),
    method = vnngp(k = 5))
}

hurdle_of_two_fits <- function(d = two_joint_responses()) {
  neargp_hurdle(neargp(present ~ 1, d, family = binomial(), method = vnngp(k = 5)),
    neargp(amount ~ 1, d[d$present == 1, ], family = Gamma("log"), method = vnngp(k = 5)))
}

fit_kinds <- function(d = two_joint_responses()) {
  neargp(kind ~ 1, d, family = multinomial(), method = vnngp(k = 5))
}

test_extended("predict() and simulate() return a stars grid for a stars grid", {
  skip_if_not_installed("stars")
  joint <- fit_presence_and_amount()
  grid <- stars::st_as_stars(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 1, ymax = 1),
    crs = sf::st_crs(32633)), nx = 4, ny = 3)
  points <- sf::st_as_sf(as.data.frame(grid), coords = c("x", "y"), crs = 32633)
  for (fit in list(joint, neargp_hurdle(joint), hurdle_of_two_fits(), fit_kinds())) {
    for (f in list(predict, function(...) simulate(fit, 2, seed = 1, newdata = grid),
      function(fit, newdata) predict(fit, newdata, type = "quantile"))) {
      expect_s3_class(f(fit, grid), "stars")
      expect_identical(stars::st_dimensions(f(fit, grid)), stars::st_dimensions(grid))
    }
    found <- predict(fit, grid)
    rows <- sf::st_drop_geometry(predict(fit, points))
    expect_identical(names(found), names(rows))
    for (name in names(rows)) expect_equal(as.vector(found[[name]]), rows[[name]])
    draws <- sf::st_drop_geometry(simulate(fit, 2, seed = 1, newdata = points))
    expect_equal(as.vector(simulate(fit, 2, seed = 1, newdata = grid)[[2L]]), draws[[2L]])
  }
  expect_s3_class(predict(joint, grid, type = "factor"), "stars")
  expect_error(predict(joint, grid, covariance = TRUE), class = "neargp_error_argument")
})

test_extended("a hurdle model returns formulas, families and model frames of its joint fit", {
  d <- two_joint_responses()
  joint <- neargp(list(present ~ 1, amount ~ 1), d, family = list(binomial(), Gamma("log")),
    method = vnngp(k = 5))
  hurdle <- neargp_hurdle(joint)
  expect_identical(formula(hurdle), formula(joint))
  expect_identical(lapply(family(hurdle), `[[`, "family"),
    list(present = "binomial", amount = "Gamma"))
  frames <- model.frame(hurdle)
  expect_named(frames, c("present", "amount"))
  expect_equal(frames$amount$amount, d$amount[d$present == 1])
  expect_error(ranef(hurdle), "several responses", class = "neargp_error_method")
  expect_error(fitted(hurdle), "not available for the fitted rows",
    class = "neargp_error_argument")
})

test_extended("a SpatVector returns a SpatVector", {
  skip_if_not_installed("terra")
  d <- two_joint_responses()
  joint <- fit_presence_and_amount(d)
  new <- terra::vect(d[1:3, ])
  for (fit in list(joint, neargp_hurdle(joint), hurdle_of_two_fits(d), fit_kinds(d))) {
    found <- predict(fit, new)
    expect_s4_class(found, "SpatVector")
    expect_equal(as.data.frame(found), sf::st_drop_geometry(predict(fit, d[1:3, ])),
      ignore_attr = TRUE)
    drawn <- simulate(fit, 1, seed = 1, newdata = new)
    expect_s4_class(drawn, "SpatVector")
    expect_equal(as.data.frame(drawn), sf::st_drop_geometry(simulate(fit, 1, seed = 1,
      newdata = d[1:3, ])), ignore_attr = TRUE)
  }
  augmented <- augment(joint, newdata = new)
  expect_s4_class(augmented, "SpatVector")
  expect_equal(augmented$.fitted_amount, augment(joint, newdata = d[1:3, ])$.fitted_amount)
  expect_s3_class(augment(joint, newdata = d[1:3, ]), "sf")
  for (hurdle in list(neargp_hurdle(joint), hurdle_of_two_fits(d))) {
    augmented <- augment(hurdle, newdata = new)
    expect_s4_class(augmented, "SpatVector")
    expect_equal(augmented$.fitted, augment(hurdle, newdata = d[1:3, ])$.fitted)
    d$catch <- ifelse(d$present == 1, d$amount, 0)
    expect_equal(scores(hurdle, terra::vect(d), "catch"), scores(hurdle, d, "catch"))
    expect_equal(scores(hurdle, terra::vect(d), d$catch), scores(hurdle, d, "catch"))
  }
  expect_error(predict(joint, new, covariance = TRUE), class = "neargp_error_argument")
})

test_that("thresholds of polygons are those of each response's means over areas", {
  d <- two_joint_responses()
  joint <- neargp(list(a = amount ~ 1, b = present ~ 1), d, method = vnngp(k = 5))
  squares <- sf::st_sf(geometry = sf::st_make_grid(d, n = 2))
  means <- predict(joint, squares, threshold = c(1, 0.5))
  normal <- pnorm(0.5, means$mean_b, means$sd_b, lower.tail = FALSE)
  expect_equal(means$p_exceed_b, normal)
  expect_error(predict(joint, squares, threshold = 1, threshold_of = "mean"), "threshold_of",
    class = "neargp_error_argument")
})

test_that("no new rows return no rows", {
  d <- two_joint_responses()
  hurdle <- neargp_hurdle(fit_presence_and_amount(d))
  for (interval in c("none", "prediction")) {
    found <- predict(hurdle, d[0, ], interval = interval, threshold = 1)
    expect_identical(nrow(found), 0L)
    expect_identical(names(found), names(predict(hurdle, d[1, ], interval = interval,
      threshold = 1)))
  }
})

test_that("polygons of terra are areas as those of sf are", {
  skip_if_not_installed("terra")
  d <- two_joint_responses()
  squares <- sf::st_sf(seen = sin(1:9), geometry = sf::st_make_grid(d, n = 3))
  fit_with <- function(areas) {
    neargp(list(points = amount ~ 1, areas = seen ~ 1), list(d, areas), method = vnngp(k = 5),
      support = block_support(points = 4), family = list(gaussian()),
      covariance = cov_coregionalisation(cov_exponential(), rank = 1))
  }
  expect_equal(fit_with(terra::vect(squares))$log_likelihood, fit_with(squares)$log_likelihood)
})
