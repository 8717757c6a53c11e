# Reads published.csv. It contains figures of the papers of ODVGP, SWSGP, VNNGP and LOO-k for the sets of the data folder and the methods of the
# package. Its column `method` is the name here, and `printed_as` is the paper's name. `se` is the printed standard error; the SWSGP paper does not
# say whether its figure is one. The file stores negative test log-likelihoods, and shares in place of percentages.
#
# ODVGP's Tables 1 and G print a column "MAE". The file stores it as RMSE for two reasons. On elevators it is 0.375 at a log-likelihood of -0.444.
# Normal errors of that RMSE reach this log-likelihood, and their MAE is 0.28. On keggundirected and elevators it is also the other papers' RMSE.

# `digits` are those that are printed after the point.
read_published <- function(papers) {
  rows <- utils::read.csv(file.path(bench_folder(), "published.csv"), colClasses = c(value = "character"))
  rows$digits <- nchar(sub("^[^.]*[.]?", "", rows$value))
  rows$value <- as.numeric(rows$value)
  rows[rows$paper %in% papers, ]
}

better_is_less <- function(metric) metric != "accuracy"

# The best of the published figures of each method, set and measure: papers print several variants of a method, such as by Adam and by
# natural gradients.
best_published <- function(papers) {
  rows <- read_published(papers)
  order_key <- ifelse(better_is_less(rows$metric), rows$value, -rows$value)
  rows <- rows[order(order_key), ]
  rows[!duplicated(rows[c("paper", "set", "method", "k", "metric")]), ]
}

standard_error <- function(x) if (length(x) > 1L) stats::sd(x) / sqrt(length(x)) else NA_real_

# "yes": at least as good as printed, by the mean over splits, rounded as the paper does. "level": worse, by less than the standard error of
# the difference.
verdict <- function(metric, value, se, published, published_se, digits) {
  worse <- ifelse(better_is_less(metric), value - published, published - value)
  spread <- sqrt(ifelse(is.na(se), 0, se)^2 + ifelse(is.na(published_se), 0, published_se)^2)
  ifelse(worse <= 0.5 * 10^-digits, "yes", ifelse(worse <= spread, "level", "no"))
}

is_done <- function(name, key) {
  results <- read_result(name)
  if (is.null(results)) return(FALSE)
  matches <- lapply(names(key), function(column) {
    if (is.na(key[[column]])) is.na(results[[column]]) else results[[column]] %in% key[[column]]
  })
  any(Reduce(`&`, matches))
}

# Rows of results are appended as they come, so that a run can be cut off and taken up again.
append_result <- function(name, row) {
  rounded <- as.data.frame(lapply(row, function(x) if (is.double(x)) signif(x, 5L) else x))
  save_result(rbind(read_result(name), rounded), name)
  print(rounded, row.names = FALSE)
}

# Results of the number of inducing points with most splits. Among several of these numbers, the validation score decides later if it is known.
# Else the largest counts.
of_most_splits <- function(rows) {
  if (all(is.na(rows$inducing))) return(rows)
  splits <- rowSums(table(rows$inducing, rows$split) > 0)
  points <- as.integer(names(splits)[splits == max(splits)])
  judged <- rows$inducing %in% points & !is.na(rows$nll_validation)
  if (length(unique(rows$split[judged])) == max(splits)) rows[judged, ] else rows[rows$inducing == max(points), ]
}

# The rows of the setting with most splits, and among several of these settings the last to be run.
of_one_setting <- function(rows, columns) {
  setting <- do.call(paste, rows[columns])
  splits <- vapply(split(rows$split, setting), function(x) length(unique(x)), 0L)
  best <- names(splits)[splits == max(splits)]
  rows[setting == utils::tail(setting[setting %in% best], 1L), ]
}

# The row of each split with the lowest `score` of the validation rows, among several weights of the divergence or numbers of neighbours.
chosen_by_validation <- function(rows, score) {
  do.call(rbind, lapply(split(rows, rows$split), function(own) own[order(own[[score]])[1L], ]))
}

# Our rows of table paper-tables for one printed figure, one of each split. Without validation rows the most neighbours decide, since the papers
# take more of them, and then the last run.
chosen_like_paper <- function(rows) {
  rows <- of_most_splits(rows)
  chosen_by_validation(rows[order(-rows$k, -seq_len(nrow(rows))), ], "nll_validation")
}
