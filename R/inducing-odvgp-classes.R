# Classes by odvgp(): a mean of each class on the inducing points of the mean, variances of svgp().

#' @export
best_mean.neargp_odvgp_classes <- function(method, fit, solve, context, ...) {
  X <- class_columns_of(fit, fit$data$X)
  fields <- fit$svgp$fields
  base <- matrix(vapply(fields, `[[`, double(ncol(X)), "beta"), ncol(X), length(fields))
  norms <- vapply(fields, function(field) sum((field$weights %*% c(1, -field$beta))^2), 0)
  given <- fit$svgp$at_data
  known <- list(field = given$linear_predictor - X %*% base, norm = sum(norms))
  variance <- given$variance + outer(given$unexplained,
    fit$svgp$pseudo_observations$unexplained_share)
  found <- raised_mean(list(X = X, offset = double(nrow(X))), known, base,
    class_mean_expectations(fit, variance, context), solve, fit$method, ...)
  c(with_trend_errors(found, X, solve, separation_limit(field_variance(fit))),
    list(into = with_class_means))
}

# The errors of the coefficients and predictions of a class are by its own curvature, as in svgp().
with_trend_errors <- function(found, X, solve, limit) {
  if (!ncol(X)) return(found)
  curvature <- pmax(found$state$expected$curvature, 0)
  for (number in seq_len(ncol(curvature))) {
    design <- solve(curvature[, number], X[, 0L, drop = FALSE], unname(X))[c("solved", "field")]
    found$design[[number]] <- design
    vcov <- mean_trend(X, double(nrow(X)), design$solved)$beta_vcov
    found$beta_vcov[[number]] <- held_trend(X, vcov, limit)
  }
  found$solved <- solved_columns(found$state$at, found$design)
  found
}

# Classes compete: H, minus the curvature of a row, maps the vector 1 to 0, and its elements off the
# diagonal are negative. Hence x'H x <= 2 sum_c H_cc x_c^2, and steps with precisions 2 H_cc do not
# overshoot. Under softmax, slopes are w (1[y = c] - a_c). The precisions `w a_c / (1 + a_c s_c)`,
# with variances s, are smaller and suffice as well (src/core/likelihoods/softmax.h).
class_mean_expectations <- function(fit, variance, context) {
  label <- class_numbers(fit$data)
  weights <- fit$data$weights
  observed <- diag(length(fit$classifier$levels))[label, , drop = FALSE]
  function(predictor) {
    found <- core_class_expectations(fit$family$link, label, weights, predictor, variance, context)
    if (fit$family$link == "softmax") {
      expected <- weights * observed - found$slope
      precision <- expected / (1 + expected / weights * variance)
    } else {
      precision <- 2 * pmax(found$curvature, 0)
    }
    c(found, list(precision = precision))
  }
}

with_class_means <- function(fit, found) {
  back <- fit$svgp$basis$back
  for (number in seq_along(fit$svgp$fields)) {
    fit$svgp$fields[[number]]$beta <- found$state$at$beta[, number]
    fit$svgp$fields[[number]]$beta_vcov <- found$beta_vcov[[number]]
  }
  fit$svgp$at_data$linear_predictor <- found$state$predictor
  fit$svgp$at_data$slope <- found$state$expected$slope
  classifier <- fit$classifier
  classifier$trend[] <- back %*% found$state$at$beta
  classifier$trend_vcov <- lapply(found$beta_vcov, function(vcov) back %*% vcov %*% t(back))
  as_classifier(fit, classifier)
}

#' @export
class_probabilities_given_others.neargp_odvgp <- function(method, object, k, threads, rows) {
  refuse_leave_one_out()
}

#' @export
restrict_rows.neargp_odvgp_classes <- function(method, fit, rows, context) {
  refit_on_rows(fit, rows, context)
}
