# Computes means, medians and mean ranks of coupled and orthogonal bases, as in Tables 1 and 2 of the ODVGP paper (Salimbeni et al. 2018). Reads the
# tables that other scripts keep, and fits nothing. The paper takes 12 sets of regression and 19 of classes. Five and 11 of these are in the data
# folder.
#
#   Rscript bench/odvgp-ranks.R
#
# Ours is svgp() and odvgp(), by paper-tables.R and svgp-classes.R (with the softmax and the same points). The paper's figures stand for
# the same sets, with the better of its two optimisers for each basis. Keeps tables odvgp-ranks and odvgp-sets, which says what was run.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "ranks.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

bases <- c("svgp", "odvgp")

# ---- ours -----------------------------------------------------------------------------------------------------------------------

regression_rows <- function() {
  rows <- read_result("paper-tables")
  rows <- rows[rows$paper == "odvgp" & rows$method %in% bases, ]
  do.call(rbind, lapply(split(rows, rows[c("set", "method")], drop = TRUE), of_most_splits))
}

# Both bases with the same points: the number of points with most splits, and among several the last to be run.
class_rows <- function() {
  rows <- read_result("svgp-classes")
  rows$method[rows$method == "softmax"] <- "svgp"
  rows <- rows[rows$method %in% bases, ]
  case <- do.call(paste, rows[c("set", "inducing", "max_iterations", "split")])
  rows <- rows[case %in% names(which(table(case) == length(bases))), ]
  do.call(rbind, lapply(split(rows, rows$set), of_one_setting, c("inducing", "max_iterations")))
}

# ---- beside the paper's ---------------------------------------------------------------------------------------------------------

printed_rows <- function(sets, metric) {
  rows <- best_published("odvgp")
  rows <- rows[rows$set %in% sets & rows$metric == metric, ]
  stats::setNames(rows[c("set", "method", "value")], c("set", "method", metric))
}

# Means over the splits that both bases have. Ranks, means and medians are over sets, as the paper's.
of_task <- function(task, rows, metrics) {
  do.call(rbind, lapply(metrics, function(metric) {
    both <- rownames(scores_by_method(rows, metric, bases))
    rows <- rows[paste(rows$set, rows$split, sep = " / ") %in% both, ]
    ours <- mean_ranks(stats::aggregate(rows[metric], rows[c("set", "method")], mean), metric, bases, pair = "set")
    paper <- mean_ranks(printed_rows(unique(rows$set), metric), metric, bases, pair = "set")
    names(ours)[names(ours) == "pairs"] <- "sets"
    data.frame(task = task, ours, mean_paper = paper$mean, median_paper = paper$median, rank_paper = paper$rank)
  }))
}

# Splits of each set and basis; 0 where a set of the paper is in the data folder and was not run.
sets_run <- function(task, rows, metric) {
  known <- unique(read_published("odvgp")[c("set", "metric")])
  sets <- sort(known$set[known$metric == metric])
  splits <- function(method) vapply(sets, function(set) sum(rows$set == set & rows$method == method), 0L)
  data.frame(task = task, set = sets, splits_svgp = splits("svgp"), splits_odvgp = splits("odvgp"), row.names = NULL)
}

regression <- regression_rows()
classes <- class_rows()
save_table(rbind(of_task("regression", regression, c("nll", "rmse")), of_task("classes", classes, c("nll", "accuracy"))), "odvgp-ranks", digits = 4L)
save_table(rbind(sets_run("regression", regression, "rmse"), sets_run("classes", classes, "accuracy")), "odvgp-sets")
