# Starting values and bounds from the data. Ranges and nugget share are compared on a coarse grid by
# the leave-one-out score of a few thousand rows given their nearest neighbours. This costs little
# at any n. The overall scale of the covariance is profiled out in closed form: with covariance
# s * C0 the best s is rss / n. All of it is deterministic and does not use R's random numbers.

start_working <- function(problem, residual_variance) {
  layout <- problem$layout
  given <- layout$fixed | !is.na(layout$start)
  values <- ifelse(layout$fixed, layout$value, layout$start)
  if (!all(given)) {
    best <- best_candidate(problem, residual_variance)
    values[!given] <- best[!given]
  }
  at_fixed_ratio(to_working(values, layout$transform), layout)
}

residual_variance <- function(data) {
  weights <- data$weights / mean(data$weights)
  columns <- response_columns(data)
  residuals <- if (ncol(data$X)) stats::lm.wfit(columns[, 1L + seq_len(ncol(data$X)),
    drop = FALSE], columns[, 1L], weights)$residuals else columns[, 1L]
  sum(weights * residuals^2) / max(length(data$y) - ncol(data$X), 1L)
}

# Guesses the variance with and without the weights: the trend may fit a row of very large weight
# almost exactly, so that the weighted variance is next to 0.
variance_guesses <- function(data) {
  c(residual_variance(data),
    residual_variance(replace(data, "weights", list(rep(1, length(data$y))))))
}

# `residual_variance`: one or several guesses of it, all of which the bounds leave room for.
working_bounds <- function(problem, residual_variance) {
  layout <- problem$layout
  lower <- rep(-Inf, nrow(layout))
  upper <- rep(Inf, nrow(layout))
  set <- function(rows, from, to) {
    lower[rows] <<- from
    upper[rows] <<- to
  }
  least <- min(residual_variance)
  largest <- max(residual_variance)
  set(layout$kind == "variance", log(least * 1e-6), log(largest * 1e4))
  nugget <- nugget_bounds(observations_of(problem)$weights)
  set(layout$kind == "nugget", log(least * nugget$lower), log(largest * nugget$upper))
  set(layout$kind %in% axes_kinds, -4, 4)
  set(layout$kind %in% local_kinds, -5, 5)
  set(layout$kind == "expand", -20, 20)
  set(layout$kind == "noise", -5, 5)
  for (j in seq_along(problem$groups)) {
    group <- problem$groups[[j]]$group
    extent <- 2 * group_scales(problem$data$coords, group) * sqrt(tabulate(group))
    ranges <- which(layout$kind == "range" & layout$component == j)
    set(ranges, log(1e-5 * extent), log(100 * extent))
    shape <- which(layout$kind == "shape" & layout$component == j)
    known <- family_shape(problem$groups[[j]]$family)
    if (length(shape)) {
      set(shape, to_working(least_shape(problem$groups[[j]]), known$transform),
        to_working(known$upper, known$transform))
    }
    set_space_time_bounds(set, problem, j, extent[length(extent)])
  }
  list(lower = lower, upper = upper)
}

# Bounds of the nugget, in units of the residual variance. The weighted mean of the noise is
# nugget / mean(w), the plain mean is nugget * mean(1 / w). A few rows of almost no weight, or of
# very much, must not bring the bounds near.
nugget_bounds <- function(weights) {
  list(lower = 1e-8 / mean(1 / weights), upper = 1e2 * mean(weights))
}

# Bounds and starting values.
with_start <- function(method, problem) {
  UseMethod("with_start")
}

# ---- the grid ------------------------------------------------------------------------------------

best_candidate <- function(problem, residual_variance) {
  scales <- start_scales(problem)
  best <- list(score = -Inf)
  for (time_ratio in if (is.null(problem$locations$time)) 1 else c(0.2, 1, 5)) {
    stretched <- with_time_ratio(problem, scales, time_ratio)
    trial <- start_problem(problem, stretched)
    for (candidate in start_candidates(problem, trial, stretched, residual_variance)) {
      scored <- score_candidate(problem, trial, candidate)
      if (isTRUE(scored$score > best$score)) best <- scored
    }
  }
  if (!is.finite(best$score)) abort_cholesky(0L, has_ability(problem$method, "nugget"))
  best$values
}

# Time is last among scales, but for the range of a replicate. A single scale is that of space.
with_time_ratio <- function(problem, scales, ratio) {
  of_time <- length(scales) - length(replicate_group(problem))
  if (of_time > 1L) scales[of_time] <- scales[of_time] * ratio
  scales
}

# The number of the range of a replicate among those of start_group(), if there is one.
replicate_group <- function(problem) {
  of_factor <- replicate_columns(problem$locations)
  as.vector(stats::na.omit(start_group(problem)[of_factor]))
}

# The ranges that coordinates belong to in the first component with ranges, NA for coordinates that
# it does not depend on.
start_group <- function(problem) {
  groups <- problem$groups
  for (group in groups) if (is.null(group$search)) return(group$group)
  replace(groups[[1L]]$search, groups[[1L]]$search == 0L, NA)
}

# The scales of these ranges. Neighbours are sought within a level of a replicate.
start_scales <- function(problem) {
  replace(group_scales(problem$data$coords, start_group(problem)), replicate_group(problem),
    replicate_range)
}

# Coordinates of the rows in units of these scales.
start_coordinates <- function(problem, scales) {
  group <- start_group(problem)
  own <- !is.na(group)
  sweep(places_of(problem$data$coords, problem$locations)[, own, drop = FALSE], 2L,
    scales[group[own]], "/")
}

# Rows at equal steps, as many as start values are made of.
start_targets <- function(problem) {
  n <- length(problem$data$y)
  unique(round(seq(1, n, length.out = min(n, problem$control$start_rows))))
}

# A small problem: some rows, each with its nearest neighbours in the metric of these scales, and
# only the rows these involve.
start_problem <- function(problem, scales) {
  data <- problem$data
  n <- length(data$y)
  targets <- start_targets(problem)
  k <- min(max(problem$control$coarse_k, 5L), n - 1L)
  scaled <- start_coordinates(problem, scales)
  neighbors <- core_neighbors_to(scaled, scaled[targets, , drop = FALSE], k + 1L, problem$context)
  neighbors <- without_self(neighbors, targets)
  reduced <- reduce_to_neighbors(data, targets, neighbors)
  farthest <- scaled[neighbors[k, ], , drop = FALSE] - scaled[targets, , drop = FALSE]
  pointer <- local_problem(reduced$data, reduced$neighbors, problem$context, reduced$targets)
  sums <- core_sums(list(parts = function(...) local_sums$conditional$evaluate(pointer, ...),
    set = pointer_noise(pointer)),
    reduced$data, problem$layout, reduced$targets)
  list(parts = sums$parts, nugget_at = noise_setter(reduced$data, problem$layout, sums$set),
    specification = covariance_specification(problem$layout, problem$groups),
    n = count_observations(reduced$data, reduced$targets),
    reach = sqrt(stats::median(rowSums(farthest^2))),
    extent = sqrt(ncol(scaled)))
}

# Column i holds the neighbours of row targets[i]; removes that row itself, or the last neighbour
# where duplicates crowded it out.
without_self <- function(neighbors, targets) {
  neighbors <- as.matrix(neighbors)
  self <- neighbors == rep(targets, each = nrow(neighbors))
  self[nrow(neighbors), !colSums(self)] <- TRUE
  matrix(neighbors[!self], nrow(neighbors) - 1L)
}

# Effective ranges between the reach of the neighbourhood and several times the extent; variance and
# nugget as shares of the whole.
start_candidates <- function(problem, trial, scales, residual_variance) {
  layout <- problem$layout
  lowest <- max(trial$reach, 1e-3 * trial$extent)
  distances <- exp(seq(log(lowest), log(6 * max(trial$extent, lowest)), length.out = 7L))
  shapes <- if (any(layout$kind == "shape" & !layout$fixed & layout$transform == "log")) c(0.5,
    1.5) else NA_real_
  splits <- variance_splits(problem, residual_variance)
  grid <- expand.grid(distance = distances, shape = shapes, split = seq_along(splits))
  lapply(seq_len(nrow(grid)), function(i) {
    candidate_values(problem, scales, grid$distance[i], grid$shape[i], splits[[grid$split[i]]])
  })
}

# Pairs (total variance of the process, nugget). Where neither is fixed only their ratio matters
# here.
variance_splits <- function(problem, residual_variance) {
  layout <- problem$layout
  noise_scale <- typical_noise_scale(observations_of(problem))
  residual_variance <- beside_known_noise(problem$data, residual_variance)
  variances <- layout$value[layout$kind == "variance"]
  nugget <- layout$value[layout$kind == "nugget"]
  shares <- tied_share(layout, noise_scale) %||% c(0.01, 0.1, 0.4, 0.8)
  if (!is.na(nugget)) {
    left <- max(residual_variance - nugget * noise_scale, 0.1 * residual_variance)
    return(lapply(if (nugget == 0) 1 else c(0.3, 1, 3), function(x) c(x * left, nugget)))
  }
  total <- if (anyNA(variances)) residual_variance else sum(variances)
  lapply(shares, function(share) {
    if (anyNA(variances)) c(total * (1 - share), total * share / noise_scale) else
      c(total, total * share / (1 - share) / noise_scale)
  })
}

# The factor of the nugget in a row of middling weight.
typical_noise_scale <- function(data) 1 / stats::median(data$weights)

# Several components share the variance equally. Those that are multiplied by the same column, or by
# none, start from ranges that differ by a factor of 3.
candidate_values <- function(problem, scales, distance, shape, split) {
  layout <- problem$layout
  values <- layout$value
  count <- length(problem$groups)
  place <- place_among_alike(problem)
  fill <- function(rows, new) {
    open <- rows & is.na(values)
    values[open] <<- rep_len(new, sum(rows))[open[rows]]
  }
  for (j in seq_len(count)) {
    own <- !is.na(layout$component) & layout$component == j
    known <- family_shape(problem$groups[[j]]$family)
    fill(own & layout$kind == "variance", split[1L] / count)
    if (!is.null(known)) {
      fill(own & layout$kind == "shape",
        if (is.na(shape) || known$transform == "power") known$start else shape)
    }
    own_scales <- range_scales(problem, j, scales)
    axes <- starting_axes(problem, j)
    if (!is.null(axes) && anyNA(values[own & layout$kind %in% axes_kinds])) {
      own_scales[1L] <- own_scales[1L] * axes$factor
      fill(own & layout$kind %in% axes_kinds, axes$values)
    }
    unit <- starting_distance(problem$groups[[j]]$family, c(values[own & layout$kind == "shape"],
      NA)[1L])
    fill(own & layout$kind == "range", distance * own_scales / unit * 3^place[j])
    fill(own & layout$kind %in% c(axes_kinds, local_kinds), 0)
    fill_space_time(fill, problem, own, j)
  }
  fill(layout$kind == "nugget", split[2L])
  values[layout$kind == "noise"] <- layout$start[layout$kind == "noise"]
  values
}

# In three coordinates an ellipsoid begins along the coordinates, as long as these are scattered:
# depths vary less than the other coordinates, or are in another unit. `factor`: the geometric mean
# of the scatters, divided by the mean that group_scales() takes.
starting_axes <- function(problem, j) {
  if (!length(component_rows(problem$layout, j, rotations$space$kinds))) return(NULL)
  deviations <- apply(problem$data$coords[, 1:3, drop = FALSE], 2L, stats::sd)
  l <- log(deviations / exp(mean(log(deviations))))
  list(values = pmax(pmin(c((l[1L] - l[2L]) / 2, 0, 0, 0, -l[3L] * sqrt(3) / 2), 3), -3),
    factor = exp(mean(log(deviations))) / sqrt(mean(deviations^2)))
}

# The i-th of m components takes (m + 1) / 2 - i. The order does not depend on that of the terms. It
# is by families, exponential first, and then by smoothness.
place_among_alike <- function(problem) {
  column <- vapply(problem$groups, function(group) by_name(problem$locations, group$local$by), "")
  alike <- outer(column, column, "==")
  family <- vapply(problem$groups, `[[`, "", "family")
  smoothness <- vapply(seq_along(family), function(j) {
    c(problem$layout$value[component_rows(problem$layout, j, "shape")], NA)[1L]
  }, 0)
  rank <- order(order(family, smoothness))
  (rowSums(alike) + 1) / 2 - rowSums(alike & outer(rank, rank, ">="))
}

# The effective distance in units of the range. It may be infinite for a correlation that barely
# falls, whose range then starts from a thousandth of the distance.
starting_distance <- function(family, shape) min(effective_distance(family, shape), 1000)

# Scales of the ranges of component j; those of the first component carry the factor for time.
range_scales <- function(problem, j, scales) {
  group <- problem$groups[[j]]$group
  if (identical(group, start_group(problem))) scales else group_scales(problem$data$coords,
    group)
}

score_candidate <- function(problem, trial, values) {
  layout <- problem$layout
  nugget <- trial$nugget_at(values)
  result <- trial$parts(specified_covariance(trial$specification, values), nugget, FALSE,
    problem$context)
  if (result$failed > 0L) return(list(score = -Inf))
  profile <- profile_trend(result, trial$n)
  scale_free <- layout$kind %in% c("variance", "nugget") & !(layout$fixed & layout$value %in% 0)
  if (!is.finite(profile$value) || any(layout$fixed[scale_free])) {
    return(list(score = profile$value, values = values))
  }
  scale <- profile$rss / trial$n
  values[scale_free] <- values[scale_free] * scale
  list(score = -0.5 * (trial$n * (log(2 * pi * scale) + 1) + profile$log_det), values = values)
}
