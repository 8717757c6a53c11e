# The linear predictors between which the distribution function of a family falls from one to zero.

# compute(q, second) at distinct pairs only: counts are few where rows are many.
for_distinct <- function(q, second, compute) {
  second <- rep_len(second, length(q))
  pair <- complex(real = q, imaginary = second)
  distinct <- which(!duplicated(pair))
  lapply(compute(q[distinct], second[distinct]), function(value) value[match(pair, pair[distinct])])
}

# The log of a quantile of gamma(shape). `stats::qgamma()` is wrong by orders of magnitude for
# shapes beyond some 1e25, where the log of the variable has long been normal. Its mean is
# log(shape) and its standard deviation 1 / sqrt(shape), up to terms of 1 / shape.
log_gamma_quantile <- function(p, shape, lower.tail = TRUE) {
  shape <- rep_len(shape, max(length(shape), length(p)))
  many <- shape > 1e12
  exact <- log(stats::qgamma(p, ifelse(many, 1, shape), lower.tail = lower.tail))
  ifelse(many, log(shape) + stats::qnorm(p, lower.tail = lower.tail) / sqrt(shape), exact)
}
