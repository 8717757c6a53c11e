# Scores the rule of Bayes on ringnorm and twonorm, on the test rows of svgp-classes.R. The inputs of each class are normal with one mean and one
# variance (Breiman 1996), which are estimated from all rows. No method is better than this rule, except by chance. The row "all" contains the
# scores of all rows, and `se` is the standard error of the log loss of the rows of a test set.
#
#   Rscript bench/bayes-classes.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

# Log density of the rows under one class, up to a constant.
class_log_density <- function(inputs, own) {
  rowSums(stats::dnorm(inputs, mean(own), sqrt(mean(apply(own, 2L, stats::var))), log = TRUE))
}

of_set <- function(set, splits = 1:3) {
  rows <- bench_data(set)
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", "fold"))])
  classes <- sort(unique(rows$y))
  density <- vapply(classes, function(class) class_log_density(inputs, inputs[rows$y == class, ]), double(nrow(rows)))
  probability <- exp(density - apply(density, 1L, max))
  probability <- probability / rowSums(probability)
  loss <- -log(probability[cbind(seq_len(nrow(rows)), match(rows$y, classes))])
  right <- classes[max.col(probability)] == rows$y
  score <- function(split, part) data.frame(set = set, split = split, n = length(part), accuracy = mean(right[part]), nll = mean(loss[part]),
    se = stats::sd(loss) / sqrt(length(part)))
  tests <- lapply(splits, function(split) {
    set.seed(split)
    sample(nrow(rows), round(nrow(rows) / 10))
  })
  do.call(rbind, c(list(score("all", seq_len(nrow(rows)))), Map(score, splits, tests)))
}

save_table(rbind(of_set("ringnorm"), of_set("twonorm")), "svgp-classes-bayes", digits = 4L)
