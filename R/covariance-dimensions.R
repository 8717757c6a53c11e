# Families that are positive definite in a few coordinates only: `dimensions` of
# covariance-families.R.

few_dimensions <- function(family) covariance_families[[family]]$dimensions %||% Inf

covariance_call <- function(family) {
  if (family == "cosine") "cov_linear()" else sprintf("cov_%s()", family)
}

# Refuses components in more coordinates than their family allows. A cov_spacetime() is a function
# of the distance in space.
check_dimensions <- function(covariance, locations) {
  for (component in covariance$components) {
    if (is_periodic(component) || is_of_features(component)) next
    most <- few_dimensions(component$family)
    count <- count_dimensions(component, locations)
    if (count <= most) next
    abort_neargp("covariance", c(
      sprintf("%s is not positive definite in %d coordinates, but in up to %d.",
        covariance_call(component$family), count, most),
      i = "Use a covariance without a limit, such as cov_matern() or cov_exponential().",
      i = if (!is.null(locations$time) && !is_space_time(component))
      "Time counts as a coordinate, except in cov_spacetime(model = \"separable\")."))
  }
}

# The sphere counts as the space around it, and a factor as the corners of its simplex. The factor
# of replicates does not count, since the covariances of each level are those of space. Further
# coordinates of a warp count, and the features of a network are all that there is.
count_dimensions <- function(component, locations) {
  network <- component$local$mlp
  if (!is.null(network)) return(as.integer(utils::tail(network$layers, 1L)))
  if (is_zonal(component)) {
    return(sum(!is.na(range_groups(component, locations)$group)) - is_replicated(component))
  }
  places <- length(locations$embedded_names) - sum(is_made_block(locations)[locations$block]) -
    length(replicate_columns(locations))
  places - is_space_time(component) + (component$local$expand$q %||% 0L)
}

# Averages over local ranges (Paciorek and Schervish 2006) need a correlation that is positive
# definite in any number of coordinates, and so does Gneiting's model. The two exclude each other
# unless space and time do not interact, see space_time.h of the core.
check_local_range <- function(family) {
  if (is.infinite(few_dimensions(family))) return(invisible())
  abort_neargp("argument", c(
    sprintf("`range` of %s must be a number: a range by a formula is not valid for it.",
      covariance_call(family)),
    i = "Use cov_matern(range = ~ x) or cov_exponential(range = ~ x)."))
}

check_gneiting <- function(component, beta) {
  if (!is.null(component$local$log_range) && !identical(as.double(beta), 0)) {
    abort_neargp("argument", c(
      "`range = ~` of `space` is not a valid covariance in the Gneiting model with a `beta` above 0.",
      i = "Use cov_spacetime(beta = 0), or model = \"separable\" or \"product_sum\"."))
  }
  if (is.infinite(few_dimensions(component$family))) return(invisible())
  abort_neargp("argument", c(
    sprintf("%s is not valid in the Gneiting model of space and time.",
      covariance_call(component$family)),
    i = "Use cov_spacetime(model = \"separable\"), or cov_matern()."))
}
