# Deep sigma point processes on standardised UCI sets, 15:3:2 at random into training, test and validation rows, beside the published test
# scores of Jankowiak, Pleiss and Gardner (2020, two layers, rule QR3; 400 epochs, 300 inducing points, 10 sites, 3 restarts, and a search
# over widths of 3 and 5 and the weight of the divergence). Ours are of few epochs by default, and hold out a tenth of the training rows.
# CPU seconds, one thread. Standard errors are over splits.
#
#   Rscript bench/dspp.R [sets: pol,elevators,kin40k,protein,keggundirected] [splits: 1,2,3] [epochs: 40] [inducing: 150] [width: 5]
#     [sites: 8] [restarts: 1] [rows in a batch: 250]
#
# Rows go to table dspp, and what is there already is not run again.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

published <- read.table(header = TRUE, text = "
  set                nll  rmse  crps
  pol             -1.237 0.067 0.034
  elevators        0.354 0.353 0.191
  kin40k          -2.016 0.048 0.020
  protein          0.382 0.596 0.279
  keggundirected  -2.976 0.132 0.027")

measure <- function(case) {
  data <- standardised_split(case$set, case$split)
  method <- dspp(inducing = case$inducing, width = case$width, sites = case$sites, epochs = case$epochs, restarts = case$restarts,
    batch_size = case$batch, seed = case$split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
  scored <- timed(scores(fitted$value, newdata = data$test, threads = 1L))
  data.frame(case, n = nrow(data$training), cpu_fit = fitted$cpu, cpu_predict = scored$cpu, nll = scored$value$log_score,
    rmse = scored$value$rmse, crps = scored$value$crps, coverage = scored$value$coverage)
}

summarised <- function(rows) {
  configuration <- c("set", "inducing", "width", "epochs", "batch")
  do.call(rbind, lapply(split(rows, rows[configuration], drop = TRUE), function(part) {
    paper <- published[match(part$set[1L], published$set), ]
    data.frame(part[1L, configuration], splits = nrow(part), nll = mean(part$nll), nll_se = standard_error(part$nll),
      nll_paper = paper$nll, rmse = mean(part$rmse), rmse_se = standard_error(part$rmse), rmse_paper = paper$rmse,
      crps = mean(part$crps), crps_se = standard_error(part$crps), crps_paper = paper$crps, coverage = mean(part$coverage),
      cpu_fit = mean(part$cpu_fit))
  }))
}

settings <- vapply(3:8, function(i) as.integer(argument(i, c("40", "150", "5", "8", "1", "250")[i - 2L])), 0L)
names(settings) <- c("epochs", "inducing", "width", "sites", "restarts", "batch")
describe_run()
for (split in as.integer(argument(2L, c("1", "2", "3")))) for (set in argument(1L, published$set)) {
  case <- data.frame(set = set, split = split, t(settings))
  if (!is_done("dspp", case)) append_result("dspp", measure(case))
}
print(summarised(read_result("dspp")), digits = 3L, row.names = FALSE)
