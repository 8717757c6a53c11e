# The jitter of fits on the field. It is added to the variance of each location and therefore acts
# as further noise: the likelihood is near that of the nugget plus jitter * variance. Where the
# nugget is smaller than that, the estimates make room for it. For 600 observations of a Gaussian
# covariance without noise the search ended at a tenth of the variance, 145 units below the optimum.

usual_jitter <- 1e-6
# Conditional variances of 31 locations are computed to 1e-14 of the variance, a ten thousandth.
least_jitter <- 1e-10

noise_share <- function(problem, values) {
  nugget_of(problem$layout, values) / sum(values[problem$layout$kind == "variance"])
}

# Whether the usual jitter is more than a hundredth of the nugget. The variance of a fit with too
# much of it is too small, so that the share of the nugget errs to the high side by some hundredths.
has_too_much_jitter <- function(problem, working) {
  share <- noise_share(problem, to_core(working, problem$layout$transform))
  problem$method$jitter > least_jitter && isTRUE(share < 100 * usual_jitter)
}

with_jitter_for <- function(problem, working) {
  if (has_too_much_jitter(problem, working)) problem$method$jitter <- least_jitter
  problem
}
