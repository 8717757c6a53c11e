#' Penalised-complexity (PC) priors
#'
#' @description
#' Priors that shrink towards long ranges, small standard deviations and smooth processes.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   prior = pc_priors(range = c(50, 0.05), sd = c(300, 0.05)))
#' ```
#'
#' @details
#' Each prior consists of a limit and a probability. For example, `range = c(0.05, 0.01)` means that
#' a range is below 0.05 with probability 0.01, and `sd = c(2, 0.05)` that the standard deviation is
#' above 2 with probability 0.05. Range and standard deviation receive the joint prior of Fuglstad
#' et al. (2019). The noise's standard deviation and `1 / nu` are exponential.
#'
#' With few locations or a small area, range and variance are poorly identified, and a prior can
#' keep the estimates finite. The fit maximises the log posterior of the parameters' logarithms, as
#' in INLA. `logLik()` excludes the prior. INLA's range is `sqrt(8 * nu)` times ours. With
#' anisotropy, the prior is that of the geometric mean of the ranges.
#'
#' @param range,sd,nugget_sd,smoothness `c(bound, probability)`: ranges in space and smoothness fall
#'   below it, and standard deviations of process and noise above it. Units are those of the
#'   coordinates or response. Default `NULL`: flat on the log scale.
#' @param ... priors by names of [coef()], which take precedence. For example, `range_time = c(1,
#'   0.05)`, or `variance_2 = c(1, 0.05)` for the standard deviation of the second component.
#' @return A list of class `neargp_prior` for the argument `prior` of [neargp()].
#' @references Fuglstad, G.-A., Simpson, D., Lindgren, F. and Rue, H. (2019). Constructing priors
#'   that penalize the complexity of Gaussian random fields. *JASA* 114, 445–452. Simpson, D. et al.
#'   (2017). Penalising model component complexity. *Statistical Science* 32, 1–28.
#' @seealso [integrated_parameters]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()[1:40, ]
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326)
#' with_prior <- update(fit, prior = pc_priors(range = c(50, 0.05), sd = c(200, 0.05)))
#' rbind(without = coef(fit, what = "covariance"), with = coef(with_prior, what = "covariance"))
#' @export
pc_priors <- function(range = NULL, sd = NULL, nugget_sd = NULL, smoothness = NULL, ...) {
  named <- rlang::list2(...)
  if (length(named) && (!rlang::is_named(named) || anyDuplicated(names(named)))) {
    abort_argument("...", "priors with the names of parameters, such as range_time = c(1, 0.05)",
      named)
  }
  check_prior_names(names(named))
  given <- c(list(range = range, sd = sd, nugget_sd = nugget_sd, smoothness = smoothness), named)
  given <- Filter(Negate(is.null), given)
  for (name in names(given)) check_prior_numbers(given[[name]], name)
  if (!length(given)) {
    abort_neargp("argument", c("The prior is empty.",
      i = "Give one or more: pc_priors(range = c(0.05, 0.05), sd = c(2, 0.05))."))
  }
  structure(lapply(given, as.double), class = "neargp_prior")
}

# Parameters whose names begin with none of these do not support a prior.
check_prior_names <- function(names) {
  unknown <- grep("^(variance|range|nugget|smoothness|power|shape|anisotropy)(_.+)?$", names,
    invert = TRUE, value = TRUE)
  if (!length(unknown)) return(invisible())
  arguments <- c("range", "sd", "nugget_sd", "smoothness")
  meant <- nearest_name(unknown[1L], arguments)
  abort_neargp("argument", c(sprintf("`%s` is not a parameter with a prior.", unknown[1L]),
    i = if (length(meant)) sprintf("Did you mean `%s`?", meant) else
      sprintf("Priors are available for %s, and for single parameters by their names in coef(), such as range_time.",
        format_some(arguments))))
}

check_prior_numbers <- function(x, name) {
  if (is.numeric(x) && length(x) == 2L && all(is.finite(x)) && all(x > 0) && x[2L] < 1) {
    return(invisible())
  }
  wanted <- "c(bound, probability), a positive number and one between 0 and 1"
  if (!is.numeric(x) || length(x) != 2L || anyNA(x)) abort_argument(name, wanted, x)
  wrong <- if (!is.finite(x[1L]) || x[1L] <= 0) "bound, the first number, must be positive" else
    "probability, the second number, must be between 0 and 1"
  abort_neargp("argument", c(sprintf("`%s` must be %s.", name, wanted),
    x = sprintf("The %s, and is %s.", wrong, format(x[if (grepl("^b", wrong)) 1L else 2L]))))
}

#' @export
print.neargp_prior <- function(x, ...) {
  cat("Penalised-complexity priors\n", sprintf("  %s\n", describe_prior(x)), sep = "")
  invisible(x)
}

# "P(range < 0.05) = 0.05"
describe_prior <- function(prior) {
  vapply(names(prior), function(name) {
    sprintf("P(%s %s %s) = %s", sub("^(variance.*)$", "sqrt(\\1)", name),
      if (grepl("^(range|smoothness)", name)) "<" else ">", format(prior[[name]][1L]),
      format(prior[[name]][2L]))
  }, "", USE.NAMES = FALSE)
}

prior_lines <- function(fit) {
  if (is.null(fit$prior)) return(NULL)
  paste0("Priors as a penalty (?pc_priors): ", paste(describe_prior(fit$prior), collapse = ", "))
}

# ---- densities -----------------------------------------------------------------------------------

# All of these priors are an exponential distribution, with some rate, of a power a of the
# parameter: -d/2 of ranges, 1/2 of variances, -1 of the smoothness. The log density of its
# logarithm x is
#     log(|a| rate) + a x - rate exp(a x).
# A value is beyond the limit b, below it for negative a, with probability exp(-rate b^a).

prior_log_density <- function(layout, working) {
  given <- layout$prior_rate > 0
  a <- layout$prior_power[given]
  rate <- layout$prior_rate[given]
  x <- a * working[given]
  sum(log(abs(a) * rate) + x - rate * exp(x))
}

prior_slope <- function(layout, working) {
  a <- layout$prior_power
  ifelse(layout$prior_rate > 0, a - a * layout$prior_rate * exp(a * working), 0)
}

# Minus the second derivatives.
prior_curvature <- function(layout, working) {
  ifelse(layout$prior_rate > 0, layout$prior_power^2 * layout$prior_rate *
    exp(layout$prior_power * working), 0)
}

# Precisions of the priors, at least those of the whole distribution: pi^2 / 6 is the variance of
# the logarithm of an exponential variable.
prior_precision <- function(layout, working) {
  if (!has_prior(layout)) return(layout$penalty)
  of_logarithm <- ifelse(layout$prior_rate > 0, 6 * layout$prior_power^2 / pi^2, 0)
  layout$penalty + pmax(prior_curvature(layout, working), of_logarithm)
}

# ---- the layout ----------------------------------------------------------------------------------

# Adds power and rate of each parameter's prior, a rate of 0 for none.
with_priors <- function(layout, prior, covariance, locations) {
  if (any(layout$kind == "loading")) {
    abort_prior("Several responses do not support priors: their loadings can be negative.")
  }
  general <- prior_names(layout, covariance, locations)
  row_prior <- ifelse(layout$name %in% names(prior), layout$name, general)
  has_none <- is.na(general) & layout$kind != "range"
  row_prior[!is_estimated(layout) | !row_prior %in% names(prior) | has_none] <- NA
  idle <- setdiff(names(prior), row_prior)
  if (length(idle)) {
    abort_prior(sprintf("The prior of `%s` does not match an estimated parameter.", idle[1L]),
      sprintf("Estimated are %s.", format_some(layout$name[!layout$fixed], 12L)))
  }
  layout$prior_power <- prior_powers(layout, covariance, locations)
  layout$prior_rate <- rep(0, nrow(layout))
  for (row in which(!is.na(row_prior))) {
    given <- prior[[row_prior[row]]]
    layout$prior_rate[row] <- -log(given[2L]) / prior_base(layout, row, given[1L])^
      layout$prior_power[row]
  }
  layout
}

# Bounds of variances are given as standard deviations.
prior_base <- function(layout, row, bound) {
  scale <- rep_len(covariate_scale(layout), nrow(layout))[row]
  if (layout$kind[row] %in% c("variance", "nugget")) bound^2 * scale else bound
}

# The name in pc_priors() for each parameter. For ranges in time it is "range_time". For ranges of
# factors it is "range_<factor>", which serves all components.
prior_names <- function(layout, covariance, locations) {
  name <- c(variance = "sd", range = "range", nugget = "nugget_sd",
    shape = "smoothness")[layout$kind]
  # time is last, but for the range of a replicate
  group <- replace(layout$group, rows_of_levels(layout, covariance, locations, "replicate"), NA)
  last_group <- stats::ave(group, layout$component, FUN = function(x) max(x, 0L, na.rm = TRUE))
  in_time <- which(!is.null(locations$time) & layout$kind == "range" & group == last_group)
  for (row in rows_of_levels(layout, covariance, locations)) {
    groups <- range_groups(covariance$components[[layout$component[row]]], locations)
    name[row] <- groups$names[layout$group[row]]
  }
  other_shape <- layout$kind == "shape" & !grepl("^smoothness", layout$name)
  name[in_time] <- "range_time"
  unname(replace(name, other_shape, NA))
}

# Rows of the layout with ranges of factors of these kinds.
rows_of_levels <- function(layout, covariance, locations, kinds = level_kinds) {
  Filter(function(row) {
    group <- range_groups(covariance$components[[layout$component[row]]], locations)$group
    block <- locations$block[match(layout$group[row], group)]
    locations$kind[block] %in% kinds
  }, if (has_factors(locations)) which(layout$kind == "range"))
}

prior_powers <- function(layout, covariance, locations) {
  power <- unname(c(variance = 0.5, nugget = 0.5, shape = -1, effect_sd = 1)[layout$kind])
  for (row in which(layout$kind == "range")) {
    group <- range_groups(covariance$components[[layout$component[row]]], locations)$group
    coordinates <- sum(group == layout$group[row], na.rm = TRUE)
    on_sphere <- locations$metric == "longlat" && layout$group[row] == 1L
    power[row] <- -(if (on_sphere) 2 else coordinates) / 2
  }
  # the corners of a simplex are no space that a field fills
  power[rows_of_levels(layout, covariance, locations)] <- -0.5
  power
}

# ---- what cannot carry them ----------------------------------------------------------------------

abort_prior <- function(message, hint = NULL) abort_neargp("prior", c(message, i = hint))

# The objectives that carry the ridge of local fields carry priors.
check_prior <- function(settings, source) {
  if (is.null(settings$prior)) return(invisible())
  check_class(settings$prior, "prior", "neargp_prior", "made by pc_priors()")
  method <- settings$method
  able <- sprintf("They are for %s.", able_methods("local_fields"))
  if (!has_ability(method, "local_fields", stats::gaussian())) {
    abort_prior(sprintf("Priors are not supported by %s.", method$label), able)
  }
  if (has_latent_low_rank(method) || !is.null(method$inducing)) {
    abort_prior("Priors are not supported with inducing points.", "Leave `prior` out.")
  }
  if (identical(method$optimizer, "adam")) {
    abort_prior("Priors are not supported with optimizer = \"adam\".",
      "Use the default optimiser of the method.")
  }
  if (!is.null(source)) {
    abort_prior("Priors are not supported for rows that are read in pieces.",
      "Fit them to a sample of the rows in memory.")
  }
}

# Family and method of classes are known with the response only.
check_prior_family <- function(settings) {
  if (is.null(settings$prior) || has_ability(settings$method, "local_fields", settings$family)) {
    return(invisible())
  }
  abort_prior(sprintf("Priors are not supported by %s for %s response.",
    method_call(settings$method), with_article(settings$family)), "Use vnngp().")
}
