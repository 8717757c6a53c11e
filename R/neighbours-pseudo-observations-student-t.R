# The auxiliary variables of Student's t (Jankowiak and Pleiss 2021, appendix A.9). Given its gamma
# variable omega, a response is normal with noise variance scale^2 / (weight omega). Rows that are
# far from what their neighbours predict therefore count little as neighbours. The variance of a row
# as pseudo-observation is the nugget times that variance (pseudo_observation_noise() in
# R/neighbours-pseudo-observations.R). The nugget is at least 1, as for other responses. A smaller
# one would let the score make the linear predictor all but certain and leave its variance to the
# noise of responses. The scores of the two barely differ.

has_gamma_variables <- function(family) family$family == "student_t"

# Each conditioning set uses its own variables, computed from its own rows alone
# (src/core/loo/student_t_variables.h). No row therefore enters its own prediction by way of them.
# The rows are repeated for each set. `known`: covariance, nugget, the family's parameters, and
# beta.
with_gamma_variables <- function(rows, known, context) {
  residuals <- rows$columns[, 1L] - drop(rows$columns[, -1L, drop = FALSE] %*% known$beta)
  omega <- core_gamma_variables(rows$coords, residuals, rows$noise_scale, rows$neighbors,
    known$covariance, known$nugget, known$family[1L], known$family[2L], context)
  each <- as.vector(rows$neighbors)
  list(coords = rows$coords[each, , drop = FALSE], columns = rows$columns[each, , drop = FALSE],
    noise_scale = rows$noise_scale[each] / as.vector(omega),
    neighbors = matrix(seq_along(each), nrow(rows$neighbors)))
}

# Finds one gamma variable for each row, from its prediction by its nearest others. New locations,
# for which these variables are used, are without a response that could leak. A few rounds start
# from omega = 1. `known` also contains the component in whose metric neighbours are searched.
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
