# Scores of predictions, one for each observation; the continuous ranked probability score of a
# response by the mixture over the linear predictor.

# Scores of each observation, which summarize_scores() averages. The PIT of counts, and of zeros
# with a probability of their own, is an interval.
score_rows <- function(observed, distribution, level) {
  limits <- predictive_limits(distribution, level)
  pit <- predictive_pit(observed, distribution)
  scores <- data.frame(predictive_moments(distribution),
    crps = predictive_crps(observed, distribution),
    log_score = -predictive_log_density(observed, distribution), lower = limits$lower,
    upper = limits$upper, pit_lower = pit$lower, pit_upper = pit$upper,
    binary = is_binary(distribution))
  scores$censored <- is_censored(distribution)
  scores
}

# Rows that are known up to limits; NULL of a response that is measured.
is_censored <- function(mixture) {
  if (!is.null(mixture$limits)) mixture$limits[, 1L] != mixture$limits[, 2L]
}

is_binary <- function(mixture) {
  inherits(mixture, "neargp_response_mixture") && mixture_rule(mixture)$scale == "logit" &&
    mixture_family(mixture)$discrete && all(mixture$trials == 1)
}

#' @export
predictive_pit.neargp_response_mixture <- function(observed, distribution) {
  limits <- distribution$limits
  if (!is.null(limits)) {
    return(list(lower = predictive_cdf(limits[, 1L], distribution),
      upper = predictive_cdf(limits[, 2L], distribution)))
  }
  upper <- predictive_cdf(observed, distribution)
  family <- mixture_family(distribution)
  lower <- if (family$discrete) predictive_cdf(observed - 1, distribution) else
    if (has_atom(family)) ifelse(observed == 0, 0, upper) else upper
  list(lower = lower, upper = upper)
}

# ---- continuous ranked probability score ---------------------------------------------------------

# The integral of (P(Y <= x) - [observed <= x])^2 over x. For counts it is the sum over whole
# numbers, see R/mixture-crps-counts.R.
#' @export
predictive_crps.neargp_response_mixture <- function(observed, distribution) {
  check_crps_range(distribution)
  compute <- mixture_rule(distribution)$crps %||%
    (if (mixture_family(distribution)$discrete) count_crps else continuous_crps)
  over_rows(distribution, observed, compute, rows_at_once = 1000L)
}

# With a log link the integrand peaks sd / 2 standard deviations of eta above the mean. Once sd is
# above 6, the error of F there is as large as 1 - F. Responses end where numbers do.
check_crps_range <- function(mixture, most_sd = 6, most_eta = 690) {
  if (mixture_rule(mixture)$scale != "log") return(invisible())
  single <- if (has_components(mixture)) stacked_components(mixture) else mixture
  beyond <- which(single$sd > most_sd | single$mean + (4.7 + single$sd / 2) * single$sd > most_eta)
  if (!length(beyond)) return(invisible())
  rows <- unique((beyond - 1L) %% mixture$n + 1L)
  abort_neargp("overflow", c(sprintf("The CRPS cannot be computed in %s.", format_rows(rows)),
    x = sprintf("The mean of the linear predictor, a logarithm, is up to %s there, and its standard deviation up to %s. The limit is %s.",
      format(max(mixture$mean[rows]), digits = 3L), format(max(mixture$sd[rows]), digits = 3L),
      most_sd),
    i = "Leave these rows out, or score log densities by log_score_mixture(); look at the variance and range of the fit."))
}

# The responses beyond which the integrand is nothing: the tails of the noise at an eta that is
# itself in its tail. Where the response is exp(t), dx = exp(t) dt moves the peak of the integrand
# by sd^2 / 2 to the right.
central_range <- function(mixture, tail = 1e-7) {
  if (has_components(mixture)) return(outer_range(mixture))
  at <- function(z, p) {
    mixture$mean <- mixture$mean + z * mixture$sd
    mixture$sd <- rep(0, mixture$n)
    search_quantile(mixture, rep(p, mixture$n))
  }
  list(lower = at(-5, tail), upper = at(4.7 + mixture$sd / 2, 1 - tail))
}

# Nodes and weights of integrals over the scale from `lower` to `upper`, as a table of points: row,
# v, weight. The distribution bends over its spread, and of the scales all but the exponential
# function over a unit. A family whose distribution has details that the spread of eta does not
# smear says how narrow they are, `detail`, and is integrated in panels.
integration_points <- function(mixture, lower, upper) {
  if (has_components(mixture)) return(panel_points(mixture, lower, upper))
  spread <- scaled_spread(mixture)
  if (mixture_rule(mixture)$scale != "log") spread <- pmin(spread, 1)
  detail <- mixture_family(mixture)$detail
  if (is.null(detail)) return(rule_points(lower, upper, spread))
  spread <- pmin(spread, detail(mixture$parameters))
  in_panels(lower, upper, panel_spreads * spread, function(panels) {
    rule_points(panels$lower, panels$upper, spread[panels$row])
  })
}

rule_points <- function(lower, upper, spread) {
  half <- pmax(upper - lower, 0) / 2
  number <- rule_for(2 * half / spread, short = 10)
  by_rule <- lapply(split(seq_along(lower), number), function(rows) {
    rule <- legendre_rules[[number[rows[1L]]]]
    data.frame(row = rep(rows, length(rule$nodes)),
      v = c(outer(half[rows], rule$nodes) + (lower + upper)[rows] / 2),
      weight = c(outer(half[rows], rule$weights)))
  })
  do.call(rbind, by_rule)
}

# Left of the observation the integrand is F^2, right of it (1 - F)^2; between the central range and
# an observation outside it, 1. For an observation that is known up to limits, the former goes up to
# the lower one, the latter from the upper one.
continuous_crps <- function(mixture, observed) {
  scale <- response_scale(mixture)
  central <- central_range(mixture)
  limits <- mixture_limits(mixture, observed)
  ends_about <- function(at) {
    inside <- pmin(pmax(at, central$lower), central$upper)
    integration_ends(mixture, central$lower, inside, central$upper)
  }
  below <- ends_about(limits[, 1L])
  above <- ends_about(limits[, 2L])
  integral <- function(lower, upper, integrand) {
    points <- integration_points(mixture, lower, upper)
    at <- mixture[points$row]
    probability <- predictive_cdf(scale$response(points$v, at), at)
    sums_by_group(points$weight * integrand(probability) * scale$slope(points$v, at),
      points$row, mixture$n)
  }
  outside <- pmax(limits[, 1L] - central$upper, 0) + pmax(central$lower - limits[, 2L], 0)
  outside + integral(below$lower, below$middle, function(p) p^2) +
    integral(above$middle, above$upper, function(p) (1 - p)^2)
}

# Ends on the scale of integration, cut 20 units from the centre, where the slope of the scale has
# left 2e-9 of what it is there.
integration_ends <- function(mixture, lower, middle, upper) {
  name <- mixture_rule(mixture)$scale
  center <- scaled_center(mixture)
  least <- if (name == "identity") -Inf else center - 20
  most <- if (name == "logit") center + 20 else Inf
  lapply(list(lower = lower, middle = middle, upper = upper), function(x) {
    pmin(pmax(response_scale(mixture)$inverse(x, mixture), least), most)
  })
}
