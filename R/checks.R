# Checks of single arguments. Each returns its (normalised) argument or stops with a
# "neargp_error_argument" naming it.

describe_value <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.atomic(x) && length(x) == 1L) return(deparse(x))
  type <- paste(if (is.integer(x)) "an" else "a", typeof(x))
  if (is.atomic(x) && is.matrix(x)) {
    return(sprintf("%s matrix of %s and %s", type, counted(nrow(x), "row"),
      counted(ncol(x), "column")))
  }
  if (is.atomic(x)) return(paste(type, "vector of length", length(x)))
  paste0("an object of class \"", class(x)[1L], "\"")
}

abort_argument <- function(name, wanted, value) {
  abort_neargp("argument", paste0("`", name, "` must be ", wanted, ", not ", describe_value(value),
    "."))
}

# `what`: the case, in words, in which only the linear predictor supports joint predictions.
abort_joint_response <- function(what) {
  abort_neargp("argument", c(sprintf("`type` must be \"link\" with joint = TRUE %s.", what),
    i = "simulate() draws responses jointly."))
}

# The arguments without a default, of the function that calls.
check_required <- function(frame = parent.frame(), called = sys.function(sys.parent())) {
  required <- names(Filter(function(default) identical(default, quote(expr = )), formals(called)))
  absent <- Filter(function(name) eval(call("missing", as.name(name)), frame),
    setdiff(required, "..."))
  if (!length(absent)) return(invisible())
  quoted <- function(names, collapse) paste0("`", names, "`", collapse = collapse)
  abort_neargp("argument",
    c(paste(quoted(absent, " and "), if (length(absent) > 1L) "are" else "is", "missing."),
      i = sprintf("Needed are %s.", quoted(setdiff(required, "..."), ", "))))
}

# An argument without a default.
check_given <- function(missing, name, wanted) {
  if (missing) {
    abort_neargp("argument",
      c(sprintf("`%s` is missing.", name), i = paste0("It is ", wanted, ".")))
  }
}

# A single finite number in [lower, upper]; with `open` the lower bound itself is not allowed.
check_number <- function(x, name, lower = -Inf, upper = Inf, open = FALSE, null_ok = FALSE) {
  if (is.null(x) && null_ok) return(NULL)
  valid <- is.numeric(x) && length(x) == 1L && is.finite(x) && x <= upper &&
    (if (open) x > lower else x >= lower)
  if (!valid) {
    abort_argument(name, paste0(describe_range(lower, upper, open), if (null_ok) " or NULL"), x)
  }
  as.double(x)
}

# One learning rate, or several for equal shares of the steps.
check_rates <- function(x) {
  if (!is.numeric(x) || !length(x) || !all(is.finite(x)) || any(x <= 0)) {
    abort_argument("learning_rate", "a number above 0, or several for equal shares of the steps", x)
  }
  as.double(x)
}

describe_range <- function(lower, upper, open, noun = "a number") {
  if (is.finite(lower) && is.finite(upper)) {
    return(paste0(noun, if (open) " above " else " between ", lower,
      if (open) " and up to " else " and ", upper))
  }
  if (is.finite(lower)) return(paste0(noun, if (open) " greater than " else " of at least ", lower))
  if (is.finite(upper)) return(paste0(noun, " of at most ", upper))
  noun
}

check_count <- function(x, name, lower = 1L, upper = .Machine$integer.max, null_ok = FALSE) {
  if (is.null(x) && null_ok) return(NULL)
  valid <- is.numeric(x) && length(x) == 1L && is.finite(x) && x == round(x) && x >= lower &&
    x <= upper
  if (!valid) {
    wanted <- if (upper < .Machine$integer.max) paste("a whole number between", lower, "and",
      upper) else
      paste("a whole number of at least", lower)
    abort_argument(name, paste0(wanted, if (null_ok) " or NULL"), x)
  }
  as.integer(x)
}

check_flag <- function(x, name) {
  if (!(is.logical(x) && length(x) == 1L && !is.na(x))) abort_argument(name, "TRUE or FALSE", x)
  x
}

check_choice <- function(x, name, choices) {
  if (identical(x, choices)) return(choices[1L])
  if (!(is.character(x) && length(x) == 1L && x %in% choices)) {
    abort_choice(name, "one of", choices, x)
  }
  x
}

abort_choice <- function(name, among, choices, x) {
  meant <- if (rlang::is_string(x)) nearest_name(x, choices)
  abort_neargp("argument", c(sprintf("`%s` must be %s %s, not %s.", name, among,
    paste0("\"", choices, "\"", collapse = ", "), describe_value(x)),
    i = if (length(meant)) paste0("Did you mean ", name, " = \"", meant, "\"?")))
}

# Checks that `x` is one or more of the choices.
check_choices <- function(x, name, choices) {
  if (!is.character(x) || !length(x) || !all(x %in% choices)) {
    abort_choice(name, "among", choices, x)
  }
  x
}

# A positive finite number, or NULL.
check_positive <- function(x, name) {
  if (is.null(x)) return(NULL)
  if (!(is.numeric(x) && length(x) == 1L && is.finite(x) && x > 0)) {
    abort_argument(name, "a number greater than 0 or NULL", x)
  }
  x
}

# A fixed variance, or NULL.
check_variance <- function(x, name) check_variance_size(check_positive(x, name), name)

# Leaves room for sums of squares, as check_response_size() does.
largest_variance <- 1e280

check_variance_size <- function(x, name) {
  if (any(x > largest_variance)) {
    abort_neargp("argument", c(sprintf("`%s` must be at most %g.", name, largest_variance),
      i = "Measure the response in another unit."))
  }
  x
}

# The core's limits of ranges and coordinates, so that squares of scaled distances neither overflow
# nor vanish.
range_limits <- c(least = 1e-30, largest = 1e30)

abort_infinite_range <- function(name) {
  abort_neargp("argument", c(sprintf("`%s` must be finite, and is Inf.", name),
    i = "If the process does not vary along one coordinate, name the coordinates: range = c(x = Inf, y = NA)."))
}

# Positive finite numbers, or NULL: fixed ranges. NA among several is a range that is not fixed, and
# Inf, if `zonal`, one of a coordinate along which nothing varies.
check_ranges <- function(x, name, zonal = FALSE) {
  if (is.null(x)) return(NULL)
  given <- if (is.numeric(x)) x[!is.na(x) | is.nan(x)]
  if (any(given %in% Inf)) {
    if (!zonal || length(x) < 2L) abort_infinite_range(name)
    others <- replace(x, x %in% Inf, NA)
    if (any(!is.na(others) | is.nan(others))) check_ranges(others, name)
    return(x)
  }
  if (!(length(given) && all(is.finite(given)) && all(given > 0))) {
    abort_argument(name, "numbers greater than 0 (NA for a range that is estimated) or NULL", x)
  }
  if (any(given < range_limits[["least"]] | given > range_limits[["largest"]])) {
    abort_neargp("argument",
      c(sprintf("`%s` must be between %g and %g.", name, range_limits[["least"]],
        range_limits[["largest"]]), i = "Measure the coordinates in another unit."))
  }
  x
}

# A settings object. The function that makes it, or the name of that, is a slip that is easy to fix.
# `others`: calls to paste, by patterns of names in other packages.
check_made <- function(x, name, class, kind, wanted, makers, others = NULL) {
  other <- if (rlang::is_string(x)) Find(function(pattern) grepl(sprintf("^(%s)$", pattern), x,
    ignore.case = TRUE), names(others))
  if (length(other)) {
    abort_neargp("argument", c(sprintf("`%s` must be %s, not \"%s\".", name, wanted, x),
      i = sprintf("Use %s.", others[[other]])))
  }
  maker <- if (is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x)) {
    plain <- function(x) sub("^cov_", "", x)
    makers[match(nearest_name(plain(x), plain(makers)), plain(makers))]
  } else if (is.function(x)) Find(function(maker) identical(x, get(maker)), makers)
  if (length(maker)) {
    abort_neargp("argument",
      c(sprintf("`%s` must be a %s with its settings, not its name.", name, kind),
        i = sprintf("Did you mean %s = %s()?", name, maker)))
  }
  check_class(x, name, class, wanted)
}

# Objects of package raster.
is_old_raster <- function(x) inherits(x, c("RasterLayer", "RasterStack", "RasterBrick"))

# The function that reads a file, by the ending of its name.
file_readers <- c("tiff?|grd|nc|asc|img|vrt" = "terra::rast(%s)",
  "shp|gpkg|geojson|json|kml|fgb|gml" = "sf::st_read(%s)", "csv|csv\\.gz" = "read.csv(%s)",
  "tsv|txt" = "read.delim(%s)", "rds" = "readRDS(%s)", "parquet" = "arrow::read_parquet(%s)")

reader_of <- function(file) {
  found <- Find(function(ending) grepl(sprintf("\\.(%s)$", ending), file, ignore.case = TRUE),
    names(file_readers))
  if (!is.null(found)) sprintf(file_readers[[found]], deparse1(file))
}

# Objects in space of other packages, which sf or terra convert.
spatial_hint <- function(x) {
  reader <- if (rlang::is_string(x)) reader_of(x)
  if (!is.null(reader)) return(sprintf("Read the file: data = %s.", reader))
  if (is.matrix(x)) return("Make it a data frame: as.data.frame(data).")
  if (is_old_raster(x)) return("Convert it: terra::rast(data).")
  if (!inherits(x, c("SpatVector", "SpatRaster", "Spatial"))) return(NULL)
  paste("Convert it:", if (inherits(x, "SpatRaster")) "terra::as.data.frame(data, xy = TRUE)." else
    "sf::st_as_sf(data).")
}

check_class <- function(x, name, class, wanted) {
  if (inherits(x, "neargp_learned") && identical(class, "neargp")) abort_for_process(name)
  if (!inherits(x, class) || !is.list(x)) abort_argument(name, wanted, x)
  x
}

abort_for_process <- function(name) {
  abort_neargp("argument", c(sprintf("`%s` must be a fit without learner() terms.", name),
    i = "Use the process alone: fit$process."))
}

# The probability content of an interval, strictly between 0 and 1.
check_level <- function(level, name = "level") {
  if (!(is.numeric(level) && length(level) == 1L && is.finite(level) && level > 0 && level < 1)) {
    abort_argument(name, "a number between 0 and 1", level)
  }
  level
}

# Called in a function with `...` for its generic only: whatever is there has another name than the
# argument that was meant.
check_no_more_arguments <- function(frame = parent.frame(), called = sys.function(sys.parent()),
                                    call = sys.call(sys.parent()), handed_on = NULL) {
  more <- as.list(eval(quote(substitute(alist(...))), frame))[-1L]
  more <- more[!vapply(more, identical, NA, quote(expr = )) & !(names(more) %||%
    character(length(more))) %in% handed_on]
  if (!length(more)) return(invisible())
  known <- c(setdiff(names(formals(called)), "..."), handed_on)
  names <- printable_text(names(more) %||% "")
  given <- names[nzchar(names)]
  # The call of a method shows the method's name, and users know that of the generic.
  caller <- sub("\\.neargp.*", "", rlang::call_name(call) %||% "the function")
  foreign <- unlist(Map(function(name, value) foreign_hint(caller, name, value), given,
    more[nzchar(names)]), use.names = FALSE)
  meant <- if (is.null(foreign)) unlist(lapply(given, nearest_name, known))
  abort_neargp("argument", c(
    if (length(given)) sprintf("%s does not accept the argument %s.",
      paste0(caller, if (caller != "the function") "()"), paste0("`", given, "`", collapse = ", "))
    else sprintf("An unnamed argument is one too many: %s.", rlang::as_label(more[[1L]])),
    if (length(foreign)) stats::setNames(foreign, rep("i", length(foreign))),
    i = if (length(meant)) sprintf("Did you mean %s?",
      paste0("`", unique(meant), "`", collapse = ", ")) else if (is.null(foreign))
      sprintf("Its arguments are %s.", paste0("`", known, "`", collapse = ", "))))
}

# The text with <e9> in place of each byte that is not valid in this encoding.
printable_text <- function(x) {
  wrong <- !validEnc(x)
  x[wrong] <- iconv(x[wrong], "latin1", "ASCII", sub = "byte")
  x
}

# Text that cannot be sorted or printed.
check_encoding <- function(x, name, argument) {
  wrong <- which(!is.na(x) & !validEnc(x))
  if (!length(wrong)) return(invisible())
  abort_neargp("columns", c(sprintf("Column %s of `%s` has text that is not valid in the encoding of this session: %s.",
    name, argument, format_some(unique(printable_text(x[wrong])))),
    i = sprintf("Say what it is in: %1$s$%2$s <- iconv(%1$s$%2$s, \"latin1\", \"UTF-8\").", argument,
      name)))
}

# The known name that most likely was meant: up to a third of the letters may be wrong, or one may
# be the beginning of the other.
nearest_name <- function(name, known) {
  name <- printable_text(name)
  spelt <- printable_text(known)
  plain <- function(x) tolower(gsub("[._]", "", x))
  distance <- drop(utils::adist(plain(name), plain(spelt)))
  begins <- startsWith(plain(spelt), plain(name)) | startsWith(plain(name), plain(spelt)) &
    nchar(spelt) > 2L
  distance[begins] <- 0
  if (length(known) && isTRUE(min(distance) <= nchar(name) / 3)) known[which.min(distance)]
}

# Without the classes for its response, a method would predict that as a Gaussian one.
check_method_of_response <- function(fit) {
  if (identical(class(fit$method), class(method_for(fit$method, fit$family, fit$data)))) {
    return(invisible(fit))
  }
  abort_neargp("argument",
    c("An earlier version of neargp made this fit, and its method does not record the kind of response.",
      i = "Fit the model again."))
}
