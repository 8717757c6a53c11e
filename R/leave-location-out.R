# Whole locations predicted from the others, and the rows of a location from each other.
#
# Let the other locations predict the columns cbar_l of location l (location-means.R) by m_l, and
# its field with the variance f_l. Given them the mean of l has the error cbar_l - m_l, of the
# variance f_l + t / Om_l, and the contrasts between its rows, with the Gram matrix W_l / t, are
# independent of it. Without the location the coefficients lack the information of these independent
# parts, as of the outputs at a location (leave-one-out.R), of which each has a mean and contrasts.
# Each row is predicted by m_l and its own covariates.

# A leave-one-out prediction of the fit leaves out `leave_out`, or where that is NULL a row of one
# response, and for several responses what the method says.
unit_left_out <- function(object, leave_out) {
  if (is.null(leave_out)) return(value_for(object$method, unit_of_method))
  leave_out <- check_choice(leave_out, "leave_out", c("row", "location"))
  if (leave_out %in% value_for(object$method, units_left_out, object)) return(leave_out)
  # a location of one row
  if (is.null(object$outputs) && !anyDuplicated(key_of_rows(object$data))) {
    return(leave_out)
  }
  abort_neargp("method",
    c(sprintf("Leave-one-out predictions by %s do not leave out a %s%s.",
      method_call(object$method), leave_out,
      if (leave_out == "location") " with several rows" else " of several responses"),
      i = "cross_validate(folds = \"location\") holds out whole locations."))
}

# The units that leave-one-out predictions can leave out. Where a covariate multiplies the field, no
# mean stands for a location.
units_left_out <- list(
  default = function(method, object) {
    if (has_ability(method, "location_means", object$family) && !is_compressed(object$data) &&
        !length(object$data$by)) c("row", "location") else "row"
  },
  svgp = function(method, object) if (is_latent(object)) "row" else c("row", "location"),
  svgp_families = "row", svgp_classes = "row", svgp_outputs = "location",
  method_outputs = c("row", "location")
)

# The unit that they leave out by default.
unit_of_method <- list(default = "row",
  method_outputs = function(method) method$leave_out %||% "location")

# Whether locations of several rows are left out, of one response.
leaves_locations_out <- function(object, leave_out) {
  unit_left_out(object, leave_out) == "location" && is.null(object$outputs) &&
    anyDuplicated(key_of_rows(object$data)) > 0L
}

# As of weights_of_others(), with the location of each row left out.
weights_of_locations <- function(object, settings) {
  at_means <- object
  at_means$data <- at_locations(object$data)
  given <- weights_of_other_locations(object$method, with_own_cache(at_means), settings)
  of_left_places(object, at_means$data, given)
}

# No location repeats in the data of `object`.
weights_of_other_locations <- function(method, object, settings) {
  UseMethod("weights_of_other_locations")
}

# Predictions of each row by the other locations. `given`: that of `means`, of at_locations();
# `chain`: what also the rows of `means` before one at its place predict, so that errors are
# independent.
of_left_places <- function(object, means, given, chain = given) {
  index <- mean_index(object$data, means)
  place <- means$place %||% seq_along(means$y)
  list(weighted = given$weighted[index, , drop = FALSE], variance = given$variance[index],
    unexplained = given$unexplained[index], place = place[index],
    parts = independent_parts(object, means, place, chain))
}

independent_parts <- function(object, means, place, chain) {
  variance <- pmax(chain$variance, 0) + noise_of_rows(object, means)
  of_means <- (response_columns(means) - chain$weighted) *
    ifelse(variance > 0, 1 / sqrt(variance), 0)
  nugget <- rep_len(noise_of_rows(object, list(output = means$output, weights = 1)), length(place))
  shared <- which(means$within$count > 0L)
  of_contrasts <- lapply(shared, function(l) {
    triangle(take_within(means$within, l)$columns) / sqrt(nugget[l])
  })
  list(columns = do.call(rbind, c(list(of_means), of_contrasts)),
    place = c(place, rep(place[shared], vapply(of_contrasts, nrow, 0L))))
}

# No more rows than columns, of the same Gram matrix.
triangle <- function(columns) {
  if (nrow(columns) <= ncol(columns)) return(columns)
  found <- qr(columns, LAPACK = TRUE)
  qr.R(found)[, order(found$pivot), drop = FALSE]
}

# ---- the other rows of a location ----------------------------------------------------------------

# Let the other locations predict the columns of location l by m_l, with variance f_l of the field,
# and let the other rows of the location than i have the precision p and the mean c. These add what
# they say of the field,
#
#   s = 1 / (1 / f_l + p),   s (m_l / f_l + p c),
#
# prediction and variance (the product of two normal densities of w_l). With several responses l is
# a pair of location and output. `means`: what the predictions `given` are of. Weights of compressed
# effects, which are those of the location, have its own mean as a further neighbour.
add_own_location <- function(object, means, given) {
  if (is.null(means$within)) return(given)
  data <- object$data
  index <- mean_index(data, means)
  others <- others_at_location(response_columns(data), data$weights, index)
  field <- pmax(given$variance, 0)[index]
  nugget <- noise_of_rows(object, list(output = data$output, weights = 1))
  gained <- field * others$weight / nugget
  share <- ifelse(is.finite(gained), gained / (1 + gained), 1)
  c(list(weighted = (1 - share) * given$weighted[index, , drop = FALSE] + share * others$mean,
    variance = (1 - share) * field), if (!is.null(given$weights)) list(
    weights = cbind((1 - share) * given$weights[index, , drop = FALSE], share, deparse.level = 0L),
    neighbors = cbind(given$neighbors[index, , drop = FALSE], index, deparse.level = 0L)))
}

# Weight and mean of the other rows of each row's location. Sums over the other rows keep their
# digits, where the sum over all rows less the row itself loses them to a large weight.
others_at_location <- function(columns, weights, index) {
  weight <- double(length(weights))
  mean <- columns
  of_others <- function(x) {
    last <- nrow(x)
    from_first <- rbind(0, apply(x, 2L, cumsum))[seq_len(last), , drop = FALSE]
    backwards <- x[last:1L, , drop = FALSE]
    from_first + rbind(0, apply(backwards, 2L, cumsum))[last:1L, , drop = FALSE]
  }
  for (rows in split(seq_along(index), index)) {
    if (length(rows) == 1L) next
    certain <- rows[is.infinite(weights[rows])]
    w <- replace(weights[rows], rows %in% certain, 0)
    weight[rows] <- of_others(cbind(w))
    mean[rows, ] <- of_others(w * columns[rows, , drop = FALSE]) / weight[rows]
    for (row in certain) {
      rest <- setdiff(rows, row)
      weight[rest] <- Inf
      mean[rest, ] <- rep(columns[row, ], each = length(rest))
    }
  }
  list(weight = weight, mean = mean)
}
