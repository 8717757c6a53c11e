# The variables of a fit, and which of them are left out or permuted together
# (variable-importance.R).

# A named list of the columns of `data` that belong together.
variable_groups <- function(object, data, variables, by) {
  if (is.null(variables)) return(default_groups(object, data, by))
  if (is.character(variables)) variables <- stats::setNames(as.list(variables), variables)
  valid <- is.list(variables) && length(variables) && rlang::is_named(variables) &&
    !anyDuplicated(names(variables)) && all(vapply(variables, is.character, NA))
  if (!valid) {
    abort_argument("variables", "names of columns, or a named list of them", variables)
  }
  if (is_sf(data)) {
    variables <- lapply(variables, function(group) replace(group, group == "place",
      attr(data, "sf_column")))
  }
  known <- importance_variables(object, data)
  unknown <- setdiff(unlist(variables), unlist(known))
  if (length(unknown)) {
    abort_neargp("argument", c(
      sprintf("`variables` names %s, which the fit has neither in its trend nor among its coordinates.",
        format_some(unknown)), i = sprintf("It has %s.", format_some(unlist(known), 12L))))
  }
  if (by == "refit") for (name in names(variables)) check_leaves_place(object, name,
    variables[[name]], data)
  variables
}

# Layers of block_support(covariates = ) that the trend uses: rows contain their means alone.
averaged_covariates <- function(object, data) {
  if (has_areal_data(object)) setdiff(object$required_columns, names(data))
}

check_permutable <- function(object, data) {
  averaged <- averaged_covariates(object, data)
  if (!length(averaged)) return(invisible())
  abort_neargp("argument", c(
    sprintf("Rows cannot be predicted again: areas contain means of %s, from block_support(covariates = ).",
      format_some(averaged)), i = "Use by = \"refit\"."))
}

# Columns of the trend, of the coordinates, of features() and of time.
importance_variables <- function(object, data) {
  effects <- effect_terms(object$formula)
  offsets <- as.list(attr(object$terms, "variables"))[-1L][attr(object$terms, "offset")]
  trend <- setdiff(all.vars(stats::delete.response(object$terms)), unlist(lapply(offsets,
    all.vars)))
  trend <- unique(c(trend, effect_variables(effects, data)))
  list(trend = intersect(trend, c(names(data), averaged_covariates(object, data))),
    coords = if (is_sf(data)) attr(data, "sf_column") else all.vars(object$locations$terms),
    features = object$locations$features$names, time = object$locations$time)
}

default_groups <- function(object, data, by) {
  known <- importance_variables(object, data)
  coords <- as.list(stats::setNames(nm = known$coords))
  if (is_sf(data)) names(coords) <- "place"
  if (!is_sf(data) && object$locations$metric == "longlat") {
    coords <- c(list(place = known$coords[1:2]), coords[-(1:2)])
  }
  groups <- c(stats::setNames(as.list(known$trend), known$trend), coords,
    stats::setNames(as.list(known$features), known$features),
    if (!is.null(known$time)) stats::setNames(list(known$time), known$time))
  groups <- groups[!duplicated(names(groups))]
  if (by == "refit") groups <- Filter(function(group) leaves_place(object, group, data), groups)
  if (!length(groups)) {
    abort_neargp("argument", c("The fit contains no variable that can be left out.",
      i = "by = \"permute\" accepts coordinates and features() as well."))
  }
  groups
}

# Whether coordinates are left without the group.
leaves_place <- function(object, group, data) {
  features <- object$locations$features$names
  if (length(features) && all(features %in% group)) return(FALSE)
  if (is_nowhere(object$locations)) return(TRUE)
  if (is_sf(data)) return(!attr(data, "sf_column") %in% group)
  coords <- all.vars(object$locations$terms)
  on_sphere <- object$locations$metric == "longlat"
  length(setdiff(coords, group)) > 0L && !(on_sphere && any(coords[1:2] %in% group))
}

check_leaves_place <- function(object, name, group, data) {
  if (leaves_place(object, group, data)) return(invisible())
  abort_neargp("argument", c(sprintf("Without `%s` the location of the rows is unknown.", name),
    i = "by = \"permute\" measures the importance of coordinates and features() in the fit."))
}
