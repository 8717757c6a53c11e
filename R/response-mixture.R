# Predictions of a response. The linear predictor is normal, eta ~ N(mean, sd^2), and given eta the
# response has the distribution of its family: y is a mixture over eta. Everything said of a new
# observation (mean, intervals, exceedance, scores) is a property of that mixture, row by row. What
# depends on the family stands in mixture-families.R, the quadrature in mixture-quadrature.R.

# `mean`, `sd`: of eta, NA where nothing is predicted. `parameters`: named numbers of the family on
# the natural scale (or a list of them, each of length 1 or one for each row). `weights` divide the
# dispersion of the families that have one to divide.
new_mixture <- function(mean, sd, family, parameters = NULL, trials = 1, weights = NULL) {
  name <- family_core_name(family)
  if (is.null(name)) {
    abort_neargp("family", sprintf("There are no predictions of %s response with %s link.",
      with_article(family), family$link))
  }
  parameters <- check_family_parameters(parameters, family)
  mixture <- named_mixture(name, mean, sd, parameters, trials, weights)
  mixture$levels <- family$levels
  mixture$transform <- family$transform
  mixture$recalibration <- family$recalibration
  mixture
}

# The same by the family's name in the table.
named_mixture <- function(name, mean, sd, parameters, trials = 1, weights = NULL) {
  n <- length(mean)
  if (!is.null(weights)) parameters <- weigh_noise(name, parameters, weights)
  if (isTRUE(response_families[[name]]$thresholds)) trials <- length(parameters) + 2
  values <- recycle_predictions(list(mean = mean, sd = sd, trials = trials), n)
  list(name = name, n = n, mean = values$mean, sd = values$sd, trials = values$trials,
    parameters = parameters)
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
      sprintf("A %s() response has the parameter%s %s, which `parameters` lacks.", family$family,
        if (length(names) > 1L) "s" else "", format_some(names)))
  }
  as.list(parameters)[names]
}

# The dispersion is divided by the weight: these parameters are so many powers of it.
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

# Says whether responses that are no counts are 0 with a probability of their own.
has_atom <- function(family) isTRUE(family$atom)

take_mixture <- function(mixture, rows) {
  for (name in c("mean", "sd", "trials")) mixture[[name]] <- mixture[[name]][rows]
  mixture$parameters <- lapply(mixture$parameters,
    function(value) if (length(value) > 1L) value[rows] else value)
  mixture$limits <- mixture$limits[rows, , drop = FALSE]
  if (has_components(mixture)) mixture$eta <- take_normal_mixture(mixture$eta, rows)
  mixture$n <- length(mixture$mean)
  mixture
}

# compute(part, x) for the rows that are known, so many at a time that a matrix of rows by nodes
# stays small. x: one number for each row.
over_rows <- function(mixture, x, compute, rows_at_once = 10000L) {
  x <- rep_len(x, mixture$n)
  result <- rep(NA_real_, mixture$n)
  known <- which(!is.na(mixture$mean) & !is.na(mixture$sd) & !is.na(mixture$trials) & !is.na(x))
  for (rows in split_rows(known, rows_at_once)) {
    result[rows] <- compute(take_mixture(mixture, rows), x[rows])
  }
  result
}

# Rows in blocks of at most so many, so that what is computed of a block at once stays small.
split_rows <- function(rows, most) split(rows, ceiling(seq_along(rows) / most))

# P(Y <= q), for counts with the tolerance of stats::ppois().
mixture_distribution <- function(q, mixture) {
  smooth_distribution(if (mixture_family(mixture)$discrete) floor(q + 1e-7) else q, mixture)
}

# The same at whole numbers q, and between them as smooth as the family's distribution function.
smooth_distribution <- function(q, mixture) {
  over_rows(mixture, q, function(part, q) mixture_rule(part)$distribution(part, q))
}

# P(Y > threshold).
mixture_exceedance <- function(threshold, mixture) 1 - mixture_distribution(threshold, mixture)

# The density, for counts the probability, of y.
mixture_density <- function(y, mixture, log = FALSE) {
  value <- over_rows(mixture, y, function(part, y) mixture_rule(part)$log_density(part, y))
  if (log) value else exp(value)
}

mixture_mean <- function(mixture) {
  saturate(over_rows(mixture, 0, function(part, none) mixture_rule(part)$mean(part)), mixture,
    "mean")
}

mixture_variance <- function(mixture) {
  saturate(over_rows(mixture, 0, function(part, none) mixture_rule(part)$variance(part)), mixture,
    "variance")
}

# A log link makes responses beyond the range of numbers of a linear predictor whose standard
# deviation is some tens, as far from data where the variance was hardly determined. Infinite ones
# of other families are no overflow: Student's t may have no variance, and a transform with a pole
# no mean.
saturate <- function(value, mixture, what) {
  is_log <- mixture_rule(mixture)$scale == "log"
  if (!is_log && !may_overflow(mixture)) return(value)
  rows <- which(is.infinite(value) | (is.nan(value) & !is.na(mixture$sd)))
  if (!length(rows)) return(value)
  warn_neargp("overflow",
    c(sprintf("The %s of the response is beyond the range of numbers in %s; the largest number is given.", what,
      format_rows(rows)),
      x = sprintf("The linear predictor%s has a standard deviation of up to %s there.",
      if (is_log) ", a logarithm," else "", format(max(mixture$sd[rows]), digits = 3L)),
      i = "type = \"link\" gives its mean and sd; look at the variance and range of the fit."))
  replace(value, rows, .Machine$double.xmax)
}

# An observation that the family cannot have has no density: its log score would be infinite.
check_support_of <- function(observed, mixture, family, rows) {
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
    c(sprintf("Observed values in %s are none of %s response.", format_rows(rows[outside]),
      with_article(family)), i = if (has_thresholds(family))
      "They are numbers of categories, from 1." else
      if (length(mixture$trials) && discrete && is.finite(most[1L]))
      "They are numbers of successes, up to `trials`."))
}
