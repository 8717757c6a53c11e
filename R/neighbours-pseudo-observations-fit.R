# Fits of loo_k() to responses that are neither Gaussian nor classes. Parameters are estimated by
# the leave-one-out log score, from pseudo-observations (R/neighbours-pseudo-observations.R).

#' @export
method_layout.neargp_loo_k_families <- function(method, layout, settings) {
  with_family_parameters(layout, settings$family)
}

#' @export
with_start.neargp_loo_k_families <- function(method, problem) {
  with_core_start(problem, with_pseudo_observation_start)
}

#' @export
complete_fit.neargp_loo_k_families <- function(method, fit, result, context) {
  family <- fit$layout$kind == "family"
  values <- to_core(result$working, fit$layout$transform)
  fit$family_parameters <- stats::setNames(values[family], fit$layout$name[family])
  fit$pseudo_observations <- result$pseudo_observations
  fit
}

#' @export
fit_method.neargp_loo_k_families <- function(method, problem) {
  check_pseudo_observation_method(method, problem)
  given <- problem$data
  problem$data <- core_data(given)
  problem <- pseudo_observation_problem(method, problem)
  if (is_sharded(problem)) problem <- with_scores_in_shards(problem, given$basis)
  state <- maximize_pseudo_observation_score(method, problem, pseudo_observation_start(problem))
  problem <- state$problem
  known <- pseudo_observation_parameters(problem, state$theta)
  known$component <- metric_component(as_core_covariance(problem$layout, problem$groups,
    known$values))
  design <- problem$loo$design
  known$beta <- drop(unscaled_trend(design, design$rotation %*% matrix(known$beta)))
  scored <- score_of_all(problem, state$theta, method$k)
  fitted <- if (is_sharded(problem)) held_pseudo_observations else fitted_pseudo_observations
  pseudo_observations <- fitted(given, problem, known)
  with_separation(list(working = split_pseudo_observation_theta(problem, state$theta)$working,
    beta = known$beta,
    beta_vcov = problem$loo$scoring$trend_covariance(problem, pseudo_observations, known, method$k),
    information = NULL, value = scored$value, score = paste0("leave-one-out log score",
      sample_note(scored$rows)), k = method$k,
    convergence = state$convergence, pseudo_observations = pseudo_observations), problem,
    trend_noise(problem$family, known$family))
}

# Pseudo-observations depend on the family's parameter. To optimise with fixed pseudo-observations
# and then renew them may end far from the optimum: pseudo-observations with Poisson noise make
# overdispersed counts look like Poisson counts. The search over that parameter therefore renews the
# pseudo-observations at each value, and takes the best score over all other parameters. A value
# without pseudo-observations or without a score counts as worse than any other, by a number that
# does not overflow the parabolas of stats::optimize(). At the first value an error ends the fit.
maximize_pseudo_observation_score <- function(method, problem, theta) {
  own <- which(problem$layout$kind == "family" & problem$free[seq_len(nrow(problem$layout))])
  if (length(own) != 1L || has_gamma_variables(problem$family) || uses_adam(method, problem)) {
    return(maximize_score(method, problem, theta))
  }
  problem$free[own] <- FALSE
  best <- list(theta = theta, score = -Inf)
  iterations <- 0L
  optimize_at <- function(working) {
    theta <- replace(best$theta, own, working)
    problem <- problem$loo$scoring$refresh(problem, theta)
    state <- score_pass(method, problem, theta)
    iterations <<- iterations + state$convergence$iterations
    working <- split_pseudo_observation_theta(problem, state$theta)$working
    c(state, list(problem = problem, score = score_of_all(problem, state$theta,
      method$k)$value - scale_penalty(problem, working)))
  }
  score_at <- function(working) {
    result <- if (is.finite(best$score)) if_computable(optimize_at(working),
      list(score = -1e100)) else optimize_at(working)
    if (result$score > best$score) best <<- result
    result$score
  }
  bracket <- bracket_maximum(score_at, theta[own], problem$bounds$lower[own],
    problem$bounds$upper[own])
  stats::optimize(score_at, bracket, maximum = TRUE, tol = 0.05)
  best$convergence$iterations <- iterations
  best
}

# An interval that contains the maximum of `f`. It is found by steps of 1, 2, 4, ... uphill from
# `start`, until f falls or gains less than 0.01.
bracket_maximum <- function(f, start, lower, upper) {
  within <- function(x) min(max(x, lower), upper)
  start <- within(start)   # that of an earlier fit may lie outside of the bounds of this one
  # the same point twice could rise: a fit of it starts warm from the other
  side <- if (start < upper) 1 else -1
  at <- c(start, within(start + side))
  value <- c(f(at[1L]), f(at[2L]))
  rises <- value[2L] > value[1L]
  if (!rises) at <- rev(at)
  value <- max(value)
  step <- if (rises) 2 * side else -side
  repeat {
    ahead <- within(at[2L] + step)
    if (ahead == at[2L] || (value_ahead <- f(ahead)) <= value + 0.01) return(range(at[1L], ahead))
    at <- c(at[2L], ahead)
    value <- value_ahead
    step <- 2 * step
  }
}

# The data that predictions need. `of_rows`: the pseudo-observation of each row. `locations`: their
# aggregates at distinct locations, in the core's columns. `data`: these aggregates as data of a
# Gaussian response, with the user's columns and their basis, like the data of all fits. For
# Student's t, `row_weights` are the weights times the gamma variables. Given these, rows are
# Gaussian and can be averaged at locations.
fitted_pseudo_observations <- function(data, problem, known) {
  gamma <- has_gamma_variables(problem$family)
  aggregated <- function(X) {
    aggregate_by_location(data, X, problem$loo$pseudo_observations, problem$loo$location_index,
      observation_counts(data, problem$family))
  }
  result <- list(of_rows = problem$loo$pseudo_observations, locations = aggregated(problem$data$X),
    data = c(locations_as_data(aggregated(data$X)), data["basis"]), bias = known$bias)
  if (gamma) {
    result$row_weights <- data$weights * row_gamma_variables(problem$data, known, problem$method$k,
      problem$context)
    result$data <- at_locations(replace(result$data, "weights", list(result$row_weights)))
  }
  result
}

check_pseudo_observation_method <- function(method, problem) {
  if (method$estimator != "auto") {
    abort_argument("estimator", sprintf("\"auto\" for %s response, for which there is one estimator",
      with_article(problem$family)), method$estimator)
  }
  nugget <- problem$layout$value[problem$layout$kind == "nugget"]
  if (identical(nugget, 0)) {
    abort_argument("nugget",
      "NULL or greater than 0: it multiplies the variances of pseudo-observations", 0)
  }
  if (!response_family(problem$family)$scaled && is.null(problem$data$stream)) {
    check_whole_weights(problem$data$weights)
    warn_of_copies(problem$data)
  }
}

# `rows`: their numbers.
check_whole_weights <- function(weights, rows = seq_along(weights)) {
  wrong <- rows[weights != round(weights)]
  if (length(wrong)) {
    abort_neargp("weights",
      c("Weights are numbers of equal observations here, so they must be whole.",
        x = paste0("They are not in ", format_rows(wrong), " of those that are fitted.")))
  }
}

# Student's t needs no pseudo-observations: its rows are neighbours themselves, each with gamma
# variables.
pseudo_observation_problem <- function(method, problem) {
  data <- problem$data
  index <- if (has_gamma_variables(problem$family)) seq_along(data$y) else
    location_index(data$coords)
  problem$loo <- new_leave_one_out(orthogonal_design(data$X), max(index), index)
  if (is.null(data$stream)) check_location_count(problem$loo$distinct, method$k)
  problem$loo$links <- list(lower = rep(-Inf, ncol(data$X)), upper = rep(Inf, ncol(data$X)))
  problem$loo$observations <- pseudo_observation_rows(problem, seq_along(data$y))
  problem$loo$scoring <- list(plan = pseudo_observation_plan,
    objective = pseudo_observation_objective, observations = pseudo_observation_rows,
    take_rows = take_pseudo_observation_rows, refresh = with_pseudo_observations,
    count = function(problem) sum(observation_counts(problem$data, problem$family)),
    trend_covariance = pseudo_observation_trend_covariance,
    unit = predictor_unit(data, problem$family),
    passes = if (any(problem$layout$kind == "family" & problem$free[seq_len(nrow(problem$layout))]))
    8L else 1L)
  problem
}

# Orthogonal columns. One of them is constant wherever the trend contains a constant, whether the
# formula writes it as an intercept or as one coefficient for each level. The bias is estimated in
# place of its coefficient. Coefficients of the columns of scaled_design() are `rotation` times
# those of these columns.
orthogonal_design <- function(X) {
  design <- scaled_design(X)
  q <- ncol(X)
  design$rotation <- diag(q)
  share <- colMeans(design$X)
  if (length(design$intercept) || !(abs(sum(share^2) - 1) < 1e-12)) return(design)
  design$rotation <- qr.Q(qr(cbind(share, diag(q))))
  design$rotation[, 1L] <- share
  design$X <- structure(design$X %*% design$rotation, dimnames = dimnames(design$X))
  design$intercept <- 1L
  design
}

pseudo_observation_rows <- function(problem, rows) {
  list(row = rows, location_index = problem$loo$location_index[rows])
}

take_pseudo_observation_rows <- function(problem, rows) {
  problem$data <- take_data_rows(problem$data, rows)
  problem$loo$design$X <- problem$loo$design$X[rows, , drop = FALSE]
  problem$loo$location_index <- match(problem$loo$location_index[rows],
    unique(problem$loo$location_index[rows]))
  problem$loo$known <- NULL  # to be made again
  problem
}

# Makes pseudo-observations, and the prior they come from, at the family's parameters in theta,
# unless these have barely moved. Shards make the pseudo-observations of their own rows.
with_pseudo_observations <- function(problem, theta) {
  problem$loo$reference <- theta
  parameters <- to_core(theta[seq_len(nrow(problem$layout))],
    problem$layout$transform)[problem$layout$kind == "family"]
  known <- problem$loo$known
  if (!is.null(known) && all(abs(log(parameters / known)) < 0.02)) return(problem)
  problem$loo$marginal <- if (has_gamma_variables(problem$family)) problem$loo$marginal %||%
    list(beta = robust_coefficients(problem)) else
    marginal_prior(problem$data, problem$loo$design$X, problem$family, parameters, problem$context)
  if (!is_sharded(problem)) problem <- with_rows_observed(problem, parameters)
  problem$loo$known <- parameters
  problem
}

# `numbers`: the numbers of the rows, by which errors name them.
with_rows_observed <- function(problem, parameters = problem$loo$known,
                               numbers = seq_along(problem$data$y)) {
  data <- problem$data
  X <- problem$loo$design$X
  problem$loo$pseudo_observations <- if (has_gamma_variables(problem$family)) list(mean = data$y,
    precision = data$weights) else response_pseudo_observations(data, X, problem$family, parameters,
    problem$loo$marginal, problem$context, numbers)
  problem$loo$distinct_locations <- aggregate_by_location(data, X, problem$loo$pseudo_observations,
    problem$loo$location_index, observation_counts(data, problem$family))
  problem
}

# ---- what is reported ----------------------------------------------------------------------------

# The covariance of the trend coefficients as if pseudo-observations were observations, by
# generalised least squares in Vecchia's ordering.
pseudo_observation_trend_covariance <- function(problem, pseudo_observations, known, k) {
  q <- ncol(problem$data$X)
  if (q == 0L) return(matrix(0, 0L, 0L))
  like_problem <- list(data = pseudo_observations$data, context = problem$context)
  k <- min(k, length(pseudo_observations$data$y) - 1L)
  neighbors <- neighbors_before(like_problem, known$component, k, "maxmin", 0)
  noise <- trend_noise(problem$family, known$family)
  result <- core_evaluate(local_problem(pseudo_observations$data, neighbors,
    problem$context), known$covariance, noise, FALSE, problem$context)
  result <- add_within(result, within_terms(pseudo_observations$data$within), noise)
  design <- 1L + seq_len(q)
  result$gram[design, design] <- result$gram[design, design] +
    information_within_locations(pseudo_observations$locations,
      observation_counts(problem$data, problem$family)) / noise
  solved_trend(result, problem$loo$distinct)$beta_vcov
}

# For the trend, rows at one location amount to their mean and to contrasts without the field.
# Returns the information of the contrasts: sum w (x - mean)(x - mean)'.
information_within_locations <- function(locations, count) {
  precision <- locations$rows[, 1L]
  means <- locations$content[, -(1:2), drop = FALSE] / locations$content[, 1L]
  contrasts <- locations$rows[, -(1:2), drop = FALSE] / precision -
    means[locations$location_index, , drop = FALSE]
  crossprod(contrasts, count * precision * contrasts)
}
