# Whole locations predicted from the others, and the rows of a location from each other.
#
# Let the other locations predict the columns cbar_l of location l (location-means.R) by m_l, and
# its field with variance f_l. Given them, the error of the mean of l is cbar_l - m_l, with variance
# f_l + t / Om_l. The contrasts between its rows, with Gram matrix W_l / t, are independent of this
# error. Without the location the coefficients lack the information of these independent parts. The
# same holds for the outputs at a location (leave-one-out.R), each with a mean and contrasts. Each
# row is predicted by m_l and its own covariates.

# Leave-one-out predictions of the fit leave out the unit `leave_out`. Where it is NULL, the unit is
# a row for one response, and the unit that the method sets for several responses.
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

# Like weights_of_others(), with the location of each row left out.
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

# Predictions of each row by the other locations. `given`: the predictions of `means`, the data that
# at_locations() returns. `chain`: predictions of the rows of `means` that also use the earlier rows
# at the same location, so that their errors are independent.
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

# Let the other locations predict the columns of location l by m_l, with variance f_l of the field.
# Let p and c be the precision and the mean of the other rows than i at the location. In the product
# of these two normal densities of w_l, the variance s is given by 1 / s = 1 / f_l + p. The
# prediction is s (m_l / f_l + p c). With several responses l is a pair of location and output.
# `means`: the data that `given` predicts. Weights of compressed effects are those of the location,
# and take its own mean as a further neighbour.
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
