# The search of a joint fit: levels of more and more locations, and derivatives at its end.

# With many locations, quasi-Newton steps on few of them come near the optimum. Scoring continues on
# ten times as many, and then on all. Its information consists of the second derivatives at the end
# of the level before. Close to the optimum, differences compute the exact second derivatives. They
# guide the last steps, and the standard errors need them.
joint_optimum <- function(shared, few_places = 4000L) {
  levels <- joint_levels(shared, few_places)
  alone <- length(levels) == 1L
  begin_stage(shared$session, if (alone) sprintf("k = %d", shared$method$k) else "few locations")
  begun <- list(working = shared$start, iterations = 0L, evaluations = 0L)
  search <- joint_quasi_newton(levels[[1L]], if (alone) 1e-8 else 1e-5)
  state <- leave_ridges(levels[[1L]], joint_level(levels[[1L]], begun, search), search)
  if (alone && state$converged) return(state)
  for (a in seq_along(levels)[-1L]) {
    slopes <- state$slopes %||% slopes_near_optimum(levels[[a - 1L]], state)
    begin_stage(shared$session, sprintf("k = %d", shared$method$k))
    share <- length(levels[[a]]$response) / length(levels[[a - 1L]]$response)
    state["slopes"] <- list(NULL)
    state <- without_model(state)
    state <- joint_level(levels[[a]], state, joint_scoring(levels[[a]],
      share * slopes$information, 0.1))
  }
  finish_joint(shared, state)
}

# The problems of few locations, of ten times as many, and of all. The first locations of the maxmin
# ordering cover the region evenly. Few of them would be all points of an area.
joint_levels <- function(shared, few_places) {
  places <- nrow(shared$coords)
  alone <- places <= few_places || shared$control$coarse_k == 0L || !is.null(shared$shares)
  if (alone) return(list(shared))
  least <- few_places %/% 2L
  counts <- unique(pmax(places %/% c(100L, 10L), least))
  c(lapply(counts, with_first_places, shared = shared), list(shared))
}

# The last steps, by the information close to the optimum, and off a saddle. If these steps are
# short, its derivatives serve the standard errors as well.
finish_joint <- function(shared, state, rounds = 3L) {
  for (round in seq_len(rounds)) {
    slopes <- state$slopes %||% slopes_near_optimum(shared, state)
    state$slopes <- slopes
    before <- state$evaluated$value
    begun <- step_off_saddle(shared, state)
    stepped <- !identical(begun, state$working)
    state <- searched_on(state, joint_scoring(shared, slopes$information)(state$objective, begun))
    if (!stepped && state$evaluated$value < before + 0.5) {
      state$slopes <- slopes
      return(state)
    }
  }
  state
}

slopes_near_optimum <- function(shared, state) {
  center <- state$objective$fit_at(state$working, 1e-6)
  joint_slopes(shared, state$objective, state$working, center$end)
}

# Optimisers of an objective from working parameters, in units of the parameters.
joint_quasi_newton <- function(shared, relative_tolerance) {
  function(objective, working) {
    quasi_newton_in_units(objective, working, joint_units(shared), shared$free, shared$bounds,
      shared$control, relative_tolerance)
  }
}

joint_scoring <- function(shared, information, tolerance = shared$control$tolerance) {
  unit <- joint_units(shared)
  information <- positive_information(information * outer(unit, unit), shared$free)
  bounds <- lapply(shared$bounds[c("lower", "upper")], function(bound) bound / unit)
  function(objective, working) {
    scaled <- list(n = objective$n, session = objective$session, evaluate = function(at, ...) {
      state <- objective$evaluate(unit * at)
      if (!is.null(state$gradient)) state$gradient <- unit * state$gradient
      state$information <- information
      state
    })
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

# ---- derivatives ---------------------------------------------------------------------------------

# Derivatives close to the optimum by central differences of the exact gradient: the information,
# and how trends and fields respond to a `step` of each parameter. One-sided differences would be
# off by a third where loadings and range lie on a ridge. `end`: the posterior at `working`. Steps
# up and down change it by opposite amounts to first order. The search after a step down therefore
# begins opposite to where the step up ended.
joint_slopes <- function(shared, objective, working, end, step = 0.02) {
  units <- joint_units(shared)
  layout <- shared$layout
  information <- matrix(0, nrow(layout), nrow(layout))
  shifted <- vector("list", nrow(layout))
  fit_at <- function(at, from = NULL) {
    moved <- tryCatch(objective$fit_at(at, max(objective$tolerance, 1e-6), derivatives = TRUE,
      from = from), neargp_error = function(e) NULL)
    if (is.null(moved) || !all(is.finite(moved$gradient))) return(NULL)
    moved$beta <- joint_coefficients(shared, moved["beta"], to_core(at, layout$transform))$beta
    moved
  }
  for (a in which(shared$free)) {
    h <- step * units[a]
    at <- pmin(pmax(working[a] + c(h, -h), shared$bounds$lower[a]), shared$bounds$upper[a])
    up <- fit_at(replace(working, a, at[1L]))
    if (is.null(up)) next
    down <- fit_at(replace(working, a, at[2L]), core_fields_opposite(end, up$end))
    if (is.null(down)) next
    slope <- function(name) (up[[name]] - down[[name]]) / (at[1L] - at[2L])
    information[a, ] <- -slope("gradient")
    shifted[[a]] <- list(step = h, mean = h * slope("mean"), beta = h * slope("beta"))
  }
  information <- (information + t(information)) / 2
  list(information = information, shifted = shifted)
}

# The parameters, fields and trends that steps of single parameters from the optimum lead to.
shifted_from <- function(slopes, working, posterior) {
  lapply(seq_along(slopes$shifted), function(a) {
    at <- slopes$shifted[[a]]
    if (!is.null(at)) list(working = replace(working, a, working[a] + at$step), step = at$step,
      mean = posterior$mean + at$mean, beta = posterior$beta + at$beta)
  })
}
