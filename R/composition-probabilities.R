# Probabilities of categories. The logarithms of their ratios to the reference are normal, z ~ N(m,
# S), and p = softmax(0, z). Expectations over z are means over points of a lattice, see
# joint-exceedance.R. The points are the same in each call, so that results are.

shifts_of_composition <- 2L
points_of_composition <- 1024L

# Standard normal points, ratios x points. Their mean is exactly 0 and their covariance matrix I, so
# that quadratic functions are integrated exactly.
ratio_points <- function(ratios) {
  points <- stats::qnorm(shifted_lattices(ratios, shifts_of_composition, points_of_composition))
  points <- points - rowMeans(points)
  backsolve(chol(tcrossprod(points) / ncol(points)), points, transpose = TRUE)
}

# Moments of the ratios from those of the linear predictors of all categories, where constants of
# samples cancel. Rows are locations. `categories`: names of all, NULL for a number of each.
moments_of_ratios <- function(moments) {
  mean <- moments$mean
  covariance <- moments$covariance
  ratios <- ncol(mean) - 1L
  with_reference <- function(of, with) array(covariance[, of, with], c(nrow(mean), ratios, ratios))
  own <- seq_len(ratios) + 1L
  first <- rep(1L, ratios)
  list(mean = mean[, own, drop = FALSE] - mean[, 1L],
    covariance = with_reference(own, own) - with_reference(own, first) -
      with_reference(first, own) + with_reference(first, first), categories = moments$responses)
}

# The same ratios with the categories sorted by name, the first as the reference. Points and their
# errors then do not depend on the order of the categories. `order`: the number of each category in
# the given ratios.
sorted_ratios <- function(ratios) {
  count <- ncol(ratios$mean) + 1L
  order <- if (is.null(ratios$categories)) seq_len(count) else
    order(ratios$categories, method = "radix")
  to_given <- diag(count)[, -1L, drop = FALSE]
  to_sorted <- to_given[order[-1L], , drop = FALSE] - rep(to_given[order[1L], ], each = count - 1L)
  covariance <- matrix(ratios$covariance, nrow(ratios$mean)) %*% t(to_sorted %x% to_sorted)
  list(mean = ratios$mean %*% t(to_sorted), covariance = array(covariance, dim(ratios$covariance)),
    order = order)
}

# A triangular root R of a covariance matrix, S = RR'. Two processes may be the same, hence a ridge.
root_of_covariance <- function(covariance) {
  ridge <- 1e-10 * max(diag(covariance)) + 1e-300
  t(chol(covariance + diag(ridge, nrow(covariance))))
}

# categories x points.
softmax_of_ratios <- function(z) {
  z <- rbind(0, z)
  above <- z - rep(apply(z, 2L, max), each = nrow(z))
  exp(above) / rep(colSums(exp(above)), each = nrow(z))
}

# Applies a function to the probabilities at the points, categories x points, of each location.
at_each_location <- function(ratios, f, value) {
  ratios <- sorted_ratios(ratios)
  in_given_order <- order(ratios$order)
  points <- ratio_points(ncol(ratios$mean))
  vapply(seq_len(nrow(ratios$mean)), function(i) {
    S <- matrix(ratios$covariance[i, , ], ncol(ratios$mean))
    p <- softmax_of_ratios(ratios$mean[i, ] + root_of_covariance(S) %*% points)
    f(p[in_given_order, , drop = FALSE])
  }, value)
}

# Means of the probabilities, locations x categories.
mean_probabilities <- function(ratios) {
  categories <- ncol(ratios$mean) + 1L
  t(matrix(at_each_location(ratios, rowMeans, double(categories)), categories))
}

# ---- densities -----------------------------------------------------------------------------------

# The logarithm of the probability of the counts of each sample,
#
#   log E prod_m p_m^n_m + log N! - sum_m log n_m!.
#
# With z = m + Ru and u ~ N(0, I), the integrand is a multinomial likelihood times the density of u.
# Large counts make it narrow. Half of the points are therefore of a normal distribution at its
# mode, with the curvature there, and half of the density of u. The weight of a point is the
# integrand divided by the mean of both densities.
composition_log_density <- function(counts, ratios) {
  ratios <- sorted_ratios(ratios)
  counts <- counts[, ratios$order, drop = FALSE]
  points <- ratio_points(ncol(ratios$mean))
  vapply(seq_len(nrow(counts)), function(i) {
    S <- matrix(ratios$covariance[i, , ], ncol(ratios$mean))
    log_likelihood_given_normal(counts[i, ], ratios$mean[i, ], root_of_covariance(S), points) +
      lfactorial(sum(counts[i, ])) - sum(lfactorial(counts[i, ]))
  }, 0)
}

log_likelihood_given_normal <- function(counts, mean, root, points) {
  mode <- mode_of_sample(counts, mean, root)
  spread <- backsolve(chol(mode$precision), diag(length(mean)))
  u <- cbind(points, mode$at + spread %*% points)
  normal <- function(x) -colSums(x^2) / 2
  near <- normal(chol(mode$precision) %*% (u - mode$at)) - sum(log(diag(spread)))
  log_weight <- log_likelihood_of_counts(counts, mean + root %*% u) -
    log_mean_exp(rbind(normal(u), near) - rep(normal(u), each = 2L))
  log_mean_exp(matrix(log_weight))
}

# For each column.
log_mean_exp <- function(x) {
  highest <- apply(x, 2L, max)
  highest + log(colMeans(exp(x - rep(highest, each = nrow(x)))))
}

log_likelihood_of_counts <- function(counts, z) {
  colSums(counts[-1L] * z) - sum(counts) * log_sum_exp_with_zero(z)
}

log_sum_exp_with_zero <- function(z) {
  highest <- pmax(apply(z, 2L, max), 0)
  highest + log(exp(-highest) + colSums(exp(z - rep(highest, each = nrow(z)))))
}

# The mode of likelihood times density by Newton steps, which are halved until they gain, and the
# negative second derivatives there. The logarithm is concave.
mode_of_sample <- function(counts, mean, root, steps = 50L, tolerance = 1e-8) {
  total <- sum(counts)
  value_at <- function(u) log_likelihood_of_counts(counts, cbind(mean + root %*% u)) - sum(u^2) / 2
  u <- double(length(mean))
  for (step in seq_len(steps)) {
    p <- softmax_of_ratios(cbind(mean + root %*% u))[-1L]
    precision <- diag(length(mean)) +
      total * crossprod(root, (diag(p, length(p)) - tcrossprod(p)) %*% root)
    along <- solve(precision, crossprod(root, counts[-1L] - total * p) - u)
    share <- 1
    while (share > 1e-6 && value_at(u + share * along) < value_at(u)) share <- share / 2
    u <- drop(u + share * along)
    if (max(abs(along)) < tolerance) break
  }
  list(at = u, precision = precision)
}
