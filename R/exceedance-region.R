#' Regions that exceed a limit, with joint confidence
#'
#' @description
#' Finds the region in which the expected response exceeds a limit everywhere at once, with the
#' probability `level`. Experimental.
#'
#' ```r
#' region <- exceedance_region(fit, grid, threshold = 50)
#' plot_map(cbind(grid, region), "joint")
#' ```
#'
#' @details
#' Cells that each exceed with 95% are jointly above with less than 95%. Cells join the region in
#' the order of their own probability `p_exceed`, while all of them are above in a share `level` of
#' joint draws. This is the one-parameter family of Bolin and Lindgren (2015). `joint` is their
#' excursion function, the largest `level` at which a cell belongs to the region. Its standard error
#' is at most 0.5 / sqrt(draws).
#'
#' `type = "contour"` returns a region above, one below, and the `"uncertain"` rest, which contains
#' the whole contour line with the probability `level`.
#'
#' @param object a fit that supports [predict_areas()].
#' @param newdata locations, usually a grid: a data frame or sf points.
#' @param threshold the limit of the expected response, a number.
#' @param type `"above"` (default), `"below"` or `"contour"`.
#' @param level the joint probability. Default: 0.95.
#' @param draws number of draws. Default: 2,000.
#' @param seed,k,threads,verbose,re.form,allow.new.levels,parameters see [predict_areas()].
#' @param ... not used.
#' @return An object like `newdata` with `p_exceed`, `joint`, and the factor `region`: `"above"`,
#'   `"below"` or `"uncertain"`.
#' @references Bolin, D. and Lindgren, F. (2015). Excursion and contour uncertainty regions for
#'   latent Gaussian models. *JRSS B* 77, 85–106.
#' @seealso `predict(threshold = , threshold_of = "mean")` for single locations
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' grid <- expand.grid(lon = seq(-108, -103, 0.2), lat = seq(37.2, 40.8, 0.2))
#' region <- exceedance_region(fit, grid, threshold = 220, seed = 1)
#' table(region$region, alone = region$p_exceed > 0.95)
#' plot_map(cbind(grid, region), "joint")
#'
#' # Where may the contour line run?
#' contour <- exceedance_region(fit, grid, 220, type = "contour", seed = 1)
#' plot_map(cbind(grid, contour), "region")
#' @export
exceedance_region <- function(object, newdata, threshold, type = c("above", "below", "contour"),
                              level = 0.95, draws = 2000L, seed = NULL, k = NULL, threads = NULL,
                              verbose = rlang::is_interactive(), re.form = NULL,
                              allow.new.levels = FALSE, parameters = NULL, ...) {
  check_no_more_arguments()
  check_required()
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  check_predicts_areas(object)
  check_grid_frame(newdata)
  settings <- new_area_settings(object, list(fun = "mean", type = "response", interval = "none",
    level = level, joint = FALSE, draws = draws, k = k, threads = threads, verbose = verbose))
  settings$threshold <- check_number(threshold, "threshold")
  settings$sides <- check_choice(type, "type", c("above", "below", "contour"))
  object <- for_effects_of(object, newdata, re.form, allow.new.levels, pooled = FALSE)
  target <- new_target(object, newdata)
  settings$integrated <- integrates_areas(parameters, object, nrow(target$coords), settings)
  state <- seed_generator(seed)
  on.exit(state$restore())
  columns <- spread_over_rows(region_columns(object, target, settings), target$complete)
  columns$region <- factor(columns$region, c("above", "below", "uncertain"))
  target$restore(as.data.frame(columns))
}

region_columns <- function(object, target, settings) {
  if (!nrow(target$coords)) {
    return(list(p_exceed = double(0), joint = double(0), region = character(0)))
  }
  found <- over_parameters(object, settings, function(fit, draws) {
    part <- cell_posterior(fit, target, settings)
    list(part = part, draws = draws, probability = exceedance_probability(part, settings$threshold))
  })
  probability <- drop(do.call(cbind, lapply(found$values, `[[`, "probability")) %*% found$weights)
  sides <- new_sides(probability, settings$sides)
  reached <- unlist(lapply(found$values, function(value) {
    leading_runs(value, sides, settings)
  }))
  joint <- joint_probabilities(reached, sides)
  list(p_exceed = probability, joint = joint,
    region = ifelse(joint >= settings$level, ifelse(sides$above, "above", "below"), "uncertain"))
}

# P(h(eta) > limit) for normal eta and a monotone h: the probability that eta is beyond the root of
# h(eta) = limit.
exceedance_probability <- function(part, limit) {
  mean <- part$posterior$mean
  sd <- sqrt(cell_variances(part$posterior))
  ends <- c(min(mean - 10 * sd) - 1, max(mean + 10 * sd) + 1)
  beyond <- function(eta) part$curve(eta) - limit
  at_ends <- beyond(ends)
  if (all(at_ends > 0)) return(rep(1, length(mean)))
  if (all(at_ends <= 0)) return(rep(0, length(mean)))
  root <- stats::uniroot(beyond, ends, tol = 1e-10 * diff(ends))$root
  rises <- at_ends[2L] > 0
  ifelse(sd > 0, stats::pnorm((mean - root) / sd, lower.tail = rises),
    as.double(beyond(mean) > 0))
}

# The cells in the order in which they join the region, and the side on which each of them lies.
new_sides <- function(probability, type) {
  above <- switch(type, above = rep(TRUE, length(probability)),
    below = rep(FALSE, length(probability)), contour = probability > 0.5)
  own <- ifelse(above, probability, 1 - probability)
  list(above = above, own = own, order = order(own, decreasing = TRUE))
}

# For each draw, the number of cells in that order before the first cell on the wrong side.
leading_runs <- function(value, sides, settings) {
  settings$draws <- value$draws
  above <- sides$above[sides$order]
  draw <- function(count) expected_draws(list(value$part), count)
  unlist(for_draws_of_cells(draw, length(above), settings, function(expected) {
    agrees <- (expected[sides$order, , drop = FALSE] > settings$threshold) == above
    apply(agrees, 2L, match, x = FALSE, nomatch = nrow(agrees) + 1L) - 1L
  }))
}

# The excursion function: the share of draws in which all cells up to this one are on their side.
# Cells of equal probability join the region together.
joint_probabilities <- function(reached, sides) {
  count <- length(sides$own)
  share <- rev(cumsum(rev(tabulate(reached, count)))) / length(reached)
  joint <- double(count)
  joint[sides$order] <- share
  stats::ave(joint, sides$own, FUN = min)
}
