# The mean of odvgp() for responses that are pseudo-observations: of one field, or of one for each
# class, each a column. Newton's method starts from the means of svgp(), of which a share c is left.
# A field at the rows is c A'm + K a, and its squared norm c^2 m'm + 2 c a'A'm + a'K a. A whole step
# leaves no share. A step that does not raise the objective is halved, so that the ELBO is not below
# that of svgp(). If no fraction of the step raises it, conjugate gradients were not exact enough,
# and the step is computed again.

#' @export
best_mean.neargp_odvgp_families <- function(method, fit, solve, context, ...) {
  data <- core_data(fit$data)
  base <- core_trend(fit)$beta
  known <- list(field = as.matrix(fit$posterior$linear_predictor - data$offset -
    drop(data$X %*% base)), norm = sum((fit$svgp$weights %*% c(1, -base))^2))
  expectations <- mean_expectations(fit, data, variance_in_bound(fit), context)
  c(raised_mean(data[c("X", "offset")], known, as.matrix(base), expectations, solve, fit$method,
    ...), list(into = with_family_mean))
}

# The moments of the data's linear predictors: the uncertainty of the trend is part of them.
with_family_mean <- function(fit, found) {
  trend <- list(beta = found$state$at$beta[, 1L], beta_vcov = found$beta_vcov[[1L]])
  fit <- with_trend_of_mean(fit, trend)
  unseen <- design_columns(fit$data) - found$design[[1L]]$field
  fit$posterior$linear_predictor <- found$state$predictor[, 1L]
  fit$posterior$slope <- found$state$expected$slope[, 1L]
  fit$posterior$pseudo_precision <- found$state$expected$precision[, 1L]
  fit$posterior$variance_at_data <- fit$posterior$variance_at_data +
    row_forms(unseen, core_trend(fit)$beta_vcov)
  fit
}

# The variance of the rows' linear predictors in the ELBO of svgp().
variance_in_bound <- function(fit) {
  posterior <- fit$posterior
  posterior$variance_at_data - (1 - fit$svgp$pseudo_observations$unexplained_share) *
    posterior$variance_given_nodes
}

# `variance`: that of the linear predictors, which is fixed.
mean_expectations <- function(fit, data, variance, context) {
  observed <- core_observations(data)
  function(predictor) {
    found <- core_expectations(family_core_name(fit$family), unname(fit$family_parameters),
      observed$y, observed$trials %||% double(0), data$weights, drop(predictor), variance, context)
    list(total = found$total, slope = as.matrix(found$slope),
      precision = as.matrix(pmax(found$curvature, 0)))
  }
}

# `known`: field and squared norm of the mean of svgp(), `base` its trend. `expectations`: of linear
# predictors, the expected log-likelihood, its slopes and the precisions of pseudo-observations.
raised_mean <- function(trend, known, base, expectations, solve, method, most = 50L) {
  state_at <- mean_state_maker(trend, known, expectations)
  none <- matrix(0, nrow(known$field), ncol(known$field))
  start <- state_at(list(left = 1, coefficients = none, field = none, beta = base))
  found <- climb_mean(trend, known, state_at, solve, start, method$tolerance, most)
  if (found$state$at$left > 0) {
    abort_neargp("convergence",
      c("The mean of all rows was not found: no step from the mean of svgp() raises the ELBO.",
        i = "Use svgp(), or more inducing points, which precondition the equations of the mean better."))
  }
  c(found, list(gain = found$state$objective - start$objective))
}

# A function of c (`left`), a, K a and the trend: linear predictors, expectations there, objective.
mean_state_maker <- function(trend, known, expectations) {
  function(at) {
    predictor <- trend$offset + trend$X %*% at$beta + at$left * known$field + at$field
    expected <- expectations(predictor)
    norm <- at$left^2 * known$norm + 2 * at$left * sum(at$coefficients * known$field) +
      sum(at$coefficients * at$field)
    list(at = at, predictor = predictor, expected = expected, objective = expected$total -
      0.5 * norm)
  }
}

# Ends where a whole step moves the linear predictors by less than the tolerance, relative to their
# values without the offset. Both are measured in the metric of the precisions.
climb_mean <- function(trend, known, state_at, solve, state, tolerance, most) {
  iterations <- 0L
  accuracy <- tolerance
  last <- NULL
  for (step in seq_len(most)) {
    fields <- lapply(seq_len(ncol(known$field)), function(number) {
      step_of_field(unname(trend$X), known, state, solve, accuracy, number)
    })
    iterations <- iterations + sum(vapply(fields, `[[`, 0L, "iterations"))
    towards <- joint_step(fields, state$at$left)
    conjugate <- length(fields) > 1L && state$at$left == 0
    moved <- if (conjugate) best_along(state, state_at, conjugate_step(trend, state, towards, last))
      else halved_until_better(state, state_at, towards)
    whole <- trend$X %*% towards$beta + towards$left * known$field + towards$field
    precision <- state$expected$precision
    change <- if (moved$share > 0 && (conjugate || moved$share == 1)) relative_size(whole,
      moved$state$predictor - trend$offset, precision) else Inf
    last <- if (conjugate) list(state = state, towards = towards, direction = moved$direction)
    state <- moved$state
    if (change <= tolerance || accuracy < 1e-10) break
    if (moved$share == 0 || (!conjugate && moved$share < 1)) accuracy <- accuracy / 10
  }
  design <- lapply(fields, `[[`, "design")
  list(state = state, steps = step, iterations = iterations, residual = change, design = design,
    beta_vcov = lapply(fields, `[[`, "beta_vcov"), solved = solved_columns(state$at, design))
}

# Precisions may be 0 at all rows, where nothing is left to learn.
relative_size <- function(change, value, precision) {
  size <- weighted_size(change, precision)
  if (size == 0) 0 else size / weighted_size(value, precision)
}

# The Newton step of one field and its trend, given their pseudo-observations.
step_of_field <- function(X, known, state, solve, accuracy, number) {
  at <- lapply(state$at[c("coefficients", "field", "beta")], function(columns) columns[, number])
  precision <- state$expected$precision[, number]
  natural <- state$expected$slope[, number] + state$at$left * precision * known$field[, number] -
    at$coefficients
  found <- solve(precision, cbind(natural), X, accuracy)
  design <- list(solved = found$solved[, -1L, drop = FALSE],
    field = found$field[, -1L, drop = FALSE])
  trend <- mean_trend(X, at$coefficients + found$solved[, 1L], design$solved)
  contrast <- c(1, -trend$beta)
  list(coefficients = drop(found$solved %*% contrast), field = drop(found$field %*% contrast),
    beta = trend$beta, beta_vcov = trend$beta_vcov, design = design,
    iterations = found$iterations)
}

# Steps of classes sum to zero over the fields. A part that all fields of a row share is not
# identified, and only increases the norm.
joint_step <- function(fields, left) {
  columns <- function(name) {
    step <- do.call(cbind, lapply(fields, `[[`, name))
    if (length(fields) > 1L) step - rowMeans(step) else step
  }
  list(left = -left, coefficients = columns("coefficients"), field = columns("field"),
    beta = columns("beta"))
}

# The precisions ignore the curvature between the fields of classes. Steps of classes are therefore
# preconditioned gradients in the method of conjugate gradients (Polak and Ribiere 1969).
conjugate_step <- function(trend, state, towards, last) {
  if (is.null(last)) return(towards)
  along <- function(state, step) {
    sum(state$expected$slope * (trend$X %*% step$beta + step$field)) -
      sum(state$at$coefficients * step$field)
  }
  share <- max(0, (along(state, towards) - along(last$state, towards)) / along(last$state,
    last$towards))
  Map(function(step, before) step + share * before, towards, last$direction)
}

# The largest objective along a direction.
best_along <- function(state, state_at, direction) {
  at_share <- function(share) {
    state_at(Map(function(from, by) from + share * by, state$at, direction))
  }
  share <- stats::optimize(function(share) at_share(share)$objective, c(0, 4), maximum = TRUE,
    tol = 0.01)$maximum
  best <- at_share(share)
  if (!is.finite(best$objective) || best$objective < least_objective(state)) {
    return(c(halved_until_better(state, state_at, direction), list(direction = direction)))
  }
  list(state = best, share = share, direction = direction)
}

# A value that is equal except for rounding counts as better, so that the last step ends.
least_objective <- function(state) state$objective - 1e-10 * abs(state$objective)

halved_until_better <- function(state, state_at, direction) {
  for (share in 2^-(0:15)) {
    tried <- state_at(Map(function(from, by) from + share * by, state$at, direction))
    if (is.finite(tried$objective) && tried$objective >= least_objective(state)) {
      return(list(state = tried, share = share))
    }
  }
  list(state = state, share = 0)
}

weighted_size <- function(x, precision) sqrt(sum(precision * x^2))

# Columns of the response and of the design, of one field after the other.
solved_columns <- function(at, design) {
  do.call(cbind, lapply(seq_along(design), function(number) {
    of_design <- design[[number]]$solved
    cbind(at$coefficients[, number] + of_design %*% at$beta[, number], of_design)
  }))
}
