# Results of a fit with compressed effects: errors of the effects, and predictions. The matrix of
# all errors is never made. Let P = (I + W'W)^-1 for the columns Z L, K = P W'X, and let A be the
# trend's covariance matrix. For a row, let x and z be its columns of the trend and of L'(its
# entries), less what its neighbours predict of them. Its variance, in addition to that of the
# field, is
#
#   z'P z + e'A e with e = x - K'z.
#
# A sparse factor computes this from the columns that the sparse z reaches. Levels that the fit does
# not know add z'z for their entries z, since their u ~ N(0, I).

# The core's side of a fit at its estimates, with `answer` = K and `trend` = A. `of_effects` and
# `of_answer`: Z b and Z L K at the rows of conditioned_data(), the latter by columns of the trend.
cached_effects_pass <- function(object, context) {
  cached(object, "effects_pass", context, {
    pass <- pass_at(object, conditioned_data(object), context)
    c(pass, list(of_effects = slot_products(pass$slots, effects_beta(object)),
      of_answer = answer_products(pass$slots, pass$spherical, pass)))
  })
}

# Coefficients of the effects.
effects_beta <- function(object) {
  beta <- core_trend(object)$beta
  beta[seq_along(beta) > ncol(object$data$X)]
}

answer_products <- function(slots, spherical, pass) {
  slots$value <- spherical
  products <- vapply(seq_len(ncol(pass$answer)), function(j) slot_products(slots,
    pass$answer[, j]), double(nrow(spherical)))
  matrix(products, nrow(spherical))
}

# `data`: of at_locations().
pass_at <- function(object, data, context) {
  pass <- new_effects_pass(data, earlier_neighbors(object, data, context), context)
  pass$factors <- fitted_effects(object)$factors
  pass$spherical <- spherical_values(pass$slots, pass$blocks, pass$factors)
  sums <- core_effects_evaluate(pass$effects, as_specified(object$core_covariance),
    trend_nugget(object), pass$spherical, context)
  sums <- add_within(sums, pass$within, trend_nugget(object))
  profile <- if (sums$failed > 0L) list(value = -Inf) else profile_trend(sums,
    count_observations(data))
  if (!is.finite(profile$value)) abort_cholesky(sums$failed)
  core_effects_invert(pass$effects, context)
  solved <- core_effects_solve(pass$effects, NULL)
  pass$answer <- solved[, -1L, drop = FALSE]
  pass$trend <- profile$beta_vcov
  pass$beta <- c(profile$beta, from_spherical(drop(solved %*% profile$contrast), pass$blocks,
    pass$factors))
  pass
}

# The result of gls_trend() for compressed effects.
compressed_trend <- function(fit, data, context) {
  pass <- pass_at(fit, at_locations(data), context)
  list(beta = pass$beta, beta_vcov = pass$trend)
}

# Moments of the linear predictor of rows with the design X. `given`: the information of the
# neighbours on them, core_krige()'s result with its weights and the table of `neighbors`; NULL for
# the trend with the effects alone.
compressed_moments <- function(object, X, offset, given, context) {
  data <- object$data
  pass <- cached_effects_pass(object, context)
  columns <- design_columns(data, X)
  p <- ncol(data$X)
  own <- split_compressed(effects_part(data, columns), pass$blocks)
  spherical <- spherical_values(own, pass$blocks, pass$factors)
  effects <- slot_products(own, effects_beta(object)) - weighted_sums(given, pass$of_effects)
  through <- answer_products(own, spherical, pass)
  for (j in seq_len(p)) through[, j] <- through[, j] - weighted_sums(given, pass$of_answer[, j])
  x <- columns[, seq_len(p), drop = FALSE] - if (is.null(given)) 0 else
    given$weighted[, -1L, drop = FALSE]
  entries <- unseen_entries(own$column, spherical, pass, given)
  variance <- core_effects_forms(pass$effects, entries$column, entries$value, context) +
    row_forms(x - through, pass$trend) + rowSums((own$column < 0) * spherical^2)
  from_field <- if (is.null(given)) 0 else given$weighted[, 1L]
  list(mean = base_mean(data, X, offset, columns) + from_field +
    drop(row_products(x, core_trend(object)$beta[seq_len(p)])) + effects,
    variance = variance + if (is.null(given)) 0 else pmax(given$variance, 0))
}

# sum_l b_l x_l over the neighbours.
weighted_sums <- function(given, x) {
  if (is.null(given)) return(0)
  parts <- matrix(x[given$neighbors], nrow(given$neighbors)) * given$weights
  rowSums(parts, na.rm = TRUE)
}

# Entries of a row less the weighted ones of its neighbours; columns may repeat.
unseen_entries <- function(column, value, pass, given) {
  column <- pmax(column, 0)
  if (!is.null(given)) {
    absent <- is.na(given$neighbors)
    row <- replace(given$neighbors, absent, 1L)
    weights <- replace(given$weights, absent, 0)
    slots <- seq_along(pass$slots$block)
    of_neighbors <- function(entries) lapply(slots, function(slot) matrix(entries[row, slot],
      nrow(row)))
    column <- do.call(cbind, c(list(column), of_neighbors(pass$slots$column)))
    value <- do.call(cbind, c(list(value), lapply(of_neighbors(pass$spherical), `*`, -weights)))
  }
  storage.mode(column) <- "integer"
  list(column = unname(column), value = unname(value))
}

# The closed form of leave-one-out predictions combines two approximations: of the field given the
# nearest rows, and of the effects given Vecchia's likelihood. Close to leverage 1 it is a
# difference of two nearly equal numbers from these. `rows`: those that are close.
refuse_effect_leverage <- function(rows) {
  abort_neargp("size", c(sprintf(
    "Leave-one-out predictions are not available for rows that determine their own effects: %s.",
    format_rows(rows)), i = "Use cross_validate(), or fewer levels."))
}
