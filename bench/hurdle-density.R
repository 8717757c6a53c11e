# The log density of a catch, for joint-simulations.R and joint-cod.R.

# Nodes and weights of Gauss-Hermite quadrature for a standard normal variable (Golub and Welsch 1969).
normal_rule <- local({
  size <- 24L
  off <- sqrt(seq_len(size - 1L))
  jacobi <- matrix(0, size, size)
  jacobi[cbind(seq_len(size - 1L), 2:size)] <- jacobi[cbind(2:size, seq_len(size - 1L))] <- off
  found <- eigen(jacobi, symmetric = TRUE)
  list(node = found$values, weight = found$vectors[1L, ]^2)
})

# Log density of a catch: the probability of 0 is 1 - p, the density of others is p g. Predictors of presence and amount are normal
# with the given covariance.
catch_log_density <- function(catch, presence, amount, covariance, shape) {
  vapply(seq_along(catch), function(i) {
    eta <- presence$mean[i] + presence$sd[i] * normal_rule$node
    if (catch[i] == 0) return(log(sum(normal_rule$weight * plogis(-eta))))
    along <- covariance[i] / presence$sd[i]^2
    given <- outer(amount$mean[i] + along * (eta - presence$mean[i]),
      sqrt(max(amount$sd[i]^2 - along * covariance[i], 1e-10)) * normal_rule$node, "+")
    density <- array(dgamma(catch[i], shape, shape / exp(given)), dim(given))
    log(sum(normal_rule$weight * plogis(eta) * (density %*% normal_rule$weight)))
  }, 0)
}
