# The quantities of predict_index(), computed for each draw. `density`: expected responses, a row
# for each cell of a group, a column for each draw. Let a be the areas and x the coordinates. The
# total is B = sum a d, and the centre is sum x a d / B. An individual meets the mean density
# sum d (a d) / B. The effective area is B divided by it, B^2 / sum a d^2 (Thorson et al. 2016,
# doi:10.1098/rspb.2016.1853).

# Each quantity: whether it is taken along axes, whether at shares of the total, and its formula.
index_statistics <- list(
  index = list(axes = FALSE, shares = FALSE,
    value = function(density, area, ...) colSums(area * density)),
  center_of_gravity = list(axes = TRUE, shares = FALSE,
    value = function(density, area, x, ...) {
      colSums(x * area * density) / colSums(area * density)
    }),
  effective_area = list(axes = FALSE, shares = FALSE,
    value = function(density, area, ...) colSums(area * density)^2 / colSums(area * density^2)),
  range_edge = list(axes = TRUE, shares = TRUE,
    value = function(density, area, x, share) range_edge(area * density, x, share)))

# One row for each quantity of a group.
index_rows <- function(settings, axes) {
  rows <- lapply(settings$statistics, function(name) {
    kind <- index_statistics[[name]]
    expand.grid(prob = if (kind$shares) settings$probs else NA_real_,
      axis = if (kind$axes) axes else NA_character_, statistic = name, stringsAsFactors = FALSE)
  })
  do.call(rbind, rows)[c("statistic", "axis", "prob")]
}

# A row for each of `rows`, a column for each draw.
index_of_group <- function(density, area, axes, rows) {
  check_densities(density, rows$statistic)
  values <- lapply(seq_len(nrow(rows)), function(i) {
    row <- rows[i, ]
    x <- if (!is.na(row$axis)) axes[, row$axis]
    index_statistics[[row$statistic]]$value(density, area, x, row$prob)
  })
  do.call(rbind, values)
}

# Shares of a total and mean densities mean nothing where some densities are negative.
check_densities <- function(density, statistics) {
  if (all(statistics == "index") || (all(density >= 0) && all(colSums(density) > 0))) {
    return(invisible())
  }
  abort_neargp("response", c(
    "Centres, effective areas and range edges need non-negative expected responses and a positive total.",
    x = sprintf("%s%% of the draws of cells are negative.",
      format(signif(100 * mean(density < 0), 2L))),
    i = "Use statistics = \"index\", or a model of positive responses: a log link or transform = \"log\"."))
}

# The coordinate below which a share of the total lies. `amounts`: area times density. Cells of one
# coordinate are added first. Between coordinates the share is interpolated linearly.
range_edge <- function(amounts, x, share) {
  at <- sort(unique(x))
  sums <- rowsum(amounts, match(x, at), reorder = TRUE)
  count <- length(at)
  below <- matrix(apply(sums, 2L, cumsum), count)
  below <- below / rep(below[count, ], each = count)
  reached <- pmin(colSums(below < share) + 1L, count)
  draw <- seq_len(ncol(below))
  previous <- pmax(reached - 1L, 1L)
  start <- below[cbind(previous, draw)]
  rise <- below[cbind(reached, draw)] - start
  at[previous] + ifelse(reached > previous, (share - start) / rise, 0) *
    (at[reached] - at[previous])
}
