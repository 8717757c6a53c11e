# The leave-one-out log score of responses as a function of theta. Theta contains the working
# parameters of covariance and family, and the coefficients of the trend (columns scaled), with a
# bias in place of the intercept. Let b and f be the weights and the conditional variance of a row
# given the pseudo-observations z near it. The linear predictor of the row is
#
#     eta ~ N(bias + offset + x'beta + b'(z - X beta), f).
#
# The score is log E p(y | eta), with derivatives in closed form (src/core/likelihoods/marginal.h).
# Derivatives in the covariance come from the adjoint of b and f
# (src/core/loo/pseudo_observations.h).
#
# The bias is the average error of the pseudo-observations near a row. A pseudo-observation is right
# under the prior, not under the narrower distribution that neighbours leave. The intercept cannot
# absorb this error, because the term -b'X beta takes b'1 of it away again. It would end far off,
# and predictions without neighbours with it. The intercept is therefore that of the prior.
#
# The nugget multiplies the variances of the pseudo-observations, since their errors are not quite
# independent of each other.

split_pseudo_observation_theta <- function(problem, theta) {
  p <- nrow(problem$layout)
  beta <- theta[-seq_len(p)]
  intercept <- problem$loo$design$intercept
  bias <- sum(beta[intercept])
  beta[intercept] <- problem$loo$marginal$beta[intercept]
  list(working = theta[seq_len(p)], beta = beta, bias = bias)
}

# Observations with their conditioning sets, ready for the core. `known`: parameters of the gamma
# variables of Student's t. The default is those at problem$loo$reference.
pseudo_observation_plan <- function(problem, at, component, k, known = NULL) {
  if (is.null(known) && has_gamma_variables(problem$family)) {
    known <- pseudo_observation_parameters(problem, problem$loo$reference)
  }
  list(pointer = pseudo_observation_model(problem$loo$distinct_locations, at, component, k, known,
    problem$context), at = at)
}

# The derivative in the nugget is of use to the family's parameters even where it is given.
pseudo_observation_specification <- function(problem) {
  layout <- problem$layout
  layout$fixed[layout$kind == "nugget"] <- FALSE
  covariance_specification(layout, problem$groups)
}

pseudo_observation_parameters <- function(problem, theta,
                                          specification = pseudo_observation_specification(
                                            problem)) {
  with_covariance(pseudo_observation_values(problem, theta), specification)
}

# The same as numbers alone.
pseudo_observation_values <- function(problem, theta) {
  part <- split_pseudo_observation_theta(problem, theta)
  values <- to_core(part$working, problem$layout$transform)
  family <- values[problem$layout$kind == "family"]
  list(values = values,
    nugget = pseudo_observation_noise(problem$family, nugget_of(problem$layout, values), family),
    family = family, beta = part$beta, bias = part$bias)
}

# `at`: rows and the indices of their locations. `known`: parameters for the gamma variables, where
# there are any.
pseudo_observation_model <- function(locations, at, component, k, known, context) {
  sets <- leave_one_out_sets(locations, at, component, k, context,
    function(which) locations$rows[at$row[which], , drop = FALSE])
  precision <- sets$content[, 1L]
  rows <- list(coords = sets$coords, columns = sets$content[, -1L, drop = FALSE] / precision,
    noise_scale = 1 / precision, neighbors = sets$neighbors)
  if (!is.null(known)) rows <- with_gamma_variables(rows, known, context)
  core_pseudo_observations(rows$coords, rows$columns, rows$noise_scale, sets$targets,
    rows$neighbors)
}

# `span`: which of the plan's observations count.
pseudo_observation_objective <- function(problem, plan, span = seq_along(plan$at$row)) {
  terms <- pseudo_observation_terms(problem, plan, span)
  score_over_rows(problem, terms$n, rows_in_one_part(terms = terms,
    specification = pseudo_observation_specification(problem)),
    share = terms$n / sum(observation_counts(problem$data, problem$family)))
}

# `n`: the number of observations in `rows`, a host. `share`: their share of all observations, which
# is also their share of the penalty (R/neighbours-pseudo-observations-scale.R).
score_over_rows <- function(problem, n, rows, share = 1) {
  layout <- problem$layout
  own <- layout$kind == "family"
  working_of <- function(theta) split_pseudo_observation_theta(problem, theta)$working
  score_objective(problem, n, rows, function(theta) pseudo_observation_values(problem, theta),
    penalty = function(theta) share * scale_penalty(problem, working_of(theta)),
    gradient = function(theta, known, sums) {
      working <- double(nrow(layout))
      working[!own] <- sums$d_covariance
      working[own] <- sums$d_family + pseudo_observation_noise_powers(problem$family) *
        working[layout$kind == "nugget"]
      link <- sums$d_link
      link[problem$loo$design$intercept] <- sums$d_bias
      c(core_to_working_slope(layout, known$values) * working -
        share * scale_penalty_slope(problem, working_of(theta)), link)
    }, why_not = function(known) {
      found <- map_rows(rows, "part_not_integrated", list(known = known))
      wrong <- sort(unlist(found, use.names = FALSE))
      tryCatch(abort_not_integrated(wrong, problem$family), neargp_error_quadrature = identity)
    })
}

# Numbers of rows whose density cannot be integrated.
part_not_integrated <- function(part, known) {
  found <- part$terms$not_integrated(with_covariance(known, part$specification))
  if (is.null(part$number)) found else part$number[found]
}

# The sums over the observations that `span` counts of a plan.
pseudo_observation_terms <- function(problem, plan, span = seq_along(plan$at$row)) {
  rows <- plan$at$row[span]
  data <- take_data_rows(problem$data, rows)
  X <- problem$loo$design$X[rows, , drop = FALSE]
  count <- observation_counts(data, problem$family)
  limits <- c(span[1L], span[length(span)])
  density <- function(known, gradient) {
    at <- core_pseudo_observation_moments(plan$pointer, limits[1L], limits[2L], known$covariance,
      known$nugget, problem$context)
    if (at$failed > 0L) return(list(failed = 1L))
    unseen <- X - at$weighted[, -1L, drop = FALSE]
    mean <- known$bias + data$offset + at$weighted[, 1L] + drop(unseen %*% known$beta)
    if (!all(is.finite(mean))) return(list(failed = 1L))
    c(marginal_density(data, problem$family, known$family, mean, pmax(at$variance, 0), gradient,
      problem$context), list(unseen = unseen, failed = 0L))
  }
  at <- function(known, with_gradient) {
    result <- density(known, with_gradient)
    if (result$failed > 0L) return(result)
    sums <- list(failed = 0L, score = sum(count * result$value))
    if (!with_gradient) return(sums)
    d_mean <- count * result$d_mean
    core <- core_pseudo_observation_adjoint(plan$pointer, limits[1L], limits[2L],
      known$covariance, known$nugget, cbind(d_mean, -outer(d_mean, known$beta)),
      count * result$d_variance, problem$context)
    c(sums, list(d_covariance = core, d_family = result$d_log_parameters,
      d_link = crossprod(result$unseen, d_mean), d_bias = sum(d_mean)))
  }
  list(at = at, n = sum(count), not_integrated = function(known) {
    rows_not_integrated(density(known, FALSE), rows)
  })
}
