# Deep sigma point processes of several outputs together (a linear model of coregionalisation in the last layer) on standardised inputs and
# outputs, 15:3:2 at random: the joint negative log density of a row divided by the number of outputs, and the mean of the outputs' root
# mean squared errors, as Table 10 of Jankowiak, Pleiss and Gardner (2020) has them for the whole of sarcos (44,484 rows: -1.169 and 0.108),
# of which the test file of 4,449 rows could be had. Its other sets cannot be had. dgp() is beside it, by its ELBO; its gamma divergence takes
# one response. svgp-outputs.R runs inducing points on the same split. CPU seconds, one thread.
#
#   Rscript bench/dspp-outputs.R [sets: sarcos_test] [splits: 1] [epochs: 60] [inducing: 100] [width: 5] [sites: 8] [regularization: 0.5]
#     [forms: dspp,dgp]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "outputs-fits.R"))

method_of <- function(form, split, settings) {
  common <- list(inducing = settings[["inducing"]], width = settings[["width"]], epochs = settings[["epochs"]], restarts = 1L,
    batch_size = 500L, seed = split)
  if (form == "dgp") return(do.call(dgp, common))
  do.call(dspp, c(common, sites = settings[["sites"]], regularization = settings[["regularization"]]))
}

measure <- function(form, set, split, settings) {
  loaded <- standardised_outputs(set, c(naval = "^y[0-9]$", sarcos_test = "^tau")[[set]])
  part <- split_rows(nrow(loaded$data), split)
  formula <- stats::as.formula(sprintf("cbind(%s) ~ 1", paste(loaded$outputs, collapse = ", ")))
  method <- method_of(form, split, settings)
  fitted <- timed(suppressWarnings(neargp(formula, loaded$data[part$training, ], coords = loaded$coords, method = method, threads = 1L,
    verbose = FALSE)))
  found <- as.data.frame(scores(fitted$value, newdata = loaded$data[part$test, ], threads = 1L))
  own <- found[found$output != "(joint)", ]
  if (form == "dgp") settings[c("sites", "regularization")] <- NA
  data.frame(form = form, set = set, n = length(part$training), outputs = nrow(own), split = split, t(settings), cpu_fit = fitted$cpu,
    nll = found$log_score[found$output == "(joint)"] / nrow(own), rmse = mean(own$rmse), crps = mean(own$crps), coverage = mean(own$coverage))
}

cases <- expand.grid(form = argument(8L, c("dspp", "dgp")), split = seq_len(as.integer(argument(2L, "1"))),
  set = argument(1L, "sarcos_test"), stringsAsFactors = FALSE)
settings <- c(epochs = 60, inducing = 100, width = 5, sites = 8, regularization = 0.5)
for (i in seq_along(settings)) settings[i] <- as.double(argument(2L + i, format(settings[[i]])))
describe_run()
rows <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) measure(cases$form[i], cases$set[i], cases$split[i], settings)))
print(rows, digits = 3L, row.names = FALSE)
save_table(rows, "dspp-outputs")
