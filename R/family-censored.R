# Censored normal responses: measured, or known to lie between two limits. This is the entry of the
# table in R/response-families.R. Data contain the limits of each row, which are equal where it was
# measured. For starting values and plots they also contain `y`, a number in the middle of the
# limits or the only finite limit. A new observation is a measurement, so predictions are those of a
# Gaussian response.

#' Responses that are known up to limits
#'
#' The response of [censored_gaussian()]: measurements, of which some are known to lie between
#' limits only, as below a detection limit, above the range of a gauge, or between two readings.
#'
#' @param y measurements, NA where only limits are known.
#' @param lower,upper limits of the rows whose `y` is NA, one for each row or one for all; -Inf and
#'   Inf where there is none. Those of measured rows are not looked at. A row with neither a
#'   measurement nor a limit is missing.
#' @return A matrix of class `neargp_cens` with the columns `lower` and `upper`, equal where a value
#'   was measured, to be used as a response in a formula.
#' @seealso [response_family]. `survival::Surv(lower, upper, type = "interval2")` works as well.
#' @examples
#' # Concentrations with a detection limit of 0.5 that is reported as "< 0.5"
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' concentration <- rnorm(150, sin(5 * d$x) + d$y, 0.3)
#' d$measured <- ifelse(concentration < 0.5, NA, concentration)
#' fit <- neargp(cens(measured, upper = 0.5) ~ 1, d, coords = ~ x + y,
#'   family = censored_gaussian())
#' fit
#' predict(fit, d[1:3, ], interval = "prediction", threshold = 0.5)
#' @export
cens <- function(y, lower = -Inf, upper = Inf) {
  check_given(missing(y), "y", "measurements, NA where only limits are known")
  n <- length(y)
  for (name in c("y", "lower", "upper")) {
    value <- get(name)
    fits <- is.atomic(value) && (is.numeric(value) || all(is.na(value))) &&
      length(value) %in% c(1L, n)
    if (!fits) abort_argument(name, sprintf("numbers, %s", if (name == "y") "one for each row" else
      "one for all rows or one for each"), value)
  }
  known <- !is.na(y)
  infinite <- which(is.infinite(y))
  if (length(infinite)) {
    abort_neargp("response",
      c(sprintf("A measurement is infinite in %s.", format_rows(infinite)),
        i = "Give NA where only limits are known, and these as `lower` and `upper`."))
  }
  limits <- cbind(lower = ifelse(known, y, lower), upper = ifelse(known, y, upper))
  reversed <- which(!known & limits[, 1L] >= limits[, 2L])
  if (length(reversed)) {
    abort_neargp("response", sprintf("The lower limit is not below the upper one in %s.",
      format_rows(reversed)))
  }
  limits[is.infinite(limits[, 1L]) & is.infinite(limits[, 2L]), ] <- NA_real_
  structure(limits, class = "neargp_cens")
}

#' @export
`[.neargp_cens` <- function(x, i, ...) {
  limits <- unclass(x)
  if (nargs() == 2L || missing(i)) return(limits[i, ...])
  structure(limits[i, , drop = FALSE], class = "neargp_cens")
}

#' @export
format.neargp_cens <- function(x, ...) {
  limits <- unclass(x)
  lower <- trimws(format(limits[, 1L], ...))
  upper <- trimws(format(limits[, 2L], ...))
  value <- ifelse(limits[, 1L] == limits[, 2L], lower, paste(lower, "to", upper))
  value <- ifelse(limits[, 1L] == -Inf, paste("<", upper), value)
  ifelse(limits[, 2L] == Inf, paste(">", lower), value)
}

#' @export
print.neargp_cens <- function(x, ...) {
  print(format(x, ...), quote = FALSE)
  invisible(x)
}

# ---- the family ----------------------------------------------------------------------------------

censored_gaussian_entry <- function() {
  normal_entry(function(parameters) parameters$sd, function(parameters) parameters$sd^2,
    parameters = "sd", lower = c(sd = 1e-4), upper = c(sd = 10), unit = 1, limits = TRUE,
    form = censored_form,
    start = function(y, mu, weights, trials = 1) c(sd = sqrt(weighted_mean((y - mu)^2, weights))),
    mixture = censored_rule()
  )
}

has_limits <- function(family) has_mark(family, "limits")

# The posterior next to a limit is about as narrow as the noise. Where that is far below the scatter
# of the response, the search for it has too far to go.
check_sharp_limits <- function(problem, least = 1e-4) {
  sd <- as.list(problem$family$fixed)[["sd"]]
  if (!has_limits(problem$family) || is.na(sd %||% NA)) return(invisible())
  censored <- problem$data$limits[, 1L] < problem$data$limits[, 2L]
  scatter <- stats::sd(problem$data$y)
  if (!any(censored) || !isTRUE(sd < least * scatter)) return(invisible())
  abort_neargp("family", c(
    sprintf("%s() cannot fit censored_gaussian(sd = %s) to a response with limits that scatters by %.3g: the noise is too small.",
      method_name(problem$method), format(sd), scatter),
    i = sprintf("Leave out `sd`, which estimates it, or give at least %.2g.", least * scatter)))
}

censored_form <- function(y, family, weights, frame) {
  limits <- response_limits(y, family, frame)
  reversed <- which(limits[, 1L] > limits[, 2L])
  if (length(reversed)) {
    abort_response(family, "a lower limit, then an upper limit", frame,
      paste("has them reversed in", format_rows(original_rows(frame, reversed))))
  }
  list(y = middle_of_limits(limits), limits = limits, kind = "censored")
}

# A matrix of the lower and the upper limits, from the response of a formula.
response_limits <- function(y, family, frame) {
  if (inherits(y, "neargp_cens")) return(unname(unclass(y)[, 1:2, drop = FALSE]))
  if (inherits(y, "Surv")) return(survival_limits(y, family, frame))
  if (is.numeric(y) && is.null(dim(y))) return(unname(cbind(y, y)))
  abort_response(family, "numeric, cens(y, lower, upper), or survival::Surv()", frame,
    describe_class(y))
}

# The status of right-censored times is 0, of events 1, of left-censored times 2, of intervals 3;
# of type "left" 0 is left-censored.
survival_limits <- function(y, family, frame) {
  type <- attr(y, "type")
  values <- unclass(y)
  if (!type %in% c("right", "left", "interval")) {
    abort_response(family, "of type \"right\", \"left\", \"interval\" or \"interval2\"", frame,
      sprintf("is of type \"%s\"", type))
  }
  status <- values[, "status"]
  first <- values[, 1L]
  second <- if (type == "interval") values[, 2L] else first
  left <- if (type == "left") status == 0 else status == 2
  right <- type != "left" & status == 0
  unname(cbind(ifelse(left, -Inf, first), ifelse(right, Inf, ifelse(status == 3, second, first))))
}

middle_of_limits <- function(limits) {
  lower <- limits[, 1L]
  upper <- limits[, 2L]
  ifelse(is.infinite(lower), upper, ifelse(is.infinite(upper), lower, lower + (upper - lower) / 2))
}

# Responses in the form that the core takes, y and trials. For censored responses these are the
# lower and the upper limit, with numbers beyond 1e300 for missing limits.
core_observations <- function(data) {
  if (is.null(data$limits)) return(list(y = data$y, trials = data$trials))
  finite <- function(x) pmin(pmax(x, -1e305), 1e305)
  list(y = finite(data$limits[, 1L]), trials = finite(data$limits[, 2L]))
}

# ---- of the mixture ------------------------------------------------------------------------------

# The log density of rows with limits is that of a measurement or the log probability of the
# interval.
censored_rule <- function() {
  rule <- normal_rule(function(parameters) parameters$sd^2, censored_crps)
  of_measured <- rule$log_density
  rule$log_density <- function(mixture, y) {
    value <- of_measured(mixture, y)
    rows <- which(mixture$limits[, 1L] < mixture$limits[, 2L])
    if (!length(rows)) return(value)
    z <- (mixture$limits[rows, , drop = FALSE] - mixture$mean[rows]) / rule$spread(mixture)[rows]
    value[rows] <- log_probability_between(z[, 1L], z[, 2L], stats::pnorm)
    value
  }
  rule
}

# A mixture whose observations are known up to these limits, NULL where all are measured.
with_limits <- function(mixture, limits) {
  if (!is.null(limits)) mixture$limits <- limits
  mixture
}

mixture_limits <- function(mixture, observed) {
  mixture$limits %||% cbind(observed, observed)
}

# The CRPS over thresholds of which it is known whether the observation exceeds them. It is the
# integral of F^2 below the interval and of (1 - F)^2 above it. The integral of Phi^2 up to z is
#   z Phi(z)^2 + 2 phi(z) Phi(z) - Phi(z sqrt(2)) / sqrt(pi).
censored_crps <- function(mixture, observed) {
  sd <- sqrt(mixture_rule(mixture)$variance(mixture))
  z <- (mixture_limits(mixture, observed) - mixture$mean) / sd
  below <- function(z) {
    value <- z * stats::pnorm(z)^2 + 2 * stats::dnorm(z) * stats::pnorm(z) -
      stats::pnorm(z * sqrt(2)) / sqrt(pi)
    ifelse(z == -Inf, 0, value)
  }
  sd * (below(z[, 1L]) + below(-z[, 2L]))
}

check_limits_family <- function(response, family) {
  if (!is_gaussian(family) || !inherits(response, c("neargp_cens", "Surv"))) return(invisible())
  abort_neargp("family", c("A response of cens() or Surv() has limits.",
    i = "Fit it with family = censored_gaussian()."))
}
