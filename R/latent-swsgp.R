# The objective is in src/core/latent/mean_field.h, with the divergence of
# src/core/conditional/cpu/members_divergence.h.

#' Sparse within sparse Gaussian process (SWSGP)
#'
#' @description
#' Reference implementation of Tran et al. (2021): many inducing points, of which each observation
#' uses the `k` nearest. Experimental.
#'
#' ```r
#' air <- na.omit(airquality)
#' neargp(log(Ozone) ~ 1, air, coords = ~ Solar.R + Wind + Temp,
#'   method = swsgp(inducing = 20, k = 8))
#' ```
#'
#' @details
#' Use it to reproduce the paper. [svgp()] maximises an ELBO, `vnngp(inducing = )` costs as little
#' and maximises an ELBO, and [vecchia()] and [vnngp()] need no inducing points.
#'
#' With `q(u) = N(m, S)` at the points, the objective is the sum of `E log p(y)` less 1/n of the
#' divergence at the k nearest points (equations 11 and 13). It is equation (21) of
#' `vignette("model-and-methods")`. Adam trains everything. `S` is
#' diagonal, or `L L'` with `covariance = "full"` (section 2.1, algorithm 1). With all points in
#' view, a full `S` and `kl_weight = 1` the objective is the ELBO of [svgp()].
#'
#' With `active`, all observations of a mini-batch use the same points, the nearest of them all:
#' SWSGP-U in the supplement of the paper. Use it for `predict(joint = TRUE)`, which conditions all
#' rows on the union of their points. Predictions of a fit without `active` change with the number
#' of rows that you predict jointly. The package does not offer svgp-m-h of the paper, which is
#' [svgp()] with predictions from its nearest points: all points predict better.
#'
#' The objective is not an ELBO if `k` is smaller than the number of points. With many points it
#' favours too little noise and too narrow intervals, so the divergence receives the weight
#' `kl_weight`. You should use at most a quarter as many points as observations, or you get a
#' warning. `logLik()` is a score. The fit stops after `epochs`, since more epochs typically worsen
#' predictions. For accuracy as in the papers, use more points and neighbours. For example,
#' `swsgp(2048, k = 32, epochs = 60)` takes some 20 seconds for 11,000 observations.
#'
#' @param inducing the number of inducing points, an integer, or starting positions as in [svgp()].
#'   Default `NULL`: a tenth of the observations, at most 1,024.
#' @param k the number of points that an observation uses, an integer. Default `NULL`: 16. Time
#'   grows with its third power.
#' @param move `TRUE` (default) learns the positions.
#' @param select,jitter see [svgp()].
#' @param covariance `"diagonal"` (default) for independent points, or `"full"` for a covariance
#'   matrix of them all, up to a few thousand points, on the CPU.
#' @param active the number of points that a mini-batch shares, an integer of at least `k`, on the
#'   CPU. Default `NULL`: each observation uses its own. The paper shares 128 of 512.
#' @param epochs,batch_size,learning_rate settings of Adam. Defaults: 30, 256 (64 with `active`)
#'   and 0.03; the rate is divided by 10 at 75% and at 90%. Several rates are those of equal shares
#'   of the steps. For example, `0.03 / 5^(0:3)` is the schedule of Jankowiak and Pleiss (2022).
#' @param kl_weight the weight of the divergence, a positive number; 1 in the paper. Default `NULL`:
#'   the square root of `inducing / k`, or of `inducing / active`.
#' @return A settings object for the argument `method` of [neargp()]. The fit contains the data
#'   frame `inducing`. `predict(joint = TRUE)` uses the union of the points of all rows.
#' @references Tran, G.-L., Milios, D., Michiardi, P. and Filippone, M. (2021). Sparse within sparse
#'   Gaussian processes using neighbor information. *ICML*. arXiv:2011.05041.
#' @seealso [svgp()], [vnngp()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(500), x2 = runif(500), x3 = runif(500))
#' d$y <- sin(4 * d$x1) + d$x2^2 + rnorm(500, sd = 0.1)
#' train <- d[1:400, ]
#' test <- d[401:500, ]
#' fit <- neargp(y ~ 1, train, coords = ~ x1 + x2 + x3,
#'   method = swsgp(inducing = 40, k = 8, batch_size = 64),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))
#' fit
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5, x3 = 0.5), interval = "prediction")
#' bound <- update(fit, method = svgp(inducing = 40))
#' # mini-batches that share 30 points, for joint predictions
#' shared <- update(fit, method = swsgp(inducing = 40, k = 8, active = 30))
#' predict(shared, test[1:3, ], type = "link", joint = TRUE)
#' rbind(swsgp = scores(fit, newdata = test), svgp = scores(bound, newdata = test))
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
    learning_rate = check_rates(learning_rate),
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
    sprintf("the square root of inducing points over %s", if (is.null(x$active)) "k" else "active")
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
    c(sprintf("%s inducing points are many for %s rows. The objective of swsgp() is not a lower bound, and its noise and intervals come out too small.",
      format_count(points), format_count(rows)),
      i = "vnngp(inducing = ) takes as many, and maximises an ELBO; vnngp() and vecchia() need none."))
}

#' @export
complete_fit.neargp_swsgp <- function(method, fit, result, context) {
  fit <- NextMethod()
  fit$inducing <- position_frame(places_of(fit$posterior$coords, fit$locations),
    fit$locations)
  fit
}

#' @export
fit_details.neargp_swsgp <- function(method, fit) {
  c(Inducing = sprintf("%s points, %s; a row sees %d of them%s", format_count(nrow(fit$inducing)),
    if (method$move) "moved" else "held", fit$k,
    if (is.null(method$active)) "" else sprintf(", and a batch at most %d", method$active)),
    Posterior = sprintf("%s, jitter %s of the variance; intervals may be too narrow (?swsgp)",
      if (identical(method$covariance, "full")) "normal, with a full covariance matrix" else
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
