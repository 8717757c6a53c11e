#' Predictions of several outputs (cokriging)
#'
#' Mean and standard deviation of each output at new locations, given the nearest observations of
#' all outputs, as [predict.neargp()] gives those of one: universal cokriging.
#'
#' @details
#' The prediction of an output is conditioned on its own `k` nearest observations and on the
#' `k_other` nearest of each other output. (Outputs that are observed at the same places say little
#' about each other at new places, so that few of them do; raise `k_other` where one output is
#' observed much more densely than the others.)
#'
#' The covariance between the outputs at a location is that of their errors given one set of
#' neighbours common to all outputs, scaled to the standard deviations that are reported.
#'
#' A fit by [svgp()] predicts from its inducing points instead of neighbours, and has the covariance
#' of its posterior. One by [dspp()] or [dgp()] has that of its mixture, intervals that are
#' quantiles of it, and no `observed = TRUE` (`neargp_error_argument`).
#'
#' @param object a fit of [neargp()] to several outputs.
#' @param newdata as in [predict.neargp()].
#' @param type `"response"` for new observations, `"quantile"` for their quantiles at `probs`,
#'   `"link"` for the process without noise.
#' @param interval,level,probs,chunk_size,threads,device,verbose as in [predict.neargp()].
#' @param threshold a number for all outputs, or one for each, in their order or with their names:
#'   adds the probability that a new observation is greater than it.
#' @param k,k_other number of neighbours of the own output and of each other one (not of a fit by
#'   [svgp()], which has none); by default `k` as in [predict.neargp()], and `k_other` in the
#'   proportion of the fit.
#' @param covariance `TRUE` (not with `observed`): attribute `"covariance"` of the result is an
#'   array of the covariance matrices of the outputs, one for each row of `newdata`.
#' @param observed `TRUE`: outputs that `newdata` has as columns, where they are not `NA`, are taken
#'   as observed there, and help to predict the others at the same location, not to estimate the
#'   trend, which stays that of the fit. The prediction of an output never uses its own column. The
#'   columns are those that the response of the formula names.
#' @param output,cluster,overwrite files that predictions are written to, part by part, see
#'   [prediction_files], a cluster whose workers do so, and whether other files are replaced.
#'   Without `output` no `cluster` is taken. Not of a SpatRaster.
#' @param ... not used; arguments of [predict.neargp()] that several outputs do not have
#'   (`local_mean`, `sectors`, `joint`, `smooth`, `parameters`, `filename`, `threshold_of`,
#'   `trials`) are an error.
#' @return An object of the class of `newdata` with the columns `mean_<output>`, `sd_<output>` (or
#'   `q0.05_<output>`, ... for quantiles) and, with an interval, `lower_<output>` and
#'   `upper_<output>`, with a threshold `p_exceed_<output>`. Rows with missing covariates or
#'   coordinates get NA. With `output` the names of the files.
#' @section Errors: Those of [predict.neargp()].
#' @references Wackernagel, H. (2003). *Multivariate Geostatistics*, chapters 24 to 26. Springer.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(120), y = runif(120))
#' field <- sin(6 * d$x) + d$y
#' d$a <- field + rnorm(120, sd = 0.1)
#' d$b <- 2 * field + rnorm(120, sd = 0.3)
#' d$b[1:60] <- NA
#' fit <- neargp(cbind(a, b) ~ 1, d, coords = ~ x + y, method = loo_k(k = 15))
#' place <- data.frame(x = 0.5, y = 0.5, a = 0.6)
#' predict(fit, place)
#' attr(predict(fit, place, covariance = TRUE), "covariance")
#' predict(fit, place, observed = TRUE)
#' predict(fit, place, threshold = c(a = 1, b = 2))
#' @export
predict.neargp_outputs <- function(object, newdata, type = c("response", "link", "quantile"),
                                   interval = c("none", "confidence", "prediction"), level = 0.95,
                                   probs = c(0.05, 0.5, 0.95), threshold = NULL, k = NULL,
                                   k_other = NULL, covariance = FALSE, observed = FALSE,
                                   chunk_size = NULL, threads = NULL, device = NULL,
                                   verbose = rlang::is_interactive(), cluster = NULL, output = NULL,
                                   overwrite = FALSE, ...) {
  check_fit(object)
  if (!missing(newdata) && is_areas(newdata)) check_predicts_areas(object)
  check_no_more_arguments()
  if (missing(newdata) || is.null(newdata)) abort_no_newdata()
  if (is_to_files(output, cluster)) {
    return(predict_to_files(object, newdata, given_arguments(match.call(expand.dots = FALSE),
      environment())))
  }
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  type <- if (missing(type) && interval == "confidence") "link" else check_choice(type, "type",
    c("response", "link", "quantile"))
  if (!missing(probs)) check_for_quantiles(probs, type)
  settings <- predict_settings(object, k, threads = threads, device = device, type = type,
    interval = interval, level = level, chunk_size = chunk_size, verbose = verbose,
    outputs = outputs_wanted(k_other, covariance, observed))
  settings$probs <- check_probs(probs)
  settings$threshold <- check_output_thresholds(threshold, object$outputs)
  settings$threshold_of <- "observation"
  predict_target(object, newdata, settings)
}

# Thresholds in the order of the outputs.
check_output_thresholds <- function(threshold, outputs) {
  if (is.null(threshold)) return(NULL)
  named <- names(threshold)
  fits <- is.numeric(threshold) && all(is.finite(threshold)) &&
    length(threshold) %in% c(1L, length(outputs)) && (is.null(named) || setequal(named, outputs))
  if (!fits) {
    abort_argument("threshold",
      sprintf("a number, or a number for each of the outputs %s", format_some(outputs)), threshold)
  }
  rep_len(as.double(if (is.null(named)) threshold else threshold[outputs]), length(outputs))
}

#' @export
predictor.neargp_method_outputs <- function(method, object, settings) {
  function(coords, X, offset, observed = NULL) {
    target <- stacked_targets(object, coords, X)
    neighbors <- if (!settings$exact) neighbors_of_new_outputs(object, coords, settings$k,
      settings$k_other, settings$context)
    if (!is.null(observed)) {
      return(moments_given_observed(object, target, neighbors %||% all_rows_table(object, target),
        observed, settings))
    }
    moments <- conditional_moments(object, target$coords, target$X, 0, settings, neighbors,
      target$output)
    if (settings$covariance) {
      moments$covariance <- scaled_covariance(object, covariance_of_places(object, coords, target,
        settings), by_output(object, moments$variance))
    }
    moments
  }
}

all_rows_table <- function(object, target) {
  n <- count_conditioned(object)
  matrix(seq_len(n), n, nrow(target$coords))
}

# ---- outputs observed at the new places ----------------------------------------------------------

# The response of the formula, evaluated in newdata: an output that has no column there is not
# observed.
observed_outputs <- function(object, newdata, target) {
  plain <- drop_geometry(with_fitted_columns(object, newdata))
  expressions <- as.list(response_call(object))[-1L]
  if (!is.call(object$formula[[2L]]) || !identical(object$formula[[2L]][[1L]], quote(cbind)) ||
    length(expressions) != length(object$outputs)) {
      abort_neargp("newdata", c("`observed = TRUE` needs a response of the form cbind(y1, y2).",
        i = "Other matrices have no columns to look for."))
    }
  values <- lapply(expressions, function(expression) {
    if (!all(all.vars(expression) %in% names(plain))) return(rep(NA_real_, nrow(plain)))
    rep_len(as.double(eval(expression, plain, environment(object$formula))), nrow(plain))
  })
  observed <- matrix(unlist(values), nrow(plain))[target$complete, , drop = FALSE]
  if (any(is.infinite(observed))) {
    abort_neargp("missing_values", "`newdata` has infinite values of outputs.")
  }
  observed
}

# The neighbours of an output are those of the data, and the other ones at its place.
moments_given_observed <- function(object, target, neighbors, observed, settings) {
  data <- data_with_observed(object, target, observed)
  kriging <- core_kriging(data$coords, response_columns(data), 1 / data$weights,
    as_specified(object$core_covariance), 0, data$output)
  found <- conditional_weights(object, target$coords, settings,
    compact_neighbors(rbind(observed_neighbors(object, observed), neighbors)), target$output,
    kriging)
  trend_moments(object, found$weighted, found$variance, target$X, 0)
}

# The data of the fit, and after them what is observed at the new places.
data_with_observed <- function(object, target, observed) {
  data <- conditioned_data(object)
  known <- which(!is.na(observed))
  list(y = c(data$y, observed[known]), offset = rep(0, length(data$y) + length(known)),
    weights = c(data$weights, rep(1, length(known))),
    X = rbind(data$X, target$X[known, , drop = FALSE]),
    coords = rbind(data$coords, target$coords[known, , drop = FALSE]),
    output = c(data$output, target$output[known]), basis = data$basis)
}

# Column (place, output): the rows of the other outputs observed at that place.
observed_neighbors <- function(object, observed) {
  known <- !is.na(observed)
  number <- matrix(NA_integer_, nrow(known), ncol(known))
  number[known] <- count_conditioned(object) + seq_len(sum(known))
  do.call(cbind,
    lapply(seq_len(ncol(known)),
      function(p) t(replace(number, cbind(seq_len(nrow(known)), p), NA_integer_))))
}

# ---- covariance of the outputs at a place --------------------------------------------------------

outputs_covariance <- function(object, moments, settings) {
  covariance <- moments$covariance
  if (settings$type != "link") {
    for (p in seq_along(object$outputs)) covariance[, p, p] <- covariance[, p, p] + object$nugget[p]
  }
  dimnames(covariance) <- list(NULL, object$outputs, object$outputs)
  covariance
}

# With one set of neighbours common to the outputs of a place, weights b_p, covariances c_q with
# them, and d_p what they do not see of the trend, the errors of outputs p and q have the covariance
# B[p, q] - b_p'c_q + d_p' V d_q.
covariance_of_places <- function(object, coords, target, settings) {
  m <- nrow(coords)
  P <- length(object$outputs)
  each <- max(1L, as.integer(ceiling((settings$k + (P - 1) * settings$k_other) / P)))
  common <- (if (settings$exact) all_rows_table(object, target) else
    neighbors_of_new_outputs(object, coords, each, each,
      settings$context))[, seq_len(m), drop = FALSE]
  covariance <- array(0, c(m, P, P))
  found <- conditional_weights(object, target$coords, settings, common[, target$place,
    drop = FALSE], target$output, keep_weights = TRUE)
  unseen <- design_columns(object$data, target$X) - found$weighted[, -1L, drop = FALSE]
  beta_vcov <- core_trend(object)$beta_vcov
  total <- Reduce(`+`, lapply(object$core_covariance$components,
    function(x) tcrossprod(x$loadings)))
  for (q in seq_len(P)) {
    cross <- neighbor_covariance(object, coords, common, q)
    for (p in seq_len(P)) {
      rows <- target$output == p
      explained <- rowSums(found$weights[rows, , drop = FALSE] * cross)
      trend <- rowSums(row_products(unseen[rows, , drop = FALSE], beta_vcov) *
        unseen[target$output == q, , drop = FALSE])
      covariance[, p, q] <- total[p, q] - explained + trend
    }
  }
  covariance
}

# Row t: covariances of output q at place t with its neighbours; 0 where there are fewer.
neighbor_covariance <- function(object, coords, neighbors, q) {
  data <- conditioned_data(object)
  k <- nrow(neighbors)
  result <- matrix(0, nrow(coords), k)
  for (component in object$core_covariance$components) {
    there <- core_scale(data$coords, component)
    here <- core_scale(coords, component)
    products <- drop(component$loadings %*% component$loadings[q, ])
    for (r in seq_len(k)) {
      row <- neighbors[r, ]
      present <- !is.na(row)
      row <- row[present]
      distance <- sqrt(rowSums((there[row, , drop = FALSE] - here[present, , drop = FALSE])^2))
      result[present, r] <- result[present, r] + correlation_at(component, distance) *
        products[data$output[row]]
    }
  }
  result
}

# To the variances that are reported. Where an output is known, as at a datum without noise, its
# error is 0 but for rounding, and so are the correlations with it.
scaled_covariance <- function(object, covariance, variance) {
  P <- ncol(variance)
  prior <- Reduce(`+`, lapply(object$core_covariance$components, function(x) rowSums(x$loadings^2)))
  own <- by_output(object, own_variances(covariance))
  known <- own <= 1e-10 * rep(prior, each = nrow(own))
  ratio <- ifelse(known, 0, sqrt(variance / ifelse(known, 1, own)))
  for (p in seq_len(P)) for (q in seq_len(P)) {
    covariance[, p, q] <- if (p == q) variance[, p] else covariance[, p, q] * ratio[, p] *
      ratio[, q]
  }
  covariance
}

# The variance of each target.
own_variances <- function(covariance) {
  P <- dim(covariance)[2L]
  unlist(lapply(seq_len(P), function(p) covariance[, p, p]))
}
