# Partial effects: the contribution of a covariate of the trend, alone or in a smooth, to the linear
# predictor. The other covariates are typical: numbers at their median, levels the most frequent
# one.

# Covariates in the order of the formula, without those that only groups name.
effect_covariates <- function(fit) {
  if (is_streamed(fit)) return(character(0))
  smooths <- Filter(function(recipe) recipe$kind == "smooth", fit$effects)
  unique(c(all.vars(stats::delete.response(fit$terms)), unlist(lapply(smooths, recipe_variables))))
}

ggplot_effects <- function(fit, type, level = 0.95) {
  refuse_compressed(fit, "plot(which = \"effects\")")
  tables <- effect_tables(fit, level, type)
  label <- if (type == "link") paste("Effect on", response_with_scale(fit)) else
    label_with_unit(fit$data$response_name, response_unit(fit))
  plots <- lapply(names(tables), function(name) {
    table <- tables[[name]]
    title <- sprintf("Effect of %s", name)
    if (is.factor(table$x)) return(ggplot_level_effects(table, name, label, title))
    plot <- ggplot_band(table, name, label, title)
    if (is.null(plot)) return(NULL)
    plot + ggplot2::geom_rug(data = data.frame(x = attr(table, "observed")), sides = "b",
      alpha = 0.3)
  })
  plots_of(seq_along(plots), function(i) plots[[i]])
}

ggplot_level_effects <- function(table, name, label, title) {
  plot <- new_plot(table, ggplot2::aes(.data$x, .data$value), title, x = name, y = label)
  bars <- if (!all(is.na(table$lower))) {
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper),
      colour = "grey50")
  }
  plot + bars + ggplot2::geom_point(colour = "#0072B2", size = 2.5)
}

# "depth", "presence (logit scale)": what a linear predictor is of.
response_with_scale <- function(fit) {
  scale <- predictor_scale(fit$family)
  name <- label_with_unit(fit$data$response_name, response_unit(fit))
  if (scale == "identity") name else sprintf("%s (%s scale)", fit$data$response_name, scale)
}

# The unit of a response of package units, "" for others.
response_unit <- function(fit) {
  kind <- fit$time_kinds[[fit$data$response_name]]
  if (is.null(kind$units)) "" else as.character(kind$units)
}

# Columns that the formula makes levels of, such as `year` in factor(year).
level_columns <- function(fit) {
  calls <- Filter(is.call, all_calls(attr(stats::delete.response(fit$terms), "variables")))
  makes_levels <- vapply(calls, function(call) {
    deparse1(call[[1L]]) %in% c("factor", "as.factor", "ordered", "as.ordered", "as.character")
  }, NA)
  unique(unlist(lapply(calls[makes_levels], all.vars)))
}

all_calls <- function(expression) {
  if (!is.call(expression)) return(list())
  c(list(expression), unlist(lapply(as.list(expression)[-1L], all_calls), recursive = FALSE))
}

# A table (x, value, lower, upper) for each covariate with an effect.
effect_tables <- function(fit, level, type = "link") {
  data <- needed_data(fit, "plot(which = \"effects\")")
  rows <- drop_geometry(with_fitted_columns(fit, fitted_rows(fit, data)))
  rows <- as.data.frame(rows)[intersect(fit$required_columns, names(rows))]
  levels <- level_columns(fit)
  typical <- as.data.frame(Map(typical_value, rows, names(rows) %in% levels), check.names = FALSE)
  covariates <- intersect(effect_covariates(fit), names(rows))
  if (type == "response") fit <- without_groups(fit)
  tables <- lapply(stats::setNames(nm = covariates), function(name) {
    effect_table(fit, typical, name, rows[[name]], level, name %in% levels, type)
  })
  Filter(Negate(is.null), tables)
}

typical_value <- function(x, as_levels) {
  if (is.numeric(x) && !as_levels) return(stats::median(x))
  counts <- table(as.character(x))
  x[match(names(counts)[which.max(counts)], as.character(x))]
}

# Let C be the design of values less the mean design of the observations. Effects are C b with the
# variances diag(C V C'). An intercept cancels in C, so that it does not widen them. On the response
# scale the design is that of the values, with its intercept and offset.
effect_table <- function(fit, typical, name, observed, level, as_levels, type, points = 100L,
                         most = 1000L) {
  is_number <- is.numeric(observed) && !as_levels
  x <- if (is_number) seq(min(observed), max(observed), length.out = points) else
    observed[!duplicated(observed)][order(unique(observed))]
  design_at <- function(values) {
    rows <- typical[rep(1L, length(values)), , drop = FALSE]
    rows[[name]] <- values
    evaluated_design(fit, rows)
  }
  some <- observed[shown_rows(length(observed), most)]
  at <- design_at(x)
  effects <- sweep(at$X, 2L, colMeans(design_at(some)$X))
  if (all(abs(effects) < 1e-12)) return(NULL)
  curve <- if (type == "link") effect_curve(fit, effects, 0, level) else
    at_typical_response(fit, effect_curve(fit, at$X, at$offset, level))
  structure(data.frame(x = if (is_number) x else factor(as.character(x), as.character(x)), curve),
    observed = some)
}

effect_curve <- function(fit, design, offset, level) {
  trend <- core_trend(fit)
  of_effects <- seq_along(trend$beta) > length(fit$beta)
  value <- offset + drop(design %*% c(fit$beta, trend$beta[of_effects]))
  design <- design_columns(fit$data, design)
  sd <- sqrt(pmax(rowSums((design %*% with_spread(trend$beta_vcov, trend$spread)) * design), 0))
  data.frame(value = value, normal_limits(value, sd, level))
}

# The mean of a response, or the median of a transformed one, where the process and the effects of
# groups are at their mean of 0.
at_typical_response <- function(fit, curve) {
  transform <- fit$family$transform
  of_predictor <- if (is.null(transform)) mean_at_predictor(fit) else
    function(eta) from_normal_scale(eta, transform)
  curve[] <- lapply(curve, of_predictor)
  curve
}
