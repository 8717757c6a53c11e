# What the methods of deep Gaussian processes, dspp() and dgp(), share: the checks of a problem, its standardisation, and the fit by
# deep_fit(). A method of them has `deep`, the settings of deep_fit() that are its own.

is_deep <- function(method) inherits(method, "neargp_deep")

# Settings that both have, checked.
deep_method <- function(name, label, layers, width, inducing, skip, regularization, epochs, batch_size, learning_rate, restarts, validation,
                        seed, ...) {
  method <- new_method(name, label, layers = check_layers(layers), width = check_count(width, "width"),
    inducing = check_count(inducing, "inducing", lower = 2L), ..., skip = check_choice(skip, "skip", c("both", "none", "mean", "inputs")),
    regularization = check_number(regularization, "regularization", 0, null_ok = TRUE), epochs = check_count(epochs, "epochs"),
    batch_size = check_count(batch_size, "batch_size"), learning_rate = check_number(learning_rate, "learning_rate", 0, 1, open = TRUE),
    restarts = check_count(restarts, "restarts"), validation = check_number(validation, "validation", 0, 0.5),
    seed = check_count(seed, "seed", lower = 0L, null_ok = TRUE))
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

# Longitude and latitude alone have one range, along the chord.
#' @export
method_default_covariance.neargp_deep <- function(method, locations) {
  cov_matern(nu = 2.5, ard = locations$metric != "longlat" || length(locations$embedded_names) > 3L)
}

# The noise alone: units have covariance parameters of their own, see coef().
#' @export
method_layout.neargp_deep <- function(method, layout, settings) {
  if (any(layout$kind == "loading")) return(layout)
  deep_kernel(method, settings$covariance)
  if (!is.null(settings$nugget)) {
    abort_neargp("nugget", c(sprintf("`nugget` cannot be fixed in a fit by %s: the noise is learned with everything else.", method_call(method)),
      i = "Leave it out, or use svgp()."))
  }
  layout[layout$kind == "nugget", ]
}

# The family of covariances that all units have, as the core takes it.
deep_kernel <- function(method, covariance) {
  refuse <- function(what) {
    abort_neargp("covariance", c(sprintf("%s is not for the units of %s.", what, method_call(method)),
      i = "Use cov_matern() with nu = 0.5, 1.5, 2.5 or 3.5, cov_exponential() or cov_gaussian(), without fixed parameters."))
  }
  if (length(covariance$components) > 1L) refuse("A sum of covariances")
  component <- covariance$components[[1L]]
  if (!component$family %in% c("matern", "exponential", "gaussian")) refuse(sprintf("The %s covariance", component$family))
  if (component$family == "matern" && !isTRUE(component$shape %in% c(0.5, 1.5, 2.5, 3.5))) refuse("A Mat\u00e9rn covariance of this smoothness")
  if (!isFALSE(component$anisotropy)) refuse("Anisotropy")
  if (!is.null(component$variance) || !is.null(component$range)) refuse("A covariance with fixed parameters")
  if (length(unlist(component$start))) refuse("A covariance with starting values")
  list(family = component$family, shape = as.double(component$shape))
}

#' @export
with_start.neargp_deep <- function(method, problem) {
  check_deep_trend(method, problem$data)
  scatter <- log(stats::var(response_columns(problem$data)[, 1L]) * mean(problem$data$weights))
  problem$bounds <- list(lower = scatter + log(noise_floor), upper = scatter + log(100), vanishing = character(0))
  problem$start <- scatter + log(0.1)
  problem
}

# Least share of the response's variance that is noise.
noise_floor <- 1e-4

check_deep_trend <- function(method, data) {
  if (!identical(colnames(data$X), "(Intercept)")) {
    abort_neargp("formula", c(sprintf("A fit by %s has a constant for its trend, and covariates among its coordinates.", method_call(method)),
      i = "Write `response ~ 1`, and add the covariates to `coords`.",
      i = "Of an sf object these are columns of cbind(sf::st_drop_geometry(data), sf::st_coordinates(data))."))
  }
  if (any(data$offset != 0)) {
    abort_neargp("formula", c(sprintf("A fit by %s takes no offset: nothing is known of a part of the last layer's field.", method_call(method)),
      i = "Subtract it from the response, and add it to predictions."))
  }
}

# ---- the fit ----------------------------------------------------------------------------------------------------------------------

#' @export
fit_method.neargp_deep <- function(method, problem) {
  data <- problem$data
  unit <- data$basis$unit %||% 1
  y <- response_columns(data)[, 1L]
  response <- list(center = mean(y), scale = stats::sd(y))
  inputs <- deep_input_scale(data$coords, problem$locations$embedded_names)
  weight <- mean(data$weights)
  earlier <- continued_fit(method, problem)
  seed <- method$seed %||% earlier$seed %||% sample.int(1e6L, 1L)
  x <- standardized_inputs(data$coords, inputs)
  y <- (y - response$center) / response$scale
  fitted <- deep_fit(x, y, deep_settings(method, problem, data$weights / weight, seed, earlier))
  inform_lowered(method, fitted$notes)
  state <- prediction_state(method, fitted$state, seed)
  density <- core_deep_density(state, x, y, list(weights = data$weights / weight), problem$threads)
  if (!is.null(density$failure)) abort_singular_unit(density$failure)
  constant <- last_unit(state)$constant
  list(working = log(state$noise * response$scale^2 * weight), beta = (response$center + response$scale * constant) / drop(data$basis$back),
    beta_vcov = matrix(0, 1L, 1L),
    information = NULL, value = sum(density$value) - length(y) * log(response$scale), score = "predictive log density", k = NULL,
    convergence = list(converged = NA, message = sprintf("ended after %d epochs", nrow(fitted$trace)), iterations = nrow(fitted$trace)),
    deep = c(in_response_unit(fitted, log(unit * response$scale), deep_own_settings(method)$score %||% "mixture"), list(prediction = state, inputs = inputs,
      center = base_mean(data)[1L] + unit * response$center,
      scale = unit * response$scale, seed = seed)))
}

# Log densities of a row in the unit of the response, of which a standardised one has `log_scale` too many. The robust score is none.
in_response_unit <- function(fitted, log_scale, score) {
  densities <- c(if (score != "robust") "objective", "validation")
  fitted$trace[densities] <- fitted$trace[densities] - log_scale
  if (score != "robust") fitted$validation$objective <- fitted$validation$objective - log_scale
  fitted$validation$nll <- fitted$validation$nll + log_scale
  for (table in c("restarts", "regularizations")) {
    if (!is.null(fitted$notes[[table]])) fitted$notes[[table]]$nll <- fitted$notes[[table]]$nll + log_scale
  }
  fitted
}

#' @export
complete_fit.neargp_deep <- function(method, fit, result) {
  fit$deep <- result$deep
  fit$beta_vcov[] <- NA_real_
  fit["core_covariance"] <- list(NULL)
  class(fit) <- c("neargp_deep_fit", "neargp")
  fit
}

last_unit <- function(state) state$layers[[length(state$layers)]]$units[[1L]]

deep_settings <- function(method, problem, weights, seed, earlier) {
  epochs <- 0L
  started <- proc.time()[["elapsed"]]
  report <- function(done, text) {
    epochs <<- epochs + 1L
    left <- (proc.time()[["elapsed"]] - started) * (1 - done) / done
    problem$report_bound(epochs, left, "seconds left", "epochs")
  }
  settings <- list(layers = method$layers, width = method$width, inducing = method$inducing, skip = method$skip,
    kernel = deep_kernel(method, problem$covariance), epochs = method$epochs, batch = method$batch_size,
    rate = method$learning_rate * if (is.null(earlier)) 1 else last_rate,
    restarts = method$restarts, validation = method$validation, regularization = method$regularization, seed = seed,
    start = earlier$state, held_out = earlier$validation$rows, weights = weights, threads = problem$threads, report = report, noise_floor = noise_floor)
  Filter(Negate(is.null), c(settings, deep_own_settings(method)))
}

# Settings of deep_fit() that are not those of all of these methods.
deep_own_settings <- function(method) {
  UseMethod("deep_own_settings")
}

# The share of the first rate that a fit ends with, and one that is continued begins with.
last_rate <- 0.01

# What the fit `start` has learned, where it is of the same rows (problem$warm_start) and has the same layers and sites. The rows that it
# held out stay so: it has not seen them.
continued_fit <- function(method, problem) {
  earlier <- problem$warm_start
  if (is.null(earlier$deep)) return(NULL)
  shape <- function(method) method[c("layers", "width", "inducing", "skip", "validation", names(deep_own_settings(method)))]
  alike <- identical(shape(method), shape(earlier$method)) &&
    identical(deep_kernel(method, problem$covariance), earlier$deep$state$kernel)
  if (alike) return(earlier$deep)
  inform_neargp("start", "`start` has other layers, units, sites, covariances or `validation`: the fit begins anew.")
  NULL
}

inform_lowered <- function(method, notes) {
  fewest <- min(notes$inducing)
  if (fewest >= method$inducing) return(invisible())
  inform_neargp("inducing", sprintf("inducing = %s is lowered to %s, the number of distinct locations.", format_count(method$inducing),
    format_count(fewest)))
}

# ---- standardisation --------------------------------------------------------------------------------------------------------------

# Mean, standard deviation and limits of the inputs that vary.
deep_input_scale <- function(coords, names) {
  center <- colMeans(coords)
  scale <- apply(coords, 2L, stats::sd)
  kept <- unname(scale > 1e-10 * pmax(abs(center), 1e-300))
  if (!any(kept)) abort_neargp("coordinates", "All rows are at one location, so that there is nothing to learn from where they are.")
  if (!all(kept)) {
    inform_neargp("coordinates", sprintf("Left out, since all rows have the same value: %s.", format_some(names[!kept])))
  }
  list(kept = kept, center = unname(center[kept]), scale = unname(scale[kept]), limits = apply(coords[, kept, drop = FALSE], 2L, range))
}

standardized_inputs <- function(coords, inputs) {
  coords <- unname(coords[, inputs$kept, drop = FALSE])
  sweep(sweep(coords, 2L, inputs$center), 2L, inputs$scale, "/")
}
