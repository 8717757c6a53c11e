#' Scores of predictions
#'
#' How good predictions were, once the truth is known: errors of the point
#' prediction and proper scores of the whole predictive distribution, averaged
#' over the observations.
#'
#' @details
#' | column | meaning | needs |
#' |---|---|---|
#' | `n` | observations scored | |
#' | `bias` | mean of prediction minus observation | `mean` |
#' | `mae` | mean absolute error of the predictive mean | `mean` |
#' | `rmse` | root mean squared error of the predictive mean | `mean` |
#' | `crps` | mean continuous ranked probability score | `sd` or `draws` |
#' | `log_score` | mean negative log predictive density, of counts the log probability | `sd` |
#' | `brier` | Brier score: mean squared difference of the probability and the outcome, 0 or 1, as in [classification_scores] | binary `family` |
#' | `auc` | area under the ROC curve, as in [classification_scores]; `NA` where all outcomes are alike | binary `family` |
#' | `interval_score` | mean interval score at `level` | `sd`, `draws` or intervals |
#' | `coverage` | share of observations inside their interval (ends included) | the same |
#' | `level` | the level of these intervals | the same |
#' | `pit_deviation` | largest distance between the distribution of the PIT and the uniform one (Kolmogorov), 0 when calibrated | `sd` |
#' | `n_missing` | observations left out because something was `NA` | |
#' | `n_censored` | observations of which only limits are known ([cens()]): `bias`, `mae`, `rmse`, `interval_score` and `coverage` are of the others (`NA` where there are none), `crps`, `log_score` and `pit_deviation` of all | `family = censored_gaussian()` |
#'
#' Columns that cannot be computed from what was given are absent. Of all scores
#' but `bias`, `auc`, `coverage` and `level`, smaller is better; a well calibrated
#' prediction has coverage near `level`, of counts rather above it. Formulas and
#' sources are in [scoring_rules].
#'
#' Without a `family` predictions are Gaussian, and the standard deviations must
#' be those of a new *observation*, noise included, since it is observations that
#' the predictions are compared with: for a fit,
#' `predict(fit, newdata, interval = "prediction")`.
#'
#' With a `family`, `mean` and `sd` are those of the *linear predictor*, as
#' `predict(fit, newdata, type = "link")` gives them, and the predictive
#' distribution is that of a response whose linear predictor is normal with them.
#' Means and quantiles of the response enter `bias`, `mae`, `rmse` and the
#' intervals. Everything is computed by quadrature: there is no sampling. Of
#' binary responses `crps` and `brier` are the same number.
#'
#' @section Weights: Averages are over rows, each of which counts once. Weights say how much noise
#' an observation has, as in [neargp()]: the variance of a gaussian response given the field is
#' `nugget / weights` (other families with a dispersion alike). So a fit's training rows are scored,
#' and so are new rows: where the fit has `weights = w`, with the column `w` of `newdata`. Where
#' `newdata` has no such column a message (`neargp_message_weights`) says that all its weights are
#' taken to be 1. Weights such as `w / mean(w)`, which depend on the other rows, have to be given
#' for new ones. Predictions given as numbers or as a data frame have their noise in `sd`, and a
#' column `weights` beside them changes nothing.
#'
#' @param object what to score:
#'   * a numeric vector of *observed* values, with `mean`, `sd`, ... of their predictions;
#'   * a data frame or sf object of *predictions*, with columns `mean` and `sd`,
#'     as [predict()] returns; `observed` then gives the truth. They are taken as Gaussian:
#'     for another family give the fit with `newdata`;
#'   * a fit by [neargp()]: its training data, each scored by the prediction from the others;
#'   * the result of [cross_validate()].
#' @param observed numeric vector, one value for each row of `object`, or the name
#'   of the column of `object` that holds them.
#' @param mean,sd numeric vectors: predictive mean and standard deviation; of the
#'   linear predictor when there is a `family`. Length 1 or that of the observations.
#' @param lower,upper numeric vectors: ends of prediction intervals *at `level`*.
#'   By default the Gaussian central interval from `mean` and `sd`, or the
#'   quantiles of `draws`. Columns of these names in a data frame are used only
#'   when it has no `sd`.
#' @param draws numeric matrix of draws from the predictive distribution, one row
#'   for each observation, instead of `mean` and `sd`.
#' @param level probability that the intervals should cover, 0.95 by default.
#' @param na.rm `FALSE`: a missing observation or prediction is an error. `TRUE`:
#'   those rows are left out, and column `n_missing` says how many.
#' @param family a [response family][response_family] of the observations, or
#'   `NULL` for Gaussian predictions of them.
#' @param parameters named numbers, the parameters of the family (see its help).
#' @param trials of binomial observations, which are numbers of successes: 1, or one
#'   number for each observation. For a fit to proportions with `newdata` by default the
#'   numbers of trials that were its `weights`, in the columns of `newdata`.
#' @param weights for a fit with `newdata`: positive weights of the new rows, with the meaning that
#'   they have in [neargp()], or the name of their column; by default the `weights` of the fit as
#'   evaluated in `newdata`. See the section on weights.
#' @param newdata for a fit: new rows to predict and score, as for
#'   [predict()][predict.neargp]; their responses are `observed`, by default the
#'   response of the formula. Without it the training rows are scored, each
#'   predicted from the others as by [loo_predict()], by a trend that is estimated from the
#'   others, too (for [vnngp()] fits from the posterior without the row's term, which is
#'   slightly optimistic: CRPS and log score within 1% of those of [cross_validate()] in
#'   trials; not for its mean-field posterior). Rows that alone determine a coefficient of
#'   the trend have no such prediction: they are missing values, see `na.rm`.
#' @param leave_out for a fit without `newdata`: `"row"` or `"location"`, as in [loo_predict()].
#' @param ... for methods; for a fit with `newdata` arguments of
#'   [predict()][predict.neargp] that say what to condition on.
#' @return A data frame of class `neargp_scores` with one row (for a
#'   cross-validation one row for each setting) and the columns above.
#' @section Errors: `neargp_error_missing` when values are missing and `na.rm = FALSE`;
#' `neargp_error_length` when lengths do not fit; `neargp_error_sd` for negative standard
#' deviations; `neargp_error_columns`, `neargp_error_draws` and `neargp_error_argument` for the
#' rest; for observations that a family cannot have `neargp_error_response`,
#' `neargp_error_factor_level`; `neargp_error_newdata` for training rows that cannot be scored;
#' `neargp_error_weights`; `neargp_error_overflow` where with a log link the standard deviation of a
#' linear predictor is above 6.
#' @inherit scoring_rules references
#' @examples
#' set.seed(1)
#' observed <- rnorm(200)
#' scores(observed, mean = 0, sd = 1)
#' scores(observed, mean = 0, sd = 0.5)
#' predictions <- data.frame(mean = rep(0, 200), sd = 1)
#' scores(predictions, observed = observed, level = 0.8)
#' scores(observed, draws = matrix(rnorm(200 * 100), 200))
#' counts <- rpois(200, exp(rnorm(200, 1, 0.5)))
#' scores(counts, mean = 1, sd = 0.5, family = poisson())
#' @export
scores <- function(object, ...) {
  check_required()
  UseMethod("scores")
}

#' @rdname scores
#' @export
scores.default <- function(object, ...) {
  abort_neargp("argument", c(
    sprintf("`scores()` does not know what to do with an object of class %s.",
            paste(class(object), collapse = "/")),
    i = "Give observed values (numeric), predictions (data frame or sf), a fit or a cross-validation."
  ))
}

#' @rdname scores
#' @export
scores.numeric <- function(object, mean, sd = NULL, lower = NULL, upper = NULL, draws = NULL,
                           level = 0.95, na.rm = FALSE, family = NULL, parameters = NULL,
                           trials = 1, ...) {
  check_no_more_arguments()
  check_level(level)
  if (!is.null(family)) {
    check_no_intervals(lower, upper, draws)
    return(response_scores(object, mean, sd, family, parameters, trials, level, na.rm))
  }
  if (!is.null(draws)) {
    draws <- check_draws(draws, length(object))
    predicted <- list(mean = rowMeans(draws), draws = draws)
  } else if (missing(mean)) {
    abort_neargp("argument", "Give the predictions as `mean` (with `sd`), or as `draws`.")
  } else {
    predicted <- list(mean = mean, sd = sd)
  }
  predicted[c("lower", "upper")] <- check_interval_pair(lower, upper)
  predicted <- recycle_predictions(predicted, length(object))
  complete <- complete_predictions(object, predicted, na.rm)
  observed <- as.numeric(object)[complete]
  predicted <- lapply(predicted, take_rows, complete)
  new_scores(c(
    list(n = length(observed)),
    point_scores(observed, predicted$mean),
    distribution_scores(observed, predicted),
    interval_scores(observed, predicted, level),
    calibration_scores(observed, predicted),
    list(n_missing = sum(!complete))
  ))
}

#' @rdname scores
#' @export
scores.data.frame <- function(object, observed, level = 0.95, na.rm = FALSE, ...) {
  check_no_more_arguments()
  check_given(missing(observed), "observed",
    "the true values of the predictions, as numbers or as the name of a column")
  columns <- unclass(object)
  if (is.character(observed) && length(observed) == 1L) {
    check_columns_present(observed, object, "object")
    observed <- columns[[observed]]
  }
  check_columns_present("mean", object, "object")
  if (!is.numeric(observed) || length(observed) != nrow(object)) {
    abort_neargp("length", c(
      "`observed` must be numeric with one value for each prediction, or the name of a column.",
      x = sprintf("There are %d predictions and %d observed values (%s).",
                  nrow(object), length(observed), class(observed)[1L])
    ))
  }
  has_sd <- !is.null(columns$sd)
  scores(as.numeric(observed),
    mean = columns$mean, sd = columns$sd,
    lower = if (!has_sd) columns$lower, upper = if (!has_sd) columns$upper,
    level = level, na.rm = na.rm
  )
}

# Scores of the mean as a point prediction.
point_scores <- function(observed, mean) {
  error <- mean - observed
  list(bias = mean(error), mae = mean(abs(error)), rmse = sqrt(mean(error^2)))
}

# Scores of the predictive distribution, Gaussian or given by draws; those of other families are in
# scores-response.R.
distribution_scores <- function(observed, predicted) {
  if (!is.null(predicted$draws)) {
    list(crps = mean(crps_sample(observed, predicted$draws)))
  } else if (!is.null(predicted$sd)) {
    list(
      crps = mean(crps_gaussian(observed, predicted$mean, predicted$sd)),
      log_score = mean(log_score_gaussian(observed, predicted$mean, predicted$sd))
    )
  }
}

interval_scores <- function(observed, predicted, level) {
  interval <- prediction_interval(predicted, level)
  if (is.null(interval)) return(NULL)
  list(
    interval_score = mean(interval_score(observed, interval$lower, interval$upper, level)),
    coverage = mean(observed >= interval$lower & observed <= interval$upper),
    level = level
  )
}

calibration_scores <- function(observed, predicted) {
  if (is.null(predicted$sd)) return(NULL)
  pit <- stats::pnorm(observed, predicted$mean, predicted$sd)
  list(pit_deviation = pit_deviation(pit, pit))
}

prediction_interval <- function(predicted, level) {
  tails <- c(1 - level, 1 + level) / 2
  if (!is.null(predicted$lower)) {
    predicted[c("lower", "upper")]
  } else if (!is.null(predicted$draws)) {
    ends <- apply(predicted$draws, 1L, stats::quantile, probs = tails, names = FALSE)
    list(lower = ends[1L, ], upper = ends[2L, ])
  } else if (!is.null(predicted$sd)) {
    normal_limits(predicted$mean, predicted$sd, level)
  }
}

new_scores <- function(values) {
  values <- Filter(Negate(is.null), values)
  structure(as.data.frame(values), class = c("neargp_scores", "data.frame"))
}

#' @rdname scores
#' @param x an object of class `neargp_scores`.
#' @param digits number of significant digits to print.
#' @export
print.neargp_scores <- function(x, digits = 4L, ...) {
  told <- told_scores(x)
  cat("Scores", told$title, "\n", sep = "")
  numbers <- vapply(told$table, is.double, logical(1L))
  told$table[numbers] <- lapply(told$table[numbers], signif, digits)
  print.data.frame(told$table, row.names = FALSE, ...)
  invisible(x)
}

# What is the same in all rows becomes the title, and the other columns are the table.
told_scores <- function(x) {
  table <- as.data.frame(x)
  described <- unname(c(row = "each row from the others",
    location = "each location from the others")[attr(x, "left_out")])
  if (length(unique(table$level)) == 1L) {
    described <- c(described, sprintf("intervals at %s%%", format(100 * table$level[1L],
      digits = 4L)))
    table$level <- NULL
  }
  missing <- sum(table$n_missing)
  if (missing > 0) {
    described <- c(described, sprintf("%s left out for missing values", format_count(missing)))
  }
  table$n_missing <- NULL
  if (any(table$n_censored > 0)) {
    described <- c(described, sprintf("%s censored, in CRPS, log score and PIT alone",
      format_some(format_count(unique(table$n_censored)))))
  }
  table$n_censored <- NULL
  counted <- ""
  if (length(unique(table$n)) == 1L) {
    counted <- sprintf(" of %s predictions", format_count(table$n[1L]))
    table$n <- NULL
  }
  list(table = table, title = paste0(counted, if (length(described))
    sprintf(" (%s)", paste(described, collapse = "; "))))
}
