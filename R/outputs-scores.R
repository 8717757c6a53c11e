# Scores of several responses: a row for each, and one for their joint distribution at each
# location.

#' @rdname scores
#' @section Several responses: The result contains a row for each response, named in the column
#' `output`. With `newdata`, a row `(joint)` adds the mean negative log density of all known
#' responses of a location. `observed` is then a matrix with a column for each response.
#' @export
scores.neargp_outputs <- function(object, newdata = NULL, observed = NULL, weights = NULL,
                                  level = 0.95, na.rm = FALSE, leave_out = NULL, ...) {
  check_fit(object)
  check_level(level)
  if (is.null(newdata)) {
    if (!is.null(observed)) {
      abort_argument("observed", "NULL without newdata: the training rows are scored", observed)
    }
    check_no_more_arguments()
    check_leave_one_out(object)
    unit <- unit_left_out(object, leave_out)
    return(structure(left_out_outputs(object, level, na.rm, leave_out), left_out = unit))
  }
  check_for_left_out(leave_out)
  check_scored_predictions(...names())
  observed <- new_observations(object, newdata, observed)$y
  weights <- scored_weights(object, newdata, new_weights(object, newdata, weights))
  predicted <- predict(object, newdata, type = "link", verbose = FALSE, covariance = TRUE, ...)
  scores_of_places(object, observed, unclass(predicted), rep_len(weights, nrow(observed)), level,
    na.rm)
}

left_out_outputs <- function(object, level, na.rm, leave_out) {
  left <- left_out(object$method, object, leave_out = leave_out)
  scores_of_outputs(object, function(p) {
    scores_of_left_out(object, left, level, na.rm, which(object$data$output == p))
  })
}

# `observed`: a row for each location, a column for each output.
scores_of_places <- function(object, observed, predicted, weights, level, na.rm) {
  predicted <- weigh_outputs(predicted, object, weights)
  column <- function(name, p) predicted[[paste0(name, object$outputs[p])]]
  table <- scores_of_outputs(object, function(p) scores(observed[, p], mean = column("mean_", p),
    sd = column("sd_", p), level = level, na.rm = na.rm))
  mean <- do.call(cbind, lapply(seq_along(object$outputs), column, name = "mean_"))
  with_joint_row(table, joint_log_scores(observed, mean, attr(predicted, "covariance")))
}

# A row for each output p from score(p).
scores_of_outputs <- function(object, score) {
  parts <- lapply(seq_along(object$outputs), function(p) as.data.frame(score(p)))
  structure(cbind(output = object$outputs, do.call(rbind, parts)),
    class = c("neargp_scores", "data.frame"))
}

#' @export
new_observations.neargp_outputs <- function(fit, newdata, observed, trials) {
  list(y = check_observed_outputs(fit, newdata, observed %||% newdata_outputs(fit, newdata)))
}

check_observed_outputs <- function(object, newdata, observed) {
  if (is.matrix(observed) && is.numeric(observed) && nrow(observed) == NROW(newdata) &&
      ncol(observed) == length(object$outputs)) {
    return(observed)
  }
  abort_neargp("length",
    sprintf("`observed` must be a numeric matrix with the %d rows of `newdata` and %d columns, one for each response.",
      NROW(newdata), length(object$outputs)))
}

# `joint`: minus the log density of the outputs that are known at each location.
with_joint_row <- function(table, joint) {
  table[nrow(table) + 1L, ] <- NA
  table$output[nrow(table)] <- "(joint)"
  table[nrow(table), c("n", "log_score", "n_missing")] <- list(sum(!is.na(joint)),
    mean(joint, na.rm = TRUE), sum(is.na(joint)))
  table
}

# Predictions of the field as those of observations with these weights.
weigh_outputs <- function(predicted, object, weights) {
  for (p in seq_along(object$outputs)) {
    name <- paste0("sd_", object$outputs[p])
    noise <- object$nugget[[p]] / weights
    predicted[[name]] <- sqrt(predicted[[name]]^2 + noise)
    attr(predicted, "covariance")[, p, p] <- attr(predicted, "covariance")[, p, p] + noise
  }
  predicted
}

newdata_outputs <- function(object, newdata) {
  check_newdata_class(newdata)
  plain <- drop_geometry(with_fitted_columns(object, newdata))
  response <- in_data("the formula",
    eval(response_call(object), plain, environment(object$formula)))
  if (!is.matrix(response)) {
    abort_neargp("newdata", "The response of the formula is not a matrix in `newdata`.")
  }
  response
}

# Minus the log density of the outputs known at each location; NA where none is.
joint_log_scores <- function(observed, mean, covariance) {
  vapply(seq_len(nrow(observed)), function(i) {
    known <- which(!is.na(observed[i, ]) & !is.na(mean[i, ]))
    if (!length(known)) return(NA_real_)
    joint_log_score(observed[i, known] - mean[i, known],
      matrix(covariance[i, known, known], length(known)))
  }, 0)
}

# An output without variance, as at a datum without noise, is scored by itself: infinite.
joint_log_score <- function(error, covariance) {
  certain <- diag(covariance) == 0
  open <- which(!certain)
  if (!length(open)) return(-sum(stats::dnorm(error, sd = 0, log = TRUE)))
  factor <- chol(covariance[open, open, drop = FALSE])
  z <- backsolve(factor, error[open], transpose = TRUE)
  0.5 * (length(open) * log(2 * pi) + sum(z^2)) + sum(log(diag(factor))) -
    sum(stats::dnorm(error[certain], sd = 0, log = TRUE))
}
