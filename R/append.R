#' Append rows to a fit, or estimate again
#'
#' @description
#' `update(fit, newdata = rows)` conditions a fit on further observations and keeps its covariance
#' parameters. `update(fit, refit = TRUE)` estimates the parameters again.
#'
#' ```r
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations[1:250, ], coords = ~ lon + lat, crs = 4326)
#' update(fit, newdata = stations[251:281, ])
#' ```
#'
#' @details
#' The result equals a fit to all rows with covariance and family parameters fixed. [vecchia()] puts
#' new rows last in the ordering. Splines, smooths and `scale(x)` keep their basis.
#'
#' A row takes milliseconds with [vecchia()] on responses. Other methods, repeated locations, random
#' effects and noise models take a pass over all rows, so append batches.
#'
#' `print()` counts the rows, and recommends a new estimation in two cases:
#'
#' * The errors of at least 10 rows are larger than the fit expects (one-sided test at 1%).
#' * The appended rows are more than half as many as those of the estimation.
#'
#' @param object a fit by [neargp()] to one response, with its rows in memory.
#' @param ... a new formula and changed arguments of [neargp()], without `newdata` and `refit`.
#' @param newdata a data frame or sf points. Rows without a response are dropped. Default: none.
#' @param refit `TRUE` estimates the parameters from all rows, from those of the fit. Default:
#'   `FALSE`.
#' @param evaluate `FALSE` returns the changed call. Default: `TRUE`.
#' @return A fit by [neargp()].
#' @examples
#' # A network of 40 sensors, with new readings each hour
#' set.seed(1)
#' readings <- merge(data.frame(x = runif(40), y = runif(40)), data.frame(hour = 1:15))
#' readings$z <- 3 * sin(4 * readings$x) + cos(readings$hour / 4) + rnorm(600, sd = 0.3)
#' fit <- neargp(z ~ 1, subset(readings, hour <= 12), coords = ~ x + y, time = ~ hour)
#' for (now in 13:15) {
#'   fit <- update(fit, newdata = subset(readings, hour == now))
#'   print(predict(fit, data.frame(x = 0.5, y = 0.5, hour = now + 1), interval = "prediction"))
#' }
#' fit
#'
#' # Estimate again from all rows
#' coef(update(fit, refit = TRUE), what = "covariance")
#' @export
update.neargp <- function(object, ..., newdata = NULL, refit = FALSE, evaluate = TRUE) {
  plain <- missing(newdata) && missing(refit)
  if (is.null(newdata) && !check_flag(refit, "refit")) {
    if (isTRUE(evaluate)) {
      tell_lost_recalibration(object)
      tell_lost_rows(object$appended)
    }
    if (plain) return(NextMethod())
    call <- sys.call()
    call[[1L]] <- quote(stats::update)
    call[c("newdata", "refit")] <- NULL
    return(eval(call, parent.frame()))
  }
  check_fit(object)
  check_update_alone(...length() > 0L || !isTRUE(evaluate))
  check_takes_rows(object)
  if (!is.null(newdata)) object <- append_rows(object, newdata)
  if (refit) estimated_again(object) else object
}

#' @export
update.neargp_learned <- function(object, ..., newdata = NULL, refit = FALSE, evaluate = TRUE) {
  if (!is.null(newdata) || !identical(refit, FALSE)) refuse_more_rows("a fit with learner()")
  if (isTRUE(evaluate)) tell_lost_recalibration(object)
  NextMethod()
}

# The call of a fit contains neither a recalibration nor appended rows.
tell_lost_recalibration <- function(object) {
  if (is.null(object$family$recalibration %||% object$recalibration)) return(invisible())
  inform_neargp("recalibration", c("update() fits the model again, without a recalibration.",
    i = "Call recalibrate() of the new fit."))
}

tell_lost_rows <- function(appended) {
  if (is.null(appended)) return(invisible())
  inform_neargp("appended", c(
    sprintf("update() fits the data of the call again, without the %s that were appended.",
      say_rows(appended$total)), i = "Give it all rows: update(fit, data = )."))
}

check_update_alone <- function(more) {
  if (!more) return(invisible())
  abort_neargp("argument", c(
    "`newdata` and `refit` cannot be combined with other changes of a fit.",
    i = "Append rows first, and then change the model: update(fit, data = ) with all rows."))
}

check_takes_rows <- function(object) {
  if (is_streamed(object)) refuse_more_rows("a fit whose rows are not in memory")
  if (has_areal_data(object)) refuse_more_rows("a fit to areas")
  if (!is.null(object$outputs)) refuse_more_rows("a fit of several responses")
  if (!is.null(object$classifier)) refuse_more_rows("a classification")
  if (!has_ability(object$method, "append_rows", object$family)) {
    refuse_more_rows(method_call(object$method))
  }
}

refuse_more_rows <- function(fit) {
  abort_neargp("method", c(
    sprintf("Rows cannot be appended to %s, and `refit` does not estimate it again.", fit),
    i = sprintf("Fits of one response in memory accept rows, by %s.", able_methods("append_rows")),
    i = "Use update(fit, data = ) with all rows."))
}

# ---- the steps -----------------------------------------------------------------------------------

append_rows <- function(object, newdata) {
  rows <- new_data_rows(object, newdata)
  fit <- with_appended_names(object, newdata, rows)
  added <- length(rows$kept)
  if (!added) return(with_own_cache(fit))
  n <- length(object$data$y)
  fit$data <- with_data_rows(object$data, rows$data)
  fit$appended <- count_appended(object, added)
  fit <- appended_at_end(object, fit, n) %||% conditioned_again(object, fit, n)
  inform_estimate_again(object$appended, fit$appended)
  fit
}
