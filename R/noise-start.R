# Where the search of the coefficients of `nugget = ~ z` begins.

# Adds starting values to the layout, where there are none.
with_noise_start <- function(problem) {
  layout <- problem$layout
  open <- layout$kind == "noise" & is.na(layout$start)
  if (!any(open)) return(problem)
  problem$layout$start[open] <- noise_start(problem_at_rows(problem))[open[layout$kind == "noise"]]
  problem
}

# Where the field changes little among a row's m nearest others, take the squared difference of the
# row from their mean, weighted by their precisions 1 / v_j. Its expectation is v_i + 1 / sum(1 /
# v_j). This is v_i times a factor that depends on ratios of variances alone. Divided by that factor
# it follows the model of v_i. The ratios are those of the coefficients found so far.
noise_start <- function(problem, m = 10L, most = 4, rounds = 4L) {
  data <- problem$data
  n <- length(data$y)
  targets <- start_targets(problem)
  m <- min(m, n - 1L)
  neighbors <- nearest_in_scale(problem, targets, m)
  y <- response_columns(data)[, 1L]
  known <- if (is.null(data$noise$known)) double(n) else known_noise(data)
  design <- cbind(1, data$noise$columns)
  variance <- 1 / data$weights
  for (round in seq_len(rounds)) {
    precision <- matrix(1 / variance[neighbors], m)
    total <- colSums(precision)
    local_mean <- colSums(precision * matrix(y[neighbors], m)) / total
    squares <- (y[targets] - local_mean)^2 / (1 + 1 / (total * variance[targets]))
    coefficients <- log_linear(squares, design[targets, , drop = FALSE], known[targets],
      data$weights[targets])
    coefficients[-1L] <- pmax(pmin(coefficients[-1L], most), -most)
    variance <- known + exp(drop(design %*% coefficients)) / data$weights
  }
  coefficients[-1L]
}

# Columns are the m nearest others of the rows `targets`, in coordinates in units of their scatter.
nearest_in_scale <- function(problem, targets, m) {
  scaled <- start_coordinates(problem, start_scales(problem))
  without_self(core_neighbors_to(scaled, scaled[targets, , drop = FALSE], m + 1L,
    problem$context), targets)
}

# Coefficients of E y = mu = known + e, e = exp(X b) / weights, by quasi-likelihood with the
# variance mu^2 of a gamma distribution. A step of Fisher scoring is a least squares fit of (y - mu)
# / e with the squares of e / mu as weights. It changes X b by 1 at most.
log_linear <- function(y, X, known, weights, steps = 25L) {
  b <- c(log(max(mean((y - known) * weights), 0.1 * mean(y * weights), .Machine$double.xmin)),
    double(ncol(X) - 1L))
  for (step in seq_len(steps)) {
    e <- exp(drop(X %*% b)) / weights
    mu <- known + e
    change <- stats::lm.wfit(X, pmin((y - mu) / e, 100), (e / mu)^2)$coefficients
    change[is.na(change)] <- 0
    moved <- max(abs(drop(X %*% change)))
    b <- b + min(1, 1 / max(moved, 1e-8)) * change
    if (moved < 1e-3) break
  }
  unname(b)
}

# The part of the response's variance that the known variances leave, in the unit of the core. The
# scale that start values are multiplied by applies to the known variances as well, which is not the
# model, but near enough.
beside_known_noise <- function(data, residual_variance) {
  if (is.null(data$noise$known)) return(residual_variance)
  max(residual_variance - mean(known_noise(rows_with_noise(data))), 0.1 * residual_variance)
}

# Data whose weights contain all of their noise, relative to the nugget `unit`.
with_noise_weights <- function(data, layout, values, unit = nugget_unit(data, layout, values)) {
  if (is.null(data$noise)) return(data)
  if (is_moving(data$within)) {
    return(at_locations(with_noise_weights(data$within$rows, layout, values, unit)))
  }
  data$noise$weights <- data$weights
  data$weights <- unit / row_noise(data, layout, values)$variance
  data
}

# Rows of another fit with weights from the noise of this one, relative to its nugget.
with_noise_of <- function(object, data) {
  if (is.null(data$noise)) return(data)
  with_noise_weights(with_given_weights(data), object$layout,
    to_core(object$parameters$working, object$layout$transform), object$nugget)
}
