# The settings of a training run of a deep Gaussian process, and the scale of its inputs.

# The share of the first rate that a fit ends with, and one that is continued begins with.
last_rate <- 0.01

deep_settings <- function(method, problem, response, seed, earlier) {
  epochs <- 0L
  started <- proc.time()[["elapsed"]]
  report <- function(done, text) {
    epochs <<- epochs + 1L
    left <- (proc.time()[["elapsed"]] - started) * (1 - done) / done
    problem$report_bound(epochs, left, "seconds left", "epochs")
  }
  settings <- list(layers = method$layers, width = method$width, inducing = method$inducing,
    skip = method$skip, kernel = deep_kernel(method, problem$covariance), epochs = method$epochs,
    batch = method$batch_size, rate = method$learning_rate * if (is.null(earlier)) 1 else last_rate,
    restarts = method$restarts, validation = method$validation,
    regularization = method$regularization, seed = seed,
    network = trained_network(problem), start = with_network(earlier$state,
      trained_network(problem)), held_out = earlier$validation$rows, family = response$family,
    trials = response$trials, weights = response$weights,
    offset = response$offset, design = response$design, context = problem$context, report = report,
    noise_floor = noise_floor_of(response$y), prediction_samples = method$prediction_samples,
    session = problem$session, keep = deep_record(method, problem, response, seed))
  Filter(Negate(is.null), c(settings, deep_own_settings(method)))
}

# Settings of deep_fit() that are not those of all of these methods.
deep_own_settings <- function(method) {
  UseMethod("deep_own_settings")
}

# The state that the fit `start` has learned, or that an interrupted fit left (deep-last.R). It
# counts only for the same rows (problem$warm_start), layers and sites. The rows that it held out
# stay so: it has not seen them.
continued_fit <- function(method, problem) {
  if (is.null(problem$warm_start$deep)) return(NULL)
  if (continues_start(method, problem)) return(problem$warm_start$deep)
  inform_neargp("start",
    "`start` has other layers, units, sites, covariances or `validation`: the fit begins from the start.")
  NULL
}

#' @export
continues_start.neargp_deep <- function(method, problem) {
  earlier <- problem$warm_start
  shape <- function(method) {
    method[c("layers", "width", "inducing", "skip", "validation", names(deep_own_settings(method)))]
  }
  !is.null(earlier$deep) && identical(shape(method), shape(earlier$method)) &&
    identical(deep_kernel(method, problem$covariance), earlier$deep$state$kernel) &&
    is_same_network(problem, earlier)
}

inform_lowered <- function(method, notes) {
  fewest <- min(notes$inducing)
  if (fewest >= method$inducing) return(invisible())
  inform_neargp("inducing",
    sprintf("inducing = %s is lowered to %s, the number of distinct locations.",
      format_count(method$inducing), format_count(fewest)))
}

# Mean, standard deviation and limits of the inputs that vary.
deep_input_scale <- function(coords, names) {
  center <- colMeans(coords)
  scale <- apply(coords, 2L, stats::sd)
  kept <- unname(scale > 1e-10 * pmax(abs(center), 1e-300))
  if (!any(kept)) {
    abort_neargp("coordinates",
      "All rows are at one location, so that there is nothing to learn from where they are.")
  }
  constant <- setdiff(names[!kept], names[kept])  # of a factor one of several columns may be
  if (length(constant)) {
    inform_neargp("coordinates", sprintf("Left out, since the value is the same in all rows: %s.",
      format_some(constant)))
  }
  list(kept = kept, center = unname(center[kept]), scale = unname(scale[kept]),
    limits = apply(coords[, kept, drop = FALSE], 2L, range))
}

standardized_inputs <- function(coords, inputs) {
  coords <- unname(coords[, inputs$kept, drop = FALSE])
  sweep(sweep(coords, 2L, inputs$center), 2L, inputs$scale, "/")
}
