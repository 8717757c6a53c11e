# Turns the optimum on the working scale into what a fit stores: estimates, standard errors and
# covariance on the natural scale.

# Inverse information of the parameters that moved freely. Parameters that are fixed or at a limit
# are given no sampling variance here. A singular information (a parameter the data do not inform)
# gives NA and not an error: the estimates are still of use.
working_covariance <- function(information, free) {
  variance <- matrix(NA_real_, length(free), length(free))
  # parameters that were fixed where the search ended carry no information, for example warps that
  # gave way to none, and the information of others may overflow
  if (!is.null(information)) free <- free & is.finite(diag(information)) & diag(information) != 0
  if (is.null(information) || !any(free)) return(variance)
  inverse <- tryCatch(chol2inv(chol(information[free, free, drop = FALSE])),
    error = function(e) NULL)
  if (!is.null(inverse)) variance[free, free] <- inverse
  variance
}

# Covariance on the interval scale (see interval_jacobian()), rows and columns of fixed parameters
# NA.
interval_covariance <- function(layout, working, variance_working) {
  filled <- variance_working
  filled[is.na(filled)] <- 0
  jacobian <- interval_jacobian(layout, working)
  variance <- jacobian %*% filled %*% t(jacobian)
  informed <- diag(variance) > 0
  variance[!informed, ] <- NA_real_
  variance[, !informed] <- NA_real_
  dimnames(variance) <- list(layout$name, layout$name)
  variance
}

# `vanished`: effects without a variance, vanished_effects().
parameter_estimates <- function(layout, working, information, at_boundary, vanished = FALSE) {
  values <- to_core(working, layout$transform)
  natural <- natural_values(layout, values)
  natural[vanished] <- 0
  variance_working <- working_covariance(information, is_estimated(layout) & !at_boundary)
  variance_interval <- interval_covariance(layout, working, variance_working)
  slope <- interval_slope(layout, natural)
  variance_natural <- variance_interval * outer(slope, slope)
  table <- data.frame(name = layout$name, estimate = unname(natural), working = working,
    std_error = unname(abs(slope) * sqrt(diag(variance_interval))), fixed = !is_estimated(layout),
    at_boundary = at_boundary, stringsAsFactors = FALSE)
  list(table = table, vcov = variance_natural, vcov_interval = variance_interval)
}

# The rows of parameters that stand for the process of a model without one.
is_of_no_process <- function(object) {
  !is.na(object$layout$component) & has_no_process(object$covariance)
}

# The number of parameters of covariance and family that were estimated.
count_covariance_parameters <- function(object) {
  sum(!object$parameters$fixed) - count_rotations(object$locations) - count_slope_directions(object)
}
