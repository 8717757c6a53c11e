#' Inducing points (SVGP)
#'
#' A Gaussian process seen through its values at `inducing` points: their number, not that of the
#' rows, is what a dense matrix has. The best distribution of these values given a gaussian response
#' is known in closed form (the collapsed bound of Titsias 2009), and given another response of
#' [response_family], or classes ([categorical()]), a few steps find it, so that the fit maximises
#' one deterministic function of the covariance parameters and the points' positions together, by
#' the L-BFGS method of [stats::optim()]; where there are many rows for each point, after some
#' passes over the rows in mini-batches.
#'
#' @section When to take it: Take it in many coordinates (machine-learning inputs), where neighbours
#' say little and the field is smooth beside the spacing of some hundred points; for fits that are
#' small to keep and fast to predict from; for comparison with other software, most of which has
#' this method. Do not take it for maps: in two coordinates a field has more detail than a few
#' hundred points can hold, and [vecchia()] is faster and better there. `summary()` tells which
#' share of the field's variance the inducing points leave unexplained at the data, on average:
#' above 0.1 more of them, or `vecchia()`, predict better. With a point at each row the method is
#' [exact_gp()].
#'
#' @section Time and memory: An evaluation with its gradient takes six products of `n * M^2`
#' multiplications, M the number of inducing points; with `bound = "standard"` it takes four. The
#' tight bound's features and slopes of all rows are kept for its gradient, `16 n M` bytes, unless
#' that is more than one GiB; else rows are taken 256 at a time, and beside the data memory is that
#' of some matrices of M x M for each thread. A pass in mini-batches takes about as long as one and
#' a half evaluations. Responses of other families take three such products for each step towards
#' the posterior, of which there are two to four in an evaluation, and keep the features of all
#' rows, `8 n M` bytes, unless that is more than one GiB.
#'
#' @section The objective: It is a lower bound of the log-likelihood, the nearer the more inducing
#' points there are, with the trend profiled out. With d the variance of a row that the inducing
#' points leave unexplained and W the precision of its noise, the two bounds subtract half the sum
#' of `log(1 + W d)` (`"tight"`, Titsias 2025) or of `W d` (`"standard"`, Titsias 2009). The tight
#' one overestimates the noise less. [logLik()] is marked as a bound, and `AIC()` is an error.
#'
#' Responses of other families are pseudo-observations of the field, each with a precision W of its
#' own: in turn these are found from the posterior, and the posterior from them (natural gradients,
#' Khan and Lin 2017), until the bound rises no more. The trend is estimated with them. The tight
#' bound then lets the field between the inducing points have one share v of its variance at the
#' rows, the best being `1 / (1 + mean(W d))` (the mean over distinct locations), and the standard
#' one has v = 1; predictions are the same for both. As for [vnngp()] there is no nugget: the family
#' says how responses scatter, and its parameters are estimated. Standard errors are those of the
#' bound.
#'
#' @section Random effects and smooths: [Terms of the formula][random_effects] such as `(1 | site)`
#' and `s(depth)` are part of the model beside the field, of all responses but classes, and in full
#' where inducing points know the field in part: their variances are estimated with the rest by
#' maximising the same bound. Where mini-batches come first (`optimizer = "auto"`) these have the
#' field in what effects leave of the response that were predicted without one. Of 20,000 rows and
#' 200 points a fit with 100 groups took 1.5 times the time of one without
#' (`bench/random-effects.R`).
#'
#' @section Several outputs: `cbind(y1, y2) ~ trend` is fitted with the linear model of
#' coregionalisation of [cov_coregionalisation()]. All of its latent fields (of each structure as
#' many as its rank) have the same inducing points, which are moved together: `inducing` is the
#' number of points, and the field at them is a vector of so many numbers for each latent field. By
#' default there are 512 points, or a quarter of the rows of the data. Outputs need not be known at
#' the same places. What has to be computed of a place is computed once for all outputs there, with
#' matrices as large as the number of points times that of structures. The posterior is a matrix of
#' points times latent fields: for more than some thousands of these fewer points, or factors
#' (`rank`), are advisable, unless all outputs are known everywhere and there is one structure; then
#' the search for parameters has matrices of the number of points alone. Predictions are cokriging,
#' as with other methods, and leave-one-out predictions leave a whole place out.
#'
#' @section Classes: A factor of more than two levels, or `family = categorical()`, has a field and
#' a trend for each level. All fields have one covariance and the same inducing points; what the
#' data say of them is a distribution of its own for each. The classes' probabilities are the
#' softmax of the linear predictors, whose expectation in the bound is bounded in turn (the tilted
#' bound of Knowles and Minka 2011), so that bounds of fits with different links are not comparable.
#' Predictions integrate over the fields without that bound. Coefficients of the trend sum to zero
#' over the classes: what these have in common changes no probability.
#'
#' With `categorical("robust-max")` the class is that of the largest field, and another one by
#' mistake with probability 0.001 (Hernandez-Lobato et al. 2011). That does not depend on the scale
#' of the fields, so that the variance is held at 1. It is not log-concave, and takes some twenty
#' steps towards the posterior in an evaluation, where the softmax takes two to five; each step
#' takes some `2 n M^2` multiplications for each class. Where it has not come to rest after 100
#' steps `print()` says so. Where a class is never the likeliest its rows do not tell its trend:
#' that is an error of class `neargp_error_classes`, and softmax is what to use.
#'
#' Predictions, scores, cross-validation and plots are those of other fits to classes,
#' [predict.neargp_classifier()]. Leave-one-out probabilities leave out what a row says of the
#' fields, parameters and inducing points held. A factor of two levels is a [stats::binomial()]
#' response, which has one field and no looser bound: predictions have the probability of the second
#' level as their mean, as for numbers 0 and 1. With `family = categorical()` they have a column
#' `prob_` for each of the two, as those of [loo_k()]. Levels without a row are no classes, and for
#' levels of fewer than five rows there is a warning of class `neargp_warning_classes`.
#'
#' @param inducing number of inducing points; or starting positions, a matrix with the columns of
#'   the coordinates (time last), a data frame or sf points with them. By default 512, or a quarter
#'   of the rows (`svgp()` of counts: half of them, since intervals are too narrow with fewer). More
#'   than there are distinct locations are lowered to that number, with a message of class
#'   `neargp_message_inducing`.
#' @param move whether their positions are estimated with the covariance parameters. That matters
#'   most where they are few for the field.
#' @param bound which lower bound is maximised, see below.
#' @param select how positions are chosen at the start: `"kmeans"`, the centres of [stats::kmeans()]
#'   of the rows in units of the ranges; or `"random"` rows. Both are the same in each call, and
#'   leave R's random numbers alone.
#' @param jitter share of the field's variance that is added to the diagonal of the inducing points'
#'   covariance matrix, so that points that come near to each other do no harm.
#' @param std_error whether standard errors of covariance parameters are computed, from the
#'   curvature of the bound with the inducing points held; `NULL` for those of up to 12 parameters.
#'   They take two evaluations for each parameter.
#' @param optimizer how the bound is maximised. `"collapsed"`: by evaluations over all rows.
#'   `"natural"`: in mini-batches, the posterior by natural gradients (Hensman et al. 2013) and the
#'   rest by Adam (Kingma and Ba 2015), whose rate is cut by ten at 75% and at 90% of the steps; of
#'   responses that are not gaussian the batches have the standard bound. Either ends with the best
#'   posterior given all rows. `"adam"`: in mini-batches, all by Adam: the mean and the Cholesky
#'   factor of the whitened field at the points, too, and this posterior is what the fit keeps, as
#'   users of other software know it. It takes longer for less: choose it for comparisons, and where
#'   a family's posterior cannot be found otherwise. `"auto"`: mini-batches first where there are
#'   more than 16 rows for each point, since a pass then gains more than an evaluation, then
#'   `"collapsed"` as long as thirty evaluations gain 0.015 a row; else `"collapsed"` alone, as for
#'   a fit that is continued.
#' @param epochs passes over the rows in mini-batches; `NULL` for 20 of `"auto"` and 100 of
#'   `"natural"` and `"adam"`.
#' @param batch_size rows in a mini-batch; fewer make noisier steps, more make fewer. `"natural"`
#'   and `"adam"` draw them by R's random numbers (see [set.seed()]), `"auto"` has the same ones in
#'   each call.
#' @param learning_rate first rate of Adam, for logarithms of parameters and for positions in units
#'   of the ranges.
#' @param natural_rate share of the way that the posterior moves with each batch, up to 1. The first
#'   steps have the larger shares 1, 1/2, 1/3, ..
#' @param kl_weight weight c of the divergence from the prior in what is maximised, the expected log
#'   density of the data less c times the divergence. Of 1, the default, that is the bound. Of less
#'   the posterior trusts the data more than the model says (as if densities had the power 1/c), of
#'   more less; other software has it as beta. Predictions and standard errors are those of what is
#'   maximised; [logLik()] is the bound itself, weight 1, at the parameters and the distribution
#'   that were found.
#' @return A settings object for the argument `method` of [neargp()]. A fit by it has the data frame
#'   `inducing`, the positions in the coordinates of the data.
#' @section Errors: [neargp()] stops with `neargp_error_inducing` for positions that are missing, or
#'   not in the coordinates of the data; with `neargp_error_nugget` for `nugget = 0`, since the
#'   bound needs noise; with `neargp_error_formula` for an offset of classes, which would be the
#'   same for all of them; with `neargp_error_method` for several outputs, classes or random effects
#'   in mini-batches alone, or with a `kl_weight`. [simulate()][simulate.neargp] stops with
#'   `neargp_error_size` for more than 5,000 places at once, and with `neargp_error_family` for
#'   classes.
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
#' set.seed(1)
#' d <- data.frame(x1 = runif(400), x2 = runif(400), x3 = runif(400))
#' d$y <- sin(4 * d$x1) + d$x2^2 + rnorm(400, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3, method = svgp(inducing = 30),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))
#' summary(fit)
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5, x3 = 0.5), interval = "prediction")
#' head(fit$inducing)
#'
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
method_families.neargp_svgp <- function(method) c(latent_families(), "categorical")

#' @export
model_response.neargp_svgp <- function(method, y, family, weights, frame) {
  if (is_categorical(family)) inducing_class_response(y, weights, frame) else NextMethod()
}
