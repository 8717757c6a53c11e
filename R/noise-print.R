# The lines of print() for standard deviations, and for noise that differs between rows.

# The line "process sd 1.26, noise sd 0.31". Fits to labels of classes and fits with local fields
# lack it, because their process lacks one standard deviation. The nugget of pseudo-observations is
# no noise.
deviations_line <- function(x, digits) {
  of_labels <- !is.null(x$classifier) && !has_ability(x$method, "class_fields")
  if (is_local(x) || of_labels) return(NULL)
  shown <- function(variance) {
    vapply(sqrt(variance), function(v) format(signif(v, digits), digits = digits), "")
  }
  variance <- x$parameters$estimate[x$layout$kind == "variance" & !is_of_no_process(x)]
  nugget <- if (is.null(x$data$noise) && is_gaussian(x$family) && is.null(x$pseudo_observations))
    x$parameters$estimate[x$layout$kind == "nugget"]
  parts <- c(if (length(variance)) paste("process sd", paste(shown(variance), collapse = " and ")),
    if (length(nugget)) paste("noise sd", shown(nugget)))
  if (length(parts)) paste0(capitalised(paste(parts, collapse = ", ")), scale_of_process(x))
}

scale_of_process <- function(x) {
  if (is_gaussian(x$family)) return(if (has_transform(x$family)) " (transformed response)" else "")
  if (x$family$link == "identity") "" else sprintf(" (%s scale)", x$family$link)
}

# ---- noise that differs between rows -------------------------------------------------------------

# The covariates at which parameters and noise take the values that are printed, and how the noise
# differs between rows.
row_remarks <- function(fit) c(parameter_remarks(fit), noise_remarks(fit))

parameter_remarks <- function(fit) {
  models <- fit$data$parameter_models
  vapply(names(models), function(name) {
    sprintf("%s where %s.", name, noise_reference(models[[name]]$recipe))
  }, "", USE.NAMES = FALSE)
}

noise_remarks <- function(fit) {
  noise <- fit$data$noise
  if (is.null(noise)) return(NULL)
  spread <- function(x) {
    shown <- vapply(c(range(x), stats::median(x)), format_three_digits, "")
    if (shown[1L] == shown[2L]) return(paste(shown[1L], "in all rows"))
    sprintf("%s to %s over the rows (median %s)", shown[1L], shown[2L], shown[3L])
  }
  c(if (!is.null(noise$recipe)) sprintf("Nugget where %s.", noise_reference(noise$recipe)),
    paste("Noise variance", spread(noise_of_rows(fit))),
    if (!is.null(noise$known)) paste("Known part of it", spread(noise$known)))
}

# "depth = 12.4 and gear = trawl": numbers at their mean, or at 0 if they are 0 and 1, and factors
# at their first level.
noise_reference <- function(recipe) {
  numbers <- recipe$names %in% all.vars(recipe$terms)
  values <- vapply(recipe$center[numbers], format_three_digits, "")
  flags <- names(recipe$types)[recipe$types == "logical"]
  levels <- c(vapply(recipe$xlevels, `[[`, "", 1L),
    stats::setNames(rep("FALSE", length(flags)), flags))
  format_some(c(if (any(numbers)) paste(recipe$names[numbers], "=", values),
    if (length(levels)) paste(names(levels), "=", levels),
    if (any(recipe$center[!numbers] != 0)) "further columns are at their mean"), 12L)
}
