#' Predict several responses (cokriging)
#'
#' @description
#' Returns the mean and standard deviation of each response, given observations of all.
#'
#' ```r
#' fit <- neargp(cbind(Ozone, Solar.R) ~ 1, airquality, coords = ~ Wind + Temp)
#' predict(fit, data.frame(Wind = 10, Temp = 80))
#' ```
#'
#' @details
#' A response is predicted from its `k` nearest observations and the `k_other` nearest of each other
#' response. [svgp()], [dspp()] and [dgp()] use no neighbours.
#'
#' @param object a fit by [neargp()] to several responses.
#' @param newdata see [predict.neargp()].
#' @param type `"response"` (default), `"quantile"` or `"link"`.
#' @param interval,level,probs,chunk_size,threads,device,verbose see [predict.neargp()].
#' @param threshold one number or one for each response, in order or named. Adds
#'   `p_exceed_<output>`. Default `NULL`: none.
#' @param k,k_other the numbers of neighbours of the own and of each other response. Default `NULL`:
#'   as in [predict.neargp()] and in the fit.
#' @param covariance `TRUE` adds the attribute `"covariance"`, an array with a matrix for each row.
#'   Default: `FALSE`.
#' @param use_observed `TRUE`: responses in `newdata` help to predict the others there, except for
#'   [dspp()] and [dgp()]. Default: `FALSE`.
#' @param output,cluster,overwrite see [prediction_files].
#' @param ... not used.
#' @return An object like `newdata` with `mean_<output>`, `sd_<output>` (or `q0.05_<output>`, ...),
#'   `lower_<output>` and `upper_<output>`.
#' @references Wackernagel, H. (2003). *Multivariate Geostatistics*, chapters 24 to 26. Springer.
#' @seealso [cov_coregionalisation()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(120), y = runif(120))
#' shared <- sin(6 * d$x) + d$y
#' d$a <- shared + rnorm(120, sd = 0.1)
#' d$b <- 2 * shared + rnorm(120, sd = 0.3)
#' d$b[1:60] <- NA
#' fit <- neargp(cbind(a, b) ~ 1, d, coords = ~ x + y)
#' at <- data.frame(x = 0.5, y = 0.5, a = 0.6)
#' predict(fit, at, threshold = c(a = 1, b = 2))
#' predict(fit, at, use_observed = TRUE)
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
