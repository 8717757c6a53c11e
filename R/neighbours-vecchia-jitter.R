# The jitter of fits on the field. It is added to the variance of each location and acts as further
# noise: the likelihood is near that of the nugget plus jitter * variance. Where the nugget
# is smaller than that, the estimates make room for it. For 600 observations of a Gaussian
# covariance without noise the search ended at a tenth of the variance, 145 units below the optimum.

# `usual`: of vnngp(). `least`: conditional variances of 31 locations are computed to 1e-14 of the
# variance, a ten thousandth of it.
jitter_limits <- c(least = 1e-10, usual = 1e-6)

noise_share <- function(problem, values) {
  nugget_of(problem$layout, values) / sum(values[problem$layout$kind == "variance"])
}

# A hundredth of all noise, in which the jitter of the search counts. With a thousandth the
# posterior of 8,000 observations of a Gaussian covariance cannot be computed.
jitter_at <- function(problem, working, counted = problem$method$jitter) {
  noise <- noise_share(problem, to_core(working, problem$layout$transform)) + counted
  if (length(noise) != 1L || is.na(noise)) return(problem$method$jitter)
  clamp_number(noise / 100, jitter_limits)
}

clamp_number <- function(x, limits) min(max(x, limits[["least"]]), limits[["usual"]])

# Where the likelihood of responses has led to, no jitter was in the estimates.
with_jitter_of_responses <- function(problem, working) {
  problem$method$jitter <- jitter_at(problem, working, counted = 0)
  problem
}

# A search begins with the usual jitter, whatever an earlier fit by the same method has needed.
with_first_jitter <- function(problem) {
  if (is.null(problem$rough)) problem$method$jitter <- jitter_limits[["usual"]]
  problem
}

# The `state` of a search, and the `problem` with the jitter that it has come to need: a hundredth
# of the noise, within a factor of two. An earlier fit may have left more or less.
with_settled_jitter <- function(problem, search, most = 5L) {
  for (round in seq_len(most)) {
    state <- search(problem)
    jitter <- jitter_at(problem, state$working)
    if (abs(log2(problem$method$jitter / jitter)) <= 1) break
    if (round < most) problem$method$jitter <- jitter
  }
  list(problem = problem, state = state)
}
