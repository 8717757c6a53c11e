# Zonal anisotropy: components that do not vary along some coordinates, whose range is Inf. A
# component does not depend on these coordinates, and the layout holds no row for them.

is_zonal <- function(component) is.list(component) && any(component$range %in% Inf)

has_zonal <- function(covariance) any(vapply(covariance$components, is_zonal, NA))

# Whether the covariance of a fit is no function of the distance in space: a component leaves some
# of these coordinates out.
has_no_curve <- function(fit) {
  has_no_distance(fit$covariance) || any(unlist(Map(function(given, core) {
    in_space <- utils::head(core$group, length(core$group) - !is.null(fit$locations$time))
    is_zonal(given) && any(in_space == 0L)
  }, fit$covariance$components, fit$core_covariance$components)))
}

# ---- ranges by name ------------------------------------------------------------------------------

# `range = c(x = Inf, y = NA)` names coordinates, with one range each.
names_ranges <- function(range) length(range) > 1L && !is.null(names(range))

# The ranges in the order of `labels`. Those that are not named are estimated.
ordered_ranges <- function(range, labels, name) {
  if (!names_ranges(range)) return(range)
  plain <- function(x) sub("^range_", "", x)
  keys <- plain(names(range))
  numbered <- !keys %in% plain(labels)
  keys[numbered] <- sub("_[0-9]+$", "", keys[numbered])
  unknown <- names(range)[!keys %in% plain(labels) | duplicated(keys)]
  if (length(unknown)) {
    abort_neargp("argument", c(
      sprintf("`%s` names %s, which %s.", name, format_some(unknown),
        if (length(unknown) > 1L) "are not coordinates with a range of their own" else
          "is not a coordinate with a range of its own"),
      i = sprintf("Name some of %s.", format_some(plain(labels), 12L))))
  }
  unname(range)[match(plain(labels), keys)]
}

# ---- groups --------------------------------------------------------------------------------------

# `groups`: of all coordinates. Groups with named or infinite ranges also contain the names of `all`
# ranges, and the numbers of those that are `kept`.
without_zonal <- function(groups, component) {
  range <- ordered_ranges(component$range, groups$names, "range")
  if (!names_ranges(component$range) && !any(range %in% Inf)) return(groups)
  check_range_length(range, groups, "range")
  check_zonal_range(component, range, groups)
  kept <- which(!range %in% Inf)
  list(group = match(groups$group, kept), names = groups$names[kept], all = groups$names,
    kept = kept)
}

# The component with the ranges that the layout holds.
with_kept_ranges <- function(component, groups) {
  if (is.null(groups$all)) return(component)
  keep <- function(range, name) {
    if (is.null(range)) return(NULL)
    range <- ordered_ranges(range, groups$all, name)
    check_range_length(range, list(names = groups$all), name)
    range[groups$kept]
  }
  component["range"] <- list(keep(component$range, "range"))
  component$start["range"] <- list(keep(component$start$range, "start$range"))
  component
}

check_zonal_range <- function(component, range, groups) {
  if (all(range %in% Inf)) {
    abort_neargp("argument", c("`range` is Inf for all coordinates, so that the process is a constant.",
      i = "Leave the component out: the intercept is a constant."))
  }
  if (!isFALSE(component$anisotropy) && range[1L] %in% Inf) {
    abort_neargp("argument", c("The range of a plane with an anisotropy cannot be Inf.",
      i = "Give one range for each coordinate: range = c(x = Inf, y = NA)."))
  }
}

check_range_length <- function(range, groups, name) {
  if (!is.null(range) && length(range) != length(groups$names)) {
    abort_neargp("argument",
      c(sprintf("`%s` must have %d value(s), one for each of %s, not %d.", name,
        length(groups$names), format_some(groups$names), length(range)),
        i = if (any(range %in% Inf)) "Name the coordinates: range = c(x = Inf, y = NA)." else
          if (length(groups$names) > 1L) "NA stands for a range that is to be estimated."))
  }
}
