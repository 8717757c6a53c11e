# Means of locations whose observations follow a model of the noise (R/noise.R). They move with its
# parameters. Let v_i be the variance of row i and p_i = 1 / v_i its precision. Define
#
#   P_l = sum p_i,   cbar_l = sum p_i c_i / P_l,   r_i = c_i - cbar_l,   W = sum_i p_i r_i r_i'.
#
# Let M = K + diag(1 / P). As in location-means.R,
#
#   log|S| = log|M| + sum_l log P_l + sum_i log v_i,   C'S^-1 C = cbar'M^-1 cbar + W.
#
# For a parameter a let v'_i be the derivative of v_i, and d_i = p_i v'_i. Let s_i = p_i / P_l be
# the share of a row, and U_l = sum s_i d_i. The derivatives for the means are
#
#   d(1 / P_l) = sum s_i^2 v'_i,   dcbar_l = -sum s_i d_i r_i.
#
# That of the determinant follows from
#
#   d log|S| = d log|M| + sum_i d_i - sum_l U_l.
#
# Let G be the derivative of C'S^-1 C for means at rest, and H = dcbar'M^-1 cbar. Then
#
#   d C'S^-1 C = G + H + H' - sum_i p_i d_i r_i r_i'.
#
# The expected information of a and b is that of the means at rest plus another part. This part is
#
#   1/2 [sum_i d_i d'_i - 2 sum_i s_i d_i d'_i + sum_l U_l U'_l] + sum_l (M^-1)_ll Cov_l.
#
# Here Cov_l = sum_i s_i^2 d_i v'_i - U_l U'_l / P_l, with v'_i, d'_i and U'_l of the parameter b.
#
# The core finds H as a block of the Gram matrix of (cbar, dcbar). It finds the sum with Cov_l as
# the derivative of log|M| along the diagonal matrix of Cov_l. In sums over conditional or joint
# densities of neighbours, log|M| and M^-1 stand for these sums.

# Describes what lies within locations: the `rows`, the location of each row by its number, and for
# each location the number of `contrasts`.
moving_within <- function(data, index) {
  list(rows = data, index = index, contrasts = tabulate(index) - 1L)
}

# Turns functions of the core, as core_sums() of R/location-means.R takes them, into functions of
# observations. set() takes the noise of rows, and must be called before the others.
moving_sums <- function(core, data, layout, targets) {
  within <- shared_rows(data$within, targets)
  nugget_row <- which(layout$kind == "nugget")
  noise <- moved <- NULL
  none <- matrix(0, length(data$y), 0L)
  hand_on <- function(derivatives, columns) {
    core$set(list(variance = moved$variance, derivatives = derivatives, columns = columns))
  }
  parts <- function(covariance, nugget, information, context) {
    slopes <- if (information) moved_slopes(within, moved, noise, with_information = TRUE)
    hand_on(cbind(slopes$variance, slopes$covariances) %||% none, moved$columns)
    found <- core$parts(covariance, nugget, information, context)
    if (found$failed > 0L) return(found)
    found[c("log_det", "gram")] <- list(found$log_det + moved$log_det, found$gram + moved$gram)
    if (is.null(found$d_log_det)) return(found)
    hand_on(slopes$variance, cbind(moved$columns, slopes$columns))
    crossed <- core$parts(covariance, nugget, FALSE, context)$gram
    add_moving(found, slopes, crossed, nugget_row)
  }
  adjoint <- function(covariance, nugget, beta, context) {
    slopes <- residual_slopes(moved_slopes(within, moved, noise), ncol(moved$columns), beta)
    residuals <- moved$columns %*% c(1, -beta)
    hand_on(slopes$variance, cbind(residuals, slopes$columns))
    crossed <- core$parts(covariance, nugget, FALSE, context)
    if (crossed$failed > 0L) return(crossed)
    hand_on(slopes$variance, residuals)
    found <- core$adjoint(covariance, nugget, double(0), context)
    rows <- nugget_row + seq_along(slopes$d_log_det) - 1L
    found$gradient[rows] <- found$gradient[rows] - 0.5 * (slopes$d_log_det +
      c(0, 2 * crossed$gram[1L, -1L]) + slopes$d_gram)
    found
  }
  list(parts = parts, adjoint = adjoint, set = function(given) {
    noise <<- given
    moved <<- moved_means(within, given)
  })
}

# The rows that share a location, and the numbers of their locations among all locations and among
# the shared ones. `counted`: which of these rows are at `targets`, and `counted_at`: which
# locations.
shared_rows <- function(within, targets) {
  index <- within$index
  shared <- which(within$contrasts[index] > 0L)
  at <- sort(unique(index[shared]))
  targets <- targets %||% at
  columns <- response_columns(within$rows)
  first <- which(!duplicated(index))
  list(first = first[order(index[first])], columns = columns, shared = shared, at = at,
    group = match(index[shared], at), counted = index[shared] %in% targets,
    counted_at = at %in% targets)
}

# The means of all locations with the variances of their noise, and the terms from within them.
moved_means <- function(within, noise) {
  group <- within$group
  variance <- noise$variance[within$shared]
  own <- within$columns[within$shared, , drop = FALSE]
  share <- shares_of_location(1 / variance, group)
  mean <- unname(rowsum(share * own, group))
  total <- drop(rowsum(1 / variance, group))
  deviations <- own - mean[group, , drop = FALSE]
  precision <- replace(1 / variance, variance == 0, 0)
  counted <- within$counted
  finite <- function(x) sum(x[is.finite(x)]) # the two logarithms of a row without noise cancel
  list(columns = replace_rows(within, within$columns, mean),
    variance = drop(replace_rows(within, cbind(noise$variance), cbind(1 / total))),
    deviations = deviations, share = share, precision = precision, total = total,
    gram = crossprod(sqrt(precision[counted]) * deviations[counted, , drop = FALSE]),
    log_det = finite(log(variance[counted])) + finite(log(total[within$counted_at])))
}

# Returns a row for each location: a row of `shared` if it is shared, else its first row of `all`.
replace_rows <- function(within, all, shared) {
  result <- all[within$first, , drop = FALSE]
  result[within$at, ] <- shared
  result
}

# Derivatives of `moved`. The derivatives of the terms from within locations begin with that in the
# logarithm of all noise, in which the means do not move. The others are in the order of
# noise$derivatives. Derivatives of the means are side by side.
moved_slopes <- function(within, moved, noise, with_information = FALSE) {
  group <- within$group
  own <- noise$derivatives[within$shared, , drop = FALSE]
  relative <- moved$precision * own
  spread <- function(shared) replace_rows(within,
    matrix(0, nrow(within$columns), ncol(shared)), shared)
  sum_at <- function(x) unname(rowsum(x, group))
  counted <- within$counted
  all <- cbind(as.double(moved$precision > 0), relative)
  joint <- sum_at(moved$share * all)
  parameters <- seq_len(ncol(own))
  columns <- do.call(cbind, lapply(parameters, function(a) {
    spread(-sum_at(moved$share * relative[, a] * moved$deviations))
  }))
  r <- moved$deviations[counted, , drop = FALSE]
  slopes <- list(variance = replace_rows(within, noise$derivatives, sum_at(moved$share^2 * own)),
    columns = columns,
    d_log_det = colSums(all[counted, , drop = FALSE]) -
      colSums(joint[within$counted_at, , drop = FALSE]),
    d_gram = lapply(seq_len(ncol(all)), function(a) {
      -crossprod(r, (moved$precision * all[, a])[counted] * r)
    }))
  if (!with_information) return(slopes)
  of_counted <- all[counted, , drop = FALSE]
  slopes$information <- 0.5 * (crossprod(of_counted, (1 - 2 * moved$share[counted]) * of_counted) +
    crossprod(joint[within$counted_at, , drop = FALSE]))
  slopes$pairs <- which(upper.tri(diag(length(parameters)), diag = TRUE), arr.ind = TRUE)
  slopes$covariances <- spread(moving_covariances(moved, own, relative, joint[, -1L, drop = FALSE],
    slopes$pairs, sum_at))
  slopes
}

# Cov_l of each pair of parameters.
moving_covariances <- function(moved, own, relative, joint, pairs, sum_at) {
  a <- pairs[, 1L]
  b <- pairs[, 2L]
  sum_at(moved$share^2 * relative[, a, drop = FALSE] * own[, b, drop = FALSE]) -
    joint[, a, drop = FALSE] * joint[, b, drop = FALSE] / moved$total
}

# The slopes of residuals at given coefficients.
residual_slopes <- function(slopes, width, beta) {
  contrast <- c(1, -beta)
  parameters <- seq_len(ncol(slopes$columns) %/% width)
  slopes$columns <- slopes$columns %*% (diag(length(parameters)) %x% contrast)
  square <- function(gram) drop(crossprod(contrast, gram %*% contrast))
  slopes$d_gram <- vapply(slopes$d_gram, square, 0)
  slopes
}

# Adds derivatives from within and of the means to those of the means at rest. `crossed`: the Gram
# matrix of the means and their derivatives.
add_moving <- function(found, slopes, crossed, nugget_row) {
  width <- ncol(found$gram)
  rows <- nugget_row + seq_along(slopes$d_gram) - 1L
  pairs <- slopes$pairs
  along <- found$d_log_det[max(rows) + seq_len(nrow(pairs))]
  kept <- seq_len(max(rows))
  found$d_log_det <- found$d_log_det[kept]
  found$d_gram <- found$d_gram[, , kept, drop = FALSE]
  found$information <- found$information[kept, kept, drop = FALSE]
  found$d_log_det[rows] <- found$d_log_det[rows] + slopes$d_log_det
  for (a in seq_along(rows)) {
    moved <- if (a > 1L) crossed[width * (a - 1L) + seq_len(width), seq_len(width)] else
      matrix(0, width, width)
    found$d_gram[, , rows[a]] <- found$d_gram[, , rows[a]] + moved + t(moved) + slopes$d_gram[[a]]
  }
  moving <- matrix(0, length(rows), length(rows))
  moving[pairs + 1L] <- along
  moving[pairs[, 2:1, drop = FALSE] + 1L] <- along
  found$information[rows, rows] <- found$information[rows, rows] + slopes$information + moving
  found
}
