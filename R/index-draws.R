# The draws and moments behind predict_index().

# Each fit's posterior at all cells. Every cell is an area of its own, so that `variances()` are
# those of cells.
index_posterior <- function(fit, grid, settings) {
  support <- cell_support(fit, grid)
  settings <- with_sparse_cells(fit, nrow(support$target$coords), settings)
  posterior <- area_posterior(fit$method, fit, support, settings)
  curve <- response_curve(fit)
  check_mean_exists(fit, curve, posterior,
    "predict_index() needs a response whose expected value exists.")
  list(fit = fit, posterior = posterior, curve = curve, draw = predictor_drawer(posterior))
}

# Dense draws are limited to as many points as svgp() draws together.
with_sparse_cells <- function(fit, points, settings) {
  if (is_dense_fit(fit) && points > 5000L) settings$k <- settings$k %||% neighbors_of_areas(fit)
  settings
}

cell_support <- function(fit, grid) {
  target <- new_target(fit, grid$newdata)
  check_index_column(target$complete, "newdata")
  cells <- seq_along(grid$area)
  list(target = target[c("coords", "X", "offset")], area = cells, weight = rep(1, length(cells)),
    points = rep(1L, length(cells)), total = rep(1, length(cells)))
}

# The groups as areas, for the exact moments of a linear index.
group_support <- function(fit, grid) {
  support <- cell_support(fit, grid)
  support$area <- grid$number
  support$total <- as.vector(rowsum(grid$area, grid$number))
  support$weight <- grid$area / support$total[grid$number]
  support$points <- tabulate(grid$number)
  support
}

# ---- draws ---------------------------------------------------------------------------------------

# A list of `rows`, the quantities of each group in order, their `draws`, the `mean` of the index of
# each group, and with a normal response the table `exact` of its moments.
index_values <- function(fits, grid, settings) {
  rows <- index_rows(settings, colnames(grid$axes))
  settings$integrated <- length(fits) == 1L && integrates_areas(settings$parameters, fits[[1L]],
    length(grid$area), settings)
  given <- if (settings$integrated) integrated_index(fits[[1L]], grid, rows, settings) else
    drawn_index(fits, grid, rows, settings)
  exact <- length(fits) == 1L && settings$linear && "index" %in% settings$statistics
  c(list(rows = rows), given, list(exact = if (exact) exact_index(fits[[1L]], grid, settings)))
}

exact_index <- function(fit, grid, settings) {
  support <- group_support(fit, grid)
  area_columns(fit, support, with_sparse_cells(fit, length(support$area), settings))$columns
}

integrated_index <- function(fit, grid, rows, settings) {
  design <- integrated_fits(fit, settings$context)
  weights <- exp(design$log_weights)
  counts <- allotted_draws(weights, settings$draws)
  given <- each_point(design, function(s) {
    drawn_index(list(design$fits[[s]]), grid, rows, replace(settings, "draws", counts[s]))
  })
  means <- do.call(cbind, lapply(given, `[[`, "mean"))
  list(mean = drop(means %*% weights) / sum(weights),
    draws = do.call(cbind, lapply(given, `[[`, "draws")))
}

drawn_index <- function(fits, grid, rows, settings) {
  parts <- lapply(fits, index_posterior, grid, settings)
  counts <- draw_parts(settings$draws, length(grid$area))
  advance <- progress_reporter(length(counts), settings$verbose)
  cells <- split(seq_along(grid$number), grid$number)
  draws <- lapply(counts, function(count) {
    density <- Reduce(`*`, lapply(parts, function(part) {
      eta <- part$draw(count)
      matrix(part$curve(eta), nrow(eta))
    }))
    advance()
    do.call(rbind, lapply(cells, function(own) {
      index_of_group(density[own, , drop = FALSE], grid$area[own],
        grid$axes[own, , drop = FALSE], rows)
    }))
  })
  expected <- Reduce(`*`, lapply(parts, expected_densities))
  none <- matrix(0, nrow(rows) * length(cells), 0L)
  list(mean = as.vector(rowsum(grid$area * expected, grid$number)),
    draws = do.call(cbind, c(list(none), draws)))
}

# The posterior means of the expected responses of cells.
expected_densities <- function(part) {
  posterior <- part$posterior
  expected_responses(part$fit, posterior$mean,
    posterior$variances() + row_forms(posterior$unseen, posterior$vcov))
}

# ---- the table -----------------------------------------------------------------------------------

index_table <- function(grid, values, settings) {
  rows <- values$rows
  count <- nrow(grid$groups)
  group <- rep(seq_len(count), each = nrow(rows))
  draws <- unname(values$draws)
  limits <- predictive_limits(new_drawn(rowMeans(draws), 0, draws), settings$level)
  table <- data.frame(rows[rep(seq_len(nrow(rows)), count), ], mean = rowMeans(draws),
    sd = apply(draws, 1L, stats::sd), lower = limits$lower, upper = limits$upper)
  total <- table$statistic == "index"
  table$mean[total] <- values$mean[group[total]]
  if (!is.null(values$exact)) {
    moments <- c("mean", "sd", "lower", "upper")
    table[total, moments] <- values$exact[group[total], moments]
  }
  unused <- vapply(table[c("axis", "prob")], function(x) all(is.na(x)), NA)
  table[names(unused)[unused]] <- NULL
  if (length(grid$groups)) table <- cbind(grid$groups[group, , drop = FALSE], table)
  row.names(table) <- NULL
  structure(table, class = c("neargp_index", "data.frame"), groups = names(grid$groups),
    level = settings$level, draws = draws)
}
