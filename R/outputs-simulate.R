# Conditional simulation of several responses. Locations follow in maxmin order, and at each
# location the outputs one after the other. Each value is drawn given its nearest among the
# observations and the earlier draws, at the same location as well.

#' @export
simulation_draws.neargp_method_outputs <- function(method, object, target, nsim, settings) {
  P <- length(object$outputs)
  m <- nrow(target$coords)
  index <- location_index(target$coords)
  coords <- target$coords[!duplicated(index), , drop = FALSE]
  data <- if (settings$conditional) conditioned_data(object) else
    take_data_rows(object$data, integer(0))
  betas <- draw_trend(object, nsim, settings$conditional)
  field <- outputs_field(object$method, object, data, coords, betas, settings)
  # rows are output after output, also of the field and the trend
  sd <- sqrt(noise_of_targets(object, m * P) / (target$weights %||% 1))
  noise <- if (settings$noise) stats::rnorm(m * P * nsim) * sd else 0
  X <- stacked_targets(object, target$coords, target$X)$X
  drawn <- field[index + rep((seq_len(P) - 1L) * nrow(coords), each = m), , drop = FALSE] +
    design_columns(data, X) %*% betas + noise
  # to location x draw x output
  aperm(array(base_mean(data, X, 0) + drawn, c(m, P, nsim)), c(1L, 3L, 2L))
}

# The field at locations, a row for each of their outputs, output after output, given the data and a
# draw of the trend in each column. Only values that nothing at the location determines are drawn.
# An output without noise is known where it was observed. Where there are fewer factors than
# outputs, some outputs are combinations of the others everywhere. Conditioning on both would be
# singular.
outputs_field <- function(method, object, data, coords, betas, settings) {
  UseMethod("outputs_field")
}

#' @export
outputs_field.default <- function(method, object, data, coords, betas, settings) {
  columns <- response_columns(data)
  values <- columns[, 1L] - columns[, -1L, drop = FALSE] %*% betas
  known <- known_outputs_at(object, data, coords)
  parts <- lapply(split(seq_len(nrow(coords)), drop(!is.na(known)) %*% 2^seq_len(ncol(known))),
    function(places) {
      c(list(places = places), combined_outputs(total_loadings(object),
        !is.na(known[places[1L], ])))
    })
  is_drawn <- matrix(FALSE, nrow(known), ncol(known))
  for (part in parts) is_drawn[part$places, part$basis] <- TRUE
  is_drawn[!is.na(known)] <- FALSE
  field <- values[known, , drop = FALSE]
  if (any(is_drawn)) {
    field[is_drawn, ] <- drawn_outputs(object, data, coords, which(is_drawn, arr.ind = TRUE),
      values, settings)
  }
  rows_of <- function(places, output) (output - 1L) * nrow(known) + places
  for (part in parts)
    for (q in which(!seq_len(ncol(known)) %in% part$basis & is.na(known[part$places[1L], ]))) {
      field[rows_of(part$places, q), ] <- Reduce(`+`,
        Map(function(b, coefficient) coefficient * field[rows_of(part$places, b), , drop = FALSE],
          part$basis, part$coefficients[q, ]))
    }
  field
}

# Row of the data that is the field itself, for each location and output; NA where there is none.
known_outputs_at <- function(object, data, coords) {
  rows <- lapply(seq_along(object$outputs), function(p) {
    own <- if (object$nugget[[p]] == 0) which(data$output == p) else integer(0)
    own[match_locations(coords, data$coords[own, , drop = FALSE])]
  })
  do.call(cbind, rows)
}

# The loadings of all structures side by side: outputs with dependent rows are combinations of each
# other, whatever the factors are.
total_loadings <- function(object) {
  do.call(cbind, lapply(object$core_covariance$components, `[[`, "loadings"))
}

# `basis`: outputs of which all others are combinations, with `coefficients`; those that are `first`
# take precedence. If the others leave less than 1e-12 of an output's variance, it counts as one of
# these combinations.
combined_outputs <- function(loadings, first) {
  size <- sqrt(rowSums(loadings^2))
  size[size == 0] <- 1
  scaled <- loadings / size
  order <- c(which(first), which(!first))
  decomposition <- qr(t(scaled[order, , drop = FALSE]), tol = 1e-6)
  basis <- order[decomposition$pivot[seq_len(decomposition$rank)]]
  coefficients <- t(qr.coef(qr(t(scaled[basis, , drop = FALSE])), t(scaled)))
  list(basis = basis, coefficients = coefficients * outer(size, size[basis], `/`))
}

# `at`: row of coords and output of each draw.
drawn_outputs <- function(object, data, coords, at, values, settings) {
  place <- at[, 1L]
  output <- at[, 2L]
  normals <- matrix(stats::rnorm(length(place) * ncol(values)), ncol = ncol(values))
  drawn <- check_drawn(if (draws_dense(object, length(data$y) + length(place), settings)) {
    core_exact_simulate(data$coords, values, 1 / data$weights, coords[place, , drop = FALSE],
      as_specified(object$core_covariance), 0, normals, settings$context, data$output, output)
  } else {
    plan <- outputs_simulation_plan(object, data, coords, place, output, settings)
    core_simulate(data$coords, values, 1 / data$weights, coords[place, , drop = FALSE], plan$order,
      plan$neighbors, as_specified(object$core_covariance), 0, normals, settings$context,
      data$output, output)
  })
  tell_jitter(drawn$jitter)
  drawn$field
}

outputs_simulation_plan <- function(object, data, coords, place, output, settings) {
  component <- metric_component(object$core_covariance)
  n <- length(data$y)
  P <- length(object$outputs)
  queries <- core_scale(coords, component)
  order <- core_order(queries, "maxmin", 0, settings$context)
  rank <- integer(nrow(coords))
  rank[order] <- seq_along(rank)
  own_rank <- 1L + (rank[place] - 1L) * P + output
  scaled <- rbind(core_scale(data$coords, component), queries[place, , drop = FALSE])
  all_rank <- c(rep(1L, n), own_rank)
  rows <- split(seq_along(all_rank), factor(c(data$output, output), seq_len(P)))
  targets <- split(seq_along(output), factor(output, seq_len(P)))
  neighbors <- gather_neighbors(targets, settings$k, settings$k_other, function(p, q, wanted) {
    own <- n + targets[[p]]
    if (!length(own)) return(matrix(NA_integer_, 1L, 0L))
    within_rows(core_neighbors_earlier(scaled[rows[[q]], , drop = FALSE], all_rank[rows[[q]]],
      scaled[own, , drop = FALSE], all_rank[own], wanted, settings$context), rows[[q]])
  })
  list(order = order(own_rank), neighbors = neighbors)
}
