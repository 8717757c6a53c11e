# All code for marginaleffects. It shifts each coefficient, predicts again, and propagates the
# covariance matrix of the coefficients through the differences (the delta method). Predictions are
# those of the trend, with the process and the effects of groups at 0: the standard error of a
# process is no function of coefficients.

# marginaleffects refuses classes that are neither on its list nor in this option.
name_class_to_marginaleffects <- function() {
  known <- getOption("marginaleffects_model_classes")
  options(marginaleffects_model_classes = union(known, "neargp"))
}

#' @exportS3Method marginaleffects::get_coef
get_coef.neargp <- function(model, ...) {
  check_one_trend(model, "marginaleffects")
  if (!has_smooth_effects(model)) return(model$beta)
  trend <- full_trend(model)
  stats::setNames(trend$beta, trend$names)
}

#' @exportS3Method marginaleffects::get_vcov
get_vcov.neargp <- function(model, vcov = NULL, ...) {
  check_one_trend(model, "marginaleffects")
  if (isFALSE(vcov)) return(NULL)
  if (is.matrix(vcov)) return(vcov)
  check_own_vcov(if (!isTRUE(vcov)) vcov)
  if (!has_smooth_effects(model)) return(stats::vcov(model))
  trend <- full_trend(model)
  structure(trend$vcov, dimnames = list(trend$names, trend$names))
}

# The fit with another trend. Its process stays what it was, and is not part of the predictions.
#' @exportS3Method marginaleffects::set_coef
set_coef.neargp <- function(model, coefs, ...) {
  change <- unname(coefs) - unname(get_coef.neargp(model))
  own <- seq_along(model$beta)
  model$beta <- model$beta + change[own]
  trend <- core_trend(model)
  in_core <- c(own, length(own) + smooth_columns_of(model))[seq_along(change)]
  back <- model$data$basis$back
  if (!is.null(back) && length(own)) change[own] <- solve(back, change[own])
  trend$beta[in_core] <- trend$beta[in_core] + change
  if (!is.null(model$core_trend)) model$core_trend <- trend
  model
}

#' @exportS3Method marginaleffects::get_predict
get_predict.neargp <- function(model, newdata, type = "response", ...) {
  check_one_trend(model, "marginaleffects")
  type <- check_choice(type %||% "response", "type", c("response", "link"))
  eta <- trend_at(model, newdata)$mean
  estimate <- if (type == "link") eta else response_of_trend(model, eta)
  data.frame(rowid = newdata$rowid %||% seq_along(eta), estimate = unname(estimate))
}

# The mean of the response where the process is 0, and its median under a transform.
response_of_trend <- function(object, eta) {
  transform <- object$family$transform
  if (is.null(transform)) mean_at_predictor(object)(eta) else from_normal_scale(eta, transform)
}

# ---- coefficients of smooths ---------------------------------------------------------------------

# Whether coefficients of smooths are random effects, whose covariance with the trend counts.
has_smooth_effects <- function(object) {
  smooth <- vapply(object$effects, function(recipe) recipe$kind != "group", NA)
  if (!any(smooth)) return(FALSE)
  if (is_compressed(object$data)) {
    abort_neargp("method", c("marginaleffects does not support smooths together with this many groups.",
      i = "predict(type = \"trend\", re.form = NA) returns the trend with its standard error."))
  }
  TRUE
}

smooth_blocks <- function(object) {
  Filter(function(block) block$kind != "group", object$data$effects$blocks)
}

# Which columns of effects are those of smooths.
smooth_columns_of <- function(object) unlist(lapply(smooth_blocks(object), `[[`, "columns"))

names_of_smooth_columns <- function(object) {
  unlist(lapply(smooth_blocks(object), function(block) {
    paste0(block$label, ":", seq_along(block$columns))
  }))
}

# Coefficients of the trend in the user's columns, then those of smooths, their covariance matrix
# and names. R/trend-basis.R derives the map from the core's columns.
full_trend <- function(object) {
  trend <- uncertain_trend(object)
  own <- seq_along(object$beta)
  smooth <- smooth_columns_of(object)
  kept <- c(own, length(own) + smooth)
  map <- diag(length(kept))
  if (!is.null(object$data$basis$back)) map[own, own] <- object$data$basis$back
  vcov <- map %*% trend$beta_vcov[kept, kept] %*% t(map)
  list(beta = c(unname(object$beta), trend$beta[length(own) + smooth]), vcov = vcov,
    names = c(names(object$beta), names_of_smooth_columns(object)))
}
