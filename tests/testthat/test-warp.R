warped_covariances <- function() {
  list(
    cov_exponential(warp = expand(1, ~ bumps(2)), penalty = 1),
    cov_matern(1.5, warp = expand(2, ~ wet + bumps(2)), anisotropy = TRUE, penalty = 1),
    cov_matern(2.5, sd = ~ x, range = ~ wet, warp = expand(2, ~ wet + x), ard = TRUE, penalty = 1),
    cov_exponential(warp = monotone(~ x, knots = 3), penalty = 1),
    cov_matern(NULL, warp = list(expand(1, ~ bumps(2)), monotone(~ x + y, knots = 3)),
      penalty = 1) + cov_exponential(sd = ~ wet, penalty = 1)
  )
}

test_extended("values of all methods are those of dense matrices, and the penalty is taken from them", {
  expect_dense_values(warped_covariances())
})

test_extended("gradients are those of differences, by information as by the adjoint", {
  expect_gradients_of_differences(warped_covariances())
})

test_extended("the latent field of vnngp() has the warped covariance", {
  data <- local_data(40)
  covariance <- cov_matern(1.5, warp = list(expand(2, ~ bumps(2)), monotone(~ x, 3)), penalty = 1)
  fit <- local_fit(covariance, vnngp(k = 39L, factor = "exact", jitter = 1e-6), data)
  expect_latent_values(fit, 1e-6 * 0.8, penalized_kinds)
})

test_that("neighbours are the nearest in warped coordinates", {
  fit <- local_fit(cov_exponential(warp = list(expand(2, ~ bumps(2)), monotone(~ y, 3)),
    penalty = 1), vecchia(k = 5))
  problem <- local_problem_of(fit)
  component <- component_at(problem, elsewhere(fit))
  places <- dense_warped(fit$data$coords, component)[, 1:4] / component$range
  expect_equal(core_scale(fit$data$coords, component), places, tolerance = 1e-12)
  apart <- as.matrix(stats::dist(places)) + diag(Inf, nrow(places))
  nearest <- apply(apart, 2L, function(distances) order(distances)[1:5])
  found <- as.matrix(neighbors_others(problem, component, 5L))
  expect_equal(found, unname(nearest), ignore_attr = TRUE)
})

test_extended("with no warp everything is that of the stationary covariance", {
  data <- local_data()
  fits <- lapply(list(cov_matern(1.5),
    cov_matern(1.5, warp = list(expand(2, ~ bumps(2)), monotone(~ x)))), local_fit, vecchia(k = 8),
    data)
  values <- c(0.1, -1, log(0.1))
  found <- lapply(fits, function(fit) {
    problem <- local_problem_of(fit)
    at <- replace(rep(0, nrow(fit$layout)),
      match(c("variance", "range", "nugget"), fit$layout$kind), values)
    own <- match(c("variance", "range", "nugget"), fit$layout$kind)
    state <- local_objective(problem,
      neighbors_before(problem, component_at(problem, at), 8L, "maxmin",
      0))$evaluate(at, information = TRUE)
    list(value = state$value, gradient = state$gradient[own])
  })
  expect_equal(found[[2L]], found[[1L]], tolerance = 1e-10)
})

test_extended("predictions, leave-one-out and joint predictions are dense kriging", {
  data <- local_data(40)
  new <- local_data(5, seed = 2)
  covariance <- cov_matern(1.5, warp = list(expand(2, ~ wet + bumps(2)), monotone(~ x, 3)))
  for (method in list(vecchia(k = 39L), exact_gp(), loo_k(k = 39L), mll_k(k = 39L))) {
    fit <- local_fit(covariance, method, data)
    expected <- dense_krige(fit$data, fit$core_covariance, fit$nugget,
      new_target(fit, new)$coords, cbind(1, new$height))
    predicted <- predict(fit, new, type = "link", k = if (is.null(method$k)) NULL else nrow(data),
      parameters = "plug-in")
    expect_equal(predicted$mean, expected$mean, tolerance = 1e-6)
    expect_equal(predicted$sd^2, expected$variance, tolerance = 1e-6)
  }
  fit <- local_fit(covariance, exact_gp(), data[1:20, ])
  joint <- predict(fit, new, joint = TRUE, type = "link")
  expected <- dense_krige(fit$data, fit$core_covariance, fit$nugget, new_target(fit, new)$coords,
    cbind(1, new$height))
  expect_equal(unname(attr(joint, "covariance")), expected$covariance, tolerance = 1e-8)
  left <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(loo_predict(fit, parameters = "plug-in")$mean, left$mean, tolerance = 1e-8)
})

test_extended("simulated fields have the warped covariance", {
  new <- local_data(5, seed = 3)
  fit <- local_fit(cov_exponential(warp = expand(1, ~ wet), penalty = 1), vecchia(k = 59L),
    formula = z ~ 0)
  set.seed(1)
  draws <- as.matrix(simulate(fit, nsim = 4000L, newdata = new, conditional = FALSE,
    type = "link", k = 60L)[paste0("sim_", 1:4000)])
  expected <- dense_covariance(new_target(fit, new)$coords, new_target(fit, new)$coords,
    fit$core_covariance)
  expect_lt(max(abs(stats::cov(t(draws)) - expected)) / expected[1L], 0.1)
})

test_extended("the default penalty of further coordinates is 5, and more where rows are few", {
  penalty <- function(n) {
    layout <- local_fit(cov_exponential(warp = list(expand(2, ~ wet + x), monotone(~ x, 2))),
      vecchia(k = 5), local_data(n))$layout
    vapply(c("expand", "monotone"), function(kind) unique(layout$penalty[layout$kind == kind]), 0)
  }
  expect_equal(unname(penalty(800)), c(5, 1))
  expect_equal(unname(penalty(60)), c(10, 10))
})

test_extended("the number of threads changes nothing", {
  data <- local_data(300)
  fit <- function(threads) {
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
      control = neargp_control(max_iterations = 3L),
      covariance = cov_matern(sd = ~ x,
        warp = list(expand(2, ~ bumps(3)), monotone(~ x))), threads = threads))
    list(coef(fit, what = "covariance"), c(logLik(fit)),
      predict(fit, data[1:20, ], threads = threads))
  }
  one <- fit(1L)
  expect_identical(fit(2L), one)
  expect_identical(fit(4L), one)
})

test_extended("a fit goes through all that others do", {
  data <- local_data(150)
  covariance <- cov_matern(sd = ~ wet, warp = list(expand(1, ~ bumps(2)), monotone(~ x, 3)))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10), covariance = covariance)
  expect_true(all(c("warp1:bumps1", "log_slope:x1") %in% names(coef(fit, what = "covariance"))))
  terms <- tidy(fit)
  expect_false(anyNA(terms$std.error[grepl("^(log|warp)", terms$term)]))
  shown <- utils::capture.output(print(fit))
  expect_true(any(grepl("Further coordinate 1: (spans|not used)", shown)))
  expect_true(any(grepl("x: slopes .* by a monotone warp", shown)))
  expect_false(any(grepl("warp1:bumps1|log_slope", shown)))
  expect_output(print(summary(fit)), "warp1:bumps1")
  expect_output(print(covariance), "expand(1, ~bumps(2))", fixed = TRUE)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[3:4, ]), predict(fit, data[3:4, ]))
  expect_equal(predict(fit, data)[7:8, ], predict(fit, data[7:8, ]), ignore_attr = TRUE)
  again <- update(fit, start = fit)
  penalised <- function(fit) c(logLik(fit)) - penalty_at(fit$layout, fit$parameters$working)
  expect_gt(penalised(again), penalised(fit) - 0.5)
  expect_s3_class(cross_validate(fit, folds = 3L), "neargp_cv")
  stationary <- update(fit, covariance = cov_matern())
  expect_s3_class(suppressWarnings(anova(stationary, fit)), "anova")
  expect_false(anyNA(warped_coordinates(fit)))
  expect_silent(suppressMessages(empirical_variogram(fit)))
  expect_drawn(plot(fit, "warp"))
  expect_drawn(plot(fit, "warp", what = "sd"))
  expect_drawn(plot(fit, "warp", newdata = data))
  expect_drawn(plot(fit))
  expect_error(plot(stationary, "warp"), class = "neargp_error_local")
  expect_error(warped_coordinates(stationary), class = "neargp_error_local")
  expect_error(local_scales(update(fit, covariance = cov_matern(warp = monotone(~ x)))),
    class = "neargp_error_local")
})

test_extended("comparing fits says that coefficients are learned anew by refit alone", {
  data <- local_data(60)
  fits <- list(plain = local_fit(cov_exponential(), vecchia(k = 5), data),
    warped = local_fit(cov_exponential(warp = expand(1, ~ wet)), vecchia(k = 5), data))
  folds <- rep(1:2, 30)
  expect_message(cross_validate(fits, folds = folds), "warped .*held-out",
    class = "neargp_message_refit")
  expect_no_message(suppressWarnings(cross_validate(fits, folds = folds, refit = TRUE)),
    class = "neargp_message_refit")
  expect_no_message(cross_validate(fits["warped"], folds = folds), class = "neargp_message_refit")
  expect_no_message(cross_validate(fits[["warped"]], folds = folds,
    settings = list(few = list(k = 3), many = list(k = 10))), class = "neargp_message_refit")
  expect_no_message(cross_validate(list(a = fits$plain, b = fits$plain), folds = folds),
    class = "neargp_message_refit")
})

test_extended("anova() has no p-value of a penalty or a warp, and tells q and basis apart", {
  data <- local_data(60)
  fit <- function(...) local_fit(cov_exponential(...), vecchia(k = 5), data)
  plain <- fit()
  p_value <- function(...) suppressWarnings(anova(plain, ...))[["Pr(>Chisq)"]]
  expect_identical(p_value(fit(range = ~ wet)), c(NA_real_, NA_real_))
  expect_identical(p_value(fit(warp = expand(1, ~ wet), penalty = 0)), c(NA_real_, NA_real_))
  free <- fit(range = ~ wet, penalty = 0)
  expect_equal(p_value(free)[2L],
    stats::pchisq(2 * c(logLik(free) - logLik(plain)), 1, lower.tail = FALSE))
  table <- suppressWarnings(anova(plain, fit(warp = expand(1, ~ bumps(2))),
    fit(warp = expand(2, ~ bumps(2))), fit(warp = expand(2, ~ bumps(3)))))
  shown <- paste(utils::capture.output(print(table)), collapse = "\n")
  for (label in c("1 further coordinate of bumps(2)", "2 further coordinates of bumps(2)",
    "2 further coordinates of bumps(3)", "No p-value")) expect_match(shown, label, fixed = TRUE)
})

test_extended("variograms have a curve only of distances that can be drawn, and say of which", {
  drawn <- function(warp, ...) {
    empirical_variogram(local_fit(cov_exponential(warp = warp, ...), vecchia(k = 5)))
  }
  expanded <- drawn(expand(1, ~ wet))
  expect_null(attr(expanded, "curve"))
  expect_match(attr(expanded, "note"), "no curve")
  monotone <- drawn(monotone(~ x, 3))
  expect_s3_class(attr(monotone, "curve"), "data.frame")
  expect_identical(attr(monotone, "note"), "model where slopes of the warp are 1")
  expect_match(attr(drawn(monotone(~ x, 3), range = ~ wet), "note"), "at their mean and slopes")
  expect_drawn(plot(expanded))
})

test_extended("counts, time, the sphere and one coordinate go with warps", {
  data <- local_data(150)
  data$count <- stats::rpois(150, exp(data$z / 2))
  data$day <- seq(0, 1, length.out = 150)
  fit <- neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(k = 8), family = poisson(),
    covariance = cov_exponential(warp = expand(1, ~ bumps(2))))
  expect_false(anyNA(predict(fit, data[1:3, ])))
  expect_false(all(coef(fit, what = "covariance")[2:5] == 0))
  around <- transform(data, lon = 30 * x, lat = 20 * y)
  fit <- neargp(z ~ 1, around, coords = ~ lon + lat, time = ~ day, distance = "chordal",
    method = vecchia(k = 8),
    covariance = cov_exponential(warp = list(expand(1, ~ bumps(2)), monotone(~ day, 3))))
  expect_false(anyNA(predict(fit, around[1:3, ])))
  expect_equal(warped_coordinates(fit)$day[1L], 0)
  set.seed(1)
  expect_equal(nrow(simulate(fit, newdata = around[1:5, ])), 5L)
  expect_error(neargp(z ~ 1, around, coords = ~ lon + lat, distance = "chordal",
    method = vecchia(k = 8),
    covariance = cov_exponential(warp = monotone(~ lat))), "sphere", class = "neargp_error_local")
  fit <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 8),
    covariance = cov_matern(1.5, warp = expand(1, ~ bumps(3))))
  expect_drawn(plot(fit, "warp"))
})

test_extended("what cannot be is refused in one way", {
  data <- local_data(40)
  data$flat <- 1
  fit <- function(covariance, method = vecchia(k = 5), coords = ~ x + y, ...) {
    neargp(z ~ 1, data, coords = coords, method = method, covariance = covariance, ...)
  }
  for (warp in list(expand(1, ~ wet), monotone(~ x))) {
    covariance <- cov_exponential(warp = warp)
    for (method in list(svgp(10), ppgpr(10), odvgp(10), vecchia(k = 5, inducing = 10), dspp(),
      loo_k(5, optimizer = "adam"),
      vnngp(5, inducing = 20), swsgp(k = 5, inducing = 20))) {
      expect_error(fit(covariance, method), class = "neargp_error_local")
    }
    expect_error(neargp(cbind(z, wet) ~ 1, data, coords = ~ x + y, covariance = covariance),
      class = "neargp_error_local")
  }
  for (q in list(0, -1, 1.5, NA, "two", 11)) expect_error(expand(q),
    class = "neargp_error_argument")
  expect_error(expand(2, bumps(4)), "formula is needed: ~ bumps(4)", fixed = TRUE,
    class = "neargp_error_argument")
  expect_error(expand(1, "wet"), class = "neargp_error_argument")
  expect_error(expand(1, z ~ wet), class = "neargp_error_argument")
  expect_error(monotone(), class = "neargp_error_argument")
  expect_error(monotone(NULL), "coordinates", class = "neargp_error_argument")
  expect_error(monotone(~ log(x)), class = "neargp_error_argument")
  expect_error(monotone(~ 1), class = "neargp_error_argument")
  expect_error(monotone(~ x, knots = 1), class = "neargp_error_argument")
  expect_error(cov_matern(warp = "expand"), class = "neargp_error_argument")
  expect_error(cov_matern(warp = list(expand(1), expand(2))), "twice",
    class = "neargp_error_argument")
  expect_error(fit(cov_exponential(warp = expand(2, ~ wet))), "as many columns",
    class = "neargp_error_local")
  expect_error(fit(cov_exponential(warp = expand(1, ~ dry))), "dry", class = "neargp_error_columns")
  expect_error(fit(cov_exponential(warp = expand(1, ~ flat))), "flat", class = "neargp_error_local")
  expect_error(fit(cov_exponential(warp = expand(5, ~ bumps(4)))), "for 40 rows",
    class = "neargp_error_local")
  expect_error(fit(cov_exponential(warp = monotone(~ depth))), "not a coordinate",
    class = "neargp_error_local")
  expect_error(fit(cov_exponential(warp = monotone(~ flat)), coords = ~ x + flat),
    class = "neargp_error_local")
  expect_error(fit(cov_exponential(warp = monotone(~ x), anisotropy = TRUE)), "anisotropy",
    class = "neargp_error_local")
  done <- fit(cov_exponential(warp = expand(1, ~ wet)))
  expect_error(predict(done, data[c("x", "y")]), "wet", class = "neargp_error_newdata")
  data$depth <- seq(0.1, 1, length.out = 40)
  beyond <- transform(data[1:2, ], depth = c(1, -1))
  expect_error(predict(fit(cov_exponential(warp = expand(1, ~ log(depth)))), beyond),
    "warp of the covariance .* row 2", class = "neargp_error_missing_values")
  expect_error(predict(fit(cov_exponential(range = ~ log(depth))), beyond),
    "local range of the covariance .* row 2", class = "neargp_error_missing_values")
  data$wet[3] <- NA
  expect_equal(nobs(fit(cov_exponential(warp = expand(1, ~ wet)))), 39L)
  expect_identical(is.na(warped_coordinates(done, data)$warp1), seq_len(40) == 3L)
})
