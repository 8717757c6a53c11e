# Classes by svgp(): the field and the trend differ between classes; the fields share one covariance
# and one set of inducing points. Formulas are in src/core/variational/class_bound.h. Inside a fit
# the design consists of the columns of a basis (R/trend-basis.R), which the fit keeps.

#' @export
method_layout.neargp_svgp_classes <- function(method, layout, settings) {
  latent_layout(layout, settings)
}

#' @export
bound_objective.neargp_svgp_classes <- function(problem, method, tolerance = 1e-5) {
  family_objective(problem, method, tolerance)
}

#' @export
fit_method.neargp_svgp_classes <- function(method, problem) {
  refuse_kl_weight(method, several_predictors(method))
  problem <- with_class_basis(problem)
  reached <- fit_inducing(method, problem)
  result <- inducing_result(method, problem, reached,
    wanted_curvature(method, problem, reached, step = 0.01))
  found <- class_posterior(problem, method, reached)
  values <- to_core(reached$working, problem$layout$transform)
  if (problem$family$link == "robust-max") {
    check_trends_known(found$svgp$fields, problem$classes$levels,
      sqrt(sum(values[problem$layout$kind == "variance"])))
  }
  result[names(found)] <- found
  with_class_separation(result, problem, values)
}

# The notes of with_separation() for each class.
with_class_separation <- function(result, problem, values) {
  limit <- separation_limit(sum(values[problem$layout$kind == "variance"]))
  fields <- result$svgp$fields
  held <- lapply(fields, function(field) held_trend(problem$data$X, field$beta_vcov, limit))
  separated <- !mapply(function(field, held) identical(field$beta_vcov, held), fields, held)
  if (!any(separated)) return(result)
  for (number in which(separated)) result$svgp$fields[[number]]$beta_vcov <- held[[number]]
  separated <- problem$classes$levels[separated]
  with_separation_told(result, separated, paste("the coefficients of", format_some(separated)))
}

# Robust-max is flat for rows whose class is never the largest, so they contain no information about
# its trend. The trend then diverges, and with it all predictions. Coefficients are those of the
# basis, whose columns are of mean square 1, so that units of covariates do not matter. `sd`: the
# prior standard deviation of the fields.
check_trends_known <- function(fields, levels, sd) {
  errors <- vapply(fields, function(field) sqrt(max(0, diag(field$beta_vcov))), 0)
  sizes <- vapply(fields, function(field) max(0, abs(field$beta)), 0)
  unknown <- errors > 100 * sd
  if (!any(unknown) && all(sizes < 1000 * sd)) return(invisible())
  abort_neargp("classes", c(sprintf("The data do not determine the trend of %s by robust-max.",
    if (any(unknown)) paste("class", format_some(levels[unknown])) else "the classes"),
    i = "Use categorical(\"softmax\"), or merge classes of few rows with others."))
}

#' @export
complete_fit.neargp_svgp_classes <- function(method, fit, result, context) {
  as_classifier(with_family_values(with_inducing_points(fit, result), result$working),
    result$classifier)
}

#' @export
restrict_rows.neargp_svgp_classes <- function(method, fit, rows, context)
  refit_on_rows(fit, rows, context)

with_class_basis <- function(problem) {
  check_class_offset(problem)
  basis <- trend_basis(problem$data$X)
  problem$classes <- new_problem_classes(problem$data$levels,
    basis = basis[c("constant", "center", "rotation", "back")])
  if (ncol(problem$data$X)) problem$data$X[] <- basis_columns(basis, problem$data$X)
  problem
}

# ---- the start -----------------------------------------------------------------------------------

# The variance starts where probabilities of two classes run from 0.02 to 0.98. In up to three
# coordinates, ranges are compared by the ELBO of some rows. In more, distances concentrate near
# sqrt(2 d) standard deviations, as in label_start().
#' @export
with_start.neargp_svgp_classes <- function(method, problem) {
  layout <- problem$layout
  problem$bounds <- working_bounds(problem, 1)
  variances <- layout$kind == "variance"
  problem$bounds$upper[variances] <- pmin(problem$bounds$upper[variances], log(100))
  given <- layout$fixed | !is.na(layout$start)
  values <- ifelse(layout$fixed, layout$value, layout$start)
  if (!all(given)) {
    values[!given] <- best_class_candidate(with_class_basis(problem), variance = 4)[!given]
  }
  problem$start <- clamp(to_working(values, layout$transform), problem$bounds, problem$free)
  problem
}

best_class_candidate <- function(problem, variance, rows = 500L, points = 100L) {
  dimensions <- ncol(problem$data$coords)
  unit <- starting_distance(problem$groups[[1L]]$family, shape_of_first(problem))
  scales <- group_scales(problem$data$coords, problem$groups[[1L]]$group)
  candidates <- lapply(sqrt(dimensions) * if (dimensions > 3L) 1 else 2^(-4:1), function(range) {
    candidate_values(problem, scales, range * unit, NA_real_, c(variance, 0))
  })
  if (length(candidates) == 1L) return(candidates[[1L]])
  order <- core_order(problem$data$coords, "random", 4, problem$context)
  problem$data <- take_data_rows(problem$data, order[seq_len(min(rows, length(order)))])
  places <- distinct_locations(problem$data$coords)
  positions <- places[seq_len(min(points, nrow(places))), , drop = FALSE]
  values <- vapply(candidates, function(candidate) {
    family_bound_at(problem, problem$method, candidate, positions, NULL, tolerance = 0.1,
      derivatives = FALSE)$value
  }, 0)
  candidates[[which.max(values)]]
}

# ---- the bound -----------------------------------------------------------------------------------

# `start`: NULL begins at the labels.
#' @export
family_bound_at.neargp_svgp_classes <- function(problem, method, values, positions, start,
                                                tolerance, derivatives = TRUE,
                                                covariance = problem_covariance(problem, values)) {
  data <- problem$data
  found <- core_class_bound(data$coords, class_numbers(data), data$weights, data$X,
    length(data$levels), problem$family$link, positions, covariance, start,
    max(location_index(data$coords)), method$bound, method$jitter, tolerance, derivatives,
    problem$context)
  if (derivatives && !nzchar(found$failure)) found$d_likelihood <- double(0)
  found
}

# The posterior that a fit keeps, like that of family_posterior().
class_posterior <- function(problem, method, reached) {
  found <- family_bound_reached(problem, method, reached)
  back <- problem$classes$basis$back
  trend <- matrix(back %*% vapply(found$fields, function(field) field$beta, double(ncol(back))),
    ncol(back), length(found$fields), dimnames = list(colnames(problem$data$X), NULL))
  columns <- ncol(problem$data$X)
  list(svgp = list(positions = reached$positions, basis = problem$classes$basis,
    fields = found$fields, unexplained = mean(found$unexplained),
      settled = found$converged, pseudo_observations = found$end,
      at_data = found[c("linear_predictor", "slope", "variance", "unexplained")]),
    beta = rep(NA_real_, columns), beta_vcov = matrix(NA_real_, columns, columns),
    classifier = list(levels = problem$classes$levels, trend = trend,
      location_index = location_index(problem$data$coords),
      trend_vcov = lapply(found$fields, function(field) back %*% field$beta_vcov %*% t(back))))
}

# ---- predictions ---------------------------------------------------------------------------------

#' @export
class_predictor.neargp_svgp <- function(method, object, settings) {
  function(coords, X, offset) {
    moments <- class_moments(object, coords, X, settings$context)
    core_class_probabilities(object$family$link, moments$mean, moments$unexplained + moments$seen,
      settings$context)
  }
}

# Moments of the linear predictors, a column for each class; `seen`: the variance given what the
# inducing points leave unexplained.
class_moments <- function(object, coords, X, context) {
  columns <- class_columns_of(object, X)
  prior <- cached_prior(object, object$svgp$positions, context)
  # of odvgp(), with columns for each field
  means <- if (!is.null(object$svgp$mean)) mean_columns(object, coords, NULL, context)
  of_field <- function(number) ncol(columns) * (number - 1L) + number + 0:ncol(columns)
  fields <- lapply(seq_along(object$svgp$fields), function(number) {
    field <- object$svgp$fields[[number]]
    known <- checked_bound(core_collapsed_predict(coords, prior, cached_posterior(object, field,
      context, number), context))
    weighted <- if (is.null(means)) known$weighted else means[, of_field(number), drop = FALSE]
    unseen <- columns - weighted[, -1L, drop = FALSE]
    list(mean = weighted[, 1L] + drop(row_products(unseen, field$beta)),
      seen = known$posterior + row_forms(unseen, field$beta_vcov),
      unexplained = pmax(known$unexplained, 0))
  })
  take <- function(name) matrix(unlist(lapply(fields, `[[`, name)), nrow(coords))
  list(mean = take("mean"), seen = take("seen"), unexplained = fields[[1L]]$unexplained)
}

class_columns_of <- function(object, X) if (ncol(X)) basis_columns(object$svgp$basis, X) else X

# Without its own pseudo-observations, as cavity_moments().
#' @export
class_probabilities_given_others.neargp_svgp <- function(method, object, k, threads, rows) {
  classifier_k(method, object, k)
  context <- plain_context(threads)
  given <- object$svgp$at_data
  seen <- class_moments(object, object$data$coords, object$data$X, context)$seen
  remaining <- 1 - object$svgp$pseudo_observations$precision * seen
  left <- seen / remaining
  alone <- determining_groups(object$data$X)
  improper <- setdiff(which(rowSums(remaining < 1e-12) > 0), alone)
  n <- nrow(seen)
  nothing <- list(mean = double(n), variance = double(n))
  known <- !is.na(without_prediction(object, without_improper(object, nothing, improper), alone,
    alone)$mean)
  probability <- matrix(NA_real_, n, ncol(seen))
  probability[known, ] <- core_class_probabilities(object$family$link,
    (given$linear_predictor - left * given$slope)[known, , drop = FALSE],
    (left + given$unexplained)[known, , drop = FALSE], context)
  probability[rows, , drop = FALSE]
}

#' @export
classifier_k.neargp_svgp <- function(method, object, k) check_no_neighbors(method, k)

#' @export
restrict_classes.neargp_svgp <- function(method, fit, split, context) {
  check_kept_classes(fit, split)
  restrict_rows(method, fit, split$kept, context)
}
