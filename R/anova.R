#' Tests of trends and comparison of nested fits
#'
#' Of several fits, likelihood-ratio tests of each against the one with fewer parameters before it:
#' of trends with and without a covariate, of one range against several, of a fixed smoothness
#' against an estimated one. Of one fit, Wald tests of the terms of its trend. `drop1()`, `add1()`
#' and `step()` compare trends by AIC.
#'
#' Of a single fit each term is tested given those before it in the formula, as `anova()` of
#' [stats::lm()] does, by its share of the quadratic form \eqn{\hat\beta'V^{-1}\hat\beta}, with
#' \eqn{V} = `vcov(object)`. For a gaussian response \eqn{V} holds the covariance parameters at
#' their estimates, and that is twice the gain in log-likelihood. The package car has tests of each
#' term given all others, `car::Anova(fit)`. [Smooths and groups][random_effects] are not tested by
#' it, and are named below the heading: Wald's test does not hold for a variance, which may be 0,
#' nor for coefficients with a penalty. Where groups are the difference, two fits are compared,
#' `anova(without, with)`, whose p-value is too large then (see below), and for smooths
#' [stats::AIC()] or [cross_validate()] is better. Terms of the trend are tested with groups and the
#' bends of smooths in the model, without the linear part of a smooth, which comes after them.
#'
#' [stats::drop1()], [stats::add1()] and [stats::step()] fit the model anew without or with each
#' term, covariance parameters included, and compare AIC by maximum likelihood, with
#' `test = "Chisq"` also likelihood ratios. Nothing is taken over from the first fit but its call:
#' give a covariance there, where the default might change.
#'
#' Likelihoods are those of maximum likelihood, trend included, so that trends may be compared; of
#' fits with `estimation = "REML"` they are restricted, and may be compared for one trend only, and
#' not with those of maximum likelihood: where formulas have random effects or smooths, which make
#' fits REML by default, give `estimation = "ML"` to all of them, or to the fits that have such.
#' Twice the difference of log-likelihoods has a chi-squared distribution only where the smaller
#' model is a special case of the larger one, which is not checked, and not at an end of the
#' parameters' range: for a variance or nugget of 0 the p-value is too large, half of it is closer
#' (Self and Liang 1987).
#'
#' Fits by [vecchia()] search their neighbours each in its own metric, as with several ranges or an
#' anisotropy. `anova()` then maximises all likelihoods again on the neighbours of the largest
#' model, and the heading of the table says so. Its `logLik` and `AIC` differ from those of the fits
#' themselves. `anova()` does the same where one fit conditions on locations and another on rows. A
#' message of class `neargp_message_neighbors` says where it cannot: with inducing points, thousands
#' of random effects or rows in shards, for several responses and [vnngp()]. `AIC()` and `BIC()` of
#' several fits take the likelihoods of the fits, with the same message.
#'
#' A special case cannot be the more likely one, yet a fit of it can: with `vecchia(inducing = )`
#' positions and order are found for each fit's own covariance, and searches can end in different
#' maxima. Where the larger fit has the smaller likelihood the test has no p-value, and a warning
#' says so. To search the larger model from the smaller one is worth a try: `update(larger, start =
#' smaller)`.
#'
#' Fits with local fields or warps, `sd = ~`, `range = ~` or `warp = ` of their [covariance], are
#' not at the maximum of their likelihood but at that of the penalised one, and a penalised
#' coefficient is less than one parameter: twice the gain has no chi-squared distribution, and there
#' is no p-value (`NA`). Nor is there one of a warp without penalty: the likelihood is even in the
#' coefficients of a further coordinate, so that without any the smaller model is at a singular
#' point of the larger one. AIC counts such coefficients as whole parameters. Compare such fits by
#' [cross_validate()] with `refit = TRUE`; local fields may also be fitted with `penalty = 0`. So it
#' is with the parameters of a fit with [pc_priors()].
#'
#' @param object,... one fit of [neargp()]; or two or more by likelihood, as of [vecchia()] or
#'   [exact_gp()], by the same method with the same settings to the same rows: approximate
#'   likelihoods from other conditioning sets differ by more than models do.
#' @param fit a fit of [neargp()] by likelihood.
#' @param scale not used.
#' @param k weight of the number of parameters: 2 for AIC, `log(nobs(fit))` for BIC.
#' @return A data frame of class `anova`. Of several fits a row for each by the number of its
#'   parameters: `npar`, `AIC`, `logLik`, `Chisq` (twice the gain over the row before), `Df` (the
#'   parameters that it took; where that is 0 there is no test, and `Chisq` is `NA`) and
#'   `Pr(>Chisq)`, `NA` where one of the two covariances has a penalty,
#'   a prior or a warp. Of one fit a row for each term: `Df`, `Chisq`, `Pr(>Chisq)`.
#'
#'   `extractAIC()`: the number of estimated parameters, and AIC.
#' @section Errors: `neargp_error_not_likelihood` for comparisons of fits that maximised another
#'   objective ([loo_k()], [mll_k()], [vnngp()] of other responses than gaussian), for which
#'   [cross_validate()] is, and of `extractAIC()`, and so of `drop1()`, `add1()` and `step()`,
#'   for fits with `estimation = "REML"`; `neargp_error_comparison` for fits of other data or
#'   methods, of ML and REML, and of other trends by restricted likelihoods;
#'   `neargp_error_argument` for one fit alone without a term in its trend. A warning of class
#'   `neargp_warning_comparison` where a larger fit has the smaller likelihood, and a message of
#'   class `neargp_message_neighbors` where the fits have neighbours of their own.
#' @references Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood
#'   estimators and likelihood ratio tests under nonstandard conditions. *Journal of the American
#'   Statistical Association* 82, 605-610.
#' @seealso [cross_validate()] for fits that no likelihood compares, [coef.neargp()] for `AIC()`,
#'   `logLik()` and intervals, [summary.neargp()] for tests of coefficients.
#' @examples
#' set.seed(1)
#' stations <- data.frame(x = runif(200), y = runif(200), height = rnorm(200))
#' stations$temp <- with(stations, 10 - height + sin(5 * x) + rnorm(200, sd = 0.2))
#' with_height <- neargp(temp ~ height, stations, coords = ~ x + y)
#' anova(update(with_height, temp ~ 1), with_height)
#' anova(with_height)
#' drop1(with_height, test = "Chisq")
#' @export
anova.neargp <- function(object, ...) {
  fits <- list(object, ...)
  if (length(fits) == 1L) return(anova_of_terms(object))
  check_compared(fits)
  labels <- as.character(match.call(expand.dots = TRUE))[-1L]
  labels <- if (max(nchar(labels)) > 30L) paste("fit", seq_along(fits)) else make.unique(labels)
  parameters <- vapply(fits, function(fit) attr(stats::logLik(fit), "df"), 0)
  by_size <- order(parameters)
  largest <- by_size[length(by_size)]
  likelihoods <- compared_likelihoods(fits, largest)
  table <- data.frame(npar = parameters, AIC = 2 * parameters - 2 * likelihoods$values,
    logLik = likelihoods$values, row.names = labels)[by_size, ]
  table$Df <- c(NA, diff(table$npar))
  table$Chisq <- ifelse(table$Df == 0, NA_real_, c(NA, 2 * diff(table$logLik)))
  table <- table[c("npar", "AIC", "logLik", "Chisq", "Df")]
  lost <- is_lost(table)
  p_value <- stats::pchisq(table$Chisq, table$Df, lower.tail = FALSE)
  untested <- vapply(fits[by_size], has_no_test, NA)
  untested <- untested | c(FALSE, untested[-length(untested)])
  table[["Pr(>Chisq)"]] <- ifelse(table$Df > 0 & !lost & !untested, p_value, NA_real_)
  if (any(lost)) warn_lost(table, fits[by_size], likelihoods$common)
  structure(table, heading = c("Likelihood-ratio tests of nested fits\n",
    paste0(labels, ": ", vapply(fits, compared_model, ""), collapse = "\n"),
    if (likelihoods$common) sprintf("\nMaximised on the neighbours of %s.", labels[largest]),
    if (any(untested)) no_test_heading), class = c("anova", "data.frame"))
}

# Whether twice the gain of likelihood has no chi-squared distribution: at a penalised optimum, and
# of warps, whose further coordinates have a singular information where there are none.
has_no_test <- function(fit) {
  has_ridge(fit$layout) || has_prior(fit$layout) || any(fit$layout$kind %in% warp_kinds)
}

no_test_heading <- paste0(
  "\nNo p-value of a covariance with a penalty, a prior or a warp, see ?anova.neargp:\n",
  "compare by cross_validate(refit = TRUE).")

# Rows whose model is less likely than a smaller one, by more than two searches may differ that have
# found the same maximum.
is_lost <- function(table, resolution = 0.01) {
  !is.na(table$Df) & table$Df > 0 & table$Chisq < -resolution
}

# `fits`: in the order of the rows; `common`: whether on common neighbours.
warn_lost <- function(table, fits, common) {
  lost <- which(is_lost(table))
  row <- lost[which.min(table$Chisq[lost])]
  larger <- rownames(table)[row]
  smaller <- rownames(table)[row - 1L]
  ended <- isFALSE(fits[[row]]$convergence$converged)
  warn_neargp("comparison", c(
    sprintf("`%s` has a log-likelihood %s smaller than `%s`, which has fewer parameters: this is no test.",
      larger, format(signif(-table$Chisq[row] / 2, 2L)), smaller),
    i = if (ended) sprintf("`%s` ended before its maximum.", larger),
    i = if (!common && have_own_sets(fits[[row]], fits[[row - 1L]])) {
      "Each fit has conditioning sets by its own covariance, so that nested models need not be nested."
    },
    i = sprintf("Search the larger model from the smaller one, update(%s, start = %s).", larger,
      smaller),
    i = "Or compare by cross_validate()."))
}

have_own_sets <- function(larger, smaller) {
  if (has_low_rank(larger$method)) return(TRUE)
  shape <- function(fit) core_metric_shape(metric_component(fit$core_covariance))
  inherits(larger$method, c("neargp_vecchia", "neargp_vnngp")) &&
    !identical(shape(larger), shape(smaller))
}

compared_model <- function(fit) {
  paste0(deparse1(fit$formula), "; ", describe_covariance(fit$covariance),
    if (!is.null(fit$family$transform))
      paste0("; transform = ", transform_call(fit$family$transform)))
}

# The squares of R beta are the additions of each coefficient to beta'V^-1 beta given those before
# it. R is the upper triangle with R'R = V^-1. V may be singular to rounding (a year and an
# intercept), so R is found from theta, the coefficients of the core, with beta = B theta and a
# well-conditioned covariance matrix S'S: if S^-T B^-1 = QR, then R beta = Q'S^-T theta.
sequential_effects <- function(fit) {
  trend <- seq_along(fit$beta)
  core <- uncertain_trend(fit)
  root <- chol(core$beta_vcov[trend, trend, drop = FALSE])
  basis <- fit$data$basis %||% list(back = diag(length(trend)), at = 0)
  theta <- unname(core$beta[trend]) + basis$at
  onward <- qr(backsolve(root, solve(basis$back, tol = 0), transpose = TRUE), tol = 0)
  qr.qty(onward, backsolve(root, theta, transpose = TRUE))
}

# The coefficients are those of a design in the order of its terms.
anova_of_terms <- function(fit) {
  check_terms_tested(fit)
  term <- attr(design_coding(fit), "assign")
  # columns of smooths without a penalty stand behind those of terms
  added <- sequential_effects(fit)[seq_along(term)]^2
  tested <- term > 0L
  chisq <- drop(rowsum(added[tested], term[tested]))
  df <- tabulate(term[tested])
  structure(data.frame(Df = df, Chisq = unname(chisq),
    `Pr(>Chisq)` = stats::pchisq(unname(chisq), df, lower.tail = FALSE),
    row.names = attr(fit$terms, "term.labels"), check.names = FALSE),
    heading = c("Wald tests of the terms of the trend, each given those before it\n",
      paste0("Response: ", fit$data$response_name), if (length(fit$effects)) untested_effects(fit)),
    class = c("anova", "data.frame"))
}

untested_effects <- function(fit) {
  labels <- vapply(fit$effects, function(recipe) if (recipe$kind == "group")
    sprintf("(%s | %s)", deparse1(recipe$lhs[[2L]]), recipe$label) else recipe$label, "")
  sprintf("Not tested, see ?anova.neargp: %s", format_some(labels))
}

check_terms_tested <- function(fit) {
  check_fit(fit)
  if (inherits(fit, "neargp_classifier")) {
    abort_for_classes("anova()", "Compare fits by cross_validate(list(...)).")
  }
  if (inherits(fit, "neargp_deep_fit")) stats::vcov(fit)  # an error, which says why
  refuse_outputs(fit, "anova() of one fit", "Give two or more fits: anova(smaller, larger).")
  if (anyNA(fit$beta_vcov)) {
    abort_neargp("method", c("The trend of this fit has no standard errors, and so no tests.",
      i = "Compare fits by cross_validate(list(...))."))
  }
  if (!length(attr(fit$terms, "term.labels"))) {
    abort_neargp("argument", c("There is one fit, and its trend has no terms to be tested.",
      x = if (length(fit$effects)) paste0(untested_effects(fit), "."),
      i = "Give two or more: anova(smaller, larger)."))
  }
}

#' @rdname anova.neargp
#' @export
extractAIC.neargp <- function(fit, scale = 0, k = 2, ...) {
  check_fit(fit)
  check_no_more_arguments()
  check_number(k, "k")
  # step() has put the terms of the trend in the place of the formula
  if (has_effects(fit$data) && inherits(fit$formula, "terms")) {
    abort_neargp("formula", c("step() does not keep random effects and smooths.",
      i = "Compare by drop1() or AIC(), or by anova() of two fits."))
  }
  # A restricted likelihood is of contrasts that the trend defines, and says nothing of other
  # trends.
  if (fit$score != "log-likelihood") abort_not_likelihood("extractAIC()", fit$score)
  c(attr(stats::logLik(fit), "df"), stats::AIC(fit, k = k))
}

check_compared <- function(fits) {
  for (fit in fits) check_class(fit, "...", "neargp", "fits of neargp()")
  do.call(check_likelihoods, c("anova()", fits))
  for (i in seq_along(fits)[-1L]) {
    different <- compared_differences(fits[[1L]], fits[[i]])
    if (length(different)) {
      abort_neargp("comparison",
        c("Likelihoods can only be compared of fits by the same method to the same data.",
          x = sprintf("Fit %d differs from the first one in its %s.", i, format_some(different)),
          i = rows_hint(fits[[1L]], fits[[i]]), i = estimation_hint(different)))
    }
  }
  check_same_trends("anova()", fits)
}

compared_differences <- function(a, b) {
  # what maximises the likelihood; which likelihood it is is a part of its own
  as_made <- function(method) {
    if (identical(method$ordering, "auto")) method$ordering <- "maxmin"
    structure(method[setdiff(names(method), c("label", "estimation"))],
      class = plain_class(method))
  }
  parts <- list(method = list(as_made(a$method), as_made(b$method)),
    "estimation (ML and REML)" = list(is_restricted(a$method), is_restricted(b$method)),
    "number of shards" = list(a$control$shards, b$control$shards),
    response = list(observed_response(a$data), observed_response(b$data)),
    weights = list(given_weights(a$data), given_weights(b$data)),
    coordinates = list(unname(places_of(a$data$coords, a$locations)),
      unname(places_of(b$data$coords, b$locations))))
  names(parts)[!vapply(parts,
    function(pair) isTRUE(all.equal(pair[[1L]], pair[[2L]], tolerance = 1e-12)), NA)]
}

# Of a covariate that only one fit has, missing values leave out rows of that fit alone.
rows_hint <- function(a, b) {
  rows <- vapply(list(a, b), stats::nobs, 0)
  if (rows[1L] == rows[2L]) return(NULL)
  dropped <- a$n_dropped + b$n_dropped > 0L
  sprintf("They have %s and %s rows%s.", format_count(rows[1L]), format_count(rows[2L]),
    if (dropped) ": fit both to the rows in which no variable of either is missing" else "")
}

estimation_hint <- function(different) {
  if (!any(startsWith(different, "estimation"))) return(NULL)
  "Random effects and smooths make a fit REML where its method does not say: vecchia(estimation = \"ML\") and exact_gp(estimation = \"ML\") are by maximum likelihood."
}
