# Scales for the response, on which its distribution is about as wide everywhere and its tails are
# short: quantiles are searched and scores are integrated there. A response at v is response(v,
# mixture), and back by inverse(x, mixture); slope is its derivative. Outside `limits` responses are
# no longer distinguished from the end of their support.

response_scales <- list(
  # Heavy tails are drawn in.
  identity = list(
    response = function(v, mixture) mixture$mean + response_spread(mixture) * sinh(v),
    slope = function(v, mixture) response_spread(mixture) * cosh(v),
    inverse = function(x, mixture) asinh((x - mixture$mean) / response_spread(mixture)),
    limits = c(-700, 700)
  ),
  log = list(
    response = function(v, mixture) exp(v), slope = function(v, mixture) exp(v),
    inverse = function(x, mixture) log(x), limits = c(-700, 700)
  ),
  # The log odds of the share of the trials.
  logit = list(
    response = function(v, mixture) mixture$trials * stats::plogis(v),
    slope = function(v, mixture) mixture$trials * stats::dlogis(v),
    inverse = function(x, mixture) log(x) - log(mixture$trials - x),
    limits = c(-600, 40)
  )
)

response_scale <- function(mixture) response_scales[[mixture_rule(mixture)$scale]]

# The approximate standard deviation of the response, in units of eta. It combines that of eta and
# that of the noise at the mean of eta, by the delta method. Next to the end of the support this
# method fails, and the noise counts as 3.
response_spread <- function(mixture) {
  if (has_components(mixture)) return(narrowest_spread(mixture))
  family <- mixture_family(mixture)
  if (!is.null(family$mixture$spread)) return(family$mixture$spread(mixture))
  mean <- family$mean(mixture$mean, mixture$parameters, mixture$trials)
  noise <- sqrt((family$count_variance %||% family$variance)(mixture$mean, mixture$parameters,
    mixture$trials))
  slope <- switch(mixture_rule(mixture)$scale, log = mean,
    logit = mean * (1 - mean / mixture$trials))
  noise <- pmin(noise / pmax(slope, 1e-300), 3)
  sqrt(mixture$sd^2 + ifelse(is.nan(noise), 3, noise)^2)
}

# The spread on the scale, and the point of it that belongs to the mean of eta.
scaled_spread <- function(mixture) {
  if (mixture_rule(mixture)$scale == "identity") rep(1, mixture$n) else response_spread(mixture)
}

scaled_center <- function(mixture) {
  if (mixture_rule(mixture)$scale == "identity") return(double(mixture$n))
  scale <- response_scale(mixture)
  center <- scale$inverse(mixture_family(mixture)$mean(mixture$mean, mixture$parameters,
    mixture$trials), mixture)
  pmin(pmax(center, scale$limits[1L]), scale$limits[2L])
}
