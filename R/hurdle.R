# Hurdle models: whether a response is there, and how much of it where it is, by two fits.

#' Hurdle models (delta models)
#'
#' @description
#' Combines two fits: one for presence, and one for the positive responses. Experimental.
#'
#' ```r
#' gauges <- subset(wet_days(), lon < -110 & !is.na(on_21st))
#' presence <- neargp((on_21st > 0) ~ 1, gauges, coords = ~ lon + lat, crs = 4326,
#'   family = binomial())
#' positive <- neargp(on_21st ~ 1, subset(gauges, on_21st > 0), coords = ~ lon + lat, crs = 4326,
#'   family = Gamma("log"))
#' predict(neargp_hurdle(presence, positive), gauges[1:3, ])
#' ```
#'
#' @details
#' P(Y <= q) = 1 - p + p F(q), with p the probability of presence and F the distribution of positive
#' responses. Two fits are independent of each other. A [joint fit][joint_models] of both shares
#' processes, and its uncertainty includes that of all parameters.
#'
#' The positive fit contains the present rows of `presence` in their order. `fitted()`,
#' `residuals()`, `augment()`, `plot()`, `cross_validate()`, `model.frame()` and leave-one-out
#' `scores()` find the data by the name in the call. `simulate()` always needs `newdata`.
#'
#' For a joint fit, `scores()` and `augment()` need `newdata`. `fitted()`, `residuals()`,
#' `cross_validate()`, `ranef()` and `interval = "confidence"` are errors.
#'
#' @param presence a fit to a [stats::binomial()] response of 0 and 1, or to two categories, the
#'   second of which is presence. Or a joint fit of both, without `positive`.
#' @param positive a fit to the positive responses: [truncated_poisson()], [truncated_nbinom2()],
#'   [`Gamma(link = "log")`][stats::Gamma], [beta_response()], or Gaussian with `transform = "log"`.
#' @param object,x a hurdle model.
#' @param newdata new data for both fits.
#' @param type `predict()`: `"response"` or `"quantile"`. `residuals()`: `"response"`, `"loo"` or
#'   `"standardized"`, which returns randomised normal quantiles of the PIT. Set a seed for these.
#' @param interval `"none"`, `"prediction"` for a new observation, or `"confidence"` for the
#'   expected response.
#' @param level,probs,threshold,chunk_size,filename,overwrite,output,cluster,threads see
#'   [predict.neargp()]. `cluster` needs `output`.
#' @param observed the observations of `newdata`, or the name of their column, 0 where absent.
#' @param nsim,seed see [simulate.neargp()].
#' @param part `"both"`, `"presence"` or `"positive"`.
#' @param what,parm see [coef.neargp()].
#' @param formula.,presence_arguments,positive_arguments,evaluate `update()`: a formula for both
#'   fits, lists of arguments for one of them, and whether to fit.
#' @param folds,refit,verbose see [cross_validate()].
#' @param effects,conf.int,conf.level,exponentiate,data,se_fit see [tidiers].
#' @param which plots: `"predictions"` (leave-one-out) or `"pit"`.
#' @param digits the number of significant digits.
#' @param ... further arguments of `print()` and `update()`.
#' @return An object of class `neargp_hurdle`, a list of both fits. `predict()` returns `presence`,
#'   `mean`, `sd`, `lower`, `upper` and `p_exceed`, with `interval = "confidence"` the standard
#'   error `se`, and for quantiles `q0.05`, and so on. `formula()`, `family()`, `model.frame()` and
#'   `ranef()` return a list with `presence` and `positive`, or by response for a joint fit.
#'   `summary()`, `coef()`, `vcov()`, `confint()`, `tidy()`, `glance()`, `nobs()`, `fitted()`,
#'   `residuals()`, `augment()`, `scores()`, `cross_validate()`, `simulate()` and `update()` return
#'   what they return for one fit, or for the joint fit. `logLik()` is the sum of both objectives,
#'   and `AIC()` is an error.
#' @references Mullahy, J. (1986). *Journal of Econometrics* 33, 341–365.
#' @seealso [tweedie()] and [zi_nbinom2()] for presence and amounts that depend on one process.
#' @examples
#' # Catches: zero in many hauls, else a positive weight
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
#' head(augment(hurdle), 3)
#'
#' # A covariate of the positive part
#' richer <- update(hurdle, positive_arguments = list(formula = . ~ y))
#' coef(richer)
#' tidy(richer)
#'
#' # Both parts share processes: the index of abundance
#' d$amount <- ifelse(d$catch > 0, d$catch, NA)
#' both <- neargp(list(catch > 0 ~ 1, amount ~ 1), d, coords = ~ x + y,
#'   family = list(binomial(), Gamma("log")), method = vnngp(k = 8))
#' cells <- expand.grid(x = 1:9 / 10, y = 1:9 / 10)
#' predict_index(neargp_hurdle(both), cells, area = 0.01, statistics = "index")
#' @export
neargp_hurdle <- function(presence, positive) {
  check_given(missing(presence), "presence", "a fit of neargp()")
  if (inherits(presence, "neargp_joint")) {
    if (!missing(positive)) abort_argument("positive", "missing after a joint fit", positive)
    return(joint_hurdle(presence))
  }
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
  inform_other_rows(presence, positive)
  structure(list(presence = presence, positive = positive), class = "neargp_hurdle")
}

# Two fits to different numbers of rows are a model, but perhaps not the intended one.
inform_other_rows <- function(presence, positive) {
  if (is_streamed(presence) || is_streamed(positive)) return(invisible())
  rows <- c(sum(is_present(presence)), length(positive$data$y))
  if (rows[1L] == rows[2L]) return(invisible())
  inform_neargp("fits", c(
    sprintf("`presence` has %s with the response present, and `positive` is a fit to %s.",
      counted(rows[1L], "row"), counted(rows[2L], "row")),
    i = "If that is not intended, fit `positive` to exactly these rows. fitted(), residuals() and cross_validate() need them."))
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
  newdata <- grid_of_hurdle(object, newdata)
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

# A stars grid with the columns of both fits as attributes.
grid_of_hurdle <- function(object, newdata) {
  grid_of_parts(list(parts = hurdle_fits(object)), newdata)
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
  UseMethod("hurdle_distribution")
}

#' @export
hurdle_distribution.default <- function(object, newdata, threads = NULL) {
  new_inflated(predicted_numbers(object$presence, newdata, "response", threads)$mean,
    positive_response(object$positive, newdata, threads))
}

positive_response <- function(positive, newdata, threads = NULL) {
  link <- predicted_numbers(positive, newdata, "link", threads)
  at <- list(parameter_columns = scored_columns(positive, newdata))
  mean <- where_known(link$mean, at$parameter_columns)
  new_mixture(mean, link$sd, positive$family, response_parameters(positive, at), 1,
    scored_weights(positive, newdata, 1))
}

# Predictions as plain columns.
predicted_numbers <- function(fit, newdata, type, threads = NULL) {
  known <- if (!inherits(fit, "neargp_classifier")) list(parameters = "plug-in")
  result_columns(do.call(stats::predict, c(list(fit, newdata, type = type, verbose = FALSE,
    threads = threads), known)))
}

is_present <- function(presence) {
  if (inherits(presence, "neargp_classifier"))
    return(as.integer(observed_classes(presence)) == 2L)
  presence$data$y == 1
}

hurdle_fits <- function(object) unclass(object)[c("presence", "positive")]
