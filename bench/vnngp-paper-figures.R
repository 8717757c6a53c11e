# Repeats experiments of the VNNGP paper on its prior and its posterior:
# - Figure 3: KL divergence against the number of neighbours.
# - Figure 7: the same with other orderings, the Matérn covariance and real locations.
# - Figure 4: highly noisy data with a gap.
# - Section 5: neighbours by correlation.
#
# The figures compare the mean field of VNNGP with SWSGP and SVGP, and with the sparse posterior, the default of
# vnngp(). Figures 5 and 8 are in vnngp-noise-figures.R.
#
# Sizes are the paper's, as far as it prints them (Figure 4: 50 observations, k = 5). Figure 3 uses 100 points on a
# line and a jitter of 1e-3, as in the author's code. With a jitter of 1e-6 the precision of a Gaussian covariance
# exceeds all other terms. The paper's 3DRoad data are not available. In Figure 7, 200 locations of canopy heights
# (bcef), in units of their mean spacing, replace them.
#
#   Rscript bench/vnngp-paper-figures.R [--out=FOLDER]     (default: bench/results)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "vnngp-drawing.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

# ---- Figures 3 and 7 ----------------------------------------------------------------------------------------------------------------

distances <- function(x, y) sqrt(Reduce(`+`, lapply(seq_len(ncol(x)), function(i) outer(x[, i], y[, i], "-")^2)))

kernels <- list(
  gaussian = function(x, y, lengthscale) exp(-distances(x, y)^2 / (2 * lengthscale^2)),
  matern = function(x, y, lengthscale) {
    r <- sqrt(5) * distances(x, y) / lengthscale
    (1 + r + r^2 / 3) * exp(-r)
  })

squared_exponential <- function(x, y, lengthscale) kernels$gaussian(cbind(x), cbind(y), lengthscale)

# The precision matrix of the nearest-neighbour prior, dense, from the covariance matrix: Q = (I - B)'F^-1(I - B).
nearest_neighbor_precision <- function(S, neighbors, order) {
  n <- nrow(S)
  rows <- diag(n)
  f <- double(n)
  for (rank in seq_len(n)) {
    j <- order[rank]
    near <- stats::na.omit(neighbors[, rank])
    b <- if (length(near)) solve(S[near, near, drop = FALSE], S[near, j]) else double(0)
    rows[j, near] <- -b
    f[j] <- S[j, j] - sum(b * S[near, j])
  }
  list(Q = crossprod(rows / sqrt(f)), log_det = -sum(log(f)))
}

# The divergence of N(m, I) from N(0, S), for some of the points.
dense_divergence <- function(S, m) {
  U <- chol(S)
  0.5 * (sum(backsolve(U, m, transpose = TRUE)^2) + sum(diag(chol2inv(U))) + 2 * sum(log(diag(U))) - length(m))
}

# SWSGP's divergence is a mean over the points. Each term is the divergence of the k nearest points, including the
# point itself (equation 20 of the paper).
local_divergence <- function(S, m, x, k) {
  apart <- distances(x, x)
  mean(vapply(seq_along(m), function(i) {
    near <- order(apart[i, ])[seq_len(k)]
    dense_divergence(S[near, near, drop = FALSE], m[near])
  }, 0))
}

# The paper's divergence assumes unit variances. The sparse posterior uses the same means, and its information at
# every point is that of a normal observation of variance 1. Its divergence can be far smaller, because it can keep
# the correlations of the prior.
divergences <- function(k, S, m, x, order) {
  ordered <- x[order, , drop = FALSE]
  neighbors <- matrix(order[as.matrix(neargp:::core_neighbors_before(ordered, seq_along(m), k, neargp:::plain_context()))], k)
  prior <- nearest_neighbor_precision(S, neighbors, order)
  quadratic <- drop(m %*% prior$Q %*% m)
  n <- length(m)
  A <- prior$Q + diag(n)
  data.frame(vnngp = 0.5 * (quadratic + sum(diag(prior$Q)) - prior$log_det - n), swsgp = local_divergence(S, m, x, min(k, n)),
    svgp = dense_divergence(S, m),
    sparse = 0.5 * (quadratic + sum(prior$Q * chol2inv(chol(A))) - prior$log_det + 2 * sum(log(diag(chol(A)))) - n))
}

# The means are a draw from the covariance at lengthscale 5, as in the paper. SWSGP uses all points at k = M, VNNGP at
# k = M - 1.
divergence_curves <- function(setting, x, kernel = "gaussian", order = sample.int(nrow(x)), jitter = 1e-3) {
  m <- drop(crossprod(chol(kernels[[kernel]](x, x, 5) + diag(jitter, nrow(x))), stats::rnorm(nrow(x))))
  ks <- c(1:10, 15, 20, 30, 50, 75, nrow(x))
  do.call(rbind, lapply(c(1, 2, 5, 10), function(lengthscale) do.call(rbind, lapply(ks, function(k) {
    S <- kernels[[kernel]](x, x, lengthscale) + diag(jitter, nrow(x))
    data.frame(setting = setting, lengthscale = lengthscale, k = k, divergences(as.integer(k), S, m, x, order))
  }))))
}

# Canopy locations around one of them, in units of the mean spacing.
canopy_locations <- function(points = 200L) {
  rows <- as.matrix(bench_data("bcef")[c("x", "y")])
  near <- order(rowSums(sweep(rows, 2L, rows[sample.int(nrow(rows), 1L), ])^2))[seq_len(points)]
  x <- rows[near, ]
  unname(x) / mean(apply(distances(x, x) + diag(Inf, points), 1L, min))
}

divergence_settings <- function(points = 100L) {
  grid <- cbind(as.double(seq_len(points)))
  set.seed(1)
  list(divergence_curves("figure 3", grid), divergence_curves("other random order", grid),
    divergence_curves("coordinate order", grid, order = seq_len(points)), divergence_curves("Matern 5/2", grid, "matern"),
    divergence_curves("canopy locations", canopy_locations()))
}

draw_divergences <- function(name, tables) {
  draw(name, 900, 190 * length(tables) + 40, function() {
    graphics::par(mfrow = c(length(tables), 4), mar = c(3, 3, 1.5, 0.5), mgp = c(1.8, 0.6, 0), cex = 0.6)
    for (table in tables) for (lengthscale in unique(table$lengthscale)) {
      here <- table[table$lengthscale == lengthscale, ]
      plot(here$k, here$vnngp, type = "l", lwd = 2, log = "xy", col = colours[["vnngp"]], xlab = "k", ylab = "KL divergence", cex.main = 1,
        ylim = range(here[c("vnngp", "swsgp", "svgp")]), main = sprintf("%s, l = %g", here$setting[1L], lengthscale))
      graphics::lines(here$k, here$swsgp, lwd = 2, col = colours[["swsgp"]])
      graphics::abline(h = here$svgp[1L], lty = 3, lwd = 2, col = colours[["svgp"]])
      if (lengthscale == 1) graphics::legend("bottomright", c("SVGP", "VNNGP", "SWSGP"), col = colours[c("svgp", "vnngp", "swsgp")],
        lty = c(3, 1, 1), lwd = 2, bty = "n")
    }
  })
}

# The least k from which a curve stays within 5% of SVGP's divergence, and the ratio to that divergence at k = 5.
convergence_of <- function(here) {
  from <- function(curve) here$k[max(c(0L, which(abs(curve / here$svgp - 1) > 0.05))) + 1L]
  share <- function(curve) curve[here$k == 5] / here$svgp[1L]
  data.frame(setting = here$setting[1L], lengthscale = here$lengthscale[1L], svgp = here$svgp[1L], vnngp_share = share(here$vnngp),
    swsgp_share = share(here$swsgp), vnngp_within = from(here$vnngp), swsgp_within = from(here$swsgp),
    vnngp_over = any(here$vnngp > 1.0001 * here$svgp), swsgp_over = any(here$swsgp > 1.0001 * here$svgp),
    vnngp_nearer = mean(abs(here$vnngp - here$svgp) <= abs(here$swsgp - here$svgp) + 1e-6 * here$svgp))
}

figures_3_and_7 <- function() {
  tables <- divergence_settings()
  draw_divergences("vnngp-figure-3.png", tables[1L])
  draw_divergences("vnngp-figure-7.png", tables[-1L])
  first <- tables[[1L]]
  save_table(first[first$k %in% c(1, 3, 5, 10, 20, 50, 100), -1L], "vnngp-figure-3")
  every <- do.call(rbind, tables)
  cases <- split(every, list(every$lengthscale, factor(every$setting, unique(every$setting))))
  save_table(do.call(rbind, lapply(cases, convergence_of)), "vnngp-figure-7")
}

# ---- Figure 4 ---------------------------------------------------------------------------------------------------------------------

# Lengthscale 5, variance 5 and noise 5, with clusters around 0 and 50 and few observations between. All parameters
# are fixed, and only the posterior is computed.
toy_data <- function() {
  set.seed(4)
  x <- sort(c(stats::rnorm(20, 0, 3), stats::rnorm(20, 50, 3), stats::runif(10, 5, 45)))
  grid <- seq(-10, 60, by = 0.25)
  all <- c(x, grid)
  field <- drop(crossprod(chol(5 * squared_exponential(all, all, 5) + diag(1e-6, length(all))), stats::rnorm(length(all))))
  list(train = data.frame(x = x, y = field[seq_along(x)] + stats::rnorm(50, sd = sqrt(5))),
    grid = data.frame(x = grid, truth = field[-seq_along(x)]))
}

exact_moments <- function(train, grid) {
  inner <- 5 * squared_exponential(train$x, train$x, 5) + diag(5, nrow(train))
  cross <- 5 * squared_exponential(train$x, grid$x, 5)
  data.frame(mean = drop(crossprod(cross, solve(inner, train$y))), sd = sqrt(5 - colSums(cross * solve(inner, cross))))
}

toy_fit <- function(train, method) {
  suppressWarnings(neargp(y ~ 0, train, coords = ~ x, covariance = cov_gaussian(range = 5 * sqrt(2), variance = 5), nugget = 5, method = method,
    threads = 1L, verbose = FALSE))
}

toy_moments <- function(train, grid, method) {
  predict(toy_fit(train, method), grid, type = "link", k = method$k, threads = 1L, verbose = FALSE)[c("mean", "sd")]
}

# All methods use an inducing point at each observation. With k = M - 1 the prior of vnngp() is exact, and its mean
# field is that of SVGP with M = N.
toy_methods <- function(x, jitter = 1e-3) {
  list(svgp = vnngp(49L, posterior = "mean-field", jitter = jitter), vnngp = vnngp(5L, posterior = "mean-field", jitter = jitter),
    swsgp = swsgp(cbind(x = x), k = 5L, move = FALSE, kl_weight = 1, jitter = jitter, epochs = 3000L, batch_size = 50L),
    sparse = vnngp(5L, jitter = jitter))
}

toy_titles <- c(exact = "exact", svgp = "SVGP, mean field, M = N", vnngp = "VNNGP, k = 5", swsgp = "SWSGP, k = 5",
  sparse = "sparse posterior, k = 5")

draw_toy <- function(data, models) {
  draw("vnngp-figure-4.png", 1200, 700, function() {
    graphics::par(mfrow = c(2, 3), mar = c(3.5, 3.5, 2, 0.5), mgp = c(2, 0.7, 0))
    for (name in names(toy_titles)) {
      moments <- models[[name]]
      plot(data$train$x, data$train$y, pch = 16, cex = 0.6, xlim = range(data$grid$x), ylim = c(-10, 10), xlab = "x", ylab = "y",
        main = toy_titles[[name]])
      graphics::polygon(c(data$grid$x, rev(data$grid$x)), c(moments$mean - 1.96 * moments$sd, rev(moments$mean + 1.96 * moments$sd)),
        col = grDevices::adjustcolor(colours[[name]], 0.25), border = NA)
      graphics::lines(data$grid$x, moments$mean, col = colours[[name]], lwd = 2)
      graphics::lines(data$grid$x, data$grid$truth, col = "grey50")
    }
  })
}

# Distances from the exact posterior where observations are dense, and in the gap between.
compare_toy <- function(moments, data, exact) {
  at <- function(where) data.frame(
    mean_error = sqrt(mean((moments$mean - exact$mean)[where]^2)), sd_ratio = mean((moments$sd / exact$sd)[where]),
    coverage = mean((abs(data$grid$truth - moments$mean) < 1.96 * moments$sd)[where]))
  dense <- abs(data$grid$x) < 5 | abs(data$grid$x - 50) < 5
  cbind(clusters = at(dense), between = at(data$grid$x > 8 & data$grid$x < 42))
}

figure_4 <- function() {
  data <- toy_data()
  exact <- exact_moments(data$train, data$grid)
  models <- c(list(exact = exact), lapply(toy_methods(data$train$x), toy_moments, train = data$train, grid = data$grid))
  draw_toy(data, models)
  save_table(cbind(model = names(models), do.call(rbind, lapply(models, compare_toy, data = data, exact = exact))), "vnngp-figure-4")
}

# ---- Correlation as the metric (section 5) ----------------------------------------------------------------------------------------

# The divergence of the nearest-neighbour prior from the exact prior, with neighbours by distance and by correlation.
# If a covariance depends only on distances, neighbours by correlation are the nearest in units of the ranges. The
# package searches in these units. The setting: 400 locations of the unit square, Matérn 5/2, one range of 0.2 and a
# shorter one, a jitter of 1e-6.
metric_row <- function(ratio, k, x, order) {
  unit <- sweep(x, 2L, c(0.2, 0.2 / ratio), "/")
  S <- kernels$matern(unit, unit, 1) + diag(1e-6, nrow(x))
  exact <- 2 * sum(log(diag(chol(S))))
  divergence_by <- function(places) {
    ranks <- neargp:::core_neighbors_before(places[order, ], seq_along(order), k, neargp:::plain_context())
    -0.5 * (nearest_neighbor_precision(S, matrix(order[as.matrix(ranks)], k), order)$log_det + exact)
  }
  data.frame(ratio = ratio, k = k, by_distance = divergence_by(x), by_correlation = divergence_by(unit))
}

metrics <- function() {
  set.seed(6)
  x <- matrix(stats::runif(800L), 400L)
  order <- sample.int(nrow(x))
  cases <- expand.grid(k = c(5L, 10L, 20L), ratio = c(1, 4, 16))
  table <- do.call(rbind, Map(metric_row, cases$ratio, cases$k, MoreArgs = list(x = x, order = order)))
  save_table(cbind(table, share = table$by_correlation / table$by_distance), "vnngp-metric")
}

describe_run()
figures_3_and_7()
figure_4()
metrics()
