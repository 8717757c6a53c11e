test_extended("values of all methods are those of dense matrices", {
  data <- noisy_data()
  n <- nrow(data)
  for (case in noise_cases()) {
    fit <- fit_of_case(case, control = still)
    problem <- noise_problem(fit)
    at <- fit$parameters$working + 0.1 * problem$free
    natural <- natural_values(fit$layout, to_core(at, fit$layout$transform))
    if (is.null(case$nugget)) natural[c("nugget:depth", "nugget:kindold")] <- 0
    v <- dense_noise(data, natural, data, if (is.null(case$measurement_variance)) 0 else data$se^2,
      if (is.null(case$weights)) 1 else data$w)
    spec <- covariance_at(problem, at)
    noisy <- with_noise(fit$data, v)
    dense <- dense_fit(noisy, spec, 1)
    component <- metric_component(spec)
    before <- neighbors_before(problem, component, n - 1L, "maxmin", 0)
    others <- neighbors_others(problem, component, n - 1L)
    expect_equal(local_objective(problem, before)$evaluate(at)$value, dense$value,
      tolerance = 1e-10)
    expect_equal(exact_objective(problem)$evaluate(at)$value, dense$value, tolerance = 1e-10)
    expect_equal(joint_objective(problem, others)$evaluate(at)$value, dense$value,
      tolerance = 1e-10)
    loo <- local_objective(problem, others)$evaluate(at)
    score <- dense_conditional_score(noisy, spec, 1,
      drop(fit$data$basis$back %*% (loo$beta + fit$data$basis$at)),
      lapply(seq_len(n), function(i) setdiff(seq_len(n), i)))
    expect_equal(loo$value, score, tolerance = 1e-10)
  }
})

test_extended("gradients are those of differences, by information as by the adjoint", {
  data <- noisy_data(30)
  for (case in noise_cases()) {
    fit <- fit_of_case(case, data = data, control = still)
    problem <- noise_problem(fit)
    at <- fit$parameters$working + 0.1 * problem$free
    free <- problem$free
    component <- metric_component(covariance_at(problem, at))
    before <- neighbors_before(problem, component, 9L, "maxmin", 0)
    others <- neighbors_others(problem, component, 9L)
    adjoint <- list(local_objective(problem, before), local_objective(problem, others),
      joint_objective(problem, others))
    for (objective in c(adjoint[1:2], list(exact_objective(problem)))) {
      expect_equal(objective$evaluate(at, information = TRUE)$gradient[free],
        difference(function(w) objective$evaluate(w)$value, at)[free], tolerance = 1e-6)
    }
    for (objective in adjoint) {
      expect_equal(objective$gradient(at, objective$evaluate(at)$beta)[free],
        difference(function(w) objective$evaluate(w)$value, at)[free], tolerance = 1e-6)
    }
    all_before <- neighbors_before(problem, component, nrow(data) - 1L, "maxmin", 0)
    expect_equal(
      local_objective(problem, all_before)$evaluate(at, information = TRUE)$information,
      exact_objective(problem)$evaluate(at, information = TRUE)$information, tolerance = 1e-8)
  }
})

test_that("the restricted likelihood has its gradient, too", {
  fit <- fit_of_case(noise_cases()$beside_known, exact_gp(estimation = "REML"), control = still)
  problem <- noise_problem(fit)
  objective <- exact_objective(problem)
  at <- fit$parameters$working + 0.1 * problem$free
  expect_equal(objective$evaluate(at, information = TRUE)$gradient[problem$free],
    difference(function(w) objective$evaluate(w)$value, at)[problem$free], tolerance = 1e-6)
})

test_extended("without a field the fit is that of generalised least squares by nlme", {
  skip_if_not_installed("nlme")
  data <- noisy_data(200)
  reference <- list(
    depth = list(nlme::varExp(form = ~ depth), function(v) c(`nugget:depth` = 2 * v[[1L]])),
    kind = list(nlme::varIdent(form = ~ 1 | kind), function(v) c(`nugget:kindold` = 2 * v[[1L]])))
  for (name in names(reference)) {
    for (estimation in c("ML", "REML")) {
      gls <- nlme::gls(z ~ height, data, weights = reference[[name]][[1L]], method = estimation,
        control = nlme::glsControl(tolerance = 1e-10, msTol = 1e-12))
      fit <- neargp(z ~ height, data, coords = ~ x + y,
        method = exact_gp(estimation = estimation), threads = 1L,
        covariance = cov_exponential(variance = 1e-12, range = 0.1),
        nugget = stats::reformulate(name), control = neargp_control(tolerance = 1e-13))
      expected <- reference[[name]][[2L]](stats::coef(gls$modelStruct))
      expect_equal(coef(fit, "covariance")[names(expected)], expected, tolerance = 1e-6)
      expect_equal(c(logLik(fit)), c(logLik(gls)), tolerance = 1e-9)
      expect_equal(coef(fit), stats::coef(gls), tolerance = 1e-7)
      reference_sd <- if (name == "kind") gls$sigma else
        gls$sigma * exp(stats::coef(gls$modelStruct)[[1L]] * mean(data$depth))
      expect_equal(sigma(fit), reference_sd, tolerance = 1e-6)
    }
  }
})

test_that("without a nugget known variances are those of weights", {
  data <- noisy_data(100)
  known <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_matern(1.5), nugget = 0, measurement_variance = se^2, threads = 1L,
    control = neargp_control(tolerance = 1e-12))
  weighted <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_matern(1.5), nugget = 1, weights = 1 / se^2, threads = 1L,
    control = neargp_control(tolerance = 1e-12))
  expect_equal(c(logLik(known)), c(logLik(weighted)), tolerance = 1e-7)
  expect_equal(coef(known, "covariance")[c("variance", "range")],
    coef(weighted, "covariance")[c("variance", "range")], tolerance = 1e-3)
  new <- noisy_data(5, seed = 9)
  expect_equal(predict(known, new, type = "link"), predict(weighted, new, type = "link"),
    tolerance = 1e-3)
  expect_equal(predict(known, new)$sd^2, predict(known, new, type = "link")$sd^2 + new$se^2)
  expect_identical(sigma(known), 0)
  expect_identical(coef(known, "covariance")[["nugget"]], 0)
})

test_extended("the bound on inducing points has its gradient in the noise of rows", {
  data <- noisy_data(40)
  for (bound in c("tight", "standard")) {
    for (case in noise_cases()) {
      fit <- fit_of_case(case, svgp(8, bound = bound, std_error = FALSE), data = data,
        control = still)
      problem <- noise_problem(fit)
      at <- fit$parameters$working + 0.1 * problem$free
      objective <- bound_objective(problem, problem$method)
      value <- function(w) objective(w, fit$svgp$positions)$value
      expect_equal(objective(at, fit$svgp$positions)$gradient[problem$free],
        difference(value, at)[problem$free], tolerance = 1e-6)
    }
  }
})

test_extended("with a point at each row svgp() has the likelihood of exact_gp(), and its predictions", {
  data <- noisy_data(40)
  new <- noisy_data(6, seed = 5)
  exact <- noisy_fit(data, exact_gp(), measurement_variance = se^2)
  parameters <- coef(exact, what = "covariance")
  bound <- noisy_fit(data, svgp(as.matrix(data[c("x", "y")]), move = FALSE, jitter = 1e-10),
    measurement_variance = se^2, start = parameters[names(parameters) != "smoothness"],
    control = neargp_control(max_iterations = 1L)) |> suppressWarnings()
  problem <- noise_problem(bound)
  value <- bound_objective(problem, problem$method)(exact$parameters$working,
    bound$svgp$positions)$value
  expect_equal(value, c(logLik(exact)), tolerance = 1e-4)
  for (type in c("link", "response")) {
    expect_equal(predict(bound, new, type = type)$sd, predict(exact, new, type = type)$sd,
      tolerance = 0.05)
  }
  field <- attr(predict(bound, new, joint = TRUE, type = "link"), "covariance")
  observed <- attr(predict(bound, new, joint = TRUE), "covariance")
  v_new <- dense_noise(new, coef(bound, what = "covariance"), data, new$se^2)
  expect_equal(observed - field, diag(v_new), tolerance = 1e-8)
  loo <- loo_predict(bound)
  expect_equal(loo$sd, loo_predict(exact)$sd, tolerance = 0.05)
})

test_extended("folds are predicted with the noise of their rows, by the fit and by fits anew", {
  data <- noisy_data(120)
  fit <- noisy_fit(data, exact_gp(), measurement_variance = se^2,
    control = neargp_control(tolerance = 1e-10))
  folds <- rep_len(c(1, 1, 2, 2), 120)
  held <- cross_validate(fit, folds = folds)$predictions
  parameters <- coef(fit, what = "covariance")
  v <- dense_noise(data, parameters, data, data$se^2)
  for (fold in 1:2) {
    rows <- which(folds == fold)
    expected <- dense_krige(with_noise(take_data_rows(fit$data, -rows), v[-rows]),
      fit$core_covariance, 1, fit$data$coords[rows, ], fit$data$X[rows, ])
    found <- held[held$fold == fold, ]
    expect_equal(found$mean, expected$mean, tolerance = 1e-7)
    expect_equal(found$sd^2, expected$variance + v[rows], tolerance = 1e-7)
  }
  anew <- cross_validate(fit, folds = folds, refit = TRUE)$predictions
  one <- suppressMessages(noisy_fit(data[folds == 2, ], exact_gp(), measurement_variance = se^2,
    start = fit, control = fit$control))
  expect_equal(anew$sd[anew$fold == 1], predict(one, data[folds == 1, ])$sd, tolerance = 1e-5)
})

test_that("folds of rows of which all noise is known are predicted with it", {
  data <- noisy_data(24)
  data$z <- 1000 * data$z
  data$v <- ifelse(data$kind == "old", 0, 1e6 * data$se^2)
  covariance <- cov_matern(1.5, variance = 1e6, range = 0.3)
  # noise of 0 in all rows but the first fold's, and in all held-out rows of the second
  for (folds in list(ifelse(data$kind == "new", 1, 2), rep_len(c(1, 1, 2, 2), 24))) {
    for (method in list(vecchia(23), exact_gp(), loo_k(23), mll_k(23))) {
      fit <- neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance,
        nugget = 0, measurement_variance = v)
      held <- cross_validate(fit, folds = folds, verbose = FALSE)$predictions
      for (fold in 1:2) {
        rows <- which(folds == fold)
        expected <- dense_krige(list(X = fit$data$X[-rows, , drop = FALSE], y = data$z[-rows],
          offset = double(24 - length(rows)), weights = 1 / data$v[-rows],
          coords = fit$data$coords[-rows, ]), fit$core_covariance, 1, fit$data$coords[rows, ],
        fit$data$X[rows, , drop = FALSE])
        found <- held[held$fold == fold, ]
        expect_equal(found$mean, expected$mean, tolerance = 1e-7)
        expect_equal(found$sd^2, expected$variance + data$v[rows], tolerance = 1e-7)
      }
    }
  }
})

test_extended("a fit is kept, updated, started from, and told", {
  data <- noisy_data(80)
  fit <- noisy_fit(data, measurement_variance = se^2, weights = w)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), data[1:3, ]), predict(fit, data[1:3, ]))
  expect_identical(weights(fit), data$w)
  names <- c("variance", "range", "smoothness", "nugget", "nugget:depth", "nugget:kindold")
  expect_named(coef(fit, what = "covariance"), names)
  expect_identical(rownames(vcov(fit, what = "covariance")), names)
  expect_identical(tidy(fit, effects = "covariance")$term, names)
  again <- noisy_fit(data, measurement_variance = se^2, weights = w, start = fit)
  expect_equal(coef(again, "covariance"), coef(fit, "covariance"), tolerance = 1e-3)
  scaled <- transform(data, depth = depth / 100 + 7)
  moved <- noisy_fit(scaled, measurement_variance = se^2, weights = w)
  expect_equal(coef(moved, "covariance")[["nugget:depth"]],
    100 * coef(fit, "covariance")[["nugget:depth"]], tolerance = 1e-4)
  expect_equal(confint(moved, "nugget:depth", what = "covariance"),
    100 * confint(fit, "nugget:depth", what = "covariance"), tolerance = 1e-3)
  expect_equal(confint(fit, "nugget:depth", what = "covariance", method = "profile")[1, ],
    confint(fit, "nugget:depth", what = "covariance")[1, ], tolerance = 0.3)
  plain <- noisy_fit(data, nugget = NULL, weights = w)
  expect_no_error(anova(plain, fit))
  expect_identical(attr(logLik(fit), "df"), attr(logLik(plain), "df") + 2L)
  shown <- cli::ansi_strip(capture.output(print(fit)))
  expect_match(shown, "Nugget where depth = .* and kind = new", all = FALSE)
  expect_match(shown, "Noise variance .* over the rows", all = FALSE)
  expect_match(shown, "Known part of it", all = FALSE)
  expect_identical(glance(fit)$nugget, coef(fit, "covariance")[["nugget"]])
})

test_extended("the unit of the response, threads and the order of rows do not matter", {
  data <- noisy_data(80)
  fit <- noisy_fit(data, measurement_variance = se^2)
  larger <- noisy_fit(transform(data, z = 1000 * z), measurement_variance = 1e6 * se^2)
  squares <- c("variance", "nugget")
  expect_equal(coef(larger, "covariance")[squares], 1e6 * coef(fit, "covariance")[squares],
    tolerance = 1e-6)
  expect_equal(coef(larger, "covariance")[["nugget:depth"]],
    coef(fit, "covariance")[["nugget:depth"]], tolerance = 1e-6)
  three <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_matern(1.5), nugget = ~ depth + kind, measurement_variance = se^2,
    threads = 3L)
  expect_identical(coef(three, "covariance"), coef(fit, "covariance"))
  expect_identical(coef(update(three, threads = 1L), "covariance"), coef(fit, "covariance"))
})

test_that("a transformed response has noise of its rows on the scale of the transform", {
  data <- noisy_data(60)
  data$z <- exp(data$z)
  fit <- noisy_fit(data, transform = "log", measurement_variance = se^2)
  logged <- noisy_fit(transform(data, z = log(z)), measurement_variance = se^2)
  expect_equal(coef(fit, "covariance"), coef(logged, "covariance"), tolerance = 1e-8)
  new <- noisy_data(4, seed = 5)
  of_log <- predict(logged, new)
  predicted <- predict(fit, new, interval = "prediction")
  expect_equal(predicted$mean, exp(of_log$mean + of_log$sd^2 / 2), tolerance = 1e-6)
  expect_equal(predicted$upper, exp(of_log$mean + stats::qnorm(0.975) * of_log$sd),
    tolerance = 1e-6)
})

test_extended("noise goes together with random effects, in the likelihood and where the next site is", {
  withr::local_seed(2)
  n <- 50L
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), z = stats::rnorm(n),
    g = sample(letters[1:6], n, TRUE), se = stats::runif(n, 0.1, 0.8))
  data$v <- stats::rnorm(6)[match(data$g, letters)] + sin(5 * data$x) + data$se * stats::rnorm(n)
  Z <- stats::model.matrix(~ g - 1, data)
  for (method in list(exact_gp(estimation = "ML"), vecchia(k = n - 1L, estimation = "ML"))) {
    fit <- neargp(v ~ 1 + (1 | g), data, coords = ~ x + y, covariance = cov_exponential(),
      nugget = ~ z, measurement_variance = se^2, method = method, threads = 1L)
    at <- coef(fit, "covariance")
    noise <- data$se^2 + at[["nugget"]] * exp(at[["nugget:z"]] * (data$z - mean(data$z)))
    V <- at[["variance"]] * exp(-as.matrix(stats::dist(data[c("x", "y")])) / at[["range"]]) +
      diag(noise) + VarCorr(fit)[["g"]][1L] * tcrossprod(Z)
    P <- solve(V)
    r <- data$v - sum(P %*% data$v) / sum(P)
    dense <- -0.5 * (n * log(2 * pi) + as.numeric(determinant(V)$modulus) + sum(r * (P %*% r)))
    expect_equal(as.numeric(logLik(fit)), dense, tolerance = 1e-8)
  }
  quiet <- neargp(v ~ 1, data, coords = ~ x + y, covariance = cov_exponential(range = 0.3),
    nugget = ~ z, method = exact_gp(), threads = 1L)
  sites <- data.frame(x = c(0.2, 0.2001), y = 0.5, z = c(-2, 2))
  sign <- coef(quiet, "covariance")[["nugget:z"]]
  expect_identical(suggest_sites(quiet, sites)$z, if (sign > 0) -2 else 2)
})
