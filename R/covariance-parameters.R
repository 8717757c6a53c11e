# One table, the layout, drives everything about covariance parameters. Its rows follow the order of
# the core. Each component takes variance, ranges, the numbers of an anisotropy, shape,
# coefficients of local fields. Then comes the nugget. Parameters of the response's family, which
# the core takes separately, follow. There are three scales:
#   `working`: unbounded, for the optimisers. It uses logarithms, axes as they are,
#     logit(power / 2), logit(alpha) and the like.
#   `core`: variance, range, axes, shape, parameters of space and time (space-time-parameters.R),
#     coefficients of local fields, nugget. With anisotropy this range is the geometric mean of the
#     ranges along the axes.
#   `natural`: for users. In place of that range and the axes it contains the range along the major
#     axis, ratios and angles (rotation.R).

new_layout <- function(covariance, nugget, locations) {
  components <- covariance$components
  rows <- lapply(seq_along(components), function(j) {
    part <- do.call(rbind, c(list(component_layout(components[[j]], locations)),
      local_layout(locations, j)))
    part$component <- j
    label <- components[[j]]$label %||% if (length(components) > 1L) j
    if (!is.null(label)) part$name <- paste0(part$name, "_", label)
    part
  })
  layout <- do.call(rbind, c(rows, list(nugget_layout(nugget))))
  layout$fixed <- !is.na(layout$value)
  with_column_scales(layout, covariance, locations)
}

layout_rows <- function(name, kind, transform, group = NA_integer_, value = NULL, start = NULL) {
  or_missing <- function(x) if (is.null(x)) rep(NA_real_, length(name)) else as.double(x)
  data.frame(name = name, component = NA_integer_, kind = kind, group = group,
    transform = transform, value = or_missing(value), start = or_missing(start),
    penalty = rep(0, length(name)), stringsAsFactors = FALSE)
}

nugget_layout <- function(nugget) layout_rows("nugget", "nugget", "log", value = nugget)

component_layout <- function(component, locations) {
  groups <- range_groups(component, locations)
  component <- with_kept_ranges(component, groups)
  component <- with_replicate_range(with_time_range(component, groups), groups)
  if (isTRUE(component$none)) component$range <- rep(1, length(groups$names))
  check_range_length(component$range, groups, "range")
  check_range_length(component$start$range, groups, "start$range")
  fixed_axes <- if (is.numeric(component$anisotropy)) anisotropy_to_core(component$anisotropy)
  start_axes <- if (!is.null(component$start$anisotropy))
    anisotropy_to_core(component$start$anisotropy)
  parts <- list(
    layout_rows("variance", "variance", "log", value = component$variance,
      start = component$start$variance),
    if (length(groups$names)) layout_rows(groups$names, "range", "log",
      group = seq_along(groups$names), value = core_range(component$range, fixed_axes),
      start = core_range(component$start$range, start_axes))
  )
  rotation <- rotation_of(component$anisotropy)
  if (!is.null(rotation)) {
    parts <- c(parts, list(layout_rows(paste0("anisotropy_", rotation$names), rotation$kinds,
      "identity", value = fixed_axes, start = start_axes)))
  }
  shape <- family_shape(component$family)
  if (!is.null(shape)) {
    parts <- c(parts,
      list(layout_rows(shape$name, "shape", shape$transform, value = component$shape,
        start = component$start$shape)))
  }
  do.call(rbind, c(parts, space_time_layout(component)))
}

component_rows <- function(layout, component, kind) {
  which(layout$component %in% component & layout$kind %in% kind)
}

# A nugget that is a fixed multiple of the variance, see R/fixed-ratio.R.
is_tied <- function(layout) layout$transform == "ratio"

fixed_ratio <- function(layout) layout$ratio[is_tied(layout)]

# The rows that a fit estimates.
is_estimated <- function(layout) !layout$fixed & !is_tied(layout)

# The power of the unit in which parameters are.
unit_power <- function(layout) {
  2 * (squared_in_unit(layout) & !is_tied(layout)) + (layout$kind == "effect_sd")
}

squared_in_unit <- function(layout) layout$kind %in% c("variance", "nugget")

# ---- working and core scale ----------------------------------------------------------------------

# `ratio`: of a nugget that is tied to the variance, the first parameter, see R/fixed-ratio.R.
to_working <- function(values, transform) {
  working <- values
  logged <- transform == "log"
  working[logged] <- log(values[logged])
  powered <- transform == "power"
  working[powered] <- stats::qlogis(values[powered] / 2)
  bounded <- transform == "tanh"
  working[bounded] <- atanh(values[bounded])
  shares <- transform == "share"
  working[shares] <- stats::qlogis(values[shares])
  tied <- transform == "ratio"
  working[tied] <- log(values[tied] / values[1L])
  working
}

to_core <- function(working, transform) {
  values <- working
  logged <- transform == "log"
  values[logged] <- exp(working[logged])
  powered <- transform == "power"
  values[powered] <- 2 * stats::plogis(working[powered])
  bounded <- transform == "tanh"
  values[bounded] <- tanh(working[bounded])
  shares <- transform == "share"
  values[shares] <- stats::plogis(working[shares])
  tied <- transform == "ratio"
  values[tied] <- exp(working[tied]) * values[1L]
  values
}

# The core differentiates in the logarithms of variances and ranges, in axes, and in the shape
# itself and what is like one; only these need a factor.
core_to_working_slope <- function(layout, values) {
  slope <- rep(1, nrow(layout))
  shape <- layout$kind %in% c("shape", space_time_kinds)
  slope[shape] <- natural_slope(layout$transform[shape], values[shape])
  slope
}

# d value / d working. `log`: nu. `power`: power (1 - power / 2). `share`: share (1 - share).
# `tanh`: 1 - tanh(z)^2.
natural_slope <- function(transform, values) {
  slope <- rep(1, length(values))
  slopes <- list(log = values, power = values * (1 - values / 2), share = values * (1 - values),
    tanh = 1 - values^2)
  for (name in names(slopes)) {
    own <- transform == name
    slope[own] <- slopes[[name]][own]
  }
  slope
}

# The list the core takes, and which derivatives it is to compute.
as_core_covariance <- function(layout, groups, values) {
  if (any(layout$kind == "loading")) return(core_coregionalisation(layout, groups, values))
  components <- lapply(seq_along(groups), function(j) {
    own <- which(!is.na(layout$component) & layout$component == j)
    take <- function(kinds) values[own[layout$kind[own] %in% kinds]]
    c(list(family = groups[[j]]$family, variance = take("variance"), range = take("range"),
      group = core_group(groups[[j]]),
      anisotropy = take(axes_kinds), shape = take("shape")),
      core_space_time(groups[[j]], take), core_local_fields(groups[[j]], take),
      if (!is.null(groups[[j]]$search)) list(search = groups[[j]]$search))
  })
  c(list(components = components,
    active = !layout$fixed[!layout$kind %in% c("noise", "family", effect_kinds)]),
    if (isTRUE(groups[[1L]]$areal)) list(areal = TRUE))
}

# 0 stands for coordinates that the component does not depend on.
core_group <- function(group) replace(group$group, is.na(group$group), 0L)

component_groups <- function(covariance, locations) {
  lapply(seq_along(covariance$components), function(j) {
    component <- covariance$components[[j]]
    c(list(family = component$family, group = range_groups(component, locations)$group,
      space_time = space_time_group(component), local = local_groups(locations, j, component)),
      if (is_linear(component)) list(search = linear_search_group(locations)),
      if (is_periodic(component)) list(search = periodic_search_group(component, locations)),
      if (is_zonal(component)) list(search = core_group(range_groups(component, locations))),
      if (is_replicated(component)) list(replicate = TRUE),
      if (max(rotation_of(component$anisotropy)$coordinates, 0L) > 2L) list(ellipsoid = TRUE),
      if (!is.null(locations$support)) list(areal = TRUE))
  })
}

# The core's covariance includes the nuggets of several responses.
nugget_of <- function(layout, values) {
  if (any(layout$kind == "loading")) 0 else values[layout$kind == "nugget"]
}

# The component in whose metric neighbours are searched: the one of the largest variance. Several
# responses differ in their units, so the largest shares in their variances count. A linear
# component, whose variance grows without limit, is only searched alone, and so are
# periodic and zonal ones.
metric_component <- function(core_covariance) search_component(core_covariance)

# Zonal models of gstat's vgm() are anisotropies wider than any that is estimated, whose h is at
# most 4 sqrt(2).
widest_search <- 6

metric_index <- function(core_covariance) {
  components <- core_covariance$components
  if (is.null(components[[1L]]$loadings)) {
    variance <- vapply(components, function(x) x$variance, 0)
    has_range <- vapply(components,
      function(x) is.null(x$search) && sqrt(sum(x$anisotropy^2)) < widest_search, NA)
    return(which.max(if (any(has_range)) ifelse(has_range, variance, -1) else variance))
  }
  variances <- do.call(cbind, lapply(components, function(x) rowSums(x$loadings^2)))
  total <- rowSums(variances)
  which.max(colSums(variances / ifelse(total > 0, total, 1)))
}

is_isotropic <- function(component) {
  length(component$range) == 1L && !length(component$anisotropy) && !length(component$warps)
}

# ---- natural scale -------------------------------------------------------------------------------

# Axes that are NA, not known yet, leave the range as it is.
natural_values <- function(layout, values) {
  natural <- values / covariate_scale(layout)
  for (rows in anisotropy_rows(layout)) {
    axes <- values[rows$axes]
    if (anyNA(axes)) next
    natural[rows$range] <- values[rows$range] * exp(rows$rotation$longest(axes))
    natural[rows$axes] <- rows$rotation$to_natural(axes)
  }
  stats::setNames(natural, layout$name)
}

# The inverse of natural_values().
core_values <- function(layout, natural) {
  values <- unname(natural) * covariate_scale(layout)
  for (rows in anisotropy_rows(layout)) {
    if (anyNA(values[rows$axes])) next
    values[rows$axes] <- rows$rotation$to_core(stats::setNames(values[rows$axes],
      rows$rotation$names))
    values[rows$range] <- core_range(values[rows$range], values[rows$axes])
  }
  values
}

anisotropy_rows <- function(layout) {
  found <- lapply(rotations, function(rotation) {
    lapply(which(layout$kind == rotation$kinds[1L]), function(first) {
      first_range <- which(layout$component == layout$component[first] & layout$kind == "range" &
        layout$group == 1L)
      list(range = first_range, axes = first - 1L + seq_along(rotation$kinds), rotation = rotation)
    })
  })
  unlist(unname(found), recursive = FALSE)
}

# The derivative of the interval scale in the working parameters. On the interval scale sampling
# distributions of natural parameters are closest to normal. It uses logarithms (also for the
# ratios), logit(power / 2), and degrees for angles. The logarithm of a tied nugget is that of the
# variance plus a constant.
interval_jacobian <- function(layout, working) {
  jacobian <- diag(ifelse(layout$transform == "log", 1, 1 / covariate_scale(layout)), nrow(layout))
  jacobian[is_tied(layout), 1L] <- 1
  for (rows in anisotropy_rows(layout)) {
    jacobian[c(rows$range, rows$axes), rows$axes] <- rows$rotation$slopes(working[rows$axes])
  }
  jacobian
}

interval_transform <- function(layout) {
  ifelse(is_ratio(layout) | is_tied(layout), "log", layout$transform)
}

# d natural / d interval scale
interval_slope <- function(layout, natural) natural_slope(interval_transform(layout), natural)
