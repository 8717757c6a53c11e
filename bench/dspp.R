# Deep sigma point processes on standardised UCI sets, 15:3:2 at random into training, test and validation rows, beside the published test
# scores of Jankowiak, Pleiss and Gardner (2020, two layers, rule QR3; 400 epochs, 300 inducing points, 10 sites, 3 restarts, and a search
# over widths of 3 and 5 and the weight of the divergence). Ours are of few epochs by default, and hold out a tenth of the training rows.
# CPU seconds, one thread. Standard errors are over splits.
#
#   Rscript bench/dspp.R [sets: kin40k,elevators,protein] [splits: 1] [epochs: 60] [inducing: 150] [width: 5] [sites: 8] [restarts: 1]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

published <- read.table(header = TRUE, text = "
  set                nll  rmse  crps
  pol             -1.237 0.067 0.034
  elevators        0.354 0.353 0.191
  kin40k          -2.016 0.048 0.020
  protein          0.382 0.596 0.279
  keggundirected  -2.976 0.132 0.027")

standardised_rows <- function(set, split) {
  rows <- bench_data(set)
  part <- split_rows(nrow(rows), split)
  inputs <- setdiff(names(rows), c("y", "fold"))
  unit <- rows[part$training, c(inputs, "y")]
  inputs <- inputs[vapply(unit[inputs], stats::sd, 0) > 0]
  data <- as.data.frame(scale(rows[c(inputs, "y")], vapply(unit[c(inputs, "y")], mean, 0), vapply(unit[c(inputs, "y")], stats::sd, 0)))
  lapply(part, function(rows) data[rows, ])
}

measure <- function(set, split, epochs, inducing, width, sites, restarts) {
  data <- standardised_rows(set, split)
  method <- dspp(inducing = inducing, width = width, sites = sites, epochs = epochs, restarts = restarts, seed = split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
  scored <- timed(scores(fitted$value, newdata = data$test, threads = 1L))
  data.frame(set = set, n = nrow(data$training), split = split, epochs = epochs, inducing = inducing, width = width, sites = sites,
    restarts = restarts, cpu_fit = fitted$cpu, cpu_predict = scored$cpu, nll = scored$value$log_score, rmse = scored$value$rmse,
    crps = scored$value$crps, coverage = scored$value$coverage)
}

summarised <- function(rows) {
  of_set <- split(rows, rows$set)
  do.call(rbind, lapply(of_set, function(part) {
    error <- function(x) if (length(x) > 1L) stats::sd(x) / sqrt(length(x)) else NA
    paper <- published[match(part$set[1L], published$set), ]
    data.frame(set = part$set[1L], splits = nrow(part), nll = mean(part$nll), nll_se = error(part$nll), nll_paper = paper$nll,
      rmse = mean(part$rmse), rmse_se = error(part$rmse), rmse_paper = paper$rmse, crps = mean(part$crps), crps_paper = paper$crps,
      coverage = mean(part$coverage), cpu_fit = mean(part$cpu_fit))
  }))
}

sets <- argument(1L, c("kin40k", "elevators", "protein"))
splits <- as.integer(argument(2L, "1"))
numbers <- vapply(3:7, function(i) as.integer(argument(i, c("60", "150", "5", "8", "1")[i - 2L])), 0L)
describe_run()
cases <- expand.grid(split = seq_len(splits), set = sets, stringsAsFactors = FALSE)
rows <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) {
  measure(cases$set[i], cases$split[i], numbers[1L], numbers[2L], numbers[3L], numbers[4L], numbers[5L])
}))
print(summarised(rows), digits = 3L, row.names = FALSE)
save_table(rows, "dspp")
