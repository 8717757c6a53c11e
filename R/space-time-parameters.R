# Parameters of components of space and time: their rows in the layout, between the shape of the
# component and the nugget, and their form for the core.

# Kinds of parameters for which the core returns the derivative in the value itself, as for a shape.
space_time_kinds <- c("time_shape", "alpha", "beta", "share_product", "share_space")

# Ranges as in the layout, time last. The range of time may be missing in `space`, or be given in
# `time`.
with_time_range <- function(component, groups) {
  if (!is_space_time(component)) return(component)
  count <- length(groups$names)
  complete <- function(range, of_time, name) {
    if (is.null(range) && is.null(of_time)) return(NULL)
    range <- range %||% rep(NA_real_, count - 1L)
    if (length(range) == count - 1L) return(c(range, of_time %||% NA_real_))
    if (!is.null(of_time) && length(range) == count) {
      abort_neargp("argument", sprintf("`%s` of time is given twice, by `space` and by `time`.", name))
    }
    range
  }
  settings <- component$space_time
  component$range <- complete(component$range, settings$time_range, "range")
  component$start$range <- complete(component$start$range, settings$start$time_range, "start$range")
  component
}

space_time_layout <- function(component) {
  settings <- component$space_time
  shape <- if (!is.null(settings$time_family)) family_shape(settings$time_family)
  rows <- function(names) {
    lapply(names, function(name) {
      layout_rows(name, name, "share", value = settings[[sub("^share_", "", name)]])
    })
  }
  c(if (!is.null(shape)) list(layout_rows(paste0(shape$name, "_time"), "time_shape",
    shape$transform, value = settings$time_shape, start = settings$start$time_shape)),
    switch(settings$model %||% "metric", gneiting = rows(c("alpha", "beta")),
      product_sum = rows(c("share_product", "share_space"))))
}

# Whether settings leave a parameter open, next to those that all components have.
has_open_space_time <- function(component) {
  rows <- space_time_layout(component)
  is_space_time(component) && any(vapply(rows, function(row) is.na(row$value), NA))
}

# The parts that stay while parameters change.
space_time_group <- function(component) component$space_time[c("model", "time_family")]

core_space_time <- function(group, take) {
  model <- group$space_time
  if (is.null(model$model)) return(NULL)
  list(space_time = c(list(model = model$model),
    if (!is.null(model$time_family)) list(time_family = model$time_family,
      time_shape = take("time_shape")),
    switch(model$model, gneiting = list(alpha = take("alpha"), beta = take("beta")),
      product_sum = list(product = take("share_product"), space = take("share_space")))))
}

# ---- the metric of neighbours --------------------------------------------------------------------

# The component in whose metric neighbours are searched. A sum with separate space and time is no
# function of one distance. There, neighbours are the rows of the largest correlation, which depends
# on the whole `field`, and ranges are those of half the correlation.
search_component <- function(core_covariance, index = metric_index(core_covariance)) {
  component <- core_covariance$components[[index]]
  component$group <- component$search %||% component$group
  if (!has_space_time(core_covariance)) return(component)
  core_covariance <- without_local_fields(core_covariance)
  component$range <- core_search_ranges(as_specified(core_covariance), index)
  component[c("space_time", "warps")] <- NULL
  component$field <- list(covariance = core_covariance, index = index)
  component
}

# Neighbours are those of the stationary part, which does not depend on the columns of covariates
# and warps.
places_of_field <- function(coords, component) {
  coords[, seq_along(component$group), drop = FALSE]
}

without_local_fields <- function(core_covariance) {
  core_covariance$components <- lapply(core_covariance$components, function(component) {
    component[!names(component) %in% c("log_sd", "log_range", "by", "warps")]
  })
  core_covariance$active <- NULL
  core_covariance
}

# The correlation by which a search of scaled coordinates finds the nearest; NULL for the distance.
search_lags <- function(component) {
  if (is.null(component$field)) return(NULL)
  list(covariance = as_specified(component$field$covariance),
    unit = component$range[component$group[c(1L, length(component$group))]])
}

# Neighbours change only when these numbers do. Correlations of space and time have shapes that
# depend on more than the ratio of the ranges.
search_shape <- function(component) {
  shape <- core_metric_shape(component)
  if (is.null(component$field)) return(shape)
  own <- lapply(component$field$covariance$components, function(part) c(log(part$range), part$shape,
    unlist(part$space_time[setdiff(names(part$space_time), c("model", "time_family"))])))
  c(shape, log(component$range[1L]), unlist(own, use.names = FALSE))
}

# Means of the parameters of two covariances that differ in these alone.
mean_covariance <- function(from, to) {
  if (is.list(to)) return(Map(mean_covariance, from, to))
  if (is.double(to)) (from + to) / 2 else to
}

# ---- start and bounds ----------------------------------------------------------------------------

space_time_starts <- c(alpha = 0.8, beta = 0.5, share_product = 0.5, share_space = 0.5)

# Logits of shares.
share_bounds <- c(-6, 6)

# Starting values of a component's rows in the layout that are open; `own`: whether they are its.
fill_space_time <- function(fill, problem, own, j) {
  layout <- problem$layout
  for (kind in names(space_time_starts)) {
    fill(own & layout$kind == kind, space_time_starts[[kind]])
  }
  family <- problem$groups[[j]]$space_time$time_family
  if (!is.null(family)) fill(own & layout$kind == "time_shape", family_shape(family)$start)
}

# The model without time is the limit of an infinite range of time. With little noise a range of a
# hundred times the extent is still too short for it.
set_space_time_bounds <- function(set, problem, j, time_extent) {
  layout <- problem$layout
  own <- layout$component %in% j
  set(own & layout$transform == "share", share_bounds[1L], share_bounds[2L])
  if (any(own & layout$kind == "beta")) {
    further <- max(0L, vapply(problem$groups[[j]]$local$warps,
      function(warp) warp$coordinate - length(problem$locations$embedded_names), 0))
    bound <- greatest_beta(problem$locations, further)
    set(own & layout$kind == "beta", share_bounds[1L], min(share_bounds[2L], stats::qlogis(bound)))
  }
  if (!is.null(problem$groups[[j]]$space_time$model)) {
    time <- utils::tail(which(own & layout$kind == "range"), 1L)
    set(time, log(1e-5 * time_extent), log(1e4 * time_extent))
  }
  known <- if (any(own & layout$kind == "time_shape")) family_shape(
    problem$groups[[j]]$space_time$time_family)
  if (!is.null(known)) {
    set(own & layout$kind == "time_shape", to_working(known$lower, known$transform),
      to_working(known$upper, known$transform))
  }
}

# The working parameters with a beta that is valid with so many further coordinates.
within_greatest_beta <- function(working, problem, component, further) {
  own <- component_rows(problem$layout, component, "beta")
  greatest <- stats::qlogis(greatest_beta(problem$locations, further))
  replace(working, own, pmin(working[own], greatest))
}
