# Where the search of further coordinates begins and ends, see warp.R.

# Distances are quadratic in the coefficients c of further coordinates, so that at 0 the gradient is 0 and the value is, to second order,
# f(0) + c' H c for each coordinate, H the same for all: other parameters, at their optimum, move it in fourth order only. H comes from the
# gradients at small c. Its leading eigenvectors, one for each coordinate, are the steepest ways out; how far is tried. All this with some
# of the rows.
from_saddle <- function(problem, working) {
  for (component in which(vapply(problem$groups, function(group) any(warp_kind_of(group) == "expand"), NA))) {
    own <- component_rows(problem$layout, component, "expand")
    if (any(working[own] != 0)) next
    working[own] <- steepest_coefficients(problem, working, component, own)
  }
  working
}

# The optimum without warps is kept where it is by the method's own objective: neighbours in the metric of a warp can have a worse one.
from_unwarped <- function(problem, found, method) {
  problem$start <- from_saddle(problem, problem$start)
  if (identical(method, problem$method)) problem$unwarped <- found
  problem
}

not_below_stationary <- function(problem, result) {
  if (is.null(problem$unwarped) || isTRUE(result$value >= problem$unwarped$value - problem$control$tolerance)) return(result)
  problem$unwarped
}

warp_kind_of <- function(group) vapply(group$local$warps, `[[`, "", "kind")

steepest_coefficients <- function(problem, working, component, own, sizes = c(0.05, 0.1, 0.2, 0.4, 0.8)) {
  columns <- Filter(function(warp) warp$kind == "expand", problem$groups[[component]]$local$warps)[[1L]]$columns
  q <- length(own) / length(columns)
  first <- own[seq_along(columns)]
  trial <- if (is_gaussian(problem$family)) trial_objective(problem, working)
  if (is.null(trial)) return(0.2 * leading_vectors(stats::cor(problem$data$coords[, columns, drop = FALSE]), q))
  curvature <- trial_curvature(trial, working, first)
  directions <- leading_vectors(curvature - diag(problem$layout$penalty[first] / 2, length(first)), q)
  values <- vapply(sizes, function(size) {
    at <- replace(working, own, size * directions)
    trial$value(at) - local_penalty(problem$layout, at)
  }, 0)
  sizes[max(1L, which.max(values))] * directions
}

# q leading eigenvectors of a symmetric matrix, one after the other, the sign by the largest element.
leading_vectors <- function(matrix, q) {
  vectors <- eigen((matrix + t(matrix)) / 2, symmetric = TRUE)$vectors[, seq_len(q), drop = FALSE]
  signs <- apply(vectors, 2L, function(v) sign(v[which.max(abs(v))]))
  c(sweep(vectors, 2L, signs, "*"))
}

# Conditional densities of some rows given their nearest neighbours, without the penalty and in units of all rows.
trial_objective <- function(problem, working) {
  data <- problem$data
  n <- length(data$y)
  targets <- unique(round(seq(1, n, length.out = min(n, problem$control$start_rows))))
  k <- min(max(neargp_control()$coarse_k, 5L), n - 1L)
  scaled <- core_scale(data$coords, component_at(problem, working))
  neighbors <- without_self(core_neighbors_to(scaled, scaled[targets, , drop = FALSE], k + 1L, problem$threads), targets)
  reduced <- reduce_to_neighbors(data, targets, neighbors)
  part <- problem
  part$data <- reduced$data
  part$layout$penalty <- 0
  objective <- if_computable(local_objective(part, reduced$neighbors, reduced$targets))
  state <- if_computable(objective$evaluate(working))
  if (is.null(state) || !is.finite(state$value)) return(NULL)
  share <- n / length(targets)
  list(value = function(at) share * (if_computable(objective$evaluate(at)$value, -Inf)),
    gradient = function(at) share * objective$gradient(at, state$beta))
}

trial_curvature <- function(trial, working, rows, step = 1e-3) {
  vapply(rows, function(row) trial$gradient(replace(working, row, step))[rows] / (2 * step), double(length(rows)))
}

# ---- the end ----------------------------------------------------------------------------------------------------------------------

# Further coordinates turned to their principal axes among the rows, and the information with them. Along a rotation the objective is
# flat: the axes are where they are by agreement, which the information is told as something all but known.
in_principal_axes <- function(problem, result) {
  for (component in seq_along(problem$groups)) {
    warps <- Filter(function(warp) warp$kind == "expand", problem$groups[[component]]$local$warps)
    if (!length(warps)) next
    own <- component_rows(problem$layout, component, "expand")
    coefficients <- matrix(result$working[own], ncol = length(warps))
    rotation <- principal_rotation(coefficients, problem$data$coords, warps[[1L]]$columns)
    result$working[own] <- c(coefficients %*% rotation)
    if (is.null(result$information)) next
    turn <- diag(length(result$working))
    turn[own, own] <- kronecker(t(rotation), diag(nrow(coefficients)))
    information <- turn %*% result$information %*% t(turn)
    known <- rotations_of(coefficients %*% rotation)
    if (ncol(known)) information[own, own] <- information[own, own] + 1e6 * max(diag(information)[own]) * tcrossprod(known)
    result$information <- (information + t(information)) / 2
  }
  result
}

principal_rotation <- function(coefficients, coords, columns) {
  spread <- stats::cov(coords[, columns, drop = FALSE])
  rotation <- eigen(crossprod(coefficients, spread %*% coefficients), symmetric = TRUE)$vectors
  along <- drop(stats::cov(coords[, 1L], coords[, columns, drop = FALSE]) %*% coefficients %*% rotation)
  sweep(rotation, 2L, ifelse(along < 0, -1, 1), "*")
}

# An orthonormal basis of the directions in which rotations of the further coordinates move their coefficients.
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
  as.integer(sum(vapply(locations$local, function(recipe) if (recipe$kind == "expand") recipe$q * (recipe$q - 1) / 2 else 0, 0)))
}
