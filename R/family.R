#' Response families
#'
#' What the response is, given the linear predictor `eta` (trend, offset and Gaussian process): the
#' argument `family` of [neargp()]. The families of \pkg{stats} are used as they are; those below
#' are added. Each method says which families it can fit; [vnngp()], [loo_k()], [svgp()] and
#' [dspp()] fit all of this page.
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
#'
#' In variances: `student_t()` has `scale^2 * df / (df - 2)` for `df` above 2; `negative_binomial()`
#' has `mean + mean^2 / size`; `Gamma()` has `mean^2 / shape`; `beta_response()` has
#' `mean * (1 - mean) / (1 + precision)`. The parameters are estimated together with those of the
#' covariance, unless they are fixed here.
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
#' @return An object of class `family`, as [stats::family()] describes it: `family`, `link`,
#'   `linkfun()`, `linkinv()`, `mu.eta()`, `valideta()`, and `variance()`, the variance of the
#'   response as a function of its mean up to the dispersion (of `negative_binomial()` also of
#'   `size`). It has no deviance: it is not for [stats::glm()].
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
#' Lawless, J. F. (1987). Negative binomial and mixed Poisson regression. *Canadian Journal of
#' Statistics* 15, 209--225.
#' @examples
#' student_t(df = 4)
#' negative_binomial()$linkinv(log(3))
#' beta_response()$variance(0.5)
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
  size <- check_number(size, "size", 0, 1e10, open = TRUE, null_ok = TRUE)
  variance <- function(mu, size) mu + mu^2 / size
  if (!is.null(size)) formals(variance)$size <- size
  new_family("negative_binomial", "log", list(size = size), variance)
}

#' @rdname response_family
#' @export
beta_response <- function(precision = NULL) {
  new_family("beta", "logit",
    list(precision = check_number(precision, "precision", 0, 1e10, open = TRUE, null_ok = TRUE)),
    function(mu) mu * (1 - mu))
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

# ---- what others ask of a family -----------------------------------------------------------------

# The family as a user writes it.
family_call <- function(family) {
  name <- if (is.character(family)) family else family$family
  paste0(ifelse(name == "beta", "beta_response", name), "()")
}

# The name of the core, and of the table response_families, for a family object; NULL for a family
# or link that there is not.
family_core_name <- function(family) {
  name <- switch(family$family, binomial = paste0("binomial_", family$link), Gamma = "gamma",
    family$family)
  entry <- response_families[[name]]
  if (!is.null(entry) && entry$link == family$link) name
}

response_family <- function(family) response_families[[family_core_name(family)]]

response_link <- function(family) stats::make.link(family$link)

# The links with which there is a family of that name, none for one that is not in the table.
family_links <- function(name) {
  in_table <- switch(name, binomial = paste0("binomial_", names(binomial_log_probability)),
    Gamma = "gamma", name)
  vapply(response_families[intersect(in_table, names(response_families))],
    function(entry) entry$link, "")
}

# Parameters that are estimated or fixed by the constructor of the family: a data frame of name,
# lower, upper, fixed (NA: estimated) on the natural scale. `spread` is the standard deviation of
# the response, the unit of scales.
family_parameters <- function(family, spread = 1) {
  entry <- response_family(family)
  scaling <- if (length(entry$parameters)) spread^entry$unit else numeric(0)
  fixed <- stats::setNames(rep(NA_real_, length(entry$parameters)), entry$parameters)
  fixed[names(family$fixed)] <- family$fixed
  data.frame(name = entry$parameters, lower = as.numeric(entry$lower) * scaling,
    upper = as.numeric(entry$upper) * scaling, fixed = unname(fixed), stringsAsFactors = FALSE)
}
