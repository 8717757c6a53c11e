# Starting values and bounds of latent models. A generalised linear model without the field gives
# the trend. For each row it also gives a working response and its weight, which is a Gaussian
# response on the scale of the link. The covariance is started from this response as for Gaussian
# data (R/start-values.R), with the noise known.

with_latent_start <- function(problem) {
  if (has_effects(problem$data)) return(latent_effects_start(problem))
  check_noise(problem)
  rough <- rough_glm(problem$data, problem$family)
  gaussian <- problem$family$family == "gaussian"
  working_problem <- if (gaussian) problem else working_response_problem(problem, rough)
  found <- residual_variance(working_problem$data)
  variance <- if (gaussian) found else
    max(found, least_variance(problem, working_problem$data, rough))
  bounds <- working_bounds(working_problem,
    c(variance, if (gaussian) variance_guesses(problem$data)))
  start <- if (found < variance) start_without_variation(working_problem, variance) else
    start_working(working_problem, variance)
  start <- clamp(start, bounds, working_problem$free)
  family <- family_working(problem, rough, sqrt(variance))
  # On the scale of a logarithm or logit a standard deviation of 10 leaves nothing to chance:
  # classes are separated.
  if (!response_family(problem$family)$link %in% "identity") {
    variances <- which(problem$layout$kind == "variance")
    bounds$upper[variances] <- pmin(bounds$upper[variances], log(100))
  }
  problem$bounds <- Map(c, bounds, family[c("lower", "upper")])
  problem$start <- clamp(c(start, family$start), problem$bounds, problem$free)
  problem$start[problem$layout$fixed] <- to_working(problem$layout$value,
    problem$layout$transform)[problem$layout$fixed]
  problem
}

# The same in the core's columns. `with_start`: a function of the problem.
with_core_start <- function(problem, with_start) {
  replace(with_start(replace(problem, "data", list(core_data(problem$data)))), "data",
    list(problem$data))
}

# A response without noise is the field, and no sum of log densities.
check_noise <- function(problem) {
  if (has_ability(problem$method, "nugget") &&
      identical(problem$layout$value[problem$layout$kind == "nugget"], 0)) {
    abort_argument("nugget",
      sprintf("NULL or greater than 0 for %s, whose responses scatter about the field (vecchia() needs no noise)",
        method_call(problem$method)), 0)
  }
}

# Linear predictor and mean per trial.
rough_glm <- function(data, family) {
  trials <- data$trials %||% rep(1, length(data$y))
  weights <- data$weights * trials
  nearest <- response_family(family)$nearest(family)
  # categories lack a mean: their scores on the scale of the linear predictor stand for them
  response <- if (isTRUE(response_family(family)$scored)) data_linear_predictor(data, family) else
    data$y / trials
  eta <- if (has_gamma_variables(family)) robust_trend(data) else glm_trend(data, response,
    weights, nearest)
  list(eta = eta, mu = nearest$linkinv(eta), family = nearest, weights = weights, trials = trials,
    response = response)
}

# Responses over many orders of magnitude break the iterations of a generalised linear model; from a
# constant mean they may succeed.
glm_trend <- function(data, y, weights, family) {
  if (!ncol(data$X)) return(data$offset)
  mean <- weighted_mean(y, weights)
  for (mustart in list(NULL, rep(mean, length(y)))) {
    glm <- tryCatch(suppressWarnings(stats::glm.fit(data$X, y, weights, mustart = mustart,
      offset = data$offset, family = family)), error = function(e) NULL)
    if (!is.null(glm) && all(is.finite(glm$linear.predictors))) return(glm$linear.predictors)
  }
  data$offset - mean(data$offset) + family$linkfun(mean)
}

# The unit of steps of a fixed size in the linear predictor: with an identity link the scatter of
# the response about its trend. On the scale of another link 1 means the same for all responses.
predictor_unit <- function(data, family) {
  if (response_family(family)$link != "identity") return(1)
  robust_scale(data$y - robust_trend(data), data$weights / mean(data$weights))
}

# A problem with the same working parameters except the nugget. The nugget is 0 in the latent model
# and 1 for the working response, whose weights are the reciprocals of its variances. `data`: the
# data to which the rough trend is fitted.
response_problem <- function(problem, data = problem$data) {
  if (is_gaussian(problem$family)) problem else working_response_problem(problem,
    rough_glm(data, problem$family))
}

# The working response is z = eta + (y - mu) / s with s = d mu / d eta. Its variance is
# V(mu) / s^2 / weight. Outliers of a Student-t response are brought near. Far out on the link scale
# the weights vanish. They are kept within a factor of 10^4, since this is only a start.
working_response_problem <- function(problem, rough) {
  slope <- rough$family$mu.eta(rough$eta)
  residual <- rough$response - rough$mu
  if (problem$family$family == "student_t") residual <- winsorised(residual, rough$weights)
  z <- rough$eta - problem$data$offset + residual / slope
  weights <- rough$weights * slope^2 / rough$family$variance(rough$mu)
  usable <- is.finite(z) & is.finite(weights)
  z[!usable] <- 0
  weights[!usable] <- 0
  if (!isTRUE(sum(weights) > 0 && is.finite(sum(weights)))) abort_response_range(problem$data)
  problem$data$y <- z + problem$data$offset
  problem$data$weights <- pmax(weights, 1e-4 * max(weights))
  problem <- without_family_parameters(problem)
  # The dispersion of the other families is not known. Nothing is to be started where all
  # parameters are fixed.
  known <- !length(response_family(problem$family)$parameters) || !any(problem$free)
  problem$layout[problem$layout$kind == "nugget", c("value", "fixed")] <- list(
    if (known) 1 else NA_real_, known)
  problem$free <- !problem$layout$fixed
  problem$keep <- NULL  # its parameters are not those of the model
  problem
}

abort_response_range <- function(data) {
  abort_neargp("scale", c(
    sprintf("The observed values of %s, from %.3g to %.3g, are beyond what its family can compute with.",
      data$response_name, min(data$y), max(data$y)),
    i = "Look for values that stand for missing ones, or choose another family."))
}

# Bounds and start are those of all parameters where they have been found.
without_family_parameters <- function(problem) {
  of_field <- problem$layout$kind != "family"
  problem$layout <- problem$layout[of_field, ]
  if (is.null(problem$start)) return(problem)
  problem$start <- problem$start[of_field]
  problem$bounds[c("lower", "upper")] <- lapply(problem$bounds[c("lower", "upper")], `[`, of_field)
  problem
}

# The least variance of the working response. Where the family determines the size of the noise, it
# is a negligible share of the noise. Otherwise it is 0, and a response that the trend fits exactly
# is an error, since it lacks the scatter to estimate the noise from.
least_variance <- function(problem, working_data, rough) {
  if (response_family(problem$family)$discrete) return(1e-4 / mean(working_data$weights))
  y <- problem$data$y
  if (sum((y - rough$mu)^2) <= 1e-14 * sum(y^2)) abort_exact_trend(problem$data$response_name)
  0
}

# Nothing to compare starting values by.
start_without_variation <- function(problem, variance) {
  scales <- start_scales(problem)
  layout <- problem$layout
  layout$value <- ifelse(layout$fixed, layout$value, layout$start)
  problem$layout <- layout
  to_working(candidate_values(problem, scales, sqrt(length(scales)), NA_real_, c(variance, 0)),
    layout$transform)
}

# The linear predictor that each response suggests by itself, as generalised linear models start
# from. Outliers are brought near: where a likelihood is not log-concave, a field that starts there
# would stay.
data_linear_predictor <- function(data, family) response_family(family)$suggest(data, family)

# Bounds and starting values of the family are those of a row of weight 1; where weights divide the
# dispersion, those of the weights there are. Coefficients of a parameter begin at 0.
family_working <- function(problem, rough, spread) {
  rows <- problem$layout[problem$layout$kind == "family", ]
  if (!nrow(rows)) return(list(lower = double(0), upper = double(0), start = double(0)))
  known <- family_parameters(problem$family, spread)
  slopes <- is_parameter_slope(rows)
  of_slopes <- rows[slopes, ]
  rows <- rows[!slopes, ]
  power <- dispersion_powers[rows$name]
  power[is.na(power) | !response_family(problem$family)$scaled] <- 0
  weights <- problem$data$weights
  unit <- mean(weights)
  start <- response_family(problem$family)$start(problem$data$y, rough$mu,
    rough$weights / unit, rough$trials)
  if (!is.null(names(start))) start <- start[rows$name]
  start <- start * unit^power
  start <- ifelse(is.na(rows$start), start, rows$start)
  at_ends <- function(pick) pick(min(weights)^power, max(weights)^power)
  none <- rep(0, nrow(of_slopes))
  list(lower = c(to_working(known$lower * at_ends(pmin), rows$transform), none - 5),
    upper = c(to_working(known$upper * at_ends(pmax), rows$transform), none + 5),
    start = c(to_working(start, rows$transform),
      ifelse(is.na(of_slopes$start), none, of_slopes$start)))
}
