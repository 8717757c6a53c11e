# Starting values of several outputs: those of each output by itself, brought together. Its grid
# search gives its variance in each structure, ranges and nugget; ranges are averaged over the
# outputs, and the correlations of the structures are those of the residuals at shared places.

outputs_start <- function(problem) {
  variances <- residual_variances(problem$data)
  problem$bounds <- outputs_bounds(problem, variances)
  values <- start_values_of_outputs(problem, variances)
  layout <- problem$layout
  given <- ifelse(layout$fixed, layout$value, layout$start)
  values[!is.na(given)] <- given[!is.na(given)]
  problem$start <- clamp(to_working(values, layout$transform), problem$bounds, problem$free)
  problem
}

# Residuals of each output's least squares trend.
trend_residual_matrix <- function(data) {
  residuals <- data$y - base_mean(data)
  for (p in seq_along(data$outputs)) {
    own <- data$output == p
    X <- own_columns(data, p)
    if (ncol(X)) residuals[own] <- stats::lm.wfit(X, residuals[own], data$weights[own])$residuals
  }
  output_matrix(data, residuals)
}

# The trend's columns that belong to an output, in its rows.
own_columns <- function(data, p) {
  q <- ncol(data$X) %/% length(data$outputs)
  data$X[data$output == p, (p - 1L) * q + seq_len(q), drop = FALSE]
}

residual_variances <- function(data) {
  weights <- output_matrix(data, data$weights)
  colSums(weights * trend_residual_matrix(data)^2, na.rm = TRUE) / colSums(weights, na.rm = TRUE)
}

outputs_bounds <- function(problem, variances) {
  layout <- problem$layout
  bounds <- working_bounds(problem, 1)
  nugget <- layout$kind == "nugget"
  bounds[c("lower", "upper")] <- Map(function(bound, share) replace(bound, nugget,
    log(variances * share)), bounds[c("lower", "upper")], nugget_bounds(problem$data$weights))
  loading <- layout$kind == "loading"
  bounds$upper[loading] <- 100 * loading_scales(problem)[loading]
  bounds$lower[loading] <- -bounds$upper[loading]
  bounds
}

# For each parameter the unit in which it is to be looked for: of loadings the standard deviation of
# their output, else 1.
loading_scales <- function(problem) {
  loading_units(problem$layout, sqrt(residual_variances(problem$data)))
}

# For each parameter the unit of its output where it is a loading, else 1. `units`: of the outputs.
loading_units <- function(layout, units) {
  factor <- rep(1, nrow(layout))
  for (j in unique(layout$component[layout$kind == "loading"])) {
    own <- which(layout$kind == "loading" & layout$component == j)
    factor[own] <- rep(units, each = length(own) / length(units))
  }
  factor
}

start_values_of_outputs <- function(problem, variances) {
  layout <- problem$layout
  singles <- lapply(seq_along(variances), function(p) single_output_start(problem, p, variances[p]))
  values <- rep(NA_real_, nrow(layout))
  correlation <- residual_correlation(problem$data)
  for (j in seq_along(problem$groups)) {
    of_component <- function(single, kinds) {
      single$values[single$layout$component %in% j & single$layout$kind %in% kinds]
    }
    own <- layout$component %in% j
    deviations <- sqrt(vapply(singles, of_component, 0, "variance"))
    rank <- sum(own & layout$kind == "loading") / length(variances)
    values[own & layout$kind ==
      "loading"] <- as.vector(t(loadings_of(correlation * outer(deviations, deviations), rank)))
    for (kind in intersect(c("range", "shape"), layout$kind[own])) {
      logs <- vapply(singles, function(single) log(of_component(single, kind)),
        double(sum(own & layout$kind == kind)))
      values[own & layout$kind == kind] <- exp(rowMeans(matrix(logs, ncol = length(singles))))
    }
    values[own & layout$kind %in% c("u", "v")] <- rowMeans(matrix(vapply(singles, of_component,
      double(sum(own & layout$kind %in% c("u", "v"))), c("u", "v")), ncol = length(singles)))
  }
  values[layout$kind == "nugget"] <- vapply(singles,
    function(single) single$values[single$layout$kind == "nugget"], 0)
  values
}

single_output_start <- function(problem, p, variance) {
  single <- problem
  single$data <- with_trend_basis(data_of_output(problem$data, p))
  nugget <- problem$layout$value[problem$layout$kind == "nugget"][p]
  single$layout <- new_layout(structure(problem$covariance["components"],
    class = "neargp_covariance"), if (!is.na(nugget)) nugget, problem$locations)
  list(layout = single$layout, values = to_core(start_working(single, variance),
    single$layout$transform))
}

# Shrunk towards none: where few places are shared the sample correlations are rough, and need not
# be those of a covariance matrix.
residual_correlation <- function(data) {
  residuals <- trend_residual_matrix(data)
  shared <- crossprod(!is.na(residuals))
  correlation <- suppressWarnings(stats::cor(residuals, use = "pairwise.complete.obs"))
  correlation[is.na(correlation) | shared < 10] <- 0
  correlation <- 0.9 * correlation
  diag(correlation) <- 1
  least <- min(eigen(correlation, symmetric = TRUE, only.values = TRUE)$values)
  if (least < 0.05) {
    correlation <- (correlation + (0.05 - least) * diag(nrow(correlation))) / (1.05 - least)
  }
  correlation
}

# Takes the starting values from an earlier fit of the same outputs.
apply_outputs_start <- function(layout, start) {
  natural <- match(layout$name, start$layout$name)
  values <- to_core(start$parameters$working, start$layout$transform)[natural]
  layout$start <- ifelse(layout$fixed | is.na(natural), layout$start, values)
  layout
}

# Variances and covariances of the outputs, named as coef() does, as starting values of the
# loadings: all of a structure or none.
with_start_loadings <- function(start, layout) {
  outputs <- sub("^nugget_", "", layout$name[layout$kind == "nugget"])
  structures <- unique(layout$component[layout$kind == "loading"])
  for (j in structures) {
    entries <- coregionalisation_names(outputs, j, length(structures))
    given <- entries %in% names(start)
    if (!any(given)) next
    if (!all(given)) {
      abort_neargp("argument",
        c(sprintf("`start` has %s without %s.", format_some(entries[given]),
          format_some(entries[!given])),
          i = "Give all variances and covariances of a structure, or none."))
    }
    pairs <- output_pairs(length(outputs))
    B <- matrix(0, length(outputs), length(outputs))
    B[pairs] <- B[pairs[, 2:1, drop = FALSE]] <- start[entries]
    check_covariance_matrix(B, "start")
    loading <- layout$name[layout$kind == "loading" & layout$component %in% j]
    loadings <- as.vector(t(loadings_of(B, length(loading) / length(outputs))))
    start <- c(start[!names(start) %in% entries], stats::setNames(loadings, loading))
  }
  start
}
