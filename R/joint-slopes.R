# Derivatives at the end of a joint search: minus the second derivatives of the objective, its
# information, and how trends and fields respond to the parameters. Differences of the exact
# gradient compute them.

# `information`: what is known of it before, NULL if nothing is. If the differences find another
# one, they are taken again along its own directions.
slopes_near_optimum <- function(shared, state, information = NULL) {
  if (!is.null(information)) {
    center <- fit_near(shared, state$objective, state$working, 1e-6)
    along <- function(known) if (!is.null(center)) joint_slopes_along(shared, state$objective,
      state$working, center, known)
    slopes <- along(information)
    if (!is.null(slopes) && is_other_information(shared, slopes$information, information)) {
      slopes <- along(slopes$information) %||% slopes
    }
    if (!is.null(slopes)) return(slopes)
  }
  center <- state$objective$fit_at(state$working, 1e-6)
  joint_slopes(shared, state$objective, state$working, center$end)
}

# Whether an information differs from an earlier one by this factor along a direction of the latter.
is_other_information <- function(shared, information, earlier, factor = 2) {
  scale <- outer(joint_units(shared), joint_units(shared))
  free <- shared$free
  known <- eigen((earlier * scale)[free, free, drop = FALSE], symmetric = TRUE)
  found <- colSums(known$vectors * ((information * scale)[free, free, drop = FALSE] %*%
    known$vectors))
  any(abs(log(pmax(found, least_joint_information) /
    pmax(known$values, least_joint_information))) > log(factor))
}

# The posterior at these parameters with gradient and coefficients, NULL where there is none.
fit_near <- function(shared, objective, at, tolerance = max(objective$tolerance, 1e-6),
                     from = NULL) {
  found <- tryCatch(objective$fit_at(at, tolerance, derivatives = TRUE, from = from),
    neargp_error = function(e) NULL)
  if (is.null(found) || !all(is.finite(found$gradient))) return(NULL)
  found$beta <- joint_coefficients(shared, found["beta"], to_core(at,
    shared$layout$transform))$beta
  found
}

# Central differences along the parameters. `shifted` contains the changes of trends and fields
# for a `step` of each parameter. One-sided differences would be off by a third where loadings and
# range lie on a ridge. `end`: the posterior at `working`. Steps up and down change it by opposite
# amounts to first order. The search after a step down therefore begins opposite to where the step
# up ended.
joint_slopes <- function(shared, objective, working, end, step = 0.02) {
  units <- joint_units(shared)
  layout <- shared$layout
  information <- matrix(0, nrow(layout), nrow(layout))
  shifted <- vector("list", nrow(layout))
  for (a in which(shared$free)) {
    h <- step * units[a]
    at <- pmin(pmax(working[a] + c(h, -h), shared$bounds$lower[a]), shared$bounds$upper[a])
    up <- fit_near(shared, objective, replace(working, a, at[1L]))
    if (is.null(up)) next
    down <- fit_near(shared, objective, replace(working, a, at[2L]),
      from = core_fields_opposite(end, up$end))
    if (is.null(down)) next
    slope <- function(name) (up[[name]] - down[[name]]) / (at[1L] - at[2L])
    information[a, ] <- -slope("gradient")
    shifted[[a]] <- list(step = h, mean = h * slope("mean"), beta = h * slope("beta"))
  }
  information <- (information + t(information)) / 2
  list(information = information, shifted = shifted)
}

# The same along the eigenvectors of an approximate information, by differences from the optimum.
# These are half the evaluations. Let I be the information along such a direction and T the third
# derivative. A difference over a step h is off by h T / (2 I) of I. For h in standard deviations,
# 1 / sqrt(I), this is a share of the skewness of the likelihood, along a ridge as elsewhere.
# Directions that would need steps longer than `longest` units take central differences. NULL where
# a posterior is not found. `center`: of fit_near() at `working`.
joint_slopes_along <- function(shared, objective, working, center, information, deviations = 0.1,
                               longest = 0.05) {
  units <- joint_units(shared)
  free <- which(shared$free)
  known <- difference_directions(shared, working, information, longest)
  slopes <- list()
  for (a in seq_along(free)) {
    h <- min(deviations / sqrt(abs(known$values[a])), longest)
    step <- replace(double(length(working)), free, h * units[free] * known$vectors[, a])
    if (leaves_bounds(shared, working + step)) step <- -step
    up <- fit_near(shared, objective, working + step)
    central <- h == longest && !leaves_bounds(shared, working - step)
    if (is.null(up)) return(NULL)
    down <- if (central) fit_near(shared, objective, working - step,
      from = core_fields_opposite(center$end, up$end)) else center
    if (is.null(down)) return(NULL)
    along <- sum(step[free] / units[free] * known$vectors[, a]) * (1 + central)
    names <- c("gradient", "mean", "beta")
    slopes[[a]] <- Map(function(after, before) (after - before) / along, up[names], down[names])
  }
  slopes_of_parameters(shared, slopes, known$vectors, center)
}

# Eigenvectors and eigenvalues of an information in units of the parameters. Parameters near a
# limit, and parameters of vanished fields, are separate directions.
difference_directions <- function(shared, working, information, margin) {
  units <- joint_units(shared)
  apart <- working - shared$bounds$lower < margin * units |
    shared$bounds$upper - working < margin * units | of_vanished_fields(shared, working)
  scaled <- information * outer(units, units)
  scaled[outer(apart, apart, "|") & row(scaled) != col(scaled)] <- 0
  eigen(scaled[shared$free, shared$free, drop = FALSE], symmetric = TRUE)
}

leaves_bounds <- function(shared, working) {
  any(shared$free & (working < shared$bounds$lower | working > shared$bounds$upper))
}

# Slopes of the parameters from those along `vectors`, directions of length 1 in their units.
# `center`: the objective at the optimum, which a search begins at.
slopes_of_parameters <- function(shared, slopes, vectors, center, step = 0.02) {
  units <- joint_units(shared)
  free <- which(shared$free)
  of_parameters <- function(name) matrix(as.double(unlist(lapply(slopes, `[[`, name))),
    ncol = length(free)) %*% t(vectors)
  information <- matrix(0, length(units), length(units))
  scaled <- -of_parameters("gradient")[free, , drop = FALSE] * units[free]
  information[free, free] <- (scaled + t(scaled)) / 2 / outer(units[free], units[free])
  changes <- lapply(c(mean = "mean", beta = "beta"), function(name) step * of_parameters(name))
  shifted <- vector("list", length(units))
  shifted[free] <- lapply(seq_along(free), function(a) list(step = step * units[free[a]],
    mean = changes$mean[, a], beta = changes$beta[, a]))
  list(information = information, shifted = shifted,
    center = center[intersect(c("value", "bound", "gradient"), names(center))])
}

# The parameters, fields and trends that steps of single parameters from the optimum lead to.
shifted_from <- function(slopes, working, posterior) {
  lapply(seq_along(slopes$shifted), function(a) {
    at <- slopes$shifted[[a]]
    if (!is.null(at)) list(working = replace(working, a, working[a] + at$step), step = at$step,
      mean = posterior$mean + at$mean, beta = posterior$beta + at$beta)
  })
}
