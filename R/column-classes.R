# Columns whose class changes the meaning of their storage. 64-bit integers are stored as the bits
# of doubles. Labelled columns contain codes, some of which mean a missing value. POSIXlt is a list.
# These columns are made plain wherever a data set is read. Columns without a plain form are refused
# by name where the model uses them.

# `data` (a data frame or sf) with such columns made plain, and all else as it was.
plain_columns <- function(data) {
  if (!is.data.frame(data)) return(data)
  for (j in which(vapply(unclass(data), is_encoded, NA))) {
    data[[j]] <- plain_column(.subset2(data, j))
  }
  data
}

is_encoded <- function(x) {
  inherits(x, c("integer64", "haven_labelled", "POSIXlt")) && !isS4(x)
}

plain_column <- function(x) {
  if (!is_encoded(x)) return(x)
  if (inherits(x, "POSIXlt")) return(as.POSIXct(x))
  if (inherits(x, "haven_labelled")) without_labels(x) else integer64_numbers(x)
}

# Codes that stand for missing values are missing.
without_labels <- function(x) {
  missing_codes <- attr(x, "na_values")
  bounds <- attr(x, "na_range")
  x <- as.vector(unclass(x))
  missing <- x %in% missing_codes
  if (!is.null(bounds)) missing <- missing | (x >= bounds[1L] & x <= bounds[2L]) %in% TRUE
  replace(x, missing, NA)
}

# The next integer but one is no double.
largest_integer <- 2^53 - 1

# The least number stands for NA. Columns with numbers that a double does not hold stay what they
# are, so that check_column_classes() finds them.
integer64_numbers <- function(x) {
  halves <- matrix(as.double(readBin(writeBin(as.double(unclass(x)), raw()), "integer",
    2L * length(x), 4L)), 2L)
  halves[is.na(halves)] <- -2^31 # the bits of a missing integer
  if (.Platform$endian == "big") halves <- halves[2:1, , drop = FALSE]
  numbers <- halves[2L, ] * 2^32 + halves[1L, ] %% 2^32
  numbers[numbers == -2^63] <- NA
  if (any(abs(numbers) > largest_integer, na.rm = TRUE)) return(x)
  `dim<-`(numbers, dim(x))
}

# Refuses columns of the given names from which no numbers or levels can be read.
check_column_classes <- function(names, data, argument) {
  for (name in intersect(names, base::names(data))) {
    x <- .subset2(data, name)
    what <- unreadable_class(x)
    if (is.null(what)) next
    abort_neargp("columns", c(sprintf("Column %s of `%s` is %s.", name, argument, what$is),
      i = sprintf(what$remedy, name, argument)))
  }
}

# In words, with a remedy that takes the names of column and argument; NULL for columns that can be
# read.
unreadable_class <- function(x) {
  if (inherits(x, "sfc")) return(NULL)
  if (is_encoded(x)) {
    return(list(is = "of class integer64, with numbers of 2^53 or more, which lose digits as doubles",
      remedy = "Make names of groups text: %2$s$%1$s <- as.character(%2$s$%1$s)."))
  }
  if (isS4(x)) {
    return(list(is = sprintf("of the S4 class %s, which is not supported", class(x)[1L]),
      remedy = "Convert it, for example by as.numeric(%2$s$%1$s)."))
  }
  if (is.list(x)) {
    return(list(is = "a list, from which no numbers can be read",
      remedy = "Make it a vector, for example by unlist(%2$s$%1$s)."))
  }
  if (is.raw(x)) return(list(is = "of type raw", remedy = "Convert it: as.integer(%2$s$%1$s)."))
  if (is.complex(x)) {
    return(list(is = "of complex numbers", remedy = "Use its parts: Re(%2$s$%1$s), Im(%2$s$%1$s)."))
  }
}

# Numbers without a unit, as weights and variances are.
is_bare_number <- function(x) is.numeric(x) && !inherits(x, c("units", "difftime"))

# Columns without a name can be named by no argument, and break formulas with a dot.
check_column_names <- function(data, argument) {
  nameless <- which(is.na(names(data)) | !nzchar(names(data)))
  if (!length(nameless)) return(invisible())
  abort_neargp("columns", c(sprintf("%s %s of `%s` %s no name.",
    if (length(nameless) == 1L) "Column" else "Columns", format_some(nameless), argument,
    if (length(nameless) == 1L) "has" else "have"),
    i = "Name or remove it, for example names(data)[is.na(names(data)) | names(data) == \"\"] <- \"other\"."))
}
