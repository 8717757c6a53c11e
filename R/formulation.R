# From the arguments of neargp() to the problem that its method solves. The stages are the rows, the
# settings that depend on response and rows, the model in numbers, and the locations.

# The arguments of neargp() that the stages below read. `by_row`: the arguments that are evaluated
# in the data, as quosures.
new_formulation <- function(formula, coords, time, distance, crs, covariance, nugget, transform,
                            support, na.action, by_row) {
  if (!is.null(support)) {
    check_class(support, "support", "neargp_support", "made by block_support()")
  }
  if (!is.null(covariance)) check_covariance(covariance)
  new_state("neargp_formulation", formula = formula,
    coords = columns_argument(coords, "coords", "~ x + y"),
    time = columns_argument(time, "time", "~ day"), distance = distance, crs = crs,
    covariance = covariance, nugget = nugget, transform = transform, support = support,
    na.action = na.action, by_row = by_row, features = NULL,
    replicates = NULL,       # the factors of with_replicates()
    family_formulas = NULL)  # of the family's parameters, see family_formula()
}

has_measurement_variance <- function(given) {
  !rlang::quo_is_null(given$by_row$measurement_variance)
}

check_settings <- function(formula, data, method, covariance, family, nugget, control, device,
                           threads, verbose, prior = NULL) {
  if (!rlang::is_formula(formula) || length(formula) != 3L) {
    abort_argument("formula", "a two-sided formula, response ~ trend", formula)
  }
  if (!is.data.frame(data)) {
    abort_neargp("argument",
      c(sprintf("`data` must be an sf object or a data frame, not %s.", describe_value(data)),
        i = spatial_hint(data)))
  }
  if (nrow(data) == 0L) abort_neargp("empty", "`data` is empty: it must include at least one row.")
  check_column_names(data, "data")
  check_unique_columns(names(data), data, "data")
  family_open <- is.null(family)
  method_open <- is.null(method)
  family <- as_family(family %||% stats::gaussian())
  method <- method %||% default_method(family)
  check_method(method)
  check_class(control, "control", "neargp_control", "made by neargp_control()")
  settings <- new_settings(method, check_family(family, method), control, method_open = method_open,
    family_open = family_open, covariance = covariance, nugget = check_nugget(nugget),
    device = resolve_device(device, has_ability(method, "dense_matrices") &&
      !has_ability(method, "device_objective", family)),
    context = plain_context(threads), verbose = check_flag(verbose, "verbose"), prior = prior)
  check_precision(settings)
  settings
}

# ---- rows ----------------------------------------------------------------------------------------

data_as_rows <- function(data, given) {
  areas_of_grid(plain_columns(data), given$support, names_of_formulation(given))
}

# `data`: the rows, or the first chunk of the `source`, NULL where there is none. Some sources are
# read in each evaluation: then `stream` holds the result of the first pass, and `data` and `frame`
# are a sample.
read_rows <- function(data, source, given, settings) {
  kept <- NULL
  if (!is.null(source) && has_ability(settings$method, "keep_rows", settings$family)) {
    kept <- rows_of_source(source, settings,
      unclass(given)[c("formula", "coords", "time", "covariance", "nugget", "by_row")])
    data <- kept$rows
    source <- NULL
  }
  check_column_classes(named_columns(given, data), data, "data")
  check_prior(settings, source)
  check_family_formulas(settings, source)
  check_local_fields(settings, source, data)
  if (is.null(given$features)) {
    check_coords_given(given$coords, given$time, data, given$formula, given$covariance)
  }
  locations <- new_locations(data, given$coords, given$time, given$distance, given$crs,
    names_beside_coords(given), given$replicates)
  if (has_no_process(given$covariance)) locations <- with_rows_apart(locations)
  areal <- new_areal_data(data, given$support, given$formula, locations)
  arguments <- c(given$by_row, list(na.action = given$na.action,
    local = c(row_formulas(given$covariance, given$nugget), given$family_formulas),
    features = given$features$names, areal = !is.null(areal)))
  stream <- if (!is.null(source)) {
    check_noise_model(settings, has_measurement_variance(given), source)
    first_pass_for(settings, source, arguments, given$formula, locations)
  }
  data <- stream$sample %||% areal$data %||% data
  frame <- new_model_frame(arguments, given$formula, data, locations, settings$family)
  if (!is.null(kept) && is.null(given$na.action)) check_none_missing(frame, kept$given)
  new_state("neargp_rows", source = source, stream = stream, data = data, areal = areal,
    locations = locations, features = given$features, frame = frame)
}

# Columns that `coords = ~ .` leaves out.
names_beside_coords <- function(given) {
  c(all.vars(given$formula[[2L]]), all.vars(rlang::quo_get_expr(given$by_row$weights)),
    all.vars(rlang::quo_get_expr(given$by_row$measurement_variance)))
}

# ---- settings ------------------------------------------------------------------------------------

# Observations at one location remain separate with a noise model or random effects.
counts_locations <- function(given) {
  !is_noise_formula(given$nugget) && !has_measurement_variance(given) &&
    !formula_has_effects(given$formula) && !has_local_fields(given$covariance) &&
    is.null(given$features)
}

settings_by_response <- function(settings, rows, given) {
  check_classes_take_effects(settings, rows$frame, given$formula)
  settings <- choose_by_response(settings, rows$frame, counts_locations(given),
    if (is.null(given$features)) exact_rows else most_feature_rows[["gaussian"]])
  inform_family(settings, rows$frame, given$transform)
  check_takes_effects(settings, given$formula, rows$source)
  if (!is.null(rows$areal)) {
    check_areal(settings, rows$areal, given$formula, rows$locations, given$transform)
    settings$device <- "cpu"
  }
  settings$family <- with_categories(settings$family, rows$frame)
  check_can_fix(settings, rows)
  settings$family <- with_fixed_family(settings$family, settings$fixed)
  settings$family <- with_transform(settings, given$transform, rows$frame)
  check_local_family(settings)
  check_features_possible(settings, rows)
  check_linear_possible(settings, rows)
  check_none_possible(settings, rows, has_kink = has_mark(settings$family, "kink"))
  check_prior_family(settings)
  check_noise_model(settings, has_measurement_variance(given), rows$source)
  settings
}

settings_by_rows <- function(settings, rows, data) {
  settings$method <- with_k(settings$method, data, settings$family, settings$covariance)
  settings <- with_shards(settings, data, rows$stream$rows %||% count_sharded(settings, data))
  settings$default_covariance <- is.null(settings$covariance)
  settings$covariance <- settle_covariance(settings, data, rows$locations, !is.null(rows$stream))
  settings$covariance <- settle_zonal(settings, rows, data)
  settings$covariance <- settle_periodic(settings, rows, data)
  check_dimensions(settings$covariance, rows$locations)
  settings$method <- with_feature_neighbors(settings$method, settings$covariance, data)
  settings$method <- with_default_estimation(settings$method, data, settings$covariance)
  if (!has_no_process(settings$covariance)) inform_k(settings$method)
  settings$method <- settle_ordering(settings$method, settings$covariance)
  if (!is.null(rows$areal)) check_areal_covariance(settings, data)
  settings
}

# A default covariance of features uses the coordinates as predictors.
rows_by_covariance <- function(rows, settings) {
  if (!has_features(settings$covariance) || !is.null(rows$features)) return(rows)
  rows$features <- list(names = rows$locations$raw_names)
  rows$locations <- no_locations()
  rows$frame[["(locations)"]] <- matrix(0, nrow(rows$frame), 1L)
  rows$frame[["(local_rows)"]] <- match(row.names(rows$frame), row.names(drop_geometry(rows$data)))
  rows
}

# ---- the model in numbers ------------------------------------------------------------------------

new_model <- function(rows, given, settings) {
  model <- in_sample(rows$stream, new_model_data(rows$frame, given$formula, settings))
  model$time_kinds <- fitted_kinds(model$time_kinds, rows$data, given)
  if (!is.null(rows$areal)) {
    model <- with_areal_trend(model, rows$frame, rows$areal)
  }
  model <- with_fixed_trend(model, settings, !is.null(rows$stream))
  model$data$noise <- noise_of_frame(given$nugget, rows$frame, rows$data, rows$locations)
  check_noise_outputs(model$data$noise, model$data)
  model$data$parameter_models <- parameter_models_of_frame(settings$family, rows$frame, rows$data,
    rows$locations)
  model$data$coords <- embed_coordinates(model$data$coords, rows$locations)
  model
}

# ---- what the covariance and areas add to coordinates --------------------------------------------

complete_locations <- function(rows, covariance, data) {
  if (!is.null(rows$areal)) {
    return(with_support(rows$locations, rows$areal, rows$frame[["(areal_rows)"]]))
  }
  locations <- rows$locations
  if (has_linear(covariance)) {
    locations <- describe_embedding(with_linear_recipe(locations, data$coords))
  }
  if (!is.null(rows$features)) {
    locations <- with_features(locations, rows$features, complete_rows_of(rows), covariance)
  }
  if (!has_local_fields(covariance)) return(locations)
  with_local_fields(locations, covariance, rows$data, rows$frame[["(local_rows)"]],
    rows$frame[["(locations)"]], attr(rows$frame, "row.names"), !is.null(data$output))
}

# `coords` of the rows without it, by complete locations.
complete_coordinates <- function(coords, rows, locations) {
  frame <- rows$frame
  if (!is.null(rows$areal)) {
    return(support_of_rows(coords, rows$areal, frame[["(areal_rows)"]], locations))
  }
  if (is.null(locations$local) && !has_made_blocks(locations)) return(coords)
  embed_coordinates(frame[["(locations)"]], locations,
    data = if (!is.null(frame[["(local_rows)"]])) complete_rows_of(rows))
}

# The rows of the data that have all covariates and predictors of the covariance.
complete_rows_of <- function(rows) {
  drop_geometry(rows$data)[rows$frame[["(local_rows)"]], , drop = FALSE]
}
