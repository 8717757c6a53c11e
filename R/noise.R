#' Heteroscedastic noise
#'
#' @description
#' `nugget = ~ z` and `measurement_variance` of [neargp()] model a noise variance that differs
#' between observations.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   nugget = ~ elevation)
#' ```
#'
#' @details
#' Observation `i` of a Gaussian response uses the noise variance `s2[i] + nugget * exp(z[i] gamma)
#' / weights[i]`.
#'
#' * `measurement_variance = s2` is known, such as a squared standard error. The nugget is estimated
#'   in addition, unless you give `nugget = 0`.
#' * `nugget = ~ z` is log-linear. The coefficient `nugget:z` is the change of the log variance per
#'   unit of `z`. `nugget` is the variance at the mean of numbers and at the first level of factors.
#'   Coefficients are limited to 5 per standard deviation.
#' * `weights` apply to the nugget alone.
#'
#' Supported by [vecchia()] without inducing points, [exact_gp()], [loo_k()], [mll_k()] and [svgp()]
#' with all observations, for one Gaussian response on the CPU. Do not combine it with `sd = ~ z` of
#' a process with a short range, which looks the same.
#'
#' New observations use the `z` and `measurement_variance` of `newdata`. Without the latter they
#' carry no such error, and a message says so. `type = "link"` needs neither.
#' @references Harvey, A. C. (1976). Estimating regression models with multiplicative
#'   heteroscedasticity. *Econometrica* 44, 461-465.
#' @return This page describes an argument, and no function. [neargp()] returns a fit of class
#'   `neargp`.
#' @seealso [neargp()]; [family_formula()] for other families; [recalibrate()] and [ppgpr()] for
#'   intervals without a covariate for the noise.
#' @examples
#' # Old instruments are noisier than new ones
#' set.seed(1)
#' stations <- data.frame(x = runif(300), y = runif(300), kind = rep(c("new", "old"), 150))
#' sd <- sqrt(0.1^2 + ifelse(stations$kind == "old", 0.6, 0.2)^2)
#' stations$temp <- 10 + sin(5 * stations$x) + cos(4 * stations$y) + rnorm(300, sd = sd)
#' fit <- neargp(temp ~ 1, stations, coords = ~ x + y, method = vecchia(k = 15),
#'   nugget = ~ kind, measurement_variance = 0.1^2)
#' # 2 log(0.6 / 0.2) = 2.2
#' confint(fit, "nugget:kindold", what = "covariance")
#' predict(fit, data.frame(x = 0.5, y = 0.5, kind = c("new", "old")), interval = "prediction")
#' @name noise
NULL

# Noise that differs between rows of a Gaussian response. The noise variance of row i is
#
#     v_i = s2_i + nugget * exp(z_i'gamma) / weight_i.
#
# Here s2_i is known (the argument `measurement_variance`, in squared units of the response), and
# z_i are the covariates of `nugget = ~ z`. Both are kept with the rows as data$noise, which is NULL
# in fits of other models.
# While a model is fitted, the core receives all v_i again at each value of the parameters, as noise
# in units of a nugget of 1. It also receives their derivatives in log nugget and gamma: diagonal
# matrices, which it uses like the derivative in the log nugget. A fit keeps the weights nugget /
# v_i in place of the user's. All later code (predictions, folds, leave-one-out, draws) therefore
# sees noise as nugget / weight only.
#
# Columns of z are divided by their standard deviations. They are counted from their mean, except
# columns of 0 and 1 only, as those of a factor. The nugget is therefore that of a row with numbers
# at their mean and factors at their first level. Working parameters are of these columns, natural
# ones of z.

new_noise <- function(known, model) {
  if (is.null(known) && is.null(model)) return(NULL)
  list(known = known, recipe = model$recipe, columns = model$columns,
    weights = NULL)  # those of the user, where data$weights are a fit's
}

is_noise_formula <- function(nugget) rlang::is_formula(nugget)

# The argument `nugget` as a number or NULL.
numeric_nugget <- function(nugget) if (!is_noise_formula(nugget)) nugget

# Formulas of covariates of rows next to the trend's.
row_formulas <- function(covariance, nugget) {
  of_covariance <- if (!is.null(covariance) && has_local_fields(covariance)) {
    as.list(local_formulas(covariance))
  }
  c(of_covariance, if (is_noise_formula(nugget)) list(noise = nugget))
}

# Formulas of family parameters in words: "size ~ gear, zi ~ depth". `formulas`: by the names of the
# parameters.
formulas_in_words <- function(formulas) {
  terms <- vapply(formulas, function(formula) deparse1(formula[[2L]]), "")
  paste(names(formulas), "~", terms, collapse = ", ")
}

# The noise of the rows of a model frame.
noise_of_frame <- function(nugget, frame, data, locations) {
  known <- check_measurement_variance(frame[["(measurement_variance)"]], frame)
  new_noise(known, if (is_noise_formula(nugget))
    new_row_model(nugget, frame, data, locations, "`nugget`", "noise"))
}

# A log-linear model of rows: its `recipe`, and the `columns` of the rows of a model frame. `what`:
# its name in messages.
new_row_model <- function(formula, frame, data, locations, what, class) {
  raw <- frame[["(locations)"]]
  table <- local_table(drop_geometry(data)[frame[["(local_rows)"]], , drop = FALSE], raw, locations)
  check_columns_present(setdiff(all.vars(formula), names(table)), data, "data",
    environment(formula))
  recipe <- new_local_recipe(formula, table, locations, what, attr(frame, "row.names"))
  check_local_coefficients(length(recipe$names), nrow(table))
  recipe <- with_reference_levels(recipe, table)
  recipe$kind <- class
  check_row_recipe(recipe, table, what, class)
  list(recipe = recipe, columns = local_design(recipe, table))
}

# Columns of 0 and 1 are counted from 0.
with_reference_levels <- function(recipe, table) {
  columns <- sweep(local_design(recipe, table), 2L, recipe$scale, "*")
  columns <- sweep(columns, 2L, recipe$center, "+")
  is_flag <- apply(columns, 2L, function(x) all(pmin(abs(x), abs(x - 1)) < 1e-8))
  recipe$center[is_flag] <- 0
  recipe
}

# The variance of each row's noise.
noise_of_rows <- function(object, data = object$data) {
  unname(object$nugget)[data$output %||% 1L] / data$weights
}

# ---- parameters ----------------------------------------------------------------------------------

# Coefficients count per standard deviation on the working scale.
with_noise_layout <- function(layout, noise) {
  if (is.null(noise$recipe)) return(layout)
  rows <- layout_rows(paste0("nugget:", noise$recipe$names), "noise", "identity")
  rows$fixed <- FALSE
  with_further_rows(layout, rows, noise$recipe$scale)
}

# The noise variances of rows at `values` of the layout, in the unit of the core, and their
# derivatives, a column each. These are in log nugget, where that is not all of the noise, and in
# each gamma.
row_noise <- function(data, layout, values) {
  noise <- data$noise
  estimated <- values[layout$kind == "nugget"] / data$weights
  if (!is.null(noise$columns)) {
    estimated <- estimated * exp(drop(noise$columns %*% values[layout$kind == "noise"]))
  }
  in_gamma <- estimated * (noise$columns %||% matrix(0, length(estimated), 0L))
  if (is.null(noise$known)) return(list(variance = estimated, derivatives = in_gamma))
  list(variance = estimated + known_noise(data),
    derivatives = cbind(estimated, in_gamma, deparse.level = 0L))
}

# The known variances, in the unit of the core.
known_noise <- function(data) data$noise$known / (data$basis$unit %||% 1)^2

# A function of the values of the parameters that returns the nugget for the core. Where the noise
# differs between rows, it first hands the noise of the rows to `set`.
noise_setter <- function(data, layout, set) {
  force(set) # a promise would keep all that its caller has
  if (is.null(data$noise)) return(one_noise(layout))
  rows <- rows_with_noise(data)
  function(values) {
    set(row_noise(rows, layout, values))
    1
  }
}

one_noise <- function(layout) {
  force(layout)
  function(values) nugget_of(layout, values)
}

# The function that sets the noise of a problem of the core, and `columns` where these follow it.
pointer_noise <- function(pointer) {
  force(pointer)
  function(noise) {
    core_set_noise(pointer, noise$variance, noise$derivatives)
    if (!is.null(noise$columns)) core_set_values(pointer, noise$columns)
  }
}

# The derivatives that the core has found, in the order of the layout. With known variances, the
# derivative in the logarithm of all noise is not among them.
in_layout_order <- function(found, data, layout) {
  if (is.null(data$noise$known)) return(found)
  all_noise <- which(layout$kind == "nugget")
  for (name in intersect(c("d_log_det", "gradient"), names(found))) {
    found[[name]] <- found[[name]][-all_noise]
  }
  if (!is.null(found$d_gram)) found$d_gram <- found$d_gram[, , -all_noise, drop = FALSE]
  if (!is.null(found$information)) {
    found$information <- found$information[-all_noise, -all_noise, drop = FALSE]
  }
  found
}

# ---- fits ----------------------------------------------------------------------------------------

# The nugget that weights are relative to. It is that of the model, or without one the mean of the
# known variances. If these are 0 any number will do, since all weights are infinite.
nugget_unit <- function(data, layout, values) {
  nugget <- nugget_of(layout, values)
  if (is.null(data$noise$known) || nugget > 0) return(nugget)
  known <- mean(known_noise(rows_with_noise(data)))
  if (known > 0) known else 1
}

# The observations with the noise of `data`.
rows_with_noise <- function(data) if (is_moving(data$within)) data$within$rows else data

# Whether the noise of `data` depends on parameters that are not known yet.
has_noise_model <- function(data) !is.null(data$noise) && is.null(data$noise$weights)

# Data in which weights contain the noise, as with_noise_weights() returns them, from weights that
# are known already.
with_given_weights <- function(data) {
  if (is.null(data$noise$weights)) return(data)
  data$weights <- data$noise$weights
  data$noise["weights"] <- list(NULL)
  data
}

given_weights <- function(data) data$noise$weights %||% data$weights

# The weight of a new observation whose noise is the nugget alone; NULL where it is 1.
reference_weight <- function(object) {
  if (!is.null(object$data$noise)) object$nugget / nugget_estimate(object)
}

# The nugget as a parameter of the model: that of fit$nugget but where all noise is known.
nugget_estimate <- function(object) {
  if (is.null(object$data$noise)) return(object$nugget)
  object$parameters$estimate[object$layout$kind == "nugget"]
}
