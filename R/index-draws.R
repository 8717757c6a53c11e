# The draws and moments behind predict_index().

# The values of each index of a model, a list. `draws`: a row for each of the quantities `rows`,
# group by group. `mean`: the mean of the index of each group. `exact`: the moments of the index if
# the response is normal, else NULL.
index_values <- function(model, grid, rows, settings) {
  UseMethod("index_values")
}

#' @export
index_values.default <- function(model, grid, rows, settings) {
  fits <- model$fits
  alone <- length(fits) == 1L
  settings$integrated <- alone && integrates_areas(settings$parameters, fits[[1L]],
    length(grid$area), settings)
  found <- over_parameters(fits[[1L]], settings, function(fit, draws) {
    settings$draws <- draws
    drawn_indices(cells_of_fits(c(list(fit), fits[-1L]), grid, settings), grid, rows,
      settings)[[1L]]
  })
  part <- function(name) do.call(cbind, lapply(found$values, `[[`, name))
  exact <- alone && settings$linear && "index" %in% settings$statistics
  list(list(mean = drop(part("mean") %*% found$weights), draws = part("draws"),
    exact = if (exact) exact_index(fits[[1L]], grid, settings)))
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
  check_index_column(target$complete, "predictors", rows = grid$rows)
  target$rows <- grid$rows
  target
}

# Expected responses at the cells of a grid. `expected`: a vector of their means for each index.
# `draw`: a function of a count that returns a matrix for each index.
cells_of_fits <- function(fits, grid, settings) {
  parts <- lapply(fits, function(fit) cell_posterior(fit, target_of_grid(fit, grid), settings))
  expected <- Reduce(`*`, lapply(parts, function(part) {
    expected_responses(part$fit, part$posterior$mean, cell_variances(part$posterior), part$at)
  }))
  list(expected = list(expected), draw = function(count) list(expected_draws(parts, count)))
}

# `cells`: of cells_of_fits(). `unknowns`: how many numbers a draw takes.
drawn_indices <- function(cells, grid, rows, settings, unknowns = length(grid$area)) {
  groups <- split(seq_along(grid$number), grid$number)
  of_density <- function(density) {
    do.call(rbind, lapply(groups, function(own) {
      index_of_group(density[own, , drop = FALSE], grid$area[own],
        grid$axes[own, , drop = FALSE], rows)
    }))
  }
  draws <- for_draws_of_cells(cells$draw, unknowns, settings, function(densities) {
    lapply(densities, of_density)
  })
  none <- matrix(0, nrow(rows) * length(groups), 0L)
  lapply(seq_along(cells$expected), function(i) {
    list(mean = as.vector(rowsum(grid$area * cells$expected[[i]], grid$number)),
      draws = do.call(cbind, c(list(none), lapply(draws, `[[`, i))))
  })
}

# ---- the table -----------------------------------------------------------------------------------

index_table <- function(grid, rows, values, settings) {
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
