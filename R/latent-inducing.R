# Inducing points of latent models that are fewer than the locations of the data, or elsewhere.

#' Inducing points of vnngp()
#'
#' @description
#' Represents the process of a [vnngp()] fit at fewer points than locations.
#'
#' ```r
#' vnngp(k = 15, inducing = inducing_points(500, placement = "kmeans"))
#' ```
#'
#' @details
#' All locations, the default of [vnngp()], are better and usually affordable. Fewer points smooth
#' the process over the gaps between them, and 95% intervals may cover only 75 to 79%.
#'
#' @param points the number of points, an integer below the number of locations, or a matrix of
#'   distinct coordinates: numbers, then the level numbers of factors, then time.
#' @param placement `"subset"` (default), the locations that cover the region evenly, or `"kmeans"`,
#'   centres of [stats::kmeans()], which cluster a random sample above 20 locations per point.
#' @param learn `TRUE` moves the points, as in the paper, with `posterior = "mean-field", optimizer
#'   = "adam"`. Default: `FALSE`.
#' @return A settings object for the argument `inducing` of [vnngp()].
#' @references Wu, L., Pleiss, G. and Cunningham, J. P. (2022). Variational nearest neighbor
#'   Gaussian process. *ICML*, section 3 and appendix D.2.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Half of the locations lose something
#' gauges <- subset(wet_days(), lon < -110)
#' fit <- neargp(wet ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = poisson(),
#'   method = vnngp(inducing = inducing_points(200)))
#' all <- update(fit, method = vnngp())
#' c(half = logLik(fit), all = logLik(all))
#' @export
inducing_points <- function(points, placement = c("subset", "kmeans"), learn = FALSE) {
  check_required()
  if (!is.matrix(points)) points <- check_count(points, "points", lower = 2L)
  if (is.matrix(points)) check_inducing_matrix(points)
  placement <- check_choice(placement, "placement", c("subset", "kmeans"))
  structure(list(points = points, placement = placement, learn = check_flag(learn, "learn")),
    class = "neargp_inducing")
}

check_inducing_matrix <- function(points) {
  if (!is.numeric(points) || nrow(points) < 2L) {
    abort_neargp("inducing",
      "Inducing points must be a number or a numeric matrix with at least two rows.")
  }
  wrong <- which(rowSums(!is.finite(points)) > 0)
  if (length(wrong)) {
    abort_neargp("inducing", paste0("The inducing points have missing or infinite coordinates in ",
      format_rows(wrong), "."))
  }
  duplicated <- duplicated_locations(points)
  if (length(duplicated)) {
    abort_neargp("inducing",
      c(paste0("Two inducing points at the same location are one: ", format_rows(duplicated),
        " are duplicated."), i = "Use unique() rows."))
  }
}

#' @export
format.neargp_inducing <- function(x, ...) {
  learned <- if (x$learn) ", learned" else ""
  if (is.matrix(x$points)) sprintf("%s given%s", format_count(nrow(x$points)), learned) else
    sprintf("%s by %s%s", format_count(x$points), x$placement, learned)
}

#' @export
print.neargp_inducing <- function(x, ...) {
  cat("Inducing points: ", format(x), "\n", sep = "")
  invisible(x)
}

# Checks the argument of vnngp(): NULL, or settings as above.
check_inducing <- function(inducing, posterior, optimizer) {
  if (is.null(inducing)) return(NULL)
  if (!inherits(inducing, "neargp_inducing")) {
    if (!is.numeric(inducing)) {
      abort_argument("inducing", "NULL, a number, a matrix or made by inducing_points()", inducing)
    }
    inducing <- inducing_points(if (is.matrix(inducing)) inducing else check_count(inducing,
      "inducing", lower = 2L))
  }
  if (posterior == "laplace") {
    abort_neargp("argument",
      c("posterior = \"laplace\" needs an inducing point at every location: leave `inducing` out.",
        i = "posterior = \"sparse\" takes any inducing points."))
  }
  if (inducing$learn && !(posterior == "mean-field" && optimizer == "adam")) {
    abort_neargp("argument",
      "Inducing points can be learned only with posterior = \"mean-field\" and optimizer = \"adam\".")
  }
  inducing
}

# The inducing points of a fit, in embedded coordinates.
inducing_coordinates <- function(problem) {
  inducing <- problem$method$inducing
  places <- distinct_locations(problem$data$coords)
  coords <- if (is.matrix(inducing$points)) given_inducing(inducing$points, problem) else
    chosen_inducing(inducing, places, problem)
  if (problem$method$k >= nrow(coords)) {
    abort_neargp("k",
      c(sprintf("k = %d neighbours need more than %d inducing points, and there are %d.",
        problem$method$k, problem$method$k, nrow(coords)),
        i = "Use a smaller k, or more inducing points."))
  }
  coords
}

given_inducing <- function(points, problem) {
  wanted <- c(problem$locations$raw_names, problem$locations$time)
  if (ncol(points) != length(wanted)) {
    abort_neargp("inducing",
      sprintf("The inducing points must have %d columns, the coordinates %s, not %d.",
        length(wanted), format_some(wanted), ncol(points)))
  }
  embed_coordinates(points, problem$locations, "inducing")
}

chosen_inducing <- function(inducing, places, problem) {
  if (inducing$points >= nrow(places)) {
    abort_neargp("inducing",
      c(sprintf("%s inducing points are not fewer than the %s locations.",
        format_count(inducing$points), format_count(nrow(places))),
        i = "Without `inducing` there is one at each location."))
  }
  component <- component_at(problem, problem$start)
  replicates <- replicate_columns(problem$locations)
  spread <- break_ties(clustering_coordinates(places, component, replicates), problem$context)
  first <- of_each_copy_first(core_order(spread, "maxmin", 0, problem$context), places, replicates)
  first <- first[seq_len(inducing$points)]
  subset <- places[first, , drop = FALSE]
  if (inducing$placement == "subset") return(subset)
  with_levels_of(kmeans_centers(places, spread, first), subset, replicates)
}

# Clusters in the metric of the field, from the evenly spread subset. Hartigan and Wong's algorithm
# never empties a cluster; that it has not quite settled does not matter here.
kmeans_centers <- function(places, spread, first, per_center = 20L) {
  rows <- seq_len(nrow(places))
  if (length(rows) > per_center * length(first)) {
    rows <- union(first, sample(rows, per_center * length(first)))
  }
  clusters <- suppressWarnings(stats::kmeans(spread[rows, , drop = FALSE],
    spread[first, , drop = FALSE], iter.max = 20L)$cluster)
  unname(rowsum(places[rows, , drop = FALSE], clusters) / tabulate(clusters))
}

#' @export
conditioned_on.neargp_vnngp <- function(method, data, family) {
  if (is.null(method$inducing)) return(max(location_index(data$coords)))
  points <- method$inducing$points
  if (is.matrix(points)) nrow(points) else points
}
