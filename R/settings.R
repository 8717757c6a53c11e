# The settings of a fit, and those of predictions and simulations: what the arguments of neargp(),
# predict() and simulate() say once they are checked.

new_settings <- function(method, family, control, context, covariance = NULL, nugget = NULL,
                         device = NULL, verbose = FALSE, method_open = FALSE, family_open = FALSE,
                         prior = NULL) {
  new_state("neargp_settings",
    method = method,
    method_open = method_open,   # whether the package chooses it
    family = family,
    family_open = family_open,   # whether the response may have another, see choose_by_response()
    covariance = covariance,
    default_covariance = NULL,   # whether none was given
    nugget = nugget,             # NULL where it is estimated; one, or one for each output
    prior = prior,               # pc_priors(), NULL for none
    control = control,           # neargp_control()
    device = device,             # "auto", "cpu" or "cuda"
    context = context,           # of what stands around the fit, see problem$context
    verbose = verbose,
    cluster = NULL,              # that of the user, then its workers (cluster.R)
    chosen = NULL,               # why this method or family, where the package has chosen
    gpu = NULL)                  # name of the GPU that has computed the fit
}

# `context`: how it is computed; all else says what is wanted, and without more it is the latent
# field, row by row.
new_prediction_settings <- function(context, k = NULL, k_other = NULL, exact = FALSE,
                                    few_dense = FALSE, local_mean = FALSE,
                                    local_times = NULL, sectors = 0L,
                                    type = "link", part = "field", interval = "none", level = 0.95,
                                    trials = NULL, joint = FALSE, covariance = FALSE,
                                    observed = FALSE, noise = FALSE, conditional = TRUE,
                                    chunk_size = NULL, device = NULL, verbose = FALSE) {
  new_state("neargp_prediction_settings",
    # ---- what is wanted
    type = type,                 # "response", "link" or "quantile"
    part = part,                 # "field", or of it "process" or "trend"
    interval = interval,         # "none", "confidence" or "prediction"
    level = level,               # of the interval
    probs = NULL,                # of quantiles
    threshold = NULL,            # values to exceed, NULL for none,
    threshold_of = NULL,         # by an "observation" or by the "mean"
    trials = trials,             # of new binomial observations
    integrated = FALSE,          # whether covariance parameters are, integrated-parameters.R
    joint = joint,               # whether with the covariance matrix of all rows
    covariance = covariance,     # whether with that of several outputs at each place
    observed = observed,         # whether given the outputs that the new rows have
    noise = noise,               # of draws: whether they are responses, or the field
    conditional = conditional,   # of draws: whether given the data
    # ---- what it is conditioned on
    k = k,                       # neighbours
    k_other = k_other,           # from each other output
    exact = exact,               # on all rows, by dense matrices
    few_dense = few_dense,       # of draws: so where places are few
    local_mean = local_mean,     # whether the neighbours have a mean of their own,
    local_times = local_times,   # at times within these, NULL for any
    sectors = sectors,           # directions that neighbours are taken from, 0 for any
    smooth = FALSE,              # whether neighbours have a taper, see predict-smooth.R
    # ---- how it is computed
    chunk_size = chunk_size,     # rows at a time
    file = NULL,                 # of a raster: name of the file that is written, NULL for none
    leave_out = NULL,            # of leave-one-out predictions, see unit_left_out()
    context = context,           # the plain one until the device is chosen, prediction_context()
    device = device,             # "auto", "cpu" or "cuda"
    verbose = verbose)
}

# ---- of neargp() ---------------------------------------------------------------------------------

check_settings <- function(formula, data, method, covariance, family, nugget, control, device,
                           threads, verbose, prior = NULL) {
  if (!rlang::is_formula(formula) || length(formula) != 3L) {
    abort_argument("formula", "a two-sided formula, response ~ trend", formula)
  }
  if (!is.data.frame(data)) {
    abort_neargp("argument",
      c(sprintf("`data` must be an sf object or a data frame, not %s.", describe_value(data)),
        i = spatial_hint(data)))
  }
  if (nrow(data) == 0L) abort_neargp("empty", "`data` has no rows.")
  check_column_names(data, "data")
  check_unique_columns(names(data), data, "data")
  family_open <- is.null(family)
  method_open <- is.null(method)
  family <- as_family(family %||% stats::gaussian())
  method <- method %||% default_method(family)
  check_method(method)
  if (!is.null(covariance)) check_covariance(covariance)
  check_class(control, "control", "neargp_control", "made by neargp_control()")
  settings <- new_settings(method, check_family(family, method), control, method_open = method_open,
    family_open = family_open, covariance = covariance, nugget = check_nugget(nugget),
    device = resolve_device(device, is_dense(method) && !device_has_objective(method, family)),
    context = plain_context(threads), verbose = check_flag(verbose, "verbose"), prior = prior)
  check_precision(settings)
  settings
}

# Several outputs may have one each.
check_nugget <- function(nugget) {
  if (is_noise_formula(nugget)) return(check_noise_formula(nugget))
  if (length(nugget) < 2L) return(check_number(nugget, "nugget", lower = 0, null_ok = TRUE))
  if (!is.numeric(nugget) || !all(is.finite(nugget)) || any(nugget < 0)) {
    abort_argument("nugget", "NULL or numbers of at least 0", nugget)
  }
  nugget
}

# ---- of predict() --------------------------------------------------------------------------------

# Settings of a prediction, what it is conditioned on and what is wanted of it: without further
# arguments the latent field, row by row. `outputs`: of several, see outputs_wanted().
predict_settings <- function(object, k = NULL, local_mean = FALSE, sectors = 0L, threads = NULL,
                             device = NULL, type = "link", interval = "none", level = 0.95,
                             joint = FALSE, chunk_size = NULL, verbose = FALSE,
                             outputs = outputs_wanted()) {
  is_part <- type %in% c(parts_of_field, tables_of_parts)
  joint <- check_flag(joint, "joint")
  given <- if (is.null(object$outputs)) prediction_conditioning(object$method, object, k,
    local_mean, sectors, joint, is_part) else conditioned_on_outputs(object, k, outputs)
  if (joint && given$local_mean) abort_argument("local_mean", "FALSE with joint = TRUE", local_mean)
  new_prediction_settings(type = if (is_part) "link" else type,
    part = if (type %in% tables_of_parts) "process" else if (is_part) type else "field",
    interval = interval, level = check_level(level),
    k = given$k, k_other = given$k_other, exact = given$exact, local_mean = given$local_mean,
    local_times = given$local_times, sectors = given$sectors, joint = joint,
    covariance = outputs$covariance, observed = outputs$observed,
    chunk_size = prediction_chunk(object, chunk_size),
    context = plain_context(threads), device = resolve_device(device,
      predicts_densely(object$method, given$exact) || is_cpu_only(object)),
    verbose = check_flag(verbose, "verbose"))
}

prediction_chunk <- function(object, chunk_size) {
  chunk_size <- check_count(chunk_size, "chunk_size", null_ok = TRUE)
  # of rows that are read in shards, an index is made for each shard and chunk
  rows <- if (reads_shards(object)) min(object$source$rows, 5e6) else length(object$data$y)
  chunk_size %||% as.integer(max(100000, rows %/% 5))
}
