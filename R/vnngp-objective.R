# What the optimisers see of a latent model: its evidence lower bound (or approximate evidence) with field and trend profiled out, as a
# function of the working parameters of covariance and family.

# Inducing points: `coords`, and `node`, the one that each row sees.
latent_nodes <- function(problem) {
  place <- location_index(problem$data$coords)
  list(coords = problem$data$coords[!duplicated(place), , drop = FALSE], node = place)
}

latent_search <- function(problem, nodes, component, k) {
  scaled <- core_scale(nodes$coords, component)
  ordering <- problem$method$ordering
  order <- if (ordering == "given") seq_len(nrow(scaled)) else {
    core_order(scaled, ordering, if (ordering == "random") order_key() else 0, problem$threads)
  }
  list(order = order, neighbors = core_neighbors_before(scaled, order, k, problem$threads), component = component)
}

latent_problem <- function(problem, nodes, search) {
  data <- problem$data
  release_old_problems(length(search$neighbors))
  pointer <- core_latent(list(coords = nodes$coords, order = search$order, neighbors = search$neighbors, jitter = problem$method$jitter),
    list(node = nodes$node), latent_response(data), problem$method$factor == "exact", problem$threads)
  list(pointer = pointer, nodes = nodes, search = search)
}

latent_response <- function(data) {
  list(y = data$y, trials = data$trials, weights = data$weights, offset = data$offset, design = data$X)
}

latent_objective <- function(problem, latent) {
  layout <- problem$layout
  family <- problem$family
  kind <- problem$method$posterior
  fit_at <- function(working, tolerance = 1e-4) {
    values <- to_core(working, layout$transform)
    core_latent_fit(latent$pointer, as_core_covariance(layout, problem$groups, values), family_core_name(family),
      family_values(family, layout, values), kind, tolerance, 100L, problem$threads)
  }
  evaluate <- function(working, information = FALSE) {
    fit <- tryCatch(fit_at(working), error = function(e) NULL)
    if (is.null(fit) || !is.finite(fit$value)) return(list(value = -Inf, failed = 0L))
    c(fit, failed = 0L)
  }
  gradient <- function(working, beta) {
    layout_gradient(layout, working, core_latent_gradient(latent$pointer, problem$threads))
  }
  values <- to_core(problem$start, layout$transform)
  core_latent_start(latent$pointer, data_linear_predictor(problem$data, family), family_core_name(family), family_values(family, layout, values), problem$threads)
  list(evaluate = evaluate, gradient = gradient, fit_at = fit_at, n = length(problem$data$y), latent = latent)
}

# Parameters of the family on the natural scale, in the order of the core; for a gaussian() response that is the nugget.
family_values <- function(family, layout, values) {
  values[layout$kind == if (family$family == "gaussian") "nugget" else "family"]
}

# From the core's two gradients to one in the working parameters.
layout_gradient <- function(layout, working, parts) {
  values <- to_core(working, layout$transform)
  gradient <- double(length(working))
  gradient[layout$kind != "family"] <- parts$covariance
  of_family <- if (any(layout$kind == "family")) layout$kind == "family" else layout$kind == "nugget" & !(layout$fixed & layout$value %in% 0)
  gradient[of_family] <- parts$likelihood
  core_to_working_slope(layout, values) * gradient
}

# ---- the fit ----------------------------------------------------------------------------------------------------------------------

# The state at the optimum, to a finer tolerance than on the way, and the curvature there.
latent_result <- function(problem, state, method) {
  objective <- state$objective
  fitted <- objective$fit_at(state$working, 1e-6)
  at_optimum <- core_latent_state(objective$latent$pointer, problem$threads)
  information <- latent_information(problem, objective, state$working)
  state$state <- c(fitted, at_optimum[c("beta_vcov")])
  result <- method_result(problem, state, score = latent_score(problem), information = information,
    k = nrow(objective$latent$search$neighbors))
  if (!fitted$converged) {
    result$convergence[c("converged", "message")] <- list(FALSE, "the posterior did not settle")
  }
  result$posterior <- latent_posterior(objective$latent, at_optimum, fitted$exact)
  result
}

latent_score <- function(problem) {
  if (problem$method$posterior == "laplace") return("approximate log evidence (Laplace)")
  if (problem$family$family == "gaussian") "log-likelihood" else "evidence lower bound"
}

# All that predictions need, as plain numbers.
latent_posterior <- function(latent, state, exact) {
  list(coords = latent$nodes$coords, node = latent$nodes$node, order = latent$search$order, neighbors = latent$search$neighbors,
    component = latent$search$component, mean = state$mean, site_precision = state$site_precision,
    field_response = state$field_response, variance_at_data = state$variance, exact = exact)
}

# Minus the second derivatives, by differences of the gradient: one evaluation for each free parameter.
latent_information <- function(problem, objective, working, step = 0.01) {
  slope <- function(at) {
    objective$fit_at(at, 1e-6)
    objective$gradient(at, NULL)
  }
  free <- which(problem$free)
  information <- matrix(0, length(working), length(working))
  centre <- slope(working)
  for (a in free) {
    inward <- if (working[a] + step > problem$bounds$upper[a]) -step else step
    moved <- tryCatch(slope(replace(working, a, working[a] + inward)), error = function(e) NULL)
    if (is.null(moved)) return(NULL)
    information[a, ] <- -(moved - centre) / inward
  }
  objective$fit_at(working, 1e-6)
  (information + t(information)) / 2
}
