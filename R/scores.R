#' Scores of predictions
#'
#' @description
#' Errors and proper scores of predictions, averaged over the observations.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' scores(fit)
#' ```
#'
#' @details
#' | column | meaning | needs |
#' |---|---|---|
#' | `n`, `n_missing` | observations scored, and left out | |
#' | `bias` | mean of prediction minus observation | `mean` |
#' | `mae`, `rmse` | mean absolute error, root mean squared error | `mean` |
#' | `crps` | continuous ranked probability score | `sd` or `draws` |
#' | `log_score` | negative log predictive density (log loss) | `sd` |
#' | `brier`, `auc` | Brier score, area under the ROC curve, see [classification_scores] | binary `family` |
#' | `interval_score` | interval score at `level`; not for 0/1 responses | `sd`, `draws` or intervals |
#' | `coverage`, `level` | share of observations inside their interval, and its level | the same |
#' | `pit_deviation` | Kolmogorov distance of the PIT from the uniform distribution | `sd` |
#' | `n_censored` | censored observations ([cens()]), which `bias`, `mae`, `rmse`, `interval_score` and `coverage` leave out | `family = censored_gaussian()` |
#'
#' Smaller is better for all scores except `bias`, `auc`, `coverage` and `level`. The coverage of
#' calibrated predictions is near `level`, and somewhat above it for counts. [scoring_rules]
#' contains the formulas. Missing columns could not be computed.
#'
#' For a fit, each observation is scored by its leave-one-out prediction, or you can give `newdata`.
#' For other objects, `sd` should be that of a new observation, noise included. With a `family`,
#' `mean` and `sd` are those of the linear predictor (`predict(type = "link")`). For binary
#' responses `crps` equals `brier`.
#'
#' @section Weights:
#' Each row counts once. Weights are noise weights as in [neargp()]: the noise variance is `nugget /
#' weights`. For `newdata`, they are evaluated there, or 1 is used with a message. You should give
#' weights that depend on the other rows, such as `w / mean(w)`.
#'
#' @param object a fit by [neargp()], the result of [cross_validate()], a data frame or sf object of
#'   Gaussian predictions with the columns `mean` and `sd`, or a numeric vector of observed values.
#' @param observed numbers, one for each row, or the name of their column. Default for a fit: the
#'   response of the formula.
#' @param mean,sd numbers, the predictive means and standard deviations, one or one for each
#'   observation; of the linear predictor with a `family`.
#' @param lower,upper numbers, the limits of the intervals at `level`. Default: from `mean` and
#'   `sd`, or from `draws`.
#' @param draws a numeric matrix of draws with one row for each observation, in place of `mean` and
#'   `sd`.
#' @param level the probability of the intervals, a number between 0 and 1. Default: 0.95.
#' @param na.rm `TRUE` leaves missing values out. `FALSE` (default) is an error.
#' @param family a [response family][response_family]. Default `NULL`: Gaussian.
#' @param parameters named numbers, the parameters of the family.
#' @param trials the numbers of trials of binomial observations. Default: 1; for a fit to
#'   proportions, its `weights`.
#' @param weights for a fit with `newdata`, positive numbers or the name of their column. Default:
#'   the `weights` of the fit, evaluated in `newdata`.
#' @param newdata for a fit, new data with the response, as for [predict()][predict.neargp]. Default
#'   `NULL`: leave-one-out predictions of the fit's observations by [loo_predict()]. For [vnngp()]
#'   these are slightly optimistic, typically within 1%.
#' @param leave_out for a fit without `newdata`: `"row"` or `"location"`, see [loo_predict()].
#' @param parameters for a fit, `"plug-in"` or `"integrated"`, which averages over the posterior of
#'   the covariance parameters. Default `NULL`: as [predict.neargp()].
#' @param ... for a fit with `newdata`, arguments of [predict()][predict.neargp] such as `k`.
#' @return A data frame of class `neargp_scores` with one row, or one for each setting of a
#'   cross-validation.
#' @inherit scoring_rules references
#' @seealso [cross_validate()], [classification_scores], [scoring_rules]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # A fit: leave-one-out predictions, and held-out stations
#' stations <- colorado_precipitation()
#' held_out <- seq(1, 281, by = 4)
#' fit <- neargp(precipitation ~ elevation, stations[-held_out, ], coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' scores(fit)
#' scores(fit, newdata = stations[held_out, ])
#'
#' # The same from a table of predictions
#' predicted <- predict(fit, stations[held_out, ])
#' scores(predicted, observed = stations$precipitation[held_out], level = 0.8)
#'
#' # Predictions of other software: too narrow, and from draws
#' set.seed(1)
#' observed <- rnorm(200)
#' rbind(right = scores(observed, mean = 0, sd = 1), narrow = scores(observed, mean = 0, sd = 0.5))
#' scores(observed, draws = matrix(rnorm(200 * 100), 200))
#'
#' # Counts: `mean` and `sd` of the linear predictor
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
    sprintf("`scores()` does not support objects of class %s.",
            paste(class(object), collapse = "/")),
    i = "Give numeric observed values, predictions as a data frame or sf, a fit or a cross-validation."
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

# Columns with one value become the title. The other columns are the table.
told_scores <- function(x) {
  table <- as.data.frame(x)
  described <- unname(c(row = "each row from the others",
    location = "each location from the others")[attr(x, "left_out")])
  if (length(unique(table$level)) == 1L) {
    described <- c(described, sprintf("intervals at %s%%", format(100 * table$level[1L],
      digits = 4L)))
    table$level <- NULL
  }
  missing <- sum(table$n_missing, na.rm = TRUE)
  if (missing > 0) {
    described <- c(described, sprintf("%s left out for missing values", format_count(missing)))
  }
  table$n_missing <- NULL
  if (any(table$n_censored > 0, na.rm = TRUE)) {
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
