test_that("forests are judged by their predictions out of bag", {
  skip_if_not_installed("ranger")
  d <- learner_data()
  set.seed(3)
  fit <- learned_fit(d, z ~ h + learner(ranger::ranger))
  set.seed(3)
  forest <- ranger::ranger(z ~ h + x + y, d, num.trees = 500, min.node.size = 3)
  member <- fit$members[["ranger::ranger"]]
  expect_equal(member$left_out, forest$predictions)
  expect_equal(member$sd, sqrt(forest$prediction.error))
  new <- learner_data(3, seed = 9)
  expect_equal(learner_means(fit, new)[[1L]], predict(forest, new)$predictions)
  expect_equal(predict(fit, new)$mean, predict(update(fit), new)$mean, tolerance = 0.1)
  # Few trees have seen some rows all.
  few <- learned_fit(d, z ~ h + learner(ranger::ranger, num.trees = 3, min.node.size = 9))
  expect_identical(few$members[[1L]]$model$min.node.size, 9)
  expect_true(anyNA(few$members[[1L]]$model$predictions))
  expect_false(anyNA(few$members[[1L]]$left_out))
  blocked <- learned_fit(d, z ~ h + learner(ranger::ranger, folds = "block"))
  expect_false(isTRUE(all.equal(blocked$members[[1L]]$left_out,
    blocked$members[[1L]]$model$predictions)))
})

test_that("randomForest() is a learner", {
  skip_if_not_installed("randomForest")
  d <- learner_data()
  set.seed(3)
  fit <- learned_fit(d, z ~ h + learner(randomForest::randomForest, ntree = 100))
  member <- fit$members[[1L]]
  expect_equal(member$left_out, unname(member$model$predicted))
  expect_identical(member$model$ntree, 100)
})

test_that("wide predictors become principal components of the training rows", {
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60), matrix(rnorm(60 * 45), 60) %*% diag(1:45))
  d$z <- d$X3 + rnorm(60)
  d$constant <- 7
  wide <- setdiff(names(d), c("x", "y", "z"))
  learn <- learner(lm, predictors = c("x", "y", wide))
  fit <- learned_fit(d, z ~ 1 + learner(lm, predictors = c("x", "y", wide)))
  other <- prcomp(d[setdiff(wide, "constant")], scale. = TRUE)
  scores <- by_recipe(fit$members$lm$recipe, predictor_frame(learn, fit$process, d))
  expect_named(scores, c(paste0("PC", 1:20), "x", "y"))
  expect_equal(abs(as.matrix(scores[1:20])), abs(other$x[, 1:20]), ignore_attr = TRUE)
  alone <- by_recipe(fit$members$lm$recipe, predictor_frame(learn, fit$process, d[5, ]))
  expect_equal(alone, scores[5, ], ignore_attr = TRUE)
  # 40 predictors stay.
  narrow <- learned_fit(d, z ~ 1 + learner(lm, predictors = wide[1:40]))
  expect_null(narrow$members$lm$recipe$components)
})

test_that("predictors are those of the process, or those that are named", {
  d <- learner_data()
  d$soil <- factor(rep(c("a", "b"), 25))
  d$day <- as.Date("2026-01-01") + 1:50
  d$words <- rep(c("u", "v"), each = 25)
  used <- function(fit, member = 1L) attr(terms(fit$members[[member]]$model), "term.labels")
  expect_identical(used(learned_fit(d, z ~ h + learner(lm))), c("h", "x", "y"))
  expect_identical(used(learned_fit(d, z ~ poly(h, 2) + soil + learner(lm))),
    c("h", "soil", "x", "y"))
  named <- learned_fit(d, z ~ 1 + learner(lm, predictors = c("day", "soil", "words", "x")))
  expect_identical(used(named), c("day", "soil", "words", "x"))
  by_formula <- learned_fit(d, z ~ 1 + learner(lm, predictors = ~ h * soil))
  expect_identical(used(by_formula), c("h", "soil", "h:soil"))
  new <- d[1:3, ]
  new$soil <- as.character(new$soil)
  expect_equal(predict(named, new)$mean, predict(named, d[1:3, ])$mean)
  new$soil[2] <- NA
  expect_identical(is.na(predict(named, new)$mean), c(FALSE, TRUE, FALSE))
  new$soil[2] <- "c"
  expect_error(predict(named, new), "`soil`", class = "neargp_error_factor_level")
  expect_error(predict(named, new[c("x", "y", "soil")]), "day", class = "neargp_error_columns")
  d$h[4] <- NA
  expect_error(learned_fit(d, z ~ 1 + learner(lm, predictors = "h")), "h",
    class = "neargp_error_missing_values")
  expect_identical(nobs(learned_fit(d, z ~ h + learner(lm))), 49L)
})

test_that("several learners are several members, and arguments go to the function", {
  d <- learner_data()
  set.seed(1)
  fit <- learned_fit(d, z ~ h + learner(lm, weights = d$x) + learner(lm) +
    learner(function(formula, data) mean(data$response),
      predict = function(model, newdata) rep(model, nrow(newdata))))
  expect_named(coef(fit), c("process", "lm", "lm 1", "learner"))
  expect_equal(sum(coef(fit)), 1)
  weighted <- lm(z ~ h + x + y, d, weights = x)
  expect_equal(unname(coef(fit$members[[1]]$model)), unname(coef(weighted)))
  given <- cross_validate(fit, rep(1:2, 25), verbose = FALSE)$predictions
  expect_true(all(is.finite(given$log_score)))
  expect_equal(unname(coef(fit$members[[2]]$model)), unname(coef(lm(z ~ h + x + y, d))))
  expect_equal(learner_means(fit, d[1:2, ])$learner, rep(mean(d$z), 2))
})

test_that("generics show the members and the process", {
  d <- learner_data()
  fit <- learned_fit(d)
  expect_output(print(fit), "stacked with lm")
  expect_output(print(summary(fit)), "Std. Error")
  table <- summary(fit)$members
  expect_identical(rownames(table), c("process", "lm", "stack"))
  expect_equal(table["stack", "R2"], 1 - sum(residuals(fit, "loo")^2) / sum((d$z - mean(d$z))^2))
  expect_equal(table["process", "log_score"], scores(fit$process,
    parameters = "plug-in")$log_score)
  expect_equal(coef(fit, "trend"), coef(fit$process))
  expect_equal(fitted(fit), coef(fit)[[1]] * fitted(fit$process) +
    coef(fit)[[2]] * fit$members$lm$left_out)
  expect_equal(unname(residuals(fit)), d$z - fitted(fit))
  expect_equal(pnorm(unname(residuals(fit, "standardized"))),
    predictive_cdf(d$z, fit$left_out$distribution))
  expect_identical(deparse1(formula(fit)), "z ~ h + learner(lm, predictors = ~h + I(h^2))")
  expect_identical(names(coef(update(fit, . ~ . + learner(glm)))), c("process", "lm", "glm"))
  expect_identical(dim(simulate(fit, 2, seed = 1)), c(50L, 2L))
  expect_equal(scores(fit)$n, 50L)
  expect_output(print(learner(lm)), "lm")
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::autoplot(fit, "predictions")
  expect_equal(drawn$data$mean, loo_predict(fit)$mean)
})

test_that("sf points and rasters are predicted as data frames are", {
  skip_if_not_installed("sf")
  skip_if_not_installed("terra")
  d <- learner_data()
  points <- sf::st_as_sf(d, coords = c("x", "y"), crs = 32633)
  set.seed(1)
  fit <- suppressMessages(neargp(z ~ h + learner(lm), points, verbose = FALSE,
    covariance = cov_exponential(range = 0.3)))
  expect_identical(attr(terms(fit$members$lm$model), "term.labels"), c("h", "x", "y"))
  raster <- terra::rast(nrows = 3, ncols = 2, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "EPSG:32633", vals = c(1:5, NA))
  names(raster) <- "h"
  cells <- sf::st_as_sf(terra::as.data.frame(raster, xy = TRUE), coords = c("x", "y"),
    crs = 32633)
  given <- predict(fit, raster, interval = "prediction", chunk_size = 2)
  expected <- predict(fit, cells, interval = "prediction")
  expect_s3_class(expected, "sf")
  expect_equal(terra::values(given)[1:5, "upper"], expected$upper, tolerance = 1e-6)
  expect_true(is.na(terra::values(given)[6, "mean"]))
  set.seed(1)
  by_columns <- learned_fit(d, z ~ h + learner(lm))
  expect_equal(predict(by_columns, terra::as.data.frame(raster, xy = TRUE))$mean, expected$mean)
})

test_that("what a fit with learners cannot be is an error with a way out", {
  d <- learner_data()
  d$count <- rpois(50, 3)
  expect_error(learner(3), "`f`", class = "neargp_error_argument")
  expect_error(learner(), "`f`", class = "neargp_error_argument")
  expect_error(learner(function(a) a), "take `formula`", class = "neargp_error_argument")
  expect_error(learner(lm, 3), "need names", class = "neargp_error_argument")
  expect_error(learner(lm, predict = 3), "predict", class = "neargp_error_argument")
  expect_error(learner(lm, predictors = 3), "predictors", class = "neargp_error_argument")
  expect_error(learner(lm, predictors = z ~ h), "predictors", class = "neargp_error_argument")
  expect_error(learner(lm, combine = "mean"), "combine", class = "neargp_error_argument")
  refused <- function(formula, class, ...) {
    expect_error(suppressMessages(neargp(formula, d, coords = ~ x + y, verbose = FALSE, ...)),
      class = paste0("neargp_error_", class))
  }
  refused(count ~ learner(lm), "family", family = poisson())
  refused(factor(count > 2) ~ learner(lm), "family")
  refused(z ~ learner(lm), "learner", transform = box_cox(0.5))
  refused(cbind(z, h) ~ learner(lm), "learner")
  refused(z ~ learner(lm), "method", method = dspp())
  refused(z ~ learner(lm), "method", method = odvgp())
  refused(z ~ learner(loess), "learner")
  refused(z ~ learner(function(formula, data) stop("no")), "learner")
  refused(z ~ learner(lm, predict = function(model, newdata) 1), "learner")
  refused(z ~ h + learner(lm, predictors = "nowhere"), "columns")
  refused(z ~ learner(lm, folds = 1:3), "folds")
  fit <- learned_fit(d)
  for (call in expression(logLik(fit), AIC(fit), vcov(fit), confint(fit), anova(fit), tidy(fit),
    glance(fit), augment(fit), deviance(fit), loo_predict(fit, k = 3))) {
    expect_error(eval(call), "not supported with learner", class = "neargp_error_learner")
  }
  expect_error(predict(fit), class = "neargp_error_newdata")
  expect_error(predict(fit, d, type = "link"), "type", class = "neargp_error_argument")
  expect_error(loo_predict(d), "fit of neargp", class = "neargp_error_argument")
  expect_error(variable_importance(d), "fit of neargp", class = "neargp_error_argument")
})

test_that("calls are evaluated where they stand", {
  d <- learner_data()
  inner <- function(data, ...) {
    formula <- z ~ h + learner(lm, predictors = ~ h + I(h^2), folds = "block")
    suppressMessages(neargp(formula, data[1:40, ], coords = ~ x + y, ...))
  }
  k <- 8
  fit <- inner(d, method = vecchia(k = k), verbose = FALSE)
  expect_identical(fit$call$method, quote(vecchia(k = k)))
  expect_identical(nobs(fit), 40L)
  direct <- learned_fit(d[1:40, ], z ~ h + neargp::learner(lm, predictors = ~ h + I(h^2),
    folds = "block"))
  expect_equal(fit$members$lm$left_out, direct$members$lm$left_out)
  again <- unserialize(serialize(fit, NULL))
  expect_equal(predict(again, d[41:43, ]), predict(fit, d[41:43, ]))
})

test_that("random numbers of R make a forest reproducible", {
  skip_if_not_installed("ranger")
  d <- learner_data(30)
  fits <- lapply(1:2, function(i) {
    set.seed(5)
    learned_fit(d, z ~ h + learner(ranger::ranger, num.trees = 50))
  })
  expect_identical(coef(fits[[1]]), coef(fits[[2]]))
  expect_identical(predict(fits[[1]], d), predict(fits[[2]], d))
})
