# The rules of sites and paths are in src/core/deep/quadrature_paths.h.

#' Deep sigma point processes (DSPP)
#'
#' @description
#' Gaussian processes of Gaussian processes, trained for their predictive distribution (Jankowiak et
#' al. 2020).
#'
#' ```r
#' set.seed(1)
#' d <- data.frame(x1 = runif(600), x2 = runif(600))
#' d$y <- sin(8 * d$x1^2) + rnorm(600, sd = 0.05 + 0.3 * d$x2)
#' neargp(y ~ 1, d, coords = ~ x1 + x2, method = dspp(width = 2, inducing = 30, epochs = 30))
#' ```
#'
#' @details
#' Use it for predictions from ten thousand observations or more with several predictors, for
#' example if the noise changes or is skewed. Below 5,000 observations it can overfit, and a warning
#' says so. For maps, estimates and joint predictions you should use [vecchia()], [svgp()] or
#' [vnngp()].
#'
#' `width` hidden units, each a process of the predictors on inducing points, are the coordinates of
#' the observed process. A prediction is a mixture of normals, one for each quadrature site. The
#' objective is equation (20) of `vignette("model-and-methods")`. Units use the
#' family of `covariance`, by default `cov_matern(nu = 2.5)`, with a range for each input. Data are
#' standardised internally. For categories you can use [svgp()] or [loo_k()].
#'
#' The trend must contain a constant. Its coefficients return no standard errors. Put non-linear
#' effects into `coords`, and factors as columns of [stats::model.matrix()].
#'
#' For `cbind(y1, y2) ~ trend`, the last layer uses one unit for each response. The objective is
#' joint, missing responses are left out, and [predict.neargp_outputs()] returns the mixtures.
#'
#' Adam trains from `restarts` starts, and the best one by the held-out score continues. The fit
#' keeps its best epoch, an average over about two epochs of steps. `update(fit, start = fit)`
#' continues, and is never worse on the held-out observations. You should compare several seeds,
#' which end at different optima.
#'
#' Predictions, quantiles, scores and draws are exact for the mixture, and independent between rows.
#' `logLik()` is the log density of the training data, a score. `cross_validate(refit = TRUE)`
#' trains again for each fold.
#'
#' @param layers the number of layers, an integer from 1 to 3. Default: 2, one hidden layer.
#' @param width the number of units in a hidden layer, an integer. More suit smooth functions of
#'   many predictors. Default: 5.
#' @param inducing the number of inducing points of each unit, an integer. Time grows with its
#'   square. Default: 150.
#' @param sites the number of quadrature points, an integer up to 4,096: of components for `"free"`,
#'   else for each unit. More suit noisy or skewed responses. Default `NULL`: 8 for `"free"`,
#'   else 3.
#' @param quadrature `"free"` (default, QR3 of the paper), `"grid"` for QR1, `"symmetric"` for QR2
#'   or `"hermite"`, fixed Gauss-Hermite sites. All but `"free"` use `sites^width` components.
#' @param skip the inputs of a second hidden layer: `"both"` (default), coordinates in mean and
#'   covariance; `"mean"`; `"inputs"`, the mean sees only coordinates; or `"none"`.
#' @param regularization the weight beta of the divergence, a positive number. Increase it if
#'   training and held-out curves diverge. Default `NULL`: the best of 0.05, 0.5 and 5 on the
#'   held-out observations, or 0.05 from 10,000 observations on or without them.
#' @param epochs,batch_size,learning_rate passes over the data, rows in a batch, and the first rate
#'   of Adam. Defaults: 60, 250 and 0.03.
#' @param restarts the number of starts, an integer. Default: 3.
#' @param validation the share of held-out observations, a number up to 0.5. Default: 0.1.
#' @param seed an integer. Default `NULL`: from R's random numbers. Results do not depend on the
#'   threads.
#' @return A settings object for the argument `method` of [neargp()]. The fit is of class
#'   `neargp_deep_fit` with the list `deep`: `state`, `trace` (a data frame) and `validation`.
#' @references Jankowiak, M., Pleiss, G. and Gardner, J. R. (2020). Deep sigma point processes.
#'   *UAI*. arXiv:2002.09112. Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic
#'   optimization. *ICLR*. Polyak, B. T. and Juditsky, A. B. (1992). Acceleration of stochastic
#'   approximation by averaging. *SIAM Journal on Control and Optimization* 30, 838–855.
#' @seealso [mlp()] for a network before the layers, [dgp()], [ppgpr()],
#'   [plot.neargp_deep_fit()], the article "Non-stationary and deep models"
#' @examples
#' # A noise that grows with x2, and a function that oscillates faster with x1
#' set.seed(1)
#' d <- data.frame(x1 = runif(700), x2 = runif(700))
#' d$y <- sin(8 * d$x1^2) + rnorm(700, sd = 0.05 + 0.3 * d$x2)
#' train <- d[1:600, ]
#' test <- d[601:700, ]
#' fit <- suppressWarnings(neargp(y ~ 1, train, coords = ~ x1 + x2,
#'   method = dspp(width = 2, inducing = 30, epochs = 30, batch_size = 200,
#'     restarts = 1, regularization = 0.5)))
#' fit
#' predict(fit, data.frame(x1 = 0.5, x2 = c(0.05, 0.95)), interval = "prediction")
#'
#' # Compare with a Gaussian process with the same noise everywhere
#' shallow <- neargp(y ~ 1, train, coords = ~ x1 + x2)
#' rbind(dspp = scores(fit, newdata = test), shallow = scores(shallow, newdata = test))
#'
#' # Continue the training
#' longer <- suppressWarnings(update(fit, start = fit))
#' scores(longer, newdata = test)
#' tail(longer$deep$trace, 2)
#' @export
dspp <- function(layers = 2L, width = 5L, inducing = 150L, sites = NULL,
                 quadrature = c("free", "grid", "symmetric", "hermite"),
                 skip = c("both", "none", "mean", "inputs"), regularization = NULL, epochs = 60L,
                 batch_size = 250L, learning_rate = 0.03,
                 restarts = 3L, validation = 0.1, seed = NULL) {
  quadrature <- check_choice(quadrature, "quadrature", c("free", "grid", "symmetric", "hermite"))
  sites <- check_count(sites, "sites", upper = 4096L, null_ok = TRUE) %||%
    if (quadrature == "free") 8L else 3L
  method <- deep_method("dspp", "deep sigma point process (DSPP)", environment(), sites = sites,
    quadrature = quadrature)
  check_sites(method)
  method
}

check_sites <- function(method) {
  if (method$quadrature == "free") return(invisible())
  if (method$quadrature == "symmetric" && method$sites == 1L) {
    abort_neargp("argument",
      c("One site that is symmetric about 0 is 0: nothing of the hidden units' distribution is left.",
        i = "Use sites = 3, or quadrature = \"free\"."))
  }
  components <- as.double(method$sites)^(method$width * (method$layers - 1L))
  if (components <= 4096) return(invisible())
  abort_neargp("size",
    c(sprintf("%d sites for each of %d hidden units make %.3g components; 4,096 are the most.",
      method$sites, method$width * (method$layers - 1L), components),
      i = "Use quadrature = \"free\", or fewer units."))
}

#' @export
deep_own_settings.neargp_dspp <- function(method) {
  list(sites = method$sites, rule = method$quadrature)
}
