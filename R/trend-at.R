# The trend at covariates of new rows, which need no locations: what packages of marginal means and
# effects ask for.

# Linear predictor of the trend, offset included, and its variance, on the scale of the link.
trend_at <- function(object, newdata) {
  object <- without_groups(object)
  check_trend_columns(object, newdata)
  design <- newdata_design(object, drop_geometry(with_fitted_columns(object, newdata)))
  moments_of_trend(object, design$X, design$offset)
}

check_trend_columns <- function(object, newdata) {
  wanted <- c(all.vars(stats::delete.response(object$terms)), all.vars(object$offset_argument))
  missing <- setdiff(intersect(wanted, object$required_columns), names(newdata))
  if (!length(missing)) return(invisible())
  abort_neargp("newdata", sprintf("The data lack columns that the trend needs: %s.",
    format_some(missing)))
}

# One response, whose trend is a linear predictor with a covariance matrix.
check_one_trend <- function(object, what) {
  check_one_response(object, what)
  if (!is.null(object$deep)) stats::vcov(object)  # an error, which says why
}

# Other packages code the columns of the formula again, and need the coefficients of all of them.
check_whole_trend <- function(object, what) {
  check_one_trend(object, what)
  if (!length(object$fixed_trend)) return(invisible())
  abort_neargp("argument", c(sprintf("%s does not support fixed coefficients of the trend.", what),
    i = "Use predict(fit, type = \"trend\"), or fit with an offset."))
}

check_one_response <- function(object, what) {
  check_fit(object)
  if (inherits(object, "neargp_classifier")) {
    abort_for_classes(what, "predict() returns the probabilities of classes.")
  }
  refuse_outputs(object, what,
    "coef(), vcov() and emmeans::emmeans() return the trends of all responses.")
}
