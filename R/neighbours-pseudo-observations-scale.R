# The scale of the linear predictor for successes and ordered categories. The link fixes the
# standard deviation of their noise, and the leave-one-out score compares everything else with it. A
# field of short range and any variance fits as well as a wider link. A field whose
# pseudo-observations have noise in proportion to it fits as well. Trend, thresholds and the field's
# standard deviation can therefore grow together. The score of 300 rows rises by 1.4 up to the upper
# bound of the variance, ten times the true scale. An exponential prior limits the field's standard
# deviation. Its mean is the link's standard deviation. The prior changes little where the rows
# determine the scale.

scaled_by_link <- c("binomial", "betabinomial", "ordinal")

link_noise <- c(logit = pi / sqrt(3), probit = 1, cloglog = pi / sqrt(6))

# The variances that are estimated, of families without a scale.
variances_without_scale <- function(problem) {
  layout <- problem$layout
  problem$family$family %in% scaled_by_link & layout$kind == "variance" &
    problem$free[seq_len(nrow(layout))]
}

# Minus the logarithm of the prior, but for a constant, and its slope in the working parameters.
scale_penalty <- function(problem, working) {
  free <- variances_without_scale(problem)
  if (any(free)) sum(exp(working[free] / 2)) / link_noise[[problem$family$link]] else 0
}

scale_penalty_slope <- function(problem, working) {
  slope <- double(length(working))
  free <- variances_without_scale(problem)
  if (any(free)) slope[free] <- exp(working[free] / 2) / 2 / link_noise[[problem$family$link]]
  slope
}
