#' Predict categories (classification)
#'
#' @description
#' Returns the probability of each category at new locations.
#'
#' ```r
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, method = loo_k())
#' predict(fit, iris[c(1, 60, 120), ])
#' ```
#'
#' @details
#' [loo_k()] predicts from the labels of the nearest `k` locations, with probabilities calibrated by
#' its leave-one-out score. [svgp()] averages the probabilities over the posterior of processes and
#' trends.
#'
#' @param object a fit by [neargp()] to categories.
#' @param newdata see [predict.neargp()].
#' @param type `"prob"` (default), `"class"` for the most probable category, or `"response"` for the
#'   probability of the second of two.
#' @param k the number of neighbours, an integer, for [loo_k()]. Default `NULL`: that of the fit.
#' @param chunk_size,threads,device,verbose,filename,overwrite see [predict.neargp()].
#' @param output,cluster see [prediction_files]; `cluster` needs `output`.
#' @param ... not used.
#' @return An object of the class of `newdata`, in its order. `"prob"` returns the columns
#'   `prob_<level>`, `"class"` a factor `class`, and `"response"` `mean` and `sd`. Rows with missing
#'   covariates return `NA`.
#' @seealso [scores.neargp_classifier()], [confusion_table()], [categorical()]
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width,
#'   method = loo_k(k = 20), family = categorical(), covariance = cov_matern(nu = 2.5))
#' predict(fit, iris[c(1, 60, 120), ])
#' predict(fit, iris[c(1, 60, 120), ], type = "class")
#' mean(predict(fit, iris, type = "class")$class == iris$Species)
#'
#' # Two categories
#' big <- neargp(factor(Sepal.Length > 6) ~ 1, iris, coords = ~ Petal.Length + Petal.Width)
#' predict(big, iris[c(1, 120), ], type = "response")
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
