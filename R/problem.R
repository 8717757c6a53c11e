# The problem that a method gets to fit.

new_problem <- function(data, locations, settings, start) {
  settings$method <- method_for(settings$method, settings$family, data)
  settings["nugget"] <- list(numeric_nugget(settings$nugget))
  if (has_network(settings$covariance)) {
    settings <- network_settings(settings, data)
    locations <- located_network(settings$covariance, data, locations, start)
    data <- at_network(data, locations)
  }
  if (is.null(data$output)) {
    check_one_output(settings)
    layout <- with_noise_layout(new_layout(settings$covariance, settings$nugget, locations),
      data$noise)
  } else {
    check_outputs_method(settings$method)
    settings$covariance <- as_coregionalisation(settings$covariance)
    check_no_own_fields(settings$covariance, data$outputs)
    layout <- coregionalisation_layout(settings$covariance, settings$nugget, data$outputs,
      locations)
  }
  check_score_trend(settings$method, data)
  layout <- with_parameter_slopes(method_layout(settings$method, layout, settings),
    data$parameter_models)
  layout <- with_effect_parameters(layout, data)
  layout <- with_fixed_rows(layout, settings$fixed, settings$family, colnames(data$X))
  layout <- apply_start(layout, start)
  if (!is.null(settings$prior)) {
    layout <- with_priors(layout, settings$prior, settings$covariance, locations)
  }
  # the trend of classes is inside their link (R/classes-objective.R)
  data$by <- multiplying_columns(locations)
  if (!is_class_data(data)) data <- with_trend_basis(data, is_gaussian(settings$family))
  layout <- with_feature_priors(layout, settings$covariance, data, locations,
    is_gaussian(settings$family))
  differences <- start_differences(start, data, layout, settings)
  with_response_unit(new_state("neargp_problem",
    # ---- the model and its data
    data = data,                     # the rows: y, X, offset, weights, coords, see model_response()
    all_rows = NULL,                 # these, where `data` are means of locations, at_locations()
    locations = locations,           # how locations are embedded, and local fields
    family = settings$family,
    method = settings$method,        # with the k and the classes of these data: method_for()
    covariance = settings$covariance,  # as the user has given it
    prior = settings$prior,          # of pc_priors(), NULL for none
    # of each component: its family, and to which range each coordinate belongs
    groups = component_groups(settings$covariance, locations),
    # ---- its parameters
    layout = layout,                 # a row for each parameter: kind, transform, fixed value, start
    free = is_estimated(layout),     # which of them the search moves
    # `lower`, `upper` and `vanishing`, see at_bound(); of with_start()
    bounds = NULL,
    start = NULL,                    # working parameters to start from; of with_start()
    further_starts = NULL,           # others that may be better; of shared_starts()
    nested = NULL,                   # optima of models that this one contains; of from_separable()
    fixed_by_user = NULL,            # which the user fixed: cross-validation fixes others
    # ---- how it is fitted
    control = settings$control,
    context = settings$context,      # new_context(), of neargp() once the device is chosen
    session = settings$session,      # other state of the running call (R/session.R)
    # function(k, round, state, of), after each optimisation
    report = fit_reporter(settings$session),
    # function(evaluation, value, what, unit, of), now and then
    report_bound = bound_reporter(settings$session),
    # function(working, positions): takes accepted states, recording_states()
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
    # ---- of some methods only
    classes = NULL,                  # new_problem_classes()
    loo = NULL))                     # new_leave_one_out()
}

# Refuses data that the method cannot fit. If an output has fewer than k rows, all are neighbours.
check_problem <- function(problem, frame) {
  data <- problem$data
  places <- places_of(data$coords, problem$locations)
  if (!has_no_process(problem$covariance)) {
    check_locations(places, problem$covariance, problem$locations,
      flat_allowed = has_ability(problem$method, "flat_places"))
    check_independent_copies(problem)
  }
  check_kink_weights(problem)
  check_k(problem$method, max(lengths(rows_by_output(data))))
  check_rows_vary(problem, frame)
  if (!is.null(problem$locations$support)) places <- data$coords  # areas that share their middle
  for (rows in rows_without_noise(problem)) {
    duplicated <- rows[duplicated_locations(places[rows, , drop = FALSE])]
    if (!length(duplicated)) next
    abort_neargp("duplicates", c(
      paste0("With nugget = 0 all rows must be at different locations, but ",
        format_rows(original_rows(frame, (data$place %||% seq_along(data$y))[duplicated])),
        " share one."),
      i = "Estimate the nugget (nugget = NULL), fix a positive one, or average the duplicates."))
  }
}

# With heavier rows than these, the objective grows without limit as the scale goes to zero and the
# process follows each observation.
check_kink_weights <- function(problem) {
  estimates_scale <- any(problem$layout$name == "scale" & problem$free)
  if (!has_mark(problem$family, "kink") || !estimates_scale || mean(problem$data$weights) <= 1) {
    return(invisible())
  }
  abort_neargp("weights", c(
    "Weights above 1 on average let the scale of quantile_regression() vanish.",
    i = "Divide them by their mean, or give the scale: quantile_regression(0.9, scale = 1)."))
}

# `flat_allowed`: the method leaves out coordinates that do not vary.
check_locations <- function(coords, covariance, locations, flat_allowed = FALSE) {
  extent <- apply(coords, 2L, function(x) diff(range(x)))
  levels <- replicate_columns(locations)  # whose range is fixed, of one level too
  if (all(extent[-c(levels, length(extent) + 1L)] == 0)) {
    abort_neargp("coordinates",
      "All rows share the same location, so there is no covariance in space to estimate.")
  }
  extent[levels] <- 1
  if (flat_allowed) extent[extent == 0] <- 1
  ranged <- function(has_extent) {
    unique(unlist(lapply(covariance$components, function(component) {
      group <- range_groups(component, locations)$group
      locations$embedded_names[match(which(has_extent(tapply(extent, group, max))), group)]
    })))
  }
  flat <- ranged(function(extent) extent == 0)
  if (length(flat)) {
    abort_neargp("coordinates",
      c(paste0("The coordinate ", format_some(flat),
        " is constant, so its range cannot be estimated."), i = sprintf("Leave %s out of `coords`.", format_some(flat))))
  }
  # Ranges are searched from 1e-5 to 100 times the standard deviations of the coordinates.
  extreme <- ranged(function(extent) extent < 1e7 * range_limits[["least"]] | extent >
    1e-3 * range_limits[["largest"]])
  if (length(extreme)) {
    abort_neargp("coordinates",
      c(sprintf("The coordinate %s spans %g, so that its range is beyond what can be computed with.",
        format_some(extreme), extent[match(extreme[1L], locations$embedded_names)]),
        i = "Measure it in another unit."))
  }
  check_scatter_of_axes(coords, covariance, locations)
}

check_scatter_of_axes <- function(coords, covariance, locations) {
  for (component in Filter(estimates_axes, covariance$components)) {
    rotation <- rotation_of(component$anisotropy)
    if (spans(coords, rotation$coordinates)) next
    abort_neargp("coordinates",
      c(sprintf("All rows lie on one %s of %s, so an anisotropy in this %s cannot be estimated.",
        if (rotation$coordinates == 2L) "line" else "plane",
        paste(locations$embedded_names[seq_len(rotation$coordinates)], collapse = " and "),
        if (rotation$coordinates == 2L) "plane" else "space"),
        i = sprintf("Leave out `anisotropy`, or fix it: anisotropy = c(%s).",
          paste(rev(rotation$names), "= ", collapse = ", "))))
  }
}

# Rows that must be at different locations; for several responses, a set for each output.
rows_without_noise <- function(problem) {
  if (!has_outputs(problem)) {
    is_needed <- has_ability(problem$method, "distinct_locations", problem)
    without <- rows_by_output(problem$data)[is_needed]
    known <- problem$data$noise$known
    return(lapply(without, function(rows) if (is.null(known)) rows else rows[known[rows] == 0]))
  }
  nugget <- problem$layout$value[problem$layout$kind == "nugget"]
  rows_by_output(problem$data)[which(nugget %in% 0)]
}

#' @export
with_start.neargp_method_outputs <- function(method, problem) outputs_start(problem)

#' @export
with_start.default <- function(method, problem) {
  problem <- with_noise_start(problem)
  if (has_effects(problem$data)) return(effects_start(problem))
  variance <- residual_variance(observations_of(problem))
  problem$bounds <- working_bounds(problem, variance_guesses(observations_of(problem)))
  problem$start <- clamp(start_working(problem, variance), problem$bounds, problem$free)
  problem
}

# After each optimisation, or with a NULL `state` after some of the steps of Adam, `of` in all.
fit_reporter <- function(session) {
  if (!session$verbose) return(function(k, round, state, of = NULL) invisible())
  function(k, round, state, of = NULL) {
    if (is_line_shown(session)) {
      return(if (is.null(state)) report_progress(session, step = round, of = of, unit = "step"))
    }
    progress <- if (is.null(state)) sprintf("step %d", round) else
      sprintf("objective %.6g after %d iterations", state$evaluated$value, state$iterations)
    cli::cli_inform(c(i = "k = {k}: {progress}"))
  }
}

# Every evaluation of the ELBO, or of another objective that is named; off a terminal every tenth.
bound_reporter <- function(session) {
  function(evaluation, value, what = "bound", unit = "evaluations", of = NULL) {
    if (!session$verbose) return(invisible())
    if (is_line_shown(session)) {
      return(report_progress(session, if (what != "seconds left") value, step = evaluation, of = of,
        unit = sub("s$", "", unit), left = if (what == "seconds left") value))
    }
    if (evaluation %% 10L == 0L) {
      cli::cli_inform(c(i = "{evaluation} {unit}: {what} {signif(value, 6L)}"))
    }
  }
}

# A fit evaluates its objective some 30 times.
refit_context <- function(object, rows) {
  default_context(object, length(rows), conditioning_size(object$method, object$data),
    object$threads, passes = 30)
}

# The search of a local covariance begins at the optimum with all coefficients at 0, with all
# neighbours at once. A value below that of the stationary covariance is then out of the question,
# whatever other optima there are in ranges that the data barely determine. Vecchia's optimum is as
# good a start where the method's own costs more, and an earlier fit is a better one.
from_stationary <- function(problem) {
  local <- problem$layout$kind %in% local_kinds
  if (!anyNA(problem$layout$start[problem$free])) return(problem)
  stationary <- problem
  stationary$free <- problem$free & !local
  stationary$start[local] <- ifelse(is.na(problem$layout$start[local]), 0,
    problem$layout$start[local])
  # At 0 the coefficients of further coordinates move nothing.
  further <- problem$layout$kind == "expand"
  stationary$layout$fixed[further] <- TRUE
  stationary$layout$value[further] <- stationary$start[further]
  stationary$method <- on_responses(stationary_method(problem$method, problem))
  found <- if_computable(fit_above_nested(stationary$method, stationary))
  if (!is.null(found)) problem$start <- found$working
  if (any(problem$layout$kind %in% warp_kinds)) {
    problem <- from_unwarped(problem, found, stationary, on_responses(problem$method))
  }
  problem$control$coarse_k <- 0L
  problem
}

fit_problem <- function(problem) {
  if (any(problem$layout$kind %in% local_kinds)) problem <- from_stationary(problem)
  result <- fit_above_nested(problem$method, problem)
  if (!is.null(result$instead)) {
    problem <- result$instead
    result <- fit_above_nested(problem$method, problem)
  }
  problem <- with_jitter_of(problem, result)
  result <- above_other_ranges(problem, result)
  result <- not_below_stationary(problem, result)
  in_data_units(problem_at_rows(problem),
    in_principal_axes(problem, with_centred_slopes(problem, result)))
}

# The problem, or the fit, with the jitter that a search has come to need.
with_jitter_of <- function(problem, result) {
  if (!is.null(result$jitter)) problem$method$jitter <- result$jitter
  problem
}

# fit_problem() from starting values, on the device of the settings, with progress and checkpoint.
solve_problem <- function(problem, settings, checkpoint) {
  problem$context <- new_context(settings$context$threads, settings$device,
    settings$control$neighbor_search)
  problem$context$cluster <- settings$cluster
  reduced <- problem_at_locations(problem)
  if (is.null(settings$cluster)) check_memory_need(reduced, settings$device)
  session <- problem$session
  run_in_session(session, function() {
    begin_progress(session, problem)
    begin_checkpoint(session, checkpoint, problem, settings)
    share_instruction_set(settings$cluster)
    problem <- with_first_network(problem)
    if (trains_network(problem)) reduced <- problem_at_locations(problem)
    begin_stage(session, "starting values")
    problem <- started_problem(problem, reduced)
    begin_stage(session, NULL)
    fit_problem(recording_states(problem))
  })
}
