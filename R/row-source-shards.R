# Rows of a source in shards. The process with a shard reads its rows, in the chunks that reach into
# it, and no machine holds all rows. Each chunk is read by its number, so that workers read
# different ones.

# Chunk `number`; NULL after the last one. A file of text is one chunk.
read_part <- function(source, number) {
  if (is.function(source$x)) return(read_chunk(open_source(source), number))
  if (number > length(source$x)) return(NULL)
  file <- source
  file$x <- source$x[number]
  file["chunk_rows"] <- list(-1L)
  reader <- open_source(file)
  on.exit(reader$close())
  first <- list(read = function(number) reader$read(1L), where = reader$where,
    advice = reader$advice)
  read_chunk(first, number) %||% data.frame()
}

read_shards <- function(host, problem, what = "shard_read",
                        recipe = shard_recipe(problem, new_partition(problem))) {
  read_by(host, list(what = what, common = list(recipe = recipe)))
}

# `reading`: a function of a shard, and its arguments, among which is the recipe.
read_by <- function(host, reading) {
  map_rows(host, reading$what, reading$common, lapply(parts_of_shards(reading$common$recipe),
    function(numbers) list(parts = numbers)), makes = TRUE)
}

# A host that holds the rows of the problem.
host_of_problem <- function(problem) {
  host <- new_rows_host(problem)
  if (is.null(problem$data$stream)) {
    send_rows(host, problem, "shard_hold", function(rows) {
      shard_rows(take_data_rows(problem$data, rows), rows)
    })
  } else {
    read_shards(host, problem)
    note_locations(host)
  }
  send_model(host, problem)
  host
}

# ---- the first reading ---------------------------------------------------------------------------

first_pass_for <- function(settings, source, ...) {
  if (!wants_shards(settings)) return(first_pass_of_source(source, ..., settings$family))
  first_pass_in_shards(new_stream(source, ..., settings$family), settings)
}

# The result of first_pass_of_source(), by workers or without, and the box and first row of each
# chunk.
first_pass_in_shards <- function(stream, settings) {
  source <- stream$source
  workers <- if (is.environment(settings$cluster)) settings$cluster
  check_travels(stream, workers)
  found <- over_chunks(workers, "first_pass_of_part", function(found) list(stream = stream,
    below = least_below(found)), function(found) thin_samples(found, source$start_rows))
  check_parts(found)
  with_first_pass(stream, found)
}

# The results of the function `what` of a chunk's number, id + offset, for all chunks, by workers or
# not, some at a time. `common(found)`: its further arguments; `merged(found)`: what of it is kept.
over_chunks <- function(workers, what, common, merged = identity) {
  found <- list()
  batch <- max(16L, length(workers$nodes))
  repeat {
    host <- new_shard_host(batch, workers)
    more <- map_rows(host, what, c(common(found), list(offset = length(found))))
    found <- merged(c(found, unname(Filter(Negate(is.null), more))))
    if (is.null(more[[batch]])) return(found)
  }
}

least_below <- function(found) min(1, unlist(lapply(found, `[[`, "below")))

first_pass_of_part <- function(shard, id, stream, offset, below) {
  number <- id + offset
  chunk <- read_part(stream$source, number)
  if (is.null(chunk)) return(NULL)
  none <- list(form = chunk[0L, , drop = FALSE], hash = part_hash(chunk), given = nrow(chunk),
    rows = 0L, missing = 0L, is_rowwise = FALSE)
  if (!nrow(chunk)) return(none)
  in_chunk(number, {
    check_subset_of_source(stream$arguments$subset, chunk)
    frame <- chunk_frame(stream, chunk)
    check_frame_finite(frame, stream$family)
    rows <- nrow(frame)
    found <- utils::modifyList(none, list(rows = rows, missing = length(attr(frame, "na.action")),
      is_rowwise = check_rowwise(stream, chunk, frame)))
    if (!rows) return(found)
    coords <- embed_coordinates(frame[["(locations)"]], stream$locations)
    c(found, list(box = apply(coords, 2L, range)), sample_of_part(chunk, frame, number,
      stream$source$start_rows, below))
  })
}

# The same for columns that are the same, whatever kind of vector R has made of them.
part_hash <- function(chunk) {
  rlang::hash(plain_part(lapply(chunk, function(x) if (is.factor(x)) x else unclass(x))))
}

# The rows with the smallest shares, and the first row of each level. The share is the fractional
# part of multiples of the numbers of chunk and row, which spreads evenly. Rows above `below`, the
# limit by the chunks before, are not needed.
sample_of_part <- function(chunk, frame, number, size, below) {
  used <- as.integer(attr(frame, "row.names"))
  share <- (number * sqrt(2) + used * (sqrt(5) - 1) / 2) %% 1
  if (length(share) > size) below <- min(below, sort(share, partial = size)[size])
  levels <- Filter(function(x) is.factor(x) || is.character(x), unclass(frame)[seq_along(frame)])
  first <- Reduce(`|`, lapply(levels, Negate(duplicated)), rep(FALSE, length(used)))
  take <- share <= below | first
  list(sample = chunk[used[take], , drop = FALSE], share = ifelse(share[take] <= below,
    share[take], 2), below = below, first = first[take])
}

# The rows with the smallest shares in the samples of all chunks, and the first ones of levels.
thin_samples <- function(found, size) {
  below <- least_below(found)
  share <- unlist(lapply(found, `[[`, "share"))
  share <- share[share <= below]
  if (length(share) > size) below <- sort(share, partial = size)[size]
  lapply(found, function(part) {
    if (is.null(part$sample)) return(part)
    take <- part$share <= below | part$first
    part$sample <- part$sample[take, , drop = FALSE]
    part[c("share", "first", "below")] <- list(part$share[take], part$first[take], below)
    part
  })
}

check_chunks_alike <- function(found) {
  like <- NULL
  for (number in seq_along(found)) {
    if (found[[number]]$given) {
      like <- check_alike(found[[number]]$form, like, number, "")
    }
  }
}

check_parts <- function(found) {
  if (!length(found)) abort_source("The source contains no rows.")
  check_chunks_alike(found)
  check_first_pass(sum(vapply(found, `[[`, 0L, "given")), sum(vapply(found, `[[`, 0L, "rows")),
    any(vapply(found, `[[`, NA, "is_rowwise")))
}

with_first_pass <- function(stream, found) {
  of_all <- function(name) as.double(vapply(found, `[[`, 0L, name))
  stream$hashes <- vapply(found, `[[`, "", "hash")
  stream$given <- as_count(sum(of_all("given")))
  stream$rows <- as_count(sum(of_all("rows")))
  stream$missing <- as_count(sum(of_all("missing")))
  stream$parts <- list(boxes = lapply(found, `[[`, "box"),
    first = cumsum(c(1, of_all("given")))[seq_along(found)])
  sampled <- Filter(function(part) !is.null(part$sample), found)
  rows <- do.call(rbind, lapply(sampled, `[[`, "sample"))
  share <- unlist(lapply(sampled, `[[`, "share"))
  below <- min(vapply(sampled, `[[`, 0, "below"))
  # of the levels one row each is enough
  levels <- Filter(function(x) is.factor(x) || is.character(x), rows)
  first <- Reduce(`|`, lapply(levels, Negate(duplicated)), rep(FALSE, length(share)))
  take <- share <= below | first
  stream$sample <- rows[take, , drop = FALSE]
  attr(stream$sample, "row.names") <- .set_row_names(sum(take))
  stream$is_whole <- stream$rows == nrow(stream$sample)
  stream
}

# Functions and formulas travel with the frames that they were made in.
check_travels <- function(stream, workers, most = 1e7) {
  if (is.null(workers)) return(invisible())
  size <- length(serialize(stream, NULL))
  if (size <= most) return(invisible())
  abort_source(c(sprintf("The source and the formula bring %s of data along to each worker.",
    format_bytes(size)),
    i = "A function that reads chunks, and a formula, have all variables of the function that they were made in: make them where no data are."))
}

# ---- reading a shard -----------------------------------------------------------------------------

# The shards that a box reaches into.
shards_of_box <- function(box, cuts) {
  if (!is.list(cuts)) return(cuts)
  c(if (box[1L, cuts$column] <= cuts$at) shards_of_box(box, cuts$low),
    if (box[2L, cuts$column] > cuts$at) shards_of_box(box, cuts$high))
}

# The numbers of the chunks that reach into each shard.
parts_of_shards <- function(recipe) {
  boxes <- Filter(Negate(is.null), stats::setNames(recipe$stream$parts$boxes,
    seq_along(recipe$stream$parts$boxes)))
  partition <- recipe$partition
  reached <- lapply(boxes, function(box) {
    shards_of_box(shard_places(box, recipe, partition$scales), partition$cuts)
  })
  split(rep(as.integer(names(boxes)), lengths(reached)), factor(unlist(reached),
    seq_len(partition$count)))
}

# `recipe`: of shard_recipe(); `parts`: of this shard.
shard_read <- function(shard, id, recipe, parts) {
  as_rows <- if (recipe$raw) raw_rows else shard_rows
  found <- lapply(read_parts(id, recipe, parts), function(part) as_rows(part$data, part$number))
  form <- found[[1L]]$form
  rows <- do.call(rbind, lapply(found, `[[`, "rows"))
  means <- if (isTRUE(recipe$means)) shard_means(rows, form)  # NULL in fits of an earlier version
  shard$within <- means$within
  shard_hold(shard, rows = means$rows %||% rows, form = form)
}

# The rows of a shard, chunk by chunk. Chunks must be what they were.
read_parts <- function(id, recipe, parts) {
  stream <- recipe$stream
  found <- lapply(parts, function(number) {
    chunk <- read_part(stream$source, number)
    if (is.null(chunk) || part_hash(chunk) != stream$hashes[number]) {
      abort_reread(sprintf("other rows in chunk %d than before", number))
    }
    in_chunk(number, part_of_shard(chunk, number, id, recipe))
  })
  Filter(function(part) length(part$number) > 0L, found)
}

part_of_shard <- function(chunk, number, id, recipe) {
  stream <- recipe$stream
  frame <- chunk_frame(stream, chunk)
  data <- chunk_data(stream, chunk, frame)
  data$basis <- recipe$basis
  inside <- shard_of_coords(data$coords, recipe, recipe$partition) == id
  used <- attr(frame, "row.names")
  list(data = take_data_rows(data, which(inside)),
    number = stream$parts$first[number] - 1 + as.double(used[inside]))
}

# A recipe: all that is needed to read a shard. `raw`: whether rows are in the user's columns, for
# predictions, or in those of the core. `means`: whether means at locations replace the rows.
shard_recipe <- function(problem, partition, raw = FALSE, means = takes_means_in_shards(problem)) {
  list(stream = problem$data$stream, basis = problem$data$basis, partition = partition,
    locations = problem$locations, groups = problem$groups, raw = raw, means = means)
}
