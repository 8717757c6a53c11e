# A response at a new location, given others that are observed there. Let eta ~ N(m, S) be the
# linear predictors of all responses. Each observation is a pseudo-observation of its eta, of
# precision W and natural mean t, as in sparse_posterior.h. Given them, the linear predictors are
# normal, with
#
#   V = S(I + W S)^-1   and   mean m + V (t - W m).
#
# W and t are expectations at the posterior of eta. For Gaussian responses the first step is exact.

columns_given_observed <- function(object, newdata, outputs, wanted, steps = 30L,
                                   tolerance = 1e-8) {
  check_newdata_class(newdata)
  names <- names(drop_geometry(newdata))
  seen <- object$outputs[vapply(object$parts, function(part) all(all.vars(part$formula[[2L]]) %in%
    names), NA)]
  used <- object$outputs[object$outputs %in% c(outputs, seen)]
  at <- joint_predictors(object, newdata, used, wanted$threads)
  observed <- lapply(used, function(output) if (output %in% seen) observed_in_newdata(object,
    newdata, output, at$complete))
  columns <- lapply(outputs, function(output) {
    p <- match(output, used)
    others <- replace(observed, p, list(NULL))
    moments <- given_others(object$parts[used], at, others, p, steps, tolerance)
    part <- part_of(object, output)
    settings <- predict_settings(part, type = wanted$type, interval = wanted$interval,
      level = wanted$level)
    settings$probs <- wanted$probs
    if (!is.null(wanted$threshold)) settings$threshold <- wanted$threshold[match(output, outputs)]
    settings$threshold_of <- "observation"
    settings$trials <- 1
    full <- spread_over_rows(moments, at$complete)
    full$parameter_columns <- scored_columns(part, newdata)
    full$mean <- where_known(full$mean, full$parameter_columns)
    named_by_output(prediction_columns(part, full, settings), output)
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}

# The response of an output in newdata as numbers, NA where it is not known.
observed_in_newdata <- function(object, newdata, output, complete) {
  values <- new_observations(object$parts[[output]], newdata, NULL, NULL)
  y <- as.double(values$y)[complete]
  columns <- scored_columns(object$parts[[output]], newdata)
  list(y = y, trials = if (is.null(values$trials)) rep(1, length(y)) else
    rep_len(values$trials, length(complete))[complete],
    parameter_columns = lapply(columns, take_rows, which(complete)))
}

# Mean and variance of the linear predictor of response p. Where steps swing, they are halved.
given_others <- function(parts, at, observed, p, steps, tolerance) {
  count <- nrow(at$mean)
  known <- which(!vapply(observed, is.null, NA))
  mean <- at$mean
  covariance <- at$covariance
  if (!length(known) || !count) return(list(mean = mean[, p], variance = covariance[, p, p]))
  precision <- natural <- matrix(0, count, ncol(mean))
  share <- 1
  for (step in seq_len(steps)) {
    before <- mean
    for (m in known) {
      found <- pseudo_observation(parts[[m]], observed[[m]], mean[, m], covariance[, m, m],
        at$covariance[, m, m])
      precision[, m] <- precision[, m] + share * (found$precision - precision[, m])
      natural[, m] <- natural[, m] + share * (found$natural - natural[, m])
    }
    updated <- lapply(seq_len(count), function(i) given_pseudo_observations(at$mean[i, ],
      matrix(at$covariance[i, , ], ncol(mean)), precision[i, ], natural[i, ]))
    mean <- matrix(vapply(updated, `[[`, double(ncol(mean)), "mean"), count, byrow = TRUE)
    covariance <- aperm(array(vapply(updated, function(x) as.vector(x$covariance),
      double(ncol(mean)^2)), c(ncol(mean), ncol(mean), count)), c(3L, 1L, 2L))
    if (max(abs(mean - before)) < tolerance * (1 + max(abs(mean)))) break
    if (step >= 10L) share <- 0.5
  }
  list(mean = mean[, p], variance = covariance[, p, p])
}

# Rows whose response is not known, or a covariate of its parameters, observe nothing. A precision
# may be negative, but leaves the posterior one of at least a tenth of the prior's.
pseudo_observation <- function(part, observed, mean, variance, prior_variance) {
  columns <- observed$parameter_columns
  known <- which(stats::complete.cases(do.call(cbind, unname(c(list(observed$y), columns)))))
  precision <- natural <- double(length(mean))
  if (length(known)) {
    given <- response_parameters(part, list(parameter_columns = lapply(columns, take_rows, known)))
    parameters <- if (is.list(given)) by_datum(given, length(known)) else as.double(given)
    at <- core_expectations(family_core_name(part$family), parameters, observed$y[known],
      observed$trials[known], rep(1, length(known)), mean[known], variance[known],
      plain_context())
    precision[known] <- pmax(at$curvature, -0.9 / prior_variance[known])
    natural[known] <- precision[known] * mean[known] + at$slope
  }
  list(precision = precision, natural = natural)
}

given_pseudo_observations <- function(mean, covariance, precision, natural) {
  if (all(precision == 0 & natural == 0)) return(list(mean = mean, covariance = covariance))
  given <- covariance %*% solve(diag(length(mean)) + precision * covariance)
  list(mean = mean + drop(given %*% (natural - precision * mean)),
    covariance = (given + t(given)) / 2)
}
