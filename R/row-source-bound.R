# The rows of a source as numbers, chunk by chunk, and in pieces for the ELBO (R/inducing-rows.R).

# How the columns of the trend are coded in all rows, from the sample, which is then no longer
# needed.
with_coding <- function(stream, frame, model) {
  stream[c("terms", "xlevels", "contrasts", "sample")] <- list(attr(frame, "terms"), model$xlevels,
    model$contrasts, NULL)
  stream
}

# The columns of a chunk as new_model_data() returns them, with the levels of all rows.
chunk_data <- function(stream, chunk, frame = chunk_frame(stream, chunk)) {
  frame <- apply_training_levels(frame, stream$xlevels)
  n <- nrow(frame)
  response <- frame_response(frame, stream$family)
  list(y = as.double(response$y), trials = response$trials,
    X = strip_design(stats::model.matrix(stream$terms, frame, contrasts.arg = stream$contrasts)),
    offset = as.double(numeric_offset(frame) %||% double(n)),
    weights = as.double(frame[["(weights)"]] %||% rep(1, n)),
    coords = embed_coordinates(frame[["(locations)"]], stream$locations))
}

# The response of any part of the rows. A response that depends on all rows, such as on their
# levels, is an error.
frame_response <- function(frame, family) {
  y <- stats::model.response(frame)
  if (is_gaussian(family)) return(list(y = y))
  response <- response_family(family)$form(y, family, as.double(frame[["(weights)"]] %||%
    rep(1, nrow(frame))), frame)
  if (response$kind == "binary" && family$link == "logit") response$kind <- "class"
  whole <- c(class = "a class", proportion = "a proportion with its trials as weights",
    ordered = "ordered", censored = "censored")
  if (response$kind %in% names(whole)) abort_needs_all_rows(whole[[response$kind]])
  if (response$kind == "successes") response$trials <- response$trials %||% rep(1, nrow(frame))
  response
}

abort_needs_all_rows <- function(what) {
  abort_source(c(sprintf("A response that is %s needs all of its rows, which are not in memory.",
    what),
    i = "Use counts, amounts, other numbers or cbind(successes, failures); or read the rows into a data frame."))
}

# A function that calls visit(coords, columns, noise_scale) for pieces of as many rows as the core
# wants. Rows that are left over go to the next piece.
pieces_of_stream <- function(data) {
  unit <- core_streamed_rows()
  function(visit) {
    over <- NULL
    for_each_chunk(data$stream$source, function(chunk, number, first) {
      if (!nrow(chunk)) return(invisible())
      own <- chunk_data(data$stream, chunk)
      own$basis <- data$basis
      rows <- rbind(over, cbind(1 / own$weights, own$coords, response_columns(own)))
      whole <- nrow(rows) - nrow(rows) %% unit
      if (whole) visit_rows(rows[seq_len(whole), , drop = FALSE], ncol(own$coords), visit)
      over <<- rows[seq_len(nrow(rows)) > whole, , drop = FALSE]
    }, data$stream$hashes)
    if (NROW(over)) visit_rows(over, ncol(data$coords), visit)
  }
}

visit_rows <- function(rows, dimension, visit) {
  coords <- 1L + seq_len(dimension)
  visit(rows[, coords, drop = FALSE], rows[, -c(1L, coords), drop = FALSE], rows[, 1L])
}
