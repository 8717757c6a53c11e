# Lists whose fields are all declared where they are made: problems in R/problem.R and settings in
# R/settings.R. A field that is not known yet, or that a method does not use, is NULL. Emptying a
# field keeps it. A name that is not declared is a mistake in this package. It is an error in
# reading as in writing.

new_state <- function(class, ...) {
  fields <- list(...)
  twice <- names(fields)[duplicated(names(fields))]
  if (length(twice)) {
    rlang::abort(sprintf("The field `%s` is declared twice.", twice[1L]), .internal = TRUE)
  }
  structure(fields, class = c(class, "neargp_state"))
}

# The state with other values of declared fields.
with_fields <- function(state, ...) {
  given <- list(...)
  for (name in names(given)[!names(given) %in% names(state)]) check_field(state, name)
  state[names(given)] <- given
  state
}

# A value shows that its field is declared. A prediction of one row reads dozens of fields.
#' @export
`$.neargp_state` <- function(x, name) {
  value <- .subset2(x, name)
  if (is.null(value)) check_field(x, name)
  value
}

#' @export
`$<-.neargp_state` <- function(x, name, value) {
  check_field(x, name)
  x[name] <- list(value)
  x
}

check_field <- function(x, name) {
  if (name %in% names(x)) return(invisible())
  rlang::abort(
    sprintf("A %s does not include the field `%s`.", sub("^neargp_", "", class(x)[1L]), name),
    .internal = TRUE)
}
