# hurdle_data(), fit_without_field() and hurdle_fits() are in helper-hurdle.R.

test_that("without fields fitted values are those of pscl", {
  skip_if_not_installed("pscl")
  d <- hurdle_data()
  fit <- hurdle_fits(d)
  other <- pscl::hurdle(count ~ h, d)
  # means over coefficients that are not known, theirs are at the estimates
  expect_equal(fitted(fit), unname(fitted(other)), tolerance = 0.01)
  expect_equal(fitted(fit) + unname(residuals(fit)), d$count)
  expect_equal(nobs(fit), 150L)
  expect_equal(unname(coef(fit)), unname(coef(other)[c(3, 4, 1, 2)]), tolerance = 1e-3)
  expect_equal(unname(vcov(fit)), unname(vcov(other)[c(3, 4, 1, 2), c(3, 4, 1, 2)]),
    tolerance = 0.02)
  expect_equal(unname(confint(fit)), unname(confint(other)[c(3, 4, 1, 2), ]), tolerance = 0.02)
  expect_equal(confint(fit, "positive_h"), confint(fit)[4L, , drop = FALSE])
})

test_extended("rows are left out of both fits", {
  d <- hurdle_data(40)
  fit <- hurdle_fits(d, "amount", Gamma("log"))
  left <- left_out_hurdle(fit, hurdle_rows(fit), 0.95)
  p <- loo_predict(fit$presence)$mean
  zero <- d$amount == 0
  expect_equal(left$log_score[zero], -log1p(-p[zero]))
  expect_equal(left$log_score[!zero], -log(p[!zero]) - loo_log_densities(fit$positive))
  expect_equal(left$mean[!zero], p[!zero] * loo_predict(fit$positive)$mean)
  expect_equal(left$mean[zero], p[zero] * predict(fit$positive, d[zero, ])$mean)
  expect_equal(residuals(fit, "loo"), d$amount - left$mean, ignore_attr = TRUE)
  expect_equal(scores(fit)$log_score, mean(left$log_score))
  z <- withr::with_seed(2, residuals(fit, "standardized"))
  expect_equal(pnorm(z[!zero]), left$pit_upper[!zero], ignore_attr = TRUE, tolerance = 1e-6)
  expect_true(all(pnorm(z[zero]) <= 1 - p[zero]))
  table <- withr::with_seed(2, augment(fit))
  expect_equal(table$.loo_std_resid, unname(z))
  expect_equal(table$.fitted, table$.presence * ifelse(zero, predict(fit$positive, d)$mean,
    replace(double(40), !zero, fitted(fit$positive))))
})

test_extended("folds are left out of both fits", {
  d <- hurdle_data(60)
  fit <- hurdle_fits(d, "amount", Gamma("log"))
  folds <- rep(1:3, 20)
  given <- cross_validate(fit, folds, refit = TRUE, verbose = FALSE)
  part <- given$predictions[given$predictions$fold == 2L, ]
  kept <- d[folds != 2L, ]
  again <- hurdle_fits(kept, "amount", Gamma("log"))
  expected <- score_rows(d$amount[folds == 2L],
    hurdle_distribution(again, d[folds == 2L, ]), 0.95)
  expect_equal(part$log_score, expected$log_score, tolerance = 1e-5)
  expect_equal(part$crps, expected$crps, tolerance = 1e-5)
  expect_equal(part$observed, d$amount[folds == 2L])
  expect_equal(given$scores$crps, mean(given$predictions$crps))
  expect_error(cross_validate(fit, ifelse(d$amount > 0, 1L, 2L)),
    class = "neargp_error_folds")
})

test_extended("limits of the expected response are quantiles of a product", {
  d <- hurdle_data(60)
  fit <- hurdle_fits(d, "count", truncated_poisson())
  new <- d[c(1, 9), ]
  given <- predict(fit, new, interval = "confidence", level = 0.8)
  z <- qnorm((1:600 - 0.5) / 600)
  presence <- predict(fit$presence, new, type = "link")
  positive <- predict(fit$positive, new, type = "link")
  for (i in 1:2) {
    mu <- exp(positive$mean[i] + positive$sd[i] * z)
    product <- outer(plogis(presence$mean[i] + presence$sd[i] * z), mu / -expm1(-mu))
    expect_equal(c(given$lower[i], given$upper[i]), unname(quantile(product, c(0.1, 0.9))),
      tolerance = 1e-3)
    expect_equal(given$se[i], sd(product), tolerance = 0.01)
  }
  table <- augment(fit, newdata = new, se_fit = TRUE, interval = "confidence", conf.level = 0.8)
  expect_equal(table[c(".fitted", ".se.fit", ".lower", ".upper")],
    given[c("mean", "se", "lower", "upper")], ignore_attr = TRUE)
})

test_extended("presence may be a fit to classes, which has no fitted values", {
  d <- hurdle_data(60)
  presence <- neargp(factor(there) ~ h, d, coords = ~ x + y, method = loo_k(k = 10),
    family = binomial(), covariance = cov_exponential(variance = 1, range = 0.2), verbose = FALSE)
  fit <- neargp_hurdle(presence, hurdle_fits(d, "amount", Gamma("log"))$positive)
  absent <- which(d$amount == 0)
  left <- left_out_hurdle(fit, hurdle_rows(fit), 0.95)
  expect_equal(left$log_score[absent], -log(loo_predict(presence)[[1L]][absent]))
  folds <- rep(1:3, 20)
  held <- cross_validate(fit, folds, verbose = FALSE)$predictions
  expect_equal(held$log_score[absent],
    -log(cross_validate(presence, folds, verbose = FALSE)$predictions$prob_0[absent]))
  expect_error(fitted(fit), "fitted probability", class = "neargp_error_family")
})

test_extended("rows of the expected response do not depend on those beside them", {
  d <- hurdle_data(60)
  fit <- hurdle_fits(d, "amount", Gamma("log"))
  new <- d[1:5, ]
  new$h[2L] <- NA
  hurdle <- hurdle_distribution(fit, new)
  together <- expected_limits(fit, new, hurdle, 0.9)
  expect_equal(together, expected_limits(fit, new, hurdle, 0.9, rows_at_once = 2L),
    tolerance = 1e-14)
  expect_identical(is.na(together$lower), 1:5 == 2L)
})

test_that("columns are interpolated as by approx(), also where they stand still", {
  z <- c(-6, -1, 0, 2, 6)
  x <- cbind(c(-2, 0.1, 1, 1.5, 7), 1e4 * z, exp(z))
  at <- cbind(c(-3, -1, 0, 1.2, 8), c(-7e4, 0, 1, 5e4, 9e4), c(0, 0.5, 1, 20, 400))
  expect_equal(increasing_interpolation(x, z)(at),
    sapply(1:3, function(k) stats::approx(x[, k], z, at[, k], rule = 2)$y))
  # P(m <= q) where m is 1 up to z = 0, and everywhere
  still <- cbind(c(1, 1, 1, 2, 3), 1, c(1, 1, 1 - 1e-16, 1, 1))
  found <- increasing_interpolation(still, z)(matrix(c(0.9, 1, 1.5, 3, 4), 5L, 3L))
  expect_equal(found, cbind(c(-6, 0, 1, 6, 6), c(-6, 6, 6, 6, 6), c(-6, 6, 6, 6, 6)))
})

# update() evaluates calls where it is called.
inline_hurdle <- function(d) {
  parts <- list(quote(neargp(there ~ h, d, coords = ~ x + y, method = vnngp(k = 3),
    covariance = cov_exponential(variance = 1e-9, range = 0.1), family = binomial())),
  quote(neargp(amount ~ h, d[d$there == 1, ], coords = ~ x + y, method = vnngp(k = 3),
    covariance = cov_exponential(variance = 1e-9, range = 0.1), family = Gamma("log"))))
  do.call(neargp_hurdle, lapply(parts, eval, environment()))
}

test_extended("update() fits either part or both anew", {
  d <- hurdle_data(60)
  fit <- inline_hurdle(d)
  shorter <- update(fit, . ~ 1)
  expect_identical(names(coef(shorter)), c("presence_(Intercept)", "positive_(Intercept)"))
  one <- update(fit, positive_arguments = list(formula = . ~ 1))
  expect_equal(coef(one, "presence"), coef(fit, "presence"))
  expect_equal(coef(one, "positive"), coef(shorter, "positive"))
  expect_identical(update(fit, method = vnngp(k = 2))$presence$method$k, 2L)
  expect_error(update(fit, presence_arguments = list(1)), class = "neargp_error_argument")
  expect_error(update(fit, . ~ 1, vnngp(k = 2)), class = "neargp_error_argument")
  k <- 2
  calls <- update(fit, method = vnngp(k), verbose = FALSE, evaluate = FALSE)
  expect_identical(calls$presence, update(fit$presence, method = vnngp(k), verbose = FALSE,
    evaluate = FALSE))
  expect_identical(calls$positive$method, quote(vnngp(k)))
})

test_extended("update() tells that a recalibration is lost", {
  d <- hurdle_data(60)
  positive <- neargp(amount ~ h, d[d$there == 1, ], coords = ~ x + y, transform = "log",
    method = vecchia(k = 3), covariance = cov_exponential(variance = 1e-9, range = 0.1),
    verbose = FALSE)
  fit <- neargp_hurdle(inline_hurdle(d)$presence, recalibrate(positive))
  expect_message(again <- update(fit, . ~ 1), "recalibrate\\(\\)",
    class = "neargp_message_recalibration")
  expect_null(again$positive$family$recalibration)
  expect_no_message(update(fit, . ~ 1, evaluate = FALSE))
})

test_extended("tables and prints have both parts", {
  d <- hurdle_data(60)
  fit <- hurdle_fits(d, "amount", Gamma("log"))
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(unique(table$component), c("presence", "positive"))
  expect_equal(table$estimate[table$effect == "trend"], unname(coef(fit)))
  one <- glance(fit)
  expect_equal(one$nobs, 60L)
  expect_equal(one$n_positive, sum(d$amount > 0))
  expect_equal(one$logLik, as.numeric(logLik(fit$presence)) + as.numeric(logLik(fit$positive)))
  expect_error(AIC(fit), class = "neargp_error_not_likelihood")
  expect_error(deviance(fit), class = "neargp_error_not_likelihood")
  expect_output(print(summary(fit)), "Presence.*Pr\\(.*Positive.*Pr\\(")
  expect_drawn(plot(fit))
  expect_error(plot(fit, "map"), class = "neargp_error_argument")
})

test_that("formulas, families, model frames and random effects are those of both parts", {
  d <- hurdle_data(60)
  d$site <- rep(letters[1:6], 10)
  fit <- inline_hurdle(d)
  expect_equal(formula(fit), list(presence = there ~ h, positive = amount ~ h),
    ignore_formula_env = TRUE)
  expect_identical(lapply(family(fit), `[[`, "family"),
    list(presence = "binomial", positive = "Gamma"))
  frames <- model.frame(fit)
  expect_equal(frames$presence[c("there", "h")], d[c("there", "h")], ignore_attr = TRUE)
  expect_equal(frames$positive$amount, d$amount[d$there == 1])
  expect_error(ranef(fit), "no random effects", class = "neargp_error_argument")
  presence <- fit_without_field(there ~ h + (1 | site), d, family = binomial())
  effects <- ranef(neargp_hurdle(presence, fit$positive))
  expect_identical(effects, list(presence = ranef(presence)))
  expect_identical(rownames(effects$presence$site), letters[1:6])
})

test_extended("rows that are not those of both fits are told", {
  d <- hurdle_data(60)
  fit <- hurdle_fits(d, "amount", Gamma("log"))
  positive <- d[d$there == 1, ]
  fewer <- neargp_hurdle(fit$presence,
    fit_without_field(amount ~ h, positive[-1L, ], family = Gamma("log")))
  expect_error(fitted(fewer), "rows of `positive`", class = "neargp_error_fits")
  expect_error(residuals(fewer), class = "neargp_error_fits")
  elsewhere <- neargp_hurdle(fit$presence,
    fit_without_field(amount ~ h, transform(positive, x = rev(x)), family = Gamma("log")))
  expect_error(fitted(elsewhere), "other locations", class = "neargp_error_fits")
})

test_that("draws of a hurdle model ask for newdata, and functions of fits for a fit", {
  hurdle <- structure(list(), class = "neargp_hurdle")
  expect_error(simulate(hurdle, 1), "`newdata` is missing", class = "neargp_error_argument")
  expect_error(simulate(hurdle, 1, newdata = NULL), "`newdata` is missing",
    class = "neargp_error_argument")
  expect_error(local_scales(1), "a fit of neargp", class = "neargp_error_argument")
})

test_that("draws of a hurdle model come in the class of newdata, as those of one fit", {
  skip_if_not_installed("sf")
  d <- hurdle_data()
  hurdle <- hurdle_fits(d, "amount", Gamma("log"))
  drawn <- simulate(hurdle, 3, seed = 1, newdata = d[1:4, ])
  expect_identical(names(drawn), c("sim_1", "sim_2", "sim_3"))
  expect_identical(names(drawn), names(simulate(hurdle$positive, 3, seed = 1, newdata = d[1:4, ])))
  expect_identical(dim(as.matrix(drawn)), c(4L, 3L))
  at <- sf::st_as_sf(d[1:4, ], coords = c("x", "y"))
  placed <- simulate(hurdle, 3, seed = 1, newdata = at)
  expect_s3_class(placed, "sf")
  expect_equal(as.matrix(sf::st_drop_geometry(placed)), as.matrix(drawn), ignore_attr = TRUE)
})
