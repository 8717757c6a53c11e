# Mean ranks of methods over sets and splits, as the tables of the papers have them. Sourced by scripts that compare methods.

# The scores as a matrix, with a row for each pair and a column for each method. A pair without the score of every method is left out, because ranks
# need all of them.
scores_by_method <- function(rows, metric, methods = unique(rows$method), pair = c("set", "split")) {
  rows <- rows[rows$method %in% methods & !is.na(rows[[metric]]), ]
  pairs <- do.call(paste, c(unname(as.list(rows[pair])), sep = " / "))
  repeated <- duplicated(data.frame(pairs, rows$method))
  if (any(repeated)) stop("Several rows of ", rows$method[repeated][1L], " for ", pairs[repeated][1L], ".", call. = FALSE)
  values <- matrix(NA_real_, length(unique(pairs)), length(methods), dimnames = list(unique(pairs), methods))
  values[cbind(pairs, as.character(rows$method))] <- rows[[metric]]
  values[stats::complete.cases(values), , drop = FALSE]
}

# Rank 1 is the best method of a pair. Methods that tie share the mean of their ranks.
ranks_of <- function(values, less_is_better = TRUE) {
  ranks <- apply(if (less_is_better) values else -values, 1L, rank)
  matrix(ranks, nrow(values), byrow = TRUE, dimnames = dimnames(values))
}

# A row for each method: mean and median of its scores over the pairs, its mean rank and the standard error of that rank.
mean_ranks <- function(rows, metric, methods = unique(rows$method), pair = c("set", "split"), less_is_better = metric != "accuracy") {
  values <- scores_by_method(rows, metric, methods, pair)
  if (!nrow(values)) return(NULL)
  ranks <- ranks_of(values, less_is_better)
  data.frame(metric = metric, method = methods, pairs = nrow(values), mean = colMeans(values), median = apply(values, 2L, stats::median),
    rank = colMeans(ranks), rank_se = apply(ranks, 2L, stats::sd) / sqrt(nrow(ranks)), row.names = NULL)
}
