test_that("weights maximise the sum of log densities with two rows for each member", {
  set.seed(2)
  log_density <- cbind(a = dnorm(rnorm(40), log = TRUE), b = dnorm(rnorm(40), 0.5, log = TRUE),
    c = dnorm(rnorm(40, 2), log = TRUE))
  penalised <- function(w) -sum(log(exp(log_density) %*% w)) - 2 * sum(log(w))
  by_ratio <- function(u) {
    w <- c(exp(u), 1)
    penalised(w / sum(w))
  }
  best <- optim(c(0, 0), by_ratio, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000))
  expected <- c(exp(best$par), 1) / sum(exp(best$par), 1)
  found <- stacking_weights(log_density)
  expect_equal(unname(found), expected, tolerance = 1e-5)
  expect_named(found, c("a", "b", "c"))
  # Densities that underflow are relative to each other.
  expect_equal(stacking_weights(log_density - 2000), found)
  expect_equal(stacking_weights(cbind(a = rep(-1, 8), b = rep(-1e6, 8))), c(a = 10, b = 2) / 12)
})

test_that("the weights of a fit are those of its left-out densities", {
  d <- learner_data()
  fit <- learned_fit(d)
  left <- loo_predict(fit$process, parameters = "plug-in")
  member <- fit$members$lm
  density <- cbind(dnorm(d$z, left$mean, left$sd), dnorm(d$z, member$left_out, member$sd))
  of_first <- function(w) sum(log(density %*% c(w, 1 - w))) + 2 * log(w) + 2 * log(1 - w)
  best <- optimize(of_first, c(0, 1), maximum = TRUE, tol = 1e-10)$maximum
  expect_equal(coef(fit), c(process = best, lm = 1 - best), tolerance = 1e-6)
  expect_equal(member$sd, sqrt(mean((d$z - member$left_out)^2)))
  expect_equal(loo_predict(fit)$mean, best * left$mean + (1 - best) * member$left_out,
    tolerance = 1e-6)
  expect_equal(scores(fit)$log_score, -mean(log(density %*% coef(fit))))
})

test_that("predictions are those of the mixture", {
  d <- learner_data()
  fit <- learned_fit(d)
  new <- learner_data(4, seed = 9)
  given <- predict(fit, new, interval = "prediction", level = 0.8, threshold = c(0, 1))
  process <- predict(fit$process, new, parameters = "plug-in")
  m <- cbind(process$mean, predict(lm(z ~ h + I(h^2), d), new))
  s <- cbind(process$sd, fit$members$lm$sd)
  w <- coef(fit)
  expect_equal(given$mean, unname(drop(m %*% w)))
  expect_equal(given$sd, unname(sqrt(drop((s^2 + m^2) %*% w) - given$mean^2)))
  below <- function(q, i) sum(w * pnorm(q, m[i, ], s[i, ]))
  for (i in 1:4) {
    expect_equal(below(given$lower[i], i), 0.1)
    expect_equal(below(given$upper[i], i), 0.9)
    expect_equal(given$p_exceed_0[i], 1 - below(0, i))
    expect_equal(given$p_exceed_1[i], 1 - below(1, i))
  }
  expect_equal(predict(fit, new, type = "quantile", probs = c(0.1, 0.9)),
    given[c("lower", "upper")], ignore_attr = TRUE)
  density <- sapply(1:4, function(i) sum(w * dnorm(new$z[i], m[i, ], s[i, ])))
  expect_equal(scores(fit, new)$log_score, -mean(log(density)))
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new))
  expect_lt(max(abs(rowMeans(draws) - given$mean) / given$sd * sqrt(4000)), 4)
  expect_equal(apply(draws, 1, sd), given$sd, tolerance = 0.05, ignore_attr = TRUE)
})

test_that("a learner that knows its rows by heart has no weight for it", {
  d <- learner_data()
  d$noise <- rnorm(50)
  set.seed(4)
  fit <- learned_fit(d, z ~ h + learner(nearest_row, predict = predict_nearest_row,
    predictors = "noise"))
  member <- fit$members$nearest_row
  expect_equal(predict_nearest_row(member$model, d["noise"]), d$z)
  expect_gt(member$sd, sd(d$z))
  expect_lt(coef(fit)[["nearest_row"]], 0.2)
  set.seed(4)
  folds <- random_folds(50, 10)
  by_hand <- double(50)
  for (fold in 1:10) {
    kept <- d[folds != fold, c("noise", "z")]
    by_hand[folds == fold] <- predict_nearest_row(nearest_row(z ~ noise, kept),
      d[folds == fold, "noise", drop = FALSE])
  }
  expect_equal(member$left_out, by_hand)
})

test_that("blocked folds leave the same rows out of all members", {
  d <- learner_data()
  d$block[c(3, 8)] <- NA
  fit <- learned_fit(d, z ~ h + learner(lm, predictors = ~ h + I(h^2), folds = "block"))
  expect_identical(fit$left_out$rows, setdiff(1:50, c(3L, 8L)))
  by_hand <- rep(NA, 50)
  for (fold in 1:5) {
    held <- which(d$block == fold)
    by_hand[held] <- predict(lm(z ~ h + I(h^2), d[-held, ]), d[held, ])
  }
  expect_equal(fit$members$lm$left_out, by_hand)
  held <- cross_validate(fit$process, d$block, verbose = FALSE,
    parameters = "plug-in")$predictions
  expect_equal(fit$left_out$process$mean, held$mean)
  expect_equal(fit$left_out$process$sd, held$sd)
  expect_true(all(is.na(loo_predict(fit)$mean[c(3, 8)])))
  expect_output(print(fit), "leave out the folds")
  other <- learned_fit(d, z ~ h + learner(lm, predictors = "h", folds = d$block) + learner(glm))
  expect_identical(other$left_out$rows, fit$left_out$rows)
  expect_equal(other$left_out$process, fit$left_out$process)
  expect_error(learned_fit(d, z ~ learner(lm, folds = 3) + learner(glm, folds = 4)),
    "different", class = "neargp_error_folds")
})

test_extended("folds are left out of all steps of the fit", {
  d <- learner_data()
  fit <- learned_fit(d, z ~ h + learner(lm, predictors = ~ h + I(h^2), folds = d$block))
  given <- cross_validate(fit, rep(1:2, each = 25), verbose = FALSE)
  kept <- d[26:50, ]
  again <- learned_fit(kept, z ~ h + learner(lm, predictors = ~ h + I(h^2), folds = "block"))
  expected <- predict(again, d[1:25, ], interval = "prediction")
  part <- given$predictions[1:25, ]
  expect_equal(part$mean, expected$mean, tolerance = 1e-4)
  expect_equal(part[c("sd", "upper")], expected[c("sd", "upper")], tolerance = 1e-4,
    ignore_attr = TRUE)
  expect_equal(given$scores$rmse, sqrt(mean((given$predictions$mean - d$z)^2)))
  both <- cross_validate(list(stack = fit, plain = fit$process), rep(1:2, each = 25),
    refit = TRUE, verbose = FALSE)
  expect_equal(both$scores$crps[1], given$scores$crps, tolerance = 1e-6)
  expect_error(cross_validate(fit, refit = FALSE), "refit", class = "neargp_error_argument")
  expect_error(cross_validate(fit, d$block %in% 1:4 + 0, verbose = FALSE), "one fold",
    class = "neargp_error_folds")
})

test_extended("importance of a variable is that of all members", {
  d <- learner_data()
  d$nothing <- rnorm(50)
  d$z <- d$z + 2 * d$h
  d$wet <- d$h^2
  fit <- learned_fit(d, z ~ h + nothing + learner(lm, predictors = ~ h + wet))
  folds <- rep(1:5, 10)
  table <- variable_importance(fit, folds = folds, seed = 1)
  expect_setequal(table$variable, c("h", "nothing", "wet", "x", "y"))
  loss <- stats::setNames(table$loss, table$variable)
  expect_lt(abs(loss[["nothing"]]), 0.1)
  expect_gt(loss[["h"]], 0.5)
  split <- fold_splits(folds, fit$process)[[2]]
  known <- learned_without(fit, split, FALSE)
  expect_equal(coef(known, "covariance"), coef(fit, "covariance"))
  expect_false(identical(coef(known), coef(fit)))
  expect_error(variable_importance(fit, by = "refit"), "permute", class = "neargp_error_learner")
})
