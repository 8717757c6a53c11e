# predict() of responses that share fields: the columns of each response by its part, and of the
# fields.

#' Predict responses that share fields
#'
#' @description
#' Returns mean and sd of each response of a [joint model][joint_models].
#'
#' ```r
#' predict(fit, newdata, interval = "prediction")
#' ```
#'
#' @param object a fit of [neargp()] to several responses of different families.
#' @param newdata,interval,level,probs,threshold,threads,chunk_size,filename,overwrite,verbose see
#'   [predict.neargp()].
#' @param re.form,allow.new.levels see [predict.neargp()]. `simulate()` accepts them as well.
#' @param type see [predict.neargp()], or `"factor"` for the fields.
#' @param threshold_of see [predict.neargp()].
#' @param exceedance `"all"` adds `p_exceed_all`, the probability that all responses exceed their
#'   thresholds together, and its numerical error, `se_exceed_all`. Default: `"each"`.
#' @param outputs the names of the responses that are wanted. Default: all.
#' @param covariance `TRUE` adds the attribute `"covariance"`, an array with a matrix of linear
#'   predictors for each row. Default: `FALSE`.
#' @param use_observed `TRUE`: responses in `newdata` help to predict the others there. Default:
#'   `FALSE`.
#' @param ... not used.
#' @return An object like `newdata` with `mean_<response>`, `sd_<response>` and the further columns
#'   of [predict.neargp()].
#'
#'   Intervals include the uncertainty of loadings, ranges and families. Folds of
#'   [cross_validate()] leave locations out.
#' @seealso [joint_models]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(120), y = runif(120))
#' d$count <- rpois(120, exp(sin(6 * d$x) + d$y))
#' d$level <- sin(6 * d$x) + rnorm(120, sd = 0.3)
#' fit <- neargp(list(count ~ 1, level ~ 1), d, coords = ~ x + y,
#'   family = list(poisson(), gaussian()), method = vnngp(k = 8))
#' predict(fit, d[1:3, ], interval = "prediction", threshold = c(2, 1))
#' predict(fit, d[1:3, ], type = "factor")
#'
#' # A count where the level is known
#' predict(fit, data.frame(x = 0.5, y = 0.5, level = 0.2), outputs = "count", use_observed = TRUE)
#'
#' # The probability that both exceed a limit
#' predict(fit, data.frame(x = 0.5, y = 0.5), threshold = c(2, 0.5), exceedance = "all")
#' @export
predict.neargp_joint <- function(object, newdata,
                                 type = c("response", "link", "quantile", "factor"),
                                 interval = c("none", "confidence", "prediction"), level = 0.95,
                                 probs = c(0.05, 0.5, 0.95), threshold = NULL,
                                 threshold_of = c("observation", "mean"),
                                 exceedance = c("each", "all"), outputs = object$outputs,
                                 covariance = FALSE, use_observed = FALSE, chunk_size = NULL,
                                 threads = NULL,
                                 verbose = rlang::is_interactive(), filename = NULL,
                                 overwrite = FALSE, re.form = NULL, allow.new.levels = FALSE,
                                 ...) {
  check_no_more_arguments()
  check_given(missing(newdata), "newdata", "a data frame, sf points or a raster")
  check_rows_of_newdata(newdata, check_flag(covariance, "covariance"),
    check_flag(use_observed, "use_observed"))
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("predict", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_parts(object, newdata)
  type <- check_choice(type, "type", c("response", "link", "quantile", "factor"))
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  check_choices(outputs, "outputs", object$outputs)
  wanted <- list(type = type, interval = interval, level = check_level(level),
    probs = if (type == "quantile") check_probs(probs),
    threshold = check_output_thresholds(threshold, outputs), threads = threads, re_form = re.form,
    threshold_of = check_choice(threshold_of, "threshold_of", c("observation", "mean")),
    of_given = !missing(threshold_of),
    exceedance = check_choice(exceedance, "exceedance", c("each", "all")))
  check_joint_thresholds(wanted, use_observed)
  file <- raster_file(newdata, filename, overwrite)
  object <- joint_for_effects_of(object, newdata, re.form, allow.new.levels, pooled = TRUE)
  columns_at <- function(newdata) {
    if (type == "factor") return(factor_columns(object, newdata, wanted))
    if (use_observed) return(columns_given_observed(object, newdata, outputs, wanted))
    columns <- joint_columns(object, newdata, outputs, wanted)
    if (wanted$exceedance == "all") columns <- cbind(columns, as.data.frame(joint_exceedance(object,
      newdata, outputs, wanted)))
    columns
  }
  if (is_raster(newdata)) {
    return(raster_by_blocks(newdata, list(file = file,
      chunk_size = check_count(chunk_size %||% 1e5, "chunk_size"),
      verbose = check_flag(verbose, "verbose")), function(cells) {
        columns_at(raster_of_window(newdata, window_of_cells(newdata, cells)))
      }))
  }
  result <- restorer(newdata)(columns_at(newdata))
  if (covariance) attr(result, "covariance") <- predictor_covariance(object, newdata, outputs,
    wanted)
  result
}

# A SpatVector cannot store the attribute "covariance".
check_rows_of_newdata <- function(newdata, covariance, use_observed) {
  is_grid <- is_raster(newdata) || is_stars(newdata) ||
    is_foreign_map(newdata) && !inherits(newdata, "SpatVector")
  if (covariance && (is_grid || is_foreign_map(newdata)) || use_observed && is_grid) {
    abort_argument("newdata", "a data frame or sf points with `covariance` or `use_observed`",
      newdata)
  }
}

# `wanted$of_given`: whether the call has `threshold_of`.
check_joint_thresholds <- function(wanted, use_observed) {
  all <- wanted$exceedance == "all"
  if (is.null(wanted$threshold) && (all || wanted$of_given)) {
    abort_argument("threshold", sprintf("given with `%s`", if (all) "exceedance" else
      "threshold_of"), NULL)
  }
  if (!is.null(wanted$threshold) && wanted$type == "factor") {
    abort_argument("threshold", "NULL for the fields", wanted$threshold)
  }
  if (use_observed && (all || wanted$threshold_of == "mean")) {
    abort_argument("use_observed", "FALSE with this exceedance", TRUE)
  }
}

# Columns of each response with its name at their ends.
joint_columns <- function(object, newdata, outputs, wanted) {
  columns <- lapply(seq_along(outputs), function(i) {
    part <- part_of(object, outputs[i])
    arguments <- list(part, newdata, type = wanted$type, interval = wanted$interval,
      level = wanted$level, threads = wanted$threads, verbose = FALSE, re.form = wanted$re_form)
    if (wanted$type == "quantile") arguments$probs <- wanted$probs
    if (!is.null(wanted$threshold)) arguments$threshold <- wanted$threshold[i]
    # areas do not accept it, and its default is that of a single response
    if (wanted$of_given) arguments$threshold_of <- wanted$threshold_of
    named_by_output(do.call(stats::predict, arguments), outputs[i])
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}

named_by_output <- function(predicted, output) {
  columns <- result_columns(predicted)
  stats::setNames(columns, paste0(names(columns), "_", output))
}

# The fields themselves, with the signs of the loadings.
factor_columns <- function(object, newdata, wanted) {
  part <- part_of(object, object$outputs[1L])
  target <- joint_target(part, newdata, "process")
  settings <- predict_settings(part, threads = wanted$threads)
  at <- fields_at(object, target$coords, settings)
  count <- ncol(all_loadings(object))
  columns <- c(lapply(seq_len(count), function(q) at$mean[, q] * object$signs[q]),
    lapply(seq_len(count), function(q) sqrt(at$covariance[, (q - 1L) * count + q])))
  names <- paste0(rep(c("mean_factor", "sd_factor"), each = count), seq_len(count))
  as.data.frame(spread_over_rows(stats::setNames(columns, names), target$complete),
    optional = TRUE)
}

# Moments of the linear predictors of several responses at the rows of newdata that are complete
# for all of them.
joint_predictors <- function(object, newdata, outputs, threads) {
  parts <- lapply(rlang::set_names(outputs), part_of, object = object)
  targets <- lapply(parts, joint_target, newdata = newdata)
  complete <- Reduce(`&`, lapply(targets, `[[`, "complete"))
  of_part <- function(part, target) {
    rows <- which(complete[target$complete])
    list(data = part$data, X = target$X[rows, , drop = FALSE], offset = target$offset[rows],
      coords = target$coords[rows, , drop = FALSE])
  }
  columns_of <- function(target) {
    if (is.null(target$new_parameter_columns)) return(NULL)
    rows <- which(complete[target$complete])
    lapply(target$new_parameter_columns(), function(x) x[rows, , drop = FALSE])
  }
  parameter_columns <- lapply(targets, columns_of)
  targets <- Map(of_part, parts, targets)
  settings <- predict_settings(parts[[1L]], threads = threads)
  moments <- linear_predictors(object, fields_at(object, targets[[1L]]$coords, settings), targets)
  c(moments, list(complete = complete, parameter_columns = parameter_columns))
}

predictor_covariance <- function(object, newdata, outputs, wanted) {
  at <- joint_predictors(object, newdata, outputs, wanted$threads)
  full <- array(NA_real_, c(length(at$complete), length(outputs), length(outputs)),
    dimnames = list(NULL, outputs, outputs))
  full[at$complete, , ] <- at$covariance
  full
}
