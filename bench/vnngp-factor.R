# Compares the incomplete factor of vnngp()'s posterior with the exact factor. The first table contains errors of the
# variances of predictions. They are computed with the pattern of the prior (k = 15) and with the pattern of 30
# neighbours, which predict() uses. The second table contains the time of whole fits. The third table concerns the
# narrow factor, on the pattern of the conditioning sets, for many neighbours in eight dimensions. It contains the
# errors of the log-likelihood or ELBO, of its gradient and of the variances.
#
# The first table uses Bernoulli responses, the hard case, because the precision of their pseudo-observations is at
# most 0.25. Its covariance parameters are fixed at the truth.
#
#   OMP_NUM_THREADS=1 Rscript bench/vnngp-factor.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "latent-field.R"))
stop_unless_one_thread()
set.seed(1)

# Variances of the Gaussian process at new locations, with a factor on the pattern of `k` neighbours, or exact for k =
# 0.
variances <- function(fit, places, k) {
  posterior <- fit$posterior
  scaled <- neargp:::core_scale(posterior$coords, posterior$component)
  nodes <- list(coords = posterior$coords, order = posterior$order, neighbors = posterior$neighbors, jitter = fit$method$jitter)
  if (k > nrow(posterior$neighbors)) nodes$pattern_neighbors <- neargp:::core_neighbors_before(scaled, posterior$order, k, neargp:::plain_context())
  pointer <- neargp:::core_latent(nodes, list(node = posterior$node), neargp:::latent_response(fit$data), "sparse", k == 0L, Inf, neargp:::plain_context())
  neargp:::core_latent_restore(pointer, neargp:::as_specified(fit$core_covariance), posterior$mean, fit$beta, posterior$pseudo_precision,
    posterior$field_response, neargp:::plain_context())
  near <- neargp:::core_neighbors_to(scaled, neargp:::core_scale(places, posterior$component), 30L, neargp:::plain_context())
  neargp:::core_latent_predict(pointer, places, near, neargp:::plain_context())$variance
}

errors <- function(nu, range, n = 4000L) {
  data <- latent_frame(n, "bernoulli", range = range, nu = nu)
  fit <- neargp(y ~ 1, data, coords = ~ x1 + x2, method = vnngp(k = 15), family = binomial(), threads = 1L,
    covariance = cov_matern(nu, variance = 1, range = range), verbose = FALSE)
  places <- matrix(stats::runif(1000), 500L)
  exact <- variances(fit, places, 0L)
  relative <- lapply(c(15L, 30L), function(k) 100 * (variances(fit, places, k) / exact - 1))
  data.frame(n = n, nu = nu, range = range, rms_15 = sqrt(mean(relative[[1L]]^2)), max_15 = max(abs(relative[[1L]])),
    rms_30 = sqrt(mean(relative[[2L]]^2)), max_30 = max(abs(relative[[2L]])))
}

fit_times <- function(n) {
  data <- latent_frame(n, "poisson", range = 0.1)
  cpu <- function(factor) {
    timed(neargp(y ~ 1, data, coords = ~ x1 + x2, method = vnngp(k = 15, factor = factor), family = poisson(), threads = 1L,
      verbose = FALSE))$cpu
  }
  data.frame(n = n, incomplete = cpu("incomplete"), exact = cpu("exact"))
}

# Matérn 5/2 covariance of range 1 in the unit cube of eight dimensions, at its true parameters. With noise = NA the
# responses are Bernoulli.
narrow_errors <- function(k, noise, n = 2000L, d = 8L) {
  set.seed(1)
  coords <- matrix(stats::runif(n * d), n)
  component <- list(family = "matern", variance = 1, range = rep(1, d), group = seq_len(d), anisotropy = double(0), shape = 2.5)
  covariance <- neargp:::as_specified(list(components = list(component), active = c(rep(TRUE, d + 1L), FALSE, FALSE)))
  field <- drop(crossprod(chol(neargp:::core_covariance_matrix(coords, coords, covariance) + diag(1e-8, n)), stats::rnorm(n)))
  binary <- is.na(noise)
  y <- if (binary) stats::rbinom(n, 1L, stats::plogis(field)) else field + sqrt(noise) * stats::rnorm(n)
  family <- if (binary) "binomial_logit" else "gaussian"
  scaled <- neargp:::core_scale(coords, component)
  order <- neargp:::core_order(scaled, "maxmin", 0, neargp:::plain_context())
  nodes <- list(coords = coords, order = order, neighbors = neargp:::core_neighbors_before(scaled, order, k, neargp:::plain_context()), jitter = 1e-6)
  response <- list(y = y, trials = rep(1, n), weights = rep(1, n), offset = double(n), design = matrix(1, n, 1L))
  fitted <- function(exact, bytes) {
    pointer <- neargp:::core_latent(nodes, list(node = seq_len(n)), response, "sparse", exact, bytes, neargp:::plain_context())
    parameters <- if (binary) double(0) else noise
    start <- neargp:::core_latent_start(pointer, if (binary) stats::qlogis((y + 0.5) / 2) else y, family, parameters, neargp:::plain_context())
    fitted <- neargp:::core_latent_fit(pointer, start, covariance, family, parameters, 1e-6, 100L, TRUE, neargp:::plain_context())
    list(value = fitted$value, gradient = c(fitted$d_covariance[seq_len(d + 1L)], fitted$d_likelihood),
      variance = neargp:::core_latent_state(pointer, neargp:::plain_context())$node_variance)
  }
  exact <- fitted(TRUE, Inf)
  rows <- lapply(list(wide = Inf, narrow = 0), function(bytes) {
    found <- fitted(FALSE, bytes)
    relative <- 100 * (found$variance / exact$variance - 1)
    c(value = found$value - exact$value, gradient = max(abs(found$gradient - exact$gradient)) / max(abs(exact$gradient)),
      rms = sqrt(mean(relative^2)), max = max(abs(relative)))
  })
  data.frame(n = n, k = k, noise = noise, t(unlist(rows)))
}

accuracy <- do.call(rbind, Map(errors, nu = c(0.5, 1.5, 2.5, 2.5), range = c(0.1, 0.1, 0.1, 1)))
cat("Errors of variances, per cent of the exact ones\n")
print(accuracy, digits = 2, row.names = FALSE)
times <- do.call(rbind, lapply(c(2000L, 4000L), fit_times))
times$ratio <- times$exact / times$incomplete
cat("CPU seconds of a Poisson fit\n")
print(times, digits = 2, row.names = FALSE)
cases <- expand.grid(noise = c(0.001, 0.01, 0.1, NA), k = c(32L, 128L))
narrow <- do.call(rbind, Map(narrow_errors, cases$k, cases$noise))
cat("Wide and narrow factor beside the exact one: log-likelihood or bound, gradient as a share of its largest element, variances in per cent\n")
print(narrow, digits = 2, row.names = FALSE)
save_result(format(narrow, digits = 3), "vnngp-factor-narrow", quote = FALSE)
save_result(accuracy, "vnngp-factor-accuracy")
save_result(times, "vnngp-factor-times")
