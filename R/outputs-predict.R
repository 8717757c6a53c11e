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
#' @param type `"response"` for new observations, `"link"` for the process without noise.
#' @param interval,level,chunk_size,threads,device,verbose as in [predict.neargp()].
#' @param k,k_other number of neighbours of the own output and of each other one (not of a fit by
#'   [svgp()], which has none); by default `k` as in [predict.neargp()], and `k_other` in the
#'   proportion of the fit.
#' @param covariance `TRUE` (not with `observed`): attribute `"covariance"` of the result is an
#'   array of the covariance matrices of the outputs, one for each row of `newdata`.
#' @param observed `TRUE`: outputs that `newdata` has as columns, where they are not `NA`, are taken
#'   as observed there, and help to predict the others at the same location, not to estimate the
#'   trend, which stays that of the fit. The prediction of an output never uses its own column. The
#'   columns are those that the response of the formula names.
#' @param ... not used; arguments of [predict.neargp()] that several outputs do not have
#'   (`local_mean`, `sectors`, `joint`) are an error.
#' @return An object of the class of `newdata` with the columns `mean_<output>`, `sd_<output>` and,
#'   with an interval, `lower_<output>` and `upper_<output>`. Rows with missing covariates or
#'   coordinates get NA.
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
#' @export
predict.neargp_outputs <- function(object, newdata, type = c("response", "link"),
                                   interval = c("none", "confidence", "prediction"), level = 0.95,
                                   k = NULL, k_other = NULL, covariance = FALSE, observed = FALSE,
                                   chunk_size = NULL, threads = NULL, device = NULL,
                                   verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  if (missing(newdata) || is.null(newdata)) abort_no_newdata()
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  type <- if (missing(type) && interval == "confidence") "link" else check_choice(type, "type",
    c("response", "link"))
  settings <- predict_settings(object, k, threads = threads, device = device, type = type,
    interval = interval, level = level, chunk_size = chunk_size, verbose = verbose,
    outputs = outputs_wanted(k_other, covariance, observed))
  predict_target(object, newdata, settings)
}

# ---- what is asked for ---------------------------------------------------------------------------

# What only predictions of several outputs take, see predict.neargp_outputs().
outputs_wanted <- function(k_other = NULL, covariance = FALSE, observed = FALSE) {
  list(k_other = k_other, covariance = covariance, observed = observed)
}

conditioned_on_outputs <- function(object, k, wanted = outputs_wanted()) {
  check_outputs_conditioning(object$method, k, wanted$k_other, wanted$observed)
  exact <- is.null(k) && is.null(wanted$k_other) && is_exact(object$method)
  most <- max(tabulate(object$data$output, length(object$outputs)))
  k <- if (is.null(k)) min(most, max(60L, 2L * object$k)) else check_count(k, "k")
  k_other <- if (is.null(wanted$k_other)) min(most, predicted_k_other(object, k)) else
    check_count(wanted$k_other, "k_other", lower = 0L)
  if (max(k, k_other) > most) {
    abort_neargp("k",
      c(sprintf("%d neighbours of an output are more than the %s rows in which any is known.",
        max(k, k_other), format_count(most)),
        i = "Use a smaller `k` and `k_other`, or leave them out."))
  }
  if (check_flag(wanted$covariance, "covariance") && check_flag(wanted$observed, "observed")) {
    abort_argument("covariance",
      "FALSE with observed = TRUE, where each output is conditioned on other ones",
      wanted$covariance)
  }
  list(k = as.integer(k), k_other = as.integer(k_other), exact = exact, local_mean = FALSE,
    sectors = 0L)
}

# Refuses what predictions by the method are not conditioned on.
check_outputs_conditioning <- function(method, k, k_other, observed) {
  UseMethod("check_outputs_conditioning")
}

#' @export
check_outputs_conditioning.default <- function(method, k, k_other, observed) invisible()

predicted_k_other <- function(object, k) {
  count <- length(object$outputs)
  if (is.null(object$method$k_other)) return(default_k_other(k, count))
  max(1L, as.integer(ceiling(object$method$k_other * k / object$k)))
}

# ---- moments -------------------------------------------------------------------------------------

#' @export
predictor.neargp_method_outputs <- function(method, object, settings) {
  function(coords, X, offset, observed = NULL) {
    target <- list(coords = coords, X = X, observed = observed)
    stacked <- stacked_targets(object, target)
    found <- conditional_outputs(object, target, stacked, settings)
    if (found$failed > 0L) abort_cholesky(0L)
    moments <- trend_moments(object, found$weighted, found$variance, stacked$X, 0)
    if (!settings$covariance) return(moments)
    c(moments, list(covariance = scaled_covariance(object,
      covariance_of_places(object, target, settings), by_output(object, moments$variance))))
  }
}

# Numbers of targets as a matrix with a row for each place and a column for each output.
by_output <- function(object, x) matrix(x, ncol = length(object$outputs))

conditional_outputs <- function(object, target, stacked, settings) {
  if (settings$exact && is.null(target$observed)) {
    return(core_exact_krige(kept_exact_kriging(object, settings$threads), stacked$coords,
      settings$threads, stacked$output))
  }
  neighbors <- if (settings$exact) all_rows_table(length(object$data$y), nrow(stacked$coords)) else
    neighbors_of_new_outputs(object, target$coords, settings$k, settings$k_other, settings$threads)
  if (!is.null(target$observed)) {
    neighbors <- compact_neighbors(rbind(observed_neighbors(object, target), neighbors))
  }
  krige_outputs(object, target, stacked, neighbors, settings)
}

# Stacks the places once for each output, output after output.
stacked_targets <- function(object, target) {
  m <- nrow(target$coords)
  P <- length(object$outputs)
  place <- rep(seq_len(m), P)
  output <- rep(seq_len(P), each = m)
  list(coords = target$coords[place, , drop = FALSE], output = output, place = place,
    X = outputs_design(target$X, output, place, object$outputs))
}

all_rows_table <- function(n, columns) matrix(rep(seq_len(n), columns), n)

krige_outputs <- function(object, target, stacked, neighbors, settings, keep_weights = FALSE) {
  kriging <- if (is.null(target$observed)) kept_kriging(object) else {
    data <- data_with_observed(object, target)
    core_kriging(data$coords, response_columns(data), 1 / data$weights,
      as_specified(object$core_covariance), 0, data$output)
  }
  core_krige(kriging, stacked$coords, neighbors, FALSE, settings$threads, stacked$output,
    keep_weights)
}

# ---- outputs observed at the new places ----------------------------------------------------------

# The response of the formula, evaluated in newdata: an output that has no column there is not
# observed.
observed_outputs <- function(object, newdata, target) {
  plain <- drop_geometry(newdata)
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

# The data of the fit, and after them what is observed at the new places.
data_with_observed <- function(object, target) {
  data <- object$data
  known <- which(!is.na(target$observed), arr.ind = TRUE)
  place <- known[, 1L]
  list(y = c(data$y, target$observed[known]), offset = rep(0, length(data$y) + nrow(known)),
    weights = c(data$weights, rep(1, nrow(known))),
    X = rbind(data$X, outputs_design(target$X, known[, 2L], place, object$outputs)),
    coords = rbind(data$coords, target$coords[place, , drop = FALSE]),
    output = c(data$output, known[, 2L]), basis = data$basis)
}

# Column (place, output): the rows of the other outputs observed at that place.
observed_neighbors <- function(object, target) {
  known <- !is.na(target$observed)
  number <- matrix(NA_integer_, nrow(known), ncol(known))
  number[known] <- length(object$data$y) + seq_len(sum(known))
  do.call(cbind,
    lapply(seq_len(ncol(known)),
      function(p) t(replace(number, cbind(seq_len(nrow(known)), p), NA_integer_))))
}

# ---- columns -------------------------------------------------------------------------------------

# mean_zinc, sd_zinc, mean_lead, ... from a named list of numbers of targets.
output_columns <- function(parts, outputs) {
  by_output <- lapply(parts, matrix, ncol = length(outputs))
  columns <- lapply(seq_along(outputs), function(p) {
    stats::setNames(lapply(by_output, function(x) x[, p]), paste0(names(parts), "_", outputs[p]))
  })
  as.data.frame(do.call(c, columns), optional = TRUE)
}
