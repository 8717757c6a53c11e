# The fit of a latent model: quasi-Newton on few rows comes near the optimum, Newton's method on all
# of them reaches it. The second derivatives, which the standard errors need anyway, are differences
# of the gradient; one evaluation for each parameter.

# On all rows if they are few or there are few inducing points, else on every tenth. Those are the
# first of the maxmin ordering, which cover the region evenly. An earlier fit's is nearer, and so is
# the optimum of a nested model, for which no coarse round is asked.
rough_optimum <- function(problem, few_rows = 4000L) {
  if (!is.null(problem$warm_start) || problem$control$coarse_k == 0L) {
    return(list(working = problem$start, iterations = 0L, evaluations = 0L))
  }
  problem$control["shards"] <- list(NULL)  # few rows
  if (length(problem$data$y) > few_rows && is.null(problem$inducing)) {
    problem <- tenth_of_rows(problem, few_rows)
  }
  quasi_newton_optimum(problem)
}

tenth_of_rows <- function(problem, few_rows) {
  first_rows(problem, "maxmin", max(few_rows %/% 2L, length(problem$data$y) %/% 10L))
}

quasi_newton_optimum <- function(problem) {
  optimize <- function(objective, working, coarse) {
    quasi_newton(objective, working, problem$free, problem$bounds, problem$control,
      relative_tolerance = 1e-6)
  }
  start <- list(working = problem$start, iterations = 0L, evaluations = 0L)
  optimize_latent(problem, latent_nodes(problem), start, optimize, coarse = TRUE)
}

first_rows <- function(problem, ordering, count) {
  scaled <- break_ties(core_scale(problem$data$coords, component_at(problem, problem$start)),
    problem$context)
  order <- core_order(scaled, ordering, 0, problem$context)
  problem$data <- take_data_rows(problem$data, sort(order[seq_len(count)]))
  problem
}

# `alike`: the state at the optimum of an objective that is much the same.
fit_latent <- function(problem, nodes, rough, alike = NULL) {
  curvature <- alike$curvature
  optimize <- function(objective, working, coarse) {
    state <- optimize_by_newton(problem, objective, working, curvature)
    curvature <<- state$curvature
    state
  }
  optimize_latent(problem, nodes, rough, optimize, coarse = FALSE, alike$objective)
}

# Alternates rounds of an optimiser and searches for neighbours, as all methods do. The posterior
# starts from the best one of the objective `alike`.
optimize_latent <- function(problem, nodes, start, optimize, coarse, alike = NULL) {
  k <- min(problem$method$k, nrow(nodes$coords) - 1L)
  if (k < problem$method$k && !coarse) {
    inform_neargp("k",
      sprintf("k = %d neighbours are more than there are other inducing points; all %d of them are used.",
        problem$method$k, k))
  }
  shards <- if (is_sharded(problem)) new_latent_shards(problem, nodes)
  end <- if (!is.null(alike) && is.null(shards)) packed_end(alike$latent$pointer,
    alike$best_end())
  objective_for <- function(component, k) {
    search <- latent_search(problem, nodes, component, k)
    if (!is.null(shards)) return(latent_shard_objective(problem, nodes, search, shards))
    latent <- latent_problem(problem, nodes, search)
    if (is.null(end)) return(latent_objective(problem, latent))
    become_exact_as(latent$pointer, end)
    latent_objective(problem, latent, end)
  }
  optimize_keeping_objective <- function(objective, working, coarse) {
    c(optimize(objective, working, coarse), list(objective = objective))
  }
  negligible <- if (has_many_parameters(problem) || !is.null(nodes$low_rank))
    negligible_score(problem) else problem$control$refresh_gain
  fit_level(problem, k, coarse, start, objective_for, optimize_keeping_objective, negligible)
}

# Scoring with the observed information, found again wherever the last steps have led far from where
# it was found.
optimize_by_newton <- function(problem, objective, working, curvature, near = 0.1, rounds = 8L) {
  last <- NULL
  evaluate <- function(working, ...) {
    if (!identical(last$at, working)) {
      last <<- list(at = working, evaluated = objective$evaluate(working))
    }
    state <- last$evaluated
    state$information <- curvature$positive
    state
  }
  is_near <- function(working) {
    !is.null(curvature) && all(abs(working - curvature$at)[problem$free] <= near)
  }
  total <- c(gain = 0, iterations = 0, evaluations = 0)
  for (round in seq_len(rounds)) {
    if (round == 1L) check_start(here <- evaluate(working))
    if (!is_near(working)) curvature <- find_curvature(problem, objective, working, here)
    control <- problem$control
    left <- control$max_iterations - total[["iterations"]]
    control$max_iterations <- if (round < rounds) min(left, 6L) else left
    state <- fisher_scoring(list(evaluate = evaluate, n = objective$n, accept = objective$accept,
      session = problem$session), working, problem$free, problem$bounds, control)
    total <- total + unlist(state[names(total)])
    working <- state$working
    here <- state$evaluated
    if (is_near(working) && state$converged ||
        total[["iterations"]] >= problem$control$max_iterations) {
      break
    }
  }
  state[names(total)] <- list(total[["gain"]], as.integer(total[["iterations"]]),
    as.integer(total[["evaluations"]]))
  state$curvature <- curvature
  state
}

# Minus the second derivatives by differences of the gradient. A step that cannot be taken, at the
# edge of what is numerically possible, leaves its parameter without information. `center`: what the
# objective is at `working`. The same differences give the slope of the trend in the parameters, see
# R/trend-uncertainty.R.
find_curvature <- function(problem, objective, working, center, step = 0.02) {
  trend <- seq_len(ncol(problem$data$X))
  information <- matrix(0, length(working), length(working))
  trend_slope <- matrix(0, length(trend), length(working))
  for (a in which(problem$free)) {
    inward <- if (working[a] + step > problem$bounds$upper[a]) -step else step
    shifted <- tryCatch(objective$fit_at(replace(working, a, working[a] + inward), 1e-6,
      derivatives = TRUE), error = function(e) NULL)
    if (!is.null(shifted) && all(is.finite(shifted$gradient))) {
      information[a, ] <- -(shifted$gradient - center$gradient) / inward
      trend_slope[, a] <- (shifted$beta[trend] - center$beta[trend]) / inward
    }
  }
  information <- (information + t(information)) / 2
  list(information = information, positive = positive_information(information, problem$free),
    trend_slope = trend_slope, at = working)
}

# Away from the optimum the second derivatives need not be those of a maximum. Steps take the sizes
# of the eigenvalues, on the scale of unit diagonal and at least 0.001.
positive_information <- function(information, free) {
  own <- information[free, free, drop = FALSE]
  if (!length(own)) return(information)
  scale <- sqrt(pmax(abs(diag(own)), 1e-8))
  parts <- eigen(own / outer(scale, scale), symmetric = TRUE)
  raised <- parts$vectors %*% (pmax(abs(parts$values), 1e-3) * t(parts$vectors))
  information[free, free] <- raised * outer(scale, scale)
  information
}

# For rare events Laplace's evidence often lacks a maximum over trend and covariance. It rises
# towards a field that is white noise of infinite variance, which the approximation does not
# describe. With the trend at the joint mode of field and trend, a maximum exists.
has_endless_variance <- function(problem, result) {
  variance <- problem$free & problem$layout$kind == "variance"
  problem$method$posterior == "laplace" && ncol(problem$data$X) > 0L &&
    any(result$working[variance] >= problem$bounds$upper[variance] - 1e-6)
}

at_joint_mode <- function(problem) {
  inform_neargp("trend",
    c("The evidence of posterior = \"laplace\" rises towards an infinite variance: the trend is at the mode of field and trend instead.",
      i = "Slopes are too small there. Use posterior = \"sparse\"."))
  problem$joint_trend <- TRUE
  result <- fit_by_newton(problem)
  result$posterior$joint_trend <- TRUE
  result
}

# ---- the result ----------------------------------------------------------------------------------

# The state at the optimum, to a finer tolerance than on the way.
latent_result <- function(problem, state) {
  objective <- state$objective
  converged <- if (is_sharded(problem)) objective$converge(state$working) else
    converge_posterior(problem, objective, state$working)
  fitted <- converged$fitted
  at_optimum <- converged$evaluated
  check_trend_posterior(at_optimum$beta_vcov)
  if (has_effects(problem$data)) {
    effects <- effects_at(problem, to_core(state$working, problem$layout$transform))
    at_optimum <- with_latent_effects(at_optimum, problem$data, effects)
    fitted$beta <- at_optimum$beta
  }
  state$evaluated <- c(fitted, at_optimum["beta_vcov"])
  result <- method_result(state, score = latent_score(problem),
    information = state$curvature$information, k = nrow(objective$latent$search$neighbors))
  if (!fitted$converged) {
    result$convergence[c("converged", "message")] <- list(FALSE, "the posterior did not converge")
  }
  result <- with_parameter_uncertainty(with_separation(result, problem), problem,
    state$curvature$trend_slope)
  result$posterior <- latent_posterior(objective$latent, at_optimum, fitted)
  result$posterior$variance_error <- converged$variance_error
  result$posterior$shards <- converged$shards
  result
}

# Where log densities are not concave, as with heavy tails, a stationary point need not be a maximum
# in the trend.
check_trend_posterior <- function(vcov) {
  if (!length(vcov)) return(invisible())
  least <- min(eigen(vcov, symmetric = TRUE, only.values = TRUE)$values)
  if (least > -1e-8 * max(diag(vcov))) return(invisible())
  abort_neargp("posterior",
    c("The posterior of the trend does not exist: the precision of its coefficients is not positive where the search ended.",
      i = "The cause can be few rows for the coefficients, or outliers that leave no process. Use fewer coefficients, or a larger `df` of student_t()."))
}

# With squared-exponential covariances an incomplete factor can be a good preconditioner and still
# have single variances wrong by some percent, and with any covariance a narrow one. Where it does,
# an exact one gives the posterior, if there are few enough inducing points.
converge_posterior <- function(problem, objective, working, tolerated = 0.02, most_points = 5000L) {
  converge <- function(objective) {
    fitted <- objective$fit_at(working, 1e-8, 500L)
    state <- rlang::try_fetch(core_latent_state(objective$latent$pointer, problem$context),
      error = function(condition) abort_posterior(problem$method$jitter, condition))
    list(fitted = fitted, evaluated = state)
  }
  converged <- converge(objective)
  families <- vapply(covariance_at(problem, working)$components, `[[`, "", "family")
  checked <- converged$fitted$restricted || any(families == "gaussian")
  if (converged$fitted$exact || is_mean_field(problem$method) || !checked) return(converged)
  converged$variance_error <- sampled_variance_error(objective$latent$pointer,
    converged$evaluated$node_variance, problem$context)
  too_many <- converged$fitted$restricted || nrow(objective$latent$nodes$coords) > most_points
  if (too_many) check_variance_error(converged$variance_error, converged$fitted$restricted)
  if (converged$variance_error <= tolerated || too_many) return(converged)
  problem$method$factor <- "exact"
  converge(latent_objective(problem, latent_problem(problem, objective$latent$nodes,
    objective$latent$search), objective$best_end()))
}

# Errors above `noticed` are those of intervals that a reader would notice. Above `most` variances
# say nothing. print() reports all.
check_variance_error <- function(error, restricted, noticed = 0.1, most = 1) {
  if (is.finite(error) && error <= noticed) return(invisible())
  extent <- if (is.finite(error)) sprintf("wrong by up to %.3g%%", 100 * error) else "not finite"
  report <- if (is.finite(error) && error <= most) warn_neargp else abort_neargp
  report("cholesky",
    c(sprintf("Variances by the incomplete factor of the posterior's precision are %s.", extent),
      i = sprintf("A larger `%s` of vnngp(), or its factor = \"exact\", makes them right, and so does a rougher covariance.",
        if (restricted) "factor_memory" else "k")))
}

# The largest relative error of the variances of some inducing points, by conjugate gradients.
sampled_variance_error <- function(pointer, variance, context, points = 30L) {
  at <- unique(round(seq(1, length(variance), length.out = points)))
  unit <- matrix(0, length(variance), length(at))
  unit[cbind(at, seq_along(at))] <- 1
  exact <- core_latent_solve(pointer, unit, context)[cbind(at, seq_along(at))]
  max(abs(variance[at] / exact - 1))
}

latent_score <- function(problem) {
  if (has_no_process(problem$covariance) && !has_effects(problem$data)) return("log-likelihood")
  if (problem$method$posterior == "laplace") return("approximate log evidence (Laplace)")
  if (is_mean_field(problem$method)) return("evidence lower bound (mean field)")
  value_for(problem$method, list(default = "log-likelihood",
    method_families = "evidence lower bound"))
}

# All that predictions need, as plain numbers.
latent_posterior <- function(latent, state, fitted) {
  posterior <- list(coords = latent$nodes$coords, node = latent$nodes$node,
    order = latent$search$order, neighbors = as.matrix(latent$search$neighbors),
    component = latent$search$component, mean = state$mean, variance = state$node_variance,
    pseudo_precision = state$pseudo_precision,
    linear_predictor = state$linear_predictor, slope = state$slope,
    field_response = state$field_response, variance_at_data = state$variance,
    variance_given_nodes = state$variance_given_nodes, exact = fitted$exact,
    restricted = fitted$restricted)
  if (!is.null(latent$nodes$low_rank)) {
    posterior[c("low_rank", "unexplained")] <- list(latent$nodes$low_rank, state$unexplained)
  }
  posterior
}
