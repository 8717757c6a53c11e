# Many inducing points after few. Ranges and noise are much the same with a quarter of the points, by
# which an evaluation takes a sixteenth of the time; all points then begin in the metric of those
# ranges, which the places of few rows could not tell, and have nothing left to find but positions
# and what they change.

# How many points come first; 0 where there is nothing to gain: positions are given, all parameters
# are, or the whole of them are few.
fewer_points <- function(method, problem, positions, least = 32L) {
  few <- ceiling(nrow(positions) / 4)
  chosen <- is.null(method$inducing) || length(method$inducing) == 1L
  kept <- !is.null(problem$inducing) || !is.null(problem$start_positions)
  if (method$optimizer != "auto" || kept || !chosen || !any(problem$free) || few < least) 0L else few
}

# Evaluations by few points are told as such, since their bound is lower, and their positions are
# not what a fit that is interrupted goes on from.
fit_from_fewer <- function(problem, field, method, working, few, number) {
  first <- field
  first$keep <- if (!is.null(field$keep)) function(working, positions = NULL) field$keep(working)
  first$report_bound <- function(step, value, ..., unit = "evaluations", of = NULL) {
    field$report_bound(step, value, ..., unit = sprintf("%s by %d points", unit, few), of = of)
  }
  method_of_few <- replace(method, "inducing", few)
  reached <- fit_by_batches(first, method_of_few, working, start_positions(method_of_few, first,
    component_at(first, working), few))
  reached <- fit_after_batches(first, method_of_few, reached)
  positions <- start_positions(method, field, component_at(field, reached$working), number)
  fit_after_batches(problem, method, list(working = beside_effects(problem, reached$working),
    positions = positions))
}
