# Predictions at any new locations need these parts of a fit: the index of its rows, its data in the
# form of the core, factors. The first prediction computes them and keeps them for the next ones.
# They are not part of the fit: `fit$cache` is an external pointer under which the core keeps a
# value. The value is not written to files, not counted by object.size(), and not compared by
# identical(). It is freed with the last copy of the fit. A fit that was read from a file, or sent
# to another process, starts with an empty cache of its own.

# The value of `expr`, computed unless the cache contains it. A cache is valid only for the very fit
# that it was made for. All elements of the fit are compared, and all else that rounding depends on.
# The comparison of elements that are the same object costs nothing. Only complete values are kept:
# an interrupt leaves nothing.
cached <- function(object, name, context, expr) {
  state <- cache_state(object)
  if (is.null(state)) return(expr)
  slot <- if (is.null(context)) name else paste(name, context$device_module, context$blas)
  if (is.null(state[[slot]])) state[[slot]] <- expr
  state[[slot]]
}

# Gives `to` a value that its predecessor has kept under this name, where it is still right.
keep_in_cache <- function(to, name, value) {
  state <- cache_state(to)
  if (!is.null(state)) state[[name]] <- value
  invisible(to)
}

# NULL for a fit of a version without caches.
cache_state <- function(object) {
  if (is.null(object$cache)) return(NULL)
  # the namespace as well: loaded again, it has another core
  made_of <- list(object, core_simd(), topenv())
  state <- core_get_cache(object$cache)
  if (is.null(state) || !identical(state$made_of, made_of)) {
    state <- new.env(parent = emptyenv())
    state$made_of <- made_of
    core_set_cache(object$cache, state)
  }
  state
}

# The fit with a cache of its own, for a copy that is to predict without taking the place of what
# the fit has kept.
with_own_cache <- function(fit) {
  fit$cache <- core_new_cache()
  fit
}

# ---- what several methods keep -------------------------------------------------------------------

cached_kriging <- function(object, context) {
  cached(object, "kriging", context, {
    data <- conditioned_data(object)
    core_kriging(data$coords, response_columns(data), 1 / data$weights,
      as_specified(object$core_covariance), trend_nugget(object), data$output)
  })
}

# The factor of the covariance matrix of all rows.
cached_exact_kriging <- function(object, context) {
  data <- conditioned_data(object)
  cached(object, "exact_kriging", context, core_exact_kriging(data$coords,
    response_columns(data), 1 / data$weights, as_specified(object$core_covariance),
    trend_nugget(object), context, data$output))
}

# Nuggets of several responses are part of their covariance.
trend_nugget <- function(fit) if (is.null(fit$outputs)) fit$nugget else 0

cached_index <- function(object, context) {
  cached(object, "index", context, {
    component <- metric_component(object$core_covariance)
    core_index(conditioned_data(object)$coords, component, search_lags(component))
  })
}

# An index by distance where the nearest are those of the largest correlation.
cached_distance_index <- function(object, context) {
  component <- metric_component(object$core_covariance)
  if (is.null(component$field)) return(cached_index(object, context))
  cached(object, "distance_index", context, core_index(conditioned_data(object)$coords, component))
}

# Indices of several responses, one of each output's rows.
cached_output_indices <- function(object, context) {
  data <- conditioned_data(object)
  cached(object, "indices", context, lapply(rows_by_output(data), function(rows) {
    core_index(data$coords[rows, , drop = FALSE], metric_component(object$core_covariance))
  }))
}

# The factored prior of a fit on inducing points, and a posterior there, `at` one of several fields.
cached_prior <- function(object, positions, context, nugget = 0) {
  cached(object, "prior", context, core_inducing_prior(positions,
    as_specified(object$core_covariance), nugget, object$method$jitter, context))
}

cached_posterior <- function(object, at, context, field = 1L) {
  cached(object, paste0("posterior_", field), context, core_inducing_posterior(at$weights,
    at$factor))
}
