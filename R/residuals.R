#' Fitted values and residuals
#'
#' `fitted()` is the mean of the latent field (of the expected response, where that is not gaussian)
#' at the data, given all neighbours and the observation itself: the data smoothed by the nugget.
#' (Without a nugget it is the data.) Binomial responses count as numbers of successes, also where
#' the response of the formula is a proportion, and fitted values are for the trials of each row.
#' `residuals()` are of five kinds; the leave-one-out ones tell how well the model predicts.
#'
#' @details
#' A leave-one-out prediction is conditioned on the nearest others, and the trend is estimated from
#' the others, too; the covariance parameters stay those of all rows. For a gaussian response that
#' is universal kriging from all other rows in closed form (Dubrule 1983), exactly so for
#' [exact_gp()] and `k = n - 1`: with \eqn{r} and \eqn{v} a row's error and variance given its
#' neighbours and the trend of all rows, the error is \eqn{r / (1 - h)} and the variance \eqn{v / (1
#' - h)}, where the leverage \eqn{h} says how much of the trend rests on the row. Trends with many
#' coefficients have large leverages: without them errors look better than those of new
#' observations. Several outputs are left out place by place.
#'
#' A row that alone determines a coefficient, as the only one of a level of a factor, cannot be
#' predicted from the others: its mean is `NA` and its standard deviation `Inf`, and a warning of
#' class `neargp_warning_leverage` names it. With `leave_out = "location"` this holds for a location
#' that alone determines a coefficient.
#'
#' Where locations repeat, `loo_predict(fit, leave_out = "row")` judges predictions of a further
#' observation at a known location, and `leave_out = "location"` predictions at a new location.
#'
#' Of responses that are not gaussian, [vnngp()] takes a row's term out of its posterior, that of
#' the trend included; [loo_k()] takes its pseudo-observation out of the trend as above, to which
#' the trend of its score is near. The probabilities of classes keep the trend and link of all rows:
#' with many covariates judge them by [cross_validate()], which does not.
#'
#' Of a response with a `transform` in [neargp()] everything is on its own scale, but for residuals
#' of type `"standardized"`, which are those of the transformed response, and `"trend"`.
#'
#' @param object a fit of [neargp()].
#' @param type `"response"`: observation minus fitted value; `"pearson"`: that, divided by the
#'   standard deviation of the noise, or of the response given the field; `"loo"`: observation minus
#'   its prediction from its nearest others; `"standardized"`: that, divided by its predictive
#'   standard deviation, standard normal under the model; `"trend"`: observation minus trend and
#'   offset, the process plus noise (gaussian responses only). Unless the response is gaussian,
#'   `"standardized"` residuals are normal quantiles of the probability integral transform of the
#'   leave-one-out prediction, of counts randomised by R's generator (Dunn and Smyth 1996): standard
#'   normal under the model, too. Beyond 6 they are set to 6.
#' @param k number of neighbours, as in [predict.neargp()]. Every other observation for
#'   [exact_gp()], and in leave-one-out predictions for [vecchia()] with inducing points.
#' @param threads,... as in [predict.neargp()].
#' @param leave_out what a prediction leaves out: `"row"`, a single observation, which the other
#'   observations at its location help to predict; or `"location"`, all observations at the
#'   location, as for a new location. Default `NULL`: `"row"` for one response. For several
#'   responses the default is `"location"`, or the `leave_out` of [loo_k()]. By [svgp()] of several
#'   responses it is the whole row of the data. `"location"` is for Gaussian responses by
#'   [exact_gp()], [vecchia()], [loo_k()], [mll_k()] and [svgp()], and for any fit whose locations
#'   do not repeat. A covariance with `by = ~ u` does not support it where they do.
#' @return Numeric vector with one value for each row of the data, after `subset`; where `na.action`
#'   is `na.exclude`, dropped rows are NA. For several outputs a matrix with a column for each; NA
#'   where an output was not observed. `loo_predict()` returns a data frame with the columns `mean`
#'   and `sd` of the leave-one-out prediction of each observation; for a fit to several outputs
#'   `mean_<output>` and `sd_<output>`, given the nearest observations at other places (or, with
#'   `leave_out = "row"` in [loo_k()], at the same one, too); for a fit to classes `prob_<level>`
#'   and `class`, as in [predict.neargp_classifier()].
#' @section Warnings: `neargp_warning_leverage`, see the details.
#' @section Errors: `neargp_error_method` where a method cannot leave out what `leave_out` names.
#' @references Dubrule, O. (1983). Cross validation of kriging in a unique neighborhood.
#'   *Mathematical Geology* 15, 687–699.
#'
#' Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of Computational and
#' Graphical Statistics* 5, 236–244.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10))
#' sqrt(mean(residuals(fit, "loo")^2))
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

# Values of the rows of the fit as the rows of the data have them: of several outputs, of which a
# row is one, a column for each, as lm() has them for a matrix response.
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
      "another than \"pearson\" for a fit without nugget, whose noise has no standard deviation",
      "pearson")
  }
}

trend_residuals <- function(object) {
  check_gaussian(object$family,
    abort_argument("type", "another than \"trend\", which is for gaussian responses", "trend"))
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
loo_predict <- function(object, k = NULL, threads = NULL, leave_out = NULL) {
  check_required()
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  if (is_streamed(object)) refuse_rows("loo_predict()")
  unit <- unit_left_out(object, leave_out)
  if (inherits(object, "neargp_classifier")) {
    return(new_left_out(loo_classes(object, k, threads), unit))
  }
  predicted <- lapply(leave_one_out(object, k, threads, leave_out)[c("mean", "sd")],
    function(values) stats::naresid(object$na_action, rows_of_data(object, values)))
  new_left_out(output_columns(predicted, object$outputs), unit)
}

new_left_out <- function(table, unit) {
  structure(table, left_out = unit, class = c("neargp_left_out", "data.frame"))
}

# Rows of the table that are taken out of it are printed as any.
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

# What has no nugget is its data.
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
