# Products of covariances. The factor in time of a separable cov_spacetime() is of one coordinate,
# which may be one of those of space. In one coordinate this is any product of two covariances.

#' @rdname covariance
#' @export
`*.neargp_covariance` <- function(e1, e2) {
  if (!inherits(e1, "neargp_covariance") || !inherits(e2, "neargp_covariance")) {
    abort_neargp("argument", c("A covariance can only be multiplied by a covariance.",
      i = "The variance is an argument: cov_matern(variance = 2)."))
  }
  factors <- if (has_periodic(e1)) list(e2, e1) else list(e1, e2)
  product <- cov_spacetime(factors[[1L]], time = factors[[2L]], model = "separable")
  product$components[[1L]]$product <- TRUE
  product
}

# The only coordinate is also the time of a product, unless the call names another.
with_product_time <- function(given) {
  is_product <- vapply(given$covariance$components, function(x) isTRUE(x$product), NA)
  if (!any(is_product) || !is.null(given$time)) return(given)
  coords <- given$coords
  labels <- if (rlang::is_formula(coords)) summands(coords[[2L]]) else coords
  if (length(labels) != 1L) {
    abort_neargp("space_time", c(
      "The second factor of a product of covariances is of the time of each row, and there is none.",
      i = "Name the column of the time, time = ~ day. With one coordinate it is that coordinate."))
  }
  given$time <- stats::reformulate(sprintf("`%s`", labels))
  given
}
