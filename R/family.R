#' Response families
#'
#' @description
#' The distribution of the response given the linear predictor `eta`, for the argument `family` of
#' [neargp()].
#'
#' ```r
#' gauges <- subset(wet_days(), lon < -110)
#' fit <- neargp(wet ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = negative_binomial())
#' fit$family_parameters
#' ```
#'
#' @details
#' | family | response | mean | parameters | weights |
#' |---|---|---|---|---|
#' | [stats::gaussian()] | numbers | `eta` | nugget | divide the variance |
#' | `student_t()` | numbers with outliers | `eta` | `scale`, `df` | divide the squared scale |
#' | [stats::binomial()] | 0/1, logical, factor, `cbind(successes, failures)`, proportions | link logit, probit or cloglog | | frequencies |
#' | [stats::poisson()] | counts | `exp(eta)` | | frequencies |
#' | `negative_binomial()` | overdispersed counts | `exp(eta)` | `size` | frequencies |
#' | `nbinom1()` | overdispersed counts | `exp(eta)` | `dispersion` | frequencies |
#' | [`Gamma(link = "log")`][stats::Gamma] | positive numbers | `exp(eta)` | `shape` | multiply the shape |
#' | `gengamma()` | positive numbers | `exp(eta)` | `shape`, `power` | frequencies |
#' | `lognormal()` | positive numbers, whose logarithm is Gaussian | `exp(eta + variance / 2)` | nugget | divide the variance |
#' | `beta_response()` | between 0 and 1 | `plogis(eta)` | `precision` | multiply the precision |
#' | `truncated_poisson()` | counts of at least 1 | `m / (1 - exp(-m))`, `m = exp(eta)` | | frequencies |
#' | `truncated_nbinom2()` | overdispersed counts of at least 1 | `m / (1 - (size / (size + m))^size)` | `size` | frequencies |
#' | `tweedie()` | amounts of at least 0, with exact zeros | `exp(eta)` | `dispersion`, `power` | divide the dispersion |
#' | `zi_poisson()` | counts with more zeros | `(1 - zi) exp(eta)` | `zi` | frequencies |
#' | `zi_nbinom2()` | overdispersed counts with more zeros | `(1 - zi) exp(eta)` | `size`, `zi` | frequencies |
#' | `ordinal()` | ordered factors of three levels or more | expected number of the category | gaps between thresholds | frequencies |
#' | `censored_gaussian()` | [cens()] or `survival::Surv()` | `eta` | `sd` | divide the variance |
#' | `quantile_regression()` | numbers, of which a quantile is modelled | see [quantile_regression()] | `scale` | frequencies |
#' | `betabinomial()` | overdispersed `cbind(successes, failures)` | `trials * plogis(eta)` | `precision` | frequencies |
#'
#' Use [categorical()] for unordered factors, and [multinomial()] for counts of several categories.
#' Every method but [vecchia()], [exact_gp()] and [mll_k()] fits all of these families; these three
#' are for Gaussian responses. See [quantile_regression()] for its methods. The parameters are
#' estimated with the covariance unless you fix them by these arguments, or like the shape of
#' `Gamma()` by [fixed_parameters]. A formula makes them depend on covariates, for example
#' `zi_poisson(zi = ~ depth)`, see [family_formula()]. `fit$family_parameters` contains them. For
#' [ppgpr()], `coef()` returns the first stage and `fit$family_parameters` the second, by which it
#' predicts.
#'
#' The variance of `student_t()` is `scale^2 * df / (df - 2)`, of `negative_binomial()` `mean +
#' mean^2 / size`, of `nbinom1()` `(1 + dispersion) * mean`, and of `Gamma()` `mean^2 /
#' shape`. `beta_response()` uses `mean * (1 - mean) / (1 + precision)`, and
#' `tweedie()` `dispersion * mean^power`. `betabinomial()` uses `trials * p * (1 - p) * (trials +
#' precision) / (1 + precision)` with `p = plogis(eta)`.
#'
#' The second level of a factor counts as success. Proportions need the numbers of trials as
#' `weights`. You should put an exposure into the offset, for example `offset(log(effort))`. An
#' observation with the frequency weight 2 counts twice. Predictions use weight 1.
#'
#' @section Notes on single families:
#' * `tweedie()` is a Poisson number of gamma variables, for example the biomass of a haul. Near
#'   power 1, the likelihood of rounded amounts is unbounded.
#' * `gengamma()`: `(y / scale)^power` is gamma of this shape. Power 1 is `Gamma()`, shape 1 is the
#'   Weibull distribution, and a large shape is nearly log-normal. The two parameters need hundreds
#'   of observations.
#' * `lognormal()` is another name of a Gaussian response with `transform = "log"`.
#' * `zi_poisson()` and `zi_nbinom2()` return 0 with the same probability `zi` everywhere, and else
#'   a count. If zeros vary in space, you should use `negative_binomial()` or [neargp_hurdle()].
#' * `ordinal()` uses P(Y <= k) = F(t_k - eta) with t_1 = 0 and the gaps `gap_2` = t_2 - t_1 and so
#'   on. Means and draws use the category numbers, and `predict()` adds a column `prob_<level>` for
#'   each.
#' * `censored_gaussian()` is for detection limits, and predicts without limits. Log score, PIT and
#'   CRPS use the limits. For log-normal data, you can give logarithms of measurements and limits.
#' * `nbinom2()` is another name of `negative_binomial()`.
#' * The `zi` families, `betabinomial()` and `student_t()` can show several posterior modes.
#'
#' @section Separation:
#' If the trend separates the responses, for example if all counts of a level are 0, a coefficient
#' is infinite. The fit names such coefficients and reports that it did not converge. You can use
#' its predictions, but not the standard errors. A random effect `(1 | level)` remains finite.
#'
#' @param df the degrees of freedom, a number of at least 1. Default `NULL`: estimated, which needs
#'   hundreds of observations. 4 is common.
#' @param scale the scale of the distribution, a positive number in units of the response. Default
#'   `NULL`: estimated.
#' @param size the count at which the variance is twice the mean, a positive number. Default `NULL`:
#'   estimated.
#' @param precision the sum of the two shape parameters of the Beta distribution, a positive number.
#'   Default `NULL`: estimated.
#' @param link `"logit"` (default) or `"probit"`.
#' @param sd the standard deviation of the noise, a positive number in units of the response.
#'   At least 1e-4 of the standard deviation of the response. Default `NULL`: estimated.
#' @param power for `tweedie()`, the exponent of the mean in the variance, from 1.01 to 1.99.
#'   Default `NULL`: estimated between 1.05 and 1.95. For `gengamma()`, see the notes.
#' @param shape the shape of the gamma variable, a positive number. Default `NULL`: estimated.
#' @param dispersion the factor of the variance, a positive number; for `nbinom1()`, the variance
#'   divided by the mean, less 1. Default `NULL`: estimated.
#' @param zi the probability of an excess zero. Default `NULL`: estimated.
#' @return An object of class `family`, see [stats::family()], for [neargp()] and not for
#'   [stats::glm()], since it contains no deviance.
#' @seealso [scores()] to compare families, the article "Presence, counts and abundance".
#' @references Lange, K. L., Little, R. J. A. and Taylor, J. M. G. (1989). Robust statistical
#'   modeling using the t distribution. *Journal of the American Statistical Association* 84,
#'   881--896. Ferrari, S. and Cribari-Neto, F. (2004). Beta regression for modelling rates and
#'   proportions. *Journal of Applied Statistics* 31, 799--815. Dunn, P. K. and Smyth, G. K. (2005).
#'   Series evaluation of Tweedie exponential dispersion model densities. *Statistics and Computing*
#'   15, 267--280. Lambert, D. (1992). Zero-inflated Poisson regression, with an application to
#'   defects in manufacturing. *Technometrics* 34, 1--14. McCullagh, P. (1980). Regression models
#'   for ordinal data. *Journal of the Royal Statistical Society, Series B* 42, 109--142. Tobin, J.
#'   (1958). Estimation of relationships for limited dependent variables. *Econometrica* 26, 24--36.
#'   Stacy, E. W. (1962). A generalization of the gamma distribution. *Annals of Mathematical
#'   Statistics* 33, 1187--1192. Lawless, J. F. (1987). Negative binomial and mixed Poisson
#'   regression. *Canadian Journal of Statistics* 15, 209--225.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Which family describes the counts best? Compare leave-one-out scores
#' gauges <- subset(wet_days(), lon < -110)
#' fit_by <- function(family) {
#'   neargp(wet ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = family)
#' }
#' fits <- list(poisson = fit_by(poisson()), negative_binomial = fit_by(negative_binomial()))
#' do.call(rbind, lapply(fits, scores))
#' fits$negative_binomial$family_parameters
#'
#' # Presence or absence
#' gauges$any <- gauges$wet > 3
#' presence <- neargp(any ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = binomial())
#' predict(presence, data.frame(lon = c(-122, -112), lat = 40))
#'
#' # Amounts with exact zeros: the biomass of hauls
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' mean <- exp(1 + sin(5 * d$x))
#' d$catch <- rgamma(150, shape = 0.8 * rpois(150, mean), rate = 1)
#' biomass <- neargp(catch ~ 1, d, coords = ~ x + y, family = tweedie())
#' biomass$family_parameters
#' predict(biomass, d[1:3, ], interval = "prediction", threshold = 5)
#'
#' # Outliers: heavy tails in place of a large nugget
#' d$z <- sin(5 * d$x) + rt(150, df = 2) / 5
#' robust <- neargp(z ~ 1, d, coords = ~ x + y, family = student_t(df = 4))
#' gauss <- neargp(z ~ 1, d, coords = ~ x + y)
#' rbind(student_t = scores(robust)$log_score, gaussian = scores(gauss)$log_score)
#'
#' # Ordered categories, and their probabilities
#' d$quality <- cut(sin(5 * d$x) + rnorm(150, sd = 0.5), c(-Inf, -0.5, 0.5, Inf),
#'   labels = c("poor", "fair", "good"), ordered_result = TRUE)
#' quality <- neargp(quality ~ 1, d, coords = ~ x + y, family = ordinal())
#' predict(quality, data.frame(x = c(0.2, 0.9), y = 0.5))
#' @name response_family
NULL

#' @rdname response_family
#' @export
student_t <- function(df = NULL, scale = NULL) {
  new_family("student_t", "identity", list(df = check_number(df, "df", 1, 1e6, null_ok = TRUE),
    scale = check_parameter(scale, "scale", 0, 1e70, open = TRUE)),
    function(mu) rep.int(1, length(mu)))
}

#' @rdname response_family
#' @export
negative_binomial <- function(size = NULL) {
  new_family("negative_binomial", "log", list(size = check_count_size(size)),
    nbinom2_variance(size))
}

#' @rdname response_family
#' @export
nbinom2 <- function(size = NULL) negative_binomial(size)

#' @rdname response_family
#' @export
nbinom1 <- function(dispersion = NULL) {
  variance <- function(mu, dispersion) (1 + dispersion) * mu
  if (is.numeric(dispersion)) formals(variance)$dispersion <- dispersion
  new_family("nbinom1", "log", list(dispersion = check_dispersion(dispersion)), variance)
}

#' @rdname response_family
#' @export
gengamma <- function(shape = NULL, power = NULL) {
  new_family("gengamma", "log",
    list(shape = check_parameter(shape, "shape", 1e-3, 1e6),
      power = check_number(power, "power", 1e-3, 1e3, null_ok = TRUE)), function(mu) mu^2)
}

#' @rdname response_family
#' @export
lognormal <- function() structure(list(family = "lognormal", link = "log"),
  class = c("neargp_lognormal", "family"))

#' @rdname response_family
#' @export
truncated_poisson <- function() {
  new_family("truncated_poisson", "log", list(), function(mu) mu)
}

#' @rdname response_family
#' @export
truncated_nbinom2 <- function(size = NULL) {
  new_family("truncated_nbinom2", "log", list(size = check_count_size(size)),
    nbinom2_variance(size))
}

#' @rdname response_family
#' @export
tweedie <- function(power = NULL, dispersion = NULL) {
  fixed <- list(dispersion = check_dispersion(dispersion),
    power = check_number(power, "power", 1.01, 1.99, null_ok = TRUE))
  variance <- function(mu, power) mu^power
  if (!is.null(power)) formals(variance)$power <- power
  new_family("tweedie", "log", fixed, variance)
}

#' @rdname response_family
#' @export
zi_poisson <- function(zi = NULL) {
  new_family("zi_poisson", "log", list(zi = check_zero_inflation(zi)), function(mu) mu)
}

#' @rdname response_family
#' @export
zi_nbinom2 <- function(size = NULL, zi = NULL) {
  new_family("zi_nbinom2", "log", list(size = check_count_size(size),
    zi = check_zero_inflation(zi)), nbinom2_variance(size))
}

#' @rdname response_family
#' @export
betabinomial <- function(precision = NULL) {
  new_family("betabinomial", "logit",
    list(precision = check_precision_parameter(precision)),
    function(mu) mu * (1 - mu))
}

#' @rdname response_family
#' @export
ordinal <- function(link = c("logit", "probit")) {
  new_family("ordinal", check_choice(link, "link", c("logit", "probit")), list(),
    function(mu) rep.int(1, length(mu)))
}

#' @rdname response_family
#' @export
censored_gaussian <- function(sd = NULL) {
  new_family("censored_gaussian", "identity",
    list(sd = check_parameter(sd, "sd", 0, 1e150, open = TRUE)),
    function(mu) rep.int(1, length(mu)))
}

#' @rdname response_family
#' @export
beta_response <- function(precision = NULL) {
  new_family("beta", "logit",
    list(precision = check_precision_parameter(precision)),
    function(mu) mu * (1 - mu))
}

# A parameter that is a number, a formula, or NULL.
check_parameter <- function(value, name, ...) {
  if (rlang::is_formula(value)) check_row_formula(value, name) else
    check_number(value, name, ..., null_ok = TRUE)
}

check_count_size <- function(size) check_parameter(size, "size", 0, 1e10, open = TRUE)

check_dispersion <- function(dispersion) {
  check_parameter(dispersion, "dispersion", 0, 1e10, open = TRUE)
}

check_zero_inflation <- function(zi) check_parameter(zi, "zi", 1e-9, 1 - 1e-9)

check_precision_parameter <- function(precision) {
  check_parameter(precision, "precision", 0, 1e10, open = TRUE)
}

# The variance of counts whose `size` may be known.
nbinom2_variance <- function(size) {
  variance <- function(mu, size) mu + mu^2 / size
  if (is.numeric(size)) formals(variance)$size <- size
  variance
}

# `parameters`: a named list of known numbers, of formulas, and NULL for those to be estimated.
new_family <- function(name, link, parameters, variance) {
  functions <- stats::make.link(link)
  formulas <- Filter(rlang::is_formula, parameters)
  structure(c(list(family = name, link = link),
    functions[c("linkfun", "linkinv", "mu.eta", "valideta")],
    list(variance = variance, fixed = unlist(Filter(is.numeric, parameters))),
    if (length(formulas)) list(formulas = formulas)), class = c("neargp_family", "family"))
}

#' @export
print.neargp_family <- function(x, ...) {
  NextMethod()
  if (length(x$fixed)) {
    cat("Fixed:", paste(names(x$fixed), "=", format(x$fixed), collapse = ", "), "\n\n")
  }
  if (length(x$formulas)) cat("Formulas:", formulas_in_words(x$formulas), "\n\n")
  invisible(x)
}

# A family as glm() takes it: object, function or name.
as_family <- function(family) {
  maker <- if (is.function(family)) family else if (rlang::is_string(family) && nzchar(family))
    get0(family, mode = "function")
  if (!is.null(maker)) family <- tryCatch(maker(), error = function(e) family)
  is_name <- function(x) rlang::is_string(x) && !is.na(x)
  if (!inherits(family, "family") || !is.list(family) || !is_name(family[["family"]]) ||
      !is_name(family[["link"]])) {
    abort_argument("family",
      "a family: gaussian(), binomial(), poisson(), Gamma(), categorical() or one of ?response_family",
      family)
  }
  family
}
