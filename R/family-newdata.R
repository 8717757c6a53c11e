# The covariates of family parameters (R/family-rows.R) at new observations.

# Matrices by parameter, for complete rows of newdata (`plain`, without geometry).
new_parameter_columns <- function(object, plain, raw) {
  models <- object$data$parameter_models
  if (!nrow(plain)) return(reference_columns(models, 0L))
  Map(function(model, name) {
    new_row_columns(model$recipe, object, plain, raw,
      sprintf("The parameter `%s` of new observations", name),
      "type = \"link\" predicts the linear predictor, which does not need it.")
  }, models, names(models))
}

# Moments of targets with the covariates of parameters. The mean is NA where a covariate is missing.
# Predictions of the field need no covariates.
with_parameters_of_targets <- function(moments, target, settings, models) {
  if (is.null(models)) return(moments)
  if (!wants_noise(settings)) {
    moments$parameter_columns <- reference_columns(models, length(target$complete))
    return(moments)
  }
  moments$parameter_columns <- lapply(target$new_parameter_columns(), function(columns) {
    all <- matrix(NA_real_, length(target$complete), ncol(columns))
    all[target$complete, ] <- columns
    all
  })
  moments$mean <- where_known(moments$mean, moments$parameter_columns)
  if (!is.null(moments$components)) moments$components[is.na(moments$mean), ] <- NA_real_
  moments
}

# Means of the linear predictor, NA in rows with a missing covariate of a parameter.
where_known <- function(mean, columns) {
  known <- lapply(columns, stats::complete.cases)
  replace(mean, !Reduce(`&`, known, rep(TRUE, length(mean))), NA_real_)
}

# The matrices by parameter of new rows whose observations are scored. NULL if no parameter depends
# on covariates.
scored_columns <- function(object, newdata) {
  if (is.null(object$data$parameter_models)) return(NULL)
  if (is_raster(newdata) || is_stars(newdata)) {
    refuse_family_formulas("in scores() of grids", "Use the cells as a data frame.")
  }
  newdata <- with_fitted_columns(object, newdata)
  new_parameter_columns(object, drop_geometry(newdata), newdata_coordinates(object, newdata))
}
