# Predictions of responses that share fields. Let f be the fields at a location, with mean m and
# covariance matrix S given the posterior at their locations, and a the loadings of a response. The
# mean of its linear predictor is x'b + a'm and its variance a'Sa + d'Vd. The fields answer to the
# trend by H, which leaves d = x - H'a, and V is the covariance matrix of all trends. The
# uncertainty of the parameters adds D C D', where D are the derivatives of the mean in the
# parameters.

# The part of a response, with the joint fit that its field belongs to.
part_of <- function(object, output) {
  part <- object$parts[[output]]
  part$joint$of <- object
  part
}

#' @export
fit_details.neargp_shared_field <- function(method, fit) {
  c(Posterior = "of several responses that share fields (?joint_models)")
}

#' @export
predictor.neargp_shared_field <- function(method, object, settings) {
  check_latent_settings(method, settings)
  own <- object$joint
  function(coords, X, offset) {
    fields <- fields_at(own$of, coords, settings)
    at <- linear_predictors(own$of, fields, stats::setNames(list(list(data = object$data, X = X,
      offset = offset)), names(own$of$parts)[own$response]))
    list(mean = at$mean[, 1L], variance = at$covariance[, 1L, 1L])
  }
}

# The target of a part at newdata, or at the cells of a raster.
joint_target <- function(part, newdata, part_of_field = "field") {
  if (!is_raster(newdata)) return(new_target(part, newdata, part_of_field))
  if (part_of_field == "process") part <- without_trend(part)
  check_raster(part, newdata)
  raster_target(part, newdata, seq_len(terra::ncell(newdata)), part_of_field)
}

# The fields at locations, and the derivatives of their means in the parameters. All responses of a
# prediction ask for the same ones, which are kept until others are asked for.
fields_at <- function(object, coords, settings) {
  object <- object$known %||% object
  # those of a response would be as many as it has rows
  settings$k <- min(max(60L, 2L * object$k), nrow(object$posterior$coords))
  last <- cached(object, "last_fields", settings$context, new.env(parent = emptyenv()))
  asked <- list(coords, settings$k)
  if (!identical(last$asked, asked)) {
    last$fields <- new_fields_at(object, coords, settings)
    last$asked <- asked
  }
  last$fields
}

new_fields_at <- function(object, coords, settings) {
  object <- object$known %||% object
  pointer <- cached_fields(object, settings$context)
  posterior <- object$posterior
  index <- cached(object, "node_index", settings$context, core_index(posterior$coords,
    posterior$component, search_lags(posterior$component)))
  neighbors <- spread_neighbors(index, nrow(posterior$coords), coords, settings)
  at <- core_fields_predict(pointer, coords, neighbors, settings$context)
  at$slopes <- slopes_of_fields(object, function(working, mean) core_fields_means(pointer, coords,
    neighbors, specified_structures(object, working), mean, settings$context))
  at
}

# The derivatives of the means of the fields at locations in each of the parameters, by central
# differences. One-sided ones would be off by products of two steps. `means_at`: a function of
# parameters and means at the locations of the data. Means elsewhere are linear in these.
slopes_of_fields <- function(object, means_at) {
  working <- object$parameters$working
  mean <- object$posterior$mean
  moves_weights <- object$layout$kind != "loading" & !is.na(object$layout$component)
  lapply(object$spread$shifted, function(shift) {
    if (!any(moves_weights & shift$working != working)) {
      return(means_at(working, (shift$mean - mean) / shift$step))
    }
    (means_at(shift$working, shift$mean) -
      means_at(2 * working - shift$working, 2 * mean - shift$mean)) / (2 * shift$step)
  })
}

# The posterior of the fields behind a pointer, with a wider pattern where that can be had.
cached_fields <- function(object, context) {
  cached(object, "fields", context, restored_fields(object, context))
}

restored_fields <- function(object, context) {
  posterior <- object$posterior
  shared <- fitted_joint_problem(object, context)
  if (!is.null(object$kept)) shared <- with_some_places(shared, object$kept)
  latent <- joint_latent(shared, posterior)
  effects <- joint_effects(shared, to_core(shared$start, shared$layout$transform))
  if (shared$data$effects > 0L) core_latent_set_effects(latent, effects$columns)
  core_fields_restore(latent, specified_structures(object), core_loadings(object), posterior$mean,
    merged_coefficients(posterior$beta, shared$common), posterior$pseudo_precision,
    posterior$field_response, context)
  latent
}

# Those of the core, whose fields may have another sign.
core_loadings <- function(object) sweep(unname(all_loadings(object)), 2L, object$signs, "*")

specified_structures <- function(object, working = object$parameters$working) {
  groups <- joint_groups(object$structures, object$locations)
  lapply(seq_along(object$structures), function(j) {
    single <- structure_layout(object$layout, j)
    values <- to_core(working, object$layout$transform)[single$rows]
    specified_covariance(covariance_specification(single$layout, groups[[j]]), c(1, values, 0))
  })
}

# Means and covariances of the linear predictors of some responses at locations. `targets`: for each
# of these its data, and design and offset of the locations.
linear_predictors <- function(object, fields, targets) {
  predictor_moments(object, fields, predictor_parts(object, fields, targets))
}

# The linear predictor of each response: `m` is its number, and `unseen` holds the columns of the
# trend less the answer of the fields to them. `slopes` are derivatives in the parameters.
predictor_parts <- function(object, fields, targets) {
  A <- core_loadings(object)
  count <- nrow(fields$mean)
  responses <- match(names(targets), object$outputs)
  Map(function(target, m) {
    columns <- object$parts[[m]]$joint$columns
    design <- matrix(0, count, length(object$core_trend$beta))
    design[, columns] <- design_columns(target$data, target$X)
    list(m = m, mean = base_mean(target$data, target$X, target$offset) +
      drop(row_products(design, object$core_trend$beta)) + drop(fields$mean %*% A[m, ]),
    unseen = design - with_columns_of_new(field_answers(fields$response, A[m, ], count),
      ncol(design)),
    slopes = parameter_slopes(object, fields, design, m))
  }, targets, responses)
}

predictor_moments <- function(object, fields, parts) {
  A <- core_loadings(object)
  count <- nrow(fields$mean)
  covariance <- array(0, c(count, length(parts), length(parts)))
  for (p in seq_along(parts)) for (q in seq_len(p)) {
    covariance[, p, q] <- covariance[, q, p] <- covariance_of_predictors(object, fields, parts[[p]],
      parts[[q]], A)
  }
  list(mean = matrix(vapply(parts, `[[`, double(count), "mean"), count, length(parts)),
    covariance = covariance, responses = names(parts))
}

covariance_of_predictors <- function(object, fields, p, q, A) {
  of_fields <- drop(fields$covariance %*% as.vector(tcrossprod(A[p$m, ], A[q$m, ])))
  of_trend <- rowSums(row_products(p$unseen, object$core_trend$beta_vcov) * q$unseen)
  of_parameters <- if (ncol(p$slopes)) rowSums((p$slopes %*% object$spread$covariance) * q$slopes)
  of_fields + of_trend + (of_parameters %||% 0)
}

# a'H at each location, locations x coefficients.
field_answers <- function(response, a, count) {
  answers <- matrix(0, count, ncol(response))
  for (field in seq_along(a)) {
    answers <- answers + a[field] * response[(field - 1L) * count + seq_len(count), , drop = FALSE]
  }
  answers
}

# Derivatives of the linear predictor of response m in the parameters, a column for each. With
# fields f, loadings a and trend x'b they are `f'(da) + (df)'a + x'(db)`. Loadings are parameters
# themselves, and the answers of f and b to parameters are taken for linear.
parameter_slopes <- function(object, fields, design, m) {
  A <- core_loadings(object)
  slopes <- Map(function(shift, of_fields) {
    values <- to_core(shift$working, object$layout$transform)
    of_loadings <- (joint_loadings(object$layout, values, nrow(A))[m, ] - A[m, ]) / shift$step
    of_trend <- (shift$beta - object$core_trend$beta) / shift$step
    drop(fields$mean %*% of_loadings) + drop(of_fields %*% A[m, ]) +
      drop(row_products(design, of_trend))
  }, object$spread$shifted, fields$slopes)
  matrix(as.double(unlist(slopes)), nrow(design), length(slopes))
}
