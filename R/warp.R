#' Learned coordinates of a covariance (warping)
#'
#' @description
#' Lets the distances in a [covariance] change in space. `expand()` adds learned coordinates, and
#' `monotone()` stretches single coordinates such as depth or time. Experimental.
#'
#' ```r
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200))
#' d$z <- sin(3 / (0.1 + d$x)) + d$y + rnorm(200, sd = 0.1)
#' neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10),
#'   covariance = cov_matern(warp = expand(1, ~ bumps(3))))
#' ```
#'
#' @details
#' `expand()` suits fronts and ridges, where locations differ more than their distance suggests
#' (Bornn, Shaddick and Zidek 2012). `monotone()` suits an axis along which the process changes at a
#' varying rate, for example depth (Snoek et al. 2014). You should always compare with a stationary
#' covariance by [cross_validate()] with `refit = TRUE`. Without a refit, a warp looks better than
#' it is.
#'
#' @section Model:
#' With `expand(q, basis)`, the squared distance of two observations, before it is divided by the
#' squared range, is `|x[i] - x[j]|^2 + |g[i] - g[j]|^2` with `q` further coordinates `g`. Each of
#' them is `L` times a sum of the standardised columns of `basis`, with coefficients
#' `warp1:<column>`. `L` is the standard deviation of the coordinates, so a coefficient of 1 adds
#' about as much distance as the coordinates. Different locations never coincide. Signs and rotation
#' of `g` are arbitrary: they are fixed by principal axes.
#'
#' With `monotone(~ depth)`, the integral of a positive slope replaces the coordinate. The logarithm
#' of the slope is linear between `knots`, and constant beyond the data. The range divides the
#' warped coordinate. If it divides nothing else, slope and range are not identified separately, so
#' the logarithms of the slopes sum to 0. For an ordered factor, the warp estimates the spacing of
#' its levels, without `knots`.
#'
#' The ridge `penalty` of the covariance shrinks all these coefficients.
#'
#' @param q the number of further coordinates, an integer from 1 to 10. Default: 2.
#' @param basis a one-sided formula with at least `q` columns: functions of the coordinates such as
#'   `~ bumps(4)`, covariates, or both. Default: `~ bumps(4)`.
#' @param coordinates a one-sided formula of the coordinates to warp, time included, such as `~
#'   depth` or `~ depth + day`. Longitude, latitude, unordered factors and the axes of an anisotropy
#'   are not allowed.
#' @param knots the number of knots for each coordinate, an integer of at least 2. They are
#'   quantiles of the coordinate. Default: 5.
#' @return A settings object of class `neargp_warp` for the argument `warp` of a [covariance], which
#'   accepts a list of one `expand()` and one `monotone()` as well.
#' @references Bornn, L., Shaddick, G. and Zidek, J. V. (2012). Modeling nonstationary processes
#'   through dimension expansion. *Journal of the American Statistical Association* 107, 281–289.
#'   Snoek, J. et al. (2014). Input warping for Bayesian optimization of non-stationary functions.
#'   *ICML*.
#' @seealso [warped_coordinates()] for the learned coordinates, `plot(fit, "warp")` for maps and
#'   curves, [nonstationary_covariance], the article "Non-stationary and deep models".
#' @examples
#' cov_exponential(warp = expand(1, ~ bumps(3)))
#' cov_matern(warp = monotone(~ depth, knots = 4))
#'
#' # A process that changes fast in the west
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300))
#' d$z <- sin(3 / (0.1 + d$x)) + d$y + rnorm(300, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10),
#'   covariance = cov_matern(warp = expand(1, ~ bumps(3))))
#' fit
#' warped_coordinates(fit, data.frame(x = c(0.1, 0.2, 0.8, 0.9), y = 0.5))
#' plot(fit, "warp")
#' @export
expand <- function(q = 2L, basis = ~ bumps(4)) {
  new_warp("expand", q = check_count(q, "q", lower = 1L, upper = 10L),
    formula = check_local_formula(basis, "basis"))
}

#' @rdname expand
#' @export
monotone <- function(coordinates, knots = 5L) {
  check_given(missing(coordinates) || is.null(coordinates), "coordinates",
    "a one-sided formula of coordinates, such as ~ depth")
  formula <- check_local_formula(coordinates, "coordinates")
  terms <- attr(stats::terms(formula), "term.labels")
  plain <- setequal(terms, all.vars(formula)) || setequal(gsub("`", "", terms), all.vars(formula))
  if (!length(terms) || !plain) {
    abort_neargp("argument",
      sprintf("`coordinates` must name coordinates, as ~ depth + day does, not `%s`.",
        deparse1(formula)))
  }
  new_warp("monotone", names = all.vars(formula), formula = formula,
    knots = check_count(knots, "knots", lower = 2L, upper = 100L))
}

new_warp <- function(kind, ...) structure(list(kind = kind, ...), class = "neargp_warp")

#' @export
print.neargp_warp <- function(x, ...) {
  cat(describe_warp(x), "\n", sep = "")
  invisible(x)
}

describe_warp <- function(warp) warp_descriptions[[warp$kind]](warp)

warp_descriptions <- list(
  expand = function(warp) sprintf("expand(%d, %s)", warp$q, deparse1(warp$formula)),
  monotone = function(warp) {
    sprintf("monotone(%s, knots = %d)", deparse1(warp$formula), warp$knots)
  },
  mlp = function(warp) {
    sprintf("mlp(c(%s), \"%s\", decay = %g)", paste(warp$layers, collapse = ", "), warp$activation,
      warp$decay)
  }
)

# "monotone warp of depth", "2 further coordinates of bumps(4)"
describe_warps <- function(component) {
  monotone <- component$local$monotone
  expand <- component$local$expand
  c(if (!is.null(component$local$mlp)) "features of a perceptron",
    if (!is.null(monotone)) paste("monotone warp of", format_some(monotone$names)),
    if (!is.null(expand)) sprintf("%d further %s of %s", expand$q,
      if (expand$q == 1L) "coordinate" else "coordinates", deparse1(expand$formula[[2L]])))
}

# The warps that are made of columns, by recipes.
warp_kinds <- c("monotone", "expand")

# The warps by kind; one of each, and a network alone.
check_warp <- function(warp) {
  if (is.null(warp)) return(list())
  if (inherits(warp, "neargp_warp")) warp <- list(warp)
  if (!is.list(warp) || !all(vapply(warp, inherits, NA, "neargp_warp"))) {
    abort_argument("warp",
      "NULL, expand(q, ~ basis), monotone(~ coordinate), or a list of both, or mlp(layers)", warp)
  }
  kinds <- vapply(warp, `[[`, "", "kind")
  if (anyDuplicated(kinds)) {
    abort_neargp("argument", c(sprintf("`warp` contains %s() twice.", kinds[anyDuplicated(kinds)]),
      i = "Several coordinates go into one monotone(~ depth + day), and bases into one expand()."))
  }
  if ("mlp" %in% kinds && length(kinds) > 1L) {
    abort_neargp("argument", c("`warp` combines mlp() with another warp.",
      i = "A network warps all coordinates: give mlp() alone."))
  }
  stats::setNames(warp, kinds)
}

is_warped <- function(fit) any(vapply(fit$locations$local,
  function(recipe) recipe$kind %in% warp_kinds, NA))

# ---- recipes, see local-recipes.R ----------------------------------------------------------------

# The columns of further coordinates, in units of the coordinates that the first range divides.
expand_recipe <- function(warp, table, locations, places, group, row_names) {
  recipe <- new_local_recipe(warp$formula, table, locations,
    local_names_in_messages[["expand"]], row_names)
  if (length(recipe$names) < warp$q) {
    abort_neargp("local",
      c(sprintf("expand() of %d coordinates needs as many columns of its basis, which has %d.",
      warp$q, length(recipe$names)),
      i = "Use a smaller q, or a larger basis."))
  }
  c(recipe, list(q = warp$q, unit = group_scales(places, group)[1L]))
}

# One for each coordinate. A column is the integral of the hat function of a knot: their sum is
# the coordinate itself, but for a constant.
monotone_recipes <- function(warp, component, locations, raw) {
  raw_names <- c(locations$raw_names, locations$time)
  lapply(warp$names, function(name) {
    check_monotone_coordinate(name, component, locations, raw_names)
    at <- match(name, raw_names)
    knots <- warp_knots(raw[, at], warp$knots, locations$factors[[name]]$levels)
    if (length(knots) < 2L) {
      abort_neargp("local",
        c(sprintf("The coordinate `%s` does not vary among the rows: it cannot be warped.", name),
        i = sprintf("Leave `%s` out of monotone().", name)))
    }
    list(names = paste0(name, seq_along(knots)), coordinate_name = name, raw_column = at,
      coordinate = match(name, locations$embedded_names), knots = knots,
      origin = if (name %in% names(locations$factors)) 1)
  })
}

# The knots of an ordered factor are between its levels: a slope for each step.
warp_knots <- function(x, count, levels) {
  if (!is.null(levels)) return(seq_len(length(levels) - 1L) + 0.5)
  unique(unname(stats::quantile(x, seq(0, 1, length.out = count))))
}

check_monotone_coordinate <- function(name, component, locations, raw_names) {
  refuse <- function(...) abort_neargp("local",
    sprintf("monotone() cannot warp `%s`: %s.", name, paste0(...)))
  at <- match(name, raw_names)
  if (is.na(at)) refuse("it is not a coordinate; they are ", format_some(raw_names))
  kind <- locations$kind[locations$block[match(name, locations$embedded_names)]]
  if (kind %in% "factor") refuse("the levels of a factor are unordered unless it is ordered()")
  if (kind %in% "ordered" && length(locations$factors[[name]]$levels) < 3L) {
    refuse("one step between two levels is described by its range")
  }
  if (is_space_time(component) && identical(name, locations$time)) {
    refuse("cov_spacetime() only warps coordinates of space")
  }
  if (at <= 2L && locations$metric == "longlat") refuse("it is a location on a sphere")
  rotated <- max(rotation_of(component$anisotropy)$coordinates, 0L)
  if (at <= rotated) refuse("the anisotropy rotates it")
}

# Integrals from the first knot, or from the first level of an ordered factor.
monotone_columns <- function(x, recipe) {
  columns <- hat_integrals(x, recipe$knots)
  if (is.null(recipe$origin)) return(columns)
  sweep(columns, 2L, drop(hat_integrals(recipe$origin, recipe$knots)))
}

# Integrals from the first knot of the hat functions of knots t, which sum to 1 everywhere. Over the
# piece from t[m] to t[m + 1], with h = t[m + 1] - t[m], the share u of the piece is below x. There
# the integrals of knots m + 1 and m are u^2 h / 2 and (u - u^2 / 2) h.
hat_integrals <- function(x, knots) {
  inside <- pmin(pmax(x, knots[1L]), knots[length(knots)])
  values <- matrix(0, length(x), length(knots))
  for (m in seq_len(length(knots) - 1L)) {
    h <- knots[m + 1L] - knots[m]
    u <- pmin(pmax((inside - knots[m]) / h, 0), 1)
    values[, m] <- values[, m] + (u - u^2 / 2) * h
    values[, m + 1L] <- values[, m + 1L] + u^2 / 2 * h
  }
  values[, 1L] <- values[, 1L] + pmin(x - knots[1L], 0)
  values[, length(knots)] <- values[, length(knots)] + pmax(x - knots[length(knots)], 0)
  values
}

# ---- parameters ----------------------------------------------------------------------------------

warp_parameter_names <- function(recipe) {
  if (recipe$kind == "monotone") return(paste0("log_slope:", recipe$names))
  paste0("warp", rep(seq_len(recipe$q), each = length(recipe$names)), ":",
    rep(recipe$names, recipe$q))
}

# The warped coordinates of a component, each with the number of its coordinate, in the order of
# their coefficients.
warp_groups <- function(locations, component) {
  places <- length(locations$embedded_names)
  unlist(lapply(recipes_of(locations, component, warp_kinds), function(recipe) {
    coordinates <- if (recipe$kind == "expand") places + seq_len(recipe$q) else recipe$coordinate
    lapply(coordinates, function(coordinate) {
      list(kind = recipe$kind, coordinate = coordinate, columns = as.integer(recipe$columns))
    })
  }), recursive = FALSE)
}

core_warps <- function(warps, take) {
  values <- list(monotone = take("monotone"), expand = take("expand"))
  lapply(warps, function(warp) {
    own <- seq_along(warp$columns)
    coefficients <- values[[warp$kind]][own]
    values[[warp$kind]] <<- values[[warp$kind]][-own]
    list(coordinate = warp$coordinate, columns = warp$columns, coefficients = coefficients,
      monotone = warp$kind == "monotone")
  })
}
