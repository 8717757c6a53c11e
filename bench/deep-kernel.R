# Deep kernels: svgp(), jointly trained ppgpr(), dspp() and dgp() with and without warp = mlp(), on random training rows of UCI sets in the
# paper's split. Both use the same mini-batches, points and epochs, and layers of 3 units. The table holds test scores and the seconds of the
# fit. Rows go to table deep-kernel in place of earlier ones of the same case.
#
#   Rscript bench/deep-kernel.R [sets: kin40k,pol,protein,elevators] [rows: 6000] [points: 100] [epochs: 40] [methods: svgp,ppgpr,dspp,dgp] \
#     [layers: 64,32,8] [activation: relu] [decay: 0.01] [splits: 1] [learning rate: 0.01]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

sets <- argument(1L, c("kin40k", "pol", "protein", "elevators"))
rows <- as.integer(argument(2L, "6000"))
points <- as.integer(argument(3L, "100"))
epochs <- as.integer(argument(4L, "40"))
methods <- argument(5L, c("svgp", "ppgpr", "dspp", "dgp"))
layers <- as.integer(argument(6L, c("64", "32", "8")))
activation <- argument(7L, "relu")
decay <- as.numeric(argument(8L, "0.01"))
splits <- as.integer(argument(9L, "1"))
rate <- as.numeric(argument(10L, "0.01"))

method_of <- function(name, split) {
  switch(name,
    svgp = svgp(points, optimizer = "natural", epochs = epochs, batch_size = 256L, learning_rate = rate, std_error = FALSE),
    ppgpr = ppgpr(points, joint = TRUE, epochs = epochs, batch_size = 256L, learning_rate = rate),
    dspp = dspp(inducing = points, width = 3L, epochs = epochs, batch_size = 256L, learning_rate = rate, restarts = 1L, seed = split),
    dgp = dgp(inducing = points, width = 3L, epochs = epochs, batch_size = 256L, learning_rate = rate, restarts = 1L, seed = split))
}

run <- function(set, split, name, network) {
  part <- standardised_split(set, split, rows)
  covariance <- if (network) cov_matern(nu = 2.5, warp = mlp(layers, activation, decay)) else cov_matern(nu = 2.5, ard = TRUE)
  set.seed(split)
  took <- timed(fit <- suppressWarnings(neargp(y ~ 1, part$training, coords = ~ ., covariance = covariance, method = method_of(name, split),
    threads = bench_threads(), verbose = FALSE)))
  scored <- scores(predict(fit, part$test), observed = part$test$y)
  row <- data.frame(set = set, split = split, n = nrow(part$training), inducing = points, epochs = epochs, method = name,
    network = if (network) paste(layers, collapse = "-") else "none", seconds = took$elapsed, nll = scored$log_score, rmse = scored$rmse,
    crps = scored$crps, coverage = scored$coverage)
  print(row, digits = 4, row.names = FALSE)
  row
}

describe_run()
cases <- expand.grid(network = c(FALSE, TRUE), method = methods, split = splits, set = sets, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, cases$set, cases$split, cases$method, cases$network))
case_of <- function(rows) do.call(paste, rows[c("set", "split", "n", "inducing", "epochs", "method", "network")])
known <- read_result("deep-kernel")
save_table(rbind(known[!case_of(known) %in% case_of(results), ], results), "deep-kernel", digits = 4L)
