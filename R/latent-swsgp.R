# The objective is in src/core/latent/mean_field.h, with the divergence of
# src/core/conditional/cpu/members_divergence.h.

#' Sparse within sparse Gaussian process (SWSGP)
#'
#' Many inducing points, where each observation uses the `k` nearest: the method of Tran et al.
#' (2021), for comparison with the paper.
#'
#' ```r
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3, method = swsgp(100, k = 8))
#' predict(fit, new, interval = "prediction")
#' ```
#'
#' @details
#' A step of the optimiser needs small matrices only, so that 100,000 inducing points are no more
#' trouble than 500. For other work use [svgp()], whose objective is a bound, `vnngp(inducing = )`
#' for as many points with a bound of its own, or [vecchia()] and [vnngp()] without points.
#'
#' @section Objective: The posterior at the inducing points is `N(m, S)`. The objective is the sum
#' over observations of `E log p(y)`, less `kl_weight / n` times the divergence of the posterior
#' from the prior at the `k` points of each observation (equations 11 and 13). Adam maximises it on
#' mini-batches over `m`, `S`, positions and all parameters. `S` is diagonal, or `L L'` with
#' `covariance = "full"` (section 2.1, algorithm 1). With all points in view, a full `S` and
#' `kl_weight = 1` the objective is the bound of [svgp()].
#'
#' With `active`, all observations of a mini-batch use the same points, the nearest of them all,
#' and the divergence is that of these points: SWSGP-U in the supplement of the paper. Use it for
#' `predict(joint = TRUE)`, which conditions its rows on the union of their points in the same way.
#' The predictions then depend little on the number of rows. Without it they change with that
#' number.
#'
#' **The objective is not a lower bound of the likelihood** if an observation sees fewer points than
#' there are. The more points there are for the data, the smaller are noise and intervals: with one
#' point for each observation the noise tends to 0. An average point counts k / M times in the
#' divergence. The weight M / k would count it once, and independent points contain more divergence
#' than they should. The default of `kl_weight` is the root of M / k, between this and the 1 of the
#' paper. The noise of a Gaussian response stays above 1e-4 of its variance, more points than a
#' quarter of the observations give a warning (class `neargp_warning_inducing`), and [logLik()]
#' returns a score.
#'
#' @section Training: The fit ends after `epochs`, without a test of convergence. Further epochs can
#' raise the objective and lower the scores of new observations.
#'
#' @param inducing the inducing points: their number, or starting positions as a matrix, data frame
#'   or sf points with the coordinates of the data, time last. Default `NULL`: a tenth of the
#'   observations, at most 1,024. A number above that of distinct locations is lowered with a
#'   message of class `neargp_message_inducing`.
#' @param k the number of inducing points of an observation, a positive integer. Default `NULL`: 16,
#'   or all if there are fewer. The paper uses 4 or 8, and 100 of 100,000 points. The time of a step
#'   grows with the third power of `k`, on a GPU with the fourth.
#' @param move whether to learn the positions. Default: `TRUE`. Use `FALSE` for very many points:
#'   moving ones need a new search for neighbours in each epoch.
#' @param select the starting positions, `"kmeans"` (default) or `"random"` observations, as in
#'   [svgp()].
#' @param covariance `"diagonal"` (default) for independent inducing points, or `"full"` for a
#'   covariance matrix of them all, up to some thousand points.
#' @param active the number of inducing points that a mini-batch shares, an integer of at least `k`.
#'   Default `NULL`: each observation uses its own `k`. The paper shares 128 of 512 points.
#' @param jitter a share of the process variance that is added to the diagonal of the covariance
#'   matrix of inducing points. Default: 1e-6.
#' @param epochs,batch_size,learning_rate passes over the data (30), observations in a batch (256,
#'   or 64 with `active`) and first learning rate of Adam (0.03, in units of the scatter about the
#'   trend). The rate is divided by 10 at 75% and at 90% of the epochs.
#' @param kl_weight the weight of the divergence, a positive number. Default `NULL`: the root of the
#'   number of inducing points over `k`, or over `active`. A larger weight gives wider intervals.
#' @return A settings object for the argument `method` of [neargp()]. The fit contains `inducing`, a
#'   data frame with the positions in the coordinates of the data.
#' @section Errors: `neargp_error_inducing` for positions that are missing or not in the coordinates
#'   of the data, `neargp_error_k` for a `k` above the number of points, `neargp_error_argument` for
#'   an `active` below `k`, `neargp_error_device` for `covariance = "full"` or `active` on a GPU,
#'   `neargp_error_family` and `neargp_error_method` for more than two classes and for several
#'   responses.
#' @references Tran, G.-L., Milios, D., Michiardi, P. and Filippone, M. (2021). Sparse within sparse
#'   Gaussian processes using neighbor information. *ICML*. arXiv:2011.05041.
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(400), x2 = runif(400), x3 = runif(400))
#' d$y <- sin(4 * d$x1) + d$x2^2 + rnorm(400, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3,
#'   method = swsgp(inducing = 40, k = 8, batch_size = 64),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))
#' fit
#' new <- data.frame(x1 = c(0.2, 0.5, 0.8), x2 = 0.5, x3 = 0.5)
#' predict(fit, new, interval = "prediction")
#'
#' # mini-batches that share 30 points, for joint predictions
#' shared <- update(fit, method = swsgp(inducing = 40, k = 8, active = 30))
#' attr(predict(shared, new, type = "link", joint = TRUE), "covariance")
#' @export
swsgp <- function(inducing = NULL, k = NULL, move = TRUE, select = c("kmeans", "random"),
                  covariance = c("diagonal", "full"), active = NULL, jitter = 1e-6, epochs = 30L,
                  batch_size = if (is.null(active)) 256L else 64L, learning_rate = 0.03,
                  kl_weight = NULL) {
  covariance <- check_choice(covariance, "covariance", c("diagonal", "full"))
  active <- check_count(active, "active", null_ok = TRUE)
  settings <- c(neighbor_settings(k, 16L), list(inducing = check_start_positions(inducing),
    move = check_flag(move, "move"), select = check_choice(select, "select", c("kmeans", "random")),
    covariance = covariance, active = active,
    jitter = check_number(jitter, "jitter", 0, 1e-2, open = TRUE),
    epochs = check_count(epochs, "epochs"), batch_size = check_count(batch_size, "batch_size"),
    learning_rate = check_number(learning_rate, "learning_rate", 0, open = TRUE),
    kl_weight = check_number(kl_weight, "kl_weight", 0, open = TRUE, null_ok = TRUE)))
  method <- do.call(new_method, c(list("swsgp", "sparse within sparse GP (SWSGP)"), settings,
    swsgp_as_vnngp))
  class(method) <- c("neargp_swsgp", "neargp_vnngp", "neargp_method")
  method
}

# The settings of vnngp() whose posterior and optimiser it shares.
swsgp_as_vnngp <- list(posterior = "mean-field", optimizer = "adam", ordering = "maxmin")

#' @export
conditioned_on.neargp_swsgp <- function(method, data, family) {
  swsgp_points(method, nrow(data$coords))
}

#' @export
print.neargp_swsgp <- function(x, ...) {
  x$inducing <- describe_inducing(x$inducing, "a tenth of the rows, at most 1,024")
  if (is.null(x$k)) x$k <- sprintf("%d, or one less than there are inducing points", x$default_k)
  x$kl_weight <- x$kl_weight %||%
    sprintf("the root of inducing points over %s", if (is.null(x$active)) "k" else "active")
  x[names(swsgp_as_vnngp)] <- NULL
  NextMethod()
}

#' @export
with_start.neargp_swsgp <- function(method, problem) {
  problem <- NextMethod()
  noise <- problem$layout$kind == "nugget"
  data <- core_data(problem$data)
  least <- log(1e-4 * residual_variance(data) / typical_noise_scale(data))
  problem$bounds$lower[noise] <- pmax(problem$bounds$lower[noise], least)
  problem$start <- clamp(problem$start, problem$bounds, problem$free)
  problem
}

#' @export
with_start.neargp_swsgp_families <- function(method, problem) {
  with_core_start(problem, with_latent_start)
}

#' @export
fit_method.neargp_swsgp <- function(method, problem) {
  problem$data <- core_data(problem$data)
  problem$inducing <- start_positions(method, problem, component_at(problem, problem$start),
    number = swsgp_points(method, length(problem$data$y)))
  points <- nrow(problem$inducing)
  if (points < 2L) abort_argument("inducing", "at least two points", points)
  if (method$k > points) {
    abort_neargp("k",
      c(sprintf("k = %d are more than the %s inducing points.", method$k, format_count(points)),
        i = "Use a smaller k, or more inducing points."))
  }
  if (!is.null(method$active) && method$active < method$k) {
    abort_argument("active", sprintf("at least k = %d", method$k), method$active)
  }
  warn_many_points(points, length(problem$data$y))
  fit_mean_field(method, problem)
}

warn_many_points <- function(points, rows) {
  if (points <= rows / 4) return(invisible())
  warn_neargp("inducing",
    c(sprintf("%s inducing points are many for %s rows: the objective of swsgp() is no bound, and its noise and intervals come out too small.",
      format_count(points), format_count(rows)),
      i = "vnngp(inducing = ) takes as many with an objective that is a bound; vnngp() and vecchia() need none."))
}

#' @export
complete_fit.neargp_swsgp <- function(method, fit, result, context) {
  fit <- NextMethod()
  fit$inducing <- position_frame(fit$posterior$coords, fit$locations)
  fit
}

#' @export
fit_details.neargp_swsgp <- function(method, fit) {
  c(Inducing = sprintf("%s points, %s; a row sees %d of them%s", format_count(nrow(fit$inducing)),
    if (method$move) "moved" else "held", fit$k,
    if (is.null(method$active)) "" else sprintf(", and a batch at most %d", method$active)),
    Posterior = sprintf("%s, jitter %s of the variance; intervals may be too narrow (?swsgp)",
      if (method$covariance == "full") "normal, with a full covariance matrix" else
        "independent normals", format(method$jitter)))
}

#' @export
prediction_k.neargp_swsgp <- function(method, object, k, least = 60L) {
  if (is.null(k)) object$k else NextMethod()
}

#' @export
restrict_rows.neargp_swsgp <- function(method, fit, rows, context) {
  problem <- hold_parameters(fit, fold_problem(fit, rows, context))
  problem$inducing <- fit$posterior$coords
  problem$method$move <- FALSE
  refit_problem(fit, problem)
}
