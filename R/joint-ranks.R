#' Compare numbers of shared factors
#'
#' @description
#' Fits a [joint model][joint_models] with one, two and more shared factors. Returns a table,
#' all fits, and the best one. Experimental.
#'
#' ```r
#' ranks <- compare_ranks(fit, 1:3)
#' ranks$best
#' ```
#'
#' @details
#' The criterion is `2 * df - 2 * score`, where the score is the ELBO. For Gaussian responses it is
#' the log-likelihood, and the criterion is AIC. A factor must gain more than the number of its
#' loadings. With `folds` the fit with the lowest log score of left-out locations is the best.
#'
#' With as many factors as responses, the prior of [joint_models] lowers the ELBO of the fit. The
#' table compares maxima: its score is that of a further search without the prior.
#'
#' The first row of the table is the sum of separate fits. Compositions and areas lack it.
#'
#' @param object a joint fit by [neargp()], whose formulas and families are used. Its data
#'   must exist where `compare_ranks()` is called.
#' @param ranks numbers of factors, from 1 to the number of responses. Default: 1 to 4.
#' @param own a covariance. Tries each rank also with a field of each response's own. Default
#'   `NULL`: without such fields.
#' @param covariance the covariance of the factors. Default: the first of `object`.
#' @param folds a number of folds, or a fold for each observation, for [cross_validate()]. Default
#'   `NULL`: no cross-validation.
#' @param refit whether to estimate all parameters for each fold. Default: `FALSE`.
#' @return A list of class `neargp_ranks` with the data frame `table`, a row for each fit, `fits`
#'   and `best`, a fit. A fit that fails is `NULL` and its row is `NA`.
#' @seealso [joint_models], [cov_coregionalisation()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' gradient <- sin(6 * d$x)
#' d$count <- matrix(rpois(400, exp(0.5 + gradient %o% c(1, 0.7, -0.5, 0.8))), 100,
#'   dimnames = list(NULL, c("a", "b", "c", "d")))
#' fit <- neargp(count ~ 1, d, coords = ~ x + y, family = poisson(), method = vnngp(k = 8))
#' compare_ranks(fit, 1:2)
#' @export
compare_ranks <- function(object, ranks = NULL, own = NULL, covariance = NULL, folds = NULL,
                          refit = FALSE) {
  check_given(missing(object), "object", "a fit of neargp() to several responses")
  check_class(object, "object", "neargp_joint", "a fit of neargp() to several responses")
  most <- nrow(shared_loadings(object))
  ranks <- check_ranks(ranks, most)
  check_flag(refit, "refit")
  covariance <- covariance %||% structure(list(components = list(
    with_factor_of_replicates(object$structures[[1L]]$component))), class = "neargp_covariance")
  check_plain_covariance(covariance, "covariance")
  if (!is.null(own)) check_plain_covariance(own, "own")
  if (!is.null(folds)) folds <- folds_of_places(object, folds)[object$posterior$place]
  frame <- parent.frame()
  tried <- expand.grid(rank = ranks, own = if (is.null(own)) FALSE else c(FALSE, TRUE))
  tried <- tried[!(tried$own & tried$rank == most), ]
  fits <- Map(function(rank, with_own) {
    fields <- cov_coregionalisation(covariance, rank = rank, own = if (with_own) own)
    fit_of_rank(object, fields, frame)
  }, tried$rank, tried$own)
  names(fits) <- paste0(tried$rank, ifelse(tried$own, " + own", ""))
  new_ranks(object, fits, folds, refit)
}

check_ranks <- function(ranks, count) {
  if (is.null(ranks)) return(seq_len(min(4L, count)))
  valid <- is.numeric(ranks) && length(ranks) && all(ranks %in% seq_len(count)) &&
    !anyDuplicated(ranks)
  if (!valid) {
    abort_argument("ranks", sprintf("different integers from 1 to %d, the number of responses",
      count), ranks)
  }
  as.integer(ranks)
}

check_plain_covariance <- function(covariance, name) {
  if (!inherits(covariance, "neargp_covariance") ||
      inherits(covariance, "neargp_coregionalisation")) {
    abort_argument(name, "a covariance such as cov_matern(nu = 1.5)", covariance)
  }
}

# An error becomes a warning. It is returned in place of the fit.
fit_of_rank <- function(object, covariance, frame) {
  call <- object$call
  call$covariance <- covariance
  call$start <- NULL
  call$verbose <- FALSE
  # a checkpoint is of one fit
  call$resume <- NULL
  if (!is.null(call$control)) {
    control <- eval(call$control, frame)
    control$checkpoint <- NULL
    call$control <- control
  }
  rlang::try_fetch(eval(call, frame), neargp_error = function(condition) {
    warn_neargp("convergence", sprintf("The fit with rank %d failed: %s", covariance$rank,
      conditionMessage(condition)))
    condition
  })
}

new_ranks <- function(object, fits, folds, refit) {
  failed <- vapply(fits, inherits, NA, "condition")
  if (all(failed)) {
    abort_neargp("fits", "No number of factors could be fitted.", parent = fits[[1L]])
  }
  known <- fits[!failed]
  fits[failed] <- list(NULL)
  rows <- lapply(fits, function(fit) if (is.null(fit)) rank_row(NA, NA) else
    rank_row(score_without_prior(fit), attr(stats::logLik(fit), "df"),
      if (!is.null(folds)) held_out_score(fit, folds, refit)))
  separate <- known[[1L]]$separate
  separate_row <- if (!is.null(separate)) rank_row(separate, separate_degrees(known[[1L]]))
  table <- do.call(rbind, c(list(separate = separate_row), rows))
  criterion <- table[names(fits), if (is.null(folds)) "criterion" else "log_score"]
  if (is.null(folds)) table$log_score <- NULL
  best <- names(fits)[which.min(criterion)]
  is_likelihood <- all_gaussian(known[[1L]]$parts)
  structure(list(table = table, fits = fits, best = fits[[best]], chosen = best,
    criterion = if (is.null(folds)) criterion_name(is_likelihood) else
      "log score of left-out locations",
    score = known[[1L]]$score), class = "neargp_ranks")
}

# The maximum of the ELBO without the prior of correlations, which fits of fewer factors lack.
score_without_prior <- function(fit) {
  score <- as.double(stats::logLik(fit))
  if (!fit$prior) return(score)
  shared <- fitted_joint_problem(fit, plain_context(fit$threads))
  shared$prior <- FALSE
  objective <- fields_objective(shared, joint_latent(shared, fit$posterior))
  found <- if_computable(joint_quasi_newton(shared, 1e-7)(objective, shared$start))
  max(score, found$evaluated$value)
}

# AIC is of a likelihood. With an ELBO the criterion is of the same form.
criterion_name <- function(is_likelihood) {
  if (is_likelihood) "AIC" else "criterion (2 df - 2 ELBO)"
}

rank_row <- function(score, df, log_score = NULL) {
  data.frame(df = df, score = score, criterion = 2 * df - 2 * score,
    log_score = log_score %||% NA_real_)
}

# Parameters of separate fits: a variance for each response in place of the loadings, and the
# parameters of the correlation function for each response.
separate_degrees <- function(joint) {
  layout <- joint$layout
  free <- !layout$fixed
  first <- layout$component %in% 1L & layout$kind != "loading"
  of_parts <- sum(vapply(joint$parts, function(part) length(part$beta), 0L))
  of_parts + length(joint$outputs) * (1L + sum(free & first)) + sum(free & !is.na(layout$output))
}

# The mean over all observations.
held_out_score <- function(fit, folds, refit) {
  found <- cross_validate(fit, folds, refit = refit, verbose = FALSE)$predictions
  mean(found$log_score)
}

#' @export
print.neargp_ranks <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_no_more_arguments()
  cat(sprintf("Numbers of shared factors; score: %s\n", x$score))
  table <- x$table
  table[] <- lapply(table, function(column) format(column, digits = digits + 2L))
  table[[" "]] <- ifelse(rownames(table) == x$chosen, "<- lowest", "")
  print(table)
  cat(sprintf("Lowest %s: %s\n", x$criterion, x$chosen))
  invisible(x)
}
