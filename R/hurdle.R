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
#' @param newdata a data frame or sf points with the columns that both fits need, see
#'   [predict.neargp()].
#' @param type `"response"`, a new observation, or `"quantile"`.
#' @param interval `"none"` or `"prediction"`: quantiles of a new observation.
#' @param level probability of the interval.
#' @param probs probabilities of the quantiles.
#' @param threshold `NULL` or numbers of at least 0 for which the probability that a new observation
#'   exceeds them is given.
#' @param observed the observations of `newdata`, or the name of their column, 0 where there is
#'   nothing.
#' @param nsim number of draws.
#' @param seed see [simulate.neargp()].
#' @param ... not used.
#' @return `neargp_hurdle()`: an object of class `neargp_hurdle`, a list of the two fits.
#'   `predict()`: a data frame with a row for each of `newdata`: `presence`, the probability, `mean`
#'   and `sd` of a new observation (or `q0.05` ...), `lower`, `upper` and `p_exceed` as of
#'   [predict.neargp()]. `scores()`: as [scores()] of a fit. `simulate()`: a matrix with a row for
#'   each of `newdata` and a column for each draw. `logLik()`: the sum of those of the fits.
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
#' scores(hurdle, d, observed = "catch")
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
      sprintf("`positive` must be a fit of positive responses, not of a %s one.",
        family_call(positive$family)),
      i = "truncated_poisson(), truncated_nbinom2(), Gamma(\"log\"), beta_response(), or transform = \"log\"."))
  }
  structure(list(presence = presence, positive = positive), class = "neargp_hurdle")
}

#' @rdname neargp_hurdle
#' @export
print.neargp_hurdle <- function(x, ...) {
  cat("Hurdle model: a response that is 0, or positive\n\n--- Presence ---\n")
  print(x$presence, ...)
  cat("\n--- Positive ---\n")
  print(x$positive, ...)
  invisible(x)
}

#' @rdname neargp_hurdle
#' @export
logLik.neargp_hurdle <- function(object, ...) {
  parts <- lapply(unclass(object), stats::logLik)
  structure(sum(vapply(parts, as.numeric, 0)), df = sum(vapply(parts, attr, 0, "df")),
    nobs = stats::nobs(object$presence), class = "logLik")
}

# ---- predictions ---------------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
predict.neargp_hurdle <- function(object, newdata, type = c("response", "quantile"),
                                  interval = c("none", "prediction"), level = 0.95,
                                  probs = c(0.05, 0.5, 0.95), threshold = NULL, ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "quantile"))
  interval <- check_choice(interval, "interval", c("none", "prediction"))
  check_level(level)
  hurdle <- hurdle_mixture(object, newdata)
  columns <- switch(type,
    response = list(mean = hurdle_mean(hurdle), sd = sqrt(hurdle_variance(hurdle))),
    quantile = quantile_columns(check_probs(probs), hurdle_quantile, hurdle = hurdle))
  if (interval == "prediction") {
    columns$lower <- hurdle_quantile((1 - level) / 2, hurdle)
    columns$upper <- hurdle_quantile((1 + level) / 2, hurdle)
  }
  exceeded <- exceedance_columns(check_threshold(threshold), "observation",
    function(at) 1 - hurdle_distribution(at, hurdle))
  as.data.frame(c(list(presence = hurdle$p), columns, exceeded), optional = TRUE)
}

# Both predictions: the probability of presence, and the mixture of a positive response.
hurdle_mixture <- function(object, newdata) {
  check_given(missing(newdata) || is.null(newdata), "newdata", "a data frame or sf points")
  positive <- object$positive
  link <- stats::predict(positive, newdata, type = "link", verbose = FALSE)
  list(p = stats::predict(object$presence, newdata, type = "response", verbose = FALSE)$mean,
    positive = new_mixture(link$mean, link$sd, positive$family, response_parameters(positive), 1,
      scored_weights(positive, newdata, 1)))
}

hurdle_mean <- function(hurdle) hurdle$p * mixture_mean(hurdle$positive)

# E Y^2 = p (v + m^2)
hurdle_variance <- function(hurdle) {
  p <- hurdle$p
  p * mixture_variance(hurdle$positive) + p * (1 - p) * mixture_mean(hurdle$positive)^2
}

hurdle_distribution <- function(q, hurdle) {
  q <- rep_len(q, length(hurdle$p))
  above <- which(q > 0)
  value <- ifelse(q < 0, 0, 1 - hurdle$p)
  value[above] <- value[above] + hurdle$p[above] * mixture_distribution(q[above],
    take_mixture(hurdle$positive, above))
  value
}

# The smallest y with P(Y <= y) >= prob.
hurdle_quantile <- function(prob, hurdle) {
  value <- ifelse(is.na(hurdle$p), NA_real_, 0)
  of_positive <- (prob - (1 - hurdle$p)) / hurdle$p
  above <- which(of_positive > 1e-12)
  value[above] <- mixture_quantile(pmin(of_positive[above], 1 - 1e-12),
    take_mixture(hurdle$positive, above))
  value
}

# ---- scores and draws ----------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
scores.neargp_hurdle <- function(object, newdata, observed, level = 0.95, ...) {
  check_no_more_arguments()
  check_level(level)
  check_given(missing(observed), "observed", "the observations of `newdata`, or their column")
  hurdle <- hurdle_mixture(object, newdata)
  y <- hurdle_observations(observed, newdata)
  summarize_scores(y, hurdle_scores(y, hurdle, level), level)
}

hurdle_observations <- function(observed, newdata) {
  if (rlang::is_string(observed)) {
    check_columns_present(observed, drop_geometry(newdata), "newdata")
    observed <- newdata[[observed]]
  }
  if (!is.numeric(observed) || length(observed) != nrow(newdata) || anyNA(observed)) {
    abort_argument("observed", "a number for each row of `newdata`, or the name of their column",
      observed)
  }
  if (any(observed < 0)) {
    abort_neargp("response", sprintf("Observed values in %s are negative.",
      format_rows(which(observed < 0))))
  }
  as.double(observed)
}

# The CRPS is E |Y - y| - E |Y - Y'| / 2, Y' another draw. Of the positive part that is c(y), and at
# y = 0 m - D / 2, D = E |Y - Y'|, so that D = 2 (m - c(0)). Together, with 0 in the place of either
# draw,
#   (1 - p) y + p (c(y) + D / 2) - p^2 D / 2 - p (1 - p) m.
hurdle_scores <- function(y, hurdle, level) {
  p <- hurdle$p
  is_positive <- y > 0
  part <- take_mixture(hurdle$positive, which(is_positive))
  m <- mixture_mean(hurdle$positive)
  least <- if (mixture_family(hurdle$positive)$discrete) 0 else .Machine$double.xmin
  spread <- 2 * (m - mixture_crps(rep(least, length(y)), hurdle$positive))
  log_density <- log1p(-p)
  log_density[is_positive] <- log(p[is_positive]) + mixture_density(y[is_positive], part,
    log = TRUE)
  # P(Y < y) and P(Y <= y)
  pit <- mixture_pit(y[is_positive], part)
  within <- function(own) replace(double(length(y)), is_positive, (1 - p + p *
    replace(double(length(y)), is_positive, own))[is_positive])
  data.frame(mean = hurdle_mean(hurdle), sd = sqrt(hurdle_variance(hurdle)),
    crps = (1 - p) * y + p * (mixture_crps(pmax(y, least), hurdle$positive) + spread / 2) -
      p^2 * spread / 2 - p * (1 - p) * m,
    log_score = -log_density, lower = hurdle_quantile((1 - level) / 2, hurdle),
    upper = hurdle_quantile((1 + level) / 2, hurdle), pit_lower = within(pit$lower),
    pit_upper = ifelse(is_positive, within(pit$upper), 1 - p), binary = FALSE)
}

#' @rdname neargp_hurdle
#' @export
simulate.neargp_hurdle <- function(object, nsim = 1, seed = NULL, newdata, ...) {
  check_no_more_arguments()
  nsim <- check_count(nsim, "nsim")
  check_given(missing(newdata), "newdata", "a data frame or sf points")
  state <- seed_generator(seed)
  on.exit(state$restore())
  draws <- function(fit) {
    columns <- drop_geometry(as.data.frame(stats::simulate(fit, nsim, newdata = newdata)))
    as.matrix(Filter(is.numeric, columns))
  }
  result <- draws(object$presence) * draws(object$positive)
  structure(unname(result), seed = state$seed)
}
