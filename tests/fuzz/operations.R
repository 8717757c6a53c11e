# Calls on a fit. Each operation draws its arguments and returns list(run, check, label): the call, the check of
# its result, and the arguments to report.

operation <- function(run, check = no_check, label = "") list(run = run, check = check, label = label)

argument_names <- function(arguments) paste(names(arguments), collapse = ",")

predict_arguments <- function(data) {
  arguments <- list(newdata = random_newdata(data))
  if (chance(0.5)) arguments$type <- pick("response", "link", "quantile", "process", "trend", "terms", "coefficients", "prob", "class")
  if (chance(0.4)) arguments$interval <- pick("none", "confidence", "prediction")
  if (chance(0.2)) arguments$level <- pick(0.9, 0.5, 0.999999, 1e-9)
  if (chance(0.1)) arguments$threshold <- pick(0, c(0, 1), 1e300, -1e300)
  if (chance(0.1)) arguments$threshold_of <- "mean"
  if (chance(0.1)) arguments["k"] <- list(pick(1L, 2L, 10L, 1000L, NULL))
  if (chance(0.1)) arguments["local_mean"] <- list(pick(TRUE, FALSE, NULL))
  if (chance(0.1)) arguments["sectors"] <- list(pick(0L, 1L, 4L, 8L, 100L, NULL))
  if (chance(0.1)) arguments$joint <- TRUE
  if (chance(0.1)) arguments$trials <- pick(1, 5, 0, 1e6, 2.5)
  if (identical(arguments$type, "quantile") && chance(0.5)) arguments$probs <- pick(0.5, c(0.01, 0.99), 0, 1, 1e-12, c(0.9, 0.1))
  if (chance(0.05)) arguments$chunk_size <- pick(1L, 3L)
  if (chance(0.1)) arguments$parameters <- "integrated"
  with_junk(arguments)
}

predict_operation <- function(fit, data) {
  arguments <- predict_arguments(data)
  check <- function(x) check_table(if (is.data.frame(x)) without_infinite_sds(x, fit) else x, NROW(arguments$newdata))
  operation(function() do.call(stats::predict, c(list(fit), arguments)), check, argument_names(arguments))
}

# The number of threads must not change a bit. Chunks may change a prediction by rounding only, since the dense
# model multiplies blocks as wide as the chunks.
repeat_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    once <- stats::predict(fit, new, threads = 1L)
    wrong <- check_identical(once, stats::predict(fit, new, threads = 3L), "threads change a prediction")
    if (is.null(wrong)) check_close(once, stats::predict(fit, new, chunk_size = 2L), "chunks change a prediction") else wrong
  })
}

# Predictions that go to files must equal those in memory.
files_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    folder <- tempfile("files")
    dir.create(folder)
    on.exit(unlink(folder, recursive = TRUE))
    files <- stats::predict(fit, new, output = file.path(folder, "{part}.csv"), chunk_size = 7L)
    once <- stats::predict(fit, new)
    if (inherits(once, "sf")) once <- sf::st_drop_geometry(once)
    if (!length(files) || any(vapply(once, is.factor, NA))) return(NULL)
    # columns of the same names before them are coordinates
    found <- do.call(rbind, lapply(files, utils::read.csv, check.names = FALSE))
    found[] <- lapply(found, function(column) if (all(is.na(column))) as.double(column) else column)
    check_close(unname(as.matrix(found[ncol(found) - rev(seq_along(once)) + 1L])), unname(as.matrix(once)), "files change a prediction")
  })
}

# Squares, some of them slivers, about places of the data.
random_areas <- function(fit, data) {
  names <- fit$locations$names[1:2]
  new <- data[sample.int(nrow(data), pick(0L, 1L, 3L, 10L), TRUE), , drop = FALSE]
  side <- pick(1e-9, 0.01, 1, 1000) * max(diff(range(data[[names[1L]]], na.rm = TRUE)), 1e-6)
  square <- function(x, y) {
    sf::st_polygon(list(cbind(x + side * c(-1, 1, 1, -1, -1), y + pick(1, 1e-12) * side * c(-1, -1, 1, 1, -1))))
  }
  crs <- if (is.null(fit$locations$crs)) sf::NA_crs_ else fit$locations$crs
  sf::st_sf(new, geometry = sf::st_sfc(Map(square, new[[names[1L]]], new[[names[2L]]]), crs = crs))
}

areas_operation <- function(fit, data) {
  locations <- fit$locations
  plain <- length(locations$names) >= 2L && all(locations$names[1:2] %in% names(data)) && is.data.frame(data) &&
    !inherits(data, "sf") && has_package("sf")
  if (!plain) return(operation(function() NULL))
  areas <- tryCatch(random_areas(fit, data), error = function(e) NULL)
  if (is.null(areas)) return(operation(function() NULL))
  arguments <- list(areas = areas, draws = 20L)
  if (chance(0.5)) arguments$type <- pick("response", "link", "quantile", "process", "trend")
  if (chance(0.4)) arguments$interval <- pick("none", "confidence", "prediction")
  if (chance(0.3)) arguments$fun <- "sum"
  if (chance(0.2)) arguments["weights"] <- list(pick(1, 0, "nobody", seq_len(nrow(areas)), -1))
  if (chance(0.3)) arguments$joint <- TRUE
  if (chance(0.1)) arguments$threshold <- pick(0, c(0, 1), 1e300, -1e300)
  if (chance(0.3)) arguments["k"] <- list(pick(1L, 2L, 10L, 50L, NULL))
  if (chance(0.1)) arguments$spacing <- pick(1e-9, 0.1, 1e9)
  arguments <- with_junk(arguments)
  operation(function() do.call(neargp::predict_areas, c(list(fit), arguments)), function(x) check_table(x), argument_names(arguments))
}

index_operation <- function(fit, data) {
  new <- random_newdata(data)
  if (is.data.frame(new) && nrow(new)) new$part <- rep_len(c("a", "b"), nrow(new))
  arguments <- list(newdata = new, draws = 20L)
  if (chance(0.5)) arguments$group <- pick("part", ~ part, ~ nobody)
  if (chance(0.4)) arguments$statistics <- pick("index", c("index", "range_edge"), "cog")
  if (chance(0.3)) arguments["area"] <- list(pick(1e-300, 1e300, 0, seq_len(NROW(new)), "nobody", -1))
  if (chance(0.2)) arguments$probs <- pick(0.5, c(1e-6, 1 - 1e-6), 2)
  arguments <- with_junk(arguments)
  operation(function() do.call(neargp::predict_index, c(list(fit), arguments)), function(x) check_table(x[c("mean", "sd", "lower", "upper")]),
    argument_names(arguments))
}

region_operation <- function(fit, data) {
  arguments <- list(newdata = random_newdata(data), threshold = pick(0, 1, -1e300, 1e300, NA), draws = 20L)
  if (chance(0.5)) arguments$type <- pick("above", "below", "contour", "beside")
  arguments <- with_junk(arguments)
  operation(function() do.call(neargp::exceedance_region, c(list(fit), arguments)), no_check, argument_names(arguments))
}

saved_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    file <- tempfile(fileext = ".rds")
    on.exit(unlink(file))
    saveRDS(fit, file)
    check_identical(stats::predict(fit, new), stats::predict(readRDS(file), new), "a saved fit predicts otherwise")
  })
}

recalibrated_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    better <- neargp::recalibrate(fit)
    list(neargp::scores(better), stats::predict(better, new, interval = "prediction"))
  }, function(x) {
    wrong <- check_table(x[[1L]])
    if (is.null(wrong)) check_table(x[[2L]], NROW(new)) else wrong
  })
}

simulate_operation <- function(fit, data) {
  arguments <- with_junk(list(nsim = pick(1L, 3L), seed = pick(NULL, 1L)))
  if (chance(0.5)) arguments["newdata"] <- list(random_newdata(data))
  if (chance(0.3)) arguments$conditional <- FALSE
  if (chance(0.3)) arguments$type <- "link"
  operation(function() do.call(stats::simulate, c(list(fit), arguments)), check_table, argument_names(arguments))
}

residuals_operation <- function(fit, data) {
  arguments <- with_junk(list(type = pick("response", "pearson", "loo", "standardized", "trend")))
  operation(function() do.call(stats::residuals, c(list(fit), arguments)), check_vector, argument_names(arguments))
}

cross_validate_operation <- function(fit, data) {
  folds <- pick(2L, 3L, 5L, 10L, 1000L, neargp::random_folds(max(4L, length(fit$data$y)), 2))
  arguments <- with_junk(list(folds = folds, refit = chance(0.1), verbose = FALSE))
  operation(function() do.call(neargp::cross_validate, c(list(fit), arguments)), function(x) check_table(neargp::scores(x)))
}

# The fit's call names its data, but the name does not exist where this runs. Refits without each of fifty
# coordinates take minutes.
importance_operation <- function(fit, data) {
  fit$call$data <- data
  arguments <- list(by = pick("permute", "permute", "refit"), folds = pick(2L, 3L), repeats = 1L, verbose = FALSE)
  if (length(fit$locations$raw_names) > 20L) arguments$by <- "permute"
  operation(function() do.call(neargp::variable_importance, c(list(fit), arguments)), check_table, arguments$by)
}

extract_operation <- function(fit, data) {
  operation(function() {
    list(coef(fit), coef(fit, what = "covariance"), vcov(fit), vcov(fit, what = "covariance"), confint(fit, what = "covariance"),
      logLik(fit), nobs(fit), sigma(fit), formula(fit), family(fit), weights(fit), trend = confint(fit))
  }, function(x) if (!inherits(fit, "neargp_classifier")) check_vector(x$trend))
}

# Each point of a profile is a search over all other parameters, which of fifty ranges takes minutes.
profile_operation <- function(fit, data) {
  if (length(coef(fit, what = "covariance")) > 20L) return(print_operation(fit, data))
  check <- function(x) if (any(is.nan(x)) || any(x[, 1L] > x[, 2L], na.rm = TRUE)) problem("WRONG", "limits ", paste(x, collapse = " "))
  operation(function() confint(fit, 1L, what = "covariance", method = "profile"), check)
}

print_operation <- function(fit, data) {
  operation(function() utils::capture.output(print(fit), print(summary(fit)), print(fit$method), print(fit$covariance)), check_printed)
}

with_null_device <- function(draw) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  draw()
}

update_operation <- function(fit, data) {
  operation(function() {
    neargp::neargp(fit$formula, data, coords = fit$locations$terms, method = fit$method, covariance = fit$covariance, family = fit$family,
      start = fit, verbose = FALSE)
  }, check_fit)
}

hostile_functions <- c("predict", "simulate", "residuals", "cross_validate", "loo_predict", "block_folds", "random_folds",
  "empirical_variogram", "covariance_value", "scores", "crps_gaussian", "crps_sample", "interval_score", "log_score_gaussian", "plot_map",
  "calibration_curve", "confusion_table", "inducing_points", "neargp_control", "student_t", "negative_binomial", "beta_response",
  "truncated_nbinom2", "tweedie", "nbinom1", "gengamma", "quantile_regression", "lognormal", "zi_poisson", "zi_nbinom2", "betabinomial",
  "ordinal", "censored_gaussian", "cens", "neargp_hurdle", "variable_importance", "barrier_embedding", "barrier_coordinates",
  "cov_matern", "cov_coregionalisation", "vnngp", "loo_k", "vecchia", "mll_k", "exact_gp", "svgp", "odvgp", "ppgpr",
  "swsgp", "crps_mixture", "pit_mixture", "log_score_mixture")

# One to three junk arguments, and sometimes the fit, to any exported function.
junk_operation <- function(fit, data) {
  name <- sample(hostile_functions, 1L)
  is_own <- name %in% getNamespaceExports("neargp")
  f <- if (is_own) exported(name) else getExportedValue("stats", name)
  known <- setdiff(names(formals(f)), "...")
  count <- min(sample.int(3L, 1L), length(known))
  arguments <- stats::setNames(lapply(seq_len(count), function(i) junk()), sample(known, count))
  # the results of R's own generics for other objects are not tested
  if ("object" %in% known && (!is_own || chance(0.5) || !"object" %in% names(arguments))) arguments$object <- fit
  operation(function() with_null_device(function() do.call(f, arguments, quote = TRUE)),
    label = paste(c(name, names(arguments)), collapse = ","))
}

# An operation without arguments of its own.
simple <- function(call, check = no_check) function(fit, data) operation(function() call(fit), check)

operations <- list(
  predict = predict_operation, repeatable = repeat_operation, files = files_operation, saved = saved_operation, simulate = simulate_operation,
  residuals = residuals_operation, cross_validate = cross_validate_operation, extract = extract_operation, print = print_operation,
  update = update_operation, junk = junk_operation, profile = profile_operation,
  recalibrated = recalibrated_operation,
  loo_predict = function(fit, data) operation(function() without_infinite_sds(neargp::loo_predict(fit), fit), check_table),
  fitted = simple(function(fit) stats::fitted(fit), check_vector),
  scores = simple(function(fit) neargp::scores(fit), check_table),
  aic = simple(function(fit) c(AIC(fit), BIC(fit), deviance(fit)), check_vector),
  tidy = simple(function(fit) list(neargp::tidy(fit), neargp::glance(fit), neargp::augment(fit))),
  variogram = simple(function(fit) neargp::empirical_variogram(fit), check_table),
  covariance_value = simple(function(fit) neargp::covariance_value(fit, pick(0, c(0, 1e-300, 1, 1e300), 1:3)), check_vector),
  plot = simple(function(fit) with_null_device(function() plot(fit))),
  plot_inducing = simple(function(fit) with_null_device(function() plot(fit, "inducing"))),
  r2 = simple(function(fit) if (has_package("performance")) performance::r2(fit)),
  blocks = simple(function(fit) neargp::block_folds(fit, v = pick(2L, 3L), method = pick("square", "kmeans"))),
  calibration = simple(function(fit) neargp::calibration_curve(fit)),
  anova = simple(function(fit) stats::anova(fit, fit)),
  terms = simple(function(fit) list(stats::anova(fit), stats::model.matrix(fit))),
  influence = simple(function(fit) list(stats::influence(fit), stats::cooks.distance(fit))),
  elpd = simple(function(fit) if (has_package("loo")) loo::elpd(fit)),
  importance = importance_operation,
  areas = areas_operation,
  index = index_operation,
  region = region_operation,
  source = source_operation,
  altered = altered_operation
)
