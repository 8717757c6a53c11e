#' Residuals, fitted values and leave-one-out predictions
#'
#' @description
#' `loo_predict()` predicts each observation from the others. `residuals()` and `fitted()` compare
#' the fit with its data.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' head(loo_predict(fit))
#' ```
#'
#' @details
#' `fitted()` returns the mean of the process, or of the expected response, given all observations:
#' the data smoothed by the nugget. Binomial responses count as numbers of successes.
#'
#' A leave-one-out prediction re-estimates the trend without the observation, and keeps the
#' covariance parameters. For a Gaussian response it is universal kriging in closed form (Dubrule
#' 1983): with error \eqn{r}, variance \eqn{v} and leverage \eqn{h}, the error is \eqn{r / (1 - h)}
#' and the variance \eqn{v / (1 - h)}. An observation (or location) that alone determines a
#' coefficient returns `NA` and `Inf`, with a warning.
#'
#' If locations repeat, `leave_out = "row"` measures predictions at known locations, and
#' `"location"` predictions at new ones. [vnngp()] removes an observation from its posterior, and
#' [loo_k()] its pseudo-observation. Probabilities of categories keep the trend and link of all
#' observations, so you should use [cross_validate()] with many covariates. With a `transform`,
#' results are on the response scale, except `"standardized"` and `"trend"`.
#'
#' @param object a fit by [neargp()].
#' @param type see the table below. Default: `"response"`.
#' @param k the number of neighbours, see [predict.neargp()]. Leave-one-out predictions of
#'   [exact_gp()] and [vecchia()] with inducing points use all others.
#' @param threads,... see [predict.neargp()].
#' @param leave_out `"row"`, a single observation, or `"location"`, all observations at the
#'   location. Default `NULL`: `"row"` for one response. For several responses it is `"location"`,
#'   the `leave_out` of [loo_k()], or for [svgp()] the whole row. `"location"` supports Gaussian
#'   responses by [exact_gp()], [vecchia()], [loo_k()], [mll_k()] and [svgp()], without `by = ~`,
#'   and all fits whose locations do not repeat.
#' @param parameters `"plug-in"`, or `"integrated"`, which averages over the posterior of the
#'   covariance parameters given the other observations. Default `NULL`: as [predict.neargp()].
#' @section Types of residuals:
#' | `type` | residual |
#' |---|---|
#' | `"response"` | observation minus fitted value |
#' | `"pearson"` | that, divided by the standard deviation of the noise or of the response given the process; `NA` if this is 0 |
#' | `"loo"` | observation minus leave-one-out prediction |
#' | `"standardized"` | that, divided by its standard deviation; normal quantiles of the PIT for other families, randomised for counts, at most 6 |
#' | `"trend"` | observation minus trend and offset (Gaussian) |
#' | `"quantile"` | normal quantiles of the PIT, for fits by [dspp()] and [dgp()] |
#'
#' `"standardized"` residuals are standard normal under the model (Dunn and Smyth 1996).
#' @return `residuals()` and `fitted()`: numbers, one for each row of the data, or a matrix for
#'   several responses. `loo_predict()`: a data frame with `mean` and `sd`, for several responses
#'   `mean_<output>` and `sd_<output>`, and for categories `prob_<level>` and `class`.
#' @references Dubrule, O. (1983). Cross validation of kriging in a unique neighborhood.
#'   *Mathematical Geology* 15, 687–699. Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile
#'   residuals. *Journal of Computational and Graphical Statistics* 5, 236–244.
#' @seealso [scores()], [cross_validate()], [plot.neargp()] for plots of residuals,
#'   [hatvalues.neargp()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' left_out <- loo_predict(fit)
#' head(left_out, 3)
#' sqrt(mean(residuals(fit, "loo")^2))
#' cor(left_out$mean, stations$precipitation)
#'
#' # Standardised residuals: which stations does the model not explain?
#' z <- residuals(fit, "standardized")
#' c(mean = mean(z), sd = sd(z))
#' stations[abs(z) > 3, c("lon", "lat", "elevation", "precipitation")]
#' head(cbind(fitted = fitted(fit), observed = stations$precipitation), 3)
#' @name residuals.neargp
#' @export
residuals.neargp <- function(object,
                             type = c("response", "pearson", "loo", "standardized", "trend"),
                             k = NULL, threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "pearson", "loo", "standardized", "trend"))
  data <- object$data
  values <- switch(type,
    response = observed_response(data) - smoothed(object$method, object, k, threads),
    pearson = pearson_residuals(object, k, threads),
    loo = observed_response(data) - leave_one_out(object, k, threads)$mean,
    standardized = loo_table(object, k, threads)$z,
    trend = trend_residuals(object)
  )
  residuals_of_rows(object, values)
}

residuals_of_rows <- function(object, values) {
  shown <- rows_of_data(object, values)
  if (!is.matrix(shown)) names(shown) <- object$row_names %||% seq_along(shown)
  stats::naresid(object$na_action, shown)
}

# Values of the rows of the fit in the layout of the rows of the data. With several responses, a row
# of the fit is one of them. The result then contains a column for each, like lm() with a matrix
# response.
rows_of_data <- function(object, values) {
  if (is.null(object$outputs)) values else output_matrix(object$data, values)
}

pearson_residuals <- function(object, k, threads) {
  if (has_transform(object$family)) return(pearson_of_transformed(object, k, threads))
  if (is_latent(object)) return(pearson_of_latent(object, k, threads))
  check_pearson_noise(object)
  (object$data$y - smoothed(object$method, object, k, threads)) / sqrt(noise_of_rows(object))
}

check_pearson_noise <- function(object) {
  if (any(object$nugget == 0)) {
    abort_argument("type",
      "another than \"pearson\" for a fit without nugget, whose noise is zero",
      "pearson")
  }
}

trend_residuals <- function(object) {
  check_gaussian(object$family,
    abort_argument("type", "another than \"trend\", which is for Gaussian responses", "trend"))
  gaussian_trend_residuals(object)
}

gaussian_trend_residuals <- function(object) {
  if (is_compressed(object$data)) {
    columns <- response_columns(object$data)
    p <- ncol(columns) - 1L
    beta <- core_trend(object)$beta
    return(columns[, 1L] - drop(columns[, -1L, drop = FALSE] %*% beta[seq_len(p)]) -
      effect_products(object$data, beta[-seq_len(p)]))
  }
  columns <- response_columns(object$data)
  columns[, 1L] - drop(columns[, -1L, drop = FALSE] %*% core_trend(object)$beta)
}

#' @rdname residuals.neargp
#' @export
fitted.neargp <- function(object, k = NULL, threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  values <- smoothed(object$method, object, k, threads)
  stats::naresid(object$na_action, rows_of_data(object, values))
}

#' @rdname residuals.neargp
#' @export
loo_predict <- function(object, k = NULL, threads = NULL, leave_out = NULL,
                        parameters = NULL) {
  check_required()
  UseMethod("loo_predict")
}

#' @export
loo_predict.default <- function(object, k = NULL, threads = NULL, leave_out = NULL,
                                parameters = NULL) {
  abort_argument("object", "a fit of neargp()", object)
}

#' @export
loo_predict.neargp <- function(object, k = NULL, threads = NULL, leave_out = NULL,
                               parameters = NULL) {
  check_fit(object)
  if (is_streamed(object)) refuse_rows("loo_predict()")
  unit <- unit_left_out(object, leave_out)
  if (inherits(object, "neargp_classifier") && !is_integrated(parameters, object)) {
    return(new_left_out(loo_classes(object, k, threads), unit))
  }
  left <- left_out_by(parameters, object, k, threads, leave_out)
  predicted <- lapply(moments_of_left_out(object, left)[c("mean", "sd")],
    function(values) stats::naresid(object$na_action, rows_of_data(object, values)))
  new_left_out(output_columns(predicted, object$outputs), unit)
}

new_left_out <- function(table, unit) {
  structure(table, left_out = unit, class = c("neargp_left_out", "data.frame"))
}

# A selection of columns loses `left_out`, and is printed without the header.
#' @export
print.neargp_left_out <- function(x, ...) {
  if (!is.null(attr(x, "left_out"))) {
    cat(sprintf("Leave-one-out predictions of %s rows, each from %s\n", format_count(nrow(x)),
      c(row = "the other rows", location = "the other locations")[attr(x, "left_out")]))
  }
  print.data.frame(x, ...)
  invisible(x)
}

# The expected response at the data given all of them.
smoothed <- function(method, object, k, threads) {
  UseMethod("smoothed")
}

# A fit without nugget reproduces its data.
#' @export
smoothed.default <- function(method, object, k, threads) {
  if (is_latent(object)) return(posterior_response(object, k, threads)$mean)
  data <- object$data
  known <- noise_of_rows(object) == 0
  if (all(known)) return(data$y)
  settings <- predict_settings(object, k, threads = threads)
  at <- training_target(object)
  settings$context <- prediction_context(object, length(at$complete), settings)
  mean <- chunked_moments(object, at, settings)$mean
  ifelse(known, data$y, mean[targets_of_rows(data)])
}
