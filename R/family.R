#' Response families
#'
#' What the response is, given the linear predictor `eta` (trend, offset and Gaussian process): the
#' argument `family` of [neargp()]. The families of \pkg{stats} are used as they are; those below
#' are added. Every method but [vecchia()], [exact_gp()] and [mll_k()], which are for gaussian
#' responses, fits all of this page.
#'
#' | family | response | mean | parameters | weights |
#' |---|---|---|---|---|
#' | [stats::gaussian()] | numbers | `eta` | nugget | divide the variance |
#' | `student_t()` | numbers with outliers | `eta` | `scale`, `df` | divide the squared scale |
#' | [stats::binomial()] | 0/1, logical, factor, `cbind(successes, failures)`, proportions | link logit, probit or cloglog | | frequencies |
#' | [stats::poisson()] | counts | `exp(eta)` | | frequencies |
#' | `negative_binomial()` | overdispersed counts | `exp(eta)` | `size` | frequencies |
#' | [`Gamma(link = "log")`][stats::Gamma] | positive numbers | `exp(eta)` | `shape` | multiply the shape |
#' | `beta_response()` | between 0 and 1 | `plogis(eta)` | `precision` | multiply the precision |
#' | `truncated_poisson()` | counts of at least 1 | `m / (1 - exp(-m))`, `m = exp(eta)` | | frequencies |
#' | `truncated_nbinom2()` | overdispersed counts of at least 1 | `m / (1 - (size / (size + m))^size)` | `size` | frequencies |
#' | `tweedie()` | amounts of at least 0, with exact zeros | `exp(eta)` | `dispersion`, `power` | divide the dispersion |
#' | `zi_poisson()` | counts with more zeros | `(1 - zi) exp(eta)` | `zi` | frequencies |
#' | `zi_nbinom2()` | overdispersed counts with more zeros | `(1 - zi) exp(eta)` | `size`, `zi` | frequencies |
#' | `ordinal()` | ordered factors of three levels or more | expected number of the category | gaps between thresholds | frequencies |
#' | `censored_gaussian()` | [cens()] or `survival::Surv()` | `eta` | `sd` | divide the variance |
#' | `betabinomial()` | overdispersed `cbind(successes, failures)` | `trials * plogis(eta)` | `precision` | frequencies |
#'
#' In variances: `student_t()` has `scale^2 * df / (df - 2)` for `df` above 2; `negative_binomial()`
#' has `mean + mean^2 / size`; `Gamma()` has `mean^2 / shape`; `beta_response()` has
#' `mean * (1 - mean) / (1 + precision)`; `tweedie()` has `dispersion * mean^power`;
#' `betabinomial()` has `trials * p * (1 - p) * (trials + precision) / (1 + precision)` with `p =
#' plogis(eta)`. The parameters are estimated together with those of the covariance, unless they are
#' fixed here, and are in `fit$family_parameters` and `coef(fit, what = "covariance")` under their
#' names above. For [ppgpr()] `coef()` returns those of its first stage and `fit$family_parameters`
#' those of the second, by which it predicts.
#'
#' Truncated counts are Poisson or negative binomial counts given that they are not 0, as where only
#' occupied places are recorded. `tweedie()`, of a power between 1 and 2, is a Poisson number of
#' gamma variables: biomass of a haul, rain of a day. In `zi_poisson()` and `zi_nbinom2()` a
#' response is 0 with the probability `zi`, the same everywhere, and else a count, which may be 0,
#' too; zeros that vary with place as the counts do are what `negative_binomial()` and the field are
#' for, and where there are no more zeros than these explain, the estimate of `zi` is next to its
#' lower bound, 1e-6. `betabinomial()` has trials of which those of one row are alike, with a
#' probability that is a Beta variable. The two families with `zi`, and `betabinomial()`, are not
#' log-concave: like `student_t()` they may have several posterior modes. In `ordinal()`, P(Y <= k)
#' = F(t_k - eta), F the logistic or the normal distribution function: the larger `eta`, the higher
#' the category. The trend keeps its constant, so that t_1 = 0; the parameters are `gap_2` = t_2 -
#' t_1, `gap_3` = t_3 - t_2, ... (In `MASS::polr()`, which has no constant, thresholds are those
#' minus the constant.) In numbers categories are 1, 2, ...: those are what `mean`, quantiles,
#' `threshold` and [simulate()][simulate.neargp] are of, and `predict()` has a column `prob_<level>`
#' of each besides. `censored_gaussian()` is for measurements of which some are known between limits
#' only, as below a detection limit; predictions are of measurements without limits, and log score,
#' PIT and CRPS of a censored observation are those of what is known of it. (Bias, errors, interval
#' score and coverage in [scores()] take its limit for the observation.) For a log-normal
#' response give the logarithms of measurements and limits, of which predictions then are.
#' `nbinom2()` is another name of `negative_binomial()`.
#'
#' Of a factor the second level is the success, as in [stats::glm()]. Proportions need the numbers
#' of trials as `weights`. Weights mean what they do there: where a family has a dispersion they
#' divide it, so that a response that is the mean of `w` measurements has the weight `w`; elsewhere
#' they multiply the log density, and a row of weight 2 counts twice. Such weights are of the
#' training rows, in fits, residuals, cross-validation and simulations of these rows; predictions of
#' new observations are of weight 1. Exposure goes into the offset, `offset(log(exposure))`.
#'
#' @param df degrees of freedom, at least 1. `NULL` estimates them, which needs hundreds of
#'   observations to be informative; 4 is a common choice.
#' @param size number of counts at which the variance is twice the mean; `NULL` estimates it. The
#'   larger, the nearer to [stats::poisson()].
#' @param precision sum of the two shape parameters of the Beta distribution; `NULL` estimates it.
#' @param link `"logit"` or `"probit"`.
#' @param sd standard deviation of the noise; `NULL` estimates it.
#' @param power exponent of the mean in the variance, from 1.01 to 1.99; `NULL` estimates it between
#'   1.05 and 1.95. (Towards 1 the likelihood of rounded amounts has no upper bound.)
#' @param dispersion factor of the variance; `NULL` estimates it.
#' @param zi probability of a zero that is no count; `NULL` estimates it.
#' @return An object of class `family`, as [stats::family()] describes it: `family`, `link`,
#'   `linkfun()`, `linkinv()`, `mu.eta()`, `valideta()`, and `variance()`, the variance of the
#'   response as a function of its mean up to the dispersion (of `negative_binomial()` also of
#'   `size`). It has no deviance: it is not for [stats::glm()].
#' @section Separation: A trend may separate the responses, as where all counts of a level are 0 or
#' no class 1 is above some height: the likelihood then only levels off along some coefficients,
#' which have no finite estimate. Such a fit says that it has not converged, and names them.
#' Predictions, draws and scores hold them where the search has ended, as those of [stats::glm()] do
#' (nearly 0 for such a level); their standard errors and tests say nothing. Coefficients count as
#' such beyond a variance of 4, and twice the field's, of their part in the linear predictor. A
#' random effect, `(1 | level)`, has a finite estimate, and an interval.
#' @section Errors: `neargp_error_argument` for a parameter outside its range. [neargp()] stops with
#'   `neargp_error_family` for a family or link that the method cannot fit, with
#'   `neargp_error_response` for responses outside the support of the family, naming the rows, and
#'   with `neargp_error_constant_response` for responses that leave nothing to estimate.
#' @seealso `vignette("counts-and-presence", package = "neargp")` on how to choose and to check a
#'   family.
#' @references
#' Lange, K. L., Little, R. J. A. and Taylor, J. M. G. (1989). Robust statistical modeling using the
#' t distribution. *Journal of the American Statistical Association* 84, 881--896.
#'
#' Ferrari, S. and Cribari-Neto, F. (2004). Beta regression for modelling rates and proportions.
#' *Journal of Applied Statistics* 31, 799--815 (mean and precision as here).
#'
#' Dunn, P. K. and Smyth, G. K. (2005). Series evaluation of Tweedie exponential dispersion model
#' densities. *Statistics and Computing* 15, 267--280.
#'
#' Lambert, D. (1992). Zero-inflated Poisson regression, with an application to defects in
#' manufacturing. *Technometrics* 34, 1--14.
#'
#' McCullagh, P. (1980). Regression models for ordinal data. *Journal of the Royal Statistical
#' Society, Series B* 42, 109--142.
#'
#' Tobin, J. (1958). Estimation of relationships for limited dependent variables. *Econometrica* 26,
#' 24--36.
#'
#' Lawless, J. F. (1987). Negative binomial and mixed Poisson regression. *Canadian Journal of
#' Statistics* 15, 209--225.
#' @examples
#' student_t(df = 4)
#' negative_binomial()$linkinv(log(3))
#' beta_response()$variance(0.5)
#'
#' # Amounts with exact zeros
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' mean <- exp(1 + sin(5 * d$x))
#' d$catch <- rgamma(150, shape = 0.8 * rpois(150, mean), rate = 1)
#' fit <- neargp(catch ~ 1, d, coords = ~ x + y, family = tweedie())
#' fit$family_parameters
#' predict(fit, d[1:3, ], interval = "prediction", threshold = 5)
#' @name response_family
NULL

#' @rdname response_family
#' @export
student_t <- function(df = NULL) {
  new_family("student_t", "identity", list(df = check_number(df, "df", 1, 1e6, null_ok = TRUE)),
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
  fixed <- list(dispersion = check_number(dispersion, "dispersion", 0, 1e10, open = TRUE,
    null_ok = TRUE), power = check_number(power, "power", 1.01, 1.99, null_ok = TRUE))
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
    list(precision = check_number(precision, "precision", 0, 1e10, open = TRUE, null_ok = TRUE)),
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
    list(sd = check_number(sd, "sd", 0, 1e150, open = TRUE, null_ok = TRUE)),
    function(mu) rep.int(1, length(mu)))
}

#' @rdname response_family
#' @export
beta_response <- function(precision = NULL) {
  new_family("beta", "logit",
    list(precision = check_number(precision, "precision", 0, 1e10, open = TRUE, null_ok = TRUE)),
    function(mu) mu * (1 - mu))
}

check_count_size <- function(size) check_number(size, "size", 0, 1e10, open = TRUE, null_ok = TRUE)

check_zero_inflation <- function(zi) {
  check_number(zi, "zi", 1e-9, 1 - 1e-9, null_ok = TRUE)
}

# The variance of counts whose `size` may be known.
nbinom2_variance <- function(size) {
  variance <- function(mu, size) mu + mu^2 / size
  if (!is.null(size)) formals(variance)$size <- size
  variance
}

# `fixed`: named list of parameters, NULL for those to be estimated.
new_family <- function(name, link, fixed, variance) {
  functions <- stats::make.link(link)
  structure(c(list(family = name, link = link),
    functions[c("linkfun", "linkinv", "mu.eta", "valideta")],
    list(variance = variance, fixed = unlist(fixed))), class = c("neargp_family", "family"))
}

#' @export
print.neargp_family <- function(x, ...) {
  NextMethod()
  if (length(x$fixed)) {
    cat("Fixed:", paste(names(x$fixed), "=", format(x$fixed), collapse = ", "), "\n\n")
  }
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
