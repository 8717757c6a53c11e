#' Variational nearest-neighbour Gaussian process
#'
#' Regression and classification with a latent Gaussian process for any response family: the process
#' has Vecchia's nearest-neighbour prior at its inducing points, by default one at every location of
#' the data, and its posterior is approximated by a Gaussian. Everything is linear in the number of
#' rows.
#'
#' @details
#' # Model
#' A response `y_i` of the given family has the linear predictor `eta_i = offset_i + trend_i + w_i`.
#' The field `w` at the inducing points is normal with precision Q, the product over points of the
#' conditional densities given the `k` nearest of those before it in the ordering (Wu et al. 2022,
#' eq. 9). The covariance matrix of the inducing points has `jitter * variance` added on its
#' diagonal: it keeps smooth covariances numerically positive definite, and is part of the model.
#' Rows at the same location share an inducing point.
#'
#' # Many inputs
#' With one range for each of many inputs a fit of many rows takes long. `loo_k()` finds ranges in
#' seconds; with these fixed (`cov_matern(nu = 2.5, ard = TRUE, range = )`) `vnngp()` finds variance
#' and posterior of 371,848 rows in 54 inputs in minutes, with a better log score than the paper's
#' (`bench/vnngp.md`).
#'
#' # Low-rank part
#' It rarely pays. `low_rank` is for smooth fields in more than two coordinates, and where the
#' evidence itself matters: log scores in five coordinates were better than those without it by
#' 0.0002 to 0.009, and level with those of [svgp()], in 8 to 19 times the time of `vnngp()`
#' (`bench/vnngp-low-rank.R`, `bench/vnngp.md`). In two coordinates and for rough fields neighbours
#' tell nearly all, and it only costs time.
#'
#' With `low_rank = M` the field is `A'w` and a residual field: `w` are M standard normal variables,
#' which say what the field's values at M inducing points tell of it, and the nearest-neighbour
#' prior is that of the residual alone (the Vecchia-inducing-points full-scale approximation of
#' Gyger, Furrer and Sigrist 2025, which [vecchia()] has for gaussian responses). Where few
#' neighbours see little of the field, what they do not tell then comes from afar. Points are the
#' centres of [stats::kmeans()] in units of the ranges that a fit of at most 1,000 rows without the
#' part finds (a tenth of them, if that is more), and are then held; the jitter is added on the
#' diagonal of their covariance matrix too. Neighbours are, of the `5 * k` nearest, the `k` whose
#' residuals have the largest correlation. Each step of the posterior solves M systems with the
#' precision of the residual field, and keeps four times `n * M` numbers.
#'
#' # Posteriors
#' * `"sparse"` (default): `N(m, (Q + W)^-1)` with W diagonal, the optimal Gaussian approximation
#'   for responses that are independent given the field. For a gaussian response it is exact, and
#'   the objective is the log marginal likelihood. Mean and W are found by natural gradients; log
#'   determinant, variances and gradients come from an incomplete Cholesky factor on the pattern of
#'   Q, eliminated in reverse order, or from an exact one (`factor`). In simulations of 1,500 rows
#'   its intervals for the field cover at their level, but for binary data of a weak field (92%
#'   instead of 95%: the data say little, and the variance may come out too low); variances come out
#'   0 to 15% low on average, and the noise of `student_t()` is estimated too large (its scale by
#'   10%).
#' * `"laplace"`: the same at the mode of the posterior. Cheaper, as good for counts that are not
#'   small; with little information in a datum (binary data, small counts) mode and variance are
#'   biased: its intervals of 95% for the field covered 90 to 95% in these simulations. Means of a
#'   response do not add up to what was observed: for Poisson counts of the order of 0.1, 0.5, 2 and
#'   8 their totals at the data were 24, 12, 6 and 2% too high, 10% for a binary response with one
#'   event in ten, 7% too low for Gamma amounts (field of variance 1, `bench/vnngp-totals.R`), where
#'   those of `"sparse"` were right to 0.3%. `print()` reports the share of the fit at hand. Where
#'   totals matter take `"sparse"`.
#' * `"mean-field"`: the paper's, independent normals at the inducing points. Its predictive means
#'   are good, but its intervals for the field cover far less than they claim (37% instead of 95% in
#'   the simulation of the article below), and its objective drives ranges and variances away from
#'   the truth. Use it to reproduce the paper, not for inference.
#'
#' The covariance parameters, and those of the family, maximise the evidence lower bound (for
#' `"laplace"` the approximate log evidence), with the trend profiled out. Standard errors come from
#' its curvature.
#'
#' @param k number of neighbours of each inducing point among those before it; by default 15, or one
#'   less than there are inducing points. 15 leaves next to nothing of the likelihood to be gained
#'   for two coordinates; take 30 or more for more coordinates.
#' @param inducing inducing points: `NULL`, the locations of the data; a number of them or a matrix
#'   of coordinates; or made by [inducing_points()], for other placements and points that are
#'   learned.
#' @param posterior `"sparse"`, `"mean-field"` or `"laplace"`, see Posteriors.
#' @param optimizer `"natural"` (`"auto"` is this, but for `"mean-field"` only up to `k = 60`): the
#'   posterior in closed form, by natural gradients, and covariance and family parameters by
#'   Newton's method. `"adam"`, only for `"mean-field"`: the paper's stochastic optimiser of
#'   everything at once, on mini-batches (eq. 19, unbiased for any batch size), the learning rate
#'   cut by 10 at 75% and at 90% of the epochs (appendix D.3.1); a fit that is continued (`start`)
#'   keeps to the last of these rates, and to the start should that have the higher bound. It has no
#'   test of convergence (`fit$posterior$trace` is the bound in each epoch) and gives no standard
#'   errors of covariance parameters; its time an epoch is linear in the number of rows for any `k`.
#' @param ordering of the inducing points: `"maxmin"`, which the incomplete factor relies on,
#'   `"random"`, `"coordinate"` or `"given"`.
#' @param factor of the posterior's precision: `"incomplete"`, linear in the number of rows; or
#'   `"exact"`, without its error (predictive variances within 0.2% at 4,000 locations), for some
#'   thousand locations: a fit took 17 times as long at 2,000 and 32 times at 4,000. Should an
#'   incomplete factor break down, or differ from the precision by more than 5%, as with smooth
#'   fields in many inputs, the exact one takes over where there are at most 5,000 inducing points
#'   (above 1,000 with a message, `neargp_message_factor`); where there are more, the optimiser
#'   turns back, and stops with `neargp_error_cholesky` if there is no way round. Of a
#'   [cov_gaussian()] field the variances of some inducing points are checked, and where they are
#'   wrong by more than 2% the posterior is that of an exact factor, or, where there are more than
#'   5,000, `print()` reports by how much.
#' @param factor_memory GiB that an incomplete factor may take. Its pattern is that of Q, in which a
#'   point meets all with which it shares a conditioning set: in many dimensions hundreds of
#'   neighbours would fill any memory (256 of 25,600 points in eight dimensions: more than 14 GiB).
#'   Where more than `factor_memory` is foreseen the factor keeps to the pattern of the conditioning
#'   sets themselves, whose size is linear in `k` (Schäfer et al. 2021, section 4.1), and `print()`
#'   says so, with the error of variances at some inducing points. The mean stays exact, and
#'   gradients are those of the objective. At 2,000 points in eight dimensions the log-likelihood
#'   was wrong by up to 2 units, variances by 0.2 to 3.5% (root mean square) for a noise of 0.001 to
#'   0.1 of the variance, by 9 to 21% for binary responses, which say little. `0`: always so; `Inf`:
#'   never.
#' @param jitter variance added to each inducing point, as a share of the variance of the process.
#'   With `"adam"` a larger one, 1e-5 or 1e-4, makes the optimisation easier; a mean-field posterior
#'   takes it for noise, and 1e-3 spoiled it in trials.
#' @param epochs,batch_size,learning_rate settings of `"adam"`: passes over the data, rows in a
#'   batch (drawn by R's random numbers), first learning rate (of a gaussian or [student_t()]
#'   response in units of its scatter about the trend).
#' @param low_rank number of inducing points of a low-rank part beside the nearest-neighbour prior,
#'   see below; 0, the default, for none. It rarely pays: a log score better by 0.009 at most, in 8
#'   to 19 times the time. Where it is wanted, 200 is a good number to begin with.
#' @return A settings object for the argument `method` of [neargp()]. A fit with a low-rank part has
#'   the data frame `inducing`, the positions of its points in the coordinates of the data.
#' @section Errors: `neargp_error_argument` for settings of the wrong type, and for `low_rank` with
#'   `posterior = "mean-field"` or `inducing`; [neargp()] stops with `neargp_error_inducing` where
#'   `low_rank` is more than there are distinct locations, and with `neargp_error_device` and
#'   `neargp_error_local` for a low-rank part on a GPU or with `sd = ~`, `range = ~` or `warp = `
#'   of a covariance.
#' @seealso [response_family], [inducing_points()], and
#'   `vignette("counts-and-presence", package = "neargp")`, which compares the posteriors and says
#'   which method is for what.
#' @references Wu, L., Pleiss, G. and Cunningham, J. P. (2022). Variational nearest neighbor
#'   Gaussian process. *ICML*. arXiv:2202.01694. Opper, M. and Archambeau, C. (2009). The
#'   variational Gaussian approximation revisited. *Neural Computation* 21, 786–792. Gyger, T.,
#'   Furrer, R. and Sigrist, F. (2025). Vecchia-inducing-points full-scale approximations for
#'   Gaussian processes. arXiv:2507.05064. Schäfer, F., Katzfuss, M. and Owhadi, H. (2021). Sparse
#'   Cholesky factorization by Kullback–Leibler minimization. *SIAM Journal on Scientific Computing*
#'   43, A2019–A2046.
#' @examples
#' vnngp(k = 10)
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300))
#' d$count <- rpois(300, exp(1 + sin(6 * d$x) + cos(5 * d$y)))
#' fit <- neargp(count ~ 1, d, coords = ~ x + y, method = vnngp(k = 10), family = poisson())
#' fit
#' predict(fit, data.frame(x = 0.3, y = c(0.1, 0.9)), interval = "prediction")
#' @export
vnngp <- function(k = NULL, inducing = NULL, posterior = c("sparse", "mean-field", "laplace"),
                  optimizer = c("auto", "natural", "adam"),
                  ordering = c("maxmin", "random", "coordinate", "given"),
                  factor = c("incomplete", "exact"), factor_memory = 4,
                  jitter = 1e-6, epochs = 300L, batch_size = 256L, learning_rate = 0.01,
                  low_rank = 0L) {
  posterior <- check_choice(posterior, "posterior", c("sparse", "mean-field", "laplace"))
  settings <- c(neighbor_settings(k, 15L),
    list(posterior = posterior, optimizer = check_latent_optimizer(optimizer, posterior,
      k %||% 15L), ordering = check_choice(ordering, "ordering",
        c("maxmin", "random", "coordinate", "given")),
      factor = check_choice(factor, "factor", c("incomplete", "exact")),
      factor_memory = check_factor_memory(factor_memory),
      jitter = check_number(jitter, "jitter", 0, 1, open = TRUE)))
  settings$inducing <- check_inducing(inducing, posterior, settings$optimizer)
  settings$low_rank <- check_low_rank(low_rank, settings)
  adam <- list(epochs = check_count(epochs, "epochs"),
    batch_size = check_count(batch_size, "batch_size"),
    learning_rate = check_number(learning_rate, "learning_rate", 0, open = TRUE))
  if (settings$optimizer == "adam") {
    settings <- c(settings[!names(settings) %in% c("factor", "factor_memory")], adam)
  }
  do.call(new_method, c(list("vnngp", "VNNGP"), settings))
}

check_factor_memory <- function(memory) {
  if (identical(memory, Inf)) Inf else check_number(memory, "factor_memory", 0)
}

# The pattern of the posterior's precision, on which natural gradients rely, grows with the square
# of k.
check_latent_optimizer <- function(optimizer, posterior, k) {
  optimizer <- check_choice(optimizer, "optimizer", c("auto", "natural", "adam"))
  if (optimizer == "adam" && posterior != "mean-field") {
    abort_neargp("argument", c("optimizer = \"adam\" is for posterior = \"mean-field\".",
      i = "The other posteriors are found in closed form: leave `optimizer` out."))
  }
  if (optimizer != "auto") return(optimizer)
  if (posterior == "mean-field" && k > 60L) "adam" else "natural"
}

#' @export
takes_local_fields.neargp_vnngp <- function(method, family) TRUE

#' @export
has_single_precision.neargp_vnngp <- function(method) FALSE

#' @export
fits_in_response_unit.neargp_vnngp <- function(method) FALSE

#' @export
has_nugget.neargp_vnngp_families <- function(method) FALSE

#' @export
method_families.neargp_vnngp <- function(method) latent_families()

#' @export
method_layout.neargp_vnngp_families <- function(method, layout, settings) {
  latent_layout(layout, settings)
}

# Rows at one location share an inducing point.
#' @export
needs_distinct_locations.neargp_vnngp_families <- function(method, problem) FALSE

#' @export
stationary_method.neargp_vnngp <- function(method, problem) stationary_vecchia(problem)

#' @export
stationary_method.neargp_vnngp_families <- function(method, problem) method

#' @export
with_start.neargp_vnngp <- function(method, problem) with_core_start(problem, with_latent_start)

#' @export
complete_fit.neargp_vnngp <- function(method, fit, result) {
  fit <- with_family_values(fit, result$working)
  fit$posterior <- result$posterior
  if (has_latent_low_rank(method)) {
    fit$inducing <- as.data.frame(raw_positions(fit$posterior$low_rank, fit$locations))
  }
  fit
}

#' @export
fit_method.neargp_vnngp <- function(method, problem) {
  problem$data <- core_data(problem$data)
  if (!is.null(method$inducing)) {
    problem$inducing <- problem$start_positions %||% inducing_coordinates(problem)
  }
  if (method$optimizer == "adam") return(fit_mean_field(method, problem))
  if (has_latent_low_rank(method)) return(fit_low_rank(method, problem))
  nodes <- latent_nodes(problem)
  latent_result(problem, if (has_many_parameters(problem)) scoring_fit(problem, nodes) else
    fit_latent(problem, nodes, rough_optimum(problem)))
}

#' @export
fit_details.neargp_vnngp <- function(method, fit) {
  posterior <- switch(method$posterior, sparse = "sparse precision",
    laplace = paste0("Laplace at the mode", total_note(fit)),
    "mean-field" = "mean field (intervals too narrow: ?vnngp)")
  solved <- if (fit$device == "cuda" && !identical(method$optimizer, "adam"))
    "; solved on the CPU" else ""
  c(Posterior = sprintf("%s; %s inducing points, jitter %s of the variance%s", posterior,
    format_count(nrow(fit$posterior$coords)),
    format(method$jitter), solved), low_rank_detail(method, fit),
    factor_detail(method, fit$posterior))
}

# The mode of a skew posterior is not its mean: with a link that bends, means of the response about
# it do not add up to what was observed.
total_note <- function(fit, told = 0.005) {
  if (response_family(fit$family)$link == "identity") return("")
  share <- sum(posterior_response(fit)$mean) / sum(fit$data$y)
  if (!is.finite(share) || abs(share - 1) < told) return("")
  sprintf(" (means at the data add up to %.3f of the observed total: ?vnngp)", share)
}

factor_detail <- function(method, posterior) {
  if (identical(method$optimizer, "adam") || is_mean_field(method)) return(NULL)
  if (posterior$exact && method$factor == "incomplete") {
    return(c(Factor = "exact, since the incomplete one broke down or had wrong variances"))
  }
  error <- posterior$variance_error %||% 0
  wrong <- sprintf("variances wrong by up to %.0f%% at 30 sampled points", 100 * error)
  remedy <- "more neighbours, or a larger jitter, fix that"
  if (posterior$restricted) {
    return(c(Factor = sprintf(
      "incomplete, restricted to the conditioning sets (the pattern of Q would take over %s GiB), %s",
      format(method$factor_memory), wrong)))
  }
  if (error > 0.02) c(Factor = sprintf("incomplete, %s: %s", wrong, remedy))
}

#' @export
nugget_advice.neargp_vnngp <- function(method, x, side) {
  if (side == "upper") NextMethod() else advice_to_interpolate
}

#' @export
reason_for_no_errors.neargp_vnngp <- function(method, fit) {
  if (identical(method$optimizer, "adam")) "Adam finds no curvature" else NextMethod()
}
