#' Recalibrated predictions
#'
#' A monotone map of the predictive distributions of a fit, learned from its leave-one-out
#' predictions: where observations fall outside of their intervals too often, or too seldom, the map
#' mends that for all predictions alike. What is returned is the fit with the map, whose
#' predictions, intervals, quantiles, scores and cross-validation use it; the fit that was given
#' stays as it was.
#'
#' @details
#' Under the model each row's standardised leave-one-out residual is standard normal
#' ([residuals()][residuals.neargp] of type `"standardized"`). Their quantiles, as a function `q` of
#' those of the normal distribution, say what is wrong: a line through the origin with slope 2 where
#' standard deviations are half of what they should be, an S where noise has heavy tails. With it an
#' observation that was predicted as `m + s x`, `x` standard normal, is predicted as `m + s q(x)`
#' (of a transformed response, on the transformed scale). In other words, the probability integral
#' transform is mapped by the distribution function of those of the rows (Kuleshov, Fenner and Ermon
#' 2018), here of leave-one-out predictions in place of a held-out set.
#'
#' `q` is a monotone cubic (Fritsch and Butland 1984) through quantiles at steps of half a standard
#' deviation or so, as far out as ten rows lie beyond, and a line from there: tails are normal, with
#' the spread of the outermost quantiles. It is drawn to the identity by the share of sampling error
#' in what it departs: with `d` the departures, `V` their covariance matrix under the model and `J`
#' their number, by the factor `max(0, 1 - J / d'V^-1 d)`. A fit without fault is so hardly changed,
#' and not at all by half of such samples.
#'
#' One map is for all places. It mends a nugget that was fixed at a wrong value, heavy tails and
#' skewness of the noise, but not variances that are too large here and too small there: see
#' `plot(fit, "residual_map")`, and local fields of the [covariance] for these. Leave-one-out
#' predictions are from near by; far from all data, and in gaps, predictions may have other faults.
#'
#' The latent field is not recalibrated: `type = "link"` and its intervals are what they were.
#' `simulate()` has no recalibrated draws, as the map says nothing of the dependence of places.
#' [cross_validate()] of a recalibrated fit has the map of all rows, held-out ones included, as its
#' `print()` says. `update()` fits the model anew and drops the map, with a message
#' (`neargp_message_recalibration`): call `recalibrate()` of the new fit.
#'
#' @param fit a fit of [neargp()] to one gaussian response, transformed or not.
#' @param k,threads of the leave-one-out predictions, as in [loo_predict()].
#' @return The fit with the map: `family(fit)$recalibration` is a list of `score`, normal quantiles,
#'   the `residual` for each of them, the `slope` of the curve there, and `kept`, the factor of the
#'   departures from the identity.
#' @section Errors: `neargp_error_recalibration` for other responses and for deep fits (whose
#'   distributions are not normal), fewer than 30 rows that can be predicted from the others, and
#'   rows from a source; `neargp_error_newdata` for a mean-field posterior, which leaves no rows
#'   out.
#' @references Fritsch, F. N. and Butland, J. (1984). A method for constructing local monotone
#'   piecewise cubic interpolants. *SIAM Journal on Scientific and Statistical Computing* 5,
#'   300--304.
#'
#'   Kuleshov, V., Fenner, N. and Ermon, S. (2018). Accurate uncertainties for deep learning using
#'   calibrated regression. *Proceedings of the 35th International Conference on Machine Learning*.
#' @seealso [scores()] for the coverage of intervals, [plot.neargp()] with `which = "qq"` for what
#'   is wrong, [response_family] for heavy tails, [predict.neargp()].
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(400), y = runif(400))
#' d$z <- sin(6 * d$x) + d$y + 0.1 * rt(400, df = 2)
#' held <- d[301:400, ]
#' fit <- neargp(z ~ 1, d[1:300, ], coords = ~ x + y)
#' scores(fit, held, level = 0.8)
#' scores(recalibrate(fit), held, level = 0.8)
#' @export
recalibrate <- function(fit, k = NULL, threads = NULL) {
  check_required()
  check_class(fit, "fit", "neargp", "a fit of neargp()")
  check_fit(fit)
  check_recalibrated(fit)
  check_leave_one_out(fit)
  normal <- normal_scale_fit(fit)
  left <- leave_one_out(normal, k, threads)
  residual <- ((normal$data$y - left$mean) / left$sd)[!is.na(left$mean)]
  if (length(residual) < 30L) {
    abort_neargp("recalibration",
      sprintf("The fit cannot be recalibrated: %d rows can be predicted from the others, and 30 are the fewest.",
        length(residual)))
  }
  fit$family$recalibration <- new_recalibration(residual)
  fit$method <- method_for(fit$method, fit$family, fit$data)
  fit
}

check_recalibrated <- function(fit) {
  gaussian <- is_gaussian(fit$family)
  reason <- if (is_streamed(fit)) "its rows are not in memory" else
    if (!is.null(fit$outputs)) "it has several outputs" else
    if (!gaussian) sprintf("its response is %s", family_call(fit$family)) else
    if (!has_ability(fit$method, "transform")) "its predictions are not normal" else
    if (stats::nobs(fit) < 30L) sprintf("it has %d rows, and 30 are the fewest", stats::nobs(fit))
  if (is.null(reason)) return(invisible())
  abort_neargp("recalibration", c(sprintf("The fit cannot be recalibrated: %s.", reason),
    i = if (!gaussian)
      "Another family, such as negative_binomial() for poisson(), or student_t(), has other tails."))
}

# ---- the map -------------------------------------------------------------------------------------

# `residual`: standard normal under the model.
new_recalibration <- function(residual) {
  n <- length(residual)
  outermost <- stats::qnorm(10 / n, lower.tail = FALSE)
  score <- seq(-outermost, outermost, length.out = 2L * max(floor(2 * outermost), 1L) + 1L)
  p <- stats::pnorm(score)
  departure <- stats::quantile(residual, p, names = FALSE, type = 9L) - score
  kept <- systematic_share(departure, p, n)
  knots <- score + kept * departure
  list(score = score, residual = knots, slope = monotone_slopes(score, knots), kept = kept)
}

# Sample quantiles at p have the covariance (min(p, p') - p p') / (n phi phi') about those of the
# normal distribution, so that d'V^-1 d has the mean J without a systematic departure, and more by
# the size of one.
systematic_share <- function(departure, p, n) {
  density <- stats::dnorm(stats::qnorm(p))
  V <- (outer(p, p, pmin) - outer(p, p)) / outer(density, density) / n
  max(0, 1 - length(p) / drop(departure %*% solve(V, departure)))
}

# The harmonic means of neighbouring slopes, with which cubics between equidistant knots are
# monotone; at the ends the secants, which go on beyond.
monotone_slopes <- function(x, y) {
  secant <- diff(y) / diff(x)
  before <- secant[-length(secant)]
  after <- secant[-1L]
  inner <- ifelse(before + after > 0, 2 * before * after / (before + after), 0)
  c(secant[1L], inner, secant[length(secant)])
}

describe_recalibration <- function(map) {
  if (is.null(map)) return(NULL)
  if (map$kept == 0) return("as they were: recalibrate() found no departure")
  sprintf("recalibrated by leave-one-out residuals (%s%% of their departure kept)",
    format(max(round(100 * map$kept), 1)))
}

#' @export
update.neargp <- function(object, ..., evaluate = TRUE) {
  if (isTRUE(evaluate)) tell_lost_recalibration(object)
  NextMethod()
}

tell_lost_recalibration <- function(fit) {
  if (is.null(fit$family$recalibration)) return(invisible())
  inform_neargp("recalibration", c("update() fits the model anew, without a recalibration.",
    i = "Call recalibrate() of the new fit."))
}
