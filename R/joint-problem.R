# The problem of several responses that share fields. It consists of the rows of all parts in the
# form of the core, one response after the other, and of the locations of the fields.

# `start`: a joint fit at which the search begins, NULL for the fits of single responses.
new_joint_problem <- function(parts, structures, method, control, context, session, start = NULL) {
  places <- places_of_parts(parts)
  begun <- if (is.null(start)) joint_start_loadings(structures, parts, places$coords, context) else
    loadings_of_start(start)
  locations <- parts[[1L]]$locations
  layout <- joint_layout(structures, begun$free, parts, locations)
  shared <- joint_problem(parts, structures, places, layout, locations, method, control, context,
    session)
  shared$start <- joint_start_working(layout, structures, begun$loadings, parts)
  if (!is.null(start)) shared$start <- with_start_of(shared$start, layout, start)
  shared$prior <- shared$prior && is_invertible(shared)
  shared$bounds <- joint_bounds(shared)
  shared$start <- clamp(shared$start, shared$bounds, shared$free)
  shared
}

# Whether the responses' correlation matrix can be inverted at the start.
is_invertible <- function(shared) {
  values <- to_core(shared$start, shared$layout$transform)
  A <- joint_loadings(shared$layout, values, length(shared$parts))
  rcond(stats::cov2cor(tcrossprod(A))) > 1e-8
}

# `places`: of places_of_parts().
joint_problem <- function(parts, structures, places, layout, locations, method, control, context,
                          session = new_session()) {
  new_state("neargp_joint_problem",
    parts = parts,                   # the fits of single responses, by name
    structures = structures,         # sets of fields, joint_structures()
    coords = places$coords,          # of the locations
    place = places$place,            # the location of each row
    shares = places$shares,          # the weights of the locations of areas, NULL without areas
    response = rep(seq_along(parts), vapply(parts, function(part) length(part$data$y), 0L)),
    data = data_of_parts(parts),     # rows as the core takes them
    common = common_map(parts),      # of coefficients that responses share, joint-common.R
    rows_of_parts = NULL,            # which rows of each part these are, NULL for all
    locations = locations,           # how locations are embedded
    method = method, control = control, context = context, session = session,
    groups = joint_groups(structures, locations),  # of each structure, see component_groups()
    layout = layout, free = !layout$fixed, bounds = NULL, start = NULL,
    # whether there is a prior of the responses' correlations
    prior = has_full_rank(structures, length(parts)) && !all_gaussian(parts) &&
      any(layout$kind == "loading" & !layout$fixed))
}

# The problem that a fit has solved, at its optimum.
fitted_joint_problem <- function(object, context) {
  known <- object$whole %||% object$posterior
  shared <- joint_problem(object$parts, object$structures, known, object$layout,
    object$locations, object$method, object$control, context)
  shared$start <- object$parameters$working
  shared$prior <- object$prior
  shared$bounds <- joint_bounds(shared)
  shared
}

joint_groups <- function(structures, locations) {
  lapply(structures, function(structure) component_groups(list(
    components = list(structure$component)), locations))
}

# Correlations of a factor model are singular by design. Those of ratios to a reference depend on
# the choice of the reference.
has_full_rank <- function(structures, count) {
  shared <- vapply(structures, function(x) is.null(x$own) && is.null(x$reference), NA)
  all(shared) && count_shared_fields(structures) >= count
}

# The responses, and a design with the trends of the responses as blocks. Columns of random effects
# come last.
data_of_parts <- function(parts) {
  data <- lapply(parts, function(part) core_data(part$data))
  rows <- lapply(data, function(x) length(x$y))
  together <- function(field, otherwise) unlist(Map(function(x, n) as.double(x[[field]] %||%
    rep(otherwise, n)), data, rows), use.names = FALSE)
  trend <- diagonal_blocks(lapply(data, function(x) unname(x$X)))
  effects <- diagonal_blocks(lapply(data, function(x) if (has_effects(x))
    as.matrix(x$effects$Z) else matrix(0, length(x$y), 0L)))
  observed <- lapply(data, core_observations)
  list(y = unlist(lapply(observed, `[[`, "y"), use.names = FALSE),
    trials = unlist(Map(function(x, n) as.double(x$trials %||% rep(1, n)), observed, rows),
      use.names = FALSE),
    weights = together("weights", 1), offset = together("offset", 0),
    design = cbind(trend, effects), effects = ncol(effects))
}

# A block diagonal matrix.
diagonal_blocks <- function(blocks) {
  rows <- vapply(blocks, nrow, 0L)
  columns <- vapply(blocks, ncol, 0L)
  result <- matrix(0, sum(rows), sum(columns))
  for (m in seq_along(blocks)) {
    result[sum(rows[seq_len(m - 1L)]) + seq_len(rows[m]),
      sum(columns[seq_len(m - 1L)]) + seq_len(columns[m])] <- blocks[[m]]
  }
  result
}

# The columns of the design that belong to a response: its trend, or its random effects.
columns_of_part <- function(parts, m, effects = FALSE) {
  trends <- vapply(parts, function(part) ncol(part$data$X), 0L)
  counts <- if (effects) vapply(parts, function(part) count_effects(part$data), 0L) else trends
  (if (effects) sum(trends) else 0L) + sum(counts[seq_len(m - 1L)]) + seq_len(counts[m])
}

# Those of structures as for single responses, and those of families and effects from the parts.
# Loadings stay within a hundred standard deviations of their response.
joint_bounds <- function(shared) {
  layout <- shared$layout
  lower <- rep(-Inf, nrow(layout))
  upper <- rep(Inf, nrow(layout))
  loading <- layout$kind == "loading"
  upper[loading] <- 100 * joint_units(shared)[loading]
  lower[loading] <- -upper[loading]
  for (j in seq_along(shared$structures)) {
    single <- structure_layout(layout, j)
    bounds <- working_bounds(list(layout = single$layout, groups = shared$groups[[j]],
      locations = shared$locations, data = list(coords = shared$coords,
        weights = rep(1, nrow(shared$coords)))), 1)
    inside <- seq_along(single$rows) + 1L
    lower[single$rows] <- bounds$lower[inside]
    upper[single$rows] <- bounds$upper[inside]
    single_range <- single$rows[layout$kind[single$rows] == "range"]
    if (is_replicated(shared$structures[[j]]$component)) single_range <- single_range[1L]
    if (length(single_range) == 1L) {
      lower[single_range] <- max(lower[single_range], log(least_shared_range(shared$coords,
        shared$context)))
    }
    # The likelihood does not see the loadings of a field that is constant over the data, and the
    # prior of correlations would choose them.
    if (shared$prior) {
      ranges <- single$rows[layout$kind[single$rows] == "range"]
      upper[ranges] <- upper[ranges] - log(100)
    }
  }
  for (m in seq_along(shared$parts)) {
    own <- which(layout$output %in% m)
    part <- shared$parts[[m]]
    names <- part$layout$name[layout$row[own]]
    lower[own] <- part$bounds$lower[names]
    upper[own] <- part$bounds$upper[names]
  }
  list(lower = lower, upper = upper, vanishing = character(0))
}

# A third of the median distance to the nearest location. A shared field of a shorter range is
# noise, and would take the place of a nugget.
least_shared_range <- function(coords, context) {
  nearest <- as.matrix(core_neighbors_others(coords, 1L, context))[1L, ]
  stats::median(sqrt(rowSums((coords - coords[nearest, , drop = FALSE])^2))) / 3
}

# The unit in which each parameter is searched: of loadings the standard deviation of the response's
# field, else 1. A field that vanished in a single fit can grow in the joint one. Its unit is 0.3 of
# the scatter of the linear predictor.
joint_units <- function(shared) {
  deviations <- field_deviations(shared$parts, 0.3)
  layout <- shared$layout
  unit <- rep(1, nrow(layout))
  rows <- loading_rows(layout, length(deviations))
  unit[rows] <- rep(deviations, length(rows) / length(deviations))
  unit
}

# `count` locations in patches around the first ones of a maxmin ordering. `scaled`: coordinates in
# units of the range. Patches are as many as can be three ranges wide. NULL where not even one is,
# which would show less of the range than as many locations of the whole region.
places_in_patches <- function(scaled, order, count, least = 1.5) {
  for (patches in c(4L, 2L, 1L)) {
    kept <- places_around(scaled, order[seq_len(patches)], count %/% patches, least)
    if (!is.null(kept)) return(sort(kept))
  }
}

# The `size` locations nearest to each center, NULL where some of these are within the radius
# `least`.
places_around <- function(scaled, centers, size, least) {
  kept <- integer(0)
  for (center in centers) {
    squared <- rowSums((scaled - rep(scaled[center, ], each = nrow(scaled)))^2)
    squared[kept] <- Inf
    radius <- sort(squared, partial = size)[size]
    if (radius < least^2) return(NULL)
    kept <- c(kept, which(squared <= radius))
  }
  kept
}

# The problem of these locations.
with_some_places <- function(shared, kept) {
  rows <- which(shared$place %in% kept)
  first <- match(seq_along(shared$parts), shared$response) - 1L
  shared$rows_of_parts <- lapply(seq_along(shared$parts), function(m) {
    rows[shared$response[rows] == m] - first[m]
  })
  shared$coords <- shared$coords[kept, , drop = FALSE]
  shared$place <- match(shared$place[rows], kept)
  shared$response <- shared$response[rows]
  shared$data <- lapply(shared$data, function(x) {
    if (is.matrix(x)) x[rows, , drop = FALSE] else if (length(x) == 1L) x else x[rows]
  })
  shared
}
