importance_rows <- function(n = 120) {
  withr::with_seed(3, {
    d <- data.frame(x = runif(n), y = runif(n), useful = rnorm(n), idle = rnorm(n),
      site = factor(rep(letters[1:6], length.out = n)))
    d$z <- sin(5 * d$x) + d$useful + as.integer(d$site) / 2 + rnorm(n, sd = 0.3)
    d
  })
}

# The log score of least squares without each row in turn: that of the fit without a field, at the
# noise variance of the fit.
left_out_score <- function(formula, data, noise) {
  model <- lm(formula, data)
  h <- hatvalues(model)
  -dnorm(residuals(model) / (1 - h), 0, sqrt(noise / (1 - h)), log = TRUE)
}

test_that("without a field it is the leave-one-out score of least squares", {
  d <- importance_rows()
  fit <- neargp(z ~ useful + idle, d, coords = ~ x + y, method = exact_gp(), nugget = 0.5,
    covariance = cov_exponential(variance = 1e-10, range = 0.01))
  given <- variable_importance(fit, c("useful", "idle"))
  full <- left_out_score(z ~ useful + idle, d, 0.5)
  without <- list(useful = left_out_score(z ~ idle, d, 0.5),
    idle = left_out_score(z ~ useful, d, 0.5))
  expect_identical(given$variable, c("useful", "idle"))
  expect_equal(given$loss, unname(sapply(without, function(one) mean(one - full))),
    tolerance = 1e-5)
  expect_equal(given$std_error, unname(sapply(without, function(one) sd(one - full))) / sqrt(120),
    tolerance = 1e-5)
  expect_equal(attr(given, "log_score"), mean(full), tolerance = 1e-6)
})

test_extended("an irrelevant variable is worth nothing, left out or permuted", {
  d <- importance_rows()
  fit <- neargp(z ~ useful + idle, d, coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential(range = 0.3), verbose = FALSE)
  for (by in c("refit", "permute")) {
    given <- variable_importance(fit, c("useful", "idle"), by, seed = 1, repeats = 2)
    loss <- setNames(given$loss, given$variable)
    expect_gt(loss[["useful"]], 0.2)
    expect_lt(abs(loss[["idle"]]), 0.03)
  }
  expect_setequal(names(default_groups(fit, d, "refit")), c("useful", "idle", "x", "y"))
})

test_extended("a coordinate of an anisotropy leaves the range of the other, as along a line", {
  d <- importance_rows()
  fit <- neargp(z ~ useful, d, coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential(anisotropy = TRUE), verbose = FALSE)
  line <- neargp(z ~ useful, d, coords = ~ y, method = vecchia(k = 5),
    covariance = cov_exponential(), verbose = FALSE)
  expect_equal(variable_importance(fit, "x")$log_score, -mean(loo_log_densities(line)))
})

# For the rows of a table of cross_validate().
validated_log_scores <- function(table) {
  if (!is.null(table$log_score)) return(table$log_score)
  if (!is.null(table$sd)) return(-dnorm(table$observed, table$mean, table$sd, log = TRUE))
  prob <- as.matrix(table[startsWith(names(table), "prob_")])
  -log(prob[cbind(seq_len(nrow(table)), as.integer(table$observed))])
}

test_extended("values handed to their own rows are the cross-validation of the fit", {
  d <- importance_rows()
  d$count <- rpois(120, 3)
  fits <- list(
    neargp(z ~ useful + s(idle, k = 5), d, coords = ~ x + y, method = vecchia(k = 10),
      covariance = cov_exponential(), verbose = FALSE),
    neargp(site ~ useful, d, coords = ~ x + y, method = loo_k(k = 10), verbose = FALSE,
      family = categorical()),
    neargp(count ~ useful, d, coords = ~ x + y, method = vnngp(k = 4), family = poisson(),
      covariance = cov_exponential(variance = 0.1, range = 0.2)))
  folds <- rep(1:3, 40)
  for (fit in fits) {
    split <- fold_splits(folds, fit)[[2L]]
    same <- permuted_target(fit, fitted_rows(fit, d), c("useful", "x"), seq_len(120), split$held)
    scores <- held_log_scores(trained_without(fit, split), fit, split, same)
    table <- cross_validate(fit, folds, verbose = FALSE)$predictions
    expect_equal(scores, validated_log_scores(table[table$fold == 2L, ]), tolerance = 1e-8)
  }
})

test_that("permuted rows have the variable of other rows and all else of their own", {
  d <- importance_rows()
  fit <- neargp(z ~ useful, d, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(), verbose = FALSE)
  order <- 120:1
  held <- c(3, 7, 90)
  target <- permuted_target(fit, fitted_rows(fit, d), c("x", "y"), order, held)
  expect_equal(unname(target$coords), unname(as.matrix(d[order[held], c("x", "y")])))
  expect_equal(unname(target$X[, 2L]), d$useful[held])
})

test_extended("folds of one row leave out single rows, and deep fits are trained without each fold", {
  d <- importance_rows(40)
  fit <- neargp(z ~ useful, d, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(1, 0.2), verbose = FALSE)
  expect_equal(variable_importance(fit, "useful", folds = 1:40), variable_importance(fit, "useful"),
    tolerance = 1e-6)
  expect_equal(attr(variable_importance(fit, "useful", "permute", folds = 1:40, repeats = 1),
    "log_score"), attr(variable_importance(fit, "useful"), "log_score"), tolerance = 1e-6)
  deep <- suppressWarnings(neargp(z ~ useful, d, coords = ~ x + y, verbose = FALSE,
    method = dspp(inducing = 5, epochs = 2)))
  split <- fold_splits(rep(1:2, 20), deep)[[2L]]
  known <- suppressWarnings(trained_without(deep, split))
  expect_equal(nobs(known), 20)
  expect_equal(mean(held_log_scores(known, deep, split, held_target(deep, split))),
    scores(known, newdata = d[split$held, ], observed = "z")$log_score)
  expect_s3_class(suppressWarnings(variable_importance(deep, "useful", folds = rep(1:2, 20))),
    "neargp_importance")
})

test_that("a formula loses the terms that have a variable", {
  with_terms <- function(formula) {
    list(formula = formula, terms = terms(effect_terms(formula)$trend))
  }
  fit <- with_terms(z ~ useful * site + log(x + 1) + offset(n) + (useful | site) + s(idle, k = 4))
  expect_equal(deparse1(formula_without(fit, "useful")),
    "z ~ site + log(x + 1) + offset(n) + s(idle, k = 4) + (1 | site)")
  expect_equal(deparse1(formula_without(fit, c("site", "x"))),
    "z ~ useful + offset(n) + s(idle, k = 4)")
  expect_equal(deparse1(formula_without(fit, c("useful", "site", "x", "idle"))), "z ~ offset(n)")
  none <- formula_without(with_terms(z ~ 0 + useful), "useful")
  expect_equal(attr(terms(none), "intercept"), 0L)
  expect_equal(deparse1(formula_without(with_terms(z ~ x + (0 + useful | site)), "useful")),
    "z ~ x")
})

test_that("places go together where they are one, and stay where nothing else is", {
  d <- importance_rows(40)
  on_sphere <- neargp(z ~ useful, transform(d, lon = x, lat = 40 + y), coords = ~ lon + lat + idle,
    distance = "chordal", method = exact_gp(), verbose = FALSE,
    covariance = cov_exponential(1, c(30, 1), ard = TRUE))
  expect_identical(default_groups(on_sphere, transform(d, lon = x, lat = y), "permute"),
    list(useful = "useful", place = c("lon", "lat"), idle = "idle"))
  expect_identical(names(default_groups(on_sphere, transform(d, lon = x, lat = y), "refit")),
    c("useful", "idle"))
  skip_unless_extended()
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(d, coords = c("x", "y"), crs = 32633)
  fit <- neargp(z ~ useful, points, method = exact_gp(), covariance = cov_exponential(1, 0.2),
    verbose = FALSE)
  expect_identical(default_groups(fit, points, "permute"),
    list(useful = "useful", place = "geometry"))
  expect_gt(variable_importance(fit, "place", "permute", seed = 1)$loss, 0)
  expect_error(variable_importance(fit, "place"), "is unknown", class = "neargp_error_argument")
})

test_extended("it is shown, and what cannot be left out is refused", {
  d <- importance_rows(60)
  fit <- neargp(z ~ useful, d, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(1, 0.2), verbose = FALSE)
  given <- variable_importance(fit, list(all = c("useful", "x")), folds = 3, seed = 1)
  expect_output(print(given), "left out and fitted again; 60 rows")
  expect_identical(given, variable_importance(fit, list(all = c("useful", "x")), folds = 3,
    seed = 1))
  shown <- expect_drawn(plot(given))
  if (has_ggplot2()) {
    expect_equal(shown$data$loss, given$loss)
    expect_identical(geoms(shown), c("GeomVline", "GeomSegment", "GeomPoint"))
  }
  expect_error(variable_importance(fit, "z"), "z", class = "neargp_error_argument")
  expect_error(variable_importance(fit, list("useful")), class = "neargp_error_argument")
  expect_error(variable_importance(fit, c("x", "y"), by = "both"), class = "neargp_error_argument")
  expect_error(variable_importance(fit, list(place = c("x", "y"))), "is unknown",
    class = "neargp_error_argument")
  expect_error(variable_importance(d), class = "neargp_error_argument")
  # rows that are complete without a covariate only
  d$useful[2L] <- NA
  expect_error(variable_importance(update(fit, data = d)), class = "neargp_error_fits")
  fit$call$data <- quote(no_longer_here)
  expect_error(variable_importance(fit), class = "neargp_error_newdata")
})

test_extended("covariates at the points of areas are left out with their raster, and not handed around", {
  skip_if_not_installed("terra")
  example <- areal_example(5L, 4L)
  fine <- fine_raster(slope = sin(1:400))
  field <- cov_exponential(0.8, 0.3)
  fit <- neargp(z ~ slope + height, example$data, method = exact_gp(), nugget = 0.05,
    covariance = field, support = block_support(covariates = fine))
  reduced <- neargp(z ~ height, example$data, method = exact_gp(), nugget = 0.05,
    covariance = field, support = block_support())
  found <- variable_importance(fit)
  expect_setequal(found$variable, c("slope", "height"))
  without <- mean(loo_log_densities(fit)) - mean(loo_log_densities(reduced))
  expect_equal(found$loss[found$variable == "slope"], without, tolerance = 1e-6)
  expect_error(variable_importance(fit, "height", by = "permute"), "refit",
    class = "neargp_error_argument")
})

test_extended("data that have changed under their name are refused, by what has changed", {
  d <- importance_rows(60)
  fit <- neargp(z ~ useful + site + offset(idle / 2), d, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 0.1, range = 0.2), subset = x > 0.05,
    verbose = FALSE)
  kept <- d
  expect_s3_class(variable_importance(fit, "useful"), "neargp_importance")
  changes <- list("covariates differ" = function(d) transform(d, useful = rev(useful)),
    "covariates differ" = function(d) transform(d, site = replace(site, 30L, site[31L])),
    "response differs" = function(d) transform(d, z = replace(z, 30L, 0)),
    "coordinates differ" = function(d) transform(d, y = y + 1e-6),
    "rows are others" = function(d) d[-1L, ],
    "not available" = function(d) d[setdiff(names(d), "useful")])
  for (i in seq_along(changes)) {
    d <- changes[[i]](kept)
    expect_error(variable_importance(fit, "useful"), names(changes)[i],
      class = "neargp_error_newdata")
    expect_error(model.frame(fit), "model.frame\\(\\).*`d`", class = "neargp_error_newdata")
    # what was fitted, where the data are others
    expect_equal(generics::augment(fit)$useful, unname(fit$data$X[, "useful"]))
  }
  d <- 3
  expect_error(variable_importance(fit, "useful"), "no longer found.*They were `d`.*update\\(fit",
    class = "neargp_error_newdata")
})

test_extended("data are those that were fitted, of any response", {
  d <- importance_rows(60)
  d$count <- rep(0:2, 20)
  d$level <- cut(d$z, 3, ordered_result = TRUE)
  d$amount <- exp(d$z / 2)
  d$useful[5L] <- NA
  fitted <- function(...) neargp(..., data = d, coords = ~ x + y, verbose = FALSE)
  cases <- suppressMessages(list(
    fitted(count ~ useful + poly(idle, 2), family = poisson(), method = vnngp(k = 4),
      na.action = na.exclude),
    fitted(cbind(count, 3 - count) ~ useful, family = binomial(), method = vnngp(k = 4)),
    fitted(level ~ useful + s(idle, k = 4), family = ordinal(), method = vnngp(k = 4)),
    fitted(site ~ useful, method = loo_k(k = 5)), fitted(z > 1 ~ useful, method = loo_k(k = 5)),
    fitted(amount ~ useful + (1 | site), transform = "log", method = exact_gp(),
      weights = count + 1)))
  for (fit in cases) {
    expect_null(changed_parts(fit, d))
    expect_match(changed_parts(fit, transform(d, useful = useful + 1)), "covariates")
  }
})

test_that("standard errors of very large losses are finite", {
  expect_equal(scaled_sd(c(1, 2, 4) * 1e300), stats::sd(c(1, 2, 4)) * 1e300)
  expect_identical(scaled_sd(c(0, 0)), 0)
})
