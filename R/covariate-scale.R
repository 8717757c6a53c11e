# Parameters whose unit is that of a covariate. The core uses a unit of its own for them.

# Adds rows of parameters. Without a `covariate_scale` their values are the same on the natural
# scale and the core's.
with_further_rows <- function(layout, rows, covariate_scale = NULL) {
  if (!is.null(layout$covariate_scale) || !is.null(covariate_scale)) {
    layout$covariate_scale <- layout$covariate_scale %||% 1
    rows$covariate_scale <- rep_len(covariate_scale %||% 1, nrow(rows))
  }
  rbind(layout, rows)
}

# The divisors that turn values on the core's scale into natural ones. In the core, coefficients of
# the noise are for one standard deviation of their covariate. Variances of components with a column
# are for the root mean square of the column.
covariate_scale <- function(layout) layout$covariate_scale %||% 1

# The variance of a component with a column. Users give and see it where the column is 1, and the
# core uses it at the column's root mean square.
with_column_scales <- function(layout, covariance, locations) {
  for (recipe in recipes_of(locations, layout$component, "by")) {
    layout <- with_column_scale(layout, recipe$component, recipe$scale)
  }
  for (component in which(vapply(covariance$components, is_linear, NA))) {
    layout <- with_column_scale(layout, component, locations$linear$scale)
  }
  layout
}

with_column_scale <- function(layout, component, scale) {
  row <- component_rows(layout, component, "variance")
  layout$covariate_scale <- covariate_scale(layout)
  layout$covariate_scale[row] <- scale^2
  layout[row, c("value", "start")] <- layout[row, c("value", "start")] * scale^2
  layout
}

# Whether rows of the layout are coefficients of a parameter of the family (R/family-rows.R).
is_parameter_slope <- function(layout) layout$kind == "family" & layout$transform == "identity"

# Whether the values of parameters may be negative for users.
may_be_negative <- function(layout) {
  layout$kind %in% c("loading", "noise", "effect_cor", local_kinds) | is_angle(layout) |
    is_parameter_slope(layout)
}
