# The noise of new observations, from their covariates and from the measurement variance in
# `newdata`.

# Weights of new rows as those of the fit are: nugget / v. `plain`: complete rows of newdata without
# geometry. `weights`: the user's. The result is NA where a covariate is.
new_noise_weights <- function(object, plain, raw, weights = 1) {
  noise <- object$data$noise
  layout <- object$layout
  values <- to_core(object$parameters$working, layout$transform)
  variance <- values[layout$kind == "nugget"] / rep_len(weights, nrow(plain))
  if (!is.null(noise$recipe) && nrow(plain)) {
    columns <- new_noise_columns(object, plain, raw)
    variance <- variance * exp(drop(columns %*% values[layout$kind == "noise"]))
  }
  if (!is.null(noise$known)) variance <- variance + new_measurement_variance(object, plain)
  object$nugget / variance
}

new_noise_columns <- function(object, plain, raw) {
  new_row_columns(object$data$noise$recipe, object, plain, raw, "The noise of new observations",
    "Use type = \"link\" for the process without noise.")
}

# The columns of a log-linear model of rows at complete rows of newdata. `what`: its name in
# messages.
new_row_columns <- function(recipe, object, plain, raw, what, hint) {
  table <- local_table(plain, raw, object$locations)
  missing <- setdiff(local_names(recipe, object$locations), names(table))
  if (length(missing)) {
    abort_neargp("newdata",
      c(sprintf("%s needs the %s %s, which `newdata` does not have.", what,
        if (length(missing) == 1L) "covariate" else "covariates", format_some(missing)),
        i = hint))
  }
  columns <- local_design(recipe, table)
  bad <- which(rowSums(is.infinite(columns)) > 0)
  if (length(bad)) {
    abort_neargp("missing_values",
      c(sprintf("%s needs covariates that are infinite in %s of `newdata`.", what,
        format_rows(bad)), i = "Replace them by NA to get NA predictions."))
  }
  columns
}

# The argument `measurement_variance` in the columns of newdata. Without these columns, new
# observations are taken as free of measurement error, with a message.
new_measurement_variance <- function(object, plain) {
  expression <- object$call$measurement_variance
  env <- environment(object$formula)
  # a variable that is no column is a number, or the rows of the fit, which say nothing of new ones
  names <- Filter(function(name) !name %in% names(plain) && length(get0(name, env)) != 1L,
    all.vars(expression))
  if (length(names)) {
    inform_neargp("noise",
      c(sprintf("`measurement_variance = %s` is not in `newdata`: its observations are taken as free of measurement error.",
        paste(deparse(expression), collapse = " ")),
        i = sprintf("Give newdata %s, 0 for observations without such an error.",
          format_some(names))))
    return(rep(0, nrow(plain)))
  }
  known <- in_data("measurement_variance",
    eval(expression, plain, env))
  if (!is_bare_number(known) || !length(known) %in% c(1L, nrow(plain)) ||
      any(known < 0 | is.infinite(known), na.rm = TRUE)) {
    abort_neargp("noise",
      sprintf("`measurement_variance` must be finite numbers of at least 0, one for each of the %s rows of `newdata`.",
        format_count(nrow(plain))))
  }
  rep_len(as.double(known), nrow(plain))
}

# Whether a prediction is of new observations, and not of the field or of the mean alone.
wants_noise <- function(settings) {
  settings$type != "link" || settings$interval == "prediction" ||
    (!is.null(settings$threshold) && settings$threshold_of == "observation")
}

# Moments of targets with the weights and family parameters of new observations there. The mean is
# NA where the noise or a parameter is not known.
with_noise_of_targets <- function(moments, target, settings, object) {
  moments <- with_parameters_of_targets(moments, target, settings, object$data$parameter_models)
  if (is.null(target$noise_weights) || !wants_noise(settings)) return(moments)
  weights <- rep(NA_real_, length(target$complete))
  weights[target$complete] <- target$noise_weights()
  moments$weights <- weights
  moments$mean[is.na(weights)] <- NA_real_
  moments
}

# The noise variance of new observations, one number or one for each complete row.
target_noise <- function(object, target) {
  object$nugget / (if (is.null(target$noise_weights)) 1 else target$noise_weights())
}

# Targets of draws of new observations.
with_noise_of_draws <- function(target, settings) {
  if (!is.null(target$noise_weights) && settings$noise) target$weights <- target$noise_weights()
  if (!is.null(target$new_parameter_columns) && settings$noise) {
    target$parameter_columns <- target$new_parameter_columns()
  }
  target
}

# Weights of new rows whose observations are scored.
scored_weights <- function(object, newdata, weights) {
  if (is.null(object$data$noise)) return(weights)
  if (is_raster(newdata) || is_stars(newdata)) {
    refuse_noise("in scores() of grids", "Use the cells as a data frame.")
  }
  newdata <- with_fitted_columns(object, newdata)
  new_noise_weights(object, drop_geometry(newdata), newdata_coordinates(object, newdata), weights)
}
