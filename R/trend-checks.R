# Checks of the trend of a fit: what cannot be distinguished, and what leaves nothing to a field.

# Other responses than Gaussian ones may be as a trend has them.
check_trend_of <- function(data, family) {
  if (is_gaussian(family)) check_trend(data) else check_rank(data$X, NULL, data$response_name)
}

check_trend <- function(model_data) {
  X <- model_data$X
  n <- nrow(X)
  if (ncol(X) >= n) {
    abort_neargp("rank",
      sprintf("The trend has %d coefficients for %d row(s); there must be more rows than coefficients.", ncol(X), n))
  }
  centered <- model_data$y - model_data$offset
  if (diff(range(centered)) == 0) {
    abort_neargp("constant_response",
      c(paste0("The response `", model_data$response_name,
        "` is constant, so a model cannot be fitted."),
        x = sprintf("All %s values are %g%s.", format_count(n), if (any(model_data$offset != 0))
          centered[1L] else observed_response(model_data)[1L],
          if (any(model_data$offset != 0)) " after the offset" else "")))
  }
  if (ncol(X)) check_rank(X, centered, model_data$response_name)
}

# Next to a constant only the scatter of a covariate counts: that of a year is a small share of its
# size.
check_rank <- function(X, centered, response_name) {
  columns <- centered_columns(X)
  check_column_sizes(columns, colnames(X))
  decomposition <- qr(columns)
  if (decomposition$rank < ncol(X)) abort_rank(X, decomposition$pivot[-seq_len(decomposition$rank)])
  if (is.null(centered)) return(invisible()) # the trend acts on the scale of the link
  residual <- qr.resid(decomposition, centered)
  if (sum((residual / max(abs(centered)))^2) <= 1e-28 * length(centered)) {
    abort_exact_trend(response_name)
  }
}

# The inverse of a length that is nearly the least number is none.
check_column_sizes <- function(columns, names, least = 1e-290) {
  sizes <- apply(abs(columns), 2L, max)
  small <- sizes > 0 & sizes < least
  if (!any(small)) return(invisible())
  abort_neargp("scale", c(sprintf("%s varies by about %.3g, which is too little to compute with.",
    format_some(names[small]), sizes[small][1L]), i = "Multiply the covariate by a constant."))
}

# Where there is no intercept nothing takes the mean of a covariate off, and next to a large one its
# variation is lost.
abort_rank <- function(X, aliased) {
  names <- colnames(X)[aliased]
  spread <- apply(X[, aliased, drop = FALSE], 2L, stats::sd)
  far <- spread > 0 & spread < 1e-6 * abs(colMeans(X[, aliased, drop = FALSE]))
  abort_neargp("rank",
    c("The trend is rank-deficient: some of its columns are linear combinations of the others.",
      if (any(far))
      c(x = paste0(format_some(names[far]),
        " varies by less than a millionth of its mean: subtract a constant from it, or add an intercept.")),
      if (!all(far)) c(x = aliased_hint(names[!far], colnames(X)))))
}

# Columns of a smooth are named "s(a).1": the formula has s(a), and most likely a, which is in it.
aliased_hint <- function(names, all) {
  smooth <- "^((s|t2)[(].*)[.][0-9]+$"
  inside <- grepl(smooth, names)
  if (!any(inside)) {
    return(paste0("Remove ", format_some(names), " from the formula, or reparametrise."))
  }
  label <- sub(smooth, "\\1", names[inside][1L])
  also <- intersect(all.vars(str2lang(label)), all)
  if (length(also)) {
    return(sprintf("%s contains the linear effect of %s: remove the term %s from the formula.",
      label, format_some(also), also[1L]))
  }
  sprintf("%s contains a linear effect of other terms: leave one of them out.", label)
}

abort_exact_trend <- function(response_name) {
  abort_neargp("constant_response",
    c(paste0("The response `", response_name, "` is an exact function of the trend."),
      i = "No variation is left for a Gaussian process."))
}
