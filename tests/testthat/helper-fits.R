# Fits that several test files start from.

example_fit <- function(n = 250, seed = 31) {
  set.seed(seed)
  data <- data.frame(x = runif(n), y = runif(n), elevation = rnorm(n))
  data$z <- 3 + data$elevation + sin(6 * data$x) + cos(5 * data$y) + rnorm(n, sd = 0.2)
  neargp(z ~ elevation, data, coords = ~ x + y, method = vecchia(k = 12))
}

plotted_fit <- function(n = 120, seed = 51, formula = z ~ 1, ...) {
  set.seed(seed)
  data <- data.frame(x = runif(n, 0, 4), y = runif(n, 0, 2), elevation = rnorm(n))
  data$z <- sin(2 * data$x) + data$y + rnorm(n, sd = 0.2)
  neargp(formula, data, coords = ~ x + y, method = vecchia(k = 10), ...)
}

fit_once <- function(..., data = simulated_data(150)) {
  neargp(z ~ height + group, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential(), ...)
}

# Rows with a covariate and a field with a Matérn correlation (smoothness 1.5, range 0.06).
data_with_field <- function(n, variance) {
  data <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  distances <- as.matrix(dist(data[c("x", "y")])) / 0.06
  correlation <- (1 + distances) * exp(-distances)
  data$field <- drop(t(chol(variance * correlation + diag(1e-9, n))) %*% rnorm(n))
  data
}

# units::as_units(), which no file of the package needs.
as_units_or_skip <- function() {
  package <- "units"
  skip_if_not_installed(package)
  getExportedValue(package, "as_units")
}

# The output of print(), in one line: where lines are wrapped is of no importance.
printed_text <- function(x, ...) {
  gsub("[[:space:]]+", " ", paste(capture.output(print(x, ...)), collapse = " "))
}

# The objective of vecchia(k) in the working parameters of a fit.
objective_of_fit <- function(fit, k) {
  problem <- list(data = fit$data, layout = fit$layout,
    groups = component_groups(fit$covariance, fit$locations), context = test_context(),
    control = neargp_control())
  component <- metric_component(fit$core_covariance)
  local_objective(problem, neighbors_before(problem, component, k, "maxmin", 0))
}
