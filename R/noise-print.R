# What print() says of noise that differs between rows.

noise_remarks <- function(fit) {
  noise <- fit$data$noise
  if (is.null(noise)) return(NULL)
  spread <- function(x) {
    shown <- vapply(c(range(x), stats::median(x)), format_three_digits, "")
    if (shown[1L] == shown[2L]) return(paste(shown[1L], "in all rows"))
    sprintf("%s to %s over the rows (median %s)", shown[1L], shown[2L], shown[3L])
  }
  c(if (!is.null(noise$recipe)) sprintf("nugget where %s", noise_reference(noise$recipe)),
    paste("noise variance", spread(noise_of_rows(fit))),
    if (!is.null(noise$known)) paste("of which known", spread(noise$known)))
}

# "depth = 12.4 and gear = trawl": numbers at their mean, factors at their first level.
noise_reference <- function(recipe) {
  centered <- recipe$center != 0
  numbers <- centered & recipe$names %in% all.vars(recipe$terms)
  means <- vapply(recipe$center[numbers], format_three_digits, "")
  levels <- vapply(recipe$xlevels, `[[`, "", 1L)
  format_some(c(if (any(numbers)) paste(recipe$names[numbers], "=", means),
    if (length(levels)) paste(names(levels), "=", levels),
    if (any(centered & !numbers)) "further columns are at their mean"), 12L)
}
