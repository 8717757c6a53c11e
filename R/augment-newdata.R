# New rows with what a fit predicts of them, in the columns of broom.

# Mean of the response, standard error and limits of that mean or limits of a new observation; and
# the residual, where the response is known. Several responses get a column each.
augment_newdata <- function(x, newdata, se_fit, interval, conf.level) {
  in_foreign_class(newdata, function(rows) augment_rows(x, rows, se_fit, interval, conf.level))
}

augment_rows <- function(x, newdata, se_fit, interval, conf.level) {
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "a data frame or sf points; predict() takes grids", newdata)
  }
  check_flag(se_fit, "se_fit")
  suffix <- output_suffix(x$outputs)
  of <- function(predicted, part) as.list(drop_geometry(predicted))[paste0(part, suffix)]
  predicted <- stats::predict(x, newdata, type = "response", interval = interval,
    level = check_level(conf.level, "conf.level"))
  parts <- list(.fitted = of(predicted, "mean"))
  if (se_fit) parts$.se.fit <- of(linear_predictor_of_mean(x, newdata), "sd")
  if (interval != "none") parts[c(".lower", ".upper")] <- list(of(predicted, "lower"),
    of(predicted, "upper"))
  if (has_plain_response(x, newdata)) {
    parts$.resid <- Map(`-`, responses_by_output(x, newdata), parts$.fitted)
  }
  columns <- unlist(parts, recursive = FALSE)
  beside_newdata(newdata, stats::setNames(columns, paste0(rep(names(parts), each = length(suffix)),
    suffix)))
}

# Observed responses of new rows, by output.
responses_by_output <- function(x, newdata) {
  if (is.null(x$outputs)) return(list(new_observations(x, newdata, NULL, NULL)$y))
  plain <- drop_geometry(with_fitted_columns(x, newdata))
  as.data.frame(eval(x$formula[[2L]], plain, environment(x$formula)))
}

# The mean where the link is the identity, with its standard error.
linear_predictor_of_mean <- function(x, newdata) {
  if (x$family$link != "identity") {
    abort_neargp("argument", c("`se_fit` must be FALSE unless the link is the identity.",
      i = "predict(type = \"link\") returns the standard error of the linear predictor."))
  }
  stats::predict(x, newdata, type = "link")
}

# A response that is one number for each row, and not successes among trials.
has_plain_response <- function(x, newdata) {
  is.null(x$data$trials) && all(all.vars(x$formula[[2L]]) %in% names(newdata))
}

beside_newdata <- function(newdata, columns) {
  table <- if (inherits(newdata, "data.table")) as.data.frame(newdata) else newdata
  table[names(columns)] <- columns
  if (inherits(newdata, "data.table")) in_class_of(table, newdata) else table
}
