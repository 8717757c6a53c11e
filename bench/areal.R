# Responses on areas. Do intervals of downscaled cells and of the parameters cover, and what does a fit cost? `coverage` simulates means of
# a field over the cells of a coarse grid, with noise. Intervals should cover the values at points within these cells, and the means over
# the cells of a finer grid. The means are taken over a grid that is finer than the one that represents an area. `cost` times steps of fits
# by vecchia().
#
#   Rscript bench/areal.R [coverage] [fields, 60]
#   Rscript bench/areal.R cost
#   Rscript bench/areal.R points     the variance of a square's mean by its points, exponential covariance of its side as range

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
suppressMessages(library(sf))

parts <- commandArgs(TRUE)
if (!length(parts)) parts <- c("coverage", "cost", "points")
describe_run()

unit_square <- st_as_sfc(st_bbox(c(xmin = 0, ymin = 0, xmax = 1, ymax = 1)))
squares <- function(across) st_make_grid(unit_square, n = across)
in_plane <- function(...) neargp(..., distance = "euclidean", verbose = FALSE)

# The centres of per_side^2 cells of each square.
centres <- function(across, per_side) {
  corner <- expand.grid(x = seq_len(across) - 1, y = seq_len(across) - 1) / across
  inner <- expand.grid(x = seq_len(per_side) - 0.5, y = seq_len(per_side) - 0.5) / (across * per_side)
  data.frame(x = c(outer(inner$x, corner$x, "+")), y = c(outer(inner$y, corner$y, "+")),
    area = rep(seq_len(across^2), each = per_side^2))
}

# ---- coverage ---------------------------------------------------------------------------------------------------------------------

across <- 12L
per_side <- 6L

# A field of variance 1 and exponential covariance on a grid of `side`^2 cells of the unit square, exactly, by circulant embedding.
draw_on_grid <- function(side, range, copies = 4L) {
  m <- copies * side
  lag <- pmin(seq_len(m) - 1, m - seq_len(m) + 1) / side
  eigenvalues <- Re(fft(exp(-sqrt(outer(lag^2, lag^2, "+")) / range)))
  stopifnot(min(eigenvalues) > 0)
  noise <- matrix(complex(real = rnorm(m^2), imaginary = rnorm(m^2)), m)
  Re(fft(sqrt(eigenvalues / m^2) * noise))[seq_len(side), seq_len(side)]
}

# A field of range 0.15 and a covariate of fine cells, observed as means over `across`^2 cells with noise of sd 0.1. An area consists of 36
# cells, and nine points represent it.
cover_once <- function(seed, method, fine) {
  set.seed(seed)
  side <- across * per_side
  fine$slope <- sin(9 * fine$x + seed) + cos(7 * fine$y * fine$x)
  fine$field <- 1 + 0.5 * fine$slope + draw_on_grid(side, 0.15)[cbind(ceiling(fine$x * side), ceiling(fine$y * side))]
  mean_of <- function(x) as.vector(tapply(x, fine$area, mean))
  data <- st_sf(z = mean_of(fine$field) + rnorm(across^2, sd = 0.1), geometry = squares(across))
  slope <- terra::rast(nrows = across * per_side, ncols = across * per_side, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "local")
  at <- terra::cellFromXY(slope, as.matrix(fine[c("x", "y")]))
  terra::values(slope) <- replace(double(nrow(fine)), at, fine$slope)
  names(slope) <- "slope"
  fit <- in_plane(z ~ slope, data, method = method, covariance = cov_exponential(),
    support = block_support(points = 9, covariates = slope))
  truth <- c(variance = 1, range = 0.15)
  bounds <- confint(fit, what = "covariance")[names(truth), ]
  some <- st_as_sf(fine[seq(1, nrow(fine), by = 13), ], coords = c("x", "y"))
  points <- predict(fit, some, interval = "confidence")
  chosen <- seq(1L, 4L * across^2, by = 5L)
  halves <- st_sf(geometry = squares(2L * across)[chosen])
  blocks <- predict(fit, halves, covariates = slope, spacing = 1 / (across * per_side), interval = "confidence")
  half <- floor(fine$y * 2 * across) * 2 * across + floor(fine$x * 2 * across) + 1
  of_halves <- as.vector(tapply(fine$field, half, mean))[chosen]
  inside <- function(truth, found) mean(truth >= found$lower & truth <= found$upper)
  c(points = inside(some$field, points), cells = inside(of_halves, blocks),
    rmse_share = sqrt(mean((points$mean - some$field)^2)) / sqrt(mean(points$sd^2)),
    coefficient = abs(coef(fit)[["slope"]] - 0.5) < 1.96 * sqrt(vcov(fit)[2L, 2L]),
    stats::setNames(truth >= bounds[, 1L] & truth <= bounds[, 2L], names(truth)))
}

if ("coverage" %in% parts) {
  fields <- as.integer(argument(2L, "60"))
  fine <- centres(across, per_side)
  rows <- lapply(list("exact_gp()" = exact_gp(), "vecchia(k = 30)" = vecchia(k = 30)), function(method) {
    found <- vapply(seq_len(fields), function(seed) suppressWarnings(cover_once(seed, method, fine)), double(6))
    data.frame(what = rownames(found), fields, covered = rowMeans(found), standard_error = apply(found, 1L, sd) / sqrt(fields),
      row.names = NULL)
  })
  save_table(do.call(rbind, Map(cbind, method = names(rows), rows)), "areal-coverage")
}

# ---- cost -------------------------------------------------------------------------------------------------------------------------

# Values and gradients, one thread, at given parameters.
if ("cost" %in% parts) {
  within <- asNamespace("neargp")
  cost_of <- function(across, points, method, label) {
    set.seed(1)
    data <- st_sf(z = rnorm(across^2), geometry = squares(across))
    fit <- in_plane(z ~ 1, data, method = method, covariance = cov_exponential(variance = 1, range = 0.1), nugget = 0.1,
      support = block_support(points = points), threads = 1L)
    specified <- within$as_specified(fit$core_covariance)
    specified$specification <- within$core_covariance_specification(modifyList(fit$core_covariance, list(active = rep(TRUE, 3L))))
    context <- within$plain_context(1L)
    columns <- within$response_columns(fit$data)
    step <- if (is.null(fit$k)) {
      function() within$core_exact(fit$data$coords, columns, 1 / fit$data$weights, specified, 0.1, TRUE, context, NULL)
    } else {
      component <- within$metric_component(fit$core_covariance)
      scaled <- within$core_scale(fit$data$coords, component)
      order <- within$core_order(scaled, "maxmin", 0, context)
      problem <- within$core_problem(fit$data$coords, columns, 1 / fit$data$weights,
        within$core_neighbors_before(scaled, order, fit$k, context), context, NULL, NULL)
      function() within$core_evaluate(problem, specified, 0.1, TRUE, context)
    }
    run <- timed(step())
    data.frame(method = label, areas = across^2, points, elapsed = run$elapsed, cpu = run$cpu)
  }
  cases <- rbind(expand.grid(across = 45L, points = c(1L, 4L, 16L), method = "vecchia(k = 30)"),
    expand.grid(across = 30L, points = c(1L, 4L, 16L), method = "exact_gp()"))
  save_table(do.call(rbind, Map(function(across, points, label) cost_of(across, points, eval(str2lang(label)), label), cases$across,
    cases$points, as.character(cases$method))), "areal-cost")
}

if ("points" %in% parts) {
  variance <- function(per_side) mean(exp(-as.matrix(dist(centres(1L, per_side)[c("x", "y")]))))
  save_table(data.frame(points = (1:6)^2, ratio = vapply(1:6, variance, 0) / variance(60L)), "areal-points")
}
