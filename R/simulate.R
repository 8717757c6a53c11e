#' Conditional simulation
#'
#' @description
#' Draws the process or new observations jointly, given the data.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' simulate(fit, nsim = 3, newdata = data.frame(lon = c(-105, -107), lat = 39.7))
#' ```
#'
#' @details
#' You can use draws for quantities of several locations, for example the maximum of a map. Trend
#' coefficients are drawn; covariance parameters as [predict.neargp()] averages
#' over them.
#'
#' Draws are exact for [exact_gp()] up to its `max_rows`, and for other Gaussian fits up to 1,500
#' observations and locations, unless you give `k`. Otherwise locations are drawn in maxmin order,
#' each given its `k` nearest (Katzfuss et al. 2020). Their mean differs a little from
#' [predict.neargp()], less with a larger `k`.
#'
#' Smooth covariances can need a noise of 1e-10 to 1e-6 of the variance, with a message. Several
#' responses return `sim_1_<output>`.
#'
#' @param object a fit by [neargp()].
#' @param nsim the number of draws, an integer. Default: 1.
#' @param seed an integer for [set.seed()]. Default `NULL`: R's random numbers.
#' @param newdata see [predict.neargp()]. Default `NULL`: the observations.
#' @param type `"response"` (default) or `"link"`.
#' @param k,threads,device,parameters see [predict.neargp()].
#' @param conditional `FALSE` draws from the fitted model without the data. Default: `TRUE`.
#' @param re.form,allow.new.levels see [predict.neargp()].
#' @param trials the numbers of trials. Default `NULL`: those of the data, else 1.
#' @param ... not used.
#' @return An object like `newdata` with the columns `sim_1`, `sim_2`, ...
#' @references Katzfuss, M., Guinness, J., Gong, W. and Zilber, D. (2020). Vecchia approximations of
#'   Gaussian-process predictions. *JABES* 25, 383–414.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' grid <- expand.grid(lon = seq(-109, -102, 0.5), lat = seq(37, 41, 0.5))
#' draws <- simulate(fit, nsim = 20, seed = 1, newdata = grid, type = "link")
#' # The regional mean
#' quantile(colMeans(draws), c(0.05, 0.5, 0.95))
#' plot_map(cbind(grid, draws), "sim_1")
#' @export
simulate.neargp <- function(object, nsim = 1, seed = NULL, newdata = NULL,
                            type = c("response", "link"), k = NULL, conditional = TRUE,
                            trials = NULL, threads = NULL, device = NULL, re.form = NULL,
                            allow.new.levels = FALSE, parameters = NULL,
                            ...) {
  check_fit(object)
  check_one_field(newdata, names(substitute(list(...))))
  check_no_more_arguments()
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("simulate", match.call(expand.dots = FALSE)))
  }
  nsim <- check_count(nsim, "nsim")
  type <- check_choice(type, "type", c("response", "link"))
  if (!is.null(trials)) check_has_trials(object$family)
  settings <- simulation_settings(object, k, threads, device)
  settings$noise <- type == "response"
  settings$conditional <- check_flag(conditional, "conditional")
  settings$integrated <- is_integrated(parameters, object, settings$conditional)
  if (!is.null(trials)) settings$trials <- check_trials(trials)
  if (!is.null(newdata)) object <- for_effects_of(object, newdata, re.form, allow.new.levels,
    pooled = FALSE)
  rows <- if (is.null(newdata)) count_places(object$data) else target_size(newdata)
  check_draws_size(rows * max(length(object$outputs), 1L), nsim)
  state <- seed_generator(seed)
  on.exit(state$restore())
  settings$context <- prediction_context(object, rows, settings)
  result <- simulate_target(object, newdata, nsim, settings)
  attr(result, "seed") <- state$seed
  result
}

# The data that condition draws, and the device that computes them.
simulation_settings <- function(object, k, threads, device) {
  exact <- is_exact_draw(object, k)
  device <- resolve_device(device, predicts_densely(object$method, exact) || is_cpu_only(object))
  given <- if (is.null(object$outputs)) list(k = prediction_k(object$method, object, k)) else
    conditioned_on_outputs(object, k)
  new_prediction_settings(plain_context(threads), given$k, k_other = given$k_other, exact = exact,
    few_dense = is.null(k) && device != "cuda", device = device)
}

# Draws are a column each of one table. A column without rows takes as much memory as 100 numbers.
check_draws_size <- function(rows, nsim) {
  numbers <- as.double(rows + 100) * nsim
  if (numbers <= .Machine$integer.max) return(invisible())
  abort_neargp("size",
    c(sprintf("%s at %s would take %s GiB.", counted(nsim, "draw"), counted(rows, "location"),
      format_count(ceiling(8 * numbers / 2^30))),
      i = "Draw fewer at a time, with a `seed` for each."))
}

simulate_target <- function(object, newdata, nsim, settings) {
  if (is_raster(newdata)) return(simulate_raster(object, newdata, nsim, settings))
  target <- if (is.null(newdata)) training_target(object) else
    with_noise_of_draws(new_target(object, newdata), settings)
  if (!is.null(newdata)) tell_far_locations(object, target, settings)
  target$restore(simulation_columns(object, target, nsim, settings))
}

# The convention of stats::simulate(): with a seed the generator is put back afterwards.
seed_generator <- function(seed) {
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1L)
  before <- get(".Random.seed", envir = globalenv())
  if (is.null(seed)) return(list(seed = before, restore = function() invisible()))
  set.seed(check_count(seed, "seed", lower = -.Machine$integer.max))
  list(seed = structure(seed, kind = as.list(RNGkind())),
    restore = function() assign(".Random.seed", before, envir = globalenv()))
}

simulation_columns <- function(object, target, nsim, settings) {
  names <- outer(paste0("sim_", seq_len(nsim)), output_suffix(object$outputs), paste0)
  draws <- matrix(NA_real_, length(target$complete), length(names), dimnames = list(NULL, names))
  if (any(target$complete)) {
    draws[target$complete, ] <- if (has_transform(object$family))
      transformed_draws(object, target, nsim, settings) else if (settings$integrated)
      integrated_simulations(object, target, nsim, settings) else
      simulation_draws(object$method, object, target, nsim, settings)
  }
  as.data.frame(draws)
}

# Each draw is by the fit at a point of the design, which is drawn by its weight.
integrated_simulations <- function(object, target, nsim, settings) {
  design <- integrated_fits(object, settings$context)
  point <- sample.int(length(design$fits), nsim, replace = TRUE, prob = exp(design$log_weights))
  draws <- lapply(sort(unique(point)), function(s) {
    fit <- design$fits[[s]]
    simulation_draws(fit$method, fit, target, sum(point == s), settings)
  })
  do.call(cbind, draws)[, order(order(point)), drop = FALSE]
}

is_exact_draw <- function(object, k) is.null(k) && has_ability(object$method, "exact")

simulate_raster <- function(object, newdata, nsim, settings) {
  require_package("terra", "for SpatRaster objects")
  check_raster(object, newdata)
  target <- with_noise_of_draws(raster_target(object, newdata, seq_len(terra::ncell(newdata))),
    settings)
  as_raster_layers(newdata, as.matrix(simulation_columns(object, target, nsim, settings)))
}

# Columns of draws in the class of newdata.
drawn_in_class_of <- function(newdata, columns) {
  if (is_raster(newdata)) as_raster_layers(newdata, as.matrix(columns)) else
    restorer(newdata)(columns)
}

# The draws of simulate() at rows or cells, without the geometry.
draw_matrix <- function(drawn) {
  as.matrix(as.data.frame(Filter(is.numeric, result_columns(drawn)), optional = TRUE))
}

# Presence times amounts, in the form in which simulate() of one fit returns its draws.
draws_of_product <- function(presence, positive, newdata, seed) {
  product <- unname(presence * positive)
  columns <- stats::setNames(as.data.frame(product), paste0("sim_", seq_len(ncol(product))))
  structure(drawn_in_class_of(newdata, columns), seed = seed)
}
