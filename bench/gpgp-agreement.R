# The same model in neargp and GpGp on GpGp's own data. Log-likelihoods are compared at equal parameters, with equal ordering and
# neighbours. The maxima that the packages reach are compared as well. Both packages get the ordering and neighbours of the metric of
# neargp's estimates. Expected: equal to about 1e-10 relative, and to 1e-8 for the general Matérn covariance. Both packages work in double
# precision, but take sums in different orders.
#
# GpGp's nugget is relative to the variance. Its ranges on the sphere are in radii, and ours in km. Its anisotropy is the lower triangle L
# of d' L'L d. Ours is exp(-B) / range, which is symmetric: L'L = (exp(-B) / range)^2.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
if (!has_rival("GpGp")) quit("no")
radius <- 6371.0088
k <- 30L

core_component <- function(family, variance, range, group, shape = double(0), anisotropy = double(0)) {
  list(family = family, variance = variance, range = range, group = as.integer(group), anisotropy = anisotropy, shape = shape)
}

# GpGp's parameters as the core's covariance and nugget.
from_gpgp <- function(name, p) {
  variance <- p[1L]
  nugget <- variance * p[length(p)]
  component <- switch(name,
    exponential_isotropic = core_component("exponential", variance, p[2L], c(1, 1)),
    matern15_isotropic = core_component("matern", variance, p[2L], c(1, 1), shape = 1.5),
    matern_isotropic = core_component("matern", variance, p[2L], c(1, 1), shape = p[3L]),
    exponential_anisotropic2D = from_triangle(variance, p[2:4]),
    exponential_spheretime = core_component("exponential", variance, c(p[2L] * radius, p[3L]), c(1, 1, 1, 2)),
    matern_spheretime = core_component("matern", variance, c(p[2L] * radius, p[3L]), c(1, 1, 1, 2), shape = p[4L]))
  list(covariance = list(components = list(component), active = rep(TRUE, 6L)), nugget = nugget)
}

# M = L'L = exp(-2B) / range^2 with eigenvalues exp(-2h) / range^2 along the major axis and exp(2h) / range^2 across.
from_triangle <- function(variance, l) {
  triangle <- matrix(c(l[1L], l[2L], 0, l[3L]), 2L)
  decomposed <- eigen(crossprod(triangle), symmetric = TRUE)
  h <- log(decomposed$values[1L] / decomposed$values[2L]) / 4
  major <- decomposed$vectors[, 2L]
  angle <- 2 * atan2(major[2L], major[1L])
  core_component("exponential", variance, prod(decomposed$values)^(-1 / 4), c(1, 1), anisotropy = h * c(cos(angle), sin(angle)))
}

# Profile log-likelihood, as GpGp's loglik: trend at its generalised least squares estimate.
neargp_loglik <- function(problem, n, parameters) {
  parameters$covariance$active <- rep(TRUE, n_parameters(parameters$covariance$components[[1L]]))
  result <- neargp:::core_evaluate(problem, neargp:::as_specified(parameters$covariance), parameters$nugget, FALSE, neargp:::plain_context(bench_threads()))
  gram <- result$gram
  beta <- solve(gram[-1L, -1L, drop = FALSE], gram[-1L, 1L])
  -0.5 * (n * log(2 * pi) + result$log_det + gram[1L, 1L] - sum(beta * gram[-1L, 1L]))
}

n_parameters <- function(component) {
  2L + length(component$range) + length(component$anisotropy) + length(component$shape)
}

# GpGp's parameters of a fit by neargp(), for side by side printing.
as_gpgp <- function(fit, name) {
  p <- stats::coef(fit, what = "covariance")
  sphere <- grepl("sphere", name)
  ranges <- p[grepl("^range", names(p))]
  ranges[1L] <- ranges[1L] / if (sphere) radius else 1
  if (grepl("anisotropic2D", name)) {
    component <- fit$core_covariance$components[[1L]]
    B <- matrix(c(component$anisotropy, component$anisotropy[2L], -component$anisotropy[1L]), 2L)
    decomposed <- eigen(B, symmetric = TRUE)
    squared <- decomposed$vectors %*% (exp(-2 * decomposed$values) * t(decomposed$vectors)) / component$range^2
    lower <- chol(squared[2:1, 2:1])[2:1, 2:1]
    ranges <- c(lower[1L, 1L], lower[2L, 1L], lower[2L, 2L])
  }
  shape <- if (grepl("^matern_", name)) p[["smoothness"]]
  unname(c(p[["variance"]], ranges, shape, p[["nugget"]] / p[["variance"]]))
}

# Ordering and neighbours in the metric of neargp's estimates, for both.
conditioning <- function(fit) {
  scaled <- neargp:::core_scale(fit$data$coords, fit$core_covariance$components[[1L]])
  order <- neargp:::core_order(scaled, "maxmin", 0, neargp:::plain_context())
  scaled <- scaled[order, , drop = FALSE]
  list(order = order, neighbors = neargp:::core_neighbors_before(scaled, seq_along(order), k, neargp:::plain_context()))
}

compare <- function(case) {
  ours <- timed(do.call(neargp, c(case$call, list(data = case$data, method = vecchia(k), threads = 1L, verbose = FALSE))))
  shared <- conditioning(ours$value)
  y <- case$y[shared$order]
  X <- case$X[shared$order, , drop = FALSE]
  places <- case$places[shared$order, , drop = FALSE]
  table <- cbind(seq_along(y), t(as.matrix(shared$neighbors)))
  problem <- neargp:::core_problem(ours$value$data$coords[shared$order, , drop = FALSE], cbind(y, X), rep(1, length(y)), shared$neighbors, neargp:::plain_context())
  theirs <- timed(GpGp::fit_model(y, places, X, case$name, NNarray = table, reorder = FALSE, group = FALSE, m_seq = c(10, k), silent = TRUE))
  loglik <- function(p) neargp_loglik(problem, length(y), from_gpgp(case$name, p))
  gpgp_loglik <- function(p) GpGp::vecchia_profbeta_loglik_grad_info(p, case$name, y, X, places, table)$loglik
  estimates <- list("given values" = case$start, "GpGp's maximum" = theirs$value$covparms, "neargp's maximum" = as_gpgp(ours$value, case$name))
  values <- vapply(estimates, gpgp_loglik, 0)
  data.frame(data = case$data_name, model = case$name, n = length(y), at = names(estimates),
    parameters = vapply(estimates, function(p) paste(signif(p, 5L), collapse = " "), ""), loglik_gpgp = values,
    relative_difference = abs(vapply(estimates, loglik, 0) / values - 1), fit_cpu = c(NA, theirs$cpu, ours$cpu))
}

sphere_time <- function(data, data_name, response, time, name, covariance, start) {
  places <- as.matrix(data[c("lon", "lat", time)])
  list(data = data, data_name = data_name, name = name, y = data[[response]], X = matrix(1, nrow(data)), places = places,
    start = start,
    call = list(stats::reformulate("1", response), coords = ~ lon + lat, time = stats::reformulate(time), distance = "chordal",
      covariance = covariance))
}

plane <- function(data, name, covariance, start) {
  list(data = data, data_name = "argo2016 (Atlantic plane)", name = name, y = data$temp100, X = cbind(1, data$lat),
    places = as.matrix(data[c("lon", "lat")]), start = start,
    call = list(temp100 ~ lat, coords = ~ lon + lat, covariance = covariance))
}

# GpGp's general Matérn covariance calls a Bessel function for every pair, so it is tested with a tenth of the rows.
every_tenth <- function(data) data[seq(1L, nrow(data), by = 10L), ]
argo <- bench_data("argo2016")
jason <- bench_data("jason3")
atlantic <- argo[argo$lon > 300 & argo$lat > 0, ]
cases <- list(
  sphere_time(jason, "jason3", "windspeed", "time", "exponential_spheretime", cov_exponential(), c(15, 0.2, 10, 0.05)),
  sphere_time(every_tenth(jason), "jason3, every tenth", "windspeed", "time", "matern_spheretime", cov_matern(nu = NULL), c(15, 0.2, 10, 0.8, 0.05)),
  sphere_time(argo, "argo2016", "temp100", "day", "exponential_spheretime", cov_exponential(), c(50, 0.5, 100, 0.01)),
  plane(atlantic, "exponential_isotropic", cov_exponential(), c(20, 5, 0.05)),
  plane(atlantic, "matern15_isotropic", cov_matern(nu = 1.5), c(20, 5, 0.05)),
  plane(every_tenth(atlantic), "matern_isotropic", cov_matern(nu = NULL), c(20, 5, 0.7, 0.05)),
  plane(atlantic, "exponential_anisotropic2D", cov_exponential(anisotropy = TRUE), c(20, 0.2, 0.05, 0.3, 0.05)))
describe_run()
set.seed(1)
save_table(do.call(rbind, lapply(cases, compare)), "gpgp-agreement", digits = 10L)
