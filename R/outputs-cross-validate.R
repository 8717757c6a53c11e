# Cross-validation of several outputs by places: all outputs of a held-out row are held out. Each
# output takes the part of a setting in the result.

#' @rdname cross_validate
#' @section Several outputs: All outputs of a held-out row of the data are held out; folds have a
#' value for each such row. The outputs take the part of `setting` in the result.
#' @export
cross_validate.neargp_outputs <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                          verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  validate_cases(list(fit = list(fit = object, arguments = list())), folds, refit, level, verbose)
}

# The fit as folds need it: one row for each place.
as_places <- function(object) {
  if (is.null(object$outputs)) return(object)
  first <- match(seq_len(object$data$places), object$data$place)
  object$data <- without_outputs(take_data_rows(object$data, first))
  as_one_output(object)
}
