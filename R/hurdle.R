# Hurdle models: whether a response is there, and how much of it where it is, by two fits.

#' Hurdle models of two fits
#'
#' A response that is 0 or positive, of which the zeros are one process and the positive values
#' another: `presence` says with which probability the response is not 0, `positive` what it is
#' where it is not 0. Given the places the two are independent, so that they are fitted by two calls
#' of [neargp()], each with its own field, trend, covariance and rows, and put together here: P(Y <=
#' q) = 1 - p + p F(q), p the predicted probability of presence and F the predicted distribution of
#' a positive response. (Where both share one field, or zeros are the low end of what is positive,
#' [tweedie()] or [zi_nbinom2()] is one fit.)
#'
#' @param presence a fit of a [stats::binomial()] response of 0 and 1, or of two classes, of which
#'   the second is presence.
#' @param positive a fit of the positive responses alone: [truncated_poisson()],
#'   [truncated_nbinom2()], [`Gamma(link = "log")`][stats::Gamma], [beta_response()] or a gaussian
#'   response with `transform = "log"`.
#' @param object,x a hurdle model.
#' @param newdata a data frame, sf points or SpatRaster with the columns that both fits need, see
#'   [predict.neargp()]. Without it `scores()` is of the rows of the fits, each predicted from the
#'   others.
#' @param type of `predict()` `"response"`, a new observation, or `"quantile"`; of `residuals()`
#'   `"response"`, observation minus fitted value, `"loo"`, minus the prediction from the other
#'   rows, or `"standardized"`, normal quantiles of that prediction's distribution function,
#'   randomised within 0 and within counts (Dunn and Smyth 1996): standard normal under the model.
#' @param interval `"none"`; `"prediction"`, quantiles of a new observation; `"confidence"`, those
#'   of the expected response, the product of probability and positive mean, over what is not known
#'   of the two fields.
#' @param level probability of the interval.
#' @param probs probabilities of the quantiles.
#' @param threshold `NULL` or numbers of at least 0 for which the probability that a new observation
#'   exceeds them is given.
#' @param chunk_size,filename,overwrite,output,cluster as in [predict.neargp()]: cells of a
#'   SpatRaster at a time, a file for its layers, and files that predictions are written to, part by
#'   part ([prediction_files]), also by the workers of a cluster; without `output` no `cluster` is
#'   taken.
#' @param threads number of threads, as in [neargp()].
#' @param observed the observations of `newdata`, or the name of their column, 0 where there is
#'   nothing.
#' @param nsim number of draws.
#' @param seed see [simulate.neargp()].
#' @param part the fit whose coefficients are wanted, or `"both"`, with the names of the parts
#'   before those of the coefficients.
#' @param what `"trend"` or `"covariance"`, as in [coef.neargp()].
#' @param formula.,presence_arguments,positive_arguments,evaluate of `update()`: a formula such as
#'   `. ~ . + depth` for both fits, lists of arguments of [neargp()] for one of them, and whether
#'   the model is fitted (or its call returned). Further arguments are for both.
#' @param folds,refit,verbose as in [cross_validate()]: folds of the rows of `presence`, of which
#'   the positive fit leaves out those that it has.
#' @param effects,conf.int,conf.level,exponentiate,data,se_fit as in [tidiers].
#' @param which of `plot()`: `"predictions"`, observed against leave-one-out predicted responses,
#'   and `"pit"`, the histogram of the distribution function there, flat where all is well.
#' @param parm names or numbers of the coefficients whose limits are wanted; all by default.
#' @param digits significant digits.
#' @param ... for `print()` and `update()` further arguments; else not used.
#' @return `neargp_hurdle()`: an object of class `neargp_hurdle`, a list of the two fits.
#'   `predict()`: a row for each of `newdata`, in its class, with `presence`, the probability,
#'   `mean` and `sd` of a new observation (or `q0.05` ...), `lower`, `upper` and `p_exceed` as of
#'   [predict.neargp()], and with `interval = "confidence"` `se`, the standard deviation of the
#'   expected response, or with `output` the names of the files. `scores()`: as [scores()] of a fit.
#'   `simulate()`: a matrix with a row for each of `newdata` and a column for each draw. `logLik()`:
#'   the sum of what the fits maximised, no likelihood as these are none (`AIC()`, `BIC()` and
#'   `deviance()` stop with `neargp_error_not_likelihood`); `nobs()`: the rows of `presence`.
#'   `coef()` and `vcov()`: of both fits, which are independent. `summary()`: a list of both.
#'   `fitted()` and `residuals()`: a number for each row of `presence`; fitted values are the
#'   product of both fits' (where nothing is, of the positive fit's prediction). `update()`: a
#'   hurdle model. `cross_validate()`: as of one fit. `tidy()`: as of a fit, with a column
#'   `component`; `glance()`: `nobs`, `n_positive`, `df`, `logLik`, `converged`, `elapsed`;
#'   `augment()`: the rows with `.presence`, `.fitted`, `.resid`, `.loo_mean`, `.loo_sd`,
#'   `.loo_std_resid`, or `newdata` with `.presence`, `.fitted`, `.se.fit`, `.lower`, `.upper`.
#'   `plot()` and `autoplot()`: as of [plot.neargp()], by default of both plots and of the first.
#' @section Rows of both fits: The positive fit has to be of the rows of `presence` that are
#'   present, in their order and at their places, as in the example; for `fitted()`, `residuals()`,
#'   `augment()`, `plot()`, `cross_validate()` and `scores()` without `newdata` the data have to be
#'   found where the call of `presence` named them. Else `neargp_error_fits` or
#'   `neargp_error_newdata` says so.
#' @section Errors: `neargp_error_argument` for fits of other responses, or other arguments;
#'   `neargp_error_response` for negative observations; those of [predict.neargp()].
#' @references
#' Mullahy, J. (1986). Specification and testing of some modified count data models. *Journal of
#' Econometrics* 33, 341--365.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200))
#' d$catch <- rbinom(200, 1, plogis(3 * sin(6 * d$x))) * rgamma(200, 3, 3 / exp(d$y))
#' presence <- neargp((catch > 0) ~ 1, d, coords = ~ x + y, family = binomial(),
#'   method = vnngp(k = 8))
#' positive <- neargp(catch ~ 1, d[d$catch > 0, ], coords = ~ x + y, family = Gamma("log"),
#'   method = vnngp(k = 8))
#' hurdle <- neargp_hurdle(presence, positive)
#' predict(hurdle, d[1:3, ], interval = "prediction", threshold = 1)
#' predict(hurdle, d[1:3, ], interval = "confidence")
#' scores(hurdle)
#' head(augment(hurdle))
#' richer <- update(hurdle, positive_arguments = list(formula = . ~ y))
#' coef(richer)
#' @export
neargp_hurdle <- function(presence, positive) {
  check_given(missing(presence), "presence", "a fit of neargp()")
  check_given(missing(positive), "positive", "a fit of neargp()")
  check_class(presence, "presence", "neargp", "a fit of neargp()")
  check_class(positive, "positive", "neargp", "a fit of neargp()")
  if (presence$family$family != "binomial" || !is.null(presence$data$trials)) {
    abort_argument("presence", "a fit of a binomial() response of 0 and 1", presence)
  }
  allowed <- c("truncated_poisson", "truncated_nbinom2", "Gamma", "beta")
  logarithm <- has_transform(positive$family) && is_gaussian(positive$family)
  if (!is.null(positive$outputs) || !(positive$family$family %in% allowed || logarithm)) {
    abort_neargp("argument", c(
      sprintf("`positive` must be a fit of positive responses, not of %s one.",
        with_article(positive$family)),
      i = "truncated_poisson(), truncated_nbinom2(), Gamma(\"log\"), beta_response(), or transform = \"log\"."))
  }
  structure(list(presence = presence, positive = positive), class = "neargp_hurdle")
}

# ---- predictions ---------------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
predict.neargp_hurdle <- function(object, newdata, type = c("response", "quantile"),
                                  interval = c("none", "prediction", "confidence"), level = 0.95,
                                  probs = c(0.05, 0.5, 0.95), threshold = NULL, chunk_size = NULL,
                                  threads = NULL, verbose = rlang::is_interactive(),
                                  filename = NULL, overwrite = FALSE, cluster = NULL,
                                  output = NULL, ...) {
  elsewhere <- predicted_elsewhere(match.call(expand.dots = FALSE))
  if (!is.null(elsewhere)) return(elsewhere)
  type <- check_choice(type, "type", c("response", "quantile"))
  interval <- check_choice(interval, "interval", c("none", "prediction", "confidence"))
  check_level(level)
  settings <- list(type = type, interval = interval, level = level,
    probs = if (type == "quantile") check_probs(probs), threshold = check_threshold(threshold),
    threads = threads)
  if (!is_raster(newdata)) {
    return(restorer(newdata)(hurdle_columns(object, newdata, settings)))
  }
  raster_by_blocks(newdata, list(file = raster_file(newdata, filename, overwrite),
    chunk_size = check_count(chunk_size %||% 1e5, "chunk_size"),
    verbose = check_flag(verbose, "verbose")), function(cells) {
      hurdle_columns(object, raster_of_window(newdata, window_of_cells(newdata, cells)), settings)
    })
}

hurdle_columns <- function(object, newdata, settings) {
  observation <- hurdle_distribution(object, newdata, settings$threads)
  given <- list(observation = observation, expected = if (settings$interval == "confidence")
    expected_limits(object, newdata, observation, settings$level, settings$threads))
  as.data.frame(c(list(presence = observation$p), predictive_columns(given, settings)),
    optional = TRUE)
}

# From both predictions: the probability of presence, and the distribution of a positive response.
hurdle_distribution <- function(object, newdata, threads = NULL) {
  if (is_stars(newdata)) {
    abort_argument("newdata", "a data frame, sf points or a SpatRaster", newdata)
  }
  new_inflated(predicted_numbers(object$presence, newdata, "response", threads)$mean,
    positive_response(object$positive, newdata, threads))
}

positive_response <- function(positive, newdata, threads = NULL) {
  link <- predicted_numbers(positive, newdata, "link", threads)
  new_mixture(link$mean, link$sd, positive$family, response_parameters(positive), 1,
    scored_weights(positive, newdata, 1))
}

# Predictions as plain columns.
predicted_numbers <- function(fit, newdata, type, threads = NULL) {
  predicted <- stats::predict(fit, newdata, type = type, verbose = FALSE, threads = threads)
  if (is_raster(predicted)) as.data.frame(terra::values(predicted)) else
    as.list(drop_geometry(predicted))
}
