# The priors of R/integrated-parameters.R.

# Weak priors of parameters without one, of the scale of the data. With probability 0.05 the
# effective range is below a sixth of the extent, and the smoothness below 0.2. With the same
# probability the standard deviation of the field is above three times that of the response about
# its trend, and that of the noise above it. The distribution of a direction of anisotropy is
# standard normal, and about that of powers.
with_default_priors <- function(problem) {
  layout <- problem$layout
  if (!has_prior(layout)) {
    layout$prior_power <- prior_powers(layout, problem$covariance, problem$locations)
    layout$prior_rate <- rep(0, nrow(layout))
  }
  scatter <- prior_scatter(problem)
  # the scatter is that of a row of mean weight, so that the unit of weights does not matter
  weight <- mean(problem$data$weights)
  for (row in which(problem$free & layout$prior_rate == 0 & layout$penalty == 0)) {
    bound <- switch(layout$kind[row], variance = (3 * scatter)^2, nugget = weight * scatter^2,
      effect_sd = 3 * scatter / effect_scale(problem$data, layout$name[row]),
      range = least_range(problem, row), shape = if (layout$transform[row] == "log") 0.2)
    # in fifty dimensions it may be beyond the range of numbers; the search interval stays
    rate <- -log(0.05) / (bound %||% Inf)^layout$prior_power[row]
    if (is.finite(rate)) layout$prior_rate[row] <- rate
  }
  bounded <- problem$free & layout$penalty == 0 & (layout$kind %in% axes_kinds |
    layout$transform %in% c("power", "share"))
  layout$penalty[bounded] <- 1
  with_family_priors(layout, problem)
}

# The log prior of a working parameter w falls by rate * exp(power * w). Newton's method climbs it
# from far away by steps of 1 / power. Within a fall of 10 it is near.
start_within_priors <- function(problem) {
  layout <- problem$layout
  limit <- (log(10) - log(layout$prior_rate)) / layout$prior_power
  ends <- ifelse(layout$prior_power > 0, pmin(problem$start, limit), pmax(problem$start, limit))
  ifelse(problem$free & layout$prior_rate > 0, ends, problem$start)
}

# On the working scale the prior of a family's parameter is normal around its estimate, with the
# standard deviation 2. A limit that it tends to, as counts without overdispersion, would otherwise
# take all of the weight.
with_family_priors <- function(layout, problem) {
  of_family <- problem$free & layout$kind == "family"
  if (!any(of_family)) return(layout)
  layout$penalty_center <- replace(rep_len(layout$penalty_center %||% 0, nrow(layout)), of_family,
    problem$start[of_family])
  layout$penalty[of_family] <- 0.25
  layout
}

least_range <- function(problem, row) {
  layout <- problem$layout
  component <- covariance_at(problem, problem$start)$components[[layout$component[row]]]
  group <- component$group
  extent <- 2 * group_scales(problem$data$coords, group) * sqrt(tabulate(group))
  extent[layout$group[row]] / 6 / starting_distance(component$family, component$shape)
}

# The scale of the linear predictor: 1 behind a link.
prior_scatter <- function(problem) {
  if (is_gaussian(problem$family)) sqrt(residual_variance(observations_of(problem))) else
    predictor_unit(problem$data, problem$family)
}
