# The leave-one-out score of single rows where locations repeat. A row is predicted from the other
# rows of its location and from k other locations. Means at locations contain all the information of
# their rows (location-means.R). The table therefore begins with all rows, which are the targets,
# and then lists the means of all locations. Last come, for each row that shares its location, the
# mean of the other rows there.

# `problem`: a problem of location means. Returns the `problem` of that table and `others`, a
# function of component, targets and k that returns their neighbours in it.
single_row_problem <- function(problem) {
  rows <- problem$all_rows
  means <- problem$data
  n <- length(rows$y)
  index <- location_index(rows$coords)
  shared <- which(tabulate(index)[index] > 1L)
  problem$data <- join_data_rows(rows, means, others_at_rows(rows, shared, index))
  problem["all_rows"] <- list(NULL)
  rest <- replace(rep(NA_integer_, n), shared, n + length(means$y) + seq_along(shared))
  locations <- list(coords = means$coords)
  list(problem = problem, others = function(component, targets, k) {
    nearest <- nearest_other_locations(locations, index[targets], component, k, problem$context)
    rbind(n + nearest, rest[targets], deparse.level = 0L)
  })
}

# For each of these rows, the mean of the others at its location, with the weight of these.
others_at_rows <- function(data, rows, index) {
  means <- take_data_rows(data, rows)
  of_rows <- cbind(data$y, data$offset, data$X, data$effects$Z)
  others <- others_at_location(of_rows[rows, , drop = FALSE], data$weights[rows], index[rows])
  trend <- 2L + seq_len(ncol(data$X))
  means[c("y", "offset")] <- list(others$mean[, 1L], others$mean[, 2L])
  means$X[] <- others$mean[, trend]
  if (has_effects(data)) means$effects$Z[] <- others$mean[, -c(1:2, trend)]
  means$weights <- others$weight
  means
}

# Tables of the same columns one below the other, as observations.
join_data_rows <- function(...) {
  parts <- list(...)
  joined <- parts[[1L]]
  joined[c("untransformed", "within")] <- NULL
  for (name in c("y", "offset", "weights")) joined[[name]] <- unlist(lapply(parts, `[[`, name))
  for (name in c("X", "coords")) joined[[name]] <- do.call(rbind, lapply(parts, `[[`, name))
  if (has_effects(joined)) {
    joined$effects$Z <- do.call(rbind, lapply(parts, function(part) part$effects$Z))
  }
  joined
}

# Predictions of each row's field by the other rows, where the fit is conditioned on points. Let m_i
# and f_i be the mean and variance of the field given all points. With the noise v_i and the columns
# c_i of response and trend, the other rows leave the variance s_i = 1 / (1 / f_i - 1 / v_i). They
# predict s_i (m_i / f_i - c_i / v_i).
without_own_row <- function(object, settings) {
  data <- object$data
  settings$context <- prediction_context(object, length(data$y), settings)
  settings$local_mean <- FALSE # which would be a part of the variance
  scaled <- function(data) core_scale(data$coords, metric_component(object$core_covariance))
  neighbors <- if (!settings$exact) core_neighbors_to(scaled(conditioned_data(object)),
    scaled(data), min(settings$k, count_conditioned(object)), settings$context)
  given <- conditional_weights(object, data$coords, settings, neighbors)
  noise <- noise_of_rows(object)
  field <- pmax(given$variance, 0)
  kept <- 1 - field / noise
  list(weighted = (given$weighted - field / noise * response_columns(data)) / kept,
    variance = field / kept)
}
