# The estimator of the LOO-k paper for classes: Polya-Gamma variables with a mean-field log-normal
# distribution q, one for each datum and process. The source is Jankowiak and Pleiss (2021), eqs. 12
# and 34, appendices A.6 to A.8. The objective is, per observation,
#
#   E_q log p(y_n | neighbours, omega) - kl_weight KL(q(omega_n) | p(omega_n)).
#
# Like the paper, it leaves out the term in E(1 / omega). Adam maximises it on mini-batches with one
# reparametrised draw of omega each. The draw omega = exp(m + s e) is cut off at 2.5, where the
# density's series ends. The divergence is the entropy of q in closed form and the log density at
# the draw. The equations leave the weight of the divergence open. As printed, they add the sum of
# the divergence to the mean of the log scores. A weight of 1 puts the two in proportion. At that
# weight q stays near the prior. Among any number of labels of one class, a logit then stays near
# 1 / (2 E omega), about 2. This is the mean of many pseudo-observations y / (2 omega) of precision
# omega.
#
# Formulas of scores and derivatives are in src/core/loo/polya_gamma.h.

polya_gamma_limit <- 2.5

# The noise of pseudo-observations is that of their Polya-Gamma variables.
#' @export
method_layout.neargp_loo_k_polya_gamma <- function(method, layout, settings) {
  nugget <- layout$kind == "nugget"
  if (!is.na(layout$value[nugget]) && layout$value[nugget] != 1) {
    abort_argument("nugget", "NULL with estimator = \"polya-gamma\", whose variables are the noise",
      layout$value[nugget])
  }
  layout$fixed[nugget] <- TRUE
  layout$value[nugget] <- 1
  layout
}

#' @export
fit_method.neargp_loo_k_polya_gamma <- function(method, problem) {
  warn_of_copies(problem$data)
  if (method$optimizer == "bfgs") {
    abort_argument("optimizer",
      "\"adam\" or \"auto\" with estimator = \"polya-gamma\", which is stochastic",
      method$optimizer)
  }
  with_centred_offset(problem, function(problem) fit_polya_gamma(method, problem))
}

fit_polya_gamma <- function(method, problem) {
  problem <- polya_gamma_problem(method, problem)
  theta <- label_start(problem, method$k)
  theta[nrow(problem$layout) + 1L] <- 0
  state <- polya_gamma_adam(method, problem, theta, problem$warm_start$classifier$variables)
  part <- split_theta(problem, state$theta)
  q <- ncol(problem$data$X)
  classifier <- list(estimator = "polya-gamma", levels = problem$classes$levels, slope = 1,
    trend = unscaled_trend(problem$loo$design, part$trend),
    location_index = problem$classes$labels$location_index, omega = mean_variables(state$q),
    variables = state$q)
  scored <- polya_gamma_loo_score(problem, part, classifier, method$k)
  list(working = part$working, beta = rep(NA_real_, q), beta_vcov = matrix(NA_real_, q, q),
    information = NULL, value = scored$value,
    score = paste0("leave-one-out log score", sample_note(scored$rows)), k = method$k,
    convergence = state$convergence, classifier = classifier)
}

# Polya-Gamma variables belong to rows: rows at one location stay separate.
polya_gamma_problem <- function(method, problem) {
  label_problem(method, problem, "polya-gamma", seq_along(problem$data$y),
    scaled_design(problem$data$X), with_prevalence = FALSE)
}

# 1 or -1 for each process: the second of two classes, or each class against all others.
polya_gamma_signs <- function(class, classes) {
  if (classes == 2L) return(matrix(2 * class - 3, ncol = 1L))
  signs <- matrix(-1, length(class), classes)
  signs[cbind(seq_along(class), class)] <- 1
  signs
}

# ---- Adam over the covariance, the trend, and q --------------------------------------------------

# `q`: that of a fit that is continued.
polya_gamma_adam <- function(method, problem, theta, q = NULL) {
  signs <- polya_gamma_signs(problem$classes$labels$class, problem$classes$labels$classes)
  variables <- new_variables(q %||% prior_variables(nrow(signs), ncol(signs)))
  kept <- function() list(variables = as.list(variables))
  method$steps <- method$steps %||% 1000L
  begin <- polya_gamma_rounds(method, problem, signs, variables)
  further <- length(theta) - nrow(problem$layout)  # the slope, which is fixed, and the trend
  varied <- list(free = c(problem$free, FALSE, rep(TRUE, further - 1L)),
    bounds = Map(c, problem$bounds[c("lower", "upper")], problem$loo$links))
  in_adam_stage(problem$session, theta, function(stage) {
    list2env(stage$state$variables, variables)
    reached <- adam_rounds(method, problem, stage, varied, adam_rate, begin, kept)
    list(theta = reached$theta, q = variables$value, convergence = list(converged = NA,
      message = adam_message(method$steps, reached$singular), iterations = method$steps,
      evaluations = method$steps))
  }, further = kept())
}

# The function by which adam_rounds() begins a round. Steps change the environment `variables`.
polya_gamma_rounds <- function(method, problem, signs, variables) {
  n <- nrow(signs)
  size <- min(method$batch_size, n)
  specification <- covariance_specification(problem$layout, problem$groups)
  function(theta, steps) {
    drawn <- matrix(vapply(steps, function(step) sample.int(n, size), integer(size)), size)
    nearest <- nearest_rows(problem, unique(as.vector(drawn)), split_theta(problem, theta)$working,
      method$k)
    function(theta, step) {
      batch <- polya_gamma_batch(nearest, drawn[, step - steps[1L] + 1L])
      rate <- adam_rate(method, share_done(problem, step, method$steps))
      q <- variables_of(variables, batch$rows, step, rate)
      ascent <- polya_gamma_gradient(problem, theta, q$value, signs[batch$rows, , drop = FALSE],
        batch, method$kl_weight, specification)
      if (is.null(ascent) || !all(is.finite(c(ascent$theta, ascent$q)))) return(NA_real_)
      update_variables(variables, batch$rows, adam_step(q$value, ascent$q, q$moments, step, rate),
        step)
      ascent$theta
    }
  }
}

nearest_rows <- function(problem, rows, working, k) {
  list(rows = rows, neighbors = others_of_targets(problem$data$coords,
    component_at(problem, working), rows, k, problem$context))
}

# A batch, its neighbours (as locations in `rows`), and all rows that either are.
polya_gamma_batch <- function(nearest, at) {
  neighbors <- nearest$neighbors[, match(at, nearest$rows), drop = FALSE]
  rows <- unique(c(at, neighbors))
  list(at = at, rows = rows, own = match(at, rows), neighbors = matrix(match(neighbors, rows),
    nrow(neighbors)))
}

# The gradient of the objective per observation, at one draw: in theta, and in q at the rows of the
# batch. NULL where a covariance matrix is singular.
polya_gamma_gradient <- function(problem, theta, q, signs, batch, kl_weight,
                                 specification = covariance_specification(problem$layout,
                                   problem$groups), draw = stats::rnorm) {
  layout <- problem$layout
  n <- length(batch$at)
  location <- q[, seq_len(ncol(signs)), drop = FALSE]
  log_scale <- q[, -seq_len(ncol(signs)), drop = FALSE]
  deviation <- exp(log_scale) * draw(length(log_scale))
  log_omega <- pmin(location + deviation, log(polya_gamma_limit))
  omega <- exp(log_omega)
  part <- split_theta(problem, theta)
  values <- to_core(part$working, layout$transform)
  X <- problem$loo$design$X[batch$at, , drop = FALSE]
  score <- core_polya_gamma_score(problem$data$coords[batch$rows, , drop = FALSE], signs, omega,
    problem$data$coords[batch$at, , drop = FALSE], batch$neighbors, X %*% part$trend +
    problem$data$offset[batch$at], problem$classes$labels$class[batch$at],
    specified_covariance(specification, values), problem$context)
  if (score$failed > 0L) return(NULL)
  own <- batch$own
  density <- core_log_polya_gamma(omega[own, ])
  divergence <- -sum(location[own, ] + log_scale[own, ] + (1 + log(2 * pi)) / 2) -
    sum(density$value)
  d_log_omega <- score$d_log_omega
  d_log_omega[own, ] <- d_log_omega[own, ] + kl_weight * density$slope
  d_log_omega <- d_log_omega * (log_omega < log(polya_gamma_limit))
  entropy <- 0 * omega
  entropy[own, ] <- kl_weight
  list(value = (score$value - kl_weight * divergence) / n - theta_penalty(problem, theta),
    theta = label_theta(core_to_working_slope(layout, values) * score$gradient, 0,
      crossprod(X, score$d_shift)) / n -
      label_theta(0 * part$working, 0, 2 * label_penalty[["trend"]] * part$trend),
    q = cbind(d_log_omega + entropy, d_log_omega * deviation + entropy) / n)
}

# ---- probabilities -------------------------------------------------------------------------------

# Probabilities at the mean of q, where the paper draws once from it: a prediction should not depend
# on the generator, and scores are better.
polya_gamma_probabilities <- function(object, rows, targets, neighbors, X, offset, context) {
  classifier <- object$classifier
  signs <- polya_gamma_signs(class_numbers(object$data)[rows], length(classifier$levels))
  probability <- core_polya_gamma_probabilities(object$data$coords[rows, , drop = FALSE], signs,
    classifier$omega[rows, , drop = FALSE], targets, neighbors, row_products(X, classifier$trend) +
    offset, as_specified(object$core_covariance), context)
  if (nrow(probability) < nrow(targets)) abort_cholesky(0L)
  probability
}

#' @export
class_predictor.neargp_loo_k_polya_gamma <- function(method, object, settings) {
  index <- cached_index(object, settings$context)
  function(coords, X, offset) {
    neighbors <- as.matrix(core_index_nearest(index, coords, settings$k, settings$context))
    rows <- sort(unique(as.vector(neighbors)))
    polya_gamma_probabilities(object, rows, coords, matrix(match(neighbors, rows), nrow(neighbors)),
      X, offset, settings$context)
  }
}

#' @export
class_probabilities_given_others.neargp_loo_k_polya_gamma <- function(method, object, k, threads,
                                                                      rows) {
  k <- min(classifier_k(method, object, k), length(object$data$y) - 1L)
  polya_gamma_loo(object, rows, k, default_context(object, length(rows), k, threads))
}

# Predicts each row from its nearest others. Their variables were fitted to all labels: unlike those
# of the label estimators, these predictions are not wholly out of sample.
polya_gamma_loo <- function(object, at, k, context) {
  data <- object$data
  neighbors <- others_of_targets(data$coords, metric_component(object$core_covariance), at, k,
    context)
  rows <- sort(unique(as.vector(neighbors)))
  polya_gamma_probabilities(object, rows, data$coords[at, , drop = FALSE],
    matrix(match(neighbors, rows), nrow(neighbors)),
    data$X[at, , drop = FALSE], data$offset[at], context)
}

polya_gamma_loo_score <- function(problem, part, classifier, k, at_most = 10000L) {
  n <- length(problem$classes$labels$class)
  at <- if (n > at_most) round(seq(1, n, length.out = at_most)) else seq_len(n)
  like_fit <- list(data = problem$data, classifier = classifier,
    core_covariance = covariance_at(problem, part$working))
  probability <- polya_gamma_loo(like_fit, at, k, problem$context)
  list(value = mean(log(probability[cbind(seq_along(at), problem$classes$labels$class[at])])) * n,
    rows = if (n > at_most) at_most)
}
