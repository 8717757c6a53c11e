# Mini-batch Adam for loo_k(), after appendix A.10.1 of the LOO-k paper. Each `refresh` steps the
# rows of the coming batches are drawn, their neighbours are searched in the current metric, and the
# trend is updated by least squares on these rows; every step then touches only the rows of one
# batch and their neighbours.

adam_fit <- function(method, problem, objective_for) {
  n <- length(problem$data$y)
  batch <- min(method$batch_size, n)
  method$steps <- method$steps %||% 1000L
  stage <- new_stage("adam")
  state <- stage$state %||% list(working = problem$start, moments = adam_moments(length(
    problem$start)), singular = 0L, done = 0L)
  working <- state$working
  moments <- state$moments
  singular <- state$singular
  for (first_step in rounds_left(method$steps, method$refresh, state$done)) {
    steps <- seq(first_step, min(first_step + method$refresh - 1L, method$steps))
    rows <- vapply(steps, function(step) sample.int(n, batch), integer(batch))
    plan <- adam_plan(problem, working, matrix(rows, nrow = batch), method$k)
    for (step in steps) {
      gradient <- plan$gradient(working, step - first_step + 1L)
      if (!all(is.finite(gradient))) {
        singular <- singular + 1L
        next
      }
      updated <- adam_step(working, gradient, moments, step,
        adam_rate(method, share_done(problem, step, method$steps)))
      moments <- updated$moments
      working[problem$free] <- updated$working[problem$free]
      working <- clamp(working, problem$bounds, problem$free)
    }
    keep_state(problem, working)
    stage$keep(list(working = working, moments = moments, singular = singular, done = max(steps)))
    problem$report(method$k, max(steps), NULL, method$steps)
  }
  final <- objective_for(component_at(problem, working), method$k)$evaluate(working)
  if (!is.finite(final$value)) abort_cholesky(final$failed)
  skipped <- if (singular > 0L) sprintf(", skipping %d with a singular covariance matrix",
    singular) else ""
  optimizer_result(working, final, NA_real_, method$steps, method$steps, NA,
    sprintf("ran its %d Adam steps%s; there is no test of convergence", method$steps, skipped))
}

# The first steps of the rounds that are to come.
rounds_left <- function(steps, by, done) {
  first <- seq(1L, steps, by = by)
  first[first > done]
}

# The gradient of the mean score of batch j (column j of rows) as a function of the working
# parameters; NA where a covariance matrix is singular.
adam_plan <- function(problem, working, rows, k) {
  targets <- unique(as.vector(rows))
  scaled <- core_scale(problem$data$coords, component_at(problem, working))
  neighbors <- without_self(core_neighbors_to(scaled, scaled[targets, , drop = FALSE], k + 1L,
    problem$context), targets)
  beta <- neighbor_objective(problem, targets, neighbors)$evaluate(working)$beta
  if (is.null(beta)) abort_cholesky(0L)
  list(gradient = function(working, j) {
    batch <- rows[, j]
    objective <- neighbor_objective(problem, batch,
      neighbors[, match(batch, targets), drop = FALSE])
    objective$gradient(working, beta) / length(batch)
  })
}

# The objective over `targets`, from only the rows that these and their neighbours (one column each)
# involve.
neighbor_objective <- function(problem, targets, neighbors) {
  reduced <- reduce_to_neighbors(problem$data, targets, neighbors)
  problem$data <- reduced$data
  local_objective(problem, reduced$neighbors, reduced$targets)
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
