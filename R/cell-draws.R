# Joint draws of the expected responses at cells, and their posterior: for predict_index() and
# exceedance_region().

# A fit's posterior at the locations of a target. Every cell is an area of its own, so that
# `variances()` are those of cells.
cell_posterior <- function(fit, target, settings) {
  support <- cell_support(target)
  settings <- with_sparse_cells(fit, length(support$area), settings)
  posterior <- area_posterior(fit$method, fit, support, settings)
  at <- parameter_columns_of_cells(target)
  curve <- response_curve(fit, at)
  check_mean_exists(fit, curve, posterior,
    "Joint draws need a response whose expected value exists.")
  list(fit = fit, posterior = posterior, curve = curve, at = at,
    draw = predictor_drawer(posterior))
}

# The covariates on which parameters of the family depend.
parameter_columns_of_cells <- function(target) {
  if (is.null(target$new_parameter_columns)) return(list())
  columns <- target$new_parameter_columns()
  known <- Reduce(`&`, lapply(columns, stats::complete.cases))
  check_index_column(known, "covariates of family parameters",
    rows = target$rows %||% seq_along(known))
  list(parameter_columns = columns)
}

# Dense draws are limited to as many points as svgp() draws together.
with_sparse_cells <- function(fit, points, settings) {
  if (is_dense_fit(fit) && points > 5000L) settings$k <- settings$k %||% neighbors_of_areas(fit)
  settings
}

cell_support <- function(target) {
  cells <- seq_len(nrow(target$coords))
  list(target = target[c("coords", "X", "offset")], area = cells, weight = rep(1, length(cells)),
    points = rep(1L, length(cells)), total = rep(1, length(cells)))
}

# The variances of the linear predictors of all cells.
cell_variances <- function(posterior) {
  pmax(posterior$variances() + row_forms(posterior$unseen, posterior$vcov), 0)
}

# The results of `visit` for draws at cells, some at a time. `draw`: a function of their count.
for_draws_of_cells <- function(draw, cells, settings, visit) {
  counts <- draw_parts(settings$draws, cells)
  advance <- progress_reporter(length(counts), settings$verbose)
  lapply(counts, function(count) {
    drawn <- draw(count)
    advance()
    visit(drawn)
  })
}

# A matrix of draws of the expected responses of separate fits, whose product it is: a row for each
# cell.
expected_draws <- function(parts, count) {
  Reduce(`*`, lapply(parts, function(part) {
    eta <- part$draw(count)
    matrix(part$curve(eta), nrow(eta))
  }))
}

# The values of `of_fit(fit, draws)` for the fits that represent the posterior of the parameters,
# with their weights. Draws are divided between fits in proportion to the weights.
over_parameters <- function(fit, settings, of_fit) {
  if (!settings$integrated) return(list(weights = 1, values = list(of_fit(fit, settings$draws))))
  design <- integrated_fits(fit, settings$context)
  weights <- exp(design$log_weights) / sum(exp(design$log_weights))
  counts <- allotted_draws(weights, settings$draws)
  list(weights = weights, values = each_point(design, function(s) {
    of_fit(design$fits[[s]], counts[s])
  }))
}
