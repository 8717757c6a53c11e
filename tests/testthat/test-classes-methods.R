test_that("print() of categories shows how well they are predicted, summary() the estimator as well", {
  data <- class_data(80, repeated = 5L)
  fit <- fixed_class_fit(data, k = 10L)
  printed <- capture.output(print(fit))
  expect_match(printed, "Categories: +a \\(", all = FALSE)
  expect_match(printed, "80 at 75 locations", all = FALSE)
  expect_match(printed, "softmax", all = FALSE)
  expect_match(printed, "not a likelihood", all = FALSE)
  expect_no_match(printed, "Estimator|Slope|(^| )variance|nugget")
  known <- scores(fit)
  at <- grep("^Leave-one-out predictions of all 80 observations:$", printed)
  expect_equal(scan(text = printed[at + 2L], quiet = TRUE), c(known$accuracy, known$log_loss),
    tolerance = 1e-3)
  counts <- vapply(strsplit(trimws(printed[at + 5:7]), " +"), `[`, character(4L), 1:4)
  expect_identical(matrix(as.integer(counts[-1L, ]), 3L, byrow = TRUE),
    matrix(as.integer(confusion_table(fit)), 3L))
  summarised <- capture.output(print(summary(fit)))
  expect_match(summarised, "Estimator: label", all = FALSE)
  expect_match(summarised, "log loss", all = FALSE)
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
})

test_that("coefficients are log odds, a column for each class of several", {
  fit <- fixed_class_fit(class_data(80), k = 10L)
  expect_identical(dimnames(coef(fit)), list(c("(Intercept)", "h"), c("a", "b", "c")))
  two <- fixed_class_fit(class_data(80, c("a", "b")), k = 10L)
  expect_named(coef(two), c("(Intercept)", "h"))
  expect_identical(glance(two)$nobs, 80L)
})

test_that("augment() adds leave-one-out predictions", {
  data <- class_data(50)
  fit <- fixed_class_fit(data, k = 8L)
  expect_equal(augment(fit, data)$.loo_prob_b, loo_predict(fit)$prob_b)
  expect_error(augment(fit, data[1:3, ]), class = "neargp_error_argument")
})

test_that("dropped rows are NA where na.action is na.exclude", {
  data <- class_data(50)
  data$h[4] <- NA
  fit <- fixed_class_fit(data, k = 8L, na.action = na.exclude)
  expect_identical(which(is.na(loo_predict(fit)$prob_a)), 4L)
})

test_that("what is not defined for classes says what is", {
  fit <- fixed_class_fit(class_data(50), k = 8L)
  expect_error(residuals(fit), "loo_predict", class = "neargp_error_family")
  expect_error(fitted(fit), "loo_predict", class = "neargp_error_family")
  expect_error(simulate(fit), class = "neargp_error_family")
})

test_that("a fit is plain data", {
  data <- class_data(50)
  fit <- fixed_class_fit(data, k = 8L)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data), predict(fit, data))
})

test_that("coefficients of several classes are a vector where one is wanted", {
  fit <- fixed_class_fit(class_data(50), k = 8L)
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(table$y.level[c(1, 4, 7)], c("a", "b", NA))
  expect_identical(table$term[c(1, 4)], c("(Intercept)", "h"))
  expect_equal(table$estimate[4], coef(fit)["h", "b"])
  expect_true(all(is.na(vcov(fit))))
  expect_identical(dim(vcov(fit)), c(6L, 6L))
  expect_identical(rownames(confint(fit, parm = "c:h")), "c:h")
})

test_that("a summary has coefficients and covariance, and says of which class the shift among data is", {
  fit <- fixed_class_fit(class_data(50), k = 8L)
  said <- summary(fit)
  expect_identical(rownames(coef(said)), rownames(vcov(fit)))
  expect_equal(said$covariance$estimate, unname(coef(fit, what = "covariance")))
  fit$classifier$bias <- c(-0.25, 0, 0.5)
  expect_match(printed_text(summary(fit), digits = 3), "Near data, add a -0.25, b  ?0.00, c  ?0.50")
})

test_that("augment() of classes has the covariates, and rows that na.exclude left out", {
  data <- class_data(50)
  data$h[4] <- NA
  fit <- fixed_class_fit(data, k = 8L, na.action = na.exclude)
  expect_identical(augment(fit)[c("class", "h", "x", "y")], data[-4, c("class", "h", "x", "y")])
  whole <- augment(fit, data)
  expect_identical(which(is.na(whole$.loo_prob_a)), 4L)
  expect_identical(whole$.loo_prob_a[-4], augment(fit)$.loo_prob_a)
})

test_that("a single trend coefficient of two classes has its name, and is printed", {
  fit <- fixed_class_fit(class_data(classes = c("a", "b")), k = 10, formula = class ~ 1)
  expect_named(coef(fit), "(Intercept)")
  expect_match(capture.output(print(fit)), "(Intercept)", fixed = TRUE, all = FALSE)
})

test_that("print() says of a variance or nugget at its bound that only their ratio says what the labels' mean is", {
  fit <- fixed_class_fit(class_data(60), k = 10L)
  expect_no_match(capture.output(print(summary(fit))), "ratio of variance and nugget")
  bounds <- with_start(fit$method, list(data = fit$data, family = fit$family, layout = fit$layout,
    free = TRUE, locations = fit$locations, groups = component_groups(fit$covariance,
      fit$locations)))$bounds
  kind <- fit$layout$kind
  small <- list(layout = fit$layout, free = rep(TRUE, length(kind)), bounds = bounds)
  working <- replace(pmax(bounds$lower + 1, 0), kind == "variance",
    bounds$lower[kind == "variance"])
  # the range keeps its meaning
  expect_identical(at_bound(working, small), kind == "variance")
  fit$parameters$at_boundary <- kind == "variance"
  fit$parameters$estimate[kind == "variance"] <- 1e-6
  fit$nugget <- 4e-6
  expect_match(printed_text(summary(fit)), "ratio of variance and nugget alone, 0.25")
})
