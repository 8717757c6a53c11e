#' Uncertainty of the covariance parameters in predictions
#'
#' @description
#' `predict(parameters = "integrated")` averages predictions over the posterior of the covariance
#' parameters.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation()[1:30, ], coords = ~ lon + lat,
#'   crs = 4326)
#' predict(fit, data.frame(lon = -105, lat = 39.7), interval = "prediction")
#' ```
#'
#' @details
#' Intervals that treat the estimates as known are too short: 90 to 93% with 30 observations. Fewer
#' than 100 Gaussian observations are integrated by default, 200 with more than three parameters,
#' without effects.
#'
#' The prediction is the mixture of up to 200 predictions at fixed points of the posterior (Rue et
#' al. 2009). The posterior uses the restricted likelihood, for [vnngp()] and [svgp()] their bound
#' with the trend integrated out, and the [pc_priors()] of the fit. Other parameters receive weak
#' priors, which give probability 0.05 to:
#'
#' * an effective range below a sixth of the extent;
#' * a standard deviation of the process above three times the response's;
#' * a standard deviation of the noise above the response's;
#' * a smoothness below 0.2.
#'
#' More than three parameters use 64 draws from a Laplace approximation, with Pareto-smoothed
#' importance weights (Vehtari et al. 2024). The score of [loo_k()] is no likelihood. Its draws are
#' from the sandwich covariance of the estimates (Varin et al. 2011), with equal weights.
#'
#' [predict_areas()], [loo_predict()], [scores()], [cross_validate()] and
#' [simulate()][simulate.neargp] accept `parameters`. `as_draws(what = "covariance")` draws them.
#'
#' It supports one response without `transform` or `joint = TRUE`: Gaussian by [exact_gp()],
#' [vecchia()] or [loo_k()], any but classes by [vnngp()] or [svgp()].
#' @references Rue, H. et al. (2009). Approximate Bayesian inference for latent Gaussian models by
#'   using integrated nested Laplace approximations. *JRSS B* 71, 319–392. Varin, C. et al. (2011).
#'   An overview of composite likelihood methods. *Statistica Sinica* 21, 5–42. Vehtari, A. et al.
#'   (2024). Pareto smoothed importance sampling. *JMLR* 25(72), 1–58.
#' @seealso [predict.neargp()], [pc_priors()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations[1:30, ], coords = ~ lon + lat, crs = 4326,
#'   method = exact_gp(estimation = "REML"))
#' places <- data.frame(lon = c(-105, -107), lat = 39.7)
#' predict(fit, places, interval = "prediction")
#' predict(fit, places, interval = "prediction", parameters = "plug-in")
#' @name integrated_parameters
NULL

# Predictions with the covariance parameters integrated over their posterior: a mixture of the
# predictions at points of a design. The posterior is that of the restricted likelihood, with a flat
# prior of the trend's coefficients, and of proper priors on the working scale.
#
# The design is the lattice of Rue, Martino and Chopin (2009, section 3.1): the trapezoidal rule on
# the axes of the curvature at the mode. A posterior of few data is skewed. Each half of an axis is
# therefore measured in its own unit, in which the log density has fallen by 1/2 (INLA's split
# normal). In units x = z / s a point stands for the volume prod s. Where s changes, the rule is of
# second order in the spacing and not exponential, yet it is better with as few points. The lattice
# is followed from the mode as far as the log density has fallen by `drop`. All of it is
# deterministic.

# Spacing and drop by the number of axes. With three axes and 100 to 200 points, 95% intervals are
# too narrow by 1% or less for n = 30. For n = 12 they are too narrow by 1% among the data and 4%
# beyond them. Spacing 1.75 and drop 4 use a quarter of these points. Intervals are then too narrow
# by 1 to 4% and 3 to 8% (bench/integrated-lattice.R). Fewer axes allow more points on each.
lattice_spacing <- c(0.5, 1, 1.5)
lattice_drop <- c(9, 7, 7)

# Most posteriors have three parameters. More are integrated by draws (R/integrated-draws.R).
lattice_axes <- 3L

# Below this curvature, as at a minimum, the fall of the density alone determines the width of an
# axis.
least_curvature <- 0.05

# 95% intervals by the estimates of three parameters cover 94.4% with 100 rows, 93.4% with 50 and
# 92.6% with 30 (bench/small-samples.R). With four parameters and 30 rows they cover 91.2%
# (bench/integrated-coverage.R).
few_rows <- function(object) {
  stats::nobs(object) < if (sum(!object$layout$fixed) > lattice_axes) 200L else 100L
}

# Predictions contain separate parts for effects, which add up only at the estimates.
integrates_by_default <- function(object) {
  has_likelihood_objective(object) && few_rows(object) && !has_effects(object$data) &&
    is_integrable(object) && has_posterior(object)
}

# Users did not ask for this posterior, so messages that draws represent it poorly are suppressed.
has_posterior <- function(object) {
  tryCatch(withCallingHandlers({
    integrated_fits(object, plain_context(object$threads))
    TRUE
  }, neargp_message = function(condition) rlang::cnd_muffle(condition)),
    neargp_error = function(condition) {
      inform_neargp("parameters", c("The covariance parameters are taken as known.",
        x = rlang::cnd_header(condition)))
      FALSE
    })
}

# ---- the design ----------------------------------------------------------------------------------

# Fits at the points of the design, each with its own cache, and the logarithms of their weights.
integrated_fits <- function(object, context) {
  UseMethod("integrated_fits")
}

posterior_design <- function(objective, problem, spacing = lattice_spacing, drop = lattice_drop) {
  mode <- fisher_scoring(objective, problem$start, problem$free, problem$bounds, problem$control)
  outside <- function(working) {
    any((working < problem$bounds$lower | working > problem$bounds$upper)[problem$free])
  }
  state_at <- function(working) {
    if (outside(working)) return(list(value = -Inf))
    c(objective$evaluate(working), list(working = working))
  }
  if (sum(problem$free) > lattice_axes) {
    return(drawn_design(objective, mode, problem, state_at))
  }
  axes <- posterior_axes(objective, mode, problem)
  scales <- split_scales(function(z) state_at(mode$working + c(axes %*% z))$value,
    mode$evaluated$value, ncol(axes))
  lattice <- follow_lattice(function(index) {
    unit <- ifelse(index < 0, scales[, 1L], ifelse(index > 0, scales[, 2L], rowMeans(scales)))
    state <- state_at(mode$working + c(axes %*% (spacing[ncol(axes)] * index * unit)))
    state$log_weight <- state$value + sum(log(unit))
    state
  }, mode$evaluated$value - drop[ncol(axes)], ncol(axes))
  with_heaviest(lattice)
}

# Columns are standard deviations along the axes of the curvature at the mode, the widest first.
posterior_axes <- function(objective, mode, problem) {
  free <- which(problem$free)
  information <- restricted_information(objective, mode, problem)[free, free, drop = FALSE]
  parts <- eigen(information, symmetric = TRUE)
  widest <- rev(seq_along(free))
  axes <- matrix(0, length(problem$free), length(widest))
  axes[free, ] <- sweep(parts$vectors[, widest, drop = FALSE], 2L,
    sqrt(pmax(parts$values[widest], least_curvature)), "/")
  axes
}

# The distance along each half of each axis in which the log density falls by 1/2, by its fall over
# 1.5, within 0.3 and 4.
split_scales <- function(value_at, highest, axes, reach = 1.5) {
  scale_of <- function(axis, side) {
    fall <- highest - value_at(replace(double(axes), axis, side * reach))
    min(max(reach / sqrt(2 * max(fall, 0)), 0.3), 4)
  }
  t(vapply(seq_len(axes), function(axis) c(scale_of(axis, -1), scale_of(axis, 1)), double(2L)))
}

# Posteriors of three axes spread over fewer, also those of few rows (bench/integrated-lattice.R).
most_lattice_points <- 600L

# States at the points of the lattice that are connected to the origin by points of a value of at
# least `least`.
follow_lattice <- function(state_of, least, axes) {
  found <- list()
  waiting <- list(integer(axes))
  seen <- new.env(parent = emptyenv())
  while (length(waiting)) {
    beyond <- list()
    for (index in waiting) {
      name <- paste(index, collapse = " ")
      if (!is.null(seen[[name]])) next
      seen[[name]] <- TRUE
      state <- state_of(index)
      if (!(state$value >= least)) next
      if (length(found) == most_lattice_points) abort_wide_posterior()
      found <- c(found, list(state))
      beyond <- c(beyond, lapply(seq_len(2L * axes), function(j) {
        axis <- (j + 1L) %/% 2L
        replace(index, axis, index[axis] + if (j %% 2L) 1L else -1L)
      }))
    }
    waiting <- beyond
  }
  found
}

abort_wide_posterior <- function() {
  abort_neargp("parameters", c(
    sprintf("The posterior of the covariance parameters spreads over more than %s points.",
      format_count(most_lattice_points)),
    i = "Fix some parameters, or give them priors: prior = pc_priors()."))
}

# Without the lightest points, whose share together is 0.002.
with_heaviest <- function(states, share = 0.002) {
  log_weights <- vapply(states, `[[`, 0, "log_weight")
  weights <- exp(log_weights - max(log_weights))
  weights <- weights / sum(weights)
  lightest <- order(weights)
  light <- lightest[cumsum(weights[lightest]) < share]
  heavy <- setdiff(seq_along(states), light)
  list(states = states[heavy], log_weights = log(weights[heavy] / sum(weights[heavy])))
}

# ---- predictions ---------------------------------------------------------------------------------

# Mean and variance of the latent field at each point of the design, columns of `components`.
integrated_predictor <- function(object, settings) {
  settings$integrated <- FALSE
  design <- integrated_fits(object, settings$context)
  predictors <- lapply(design$fits, part_predictor, settings)
  function(coords, X, offset) {
    parts <- lapply(predictors, function(predict_at) predict_at(coords, X, offset))
    means <- do.call(cbind, lapply(parts, `[[`, "mean"))
    variances <- do.call(cbind, lapply(parts, `[[`, "variance"))
    field <- new_normal_mixture(means, sqrt(variances), design$log_weights)
    list(mean = predictive_mean(field), variance = predictive_variance(field),
      components = cbind(means, variances))
  }
}

# The mixtures of the field and of a new observation.
integrated_predictive <- function(object, moments, settings) {
  design <- integrated_fits(object, settings$context)
  count <- length(design$fits)
  # there are none where all rows have missing values
  components <- moments$components %||% matrix(NA_real_, length(moments$mean), 2L * count)
  given <- lapply(seq_len(count), function(s) {
    fit <- design$fits[[s]]
    predictive(fit$method, fit, list(mean = components[, s],
      variance = components[, count + s]), list(trials = settings$trials,
      weights = moments$weights, parameter_columns = moments$parameter_columns))
  })
  lapply(c(field = "field", observation = "observation"), function(name) {
    mixture_of(lapply(given, `[[`, name), design$log_weights)
  })
}
