# The objective is in src/core/latent/mean_field.h, with the divergence of
# src/core/conditional/cpu/members_divergence.h.

#' Sparse within sparse Gaussian process (SWSGP)
#'
#' Many inducing points, of which each row sees the `k` nearest alone: a step of the optimiser takes
#' small matrices whatever the number of points, so that 100,000 of them are no more trouble than
#' 500. The method of Tran et al. (2021), here to compare with.
#'
#' @section Objective: With `q(u) = N(m, S)` at the inducing points and I the `k` points
#'   nearest to a row, the objective is the sum over rows of `E log p(y)` less 1/n of the
#'   divergence of q from the prior at the points I (equations 11 and 13). Means, covariance
#'   matrix, covariance parameters, those of the family, trend and positions climb it together by
#'   Adam, on mini-batches. S is diagonal by default, as the paper has it for very many points,
#'   or `L L'` (section 2.1 and algorithm 1) by `covariance = "full"`: with `k` the number of
#'   points and `kl_weight = 1` that is the bound of [svgp()].
#'
#'   With `active` all rows of a mini-batch see the same points, the nearest of them all, and the
#'   objective has the divergence at these: the paper's **SWSGP-U**. Training and
#'   `predict(joint = TRUE)` then condition alike, so that joint predictions depend little on how
#'   many rows are predicted together.
#'
#' **It is not a lower bound of the likelihood** where a row sees fewer points than there are: it
#' averages divergences of `k` points each, where a bound needs that of all of them. The more
#' points there are for the rows, the more it favours too little noise and too narrow intervals:
#' with a point for every row the noise went to its lower bound in all of our trials, and
#' intervals covered next to nothing. The divergence has the weight `kl_weight`, therefore. A row
#' sees k of M points, so that on average a point's divergence counts k / M times, and the weight
#' M / k makes that once. As independent points have more of it than they should where the noise
#' is small, the default is the root, between this and the paper's 1.
#'
#' Still, more points than a quarter of the rows are used with a warning (class
#' `neargp_warning_inducing`), the noise of a gaussian response is held above 1e-4 of its
#' variance, the fit ends after `epochs` rather than where the objective rises no more, and
#' [logLik()], of the objective with its weight, is marked as a score.
#'
#' @section Training: The fit ends after `epochs`, and other seeds or more epochs can end at a
#' higher objective. The package does not search for it: 300 epochs raised the objective and lowered
#' the scores of new observations.
#'
#' @section When to take it: To reproduce the paper, or to compare with it. [svgp()] has a bound,
#' joint posterior and all, for as many points as a dense matrix can have; `vnngp(inducing = )` has
#' as cheap steps with a prior of its own at the points, of which its objective is a bound;
#' [vecchia()] and [vnngp()] need no inducing points.
#'
#' @param inducing number of inducing points; or starting positions, a matrix with the columns of
#'   the coordinates (time last), a data frame or sf points with them. By default a tenth of the
#'   rows, at most 1,024. More than there are distinct locations are lowered to that number, with a
#'   message of class `neargp_message_inducing`.
#' @param k number of inducing points that a row sees, by default 16, or all where there are fewer.
#'   The paper has 4 or 8, and 100 of 100,000 points. The time of a step grows with the third power
#'   of `k`, on a GPU with the fourth.
#' @param move whether positions are learned. `FALSE` for very many: neighbours are sought in every
#'   epoch where they move.
#' @param select how positions are chosen at the start, `"kmeans"` or `"random"` rows, as in
#'   [svgp()].
#' @param covariance `"diagonal"`: independent inducing points, 2 numbers for each. `"full"`: their
#'   covariance matrix, for up to some thousand points; a step takes the time of `k^2` products of
#'   rows of it for each row.
#' @param active number of inducing points that all rows of a mini-batch see together, at least `k`;
#'   `NULL`: each row sees its own `k`. The paper has 128 of 512 points, and batches of 64.
#' @param jitter share of the field's variance that is added to the diagonal of the inducing points'
#'   covariance matrix.
#' @param epochs,batch_size,learning_rate settings of Adam: passes over the data, rows in a batch
#'   (256, or 64 with `active`; drawn by R's random numbers), first learning rate (of a gaussian or
#'   [student_t()] response in units of its scatter about the trend), cut by 10 at 75% and at 90% of
#'   the epochs.
#' @param kl_weight weight of the divergence, 1 in the paper; `NULL` for the root of the number of
#'   inducing points over `k`, or over `active`. Intervals are the wider the larger it is.
#' @return A settings object for the argument `method` of [neargp()]. A fit by it has the data frame
#'   `inducing`, the positions in the coordinates of the data. `predict(joint = TRUE)` conditions
#'   all its rows on the union of their inducing points; without training by `active` that moves
#'   predictions the more, the more rows there are. Otherwise a prediction depends on its row alone.
#' @section Errors: [neargp()] stops with `neargp_error_inducing` for positions that are missing, or
#'   not in the coordinates of the data; with `neargp_error_k` for a `k` above the number of
#'   inducing points; with `neargp_error_argument` for an `active` below `k`; with
#'   `neargp_error_device` for `covariance = "full"` or `active` on a GPU, which they do not use;
#'   with `neargp_error_family` and `neargp_error_method` for classes of more than
#'   two levels and for several outputs.
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
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5, x3 = 0.5), interval = "prediction")
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
