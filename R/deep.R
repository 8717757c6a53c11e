# The methods of deep Gaussian processes, dspp() and dgp(), share the checks of a problem, its
# standardisation, and the fit by deep_fit(). A method of them has `deep`, the settings of
# deep_fit() that are its own.

# The settings that both have are checked, of `given`, the arguments of the constructor by their
# names. `...`: those of one of them.
deep_method <- function(name, label, given, ...) {
  method <- new_method(name, label, layers = check_layers(given$layers),
    width = check_count(given$width, "width"),
    inducing = check_count(given$inducing, "inducing", lower = 2L), ...,
    skip = check_choice(given$skip, "skip", c("both", "none", "mean", "inputs")),
    regularization = check_number(given$regularization, "regularization", 0, null_ok = TRUE),
    epochs = check_count(given$epochs, "epochs"),
    batch_size = check_count(given$batch_size, "batch_size"),
    learning_rate = check_number(given$learning_rate, "learning_rate", 0, 1, open = TRUE),
    restarts = check_count(given$restarts, "restarts"),
    validation = check_number(given$validation, "validation", 0, 0.5),
    seed = check_count(given$seed, "seed", lower = 0L, null_ok = TRUE))
  class(method) <- c(paste0("neargp_", name), "neargp_deep", "neargp_method")
  method
}

check_layers <- function(layers) {
  layers <- check_count(layers, "layers")
  if (layers <= 3L) return(layers)
  abort_neargp("argument", c(sprintf("`layers` = %d are more than three.", layers),
    i = "Nothing published gains by a fourth one: take a larger `width`."))
}

#' @export
print.neargp_deep <- function(x, ...) {
  x$regularization <- x$regularization %||% if (identical(x$objective, "evidence")) "1" else
    "by the rows held out 0.05, 0.5 or 5; 0.05 for 10,000 rows or more"
  x$seed <- x$seed %||% "from R's random numbers"
  if (x$layers < 3L) x["skip"] <- NULL
  NextMethod()
}

# Longitude and latitude alone share one range, along the chord.
#' @export
method_default_covariance.neargp_deep <- function(method, locations) {
  cov_matern(nu = 2.5, ard = locations$metric != "longlat" || length(locations$embedded_names) > 3L)
}

# The noise and the family's parameters: units have covariance parameters of their own, see coef().
#' @export
method_layout.neargp_deep <- function(method, layout, settings) {
  deep_kernel(method, settings$covariance)
  if (!is.null(settings$nugget)) {
    abort_neargp("nugget",
      c(sprintf("`nugget` cannot be fixed in a fit by %s: the noise is learned with everything else.", method_call(method)),
        i = "Leave `nugget` out, or use method = svgp()."))
  }
  noise_layout(layout)
}

#' @export
method_layout.neargp_deep_families <- function(method, layout, settings) {
  deep_kernel(method, settings$covariance)
  noise_layout(latent_layout(layout, settings))
}

noise_layout <- function(layout) layout[layout$kind %in% c("nugget", "family"), ]

#' @export
method_families.neargp_deep <- function(method) latent_families()

# The family of covariances that all units have, as the core takes it.
deep_kernel <- function(method, covariance) {
  refuse <- function(what) {
    abort_neargp("covariance",
      c(sprintf("%s is not for the units of %s.", what, method_call(method)),
        i = "Use cov_matern() with nu = 0.5, 1.5, 2.5 or 3.5, cov_exponential() or cov_gaussian(), without fixed parameters."))
  }
  if (inherits(covariance, "neargp_coregionalisation") &&
      (length(covariance$rank) || length(unlist(covariance$matrices)))) {
    refuse("cov_coregionalisation()")
  }
  if (length(covariance$components) > 1L) refuse("A sum of covariances")
  component <- covariance$components[[1L]]
  if (!component$family %in% c("matern", "exponential", "gaussian")) {
    refuse(sprintf("The %s covariance", component$family))
  }
  if (component$family == "matern" && !isTRUE(component$shape %in% c(0.5, 1.5, 2.5, 3.5))) {
    refuse("A Mat\u00e9rn covariance of this smoothness")
  }
  if (!isFALSE(component$anisotropy)) refuse("Anisotropy")
  if (is_replicated(component)) refuse("A factor as `by`")
  if (!is.null(component$variance) || !is.null(component$range)) {
    refuse("A covariance with fixed parameters")
  }
  if (length(unlist(component$start))) refuse("A covariance with starting values")
  list(family = component$family, shape = as.double(component$shape))
}

#' @export
with_start.neargp_deep <- function(method, problem) {
  check_deep_trend(method, problem)
  scatter <- log(scatter_of_outputs(problem$data))
  problem$bounds <- list(lower = scatter + log(noise_floors[["least"]]), upper = scatter + log(100),
    vanishing = character(0))
  problem$start <- scatter + log(0.1)
  problem
}

#' @export
with_start.neargp_deep_outputs <- function(method, problem) {
  refuse_robust(method, "method", "`robustness` is for one response.",
    "Leave `robustness` out, or fit each response by itself.")
  NextMethod()
}

#' @export
with_start.neargp_deep_families <- function(method, problem) {
  check_deep_trend(method, problem)
  refuse_robust(method, "family",
    sprintf("`robustness` is for Gaussian responses, and this one is %s.",
      family_call(problem$family)),
    "Leave `robustness` out. For numbers with outliers: family = student_t().")
  with_core_start(problem, with_family_start)
}

# Noise variances of weight 1, about the trend by least squares and as large as they may be, by
# outputs.
scatter_of_outputs <- function(data) {
  residuals <- response_columns(data)[, 1L]
  output <- data$output %||% rep(1L, length(residuals))
  unname(vapply(split(residuals, output), stats::var, 0) * vapply(split(data$weights, output), mean,
    0))
}

# The nugget, of which there is none, and the family's parameters.
with_family_start <- function(problem) {
  rough <- rough_glm(problem$data, problem$family)
  family <- family_working(problem, rough, predictor_unit(problem$data, problem$family))
  family <- lapply(family, unname)
  problem$bounds <- list(lower = c(-Inf, family$lower), upper = c(Inf, family$upper),
    vanishing = character(0))
  problem$start <- c(-Inf, pmin(pmax(family$start, family$lower), family$upper))
  fixed <- problem$layout$fixed
  problem$start[fixed] <- to_working(problem$layout$value, problem$layout$transform)[fixed]
  problem
}

# The least share of a response's variance that is noise. It is the share of h^2 / 12, the variance
# of rounding to the steps h between values, within these limits. The larger limit applies where
# many rows share a value, since their density would grow without bound. Several responses take the
# largest share.
noise_floors <- c(least = 1e-6, most = 1e-4)
many_equal <- 0.05

noise_floor_of <- function(y) max(apply(as.matrix(y), 2L, noise_floor_of_values))

noise_floor_of_values <- function(values) {
  runs <- rle(sort(values))
  if (length(runs$values) < 2L || max(runs$lengths) > many_equal * sum(runs$lengths)) {
    return(noise_floors[["most"]])
  }
  rounding <- stats::median(diff(runs$values))^2 / 12 / stats::var(values, na.rm = TRUE)
  min(max(rounding, noise_floors[["least"]]), noise_floors[["most"]])
}

check_deep_trend <- function(method, problem) {
  data <- problem$data
  constant <- if (has_outputs(problem)) constant_column(design_of_places(data)) else
    data$basis$constant
  if (isTRUE(constant > 0L)) return(invisible())
  abort_neargp("formula", c(sprintf("Fits by %s include a constant, so the trend needs an intercept.",
    method_call(method)), i = "Leave `0 +` or `- 1` out of the formula."))
}

# The robust score is not for all responses.
refuse_robust <- function(method, class, why, instead) {
  if (identical(deep_own_settings(method)$score, "robust")) abort_neargp(class, c(why, i = instead))
}

# ---- the fit -------------------------------------------------------------------------------------

# Noise variances of weight 1, or no nugget and the family's parameters, in the unit of the problem.
working_of_state <- function(state, response) {
  if (length(state$noise)) return(log(state$noise * response$scale^2 * response$weight))
  names <- names_of_parameters(state$family$name)
  scale <- if (any(names %in% c("scale", "sd"))) ifelse(names %in% c("scale", "sd"), response$scale,
    1) else 1
  c(-Inf, log(unname(state$family$parameters) * scale))
}

# The term by which a log density of standardised responses is too large, for each response. The
# unit of the problem is taken off later.
density_shift <- function(response) log(response$scale)

known_of_outputs <- function(response) response$measured %||% colSums(!is.na(response$y))

# The same of rows in the unit of the response, on average; 0 without rows.
log_scale_of_rows <- function(response, rows) {
  shift <- drop((!is.na(response$y[rows, , drop = FALSE])) %*%
    (density_shift(response) + log(response$unit)))
  if (length(shift)) mean(shift) else 0
}

# Log densities of a row in the unit of the response, of which standardised ones have too much. The
# robust score is none.
in_response_unit <- function(fitted, response, score) {
  held_out <- fitted$validation$rows
  in_training <- log_scale_of_rows(response, setdiff(seq_len(nrow(response$y)), held_out))
  in_validation <- if (length(held_out)) log_scale_of_rows(response, held_out) else in_training
  if (score != "robust") {
    fitted$trace$objective <- fitted$trace$objective - in_training
    fitted$validation$objective <- fitted$validation$objective - in_training
  }
  fitted$trace$validation <- fitted$trace$validation - in_validation
  fitted$validation$nll <- fitted$validation$nll + in_validation
  for (table in c("restarts", "regularizations")) {
    if (!is.null(fitted$notes[[table]])) {
      fitted$notes[[table]]$nll <- fitted$notes[[table]]$nll + in_validation
    }
  }
  fitted
}

#' @export
complete_fit.neargp_deep <- function(method, fit, result, context) {
  fit <- with_fitted_network(fit, result$network)
  fit$deep <- result$deep
  fit$beta_vcov[] <- NA_real_
  fit["core_covariance"] <- list(NULL)
  class(fit) <- c("neargp_deep_fit", "neargp")
  fit
}

#' @export
complete_fit.neargp_deep_families <- function(method, fit, result, context) {
  with_family_values(NextMethod(), result$working)
}

# Units have covariances of their own, and no loadings.
#' @export
fit_of_response.neargp_deep_outputs <- function(method, fit) fit

#' @export
complete_fit.neargp_deep_outputs <- function(method, fit, result, context) {
  fit <- NextMethod()
  fit$outputs <- fit$data$outputs
  fit$nugget <- stats::setNames(exp(result$working), fit$outputs)
  class(fit) <- c("neargp_deep_outputs", "neargp_deep_fit", "neargp_outputs", "neargp")
  fit
}
