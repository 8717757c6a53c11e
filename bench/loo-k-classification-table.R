# Prints the table of bench/notes/classification.md from the results of bench/loo-k-classification.R. On each split it chooses the k with the best
# log score of the validation rows. It then prints means over splits with their standard errors, next to the paper's figures.
#
#   Rscript bench/loo-k-classification-table.R [estimator, auto]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))
source(file.path(folder, "class-sets.R"))

estimator <- if (length(commandArgs(TRUE))) commandArgs(TRUE)[[1L]] else "auto"

results <- read_result("loo-k-classification")
results <- results[results$estimator == estimator, ]
by_split <- split(results, paste(results$set, results$split))
chosen <- do.call(rbind, lapply(by_split, function(one) one[which.min(one$validation_nll), ]))
first <- do.call(rbind, lapply(by_split, function(one) one[which.min(one$k), ]))

standard_error <- function(x) stats::sd(x) / sqrt(length(x))
mean_se <- function(x) if (length(x) > 1L) sprintf("%.3f (%.3f)", mean(x), standard_error(x)) else sprintf("%.3f", x)
counts <- function(x) paste(sprintf("%s: %d", names(table(x)), table(x)), collapse = ", ")
# Bold figures are below the paper's by more than our standard error.
beside <- function(ours, reference) {
  better <- mean(ours) + (if (length(ours) > 1L) standard_error(ours) else 0) < reference
  sprintf(if (better) "**%s**" else "%s", mean_se(ours))
}

table_row <- function(set) {
  here <- chosen[chosen$set == set, ]
  reference <- paper_classes[paper_classes$set == set, ]
  all_k <- tapply(results$cpu_seconds[results$set == set], results$split[results$set == set], sum)
  cat(sprintf("| %s | %d | %s | %.3f | %.3f | %s | %.3f | %.3f | %.3f | %s | %s | %.1f | %.1f |\n", set, nrow(here),
    beside(here$nll, reference$loo_nll), reference$loo_nll, reference$svgp_nll, beside(here$error, reference$loo_error),
    reference$loo_error, reference$svgp_error, mean(here$calibration), counts(here$k), counts(here$taken),
    mean(first$cpu_seconds[first$set == set]), mean(all_k)))
}

cat("| set | splits | NLL | LOO-k | SVGP | error | LOO-k | SVGP | calibration error | k | estimator | CPU s, first k | CPU s, all k |\n",
  "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", sep = "")
run <- paper_classes$set[paper_classes$set %in% chosen$set]
for (set in run) table_row(set)

# Means over the sets that are certainly the paper's, and the NLL for each fixed k.
ours <- tapply(chosen$nll, chosen$set, mean)
compared <- setdiff(run, c("pine", "fir", "covtype", "splice"))
reference <- paper_classes[match(compared, paper_classes$set), ]
cat(sprintf("\nmean over %d sets but covtype and splice: %.3f, paper's LOO-k %.3f, SVGP %.3f; below its LOO-k on %d\n", length(compared),
  mean(ours[compared]), mean(reference$loo_nll), mean(reference$svgp_nll), sum(ours[compared] < reference$loo_nll)))
cat("\nNLL of the test rows by k:\n")
print(round(tapply(results$nll, results[c("set", "k")], mean)[run, , drop = FALSE], 4L))
