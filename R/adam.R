# Mini-batch Adam for loo_k(), mll_k() and vecchia(), after appendix A.10.1 of the LOO-k paper.
# Every `refresh` steps the rows of the coming batches are drawn, and their neighbours are searched
# in the current metric. Least squares on these rows updates the trend. Every step then touches only
# the rows of one batch and their neighbours.

# The settings of a method that offers it.
adam_settings <- function(batch_size, steps, learning_rate, refresh) {
  batch_size <- check_count(batch_size, "batch_size")
  steps <- check_count(steps, "steps", lower = 4L, null_ok = TRUE)
  learning_rate <- check_number(learning_rate, "learning_rate", 0, open = TRUE)
  refresh <- check_count(refresh, "refresh")
  c(list(batch_size = batch_size), if (!is.null(steps)) list(steps = steps),
    list(learning_rate = learning_rate, refresh = refresh))
}

# The method with these settings, if `optimizer` is "adam" and not its default.
with_adam <- function(method, optimizer, choices, ...) {
  optimizer <- check_choice(optimizer, "optimizer", choices)
  settings <- adam_settings(...)
  if (optimizer != "adam") return(method)
  method$label <- paste0(method$label, ", mini-batches")
  method[c("optimizer", names(settings))] <- c(optimizer, settings)
  method
}

# `where`: the case in which only the default can be used.
refuse_adam <- function(method, where) {
  if (!identical(method$optimizer, "adam")) return(invisible())
  abort_argument("optimizer", paste("the default", where), "adam")
}

# A row contributes one term to the objective. `terms`: the first `n` rows are those with a term,
# `neighbors(component, targets, k)` returns the neighbours of some of them, and `objective(problem,
# neighbors, targets)` makes the sum of the terms of these. `evaluate(working)`: of all rows.
adam_fit <- function(method, problem, terms, evaluate) {
  if (has_outputs(problem)) refuse_adam(method, "for several responses")
  batch <- min(method$batch_size, terms$n)
  method$steps <- method$steps %||% 1000L
  begin <- function(working, steps) {
    rows <- vapply(steps, function(step) sample.int(terms$n, batch), integer(batch))
    plan <- adam_plan(problem, working, matrix(rows, nrow = batch), method$k, terms)
    function(working, step) plan$gradient(working, step - steps[1L] + 1L)
  }
  in_adam_stage(problem$session, problem$start, function(stage) {
    reached <- adam_rounds(method, problem, stage, problem[c("free", "bounds")], adam_rate, begin)
    final <- evaluate(reached$theta)
    if (!is.finite(final$value)) abort_cholesky(final$failed)
    optimizer_result(reached$theta, final, NA_real_, method$steps, method$steps, NA,
      adam_message(method$steps, reached$singular))
  })
}

# Returns the value of `run(stage)`, a run of Adam. It begins at `stage$state`, or goes on from the
# checkpoint. The run keeps theta, the moments, the numbers of steps and the values of `further`.
in_adam_stage <- function(session, theta, run, singular = 0L, further = NULL) {
  in_stage(session, "adam", function(stage) {
    stage$state <- stage$state %||% c(list(theta = theta, moments = adam_moments(length(theta)),
      singular = singular, done = 0L), further)
    run(stage)
  })
}

adam_moments <- function(n) list(first = rep(0, n), second = rep(0, n))

# Takes method$steps steps, in rounds of method$refresh. `begin(theta, steps)` prepares what the
# steps of a round share, and returns the gradient as a function of theta and the step. Steps whose
# gradient is not finite, since a covariance matrix is singular, are skipped. `variables`: which
# elements of theta are `free`, their `bounds`, and the `unit` of each, 1 by default. `further()`:
# the current values of `further` of in_adam_stage().
adam_rounds <- function(method, problem, stage, variables, rate, begin, further = function() NULL) {
  state <- stage$state[c("theta", "moments", "singular", "done")]
  free <- variables$free
  unit <- variables$unit %||% 1
  for (first_step in rounds_left(method$steps, method$refresh, state$done)) {
    steps <- seq(first_step, min(first_step + method$refresh - 1L, method$steps))
    gradient_at <- begin(state$theta, steps)
    for (step in steps) {
      gradient <- gradient_at(state$theta, step)
      if (!all(is.finite(gradient))) {
        state$singular <- state$singular + 1L
        next
      }
      updated <- adam_step(state$theta / unit, unit * gradient, state$moments, step,
        rate(method, share_done(problem, step, method$steps)))
      state$moments <- updated$moments
      state$theta[free] <- (updated$working * unit)[free]
      state$theta <- clamp(state$theta, variables$bounds, free)
    }
    keep_theta(problem, state$theta)
    state$done <- max(steps)
    stage$keep(c(state, further()))
    problem$report(method$k, state$done, NULL, method$steps)
  }
  state
}

# The first steps of the rounds that are to come.
rounds_left <- function(steps, by, done) {
  first <- seq(1L, steps, by = by)
  first[first > done]
}

adam_message <- function(steps, singular) {
  skipped <- if (singular > 0L) sprintf(", skipping %d with a singular covariance matrix",
    singular) else ""
  sprintf("ran its %d Adam steps%s; there is no test of convergence", steps, skipped)
}

# The gradient of the mean score of batch j (column j of rows) as a function of the working
# parameters; NA where a covariance matrix is singular.
adam_plan <- function(problem, working, rows, k, terms) {
  targets <- unique(as.vector(rows))
  neighbors <- terms$neighbors(component_at(problem, working), targets, k)
  objective_of <- function(targets, neighbors) {
    neighbor_objective(problem, targets, neighbors, terms$objective)
  }
  beta <- objective_of(targets, neighbors)$evaluate(working)$beta
  if (is.null(beta)) abort_cholesky(0L)
  list(gradient = function(working, j) {
    batch <- rows[, j]
    objective <- objective_of(batch, neighbors[, match(batch, targets), drop = FALSE])
    objective$gradient(working, beta) / length(batch)
  })
}

# The terms of adam_fit() of each row with the nearest others.
terms_of_others <- function(problem, objective = local_objective) {
  list(n = length(problem$data$y), objective = objective,
    neighbors = function(component, targets, k) {
      others_of_targets(problem$data$coords, component, targets, k, problem$context)
    })
}

# The objective over `targets`, from only the rows that these and their neighbours (one column each)
# involve.
neighbor_objective <- function(problem, targets, neighbors, objective = local_objective) {
  reduced <- reduce_to_neighbors(problem$data, targets, neighbors)
  problem$data <- reduced$data
  objective(problem, reduced$neighbors, reduced$targets)
}

adam_rate <- function(method, done) method$learning_rate / 5^sum(done > c(0.25, 0.5, 0.75))

# The share of the steps that are done. A fit that is continued goes on at the rate at which it had
# ended: the first would throw parameters about once more.
share_done <- function(problem, step, steps) if (is.null(problem$warm_start)) step / steps else 1

# Takes one step uphill of Kingma and Ba (2014), Algorithm 1, with their defaults.
adam_step <- function(working, gradient, moments, step, rate, decay = c(0.9, 0.999)) {
  moments$first <- decay[1L] * moments$first + (1 - decay[1L]) * gradient
  moments$second <- decay[2L] * moments$second + (1 - decay[2L]) * gradient^2
  first <- moments$first / (1 - decay[1L]^step)
  second <- moments$second / (1 - decay[2L]^step)
  list(working = working + rate * first / (sqrt(second) + 1e-8), moments = moments)
}
