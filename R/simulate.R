#' Conditional simulation
#'
#' Draws the latent field or new observations jointly at new locations, given the data: many
#' possible maps, for quantities that depend on several places at once (areal means, exceeded areas,
#' flow paths). Trend coefficients are drawn from their sampling distribution, covariance parameters
#' are held at their estimates.
#'
#' Locations are visited in maxmin order; each is drawn given its `k` nearest among the observations
#' and the locations already drawn (Katzfuss et al. 2020); with `nugget = 0` the field at an
#' observation is the observation. For [vnngp()] the field is first drawn at its inducing points
#' from the posterior, and these take the part of the observations.
#'
#' For [exact_gp()] draws are exact, from the dense joint distribution of the observations and all
#' new locations (Rue and Held 2005, section 2.3), as long as both together are at most its
#' `max_rows`, 10,000 by default, and `k` is not given. Beyond that they are made with neighbours,
#' and a message (`neargp_message_neighbors`) says so. Time grows with the cube of that number:
#' seconds for some thousand. Draws of a gaussian response by the other methods are exact for up to
#' 1,500 observations and new locations together, where neither `k` nor a GPU is asked for; so are
#' those by [loo_k()] of another response, where each row had all others as neighbours.
#'
#' With neighbours the locations already drawn crowd out the observations, so that the mean of many
#' draws is not quite that of [predict.neargp()]. For rough fields the difference is small; the
#' smoother the field and the larger its nugget, the more it counts (`bench/notes/accuracy.md`). A
#' larger `k` lessens it.
#'
#' @section Several outputs: They are drawn jointly, at each place one after the other; columns are
#' `sim_1_<output>`, `sim_2_<output>`, ....
#'
#' @section Smooth covariances: The covariance matrix of locations that are close beside the range
#' is singular in double precision where the field is smooth: [cov_gaussian()], [cov_cauchy()],
#' [cov_powered_exponential()] near a power of 2, Matérn fields of great smoothness. Where a matrix
#' cannot be factored, independent noise is added to observations and draws, the least of 1e-10,
#' 1e-8 and 1e-6 of the variance of the field with which it can. A message (`neargp_message_jitter`)
#' reports how much: of 1e-10 the standard deviation is 1e-5 of that of the field.
#'
#' @param object a fit of [neargp()].
#' @param nsim number of draws.
#' @param seed an integer for [set.seed()], or `NULL`; R's generator is restored afterwards, and its
#'   state kept in the attribute `"seed"`, as by [stats::simulate()].
#' @param newdata as in [predict.neargp()]; `NULL` for the training rows, whose weights then apply
#'   to new observations.
#' @param type `"response"` for new observations, `"link"` for the latent field.
#' @param k number of neighbours, as in [predict.neargp()]. By default none where draws are exact,
#'   see below.
#' @param conditional `FALSE` ignores the data and draws from the fitted model: trend at its
#'   estimate plus a new realisation of the process.
#' @param re.form,allow.new.levels of a fit with [random effects][random_effects], at `newdata`, as
#'   in [predict.neargp()]. With `conditional = FALSE` effects are drawn from their distribution.
#' @param trials numbers of trials of new binomial observations, one for all rows or one for each;
#'   by default those of the data for the training rows, else 1.
#' @param threads,device as in [predict.neargp()].
#' @param ... not used.
#' @return An object of the class of `newdata` (data frame for `NULL`) with the columns `sim_1`,
#'   `sim_2`, ...; rows with missing values are NA.
#' @section Errors: Those of [predict.neargp()]; `neargp_error_cholesky` where even 1e-6 of the
#'   variance does not help.
#' @references Rue, H. and Held, L. (2005). *Gaussian Markov Random Fields*. Chapman & Hall.
#'   Katzfuss, M., Guinness, J., Gong, W. and Zilber, D. (2020). Vecchia approximations of
#'   Gaussian-process predictions. *JABES* 25, 383–414.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10))
#' grid <- expand.grid(x = seq(0, 1, 0.1), y = seq(0, 1, 0.1))
#' draws <- simulate(fit, nsim = 20, seed = 1, newdata = grid, type = "link")
#' quantile(colMeans(draws), c(0.05, 0.95))
#' @export
simulate.neargp <- function(object, nsim = 1, seed = NULL, newdata = NULL,
                            type = c("response", "link"), k = NULL, conditional = TRUE,
                            trials = NULL, threads = NULL, device = NULL, re.form = NULL,
                            allow.new.levels = FALSE, ...) {
  check_fit(object)
  check_one_field(newdata, names(substitute(list(...))))
  check_no_more_arguments()
  nsim <- check_count(nsim, "nsim")
  type <- check_choice(type, "type", c("response", "link"))
  if (!is.null(trials)) check_has_trials(object$family)
  settings <- simulation_settings(object, k, threads, device)
  settings$noise <- type == "response"
  settings$conditional <- check_flag(conditional, "conditional")
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

# What draws are conditioned on, and where they are computed.
simulation_settings <- function(object, k, threads, device) {
  exact <- is_exact_draw(object, k)
  device <- resolve_device(device, predicts_densely(object$method, exact) || is_cpu_only(object))
  given <- if (is.null(object$outputs)) list(k = prediction_k(object$method, object, k)) else
    conditioned_on_outputs(object, k)
  new_prediction_settings(plain_context(threads), given$k, k_other = given$k_other, exact = exact,
    few_dense = is.null(k) && device != "cuda", device = device)
}

# Draws are a column each of one table.
check_draws_size <- function(rows, nsim) {
  if (as.double(rows) * nsim <= .Machine$integer.max) return(invisible())
  abort_neargp("size",
    c(sprintf("%s draws at %s places take %s GiB.", format_count(nsim), format_count(rows),
      format_count(ceiling(8 * as.double(rows) * nsim / 2^30))),
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
      transformed_draws(object, target, nsim, settings) else
      simulation_draws(object$method, object, target, nsim, settings)
  }
  as.data.frame(draws)
}

is_exact_draw <- function(object, k) is.null(k) && has_ability(object$method, "exact")

simulate_raster <- function(object, newdata, nsim, settings) {
  require_package("terra", "for SpatRaster objects")
  check_raster(object, newdata)
  target <- with_noise_of_draws(raster_target(object, newdata, seq_len(terra::ncell(newdata))),
    settings)
  as_raster_layers(newdata, as.matrix(simulation_columns(object, target, nsim, settings)))
}
