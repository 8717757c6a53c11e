# The data of a fit, found by the name in its call, since the fit does not keep them.

# `what`: the caller that needs them. Data that are found must be those that were fitted.
# `changed_in`: says what differs, as changed_parts() does.
needed_data <- function(object, what, changed_in = changed_parts, data = data_of_call(object)) {
  if (is.null(data)) {
    abort_neargp("newdata", c(sprintf("%s needs the data of the fit, which are no longer found.",
      what),
      x = sprintf("They were `%s` when the model was fitted.", named_data(object)),
      i = advice_on_data))
  }
  changed <- changed_in(object, data)
  if (length(changed)) {
    abort_neargp("newdata", c(
      sprintf("%s needs the data of the fit, and `%s` has changed since the fit.", what,
        named_data(object)),
      x = sprintf("There the %s.", paste(changed, collapse = ", and the ")),
      i = advice_on_data))
  }
  data
}

# The data that the call names, NULL where they are no longer found.
data_of_call <- function(fit) {
  data <- tryCatch(points_of_grid(known_map(eval(fit$call$data,
    environment(fit$formula))), names_of_model(fit)), error = function(e) NULL)
  if (is.data.frame(data)) data
}

model_frame_of <- function(object, data) {
  env <- environment(object$formula)
  quosures <- lapply(stats::setNames(nm = c("weights", "offset", "subset",
    "measurement_variance")), function(x) rlang::new_quosure(object$call[[x]], env))
  new_model_frame(c(quosures, list(na.action = eval(object$call$na.action, env))), object$formula,
    data, object$locations, object$family)
}

advice_on_data <- "Give the fit its data: update(fit, data = )."

named_data <- function(object) paste(deparse(object$call$data, width.cutoff = 60L)[1L])

# The data of a call. Their name may come from another session: update(), drop1(), step() and
# similar functions evaluate the call of the fit again. `written`: the argument as it was written.
found_data <- function(data, written) {
  known_map(withCallingHandlers(data, error = function(e) {
    lost <- Filter(function(name) identical(conditionMessage(e),
      gettextf("object '%s' not found", name, domain = "R")), all.vars(written))
    if (!length(lost)) return(invisible())
    abort_neargp("newdata", c(sprintf("The data are not found: the object `%s` does not exist.", lost[1L]),
      i = "For a fit from another session, give its data again: update(fit, data = )."))
  }))
}

# The rows of the data that were fitted.
fitted_rows <- function(object, data) {
  rows <- fitted_row_numbers(object, data)
  if (is.null(rows)) {
    abort_neargp("newdata",
      c("The data named in the call of the fit have changed since the fit.",
        i = "Fit the model again."))
  }
  data[rows, , drop = FALSE]
}

# NULL where the data do not contain them.
fitted_row_numbers <- function(object, data) {
  rows <- match(row_names_of(object), row.names(drop_geometry(data)))
  if (!anyNA(rows) && nrow(data) == object$n_given) rows
}

row_names_of <- function(object) as.character(object$row_names %||% seq_along(object$data$y))

# Columns of the training data that newdata must have.
required_columns <- function(formula, locations, data, offset_argument, covariance) {
  terms <- stats::delete.response(stats::terms(formula, data = data))
  wanted <- c(all.vars(terms), all.vars(locations$terms), locations$time, all.vars(offset_argument),
    local_variables(covariance), locations$features$names)
  intersect(unique(wanted), names(data))
}

# The rows of the fit as locations to predict at.
training_target <- function(object) {
  if (!is.null(object$outputs)) return(places_of_fit(object))
  data <- object$data
  list(coords = data$coords, X = full_design(data), offset = data$offset, weights = data$weights,
    complete = rep(TRUE, length(data$y)), restore = identity,
    parameter_columns = columns_of_rows(data))
}

# ---- what has changed ----------------------------------------------------------------------------

# The difference between the data and the rows that were fitted, in words; NULL if they are the
# same.
changed_parts <- function(object, data) {
  # rows of several responses and of areas are made by neargp() only
  if (!is.null(object$outputs) || has_areal_data(object)) return(NULL)
  rows <- fitted_row_numbers(object, data)
  if (is.null(rows)) return("rows are others")
  c(if (have_moved(object, data, rows)) "coordinates differ", changed_columns(object, data))
}

have_moved <- function(object, data, rows) {
  locations <- input_locations(object$locations)
  coords <- tryCatch(embed_coordinates(raw_coordinates(data, locations), locations, data = data),
    error = function(e) NULL)
  is.null(coords) || !identical(unname(coords[rows, , drop = FALSE]),
    unname(object$data$inputs %||% object$data$coords))
}

# Response and covariates, as numbers as the fit has made them.
changed_columns <- function(object, data) {
  frame <- tryCatch(suppressMessages(model_frame_of(object, data)), error = function(e) NULL)
  rows <- match(row_names_of(object), row.names(frame))
  if (is.null(frame) || anyNA(rows)) return("response or covariates are not available")
  c(if (!same_response(object, frame, rows)) "response differs",
    if (!same_covariates(object, frame, rows)) "covariates differ")
}

same_response <- function(object, frame, rows) {
  weights <- as.double(frame[["(weights)"]] %||% rep(1, nrow(frame)))
  found <- tryCatch(suppressMessages(model_response(object$method, stats::model.response(frame),
    object$family, weights, frame)), error = function(e) NULL)
  !is.null(found) && same_numbers(as.double(found$y)[rows],
    as.double(observed_response(object$data)))
}

# Compares the formula's own columns: random effects and smooths are known by a basis that is not
# unique.
same_covariates <- function(object, frame, rows) {
  own <- seq_len(ncol(object$data$X) - count_smooth_columns(object))
  design <- tryCatch(stats::model.matrix(attr(frame, "terms"), frame,
    contrasts.arg = object$contrasts), error = function(e) NULL)
  design <- design[, !colnames(design) %in% names(object$fixed_trend), drop = FALSE]
  !is.null(design) && ncol(design) == length(own) &&
    same_numbers(design[rows, ], object$data$X[, own])
}

# Equal except for the last digits. These differ between machines where poly() or a similar function
# uses a factorisation.
same_numbers <- function(a, b, tolerance = 1e-8) {
  length(a) == length(b) && identical(is.na(as.vector(a)), is.na(as.vector(b))) &&
    all(abs(a - b) <= tolerance * max(abs(b), 0, na.rm = TRUE), na.rm = TRUE)
}
