# Columns of random effects without their zeros. A row is in one column for each term before the bar
# of a group, and in all columns of a smooth. It takes a slot for each of these. Compressed columns
# are a matrix with the numbers of the slots' columns, and then their values. The number 0 stands
# for no column. For a level that the fit does not know, minus j stands for the term of column j.
# `data$effects$compressed` says that `data$effects$Z`, and what comes after the trend in designs of
# new rows, are compressed.

most_dense_columns <- 1000L
most_dense_numbers <- 1e8

# More columns than this are compressed: n x q numbers and q x q matrices are not made then.
most_dense <- function(rows) min(most_dense_columns, floor(most_dense_numbers / rows))

# All coefficients of effects, compressed or not.
count_coefficients <- function(data) sum(block_sizes(data$effects$blocks))

# Names, for errors, the block with the most columns.
largest_block <- function(data) {
  counts <- block_sizes(data$effects$blocks)
  sprintf("Most are of %s: %s.", data$effects$blocks[[which.max(counts)]]$label,
    format_count(max(counts)))
}

needs_compression <- function(recipes, rows) {
  counts <- vapply(recipes, function(recipe) if (recipe$kind == "group")
    length(recipe$names) * length(recipe$levels) else sum(recipe$penalty != 0), 0)
  sum(counts) > most_dense(rows)
}

# The slots of a block of `first` columns: those of each row's level, or all of a smooth.
group_slots <- function(entries, d, before) {
  first <- d * (entries$level - 1L)
  column <- outer(first, seq_len(d), `+`) + before
  unknown <- which(entries$level < 0L)
  column[unknown, ] <- rep(-(before + seq_len(d)), each = length(unknown))
  column[entries$level == 0L, ] <- 0
  list(column = unname(column), value = unname(entries$design))
}

smooth_slots <- function(columns, before) {
  list(column = matrix(before + seq_len(ncol(columns)), nrow(columns), ncol(columns), byrow = TRUE),
    value = unname(columns))
}

# `parts`: slots of each block.
compressed_columns <- function(parts) {
  do.call(cbind, c(lapply(parts, `[[`, "column"), lapply(parts, `[[`, "value")))
}

# The slots of all rows: matrices `column` and `value`, and the block of each slot.
effect_slots <- function(data) {
  blocks <- data$effects$blocks
  if (is_compressed(data)) return(split_compressed(data$effects$Z, blocks))
  parts <- lapply(blocks, function(block) {
    Z <- data$effects$Z[, block$columns, drop = FALSE]
    before <- block$columns[1L] - 1L
    if (block$kind == "smooth") return(smooth_slots(Z, before))
    present <- which(Z != 0, arr.ind = TRUE)
    level <- integer(nrow(Z))
    level[present[, 1L]] <- (present[, 2L] - 1L) %/% block$d + 1L
    design <- vapply(seq_len(block$d), function(j) {
      ifelse(level > 0L, Z[cbind(seq_along(level), block$d * (pmax(level, 1L) - 1L) + j)], 0)
    }, double(nrow(Z)))
    group_slots(list(level = level, design = matrix(design, nrow(Z))), block$d, before)
  })
  split_compressed(compressed_columns(parts), blocks)
}

split_compressed <- function(Z, blocks) {
  slots <- seq_len(ncol(Z) %/% 2L)
  own <- lapply(blocks, function(block) if (block$kind == "smooth") length(block$columns) else
    block$d)
  list(column = Z[, slots, drop = FALSE], value = Z[, -slots, drop = FALSE],
    block = rep(seq_along(blocks), unlist(own)))
}

# Entries of Z L, of factors of the blocks, in the slots of Z.
spherical_values <- function(slots, blocks, factors) {
  value <- slots$value
  for (k in seq_along(blocks)) {
    own <- which(slots$block == k)
    value[, own] <- if (blocks[[k]]$d == 1L) value[, own] * drop(factors[[k]]) else
      row_products(value[, own, drop = FALSE], factors[[k]])
  }
  value
}

# Z b of compressed columns, of one block or of all.
slot_products <- function(slots, b, block = NULL) {
  sum <- double(nrow(slots$value))
  for (slot in which(is.null(block) | slots$block %in% block)) {
    known <- slots$column[, slot] > 0
    at <- slots$column[known, slot]
    sum[known] <- sum[known] + slots$value[known, slot] * b[at]
  }
  sum
}

# Z b, of all effects.
effect_products <- function(data, b) {
  if (is_compressed(data)) slot_products(effect_slots(data), b) else drop(data$effects$Z %*% b)
}

# Refuses what needs the effects' covariance matrix, or their columns, in full.
refuse_compressed <- function(object, what) {
  if (!is_compressed(object$data)) return(invisible())
  abort_neargp("size", c(
    sprintf("%s needs a matrix of all random effects, and the fit estimates %s.", what,
      format_count(count_coefficients(object$data))),
    x = sprintf("With %s rows, the limit is %s.", format_count(length(object$data$y)),
      format_count(most_dense(length(object$data$y)))),
    i = "predict(), ranef(se = TRUE), VarCorr(), loo_predict() and fitted() do not need it."))
}
