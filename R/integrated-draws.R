# Draws of the covariance parameters, where they are more than the axes of a lattice. All of it is
# deterministic: the points are quasi-random, and R's random numbers are left alone.
#
# The draws are from Laplace's approximation of the posterior, in the eigenbasis of minus its second
# derivatives H at the mode. With D the precisions of the priors, the eigenvalues of D^-1/2 H D^-1/2
# are raised to 1, so that no direction is wider than the prior. As in the lattice the two halves of
# an axis differ in width. The density of the axis is split normal, and the share of a half is
# proportional to its width. Draws are weighted by posterior / density, and the largest weights are
# smoothed (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

# With 64 draws predictive standard deviations of 30 observations and 5 parameters are within 3% of
# those of a long Markov chain, with 40 within 5%.
posterior_draws <- 64L

# Importance sampling needs a density that is at least as wide as the posterior.
draw_widening <- 1.2

# Above it a weighted mean of draws may be far from that of the posterior.
largest_pareto_k <- 0.7

drawn_design <- function(objective, mode, problem, state_at) {
  axes <- bounded_axes(objective, mode, problem)
  count <- ncol(axes$columns)
  along <- split_scales(function(z) state_at(mode$working + c(axes$columns %*% z))$value,
    mode$evaluated$value, count)
  # the sign of an eigenvector is free: its wider half comes second, whatever the unit of the data
  turned <- along[, 1L] > along[, 2L]
  columns <- sweep(axes$columns, 2L, ifelse(turned, -1, 1), "*")
  along[turned, ] <- along[turned, 2:1]
  at <- function(z) mode$working + c(columns %*% z)
  scales <- draw_widening * pmin(along, axes$widest)
  units <- normal_points(max(posterior_draws, 4L * count), count)
  states <- lapply(seq_len(nrow(units)), function(i) {
    draw <- split_normal_quantile(stats::pnorm(units[i, ]), scales)
    state <- state_at(at(draw$value))
    state$log_weight <- state$value + sum(draw$unit^2) / 2
    state
  })
  states <- Filter(function(state) is.finite(state$log_weight), states)
  smoothed <- pareto_smoothed(vapply(states, `[[`, 0, "log_weight"))
  inform_of_pareto_k(smoothed$k)
  states <- Map(replace, states, "log_weight", smoothed$log_weights)
  c(with_heaviest(states), list(pareto_k = smoothed$k))
}

# `columns`: a standard deviation of Laplace's approximation along each axis; `widest`: how many of
# these the prior's is.
bounded_axes <- function(objective, mode, problem) {
  free <- which(problem$free)
  information <- restricted_information(objective, mode, problem)[free, free, drop = FALSE]
  precision <- pmax(prior_precision(problem$layout, mode$working)[free], least_curvature)
  parts <- eigen(information / sqrt(outer(precision, precision)), symmetric = TRUE)
  values <- pmax(parts$values, 1)
  columns <- matrix(0, length(problem$free), length(free))
  columns[free, ] <- sweep(parts$vectors / sqrt(precision), 2L, sqrt(values), "/")
  list(columns = columns, widest = sqrt(values))
}

# Opposite pairs of points with the mean 0 and the covariance I. They are normal quantiles of the
# additive recurrence whose steps are powers of the generalised golden ratio, the root of
# x^(d + 1) = x + 1 (Roberts 2018).
normal_points <- function(count, dimensions) {
  ratio <- stats::uniroot(function(x) x^(dimensions + 1) - x - 1, c(1, 2), tol = 1e-12)$root
  recurrence <- (0.5 + outer(seq_len(count %/% 2L), ratio^-seq_len(dimensions))) %% 1
  half <- stats::qnorm(recurrence)
  half <- half %*% backsolve(chol(crossprod(half) / nrow(half)), diag(dimensions))
  rbind(half, -half)
}

# At probabilities u, one for each row of `scales`, with the standard deviations below and above the
# mode: the quantile, and this in units of its side.
split_normal_quantile <- function(u, scales) {
  below <- scales[, 1L] / rowSums(scales)
  lower <- u < below
  tail <- ifelse(lower, u / (2 * below), (1 - u) / (2 * (1 - below)))
  unit <- stats::qnorm(tail) * ifelse(lower, 1, -1)
  list(value = unit * ifelse(lower, scales[, 1L], scales[, 2L]), unit = unit)
}

inform_of_pareto_k <- function(k) {
  if (is.na(k) || k <= largest_pareto_k) return(invisible())
  inform_neargp("parameters", c(
    sprintf("Draws of the covariance parameters represent their posterior poorly (Pareto k = %s, above %s).",
      format(k, digits = 2L), largest_pareto_k),
    i = "Fix some parameters, or give them priors: prior = pc_priors()."))
}

# ---- Pareto-smoothed weights ---------------------------------------------------------------------

# The largest weights are replaced by the expected order statistics of a generalised Pareto
# distribution that is fitted to them, and none is above the largest one. The shape k measures how
# heavy their tail is. It is NA where there are too few to fit. Where most of the largest weights
# underflow k is Inf, and all weights stay as they are.
pareto_smoothed <- function(log_weights) {
  log_weights <- log_weights - max(log_weights)
  n <- length(log_weights)
  count <- ceiling(min(0.2 * n, 3 * sqrt(n)))
  increasing <- order(log_weights)
  tail <- utils::tail(increasing, count)
  if (count < 5L || diff(range(log_weights[tail])) < 1e-10) {
    return(list(log_weights = log_weights, k = NA_real_))
  }
  cutoff <- exp(log_weights[increasing[n - count]])
  fitted <- generalised_pareto(exp(log_weights[tail]) - cutoff)
  if (!is.finite(fitted$k)) return(list(log_weights = log_weights, k = Inf))
  quantiles <- fitted$scale * expm1(-fitted$k * log1p(-stats::ppoints(count, a = 0.5))) / fitted$k
  log_weights[tail] <- pmin(log(cutoff + quantiles), 0)
  list(log_weights = log_weights, k = fitted$k)
}

# The estimate of Zhang and Stephens (2009) from increasing excesses x, with a weak prior of ten
# observations at k = 0.5.
generalised_pareto <- function(x) {
  n <- length(x)
  points <- 30 + floor(sqrt(n))
  theta <- 1 / x[n] + (1 - sqrt(points / (seq_len(points) - 0.5))) / (3 * x[floor(n / 4 + 0.5)])
  shape <- vapply(theta, function(one) mean(log1p(-one * x)), 0)
  log_likelihood <- n * (log(-theta / shape) - shape - 1)
  weights <- exp(log_likelihood - max(log_likelihood))
  theta <- sum(theta * weights) / sum(weights)
  k <- mean(log1p(-theta * x))
  list(k = (n * k + 5) / (n + 10), scale = -k / theta)
}
