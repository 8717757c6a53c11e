# Random methods, covariances, families, trends and the further arguments of neargp().

later_families <- c("truncated_poisson", "truncated_nbinom2", "tweedie", "nbinom1", "gengamma", "asymmetric_laplace", "zi_poisson", "zi_nbinom2",
  "betabinomial", "ordinal",
  "censored_gaussian")
latent_families <- c("gaussian", "student_t", "poisson", "negative_binomial", "binomial", "Gamma", "beta", later_families)

families_of <- list(vecchia = "gaussian", exact_gp = "gaussian", mll_k = "gaussian", odvgp = latent_families, svgp = c(latent_families, "categorical"),
  ppgpr = latent_families, dspp = c("gaussian", "gaussian", latent_families), dgp = c("gaussian", "gaussian", latent_families), swsgp = latent_families, vnngp = latent_families, joint = latent_families,
  loo_k = c("gaussian", "gaussian", "binomial", "categorical", "student_t", "poisson", "negative_binomial", "Gamma", "beta", later_families))

random_anisotropy <- function() {
  pick(TRUE, TRUE, c(angle = 30, ratio = 0.5), c(angle = 0, ratio = 1), c(angle = 721, ratio = 1e-8), c(ratio = 0.3, angle = -45),
    "3d", c(angle = 400, dip = -100, plunge = 20, ratio = 0.4, ratio_third = 1))
}


# Standard deviations and ranges that change with location.
random_local_formula <- function(tame) {
  covariates <- if (tame || chance(0.5)) pick("a", "a", "bumps(2)", "bumps(3)", "g", "poly(a, 2)", "a + bumps(2)", "`odd name`", "flag") else {
    pick("text", "flat", "holes", "big", "nowhere", "year", "s1", "log(a)", "I(a * bumps(2))", "1", "splines::ns(a, 3)", "when", "a:g", ".",
      "bumps(1)", "bumps(a, 200)", "offset(a)", "factor(round(a))", "a - 1", "I(a^2)", "bumps(flag)")
  }
  stats::as.formula(paste("~", covariates), env = globalenv())
}

# Columns that a component is multiplied by.
random_column <- function(tame) {
  column <- if (tame) pick("a", "a", "I(a^2)", "flag", "`odd name`", "s1", "year", "scale(a)", "a:s1", "flat") else {
    pick("g", "text", "holes", "big", "nowhere", "log(a)", "1", "poly(a, 2)", "a + s1", "when", ".", "bumps(2)", "offset(a)", "I(0 * a)", "z", "lon")
  }
  stats::as.formula(paste("~", column), env = globalenv())
}

random_warp <- function(tame) {
  coordinates <- if (tame) pick("s1", "s2") else pick("s1", "s2 + s1", "a", "nowhere", "when", "log(s1)", "1", "lon")
  monotone <- function() neargp::monotone(stats::as.formula(paste("~", coordinates)), knots = pick(2L, 3L, 5L, if (!tame) 1L))
  expand <- function() neargp::expand(pick(1L, 1L, 2L, if (!tame) 0L, if (!tame) 11L), random_local_formula(tame))
  network <- function() {
    neargp::mlp(pick(2L, c(4L, 2L), c(5L, 3L, 1L), if (!tame) 0L, if (!tame) 20000L), pick("relu", "tanh"), pick(1e-4, 0, if (!tame) -1))
  }
  switch(pick("expand", "expand", "monotone", "both", "network", "network"), expand = expand(), monotone = monotone(),
    both = list(monotone(), expand()), network = network())
}

covariance_arguments <- function(maker, tame) {
  arguments <- list()
  if (chance(0.15)) arguments$variance <- pick(1, 0.01, 1e8, 1e-8, 1e200, 1e-200)
  if (chance(0.15)) arguments$range <- pick(0.1, 1, 1e-6, 1e6, 1e200, c(0.1, 0.2), c(NA, 0.3), 1e-200,
    c(Inf, NA), c(s1 = Inf, s2 = NA), c(s2 = 0.3, s1 = NA), if (!tame) c(Inf, Inf), if (!tame) c(Inf, -1), if (!tame) c(s1 = Inf, nowhere = 1))
  if (chance(0.12)) arguments$ard <- TRUE else if (chance(0.15)) arguments$anisotropy <- random_anisotropy()
  if (!tame && chance(0.1)) {
    arguments$start <- pick(list(range = 0.2), list(variance = 2), list(range = 1e-10), list(nope = 1), list(range = -1))
  }
  if (maker == "cov_matern") arguments["nu"] <- list(pick(0.5, 1.5, 1.5, 2.5, 3.5, NULL, 0.7, 0.01, 49))
  if (maker == "cov_powered_exponential" && chance(0.5)) arguments$power <- pick(1, 1.9, 2, 0.1, 1e-5)
  if (maker == "cov_cauchy" && chance(0.5)) arguments$shape <- pick(1, 0.1, 100, 1e-6)
  if (maker == "cov_wendland" && chance(0.5)) arguments$smoothness <- pick(0, 1, 2, if (!tame) 1.5)
  if (chance(0.12)) {
    for (name in pick("sd", "range", c("sd", "range"))) arguments[[name]] <- random_local_formula(tame)
    if (chance(0.3)) arguments["penalty"] <- list(pick(1, 0, 1e6, NULL))
  }
  if (chance(0.12)) arguments$warp <- random_warp(tame)
  if (chance(0.12)) arguments$by <- random_column(tame)
  if (!tame && chance(0.05)) arguments[sample(c("variance", "range", "ard", "anisotropy", "start"), 1L)] <- list(junk())
  arguments
}

# Covariances with separate models of space and time. Most of their arguments are valid.
random_space_time <- function(tame) {
  model <- pick("gneiting", "gneiting", "separable", "product_sum", "metric")
  space <- pick(neargp::cov_matern(nu = NULL), neargp::cov_exponential(), neargp::cov_cauchy(), neargp::cov_exponential(anisotropy = TRUE),
    neargp::cov_matern(ard = TRUE), neargp::cov_matern(range = c(0.3, NA)), neargp::cov_exponential(range = 0.2),
    neargp::cov_exponential(sd = ~ a), neargp::cov_matern(by = ~ a), neargp::cov_exponential(sd = ~ s1, by = ~ flag))
  arguments <- list(space = space, model = model)
  if (model %in% c("separable", "product_sum") && chance(0.6)) {
    arguments$time <- pick(neargp::cov_exponential(), neargp::cov_matern(nu = NULL), neargp::cov_gaussian(range = 3),
      neargp::cov_powered_exponential(), if (!tame) neargp::cov_exponential(variance = 1))
  }
  if (model == "gneiting" && chance(0.4)) arguments$alpha <- pick(1, 0.5, 1e-6, if (!tame) 1.5)
  if (model == "gneiting" && chance(0.4)) arguments$beta <- pick(0, 0.5, 1, if (!tame) -1)
  if (model == "product_sum" && chance(0.3)) {
    arguments$shares <- pick(c(product = 0.5, space = 0.25, time = 0.25), c(product = 0, space = 1, time = 0), if (!tame) c(product = 1))
  }
  if (!tame && chance(0.1)) arguments[sample(c("alpha", "beta", "time", "shares", "space"), 1L)] <- list(junk())
  do.call(neargp::cov_spacetime, arguments)
}

random_component <- function(tame) {
  if (chance(0.08)) return(random_space_time(tame))
  maker <- pick_name(c(cov_matern = 4, cov_exponential = 2, cov_gaussian = 1.5, cov_powered_exponential = 1, cov_cauchy = 1,
    cov_spherical = 0.7, cov_wendland = 0.7, cov_wave = 0.5))
  do.call(exported(maker), covariance_arguments(maker, tame))
}

# NULL stands for the default of neargp().
random_covariance <- function(several, tame) {
  if (chance(0.12)) return(NULL)
  if (several && chance(0.5)) return(neargp::cov_coregionalisation(random_component(tame), rank = pick(1L, 2L)))
  first <- random_component(tame)
  if (chance(0.08)) first + random_component(tame) else first
}

random_k <- function(n, tame) {
  if (chance(0.15)) return(NULL)
  if (!tame && chance(0.2)) return(pick(n - 1L, n, n + 1L, 0L, 1000L, 1L))
  min(pick(1L, 3L, 5L, 10L, 15L, n - 1L), max(1L, min(n - 1L, 40L)))
}

vnngp_arguments <- function(k, n) {
  arguments <- list(k = k, posterior = pick_name(c(sparse = 4, "mean-field" = 1, laplace = 1)))
  if (chance(0.1)) {
    arguments[c("posterior", "optimizer")] <- c("mean-field", "adam")
    arguments$epochs <- 5L
  }
  if (chance(0.1)) arguments$inducing <- pick(5L, 1L, n, 10000L, matrix(0.5, 3, 2), neargp::inducing_points(4))
  if (chance(0.1)) arguments$low_rank <- pick(3L, 8L, n, 1L, 10000L, 2.5, 0L)
  if (chance(0.1)) arguments$factor <- "exact"
  if (chance(0.05)) arguments$factor_memory <- 0
  if (chance(0.05)) arguments$jitter <- pick(1e-12, 0.5, 1)
  if (chance(0.05)) arguments$overlap <- pick(0, 2, 1e6)
  arguments
}

maybe_adam <- function(arguments) {
  if (chance(0.1)) c(arguments, list(optimizer = "adam", steps = pick(4L, 10L), batch_size = pick(1L, 8L, 128L), refresh = pick(1L, 3L, 50L))) else arguments
}

loo_k_arguments <- function(k) {
  arguments <- maybe_adam(list(k = k))
  if (chance(0.15)) arguments$estimator <- pick("label", "own-class", "polya-gamma")
  if (chance(0.05)) arguments$leave_out <- "row" else if (chance(0.1)) arguments$trend <- "score"
  arguments
}

vecchia_arguments <- function(k, n) {
  arguments <- list(k = k, ordering = pick("maxmin", "random", "coordinate", "pca", "given"))
  if (chance(0.25)) arguments$inducing <- pick(3L, 10L, 5L, 1L, n, 10000L, matrix(0.5, 3, 2))
  if (chance(0.15)) arguments$block <- pick(2L, 4L, 8L, 1L, 32L)
  maybe_adam(arguments)
}

inducing_arguments <- function(name, k, n) {
  arguments <- list(inducing = pick(NULL, 3L, 10L, 5L))
  if (chance(0.1)) arguments$inducing <- pick(1L, n, 10000L, matrix(0.5, 3, 2), data.frame(x = 0:1, y = 1))
  if (chance(0.3)) arguments$move <- FALSE
  if (chance(0.2)) arguments$select <- "random"
  if (chance(0.1)) arguments$jitter <- pick(1e-12, 1e-2)
  if (name == "swsgp") return(c(arguments, list(k = k, epochs = pick(1L, 5L))))
  if (chance(0.2)) arguments$bound <- "standard"
  if (name == "svgp" && chance(0.2)) arguments[c("optimizer", "epochs", "batch_size")] <- list("natural", pick(1L, 5L), pick(16L, 1024L))
  if (name == "odvgp" && chance(0.3)) arguments$mean_inducing <- pick(5L, 20L, n, 1L)
  if (name == "svgp" && chance(0.2)) arguments$std_error <- pick(TRUE, FALSE)
  if (name == "ppgpr" && chance(0.2)) arguments$kl_weight <- pick(0, 0.1)
  if (name == "ppgpr" && chance(0.1)) return(list(joint = TRUE, covariance = "diagonal", inducing = pick(NULL, 2L, 5L, n), epochs = pick(1L, 5L)))
  arguments
}

deep_arguments <- function(name) {
  arguments <- list(layers = pick(1L, 2L, 2L, 2L, 3L), width = pick(1L, 2L, 3L), inducing = pick(2L, 5L, 20L), epochs = pick(1L, 5L),
    batch_size = pick(16L, 1000L), restarts = pick(1L, 2L))
  if (chance(0.3)) arguments$skip <- pick("none", "mean", "both", "inputs")
  if (chance(0.3)) arguments["regularization"] <- list(pick(NULL, 0, 1))
  if (chance(0.2)) arguments$validation <- pick(0, 0.5)
  if (chance(0.2)) arguments$seed <- pick(0L, 7L)
  if (name == "dgp") return(c(arguments, list(samples = pick(1L, 3L)), pick(list(), list(), list(robustness = 1.05), list(objective = "predictive"))))
  if (chance(0.4)) arguments$quadrature <- pick("grid", "symmetric", "hermite")
  if (chance(0.3)) arguments$sites <- pick(1L, 2L, 5L)
  arguments
}

random_method <- function(name, n, tame) {
  k <- random_k(n, tame)
  arguments <- switch(name,
    vecchia = vecchia_arguments(k, n),
    exact_gp = if (chance(0.3)) list(estimation = "REML") else list(), mll_k = maybe_adam(list(k = k)), loo_k = loo_k_arguments(k), vnngp = vnngp_arguments(k, n),
    dspp = deep_arguments(name), dgp = deep_arguments(name), inducing_arguments(name, k, n))
  if (is.null(k) && chance(0.7)) arguments$k <- NULL
  possible <- names(formals(exported(name)))
  if (!tame && chance(0.04)) arguments[sample(possible, 1L)] <- list(junk())
  do.call(exported(name), arguments)
}

random_family <- function(name) {
  switch(name,
    gaussian = stats::gaussian(), student_t = neargp::student_t(df = pick(NULL, 4, 1)), poisson = stats::poisson(),
    negative_binomial = neargp::negative_binomial(size = pick(NULL, 2, 1e9, 1e-5, ~ a)),
    binomial = stats::binomial(pick("logit", "logit", "probit", "cloglog")), Gamma = stats::Gamma("log"),
    truncated_poisson = neargp::truncated_poisson(), truncated_nbinom2 = neargp::truncated_nbinom2(size = pick(NULL, 2, 1e9, 1e-5)),
    tweedie = neargp::tweedie(power = pick(NULL, 1.5, 1.01, 1.99), dispersion = pick(NULL, NULL, 1, 1e-6, 1e6)),
    nbinom1 = neargp::nbinom1(dispersion = pick(NULL, 2, 1e-5, 1e9)),
    gengamma = neargp::gengamma(shape = pick(NULL, 2, 0.02, 1e4), power = pick(NULL, 1, 0.05, 20)),
    asymmetric_laplace = neargp::quantile_regression(tau = pick(0.5, 0.9, 0.001, 0.999), scale = pick(NULL, NULL, 0.3, 1e-8, 1e8)),
    zi_poisson = neargp::zi_poisson(zi = pick(NULL, 0.2, 1e-9, 0.999, ~ g)),
    zi_nbinom2 = neargp::zi_nbinom2(size = pick(NULL, 2, 1e9, ~ a + g), zi = pick(NULL, 0.2, 1e-9, ~ a)),
    ordinal = neargp::ordinal(pick("logit", "probit")), censored_gaussian = neargp::censored_gaussian(sd = pick(NULL, 0.3, 1e-6, 1e6)),
    betabinomial = neargp::betabinomial(precision = pick(NULL, 10, 1e-4, 1e9)),
    beta = neargp::beta_response(precision = pick(NULL, 10, 1e-4, 1e9, ~ a)), categorical = neargp::categorical(pick("softmax", "softmax", "robust-max")))
}

random_trend <- function(tame) {
  if (tame || chance(0.4)) {
    return(pick("1", "1", "1", "a", "a + g", "a * flag", "poly(a, 2)", "`odd name` + offset(log(e))", "0", "year", "s1",
      "(1 | g)", "a + (a | when)", "s(a, k = 5) + (1 | g)"))
  }
  pick("text", "flag", "a * g", "splines::ns(a, 3)", "I(a^2)", "log(e)", "log(a)", "flat", "a + flat", "holes", "big", "when",
    "a + offset(log(e))", "offset(a)", "nowhere", ".", "g - 1", "(1 | g)", "(a || g/text)", "(0 + flag | when)", "(1 | w)", "(1 | flat)", "(1 | holes)", "(g | text)",
    "(1 | nowhere)", "a * (1 | g)", "s(a, by = g, k = 4)", "s(s1, s2, k = 10)", "t2(a, e, k = 3)", "te(a, e)", "s(flat)", "s(holes)", "s(a, bs = 'nope')",
    "s(g, bs = 're')", "s(year, k = 5, bs = 'cc')", "(big | g)", "factor(round(a))", "a:g", "s(a)", "I(a / 0)", "sqrt(a)",
    "list(a)", "1 + NULL", "mean", "offset(text)", "offset(big)", "year + I(year^2)")
}

# The transformation `every` is defined for all numbers and fits every response. Powers below 0 lead to infinite
# means.
random_transform <- function(tame) {
  every <- list(forward = asinh, inverse = sinh)
  if (tame) return(pick(every, every, "log", "sqrt", neargp::box_cox(0.3), neargp::box_cox(2)))
  pick("log", "sqrt", neargp::box_cox(), neargp::box_cox(0), list(asinh, sinh), list(exp, log), list(function(y) -y, function(z) -z), "cube",
    list(forward = asinh, inverse = sinh, derivative = function(y) 1 / sqrt(1 + y^2)))
}

# Noise that differs between rows, with and without a nugget in addition to the known variances.
with_noise_arguments <- function(arguments, tame) {
  if (chance(0.08)) arguments$nugget <- random_local_formula(tame)
  if (chance(0.08)) {
    arguments$measurement_variance <- if (tame) pick(0.01, quote(e^2), quote(e^2), quote(ifelse(flag, e, 0))) else pick(quote(w), quote(text), 0, -1, 1:3,
      quote(nowhere), quote(a), quote(holes^2), quote(big^2), quote(0 * e), quote(e * 1e-300), quote(e * 1e300), NA, quote(list(a)))
    if (chance(0.3)) arguments$nugget <- 0
  }
  arguments
}

# Arguments that are rarely set. They cover each argument that a user may give, with valid and with invalid values.
further_arguments <- function(tame, covariance = NULL) {
  arguments <- list()
  if (chance(0.3)) arguments$control <- neargp::neargp_control(max_iterations = pick(1L, 3L, 20L), coarse_k = pick(0L, 3L, 10L),
    max_refreshes = pick(1L, 10L))
  if (chance(0.15)) arguments$nugget <- pick(0, 0.1, 1, 1e-12, 1e12, 1e300)
  if (chance(0.15)) arguments$weights <- quote(w)
  if (chance(0.08)) arguments$prior <- do.call(neargp::pc_priors, pick(list(range = c(0.1, 0.05)), list(range = c(1e-9, 0.5), sd = c(1e6, 0.01)),
    list(nugget_sd = c(1, 0.1)), list(smoothness = c(0.3, 0.1), sd = c(1, 0.999))))
  if (chance(0.06)) arguments$fixed <- pick(c(nugget_ratio = 0.1), c(nugget_ratio = 10), c(range = 0.3), c(nugget_ratio = 1e-6),
    if (!tame) c(nugget_ratio = -1), if (!tame) c(nugget_ratio = 0, nugget = 1), if (!tame) c(nugget_ratio = Inf))
  if (chance(0.06)) arguments$distance <- pick("chordal", "euclidean")
  apart <- !is.null(covariance) && any(lengths(lapply(covariance$components, `[[`, "space_time")) > 0L)
  if (chance(if (apart) 0.9 else 0.06)) arguments$time <- pick(~t, ~when, "t")
  if (chance(0.08)) arguments["transform"] <- list(random_transform(tame))
  arguments <- with_noise_arguments(arguments, tame)
  if (chance(0.06)) arguments$control <- neargp::neargp_control(max_iterations = pick(2L, 20L), checkpoint = tempfile(fileext = ".checkpoint"))
  if (chance(0.08)) arguments$control <- neargp::neargp_control(max_iterations = pick(3L, 20L), shards = pick(1L, 2L, 3L, 7L))
  if (tame) return(arguments)
  if (chance(0.1)) arguments$offset <- pick(quote(a), quote(log(e)), 1, quote(nowhere), quote(text))
  if (chance(0.1)) arguments$subset <- pick(quote(a > 0), quote(a > 1e9), 1:5, quote(c(TRUE, FALSE)), -1, 1e9, NA)
  if (chance(0.1)) arguments$time <- pick(~text, ~nowhere, ~ t + a)
  if (chance(0.05)) arguments$support <- neargp::block_support(pick(1L, 4L, 16L))
  if (chance(0.05)) arguments$crs <- pick(4326, 3857, "nonsense", -5)
  if (chance(0.1)) arguments$na.action <- pick(stats::na.omit, stats::na.exclude, stats::na.fail, stats::na.pass)
  if (chance(0.1)) arguments$start <- pick(list(range = 1), c(range = 0.1), c(variance = 1, range = 0.1), c(nope = 1), "x")
  if (chance(0.08)) arguments[sample(setdiff(names(formals(neargp::neargp)), "device"), 1L)] <- list(junk())
  arguments
}
