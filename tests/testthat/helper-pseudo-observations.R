# Responses of every family on one smooth field, and the leave-one-out prediction of loo_k() by
# pseudo-observations written once more, densely.

pseudo_observation_families <- function() {
  list(
    poisson = list(formula = count ~ h, family = stats::poisson()),
    negative_binomial = list(formula = count ~ h, family = negative_binomial()),
    successes = list(formula = cbind(successes, trials - successes) ~ h,
      family = stats::binomial()),
    cloglog = list(formula = cbind(successes, trials - successes) ~ h,
      family = stats::binomial("cloglog")),
    gamma = list(formula = amount ~ h, family = stats::Gamma("log")),
    beta = list(formula = share ~ h, family = beta_response()),
    student_t = list(formula = number ~ h, family = student_t())
  )
}

pseudo_observation_data <- function(n = 60, seed = 12, repeated = 0L) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n),
    trials = rep(1:5, length.out = n))
  if (repeated) {
    data[seq_len(repeated), c("x", "y")] <- data[repeated + seq_len(repeated), c("x", "y")]
  }
  eta <- 0.5 + sin(6 * data$x) + cos(5 * data$y) + 0.3 * data$h
  data$count <- stats::rnbinom(n, size = 3, mu = exp(eta))
  data$successes <- stats::rbinom(n, data$trials, stats::plogis(eta))
  data$amount <- stats::rgamma(n, 3, scale = exp(eta) / 3)
  data$share <- stats::rbeta(n, 4 * stats::plogis(eta), 4 * stats::plogis(-eta))
  data$number <- eta + 0.3 * stats::rt(n, 3)
  data
}

pseudo_observation_fit <- function(name, data, k = 10L, ...,
                                   formula = pseudo_observation_families()[[name]]$formula) {
  neargp(formula, data, coords = ~ x + y, family = pseudo_observation_families()[[name]]$family,
    method = loo_k(k), covariance = cov_exponential(), threads = 1L, ...)
}

# Mean and variance of a row's linear predictor from the pseudo-observations of all others: no
# distinct locations, no neighbours.
dense_pseudo_observation_moments <- function(fit, i) {
  data <- fit$data
  others <- setdiff(seq_along(data$y), i)
  covariance <- dense_covariance(data$coords, data$coords, fit$core_covariance)
  pseudo_observation <- lapply(fit$pseudo_observations$of_rows, function(x) x[others])
  z <- pseudo_observation$mean - data$offset[others] - drop(data$X[others, , drop = FALSE] %*%
    fit$beta)
  K <- covariance[others, others]
  noise <- fit$nugget / pseudo_observation$precision
  student <- fit$family_parameters
  if (fit$family$family == "student_t") {
    noise <- noise * student[["scale"]]^2
    noise <- noise / dense_omega(K, z, noise, student[["scale"]]^2 / pseudo_observation$precision,
      student[["df"]])
  }
  b <- solve(K + diag(noise), covariance[others, i])
  unseen <- data$X[i, ] - drop(crossprod(data$X[others, , drop = FALSE], b))
  c(mean = fit$pseudo_observations$bias + data$offset[i] + sum(data$X[i, ] * fit$beta) + sum(b * z),
    variance = covariance[i, i] - sum(b * covariance[others, i]),
    trend = drop(unseen %*% fit$beta_vcov %*% unseen))
}

# Gamma variables of data, each from the others of them, after three sweeps.
dense_omega <- function(K, z, noise, squared_scale, df) {
  omega <- rep(1, length(z))
  for (sweep in 1:3) {
    before <- omega
    omega <- vapply(seq_along(z), function(j) {
      b <- solve(K[-j, -j] + diag((noise / before)[-j]), K[-j, j])
      matched_omega(z[j] - sum(b * z[-j]), K[j, j] - sum(b * K[-j, j]), squared_scale[j], df)
    }, 0)
  }
  omega
}

# The definition: the same posterior mean of eta ~ N(0, variance), given y = residual, as with a
# random gamma variable, here on a grid of its logarithm.
matched_omega <- function(residual, variance, squared_scale, df) {
  u <- seq(-40, 5, length.out = 2000)
  total <- variance + squared_scale * exp(-u)
  weight <- exp(df / 2 * (u - exp(u) + 1)) * stats::dnorm(residual, 0, sqrt(total))
  shrinkage <- sum(weight * variance / total) / sum(weight)
  squared_scale / (variance / shrinkage - variance)
}

# The problem that a fit would solve.
pseudo_observation_example <- function(name, repeated = 10L) {
  case <- pseudo_observation_families()[[name]]
  data <- pseudo_observation_data(80, repeated = repeated)
  settings <- check_settings(case$formula, data, loo_k(7L), cov_matern(NULL, ard = TRUE) +
    cov_exponential(), case$family, NULL, neargp_control(), "cpu", 1L, FALSE)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, all.vars(case$formula[[2L]]))
  arguments <- list(weights = NULL, offset = NULL, subset = NULL, na.action = stats::na.omit)
  model <- new_model_data(new_model_frame(arguments, case$formula, data, locations), case$formula,
    settings)
  problem <- new_problem(model$data, locations, settings, NULL)
  problem <- pseudo_observation_problem(problem$method, with_start(problem$method, problem))
  with_pseudo_observations(problem, pseudo_observation_start(problem))
}

# As the core takes it.
given_covariance <- function(variance = 1, range = 0.3) {
  component <- list(family = "exponential", variance = variance, range = range, group = c(1L, 1L),
    anisotropy = double(0), shape = double(0))
  list(components = list(component), active = logical(3))
}

# The trend is estimated from all rows, so that leave-one-out predictions take a row's part in it
# away. A known trend contains no such part.
with_known_trend <- function(fit) given_trend(fit, fit$beta, 0 * fit$beta_vcov)
