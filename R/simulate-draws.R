# Draws of the field at locations, given the data: the dense factor for few locations, else each
# location given its nearest ones (R/simulate.R calls them).

# The parts of each draw: trend coefficients, the residuals they leave at the data, and the process
# given these; at data without noise it is these. Blocks of draws bound the memory to that of about
# 50 million numbers. Several responses are an array of location x draw x output.
simulation_draws <- function(method, object, target, nsim, settings) {
  UseMethod("simulation_draws")
}

#' @export
simulation_draws.default <- function(method, object, target, nsim, settings) {
  m <- nrow(target$coords)
  place <- location_index(target$coords)
  coords <- target$coords[!duplicated(place), , drop = FALSE]
  observed <- conditioned_data(object)
  known <- if (settings$conditional && object$nugget == 0) match_locations(coords,
    observed$coords) else rep(NA_integer_, nrow(coords))
  coords <- coords[is.na(known), , drop = FALSE]
  data <- if (settings$conditional) observed else take_data_rows(observed, integer(0))
  draw <- field_drawer(object, data, coords, settings)
  betas <- draw_trend(object, nsim, settings$conditional)
  normals <- matrix(stats::rnorm(nrow(coords) * nsim), nrow(coords), nsim)
  noise <- if (settings$noise) sqrt(object$nugget / (target$weights %||% 1)) *
    matrix(stats::rnorm(m * nsim), m, nsim) else 0
  result <- base_mean(object$data, target$X, target$offset) +
    (design_columns(object$data, target$X) %*% betas + noise)
  columns <- response_columns(data)
  rows <- max(nrow(columns), m)
  jitter <- 0
  for (block in split(seq_len(nsim), ceiling(seq_len(nsim) * rows / 5e7))) {
    values <- columns[, 1L] - columns[, -1L, drop = FALSE] %*% betas[, block, drop = FALSE]
    drawn <- check_drawn(draw(values, normals[, block, drop = FALSE], betas[, block, drop = FALSE]))
    jitter <- max(jitter, drawn$jitter)
    field <- values[known, , drop = FALSE]
    field[is.na(known), ] <- drawn$field
    result[, block] <- result[, block] + field[place, , drop = FALSE]
  }
  tell_jitter(jitter)
  result
}

# A function of the residuals at the data, of normal numbers and of the trend's coefficients, a
# column of each for each draw.
field_drawer <- function(object, data, coords, settings) {
  noise_scale <- 1 / data$weights
  if (draws_dense(object, length(data$y) + nrow(coords), settings)) {
    return(function(values, normals, betas) {
      core_exact_simulate(data$coords, values, noise_scale, coords,
        as_specified(object$core_covariance), object$nugget, normals, settings$context)
    })
  }
  neighbor_drawer(object$method, object, data, coords, settings)
}

# The same from neighbours.
neighbor_drawer <- function(method, object, data, coords, settings) {
  UseMethod("neighbor_drawer")
}

#' @export
neighbor_drawer.default <- function(method, object, data, coords, settings) {
  noise_scale <- 1 / data$weights
  plan <- simulation_plan(object$core_covariance, data, coords, settings)
  function(values, normals, betas) {
    core_simulate(data$coords, values, noise_scale, coords, plan$order, plan$neighbors,
      as_specified(object$core_covariance), object$nugget, normals, settings$context)
  }
}

# Pseudo-observations were calibrated with the k of the fit, be that all others. `places`:
# observations and new ones together.
draws_dense <- function(object, places, settings) {
  if (settings$exact) {
    return(has_ability(object$method, "dense_draws") && fits_dense(object, places))
  }
  calibrated <- is.null(object$pseudo_observations) || sees_all_others(object)
  isTRUE(settings$few_dense) && calibrated && places <= few_places
}

fits_dense <- function(object, places) {
  most <- object$method$max_rows
  if (places <= most) return(TRUE)
  inform_neargp("neighbors",
    c(sprintf("Drawn with neighbours: %s observations and new locations are more than max_rows = %s of exact_gp().",
      format_count(places), format_count(most)),
      i = "For exact draws, ask for fewer locations, or raise max_rows in the fit if the memory is there."))
  FALSE
}

# Factors of locations that are close to each other next to the range of a smooth field.
check_drawn <- function(drawn) {
  if (drawn$failed == 0L) return(drawn)
  abort_neargp("cholesky",
    c("The covariance matrix of observations and new locations cannot be factored, even with 1e-6 of its variance on its diagonal.",
      i = "Use a rougher covariance or a nugget, or fewer observations and locations that nearly repeat each other."))
}

tell_jitter <- function(jitter) {
  if (jitter == 0) return(invisible())
  inform_neargp("jitter", sprintf(
    "%s of the field's variance was added to the diagonal: its covariance is too smooth for locations so close to each other.", format(jitter)))
}

simulation_plan <- function(covariance, data, coords, settings) {
  component <- metric_component(covariance)
  reference <- core_scale(data$coords, component)
  queries <- core_scale(coords, component)
  order <- core_order(queries, "maxmin", 0, settings$context)
  k <- min(settings$k, nrow(reference) + nrow(queries) - 1L)
  list(order = order, neighbors = core_neighbors_joint(reference, queries, order, k,
    settings$context, search_lags(component)))
}

# Draws coefficients of the trend in the core's coordinates.
draw_trend <- function(object, nsim, conditional) {
  refuse_compressed(object, "simulate()")
  trend <- core_trend(object)
  q <- length(trend$beta)
  if (has_effects(object$data)) return(draw_effects(object, nsim, conditional))
  if (q == 0L || !conditional) return(matrix(trend$beta, q, nsim))
  trend$beta + crossprod(chol(trend$beta_vcov), matrix(stats::rnorm(q * nsim), q, nsim))
}

# Few enough for a dense draw of any method to take less than a second: the factor of 1,500
# locations is 1 GFlop.
few_places <- 1500L

check_places <- function(places, most = 5000L) {
  if (places <= most) return(invisible())
  abort_neargp("size",
    c(sprintf("Draws of a fit by svgp() are joint for up to %s locations, and there are %s.",
      format_count(most), format_count(places)),
      i = "Ask for fewer locations, or draw from a fit by vecchia(), which takes any number."))
}

# Draws of the rest, of which there is none at inducing points but for rounding: the diagonal is
# raised as little as lets it be factored.
draw_rest <- function(covariance, nsim) {
  m <- nrow(covariance)
  normals <- matrix(stats::rnorm(m * nsim), m, nsim)
  scale <- max(diag(covariance))
  for (jitter in c(0, 1e-10, 1e-8, 1e-6)) {
    factor <- tryCatch(chol(covariance + diag(jitter * scale, m)), error = function(e) NULL)
    if (!is.null(factor)) {
      tell_jitter(jitter)
      return(crossprod(factor, normals))
    }
  }
  check_drawn(list(failed = 1L))
}
