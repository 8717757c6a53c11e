#' Predictions of several outputs (cokriging)
#'
#' Mean and standard deviation of each output at new locations, given the nearest observations of
#' all outputs, as [predict.neargp()] gives those of one: universal cokriging.
#'
#' @details
#' The prediction of an output is conditioned on its own `k` nearest observations and on the
#' `k_other` nearest of each other output. (Outputs that are observed at the same places say little
#' about each other at new places, so that few of them do; raise `k_other` where one output is
#' observed much more densely than the others.)
#'
#' The covariance between the outputs at a location is that of their errors given one set of
#' neighbours common to all outputs, scaled to the standard deviations that are reported.
#'
#' A fit by [svgp()] predicts from its inducing points instead of neighbours, and has the covariance
#' of its posterior. One by [dspp()] or [dgp()] has that of its mixture, intervals that are
#' quantiles of it, and no `use_observed = TRUE` (`neargp_error_argument`).
#'
#' @param object a fit of [neargp()] to several outputs.
#' @param newdata as in [predict.neargp()].
#' @param type `"response"` for new observations, `"quantile"` for their quantiles at `probs`,
#'   `"link"` for the process without noise.
#' @param interval,level,probs,chunk_size,threads,device,verbose as in [predict.neargp()].
#' @param threshold a number for all outputs, or one for each, in their order or with their names:
#'   adds the probability that a new observation is greater than it.
#' @param k,k_other number of neighbours of the own output and of each other one (not of a fit by
#'   [svgp()], which has none); by default `k` as in [predict.neargp()], and `k_other` in the
#'   proportion of the fit.
#' @param covariance `TRUE` (not with `use_observed`): attribute `"covariance"` of the result is an
#'   array of the covariance matrices of the outputs, one for each row of `newdata`.
#' @param use_observed `TRUE`: outputs that `newdata` has as columns, where they are not `NA`, are
#'   taken as observed there, and help to predict the others at the same location, not to estimate
#'   the trend, which stays that of the fit. The prediction of an output never uses its own column.
#'   The columns are those that the response of the formula names.
#' @param output,cluster,overwrite files that predictions are written to, part by part, see
#'   [prediction_files], a cluster whose workers do so, and whether other files are replaced.
#'   Without `output` no `cluster` is taken. Not of a SpatRaster.
#' @param ... not used; arguments of [predict.neargp()] that several outputs do not have
#'   (`local_mean`, `sectors`, `joint`, `smooth`, `parameters`, `filename`, `threshold_of`,
#'   `trials`) are an error.
#' @return An object of the class of `newdata` with the columns `mean_<output>`, `sd_<output>` (or
#'   `q0.05_<output>`, ... for quantiles) and, with an interval, `lower_<output>` and
#'   `upper_<output>`, with a threshold `p_exceed_<output>`. Rows with missing covariates or
#'   coordinates get NA. With `output` the names of the files.
#' @section Errors: Those of [predict.neargp()].
#' @references Wackernagel, H. (2003). *Multivariate Geostatistics*, chapters 24 to 26. Springer.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(120), y = runif(120))
#' field <- sin(6 * d$x) + d$y
#' d$a <- field + rnorm(120, sd = 0.1)
#' d$b <- 2 * field + rnorm(120, sd = 0.3)
#' d$b[1:60] <- NA
#' fit <- neargp(cbind(a, b) ~ 1, d, coords = ~ x + y, method = loo_k(k = 15))
#' place <- data.frame(x = 0.5, y = 0.5, a = 0.6)
#' predict(fit, place)
#' attr(predict(fit, place, covariance = TRUE), "covariance")
#' predict(fit, place, use_observed = TRUE)
#' predict(fit, place, threshold = c(a = 1, b = 2))
#' @export
predict.neargp_outputs <- function(object, newdata, type = c("response", "link", "quantile"),
                                   interval = c("none", "confidence", "prediction"), level = 0.95,
                                   probs = c(0.05, 0.5, 0.95), threshold = NULL, k = NULL,
                                   k_other = NULL, covariance = FALSE, use_observed = FALSE,
                                   chunk_size = NULL, threads = NULL, device = NULL,
                                   verbose = rlang::is_interactive(), cluster = NULL, output = NULL,
                                   overwrite = FALSE, ...) {
  elsewhere <- predicted_elsewhere(match.call(expand.dots = FALSE))
  if (!is.null(elsewhere)) return(elsewhere)
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  type <- if (missing(type) && interval == "confidence") "link" else check_choice(type, "type",
    c("response", "link", "quantile"))
  if (!missing(probs)) check_for_quantiles(probs, type)
  settings <- predict_settings(object, k, threads = threads, device = device, type = type,
    chunk_size = chunk_size, outputs = outputs_wanted(k_other, covariance, use_observed),
    interval = interval, level = check_level(level), verbose = check_flag(verbose, "verbose"))
  settings$probs <- check_probs(probs)
  settings$threshold <- check_output_thresholds(threshold, object$outputs)
  settings$threshold_of <- "observation"
  predict_target(object, newdata, settings)
}
