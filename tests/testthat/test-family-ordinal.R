ordered_data <- function(n = 200, link = plogis) {
  withr::with_seed(4, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    u <- runif(n)
    d$z <- ordered(c("low", "middle", "high", "top")[1 + (u > link(-0.5 - d$h)) +
      (u > link(0.7 - d$h)) + (u > link(2 - d$h))], c("low", "middle", "high", "top"))
    d
  })
}

test_extended("without a field it is the model of MASS", {
  skip_if_not_installed("MASS")
  d <- ordered_data()
  for (link in c("logit", "probit")) {
    fit <- fit_without_field(z ~ h, d, family = ordinal(link))
    other <- MASS::polr(z ~ h, d, method = sub("logit", "logistic", link))
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(other)), tolerance = 1e-6)
    expect_equal(coef(fit)[["h"]], coef(other)[["h"]], tolerance = 1e-3)
    thresholds <- cumsum(c(0, fit$family_parameters)) - coef(fit)[["(Intercept)"]]
    expect_equal(unname(thresholds), unname(other$zeta), tolerance = 1e-3)
    expect_identical(names(fit$family_parameters), c("gap_2", "gap_3"))
    # averaged over what is not known of the trend
    predicted <- predict(fit, d[1:3, ])
    link_moments <- predict(fit, d[1:3, ], type = "link")
    below <- switch(link, logit = plogis, probit = pnorm)
    ends <- c(-Inf, cumsum(c(0, fit$family_parameters)), Inf)
    expected <- t(vapply(1:3, function(i) vapply(1:4, function(k) integrate(function(z) {
      eta <- link_moments$mean[i] + link_moments$sd[i] * z
      dnorm(z) * (below(ends[k + 1] - eta) - below(ends[k] - eta))
    }, -8, 8, rel.tol = 1e-9)$value, 0), double(4)))
    probabilities <- unname(as.matrix(predicted[paste0("prob_", levels(d$z))]))
    expect_equal(probabilities, expected, tolerance = 1e-6)
    expect_equal(predicted$mean, drop(expected %*% 1:4), tolerance = 1e-6)
    expect_equal(predicted$sd^2, drop(expected %*% (1:4)^2) - predicted$mean^2, tolerance = 1e-5)
  }
})

test_extended("a field of categories is fitted by every method, and scored by its categories", {
  d <- ordered_data(80)
  for (method in list(vnngp(k = 5), loo_k(k = 5), svgp(inducing = 8), dspp(inducing = 6, width = 2,
      sites = 2, epochs = 2))) {
    fit <- suppressWarnings(neargp(z ~ h, d, coords = ~ x + y, family = ordinal(), method = method,
      verbose = FALSE))
    probabilities <- as.matrix(predict(fit, d[1:2, ])[paste0("prob_", levels(d$z))])
    expect_equal(unname(rowSums(probabilities)), c(1, 1))
    scored <- scores(fit, d)
    own <- predict(fit, d)[paste0("prob_", levels(d$z))]
    expect_equal(scored$log_score, -mean(log(as.matrix(own)[cbind(1:80, as.integer(d$z))])),
      tolerance = 1e-5)
    above <- predict(fit, d[1:2, ], threshold = 2)$p_exceed
    expect_equal(above, unname(rowSums(probabilities[, 3:4])), tolerance = 1e-6)
  }
  expect_identical(dim(predict(fit, d[0, ])[paste0("prob_", levels(d$z))]), c(0L, 4L))
  expect_equal(rowSums(predict(fit, d[3, ])[paste0("prob_", levels(d$z))]), 1, ignore_attr = TRUE)
  draws <- simulate(fit_without_field(z ~ h, d, ordinal()), 5, newdata = d[1:4, ], seed = 1)
  expect_true(all(unlist(draws) %in% 1:4))
})

test_that("responses that are not ordered, or of too few levels, are refused", {
  d <- ordered_data(30)
  d$plain <- factor(d$z, ordered = FALSE)
  d$two <- ordered(ifelse(d$z == "low", "a", "b"))
  d$number <- as.integer(d$z)
  for (response in c("plain", "two", "number")) {
    expect_error(fit_without_field(reformulate("h", response), d, family = ordinal()), "ordered",
      class = "neargp_error_response")
  }
  fit <- fit_without_field(z ~ h, d, family = ordinal())
  expect_error(scores(fit, d, observed = rep("huge", 30)), class = "neargp_error_factor_level")
})
