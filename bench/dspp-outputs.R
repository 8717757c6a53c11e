# Deep sigma point processes of several responses together, by a linear model of coregionalisation in the last layer. Inputs and responses
# are standardised, and the rows are split 15:3:2 at random. The scores are the joint negative log density of a row divided by the number of
# responses, and the mean of the responses' root mean squared errors. Table 10 of Jankowiak, Pleiss and Gardner (2020) reports -1.169 and
# 0.108 for the whole of sarcos, 44,484 rows. Only its test file of 4,449 rows was available. CPU seconds are those of one thread.
#
#   Rscript bench/dspp-outputs.R [sets: sarcos_test] [splits: 1] [epochs: 60] [inducing: 100] [width: 5] [sites: 8] [regularization: 0.5]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "outputs-fits.R"))

measure <- function(set, split, settings) {
  loaded <- standardised_outputs(set, c(naval = "^y[0-9]$", sarcos_test = "^tau")[[set]])
  part <- split_rows(nrow(loaded$data), split)
  formula <- stats::as.formula(sprintf("cbind(%s) ~ 1", paste(loaded$outputs, collapse = ", ")))
  method <- dspp(inducing = settings[["inducing"]], width = settings[["width"]], sites = settings[["sites"]], epochs = settings[["epochs"]],
    restarts = 1L, regularization = settings[["regularization"]], batch_size = 500L, seed = split)
  fitted <- timed(suppressWarnings(neargp(formula, loaded$data[part$training, ], coords = loaded$coords, method = method, threads = 1L,
    verbose = FALSE)))
  found <- as.data.frame(scores(fitted$value, newdata = loaded$data[part$test, ], threads = 1L))
  own <- found[found$output != "(joint)", ]
  data.frame(set = set, n = length(part$training), outputs = nrow(own), split = split, t(settings), cpu_fit = fitted$cpu,
    nll = found$log_score[found$output == "(joint)"] / nrow(own), rmse = mean(own$rmse), crps = mean(own$crps), coverage = mean(own$coverage))
}

cases <- expand.grid(split = seq_len(as.integer(argument(2L, "1"))), set = argument(1L, "sarcos_test"), stringsAsFactors = FALSE)
settings <- c(epochs = 60, inducing = 100, width = 5, sites = 8, regularization = 0.5)
for (i in seq_along(settings)) settings[i] <- as.double(argument(2L + i, format(settings[[i]])))
describe_run()
rows <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) measure(cases$set[i], cases$split[i], settings)))
print(rows, digits = 3L, row.names = FALSE)
save_table(rows, "dspp-outputs")
