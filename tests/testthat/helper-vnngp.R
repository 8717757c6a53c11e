# Data and fits of the tests of vnngp().

# A field with exponential covariance (variance 1, range 0.15), a covariate, and responses of every
# family on the scale of their link.
vnngp_data <- function(n = 400, seed = 1, intercept = 0.3) {
  withr::with_seed(seed, {
    data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    covariance <- exp(-as.matrix(dist(data[c("x", "y")])) / 0.15) + diag(1e-8, n)
    data$eta <- intercept + 0.5 * data$h + drop(crossprod(chol(covariance), rnorm(n)))
    mean <- exp(data$eta)
    share <- plogis(data$eta)
    data$gaussian <- data$eta + rnorm(n, 0, 0.4)
    data$student_t <- data$eta + 0.3 * rt(n, 4)
    data$poisson <- rpois(n, mean)
    data$negative_binomial <- rnbinom(n, size = 2, mu = mean)
    data$gamma <- rgamma(n, 3, scale = mean / 3)
    data$beta <- rbeta(n, 8 * share, 8 * (1 - share))
    data$binary <- factor(ifelse(runif(n) < share, "yes", "no"))
    data$trials <- 1 + rpois(n, 4)
    data$successes <- rbinom(n, data$trials, share)
  })
  data
}

vnngp_models <- list(
  gaussian = list(gaussian ~ h, gaussian()), student_t = list(student_t ~ h, student_t()),
  poisson = list(poisson ~ h, poisson()), negative_binomial = list(negative_binomial ~ h,
    negative_binomial()), gamma = list(gamma ~ h, Gamma("log")),
  beta = list(beta ~ h, beta_response()), binary = list(binary ~ h, binomial()),
  counts = list(cbind(successes, trials - successes) ~ h, binomial())
)

fit_vnngp_model <- function(model, data, ..., covariance = cov_exponential()) {
  neargp(model[[1]], data, coords = ~ x + y, method = vnngp(...), covariance = covariance,
    family = model[[2]], verbose = FALSE)
}

# The problem that such a fit would solve.
vnngp_problem <- function(name, data, ...) {
  model <- vnngp_models[[name]]
  settings <- check_settings(model[[1]], data, vnngp(...), cov_exponential(), model[[2]], NULL,
    neargp_control(), "cpu", 1L, FALSE)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, all.vars(model[[1]][[2L]]))
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL,
    na.action = stats::na.omit), model[[1]], data, locations)
  problem <- new_problem(new_model_data(frame, model[[1]], settings)$data, locations, settings,
    NULL)
  with_start(problem$method, problem)
}

fixed_exponential <- cov_exponential(variance = 1, range = 0.15)

# Counts and numbers that follow a smaller field.
counts_data <- function(n = 150, seed = 4) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  S <- 0.8 * exp(-as.matrix(dist(d[c("x", "y")])) / 0.2)
  w <- drop(crossprod(chol(S + diag(1e-9, n)), rnorm(n)))
  d$count <- rpois(n, exp(1 + 0.3 * d$h + w))
  d$z <- 2 + 0.5 * d$h + w + rnorm(n, sd = 0.3)
  d
}
