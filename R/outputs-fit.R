# Fitting several responses. The objectives are those of one output over the rows of all, with
# conditioning sets of their own (outputs-neighbors.R). All of them are maximised by quasi-Newton on
# exact gradients. Fisher scoring is not used: loadings have signs, and it would cost a triangular
# solve for each of them.

check_outputs_method <- function(method) {
  check_restricted_outputs(method)
  if (has_ability(method, "outputs")) return(invisible())
  abort_neargp("method", c(sprintf("%s cannot fit several responses.", method$label),
    i = sprintf("Use %s.", able_methods("outputs", "or"))))
}

#' @export
fit_method.neargp_vecchia_outputs <- function(method, problem) {
  check_blocks(problem)
  refuse_adam(method, "for several responses")
  key <- if (method$ordering == "random") order_key() else 0
  objective_for <- function(component, k) {
    local_objective(problem, neighbors_before(problem, component, k, method$ordering, key))
  }
  optimize <- with_single_precision(problem, outputs_optimizer(problem))
  begun <- with_best_start(problem, method$k, objective_for, optimize)
  problem <- begun$problem
  state <- add_counts(fit_with_neighbors(problem, method$k, objective_for, optimize), begun)
  objective <- objective_for(component_at(problem, state$working), method$k)
  state$evaluated <- objective$evaluate(state$working)
  information <- observed_information(objective, state, problem)
  method_result(state, score = "log-likelihood", information = information, k = method$k)
}

#' @export
fit_method.neargp_exact_gp_outputs <- function(method, problem) {
  check_exact_size(method, problem)
  objective <- exact_outputs_objective(problem)
  optimize <- outputs_optimizer(problem)
  begun <- with_best_start(problem, Inf, function(component, k) objective,
    function(objective, working, coarse) optimize(objective, working, FALSE))
  state <- add_counts(optimize(objective, begun$problem$start, FALSE), begun)
  method_result(state, score = "log-likelihood", information = observed_information(objective,
    state, problem))
}

exact_outputs_objective <- function(problem) {
  data <- problem$data
  columns <- response_columns(data)
  new_objective(problem,
    parts = function(covariance, nugget, information, context) {
      core_exact(data$coords, columns, 1 / data$weights, covariance, nugget, information,
        context, data$output)
    },
    adjoint = function(covariance, nugget, beta, context) {
      core_exact_gradient(data$coords, columns, 1 / data$weights, covariance, nugget, beta,
        context, data$output)
    })
}

# Loadings are searched in units of their outputs' standard deviations, nuggets as shares of their
# variances. Tolerances count from the log density per row of white noise with these variances (less
# a constant). Nothing therefore depends on the user's units.
outputs_optimizer <- function(problem) {
  scales <- loading_scales(problem)
  observed <- observations_of(problem)
  log_variances <- log(residual_variances(observed))
  origins <- replace(double(length(scales)), problem$layout$kind == "nugget", log_variances)
  level <- -0.5 * mean(log_variances[observed$output])
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

# ---- starting values -----------------------------------------------------------------------------

# Starts of each output by itself, brought together. The grid search of an output gives its variance
# in each structure, its ranges and its nugget. Ranges are averaged over the outputs. The
# correlations of the structures are those of the residuals at shared locations.
outputs_start <- function(problem) {
  variances <- residual_variances(problem$data)
  problem$bounds <- outputs_bounds(problem, variances)
  values <- start_values_of_outputs(problem, variances)
  layout <- problem$layout
  given <- ifelse(layout$fixed, layout$value, layout$start)
  values[!is.na(given)] <- given[!is.na(given)]
  problem$start <- clamp(to_working(values, layout$transform), problem$bounds, problem$free)
  problem$further_starts <- noisy_starts(problem, variances)
  problem
}

# With fewer factors than outputs, an output whose nugget begins near 0 takes a factor for itself.
# The search may therefore also begin where a `share` of the variance of each output is noise.
noisy_starts <- function(problem, variances, share = 0.3) {
  layout <- problem$layout
  count <- length(variances)
  ranks <- tabulate(layout$component[layout$kind == "loading"]) / count
  open <- layout$kind == "nugget" & problem$free & is.na(layout$start)
  if (!any(open) || all(ranks == 0 | ranks == count)) return(list())
  start <- problem$start
  start[layout$kind == "nugget"] <- log(share * variances)
  list(clamp(replace(problem$start, open, start[open]), problem$bounds, problem$free))
}

# Residuals of each output's least squares trend.
trend_residual_matrix <- function(data) {
  residuals <- data$y - base_mean(data)
  for (p in seq_along(data$outputs)) {
    own <- data$output == p
    X <- own_columns(data, p)
    if (ncol(X)) residuals[own] <- stats::lm.wfit(X, residuals[own], data$weights[own])$residuals
  }
  output_matrix(data, residuals)
}

residual_variances <- function(data) {
  weights <- output_matrix(data, data$weights)
  colSums(weights * trend_residual_matrix(data)^2, na.rm = TRUE) / colSums(weights, na.rm = TRUE)
}

outputs_bounds <- function(problem, variances) {
  layout <- problem$layout
  bounds <- working_bounds(problem, 1)
  nugget <- layout$kind == "nugget"
  bounds[c("lower", "upper")] <- Map(function(bound, share) replace(bound, nugget,
    log(variances * share)), bounds[c("lower", "upper")], nugget_bounds(problem$data$weights))
  loading <- layout$kind == "loading"
  bounds$upper[loading] <- 100 * loading_scales(problem)[loading]
  bounds$lower[loading] <- -bounds$upper[loading]
  bounds
}

# The unit in which each parameter is searched: for loadings the standard deviation of their output,
# else 1.
loading_scales <- function(problem) {
  loading_units(problem$layout, sqrt(residual_variances(observations_of(problem))))
}

# The unit of a parameter's output where it is a loading, else 1. `units`: of the outputs.
loading_units <- function(layout, units) {
  factor <- rep(1, nrow(layout))
  for (j in unique(layout$component[layout$kind == "loading"])) {
    own <- which(layout$kind == "loading" & layout$component == j)
    factor[own] <- rep(units, each = length(own) / length(units))
  }
  factor
}

start_values_of_outputs <- function(problem, variances) {
  layout <- problem$layout
  singles <- lapply(seq_along(variances), function(p) single_output_start(problem, p, variances[p]))
  values <- rep(NA_real_, nrow(layout))
  correlation <- residual_correlation(problem$data)
  for (j in seq_along(problem$groups)) {
    of_component <- function(single, kinds) {
      single$values[single$layout$component %in% j & single$layout$kind %in% kinds]
    }
    own <- layout$component %in% j
    deviations <- sqrt(vapply(singles, of_component, 0, "variance"))
    rank <- sum(own & layout$kind == "loading") / length(variances)
    values[own & layout$kind ==
      "loading"] <- as.vector(t(loadings_of(correlation * outer(deviations, deviations), rank)))
    for (kind in intersect(c("range", "shape"), layout$kind[own])) {
      logs <- vapply(singles, function(single) log(of_component(single, kind)),
        double(sum(own & layout$kind == kind)))
      values[own & layout$kind == kind] <- exp(rowMeans(matrix(logs, ncol = length(singles))))
    }
    values[own & layout$kind %in% axes_kinds] <- rowMeans(matrix(vapply(singles, of_component,
      double(sum(own & layout$kind %in% axes_kinds)), axes_kinds), ncol = length(singles)))
  }
  values[layout$kind == "nugget"] <- vapply(singles,
    function(single) single$values[single$layout$kind == "nugget"], 0)
  values
}

single_output_start <- function(problem, p, variance) {
  single <- problem
  single$data <- with_trend_basis(data_of_output(problem$data, p))
  nugget <- problem$layout$value[problem$layout$kind == "nugget"][p]
  single$layout <- new_layout(structure(problem$covariance["components"],
    class = "neargp_covariance"), if (!is.na(nugget)) nugget, problem$locations)
  list(layout = single$layout, values = to_core(start_working(problem_at_locations(single),
    variance), single$layout$transform))
}

# Shrunk towards none: where few locations are shared, the sample correlations are rough, and need
# not form a covariance matrix.
residual_correlation <- function(data) {
  residuals <- trend_residual_matrix(data)
  shared <- crossprod(!is.na(residuals))
  correlation <- suppressWarnings(stats::cor(residuals, use = "pairwise.complete.obs"))
  correlation[is.na(correlation) | shared < 10] <- 0
  correlation <- 0.9 * correlation
  diag(correlation) <- 1
  least <- min(eigen(correlation, symmetric = TRUE, only.values = TRUE)$values)
  if (least < 0.05) {
    correlation <- (correlation + (0.05 - least) * diag(nrow(correlation))) / (1.05 - least)
  }
  correlation
}
