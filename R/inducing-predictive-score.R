# The second stage of ppgpr() maximises the predictive score of a posterior on inducing points. It
# searches the covariance matrix of the field at the points and the parameters of the family, with
# fixed means.

# The rows in the form for the score: responses, and linear predictors given the other rows. At the
# posterior, a row's linear predictor has mean mu and variance t, and its pseudo-observation
# precision W and slope g. Without the row, the mean is mu - t g / (1 - W t). `copies`: the number
# of equal observations in a row, one of which is left out.
predictive_rows <- function(data, mean, seen, slope, precision, factor, positions, copies = 1) {
  left <- pmax(1 - precision / copies * seen, 1e-3)
  list(n = length(data$y), coords = data$coords, response = c(core_observations(data), list(
    weights = data$weights, offset = double(length(data$y)),
      design = matrix(0, length(data$y), 0L))), mean = mean - seen / left * slope / copies,
      factor = factor, positions = positions)
}

# `at`: the posterior of the first stage, with its parameters.
gaussian_rows <- function(coords, columns, weights, covariance, at, context) {
  known <- core_collapsed_predict(coords, core_inducing_prior(at$positions, covariance, 0,
    at$jitter, context), core_inducing_posterior(at$weights, at$factor), context)
  mean <- known$weighted[, 1L] +
    drop(row_products(columns[, -1L, drop = FALSE] - known$weighted[, -1L, drop = FALSE],
      at$beta))
  noise <- at$nugget / weights
  y <- columns[, 1L]
  predictive_rows(list(coords = coords, y = y, weights = weights), mean, known$posterior,
    (y - mean) / noise, 1 / noise, at$factor, at$positions)
}

family_stage <- function(data, family, result, covariance, method) {
  posterior <- result$posterior
  copies <- if (response_family(family)$scaled) 1 else pmax(1, data$weights)
  stage <- predictive_rows(data, posterior$linear_predictor, posterior$variance_at_data -
    posterior$variance_given_nodes, posterior$slope,
    posterior$pseudo_precision, result$svgp$factor, result$svgp$positions, copies)
  if (kind_of_rows(data) != "parts") return(stage)
  family_stage_in_shards(stage, data, covariance, method)
}

# A function of the lower triangle G and the family's parameters.
predictive_score_at <- function(stage, method, family, covariance, context) {
  if (!is.null(stage$shards)) return(score_over_shards(stage, method, family, covariance, context))
  score_of_rows(stage, family_core_name(family), covariance, method$jitter, method$kl_weight,
    context)
}

score_of_rows <- function(stage, family, covariance, jitter, kl_weight, context) {
  problem <- core_predictive(stage$coords, stage$response, stage$mean, family,
    stage$positions, covariance, jitter, stage$factor, kl_weight, context)
  function(relative, parameters) core_predictive_score(problem, relative, parameters, context)
}

# `parameters`: those of the family. A ratio multiplies the `free` ones. The search begins at the
# posterior. If it is far more certain than responses are noisy, the score is almost flat in the
# logarithms of its variances, and nothing is gained, however uneven errors are. A second search for
# a Gaussian response then begins with half of the noise variance moved to the field.
maximize_predictive_score <- function(stage, method, family, covariance, parameters, free, context,
                                      bounds = widest_ratios, report = function(...) NULL,
                                      enough = 0.01) {
  score_at <- predictive_score_at(stage, method, family, covariance, context)
  search <- function(relative, ratio) {
    search_score(stage, score_at, parameters, free, report, relative, ratio, bounds)
  }
  found <- search(diag(nrow(stage$factor)), rep(1, length(parameters)))
  if (found$gain <= enough * stage$n && is_gaussian(family) && all(free)) {
    other <- search(wide_factor(stage, parameters / 2, covariance), 0.5)
    other$evaluations <- found$evaluations + other$evaluations
    if (other$value > found$value) found <- other
  }
  found[c("relative", "ratio", "evaluations")]
}

# G for the covariance matrix S = c I of the whitened field. The factor of its inverse is
# L G = I / sqrt(c). At a row that the points explain, the variance of the field is then `wanted`.
wide_factor <- function(stage, wanted, covariance) {
  place <- stage$positions[1L, , drop = FALSE]
  variance <- drop(core_covariance_matrix(place, place, covariance))
  forwardsolve(stage$factor, diag(sqrt(variance / wanted), nrow(stage$factor)))
}

# Logarithms of the least and the largest ratio. Noise may vanish where the field's variance
# replaces it.
widest_ratios <- list(lower = log(1e-6), upper = log(100))

# The same for each parameter of a family, within the bounds of the first stage: zero inflation is
# below 1, the power of a Tweedie response below 2.
ratio_bounds <- function(problem, parameters) {
  own <- of_family(problem$family, problem$layout)
  if (any(problem$layout$kind[own] == "nugget")) return(widest_ratios)
  list(lower = pmin(0, pmax(widest_ratios$lower, problem$bounds$lower[own] - log(parameters))),
    upper = pmax(0, pmin(widest_ratios$upper, problem$bounds$upper[own] - log(parameters))))
}

# Climbs in the lower triangle G of the factor L G, with logarithms on its diagonal, and in
# logarithms of ratios within their `bounds`. It ends where five evaluations have gained less than
# 1e-4 a row.
search_score <- function(stage, score_at, parameters, free, report, relative, ratio, bounds) {
  points <- nrow(stage$factor)
  lower <- lower.tri(stage$factor, diag = TRUE)
  entries <- seq_len(sum(lower))
  relative_at <- function(x) {
    relative <- matrix(0, points, points)
    relative[lower] <- x[entries]
    diag(relative) <- exp(diag(relative))
    relative
  }
  ratio_at <- function(x) exp(replace(double(length(parameters)), free, x[-entries]))
  record <- new_bound_record(stage$n, report, patience = 5L, negligible = 1e-4)
  state_at <- function(x) {
    record$at(x, function() {
      score <- score_at(relative_at(x), parameters * ratio_at(x))
      list(value = score$value, x = x, slope = c(score$d_factor[lower], score$d_likelihood[free]))
    })
  }
  diag(relative) <- log(diag(relative))
  start <- c(relative[lower], log(ratio)[free])
  first <- state_at(start)
  if (!is.finite(first$value) || !has_usable_slope(first)) abort_overflow()
  bound_of <- function(unbounded, bound) {
    c(rep(unbounded, length(entries)), rep_len(bound, length(free))[free])
  }
  maximize_recorded(record, state_at, start, bound_of(-Inf, bounds$lower),
    bound_of(Inf, bounds$upper), most = 100L, memory = 10L)
  best <- record$best()
  list(relative = relative_at(best$x), ratio = ratio_at(best$x), evaluations = record$evaluations(),
    value = best$value, gain = best$value - first$value)
}
