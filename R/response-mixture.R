# Predictions of a response. The linear predictor is normal, eta ~ N(mean, sd^2), and the response
# given eta follows the distribution of its family, so y is a mixture over eta. All predictions of a
# new observation (mean, intervals, exceedance, scores) are properties of that mixture, row by row.
# Facts about families are in mixture-families.R, the quadrature is in mixture-quadrature.R.

# `mean`, `sd`: of eta, NA where nothing is predicted. `parameters`: named numbers of the family on
# the natural scale (or a list of them, each of length 1 or one for each row). `weights`: divisors
# of the dispersion, in families that include one.
new_mixture <- function(mean, sd, family, parameters = NULL, trials = 1, weights = NULL) {
  name <- family_core_name(family)
  if (is.null(name)) {
    abort_neargp("family", sprintf("Predictions of %s response with %s link are not supported.",
      with_article(family), family$link))
  }
  parameters <- check_family_parameters(parameters, family)
  mixture <- named_mixture(name, mean, sd, parameters, trials, weights)
  mixture$levels <- family$levels
  if (has_transform(family)) transformed_mixture(mixture, family) else mixture
}

# The same by the family's name in the table.
named_mixture <- function(name, mean, sd, parameters, trials = 1, weights = NULL) {
  n <- length(mean)
  if (!is.null(weights)) parameters <- weigh_noise(name, parameters, weights)
  if (isTRUE(response_families[[name]]$thresholds)) trials <- length(parameters) + 2
  values <- recycle_predictions(list(mean = mean, sd = sd, trials = trials), n)
  new_predictive(list(name = name, n = n, mean = values$mean, sd = values$sd,
    trials = values$trials, parameters = parameters), "response_mixture")
}

recycle_predictions <- function(predicted, n) {
  for (name in names(predicted)) {
    value <- predicted[[name]]
    if (is.null(value) || is.matrix(value)) next
    if (!is.numeric(value) || !length(value) %in% c(1L, n)) {
      abort_neargp("length", c(
        sprintf("`%s` must be numeric, of length 1 or one value for each observation.", name),
        x = sprintf("It has %d values (%s); there are %d observations.",
                    length(value), class(value)[1L], n)
      ))
    }
    predicted[[name]] <- rep_len(as.numeric(value), n)
  }
  negative <- which(predicted$sd < 0)
  if (length(negative)) {
    abort_neargp("sd", sprintf("`sd` must not be negative; it is in %s.", format_rows(negative)))
  }
  predicted
}

check_family_parameters <- function(parameters, family) {
  # gaps between thresholds may come without the levels that would name them
  if (has_thresholds(family) && is.null(family$levels)) return(as.list(parameters))
  names <- family_parameter_names(family)
  missing <- setdiff(names, names(parameters))
  if (length(missing)) {
    abort_neargp("argument",
      sprintf("`parameters` lacks the parameter%2$s %3$s of %1$s().", family$family,
        if (length(names) > 1L) "s" else "", format_some(names)))
  }
  as.list(parameters)[names]
}

# Weights divide the dispersion. Each of these parameters is proportional to this power of it.
dispersion_powers <- c(variance = 1, scale = 0.5, shape = -1, precision = -1, dispersion = 1,
  sd = 0.5)

weigh_noise <- function(name, parameters, weights) {
  if (!response_families[[name]]$scaled) return(parameters)
  scaled <- intersect(names(parameters), names(dispersion_powers))
  parameters[scaled] <- lapply(scaled,
    function(one) parameters[[one]] / weights^dispersion_powers[[one]])
  parameters
}

mixture_family <- function(mixture) response_families[[mixture$name]]

# Whether responses that are no counts are 0 with a positive probability.
has_atom <- function(family) isTRUE(family$atom)

#' @export
`[.neargp_response_mixture` <- function(x, i) {
  for (name in c("mean", "sd", "trials")) x[[name]] <- x[[name]][i]
  x$parameters <- lapply(x$parameters, function(value) if (length(value) > 1L) value[i] else value)
  x$limits <- x$limits[i, , drop = FALSE]
  x$n <- length(x$mean)
  x
}

# compute(part, x) for the rows that are known, so many at a time that a matrix of rows by nodes
# stays small. x: one number for each row.
over_rows <- function(mixture, x, compute, rows_at_once = 10000L) {
  x <- rep_len(x, mixture$n)
  result <- rep(NA_real_, mixture$n)
  known <- which(!is.na(mixture$mean) & !is.na(mixture$sd) & !is.na(mixture$trials) & !is.na(x))
  for (rows in split_rows(known, rows_at_once)) {
    result[rows] <- compute(mixture[rows], x[rows])
  }
  result
}

# Rows in blocks of at most so many, so that what is computed of a block at once stays small.
split_rows <- function(rows, most) split(rows, ceiling(seq_along(rows) / most))

#' @export
predictive_cdf.neargp_response_mixture <- function(q, distribution, lower = TRUE) {
  whole <- mixture_family(distribution)$discrete
  below <- smooth_distribution(if (whole) floor(q + 1e-7) else q, distribution)
  if (lower) below else 1 - below
}

# The same at whole numbers q, and between them as smooth as the family's distribution function.
smooth_distribution <- function(q, mixture) {
  over_rows(mixture, q, function(part, q) mixture_rule(part)$distribution(part, q))
}

#' @export
predictive_log_density.neargp_response_mixture <- function(y, distribution) {
  over_rows(distribution, y, function(part, y) mixture_rule(part)$log_density(part, y))
}

#' @export
predictive_mean.neargp_response_mixture <- function(distribution) {
  saturate(over_rows(distribution, 0, function(part, none) mixture_rule(part)$mean(part)),
    distribution, "mean")
}

#' @export
predictive_variance.neargp_response_mixture <- function(distribution) {
  saturate(over_rows(distribution, 0, function(part, none) mixture_rule(part)$variance(part)),
    distribution, "variance")
}

#' @export
mean_given_field.neargp_response_mixture <- function(eta, distribution) {
  family <- mixture_family(distribution)
  if (family$link == "identity") return(eta)
  saturate(family$mean(eta, distribution$parameters, distribution$trials), distribution,
    "confidence limit of the mean")
}

# The mean of the response rises with eta. Every mean exceeds a threshold below its range, and none
# one at its upper end.
#' @export
field_of_mean.neargp_response_mixture <- function(value, distribution) {
  family <- mixture_family(distribution)
  link <- family$link
  at <- value / if (isTRUE(family$has_trials)) distribution$trials else 1
  if (link != "identity") at <- pmax(at, 0)
  if (!link %in% c("identity", "log") && !isTRUE(family$thresholds)) at <- pmin(at, 1)
  # the logit of make.link() does not accept 0 and 1
  linkfun <- if (link == "logit") stats::qlogis else stats::make.link(link)$linkfun
  predictor_of_mean <- family$predictor_of_mean %||% function(mean, parameters) linkfun(mean)
  rep_len(predictor_of_mean(rep_len(at, distribution$n), distribution$parameters), distribution$n)
}

# With a log link, responses leave the range of numbers if the standard deviation of the linear
# predictor is some tens. This occurs far from data where the variance was barely determined.
# Infinite values of other families are no overflow: the variance of Student's t may be infinite,
# and so may the mean of a transform with a pole.
saturate <- function(value, mixture, what) {
  is_log <- mixture_rule(mixture)$scale == "log"
  if (!is_log && !may_overflow(mixture)) return(value)
  rows <- which(is.infinite(value) | (is.nan(value) & !is.na(mixture$sd)))
  if (!length(rows)) return(value)
  warn_neargp("overflow",
    c(sprintf("The %s of the response is beyond the range of numbers in %s; the largest number is given.", what,
      format_rows(rows)),
      x = sprintf("The standard deviation of the linear predictor%s is up to %s there.",
      if (is_log) ", a logarithm," else "", format(max(mixture$sd[rows]), digits = 3L)),
      i = "type = \"link\" gives its mean and sd; look at the variance and range of the fit."))
  replace(value, rows, .Machine$double.xmax)
}

# The density of an observation that is impossible in the family is 0, and its log score infinite.
check_support_of <- function(observed, mixture, family, rows) {
  if (!inherits(mixture, "neargp_response_mixture")) return(invisible())
  if (!is.null(mixture$transform)) return(check_domain_of(observed, mixture$transform, rows))
  discrete <- mixture_family(mixture)$discrete
  family_least <- mixture_family(mixture)$least
  least <- if (mixture_rule(mixture)$scale == "identity") -Inf else family_least %||% 0
  most <- if (mixture_rule(mixture)$scale == "logit") mixture$trials else Inf
  outside <- if (discrete) observed < least | observed > most | observed != round(observed) else
    (if (has_atom(mixture_family(mixture))) observed < least else observed <= least) |
      observed >= most
  if (!any(outside)) return(invisible())
  abort_neargp("response",
    c(sprintf("Observed values in %s are impossible for %s response.", format_rows(rows[outside]),
      with_article(family)), i = if (has_thresholds(family))
      "They are numbers of categories, from 1." else
      if (length(mixture$trials) && discrete && is.finite(most[1L]))
      "They are numbers of successes, up to `trials`."))
}

# ---- draws ---------------------------------------------------------------------------------------

# New responses given the linear predictor. `eta`: a column for each draw, as in the result.
draws_given_predictor <- function(eta, family, parameters, trials) {
  # R warns of infinite means without a class
  drawn <- suppressWarnings(lapply(seq_len(ncol(eta)), function(draw) {
    family$random(nrow(eta), eta[, draw], parameters, trials)
  }))
  drawn <- matrix(unlist(drawn), nrow(eta), ncol(eta))
  if (family$link == "log") saturate_draws(drawn, eta) else drawn
}

#' @export
predictive_draws.neargp_response_mixture <- function(nsim, distribution) {
  eta <- matrix(stats::rnorm(distribution$n * nsim, distribution$mean, distribution$sd),
    distribution$n)
  draws_given_predictor(eta, mixture_family(distribution), distribution$parameters,
    distribution$trials)
}

# `eta`: the linear predictors, or numbers on their scale, from which the draws were made.
saturate_draws <- function(drawn, eta) {
  beyond <- !is.finite(drawn) & is.finite(eta)
  if (!any(beyond)) return(drawn)
  warn_neargp("overflow",
    c(sprintf("%d of %d draws of the response are beyond the range of numbers; the largest number is given.", sum(beyond),
      length(drawn)), x = sprintf("The draw on the scale of the linear predictor is up to %s there.",
        format(max(abs(eta[beyond])), digits = 3L)),
      i = "type = \"link\" draws it; look at the variance and range of the fit."))
  replace(drawn, beyond, ifelse(drawn[beyond] %in% -Inf, -1, 1) * .Machine$double.xmax)
}
