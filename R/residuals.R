#' Fitted values and residuals
#'
#' `fitted()` is the mean of the latent field (of the expected response, where that is not gaussian) at the data, given all neighbours and
#' the observation itself: the data smoothed by the nugget.
#' (Without a nugget it is the data.) Binomial responses count as numbers of successes, also where the response of the formula is a
#' proportion, and fitted values are for the trials of each row. `residuals()` are of five kinds; the leave-one-out ones tell how well the model predicts.
#'
#' @param object a fit of [neargp()].
#' @param type `"response"`: observation minus fitted value; `"pearson"`: that, divided by the standard deviation of the noise, or of the response given
#'   the field;
#'   `"loo"`: observation minus its prediction from its nearest others; `"standardized"`: that, divided by its predictive standard
#'   deviation, standard normal under the model; `"trend"`: observation minus trend and offset, the process plus noise (gaussian responses only).
#'   Unless the response is gaussian, `"standardized"` residuals are normal quantiles of the probability integral transform of the leave-one-out
#'   prediction, of counts randomised by R's generator (Dunn and Smyth 1996): standard normal under the model, too. Beyond 6 they are set to 6.
#' @param k number of neighbours, as in [predict.neargp()]. Every other observation for [exact_gp()].
#' @param threads,... as in [predict.neargp()].
#' @return Numeric vector with one value for each row of the data, after `subset`; where `na.action` is `na.exclude`, dropped rows are NA. For several
#'   outputs a matrix with a column for each; NA where an output was not observed.
#'   `loo_predict()` returns a data frame with the columns `mean` and `sd` of the leave-one-out prediction of each observation; for a fit to
#'   several outputs `mean_<output>` and `sd_<output>`, given the nearest observations at other places (or, with `leave_out = "row"` in [loo_k()], at
#'   the same one, too); for a fit to classes `prob_<level>` and `class`, as in [predict.neargp_classifier()].
#' @references Dubrule, O. (1983). Cross validation of kriging in a unique neighborhood. *Mathematical Geology* 15, 687–699.
#'
#' Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of Computational and Graphical Statistics* 5, 236–244.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10))
#' sqrt(mean(residuals(fit, "loo")^2))
#' @name residuals.neargp
#' @export
residuals.neargp <- function(object, type = c("response", "pearson", "loo", "standardized", "trend"), k = NULL, threads = NULL,
                             ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "pearson", "loo", "standardized", "trend"))
  data <- object$data
  values <- switch(type,
    response = data$y - smoothed(object, k, threads),
    pearson = pearson_residuals(object, k, threads),
    loo = data$y - leave_one_out(object, k, threads)$mean,
    standardized = loo_table(object, k, threads)$z,
    trend = trend_residuals(object)
  )
  names(values) <- object$row_names %||% seq_along(values)
  stats::naresid(object$na_action, values)
}

pearson_residuals <- function(object, k, threads) {
  if (is_latent(object)) return(pearson_of_latent(object, k, threads))
  if (object$nugget == 0) {
    abort_argument("type", "another than \"pearson\" for a fit without nugget, whose noise has no standard deviation", "pearson")
  }
  (object$data$y - smoothed(object, k, threads)) / sqrt(object$nugget / object$data$weights)
}

trend_residuals <- function(object) {
  if (!is_gaussian(object$family)) abort_argument("type", "another than \"trend\", which is for gaussian responses", "trend")
  data <- object$data
  data$y - data$offset - drop(data$X %*% object$beta)
}

#' @rdname residuals.neargp
#' @export
fitted.neargp <- function(object, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  stats::naresid(object$na_action, smoothed(object, k, threads))
}

#' @rdname residuals.neargp
#' @export
loo_predict <- function(object, k = NULL, threads = NULL) {
  check_class(object, "object", "neargp", "a fit of neargp()")
  if (inherits(object, "neargp_classifier")) return(loo_classes(object, k, threads))
  if (inherits(object, "neargp_outputs")) return(loo_outputs(object, k, threads))
  predicted <- leave_one_out(object, k, threads)
  data.frame(mean = stats::naresid(object$na_action, predicted$mean), sd = stats::naresid(object$na_action, predicted$sd))
}

# The expected response at the data given all of them.
smoothed <- function(object, k, threads) {
  if (is_latent(object)) return(posterior_response(object, k, threads)$mean)
  data <- object$data
  if (object$nugget == 0) return(data$y)
  settings <- predict_settings(object, k, threads = threads)
  device <- choose_device(settings$device, length(data$y), settings$k)
  on_device(device, chunked_moments(object, training_target(object), settings)$mean, search_of(object))
}

# Mean and sd of each observation given its nearest others. The trend coefficients and covariance parameters stay those of all rows.
leave_one_out <- function(object, k, threads) {
  if (is_latent(object)) return(cavity_response(object, k, threads))
  data <- object$data
  settings <- predict_settings(object, k, threads = threads)
  moments <- if (settings$exact) {
    exact_moments_given_others(object)
  } else {
    device <- choose_device(settings$device, length(data$y), settings$k)
    on_device(device, moments_given_nearest_others(object, settings), search_of(object))
  }
  list(mean = moments$mean, sd = sqrt(moments$variance + object$nugget / data$weights))
}

moments_given_nearest_others <- function(object, settings) {
  data <- object$data
  component <- metric_component(object$core_covariance)
  k <- min(settings$k, length(data$y) - 1L)
  neighbors <- core_neighbors_others(core_scale(data$coords, component), k, settings$threads)
  conditional_moments(object, data$coords, data$X, data$offset, settings, neighbors)
}

# All rows but one at the price of one inverse: with Q = (K + noise)^-1 row i of a column z is predicted from its other rows by
# z_i - (Q z)_i / Q_ii, with variance 1 / Q_ii, noise included (Dubrule 1983).
exact_moments_given_others <- function(object) {
  data <- object$data
  noise <- object$nugget / data$weights
  covariance <- core_covariance_matrix(data$coords, data$coords, object$core_covariance)
  diag(covariance) <- diag(covariance) + noise
  precision <- chol2inv(rlang::try_fetch(chol(covariance), error = function(condition) abort_cholesky(0L)))
  columns <- response_columns(data)
  weighted <- columns - precision %*% columns / diag(precision)
  trend_moments(object, weighted, 1 / diag(precision) - noise, data$X, data$offset)
}
