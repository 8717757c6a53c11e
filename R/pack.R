# Vectors and matrices of numbers without loss in as few bytes as plain R allows.

# The paths of a fit's elements that are as long as its rows.
long_elements <- function(fit, shortest = 100L) {
  inside <- c("data", "posterior", "pseudo_observations", "svgp")
  unlist(lapply(inside, function(part) paths_of_numbers(fit[[part]], part, shortest)),
    recursive = FALSE)
}

paths_of_numbers <- function(x, path, shortest) {
  if (is.list(x) && !is.object(x)) {
    return(unlist(lapply(names(x), function(name) {
      paths_of_numbers(x[[name]], c(path, name), shortest)
    }), recursive = FALSE))
  }
  plain <- is.double(x) && !is.object(x) && length(x) >= shortest &&
    all(names(attributes(x)) %in% c("dim", "dimnames")) && length(dim(x)) %in% c(0L, 2L)
  if (plain) list(path)
}

pack <- function(x) {
  if (is.null(dim(x))) return(pack_vector(x))
  list(columns = lapply(seq_len(ncol(x)), function(j) pack_vector(x[, j])), dim = dim(x),
    dimnames = dimnames(x))
}

unpack <- function(packed) {
  if (is.null(packed$columns)) return(unpack_vector(packed))
  array(as.double(unlist(lapply(packed$columns, unpack_vector))), packed$dim, packed$dimnames)
}

# One number, whole numbers or few different ones, if these give back every bit.
pack_vector <- function(x) {
  x <- unname(x)
  n <- length(x)
  candidates <- list(constant = function() list(length = n, value = x[1L]),
    whole = function() list(length = n, whole = suppressWarnings(as.integer(x))),
    coded = function() {
      values <- unique(x)
      if (length(values) <= n %/% 4L) list(length = n, values = values, code = match(x, values))
    })
  for (candidate in candidates) {
    packed <- candidate()
    if (!is.null(packed) && is_same_bits(unpack_vector(packed), x)) return(packed)
  }
  list(length = n, plain = x)
}

unpack_vector <- function(packed) {
  if (!is.null(packed[["value"]])) return(rep(packed[["value"]], packed[["length"]]))
  if (!is.null(packed[["whole"]])) return(as.double(packed[["whole"]]))
  if (!is.null(packed[["code"]])) return(packed[["values"]][packed[["code"]]])
  packed[["plain"]]
}

# Signs of zeros and kinds of NaN count.
is_same_bits <- function(x, y) {
  identical(x, y, num.eq = FALSE, single.NA = FALSE)
}
