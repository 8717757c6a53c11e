#' Variational nearest-neighbour Gaussian process
#'
#' A latent Gaussian process for a response of any family: counts, presence or absence, proportions,
#' positive amounts, outliers. Each point of the process is conditioned on its nearest neighbours,
#' so that time and memory grow with the number of rows, not with its cube.
#'
#' @details
#' # What to type
#' * Counts, successes among trials, amounts: name the family and nothing else, `neargp(count ~
#'   elevation, data, coords = ~ lon + lat, family = poisson())`. `vnngp()` is the default there.
#' * Groups and smooths beside the field: `count ~ depth + (1 | vessel)`, see [random_effects]. Time
#'   grows with their columns: of 2,000 counts in 50 groups a fit took 23 times as long as without.
#' * Three coordinates or more: `vnngp(k = 30)`, or a larger `k`.
#' * Many inputs and rows: find ranges by [loo_k()] first, and hold them, `covariance =
#'   cov_matern(nu = 2.5, ard = TRUE, range = )`.
#' * A few thousand locations, and variances wanted to 0.2%: `vnngp(factor = "exact")`.
#' * Fewer inducing points than locations: `vnngp(inducing = 5000)`.
#' * The paper's own method: `vnngp(posterior = "mean-field")`, with `optimizer = "adam"` its
#'   optimiser. Its means are good, its intervals for the field far too narrow.
#'
#' # What comes back
#' Covariance and family parameters that maximise the evidence lower bound (`"laplace"`: the
#' approximate log evidence), with standard errors from its curvature, and a trend that is profiled
#' out. For a gaussian response bound and log likelihood are one. [predict()] has the new
#' observation, `type = "link"` the linear predictor.
#'
#' # Where it errs
#' Intervals of the default posterior cover at their level, but for binary data of a weak field (92%
#' for 95%); those of `"laplace"` cover 90 to 95%, and its totals of counts are too high (12% for
#' counts of the order of 0.5; [print()] reports the share); those of `"mean-field"` covered 37%.
#' `vignette("nearest-neighbours", package = "neargp")` has the model, its approximations and what
#' was measured.
#'
#' With `"laplace"` slopes of binary data are slightly too small. The evidence of rare events often
#' has no maximum, but rises towards an infinite variance. The trend is then at the mode of field
#' and trend together, with a message of class `neargp_message_trend`, and slopes are clearly too
#' small. Use `posterior = "sparse"` for such data.
#'
#' @param k number of neighbours of each inducing point among those before it; by default 15, or one
#'   less than there are inducing points. 15 leaves next to nothing to be gained for two
#'   coordinates.
#' @param inducing points of the process: `NULL`, the locations of the data; a number of them or a
#'   matrix of coordinates; or made by [inducing_points()], for other placements and points that are
#'   learned.
#' @param posterior `"sparse"`, the best normal approximation; `"laplace"`, the same at the mode,
#'   cheaper, and biased for small counts and binary data; `"mean-field"`, the paper's, independent
#'   normals.
#' @param optimizer `"natural"`: the posterior in closed form, parameters by Newton's method.
#'   `"adam"`, for `"mean-field"` alone: everything at once on mini-batches, with no test of
#'   convergence and no standard errors of covariance parameters; `fit$posterior$trace` has the
#'   bound of each epoch. `"auto"` is `"natural"`, but for `"mean-field"` with `k` above 60. A fit
#'   that is continued (`start`) keeps to the last learning rate, and to the start should that have
#'   the higher bound.
#' @param ordering of the inducing points: `"maxmin"`, which the incomplete factor relies on,
#'   `"random"`, `"coordinate"` or `"given"`.
#' @param factor of the posterior's precision: `"incomplete"`, linear in the number of rows, or
#'   `"exact"`, for some thousand locations (17 times the time at 2,000, 32 times at 4,000). The
#'   exact one takes over where the incomplete one fails and there are at most 5,000 inducing points
#'   (above 1,000 with a message, `neargp_message_factor`); where there are more, the fit stops with
#'   `neargp_error_cholesky` if there is no way round.
#' @param factor_memory GiB that an incomplete factor may take. Where more is foreseen, as with
#'   hundreds of neighbours in many dimensions, it keeps to a smaller pattern, and `print()` says
#'   so, with the error of some variances. `0`: always so; `Inf`: never.
#' @param jitter variance added to each inducing point, as a share of the variance of the process:
#'   part of the model. With `"adam"` 1e-5 or 1e-4 makes the optimisation easier.
#' @param epochs,batch_size,learning_rate settings of `"adam"`: passes over the data, rows in a
#'   batch (drawn by R's random numbers), first learning rate (of a gaussian or [student_t()]
#'   response in units of its scatter about the trend), cut by 10 at 75% and at 90% of the epochs.
#' @param low_rank number of inducing points of a low-rank part beside the nearest-neighbour prior,
#'   for smooth fields in more than two coordinates; 0, the default, for none. It rarely pays: a log
#'   score better by 0.009 at most, in 8 to 19 times the time. Where it is wanted, 200 is a good
#'   number to begin with.
#' @param overlap how far a shard reaches beyond its own rows, in spacings of these, where the rows
#'   are in shards (`cluster`, or `shards` of [neargp_control()]); `NULL`: 8, for smoother fields
#'   than the exponential's 16, on a line the squares of these. Means then differ from those without
#'   shards by some hundredths of their standard deviations at most. [print()] has the largest
#'   difference of two shards within a quarter of the overlap; where it is above 0.05 a message of
#'   class `neargp_message_overlap` says so, as with data that say little of a field of long range.
#' @return A settings object for the argument `method` of [neargp()]. A fit with a low-rank part has
#'   the data frame `inducing`, the positions of its points in the coordinates of the data.
#' @section Errors: `neargp_error_argument` for settings of the wrong type, and for `low_rank` with
#'   `posterior = "mean-field"` or `inducing`; [neargp()] stops with `neargp_error_inducing` where
#'   `low_rank` is more than there are distinct locations, with `neargp_error_family` where the
#'   fixed `sd` of [censored_gaussian()] is below 1e-4 of the response's standard deviation (not for
#'   `posterior = "laplace"` or `optimizer = "adam"`), and with `neargp_error_device` and
#'   `neargp_error_local` for a low-rank part on a GPU or with `sd = ~`, `range = ~`, `warp = ` or
#'   `by = ~` of a covariance.
#' @seealso [response_family], [inducing_points()]; `vignette("counts-and-presence", package =
#'   "neargp")` for an analysis from data to maps, `vignette("nearest-neighbours", package =
#'   "neargp")` for how it works.
#' @references Wu, L., Pleiss, G. and Cunningham, J. P. (2022). Variational nearest neighbor
#'   Gaussian process. *ICML*. arXiv:2202.01694. Opper, M. and Archambeau, C. (2009). The
#'   variational Gaussian approximation revisited. *Neural Computation* 21, 786–792. Gyger, T.,
#'   Furrer, R. and Sigrist, F. (2025). Vecchia-inducing-points full-scale approximations for
#'   Gaussian processes. arXiv:2507.05064. Schäfer, F., Katzfuss, M. and Owhadi, H. (2021). Sparse
#'   Cholesky factorization by Kullback–Leibler minimization. *SIAM Journal on Scientific
#'   Computing* 43, A2019–A2046.
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
                  low_rank = 0L, overlap = NULL) {
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
  settings$overlap <- check_number(overlap, "overlap", 0, null_ok = TRUE)
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
method_families.neargp_vnngp <- function(method) latent_families()

#' @export
method_layout.neargp_vnngp_families <- function(method, layout, settings) {
  latent_layout(layout, settings)
}

#' @export
stationary_method.neargp_vnngp <- function(method, problem) stationary_vecchia(problem)

#' @export
stationary_method.neargp_vnngp_families <- function(method, problem) method

#' @export
with_start.neargp_vnngp <- function(method, problem) with_core_start(problem, with_latent_start)

#' @export
complete_fit.neargp_vnngp <- function(method, fit, result, context) {
  fit <- with_family_values(fit, result$working)
  fit$posterior <- result$posterior
  if (length(fit$convergence$separated)) {
    fit$posterior$variance_at_data <- predict_latent(fit, fit$data$coords,
      full_design(fit$data), fit$data$offset)$variance
  }
  if (has_latent_low_rank(method)) {
    fit$inducing <- position_frame(fit$posterior$low_rank, fit$locations)
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
  if (method$posterior != "laplace") check_sharp_limits(problem)
  result <- fit_by_newton(problem)
  if (has_endless_variance(problem, result)) return(at_joint_mode(problem))
  may_begin <- is_mean_field(method) && any(problem$free) && !is_begun(problem)
  if (may_begin) above_sparse(problem, result) else result
}

fit_by_newton <- function(problem) {
  if (has_latent_low_rank(problem$method)) return(fit_low_rank(problem))
  nodes <- latent_nodes(problem)
  state <- if (has_many_parameters(problem)) scoring_fit(problem, nodes) else
    fit_latent(problem, nodes, rough_optimum(problem))
  latent_result(problem, state)
}

# The bound of independent normals has a second optimum, without a field or with one that is
# constant. The estimates of the sparse posterior are another start.
above_sparse <- function(problem, result) {
  sparse <- problem
  sparse$keep <- NULL
  sparse$method$posterior <- "sparse"
  found <- tryCatch(suppressMessages(fit_method(sparse$method, sparse)),
    neargp_error = function(condition) NULL)
  if (is.null(found)) return(result)
  better_result(result, if_computable(fit_method(problem$method,
    continued_at(problem, found$working))))
}

#' @export
fit_details.neargp_vnngp <- function(method, fit) {
  posterior <- switch(method$posterior, sparse = "sparse precision",
    laplace = paste0("Laplace at the mode", if (isTRUE(fit$posterior$joint_trend))
      " of field and trend", total_note(fit)),
    "mean-field" = "mean field (intervals too narrow: ?vnngp)")
  solved <- if (fit$device == "cuda" && !identical(method$optimizer, "adam"))
    "; solved on the CPU" else ""
  c(Posterior = sprintf("%s; %s inducing points, jitter %s of the variance%s", posterior,
    format_count(nrow(fit$posterior$coords)),
    format(method$jitter), solved), low_rank_detail(method, fit), overlap_detail(fit),
    factor_detail(method, fit$posterior))
}

# The mode of a skew posterior is not its mean: with a link that bends, means of the response about
# it do not add up to what was observed.
total_note <- function(fit, tolerated = 0.005) {
  if (response_family(fit$family)$link == "identity") return("")
  share <- sum(posterior_response(fit)$mean) / sum(fit$data$y)
  if (!is.finite(share) || abs(share - 1) < tolerated) return("")
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
