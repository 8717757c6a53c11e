# The work of one fold: its test rows, the rows that may be conditioned on, and the prediction of
# the former from the latter.

# The rows that each fold holds out and those that may be conditioned on. Rows without a fold are
# never held out.
fold_splits <- function(folds, fit) {
  buffer <- attr(folds, "buffer")
  splits <- lapply(splits_of(folds), function(split) {
    if (isTRUE(buffer > 0)) {
      split$kept <- split$kept[!within_buffer(fit, split$held, split$kept, buffer)]
    }
    if (length(split$kept) < 2L) {
      abort_neargp("folds",
        c(sprintf("Fewer than two rows are left to predict fold %s from.", split$fold),
          i = "Use a smaller `buffer`."))
    }
    split
  })
  inform_copies(splits, fold_location_index(fit))
  splits
}

# `index`: of the rows' locations, NULL where it is not known.
inform_copies <- function(splits, index) {
  if (is.null(index) || !anyDuplicated(index)) return(invisible())
  held <- lengths(lapply(splits, `[[`, "held"))
  copied <- vapply(splits, function(split) sum(index[split$held] %in% index[split$kept]), 0L)
  if (sum(copied) <= sum(held) / 2) return(invisible())
  inform_neargp("copies", c(
    sprintf("%s of %s held-out rows share their location with rows that predict them.",
      format_count(sum(copied)), format_count(sum(held))),
    x = "Their scores are those of further observations at known locations.",
    i = "Hold out whole locations to judge predictions at new ones: cross_validate(folds = \"location\")."))
}

# The splits of folds without a buffer, as fold_splits() returns them.
splits_of <- function(folds) {
  rows <- split(seq_along(folds), as.vector(folds))
  lapply(names(rows), function(fold) {
    list(fold = utils::type.convert(fold, as.is = TRUE), held = rows[[fold]],
      kept = attr(folds, "kept")[[fold]] %||% seq_along(folds)[-rows[[fold]]])
  })
}

within_buffer <- function(fit, held, kept, buffer) {
  coords <- input_places(fit$data, fit$locations)
  if (!is.null(fit$locations$time)) coords <- coords[, -ncol(coords), drop = FALSE]
  held_coords <- coords[held, , drop = FALSE]
  nearest <- drop(as.matrix(core_neighbors_to(held_coords, coords[kept, , drop = FALSE], 1L,
    plain_context())))
  sqrt(rowSums((coords[kept, , drop = FALSE] - held_coords[nearest, , drop = FALSE])^2)) < buffer
}

# The held-out rows of one fold, predicted as observations. Gaussian predictions are scored later
# from mean and sd. Those of other families are scored here, since their scores take quadrature.
# With several responses a fold consists of locations, and each response counts as a setting.
predict_split <- function(object, case, split, refit, level) {
  UseMethod("predict_split")
}

#' @export
predict_split.default <- function(object, case, split, refit, level) {
  rows <- rows_of_places(object$data, split$kept)
  fit <- if (refit) with_features_of(object, rows) else object
  known <- fit_without_fold(fit, split, refit)
  predict_held_out(known, fit, split, held_target(fit, split, known), case$arguments, level)
}

fit_without_fold <- function(fit, split, refit) {
  kept <- rows_of_places(fit$data, split$kept)
  context <- refit_context(fit, kept)
  known <- with_own_cache(if (refit) refit_rows(fit, kept, context) else
    restrict_rows(fit$method, fit, kept, context))
  # restrict_rows() fixes them where it finds the posterior of field and trend again
  known$layout$fixed <- fit$layout$fixed[match(known$layout$name, fit$layout$name)]
  if (refit && isFALSE(known$convergence$converged)) {
    warn_neargp("convergence", sprintf("The fit without fold %s did not converge: %s.", split$fold,
      known$convergence$message))
  }
  known
}

# Where `known`, the fit without the fold, predicts the held-out locations: at the features of its
# own network, if there is one.
held_target <- function(fit, split, known = fit) {
  take_places(training_target(with_fitted_network(fit, known$locations$network)), split$held)
}

# `known`: the fit without the fold; `at`: as of held_target().
predict_held_out <- function(known, fit, split, at, arguments, level) {
  held <- held_observations(known, fit, split, at, arguments)
  data <- held$data
  rows <- list(setting = fit$outputs[data$output], row = data$place %||% split$held,
    fold = split$fold, observed = observed_response(data))
  cbind(as.data.frame(Filter(length, rows)),
    held_columns(rows$observed, held$distribution, level))
}

# The `data` of the held-out rows, and the `distribution` of a new observation of each.
held_observations <- function(known, fit, split, at,
                              arguments = list(parameters = "plug-in")) {
  asked <- !is.null(arguments$parameters)
  if (is_integrated(arguments$parameters, fit) && (asked || has_posterior(known))) {
    return(held_integrated(known, fit, split, at, arguments))
  }
  arguments$parameters <- NULL
  data <- with_noise_of(known,
    take_data_rows(fit$data, rows_of_places(fit$data, split$held)))
  moments <- do.call(predict_latent, c(list(known), at, arguments))
  moments <- lapply(moments, take_rows, targets_of_rows(data, split$held))
  given <- predictive(known$method, known, moments, observed_at(data))
  list(data = data, distribution = given$observation)
}

# The posterior of the parameters is that of the rows that are kept.
held_integrated <- function(known, fit, split, at, arguments) {
  arguments$parameters <- "plug-in"
  held_by <- function(one) held_observations(one, fit, split, at, arguments)
  list(data = held_by(known)$data,
    distribution = integrated_distribution(known, plain_context(fit$threads),
      function(one) held_by(one)$distribution))
}

# The columns of the predictions of held-out rows.
held_columns <- function(observed, distribution, level) {
  UseMethod("held_columns", distribution)
}

#' @export
held_columns.default <- function(observed, distribution, level) {
  score_rows(observed, distribution, level)
}

#' @export
held_columns.neargp_normal <- function(observed, distribution, level) {
  as.data.frame(predictive_moments(distribution))
}

#' @export
held_columns.neargp_response_mixture <- function(observed, distribution, level) {
  scores <- score_rows(observed, distribution, level)
  if (has_components(distribution)) return(scores)
  cbind(scores, link_mean = distribution$mean, link_sd = distribution$sd,
    trials = distribution$trials)
}

# Mean and variance of the latent field at embedded coordinates.
predict_latent <- function(fit, coords, X, offset, k = NULL, local_mean = NULL, sectors = NULL,
                           threads = NULL, integrated = FALSE, maxdist = NULL) {
  settings <- predict_settings(fit, k, local_mean, sectors, threads, integrated = integrated)
  settings <- with_maxdist(settings, fit, maxdist)
  target <- list(coords = coords, X = X, offset = offset, complete = rep(TRUE, nrow(coords)))
  settings$context <- prediction_context(fit, nrow(coords), settings)
  chunked_moments(fit, target, settings)
}

# The fit with its covariance parameters, but with only these rows to condition on and to estimate
# the trend from.
restrict_rows <- function(method, fit, rows, context) {
  UseMethod("restrict_rows")
}

#' @export
restrict_rows.default <- function(method, fit, rows, context) {
  fit$data <- take_data_rows(fit$data, rows)
  with_fold_trend(fit, context)
}

# Estimates the trend from the rows that the fit holds now.
with_fold_trend <- function(fit, context) {
  tryCatch(check_rank(fit$data$X, NULL, fit$data$response_name),
    neargp_error_rank = function(error) abort_fold_trend(error))
  if (ncol(fit$data$X) == 0L && !has_effects(fit$data)) return(fit)
  trend <- with_natural_trend(trend_of_rows(fit, fit$data, context), fit$data)
  fit[names(trend)] <- trend
  fit
}

# The model fitted to these rows alone; the full fit lends its starting values only.
refit_rows <- function(fit, rows, context) refit_problem(fit, fold_problem(fit, rows, context))

# The same with all parameters fixed except those of trend and link, where the method's own
# optimiser finds these.
refit_trend <- function(fit, rows, context) {
  fit <- with_k_of_rows(fit, rows)
  refit_problem(fit, hold_parameters(fit, fold_problem(fit, rows, context)))
}

# No more neighbours than there are among these rows: the parameters are fixed, not those of a fit
# that is asked for.
with_k_of_rows <- function(fit, rows) {
  places <- max(location_index(fit$data$coords[rows, , drop = FALSE]))
  fit$method$k <- max(1L, min(fit$method$k, places - 1L))
  fit
}

# The problem of the posterior of field and trend given these rows, with the parameters and the
# chosen inducing points of the fit.
held_problem <- function(method, fit, rows, context) {
  UseMethod("held_problem")
}

#' @export
held_problem.default <- function(method, fit, rows, context) {
  if (!is.null(method$k)) fit <- with_k_of_rows(fit, rows)
  hold_parameters(fit, fold_problem(fit, rows, context))
}

hold_parameters <- function(fit, problem) {
  layout <- problem$layout
  held <- match(fit$parameters$name, layout$name)
  layout$value[held] <- to_core(fit$parameters$working, layout$transform[held])
  problem$fixed_by_user <- layout$fixed
  layout$fixed[] <- TRUE
  problem$layout <- layout_in_unit(layout, problem$data$basis$unit %||% 1)
  problem$free <- !layout$fixed
  problem
}

refit_problem <- function(fit, problem) {
  solved <- fit_problem(started_problem(problem))
  with_estimates(fit, solved$problem, solved$result)
}

fold_problem <- function(fit, rows, context) {
  data <- with_given_weights(take_data_rows(fit$data, rows))
  for (one in single_outputs(data)) check_fold_data(one, fit$family)
  # empty for latent models of responses that scatter by their family
  nugget <- fit$layout$value[fit$layout$kind == "nugget"]
  method <- on_responses(with_k(fit$method, data, fit$family))
  settings <- new_settings(method, fit$family, fit$control, context, fit$covariance,
    nugget = if (length(nugget) && !anyNA(nugget)) nugget, prior = fit$prior)
  settings["fixed"] <- list(fit$fixed)
  # Several responses go on from the fit's inducing points, one output begins with others.
  if (has_outputs(fit) && has_ability(method, "inducing_features")) fit$data <- data
  problem <- new_problem(data, fitted_locations(fit), settings, fit)
  check_k(method, length(rows))
  problem
}

# `data`: of one output.
check_fold_data <- function(data, family) {
  if (!length(data$y)) {
    abort_neargp("folds",
      c(sprintf("Without the rows of one of the folds no value is known of %s.",
        data$response_name),
        i = "Spread the rows in which it is known over the folds, or use refit = FALSE."))
  }
  tryCatch(check_trend_of(data, family),
    neargp_error_rank = function(error) abort_fold_trend(error))
}

abort_fold_trend <- function(error) {
  abort_neargp("rank", c("The trend cannot be estimated without the rows of one of the folds.",
    i = "A level of a factor that only this fold has does that, or a covariate that is constant outside it: choose other folds."),
    parent = error)
}

# The fit with what the method found for another problem of the same kind.
with_estimates <- function(fit, problem, result) {
  values <- to_core(result$working, problem$layout$transform)
  boundary <- at_bound(result$working, problem, result$information)
  estimates <- parameter_estimates(problem$layout, result$working, result$information, boundary,
    vanished_effects(result$working, problem))
  replaced <- list(data = with_noise_weights(problem$data, problem$layout, values),
    layout = problem$layout, parameters = estimates$table,
    covariance_vcov = estimates$vcov, interval_vcov = estimates$vcov_interval,
    information = result$information, nugget = nugget_unit(problem$data, problem$layout, values),
    core_covariance = as_core_covariance(problem$layout, problem$groups, values),
    beta = result$beta, beta_vcov = result$beta_vcov, core_trend = result$core_trend,
    convergence = result$convergence)
  fit[names(replaced)] <- replaced
  fit <- with_jitter_of(fit, result)
  complete_fit(fit$method, fit_of_response(fit$method, fit), result, problem$context)
}

# Completes a fit with the parts that depend on its response, before complete_fit() of the method.
fit_of_response <- function(method, fit) {
  UseMethod("fit_of_response")
}
