# The search for several responses begins at the fits of single responses. Two or three responses
# begin with the fields and ranges of these, so that the loadings are diagonal. The objective is
# then the sum of those of the single fits. For more the fields are factors of the posterior means
# of the single fits.

# `coords`: of all locations. Returns the `loadings` of each structure and which of them are `free`.
joint_start_loadings <- function(structures, parts, coords, context) {
  deviations <- field_deviations(parts)
  count <- length(parts)
  separate <- vapply(structures, is_of_one_response, NA)
  factors <- if (!all(separate)) field_factors(parts, coords, deviations, context)
  reference <- structures[[1L]]$reference
  if (!is.null(reference)) factors <- factors_of_ratios(factors$covariance, reference)
  shares <- structure_shares(structures)
  pivots <- if (is.null(factors)) seq_len(count) else factors$pivots
  taken <- 0L
  loadings <- lapply(seq_along(structures), function(j) {
    structure <- structures[[j]]
    if (!is.null(structure$loadings)) return(structure$loadings)
    if (separate[j]) return(as.matrix(replace(double(count), structure$of,
      deviations[structure$of])))
    if (!is.null(structure$own)) {
      own <- matrix(0, count, structure$fields)
      own[cbind(structure$own, seq_along(structure$own))] <- deviations[structure$own]
      return(sqrt(shares[j]) * own)
    }
    A <- matrix(0, count, structure$fields)
    A[pivots, ] <- factor_columns_from(factors$covariance[pivots, pivots, drop = FALSE],
      taken + 1L, structure$fields)
    taken <<- taken + structure$fields
    sqrt(shares[j]) * A
  })
  free <- lapply(structures, function(structure) if (is_of_one_response(structure))
    matrix(TRUE, count, 1L) else free_loadings(structure, count, pivots))
  list(loadings = loadings, free = free)
}

# Factors of a covariance matrix from the given one on, so that structures begin with unlike ones.
# Where there are no more, the first ones again, turned a little towards single responses.
factor_columns_from <- function(covariance, first, fields) {
  count <- nrow(covariance)
  all <- loadings_of(covariance, count)
  if (fields == count) return(all)
  columns <- (first + seq_len(fields) - 2L) %% count + 1L
  again <- first + seq_len(fields) - 1L > count
  A <- if (first == 1L) loadings_of(covariance, fields) else all[, columns, drop = FALSE]
  A + 0.1 * sqrt(diag(covariance)) * rep(again, each = count)
}

# The share of the variance that structures begin with: shared ones together have twice as much as
# own ones. Constants of samples take none.
structure_shares <- function(structures) {
  structures <- Filter(function(x) !isTRUE(x$constant), structures)
  is_own <- vapply(structures, function(x) !is.null(x$own), NA)
  if (!any(is_own)) return(rep(1 / length(structures), length(structures)))
  ifelse(is_own, 1 / 3 / sum(is_own), 2 / 3 / sum(!is_own))
}

# Standard deviations of the fields of the single fits. A field of next to no variance begins with a
# twentieth of the scatter of its linear predictor: at loadings of 0 the objective is stationary.
field_deviations <- function(parts, least = 0.05) {
  vapply(parts, function(part) {
    unit <- if (is_gaussian(part$family)) stats::sd(part$data$y) else 1
    max(sqrt(field_variance(part)), least * unit)
  }, 0)
}

# The covariance of the single fields, from the correlations of their posterior means at all
# locations, shrunk towards none. A location without the response counts as the nearest one with it.
# `pivots`: the responses in the order of their communality with those before.
field_factors <- function(parts, coords, deviations, context) {
  means <- vapply(parts, function(part) {
    nearest <- core_neighbors_to(part$posterior$coords, coords, 1L, context)
    part$posterior$mean[as.matrix(nearest)[1L, ]]
  }, double(nrow(coords)))
  correlation <- suppressWarnings(stats::cor(means))
  correlation[!is.finite(correlation)] <- 0
  correlation <- 0.9 * correlation
  diag(correlation) <- 1
  covariance <- correlation * outer(deviations, deviations)
  list(covariance = covariance, pivots = communality_order(correlation))
}

# Those of the differences of linear predictors to the one of a reference.
factors_of_ratios <- function(covariance, reference) {
  contrasts <- diag(nrow(covariance))
  contrasts[, reference] <- contrasts[, reference] - 1
  ratios <- contrasts %*% covariance %*% t(contrasts)
  others <- setdiff(seq_len(nrow(covariance)), reference)
  list(covariance = ratios, pivots = others[communality_order(stats::cov2cor(ratios[others, others,
    drop = FALSE]))])
}

# The order of a pivoted Cholesky factor that begins with the response that shares most.
communality_order <- function(correlation) {
  leading <- eigen(correlation, symmetric = TRUE)
  common <- leading$vectors[, 1L]^2 * leading$values[1L]
  first <- which.max(common)
  left <- correlation - outer(correlation[, first], correlation[first, ]) /
    correlation[first, first]
  rest <- setdiff(order(-diag(left)), first)
  c(first, rest)
}

# ---- values --------------------------------------------------------------------------------------

# Working parameters at the start, in the order of the layout.
joint_start_working <- function(layout, structures, loadings, parts) {
  working <- rep(NA_real_, nrow(layout))
  separate <- vapply(structures, is_of_one_response, NA)
  for (j in seq_along(structures)) {
    working[layout$kind == "loading" & layout$component %in% j] <- as.vector(t(loadings[[j]]))
    rows <- which(layout$component %in% j & layout$kind != "loading")
    of <- structures[[j]]$of %||% structures[[j]]$own %||% seq_along(parts)
    working[rows] <- structure_start(layout[rows, ], parts[of])
  }
  for (m in seq_along(parts)) {
    rows <- which(layout$output %in% m)
    own <- parts[[m]]$parameters$working
    if (!all(separate)) own <- without_boundaries(parts[[m]], own)
    working[rows] <- own[layout$row[rows]]
  }
  given <- ifelse(layout$fixed, layout$value, layout$start)
  ifelse(is.na(given), working, to_working(given, layout$transform))
}

# A field of short range and a family without scatter can explain a single response. Shared fields
# cannot, and the search would stay there.
without_boundaries <- function(part, working) {
  is_family <- part$layout$kind == "family"
  ended <- is_family & part$parameters$at_boundary
  if (!any(ended)) return(working)
  data <- core_data(part$data)
  begun <- family_working(list(layout = part$layout, family = part$family, data = data),
    rough_glm(data, part$family), predictor_unit(data, part$family))
  working[ended] <- begun$start[ended[is_family]]
  working
}

# The mean of the working parameters of the parts' first component. Where a part has others, its
# first range stands for all. The range of a field without variance means nothing.
structure_start <- function(layout, parts) {
  vanished <- vapply(parts, function(part) any(part$parameters$at_boundary[part$layout$kind ==
    "variance"]), NA)
  if (!all(vanished)) parts <- parts[!vanished]
  each <- vapply(parts, function(part) {
    own <- which(part$layout$component %in% 1L & part$layout$kind != "variance")
    if (identical(part$layout$kind[own], layout$kind)) return(part$parameters$working[own])
    range <- part$parameters$working[own][part$layout$kind[own] == "range"][1L]
    ifelse(layout$kind == "range", range, 0)
  }, double(nrow(layout)))
  rowMeans(matrix(each, nrow(layout)))
}
