# Means and totals of expected responses over areas, T = c sum_l a_l h(eta_l), where h is not
# linear. It is the family's mean given the linear predictor, or the mean of a transformed response
# given the field. The linear predictors of an area's points are normal, so that E T needs the
# moments of each point alone. Joint draws give the rest. With h = exp, Var T is exact. Let S be the
# covariance of eta and e_l = E exp(eta_l) = exp(m_l + S_ll / 2). Then
#
#   Var T = c^2 sum_lk a_l a_k e_l e_k (exp(S_lk) - 1).

response_areas <- function(object, support, settings) {
  given <- if (settings$integrated) integrated_responses(object, support, settings) else
    expected_areas(object, support, settings)
  given <- with_moments_of_draws(given)
  scale <- scale_of_areas(support)
  list(columns = drawn_columns(saturate_areas(scale * given$mean),
    saturate_areas(scale * sqrt(given$variance)), saturate_areas(scale * given$draws), settings),
    covariance = if (settings$joint) saturate_areas(given$covariance * outer(scale, scale)))
}

# The `mean` and `variance` of each area, a row of `draws` for each, and with joint = TRUE their
# `covariance`. NA stands for moments that are those of the draws.
expected_areas <- function(object, support, settings) {
  posterior <- area_posterior(object$method, object, support, settings)
  curve <- response_curve(object)
  check_mean_exists(object, curve, posterior,
    "Use type = \"link\", the mean of the linear predictor over each area.")
  if (settings$joint || drawn_together(posterior, support)) {
    return(jointly_drawn_areas(posterior, support, settings, curve))
  }
  drawn_areas(object, posterior, support, settings, curve)
}

check_mean_exists <- function(object, curve, posterior, hint) {
  if (!anyNA(curve(posterior$mean[1L]))) return(invisible())
  abort_neargp("family", c(sprintf("The mean of %s response does not exist with these parameters.",
    with_article(object$family)), i = hint))
}

# The mixture of the areas by the fits at the points of the design.
integrated_responses <- function(object, support, settings) {
  design <- integrated_fits(object, settings$context)
  draws <- allotted_draws(exp(design$log_weights), settings$draws)
  advance <- progress_reporter(length(draws), settings$verbose)
  settings$verbose <- FALSE
  given <- each_point(design, function(s) {
    found <- expected_areas(design$fits[[s]], support, replace(settings, "draws", draws[s]))
    advance()
    found
  })
  bound <- function(name) do.call(cbind, lapply(given, `[[`, name))
  moments <- new_normal_mixture(bound("mean"), sqrt(bound("variance")), design$log_weights)
  list(mean = predictive_mean(moments), variance = predictive_variance(moments),
    draws = bound("draws"))
}

# Numbers of draws in proportion to the weights: their sums are the rounded sums of these.
allotted_draws <- function(weights, count) {
  as.integer(diff(round(count * cumsum(c(0, weights)) / sum(weights))))
}

# NaN is of numbers that overflow.
with_moments_of_draws <- function(given) {
  is_left <- function(x) is.na(x) & !is.nan(x)
  lacking <- is_left(given$mean)
  given$mean[lacking] <- rowMeans(given$draws[lacking, , drop = FALSE])
  lacking <- is_left(given$variance)
  given$variance[lacking] <- apply(given$draws[lacking, , drop = FALSE], 1L, stats::var)
  given
}

# Replaces overflow as saturate() does at locations.
saturate_areas <- function(x) {
  beyond <- is.infinite(x) | is.nan(x)
  if (!any(beyond)) return(x)
  warn_neargp("overflow", c(
    "Means or totals over areas, or their standard deviations, are beyond the range of numbers; the largest number is given.",
    i = "type = \"link\" gives those of the linear predictor; look at the variance and range of the fit."))
  replace(x, beyond, .Machine$double.xmax)
}

# A function of linear predictors, any number of them. `at`: covariates of the family's parameters,
# for linear predictors of as many rows.
response_curve <- function(object, at = list()) {
  parameters <- response_parameters(object, at)
  if (!has_transform(object$family)) {
    family <- response_family(object$family)
    return(function(eta) family$mean(eta, as.list(parameters), 1))
  }
  function(eta) transformed_curve(object, range(eta))(eta)
}

# Through values of mean_given_field(), which is smooth, at `points` fields.
transformed_curve <- function(object, ends, points = 2001L) {
  eta <- seq(ends[1L], ends[2L], length.out = if (diff(ends) > 0) points else 1L)
  mixture <- new_mixture(eta, 0 * eta, object$family, response_parameters(object))
  value <- mean_given_field(eta, mixture)
  if (length(eta) == 1L) return(function(eta) rep(value, length(eta)))
  stats::splinefun(eta, value, method = "monoH.FC")
}

# E h(eta) of points with these moments.
expected_responses <- function(object, mean, variance, at = list()) {
  predictive_mean(new_mixture(mean, sqrt(pmax(variance, 0)), object$family,
    response_parameters(object, at)))
}

has_exponential_mean <- function(curve) {
  at <- c(-1, 0, 1)
  isTRUE(all.equal(as.double(curve(at)), exp(at), tolerance = 1e-12))
}

# The covariance matrix of an area's points takes a solve for each of them, draws one for each draw.
drawn_together <- function(posterior, support, most = 800L) {
  isTRUE(posterior$is_sparse) && max(tabulate(support$area)) > most
}

# Area by area. Memory is bounded by the blocks of some areas at a time.
drawn_areas <- function(object, posterior, support, settings, curve, most_numbers = 5e6) {
  areas <- unique(support$area)
  rows <- split(seq_along(support$area), match(support$area, areas))
  sizes <- lengths(rows)
  parts <- split(seq_along(areas), cumsum(as.double(sizes)^2) %/% most_numbers)
  exponential <- !has_transform(object$family) && has_exponential_mean(curve)
  advance <- progress_reporter(length(parts), settings$verbose)
  found <- do.call(rbind, lapply(parts, function(part) {
    blocks <- posterior$blocks(areas[part])
    advance()
    do.call(rbind, Map(function(own, block) {
      unseen <- posterior$unseen[own, , drop = FALSE]
      covariance <- block + unseen %*% posterior$vcov %*% t(unseen)
      weight <- support$weight[own]
      expected <- expected_responses(object, posterior$mean[own], diag(covariance))
      eta <- posterior$mean[own] + normal_draws(covariance, settings$draws)
      drawn <- drop(weight %*% matrix(curve(eta), nrow(eta)))
      share <- weight * expected
      variance <- if (exponential) max(drop(share %*% expm1(covariance) %*% share), 0) else
        NA_real_
      c(sum(share), variance, drawn)
    }, rows[part], blocks))
  }))
  list(mean = found[, 1L], variance = found[, 2L], draws = found[, -(1:2), drop = FALSE])
}

# Columns of draws with that covariance matrix, which may be singular.
normal_draws <- function(covariance, count) {
  if (!length(covariance)) return(matrix(0, 0L, count))
  normals <- matrix(stats::rnorm(nrow(covariance) * count), nrow(covariance))
  root <- tryCatch(chol(covariance), error = function(e) NULL)
  crossprod(root %||% covariance_root(covariance), normals)
}

# A matrix R with R'R = V, for V that may be singular.
covariance_root <- function(V) {
  parts <- eigen(V, symmetric = TRUE)
  sqrt(pmax(parts$values, 0)) * t(parts$vectors)
}

# All points of a draw together, so many draws at a time.
jointly_drawn_areas <- function(posterior, support, settings, curve, most_numbers = 2e7) {
  parts <- draw_parts(settings$draws, length(support$area), most_numbers)
  advance <- progress_reporter(length(parts), settings$verbose)
  draw <- predictor_drawer(posterior)
  none <- matrix(0, length(unique(support$area)), 0L)
  draws <- do.call(cbind, c(list(none), lapply(parts, function(count) {
    eta <- draw(count)
    advance()
    area_means(matrix(curve(eta), nrow(eta)), support)
  })))
  of_draws <- rep(NA_real_, nrow(draws))
  list(mean = of_draws, variance = of_draws, draws = draws,
    covariance = if (settings$joint) stats::cov(t(draws)))
}

# Numbers of draws at `points` points, at most `most_numbers` numbers at a time.
draw_parts <- function(draws, points, most_numbers = 2e7) {
  at_once <- max(1, most_numbers %/% points)
  tabulate((seq_len(draws) - 1) %/% at_once + 1)
}

# A function of a count, which draws the linear predictors of all points, a column for each draw.
predictor_drawer <- function(posterior) {
  root <- if (length(posterior$vcov)) chol(posterior$vcov) else posterior$vcov
  function(count) {
    normals <- matrix(stats::rnorm(ncol(root) * count), ncol(root), count)
    posterior$mean + posterior$draws(count) + posterior$unseen %*% crossprod(root, normals)
  }
}

# `draws`: of the means or totals, a row for each area. Limits for predictions are those of counts
# with these means.
drawn_columns <- function(mean, sd, draws, settings) {
  counts <- if (settings$interval == "prediction") matrix(stats::rpois(length(draws), draws),
    nrow(draws))
  whole <- !is.null(counts)
  given <- list(observation = new_drawn(mean, sd, draws, whole),
    expected = if (settings$interval != "none")
      predictive_limits(new_drawn(mean, sd, counts %||% draws, whole), settings$level))
  predictive_columns(given, replace(settings, "interval",
    if (settings$interval == "none") "none" else "confidence"))
}
