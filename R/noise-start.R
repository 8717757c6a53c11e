# Where the search of the coefficients of `nugget = ~ z` begins.

# Adds starting values to the layout, where there are none.
with_noise_start <- function(problem) {
  layout <- problem$layout
  open <- layout$kind == "noise" & is.na(layout$start)
  if (!any(open)) return(problem)
  problem$layout$start[open] <- noise_start(problem)[open[layout$kind == "noise"]]
  problem
}

# Where the field changes little among a row's m nearest others, the squared difference of the row
# from their mean, weighted by their precisions w_j, has the expectation v_i + 1 / sum w_j: that is
# v_i times a factor that depends on ratios of variances alone. Without that factor it is a
# log-linear model, by quasi-likelihood with the variance of a gamma distribution; the ratios are
# those of the coefficients found so far.
noise_start <- function(problem, m = 10L, most = 4, rounds = 4L) {
  data <- problem$data
  n <- length(data$y)
  targets <- unique(round(seq(1, n, length.out = min(n, problem$control$start_rows))))
  m <- min(m, n - 1L)
  group <- problem$groups[[1L]]$group
  scaled <- sweep(places_of(data$coords, problem$locations), 2L,
    group_scales(data$coords, group)[group], "/")
  neighbors <- without_self(core_neighbors_to(scaled, scaled[targets, , drop = FALSE], m + 1L,
    problem$context), targets)
  y <- response_columns(data)[, 1L]
  columns <- data$noise$columns
  coefficients <- double(ncol(columns))
  for (round in seq_len(rounds)) {
    precision <- data$weights * exp(-drop(columns %*% coefficients))
    of_neighbors <- matrix(precision[neighbors], m)
    total <- colSums(of_neighbors)
    local_mean <- colSums(of_neighbors * matrix(y[neighbors], m)) / total
    squares <- (y[targets] - local_mean)^2 / (1 + precision[targets] / total)
    coefficients <- log_linear(squares * data$weights[targets], columns[targets, , drop = FALSE])
    coefficients <- pmax(pmin(coefficients, most), -most)
  }
  coefficients
}

# Coefficients of exp(a + z'gamma) by Fisher scoring of a gamma regression, whose steps are least
# squares of the relative errors, of at most 1 in the linear predictor.
log_linear <- function(y, z, steps = 25L) {
  design <- qr(cbind(1, z))
  predictor <- rep(log(max(mean(y), .Machine$double.xmin)), length(y))
  coefficients <- double(ncol(z) + 1L)
  for (step in seq_len(steps)) {
    change <- qr.coef(design, pmin(y / exp(predictor), 100) - 1)
    change[is.na(change)] <- 0
    moved <- drop(cbind(1, z) %*% change)
    share <- min(1, 1 / max(abs(moved), 1e-8))
    predictor <- predictor + share * moved
    coefficients <- coefficients + share * change
    if (max(abs(moved)) < 1e-3) break
  }
  coefficients[-1L]
}
