test_extended("a missing output is no row, and a place without outputs is dropped", {
  data <- simulated_outputs(60)
  data[1L, c("zinc", "lead")] <- NA
  data$height[2L] <- NA
  fit <- neargp(cbind(zinc, lead) ~ height, data, coords = ~ x + y, method = loo_k(k = 5))
  kept <- data[-(1:2), ]
  expect_equal(fit$data$places, 58L)
  expect_equal(nobs(fit), sum(!is.na(kept[c("zinc", "lead")])))
  expect_equal(output_matrix(fit$data, fit$data$y), as.matrix(kept[c("zinc", "lead")]),
    ignore_attr = TRUE)
  expect_output(print(fit), "58 \\(2 dropped for missing values by na.omit\\)")
  expect_output(print(fit), sprintf("zinc \\(%d observed\\)", sum(!is.na(kept$zinc))))
  excluded <- update(fit, na.action = na.exclude)
  expect_equal(dim(residuals(excluded, "trend")), c(60L, 2L))
  expect_error(update(fit, na.action = na.fail), class = "neargp_error_missing_values")
})

test_extended("subset, weights and names of outputs", {
  data <- simulated_outputs(60, missing = 0)
  data$w <- rep(c(1, 4), 30)
  fit <- neargp(cbind(log(zinc + 20), b = lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 5),
    weights = w, subset = x > 0.3)
  expect_equal(fit$outputs, c("log(zinc + 20)", "b"))
  expect_equal(fit$data$weights, rep(data$w[data$x > 0.3], 2L))
  matrix <- as.matrix(data[c("zinc", "lead")])
  data$both <- matrix
  same <- neargp(both ~ 1, data, coords = ~ x + y, method = loo_k(k = 5))
  expect_equal(same$outputs, c("zinc", "lead"))
})

test_that("the trend of each output is in its own rows", {
  design <- cbind(`(Intercept)` = 1, height = 1:3)
  X <- outputs_design(design, c(1L, 1L, 2L), c(1L, 3L, 2L), c("a", "b"))
  expect_equal(unname(X), rbind(c(1, 1, 0, 0), c(1, 3, 0, 0), c(0, 0, 1, 2)))
})

test_extended("bad outputs are errors that say what is wrong", {
  data <- simulated_outputs(40)
  fit <- function(formula, ..., d = data) {
    neargp(formula, d, coords = ~ x + y, method = loo_k(k = 5), ...)
  }
  expect_equal(fit(cbind(zinc) ~ 1)$beta, fit(zinc ~ 1)$beta) # one column is one output
  expect_error(fit(cbind(zinc, zinc) ~ 1), "share a name", class = "neargp_error_response")
  expect_error(fit(cbind(zinc, lead * NA) ~ 1), "No value", class = "neargp_error_empty")
  expect_error(fit(cbind(zinc, constant = ifelse(is.na(lead), NA, 2)) ~ 1), "constant",
    class = "neargp_error_constant_response")
  expect_error(fit(cbind(zinc, lead) ~ offset(height)), "do not support an offset",
    class = "neargp_error_formula")
  expect_error(fit(cbind(zinc, paste(lead)) ~ 1), "numeric matrix", class = "neargp_error_response")
  infinite <- data
  infinite$lead[3L] <- Inf
  expect_error(fit(cbind(zinc, lead) ~ 1, d = infinite), "infinite values in row",
    class = "neargp_error_missing_values")
  nothing <- transform(data, zinc = NA_real_, lead = NA_real_)
  expect_error(fit(cbind(zinc, lead) ~ 1, d = nothing), class = "neargp_error_empty")
  expect_error(fit(cbind(zinc, lead) ~ 1, family = poisson()), "vnngp()", fixed = TRUE,
    class = "neargp_error_method")
  expect_error(fit(zinc ~ 1, covariance = cov_coregionalisation(cov_matern())), "several responses",
    class = "neargp_error_argument")
  expect_error(fit(zinc ~ 1, nugget = c(1, 2)), class = "neargp_error_argument")
  expect_error(fit(cbind(zinc, lead) ~ 1, nugget = 0, d = rbind(data, data[2L, ])),
    "different locations",
    class = "neargp_error_duplicates")
})

test_that("places are counted and taken with all of their outputs", {
  data <- outputs_problem(simulated_outputs(30), loo_k(k = 5), known_outputs())$data
  expect_identical(count_places(data), 30L)
  taken <- take_places_of_data(data, function(coords) which(coords[, 1L] > 0.5))
  right <- data$coords[, 1L] > 0.5
  expect_identical(taken$y, data$y[right])
  expect_identical(taken[c("place", "output")],
    list(place = data$place[right], output = data$output[right]))
  expect_identical(count_places(take_data_rows(data, which(data$place > 4))), 26L)
  one <- list(y = 1:3, X = matrix(0, 3L, 0L), coords = cbind(1:3), offset = rep(0, 3L),
    weights = rep(1, 3L))
  expect_identical(count_places(one), 3L)
  expect_identical(take_places_of_data(one, function(coords) which(coords[, 1L] > 1))$y, 2:3)
})

test_that("outputs that are shares of a whole, or determine each other, are told", {
  shares <- cbind(a = c(0.1, 0.5, 0.3, 0.6), b = c(0.4, 0.2, 0.6, 0.1), c = c(0.5, 0.3, 0.1, 0.3))
  expect_warning(warn_of_dependent_outputs(shares, colnames(shares)),
    "shares of a whole.*cbind\\(log\\(a/c\\), log\\(b/c\\)\\)", class = "neargp_warning_outputs")
  expect_warning(warn_of_dependent_outputs(cbind(shares[, 1:2], 3 + shares[, 1] - shares[, 2]),
    c("a", "b", "d")), "combination of the others", class = "neargp_warning_outputs")
  expect_no_warning(warn_of_dependent_outputs(shares[, 1:2], c("a", "b")))
  shares[1, 1] <- NA
  expect_no_warning(warn_of_dependent_outputs(shares[1:3, ], colnames(shares)))
})
