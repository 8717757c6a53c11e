# What happens in one fold: which rows are held out, which may be conditioned on, and the prediction of the former from the latter.

resolve_folds <- function(folds, fit) {
  n <- length(fit$data$y)
  if (identical(folds, "blocked")) return(block_folds(fit))
  if (is.numeric(folds) && length(folds) == 1L) return(random_folds(n, folds))
  if (!is.atomic(folds) || length(folds) != n || all(is.na(folds))) {
    abort_neargp("folds", c(
      sprintf("`folds` must be a number of folds, \"blocked\", or one value for each of the %s rows that were fitted.", format_count(n)),
      x = if (length(folds) == n) "All its values are missing." else sprintf("It is %s.", describe_value(folds)),
      i = if (fit$n_dropped > 0) sprintf("%s rows of the data were dropped by `na.action` before the fit.", format_count(fit$n_dropped))
    ))
  }
  if (length(unique(folds)) < 2L) abort_neargp("folds", "All rows are in the same fold: nothing would be left to predict from.")
  folds
}

# For each fold, the rows held out and those that may be conditioned on. Rows without a fold are never held out.
fold_splits <- function(folds, fit) {
  buffer <- attr(folds, "buffer")
  rows <- split(seq_along(folds), as.vector(folds))
  lapply(names(rows), function(fold) {
    held <- rows[[fold]]
    kept <- seq_along(folds)[-held]
    if (isTRUE(buffer > 0)) kept <- kept[!within_buffer(fit, held, kept, buffer)]
    if (length(kept) < 2L) {
      abort_neargp("folds", c(sprintf("Fewer than two rows are left to predict fold %s from.", fold), i = "Use a smaller `buffer`."))
    }
    list(fold = utils::type.convert(fold, as.is = TRUE), held = held, kept = kept)
  })
}

within_buffer <- function(fit, held, kept, buffer) {
  coords <- fit$data$coords
  if (!is.null(fit$locations$time)) coords <- coords[, -ncol(coords), drop = FALSE]
  held_coords <- coords[held, , drop = FALSE]
  nearest <- as.integer(core_neighbors_to(held_coords, coords[kept, , drop = FALSE], 1L, 1L))
  sqrt(rowSums((coords[kept, , drop = FALSE] - held_coords[nearest, , drop = FALSE])^2)) < buffer
}

# The held-out rows of one fold, predicted as observations.
predict_split <- function(case, split, refit) {
  fit <- case$fit
  data <- take_data_rows(fit$data, split$held)
  known <- if (refit) refit_rows(fit, split$kept) else restrict_rows(fit, split$kept)
  if (refit && isFALSE(known$convergence$converged)) {
    warn_neargp("convergence", sprintf("The fit without fold %s did not converge: %s.", split$fold, known$convergence$message))
  }
  moments <- do.call(predict_latent, c(list(known, data$coords, data$X, data$offset), case$arguments))
  data.frame(row = split$held, fold = split$fold, observed = data$y, mean = moments$mean,
    sd = sqrt(moments$variance + known$nugget / data$weights))
}

# Mean and variance of the latent field at embedded coordinates.
predict_latent <- function(fit, coords, X, offset, k = NULL, local_mean = FALSE, sectors = 0L, threads = NULL) {
  settings <- predict_settings(fit, k, local_mean, sectors, threads)
  chunked_moments(fit, list(coords = coords, X = X, offset = offset, complete = rep(TRUE, nrow(coords))), settings)
}

# The fit with its parameters, but with only these rows to condition on.
restrict_rows <- function(fit, rows) {
  fit$data <- take_data_rows(fit$data, rows)
  fit
}

# The model fitted to these rows alone; the full fit lends its starting values only.
refit_rows <- function(fit, rows) {
  data <- take_data_rows(fit$data, rows)
  check_trend(data)
  nugget <- fit$layout$value[nrow(fit$layout)]
  settings <- list(method = fit$method, covariance = fit$covariance, nugget = if (!is.na(nugget)) nugget,
    control = fit$control, threads = fit$threads, verbose = FALSE)
  problem <- new_problem(data, fit$locations, settings, fit)
  check_k(fit$method, length(rows))
  problem <- with_start(problem$method, problem)
  result <- fit_method(fit$method, problem)
  values <- to_core(result$working, problem$layout$transform)
  fit$data <- data
  fit$core_covariance <- as_core_covariance(problem$layout, problem$groups, values)
  fit$nugget <- nugget_of(problem$layout, values)
  fit$beta <- result$beta
  fit$beta_vcov <- result$beta_vcov
  fit$convergence <- result$convergence
  fit
}
