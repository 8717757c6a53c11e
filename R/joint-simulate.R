# Draws of responses that share fields: parameters, coefficients of the trends, the fields at their
# locations given these, the fields elsewhere given those, and responses. Linear predictors change
# with the parameters by their derivatives, as in joint-predict.R.

#' @importFrom stats simulate
#' @export
simulate.neargp_joint <- function(object, nsim = 1, seed = NULL, newdata = NULL, threads = NULL,
                                  re.form = NULL, allow.new.levels = FALSE, ...) {
  check_no_more_arguments()
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("simulate", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_parts(object, newdata)
  nsim <- check_count(nsim, "nsim")
  state <- seed_generator(seed)
  on.exit(state$restore())
  drawn <- drawn_predictors(object, nsim, newdata, threads, re.form, allow.new.levels)
  columns <- lapply(seq_along(object$outputs), function(m) {
    target <- drawn$targets[[m]]
    full <- matrix(NA_real_, length(target$complete), nsim)
    full[target$complete, ] <- response_draws(drawn$parts[[m]], target, drawn$eta[[m]], NULL)
    stats::setNames(as.data.frame(full), paste0("sim_", seq_len(nsim), "_", object$outputs[m]))
  })
  result <- if (is.null(newdata)) drawn_by_response(columns, object$outputs) else
    drawn_in_class_of(newdata, do.call(cbind, columns))
  structure(result, seed = state$seed)
}

# Responses are observed at rows of their own: a list with a data frame for each.
drawn_by_response <- function(columns, outputs) {
  structure(stats::setNames(columns, outputs), class = c("neargp_joint_draws", "list"))
}

# Like a data frame of draws, the list is printed without its attribute `seed`.
#' @export
print.neargp_joint_draws <- function(x, ...) {
  attr(x, "seed") <- NULL
  print(unclass(x), ...)
  invisible(x)
}

# Draws of the linear predictors, a matrix targets x draws for each response, with the parts and
# targets that they belong to.
drawn_predictors <- function(object, nsim, newdata, threads, re_form, allow_new_levels) {
  if (!is.null(newdata)) object <- joint_for_effects_of(object, newdata, re_form,
    allow_new_levels, pooled = FALSE)
  context <- plain_context(threads)
  parts <- parts_of(object)
  targets <- lapply(parts, function(part) if (is.null(newdata)) target_of_rows(part) else
    with_noise_of_draws(joint_target(part, newdata), list(noise = TRUE)))
  coords <- do.call(rbind, lapply(targets, `[[`, "coords"))
  place <- location_index(coords)
  drawn <- draw_fields(object, coords[!duplicated(place), , drop = FALSE], nsim, context)
  places <- split(place, rep(seq_along(targets), vapply(targets, function(x) nrow(x$coords), 0L)))
  eta <- lapply(seq_along(parts), function(m) predictor_draws(object, parts[[m]], targets[[m]],
    drawn, places[[as.character(m)]], context))
  list(parts = parts, targets = targets, eta = eta)
}

target_of_rows <- function(part) {
  data <- part$data
  points_as_target(part, list(coords = data$coords, X = full_design(data), offset = data$offset,
    weights = data$weights, complete = rep(TRUE, length(data$y)),
    parameter_columns = columns_of_rows(data)))
}

# Draws of the coefficients, of the parameters, and of each field at these locations given the
# coefficients. All responses see the same fields.
draw_fields <- function(object, coords, nsim, context) {
  trend <- object$core_trend
  betas <- trend$beta + normal_draws(trend$beta_vcov, nsim)
  noise <- core_latent_draws(cached_fields(object$known %||% object, context), nsim, order_key(),
    context)$field
  posterior <- object$posterior
  seen <- seq_len(ncol(posterior$field_response))
  nodes <- posterior$mean + noise - posterior$field_response %*% (betas - trend$beta)[seen, ,
    drop = FALSE]
  count <- nrow(posterior$coords)
  fields <- lapply(seq_along(structure_of_fields(object$structures)), function(field) {
    drawn_at(object, field, coords, nodes[(field - 1L) * count + seq_len(count), , drop = FALSE],
      context)
  })
  list(betas = betas, fields = fields, parameters = normal_draws(object$spread$covariance, nsim))
}

# A field at locations given its draws at the locations of the data.
drawn_at <- function(object, field, coords, nodes, context) {
  known <- match_locations(coords, object$posterior$coords)
  values <- nodes[known, , drop = FALSE]
  away <- which(is.na(known))
  if (!length(away)) return(values)
  settings <- new_prediction_settings(context, k = min(60L, nrow(nodes)))
  values[away, ] <- field_elsewhere(single_field(object,
    structure_of_fields(object$structures)[field]), coords[away, , drop = FALSE], nodes, settings)
  values
}

# Draws of the linear predictor of a response, targets x draws. `place`: of each target among the
# locations of the drawn fields. Areas are means of the draws at their points.
predictor_draws <- function(object, part, target, drawn, place, context) {
  columns <- part$joint$columns
  m <- part$joint$response
  design <- matrix(0, nrow(target$coords), length(object$core_trend$beta))
  design[, columns] <- design_columns(part$data, target$X)
  A <- core_loadings(object)
  eta <- base_mean(part$data, target$X, target$offset) + design %*% drawn$betas
  for (field in seq_len(ncol(A))) eta <- eta + A[m, field] * drawn$fields[[field]][place, ,
    drop = FALSE]
  if (nrow(drawn$parameters)) {
    fields <- fields_at(object, target$coords, predict_settings(part))
    eta <- eta + parameter_slopes(object, fields, design, m) %*% drawn$parameters
  }
  means_of_rows(eta, target$areas)
}

# A fit of one field of this structure, as field_elsewhere() reads it.
single_field <- function(object, structure) {
  covariance <- object$core_structures[[structure]]
  list(core_covariance = covariance, method = object$method,
    posterior = list(coords = object$posterior$coords,
      component = search_component(covariance, 1L)))
}
