# predict() of compositions: probabilities of categories.

#' Predict the probabilities of categories of a composition
#'
#' @description
#' Returns the probability of each category, with its standard deviation.
#'
#' ```r
#' predict(fit, newdata, interval = "confidence")
#' ```
#'
#' @details
#' The logarithms of ratios to the first category are jointly normal. Means and limits integrate
#' over them by 2,048 points. The typical error of a mean is 0.0002, of a limit 0.001.
#'
#' * `simulate()` draws counts that sum to `trials`, or to the totals of the data.
#' * `scores()` returns the log score of whole samples and Brier scores. Without `newdata`, each
#'   sample is predicted from the others.
#' * `residuals()` returns observed less fitted proportions.
#'
#' @param object a fit with `family = multinomial()`.
#' @param newdata,level,probs,threads,chunk_size,filename,overwrite,verbose,re.form,allow.new.levels
#'   see [predict.neargp()].
#' @param type `"response"` (default) for probabilities, `"quantile"`, `"link"` for logarithms of
#'   ratios, or `"factor"` for the processes.
#' @param interval `"confidence"` for probabilities, or `"prediction"` for counts of a new sample,
#'   with their standard deviation. Default: `"none"`.
#' @param threshold a number, or one for each category. Adds `p_mean_exceed_<category>`, the chance
#'   that probability times `trials` exceeds it. Default `NULL`: none.
#' @param trials the total of a sample, a positive integer. All columns are of counts, `trials`
#'   times the probability. Default: 1.
#' @param outputs names of categories. Default: all.
#' @param ... not used.
#' @return An object like `newdata` with `mean_<category>`, `sd_<category>` and further columns.
#' @seealso [multinomial()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(80), y = runif(80))
#' d$kind <- sample(c("bog", "heath", "wood"), 80, TRUE)
#' d$kind[d$x < 0.4] <- "wood"
#' fit <- neargp(kind ~ 1, d, coords = ~ x + y, family = multinomial(), method = vnngp(k = 8))
#' predict(fit, d[1:3, ], interval = "confidence", threshold = 0.5)
#' predict(fit, d[1:3, ], interval = "prediction", trials = 10)
#' simulate(fit, 2, newdata = d[1:3, ], trials = 10)
#' scores(fit)
#' @export
predict.neargp_composition <- function(object, newdata,
                                       type = c("response", "link", "quantile", "factor"),
                                       interval = c("none", "confidence", "prediction"),
                                       level = 0.95, probs = c(0.05, 0.5, 0.95), threshold = NULL,
                                       trials = 1, outputs = object$outputs, chunk_size = NULL,
                                       threads = NULL, verbose = rlang::is_interactive(),
                                       filename = NULL, overwrite = FALSE, re.form = NULL,
                                       allow.new.levels = FALSE, ...) {
  check_no_more_arguments()
  check_given(missing(newdata), "newdata", "a data frame, sf points or a raster")
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("predict", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_parts(object, newdata)
  check_choices(outputs, "outputs", object$outputs)
  wanted <- list(type = check_choice(type, "type", c("response", "link", "quantile", "factor")),
    interval = check_choice(interval, "interval", c("none", "confidence", "prediction")),
    level = check_level(level), probs = check_probs(probs), trials = check_count(trials, "trials"),
    threshold = check_output_thresholds(threshold, outputs), threads = threads)
  check_composition_wanted(wanted)
  file <- raster_file(newdata, filename, overwrite)
  object <- joint_for_effects_of(object, newdata, re.form, allow.new.levels, pooled = TRUE)
  columns_at <- function(newdata) {
    if (wanted$type != "factor") return(composition_columns(object, newdata, outputs, wanted))
    columns <- factor_columns(object, newdata, wanted)
    columns[setdiff(names(columns), paste0(c("mean_factor", "sd_factor"),
      object$composition$constants))]
  }
  if (!is_raster(newdata)) return(restorer(newdata)(columns_at(newdata)))
  raster_by_blocks(newdata, list(file = file,
    chunk_size = check_count(chunk_size %||% 1e5, "chunk_size"),
    verbose = check_flag(verbose, "verbose")), function(cells) {
      columns_at(raster_of_window(newdata, window_of_cells(newdata, cells)))
    })
}

check_composition_wanted <- function(wanted) {
  if (wanted$type != "response" && wanted$interval == "prediction") {
    abort_argument("interval", sprintf("\"none\" or \"confidence\" with type = \"%s\"",
      wanted$type), "prediction")
  }
  if (wanted$type %in% c("link", "factor") && !is.null(wanted$threshold)) {
    abort_argument("threshold", "NULL unless probabilities are predicted", wanted$threshold)
  }
}

composition_columns <- function(object, newdata, outputs, wanted) {
  at <- joint_predictors(object, newdata, object$outputs, wanted$threads)
  ratios <- moments_of_ratios(at)
  columns <- if (wanted$type == "link") ratio_columns(ratios, object$outputs[-1L], outputs,
    wanted) else probability_columns(ratios, object$outputs, outputs, wanted)
  as.data.frame(spread_over_rows(columns, at$complete), optional = TRUE)
}

# Logarithms of ratios to the reference, without the reference itself.
ratio_columns <- function(ratios, names, outputs, wanted) {
  shown <- which(names %in% outputs)
  half <- stats::qnorm((1 + wanted$level) / 2)
  each <- lapply(shown, function(m) {
    mean <- ratios$mean[, m]
    sd <- sqrt(ratios$covariance[, m, m])
    limits <- if (wanted$interval == "confidence") list(lower = mean - half * sd,
      upper = mean + half * sd)
    named_by_output(c(list(mean = mean, sd = sd), limits), names[m])
  })
  do.call(c, each)
}

probability_columns <- function(ratios, categories, outputs, wanted) {
  shown <- match(outputs, categories)
  first <- summaries_of_probability(c(0, 1), wanted, 1L)
  values <- at_each_location(ratios, function(p) {
    vapply(seq_along(shown), function(i) summaries_of_probability(p[shown[i], ], wanted, i), first)
  }, matrix(0, length(first), length(shown)))
  values <- array(values, c(length(first), length(shown), nrow(ratios$mean)))
  columns <- lapply(seq_along(shown), function(i) {
    named_by_output(stats::setNames(lapply(seq_along(first), function(a) values[a, i, ]),
      names(first)), outputs[i])
  })
  do.call(c, columns)
}

# `p`: the probability of a category at points of equal weight; `i`: the number of its threshold.
# The expected count of a sample is trials * p. The count of a new sample adds the variance of a
# binomial one.
summaries_of_probability <- function(p, wanted, i) {
  tails <- c((1 - wanted$level) / 2, (1 + wanted$level) / 2)
  expected <- wanted$trials * p
  limits <- switch(wanted$interval, none = NULL, confidence = stats::quantile(expected, tails),
    prediction = vapply(tails, count_quantile, 0, p = p, trials = wanted$trials))
  binomial <- if (wanted$interval == "prediction") mean(expected * (1 - p)) else 0
  c(if (wanted$type == "quantile") stats::setNames(stats::quantile(expected, wanted$probs),
    paste0("q", format_numbers(wanted$probs))) else
    c(mean = mean(expected), sd = sqrt(mean((expected - mean(expected))^2) + binomial)),
  if (length(limits)) stats::setNames(limits, c("lower", "upper")),
  if (!is.null(wanted$threshold)) c(p_mean_exceed = mean(expected > wanted$threshold[i])))
}

# The smallest count whose distribution function, averaged over the points, is at least `prob`.
count_quantile <- function(prob, p, trials) {
  lower <- -1
  upper <- trials
  while (upper - lower > 1) {
    middle <- floor((lower + upper) / 2)
    if (mean(stats::pbinom(middle, trials, p)) >= prob) upper <- middle else lower <- middle
  }
  upper
}
