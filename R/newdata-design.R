# Turns newdata into numbers as the rows of the fit were: with their levels, contrasts, units and
# safe basis functions.

# Trend matrix and offset at newdata (a plain data frame without missing values).
newdata_design <- function(object, newdata) {
  design <- evaluated_design(object, newdata)
  if (nrow(newdata) > 1L) warn_of_other_rows(design, object, newdata)
  design
}

# x - mean(x) is another number among other rows, and so it was in the fit.
warn_of_other_rows <- function(design, object, newdata) {
  dependent <- unique(unlist(lapply(parts_to_compare(nrow(newdata)), function(rows) {
    alone <- tryCatch(suppressWarnings(evaluated_design(object, newdata[rows, , drop = FALSE])),
      error = function(e) NULL) # of a function that needs more rows
    if (!is.null(alone)) columns_that_differ(design, alone, rows)
  })))
  if (!length(dependent)) return(invisible())
  warn_neargp("newdata", c(
    sprintf("In a row of `newdata` %s depends on the other rows, and is not what it was in the fit.", format_some(dependent)),
    i = "scale(), poly() and splines remember the data of the fit, mean(), max() and the like do not: compute such columns beforehand."))
}

# The first row, in which sums and codes differ most, and two halves for what cannot be computed in
# one row; of many rows the first hundred are enough.
parts_to_compare <- function(n) {
  n <- min(n, 100L)
  half <- (n + 1L) %/% 2L
  unique(list(1L, seq_len(half), seq.int(half + 1L, n)))
}

columns_that_differ <- function(design, alone, rows) {
  differ <- function(all, one) {
    (abs(all - one) > 1e-8 * pmax(abs(all), abs(one))) %in% TRUE # others are not finite
  }
  in_column <- colSums(matrix(differ(design$X[rows, ], alone$X), length(rows))) > 0
  c(colnames(design$X)[in_column], if (any(differ(design$offset[rows], alone$offset))) "the offset")
}

evaluated_design <- function(object, newdata) {
  terms <- stats::delete.response(object$terms)
  frame <- plain_frame(terms, newdata) %||% tryCatch(new_rows_frame(terms, newdata),
    error = function(e) {
      abort_neargp("newdata", "The trend cannot be evaluated in `newdata`.", parent = e)
    })
  frame <- as_fitted_frame(frame, attr(object$terms, "dataClasses"), object$time_kinds,
    object$xlevels)
  design <- plain_design(terms, frame) %||% stats::model.matrix(terms, frame,
    contrasts.arg = object$contrasts)
  offset <- newdata_offset(object, frame, newdata)
  without_fixed_columns(with_effects_at(object, strip_design(design), newdata),
    if (is.null(offset)) rep(0, nrow(newdata)) else as.double(offset), object$fixed_trend)
}

# Columns whose coefficients are fixed are part of the offset.
without_fixed_columns <- function(X, offset, fixed) {
  if (!length(fixed)) return(list(X = X, offset = offset))
  own <- match(names(fixed), colnames(X))
  list(X = X[, -own, drop = FALSE], offset = offset + drop(X[, own, drop = FALSE] %*% fixed))
}

# The result of model.matrix(), in a tenth of its time, for a sum of numeric columns.
plain_design <- function(terms, frame) {
  labels <- attr(terms, "term.labels")
  plain <- identical(labels, names(frame)) &&
    all(vapply(unclass(frame), function(x) is.numeric(x) && is.null(dim(x)) && !is.object(x), NA))
  if (!plain) return(NULL)
  constant <- attr(terms, "intercept") == 1L
  matrix(c(if (constant) rep(1, nrow(frame)), as.double(unlist(unclass(frame), use.names = FALSE))),
    nrow(frame), length(labels) + constant,
    dimnames = list(NULL, c(if (constant) "(Intercept)", labels)))
}

# Checks rows of newdata as check_finite_data() checks the training data: the logarithm of an
# exposure of 0 does not exist. `rows` are those of newdata.
check_design_finite <- function(design, rows) {
  for (what in names(design)) {
    if (all(is.finite(design[[what]]))) next
    bad <- which(rowSums(!is.finite(as.matrix(design[[what]]))) > 0)
    if (!length(bad)) next
    abort_neargp("missing_values",
      c(sprintf("The %s has infinite or undefined values in %s of `newdata`.",
        c(X = "trend", offset = "offset", log_sd = "local sd of the covariance",
          log_range = "local range of the covariance", expand = "warp of the covariance",
          monotone = "warp of the covariance", by = "`by` of the covariance")[[what]],
        format_rows(rows[bad])),
      i = "The logarithm of 0 is infinite. Set the original value to NA to get NA predictions."))
  }
}

# Offsets of the formula are part of its terms; one given as an argument is its expression,
# evaluated again.
newdata_offset <- function(object, frame, newdata) {
  total <- numeric_offset(frame)
  if (is.null(object$offset_argument)) return(total)
  extra <- eval(object$offset_argument, newdata, environment(object$formula))
  check_numeric_offset(extra, "offset")
  if (length(extra) != nrow(newdata)) {
    abort_neargp("newdata",
      c("The offset given to neargp() does not contain one value for each row of `newdata`.",
        i = "Put it into the formula with offset(), so that it is found as a column of `newdata`."))
  }
  if (is.null(total)) extra else total + extra
}

# The design of one row of any values: which column is of which term depends on classes and levels
# of the variables alone.
design_coding <- function(object) {
  terms <- stats::delete.response(object$terms)
  classes <- attr(object$terms, "dataClasses")
  names <- vapply(as.list(attr(terms, "variables"))[-1L], deparse1, "")
  row <- lapply(stats::setNames(nm = names), function(name) {
    levels <- object$xlevels[[name]]
    if (!is.null(levels)) return(factor(levels[1L], levels))
    columns <- regmatches(classes[[name]], regexec("^nmatrix\\.(.*)$", classes[[name]]))[[1L]][2L]
    if (!is.na(columns)) return(matrix(0, 1L, as.integer(columns)))
    if (classes[[name]] == "logical") FALSE else 0
  })
  frame <- structure(row, class = "data.frame", row.names = 1L, terms = terms)
  design <- stats::model.matrix(terms, frame, contrasts.arg = object$contrasts)
  estimated <- !colnames(design) %in% names(object$fixed_trend)
  structure(design[, estimated, drop = FALSE], assign = attr(design, "assign")[estimated],
    contrasts = attr(design, "contrasts"))
}
