# The checks of the arguments of cross_validate(), and its messages about them.

# One row contributes little to the parameters of a stationary covariance. Dozens of coefficients,
# in contrast, may have learned the held-out rows.
inform_refit <- function(fits, refit) {
  local <- vapply(fits, function(fit) any(fit$layout$kind %in% local_kinds), NA)
  if (length(fits) < 2L || !isFALSE(refit) || !any(local)) return(invisible())
  inform_neargp("refit", c(
    sprintf("The coefficients of `sd`, `range` or `warp` of %s were learned from all rows, held-out ones included: that favours %s.",
      format_some(names(fits)[local]), if (sum(local) == 1L) "it" else "them"),
    i = "Compare by refit = TRUE, which learns them again without each fold."))
}

check_conditioning <- function(arguments, known) {
  unknown <- setdiff(names(arguments), known)
  if (length(unknown) || (length(arguments) && !rlang::is_named(arguments))) {
    abort_neargp("argument", c(
      sprintf("Predictions in cross-validation accept the arguments %s.", format_some(known)),
      x = if (!length(unknown)) "One argument is unnamed." else
        sprintf("Not %s.", format_some(unknown))
    ))
  }
}

check_named_lists <- function(settings) {
  valid <- is.list(settings) && length(settings) && rlang::is_named(settings) &&
    !anyDuplicated(names(settings)) &&
    all(vapply(settings, is.list, NA))
  if (!valid) {
    abort_neargp("argument", c(
      "`settings` must be a named list of lists.",
      i = "For example list(few = list(k = 10), many = list(k = 100))."
    ))
  }
}

check_named_fits <- function(fits) {
  refuse <- function(reason) {
    abort_neargp("fits", c("A list to be cross-validated must contain named fits by neargp().",
      x = reason))
  }
  if (!length(fits)) refuse("The list is empty.")
  if (!rlang::is_named(fits)) refuse("Names are missing: use list(a = fit, b = other).")
  if (anyDuplicated(names(fits))) refuse("Names are repeated.")
  known <- vapply(fits, inherits, NA, what = c("neargp", "neargp_learned", "neargp_joint"))
  if (!all(known)) refuse(sprintf("Not such a fit: %s.", format_some(names(fits)[!known])))
}

# The same counts may be binomial successes in one fit and Poisson's in another: trials need not
# agree.
check_comparable_fits <- function(fits) {
  check_named_fits(fits)
  fits <- lapply(fits, response_fit)
  several <- vapply(fits, inherits, NA, what = c("neargp_outputs", "neargp_joint"))
  if (any(several)) {
    abort_neargp("fits",
      c(sprintf("Fits to several responses are cross-validated one by one: %s.",
        format_some(names(fits)[several])), i = "Give each of them the same `folds`."))
  }
  classes <- vapply(fits, inherits, NA, what = "neargp_classifier")
  numbers <- !classes & !vapply(fits, is_binary_fit, NA)
  if (any(classes) && any(numbers)) {
    abort_neargp("fits", c(
      "Fits to categories can be compared only with each other and with fits to 0/1 responses.",
      x = sprintf("Fits to categories: %s.", format_some(names(fits)[classes])),
      x = sprintf("Other fits: %s.", format_some(names(fits)[numbers]))))
  }
  responses <- lapply(fits, function(fit) list(observed_response(fit$data),
    if (any(classes)) fit$data$levels %||%
    c("0", "1")))
  differ <- !vapply(responses, identical, NA, y = responses[[1L]])
  if (any(differ)) {
    abort_neargp("fits", c(
      "Fits can be compared only for the same response at the same rows.",
      x = sprintf("%s differs from %s.", format_some(names(fits)[differ]), names(fits)[1L])
    ))
  }
}
