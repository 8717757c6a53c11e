# The draws and moments behind predict_index().

# `rows`: the quantities of a group in order. `draws`: a row for each of these quantities, group by
# group. `mean`: the mean of the index of each group. `exact`: the moments of the index if the
# response is normal, else NULL.
index_values <- function(fits, grid, settings) {
  rows <- index_rows(settings, colnames(grid$axes))
  alone <- length(fits) == 1L
  settings$integrated <- alone && integrates_areas(settings$parameters, fits[[1L]],
    length(grid$area), settings)
  found <- over_parameters(fits[[1L]], settings, function(fit, draws) {
    drawn_index(c(list(fit), fits[-1L]), grid, rows, replace(settings, "draws", draws))
  })
  part <- function(name) do.call(cbind, lapply(found$values, `[[`, name))
  exact <- alone && settings$linear && "index" %in% settings$statistics
  list(rows = rows, mean = drop(part("mean") %*% found$weights), draws = part("draws"),
    exact = if (exact) exact_index(fits[[1L]], grid, settings))
}

exact_index <- function(fit, grid, settings) {
  support <- group_support(fit, grid)
  area_columns(fit, support, with_sparse_cells(fit, length(support$area), settings))$columns
}

# The groups as areas.
group_support <- function(fit, grid) {
  total <- as.vector(rowsum(grid$area, grid$number))
  support <- list(area = grid$number, weight = grid$area / total[grid$number],
    points = tabulate(grid$number), total = total)
  c(list(target = target_of_grid(fit, grid)[c("coords", "X", "offset")]), support)
}

target_of_grid <- function(fit, grid) {
  target <- new_target(fit, grid$newdata)
  check_index_column(target$complete, "predictors")
  target
}

drawn_index <- function(fits, grid, rows, settings) {
  parts <- lapply(fits, function(fit) cell_posterior(fit, target_of_grid(fit, grid), settings))
  cells <- split(seq_along(grid$number), grid$number)
  draws <- for_draws_of_cells(parts, settings, function(density) {
    do.call(rbind, lapply(cells, function(own) {
      index_of_group(density[own, , drop = FALSE], grid$area[own],
        grid$axes[own, , drop = FALSE], rows)
    }))
  })
  expected <- Reduce(`*`, lapply(parts, function(part) {
    expected_responses(part$fit, part$posterior$mean, cell_variances(part$posterior), part$at)
  }))
  none <- matrix(0, nrow(rows) * length(cells), 0L)
  list(mean = as.vector(rowsum(grid$area * expected, grid$number)),
    draws = do.call(cbind, c(list(none), draws)))
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
  numbers <- c("mean", "sd", "lower", "upper")
  if (!is.null(values$exact)) table[total, numbers] <- values$exact[group[total], numbers]
  table[numbers] <- lapply(table[numbers], saturate_areas)
  unused <- vapply(table[c("axis", "prob")], function(x) all(is.na(x)), NA)
  table[names(unused)[unused]] <- NULL
  if (length(grid$groups)) table <- cbind(grid$groups[group, , drop = FALSE], table)
  row.names(table) <- NULL
  structure(table, class = c("neargp_index", "data.frame"), groups = names(grid$groups),
    level = settings$level, draws = draws)
}
