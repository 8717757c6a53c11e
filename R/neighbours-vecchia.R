#' Vecchia approximation
#'
#' Each observation is conditioned on the `k` nearest of those that come before it in an ordering;
#' the likelihood is the product of these conditional densities, with the noise inside. The trend is
#' profiled out by generalised least squares and the covariance parameters are estimated by Fisher
#' scoring, first with a small `k`, then with the full one.
#'
#' With `k` one less than the number of rows this is the exact Gaussian likelihood. Time grows with
#' `n * k^3`. Standard errors come from the information matrix. With several ranges or an
#' anisotropy, ordering and neighbours are found in the estimated metric.
#'
#' A fit with several ranges ends at no less than the isotropic fit, and a fit of a sum at no less
#' than a fit of one term. A field that is nearly white noise along one direction can have a higher
#' likelihood than the estimates. The search does not look for it, because it fits noise.
#'
#' @param k number of neighbours, at least 1 and less than the number of rows; by default 30, or one
#'   less than there are rows. 30 gives predictions as good as more do for two coordinates; less is
#'   faster. Where the estimates themselves matter take 60: in a simulation with 105,569 rows on a
#'   lattice the intervals of variance and range just missed the truth at 30 and covered it at 60.
#' @param ordering order of the observations. The default `"auto"` is `"maxmin"`, or the best of
#'   three orders for a covariance of space and time, see below. `"maxmin"` takes each next location
#'   as far as possible from those before. `"random"` uses R's random numbers, `"coordinate"` sorts
#'   by the first coordinate, and `"given"` leaves the rows as they are.
#' @param inducing 0 for Vecchia's approximation alone; else the number of inducing points, or their
#'   positions as a matrix or data frame of coordinates (or sf points), for a low-rank part beside
#'   it, see below. 200 is a good number to begin with.
#' @param estimation of the covariance parameters: `"ML"`, maximum likelihood, or `"REML"`,
#'   restricted maximum likelihood, see below. By default `"REML"` where the formula has
#'   [random effects or smooths][random_effects], `"ML"` otherwise.
#' @param condition what each observation is conditioned on: `"responses"`, the other observations
#'   with their noise; `"field"`, the field without noise, see below; or `"auto"`, the field where
#'   responses lose much and noise is the cause. By default `"auto"`, and where `k` is given
#'   `"responses"`.
#' @param ... not used.
#' @section Noise and crowds: `k` noisy responses tell less than all of them together, however they
#' are chosen. The loss grows with the noise and with the number of rows, and in crowds of
#' locations: with a noise variance ten times that of the field and 50,000 rows it was 356 units of
#' log-likelihood, and the estimated range was a quarter too short. neargp therefore samples
#' the loss at its estimates ([neighbor_loss()]). Above 0.3 units of log-likelihood, or 0.06
#' standard deviations of a prediction, it conditions on the field, as [vnngp()] does: the
#' likelihood then comes from the posterior of the field at all locations, and predictions from the
#' nearest locations that do not crowd. [print()] says which it was. The field takes four to eight
#' times as long.
#'
#' Responses stay where the nugget is below a hundredth of the variance, for restricted likelihoods,
#' random effects, models of the noise, [cov_spacetime()], several responses, areas, shards and
#' single precision. There a message of class `neargp_message_loss` reports a loss above one unit or
#' 0.1 standard deviations.
#' @section Repeated locations: Observations at the same location count as one neighbour. neargp
#' fits the means of locations, weighted by the precision of their observations. For Gaussian models
#' this gives exactly the likelihood, trend and predictions of all observations. With several
#' responses, neargp fits one mean for each response at each location. The equality holds with
#' weights, offsets, models of the noise ([noise]), random effects and trends that differ within a
#' location, and with inducing points. `k`, the limit of the default [exact_gp()] and the default
#' anisotropy therefore count locations, and `print()` reports their number. Coordinates that differ
#' by rounding alone are equal, such as `0.3` and `0.1 + 0.2`.
#'
#' A covariate that multiplies a component of the covariance, `cov_matern(by = ~ u)`, can differ
#' between the observations of a location. A few points of `u` at each location then stand for its
#' observations: one more point than there are such covariates. This is exact as well. [loo_k()] and
#' models of the noise keep all observations there.
#'
#' Three kinds of fits still count observations. They are fits with models of the noise in shards
#' ([clusters]), [loo_k()] with `leave_out = "row"` of several responses, with a model of the noise
#' or in shards, and fits with more than 60 coefficients of random effects where the levels differ
#' within a location. There, use [exact_gp()] or a `k` several times the number of observations at a
#' location. [loo_k()] with `family = student_t()` fits single observations and predicts from
#' locations. Consider [vnngp()] for such data.
#' @section Space and time: For the models of [cov_spacetime()] the neighbours are the `k`
#' observations of the largest correlation, not the nearest in scaled coordinates. `ordering =
#' "auto"` compares three orders: maxmin, by time, and by the first coordinate with the times of
#' each station in sequence. It takes the one with the smallest sum of log conditional variances,
#' which is twice the Kullback-Leibler divergence from the exact model up to a constant. At most
#' 2,000 observations in the middle of the data enter that sum. For stations at common times this
#' typically loses a third of what maxmin with the nearest neighbours loses.
#' @section Inducing points: In more than two coordinates, or where the field is smooth, few
#' neighbours see little of it: what neighbours do not tell then comes from afar. With `inducing`
#' points the field is the sum of what its values there tell of it and of a residual field, and
#' Vecchia's approximation is made of the residual alone (the Vecchia-inducing-points full-scale
#' approximation of Gyger, Furrer and Sigrist 2025). The likelihood is exact where the points are
#' the rows, or with `k` one less than the number of rows. Unlike the bound of [svgp()] it is no
#' bound, and its estimates of variance and range do not suffer from too few points: `logLik()`,
#' `AIC()` and `anova()` are those of a likelihood.
#'
#' Take it for many coordinates and for smooth fields, and where estimates matter there. Do not take
#' it in two coordinates for rough fields, where neighbours tell nearly all and it only costs time;
#' nor where the fit is to be kept without its data, for which there is [svgp()].
#'
#' Positions are the centres of [stats::kmeans()] of the rows in units of the ranges, and a share of
#' 1e-6 of the variance is added to the diagonal of their covariance matrix. Neighbours are, of the
#' `5 * k` nearest, the `k` whose residuals have the largest correlation with that of the row.
#' Parameters start at the estimates of Vecchia's approximation with few neighbours and are then
#' found by quasi-Newton, ranges by their inverses. An evaluation of the likelihood with its
#' gradient takes the time of about `n * inducing * (k^2 + 5 * inducing)` multiplications, and
#' memory for three times `n * inducing` numbers and a half of `n * k^2`. Standard errors are from
#' differences of the gradient, at an evaluation for each parameter. Predictions have by default as
#' many neighbours as the fit, and at least 30, and neither sectors nor a local mean. It is for one
#' gaussian response, on the CPU. [simulate()][simulate.neargp] draws the field at the inducing
#' points and then the residual field in maxmin order; leave-one-out predictions are from all other
#' rows, in closed form.
#' @section Restricted maximum likelihood: Maximum likelihood takes the estimated trend for the true
#' one, and so finds variance and range too small: hardly by a constant trend and hundreds of rows,
#' noticeably with tens of rows or many covariates. Standard errors and intervals take the estimates
#' for known and are too small as well: 95% intervals of an intercept covered 86 to 88% with 300
#' observations. Below 50 observations, or 10 for each coefficient, a message of class
#' `neargp_message_estimation` and `print()` say so. `estimation = "REML"` maximises the likelihood
#' of the contrasts that are free of the trend (Harville 1974). It takes no more time for a step,
#' and at the end two evaluations of the likelihood for each parameter, of whose gradient
#' differences give standard errors. Its log-likelihood, as [logLik()] and `AIC()` have it, is that
#' of `nlme` and `lme4`, without a term in the determinant of X'X; it does not tell which trend is
#' the better, and `AIC()`, `BIC()` and `anova()` refuse to compare trends by it
#' (`neargp_error_comparison`), [drop1()][anova.neargp] and `step()` refuse fits by it
#' (`neargp_error_not_likelihood`). `logLik(fit, REML = FALSE)` is the likelihood at the same
#' estimates. It is for one response and without inducing points.
#' @return A settings object for the argument `method` of [neargp()]. A fit with inducing points has
#'   the data frame `inducing`, their positions in the coordinates of the data.
#' @section Errors: `neargp_error_argument` for settings of the wrong type; [neargp()] stops with
#'   `neargp_error_k` when there are not more than `k` rows. With inducing points also with
#'   `neargp_error_inducing` for positions that are missing, or not in the coordinates of the data;
#'   `neargp_error_family` and `neargp_error_method` for responses that are not gaussian and for
#'   several; `neargp_error_memory` where the machine has not the memory; and
#'   [predict()][predict.neargp] and [loo_predict()] with `neargp_error_argument` for sectors, a
#'   local mean and, of leave-one-out predictions, `k`.
#' @references Vecchia, A. V. (1988). Estimation and model identification for continuous spatial
#'   processes. *JRSS B* 50, 297–312. Guinness, J. (2018). Permutation and grouping methods for
#'   sharpening Gaussian process approximations. *Technometrics* 60, 415–429. Guinness, J. (2021).
#'   Gaussian process learning via Fisher scoring of Vecchia's approximation. *Statistics and
#'   Computing* 31, 25. Gyger, T., Furrer, R. and Sigrist, F. (2025). Vecchia-inducing-points
#'   full-scale approximations for Gaussian processes. arXiv:2507.05064. Harville, D. A. (1974).
#'   Bayesian inference for variance components using only error contrasts. *Biometrika* 61,
#'   383–385.
#' @examples
#' vecchia(k = 20)
#'
#' set.seed(1)
#' d <- as.data.frame(matrix(runif(2000), 400, 5, dimnames = list(NULL, paste0("x", 1:5))))
#' d$y <- sin(3 * d$x1) + d$x2 * d$x3 + rnorm(400, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3 + x4 + x5,
#'   method = vecchia(k = 10, inducing = 30), covariance = cov_matern(nu = 2.5))
#' fit
#' predict(fit, d[1:3, ], interval = "prediction")
#' @export
vecchia <- function(k = NULL, ordering = c("auto", "maxmin", "random", "coordinate", "given"),
                    inducing = 0L, estimation = NULL, condition = NULL, ...) {
  check_no_more_arguments()
  ordering <- check_choice(ordering, "ordering", row_orderings)
  condition <- check_condition(condition, k, inducing, estimation)
  method <- do.call(new_method, c(list("vecchia", "Vecchia approximation"),
    neighbor_settings(k, 30L), list(ordering = ordering)))
  if (condition == "field") return(on_field(method))
  positions <- is.data.frame(inducing) || is.matrix(inducing)
  if (!positions && check_count(inducing, "inducing", lower = 0L) == 0L) {
    method$condition <- condition
    return(with_estimation(method, estimation))
  }
  if (identical(check_estimation(estimation), "REML")) {
    abort_argument("estimation", "\"ML\" with inducing points", estimation)
  }
  with_inducing(method, check_start_positions(inducing))
}

#' @export
fit_method.neargp_vecchia <- function(method, problem) {
  problem <- from_separable(problem)
  objective_for <- vecchia_objectives(method, problem)
  # Coefficients of further coordinates follow the noise that each set of neighbours brings.
  negligible <- if (is_expanded(problem)) negligible_score(problem) else
    problem$control$refresh_gain
  optimize <- with_single_precision(problem, scoring_optimizer(problem))
  begun <- with_best_start(problem, method$k, objective_for, optimize)
  problem <- begun$problem
  state <- fit_with_neighbors(problem, method$k, objective_for, optimize, negligible,
    function(state) is_clearly_lossy(problem, state$working),
    own_objective = function(component, k) objective_for(component, k, 0))
  state <- add_counts(state, begun)
  conditioning <- conditioning_at(problem, state$working, isTRUE(state$left))
  if (identical(conditioning$on, "field")) {
    return(list(instead = problem_on_field(problem, state, conditioning)))
  }
  objective_at <- function(working) objective_for(component_at(problem, working), method$k, 0)
  state <- with_fresh_neighbors(problem, state,
    function(working) objective_at(working)$evaluate(working, information = TRUE))
  result <- scored_result(problem, state, objective_at, method$k)
  result$conditioning <- conditioning
  result
}

# The likelihood in the neighbours of a component and k.
vecchia_objectives <- function(method, problem) {
  if (is_sharded(problem)) return(shard_objectives(problem, "before", method$k))
  search <- search_once(vecchia_search(problem, method$ordering), method$k)
  last_made(function(component, k, ...) local_objective(problem, search(component, k, ...)))
}

#' @export
likelihood_objective.neargp_vecchia <- function(method, problem) {
  component <- component_at(problem, problem$start)
  if (is_sharded(problem)) return(vecchia_objectives(method, problem)(component, method$k))
  local_objective(problem, neighbors_before(problem, component, method$k, method$ordering, 0))
}

# The neighbours before each row in the metric of a component. The ordering is made anew only when
# the metric has changed a lot: each ordering has a likelihood of its own, and swapping it for
# little keeps the estimates from settling.
reorder_at <- 0.5

vecchia_search <- function(problem, ordering) {
  key <- if (ordering == "random") order_key() else 0
  order <- NULL
  ordered_in <- NULL
  chosen_for <- NULL
  function(component, k, renew_at = reorder_at) {
    shape <- search_shape(component)
    chosen_again <- ordering == "auto" && !identical(k, chosen_for)
    if (is.null(order) || chosen_again || is_another_shape(shape, ordered_in, renew_at)) {
      order <<- row_order(problem, component, ordering, key, k)
      ordered_in <<- shape
      chosen_for <<- k
    }
    neighbors_in_order(problem, component, k, order)
  }
}

# The component that tells the metric of a sum can change, and with it the number of coordinates.
is_another_shape <- function(shape, before, renew_at) {
  length(shape) != length(before) || max(abs(shape - before)) > renew_at
}

# The coarse round only has to come near: a tenth of a unit of log-likelihood.
scoring_optimizer <- function(problem) {
  function(objective, working, coarse) {
    expands <- is_expanded(problem)
    if (expands) objective <- with_expansion_curvature(objective, problem, working)
    state <- fisher_scoring(objective, working, problem$free, problem$bounds, problem$control,
      tolerance = max(if (coarse) 0.1, if (expands) 0.01, problem$control$tolerance,
        resolution_of(objective)))
    if (expands) state$evaluated$information <- state$evaluated$fisher
    state
  }
}

stationary_vecchia <- function(problem) vecchia(min(30L, length(problem$data$y) - 1L))
