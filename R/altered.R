# Checks of settings and fits, which are lists that users can change by hand. The core takes numbers
# as it gets them: a batch of no rows or a smoothness of 1e300 would end R.

# The function that makes a method checks its arguments: it is called with them once more. Returns
# what it makes.
check_method_settings <- function(method) {
  maker <- method_makers()[[method_name(method)]]
  given <- unclass(method)[intersect(names(formals(maker)), names(method))]
  # that of vnngp(), which fits on the field use
  if (is_on_field(method)) given$optimizer <- NULL
  if (!is.null(method$default_k)) check_count(method$default_k, "default_k")
  if (!is.null(maker)) invisible(do.call(maker, given))
}

# Fields that are no arguments follow from the others.
check_derived_settings <- function(method, made) {
  derived <- setdiff(names(made), names(formals(method_makers()[[method_name(method)]])))
  # a fit has come to need another one
  if (is_on_field(method) && isTRUE(method$jitter >= jitter_limits[["least"]]) &&
      method$jitter < jitter_limits[["usual"]]) {
    derived <- setdiff(derived, "jitter")
  }
  for (name in derived) {
    if (!identical(method[[name]], made[[name]])) {
      abort_argument(paste0("method$", name), sprintf("as %s makes it", method_call(method)),
        method[[name]])
    }
  }
}

method_makers <- function() {
  list(vecchia = vecchia, exact_gp = exact_gp, loo_k = loo_k, mll_k = mll_k, vnngp = vnngp,
    svgp = svgp, ppgpr = ppgpr, odvgp = odvgp, swsgp = swsgp, dspp = dspp, dgp = dgp)
}

# `components`: of settings, whose shape may be NULL, or of a fit.
check_shapes <- function(components) {
  for (component in components) {
    if (length(component$shape)) check_shape(component$shape, component$family)
  }
}

# Components of a covariance as its maker leaves them.
are_components <- function(components) {
  is_component <- function(x) {
    is_list(x) && rlang::is_string(x[["family"]]) &&
      all(vapply(x[c("start", "local", "space_time")], is_list, NA, or_null = TRUE))
  }
  is_list(components) && length(components) && all(vapply(components, is_component, NA))
}

is_list <- function(x, or_null = FALSE) is.list(x) || or_null && is.null(x)

check_components <- function(components) {
  if (!are_components(components)) {
    abort_neargp("argument", c("`covariance` is not as cov_matern() and its like make it.",
      i = "It has been altered: make it again."))
  }
  check_shapes(components)
  for (component in components) {
    check_variance(component[["variance"]], "variance")
    check_ranges(component[["range"]], "range", zonal = TRUE)
    check_flag(component[["ard"]] %||% FALSE, "ard")
    check_anisotropy(component[["anisotropy"]] %||% FALSE, "anisotropy")
  }
}

# ---- fits ----------------------------------------------------------------------------------------

# The kind of each element of a fit, and of elements of its lists. Those of `whole` are never NULL,
# `parts` are what a list holds.
is_number <- function(x) is.numeric(x) && length(x) == 1L
is_whole <- function(x) is_number(x) && isTRUE(abs(x) < .Machine$integer.max && x == round(x))
is_text <- function(x) is.character(x) && length(x) == 1L
is_matrix <- function(x) is.numeric(x) && is.matrix(x)
fit_elements <- list(
  kinds = list(
    call = list(is = is.call, of = c("formula", "terms")),
    list = list(is = is.list, of = c("xlevels", "time_kinds", "effects", "data", "locations",
      "method", "covariance", "prior", "family", "control", "layout", "parameters",
      "appended", "core_covariance", "core_trend", "bounds", "convergence", "conditioning", "source",
      "pseudo_observations", "classifier", "coregionalisation", "inducing", "posterior", "svgp",
      "predictive", "low_rank", "deep", "data$basis", "posterior$component",
      "pseudo_observations$data", "pseudo_observations$of_rows", "locations$local",
      "deep$prediction", "deep$inputs")),
    components = list(is = are_components, of = c("covariance$components",
      "core_covariance$components")),
    numbers = list(is = is.numeric, of = c("nugget", "beta", "family_parameters", "elapsed",
      "data$y", "data$offset", "data$weights", "parameters$estimate", "parameters$working",
      "bounds$lower", "bounds$upper",
      "posterior$mean", "posterior$variance", "posterior$variance_at_data",
      "posterior$variance_given_nodes", "pseudo_observations$bias", "core_trend$beta")),
    unknown = list(is = function(x) is.numeric(x) || all(is.na(x)),
      of = c("parameters$std_error", "layout$value", "layout$start")),
    matrix = list(is = is_matrix, of = c("covariance_vcov", "interval_vcov", "beta_vcov",
      "information", "data$X", "data$coords", "core_trend$beta_vcov", "posterior$coords")),
    number = list(is = is_number, of = "log_likelihood"),
    whole = list(is = is_whole, of = c("k", "threads", "n_given", "n_dropped")),
    text = list(is = is_text, of = c("score", "device", "chosen", "gpu", "family$family",
      "family$link", "locations$metric", "locations$unit", "locations$time",
      "locations$time_unit", "convergence$message")),
    texts = list(is = is.character, of = c("required_columns", "outputs", "layout$name",
      "layout$kind", "layout$transform", "parameters$name", "locations$names",
      "locations$raw_names", "locations$embedded_names")),
    flags = list(is = is.logical, of = c("layout$fixed", "parameters$fixed",
      "convergence$converged"))),
  whole = c("formula", "terms", "time_kinds", "data", "locations", "method", "covariance",
    "family", "layout", "parameters", "bounds", "convergence", "nugget", "beta", "log_likelihood",
    "n_dropped", "score", "device", "threads", "elapsed"),
  parts = list(data = "X", family = c("family", "link"), method = "label",
    locations = c("names", "metric"), core_covariance = "components",
    core_trend = c("beta", "beta_vcov"), elapsed = c("prepare", "fit", "total"),
    layout = c("name", "kind", "transform", "fixed"), parameters = c("name", "estimate"),
    bounds = c("lower", "upper"), convergence = c("converged", "message"),
    classifier = c("levels", "trend", "location_index"))
)

# An element, or one of a list, such as "layout$name"; what is no list is refused by itself.
fit_element <- function(fit, name) {
  path <- strsplit(name, "$", fixed = TRUE)[[1L]]
  value <- fit[[path[1L]]]
  if (length(path) == 1L) return(value)
  if (is.list(value) && path[2L] %in% names(value)) value[[path[2L]]]
}

check_fit_elements <- function(fit) {
  refuse <- function(name) {
    abort_argument(paste0("fit$", name), "as neargp() makes it", fit_element(fit, name))
  }
  for (kind in fit_elements$kinds) {
    for (name in kind$of) {
      value <- fit_element(fit, name)
      absent <- name %in% names(fit) && name %in% fit_elements$whole
      if (if (is.null(value)) absent else !kind$is(value)) refuse(name)
    }
  }
  for (name in names(fit_elements$parts)) {
    parts <- names(fit[[name]])
    if (!is.null(fit[[name]]) && !all(fit_elements$parts[[name]] %in% parts)) refuse(name)
  }
  if (is.null(fit$outputs) != is.null(fit$data$output)) refuse("outputs")
  check_fit_sizes(fit, refuse)
}

# All parts count the same columns of the trend; effects of groups follow those of the core's.
check_fit_sizes <- function(fit, refuse) {
  columns <- ncol(fit$data$X)
  of_core <- NROW(fit$core_trend$beta)
  if (NROW(fit$beta) != columns) refuse("beta")
  if (!is.null(fit$core_trend) && of_core < columns) refuse("core_trend$beta")
  # a single output of a fit keeps the matrix of all
  if (!is.null(fit$beta_vcov) && !all(dim(fit$beta_vcov) >= columns)) refuse("beta_vcov")
  # that of compressed effects is of the trend alone
  if (!is.null(fit$core_trend) && !all(dim(fit$core_trend$beta_vcov) %in% c(of_core, columns))) {
    refuse("core_trend$beta_vcov")
  }
}

# Numbers of neighbours and categories, which the core finds rows by.
check_fit_numbers <- function(fit) {
  check_method_settings(fit$method)
  check_shapes(fit$core_covariance$components)
  rows <- max(length(fit$data$y), fit$source$rows, 1)
  if (!is.null(fit$k)) check_count(fit$k, "fit$k", upper = rows)
  categories <- fit$data$y
  if (identical(fit$family$family, "ordinal") && is.numeric(categories) &&
    !all(categories %in% seq_along(fit$data$levels))) {
    abort_argument("fit$data$y", "numbers of the categories", categories)
  }
  invisible(fit)
}

check_covariance <- function(covariance) {
  if (inherits(covariance, "variogramModel")) {
    abort_neargp("argument",
      c("`covariance` must be a covariance such as cov_matern(), not a model of gstat's vgm().",
        variogram_hint(covariance)))
  }
  check_made(covariance, "covariance", "neargp_covariance", "covariance",
    "a covariance such as cov_matern()",
    paste0("cov_", c(setdiff(names(covariance_families), "cosine"), "features", "linear",
      "none", "coregionalisation")), foreign_covariances)
  check_components(covariance[["components"]])
  matrices <- covariance[["matrices"]]
  if (!is.null(matrices) && !is.list(matrices)) {
    abort_argument("covariance$matrices", "as cov_coregionalisation() makes them", matrices)
  }
  check_matrices(matrices, length(covariance[["components"]]))
  check_rank_argument(covariance[["rank"]], length(covariance[["components"]]))
  invisible(covariance)
}

check_method <- function(method) {
  check_made(method, "method", "neargp_method", "method", "a method such as vecchia() or loo_k()",
    c("vecchia", "exact_gp", "svgp", "loo_k", "mll_k", "vnngp"), foreign_methods)
  check_derived_settings(method, check_method_settings(method))
  invisible(method)
}

# A fit has all that neargp() gives it: fields are lost where an object is put together or cut by
# hand. The check takes a millisecond, a third of the prediction of one row. The cache remembers it,
# which is valid for the very elements that were checked.
check_fit <- function(fit) {
  if (!is.list(fit)) abort_argument("object", "a fit of neargp()", fit)
  if (inherits(fit, "neargp_joint")) {
    abort_neargp("argument", c("This function does not support fits of several responses that share fields.",
      i = "See ?joint_models for what does."))
  }
  if (typeof(fit$cache) != "externalptr") return(check_whole_fit(fit))
  cached(fit, "checked", NULL, is.list(check_whole_fit(fit)))
  invisible(fit)
}

check_whole_fit <- function(fit) {
  check_fit_format(fit)
  absent <- setdiff(c("method", "family", "locations", "data", "parameters", "beta", "n_dropped"),
    names(fit))
  if (!length(absent)) {
    check_fit_elements(fit)
    check_method_of_response(fit)
    return(check_fit_numbers(fit))
  }
  abort_neargp("argument",
    c(paste0("This object of class \"neargp\" is not a whole fit: it lacks `", absent[1L], "`."),
      i = "Fits are made by neargp(), and kept whole by saveRDS()."))
}
