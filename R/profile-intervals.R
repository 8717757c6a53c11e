# Intervals of covariance parameters by the profile likelihood. They contain the values x of
# parameter theta_j at which the log-likelihood l, maximised over all others, is within half a
# quantile of chi-squared of its maximum. These are the x with
#
#     r(x) = sqrt(2 (max l - max_{theta: theta_j = x} l)) <= sqrt(qchisq(level, 1)).
#
# On the working scale r is nearly |x - estimate| / (standard error). A root is therefore found in a
# few steps, each a search from the end of the last one. The profile maximises the fit's own
# criterion: restricted, and penalised, if it is.

profile_limits <- function(object, parm, level) {
  check_profiled(object)
  layout <- object$layout
  rows <- seq_len(nrow(layout))
  if (!is.null(parm)) {
    names <- matrix(rows, dimnames = list(layout$name, NULL))
    rows <- unname(drop(take_limits(names, parm)))
  }
  # A tied nugget is a multiple of the variance, the first row, and so are its limits.
  tied <- is_tied(layout)[rows]
  searched <- unique(replace(rows, tied, 1L))
  known <- !is_estimated(layout)
  rotated <- seq_along(layout$name) %in% rotated_rows(layout) & !known
  if (!is.null(parm)) refuse_rotated(layout$name[rows][rotated[rows]])
  unknown <- known | rotated
  problem <- profile_problem(object)
  cut <- sqrt(stats::qchisq(level, 1))
  profiles <- lapply(searched, function(row) {
    if (unknown[row]) list(limits = c(NA_real_, NA_real_)) else profile_limits_of(problem, row, cut,
      parameter_width(object, row))
  })
  working <- vapply(profiles, `[[`, double(2L), "limits")
  names <- layout$name[searched]
  inform_open_limits(names, working, unknown[searched] & !known[searched])
  inform_bounded_limits(names, lapply(profiles, `[[`, "bounded"), layout$name)
  natural <- profile_in_natural(object, problem, searched, working)[, match(replace(rows, tied, 1L),
    searched), drop = FALSE]
  natural[, tied] <- natural[, tied] * fixed_ratio(layout)
  limit_matrix(natural[1L, ], natural[2L, ], layout$name[rows], level)
}

check_profiled <- function(object) {
  if (!is_likelihood(object)) {
    abort_not_likelihood("method = \"profile\"", object$score, is_gaussian(object$family),
      compared = FALSE)
  }
  if (has_likelihood_objective(object)) {
    return(check_known_order(object, "Profile intervals are not available"))
  }
  of <- if (is.null(object$outputs)) paste("fits by", object$method$label) else "several responses"
  abort_neargp("method", c(sprintf("Profile intervals are not available for %s.", of),
    i = "They are for one Gaussian response by exact_gp() or vecchia(condition = \"responses\")."))
}

# Parameters that are not their own working parameters: ratio and angle of an estimated anisotropy,
# and the range along its major axis.
rotated_rows <- function(layout) {
  estimated <- Filter(function(rows) !all(layout$fixed[rows$axes]), anisotropy_rows(layout))
  unlist(lapply(estimated, function(rows) c(rows$range, rows$axes)))
}

# The problem of the fit with its objective, at the maximum of that.
profile_problem <- function(object) {
  problem <- problem_of_fit(object)
  problem$control$tolerance <- min(problem$control$tolerance, 1e-6)
  objective <- likelihood_objective(problem$method, problem)
  best <- scoring_optimizer(problem)(objective, problem$start, FALSE)
  list(problem = problem, objective = objective, best = best)
}

# The problem that the fit has solved, from its estimates.
problem_of_fit <- function(object) {
  started_problem(fold_problem(object, seq_along(object$data$y), plain_context(object$threads)))
}

# A standard error on the working scale, and 1 where there is none.
parameter_width <- function(object, row) {
  variance <- object$interval_vcov[row, row]
  if (is.na(variance)) 1 else min(max(sqrt(variance), 0.01), 2)
}

# The two limits, and which other parameters are at their upper bounds at a finite one.
profile_limits_of <- function(profiled, row, cut, width) {
  problem <- profiled$problem
  problem$free[row] <- FALSE
  bounds <- c(problem$bounds$lower[row], problem$bounds$upper[row])
  bounded <- FALSE
  limits <- vapply(c(-1, 1), function(side) {
    last <- profiled$best$working
    excess <- function(x) {
      state <- if_computable(scoring_optimizer(problem)(profiled$objective, replace(last, row, x),
        FALSE))
      if (is.null(state)) return(Inf)
      last <<- state$working
      gap <- profiled$best$evaluated$value - state$evaluated$value
      check_profile_gap(gap, problem$layout$name[row])
      sqrt(2 * max(gap, 0)) - cut
    }
    limit <- root_towards(excess, profiled$best$working[row], side * width * cut,
      bounds[(side + 3) / 2], cut)
    if (is.finite(limit)) bounded <<- bounded | reaches_upper(problem, last)
    limit
  }, 0)
  list(limits = limits, bounded = which(bounded))
}

# Ranges and variances tend to no model at their upper bounds. At other bounds there is a model: 0
# is a value of variances, and correlations end at 1.
reaches_upper <- function(problem, working) {
  problem$free & problem$layout$kind %in% c("range", "variance") &
    working >= problem$bounds$upper - 1e-6
}

# The root of a function that is -cut at `from` and rises in the direction of `step`, in steps that
# double; infinite where there is none before `end`.
root_towards <- function(excess, from, step, end, cut) {
  inner <- c(from, -cut)
  repeat {
    at <- if (step < 0) max(inner[1L] + step, end) else min(inner[1L] + step, end)
    outer <- c(at, if (at == inner[1L]) -1 else excess(at))
    if (outer[2L] >= 0) break
    if (at == end) return(sign(step) * Inf)
    inner <- outer
    step <- 2 * step
  }
  false_position(excess, inner, outer)
}

# The method of false position with the weight of Illinois for an end that stays (Dowell and Jarratt
# 1971); an infinite end is halved towards the other.
false_position <- function(f, inner, outer, tolerance = 1e-3, steps = 60L) {
  for (step in seq_len(steps)) {
    share <- if (is.finite(outer[2L])) inner[2L] / (inner[2L] - outer[2L]) else 0.5
    x <- inner[1L] + share * (outer[1L] - inner[1L])
    value <- f(x)
    if (abs(value) < tolerance || abs(outer[1L] - inner[1L]) < 1e-6) break
    if (value < 0) {
      inner <- c(x, value)
      outer[2L] <- outer[2L] / 2
    } else {
      outer <- c(x, value)
      inner[2L] <- inner[2L] / 2
    }
  }
  x
}

# With one parameter fixed, the likelihood cannot be greater than with all of them free.
check_profile_gap <- function(gap, name) {
  if (gap > -0.1) return(invisible())
  abort_neargp("convergence",
    c(sprintf("The likelihood is greater by %.2g where `%s` is fixed at another value: the fit is not at its maximum.",
      -gap, name), i = "Fit again from there, with other starting values: neargp(start = )."))
}

# The profile in the user's unit and on the natural scale; an open end is that of the parameter's
# range.
profile_in_natural <- function(object, profiled, rows, working) {
  layout <- object$layout[rows, ]
  unit <- profiled$problem$data$basis$unit %||% 1
  shift <- unit_power(layout) * log(unit)
  # with a known anisotropy the range is that along the major axis
  scale <- ifelse(layout$kind == "range", object$parameters$estimate[rows] /
    to_core(object$parameters$working[rows], layout$transform), 1 / covariate_scale(layout))
  rbind(to_core(working[1L, ] + shift, layout$transform) * scale,
    to_core(working[2L, ] + shift, layout$transform) * scale)
}

# Where another parameter is stopped by its bound, the profile falls sooner than without bounds.
inform_bounded_limits <- function(names, bounded, all_names) {
  for (i in which(lengths(bounded) > 0L)) {
    inform_neargp("profile",
      c(sprintf("At a limit of %s, %s: without that bound the interval is wider, and may be open.",
        names[i], paste(sprintf("%s is at its upper bound", all_names[bounded[[i]]]),
          collapse = " and "))))
  }
}

inform_open_limits <- function(names, working, rotated) {
  open <- colSums(is.infinite(working)) > 0L
  if (any(open)) {
    inform_neargp("profile",
      sprintf("The likelihood does not fall far enough within the bounds of %s: the interval is open there.",
        format_some(names[open])))
  }
  if (any(rotated)) {
    inform_neargp("profile", c(no_profile_of_rotated(names[rotated]), i = "Use method = \"wald\"."))
  }
}

# In a table of all parameters they are NA, with a message.
refuse_rotated <- function(names) {
  if (!length(names)) return(invisible())
  abort_neargp("method", c(no_profile_of_rotated(names),
    x = "A profile fixes a parameter of the search. Ratios, angles and the range along the major axis are functions of several.",
    i = "Use method = \"wald\", or fix the anisotropy in `covariance`."))
}

no_profile_of_rotated <- function(names) {
  sprintf("Profile intervals are not available for %s, which an estimated anisotropy ties together.",
    format_some(names))
}
