# Mean ranks of the methods over sets and splits, as in Tables 1 to 3 and Figure 10 of the LOO-k paper (Jankowiak and Pleiss 2022). The script fits
# nothing. It reads the results that other scripts keep.
#
# Kind "regression": Results come from paper-tables.R and loo-k-uci.R, on the sets and splits for which all six methods were run.
#
# Kind "outputs": Results come from loo-k-outputs-methods.R. They replace the four sets of robots. The NLL is that of all outputs of a row together.
#
# Kind "binary": Results come from pgvi.R (SVGP and PGVI) and loo-k-classification.R.
#
# Kind "classes": Results come from loo-k-classification.R, without splice (see bench/class-sets.R). Our LOO-k and the printed LOO-k are each
# compared with the printed SVGP, set by set.
#
# Column "printed_there" ranks the printed means of the same methods on the same sets. Column "printed" is the paper's rank. For regression the paper
# ranks over eight sets and ten splits, and includes ALC as a seventh method.
#
#   Rscript bench/loo-k-ranks.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "ranks.R", "class-sets.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

printed_ranks <- read.csv(text = "kind,metric,svgp,ppgpr,vecchia,swsgp,mll_k,loo_k,pgvi
regression,nll,5.60,3.51,4.64,5.16,2.64,2.04,
regression,rmse,4.59,6.21,3.44,4.76,2.34,1.99,
regression,crps,5.78,4.09,4.69,4.74,2.65,2.00,
outputs,nll,3.94,3.06,,,1.57,1.43,
outputs,rmse,2.61,3.39,,,1.80,2.20,
binary,nll,1.89,,,,,2.07,2.04
binary,error,1.99,,,,,2.13,1.88
classes,nll,1.63,,,,,1.37,
classes,error,1.68,,,,,1.32,")

# ---- rows: set, split, method and measures ----------------------------------------------------------------------------------------------

of_method <- function(rows, columns) {
  by_set <- lapply(split(rows, rows[c("set", "method")], drop = TRUE), function(own) chosen_by_validation(of_most_splits(own), "nll_validation"))
  do.call(rbind, by_set)[c("set", "split", "method", columns)]
}

regression_rows <- function() {
  columns <- c("nll", "rmse", "crps")
  tables <- read_result("paper-tables")
  tables <- of_method(tables[tables$paper == "loo-k", ], columns)
  own <- do.call(rbind, lapply(c("pol", "elevators", "kin40k", "protein", "keggundirected"), function(set) read_result(paste0("loo-k-uci-", set))))
  rbind(tables, data.frame(method = "loo_k", own[own$chosen %in% TRUE, c("set", "split", columns)])[names(tables)])
}

outputs_rows <- function() {
  rows <- read_result("loo-k-outputs-methods")
  if (is.null(rows)) return(NULL)
  rows <- transform(rows[rows$n == max(rows$n), ], nll = joint)
  rows[c("set", "split", "method", "nll", "rmse")]
}

binary_rows <- function() {
  rows <- read_result("pgvi")[c("set", "split", "method", "nll", "error")]
  loo <- read_result("loo-k-classification")
  loo <- loo[loo$estimator == "auto" & loo$set %in% rows$set, ]
  loo <- do.call(rbind, lapply(split(loo, loo$set), chosen_by_validation, "validation_nll"))
  rbind(rows, data.frame(method = "loo_k", loo[c("set", "split", "nll", "error")])[names(rows)])
}

# ---- ranks --------------------------------------------------------------------------------------------------------------------------

rank_within <- function(value, cell) stats::ave(value, cell, FUN = function(x) rank(x, ties.method = "average"))

# Mean ranks of the printed means over the sets of our results. Each set is weighted by its number of splits.
ranks_of_print <- function(metric, cells, methods) {
  printed <- best_published("loo-k")
  printed <- printed[printed$metric == metric & printed$method %in% methods & printed$set %in% cells$set, ]
  if (!nrow(printed) || any(table(printed$set) < length(methods))) return(stats::setNames(rep(NA_real_, length(methods)), methods))
  times <- table(cells$set)
  printed$rank <- rank_within(printed$value, printed$set)
  vapply(methods, function(method) {
    own <- printed[printed$method == method, ]
    stats::weighted.mean(own$rank, times[own$set])
  }, 0)
}

# Our mean ranks next to the printed ones. Only pairs of set and split with all methods count.
ranks_beside_print <- function(kind, rows, metrics) {
  if (is.null(rows)) return(NULL)
  methods <- intersect(names(printed_ranks), rows$method)
  do.call(rbind, lapply(metrics, function(metric) {
    ranks <- ranks_of(scores_by_method(rows, metric, methods))
    cells <- data.frame(set = sub(" / .*", "", rownames(ranks)))
    printed <- printed_ranks[printed_ranks$kind == kind & printed_ranks$metric == metric, methods]
    data.frame(kind = kind, metric = metric, sets = length(unique(cells$set)), cells = nrow(cells), method = methods, rank = colMeans(ranks),
      printed_there = ranks_of_print(metric, cells, methods), printed = unlist(printed))
  }))
}

# Counts the sets on which our LOO-k, and the printed LOO-k, score below the printed SVGP.
classes_beside_print <- function() {
  results <- read_result("loo-k-classification")
  others <- c("titanic", "bank", "spambase", "musk2", "pine", "fir", "splice")
  results <- results[results$estimator == "auto" & results$set %in% setdiff(paper_classes$set, others), ]
  best <- do.call(rbind, lapply(split(results, results$set), chosen_by_validation, "validation_nll"))
  means <- stats::aggregate(cbind(nll, error) ~ set, best, mean)
  print <- paper_classes[match(means$set, paper_classes$set), ]
  do.call(rbind, lapply(c("nll", "error"), function(metric) {
    svgp <- print[[paste0("svgp_", metric)]]
    loo <- print[[paste0("loo_", metric)]]
    data.frame(metric = metric, sets = nrow(means), ours_below_svgp = sum(means[[metric]] < svgp), printed_below_svgp = sum(loo < svgp),
      ours_below_printed = sum(means[[metric]] < loo))
  }))
}

table <- rbind(ranks_beside_print("regression", regression_rows(), c("nll", "rmse", "crps")), ranks_beside_print("outputs", outputs_rows(), c("nll", "rmse")),
  ranks_beside_print("binary", binary_rows(), c("nll", "error")))
save_table(table, "loo-k-ranks", 3L)
save_table(classes_beside_print(), "loo-k-ranks-classes")
