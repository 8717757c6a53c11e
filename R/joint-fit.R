# The result of a joint fit.

new_joint_fit <- function(shared, state, settings, call) {
  layout <- shared$layout
  objective <- state$objective
  working <- state$working
  slopes <- state$slopes %||% slopes_near_optimum(shared, state)
  final <- objective$converge(working)
  values <- to_core(working, layout$transform)
  posterior <- joint_posterior(shared, state, joint_coefficients(shared,
    core_latent_state(state$latent, shared$context), values))
  check_trend_posterior(posterior$beta_vcov)
  slopes$shifted <- shifted_from(slopes, working, posterior)
  curvature <- joint_curvature(shared, slopes, working)
  warn_unless_maximum(curvature, layout$name)
  spread <- joint_spread(slopes, curvature)
  trend <- joint_trend(shared, posterior, spread, values)
  A <- joint_loadings(layout, values, length(shared$parts))
  signs <- loading_signs(A, shared)
  object <- structure(list(
    call = call,
    outputs = names(shared$parts),
    parts = Map(function(part, m) joint_part(part, m, shared, values, trend, posterior),
      shared$parts, seq_along(shared$parts)),
    covariance = settings$covariance,  # as given
    structures = shared$structures,
    layout = layout,                   # a row for each parameter, joint_layout()
    parameters = data.frame(name = layout$name, estimate = joint_natural(layout, values, signs),
      working = working, fixed = layout$fixed, at_boundary = curvature$at_limit,
      poor = curvature$vanished | seq_along(working) %in% spread$poor),
    information = slopes$information,
    loadings = named_loadings(sweep(A, 2L, signs, "*"), names(shared$parts)),
    signs = signs,                     # of the columns of the core's loadings
    core_structures = lapply(seq_along(shared$structures), structure_covariance,
      shared = shared, working = working),
    beta = trend$beta, beta_vcov = trend$beta_vcov,
    core_trend = trend$core,           # in the columns of the core
    spread = spread,                   # the uncertainty of the parameters, joint_spread()
    posterior = posterior,             # of the fields at the locations
    locations = shared$locations, method = shared$method, control = shared$control,
    log_likelihood = final$bound %||% final$value,
    separate = joint_separate(shared, if (is.null(settings$start)) state$first),
    score = if (all_gaussian(shared$parts)) "log-likelihood" else "evidence lower bound",
    prior = shared$prior,
    convergence = state[c("converged", "message", "iterations", "evaluations")],
    k = nrow(state$search$neighbors), threads = settings$threads,
    format = fit_format, version = package_version_text(), cache = NULL),
  class = "neargp_joint")
  with_own_cache(object)
}

# Values on the natural scale: axes of anisotropic structures as ratio and angle, loadings with the
# signs that are reported.
joint_natural <- function(layout, values, signs) {
  loadings <- which(layout$kind == "loading")
  rows <- matrix(loading_rows(layout, length(loadings) %/% length(signs)), ncol = length(signs))
  values[rows] <- values[rows] * signs[col(rows)]
  for (j in unique(layout$component[!is.na(layout$component)])) {
    single <- structure_layout(layout, j)
    values[single$rows] <- natural_values(single$layout, c(1, values[single$rows],
      0))[seq_along(single$rows) + 1L]
  }
  values / covariate_scale(layout)
}

all_gaussian <- function(parts) all(vapply(parts, function(part) is_gaussian(part$family), NA))

# The objective at the start is the sum of the separate fits, if each response begins with its own
# field and its own coefficients. Otherwise it is the sum of what these fits found. `first` is NULL
# after a given start. The fits of areas take them for points, and their sum means nothing.
joint_separate <- function(shared, first) {
  if (has_joint_areas(shared$parts)) return(NULL)
  if (is.null(shared$common) && !is.null(first)) return(first)
  if (all(vapply(shared$parts, function(part) is.numeric(part$log_likelihood), NA)))
    sum(vapply(shared$parts, function(part) part$log_likelihood, 0))
}

named_loadings <- function(A, outputs) {
  structure(A, dimnames = list(outputs, paste0("factor", seq_len(ncol(A)))))
}

# The sign of a field is arbitrary: the first loading of the triangle is positive.
loading_signs <- function(A, shared) {
  free <- matrix(shared$free[loading_rows(shared$layout, nrow(A))], nrow(A))
  vapply(seq_len(ncol(A)), function(field) {
    of <- shared$structures[[structure_of_fields(shared$structures)[field]]]$of
    others <- colSums(free[, structure_of_fields(shared$structures) ==
      structure_of_fields(shared$structures)[field], drop = FALSE])
    pivot <- of %||% which.max(abs(A[, field]) * (others[1L] > 0))
    if (A[pivot, field] < 0) -1 else 1
  }, 0)
}

# All that predictions need, as plain numbers, of locations and of rows.
joint_posterior <- function(shared, state, at_optimum) {
  list(coords = shared$coords, place = shared$place, shares = shared$shares,
    response = shared$response, order = state$search$order,
    neighbors = as.matrix(state$search$neighbors), component = state$search$component,
    mean = at_optimum$mean, variance = at_optimum$node_variance,
    pseudo_precision = at_optimum$pseudo_precision,
    linear_predictor = at_optimum$linear_predictor, slope = at_optimum$slope,
    field_response = at_optimum$field_response, variance_at_data = at_optimum$variance,
    beta = at_optimum$beta, beta_vcov = at_optimum$beta_vcov)
}

# A state of the core with the coefficients of each part, and with those of random effects in place
# of the whitened ones, see with_latent_effects().
joint_coefficients <- function(shared, state, values) {
  state <- coefficients_of_parts(state, shared$common)
  for (m in seq_along(shared$parts)) {
    part <- shared$parts[[m]]
    if (!has_effects(part$data)) next
    made <- effects_at(list(data = part$data, layout = part$layout), values_of_part(shared, m,
      values))
    columns <- columns_of_part(shared$parts, m, effects = TRUE)
    state$beta[columns] <- from_spherical(state$beta[columns], made$blocks, made$factors)
    shifted <- blocks_after(columns[1L] - 1L, made$blocks)
    if (!is.null(state$beta_vcov)) {
      state$beta_vcov <- from_both_sides(state$beta_vcov, shifted, made$factors)
      state$field_response <- times_factors(state$field_response, shifted,
        inverse_factors(made$factors))
    }
  }
  state
}

# The trend in the core's columns and in those of the user, with V + J C J' (trend-uncertainty.R).
# Coefficients of random effects are those of their columns. `of_parts`: the coefficients of one
# part after the other, where common ones are repeated.
joint_trend <- function(shared, posterior, spread, values) {
  parts <- shared$parts
  J <- vapply(spread$shifted, function(at) (at$beta - posterior$beta) / at$step,
    double(length(posterior$beta)))
  J <- matrix(as.double(J), length(posterior$beta), length(spread$shifted))
  vcov <- posterior$beta_vcov + J %*% spread$covariance %*% t(J)
  trends <- unlist(lapply(seq_along(parts), columns_of_part, parts = parts))
  maps <- lapply(parts, function(part) part$data$basis$back %||% diag(ncol(part$data$X)))
  back <- diagonal_blocks(maps)
  at <- as.double(unlist(lapply(parts, function(part) part$data$basis$at %||%
    double(ncol(part$data$X)))))
  beta <- drop(back %*% (at + posterior$beta[trends]))
  natural <- back %*% vcov[trends, trends, drop = FALSE] %*% t(back)
  owners <- coefficient_owners(parts)
  own <- owners$first
  list(beta = stats::setNames(beta[own], owners$name),
    beta_vcov = structure(natural[own, own, drop = FALSE],
      dimnames = if (length(own)) list(owners$name, owners$name)),
    of_parts = list(beta = beta, beta_vcov = natural),
    core = list(beta = posterior$beta, beta_vcov = posterior$beta_vcov))
}

# The fit of a response with the estimates of the joint one. Its field is that of the joint
# posterior, which part_of() hands to it.
joint_part <- function(part, m, shared, values, trend, posterior) {
  rows <- shared$response == m
  columns <- columns_of_part(shared$parts, m)
  with_effects <- c(columns, columns_of_part(shared$parts, m, effects = TRUE))
  own <- values_of_part(shared, m, values)
  part$parameters$working <- to_working(own, part$layout$transform)
  part$parameters$estimate <- natural_values(part$layout, own)
  is_family <- of_family(part$family, part$layout)
  part$family_parameters <- named_family_values(part$family, part$layout, own)
  if (is_gaussian(part$family)) part$nugget <- own[is_family]
  at <- unlist(lapply(shared$parts, function(x) ncol(x$data$X)))
  place <- sum(at[seq_len(m - 1L)]) + seq_len(at[m])
  part$beta <- stats::setNames(trend$of_parts$beta[place], colnames(part$data$X))
  part$beta_vcov <- named_square(trend$of_parts$beta_vcov[place, place, drop = FALSE],
    part$data$X)
  part$core_trend <- list(beta = trend$core$beta[with_effects],
    beta_vcov = trend$core$beta_vcov[with_effects, with_effects, drop = FALSE])
  part$posterior <- list(coords = posterior$coords,
    node = if (is.null(posterior$shares)) posterior$place[rows],  # areas are at several
    pseudo_precision = posterior$pseudo_precision[rows],
    linear_predictor = posterior$linear_predictor[rows], slope = posterior$slope[rows],
    variance_at_data = posterior$variance_at_data[rows])
  part$joint <- list(response = m, columns = with_effects)
  part["information"] <- list(NULL)
  class(part$method) <- c("neargp_shared_field", plain_class(part$method))
  part$method <- method_for(part$method, part$family, part$data)
  part
}
