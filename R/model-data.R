# The data of a model: the rows of its frame, and the response, transformed and checked for its
# family, with all that belongs to it.

new_model_data <- function(frame, formula, settings) {
  terms <- attr(frame, "terms")
  n <- nrow(frame)
  offset <- numeric_offset(frame)
  weights <- frame[["(weights)"]] %||% rep(1, n)
  response <- stats::model.response(frame)
  if (is.null(response)) {
    abort_neargp("formula",
      c("The formula lacks a response.", i = "Write it as response ~ trend, or response ~ 1."))
  }
  check_weights(weights, frame)
  check_limits_family(response, settings$family)
  several <- is_output_response(response, settings$family)
  if (several && formula_has_effects(formula)) refuse_effects("several responses")
  if (several) check_numeric_outputs(response)
  check_levels(frame, terms)
  design <- in_data("the formula", stats::model.matrix(terms, frame))
  if (several) {
    model_data <- outputs_model_data(frame, formula, weights)
    return(c(list(data = model_data), frame_settings(frame, design)))
  }
  effects <- model_effects(frame, formula)
  model_data <- list(
    X = cbind(strip_design(design), effects$data$X),
    offset = if (is.null(offset)) rep(0, n) else as.double(offset),
    weights = weights, coords = frame[["(locations)"]], response_name = deparse(formula[[2L]],
    width.cutoff = 500L)[1L]
  )
  response <- model_response(settings$method, response, settings$family, as.double(weights), frame)
  model_data[names(response)] <- response
  check_finite_data(model_data, frame)
  check_exposure(model_data$offset, settings$family)
  model_data <- transformed_data(model_data, settings$family, frame)
  model_data$weights <- as.double(model_data$weights)
  model_data$effects <- effects$data[c("Z", "blocks",
    if (isTRUE(effects$data$compressed)) "compressed")]
  check_trend_of(model_data, settings$family)
  check_effects(effects$recipes, model_data, settings)
  c(list(data = model_data, effects = effects$recipes), frame_settings(frame, design))
}

# The model frame of any number of rows: new_model_frame() without its checks.
rows_frame <- function(arguments, formula, data, locations, family) {
  plain <- drop_geometry(data)
  check_response_apart(formula, plain, locations)
  check_response_no_covariate(formula, plain, arguments$local)
  effects <- effect_terms(formula)
  check_bare_bars(formula[[length(formula)]], plain, environment(formula))
  check_effect_columns(effects, plain)
  used <- effect_variables(effects, plain)
  formula <- effects$trend
  coords <- raw_coordinates(data, locations)
  frame_call <- list(quote(stats::model.frame),
    formula = stats::terms(formula, data = without_effects_of(trend_columns(plain, locations),
      effects)), data = plain,
    locations = coords, drop.unused.levels = TRUE)
  for (name in c("weights", "offset", "subset", "measurement_variance")) {
    frame_call[[name]] <- plain_column(in_data(name, rlang::eval_tidy(arguments[[name]], plain),
      plain))
  }
  for (name in c("offset", "measurement_variance")) {
    frame_call[[name]] <- recycled(frame_call[[name]], plain)
  }
  check_measurement_variance_rows(frame_call$measurement_variance, plain)
  if (!is.null(arguments$local) || length(arguments$features)) {
    frame_call$local_rows <- local_rows(plain, arguments$local, coords, locations,
      arguments$features)
  }
  if (isTRUE(arguments$areal)) frame_call$areal_rows <- seq_len(nrow(plain))
  if (length(used)) frame_call$effect_rows <- complete_rows(plain, used)
  check_one_for_each_row(frame_call$weights, plain)
  several <- is_output_response(in_data("the formula",
    eval(formula[[2L]], plain, environment(formula)), data), family)
  frame_call$na.action <- if (several) quote(stats::na.pass) else arguments$na.action
  frame <- plain_columns(in_data("the formula", eval(as.call(frame_call), environment(formula)),
    data))
  if (length(used)) attr(frame, "effect_variables") <- plain[frame[["(effect_rows)"]], used,
    drop = FALSE]
  if (several) without_missing_places(with_safe_outputs(frame, formula, plain),
    arguments$na.action) else frame
}

# `arguments`: na.action, and weights, offset and subset as quosures. Quosures are evaluated in the
# data and then where neargp() was called from, so that `...` can hand them on.
new_model_frame <- function(arguments, formula, data, locations, family = stats::gaussian()) {
  frame <- rows_frame(arguments, formula, data, locations, family)
  if (nrow(frame) == 0L) {
    missing <- missing_everywhere(arguments, formula, data, locations, family)
    abort_neargp("empty", c("No rows are left to fit the model to.",
      x = if (length(missing)) sprintf("%s is missing or undefined in all rows.", missing[1L]) else
        sprintf("`data` has %s rows; subset and na.action removed all of them.",
          format_count(nrow(data)))))
  }
  check_two_rows(frame, data)
  frame
}

# The parts of a formula, or next to it, that leave no row: the names of columns without a value.
missing_everywhere <- function(arguments, formula, data, locations, family) {
  arguments$na.action <- stats::na.pass
  frame <- suppressWarnings(rows_frame(arguments, formula, data, locations, family))
  empty <- vapply(frame, function(column) {
    missing <- if (is.matrix(column)) rowSums(is.na(column)) > 0 else is.na(column)
    length(missing) > 0L && all(missing)
  }, NA)
  names <- names(frame)[empty]
  words <- c("(locations)" = "A coordinate", "(effect_rows)" = "A group or covariate of a smooth")
  ifelse(names %in% names(words), words[names], paste0("`", gsub("^[(]([a-z_]+)[)]$", "\\1", names),
    "`"))
}
