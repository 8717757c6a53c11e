#' Check the objective of a fit by simulation
#'
#' @description
#' `check_consistency()` simulates data from a fit and computes the score, the slope of the fit's
#' objective, at the estimates. If the objective is as good as the likelihood, the score is zero on
#' average.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 10))
#' check_consistency(fit, nsim = 30)
#' ```
#'
#' @details
#' It shows whether the approximation biases the estimates.
#'
#' The score is that of the logarithms of covariance and family parameters. For Gaussian responses
#' it is that of the restricted likelihood. With its mean `m` and covariance `S`, `nsim * m' S^-1 m`
#' is Hotelling's statistic, and `S^-1 m` is the bias of the estimates.
#'
#' With many simulations even a harmless bias is significant. Look at `bias_in_sd`, the bias in
#' standard errors of the estimates: below 0.2 it barely changes intervals.
#'
#' Methods: [vecchia()], [exact_gp()] and [vnngp()] with the posterior `"sparse"` or `"laplace"`,
#' for one response in memory without random effects, `transform` or inducing points.
#' @param fit a fit by [neargp()].
#' @param nsim the number of simulated data sets, an integer above the number of parameters.
#'   Default: 50.
#' @param seed the seed of the simulations, an integer. Default `NULL`: R's random numbers.
#' @param x the result of `check_consistency()`.
#' @param ... not used.
#' @return A list of class `neargp_consistency`: the data frame `parameters`, `p_value`, `nsim`, and
#'   `failed`, the number of simulations without a score. The columns of `parameters` are `name`,
#'   `score`, its `std_error`, `bias` of the logarithm, and `bias_in_sd`.
#' @seealso [sanity()], [neighbor_loss()]
#' @references Kristensen, K. et al. (2016). TMB: automatic differentiation and Laplace
#'   approximation. *Journal of Statistical Software* 70(5).
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Laplace's approximation of rare events
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' d$present <- runif(150) < plogis(-1 + 2 * sin(6 * d$x))
#' fit <- neargp(present ~ 1, d, coords = ~ x + y, family = binomial(),
#'   method = vnngp(k = 8, posterior = "laplace"))
#' check_consistency(fit, nsim = 20, seed = 1)
#' @export
check_consistency <- function(fit, nsim = 50L, seed = NULL) {
  check_required()
  check_fit(fit)
  free <- !fit$parameters$fixed & !fit$parameters$at_boundary
  check_has_score(fit, free)
  nsim <- check_count(nsim, "nsim", lower = sum(free) + 2L)
  draws <- as.matrix(drop_geometry(as.data.frame(simulate(fit, nsim, seed = seed,
    conditional = FALSE, parameters = "plug-in"))))
  scores <- lapply(seq_len(nsim), function(j) if_computable(score_of_draw(fit, draws[, j])))
  scores <- do.call(rbind, lapply(scores, function(score) if (all(is.finite(score))) score[free]))
  if (NROW(scores) < sum(free) + 2L) {
    abort_neargp("convergence",
      "The score cannot be computed for enough of the simulated data sets.")
  }
  summary_of_scores(scores, fit$parameters[free, ], nsim)
}

check_has_score <- function(fit, free) {
  refuse <- function(what, hint = NULL) {
    abort_neargp("method", c(sprintf("check_consistency() does not support %s.", what), i = hint))
  }
  if (has_outputs(fit)) refuse("several responses")
  if (is_streamed(fit)) refuse("data that are read in pieces")
  if (has_effects(fit$data)) refuse("random effects and smooths")
  if (!is.null(fit$family$transform)) refuse("transformed responses",
    "Fit the transformed values themselves.")
  able <- has_ability(fit$method, "score_of_draws", fit$family)
  if (!able || !is.null(fit$data$limits)) refuse(sprintf("fits by %s", method_call(fit$method)),
    sprintf("It is available for %s.", able_methods("score_of_draws")))
  if (!any(free)) refuse("fits without parameters that are estimated inside their limits")
}

# The slopes of the objective in the working parameters at the fit's estimates.
score_of_draw <- function(fit, y) {
  fit$data$y <- as.double(y)
  problem <- suppressMessages(problem_of_fit(fit))
  own <- match(fit$parameters$name, problem$layout$name)
  objective_state(problem$method, problem)$gradient[own]
}

objective_state <- function(method, problem) {
  UseMethod("objective_state")
}

#' @export
objective_state.default <- function(method, problem) {
  problem$method <- with_estimation(method, "REML")
  likelihood_objective(problem$method, problem)$evaluate(problem$start, information = TRUE)
}

#' @export
objective_state.neargp_vnngp <- function(method, problem) {
  problem$data <- core_data(problem$data)
  nodes <- latent_nodes(problem)
  search <- latent_search(problem, nodes, component_at(problem, problem$start),
    min(method$k, nrow(nodes$coords) - 1L))
  latent_objective(problem, latent_problem(problem, nodes, search))$evaluate(problem$start)
}

# `parameters`: the rows of the fit's table that the columns of `scores` belong to.
summary_of_scores <- function(scores, parameters, nsim) {
  count <- nrow(scores)
  mean <- colMeans(scores)
  information <- stats::cov(scores)
  inverse <- tryCatch(solve(information), error = function(e) NULL)
  bias <- if (is.null(inverse)) rep(NA_real_, length(mean)) else drop(inverse %*% mean)
  sd <- if (is.null(inverse)) bias else sqrt(diag(inverse))
  # Hotelling's T^2, by its distribution at this number of data sets
  freedom <- count - length(mean)
  statistic <- if (is.null(inverse)) NA_real_ else
    count * sum(mean * bias) * freedom / (length(mean) * (count - 1))
  structure(list(parameters = data.frame(name = parameters$name, score = mean,
    std_error = sqrt(diag(information) / count), bias = bias, bias_in_sd = bias / sd),
    p_value = stats::pf(statistic, length(mean), freedom, lower.tail = FALSE), nsim = count,
    failed = nsim - count), class = "neargp_consistency")
}

#' @rdname check_consistency
#' @export
print.neargp_consistency <- function(x, ...) {
  writeLines(sprintf("Score at the estimates, from %d simulated data sets", x$nsim))
  show_rows(x$parameters, 3L)
  if (x$failed) writeLines(sprintf("The score of %d further data sets was not found.", x$failed))
  writeLines(sprintf("The mean score is zero: p = %.2g", x$p_value))
  large <- abs(x$parameters$bias_in_sd) > 0.2
  if (any(large, na.rm = TRUE) && isTRUE(x$p_value < 0.05)) {
    writeLines(sprintf("The objective biases %s. Use more neighbours, or another posterior.",
      format_some(x$parameters$name[which(large)])))
  }
  invisible(x)
}
