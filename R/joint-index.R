# predict_index() of responses that share fields: of each response, or of the product of presence
# and amount.

#' @export
index_model.neargp_joint <- function(object, newdata, given) {
  joint_index_model(object, newdata, given, given$outputs %||% object$outputs)
}

#' @export
index_model.neargp_joint_hurdle <- function(object, newdata, given) {
  if (!is.null(given$outputs)) {
    abort_argument("outputs", "NULL for a hurdle model, or the joint fit as `object`",
      given$outputs)
  }
  model <- joint_index_model(object$joint, newdata, given, object$joint$outputs)
  structure(model, class = c("neargp_joint_product", class(model)))
}

joint_index_model <- function(object, newdata, given, outputs) {
  check_choices(outputs, "outputs", object$outputs)
  check_grid_frame(newdata)
  object <- joint_for_effects_of(object, newdata, given$re_form, given$allow_new_levels,
    pooled = FALSE)
  fits <- parts_of(object)[outputs]
  for (fit in fits) {
    if (!is.null(fit$data$parameter_models)) {
      refuse_family_formulas("in indices of responses that share fields",
        "Fit the response alone, whose index supports them.")
    }
    check_predicts_areas(fit)
  }
  structure(list(fits = fits, joint = object), class = "neargp_joint_model")
}

#' @export
index_values.neargp_joint_model <- function(model, grid, rows, settings) {
  cells <- cells_of_model(model, grid, settings)
  of_part <- function(i) {
    expected_responses(model$fits[[i]], cells$mean[, i], cells$covariance[, i, i])
  }
  curves <- lapply(model$fits, response_curve)
  densities <- list(expected = lapply(seq_along(curves), of_part),
    draw = function(count) expected_of(curves, cells$draw(count)))
  values <- drawn_indices(densities, grid, rows, settings, cells$unknowns)
  weights <- diagonal_blocks(lapply(split(grid$area, grid$number), as.matrix))
  for (i in seq_along(values)) {
    if (!has_normal_response(model$fits[[i]])) next
    sd <- sqrt(cells$variances(i, weights))
    half <- stats::qnorm((1 + settings$level) / 2) * sd
    mean <- values[[i]]$mean
    values[[i]]$exact <- data.frame(mean = mean, sd = sd, lower = mean - half, upper = mean + half)
  }
  stats::setNames(values, names(model$fits))
}

#' @export
index_values.neargp_joint_product <- function(model, grid, rows, settings) {
  cells <- cells_of_model(model, grid, settings)
  curves <- lapply(model$fits, response_curve)
  densities <- list(expected = list(expected_product(model$fits, cells$mean, cells$covariance)),
    draw = function(count) list(Reduce(`*`, expected_of(curves, cells$draw(count)))))
  unname(drawn_indices(densities, grid, rows, settings, cells$unknowns))
}

cells_of_model <- function(model, grid, settings) {
  if (!is.null(settings$parameters)) {
    abort_argument("parameters",
      "NULL for responses that share fields, whose uncertainty always includes the parameters",
      settings$parameters)
  }
  targets <- lapply(model$fits, function(fit) {
    c(list(data = fit$data), target_of_grid(fit, grid)[c("coords", "X", "offset")])
  })
  cells <- joint_cells(model$joint, targets, settings)
  for (i in seq_along(model$fits)) {
    check_mean_exists(model$fits[[i]], response_curve(model$fits[[i]]),
      list(mean = cells$mean[, i]), "Joint draws need a response whose expected value exists.")
  }
  cells
}

expected_of <- function(curves, predictors) {
  Map(function(curve, eta) matrix(curve(eta), nrow(eta)), curves, predictors)
}

# The tables of all indices. Those of several responses are named.
joined_indices <- function(tables) {
  if (is.null(names(tables))) return(tables[[1L]])
  each <- Map(function(table, output) cbind(output = output, as.data.frame(unclass(table))), tables,
    names(tables))
  first <- tables[[1L]]
  structure(bind_tables(unname(each)), class = class(first), groups = c(attr(first, "groups"),
    "output"), level = attr(first, "level"), draws = do.call(rbind, lapply(unname(tables), attr,
    "draws")))
}
