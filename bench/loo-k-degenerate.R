# Nearest neighbours that say nothing new (Jankowiak and Pleiss 2022, section 5.5 and Table 5): each training row gets a noisy replicate,
# normal noise of variance 1e-4 on each input and on the response, so that half of all neighbours are copies. Inputs and response are
# standardised, Matern 5/2 with a range for each input. Beside LOO-64: mll_k(), whose neighbourhoods are scored jointly, and vecchia(), in
# which a copy is the neighbour of one row only.
#
#   Rscript bench/loo-k-degenerate.R [sets, comma-separated] [splits, e.g. 1:2] [k, 64] [rows at most]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
sets <- if (length(arguments) > 0L) strsplit(arguments[[1L]], ",")[[1L]] else c("elevators", "pol")
splits <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1L
k <- if (length(arguments) > 2L) as.integer(arguments[[3L]]) else 64L
at_most <- if (length(arguments) > 3L) as.integer(arguments[[4L]]) else Inf

# Log likelihood and RMSE of the paper's LOO-64 and SVGP-512.
paper <- read.csv(text = "set,data,loo_ll,loo_rmse,svgp_ll,svgp_rmse
elevators,original,-0.414,0.369,-1.111,0.505
elevators,degenerate,-3.783,0.676,-1.107,0.493
pol,original,1.162,0.077,-1.040,0.367
pol,degenerate,0.689,0.128,-1.054,0.393")

standardized <- function(set, split) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data <- data.frame(inputs, y = drop(scale(rows$y)))
  set.seed(split)
  data <- data[sample.int(nrow(data), min(nrow(data), at_most)), ]
  # an input that does not vary among the training rows has no range
  training <- seq_len(round(0.75 * nrow(data)))
  data[vapply(data[training, ], function(x) all(is.finite(x)) && length(unique(x)) > 1L, NA)]
}

with_replicates <- function(data) {
  copies <- data
  copies[] <- lapply(copies, function(x) x + rnorm(length(x), sd = 0.01))
  rbind(data, copies)
}

methods <- list(loo_k = loo_k(k, optimizer = "adam", steps = 600L), mll_k = mll_k(k), vecchia = vecchia(k))

run <- function(set, split, name, train, test, label) {
  fit <- NULL
  seconds <- cpu_seconds(fit <- suppressWarnings(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(2.5, ard = TRUE), threads = 1L,
    method = methods[[name]], verbose = FALSE)))
  scored <- scores(fit, newdata = test, k = k)
  ranges <- coef(fit, "covariance")
  result <- data.frame(set = set, split = split, data = label, method = name, log_likelihood = -scored$log_score, rmse = scored$rmse,
    coverage = scored$coverage, noise = sqrt(fit$nugget), median_range = stats::median(ranges[grepl("^range", names(ranges))]), cpu = seconds)
  print(result, digits = 3, row.names = FALSE)
  result
}

describe_run()
results <- NULL
for (set in sets) for (split in splits) {
  data <- standardized(set, split)
  rows <- seq_len(round(0.75 * nrow(data)))
  test <- data[seq(round(0.75 * nrow(data)) + 1, round(0.9 * nrow(data))), ]
  for (label in c("original", "degenerate")) for (name in names(methods)) {
    set.seed(split)
    train <- if (label == "original") data[rows, ] else with_replicates(data[rows, ])
    results <- rbind(results, run(set, split, name, train, test, label))
  }
}
save_table(results, "loo-k-degenerate", digits = 4L)
print(paper[paper$set %in% sets, ], row.names = FALSE)

# What replicates cost each method.
grDevices::png(result_file("loo-k-degenerate.png"), 900, 400, res = 110)
graphics::par(mfrow = c(1L, length(sets)), mar = c(3, 4, 2, 0.6), las = 1, mgp = c(2.6, 0.7, 0))
for (set in sets) {
  shown <- results[results$set == set, ]
  mean <- tapply(shown$log_likelihood, list(shown$data, shown$method), mean)[c("original", "degenerate"), names(methods), drop = FALSE]
  reference <- paper[paper$set == set, c("loo_ll", "svgp_ll")]
  lines <- cbind(mean, as.matrix(reference))
  graphics::matplot(1:2, lines, type = "b", pch = c(16, 17, 15, 1, 0), lty = c(1, 1, 1, 2, 2), xaxt = "n", xlim = c(0.8, 2.2),
    col = c("#D55E00", "#0072B2", "#009E73", "#D55E00", "grey40"), ylab = "mean log density of new rows", xlab = "", main = set, font.main = 1)
  graphics::axis(1L, 1:2, c("original", "with replicates"))
  if (set == sets[1L]) graphics::legend("bottomleft", c(names(methods), "paper: LOO-64", "paper: SVGP-512"), bty = "n", cex = 0.8,
    pch = c(16, 17, 15, 1, 0), lty = c(1, 1, 1, 2, 2), col = c("#D55E00", "#0072B2", "#009E73", "#D55E00", "grey40"))
}
invisible(grDevices::dev.off())
