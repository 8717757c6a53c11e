test_that("augment() of new rows has broom's columns, which are those of predict()", {
  fit <- neargp(z ~ height, simulated_data(100), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  new <- simulated_data(20, seed = 3)
  table <- augment(fit, newdata = new, se_fit = TRUE, interval = "prediction", conf.level = 0.8)
  expect_named(table, c(names(new), ".fitted", ".se.fit", ".lower", ".upper", ".resid"))
  expected <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(table$.fitted, expected$mean)
  expect_equal(table$.lower, expected$lower)
  expect_equal(table$.upper, expected$upper)
  expect_equal(table$.se.fit, predict(fit, new, type = "link")$sd)
  expect_equal(table$.resid, new$z - expected$mean)
  expect_named(augment(fit, newdata = new[c("x", "y", "height")]), c("x", "y", "height", ".fitted"))
  expect_error(augment(fit, interval = "confidence"), "for `newdata`",
    class = "neargp_error_argument")
  expect_error(augment(fit, newdata = as.list(new)), "predict\\(\\)",
    class = "neargp_error_argument")
})

test_that("broom finds the methods", {
  skip_if_not_installed("broom")
  fit <- neargp(z ~ height, simulated_data(40), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  expect_identical(broom::tidy(fit, conf.int = TRUE), tidy(fit, conf.int = TRUE))
  expect_identical(broom::glance(fit), glance(fit))
  expect_identical(broom::augment(fit), augment(fit))
})

test_extended("of counts it has the expected response, and of classes their probabilities", {
  data <- transform(simulated_data(80), count = rep(0:3, 20))
  new <- simulated_data(10, seed = 3)
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  expect_equal(augment(counts, newdata = new)$.fitted, predict(counts, new)$mean)
  expect_error(augment(counts, newdata = new, se_fit = TRUE), "unless the link is the identity\\.",
    class = "neargp_error_argument")
  classes <- neargp(group ~ 1, data, coords = ~ x + y, method = loo_k(k = 8),
    family = categorical())
  table <- augment(classes, newdata = new)
  expect_equal(table$.pred_b, predict(classes, new)$prob_b)
  expect_identical(table$.pred_class, predict(classes, new, type = "class")$class)
})

test_extended("tibbles and data.tables come back as such, and can be worked on", {
  data <- simulated_data(60)
  new <- simulated_data(10, seed = 3)
  plain <- predict(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 8)), new)
  for (package in c("tibble", "data.table")) {
    skip_if_not_installed(package)
    as_class <- getExportedValue(package, c(tibble = "as_tibble",
      data.table = "as.data.table")[[package]])
    own <- as_class(data)
    fit <- neargp(z ~ height, own, coords = ~ x + y, method = vecchia(k = 8))
    results <- list(predict(fit, as_class(new)), simulate(fit, 2, newdata = as_class(new)),
      augment(fit), augment(fit, own), augment(fit, newdata = as_class(new)))
    for (result in results) expect_identical(class(result), class(own))
    expect_equal(as.data.frame(results[[1L]]), plain)
    expect_identical(names(own), names(data))
    expect_identical(class(predict(fit, new)), "data.frame")
  }
  table <- results[[1L]]
  # a data.table that others cannot change in place warns here
  expect_no_warning(data.table::set(table, j = "twice", value = 2 * table$mean))
  expect_identical(table$twice, 2 * table$mean)
})

test_extended("sf points of a tibble come back as such", {
  skip_if_not_installed("tibble")
  points <- simulated_sf(60)
  fit <- neargp(z ~ height, points, method = vecchia(k = 8))
  tibble <- sf::st_as_sf(tibble::as_tibble(points))
  expect_identical(class(predict(fit, tibble)), class(tibble))
  expect_s3_class(augment(fit, newdata = points), "sf")
})
