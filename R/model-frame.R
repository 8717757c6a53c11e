# Turns formula and data into numbers: response, trend matrix, offset, weights and coordinates, with
# subset and na.action applied to all of them alike.

# The response as an expression of new rows. Numbers that it took from all rows, as scale() does,
# stay those of the rows of the fit, as in stats::makepredictcall().
response_call <- function(fit) attr(fit$terms, "predvars")[[1L + attr(fit$terms, "response")]]

# The same inside of cbind(), where stats::model.frame() does not look.
with_safe_outputs <- function(frame, formula, data) {
  response <- formula[[2L]]
  if (!is.call(response) || !identical(response[[1L]], quote(cbind))) return(frame)
  terms <- attr(frame, "terms")
  place <- 1L + attr(terms, "response")
  safe <- lapply(as.list(response)[-1L],
    function(part) stats::makepredictcall(eval(part, data, environment(formula)), part))
  attr(terms, "predvars")[[place]] <- as.call(c(quote(cbind), safe))
  attr(frame, "terms") <- terms
  frame
}

# There is no distance from one row to another.
check_two_rows <- function(frame, data) {
  if (nrow(frame) > 1L) return(invisible())
  abort_neargp("rows", c("A Gaussian process needs at least two rows, and `data` leaves one.",
    x = if (nrow(data) > 1L) sprintf("`data` has %s rows; subset and na.action left one.",
      format_count(nrow(data)))))
}

# One number is that of all rows.
recycled <- function(value, data) {
  if (length(value) == 1L && is.null(dim(value))) rep(value, nrow(data)) else value
}

check_measurement_variance_rows <- function(measurement_variance, data) {
  if (is.null(measurement_variance) || NROW(measurement_variance) == nrow(data)) {
    return(invisible())
  }
  abort_neargp("noise",
    c(sprintf("There must be one measurement variance, or one for each of the %s rows of `data`.",
      format_count(nrow(data))), x = sprintf("`measurement_variance` has %s.",
      format_count(NROW(measurement_variance)))))
}

check_one_for_each_row <- function(weights, data) {
  if (is.null(weights) || NROW(weights) == nrow(data)) return(invisible())
  abort_neargp("weights",
    c(sprintf("There must be one weight for each of the %s rows of `data`.",
      format_count(nrow(data))), x = sprintf("`weights` has %s.", format_count(NROW(weights))),
      i = "Leave `weights` out where all observations count alike."))
}

# `data`: whose columns are listed where one is not found.
in_data <- function(what, value, data = NULL) {
  tryCatch(value, error = function(e) {
    if (grepl("missing values in object", conditionMessage(e))) {
      abort_neargp("missing_values",
        "There are missing values, and na.action = na.fail does not allow them.", parent = e)
    }
    name <- if (what == "the formula") "The formula" else if (startsWith(what, "`")) what else
      paste0("`", what, "`")
    lacking <- lacking_column(conditionMessage(e), !is.null(data))
    if (!is.null(lacking)) {
      abort_neargp("columns", c(sprintf("Column %s%s is not in `data`.", lacking,
        if (what == "the formula") "" else sprintf(", which %s names,", name)),
        i = if (!is.null(data)) column_hint(data, lacking, "data")))
    }
    abort_neargp("formula", paste(name, "cannot be evaluated in `data`."), parent = e)
  })
}

# The name that R's message says is not found, or is a function where the column is not there.
lacking_column <- function(message, unknown) {
  found <- regmatches(message, regexec(
    "^object '(.*)' not found$|[(](closure|builtin|special)[)] for variable '(.*)'", message))[[1L]]
  if (length(found) && (unknown || nzchar(found[4L]))) paste0(found[2L], found[4L])
}

# There are no contrasts of a factor of one level.
check_levels <- function(frame, terms) {
  used <- setdiff(rownames(attr(terms, "factors")), names(frame)[attr(terms, "response")])
  constant <- Filter(function(name) (is.factor(frame[[name]]) || is.character(frame[[name]])) &&
    length(unique(frame[[name]])) < 2L, used)
  if (!length(constant)) return(invisible())
  abort_neargp("formula", c(
    sprintf("The level of the covariate `%s` is the same in all rows, so its effect cannot be estimated.", constant[1L]),
    i = sprintf("Leave `%s` out of the formula, or check `subset` and `na.action`.", constant[1L])))
}

# A response among the coordinates would be its own neighbour in a space that no prediction has.
check_response_apart <- function(formula, data, locations) {
  coordinates <- intersect(c(all.vars(locations$terms), locations$time), names(data))
  both <- intersect(all.vars(formula[[2L]]), coordinates)
  if (length(both)) {
    abort_neargp("coordinates",
      c(sprintf("The response cannot be a coordinate, but `%s` is in both.", both[1L]),
        i = "Coordinates are the locations of rows: columns such as ~ x + y."))
  }
}

# The columns that a dot in the trend stands for: all columns that are not coordinates or time,
# unless the coordinates are themselves a dot.
trend_columns <- function(data, locations) {
  used <- if (locations$dot) character(0) else all.vars(locations$terms)
  data[setdiff(names(data), c(used, locations$time))]
}

# The sum of the offsets of the formula and of the argument, NULL where there is none.
numeric_offset <- function(frame) {
  offsets <- names(frame)[c(attr(attr(frame, "terms"), "offset"),
    match("(offset)", names(frame), nomatch = 0L))]
  for (name in offsets) check_numeric_offset(frame[[name]],
    if (name == "(offset)") "offset" else name)
  stats::model.offset(frame)
}

check_numeric_offset <- function(offset, name) {
  if (is_bare_number(offset) && NCOL(offset) == 1L) return(invisible())
  abort_neargp("offset", c("An offset must be a number for each row.",
    x = sprintf("`%s` is %s.", name, if (is.null(dim(offset))) paste("of class",
      class(offset)[1L]) else "a matrix")))
}

# The coding of columns, for new rows.
frame_settings <- function(frame, design) {
  list(contrasts = attr(design, "contrasts"), xlevels = stats::.getXlevels(attr(frame, "terms"),
    frame), time_kinds = time_kinds(frame))
}

strip_design <- function(design) {
  matrix(as.double(design), nrow(design), ncol(design), dimnames = list(NULL, colnames(design)))
}

check_response <- function(y, frame) {
  if (!is.numeric(y) || !is.null(dim(y))) {
    abort_neargp("response", c("A Gaussian response must be a numeric vector.",
      x = paste0("`", names(frame)[1L], "` is ", if (is.null(dim(y))) paste("of class",
        class(y)[1L]) else "a matrix", "."),
      i = if (is_class_vector(y)) category_hint(y)))
  }
}

category_hint <- function(y) {
  if (length(unique(y[!is.na(y)])) == 2L) {
    return("For two levels: family = binomial(), method = vnngp().")
  }
  sprintf("For categories: family = categorical(). It is fitted by %s.", able_methods("classes"))
}

# Rows are named as in `data`: by their row names, which are row numbers unless the user set them.
original_rows <- function(frame, rows) attr(frame, "row.names")[rows]

check_finite_data <- function(model_data, frame) {
  parts <- list("The response" = model_data$y, "The trend" = model_data$X,
    "The offset" = model_data$offset, "The weights" = model_data$weights,
    "The coordinates" = model_data$coords)
  for (what in names(Filter(Negate(is.null), parts))) {
    part <- parts[[what]]
    if (is.numeric(part) && all(is.finite(part))) next
    bad <- if (is.matrix(part)) which(rowSums(!is.finite(part)) > 0) else
      which(!is.finite(as.numeric(part)))
    columns <- if (is.matrix(part)) colnames(part)[colSums(!is.finite(part)) > 0]
    abort_neargp("missing_values", c(
      paste0(what, if (endsWith(what, "s")) " have" else " has", " missing or infinite values in ",
        format_rows(original_rows(frame, bad)), "."),
      x = if (length(columns)) paste0("In ", format_some(columns), "."),
      i = "Remove them by `subset`, or missing ones by na.action = na.omit."))
  }
}

check_weights <- function(weights, frame) {
  if (!is_bare_number(weights) || NCOL(weights) > 1L) {
    abort_neargp("weights", c("`weights` must be a numeric vector without a unit.",
      x = paste0("It is ", if (NCOL(weights) > 1L) "a matrix" else paste("of class",
        class(weights)[1L]), ".")))
  }
  check_finite_data(list(weights = weights), frame)
  wrong <- which(weights <= 0)
  if (length(wrong)) {
    abort_neargp("weights", c(
      paste0("Weights must be greater than 0; they are not in ",
        format_rows(original_rows(frame, wrong)), "."),
      i = "Leave rows out by `subset`. (The noise variance of an observation of a Gaussian response is nugget / weight.)"))
  }
}
