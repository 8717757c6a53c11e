# The score of a Gaussian response is in src/core/conditional/cpu/conditional_gradient.h. The scores
# of classes and counts are in src/core/loo/.

#' LOO-k: leave-one-out score of nearest neighbours
#'
#' @description
#' Maximises the log density of every observation given its `k` nearest others, for predictions with
#' many predictors and for classification.
#'
#' ```r
#' flowers <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, method = loo_k())
#' predict(flowers, iris[c(1, 60, 120), ])
#' ```
#'
#' @details
#' The score is a truncated leave-one-out cross-validation (Jankowiak and Pleiss 2021), equation
#' 15 of `vignette("model-and-methods")`. It is more
#' robust than the likelihood if the covariance is misspecified. `loo_k()` is the default for
#' categorical responses.
#'
#' | you want | use |
#' |---|---|
#' | many predictors, Gaussian | `loo_k()` with `cov_matern(nu = 2.5, ard = TRUE)`, and `predict(fit, k = 256)` |
#' | classification | a factor response; standardise many predictors |
#' | counts, amounts, outliers | `family = poisson()` and others, see [response_family] |
#' | several responses | `cbind(zinc, lead) ~ trend`, see [cov_coregionalisation()] |
#' | several hundred thousand observations or more | `loo_k(optimizer = "adam")` |
#'
#' The score is not a likelihood: covariance parameters return no standard errors, and `AIC()` is an
#' error. Standard errors of the trend treat the other parameters as known.
#'
#' You should not use it for data with copies of observations, which predict each other. For
#' estimates, tests, and counts in the plane, use [vnngp()] or [vecchia()]. Far from data with few
#' events, the mean of a rare response can be far too large, which `print()` reports.
#'
#' @param k the number of neighbours, an integer from 1 to the number of observations less one (of
#'   distinct locations for other families). Default `NULL`: 32, or as many as exist.
#' @param estimator for class probabilities: `"label"`, one process for all labels; `"own-class"`,
#'   one for each category, better where categories overlap; or `"polya-gamma"`, as in the paper.
#'   Default `"auto"`: for more than two categories, the first two are compared by their score.
#' @param optimizer `"bfgs"`, quasi-Newton with all observations, or `"adam"`, mini-batches. Default
#'   `"auto"`: `"bfgs"`, except for categories with more than 10,000 observations or six covariance
#'   parameters. Shards always use `"bfgs"`.
#' @param batch_size,steps,learning_rate,refresh settings of `"adam"`: rows in a random batch, the
#'   number of steps (1000 by default), the first learning rate and the steps between searches for
#'   neighbours. The rate is divided by 5 at 25%, 50% and 75% of the steps. For categories it is
#'   reduced to 0.3 of itself at 50% and 75%.
#' @param kl_weight for `"polya-gamma"`, the weight of the Kullback–Leibler divergence, a positive
#'   number. Default: 0.03. Noisy data may need more.
#' @param k_other for several responses, the number of neighbours from each other response, an
#'   integer. Default `NULL`: half of `k` among them all, and at least three each.
#' @param leave_out `"location"` (default) predicts as at a new location. `"row"` leaves out one
#'   observation, and other observations at its location help. For one Gaussian response without a
#'   [noise] model, both use `k` other locations.
#' @param trend the coefficients of the trend of one Gaussian response: `"gls"` (default),
#'   generalised least squares, or `"score"`, the maximum of the score. See the section below.
#' @section Mini-batches:
#' `optimizer = "adam"` follows random batches of the sum over observations, as Algorithm 1 of the
#' paper does. The trend is not a parameter of Adam. Before every `refresh` steps, generalised least
#' squares on the observations of the coming batches updates the trend, and neighbours are searched
#' again. At a given trend the gradient of a batch is unbiased. Objective and trend at the end use
#' all observations. [mll_k()] and [vecchia()] offer the same.
#' @section Trend:
#' The objective is the score at the coefficients of the trend that maximise it. The fit reports
#' generalised least squares, whose standard errors are the smallest. `trend = "score"` keeps the
#' coefficients that maximise the score, as the learned mean of the paper, and predicts with them.
#' For example, `loo_k(trend = "score")` with `y ~ 1`. Their standard errors remain those of
#' generalised least squares and are a lower bound.
#' @section Classification:
#' The labels of the `k` nearest locations predict each category. A link turns them into
#' probabilities, and its slope, bias, trend and covariance maximise the score. Far from data the
#' probabilities are those of the trend: with `~ 1` the shares of the categories, with `y ~ 0` all
#' equal.
#' @section Other families:
#' Neighbours act through normal pseudo-observations, whose variances `nugget` multiplies. The score
#' does not identify the scale of the linear predictor of [ordinal()], [betabinomial()] and binomial
#' responses, so an exponential prior acts on the standard deviation of the process. `logLik()`
#' returns the score without it. See the article "Inside vnngp() and loo_k()".
#' @return A settings object for the argument `method` of [neargp()].
#' @seealso [predict.neargp_classifier()], [scores.neargp_classifier()] and
#'   [plot.neargp_classifier()] for classification; [svgp()]; `vignette("model-and-methods",
#'   package = "neargp")`.
#' @references Jankowiak, M. and Pleiss, G. (2021). Scalable cross validation losses for Gaussian
#'   process models. arXiv:2105.11535, sections 3.1 to 3.3, Algorithm 1 and appendices A.6 to A.9.
#'   Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#'   section 3.6. MIT Press.
#' @examples
#' # Classification: probabilities and leave-one-out accuracy
#' flowers <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width,
#'   method = loo_k(k = 20))
#' predict(flowers, iris[c(1, 60, 120), ])
#' scores(flowers)
#' confusion_table(flowers)
#'
#' # Many predictors: a lengthscale for each, by the leave-one-out score
#' set.seed(1)
#' d <- as.data.frame(matrix(runif(1500), 300, 5, dimnames = list(NULL, paste0("x", 1:5))))
#' d$y <- sin(4 * d$x1) + d$x2 * d$x3 + rnorm(300, sd = 0.1)
#' fit <- neargp(y ~ 1, d[-(1:50), ], coords = ~ x1 + x2 + x3 + x4 + x5, method = loo_k(k = 20),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))
#' coef(fit, what = "covariance")
#' scores(fit, newdata = d[1:50, ])
#'
#' # The mean that maximises the score, as in the paper, and mini-batches
#' set.seed(1)
#' by_score <- update(fit, method = loo_k(k = 20, trend = "score"))
#' batches <- update(fit, method = loo_k(k = 20, optimizer = "adam", steps = 200))
#' sapply(list(gls = fit, score = by_score, batches = batches), function(fit) {
#'   c(coef(fit), score = logLik(fit), crps = scores(fit, newdata = d[1:50, ])$crps)
#' })
#'
#' # Counts
#' d$count <- rpois(300, exp(1 + sin(4 * d$x1)))
#' counts <- neargp(count ~ 1, d, coords = ~ x1 + x2, family = poisson(), method = loo_k(k = 15))
#' predict(counts, data.frame(x1 = c(0.4, 0.9), x2 = 0.5), interval = "prediction")
#' @export
loo_k <- function(k = NULL, estimator = c("auto", "label", "own-class", "polya-gamma"),
                  optimizer = c("auto", "bfgs", "adam"), batch_size = 128L, steps = NULL,
                  learning_rate = 0.03, refresh = 50L, kl_weight = 0.03, k_other = NULL,
                  leave_out = c("location", "row"), trend = c("gls", "score")) {
  estimator <- check_choice(estimator, "estimator", c("auto", "label", "own-class", "polya-gamma"))
  optimizer <- check_choice(optimizer, "optimizer", c("auto", "bfgs", "adam"))
  settings <- c(neighbor_settings(k, 32L), list(estimator = estimator, optimizer = optimizer))
  of_adam <- adam_settings(batch_size, steps, learning_rate, refresh)
  kl_weight <- check_number(kl_weight, "kl_weight", 0)
  if (optimizer != "bfgs") settings <- c(settings, of_adam)
  if (estimator == "polya-gamma") settings$kl_weight <- kl_weight
  settings$k_other <- check_count(k_other, "k_other", null_ok = TRUE)
  if (check_choice(leave_out, "leave_out", c("location", "row")) == "row") {
    settings$leave_out <- "row"
  }
  if (check_choice(trend, "trend", c("gls", "score")) == "score") {
    if (!is.null(settings$leave_out)) {
      abort_argument("trend", "\"gls\" with leave_out = \"row\"", trend)
    }
    settings$trend <- "score"
  }
  do.call(new_method, c(list("loo_k", "LOO-k"), settings))
}

#' @export
method_families.neargp_loo_k <- function(method) c(latent_families(), "categorical")

# Binomial responses of single trials with logit link are treated as classes. With other links, and
# with numbers of successes, they are treated as counts, like those of other families.
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
fit_method.neargp_loo_k <- function(method, problem) {
  problem <- from_separable(problem)
  host <- if (is_sharded(problem)) host_of_problem(problem)
  state <- if (!is.null(problem$all_rows) && identical(method$leave_out, "row")) {
    single <- single_row_problem(problem)
    targets <- seq_along(problem$all_rows$y)
    maximize_left_out(method, single$problem, function(component, k) {
      local_objective(single$problem, single$others(component, targets, k), targets)
    }, list(n = length(targets), objective = local_objective, neighbors = single$others))
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

# `terms`: of adam_fit().
maximize_left_out <- function(method, problem, objective_for, terms = terms_of_others(problem)) {
  evaluate <- function(working) {
    objective_for(component_at(problem, working), method$k)$evaluate(working)
  }
  if (identical(method$optimizer, "adam")) return(adam_fit(method, problem, terms, evaluate))
  state <- fit_with_neighbors(problem, method$k, objective_for,
    with_single_precision(problem, quasi_newton_optimizer(problem)), negligible_score(problem))
  with_fresh_neighbors(problem, state, evaluate)
}

# Where a weight counts equal observations, leave-one-out predicts one of them from the others. A
# field that is white noise then scores best.
warn_of_copies <- function(data) warn_of_copied(copied_weight(data))

# `copied`: the weight of observations that share their location only with their copies.
copied_weight <- function(data) {
  index <- location_index(data$coords)
  copies <- data$weights > 1 & tabulate(index)[index] == 1L
  c(copied = sum(data$weights[copies]), all = sum(data$weights))
}

warn_of_copied <- function(weight) {
  share <- weight[["copied"]] / weight[["all"]]
  if (share <= 0.5) return(invisible())
  warn_neargp("weights",
    c(sprintf("`weights` count equal observations, and %.0f%% of these share their location only with their copies.",
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

# With many ranges each search for neighbours moves the score a little up or down, without end. The
# sampling error of a sum of n scores is about sqrt(n). A tenth of that is not worth another round.
negligible_score <- function(problem) {
  max(problem$control$refresh_gain, 0.1 * sqrt(row_count(problem$data)))
}

check_score_trend <- function(method, data) {
  if (!keeps_score_trend(method)) return(invisible())
  if (has_effects(data) || !has_ability(method, "score_trend")) {
    abort_argument("trend", "\"gls\" unless one response is Gaussian, without random effects",
      "score")
  }
}

# At a given covariance, the score is the log density of a regression of whitened rows: its maximum
# is a least squares estimate.
#' @export
estimated_trend.neargp_loo_k <- function(method, fit, data, context) {
  trend <- NextMethod()
  if (!keeps_score_trend(method)) return(trend)
  data <- at_locations(data)
  component <- metric_component(fit$core_covariance)
  others <- neighbors_others(list(data = data, context = context), component,
    min(fit$k, length(data$y) - 1L))
  trend$beta <- gls_trend(data, as_specified(fit$core_covariance), trend_nugget(fit), others,
    context)$beta
  trend
}

# Trend and its covariance by generalised least squares at the final covariance. Composite
# objectives count the same information many times, so their own least squares would understate the
# standard errors; one pass in Vecchia's ordering does not.
with_gls_trend <- function(problem, result, host = NULL) {
  if (ncol(problem$data$X) == 0L && !has_effects(problem$data)) return(result)
  values <- to_core(result$working, problem$layout$transform)
  component <- component_at(problem, result$working)
  trend <- if (!is.null(host)) shard_trend(problem, host, component, values, result$k) else {
    gls_trend(with_noise_weights(problem$data, problem$layout, values),
      problem_covariance(problem, values), nugget_unit(problem$data, problem$layout, values),
      neighbors_before(problem, component, result$k, "auto", 0), problem$context,
      effects_at(problem, values), nuggets_at(problem, values))
  }
  if (keeps_score_trend(problem$method)) trend$beta <- result$beta
  result[names(trend)] <- trend
  result
}

# The nugget, for each output, to which the noise of the rows of with_noise_weights() is relative.
nuggets_at <- function(problem, values) {
  if (has_outputs(problem)) return(values[problem$layout$kind == "nugget"])
  nugget_unit(problem$data, problem$layout, values)
}
