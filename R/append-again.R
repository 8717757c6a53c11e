# All rows of a fit by its method again. The parameters are fixed, or the search starts from them.

# `earlier`: the fit before, to the first n rows of `fit`.
conditioned_again <- function(earlier, fit, n) {
  rows <- seq_along(fit$data$y)
  problem <- held_problem(fit$method, fit, rows, refit_context(fit, rows))
  check_new_places(problem)
  given <- in_kept_order(earlier, problem, n)
  solved <- fit_problem(started_problem(given$problem))
  found <- with_found(fit, solved, given$order)
  estimated <- c("layout", "parameters", "covariance_vcov", "interval_vcov", "information",
    "convergence", "method")
  found[estimated] <- fit[estimated]
  score_by_left_out(with_own_cache(with_kept_spread(earlier, found)))
}

# All parameters from all rows, from those of the fit.
estimated_again <- function(object) {
  began <- proc.time()[["elapsed"]]
  tell_lost_recalibration(object)
  object$family["recalibration"] <- list(NULL)
  object$method <- method_for(object$method, object$family, object$data)
  rows <- seq_along(object$data$y)
  solved <- fit_problem(started_problem(fold_problem(object, rows, refit_context(object, rows))))
  fit <- with_found(object, solved, NULL)
  fit$bounds <- lapply(solved$problem$bounds[c("lower", "upper")], stats::setNames,
    fit$layout$name)
  elapsed <- proc.time()[["elapsed"]] - began
  fit$elapsed <- c(prepare = 0, fit = elapsed, total = elapsed)
  if (!is.null(object$appended)) fit$appended <- none_since(length(rows), object$appended$total)
  warn_unless_converged(fit)
  with_own_cache(fit)
}

# The fit with what solves a problem of its rows, taken in this `order`.
with_found <- function(fit, solved, order) {
  found <- with_estimates(fit, solved$problem, solved$result)
  found$log_likelihood <- solved$result$value + penalty_at(solved$problem$layout,
    solved$result$working)
  found$beta_vcov <- named_square(found$beta_vcov, fit$data$X)
  if (!is.null(order)) found$data <- take_data_rows(found$data, order(order))
  lost <- setdiff(names(fit$data), names(found$data))
  found$data[lost] <- fit$data[lost]
  with_jacobian(found)
}

# As check_problem() refuses rows of a first fit.
check_new_places <- function(problem) {
  places <- places_of(problem$data$coords, problem$locations)
  for (rows in rows_without_noise(problem)) {
    shared <- rows[duplicated_locations(places[rows, , drop = FALSE])]
    if (!length(shared)) next
    abort_neargp("duplicates", c(
      sprintf("With nugget = 0 all rows must be at different locations, but %s share one.",
        format_rows(shared)),
      x = "Rows of `newdata` are numbered after those of the fit.",
      i = "Leave out rows at locations of the fit, or fit with a nugget."))
  }
}

# The problem of vecchia() with its rows in the order of the fit, and new locations after them.
in_kept_order <- function(earlier, problem, n) {
  if (!inherits(problem$method, "neargp_vecchia") || problem$method$ordering == "given") {
    return(list(problem = problem, order = NULL))
  }
  place <- key_of_rows(problem$data)
  first <- which(!duplicated(place[seq_len(n)]))
  key <- if (problem$method$ordering == "random") order_key() else 0
  places <- list(data = take_data_rows(problem$data, first), context = problem$context)
  component <- metric_component(earlier$core_covariance)
  order <- row_order(places, component, problem$method$ordering, key, earlier$k)
  rank <- seq_len(max(place))
  rank[order] <- seq_along(order)
  order <- order(rank[place])
  problem$data <- take_data_rows(problem$data, order)
  problem$method$ordering <- "given"
  list(problem = problem, order = order)
}

# The uncertainty that the parameters add to coefficients (R/trend-uncertainty.R) is that of the
# estimation, in the columns of the new basis.
with_kept_spread <- function(earlier, fit) {
  spread <- earlier$core_trend$spread
  if (is.null(spread)) return(fit)
  natural <- earlier$data$basis$back %*% spread %*% t(earlier$data$basis$back)
  onward <- solve(fit$data$basis$back)
  fit$core_trend$spread <- onward %*% natural %*% t(onward)
  fit$beta_vcov <- fit$beta_vcov + natural
  fit
}
