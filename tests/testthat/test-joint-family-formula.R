# Formulas of family parameters in fits of several responses, against separate fits.

geared_catches <- function(n = 120L) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), gear = gl(2, n / 2, labels = c("a",
      "b")))
    field <- sin(6 * d$x) + d$y
    d$count <- rnbinom(n, mu = exp(0.5 + field), size = ifelse(d$gear == "a", 1, 5))
    d$level <- field + rnorm(n, sd = 0.3)
    d
  })
}

fit_geared <- function(d, covariance) {
  neargp(list(count ~ z, level ~ 1), d, coords = ~ x + y, covariance = covariance,
    family = list(nbinom2(size = ~ gear), gaussian()), method = vnngp(k = 8))
}

test_that("without correlation, parameters that depend on covariates are those of a separate fit", {
  d <- geared_catches()
  known <- cov_coregionalisation(cov_matern(nu = 1.5, range = 0.3), matrices = diag(c(0.5, 0.8)))
  fit <- fit_geared(d, known)
  single <- neargp(count ~ z, d, coords = ~ x + y, family = nbinom2(size = ~ gear),
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.5), method = vnngp(k = 8))
  own <- coef(single, "covariance")[c("size", "size:gearb")]
  expect_equal(unname(coef(fit, "covariance")[paste0("count:", names(own))]), unname(own),
    tolerance = 0.01)
  at <- d[c(1, 119), ]
  joint <- predict(fit, at, interval = "prediction", threshold = c(2, 1))
  alone <- predict(single, at, interval = "prediction", threshold = 2, parameters = "plug-in")
  expect_equal(joint$mean_count, alone$mean, tolerance = 2e-3)
  expect_equal(joint$p_exceed_count, alone$p_exceed, tolerance = 0.02)
})

test_that("with shared fields all but indices of such a response works", {
  d <- geared_catches()
  fit <- fit_geared(d, cov_coregionalisation(cov_matern(nu = 1.5), rank = 1))
  expect_true(fit$convergence$converged)
  at <- d[c(1, 119), ]
  # draws follow the parameter of each row
  drawn <- as.matrix(simulate(fit, 4000, seed = 1, newdata = at))
  of_count <- grepl("_count$", colnames(drawn))
  predicted <- predict(fit, at)
  expect_equal(unname(rowMeans(drawn[, of_count])), predicted$mean_count, tolerance = 0.1)
  expect_equal(unname(apply(drawn[, of_count], 1L, sd)), predicted$sd_count, tolerance = 0.15)
  given <- predict(fit, at, outputs = "level", use_observed = TRUE)
  expect_false(isTRUE(all.equal(given$mean_level, predicted$mean_level)))
  expect_true(all(is.finite(scores(fit, at)$log_score)))
  set.seed(1)
  expect_true(all(is.finite(cross_validate(fit, 3)$scores$log_score)))
  expect_error(predict_index(fit, at, statistics = "index", draws = 10), "Formulas of family",
    class = "neargp_error_family")
  expect_s3_class(predict_index(fit, at, statistics = "index", draws = 10, outputs = "level"),
    "neargp_index")
})
