# New rows with what a fit predicts of them, in the columns of broom.

# `said` of augment(): mean of the response, standard error and limits of that mean or limits of a
# new observation; and the residual, where the response is known.
augment_newdata <- function(x, newdata, se_fit, interval, conf.level) {
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "a data frame or sf points; predict() takes grids", newdata)
  }
  check_flag(se_fit, "se_fit")
  predicted <- drop_geometry(stats::predict(x, newdata, type = "response", interval = interval,
    level = check_level(conf.level, "conf.level")))
  said <- data.frame(.fitted = predicted$mean)
  if (se_fit) said$.se.fit <- standard_error_of_mean(x, newdata)
  if (!is.null(predicted$lower)) said[c(".lower", ".upper")] <- predicted[c("lower", "upper")]
  if (has_plain_response(x, newdata)) {
    said$.resid <- new_observations(x, newdata, NULL, NULL)$y - said$.fitted
  }
  beside_newdata(newdata, said)
}

standard_error_of_mean <- function(x, newdata) {
  if (x$family$link != "identity") {
    abort_neargp("argument", c("`se_fit` must be FALSE unless the link is the identity.",
      i = "predict(type = \"link\") has the standard error of the linear predictor."))
  }
  drop_geometry(stats::predict(x, newdata, type = "link"))$sd
}

# A response that is one number for each row, and not successes among trials.
has_plain_response <- function(x, newdata) {
  is.null(x$data$trials) && all(all.vars(x$formula[[2L]]) %in% names(newdata))
}

beside_newdata <- function(newdata, said) {
  columns <- if (inherits(newdata, "data.table")) as.data.frame(newdata) else newdata
  columns[names(said)] <- said
  if (inherits(newdata, "data.table")) in_class_of(columns, newdata) else columns
}
