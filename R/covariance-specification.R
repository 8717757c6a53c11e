# A covariance as functions of the core take it: its specification and the values of its parameters.
# The specification is what stays while parameters change: families, groups, local fields, the
# pattern of loadings, the derivatives that are wanted. The core parses it once and keeps it behind
# a pointer. Pointers live while a problem is solved or a prediction made. A fit contains the list
# of as_core_covariance(), which is plain data.

covariance_specification <- function(layout, groups) {
  core_covariance_specification(as_core_covariance(layout, groups, rep(1, nrow(layout))))
}

# `values`: of the rows of the layout, on the core's scale.
specified_covariance <- function(specification, values) {
  list(specification = specification, values = values)
}

# The covariance of a problem, for a single use; an objective makes its specification once.
problem_covariance <- function(problem, values) {
  specified_covariance(covariance_specification(problem$layout, problem$groups), values)
}

# The covariance that the list of a fit says.
as_specified <- function(core_covariance) {
  specification <- core_covariance_specification(core_covariance)
  specified_covariance(specification, core_specification_values(specification))
}
