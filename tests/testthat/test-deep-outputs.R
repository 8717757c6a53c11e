outputs_data <- function(n = 200L) {
  set.seed(9)
  d <- data.frame(x1 = runif(n), x2 = runif(n, 0, 100), a = rnorm(n),
    w = rep(c(1, 4), length.out = n))
  field <- sin(6 * d$x1) + d$x2 / 100
  d$u <- 50 + 3 * field + 2 * d$a + rnorm(n, sd = 0.3)
  d$v <- 200 * field^2 - 10 * d$a + rnorm(n, sd = 30)
  d$v[c(1:20, 60)] <- NA
  d$u[c(30:35, 60)] <- NA
  d
}

fit_several <- function(method = short_dspp(sites = 3L), data = outputs_data(),
                        formula = cbind(u, v) ~ a, ...) {
  fit_deep(method, data, formula = formula, ...)
}

# Means (rows x outputs) and covariance matrices of all outputs of the field in each component, by
# dense matrices, in the response's units.
dense_outputs <- function(fit, newdata) {
  state <- fit$deep$prediction
  places <- fit$data$coords[!duplicated(fit$data$place), ]
  x <- as.matrix(newdata[fit$locations$raw_names])
  x <- unname(sweep(sweep(x, 2L, colMeans(places)), 2L, apply(places, 2L, sd), "/"))
  scale <- fit$deep$location$scale
  trend <- model.matrix(delete.response(terms(fit)), newdata) %*% matrix(coef(fit), ncol = 2L)
  constants <- constants_of_outputs(state)
  lapply(dense_components(state, x), function(at) {
    list(mean = trend + sweep(sweep(at$mean %*% state$mixing, 2L, constants), 2L, scale, "*"),
      covariance = lapply(seq_len(nrow(x)), function(i) {
        diag(scale) %*% crossprod(state$mixing, at$variance[i, ] * state$mixing) %*% diag(scale)
      }))
  })
}

test_extended("predictions of several outputs are the mixture of dense matrices", {
  new <- outputs_data()[c(2, 40, 150), ]
  for (method in list(short_dspp(sites = 3L), short_dspp(layers = 1L), short_dspp(layers = 3L),
      short_dgp(), short_dgp(objective = "predictive"))) {
    fit <- fit_several(method)
    at <- dense_outputs(fit, new)
    weights <- exp(fit$deep$prediction$log_weights)
    p <- predict(fit, new, interval = "prediction", covariance = TRUE)
    mean <- Reduce(`+`, Map(function(one, w) w * one$mean, at, weights))
    expect_equal(cbind(p$mean_u, p$mean_v), mean, tolerance = 1e-8, ignore_attr = TRUE)
    for (i in 1:3) {
      covariance <- Reduce(`+`,
        Map(function(one, w) w * (one$covariance[[i]] + tcrossprod(one$mean[i, ] - mean[i, ])), at,
        weights))
      expect_equal(unname(attr(p, "covariance")[i, , ]), covariance + diag(fit$nugget),
        tolerance = 1e-7)
      expect_equal(c(p$sd_u[i], p$sd_v[i]), sqrt(diag(covariance) + unname(fit$nugget)),
        tolerance = 1e-7)
    }
    below <- function(limit) vapply(1:2, function(output) {
      rowSums(mapply(function(one, w) {
        w * pnorm(limit[, output], one$mean[, output],
          sqrt(vapply(one$covariance, function(C) C[output, output], 0) + fit$nugget[[output]]))
      }, at, weights))
    }, double(3L))
    expect_equal(below(cbind(p$lower_u, p$lower_v)), matrix(0.025, 3L, 2L), tolerance = 1e-7)
    exceeded <- predict(fit, new, threshold = c(v = 0.5, u = -0.2))
    expect_equal(cbind(exceeded$p_exceed_u, exceeded$p_exceed_v),
      1 - below(cbind(rep(-0.2, 3L), 0.5)), tolerance = 1e-7)
    quantiles <- predict(fit, new, type = "quantile", probs = 0.025)
    expect_equal(quantiles$q0.025_v, p$lower_v)
  }
})

test_extended("the score is the joint log density of what is known at each place, with the noise of its weight", {
  data <- outputs_data()
  fit <- fit_several(weights = w)
  known <- data[-60, ]
  at <- dense_outputs(fit, known)
  weights <- exp(fit$deep$prediction$log_weights)
  y <- cbind(known$u, known$v)
  density <- vapply(seq_len(nrow(known)), function(i) {
    seen <- which(!is.na(y[i, ]))
    sum(mapply(function(one, weight) {
      C <- one$covariance[[i]][seen, seen, drop = FALSE] + diag(fit$nugget[seen] / known$w[i],
        length(seen))
      e <- y[i, seen] - one$mean[i, seen]
      weight * exp(-0.5 * (length(e) * log(2 * pi) + as.numeric(determinant(C)$modulus) +
        sum(e * solve(C, e))))
    }, at, weights))
  }, 0)
  expect_equal(c(logLik(fit)), sum(log(density)), tolerance = 1e-8)
  found <- scores(fit, newdata = known, na.rm = TRUE)
  expect_equal(found$log_score[found$output == "(joint)"], -mean(log(density)), tolerance = 1e-8)
  expect_identical(found$n, c(193L, 179L, 199L))
  expect_equal(-fit$deep$validation$nll, mean(log(density)[fit$deep$validation$rows]),
    tolerance = 1e-8)
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
})

test_extended("each output's scores and residuals are of its own mixture", {
  data <- outputs_data()
  fit <- fit_several()
  known <- data[-60, ]
  at <- dense_outputs(fit, known)
  weights <- exp(fit$deep$prediction$log_weights)
  of_output <- function(p, f) {
    rowSums(mapply(function(one, w) w * f(one$mean[, p],
      sqrt(vapply(one$covariance, function(C) C[p, p], 0) + fit$nugget[[p]])), at, weights))
  }
  density <- of_output(2L, function(mean, sd) dnorm(known$v, mean, sd))
  expect_equal(scores(fit, newdata = known, na.rm = TRUE)$log_score[2L],
    -mean(log(density), na.rm = TRUE), tolerance = 1e-7)
  z <- qnorm(of_output(1L, function(mean, sd) pnorm(known$u, mean, sd)))
  expect_equal(residuals(fit, "quantile")[, "u"], z, tolerance = 1e-6, ignore_attr = TRUE)
  expect_identical(is.na(residuals(fit)[, "v"]), is.na(known$v), ignore_attr = TRUE)
  expect_equal(residuals(fit)[, "u"], known$u - fitted(fit)[, "u"], ignore_attr = TRUE)
  expect_equal(fitted(fit)[, "v"][!is.na(known$v)], predict(fit, known)$mean_v[!is.na(known$v)],
    ignore_attr = TRUE)
  said <- augment(fit)
  expect_equal(said$.std_resid_u, residuals(fit, "quantile")[, "u"], ignore_attr = TRUE)
})

test_that("draws are joint over the outputs of a row", {
  fit <- fit_several()
  new <- outputs_data()[c(2, 150), ]
  draws <- simulate(fit, 4000, seed = 1, newdata = new)
  u <- as.matrix(draws[grep("_u$", names(draws))])
  v <- as.matrix(draws[grep("_v$", names(draws))])
  p <- predict(fit, new, covariance = TRUE)
  expect_lt(max(abs(rowMeans(u) - p$mean_u) / p$sd_u), 0.07)
  for (i in 1:2) expect_equal(cov(cbind(u[i, ], v[i, ])), unname(attr(p, "covariance")[i, , ]),
    tolerance = 0.1)
})

test_extended("a fit does not depend on threads, nor on the outputs' units; it is saved, continued and cross-validated", {
  data <- outputs_data()
  fit <- fit_several()
  for (threads in c(2L, 4L)) expect_identical(fit_several(threads = threads)$deep$state,
    fit$deep$state)
  other <- fit_several(data = transform(data, u = 1e6 * u + 3, v = v / 1e3))
  expect_equal((predict(other, data[1:5, ])$mean_u - 3) / 1e6, predict(fit, data[1:5, ])$mean_u,
    tolerance = 1e-6)
  expect_equal(c(logLik(other)), c(logLik(fit)) - 193 * log(1e6) + 179 * log(1e3), tolerance = 1e-6)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data), predict(fit, data))
  more <- fit_several(start = fit)
  expect_lte(more$deep$validation$nll, fit$deep$validation$nll)
  expect_identical(more$deep$validation$rows, fit$deep$validation$rows)
  folds <- rep_len(1:2, 199L)
  cv <- suppressWarnings(cross_validate(fit, folds = folds, refit = TRUE),
    classes = "neargp_warning_deep")
  places <- (1:200)[-60]
  part <- fit_several(data = data[places[folds != 1], ])
  of_u <- cv$predictions$setting == "u" & cv$predictions$fold == 1
  expect_equal(cv$predictions$mean[of_u],
    predict(part, data[places[cv$predictions$row[of_u]], ])$mean_u, tolerance = 1e-8)
  expect_true(all(is.finite(cv$scores$log_score)))
})

test_that("print, coefficients and tables name the outputs", {
  fit <- fit_several()
  expect_output(print(fit), "fit of 2 responses: deep sigma point process")
  expect_output(print(fit), "of u, .* of v")
  expect_output(print(summary(fit)), "Units:")
  expect_identical(names(coef(fit)), c("u:(Intercept)", "u:a", "v:(Intercept)", "v:a"))
  expect_identical(tail(names(coef(fit, what = "covariance")), 2L), c("nugget_u", "nugget_v"))
  table <- tidy(fit)
  expect_identical(paste(table$response, table$term, sep = ":")[1:4], names(coef(fit)))
  expect_identical(table$term[-(1:4)], names(coef(fit, what = "covariance")))
  expect_identical(tail(table$response, 2L), c("u", "v"))
  expect_identical(glance(fit)$places, 199L)
  expect_equal(sigma(fit), sqrt(fit$nugget))
  expect_drawn(plot(fit, c("trace", "residuals", "qq", "pit")))
  expect_error(plot(fit, "map"), class = "neargp_error_argument")
})

test_extended("what several outputs have not is refused, with what has it", {
  fit <- fit_several()
  new <- outputs_data()[1:2, ]
  expect_error(predict(fit, new, use_observed = TRUE), "vecchia", class = "neargp_error_argument")
  expect_error(predict(fit, new, k = 3), class = "neargp_error_argument")
  for (call in list(quote(simulate(fit, type = "link")), quote(simulate(fit, conditional = FALSE)),
    quote(loo_predict(fit)), quote(vcov(fit)),
    quote(residuals(fit, "loo")), quote(scores(fit)), quote(cross_validate(fit, folds = 2)),
    quote(confint(fit)), quote(covariance_value(fit, 1)))) expect_error(eval(call),
      class = "neargp_error_method", label = deparse1(call))
  expect_error(fit_several(short_dgp(robustness = 1.05)), "robustness",
    class = "neargp_error_method")
  expect_error(fit_several(covariance = cov_coregionalisation(cov_exponential(), rank = 1)),
    class = "neargp_error_covariance")
  expect_error(fit_several(nugget = c(1, 2)), class = "neargp_error_nugget")
  expect_error(fit_several(formula = cbind(u, v) ~ 0 + a), class = "neargp_error_formula")
  expect_error(fit_several(formula = cbind(u, v) ~ offset(a)), class = "neargp_error_formula")
  expect_error(fit_several(data = transform(outputs_data(), v = 3)),
    class = "neargp_error_constant_response")
})
