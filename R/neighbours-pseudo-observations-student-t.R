# The auxiliary variables of Student's t (Jankowiak and Pleiss 2021, appendix A.9): given its gamma
# variable omega a response is normal with noise variance scale^2 / (weight omega), so that rows far
# from what their neighbours say count little as neighbours. As pseudo-observations they have the
# nugget times that variance (pseudo_observation_noise() in R/neighbours-pseudo-observations.R). It
# is 1 at least, as for other responses: a nugget of its own, apart from the scale, would let the
# score make the linear predictor all but certain and leave its variance to the noise of responses,
# whose scores barely differ.

has_gamma_variables <- function(family) family$family == "student_t"

# Each conditioning set has variables of its own, from its own rows alone
# (src/core/loo/student_t_variables.h), so that no row sees its own response on the way: the rows
# are repeated for each set. `known`: covariance, nugget, the family's parameters, and beta.
with_gamma_variables <- function(rows, known, context) {
  residuals <- rows$columns[, 1L] - drop(rows$columns[, -1L, drop = FALSE] %*% known$beta)
  omega <- core_gamma_variables(rows$coords, residuals, rows$noise_scale, rows$neighbors,
    known$covariance, known$nugget, known$family[1L], known$family[2L], context)
  each <- as.vector(rows$neighbors)
  list(coords = rows$coords[each, , drop = FALSE], columns = rows$columns[each, , drop = FALSE],
    noise_scale = rows$noise_scale[each] / as.vector(omega),
    neighbors = matrix(seq_along(each), nrow(rows$neighbors)))
}

# Finds one gamma variable for each row, from its prediction by its nearest others: for predictions
# at new locations, which have no response that could leak. A few rounds from omega = 1. `known` has
# the component as well, in whose metric neighbours are searched.
row_gamma_variables <- function(data, known, k, context, rounds = 3L) {
  neighbors <- core_neighbors_others(core_scale(data$coords, known$component), k, context,
    search_lags(known$component))
  residuals <- data$y - data$offset - drop(data$X %*% known$beta)
  omega <- rep(1, length(residuals))
  for (round in seq_len(rounds)) {
    kriging <- core_kriging(data$coords, cbind(residuals), 1 / (data$weights * omega),
      known$covariance, known$nugget)
    others <- core_krige(kriging, data$coords, neighbors, FALSE, context)
    if (others$failed > 0L) abort_cholesky(0L)
    omega <- core_matched_omega(residuals - others$weighted[, 1L], pmax(others$variance, 0),
      data$weights, known$family[1L], known$family[2L])
  }
  omega
}
