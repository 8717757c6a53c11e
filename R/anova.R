#' Tests of trends, and comparison of nested fits
#'
#' @description
#' `anova()` tests the terms of one fit by Wald tests, or compares nested fits by likelihood ratios.
#' `drop1()`, `add1()` and `step()` compare trends by AIC.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326, covariance = cov_matern(nu = 1.5))
#' anova(update(fit, . ~ 1), fit)
#' ```
#'
#' @details
#' **One fit.** Each term is tested given the terms before it, as for [stats::lm()], with covariance
#' parameters fixed for Gaussian responses. `car::Anova(fit)` tests each term given all others.
#' [Smooths and random effects][random_effects] are not tested: compare two fits, or use
#' [cross_validate()].
#'
#' **Several fits.** Twice the difference of the log-likelihoods is chi-squared if the smaller model
#' is a special case of the larger one. You should make sure that it is. For a variance at 0, half
#' of the p-value is closer (Self and Liang 1987). To compare trends with random effects or smooths,
#' give `estimation = "ML"`.
#'
#' [vecchia()] fits may use different neighbours. `anova()` maximises their likelihoods again on the
#' neighbours of the largest model, and its heading says so. If that is not possible, a message says
#' so. If a larger fit returns a smaller likelihood, a warning suggests `update(larger, start =
#' smaller)` in place of a p-value.
#'
#' Fits with penalties, priors or warps return no p-value. Compare them by [cross_validate()] with
#' `refit = TRUE`.
#'
#' `drop1()`, `add1()` and `step()` fit again for each term, and need maximum likelihood. Fits by
#' [loo_k()], [mll_k()] and of other families maximise no likelihood: use [cross_validate()].
#'
#' @param object,... one fit by [neargp()], or several by the same method to the same data.
#' @param fit a fit by [neargp()] with a likelihood.
#' @param scale not used.
#' @param k the weight of the number of parameters. Default: 2, AIC. `log(nobs(fit))` is BIC.
#' @return A data frame of class `anova`. Several fits: `npar`, `AIC`, `logLik`, `Chisq`, `Df` and
#'   `Pr(>Chisq)`. One fit: `Df`, `Chisq` and `Pr(>Chisq)` for each term. `extractAIC()` returns the
#'   number of parameters and AIC.
#' @references Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood
#'   estimators and likelihood ratio tests under nonstandard conditions. *JASA* 82, 605–610.
#' @seealso [cross_validate()], [coef.neargp()] for `AIC()`, [summary.neargp()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Does elevation matter? And longitude?
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation + lon, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' anova(fit)
#' drop1(fit, test = "Chisq")
#' anova(update(fit, . ~ 1), update(fit, . ~ elevation), fit)
#'
#' # Is the smoothness 1.5?
#' smooth <- update(fit, covariance = cov_matern(nu = NULL))
#' anova(fit, smooth)
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
    bound_heading(fits), if (any(untested)) no_test_heading), class = c("anova", "data.frame"))
}

# Without a process, the objective is the likelihood. With random effects of other families it is an
# ELBO or Laplace's approximation, as for the fits with a process.
are_bounds_comparable <- function(fits) {
  scores <- vapply(fits, function(fit) fit$score, "")
  alone <- vapply(fits, function(fit) has_no_process(fit$covariance), NA)
  any(alone) && length(unique(scores[scores != "log-likelihood"])) < 2L
}

# Names the objectives that stand in for a log-likelihood.
bound_heading <- function(fits) {
  scores <- unique(vapply(fits, function(fit) fit$score, ""))
  if (all(vapply(fits, is_likelihood, NA))) return(NULL)
  sprintf("\nlogLik: %s, see ?cov_none.", paste(scores, collapse = " or "))
}

# Whether twice the gain of likelihood is not chi-squared. This is so at a penalised optimum, and
# for warps: without a warp, the information of its further coordinates is singular.
has_no_test <- function(fit) {
  has_ridge(fit$layout) || has_prior(fit$layout) || any(fit$layout$kind %in% warp_kinds)
}

no_test_heading <- paste0(
  "\nNo p-value of a covariance with a penalty, a prior or a warp, see ?anova.neargp:\n",
  "compare by cross_validate(refit = TRUE).")

# Rows whose model is less likely than a smaller model. Two searches that found the same maximum may
# differ by `resolution`.
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
    sprintf("The log-likelihood of `%s` is %s below that of `%s`, a model with fewer parameters: the test is not valid.",
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
  if (has_no_process(smaller$covariance) || has_no_process(larger$covariance)) return(FALSE)
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
# intercept). R is therefore found from theta, the coefficients of the core, with beta = B theta and
# a well-conditioned covariance matrix S'S. If S^-T B^-1 = QR, then R beta = Q'S^-T theta.
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
  df <- tabulate(term[tested])[unique(term[tested])]
  structure(data.frame(Df = df, Chisq = unname(chisq),
    `Pr(>Chisq)` = stats::pchisq(unname(chisq), df, lower.tail = FALSE),
    row.names = attr(fit$terms, "term.labels")[unique(term[tested])], check.names = FALSE),
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
    abort_neargp("method", c("The trend of this fit comes without standard errors, so it cannot be tested.",
      i = "Compare fits by cross_validate(list(...))."))
  }
  if (!any(attr(design_coding(fit), "assign") > 0L)) {
    abort_neargp("argument", c("There is one fit, and its trend contains no terms to be tested.",
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
  # The trend defines the contrasts of a restricted likelihood: likelihoods of other trends are not
  # comparable.
  if (fit$score != "log-likelihood") {
    abort_not_likelihood("extractAIC()", fit$score, is_gaussian(fit$family))
  }
  c(attr(stats::logLik(fit), "df"), stats::AIC(fit, k = k))
}

check_compared <- function(fits) {
  for (fit in fits) check_class(fit, "...", "neargp", "fits of neargp()")
  if (!are_bounds_comparable(fits)) do.call(check_likelihoods, c("anova()", fits))
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
  # what maximises the likelihood; the kind of likelihood is a separate part
  as_made <- function(method) {
    if (identical(method$ordering, "auto")) method$ordering <- "maxmin"
    structure(method[setdiff(names(method), c("label", "estimation"))],
      class = plain_class(method))
  }
  # the likelihood without a process is the same by all methods that maximise one
  methods <- if (!has_no_process(a$covariance) && !has_no_process(b$covariance)) {
    list(as_made(a$method), as_made(b$method))
  } else {
    list(NULL, NULL)
  }
  parts <- list(method = methods,
    "estimation (ML and REML)" = list(is_restricted(a$method), is_restricted(b$method)),
    "number of shards" = list(a$control$shards, b$control$shards),
    response = list(observed_response(a$data), observed_response(b$data)),
    weights = list(given_weights(a$data), given_weights(b$data)),
    coordinates = list(unname(places_of(a$data$coords, a$locations)),
      unname(places_of(b$data$coords, b$locations))))
  names(parts)[!vapply(parts,
    function(pair) isTRUE(all.equal(pair[[1L]], pair[[2L]], tolerance = 1e-12)), NA)]
}

# If only one fit uses a covariate, its missing values leave out rows of that fit alone.
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
