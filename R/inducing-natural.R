# Inducing points by mini-batches: steps of natural gradients or of Adam for the posterior, and of
# Adam for covariance parameters and positions. The result of natural gradients is only parameters
# and positions, since the best posterior for them given all rows is known.

# A pass in batches gains more than an evaluation over all rows where there are many rows for each
# point and the fit has not begun.
uses_batches <- function(method, problem, points) {
  if (length(several_predictors(method))) return(refuse_batches(method, several_predictors(method)))
  if (trains_network(problem)) return(TRUE)
  switch(method$optimizer, natural = , adam = TRUE, collapsed = FALSE,
    auto = is.null(problem$warm_start) && is.null(problem$data$noise) &&
    length(problem$data$y) > 16 * points && (method$move || any(problem$free)))
}

# The responses of a method whose rows have several linear predictors. Batches use one.
several_predictors <- function(method) {
  responses <- c(neargp_svgp_classes = "classes of more than two levels",
    neargp_svgp_outputs = "several responses")
  responses[names(responses) %in% class(method)]
}

refuse_batches <- function(method, response) {
  if (!method$optimizer %in% c("natural", "adam")) return(FALSE)
  abort_neargp("method", c(sprintf("optimizer = \"%s\" is not for %s.", method$optimizer, response),
    i = "Leave `optimizer` out: all observations are used at once."))
}

batch_epochs <- function(method) method$epochs %||% (if (method$optimizer == "auto") 20L else 100L)

# Working parameters, positions and, of Adam, the posterior at the end of the epochs.
fit_by_batches <- function(problem, method, working, positions) {
  layout <- problem$layout
  values <- to_core(working, layout$transform)
  if (method$move) {
    chart <- position_chart(problem, positions, component_at(problem, working))
    positions <- chart$to_positions(chart$to_free(positions))
  }
  response <- batch_response(problem)
  family <- family_core_name(problem$family)
  parameters <- family_values(problem$family, layout, values)
  start <- core_family_start(rows_in_batches(problem$method, problem)$suggested(), response, family,
    parameters, problem$context)
  settings <- batch_settings(problem, method, working)
  piece <- function(until, before) {
    core_batch_fit(batch_coords(problem), response, positions, problem_covariance(problem, values),
      family, parameters, start, problem$warm_start$svgp$moments, trained_network(problem),
      c(settings, until = until), before, problem$context)
  }
  fitted <- run_adam(method, function() {
    fit_in_pieces(problem$session, batch_epochs(method), piece)
  })
  list(working = to_working(values_after_adam(problem, values, fitted), layout$transform),
    positions = fitted$inducing, trace = fitted$trace, skipped = fitted$skipped,
    posterior = fitted$posterior, network = with_weights(trained_network(problem), fitted$weights))
}

# Epoch by epoch, where a checkpoint is kept, else in one piece.
fit_in_pieces <- function(session, epochs, piece) {
  in_stage(session, "batches", function(stage) {
    left <- stage$state %||% list(done = 0L)
    for (until in if (stage$kept) seq_len(epochs) else epochs) {
      if (until <= left$done) next
      left <- list(done = until, fitted = piece(until, left$fitted$memory))
      stage$keep(left)
    }
    left$fitted
  })
}

# The rows in the form for batches: the response, the columns of the trend, and the unit in which
# the linear predictor moves. `suggested` is a function that returns the linear predictors which the
# responses suggest. A Gaussian response is in the unit of the problem.
rows_in_batches <- function(method, problem) {
  UseMethod("rows_in_batches")
}

#' @export
rows_in_batches.default <- function(method, problem) {
  data <- problem$data
  columns <- response_columns(data)
  list(response = list(y = columns[, 1L], trials = NULL, weights = data$weights,
    offset = double(length(data$y))), X = columns[, -1L, drop = FALSE], unit = 1,
    suggested = function() columns[, 1L])
}

batch_response <- function(problem) {
  response <- rows_in_batches(problem$method, problem)$response
  response$design <- batch_trend(problem)$X
  response
}

# Columns of the trend are scaled to the size of the features of the field, since Adam moves the
# coefficients of both by the same steps.
batch_trend <- function(problem) {
  rows <- rows_in_batches(problem$method, problem)
  orthogonal_trend(rows$X, rows$unit)
}

# Positions move in units of the ranges; in those of the data where a coordinate barely matters and
# its range is far longer. They do not leave the levels of replicates.
unit_of_moves <- function(problem, component) {
  coords <- problem$data$coords
  unit <- pmin(range_of_coordinates(component, coords), apply(coords, 2L, stats::sd))
  replace(unit, replicate_columns(problem$locations), 0)
}

batch_settings <- function(problem, method, working) {
  component <- component_at(problem, working)
  c(list(moves = if (method$optimizer == "adam") "adam" else "natural", score = row_score(method),
    kl_weight = row_kl_weight(method), bound = method$bound, jitter = method$jitter,
    epochs = batch_epochs(method), batch_size = method$batch_size,
    learning_rate = method$learning_rate, goes_on = !is.null(problem$warm_start$svgp$moments),
    natural_rate = method$natural_rate, key = if (method$optimizer == "auto") 4 else order_key(),
    position_unit = if (method$move) unit_of_moves(problem, component) else double(0),
    spherical = problem$locations$metric == "longlat",
    weight_decay = trained_network(problem)$decay %||% 0,
    report = function(epoch, reached) {
      keep_reached(problem, working, reached, if (method$move) reached$inducing)
      problem$report_bound(epoch, reached$value, unit = "epochs", of = batch_epochs(method))
    }), adam_parameters(problem))
}

# The criterion of the rows in batches. In the first of two stages of ppgpr() it is the ELBO.
row_score <- function(method) if (is_joint(method)) "predictive" else "expected"

row_kl_weight <- function(method) {
  if (is_joint(method)) method$kl_weight else bound_kl_weight(method)
}

# A fit that ends with its epochs, at the best posterior.
batch_result <- function(problem, method, reached) {
  evaluated <- checked_bound(bound_objective(problem, method)(reached$working, reached$positions))
  epochs <- batch_epochs(method)
  list(working = reached$working, positions = reached$positions, evaluated = evaluated,
    iterations = epochs, evaluations = epochs,
    converged = NA, message = epochs_message(epochs, reached$skipped))
}

# A fit that goes on over all rows as long as thirty evaluations gain more than 0.005 a row. Three
# times as much ends searches too early: the log score of kin40k is then worse by 0.06, in half the
# time (bench/svgp-stopping.R). A third as much takes up to four times as long. A fit whose ELBO
# still rises slowly has not failed.
fit_after_batches <- function(problem, method, reached) {
  result <- optimize_bound(problem, method, reached$working, reached$positions, method$move,
    problem$report_bound, patience = 30L, negligible = 0.005)
  if (!result$converged) return(result)
  result$converged <- NA
  result$message <- sprintf(
    "ran its %d epochs of mini-batches and %d evaluations, until thirty gained less than 0.005 a row: update(fit, start = fit) goes on",
    batch_epochs(method), result$evaluations)
  result
}
