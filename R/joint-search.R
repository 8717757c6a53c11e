# The search of a joint fit: levels of more and more locations, and derivatives at its end.

# With many locations, quasi-Newton steps on few of them come near the optimum. Scoring continues on
# a tenth of all, in dense patches, and then on all. Its information consists of the second
# derivatives at the end of the level before, by the number of observations. Close to the optimum,
# differences compute the exact second derivatives. They guide the last steps, and the standard
# errors need them.
joint_optimum <- function(shared, few_places = 4000L) {
  levels <- joint_levels(shared, few_places)
  alone <- length(levels) == 1L
  begin_stage(shared$session, if (alone) sprintf("k = %d", shared$method$k) else "few locations")
  begun <- list(working = shared$start, iterations = 0L, evaluations = 0L)
  search <- joint_quasi_newton(levels[[1L]], if (alone) 1e-8 else 1e-5)
  state <- leave_ridges(levels[[1L]], joint_level(levels[[1L]], begun, search), search)
  if (alone && state$converged && !promises_gain(shared, state)) return(state)
  information <- NULL
  for (a in seq_along(levels)[-1L]) {
    slopes <- state$slopes %||% slopes_near_optimum(levels[[a - 1L]], state, information)
    begin_stage(shared$session, sprintf("k = %d", shared$method$k))
    share <- length(levels[[a]]$response) / length(levels[[a - 1L]]$response)
    information <- share * slopes$information
    state["slopes"] <- list(NULL)
    state <- without_model(state)
    tolerance <- if (a < length(levels)) 0.1 else shared$control$tolerance
    state <- joint_level(levels[[a]], state, joint_scoring(levels[[a]], information, tolerance))
  }
  finish_joint(shared, state, information)
}

# The gain of a further step at which the search of a composition ends leaves a thousandth of a
# standard error, so that the order of its categories changes nothing.
gain_at_end <- function(shared) {
  shared$control$tolerance * if (any(holds_constants(shared$structures))) 0.01 else 1
}

# Whether a Newton step from an end would gain more than is left at the end of a search.
promises_gain <- function(shared, state) {
  curvature <- joint_curvature(shared, state$slopes, state$working)
  along <- crossprod(curvature$directions, state$evaluated$gradient[curvature$rows])
  sum(along^2 / pmax(curvature$values, least_joint_information)) / 2 > gain_at_end(shared)
}

# The problems of few locations, of more, and of all. The first locations of the maxmin ordering
# cover the region evenly. The next ones are in patches as dense as all locations, whose estimates
# and information are closer to those of all. Fits with areas use all locations, since a subset
# would rarely contain all points of an area.
joint_levels <- function(shared, few_places) {
  places <- nrow(shared$coords)
  alone <- places <= few_places || shared$control$coarse_k == 0L || !is.null(shared$shares)
  if (alone) return(list(shared))
  counts <- pmax(places %/% c(100L, 10L), few_places %/% 2L)
  scaled <- break_ties(core_scale(shared$coords, joint_metric(shared, shared$start)),
    shared$context)
  order <- core_order(scaled, "maxmin", 0, shared$context)
  first <- function(count) sort(order[seq_len(count)])
  more <- places_in_patches(scaled, order, counts[2L]) %||%
    if (counts[2L] > counts[1L]) first(counts[2L])
  kept <- c(list(first(counts[1L])), if (!is.null(more)) list(more))
  c(lapply(kept, with_some_places, shared = shared), list(shared))
}

# The last steps, by the information close to the optimum, and off a saddle. A valley that bends has
# other information after a few steps, which is then computed again. If the last steps are short,
# its derivatives serve the standard errors as well. `information`: what the levels before say of
# it.
finish_joint <- function(shared, state, information = NULL, steps = 5L) {
  most <- shared$control$max_iterations
  brief <- shared
  brief$control$max_iterations <- min(steps, most)
  for (round in seq_len(max(3L, most %/% steps))) {
    slopes <- state$slopes %||% slopes_near_optimum(shared, state, information)
    if (!is.null(information)) information <- slopes$information
    state$slopes <- slopes
    before <- state[c("evaluated", "working")]
    begun <- step_off_saddle(shared, state)
    stepped <- !identical(begun, state$working)
    scoring <- joint_scoring(brief, slopes$information, gain_at_end(shared),
      known = list(working = state$working, evaluated = slopes$center))
    state <- searched_on(state, scoring(state$objective, begun))
    if (!stepped && state$converged && slopes_still_serve(shared, slopes, before, state)) {
      state$slopes <- slopes
      return(state)
    }
  }
  state
}

# Whether slopes from before the last steps are those of their end. At the data, slopes of fields
# and of loadings cancel. A slope changes by about the length of the steps, and counts by a standard
# deviation of its parameter. Their product is what it adds to the standard deviation of the linear
# predictor in the unit of the parameters.
slopes_still_serve <- function(shared, slopes, before, state, most_gain = 0.5, least = 1e-3) {
  if (state$evaluated$value >= before$evaluated$value + most_gain) return(FALSE)
  curvature <- joint_curvature(shared, slopes, before$working)
  unit <- joint_units(shared)
  moved <- max(abs(state$working - before$working) / unit)
  variance <- diag(joint_spread(slopes, curvature)$covariance) / unit[curvature$rows]^2
  moved * sqrt(max(variance, 0)) < least
}

# Optimisers of an objective from working parameters, in units of the parameters.
joint_quasi_newton <- function(shared, relative_tolerance) {
  function(objective, working) {
    quasi_newton_in_units(objective, working, joint_units(shared), shared$free, shared$bounds,
      shared$control, relative_tolerance)
  }
}

# Few locations can misjudge the information along a ridge by a factor of thirty. All evaluations
# correct it. `known`: where the objective was evaluated before, if it was.
joint_scoring <- function(shared, information, tolerance = shared$control$tolerance,
                          known = NULL) {
  unit <- joint_units(shared)
  information <- positive_information(information * outer(unit, unit), shared$free)
  bounds <- lapply(shared$bounds[c("lower", "upper")], function(bound) bound / unit)
  function(objective, working) {
    last <- NULL
    evaluate <- function(at, ...) {
      state <- if (!is.null(known$evaluated) && identical(at, known$working / unit))
        c(known$evaluated, failed = 0L) else objective$evaluate(unit * at)
      if (is.null(state$gradient)) return(state)
      state$gradient <- unit * state$gradient
      if (!is.null(last)) {
        pairs <- remember_pair(list(), at - last$at, last$gradient - state$gradient)
        free <- shared$free
        information[free, free] <<- secant_correction(information[free, free], pairs, free, 100)
      }
      last <<- list(at = at, gradient = state$gradient)
      state$information <- information
      state
    }
    scaled <- list(n = objective$n, session = objective$session, evaluate = evaluate)
    found <- fisher_scoring(scaled, working / unit, shared$free, bounds, shared$control, tolerance)
    found$working <- unit * found$working
    found
  }
}

# Neighbours are searched again where the metric has moved.
joint_level <- function(shared, state, optimize) {
  metric <- NULL
  state$first <- NULL
  for (round in seq_len(shared$control$max_refreshes)) {
    shape <- search_shape(joint_metric(shared, state$working))
    if (!is.null(metric) &&
        max(abs(shape - metric)) <= shared$control$refresh_tolerance) break
    metric <- shape
    if (round > 1L) state <- without_model(state)
    state <- joint_round(shared, state, optimize)
  }
  state
}

# Two models of all locations would take twice the memory. R's garbage collector does not see the
# memory of a model.
without_model <- function(state) {
  state[c("objective", "latent", "search")] <- NULL
  gc()
  state
}

joint_round <- function(shared, state, optimize) {
  search <- joint_search(shared, state$working)
  latent <- joint_latent(shared, search)
  objective <- fields_objective(shared, latent)
  first <- state$first %||% value_of_separate(shared, objective)
  found <- optimize(objective, state$working)
  add_counts(c(found, list(objective = objective, search = search, latent = latent,
    first = first)), state)
}

# The objective at the start. If each response starts with its own field, this is the sum of the
# objectives of the separate fits. NULL for other structures.
value_of_separate <- function(shared, objective) {
  if (all(vapply(shared$structures, is_of_one_response, NA))) objective$evaluate(shared$start)$value
}
