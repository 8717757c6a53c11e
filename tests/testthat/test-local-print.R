test_extended("print() tells the span of local fields and the penalty, summary() the coefficients of bumps and the covariates' deviations", {
  data <- local_data()
  fit <- local_fit(cov_exponential(sd = ~ wet, range = ~ bumps(2)), vecchia(k = 5), data)
  scales <- local_scales(fit)
  three <- function(x) format(signif(x, 3L), digits = 3L)
  shown <- utils::capture.output(print(fit))
  span <- sprintf("Local range: %s to %s over the rows (median %s)", three(min(scales$range)),
    three(max(scales$range)), three(median(scales$range)))
  expect_true(any(grepl(span, shown, fixed = TRUE)))
  expect_true(any(grepl(paste("Local sd:", three(min(scales$sd)), "to", three(max(scales$sd))),
    shown, fixed = TRUE)))
  expect_true(any(
    grepl("Penalty 8.33 on 5 coefficients of sd and range (by default)", shown, fixed = TRUE)))
  expect_true(any(grepl("See local_scales(), plot(fit, \"range\")", shown, fixed = TRUE)))
  expect_true(any(grepl("log_sd:wet", shown)))
  expect_false(any(grepl("bumps1", shown)))
  summarised <- utils::capture.output(print(summary(fit)))
  expect_true(any(grepl("log_range:bumps1", summarised)))
  expect_true(any(grepl(paste("wet", three(sd(data$wet))), summarised, fixed = TRUE)))
  given <- utils::capture.output(print(local_fit(cov_exponential(sd = ~ wet, penalty = 2),
    vecchia(k = 5), data)))
  expect_true("  Penalty 2 on 1 coefficient of sd" %in% given)
  expect_true("  See local_scales(), plot(fit, \"sd\")" %in% given)
})

test_that("columns with bumps in their names are printed as others, and bounds of coefficients have advice", {
  data <- transform(local_data(60), bumps_height = height)
  fit <- local_fit(cov_exponential(sd = ~ bumps_height), exact_gp(), data)
  expect_true(any(grepl("log_sd:bumps_height", utils::capture.output(print(fit)), fixed = TRUE)))
  expect_match(local_deviations(fit), "bumps_height", all = FALSE)
  fit$parameters$at_boundary <- fit$layout$kind == "log_sd"
  expect_match(boundary_advice(fit), "log_sd:bumps_height: the factor changes by e^5", fixed = TRUE)
})

test_extended("print() says whose the penalties are, where to look, and which coordinates are not used", {
  data <- local_data()
  fit <- local_fit(cov_exponential(range = ~ wet, warp = list(expand(3, ~ bumps(2)),
    monotone(~ x, 3))), vecchia(k = 5), data)
  shown <- printed_text(fit)
  expect_match(shown, "local range, monotone warp of x, 3 further coordinates of bumps(2)",
    fixed = TRUE)
  own <- which(fit$layout$kind == "expand")
  coefficients <- length(own) + 1L + 3L
  expect_match(shown, sprintf("Penalty %s on %d coefficients of range, monotone warps and further coordinates (by default)",
    format(signif(100 * coefficients / nrow(data), 3L), digits = 3L), coefficients), fixed = TRUE)
  expect_match(shown, "local_scales(), plot(fit, \"range\"); warped_coordinates(), plot(fit, \"warp\")",
    fixed = TRUE)
  many <- fit
  many$layout$penalty[own] <- 5
  many$layout$penalty[fit$layout$kind %in% c("log_range", "monotone")] <- 2
  expect_match(printed_text(many), "Penalty 2 on 4 coefficients of range and monotone warps, 5 on 12 of further coordinates",
    fixed = TRUE)
  fit$parameters$estimate[own] <- rep(c(1, 1e-4, 0), each = 4L)
  shown <- printed_text(fit)
  expect_match(shown, "Further coordinate 1: spans")
  expect_match(shown, "Further coordinates 2 and 3: not used, .* smaller q or basis")
  fit$parameters$estimate[own] <- 0
  expect_match(printed_text(fit), "Further coordinates 1, 2 and 3: not used, .* no expand\\(\\)")
})
