# The log-likelihood of a fit and the criteria made of it, which fits to another objective refuse.

#' @rdname coef.neargp
#' @export
logLik.neargp <- function(object, REML = is_restricted(object$method), ...) {
  check_fit(object)
  check_no_more_arguments()
  restricted <- check_flag(REML, "REML")
  if (restricted && !is_likelihood(object)) {
    abort_not_likelihood("logLik(REML = TRUE)", object$score, is_gaussian(object$family),
      compared = FALSE)
  }
  trend <- length(object$beta)
  structure(log_likelihood_of(object, restricted),
    df = trend + count_covariance_parameters(object) + count_powers(object$family),
    nobs = stats::nobs(object) - if (restricted) trend else 0L,
    score = if (!is_likelihood(object)) object$score,
    gaussian = if (!is_likelihood(object)) is_gaussian(object$family),
    std_error = object$convergence$value_error,
    class = c(if (!is_likelihood(object)) "neargp_score", "logLik"))
}

#' @export
print.neargp_score <- function(x, digits = getOption("digits"), ...) {
  cat("'", attr(x, "score"), "' ", format(c(x), digits = digits), " (df=", attr(x, "df"),
    "); not a likelihood\n", sep = "")
  invisible(x)
}

#' @export
AIC.neargp_score <- function(object, ..., k = 2) {
  abort_not_likelihood("AIC", attr(object, "score"), attr(object, "gaussian"))
}

#' @export
BIC.neargp_score <- function(object, ...) {
  abort_not_likelihood("BIC", attr(object, "score"), attr(object, "gaussian"))
}

#' @export
AIC.neargp <- function(object, ..., k = 2) {
  check_fit(object)
  check_number(k, "k")
  check_likelihoods("AIC", object, ...)
  check_same_trends("AIC", list(object, ...))
  warn_unless_comparable("AIC", list(object, ...))
  NextMethod()
}

#' @export
BIC.neargp <- function(object, ...) {
  check_fit(object)
  check_likelihoods("BIC", object, ...)
  check_same_trends("BIC", list(object, ...))
  warn_unless_comparable("BIC", list(object, ...))
  NextMethod()
}

# Warns of several fits that are not comparable, as stats::AIC() does of different numbers of rows.
warn_unless_comparable <- function(what, fits) {
  fits <- Filter(function(fit) inherits(fit, "neargp"), fits)
  for (fit in fits[-1L]) {
    different <- intersect(compared_differences(fits[[1L]], fit),
      c("method", "estimation (ML and REML)", "response", "weights"))
    if (!length(different)) next
    return(warn_neargp("comparison",
      c(sprintf("%s compares fits that differ in their %s.", what, format_some(different)),
        i = rows_hint(fits[[1L]], fit), i = estimation_hint(different) %||% "Approximate likelihoods from other conditioning sets differ by more than models do, and those of other data say nothing.")))
  }
  if (length(fits) > 1L && differ_in_neighbors(fits)) {
    inform_own_neighbors(what, "anova() compares nested fits by vecchia() on common neighbours.")
  }
}

check_likelihoods <- function(what, ...) {
  for (fit in list(...)) {
    if (!inherits(fit, "neargp") || is_likelihood(fit)) next
    abort_not_likelihood(what, fit$score, is_gaussian(fit$family))
  }
}

# `compared`: whether the caller asked for a criterion that compares fits. Methods that maximise a
# likelihood fit Gaussian responses alone.
abort_not_likelihood <- function(what, score, gaussian = FALSE, compared = TRUE) {
  restricted <- score == "restricted log-likelihood"
  abort_neargp("not_likelihood",
    c(sprintf("%s needs a likelihood; the fit maximised another objective (%s).", what, score),
      i = if (restricted) "Fit it with estimation = \"ML\".",
      i = if (compared && !restricted) "Compare such fits by cross_validate().",
      i = if (isTRUE(gaussian) && !restricted)
        "To maximise a likelihood, fit with method = vecchia()."))
}

#' @rdname coef.neargp
#' @export
deviance.neargp <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  if (!is_likelihood(object)) {
    abort_not_likelihood("The deviance", object$score, is_gaussian(object$family))
  }
  -2 * object$log_likelihood
}
