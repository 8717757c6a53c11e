# The result of neargp(). A fit is a plain list, since saved fits and the code of users rely on the
# names of its fields. A test, not the class, ensures that no other code adds a field.

new_fit <- function(result, problem, settings, model, rows, call, formula, offset_argument,
                    elapsed) {
  frame <- rows$frame
  layout <- problem$layout
  boundary <- at_bound(result$working, problem, result$information)
  estimates <- parameter_estimates(layout, result$working, result$information, boundary,
    vanished_effects(result$working, problem))
  values <- to_core(result$working, layout$transform)
  structure(list(
    # ---- the call and its data
    call = call,
    formula = formula,
    terms = attr(frame, "terms"),    # of the trend and the response, as model.frame() has them
    xlevels = model$xlevels,         # levels of the factors of the trend
    contrasts = model$contrasts,
    time_kinds = model$time_kinds,   # which covariates are dates or times
    effects = model$effects,         # recipes of random effects and smooths, NULL for none
    fixed = settings$fixed,          # known parameters by name, without those of the trend
    fixed_trend = model$fixed_trend,  # coefficients that are part of the offset, NULL for none
    na_action = attr(frame, "na.action"),  # rows dropped for missing values
    offset_argument = offset_argument,     # the argument `offset`, an expression
    # columns that new data must have
    required_columns = required_columns(formula, problem$locations, rows$data, offset_argument,
      settings$covariance),
    # the rows that were fitted, see new_problem(), with weights that say all of their noise
    data = with_noise_weights(problem$data, layout, values),
    locations = problem$locations,   # how places are embedded
    # ---- the model
    method = problem$method,         # with its k and its classes for this response
    covariance = problem$covariance,  # as given
    default_covariance = settings$default_covariance,  # whether none was given
    prior = problem$prior,           # of pc_priors(), NULL for none
    family = settings$family,
    control = problem$control,
    layout = layout,                 # a row for each parameter, see new_problem()
    # ---- estimates
    parameters = estimates$table,    # a row for each parameter of coef(what = "covariance")
    covariance_vcov = estimates$vcov,           # covariance matrix of these,
    interval_vcov = estimates$vcov_interval,    # and on the scale of their intervals
    # as src/core/ takes it; NULL of deep fits
    core_covariance = as_core_covariance(layout, problem$groups, values),
    # NA where the family includes its own scatter; one for each of several responses; `weights` of
    # `data` divide it, see noise.R
    nugget = nugget_unit(problem$data, layout, values),
    beta = stats::setNames(result$beta, colnames(problem$data$X)),  # the trend
    beta_vcov = named_square(result$beta_vcov, problem$data$X),
    # both in the orthogonal columns of with_trend_basis(), see R/trend-uncertainty.R
    core_trend = result$core_trend,
    bounds = lapply(problem$bounds[c("lower", "upper")], stats::setNames, layout$name),
    # the objective, of which
    log_likelihood = result$value + penalty_at(layout, result$working),
    score = result$score,            # this is the name
    information = result$information,  # of the working parameters; NULL without a likelihood
    convergence = result$convergence,  # converged, message, iterations, evaluations
    # ---- how it was computed
    chosen = settings$chosen,        # why this method or family, where the package chose
    k = result$k,                    # neighbours, NULL of methods without
    conditioning = result$conditioning,  # on responses or the field, and why: conditioning_at()
    device = settings$device,
    gpu = settings$gpu,              # its name, NULL on a CPU
    threads = settings$context$threads,
    cluster = describe_cluster(settings$cluster),  # workers, and lost ones, NULL for none
    elapsed = elapsed,               # seconds: prepare, fit, total
    n_given = NROW(rows$data),       # rows of the data,
    n_dropped = length(attr(frame, "na.action")),  # and of these dropped
    row_names = own_row_names(frame),
    appended = NULL,                 # rows that came after the estimation, see append-score.R
    format = fit_format,             # of a saved fit, see R/fit-format.R,
    version = package_version_text(),  # and the version of neargp that has made it
    cache = NULL,                    # external pointer to what predictions share, see R/cache.R
    source = NULL,                   # of row_source(): where from, rows, chunks, their hashes
    # ---- other responses than Gaussian
    family_parameters = NULL,        # on the natural scale, by name
    pseudo_observations = NULL,      # of loo_k(): data, neighbours, parameters they are of
    classifier = NULL,               # of classes: levels, trend, link, see as_classifier()
    # ---- several responses
    outputs = NULL,                  # their names
    coregionalisation = NULL,        # covariance matrices of the outputs, one for each structure
    # ---- inducing points and latent fields
    inducing = NULL,                 # positions in the coordinates of the data, a data frame
    posterior = NULL,                # of vnngp(), swsgp(), families of svgp(): the field at nodes
    svgp = NULL,                     # positions in the core's coordinates, factor, weights
    predictive = NULL,               # of ppgpr(): what its second stage has found
    low_rank = NULL,                 # of vecchia(inducing = ): positions, ordering
    # ---- deep fits
    deep = NULL                      # layers, inputs, trace, see complete_fit.neargp_deep()
  ), class = "neargp")
}

finish_fit <- function(result, problem, settings, ...) {
  fit <- new_fit(result, problem, settings, ...)
  fit <- complete_fit(fit$method, fit_of_response(fit$method, fit), result, settings$context)
  fit <- with_own_cache(with_jacobian(fit))
  warn_unless_converged(fit)
  if (!warn_of_few_rows(fit)) inform_underestimates(fit)
  fit
}

#' @export
fit_of_response.default <- function(method, fit) fit

# The names of the rows that were fitted; NULL where they are no more than numbers from 1.
own_row_names <- function(frame) {
  names <- attr(frame, "row.names")
  if (!identical(names, seq_len(nrow(frame)))) names
}

named_square <- function(matrix, X) {
  dimnames(matrix) <- list(colnames(X), colnames(X))
  matrix
}

warn_unless_converged <- function(fit) {
  if (isFALSE(fit$convergence$converged)) {
    warn_neargp("convergence", c(paste0("The fit did not converge: ", fit$convergence$message, "."),
      i = if (length(fit$convergence$separated))
      paste("Predictions fix such coefficients at their estimates. Tests of them are not meaningful.",
        "Leave the covariate out, merge levels, or use a random effect, (1 | levels).") else
        "It can be used and continued: update(fit, start = fit)."))
  }
}

# With as many parameters as numbers, any parameter can drive the likelihood up. Deep fits contain
# more parameters than rows, and are judged by rows left out. Returns whether it warned.
warn_of_few_rows <- function(fit) {
  if (!is.null(fit$deep)) return(FALSE)
  trend <- length(fit$beta)
  covariance <- count_covariance_parameters(fit)
  rows <- stats::nobs(fit)
  if (rows > trend + covariance) return(FALSE)
  warn_neargp("few_rows", c(
    sprintf("%d observations contain little information about %d parameters: %d of the trend and %d of the covariance.",
      rows, trend + covariance, trend, covariance),
    i = "Do not rely on estimates, standard errors and intervals.",
    i = "Fix known parameters (range and variance in `covariance`, `nugget`), or use a shorter formula or more rows."))
  TRUE
}

# Whether the kernels of a device lack a part of the model.
is_for_cpu <- function(settings, data) {
  covariance <- settings$covariance
  has_local_fields(covariance) || has_space_time(covariance) || has_no_distance(covariance) ||
    has_no_process(covariance) ||
    !is.null(data$noise) || is_compressed(data) ||
    (has_blocks(settings$method) && settings$device == "auto") ||
    (has_network(covariance) && !has_ability(settings$method, "device_networks"))
}

# The device of a fit, which depends on its response. The numbers of rows and inducing points that
# pay on a GPU have not been measured, so "auto" is the CPU for inducing points.
choose_fit_device <- function(settings, data) {
  if (settings$device == "cpu" || is_for_cpu(settings, data)) return("cpu")
  if (has_ability(settings$method, "cpu_objective")) {
    check_dense_device(settings$device)
    return("cpu")
  }
  if (!has_ability(settings$method, "dense_matrices")) {
    return(choose_device(settings$device, nrow(data$coords),
      conditioning_size(settings$method, data), passes = 30))
  }
  several <- !is.null(data$output)
  if (!has_ability(settings$method, "device_objective", settings$family, several)) {
    check_dense_device(settings$device)
  }
  if (settings$device == "cuda") "cuda" else "cpu"
}

# ---- the call ------------------------------------------------------------------------------------

# Data given inline, as by do.call(), would be stored twice in the call. Arguments that were passed
# on by `...` are ..1, ..2 in the call, which nobody can evaluate later. Their expressions replace
# them.
compact_call <- function(call, frame) {
  if (!is.null(call$data) && !is.language(call$data)) call$data <- quote(data)
  handed_on <- vapply(as.list(call), function(x) is.name(x) &&
    grepl("^\\.\\.[0-9]+$", as.character(x)), NA)
  for (name in names(call)[handed_on]) call[[name]] <- do.call(substitute,
    list(as.name(name), frame))
  call
}
