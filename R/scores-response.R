# Scores of predictions of a response by the mixture over its linear predictor (R/mixture-crps.R).

# Scores from given moments of the linear predictor.
response_scores <- function(observed, mean, sd, family, parameters, trials, level, na.rm) {
  if (is.function(family)) family <- family()
  check_class(family, "family", "family", "a family such as poisson()")
  if (missing(mean) || is.null(sd)) {
    abort_neargp("argument", "With a `family`, give the `mean` and `sd` of the linear predictor.")
  }
  predicted <- recycle_predictions(list(mean = mean, sd = sd, trials = trials), length(observed))
  distribution <- new_mixture(predicted$mean, predicted$sd, family, parameters, predicted$trials)
  scores_of_distribution(observed, predicted, distribution, family, level, na.rm)
}

# Scores of the rows in which the observation and all of `given` are known.
scores_of_distribution <- function(observed, given, distribution, family, level, na.rm) {
  complete <- complete_predictions(observed, given, na.rm)
  observed <- as.numeric(observed)[complete]
  distribution <- distribution[complete]
  check_support_of(observed, distribution, family, which(complete))
  summarize_scores(observed, score_rows(observed, distribution, level), level, sum(!complete))
}

# The averages of the scores of rows, as score_rows() returns them. If only limits of a value are
# known, its error is unknown, and so is whether an interval contains it. Intervals of 0/1 responses
# are 0, 1 or both. Their width and coverage contain no information about the probability.
summarize_scores <- function(observed, rows, level, n_missing = 0L) {
  measured <- if (is.null(rows$censored)) seq_along(observed) else
    which(!(rows$censored %in% TRUE))
  point <- point_scores(observed[measured], rows$mean[measured])
  intervals <- if (!rows$binary[1L])
    interval_scores(observed[measured], rows[measured, c("lower", "upper")], level)
  new_scores(c(
    list(n = length(observed)), lapply(point, known_score),
    list(crps = mean(rows$crps), log_score = mean(rows$log_score),
      brier = if (rows$binary[1L]) mean((rows$mean - observed)^2),
      auc = if (rows$binary[1L]) area_under_roc(rows$mean, observed)),
    lapply(intervals, known_score),
    list(pit_deviation = pit_deviation(rows$pit_lower, rows$pit_upper), n_missing = n_missing,
      n_censored = if (!is.null(rows$censored)) sum(rows$censored, na.rm = TRUE))
  ))
}

# The mean of no numbers is NA.
known_score <- function(value) if (is.nan(value)) NA_real_ else value

check_no_intervals <- function(lower, upper, draws) {
  given <- c("lower", "upper", "draws")[!c(is.null(lower), is.null(upper), is.null(draws))]
  if (length(given)) {
    abort_neargp("argument",
      c(sprintf("%s cannot be given together with `family`, which makes its own intervals.",
        paste0("`", given, "`", collapse = ", ")), i = "Leave out `family` to score them."))
  }
}

# ---- of fits -------------------------------------------------------------------------------------

#' @rdname scores
#' @export
scores.neargp <- function(object, newdata = NULL, observed = NULL, trials = NULL, weights = NULL,
                          level = 0.95, na.rm = FALSE, leave_out = NULL,
                          parameters = NULL, ...) {
  check_fit(object)
  check_level(level)
  if (is.null(newdata)) {
    check_no_more_arguments()
    check_leave_one_out(object)
    unit <- unit_left_out(object, leave_out)
    left <- left_out_by(parameters, object, leave_out = leave_out)
    return(structure(scores_of_left_out(object, left, level, na.rm), left_out = unit))
  }
  check_for_left_out(leave_out)
  check_scored_predictions(...names())
  truth <- new_observations(object, newdata, observed, trials)
  weights <- scored_weights(object, newdata, new_weights(object, newdata, weights))
  columns <- scored_columns(object, newdata)
  scored_at <- function(fit) {
    predicted <- unclass(predict(fit, newdata, type = "link", verbose = FALSE,
      parameters = "plug-in", ...))
    recycle_predictions(list(mean = where_known(predicted$mean, columns), sd = predicted$sd,
      trials = truth$trials, weights = weights), length(truth$y))
  }
  distribution_at <- function(fit, given = scored_at(fit)) {
    at <- c(given[c("trials", "weights")], list(limits = truth$limits,
      parameter_columns = columns))
    moments <- list(mean = given$mean, variance = given$sd^2)
    predictive(fit$method, fit, moments, at)$observation
  }
  given <- scored_at(object)
  distribution <- if (is_integrated(parameters, object)) {
    integrated_distribution(object, plain_context(object$threads), distribution_at)
  } else distribution_at(object, given)
  scores_of_distribution(truth$y, given, distribution, object$family, level, na.rm)
}

check_for_left_out <- function(leave_out) {
  if (is.null(leave_out)) return(invisible())
  abort_argument("leave_out", "NULL with newdata, from whose rows nothing is left out", leave_out)
}

# Scores are those of single observations.
check_scored_predictions <- function(given) {
  other <- intersect(given, c("type", "interval", "joint", "threshold"))
  if (!length(other)) return(invisible())
  abort_neargp("argument", c(sprintf("scores() of new rows takes no argument `%s`.", other[1L]),
    i = "It scores predictions, each row on its own. Others: scores(observed, mean, sd) of predict()."))
}

# `left`: the distributions of left_out(); `rows`: those of the fit that are scored.
scores_of_left_out <- function(object, left, level, na.rm, rows = seq_along(object$data$y)) {
  y <- observed_response(object$data)[rows]
  place <- match(rows, left$rows)
  complete <- complete_predictions(y, list(mean = place), na.rm,
    (object$row_names %||% seq_along(object$data$y))[rows])
  distribution <- left$distribution[place[complete]]
  summarize_scores(y[complete], score_rows(y[complete], distribution, level), level,
    sum(!complete))
}

# Scores of the rows in `loo`, what loo_table() returned of the fit.
loo_scores <- function(fit, loo) {
  scores_of_left_out(fit, attr(loo, "given_others"), 0.95, na.rm = TRUE)
}

# ---- probability integral transform --------------------------------------------------------------

# The largest distance between u and the mean over observations of P(PIT <= u). The PIT of an
# observation is uniform between P(Y < y) and P(Y <= y), and one number where these agree. No random
# numbers are used (Czado, Gneiting and Held 2009, section 2.1). The mean consists of ramps and
# steps, and its distance to u is largest at an end of one of them.
pit_deviation <- function(lower, upper) {
  n <- length(upper)
  step <- upper - lower < 1e-8
  slope <- 1 / (upper - lower)[!step] / n
  corners <- data.frame(at = c(lower[!step], upper[!step], upper[step]),
    slope = c(slope, -slope, double(sum(step))),
    height = c(double(2L * sum(!step)), rep(1 / n, sum(step))))
  corners <- corners[order(corners$at), ]
  rise <- c(0, cumsum(corners$slope)[-nrow(corners)] * diff(corners$at))
  after <- cumsum(rise + corners$height)
  max(abs(after - corners$at), abs(after - corners$height - corners$at))
}

# The mean of P(PIT <= u) itself, at the numbers u.
pit_distribution <- function(u, lower, upper) {
  vapply(u, function(one) mean(ifelse(upper > lower, pmin(pmax((one - lower) / (upper - lower), 0),
    1), one >= upper)), 0)
}
