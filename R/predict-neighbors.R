#' Kriging equations and neighbourhoods
#'
#' @description
#' How predictions condition on neighbours, and how to change the neighbourhood.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' predict(fit, data.frame(lon = -105, lat = 39.7), k = 100, local_mean = FALSE)
#' ```
#'
#' @details
#' Let `b` be the kriging weights of the k neighbours, `f` the conditional variance, `V` the
#' covariance matrix of the trend's coefficients, and `d = x0 - X'b`. The predicted mean is
#' `x0'beta + b'(y - X beta)`, and the variance is `f + d' V d` (universal kriging). `type =
#' "process"` uses `x0 = 0`. `type = "trend"` is `x0'beta` with the variance `x0' V x0`. The means
#' of process and trend add up to the mean of `"link"` with `local_mean = FALSE`, and the variances
#' do not. For [vnngp()], inducing points replace the observations: with posterior mean `m` and
#' covariance `S`, the mean is `b'm` and the variance `f + b'Sb`, to which the trend is added.
#'
#' In gaps, for example under clouds, the nearest observations lie on one side. Neighbours from all
#' sectors and a local mean help there, and cost little elsewhere. Far from all data, a local mean
#' tends to the nearest data, and the global mean tends to the trend. With `smooth = TRUE`, the
#' prediction is the mean over the nearest `k / 2` to `k` neighbours, which is continuous (Rivoirard
#' and Romary 2011). You can use it for Gaussian responses by [vecchia()] without inducing points,
#' [exact_gp()], [loo_k()] and [mll_k()] on the CPU, without `sectors` and `joint`.
#'
#' | argument | default | exceptions |
#' |---|---|---|
#' | `k` | twice the `k` of the fit, at least 96 | [vnngp()] and `joint = TRUE`: twice, at least 60 |
#' | | | [swsgp()], and [loo_k()] of other families: that of the fit |
#' | | | [vecchia()] with inducing points: that of the fit, at least 30 |
#' | | | [exact_gp()]: all observations |
#' | | | [cov_spacetime()]: the most correlated; all of up to 1,000, else at least 192 |
#' | `sectors` | 8 in two coordinates, Gaussian, without time | 0 with `k`, all neighbours, [vnngp()], `joint = TRUE` |
#' | `local_mean` | `TRUE` with `~ 1`, Gaussian, one or two coordinates | `FALSE` for [vnngp()], exact predictions, inducing points, `joint = TRUE`, `"process"`, times outside the data |
#' | `maxdist` | any distance | |
#'
#' `maxdist` leaves out the neighbours of those `k` that are farther away in space. You can use it
#' for one Gaussian response by the methods that `smooth` supports. [exact_gp()] needs `k` as well.
#'
#' @section Trends by neighbourhood:
#' With `local_mean = TRUE`, each neighbourhood estimates a constant of its own, as ordinary kriging
#' in a moving window. Other coefficients of the trend always come from all observations. Universal
#' kriging in a moving window, the default of gstat with `nmax`, would estimate every coefficient
#' from the `k` neighbours. That is not offered for three reasons. Coefficients from few neighbours
#' are uncertain and change abruptly between neighbourhoods. They extrapolate badly at the edge of
#' the data. The likelihood that estimates the covariance uses one trend. A coefficient that varies
#' in space is a part of the model instead: `covariance = cov_matern() + cov_matern(by = ~ x)`, see
#' [varying_coefficients].
#' @references Cressie, N. (1993). *Statistics for Spatial Data*, section 3.4. Wiley. Rivoirard, J.
#'   and Romary, T. (2011). Continuity for kriging with moving neighborhood. *Mathematical
#'   Geosciences* 43, 469–481.
#' @seealso [predict.neargp()], [cross_validate()] with [block_folds()] to compare neighbourhoods.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Which neighbourhood fills gaps best? Hold out blocks.
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 20))
#' set.seed(1)
#' cross_validate(fit, folds = block_folds(fit, v = 5, size = 100), settings = list(
#'   default = list(), nearest = list(k = 30, sectors = 0),
#'   global_mean = list(local_mean = FALSE), near = list(maxdist = 200)
#' ))
#'
#' # Far from the data: the nearest data, or the mean of all
#' far <- data.frame(lon = -95, lat = 45)
#' predict(fit, far, k = 50, local_mean = TRUE)
#' predict(fit, far, k = 50, local_mean = FALSE)
#'
#' # Only observations within 50 km. Where there are none, the trend
#' predict(fit, rbind(data.frame(lon = -105, lat = 39.7), far), maxdist = 50)
#'
#' # Process and trend add up to the linear predictor
#' near <- data.frame(lon = -105, lat = 39.7)
#' parts <- sapply(c("process", "trend", "link"), function(type) {
#'   predict(fit, near, type = type, local_mean = FALSE)$mean
#' })
#' parts
#' @name kriging_neighbourhood
NULL

# The observations that a prediction is conditioned on: every observation, or how many neighbours,
# from where, and whether their mean is known.

# Where the call does not set them (NULL), neighbours come from sectors and their mean is local. A
# prediction into a gap then uses the level all around (bench/notes/defaults.md). There are three
# exceptions. Several locations predicted together share their neighbours and one mean. The process
# alone does not contain the mean. Latent models do not condition on observations. `joint` and
# `is_part`: whether several locations together, or a part of the field, are wanted.
prediction_conditioning <- function(method, object, k, local_mean, sectors, joint, is_part) {
  UseMethod("prediction_conditioning")
}

#' @export
prediction_conditioning.default <- function(method, object, k, local_mean, sectors, joint,
                                            is_part) {
  given <- conditioned_on_neighbors(object, k, local_mean, sectors, is_part, alone = !joint)
  given$exact <- is.null(k) && is.null(local_mean) && given$sectors == 0L &&
    is_small_space_time(object)
  given
}

# Neighbours in space and time leave more out than neighbours in space. With 55 stations at 16
# times, the means from 96 of them were off by up to 0.3 sd. All rows as one matrix, on which small
# fits condition, cost less than the 192 neighbours of a larger fit.
is_small_space_time <- function(object, few = 1000L) {
  has_space_time(object$core_covariance) && !reads_shards(object) &&
    count_conditioned(object) <= few
}

#' @export
prediction_conditioning.neargp_method_families <- function(method, object, k, local_mean, sectors,
                                                           joint, is_part) {
  conditioned_on_neighbors(object, k, local_mean, sectors, is_part, alone = FALSE)
}

# `alone`: whether the neighbours are observations of the field, and each location uses its own.
conditioned_on_neighbors <- function(object, k, local_mean, sectors, is_part, alone) {
  least <- if (!alone) 60L else if (has_space_time(object$core_covariance)) 192L else 96L
  if (is_lossy(object)) least <- max(least, 4L * object$k)
  wanted_k <- prediction_k(object$method, object, k, least)
  sectors <- if (is.null(sectors)) default_sectors(object, alone && is.null(k), wanted_k) else
    check_sectors(object, sectors, wanted_k)
  by_default <- is.null(local_mean)
  local_mean <- if (by_default) default_local_mean(object, alone && !is_part) else
    check_flag(local_mean, "local_mean")
  list(k = wanted_k, sectors = sectors, exact = FALSE, local_mean = local_mean,
    local_times = if (by_default && local_mean) time_span(object))
}

# Default means are local between the first and the last time of the data. Before and after, they
# would be the mean of the last neighbours for ever, where the field no longer depends on these.
time_span <- function(object) {
  if (is.null(object$locations$time)) return(NULL)
  if (!reads_shards(object)) return(range(time_column(object$data$coords, object$locations)))
  recipe <- object$source$recipe
  range(unlist(lapply(recipe$stream$parts$boxes, time_column, object$locations)))
}

time_column <- function(coords, locations) {
  places <- places_of(coords, locations)
  places[, ncol(places)]
}

# Locations at the same spot lie in no direction. With a time, sectors would give the observations
# before and after a share of one in eight. Where all rows are neighbours, sectors would leave some
# out.
default_sectors <- function(object, wanted, k) {
  if (reads_shards(object) || k >= count_conditioned(object)) return(0L)
  if (wanted && has_directions(object$locations)) 8L else 0L
}

has_directions <- function(locations) {
  is_surface(locations) && is.null(locations$time) && length(locations$raw_names) == 2L
}

check_sectors <- function(object, sectors, k) {
  check_no_flag(sectors)
  sectors <- check_count(sectors, "sectors", lower = 0L)
  if (sectors > 0L && reads_shards(object)) {
    abort_argument("sectors", "0 of a fit whose rows are read in shards", sectors)
  }
  if (sectors > k) {
    abort_argument("sectors", sprintf("at most the number of neighbours, which is %d", k), sectors)
  }
  if (sectors > 0L && !is_surface(object$locations)) {
    abort_argument("sectors", "0 unless there are two coordinates in space", sectors)
  }
  sectors
}

is_surface <- function(locations) {
  locations$metric == "longlat" || length(numeric_names(locations)) >= 2L
}

# With several predictors there are no gaps all around a target, and neighbours are too far to
# determine a mean. Where noise is high the mean of the neighbours is noise itself.
default_local_mean <- function(object, wanted) {
  wanted && !keeps_score_trend(object$method) && !has_inputs(object$locations) &&
    ncol(object$data$X) == 1L && attr(object$terms, "intercept") == 1L &&
    !(is_lossy(object) && isTRUE(object$conditioning$loss$local_mean > 0.05))
}

# The number of neighbours, more than for fitting: a prediction into a gap needs neighbours all
# around. Pseudo-observations and the q of swsgp() were made for the k of the fit. With 60 points in
# place of 16, log scores of swsgp() were worse by 0.02 to 0.03 (powerplant, elevators).
prediction_k <- function(method, object, k, least = 60L) {
  UseMethod("prediction_k")
}

#' @export
prediction_k.default <- function(method, object, k, least = 60L) {
  n <- object$source$rows %||% length(object$data$y)
  if (is.null(k)) return(min(n, max(least, 2L * object$k)))
  check_count(k, "k")
  if (k > n) {
    abort_neargp("k",
      c(sprintf("k = %s neighbours are more than the %s rows of the fit.", format_count(k),
        format_count(n)), i = "Use a smaller `k`, or leave it out."))
  }
  as.integer(k)
}

prediction_neighbors <- function(object, coords, settings) {
  index <- cached_index(object, settings$context)
  if (settings$sectors == 0L) {
    k <- min(settings$k, count_conditioned(object))
    return(core_index_nearest(index, coords, k, settings$context))
  }
  per_sector <- max(1L, as.integer(ceiling(settings$k / settings$sectors)))
  core_index_by_sector(index, coords, object$locations$metric == "longlat", settings$sectors,
    per_sector, settings$context)
}

# R completes names of arguments, and takes predict(fit, newdata, se = TRUE) for `sectors`.
check_no_flag <- function(sectors) {
  if (!is.logical(sectors)) return(invisible())
  abort_neargp("argument", c(sprintf("`sectors` must be a number, not %s.",
    describe_value(sectors)), i = foreign_arguments$predict[["se|se.?fit|std.?err.*"]]))
}
