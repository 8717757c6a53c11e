#' Recalibrate predictions
#'
#' @description
#' Corrects intervals that cover too little or too much, by a monotone map learned from
#' leave-one-out predictions. Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' scores(recalibrate(fit))
#' ```
#'
#' @details
#' Standardised leave-one-out residuals are standard normal under the model. Their quantiles define
#' a function `q`, and the prediction `m + s x` becomes `m + s q(x)` (Kuleshov, Fenner and Ermon
#' 2018). `q` is a monotone cubic through quantiles at steps of about half a standard deviation, and
#' linear in the tails. It is shrunk to the identity by `max(0, 1 - J / d'V^-1 d)`, with `J`
#' departures `d` and their covariance matrix `V`.
#'
#' The map can correct a wrong nugget, heavy tails and skewness. It is the same at all locations, so
#' it cannot correct predictions in gaps, or variances that are wrong in different ways (see
#' [nonstationary_covariance]).
#'
#' Only new observations are recalibrated: `type = "link"` and `simulate()` are not.
#' [cross_validate()] uses the map of all observations. `update()` drops the map, with a message.
#' With [learner()] the map is learned from the left-out rows of all members, and applies to the
#' normal scores of their mixture.
#'
#' @param fit a fit by [neargp()] to one Gaussian response, with at least 30 observations. It can
#'   contain [learner()].
#' @param k,threads see [loo_predict()].
#' @return The fit with the map `family(fit)$recalibration`: `score`, `residual`, `slope` and
#'   `kept`, the factor of shrinkage.
#' @references Kuleshov, V., Fenner, N. and Ermon, S. (2018). Accurate uncertainties for deep
#'   learning using calibrated regression. *ICML*. Fritsch, F. N. and Butland, J. (1984). A method
#'   for constructing local monotone piecewise cubic interpolants. *SIAM Journal on Scientific and
#'   Statistical Computing* 5, 300–304.
#' @seealso [scores()], [plot.neargp()] with `which = "qq"`, [student_t()] for heavy tails.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(400), y = runif(400))
#' d$z <- sin(6 * d$x) + d$y + 0.1 * rt(400, df = 2)
#' held_out <- d[301:400, ]
#' fit <- neargp(z ~ 1, d[1:300, ], coords = ~ x + y)
#' scores(fit, held_out, level = 0.8)
#' scores(recalibrate(fit), held_out, level = 0.8)
#' @export
recalibrate <- function(fit, k = NULL, threads = NULL) {
  check_required()
  UseMethod("recalibrate")
}

#' @export
recalibrate.default <- function(fit, k = NULL, threads = NULL) {
  check_class(fit, "fit", "neargp", "a fit of neargp()")
}

#' @export
recalibrate.neargp <- function(fit, k = NULL, threads = NULL) {
  check_fit(fit)
  check_recalibrated(fit)
  check_leave_one_out(fit)
  normal <- normal_scale_fit(fit)
  left <- leave_one_out(normal, k, threads)
  residual <- ((normal$data$y - left$mean) / left$sd)[!is.na(left$mean)]
  check_residuals(residual)
  fit$family$recalibration <- new_recalibration(residual)
  fit$method <- method_for(fit$method, fit$family, fit$data)
  fit
}

check_residuals <- function(residual) {
  if (length(residual) >= 30L) return(invisible())
  abort_neargp("recalibration",
    sprintf("The fit cannot be recalibrated: %d rows can be predicted from the others, and 30 are the fewest.",
      length(residual)))
}

check_recalibrated <- function(fit) {
  gaussian <- is_gaussian(fit$family)
  reason <- if (is_streamed(fit)) "its rows are not in memory" else
    if (!is.null(fit$outputs)) "it models several responses" else
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

# The covariance of sample quantiles at p and p' is `(min(p, p') - p p') / (n phi phi')` about those
# of the normal distribution. Without a systematic departure d'V^-1 d is therefore J on average. A
# departure adds its size.
systematic_share <- function(departure, p, n) {
  density <- stats::dnorm(stats::qnorm(p))
  V <- (outer(p, p, pmin) - outer(p, p)) / outer(density, density) / n
  max(0, 1 - length(p) / drop(departure %*% solve(V, departure)))
}

# The harmonic means of neighbouring slopes, with which cubics between equidistant knots are
# monotone. The slopes at the ends are the secants, which continue beyond the ends.
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
