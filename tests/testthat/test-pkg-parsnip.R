parsnip_data <- function() {
  data <- simulated_data(90)
  transform(data, high = factor(ifelse(z > 3, "above 3", "below")), count = rep(0:2, 30))
}

parsnip_fit <- function(model, formula, data, ...) {
  skip_if_not_installed("parsnip")
  suppressMessages(parsnip::fit(parsnip::set_engine(model, "neargp", coords = ~ x + y, ...),
    formula, data = data))
}

test_that("a model of parsnip predicts what the fit predicts", {
  skip_if_not_installed("parsnip")
  data <- parsnip_data()
  own <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15))
  fit <- parsnip_fit(gp_reg(neighbors = 15), z ~ height, data)
  rows <- transform(data[1:5, ], x = x + 0.01)
  expect_equal(predict(fit, rows)$.pred, predict(own, rows)$mean)
  limits <- predict(fit, rows, type = "pred_int", level = 0.8)
  expect_s3_class(limits, "tbl_df")
  expected <- predict(own, rows, interval = "prediction", level = 0.8)
  expect_equal(limits$.pred_lower, expected$lower)
  expect_equal(limits$.pred_upper, expected$upper)
  expect_equal(predict(fit, rows, type = "conf_int")$.pred_upper,
    predict(own, rows, interval = "confidence")$upper)
  expect_equal(predict(fit, rows, type = "raw"), predict(own, rows))
  xy <- parsnip::fit_xy(parsnip::set_engine(gp_reg(neighbors = 15), "neargp", coords = ~ x + y),
    data[c("x", "y", "height")], data$z)
  expect_equal(predict(xy, rows)$.pred, predict(own, rows)$mean)
})

test_that("classes are predicted with their probabilities, by both kinds of fits", {
  skip_if_not_installed("parsnip")
  data <- parsnip_data()
  rows <- data[1:6, ]
  fit <- parsnip_fit(gp_reg("classification"), high ~ height, data)
  table <- predict(fit, rows, type = "prob")
  expect_named(table, c(".pred_above 3", ".pred_below"))
  own <- suppressMessages(neargp(high ~ height, data, coords = ~ x + y))
  expect_equal(unname(as.matrix(table)), unname(as.matrix(predict(own, rows))))
  expect_identical(as.character(predict(fit, rows)$.pred_class),
    c("above 3", "below")[max.col(table)])
  fit <- parsnip_fit(gp_reg("classification"), high ~ height, data, family = binomial())
  own <- suppressMessages(neargp(high ~ height, data, coords = ~ x + y, family = binomial()))
  expect_equal(predict(fit, rows, type = "prob")$.pred_below, predict(own, rows)$mean)
})

test_that("neighbours go to the default method of the response", {
  skip_if_not_installed("parsnip")
  data <- parsnip_data()
  fit <- parsnip_fit(gp_reg(neighbors = 7), count ~ height, data, family = poisson())
  expect_s3_class(fit$fit$method, "neargp_vnngp")
  expect_identical(fit$fit$k, 7L)
  fit <- parsnip_fit(gp_reg("classification", neighbors = 7), high ~ height, data)
  expect_s3_class(fit$fit$method, "neargp_loo_k")
  expect_error(parsnip_fit(gp_reg(neighbors = 7), z ~ height, data, method = vecchia(k = 3)),
    "neighbors", class = "neargp_error_argument")
})

test_that("workflows are tuned", {
  for (package in c("parsnip", "workflows", "tune", "rsample", "yardstick", "dials")) {
    skip_if_not_installed(package)
  }
  data <- parsnip_data()
  model <- parsnip::set_engine(gp_reg(neighbors = tune::tune()), "neargp", coords = ~ x + y)
  workflow <- workflows::add_model(workflows::add_variables(workflows::workflow(), z,
    c(x, y, height)), model, formula = z ~ height)
  withr::local_seed(1)
  folds <- rsample::vfold_cv(data, v = 3)
  tuned <- tune::tune_grid(workflow, folds, grid = data.frame(neighbors = c(2L, 20L)),
    metrics = yardstick::metric_set(yardstick::rmse))
  table <- tune::collect_metrics(tuned)
  rmse <- function(split) {
    fit <- neargp(z ~ height, rsample::analysis(split), coords = ~ x + y, method = vecchia(k = 20))
    held <- rsample::assessment(split)
    sqrt(mean((held$z - predict(fit, held)$mean)^2))
  }
  expect_equal(table$mean[table$neighbors == 20L], mean(vapply(folds$splits, rmse, 0)))
  final <- generics::fit(tune::finalize_workflow(workflow, data.frame(neighbors = 20L)), data)
  own <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20))
  expect_equal(predict(final, data[1:3, ])$.pred, predict(own, data[1:3, ])$mean)
})
