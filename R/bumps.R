#' A small spatial basis
#'
#' @description
#' Gaussian bumps on a grid of knots over the data, for `sd`, `range` and `warp` of a [covariance],
#' or for a trend.
#'
#' ```r
#' cov_exponential(range = ~ bumps(4))
#' ```
#'
#' @details
#' Knots are equally spaced over the range of each variable. A bump is `exp(-d^2 / 2)` with `d` the
#' distance to its knot in units of the spacing. Knots without data within one spacing are left out.
#' Predictions use the knots of the fit. Beyond the data, variables are limited to their range, so
#' that a local covariance keeps its value at the edge.
#'
#' @param ... numeric columns of the data, for example `bumps(x, y, 4)`. In formulas of a
#'   covariance, none means the coordinates in space: `bumps(4)`. The last number is `count`.
#' @param count the number of knots along each variable, an integer of at least 2. Each knot is a
#'   coefficient. 4 in the plane can represent a range that changes tenfold across the map.
#' @param knots,spacing,limits for [predict()] only.
#' @return A matrix of class `neargp_bumps` with a row for each value and a column for each knot.
#'   Missing values yield missing rows.
#' @seealso [nonstationary_covariance], [expand()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' dim(bumps(runif(100), runif(100), count = 3))
#'
#' # A standard deviation that changes smoothly over the map
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_exponential(sd = ~ bumps(3)), method = vecchia(k = 15))
#' coef(fit, what = "covariance")
#' local_scales(fit, data.frame(lon = c(-108, -103), lat = 39))
#' @export
bumps <- function(..., count = NULL, knots = NULL, spacing = NULL, limits = NULL) {
  variables <- list(...)
  if (is.null(count)) {
    count <- last_number(variables)
    variables <- variables[-length(variables)]
  }
  count <- check_count(count, "count", lower = 2L, upper = 1000L)
  places <- bump_places(variables)
  if (is.null(knots)) {
    found <- place_knots(places, count)
    knots <- found$knots
    spacing <- found$spacing
    limits <- found$limits
  }
  structure(bump_values(places, knots, spacing, limits), class = c("neargp_bumps", "matrix"),
    count = count, knots = knots, spacing = spacing, limits = limits)
}

last_number <- function(variables) {
  last <- if (length(variables)) variables[[length(variables)]]
  if (length(last) == 1L) return(last)
  abort_neargp("argument",
    c("`count` of `bumps()` is missing, the number of knots along each variable.",
      i = "Write it last: bumps(x, 4), or ~ bumps(4), of the coordinates, as a formula of a covariance or of expand()."))
}

bump_places <- function(variables) {
  if (!length(variables)) {
    abort_neargp("argument", c("`bumps()` needs variables.",
      i = "In a covariance and in expand() a formula is needed: ~ bumps(4), of the coordinates. Elsewhere name columns: bumps(x, y, 4)."))
  }
  for (variable in variables) {
    if (!is.numeric(variable) || length(variable) != length(variables[[1L]])) {
      abort_argument("...", "numeric variables of one length, then the number of knots", variable)
    }
  }
  do.call(cbind, lapply(unname(variables), as.double))
}

place_knots <- function(places, count, most = 10000L) {
  known <- places[stats::complete.cases(places), , drop = FALSE]
  limits <- if (nrow(known)) apply(known, 2L, range) else matrix(0, 2L, ncol(places))
  if (!all(is.finite(limits)) || any(limits[1L, ] == limits[2L, ])) {
    abort_neargp("argument", c("The variables of `bumps()` must be finite, and each must vary.",
      i = "Leave out a variable that does not."))
  }
  if (count^ncol(places) > most) {
    abort_neargp("argument",
      c(sprintf("`bumps()` of %d variables with %d knots along each would have more than %s knots.",
        ncol(places), count, format_count(most)),
        i = "Use a smaller count, or fewer variables: bumps(x, y, 3)."))
  }
  spacing <- (limits[2L, ] - limits[1L, ]) / (count - 1)
  grid <- lapply(seq_len(ncol(places)), function(j) seq(limits[1L, j], limits[2L, j],
    length.out = count))
  knots <- unname(as.matrix(expand.grid(grid)))
  nearest <- apply(bump_values(known, knots, spacing), 2L, max)
  list(knots = knots[nearest >= exp(-0.5), , drop = FALSE], spacing = spacing, limits = limits)
}

bump_values <- function(places, knots, spacing, limits = NULL) {
  for (j in seq_along(limits[1L, ])) places[, j] <- pmin(pmax(places[, j], limits[1L, j]),
    limits[2L, j])
  scaled <- sweep(places, 2L, spacing, "/")
  centers <- sweep(knots, 2L, spacing, "/")
  values <- vapply(seq_len(nrow(centers)), function(j) {
    exp(-0.5 * rowSums((scaled - rep(centers[j, ], each = nrow(scaled)))^2))
  }, double(nrow(scaled)), USE.NAMES = FALSE)
  matrix(values, nrow(scaled), nrow(centers))
}

#' @importFrom stats makepredictcall
#' @export
makepredictcall.neargp_bumps <- function(var, call) {
  if (!identical(call[[1L]], quote(bumps)) && !identical(call[[1L]], quote(neargp::bumps))) {
    return(call)
  }
  call$knots <- attr(var, "knots")
  call$spacing <- attr(var, "spacing")
  call$limits <- attr(var, "limits")
  call
}
