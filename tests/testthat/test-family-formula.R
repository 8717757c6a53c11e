# Parameters of families that depend on covariates.

formula_data <- function(n = 400, seed = 7) {
  withr::with_seed(seed, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), z = runif(n, 0, 10),
      g = factor(sample(c("a", "b", "c"), n, TRUE)))
    mu <- exp(0.8 + 0.4 * d$h)
    present <- rbinom(n, 1, plogis(2 - 0.25 * d$z))
    d$nbinom <- rnbinom(n, size = exp(0.3 + 0.15 * d$z), mu = mu)
    d$zi_poisson <- present * rpois(n, 2 * mu)
    d$zi_nbinom <- present * rnbinom(n, size = c(1, 3, 8)[d$g], mu = 3 * mu)
    d$amount <- rgamma(n, exp(0.2 * d$z), scale = mu / exp(0.2 * d$z))
    share <- plogis(0.3 + 0.5 * d$h)
    precision <- exp(1 + 0.2 * d$z)
    d$share <- rbeta(n, share * precision, (1 - share) * precision)
    d$wild <- d$h + exp(-1 + 0.15 * d$z) * rt(n, 4)
    d
  })
}

finely <- neargp_control(tolerance = 1e-10)

without_process <- function(formula, data, family, ...) {
  environment(formula) <- environment()
  neargp(formula, data, coords = ~ x + y, family = family, method = vnngp(), verbose = FALSE,
    covariance = cov_none(), control = finely, ...)
}

# `link`: of the parameter.
expect_model_of_rival <- function(fit, rival, part, parameter, link = log) {
  of_part <- glmmTMB::fixef(rival)[[part]]
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(rival)), tolerance = 1e-7)
  expect_equal(coef(fit), glmmTMB::fixef(rival)$cond, tolerance = 1e-4)
  slopes <- fit$family_parameters[paste0(parameter, ":", names(of_part)[-1L])]
  expect_equal(unname(slopes), unname(of_part[-1L]), tolerance = 1e-4)
  table <- covariance_estimates(fit)$table
  errors <- table$std_error[match(names(slopes), table$name)]
  vcov <- suppressWarnings(stats::vcov(rival, full = TRUE))
  own <- match(sprintf("%s~%s", c(disp = "d", zi = "zi")[[part]], names(of_part)[-1L]),
    rownames(vcov))
  expect_equal(errors, unname(sqrt(diag(vcov)[own])), tolerance = 0.02)
  # the reference: numbers at their mean, factors at their first level
  center <- fit$data$parameter_models[[parameter]]$recipe$center
  expect_equal(link(fit$family_parameters[[parameter]]),
    unname(of_part[1L]) + sum(center * of_part[-1L]), tolerance = 1e-4)
}

test_that("fits without a process are those of glmmTMB", {
  skip_if_not_installed("glmmTMB")
  d <- formula_data()
  rival <- function(formula, family, ...) {
    suppressWarnings(glmmTMB::glmmTMB(formula, data = d, family = family, ...))
  }
  expect_model_of_rival(without_process(nbinom ~ h, d, nbinom2(size = ~ z)),
    rival(nbinom ~ h, glmmTMB::nbinom2(), dispformula = ~ z), "disp", "size")
  expect_model_of_rival(without_process(zi_poisson ~ h, d, zi_poisson(zi = ~ z + g)),
    rival(zi_poisson ~ h, poisson(), ziformula = ~ z + g), "zi", "zi", qlogis)
  both <- without_process(zi_nbinom ~ h, d, zi_nbinom2(size = ~ g, zi = ~ z))
  other <- rival(zi_nbinom ~ h, glmmTMB::nbinom2(), ziformula = ~ z, dispformula = ~ g)
  expect_model_of_rival(both, other, "zi", "zi", qlogis)
  expect_model_of_rival(both, other, "disp", "size")
  expect_model_of_rival(
    without_process(amount ~ h, d, family_formula(Gamma("log"), shape = ~ z)),
    rival(amount ~ h, Gamma("log"), dispformula = ~ z), "disp", "shape")
  expect_model_of_rival(without_process(share ~ h, d, beta_response(precision = ~ poly(z, 2))),
    rival(share ~ h, glmmTMB::beta_family(), dispformula = ~ poly(z, 2)), "disp", "precision")
})

# Minus the log-likelihoods in plain R. `at`: two coefficients of the mean, the logarithm of the
# parameter at the mean of z, and its slope.
likelihoods_by_hand <- function(d) {
  z <- d$z - mean(d$z)
  mean <- function(at) at[1L] + at[2L] * d$h
  parameter <- function(at) exp(at[3L] + at[4L] * z)
  list(
    student = function(at) -sum(dt((d$wild - mean(at)) / parameter(at), 4, log = TRUE) -
      log(parameter(at))),
    nbinom1 = function(at) -sum(dnbinom(d$nbinom, exp(mean(at)) / parameter(at),
      mu = exp(mean(at)), log = TRUE)),
    gengamma = function(at) {
      # (y / scale)^1.3 is gamma of this shape, so that the mean is
      # scale Gamma(shape + 1 / 1.3) / Gamma(shape)
      shape <- parameter(at)
      scale <- exp(mean(at) - lgamma(shape + 1 / 1.3) + lgamma(shape))
      -sum(dgamma((d$amount / scale)^1.3, shape, log = TRUE) + log(1.3) +
        0.3 * log(d$amount) - 1.3 * log(scale))
    },
    censored = function(at) {
      sd <- parameter(at)
      -sum(ifelse(d$wild < -0.5, pnorm((-0.5 - mean(at)) / sd, log.p = TRUE),
        dnorm(d$wild, mean(at), sd, log = TRUE)))
    },
    truncated = function(at) {
      positive <- d$nbinom > 0
      log_p <- dnbinom(d$nbinom, parameter(at), mu = exp(mean(at)), log = TRUE) -
        log1p(-dnbinom(0, parameter(at), mu = exp(mean(at))))
      -sum(log_p[positive])
    })
}

test_that("fits without a process are those of optim() on closed densities", {
  d <- formula_data()
  d$measured <- ifelse(d$wild < -0.5, NA, d$wild)
  by_hand <- likelihoods_by_hand(d)
  z <- d$z
  fits <- list(student = without_process(wild ~ h, d, student_t(df = 4, scale = ~ z)),
    nbinom1 = without_process(nbinom ~ h, d, nbinom1(dispersion = ~ z)),
    gengamma = without_process(amount ~ h, d, gengamma(shape = ~ z, power = 1.3)),
    censored = without_process(cens(measured, upper = -0.5) ~ h, d,
      censored_gaussian(sd = ~ z)))
  for (name in names(fits)) {
    fit <- fits[[name]]
    own <- fit$family_parameters
    parameter <- names(fit$data$parameter_models)
    at <- unname(c(coef(fit), log(own[[parameter]]), own[[paste0(parameter, ":z")]]))
    found <- optim(at + 0.05, by_hand[[name]], method = "BFGS",
      control = list(reltol = 1e-14, maxit = 500))
    expect_equal(-found$value, as.numeric(logLik(fit)), tolerance = 1e-7)
    expect_equal(at, found$par, tolerance = 1e-3)
  }
  positive <- d[d$nbinom > 0, ]
  fit <- without_process(nbinom ~ h, positive, truncated_nbinom2(size = ~ z))
  own <- fit$family_parameters
  at <- unname(c(coef(fit), log(own[["size"]]) + own[["size:z"]] * (mean(z) - mean(positive$z)),
    own[["size:z"]]))
  expect_equal(-by_hand$truncated(at), as.numeric(logLik(fit)), tolerance = 1e-8)
})

test_that("weights count as without formulas: twice is two rows", {
  d <- formula_data(150)
  d$w <- rep(1:2, 75)
  twice <- d[rep(seq_len(150), d$w), ]
  weighted <- without_process(nbinom ~ h, d, nbinom2(size = ~ z), weights = w)
  repeated <- without_process(nbinom ~ h, twice, nbinom2(size = ~ z))
  expect_equal(as.numeric(logLik(weighted)), as.numeric(logLik(repeated)), tolerance = 1e-7)
  expect_equal(weighted$family_parameters[["size:z"]], repeated$family_parameters[["size:z"]],
    tolerance = 1e-3)
})

# ---- with a process ------------------------------------------------------------------------------

process_fit <- function(..., n = 200, method = vnngp(k = 8), formula = zi_nbinom ~ h) {
  d <- formula_data(n)
  d$zi_nbinom <- withr::with_seed(3, rnbinom(n, 3, mu = exp(1 + sin(5 * d$x) + 0.3 * d$h)) *
    rbinom(n, 1, plogis(2 - 0.25 * d$z)))
  neargp(formula, d, coords = ~ x + y, covariance = cov_exponential(), method = method,
    verbose = FALSE, ...)
}

objective_of_fit <- function(fit) {
  problem <- problem_of_fit(fit)
  problem$data <- core_data(problem$data)
  nodes <- latent_nodes(problem)
  search <- latent_search(problem, nodes, component_at(problem, problem$start), fit$method$k)
  list(problem = problem, at = problem$start + 0.05 * problem$free,
    objective = latent_objective(problem, latent_problem(problem, nodes, search)))
}

test_that("gradients are those of differences", {
  methods <- list(vnngp(k = 8, factor = "exact"),
    vnngp(k = 8, factor = "exact", posterior = "laplace"))
  families <- list(zi_nbinom2(size = ~ g, zi = ~ z), nbinom2(size = ~ g + z))
  for (case in 1:2) {
    fit <- process_fit(n = 80, family = families[[case]], method = methods[[case]],
      control = neargp_control(max_iterations = 1L)) |> suppressWarnings()
    given <- objective_of_fit(fit)
    free <- given$problem$free
    value <- function(w) given$objective$fit_at(w, 1e-13, 500L)$value
    gradient <- given$objective$fit_at(given$at, 1e-13, 500L, derivatives = TRUE)$gradient
    expect_equal(gradient[free], difference(value, given$at, 1e-4)[free], tolerance = 1e-6)
  }
})

test_that("one value for all rows is the fit without formulas, to the last bit", {
  y <- c(0, 2, 5, 1, 0, 9, 3)
  mean <- seq(-1, 2, length.out = 7)
  context <- plain_context(1L)
  for (variance in list(double(0), rep(0.3, 7))) {
    one <- core_expectations("zi_nbinom2", c(2, 0.3), y, double(0), double(0), mean, variance,
      context)
    each <- core_expectations("zi_nbinom2", matrix(c(2, 0.3), 2L, 7L), y, double(0), double(0),
      mean, variance, context)
    expect_identical(each[c("value", "slope", "curvature", "third")],
      one[c("value", "slope", "curvature", "third")])
    expect_equal(rowSums(matrix(each$d_parameters, 2L)), one$d_parameters, tolerance = 1e-13)
  }
  expect_error(core_expectations("zi_nbinom2", matrix(2, 2L, 6L), y, double(0), double(0), mean,
    double(0), context), "parameters")
})

test_that("the posterior is the same on any number of threads", {
  fits <- lapply(1:2, function(threads) process_fit(family = zi_nbinom2(zi = ~ z),
    threads = threads))
  expect_identical(fits[[1L]]$beta, fits[[2L]]$beta)
  expect_identical(fits[[1L]]$family_parameters, fits[[2L]]$family_parameters)
})

test_that("random effects and smooths of the mean go along", {
  plain <- process_fit(family = nbinom2(size = ~ z), n = 120)
  grouped <- process_fit(family = nbinom2(size = ~ z), formula = zi_nbinom ~ h + (1 | g), n = 120)
  expect_named(grouped$family_parameters, c("size", "size:z"))
  expect_gte(as.numeric(logLik(grouped)), as.numeric(logLik(plain)) - 1e-3)
})

# ---- predictions ---------------------------------------------------------------------------------

# The parameters of zi_nbinom2(zi = ~ z) at z.
zi_by_hand <- function(fit, z) {
  own <- fit$family_parameters
  plogis(qlogis(own[["zi"]]) + own[["zi:z"]] * (z - mean(fit$data_z)))
}

test_that("predictions use the parameters of each row", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z))
  fit$data_z <- formula_data(200)$z
  new <- data.frame(x = c(0.2, 0.5, 0.8), y = 0.4, h = c(0, 1, -1), z = c(0.5, 5, 9))
  link <- predict(fit, new[c("x", "y", "h")], type = "link", parameters = "plug-in")
  found <- predict(fit, new, interval = "prediction", threshold = 3, parameters = "plug-in")
  zi <- zi_by_hand(fit, new$z)
  size <- fit$family_parameters[["size"]]
  for (i in 1:3) {
    eta <- link$mean[i] + link$sd[i] * seq(-8, 8, length.out = 4001L)
    weight <- dnorm(eta, link$mean[i], link$sd[i])
    weight <- weight / sum(weight)
    count <- exp(eta)
    mean <- sum(weight * (1 - zi[i]) * count)
    square <- sum(weight * (1 - zi[i]) * (count + count^2 / size + count^2))
    expect_equal(found$mean[i], mean, tolerance = 1e-6)
    expect_equal(found$sd[i], sqrt(square - mean^2), tolerance = 1e-6)
    expect_equal(found$p_exceed[i], sum(weight * (1 - zi[i]) *
      pnbinom(3, size, mu = count, lower.tail = FALSE)), tolerance = 1e-6)
  }
})

test_that("scores, residuals and draws use the parameters of each row", {
  d <- formula_data(200)
  fit <- process_fit(family = zi_nbinom2(size = ~ g, zi = ~ z))
  new <- d[1:20, ]
  new$zi_nbinom <- fit$data$y[1:20]
  link <- predict(fit, new, type = "link", parameters = "plug-in")
  own <- fit$family_parameters
  z <- new$z - mean(d$z)
  log_scores <- vapply(1:20, function(i) {
    size <- own[["size"]] * exp(c(0, own[c("size:gb", "size:gc")])[[as.integer(new$g[i])]])
    zi <- plogis(qlogis(own[["zi"]]) + own[["zi:z"]] * z[i])
    scores(new$zi_nbinom[i], mean = link$mean[i], sd = link$sd[i], family = zi_nbinom2(),
      parameters = c(size = size, zi = zi))$log_score
  }, 0)
  expect_equal(scores(fit, new, parameters = "plug-in")$log_score, mean(log_scores),
    tolerance = 1e-6)
  expect_true(all(is.finite(residuals(fit, type = "loo"))))
  expect_true(all(is.finite(residuals(fit, type = "pearson"))))
  drawn <- as.matrix(simulate(fit, 400, seed = 1, newdata = new[1:3, ], parameters = "plug-in"))
  predicted <- predict(fit, new[1:3, ], parameters = "plug-in")
  expect_lt(max(abs(rowMeans(drawn) - predicted$mean) / (predicted$sd / 20)), 4)
  zeros <- rowMeans(as.matrix(simulate(fit, 300, seed = 2, parameters = "plug-in")) == 0)
  expect_gt(stats::cor(zeros, d$z), 0.5)
})

test_that("predictions integrate over parameters with formulas", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 60)
  new <- data.frame(x = 0.3, y = 0.4, h = 0, z = c(1, 9, NA))
  found <- predict(fit, new, parameters = "integrated", interval = "prediction")
  plugged <- predict(fit, new, parameters = "plug-in")
  expect_identical(is.na(found$mean), c(FALSE, FALSE, TRUE))
  expect_gt(found$mean[1L], found$mean[2L])
  expect_equal(found$mean, plugged$mean, tolerance = 0.5)
})

test_that("missing covariates leave out rows, and give NA predictions", {
  d <- formula_data(150)
  d$z[c(3, 7)] <- NA
  fit <- neargp(nbinom ~ h, d, coords = ~ x + y, family = nbinom2(size = ~ z),
    method = vnngp(k = 8), verbose = FALSE)
  expect_identical(nobs(fit), 148L)
  predicted <- predict(fit, d[1:4, ])
  expect_identical(which(is.na(predicted$mean)), 3L)
  expect_false(anyNA(predict(fit, d[1:4, ], type = "link")$mean))
})

# ---- fits go on ----------------------------------------------------------------------------------

test_that("print(), tidy(), confint() and fixed know the coefficients", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z))
  shown <- capture.output(print(fit))
  expect_match(shown, "zi_nbinom2() with log link, zi ~ z", fixed = TRUE, all = FALSE)
  expect_match(shown, "zi where z = ", all = FALSE)
  expect_match(capture.output(print(summary(fit))), "zi:z +[-0-9.]+ +[0-9.]+", all = FALSE)
  limits <- confint(fit, "zi:z", what = "covariance")
  table <- covariance_estimates(fit)$table
  row <- table[table$name == "zi:z", ]
  expect_equal(unname(limits[1L, ]), row$estimate + qnorm(c(0.025, 0.975)) * row$std_error,
    tolerance = 1e-6)
  of_zi <- confint(fit, "zi", what = "covariance")
  expect_true(all(of_zi > 0 & of_zi < 1))
  fixed <- process_fit(family = zi_nbinom2(zi = ~ z), fixed = c("zi:z" = 0))
  plain <- process_fit(family = zi_nbinom2())
  expect_equal(as.numeric(logLik(fixed)), as.numeric(logLik(plain)), tolerance = 1e-6)
  expect_equal(fixed$family_parameters[["zi"]], plain$family_parameters[["zi"]], tolerance = 1e-3)
  negative <- process_fit(family = zi_nbinom2(zi = ~ z), fixed = c("zi:z" = -0.1))
  expect_equal(negative$family_parameters[["zi:z"]], -0.1)
})

test_that("fits are updated, saved, deployed and cross-validated", {
  d <- formula_data(160)
  fit <- neargp(nbinom ~ h, d[1:150, ], coords = ~ x + y, family = nbinom2(size = ~ z + g),
    method = vnngp(k = 8), verbose = FALSE)
  again <- update(fit, start = fit)
  expect_equal(again$family_parameters, fit$family_parameters, tolerance = 1e-2)
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d[151:160, ]), predict(fit, d[151:160, ]))
  expect_identical(predict(deploy(fit), d[151:160, ]), predict(fit, d[151:160, ]))
  folds <- cross_validate(fit, folds = 3, verbose = FALSE)
  expect_true(all(is.finite(scores(folds)$log_score)))
  refitted <- cross_validate(fit, folds = 3, refit = TRUE, verbose = FALSE)
  expect_true(all(is.finite(scores(refitted)$log_score)))
})

test_that("appended rows bring their covariates", {
  d <- formula_data(160)
  fixed <- c(variance = 0.3, range = 0.2, size = 2, "size:z" = 0.1)
  fit_of <- function(rows) neargp(nbinom ~ h, rows, coords = ~ x + y, verbose = FALSE,
    family = nbinom2(size = ~ z), method = vnngp(k = 12), covariance = cov_exponential(),
    fixed = fixed)
  fit <- fit_of(d[1:150, ])
  more <- update(fit, newdata = d[151:160, ])
  # the mean of z is another one among all rows
  shift <- exp(0.1 * (mean(d$z) - mean(d$z[1:150])))
  fixed["size"] <- 2 * shift
  whole <- fit_of(d)
  expect_equal(more$beta, whole$beta, tolerance = 1e-4)
  expect_equal(predict(more, d[1:5, ])$mean, predict(whole, d[1:5, ])$mean, tolerance = 1e-4)
  expect_error(update(fit, newdata = d[151:160, setdiff(names(d), "z")]), "needs the covariate z",
    class = "neargp_error_newdata")
})

test_that("a hurdle model takes the formulas of its positive part", {
  d <- formula_data(200)
  d$there <- d$nbinom > 0
  presence <- neargp(there ~ h, d, coords = ~ x + y, family = binomial(), method = vnngp(k = 8),
    verbose = FALSE)
  positive <- neargp(nbinom ~ h, d[d$there, ], coords = ~ x + y, method = vnngp(k = 8),
    family = truncated_nbinom2(size = ~ z), verbose = FALSE)
  predicted <- predict(neargp_hurdle(presence, positive), d[1:5, ])
  of_parts <- predict(presence, d[1:5, ], parameters = "plug-in")$mean *
    predict(positive, d[1:5, ], parameters = "plug-in")$mean
  expect_equal(predicted$mean, of_parts, tolerance = 1e-6)
})

# ---- several responses ---------------------------------------------------------------------------

joint_formula_data <- function(n = 90) {
  d <- formula_data(n)
  withr::with_seed(4, {
    field <- sin(6 * d$x) + cos(4 * d$y)
    d$count <- rnbinom(n, exp(0.2 + 0.1 * d$z), mu = exp(1 + field))
    d$level <- 0.5 * field + rnorm(n, sd = 0.3)
    d$level[1:20] <- NA
  })
  d
}

joint_formula_fit <- function(d, ...) {
  neargp(list(count ~ h, level ~ 1), d, coords = ~ x + y, method = vnngp(k = 8), verbose = FALSE,
    family = list(nbinom2(size = ~ z), gaussian()), ...)
}

test_that("joint models: gradients are those of differences, and coefficients are per unit", {
  d <- joint_formula_data(60)
  fit <- joint_formula_fit(d)
  shared <- fitted_joint_problem(fit, plain_context())
  at <- shared$start + 0.05 * shared$free
  objective <- fields_objective(shared, joint_latent(shared, joint_search(shared, at),
    exact = TRUE))
  gradient <- objective$fit_at(at, 1e-13, 500L, derivatives = TRUE)$gradient
  value <- function(w) objective$fit_at(w, 1e-13, 500L)$value
  free <- shared$free
  expect_equal(gradient[free], difference(value, at, 1e-4)[free], tolerance = 1e-6)
  # coefficients are per unit of the covariate, as those of the parts
  expect_equal(coef(fit, what = "covariance")[["count:size:z"]],
    fit$parts$count$family_parameters[["size:z"]])
})

test_that("joint models with formulas predict, simulate and are cross-validated", {
  d <- joint_formula_data()
  fit <- joint_formula_fit(d)
  new <- d[1:4, c("x", "y", "h", "z", "level")]
  link <- predict(fit, new, type = "link", outputs = "count")
  size <- fit$parts$count$family_parameters
  size <- size[["size"]] * exp(size[["size:z"]] * (new$z - mean(d$z)))
  mean <- exp(link$mean_count + link$sd_count^2 / 2)
  variance <- mean + mean^2 * (exp(link$sd_count^2) * (1 + 1 / size) - 1)
  found <- predict(fit, new, outputs = "count")
  expect_equal(found$mean_count, mean, tolerance = 1e-8)
  expect_equal(found$sd_count, sqrt(variance), tolerance = 1e-8)
  observed <- predict(fit, d[21:24, ], outputs = "level", use_observed = TRUE)
  expect_true(all(is.finite(observed$sd_level)))
  expect_error(predict(fit, new[c("x", "y", "h")], outputs = "count"), "needs the covariate z",
    class = "neargp_error_newdata")
  drawn <- simulate(fit, 3, seed = 1, newdata = new)
  expect_true(all(is.finite(drawn$sim_1_count)))
  expect_length(simulate(fit, 2, seed = 1), 2L)
  folds <- cross_validate(fit, folds = 3, verbose = FALSE)
  expect_true(all(is.finite(scores(folds)$log_score)))
})

# ---- errors --------------------------------------------------------------------------------------

test_that("formulas that cannot be fitted are classed errors", {
  d <- formula_data(60)
  d$twice <- 2 * d$z
  d$constant <- 1
  fit_of <- function(family, ...) neargp(nbinom ~ h, d, coords = ~ x + y, family = family,
    verbose = FALSE, ...)
  expect_error(fit_of(nbinom2(size = ~ z + twice)), "linearly dependent",
    class = "neargp_error_family")
  expect_error(fit_of(nbinom2(size = ~ constant)), "does not vary", class = "neargp_error_local")
  expect_error(fit_of(nbinom2(size = ~ depth)), "depth", class = "neargp_error_columns")
  expect_error(fit_of(nbinom2(size = ~ 1)), "does not name covariates",
    class = "neargp_error_local")
  expect_error(fit_of(nbinom2(size = ~ nbinom)), "cannot be a covariate of `size`", fixed = TRUE,
    class = "neargp_error_local")
  expect_error(nbinom2(size = y ~ z), "one-sided formula", class = "neargp_error_argument")
  expect_error(nbinom2(size = ~ (1 | g)), "random effects", class = "neargp_error_argument")
  expect_error(tweedie(power = ~ z), class = "neargp_error")
  expect_error(family_formula(student_t(), df = ~ z), "cannot depend on covariates",
    class = "neargp_error_family")
  expect_error(family_formula(gaussian(), variance = ~ z), "nugget = ~ z", fixed = TRUE,
    class = "neargp_error_family")
  expect_error(family_formula(Gamma("log"), size = ~ z), "shape", class = "neargp_error_family")
  expect_error(family_formula(nbinom2(size = 2), size = ~ z), "a number or a formula",
    class = "neargp_error_argument")
  expect_error(family_formula(Gamma("log"), ~ z), "named", class = "neargp_error_argument")
  expect_error(fit_of(nbinom2(size = ~ z), method = svgp()), "not supported by svgp()",
    fixed = TRUE, class = "neargp_error_family")
  expect_error(fit_of(nbinom2(size = ~ z), control = neargp_control(shards = 2L)), "in shards",
    class = "neargp_error_family")
  d$z[5] <- Inf
  expect_error(fit_of(nbinom2(size = ~ z)), "infinite", class = "neargp_error_missing_values")
})

test_that("predictions without the covariates are classed errors, and the link does without", {
  fit <- process_fit(family = zi_nbinom2(zi = ~ z), n = 100)
  new <- data.frame(x = 0.5, y = 0.5, h = 0)
  expect_error(predict(fit, new), "needs the covariate z", class = "neargp_error_newdata")
  expect_error(scores(fit, transform(new, zi_nbinom = 3)), "needs the covariate z",
    class = "neargp_error_newdata")
  expect_error(simulate(fit, newdata = new), "needs the covariate z",
    class = "neargp_error_newdata")
  expect_silent(predict(fit, new, type = "link"))
  expect_error(mean_at_predictor(fit)(0), "depend on covariates", class = "neargp_error_family")
})
