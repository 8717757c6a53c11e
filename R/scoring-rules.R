#' Scoring rules for single predictions
#'
#' @description
#' Scores of probabilistic predictions, one number for each observation, smaller is better.
#' [scores()] averages them.
#'
#' ```r
#' crps_gaussian(c(0.3, 2), mean = 0, sd = 1)
#' ```
#'
#' @details
#' With \eqn{z = (y - \mu) / \sigma}, and the distribution function \eqn{\Phi} and density
#' \eqn{\phi} of the standard normal distribution:
#'
#' * `crps_gaussian()`: \eqn{\sigma [z (2 \Phi(z) - 1) + 2 \phi(z) - 1/\sqrt{\pi}]}, the CRPS in
#'   units of the response (Gneiting and Raftery 2007, eq. 21).
#' * `crps_sample()`: the CRPS of `S` draws, \eqn{\frac1S \sum_s |x_s - y| - \frac{1}{2 S^2}
#'   \sum_{s,t} |x_s - x_t|}. `fair = TRUE` divides by \eqn{2 S (S - 1)} and is unbiased for the
#'   distribution behind the draws (Ferro 2014).
#' * `log_score_gaussian()`: \eqn{\frac12 \log(2 \pi \sigma^2) + z^2 / 2}.
#' * `interval_score()` at level \eqn{1 - \alpha}: \eqn{(u - l) + \frac2\alpha (l - y)_+ +
#'   \frac2\alpha (y - u)_+} (Gneiting and Raftery 2007, eq. 43).
#' * `crps_mixture()`, `log_score_mixture()` and `pit_mixture()`: for a `family` whose linear
#'   predictor is normal. With the distribution function F of that mixture, the CRPS is \eqn{\int
#'   (F(x) - 1\{y \le x\})^2 dx}, a sum for counts (Wei and Held 2014). The PIT is F(y), random
#'   between F(y - 1) and F(y) for counts (Czado, Gneiting and Held 2009). Quadrature is accurate to
#'   1e-7, and to a relative 1e-5 for the CRPS. `crps_mixture()` is an error for a log link and a
#'   standard deviation above 6.
#'
#' @param observed numbers, the observed values.
#' @param mean,sd numbers, the mean and standard deviation of a new observation, or of the linear
#'   predictor for a `family`; one or one for each observation.
#' @param family a [response family][response_family].
#' @param parameters named numbers, the parameters of the family: `variance` of `gaussian()`,
#'   `scale` and `df`, `size`, `shape` or `precision`.
#' @param trials the numbers of trials of binomial observations. Default: 1.
#' @param draws a numeric matrix with a row for each observation.
#' @param fair `TRUE` or `FALSE` (default), see Details.
#' @param lower,upper numbers, the limits of the intervals.
#' @param level the probability of the intervals, between 0 and 1. Default: 0.95.
#' @return Numbers, one for each observation.
#' @references Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction,
#'   and estimation. *Journal of the American Statistical Association* 102, 359–378.
#'   \doi{10.1198/016214506000001437} Ferro, C. A. T. (2014). Fair scores for ensemble forecasts.
#'   *Quarterly Journal of the Royal Meteorological Society* 140, 1917–1923. \doi{10.1002/qj.2270}
#'   Czado, C., Gneiting, T. and Held, L. (2009). Predictive model assessment for count data.
#'   *Biometrics* 65, 1254–1261. \doi{10.1111/j.1541-0420.2009.01191.x} Wei, W. and Held, L. (2014).
#'   Calibration tests for count data. *TEST* 23, 787–805. \doi{10.1007/s11749-014-0380-8}
#' @examples
#' # A sharp and a wide prediction of the same observations
#' observed <- c(0.3, 2)
#' rbind(sharp = crps_gaussian(observed, mean = 0, sd = 0.5),
#'   wide = crps_gaussian(observed, mean = 0, sd = 2))
#' log_score_gaussian(observed, mean = 0, sd = 1)
#' interval_score(observed, lower = -1.96, upper = 1.96, level = 0.95)
#'
#' # From draws
#' set.seed(1)
#' crps_sample(0.3, matrix(rnorm(1000), 1))
#'
#' # Counts and binary responses, by the linear predictor
#' crps_mixture(c(0, 3), mean = 1, sd = 0.5, family = poisson())
#' log_score_mixture(1, mean = c(-2, 0, 2), sd = 1, family = binomial())
#' pit_mixture(c(0, 3), mean = 1, sd = 0.5, family = poisson())
#' @name scoring_rules
NULL

#' @rdname scoring_rules
#' @export
crps_gaussian <- function(observed, mean, sd) {
  check_required()
  check_scored(list(observed = observed, mean = mean, sd = sd))
  predictive_crps(observed, new_normal(mean, sd))
}

#' @rdname scoring_rules
#' @export
crps_sample <- function(observed, draws, fair = FALSE) {
  check_required()
  check_scored(list(observed = observed))
  check_flag(fair, "fair")
  draws <- check_draws(draws, length(observed))
  size <- ncol(draws)
  if (fair && size < 2L) {
    abort_neargp("draws", "`fair = TRUE` needs at least two draws for each observation.")
  }
  # The sum of `x_t - x_s` over s < t of sorted draws is that of `(2 s - S - 1) x_s` over s.
  by_row <- order(row(draws), draws)
  sorted <- matrix(draws[by_row], nrow(draws), size, byrow = TRUE)
  half_spread <- drop(sorted %*% (2 * seq_len(size) - size - 1))
  pairs <- if (fair) size * (size - 1) else size^2
  score <- rowMeans(abs(draws - observed)) - half_spread / pairs
  score[rowSums(is.na(draws)) > 0 | is.na(observed)] <- NA_real_
  score
}

#' @rdname scoring_rules
#' @export
log_score_gaussian <- function(observed, mean, sd) {
  check_required()
  check_scored(list(observed = observed, mean = mean, sd = sd))
  -stats::dnorm(observed, mean, sd, log = TRUE)
}

#' @rdname scoring_rules
#' @export
interval_score <- function(observed, lower, upper, level = 0.95) {
  check_required()
  check_level(level)
  check_scored(list(observed = observed, lower = lower, upper = upper))
  crossed <- which(lower > upper)
  if (length(crossed)) {
    abort_neargp("argument", sprintf("`lower` must not be above `upper`; it is in %s.",
      format_rows(crossed)))
  }
  alpha <- 1 - level
  (upper - lower) + 2 / alpha * (pmax(lower - observed, 0) + pmax(observed - upper, 0))
}

#' @rdname scoring_rules
#' @export
crps_mixture <- function(observed, mean, sd, family, parameters = NULL, trials = 1) {
  check_required()
  predictive_crps(observed, scored_mixture(observed, mean, sd, family, parameters, trials))
}

#' @rdname scoring_rules
#' @export
log_score_mixture <- function(observed, mean, sd, family, parameters = NULL, trials = 1) {
  check_required()
  -predictive_log_density(observed, scored_mixture(observed, mean, sd, family, parameters, trials))
}

#' @rdname scoring_rules
#' @export
pit_mixture <- function(observed, mean, sd, family, parameters = NULL, trials = 1) {
  check_required()
  pit <- predictive_pit(observed, scored_mixture(observed, mean, sd, family, parameters, trials))
  pit$lower + stats::runif(length(pit$upper)) * (pit$upper - pit$lower)
}

# The share of pairs of an outcome 1 and an outcome 0 in which the first is predicted with the
# larger probability. Ties count half (the statistic of Mann and Whitney). Without a pair it is NA.
area_under_roc <- function(probability, outcome) {
  ones <- outcome == 1
  pairs <- sum(ones) * as.double(sum(!ones))
  if (pairs == 0) return(NA_real_)
  (sum(rank(probability)[ones]) - sum(ones) * (sum(ones) + 1) / 2) / pairs
}

# Checks that the values share one length, or are of length 1.
check_scored <- function(values) invisible(recycle_predictions(values, max(lengths(values))))

# The mixture that is scored. One prediction may be for several observations, several for one, or
# each for its own.
scored_mixture <- function(observed, mean, sd, family, parameters, trials) {
  family <- as_family(family)
  check_scored(list(observed = observed))
  values <- recycle_predictions(list(mean = mean, sd = sd, trials = trials),
    max(length(observed), length(mean), length(sd)))
  mixture <- new_mixture(values$mean, values$sd, family, parameters, values$trials)
  observed <- rep_len(observed, mixture$n)
  known <- !is.na(observed)
  check_support_of(observed[known], mixture[known], family, which(known))
  mixture
}

check_draws <- function(draws, n) {
  if (is.null(dim(draws)) && is.numeric(draws) && n == 1L) draws <- matrix(draws, 1L)
  if (!is.matrix(draws) || !is.numeric(draws) || nrow(draws) != n || ncol(draws) < 1L) {
    abort_neargp("draws", c(
      "`draws` must be a numeric matrix with one row for each observation.",
      x = sprintf(
        "It is %s; there are %d observations.",
        if (is.matrix(draws)) sprintf("%d by %d (%s)", nrow(draws), ncol(draws), typeof(draws))
        else sprintf("a %s without rows and columns", class(draws)[1L]), n
      )
    ))
  }
  draws
}
