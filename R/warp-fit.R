# Where the search of further coordinates begins and ends, see warp.R.

# Distances are quadratic in the coefficients c of further coordinates, so that the gradient at 0 is
# 0. To second order, the value is f(0) + c' H c for each coordinate, H the same for all. Other
# parameters, at their optimum, move it in fourth order only. H comes from the gradients at small c.
# Its leading eigenvectors, one for each coordinate, are the steepest ways out. Several lengths are
# tried along them. These trials, and the first steps, use some of the rows.
from_saddle <- function(problem, working) {
  for (component in expanded_components(problem)) {
    own <- component_rows(problem$layout, component, "expand")
    if (any(working[own] != 0)) next
    working[own] <- steepest_coefficients(problem, working, component, own)
  }
  first_steps(problem, working)
}

first_steps <- function(problem, working, rounds = 2L) {
  for (round in seq_len(if (is_expanded(problem)) rounds else 0L)) {
    trial <- trial_objective(problem, working)
    if (is.null(trial)) return(working)
    trial <- with_expansion_curvature(trial, problem, working)
    state <- if_computable(fisher_scoring(trial, working, problem$free, problem$bounds,
      problem$control, tolerance = 1))
    if (is.null(state)) return(working)
    working <- state$working
  }
  working
}

is_expanded <- function(problem) any(problem$free & problem$layout$kind == "expand")

expand_warps <- function(problem, component) {
  Filter(function(warp) warp$kind == "expand", problem$groups[[component]]$local$warps)
}

expanded_components <- function(problem) {
  which(vapply(seq_along(problem$groups),
    function(component) length(expand_warps(problem, component)) > 0L, NA))
}

# The optimum without warps of the method's own objective is kept: a search from elsewhere, or among
# neighbours in the metric of a warp, can end below it. Where another method has found the start,
# that is a step or two away.
from_unwarped <- function(problem, found, stationary, method) {
  if (!is.null(found) && !identical(stationary$method, method)) {
    stationary$method <- method
    stationary$start <- found$working
    found <- if_computable(fit_method(stationary$method, stationary))
  }
  problem$start <- from_saddle(problem, problem$start)
  problem$unwarped <- found
  problem
}

not_below_stationary <- function(problem, result) {
  unwarped <- problem$unwarped
  if (is.null(unwarped) || isTRUE(result$value >= unwarped$value - problem$control$tolerance)) {
    return(result)
  }
  unwarped
}

steepest_coefficients <- function(problem, working, component, own,
  sizes = c(0.05, 0.1, 0.2, 0.4, 0.8)) {
  warps <- expand_warps(problem, component)
  curvature <- further_curvature(problem, working, component)
  if (is.null(curvature)) {
    basis <- problem$data$coords[, warps[[1L]]$columns, drop = FALSE]
    return(0.2 * leading_vectors(stats::cor(basis), length(warps)))
  }
  trial <- trial_objective(problem, working)
  directions <- leading_vectors(curvature - diag(problem$layout$penalty[own[1L]] / 2,
    nrow(curvature)), length(warps))
  values <- vapply(sizes, function(size) {
    if_computable(trial$evaluate(replace(working, own, size * directions))$value, -Inf)
  }, 0)
  sizes[max(1L, which.max(values))] * directions
}

# q leading eigenvectors of a symmetric matrix, one after the other, the sign by the largest
# element.
leading_vectors <- function(matrix, q) {
  vectors <- eigen((matrix + t(matrix)) / 2, symmetric = TRUE)$vectors[, seq_len(q), drop = FALSE]
  signs <- apply(vectors, 2L, function(v) sign(v[which.max(abs(v))]))
  c(sweep(vectors, 2L, signs, "*"))
}

# Conditional densities of some rows given their nearest neighbours, in units of all rows, less
# the penalty.
trial_objective <- function(problem, working) {
  if (!is_gaussian(problem$family)) return(NULL)
  data <- problem$data
  n <- length(data$y)
  targets <- start_targets(problem)
  k <- min(max(neargp_control()$coarse_k, 5L), n - 1L)
  scaled <- core_scale(data$coords, component_at(problem, working))
  neighbors <- without_self(core_neighbors_to(scaled, scaled[targets, , drop = FALSE], k + 1L,
    problem$context), targets)
  reduced <- reduce_to_neighbors(data, targets, neighbors)
  share <- n / length(targets)
  part <- problem
  part$data <- reduced$data
  part$layout$penalty <- problem$layout$penalty / share
  part$layout$prior_rate <- NULL  # for a start it does without
  objective <- if_computable(local_objective(part, reduced$neighbors, reduced$targets))
  state <- if_computable(objective$evaluate(working))
  if (is.null(state) || !is.finite(state$value)) return(NULL)
  evaluate <- function(working, information = FALSE) {
    state <- objective$evaluate(working, information)
    scaled <- intersect(c("value", "gradient", "information"), names(state))
    for (part in scaled) state[[part]] <- share * state[[part]]
    state
  }
  list(evaluate = evaluate, session = objective$session,
    gradient = function(at) share * objective$gradient(at, state$beta),
    n = n)
}

# Fisher's information of the coefficients of a further coordinate goes to 0 with them, while the
# second derivatives there are 2 H. Steps by that information would be far too long if the data do
# not need a coordinate. Minus the negative part of 2 H, of the coordinates at the start, is
# therefore added to it for the steps. The information that is reported is Fisher's.
with_expansion_curvature <- function(objective, problem, working) {
  added <- matrix(0, length(working), length(working))
  for (component in expanded_components(problem)) {
    curvature <- further_curvature(problem, working, component)
    if (is.null(curvature)) next
    parts <- eigen(curvature, symmetric = TRUE)
    own <- component_rows(problem$layout, component, "expand")
    added[own, own] <- kronecker(diag(length(own) / nrow(curvature)),
      parts$vectors %*% (pmax(-2 * parts$values, 0) * t(parts$vectors)))
  }
  evaluate <- objective$evaluate
  objective$evaluate <- function(working, information = FALSE) {
    state <- evaluate(working, information)
    if (!is.null(state$information)) {
      state$fisher <- state$information
      state$information <- state$information + added
    }
    state
  }
  objective
}

# H of one more further coordinate, or of the last one where there are as many as columns; NULL
# where there is no objective to try.
further_curvature <- function(problem, working, component, step = 1e-3) {
  warps <- expand_warps(problem, component)
  columns <- length(warps[[1L]]$columns)
  own <- component_rows(problem$layout, component, "expand")
  rows <- utils::tail(own, columns)
  if (length(warps) < columns) {
    problem <- with_one_more(problem, component, own)
    rows <- max(own) + seq_len(columns)
    working <- append(working, rep(0, columns), max(own))
    working <- within_greatest_beta(working, problem, component, length(warps) + 1L)
  }
  working[rows] <- 0
  trial <- trial_objective(problem, working)
  if (is.null(trial)) return(NULL)
  slopes <- function(row) trial$gradient(replace(working, row, step))[rows]
  curvature <- vapply(rows, slopes, double(columns)) / (2 * step) +
    diag(problem$layout$penalty[rows] / 2, columns)
  if (all(is.finite(curvature))) (curvature + t(curvature)) / 2
}

with_one_more <- function(problem, component, own) {
  warps <- problem$groups[[component]]$local$warps
  last <- warps[[length(warps)]]
  rows <- utils::tail(own, length(last$columns))
  last$coordinate <- last$coordinate + 1L
  problem$groups[[component]]$local$warps <- c(warps, list(last))
  rest <- seq_len(nrow(problem$layout)) > max(own)
  problem$layout <- rbind(problem$layout[!rest, ], problem$layout[rows, ], problem$layout[rest, ])
  problem
}

# ---- the end -------------------------------------------------------------------------------------

# Further coordinates turned to their principal axes among the rows, and the information with
# them. Along a rotation the objective is flat: a convention fixes the axes, and the information
# treats them as all but known.
in_principal_axes <- function(problem, result) {
  for (component in if (any(problem$layout$kind == "expand")) expanded_components(problem)) {
    warps <- expand_warps(problem, component)
    own <- component_rows(problem$layout, component, "expand")
    coefficients <- matrix(result$working[own], ncol = length(warps))
    rotation <- principal_rotation(coefficients, problem$data$coords, warps[[1L]]$columns)
    result$working[own] <- c(coefficients %*% rotation)
    if (is.null(result$information)) next
    turn <- diag(length(result$working))
    turn[own, own] <- kronecker(t(rotation), diag(nrow(coefficients)))
    information <- turn %*% result$information %*% t(turn)
    known <- rotations_of(coefficients %*% rotation)
    known_to <- 1e6 * max(diag(information)[own])
    information[own, own] <- information[own, own] + known_to * tcrossprod(known)
    result$information <- (information + t(information)) / 2
  }
  result
}

principal_rotation <- function(coefficients, coords, columns) {
  spread <- stats::cov(coords[, columns, drop = FALSE])
  rotation <- eigen(crossprod(coefficients, spread %*% coefficients), symmetric = TRUE)$vectors
  along <- drop(stats::cov(coords[, 1L],
    coords[, columns, drop = FALSE]) %*% coefficients %*% rotation)
  sweep(rotation, 2L, ifelse(along < 0, -1, 1), "*")
}

# An orthonormal basis of the directions in which rotations of the further coordinates move their
# coefficients.
rotations_of <- function(coefficients) {
  q <- ncol(coefficients)
  moves <- lapply(if (q > 1L) utils::combn(q, 2L, simplify = FALSE), function(pair) {
    move <- matrix(0, nrow(coefficients), q)
    move[, pair[1L]] <- -coefficients[, pair[2L]]
    move[, pair[2L]] <- coefficients[, pair[1L]]
    c(move)
  })
  if (!length(moves)) return(matrix(0, length(coefficients), 0L))
  parts <- svd(do.call(cbind, moves), nv = 0L)
  parts$u[, parts$d > 1e-8 * max(1, parts$d[1L]), drop = FALSE]
}

# Parameters that rotations of further coordinates take back.
count_rotations <- function(locations) {
  as.integer(sum(vapply(locations$local,
    function(recipe) if (recipe$kind == "expand") recipe$q * (recipe$q - 1) / 2 else 0, 0)))
}
