# The search of a large table begins with some terms of its likelihood.
#
# From its own start the search takes dozens of steps, since most ranges move by orders of
# magnitude, and all neighbours change with them. The likelihood is a sum over rows of log densities
# given earlier rows. The optimum of a few thousand of these terms is within its standard error of
# the optimum of all terms, and only a few steps are left from there. The earlier rows are taken
# from all rows in a random order. Neighbours among them are nearly as near as in the maxmin order,
# which takes longer to find. A subset of the rows alone would lack most repeated rows, and these
# determine the noise.

# The problem with its start at the optimum of some terms, and the steps that this took. An earlier
# fit is a better start, and so is the optimum of a nested model, for which no coarse round is
# asked. `optimizer`: a function of a problem. `objective_at`: returns the likelihood of all rows
# with the neighbours at some parameters.
from_few_rows <- function(problem, k, optimizer, objective_at) {
  none <- list(problem = problem, iterations = 0L, evaluations = 0L)
  if (!begins_with_few_rows(problem)) return(none)
  state <- if_computable(fit_few_rows(problem, k, optimizer))
  if (is.null(state)) return(none)
  problem$start <- without_endless_ranges(problem, state$working, objective_at)
  problem$control$coarse_k <- 0L
  c(list(problem = problem), state[c("iterations", "evaluations")])
}

# Few rows may not show the effect of a predictor. Its range then ends at the upper bound, where the
# predictor changes nothing, and a search of all rows may stay there. For the data set pol that
# local maximum was lower by 90 units. Endless ranges therefore begin again at a twentieth of their
# bound, ten standard deviations of the predictor. Where this loses more than `most` for each row,
# the search would take tens of steps to return, as it did for elevators. There, only ranges that
# promise a gain begin again.
without_endless_ranges <- function(problem, working, objective_at, most = 0.05) {
  upper <- problem$bounds$upper
  endless <- problem$free & problem$layout$kind == "range" & working > upper - log(10)
  if (!any(endless)) return(working)
  again <- replace(working, endless, upper[endless] - log(20))
  objective <- if_computable(objective_at(working))
  found <- if (!is.null(objective)) objective$evaluate(working, information = TRUE)
  if (is.null(found$information)) return(again)
  if (objective$evaluate(again)$value > found$value - most * objective$n) return(again)
  pmax(shorter_where_promising(found, working, endless), pmin(again, working))
}

# Near the upper bound the likelihood is a parabola in w, the inverse square of the range. Let g and
# I be gradient and information in the logarithm of the range. Its top is at `(1 - 2 g / I) w`,
# where the gain is `g^2 / (2 I)`.
shorter_where_promising <- function(found, working, endless, least_gain = 0.5) {
  gradient <- found$gradient
  information <- diag(found$information)
  promising <- which(endless & gradient < 0 & gradient^2 > 2 * least_gain * information)
  replace(working, promising,
    working[promising] - log1p(-2 * gradient[promising] / information[promising]) / 2)
}

begins_with_few_rows <- function(problem) {
  is.null(problem$warm_start) && problem$control$coarse_k > 0L && has_few_rows(problem)
}

has_few_rows <- function(problem) {
  is_large_table(problem) && is_gaussian(problem$family) && !is_sharded(problem) &&
    !has_effects(problem$data) && !has_outputs(problem)
}

fit_few_rows <- function(problem, k, optimizer) {
  fit_with_neighbors(problem, k, terms_of_few_rows(problem), optimizer(problem),
    negligible_in_table(search_rows))
}

# Always the same order, so that a fit does not depend on R's random numbers.
random_rows <- function(problem, key) {
  core_order(problem$data$coords[, 1L, drop = FALSE], "random", key, problem$context)
}

few_random_rows <- function(problem, rows) sort(random_rows(problem, 1)[seq_len(rows)])

terms_of_few_rows <- function(problem, rows = search_rows) {
  order <- random_rows(problem, 0)
  targets <- few_random_rows(problem, rows)
  function(component, k) {
    neighbor_objective(problem, targets, earlier_of_targets(problem, component, targets, k, order))
  }
}

# Whether a simpler model is much worse already on these terms than the model at `working`, the
# result of the search. The difference that counts is larger than the sampling error of a sum of as
# many terms, so that a fit to all rows would only confirm it.
loses_on_few_rows <- function(problem, simple, working, optimizer) {
  if (!has_few_rows(problem)) return(FALSE)
  k <- problem$method$k
  found <- terms_of_few_rows(problem)(component_at(problem, working), k)$evaluate(working)
  state <- if_computable(fit_few_rows(simple, k, optimizer))
  isTRUE(state$evaluated$value < found$value - 4 * sqrt(search_rows))
}
