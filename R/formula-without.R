# Formula and coordinates of a fit without some of their variables.

coordinates_without <- function(object, group) {
  labels <- attr(object$locations$terms, "term.labels")
  kept <- !vapply(labels, label_has, NA, variables = group)
  stats::reformulate(labels[kept], env = environment(object$locations$terms))
}

label_has <- function(label, variables) any(all.vars(str2lang(label)) %in% variables)

# The formula without the terms that contain one of the variables.
formula_without <- function(object, variables) {
  terms <- object$terms
  effects <- effect_terms(object$formula)
  offsets <- as.list(attr(terms, "variables"))[-1L][attr(terms, "offset")]
  smooths <- Filter(function(smooth) !any(all.vars(smooth) %in% variables), effects$smooths)
  labels <- Filter(function(label) !label_has(label, variables), attr(terms, "term.labels"))
  right <- c(labels, vapply(c(offsets, smooths), deparse1, ""),
    unlist(lapply(effects$bars, bar_without, variables)), features_text(object, variables))
  intercept <- attr(terms, "intercept") == 1L
  if (!length(right)) right <- if (intercept) "1" else "0"
  stats::reformulate(right, object$formula[[2L]], intercept, environment(object$formula))
}

# features() with its columns by name: a dot would take in what leaves the trend.
features_text <- function(object, variables) {
  features <- object$locations$features
  kept <- setdiff(features$names, variables)
  if (is.null(features$term) || !length(kept)) return(NULL)
  deparse1(as.call(c(quote(features), lapply(kept, as.name))))
}

bar_without <- function(bar, variables) {
  if (any(all.vars(bar$group) %in% variables)) return(NULL)
  terms <- stats::terms(stats::as.formula(call("~", bar$lhs)))
  labels <- Filter(function(label) !label_has(label, variables), attr(terms, "term.labels"))
  intercept <- attr(terms, "intercept")
  if (!length(labels) && intercept == 0L) return(NULL)
  sprintf("(%s | %s)", paste(c(intercept, labels), collapse = " + "), deparse1(bar$group))
}

# The support of areas, without layers of covariates if the formula no longer uses them.
support_without <- function(object, variables) {
  support <- eval(object$call$support, environment(object$formula))
  if (is.null(support$covariates)) return(support)
  left <- all.vars(formula_without(object, variables)[[3L]])
  if (!any(names(support$covariates) %in% left)) support["covariates"] <- list(NULL)
  support
}
