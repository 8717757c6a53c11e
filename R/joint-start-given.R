# The argument `start` of a fit to several responses: an earlier joint fit with the same fields.

check_joint_start <- function(start, outputs, structures) {
  if (is.null(start)) return(NULL)
  if (!inherits(start, "neargp_joint")) {
    abort_argument("start", "NULL, or a joint fit of the same responses", start)
  }
  shape <- function(structures) lapply(structures, function(x) c(list(x$component$family),
    x[c("fields", "own")]))
  if (!setequal(start$outputs, outputs)) {
    abort_argument("start", sprintf("a joint fit of the same responses (%s)", format_some(outputs)),
      sprintf("a fit of %s", format_some(start$outputs)))
  }
  if (!identical(start$outputs, outputs) || !identical(shape(start$structures),
    shape(structures))) {
    abort_argument("start", "a joint fit with the same fields and the same order of responses",
      "another one; leave it out")
  }
  start
}

# The loadings of each structure, and which of them are free, as joint_start_loadings() returns
# them.
loadings_of_start <- function(start) {
  count <- length(start$outputs)
  layout <- start$layout
  of_structures <- function(values) {
    lapply(seq_along(start$structures), function(j) {
      matrix(values[layout$kind == "loading" & layout$component %in% j], count, byrow = TRUE)
    })
  }
  list(loadings = of_structures(start$parameters$working), free = of_structures(!layout$fixed))
}

# The working parameters of the start where the new fit estimates them.
with_start_of <- function(working, layout, start) {
  known <- match(layout$name, start$layout$name)
  taken <- !is.na(known) & !layout$fixed
  replace(working, taken, start$parameters$working[known[taken]])
}
