# How the likelihood of vecchia(inducing = ) is maximised: by quasi-Newton, in rounds between which
# the neighbours are renewed.

# Rounds as of fit_level(): neighbours are fixed while the optimiser runs. The first round uses the
# nearest neighbours and only comes near the optimum. The other rounds use neighbours of largest
# residual correlation at the estimates so far. The first round does so as well where estimates are
# continued. Order and positions are made again once, if the metric has changed a lot.
# Other neighbours change the log-likelihood of thousands of rows by some units
# (bench/notes/vecchia-inducing.md). A gain of 1e-4 for each row is lost in these changes, so that a
# round may stop at 0.01 below its optimum.
maximize_residual <- function(method, problem, start) {
  found <- residual_rounds(method, problem, start)
  polished(problem, found$state, found$given, found$information, found$curvature)
}

residual_rounds <- function(method, problem, start, renew_at = 0.5, negligible = 1e-4) {
  control <- problem$control
  n <- length(problem$data$y)
  least_gain <- max(control$refresh_gain, negligible * n)
  state <- start
  information <- diag(n, length(state$working))
  curvature <- start$curvature
  given <- first_given(method, problem, start)
  for (round in seq_len(max(2L, control$max_refreshes))) {
    coarse <- round == 1L && !start$continued
    information <- if_computable(start$information_at(given$working), information)
    result <- climb(problem, given, information, tolerance = max(if (coarse) 2 else 0.01,
      control$tolerance), curvature = curvature)
    curvature <- result$curvature
    state <- add_counts(result, state)
    problem$report(method$k, round, state)
    moved <- abs(state$working - given$searched_at)[problem$free]
    if (coarse) {
      given$arrangement <- renewed_arrangement(method, problem, given, state$working, renew_at)
    }
    given <- correlated_given(method, problem, given, state$working)
    changed <- abs(given$evaluated$value - state$evaluated$value)
    settled <- !coarse && (all(moved <= control$refresh_tolerance) ||
      min(state$gain, changed) < least_gain)
    if (settled) break
  }
  if (!settled) state <- unsettled(state, control)
  list(state = state, given = given, information = information, curvature = curvature)
}

# The search of a large table begins at the optimum of some of its rows, from which a few steps are
# left. The low-rank part of the likelihood is not a sum over rows, so that terms of it, as in
# R/few-rows.R, do not exist. These rows lack most repeated rows, which determine the noise. The
# nugget is therefore that of terms of Vecchia's likelihood until all rows are used.
residual_start <- function(method, problem) {
  if (!begins_with_few_rows(problem) || is_continued(problem)) {
    return(low_rank_start(method, problem))
  }
  terms <- if_computable(fit_few_rows(problem, method$k, scoring_optimizer))
  found <- if (!is.null(terms)) if_computable(few_residual_rounds(method, problem, terms$working))
  if (is.null(found)) return(low_rank_start(method, problem))
  problem$start <- found$state$working
  start <- add_counts(add_counts(low_rank_start(method, problem, continued = TRUE), found$state),
    terms)
  c(start, found["curvature"])
}

few_residual_rounds <- function(method, problem, working) {
  problem$start <- working
  problem$data <- take_data_rows(problem$data, few_random_rows(problem, search_rows))
  problem$free <- problem$free & problem$layout$kind != "nugget"
  residual_rounds(method, problem, low_rank_start(method, problem, continued = TRUE))
}

# The neighbours of the last round stay to the end. A climb stops where it promises less than its
# tolerance, and after few steps this promise may be far off. Further climbs follow, each with the
# units of the parameters reached, until one has gained less than the required tolerance. In a large
# table, climbs stop at the tolerance itself.
polished <- function(problem, state, given, information, curvature, most = 10L) {
  tolerance <- problem$control$tolerance
  finest <- if (is_large_table(problem)) tolerance else tolerance / 100
  for (climb in seq_len(most)) {
    result <- climb(problem, given, information, finest, curvature)
    curvature <- result$curvature
    given[c("working", "evaluated")] <- result[c("working", "evaluated")]
    state <- add_counts(state, result)
    if (result$gain < tolerance) break
  }
  replace(state, c("working", "evaluated", "given"), list(given$working, given$evaluated, given))
}

# In large tables. A quasi-Newton step often promises too little. With a tolerance of 0.2 units, a
# search of 10,000 rows in three inputs ended 27 units below its optimum.
quasi_newton_tolerance <- 0.02

#' @export
fit_method.neargp_vecchia_inducing <- function(method, problem) {
  problem <- with_search_tolerance(problem, quasi_newton_tolerance)
  state <- maximize_residual(method, problem, residual_start(method, problem))
  given <- state$given
  gradient <- function(working) {
    given$objective$evaluate(working)$gradient %||% rep(NA_real_, length(working))
  }
  # parameters at their bounds get no standard errors
  information <- information_by_differences(gradient, state$working,
    problem$free & !at_bound(state$working, problem), rep(1, length(state$working)),
    at = state$evaluated$gradient)
  c(method_result(state, score = "log-likelihood", information = information, k = method$k),
    list(low_rank = c(given$arrangement, given["neighbors"], searched_in(problem, given))))
}

# ---- what is fixed while the optimiser runs ------------------------------------------------------

# The arrangement, the neighbours, the parameters they were `searched_at` and the likelihood given
# them. `evaluated`: its value at the parameters where the optimiser begins.
given_neighbors <- function(method, problem, arrangement, neighbors, searched_at,
                            working = searched_at) {
  objective <- residual_objective(problem, method, arrangement$positions, neighbors,
    component_at(problem, searched_at))
  list(arrangement = arrangement, neighbors = neighbors, searched_at = searched_at,
    objective = objective, working = working, evaluated = check_start(objective$evaluate(working)))
}

first_given <- function(method, problem, start) {
  key <- if (method$ordering == "random") order_key() else 0
  if (start$continued) {
    before <- list(searched_at = start$working,
      arrangement = arrange(method, problem, component_at(problem, start$working), key))
    found <- if_computable(correlated_given(method, problem, before, start$working))
    if (!is.null(found)) return(found)
  }
  nearest <- optimize_from_shorter(problem, start$working, function(working) nearest_given(method,
    problem, working, key))
  if (start$continued) correlated_given(method, problem, nearest, nearest$working) else nearest
}

nearest_given <- function(method, problem, working, key) {
  working <- clamp(working, problem$bounds, problem$free)
  component <- component_at(problem, working)
  arrangement <- arrange(method, problem, component, key)
  given_neighbors(method, problem, arrangement,
    nearest_residual(problem, component, arrangement$order, method$k), working)
}

renewed_arrangement <- function(method, problem, given, working, renew_at) {
  found <- component_at(problem, working)
  moved <- core_metric_shape(found) - core_metric_shape(component_at(problem, given$searched_at))
  if (max(abs(moved)) > renew_at) arrange(method, problem, found, given$arrangement$key) else
    given$arrangement
}

# If neighbours searched at these parameters would make a covariance matrix singular, the search
# moves half way back to the parameters of the last ones, and again half way.
correlated_given <- function(method, problem, before, working, halvings = 3L) {
  at_share <- function(share) {
    searched_at <- working
    searched_at[problem$free] <- (share * working + (1 - share) * before$searched_at)[problem$free]
    neighbors <- correlated_residual(problem, method, before$arrangement, searched_at)
    given_neighbors(method, problem, before$arrangement, neighbors, searched_at, working)
  }
  for (share in 0.5^(seq_len(halvings) - 1L)) {
    found <- if_computable(at_share(share))
    if (!is.null(found)) return(found)
  }
  at_share(0)  # or its error
}

# ---- quasi-Newton --------------------------------------------------------------------------------

# The search moves inverse ranges. If an input does not matter, the likelihood is flat in the
# logarithm of a long range and steep in that of a shorter one. No step fits both, and these inputs
# would shorten the steps of all. In the inverse range the likelihood is a parabola about 0, since
# the inverse range enters distances by its square.
# Units are those in which the diagonal of Vecchia's `information` is one for each row. The whole
# matrix would serve worse: it is wrong by a factor of thousands in the one combination of
# parameters where the two likelihoods differ most (bench/notes/vecchia-inducing.md).
# `curvature`: in the moved parameters, for each row, as an earlier climb has left it. NULL: none.
climb <- function(problem, given, information, tolerance, curvature = NULL) {
  check_derivatives(list(gradient = given$evaluated$gradient, information = information),
    problem$free)
  chart <- inverse_range_chart(problem)
  n <- given$objective$n
  unit <- pmin(sqrt(n / diag(information)) / abs(chart$slope(given$working)),
    longest_units(problem, given$working))
  start <- chart$from_working(given$working) / unit
  to_working <- function(scaled) {
    replace(given$working, problem$free, chart$to_working(scaled * unit)[problem$free])
  }
  secants <- secant_record(if (is.null(curvature)) diag(length(start)) else
    curvature * outer(unit, unit))
  evaluate <- function(scaled) {
    working <- to_working(scaled)
    state <- if (identical(scaled, start)) given$evaluated else given$objective$evaluate(working)
    secants$evaluated <- state
    if (is.finite(state$value)) state$gradient <- unit * chart$slope(working) * state$gradient
    secants$gradient <- state$gradient / n
    state
  }
  accept <- function(scaled) {
    add_secant(secants, scaled, problem$free)
    keep_state(problem, to_working(scaled))
  }
  # values count from the first, so that the tolerance is in units of log-likelihood
  result <- quasi_newton(list(n = n, evaluate = evaluate, accept = accept,
    session = problem$session), start, problem$free,
    lapply(chart$bounds, function(bound) bound / unit),
    problem$control, relative_tolerance = tolerance / n, level = 1 + given$evaluated$value / n,
    curvature = if (!is.null(curvature)) function(...) secants$matrix[problem$free,
      problem$free, drop = FALSE])
  result$working <- to_working(secants$point %||% start)
  # with the gradient in the working parameters
  result$evaluated <- secants$reached %||% given$evaluated
  result$curvature <- secants$matrix / outer(unit, unit)
  result
}

# The working parameters with inverse ranges in place of their logarithms.
inverse_range_chart <- function(problem) {
  range <- problem$layout$kind == "range"
  inverse <- function(working) replace(working, range, exp(-working[range]))
  list(
    from_working = inverse,
    to_working = function(free) replace(free, range, -log(free[range])),
    slope = function(working) replace(rep(1, length(working)), range, -exp(working[range])),
    bounds = list(lower = replace(problem$bounds$lower, range, exp(-problem$bounds$upper[range])),
      upper = replace(problem$bounds$upper, range, exp(-problem$bounds$lower[range])))
  )
}

# If an input does not matter, the information gives no unit. A unit is therefore at most `most`, as
# a change of a logarithm. For an inverse range it is at most the larger of two: this inverse range,
# and that of a range of twice the inputs' standard deviation. An input may be constant among few
# rows.
longest_units <- function(problem, working, most = 2) {
  layout <- problem$layout
  longest <- rep(most, nrow(layout))
  for (j in seq_along(problem$groups)) {
    ranges <- layout$kind == "range" & layout$component %in% j
    scales <- group_scales(problem$data$coords, problem$groups[[j]]$group)
    longest[ranges] <- pmax(exp(-working[ranges]), ifelse(scales > 0, 0.5 / scales, 0))
  }
  longest
}

# Each row reads the features of its neighbours, 200 numbers each. The core therefore gets the rows
# in the order of the first principal component of their positions in the metric of `component`.
# Neighbours are then near each other in memory. An evaluation of 15,000 rows of 18 predictors takes
# a sixth less time.
residual_objective <- function(problem, method, positions, neighbors, component) {
  layout <- problem$layout
  specification <- covariance_specification(layout, problem$groups)
  data <- problem$data
  order <- order_places(core_scale(data$coords, component), "pca", 0, problem$context)
  coords <- data$coords[order, , drop = FALSE]
  columns <- response_columns(data)[order, , drop = FALSE]
  noise_scale <- 1 / data$weights[order]
  neighbors <- reordered_neighbors(neighbors, order)
  terms <- within_terms(data$within)
  nugget_row <- which(layout$kind == "nugget")
  evaluate <- function(working, ...) {
    values <- to_core(working, layout$transform)
    nugget <- nugget_of(layout, values)
    found <- journaled(problem$session, working, function() {
      core_residual_vecchia(coords, columns, noise_scale, positions, neighbors,
        specified_covariance(specification, values), nugget, method$jitter, TRUE, problem$context,
        within_gram(terms, nugget))
    })
    if (is_failure(found)) {
      if (found$failed > 0L) found$failed <- order[found$failed]
      return(list(value = -Inf, failed = found$failed, condition = low_rank_condition(found)))
    }
    found <- add_within_value(found, terms, nugget)
    found <- add_within_gradient(found, terms, nugget, nugget_row, found$beta)
    found$gradient <- core_to_working_slope(layout, values) * found$gradient
    found
  }
  list(evaluate = evaluate, n = count_observations(data))
}

# The neighbours of each row, a column for each, where rows come in another order.
reordered_neighbors <- function(neighbors, order) {
  neighbors <- as.matrix(neighbors)[, order, drop = FALSE]
  neighbors[] <- order(order)[neighbors]
  neighbors
}
