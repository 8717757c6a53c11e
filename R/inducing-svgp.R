#' Inducing points (SVGP)
#'
#' @description
#' Approximates a Gaussian process by its values at inducing points, for many predictors and any
#' response.
#'
#' ```r
#' air <- subset(airquality, !is.na(Ozone) & !is.na(Solar.R))
#' fit <- neargp(log(Ozone) ~ 1, air, coords = ~ Solar.R + Wind + Temp,
#'   method = svgp(inducing = 30), covariance = cov_matern(nu = 2.5, ard = TRUE))
#' predict(fit, air[1:3, ], interval = "prediction")
#' ```
#'
#' @details
#' Use `svgp()` with many predictors (features), for smooth functions, for fits that are small to
#' store and fast to predict from, and for comparisons with other software. For maps in two
#' coordinates, [vecchia()] and [vnngp()] are faster and better. `summary()` reports the share of
#' the variance that the inducing points leave unexplained. Above 0.1, use more points or another
#' method. With one point per observation, `svgp()` is [exact_gp()].
#'
#' The fit maximises the evidence lower bound (ELBO), which is not a likelihood, so `AIC()` is an
#' error. The default `"tight"` ELBO (Titsias 2025) overestimates the noise less than the
#' `"standard"` one of 2009. For other families, natural gradients turn each response into a
#' pseudo-observation (Khan and Lin 2017), and the family's parameters replace the nugget. The ELBO
#' is equation 17 of `vignette("model-and-methods")`, or 12 for other families.
#'
#' An evaluation takes about `6 n M^2` multiplications for M points, and other families take several
#' times as many. Memory is at most `16 n M` bytes, and about one GiB.
#'
#' @param inducing the number of inducing points, an integer, or starting positions as a matrix
#'   (time last), data frame or sf points. Default `NULL`: 512, or a quarter of the observations
#'   (half for other families).
#' @param move `TRUE` (default) estimates the positions with the covariance parameters. `FALSE`
#'   fixes the inducing points and is much faster.
#' @param bound `"tight"` (default) or `"standard"`, see Details.
#' @param select the starting positions: `"kmeans"` (default), centres of [stats::kmeans()] in units
#'   of the ranges, or `"random"` observations. Both are reproducible without a seed.
#' @param jitter the share of the variance added to the diagonal at the inducing points, a number
#'   above 0 and below 0.01. Default: 1e-6.
#' @param std_error `TRUE` or `FALSE`: compute standard errors of the covariance parameters, given
#'   the inducing points? Default `NULL`: `TRUE` for up to 12 parameters, at two evaluations each.
#' @param optimizer see the table below. Default: `"auto"`.
#' @param epochs the number of passes in mini-batches, a positive integer. Default `NULL`: 20 for
#'   `"auto"`, else 100.
#' @param batch_size the number of rows in a mini-batch, a positive integer. Smaller batches mean
#'   noisier steps. Default: 1024.
#' @param learning_rate the first rate of Adam, for logarithms of parameters and for positions in
#'   units of the ranges. Default: 0.01.
#' @param natural_rate the share of a natural-gradient step, a number up to 1. The first steps use
#'   1, 1/2, 1/3, ... where these are larger. Default: 0.1.
#' @param kl_weight the weight of the Kullback–Leibler divergence (beta), a positive number. Below 1
#'   the posterior trusts the data more. `logLik()` still returns the ELBO. Default: 1, the ELBO.
#' @section Optimisers:
#' | `optimizer` | what it does |
#' |---|---|
#' | `"collapsed"` | L-BFGS over all observations; deterministic |
#' | `"natural"` | mini-batches: natural gradients (Hensman et al. 2013), and Adam for the parameters |
#' | `"adam"` | mini-batches by Adam alone, whose posterior the fit keeps, as in other software; slower |
#' | `"auto"` | mini-batches first with more than 16 observations per point, then `"collapsed"` while thirty evaluations gain 0.005 per observation |
#'
#' Adam's rate is divided by ten at 75% and at 90% of the steps. `"natural"` and `"adam"` use R's
#' random numbers. All but `"adam"` end with the best posterior given all observations.
#' @section Random effects, several responses:
#' [Random effects and smooths][random_effects] enter the covariance in full, for all responses but
#' categories. For `cbind(y1, y2) ~ trend`, all latent processes of [cov_coregionalisation()] share
#' the inducing points. You should keep points times processes below a few thousand. Leave-one-out
#' predictions leave out a whole location.
#' @section Categories:
#' A factor with more than two levels, or `family = categorical()`, uses a process and a trend for
#' each level, with one covariance and shared inducing points. A softmax yields the probabilities
#' (tilted bound, Knowles and Minka 2011). Coefficients sum to zero over the categories.
#' `categorical("robust-max")` needs more steps, and stops if a category is never the likeliest. You
#' should use the softmax then. See [categorical()] and [predict.neargp_classifier()].
#' @return A settings object for the argument `method` of [neargp()]. The fit contains the data
#'   frame `inducing` with the positions.
#' @seealso [odvgp()], [ppgpr()] for calibrated intervals, [loo_k()], [mlp()] for deep kernels,
#'   [row_source()] for data that exceed the memory.
#' @references Titsias, M. K. (2009). Variational learning of inducing variables in sparse Gaussian
#'   processes. *AISTATS*, equation (9). Hensman, J., Fusi, N. and Lawrence, N. D. (2013). Gaussian
#'   processes for big data. *UAI*. Álvarez, M. A. and Lawrence, N. D. (2011). Computationally
#'   efficient convolved multiple output Gaussian processes. *JMLR* 12, 1459–1500. Titsias, M. K.
#'   (2025). New bounds for sparse variational Gaussian processes. *ICML*. Khan, M. E. and Lin, W.
#'   (2017). Conjugate-computation variational inference. *AISTATS*. Kingma, D. P. and Ba, J.
#'   (2015). Adam: a method for stochastic optimization. *ICLR*. Knowles, D. A. and Minka, T. P.
#'   (2011). Non-conjugate variational message passing for multinomial and binary regression.
#'   *NIPS*. Hernandez-Lobato, D., Hernandez-Lobato, J. M. and Dupont, P. (2011). Robust multi-class
#'   Gaussian process classification. *NIPS*.
#' @examples
#' # Ozone by three predictors: lengthscales (ranges) for each of them
#' air <- subset(airquality, !is.na(Ozone) & !is.na(Solar.R))
#' fit <- neargp(log(Ozone) ~ 1, air, coords = ~ Solar.R + Wind + Temp,
#'   method = svgp(inducing = 30), covariance = cov_matern(nu = 2.5, ard = TRUE))
#' summary(fit)
#' predict(fit, data.frame(Solar.R = 200, Wind = c(5, 15), Temp = 80), interval = "prediction")
#' head(fit$inducing, 3)
#' scores(fit)
#'
#' # How many inducing points? Compare the bounds
#' points <- c(10, 30, 60)
#' sapply(setNames(points, points), function(inducing) {
#'   logLik(update(fit, method = svgp(inducing = inducing, move = FALSE)))
#' })
#'
#' # Counts with two predictors
#' set.seed(1)
#' d <- data.frame(dose = runif(300), age = runif(300))
#' d$count <- rpois(300, exp(1 + sin(5 * d$dose) + d$age))
#' fit <- neargp(count ~ 1, d, coords = ~ dose + age, family = poisson(),
#'   method = svgp(inducing = 20, move = FALSE))
#' predict(fit, data.frame(dose = c(0.3, 0.9), age = 0.5), interval = "prediction")
#'
#' # Categories: probabilities of three species
#' flowers <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width,
#'   method = svgp(inducing = 20), family = categorical())
#' predict(flowers, iris[c(1, 60, 120), ])
#' @export
svgp <- function(inducing = NULL, move = TRUE, bound = c("tight", "standard"),
                 select = c("kmeans", "random"), jitter = 1e-6, std_error = NULL,
                 optimizer = c("auto", "collapsed", "natural", "adam"), epochs = NULL,
                 batch_size = 1024L, learning_rate = 0.01, natural_rate = 0.1, kl_weight = 1) {
  new_method("svgp", "inducing points (SVGP)", inducing = check_start_positions(inducing),
    move = check_flag(move, "move"), bound = check_choice(bound, "bound", c("tight", "standard")),
    select = check_choice(select, "select", c("kmeans", "random")),
    jitter = check_number(jitter, "jitter", 0, 1e-2, open = TRUE),
    std_error = if (!is.null(std_error)) check_flag(std_error, "std_error"),
    optimizer = check_choice(optimizer, "optimizer", c("auto", "collapsed", "natural", "adam")),
    epochs = if (!is.null(epochs)) check_count(epochs, "epochs"),
    batch_size = check_count(batch_size, "batch_size"),
    learning_rate = check_number(learning_rate, "learning_rate", 0, 1, open = TRUE),
    natural_rate = check_number(natural_rate, "natural_rate", 0, 1, open = TRUE),
    kl_weight = check_number(kl_weight, "kl_weight", 0, open = TRUE))
}

is_svgp <- function(method) inherits(method, "neargp_svgp")

#' @export
print.neargp_svgp <- function(x, ...) {
  x$inducing <- describe_inducing(x$inducing, "512, or a quarter of the rows (half for counts)")
  x$std_error <- x$std_error %||% "of up to 12 parameters"
  x$epochs <- x$epochs %||% if (x$optimizer == "auto")
    "20, where there are more than 16 rows for each point" else "100"
  NextMethod()
}

#' @export
method_families.neargp_svgp <- function(method) {
  c(latent_families(kinks = TRUE), "categorical")
}

#' @export
model_response.neargp_svgp <- function(method, y, family, weights, frame) {
  if (is_categorical(family)) inducing_class_response(y, weights, frame) else NextMethod()
}
