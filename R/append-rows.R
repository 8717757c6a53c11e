# New rows as data of a fit: with its levels, units, contrasts and bases, and with their responses.

# A list of `data`, as take_data_rows() returns those of the fit, the numbers `kept` of the rows of
# newdata that are in them, and `given`, how many were handed in.
new_data_rows <- function(fit, newdata) {
  check_newdata_class(newdata)
  given <- nrow(newdata)
  chosen <- rows_of_subset(fit, newdata)
  newdata <- newdata[chosen, , drop = FALSE]
  target <- appended_target(fit, newdata)
  observed <- new_observations(fit, newdata, NULL, NULL)
  weights <- rep_len(appended_weights(fit, newdata), nrow(newdata))
  known <- target$complete & !is.na(observed$y) & !is.na(weights) & !is.na(observed$trials)
  noise <- appended_noise(fit, newdata, target$complete)
  if (!is.null(noise)) {
    known[target$complete] <- known[target$complete] & stats::complete.cases(noise)
  }
  columns <- if (!is.null(fit$data$parameter_models)) target$new_parameter_columns()
  if (!is.null(columns)) {
    known[target$complete] <- known[target$complete] &
      stats::complete.cases(do.call(cbind, unname(columns)))
  }
  check_na_action(fit, chosen[!known])
  rows <- which(known)
  at <- match(rows, which(target$complete))
  trend <- seq_len(ncol(fit$data$X))
  data <- list(y = as.double(observed$y[rows]), X = target$X[at, trend, drop = FALSE],
    offset = target$offset[at], weights = as.double(weights[rows]),
    trials = rep_len(as.double(observed$trials), nrow(newdata))[rows],
    limits = observed$limits[rows, , drop = FALSE], coords = target$coords[at, , drop = FALSE])
  if (!is.null(columns)) data$parameter_columns <- lapply(columns, take_rows, at)
  check_appended_response(fit, data, chosen[rows])
  if (has_effects(fit$data)) data$effects$Z <- target$X[at, -trend, drop = FALSE]
  if (!is.null(noise)) data$noise <- lapply(noise, take_rows, at)
  list(data = on_fitted_scale(data, fit$family), kept = chosen[rows], given = given)
}

# The rows of newdata that the argument `subset` of the fit's call chooses, if it is a condition.
rows_of_subset <- function(fit, newdata) {
  expression <- fit$call$subset
  plain <- drop_geometry(newdata)
  all <- seq_len(nrow(newdata))
  if (is.null(expression)) return(all)
  check_columns_present(all.vars(expression), plain, "newdata", environment(fit$formula))
  chosen <- in_data("subset", eval(expression, plain, environment(fit$formula)))
  if (is.logical(chosen) && length(chosen) == nrow(plain)) which(chosen) else all
}

# In a fit of all rows, weights are an error where they are missing, not 1.
appended_weights <- function(fit, newdata) {
  if (!is.null(fit$call$weights)) {
    check_columns_present(all.vars(fit$call$weights), drop_geometry(newdata), "newdata",
      environment(fit$formula))
  }
  new_weights(fit, newdata, NULL)
}

# The columns of a model of the noise, for complete rows.
appended_noise <- function(fit, newdata, complete) {
  if (is.null(fit$data$noise)) return(NULL)
  newdata <- with_fitted_columns(fit, newdata)
  plain <- drop_geometry(newdata)[complete, , drop = FALSE]
  raw <- newdata_coordinates(fit, newdata)[complete, , drop = FALSE]
  noise <- fit$data$noise
  if (!is.null(noise$known)) {
    check_columns_present(all.vars(fit$call$measurement_variance), plain, "newdata",
      environment(fit$formula))
  }
  Filter(Negate(is.null), list(
    known = if (!is.null(noise$known)) new_measurement_variance(fit, plain),
    columns = if (!is.null(noise$columns)) new_noise_columns(fit, plain, raw)))
}

# Rows without a response or covariate are left out, as na.omit() leaves them out.
check_na_action <- function(fit, rows) {
  action <- eval(fit$call$na.action, environment(fit$formula))
  omits <- is.null(action) || identical(action, stats::na.omit) ||
    identical(action, stats::na.exclude) || is.character(action) &&
      all(action %in% c("na.omit", "na.exclude"))
  if (omits || !length(rows)) return(invisible())
  abort_neargp("missing_values", c(
    sprintf("`newdata` has missing values in %s, and the `na.action` of the fit is not na.omit.",
      format_rows(rows)),
    i = "Leave these rows out, or complete them."))
}

# The family must be able to have these responses. `rows`: of newdata.
check_appended_response <- function(fit, data, rows) {
  infinite <- rows[is.infinite(data$y)]
  if (length(infinite)) {
    abort_neargp("missing_values", sprintf("The response is infinite in %s of `newdata`.",
      format_rows(infinite)))
  }
  any_moments <- list(mean = rep(0, length(rows)), variance = rep(1, length(rows)))
  at <- data[intersect(names(data), c("trials", "weights", "limits", "parameter_columns"))]
  distribution <- predictive(fit$method, fit, any_moments, at)$observation
  check_support_of(data$y, distribution, fit$family, rows)
}

# A group that the fit does not know lacks an effect, which a fit of all rows would estimate.
appended_target <- function(fit, newdata) {
  tryCatch(new_target(fit, newdata), neargp_error_levels = function(error) {
    abort_neargp("levels", c(sub("\n.*", "", conditionMessage(error)),
      i = "Its effect needs a new estimation: update(fit, data = ) with all rows."))
  })
}

on_fitted_scale <- function(data, family) {
  if (is.null(family$transform)) return(data)
  data$untransformed <- data$y
  data$y <- as.double(to_normal_scale(data$y, family$transform))
  data
}

# ---- joined with the rows of the fit -------------------------------------------------------------

# The data of a fit, with `more` rows after them. The basis of the trend stays the fit's.
with_data_rows <- function(data, more) {
  joined <- data
  n <- length(data$y)
  if (is.null(data$trials) && any(more$trials != 1)) data$trials <- rep(1, n)
  for (name in c("y", "untransformed", "offset", "weights", "trials")) {
    if (!is.null(data[[name]])) joined[[name]] <- c(data[[name]], more[[name]])
  }
  for (name in c("X", "coords", "limits")) {
    if (!is.null(data[[name]])) joined[[name]] <- rbind_alike(data[[name]], more[[name]])
  }
  if (has_effects(data)) joined$effects$Z <- rbind_alike(data$effects$Z, more$effects$Z)
  if (!is.null(data$noise)) joined$noise <- joined_noise(data, more)
  for (name in names(data$parameter_models)) {
    joined$parameter_models[[name]]$columns <- rbind_alike(data$parameter_models[[name]]$columns,
      more$parameter_columns[[name]])
  }
  joined
}

rbind_alike <- function(x, more) rbind(x, unname(more))

# The weights of new rows follow from their noise later (with_noise_weights()).
joined_noise <- function(data, more) {
  noise <- data$noise
  if (!is.null(noise$known)) noise$known <- c(noise$known, more$noise$known)
  if (!is.null(noise$columns)) noise$columns <- rbind_alike(noise$columns, more$noise$columns)
  noise$weights <- c(noise$weights %||% data$weights, more$weights)
  noise
}

# The fit's record of its rows, with those of newdata.
with_appended_names <- function(fit, newdata, rows) {
  complete <- fit$n_given == length(fit$data$y) && length(rows$kept) == rows$given
  if (!complete || !is.null(fit$row_names)) fit$row_names <- appended_names(fit, newdata, rows)
  dropped <- setdiff(seq_len(rows$given), rows$kept)
  if (length(dropped)) {
    fit$na_action <- structure(c(fit$na_action, fit$n_given + dropped),
      class = class(fit$na_action %||% structure(1L, class = "omit")))
  }
  fit$n_given <- fit$n_given + rows$given
  fit$n_dropped <- fit$n_dropped + length(dropped)
  fit
}

# Numbers go on from those of the fit. Names of newdata are kept where the fit has names.
appended_names <- function(fit, newdata, rows) {
  names <- fit$row_names %||% seq_along(fit$data$y)
  if (is.numeric(names)) return(c(names, max(fit$n_given, names) + rows$kept))
  new <- row.names(drop_geometry(newdata))[rows$kept]
  if (anyDuplicated(new) || any(new %in% names)) make.unique(c(names, new)) else c(names, new)
}
