#' Deep Gaussian processes by doubly stochastic inference (DGP)
#'
#' @description
#' The model of [dspp()], trained by sampling the hidden units (Salimbeni and Deisenroth 2017).
#' Experimental.
#'
#' ```r
#' method <- dgp(width = 2, inducing = 20, epochs = 300)
#' ```
#'
#' @details
#' Use it for comparison with [dspp()], or if you need an ELBO. Its predictive log densities are
#' typically lower by 0.5 to 1 per observation, its intervals wider, and it needs several hundred
#' epochs.
#'
#' `objective = "evidence"` is the expected log density given sampled values, less the divergence,
#' as after equation (20) of `vignette("model-and-methods")`.
#' `robustness` replaces the log density by a gamma divergence (Knoblauch et al. 2019), for one
#' Gaussian response with outliers. `"predictive"` is the log density of the mixture of samples.
#'
#' Predictions are mixtures over `prediction_samples` stratified draws, common to all rows. Other
#' families, several responses and trends are as in [dspp()].
#'
#' @inheritParams dspp
#' @param samples the number of draws of the hidden units in a step, an integer up to 10,000.
#' @param objective `"evidence"` (default) or `"predictive"`.
#' @param robustness a number above 1, such as 1.03. Default `NULL`: the ELBO.
#' @param prediction_samples the number of components of predictions, an integer up to 100,000.
#' @param regularization the weight of the divergence. Default `NULL`: 1, the ELBO, or as in
#'   [dspp()] for `"predictive"`.
#' @return See [dspp()].
#' @references Salimbeni, H. and Deisenroth, M. (2017). Doubly stochastic variational inference for
#'   deep Gaussian processes. *NIPS*. Knoblauch, J., Jewson, J. and Damoulas, T. (2019). Generalized
#'   variational inference. arXiv:1904.02063.
#' @seealso [dspp()], [mlp()] for a network before the layers
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(600), x2 = runif(600))
#' d$y <- sin(8 * d$x1^2) + rnorm(600, sd = 0.1)
#' fit <- suppressWarnings(neargp(y ~ 1, d, coords = ~ x1 + x2,
#'   method = dgp(width = 2, inducing = 20, samples = 4, epochs = 30, batch_size = 200,
#'     restarts = 1)))
#' fit
#' predict(fit, data.frame(x1 = c(0.3, 0.9), x2 = 0.5), interval = "prediction")
#' @export
dgp <- function(layers = 2L, width = 5L, inducing = 150L, samples = 10L,
                objective = c("evidence", "predictive"), robustness = NULL,
                prediction_samples = 32L, skip = c("both", "none", "mean", "inputs"),
                regularization = NULL, epochs = 100L, batch_size = 1000L, learning_rate = 0.03,
                restarts = 3L, validation = 0.1, seed = NULL) {
  objective <- check_choice(objective, "objective", c("evidence", "predictive"))
  if (!is.null(robustness)) {
    check_number(robustness, "robustness", 1, 2, open = TRUE)
    if (objective == "predictive") {
      abort_argument("robustness", "NULL with objective = \"predictive\"", robustness)
    }
  }
  deep_method("dgp", "deep Gaussian process (DGP)", environment(),
    samples = check_count(samples, "samples", upper = 10000L), objective = objective,
    robustness = robustness,
    prediction_samples = check_count(prediction_samples, "prediction_samples", upper = 100000L))
}

#' @export
print.neargp_dgp <- function(x, ...) {
  names(x)[names(x) == "prediction_samples"] <- "predicted by"
  x$robustness <- x$robustness %||% "none"
  NextMethod()
}

#' @export
deep_own_settings.neargp_dgp <- function(method) {
  score <- if (method$objective == "predictive") "mixture" else if (is.null(method$robustness))
    "expected" else "robust"
  list(samples = method$samples, rule = "random", covariance = "full", score = score,
    gamma = method$robustness)
}
