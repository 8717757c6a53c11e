# Components of space and time in print().

space_time_labels <- c(gneiting = "Gneiting", separable = "Separable", product_sum = "Product-sum",
  metric = "Metric")

# `of_space`: what the covariance in space is.
describe_space_time <- function(component, of_space) {
  settings <- component$space_time
  sprintf("%s (space: %s%s)", space_time_labels[[settings$model]], of_space,
    if (is.null(settings$time_family)) "" else paste0("; time: ",
      describe_family(settings$time_family, settings$time_shape)))
}

# Lines of settings that are not fitted yet.
space_time_lines <- function(component) {
  settings <- component$space_time
  if (is.null(settings)) return(NULL)
  formula <- switch(settings$model,
    gneiting = "1 / g * correlation(r / g^(beta / 2)), g = 1 + (lag / range_time)^(2 alpha)",
    separable = "the correlation above times that in time",
    metric = "the correlation above of sqrt(r^2 + (lag / range_time)^2)",
    product_sum = "shares of the product, of the correlation above and of that in time")
  shown <- vapply(c(alpha = list(settings$alpha), beta = list(settings$beta)),
    function(value) if (is.null(value)) "estimated" else format(value), "")
  c(sprintf("  %s model of space and time: %s\n", space_time_labels[[settings$model]], formula),
    if (is_gneiting(component)) sprintf("  %-12s %s\n", names(shown), shown),
    if (!is.null(settings$time_family)) sprintf("  %-12s %s, %s\n", "in time",
      describe_family(settings$time_family, settings$time_shape),
      if (is.null(settings$time_range)) "range estimated" else
        paste(range_label(settings$time_family), format(settings$time_range))))
}

# The distance in units of the range of group `group`, which is the last where it is that of time.
effective_distance_of <- function(component, group, level = 0.05) {
  settings <- component$space_time
  if (is.null(settings$time_family) && !is_gneiting(component) ||
      group < length(component$range)) {
    return(effective_distance(component$family, component$shape, level))
  }
  if (settings$model == "gneiting") return((1 / level - 1)^(1 / (2 * settings$alpha)))
  effective_distance(settings$time_family, settings$time_shape, level)
}

space_time_remarks <- function(x, digits) {
  components <- x$core_covariance$components
  own <- which(vapply(components, is_space_time, NA))
  label <- function(j) if (length(components) > 1L) sprintf(" (component %d)", j) else ""
  c("The correlation depends on distance / range and lag / range_time.",
    vapply(own, function(j) {
      parts <- component_remark(x, j, digits)
      parts[-1L] <- sub("^At ", "at ", parts[-1L])
      paste0(paste(parts, collapse = "; "), label(j))
    }, ""))
}

component_remark <- function(x, j, digits) {
  shown <- function(value) format(signif(value, digits), digits = digits)
  component <- x$core_covariance$components[[j]]
  settings <- component$space_time
  unit <- if (nzchar(x$locations$time_unit)) paste0(" ", x$locations$time_unit) else ""
  falls <- effective_distance_of(component, length(component$range), 0.5)
  half <- if (is.finite(falls)) paste0("At one location the correlation is 1/2 after ",
    shown(component$range[length(component$range)] * falls), unit)
  switch(settings$model, gneiting = , metric = half,
    separable = c(if (settings$time_family == "exponential") phi_remark(x, j, shown, unit), half),
    product_sum = {
      rest <- 1 - settings$product
      c(sprintf("Shares of the variance: product %s, space %s, time %s", shown(settings$product),
        shown(rest * settings$space), shown(rest * (1 - settings$space))),
        if (settings$time_family == "exponential") phi_remark(x, j, shown, unit))
    })
}

# The autoregression phi = exp(-step / tau) between times one step from each other, where the step
# is the median of those between distinct times. The error of phi is phi step / tau times that of
# log tau.
phi_remark <- function(x, j, shown, unit) {
  phi <- autoregression(x, j)
  sprintf("phi = %s%s for a lag of %s%s", shown(phi$estimate),
    if (is.na(phi$std_error)) "" else sprintf(" (s.e. %s)", shown(phi$std_error)),
    format(signif(phi$step, 4L)), if (phi$step == 1) sub("s$", "", unit) else unit)
}

autoregression <- function(x, j) {
  times <- sort(unique(x$data$coords[, length(x$locations$embedded_names)]))
  step <- stats::median(diff(times))
  row <- which(x$layout$component %in% j & x$layout$kind == "range")
  row <- row[length(row)]
  ratio <- step / x$parameters$estimate[row]
  list(estimate = exp(-ratio), step = step,
    std_error = exp(-ratio) * ratio * x$parameters$std_error[row] / x$parameters$estimate[row])
}

space_time_advice <- function(x, i, side) {
  upper <- side == "upper"
  switch(x$layout$kind[i],
    alpha = if (upper) "the process is as smooth in time as the model allows: use alpha = 1." else
      "the correlation in time falls and then levels off: try model = \"product_sum\".",
    beta = if (upper) "the strongest interaction of space and time that the model allows. This is not a fault." else
      "the data show no interaction of space and time: use model = \"separable\".",
    share_product = if (upper) "no part of the process is of space or of time alone: use model = \"separable\"." else
      "the process is a sum of one in space and one in time.",
    share_space = sprintf("no part of the process is of %s alone.", if (upper) "time" else "space"),
    time_shape = "it is at a limit of its search: fix it in `time`, or use another family there.")
}
