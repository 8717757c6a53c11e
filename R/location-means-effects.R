# Location means of models with many random effects, whose columns R/effects-pass.R integrates out
# by a sparse factor. If each location belongs to one level of every group, the effects act on the
# means alone, and deviations from the means are free of them. Otherwise a mean would have the
# columns of all levels of its rows, and the rows stay apart.

# Whether all rows of a location are in the same columns of effects. The mean of others is in many.
has_effects_of_locations <- function(data, index = location_index(data$coords)) {
  Z <- data$effects$Z
  first <- match(seq_len(max(index, 0L)), index)[index]
  all(vapply(seq_len(ncol(Z)), function(j) identical(Z[, j], Z[first, j]), NA))
}

# Effects in a sparse factor are those of means only where they are those of locations.
keeps_rows_for_effects <- function(problem) {
  has_effects_pass(problem) && effects_need_rows(problem$data)
}

effects_need_rows <- function(data) {
  !is.null(data$noise) || length(data$by) > 0L || !has_effects_of_locations(data)
}

# The terms from within locations, which effects that are the same there play no part in.
within_trend <- function(data, targets) {
  of_trend <- seq_len(1L + ncol(data$X))
  terms <- within_terms(data$within, targets)
  lapply(terms, function(one) replace(one, "gram", list(one$gram[of_trend, of_trend,
    drop = FALSE])))
}

# Adds to the derivatives of a profile what the deviations tell of the nugget.
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
