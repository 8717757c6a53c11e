# Compares ppgpr() with svgp() on random rows of standardised UCI sets. Fits by ppgpr() take two stages or are trained jointly, with a full
# or with a diagonal covariance matrix. The results are scores of the rows of fold 0, and CPU seconds of the whole fit on one thread.
#
#   Rscript bench/ppgpr-joint.R [sets: pol,elevators] [rows: 4000] [inducing points: 128]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

sets <- argument(1L, c("pol", "elevators"))
rows <- as.integer(argument(2L, "4000"))
points <- as.integer(argument(3L, "128"))

methods <- list(svgp = svgp(points), two_stages = ppgpr(points), joint = ppgpr(points, joint = TRUE, batch_size = 256L),
  diagonal = ppgpr(points, joint = TRUE, covariance = "diagonal"))

run <- function(set, name) {
  table <- bench_data(set)
  inputs <- scale(as.matrix(table[setdiff(names(table), c("y", "fold"))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data <- data.frame(inputs[, varies], y = drop(scale(table$y)))
  held <- table$fold == 0
  set.seed(1)
  trained <- sample(which(!held), min(rows, sum(!held)))
  seconds <- cpu_seconds(fit <- neargp(y ~ 1, data[trained, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    method = methods[[name]], threads = 1L))
  scored <- scores(predict(fit, data[held, ], threads = 1L), observed = data$y[held])
  data.frame(set = set, n = length(trained), inducing = points, method = name, cpu_fit = seconds, nll = scored$log_score, rmse = scored$rmse,
    crps = scored$crps, coverage = scored$coverage, nugget = fit$nugget)
}

cases <- expand.grid(method = names(methods), set = sets, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, cases$set, cases$method))
print(results, digits = 4, row.names = FALSE)
save_table(results, "ppgpr-joint")
