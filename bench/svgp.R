# Compares svgp(), odvgp() and ppgpr() on standardised UCI sets. The results are test scores of fold 0 (a tenth of the rows), and CPU
# seconds of the whole fit on one thread. Fits by odvgp() and ppgpr() begin with one by svgp().
#
# For svgp(), the ways of optimisation are compared. The ELBO on the way, by CPU seconds, goes to a separate table.
#
#   Rscript bench/svgp.R [sets: pol,elevators] [inducing points: 512] [bounds: tight] [methods: svgp,odvgp,ppgpr] [optimizers: auto]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

sets <- argument(1L, c("pol", "elevators"))
inducing <- as.integer(argument(2L, "512"))
bounds <- argument(3L, "tight")
methods <- argument(4L, c("svgp", "odvgp", "ppgpr"))

optimizers <- argument(5L, "auto")
on_the_way <- NULL

# Returns a fit and its CPU seconds. The values in its messages on the way are recorded with the seconds until then.
watched <- function(fit, ...) {
  began <- sum(proc.time()[1:2])
  told <- function(message) {
    words <- regmatches(conditionMessage(message), regexec("([0-9]+) (epochs|evaluations): [a-z]+ (-?[0-9.e+]+)", conditionMessage(message)))[[1L]]
    if (length(words)) {
      on_the_way <<- rbind(on_the_way, data.frame(..., unit = words[3L], count = as.integer(words[2L]), bound = as.numeric(words[4L]),
        cpu = sum(proc.time()[1:2]) - began))
      invokeRestart("muffleMessage")
    }
  }
  list(fit = withCallingHandlers(fit, message = told), seconds = sum(proc.time()[1:2]) - began)
}

run <- function(set, points, bound, method, optimizer) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data <- data.frame(inputs[, varies], y = drop(scale(rows$y)))
  held <- rows$fold == 0
  settings <- if (method == "svgp") svgp(points, bound = bound, optimizer = optimizer) else get(method)(points, bound = bound)
  set.seed(1)
  watching <- watched(neargp(y ~ 1, data[!held, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = settings,
    threads = 1L, verbose = TRUE), set = set, inducing = points, method = method, optimizer = optimizer)
  fit <- watching$fit
  predicting <- cpu_seconds(predicted <- predict(fit, data[held, ], threads = 1L))
  scored <- scores(predicted, observed = data$y[held])
  data.frame(set = set, n = sum(!held), inputs = sum(varies), inducing = points, bound = bound, method = method,
    optimizer = if (method == "svgp") optimizer else "auto", cpu_fit = watching$seconds, cpu_predict = predicting,
    evaluations = fit$convergence$evaluations, converged = fit$convergence$converged, bound_per_row = fit$log_likelihood / sum(!held),
    nll = scored$log_score, rmse = scored$rmse, crps = scored$crps, coverage = scored$coverage)
}

cases <- expand.grid(optimizer = optimizers, method = methods, bound = bounds, points = inducing, set = sets, stringsAsFactors = FALSE)
cases <- cases[cases$method == "svgp" | cases$optimizer == optimizers[1L], ]
results <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) run(cases$set[i], cases$points[i], cases$bound[i], cases$method[i],
  cases$optimizer[i])))
print(results, digits = 4, row.names = FALSE)
save_table(results, paste0("svgp-", paste(sets, collapse = "-")))
save_table(on_the_way, paste0("svgp-trace-", paste(sets, collapse = "-")))
