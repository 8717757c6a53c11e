# Which range divides each coordinate of a component.

# The range that each embedded coordinate is divided by, and the names of these ranges. The first
# blocks of coordinates share a range, and each later block gets its own. Coordinates that the
# component does not use are NA. The range of a replicate's factor comes last, and only the
# replicated component uses it.
range_groups <- function(component, locations) {
  if (!length(replicates_among(locations))) return(coordinate_groups(component, locations))
  groups <- coordinate_groups(component, without_replicates(locations))
  of_factor <- locations$embedded_names %in% replicates_among(locations)
  group <- replace(rep(NA_integer_, length(of_factor)), !of_factor, groups$group)
  if (!is_replicated(component)) return(replace(groups, "group", list(group)))
  group[locations$embedded_names == component$replicate] <- length(groups$names) + 1L
  c(list(group = group, names = c(groups$names, paste0("range_", component$replicate))),
    groups[c("all", "kept")])
}

coordinate_groups <- function(component, locations) {
  if (is_periodic(component)) return(periodic_groups(component, locations))
  if (!has_made_blocks(locations)) return(space_groups(component, locations))
  is_made <- is_made_block(locations)[locations$block]
  group <- rep(NA_integer_, length(locations$block))
  if (is_of_features(component)) {
    group[locations$block == feature_block(component, locations)] <- 1L
    return(list(group = group, names = if (component$feature$term == "smooth") "range"))
  }
  if (is_linear(component)) {
    return(list(group = replace(group, locations$kind[locations$block] == "linear", 1L)))
  }
  groups <- space_groups(component, without_made_blocks(locations))
  c(list(group = replace(group, !is_made, groups$group)), groups[names(groups) != "group"])
}

# A ten thousandth of the distance between levels, at which covariances between levels are 0. It is
# not among the ranges that users give.
replicate_range <- 1e-4

# The columns of coordinates that contain the levels of replicates.
replicate_columns <- function(locations) {
  which(locations$kind[locations$block] == "replicate")
}

# The range that divides each coordinate, for a component of the core. Coordinates that it does not
# depend on get their scatter among `positions`, or 1 without any.
range_of_coordinates <- function(component, positions) {
  unit <- apply(positions, 2L, stats::sd)
  unit[!(unit > 0) | is.na(unit)] <- 1
  own <- component$group > 0L
  replace(unit, which(own), component$range[component$group[own]])
}

is_replicated <- function(component) !is.null(component$replicate)

with_replicate_range <- function(component, groups) {
  if (!is_replicated(component)) return(component)
  of_users <- list(names = utils::head(groups$names, -1L))
  check_range_length(component$range, of_users, "range")
  check_range_length(component$start$range, of_users, "start$range")
  component$range <- c(component$range %||% rep(NA_real_, length(of_users$names)), replicate_range)
  if (!is.null(component$start$range)) component$start$range <- c(component$start$range, NA)
  component
}

space_groups <- function(component, locations) {
  sharing <- sharing_first_range(component, locations)
  blocks <- length(locations$kind)
  if (component$ard && locations$metric == "longlat" && blocks == 1L) {
    abort_neargp("argument",
      c("`ard = TRUE` is not available for longitude and latitude alone, since distance is measured along the chord.",
        i = "Leave `ard` out, or use distance = \"euclidean\" or projected coordinates."))
  }
  labels <- locations$embedded_names[match(seq_len(blocks), locations$block)]
  if (!is.null(locations$time)) labels[blocks] <- "time"
  named <- seq_len(blocks) > if (component$ard) 0L else sharing
  # A coordinate of space may also be called "time".
  labels <- rev(make.unique(rev(labels[named]), sep = "_"))
  first <- c(rep(1L, sharing), seq_len(blocks - sharing) + min(sharing, 1L))
  groups <- list(group = first[locations$block],
    names = c(if (!component$ard && sharing > 0L) "range", sprintf("range_%s", labels)))
  without_zonal(groups, component)
}

# The number of blocks with the first range: those that an anisotropy rotates; with `ard` one;
# else all numbers of space, none where there are only factors.
sharing_first_range <- function(component, locations) {
  if (component$ard) return(1L)
  rotation <- rotation_of(component$anisotropy)
  if (is.null(rotation)) return(sum(locations$kind == "number"))
  check_axes(locations, rotation$coordinates)
  rotation$coordinates
}

check_axes <- function(locations, needed) {
  if (locations$metric == "longlat" || sum(locations$kind == "number") < needed) {
    abort_neargp("argument", c(
      sprintf("`anisotropy` needs %s planar coordinates.", c("one", "two", "three")[needed]),
      i = if (locations$metric == "longlat")
      "Project the locations (sf::st_transform()), or use distance = \"euclidean\"." else
        if (needed == 3L) "Name three, such as coords = ~ x + y + depth, or use anisotropy = TRUE."))
  }
}
