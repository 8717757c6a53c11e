binary_fit <- function(n = 150) latent_fit(class ~ height, binomial(), latent_data(n))

test_that("calibration and confusion of 0/1 data are those of their probabilities", {
  fit <- binary_fit()
  p <- loo_predict(fit)$mean
  yes <- fit$data$y == 1
  expect_equal(as.vector(confusion_table(fit)), c(sum(!yes & p <= 0.5), sum(yes & p <= 0.5),
    sum(!yes & p > 0.5), sum(yes & p > 0.5)))
  expect_identical(rownames(confusion_table(fit)), c("no", "yes"))
  curve <- calibration_curve(fit, bins = 4)
  in_first <- p < 0.25
  expect_equal(unlist(curve[1, c("n", "predicted", "observed")], use.names = FALSE),
    c(sum(in_first), mean(p[in_first]), mean(yes[in_first])))
  other <- latent_data(60, seed = 9)
  mean <- predict(fit, other)$mean
  expect_equal(calibration_curve(fit, other, bins = 3), calibration_curve(other$class, prob = mean,
    bins = 3))
  expect_error(calibration_curve(other$class, prob = mean[-1]), class = "neargp_error_length")
})

test_extended("cross-validated 0/1 data are judged by calibration, not by the PIT", {
  fit <- binary_fit(100)
  cv <- cross_validate(fit, folds = rep_len(1:4, 100))
  p <- cv$predictions$mean
  expect_equal(as.vector(confusion_table(cv))[4], sum(fit$data$y == 1 & p > 0.5))
  expect_equal(sum(calibration_curve(cv)$n), 100)
  expect_drawn(plot(cv))
  expect_drawn(plot(cv, which = c("pit", "calibration", "confusion")))
})

test_extended("a fit to 0/1 responses draws its calibration", {
  fit <- binary_fit(100)
  expect_drawn(plot(fit, which = c("qq", "calibration")))
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::autoplot(fit, "calibration")
  expect_equal(drawn$data[c("n", "predicted", "observed")],
    calibration_curve(fit)[c("n", "predicted", "observed")], ignore_attr = TRUE)
  expect_match(drawn$labels$x, sprintf("= %s", fit$data$levels[2L] %||% "1"))
})

test_extended("other responses have no calibration curve", {
  data <- transform(latent_data(100), successes = pmin(count, 4))
  expect_error(calibration_curve(latent_fit(count ~ 1, poisson(), data)), "poisson() response",
    fixed = TRUE, class = "neargp_error_family")
  counts <- latent_fit(cbind(successes, 4 - successes) ~ 1, binomial(), data)
  expect_error(confusion_table(counts), "several trials", class = "neargp_error_family")
  expect_error(plot(counts, which = "calibration"), class = "neargp_error_argument")
  expect_error(calibration_curve(cross_validate(counts, folds = 2)), class = "neargp_error_family")
})
