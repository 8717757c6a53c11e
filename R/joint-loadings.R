# Which loadings and parameters of a joint fit users see.

# The loadings of all fields. `loadings` of a composition are without reference and constants.
all_loadings <- function(x) x$all_loadings %||% x$loadings

with_all_loadings <- function(x, loadings) {
  if (is.null(x$all_loadings)) x$loadings[] <- loadings else {
    x$all_loadings[] <- loadings
    x$loadings <- shared_loadings(x)
  }
  x
}

# Parameters that coef() and vcov() leave out, see composition-methods.R.
hidden_parameters <- function(x) UseMethod("hidden_parameters")

#' @export
hidden_parameters.default <- function(x) rep(FALSE, nrow(x$layout))

# The loadings of the responses whose covariance is of interest, see composition-methods.R.
shared_loadings <- function(x) UseMethod("shared_loadings")

#' @export
shared_loadings.default <- function(x) unclass(x$loadings)
