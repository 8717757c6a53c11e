# The remarks of print() about parameters that ended at a limit of their search interval, or about
# which the likelihood is nearly flat. They name the parameters, give the limit in the units of the
# data, and advise what to do.

# `vanishing`: some of them are nuggets or variances (at_bound()). `names` are those of
# `parameters`, with remarks.
boundary_lines <- function(x, names, vanishing) {
  undetermined <- sub(" .*", "", names) %in% x$parameters$name[undetermined_parameters(x)]
  vanished <- grepl(" (", names, fixed = TRUE)
  line <- function(what, names) {
    if (length(names)) sprintf("%s: %s.", what, paste(names, collapse = ", "))
  }
  c(line("Not identified by the data", names[vanished & !undetermined]),
    line(paste0("At a limit of its search interval", if (vanishing) ", or indistinguishable from 0"),
      names[!undetermined & !vanished]),
    line("Poorly determined by the data", names[undetermined]))
}

# Variances, nuggets and standard deviations of effects that at_bound() notes only for lack of
# information. Their estimates are not small: they exceed a hundredth of the variance about the
# trend. The lower limits of the search are 1e-6 of this variance for variances, 1e-8 for nuggets
# and e^-24 for effects.
undetermined_parameters <- function(x) {
  least <- c(variance = log(1e4), nugget = log(1e6), effect_sd = 12 + log(0.1))[x$layout$kind]
  name <- x$parameters$name
  working <- x$parameters$working
  x$parameters$at_boundary & !is.na(least) & working > x$bounds$lower[name] + least &
    working < x$bounds$upper[name] - 1e-6
}

# If the variance of a component has vanished, its other parameters mean nothing (at_bound()), and
# print() reports the variance alone.
boundary_parameters <- function(x) {
  layout <- x$layout
  bound <- x$parameters$at_boundary
  vanished <- vapply(split(seq_along(bound), layout$component), function(own) {
    length(own) > 1L && all(bound[own] | layout$fixed[own]) &&
      any(bound[own] & layout$kind[own] == "variance")
  }, NA)
  emptied <- layout$component %in% names(vanished)[vanished] & layout$kind != "variance"
  name <- ifelse(layout$kind == "variance" & layout$component %in% names(vanished)[vanished],
    paste(x$parameters$name, "(with the other parameters of this component)"), x$parameters$name)
  name[bound & !emptied]
}

# A sentence or two for each parameter that is named and ended at a limit of its search interval.
boundary_advice <- function(x) {
  named <- which(x$parameters$at_boundary & x$parameters$name %in%
    sub(" .*", "", boundary_parameters(x)) & !idle_ranges(x))
  undetermined <- undetermined_parameters(x)
  vapply(named, function(i) {
    side <- if (isTRUE(x$parameters$working[i] >= x$bounds$upper[x$parameters$name[i]] - 1e-6))
      "upper" else "lower"
    paste0(x$parameters$name[i], ": ",
      if (undetermined[i]) undetermined_advice(x, i) else advice_at_bound(x, i, side))
  }, "")
}

advice_at_bound <- function(x, i, side) {
  bound <- trimws(paste(format(signif(x$parameters$estimate[i], 3L)), range_unit_of(x, i)))
  apart <- "variance and range are determined only jointly: fix one of them, or extend the trend"
  kind <- x$layout$kind[i]
  switch(if (kind %in% axes_kinds) "axes" else kind,
    range = if (side == "upper") {
      sprintf("its bound, %s, is 100 times the extent of the locations. The correlation extends beyond the data, and %s.", bound, apart)
    } else {
      sprintf("its bound, %s, is far below any distance between locations: they are not correlated.", bound)
    },
    variance = if (side == "upper")
    sprintf("its bound, %s, is 10,000 times the variance about the trend: %s.", bound, apart) else
      absent_component(x),
    nugget = value_for(x$method, nugget_advice, x, side),
    axes = "the ranges along and across differ more than a thousandfold: leave out `anisotropy`, or fix it.",
    shape = sprintf(
      "%s is a limit of its search: fix it (`%s =`), or use another family, such as %s.", bound,
      shape_argument(x, i), if (side == "upper") "cov_gaussian()" else "cov_exponential()"),
    time_shape = , alpha = , beta = , share_product = , share_space = space_time_advice(x, i, side),
    log_sd = , log_range = paste(
      "the factor changes by e^5 with one standard deviation of the covariate, the most that is searched.",
      "Use a larger `penalty`, or transform the covariate."),
    monotone = "the slope of the coordinate there changes by e^5, the most that is searched. Use a larger `penalty`, or fewer knots.",
    noise = slope_advice("the noise variance changes"),
    effect_sd = if (side == "upper") {
      sprintf("its bound, %s, is far beyond the scatter of the response.", bound)
    } else if (grepl("|", x$parameters$name[i], fixed = TRUE)) {
      "the data show no such differences: leaving the term out changes nothing."
    } else {
      "the data show no curvature: the smooth is a straight line, or constant."
    },
    effect_cor = "the effects before the bar are perfectly correlated: leave one of them out, or write ||.",
    expand = "it is 20 times the standard deviation of the coordinates, the most that is searched. Use a larger `penalty`.",
    family = if (is_parameter_slope(x$layout)[i])
      slope_advice("the parameter, or its odds, change") else sprintf(
        "%s is a limit of its search: fix it in the family, or use a family without it.", bound)
  )
}

slope_advice <- function(what) {
  paste(what, "by e^5 with one standard deviation of the covariate, the most that is searched.",
    "Transform the covariate.")
}

# A variance at 0: of one component among several, or of the whole process.
absent_component <- function(x) {
  if (sum(x$layout$kind == "variance") > 1L) {
    return("the data show no such component: leave it out of the covariance.")
  }
  "the data show no process beyond the trend and the scatter of the response."
}

undetermined_advice <- function(x, i) {
  sprintf("the %s is nearly flat about the estimate, %s, which is not close to 0: a standard error is not available. %s.",
    if (is_likelihood(x)) "likelihood" else "objective",
    trimws(format(signif(x$parameters$estimate[i], 3L))),
    if (x$layout$kind[i] == "effect_sd") "Keep the term" else
      paste0("Fix it", if (may_have_prior(x)) ", or give a prior (see ?pc_priors)"))
}

# The advice of each method on a nugget at a limit of its search interval.
nugget_advice <- list(
  default = function(method, x, side) {
    unless_all_noise(side, if (!is.null(x$data$noise$known))
      "there is no noise beyond the known part: use nugget = 0." else
        "the process passes through the data: use nugget = 0.")
  },
  svgp = function(method, x, side) unless_all_noise(side, advice_to_interpolate),
  vnngp = function(method, x, side) unless_all_noise(side, advice_to_interpolate),
  swsgp = function(method, x, side) unless_all_noise(side,
    "the least that swsgp() allows. With many points its objective mistakes noise for the process: use fewer points, or another method."),
  loo_k_families = "its least value, 1, is the noise of the responses by themselves."
)

unless_all_noise <- function(side, advice) {
  if (side == "upper") "the data show only noise, and no process." else advice
}

advice_to_interpolate <-
  "the process passes through the data: use vecchia() or exact_gp() with nugget = 0."

range_unit_of <- function(x, i) {
  if (x$layout$kind[i] == "range") range_units(x$parameters$name[i], x$locations) else ""
}

shape_argument <- function(x, i) {
  family_shape(x$core_covariance$components[[x$layout$component[i]]]$family)$argument
}

# Ranges of more than 50 times the extent of the locations (half their upper limit) in a component
# that also contains shorter ranges. The field then does not depend on some coordinates, which is no
# fault of the fit.
idle_ranges <- function(x) {
  parameters <- x$parameters
  range <- x$layout$kind == "range"
  # If the variance is large, a long range still distinguishes the levels of a factor. Their ranges
  # count only at the upper limit.
  share <- replace(rep(0.5, nrow(parameters)), ranges_of_levels(x), 0.999)
  long <- range & !parameters$fixed & parameters$estimate >
    share * exp(x$bounds$upper[parameters$name])
  long & x$layout$component %in% x$layout$component[range & !long]
}

idle_ranges_note <- function(x) {
  idle <- setdiff(which(idle_ranges(x)), ranges_of_covariates(x))
  if (!length(idle)) return(NULL)
  one <- length(idle) == 1L
  # `range` without a suffix is a distance in space.
  shared <- x$parameters$name[idle] == "range"
  named <- ifelse(shared, "the distance in space", sub("^range_", "", x$parameters$name[idle]))
  sprintf("Almost no effect of %s: %s more than 50 times the extent of the locations. Predictions are much the same without %s.",
    format_some(named, 12L), if (one) "the range is" else "the ranges are",
    if (one && !shared) "this coordinate" else "these coordinates")
}

# Ranges of coordinates that are covariates of the covariance as well: the field depends on these
# however long their range is.
ranges_of_covariates <- function(x) {
  if (!is_local(x)) return(integer(0))
  locations <- x$locations
  linear <- Filter(function(recipe) recipe$kind != "monotone", locations$local)
  used <- unlist(lapply(linear, function(recipe) all.vars(recipe$terms)))
  names <- c(locations$raw_names, locations$time)
  covariate <- names %in% used | c(place_names(length(locations$raw_names)),
    locations$time) %in% used
  # Longitude and latitude are three coordinates of the sphere.
  if (locations$metric == "longlat") {
    covariate <- c(rep(any(covariate[1:2]), 3L), covariate[-(1:2)])
  }
  depends <- function(row) {
    component <- x$core_covariance$components[[x$layout$component[row]]]
    any(covariate[component$group == x$layout$group[row]])
  }
  Filter(depends, which(x$layout$kind == "range"))
}

# A range or variance whose standard error exceeds it, both within their bounds. The upper bound of
# a range is 100 times the extent.
flat_likelihood_note <- function(x) {
  parameters <- x$parameters
  flat <- x$layout$kind %in% c("range", "variance") & !parameters$fixed & !parameters$at_boundary &
    !is.na(parameters$std_error) &
    parameters$std_error > parameters$estimate & !idle_ranges(x)
  if (!any(flat)) return(NULL)
  ranges <- parameters$name[x$layout$kind == "range"]
  long <- any(parameters$estimate[x$layout$kind == "range"] > 1e-3 * exp(x$bounds$upper[ranges]))
  one <- sum(flat) == 1L
  remedies <- c(paste("fix", if (long) "variance or range" else "the range"),
    if (may_have_prior(x)) "give a prior (see ?pc_priors)",
    if (!long) "use locations that are closer together" else
      if (!beyond_sphere(x)) "use data from a larger area")
  last <- length(remedies)
  if (last > 1L) remedies[last] <- paste("or", remedies[last])
  sprintf("The data contain little information about %s: the standard %s. To get %s, %s.",
    format_some(parameters$name[flat]), if (one) "error exceeds the estimate" else
      "errors exceed the estimates", if (one) "a definite value" else "definite values",
    paste(remedies, collapse = ", "))
}

# Says whether check_prior() would take a prior.
may_have_prior <- function(x) {
  is.null(x$prior) && is.null(x$outputs) && has_ability(x$method, "local_fields", x$family) &&
    !has_latent_low_rank(x$method) && is.null(x$method$inducing) &&
    !identical(x$method$optimizer, "adam")
}

# Whether a larger area could not add information: locations on a sphere extend over its radius or
# more, or a correlation goes on beyond half of its circumference.
beyond_sphere <- function(x) {
  if (x$locations$metric != "longlat") return(FALSE)
  if (is_streamed(x)) return(TRUE)  # such a fit keeps no coordinates, and gets no advice on them
  places <- x$data$coords[, seq_len(3L), drop = FALSE]
  radius <- sqrt(max(rowSums(places^2)))
  extent <- max(apply(places, 2L, function(side) diff(range(side))))
  effective <- effective_ranges(x, which(x$layout$kind == "range"))
  in_space <- x$layout$group[x$layout$kind == "range"] == 1L
  extent >= radius || any(effective[in_space] > pi * radius)
}
