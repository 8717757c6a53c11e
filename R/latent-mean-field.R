# The paper's posterior of independent normals at the inducing points, and its stochastic optimiser.
# With optimizer = "natural" the same posterior is found in closed form, by the steps of the sparse
# one (see fit_latent()).

# Adam over moments, covariance, family parameters and trend at once. The trend walks on orthogonal
# columns of unit size, since all parameters move at the same rate.
fit_mean_field <- function(method, problem) {
  warm <- warm_mean_field(method, problem)
  nodes <- latent_nodes(problem)
  if (!is.null(warm)) nodes$coords <- warm$posterior$coords
  k <- min(method$k, nrow(nodes$coords) - 1L)
  component <- component_at(problem, problem$start)
  search <- latent_search(problem, nodes, component, k)
  trend <- orthogonal_trend(problem$data$X)
  response <- latent_response(problem$data)
  response$design <- trend$X
  values <- to_core(problem$start, problem$layout$transform)
  fitted <- run_adam(method, function() {
    core_mean_field_fit(
      list(coords = nodes$coords, order = search$order, neighbors = search$neighbors,
        jitter = method$jitter),
      latent_data(nodes, problem$data$coords, component, method$k, problem$context), response,
      problem_covariance(problem, values), family_core_name(problem$family),
      family_values(problem$family, problem$layout, values),
      mean_field_start(problem, trend, warm), mean_field_settings(method, problem, !is.null(warm)),
      problem$context)
  })
  fitted$beta <- trend$back(fitted$beta)
  nodes$coords <- fitted$coords
  mean_field_result(method, problem, nodes, search, fitted)
}

# The fit to go on from, whose inducing points, drawn or learned, are kept.
warm_mean_field <- function(method, problem) {
  earlier <- problem$warm_start$method
  if (identical(earlier$inducing, method$inducing) &&
      identical(earlier$covariance, method$covariance)) problem$warm_start
}

mean_field_start <- function(problem, trend, warm) {
  if (!is.null(warm)) {
    return(list(beta = trend$coefficients(drop(problem$data$X %*% core_trend(warm)$beta)),
      mean = warm$posterior$mean, variance = warm$posterior$variance,
      root = warm$posterior$root %||% matrix(0, 0L, 0L)))
  }
  list(beta = trend$coefficients(rough_glm(problem$data, problem$family)$eta - problem$data$offset),
    linear_predictor = data_linear_predictor(problem$data, problem$family))
}

# The core's errors report covariance matrices that are singular.
run_adam <- function(method, fit) {
  remedy <- c(i = paste0("A larger jitter or a smaller learning_rate makes the optimisation easier",
    if (inherits(method, "neargp_vnngp") && !is_swsgp(method))
    "; posterior = \"sparse\" needs neither", "."))
  fitted <- tryCatch(fit(), error = function(e) abort_neargp("cholesky",
    c(conditionMessage(e), remedy)))
  if (!is.finite(fitted$value)) {
    abort_neargp("cholesky", c("Adam ended where its objective is not finite.", remedy))
  }
  fitted
}

# Columns of that root mean square that span the same. Their coefficients times `matrix` are those
# of X.
orthogonal_trend <- function(X, size = 1) {
  if (ncol(X) == 0L) {
    return(list(X = X, matrix = diag(0L), back = identity, coefficients = function(eta) double(0)))
  }
  decomposition <- qr(X)
  length <- size * sqrt(nrow(X))
  basis <- qr.Q(decomposition)
  matrix <- backsolve(qr.R(decomposition),
    diag(length, ncol(X)))[order(decomposition$pivot), , drop = FALSE]
  list(X = basis * length, matrix = matrix,
    coefficients = function(eta) drop(crossprod(basis, eta)) / length,
    back = function(beta) drop(matrix %*% beta))
}

mean_field_settings <- function(method, problem, warm_start) {
  unit <- predictor_unit(problem$data, problem$family)
  c(list(prior = if (is_swsgp(method)) "neighborhoods" else "sequential",
    kl_weight = if (is_swsgp(method)) swsgp_kl_weight(method, problem) else 1,
    full = identical(method$covariance, "full"), shared = method$active %||% 0,
    epochs = method$epochs, batch_size = method$batch_size, learning_rate = method$learning_rate,
    key = order_key(), unit = unit, field_unit = held_field_unit(problem, unit),
    warm_start = warm_start, learn = learns_positions(method),
    report = mean_field_reporter(method, problem)), adam_parameters(problem))
}

# Adam's steps are as long as their unit: the linear predictor's is many standard deviations of a
# process whose variance is fixed far below. Returns the unit of that process, else 0.
held_field_unit <- function(problem, unit) {
  variances <- problem$layout$kind == "variance"
  if (any(problem$free[variances])) return(0)
  sd <- sqrt(sum(to_core(problem$start, problem$layout$transform)[variances]))
  if (sd < 1e-3 * unit) sd else 0
}

# The weight that was given, else the geometric mean of the paper's 1 and of that by which each
# point counts once.
swsgp_kl_weight <- function(method, problem) {
  points <- nrow(problem$inducing)
  method$kl_weight %||% sqrt(points / min(method$active %||% method$k, points))
}

# The parameters that Adam moves, those of the covariance and those of the family, to which the
# noise of Gaussian responses belongs.
adam_parameters <- function(problem) {
  layout <- problem$layout
  part <- function(rows, free) {
    list(transform = layout$transform[rows], lower = problem$bounds$lower[rows],
      upper = problem$bounds$upper[rows], free = free[rows])
  }
  list(covariance = part(layout$kind != "family", problem$free & layout$kind != "nugget"),
    family = part(of_family(problem$family, problem$layout), problem$free))
}

values_after_adam <- function(problem, values, fitted) {
  layout <- problem$layout
  of_covariance <- !layout$kind %in% c("nugget", "family")
  values[of_covariance] <- fitted$covariance[of_covariance[layout$kind != "family"]]
  values[of_family(problem$family, problem$layout)] <- fitted$family
  values
}

# Parameters, and positions where they move, at the end of an epoch.
keep_reached <- function(problem, start, reached, positions) {
  transform <- problem$layout$transform
  keep_state(problem, to_working(values_after_adam(problem, to_core(start, transform), reached),
    transform), positions)
}

epochs_message <- function(epochs, skipped) {
  sprintf("ran its %d epochs of Adam%s; there is no test of convergence", epochs,
    if (skipped > 0L) sprintf(", skipping %d steps that overflowed", skipped) else "")
}

learns_positions <- function(method) {
  if (is_swsgp(method)) method$move else isTRUE(method$inducing$learn)
}

# Ten reports in all.
mean_field_reporter <- function(method, problem) {
  step <- max(1L, method$epochs %/% 10L)
  function(epoch, reached) {
    keep_reached(problem, problem$start, reached, if (learns_positions(method)) reached$inducing)
    if (epoch %% step == 0L) problem$report(method$k, epoch, NULL, method$epochs)
  }
}

mean_field_result <- function(method, problem, nodes, search, fitted) {
  layout <- problem$layout
  values <- values_after_adam(problem, to_core(problem$start, layout$transform), fitted)
  working <- to_working(values, layout$transform)
  data <- if (is.null(nodes$node)) list(coords = problem$data$coords,
    neighbors = fitted$data_neighbors) else list(node = nodes$node)
  at_end <- core_mean_field_state(
    list(coords = nodes$coords, order = search$order, neighbors = fitted$neighbors,
      jitter = method$jitter), data,
    latent_response(problem$data), problem_covariance(problem, values),
    family_core_name(problem$family), fitted$family, fitted$beta, fitted$mean,
    node_variance(fitted), fitted$root, problem$context)
  state <- optimizer_result(working, list(value = fitted$value, beta = fitted$beta,
    beta_vcov = at_end$beta_vcov), NA_real_,
    method$epochs, method$epochs, NA, epochs_message(method$epochs, fitted$skipped))
  result <- method_result(state,
    score = if (is_swsgp(method)) "SWSGP objective" else "evidence lower bound (mean field)",
    information = NULL, k = if (is.null(nodes$node)) method$k else nrow(search$neighbors))
  result$posterior <- list(coords = nodes$coords, node = nodes$node, order = search$order,
    neighbors = as.matrix(fitted$neighbors), component = component_at(problem, working),
    mean = fitted$mean, variance = node_variance(fitted),
    root = if (nrow(fitted$root) > 0L) fitted$root, field_response = at_end$field_response,
    pseudo_precision = at_end$pseudo_precision, linear_predictor = at_end$linear_predictor,
    slope = at_end$slope, variance_at_data = at_end$variance,
    variance_given_nodes = at_end$variance_given_nodes, trace = fitted$trace)
  if (any(diag(as.matrix(at_end$beta_vcov)) <= 0)) with_unknown_trend(result) else
    with_separation(result, problem)
}

# ---- the covariance matrix of the posterior ------------------------------------------------------
# It is diagonal, or RR' with the root R, a row for each inducing point.

node_variance <- function(fitted) {
  if (nrow(fitted$root) > 0L) rowSums(fitted$root^2) else fitted$variance
}

times_node_covariance <- function(posterior, x) {
  if (is.null(posterior$root)) posterior$variance * x else
    posterior$root %*% crossprod(posterior$root, x)
}

# Deviations from the posterior mean at the inducing points.
mean_field_draws <- function(posterior, draws) {
  normal <- matrix(stats::rnorm(length(posterior$mean) * draws), ncol = draws)
  if (is.null(posterior$root)) sqrt(posterior$variance) * normal else posterior$root %*% normal
}

# ---- predictions ---------------------------------------------------------------------------------

# Predicts, with b and f the weights and conditional variance given the inducing points near a
# location, b'm and f + sum b^2 s. With a root the variance is f + |R'b|^2. The core forms R'b like
# the answer to the trend.
mean_field_predictor <- function(object, settings) {
  posterior <- object$posterior
  function(coords, X, offset) {
    neighbors <- as.matrix(posterior_neighbors(object, coords, settings))
    nodes <- sort(unique(as.vector(neighbors)))
    columns <- cbind(posterior$mean[nodes], posterior$variance[nodes],
      posterior$field_response[nodes, , drop = FALSE])
    if (!is.null(posterior$root)) {
      columns <- cbind(columns, posterior$root[nodes, , drop = FALSE])
      columns[, 2L] <- 0
    }
    part <- core_mean_field_predict(posterior$coords[nodes, , drop = FALSE], columns,
      object$method$jitter, coords, matrix(match(neighbors, nodes), nrow(neighbors)),
      as_specified(object$core_covariance), settings$context)
    of_trend <- seq_len(ncol(columns) - 2L) <= ncol(posterior$field_response)
    if (!is.null(posterior$root)) {
      part$variance <- part$variance + rowSums(part$response[, !of_trend, drop = FALSE]^2)
      part$response <- part$response[, of_trend, drop = FALSE]
    }
    latent_prediction(object, part, X, offset)
  }
}
