# New rows as scores() needs them: responses as numbers, their trials and their weights.

# Responses of new rows as numbers, with their trials: those of the formula, a column, or values.
new_observations <- function(fit, newdata, observed, trials) {
  UseMethod("new_observations")
}

#' @export
new_observations.default <- function(fit, newdata, observed, trials) {
  if (!is_raster(newdata)) check_newdata_class(newdata)
  plain <- drop_geometry(with_fitted_columns(fit, newdata))
  observed <- observed_in(plain, fit, observed)
  trials <- plain_column(trials)
  if (!is.null(trials)) check_has_trials(fit$family)
  if (has_limits(fit$family)) {
    limits <- response_limits(observed, fit$family, structure(list(observed),
      names = fit$data$response_name))
    return(list(y = middle_of_limits(limits), trials = 1, limits = limits))
  }
  if (is.matrix(observed)) {
    if (!is.null(trials)) {
      abort_neargp("argument",
        "The two columns of the response give the numbers of trials: leave `trials` out.")
    }
    return(list(y = observed[, 1L], trials = rowSums(observed)))
  }
  if (!is.numeric(observed)) {
    observed <- if (has_thresholds(fit$family)) category_number(observed, fit$data$levels) else
      class_indicator(observed, fit$data$levels)
  }
  if (identical(fit$data$kind, "proportion")) {
    trials <- trials %||% trials_as_weights(fit, plain)
    observed <- successes_of_proportions(observed, trials)
  }
  list(y = as.double(observed), trials = trials %||% 1)
}

# Observations by the formula of the fit, where none are given.
observed_in <- function(newdata, fit, observed) {
  if (is.null(observed)) {
    check_columns_present(all.vars(fit$formula[[2L]]), newdata, "newdata", environment(fit$formula))
    observed <- in_data("the response", eval(response_call(fit), newdata,
      environment(fit$formula)))
  } else if (is.character(observed) && length(observed) == 1L) {
    check_columns_present(observed, newdata, "newdata")
    observed <- newdata[[observed]]
  }
  observed <- plain_column(observed)
  if (!is.atomic(observed)) {
    abort_argument("observed", "the observations of `newdata`, or the name of their column",
      observed)
  }
  if (NROW(observed) != nrow(newdata)) {
    abort_neargp("length", sprintf("There are %d observed values for the %d rows of `newdata`.",
      NROW(observed), nrow(newdata)))
  }
  observed
}

# The fit's numbers of trials, its `weights`, in the columns of `newdata`.
trials_as_weights <- function(fit, newdata) {
  expression <- fit$call$weights
  if (!all(all.vars(expression) %in% names(newdata))) {
    abort_neargp("argument",
      c("The response of the fit is a proportion: give the numbers of `trials` of `newdata`.",
        i = sprintf("They are in `weights = %s` of the fit, of which `newdata` lacks a column.",
          paste(deparse(expression), collapse = " "))))
  }
  evaluated_weights(expression, newdata, environment(fit$formula))
}

successes_of_proportions <- function(observed, trials) {
  rows <- no_proportions(observed, rep_len(trials, length(observed)))
  if (length(rows)) {
    abort_neargp("response",
      sprintf("Observed proportions times `trials` are not whole numbers in %s.", format_rows(rows)))
  }
  round(observed * trials)
}

# Weights of new rows: those given, or the fit's own argument in the columns of `newdata`. Where its
# weights were numbers of trials there are none.
new_weights <- function(fit, newdata, weights) {
  plain <- drop_geometry(with_fitted_columns(fit, newdata))
  expression <- fit$call$weights
  if (is.null(weights) && (is.null(expression) || identical(fit$data$kind, "proportion"))) return(1)
  if (is.null(weights) && !any(all.vars(expression) %in% names(plain))) {
    inform_neargp("weights",
      c(sprintf("`weights = %s` is not in `newdata`: its observations are scored with weight 1.",
        paste(deparse(expression), collapse = " ")),
        i = "Give `weights`, the name of their column or numbers."))
    return(1)
  }
  weights <- weights %||% evaluated_weights(expression, plain, environment(fit$formula))
  if (is.character(weights) && length(weights) == 1L) {
    check_columns_present(weights, plain, "newdata")
    weights <- plain[[weights]]
  }
  weights <- plain_column(weights)
  if (!is_bare_number(weights) || !length(weights) %in% c(1L, nrow(plain)) ||
      any(weights <= 0 | is.infinite(weights), na.rm = TRUE)) {
    abort_neargp("weights",
      sprintf("`weights` must be positive, finite numbers, one for each of the %s rows of `newdata`.",
        format_count(nrow(plain))))
  }
  as.double(weights)
}

# w / mean(w) has another mean among new rows.
evaluated_weights <- function(expression, data, environment) {
  weights_of <- function(data) in_data("weights", eval(expression, data, environment)) %||% 1
  weights <- weights_of(data)
  alone <- if (nrow(data) > 1L && is.numeric(weights)) tryCatch(
    weights_of(data[1L, , drop = FALSE]), error = function(e) NULL)
  if (!is.null(alone) && !isTRUE(all.equal(weights[1L], alone[1L]))) {
    abort_neargp("weights",
      c(sprintf("`weights = %s` of a row depends on the other rows, so that new rows have others than those of the fit.",
        paste(deparse(expression), collapse = " ")),
        i = "Give `weights`, the name of their column or numbers."))
  }
  weights
}

# 1 for the second level of the fit.
class_indicator <- function(observed, levels) {
  check_known_levels(observed, levels)
  as.double(as.character(observed) == levels[2L])
}

category_number <- function(observed, levels) {
  check_known_levels(observed, levels)
  as.double(match(as.character(observed), levels))
}

check_known_levels <- function(observed, levels) {
  unknown <- setdiff(as.character(observed), c(levels, NA))
  if (length(unknown)) {
    abort_neargp("factor_level",
      c(sprintf("Observed values are not of the classes of the fit: %s.", format_some(unknown)),
        i = if (length(levels)) paste0("These are ", format_some(levels), ".") else
        "Its response is numeric."))
  }
}
