#' Predicted classes and their probabilities
#'
#' Predictions of a fit to classes: of [loo_k()] ([stats::binomial()] or [categorical()]) from the
#' labels of the nearest `k` locations, as the fit saw them, so that probabilities are as calibrated
#' as its leave-one-out score made them; of [svgp()] ([categorical()]) the expectations of the
#' probabilities under the distribution of the fields and trends at the place.
#'
#' @param object a fit of [neargp()] to classes.
#' @param newdata as for [predict.neargp()].
#' @param type `"prob"`: the probability of each class; `"class"`: the most probable class (the
#'   first of equally probable ones); `"response"`, for two classes: the probability of the second
#'   one.
#' @param k number of neighbouring locations, by default that of the fit; a fit by [svgp()] has
#'   none.
#' @param chunk_size,threads,device,verbose,filename,overwrite as for [predict.neargp()].
#' @param output,cluster files that predictions are written to, part by part, see
#'   [prediction_files], and a cluster whose workers do so; without `output` no `cluster` is taken.
#' @param ... not used.
#' @return An object of the class of `newdata` with a row for each of its rows, in its order; with
#'   `output` the names of the files. `type = "prob"`: columns `prob_<level>`, which sum to one.
#'   `type = "class"`: a factor `class` with the levels of the training data. `type = "response"`:
#'   `mean`, the probability of the second level, and `sd`, the standard deviation of a response of
#'   0 or 1. Rows with missing covariates or coordinates get NA. For a SpatRaster, layers of these
#'   names; that of classes is categorical, with their names as its categories.
#' @section Errors: those of [predict.neargp()].
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 20), family = categorical(),
#'   covariance = cov_matern(nu = 2.5))
#' predict(fit, iris[c(1, 60, 120), ])
#' predict(fit, iris[c(1, 60, 120), ], type = "class")
#' @export
predict.neargp_classifier <- function(object, newdata, type = c("prob", "class", "response"),
                                      k = NULL, chunk_size = NULL, threads = NULL, device = NULL,
                                      verbose = rlang::is_interactive(), filename = NULL,
                                      overwrite = FALSE, cluster = NULL, output = NULL, ...) {
  elsewhere <- predicted_elsewhere(match.call(expand.dots = FALSE))
  if (!is.null(elsewhere)) return(elsewhere)
  type <- check_choice(type, "type", c("prob", "class", "response"))
  if (type == "response" && length(object$classifier$levels) > 2L) {
    abort_argument("type", "\"prob\" or \"class\" for more than two classes", type)
  }
  settings <- new_prediction_settings(plain_context(threads),
    classifier_k(object$method, object, k), type = type,
    chunk_size = prediction_chunk(object, chunk_size),
    device = resolve_device(device, has_ability(object$method, "dense_matrices")),
    verbose = check_flag(verbose, "verbose"))
  settings$file <- raster_file(newdata, filename, overwrite)
  settings$context <- prediction_context(object, target_size(newdata), settings)
  predict_class_target(object, newdata, type, settings)
}
