# Covariances whose standard deviation and range change, by the quadratic forms of Paciorek and
# Schervish (2006), eq. 4. The matrix Sigma of each row is the metric of the component times the
# row's squared local range. With M = (Sigma_i + Sigma_j) / 2,
#   k_ij = variance sd_i sd_j |Sigma_i|^(1/4) |Sigma_j|^(1/4) |M|^(-1/2) rho(d' M^-1 d).

dense_local_covariance <- function(a, b, component, still = integer(0)) {
  places <- length(component$group)
  metric <- solve(crossprod(t(dense_scaled(diag(places), component))))
  sd <- lapply(list(a, b), function(x) dense_local_factor(component$log_sd, x))
  range <- lapply(list(a, b), function(x) dense_local_factor(component$log_range, x))
  stretched <- function(range) tcrossprod(replace(rep(range, places), still, 1)) * metric
  entry <- function(i, j) {
    first <- stretched(range[[1L]][i])
    second <- stretched(range[[2L]][j])
    mean <- (first + second) / 2
    d <- a[i, seq_len(places)] - b[j, seq_len(places)]
    r <- sqrt(drop(d %*% solve(mean, d)))
    component$variance * sd[[1L]][i] * sd[[2L]][j] * (det(first) * det(second))^(1 / 4) /
      sqrt(det(mean)) *
      dense_correlation(component$family, r, component$shape)
  }
  outer(seq_len(nrow(a)), seq_len(nrow(b)), Vectorize(entry))
}

dense_local_factor <- function(field, coords) {
  if (is.null(field)) return(rep(1, nrow(coords)))
  exp(drop(coords[, field$columns, drop = FALSE] %*% field$coefficients))
}

# Points whose locations are the warped ones, further coordinates last among the locations, and the
# component that has so many: what a covariance of warped coordinates is by definition.
dense_warped <- function(points, component) {
  places <- seq_along(component$group)
  further <- NULL
  for (warp in component$warps) {
    weights <- if (warp$monotone) exp(warp$coefficients) else warp$coefficients
    value <- drop(points[, warp$columns, drop = FALSE] %*% weights)
    if (warp$coordinate %in% places) moved <- value else further <- cbind(further, value)
    if (warp$coordinate %in% places) points[, warp$coordinate] <- moved
  }
  unname(cbind(points[, places, drop = FALSE], further, points[, -places, drop = FALSE]))
}

# In the metric of an anisotropic component, further coordinates use the first range, the geometric
# mean of the two.
dense_unwarped <- function(component) {
  count <- sum(vapply(component$warps, function(warp) warp$coordinate > length(component$group),
    NA))
  shift <- function(field) {
    if (!is.null(field)) field$columns <- field$columns + count
    field
  }
  component$group <- c(component$group, rep(1L, count))
  component$log_sd <- shift(component$log_sd)
  component$log_range <- shift(component$log_range)
  component$warps <- NULL
  component
}

# A field that is rougher and larger at one side, with a covariate that follows it.
local_data <- function(n = 60, seed = 8) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n))
  data$wet <- data$y + stats::rnorm(n, sd = 0.3)
  data$z <- 2 + (1 + data$x) * sin(4 / (0.3 + data$x)) + data$y + stats::rnorm(n, sd = 0.2)
  data
}

# A fit that has taken few steps, and the problem at which its objective can be evaluated anywhere.
local_fit <- function(covariance, method, data = local_data(), formula = z ~ height, ...) {
  suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, covariance = covariance,
    threads = 1L, device = "cpu", control = neargp_control(max_iterations = 2L), ...))
}

local_problem_of <- function(fit) {
  list(data = fit$data, layout = fit$layout, groups = component_groups(fit$covariance,
    fit$locations), locations = fit$locations,
    free = !fit$layout$fixed, context = plain_context(), control = neargp_control(),
    method = fit$method, family = fit$family, start = fit$parameters$working)
}

difference <- function(value, at, step = 1e-5) {
  vapply(seq_along(at), function(a) {
    move <- replace(rep(0, length(at)), a, step)
    (value(at + move) - value(at - move)) / (2 * step)
  }, 0)
}

# Somewhere else than at an optimum, coefficients included.
elsewhere <- function(fit) {
  at <- fit$parameters$working + ifelse(fit$layout$fixed, 0, 0.1)
  own <- fit$layout$kind %in% c("expand", "monotone")
  at[own] <- rep_len(c(0.3, -0.2, 0.1, 0.25), sum(own))
  at[fit$layout$kind == "shape" & !fit$layout$fixed] <- log(1.2)
  at[fit$layout$kind %in% c("alpha", "beta") & !fit$layout$fixed] <- stats::qlogis(0.4)
  at[fit$layout$kind == "nugget"] <- log(0.1)
  at[fit$layout$kind == "variance"] <- log(0.8)
  at[fit$layout$kind == "range"] <- log(0.3)
  at
}

# The kinds of coefficients on which there is a penalty.
penalized_kinds <- c("log_sd", "log_range", "monotone", "expand")

# The objectives of all methods, with all rows as neighbours, and their gradients, with some. `...`:
# of local_fit().
expect_dense_values <- function(covariances, ...) {
  for (covariance in covariances) {
    fit <- local_fit(covariance, vecchia(k = 10), ...)
    problem <- local_problem_of(fit)
    n <- length(fit$data$y)
    at <- elsewhere(fit)
    spec <- covariance_at(problem, at)
    penalty <- 0.5 * sum(at[fit$layout$kind %in% penalized_kinds]^2)
    dense <- dense_fit(fit$data, spec, 0.1)
    component <- metric_component(spec)
    before <- neighbors_before(problem, component, n - 1L, "maxmin", 0)
    others <- neighbors_others(problem, component, n - 1L)
    full <- local_objective(problem, before)$evaluate(at)
    expect_equal(full$value + penalty, dense$value, tolerance = 1e-10)
    expect_equal(exact_objective(problem)$evaluate(at)$value + penalty, dense$value,
      tolerance = 1e-10)
    loo <- local_objective(problem, others)$evaluate(at)
    sets <- lapply(seq_len(n), function(i) setdiff(seq_len(n), i))
    score <- dense_conditional_score(fit$data, spec, 0.1,
      drop(fit$data$basis$back %*% (loo$beta + fit$data$basis$at)), sets)
    expect_equal(loo$value + penalty, score, tolerance = 1e-10)
    joint <- joint_objective(problem, others)$evaluate(at)
    expect_equal(joint$value + penalty, dense$value, tolerance = 1e-10)
  }
}

expect_gradients_of_differences <- function(covariances, ...) {
  for (covariance in covariances) {
    fit <- local_fit(covariance, vecchia(k = 10), ...)
    problem <- local_problem_of(fit)
    at <- elsewhere(fit)
    component <- metric_component(covariance_at(problem, at))
    n <- length(fit$data$y)
    neighbors <- list(neighbors_before(problem, component, 9L, "maxmin", 0),
      neighbors_others(problem, component, 9L))
    objectives <- c(lapply(neighbors, function(sets) local_objective(problem, sets)),
      list(exact_objective(problem)))
    for (objective in objectives) {
      state <- objective$evaluate(at, information = TRUE)
      expect_equal(state$gradient[problem$free], difference(function(w) objective$evaluate(w)$value,
        at)[problem$free], tolerance = 1e-6)
    }
    for (objective in c(objectives[1:2], list(joint_objective(problem, neighbors[[2L]])))) {
      state <- objective$evaluate(at)
      expect_equal(objective$gradient(at, state$beta)[problem$free],
        difference(function(w) objective$evaluate(w)$value, at)[problem$free], tolerance = 1e-6)
    }
    full <- local_objective(problem, neighbors_before(problem, component, n - 1L, "maxmin",
      0))$evaluate(at, information = TRUE)
    expect_equal(full$information, exact_objective(problem)$evaluate(at,
      information = TRUE)$information, tolerance = 1e-8)
  }
}

# The latent field of vnngp() with all neighbours and Gaussian responses of noise 0.1: evidence and
# gradient away from the estimates. `jitter`: the variance that is added to each location.
expect_latent_values <- function(fit, jitter, penalized = character(0)) {
  problem <- local_problem_of(fit)
  problem$data <- core_data(problem$data)
  nodes <- latent_nodes(problem)
  at <- elsewhere(fit)
  objective <- latent_objective(problem,
    latent_problem(problem, nodes, latent_search(problem, nodes, component_at(problem, at), 39L)))
  dense <- dense_fit(fit$data, covariance_at(problem, at), 0.1 + jitter)
  penalty <- 0.5 * sum(at[fit$layout$kind %in% penalized]^2)
  found <- objective$fit_at(at, 1e-10, derivatives = TRUE)
  expect_equal(found$value + penalty, dense$value, tolerance = 1e-8)
  slopes <- difference(function(w) objective$fit_at(w, 1e-10)$value, at)
  expect_equal(found$gradient[problem$free], slopes[problem$free], tolerance = 1e-6)
}
