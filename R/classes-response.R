# Responses that are classes: numbered 1, 2, ... in the order of their levels. With two classes the
# second one is the "success" of binomial(), as in glm().

class_response <- function(y, frame) {
  levels <- class_levels(y, frame)
  if (length(levels) < 2L) {
    abort_neargp("response",
      c(sprintf("The response `%s` has only one class, %s, so there is nothing to distinguish.",
        names(frame)[1L], levels),
        i = "Check whether `subset` or na.action removed the rows of the other categories."))
  }
  list(y = match(as.character(y), levels), levels = levels)
}

# The classes that occur: levels without any row, as `subset` may leave behind, are no classes.
class_levels <- function(y, frame) {
  if (is.factor(y)) return(levels(droplevels(y)))
  if (is.logical(y) || is.character(y)) return(sort(as.character(unique(y))))
  abort_neargp("response", c("A categorical() response must be a factor.",
    x = sprintf("`%s` is %s.", names(frame)[1L], if (is.null(dim(y))) paste("of class",
      class(y)[1L]) else "a matrix"),
    i = if (is.numeric(y)) "Convert numbers that stand for categories by factor()."))
}

class_numbers <- function(data) as.integer(data$y) + if (data$binomial) 1L else 0L

# A weight is a number of equal observations.
check_class_weights <- function(weights, frame) {
  wrong <- which(weights != round(weights))
  if (length(wrong)) {
    abort_neargp("weights",
      c("Weights of classes are numbers of equal observations, so they must be whole.",
        x = paste0("They are not in ", format_rows(original_rows(frame, wrong)), ".")))
  }
}

observed_classes <- function(object) {
  factor(object$classifier$levels[class_numbers(object$data)], levels = object$classifier$levels)
}

inducing_class_response <- function(y, weights, frame) {
  classes <- class_response(y, frame)
  check_class_weights(weights, frame)
  rows <- tabulate(classes$y, length(classes$levels))
  few <- which(rows < 5L)
  if (length(few)) {
    warn_neargp("classes",
      c(sprintf("There are fewer than five rows of %s (%s).", format_some(classes$levels[few]),
        format_some(rows[few])), x = "Their probabilities are little better than a guess.",
        i = "Merge such levels, or leave their rows out."))
  }
  list(y = as.double(classes$y), levels = classes$levels, binomial = FALSE)
}

# ---- of a problem --------------------------------------------------------------------------------

# `problem$classes`: the fields that only a problem of class labels needs.
new_problem_classes <- function(levels, labels = NULL, per_class = NULL, basis = NULL) {
  new_state("neargp_problem_classes",
    levels = levels,                 # their names
    labels = labels,                 # of label regressions: labels by location, see new_labels()
    per_class = per_class,           # whether each class has a regression of its own
    prevalence = NULL,               # what the trend says far from data, see class_prevalence()
    basis = basis)                   # of class fields: the coordinates of the trend
}
