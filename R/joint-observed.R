# A response at a new location, given others that are observed there. Let eta ~ N(m, S) be the
# linear predictors of all responses. Each observation is a pseudo-observation of its eta, of
# precision W and natural mean t, as in sparse_posterior.h. Given them, the linear predictors are
# normal,
#
#   mean  m + S_o (S_oo + W^-1)^-1 (W^-1 t - m_o),   covariance  S - S_o (S_oo + W^-1)^-1 S_o'.
#
# Here o are the responses that are observed.
#
# W and t are expectations at the posterior of eta. For Gaussian responses the first step is exact.

columns_given_observed <- function(object, newdata, outputs, wanted, steps = 30L,
                                   tolerance = 1e-8) {
  at <- joint_predictors(object, newdata, object$outputs, wanted$threads)
  observed <- lapply(object$outputs, observed_in_newdata, object = object, newdata = newdata,
    complete = at$complete)
  columns <- lapply(outputs, function(output) {
    p <- match(output, object$outputs)
    others <- replace(observed, p, list(NULL))
    moments <- given_others(object, at, others, p, steps, tolerance)
    part <- part_of(object, output)
    settings <- predict_settings(part, type = wanted$type, interval = wanted$interval,
      level = wanted$level)
    settings$probs <- wanted$probs
    if (!is.null(wanted$threshold)) settings$threshold <- wanted$threshold[match(output, outputs)]
    settings$threshold_of <- "observation"
    settings$trials <- 1
    full <- spread_over_rows(moments, at$complete)
    named_by_output(prediction_columns(part, full, settings), output)
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}

# The response of an output in newdata as numbers, NA where it is not known; NULL where newdata
# lacks its columns.
observed_in_newdata <- function(object, newdata, output, complete) {
  part <- object$parts[[output]]
  plain <- drop_geometry(newdata)
  response <- part$formula[[2L]]
  if (!all(all.vars(response) %in% names(plain))) return(NULL)
  values <- rlang::try_fetch(new_observations(part, newdata, NULL, NULL), neargp_error = function(e)
    NULL)
  if (is.null(values)) return(NULL)
  y <- as.double(values$y)[complete]
  list(y = y, trials = if (is.null(values$trials)) rep(1, length(y)) else
    rep_len(values$trials, length(complete))[complete])
}

# Mean and variance of the linear predictor of response p.
given_others <- function(object, at, observed, p, steps, tolerance) {
  count <- nrow(at$mean)
  known <- which(!vapply(observed, is.null, NA))
  mean <- at$mean
  covariance <- at$covariance
  if (!length(known) || !count) return(list(mean = mean[, p], variance = covariance[, p, p]))
  precision <- natural <- matrix(0, count, ncol(mean))
  for (step in seq_len(steps)) {
    before <- mean
    for (m in known) {
      found <- pseudo_observation(object$parts[[m]], observed[[m]], mean[, m], covariance[, m, m])
      precision[, m] <- found$precision
      natural[, m] <- found$natural
    }
    updated <- lapply(seq_len(count), function(i) given_pseudo_observations(at$mean[i, ],
      matrix(at$covariance[i, , ], ncol(mean)), precision[i, ], natural[i, ]))
    mean <- matrix(vapply(updated, `[[`, double(ncol(mean)), "mean"), count, byrow = TRUE)
    covariance <- aperm(array(vapply(updated, function(x) as.vector(x$covariance),
      double(ncol(mean)^2)), c(ncol(mean), ncol(mean), count)), c(3L, 1L, 2L))
    if (max(abs(mean - before)) < tolerance * (1 + max(abs(mean)))) break
  }
  list(mean = mean[, p], variance = covariance[, p, p])
}

# Rows whose response is not known observe nothing.
pseudo_observation <- function(part, observed, mean, variance) {
  known <- which(!is.na(observed$y))
  precision <- natural <- double(length(mean))
  if (length(known)) {
    at <- core_expectations(family_core_name(part$family), as.double(part$family_parameters),
      observed$y[known], observed$trials[known], rep(1, length(known)), mean[known],
      variance[known], plain_context())
    precision[known] <- pmax(at$curvature, 0)
    natural[known] <- precision[known] * mean[known] + at$slope
  }
  list(precision = precision, natural = natural)
}

given_pseudo_observations <- function(mean, covariance, precision, natural) {
  seen <- which(precision > 0)
  if (!length(seen)) return(list(mean = mean, covariance = covariance))
  cross <- covariance[, seen, drop = FALSE]
  gain <- cross %*% solve(covariance[seen, seen, drop = FALSE] +
    diag(1 / precision[seen], length(seen)))
  list(mean = mean + drop(gain %*% (natural[seen] / precision[seen] - mean[seen])),
    covariance = covariance - tcrossprod(gain, cross))
}
