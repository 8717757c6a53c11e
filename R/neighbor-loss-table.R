#' Loss by conditioning on few neighbours
#'
#' @description
#' Estimates what a Gaussian fit loses because it conditions on `k` observations and not on all.
#'
#' ```r
#' fit <- neargp(temperature ~ 1, land_temperature()[1:1000, ], coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 10))
#' neighbor_loss(fit)
#' ```
#'
#' @details
#' `likelihood` is the expected log-likelihood lost at the estimates, from `k` and `4 * k`
#' neighbours of up to 256 observations. `prediction` is the root mean square difference between
#' default predictions and predictions from four times as many observations, in standard deviations
#' of the prediction. `local_mean` is the share that a [local mean][predict.neargp] adds to
#' prediction variances.
#'
#' You can reduce the losses by more neighbours. If noise is the cause, [vecchia()] conditions on
#' the process without noise by default. `print()` of a fit reports the first two numbers.
#'
#' @param object a fit by [vecchia()], [loo_k()] or [mll_k()] to one Gaussian response.
#' @param k the number of neighbours, an integer. Default `NULL`: that of the fit.
#' @param threads see [neargp()].
#' @return A data frame with one row and the columns `k`, `likelihood`, `prediction` and
#'   `local_mean`. The last two are `NA` for areas and local covariances. A fit that conditions on
#'   the process returns the losses that led to this choice.
#' @seealso [vecchia()], section Noise
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(600), y = runif(600))
#' d$z <- sin(5 * d$x) + cos(4 * d$y) + rnorm(600)
#' neighbor_loss(neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10)))
#' @export
neighbor_loss <- function(object, k = NULL, threads = NULL) {
  check_required()
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  if (is_on_field(object$method) && !is.null(object$conditioning)) {
    return(loss_frame(object$method$k, object$conditioning$loss))
  }
  if (!has_neighbor_loss(object)) {
    abort_neargp("method", c(
      "neighbor_loss() is for fits of one Gaussian response that condition on k observations.", i = "These are fits by vecchia() without blocks, loo_k() and mll_k(), of rows in memory."))
  }
  k <- check_count(k %||% object$k, "k")
  loss_frame(k, loss_of_fit(object, k, default_context(object, length(object$data$y), k, threads)))
}

loss_frame <- function(k, loss) {
  data.frame(k = as.integer(k), likelihood = loss$likelihood %||% 0,
    prediction = loss$prediction %||% NA_real_, local_mean = loss$local_mean %||% NA_real_)
}
