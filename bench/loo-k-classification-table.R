# The table of bench/classification.md from the results of bench/loo-k-classification.R: of each split the k of the best log score of the
# validation rows, then means over splits with their standard errors, beside the paper's.
#
#   Rscript bench/loo-k-classification-table.R [estimator, auto]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

estimator <- if (length(commandArgs(TRUE))) commandArgs(TRUE)[[1L]] else "auto"

# Means over the paper's five splits: negative log likelihood and error of LOO-k and SVGP. "Molec" may be another set than splice.
paper <- read.csv(text = "set,loo_nll,loo_error,svgp_nll,svgp_error
pine,0.060,0.024,0.381,0.174
fir,0.057,0.023,0.377,0.171
covtype,0.089,0.032,0.560,0.238
titanic,0.485,0.210,0.482,0.210
bank,0.234,0.101,0.241,0.098
spambase,0.222,0.076,0.213,0.067
musk2,0.111,0.034,0.126,0.036
winewhite,0.945,0.355,0.996,0.414
page_blocks,0.129,0.035,0.147,0.045
landsat,0.199,0.075,0.197,0.078
thyroid,0.068,0.019,0.099,0.044
pendigits,0.032,0.006,0.026,0.005
optdigits,0.098,0.014,0.080,0.020
shuttle,0.010,0.002,0.015,0.005
abalone3,0.668,0.289,0.691,0.314
splice,0.025,0.000,0.030,0.001")

results <- utils::read.csv(result_file("loo-k-classification.csv"))
results <- results[results$estimator == estimator, ]
by_split <- split(results, paste(results$set, results$split))
chosen <- do.call(rbind, lapply(by_split, function(one) one[which.min(one$validation_nll), ]))
first <- do.call(rbind, lapply(by_split, function(one) one[which.min(one$k), ]))

standard_error <- function(x) stats::sd(x) / sqrt(length(x))
mean_se <- function(x) if (length(x) > 1L) sprintf("%.3f (%.3f)", mean(x), standard_error(x)) else sprintf("%.3f", x)
counts <- function(x) paste(sprintf("%s (%d)", names(table(x)), table(x)), collapse = ", ")
# Bold: below the paper's by more than the standard error.
beside <- function(ours, reference) {
  better <- mean(ours) + (if (length(ours) > 1L) standard_error(ours) else 0) < reference
  sprintf(if (better) "**%s**" else "%s", mean_se(ours))
}

table_row <- function(set) {
  here <- chosen[chosen$set == set, ]
  reference <- paper[paper$set == set, ]
  all_k <- tapply(results$cpu_seconds[results$set == set], results$split[results$set == set], sum)
  cat(sprintf("| %s | %d | %s | %.3f | %.3f | %s | %.3f | %.3f | %.3f | %s | %s | %.1f | %.1f |\n", set, nrow(here),
    beside(here$nll, reference$loo_nll), reference$loo_nll, reference$svgp_nll, beside(here$error, reference$loo_error),
    reference$loo_error, reference$svgp_error, mean(here$calibration), counts(here$k), counts(here$taken),
    mean(first$cpu_seconds[first$set == set]), mean(all_k)))
}

cat("| set | splits | NLL | LOO-k | SVGP | error | LOO-k | SVGP | calibration error | k | estimator | CPU s, first k | CPU s, all k |\n",
  "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", sep = "")
run <- paper$set[paper$set %in% chosen$set]
for (set in run) table_row(set)

# Means over the sets that are certainly the paper's, and what a fixed k gives.
ours <- tapply(chosen$nll, chosen$set, mean)
compared <- setdiff(run, c("pine", "fir", "covtype", "splice"))
reference <- paper[match(compared, paper$set), ]
cat(sprintf("\nmean over %d sets but covtype and splice: %.3f, paper's LOO-k %.3f, SVGP %.3f; below its LOO-k on %d\n", length(compared),
  mean(ours[compared]), mean(reference$loo_nll), mean(reference$svgp_nll), sum(ours[compared] < reference$loo_nll)))
cat("\nNLL of the test rows by k:\n")
print(round(tapply(results$nll, results[c("set", "k")], mean)[run, , drop = FALSE], 4L))
