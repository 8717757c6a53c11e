#' Family of a categorical response
#'
#' @description
#' Classification with more than two categories: a linear predictor for each level of a factor.
#'
#' ```r
#' neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, family = categorical())
#' ```
#'
#' @details
#' With the softmax link, the probability of a level is `exp(eta)` divided by the sum over all
#' levels. For two levels this is the model of [stats::binomial()]. With `"robust-max"`, the
#' response is the level with the largest linear predictor, except for errors with the probability
#' 0.001. Use it to compare with published results.
#'
#' [svgp()] and [odvgp()] support both links, and [loo_k()], the default, supports the softmax. The
#' order of the levels does not matter. For ordered categories, you can use `ordinal()`, see
#' [response_family].
#'
#' @param link `"softmax"` (default) or `"robust-max"`.
#' @return An object of class `family` for the argument `family` of [neargp()].
#' @references Jankowiak, M. and Pleiss, G. (2021). Scalable cross validation losses for Gaussian
#'   process models. arXiv:2105.11535, section 3.3. Hernandez-Lobato, D., Hernandez-Lobato, J. M.
#'   and Dupont, P. (2011). Robust multi-class Gaussian process classification. *NIPS*.
#' @seealso [predict.neargp_classifier()], the article "Classification"
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
