# Fits on inducing points with random effects. The covariance matrix of dense references is
# Q + Z G Z' + noise. Q is that of the field at the rows as far as the inducing points determine it.

grouped_fit <- function(formula = z ~ a + (a | site) + (1 | year) + offset(o),
                        method = svgp(inducing = 12, std_error = FALSE), data = effects_data(60),
                        ...) {
  neargp(formula, data, coords = ~ x + y, method = method, weights = w,
    covariance = cov_exponential(range = 0.2), threads = 1L, ...)
}

# The default formula: the effects' columns at `data` and their covariance matrix.
dense_effects <- function(fit, data, levels = fit$data$effects$blocks) {
  value <- coef(fit, "covariance")
  r <- value[["cor_a.(Intercept)|site"]]
  sd <- value[c("sd_(Intercept)|site", "sd_a|site")]
  G <- diag(sd) %*% matrix(c(1, r, r, 1), 2) %*% diag(sd)
  at_site <- outer(as.character(data$site), levels[[1L]]$levels, "==") * 1
  at_year <- outer(as.character(data$year), levels[[2L]]$levels, "==") * 1
  Z <- cbind(t(vapply(seq_len(nrow(data)), function(i) as.vector(rbind(at_site[i, ],
    data$a[i] * at_site[i, ])), double(2L * ncol(at_site)))), at_year)
  sites <- seq_len(2L * ncol(at_site))
  prior <- diag(value[["sd_(Intercept)|year"]]^2, ncol(Z))
  prior[sites, sites] <- kronecker(diag(ncol(at_site)), G)
  list(Z = Z, prior = prior)
}

# With the parameters of another fit of the same layout.
fit_at <- function(fit, other) {
  fit$parameters$working <- other$parameters$working
  fit[c("core_covariance", "nugget")] <- other[c("core_covariance", "nugget")]
  context <- plain_context(1L)
  with_own_cache(with_inducing_posterior(with_fold_trend(fit, context), context))
}

test_extended("the bound is that of dense matrices, and estimates are at its maximum", {
  for (bound in c("tight", "standard")) {
    data <- effects_data(60)
    fit <- grouped_fit(method = svgp(inducing = 12, bound = bound, move = FALSE,
      std_error = FALSE), data = data)
    parts <- dense_inducing(fit)
    known <- dense_effects(fit, data)
    V <- parts$known + diag(parts$noise) + known$Z %*% known$prior %*% t(known$Z)
    ratio <- parts$rest / parts$noise
    expect_equal(c(logLik(fit)), dense_effects_likelihood(data$z - data$o, cbind(1, data$a), V) -
      0.5 * sum(if (bound == "tight") log1p(ratio) else ratio), tolerance = 1e-8)
  }
})

test_extended("the gradient is that of differences, also near a variance of 0", {
  problem <- inducing_problem(z ~ a + (a | site) + s(depth, k = 6), effects_data(60), ~ x + y,
    svgp(inducing = 8), cov_exponential())
  positions <- problem$data$coords[1:8, ]
  objective <- bound_objective(problem, problem$method)
  value <- function(working) objective(working, positions)$value
  for (sd in c(-0.5, -7)) {
    at <- replace(problem$start, problem$layout$name == "sd_(Intercept)|site", sd)
    at[problem$layout$kind == "effect_cor"] <- 0.6
    expect_equal(objective(at, positions)$gradient, numeric_gradient(value, at), tolerance = 1e-6)
  }
})

test_extended("predictions, effects and their errors are universal kriging under that covariance", {
  data <- effects_data(60)
  new <- effects_data(30, seed = 9)
  new$site[1:4] <- c("p", "p", "q", "r")
  fit <- grouped_fit(data = data)
  parts <- dense_inducing(fit)
  blocks <- fit$data$effects$blocks
  blocks[[1L]]$levels <- c(blocks[[1L]]$levels, "p", "q", "r")
  own <- dense_effects(fit, data, blocks)
  other <- dense_effects(fit, new, blocks)
  positions <- fit$svgp$positions
  prior <- dense_covariance(positions, positions, fit$core_covariance)
  variance <- prior[1L, 1L]
  diag(prior) <- diag(prior) + fit$method$jitter * variance
  at_data <- dense_covariance(positions, fit$data$coords, fit$core_covariance)
  at_new <- dense_covariance(positions, as.matrix(new[c("x", "y")]), fit$core_covariance)
  known <- crossprod(at_new, solve(prior, at_new))
  expected <- dense_universal_kriging(data$z - data$o, cbind(1, data$a),
    parts$known + diag(parts$noise) + own$Z %*% own$prior %*% t(own$Z), cbind(1, new$a),
    crossprod(at_new, solve(prior, at_data)) + other$Z %*% own$prior %*% t(own$Z),
    known + diag(variance - diag(known)) + other$Z %*% own$prior %*% t(other$Z))
  predicted <- predict(fit, new, type = "link", allow.new.levels = TRUE)
  expect_equal(predicted$mean, expected$mean + new$o, tolerance = 1e-8)
  expect_equal(predicted$sd, sqrt(diag(expected$covariance)), tolerance = 1e-8)
  joint <- attr(predict(fit, new, type = "link", allow.new.levels = TRUE, joint = TRUE),
    "covariance")
  away <- row(joint) != col(joint) & as.matrix(dist(new[c("x", "y")])) > 0
  field <- dense_covariance(as.matrix(new[c("x", "y")]), as.matrix(new[c("x", "y")]),
    fit$core_covariance) - known
  expect_equal(unname(joint)[away], (expected$covariance + field)[away], tolerance = 1e-7)
  expect_equal(unname(coef(fit)), unname(expected$beta), tolerance = 1e-8)
  expect_equal(unname(vcov(fit)), unname(expected$vcov), tolerance = 1e-8)
  terms <- predict(fit, new, allow.new.levels = TRUE, type = "terms")
  expect_equal(terms$trend + terms$site + terms$year + terms$process, predicted$mean,
    tolerance = 1e-8)
  draws <- simulate(fit, 4000L, seed = 1, newdata = new[1:8, ], allow.new.levels = TRUE)
  expect_equal(unname(rowMeans(draws)), predicted$mean[1:8], tolerance = 0.05)
  expect_error(predict(fit, new), class = "neargp_error_levels")
})

test_extended("with an inducing point at each row it is the exact method, with folds and leave-one-out", {
  data <- effects_data(60)
  new <- effects_data(30, seed = 9)
  exact <- grouped_fit(method = exact_gp(estimation = "ML"), data = data,
    control = neargp_control(tolerance = 1e-9))
  fit <- fit_at(grouped_fit(method = svgp(60, move = FALSE, jitter = 1e-12), data = data), exact)
  bound <- bound_at(fit$data, as_specified(fit$core_covariance), fit$nugget, fit$svgp$positions,
    fit$method, plain_context(1L), fitted_effects(fit))
  expect_equal(bound$value, c(logLik(exact)), tolerance = 1e-8)
  expect_equal(predict(fit, new), predict(exact, new), tolerance = 1e-6)
  expect_equal(predict(fit, new, re.form = NA), predict(exact, new, re.form = NA),
    tolerance = 1e-6)
  expect_equal(ranef(fit, se = TRUE), ranef(exact, se = TRUE), tolerance = 1e-6)
  expect_equal(loo_predict(fit), loo_predict(exact), tolerance = 1e-6)
  folds <- rep(1:5, 12)
  expect_equal(cross_validate(fit, folds = folds)$predictions$mean,
    cross_validate(exact, folds = folds)$predictions$mean, tolerance = 1e-6)
})

test_extended("without a field it is lme4's maximum likelihood", {
  skip_if_not_installed("lme4")
  data <- effects_data(150)
  off <- cov_exponential(variance = 1e-10, range = 1)
  fit <- neargp(z ~ a + (a | site) + (1 | year), data, coords = ~ x + y, covariance = off,
    method = svgp(inducing = 5, std_error = FALSE))
  other <- lme4::lmer(z ~ a + (a | site) + (1 | year), data, REML = FALSE)
  expect_equal(c(logLik(fit)), c(logLik(other)), tolerance = 1e-6)
  expect_equal(unname(fixef(fit)), unname(lme4::fixef(other)), tolerance = 1e-4)
  expect_equal(sigma(fit), sigma(other), tolerance = 1e-4)
  ours <- as.data.frame(VarCorr(fit))
  theirs <- as.data.frame(lme4::VarCorr(other))
  place <- match(paste(ours$grp, ours$var1, ours$var2), paste(theirs$grp, theirs$var1, theirs$var2))
  expect_equal(ours$sdcor, theirs$sdcor[place], tolerance = 1e-3)
  expect_equal(unname(as.matrix(ranef(fit)$site)), unname(as.matrix(lme4::ranef(other)$site)),
    tolerance = 1e-3)
})

test_extended("without a field smooths are those of mgcv by maximum likelihood", {
  skip_if_not_installed("mgcv")
  data <- effects_data(150)
  off <- cov_exponential(variance = 1e-10, range = 1)
  for (formula in list(z ~ a + s(depth, k = 8), z ~ s(depth, bs = "cr", k = 6) + s(a, k = 5))) {
    ours <- neargp(formula, data, coords = ~ x + y, weights = w, covariance = off,
      method = svgp(inducing = 5, std_error = FALSE), control = neargp_control(tolerance = 1e-9))
    theirs <- mgcv::gam(formula, data = data, weights = w, method = "ML",
      control = mgcv::gam.control(epsilon = 1e-10, newton = list(conv.tol = 1e-9)))
    expect_equal(c(logLik(ours)), -theirs$gcv.ubre[[1L]], tolerance = 1e-6)
    expect_equal(sigma(ours), sqrt(theirs$reml.scale), tolerance = 1e-4)
    expect_equal(unname(fitted(ours)), unname(c(fitted(theirs))), tolerance = 1e-4)
  }
})

test_extended("the noise of rows may have a model beside effects", {
  data <- effects_data(60)
  data$known <- seq(0.05, 0.2, length.out = 60)
  fit <- neargp(z ~ a + (a | site), data, coords = ~ x + y, measurement_variance = known,
    nugget = ~ a, covariance = cov_exponential(), method = svgp(60, move = FALSE, jitter = 1e-12),
    control = neargp_control(max_iterations = 2L)) |> suppressWarnings()
  problem <- with_start(fit$method, fold_problem(fit, seq_len(60), plain_context(1L)))
  objective <- bound_objective(problem, problem$method)
  value <- function(working) objective(working, fit$svgp$positions)$value
  at <- replace(problem$start, problem$layout$kind == "effect_cor", 0.6)
  expect_equal(objective(at, fit$svgp$positions)$gradient, numeric_gradient(value, at),
    tolerance = 1e-6)
  exact <- likelihood_objective(exact_gp(), replace(problem, "method",
    list(exact_gp(estimation = "ML"))))
  expect_equal(value(at), exact$evaluate(at)$value, tolerance = 1e-8)
})

test_extended("counts have the posterior of vnngp() with all neighbours", {
  data <- effects_data()
  data$count <- withr::with_seed(4, stats::rpois(80, exp(pmin(data$z - data$o, 3) / 2)))
  new <- effects_data(30, seed = 9)
  new$site[1:3] <- "new"
  at <- function(method) {
    neargp(count ~ a + (a || site) + (1 | year) + offset(o / 4), data, coords = ~ x + y,
      family = poisson(), threads = 1L, method = method, covariance = cov_exponential(range = 0.2))
  }
  latent <- at(vnngp(79, factor = "exact", jitter = 1e-9))
  fit <- at(svgp(80, move = FALSE, jitter = 1e-9, bound = "standard"))
  expect_equal(c(logLik(fit)), c(logLik(latent)), tolerance = 1e-6)
  expect_equal(coef(fit, "covariance"), coef(latent, "covariance"), tolerance = 0.02)
  expect_equal(fixef(fit), fixef(latent), tolerance = 1e-2)
  # the standard deviation of `site` is at its bound in one of them and near it in the other
  without_na <- function(x) rapply(x, function(v) replace(v, is.na(v), 0), how = "replace")
  expect_equal(without_na(ranef(fit, se = TRUE)), without_na(ranef(latent, se = TRUE)),
    tolerance = 1e-2)
  known <- predict(fit, new, type = "link", allow.new.levels = TRUE)
  expected <- predict(latent, new, type = "link", allow.new.levels = TRUE, local_mean = FALSE)
  expect_equal(known$mean, expected$mean, tolerance = 1e-2)
  expect_equal(known$sd, expected$sd, tolerance = 1e-2)
  expect_equal(loo_predict(fit), loo_predict(latent), tolerance = 1e-2)
})

test_extended("effects begin after mini-batches of the field", {
  data <- batch_data()
  data$group <- rep(1:30, 30)
  data$z <- data$z + withr::with_seed(1, stats::rnorm(30, sd = 3))[data$group]
  both <- lapply(c("auto", "collapsed"), function(optimizer) {
    batch_fit(data, svgp(20, optimizer = optimizer), z ~ (1 | group))
  })
  expect_match(both[[1L]]$convergence$message, "mini-batches")
  expect_equal(VarCorr(both[[1L]])$group[1L], VarCorr(both[[2L]])$group[1L], tolerance = 0.02)
  expect_gt(cor(ranef(both[[1L]])$group[[1L]], withr::with_seed(1, stats::rnorm(30, sd = 3))), 0.98)
})

small_groups_fit <- function(method, formula = z ~ (1 | site), ...) {
  neargp(formula, effects_data(30, groups = 3), coords = ~ x + y, method = method, nugget = 0.2,
    covariance = cov_exponential(range = 1, variance = 1), ...)
}

test_that("groups beside a field are coefficients after those of the trend", {
  fit <- small_groups_fit(svgp(4, move = FALSE, std_error = FALSE))
  expect_length(fit$core_trend$beta, 4L)
  expect_identical(dim(ranef(fit)$site), c(3L, 1L))
})

test_extended("mini-batches alone, weighted divergences, classes and relatives of the method have none", {
  refused <- function(...) {
    expect_error(small_groups_fit(...), class = "neargp_error_method")
  }
  refused(svgp(4, optimizer = "adam"))
  refused(svgp(4, optimizer = "natural"))
  refused(svgp(4, kl_weight = 0.5))
  refused(ppgpr(4))
  refused(odvgp(4))
  refused(svgp(4), cut(z, 3) ~ (1 | site))
})
