effects_fit <- function(formula = z ~ a + (a | site) + (1 | year) + offset(o), method = exact_gp(),
                        data = effects_data(), ...) {
  neargp(formula, data, coords = ~ x + y, method = method, weights = w,
    covariance = cov_exponential(), threads = 1L, ...)
}

# V as a function of the working parameters of effects_fit()'s default. They are log variance, log
# range, log nugget, log sd of intercept and slope, atanh of their correlation, and log sd of the
# years.
dense_total <- function(working, data = effects_data()) {
  value <- exp(working)
  r <- tanh(working[6])
  G <- diag(value[4:5]) %*% matrix(c(1, r, r, 1), 2) %*% diag(value[4:5])
  sites <- dense_columns(cbind(1, data$a), data$site)
  years <- dense_columns(rep(1, nrow(data)), data$year)
  S <- value[1] * exp(-as.matrix(dist(data[1:2])) / value[2]) + diag(value[3] / data$w)
  list(S = S, Z = cbind(sites, years), prior = block_prior(G, ncol(sites) / 2,
    value[7]^2, ncol(years)))
}

block_prior <- function(G, levels, variance, count) {
  prior <- diag(c(rep(0, 2 * levels), rep(variance, count)))
  prior[seq_len(2 * levels), seq_len(2 * levels)] <- kronecker(diag(levels), G)
  prior
}

dense_value <- function(working, restricted, data = effects_data()) {
  parts <- dense_total(working, data)
  dense_effects_likelihood(data$z - data$o, cbind(1, data$a),
    parts$S + parts$Z %*% parts$prior %*% t(parts$Z), restricted)
}

test_extended("likelihoods are those of the dense model, and estimates at their maximum", {
  for (estimation in c("ML", "REML")) {
    fit <- effects_fit(method = exact_gp(estimation = estimation),
      control = neargp_control(tolerance = 1e-9))
    at <- fit$parameters$working
    restricted <- estimation == "REML"
    expect_equal(c(logLik(fit)), dense_value(at, restricted), tolerance = 1e-8)
    expect_equal(c(logLik(fit, REML = !restricted)), dense_value(at, !restricted),
      tolerance = 1e-8)
    expect_lt(max(abs(numeric_gradient(dense_value, at, restricted))), 1e-3)
    if (!restricted) next
    curvature <- -stats::optimHess(at, dense_value, restricted = restricted,
      control = list(ndeps = rep(1e-4, 7)))
    expect_equal(unname(fit$information), curvature, tolerance = 1e-3)
  }
})

test_extended("the gradient is that of differences, also near a variance of 0, by all neighbours", {
  fit <- effects_fit(method = vecchia(79), control = neargp_control(max_iterations = 1L)) |>
    suppressWarnings()
  for (restricted in c(TRUE, FALSE)) {
    fit$method$estimation <- if (restricted) "REML" else "ML"
    problem <- fold_problem(fit, seq_len(80), plain_context(1L))
    problem <- with_start(problem$method, problem)
    unit <- log(problem$data$basis$unit) * c(2, 0, 2, 1, 1, 0, 1)
    objective <- likelihood_objective(problem$method, problem)
    for (at in list(c(-1, -2, -2, -0.5, -0.7, 0.4, -1), c(0, -1, -1, -6, 0.2, -1.5, -8))) {
      state <- objective$evaluate(at, information = TRUE)
      differences <- numeric_gradient(function(working) objective$evaluate(working)$value, at)
      expect_equal(state$gradient, differences, tolerance = 1e-6)
      dense <- numeric_gradient(dense_value, at + unit, restricted)
      expect_equal(state$gradient, dense, tolerance = 1e-6)
    }
  }
})

test_extended("expected information in the variances is that of dense traces", {
  fit <- effects_fit()
  problem <- fold_problem(fit, seq_len(80), plain_context(1L))
  problem <- with_start(problem$method, problem)
  at <- c(-1, -2, -2, -0.5, -0.7, 0.4, -1)
  unit <- log(problem$data$basis$unit) * c(2, 0, 2, 1, 1, 0, 1)
  found <- likelihood_objective(problem$method, problem)$evaluate(at, information = TRUE)
  total <- function(working) {
    parts <- dense_total(working + unit)
    parts$S + parts$Z %*% parts$prior %*% t(parts$Z)
  }
  V <- total(at)
  X <- cbind(1, effects_data()$a)
  Q <- solve(V)
  P <- Q - Q %*% X %*% solve(crossprod(X, Q %*% X), crossprod(X, Q))
  products <- lapply(1:7, function(i) {
    shift <- replace(double(7), i, 1e-5)
    P %*% (total(at + shift) - total(at - shift)) / 2e-5
  })
  expected <- outer(1:7, 1:7, Vectorize(function(i, j) 0.5 * sum(products[[i]] *
    t(products[[j]]))))
  expect_equal(found$information[4:7, ], expected[4:7, ], tolerance = 1e-6)
})

test_that("effects and coefficients are best linear unbiased predictions, with their errors", {
  fit <- effects_fit()
  data <- effects_data()
  parts <- dense_total(fit$parameters$working)
  V <- parts$S + parts$Z %*% parts$prior %*% t(parts$Z)
  q <- ncol(parts$Z)
  dense <- dense_universal_kriging(data$z - data$o, cbind(1, data$a), V, matrix(0, q, 2),
    parts$prior %*% t(parts$Z), parts$prior)
  expect_equal(unname(coef(fit, "random")), dense$mean, tolerance = 1e-8)
  expect_equal(unname(vcov(fit, "random")), unname(dense$covariance), tolerance = 1e-8)
  expect_equal(unname(coef(fit)), dense$beta, tolerance = 1e-8)
  expect_equal(unname(vcov(fit)), dense$vcov, tolerance = 1e-8)
  effects <- ranef(fit, se = TRUE)
  expect_equal(unname(as.matrix(effects$site[1:2])), t(matrix(dense$mean[1:16], 2)),
    tolerance = 1e-8)
  expect_equal(effects$year[["se_(Intercept)"]], sqrt(diag(dense$covariance)[17:21]),
    tolerance = 1e-8)
  expect_identical(rownames(effects$year), as.character(2001:2005))
})

test_extended("the unit of the response does not move estimates", {
  data <- effects_data()
  fit <- effects_fit(control = neargp_control(tolerance = 1e-9))
  other <- effects_fit(data = transform(data, z = 1000 * z, o = 1000 * o),
    control = neargp_control(tolerance = 1e-9))
  expect_equal(coef(other, "covariance") / coef(fit, "covariance"), c(variance = 1e6, range = 1,
    nugget = 1e6, `sd_(Intercept)|site` = 1e3, `sd_a|site` = 1e3, `cor_a.(Intercept)|site` = 1,
    `sd_(Intercept)|year` = 1e3), tolerance = 1e-4)
  expect_equal(coef(other, "random"), 1000 * coef(fit, "random"), tolerance = 1e-4)
})

test_that("correlations of three terms are those of the factor, whose slopes are those of differences", {
  working <- c(-0.3, 0.2, 0.5, 0.4, -0.6, 0.9)
  values <- c(exp(working[1:3]), tanh(working[4:6]))
  factor <- block_factor(values, 3L)
  expect_equal(sqrt(rowSums(factor^2)), values[1:3])
  expect_equal(cov2cor(tcrossprod(factor))[2, 1], values[4])
  correlation <- cov2cor(tcrossprod(factor))
  partial <- (correlation[3, 2] - correlation[3, 1] * correlation[2, 1]) /
    sqrt((1 - correlation[3, 1]^2) * (1 - correlation[2, 1]^2))
  expect_equal(partial, values[6])
  at <- function(working) block_factor(c(exp(working[1:3]), tanh(working[4:6])), 3L)
  slopes <- factor_slopes(factor, values, 3L)
  for (i in 1:6) {
    shift <- replace(double(6), i, 1e-6)
    expect_equal(slopes[[i]], (at(working + shift) - at(working - shift)) / 2e-6, tolerance = 1e-8)
  }
})

# ---- without a field -----------------------------------------------------------------------------

without_field <- function(formula, data, estimation = "REML") {
  neargp(formula, data, coords = ~ x + y, method = exact_gp(estimation = estimation),
    covariance = cov_exponential(variance = 1e-12, range = 0.1), weights = w, threads = 1L,
    control = neargp_control(tolerance = 1e-11))
}

fit_by_lme4 <- function(formula, data, estimation = "REML") {
  lme4::lmer(formula, data, weights = w, REML = estimation == "REML",
    control = lme4::lmerControl(optCtrl = list(ftol_rel = 1e-15, xtol_rel = 1e-12, maxeval = 1e4),
      check.conv.singular = "ignore")) |> suppressWarnings()
}

test_extended("without a field fits are those of lme4", {
  skip_if_not_installed("lme4")
  data <- effects_data(100)
  data$year <- factor(data$year)
  for (formula in list(z ~ a + (1 | site) + (1 | year), z ~ a + (a | site), z ~ a + (a || site),
    z ~ (1 | year/site))) {
    for (estimation in c("ML", "REML")) {
      fit <- without_field(formula, data, estimation)
      other <- fit_by_lme4(formula, data, estimation)
      expect_equal(c(logLik(fit)), c(logLik(other)), tolerance = 1e-8)
      expect_identical(attr(logLik(fit), "df"),
        attr(logLik(other), "df"))
      expect_equal(coef(fit), lme4::fixef(other), tolerance = 1e-4)
      expect_equal(sigma(fit), sigma(other), tolerance = 1e-4)
      expect_equal(sqrt(diag(vcov(fit))), sqrt(diag(as.matrix(vcov(other)))), tolerance = 1e-4)
      ours <- unlist(ranef(fit)[c("site", "year")])
      theirs <- unlist(lme4::ranef(other)[c("site", "year")])
      expect_equal(ours, theirs, tolerance = 1e-3)
    }
  }
})

test_extended("without a field smooths are those of mgcv", {
  skip_if_not_installed("mgcv")
  data <- effects_data(150)
  data$year <- factor(data$year)
  for (formula in list(z ~ a + s(depth, k = 8), z ~ s(depth, bs = "cc", k = 6) + a,
    z ~ t2(depth, a, k = 4), z ~ year + s(depth, by = year, k = 4), z ~ s(site, bs = "re") + a)) {
    theirs <- mgcv::gam(formula, data = transform(data, site = factor(site)), weights = w,
      method = "REML", control = list(newton = list(conv.tol = 1e-9), epsilon = 1e-10))
    fit <- without_field(formula, data)
    expect_equal(c(logLik(fit)), -c(theirs$gcv.ubre[[1]]), tolerance = 1e-6)
    expect_equal(sigma(fit)^2, theirs$sig2, tolerance = 1e-3)
    new <- effects_data(20, seed = 9)
    new$year <- factor(new$year)
    expect_equal(predict(fit, new)$mean, c(unname(predict(theirs, new))), tolerance = 1e-3)
    expect_equal(predict(fit, new, type = "link")$sd,
      c(unname(predict(theirs, new, se.fit = TRUE)$se.fit)), tolerance = 1e-2)
    if (inherits(theirs$smooth[[1]], "random.effect")) next
    edf <- vapply(theirs$smooth,
      function(smooth) sum(theirs$edf[smooth$first.para:smooth$last.para]), 0)
    expect_equal(smooth_table(fit)$edf, edf, tolerance = 1e-3)
  }
})

test_extended("a variance of 0 is reported as 0, as lme4 does, and predicts nothing", {
  skip_if_not_installed("lme4")
  set.seed(3)
  data <- effects_data(100)
  data$idle <- rep(1:10, 10)
  data$z <- data$z - stats::ave(data$z, data$idle)
  fit <- without_field(z ~ a + (1 | idle) + (1 | site), data)
  other <- fit_by_lme4(z ~ a + (1 | site), data)
  expect_identical(coef(fit, "covariance")[["sd_(Intercept)|idle"]], 0)
  expect_equal(c(logLik(fit)), c(logLik(other)), tolerance = 1e-7)
  expect_lt(max(abs(ranef(fit)$idle)), 1e-8)
  expect_true(is.na(vcov(fit, "covariance")["sd_(Intercept)|idle", "sd_(Intercept)|idle"]))
  expect_output(print(fit), "sd_\\(Intercept\\)\\|idle: the data show no such differences")
})
