# The score of a gaussian response is in src/core/conditional/cpu/conditional_gradient.h, those of
# classes and counts are in src/core/loo/.

#' LOO-k: leave-one-out score of nearest neighbours
#'
#' Maximises the sum of the log densities of every observation given its `k` nearest others, a
#' truncated leave-one-out cross-validation. It aims at prediction, of any response, in many
#' dimensions, and is more robust than the likelihood where the covariance is mis-specified.
#'
#' @details
#' # What to type
#' * Many inputs, a gaussian response: `neargp(y ~ 1, data, coords = ~ ., method = loo_k(),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))`. More neighbours for predictions than for the
#'   fit are cheap: `predict(fit, k = 256)`.
#' * Classes: `neargp(class ~ 1, data, coords = ~ ., method = loo_k())` for a factor (the default
#'   there); two classes also as 0 and 1 with `family = binomial()`. Standardise inputs in many
#'   dimensions.
#' * Counts, amounts, outliers: `family = poisson()` and the like, see [response_family].
#' * Several outputs: `cbind(zinc, lead) ~ trend`, see [cov_coregionalisation()].
#' * More than some hundred thousand rows: `loo_k(optimizer = "adam")`, whose time does not depend
#'   on their number, apart from the search.
#'
#' # What comes back
#' The score is no likelihood: covariance parameters, and of classes the trend, have no standard
#' errors, and [stats::AIC()] refuses. The trend of other responses is the generalised least squares
#' estimate with its standard errors, which take the parameters of covariance and family for known.
#'
#' # When not to take it
#' * Rows that nearly repeat others, their noise included, mislead it: they predict each other,
#'   whatever the ranges are. Leave such replicates out, or average them.
#' * For estimates and tests, and for counts in the plane take [vnngp()] or [vecchia()]: log scores
#'   of `vnngp()` on new rows were better by 0.003 to 0.02 where the model holds.
#' * Far from data with few events: the mean of a rare response may be far too great there.
#'   [print()] reports both means where they are apart.
#'
#' @section Classes: The labels of the nearest `k` locations predict each class, and a link makes
#' probabilities of it, whose slope, bias, trend and covariance maximise the leave-one-out log
#' score. Rows at one location are aggregated, `weights` count equal rows; where most weights are
#' above 1, observations predict each other (`neargp_warning_weights`). Far from data probabilities
#' are the trend's, with `~ 1` the shares of the classes among the rows; with `y ~ 0` all are equal.
#' Covariates of the trend act inside the link. Levels without a row are no classes of the fit.
#'
#' @section Counts, amounts, outliers: Every [response_family] can be fitted, binomial responses as
#' numbers of successes (or single trials with another link than the logit). Neighbours act through
#' normal pseudo-observations, which know their own response alone; `nugget` multiplies their
#' variances, by 1 at least unless it is given. The leave-one-out score does not identify the scale
#' of the linear predictor of [ordinal()], [betabinomial()] and binomial responses: slopes,
#' thresholds and the field's standard deviation could grow together. The standard deviation of the
#' field therefore has an exponential prior, whose mean is that of the link's noise (1.81 for the
#' logit, 1 for the probit, 1.28 for the complementary log-log). `logLik()` returns the score
#' without it. A variance that you fix has no prior. For estimates of slopes use [vnngp()].
#'
#' @section Several outputs: An observation is one output at one place, predicted from the `k`
#' nearest of its own output and the `k_other` nearest of each other one. The optimiser is
#' quasi-Newton.
#'
#' @param k number of neighbours, at least 1 and less than the number of rows; of classes, counts
#'   and amounts, less than the number of distinct locations. By default 32, or as many as there
#'   are.
#' @param estimator of class probabilities (other responses have one, `"auto"`): `"label"`, one
#'   process with the same noise for all labels; `"own-class"`, one for each class, better where
#'   classes overlap; `"auto"`, for more than two classes the one of the better score (with `start`
#'   an earlier fit, that fit's); `"polya-gamma"`, the paper's, for comparison (with `y ~ 0`: it has
#'   no bias).
#' @param optimizer `"bfgs"` for quasi-Newton over all rows, `"adam"` for mini-batches; `"auto"` is
#'   quasi-Newton, but for classes with more than 10,000 rows or six covariance parameters; in
#'   shards ([clusters]) it is quasi-Newton.
#' @param batch_size,steps,learning_rate,refresh settings of `"adam"`: rows in a batch (drawn by R's
#'   random numbers), number of steps (1000 by default), first learning rate (cut by 5 at 25%, 50%
#'   and 75% of the steps, of classes to 0.3 at 50% and 75%), steps between searches for neighbours.
#' @param kl_weight of `"polya-gamma"`: weight of the divergence of a row's variables relative to
#'   its log score; 0.03 by the log scores of validation rows. Data with much noise may want more.
#' @param k_other of several outputs: number of neighbours from each output but the target's own; by
#'   default half of `k` among them all, and at least three of each.
#' @param leave_out what a leave-one-out prediction does not see. `"location"`, the default: all
#'   observations at the location, as for a new location. `"row"`: the observation alone, so that
#'   the others at the same location, of other responses as well, help to predict it. One Gaussian
#'   response without a model of the [noise] has `k` other locations as neighbours in both cases.
#' @return A settings object for the argument `method` of [neargp()].
#' @section Errors: `neargp_error_argument` for settings of the wrong type; [neargp()] stops with
#'   `neargp_error_k` where `k` is not less than the number of rows or locations.
#' @seealso [predict.neargp_classifier()], [scores.neargp_classifier()] and
#'   [plot.neargp_classifier()] for fits to classes; `vignette("nearest-neighbours", package =
#'   "neargp")` for how it works, and what was measured.
#' @references Jankowiak, M. and Pleiss, G. (2022). Scalable cross validation losses for Gaussian
#'   process models. arXiv:2105.11535, sections 3.1 to 3.3, Algorithm 1 and appendices A.6 to A.9.
#'
#'   Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#'   section 3.6 (site approximations, as pseudo-observations are called there). MIT Press.
#' @examples
#' loo_k(k = 20)
#' loo_k(optimizer = "adam", steps = 500)
#' @export
loo_k <- function(k = NULL, estimator = c("auto", "label", "own-class", "polya-gamma"),
                  optimizer = c("auto", "bfgs", "adam"), batch_size = 128L, steps = NULL,
                  learning_rate = 0.03, refresh = 50L, kl_weight = 0.03, k_other = NULL,
                  leave_out = c("location", "row")) {
  estimator <- check_choice(estimator, "estimator", c("auto", "label", "own-class", "polya-gamma"))
  optimizer <- check_choice(optimizer, "optimizer", c("auto", "bfgs", "adam"))
  settings <- c(neighbor_settings(k, 32L), list(estimator = estimator, optimizer = optimizer))
  batch_size <- check_count(batch_size, "batch_size")
  steps <- check_count(steps, "steps", lower = 4L, null_ok = TRUE)
  learning_rate <- check_number(learning_rate, "learning_rate", 0, open = TRUE)
  refresh <- check_count(refresh, "refresh")
  kl_weight <- check_number(kl_weight, "kl_weight", 0)
  if (optimizer != "bfgs") {
    settings <- c(settings, list(batch_size = batch_size), if (!is.null(steps)) list(steps = steps),
      list(learning_rate = learning_rate, refresh = refresh))
  }
  if (estimator == "polya-gamma") settings$kl_weight <- kl_weight
  settings$k_other <- check_count(k_other, "k_other", null_ok = TRUE)
  if (check_choice(leave_out, "leave_out", c("location", "row")) == "row") {
    settings$leave_out <- "row"
  }
  do.call(new_method, c(list("loo_k", "LOO-k"), settings))
}

#' @export
method_families.neargp_loo_k <- function(method) c(latent_families(), "categorical")

# Single trials with logit link are classes; with other links, and numbers of successes, they are
# counts as other families have them.
#' @export
model_response.neargp_loo_k <- function(method, y, family, weights, frame) {
  if (is_categorical(family)) {
    classes <- class_response(y, frame)
  } else {
    response <- NextMethod()
    if (family$family != "binomial" || family$link != "logit" || !is.null(response$trials)) {
      return(response)
    }
    classes <- list(y = response$y, levels = response$levels %||% c("0", "1"))
  }
  check_class_weights(weights, frame)
  list(y = as.double(classes$y), levels = classes$levels, binomial = family$family == "binomial")
}

#' @export
method_kinds.neargp_loo_k <- function(method, family, data) {
  kinds <- NextMethod()
  if (method$estimator == "polya-gamma" && identical(kinds, "classes")) c("polya_gamma", kinds) else
    kinds
}

#' @export
fit_method.neargp_loo_k_outputs <- function(method, problem) {
  if (method$optimizer == "adam") {
    abort_argument("optimizer", "\"bfgs\" or \"auto\" for several outputs", "adam")
  }
  NextMethod()
}

#' @export
fit_method.neargp_loo_k <- function(method, problem) {
  problem <- from_separable(problem)
  host <- if (is_sharded(problem)) host_of_problem(problem)
  state <- if (!is.null(problem$all_rows) && identical(method$leave_out, "row")) {
    single <- single_row_problem(problem)
    targets <- seq_along(problem$all_rows$y)
    maximize_left_out(method, single$problem, function(component, k) {
      local_objective(single$problem, single$others(component, targets, k), targets)
    }, single$others, length(targets))
  } else {
    maximize_left_out(method, problem, others_objectives(problem, "others", method$k, host,
      method$leave_out %||% "location"))
  }
  with_gls_trend(problem, method_result(state, score = "leave-one-out log score",
    information = NULL, k = method$k), host)
}

# The objective in the neighbours of a component and k. `kind`: "others", or "joint" of mll_k();
# `host`: of rows in shards.
others_objectives <- function(problem, kind, k, host, leave_out = "row") {
  if (!is.null(host)) return(shard_objectives(problem, kind, k, host))
  search <- others_search(problem, k, leave_out)
  objective_of <- if (kind == "joint") joint_objective else local_objective
  function(component, k) objective_of(problem, search(component, k))
}

# `others` and `n`: of adam_fit().
maximize_left_out <- function(method, problem, objective_for, others = nearest_others(problem),
                              n = length(problem$data$y)) {
  if (identical(method$optimizer, "adam")) {
    return(adam_fit(method, problem, objective_for, others, n))
  }
  state <- fit_with_neighbors(problem, method$k, objective_for,
    with_single_precision(problem, quasi_newton_optimizer(problem)), negligible_score(problem))
  with_fresh_neighbors(problem, state,
    function(working) objective_for(component_at(problem, working), method$k)$evaluate(working))
}

# Where a weight counts equal observations, leave-one-out predicts one of them by the others: a
# field that is white noise scores best.
warn_of_copies <- function(data) warn_of_copied(copied_weight(data))

# How much of all weight has nothing but its copies at its location.
copied_weight <- function(data) {
  index <- location_index(data$coords)
  copies <- data$weights > 1 & tabulate(index)[index] == 1L
  c(copied = sum(data$weights[copies]), all = sum(data$weights))
}

warn_of_copied <- function(weight) {
  share <- weight[["copied"]] / weight[["all"]]
  if (share <= 0.5) return(invisible())
  warn_neargp("weights",
    c(sprintf("`weights` are numbers of equal observations, and %.0f%% of these have nothing but their copies at their location.",
      100 * share),
      x = "Left out one by one, they are predicted by their copies: the range tends to 0 and scores are too good.",
      i = "Weights that say how much a row counts belong in vnngp(), where they multiply the log-likelihood."))
}

quasi_newton_optimizer <- function(problem) {
  if (has_outputs(problem)) return(outputs_optimizer(problem))
  function(objective, working, coarse) {
    quasi_newton(objective, working, problem$free, problem$bounds, problem$control,
      relative_tolerance = max(if (coarse) 1e-5 else 1e-7, resolution_of(objective) / objective$n))
  }
}

# With many ranges each search for neighbours moves the score by a little more or less, for ever. A
# sum of n scores has a sampling error of about sqrt(n): a tenth of that is not worth another round.
negligible_score <- function(problem) {
  max(problem$control$refresh_gain, 0.1 * sqrt(row_count(problem$data)))
}

# Trend and its covariance by generalised least squares at the final covariance. Composite
# objectives count the same information many times, so their own least squares would understate the
# standard errors; one pass in Vecchia's ordering does not.
with_gls_trend <- function(problem, result, host = NULL) {
  if (ncol(problem$data$X) == 0L && !has_effects(problem$data)) return(result)
  values <- to_core(result$working, problem$layout$transform)
  if (!is.null(host)) {
    trend <- shard_trend(problem, host, component_at(problem, result$working), values, result$k)
    result[names(trend)] <- trend
    return(result)
  }
  neighbors <- neighbors_before(problem, component_at(problem, result$working), result$k, "auto",
    0)
  trend <- gls_trend(with_noise_weights(problem$data, problem$layout, values),
    problem_covariance(problem, values), nugget_unit(problem$data, problem$layout, values),
    neighbors, problem$context, effects_at(problem, values), nuggets_at(problem, values))
  result[names(trend)] <- trend
  result
}

# The nugget, for each output, to which the noise of the rows of with_noise_weights() is relative.
nuggets_at <- function(problem, values) {
  if (has_outputs(problem)) return(values[problem$layout$kind == "nugget"])
  nugget_unit(problem$data, problem$layout, values)
}
