#' Deep Gaussian processes by doubly stochastic inference (DGP)
#'
#' The model of [dspp()], trained otherwise: values of the hidden units are sampled for each row in
#' each step, and the objective is an evidence lower bound (Salimbeni and Deisenroth 2017), or one
#' of its relatives.
#'
#' @section When to take it: For comparison with [dspp()], or where a bound is wanted. In trials its
#' predictive densities were those of `dspp()` less 0.5 to 1 units a row, with a noise that came out
#' too large and intervals that were too wide; it needs several hundred epochs.
#'
#' @section Objectives: `"evidence"`: the expected log density of a row given its sampled values,
#' less the divergence. With `robustness` = gamma, the expectation of its gamma divergence
#' (Knoblauch et al. 2019), which outliers hardly move. `"predictive"`: the log density of the
#' mixture of the samples, as in `dspp()` with sites that are drawn and not learned. Each inducing
#' distribution has a full covariance matrix, as a triangular factor.
#'
#' Predictions are mixtures over `prediction_samples` draws of the hidden units, of strata of equal
#' probability for each unit, and common to all rows, so that a prediction depends on its row alone.
#' What `print()` says of the rows held out is of these mixtures; the trace has the draws of the
#' training.
#'
#' Other families, several outputs and a linear trend are as in [dspp()]; `robustness` is for one
#' gaussian output (`neargp_error_family`, `neargp_error_method`).
#'
#' @inheritParams dspp
#' @param samples number of draws of the hidden units for each row in a step, at most 10,000.
#' @param objective what is maximised, see below.
#' @param robustness gamma, a number greater than 1 such as 1.03; `NULL` for the bound itself. For
#'   `objective = "evidence"`.
#' @param prediction_samples number of components of predictions, at most 100,000.
#' @param regularization weight of the divergence; `NULL` for 1, that of the bound, or for
#'   `"predictive"` as in [dspp()].
#' @return As of [dspp()].
#' @section Errors: those of [dspp()].
#' @references Salimbeni, H. and Deisenroth, M. (2017). Doubly stochastic variational inference for
#'   deep Gaussian processes. *NIPS*. Knoblauch, J., Jewson, J. and Damoulas, T. (2019). Generalized
#'   variational inference. arXiv:1904.02063. Jankowiak, M., Pleiss, G. and Gardner, J. R. (2020).
#'   Deep sigma point processes. *UAI*. arXiv:2002.09112.
#' @seealso [dspp()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(600), x2 = runif(600))
#' d$y <- sin(8 * d$x1^2) + rnorm(600, sd = 0.1)
#' fit <- suppressWarnings(neargp(y ~ 1, d, coords = ~ x1 + x2,
#'   method = dgp(width = 2, inducing = 20, samples = 4, epochs = 30, batch_size = 200,
#'     restarts = 1)))
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5), interval = "prediction")
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
