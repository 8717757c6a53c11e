test_extended("elpd() sums the log densities of leave-one-out predictions, and fits compare by it", {
  skip_if_not_installed("loo")
  data <- simulated_data(80)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  result <- loo::elpd(fit)
  densities <- predictive_log_density(data$z, left_out_integrated(fit)$distribution)
  expect_equal(mean(densities), -scores(fit)$log_score)
  expect_equal(result$estimates["elpd", "Estimate"], sum(densities))
  expect_equal(result$estimates["elpd", "SE"], sd(densities) * sqrt(80))
  expect_equal(unname(result$pointwise[, "elpd"]), densities)
  compared <- loo::loo_compare(list(with = loo::loo(fit), without = loo::loo(update(fit, z ~ 1))))
  # newer versions of loo add a column of names
  ranked <- if (is.data.frame(compared)) compared$model else rownames(compared)
  expect_identical(as.character(ranked), c("with", "without"))
  expect_warning(loo::loo_compare(list(result, loo::elpd(update(fit, z + 1 ~ height)))), "yhash")
})

test_extended("of counts and classes they are log probabilities", {
  skip_if_not_installed("loo")
  data <- transform(simulated_data(60), count = rep(0:3, 15))
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
  expect_equal(loo::elpd(counts)$estimates["elpd", "Estimate"], -60 * scores(counts)$log_score)
  classes <- neargp(group ~ 1, data, coords = ~ x + y, method = loo_k(k = 8))
  prob <- as.matrix(loo_predict(classes)[paste0("prob_", c("a", "b", "c"))])
  expect_equal(loo::elpd(classes)$estimates["elpd", "Estimate"],
    sum(log(prob[cbind(1:60, as.integer(data$group))])))
  several <- neargp(cbind(z, height) ~ 1, data, coords = ~ x + y, method = vecchia(k = 5))
  expect_error(loo::elpd(several), "one response", class = "neargp_error_method")
})
