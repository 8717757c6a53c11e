# Fits on inducing points whose parameters are given, so that all that is tested is what follows
# from them.

inducing_covariance <- function(...) cov_matern(nu = 1.5, variance = 1.5, range = 0.3, ...)

inducing_fit <- function(data = simulated_data(120), method = svgp(inducing = 20),
                         formula = z ~ height, covariance = inducing_covariance(), nugget = 0.1,
                         ...) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = covariance, nugget = nugget,
    ...)
}

# The covariance matrix of the data where the field is what the inducing points know of it, its
# noise, and the rest of its variance.
dense_inducing <- function(fit) {
  positions <- fit$svgp$positions
  prior <- dense_covariance(positions, positions, fit$core_covariance)
  variance <- prior[1L, 1L]
  diag(prior) <- diag(prior) + fit$method$jitter * variance
  cross <- dense_covariance(positions, fit$data$coords, fit$core_covariance)
  known <- crossprod(cross, solve(prior, cross))
  list(known = known, noise = fit$nugget / fit$data$weights, rest = variance - diag(known))
}

# The same of several responses.
dense_inducing_outputs <- function(fit) {
  data <- fit$data
  positions <- fit$svgp$positions
  total <- 0
  known <- 0
  for (component in fit$core_covariance$components) {
    B <- tcrossprod(component$loadings)[data$output, data$output]
    component$loadings <- NULL
    correlation <- list(components = list(component))
    prior <- dense_covariance(positions, positions, correlation)
    diag(prior) <- diag(prior) + fit$method$jitter
    cross <- dense_covariance(positions, data$coords, correlation)
    total <- total + diag(B)
    known <- known + B * crossprod(cross, solve(prior, cross))
  }
  list(known = known, rest = total - diag(known))
}

# Many rows for each point, as mini-batches are for.
batch_data <- function(n = 900, seed = 21) {
  withr::with_seed(seed, {
    data <- data.frame(x = stats::runif(n), y = stats::runif(n))
    data$field <- sin(6 * data$x) * cos(5 * data$y)
    data$z <- 20 + 8 * data$field + stats::rnorm(n, sd = 1.6)
    data$count <- stats::rpois(n, exp(1 + data$field))
    data
  })
}

batch_fit <- function(data, method, formula = z ~ 1, ..., seed = 3) {
  withr::with_seed(seed, neargp(formula, data, coords = ~ x + y, method = method,
    covariance = cov_matern(nu = 2.5), ...))
}

# The problem that a fit would solve.
inducing_problem <- function(formula, data, coords, method, covariance, distance = "auto",
                             nugget = NULL, start = NULL) {
  settings <- check_settings(formula, data, method, covariance, NULL, nugget, neargp_control(),
    "cpu", 1L, FALSE)
  locations <- new_locations(data, coords, NULL, distance, NULL, "z")
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL,
    na.action = stats::na.omit), formula, data, locations)
  model <- new_model_data(frame, formula, settings)
  model$data$coords <- embed_coordinates(model$data$coords, locations)
  problem <- new_problem(model$data, locations, settings, start)
  with_start(problem$method, problem)
}
