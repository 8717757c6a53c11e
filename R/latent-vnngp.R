#' Variational nearest-neighbour Gaussian process (VNNGP)
#'
#' @description
#' Fits a latent Gaussian process to counts, presence or absence, proportions, positive amounts or
#' data with outliers.
#'
#' ```r
#' gauges <- subset(wet_days(), lon < -110)
#' fit <- neargp(wet ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = poisson())
#' predict(fit, data.frame(lon = -120, lat = 40), interval = "prediction")
#' ```
#'
#' @details
#' `vnngp()` is the default for every [response_family] except Gaussian and categorical responses.
#' Each point of the process is conditioned on its nearest neighbours, so time and memory grow
#' linearly with the data. The fit maximises the evidence lower bound (ELBO) and profiles out the
#' trend. Standard errors come from its curvature. For Gaussian responses the ELBO is the
#' log-likelihood. The ELBO is equation (12) of `vignette("model-and-methods")`.
#'
#' * Random effects or smooths: `count ~ depth + (1 | vessel)`, see [random_effects]. Time grows
#'   with their columns.
#' * Three coordinates or more: `vnngp(k = 30)` or more.
#' * Many predictors: estimate ranges by [loo_k()] first, and fix them by `cov_matern(nu = 2.5,
#'   ard = TRUE, range = )`.
#' * Variances to 0.2%, a few thousand locations: `vnngp(factor = "exact")`.
#' * Fewer inducing points than locations: `vnngp(inducing = 5000)`.
#' * The method of Wu et al. (2022): `vnngp(posterior = "mean-field", optimizer = "adam")`.
#'
#' Intervals of the default posterior cover at their level, except for binary data with a weak
#' process, where 95% intervals cover about 92%. `"laplace"` is cheaper, but biased for small
#' counts, binary data and rare events, and `print()` or a message says so. `"mean-field"` yields
#' good means, but you should not use its intervals for the process, which are far too narrow. Its
#' log scores differ little with 256 neighbours in place of 32, which take 50 times as long. See
#' `vignette("model-and-methods", package = "neargp")` and the article "Inside vnngp() and loo_k()".
#'
#' @param k the number of neighbours of each inducing point, a positive integer. Default `NULL`: 15,
#'   enough in two coordinates, or one less than the inducing points.
#' @param inducing the inducing points: a number, a matrix of coordinates, or [inducing_points()]
#'   for other placements. Default `NULL`: all locations of the data.
#' @param posterior `"sparse"` (default), the best normal approximation; `"laplace"`, cheaper and
#'   biased for small counts and binary data; or `"mean-field"`, independent normals as in the
#'   paper.
#' @param optimizer `"natural"`, the posterior in closed form and Newton's method for the
#'   parameters, or `"adam"`, mini-batches for `"mean-field"` without standard errors and without a
#'   test of convergence. Default `"auto"`: `"natural"`, and `"adam"` for `"mean-field"` with `k`
#'   above 60.
#' @param ordering of the inducing points: `"maxmin"` (default), which the incomplete factor relies
#'   on, `"random"`, `"coordinate"`, `"pca"` or `"given"`.
#' @param factor the factor of the posterior's precision: `"incomplete"` (default), linear in the
#'   data, or `"exact"`, slower and for a few thousand locations. The exact factor replaces an
#'   incomplete one that fails, for up to 5,000 inducing points.
#' @param factor_memory the memory for an incomplete factor, in GiB. Beyond it a smaller pattern is
#'   used, and `print()` reports the error. `Inf` disables the limit, and 0 always uses the small
#'   pattern. Default: 4.
#' @param jitter a small variance added to each inducing point, as a share of the process variance.
#'   It is part of the model. Default: 1e-6. With `"adam"`, 1e-5 or 1e-4 is easier to optimise.
#' @param epochs,batch_size,learning_rate settings of `"adam"`: passes over the data, rows in a
#'   random batch, and the first learning rate, which is divided by 10 at 75% and at 90%. Several
#'   rates are those of equal shares of the steps. Defaults: 300, 256 and 0.01.
#' @param low_rank the number of inducing points of an additional low-rank part for smooth processes
#'   in more than two coordinates, an integer. Experimental. Default: 0, since it rarely improves
#'   predictions and takes 8 to 19 times as long.
#' @param overlap for shards (see [clusters]): how far a shard reaches beyond its own observations,
#'   in units of their spacing. Default `NULL`: 8 for the exponential covariance and rougher ones,
#'   16 for smoother ones, and the squares in one dimension. `print()` reports the largest
#'   difference of two shards.
#' @return A settings object for the argument `method` of [neargp()]. With `low_rank`, the fit
#'   contains the data frame `inducing` with the positions.
#' @seealso [response_family], [inducing_points()], [svgp()]; the article "Presence, counts and
#'   abundance" for an analysis from data to maps.
#' @references Wu, L., Pleiss, G. and Cunningham, J. P. (2022). Variational nearest neighbor
#'   Gaussian process. *ICML*. arXiv:2202.01694. Opper, M. and Archambeau, C. (2009). The
#'   variational Gaussian approximation revisited. *Neural Computation* 21, 786–792. Gyger, T.,
#'   Furrer, R. and Sigrist, F. (2025). Vecchia-inducing-points full-scale approximations for
#'   Gaussian processes. arXiv:2507.05064. Schäfer, F., Katzfuss, M. and Owhadi, H. (2021). Sparse
#'   Cholesky factorization by Kullback–Leibler minimization. *SIAM Journal on Scientific Computing*
#'   43, A2019–A2046.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # The number of wet days at rain gauges, a count out of the days observed
#' gauges <- subset(wet_days(), lon < -110)
#' fit <- neargp(wet ~ offset(log(observed)), gauges, coords = ~ lon + lat, crs = 4326,
#'   family = poisson(), method = vnngp(k = 10))
#' fit
#' predict(fit, data.frame(lon = c(-122, -112), lat = 40, observed = 31), interval = "prediction")
#'
#' # Presence: the probability of rain on the 21st, and how good it is
#' gauges <- gauges[!is.na(gauges$on_21st), ]
#' gauges$rain <- gauges$on_21st > 0
#' presence <- neargp(rain ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = binomial(),
#'   method = vnngp(k = 10))
#' scores(presence)
#' plot_map(cbind(gauges, predict(presence, gauges)), "mean", coords = ~ lon + lat, longlat = TRUE,
#'   main = "Probability of rain")
#'
#' # Compare the posteriors
#' posteriors <- c(sparse = "sparse", laplace = "laplace")
#' sapply(posteriors, function(posterior) {
#'   fit <- update(presence, method = vnngp(k = 10, posterior = posterior))
#'   coef(fit, what = "covariance")
#' })
#'
#' # Overdispersed counts: compare families by leave-one-out scores
#' overdispersed <- update(fit, family = negative_binomial(), data = gauges)
#' poisson <- update(fit, data = gauges)
#' rbind(poisson = scores(poisson), negative_binomial = scores(overdispersed))
#' @export
vnngp <- function(k = NULL, inducing = NULL, posterior = c("sparse", "mean-field", "laplace"),
                  optimizer = c("auto", "natural", "adam"),
                  ordering = c("maxmin", "random", "coordinate", "pca", "given"),
                  factor = c("incomplete", "exact"), factor_memory = 4,
                  jitter = 1e-6, epochs = 300L, batch_size = 256L, learning_rate = 0.01,
                  low_rank = 0L, overlap = NULL) {
  posterior <- check_choice(posterior, "posterior", c("sparse", "mean-field", "laplace"))
  settings <- c(neighbor_settings(k, 15L),
    list(posterior = posterior, optimizer = check_latent_optimizer(optimizer, posterior,
      k %||% 15L), ordering = check_choice(ordering, "ordering",
        c("maxmin", "random", "coordinate", "pca", "given")),
      factor = check_choice(factor, "factor", c("incomplete", "exact")),
      factor_memory = check_factor_memory(factor_memory),
      jitter = check_number(jitter, "jitter", 0, 1, open = TRUE)))
  settings$inducing <- check_inducing(inducing, posterior, settings$optimizer)
  settings$low_rank <- check_low_rank(low_rank, settings)
  settings$overlap <- check_number(overlap, "overlap", 0, null_ok = TRUE)
  adam <- list(epochs = check_count(epochs, "epochs"),
    batch_size = check_count(batch_size, "batch_size"),
    learning_rate = check_rates(learning_rate))
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
method_families.neargp_vnngp <- function(method) {
  latent_families(kinks = !identical(method$posterior, "laplace"))
}

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

# The ELBO of independent normals can reach a second optimum, where the field is absent or constant.
# The estimates of the sparse posterior are another start.
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
      " of process and trend", total_note(fit)),
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
