# print() of a cross-validation: a row for each score, with the direction in which it is better, and
# how far the settings are from the best one.

#' @rdname cross_validate
#' @param x the result of `cross_validate()`.
#' @param digits number of significant digits to print.
#' @export
print.neargp_cv <- function(x, digits = 4L, ...) {
  fold <- as.vector(x$folds)
  fold <- fold[!is.na(fold)]
  told <- told_scores(x$scores)
  cat(sprintf("Cross-validation of %s: %s rows in %d folds%s\nParameters: %s\n%sScores%s\n",
    x$response, format_count(length(fold)), length(unique(fold)), describe_fold_kind(x$folds),
    if (x$refit) "estimated again for each fold" else
      "covariance of the full fit, trend estimated again for each fold",
    if (isTRUE(x$recalibrated)) "Recalibration: the map of all rows, held-out ones included\n" else
      "", told$title))
  print_score_rows(told$table, x, digits)
  print_differences(x, digits)
  invisible(x)
}

describe_fold_kind <- function(folds) {
  switch(attr(folds, "kind") %||% "given", random = " (random)",
    location = " (whole locations)", square = " (square blocks)",
    kmeans = " (k-means blocks)", "")
}

score_direction <- function(score, level) {
  towards <- c(n = "", bias = "near 0", accuracy = "higher", auc = "higher",
    coverage = if (is.null(level)) "high" else paste("near", format(level)))
  if (score %in% names(towards)) towards[[score]] else "lower"
}

print_score_rows <- function(table, x, digits) {
  names <- setdiff(names(table), "setting")
  values <- vapply(names, function(name) vapply(table[[name]], function(v) {
    format(signif(v, digits), digits = digits)
  }, ""), character(nrow(table)))
  shown <- matrix(values, length(names), nrow(table), byrow = TRUE,
    dimnames = list(names, if (nrow(table) == 1L) "value" else table$setting))
  print(cbind(shown, better = vapply(names, score_direction, "", x$level)), quote = FALSE,
    right = TRUE)
}

# All settings share the held-out rows, so that differences vary less between folds than scores.
print_differences <- function(x, digits) {
  if (nrow(x$scores) == 1L || isTRUE(x$several_responses)) return(invisible())
  by <- intersect(c("log_loss", "crps", "rmse"), names(x$scores))[1L]
  if (is.na(by) || anyNA(x$scores[[by]])) return(invisible())
  table <- score_differences(x, unique(c(by, intersect("log_score", names(x$scores)))))
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, digits - 1L)
  cat(sprintf("Differences from %s, with the lowest %s (standard errors over folds)\n",
    attr(table, "best"), by))
  print.data.frame(table, row.names = FALSE)
}

# Differences of each setting from the best one. F folds with the weights w = n_f / n give
#   D = sum w d_f,   std_error^2 = F/(F - 1) sum w^2 (d_f - D)^2.
score_differences <- function(x, scores) {
  settings <- x$scores$setting
  best <- settings[which.min(x$scores[[scores[1L]]])]
  of <- function(setting) x$fold_scores[x$fold_scores$setting == setting, ]
  weight <- of(best)$n / sum(of(best)$n)
  columns <- lapply(scores, function(score) {
    pairs <- vapply(setdiff(settings, best), function(setting) {
      d <- of(setting)[[score]] - of(best)[[score]]
      mean <- sum(weight * d)
      c(mean, sqrt(length(d) / (length(d) - 1) * sum(weight^2 * (d - mean)^2)))
    }, double(2L))
    stats::setNames(data.frame(t(pairs)), c(score, "std_error"))
  })
  structure(cbind(setting = setdiff(settings, best), do.call(cbind, columns)), best = best)
}
