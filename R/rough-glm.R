# Parts of a rough generalised linear fit, from which searches start: residuals without outliers,
# and links without bounds.

winsorised <- function(residual, weights) {
  reach <- 4 * robust_scale(residual, weights) / sqrt(weights)
  pmin(pmax(residual, -reach), reach)
}

# Reweighted as for t with 4 degrees of freedom: least squares follows the outliers for which the
# family is chosen.
robust_trend <- function(data, steps = 10L) {
  if (!ncol(data$X)) return(data$offset)
  weights <- data$weights
  for (step in seq_len(steps)) {
    residual <- stats::lm.wfit(data$X, data$y - data$offset, weights)$residuals
    scale <- robust_scale(residual, data$weights)
    if (scale <= 1e-8 * sqrt(mean(data$y^2))) break
    weights <- data$weights * 5 / (4 + data$weights * (residual / scale)^2)
  }
  data$y - residual
}

# The median absolute deviation ignores the outliers for which student_t() is chosen; 0.74 is its
# value for t with 4 degrees of freedom.
robust_scale <- function(residual, weights) {
  scale <- stats::median(abs(residual) * sqrt(weights)) / 0.7407
  if (scale > 0) scale else sqrt(weighted_mean(residual^2, weights))
}

weighted_mean <- function(x, weights) sum(weights * x) / sum(weights)

# The log link of stats::make.link() raises means below 2.2e-16 to it. Whether means are so small
# depends on the unit of the response.
unbounded_link <- function(link) {
  if (link != "log") return(link)
  structure(list(linkfun = log, linkinv = exp, mu.eta = exp, valideta = function(eta) TRUE,
    name = "log"), class = "link-glm")
}
