# The likelihood changes with the neighbours, which change with the covariance: in space and time by
# some units of log-likelihood. A fit therefore compares its rounds, and the optimum of the model
# that it contains, each with the neighbours of its own metric, and returns the best of them.

# `rounds` of a state: where each round has ended. `own_objective(component, k)`: the objective in
# the order and with the neighbours of that component alone.
best_round <- function(problem, k, state, own_objective) {
  rounds <- unique(c(problem$nested, continued_start(problem), state$rounds))
  state$rounds <- NULL
  if (!has_space_time(covariance_at(problem, state$working))) return(state)
  evaluate <- function(working, ...) {
    if_computable(own_objective(component_at(problem, working), k)$evaluate(working, ...))
  }
  values <- vapply(rounds, function(working) evaluate(working)$value %||% -Inf, 0)
  if (!any(is.finite(values))) return(state)
  best <- rounds[[which.max(values)]]
  state$evaluated <- if (is.null(state$evaluated$information)) evaluate(best) else
    evaluate(best, information = TRUE)
  state$working <- replace(best, problem$free & best == Inf, beyond_bound)
  state
}

# Where an earlier fit has ended, which may be beyond the bounds of the search.
continued_start <- function(problem) {
  layout <- problem$layout
  if (is.null(problem$warm_start) || anyNA(layout$start[problem$free])) return(NULL)
  list(to_working(ifelse(layout$fixed, layout$value, layout$start), layout$transform))
}

# The logit of a share that is 1 but for rounding.
beyond_bound <- 30

# ---- the separable model in a product-sum --------------------------------------------------------

# The problem with the optimum of the separable model among its candidates, and a start from there.
# An earlier fit is continued as it is.
from_separable <- function(problem, share = 0.8) {
  nested <- separable_problem(problem)
  if (is.null(nested)) return(problem)
  found <- if_computable(fit_method(nested$method, nested))
  if (is.null(found)) return(problem)
  product <- problem$layout$kind == "share_product" & problem$free
  problem$nested <- list(found$working)
  further <- clamp(replace(found$working, product, stats::qlogis(share)), problem$bounds,
    problem$free)
  problem$further_starts <- c(problem$further_starts, list(further))
  problem
}

# NULL where there is no share to be estimated. A share of exactly 1 gives the very numbers of a fit
# of the separable model, and with them its neighbours.
separable_problem <- function(problem) {
  layout <- problem$layout
  product <- layout$kind == "share_product" & problem$free
  given <- !anyNA(layout$start[problem$free]) || !is.null(problem$warm_start)
  if (!any(product) || given) return(NULL)
  rest <- layout$kind == "share_space" & layout$component %in% layout$component[product]
  problem$layout$value[product] <- 1
  problem$layout$value[rest] <- 0.5
  problem$layout$fixed[product | rest] <- TRUE
  problem$free <- is_estimated(problem$layout)
  started_problem(problem_at_rows(problem), problem)
}
