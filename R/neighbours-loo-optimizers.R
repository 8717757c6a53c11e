# Maximising leave-one-out scores of single responses, both of class labels and of
# pseudo-observations: by quasi-Newton over all observations, or by Adam on mini-batches. The
# variables are theta: the working parameters of problem$layout, then further parameters, whose
# bounds are problem$loo$links. Functions of the problem in `problem$loo$scoring` define the score:
#   `plan(problem, at, component, k)`: observations with their neighbours in that metric, behind a
#     pointer.
#   `objective(problem, plan, span)`: the score of the observations of the plan that `span` counts,
#     with evaluate() and gradient() of theta.
#   `observations(problem, rows)`: observations in the form that `plan` takes.
#   `take_rows(problem, rows)`: the problem with these rows only.
#   `count(problem)`: the number of observations; `count` is NULL where these are in shards.
#   `trend_covariance(problem, pseudo_observations, known, k)`: of pseudo-observations only.
#   `refresh(problem, theta)`: renews what the score takes as known, such as pseudo-observations.
#   `passes`: the largest number of quasi-Newton runs, with a refresh between them.
#   `unit`: the size of the linear predictor, in which the further parameters of theta move.
# `problem$loo$observations` holds all observations, `problem$loo$distinct` the number of their
# locations.

# `problem$loo`, what such scores are made of, for a trend in orthogonal columns, `design` of
# orthogonal_design(), and so many `distinct` locations.
new_leave_one_out <- function(design, distinct, location_index = NULL) {
  new_state("neargp_leave_one_out",
    design = design,
    distinct = distinct,
    location_index = location_index,  # number of each row's distinct location
    observations = NULL,             # what is predicted: row and location of each observation
    links = NULL,                    # `lower` and `upper` of the further parameters
    scoring = NULL,                  # the functions that make the score, see above
    # ---- pseudo-observations
    known = NULL,                    # the family's parameters for which the following were made
    reference = NULL,                # all parameters at that time
    marginal = NULL,                 # of all rows: `beta`, and mean and variance beyond the trend
    pseudo_observations = NULL,      # mean and precision of each row
    distinct_locations = NULL,       # their sums by location
    stale = NULL)                    # TRUE where they could not always be renewed
}

maximize_score <- function(method, problem, theta) {
  if (uses_adam(method, problem)) score_adam(method, problem, theta) else score_quasi_newton(method,
    problem, theta)
}

uses_adam <- function(method, problem) {
  if (is_sharded(problem)) return(FALSE)
  if (method$optimizer != "auto") return(method$optimizer == "adam")
  sum(problem$free) > 6L || length(problem$loo$observations$row) > 10000L
}

# ---- quasi-Newton --------------------------------------------------------------------------------

# The elements of theta that are free, bounds and units. Working parameters are logarithms and the
# like, of size 1.
score_variables <- function(problem, theta) {
  p <- nrow(problem$layout)
  further <- length(theta) - p
  list(free = c(problem$free, rep(TRUE, further)),
    bounds = Map(c, problem$bounds[c("lower", "upper")], problem$loo$links),
    unit = rep(c(1, problem$loo$scoring$unit), c(p, further)))
}

# Passes end when one moves no parameter by more than 2%. Sets that cannot be renewed at the end of
# a pass stay as that pass used them.
score_quasi_newton <- function(method, problem, theta) {
  pass_from <- function(theta) {
    problem <- problem$loo$scoring$refresh(problem, theta)
    c(score_pass(method, problem, theta), list(problem = problem, moved_from = theta))
  }
  state <- pass_from(theta)
  for (pass in seq_len(problem$loo$scoring$passes - 1L)) {
    if (largest_move(problem, state) < 0.02) break
    renewed <- if_computable(pass_from(state$theta))
    if (is.null(renewed)) {
      state$convergence[c("converged", "message")] <- list(FALSE,
        "pseudo-observations cannot be renewed at the estimates")
      break
    }
    state <- renewed
  }
  state[c("theta", "convergence", "problem")]
}

# The largest move of a free parameter, in units of the parameters. Those that are fixed do not
# move, and may be infinite, as a power of 2 is on the working scale.
largest_move <- function(problem, state) {
  variables <- score_variables(problem, state$theta)
  move <- abs(state$theta - state$moved_from) / variables$unit
  max(move[variables$free], 0)
}

# Runs quasi-Newton on covariance and link together; fit_with_neighbors() watches the covariance
# part.
score_pass <- function(method, problem, theta) {
  p <- nrow(problem$layout)
  link <- theta[-seq_len(p)]
  variables <- score_variables(problem, theta)
  optimize <- function(objective, working, coarse) {
    result <- quasi_newton_in_units(objective, c(working, link), variables$unit, variables$free,
      variables$bounds, problem$control, relative_tolerance = if (coarse) 1e-5 else 1e-8)
    link <<- result$working[-seq_len(p)]
    result$working <- result$working[seq_len(p)]
    result
  }
  problem$start <- theta[seq_len(p)]
  objective_for <- function(component, k) {
    scoring <- problem$loo$scoring
    scoring$objective(problem, scoring$plan(problem, problem$loo$observations, component, k))
  }
  state <- fit_with_neighbors(problem, method$k, objective_for, optimize, negligible_score(problem))
  list(theta = c(state$working, link),
    convergence = state[c("converged", "message", "iterations", "evaluations")])
}

# ---- Adam ----------------------------------------------------------------------------------------

# With very many rows Adam begins on a random share of them and ends on all. Most steps only bring
# the metric near the optimum, and a search for neighbours costs as much as its index, which is
# cheaper for a share. A fit that is continued is near already and begins on all rows. The score's
# optimum moves with the density of the data, so that each stage takes steps.
score_adam <- function(method, problem, theta) {
  n <- length(problem$data$offset)
  sizes <- if (problem$loo$distinct < 20000L || !is.null(problem$warm_start)) n else stage_sizes(n)
  steps <- stage_steps(method$steps %||% 1000L, length(sizes))
  shuffled <- if (length(sizes) > 1L) sample.int(n)
  state <- list(theta = theta, singular = 0L)
  for (stage in seq_along(sizes)) {
    part <- if (sizes[stage] < n) problem$loo$scoring$take_rows(problem,
      sort(shuffled[seq_len(sizes[stage])])) else problem
    state <- score_adam_stage(method, part, state, steps[stage])
  }
  problem <- renew(state$problem, state$theta)
  stale <- if (isTRUE(problem$loo$stale)) "; pseudo-observations could not always be renewed"
  message <- paste0(adam_message(sum(steps), state$singular), stale)
  list(theta = state$theta, problem = problem,
    convergence = list(converged = NA, message = message, iterations = sum(steps),
      evaluations = sum(steps)))
}

# Numbers of rows of the stages: each four times the one before, the first at least 20,000.
stage_sizes <- function(n) rev(as.integer(n / 4^(0:max(0, floor(log(n / 20000, 4))))))

# All of them on the first stage, and 15% as many on each further one.
stage_steps <- function(steps, stages) c(steps, rep(max(1L, as.integer(0.15 * steps)), stages - 1L))

# Takes steps as adam_fit() does. Before each `refresh` steps their batches are drawn, and
# neighbours are searched in the current metric for these batches alone.
score_adam_stage <- function(method, problem, state, steps) {
  method$steps <- steps
  in_adam_stage(problem$session, state$theta, function(stage) {
    run_score_adam(method, problem, state, stage)
  }, state$singular)
}

run_score_adam <- function(method, problem, state, stage) {
  if (stage$state$done > 0L) problem <- problem_left(problem, stage$state)
  variables <- score_variables(problem, state$theta)
  n <- length(problem$data$offset)
  batch <- min(method$batch_size, n)
  begin <- function(theta, steps) {
    rows <- unlist(lapply(steps, function(step) sample.int(n, batch)))
    problem <<- if (steps[1L] == 1L) problem$loo$scoring$refresh(problem, theta) else
      renew(problem, theta)
    plan <- problem$loo$scoring$plan(problem, problem$loo$scoring$observations(problem, rows),
      component_at(problem, theta[seq_along(problem$free)]), method$k)
    function(theta, step) {
      objective <- problem$loo$scoring$objective(problem, plan, (step - steps[1L]) * batch +
        seq_len(batch))
      objective$gradient(theta) / objective$n
    }
  }
  reached <- adam_rounds(method, problem, stage, variables, score_rate, begin, function() {
    c(list(intercept = problem$classes$prevalence$intercept), problem$loo[refreshed_fields])
  })
  c(reached[c("theta", "singular")], list(problem = problem))
}

# The fields of problem$loo that `refresh` of problem$loo$scoring changes. (It also changes the
# intercept of the prevalence.)
refreshed_fields <- c("known", "reference", "marginal", "pseudo_observations",
  "distinct_locations", "stale")

problem_left <- function(problem, left) {
  problem$loo[refreshed_fields] <- left[refreshed_fields]
  if (!is.null(left$intercept)) problem$classes$prevalence$intercept <- left$intercept
  problem
}

# Renews what the score takes as known. Where that cannot be computed at theta, it stays as it was.
renew <- function(problem, theta) {
  stale <- problem
  stale$loo$stale <- TRUE
  if_computable(problem$loo$scoring$refresh(problem, theta), stale)
}

# Gentler than the schedule of regression: parameters of the link still move late.
score_rate <- function(method, done) method$learning_rate * 0.3^sum(done > c(0.5, 0.75))

# ---- the score that is reported ------------------------------------------------------------------

# The leave-one-out log score at theta with neighbours in its metric. With very many observations
# the score is that of a sample, scaled to all, unless they are in shards.
score_of_all <- function(problem, theta, k, at_most = 10000L) {
  at <- problem$loo$observations
  n <- length(at$row)
  count <- problem$loo$scoring$count
  sampled <- n > at_most && !is.null(count)
  if (sampled) at <- lapply(at, function(x) x[round(seq(1, n, length.out = at_most))])
  component <- component_at(problem, theta[seq_len(nrow(problem$layout))])
  scoring <- problem$loo$scoring
  objective <- scoring$objective(problem, scoring$plan(problem, at, component, k))
  scored <- objective$evaluate(theta)
  if (!is.finite(scored$value)) abort_cholesky(0L)
  list(value = if (is.null(count)) scored$score else scored$score * count(problem) / objective$n,
    rows = if (sampled) at_most)
}
