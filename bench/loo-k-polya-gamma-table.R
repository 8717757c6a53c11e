# Prints the tables of bench/notes/classification.md from the results of bench/loo-k-polya-gamma.R.
#
#   Rscript bench/loo-k-polya-gamma-table.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))
source(file.path(folder, "class-sets.R"))

# The log loss of the best log-normal q for a target with any number of neighbours, all of its own class. The logit of each process is then
# 1 / (2 E omega). Its cost in the objective is the divergence of q from the prior.
least_log_loss <- function(classes, weight) {
  processes <- if (classes == 2L) 1L else classes
  nodes <- seq(-6, 6, length.out = 401L)
  divergence <- function(location, scale) {
    omega <- pmin(exp(location + scale * nodes), 2.5)
    -location - log(scale) - (1 + log(2 * pi)) / 2 - sum(dnorm(nodes) * neargp:::core_log_polya_gamma(omega)$value) / sum(dnorm(nodes))
  }
  log_loss <- function(q) {
    logit <- exp(-q[[1L]] - exp(2 * q[[2L]]) / 2) / 2
    if (processes == 1L) log1p(exp(-logit)) else log1p((classes - 1) * plogis(-logit) / plogis(logit))
  }
  objective <- function(q) log_loss(q) + weight * processes * divergence(q[[1L]], exp(q[[2L]]))
  log_loss(optim(log(c(0.2, 0.5)), objective, control = list(reltol = 1e-10))$par)
}
weights <- c(1, 0.3, 0.1, 0.03, 0.01)
cat("least log loss of clear labels, by weight and number of classes\n")
print(round(sapply(c("2" = 2L, "3" = 3L, "7" = 7L, "10" = 10L), function(classes) {
  vapply(stats::setNames(weights, weights), least_log_loss, 0, classes = classes)
}), 3L))
cat("\n")

results <- read_result("loo-k-polya-gamma")
default <- results[results$kl_weight == formals(loo_k)$kl_weight, ]
mean_se <- function(x) if (length(x) > 1L) sprintf("%.3f (%.3f)", mean(x), stats::sd(x) / sqrt(length(x))) else sprintf("%.3f", x)

# Results at the default weight. On each split, k is the one with the best log score of the validation rows.
chosen <- do.call(rbind, lapply(split(default, paste(default$set, default$split)), function(one) one[which.min(one$validation_nll), ]))
run <- paper_classes[paper_classes$set %in% chosen$set, ]
cat("| set | splits | NLL | paper: LOO-k | SVGP | error | LOO-k | SVGP | calibration error | k | CPU s, k = 32 |\n",
  "|---|---|---|---|---|---|---|---|---|---|---|\n", sep = "")
for (i in seq_len(nrow(run))) with(chosen[chosen$set == run$set[i], ], {
  cat(sprintf("| %s | %d | %s | %.3f | %.3f | %s | %.3f | %.3f | %.3f | %s | %.0f |\n", run$set[i], length(nll), mean_se(nll), run$loo_nll[i],
    run$svgp_nll[i], mean_se(error), run$loo_error[i], run$svgp_error[i], mean(calibration), paste(sort(unique(k)), collapse = ", "),
    mean(default$cpu_seconds[default$set == run$set[i] & default$k == min(default$k)])))
})
compared <- run$set != "splice"
cat(sprintf("\nmean over %d sets but splice: %.3f, paper's LOO-k %.3f\n", sum(compared),
  mean(tapply(chosen$nll, chosen$set, mean)[run$set[compared]]), mean(run$loo_nll[compared])))

# On the first split the validation rows choose the weight and k. The paper chooses the weight of its baselines in this way.
tuned <- do.call(rbind, lapply(split(results, results$set), function(one) {
  one <- one[one$split == 1L, ]
  one[which.min(one$validation_nll), c("set", "k", "kl_weight", "nll", "error", "calibration")]
}))
cat("\nweight and k by validation, first split\n")
print(tuned[match(run$set, tuned$set), ], digits = 3L, row.names = FALSE)
cat("mean but splice", format(mean(tuned$nll[tuned$set %in% run$set[compared]]), digits = 3L), "\n")

# Scores for each weight, on the first split with the smallest k.
first <- results[results$split == 1L & results$k == min(results$k), ]
for (score in c("validation_nll", "nll", "loo_nll")) {
  table <- tapply(first[[score]], first[c("set", "kl_weight")], mean)[run$set, , drop = FALSE]
  cat("\n", score, " by weight, first split, k = ", min(results$k), "\n", sep = "")
  print(round(rbind(table, mean = colMeans(table)), 3L))
}
