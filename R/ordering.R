# The order of the rows. Each row is conditioned on its neighbours among those before it.

row_orderings <- c("auto", "maxmin", "random", "coordinate", "pca", "given")

row_order <- function(problem, component, ordering, key, k) {
  data <- problem$data
  scaled <- core_scale(data$coords, component)
  if (ordering != "auto") return(order_places(scaled, ordering, key, problem$context))
  chosen_order(scaled, data, component, k, problem$context)
}

# With many predictors no single one sorts the locations well, but their first component does.
order_places <- function(scaled, ordering, key, context) {
  if (ordering == "given") return(seq_len(nrow(scaled)))
  if (ordering != "pca") return(core_order(scaled, ordering, key, context))
  core_order(first_component(scaled), "coordinate", 0, context)
}

# The sign is that of the coordinate with the largest share, so that it depends on no library.
first_component <- function(x) {
  centred <- sweep(x, 2L, colMeans(x))
  direction <- eigen(crossprod(centred), symmetric = TRUE)$vectors[, 1L]
  centred %*% (direction * sign(direction[which.max(abs(direction))]))
}

# "auto" stands for the maxmin order if the covariance depends on one distance.
settle_ordering <- function(method, covariance) {
  if (identical(method$ordering, "auto") && !has_space_time(covariance)) method$ordering <- "maxmin"
  method
}

# ---- the choice in space and time ----------------------------------------------------------------

# Let v_i be the conditional variances of an order. The divergence of Vecchia's density from the
# exact one is (sum of log v_i - log determinant) / 2. The order with the smallest sum of log v_i is
# therefore the best one. The sum is that of some rows in the middle of the data, with all their
# neighbours among them.
# `scaled`: the coordinates in the metric of the component.
chosen_order <- function(scaled, data, component, k, context) {
  if (is.null(component$field)) return(core_order(scaled, "maxmin", 0, context))
  rows <- middle_rows(scaled)
  some <- list(coords = data$coords[rows, , drop = FALSE], weights = data$weights[rows])
  sums <- vapply(space_time_orders, function(order_of) {
    order <- order_of(scaled[rows, , drop = FALSE], context)
    log_conditional_variances(some, scaled[rows, , drop = FALSE], order, component, k, context)
  }, 0)
  space_time_orders[[which.min(sums)]](scaled, context)
}

# `time`: locations at one time follow each other by their first coordinate. `coordinate`: the times
# of each location follow each other. Stations at common times lose less than in any order that
# jumps.
space_time_orders <- list(
  maxmin = function(scaled, context) core_order(scaled, "maxmin", 0, context),
  time = function(scaled, context) {
    core_order(with_common_times(scaled)[, c(ncol(scaled), seq_len(ncol(scaled) - 1L))],
      "coordinate", 0, context)
  },
  coordinate = function(scaled, context) {
    core_order(with_common_times(scaled), "coordinate", 0, context)
  }
)

# Coordinates that differ by rounding would not be the same time or station.
with_common_times <- function(scaled) {
  vapply(seq_len(ncol(scaled)), function(j) rounded_coordinate(scaled[, j]), scaled[, 1L])
}

middle_rows <- function(scaled, most = 2000L) {
  n <- nrow(scaled)
  if (n <= most) return(seq_len(n))
  distance2 <- rowSums(sweep(scaled, 2L, apply(scaled, 2L, stats::median))^2)
  sort(order(distance2)[seq_len(most)])
}

# Their sum, infinite where a conditional variance cannot be computed.
log_conditional_variances <- function(data, scaled, order, component, k, context) {
  field <- component$field$covariance
  neighbors <- core_neighbors_before(scaled, order, min(k, nrow(scaled) - 1L), context,
    search_lags(component))
  pointer <- core_problem(places_of_field(data$coords, component), matrix(0, nrow(scaled), 1L),
    1 / data$weights, neighbors, context, NULL, NULL)
  parts <- core_evaluate(pointer, as_specified(field), field$nugget %||% 0, FALSE, context)
  if (parts$failed > 0L || !is.finite(parts$log_det)) Inf else parts$log_det
}
