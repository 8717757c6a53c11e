# The curvature at the end of a joint search. If the ranges of two fields are nearly the same, a
# rotation of their loadings changes the objective by next to nothing. Along this ridge a search can
# end at a saddle, from which the objective rises when the ranges part. A search also ends where the
# loadings of a response have vanished, since the objective is stationary there.

# Directions with less information, in units of the parameters, are weak: a step of one unit changes
# the objective by less than 0.025.
least_joint_information <- 0.05

# Eigenvalues of the information in units of the parameters, decreasing, and eigenvectors as
# `directions` of one unit. `rows`: the parameters in question. Those at a limit of their search
# count as known, and nothing is known of those without derivatives or without a field.
joint_curvature <- function(shared, slopes, working) {
  at_limit <- at_bound(working, shared, slopes$information)
  vanished <- of_vanished_fields(shared, working) | lengths(slopes$shifted) == 0L
  rows <- which(shared$free & !at_limit & !vanished)
  unit <- joint_units(shared)[rows]
  parts <- if (length(rows)) eigen(slopes$information[rows, rows] * outer(unit, unit),
    symmetric = TRUE) else list(values = double(0), vectors = matrix(0, 0L, 0L))
  list(rows = rows, values = parts$values, directions = unit * parts$vectors,
    at_limit = at_limit, vanished = vanished & shared$free & !at_limit)
}

# The prior of correlations sees only the direction of a response's loadings. Where they have
# vanished, its derivatives grow beyond all limits and mean nothing. The range of a field without
# loadings means nothing either. `least` is in units of the loadings.
of_vanished_fields <- function(shared, working, least = 0.05) {
  layout <- shared$layout
  count <- length(shared$parts)
  rows <- loading_rows(layout, count)
  A <- matrix(working[rows] / joint_units(shared)[rows], count)
  responses <- shared$prior & sqrt(rowSums(A^2)) < least
  vanished <- replace(logical(nrow(layout)), rows, responses[row(A)])
  kept <- A[!responses, , drop = FALSE]
  fields <- colSums(abs(kept) > least / 5) == 0L
  structures <- tapply(fields, structure_of_fields(shared$structures), all)
  vanished | (layout$component %in% which(structures) & layout$kind != "loading")
}

weak_directions <- function(curvature) which(curvature$values < least_joint_information)

# ---- better ends ---------------------------------------------------------------------------------

# Searches on from other parameters, where an end is on a ridge or without a field, as long as this
# gains more than `least`. Adds the `slopes` of the end to the state.
leave_ridges <- function(shared, state, optimize, rounds = 3L, least = 0.01) {
  for (round in seq_len(rounds)) {
    state$slopes <- slopes_near_optimum(shared, state)
    found <- best_beyond_ridge(shared, state) %||% if (round == 1L) short_trial(shared, state)
    if (is.null(found)) return(state)
    state$evaluations <- state$evaluations + found$tried
    if (found$evaluated$value < state$evaluated$value + least) return(state)
    state <- searched_on(state, optimize(state$objective, found$working))
  }
  state
}

# The state with another end, whose slopes are not known.
searched_on <- function(state, found) {
  found <- add_counts(found, state)
  state[names(found)] <- found
  state["slopes"] <- list(NULL)
  state
}

# The best of the searches from both sides of an end along its weakest direction, and of those from
# mixed fields. `tried`: the evaluations of all. NULL where an end is a clear maximum.
best_beyond_ridge <- function(shared, state) {
  curvature <- joint_curvature(shared, state$slopes, state$working)
  weak <- utils::tail(weak_directions(curvature), 1L)
  lost <- any(curvature$vanished & shared$layout$kind == "loading")
  if (!length(weak) && !lost) return(NULL)
  begin_stage(shared$session, "beyond a ridge")
  begun <- mixed_fields(shared)
  if (length(weak)) {
    along <- replace(double(length(state$working)), curvature$rows, curvature$directions[, weak])
    begun <- c(lapply(c(-1, 1), best_of_steps, shared = shared, state = state, along = along),
      begun)
  }
  # the search goes on from the best end; with areas, exact factors make each evaluation slow
  explore <- joint_quasi_newton(shared, if (has_joint_areas(shared$parts)) 1e-4 else 1e-6)
  found <- lapply(begun, function(from) if_computable(explore(state$objective, from)))
  found <- found[lengths(found) > 0L]
  if (!length(found)) return(NULL)
  best <- found[[which.max(vapply(found, function(x) x$evaluated$value, 0))]]
  best$tried <- sum(vapply(found, `[[`, 0L, "evaluations"))
  best
}

# A few steps from the second one of the mixed fields. A clear maximum is often not the highest one
# where a field of the shortest range explains a response. NULL without such starts.
short_trial <- function(shared, state, trials = 2L, within = 1) {
  begun <- mixed_fields(shared)
  if (is.null(begun)) return(NULL)
  shared$control$max_iterations <- 1L  # quasi_newton() takes five times as many
  found <- list(working = begun[[2L]], tried = 0L)
  for (trial in seq_len(trials)) {
    further <- if_computable(joint_quasi_newton(shared, 1e-6)(state$objective, found$working))
    if (is.null(further)) break
    found <- c(further, list(tried = found$tried + further$evaluations))
    if (found$evaluated$value < state$evaluated$value - within) break
  }
  if (!is.null(found$evaluated)) found
}

# The best end of steps of these lengths to one side.
best_of_steps <- function(side, shared, state, along, lengths = c(0.5, 2)) {
  begun <- lapply(side * lengths, function(step) clamp(state$working + step * along, shared$bounds,
    shared$free))
  values <- vapply(begun, function(at) state$objective$evaluate(at)$value, 0)
  begun[[which.max(values)]]
}

# Other starts for structures of one field for each response. The field of a response is also one of
# the response before it. Ranges begin nearly alike, or the first one near its lower limit.
mixed_fields <- function(shared) {
  if (!all(vapply(shared$structures, is_of_one_response, NA))) return(NULL)
  layout <- shared$layout
  count <- length(shared$parts)
  A <- diag(c(rep(0.8, count - 1L), 1), count)
  A[cbind(seq_len(count - 1L), seq_len(count)[-1L])] <- 0.6
  working <- shared$start
  loadings <- loading_rows(layout, count)
  working[loadings] <- joint_units(shared)[loadings] * as.vector(A)
  for (j in seq_len(count)) {
    rows <- which(layout$component %in% j & layout$kind != "loading")
    apart <- ifelse(layout$kind[rows] == "range", 0.2 * ((count + 1) / 2 - j), 0)
    working[rows] <- structure_start(layout[rows, ], shared$parts) + apart
  }
  working <- replace(shared$start, shared$free, working[shared$free])
  first <- which(layout$kind == "range" & layout$component %in% 1L & shared$free)
  short <- replace(working, first, shared$bounds$lower[first] + 0.5)
  lapply(list(working, short), clamp, shared$bounds, shared$free)
}

# A step along the direction of most negative curvature, if it gains. The gradient
# shows no way up from a stationary point.
step_off_saddle <- function(shared, state, least = 0.01) {
  curvature <- joint_curvature(shared, state$slopes, state$working)
  last <- length(curvature$values)
  if (!last || curvature$values[last] > -least_joint_information) return(state$working)
  along <- replace(double(length(state$working)), curvature$rows, curvature$directions[, last])
  begun <- lapply(c(-1, 1), best_of_steps, shared = shared, state = state, along = along,
    lengths = c(0.1, 0.5))
  values <- vapply(begun, function(at) state$objective$evaluate(at)$value, 0)
  if (max(values) > state$evaluated$value + least) begun[[which.max(values)]] else state$working
}

# ---- standard errors -----------------------------------------------------------------------------

# The covariance matrix C of the parameters in question, and their slopes by `shifted` fits. C is
# the inverse of the information. Fields are not linear in steps of more than a few units: weak
# directions count with the least information, which gives them a standard deviation of 4.5 units.
# `poor`: parameters whose variance is mostly that of weak directions.
joint_spread <- function(slopes, curvature) {
  scaled <- t(t(curvature$directions) / sqrt(pmax(curvature$values, least_joint_information)))
  weak <- weak_directions(curvature)
  variance <- rowSums(scaled^2)
  poor <- rowSums(scaled[, weak, drop = FALSE]^2) > variance / 2
  list(covariance = tcrossprod(scaled), shifted = slopes$shifted[curvature$rows],
    rows = curvature$rows, poor = curvature$rows[poor])
}

# Whether the objective falls from the end in all directions, but for errors of differences.
warn_unless_maximum <- function(curvature, names) {
  last <- length(curvature$values)
  if (!last || curvature$values[last] > -least_joint_information) return(invisible(TRUE))
  along <- names[curvature$rows][order(-abs(curvature$directions[, last]))]
  warn_neargp("curvature", c(
    sprintf("The search ended where the objective still curves upwards, mostly along %s.",
      format_some(utils::head(along, 3L))),
    i = "Standard errors take a standard deviation of 4.5 units for this direction.",
    i = "Fix a range in `covariance`, use cov_coregionalisation(rank = 1), or continue by update(fit, start = fit)."))
  invisible(FALSE)
}
