#' Inducing points trained for prediction (PPGPR)
#'
#' @description
#' Fits [svgp()] and then tunes the predictive variances to the log score (Jankowiak et al. 2020).
#'
#' ```r
#' air <- na.omit(airquality)
#' neargp(log(Ozone) ~ 1, air, coords = ~ Solar.R + Wind + Temp, method = ppgpr(inducing = 20))
#' ```
#'
#' @details
#' Use it for calibrated predictive distributions with many predictors if the noise varies. Log
#' scores typically improve on `svgp()` by 0.05 to 0.6 per observation. Do not use it for estimates,
#' simulation or joint predictions.
#'
#' The paper maximises \deqn{\sum_i \log N(y_i; \mu_i, \sigma^2 + s_i) - \lambda KL[q(u) ||
#' p(u)]}{sum_i log N(y_i; mu_i, sigma^2 + s_i) - lambda KL[q(u) || p(u)]} (equations 8 and 12) over
#' everything. Here `svgp()` estimates parameters, positions and means. The score then determines
#' the covariance matrix at the inducing points and the noise, by L-BFGS with leave-one-out means.
#' The score is equation (19) of `vignette("model-and-methods")`.
#'
#' `joint = TRUE` is the paper's version by Adam. It typically improves log scores further, with
#' worse means. `logLik()` is then the score.
#'
#' `covariance = "diagonal"` with `joint = TRUE` is the mean-field form of the papers, in which the
#' values at the inducing points are independent. It also fits several responses, `cbind(y1, y2) ~
#' 1`. The fit is one by `dspp(layers = 1, restarts = 1)`, whose help describes starts, held-out
#' observations and predictions. Use [dspp()] for its other settings. On three UCI sets it took a
#' tenth of the time of the default, with better log scores and worse means.
#'
#' `coef()` returns the first stage, and `summary()` adds the noise of the second. Residuals are
#' about the mean. Leave-one-out predictions, joint predictions and `simulate()` are errors: use
#' [cross_validate()].
#'
#' @inheritParams svgp
#' @param kl_weight the weight lambda of the divergence, a non-negative number, positive with `joint
#'   = TRUE`. Default `NULL`: 1, as in the ELBO, or that of [dspp()] for a diagonal covariance.
#' @param joint `TRUE` trains everything by the score. Experimental. Default: `FALSE`.
#' @param epochs,batch_size,learning_rate settings of Adam for `joint = TRUE`, else of the first
#'   stage, see [svgp()]. Default `NULL`: 100, 1,024 and 0.01, or those of [dspp()] for a diagonal
#'   covariance.
#' @param covariance the covariance matrix at the inducing points: `"full"` (default) or
#'   `"diagonal"`, which needs `joint = TRUE` and leaves `bound`, `select` and `jitter` unused.
#' @return A settings object for the argument `method` of [neargp()]. The fit contains the data
#'   frame `inducing`.
#' @references Jankowiak, M., Pleiss, G. and Gardner, J. R. (2020). Parametric Gaussian process
#'   regressors. *ICML*. arXiv:1910.07123.
#' @seealso [svgp()], [recalibrate()], [noise]
#' @examples
#' # The noise grows with x2
#' set.seed(1)
#' d <- data.frame(x1 = runif(500), x2 = runif(500))
#' d$y <- sin(6 * d$x1) + rnorm(500, sd = 0.05 + 0.3 * d$x2)
#' train <- d[1:400, ]
#' test <- d[401:500, ]
#' fit <- neargp(y ~ 1, train, coords = ~ x1 + x2, method = ppgpr(inducing = 40))
#' predict(fit, data.frame(x1 = 0.5, x2 = c(0.05, 0.95)), interval = "prediction")
#' same <- update(fit, method = svgp(inducing = 40))
#' rbind(ppgpr = scores(fit, newdata = test), svgp = scores(same, newdata = test))
#'
#' joint <- update(fit, method = ppgpr(inducing = 40, joint = TRUE, batch_size = 100, epochs = 50))
#' predict(joint, data.frame(x1 = 0.5, x2 = c(0.05, 0.95)), interval = "prediction")
#'
#' # The mean-field form
#' diagonal <- update(fit, method = ppgpr(inducing = 40, joint = TRUE, covariance = "diagonal"))
#' scores(diagonal, newdata = test)
#' @export
ppgpr <- function(inducing = NULL, move = TRUE, bound = c("tight", "standard"),
                  select = c("kmeans", "random"), jitter = 1e-6, kl_weight = NULL, joint = FALSE,
                  epochs = NULL, batch_size = NULL, learning_rate = NULL,
                  covariance = c("full", "diagonal")) {
  joint <- check_flag(joint, "joint")
  if (check_choice(covariance, "covariance", c("full", "diagonal")) == "diagonal") {
    of_full <- c(move = !missing(move) && !isTRUE(move), bound = !missing(bound),
      select = !missing(select), jitter = !missing(jitter), joint = !joint)
    refuse_with_diagonal(names(of_full)[of_full])
    return(diagonal_ppgpr(inducing = inducing, regularization = kl_weight, epochs = epochs,
      batch_size = batch_size, learning_rate = learning_rate))
  }
  method <- svgp(inducing, move, bound, select, jitter, std_error = FALSE,
    optimizer = if (joint) "adam" else "auto", epochs = epochs,
    batch_size = batch_size %||% 1024L, learning_rate = learning_rate %||% 0.01)
  method$label <- "inducing points, predictive (PPGPR)"
  method$kl_weight <- check_number(kl_weight %||% 1, "kl_weight", 0, open = joint)
  method$joint <- joint
  class(method) <- c("neargp_ppgpr", "neargp_svgp", "neargp_method")
  method
}

refuse_with_diagonal <- function(arguments) {
  if (!length(arguments)) return(invisible())
  abort_neargp("argument",
    c(sprintf("`%s` is not for covariance = \"diagonal\", which trains everything together.",
      arguments[1L]), i = "Use ppgpr(joint = TRUE, covariance = \"diagonal\")."))
}

# One layer of dspp() is this model. Settings that are NULL are those of dspp().
diagonal_ppgpr <- function(...) {
  method <- do.call(dspp, c(list(layers = 1L, restarts = 1L), Filter(Negate(is.null), list(...))))
  method$label <- "inducing points, predictive, mean field (PPGPR)"
  method[c("joint", "covariance")] <- list(TRUE, "diagonal")
  method["kl_weight"] <- list(method$regularization)
  class(method) <- c("neargp_ppgpr_diagonal", class(method))
  method
}

#' @export
print.neargp_ppgpr_diagonal <- function(x, ...) {
  x[c("width", "sites", "quadrature", "kl_weight")] <- NULL
  NextMethod()
}

# Says whether everything is trained by the score.
is_joint <- function(method) isTRUE(method$joint)

#' @export
method_families.neargp_ppgpr <- function(method) latent_families()

#' @export
print.neargp_ppgpr <- function(x, ...) {
  x[c("std_error", "natural_rate", "optimizer")] <- NULL
  x$inducing <- describe_inducing(x$inducing, "512, or a quarter of the rows")
  x$epochs <- x$epochs %||% if (is_joint(x)) "100" else
    "20, where there are more than 16 rows for each point"
  print.neargp_method(x)
}

#' @export
fit_method.neargp_ppgpr <- function(method, problem) {
  result <- NextMethod()
  if (is_joint(method)) return(result)
  problem$data$shards <- result$shards
  problem <- with_fitted_network(problem, result$network)
  values <- to_core(result$working, problem$layout$transform)
  covariance <- problem_covariance(problem, values)
  parameters <- family_values(problem$family, problem$layout, values)
  stage <- predictive_stage(method, problem, result, covariance, parameters)
  fixed <- (problem$fixed_by_user %||% problem$layout$fixed)[of_family(problem$family,
    problem$layout)]
  result$predictive <- maximize_predictive_score(stage, method, problem$family, covariance,
    parameters, !fixed, problem$context, ratio_bounds(problem, parameters),
    function(evaluation, value) problem$report_bound(evaluation, value, "score"))
  result
}

# The rows as core_predictive() takes them, from what the first stage has found: of responses that
# are not Gaussian, a posterior of each row.
predictive_stage <- function(method, problem, result, covariance, parameters) {
  if (!is.null(result$posterior)) {
    return(family_stage(core_data(problem$data), problem$family, result, covariance, method))
  }
  gaussian_stage(problem$data, covariance, parameters, result$inducing, method, problem$context)
}

#' @export
complete_fit.neargp_ppgpr <- function(method, fit, result, context) {
  fit <- NextMethod()
  if (is_joint(method)) fit else with_predictive_part(fit, result$predictive)
}

# The result of the second stage: the factor, and the family's parameters as multiples of those of
# the first.
with_predictive_part <- function(fit, predictive) {
  fit$svgp$factor <- fit$svgp$factor %*% predictive$relative
  fit$predictive <- predictive
  if (is.null(fit$family_parameters)) fit$nugget <- fit$nugget * predictive$ratio else
    fit$family_parameters <- fit$family_parameters * predictive$ratio
  fit
}

#' @export
fit_details.neargp_ppgpr <- function(method, fit) {
  if (is_joint(method)) return(c(NextMethod(), Score = "predictive, trained jointly"))
  predictive <- fit$predictive
  noise <- if (is.null(fit$family_parameters)) {
    sprintf("; noise variance %s, %s times that of the ELBO", format(signif(fit$nugget, 3L)),
      format(signif(predictive$ratio, 2L)))
  } else if (length(fit$family_parameters)) {
    paste0("; ", paste(names(fit$family_parameters), vapply(signif(fit$family_parameters, 3L),
      format, ""), collapse = ", "))
  }
  c(NextMethod(), Score = sprintf("predictive, raised in %d evaluations%s", predictive$evaluations,
    noise %||% ""))
}

# ---- what it is no posterior for -----------------------------------------------------------------

refuse_predictive <- function(what) {
  abort_neargp("method",
    c(sprintf("Fits by ppgpr() do not provide %s: their predictive distributions are calibrated one by one.",
      what), i = "svgp() returns a posterior; cross_validate() scores a fit by ppgpr()."))
}

#' @export
joint_moments.neargp_ppgpr <- function(method, object, target, settings) {
  refuse_predictive("joint predictions")
}

#' @export
simulation_draws.neargp_ppgpr <- function(method, object, target, nsim, settings) {
  refuse_predictive("joint draws")
}

#' @export
cavity_moments.neargp_ppgpr <- function(method, object, k = NULL, threads = NULL) {
  refuse_predictive("leave-one-out predictions")
}

#' @export
weights_of_others.neargp_ppgpr <- function(method, object, settings) {
  refuse_predictive("leave-one-out predictions")
}

#' @export
restrict_rows.neargp_ppgpr <- function(method, fit, rows, context) {
  if (is_joint(method)) return(refit_on_rows(fit, rows, context))
  fit$nugget <- fit$nugget / fit$predictive$ratio
  fit <- restrict_rows.neargp_svgp(method, fit, rows, context)
  stage <- gaussian_stage(fit$data, as_specified(fit$core_covariance), fit$nugget,
    fit$svgp$positions, method, context)
  fixed <- fit$layout$fixed[fit$layout$kind == "nugget"]
  with_predictive_part(fit, maximize_predictive_score(stage, method, fit$family,
    as_specified(fit$core_covariance), fit$nugget, !fixed, context))
}

gaussian_stage <- function(data, covariance, nugget, positions, method, context) {
  found <- bound_at(data, covariance, nugget, positions, method, context)
  at <- c(found[c("weights", "factor", "beta")], list(positions = positions, nugget = nugget,
    jitter = method$jitter))
  if (kind_of_rows(data) == "parts") {
    return(stage_in_shards(data, covariance, at, "shard_stage", list(unit = bound_unit(data))))
  }
  gaussian_rows(data$coords, response_columns(data), data$weights, covariance, at, context)
}

#' @export
restrict_rows.neargp_ppgpr_families <- function(method, fit, rows, context)
  refit_on_rows(fit, rows, context)
