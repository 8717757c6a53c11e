# Starting values and bounds of latent models. A generalised linear model without the field gives the trend and, for each row, a working
# response and its weight: a gaussian response on the scale of the link, from which the covariance is started as for gaussian data
# (R/start-values.R) with the noise known.

with_latent_start <- function(problem) {
  rough <- rough_glm(problem$data, problem$family)
  gaussian <- problem$family$family == "gaussian"
  own <- problem$layout$kind != "family"
  working_problem <- if (gaussian) problem else working_response_problem(problem, rough)
  variance <- residual_variance(working_problem$data)
  bounds <- working_bounds(working_problem, variance)
  start <- clamp(start_working(working_problem, variance), bounds, working_problem$free)
  family <- family_working(problem, rough)
  # On the scale of a logarithm or logit a standard deviation of 10 leaves nothing to chance: classes are separated.
  if (!response_family(problem$family)$link %in% "identity") {
    variances <- which(problem$layout$kind == "variance")
    bounds$upper[variances] <- pmin(bounds$upper[variances], log(100))
  }
  problem$bounds <- Map(c, bounds, family[c("lower", "upper")])
  problem$start <- clamp(c(start, family$start), problem$bounds, problem$free)
  problem$start[problem$layout$fixed] <- to_working(problem$layout$value, problem$layout$transform)[problem$layout$fixed]
  problem
}

# Linear predictor and mean per trial.
rough_glm <- function(data, family) {
  trials <- data$trials %||% rep(1, length(data$y))
  weights <- data$weights * trials
  nearest <- switch(family$family, gaussian = , student_t = stats::gaussian(), binomial = stats::quasibinomial(family$link),
    beta = stats::quasibinomial(family$link), Gamma = stats::Gamma(family$link), stats::quasipoisson(family$link))
  eta <- data$offset
  if (ncol(data$X)) {
    fit <- suppressWarnings(stats::glm.fit(data$X, data$y / trials, weights, offset = data$offset, family = nearest))
    eta <- fit$linear.predictors
  }
  list(eta = eta, mu = nearest$linkinv(eta), family = nearest, weights = weights, trials = trials)
}

# z = eta + (y - mu) d eta / d mu with variance V(mu) (d eta / d mu)^2 / weight. Far out on the link scale the weights vanish: they are
# kept within a factor of 10^4, since this is but a start.
working_response_problem <- function(problem, rough) {
  slope <- rough$family$mu.eta(rough$eta)
  z <- rough$eta - problem$data$offset + (problem$data$y / rough$trials - rough$mu) / slope
  weights <- rough$weights * slope^2 / rough$family$variance(rough$mu)
  usable <- is.finite(z) & is.finite(weights)
  z[!usable] <- 0
  weights[!usable] <- 0
  problem$data$y <- z + problem$data$offset
  problem$data$weights <- pmax(weights, 1e-4 * max(weights))
  problem$layout <- problem$layout[problem$layout$kind != "family", ]
  # the dispersion of the other families is not known
  known <- problem$family$family %in% c("binomial", "poisson")
  problem$layout[problem$layout$kind == "nugget", c("value", "fixed")] <- list(if (known) 1 else NA_real_, known)
  problem$free <- !problem$layout$fixed
  problem
}

# The linear predictor that each response suggests by itself, as generalised linear models start from.
data_linear_predictor <- function(data, family) {
  switch(family$family, binomial = response_link(family)$linkfun((data$y + 0.5) / ((data$trials %||% 1) + 1)),
    poisson = , negative_binomial = log(data$y + 0.1), Gamma = log(data$y), beta = stats::qlogis(data$y), data$y)
}

family_working <- function(problem, rough) {
  rows <- problem$layout[problem$layout$kind == "family", ]
  if (!nrow(rows)) return(list(lower = double(0), upper = double(0), start = double(0)))
  known <- family_parameters(problem$family, stats::sd(problem$data$y))
  start <- response_family(problem$family)$start(problem$data$y, rough$mu, rough$weights)[rows$name]
  start <- ifelse(is.na(rows$start), start, rows$start)
  list(lower = log(known$lower), upper = log(known$upper), start = log(start))
}
