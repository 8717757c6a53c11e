# Fitting several outputs. The objectives are those of one output over the rows of all, with
# conditioning sets of their own (outputs-neighbors.R). All of them are maximised by quasi-Newton on
# exact gradients: loadings have signs, and a Fisher scoring for them would cost a triangular solve
# for each.

# A method that fits several outputs says so, and has a fit_method() of class neargp_<name>_outputs.
takes_outputs <- function(method) {
  UseMethod("takes_outputs")
}

#' @export
takes_outputs.default <- function(method) FALSE

#' @export
takes_outputs.neargp_loo_k <- function(method) TRUE

#' @export
takes_outputs.neargp_mll_k <- function(method) TRUE

#' @export
takes_outputs.neargp_vecchia <- function(method) TRUE

#' @export
takes_outputs.neargp_exact_gp <- function(method) TRUE

check_outputs_method <- function(method) {
  check_restricted_outputs(method)
  if (takes_outputs(method)) return(invisible())
  abort_neargp("method", c(sprintf("%s cannot fit several outputs.", method$label),
    i = "Use vecchia(), svgp(), dspp(), loo_k(), mll_k() or exact_gp()."))
}

#' @export
fit_method.neargp_loo_k_outputs <- function(method, problem) {
  if (method$optimizer == "adam") {
    abort_argument("optimizer", "\"bfgs\" or \"auto\" for several outputs", "adam")
  }
  table <- function(component, k, k_other) {
    neighbors_of_outputs(problem$data, component, k, k_other, method$leave_out %||% "location",
      problem$threads)
  }
  fit_neighbor_score(method, problem, function(table) local_objective(problem, table), table,
    "leave-one-out log score")
}

#' @export
fit_method.neargp_mll_k_outputs <- function(method, problem) {
  table <- function(component, k, k_other) {
    neighbors_of_outputs(problem$data, component, k, k_other, "row", problem$threads)
  }
  fit_neighbor_score(method, problem, function(table) joint_objective(problem, table), table,
    "neighbourhood score")
}

fit_neighbor_score <- function(method, problem, objective, table, score) {
  objective_for <- function(component, k) {
    objective(table(component, k, k_other_of(method, k, length(problem$data$outputs))))
  }
  state <- fit_with_neighbors(problem, method$k, objective_for,
    with_single_precision(problem, outputs_optimizer(problem)), negligible_score(problem))
  state <- with_fresh_neighbors(problem, state, objective_for, method$k)
  result <- method_result(state, score = score, information = NULL, k = method$k)
  k_other <- k_other_of(method, method$k, length(problem$data$outputs))
  with_gls_trend(problem, result, neighbors_before_of_outputs(problem$data,
    component_at(problem, result$working), result$k, k_other, "maxmin", 0, problem$threads))
}

#' @export
fit_method.neargp_vecchia_outputs <- function(method, problem) {
  key <- if (method$ordering == "random") order_key() else 0
  objective_for <- function(component, k) {
    local_objective(problem, neighbors_before_of_outputs(problem$data, component, k,
      k_other_of(method, k, length(problem$data$outputs)), method$ordering, key, problem$threads))
  }
  state <- fit_with_neighbors(problem, method$k, objective_for,
    with_single_precision(problem, outputs_optimizer(problem)))
  objective <- objective_for(component_at(problem, state$working), method$k)
  state$evaluated <- objective$evaluate(state$working)
  information <- observed_information(objective, state, problem)
  method_result(state, score = "log-likelihood", information = information, k = method$k)
}

#' @export
fit_method.neargp_exact_gp_outputs <- function(method, problem) {
  check_exact_size(method, problem)
  objective <- exact_outputs_objective(problem)
  state <- outputs_optimizer(problem)(objective, problem$start, FALSE)
  method_result(state, score = "log-likelihood", information = observed_information(objective,
    state, problem))
}

exact_outputs_objective <- function(problem) {
  data <- problem$data
  columns <- response_columns(data)
  new_objective(problem, n = length(data$y),
    parts = function(covariance, nugget, information) {
      core_exact(data$coords, columns, 1 / data$weights, covariance, nugget, information,
        problem$threads, data$output)
    },
    adjoint = function(covariance, nugget, beta) {
      core_exact_gradient(data$coords, columns, 1 / data$weights, covariance, nugget, beta,
        problem$threads, data$output)
    })
}

# Loadings are looked for in units of their outputs' standard deviations, nuggets as shares of their
# variances, and tolerances count from the log density per row of white noise with these (less a
# constant): nothing of it depends on the user's units.
outputs_optimizer <- function(problem) {
  scales <- loading_scales(problem)
  log_variances <- log(residual_variances(problem$data))
  origins <- replace(double(length(scales)), problem$layout$kind == "nugget", log_variances)
  level <- -0.5 * mean(log_variances[problem$data$output])
  function(objective, working, coarse) {
    quasi_newton_in_units(objective, working, scales, problem$free, problem$bounds, problem$control,
      relative_tolerance = max(if (coarse) 1e-5 else 1e-8, resolution_of(objective) / objective$n),
      origin = origins, level = level)
  }
}

# Minus the second derivatives of the profile log-likelihood, by central differences of its exact
# gradient: the expected information would need a triangular solve for each loading and row.
observed_information <- function(objective, state, problem, step = 1e-4) {
  information_by_differences(function(working) objective$gradient(working,
    objective$evaluate(working)$beta), state$working, problem$free, loading_scales(problem), step)
}

# Minus the matrix of second derivatives, by central differences of a gradient in steps of so many
# `scales`; zeros where it has none. Given the gradient `at` the parameters, by differences from
# that, in half the time.
information_by_differences <- function(gradient, working, free, scales, step = 1e-4, at = NULL) {
  free <- which(free)
  gradient_at <- function(working) gradient(working)[free]
  hessian <- matrix(NA_real_, length(free), length(free))
  for (a in seq_along(free)) {
    shift <- replace(double(length(scales)), free[a], step * scales[free[a]])
    hessian[, a] <- if (is.null(at)) (gradient_at(working + shift) - gradient_at(working - shift)) /
      (2 * step * scales[free[a]]) else
      (gradient_at(working + shift) - at[free]) / (step * scales[free[a]])
  }
  information <- matrix(0, length(scales), length(scales))
  if (all(is.finite(hessian))) information[free, free] <- -(hessian + t(hessian)) / 2
  information
}

# Checks as check_problem() does. Of an output that is known in fewer than k rows all are
# neighbours.
check_outputs_problem <- function(problem, frame) {
  check_outputs_method(problem$method)
  check_locations(problem$data$coords, problem$covariance, problem$locations,
    flat_allowed = allows_flat_places(problem$method))
  data <- problem$data
  check_k(problem$method, max(tabulate(data$output, length(data$outputs))))
  without_noise <- which(problem$layout$value[problem$layout$kind == "nugget"] %in% 0)
  for (p in without_noise) {
    own <- which(data$output == p)
    duplicated <- duplicated_locations(data$coords[own, , drop = FALSE])
    if (length(duplicated)) {
      abort_neargp("duplicates", c(
        paste0("With nugget = 0 no two rows may have the same location, but ",
          format_rows(original_rows(frame, data$place[own[duplicated]])), " do."),
        i = "Estimate the nugget (nugget = NULL), fix a positive one, or average the duplicates."))
    }
  }
}
