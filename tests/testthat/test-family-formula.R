# Parameters of families that depend on covariates.

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

test_extended("fits without a process are those of glmmTMB", {
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

test_that("Laplace's evidence of a process is that of dense matrices in plain R", {
  n <- 40L
  d <- formula_data(n)
  fit <- neargp(nbinom ~ 1, d, coords = ~ x + y, covariance = cov_exponential(), verbose = FALSE,
    family = nbinom2(size = ~ z), method = vnngp(k = n - 1L, posterior = "laplace",
      factor = "exact", jitter = 1e-6), fixed = c("(Intercept)" = 0.7, variance = 0.6,
      range = 0.3, size = 2, "size:z" = 0.15))
  size <- 2 * exp(0.15 * (d$z - mean(d$z)))
  K <- 0.6 * exp(-as.matrix(dist(d[c("x", "y")])) / 0.3) + diag(0.6e-6, n)
  log_p <- function(field) dnbinom(d$nbinom, size, mu = exp(0.7 + field), log = TRUE)
  field <- rep(0, n)
  for (step in 1:50) {
    mu <- exp(0.7 + field)
    slope <- d$nbinom - (d$nbinom + size) * mu / (mu + size)
    W <- (d$nbinom + size) * size * mu / (mu + size)^2
    field <- drop(solve(diag(n) + K %*% diag(W), K %*% (W * field + slope)))
  }
  evidence <- sum(log_p(field)) - 0.5 * drop(field %*% solve(K, field)) -
    0.5 * as.double(determinant(diag(n) + K %*% diag(W))$modulus)
  expect_equal(as.numeric(logLik(fit)), evidence, tolerance = 1e-7)
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
