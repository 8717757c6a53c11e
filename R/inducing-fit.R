# Maximises the ELBO of inducing points over the covariance parameters and the positions together,
# by a quasi-Newton method with a limited memory. With many rows, mini-batches come before it
# (R/inducing-natural.R). A first search uses few rows and points, where steps cost next to nothing.
# Its parameters define the metric in which the points are then chosen.

fit_inducing <- function(method, problem) {
  begins <- is.null(problem$warm_start)
  if (begins) problem$start <- start_for_points(problem)
  field <- if (begins && any(problem$free)) problem_of_field(problem) else problem
  if (trains_network(problem)) problem <- keeping_parameters(problem)
  working <- if (begins && !trains_network(problem)) subset_start(method, field) else problem$start
  positions <- start_positions(method, field, component_at(field, working),
    number = min(512L, ceiling(count_places(problem$data) / rows_of_a_point(method, problem))))
  if (!uses_batches(method, field, nrow(positions))) {
    return(maximize_bound(problem, method, beside_effects(problem, working), positions))
  }
  reached <- fit_by_batches(field, method, working, positions)
  reached$working <- beside_effects(problem, reached$working)
  problem <- with_fitted_network(problem, reached$network)
  result <- switch(method$optimizer, natural = batch_result(problem, method, reached),
    adam = adam_result(problem, method, reached), fit_after_batches(problem, method, reached))
  c(result, list(network = reached$network))
}

# How many rows there are for each inducing point where the user does not say. Points for a quarter
# of the rows make the intervals of counts too narrow.
rows_of_a_point <- function(method, problem) if (is_svgp_of_counts(method, problem)) 2 else 4

# If the ranges of a field are short in comparison with the distances of the points, a few points
# explain nothing. The nearest optimum of the ELBO is then noise alone. Ranges that the user does
# not give therefore begin at no less than half of the rows' distance from their centre, and the
# noise at a tenth of the variance. If neighbouring rows are almost equal, their differences suggest
# a variance far below that of the response. First steps that compensate for it also end at noise
# alone, so the variance begins at no less than that of the response.
start_for_points <- function(problem) {
  layout <- problem$layout
  scatter <- response_scatter(problem)
  values <- with_variances(to_core(problem$start, layout$transform), layout, scatter)
  least <- rep(-Inf, length(values))
  coords <- problem$data$coords
  for (j in seq_along(problem$groups)) {
    least[layout$component %in% j & layout$kind == "range"] <- 0.5 * sqrt(ncol(coords)) *
      group_scales(coords, problem$groups[[j]]$group)
  }
  total <- pmax(scatter, sum(values[layout$kind == "variance"]))
  least[layout$kind == "nugget"] <- total / 10 / typical_noise_scale(problem$data)
  open <- problem$free & is.na(layout$start)
  clamp(replace(problem$start, open, to_working(pmax(values, least), layout$transform)[open]),
    problem$bounds, problem$free)
}

# The variance of responses that are the sum of field and noise, by output. Other responses are not
# on the scale of the field.
response_scatter <- function(problem) {
  data <- problem$data
  if (!is.null(data$output)) return(residual_variances(data))
  if (is_gaussian(problem$family)) beside_known_noise(data, residual_variance(data)) else 0
}

# Values whose variances, or squared loadings, sum to no less than these.
with_variances <- function(values, layout, least) {
  variance <- layout$kind == "variance"
  loading <- layout$kind == "loading"
  if (any(loading)) {
    output <- loading_units(layout, seq_along(least))
    sums <- rowsum(values[loading]^2, output[loading])[, 1L]
    return(values * loading_units(layout, sqrt(pmax(1, least / sums))))
  }
  replace(values, variance, values[variance] * max(1, least / sum(values[variance])))
}

# Parameters from 2,000 rows with 200 fixed points. A start given by the user makes it unnecessary.
subset_start <- function(method, problem, rows = 2000L, points = 200L) {
  n <- count_places(problem$data)
  given <- !anyNA(problem$layout$start[problem$free])
  if (n <= 2L * rows || given || !any(problem$free)) return(problem$start)
  part <- problem
  part$data <- take_places_of_data(problem$data, function(coords) core_order(coords, "random", 3,
    problem$context)[seq_len(rows)])
  positions <- distinct_locations(part$data$coords)
  component <- component_at(problem, problem$start)
  if (nrow(positions) > points) {
    positions <- chosen_positions("kmeans", part$data$coords, positions, points, component,
      problem$context, replicate_columns(problem$locations))
  }
  if_computable(optimize_bound(part, method, problem$start, positions, move = FALSE,
    report = function(...) NULL)$working, problem$start)
}

# ---- the objective -------------------------------------------------------------------------------

bound_at <- function(data, covariance, nugget, positions, method, context, effects = NULL,
                     derivatives = FALSE) {
  checked_bound(bound_over_rows(data, method, context)(covariance, nugget, positions, derivatives,
    effects))
}

# A function of covariance, nugget, positions, whether derivatives are wanted and, of data that have
# them, effects of effects_at().
bound_over_rows <- function(data, method, context) {
  switch(kind_of_rows(data), parts = bound_in_parts, outputs = bound_of_outputs,
    bound_in_memory)(data, method, context)
}

bound_in_memory <- function(data, method, context) {
  columns <- response_columns(data)
  noise_scale <- bound_kl_weight(method) / data$weights
  function(covariance, nugget, positions, derivatives, effects = NULL) {
    bound_of_columns(columns, noise_scale, data, covariance, nugget, positions, method, derivatives,
      context, effects)
  }
}

# Returns the ELBO as a function of working parameters and positions, with its gradient in both.
# `tolerance`: the tolerance of posteriors without a closed form.
bound_objective <- function(problem, method, tolerance = 1e-5) {
  UseMethod("bound_objective", method)
}

#' @export
bound_objective.default <- function(problem, method, tolerance = 1e-5) {
  layout <- problem$layout
  data <- problem$data
  kl_weight <- bound_kl_weight(method)
  wanted <- layout
  # a fixed one as well, for the divergence
  if (kl_weight != 1) wanted$fixed[layout$kind == "nugget"] <- FALSE
  specification <- covariance_specification(wanted, problem$groups)
  bound_at_values <- if (is.null(data$noise)) {
    bound <- bound_over_rows(data, method, problem$context)
    function(covariance, values, positions, effects) {
      bound(covariance, nugget_of(layout, values), positions, TRUE, effects)
    }
  } else bound_of_noise(problem, method)
  function(working, positions) {
    values <- to_core(working, layout$transform)
    effects <- effects_at(problem, values)
    result <- journaled(problem$session, c(working, positions), function() {
      bound_at_values(specified_covariance(specification, values), values, positions, effects)
    }, posterior_apart)
    if (nzchar(result$failure)) return(result)
    result <- with_layout_slopes(result, layout, values, effects)
    if (kl_weight == 1) result else with_kl_weight(result, kl_weight,
      log(2 * pi * nugget_of(layout, values) / data$weights), layout$kind == "nugget")
  }
}

# The fields of the posterior, which nothing reads during the search.
of_posterior <- c("weights", "factor", "effects", "known_trend", "field_response")
posterior_apart <- list(drop = of_posterior, improves = function(result) FALSE)

# The weight c of the divergence: max_q sum E log p - c KL is c times the ELBO F of responses whose
# densities are raised to the power 1/c. A Gaussian density is then one with the noise variance c s
# in place of s. Each row also adds c/2 log(2 pi c s) - 1/2 log(2 pi s). The divergence is minus the
# derivative in c, on which F depends as on the logarithm of the noise. The evidence lower bound of
# the same posterior is value + (c - 1) divergence.
with_kl_weight <- function(bound, weight, log_noise, is_nugget) {
  n <- length(log_noise)
  bound$divergence <- -(bound$value + bound$gradient[is_nugget] + 0.5 * n * (log(weight) + 1) +
    0.5 * sum(log_noise))
  bound$value <- weight * bound$value + 0.5 * n * weight * log(weight) +
    0.5 * (weight - 1) * sum(log_noise)
  bound$gradient <- weight * bound$gradient + ifelse(is_nugget, 0.5 * n * (weight - 1), 0)
  bound$d_inducing <- weight * bound$d_inducing
  bound
}

evidence_bound <- function(method, evaluated) {
  kl_weight <- bound_kl_weight(method)
  if (kl_weight == 1) evaluated$value else evaluated$value + (kl_weight - 1) * evaluated$divergence
}

# ---- positions as free parameters ----------------------------------------------------------------

# Positions in units of the ranges, so that a step means the same for them as for logarithms. On a
# sphere, where a free point stands for that in its direction, the derivative is the part along the
# sphere.
position_chart <- function(problem, positions, component) {
  unit <- range_of_coordinates(component, positions)
  unit[replicate_columns(problem$locations)] <- 1
  spherical <- problem$locations$metric == "longlat"
  earth <- core_embed_longlat(cbind(0, 0))[1L]  # its radius
  shape <- dim(positions)
  radius <- function(free) sqrt(rowSums(free[, 1:3, drop = FALSE]^2))
  list(
    to_free = function(positions) as.vector(sweep(positions, 2L, unit, "/")),
    to_positions = function(free) {
      positions <- sweep(matrix(free, shape[1L]), 2L, unit, "*")
      if (spherical) positions[, 1:3] <- earth * positions[, 1:3] / radius(positions)
      positions
    },
    slope = function(free, d_positions) {
      if (spherical) {
        positions <- sweep(matrix(free, shape[1L]), 2L, unit, "*")
        length <- radius(positions)
        direction <- positions[, 1:3] / length
        along <- d_positions[, 1:3, drop = FALSE]
        d_positions[, 1:3] <- earth / length * (along - direction * rowSums(along * direction))
      }
      as.vector(sweep(d_positions, 2L, unit, "*"))
    }
  )
}

# ---- the optimisation ----------------------------------------------------------------------------

# Ends where the last `patience` evaluations have gained less than `negligible` a row, by default
# 1e-5, or less than 0.02 in all. Optima from other starts differ by more. The optimiser works with
# values per row.
optimize_bound <- function(problem, method, working, positions, move, report, patience = 8L,
                           negligible = 1e-5) {
  objective <- bound_objective(problem, method)
  most <- max_steps(problem)
  n <- row_count(problem$data)
  free <- problem$free
  chart <- position_chart(problem, positions, component_at(problem, working))
  moving <- if (move) as.vector(moving_points(problem, working, positions))
  parameters <- seq_len(sum(free))
  of_positions <- function(x) x[seq_along(x) > length(parameters)]
  at <- function(x) {
    list(working = replace(working, free, x[parameters]),
      positions = if (move) chart$to_positions(of_positions(x)) else positions)
  }
  record <- new_bound_record(n, report, patience, negligible = max(negligible, 0.02 / n),
    accept = function(state) keep_state(problem, state$working, if (move) state$positions))
  state_at <- function(x) {
    record$at(x, function() {
      point <- at(x)
      result <- c(objective(point$working, point$positions), point)
      if (nzchar(result$failure)) return(result)
      result$slope <- c(result$gradient[free], if (move) moving * chart$slope(of_positions(x),
        result$d_inducing))
      result
    })
  }
  start <- c(working[free], if (move) chart$to_free(positions))
  first <- checked_bound(state_at(start))
  if (!has_usable_slope(first)) abort_overflow()
  if (!length(start)) return(record$result("nothing to estimate"))
  room <- function(bound, none) {
    c(problem$bounds[[bound]][free], rep(none, length(start) - length(parameters)))
  }
  arrived <- maximize_recorded(record, state_at, start, room("lower", -Inf), room("upper", Inf),
    most, memory = 20L)
  record$result(if (!arrived)
    sprintf("the ELBO still rose after %d iterations (max_iterations)", most))
}

# A correlation with a cusp gives the ELBO a cusp where a point sits on an observation. It is lower
# on all sides, and a search that follows the slope there ends at once: the point stays. Other
# points may come near an observation, so a search over positions can end below one with fixed
# positions. It therefore begins where that one has ended.
maximize_bound <- function(problem, method, working, positions) {
  search <- function(working, move) {
    optimize_bound(problem, method, working, positions, move, problem$report_bound)
  }
  if (!method$move || !has_cusp(problem, working)) return(search(working, method$move))
  held <- search(working, FALSE)
  add_counts(search(held$working, TRUE), held)
}

# Positions are many more parameters than max_iterations was made for.
max_steps <- function(problem) ceiling(2.5 * problem$control$max_iterations)

# Minus the curvature of the ELBO in the covariance parameters with fixed inducing points, by
# differences of its gradient, and the slope of the trend in these parameters
# (R/trend-uncertainty.R). Without a closed form of the posterior, the gradient contains an error of
# about 1e-5, which a wider step makes harmless.
bound_curvature <- function(problem, reached, step = 1e-4) {
  objective <- bound_objective(problem, problem$method, tolerance = 1e-9)
  parameters <- seq_along(reached$working)
  has_trend <- !is_gaussian(problem$family) && !is_categorical(problem$family)
  trend <- if (has_trend) seq_len(ncol(problem$data$X)) else integer(0)
  gradient_and_trend <- function(working) {
    result <- objective(working, reached$positions)
    if (is.null(result$gradient)) return(rep(NA_real_, length(parameters) + length(trend)))
    c(result$gradient, result$beta[trend])
  }
  slopes <- slopes_by_differences(gradient_and_trend, reached$working, problem$free,
    rep(1, length(parameters)), step)
  list(information = information_of_slopes(slopes[parameters, , drop = FALSE], problem$free),
    trend_slope = slopes[-parameters, , drop = FALSE])
}
