# Factors as `by` of the covariance of several responses (replicates.R). The fit of each response
# turns the factor into a coordinate. The fields of all responses are at these locations, and their
# copies are independent alike.

# The covariance with the label of the factor in the components that are replicated.
with_joint_replicates <- function(covariance, data) {
  if (is.null(covariance)) return(NULL)
  labels <- character(0)
  as_copies <- function(own) {
    own$components <- lapply(own$components, function(component) {
      label <- replicate_of(component, data)
      labels <<- c(labels, label)
      as_replicated(component, label)
    })
    own
  }
  covariance <- as_copies(covariance)
  own <- covariance$own
  if (!is.null(own)) {
    covariance$own <- if (inherits(own, "neargp_covariance")) as_copies(own) else
      lapply(own, as_copies)
  }
  labels <- unique(labels[nzchar(labels)])
  if (length(labels) > 1L) {
    abort_argument("covariance", "one factor as `by` of all components for several responses",
      format_some(labels))
  }
  covariance
}

# The component that the separate fits use: the first one with a factor, whose levels are then among
# their coordinates, or else the first one.
component_of_parts <- function(covariance, data) {
  own <- covariance$own
  further <- if (inherits(own, "neargp_covariance")) own$components else
    unlist(lapply(unname(own), `[[`, "components"), recursive = FALSE)
  components <- c(covariance$components, further)
  by_factor <- vapply(components, function(component) nzchar(replicate_of(component, data)), NA)
  c(components[by_factor], components)[[1L]]
}

# Levels are numbered by each fit.
check_common_levels <- function(parts) {
  levels <- lapply(parts, function(part) lapply(part$locations$factors, `[[`, "levels"))
  for (output in names(parts)[-1L]) {
    if (identical(levels[[output]], levels[[1L]])) next
    abort_neargp("levels", c(sprintf("The responses `%s` and `%s` differ in the levels of a factor among their coordinates.",
      names(parts)[1L], output), i = "Make the column a factor with the same levels in all data."))
  }
}
