# Checks whether the intervals of vnngp() cover the truth and whether its estimates are unbiased. The fields are
# simulated with known parameters, with responses of every family. For small fields the script also samples the
# posterior by Markov chain Monte Carlo.
#
#   Rscript bench/vnngp-coverage.R [coverage] [sampler]

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))

parts <- commandArgs(TRUE)
if (!length(parts)) parts <- c("coverage", "sampler")
describe_run()

# ---- data -------------------------------------------------------------------------------------------------------------------------

truth <- c(size = 2, shape = 3, precision = 8, scale = 0.3, df = 4, nugget = 0.2)
# Correlations as functions of distance / range; the ranges have about the same effective distance.
correlations <- list(
  exponential = list(settings = cov_exponential(), range = 0.1, of = function(d) exp(-d)),
  matern32 = list(settings = cov_matern(1.5), range = 0.06, of = function(d) (1 + d) * exp(-d))
)
families <- list(
  poisson = poisson(), bernoulli = binomial(), counts = binomial(), negative_binomial = negative_binomial(), gamma = Gamma("log"),
  beta = beta_response(), student_t = student_t(), gaussian = gaussian()
)

draw_response <- function(family, eta, trials) {
  n <- length(eta)
  share <- plogis(eta)
  switch(family,
    poisson = rpois(n, exp(eta)), bernoulli = rbinom(n, 1, share), counts = rbinom(n, trials, share),
    negative_binomial = rnbinom(n, truth[["size"]], mu = exp(eta)),
    gamma = rgamma(n, truth[["shape"]], scale = exp(eta) / truth[["shape"]]),
    beta = inside(rbeta(n, truth[["precision"]] * share, truth[["precision"]] * (1 - share))),
    student_t = eta + truth[["scale"]] * rt(n, truth[["df"]]), gaussian = rnorm(n, eta, sqrt(truth[["nugget"]])))
}

# Draws of a beta distribution that are rounded to 0 or 1.
inside <- function(y) pmin(pmax(y, 1e-12), 1 - 1e-12)

# Locations, a covariate, and the Cholesky factor of the correlation of a field at these locations.
simulate_places <- function(n, correlation) {
  places <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  attr(places, "root") <- chol(place_correlation(places, correlation) + diag(1e-8, n))
  places
}

place_correlation <- function(places, correlation) correlation$of(as.matrix(dist(places[c("x", "y")])) / correlation$range)

# A new field for each response, so that errors are independent.
add_response <- function(places, family, variance) {
  n <- nrow(places)
  field <- sqrt(variance) * drop(crossprod(attr(places, "root"), rnorm(n)))
  places$trials <- if (family == "counts") 1 + rpois(n, 4) else 1
  places$eta <- 0.3 + 0.5 * places$h + field
  places$z <- draw_response(family, places$eta, places$trials)
  places
}

response_formula <- function(family) if (family == "counts") cbind(z, trials - z) ~ h else z ~ h

# ---- coverage and bias ------------------------------------------------------------------------------------------------------------

fit_response <- function(data, family, posterior, settings) {
  messages <- 0L
  timing <- timed(withCallingHandlers(
    neargp(response_formula(family), data, coords = ~ x + y, method = vnngp(k = 15, posterior = posterior), covariance = settings,
      family = families[[family]], threads = 1L, verbose = FALSE),
    neargp_warning_convergence = function(w) {
      messages <<- messages + 1L
      invokeRestart("muffleWarning")
    }))
  list(fit = timing$value, cpu = timing$cpu, unconverged = messages > 0L)
}

covered <- function(fit, data) {
  link <- predict(fit, data, type = "link")
  mean(abs(data$eta - link$mean) < qnorm(0.975) * link$sd)
}

# Errors of the estimates, on the logarithmic scale for covariance and family, and their standard errors.
estimate_errors <- function(fit, variance, range) {
  estimates <- coef(fit, "covariance")
  estimates <- estimates[names(estimates) != "smoothness"]
  true <- c(variance = variance, range = range, truth)[names(estimates)]
  errors <- data.frame(parameter = names(estimates), error = log(estimates / true), se = sqrt(diag(fit$interval_vcov)[names(estimates)]))
  trend <- data.frame(parameter = c("intercept", "h"), error = coef(fit) - c(0.3, 0.5), se = sqrt(diag(vcov(fit))))
  rbind(errors, trend)
}

run_coverage <- function(n = 1500L, held_out = 500L, seeds = 1:6, variances = c(weak = 0.5, strong = 2)) {
  coverage <- estimates <- NULL
  for (correlation in names(correlations)) for (seed in seeds) {
    set.seed(100 * seed + match(correlation, names(correlations)))
    places <- simulate_places(n + held_out, correlations[[correlation]])
    for (signal in names(variances)) for (family in names(families)) {
      data <- add_response(places, family, variances[[signal]])
      train <- data[seq_len(n), ]
      test <- data[-seq_len(n), ]
      for (posterior in c("sparse", "laplace", if (seed <= 2) "mean-field")) {
        run <- fit_response(train, family, posterior, correlations[[correlation]]$settings)
        key <- data.frame(correlation, seed, signal, family, posterior, row.names = NULL)
        coverage <- rbind(coverage, cbind(key, at_data = covered(run$fit, train), held_out = covered(run$fit, test), cpu = run$cpu,
          unconverged = run$unconverged))
        errors <- estimate_errors(run$fit, variances[[signal]], correlations[[correlation]]$range)
        estimates <- rbind(estimates, cbind(key, errors, row.names = NULL))
      }
    }
    cat(correlation, "seed", seed, "\n")
  }
  list(coverage = coverage, estimates = estimates)
}

# Means over seeds and covariances. If the standard errors are right, standardised errors have mean 0 and standard
# deviation 1.
summarize_coverage <- function(runs) {
  groups <- split(runs$coverage, ~ posterior + family + signal, drop = TRUE)
  save_table(do.call(rbind, lapply(groups, function(part) {
    data.frame(part[1L, c("posterior", "family", "signal")], fits = nrow(part), at_data = mean(part$at_data),
      held_out = mean(part$held_out), least_held_out = min(part$held_out), cpu_median = median(part$cpu), cpu_most = max(part$cpu),
      unconverged = sum(part$unconverged))
  })), "vnngp-coverage", 3L)
  groups <- split(runs$estimates, ~ posterior + family + parameter, drop = TRUE)
  save_table(do.call(rbind, lapply(groups, function(part) {
    z <- part$error / part$se
    z <- z[is.finite(z)]
    data.frame(part[1L, c("posterior", "family", "parameter")], fits = nrow(part), with_error = length(z), mean_error = mean(part$error),
      spread = sd(part$error), mean_z = mean(z), sd_z = sd(z), t = mean(z) * sqrt(length(z)))
  })), "vnngp-estimates", 3L)
}

# ---- the posterior by Markov chain Monte Carlo ----------------------------------------------------------------------------------------

# Elliptical slice sampling (Murray, Adams and MacKay 2010) of exp(log_target) N(mean, R'R). The normal distribution
# is close to the posterior, and log_target is the remaining factor. The chain therefore forgets its state within a
# few steps.
elliptical_slices <- function(log_target, mean, root, draws) {
  n <- length(mean)
  total <- squares <- double(n)
  x <- double(n)
  value <- log_target(mean)
  for (draw in seq_len(draws)) {
    other <- drop(rnorm(n) %*% root)
    level <- value - rexp(1)
    angle <- runif(1, 0, 2 * pi)
    span <- c(angle - 2 * pi, angle)
    repeat {
      candidate <- x * cos(angle) + other * sin(angle)
      value <- log_target(mean + candidate)
      if (value > level) break
      span[if (angle < 0) 1L else 2L] <- angle
      angle <- runif(1, span[1L], span[2L])
    }
    x <- candidate
    total <- total + x
    squares <- squares + x^2
  }
  list(mean = mean + total / draws, sd = sqrt(squares / draws - (total / draws)^2))
}

# The posterior for a dense prior of precision P and the parameters of the fit. The sampler's normal distribution,
# which is close to this posterior, is N(c, (P + W)^-1). Here c is the mean and W contains the pseudo-observations of
# the fit. In log p(u) - log N(u; c, .) the terms that are quadratic in u through P cancel, and the sampler evaluates
# the others.
sampled_posterior <- function(data, family, fit, prior, draws) {
  entry <- neargp:::response_family(families[[family]])
  parameters <- as.list(fit$family_parameters)
  precision <- solve(prior)
  pseudo_observations <- pmax(fit$posterior$pseudo_precision, 0)
  center <- fit$posterior$linear_predictor - data$fixed_part
  slope <- drop(precision %*% center)
  elliptical_slices(function(u) {
    sum(entry$density(data$z, data$fixed_part + u, parameters, data$trials, log = TRUE)) - sum(slope * u) +
      0.5 * sum(pseudo_observations * (u - center)^2)
  }, center, chol(solve(precision + diag(pseudo_observations))), draws)
}

run_sampler <- function(n = 200L, draws = 20000L, variance = 1) {
  results <- NULL
  for (correlation in names(correlations)) {
    set.seed(7 + match(correlation, names(correlations)))
    places <- simulate_places(n, correlations[[correlation]])
    prior <- variance * (place_correlation(places, correlations[[correlation]]) + diag(1e-6, n))
    settings <- fixed_covariance(correlation, variance)
    for (family in names(families)) {
      data <- add_response(places, family, variance)
      data$fixed_part <- 0.3 + 0.5 * data$h
      formula <- update(response_formula(family), . ~ 0 + offset(fixed_part))
      reference <- known <- NULL
      for (posterior in c("sparse", "laplace", "mean-field")) {
        fit <- neargp(formula, data, coords = ~ x + y, method = vnngp(k = 15, posterior = posterior), covariance = settings,
          family = families[[family]], nugget = if (family == "gaussian") truth[["nugget"]], threads = 1L, verbose = FALSE)
        if (is.null(reference) || !identical(fit$family_parameters, known)) {
          known <- fit$family_parameters
          reference <- sampled_posterior(data, family, fit, prior, draws)
        }
        error <- (fit$posterior$linear_predictor - data$fixed_part - reference$mean) / reference$sd
        ratio <- sqrt(fit$posterior$variance_at_data) / reference$sd
        results <- rbind(results, data.frame(correlation, family, posterior, mean_error = sqrt(mean(error^2)), most = max(abs(error)),
          sd_ratio = mean(ratio), least_ratio = min(ratio), most_ratio = max(ratio), row.names = NULL))
      }
    }
  }
  save_table(results, "vnngp-sampler", 3L)
}

fixed_covariance <- function(correlation, variance) {
  range <- correlations[[correlation]]$range
  switch(correlation, exponential = cov_exponential(variance = variance, range = range),
    matern32 = cov_matern(1.5, variance = variance, range = range))
}

if ("coverage" %in% parts) summarize_coverage(run_coverage())
if ("sampler" %in% parts) run_sampler()
