# A nugget that is a fixed multiple of the variance, `fixed = c(nugget_ratio = 0.1)`. Its row of the
# layout is tied: the transform is "ratio", and the working parameter is the logarithm of nugget /
# variance, which no search moves. The variance is the first row. The core differentiates in both
# logarithms. A step of log variance moves both:
#
#     d l / d log variance = l_variance + l_nugget,     the information being J' I J
#
# with J = I + e_nugget e_variance'.

ratio_name <- "nugget_ratio"

# ---- checks --------------------------------------------------------------------------------------

check_can_fix_ratio <- function(settings) {
  if (!ratio_name %in% names(settings$fixed)) return(invisible())
  check_positive_fixed(settings$fixed[ratio_name])
  method <- settings$method
  if (identical(method$condition, "field")) {
    refuse_ratio("by vecchia() that conditions on the process", "Use condition = \"responses\".")
  }
  if (!has_ability(method, "nugget_ratio", settings$family)) {
    refuse_ratio(sprintf("for %s response by %s", with_article(settings$family),
      method_call(method)), sprintf("It is available for %s.", able_methods("nugget_ratio")))
  }
  if (!is.null(settings$covariance) && has_no_process(settings$covariance)) {
    refuse_ratio("with cov_none()")
  }
}

refuse_ratio <- function(where, hint = "Fix `nugget` or `variance` at numbers.") {
  abort_neargp("argument", c(sprintf("`fixed` does not support nugget_ratio %s.", where), i = hint))
}

# ---- the layout ----------------------------------------------------------------------------------

# With a variance that is fixed as well, the nugget is a number.
with_nugget_of_ratio <- function(fixed, layout) {
  if (!ratio_name %in% names(fixed)) return(fixed)
  if ("nugget" %in% names(fixed)) refuse_fixed_twice("nugget", "nugget_ratio")
  given <- "variance" %in% names(fixed)
  variance <- if (given) fixed["variance"] else layout$value[layout$name == "variance"]
  if (!length(variance) || is.na(variance)) return(fixed)
  nugget <- unname(fixed[ratio_name] * variance)
  c(fixed[names(fixed) != ratio_name], nugget = nugget)
}

with_tied_nugget <- function(layout, fixed) {
  if (!ratio_name %in% names(fixed)) return(layout)
  if (any(layout$kind %in% effect_kinds)) refuse_ratio("with random effects or smooths")
  if (sum(layout$kind == "variance") != 1L) {
    refuse_ratio("with a sum of covariances", "Use one covariance, or fix `nugget` at a number.")
  }
  nugget <- layout$kind == "nugget"
  if (layout$fixed[nugget]) refuse_fixed_twice("nugget", "its argument")
  layout$ratio <- replace(rep(NA_real_, nrow(layout)), nugget, fixed[ratio_name])
  layout$transform[nugget] <- "ratio"
  layout
}

# ---- the search ----------------------------------------------------------------------------------

# Other starting values for the nugget are of no use.
at_fixed_ratio <- function(working, layout) {
  if (!any(is_tied(layout))) return(working)
  replace(working, is_tied(layout), log(fixed_ratio(layout)))
}

# The share of the noise in the variance of a row of middling weight; NULL where it is not known.
tied_share <- function(layout, noise_scale) {
  if (!any(is_tied(layout))) return(NULL)
  noise <- fixed_ratio(layout) * noise_scale
  noise / (1 + noise)
}

# The objective whose derivatives in the variance include those of the tied nugget.
with_tied_slopes <- function(objective, layout) {
  nugget <- which(is_tied(layout))
  if (!length(nugget)) return(objective)
  fold <- function(gradient) replace(gradient, 1L, gradient[1L] + gradient[nugget])
  evaluate <- objective$evaluate
  slope <- objective$gradient
  jacobian <- diag(nrow(layout))
  jacobian[nugget, 1L] <- 1
  objective$evaluate <- function(...) {
    state <- evaluate(...)
    if (!is.null(state$gradient)) state$gradient <- fold(state$gradient)
    if (!is.null(state$information)) {
      state$information <- crossprod(jacobian, state$information %*% jacobian)
    }
    state
  }
  objective$gradient <- function(...) fold(slope(...))
  objective
}
