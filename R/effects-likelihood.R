# Likelihood with random effects: y = X beta + Z b + field + noise, with b ~ N(0, G). In
# G = L L', L repeats the block of a term over its levels. With b = L u and u ~ N(0, I), a variance
# of 0 is a legal value. The core returns the Gram matrix of whitened columns (y, X, Z) of field and
# noise, and its derivatives. Its blocks are Gxx, Gxz and so on. With C = I + L'Gzz L, Henderson's
# system is
#
#   H [beta; u] = [Gxy; L'Gzy],   H = [Gxx, Gxz L; L'Gzx, C].
#
# Bates, Maechler, Bolker and Walker (2015, section 3) write it with Lambda for L. For the contrast
# r = (1, -beta, -L u), let rss = r'Gr + u'u. The log-likelihood is
# -1/2 [ n log 2 pi + log_det + log|C| + rss ]. The restricted one takes n - p and log|H| in place
# of n and log|C|. For ML, let P = L C^-1 L' for the columns Z. For REML, let P = T H^-1 T' with
# T = diag(I, L) for the columns (X, Z). For both, profile_gradient() computes the derivative in a
# parameter of the field, which is
#
#   -1/2 [ d_log_det + r' dG r + sum(P * dG) ].
#
# Let g = G_z. r, and let K be the u-rows of C^-1 L' or H^-1 T'. In a parameter of L the derivative
# is
#
#   sum(dL * (g u' - t(K G_.z))),   u = L'g.
#
# For the expected information, let V be the covariance of y and Q its inverse, or for REML the
# projection off X. With J = (0, I) - G_z. P, E = Z'QZ = J G_.z and J dG J' = -Z'Q dV Q Z. With
# dG_a = dL L' + L dL' the information is
#
#   I(a, b) = 1/2 tr(E dG_a E dG_b),   I(a, theta) = -1/2 tr(dG_a J dG_theta J').
#
# For two parameters of the field it is the core's, which takes the effects for known. This is too
# large: good for steps, but no standard errors are made of it.

without_effect_columns <- function(data) replace(data, "effects", list(NULL))

# A row of the layout for each standard deviation and correlation.
with_effect_parameters <- function(layout, data) {
  if (!has_effects(data)) return(layout)
  parameters <- lapply(data$effects$blocks, `[[`, "parameters")
  names <- unlist(parameters)
  kind <- ifelse(startsWith(names, "sd_"), "effect_sd", "effect_cor")
  own <- layout_rows(names, kind, ifelse(kind == "effect_sd", "log", "tanh"),
    group = rep(seq_along(parameters), lengths(parameters)))
  own$fixed <- rep(FALSE, nrow(own))
  with_further_rows(layout, own)
}

# ---- factors of the blocks -----------------------------------------------------------------------

# The Cholesky factor of a block's covariance matrix, from its standard deviations and, row by row,
# partial correlations z (Lewandowski, Kurowicka and Joe 2009). Its rows, divided by standard
# deviations, are R_ij = z_ij prod_{k<j} sqrt(1 - z_ik^2). For two terms z is their correlation.
block_factor <- function(values, d) {
  correlations <- diag(d)
  pairs <- lower_pairs(d)
  for (i in seq_len(d)[-1L]) {
    z <- values[d + which(pairs[, 1L] == i)]
    correlations[i, seq_len(i)] <- c(z, 1) * cumprod(c(1, sqrt(1 - z^2)))
  }
  values[seq_len(d)] * correlations
}

# Derivatives of the factor in each working parameter, log sd and atanh of a partial correlation. In
# atanh z_ij the derivative of R_im is -z_ij R_im for j < m.
factor_slopes <- function(factor, values, d) {
  pairs <- lower_pairs(d)
  of_sd <- lapply(seq_len(d), function(i) factor * (seq_len(d) == i))
  of_cor <- lapply(seq_len(nrow(pairs)), function(a) {
    i <- pairs[a, 1L]
    j <- pairs[a, 2L]
    z <- values[d + a]
    slope <- matrix(0, d, d)
    slope[i, ] <- -z * factor[i, ] * (seq_len(d) > j)
    before <- values[d + which(pairs[, 1L] == i & pairs[, 2L] < j)]
    slope[i, j] <- values[i] * (1 - z^2) * prod(sqrt(1 - before^2))
    slope
  })
  c(of_sd, of_cor)
}

# The factor of each block at `values`, those of the layout's rows on the core's scale.
effect_factors <- function(blocks, layout, values) {
  lapply(blocks, function(block) {
    block_factor(values[match(block$parameters, layout$name)], block$d)
  })
}

# M times the block-diagonal matrix of these factors, where the columns of M are the coefficients.
times_factors <- function(M, blocks, factors) {
  for (k in seq_along(blocks)) {
    d <- blocks[[k]]$d
    at <- matrix(blocks[[k]]$columns, d)
    old <- M[, blocks[[k]]$columns, drop = FALSE]
    own <- matrix(seq_len(ncol(old)), d)
    for (j in seq_len(d)) {
      parts <- lapply(seq_len(d), function(i) old[, own[i, ], drop = FALSE] * factors[[k]][i, j])
      M[, at[j, ]] <- Reduce(`+`, parts)
    }
  }
  M
}

# L'M
factors_times <- function(blocks, factors, M) t(times_factors(t(M), blocks, factors))

# L u
from_spherical <- function(u, blocks, factors) {
  drop(times_factors(matrix(u, 1L), blocks, lapply(factors, t)))
}

# ---- the profile ---------------------------------------------------------------------------------

# The result of profile_trend(), with the effects among the coefficients, after those of the trend.
# The rows of u come first in H, so its factor contains that of C.
profile_effects <- function(parts, n, blocks, factors, restricted = FALSE) {
  gram <- parts$gram
  q <- sum(block_sizes(blocks))
  p <- ncol(gram) - 1L - q
  x <- seq_len(p)
  z <- p + seq_len(q)
  shifted <- blocks_after(p, blocks)
  inner <- gram[-1L, -1L, drop = FALSE]
  H <- factors_times(shifted, factors, times_factors(inner, shifted, factors))
  diag(H)[z] <- diag(H)[z] + 1
  order <- c(z, x)
  root <- tryCatch(chol(H[order, order]), error = function(e) NULL)
  if (is.null(root)) return(list(value = -Inf))
  right <- drop(factors_times(shifted, factors, matrix(gram[-1L, 1L])))[order]
  solved <- drop(backsolve(root, backsolve(root, right, transpose = TRUE)))
  u <- solved[seq_len(q)]
  beta <- c(solved[q + x], from_spherical(u, blocks, factors))
  contrast <- c(1, -beta)
  rss <- drop(crossprod(contrast, gram %*% contrast)) + sum(u^2)
  log_det <- parts$log_det + 2 * sum(log(diag(root)[seq_len(q)]))
  value <- -0.5 * (n * log(2 * pi) + log_det + rss)
  inverse <- matrix(0, p + q, p + q)
  inverse[order, order] <- chol2inv(root)
  beta_vcov <- from_both_sides(inverse, shifted, factors)
  within <- inverse
  if (!restricted) {
    within[] <- 0
    within[z, z] <- chol2inv(root[seq_len(q), seq_len(q), drop = FALSE])
  }
  if (restricted) value <- value + restricted_term(beta_vcov[x, x, drop = FALSE])
  list(value = if (is.finite(value)) value else -Inf, beta = beta, beta_vcov = beta_vcov,
    contrast = contrast, rss = rss, log_det = log_det, u = u, trace_weights = if (restricted)
    beta_vcov else from_both_sides(within, shifted, factors),
    mixed = times_factors(within, shifted, lapply(factors, t))[z, , drop = FALSE], z = z)
}

# L M L'
from_both_sides <- function(M, blocks, factors) {
  back <- lapply(factors, t)
  factors_times(blocks, back, times_factors(M, blocks, back))
}

# ---- derivatives ---------------------------------------------------------------------------------

# Sum over the levels of the d x d blocks of M.
level_sums <- function(M, block) {
  at <- matrix(block$columns, block$d)
  sums <- matrix(0, block$d, block$d)
  for (i in seq_len(block$d)) for (j in seq_len(block$d)) {
    sums[i, j] <- sum(M[cbind(at[i, ], at[j, ])])
  }
  sums
}

# Gradient and information of the effects' working parameters, of their `rows` of the layout, and
# the information that they share with those of the field. `slopes`: of each block, the derivatives
# of its factor; `profile` of profile_effects().
effect_derivatives <- function(parts, profile, blocks, factors, slopes, information) {
  inner <- parts$gram[-1L, -1L, drop = FALSE]
  z <- profile$z
  K <- profile$mixed %*% inner[, z, drop = FALSE]
  g <- drop(parts$gram[-1L, , drop = FALSE][z, , drop = FALSE] %*% profile$contrast)
  gradient <- unlist(Map(function(block, slopes) {
    at <- matrix(block$columns, block$d)
    both <- matrix(g[at], block$d) %*% t(matrix(profile$u[at], block$d)) - t(level_sums(K, block))
    vapply(slopes, function(slope) sum(slope * both), 0)
  }, blocks, slopes))
  if (!information) return(list(gradient = gradient))
  J <- -inner[z, , drop = FALSE] %*% profile$trace_weights
  diag(J[, z]) <- diag(J[, z, drop = FALSE]) + 1
  E <- J %*% inner[, z, drop = FALSE]
  changes <- unlist(Map(function(block, factor, slopes) lapply(slopes, function(slope) {
    list(block = block, G = slope %*% t(factor) + factor %*% t(slope))
  }), blocks, factors, slopes), recursive = FALSE)
  list(gradient = gradient, information = effect_information(E, changes),
    shared = shared_information(parts$d_gram, J, changes))
}

effect_information <- function(E, changes) {
  products <- lapply(changes, function(change) {
    columns <- change$block$columns
    times_factors(E[, columns, drop = FALSE], list(block_alone(change$block)), list(change$G))
  })
  count <- length(changes)
  information <- matrix(0, count, count)
  for (a in seq_len(count)) for (b in seq_len(a)) {
    rows <- changes[[b]]$block$columns
    columns <- changes[[a]]$block$columns
    information[a, b] <- information[b, a] <- 0.5 * sum(products[[a]][rows, , drop = FALSE] *
      t(products[[b]][columns, , drop = FALSE]))
  }
  information
}

# A row for each parameter of the effects, a column for each of the core.
shared_information <- function(d_gram, J, changes) {
  of <- function(slice) {
    changed <- J %*% slice[-1L, -1L]
    vapply(changes, function(change) {
      -0.5 * sum(change$G * level_products(changed, J, change$block))
    }, 0)
  }
  matrix(vapply(seq_len(dim(d_gram)[3L]), function(a) of(d_gram[, , a]), double(length(changes))),
    length(changes))
}

# level_sums(A B')
level_products <- function(A, B, block) {
  at <- matrix(block$columns, block$d)
  sums <- matrix(0, block$d, block$d)
  for (i in seq_len(block$d)) for (j in seq_len(block$d)) {
    sums[i, j] <- sum(A[at[i, ], ] * B[at[j, ], ])
  }
  sums
}

# ---- the objective -------------------------------------------------------------------------------

# An objective as new_objective() has it. `parts`: a function of the values of the layout's rows, of
# whether derivatives are wanted, and of a context. The gradient alone takes a fraction of the time.
effects_objective <- function(layout, data, n, parts, restricted) {
  blocks <- data$effects$blocks
  of_effects <- match(unlist(lapply(blocks, `[[`, "parameters")), layout$name)
  evaluate <- function(working, information = FALSE, ..., slopes = information) {
    values <- to_core(working, layout$transform)
    result <- parts(values, slopes, ...)
    if (result$failed > 0L) return(list(value = -Inf, failed = result$failed))
    factors <- effect_factors(blocks, layout, values)
    profile <- profile_effects(result, n, blocks, factors, restricted)
    profile$failed <- 0L
    if (slopes && is.finite(profile$value)) {
      profile <- with_effect_derivatives(profile, result, layout, values, blocks, factors,
        of_effects, information)
    }
    penalised_state(profile[setdiff(names(profile), c("mixed", "z"))], layout, working)
  }
  gradient <- function(working, ...) {
    evaluate(working, slopes = TRUE)$gradient %||% rep(NA_real_, length(working))
  }
  list(evaluate = evaluate, gradient = gradient, slopes = gradient, n = n)
}

with_effect_derivatives <- function(profile, result, layout, values, blocks, factors, of_effects,
                                    information) {
  slopes <- Map(function(block, factor) factor_slopes(factor,
    values[match(block$parameters, layout$name)], block$d), blocks, factors)
  own <- effect_derivatives(result, profile, blocks, factors, slopes, information)
  slope <- core_to_working_slope(layout, values)
  core <- seq_along(result$d_log_det)
  profile$gradient <- double(nrow(layout))
  profile$gradient[core] <- slope[core] * profile_gradient(result, profile$contrast,
    profile$trace_weights)
  profile$gradient[of_effects] <- own$gradient
  if (!information) return(profile)
  profile$information <- matrix(0, nrow(layout), nrow(layout))
  profile$information[core, core] <- result$information * outer(slope[core], slope[core])
  profile$information[of_effects, of_effects] <- own$information
  profile$information[of_effects, core] <- sweep(own$shared, 2L, slope[core], "*")
  profile$information[core, of_effects] <- t(profile$information[of_effects, core])
  profile
}

# ---- of a fit ------------------------------------------------------------------------------------

# Blocks and their factors at the estimates, NULL where there are none.
fitted_effects <- function(fit) {
  effects_at(fit, to_core(fit$parameters$working, fit$layout$transform))
}

# The same of a fit or problem at other values.
effects_at <- function(object, values) {
  if (!has_effects(object$data)) return(NULL)
  blocks <- object$data$effects$blocks
  list(blocks = blocks, factors = effect_factors(blocks, object$layout, values))
}

# A standard deviation that ended below some thousandth of the response's (its bound is e^-12 of
# that) is reported as 0.
vanished_effects <- function(working, problem) {
  if (!any(problem$layout$kind == "effect_sd")) return(FALSE)
  problem$layout$kind == "effect_sd" & problem$free & working <= problem$bounds$lower + 5
}

# Correlations with an effect without variance mean nothing. `group` is the block's number.
vanished_correlations <- function(layout, low) {
  if (!any(layout$kind == "effect_cor")) return(FALSE)
  layout$kind == "effect_cor" & layout$group %in% layout$group[layout$kind == "effect_sd" & low]
}
