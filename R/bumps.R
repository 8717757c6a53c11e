#' A small basis of place
#'
#' Gaussian bumps on a grid of knots over the data, for the formulas `sd` and `range` of a
#' [covariance] and the basis of its `warp` by [expand()] (or for a trend): a local standard
#' deviation, range or further coordinate that changes smoothly from place to place.
#'
#' Knots are `count` along each variable, equally spaced from its least to its greatest value, and a
#' bump falls off as `exp(-d^2 / 2)`, `d` the distance to its knot in units of the spacing. Knots
#' with no row within one spacing are left out: a bump there would be an extrapolation. The knots
#' are those of the rows of the fit, kept for predictions. Beyond these rows all bumps would fall to
#' 0, to values that no row has; so beyond the data a local field keeps its value at the edge: each
#' variable is taken to be within its least and greatest value among the rows of the fit.
#'
#' @param ... numeric variables, columns of the data: `bumps(x, y, 4)`, `bumps(latitude, 7)`. Inside
#'   `sd = `, `range = ` and `warp = expand()` of a covariance none stand for the coordinates of
#'   space, without time: `bumps(4)`. The last number may be given without the name `count`.
#' @param count knots along each variable, at least 2. 4 in the plane tell a range that changes
#'   tenfold across the map (`bench/non-stationary.R`); each knot is a coefficient.
#' @param knots,spacing,limits those of an earlier call, which [predict()] gives: leave them out.
#' @return A matrix of class `neargp_bumps` with a row for each element of the variables and a
#'   column for each knot. Where a variable is missing the row is.
#' @section Errors: `neargp_error_argument` where variables are not numbers, differ in length, or do
#'   not vary, where `count` is missing or not a whole number between 2 and 1,000, and for more than
#'   10,000 knots. From the formulas of [neargp()] and its covariance these arrive as
#'   `neargp_error_formula`, of which they are the parent.
#' @examples
#' dim(bumps(runif(100), runif(100), count = 3))
#' cov_exponential(range = ~ bumps(4))
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
  if (any(!is.finite(limits)) || any(limits[1L, ] == limits[2L, ])) {
    abort_neargp("argument", c("The variables of `bumps()` must be finite, and each must vary.",
      i = "Leave out a variable that does not."))
  }
  if (count^ncol(places) > most) {
    abort_neargp("argument",
      c(sprintf("`bumps()` of %d variables with %d knots along each would have more than %s knots.",
        ncol(places), count, format_count(most)),
        i = "Take a smaller count, or fewer variables: bumps(x, y, 3)."))
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
