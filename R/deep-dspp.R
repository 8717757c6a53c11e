# The rules of sites and paths are in src/core/deep/quadrature_paths.h.

#' Deep sigma point processes (DSPP)
#'
#' Gaussian processes of Gaussian processes: `width` hidden units, each a process of the coordinates
#' on inducing points of its own, are the coordinates of the process that is observed. A row's
#' predictive distribution is a mixture of normals, one for each of a few `sites`, learned
#' quadrature points of the hidden units; everything is trained at once by the log density of that
#' mixture (Jankowiak et al. 2020).
#'
#' @section When to take it: For predictions, each by itself, from some ten thousand rows or more
#' with several inputs, where one covariance does not fit everywhere: responses that bend more in
#' some regions than in others, whose scatter changes, or is skewed. Not for maps in two
#' coordinates, which [vecchia()] predicts better and faster; not for estimates, simulation of
#' fields or predictions of several places together. On few rows it overfits: below 5,000 there is a
#' warning, and [exact_gp()], [vecchia()] or [loo_k()] are better. The weight of the divergence that
#' is then chosen by the rows held out keeps intervals from being far too short: those of 95%
#' covered 91 to 97% of new rows at 500 and 2,000 rows of three simulated responses
#' (`bench/deep-few-rows.R`, one seed). A larger `width` helps where the response is smooth in many
#' inputs, more `sites` where it is noisy or skewed.
#'
#' @section The model: A unit has a mean, linear in the inputs in the first layer and constant in
#' the last one, a variance, and a range for each of its inputs; the family of covariances is that
#' of `covariance` in [neargp()], by default `cov_matern(nu = 2.5)`. Component s has at hidden unit
#' w the value `mean + sites[s, w] * sd`. The objective is, with component s of weight w_s,
#' \deqn{\sum_i \log \sum_s w_s N(y_i; \mu_{si}, v_{si} + \sigma^2) - \beta \sum KL[q(u) ||
#' p(u)]}{sum_i log sum_s w_s N(y_i; mu_si, v_si + sigma^2) - beta sum KL[q(u) || p(u)]} (equations
#' 16 and 17 of the paper). With one layer it is that of [ppgpr()], which is trained otherwise.
#'
#' Coordinates and response are standardised for the fit, and given back in their units. Inputs that
#' do not vary are left out, with a message.
#'
#' The trend is that of the formula, and has a constant: its coefficients are learned with
#' everything else, from where least squares or a generalised linear model without the field begins
#' them, and have no standard errors. It is for effects that are linear and to be read; what may
#' bend goes into `coords`: covariates of an sf object are columns of
#' `cbind(sf::st_drop_geometry(data), sf::st_coordinates(data))`, a factor columns of 0 and 1, by
#' [stats::model.matrix()].
#'
#' @section Other families: Of counts, presence or absence, shares, amounts and numbers with
#' outliers ([response_family]) component s has a normal linear predictor, and in the objective the
#' density of the row given it in place of the normal density; the family's parameters are learned.
#' Predictions are those of the mixture, on the scale of the response as for other methods. Offsets
#' are on the scale of the link, weights those of the family. Classes of more than two levels are
#' for [svgp()] and [loo_k()].
#'
#' @section Several outputs: `cbind(y1, y2) ~ trend` has as many units in the last layer as outputs,
#' and each output is a mixture A_p'u of these with noise of its own. The objective is the log
#' density of all outputs of a row together, in which those that are `NA` are left out. Predictions
#' are as of [predict.neargp_outputs()], intervals quantiles of each output's mixture,
#' `covariance = TRUE` the covariance of the mixture, and draws joint over the outputs of a row.
#' `observed = TRUE` and `cov_coregionalisation()` are refused.
#'
#' @section Training: Adam (Kingma and Ba 2015) in mini-batches, with a rate that falls along a
#' cosine to a hundredth. Starts differ by as much as methods do, so that `restarts` of them are run
#' for half of the epochs, and the best by the score of the rows held out goes on; it ends as it was
#' after its best epoch by that score. What is scored and kept is the mean of the last steps, about
#' two epochs of them (Polyak and Juditsky 1992): where the response is noisy the best epoch comes
#' while the rate is high and single steps scatter. Small batches are more steps in the same time,
#' at most four threads of them. `print()` reports that score and how many of these rows were
#' inside their intervals. A fit that is continued, `update(fit, start = fit)`, has one start and
#' the same rows held out; `cross_validate(refit = TRUE)` trains each fold from the beginning, for
#' the epochs of the last call alone. A fit that is continued is never worse by these rows: where no
#' epoch improves on the start it is kept ("after 0"). One that is interrupted leaves its best state
#' to [neargp_last()]. Seeds end at different optima, whose objectives can differ by 20. The
#' held-out score chooses among them, because a higher objective does not predict better.
#'
#' @section What a fit has: Predictions are those of the mixture: `predict()` has its mean, standard
#' deviation and quantiles, intervals are quantiles, and probabilities, scores and draws
#' ([simulate()], independent from row to row) are exact for it. There is no joint distribution of
#' several rows (`neargp_error_method`): [svgp()], [vnngp()] and [vecchia()] have one. `residuals()`
#' and `fitted()` are in-sample: rows are not left out. [logLik()] is the log density of the
#' training rows, marked as a score. [cross_validate()] with `refit = TRUE` trains anew for each
#' fold.
#'
#' @param layers number of layers, 1 to 3; two of them have one hidden layer.
#' @param width number of units in a hidden layer.
#' @param inducing number of inducing points of each unit; lowered to the number of distinct
#'   locations, with a message of class `neargp_message_inducing`. Time grows with its square.
#' @param sites number of quadrature points, at most 4,096: of components for `"free"`, by default
#'   8; else of points for each unit, by default 3.
#' @param quadrature how components are made: `"free"`, each has a site of its own for every unit
#'   (QR3 of the paper); `"grid"`, all combinations of the units' sites (QR1), `"symmetric"`, the
#'   same with sites symmetric about 0 (QR2); `"hermite"`, with the sites and weights of Gauss and
#'   Hermite, nothing learned. Combinations are `sites^width`, in three layers its square, and at
#'   most 4,096.
#' @param skip what a second hidden layer of the same width sees besides the first: `"both"`, the
#'   coordinates in mean and covariance; `"mean"`, in the mean; `"inputs"`, its mean sees the
#'   coordinates alone; `"none"`, nothing (topologies 4, 3, 2 and 1 of the paper). Chains without
#'   the coordinates were worse than two layers in trials.
#' @param regularization weight of the divergence, beta. `NULL` for the best of 0.05, 0.5 and 5 by
#'   the rows held out, or 0.05 of 10,000 rows or more, where it hardly matters, and where no rows
#'   are held out, which then is too little for few rows.
#' @param epochs,batch_size,learning_rate passes over the rows, rows in a batch, and first rate of
#'   Adam.
#' @param restarts number of starts.
#' @param validation share of the rows that is held out, up to 0.5.
#' @param seed a whole number for starts, batches and the rows held out; `NULL` takes it from R's
#'   random numbers, see [set.seed()]. Results do not depend on the number of threads.
#' @return A settings object for the argument `method` of [neargp()]. A fit by it is of class
#'   `neargp_deep_fit`, with the list `deep`: `state` (layers of units, sites, weights), `trace`
#'   (data frame: epoch, objective, validation, rate) and `validation` (rows, negative log density).
#' @section Errors: [neargp()] stops with `neargp_error_formula` for a trend without a constant;
#'   with `neargp_error_covariance` for covariances that units do not have; with
#'   `neargp_error_nugget` for a nugget that is fixed; with `neargp_error_cholesky` where inducing
#'   points merge; with `neargp_error_family` for other responses. Warnings are of class
#'   `neargp_warning_deep`: few rows, a fit far better on its rows than on those held out, noise at
#'   its lower bound; and more than 5% of new rows far from the training rows. The bound is the
#'   variance of rounding to the steps between values of the response, h^2 / 12, from 1e-6 to 1e-4
#'   of the response's variance, and 1e-4 where more than 5% of the rows have the same value.
#' @references Jankowiak, M., Pleiss, G. and Gardner, J. R. (2020). Deep sigma point processes.
#'   *UAI*. arXiv:2002.09112. Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic
#'   optimization. *ICLR*. Polyak, B. T. and Juditsky, A. B. (1992). Acceleration of stochastic
#'   approximation by averaging. *SIAM Journal on Control and Optimization* 30, 838-855.
#' @seealso [dgp()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(600), x2 = runif(600))
#' d$y <- sin(8 * d$x1^2) + rnorm(600, sd = 0.05 + 0.3 * d$x2)
#' fit <- suppressWarnings(neargp(y ~ 1, d, coords = ~ x1 + x2,
#'   method = dspp(width = 2, inducing = 30, epochs = 30, batch_size = 200,
#'     restarts = 1, regularization = 0.5)))
#' fit
#' predict(fit, data.frame(x1 = 0.5, x2 = c(0.05, 0.95)), interval = "prediction")
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
