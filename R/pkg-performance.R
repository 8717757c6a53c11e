# All code for performance, except r2() (r2.R).

#' @exportS3Method performance::model_performance
model_performance.neargp <- function(model, ...) {
  likelihood <- is_likelihood(model)
  shares <- performance::r2(model)
  loo <- predicted_rows(loo_moments(model))
  table <- data.frame(AIC = if (likelihood) stats::AIC(model) else NA_real_,
    BIC = if (likelihood) stats::BIC(model) else NA_real_, R2_loo = shares$R2_loo,
    R2_trend = shares$R2_trend, RMSE_loo = sqrt(mean((loo$observed - loo$mean)^2)),
    Sigma = stats::sigma(model))
  structure(table, class = c("performance_model", "data.frame"))
}

# A fit by a score provides neither AICc nor AIC.
#' @exportS3Method performance::performance_aicc
performance_aicc.neargp <- function(x, ...) {
  if (!is_likelihood(x)) abort_not_likelihood("The AICc", x$score, is_gaussian(x$family))
  NextMethod()
}

#' @exportS3Method performance::performance_aic
performance_aic.neargp <- function(x, ...) stats::AIC(x)

#' @exportS3Method performance::check_convergence
check_convergence.neargp <- function(x, tolerance = 0.001, ...) {
  as.logical(x$convergence$converged)
}

# Draws of the observed rows next to the response, as performance plots and prints them.
#' @exportS3Method performance::check_predictions
check_predictions.neargp <- function(object, iterations = 50, check_range = FALSE, ...) {
  check_one_response(object, "check_predictions()")
  drawn <- stats::simulate(object, nsim = iterations)
  attr(drawn, "seed") <- NULL
  drawn$y <- observed_response(object$data)
  structure(drawn, check_range = check_range, response_name = object$data$response_name,
    class = c("performance_pp_check", "see_performance_pp_check", "data.frame"))
}

# Counts zeros in draws of the observed rows, from whatever part of the family they come. Versions
# of performance in which this is no generic do not find it.
#' @exportS3Method performance::check_zeroinflation
check_zeroinflation.neargp <- function(x, tolerance = 0.05, nsim = 250, ...) {
  check_one_response(x, "check_zeroinflation()")
  entry <- response_family(x$family)
  if (!isTRUE(entry$discrete) || isTRUE(entry$has_trials) || isTRUE(entry$thresholds)) {
    abort_neargp("family", "check_zeroinflation() is for counts.")
  }
  if (!is.null(entry$least)) abort_neargp("family", "Truncated counts contain no zeros.")
  observed <- sum(observed_response(x$data) == 0)
  drawn <- colSums(as.matrix(stats::simulate(x, nsim = check_count(nsim, "nsim"))) == 0)
  structure(list(predicted.zeros = round(mean(drawn)), observed.zeros = observed,
    ratio = mean(drawn) / observed, tolerance = tolerance), class = "check_zi")
}

# The test of Breusch and Pagan is for independent residuals with a variance that is estimated.
#' @exportS3Method performance::check_heteroscedasticity
check_heteroscedasticity.neargp <- function(x, ...) {
  abort_neargp("method", c("The test of Breusch and Pagan is for residuals without spatial correlation.",
    i = "Use plot(fit, \"residuals\") to see whether the scatter of leave-one-out residuals is constant."))
}

# The test of Durbin and Watson takes rows in their order for a series.
#' @exportS3Method performance::check_autocorrelation
check_autocorrelation.neargp <- function(x, ...) {
  abort_neargp("method", c("The test of Durbin and Watson is for rows in the order of time.",
    i = "Use plot(fit, \"residual_map\") to see patches that the process has missed."))
}

# The default takes the model's terms for those of vcov(), and finds nothing.
#' @exportS3Method performance::check_collinearity
check_collinearity.neargp_outputs <- function(x, ...) check_one_trend(x, "check_collinearity()")

#' @exportS3Method performance::check_collinearity
check_collinearity.neargp_classifier <- check_collinearity.neargp_outputs
