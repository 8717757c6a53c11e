# Parameters of a response family that depend on covariates. With the link g, the parameter of row i
# is
#
#     g^-1(g(value) + z_i'gamma).
#
# `value` is a parameter of the layout like that of a family without covariates. Each gamma is a
# further row of it. Columns of z are like those of a model of the noise (R/noise.R). They are
# divided by their standard deviations and counted from their mean, or from 0 if they are 0 and 1.
# The data keep them as data$parameter_models, a list by parameter of `recipe` and `columns`, NULL
# in other fits. The core gets a column of parameters for each row, and returns a column of
# derivatives.

# The link of a parameter, by its transform in the layout.
parameter_transform <- function(name) if (name == "zi") "share" else "log"

# d log parameter / d g(parameter)
log_slope_of_link <- list(log = function(value) 1, share = function(value) 1 - value)

# The models of the rows of a model frame.
parameter_models_of_frame <- function(family, frame, data, locations) {
  formulas <- family$formulas
  if (is.null(formulas)) return(NULL)
  Map(function(formula, name) {
    new_row_model(formula, frame, data, locations, sprintf("`%s` of the family", name), "family")
  }, formulas, names(formulas))
}

columns_of_models <- function(models) lapply(models, `[[`, "columns")

# Columns for `count` rows with numbers at their mean and factors at their first level.
reference_columns <- function(models, count) {
  lapply(models, function(model) matrix(0, count, ncol(model$columns)))
}

# The names of the coefficients of a parameter.
slope_names <- function(name, model) paste0(name, ":", model$recipe$names)

# ---- values --------------------------------------------------------------------------------------

# `values`: of parameters, and of coefficients for one standard deviation, by name. Returns a list
# of parameters, those that depend on covariates with a value for each row of `columns`.
parameters_of_rows <- function(values, models, columns = columns_of_models(models)) {
  slopes <- unlist(Map(slope_names, names(models), models), use.names = FALSE)
  parameters <- as.list(values[!names(values) %in% slopes])
  for (name in names(models)) {
    transform <- parameter_transform(name)
    predictor <- to_working(values[[name]], transform) +
      drop(columns[[name]] %*% values[slope_names(name, models[[name]])])
    parameters[[name]] <- to_core(predictor, transform)
  }
  parameters
}

# The parameters as the core takes them. `values`: of the layout.
core_parameters <- function(family, layout, values, data) {
  own <- family_values(family, layout, values)
  if (is.null(data$parameter_models)) return(own)
  names(own) <- layout$name[of_family(family, layout)]
  by_datum(parameters_of_rows(own, data$parameter_models), length(data$y))
}

# A column of parameters for each of n rows.
by_datum <- function(parameters, n) {
  matrix(unlist(lapply(parameters, rep_len, n)), length(parameters), n, byrow = TRUE)
}

# Derivatives in the working parameters of the family, from those of the core in the logarithm of
# each row's parameters.
family_gradient <- function(found, family, layout, values, data) {
  if (is.null(data$parameter_models)) return(found)
  models <- data$parameter_models
  parameters <- core_parameters(family, layout, values, data)
  found <- matrix(found, nrow(parameters))
  names <- layout$name[of_family(family, layout)]
  gradient <- stats::setNames(double(length(names)), names)
  for (p in seq_len(nrow(parameters))) {
    name <- names[p]
    if (is.null(models[[name]])) {
      gradient[name] <- sum(found[p, ])
      next
    }
    by_row <- found[p, ] * log_slope_of_link[[parameter_transform(name)]](parameters[p, ])
    gradient[name] <- sum(by_row)
    gradient[slope_names(name, models[[name]])] <- crossprod(models[[name]]$columns, by_row)
  }
  unname(gradient)
}

# ---- the layout ----------------------------------------------------------------------------------

with_parameter_slopes <- function(layout, models) {
  for (name in names(models)) {
    layout$transform[layout$kind == "family" & layout$name == name] <- parameter_transform(name)
  }
  for (name in names(models)) {
    rows <- layout_rows(slope_names(name, models[[name]]), "family", "identity")
    rows$fixed <- FALSE
    layout <- with_further_rows(layout, rows, models[[name]]$recipe$scale)
  }
  layout
}

# ---- fits ----------------------------------------------------------------------------------------

# Parameters of the family on the natural scale: numbers by name, or a list with a value for each
# row where they depend on covariates. `at$parameter_columns`: these covariates.
response_parameters <- function(object, at = list()) {
  values <- object$family_parameters %||% c(variance = object$nugget)
  models <- object$data$parameter_models
  if (is.null(models)) return(values)
  if (is.null(at$parameter_columns)) {
    abort_neargp("family", c(
      sprintf("Parameters of %s depend on covariates, which are not known here: %s.",
        family_call(object$family), format_some(names(models))),
      i = "type = \"link\" predicts the linear predictor, which does not need them."))
  }
  for (name in names(models)) {
    own <- slope_names(name, models[[name]])
    values[own] <- values[own] * models[[name]]$recipe$scale
  }
  parameters_of_rows(values, models, at$parameter_columns)
}

# `parameter_columns` at rows of the data, NULL where there are none.
columns_of_rows <- function(data, rows = seq_along(data$y)) {
  models <- data$parameter_models
  if (!is.null(models)) lapply(columns_of_models(models), take_rows, rows)
}
