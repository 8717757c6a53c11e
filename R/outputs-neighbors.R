# Conditioning sets of several responses: the k nearest rows of the target's own output and the
# k_other nearest of each other one. The nearest rows of all outputs together would be the wrong
# sets. Where all outputs are observed everywhere, most of k would go to locations where the own
# output contains nearly all information. A densely observed output would crowd out the others.

# In all half as many as of the own output, and at least three of each (bench/notes/outputs.md).
default_k_other <- function(k, outputs) max(3L, as.integer(ceiling(k / (2 * (outputs - 1)))))

# `problem`: a list with data and method.
k_other_of <- function(problem, k) {
  method <- problem$method
  if (is.null(method$k_other)) return(default_k_other(k, length(problem$data$outputs)))
  if (k >= method$k) return(method$k_other)
  as.integer(ceiling(method$k_other * k / method$k)) # of a coarse fit
}

# Members of the largest conditioning sets, of one output or of several; 0 for methods without any.
conditioning_size <- function(method, data) {
  outputs <- length(data$outputs)
  k <- max(method$k, 0)
  if (outputs > 1L) k + (outputs - 1L) * k_other_of(list(method = method, data = data), k) else k
}

rows_by_output <- function(data) {
  if (is.null(data$output)) return(list(seq_along(data$y)))
  split(seq_along(data$output), factor(data$output, seq_along(data$outputs)))
}

# Makes one table of the neighbours of all targets. `search(p, q, k)` returns the k nearest rows of
# output q to the targets of output p, as numbers of rows, or NULL. Entries for which
# drop(neighbour, target) is true are left out.
gather_neighbors <- function(targets_by_output, k, k_other, search, drop = NULL) {
  count <- length(targets_by_output)
  tables <- lapply(seq_len(count), function(p) {
    targets <- targets_by_output[[p]]
    parts <- lapply(seq_len(count), function(q) search(p, q, if (p == q) k else k_other))
    found <- do.call(rbind, parts[order(seq_len(count) != p)])
    if (!is.null(drop)) found[drop(found, rep(targets, each = nrow(found)))] <- NA_integer_
    compact_neighbors(found)
  })
  table <- matrix(NA_integer_, max(vapply(tables, nrow, 0L)), sum(lengths(targets_by_output)))
  for (p in seq_len(count)) table[seq_len(nrow(tables[[p]])), targets_by_output[[p]]] <- tables[[p]]
  table
}

# Absent neighbours to the end of each column, and no more rows than needed.
compact_neighbors <- function(table) {
  if (!anyNA(table)) return(table)
  present <- !is.na(table)
  counts <- colSums(present)
  result <- matrix(NA_integer_, max(counts, 1L), ncol(table))
  result[cbind(sequence(counts), rep(seq_len(ncol(table)), counts))] <- table[present]
  result
}

# Numbers within `rows` to rows.
within_rows <- function(table, rows) {
  matrix(rows[as.matrix(table)], nrow(table), ncol(table))
}

# Neighbours of the leave-one-out score. `leave_out`:
#   `"location"`: the location is left out, except the outputs before the target's own. The product
#     over a location's outputs is then their joint density given the other locations.
#   `"row"`: every other row may be a neighbour, at the target's own location as well.
#   `"prediction"`: the whole location is left out, as in a prediction at a new location.
neighbors_of_outputs <- function(data, component, k, k_other, leave_out, context) {
  scaled <- core_scale(data$coords, component)
  rows <- rows_by_output(data)
  own_place <- function(neighbor, target) {
    same <- data$place[neighbor] == data$place[target]
    if (leave_out == "prediction") same else same & data$output[neighbor] > data$output[target]
  }
  gather_neighbors(rows, k, k_other, drop = if (leave_out != "row") function(neighbor,
    target) !is.na(neighbor) & own_place(neighbor, target), search = function(p, q, wanted) {
      source <- scaled[rows[[q]], , drop = FALSE]
      if (p == q) {
        return(within_rows(core_neighbors_others(source, min(wanted, length(rows[[q]]) - 1L),
          context), rows[[q]]))
      }
      extra <- if (leave_out == "row") 0L else 1L
      found <- within_rows(core_neighbors_to(source, scaled[rows[[p]], , drop = FALSE],
        min(wanted + extra, length(rows[[q]])), context), rows[[q]])
      if (extra == 0L || nrow(found) <= wanted) return(found)
      # that one more is for the row at the own location; where it is not dropped the farthest is
      dropped <- matrix(own_place(found, rep(rows[[p]], each = nrow(found))), nrow(found))
      found[nrow(found), colSums(dropped) == 0] <- NA_integer_
      found
    })
}

# The neighbours of Vecchia's likelihood, which come earlier. Locations are ordered, and at each
# location the outputs follow each other.
earlier_outputs <- function(problem, component, k, ordering, key) {
  data <- problem$data
  scaled <- core_scale(data$coords, component)
  rank <- output_rank(data, scaled, ordering, key, problem$context)
  rows <- rows_by_output(data)
  gather_neighbors(rows, k, k_other_of(problem, k), function(p, q, wanted) {
    within_rows(core_neighbors_earlier(scaled[rows[[q]], , drop = FALSE], rank[rows[[q]]],
      scaled[rows[[p]], , drop = FALSE], rank[rows[[p]]], wanted, problem$context), rows[[q]])
  })
}

output_rank <- function(data, scaled, ordering, key, context) {
  first <- !duplicated(data$place)
  places <- data$place[first]
  order <- order_places(scaled[first, , drop = FALSE],
    if (ordering == "auto") "maxmin" else ordering, key, context)
  place_rank <- integer(data$places)
  place_rank[places[order]] <- seq_along(order)
  as.integer(rank(place_rank[data$place] * (length(data$outputs) + 1) + data$output))
}

# The neighbours of new locations: rows of the data for each output there. Targets are output after
# output.
neighbors_of_new_outputs <- function(object, coords, k, k_other, context) {
  rows <- rows_by_output(conditioned_data(object))
  indices <- cached_output_indices(object, context)
  m <- nrow(coords)
  targets <- split(seq_len(m * length(rows)), rep(seq_along(rows), each = m))
  if (m == 0L) return(matrix(NA_integer_, 1L, 0L))
  gather_neighbors(targets, k, k_other, function(p, q, wanted) {
    within_rows(core_index_nearest(indices[[q]], coords, min(wanted, length(rows[[q]])), context),
      rows[[q]])
  })
}

# ---- of predictions ------------------------------------------------------------------------------

# Arguments of predictions of several responses alone, see predict.neargp_outputs().
outputs_wanted <- function(k_other = NULL, covariance = FALSE, observed = FALSE) {
  list(k_other = k_other, covariance = covariance, observed = observed)
}

conditioned_on_outputs <- function(object, k, wanted = outputs_wanted()) {
  check_outputs_conditioning(object$method, k, wanted$k_other, wanted$observed)
  exact <- is.null(k) && is.null(wanted$k_other) && has_ability(object$method, "exact")
  most <- most_of_an_output(conditioned_data(object))
  k <- if (is.null(k)) min(most, max(60L, 2L * object$k)) else check_count(k, "k")
  k_other <- if (is.null(wanted$k_other)) min(most, predicted_k_other(object, k)) else
    check_count(wanted$k_other, "k_other", lower = 0L)
  if (max(k, k_other) > most) {
    abort_neargp("k",
      c(sprintf("%d neighbours of a response are more than the %s rows with a known response.",
        max(k, k_other), format_count(most)),
        i = "Use a smaller `k` and `k_other`, or leave them out."))
  }
  if (check_flag(wanted$covariance, "covariance") && check_flag(wanted$observed, "use_observed")) {
    abort_argument("covariance",
      "FALSE with use_observed = TRUE, where each response is conditioned on the others",
      wanted$covariance)
  }
  list(k = as.integer(k), k_other = as.integer(k_other), exact = exact, local_mean = FALSE,
    sectors = 0L)
}

# Refuses what predictions by the method are not conditioned on.
check_outputs_conditioning <- function(method, k, k_other, observed) {
  UseMethod("check_outputs_conditioning")
}

#' @export
check_outputs_conditioning.default <- function(method, k, k_other, observed) invisible()

predicted_k_other <- function(object, k) {
  count <- length(object$outputs)
  if (is.null(object$method$k_other)) return(default_k_other(k, count))
  max(1L, as.integer(ceiling(object$method$k_other * k / object$k)))
}
