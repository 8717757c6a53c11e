# Responses that are classes: numbered 1, 2, ... in the order of their levels. With two classes the second one is the "success" of
# binomial(), as in glm().

is_class_family <- function(family) family$family %in% c("binomial", "categorical")

class_response <- function(y, family, frame) {
  levels <- class_levels(y, family, frame)
  if (length(levels) < 2L) {
    abort_neargp("response", c(sprintf("The response `%s` has only one class, %s, so there is nothing to tell apart.", names(frame)[1L],
      levels), i = "Were rows of the other classes removed by `subset` or na.action?"))
  }
  if (length(levels) > 2L && family$family == "binomial") {
    abort_neargp("response", c(sprintf("A binomial() response has two classes, and `%s` has %d: %s.", names(frame)[1L], length(levels),
      format_some(levels)), i = "Use family = categorical()."))
  }
  list(y = match(as.character(y), levels) - if (family$family == "binomial") 1 else 0, levels = levels)
}

# Those that occur: levels without any row, as `subset` may leave behind, are no classes.
class_levels <- function(y, family, frame) {
  if (is.factor(y)) return(levels(droplevels(y)))
  if (is.logical(y) || is.character(y)) return(sort(as.character(unique(y))))
  if (family$family == "binomial" && is.numeric(y) && is.null(dim(y))) {
    wrong <- which(!y %in% c(0, 1))
    if (length(wrong)) {
      abort_neargp("response", c("A binomial() response must be 0 or 1, TRUE or FALSE, or a factor with two levels.",
        x = paste0("`", names(frame)[1L], "` has other numbers in ", format_rows(original_rows(frame, wrong)), ".")))
    }
    return(as.character(sort(unique(y))))
  }
  abort_neargp("response", c(sprintf("A %s() response must be a factor.", family$family),
    x = sprintf("`%s` is %s.", names(frame)[1L], if (is.null(dim(y))) paste("of class", class(y)[1L]) else "a matrix"),
    i = if (is.numeric(y)) "Numbers that stand for classes become one by factor()."))
}

class_numbers <- function(data) as.integer(data$y) + if (data$binomial) 1L else 0L

# A weight is a number of equal observations.
check_class_weights <- function(weights, frame) {
  wrong <- which(weights != round(weights))
  if (length(wrong)) {
    abort_neargp("weights", c("Weights of classes are numbers of equal observations, so they must be whole.",
      x = paste0("They are not in ", format_rows(original_rows(frame, wrong)), ".")))
  }
}
