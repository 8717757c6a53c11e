#' MLL-k: marginal likelihood of neighbourhoods
#'
#' Averages, over the observations, the joint log density of an observation and its `k` nearest
#' others, divided by the size of that neighbourhood. A biased but simple objective without an
#' ordering (Chen and others 2020; appendix A.3 of the LOO-k paper); [loo_k()] predicts better in
#' the paper.
#'
#' @inheritParams loo_k
#' @return A settings object for the argument `method` of [neargp()].
#' @references Chen, H., Zheng, L., Al Kontar, R. and Raskutti, G. (2020). Stochastic gradient
#'   descent in correlated settings: a study on Gaussian processes. *NeurIPS* 33.
#' @examples
#' mll_k(k = 20)
#' @export
mll_k <- function(k = NULL) {
  do.call(new_method, c(list("mll_k", "MLL-k"), neighbor_settings(k, 32L)))
}

#' @export
fit_method.neargp_mll_k <- function(method, problem) {
  problem <- from_separable(problem)
  host <- if (is_sharded(problem)) host_of_problem(problem)
  state <- maximize_left_out(method, problem, others_objectives(problem, "joint", method$k, host))
  with_gls_trend(problem, method_result(state, score = "neighbourhood score", information = NULL,
    k = method$k), host)
}
