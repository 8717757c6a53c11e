# Print, summary and tables of compositions. The other methods are those of joint fits.

#' @export
sections.neargp_composition <- function(x, digits, summary = NULL) {
  totals <- rowSums(x$composition$counts)
  counts <- colSums(x$composition$counts)
  processes <- ncol(shared_loadings(x))
  facts <- c(Formula = deparse1(stats::formula(x)),
    Response = sprintf("multinomial() with softmax link, %s samples of %s",
      format_count(length(totals)), format_totals(totals)),
    Categories = on_lines(sprintf("%s: %s counts%s", x$outputs, vapply(counts, format_count, ""),
      ifelse(seq_along(counts) == 1L, ", the reference", ""))),
    Locations = format_count(max(x$composition$location)),
    Coordinates = describe_locations(input_locations(x$locations)))
  trend <- if (is.null(summary)) new_section("Trend of logarithms of ratios to the reference:",
    x$beta) else new_section("Trend of logarithms of ratios to the reference:",
    summary$coefficients, show = show_coefficients)
  list(new_section(sprintf("Gaussian process fit of a composition of %d categories with %d %s: %s",
    length(x$outputs), processes, if (processes == 1L) "field" else "fields", describe_method(x)),
  facts, show = show_facts, apart = FALSE), trend,
  new_section("Fields:", describe_fields(x), show = show_facts),
  new_section("Loadings:", shared_loadings(x), dead_fields_remark(x), show = show_numbers),
  new_section("Correlations of these logarithms (standard deviations on the diagonal):",
    with_deviations(joint_covariances(x)), show = show_numbers),
  new_section("Ranges:", joint_parameters(x), boundary_remark(x)),
  new_section(joint_ending(x), apart = TRUE))
}

format_totals <- function(totals) {
  unit <- if (max(totals) == 1) "count" else "counts"
  paste(paste(unique(format_count(range(totals))), collapse = " to "), unit)
}

# The loadings of the logarithms of ratios, without the reference and the constants.
#' @export
shared_loadings.neargp_composition <- function(x) {
  A <- unclass(all_loadings(x))
  A <- A - rep(A[1L, ], each = nrow(A))
  A[-1L, -x$composition$constants, drop = FALSE]
}

# Whether a parameter is one of the constants or a loading of the reference, which is 0.
#' @export
hidden_parameters.neargp_composition <- function(x) {
  layout <- x$layout
  constants <- which(holds_constants(x$structures))
  with_reference <- which(lengths(lapply(x$structures, `[[`, "reference")) > 0L)
  first <- unlist(lapply(split(seq_along(layout$name), layout$component), function(rows) {
    loadings <- rows[layout$kind[rows] == "loading"]
    loadings[seq_len(length(loadings) %/% length(x$outputs))]
  }))
  layout$component %in% constants |
    (layout$component %in% with_reference & seq_along(layout$name) %in% first)
}

#' @export
family.neargp_composition <- function(object, ...) multinomial()

# The number of samples.
#' @export
nobs.neargp_composition <- function(object, ...) nrow(object$composition$counts)

#' @export
fitted.neargp_composition <- function(object, ...) {
  check_no_more_arguments()
  in_rows_of_data(object, fitted_probabilities(object))
}

fitted_probabilities <- function(object) mean_probabilities(ratios_of_samples(object))

#' @export
residuals.neargp_composition <- function(object, type = c("response", "pearson"), ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "pearson"))
  total <- rowSums(object$composition$counts)
  p <- fitted_probabilities(object)
  unit <- if (type == "pearson") sqrt(p * (1 - p) / total) else 1
  in_rows_of_data(object, (object$composition$counts / total - p) / unit)
}

# A matrix with a row for each row of the data, NA where it was left out. A subset has rows of its
# own.
in_rows_of_data <- function(object, values) {
  part <- object$parts[[1L]]
  rows <- rows_of_samples(object)
  count <- if (length(rows_of_part(part)) == nrow(values)) part$n_given else nrow(values)
  result <- matrix(NA_real_, count, ncol(values), dimnames = list(NULL, object$outputs))
  result[rows, ] <- values
  result
}

# The row of the data of each sample, or its number in a subset.
rows_of_samples <- function(object) {
  rows <- rows_of_part(object$parts[[1L]])
  samples <- nrow(object$composition$counts)
  if (length(rows) == samples) rows else seq_len(samples)
}

#' @export
augment.neargp_composition <- function(x, newdata = NULL, ...) {
  check_no_more_arguments()
  if (!is.null(newdata)) return(NextMethod())
  counts <- x$composition$counts
  trials <- rowSums(counts)
  p <- fitted_probabilities(x)
  bind_tables(lapply(seq_along(x$outputs), function(m) {
    observed <- counts[, m] / trials
    data.frame(response = x$outputs[m], row = rows_of_samples(x), .observed = observed,
      .fitted = p[, m], .resid = observed - p[, m], .trials = trials)
  }))
}

# Categories are named as in tables of categorical() and of broom.
#' @export
tidy.neargp_composition <- function(x, ...) {
  table <- NextMethod()
  names(table)[names(table) == "response"] <- "y.level"
  table
}

#' @export
index_model.neargp_composition <- function(object, newdata, given) {
  refuse_of_composition("predict_index()", "Add up predict() over the cells.")
}

refuse_of_composition <- function(what, remedy) {
  abort_neargp("argument", c(sprintf("%s does not support compositions.", what), i = remedy))
}
