# Local fields in print() and summary() of a fit.

# bumps1, or bumps(x, 4)1 of several bases (local_coefficient_names()).
is_bump <- function(names) grepl("^bumps(\\(.*\\))?[0-9]+", names)

is_bump_coefficient <- function(layout) {
  layout$kind %in% local_kinds & is_bump(sub("^(log_sd|log_range|log_slope|warp[0-9]+):", "",
    layout$name))
}

# Coefficients of bumps say nothing one by one, nor do those of more than a few terms of a warp:
# they are left to summary().
printed_covariance <- function(fit, few = 4L) {
  estimates <- stats::coef(fit, what = "covariance")
  warped <- fit$layout$kind %in% warp_kinds
  hidden <- is_bump_coefficient(fit$layout) | (warped & sum(warped) > few) |
    fit$layout$kind %in% effect_kinds
  estimates[!names(estimates) %in% c(fit$layout$name[hidden], titled_shapes(fit))]
}

# Ranges as a table, by their size in standard deviations of their coordinates, which depends on no
# unit. NULL for a few, and for the ranges of several components.
printed_ranges <- function(fit, few = 4L) {
  own <- which(fit$layout$kind == "range")
  if (length(own) <= few || length(unique(fit$layout$component[own])) > 1L) return(NULL)
  estimate <- fit$parameters$estimate[own]
  in_sd <- estimate / scales_of_ranges(fit, own)
  table <- data.frame(name = fit$layout$name[own],
    coordinate = sub("^range_?", "", fit$layout$name[own]), range = estimate, in_sd = in_sd)
  table[order(if (anyNA(in_sd)) estimate else in_sd), ]
}

# Standard deviations of the coordinates of each range, NA where the rows are not there.
scales_of_ranges <- function(fit, own) {
  coords <- fit$data$coords
  if (is_streamed(fit) || is.null(coords) || has_factors(fit$locations)) {
    return(rep(NA_real_, length(own)))
  }
  group <- fit$core_covariance$components[[fit$layout$component[own[1L]]]]$group
  unname(group_scales(coords, group))[fit$layout$group[own]]
}

local_remarks <- function(fit) {
  if (!is_local(fit)) return(NULL)
  fields <- unique(lapply(fit$locations$local, function(recipe) list(component = recipe$component,
    kind = recipe$kind)))
  fields <- Filter(function(field) !field$kind %in% c(warp_kinds, "by"), fields)
  fields <- fields[order(vapply(fields, `[[`, 0L, "component"), vapply(fields, `[[`, "", "kind"))]
  c(if (length(fields))
    "Variance and range are those where the covariates of local sd and range are at their mean.",
    vapply(fields, local_span, "", fit), warp_spans(fit), local_penalty_lines(fit),
    if (has_varying_coefficients(fit)) varying_lines(fit))
}

# "further coordinate 1: spans 310 km over the rows, 12 ranges", "depth: slopes 0.2 to 3 by a
# monotone warp"
warp_spans <- function(fit) {
  several <- length(fit$covariance$components) > 1L
  unlist(lapply(which(vapply(fit$covariance$components,
    function(x) any(warp_kinds %in% names(x$local)), NA)), function(component) {
      of <- if (several) sprintf(" of component %d", component) else ""
      values <- warped_at(fit, fit$data$coords, component)
      is_monotone <- vapply(values, function(warp) warp$kind == "monotone", NA)
      c(vapply(values[is_monotone], monotone_span, "", of),
        further_spans(values[!is_monotone], fit, component, of))
    }))
}

monotone_span <- function(warp, of) {
  slopes <- vapply(range(exp(warp$log_slopes)), format_three_digits, "")
  sprintf("%s%s: slopes %s to %s by a monotone warp", warp$name, of, slopes[1L], slopes[2L])
}

# Rows at a distance of 0.01 ranges are correlated by almost 1: such coordinates change nothing.
further_spans <- function(values, fit, component, of, least = 0.01) {
  unit <- range_units(fit$layout$name[component_rows(fit$layout, component, "range")[1L]],
    fit$locations)
  spans <- vapply(values, function(warp) diff(range(warp$value)), 0)
  ranges <- spans / first_range(fit, component)
  unused <- ranges < least
  numbers <- sub("warp", "", vapply(values, `[[`, "", "name"), fixed = TRUE)
  shown <- function(x) vapply(x, format_three_digits, "")
  c(sprintf("Further coordinate %s%s: spans %s%s over the rows, %s ranges", numbers[!unused], of,
    shown(spans[!unused]), if (nzchar(unit)) paste0(" ", unit) else "", shown(ranges[!unused])),
    if (any(unused)) sprintf("Further %s %s%s: not used, kept at 0 by the penalty; %s",
      if (sum(unused) == 1L) "coordinate" else "coordinates", format_some(numbers[unused]), of,
      if (all(unused)) "use a smaller basis, or no expand()" else "use a smaller q or basis"))
}

# "local range: 2.04 to 236 km over the rows (median 6.21)"
local_span <- function(field, fit) {
  is_range <- field$kind == "log_range"
  logarithm <- local_logarithm(fit, fit$data$coords, field$component, field$kind)
  shown <- vapply(exp(c(range(logarithm$value), stats::median(logarithm$value))),
    format_three_digits, "")
  unit <- if (is_range) local_range_unit(fit, field$component) else ""
  sprintf("Local %s%s: %s to %s%s over the rows (median %s)", if (is_range) "range" else "sd",
    if (length(fit$covariance$components) > 1L) sprintf(" of component %d", field$component) else
    "", shown[1L], shown[2L], if (nzchar(unit)) paste0(" ", unit) else "", shown[3L])
}

format_three_digits <- function(value) format(signif(value, 3L), digits = 3L)

# "penalty 3.58 on 4 coefficients of sd and range, 5 on 16 of further coordinates"
local_penalty_lines <- function(fit) {
  if (!any(fit$layout$kind %in% local_kinds)) return(NULL)
  given <- lapply(fit$covariance$components, function(x) x$local$penalty)
  with_coefficients <- Filter(function(recipe) recipe$kind %in% local_kinds, fit$locations$local)
  is_default <- vapply(with_coefficients, function(recipe) is.null(given[[recipe$component]]), NA)
  of <- c(log_sd = "sd", log_range = "range", monotone = "monotone warps",
    expand = "further coordinates")
  own <- fit$layout[fit$layout$kind %in% local_kinds, ]
  parts <- vapply(split(own, factor(own$penalty, unique(own$penalty))), function(rows) {
    sprintf("%s on %d of %s", format_three_digits(rows$penalty[1L]), nrow(rows),
      format_some(of[unique(rows$kind)]))
  }, "")
  coefficients <- if (nrow(own) == 1L) "coefficient" else "coefficients"
  parts[1L] <- sub(" of ", sprintf(" %s of ", coefficients), parts[1L], fixed = TRUE)
  c(sprintf("Penalty %s%s", paste(parts, collapse = ", "), if (all(is_default))
    " (by default)" else ""), paste("See", paste(local_tables(fit), collapse = "; ")))
}

# The functions and plots that show the values which print() summarises.
local_tables <- function(fit) {
  plots <- local_plots(fit)
  scales <- setdiff(plots, c("warp", "coefficients"))
  c(if (length(scales)) sprintf("local_scales(), plot(fit, \"%s\")", scales[1L]),
    if ("warp" %in% plots) "warped_coordinates(), plot(fit, \"warp\")")
}

local_plots <- function(fit) {
  kinds <- vapply(fit$locations$local, `[[`, "", "kind")
  c("range", "sd", "warp", "coefficients")[c("log_range" %in% kinds, "log_sd" %in% kinds,
    any(warp_kinds %in% kinds), "by" %in% kinds)]
}

# The unit of the first range, which local_scales() uses.
local_range_unit <- function(fit, component) {
  range_units(fit$layout$name[fit$layout$component %in% component & fit$layout$kind == "range"][1L],
    fit$locations)
}

# Coefficients are by one standard deviation of their covariate. This line reports its size.
local_deviations <- function(fit) {
  linear <- Filter(function(recipe) !recipe$kind %in% c("monotone", "by"), fit$locations$local)
  deviations <- unlist(lapply(linear, function(recipe) stats::setNames(recipe$scale, recipe$names)))
  deviations <- deviations[!duplicated(names(deviations)) & !is_bump(names(deviations))]
  if (!length(deviations)) return(NULL)
  kinds <- unique(vapply(linear, `[[`, "", "kind"))
  whose <- c(log_sd = "sd", log_range = "range", expand = "further coordinates")
  whose <- if (any(kinds == "expand")) paste(whose[names(whose) %in% kinds], collapse = ", ") else
    "sd and range"
  paste0("Coefficients of ", whose, " are by one standard deviation: ",
    paste(names(deviations), vapply(deviations, format_three_digits, ""), collapse = ", "))
}
