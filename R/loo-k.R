#' LOO-k: leave-one-out score of nearest neighbours
#'
#' Maximises the sum of the log densities of every observation given its `k` nearest others, a
#' truncated leave-one-out cross-validation. There is no ordering. It aims at prediction and is more
#' robust than the likelihood when the covariance is mis-specified; it works in more than three
#' coordinates, with `cov_matern(nu = 2.5, ard = TRUE)`.
#'
#' The default optimiser is quasi-Newton on exact gradients over all rows. `optimizer = "adam"` is
#' the stochastic one of the paper (appendix A.10.1): mini-batches of `batch_size` rows drawn by R's
#' random numbers, learning rate 0.03 cut by 5 at 25%, 50% and 75% of `steps`, neighbours searched
#' in the current metric every `refresh` steps. Its time does not depend on the number of rows,
#' apart from the search.
#'
#' Predictions may take more neighbours than the fit, `predict(fit, k = 256)`: in four inputs with
#' little noise a fit with 64 then had log scores better by 0.03 to 0.05 (`bench/responses.md`).
#'
#' The score is not a likelihood: covariance parameters get no standard errors, and [stats::AIC()]
#' refuses. Trend coefficients are the generalised least squares estimate at the final covariance,
#' with its standard errors.
#'
#' Rows that nearly repeat others, their noise included, mislead it more than other methods: they
#' predict each other, whatever the ranges are (`bench/responses.md`). Leave such replicates out, or
#' average them.
#'
#' @section Classes: With `family = binomial()` (a response of 0 and 1, logical, or a factor with
#' two levels) or [categorical()] the score is that of class probabilities. The label of each class
#' is regressed, as a number of 1 or -1 with noise of variance `nugget`, on the labels of the
#' nearest `k` locations, which gives a leave-one-out mean and variance in closed form; a link turns
#' these into \eqn{\eta = a \mu / \sqrt{1 + (\pi/8) a^2 f} + \beta h + }{eta = a mu / sqrt(1 +
#' (pi/8) a^2 f) + beta h + }trend, and the logistic function or the softmax of that is the
#' probability. Slope `a`, a bias \eqn{\beta}{beta} for each class, the trend's coefficients and
#' covariance are all estimated by the leave-one-out log score. Nothing is attached to single data,
#' so that no label can reach its own prediction. Rows at one location are aggregated (`weights`
#' count equal rows): a location holds a mean label, with less noise, and an observation's own label
#' is taken out of it for its own prediction. Its copies are not: where most weights are above 1,
#' observations predict each other, and a warning (`neargp_warning_weights`) says so. So it is with
#' the weights of counts.
#'
#' Two estimators differ for the labels of other classes: `"label"` has one process for all classes,
#' with the same noise for all labels; `"own-class"` one process for each class, on those neighbours
#' that are of that class, at a cost that is never greater. The latter is better where classes
#' overlap, the former where they do not; `"auto"` fits both and keeps that of the better score, and
#' for two classes takes `"label"`. (Where the scores differ by less than fitting so many parameters
#' may account for, every fifth row is predicted from fits to the others, and the better prediction
#' decides. With `start` an earlier fit, `"auto"` goes on with its estimator, and so do the refits
#' of [cross_validate()].) With optimizer `"auto"`, Adam is used for more than 10,000 observations
#' or six covariance parameters; its learning rate is cut to 0.3 of itself at 50% and 75% of the
#' steps. Inputs in many dimensions should be standardised.
#'
#' Covariates of the trend act inside the link, and the inputs themselves may be among them
#' (`class ~ x + y` with `coords = ~ x + y`): what they say everywhere need not be told by
#' neighbours. The leave-one-out score tells whether it helps; on one of the paper's sets the log
#' loss fell from 0.82 to 0.78 (`bench/classification.md`).
#'
#' Far from data \eqn{\mu}{mu} is 0, and so is `h`, through which the bias acts (it amounts to a
#' mean of the labels other than 0). Probabilities are the trend's there, with `~ 1` the shares of
#' the classes among the rows, with covariates probabilities that average to these shares. The
#' intercept that [coef()] reports is the one far from data; what the bias adds among data is
#' printed below it. Rows that are isolated themselves, as many are in more than three inputs, may
#' say otherwise: the score moves that intercept, against a ridge that is stronger in the plane,
#' where hardly any are. (A bias without `h`, as for predictions near data alone, took a rare class
#' for as probable as the others outside of the data; held-out blocks were predicted worse than by
#' the share, `bench/classification.md`.) Shares are those of the rows: where places of one class
#' were sought out they are not those of the region. Without an intercept, `y ~ 0`, there is no
#' bias, and classes are equally probable far from data.
#'
#' `"polya-gamma"` is the paper's estimator: a Gaussian process with logistic likelihood (for
#' several classes one against all others, the probabilities normalised), augmented by a Polya-Gamma
#' variable for each row and process, whose mean-field distribution is found by Adam together with
#' the covariance; 16 nodes of quadrature. The paper has no bias: `y ~ 0`. With an intercept its
#' probabilities far from data are not the shares of the classes but nearer to one half, since the
#' process has all its variance there: take another estimator for those. Predictions are made at the
#' mean of the variables and not at a draw. It is here for comparison: it keeps a distribution for
#' each row, and, since that was fitted to the neighbours' labels, its leave-one-out score is not
#' wholly out of sample.
#'
#' The paper leaves open how much the Kullback-Leibler divergence of these variables weighs. With
#' `kl_weight = 1` that of a row counts as much as its log score. Then the variables stay near their
#' prior and logits near 2: where classes do not overlap at all the log loss still ends near 0.09
#' with two classes and 0.44 with six, far above the paper's own figures. The smaller the weight,
#' the closer the variables follow the labels. Of 1, 0.3, 0.1, 0.03 and 0.01 the default 0.03 had
#' the best log score of validation rows on average over the sets of the paper
#' (`bench/classification.md`); data with much noise may want more.
#'
#' The score has a light ridge: 1e-3 of the mean square of the trend among data, 1e-2 (in more than
#' three coordinates 1e-4) of the square by which the intercept far from data differs from that of
#' the shares, and 1e-4 of the squared logarithm of the slope, per observation. It says which of
#' equivalent trends is meant (the softmax does not change when all classes get the same) and keeps
#' coefficients finite where a covariate separates classes. It depends on the trend's values alone,
#' not on how the formula writes them: `x + I(x^2)` and `poly(x, 2)` are the same fit.
#'
#' Slope, trend and covariance of classes have no standard errors: contributions to the score share
#' labels, so that its curvature is not their precision, and no sandwich of single contributions
#' either. Fits to blocks of the data left out one at a time would give some.
#'
#' Levels without any row are no classes of the fit. There may be more classes than neighbours; a
#' class that no neighbour has keeps a probability, by its trend.
#'
#' @section Counts, amounts, outliers: Every [response_family] can be fitted, binomial responses as
#' numbers of successes (or single trials with another link than the logit). The score is the log
#' probability of a response given its neighbours, \eqn{\log \int p(y \mid \eta) N(\eta; m, f)
#' d\eta}{log of the integral of p(y | eta) N(eta; m, f)}, by quadrature, with parameters of the
#' family among those that are estimated.
#'
#' Mean and variance of the linear predictor come in closed form from normal *pseudo-observations*
#' of the neighbours: what a response says beyond a prior that is the same for all rows. A
#' pseudo-observation depends on its own response, and on the few numbers of the prior, so that a
#' row's response cannot reach its own leave-one-out prediction. `nugget` multiplies the variances
#' of the pseudo-observations, by 1 at least unless it is given: less would claim more than the
#' responses say. Pseudo-observations at one location are aggregated. For [student_t()] neighbours
#' are the observations themselves, and `nugget` multiplies the squared scale divided by their gamma
#' variables (appendix A.9 of the paper), of which each conditioning set has its own: those that
#' their fellows contradict count little.
#'
#' [vnngp()], which has a posterior of the field, predicts better where the model holds: log scores
#' on new rows were 0.003 to 0.01 apart in the plane, at no more time, and 0.02 with six inputs, at
#' 2.5 to 9 times the time. `loo_k()` was better by up to 0.04 where the field was rougher than the
#' model and had a step, and level on sets of data (`bench/loo-k-responses.R`). Take it where only
#' predictions are wanted from a covariance that is hardly right, or in many inputs, and near data.
#'
#' Away from data the mean of the response need not be the one among the rows: the score hardly
#' tells a great variance with a long range from a smaller one, and with few successes or counts it
#' takes the former, up to the bound of 100 with single trials and a probit or cloglog link. A
#' response that is rare among the rows may then be nearly as probable as not outside of them, and
#' the mean of a count far too great; the intercept may be far out, too, where all trials of a row
#' end alike. [print()] reports both means where their odds, or the means of counts and amounts, are
#' apart by more than a factor of 2. [vnngp()] takes variance and intercept from the likelihood of
#' all rows, and `loo_k()` with `family = binomial()` and single trials from the shares (see the
#' section on classes).
#'
#' A bias stands in the place of the intercept, which is that of the prior; the trend's standard
#' errors are those of generalised least squares on the pseudo-observations.
#'
#' @section Several outputs: With `cbind(zinc, lead) ~ trend` an observation is one output at one
#' place, and is predicted from the `k` nearest of its own output and the `k_other` nearest of each
#' other one, in a linear model of coregionalisation, see [cov_coregionalisation()]. The optimiser
#' is quasi-Newton. (The paper takes the outputs of the `k` nearest places, all of them; its cost
#' grows with the cube of their number.)
#'
#' @param k number of neighbours, at least 1 and less than the number of rows; of classes, counts
#'   and amounts, less than the number of distinct locations. By default 32, or as many as there
#'   are.
#' @param estimator of class probabilities (other responses have one, `"auto"`): `"auto"`,
#'   `"label"`, `"own-class"` or `"polya-gamma"`, see the section on classes.
#' @param optimizer `"bfgs"` for quasi-Newton, `"adam"` for the stochastic one; `"auto"` is
#'   quasi-Newton unless there are many classified observations or parameters.
#' @param batch_size,steps,learning_rate,refresh settings of `"adam"`: rows in a batch, number of
#'   steps (1000 by default), first learning rate, steps between searches for neighbours.
#' @param kl_weight weight of the divergence of a row's Polya-Gamma variables (of all its processes)
#'   relative to its log score, see the section on classes; 0.03 by the log scores of validation
#'   rows.
#' @param k_other of several outputs: number of neighbours from each output but the target's own; by
#'   default half of `k` among them all, and at least three of each.
#' @param leave_out of several outputs: what a leave-one-out prediction does not see. `"location"`,
#'   the default: all outputs at the place, as for a new place; the score is the log density of all
#'   outputs at a place given the other places. `"row"`: the observation alone, so that other
#'   outputs at the same place help to predict it.
#' @return A settings object for the argument `method` of [neargp()].
#' @seealso [predict.neargp_classifier()], [scores.neargp_classifier()] and
#'   [plot.neargp_classifier()] for fits to classes.
#' @references Jankowiak, M. and Pleiss, G. (2022). Scalable cross validation losses for Gaussian
#'   process models. arXiv:2105.11535, sections 3.1 to 3.3, Algorithm 1 and appendices A.6 to A.9.
#'
#'   Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#'   section 3.6 (pseudo-observations, as pseudo-observations are called there). MIT Press.
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
takes_local_fields.neargp_loo_k <- function(method, family) is_gaussian(family)

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

is_class_data <- function(data) !is.null(data$binomial)

#' @export
method_kinds.neargp_loo_k <- function(method, family, data) {
  kinds <- NextMethod()
  if (method$estimator == "polya-gamma" && identical(kinds, "classes")) c("polya_gamma", kinds) else
    kinds
}

#' @export
fit_method.neargp_loo_k <- function(method, problem) {
  search <- others_search(problem, method$k, method$leave_out %||% "location")
  objective_for <- function(component, k) local_objective(problem, search(component, k))
  if (has_outputs(problem) && method$optimizer == "adam") {
    abort_argument("optimizer", "\"bfgs\" or \"auto\" for several outputs", "adam")
  }
  state <- if (method$optimizer == "adam") {
    adam_fit(method, problem, objective_for)
  } else {
    state <- fit_with_neighbors(problem, method$k, objective_for,
      with_single_precision(problem, quasi_newton_optimizer(problem)), negligible_score(problem))
    with_fresh_neighbors(problem, state, objective_for, method$k)
  }
  with_gls_trend(problem, method_result(state, score = "leave-one-out log score",
    information = NULL, k = method$k))
}

# Where a weight counts equal observations, leave-one-out predicts one of them by the others: a
# field that is white noise scores best.
warn_of_copies <- function(data) {
  index <- location_index(data$coords)
  copies <- data$weights > 1 & tabulate(index)[index] == 1L
  share <- sum(data$weights[copies]) / sum(data$weights)
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

# The score to report is that of the neighbours in the final metric; where all metrics have one
# range only, those are at hand.
with_fresh_neighbors <- function(problem, state, objective_for, k) {
  covariance <- covariance_at(problem, state$working)
  if (all(vapply(covariance$components, is_isotropic, NA))) return(state)
  state$evaluated <- objective_for(metric_component(covariance), k)$evaluate(state$working)
  if (!is.finite(state$evaluated$value)) abort_cholesky(state$evaluated$failed)
  state
}

# With many ranges each search for neighbours moves the score by a little more or less, for ever. A
# sum of n scores has a sampling error of about sqrt(n): a tenth of that is not worth another round.
negligible_score <- function(problem) {
  max(problem$control$refresh_gain, 0.1 * sqrt(length(problem$data$y)))
}

# Trend and its covariance by generalised least squares at the final covariance. Composite
# objectives count the same information many times, so their own least squares would understate the
# standard errors; one pass in Vecchia's ordering does not.
with_gls_trend <- function(problem, result,
    neighbors = neighbors_before(problem, component_at(problem, result$working), result$k, "maxmin",
      0)) {
    if (ncol(problem$data$X) == 0L) return(result)
    values <- to_core(result$working, problem$layout$transform)
    trend <- gls_trend(problem$data, problem_covariance(problem, values),
      nugget_of(problem$layout, values), neighbors, problem$threads)
    result[names(trend)] <- trend
    result
  }
