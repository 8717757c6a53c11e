# Several responses, cbind(zinc, lead) ~ trend. A row of the problem is one output at one row of the
# data, so that an output that is missing there is simply no row. All methods treat these rows like
# the rows of one output. The data name the output of each row:
#   `output`: the output of each row, from 1.    `place`: its row of the model frame.
#   `outputs`: the names of the outputs.         `places`: the number of rows of the model frame.

has_outputs <- function(problem) !is.null(problem$data$output)

# Whether the response consists of several responses. A matrix that belongs to the family (successes
# and failures) does not, nor does one column, such as scale() gives.
is_output_response <- function(response, family) {
  is_gaussian(family) && !inherits(response, c("neargp_cens", "Surv")) && is.matrix(response) &&
    ncol(response) > 1L
}

# The model frame of several responses keeps rows in which some of them are known: na.action sees a
# response that is missing only where all are.
without_missing_places <- function(frame, na.action) {
  response <- stats::model.response(frame)
  judged <- frame
  judged[[1L]] <- ifelse(rowSums(!is.na(response)) > 0, 1, NA)
  na.action <- na.action %||% getOption("na.action") %||% stats::na.omit
  judged <- in_data("the formula", match.fun(na.action)(judged))
  dropped <- attr(judged, "na.action")
  if (is.null(dropped)) return(frame)
  terms <- attr(frame, "terms")
  frame <- frame[-as.integer(dropped), , drop = FALSE]
  structure(frame, terms = terms, na.action = dropped)
}

check_one_output <- function(settings) {
  if (inherits(settings$covariance, "neargp_coregionalisation")) {
    abort_neargp("argument", c("A model of coregionalisation needs several responses.",
      i = "Write the response as cbind(y1, y2)."))
  }
  if (length(settings$nugget) > 1L) {
    abort_argument("nugget", "NULL or one number of at least 0", settings$nugget)
  }
}

output_names <- function(response, expression) {
  names <- colnames(response) %||% rep("", ncol(response))
  arguments <- if (is.call(expression) && length(expression) == ncol(response) + 1L)
    vapply(as.list(expression)[-1L], deparse1, "")
  unnamed <- !nzchar(names)
  names[unnamed] <- (arguments %||% paste0("y", seq_along(names)))[unnamed]
  names
}

check_numeric_outputs <- function(response) {
  if (!is.numeric(response)) {
    abort_neargp("response", "Several responses must be a numeric matrix, such as cbind(y1, y2).")
  }
}

check_outputs <- function(response, outputs, frame) {
  if (anyDuplicated(outputs)) {
    abort_neargp("response", paste0("Two responses share a name: ",
      format_some(outputs[duplicated(outputs)]), "."))
  }
  infinite <- which(rowSums(is.infinite(response)) > 0)
  if (length(infinite)) {
    abort_neargp("missing_values",
      c(paste0("The response has infinite values in ", format_rows(original_rows(frame, infinite)),
        "."), i = "Use NA for a response that is not known."))
  }
  empty <- outputs[colSums(!is.na(response)) == 0L]
  if (length(empty)) {
    abort_neargp("empty", c(paste0("No value is known of ", format_some(empty), "."),
      i = sprintf("Leave %s out of cbind().", format_some(empty))))
  }
  warn_of_dependent_outputs(response, outputs)
}

log_ratios <- function(outputs) {
  sprintf("log(%s/%s)", utils::head(outputs, -1L), utils::tail(outputs, 1L))
}

# Where outputs determine each other, their density grows without limit as nuggets run to 0.
warn_of_dependent_outputs <- function(response, outputs) {
  known <- response[stats::complete.cases(response), , drop = FALSE]
  if (nrow(known) <= ncol(known)) return(invisible())
  total <- rowSums(known)
  is_whole <- diff(range(total)) <= 1e-6 * max(abs(total))
  spread <- apply(known, 2L, stats::sd)
  if (!all(spread > 0 & is.finite(spread))) return(invisible())  # refused by check_output()
  if (qr(scale(known, scale = spread), tol = 1e-7)$rank == ncol(known)) return(invisible())
  warn_neargp("outputs", c(
    if (is_whole) "The responses are shares of a whole: their sum is the same in all rows." else
      "The responses are linearly dependent: one of them is a combination of the others.",
    x = "Their joint density is unbounded, so the fit is not reliable.",
    i = if (is_whole) sprintf("Use log ratios: cbind(%s).", paste(log_ratios(outputs),
      collapse = ", ")) else "Leave one of them out of cbind()."))
}

# The trend of each output is that of the formula, with coefficients of its own: "zinc:(Intercept)".
outputs_model_data <- function(frame, formula, weights) {
  response <- stats::model.response(frame)
  if (!is.null(numeric_offset(frame))) {
    abort_neargp("formula",
      c("Several responses do not support an offset.",
        i = "Subtract what is known from each of them: cbind(y1 - known, y2)."))
  }
  outputs <- output_names(response, formula[[2L]])
  check_outputs(response, outputs, frame)
  design <- strip_design(stats::model.matrix(attr(frame, "terms"), frame))
  check_finite_data(list(X = design, coords = frame[["(locations)"]]), frame)
  known <- which(!is.na(response), arr.ind = TRUE)
  place <- unname(known[, 1L])
  output <- unname(known[, 2L])
  data <- list(y = as.double(response[known]), X = outputs_design(design, output, place, outputs),
    offset = rep(0, length(place)), weights = as.double(weights[place]),
    coords = frame[["(locations)"]][place, , drop = FALSE], response_name = "outputs",
    output = output, place = place, outputs = outputs, places = nrow(frame))
  for (p in seq_along(outputs)) check_output(data, p, design)
  data
}

outputs_design <- function(design, output, place, outputs) {
  q <- ncol(design)
  X <- matrix(0, length(place), q * length(outputs),
    dimnames = list(NULL,
      if (length(colnames(design))) as.vector(outer(colnames(design), outputs,
        function(term, output) paste0(output, ":", term)))))
  for (p in seq_along(outputs)) {
    own <- output == p
    X[own, (p - 1L) * q + seq_len(q)] <- design[place[own], ]
  }
  X
}

check_output <- function(data, p, design) {
  own <- data$output == p
  check_trend(list(X = design[data$place[own], , drop = FALSE], y = data$y[own], offset = 0,
    response_name = data$outputs[p]))
}

# The rows as those of one output, with its columns of the trend.
data_of_output <- function(data, p) {
  own <- take_data_rows(data, which(data$output == p))
  own$X <- own_columns(data, p)
  own$response_name <- data$outputs[p]
  without_outputs(own)
}

# The trend's columns that belong to an output, in its rows.
own_columns <- function(data, p) {
  q <- ncol(data$X) %/% length(data$outputs)
  data$X[data$output == p, (p - 1L) * q + seq_len(q), drop = FALSE]
}

# The data of each output by itself.
single_outputs <- function(data) {
  if (is.null(data$output)) list(data) else lapply(seq_along(data$outputs), data_of_output,
    data = data)
}

without_outputs <- function(data) {
  data[c("output", "place", "outputs", "places")] <- NULL
  data
}

# The number of rows of the model frame in the data: rows of several responses share some of them.
count_places <- function(data) {
  if (is.null(data$output)) length(data$y) else length(unique(data$place))
}

# The rows of some locations. `choose`: a function of the coordinates of all locations that returns
# their numbers.
take_places_of_data <- function(data, choose) {
  if (is.null(data$output)) return(take_data_rows(data, choose(data$coords)))
  first <- which(!duplicated(data$place))
  take_data_rows(data,
    which(data$place %in% data$place[first][choose(data$coords[first, , drop = FALSE])]))
}

# Values of the rows as a matrix, a row for each of the model frame and a column for each output; NA
# where an output was not observed.
output_matrix <- function(data, values) {
  result <- matrix(NA_real_, data$places, length(data$outputs), dimnames = list(NULL, data$outputs))
  result[cbind(data$place, data$output)] <- values
  result
}

# The targets at locations (stacked_targets()) that are rows of the data.
targets_of_rows <- function(data, places = seq_len(data$places)) {
  if (is.null(data$output)) return(seq_along(data$y))
  (data$output - 1L) * length(places) + match(data$place, places)
}

# Rows of the data that are at these locations.
rows_of_places <- function(data, places) {
  if (is.null(data$output)) places else which(data$place %in% places)
}

# The fit as folds need it: one row for each location.
as_places <- function(object) {
  if (is.null(object$outputs)) return(object)
  object$data <- without_outputs(take_data_rows(object$data, first_of_places(object$data)))
  as_one_output(object)
}

# A fit whose data are rows of one output.
as_one_output <- function(object) {
  object["outputs"] <- list(NULL)
  object$method <- method_for(object$method, object$family, object$data)
  class(object) <- "neargp"
  object
}

# The response of the formula, evaluated in newdata. An output without a column there counts as not
# observed.
observed_outputs <- function(object, newdata, target) {
  plain <- drop_geometry(with_fitted_columns(object, newdata))
  expressions <- as.list(response_call(object))[-1L]
  if (!is.call(object$formula[[2L]]) || !identical(object$formula[[2L]][[1L]], quote(cbind)) ||
    length(expressions) != length(object$outputs)) {
      abort_neargp("newdata", c("`use_observed = TRUE` needs a response of the form cbind(y1, y2).",
        i = "The columns of other matrices cannot be found in `newdata`."))
    }
  values <- lapply(expressions, function(expression) {
    if (!all(all.vars(expression) %in% names(plain))) return(rep(NA_real_, nrow(plain)))
    rep_len(as.double(eval(expression, plain, environment(object$formula))), nrow(plain))
  })
  observed <- matrix(unlist(values), nrow(plain))[target$complete, , drop = FALSE]
  if (any(is.infinite(observed))) {
    abort_neargp("missing_values", "`newdata` contains infinite responses.")
  }
  observed
}

# ---- locations and their targets -----------------------------------------------------------------

# The rows of the model frame as locations to predict at. Their design is that of an output which is
# known there.
places_of_fit <- function(object) {
  data <- object$data
  first <- first_of_places(data)
  list(coords = data$coords[first, , drop = FALSE], X = design_of_places(data),
    offset = double(data$places), weights = data$weights[first], complete = rep(TRUE, data$places),
    restore = identity)
}

# Rows of the data that are the first of a location, and the trend's columns there.
first_of_places <- function(data) {
  first <- which(!duplicated(data$place))
  first[order(data$place[first])]
}

design_of_places <- function(data) {
  first <- first_of_places(data)
  q <- ncol(data$X) %/% length(data$outputs)
  X <- matrix(0, length(first), q)
  for (column in seq_len(q)) X[, column] <- data$X[cbind(first, (data$output[first] - 1L) * q +
    column)]
  X
}

# The locations once for each output, output after output.
stacked_targets <- function(object, coords, X) {
  m <- nrow(coords)
  place <- rep(seq_len(m), length(object$outputs))
  output <- rep(seq_along(object$outputs), each = m)
  list(coords = coords[place, , drop = FALSE], output = output, place = place,
    X = outputs_design(X, output, place, object$outputs))
}

# Numbers of targets as a matrix with a row for each location and a column for each output.
by_output <- function(object, x) matrix(x, ncol = length(object$outputs))

# mean_zinc, sd_zinc, mean_lead, ... from a named list of numbers of targets.
output_columns <- function(parts, outputs) {
  if (!length(outputs)) return(as.data.frame(parts))
  by_output <- lapply(parts, matrix, ncol = length(outputs))
  columns <- lapply(seq_along(outputs), function(p) {
    stats::setNames(lapply(by_output, function(x) x[, p]), paste0(names(parts), "_", outputs[p]))
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}

# The ends of names that distinguish the columns of several responses.
output_suffix <- function(outputs) if (length(outputs)) paste0("_", outputs) else ""

refuse_outputs <- function(object, what, instead) {
  if (is.null(object$outputs)) return(invisible())
  abort_neargp("method", c(sprintf("%s is for fits to one response, and this fit models several.", what),
    i = instead))
}
