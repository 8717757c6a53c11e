# Tables of fits to several responses: a row for each parameter, the fit, or each row of the data.

#' @export
glance.neargp_outputs <- function(x, ...) {
  check_no_more_arguments()
  data.frame(nobs = stats::nobs(x), places = x$data$places, outputs = length(x$outputs),
    glance_score(x), glance_search(x))
}

#' @export
tidy.neargp_outputs <- function(x, ...) with_outputs_column(x, NextMethod())

with_outputs_column <- function(x, table) {
  others <- table$term[table$effect != "trend"]
  count <- length(x$coregionalisation)
  names <- c(paste0("nugget_", x$outputs), unlist(lapply(seq_len(count), function(j) {
    coregionalisation_names(x$outputs, j, count)[seq_along(x$outputs)]
  })))
  with_owner_column(table, "response", rep(x$outputs, each = ncol(x$data$X) %/% length(x$outputs)),
    terms_of_outputs(x), x$outputs[(match(others, names) - 1L) %% length(x$outputs) + 1L])
}

# Names of the trend's columns, output after output, without the output.
terms_of_outputs <- function(x) {
  owner <- rep(x$outputs, each = ncol(x$data$X) %/% length(x$outputs))
  substring(colnames(x$data$X), nchar(owner) + 2L)
}

#' @export
augment.neargp_outputs <- function(x, data = NULL, newdata = NULL, se_fit = FALSE,
                                   interval = c("none", "confidence", "prediction"),
                                   conf.level = 0.95, ...) {
  check_fit(x)
  check_no_more_arguments()
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  if (!is.null(newdata)) return(augment_newdata(x, newdata, se_fit, interval, conf.level))
  check_for_newdata(se_fit, interval)
  loo <- loo_predict(x)
  columns <- output_columns(list(.fitted = stats::fitted(x), .resid = stats::residuals(x)),
    x$outputs)
  beside_outputs(x, data, cbind(columns, stats::setNames(loo, paste0(".loo_", names(loo)))))
}

# `columns`: with a row for each row of the data.
beside_outputs <- function(x, data, columns) {
  data <- data %||% columns_of_outputs(x)
  if (!is.data.frame(data) || nrow(data) != nrow(columns)) {
    abort_neargp("argument",
      sprintf("`data` must be a data frame with the %s rows that were fitted.",
        format_count(nrow(columns))))
  }
  cbind(data, columns)
}

# Responses, the trend's columns and coordinates, with the rows that na.exclude left out.
columns_of_outputs <- function(x) {
  trend <- structure(design_of_places(x$data),
    dimnames = list(NULL, terms_of_outputs(x)[seq_len(ncol(x$data$X) %/% length(x$outputs))]))
  extra <- cbind(as.data.frame(trend[, colnames(trend) != "(Intercept)", drop = FALSE]),
    original_frame(as_places(x)))
  columns <- cbind(as.data.frame(output_matrix(x$data, x$data$y), optional = TRUE),
    extra[, !duplicated(colnames(extra)), drop = FALSE])
  columns[stats::naresid(x$na_action, seq_len(nrow(columns))), , drop = FALSE]
}
