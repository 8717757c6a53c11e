# Fits use a unit of the response in which it scatters by about 1, so that estimates do not depend
# on the user's unit. The tolerances of optimisers are relative to objectives, which another unit
# shifts. Squares of very large or small numbers are also beyond the computer's. The unit is a power
# of 2, by which nothing is rounded. Variances and nuggets are divided by its square, and the log
# density of n rows is larger by n times its logarithm. The loadings of several responses contain
# units of their own, and vnngp() uses none.

with_response_unit <- function(problem) {
  if (!has_response_unit(problem$family)) return(problem)
  unit <- response_units(problem)
  check_response_size(unit, problem)
  if (!has_ability(problem$method, "response_unit")) return(problem)
  problem$data$basis$unit <- unname(unit)
  problem$layout <- layout_in_unit(problem$layout, unname(unit))
  problem
}

# Counts and shares are without a unit.
has_response_unit <- function(family) has_mark(family, "in_units")

# The unit of the response, one for each output where there are several.
response_units <- function(problem) {
  data <- problem$data
  names <- data$outputs %||% ""
  output <- factor(rep_len(names[data$output %||% 1L], length(data$y)), names)
  vapply(split(data$y - base_mean(data), output), function(x) {
    size <- max(abs(x))
    2^round(log2(size * sqrt(mean((x / size)^2))))
  }, 0)
}

# Variances are squares of the unit, and latent models with an identity link use higher powers. Sums
# of squares of draws and recalibrated variances are larger, for which 1e140 leaves room.
check_response_size <- function(unit, problem) {
  method <- problem$method
  is_powered <- problem$family$family == "student_t" || is_gaussian(problem$family) &&
    inherits(method, "neargp_vnngp")
  largest <- if (is_powered) 1e70 else 1e140
  beyond <- which(!(unit <= largest & unit >= 1 / largest))[1L]
  if (is.na(beyond)) return(invisible())
  output <- names(unit)[beyond]
  abort_neargp("scale",
    c(sprintf("The response%s varies by about %.3g; %s() can compute with %g to %g.",
      if (nzchar(output)) sprintf(" `%s`", output) else "", unit[[beyond]], method_name(method),
      1 / largest, largest), i = "Multiply the response by a constant."))
}

layout_in_unit <- function(layout, unit) {
  rows <- squared_in_unit(layout)
  layout[rows, c("value", "start")] <- layout[rows, c("value", "start")] / unit / unit
  sds <- layout$kind == "effect_sd"
  layout[sds, c("value", "start")] <- layout[sds, c("value", "start")] / unit
  if (has_prior(layout)) layout$prior_rate[rows] <- layout$prior_rate[rows] * unit
  if (!is.null(layout$penalty_center)) {
    layout$penalty_center[rows] <- layout$penalty_center[rows] - 2 * log(unit)
  }
  layout
}

# A problem and what an optimiser found for it, both in the user's unit, and the trend in the user's
# columns.
in_data_units <- function(problem, result) {
  core_vcov <- result$beta_vcov
  unit <- problem$data$basis$unit %||% 1
  if (unit != 1) {
    result$working <- result$working + unit_shift(problem)
    result$value <- result$value - row_count(problem$data) * log(unit)
    result$beta <- unit * result$beta
    result$beta_vcov <- unit^2 * result$beta_vcov
    problem <- problem_in_data_units(problem)
  }
  result <- with_natural_trend(result, problem$data)
  list(problem = problem, result = in_natural_columns(problem, result, core_vcov))
}

# The difference of working parameters between the user's unit and that of the fit.
unit_shift <- function(problem) {
  unit_power(problem$layout) * log(problem$data$basis$unit %||% 1)
}

problem_in_data_units <- function(problem) {
  shift <- unit_shift(problem)
  problem$layout <- layout_in_unit(problem$layout, 1 / (problem$data$basis$unit %||% 1))
  problem$data$basis$unit <- NULL
  for (bound in c("lower", "upper")) problem$bounds[[bound]] <- problem$bounds[[bound]] + shift
  problem
}
