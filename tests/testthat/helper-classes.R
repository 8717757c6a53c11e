# Classes in the plane, some locations repeated, and the leave-one-out probabilities of loo_k()
# written once more, densely and plainly.

class_data <- function(n = 60, classes = c("a", "b", "c"), seed = 3, repeated = 0L) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n))
  if (repeated) {
    data[seq_len(repeated), c("x", "y")] <- data[repeated + seq_len(repeated), c("x", "y")]
  }
  center <- outer(data$x * 6, seq_along(classes) * 2, function(x, c) -(x - c)^2 / 2)
  data$class <- factor(classes[max.col(center + stats::rnorm(length(center)))], levels = classes)
  data
}

# One observation at a time, from all others: no distinct locations, no neighbours, solve() instead
# of factors.
dense_loo_probability <- function(fit) {
  data <- fit$data
  levels <- fit$classifier$levels
  class <- match(as.character(observed_classes(fit)), levels)
  covariance <- dense_covariance(data$coords, data$coords, fit$core_covariance)
  t(vapply(seq_along(class), function(i) dense_label_probability(fit, covariance, class, i,
    setdiff(seq_along(class), i)), double(length(levels))))
}

# For row i, from the labels of the rows `others`.
dense_label_probability <- function(fit, covariance, class, i, others) {
  classifier <- fit$classifier
  moments <- dense_label_moments(fit, covariance, class, i, others)
  shrunk <- function(mean) mean / sqrt(1 + pi / 8 * classifier$slope^2 * moments$variance)
  near <- if (is.null(moments$weight)) 1 - prod(1 - shrunk(moments$mean)) else
    shrunk(moments$weight)
  eta <- classifier$slope * shrunk(moments$mean)
  trend <- drop(fit$data$X[i, ] %*% classifier$trend) + fit$data$offset[i] + classifier$bias * near
  if (length(classifier$levels) == 2L) {
    if (length(eta) == 1L) eta <- c(0, eta)
    trend <- c(0, trend)
  }
  eta <- eta + trend
  exp(eta) / sum(exp(eta))
}

dense_label_moments <- function(fit, covariance, class, i, others) {
  classes <- length(fit$classifier$levels)
  moments_from <- function(rows, z) {
    if (!length(rows)) return(c(0, covariance[i, i]))
    weights <- solve(covariance[rows, rows, drop = FALSE] + diag(fit$nugget, length(rows)),
      covariance[rows, i])
    c(sum(weights * z), covariance[i, i] - sum(weights * covariance[rows, i]))
  }
  if (fit$classifier$estimator == "own-class") {
    parts <- vapply(seq_len(classes), function(r) moments_from(others[class[others] == r], 1),
      double(2))
    return(list(mean = parts[1L, ], variance = parts[2L, ]))
  }
  outputs <- if (classes == 2L) 2L else seq_len(classes)
  parts <- vapply(outputs, function(r) moments_from(others, ifelse(class[others] == r, 1, -1)),
    double(2))
  list(mean = parts[1L, ], variance = parts[2L, ], weight = moments_from(others, 1)[1L])
}

# A fit whose parameters are given, so that only its predictions are looked at.
fixed_class_fit <- function(data, estimator = "label", k = nrow(data) - 1L, formula = class ~ h,
                            steps = 4L, ...) {
  family <- if (nlevels(data$class) == 2L) stats::binomial() else categorical()
  withr::local_seed(1)
  neargp(formula, data, coords = ~ x + y, family = family, nugget = 0.3, threads = 1L,
    covariance = cov_matern(1.5, variance = 1.5, range = 0.2),
    method = loo_k(k, estimator, "adam", steps = steps), ...)
}

# The problem that a fit would solve.
example_problem <- function(estimator, classes, data = class_data(90, classes, repeated = 10L),
                            covariance = cov_matern(NULL, ard = TRUE) + cov_exponential(),
                            formula = class ~ h) {
  settings <- check_settings(formula, data, loo_k(7L, estimator), covariance,
    if (length(classes) == 2L) stats::binomial() else categorical(), NULL, neargp_control(), "cpu",
    1L, FALSE)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, "class")
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL,
    na.action = stats::na.omit), formula, data, locations)
  model <- new_model_data(frame, formula, settings)
  problem <- new_problem(model$data, locations, settings, NULL)
  problem <- with_start(problem$method, problem)
  if (estimator == "polya-gamma") polya_gamma_problem(problem$method, problem) else
    label_problem(problem$method, problem, estimator)
}
