#' Family of a response with more than two classes
#'
#' For a factor response: each level has a linear predictor, and these have the probabilities of the
#' levels. The order of the levels, of an ordered factor, too, plays no part.
#'
#' By the softmax, the probability of a level is `exp(eta)` over the sum of those of all levels;
#' with two levels that is the same model as [stats::binomial()]. By robust-max it is the level of
#' the largest linear predictor, but another one by mistake, all of them alike, with probability
#' 0.001: for comparison with results that were had with it. See the section on classes of [svgp()],
#' which takes both, as [odvgp()] does, and that of [loo_k()], which takes the softmax.
#'
#' @param link how linear predictors become probabilities.
#' @return An object of class `family`, for the argument `family` of [neargp()] with [loo_k()],
#'   [svgp()] or [odvgp()].
#' @references Jankowiak, M. and Pleiss, G. (2021). Scalable cross validation losses for Gaussian
#'   process models. arXiv:2105.11535, section 3.3.
#'
#'   Hernandez-Lobato, D., Hernandez-Lobato, J. M. and Dupont, P. (2011). Robust multi-class
#'   Gaussian process classification. *NIPS*.
#' @examples
#' categorical()
#' fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 20), family = categorical(),
#'   covariance = cov_matern(nu = 2.5))
#' head(predict(fit, iris))
#' @export
categorical <- function(link = c("softmax", "robust-max")) {
  structure(list(family = "categorical",
    link = check_choice(link, "link", c("softmax", "robust-max"))),
    class = c("neargp_family", "family"))
}
