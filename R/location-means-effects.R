# Location means of models with many random effects, whose columns R/effects-pass.R integrates out
# by a sparse factor. If each location belongs to one level of every group, the effects act on the
# means alone, and deviations from the means are free of them. Otherwise a mean would combine the
# columns of all levels of its rows, so the rows are not averaged.

# Whether all rows of a location are in the same columns of effects. If not, their mean is in many.
has_effects_of_locations <- function(data, index = location_index(data$coords)) {
  Z <- data$effects$Z
  first <- match(seq_len(max(index, 0L)), index)[index]
  all(vapply(seq_len(ncol(Z)), function(j) identical(Z[, j], Z[first, j]), NA))
}

# Effects in a sparse factor use means only where the effects are constant at each location.
keeps_rows_for_effects <- function(problem) {
  has_effects_pass(problem) && effects_need_rows(problem$data)
}

effects_need_rows <- function(data) {
  !is.null(data$noise) || length(data$by) > 0L || !has_effects_of_locations(data)
}

# The terms from within locations. Effects that are constant there do not enter them.
within_trend <- function(data, targets) {
  of_trend <- seq_len(1L + ncol(data$X))
  terms <- within_terms(data$within, targets)
  lapply(terms, function(one) replace(one, "gram", list(one$gram[of_trend, of_trend,
    drop = FALSE])))
}

# Adds the deviations' share of the derivatives with respect to the nugget to those of a profile.
add_within_derivatives <- function(profile, pass, contrasts, nugget) {
  row <- pass$nugget_row
  for (terms in pass$within) {
    squares <- sum(contrasts * (terms$gram %*% contrasts)) / nugget
    profile$of_field[row] <- profile$of_field[row] - 0.5 * (terms$contrasts - squares)
    if (is.null(profile$information)) next
    profile$information[row, row] <- profile$information[row, row] + terms$contrasts / 2
  }
  profile
}
