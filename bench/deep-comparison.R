# Repeats the comparisons of Jankowiak, Pleiss and Gardner (2020) between deep models, from tables that other scripts keep. Nothing is fitted here.
# Tables 1 and 4 of the paper compare rules of quadrature. Table 9 compares models, and Figures 2, 3, 4 and 6 show its columns. Table 2 contains
# ranks of methods. Table 8 compares deep kernels.
#
#   Rscript bench/deep-comparison.R
#
# This script reads rows of dspp.R and deep-kernel.R, and of svgp(), ppgpr() and odvgp() on the same training rows by paper-tables.R. The
# paper ranks 12 sets by 10 splits, and rules of quadrature on the smallest 8 sets. Five of the 12 are in the data folder. "rank_paper" ranks what
# Table 9 prints for the sets of the row. Keeps tables dspp-quadrature, dspp-quadrature-ranks, dspp-table-9, dspp-ranks and deep-kernel-ranks.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "ranks.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

settings <- c("epochs", "inducing", "width", "restarts", "batch")
metrics <- c("nll", "rmse", "crps")
rules <- c("dspp-qr1-2", "dspp-qr2-2", "dspp-qr3-2")

deep_rows <- function(forms) {
  rows <- read_result("dspp")
  transform(rows[rows$form %in% forms, ], method = form)
}

# Rows of the printed means, with a column for each measure.
printed_rows <- function(methods, sets) {
  rows <- read_published("dspp")
  rows <- rows[rows$method %in% methods & rows$set %in% sets, ]
  wide <- unique(rows[c("set", "method")])
  for (metric in metrics) {
    own <- rows[rows$metric == metric, ]
    wide[[metric]] <- own$value[match(paste(wide$set, wide$method), paste(own$set, own$method))]
  }
  wide
}

# Compares ranks over the pairs of set and split for which all methods were run with ranks of the printed means. `printed_as` contains the names
# of the methods in published.csv.
ranks_beside <- function(rows, methods, printed_as = methods) {
  found <- do.call(rbind, lapply(metrics, function(metric) {
    own <- mean_ranks(rows, metric, methods)
    if (is.null(own)) return(NULL)
    pairs <- rownames(scores_by_method(rows, metric, methods))
    sets <- unique(sub(" / .*", "", pairs))
    paper <- mean_ranks(printed_rows(printed_as, sets), metric, printed_as, pair = "set")
    cbind(own, sets = length(sets), rank_paper = if (is.null(paper)) NA else paper$rank[match(printed_as, paper$method)])
  }))
  if (is.null(found)) message("No pair of set and split has all of: ", paste(methods, collapse = ", "), ".")
  found
}

# ---- rules of quadrature --------------------------------------------------------------------------------------------------------

# Rows of each set at the settings at which all forms were run, on most splits.
at_common_settings <- function(rows, forms) {
  do.call(rbind, lapply(split(rows, rows$set), function(own) {
    case <- do.call(paste, own[c(settings, "split")])
    own <- own[case %in% names(which(table(case) == length(forms))), ]
    if (nrow(own)) of_one_setting(own, settings)
  }))
}

compare_rules <- function() {
  rows <- at_common_settings(deep_rows(rules), rules)
  if (is.null(rows)) return(message("The rules of quadrature were not run at one setting."))
  means <- stats::aggregate(cbind(nll, rmse, crps, coverage, cpu_fit) ~ form + set, rows, mean)
  at <- rows[match(means$set, rows$set), settings]
  splits <- vapply(seq_len(nrow(means)), function(i) sum(rows$form == means$form[i] & rows$set == means$set[i]), 0L)
  printed <- printed_rows(rules, means$set)
  paper <- printed[match(paste(means$set, means$form), paste(printed$set, printed$method)), metrics]
  names(paper) <- paste0(metrics, "_paper")
  save_table(cbind(means[c("set", "form")], at, splits = splits, means[c("nll", "rmse", "crps", "coverage", "cpu_fit")], paper),
    "dspp-quadrature", digits = 4L)
  save_table(ranks_beside(rows, rules), "dspp-quadrature-ranks", digits = 4L)
}

# ---- Table 9 --------------------------------------------------------------------------------------------------------------------

# A form on a set at the settings with most splits.
best_known <- function(form) {
  rows <- deep_rows(form)
  do.call(rbind, lapply(split(rows, rows$set), of_one_setting, c(settings, "sites")))
}

beside_print <- function(rows) {
  printed <- read_published("dspp")
  do.call(rbind, lapply(metrics, function(metric) {
    own <- printed[printed$set == rows$set[1L] & printed$method == rows$form[1L] & printed$metric == metric, ]
    value <- mean(rows[[metric]])
    error <- standard_error(rows[[metric]])
    as_good <- if (nrow(own)) verdict(metric, value, error, own$value, own$se, own$digits) else NA
    data.frame(rows[1L, c("form", "set", settings)], metric = metric, splits = nrow(rows), ours = value, ours_se = error,
      printed = c(own$value, NA)[1L], as_good = as_good, cpu_fit = mean(rows$cpu_fit), row.names = NULL)
  }))
}

compare_columns <- function() {
  forms <- unique(read_result("dspp")$form)
  rows <- do.call(rbind, lapply(forms, best_known))
  table <- do.call(rbind, lapply(split(rows, rows[c("set", "form")], drop = TRUE), beside_print))
  save_table(table[order(table$metric, table$set, table$form), ], "dspp-table-9", digits = 4L)
}

# ---- ranks of Table 2 -----------------------------------------------------------------------------------------------------------

# Single layers in the split of the LOO-k paper, which is the one of dspp.R. The weight of the divergence is 1, or chosen by validation.
single_layer <- function(method) {
  rows <- read_result("paper-tables")
  rows <- rows[rows$paper == "loo-k" & rows$method == method, ]
  do.call(rbind, lapply(split(rows, rows$set), function(own) chosen_by_validation(of_most_splits(own), "nll_validation")))
}

# Each form at its own best known settings, but for the last contest, of the figure of biased predictive processes. The paper's SVGP is OD-SVGP.
compare_methods <- function() {
  columns <- c("set", "split", "method", metrics)
  deep <- c("dgp-2", "gamma-dgp-2", "dspp-qr3-2")
  rows <- rbind(do.call(rbind, lapply(deep, best_known))[columns], do.call(rbind, lapply(c("svgp", "ppgpr", "odvgp"), single_layer))[columns])
  alike <- at_common_settings(deep_rows(c(deep, "bpdgp-2")), c(deep, "bpdgp-2"))
  contests <- list(three = c("svgp", "ppgpr", "dspp-qr3-2"), deep = deep, all = c("odvgp", "ppgpr", deep), alike = c(deep, "bpdgp-2"))
  found <- do.call(rbind, lapply(names(contests), function(name) {
    methods <- contests[[name]]
    own <- ranks_beside(if (name == "alike") alike else rows, methods, replace(methods, methods == "svgp", "odvgp"))
    if (!is.null(own)) cbind(contest = name, own)
  }))
  save_table(found, "dspp-ranks", digits = 4L)
}

# ---- deep kernels ---------------------------------------------------------------------------------------------------------------

compare_kernels <- function() {
  rows <- read_result("deep-kernel")
  rows$method <- paste0(ifelse(rows$network == "none", "", "network + "), rows$method)
  save_table(do.call(rbind, lapply(metrics, function(metric) mean_ranks(rows, metric))), "deep-kernel-ranks", digits = 4L)
}

compare_rules()
compare_columns()
compare_methods()
compare_kernels()
