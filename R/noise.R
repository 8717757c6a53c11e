# Noise that differs between rows of a gaussian response: row i has the variance
#
#   v_i = s2_i + nugget * exp(z_i'gamma) / weight_i,
#
# with s2_i known (the argument `measurement_variance`, in squared units of the response) and z_i
# the covariates of `nugget = ~ z`. They are kept with the rows, as data$noise, and in fits of
# other models that is NULL. While a model is fitted the core gets all v_i anew at each value of the
# parameters, as noise in units of a nugget of 1, and their derivatives in log nugget and gamma:
# diagonal matrices, of which it takes one as it takes that in the log nugget. A fit has the weights
# nugget / v_i in the place of the user's, so that all that comes after it (predictions, folds,
# leave-one-out, draws) knows noise as nugget / weight only.
#
# Columns of z are divided by their standard deviations, and counted from their mean unless all they
# have is 0 and 1, as those of a factor: so the nugget is that of a row with numbers at their mean
# and factors at their first level. Working parameters are of these columns, natural ones of z.

new_noise <- function(known, recipe, table) {
  if (is.null(known) && is.null(recipe)) return(NULL)
  list(known = known, recipe = recipe, columns = if (!is.null(recipe)) local_design(recipe, table),
    weights = NULL)  # those of the user, where data$weights are a fit's
}

is_noise_formula <- function(nugget) rlang::is_formula(nugget)

# The argument `nugget` as a number or NULL.
numeric_nugget <- function(nugget) if (!is_noise_formula(nugget)) nugget

check_noise_formula <- function(formula) {
  if (length(formula) != 2L || "." %in% all.vars(formula)) {
    abort_argument("nugget", "NULL, a number, or a one-sided formula of covariates such as ~ depth",
      formula)
  }
  formula
}

# Formulas of covariates of rows beside the trend's.
row_formulas <- function(covariance, nugget) {
  of_covariance <- if (!is.null(covariance) && has_local_fields(covariance)) {
    as.list(local_formulas(covariance))
  }
  c(of_covariance, if (is_noise_formula(nugget)) list(noise = nugget))
}

# The noise of the rows of a model frame.
noise_of_frame <- function(nugget, frame, data, locations) {
  known <- check_measurement_variance(frame[["(measurement_variance)"]], nugget, frame)
  if (!is_noise_formula(nugget)) return(new_noise(known, NULL, NULL))
  raw <- frame[["(locations)"]]
  table <- local_table(drop_geometry(data)[frame[["(local_rows)"]], , drop = FALSE], raw, locations)
  check_columns_present(setdiff(all.vars(nugget), names(table)), data, "data", environment(nugget))
  recipe <- new_local_recipe(nugget, table, locations, "noise", attr(frame, "row.names"))
  check_local_coefficients(length(recipe$names), nrow(table))
  new_noise(known, check_noise_recipe(with_reference_levels(recipe, table), table), table)
}

# Columns of 0 and 1 are counted from 0.
with_reference_levels <- function(recipe, table) {
  columns <- sweep(local_design(recipe, table), 2L, recipe$scale, "*")
  columns <- sweep(columns, 2L, recipe$center, "+")
  is_flag <- apply(columns, 2L, function(x) all(pmin(abs(x), abs(x - 1)) < 1e-8))
  recipe$center[is_flag] <- 0
  recipe$kind <- "noise"
  recipe
}

check_noise_recipe <- function(recipe, table) {
  found <- qr(cbind(1, local_design(recipe, table)))
  if (found$rank == length(recipe$names) + 1L) return(recipe)
  abort_neargp("noise", c("The covariates of `nugget` are linearly dependent.",
    x = sprintf("Without the others, %s says nothing.",
      format_some(recipe$names[found$pivot[-seq_len(found$rank)] - 1L])),
    i = "Leave it out of the formula."))
}

check_measurement_variance <- function(known, nugget, frame) {
  if (is.null(known)) return(NULL)
  if (!is.numeric(known) || NCOL(known) > 1L) {
    abort_neargp("noise", c("`measurement_variance` must be numbers, one or one for each row.",
      x = paste0("It is ", if (NCOL(known) > 1L) "a matrix" else paste("of class",
        class(known)[1L]), ".")))
  }
  known <- as.double(known)
  bad <- which(!is.finite(known) | known < 0)
  if (length(bad)) {
    abort_neargp("noise", c(sprintf("`measurement_variance` is negative or not finite in %s.",
      format_rows(original_rows(frame, bad))),
      i = "It is the variance of a measurement's error: the square of its standard error."))
  }
  if (all(known == 0)) {
    abort_neargp("noise", c("`measurement_variance` is 0 in all rows.",
      i = "Leave it out where nothing is known of the errors."))
  }
  known
}

# ---- what cannot carry it ------------------------------------------------------------------------

# Whether a method fits noise that differs between rows by a model of its own.
takes_noise_model <- function(method) {
  UseMethod("takes_noise_model")
}

#' @export
takes_noise_model.default <- function(method) FALSE

refuse_noise <- function(what, hint) {
  abort_neargp("noise",
    c(sprintf("`nugget = ~` and `measurement_variance` are not offered %s.", what), i = hint))
}

check_noise_model <- function(settings, has_known, source) {
  if (!is_noise_formula(settings$nugget) && !has_known) return(invisible())
  method <- settings$method
  if (!is_gaussian(settings$family)) {
    refuse_noise(sprintf("for a %s response", family_call(settings$family)),
      "They are of the nugget of a gaussian response: other families have a scatter of their own.")
  }
  if (!takes_noise_model(method)) {
    refuse_noise(sprintf("by %s", method$label),
      "They are for vecchia() without inducing points, exact_gp(), loo_k(), mll_k() and svgp() without `kl_weight`.")
  }
  if (any(method$optimizer %in% c("adam", "natural"))) {
    refuse_noise(sprintf("with optimizer = \"%s\"", method$optimizer),
      "The default optimiser of the method finds them.")
  }
  if (!is.null(source)) {
    refuse_noise("for rows that are read in pieces", "Fit them to a sample of the rows in memory.")
  }
  if (identical(settings$device, "cuda")) {
    refuse_noise("on a GPU", "Use device = \"cpu\" or \"auto\".")
  }
}

check_noise_outputs <- function(noise, data) {
  if (is.null(noise) || is.null(data$output)) return(invisible())
  refuse_noise("for several outputs", "Fit the outputs one by one.")
}

# ---- parameters ----------------------------------------------------------------------------------

# Coefficients are by one standard deviation on the working scale: `covariate_scale` is what they
# are divided by on the natural one.
with_noise_layout <- function(layout, noise) {
  if (is.null(noise$recipe)) return(layout)
  rows <- layout_rows(paste0("nugget:", noise$recipe$names), "noise", "identity")
  rows$fixed <- FALSE
  layout <- rbind(layout, rows)
  layout$covariate_scale <- 1
  layout$covariate_scale[layout$kind == "noise"] <- noise$recipe$scale
  layout
}

covariate_scale <- function(layout) layout$covariate_scale %||% 1

# The noise variances of rows at `values` of the layout, in the unit of the core, and their
# derivatives, a column each: in log nugget where that is not all of the noise, and in each gamma.
row_noise <- function(data, layout, values) {
  noise <- data$noise
  estimated <- values[layout$kind == "nugget"] / data$weights
  if (!is.null(noise$columns)) {
    estimated <- estimated * exp(drop(noise$columns %*% values[layout$kind == "noise"]))
  }
  in_gamma <- estimated * (noise$columns %||% matrix(0, length(estimated), 0L))
  if (is.null(noise$known)) return(list(variance = estimated, derivatives = in_gamma))
  known <- noise$known / (data$basis$unit %||% 1)^2
  list(variance = estimated + known, derivatives = cbind(estimated, in_gamma, deparse.level = 0L))
}

# A function of the values of the parameters that returns the nugget that the core is to have, and
# where rows have noise of their own hands that to `set` before.
noise_setter <- function(data, layout, set) {
  if (is.null(data$noise)) return(function(values) nugget_of(layout, values))
  function(values) {
    set(row_noise(data, layout, values))
    1
  }
}

# Of a problem of the core.
pointer_noise <- function(pointer) {
  function(noise) core_set_noise(pointer, noise$variance, noise$derivatives)
}

# The derivatives that the core has found, in the order of the layout: with known variances that in
# the logarithm of all noise is none of them.
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

# The nugget that weights are relative to: that of the model, or where there is none the mean of the
# known variances.
nugget_unit <- function(data, layout, values) {
  nugget <- nugget_of(layout, values)
  if (is.null(data$noise$known) || nugget > 0) return(nugget)
  mean(data$noise$known) / (data$basis$unit %||% 1)^2
}

# Data whose weights say all of their noise.
with_noise_weights <- function(data, layout, values) {
  if (is.null(data$noise)) return(data)
  data$noise$weights <- data$weights
  data$weights <- nugget_unit(data, layout, values) / row_noise(data, layout, values)$variance
  data
}

# The same before the fit.
with_given_weights <- function(data) {
  if (is.null(data$noise$weights)) return(data)
  data$weights <- data$noise$weights
  data$noise["weights"] <- list(NULL)
  data
}

given_weights <- function(data) data$noise$weights %||% data$weights

# Rows of another fit with the weights that say the noise of this one.
with_noise_of <- function(object, data) {
  if (is.null(data$noise)) return(data)
  with_noise_weights(with_given_weights(data), object$layout,
    to_core(object$parameters$working, object$layout$transform))
}

take_noise_rows <- function(noise, rows) {
  for (name in c("known", "weights")) noise[name] <- list(noise[[name]][rows])
  if (!is.null(noise$columns)) noise$columns <- noise$columns[rows, , drop = FALSE]
  noise
}

# The nugget as a parameter of the model: that of fit$nugget but where all noise is known.
nugget_estimate <- function(object) {
  if (is.null(object$data$noise)) return(object$nugget)
  object$parameters$estimate[object$layout$kind == "nugget"]
}
