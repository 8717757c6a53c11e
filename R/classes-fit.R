# Fits of loo_k() to class labels: parameters by the leave-one-out log score.

# Labels are -1 and 1; what starts where depends on the estimator. A small variance is none only
# next to its nugget, see label_scale_note().
#' @export
with_start.neargp_loo_k_classes <- function(method, problem) {
  problem$bounds <- c(working_bounds(problem, 1), list(vanishing = character(0)))
  problem
}

#' @export
complete_fit.neargp_loo_k_classes <- function(method, fit, result, context) {
  as_classifier(fit, result$classifier)
}

as_classifier <- function(fit, classifier) {
  if (is.null(classifier)) return(fit)
  trend <- classifier$trend
  colnames(trend) <- if (ncol(trend) == 1L) classifier$levels[2L] else classifier$levels
  classifier$trend <- trend
  fit$classifier <- classifier
  # [ drops names of 1 x 1
  fit$beta <- if (ncol(trend) == 1L) stats::setNames(trend[, 1L], rownames(trend)) else trend
  class(fit) <- c("neargp_classifier", "neargp")
  fit
}

#' @export
fit_method.neargp_loo_k_classes <- function(method, problem) {
  warn_of_copies(problem$data)
  with_centred_offset(problem, function(problem) fit_by_best_estimator(method, problem))
}

# A constant in the offset is taken from the intercept. The ridge of the trend and the start of the
# search are for predictors about 0, so that the offset of the problem that `fit` gets has mean 0.
with_centred_offset <- function(problem, fit) {
  center <- if ("(Intercept)" %in% colnames(problem$data$X)) mean(problem$data$offset) else 0
  if (center == 0) return(fit(problem))
  raised <- function(classifier, by) {
    classifier$trend["(Intercept)", ] <- classifier$trend["(Intercept)", ] + by
    classifier
  }
  problem$data$offset <- problem$data$offset - center
  if (!is.null(problem$warm_classifier)) {
    problem$warm_classifier <- raised(problem$warm_classifier, center)
  }
  result <- fit(problem)
  result$classifier <- raised(result$classifier, -center)
  result
}

fit_by_best_estimator <- function(method, problem) {
  estimators <- label_estimators(method$estimator, length(problem$data$levels),
    problem$warm_classifier)
  results <- lapply(estimators, function(estimator) fit_labels(method, problem, estimator))
  values <- stats::setNames(vapply(results, function(result) result$value, 0), estimators)
  if (length(results) == 1L) return(results[[1L]])
  held_out <- if (hardly_differ(problem, values, method$k)) held_out_scores(method, problem,
    estimators)
  best <- results[[which.max(held_out %||% values)]]
  best$classifier$compared <- values
  best$classifier$held_out <- held_out
  best
}

# The estimators that are fitted: "auto" goes on with that of an earlier fit.
label_estimators <- function(estimator, classes, warm) {
  both <- c("label", "own-class")
  if (estimator != "auto") return(estimator)
  if (!is.null(warm) && warm$estimator %in% both) return(warm$estimator)
  if (classes == 2L) "label" else both
}

# Fitting p parameters raises the score of the training rows by about p above the score of as many
# new rows (Akaike). Where conditioning sets overlap it is more: 3.4 p for "label" on the splice
# data, with 60 ranges. Scores that differ by less than 4 p do not distinguish estimators. Enough
# rows must remain in each training set: neighbours, and rows of each column of the trend.
hardly_differ <- function(problem, values, k) {
  X <- problem$data$X
  links <- 1L + ncol(X) * trend_outputs(length(problem$data$levels))
  diff(range(values)) < 4 * (sum(problem$free) + links) &&
    k < 0.5 * length(unique(location_index(problem$data$coords))) &&
    nrow(X) >= 5L && qr(X[-held_out_rows(nrow(X)), , drop = FALSE])$rank == ncol(X)
}

held_out_rows <- function(n) seq_len(n %/% 5L) * 5L

# The log score of every fifth row by fits to the others.
held_out_scores <- function(method, problem, estimators) {
  held <- held_out_rows(length(problem$data$y))
  data <- problem$data
  of_rows <- function(rows) utils::modifyList(data, take_data_rows(data, rows))
  problem$data <- of_rows(-held)
  vapply(estimators, function(estimator) new_rows_score(problem,
    fit_labels(method, problem, estimator), of_rows(held), method$k), 0)
}

new_rows_score <- function(problem, result, data, k) {
  like_fit <- list(data = problem$data, classifier = result$classifier,
    core_covariance = covariance_at(problem, result$working),
    nugget = nugget_of(problem$layout, to_core(result$working, problem$layout$transform)))
  probability <- class_predictor(problem$method, like_fit, new_prediction_settings(problem$context,
    k))(data$coords, data$X, data$offset)
  sum(data$weights * log(probability[cbind(seq_along(data$y), class_numbers(data))]))
}

# The result is what fit_method() returns, with a `classifier` in addition.
fit_labels <- function(method, problem, estimator) {
  problem <- label_problem(method, problem, estimator)
  if (is_sharded(problem)) problem <- with_labels_in_shards(problem)
  start <- label_start(problem, method$k)
  state <- maximize_score(method, problem, start)
  problem <- with_prevalence_intercept(state$problem, state$theta)
  part <- split_theta(problem, state$theta)
  scored <- score_of_all(problem, state$theta, method$k)
  q <- ncol(problem$data$X)
  list(working = part$working, beta = rep(NA_real_, q), beta_vcov = matrix(NA_real_, q, q),
    information = NULL, value = scored$value,
    score = paste0("leave-one-out log score", sample_note(scored$rows)), k = method$k,
    convergence = state$convergence, classifier = list(estimator = estimator,
      levels = problem$classes$levels, slope = exp(part$log_slope), bias = part$bias,
      intercept_shift = theta_intercept_shift(problem, state$theta),
      trend = unscaled_trend(problem$loo$design, problem$loo$design$rotation %*% part$trend),
      location_index = problem$classes$labels$location_index))
}

sample_note <- function(rows) {
  if (is.null(rows)) "" else sprintf(" (from %s rows)", format_count(rows))
}

# `index`: the number of each row's location. `design`: the trend in other columns.
label_problem <- function(method, problem, estimator, index = location_index(problem$data$coords),
                          design = orthogonal_design(problem$data$X), with_prevalence = TRUE) {
  classes <- length(problem$data$levels)
  problem$data$class <- class_numbers(problem$data)
  labels <- new_labels(problem$data, classes, index)
  problem$classes <- new_problem_classes(problem$data$levels, labels,
    per_class = estimator == "own-class")
  check_location_count(nrow(labels$coords), method$k)
  check_class_offset(problem)
  problem$loo <- new_leave_one_out(design, distinct = nrow(labels$coords))
  if (with_prevalence) problem$classes$prevalence <- class_prevalence(problem)
  trend_varies <- any(colnames(problem$data$X) != "(Intercept)") ||
    any(problem$data$offset != problem$data$offset[1L])
  problem$loo$observations <- label_observations(labels, merge = !trend_varies)
  trends <- ncol(design$X) + !is.null(problem$classes$prevalence)
  problem$loo$links <- label_links(trends * trend_outputs(classes))
  problem$loo$scoring <- list(plan = label_plan, objective = label_objective,
    take_rows = take_label_rows,
    observations = function(problem, rows) take_observations(problem$classes$labels, rows),
    refresh = with_prevalence_intercept,
    count = function(problem) sum(problem$classes$labels$count),
    passes = if (ncol(design$X) > 1L) 8L else 1L, unit = 1)
  problem
}

# The slope between almost no and certainty; the trend free.
label_links <- function(trends) {
  list(lower = c(log(1e-3), rep(-Inf, trends)), upper = c(log(1e4), rep(Inf, trends)))
}

take_label_rows <- function(problem, rows) {
  problem$data[c("X", "offset", "weights", "coords", "class")] <- list(
    problem$data$X[rows, , drop = FALSE], problem$data$offset[rows], problem$data$weights[rows],
    problem$data$coords[rows, , drop = FALSE], problem$data$class[rows])
  problem$loo$design$X <- problem$loo$design$X[rows, , drop = FALSE]
  labels <- problem$classes$labels
  index <- labels$location_index[rows]
  problem$classes$labels <- new_labels(problem$data, labels$classes, match(index, unique(index)))
  problem
}

check_location_count <- function(locations, k) {
  if (k < locations) return(invisible())
  abort_neargp("k",
    c(sprintf("k = %d neighbours need more than %d distinct locations, and there are %d.", k, k,
      locations), i = if (locations > 1L) sprintf("Use a k of at most %d.", locations - 1L)))
}

# The softmax does not change when all classes are offset alike.
check_class_offset <- function(problem) {
  log_odds <- length(problem$classes$levels) == 2L && !has_ability(problem$method, "class_fields")
  if (log_odds || all(problem$data$offset == 0)) return(invisible())
  abort_neargp("formula",
    c("An offset cannot change a model with one trend per category: it would be the same for all categories.",
      i = "Leave the offset out. Covariates of the trend get a coefficient for each category."))
}

check_kept_classes <- function(fit, split) {
  lost <- setdiff(fit$classifier$levels, as.character(observed_classes(fit)[split$kept]))
  if (length(lost)) {
    abort_neargp("folds",
      c(sprintf("Without fold %s no row of the category %s is left, so it cannot be fitted.",
        split$fold, lost[1L]),
        i = if (has_ability(fit$method, "class_fields")) "Choose other folds." else
        "Choose other folds, or keep the parameters: refit = FALSE."))
  }
}

# ---- starting values -----------------------------------------------------------------------------

label_start_slope <- 2

# An earlier fit provides all starting values. Without one, variance, nugget and slope are 1, 1 and
# 2, and there is no trend, neither among data nor far from them. Where the class prevalence is
# right, the ridge leads to it. Ranges are compared by the score of some hundred observations in up
# to three coordinates. In more, distances concentrate near sqrt(2 d) standard deviations, and a
# grid finds a narrow optimum that the separate ranges do not leave. They start at sqrt(d) standard
# deviations.
label_start <- function(problem, k) {
  q <- ncol(problem$loo$design$X)
  classes <- problem$classes$labels$classes
  trend <- matrix(0, q, trend_outputs(classes))
  prevalence <- problem$classes$prevalence
  shift <- if (is.null(prevalence)) double(0) else -prevalence$intercept
  warm <- problem$warm_classifier
  if (!is.null(warm) && identical(dimnames(warm$trend)[1L], dimnames(problem$loo$design$X)[2L]) &&
    length(warm$trend) == length(trend)) {
    trend <- warm_trend(problem, warm)
    shift <- warm$intercept_shift %||% shift
    slope <- warm$slope
  } else {
    slope <- label_start_slope
  }
  layout <- problem$layout
  given <- layout$fixed | !is.na(layout$start)
  values <- ifelse(layout$fixed, layout$value, layout$start)
  if (!all(given)) {
    values[!given] <- best_label_candidate(problem, min(k, 32L),
      c(log(slope), trend, shift))[!given]
  }
  working <- clamp(to_working(values, layout$transform), problem$bounds, problem$free)
  label_theta(working, log(slope), trend, shift)
}

# The trend to start from, with the intercept among data.
warm_trend <- function(problem, warm) {
  trend <- scaled_trend(problem$loo$design, warm$trend)
  if (is.null(problem$classes$prevalence)) return(trend)
  trend <- crossprod(problem$loo$design$rotation, trend)
  replace_intercept(problem, trend, trend[problem$loo$design$intercept, ] + (warm$bias %||% 0))
}

best_label_candidate <- function(problem, k, links, rows = 500L) {
  coords <- problem$classes$labels$coords
  dimensions <- ncol(coords)
  unit <- starting_distance(problem$groups[[1L]]$family, shape_of_first(problem))
  candidates <- lapply(sqrt(dimensions) * if (dimensions > 3L) 1 else 2^(-6:2), function(range) {
    candidate_values(problem, group_scales(coords, problem$groups[[1L]]$group), range * unit,
      NA_real_, c(1, 1))
  })
  if (length(candidates) == 1L) return(candidates[[1L]])
  at <- lapply(problem$loo$observations,
    function(x) x[unique(round(seq(1, length(x), length.out = rows)))])
  working <- lapply(candidates, to_working, problem$layout$transform)
  plan <- label_plan(problem, at, component_at(problem, working[[1L]]), k)
  objective <- label_objective(problem, plan)
  values <- vapply(working, function(one) objective$evaluate(c(one, links))$value, 0)
  if (!any(is.finite(values))) abort_cholesky(0L)
  candidates[[which.max(values)]]
}

shape_of_first <- function(problem) {
  layout <- problem$layout
  shape <- layout$value[layout$kind == "shape" & layout$component %in% 1L]
  if (length(shape) && !is.na(shape)) shape else family_shape(problem$groups[[1L]]$family)$start
}
