# Test scores of dspp() with settings other than the defaults, as a basis for changes of the defaults. Fits take one start, on standardised
# UCI sets. Splits are those of dspp.R, with at most `rows` training rows at random. CPU seconds are those of the whole fit, on one thread.
#
#   Rscript bench/dspp-settings.R run SETS SPLITS WIDTH SITES INDUCING EPOCHS BATCH RATE [rows: 10000]
#   Rscript bench/dspp-settings.R table

# Rows go to table dspp-settings, and rows that are already there are not run again. `kept` is the state that is scored and kept after an
# epoch: the "mean" of the last steps, or the last "step" in earlier rows.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

measure <- function(case) {
  data <- standardised_split(case$set, case$split, case$rows)
  method <- dspp(width = case$width, sites = case$sites, inducing = case$inducing, epochs = case$epochs, batch_size = case$batch,
    learning_rate = case$rate, restarts = 1L, seed = case$split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
  scored <- scores(fitted$value, newdata = data$test, threads = 1L)
  data.frame(case, n = nrow(data$training), cpu_fit = fitted$cpu, nll = scored$log_score, rmse = scored$rmse, crps = scored$crps,
    coverage = scored$coverage, best_epoch = fitted$value$deep$notes$epoch)
}

if (argument(1L, "table") == "run") {
  describe_run()
  settings <- as.data.frame(as.list(vapply(4:9, function(i) as.numeric(argument(i, NA)), 0)),
    col.names = c("width", "sites", "inducing", "epochs", "batch", "rate"))
  for (split in as.integer(argument(3L, "1"))) for (set in argument(2L, c("kin40k", "elevators", "protein"))) {
    case <- data.frame(set = set, split = split, settings, rows = as.numeric(argument(10L, "10000")), kept = "mean")
    if (!is_done("dspp-settings", case)) append_result("dspp-settings", measure(case))
  }
}
rows <- read_result("dspp-settings")
print(rows[order(rows$set, rows$rows, rows$nll), ], digits = 3L, row.names = FALSE)
