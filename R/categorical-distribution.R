# Distributions of classes. The matrix `probability` contains a row for each distribution and a
# column for each of `levels`. Observations are numbers of levels. With two levels the mean is the
# probability of the second.

new_categorical <- function(probability, levels) {
  new_predictive(list(probability = probability, levels = levels), "categorical")
}

#' @export
`[.neargp_categorical` <- function(x, i) {
  new_categorical(x$probability[i, , drop = FALSE], x$levels)
}

#' @export
predictive_mean.neargp_categorical <- function(distribution) distribution$probability[, 2L]

#' @export
predictive_variance.neargp_categorical <- function(distribution) {
  distribution$probability[, 2L] * distribution$probability[, 1L]
}

#' @export
predictive_log_density.neargp_categorical <- function(y, distribution) {
  log(distribution$probability[cbind(seq_along(y), y)])
}

# The columns of predict().
class_columns <- function(distribution, type) {
  levels <- distribution$levels
  switch(type,
    response = as.data.frame(predictive_moments(distribution)),
    class = data.frame(class = factor(levels[most_probable(distribution$probability)],
      levels = levels)),
    stats::setNames(as.data.frame(distribution$probability), paste0("prob_", levels)))
}

most_probable <- function(probability) {
  complete <- stats::complete.cases(probability)
  number <- rep(NA_integer_, nrow(probability))
  number[complete] <- max.col(probability[complete, , drop = FALSE], ties.method = "first")
  number
}
