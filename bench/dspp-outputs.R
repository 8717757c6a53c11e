# Deep sigma point processes of several responses together, by a linear model of coregionalisation in the last layer. Inputs and responses
# are standardised, and the rows are split 15:3:2 at random. The scores are the joint negative log density of a row divided by the number of
# responses, and the mean of the responses' root mean squared errors. Table 10 of Jankowiak, Pleiss and Gardner (2020) reports -1.169 and
# 0.108 for the whole of sarcos, 44,484 rows. Only its test file of 4,449 rows was available, and none of the other sets. Other forms are dgp(),
# by its ELBO, and one layer of dspp(), which is the mean-field form of PPGPR. The gamma divergence takes one response. svgp-outputs.R runs
# inducing points on the same split. CPU seconds are those of one thread. Rows go to table dspp-outputs, and what is there is not run again.
#
#   Rscript bench/dspp-outputs.R [sets: sarcos_test] [splits: 1] [epochs: 60] [inducing: 100] [width: 5] [sites: 8] [regularization: 0.5]
#     [forms: dspp,dgp,ppgpr]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "published.R", "outputs-fits.R")) source(file.path(folder, file))

method_of <- function(case) {
  common <- list(inducing = case$inducing, width = case$width, epochs = case$epochs, restarts = 1L, batch_size = 500L, seed = case$split)
  if (case$form == "dgp") return(do.call(dgp, common))
  do.call(dspp, c(common, layers = if (case$form == "ppgpr") 1L else 2L, sites = case$sites, regularization = case$regularization))
}

measure <- function(case) {
  loaded <- standardised_outputs(case$set, c(naval = "^y[0-9]$", sarcos_test = "^tau")[[case$set]])
  part <- split_rows(nrow(loaded$data), case$split)
  formula <- stats::as.formula(sprintf("cbind(%s) ~ 1", paste(loaded$outputs, collapse = ", ")))
  fitted <- timed(suppressWarnings(neargp(formula, loaded$data[part$training, ], coords = loaded$coords, method = method_of(case), threads = 1L,
    verbose = FALSE)))
  found <- as.data.frame(scores(fitted$value, newdata = loaded$data[part$test, ], threads = 1L))
  own <- found[found$output != "(joint)", ]
  data.frame(case, n = length(part$training), outputs = nrow(own), cpu_fit = fitted$cpu,
    nll = found$log_score[found$output == "(joint)"] / nrow(own), rmse = mean(own$rmse), crps = mean(own$crps), coverage = mean(own$coverage))
}

settings <- c(epochs = 60, inducing = 100, width = 5, sites = 8, regularization = 0.5)
for (i in seq_along(settings)) settings[i] <- as.double(argument(2L + i, format(settings[[i]])))
describe_run()
for (set in argument(1L, "sarcos_test")) for (split in seq_len(as.integer(argument(2L, "1")))) {
  for (form in argument(8L, c("dspp", "dgp", "ppgpr"))) {
    case <- data.frame(form = form, set = set, split = split, t(settings))
    if (form == "dgp") case[c("sites", "regularization")] <- NA_real_
    if (!is_done("dspp-outputs", case)) append_result("dspp-outputs", measure(case))
  }
}
