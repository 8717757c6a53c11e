# The posterior of the field at the points of areas, a list:
#   `mean`: the mean at each point, with the trend.
#   `unseen`: D = X - H, the columns of the trend less what the data predict of them, a row a point.
#   `vcov`: the covariance matrix V of the coefficients.
#   `is_sparse`: whether draws at thousands of points take no longer than their covariance matrix.
# The other elements are functions. They describe the field given the coefficients:
#   `variances()`: the variances of the weighted mean over each area with points, in order.
#   `covariance()`: the covariance matrix of these means.
#   `blocks(areas)`: a list of the covariance matrices of the points of each of these areas.
#   `draws(n)`: draws of the field at the points about its mean, a column each.

area_posterior <- function(method, object, support, settings) {
  UseMethod("area_posterior")
}

#' @export
area_posterior.default <- function(method, object, support, settings) {
  given <- area_observations(method, object)
  if (has_areal_data(object)) return(areal_area_posterior(given, support, settings))
  if (is.null(settings$k) && is_dense_fit(object)) dense_area_posterior(given, support) else
    latent_area_posterior(given, support, settings)
}

# The observations of the field at the rows of the fit, each normal with precision W. `natural` is
# W (y - base), to which the trend adds W X. `object`: a fit with the data, covariance and trend
# that these belong to. `bias`: of the linear predictor.
area_observations <- function(method, object) {
  UseMethod("area_observations")
}

#' @export
area_observations.default <- function(method, object) {
  observations_as_they_are(object)
}

observations_as_they_are <- function(object, bias = 0) {
  columns <- response_columns(object$data)
  precision <- object$data$weights / max(object$nugget, area_jitter * field_variance(object))
  new_area_observations(object, precision, precision * columns[, 1L], columns[, -1L, drop = FALSE],
    bias)
}

new_area_observations <- function(object, precision, natural, design, bias = 0,
                                  jitter = area_jitter) {
  list(object = object, precision = precision, natural = natural, design = design, bias = bias,
    jitter = jitter)
}

# Responses of other families are pseudo-observations with W and the natural mean W eta + slope.
#' @export
area_observations.neargp_vnngp_families <- function(method, object) {
  posterior <- object$posterior
  precision <- posterior$pseudo_precision
  natural <- precision * (posterior$linear_predictor - base_mean(object$data)) + posterior$slope
  new_area_observations(object, precision, natural, unname(design_columns(object$data)),
    jitter = method$jitter)
}

area_jitter <- 1e-6  # share of the variance that is added to each node, as by vnngp()

# ---- dense ---------------------------------------------------------------------------------------

dense_area_posterior <- function(given, support) {
  object <- given$object
  data <- conditioned_data(object)
  specification <- as_specified(object$core_covariance)
  covariance <- function(a, b) core_covariance_matrix(a, b, specification)
  factor <- joint_factor(object, data)
  coords <- support$target$coords
  solved <- backsolve(factor, backsolve(factor, response_columns(data), transpose = TRUE))
  across <- function(rows) covariance(data$coords, coords[rows, , drop = FALSE])
  parts <- lapply(point_chunks(support, 2e7 / length(data$y)), function(rows) {
    part <- across(rows)
    list(weighted = crossprod(part, solved), averaged = rowsum(t(part) * support$weight[rows],
      support$area[rows], reorder = FALSE))
  })
  of_parts <- function(name) do.call(rbind, lapply(parts, `[[`, name))
  whiten <- function(cross) backsolve(factor, cross, transpose = TRUE)
  explained <- whiten(t(of_parts("averaged")))
  with_area_trend(given, support, of_parts("weighted"), list(
    variances = function() dense_prior_variances(support, covariance) - colSums(explained^2),
    covariance = function() dense_prior_covariance(support, covariance) - crossprod(explained),
    blocks = function(areas) lapply(areas, function(area) {
      rows <- which(support$area == area)
      place <- coords[rows, , drop = FALSE]
      covariance(place, place) - crossprod(whiten(across(rows)))
    }),
    draws = function(n) {
      check_places(nrow(coords))
      draw_rest(covariance(coords, coords) - crossprod(whiten(across(seq_len(nrow(coords))))), n)
    }))
}

# Rows of whole areas, at most `most` at a time unless a single area takes more.
point_chunks <- function(support, most) {
  size <- tabulate(match(support$area, unique(support$area)))
  chunk <- cumsum(as.double(size)) %/% max(most, 1)
  split(seq_along(support$area), rep(chunk, size))
}

dense_prior_variances <- function(support, covariance) {
  vapply(split(seq_along(support$area), support$area), function(rows) {
    place <- support$target$coords[rows, , drop = FALSE]
    sum(support$weight[rows] * drop(covariance(place, place) %*% support$weight[rows]))
  }, 0, USE.NAMES = FALSE)
}

dense_prior_covariance <- function(support, covariance, most_points = 50000L) {
  coords <- support$target$coords
  if (nrow(coords) > most_points) {
    abort_neargp("size", c(
      sprintf("The joint covariance of areas with %s points together takes too long.",
        format_count(nrow(coords))), i = "Give a greater `spacing`, or fewer areas."))
  }
  chunks <- point_chunks(support, 2e7 / nrow(coords))
  halves <- lapply(chunks, function(rows) {
    rowsum(covariance(coords[rows, , drop = FALSE], coords) * support$weight[rows],
      support$area[rows], reorder = FALSE)
  })
  t(area_means(t(do.call(rbind, halves)), support))
}
