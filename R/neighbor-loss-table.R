#' Loss by conditioning on few neighbours
#'
#' Estimates what a gaussian fit loses because it conditions on `k` observations and not on all.
#'
#' `likelihood` is the expected log-likelihood lost at the estimates, in units of log-likelihood. It
#' compares `k` with `4 * k` neighbours at up to 256 rows. `prediction` is the root mean square
#' difference between default predictions and predictions from four times as many observations, in
#' standard deviations of the prediction, at positions spread over the data. `local_mean` is the
#' share that a [local mean][predict.neargp] adds to prediction variances. More neighbours help
#' where the field is the cause; where noise is, [vecchia()] conditions on the field by default.
#' [print()] shows the first two.
#'
#' @param object a fit by [vecchia()], [loo_k()] or [mll_k()] of one gaussian response.
#' @param k number of neighbours; by default that of the fit.
#' @param threads number of threads, see [neargp()].
#' @return A data frame of one row with the columns `k`, `likelihood`, `prediction` and
#'   `local_mean`. The last two are `NA` for fields with covariates and for areas. A fit that was
#'   moved to the field has the losses that were the reason.
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
      "Only fits of one gaussian response that condition on k observations lose by that.", i = "They are fits by vecchia(), loo_k() and mll_k(), of rows in memory."))
  }
  k <- check_count(k %||% object$k, "k")
  loss_frame(k, loss_of_fit(object, k, default_context(object, length(object$data$y), k, threads)))
}

loss_frame <- function(k, loss) {
  data.frame(k = as.integer(k), likelihood = loss$likelihood %||% 0,
    prediction = loss$prediction %||% NA_real_, local_mean = loss$local_mean %||% NA_real_)
}
