# Comparison of the likelihoods on responses and on the field at the same parameters. Both
# approximate one density. The expectation of either is below that of the exact log-likelihood by its
# divergence from it, so that the higher one is expected to be nearer. Up to `many_locations`, all
# rows are compared. More are compared in windows: the nearest rows of positions spread over the
# data, where rows are as dense as in all data. Two windows of 1,500 rows take 0.05 s of one core.

compared_windows <- c(windows = 2, rows = 1500)

# Whether the likelihood on the field is higher at the optimum on responses.
is_higher_on_field <- function(problem, state) {
  values <- to_core(state$working, problem$layout$transform)
  if (has_inputs(problem$locations) || !is.null(problem$all_rows) ||
      noise_share(problem, values) < least_noise[["compared"]]) {
    return(FALSE)
  }
  gain <- if_computable(if (length(problem$data$y) > many_locations) gain_in_windows(problem, state) else
    value_on_field(problem, state) - state$evaluated$value +
      row_count(problem$data) * log(problem$data$basis$unit %||% 1))
  isTRUE(gain > tolerated_loss[["likelihood"]])
}

# The gain of the likelihood on the field over that on responses, summed over the windows. Both are
# those of the residuals of least squares, since a window need not determine the trend.
gain_in_windows <- function(problem, state) {
  problem$data <- with_residuals(core_data(problem$data))
  sum(vapply(rows_of_windows(problem, component_at(problem, state$working)), function(rows) {
    window <- replace(problem, "data", list(take_data_rows(problem$data, rows)))
    value_on_field(window, state) - value_on_responses(window, state)
  }, 0))
}

with_residuals <- function(data) {
  y <- data$y - data$offset
  if (ncol(data$X)) y <- stats::lm.wfit(data$X, y, data$weights)$residuals
  data$y <- y
  data$offset[] <- 0
  data$X <- data$X[, 0L, drop = FALSE]
  data
}

rows_of_windows <- function(problem, component) {
  coords <- problem$data$coords
  positions <- spread_positions(coords, problem$locations, compared_windows[["windows"]])
  scaled <- core_scale(coords, component)
  lapply(seq_len(nrow(positions)), function(i) {
    center <- drop(core_scale(positions[i, , drop = FALSE], component))
    distance2 <- rowSums(sweep(scaled, 2L, center)^2)
    order(distance2)[seq_len(compared_windows[["rows"]])]
  })
}

value_on_responses <- function(problem, state) {
  method <- problem$method
  objective <- vecchia_objectives(method, problem)(component_at(problem, state$working), method$k, 0)
  objective$evaluate(state$working)$value
}

# The likelihood on the field, in the unit of the data, at the optimum on responses.
value_on_field <- function(problem, state) {
  field <- problem_on_field(problem, state, NULL)
  field$data <- core_data(field$data)
  nodes <- latent_nodes(field)
  k <- min(field$method$k, nrow(nodes$coords) - 1L)
  search <- latent_search(field, nodes, component_at(field, field$start), k)
  latent_objective(field, latent_problem(field, nodes, search))$fit_at(field$start)$value
}
