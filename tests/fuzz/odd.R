# Columns of odd classes, files that are broken, and settings and fits that are altered by hand.

# Doubles as package bit64 stores integers.
as_bits64 <- function(x) {
  x <- as.double(x)
  x[!is.finite(x) | abs(x) > 1e15] <- 1
  x <- round(x)
  low <- x %% 2^32
  halves <- rbind(ifelse(low >= 2^31, low - 2^32, low), floor(x / 2^32))
  halves[halves == -2^31] <- NA
  structure(readBin(writeBin(as.integer(halves), raw()), "double", length(x)), class = "integer64")
}

# Each class from numbers; the same numbers in another unit are newdata.
column_classes <- list(
  hours = function(x) as.difftime(as.double(x), units = "hours"),
  minutes = function(x) as.difftime(60 * as.double(x), units = "mins"),
  date = function(x) as.Date("2020-01-01") + round(as.double(x)),
  time = function(x) as.POSIXct("2020-01-01", tz = "UTC") + 3600 * as.double(x),
  broken_down = function(x) as.POSIXlt("2020-01-01", tz = "UTC") + 3600 * as.double(x),
  integer64 = as_bits64,
  labelled = function(x) structure(as.double(x), label = "of x", labels = c(none = -9), class = c("haven_labelled", "vctrs_vctr", "double")),
  scaled = function(x) scale(as.double(x)),
  matrix = function(x) cbind(as.double(x), 1),
  list = function(x) as.list(x),
  raw = function(x) as.raw(seq_along(x) %% 7L),
  ordered = function(x) ordered(round(as.double(x))),
  denormal = function(x) as.double(x) * 1e-310,
  interval = function(x) I(as.double(x)),
  latin1 = function(x) paste0("caf\xe9", seq_along(x) %% 3L)
)

with_odd_column <- function(data, columns = c("a", "t", "e", "w", "trials", "year", "when", "s1", "y")) {
  name <- sample(intersect(columns, names(data)), 1L)
  class <- sample(names(column_classes), 1L)
  changed <- tryCatch(suppressWarnings(column_classes[[class]](as.double(data[[name]]))), error = function(e) NULL)
  if (!is.null(changed) && NROW(changed) == nrow(data)) data[[name]] <- changed
  data
}

with_odd_name <- function(data) {
  names(data)[sample.int(length(data), 1L)] <- pick("", NA, "x y", "`", "s1", "if", "caf\xe9")
  data
}

# ---- files ---------------------------------------------------------------------------------------

file_breaks <- list(
  whole = function(lines) lines,
  cut = function(lines) utils::head(lines, -pick(1L, 2L)),
  header_alone = function(lines) lines[1L],
  empty = function(lines) character(0),
  quote = function(lines) replace(lines, length(lines), paste0("\"", lines[length(lines)])),
  inner_quote = function(lines) sub(",", ",5\" ", lines, fixed = TRUE),
  long_line = function(lines) replace(lines, length(lines), paste0(lines[length(lines)], ",9,9,9,99")),
  short_line = function(lines) replace(lines, length(lines), "1"),
  words = function(lines) replace(lines, length(lines), gsub("[0-9.]+", "word", lines[length(lines)])),
  bytes = function(lines) replace(lines, length(lines), "\xff\xfe,1,2"),
  blank_lines = function(lines) c(rbind(lines, "")),
  no_header = function(lines) lines[-1L]
)

# Fits the rows of a text file, which may be damaged. The label is the kind of damage. A `whole` file contains all
# rows of the data.
source_operation <- function(fit, data) {
  plain <- is.data.frame(data) && !inherits(data, "sf") && inherits(fit$locations$terms, "terms")
  if (!plain || !nrow(data)) return(operation(function() NULL))
  numbers <- data[vapply(data, function(x) is.numeric(x) && is.null(dim(x)) && !is.object(x), NA)]
  numbers <- numbers[validUTF8(names(numbers))] # write.csv() refuses others
  kind <- pick_name(c(whole = 4, stats::setNames(rep(1, length(file_breaks) - 1L), setdiff(names(file_breaks), "whole"))))
  chunk <- pick(5L, 1000L)
  operation(function() {
    file <- tempfile(fileext = ".csv")
    on.exit(unlink(file))
    utils::write.csv(numbers, file, row.names = FALSE)
    writeLines(file_breaks[[kind]](readLines(file)), file, useBytes = TRUE)
    found <- neargp::neargp(e ~ 1, neargp::row_source(file, chunk_rows = chunk), coords = fit$locations$terms,
      method = neargp::svgp(3, move = FALSE), verbose = FALSE)
    if (kind == "whole" && nobs(found) != nrow(data)) return(problem("WRONG", nobs(found), " rows of ", nrow(data)))
    check_fit(found)
  }, label = kind)
}

# ---- by hand -------------------------------------------------------------------------------------

# One element of a list of settings, or of what is within it, is replaced.
altered <- function(x) {
  names <- setdiff(names(x), c("label", "data", "call"))
  if (!length(names)) return(x)
  name <- sample(names, 1L)
  class <- attributes(x)
  x <- unclass(x)
  x[name] <- if (is.list(x[[name]]) && length(x[[name]]) && chance(0.5)) list(altered(x[[name]])) else list(junk())
  attributes(x) <- class
  x
}

altered_operation <- function(fit, data) {
  new <- random_newdata(data)
  what <- pick("method", "covariance", "family", "fit")
  method <- if (what == "method") altered(fit$method) else fit$method
  covariance <- if (what == "covariance") altered(fit$covariance) else fit$covariance
  family <- if (what == "family") altered(fit$family) else fit$family
  if (what == "fit") fit <- altered(fit)
  operation(function() {
    if (what == "fit") return(check_table(stats::predict(fit, new)))
    neargp::neargp(fit$formula, data, coords = fit$locations$terms, method = method, covariance = covariance, family = family, verbose = FALSE)
    NULL
  }, label = what)
}
