#' MLL-k: marginal likelihood of neighbourhoods
#'
#' Sums, over the observations, the joint log density of an observation and its `k` nearest others,
#' divided by the size of that neighbourhood. Experimental.
#'
#' The objective is simple and biased, and needs no ordering (Chen et al. 2020; Jankowiak and Pleiss
#' 2021, appendix A.3, equation 15). It is equation (16) of `vignette("model-and-methods")`.
#' [loo_k()] predicts better in the paper.
#'
#' @param k the number of neighbours, an integer from 1 to the number of distinct locations less
#'   one. Default `NULL`: 32, or as many as exist.
#' @param optimizer `"bfgs"` (default), quasi-Newton with all observations, or `"adam"`,
#'   mini-batches. See [loo_k()], section Mini-batches.
#' @param batch_size,steps,learning_rate,refresh settings of `"adam"`: rows in a random batch, the
#'   number of steps (1000 by default), the first learning rate and the steps between searches for
#'   neighbours. The rate is divided by 5 at 25%, 50% and 75% of the steps.
#' @return A settings object for the argument `method` of [neargp()].
#' @references Chen, H., Zheng, L., Al Kontar, R. and Raskutti, G. (2020). Stochastic gradient
#'   descent in correlated settings: a study on Gaussian processes. *NeurIPS* 33. Jankowiak, M. and
#'   Pleiss, G. (2021). Scalable cross validation losses for Gaussian process models.
#'   arXiv:2105.11535.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' fits <- lapply(list(mll_k = mll_k(k = 20), loo_k = loo_k(k = 20)), function(method) {
#'   neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'     method = method)
#' })
#' sapply(fits, function(fit) c(crps = scores(fit)$crps, coef(fit, what = "covariance")))
#'
#' # Mini-batches, as for very many observations
#' set.seed(1)
#' method <- mll_k(k = 20, optimizer = "adam", batch_size = 64, steps = 200)
#' batches <- update(fits$mll_k, method = method)
#' c(all = logLik(fits$mll_k), batches = logLik(batches))
#' @export
mll_k <- function(k = NULL, optimizer = c("bfgs", "adam"), batch_size = 128L, steps = NULL,
                  learning_rate = 0.03, refresh = 50L) {
  method <- do.call(new_method, c(list("mll_k", "MLL-k"), neighbor_settings(k, 32L)))
  with_adam(method, optimizer, c("bfgs", "adam"), batch_size, steps, learning_rate, refresh)
}

#' @export
fit_method.neargp_mll_k <- function(method, problem) {
  problem <- from_separable(problem)
  host <- if (is_sharded(problem)) host_of_problem(problem)
  state <- maximize_left_out(method, problem, others_objectives(problem, "joint", method$k, host),
    terms_of_others(problem, joint_objective))
  with_gls_trend(problem, method_result(state, score = "neighbourhood score", information = NULL,
    k = method$k), host)
}
