# Which of the coordinates that features() and cov_linear() make belong to a component.

has_features <- function(covariance) any(vapply(covariance$components, is_of_features, NA))

# Settings that were altered by hand may hold anything.
is_of_features <- function(component) is.list(component) && !is.null(component[["feature"]])

# The block that a component of features is of.
feature_block <- function(component, locations) {
  powers <- vapply(locations$features$recipe$powers, `[[`, 0, "power")
  first <- which(locations$kind == "feature")[1L]
  first + 2L * (match(component$feature$power, powers) - 1L) + (component$feature$term == "linear")
}

# The column that a linear component of features is multiplied by.
feature_column <- function(component, locations) {
  if (!identical(component$feature$term, "linear")) return(integer(0))
  powers <- vapply(locations$features$recipe$powers, `[[`, 0, "power")
  length(locations$embedded_names) + match(component$feature$power, powers)
}

# ---- cov_linear() --------------------------------------------------------------------------------

is_linear <- function(component) is.list(component) && isTRUE(component[["linear"]])

has_linear <- function(covariance) any(vapply(covariance$components, is_linear, NA))

# Neither is a function of distance.
has_no_distance <- function(covariance) has_features(covariance) || has_linear(covariance)

# The coordinates in which neighbours of a linear component are searched.
linear_search_group <- function(locations) as.integer(linear_numbers(locations))
