# What a method gets to fit. new_problem() has all of its fields; those of a family of methods are
# NULL until its methods fill them.

new_problem <- function(data, locations, settings, start) {
  settings$method <- method_for(settings$method, settings$family, data)
  settings["nugget"] <- list(numeric_nugget(settings$nugget))
  if (is.null(data$output)) check_one_output(settings) else
    settings$covariance <- as_coregionalisation(settings$covariance)
  layout <- if (is.null(data$output)) with_noise_layout(new_layout(settings$covariance,
    settings$nugget, locations), data$noise) else
    coregionalisation_layout(settings$covariance, settings$nugget, data$outputs, locations)
  layout <- with_effect_parameters(method_layout(settings$method, layout, settings), data)
  layout <- apply_start(layout, start)
  if (!is.null(settings$prior)) {
    layout <- with_priors(layout, settings$prior, settings$covariance, locations)
  }
  # the trend of classes is inside their link (R/classes-objective.R)
  data$by <- multiplying_columns(locations)
  if (!is_class_data(data)) data <- with_trend_basis(data, is_gaussian(settings$family))
  differences <- start_differences(start, data, layout, settings)
  with_response_unit(new_state("neargp_problem",
    # ---- the model and its data
    data = data,                     # the rows: y, X, offset, weights, coords, see model_response()
    all_rows = NULL,                 # these, where `data` are means of locations, at_locations()
    locations = locations,           # how places are embedded, with the recipes of local fields
    family = settings$family,
    method = settings$method,        # with the k and the classes of these data: method_for()
    covariance = settings$covariance,  # as the user has given it
    prior = settings$prior,          # of pc_priors(), NULL for none
    # of each component: its family, and to which range each coordinate belongs
    groups = component_groups(settings$covariance, locations),
    # ---- its parameters
    layout = layout,                 # a row for each parameter: kind, transform, fixed value, start
    free = !layout$fixed,            # which of them are estimated
    # `lower`, `upper` and `vanishing`, see at_bound(); of with_start()
    bounds = NULL,
    start = NULL,                    # working parameters to start from; of with_start()
    further_starts = NULL,           # others that may be better; of shared_starts()
    nested = NULL,                   # optima of models that this one contains; of from_separable()
    fixed_by_user = NULL,            # which are fixed, where cross-validation holds the others, too
    # ---- how it is fitted
    control = settings$control,
    context = settings$context,      # new_context(), of neargp() once the device is chosen
    # function(k, round, state, of), after each optimisation
    report = fit_reporter(settings$verbose),
    # function(evaluation, value, what, unit, of), now and then
    report_bound = bound_reporter(settings$verbose),
    # function(working, positions): takes accepted states, with_keeper()
    keep = NULL,
    # ---- an earlier fit
    # the fit, or the deep state, that is continued
    warm_start = warm_start_of(start, differences, data),
    start_differences = differences,  # in what `start` differs, so that it is not continued
    # inducing points of an interrupted fit
    start_positions = if (inherits(start, "neargp_last")) start$positions,
    # trend and link of an earlier fit to classes
    warm_classifier = if (inherits(start, "neargp")) start$classifier,
    # ---- local fields
    unwarped = NULL,                 # what the method found without warps, see from_unwarped()
    # ---- Vecchia's approximation of the field
    rough = NULL,                    # what few neighbours of the responses have found
    conditioning = NULL,             # why it is of the field, of conditioning_at()
    # ---- inducing points
    inducing = NULL,                 # their positions, a row each
    low_rank = NULL,                 # those of the low-rank part of vnngp()
    # ---- Laplace's approximation
    joint_trend = NULL,              # whether the trend is at the mode, of at_joint_mode()
    # ---- classes
    levels = NULL,                   # their names
    class_basis = NULL,              # of class fields: the coordinates of the trend
    labels = NULL,                   # of label regressions: labels by location, see new_labels()
    per_class = NULL,                # whether each class has a regression of its own
    prevalence = NULL,               # what the trend says far from data, see class_prevalence()
    # ---- the leave-one-out score of classes and pseudo-observations (R/loo-optimizers.R)
    design = NULL,                   # the trend in orthogonal columns, see orthogonal_design()
    location_index = NULL,           # number of each row's distinct location
    distinct = NULL,                 # how many of these there are
    observations = NULL,             # what is predicted: each observation's row and place
    links = NULL,                    # `lower` and `upper` of parameters beside the layout's
    # the functions that make the score: plan, objective, refresh ...
    scoring = NULL,
    # ---- pseudo-observations
    known = NULL,                    # the family's parameters for which the following were made
    reference = NULL,                # all parameters at that time
    marginal = NULL,                 # of all rows: `beta`, and mean and variance beyond the trend
    pseudo_observations = NULL,      # mean and precision of each row
    distinct_locations = NULL,       # their sums by location
    stale = NULL))                   # TRUE where they could not always be renewed
}

# Refuses data that the method cannot fit. Of an output with fewer than k rows all are neighbours.
check_problem <- function(problem, frame) {
  data <- problem$data
  if (has_outputs(problem)) check_outputs_method(problem$method)
  places <- places_of(data$coords, problem$locations)
  check_locations(places, problem$covariance, problem$locations,
    flat_allowed = allows_flat_places(problem$method))
  check_k(problem$method, max(lengths(rows_by_output(data))))
  check_rows_vary(problem, frame)
  if (!is.null(problem$locations$support)) places <- data$coords  # areas that share their middle
  for (rows in rows_without_noise(problem)) {
    duplicated <- rows[duplicated_locations(places[rows, , drop = FALSE])]
    if (!length(duplicated)) next
    abort_neargp("duplicates", c(
      paste0("With nugget = 0 no two rows may have the same location, but ",
        format_rows(original_rows(frame, (data$place %||% seq_along(data$y))[duplicated])), " do."),
      i = "Estimate the nugget (nugget = NULL), fix a positive one, or average the duplicates."))
  }
}

# Rows that must have locations of their own, of several outputs in sets of one output each.
rows_without_noise <- function(problem) {
  if (!has_outputs(problem)) {
    without <- rows_by_output(problem$data)[needs_distinct_locations(problem$method, problem)]
    known <- problem$data$noise$known
    return(lapply(without, function(rows) if (is.null(known)) rows else rows[known[rows] == 0]))
  }
  nugget <- problem$layout$value[problem$layout$kind == "nugget"]
  rows_by_output(problem$data)[which(nugget %in% 0)]
}

# Bounds and starting values.
with_start <- function(method, problem) {
  UseMethod("with_start")
}

#' @export
with_start.default <- function(method, problem) {
  if (has_outputs(problem)) return(outputs_start(problem))
  problem <- with_noise_start(problem)
  if (has_effects(problem$data)) return(effects_start(problem))
  variance <- residual_variance(observations_of(problem))
  problem$bounds <- working_bounds(problem, variance_guesses(observations_of(problem)))
  problem$start <- clamp(start_working(problem, variance), problem$bounds, problem$free)
  problem
}

# After each optimisation, or with a NULL `state` after some of the steps of Adam, `of` in all.
fit_reporter <- function(verbose) {
  if (!verbose) return(function(k, round, state, of = NULL) invisible())
  function(k, round, state, of = NULL) {
    if (is_line_shown()) {
      return(if (is.null(state)) tell_progress(step = round, of = of, unit = "step"))
    }
    progress <- if (is.null(state)) sprintf("step %d", round) else
      sprintf("objective %.6g after %d iterations", state$evaluated$value, state$iterations)
    cli::cli_inform(c(i = "k = {k}: {progress}"))
  }
}

# Every evaluation of a bound, or of another objective that is named; off a terminal every tenth.
bound_reporter <- function(verbose) {
  function(evaluation, value, what = "bound", unit = "evaluations", of = NULL) {
    if (!verbose) return(invisible())
    if (is_line_shown()) {
      return(tell_progress(if (what != "seconds left") value, step = evaluation, of = of,
        unit = sub("s$", "", unit), left = if (what == "seconds left") value))
    }
    if (evaluation %% 10L == 0L) {
      cli::cli_inform(c(i = "{evaluation} {unit}: {what} {signif(value, 6L)}"))
    }
  }
}
