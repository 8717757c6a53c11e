# The scale of the linear predictor of successes and of ordered categories. Their noise has the
# fixed standard deviation of the link, beside which the leave-one-out score measures everything
# else: a field of short range and any variance, or one whose pseudo-observations have noise in its
# proportion, is as good as a wider link. Trend, thresholds and the field's standard deviation can
# then grow together: the score of 300 rows rises by 1.4 up to the bound, ten times the true scale.
# An exponential prior of the field's standard deviation with the mean of the link's own is enough
# to hold it, and little beside what rows say where they do.

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
