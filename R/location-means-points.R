# Locations whose observations differ in a column that multiplies the field there, as in
# cov_matern() + cov_matern(by = ~ x). The field of row i of location l is a_l + x_i'b_l, where a_l
# and b_l are the values of its components. Means are therefore not enough. Let z_i = (1, x_i). The
# rows act on a_l and b_l only through the moments sum om_i z_i z_i' and sum om_i z_i c_i'.
#
# Let xbar_l be the weighted mean of the x_i, and V D^2 V' their covariance matrix, of rank r. Let s
# run over the vertices of a simplex about 0, with sum s s' = (r + 1) I. Consider the r + 1 points
#
#   x_s = xbar_l + V D s,   weight Om_l / (r + 1).
#
# They reproduce these moments if c_s is the value there of the weighted least squares line of the
# c_i. The rest of the rows, with n_l - r - 1 degrees of freedom, is free of the field. As for
# means,
#
#   log|S| = log|M| + sum_l (n_l - r_l - 1) log t + sum_s log om_s - sum_i log om_i.
#
# With the residuals e_i of the line and W = sum_i om_i e_i e_i',
#
#   C'S^-1 C = c_s'M^-1 c_s + W / t.

# The columns of coordinates that are multiplied by components of the field.
multiplying_columns <- function(locations) {
  is_column <- vapply(locations$local, function(recipe) recipe$kind == "by", NA)
  unlist(lapply(locations$local[is_column], `[[`, "columns"))
}

# The numbers of locations, where these columns are ignored.
key_of_rows <- function(data) {
  location_index(data$coords[, setdiff(seq_len(ncol(data$coords)), data$by), drop = FALSE])
}

# Data with points in place of rows, as at_locations() returns data with means.
at_points <- function(data) {
  index <- key_of_rows(data)
  shared <- which(tabulate(index)[index] > 1L)
  if (!length(shared)) return(data)
  columns <- response_columns(data)
  x <- data$coords[, data$by, drop = FALSE]
  negligible <- 1e-9 * apply(x, 2L, function(column) diff(range(column)))
  found <- lapply(unname(split(shared, index[shared])), function(rows) {
    points_of_location(rows, x[rows, , drop = FALSE], data$weights[rows], negligible,
      columns[rows, , drop = FALSE])
  })
  if (!any(vapply(found, function(points) points$contrasts > 0L, NA))) return(data)
  alone <- setdiff(seq_along(index), shared)
  joined <- data_at_points(data, alone, found)
  joined$within <- within_points(length(alone), found)
  joined
}

# `share`: a row for each point, with the weights by which it combines the rows `of` the location.
# Rows stay as they are where the points would be as many.
points_of_location <- function(of, x, weights, negligible, columns) {
  as_they_are <- function() list(of = of, hosts = of, share = diag(length(of)), weights = weights,
    columns = columns[0L, , drop = FALSE], contrasts = 0L, log_weights = 0)
  if (any(is.infinite(weights))) return(as_they_are())
  total <- sum(weights)
  share <- weights / total
  center <- colSums(share * x)
  spread <- svd(sqrt(share) * sweep(x, 2L, center))
  r <- sum(spread$d > max(negligible))
  if (r + 1L >= length(of)) return(as_they_are())
  kept <- seq_len(r)
  # The mean of the scores is 0, and their covariance matrix is I.
  scores <- spread$u[, kept, drop = FALSE] / sqrt(share)
  vertices <- simplex(r)
  share_of_points <- rep(1, r + 1L) %o% share + vertices %*% t(share * scores)
  line <- cbind(1, scores) %*% rbind(colSums(share * columns), crossprod(share * scores, columns))
  list(of = of, hosts = of[seq_len(r + 1L)], share = share_of_points,
    weights = rep(total / (r + 1L), r + 1L),
    columns = sqrt(weights) * (columns - line), contrasts = length(of) - r - 1L,
    log_weights = sum(log(weights)) - (r + 1) * log(total / (r + 1)))
}

# The r + 1 vertices in r dimensions, about 0, with the sum of squares (r + 1) I.
simplex <- function(r) {
  if (r == 0L) return(matrix(0, 1L, 0L))
  contrasts <- stats::contr.helmert(r + 1L)
  sqrt(r + 1) * sweep(contrasts, 2L, sqrt(colSums(contrasts^2)), "/")
}

# The rows that are `alone` at a location come first.
data_at_points <- function(data, alone, found) {
  combine <- function(x) {
    rbind(x[alone, , drop = FALSE], do.call(rbind, lapply(found,
      function(points) points$share %*% x[points$of, , drop = FALSE])))
  }
  joined <- take_data_rows(data, c(alone, unlist(lapply(found, `[[`, "hosts"))))
  joined[c("y", "offset")] <- list(drop(combine(cbind(data$y))), drop(combine(cbind(data$offset))))
  joined$X[] <- combine(data$X)
  if (has_effects(data)) joined$effects$Z[] <- combine(data$effects$Z)
  joined$weights <- c(data$weights[alone], unlist(lapply(found, `[[`, "weights")))
  joined$coords[, data$by] <- combine(data$coords[, data$by, drop = FALSE])
  joined
}

# As within_locations() returns them. The numbers of a location are at its first point.
within_points <- function(alone, found) {
  points <- vapply(found, function(at) length(at$hosts), 0L)
  with_first <- function(x) {
    replace(rep(0L, alone + sum(points)), alone + cumsum(points) - points + 1L, x)
  }
  count <- with_first(vapply(found, function(at) nrow(at$columns), 0L))
  list(columns = do.call(rbind, lapply(found, `[[`, "columns")), first = cumsum(count) - count + 1L,
    count = count, contrasts = with_first(vapply(found, `[[`, 0L, "contrasts")),
    log_weights = with_first(vapply(found, `[[`, 0, "log_weights")), output = NULL, outputs = 0L,
    points = TRUE)
}
