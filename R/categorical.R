#' Family of a response with more than two classes
#'
#' For a factor response: the probabilities of its levels are the softmax of one linear predictor for each level. With two levels it is the
#' same model as [stats::binomial()].
#'
#' @return An object of class `family`, for the argument `family` of [neargp()] with [loo_k()].
#' @references Jankowiak, M. and Pleiss, G. (2022). Scalable cross validation losses for Gaussian process models. arXiv:2105.11535, section
#'   3.3.
#' @examples
#' categorical()
#' fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 20), family = categorical(),
#'   covariance = cov_matern(nu = 2.5))
#' head(predict(fit, iris))
#' @export
categorical <- function(link = c("softmax", "robust-max")) {
  structure(list(family = "categorical", link = check_choice(link, "link", c("softmax", "robust-max"))), class = c("neargp_family", "family"))
}
