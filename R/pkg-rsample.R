# All code for rsample: its splits as folds.

is_rsample <- function(x) inherits(x, c("rset", "rsplit"))

# The split that leaves out each fitted row, NA for none. The attribute `kept` contains the rows of
# the fit that each split leaves in: not all others, where there is a buffer.
rsample_folds <- function(splits, fit) {
  require_package("rsample", "for its splits")
  alone <- inherits(splits, "rsplit")
  labels <- if (alone) "split" else do.call(paste, c(unname(as.list(as.data.frame(
    splits[grep("^id[0-9]*$", names(splits))]))), sep = "."))
  splits <- if (alone) list(splits) else splits$splits
  rows <- rows_in_data(fit, splits[[1L]]$data)
  held <- lapply(splits, function(split) which(rows %in% rsample::complement(split)))
  twice <- unlist(held)[duplicated(unlist(held))]
  if (length(twice)) {
    abort_neargp("folds",
      c(sprintf("Splits that hold a row out more than once are not folds: %s.",
        format_rows(sort(unique(twice)))),
        i = "Give one repeat at a time. Bootstrap samples are not supported."))
  }
  folds <- rep(NA_character_, length(rows))
  folds[unlist(held)] <- rep(labels, lengths(held))
  kept <- lapply(splits, function(split) which(rows %in% split$in_id))
  structure(folds, kept = stats::setNames(kept, labels))
}

# The row of `data` that each row of the fit was.
rows_in_data <- function(fit, data) {
  n <- nrow_of(fit)
  rows <- if (nrow(data) == n) seq_len(n) else if (nrow(data) == fit$n_given)
    match(as.character(fit$row_names %||% seq_len(n)), row.names(as.data.frame(data)))
  if (length(rows) && !anyNA(rows)) return(rows)
  abort_neargp("folds",
    c(sprintf("The splits are of %s rows, and the fit was to %s%s.", format_count(nrow(data)),
      format_count(n), if (fit$n_given != n) sprintf(" of %s", format_count(fit$n_given)) else ""),
      i = "Split the data that the model was fitted to."))
}
