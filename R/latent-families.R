# The latent models of vnngp() and svgp() share one thing: without Gaussian noise there is no
# nugget, and the parameters of the family are estimated with those of the covariance.

# All of R/response-families.R, as family objects are named. `kinks`: also those with a kink in the
# log density. Only methods that need no more than its expectations fit them.
latent_families <- function(kinks = FALSE) {
  able <- Filter(function(entry) kinks || !isTRUE(entry$kink), response_families)
  names <- sub("^(binomial|ordinal)_.*", "\\1", names(able))
  unique(replace(names, names == "gamma", "Gamma"))
}

refuse_nugget <- function(nugget, family) {
  if (is.null(nugget)) return(invisible())
  abort_argument("nugget", sprintf("NULL for %s response, whose family says how it scatters",
    with_article(family)), nugget)
}

latent_layout <- function(layout, settings) {
  family <- settings$family
  refuse_nugget(settings$nugget, family)
  layout[layout$kind == "nugget", c("value", "fixed")] <- list(0, TRUE)
  if (is_categorical(family)) class_layout(layout, family) else with_family_parameters(layout,
    family)
}

# Which field is the largest does not depend on their scale: under robust-max the variance of the
# first component is their unit.
class_layout <- function(layout, family) {
  unit <- which(layout$kind == "variance" & !layout$fixed)[1L]
  if (family$link == "robust-max" && !is.na(unit) &&
      !any(layout$kind == "variance" & layout$fixed)) {
    layout[unit, c("value", "fixed")] <- list(1, TRUE)
  }
  layout
}

# Adds the parameters of the response's family, fixed where its constructor fixed them.
with_family_parameters <- function(layout, family) {
  known <- family_parameters(family)
  if (!nrow(known)) return(layout)
  own <- layout_rows(known$name, "family", "log", value = known$fixed)
  own$fixed <- !is.na(own$value)
  with_further_rows(layout, own)
}

# Parameters of the family on the natural scale, in the order of the core; for a gaussian() response
# that is the nugget.
family_values <- function(family, layout, values) values[of_family(family, layout)]

# The parameters of the family by name, on the natural scale; `values`: of the layout.
named_family_values <- function(family, layout, values) {
  own <- of_family(family, layout)
  stats::setNames((values / covariate_scale(layout))[own],
    ifelse(layout$kind == "nugget", "variance", layout$name)[own])
}

of_family <- function(family, layout) {
  layout$kind == if (is_gaussian(family)) "nugget" else "family"
}

# Joins the core's two gradients to one in the working parameters.
layout_gradient <- function(layout, values, d_covariance, d_likelihood) {
  gradient <- double(length(values))
  gradient[!layout$kind %in% c("family", effect_kinds)] <- d_covariance
  of_family <- if (any(layout$kind == "family")) layout$kind == "family" else layout$kind ==
    "nugget" & !(layout$fixed & layout$value %in% 0)
  gradient[of_family] <- d_likelihood
  core_to_working_slope(layout, values) * gradient
}

# Adds the parameters of the family to a fit. Its tables show only parameters that the model has.
with_family_values <- function(fit, working) {
  values <- to_core(working, fit$layout$transform)
  own <- of_family(fit$family, fit$layout)
  is_nugget <- fit$layout$kind == "nugget"
  fit$family_parameters <- named_family_values(fit$family, fit$layout, values)
  if (any(own & is_nugget)) return(fit)
  fit$nugget <- NA_real_
  shown <- !is_nugget
  fit[c("layout", "parameters")] <- lapply(fit[c("layout", "parameters")],
    function(table) table[shown, ])
  square <- c("covariance_vcov", "interval_vcov", "information")
  fit[square] <- lapply(fit[square], function(matrix) matrix[shown, shown, drop = FALSE])
  fit
}
