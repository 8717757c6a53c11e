# Covariances in print(): their settings, and one line of a fit.

#' @export
print.neargp_covariance <- function(x, ...) {
  if (has_no_process(x)) cat("No Gaussian process: trend, effects and family alone\n")
  for (component in x$components[!has_no_process(x)]) {
    if (is_linear(component)) {
      cat("Linear covariance: variance * sum((x1 - center) * (x2 - center))\n  variance     ",
        if (is.null(component$variance)) "estimated" else format(component$variance), "\n",
        sep = "")
      next
    }
    known <- covariance_families[[component$family]]
    divisor <- range_label(component$family)
    cat(printed_label(known$label), " covariance: variance * ", known$formula,
      ", r = distance / ", divisor, "\n", sep = "")
    values <- c(list(variance = component$variance),
      stats::setNames(list(component$range), divisor),
      if (!is.null(known$shape)) stats::setNames(list(component$shape), known$shape$name),
      if (!isFALSE(component$anisotropy))
      list(anisotropy = if (is.numeric(component$anisotropy)) component$anisotropy else
        if (is.character(component$anisotropy)) "estimated, in three dimensions"))
    shown <- vapply(values,
      function(value) if (is.null(value)) "estimated" else describe_values(value), "")
    cat(sprintf("  %-12s %s\n", names(values), shown), sep = "")
    if (component$ard) cat("  one range per coordinate\n")
    cat(space_time_lines(component), sep = "")
    cat(local_lines(component), sep = "")
  }
  if (!is.null(attr(x, "nugget"))) {
    cat("Nugget, for neargp(nugget = ): ", format(attr(x, "nugget")), "\n", sep = "")
  }
  invisible(x)
}

# "30", or "angle = 30, ratio = 0.5"
describe_values <- function(values) {
  shown <- ifelse(is.na(values), "estimated", vapply(values, format, ""))
  paste(if (is.null(names(values))) shown else paste(names(values), "=", shown), collapse = ", ")
}

covariance_line <- function(fit) {
  paste0("Covariance: ", describe_covariance(fit$covariance),
    if (isTRUE(fit$default_covariance)) " (by default)")
}

describe_covariance <- function(covariance) {
  if (has_no_process(covariance)) return("none, no Gaussian process")
  of_features <- vapply(covariance$components, is_of_features, NA)
  if (any(of_features)) {
    covariance$components <- covariance$components[!of_features]
    return(paste(c("features()", if (!all(of_features)) describe_covariance(covariance)),
      collapse = " + "))
  }
  parts <- vapply(covariance$components, function(component) {
    form <- c(if (is_periodic(component)) paste("period =", format(component$range)),
      if (component$ard) "one range per coordinate",
      if (!isFALSE(component$anisotropy)) paste0("rotated anisotropy",
        if (rotation_of(component$anisotropy)$coordinates == 3L) " in three dimensions"),
      if (!is.null(component$local$log_range)) "local range", if (!is.null(component$local$log_sd))
      "local sd", describe_warps(component), if (!is.null(component$local$by))
      paste("times", by_label(component)))
    of_space <- paste0(describe_family(component$family, component$shape), paste0(rep(", ",
      length(form)), form, collapse = ""))
    if (is_space_time(component)) describe_space_time(component, of_space) else of_space
  }, "")
  paste(parts, collapse = " + ")
}

printed_label <- function(label) {
  if (l10n_info()[["UTF-8"]]) sub("Matern", "Mat\u00e9rn", label, fixed = TRUE) else label
}

# For example "Matérn, smoothness nu = 1.5". A shape of NULL is estimated.
describe_family <- function(family, shape) {
  known <- covariance_families[[family]]
  if (is.null(known$shape)) return(printed_label(known$label))
  # "smoothness nu" names the parameter as coef() does, and the argument
  name <- known$shape$name
  argument <- known$shape$argument
  sprintf("%s, %s = %s", printed_label(known$label),
    if (endsWith(name, argument)) argument else paste(name, argument),
    if (is.null(shape)) "estimated" else format(shape))
}

# Shapes that are fixed: their values are in the title.
titled_shapes <- function(x) {
  x$layout$name[x$layout$fixed & x$layout$kind %in% c("shape", "time_shape")]
}
