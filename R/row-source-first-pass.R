# The first reading of a source: it collects what must be known of all rows before any is used.

# The stream of a model's rows: the source, the recipe that turns a chunk into numbers, and the
# results of the first reading. These are the hashes of chunks, the numbers of `rows` that are used
# and `given`, and a `sample` as a data frame.
first_pass_of_source <- function(source, arguments, formula, locations, family) {
  stream <- new_stream(source, arguments, formula, locations, family)
  sampler <- new_sampler(source$start_rows)
  given <- rows <- missing <- 0
  is_rowwise <- FALSE
  stream$hashes <- for_each_chunk(source, function(chunk, number, first) {
    given <<- given + nrow(chunk)
    if (!nrow(chunk)) return(invisible())
    check_subset_of_source(arguments$subset, chunk)
    frame <- chunk_frame(stream, chunk)
    if (!is_rowwise) is_rowwise <<- check_rowwise(stream, chunk, frame)
    check_frame_finite(frame, family)
    rows <<- rows + nrow(frame)
    missing <<- missing + length(attr(frame, "na.action"))
    sampler$add(chunk, frame, first)
  })
  check_first_pass(given, rows, is_rowwise)
  stream[c("given", "rows", "missing", "sample")] <- list(as_count(given), as_count(rows),
    as_count(missing), sampler$rows())
  stream$is_whole <- rows == nrow(stream$sample)
  stream
}

check_first_pass <- function(given, rows, is_rowwise) {
  if (!rows) {
    abort_neargp("empty", c("No rows are left to fit the model to.",
      x = sprintf("The source has %s rows; subset and na.action removed all of them.",
        format_count(given))))
  }
  if (is_rowwise || rows < 2) return(invisible())
  abort_source(
    c("No chunk contains two rows, so it is unclear whether a row's values depend on other rows.",
      i = "Give larger chunks."))
}

# The state before the first reading.
new_stream <- function(source, arguments, formula, locations, family) {
  # what is missing is then found by check_frame_finite()
  arguments$na.action <- arguments$na.action %||% stats::na.pass
  stream <- list(source = source, arguments = arguments, formula = formula, locations = locations,
    family = family)
  stream$model <- c(deparse1(formula), vapply(arguments[c("weights", "offset", "subset")],
    function(x) deparse1(rlang::quo_get_expr(x)), ""),
    deparse1(stats::formula(locations$terms)), locations$time, locations$metric)
  stream
}

# Integers as far as these go, like numbers of rows in memory.
as_count <- function(x) if (max(x, 0) <= .Machine$integer.max) as.integer(x) else x

chunk_frame <- function(stream, chunk) {
  rows_frame(stream$arguments, stream$formula, chunk, stream$locations, stream$family)
}

# Numbers of rows in `subset` would be counted within each chunk.
check_subset_of_source <- function(subset, chunk) {
  value <- in_data("subset", rlang::eval_tidy(subset, chunk))
  if (is.null(value) || is.logical(value)) return(invisible())
  abort_source(c("`subset` must be logical for rows that are read in chunks.",
    i = "For example subset = year > 2000."))
}

# Rows of a part of a chunk must take the values that they take in the whole chunk. One part is the
# first half, in which a maximum of the second half is unknown. The other is the second half
# backwards, in which sums and numbers of the rows before are others. Returns whether there were
# enough rows for the comparison.
check_rowwise <- function(stream, chunk, frame) {
  if (nrow(chunk) < 2L || nrow(frame) < 2L) return(FALSE)
  half <- nrow(chunk) %/% 2L
  parts <- lapply(list(seq_len(nrow(chunk) - half), nrow(chunk):(half + 1L)),
    function(rows) chunk_frame(stream, chunk[rows, , drop = FALSE]))
  for (part in parts) check_same_values(part, frame)
  any(vapply(parts, nrow, 0L) > 0L)
}

# Without the columns of row numbers, which are counted within each part.
check_same_values <- function(part, frame) {
  own <- c("(local_rows)", "(effect_rows)", "(areal_rows)")
  part <- part[setdiff(names(part), own)]
  whole <- frame[match(attr(part, "row.names"), attr(frame, "row.names")), , drop = FALSE]
  plain <- function(x) if (is.factor(x) || is.character(x)) as.character(x) else as.numeric(x)
  same <- vapply(names(part), function(name) {
    isTRUE(all.equal(plain(part[[name]]), plain(whole[[name]]), tolerance = 1e-10))
  }, NA)
  if (all(same)) return(invisible())
  abort_source(c(sprintf("The value of `%s` in a row depends on the other rows of its chunk.",
    names(part)[!same][1L]),
    i = "Compute such columns beforehand, or fix what is taken from the rows: the knots and Boundary.knots of a spline, x - 20 for x - mean(x)."))
}

# Rows are named by their numbers in the source. The missing value of a factor is NA alone.
check_frame_finite <- function(frame, family) {
  response <- stats::model.response(frame)
  if (!is.null(response) && is_gaussian(family)) check_response(response, frame)
  check_finite_data(list(y = if (is.numeric(response)) response, offset = numeric_offset(frame),
    coords = frame[["(locations)"]]), frame)
  if (!is.null(response)) frame_response(frame, family)
  for (name in setdiff(names(frame), c(names(frame)[1L], "(weights)", "(offset)", "(locations)"))) {
    values <- if (is.numeric(frame[[name]])) as.matrix(frame[[name]]) else
      matrix(ifelse(is.na(frame[[name]]), NA, 0))
    check_finite_data(list(X = structure(values, dimnames = list(NULL, rep(name, ncol(values))))),
      frame)
  }
  if (!is.null(frame[["(weights)"]])) check_weights(frame[["(weights)"]], frame)
}

# ---- the sample ----------------------------------------------------------------------------------

# All rows, or `size` of them, in their order: those with the smallest shares. The share of a row is
# the fractional part of its number times the golden ratio. This spreads the sample evenly over the
# source however it is cut into chunks. The first row of each level is added.
new_sampler <- function(size) {
  kept <- list()
  share <- double(0)  # of each row in `kept`; below 0 for what stays
  levels <- list()
  is_first_of_level <- function(frame) {
    first <- logical(nrow(frame))
    for (name in names(Filter(function(x) is.factor(x) || is.character(x),
        unclass(frame)[seq_along(frame)]))) {
      values <- as.character(frame[[name]])
      unseen <- !duplicated(values) & !values %in% levels[[name]]
      levels[[name]] <<- c(levels[[name]], values[unseen])
      first <- first | unseen
    }
    first
  }
  compact <- function() {
    all <- do.call(rbind, kept)
    last <- sort(share)[min(size, length(share))]
    kept <<- list(all[share <= last, , drop = FALSE])
    share <<- share[share <= last]
  }
  add <- function(chunk, frame, first) {
    used <- as.numeric(attr(frame, "row.names")) - first + 1
    n <- length(used)
    if (!n) return(invisible())
    own <- ((first - 1 + used) * (sqrt(5) - 1) / 2) %% 1
    own[is_first_of_level(frame)] <- -1
    take <- own <= (if (length(share) > size) sort(share)[size] else 1)
    kept <<- c(kept, list(chunk[used[take], , drop = FALSE]))
    share <<- c(share, own[take])
    if (length(share) > 2 * size) compact()
  }
  rows <- function() {
    compact()
    kept[[1L]]
  }
  list(add = add, rows = rows)
}
